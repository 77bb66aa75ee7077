//! NetBench and ServerBench (IBM): 45 clients on three segments, two servers.
//!
//! The paper prints two figures: 45 percent more throughput with 45 clients, and a peak of
//! transactions per second that is 84 percent higher; both are asserted, from the load curves
//! and from `compare`. What the paper only plots (the curves) is compared with what the
//! programs measured. Memory, disc and processor of the servers are not on the wire.

use super::{Study, assert_near, waited};
use std::sync::OnceLock;
use wirewait_analysis::{LevelCurve, LoadOf, Outcome};
use wirewait_judge::compare::{By, Change, Comparison, Figure, Group};
use wirewait_synth::scenario::Call;

const NETBENCH: [u32; 8] = [3, 9, 15, 21, 27, 33, 39, 45];

/// The steady part of a NetBench mix: they begin at 1 s, every 4 s, and have 3 s with ramps
/// of half a second.
fn steady(mix: usize) -> (f64, f64) {
    let begin = 1.0 + 4.0 * mix as f64;
    (begin + 0.5, begin + 2.5)
}

fn netbench() -> &'static [Study; 2] {
    static BOTH: OnceLock<[Study; 2]> = OnceLock::new();
    BOTH.get_or_init(|| {
        ["netfinity", "prosignia"].map(|name| Study::of(&format!("netbench/netbench-{name}")))
    })
}

fn serverbench() -> &'static [Study; 2] {
    static BOTH: OnceLock<[Study; 2]> = OnceLock::new();
    BOTH.get_or_init(|| {
        ["netfinity", "prosignia"].map(|name| Study::of(&format!("netbench/serverbench-{name}")))
    })
}

fn curve(study: &Study, of: LoadOf) -> &LevelCurve {
    let levels = &study.snapshot().load.levels;
    levels
        .iter()
        .find(|curve| curve.of == of)
        .unwrap_or_else(|| panic!("no curve of {of:?}"))
}

/// File data, bytes per second, and final responses per second, with so many clients.
fn level(curve: &LevelCurve, clients: u32) -> (f64, f64) {
    let row = curve.levels.iter().find(|row| row.stations == clients);
    let steady = row
        .unwrap_or_else(|| panic!("never {clients} clients"))
        .steady;
    (
        steady.throughput().unwrap() as f64,
        steady.transactions().unwrap() as f64 / 1000.0,
    )
}

/// What the programs measured in a part of the time, in seconds from the beginning: bytes
/// and requests per second.
fn measured<'a>(
    study: &'a Study,
    (begin, end): (f64, f64),
    of: impl Fn(&Call) -> bool + 'a,
) -> (f64, f64) {
    let start = study.scenario.frames()[0].at;
    let calls: Vec<&Call> = study
        .calls()
        .filter(|call| of(call))
        .filter(|call| {
            let at = call.answered.map_or(0.0, |at| at.since(start) as f64 / 1e9);
            (begin..end).contains(&at)
        })
        .collect();
    let bytes: u64 = calls.iter().map(|call| call.bytes).sum();
    (
        bytes as f64 / (end - begin),
        calls.len() as f64 / (end - begin),
    )
}

#[test]
fn throughput_and_transactions_over_active_clients() {
    for study in netbench() {
        let whole = curve(study, LoadOf::Capture);
        for (number, clients) in NETBENCH.into_iter().enumerate() {
            let (bytes, requests) = level(whole, clients);
            let (own_bytes, own_requests) = measured(study, steady(number), |_| true);
            // A second or two of a mix that is chosen by chance.
            let parts = if clients < 10 { 6.0 } else { 15.0 };
            assert_near(&format!("{clients} clients"), bytes, own_bytes, parts);
            assert_near(&format!("{clients} clients"), requests, own_requests, parts);
        }
        // Of each segment, with a third of the clients.
        for (interface, letter) in (0..3).zip(['A', 'B', 'C']) {
            let own = curve(study, LoadOf::Interface(interface));
            let (bytes, _) = level(own, 15);
            let (own_bytes, _) =
                measured(study, steady(7), |call| call.station.starts_with(letter));
            assert_near(&format!("segment {letter}"), bytes, own_bytes, 8.0);
        }
    }
}

#[test]
fn forty_five_percent_more_throughput_with_45_clients() {
    let [fast, slow] = netbench();
    let rate = |study: &Study| level(curve(study, LoadOf::Capture), 45).0;
    let more = rate(fast) / rate(slow) - 1.0;
    assert!((0.43..0.47).contains(&more), "{more}");
    // As `compare --at-load 45` has it, of the whole captures: the ProSignia is the baseline.
    let comparison = Comparison::of(&[slow.snapshot(), fast.snapshot()], Some(By::Load));
    let with_45 = |group: &&Group| group.has_stations(45);
    let group = comparison.groups.iter().find(with_45).unwrap();
    let Some(Change::Thousandths(at_45)) = group.change(0, Figure::WallThroughput) else {
        panic!("{group:?}")
    };
    assert!(
        (at_45 as f64 / 1000.0 - more).abs() < 0.001,
        "{at_45} {more}"
    );
    // Two seconds of them, as `compare` has it.
    let [fast, slow] = netbench().each_ref().map(|study| study.within(29.5, 31.5));
    let comparison = Comparison::of(&[&slow, &fast], None);
    let change = comparison.all.change(0, Figure::WallThroughput);
    let Some(Change::Thousandths(more)) = change else {
        panic!("{change:?}")
    };
    assert_eq!((more + 5) / 10, 45, "{more} thousandths more");
    // The programs measured the same in that time.
    let [fast, slow] = netbench()
        .each_ref()
        .map(|study| measured(study, steady(7), |_| true).0);
    assert!((1.445..1.455).contains(&(fast / slow)), "{}", fast / slow);
}

#[test]
fn the_peak_of_transactions_is_84_percent_higher() {
    let both = serverbench();
    let peak = |study: &Study| curve(study, LoadOf::Capture).peak_transactions.unwrap();
    let [(at_fast, fast), (at_slow, slow)] = both.each_ref().map(peak);
    // "Processor-bound when running from 3 to 6 clients."
    assert!(
        (3..=6).contains(&at_fast) && (3..=6).contains(&at_slow),
        "{at_fast} {at_slow}"
    );
    let more = fast as f64 / slow as f64 - 1.0;
    assert!((0.82..0.86).contains(&more), "{more}");
    // The first line of `compare --peak`.
    let comparison = Comparison::of(&[both[1].snapshot(), both[0].snapshot()], None);
    let change = comparison.all.change(0, Figure::PeakTransactions);
    assert_eq!(change, Some(Change::Thousandths(840)));
    // The mix of three clients, as `compare` has it.
    let [fast, slow] = both.each_ref().map(|study| study.within(6.5, 9.0));
    let comparison = Comparison::of(&[&slow, &fast], None);
    let change = comparison.all.change(0, Figure::TransactionsPerSecond);
    let Some(Change::Thousandths(more)) = change else {
        panic!("{change:?}")
    };
    assert_eq!((more + 5) / 10, 84, "{more} thousandths more");
}

#[test]
fn with_more_clients_than_nine_transactions_fall() {
    for study in serverbench() {
        let whole = curve(study, LoadOf::Capture);
        let rates: Vec<f64> = [9, 12, 15, 21, 30, 39, 45]
            .map(|n| level(whole, n).1)
            .to_vec();
        assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{rates:?}");
        for (number, clients) in [1, 3, 6, 9, 12, 15].into_iter().enumerate() {
            // ServerBench's mixes begin at 3 s, every 3.5 s, and have 2.5 s.
            let begin = 3.0 + 3.5 * number as f64;
            let (_, own) = measured(study, (begin + 0.1, begin + 2.4), |_| true);
            assert_near(
                &format!("{clients} clients"),
                level(whole, clients).1,
                own,
                12.0,
            );
        }
    }
}

#[test]
fn the_bottleneck_moves_while_the_wire_has_room() {
    let [fast, slow] = netbench();
    let [fast_knee, slow_knee] =
        [fast, slow].map(|study| curve(study, LoadOf::Capture).knee.unwrap());
    // The slower server's comes no later.
    assert!(
        slow_knee.stations <= fast_knee.stations,
        "{slow_knee:?} {fast_knee:?}"
    );
    for (study, knee) in [(fast, fast_knee), (slow, slow_knee)] {
        assert!((9..=33).contains(&knee.stations), "{knee:?}");
        assert!(knee.grown_ns * 100 >= knee.flat_ns * 125, "{knee:?}");
        // Three segments of 100 Mbit/s: less than a quarter of each is used there.
        let used = knee.wire_bytes_per_second.unwrap() as f64 * 8.0 / 300e6;
        assert!(used < 0.25, "{used}");
        // The peak lies behind the knee, and the turnaround of 45 clients is many times that
        // of few.
        let whole = curve(study, LoadOf::Capture);
        let turnaround = |clients: u32| {
            let row = whole.levels.iter().find(|row| row.stations == clients);
            row.unwrap().steady.turnaround.mean().unwrap()
        };
        assert!(turnaround(45) > 4 * turnaround(9));
        let (at, _) = whole.peak.unwrap();
        assert!((21..=39).contains(&at), "{at}");
    }
}

#[test]
fn bursts_are_paired_and_measured_whole() {
    for study in netbench() {
        for (command, verb) in [
            ("PACKET BURST READ", "read"),
            ("PACKET BURST WRITE", "write"),
        ] {
            let rows = study.snapshot().servers.iter();
            let row = rows.clone().find(|row| row.command == command).unwrap();
            let calls: Vec<&Call> = study.calls().filter(|call| call.verb == verb).collect();
            assert_eq!(row.counts.requests, calls.len() as u64, "{command}");
            assert_eq!(row.counts.answered, calls.len() as u64, "{command}");
            let bytes: u64 = calls.iter().map(|call| call.bytes).sum();
            assert_eq!(row.data_bytes, bytes, "{command}");
            // From the request to the last packet of the burst, as its program waited.
            let waits: i64 = calls.iter().filter_map(|call| waited(call)).sum();
            assert_eq!(row.response_time.total, i128::from(waits), "{command}");
        }
        // 16384 bytes and 8 in front of them are twelve packets of 1400 at most.
        let large = study
            .analysis
            .transactions
            .iter()
            .filter(|t| t.asked_bytes == 16_384);
        for t in large.filter(|t| t.outcome == Outcome::Answered && t.copies == 1) {
            assert_eq!(t.frames.response, 12);
        }
    }
}

#[test]
fn answers_that_only_promise_one_are_counted_apart() {
    for study in netbench() {
        let promised: u64 = study.calls().map(|call| u64::from(call.interims)).sum();
        let asked_again = study.calls().filter(|call| call.copies > 1).count() as u64;
        assert!(promised >= 10, "{promised}");
        let rows = &study.snapshot().servers;
        let sum = |count: fn(&wirewait_analysis::Counts) -> u64| -> u64 {
            rows.iter().map(|row| count(&row.counts)).sum()
        };
        assert_eq!(sum(|counts| counts.interims), promised);
        assert_eq!(sum(|counts| counts.repeated), asked_again);
        assert_eq!(sum(|counts| counts.unanswered), 0);
        // Answers are one for each request, promises apart.
        let answered = study.scenario.calls().len() as u64;
        assert_eq!(sum(|counts| counts.answered), answered);
    }
}
