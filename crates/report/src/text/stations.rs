//! The table of the clients.

use super::{Look, count, shown, trouble};
use crate::figures::{Grouped, Milli};
use crate::table::{Column, Table};
use crate::time::Human;
use std::io::{self, Write};
use wirewait_analysis::{Snapshot, StationRow};

const STATION: &[Column] = &[
    Column::left("client"),
    Column::right("servers"),
    Column::right("requests"),
    Column::under("response time", "mean"),
    Column::under("response time", "± sd"),
    Column::under("response time", "min"),
    Column::under("response time", "p95"),
    Column::under("response time", "max"),
    Column::right("relative"),
    Column::right("busy"),
    Column::right("client work"),
    Column::under("think time", "total"),
    Column::under("think time", "times"),
    Column::right("data bytes").rare(),
    Column::right("re-sent frames").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
    Column::right("one-sided").rare(),
    Column::right("repeated").rare(),
    Column::right("cancelled").rare(),
    Column::right("orphans").rare(),
];

/// All stations.
pub(crate) fn table(snapshot: &Snapshot) -> Table {
    let mut table = Table::new(STATION);
    for row in &snapshot.stations {
        table.row(station_row(row));
    }
    table
}

pub(super) fn stations(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = table(snapshot);
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Stations")?;
    table.write(out, look)
}

fn station_row(row: &StationRow) -> Vec<String> {
    let times = &row.response_time;
    let response = |value| shown((times.n > 0).then_some(Human(value)));
    let duration = |ns: u64| Human(i64::try_from(ns).unwrap_or(i64::MAX));
    let mut cells = vec![
        row.client.to_string(),
        Grouped(row.servers).to_string(),
        Grouped(row.counts.requests).to_string(),
        shown(times.mean().map(Human)),
        shown(row.deviation.map(duration)),
        response(times.min),
        response(times.p95),
        response(times.max),
        // Millionths to thousandths.
        shown(row.normalised_mean.and_then(|n| Milli::ratio(n, 1_000_000))),
        duration(row.busy_ns).to_string(),
        duration(row.client_ns).to_string(),
        duration(row.think_ns).to_string(),
        count(row.thinks),
        count(row.data_bytes),
        count(row.retransmitted),
    ];
    cells.extend(trouble(&row.counts));
    cells
}
