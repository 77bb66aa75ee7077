//! Cells of CSV files: quoted as RFC 4180 defines, and harmless to a spreadsheet.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, tab or carriage return for a
//! formula and runs it. Text columns may hold anything a client chose to call a file, so such a
//! text gets an apostrophe in front, as OWASP advises (<https://owasp.org/www-community/attacks/CSV_Injection>).
//! Columns of numbers stay as they are: `-5` is a number.

use csv_core::{QuoteStyle, Terminator, Writer, WriterBuilder};
use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::io::{self, Write};

/// A row of a CSV file, cell by cell; its memory serves one row after the other.
#[derive(Debug)]
pub struct CsvRow {
    form: Writer,
    bytes: Vec<u8>,
    /// Where the row ends in them: behind it is room for more.
    end: usize,
    cell: String,
    /// Whether the row has a cell.
    begun: bool,
}

impl CsvRow {
    /// A row whose cells are quoted where a comma, a quotation mark or a line end is in them.
    #[must_use]
    pub fn new() -> Self {
        Self::with(QuoteStyle::Necessary)
    }

    /// A row whose cells are all quoted.
    #[must_use]
    pub(crate) fn quoting() -> Self {
        Self::with(QuoteStyle::Always)
    }

    fn with(style: QuoteStyle) -> Self {
        let mut form = WriterBuilder::new();
        form.terminator(Terminator::CRLF).quote_style(style);
        Self {
            form: form.build(),
            bytes: Vec::new(),
            end: 0,
            cell: String::new(),
            begun: false,
        }
    }

    /// Adds a number or one of the program's own words.
    pub fn value(&mut self, value: impl Display) {
        let mut text = std::mem::take(&mut self.cell);
        text.clear();
        // A string takes all that is written to it.
        let _ = write!(text, "{value}");
        self.cell(&text);
        self.cell = text;
    }

    /// Adds a number; the cell of none is empty.
    pub fn optional(&mut self, value: Option<impl Display>) {
        match value {
            Some(value) => self.value(value),
            None => self.cell(""),
        }
    }

    /// Adds a text, so that no spreadsheet runs it.
    pub fn text(&mut self, text: &str) {
        self.cell(&harmless(text));
    }

    /// Writes the row.
    ///
    /// # Errors
    /// What `out` says.
    pub fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        let room = room(&mut self.bytes, self.end, ROOM);
        let end = self.end.saturating_add(self.form.terminator(room).1);
        let written = out.write_all(self.bytes.get(..end).unwrap_or_default());
        (self.end, self.begun) = (0, false);
        written
    }

    fn cell(&mut self, text: &str) {
        // Each byte may be a quotation mark, which is doubled.
        let most = text.len().saturating_mul(2).saturating_add(ROOM);
        let mut room = room(&mut self.bytes, self.end, most);
        if self.begun {
            let (_, written) = self.form.delimiter(room);
            self.end = self.end.saturating_add(written);
            room = room.get_mut(written..).unwrap_or_default();
        }
        self.begun = true;
        let (_, _, written) = self.form.field(text.as_bytes(), room);
        self.end = self.end.saturating_add(written);
    }
}

/// Bytes that the end of one cell, and the quotation marks around the next, take at most.
const ROOM: usize = 6;

/// The bytes behind `end`, at least as many as asked for.
fn room(bytes: &mut Vec<u8>, end: usize, most: usize) -> &mut [u8] {
    let wanted = end.saturating_add(most);
    if bytes.len() < wanted {
        bytes.resize(wanted.saturating_mul(2), 0);
    }
    bytes.get_mut(end..).unwrap_or_default()
}

impl Default for CsvRow {
    fn default() -> Self {
        Self::new()
    }
}

/// The text with an apostrophe before everything a spreadsheet would take for the beginning of a
/// formula. A semicolon begins a cell where it separates lists (most of Europe), quoted or not.
fn harmless(text: &str) -> Cow<'_, str> {
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
    use proptest::collection;
    use proptest::prelude::*;

    fn written(fill: impl FnOnce(&mut CsvRow)) -> String {
        let (mut row, mut out) = (CsvRow::new(), Vec::new());
        fill(&mut row);
        row.end(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn no_text_is_a_formula() {
        for (text, cell) in [
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
            assert_eq!(written(|row| row.text(text)), format!("{cell}\r\n"));
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
        assert_eq!(
            written(|row| ["-5", "-0.25", "1e-7"]
                .iter()
                .for_each(|value| row.value(value))),
            "-5,-0.25,1e-7\r\n"
        );
    }

    /// RFC 4180, section 2: rules 5 to 7.
    #[test]
    fn separators_and_quotes_are_quoted() {
        let cells = ["SAY \"HI\", TWICE", "a\nb", "\r", "a;b", "", "\"\""];
        assert_eq!(
            written(|row| cells.iter().for_each(|cell| row.value(cell))),
            "\"SAY \"\"HI\"\", TWICE\",\"a\nb\",\"\r\",a;b,,\"\"\"\"\"\"\r\n"
        );
    }

    /// An empty line would be no row.
    #[test]
    fn a_row_of_one_empty_cell_is_a_row() {
        assert_eq!(written(|row| row.value("")), "\"\"\r\n");
    }

    proptest! {
        /// What the crate `csv` reads from a file is what was written to it, whatever it was.
        #[test]
        fn cells_survive(rows in collection::vec(collection::vec(".*", 3), 0..5), all in any::<bool>()) {
            let mut out = Vec::new();
            let mut row = if all { CsvRow::quoting() } else { CsvRow::new() };
            // A reader takes U+FEFF at the beginning of a file for a mark; every file has a header.
            for cells in [vec!["a".to_owned(); 3]].iter().chain(&rows) {
                cells.iter().for_each(|cell| row.value(cell));
                row.end(&mut out).unwrap();
            }
            let mut read = csv::Reader::from_reader(&out[..]);
            let read: Vec<Vec<String>> = read.deserialize().map(Result::unwrap).collect();
            prop_assert_eq!(read, rows);
        }
    }
}
