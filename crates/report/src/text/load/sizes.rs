//! The tables by the size of requests.

use crate::columns::TimeColumn::{Max, Mean, Min, P50, P95};
use crate::figures::{Grouped, Milli, Rate};
use crate::table::{InCell, Table};
use crate::text::{Look, more, noted};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{Anomaly, BREAKS_PERCENT, Example, SizeCurve, SizeRow, Snapshot};
use wirewait_wire::Kind;

/// Rows of a table that people see, and tables; programs get all of them.
const SHOWN: usize = 24;
const CURVES: usize = 6;
/// A table of fewer sizes says no more than that of the servers.
const ENOUGH: usize = 3;

/// Beside a size that does.
pub(crate) const BREAKS: &str = "breaks the trend";

pub(super) fn sizes(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut curves: Vec<&SizeCurve> = snapshot
        .load
        .sizes
        .iter()
        .filter(|curve| curve.sizes.len() >= ENOUGH)
        .collect();
    // What breaks the trend is not hidden by what is busier.
    curves.sort_by_key(|curve| curve.anomalies.is_empty());
    for curve in curves.iter().take(CURVES) {
        one(out, curve, look)?;
    }
    Ok(())
}

fn one(out: &mut impl Write, curve: &SizeCurve, look: Look) -> io::Result<()> {
    writeln!(out)?;
    let kind = match curve.kind {
        Kind::Write => "Writes",
        _ => "Reads",
    };
    look.heading(out, &format!("{kind} by size, server {}", curve.server))?;
    for anomaly in &curve.anomalies {
        breaks(out, anomaly, look)?;
    }
    let mut rows: Vec<&SizeRow> = curve.sizes.iter().collect();
    let broken = |row: &SizeRow| {
        let same = |a: &Anomaly| a.to_bytes == row.to_bytes;
        curve.anomalies.iter().any(same)
    };
    rows.sort_by_key(|row| (!broken(row), std::cmp::Reverse(row.response_time.n)));
    rows.truncate(SHOWN);
    rows.sort_by_key(|row| row.to_bytes);
    let table = table(&rows, broken, look.digits);
    table.write(out, look)?;
    more(
        out,
        look,
        curve.sizes.len(),
        &table,
        " sizes, each requested less often",
    )
}

fn breaks(out: &mut impl Write, anomaly: &Anomaly, look: Look) -> io::Result<()> {
    let positive = |ns: i64| u64::try_from(ns).unwrap_or(0);
    let times = Milli::ratio(positive(anomaly.p50_ns), positive(anomaly.expected_ns));
    let (next, next_ns) = anomaly.next;
    let frames: Vec<String> = anomaly.examples.iter().map(frames).collect();
    noted!(
        out,
        look,
        "{} bytes break the trend: {} (median of {}) where the other sizes predict {}, {} times as long (threshold {}); {} bytes take {}; frames {}",
        range(anomaly.from_bytes, anomaly.to_bytes),
        look.digits.time(anomaly.p50_ns),
        Grouped(anomaly.n),
        look.digits.time(anomaly.expected_ns.max(0)),
        times.text(),
        Milli(BREAKS_PERCENT * 10),
        Grouped(next),
        look.digits.time(next_ns),
        frames.join(", ")
    )
}

fn frames(example: &Example) -> String {
    format!("{}-{}", example.request_frame, example.response_frame)
}

/// Sizes, from and to.
pub(crate) fn range(from: u64, to: u64) -> String {
    if from == to {
        Grouped(from).to_string()
    } else {
        format!("{}-{}", Grouped(from), Grouped(to))
    }
}

fn table(rows: &[&SizeRow], broken: impl Fn(&SizeRow) -> bool, digits: Digits) -> Table {
    let rate = |row: &SizeRow| {
        let rate = u128::from(row.data_bytes) * 1_000_000_000;
        let rate = rate.checked_div(row.response_time.total.unsigned_abs())?;
        u64::try_from(rate).ok().map(Rate)
    };
    Table::timed(rows, digits)
        .right("bytes requested", |row| range(row.from_bytes, row.to_bytes))
        .right("answered", |row| Grouped(row.response_time.n))
        .times("response time", &[Min, P50, P95, Max], |row| {
            &row.response_time
        })
        .times("turnaround", &[Mean], |row| &row.turnaround)
        .right("file data", |row| rate(row))
        .rare_left("", |row| if broken(row) { BREAKS } else { "" })
        .table
}
