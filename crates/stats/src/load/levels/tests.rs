use super::*;
use crate::load::activity::STRETCHES;
use crate::load::testing;
use crate::testing::id;
use proptest::prelude::*;
use wirewait_model::records::{Answer, StationId};

const THINK: i64 = 500_000_000;
const MS: i64 = 1_000_000;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_nanos(ms * MS)
}

fn station(n: u8) -> StationId {
    id(n.into())
}

fn frame(when: Timestamp) -> Traffic {
    Traffic {
        interface: 0,
        since: when,
        bytes: 100,
    }
}

fn read(from_ms: i64, to_ms: i64, bytes: u64) -> Answer {
    testing::read(at(from_ms), at(to_ms), bytes)
}

/// Station `n` reads 1000 bytes in 10 ms, `times` times in a row, from `from` (ms) on.
fn reads(events: &mut Vec<(i64, u8, i64)>, n: u8, from: i64, times: i64) {
    for i in 0..times {
        events.push((from + i * 10, n, from + i * 10 + 10));
    }
}

fn play(levels: &mut Levels, mut events: Vec<(i64, u8, i64)>) {
    events.sort_unstable();
    // (time, end, station, beginning)
    let mut edges: Vec<(i64, bool, u8, i64)> = events
        .iter()
        .flat_map(|(from, n, to)| [(*from, true, *n, *from), (*to, false, *n, *from)])
        .collect();
    edges.sort_by_key(|(when, begins, n, _)| (*when, *begins, *n));
    for (when, begins, n, from) in edges {
        if begins {
            levels.activity.begins(station(n), at(when));
        } else {
            levels.activity.ends(station(n), at(when));
            levels.answered(&Queued::of(&read(from, when, 1000)));
        }
        levels.frames(&frame(at(when)));
        levels.settle(at(when), &mut |_| {});
    }
    levels.finish(&mut |_| {});
}

/// Station 1 reads from 0 to 6 s, station 2 from 2 s to 4.5 s, station 3 from 2.5 s to 2.9 s.
/// Stretches: 0-2 s one, 2-2.5 s two (a ramp), 2.5-2.9 s three (a ramp), 2.9-4.5 s two,
/// 4.5-6 s one. Each station moves 100 kB/s in 100 reads of 10 ms.
#[test]
fn by_hand() {
    let mut levels = Levels::new(THINK);
    let mut events = Vec::new();
    reads(&mut events, 1, 0, 600);
    reads(&mut events, 2, 2000, 250);
    reads(&mut events, 3, 2500, 40);
    play(&mut levels, events);
    let curve = levels.curve(LoadOf::Capture);
    assert_eq!(curve.elapsed_ns, 6_000_000_000);
    assert_eq!(curve.unplaced, 0);
    let shown: Vec<(u32, u64, u64, u64, u64)> = curve
        .levels
        .iter()
        .map(|row| {
            (
                row.stations,
                row.steady.ns / 1_000_000,
                row.steady.answered,
                row.ramps.ns / 1_000_000,
                row.ramps.answered,
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            // The answer of station 2 at 4.5 s ends the stretch of two.
            (1, 3500, 350, 0, 0),
            (2, 1600, 320, 500, 100),
            (3, 0, 0, 400, 120),
        ]
    );
    let two = &curve.levels[1].steady;
    assert_eq!(two.throughput(), Some(200_000));
    assert_eq!(two.transactions(), Some(200_000));
    assert_eq!(two.response_time.p50, 10 * MS);
    // S = N x M / T: 320 answers of 1000 bytes in 1.6 s. Without pauses: 2 x 1000 bytes / 10 ms.
    assert_eq!(two.moved.closed_loop(2), Some(200_000));
    assert_eq!(two.reads, two.moved);
    assert_eq!(two.writes.closed_loop(2), None);
    assert_eq!(curve.peak, Some((2, 200_000)));
    assert_eq!(curve.peak_transactions, Some((2, 200_000)));
    let wire: u64 = curve
        .levels
        .iter()
        .map(|row| row.steady.wire_bytes + row.ramps.wire_bytes)
        .sum();
    assert_eq!(wire, 2 * 890 * 100);
}

/// A request that began in another stretch says nothing of the response time of this one.
#[test]
fn what_began_in_a_ramp_is_no_steady_response_time() {
    let mut levels = Levels::new(THINK);
    let mut events = vec![(0, 1, 3000)];
    reads(&mut events, 2, 1500, 150);
    play(&mut levels, events);
    let curve = levels.curve(LoadOf::Capture);
    let two = &curve.levels[1].steady;
    assert_eq!((two.ns, two.answered), (1_500_000_000, 151));
    assert_eq!((two.response_time.n, two.response_time.max), (150, 10 * MS));
}

#[test]
fn many_stations_share_rows() {
    assert_eq!(class(0), (0, 0, 0));
    assert_eq!(class(63), (63, 63, 63));
    assert_eq!(class(64), (64, 64, 71));
    assert_eq!(class(72), (65, 72, 79));
    assert_eq!(class(127), (71, 120, 127));
    assert_eq!(class(128), (72, 128, 143));
    assert_eq!(class(143), (72, 128, 143));
    assert_eq!(class(144), (73, 144, 159));
    assert_eq!(class(u32::MAX).2, u32::MAX);
}

#[test]
fn nothing_is_no_curve() {
    let mut levels = Levels::new(THINK);
    levels.finish(&mut |_| {});
    let curve = levels.curve(LoadOf::Capture);
    assert_eq!((curve.elapsed_ns, curve.levels.len()), (0, 0));
    assert_eq!((curve.peak, curve.knee), (None, None));
    assert_eq!(LevelFigures::default().throughput(), None);
}

proptest! {
    /// The levels' time is the elapsed time, and every answer and byte is in one level.
    #[test]
    fn levels_sum_to_the_whole(
        raw in prop::collection::vec((0u8..4, 0i64..1500, 1i64..1500), 1..60)
    ) {
        let mut free = [0i64; 4];
        let mut events = Vec::new();
        for (n, gap, length) in raw {
            let from = free[usize::from(n)] + gap;
            free[usize::from(n)] = from + length;
            events.push((from, n, from + length));
        }
        let first = events.iter().map(|e| e.0).min().unwrap_or(0);
        let last = events.iter().map(|e| e.2).max().unwrap_or(0);
        let n = events.len() as u64;
        let mut levels = Levels::new(THINK);
        play(&mut levels, events);
        let curve = levels.curve(LoadOf::Capture);
        prop_assert_eq!(curve.elapsed_ns, ((last - first) * MS) as u64);
        let sum = |f: fn(&LevelFigures) -> u64| -> u64 {
            curve.levels.iter().map(|row| f(&row.steady) + f(&row.ramps)).sum()
        };
        prop_assert_eq!(sum(|f| f.answered) + curve.unplaced, n);
        prop_assert_eq!(curve.unplaced, 0);
        prop_assert_eq!(sum(|f| f.data_bytes), n * 1000);
        prop_assert_eq!(sum(|f| f.wire_bytes), n * 200);
    }
}

/// Two answers more than may wait for their stretch, and 10 ms of frames.
#[test]
fn what_waits_for_too_long_is_counted_and_noted() {
    let mut levels = Levels::new(THINK);
    for n in 0..WAITING as i64 + 2 {
        levels.answered(&Queued::of(&read(n, n + 1, 1000)));
    }
    for n in 0..=WAITING as i64 {
        levels.frames(&frame(at(10 * n)));
    }
    let losses = levels.losses();
    assert_eq!((losses.hasty, losses.stretches), (2 + 1, 0));
}

/// A station comes and goes more often than is remembered, until it is known how many there
/// were: what ended in the first two times has no level. In each of them a station is active for
/// 1 ms, and none for 600 ms.
#[test]
fn what_ended_in_a_forgotten_stretch_is_noted() {
    let mut levels = Levels::new(THINK);
    // The last one is not over: it has no stretch.
    for n in 0..STRETCHES as i64 / 2 + 2 {
        levels.activity.begins(station(1), at(n * 601));
        levels.activity.ends(station(1), at(n * 601 + 1));
        if n < 10 {
            levels.answered(&Queued::of(&read(n * 601, n * 601 + 1, 1000)));
        }
    }
    levels.finish(&mut |_| {});
    let losses = levels.losses();
    assert_eq!((losses.hasty, losses.stretches), (0, 2));
    assert_eq!(levels.unplaced, 2, "what is lost is in no level");
}
