//! What the user wants to see marked: a layer, or one of its fields.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::tree::Layer;

/// A layer by its protocol's name, and a field of it by its name. Case, blanks and
/// punctuation do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    typed: String,
    layer: String,
    field: Option<String>,
}

impl Selector {
    /// Whether a layer of this name may be what is meant.
    #[must_use]
    pub fn is_of(&self, layer: &str) -> bool {
        self.layer == plain(layer)
    }

    /// The bytes that are meant in this layer.
    pub(super) fn ranges(&self, layer: &Layer<'_>) -> Vec<Range<u32>> {
        let mut ranges = Vec::new();
        if self.is_of(layer.dissector.name) {
            match &self.field {
                None => ranges.push(layer.described()),
                Some(wanted) => ranges.extend(
                    layer
                        .fields
                        .iter()
                        .filter(|field| plain(&field.name) == *wanted)
                        .map(|field| field.start..field.end),
                ),
            }
        }
        ranges
    }
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let (layer, field) = match typed.split_once('.') {
            Some((layer, field)) => (plain(layer), Some(plain(field))),
            None => (plain(typed), None),
        };
        if layer.is_empty() || field.as_ref().is_some_and(String::is_empty) {
            return Err("write a protocol, or a protocol and one of its fields: \
                 smb1, smb1.Command, \"tcp.Source port\""
                .to_owned());
        }
        Ok(Self {
            typed: typed.to_owned(),
            layer,
            field,
        })
    }
}

/// As it was typed.
impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

/// What counts of a name: its letters and digits, and the case does not.
pub(super) fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_blanks_and_punctuation_do_not_count() {
        let one: Selector = "TCP.source port".parse().unwrap();
        let other: Selector = "tcp.Source-Port".parse().unwrap();
        assert_eq!((&one.layer, &one.field), (&other.layer, &other.field));
        assert!(one.is_of("tcp") && !one.is_of("udp"));
        assert_eq!(one.to_string(), "TCP.source port");
        let word: Selector = "smb1.Parameter words.Word count".parse().unwrap();
        assert_eq!(word.field.as_deref(), Some("parameterwordswordcount"));
    }

    #[test]
    fn something_must_be_named() {
        for wrong in ["", ".", ".Command", "smb1.", "- . -"] {
            assert!(wrong.parse::<Selector>().is_err(), "{wrong}");
        }
    }
}
