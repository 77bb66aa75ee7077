//! The tables of users, shares and files.

use super::{Look, count, shown};
use crate::escape::Escaped;
use crate::figures::Grouped;
use crate::table::{Column, Table};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{Grouping, PlaceRow, Snapshot, Spread};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 20;

const COLUMNS: &[Column] = &[
    Column::left("name"),
    Column::left("share").rare(),
    Column::left("server"),
    Column::right("requests"),
    Column::under("server turnaround", "mean"),
    Column::under("server turnaround", "max"),
    Column::under("response time", "mean"),
    Column::under("response time", "max"),
    Column::under("response time", "total"),
    Column::right("read").rare(),
    Column::right("written").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
    Column::right("lost to limits").rare(),
];

/// A table of the first `rows` for each kind of name that the capture shows, under its heading,
/// and how many more there are.
pub(crate) fn tables(snapshot: &Snapshot, rows: usize) -> Vec<(&'static str, Table, usize)> {
    tables_in(snapshot, rows, Digits::Three)
}

/// [`tables`], with durations of as many digits.
fn tables_in(
    snapshot: &Snapshot,
    rows: usize,
    digits: Digits,
) -> Vec<(&'static str, Table, usize)> {
    snapshot
        .places
        .chunk_by(|a, b| a.by == b.by)
        .map(|of_kind| {
            let heading = match of_kind[0].by {
                Grouping::User => "Users",
                Grouping::Share => "Shares",
                Grouping::File => "Files",
            };
            let mut table = Table::new(COLUMNS);
            for row in of_kind.iter().take(rows) {
                table.row(cells(row, digits));
            }
            (heading, table, of_kind.len().saturating_sub(rows))
        })
        .collect()
}

/// Writes these tables.
pub(super) fn places(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    for (heading, table, more) in tables_in(snapshot, SHOWN, look.digits) {
        writeln!(out)?;
        look.heading(out, heading)?;
        table.write(out, look)?;
        if more > 0 {
            writeln!(
                out,
                "  and {} more, each waited for less; --format json has them all",
                Grouped(more as u64)
            )?;
        }
    }
    Ok(())
}

fn cells(row: &PlaceRow, digits: Digits) -> Vec<String> {
    let time = |spread: &Spread, ns: i64| shown((spread.n > 0).then(|| digits.time(ns)));
    let (turnaround, response) = (&row.turnaround, &row.response_time);
    let total = i64::try_from(response.total).unwrap_or(i64::MAX);
    vec![
        Escaped(&row.name).to_string(),
        shown(row.share.as_deref().map(Escaped)),
        row.server.to_string(),
        Grouped(row.counts.requests).to_string(),
        shown(turnaround.mean().map(|ns| digits.time(ns))),
        time(turnaround, turnaround.max),
        shown(response.mean().map(|ns| digits.time(ns))),
        time(response, response.max),
        time(response, total),
        count(row.read_bytes),
        count(row.written_bytes),
        count(row.counts.failures),
        count(row.counts.unanswered),
        count(row.counts.lost_to_limits()),
    ]
}
