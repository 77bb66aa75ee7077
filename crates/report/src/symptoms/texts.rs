//! Titles, descriptions, causes and actions.

use crate::config::{File, Mistake};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use wirewait_analysis::RULES;

const BUILT_IN: &str = include_str!("texts.toml");

/// What is said about one symptom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// In a few words.
    pub title: String,
    /// In a sentence.
    pub description: String,
    /// What it may come from, the likeliest first.
    pub causes: Vec<String>,
    /// What to do, in this order.
    pub actions: Vec<String>,
}

/// What is said about all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts(BTreeMap<String, Entry>);

impl Default for Texts {
    fn default() -> Self {
        static READ: OnceLock<Texts> = OnceLock::new();
        READ.get_or_init(|| {
            let mut texts = Self(BTreeMap::new());
            // That it can be read is tested.
            let _ = texts.overlay(BUILT_IN, "texts.toml");
            texts
        })
        .clone()
    }
}

impl Texts {
    /// The built-in file, to be written out and edited.
    #[must_use]
    pub const fn built_in() -> &'static str {
        BUILT_IN
    }

    /// Puts what stands in `text` in the place of what is there, entry by entry. `name` is
    /// what mistakes are told with.
    ///
    /// # Errors
    /// What is wrong first, with its line and column; nothing before it is undone.
    pub fn overlay(&mut self, text: &str, name: &str) -> Result<(), Mistake> {
        let file = File::new(text, name)?;
        for (section, entries) in file.sections("slow_server")? {
            if !RULES.iter().any(|rule| rule.id == section.text) {
                let ids = RULES.iter().map(|rule| rule.id);
                return Err(file.unknown(&section, "symptom", ids));
            }
            let entry = self.0.entry(section.text.to_owned()).or_default();
            for (key, value) in entries {
                match key.text {
                    "title" => entry.title = file.string(&key, value)?,
                    "description" => entry.description = file.string(&key, value)?,
                    "causes" => entry.causes = file.strings(&key, value)?,
                    "actions" => entry.actions = file.strings(&key, value)?,
                    _ => {
                        let known = ["title", "description", "causes", "actions"];
                        return Err(file.unknown(&key, "entry", known.into_iter()));
                    }
                }
            }
        }
        Ok(())
    }

    /// What is said about the symptom with this name.
    #[must_use]
    pub fn of(&self, id: &str) -> Option<&Entry> {
        self.0.get(id)
    }

    /// Its title, or its name where it has none.
    #[must_use]
    pub fn title<'a>(&'a self, id: &'a str) -> &'a str {
        match self.of(id) {
            Some(entry) if !entry.title.is_empty() => &entry.title,
            _ => id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_whole_entry() {
        let mut texts = Texts(BTreeMap::new());
        texts.overlay(BUILT_IN, "texts.toml").unwrap();
        for rule in RULES {
            let entry = texts.of(rule.id).unwrap_or_else(|| panic!("{}", rule.id));
            assert!(
                !entry.title.is_empty() && entry.title.len() <= 32,
                "{}",
                rule.id
            );
            assert!(entry.description.ends_with('.'), "{}", rule.id);
            assert!(!entry.causes.is_empty() && !entry.actions.is_empty());
        }
        assert_eq!(texts.0.len(), RULES.len());
    }

    #[test]
    fn a_users_file_takes_the_place_of_entries() {
        let mut texts = Texts::default();
        texts
            .overlay("[slow_server]\ntitle = \"Langsamer Server\"\n", "de.toml")
            .unwrap();
        assert_eq!(texts.title("slow_server"), "Langsamer Server");
        assert!(!texts.of("slow_server").unwrap().causes.is_empty());
        let wrong = texts.overlay("[slow_servers]\n", "de.toml").unwrap_err();
        assert_eq!(
            wrong.to_string(),
            "de.toml:1:2: there is no symptom slow_servers; is slow_server meant?"
        );
        let wrong = texts.overlay("[slow_server]\ntitel = \"x\"\n", "de.toml");
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "de.toml:2:1: there is no entry titel"
        );
        let wrong = texts.overlay("[slow_server]\ncauses = \"x\"\n", "de.toml");
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "de.toml:2:10: causes takes texts in quotes: [\"one\", \"two\"]"
        );
    }
}
