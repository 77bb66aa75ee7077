//! One row per transaction, written as it closes: nothing is gathered, so that a capture
//! of any length needs no memory for its rows.

mod columns;
#[cfg(test)]
mod csv;
mod ndjson;
mod text;

pub use columns::{ColumnEntry, StatusName, Transactions, ended};
pub(crate) use columns::{bounds, station};
pub(crate) use ndjson::Row;

use crate::rows::csv::CsvRows;
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::Transaction;

/// The shape of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    Ndjson,
    /// RFC 4180 with a header line, the fields of an object flattened to `outer.inner`.
    Csv,
    /// Aligned columns for people.
    Text,
}

/// The file that holds the first frame of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameOrigin<'a> {
    /// Name of the file, as the user named it.
    pub file: &'a str,
    /// Number of the frame in that file, counted from 1.
    pub frame: u64,
}

/// Writes rows of one format.
#[derive(Debug)]
pub struct Writer {
    format: Format,
    /// How many digits durations have in text.
    digits: Digits,
    /// Reused from row to row.
    csv: CsvRows,
    line: String,
}

impl Writer {
    /// A writer of rows of this format.
    #[must_use]
    pub fn new(format: Format) -> Self {
        Self {
            format,
            digits: Digits::default(),
            csv: CsvRows::default(),
            line: String::new(),
        }
    }

    /// With durations of as many digits; rows for programs always have all.
    #[must_use]
    pub fn with(self, digits: Digits) -> Self {
        Self { digits, ..self }
    }

    /// Writes what stands above the rows.
    ///
    /// # Errors
    /// What `out` says.
    pub fn begin(&mut self, out: &mut impl Write) -> io::Result<()> {
        match self.format {
            Format::Ndjson => Ok(()),
            Format::Csv => self.csv.header::<Transactions>(out),
            Format::Text => text::header(out),
        }
    }

    /// Writes one row; `origin` is where its first frame is, as far as that is known.
    ///
    /// # Errors
    /// What `out` says.
    pub fn row(
        &mut self,
        out: &mut impl Write,
        transaction: &Transaction,
        origin: Option<FrameOrigin<'_>>,
    ) -> io::Result<()> {
        let entry = ColumnEntry {
            transaction,
            origin,
        };
        match self.format {
            Format::Ndjson => ndjson::row(out, entry),
            Format::Csv => self.csv.row::<Transactions>(out, &entry),
            Format::Text => text::row(out, &mut self.line, transaction, self.digits),
        }
    }
}

#[cfg(test)]
pub(crate) fn written(format: Format, rows: &[Transaction]) -> String {
    let mut out = Vec::new();
    let mut writer = Writer::new(format);
    writer.begin(&mut out).unwrap();
    for row in rows {
        let origin = FrameOrigin {
            file: "a.pcap",
            frame: 17,
        };
        writer.row(&mut out, row, Some(origin)).unwrap();
    }
    String::from_utf8(out).unwrap()
}
