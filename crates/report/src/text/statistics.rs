//! Statistics that show themselves, each as a table.

use super::{Look, more, note};
use crate::figures::Grouped;
use crate::table::{Column, NOTHING, Table};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{Cell, Snapshot, Statistic};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 10;

/// The table of a statistic.
pub(crate) fn table(statistic: &Statistic, rows: usize, digits: Digits) -> Table {
    let columns = statistic.columns.iter().enumerate();
    let columns = columns.map(|(at, column)| match at {
        0 => Column::left(column.title),
        _ => Column::right(column.title),
    });
    let mut table = Table::of(columns.collect());
    for row in statistic.rows.iter().take(rows) {
        table.row(row.iter().map(|value| cell(value, digits)).collect());
    }
    table
}

/// What stands in a cell, for people.
fn cell(cell: &Cell, digits: Digits) -> String {
    match cell {
        Cell::Station(station) => station.to_string(),
        Cell::Count(n) => Grouped(*n).to_string(),
        Cell::Bytes(n) => format!("{} B", Grouped(*n)),
        Cell::Time(ns) => digits.time(*ns),
        Cell::Nothing => NOTHING.to_owned(),
    }
}

/// What is to be said below the table.
pub(crate) fn notes(statistic: &Statistic) -> Vec<String> {
    let left = (statistic.without_row > 0).then(|| {
        format!(
            "{} more requests are of clients lost to the limit rows.",
            Grouped(statistic.without_row)
        )
    });
    [Some(statistic.about.to_owned()), left]
        .into_iter()
        .flatten()
        .collect()
}

/// Writes all of them.
pub(super) fn statistics(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    for statistic in snapshot.statistics.iter().filter(|s| !s.rows.is_empty()) {
        let table = table(statistic, SHOWN, look.digits);
        table.headed(out, look, statistic.title)?;
        more(out, look, statistic.rows.len(), &table, "")?;
        for sentence in notes(statistic) {
            note(out, look, sentence)?;
        }
    }
    Ok(())
}
