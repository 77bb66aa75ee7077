//! `wirewait live --interval`: rows of intervals add up to the report of the same capture, each has
//! the frames of its time, silence has rows, and a clock that is set neither stalls them nor makes
//! hours of them.

use crate::counters::python;
use crate::support::{Folder, captures, program, root};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;
use wirewait_capture::Options;
use wirewait_capture::write::{Description, PcapngWriter};
use wirewait_wire::{Frame, LinkType, Source};

const SECOND_NS: i64 = 1_000_000_000;
const HOUR_NS: i64 = 3600 * SECOND_NS;

fn fed(command: &mut Command, capture: &[u8]) -> (Vec<u8>, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let capture = capture.to_owned();
    let feeding = std::thread::spawn(move || stdin.write_all(&capture));
    let output = child.wait_with_output().unwrap();
    // What is chosen by its time is not read to the end.
    let _ = feeding.join().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{said}");
    (output.stdout, said)
}

fn rows(text: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(text).unwrap().lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn intervals(capture: &[u8], length: &str) -> Vec<Value> {
    let mut command = program();
    command.args(["live", "-", "--format", "ndjson", "--interval", length]);
    rows(&fed(&mut command, capture).0)
}

fn report(arguments: &[&str], capture: &[u8]) -> Value {
    let mut command = program();
    command.args(["report", "--format", "json", "-"]);
    serde_json::from_slice(&fed(command.args(arguments), capture).0).unwrap()
}

fn number(row: &Value, name: &str) -> i64 {
    let value = row[name].as_i64();
    value.unwrap_or_else(|| panic!("{name} of {row}"))
}

fn of_type<'r>(rows: &'r [Value], name: &str) -> Vec<&'r Value> {
    rows.iter().filter(|row| row["type"] == name).collect()
}

fn sum(rows: &[&Value], name: &str) -> i64 {
    rows.iter().map(|row| number(row, name)).sum()
}

/// Requests, errors and file data by server, protocol and class.
type Classes = BTreeMap<[String; 3], [i64; 3]>;

fn classes(rows: &[&Value], names: [&str; 6]) -> Classes {
    let mut sums = Classes::new();
    for row in rows {
        let [server, protocol, class, values @ ..] = names;
        let key = [server, protocol, class].map(|name| row[name].as_str().unwrap().to_owned());
        let sum = sums.entry(key).or_default();
        for (sum, name) in sum.iter_mut().zip(values) {
            *sum += number(row, name);
        }
    }
    sums
}

fn same(name: &str, capture: &[u8], length: &str) -> i64 {
    let rows = intervals(capture, length);
    let report = report(&[], capture);
    let segment = of_type(&rows, "segment");
    let requests = of_type(&rows, "requests");
    let all = number(&report["capture"], "frames");
    assert_eq!(sum(&segment, "frames"), all, "{name}");
    assert_eq!(
        sum(&segment, "bytes"),
        number(&report["capture"], "bytes"),
        "{name}"
    );
    let interfaces: Vec<&Value> = report["segment"]["interfaces"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(
        sum(&segment, "segment_bytes"),
        sum(&interfaces, "wire_bytes"),
        "{name}"
    );
    // Time that all clients together had, by its phases.
    let ledger = &report["ledger"]["capture"];
    for phase in [
        "active",
        "client",
        "request_transfer",
        "server",
        "response_transfer",
        "distance",
        "retransmission",
        "unanswered",
        "waiting",
        "idle",
        "unknown",
    ] {
        let found = sum(&segment, &format!("client_time_{phase}_ns"));
        let expected = ledger[format!("{phase}_ns")].as_i64().unwrap_or(0);
        assert_eq!(found, expected, "{name}: {phase}");
    }
    let servers: Vec<&Value> = report["servers"].as_array().unwrap().iter().collect();
    let names = [
        "server",
        "protocol",
        "class",
        "requests",
        "request_errors",
        "data_bytes",
    ];
    let found = classes(&requests, names);
    let names = [
        "server",
        "protocol",
        "kind",
        "requests",
        "failures",
        "data_bytes",
    ];
    let mut expected = classes(&servers, names);
    expected.retain(|_, [requests, ..]| *requests > 0);
    let orphans = sum(&servers, "orphan_responses");
    if orphans > 0 {
        // Their data counts in the report alone.
        let without = |classes: &Classes| -> Vec<_> {
            classes
                .iter()
                .map(|(key, [n, errors, _])| (key.clone(), *n, *errors))
                .collect()
        };
        assert_eq!(without(&found), without(&expected), "{name}");
    } else {
        assert_eq!(found, expected, "{name}");
    }
    for figure in [
        "requests",
        "request_errors",
        "unanswered_requests",
        "retransmitted_requests",
        "data_bytes",
    ] {
        assert_eq!(
            sum(&segment, figure),
            sum(&requests, figure),
            "{name}: {figure}"
        );
    }
    for (figure, expected) in [
        ("unanswered_requests", "unanswered"),
        ("retransmitted_requests", "repeated"),
    ] {
        assert_eq!(
            sum(&segment, figure),
            sum(&servers, expected),
            "{name}: {figure}"
        );
    }
    sum(&segment, "requests")
}

/// The judge is the report of the same capture.
#[test]
fn intervals_add_up_to_the_report() {
    let test = "intervals_add_up_to_the_report";
    let own = [
        "demo",
        "smb2/session",
        "nbf/example",
        "nbf/read-raw",
        "nbipx/find-name",
        "spx/spx2",
        "tcp/one-direction",
    ];
    let mut paths: Vec<PathBuf> = own
        .map(|name| root().join("captures").join(name).with_extension("pcapng"))
        .to_vec();
    if let Some(folder) = captures(test) {
        let real = [
            "lab/01_smb1_nt1_port139_records_1client_srv.pcap",
            "lab/09_midconnection_start_nt1_smb2_srv.pcap",
            "lab/10_loss3pct_dup1pct_reorder2pct_srv.pcap",
            "lab/12_smb2_async_pending_notify_lock_cancel_srv.pcap",
            "lab/e1_span_duplicates_nt1_smb2_span.pcap",
            "lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap",
            "real/smb1_139+445_lan1.pcap",
        ];
        paths.extend(real.map(|name| folder.join(name)));
    }
    let mut requests = 0;
    for path in &paths {
        let capture = std::fs::read(path).unwrap();
        for length in ["1s", "10s", "1h"] {
            requests += same(&format!("{} by {length}", path.display()), &capture, length);
        }
    }
    assert!(requests > 3000, "{requests}");
}

/// Each interval has the frames of its time, and silence is one, too.
#[test]
fn each_interval_has_the_frames_of_its_time() {
    let capture = std::fs::read(root().join("captures/demo.pcapng")).unwrap();
    let found = intervals(&capture, "10s");
    let segment = of_type(&found, "segment");
    // From 09:00:00 to 09:01:22.
    assert_eq!(segment.len(), 9);
    for (n, row) in segment.iter().enumerate() {
        let [since, until] = [n, n + 1].map(|n| {
            let seconds = n * 10;
            format!("1999-03-01T09:{:02}:{:02}Z", seconds / 60, seconds % 60)
        });
        let start = row["start"].as_str().unwrap();
        assert_eq!(start.replace(".000000000Z", "Z"), since);
        let part = report(&["--since", &since, "--until", &until], &capture);
        assert_eq!(row["frames"], part["capture"]["frames"], "{since}");
        assert_eq!(row["bytes"], part["capture"]["bytes"], "{since}");
    }
    let durations: Vec<i64> = segment
        .iter()
        .map(|row| number(row, "duration_ns"))
        .collect();
    let whole = report(&[], &capture);
    let passed = whole["capture"]["duration_ns"].as_i64().unwrap();
    assert_eq!(durations.iter().sum::<i64>(), passed);
    assert!(
        durations[1..8].iter().all(|ns| *ns == 10 * SECOND_NS),
        "{durations:?}"
    );
    // Two minutes of silence, then the same again.
    let later = stepped(|n| if n > 2702 / 2 { 120 * SECOND_NS } else { 0 });
    let found = intervals(&later, "10s");
    let frames: Vec<i64> = of_type(&found, "segment")
        .iter()
        .map(|row| number(row, "frames"))
        .collect();
    assert_eq!(frames.len(), 21);
    assert!(
        frames.iter().filter(|n| **n == 0).count() >= 11,
        "{frames:?}"
    );
    assert!(
        of_type(&found, "requests")
            .iter()
            .all(|row| number(row, "requests") > 0)
    );
}

/// By a validator that is not ours.
#[test]
fn rows_are_as_their_schema_says() {
    let schema = root().join("schemas/interval.schema.json");
    let capture = std::fs::read(root().join("captures/demo.pcapng")).unwrap();
    let found = intervals(&capture, "10s");
    let text = serde_json::to_vec(&found).unwrap();
    let program = format!(
        "import json, sys, jsonschema\n\
         schema = json.load(open({schema:?}))\n\
         jsonschema.Draft202012Validator.check_schema(schema)\n\
         validator = jsonschema.Draft202012Validator(schema)\n\
         rows = json.load(sys.stdin)\n\
         for row in rows:\n\
         \x20   validator.validate(row)\n\
         \x20   assert set(row) == set(schema['properties'])\n\
         print(len(rows))"
    );
    let judged = python(
        "rows_are_as_their_schema_says",
        &["json", "jsonschema"],
        &program,
        &text,
    );
    if let Some(judged) = judged {
        assert_eq!(judged.trim(), found.len().to_string());
    }
}

#[test]
fn intervals_are_for_rows_only() {
    for (arguments, says) in [
        (
            &["--interval", "10s"][..],
            "--interval: only for rows; add --format ndjson",
        ),
        (
            &["--interval", "10s", "--format", "json"],
            "add --format ndjson",
        ),
        (
            &["--interval", "10ms", "--format", "ndjson"],
            "write a duration from 1s to 24h",
        ),
    ] {
        let mut command = program();
        let output = command
            .args(["live", "-"])
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(says), "{said}");
    }
}

/// The rows come when their time is over, and while nothing is captured.
#[test]
fn silence_has_rows_while_it_lasts() {
    let mut child = program()
        .args(["live", "-", "--format", "ndjson", "--interval", "1s"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, written) = channel();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let _ = sender.send(serde_json::from_str::<Value>(&line).unwrap());
        }
    });
    let capture = std::fs::read(root().join("captures/demo.pcapng")).unwrap();
    stdin.write_all(&capture).unwrap();
    let mut silent = 0;
    while silent < 3 {
        let row = written.recv_timeout(Duration::from_secs(60)).unwrap();
        if row["type"] == "segment" {
            // The demo ends 22 s after the minute.
            let late = row["start"].as_str().unwrap() >= "1999-03-01T09:01:23";
            assert!(!late || number(&row, "frames") == 0, "{row}");
            silent += i32::from(late);
        }
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// The demo, with its clock off by so much at each frame, counted from 1.
pub(crate) fn stepped(off_ns: impl Fn(u64) -> i64) -> Vec<u8> {
    let file = root().join("captures/demo.pcapng");
    let mut source = wirewait_capture::open(&[file], &Options::default()).unwrap();
    let mut writer = PcapngWriter::new(Vec::new(), "test").unwrap();
    let ethernet = Description::of(LinkType::ETHERNET);
    writer.describe(&ethernet).unwrap();
    let mut number = 0;
    while let Some(frame) = source.next_frame().unwrap() {
        number += 1;
        assert_eq!(frame.link, LinkType::ETHERNET);
        let at = frame.at.plus(off_ns(number));
        let interface = 0;
        let frame = Frame {
            at,
            interface,
            ..frame
        };
        writer.frame(&frame, None).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn a_clock_that_is_set_makes_neither_hours_of_rows_nor_none() {
    for (off, words) in [(-HOUR_NS, " s back: "), (HOUR_NS, " s ahead at once")] {
        let capture = stepped(|number| if number > 1350 { off } else { 0 });
        let name = format!("off by {off}");
        same(&name, &capture, "10s");
        let folder = Folder::new(&name.replace(' ', "-"));
        let mut command = program();
        command.args(["live", "-", "--format", "ndjson", "--interval", "10s"]);
        command.args([
            "--save",
            "lan.pcapng",
            "--save-time",
            "20s",
            "--listen",
            "127.0.0.1:0",
        ]);
        let (text, said) = fed(command.current_dir(&*folder), &capture);
        assert!(said.contains(words), "{said}");
        let found = rows(&text);
        let segment = of_type(&found, "segment");
        // The interval of the step is in two parts.
        assert_eq!(segment.len(), 10, "{name}");
        // Ahead: with a response, for which no client waits an hour without a frame.
        assert_eq!(sum(&segment, "clock_steps"), 1, "{name}");
        let starts: Vec<&str> = segment
            .iter()
            .map(|row| row["start"].as_str().unwrap())
            .collect();
        let after = if off < 0 { "T08:" } else { "T10:" };
        let stepped = starts
            .iter()
            .position(|start| start.contains(after))
            .unwrap();
        assert!((1..9).contains(&stepped), "{starts:?}");
        assert!(
            starts[stepped..].iter().all(|start| start.contains(after)),
            "{starts:?}"
        );
        // All frames are saved, in files of a bounded number.
        let files: Vec<PathBuf> = crate::support::files(&folder);
        assert!((2..=9).contains(&files.len()), "{files:?}");
        let read = program()
            .args(["report", "--format", "json"])
            .args(&files)
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&read.stdout).unwrap();
        assert_eq!(number(&report["capture"], "frames"), 2702, "{name}");
    }
}

/// Two clocks an hour apart, frame by frame: no row is made of the other's frames.
#[test]
fn stamps_that_jump_to_and_fro_are_no_flood() {
    let jumping = |number: u64| if number.is_multiple_of(2) { HOUR_NS } else { 0 };
    let capture = stepped(jumping);
    same("to and fro", &capture, "10s");
    let found = intervals(&capture, "10s");
    assert_eq!(of_type(&found, "segment").len(), 9);
    // A single stamp 26 years ahead.
    let stray = stepped(|number| {
        if number == 1350 {
            26 * 8766 * HOUR_NS
        } else {
            0
        }
    });
    same("stray", &stray, "10s");
    let found = intervals(&stray, "10s");
    assert_eq!(of_type(&found, "segment").len(), 9);
}
