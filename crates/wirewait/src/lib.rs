//! wirewait as a library: every protocol, the analysis, and the loop that leads the frames of a
//! [`Source`] through it.
//!
//! ```
//! use wirewait::{Settings, Source, SourceError, Verdict, analyse};
//!
//! fn verdict(source: impl Source) -> Result<Verdict, SourceError> {
//!     let mut settings = Settings::default();
//!     settings.slowest = 3;
//!     // What is damaged is passed over.
//!     let snapshot = analyse(source, settings, &mut (), |_| ())?;
//!     Ok(Verdict::on(&snapshot))
//! }
//! # struct Nothing;
//! # impl Source for Nothing {
//! #     fn next_frame(&mut self) -> Result<Option<wirewait::Frame<'_>>, SourceError> {
//! #         Ok(None)
//! #     }
//! # }
//! # assert_eq!(verdict(Nothing).unwrap().answered, 0);
//! ```
//!
//! Settings and results may get more fields (`#[non_exhaustive]`): a program begins with a default
//! and sets fields, and matches results with `..`.
//!
//! Nothing in here prints, does I/O or asks for the time; the only clock is the time stamp of the
//! frames. Frames come from any [`Source`] (`wirewait-capture` has one for capture files and one
//! for live capture), transactions go to any [`Sink`] when they close, and the figures as they
//! stand are a [`Snapshot`]; [`Verdict::on`] judges them.
//!
//! For a capture that ends, [`analyse`] does it all, and [`Engine::transactions`] gives the
//! transactions to a loop. A program that shows progress, stops early,
//! leaves frames out or looks at the figures meanwhile drives an [`Engine`]: all frames with
//! [`Engine::run`] or [`Engine::run_on`] (several threads, the same results), or step by step. A
//! program that has frames rather than a source (it delays them, or keeps them) hands each to a
//! [`Driver`]. A protocol of its own is a [`Dissector`] in its
//! [`Registry`], a statistic of its own a [`Collector`].
//!
//! Figures become the program's own text, JSON, CSV and HTML with the crate `wirewait-report`, and rows become
//! Parquet and Arrow with `wirewait-rows`.
//!
//! Examples, run by tests: `verdict` (of files), `live_loop`, `own_protocol`, `own_collector`; and
//! `rows_to_arrow`, of the crate `wirewait-rows`.

#![forbid(unsafe_code)]

mod ahead;
mod driver;
mod engine;
mod holding;
mod silence;
mod transactions;

pub use ahead::MOST_THREADS;
pub use driver::Driver;
pub use engine::{Choice, Engine, Progress, Standing};
pub use holding::Holding;
pub use transactions::Transactions;
pub use wirewait_analysis::{
    Analyzer, Assembled, Attribution, CaptureRow, Counts, Deed, Duplex, EXACT_VALUES, Excluded,
    Extent, Flags, FrameCounts, FrameSums, Grade, Grouping, Intake, Ledger, LedgerOf, LedgerRow,
    Look, Mark, Notice, Noticed, Outcome, Phase, Place, PlaceRow, Readings, Reason, Rule, Segment,
    SegmentRow, ServerRow, Settings, Sink, Snapshot, Spread, StationRow, Summary, Symptom,
    Symptoms, Threshold, Thresholds, Times, Transaction, Turnaround, WHOLE_FRAME,
};
/// The built-in protocols, and the tables of ports and types in which one of your own can claim
/// its place: the example `own_protocol`.
pub use wirewait_dissectors as dissectors;
pub use wirewait_dissectors::{EVIDENCE, last, registry};
pub use wirewait_judge::{Culprit, Doubt, Finding, OnTheWay, Share, Verdict, between, compare};
/// Figures and records: what a statistic of your own is made of, as in the example
/// `own_collector`.
pub use wirewait_model as model;
pub use wirewait_stats::{Collector, Rows};
/// Frames, layers and exchanges: what a dissector of your own is made of, as in the example
/// `own_protocol`.
pub use wirewait_wire as wire;
pub use wirewait_wire::{
    Address, Chain, Depth, Dissector, Endpoint, File, Frame, Kind, Layout, LinkType, Operation,
    OwnedFrame, Registry, Source, SourceError, SourceErrorKind, Status, Timestamp, Verified, Walk,
};

/// Analyses all frames of `source`. Each transaction goes to `sink` when it closes (`()` is a sink
/// for programs that only want the figures), each damage to the input to `on_damage`; the analysis
/// goes on behind it.
///
/// # Errors
/// When the source cannot be read at all, or not any further, for another reason than
/// damage: what was analysed until then is lost. An [`Engine`] keeps it.
pub fn analyse<S: Source>(
    source: S,
    settings: Settings,
    sink: &mut dyn Sink,
    mut on_damage: impl FnMut(&SourceError),
) -> Result<Snapshot, SourceError> {
    let mut engine = Engine::new(source, settings);
    loop {
        match engine.step(sink) {
            Ok(Progress::More) => {}
            Ok(Progress::End) => return Ok(engine.finish(sink).0),
            Err(error) if error.kind == SourceErrorKind::Damaged => on_damage(&error),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Empty frames, one a second, and an error before each frame that is listed in it.
    pub(crate) struct Fake {
        frames: i64,
        next: i64,
        pub(crate) damaged_before: Vec<i64>,
        pub(crate) kind: SourceErrorKind,
    }

    impl Fake {
        pub(crate) fn new(frames: i64) -> Self {
            Self {
                frames,
                next: 0,
                damaged_before: Vec::new(),
                kind: SourceErrorKind::Damaged,
            }
        }
    }

    impl Source for Fake {
        fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
            if let Some(at) = self.damaged_before.iter().position(|n| *n == self.next) {
                self.damaged_before.remove(at);
                return Err(SourceError {
                    kind: self.kind,
                    name: "fake".to_owned(),
                    offset: Some(7),
                    message: "broken".to_owned(),
                });
            }
            if self.next == self.frames {
                return Ok(None);
            }
            let at = Timestamp::from_parts(self.next, 0);
            self.next += 1;
            Ok(Some(Frame {
                at,
                link: LinkType(147),
                interface: 0,
                wire_len: 60,
                bytes: &[],
            }))
        }
    }

    #[test]
    fn goes_on_behind_damage_and_tells_of_it() {
        let mut source = Fake::new(10_000);
        source.damaged_before = vec![0, 5000, 10_000];
        let mut told = Vec::new();
        let snapshot = analyse(source, Settings::default(), &mut (), |error| {
            told.push(error.to_string());
        })
        .unwrap();
        assert_eq!(snapshot.capture.frames, 10_000);
        assert_eq!(told, ["fake: broken (at byte 7)"; 3]);
    }

    #[test]
    fn gives_up_on_what_cannot_be_read() {
        let mut source = Fake::new(3);
        source.damaged_before = vec![1];
        source.kind = SourceErrorKind::Unreadable;
        let error = analyse(source, Settings::default(), &mut (), |_| ()).unwrap_err();
        assert_eq!(error.offset, Some(7));
    }

    #[test]
    fn takes_only_what_is_chosen() {
        let mut engine = Engine::new(Fake::new(100), Settings::default());
        let choose = |frame: &Frame<'_>| match frame.at.as_nanos() / 1_000_000_000 {
            0..10 => Choice::Skip,
            10..30 => Choice::Take,
            _ => Choice::Stop,
        };
        let progress = engine.step_choosing(choose, &mut ());
        assert_eq!(progress, Ok(Progress::End));
        assert_eq!(engine.snapshot().capture.frames, 20);
        let (snapshot, source) = engine.finish(&mut ());
        assert_eq!(snapshot.capture.frames, 20);
        assert_eq!(source.next, 31, "nothing is read behind the stop");
    }
}
