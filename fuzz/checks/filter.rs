//! What must hold for any text that is meant as a filter of `decode`.

use wirewait_report::decode::Filter;
use wirewait_wire::Registry;

/// Reads an expression, and what it prints again.
///
/// # Panics
/// When an error points behind the text, or an expression does not come back as it went.
pub(crate) fn filter(registry: &Registry, text: &str) {
    match Filter::parse(text, registry) {
        Ok(filter) => {
            let printed = filter.to_string();
            // Printing adds marks; what is too long then is refused, and nothing else.
            match Filter::parse(&printed, registry) {
                Ok(again) => assert_eq!(again, filter, "{printed}"),
                Err(error) => assert!(error.message.contains("longer than"), "{printed}: {error}"),
            }
        }
        Err(error) => assert!(error.column <= text.chars().count(), "{text}: {error}"),
    }
}
