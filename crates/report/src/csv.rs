//! The report as one long table for spreadsheets and databases (RFC 4180): a row for each
//! figure of the JSON report, in its order.
//!
//! | column | what it holds |
//! |---|---|
//! | `section` | the key of the JSON report: `servers`, `ledger` |
//! | `object` | whose figure it is: the names with which an entry of a list begins (`10.0.0.1 smb1 nbt READ_ANDX`), or its place in the list, counted from 1; behind the name of the list and ` / ` where a section has several (`pairs / 10.0.0.9 10.0.0.1`); empty for the capture |
//! | `figure` | the name in the JSON report, with `.` between levels: `turnaround.p95_ns` |
//! | `unit` | `ns`, `bytes`, `bytes/s`, `bit/s`, `frames`, `count`, `ratio`, `bool` or `text`; empty for null |
//! | `value` | as the JSON report has it; empty for null |
//!
//! A text that a spreadsheet would run as a formula has an apostrophe in front; numbers never have.
//!
//! Two entries of a list with the same names are told apart by ` (2)` behind the second.

mod flatten;

use crate::about::About;
use crate::cells::CsvRow;
use crate::json;
use std::io::{self, Write};
use wirewait_analysis::Snapshot;

/// Writes the report.
///
/// # Errors
/// What `out` says.
pub fn report(out: &mut impl Write, about: &About, snapshot: &Snapshot) -> io::Result<()> {
    let mut row = CsvRow::new();
    for title in ["section", "object", "figure", "unit", "value"] {
        row.value(title);
    }
    row.end(out)?;
    let mut document = Vec::new();
    json::report(&mut document, about, snapshot)?;
    flatten::flatten(&document, row, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::text::tests::about;
    use serde_json::Value;

    fn written(snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        report(&mut out, &about(), snapshot).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_whole_table() {
        crate::golden::check("report.csv", &written(&samples::snapshot()));
    }

    #[test]
    fn whoever_reads_may_have_enough() {
        struct Shut(usize);
        impl std::io::Write for Shut {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0 = self
                    .0
                    .checked_sub(1)
                    .ok_or(std::io::ErrorKind::BrokenPipe)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        for writes in [0, 1, 100, 1000] {
            let shut = report(&mut Shut(writes), &about(), &samples::snapshot());
            assert_eq!(shut.unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
        }
    }

    fn rows(text: &str) -> Vec<Vec<String>> {
        let mut read = csv::ReaderBuilder::new();
        let mut read = read.has_headers(false).from_reader(text.as_bytes());
        read.deserialize().map(Result::unwrap).collect()
    }

    #[test]
    fn a_row_is_found_by_its_names() {
        let mut snapshot = samples::snapshot();
        let twice = snapshot.slowest[0].clone();
        snapshot.slowest.push(twice);
        let rows = rows(&written(&snapshot));
        assert!(rows.iter().all(|row| row.len() == 5));
        let find = |wanted: [&str; 3]| {
            let mut found = rows.iter().filter(|row| row[..3] == wanted);
            let row = found.next().unwrap_or_else(|| panic!("{wanted:?}"));
            assert!(found.next().is_none(), "{wanted:?} twice");
            (row[3].as_str(), row[4].as_str())
        };
        let read = "10.0.0.1 smb1 nbt READ_ANDX";
        assert_eq!(
            find(["servers", read, "turnaround.p95_ns"]),
            ("ns", "3000000")
        );
        assert_eq!(
            find(["servers", read, "frames_per_request.data"]).0,
            "ratio"
        );
        assert_eq!(find(["capture", "", "frames"]), ("frames", "1234"));
        assert_eq!(find(["capture", "", "duration_ns"]), ("ns", "90000000000"));
        assert_eq!(
            find(["ledger", "servers / 10.0.0.1", "idle_ns"]),
            ("ns", "30000000000")
        );
        assert_eq!(
            find(["ledger", "pairs / 10.0.0.9 10.0.0.1", "elapsed_ns"]).0,
            "ns"
        );
        assert_eq!(find(["verdict", "", "culprit"]), ("text", "none"));
        assert_eq!(
            find(["capture", "", "files.2"]),
            ("text", r"\x1b[31mred.pcap")
        );
        let slow = "smb1 nbt 10.0.0.9:1025 10.0.0.1:139";
        assert_eq!(find(["slowest", slow, "ok"]), ("bool", "true"));
        find(["slowest", &format!("{slow} (2)"), "ok"]);
    }

    /// Every number of the JSON report, as often as it is there.
    fn numbers(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Number(n) => found.push(n.to_string()),
            Value::Array(all) => all.iter().for_each(|value| numbers(value, found)),
            Value::Object(all) => all.values().for_each(|value| numbers(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_number_of_the_json_report_is_there_once() {
        let snapshot = samples::snapshot();
        let mut out = Vec::new();
        json::report(&mut out, &about(), &snapshot).unwrap();
        let mut theirs = Vec::new();
        numbers(&serde_json::from_slice(&out).unwrap(), &mut theirs);
        let mut ours: Vec<String> = rows(&written(&snapshot))
            .into_iter()
            .skip(1)
            .filter(|row| !matches!(row[3].as_str(), "text" | "bool") && !row[4].is_empty())
            .map(|row| row[4].clone())
            .collect();
        theirs.sort();
        ours.sort();
        assert_eq!(ours, theirs);
        assert!(ours.len() > 100);
    }
}
