//! A segment that falls silent: what is over is counted without a further frame.

use std::path::PathBuf;
use wirewait::{Analyzer, Driver, Settings, Source, Timestamp, registry};
use wirewait_analysis::{LedgerOf, Phase};

const MS: i64 = 1_000_000;

/// The first 400 ms of the shipped capture, and then nothing: two requests answered over TCP. The
/// seconds of the account have all of what its rows have once nothing older can be on its way.
#[test]
fn a_burst_shorter_than_half_a_second_is_settled_by_silence() {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../captures/demo.pcapng"]
        .iter()
        .collect();
    let mut source =
        wirewait_capture::open(&[file], &wirewait_capture::Options::default()).unwrap();
    let mut driver =
        Driver::new(Analyzer::new(registry(), Settings::default()).keeping_course(600));
    let mut first: Option<Timestamp> = None;
    let mut last = Timestamp::default();
    while let Some(frame) = source.next_frame().unwrap() {
        let begin = *first.get_or_insert(frame.at);
        if frame.at.since(begin) > 400 * MS {
            break;
        }
        last = frame.at;
        driver.frame(&frame, &mut ());
    }
    // The screen is told how late it is twenty times a second.
    for step in 1..=100 {
        driver.advance(last.plus(step * 50 * MS), &mut ());
    }
    let ends = [i64::MIN, i64::MAX].map(Timestamp::from_nanos);
    let settled = driver.analyzer().ledger_course().between(ends[0], ends[1]);
    let snapshot = driver.snapshot();
    let mut rows = snapshot.ledgers.iter();
    let all = rows.find(|row| row.of == LedgerOf::Capture).unwrap().ledger;
    assert!(all.active() > 0, "{all:?}");
    for phase in Phase::ALL {
        assert_eq!(settled.get(phase), all.get(phase), "{phase:?}");
    }
}
