//! Any text as a condition of `--fail-if`, of `compare` and of one capture: it is read, and read again from what it says
//! of itself, or refused with a column.
#![no_main]

#[path = "../../crates/cli/condition.rs"]
mod condition;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(one) = condition::limit(text) {
        let again = match &one {
            condition::CaptureCondition::Figure(figure) => &figure.text,
            condition::CaptureCondition::Share(share) => &share.text,
        };
        assert_eq!(condition::limit(again), Ok(one.clone()));
    }
    match condition::parse(text) {
        Ok(one) => assert_eq!(condition::parse(&one.text), Ok(one)),
        Err(mistake) => {
            let rest = mistake.strip_prefix("column ").expect("a column");
            let (column, message) = rest.split_once(": ").expect("a message");
            let column: usize = column.parse().expect("a number");
            // The help names what a mistake may be about.
            assert!(!message.is_empty() && !condition::conditions().is_empty());
            assert!(!condition::conditions_on_one().is_empty());
            assert!(
                (1..=text.chars().count() + 1).contains(&column),
                "{mistake}"
            );
        }
    }
});
