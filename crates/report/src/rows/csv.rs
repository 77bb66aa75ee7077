//! Rows as RFC 4180 has them: nothing stands for null, lists are separated by blanks, and the parts
//! of a column are columns of their own (`frames.request`).

use super::{Column, Table, Text, Value};
use crate::cells;
use crate::time::Rfc3339;
use std::fmt::Display;
use std::io::{self, Write};

/// Writes the names of the columns, without a line end.
///
/// # Errors
/// What `out` says.
pub fn header<T: Table>(out: &mut impl Write) -> io::Result<()> {
    for (n, Column { name, value, .. }) in T::COLUMNS.iter().enumerate() {
        let comma = if n > 0 { "," } else { "" };
        match value {
            Value::Bounds(_) => write!(out, "{comma}{name}.low,{name}.high")?,
            Value::Group(members) => {
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
pub fn row<T: Table>(out: &mut impl Write, scratch: &mut Text, row: &T::Row<'_>) -> io::Result<()> {
    for (n, column) in T::COLUMNS.iter().enumerate() {
        if n > 0 {
            out.write_all(b",")?;
        }
        cell::<T>(out, scratch, &column.value, row)?;
    }
    Ok(())
}

fn cell<T: Table>(
    out: &mut impl Write,
    scratch: &mut Text,
    value: &Value<T>,
    row: &T::Row<'_>,
) -> io::Result<()> {
    match value {
        Value::Text(write) | Value::Name(write) => {
            scratch.clear();
            write(row, scratch).map_err(io::Error::other)?;
            match (value, scratch.get()) {
                (_, None) => Ok(()),
                (Value::Name(_), Some(text)) => cells::text(out, text),
                (_, Some(text)) => cells::number(out, text),
            }
        }
        Value::Count(_, get) => some(out, get(row)),
        Value::Signed(get) => some(out, get(row)),
        Value::Real(get) => some(out, get(row)),
        Value::Boolean(get) => some(out, get(row)),
        Value::Time(get) => some(out, get(row).map(Rfc3339)),
        Value::Words(list) => {
            let mut words = Vec::new();
            list(row, &mut words);
            cells::number(out, &words.join(" "))
        }
        Value::Counts(list) => {
            let mut counts = Vec::new();
            list(row, &mut counts);
            blanks(out, &counts)
        }
        Value::Bounds(get) => {
            let bounds = get(row);
            some(out, bounds.map(|[low, _]| low))?;
            out.write_all(b",")?;
            some(out, bounds.map(|[_, high]| high))
        }
        Value::Group(members) => {
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
