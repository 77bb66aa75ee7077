//! One capture whose clock is set in the middle, as by NTP or after a suspend: the answer is the same capture with the
//! clock left alone. What a clock invents belongs to nobody, and what it takes away is missing to nobody else.

use crate::support::{Folder, capture_of, captures, owned_frames, program};
use serde_json::Value;
use std::collections::HashMap;
use wirewait::{LedgerOf, Phase, Settings, Snapshot, Source, SourceError};
use wirewait_judge::{Culprit, Doubt, Finding, Verdict};
use wirewait_synth::OwnedFrame;
use wirewait_synth::lab::{LabCarrier, LabCase, LabEnd};
use wirewait_wire::Frame;

const MS: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MS;

/// Jumps, ns.
const BACK: [i64; 4] = [-SECOND / 2, -5 * SECOND, -60 * SECOND, -3600 * SECOND];
const FORWARD: [i64; 4] = [SECOND / 2, 5 * SECOND, 60 * SECOND, 3600 * SECOND];

/// Frames, one after the other.
struct Frames<'a>(std::slice::Iter<'a, OwnedFrame>);

impl Source for Frames<'_> {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
        Ok(self.0.next().map(OwnedFrame::as_frame))
    }
}

fn analysed(frames: &[OwnedFrame]) -> Snapshot {
    wirewait::analyse(
        Frames(frames.iter()),
        Settings::default(),
        &mut (),
        |damage| panic!("{damage:?}"),
    )
    .unwrap()
}

/// From this frame on, counted from 1, the clock is off by so much.
fn set(frames: &[OwnedFrame], number: usize, by: i64) -> Vec<OwnedFrame> {
    let mut frames = frames.to_vec();
    for frame in &mut frames[number - 1..] {
        frame.at = frame.at.plus(by);
    }
    frames
}

fn total(snapshot: &Snapshot) -> [u64; 2] {
    let mut rows = snapshot.ledgers.iter();
    let all = rows.find(|row| matches!(row.of, LedgerOf::Capture));
    let ledger = &all.unwrap().ledger;
    [ledger.total(), ledger.get(Phase::Unanswered)]
}

/// What the jump may change: shares by this number of thousandths, and no more time than there is without it.
fn assert_as_without(name: &str, plain: &Snapshot, jumped: &Snapshot, (number, by): (usize, i64)) {
    let name = format!("{name}, {by} ns before frame {number}");
    let (expected, verdict) = (Verdict::on(plain), Verdict::on(jumped));
    let told = verdict.doubts.iter().find_map(|doubt| match doubt {
        Doubt::ClockSet(set) => Some((set.times, set.frame, set.ns)),
        _ => None,
    });
    let (times, frame, ns) = told.unwrap_or_else(|| panic!("{name}: {:?}", verdict.doubts));
    assert_eq!((times, frame), (1, number as u64), "{name}");
    assert!((ns - by).abs() < SECOND / 4, "{name}: {ns}");
    let reasons = &jumped.capture.reasons;
    assert!(reasons.iter().any(|reason| reason.name == "clock_steps"));
    assert_eq!(verdict.finding, expected.finding, "{name}");
    assert!(!matches!(verdict.finding, Finding::None), "{name}");
    for culprit in Culprit::ALL {
        let [was, is] = [&expected, &verdict].map(|of| of.share(culprit).thousandths);
        let near = is.low <= was.high + WIDER && is.high + WIDER >= was.low;
        assert!(near, "{name}, {culprit:?}: {is:?} and not {was:?}");
    }
    let ([before, unanswered], [after, lost]) = (total(plain), total(jumped));
    assert!(after <= before + SLACK, "{name}: {after} and not {before}");
    assert!(
        after + SLACK * 100 >= before,
        "{name}: {after} and not {before}"
    );
    assert_eq!(unanswered, lost, "{name}");
    let [was, is] = [plain, jumped].map(|of| of.capture.elapsed_ns);
    assert!(
        is <= was && is + SLACK * 100 >= was,
        "{name}: {is} and not {was}"
    );
}

/// Thousandths, and ns.
const WIDER: u64 = 15;
const SLACK: u64 = 5_000_000;

/// Frames before which it is set: between requests, between a request and its response, within a transfer.
fn places(frames: &[OwnedFrame]) -> impl Iterator<Item = usize> {
    let third = frames.len() / 3;
    (third..third + 8).chain(2 * third..2 * third + 8)
}

const TIME_STAMPS: [&str; 3] = [
    "04_smb2_202_delay5ms_server_egress_cli.pcap",
    "04_smb2_202_delay5ms_server_egress_srv.pcap",
    "10_loss3pct_dup1pct_reorder2pct_srv.pcap",
];

fn each(test: &str, names: &[&str], jumps: &[i64]) {
    let Some(folder) = captures(test) else {
        return;
    };
    for name in names {
        let frames = owned_frames(&folder.join("lab").join(name));
        let plain = analysed(&frames);
        for number in places(&frames) {
            for by in jumps {
                let jumped = analysed(&set(&frames, number, *by));
                assert_as_without(name, &plain, &jumped, (number, *by));
            }
        }
    }
}

#[test]
fn a_clock_that_was_set_back_takes_nothing_from_the_rest() {
    let test = "a_clock_that_was_set_back_takes_nothing_from_the_rest";
    each(test, &TIME_STAMPS, &BACK);
    each(test, &["nbf1_llc2_smb1_3clients_srv.pcap"], &BACK);
}

/// The stations' own clocks tell.
#[test]
fn a_clock_that_was_set_forward_gives_nobody_time() {
    let test = "a_clock_that_was_set_forward_gives_nobody_time";
    each(test, &TIME_STAMPS, &FORWARD);
}

/// Nothing numbers time in NCP and NetBEUI. A response a minute late, with not a frame between, counts for nobody. Five
/// seconds are longer than T1 of LLC (two seconds at most) and a client's timer (a second), which did not run
/// out: the clock may have been set, and the shares contain both what they are without the jump, and what they are if the
/// five seconds were the server's.
#[test]
fn a_response_behind_a_long_silence_is_a_suspicion() {
    for (name, carrier) in [
        ("ncp", LabCarrier::NcpIpx),
        ("ipx", LabCarrier::SmbIpx),
        ("nbf", LabCarrier::Nbf),
    ] {
        let mut case = LabCase::new(name, carrier);
        (case.reads, case.think_ns) = (60, 5 * MS);
        let frames: Vec<OwnedFrame> = case.run().frames(LabEnd::Client).to_vec();
        let plain = analysed(&frames);
        let mut found = [0; 2];
        let half = frames.len() / 2;
        for number in half..half + 4 {
            let place = format!("{name}, frame {number}");
            let late = analysed(&set(&frames, number, 3600 * SECOND));
            if let Some(set) = late.clock_set {
                let server = |of: &Snapshot| Verdict::on(of).share(Culprit::Server).ns.high;
                assert!(server(&late) < server(&plain) + SLACK, "{place}");
                assert_eq!((set.proved, set.unsure_ns), (false, 0));
                assert_eq!((set.times, set.frame), (1, number as u64));
                found[0] += 1;
            }
            let short = analysed(&set(&frames, number, 5 * SECOND));
            if let Some(set) = short.clock_set {
                assert_eq!((set.proved, set.times), (false, 1), "{place}");
                assert_eq!(set.frame, number as u64, "{place}");
                assert_both(&place, &plain, &short, set.unsure_ns);
                found[1] += 1;
            } else {
                // No timer ran: a pause is idle, and a server that has the request, as LLC has acknowledged, is silent.
                let [was, is] = [&plain, &short].map(|of| Verdict::on(of).active_ns);
                let silent = name == "nbf" && is <= was + 5 * SECOND as u64 + SLACK;
                assert!(is <= was + SLACK || silent, "{place}: {is} and not {was}");
            }
        }
        assert!(found[0] >= 2 && found[1] >= 2, "{name}: {found:?}");
        // No timer runs out in half a second.
        let short = analysed(&set(&frames, half, SECOND / 2));
        assert_eq!(short.clock_set, None, "{name}");
    }
}

/// The shares are those without the jump, and those with it as the server's.
fn assert_both(place: &str, plain: &Snapshot, short: &Snapshot, unsure: u64) {
    let (expected, verdict) = (Verdict::on(plain), Verdict::on(short));
    let told = |doubt: &Doubt| matches!(doubt, Doubt::ClockSet(_));
    assert!(verdict.doubts.iter().any(told), "{place}");
    for culprit in Culprit::ALL {
        let is = verdict.share(culprit).thousandths;
        let was = expected.share(culprit).thousandths;
        assert!(
            is.low <= was.low + WIDER,
            "{place}, {culprit:?}: {is:?}, {was:?}"
        );
        assert!(
            is.high + WIDER >= was.high,
            "{place}, {culprit:?}: {is:?}, {was:?}"
        );
        let of = expected.share(culprit).ns;
        let own = if culprit == Culprit::Server {
            unsure
        } else {
            0
        };
        let all = expected.active_ns + unsure;
        let with = [of.low, of.high].map(|ns| (ns + own) * 1000 / all);
        assert!(
            is.low <= with[0] + WIDER,
            "{place}, {culprit:?}: {is:?}, {with:?}"
        );
        assert!(
            is.high + WIDER >= with[1],
            "{place}, {culprit:?}: {is:?}, {with:?}"
        );
    }
    if unsure > 0 {
        let jump = (5 * SECOND) as u64;
        assert!(
            (jump..jump + jump / 20).contains(&unsure),
            "{place}: {unsure}"
        );
    }
}

/// Frames one at a time, as they come from an interface: before each of them none is at hand.
struct Slowly<'a>(std::slice::Iter<'a, OwnedFrame>, bool);

impl Source for Slowly<'_> {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
        self.1 = !self.1;
        let next = if self.1 { None } else { self.0.next() };
        Ok(next.map(OwnedFrame::as_frame))
    }
}

/// A live capture, and the screen, which has a loop of its own, find what a report finds.
#[test]
fn a_live_capture_finds_what_a_report_finds() {
    let Some(folder) = captures("a_live_capture_finds_what_a_report_finds") else {
        return;
    };
    let frames = owned_frames(&folder.join("lab").join(TIME_STAMPS[1]));
    let mut found = 0;
    for number in places(&frames) {
        for by in [5 * SECOND, 3600 * SECOND] {
            let frames = set(&frames, number, by);
            let report = analysed(&frames);
            let source = Slowly(frames.iter(), false);
            let mut engine = wirewait::Engine::new(source, Settings::default()).live();
            for _ in 0..2 * frames.len() {
                engine.step(&mut ()).unwrap();
            }
            if engine.release() {
                engine.step(&mut ()).unwrap();
            }
            let (live, _) = engine.finish(&mut ());
            let analyzer = wirewait::Analyzer::new(wirewait::registry(), Settings::default());
            let mut driver = wirewait::Driver::new(analyzer);
            let mut holding = wirewait::Holding::default();
            let mut each = |frame: &Frame<'_>, driver: &mut wirewait::Driver| {
                driver.frame(frame, &mut ());
            };
            for frame in &frames {
                holding.frame(&frame.as_frame(), &mut driver, &mut each);
            }
            holding.release(&mut driver, &mut each);
            driver.finish(&mut ());
            let screen = driver.into_snapshot();
            for of in [live, screen] {
                assert_eq!(of.clock_set, report.clock_set, "{number}, {by}");
                assert_eq!(of.capture.frames, report.capture.frames);
                assert_eq!(total(&of), total(&report), "{number}, {by}");
            }
            found += usize::from(report.clock_set.is_some_and(|set| set.proved));
        }
    }
    assert_eq!(found, 32);
}

/// A silence that took place: the stations' clocks went on. The same capture, with time stamps of an hour later, but for
/// echoes of what was sent before.
#[test]
fn a_silence_that_took_place_is_none() {
    let Some(folder) = captures("a_silence_that_took_place_is_none") else {
        return;
    };
    let name = "lab/04_smb2_202_delay5ms_server_egress_srv.pcap";
    let frames = owned_frames(&folder.join(name));
    for number in places(&frames) {
        let jumped = set(&frames, number, 3600 * SECOND);
        assert!(analysed(&jumped).clock_set.is_some(), "{number}");
        let mut late = jumped;
        let mut firsts = HashMap::new();
        for frame in &mut late[number - 1..] {
            age(frame, &mut firsts, 3_600_000);
        }
        assert!(firsts.len() > 1);
        assert_eq!(analysed(&late).clock_set, None, "{number}");
    }
}

/// Makes the time stamp of a segment (RFC 7323: kind 8, TSval, TSecr; behind two options of one byte, as Linux writes
/// it) so much later, and the echo, if it is one of what the other sent here. `firsts`: what each sent first.
fn age(frame: &mut OwnedFrame, firsts: &mut HashMap<[u8; 4], u32>, ticks: u32) {
    // Ethernet, IPv4 without options, TCP.
    if frame.bytes.get(23) != Some(&6) || frame.bytes.get(54..58) != Some(&[1, 1, 8, 10]) {
        return;
    }
    let four = |at: usize| <[u8; 4]>::try_from(&frame.bytes[at..at + 4]).unwrap();
    let [from, to, stamp, echo] = [26, 30, 58, 62].map(four);
    let [stamp, echo] = [stamp, echo].map(u32::from_be_bytes);
    firsts.entry(from).or_insert(stamp);
    let new = firsts.get(&to).is_some_and(|first| echo >= *first);
    let echo = if new { echo + ticks } else { echo };
    frame.bytes[58..62].copy_from_slice(&(stamp + ticks).to_be_bytes());
    frame.bytes[62..66].copy_from_slice(&echo.to_be_bytes());
}

/// What is printed says where, by how much, and what to do.
#[test]
fn what_to_do_about_a_clock_that_was_set_is_said() {
    let Some(folder) = captures("what_to_do_about_a_clock_that_was_set_is_said") else {
        return;
    };
    let name = "lab/04_smb2_202_delay5ms_server_egress_srv.pcap";
    let frames = owned_frames(&folder.join(name));
    for (by, words) in [(-3600 * SECOND, "back"), (3600 * SECOND, "forward")] {
        let made = Folder::new("clock-set");
        let file = made.join(format!("{words}.pcap"));
        std::fs::write(&file, capture_of(&set(&frames, 900, by))).unwrap();
        let mut printed = Vec::new();
        for threads in ["1", "4"] {
            let report = program()
                .args(["report", "--format", "json", "--threads", threads])
                .arg(&file)
                .output()
                .unwrap();
            printed.push(report.stdout);
        }
        assert!(printed[0] == printed[1], "threads");
        let json: Value = serde_json::from_slice(&printed[0]).unwrap();
        let told = &json["capture"]["quality"]["clock_set"];
        assert_eq!((&told["times"], &told["frame"]), (&1.into(), &900.into()));
        assert_eq!(told["proved"], true);
        let doubts = json["verdict"]["doubts"].as_array().unwrap();
        let said = doubts.iter().filter_map(Value::as_str);
        let said: Vec<&str> = said.filter(|doubt| doubt.contains("was set")).collect();
        assert_eq!(said.len(), 1, "{doubts:?}");
        assert!(said[0].contains(words) && said[0].contains("3,600 s before frame 900"));
        assert!(said[0].contains("judge each part alone"));
    }
}

/// The demo's clock was never set, and no part of its frames looks as if it had been. libpcap's `netbeui` leaves out the
/// acknowledgements of LLC, which is said: their SAP has the bit of a response.
#[test]
fn parts_of_frames_are_no_set_clock() {
    let demo = crate::support::root().join("captures/demo.pcapng");
    let with_responses = "(llc and ether[14:2] & 0xfefe = 0xf0f0)";
    for (filter, frames) in [
        ("netbeui", 252),
        (with_responses, 497),
        ("ipx", 1_106),
        ("tcp", 1_099),
        ("tcp port 445 and host 10.0.0.9", 483),
        ("ether host 02:00:1b:00:00:24", 346),
        ("not netbeui", 2_450),
    ] {
        let output = program()
            .args(["report", "--format", "json", "--filter", filter])
            .arg(&demo)
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(json["capture"]["frames"], frames, "{filter}");
        assert!(json["verdict"]["active_ns"].as_u64() > Some(0), "{filter}");
        let doubts = json["verdict"]["doubts"].to_string();
        assert!(!doubts.contains("clock"), "{filter}: {doubts}");
        let said = String::from_utf8(output.stderr).unwrap();
        let hint = said.contains("leaves out the acknowledgements of LLC")
            && said.contains(with_responses);
        assert_eq!(hint, filter.contains("netbeui"), "{filter}: {said}");
    }
}
