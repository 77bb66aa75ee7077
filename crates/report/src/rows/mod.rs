//! Tables of rows: their columns are defined once, for NDJSON, CSV, columnar files and the schema.
//!
//! A [`RowTable`] lists its [`RowColumn`]s; a column has a name, a description, and a function that finds
//! its value in a row. [`csv`] and [`json`] write rows as text; Parquet and Arrow files are made by
//! `wirewait-rows` from the same columns.

pub mod csv;
pub mod json;

use std::fmt::{self, Write as _};
use wirewait_wire::Timestamp;

/// A type of rows, with its columns.
pub trait RowTable: fmt::Debug + 'static {
    /// What a row is made from.
    type Row<'a>;
    /// Name and version of the columns. New columns do not change it.
    const SCHEMA: &'static str;
    /// The columns, in order.
    const COLUMNS: &'static [RowColumn<Self>];
}

/// A column of a table.
pub struct RowColumn<T: RowTable + ?Sized> {
    /// Its name.
    pub name: &'static str,
    /// What it holds, in one sentence.
    pub about: &'static str,
    /// Whether a row may have no value in it.
    pub nullable: bool,
    /// Type and value.
    pub value: CellValue<T>,
}

/// The type of a column, and the function that finds its value in a row.
pub enum CellValue<T: RowTable + ?Sized> {
    /// A number, or a word of the program's own, as text.
    Text(Write<T>),
    /// What somebody chose to call something, harmless to a terminal.
    Name(Write<T>),
    /// A number without a sign.
    Count(Width, Get<T, u64>),
    /// A number with a sign.
    Signed(Get<T, i64>),
    /// A number with a fraction.
    Real(Get<T, f64>),
    /// Yes or no.
    Boolean(Get<T, bool>),
    /// A point in time.
    Time(Get<T, Timestamp>),
    /// Words of the program's own.
    Words(List<T, &'static str>),
    /// Numbers without a sign.
    Counts(List<T, u64>),
    /// A lower and an upper bound.
    Bounds(Get<T, [i64; 2]>),
    /// Numbers with names of their own.
    Group(&'static [Member<T>]),
}

/// Finds a value that may be missing.
pub type Get<T, V> = fn(&<T as RowTable>::Row<'_>) -> Option<V>;

/// Writes a text; what writes nothing is null.
pub type Write<T> = fn(&<T as RowTable>::Row<'_>, &mut Text) -> fmt::Result;

/// Appends values.
pub type List<T, V> = fn(&<T as RowTable>::Row<'_>, &mut Vec<V>);

/// A number with a name, within a column.
pub type Member<T> = (&'static str, fn(&<T as RowTable>::Row<'_>) -> u32);

/// How many bits a number without a sign has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    Bits8,
    /// 16 bits.
    Bits16,
    /// 32 bits.
    Bits32,
    /// 64 bits, far from being used up: frames, bytes, numbers in a row.
    Large,
    /// All 64 bits, as a protocol sends them.
    Bits64,
}

impl<T: RowTable> RowColumn<T> {
    /// This column, where a row may have no value.
    #[must_use]
    pub(crate) const fn or_null(self) -> Self {
        Self {
            nullable: true,
            ..self
        }
    }

    pub(crate) const fn new(name: &'static str, about: &'static str, value: CellValue<T>) -> Self {
        Self {
            name,
            about,
            nullable: false,
            value,
        }
    }
}

impl<T: RowTable + ?Sized> fmt::Debug for RowColumn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Column").field(&self.name).finish()
    }
}

/// A text under way: null until something is written, even if that is empty.
#[derive(Debug, Default)]
pub struct Text {
    text: String,
    written: bool,
}

impl Text {
    /// Begins anew.
    pub fn clear(&mut self) {
        self.text.clear();
        self.written = false;
    }

    /// What was written, if anything was.
    #[must_use]
    pub fn get(&self) -> Option<&str> {
        self.written.then_some(self.text.as_str())
    }

    pub(crate) fn show(&mut self, value: impl fmt::Display) -> fmt::Result {
        self.written = true;
        write!(self.text, "{value}")
    }

    pub(crate) fn word(&mut self, word: &str) -> fmt::Result {
        self.written = true;
        self.text.push_str(word);
        Ok(())
    }

    pub(crate) fn some(&mut self, value: Option<impl fmt::Display>) -> fmt::Result {
        value.map_or(Ok(()), |value| self.show(value))
    }
}
