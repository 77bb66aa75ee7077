//! Tests of wirewait's own fields and of whole layers beyond a comparison: `in`, `contains`, `matches`.

use super::wireshark::{Pattern, hex};
use super::{Literal, Operator, Quoted};
use std::fmt;

/// What a field of wirewait's own must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldTest {
    Compared(Operator, Literal),
    In(Vec<SetMember>),
    Search(Search),
}

/// A part of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SetMember {
    One(Literal),
    /// Numbers from the first to the second.
    Range(u64, u64),
}

/// What text or bytes must have in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Words; their case counts, as in Wireshark.
    Words(String),
    /// Bytes, typed in hexadecimal with colons.
    Bytes(Vec<u8>),
    Matches(Pattern),
}

impl Search {
    /// What `contains` is followed by.
    pub(super) fn of(word: String, quoted: bool) -> Self {
        match hex(&word).filter(|_| !quoted) {
            Some(bytes) => Self::Bytes(bytes),
            None => Self::Words(word),
        }
    }

    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let has = |part: &[u8]| part.is_empty() || bytes.windows(part.len()).any(|at| at == part);
        match self {
            Self::Words(words) => has(words.as_bytes()),
            Self::Bytes(part) => has(part),
            Self::Matches(pattern) => pattern.is_match(bytes),
        }
    }

    /// Addresses are text, which shows bytes as they are typed.
    pub(super) fn is_in_text(&self, text: &str) -> bool {
        match self {
            Self::Bytes(part) => text.to_ascii_lowercase().contains(&colons(part)),
            _ => self.is_in(text.as_bytes()),
        }
    }
}

fn colons(bytes: &[u8]) -> String {
    let all: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    all.join(":")
}

/// As they can be typed again behind the name.
impl fmt::Display for FieldTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compared(operator, literal) => write!(f, "{} {literal}", operator.sign()),
            Self::In(members) => {
                f.write_str("in {")?;
                for (n, member) in members.iter().enumerate() {
                    f.write_str(if n > 0 { ", " } else { "" })?;
                    match member {
                        SetMember::One(literal) => write!(f, "{literal}")?,
                        SetMember::Range(low, high) => write!(f, "{low}..{high}")?,
                    }
                }
                f.write_str("}")
            }
            Self::Search(search) => write!(f, "{search}"),
        }
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => write!(f, "contains {}", Quoted(words)),
            Self::Bytes(bytes) => write!(f, "contains {}", colons(bytes)),
            Self::Matches(pattern) => write!(f, "matches {}", Quoted(pattern.as_str())),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Words(words) => write!(f, "{}", Quoted(words)),
        }
    }
}
