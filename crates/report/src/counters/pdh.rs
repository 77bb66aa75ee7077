//! PDH-CSV 4.0, the text format of Windows' performance logs: a line of counter paths, then a
//! line for each sample. Every value is quoted, one that does not exist is a blank, times are
//! UTC and say so. No cell is a formula to a spreadsheet: a path begins with `\\`, the heading of
//! times with `(`, as `relog` and Performance Monitor want them.

use super::objects::{CounterObject, Instance, OBJECTS};
use super::samples::Samples;
use super::table::{Bound, counters};
use crate::cells::CsvRow;
use crate::time::Rfc3339;
use std::io::{self, Write};
use std::sync::OnceLock;
use wirewait_wire::Timestamp;

/// Bytes of the scratch file that are read at a time, for all instances together.
const ROOM: usize = 1 << 22;

/// Writes all counters that have values.
///
/// # Errors
/// What `out` says, and the scratch file.
pub fn pdh_csv(out: &mut impl Write, samples: &Samples) -> io::Result<()> {
    let mut row = CsvRow::quoting();
    row.value("(PDH-CSV 4.0) (UTC)(0)");
    let room = ROOM / samples.series.len().max(1);
    let mut columns = Vec::new();
    for (instance, series) in &samples.series {
        for bound in bound(instance) {
            row.text(&path(instance, bound.counter.name));
        }
        columns.push((bound(instance), samples.over_time(series, room)?));
    }
    row.end(out)?;
    for time in samples.times() {
        row.value(moment(time));
        for (bounds, values) in &mut columns {
            let value = values.step()?;
            for bound in *bounds {
                match value.as_ref().and_then(|value| value(bound)) {
                    Some(value) => row.value(value),
                    None => row.value(" "),
                }
            }
        }
        row.end(out)?;
    }
    Ok(())
}

/// The counters of an instance that have values.
pub(super) fn bound(instance: &Instance) -> &'static [Bound] {
    static BOUND: OnceLock<Vec<Vec<Bound>>> = OnceLock::new();
    let of = |object: &CounterObject| {
        let fields = (object.fields)();
        let of = counters().iter().filter(|c| c.table == object.table);
        of.filter_map(|counter| counter.bind(&fields)).collect()
    };
    let all = BOUND.get_or_init(|| OBJECTS.iter().map(of).collect());
    all.get(instance.object).map_or(&[], Vec::as_slice)
}

/// `\\station\Object(instance)\Counter`.
fn path(instance: &Instance, counter: &str) -> String {
    let station = instance.station();
    let object = instance.object().name;
    match instance.name.as_str() {
        "" => format!(r"\\{station}\{object}\{counter}"),
        name => format!(r"\\{station}\{object}({name})\{counter}"),
    }
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
