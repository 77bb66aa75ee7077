//! Captures whose stamps are of two clocks, or of one that was set within a message: no share of the time that a clock
//! invents, and what to do is said.

use crate::support::{Folder, capture_of, program};
use serde_json::Value;
use wirewait_synth::{OwnedFrame, Scenario};

const MS: i64 = 1_000_000;
const HOUR: i64 = 3_600_000 * MS;

/// Sixty writes of three segments, one each 10 ms, of which the server takes 7.
fn writes() -> Vec<OwnedFrame> {
    let mut text = "title two clocks\nclient C tcp 10.0.0.1:1025\nserver S tcp 10.0.0.9:445\n\
                    0.000 C>S connect gap=0.0001\n"
        .to_owned();
    for n in 1..=60 {
        let ms = 10 * n;
        let line = format!(
            "0.{ms:03} C>S smb2 write data=4000 mid={n}\n0.{:03} S>C smb2 write count=4000 mid={n}\n",
            ms + 7
        );
        text.push_str(&line);
    }
    text.push_str("[answer]\n");
    let scenario = Scenario::parse("two clocks", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    scenario.frames().to_vec()
}

/// Whether the client sent it: its port is the TCP source port.
fn is_clients(frame: &OwnedFrame) -> bool {
    frame.as_frame().bytes[34..36] == 1025_u16.to_be_bytes()
}

/// Those of the server are stamped by a clock that is so far ahead.
fn server_ahead(by: i64) -> Vec<OwnedFrame> {
    let mut frames = writes();
    for frame in frames.iter_mut().filter(|frame| !is_clients(frame)) {
        frame.at = frame.at.plus(by);
    }
    frames
}

fn report(name: &str, frames: &[OwnedFrame], format: &[&str]) -> String {
    let file = format!("wirewait-two-clocks-{name}-{}.pcapng", std::process::id());
    let folder = Folder::new("two-clocks");
    let file = folder.join(file);
    std::fs::write(&file, capture_of(frames)).unwrap();
    let report = program().arg("report").args(format).arg(&file).output();
    String::from_utf8(report.unwrap().stdout).unwrap()
}

fn verdict(name: &str, frames: &[OwnedFrame]) -> Value {
    let text = report(name, frames, &["--format", "json"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    json["verdict"].clone()
}

#[test]
fn one_clock_has_a_verdict() {
    let verdict = verdict("one", &writes());
    let culprit = verdict["culprit"].as_str().unwrap();
    assert!(culprit.contains("server"), "{verdict}");
    let said = verdict["doubts"].to_string();
    assert!(!said.contains("two") && !said.contains("set"), "{said}");
}

/// Each answer goes back in time, or each request behind one.
#[test]
fn directions_with_clocks_of_their_own_give_no_verdict() {
    for ms in [200, -20, -3_600_000] {
        let frames = server_ahead(ms * MS);
        let verdict = verdict(&format!("ahead-{ms}"), &frames);
        assert_eq!(verdict["culprit"], "none", "{ms} ms: {verdict}");
        let said = verdict["doubts"].to_string();
        assert!(said.contains("too often for one clock"), "{ms} ms: {said}");
        assert!(said.contains("editcap -t"), "{ms} ms: {said}");
    }
}

/// Every third request takes 7 ms and the others 1; the server's clock is 2 ms behind. Those of 7 have a response, and those
/// of 1 have theirs before they are sent.
#[test]
fn a_clock_that_is_behind_by_less_than_some_requests_take_gives_no_verdict() {
    let mut text = "title two clocks\nclient C tcp 10.0.0.1:1025\nserver S tcp 10.0.0.9:445\n\
                    0.000 C>S connect gap=0.0001\n"
        .to_owned();
    for n in 1..=60 {
        let (ms, takes) = (10 * n, if n % 3 == 0 { 7 } else { 1 });
        let line = format!(
            "0.{ms:03} C>S smb2 read file=1 length=400 mid={n}\n0.{:03} S>C smb2 read data=400 mid={n}\n",
            ms + takes
        );
        text.push_str(&line);
    }
    text.push_str("[answer]\n");
    let scenario = Scenario::parse("two clocks", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let one_clock = scenario.frames().to_vec();
    let mut frames = one_clock.clone();
    for frame in frames.iter_mut().filter(|frame| !is_clients(frame)) {
        frame.at = frame.at.plus(-2 * MS);
    }
    frames.sort_by_key(|frame| frame.at);
    let one_clock = verdict("behind-one", &one_clock);
    assert_eq!(one_clock["answered"], 60);
    assert_ne!(one_clock["culprit"], "none", "{one_clock}");
    let verdict = verdict("behind-some", &frames);
    assert_eq!(verdict["culprit"], "none", "{verdict}");
    assert!(verdict["answered"].as_u64() >= Some(20), "{verdict}");
    let said = verdict["doubts"].to_string();
    assert!(said.contains("two clocks"), "{said}");
}

/// Sorted by their stamps, an hour of requests comes first, and then the responses to them.
#[test]
fn an_hour_between_requests_and_responses_is_that_of_two_clocks() {
    let mut frames = server_ahead(HOUR);
    frames.sort_by_key(|frame| frame.at);
    let verdict = verdict("hour", &frames);
    assert_eq!(verdict["culprit"], "none", "{verdict}");
    let said = verdict["doubts"].to_string();
    assert!(
        said.contains("60 requests and 60 responses without the other"),
        "{said}"
    );
    assert!(!said.contains("apture at the server"), "{said}");
}

/// The clock is set between two segments of a write, the first of which is not acknowledged: its sender would have sent it
/// again. Nobody has the hour.
#[test]
fn an_hour_within_a_message_is_nobodys() {
    let mut frames = writes();
    let segments = frames
        .iter()
        .enumerate()
        .filter(|(_, frame)| is_clients(frame) && frame.as_frame().bytes.len() > 1_000);
    // Three segments of each write: the second of the thirtieth.
    let (place, _) = segments.into_iter().nth(3 * 29 + 1).unwrap();
    for frame in &mut frames[place..] {
        frame.at = frame.at.plus(HOUR);
    }
    let [plain, set] = [("plain", &writes()), ("set", &frames)].map(|(name, of)| verdict(name, of));
    assert_eq!(set["culprit"], plain["culprit"], "{set}");
    let said = set["doubts"].to_string();
    assert!(said.contains("seems to have been set forward"), "{said}");
    // The one that was open counts for nobody.
    let active = |of: &Value| of["active_ns"].as_i64().unwrap();
    assert!(
        (active(&plain) - active(&set)).abs() <= 10 * MS,
        "{plain}\n{set}"
    );
}

/// Frames that are cut before the header of a message says anything.
#[test]
fn frames_that_are_cut_short_are_said_to_be() {
    let mut frames = writes();
    for frame in &mut frames {
        let length = frame.bytes.len().min(68);
        frame.bytes.truncate(length);
    }
    let text = report("cut", &frames, &[]);
    assert!(text.contains("only the beginnings of its frames"), "{text}");
    assert!(text.contains("-s 0"), "{text}");
    assert!(!text.contains("without a filter on ports"), "{text}");
}

/// What was asked for is in the command that shows more, and its words are quoted.
#[test]
fn the_next_command_asks_for_the_same() {
    let folder = Folder::new("next");
    let file = folder.join("a capture.pcapng");
    std::fs::write(&file, capture_of(&writes())).unwrap();
    let short = program()
        .args(["--short", "--filter", "tcp port 445"])
        .arg(&file)
        .output()
        .unwrap();
    let text = String::from_utf8(short.stdout).unwrap();
    let line = text
        .lines()
        .find(|line| line.contains("next: wirewait --full"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let expected = format!("--filter 'tcp port 445' '{}'", file.display());
    assert!(line.contains(&expected), "{line}");
}

/// One direction: requests there are, and the page does not say that there are none.
#[test]
fn a_page_with_requests_does_not_say_that_it_has_none() {
    let frames: Vec<OwnedFrame> = writes().into_iter().filter(is_clients).collect();
    for format in [&["--short"][..], &["--full"]] {
        let text = report("requests", &frames, format);
        assert!(
            !text.contains("No request to a file server was found"),
            "{text}"
        );
        assert!(text.contains("No verdict"), "{text}");
    }
}
