//! The captures that are committed are exactly what their scenarios make, and each has its
//! row in the table.
//!
//! `WIREWAIT_WRITE_CAPTURES=1 cargo test -p wirewait-synth --test captures` writes them.

mod common;

use common::{captures, scenarios};
use std::fs;

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
        total += made.len();
        let file = path.with_extension("pcapng");
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
        total < 4_000_000,
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
        .filter(|name| name.ends_with(".pcapng"))
        .collect();
    let files: Vec<String> = scenarios()
        .iter()
        .map(|(path, _)| {
            let path = path.with_extension("pcapng");
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
fn every_scenario_says_what_must_come_out() {
    for (path, scenario) in scenarios() {
        let answer = scenario.answer();
        assert!(
            !answer.transactions.is_empty() || !answer.totals.is_empty(),
            "{} has no answer",
            path.display()
        );
        // Frame numbers in the answer exist, and a request does not follow its response.
        let frames = scenario.frames().len() as i64;
        for expected in &answer.transactions {
            let number = |name: &str| {
                let field = expected.fields.iter().find(|(path, _)| path == name);
                match field {
                    Some((_, wirewait_synth::scenario::Value::Int(number))) => Some(*number),
                    _ => None,
                }
            };
            for name in [
                "request_first_frame",
                "request_last_frame",
                "response_first_frame",
                "response_last_frame",
            ] {
                let number = number(name).unwrap_or(1);
                assert!(
                    (1..=frames).contains(&number),
                    "{}:{}: {name}={number}, but there are {frames} frames",
                    path.display(),
                    expected.line
                );
            }
        }
    }
}
