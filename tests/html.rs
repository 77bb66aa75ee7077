//! The report as HTML, and the frames of a conversation.

use crate::support::root;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Output, Stdio};

const DEMO: &str = "captures/demo.pcapng";

fn wirewait(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = crate::support::program()
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input closes it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn html(file: &str, more: &[&str]) -> String {
    let arguments = [&["report", file, "--format", "html"], more].concat();
    let output = wirewait(&arguments, &[]);
    assert_eq!(output.status.code(), Some(0), "{file}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(file: &str, more: &[&str]) -> Value {
    let arguments = [&["report", file, "--format", "json"], more].concat();
    let output = wirewait(&arguments, &[]);
    assert_eq!(output.status.code(), Some(0), "{file}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn numbers(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Number(n) => {
            found.insert(n.to_string());
        }
        Value::Array(all) => all.iter().for_each(|value| numbers(value, found)),
        Value::Object(all) => all.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}

#[test]
fn every_figure_of_a_plot_is_in_the_json_report() {
    let mut checked = 0;
    let mut files = vec![DEMO.to_owned()];
    for folder in ["nbf", "ncp", "smb2"] {
        let folder = format!("captures/{folder}");
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".pcapng") {
                files.push(format!("{folder}/{name}"));
            }
        }
    }
    for file in &files {
        let plain = json(file, &[]);
        let Some(slowest) = plain["slowest"][0]["conversation"].as_u64() else {
            continue;
        };
        let json = json(file, &["--conversation", &slowest.to_string()]);
        let html = html(file, &[]);
        for part in html.split("data-json=\"").skip(1) {
            let (place, part) = part.split_once('"').unwrap();
            let there = json
                .pointer(place)
                .unwrap_or_else(|| panic!("{file}: {place}"));
            let mut known = BTreeSet::new();
            numbers(there, &mut known);
            for attribute in ["data-n=\"", "data-of=\""] {
                for mark in part.split(attribute).skip(1) {
                    let (value, _) = mark.split_once('"').unwrap();
                    assert!(known.contains(value), "{file}: {value} is not in {place}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 500, "{checked} in {files:?}");
}

#[test]
fn the_spread_of_times_counts_what_the_rows_of_servers_count() {
    let json = json(DEMO, &[]);
    for (of, what) in [
        ("turnaround", "turnaround"),
        ("response_time", "response_time"),
    ] {
        let rows: u64 = json["servers"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["kind"] != "wait" && row["kind"] != "break")
            .map(|row| row[of]["n"].as_u64().unwrap())
            .sum();
        let spread = &json["distribution"];
        assert_eq!(spread[what]["n"], rows, "{what}");
        let steps = |value: &Value| -> u64 {
            let steps = value["steps"].as_array().unwrap();
            steps.iter().map(|step| step["n"].as_u64().unwrap()).sum()
        };
        assert_eq!(steps(&spread[what]), rows, "{what}");
        let servers = spread["servers"].as_array().unwrap();
        let sum: u64 = servers.iter().map(|server| steps(&server[what])).sum();
        assert_eq!(sum, rows, "{what}");
    }
}

#[test]
fn a_ladder_has_the_frames_that_decode_shows() {
    let mut compared = 0;
    for conversation in 1..=6 {
        let json = json(DEMO, &["--conversation", &conversation.to_string()]);
        let ladder = &json["ladder"];
        assert_eq!(ladder["conversation"], conversation);
        let transaction = ladder["transaction"].as_u64().unwrap();
        let arguments = ["decode", DEMO, "--transaction", &transaction.to_string()];
        let output = wirewait(&[&arguments[..], &["--format", "json"]].concat(), &[]);
        let frames = ladder["frames"].as_array().unwrap();
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let decoded: Value = serde_json::from_str(line).unwrap();
            let shown = frames
                .iter()
                .find(|frame| frame["frame"] == decoded["frame"])
                .unwrap_or_else(|| panic!("frame {} of {transaction}", decoded["frame"]));
            assert_eq!(shown["time"], decoded["time"]);
            assert_eq!(shown["bytes"], decoded["wire_bytes"]);
            let side = shown["from"].as_str().unwrap();
            assert_eq!(ladder[side], decoded["source"]);
            let does = shown["does"].as_array().unwrap();
            assert!(does.iter().any(|does| does["transaction"] == transaction));
            compared += 1;
        }
        let mut numbers = frames.iter().map(|frame| frame["frame"].as_u64().unwrap());
        let mut last = 0;
        assert!(
            numbers.all(|n| std::mem::replace(&mut last, n) < n),
            "in order"
        );
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn a_conversation_that_cannot_be_drawn_is_said_so() {
    let failure = |arguments: &[&str], input: &[u8]| {
        let output = wirewait(arguments, input);
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(output.stdout.is_empty(), "{arguments:?}");
        (output.status.code(), message)
    };
    let (code, message) = failure(
        &["report", DEMO, "--format", "html", "--conversation", "999"],
        &[],
    );
    assert_eq!(code, Some(1));
    assert!(
        message.contains("conversation 999 has no requests"),
        "{message}"
    );
    let (code, message) = failure(&["report", DEMO, "--conversation", "1"], &[]);
    assert_eq!(code, Some(2));
    assert!(message.contains("--format html"), "{message}");
    let demo = std::fs::read(root().join(DEMO)).unwrap();
    let (code, message) = failure(
        &["report", "-", "--format", "json", "--conversation", "1"],
        &demo,
    );
    assert_eq!(code, Some(2));
    assert!(message.contains("save it to a file"), "{message}");
}

#[test]
fn the_standard_input_gives_a_report_without_a_ladder() {
    let demo = std::fs::read(root().join(DEMO)).unwrap();
    let output = wirewait(&["report", "-", "--format", "html"], &demo);
    assert_eq!(output.status.code(), Some(0));
    let piped = String::from_utf8(output.stdout).unwrap();
    assert!(piped.contains("the standard input can be read only once"));
    assert!(!piped.contains("ladder-plot"));
    assert!(html(DEMO, &[]).contains("ladder-plot"));
}

#[test]
fn a_capture_without_requests_is_a_short_report() {
    let header = [
        0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
    ];
    let frame = |seconds: u8| {
        [
            &[seconds, 0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0][..],
            &[0; 60],
        ]
        .concat()
    };
    let two = [&header[..], &frame(1), &frame(2)].concat();
    for input in [&header[..], &two] {
        let output = wirewait(&["report", "-", "--format", "html"], input);
        assert_eq!(output.status.code(), Some(0));
        let html = String::from_utf8(output.stdout).unwrap();
        assert!(html.contains("No request to a file server was found."));
        assert!(html.ends_with("</html>\n"), "whole");
        for nonsense in ["NaN", "inf ", "None"] {
            assert!(!html.contains(nonsense), "{nonsense}");
        }
        assert!(html.len() < 40_000, "{}", html.len());
    }
}

/// The cells of the rows of a page's table, by the label of its region.
fn table(page: &str, label: &str) -> Vec<Vec<String>> {
    let (_, region) = page
        .split_once(&format!("aria-label=\"{label} (table)\""))
        .unwrap_or_else(|| panic!("{label}"));
    let (_, body) = region.split_once("<tbody>").unwrap();
    let (body, _) = body.split_once("</tbody>").unwrap();
    let rows = body.split("<tr>").skip(1);
    let cell = |cell: &str| {
        let text = cell.split_once('>').map_or("", |(_, text)| text);
        let text = text.replace("<wbr>", "");
        text.split('<').next().unwrap_or_default().to_owned()
    };
    rows.map(|row| {
        row.split("<t")
            .skip(1)
            .filter(|part| part.starts_with(['d', 'h']))
            .map(cell)
            .collect()
    })
    .collect()
}

#[test]
fn counters_of_the_page_are_those_of_the_counters_command() {
    let page = html(DEMO, &[]);
    let output = wirewait(&["counters", DEMO], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let mut compared = 0;
    let (mut names, mut before) = (("", ""), "");
    for line in text.lines() {
        // A station, then its objects, each below an empty line.
        match line.len() - line.trim_start().len() {
            0 if before.is_empty() => names.0 = line,
            2 if before.is_empty() => names.1 = line.trim(),
            _ => {}
        }
        before = line;
        let label = format!("{}, {}", names.0, names.1);
        if !page.contains(&format!("\"{label} (table)\"")) {
            continue;
        }
        for row in table(&page, &label) {
            if line.trim_start().starts_with(&format!("{}  ", row[0])) {
                let (cells, shown): (Vec<&str>, Vec<&str>) = (
                    row[1..]
                        .iter()
                        .map(String::as_str)
                        .filter(|c| !c.is_empty())
                        .collect(),
                    line.trim_start()[row[0].len()..]
                        .split("  ")
                        .map(str::trim)
                        .filter(|c| !c.is_empty())
                        .collect(),
                );
                assert_eq!(cells, shown, "{label}: {}", row[0]);
                compared += 1;
            }
        }
    }
    assert!(compared > 60, "{compared}: {text}");
}
