//! What is said about symptoms, and from where on something is one.

mod texts;

pub use texts::{Entry, Texts};

use crate::config::nearest;
use wirewait_analysis::{RULES, Rule, Threshold};

/// The threshold of this name, if it can stand at this value.
///
/// # Errors
/// A sentence that says what can.
pub fn threshold(name: &str, value: &str) -> Result<(Threshold, u64), String> {
    let known = Threshold::ALL.iter().find(|t| t.name() == name);
    let Some(threshold) = known else {
        let near = nearest(name, Threshold::ALL.iter().map(|t| t.name()));
        return Err(match near {
            Some(near) => format!("there is no threshold {name}; did you mean {near}?"),
            None => {
                format!("there is no threshold {name}; `wirewait --print-config` lists all of them")
            }
        });
    };
    let most = if name.ends_with("_percent") {
        100
    } else {
        u64::MAX
    };
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value
        .parse()
        .ok()
        .filter(|number| digits && *number <= most);
    match number {
        Some(number) => Ok((*threshold, number)),
        None if most == 100 => Err(format!("{name} takes a whole number from 0 to 100")),
        None => Err(format!(
            "{name} takes a whole number from 0 on, without unit"
        )),
    }
}

/// The names of all symptoms.
#[must_use]
pub fn ids() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.id).collect()
}

/// The titles of all symptoms, as reports show them.
#[must_use]
pub fn titles() -> Vec<String> {
    let texts = Texts::default();
    let titles = RULES.iter().map(|rule| texts.title(rule.id).to_owned());
    titles.collect()
}

/// The rule of this name or title.
///
/// # Errors
/// A sentence that names the nearest one, or all of them.
pub fn rule(id: &str) -> Result<&'static Rule, String> {
    let texts = Texts::default();
    let known = RULES
        .iter()
        .find(|rule| rule.id == id || texts.title(rule.id).eq_ignore_ascii_case(id));
    if let Some(rule) = known {
        return Ok(rule);
    }
    let near = nearest(id, RULES.iter().map(|rule| rule.id));
    Err(match near {
        Some(near) => format!("there is no symptom {id}; did you mean {near}?"),
        None => format!("there is no symptom {id}; names are {}", ids().join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report shows titles: they can be copied from it.
    #[test]
    fn each_symptom_goes_by_its_name_and_by_its_title() {
        for (known, title) in RULES.iter().zip(titles()) {
            assert_eq!(rule(known.id).unwrap().id, known.id);
            assert_eq!(rule(&title).unwrap().id, known.id, "{title}");
            assert_eq!(rule(&title.to_lowercase()).unwrap().id, known.id, "{title}");
        }
    }

    #[test]
    fn thresholds_are_set_by_their_names() {
        let slow = threshold("slow_answer_ms", "250");
        assert_eq!(slow, Ok((Threshold::SlowAnswer, 250)));
        assert_eq!(threshold("busy_percent", "100"), Ok((Threshold::Busy, 100)));
        let wrong = |name, value| threshold(name, value).unwrap_err();
        assert_eq!(
            wrong("slow_anser_ms", "250"),
            "there is no threshold slow_anser_ms; did you mean slow_answer_ms?"
        );
        assert_eq!(
            wrong("zebra", "1"),
            "there is no threshold zebra; `wirewait --print-config` lists all of them"
        );
        let number = "slow_answer_ms takes a whole number from 0 on, without unit";
        for value in ["", "five", "-5", "+5", "5ms", "99999999999999999999"] {
            assert_eq!(wrong("slow_answer_ms", value), number, "{value}");
        }
        assert_eq!(
            wrong("busy_percent", "101"),
            "busy_percent takes a whole number from 0 to 100"
        );
    }

    #[test]
    fn rules_go_by_their_names() {
        assert_eq!(rule("slow_server").unwrap().id, "slow_server");
        assert_eq!(
            rule("slow_servr").unwrap_err(),
            "there is no symptom slow_servr; did you mean slow_server?"
        );
        let unknown = rule("zebra").unwrap_err();
        let says = "there is no symptom zebra; names are ";
        assert!(unknown.starts_with(says), "{unknown}");
        assert!(ids().iter().all(|id| unknown.contains(id)), "{unknown}");
    }
}
