//! Rows of transactions as files of columns, judged by engines that are not ours.

#![cfg_attr(not(feature = "columns"), allow(dead_code, unused_imports))]

use crate::support::{captures, program, root, shared_folder};
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Python with the engines; `None`, with a loud word, where they cannot be had.
fn python(test: &str) -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = PYTHON.get_or_init(|| {
        let output = Command::new(root().join("scripts/rows-venv.sh"))
            .arg(root().join("target/rows-venv"))
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().into())
    });
    if found.is_none() {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_ENGINES").is_none(),
            "{test}: the engines are required"
        );
        eprintln!("SKIPPED: {test}: no python3 with pyarrow, polars, pandas, duckdb and chdb");
    }
    found.as_deref()
}

fn judge(python: &Path, arguments: &[&str]) -> String {
    let output = Command::new(python)
        .arg(root().join("tests/rows.py"))
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    String::from_utf8(output.stdout).unwrap()
}

fn run(arguments: &[&str], output: &Path, captures: &[PathBuf]) {
    let done = program()
        .args(arguments)
        .arg("--output")
        .arg(output)
        .args(captures)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("rows")
        .join(name);
    shared_folder(&folder);
    folder
}

fn write_all(name: &str, captures: &[PathBuf]) -> PathBuf {
    let folder = folder(name);
    for format in ["ndjson", "csv", "parquet", "arrow"] {
        let output = folder.join("rows").with_extension(format);
        run(&["transactions", "--format", format], &output, captures);
    }
    folder
}

fn demo() -> PathBuf {
    root().join("captures/demo.pcapng")
}

#[cfg(feature = "columns")]
#[test]
fn all_formats_hold_the_same_rows() {
    let test = "all_formats_hold_the_same_rows";
    let Some(python) = python(test) else { return };
    let mut inputs = vec![vec![demo()]];
    if let Some(shared) = captures(test) {
        inputs.push(vec![
            shared.join("lab/10_loss3pct_dup1pct_reorder2pct_srv.pcap"),
        ]);
        inputs.push(vec![
            shared.join("lab/nbf1_llc2_smb1_3clients_srv.pcap"),
            shared.join("lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap"),
        ]);
    }
    let schema = root().join("schemas/transaction.schema.json");
    for (n, input) in inputs.iter().enumerate() {
        let folder = write_all(&format!("same{n}"), input);
        let count = judge(
            python,
            &["same", folder.to_str().unwrap(), schema.to_str().unwrap()],
        );
        assert!(count.trim().parse::<u32>().unwrap() > 100, "{count}");
    }
}

/// "p99 of READ by server and hour", in one statement of each engine, from each format.
#[cfg(feature = "columns")]
#[test]
fn each_engine_answers_in_one_statement() {
    let Some(python) = python("each_engine_answers_in_one_statement") else {
        return;
    };
    let folder = write_all("ask", &[demo()]);
    let docs = root().join("docs/rows.md");
    let answer = judge(
        python,
        &["ask", folder.to_str().unwrap(), docs.to_str().unwrap()],
    );
    let answer: Vec<(String, String, i64)> = serde_json::from_str(&answer).unwrap();
    // The report's own figures: one command of reads each, in one hour.
    let report = program()
        .args(["report", "--format", "json"])
        .arg(demo())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let mut own: HashMap<&str, i64> = HashMap::new();
    for row in report["servers"].as_array().unwrap() {
        if ["READ", "READ_ANDX", "READ FROM A FILE"].contains(&row["command"].as_str().unwrap()) {
            let p99 = row["turnaround"]["p99_ns"].as_i64().unwrap();
            assert!(own.insert(row["server"].as_str().unwrap(), p99).is_none());
        }
    }
    assert_eq!(answer.len(), 4, "{answer:?}");
    for (server, hour, p99) in &answer {
        assert_eq!(hour, "1999-03-01T09");
        let own = own[server.as_str()];
        // Buckets of the report are at most 0.8 % wide.
        assert!((own - p99).abs() * 125 <= *p99, "{server}: {own} {p99}");
    }
}

/// Frames as columns are those of `decode --format json`.
#[cfg(feature = "columns")]
#[test]
fn frames_are_those_of_json() {
    let Some(python) = python("frames_are_those_of_json") else {
        return;
    };
    let folder = folder("frames");
    for (format, name) in [
        ("json", "ndjson"),
        ("parquet", "parquet"),
        ("arrow", "arrow"),
    ] {
        let output = folder.join("frames").with_extension(name);
        run(&["decode", "--format", format], &output, &[demo()]);
    }
    let count = judge(python, &["frames", folder.to_str().unwrap()]);
    assert!(count.trim().parse::<u32>().unwrap() > 2000, "{count}");
}

/// Counters as columns are those of `counters --format csv`.
#[cfg(feature = "columns")]
#[test]
fn counters_are_those_of_csv() {
    let Some(python) = python("counters_are_those_of_csv") else {
        return;
    };
    let folder = folder("counters");
    for format in ["csv", "parquet", "arrow"] {
        let output = folder.join("counters").with_extension(format);
        run(&["counters", "--format", format], &output, &[demo()]);
    }
    let count = judge(python, &["counters", folder.to_str().unwrap()]);
    assert!(count.trim().parse::<u32>().unwrap() > 500, "{count}");
}

fn rows(captures: &[PathBuf]) -> Vec<Value> {
    let output = program()
        .args(["transactions", "--format", "ndjson"])
        .args(captures)
        .output()
        .unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// Of several files, a row names the one that its request is in, and the frame there.
#[test]
fn rows_name_their_file() {
    let files = ["smb2/session", "nbf/example", "demo"]
        .map(|name| root().join("captures").join(name).with_extension("pcapng"));
    let mut alone: HashMap<(String, u64), String> = HashMap::new();
    for file in &files {
        for row in rows(std::slice::from_ref(file)) {
            let frame = row["request_first_frame"].as_u64();
            let frame = frame.or(row["response_first_frame"].as_u64()).unwrap();
            assert_eq!(row["file"], file.display().to_string());
            assert_eq!(row["frame_in_file"], frame);
            let command = row["command"].as_str().unwrap().to_owned();
            alone.insert((file.display().to_string(), frame), command);
        }
    }
    let together = rows(&files);
    assert!(together.len() > 5 && alone.len() > 5);
    for row in &together {
        let frame = row["frame_in_file"].as_u64().unwrap();
        let key = (row["file"].as_str().unwrap().to_owned(), frame);
        assert_eq!(
            alone.get(&key).map(String::as_str),
            row["command"].as_str(),
            "{key:?}"
        );
    }
    let named: std::collections::HashSet<_> = together.iter().map(|row| &row["file"]).collect();
    assert_eq!(named.len(), 3);
}

/// A full disk is an error, and nothing stands under the name of the output.
#[cfg(unix)]
#[cfg(feature = "columns")]
#[test]
fn nothing_is_half_written() {
    let folder = folder("full");
    for format in ["parquet", "arrow"] {
        let file = folder.join("rows").with_extension(format);
        let _ = std::fs::remove_file(&file);
        let line = r#"ulimit -f 8; exec "$0" transactions "$@""#;
        let output = Command::new("bash")
            .args(["-c", line, env!("CARGO_BIN_EXE_wirewait"), "--no-config"])
            .args(["--format", format, "--output"])
            .arg(&file)
            .arg(demo())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains(&file.display().to_string()), "{told}");
        let left: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| {
                name.to_string_lossy().contains(format) || name.to_string_lossy().contains("new")
            })
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
