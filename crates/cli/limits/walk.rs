//! Each limit, and fixed bounds, hit by a small capture: the report counts it, names it, and blames
//! nobody.

mod flood;
mod wire;

use super::LIMITS;
use wire::{Wire, message};
use wirewait::{Counts, Settings, Snapshot};
use wirewait_report::{About, json, text};
use wirewait_synth::smb1::{request, response};

/// This number of requests of one client, and then all responses.
fn outstanding(requests: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=requests {
        wire.ask(1, mid);
    }
    wire.pause(1_000_000_000);
    for mid in 1..=requests {
        wire.answer(1, mid);
    }
    wire
}

/// 398 requests behind one that is lost on the wire and retransmitted; all are answered.
fn lost_and_sent_again() -> Wire {
    let mut wire = Wire::default();
    wire.ask(1, 1);
    wire.answer(1, 1);
    let lost = message(2, false, request::read_andx(1, 0, 64));
    let at = wire.next[&1][0];
    if let Some(next) = wire.next.get_mut(&1) {
        next[0] += lost.len() as u32;
    }
    for mid in 3..=400 {
        wire.ask(1, mid);
    }
    wire.pause(100_000_000);
    wire.segment(1, false, at, &lost);
    for mid in 2..=400 {
        wire.answer(1, mid);
    }
    wire
}

/// A request of each of many clients, twice, each answered at once.
fn clients(many: u32) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=2 {
        for number in 1..=many {
            wire.ask(number, mid);
            wire.answer(number, mid);
        }
    }
    wire
}

/// Many clients ask, and all are answered afterwards.
fn clients_at_once(many: u32) -> Wire {
    let mut wire = Wire::default();
    for number in 1..=many {
        wire.ask(number, 1);
    }
    for number in 1..=many {
        wire.answer(number, 1);
    }
    wire
}

/// As many files are opened and read.
fn files(many: u16) -> Wire {
    let mut wire = Wire::default();
    for fid in 1..=many {
        let open = request::nt_create_andx(&format!("\\file {fid}"), false);
        wire.say(1, false, &message(fid, false, open));
        let opened = response::nt_create_andx(fid, 4096, 0);
        wire.say(1, true, &message(fid, true, opened));
    }
    wire
}

fn sum(snapshot: &Snapshot) -> Counts {
    let mut sum = Counts::default();
    for row in &snapshot.servers {
        sum.requests += row.counts.requests;
        sum.answered += row.counts.answered;
        sum.unanswered += row.counts.unanswered;
        sum.one_sided += row.counts.one_sided;
        sum.given_up += row.counts.given_up;
        sum.responses_given_up += row.counts.responses_given_up;
        sum.forgotten += row.counts.forgotten;
        sum.orphan_responses += row.counts.orphan_responses;
    }
    sum
}

/// Text and JSON.
fn written(snapshot: &Snapshot) -> (String, String) {
    let (mut plain, mut data) = (Vec::new(), Vec::new());
    let about = About::default();
    text::report(&mut plain, &about, snapshot, text::Look::plain(400)).unwrap();
    json::report(&mut data, &about, snapshot).unwrap();
    (
        String::from_utf8(plain).unwrap(),
        String::from_utf8(data).unwrap(),
    )
}

#[test]
fn each_limit_that_is_hit_is_named_and_blamed_on_nobody() {
    for limit in &LIMITS {
        let name = limit.name;
        // The reason that names it, what hits it, and how low it has to be for that.
        let (reason, wire, value) = match name {
            "conversations" => ("evicted", clients_at_once(60), 16),
            "open_requests" => (name, outstanding(100), 16),
            "conversation_requests" => (name, outstanding(100), 10),
            "held_bytes" => (name, lost_and_sent_again(), 64 << 10),
            "stream_bytes" => (name, lost_and_sent_again(), 4 << 10),
            "rows" => ("rows_evicted", clients(60), 16),
            "names" => ("names_evicted", files(60), 16),
            // A choice of the longest, not a loss.
            "slowest" => {
                let mut settings = Settings::default();
                settings.slowest = 3;
                assert_eq!(clients(10).analysed(settings).slowest.len(), 3);
                continue;
            }
            other => panic!("{other} has no capture that hits it"),
        };
        let whole = wire.analysed(Settings::default());
        let of = |snapshot: &Snapshot, reason: &str| {
            let found = snapshot.capture.reasons.iter().find(|r| r.name == reason);
            found.map_or(0, |r| r.count)
        };
        let all = sum(&whole);
        assert_eq!(of(&whole, reason), 0, "{name} is not hit by default");
        assert_eq!(
            (
                all.answered,
                all.unanswered,
                all.orphan_responses,
                all.given_up
            ),
            (all.requests, 0, 0, 0),
            "{name}, by default"
        );
        assert_eq!(of(&whole, "gaps"), 0, "{name}, by default");

        let mut settings = Settings::default();
        *(limit.of)(&mut settings) = value;
        let found = wire.analysed(settings);
        let hits = of(&found, reason);
        assert!(hits > 0, "{name} is hit");
        // No figure depends on names.
        let good = found.capture.grade.name() == "good";
        assert_eq!(good, name == "names", "{name}");
        let counts = sum(&found);
        assert_eq!(counts.unanswered, 0, "{name}: {counts:?}");
        assert_eq!(counts.orphan_responses, 0, "{name}: {counts:?}");
        assert_eq!(of(&found, "gaps"), 0, "{name}: the capture has everything");
        match name {
            "conversations" => {
                assert!(counts.given_up > 0 && counts.given_up <= hits, "{counts:?}");
                assert_eq!(counts.requests - counts.given_up, counts.answered);
                assert_eq!(counts.responses_given_up, counts.given_up, "{counts:?}");
            }
            "open_requests" | "conversation_requests" => {
                assert_eq!(counts.given_up, hits, "{name}");
                assert_eq!(counts.requests, 100, "{name}");
                assert_eq!(counts.responses_given_up, counts.given_up, "{name}");
                assert_eq!(counts.answered, 100 - hits, "{name}");
            }
            "held_bytes" | "stream_bytes" => {
                // The lost one counts neither as a request nor as sent for the first time.
                assert_eq!(counts.responses_given_up, 1, "{name}: {counts:?}");
                assert_eq!(counts.answered, counts.requests, "{name}: {counts:?}");
                assert_eq!(counts.requests, 399, "{name}");
            }
            "rows" => {
                let forgotten: u64 = found.stations.iter().map(|r| r.counts.forgotten).sum();
                assert!(forgotten > 0, "those who came back say what they lost");
            }
            _ => {}
        }
        let (plain, data) = written(&found);
        let reasons = found.capture.reasons.iter();
        let words = reasons.filter(|r| r.name == reason).map(|r| r.text);
        for words in words {
            assert!(words.contains(&format!("limit {name}")), "{name}: {words}");
            let flat = plain.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(flat.contains(words), "{name}: {plain}");
        }
        assert!(data.contains(&format!("\"{reason}\"")), "{name}: {data}");
        if counts.lost_to_limits() > 0 {
            assert!(plain.contains("lost to limits"), "{name}: {plain}");
            assert!(data.contains("\"given_up\""), "{name}: {data}");
            assert!(data.contains("given up because of a limit"), "{name}");
        }
    }
}

/// As many reads of a file, each 1 MiB behind the one before, and the first of them once more.
fn reads(many: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in (1..=many).chain([1]) {
        let offset = u32::from(mid) << 20;
        let read = request::read_andx(1, offset, 64);
        wire.say(1, false, &message(mid, false, read));
        wire.answer(1, mid);
    }
    wire
}

/// Requests of which the first is not answered.
fn unanswered(requests: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=requests {
        wire.ask(1, mid);
    }
    for mid in 2..=requests {
        wire.answer(1, mid);
    }
    wire
}

/// The clock is set back by a minute as many times.
fn steps_back(times: u16) -> Wire {
    let mut wire = Wire::default();
    for mid in 1..=times + 1 {
        wire.ask(1, mid);
        wire.answer(1, mid);
        wire.pause(-60_000_000_000);
    }
    wire
}

/// An offer of as many dialects, of which the first is taken.
fn offer(dialects: usize) -> Wire {
    let mut wire = Wire::default();
    let dialects: Vec<String> = (1..=dialects).map(|n| format!("DIALECT {n}")).collect();
    let dialects: Vec<&str> = dialects.iter().map(String::as_str).collect();
    wire.say(1, false, &message(1, false, request::negotiate(&dialects)));
    wire.say(1, true, &message(1, true, response::negotiate(0)));
    wire
}

/// Fixed bounds, hit by frames, as the report shows them: name, how often, grade.
#[test]
fn fixed_bounds_that_are_hit_are_named() {
    let settings = Settings::default();
    // Beside the bound: what else is wrong with that capture.
    for (name, times, grade, also, found) in [
        (
            "interfaces",
            3,
            "fair",
            "",
            clients(3).analysed_on(settings, |n| if n < 3 { 300 } else { 0 }),
        ),
        (
            "old_clock_steps",
            2,
            "fair",
            "clock_steps",
            steps_back(7).analysed(settings),
        ),
        (
            "waiting_requests",
            1,
            "fair",
            "",
            unanswered(300).analysed(settings),
        ),
        ("ranges", 1, "good", "", reads(32).analysed(settings)),
        (
            "file_stretches",
            3,
            "good",
            "ranges",
            reads(34).analysed(settings),
        ),
        ("dialects", 8, "good", "", offer(40).analysed(settings)),
        (
            "sightings",
            4,
            "good",
            "rows_evicted",
            clients_at_once(4100).analysed(settings),
        ),
    ] {
        let (plain, data) = written(&found);
        let data: serde_json::Value = serde_json::from_str(&data).unwrap();
        let quality = &data["capture"]["quality"];
        let reasons = quality["reasons"].as_array().unwrap();
        // These frames begin within conversations.
        let of_interest = reasons.iter().filter(|r| r["name"] != "mid_capture");
        let mut names: Vec<&str> = of_interest.map(|r| r["name"].as_str().unwrap()).collect();
        names.retain(|named| *named != also);
        assert_eq!(names, [name]);
        let reason = reasons
            .iter()
            .find(|reason| reason["name"] == name)
            .unwrap();
        assert_eq!(
            (&reason["count"], &reason["grade"]),
            (&times.into(), &grade.into()),
            "{name}"
        );
        let words = reason["text"].as_str().unwrap();
        let flat = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{name}: {plain}");
        if also.is_empty() {
            assert_eq!(quality["grade"], grade, "{name}");
        }
    }
}
