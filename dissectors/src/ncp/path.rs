//! Where the file names of requests stand, and how they are written.

use crate::parse::le16;
use std::borrow::Cow;
use std::fmt::{self, Write};
use wirewait_wire::Input;

/// Writes the first name in a request, in quotes and with a space before it; nothing if it
/// has none or the capture cut it off.
pub(super) fn describe(
    function: u8,
    subfunction: u8,
    input: Input<'_>,
    out: &mut dyn Write,
) -> fmt::Result {
    let Some((shape, count, mut rest)) = components(function, subfunction, input.bytes) else {
        return Ok(());
    };
    let pattern = is_pattern(function, subfunction, input.bytes);
    for i in 0..count {
        let Some((name, behind)) = component(shape, rest) else {
            return if i == 0 { Ok(()) } else { out.write_char('"') };
        };
        out.write_str(if i == 0 { " \"" } else { "/" })?;
        escape(&typed(name, pattern), out)?;
        rest = behind;
    }
    if count > 0 {
        out.write_char('"')
    } else {
        Ok(())
    }
}

/// The characters that a person typed for a name. A shell writes a wildcard behind 0xFF, which is none itself, or with its high
/// bit set ("augmented" wildcards, which match as DOS does); where there is a pattern, the high bit alone says it, too.
pub(super) fn typed(name: &[u8], pattern: bool) -> Cow<'_, [u8]> {
    let marks = |byte: &u8| *byte == ESCAPE || pattern && augmented(*byte).is_some();
    if !name.iter().any(marks) {
        return Cow::Borrowed(name);
    }
    let mut typed = Vec::with_capacity(name.len());
    let mut rest = name;
    while let [first, behind @ ..] = rest {
        let escaped = behind.first().filter(|_| *first == ESCAPE);
        let wildcard = escaped.and_then(|byte| match byte {
            b'*' | b'?' | b'.' => Some(*byte),
            byte => augmented(*byte),
        });
        match wildcard {
            Some(wildcard) => {
                typed.push(wildcard);
                rest = &behind[1..];
            }
            None => {
                let plain = augmented(*first).filter(|_| pattern);
                typed.push(plain.unwrap_or(*first));
                rest = behind;
            }
        }
    }
    Cow::Owned(typed)
}

/// Stands before a wildcard.
const ESCAPE: u8 = 0xff;

/// The wildcard that this is with its high bit set.
const fn augmented(byte: u8) -> Option<u8> {
    match byte {
        0xaa | 0xae | 0xbf => Some(byte & 0x7f),
        _ => None,
    }
}

/// Whether the request searches for a pattern in a name space of one byte a character: in others the high bit is part of a
/// character.
pub(super) fn is_pattern(function: u8, subfunction: u8, packet: &[u8]) -> bool {
    match (function, subfunction) {
        (63 | 64, _) => true,
        (87, 3 | 20 | 40) => packet.get(SEARCHED_SPACE) == Some(&DOS),
        _ => false,
    }
}

/// Where the name space stands in which function 87 searches, and that of DOS.
const SEARCHED_SPACE: usize = 8;
const DOS: u8 = 0;

/// How names are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One name: a length byte and the text.
    Name,
    /// A count of one byte, then that number of [`Shape::Name`]s.
    Path,
    /// One name: a length of two bytes, little-endian, and the text.
    LongName,
    /// A count of one byte, then that number of [`Shape::LongName`]s.
    LongPath,
}

/// Where the first name stands, from the packet type.
pub(super) const fn place(function: u8, subfunction: u8) -> Option<(usize, Shape)> {
    use Shape::{LongPath, Name, Path};
    Some(match (function, subfunction) {
        (62, _) => (8, Name),
        (65 | 67 | 68 | 69 | 77, _) => (9, Name),
        (70 | 76 | 79, _) | (22, 5) => (10, Name),
        (3 | 64 | 84 | 105, _) | (22, 15) => (11, Name),
        (22, 0 | 10 | 11 | 18 | 19 | 22) => (12, Name),
        (63, _) => (13, Name),
        (87, 3) => (25, Name),
        (87, 20 | 40) => (27, Name),
        (87, 2) => (16, Path),
        (87, 4 | 8 | 9 | 12 | 22) => (18, Path),
        (87, 5 | 6 | 10 | 29) => (22, Path),
        (87, 28 | 35 | 36) => (26, Path),
        (87, 1 | 32) => (28, Path),
        (87, 30 | 33) => (32, Path),
        (89, 2) => (22, LongPath),
        (89, 4 | 8 | 12 | 22) => (24, LongPath),
        (89, 6) => (28, LongPath),
        (89, 35) => (32, LongPath),
        (89, 1 | 32) => (34, LongPath),
        (89, 30 | 33) => (38, LongPath),
        _ => return None,
    })
}

/// How names are written in a request, how many there are, and its bytes from the first on.
pub(super) fn components(
    function: u8,
    subfunction: u8,
    packet: &[u8],
) -> Option<(Shape, u8, &[u8])> {
    let (at, shape) = place(function, subfunction)?;
    let (count, first) = match shape {
        Shape::Name | Shape::LongName => (1, at),
        Shape::Path | Shape::LongPath => (*packet.get(at)?, at + 1),
    };
    // Of a rename, where the file goes is described before the names of either.
    let head = match (function, subfunction) {
        (87, 4) => 7,
        (89, 4) => 13,
        _ => 0,
    };
    Some((shape, count, packet.get(first + head..)?))
}

/// The first component, and the bytes behind it.
pub(super) fn component(shape: Shape, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = match shape {
        Shape::LongName | Shape::LongPath => (usize::from(le16(bytes, 0)?), bytes.get(2..)?),
        Shape::Name | Shape::Path => {
            let (length, rest) = bytes.split_first()?;
            (usize::from(*length), rest)
        }
    };
    rest.split_at_checked(length)
}

/// As many components as there are, as a person types them, where one of them has a wildcard.
pub(super) fn with_wildcards(
    (shape, count, mut rest): (Shape, u8, &[u8]),
    pattern: bool,
) -> Option<Vec<u8>> {
    if !pattern && !rest.contains(&ESCAPE) {
        return None;
    }
    let mut path = Vec::new();
    let mut has_some = false;
    for i in 0..count {
        let Some((name, behind)) = component(shape, rest) else {
            break;
        };
        if i > 0 {
            path.push(b'/');
        }
        let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
        let typed = typed(name, pattern);
        has_some |= matches!(typed, Cow::Owned(_));
        path.extend_from_slice(&typed);
        rest = behind;
    }
    has_some.then_some(path)
}

/// Names are in UTF-8 or in the server's code page, which no packet tells: what is neither
/// plain text nor valid UTF-8 is shown as bytes.
fn escape(name: &[u8], out: &mut dyn Write) -> fmt::Result {
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' | '\\' => write!(out, "\\{c}")?,
                ' '..='~' => out.write_char(c)?,
                c if c.is_alphanumeric() => out.write_char(c)?,
                c => write!(out, "{}", c.escape_default())?,
            }
        }
        for byte in chunk.invalid() {
            write!(out, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(function: u8, subfunction: u8, at: usize, tail: &[u8]) -> String {
        let mut bytes = vec![0; at];
        bytes.extend_from_slice(tail);
        let mut out = String::new();
        describe(function, subfunction, Input::whole(&bytes), &mut out).unwrap();
        out
    }

    #[test]
    fn one_name() {
        assert_eq!(line(76, 0, 10, b"\x07SYS:A.B"), " \"SYS:A.B\"");
        assert_eq!(line(76, 0, 10, b"\x08SYS:A.B"), "", "cut off");
        assert_eq!(line(66, 0, 10, b"\x07SYS:A.B"), "", "has none");
        assert_eq!(line(64, 0, 11, b"\x02\xffA"), " \"\\xffA\"");
    }

    #[test]
    fn paths_of_components() {
        assert_eq!(line(87, 6, 22, b"\x02\x03DIR\x01F"), " \"DIR/F\"");
        assert_eq!(
            line(87, 6, 22, b"\x02\x03DIR\x02F"),
            " \"DIR\"",
            "the rest cut off"
        );
        assert_eq!(line(87, 6, 22, b"\x00"), "");
        let rename = b"\x01\x01\x02\0\0\0\x01\x01\x03OLD\x03NEW";
        assert_eq!(line(87, 4, 18, rename), " \"OLD\"", "behind both places");
        let rename = b"\x01\x02\0\0\0\x01\x01\0\0\0\0\0\0\x01\x03\0OLD\x03\0NEW";
        assert_eq!(line(89, 4, 24, rename), " \"OLD\"");
        assert_eq!(
            line(89, 32, 34, b"\x02\x03\x00DIR\x02\x00\xc3\xa9"),
            " \"DIR/\u{e9}\""
        );
    }

    #[test]
    fn wildcards_as_they_are_typed() {
        let same = |name: &[u8], pattern| matches!(typed(name, pattern), Cow::Borrowed(_));
        assert!(same(b"A*.?", true) && same(b"", true) && same(b"\xaa\xae\xbf", false));
        let typed = |name: &[u8]| typed(name, true).into_owned();
        assert_eq!(typed(b"\xff*\xff.\xff?"), b"*.?");
        assert_eq!(typed(b"\xff\xaa\xff\xae\xff\xbf"), b"*.?");
        assert_eq!(typed(b"A\xaa\xaeT\xbf"), b"A*.T?");
        // What stands before anything else stands for itself.
        assert_eq!(typed(b"\xffA\xff\xff*\xff"), b"\xffA\xff*\xff");
        assert_eq!(line(64, 0, 11, b"\x03\xff*A"), " \"*A\"");
        let searched = |space: u8| {
            let mut bytes = vec![0; 25];
            bytes[8] = space;
            bytes.extend(b"\x01\xaa");
            let mut out = String::new();
            describe(87, 3, Input::whole(&bytes), &mut out).unwrap();
            out
        };
        assert_eq!(searched(0), " \"*\"");
        assert_eq!(searched(4), " \"\\xaa\"", "long names");
    }

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(
            line(76, 0, 10, b"\x05\x1b\n\"\\\x7f"),
            " \"\\u{1b}\\n\\\"\\\\\\u{7f}\""
        );
        let reversed = "\u{202e}".as_bytes();
        let mut tail = vec![3];
        tail.extend_from_slice(reversed);
        assert_eq!(line(76, 0, 10, &tail), " \"\\u{202e}\"");
    }
}
