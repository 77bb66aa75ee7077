//! A table as a file: one row in a line, cells between commas or tabs, `#` before comments.
//!
//! ```text
//! # layer, message, field, offset, bits, endian, values, confidence, source
//! last, any, length, 0, 16, le, length, capture-confirmed, four frames
//! last, request, slot, ?, ?, ?, -, exists-only, EP 0358293, abstract
//! ```

use super::{Confidence, Form, Layout, LayoutRow, Listed, Values};
use std::fmt;

/// Bytes of a file.
const FILE: usize = 64 << 10;
/// Rows of a table.
const ROWS: usize = 512;
/// Characters of a cell.
const CELL: usize = 300;
/// No frame of any link reaches so far.
const FURTHEST: u32 = 65535;

const COLUMNS: [&str; 9] = [
    "layer",
    "message",
    "field",
    "offset",
    "bits",
    "endian",
    "values",
    "confidence",
    "source",
];

/// What is wrong with a table file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    /// The file, by the name it was parsed under.
    pub file: String,
    /// Line, counted from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// Column, counted from 1 in characters; 0 likewise.
    pub column: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
        } = self;
        match line {
            0 => write!(f, "{file}: {message}"),
            _ => write!(f, "{file}:{line}:{column}: {message}"),
        }
    }
}

impl std::error::Error for LayoutError {}

/// What is wrong in a line: from which character on, and what.
type ParseFault = (usize, String);

impl Layout {
    /// Reads a table. `file` is what errors call it.
    ///
    /// # Errors
    /// The first mistake.
    pub fn parse(file: &str, text: &str) -> Result<Self, LayoutError> {
        let error = |line: usize, (column, message): ParseFault| LayoutError {
            file: file.to_owned(),
            line,
            column,
            message,
        };
        if text.len() > FILE {
            let message = format!("{} bytes; a table has at most {FILE}", text.len());
            return Err(error(0, (0, message)));
        }
        let mut rows: Vec<LayoutRow> = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            let content = content.trim_end();
            if content.trim_start().is_empty() || content.trim_start().starts_with('#') {
                continue;
            }
            let cells = Cells::new(content);
            let row = row(&cells, line).map_err(|fault| error(line, fault))?;
            agrees(&cells, &row, &rows).map_err(|fault| error(line, fault))?;
            if rows.len() == ROWS {
                let message = format!("more than {ROWS} rows");
                return Err(error(line, (1, message)));
            }
            rows.push(row);
        }
        if rows.is_empty() {
            return Err(error(0, (0, "there is no row in it".to_owned())));
        }
        Ok(Self { rows })
    }
}

/// The cells of a line, each with the character at which it begins.
struct Cells<'a>(Vec<(usize, &'a str)>);

impl<'a> Cells<'a> {
    fn new(line: &'a str) -> Self {
        let separator = if line.contains('\t') { '\t' } else { ',' };
        let mut column = 1;
        // The last cell takes the rest of the line: sources have commas.
        let cells = line.splitn(COLUMNS.len(), separator).map(|cell| {
            let before = cell.len() - cell.trim_start().len();
            let start = column + cell[..before].chars().count();
            column += cell.chars().count() + 1;
            (start, cell.trim())
        });
        Self(cells.collect())
    }

    fn get(&self, n: usize) -> Result<(usize, &'a str), ParseFault> {
        self.0.get(n).copied().ok_or_else(|| {
            let end = self
                .0
                .last()
                .map_or(1, |(at, cell)| at + cell.chars().count());
            let all = COLUMNS.join(", ");
            (end, format!("no {} here; a row has {all}", COLUMNS[n]))
        })
    }

    fn fault(&self, n: usize, message: impl Into<String>) -> ParseFault {
        let column = self.0.get(n).map_or(1, |(at, _)| *at);
        (column, format!("{}: {}", COLUMNS[n], message.into()))
    }

    fn words(&self, n: usize) -> Result<String, ParseFault> {
        let (_, cell) = self.get(n)?;
        if cell.is_empty() {
            return Err(self.fault(n, "is empty"));
        }
        if cell.chars().count() > CELL {
            return Err(self.fault(n, format!("more than {CELL} characters")));
        }
        if cell.chars().any(char::is_control) {
            return Err(self.fault(n, "has control characters"));
        }
        Ok(cell.to_owned())
    }

    /// A number, or `None` for a question mark.
    fn count(&self, n: usize, most: u32) -> Result<Option<u32>, ParseFault> {
        let (_, cell) = self.get(n)?;
        if cell == "?" {
            return Ok(None);
        }
        cell.parse::<u32>()
            .ok()
            .filter(|number| *number <= most)
            .map(Some)
            .ok_or_else(|| {
                let wanted = format!("`{cell}`: expected a number up to {most}, or ?");
                self.fault(n, wanted)
            })
    }
}

fn row(cells: &Cells<'_>, line: usize) -> Result<LayoutRow, ParseFault> {
    let layer = cells.words(0)?;
    let message = match cells.words(1)? {
        all if all == "*" => LayoutRow::ANY.to_owned(),
        one => one,
    };
    let field = cells.words(2)?;
    let offset = cells.count(3, FURTHEST)?;
    let bits = cells.count(4, FURTHEST * 8)?;
    if bits.is_some_and(|bits| bits == 0 || !bits.is_multiple_of(8)) {
        return Err(cells.fault(4, "fields have whole bytes: 8, 16, 24 and so on"));
    }
    if let (Some(offset), Some(bits)) = (offset, bits)
        && offset + bits / 8 > FURTHEST
    {
        return Err(cells.fault(4, format!("the field ends behind byte {FURTHEST}")));
    }
    let form = form(cells, bits)?;
    let values = values(cells, form, bits)?;
    let confidence = cells.words(7)?;
    let confidence = Confidence::ALL
        .into_iter()
        .find(|c| c.name() == confidence)
        .ok_or_else(|| {
            let all = Confidence::ALL.map(Confidence::name).join(", ");
            cells.fault(7, format!("`{confidence}`: expected one of {all}"))
        })?;
    if confidence == Confidence::ExistsOnly && offset.is_some() {
        let message = "exists-only, but the row says where it is; write ? for the offset, or \
                       assumed";
        return Err(cells.fault(7, message));
    }
    Ok(LayoutRow {
        layer,
        message,
        field,
        offset,
        bits,
        form,
        values,
        confidence,
        source: cells.words(8)?,
        line,
    })
}

fn form(cells: &Cells<'_>, bits: Option<u32>) -> Result<Option<Form>, ParseFault> {
    let (_, cell) = cells.get(5)?;
    if cell == "?" {
        return Ok(None);
    }
    // One byte has no order.
    if cell == "-" && bits == Some(8) {
        return Ok(Some(Form::Le));
    }
    let form = Form::ALL
        .into_iter()
        .find(|form| form.name() == cell)
        .ok_or_else(|| {
            let message = format!("`{cell}`: expected le, be, text, bytes or ?");
            cells.fault(5, message)
        })?;
    let long = bits.is_some_and(|bits| bits > 64);
    if long && matches!(form, Form::Le | Form::Be) {
        let message = "numbers have at most 64 bits; write text or bytes for a longer field";
        return Err(cells.fault(5, message));
    }
    Ok(Some(form))
}

fn values(cells: &Cells<'_>, form: Option<Form>, bits: Option<u32>) -> Result<Values, ParseFault> {
    let (_, cell) = cells.get(6)?;
    if matches!(cell, "-" | "*" | "?" | "") {
        return Ok(Values::Any);
    }
    if matches!(form, Some(Form::Text | Form::Bytes)) {
        return Err(cells.fault(6, "only numbers have values; write - here"));
    }
    if cell == "length" {
        return Ok(Values::Length);
    }
    let highest = match bits {
        Some(bits) if bits < 64 => (1u64 << bits) - 1,
        _ => u64::MAX,
    };
    let value =
        |text: &str| {
            number(text.trim()).filter(|n| *n <= highest).ok_or_else(|| {
            let message = format!(
                "`{}`: expected a number that the field can hold (6, 0x06), a range (1..9), \
                 several (1|2=two), length, or -",
                text.trim()
            );
            cells.fault(6, message)
        })
        };
    cells.words(6)?;
    let listed = cell
        .split('|')
        .map(|one| {
            let (range, means) = one.split_once('=').unwrap_or((one, ""));
            let (from, to) = range.split_once("..").unwrap_or((range, range));
            let (from, to) = (value(from)?, value(to)?);
            if from > to {
                let message = format!("`{}`: the first is higher than the last", range.trim());
                return Err(cells.fault(6, message));
            }
            Ok(Listed {
                from,
                to,
                means: means.trim().to_owned(),
            })
        })
        .collect::<Result<Vec<_>, ParseFault>>()?;
    Ok(Values::Listed(listed))
}

/// Decimal, hexadecimal behind `0x`, or bytes as they are written without it (`09002B04`).
fn number(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return digits_of(digits, 16);
    }
    digits_of(text, 10).or_else(|| {
        let bytes = text.len() >= 4 && text.len().is_multiple_of(2);
        bytes.then(|| digits_of(text, 16)).flatten()
    })
}

/// Without the sign that the library allows.
fn digits_of(text: &str, radix: u32) -> Option<u64> {
    let digits = text.bytes().all(|b| b.is_ascii_hexdigit());
    digits.then(|| u64::from_str_radix(text, radix).ok())?
}

/// Whether a row can stand beside those before it.
fn agrees(cells: &Cells<'_>, row: &LayoutRow, rows: &[LayoutRow]) -> Result<(), ParseFault> {
    for other in rows {
        let line = other.line;
        if other.layer == row.layer && other.message == row.message && other.field == row.field {
            let message = format!("the same field of the same message is in line {line}");
            return Err(cells.fault(2, message));
        }
        let meet = other.message == row.message || other.is_for_any() || row.is_for_any();
        let of_frame = (other.layer == "eth") != (row.layer == "eth");
        if let (true, false, Some((from, to, _)), Some((other_from, other_to, _))) =
            (meet, of_frame, row.place(), other.place())
            && from < other_to
            && other_from < to
        {
            let message = format!(
                "bytes {from} to {} are taken: line {line} has {} at {other_from} to {}",
                to - 1,
                other.field,
                other_to - 1
            );
            return Err(cells.fault(3, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Layout::parse("t", text).unwrap_err().to_string()
    }

    #[test]
    fn rows_as_people_write_them() {
        let text = "# a comment\n\
                    \n\
                    eth,  *,       ethertype,     12, 16, be, 0x8041, verified, HP \"X\", and Y\n\
                    eth,  solicit, dst_prefix,     0, 32, be, 09002B04, verified, same\n\
                    last, request, txn_slot,       ?,  ?,  ?, -, exists-only, EP0358293\n\
                    last\tany\ttype\t2\t8\t-\t3\tassumed\tme\n";
        let layout = Layout::parse("t", text).unwrap();
        let rows = layout.rows();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0].message, "any");
        assert_eq!(rows[0].source, "HP \"X\", and Y");
        assert!(matches!(&rows[1].values,
            Values::Listed(listed) if listed[0].from == 0x0900_2b04));
        assert_eq!(rows[2].place(), None);
        assert_eq!(rows[3].place(), Some((2, 3, Form::Le)));
    }

    #[test]
    fn nonsense_is_named_with_its_place() {
        for (text, says) in [
            ("", "t: there is no row in it"),
            (
                "last, any",
                "t:1:10: no field here; a row has layer, message",
            ),
            (
                "\nlast, any, x, y, 8, le, -, assumed, s",
                "t:2:15: offset: `y`: expected a number",
            ),
            (
                "last, any, x, 99999, 8, le, -, assumed, s",
                "t:1:15: offset: `99999`",
            ),
            (
                "last, any, x, 1, 7, le, -, assumed, s",
                "t:1:18: bits: fields have whole bytes",
            ),
            (
                "last, any, x, 1, 0, le, -, assumed, s",
                "t:1:18: bits: fields have whole bytes",
            ),
            (
                "last, any, x, 65535, 8, le, -, assumed, s",
                "t:1:22: bits: the field ends behind",
            ),
            (
                "last, any, x, 1, 8, xe, -, assumed, s",
                "t:1:21: endian: `xe`: expected le, be",
            ),
            (
                "last, any, x, 1, 72, le, -, assumed, s",
                "t:1:22: endian: numbers have at most",
            ),
            (
                "last, any, x, 1, 8, le, 300, assumed, s",
                "t:1:25: values: `300`: expected a number",
            ),
            (
                "last, any, x, 1, 8, le, 9..1, assumed, s",
                "t:1:25: values: `9..1`: the first",
            ),
            (
                "last, any, x, 1, 8, le, -1, assumed, s",
                "t:1:25: values: `-1`",
            ),
            (
                "last, any, x, 1, 8, le, +1, assumed, s",
                "t:1:25: values: `+1`",
            ),
            (
                "last, any, x, 1, 8, text, 1, assumed, s",
                "t:1:27: values: only numbers",
            ),
            (
                "last, any, x, 1, 8, le, -, sure, s",
                "t:1:28: confidence: `sure`: expected one of",
            ),
            (
                "last, any, x, 1, 8, le, -, exists-only, s",
                "t:1:28: confidence: exists-only, but",
            ),
            (
                "last, any, x, 1, 8, le, -, assumed,",
                "t:1:36: source: is empty",
            ),
            (
                ", any, x, 1, 8, le, -, assumed, s",
                "t:1:1: layer: is empty",
            ),
            (
                "last, any, a\u{7}b, 1, 8, le, -, assumed, s",
                "t:1:12: field: has control",
            ),
        ] {
            let found = fault(text);
            assert!(found.starts_with(says), "{text}\n{found}");
        }
    }

    #[test]
    fn rows_that_contradict_each_other() {
        let row = |message: &str, field: &str, offset: u32, bits: u32| {
            format!("last, {message}, {field}, {offset}, {bits}, le, -, assumed, s\n")
        };
        let twice = row("a", "x", 1, 8) + &row("a", "x", 2, 8);
        assert!(fault(&twice).starts_with("t:2:10: field: the same field of the same message"));
        let over = row("any", "x", 4, 32) + &row("a", "y", 7, 8);
        assert_eq!(
            fault(&over),
            "t:2:13: offset: bytes 7 to 7 are taken: line 1 has x at 4 to 7"
        );
        let apart = row("a", "x", 4, 32) + &row("b", "y", 7, 8);
        assert!(Layout::parse("t", &apart).is_ok(), "different messages");
        let eth = format!("eth{}", &row("any", "y", 4, 8)[4..]);
        assert!(Layout::parse("t", &(row("any", "x", 4, 8) + &eth)).is_ok());
    }

    #[test]
    fn sizes_are_bounded() {
        let many: String = (0..=ROWS)
            .map(|n| format!("last, any, f{n}, {n}, 8, le, -, assumed, s\n"))
            .collect();
        assert!(fault(&many).starts_with("t:513:1: more than 512 rows"));
        let long = "#".repeat(FILE + 1);
        assert!(fault(&long).starts_with("t: 65537 bytes"));
        let cell = format!(
            "last, any, {}, 1, 8, le, -, assumed, s",
            "x".repeat(CELL + 1)
        );
        assert!(fault(&cell).starts_with("t:1:12: field: more than 300"));
    }
}
