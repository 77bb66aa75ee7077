//! The tables of users, shares and files.

use super::Look;
use crate::escape::Escaped;
use crate::figures::Grouped;
use crate::table::{Column, Table, count};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{Grouping, PlaceRow, Snapshot, Spread};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 20;

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
            let first = &of_kind[..rows.min(of_kind.len())];
            (
                heading,
                table(first, digits),
                of_kind.len().saturating_sub(rows),
            )
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

fn table(rows: &[PlaceRow], digits: Digits) -> Table {
    let some = |spread: &Spread, ns: i64| (spread.n > 0).then(|| digits.time(ns));
    let mean = |spread: &Spread| spread.mean().map(|ns| digits.time(ns));
    let total = |spread: &Spread| i64::try_from(spread.total).unwrap_or(i64::MAX);
    Table::over(rows)
        .left("name", |row| Escaped(&row.name).to_string())
        .column(Column::left("share").rare(), |row| {
            row.share.as_deref().map(|share| Escaped(share).to_string())
        })
        .left("server", |row| row.server)
        .right("requests", |row| Grouped(row.counts.requests))
        .under("server turnaround", "mean", |row| mean(&row.turnaround))
        .under("server turnaround", "max", |row| {
            some(&row.turnaround, row.turnaround.max)
        })
        .under("response time", "mean", |row| mean(&row.response_time))
        .under("response time", "max", |row| {
            some(&row.response_time, row.response_time.max)
        })
        .under("response time", "total", |row| {
            some(&row.response_time, total(&row.response_time))
        })
        .rare("read", |row| count(row.read_bytes))
        .rare("written", |row| count(row.written_bytes))
        .rare("errors", |row| count(row.counts.failures))
        .rare("unanswered", |row| count(row.counts.unanswered))
        .rare("lost to limits", |row| count(row.counts.lost_to_limits()))
        .table
}
