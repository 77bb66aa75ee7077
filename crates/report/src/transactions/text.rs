//! One aligned line per transaction.
//!
//! Rows are written before the next ones are known, so columns have fixed widths; a cell
//! that is wider pushes the rest of its line to the right and loses nothing.

use super::columns::{ended, named};
use crate::figures::{Command, Grouped, range};
use crate::time::{Digits, Rfc3339};
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use wirewait_analysis::{Transaction, Turnaround};

/// Width and title of each column. A negative width aligns to the right.
const COLUMNS: &[(isize, &str)] = &[
    (-6, "#"),
    (30, "time"),
    (-8, "request"),
    (-8, "response"),
    (26, "client"),
    (26, "server"),
    (6, "proto"),
    (24, "command"),
    (15, "outcome"),
    (-12, "turnaround"),
    (-12, "response time"),
    (-10, "data bytes"),
    (0, "status, flags, file"),
];

pub(super) fn header(out: &mut impl Write) -> io::Result<()> {
    let mut line = TextLine::default();
    for (_, title) in COLUMNS {
        line.cell(title);
    }
    line.end(out)
}

pub(super) fn row(
    out: &mut impl Write,
    scratch: &mut String,
    t: &Transaction,
    digits: Digits,
) -> io::Result<()> {
    let mut line = TextLine {
        text: std::mem::take(scratch),
        ..TextLine::default()
    };
    line.text.clear();
    cells(&mut line, t, digits).map_err(io::Error::other)?;
    let result = line.end(out);
    *scratch = line.text;
    result
}

fn cells(line: &mut TextLine, t: &Transaction, digits: Digits) -> fmt::Result {
    line.show(format_args!("{}", t.number))?;
    line.some(t.request.map(|r| Rfc3339(r.first.at)))?;
    line.some(t.request.map(|r| r.first.frame))?;
    line.some(t.response.map(|r| r.last.frame))?;
    line.show(format_args!("{}", t.client))?;
    line.show(format_args!("{}", t.server))?;
    line.cell(t.protocol);
    line.show(format_args!(
        "{}",
        Command {
            name: t.operation.name,
            code: t.code
        }
    ))?;
    line.cell(t.outcome.name());
    match t.turnaround {
        Turnaround::None => line.cell("-"),
        Turnaround::Exact(ns) => line.cell(&digits.time(ns)),
        Turnaround::Between(low, high) => {
            line.cell(&range(&digits.time(low), &digits.time(high)));
        }
    }
    line.some(t.response_time_ns().map(|ns| digits.time(ns)))?;
    line.show(format_args!("{}", Grouped(t.data_bytes)))?;
    line.some(ended(t))?;
    for operation in t.chain.iter() {
        write!(line.text, " +{}", operation.name)?;
    }
    // Where it was asked twice it matters whether it was done twice.
    if t.copies > 1 && !t.idempotent() {
        line.text.push_str(" idempotent: no");
    }
    for flag in t.flags.names() {
        write!(line.text, " [{flag}]")?;
    }
    if let Some(path) = named(t, |place| &place.path) {
        write!(line.text, " {path}")?;
    }
    Ok(())
}

/// A line under way. Cells are written in place and then moved to their column.
#[derive(Default)]
struct TextLine {
    text: String,
    column: usize,
}

impl TextLine {
    fn cell(&mut self, text: &str) {
        let start = self.open();
        self.text.push_str(text);
        self.close(start);
    }

    fn show(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        let start = self.open();
        self.text.write_fmt(text)?;
        self.close(start);
        Ok(())
    }

    fn some<T: fmt::Display>(&mut self, value: Option<T>) -> fmt::Result {
        match value {
            Some(value) => self.show(format_args!("{value}")),
            None => {
                self.cell("-");
                Ok(())
            }
        }
    }

    fn open(&mut self) -> usize {
        if self.column > 0 {
            self.text.push_str("  ");
        }
        self.text.len()
    }

    fn close(&mut self, start: usize) {
        let (width, title) = COLUMNS.get(self.column).copied().unwrap_or((0, ""));
        let wanted = width
            .unsigned_abs()
            .max(if width == 0 { 0 } else { title.len() });
        let written = self.text.get(start..).map_or(0, crate::table::width);
        for _ in written..wanted {
            if width < 0 {
                self.text.insert(start, ' ');
            } else {
                self.text.push(' ');
            }
        }
        self.column += 1;
    }

    fn end(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.text.truncate(self.text.trim_end().len());
        writeln!(out, "{}", self.text)
    }
}

#[cfg(test)]
mod tests {
    use crate::transactions::{Format, written};
    use crate::{golden, samples};

    #[test]
    fn all_rows() {
        golden::check("transactions.txt", &written(Format::Text, &samples::all()));
    }
}
