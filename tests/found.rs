//! Captures that once showed a wrong or a hidden figure: what is true of each, row by row of their
//! index. `tests/saved.rs` has the one from a full disk, `tests/safe.rs` the one with a formula for a
//! name and the one with a stray stamp.

use crate::support::{Analysis, analyse, captures};
use wirewait_analysis::{Flags, Grade, Outcome, Transaction, Turnaround};

/// Of this capture, if it is there.
fn found(test: &str, file: &str) -> Option<Analysis> {
    let path = captures(test)?.join("found").join(file);
    Some(analyse(&[path]).unwrap())
}

/// The times that a row shows, below each other.
fn times(t: &Transaction) -> Vec<i64> {
    let (low, high) = match t.turnaround {
        Turnaround::Between(low, high) => (Some(low), Some(high)),
        other => (other.exact(), None),
    };
    let all = [
        low,
        high,
        t.response_time_ns(),
        t.request_transfer_ns(),
        t.response_transfer_ns(),
        t.first_interim_ns(),
        t.service_ns,
    ];
    all.into_iter().flatten().collect()
}

fn frames(t: &Transaction) -> (Option<u64>, Option<u64>) {
    (
        t.request.map(|extent| extent.first.frame),
        t.response.map(|extent| extent.first.frame),
    )
}

/// Frame 1 is the head of a response whose end and whose request the capture lacks; frame 3 asks with
/// the same multiplex number, and the capture ends in its response.
#[test]
fn found_a_response_behind_a_gap_is_not_the_next_requests() {
    let test = "found_a_response_behind_a_gap_is_not_the_next_requests";
    let Some(Analysis { transactions, .. }) = found(test, "one-frame-lost-negative.pcap") else {
        return;
    };
    let rows: Vec<_> = transactions.iter().map(frames).collect();
    assert_eq!(rows, [(None, Some(1)), (Some(3), None)]);
    for t in &transactions {
        assert!(times(t).iter().all(|ns| *ns >= 0), "{t:?}");
    }
    assert_eq!(transactions[0].outcome, Outcome::OrphanResponse);
    assert!(transactions[0].flags.contains(Flags::CAPTURE_LOSS));
    assert!(transactions[1].flags.contains(Flags::OPEN_AT_END));
}

/// In each the clock was set back by an hour, or one stamp is wrong, within one write; everything
/// else keeps its times, which are those of milliseconds.
#[test]
fn found_no_time_reaches_across_a_step_of_the_clock() {
    for (file, rows, write) in [
        ("clock-last-session-back-20.pcap", 7, 20),
        ("clock-last-session-glitch-19.pcap", 7, 20),
        ("clock-nbf-write-back-11.pcap", 3, 11),
        ("clock-nbf-write-glitch-10.pcap", 3, 11),
        ("clock-smb2-session-back-20.pcap", 12, 20),
        ("clock-smb2-session-glitch-19.pcap", 12, 20),
        ("1-7458-session.pcapng", 7, 20),
    ] {
        let test = "found_no_time_reaches_across_a_step_of_the_clock";
        let Some(Analysis { transactions, .. }) = found(test, file) else {
            return;
        };
        assert_eq!(transactions.len(), rows, "{file}");
        for t in &transactions {
            assert_eq!(t.outcome, Outcome::Answered, "{file}: {t:?}");
            let within = frames(t).0 == Some(write);
            assert_eq!(t.flags.contains(Flags::CLOCK_STEP), within, "{file}: {t:?}");
            let times = times(t);
            assert_eq!(times.is_empty(), within, "{file}: {t:?}");
            let sound = |ns: &i64| (0..20_000_000).contains(ns);
            assert!(times.iter().all(sound), "{file}: {t:?}");
        }
    }
}

/// Frames 41 and 42 are records of nothing, stamped 37 years before the others.
#[test]
fn found_a_capture_is_as_long_as_its_clock_says() {
    let test = "found_a_capture_is_as_long_as_its_clock_says";
    let Some(analysis) = found(test, "clock-step.pcap.zst") else {
        return;
    };
    let capture = &analysis.snapshot.capture;
    assert!(capture.elapsed_ns < 60_000_000_000, "{capture:?}");
    let steps = capture.reasons.iter().find(|r| r.name == "clock_steps");
    assert!(steps.is_none(), "{steps:?}");
    assert_eq!(capture.frames, 159);
    for t in &analysis.transactions {
        assert!(times(t).iter().all(|ns| *ns >= 0), "{t:?}");
    }
}

/// Sequence numbers and stamps were damaged on purpose.
#[test]
fn found_damaged_numbers_make_no_centuries() {
    let test = "found_damaged_numbers_make_no_centuries";
    let Some(Analysis { transactions, .. }) = found(test, "1-1793-smb2_getinfo.pcap") else {
        return;
    };
    assert!(transactions.len() > 40);
    for t in &transactions {
        let sound = |ns: &i64| (0..60_000_000_000).contains(ns);
        assert!(times(t).iter().all(sound), "{t:?}");
    }
}

/// The sequence number of frame 67 is too high by 2,048: its bytes come in the middle of messages of later. From frame 130 on, each
/// request is answered in the frame behind it, as their MessageIds are the same (`smb2.msg_id` of tshark).
#[test]
fn found_messages_behind_a_damaged_sequence_number() {
    let test = "found_messages_behind_a_damaged_sequence_number";
    let Some(Analysis { transactions, .. }) = found(test, "1-1793-smb2_getinfo.pcap") else {
        return;
    };
    let frame = |extent: Option<wirewait::Extent>| extent.map(|of| of.first.frame);
    let behind = transactions.iter().filter(|t| {
        let asked = frame(t.request);
        asked >= Some(130) && t.protocol == "smb2"
    });
    let mut answered = 0;
    for t in behind {
        assert_eq!(frame(t.response), frame(t.request).map(|n| n + 1), "{t:?}");
        answered += 1;
    }
    assert!(answered > 60, "{answered}");
}

/// The capture lacks nothing: one segment was lost on the wire, and sent again so many segments later.
#[test]
fn found_a_segment_lost_on_the_wire_is_no_loss_of_the_capture() {
    for file in [
        "lost-segment-190-behind.pcap",
        "lost-segment-300-behind.pcap",
    ] {
        let test = "found_a_segment_lost_on_the_wire_is_no_loss_of_the_capture";
        let Some(analysis) = found(test, file) else {
            return;
        };
        let capture = &analysis.snapshot.capture;
        assert_eq!(capture.grade, Grade::Good, "{file}: {:?}", capture.reasons);
        let [write] = &analysis.transactions[..] else {
            panic!("{file}: {:?}", analysis.transactions);
        };
        assert_eq!(write.outcome, Outcome::Answered, "{file}");
        assert!(!write.flags.contains(Flags::CAPTURE_LOSS), "{file}");
        assert!(write.turnaround.exact().is_some(), "{file}: {write:?}");
    }
}

/// 4,000 requests are outstanding at once, and each is answered after a second.
#[test]
fn found_thousands_of_open_requests_get_their_own_answers() {
    let test = "found_thousands_of_open_requests_get_their_own_answers";
    let Some(analysis) = found(test, "open-requests-4000-1.pcap") else {
        return;
    };
    assert_eq!(analysis.transactions.len(), 4000);
    for t in &analysis.transactions {
        assert_eq!(t.outcome, Outcome::Answered, "{t:?}");
        let ns = t.response_time_ns().unwrap();
        assert!((900_000_000..1_100_000_000).contains(&ns), "{t:?}");
    }
    let capture = &analysis.snapshot.capture;
    assert_eq!(capture.grade, Grade::Good, "{:?}", capture.reasons);
}

/// Two losses of one request: no share of requests is above all of them.
#[test]
fn found_two_losses_of_one_request_are_no_two_hundred_percent() {
    let test = "found_two_losses_of_one_request_are_no_two_hundred_percent";
    let Some(folder) = captures(test) else {
        return;
    };
    let output = crate::support::program()
        .args(["report", "--format", "text"])
        .arg(folder.join("found/smb-lost-prefix.pcapng"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let shares: Vec<f64> = text
        .split_whitespace()
        .zip(text.split_whitespace().skip(1))
        .filter(|(_, unit)| unit.starts_with('%'))
        .filter_map(|(number, _)| number.trim_start_matches('(').parse().ok())
        .collect();
    assert!(shares.len() > 10, "{text}");
    assert!(shares.iter().all(|share| *share <= 100.0), "{shares:?}");
}
