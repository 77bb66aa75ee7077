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
                "  and {} more, each with less response time in all; --format json has them all",
                Grouped(more as u64)
            )?;
        }
    }
    Ok(())
}

fn table(rows: &[PlaceRow], digits: Digits) -> Table {
    let share = |row: &PlaceRow| Some(Escaped(row.share.as_deref()?).to_string());
    Table::timed(rows, digits)
        .path("name", |row| Escaped(&row.name).to_string())
        .rare_path("share", share)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::table::width;
    use crate::text::tests::about;

    /// `report --full`: every table, one of them with paths of 200 characters, and of characters that are two columns wide.
    #[test]
    fn long_paths_are_shortened_for_people_alone() {
        let long = format!(r"\{}quarterly.xlsx", r"department\".repeat(17));
        let wide = format!(r"\{}\決算報告書.xlsx", "会計部門".repeat(46));
        let mut snapshot = samples::snapshot();
        let row = snapshot.places[0].clone();
        for name in [&long, &wide] {
            assert!(name.chars().count() > 190);
            let mut row = row.clone();
            row.name = name.as_str().into();
            snapshot.places.push(row);
        }
        for room in [80, 132] {
            let mut out = Vec::new();
            crate::text::report(&mut out, &about(), &snapshot, Look::plain(room)).unwrap();
            let text = String::from_utf8(out).unwrap();
            let files = text.lines().skip_while(|line| *line != "Files").skip(1);
            let files: Vec<&str> = files
                .take_while(|line| !line.contains("\u{2026}: "))
                .collect();
            assert!(files.iter().all(|line| width(line) <= room), "{text}");
            let blocks = files.iter().filter(|line| line.is_empty()).count() + 1;
            assert_eq!(blocks, if room == 80 { 3 } else { 2 }, "{text}");
            for name in ["quarterly.xlsx ", "決算報告書.xlsx "] {
                let rows = files.iter().filter(|line| line.contains(name)).count();
                assert_eq!(rows, blocks, "{text}");
            }
            assert!(!text.contains(&long) && !text.contains(&wide), "{text}");
        }
        let (mut json, mut csv) = (Vec::new(), Vec::new());
        crate::json::report(&mut json, &about(), &snapshot).unwrap();
        crate::csv::report(&mut csv, &about(), &snapshot).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        for (n, name) in [(1, &long), (2, &wide)] {
            assert_eq!(json["files"][n]["name"].as_str(), Some(name.as_str()));
            assert!(csv.contains(name.as_str()), "{csv}");
        }
    }
}
