//! The loop of a program that has frames rather than files: it hands on each as it comes, says the
//! time when none does, and looks at the verdict meanwhile.
//! `cargo run --example live_loop FILE` plays a capture as if it came in now.

use std::path::PathBuf;
use wirewait::{
    Analyzer, Driver, Settings, Sink, Source, SourceError, Timestamp, Transaction, Verdict,
    registry,
};
use wirewait_capture::{Options, open};

/// Between two looks at the verdict, in the frames' own time: the engine asks no clock.
const LOOK_NS: i64 = 10_000_000_000;

fn main() -> Result<(), SourceError> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for line in live_loop(&files)? {
        println!("{line}");
    }
    Ok(())
}

/// Counts transactions as they close.
#[derive(Default)]
struct Closed(u64);

impl Sink for Closed {
    fn transaction(&mut self, _: &Transaction) {
        self.0 += 1;
    }
}

pub(crate) fn live_loop(files: &[PathBuf]) -> Result<Vec<String>, SourceError> {
    let mut source = open(files, &Options::default())?;
    let mut driver = Driver::new(Analyzer::new(registry(), Settings::default()));
    let mut closed = Closed::default();
    let mut lines = Vec::new();
    let mut look: Option<Timestamp> = None;
    let mut latest = Timestamp::default();
    while let Some(frame) = source.next_frame()? {
        latest = frame.at;
        let due = *look.get_or_insert(latest.plus(LOOK_NS));
        driver.frame(&frame, &mut closed);
        if latest >= due {
            look = Some(due.plus(LOOK_NS));
            lines.push(line(&mut driver, &closed));
        }
    }
    // Half a minute without frames: requests without a response are given up.
    driver.advance(latest.plus(3 * LOOK_NS), &mut closed);
    driver.finish(&mut closed);
    lines.push(line(&mut driver, &closed));
    Ok(lines)
}

fn line(driver: &mut Driver, closed: &Closed) -> String {
    let verdict = Verdict::on(&driver.snapshot());
    format!(
        "{} frames, {} transactions: {}",
        driver.number(),
        closed.0,
        verdict.finding.name()
    )
}
