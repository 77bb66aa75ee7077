//! Rows as RFC 4180 has them: nothing stands for null, lists are separated by blanks, and the parts
//! of a column are columns of their own (`frames.request`).

use super::{CellValue, RowColumn, RowTable, Text};
use crate::cells::CsvRow;
use crate::time::Rfc3339;
use std::io::{self, Write};

/// Writes rows of a table, with memory that serves one row after the other.
#[derive(Debug, Default)]
pub struct CsvRows {
    cells: CsvRow,
    scratch: Text,
}

impl CsvRows {
    /// Writes the names of the columns.
    ///
    /// # Errors
    /// What `out` says.
    pub fn header<T: RowTable>(&mut self, out: &mut impl Write) -> io::Result<()> {
        let cells = &mut self.cells;
        for RowColumn { name, value, .. } in T::COLUMNS {
            match value {
                CellValue::Bounds(_) => {
                    cells.value(format_args!("{name}.low"));
                    cells.value(format_args!("{name}.high"));
                }
                CellValue::Group(members) => {
                    for (member, _) in *members {
                        cells.value(format_args!("{name}.{member}"));
                    }
                }
                _ => cells.value(name),
            }
        }
        cells.end(out)
    }

    /// Writes a row.
    ///
    /// # Errors
    /// What `out` says.
    pub fn row<T: RowTable>(&mut self, out: &mut impl Write, row: &T::Row<'_>) -> io::Result<()> {
        for column in T::COLUMNS {
            self.column::<T>(&column.value, row)?;
        }
        self.cells.end(out)
    }

    fn column<T: RowTable>(&mut self, value: &CellValue<T>, row: &T::Row<'_>) -> io::Result<()> {
        let Self { cells, scratch } = self;
        match value {
            CellValue::Text(write) | CellValue::Name(write) => {
                scratch.clear();
                write(row, scratch).map_err(io::Error::other)?;
                match (value, scratch.get()) {
                    (CellValue::Name(_), Some(text)) => cells.text(text),
                    (_, text) => cells.optional(text),
                }
            }
            CellValue::Count(_, get) => cells.optional(get(row)),
            CellValue::Signed(get) => cells.optional(get(row)),
            CellValue::Real(get) => cells.optional(get(row)),
            CellValue::Boolean(get) => cells.optional(get(row)),
            CellValue::Time(get) => cells.optional(get(row).map(Rfc3339)),
            CellValue::Words(list) => {
                let mut words = Vec::new();
                list(row, &mut words);
                cells.value(words.join(" "));
            }
            CellValue::Counts(list) => {
                let mut counts = Vec::new();
                list(row, &mut counts);
                let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
                cells.value(counts.join(" "));
            }
            CellValue::Bounds(get) => {
                let bounds = get(row);
                cells.optional(bounds.map(|[low, _]| low));
                cells.optional(bounds.map(|[_, high]| high));
            }
            CellValue::Group(members) => {
                for (_, get) in *members {
                    cells.value(get(row));
                }
            }
        }
        Ok(())
    }
}
