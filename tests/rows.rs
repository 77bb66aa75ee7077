//! Rows of transactions name the files that they come from.

use crate::support::{program, root};
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;

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
    let files = ["smb2/session", "nbf/example", "ncp/session"]
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
