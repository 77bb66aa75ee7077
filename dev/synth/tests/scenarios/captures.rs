//! The captures that are committed (the small ones, and some studies) are exactly what their scenarios make,
//! and each has its row in the table.
//!
//! `WIREWAIT_WRITE_CAPTURES=1 cargo test -p wirewait-synth --test scenarios` writes them.

use crate::common::{captures, scenarios};
use std::fs;
use std::path::Path;
use wirewait_synth::scenario::Value;

/// Most bytes of a study that is committed; larger ones are generated on demand.
const MOST_COMMITTED: usize = 300_000;

/// Larger studies that are committed all the same: Wells' table 3.
const COMMITTED: &[&str] = &[
    "studies/wells/xcopy-to-client-decnet.scenario",
    "studies/wells/xcopy-to-client-last.scenario",
    "studies/wells/xcopy-to-server-decnet.scenario",
    "studies/wells/xcopy-to-server-last.scenario",
];

fn is_committed(path: &Path, made: &[u8]) -> bool {
    let study = path.components().any(|part| part.as_os_str() == "studies");
    // Compares whole names of folders, with any separator between them.
    let named = COMMITTED.iter().any(|name| path.ends_with(name));
    !study || named || made.len() <= MOST_COMMITTED
}

#[test]
fn committed_captures_are_what_their_scenarios_make() {
    let write = std::env::var_os("WIREWAIT_WRITE_CAPTURES").is_some_and(|value| value == "1");
    let mut total = 0;
    for (path, scenario) in scenarios() {
        assert!(
            !scenario.title().is_empty(),
            "{} has no title",
            path.display()
        );
        assert!(
            !scenario.frames().is_empty(),
            "{} has no frames",
            path.display()
        );
        let made = scenario.pcapng();
        let file = path.with_extension("pcapng");
        if !is_committed(path, &made) {
            assert!(
                !file.exists(),
                "{} has {} bytes: too many to commit",
                file.display(),
                made.len()
            );
            continue;
        }
        total += made.len();
        if write {
            fs::write(&file, &made).unwrap();
        }
        let committed = fs::read(&file).unwrap_or_default();
        assert!(
            committed == made,
            "{} is not what its scenario makes; if the scenario is right, write it again with \
             WIREWAIT_WRITE_CAPTURES=1",
            file.display()
        );
    }
    assert!(
        total < 6_600_000,
        "{total} bytes of captures are too many to commit"
    );
}

#[test]
fn every_capture_has_its_row_and_every_row_its_capture() {
    let readme = fs::read_to_string(captures().join("README.md")).unwrap();
    let rows: Vec<&str> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .filter(|name| name.ends_with(".pcapng") || name.ends_with(".scenario"))
        .collect();
    let files: Vec<String> = scenarios()
        .iter()
        .map(|(path, scenario)| {
            let committed = is_committed(path, &scenario.pcapng());
            let path = path.with_extension(if committed { "pcapng" } else { "scenario" });
            let path = path.strip_prefix(captures()).unwrap();
            path.to_str().unwrap().replace('\\', "/")
        })
        .collect();
    for file in &files {
        assert!(
            rows.contains(&file.as_str()),
            "{file} has no row in captures/README.md"
        );
    }
    for row in rows {
        assert!(
            files.iter().any(|file| file == row),
            "the row of {row} has no scenario"
        );
    }
}

#[test]
fn every_answer_agrees_with_the_frames_that_it_names() {
    for (path, scenario) in scenarios() {
        let answer = scenario.answer();
        let place = |line: usize| format!("{}:{line}", path.display());
        assert!(
            !answer.transactions.is_empty() && !answer.totals.is_empty(),
            "{} has no answer",
            path.display()
        );
        let frames = scenario.frames();
        for totals in &answer.totals {
            for (name, number) in &totals.fields {
                if name == "frames" {
                    assert_eq!(*number, frames.len() as i64, "{}", place(totals.line));
                }
            }
            // Where all parts of the sum are given, it must close.
            let part = |name| number(&totals.fields, name);
            if let (Some(all), Some(attributed), Some(control)) =
                (part("frames"), part("attributed"), part("control"))
            {
                let rest = part("other").unwrap_or(0) + part("duplicates_dropped").unwrap_or(0);
                assert_eq!(all, attributed + control + rest, "{}", place(totals.line));
            }
        }
        for expected in &answer.transactions {
            let at = |frame: i64| {
                let index = usize::try_from(frame - 1).unwrap();
                let frame = frames.get(index);
                let frame = frame.unwrap_or_else(|| panic!("{}: {index}", place(expected.line)));
                frame.at.as_nanos()
            };
            let int = |name| match expected.fields.iter().find(|(path, _)| path == name) {
                Some((_, Value::Int(number))) => Some(*number),
                _ => None,
            };
            let first_asked = int("request_first_frame").map(at);
            let last_asked = int("request_last_frame").map(at).or(first_asked);
            let first_said = int("response_first_frame").map(at);
            let last_said = int("response_last_frame").map(at).or(first_said);
            // A raw write without write-through goes on after its answer.
            let raw_write = expected
                .fields
                .iter()
                .any(|(_, value)| *value == Value::Text("WRITE_RAW".to_owned()))
                && int("request_last_frame").is_none();
            for (name, from, to) in [
                ("turnaround_ns", last_asked, first_said),
                ("response_time_ns", first_asked, last_said),
                ("request_transfer_ns", first_asked, last_asked),
                ("response_transfer_ns", first_said, last_said),
            ] {
                let skip = raw_write && name == "response_time_ns";
                if let (Some(nanos), Some(from), Some(to), false) = (int(name), from, to, skip) {
                    assert_eq!(nanos, to - from, "{}: {name}", place(expected.line));
                }
            }
        }
    }
}

fn number(fields: &[(String, i64)], name: &str) -> Option<i64> {
    let field = fields.iter().find(|(known, _)| known == name)?;
    Some(field.1)
}
