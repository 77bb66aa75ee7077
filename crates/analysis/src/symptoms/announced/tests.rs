use super::super::State;
use super::super::testing::{Bench, mark, station};
use super::*;

/// It comes again every 60 s; after more than twice that, one was missed.
fn hear(bench: &mut Bench, frame: u64, ms: i64, again_ms: u32) {
    let announces = Presence {
        what: "host",
        again_ms,
    };
    bench
        .frames
        .announced((station(3), announces), mark(frame, ms), None);
    bench.last = ms;
}

#[test]
fn an_announcement_that_does_not_come() {
    for (ms, state) in [(120_001, Some(State::Raised)), (120_000, None)] {
        let mut bench = Bench::new();
        hear(&mut bench, 1, 0, 60_000);
        hear(&mut bench, 2, ms, 60_000);
        assert_eq!(bench.state("missed_announcements"), state);
    }
}

#[test]
fn whoever_leaves_misses_nothing() {
    let mut bench = Bench::new();
    hear(&mut bench, 1, 0, 0);
    hear(&mut bench, 2, 1_000_000, 60_000);
    assert_eq!(bench.state("missed_announcements"), None);
}

#[test]
fn silence_to_the_end_may_be_a_station_switched_off() {
    let mut bench = Bench::new();
    hear(&mut bench, 1, 0, 60_000);
    bench.last = 120_001;
    assert_eq!(
        bench.state("missed_announcements"),
        Some(State::Withdrawn(Against::SwitchedOff))
    );
    bench.last = 120_000;
    assert_eq!(bench.state("missed_announcements"), None);
}
