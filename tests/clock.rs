//! The system's clock is set while it is captured: stamps of frames jump by an hour. Nothing is
//! negative or huge, the analysis and the last minutes go on, and it is told.

use crate::support::root;
use wirewait::Driver;
use wirewait_analysis::recent::{Limits, Recent};
use wirewait_analysis::{Analyzer, LedgerOf, Outcome, Settings, Snapshot, Transaction};
use wirewait_capture::Options;
use wirewait_wire::{Frame, Source, Timestamp};

const SECOND_NS: i64 = 1_000_000_000;
const HOUR_NS: i64 = 3600 * SECOND_NS;

/// Keeps transactions, and the last minutes.
type Ears = (Vec<Transaction>, Recent);

struct Watched {
    snapshot: Snapshot,
    ears: Ears,
    /// Frames since the step.
    since: u64,
}

/// The shipped capture as it comes from an interface, time passing without frames in between; from
/// its middle on the clock is off by so much.
fn watched(step_ns: i64) -> Watched {
    let file = root().join("captures/demo.pcapng");
    let mut source = wirewait_capture::open(&[file], &Options::default()).unwrap();
    let registry = wirewait_dissectors::registry();
    let seconds = Limits::default().seconds;
    let mut driver =
        Driver::new(Analyzer::new(registry, Settings::default()).keeping_course(seconds));
    let mut ears = Ears::default();
    let (mut frames, mut since) = (0u64, 0);
    let mut before: Option<Timestamp> = None;
    while let Some(frame) = source.next_frame().unwrap() {
        frames += 1;
        let off = if frames > 1350 { step_ns } else { 0 };
        since += u64::from(frames > 1350);
        let at = frame.at.plus(off);
        // A live capture tells how late it is by what passed since the last frame.
        let silent = before.map_or(0, |before| frame.at.plus(off).since(before));
        if (SECOND_NS / 20..HOUR_NS / 2).contains(&silent) {
            let now = at.plus(-SECOND_NS / 100);
            driver.advance(now, &mut ears);
            ears.1.advance(now);
        }
        before = Some(at);
        driver.frame(&Frame { at, ..frame }, &mut ears);
        let held = ears.1.history().whole().seconds();
        assert!(held <= seconds, "{held} seconds are kept");
    }
    let last = before.unwrap();
    // Two minutes without frames: what nobody answered is given up.
    for second in 1..=120 {
        let now = last.plus(second * SECOND_NS);
        driver.advance(now, &mut ears);
        ears.1.advance(now);
    }
    let ends = [i64::MIN, i64::MAX].map(Timestamp::from_nanos);
    let lost = driver.analyzer().ledger_course().between(ends[0], ends[1]);
    let snapshot = driver.snapshot();
    let rows = snapshot.ledgers.iter();
    let clients = rows.filter(|row| matches!(row.of, LedgerOf::Client(_)));
    let kept_ns = u64::from(seconds) * SECOND_NS.unsigned_abs();
    assert!(lost.total() <= clients.count() as u64 * kept_ns);
    Watched {
        snapshot,
        ears,
        since,
    }
}

/// The longest response time, ns; those that are known.
fn longest(watched: &Watched) -> i64 {
    let times = watched.ears.0.iter();
    let times: Vec<i64> = times.filter_map(Transaction::response_time_ns).collect();
    assert!(times.iter().all(|ns| *ns >= 0), "negative");
    times.into_iter().max().unwrap()
}

fn steps_told(watched: &Watched) -> u64 {
    let reasons = &watched.snapshot.capture.reasons;
    let steps = reasons.iter().find(|reason| reason.name == "clock_steps");
    steps.map_or(0, |reason| reason.count)
}

#[test]
fn a_clock_that_is_set_back_while_it_is_watched() {
    let (plain, stepped) = (watched(0), watched(-HOUR_NS));
    assert_eq!((steps_told(&plain), steps_told(&stepped)), (0, 1));
    assert!(longest(&stepped) <= longest(&plain), "no wait grew");
    // Every request is there, and time went on without frames: all is closed.
    let closed = |watched: &Watched| watched.ears.0.len();
    assert_eq!(closed(&stepped), closed(&plain));
    let unanswered = |watched: &Watched| {
        let all = watched.ears.0.iter();
        all.filter(|t| t.outcome == Outcome::Unanswered).count()
    };
    assert_eq!(unanswered(&stepped), unanswered(&plain));
    // An hour before is not in the same minutes: they begin anew, are told, and lose no frame.
    let history = stepped.ears.1.history();
    let missed = history.missed();
    assert_eq!((missed.restarts, missed.frames), (1, 0));
    assert_eq!(history.whole().captured(None).frames, stepped.since);
    assert!(history.whole().seconds() < 200);
}

#[test]
fn a_clock_that_is_set_forward_while_it_is_watched() {
    let (plain, stepped) = (watched(0), watched(HOUR_NS));
    assert_eq!(
        steps_told(&stepped),
        0,
        "it may have been silent for an hour"
    );
    // Only what was under way at that moment looks longer, by an hour, which is the step; or it was
    // given up before its answer came, which then stands alone.
    let closed = |watched: &Watched| watched.ears.0.len();
    assert!((0..=8).contains(&(closed(&stepped) - closed(&plain))));
    let long = stepped.ears.0.iter();
    let long = long.filter(|t| t.response_time_ns() > Some(longest(&plain)));
    assert!(long.count() <= 8);
    assert!(longest(&stepped) <= longest(&plain) + HOUR_NS);
    let history = stepped.ears.1.history();
    assert_eq!(history.missed().frames, 0);
    assert_eq!(history.whole().captured(None).frames, stepped.since);
    assert!(history.whole().seconds() < 200, "no hour of empty seconds");
}
