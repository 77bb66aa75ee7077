//! Every scenario in `captures/` gives the answer that was computed by hand for it.
//!
//! The frames are made by `synth`, which shares no code with the dissectors; the answer
//! stands in the scenario file; what is compared is the product's own output, the NDJSON
//! of `transactions` and the snapshot behind `report`.

use crate::support::{Analysis, Run, assert_frames_close, root};
use serde_json::Value as Json;
use std::path::PathBuf;
use wirewait_analysis::WHOLE_FRAME;
use wirewait_report::transactions::{Format, Writer};
use wirewait_synth::Scenario;
use wirewait_synth::scenario::{Answer, Expected, Totals, Value};

/// Scenarios whose answer cannot be given yet, and why. They must fail: when one no longer
/// does, its line goes.
const NOT_YET: &[(&str, &str)] = &[];

fn scenarios() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("captures")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "scenario") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn rows(analysis: &Analysis) -> Vec<Json> {
    let mut writer = Writer::new(Format::Ndjson);
    let mut text = Vec::new();
    for transaction in &analysis.transactions {
        writer.row(&mut text, transaction, None).unwrap();
    }
    String::from_utf8(text)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn field<'a>(row: &'a Json, path: &str) -> Option<&'a Json> {
    path.split('.').try_fold(row, |value, name| value.get(name))
}

fn equal(found: &Json, expected: &Value) -> bool {
    match expected {
        Value::Int(n) => found.as_i64() == Some(*n),
        Value::Text(text) => found.as_str() == Some(text),
        Value::Bool(b) => found.as_bool() == Some(*b),
        Value::Null => found.is_null(),
        Value::List(values) => found.as_array().is_some_and(|found| {
            found.len() == values.len() && found.iter().zip(values).all(|(f, v)| equal(f, v))
        }),
    }
}

/// The first field of `row` that is not as expected.
fn difference(row: &Json, expected: &Expected) -> Option<String> {
    expected.fields.iter().find_map(|(path, value)| {
        let listed = |flag: &Value| {
            let flags = row["flags"].as_array().unwrap();
            flags.iter().any(|found| equal(found, flag))
        };
        let fits = match (path.as_str(), value) {
            ("flags", Value::List(flags)) => flags.iter().all(listed),
            ("without_flags", Value::List(flags)) => !flags.iter().any(listed),
            _ => match field(row, path) {
                Some(found) => equal(found, value),
                None => panic!("{path} is no field of the output"),
            },
        };
        (!fits).then(|| {
            let found = field(row, path.trim_start_matches("without_"));
            format!("{path} is {}, not {value:?}", found.unwrap_or(&Json::Null))
        })
    })
}

fn total(rows: &[Json], analysis: &Analysis, totals: &Totals, name: &str) -> i64 {
    let rows = || {
        rows.iter().filter(|row| {
            let protocol = totals.protocol.as_deref();
            protocol.is_none_or(|p| row["protocol"] == p)
        })
    };
    let outcome = |outcome: &str| rows().filter(|row| row["outcome"] == outcome).count() as i64;
    let sum = |path: &str| {
        rows()
            .filter_map(|row| field(row, path)?.as_i64())
            .sum::<i64>()
    };
    let attribution = analysis.snapshot.attribution;
    // A frame may be shared by a transaction and upkeep; the answer rounds.
    let whole = |share: u64| ((share + WHOLE_FRAME / 2) / WHOLE_FRAME) as i64;
    match name {
        // A response without a request is no transaction, though it has a row.
        "transactions" => rows().count() as i64 - outcome("orphan_response"),
        "answered" => outcome("answered"),
        "unanswered" => outcome("unanswered"),
        "cancelled" => outcome("cancelled"),
        "orphan_responses" => outcome("orphan_response"),
        "duplicate_responses" => sum("duplicate_responses"),
        "retransmitted" => sum("frames.retransmitted"),
        "frames" => analysis.snapshot.capture.frames as i64,
        "attributed" => whole(attribution.transactions),
        "control" => whole(attribution.control),
        "other" => attribution.other as i64,
        "duplicates_dropped" => attribution.duplicates as i64,
        // What the product says about the capture as a whole.
        "gaps" | "mid_capture" | "guessed_roles" | "needless" => reason(analysis, name),
        "repeated" => reason(analysis, "retransmitted"),
        _ => panic!("no total is called {name}"),
    }
}

fn reason(analysis: &Analysis, name: &str) -> i64 {
    let reasons = &analysis.snapshot.capture.reasons;
    let found = reasons.iter().find(|reason| reason.name == name);
    found.map_or(0, |reason| reason.count as i64)
}

/// What is wrong with the answer to one scenario.
fn wrong(path: &PathBuf) -> Vec<String> {
    let name = path.strip_prefix(root()).unwrap().display().to_string();
    let scenario = Scenario::parse(&name, &std::fs::read_to_string(path).unwrap()).unwrap();
    let mut wrong = differences(&name, &scenario, Run::new(), scenario.answer());
    if let Some((file, answer)) = &scenario.answer().by_profile {
        let mut registry = wirewait_dissectors::registry();
        let table = std::fs::read_to_string(root().join(file)).unwrap();
        let layout = wirewait_dissectors::last::profile(file, &table).unwrap();
        assert!(registry.set_layout("last", layout));
        let by_profile = differences(&name, &scenario, Run::by(registry), answer);
        wrong.extend(
            by_profile
                .into_iter()
                .map(|text| format!("by {file}: {text}")),
        );
    }
    wrong
}

/// In what one answer differs from what comes of this run.
fn differences(name: &str, scenario: &Scenario, mut run: Run, answer: &Answer) -> Vec<String> {
    for frame in scenario.frames() {
        run.frame(&frame.as_frame());
    }
    let analysis = run.finish();
    assert_frames_close(name, &analysis.snapshot);
    let rows = rows(&analysis);
    assert!(
        !answer.transactions.is_empty() || !answer.totals.is_empty(),
        "{name} has no answer"
    );
    let mut wrong = Vec::new();
    for expected in &answer.transactions {
        let fitting = rows
            .iter()
            .filter(|row| difference(row, expected).is_none())
            .count() as u64;
        if fitting != expected.count {
            let mut near: Vec<String> = rows
                .iter()
                .filter_map(|row| difference(row, expected).map(|d| (row, d)))
                .map(|(row, d)| {
                    format!(
                        "    {} frame {}: {d}",
                        row["command"], row["request_first_frame"]
                    )
                })
                .collect();
            near.truncate(8);
            wrong.push(format!(
                "{name}:{}: {fitting} transactions fit, not {}\n{}",
                expected.line,
                expected.count,
                near.join("\n")
            ));
        }
    }
    for totals in &answer.totals {
        for (what, expected) in &totals.fields {
            let found = total(&rows, &analysis, totals, what);
            if found != *expected {
                let protocol = totals.protocol.as_deref().unwrap_or("capture");
                wrong.push(format!(
                    "{name}:{}: {protocol}: {what} is {found}, not {expected}",
                    totals.line
                ));
            }
        }
    }
    wrong
}

#[test]
fn every_scenario_has_its_answer() {
    let scenarios = scenarios();
    assert!(scenarios.len() >= 40, "only {} scenarios", scenarios.len());
    let (later, now): (Vec<_>, Vec<_>) = scenarios
        .iter()
        .partition(|path| NOT_YET.iter().any(|(name, _)| path.ends_with(name)));
    assert_eq!(later.len(), NOT_YET.len());
    for path in later {
        assert!(!wrong(path).is_empty(), "{} is right now", path.display());
    }
    let wrong: Vec<String> = now.into_iter().flat_map(wrong).collect();
    println!(
        "{} scenarios, {} wrong answers",
        scenarios.len(),
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{} wrong answers:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
