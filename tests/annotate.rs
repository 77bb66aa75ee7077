//! `report --format pcapng`: the capture stays what it was, and tshark shows the comments where its
//! own analysis has what they say.

use crate::support::{program, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub(crate) fn capture(name: &str) -> PathBuf {
    root().join("captures").join(name).with_extension("pcapng")
}

fn annotated(capture: &Path, arguments: &[&str]) -> PathBuf {
    let folder = root().join("target/annotate");
    std::fs::create_dir_all(&folder).unwrap();
    let name = capture.file_name().unwrap().to_str().unwrap();
    let out = folder.join(format!("{}{name}", arguments.join("")));
    let done = report(
        &[&["-o", out.to_str().unwrap()], arguments].concat(),
        capture,
    );
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    out
}

fn report(arguments: &[&str], capture: &Path) -> Output {
    let mut command = program();
    command.arg("report").args(arguments).arg(capture);
    command.stdin(Stdio::null()).output().unwrap()
}

/// What tshark prints; `None` where it is missing.
pub(crate) fn tshark(capture: &Path, arguments: &[&str]) -> Option<String> {
    let done = Command::new("tshark")
        .arg("-r")
        .arg(capture)
        .args(arguments)
        .output();
    match done {
        Ok(done) => Some(String::from_utf8(done.stdout).unwrap()),
        Err(_) if std::env::var_os("WIREWAIT_REQUIRE_TSHARK").is_some() => {
            panic!("tshark is missing")
        }
        Err(_) => {
            println!("SKIPPED: there is no tshark");
            None
        }
    }
}

/// Frames with a comment that contains this, by tshark.
pub(crate) fn commented(capture: &Path, text: &str) -> Option<BTreeSet<u64>> {
    let filter = format!("frame.comment contains \"{text}\"");
    numbers(capture, &filter, "frame.number")
}

pub(crate) fn numbers(capture: &Path, filter: &str, field: &str) -> Option<BTreeSet<u64>> {
    let printed = tshark(capture, &["-Y", filter, "-T", "fields", "-e", field])?;
    Some(printed.lines().map(|line| line.parse().unwrap()).collect())
}

#[test]
fn frames_are_those_of_the_capture() {
    for name in [
        "demo",
        "capture/mirror",
        "tcp/lost-behind-capture",
        "last/session",
    ] {
        let capture = capture(name);
        let out = annotated(&capture, &[]);
        let bytes = |path| tshark(path, &["-x", "-t", "e"]);
        let (Some(before), Some(after)) = (bytes(&capture), bytes(&out)) else {
            return;
        };
        assert!(!before.is_empty());
        assert_eq!(before, after, "{name}");
    }
}

#[test]
fn a_report_of_it_is_that_of_the_capture() {
    for name in ["demo", "capture/mirror", "ncp/burst", "smb2/session"] {
        let capture = capture(name);
        let out = annotated(&capture, &[]);
        let figures = |path: &Path| {
            let done = report(&["--format", "json"], path);
            let mut json: Value = serde_json::from_slice(&done.stdout).unwrap();
            json["capture"]["files"].take();
            json
        };
        assert_eq!(figures(&capture), figures(&out), "{name}");
    }
}

#[test]
fn slow_requests_and_responses_are_those_that_tshark_times() {
    let capture = capture("demo");
    let out = annotated(&capture, &[]);
    // A CHANGE_NOTIFY waits by design.
    let slow = "smb2.time > 0.1 && smb2.cmd == 8";
    let Some(responses) = numbers(&capture, slow, "frame.number") else {
        return;
    };
    let requests = numbers(&capture, slow, "smb2.response_to").unwrap();
    assert!(responses.len() >= 10 && requests.len() == responses.len());
    let said = commented(&out, "response to the slow smb2 READ").unwrap();
    assert_eq!(said, responses);
    assert_eq!(
        commented(&out, "wirewait: slow smb2 READ").unwrap(),
        requests
    );
    // The scenario says which: every tenth read of one server, 250 ms.
    let first = tshark(
        &out,
        &[
            "-Y",
            "frame.number == 126",
            "-T",
            "fields",
            "-e",
            "frame.comment",
        ],
    );
    assert_eq!(
        first.unwrap().trim_end(),
        "wirewait: slow smb2 READ: response time 250 ms, server turnaround 250 ms, response in \
         frame 168, file archive.dat; symptom \"Regular slow responses\" of 10.0.0.22 at 10.0.0.8; \
         symptom \"Slow responses\" of server 10.0.0.8"
    );
}

#[test]
fn a_higher_threshold_leaves_fewer_slow_requests() {
    let capture = capture("demo");
    let out = annotated(&capture, &["--threshold", "slow_answer_ms=300"]);
    let Some(slow) = commented(&out, "slow smb2 READ") else {
        return;
    };
    assert!(slow.is_empty(), "{slow:?}");
    assert!(!commented(&out, "slow ncp READ").unwrap().is_empty());
}

#[test]
fn retransmissions_are_those_that_tshark_sees() {
    let mut seen = 0;
    // What was lost before the capture shows once only, and late: that is no second copy.
    for name in ["tcp/lost-behind-capture", "tcp/answer-segment-again"] {
        let capture = capture(name);
        let out = annotated(&capture, &[]);
        let Some(theirs) = numbers(&capture, "tcp.analysis.retransmission", "frame.number") else {
            return;
        };
        assert_eq!(commented(&out, "retransmission").unwrap(), theirs, "{name}");
        seen += theirs.len();
    }
    assert_eq!(seen, 2);
}

#[test]
fn the_verdict_is_the_comment_on_the_file() {
    let capture = capture("demo");
    let out = annotated(&capture, &[]);
    let done = report(&["--short"], &capture);
    let verdict = String::from_utf8(done.stdout).unwrap();
    let words: Vec<&str> = verdict.split_whitespace().take(12).collect();
    let bytes = std::fs::read(out).unwrap();
    let wanted = words.join(" ");
    assert!(
        bytes
            .windows(wanted.len())
            .any(|there| there == wanted.as_bytes()),
        "{wanted}"
    );
}

#[test]
fn what_cannot_be_is_said() {
    let done = report(&["--format", "pcapng"], Path::new("-"));
    assert_eq!(done.status.code(), Some(2));
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(said.contains("read twice"), "{said}");
    let summary = ["--format", "pcapng", "--summary", "/dev/null"];
    assert_eq!(report(&summary, &capture("demo")).status.code(), Some(2));
}
