//! Rows as RFC 4180 has them: nothing stands for null, lists are separated by blanks, and the parts
//! of a column are columns of their own (`frames.request`).

use super::{CellValue, RowColumn, RowTable, Text};
use crate::cells;
use crate::time::Rfc3339;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes the names of the columns, without a line end.
///
/// # Errors
/// What `out` says.
pub fn header<T: RowTable>(out: &mut impl Write) -> io::Result<()> {
    for (n, RowColumn { name, value, .. }) in T::COLUMNS.iter().enumerate() {
        let comma = if n > 0 { "," } else { "" };
        match value {
            CellValue::Bounds(_) => write!(out, "{comma}{name}.low,{name}.high")?,
            CellValue::Group(members) => {
                for (m, (member, _)) in members.iter().enumerate() {
                    let comma = if m > 0 { "," } else { comma };
                    write!(out, "{comma}{name}.{member}")?;
                }
            }
            _ => write!(out, "{comma}{name}")?,
        }
    }
    Ok(())
}

/// Writes a row without a line end; `scratch` is reused.
///
/// # Errors
/// What `out` says.
pub fn row<T: RowTable>(
    out: &mut impl Write,
    scratch: &mut Text,
    row: &T::Row<'_>,
) -> io::Result<()> {
    for (n, column) in T::COLUMNS.iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        cell::<T>(out, scratch, &column.value, row)?;
    }
    Ok(())
}

fn cell<T: RowTable>(
    out: &mut impl Write,
    scratch: &mut Text,
    value: &CellValue<T>,
    row: &T::Row<'_>,
) -> io::Result<()> {
    match value {
        CellValue::Text(write) | CellValue::Name(write) => {
            scratch.clear();
            write(row, scratch).map_err(io::Error::other)?;
            match (value, scratch.get()) {
                (_, None) => Ok(()),
                (CellValue::Name(_), Some(text)) => cells::text(out, text),
                (_, Some(text)) => cells::number(out, text),
            }
        }
        CellValue::Count(_, get) => some(out, get(row)),
        CellValue::Signed(get) => some(out, get(row)),
        CellValue::Real(get) => some(out, get(row)),
        CellValue::Boolean(get) => some(out, get(row)),
        CellValue::Time(get) => some(out, get(row).map(Rfc3339)),
        CellValue::Words(list) => {
            let mut words = Vec::new();
            list(row, &mut words);
            cells::number(out, &words.join(" "))
        }
        CellValue::Counts(list) => {
            let mut counts = Vec::new();
            list(row, &mut counts);
            blanks(out, &counts)
        }
        CellValue::Bounds(get) => {
            let bounds = get(row);
            some(out, bounds.map(|[low, _]| low))?;
            out.write_all(b",")?;
            some(out, bounds.map(|[_, high]| high))
        }
        CellValue::Group(members) => {
            for (n, (_, get)) in members.iter().enumerate() {
                let comma = if n > 0 { "," } else { "" };
                write!(out, "{comma}{}", get(row))?;
            }
            Ok(())
        }
    }
}

fn some(out: &mut impl Write, value: Option<impl Display>) -> io::Result<()> {
    value.map_or(Ok(()), |value| write!(out, "{value}"))
}

fn blanks(out: &mut impl Write, counts: &[u64]) -> io::Result<()> {
    for (n, count) in counts.iter().enumerate() {
        let blank = if n > 0 { " " } else { "" };
        write!(out, "{blank}{count}")?;
    }
    Ok(())
}
