//! PDH-CSV 4.0, the text format of Windows' performance logs: a line of counter paths, then a
//! line for each sample. Every value is quoted, one that does not exist is a blank, times are
//! UTC and say so. No cell is a formula to a spreadsheet: a path begins with `\\`, the heading of
//! times with `(`, as `relog` and Performance Monitor want them.

use super::objects::Instance;
use super::samples::Samples;
use super::table::{Bound, counters};
use crate::cells::harmless;
use crate::time::Rfc3339;
use std::io::{self, Write};
use wirewait_wire::Timestamp;

/// Writes all counters that have values.
///
/// # Errors
/// What `out` says.
pub fn pdh_csv(out: &mut impl Write, samples: &Samples) -> io::Result<()> {
    write!(out, "\"(PDH-CSV 4.0) (UTC)(0)\"")?;
    let mut columns = Vec::new();
    for (instance, series) in &samples.series {
        for bound in bound(instance) {
            write!(out, ",\"{}\"", path(instance, bound.counter.name))?;
            columns.push((series, bound));
        }
    }
    write!(out, "\r\n")?;
    let mut columns: Vec<_> = columns
        .iter()
        .map(|(series, bound)| samples.values(series, bound))
        .collect();
    for time in samples.times() {
        write!(out, "\"{}\"", moment(time))?;
        for values in &mut columns {
            match values.next().flatten() {
                Some(value) => write!(out, ",\"{value}\"")?,
                None => write!(out, ",\" \"")?,
            }
        }
        write!(out, "\r\n")?;
    }
    Ok(())
}

/// The counters of an instance that have values.
pub(super) fn bound(instance: &Instance) -> impl Iterator<Item = Bound> {
    let object = instance.object();
    let fields = (object.fields)();
    counters()
        .iter()
        .filter(|counter| counter.table == object.table)
        .filter_map(move |counter| counter.bind(&fields))
}

/// `\\station\Object(instance)\Counter`, with quotes doubled.
fn path(instance: &Instance, counter: &str) -> String {
    let station = instance.station();
    let object = instance.object().name;
    let path = match instance.name.as_str() {
        "" => format!(r"\\{station}\{object}\{counter}"),
        name => format!(r"\\{station}\{object}({name})\{counter}"),
    };
    harmless(&path).replace('"', "\"\"")
}

/// `MM/DD/YYYY HH:MM:SS.mmm`, UTC.
fn moment(at: Timestamp) -> String {
    // 2026-11-20T07:00:00.123456789Z; years have four digits in all times that there are.
    let text = Rfc3339(at).to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    format!(
        "{}/{}/{} {}",
        part(5, 7),
        part(8, 10),
        part(0, 4),
        part(11, 23)
    )
}
