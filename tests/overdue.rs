//! Responses later than `--timeout`, and requests that are never answered, where the server's transport said that it
//! had them: the time is the server's.

use crate::support::{Folder, capture_of, program};
use serde_json::Value;
use wirewait_synth::{OwnedFrame, Scenario};

/// Reads before the one in question, and behind it.
const READS: i64 = 30;

/// Milliseconds as the scenario has them.
fn at(ms: i64) -> String {
    format!("{}.{:03}", ms / 1_000, ms % 1_000)
}

/// What happens while the server is at it.
#[derive(Clone, Copy, PartialEq)]
enum Meanwhile {
    Nothing,
    KeepAlives,
    /// Another program of the client reads.
    Reads,
}

/// How it ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Answered,
    /// The client gives up and aborts the connection.
    Aborted,
    /// The capture ends.
    Open,
}

/// Thirty reads of 1 ms, 2 ms apart; one that the server's transport acknowledges after 40 ms and that is over after so
/// long; and thirty more. The server has the long one from its request to its end.
fn frames(wait_ms: i64, meanwhile: Meanwhile, ends: Ends) -> Vec<OwnedFrame> {
    let mut lines: Vec<String> = [
        "title overdue",
        "client C tcp 10.0.0.1:1025",
        "server S tcp 10.0.0.9:445",
        "0.000 C>S connect gap=0.0001",
    ]
    .map(str::to_owned)
    .into();
    let mut number = 0;
    let mut now = 10;
    let reads = |lines: &mut Vec<String>, number: &mut i64, now: &mut i64| {
        for _ in 0..READS {
            *number += 1;
            lines.push(format!(
                "{} C>S smb2 read length=512 mid={number}",
                at(*now)
            ));
            lines.push(format!(
                "{} S>C smb2 read data=512 mid={number}",
                at(*now + 1)
            ));
            *now += 3;
        }
    };
    reads(&mut lines, &mut number, &mut now);
    number += 1;
    let late = number;
    lines.push(format!("{} C>S smb2 read length=512 mid={late}", at(now)));
    lines.push(format!("{} S>C tcp ack", at(now + 40)));
    let end = now + wait_ms;
    for ms in (now + 20_000..end).step_by(20_000) {
        if meanwhile == Meanwhile::KeepAlives {
            lines.push(format!("{} C>S tcp keepalive", at(ms)));
            lines.push(format!("{} S>C tcp ack", at(ms + 1)));
        }
        if meanwhile == Meanwhile::Reads {
            number += 1;
            lines.push(format!("{} C>S smb2 read length=512 mid={number}", at(ms)));
            lines.push(format!(
                "{} S>C smb2 read data=512 mid={number}",
                at(ms + 1)
            ));
        }
    }
    match ends {
        Ends::Answered => {
            lines.push(format!("{} S>C smb2 read data=512 mid={late}", at(end)));
            now = end + 2;
            reads(&mut lines, &mut number, &mut now);
        }
        Ends::Aborted => lines.push(format!("{} C>S tcp reset", at(end))),
        Ends::Open => {
            lines.push(format!("{} C>S tcp keepalive", at(end)));
            lines.push(format!("{} S>C tcp ack", at(end + 1)));
        }
    }
    lines.push("[answer]".to_owned());
    let text = lines.join("\n") + "\n";
    let scenario = Scenario::parse("overdue", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    scenario.frames().to_vec()
}

/// The verdict on these frames.
fn verdict(name: &str, frames: &[OwnedFrame]) -> Value {
    let json: Value = serde_json::from_slice(&reported(name, &["json"], frames)).unwrap();
    json["verdict"].clone()
}

/// What is reported of these frames in this format, and with these options behind it.
fn reported(name: &str, format: &[&str], frames: &[OwnedFrame]) -> Vec<u8> {
    let file = format!("wirewait-overdue-{name}-{}.pcapng", std::process::id());
    let folder = Folder::new("overdue");
    let file = folder.join(file);
    std::fs::write(&file, capture_of(frames)).unwrap();
    let report = program()
        .args(["report", "--format"])
        .args(format)
        .arg(&file)
        .output()
        .unwrap();
    report.stdout
}

/// The server's share contains its part of what the scenario takes; it is named, and nothing is said of a clock or of
/// requests without a response.
fn is_the_servers(name: &str, wait_ms: i64, (meanwhile, ends): (Meanwhile, Ends)) {
    let verdict = verdict(name, &frames(wait_ms, meanwhile, ends));
    assert_eq!(verdict["culprit"], "server", "{name}: {verdict}");
    let share = &verdict["shares"]["server"];
    // 1 of 3 ms of each read besides.
    let (low, high) = (
        share["low_per_mille"].as_i64().unwrap(),
        share["high_per_mille"].as_i64().unwrap(),
    );
    let times = if ends == Ends::Answered { 2 } else { 1 };
    let (server, all) = (wait_ms + READS * times, wait_ms + 3 * READS * times);
    let true_share = 1000 * server / all;
    assert!(
        low <= true_share + 2 && true_share - 2 <= high,
        "{name}: {true_share}, {share}"
    );
    let said = verdict.to_string();
    for wrong in ["seems to have been set", "never answered"] {
        assert!(!said.contains(wrong), "{name}: {said}");
    }
}

#[test]
fn a_response_behind_the_time_out_is_the_servers_time() {
    for wait_ms in [59_000, 61_000, 70_000, 300_000] {
        for (name, meanwhile) in [
            ("silent", Meanwhile::Nothing),
            ("keepalive", Meanwhile::KeepAlives),
            ("reads", Meanwhile::Reads),
        ] {
            let name = format!("{name}-{wait_ms}");
            is_the_servers(&name, wait_ms, (meanwhile, Ends::Answered));
        }
    }
}

#[test]
fn a_request_that_arrived_and_is_given_up_is_the_servers_time() {
    is_the_servers("aborted", 35_000, (Meanwhile::Nothing, Ends::Aborted));
}

/// Where the capture ends first, nobody can tell what became of it: its time is unknown, and it is named. A time-out that
/// has passed says that nobody waits any more: the server had it until then.
#[test]
fn a_request_that_is_open_when_the_capture_ends_is_named() {
    let frames = frames(30_000, Meanwhile::KeepAlives, Ends::Open);
    let said = verdict("open", &frames);
    assert_eq!(said["culprit"], "none", "{said}");
    let doubt = said["doubts"].to_string();
    for part in [
        "SMB2 READ of 10.0.0.1:1025 at 10.0.0.9:445 (frame ",
        "was open for 30.0 s when the capture ended, without a response; the server's transport had acknowledged it",
    ] {
        assert!(doubt.contains(part), "{doubt}");
    }
    let short = String::from_utf8(reported("open-text", &["text"], &frames)).unwrap();
    assert!(short.contains("without a response"), "{short}");
    let timed = reported("open-timed", &["json", "--timeout", "20s"], &frames);
    let timed: Value = serde_json::from_slice(&timed).unwrap();
    assert_eq!(
        timed["verdict"]["culprit"], "server",
        "{}",
        timed["verdict"]
    );
}

/// Nothing says that it arrived: the client would have sent it again, so the clock is suspected.
#[test]
fn without_an_acknowledgement_the_clock_is_suspected() {
    let mut frames = frames(70_000, Meanwhile::Nothing, Ends::Answered);
    // The acknowledgement is the last frame before the silence.
    let behind = frames
        .windows(2)
        .position(|two| two[1].at.since(two[0].at) > 60_000_000_000);
    frames.remove(behind.unwrap());
    let said = verdict("unacknowledged", &frames).to_string();
    assert!(said.contains("seems to have been set"), "{said}");
}
