//! Names that cross the wire in clear, and what they name.

use std::fmt;

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Naming {
    /// A dialect of the protocol. A request offers several; its answer chooses one.
    Dialect,
    /// The user that a request is made for.
    User,
    /// A share or volume.
    Share,
    /// A file, directory or pipe within it.
    Path,
    /// A station, service or group that is looked for.
    Station,
    /// Nothing itself: what is opened on the share named just before are pipes.
    Pipes,
}

/// A name, in the characters of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// One byte a character; what is not ASCII is shown as Latin-1 has it, because the wire
    /// does not say which code page it is.
    Bytes(&'a [u8]),
    /// UTF-16, the low byte first.
    Utf16(&'a [u8]),
    /// Texts of one byte a character, each with its length before it in one byte, or
    /// in two (the low one first): shown with a slash in between.
    Components {
        /// How many.
        count: u8,
        /// Lengths have two bytes.
        wide: bool,
        /// From the first length on.
        bytes: &'a [u8],
    },
    /// A name for a number on the wire.
    Known(&'static str),
}

impl fmt::Display for Text<'_> {
    /// As far as the first zero. Not yet safe for a terminal: callers must escape it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        match *self {
            Self::Bytes(bytes) => bytes
                .iter()
                .take_while(|b| **b != 0)
                .try_for_each(|b| f.write_char(char::from(*b))),
            Self::Utf16(bytes) => {
                let units = bytes
                    .chunks_exact(2)
                    .map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
                    .take_while(|unit| *unit != 0);
                char::decode_utf16(units)
                    .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .try_for_each(|c| f.write_char(c))
            }
            Self::Components { count, wide, bytes } => {
                let mut rest = bytes;
                for n in 0..count {
                    let (length, text) = match (wide, rest) {
                        (false, [length, text @ ..]) => (usize::from(*length), text),
                        (true, [low, high, text @ ..]) => {
                            (usize::from(u16::from_le_bytes([*low, *high])), text)
                        }
                        _ => return Ok(()),
                    };
                    if n > 0 {
                        f.write_char('/')?;
                    }
                    let cut = text.len().min(length);
                    write!(f, "{}", Self::Bytes(&text[..cut]))?;
                    rest = &text[cut..];
                }
                Ok(())
            }
            Self::Known(name) => f.write_str(name),
        }
    }
}

/// Where names go: what is named, and how.
pub type Names<'o> = &'o mut dyn FnMut(Naming, Text<'_>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_a_zero() {
        assert_eq!(Text::Bytes(b"A\xe4\0b").to_string(), "A\u{e4}");
        assert_eq!(Text::Utf16(b"A\0\x3a\x26\0\0b\0").to_string(), "A\u{263a}");
        assert_eq!(Text::Utf16(b"\x00\xd8x\0").to_string(), "\u{fffd}x");
        assert_eq!(Text::Utf16(b"A\0b").to_string(), "A", "half a character");
    }

    #[test]
    fn components_have_lengths() {
        let path =
            |count, wide, bytes: &'static [u8]| Text::Components { count, wide, bytes }.to_string();
        assert_eq!(path(2, false, b"\x03DIR\x01F"), "DIR/F");
        assert_eq!(path(2, true, b"\x03\0DIR\x01\0F"), "DIR/F");
        assert_eq!(
            path(9, false, b"\x03DIR\xffF"),
            "DIR/F",
            "lies are survived"
        );
    }
}
