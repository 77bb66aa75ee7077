//! Cells of CSV files: quoted as RFC 4180 defines, and harmless to a spreadsheet.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, tab or carriage return for a
//! formula and runs it. Text columns may hold anything a client chose to call a file, so such a
//! text gets an apostrophe in front, as OWASP advises (<https://owasp.org/www-community/attacks/CSV_Injection>).
//! Columns of numbers stay as they are: `-5` is a number.

use std::borrow::Cow;
use std::io::{self, Write};

/// Writes a number or one of the program's own words.
pub(crate) fn number(out: &mut impl Write, text: &str) -> io::Result<()> {
    out.write_all(quoted(text).as_bytes())
}

/// Writes a text, so that no spreadsheet runs it.
pub(crate) fn text(out: &mut impl Write, text: &str) -> io::Result<()> {
    number(out, &harmless(text))
}

/// The text with an apostrophe before everything a spreadsheet would take for the beginning of a
/// formula. A semicolon begins a cell where it separates lists (most of Europe), quoted or not.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.split(';').any(is_formula) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 2);
    for (n, part) in text.split(';').enumerate() {
        if n > 0 {
            out.push(';');
        }
        if is_formula(part) {
            out.push('\'');
        }
        out.push_str(part);
    }
    Cow::Owned(out)
}

/// The text between quotation marks, if it has a comma, a quotation mark or a line end in it.
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a spreadsheet would run it. Blanks and quotation marks in front do not stop some of
/// them; the full-width signs are those of East Asian keyboards.
fn is_formula(text: &str) -> bool {
    if text.starts_with(['\t', '\r']) {
        return true;
    }
    text.trim_start_matches(|c: char| c.is_whitespace() || c == '"')
        .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula() {
        for (text, written) in [
            ("=HYPERLINK(0)", "'=HYPERLINK(0)"),
            ("+1", "'+1"),
            ("-5", "'-5"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            (" =1", "' =1"),
            ("\"=1", "\"'\"\"=1\""),
            ("＝1", "'＝1"),
            ("a;=1", "a;'=1"),
            ("=1;b", "'=1;b"),
            ("=a,b", "\"'=a,b\""),
        ] {
            let mut out = Vec::new();
            super::text(&mut out, text).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), written);
        }
    }

    #[test]
    fn other_text_and_numbers_stay_as_they_are() {
        for same in [
            "",
            "README.TXT",
            "a=b",
            "a-b",
            r"\\FS1\DATA",
            "'x",
            "a;b",
            "%",
            "|",
        ] {
            assert_eq!(harmless(same), same);
        }
        for value in ["-5", "-0.25", "1e-7"] {
            let mut out = Vec::new();
            number(&mut out, value).unwrap();
            assert_eq!(out, value.as_bytes());
        }
    }

    #[test]
    fn separators_and_quotes_are_quoted() {
        assert_eq!(quoted("SAY \"HI\", TWICE"), "\"SAY \"\"HI\"\", TWICE\"");
        assert_eq!(quoted("a\nb"), "\"a\nb\"");
        assert_eq!(quoted("a;b"), "a;b");
    }
}
