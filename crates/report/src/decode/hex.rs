//! Bytes, sixteen to a line, in hexadecimal and as ASCII.

use crate::text::Look;
use anstyle::Style;
use std::fmt::{self, Write};
use std::ops::Range;

/// In front of each line.
pub(super) const INDENT: &str = "        ";

/// Writes the bytes. Those in `marked` stand between brackets, or inverted where the look
/// has colour.
pub(super) fn hex(
    text: &mut String,
    bytes: &[u8],
    marked: &[Range<u32>],
    look: Look,
) -> fmt::Result {
    let style = Style::new().invert();
    let is_marked = |at: usize| {
        marked
            .iter()
            .any(|range| (range.start as usize..range.end as usize).contains(&at))
    };
    for (n, line) in bytes.chunks(16).enumerate() {
        let start = n * 16;
        write!(text, "{INDENT}{start:04x} ")?;
        for (i, byte) in line.iter().enumerate() {
            let (here, before) = (is_marked(start + i), i > 0 && is_marked(start + i - 1));
            let gap = if i == 8 { " " } else { "" };
            match (before, here) {
                (_, true) if look.colour => write!(text, "{gap} {style}{byte:02x}{style:#}")?,
                (false, true) => write!(text, "{gap}[{byte:02x}")?,
                (true, false) if !look.colour => write!(text, "]{gap}{byte:02x}")?,
                _ => write!(text, "{gap} {byte:02x}")?,
            }
        }
        let last_is_marked = is_marked(start + line.len() - 1);
        text.push(if last_is_marked && !look.colour {
            ']'
        } else {
            ' '
        });
        let used = line.len() * 3 + usize::from(line.len() > 8);
        write!(text, "{:fill$}", "", fill = 50 - used)?;
        for (i, byte) in line.iter().enumerate() {
            let shown = if byte.is_ascii_graphic() || *byte == b' ' {
                char::from(*byte)
            } else {
                '.'
            };
            if look.colour && is_marked(start + i) {
                write!(text, "{style}{shown}{style:#}")?;
            } else {
                text.push(shown);
            }
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8], marked: &[Range<u32>], colour: bool) -> String {
        let mut text = String::new();
        let look = Look {
            colour,
            ..Look::plain(80)
        };
        hex(&mut text, bytes, marked, look).unwrap();
        text
    }

    #[test]
    fn brackets_stand_around_what_is_marked() {
        let bytes: Vec<u8> = (0x40..0x56).collect();
        assert_eq!(
            shown(&bytes, &[0..1, 7..9, 14..18, 21..22], false),
            "        0000 [40]41 42 43 44 45 46[47  48]49 4a 4b 4c 4d[4e 4f] @ABCDEFGHIJKLMNO
        0010 [50 51]52 53 54[55]                                PQRSTU
"
        );
    }

    #[test]
    fn colour_needs_no_brackets() {
        let last = 1..2;
        let text = shown(b"ab", std::slice::from_ref(&last), true);
        assert!(text.contains(" 61 \x1b[7m62\x1b[0m "), "{text:?}");
        assert!(text.ends_with("a\x1b[7mb\x1b[0m\n"), "{text:?}");
    }

    #[test]
    fn a_whole_line_is_as_wide_as_a_short_one() {
        let text = shown(&[0x41; 20], &[], false);
        let columns: Vec<_> = text
            .lines()
            .map(|line| line.find("AAAA").unwrap())
            .collect();
        assert_eq!(columns[0], columns[1]);
    }
}
