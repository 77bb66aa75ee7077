//! Files of settings that a user writes, in TOML: sections, in them names with values, and
//! mistakes told with their place.
//!
//! The callers define which settings there are.

mod file;

pub(crate) use file::File;
pub use file::{Mistake, nearest};

use file::{FileWord, mistake};
use std::ops::Range;
use toml::de::DeValue;

/// A file of settings that was read.
#[derive(Clone, Debug)]
pub struct Config {
    name: String,
    text: String,
    /// Names of sections, and where they stand.
    sections: Vec<(String, usize)>,
    settings: Vec<Setting>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The section it stands in.
    pub section: String,
    /// What it is called there.
    pub key: String,
    /// What it is set to.
    pub value: Value,
    key_at: usize,
    value_at: usize,
}

/// What something is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Text, or a number in digits.
    Text(String),
    /// True or false.
    Flag(bool),
    /// Several texts or numbers.
    Texts(Vec<String>),
}

/// What of a setting is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingPart {
    /// Its name.
    Key,
    /// What it is set to.
    Value,
}

impl Config {
    /// Reads a file. `name` is what mistakes are told with, `example` the name of a section.
    ///
    /// # Errors
    /// What is wrong first, with its line and column.
    pub fn read(text: &str, name: &str, example: &str) -> Result<Self, Mistake> {
        let file = File::new(text, name)?;
        let mut sections = Vec::new();
        let mut settings = Vec::new();
        for (section, entries) in file.sections(example)? {
            sections.push((section.text.to_owned(), section.span.start));
            for (key, value) in entries {
                let at = value.span();
                let Some(read) = value_of(value.get_ref()) else {
                    let message = format!(
                        "{} takes a text in quotes, a number, true or false, or several texts \
                         like [\"one\", \"two\"]",
                        key.text
                    );
                    return Err(mistake(text, name, at.start, message));
                };
                settings.push(setting(&section, &key, read, &at));
            }
        }
        Ok(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            sections,
            settings,
        })
    }

    /// What it sets, in its order.
    #[must_use]
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// What is wrong with one of its settings.
    #[must_use]
    pub fn mistake(&self, setting: &Setting, part: SettingPart, message: String) -> Mistake {
        let at = match part {
            SettingPart::Key => setting.key_at,
            SettingPart::Value => setting.value_at,
        };
        mistake(&self.text, &self.name, at, message)
    }

    /// What is wrong with the section of this name, if there is one.
    #[must_use]
    pub fn section_mistake(&self, section: &str, message: String) -> Option<Mistake> {
        let (_, at) = self.sections.iter().find(|(name, _)| name == section)?;
        Some(mistake(&self.text, &self.name, *at, message))
    }

    /// Checks that all sections, empty ones too, are among the known ones.
    ///
    /// # Errors
    /// The first that is not.
    pub fn check_sections<'k>(
        &self,
        known: impl Iterator<Item = &'k str> + Clone,
    ) -> Result<(), Mistake> {
        for (name, at) in &self.sections {
            if !known.clone().any(|one| one == name) {
                return Err(self.unknown(*at, "section", name, known));
            }
        }
        Ok(())
    }

    /// The name of a setting is none of the known ones; `what` says of what.
    pub fn unknown_key<'k>(
        &self,
        setting: &Setting,
        what: &str,
        known: impl Iterator<Item = &'k str>,
    ) -> Mistake {
        self.unknown(setting.key_at, what, &setting.key, known)
    }

    fn unknown<'k>(
        &self,
        at: usize,
        what: &str,
        word: &str,
        known: impl Iterator<Item = &'k str>,
    ) -> Mistake {
        let near = nearest(word, known);
        let near = near.map_or(String::new(), |near| format!("; is {near} meant?"));
        let message = format!("there is no {what} {word}{near}");
        mistake(&self.text, &self.name, at, message)
    }
}

fn setting(section: &FileWord<'_>, key: &FileWord<'_>, value: Value, at: &Range<usize>) -> Setting {
    Setting {
        section: section.text.to_owned(),
        key: key.text.to_owned(),
        value,
        key_at: key.span.start,
        value_at: at.start,
    }
}

fn value_of(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Array(values) => {
            let texts = values.iter().map(|value| text_of(value.get_ref()));
            texts.collect::<Option<_>>().map(Value::Texts)
        }
        other => text_of(other).map(Value::Text),
    }
}

fn text_of(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(digits) => i128::from_str_radix(digits.as_str(), digits.radix())
            .ok()
            .map(|number| number.to_string()),
        DeValue::Float(digits) => Some(digits.as_str().to_owned()),
        _ => None,
    }
}

/// A text as it stands in a file.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_their_places() {
        let text = "# ours\n[analysis]\ntimeout = \"5s\"\nprivate = true\n[limits]\nrows = 1_000\n\
            rates = [0x10, 2.5, \"10M\"]\n";
        let config = Config::read(text, "site.toml", "analysis").unwrap();
        let read: Vec<_> = config
            .settings()
            .iter()
            .map(|one| (one.section.as_str(), one.key.as_str(), one.value.clone()))
            .collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(
            read,
            [
                ("analysis", "timeout", Value::Text(text("5s"))),
                ("analysis", "private", Value::Flag(true)),
                ("limits", "rows", Value::Text(text("1000"))),
                (
                    "limits",
                    "rates",
                    Value::Texts(["16", "2.5", "10M"].map(text).to_vec())
                ),
            ]
        );
        let rows = &config.settings()[2];
        let wrong = |part| config.mistake(rows, part, "no".to_owned()).to_string();
        assert_eq!(wrong(SettingPart::Key), "site.toml:6:1: no");
        assert_eq!(wrong(SettingPart::Value), "site.toml:6:8: no");
        let unknown = config.unknown_key(rows, "limit", ["row", "names"].into_iter());
        let unknown = unknown.to_string();
        assert_eq!(
            unknown,
            "site.toml:6:1: there is no limit rows; is row meant?"
        );
    }

    #[test]
    fn what_is_no_file_of_settings_is_refused_with_its_place() {
        let wrong = |text: &str| Config::read(text, "x", "analysis").unwrap_err().to_string();
        assert_eq!(
            wrong("timeout = 5\n"),
            "x:1:1: timeout stands in no section; a line like [analysis] goes before it"
        );
        for odd in ["{ b = 1 }", "2026-11-20", "[[1]]", "[true]", "[{}]"] {
            let message = wrong(&format!("[analysis]\na = {odd}\n"));
            assert!(
                message.starts_with("x:2:5: a takes a text in quotes"),
                "{message}"
            );
        }
        let syntax = wrong("[analysis]\ntimeout = = 5\n");
        assert!(syntax.starts_with("x:2:11: "), "{syntax}");
        let twice = wrong("[a]\nb = 1\nb = 2\n");
        assert!(twice.starts_with("x:3:1: "), "{twice}");
    }
}
