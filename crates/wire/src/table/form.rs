//! How the bytes of one field are read.

use crate::Fields;
use std::borrow::Cow;

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number of up to eight bytes, the low one first.
    Le,
    /// A number of up to eight bytes, the high one first.
    Be,
    /// Characters, up to the first zero.
    Text,
    /// Bytes without a form of their own.
    Bytes,
}

impl Form {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Le, Self::Be, Self::Text, Self::Bytes];

    /// The word for it in a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Le => "le",
            Self::Be => "be",
            Self::Text => "text",
            Self::Bytes => "bytes",
        }
    }

    /// The number in `bytes`; `None` for a form that is no number, or more than eight bytes.
    #[must_use]
    pub fn number(self, bytes: &[u8]) -> Option<u64> {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        match self {
            _ if bytes.len() > 8 => None,
            Self::Be => Some(bytes.iter().fold(0, add)),
            Self::Le => Some(bytes.iter().rev().fold(0, add)),
            Self::Text | Self::Bytes => None,
        }
    }

    /// Describes the next `n` bytes as one field. Answers the number that stands there:
    /// `Some(None)` for a form that is no number, `None` if the bytes end before the field.
    pub fn describe(
        self,
        f: &mut Fields<'_>,
        n: u32,
        name: impl Into<Cow<'static, str>>,
    ) -> Option<Option<u64>> {
        match self {
            Self::Le => f.number(n, false, name).map(Some),
            Self::Be => f.number(n, true, name).map(Some),
            Self::Text => f.text(n, name).map(|_| None),
            Self::Bytes => f.bytes(n, name).map(|_| None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_odd_sizes() {
        assert_eq!(Form::Le.number(&[1, 2, 3]), Some(0x03_0201));
        assert_eq!(Form::Be.number(&[1, 2, 3]), Some(0x01_0203));
        assert_eq!(Form::Be.number(&[1; 9]), None);
        assert_eq!(Form::Text.number(&[1]), None);
    }
}
