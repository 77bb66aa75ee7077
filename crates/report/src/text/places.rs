//! The tables of users, shares and files.

use super::Look;
use crate::columns::TimeColumn::{Max, Mean, Total};
use crate::columns::{ERRORS, LOST_TO_LIMITS, REQUESTS, UNANSWERED};
use crate::escape::Escaped;
use crate::figures::Grouped;
use crate::table::{Table, count};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{Grouping, PlaceRow, Snapshot};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 20;

/// A table of the first `rows` for each kind of name that the capture shows, under its heading,
/// and how many more there are.
pub(crate) fn tables(
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
    for (heading, table, more) in tables(snapshot, SHOWN, look.digits) {
        table.headed(out, look, heading)?;
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
    let share = |row: &PlaceRow| Some(Escaped(row.share.as_deref()?).to_string());
    Table::timed(rows, digits)
        .left("name", |row| Escaped(&row.name).to_string())
        .rare_left("share", share)
        .left("server", |row| row.server)
        .counts(&[REQUESTS], |row| &row.counts)
        .times("server turnaround", &[Mean, Max], |row| &row.turnaround)
        .times("response time", &[Mean, Max, Total], |row| {
            &row.response_time
        })
        .rare("bytes read", |row| count(row.read_bytes))
        .rare("bytes written", |row| count(row.written_bytes))
        .rare_counts(&[ERRORS, UNANSWERED, LOST_TO_LIMITS], |row| &row.counts)
        .table
}
