//! A file of sections with entries, and mistakes in it by line and column.

use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something wrong in a file that a user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    name: String,
    line: usize,
    column: usize,
    message: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            line,
            column,
            message,
        } = self;
        write!(f, "{name}:{line}:{column}: {message}")
    }
}

impl std::error::Error for Mistake {}

/// A word of the file, and where it stands.
pub(crate) struct FileWord<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Range<usize>,
}

/// An entry's value, and where it stands.
pub(crate) type FileValue<'a> = &'a Spanned<DeValue<'a>>;

/// What stands in a section.
type Entries<'a> = Vec<(FileWord<'a>, FileValue<'a>)>;

/// A file that was read.
pub(crate) struct File<'a> {
    text: &'a str,
    name: &'a str,
    table: Spanned<DeTable<'a>>,
}

impl<'a> File<'a> {
    pub(crate) fn new(text: &'a str, name: &'a str) -> Result<Self, Mistake> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            mistake(text, name, at, error.message().to_owned())
        })?;
        Ok(Self { text, name, table })
    }

    /// Sections with their entries, in the order of the file. `example` is one of them.
    pub(crate) fn sections(
        &self,
        example: &str,
    ) -> Result<Vec<(FileWord<'_>, Entries<'_>)>, Mistake> {
        let mut sections = Vec::new();
        for (key, value) in entries(self.table.get_ref()) {
            let DeValue::Table(table) = value.get_ref() else {
                let message = format!(
                    "{} stands in no section; a line like [{example}] goes before it",
                    key.text
                );
                return Err(self.mistake(&key, message));
            };
            sections.push((key, entries(table)));
        }
        Ok(sections)
    }

    pub(crate) fn string(
        &self,
        key: &FileWord<'_>,
        value: FileValue<'_>,
    ) -> Result<String, Mistake> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => {
                let message = format!("{} takes a text in quotes", key.text);
                Err(mistake(self.text, self.name, value.span().start, message))
            }
        }
    }

    pub(crate) fn strings(
        &self,
        key: &FileWord<'_>,
        value: FileValue<'_>,
    ) -> Result<Vec<String>, Mistake> {
        let texts = match value.get_ref() {
            DeValue::Array(values) => values
                .iter()
                .map(|value| match value.get_ref() {
                    DeValue::String(text) => Some(text.to_string()),
                    _ => None,
                })
                .collect(),
            _ => None,
        };
        texts.ok_or_else(|| {
            let message = format!("{} takes texts in quotes: [\"one\", \"two\"]", key.text);
            mistake(self.text, self.name, value.span().start, message)
        })
    }

    pub(crate) fn mistake(&self, key: &FileWord<'_>, message: String) -> Mistake {
        mistake(self.text, self.name, key.span.start, message)
    }

    /// A word that is none of `known`.
    pub(crate) fn unknown<'k>(
        &self,
        key: &FileWord<'_>,
        what: &str,
        known: impl Iterator<Item = &'k str>,
    ) -> Mistake {
        let near = nearest(key.text, known);
        let near = near.map_or(String::new(), |near| format!("; is {near} meant?"));
        self.mistake(key, format!("there is no {what} {}{near}", key.text))
    }
}

/// Entries of a table in the order of the file.
fn entries<'t>(table: &'t DeTable<'_>) -> Entries<'t> {
    let mut entries: Entries<'t> = table
        .iter()
        .map(|(key, value)| {
            let key = FileWord {
                text: key.get_ref(),
                span: key.span(),
            };
            (key, value)
        })
        .collect();
    entries.sort_by_key(|(key, _)| key.span.start);
    entries
}

pub(crate) fn mistake(text: &str, name: &str, at: usize, message: String) -> Mistake {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    Mistake {
        name: name.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before[line..].chars().count() + 1,
        message,
    }
}

/// The one of the known words that was most likely meant.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let (steps, near) = known
        .map(|other| (distance(word, other), other))
        .min_by_key(|(steps, _)| *steps)?;
    (steps <= word.chars().count() / 3).then_some(near)
}

/// Letters to add, take away or change (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        let known = ["alpha", "alpine"];
        assert_eq!(nearest("alpin", known.into_iter()), Some("alpine"));
        assert_eq!(nearest("omega", known.into_iter()), None);
        assert_eq!(nearest("omega", [].into_iter()), None);
    }
}
