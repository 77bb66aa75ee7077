//! `wirewait counters`, judged by readers of its formats that are not ours.

use crate::support::{captures, files, root};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn counters(capture: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = crate::support::program()
        .arg("counters")
        .arg(capture)
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", capture.display());
    output.stdout
}

/// Runs a program of Python on this input; `None`, with a loud word, where a module is missing.
pub(crate) fn python(test: &str, modules: &[&str], program: &str, input: &[u8]) -> Option<String> {
    let imports = format!("import {}", modules.join(", "));
    let there = Command::new("python3").args(["-c", &imports]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: {test}: no python3 with {}", modules.join(" and "));
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn some_captures() -> Vec<PathBuf> {
    [
        "demo",
        "nbf/link-upkeep",
        "nbf/example",
        "spx/spx2",
        "nbipx/session",
        "smb2/session",
    ]
    .map(|name| root().join("captures").join(name).with_extension("pcapng"))
    .to_vec()
}

#[test]
fn json_is_as_its_schema_says() {
    let schema = root().join("schemas/counters.schema.json");
    let program = format!(
        "import json, sys, jsonschema\n\
         schema = json.load(open({schema:?}))\n\
         jsonschema.Draft202012Validator.check_schema(schema)\n\
         document = json.load(sys.stdin)\n\
         jsonschema.Draft202012Validator(schema).validate(document)\n\
         n = len(document['times'])\n\
         rows = document['instances']\n\
         assert all(len(c['values']) == n for r in rows for c in r['counters'])\n\
         print(len(rows))"
    );
    for capture in some_captures() {
        let document = counters(&capture, &["--format", "json"]);
        let test = "json_is_as_its_schema_says";
        let Some(rows) = python(test, &["json", "jsonschema"], &program, &document) else {
            return;
        };
        assert!(rows.trim().parse::<u32>().unwrap() > 0, "{rows}");
    }
}

/// What perfmon-mcp makes of the log that `relog` writes: a time, and for each path host,
/// object, instance, counter. It is not on the package index: `docs/decisions/0013-counters.md`
/// says where it is.
#[test]
fn pdh_csv_is_read_by_others() {
    let program = "\
        import pathlib, sys, tempfile\n\
        from perfmon_mcp.parsing.relog import parse_relog_csv\n\
        file = pathlib.Path(tempfile.mkdtemp()) / 'log.csv'\n\
        file.write_bytes(sys.stdin.buffer.read())\n\
        table = parse_relog_csv(file)\n\
        assert table.Timestamp.notna().all()\n\
        one = table[(table.Object == 'NetBEUI') & (table.Counter == 'Packets Received/sec')]\n\
        one = one[one.Hostname == '00-00-1B-00-00-01']\n\
        assert one.Timestamp.is_monotonic_increasing\n\
        print(one.Value.sum(), table.Object.nunique())";
    let capture = root().join("captures/nbf/link-upkeep.pcapng");
    let log = counters(&capture, &["--format", "pdh-csv"]);
    let modules = ["pandas", "perfmon_mcp.parsing.relog"];
    if let Some(found) = python("pdh_csv_is_read_by_others", &modules, program, &log) {
        // 15 of its 33 frames go to the client; the intervals are a second long. Objects:
        // segment, interface, NetBEUI, redirector, server, queues.
        assert_eq!(found.trim(), "15.0 6");
    }
}

/// The format without a reader of its own: quoted, as many values as names, times that rise.
#[test]
fn pdh_csv_is_a_table() {
    for capture in some_captures() {
        let log = String::from_utf8(counters(&capture, &["--format", "pdh-csv"])).unwrap();
        let mut lines = log.split_terminator("\r\n");
        let names: Vec<&str> = lines.next().unwrap().split("\",\"").collect();
        assert_eq!(names[0], "\"(PDH-CSV 4.0) (UTC)(0)");
        assert!(names[1..].iter().all(|name| name.starts_with(r"\\")));
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "no path twice");
        let mut last = String::new();
        for line in lines {
            assert!(line.starts_with('"') && line.ends_with('"'), "{line}");
            let values: Vec<&str> = line.trim_matches('"').split("\",\"").collect();
            assert_eq!(values.len(), names.len(), "{line}");
            assert!(values[0] > last.as_str(), "{} after {last}", values[0]);
            last = values[0].to_owned();
            let numbers = values[1..].iter();
            assert!(
                numbers
                    .clone()
                    .all(|v| *v == " " || v.parse::<f64>().is_ok())
            );
        }
    }
}

/// Real and lab captures, whatever is in them: sensible, and no number that is none.
#[test]
fn counters_of_all_captures_are_numbers() {
    let Some(folder) = captures("counters_of_all_captures_are_numbers") else {
        return;
    };
    let mut seen = 0;
    for part in ["real", "lab"] {
        for capture in files(&folder.join(part)) {
            let known = capture.extension().and_then(|e| e.to_str());
            let small = capture.metadata().is_ok_and(|data| data.len() < 2_000_000);
            if !matches!(known, Some("pcap" | "pcapng" | "cap")) || !small {
                continue;
            }
            let output = crate::support::program()
                .arg("counters")
                .arg(&capture)
                .args(["--interval", "1h"])
                .output()
                .unwrap();
            let shown = String::from_utf8(output.stdout).unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            // Damaged captures are among them: 3.
            assert!(matches!(code, Some(0 | 3)), "{}: {told}", capture.display());
            assert!(!shown.contains("NaN") && !shown.contains("inf "), "{shown}");
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen}");
}
