//! What is said about symptoms, and from where on something is one: two small files that
//! users may write themselves, in TOML.

mod file;
mod texts;

pub use file::Mistake;
pub use texts::{Entry, Texts};

use file::{File, nearest};
use wirewait_analysis::{RULES, Rule, Threshold, Thresholds};

/// Reads a configuration: `[symptoms]`, and a line `name = number` for each threshold that
/// is not to stand where it does. `name` is what mistakes are told with.
///
/// # Errors
/// What is wrong first, with its line and column.
pub fn thresholds(text: &str, name: &str) -> Result<Thresholds, Mistake> {
    let mut thresholds = Thresholds::default();
    let file = File::new(text, name)?;
    for (section, entries) in file.sections()? {
        if section.text != "symptoms" {
            return Err(file.mistake(
                &section,
                format!("there is no section [{}]; write [symptoms]", section.text),
            ));
        }
        for (key, value) in entries {
            let known = Threshold::ALL.iter().find(|t| t.name() == key.text);
            let Some(threshold) = known else {
                let names = Threshold::ALL.iter().map(|t| t.name());
                return Err(file.unknown(&key, "threshold", names));
            };
            thresholds.set(*threshold, file.number(&key, value)?);
        }
    }
    Ok(thresholds)
}

/// The rule of this name.
///
/// # Errors
/// A sentence that names the nearest one.
pub fn rule(id: &str) -> Result<&'static Rule, String> {
    if let Some(rule) = RULES.iter().find(|rule| rule.id == id) {
        return Ok(rule);
    }
    let near = nearest(id, RULES.iter().map(|rule| rule.id));
    let near = near.map_or(String::new(), |near| format!("; is {near} meant?"));
    Err(format!("there is no symptom {id}{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        thresholds(text, "site.toml").unwrap_err().to_string()
    }

    #[test]
    fn a_configuration_sets_thresholds() {
        let text = "# ours\n[symptoms]\nslow_answer_ms = 250\nbusy_percent = 1_0\n";
        let set = thresholds(text, "site.toml").unwrap();
        assert_eq!(set.get(Threshold::SlowAnswer), 250);
        assert_eq!(set.get(Threshold::Busy), 10);
        assert_eq!(set.get(Threshold::Denied), 20, "as it was");
        assert_eq!(thresholds("", "site.toml").unwrap(), Thresholds::default());
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        assert_eq!(
            wrong("[symptoms]\nslow_anser_ms = 250\n"),
            "site.toml:2:1: there is no threshold slow_anser_ms; is slow_answer_ms meant?"
        );
        assert_eq!(
            wrong("[symptoms]\n  busy_percent = \"five\"\n"),
            "site.toml:2:18: busy_percent takes a whole number from 0 on, without unit"
        );
        assert_eq!(
            wrong("[symptoms]\nbusy_percent = -5\n"),
            "site.toml:2:16: busy_percent takes a whole number from 0 on, without unit"
        );
        assert_eq!(
            wrong("[symptom]\n"),
            "site.toml:1:2: there is no section [symptom]; write [symptoms]"
        );
        assert_eq!(
            wrong("busy_percent = 5\n"),
            "site.toml:1:1: busy_percent stands in no section; a line like [symptoms] goes before it"
        );
        let syntax = wrong("[symptoms]\nbusy_percent = = 5\n");
        assert!(syntax.starts_with("site.toml:2:16: "), "{syntax}");
    }

    #[test]
    fn rules_go_by_their_names() {
        assert_eq!(rule("slow_server").unwrap().id, "slow_server");
        assert_eq!(
            rule("slow_servr").unwrap_err(),
            "there is no symptom slow_servr; is slow_server meant?"
        );
        assert_eq!(rule("zebra").unwrap_err(), "there is no symptom zebra");
    }
}
