//! wirewait as a library: every protocol, the analysis, and the loop that leads frames
//! from a [`Source`] through it.
//!
//! Nothing in here prints, does I/O or asks for the time; the only clock is the time
//! stamp of the frames. Frames come from any [`Source`] (`wirewait-capture` has one for
//! capture files), transactions go to any [`Sink`] as they close, and the figures as they
//! stand are a [`Snapshot`].
//!
//! For a capture that ends, [`analyse`] does it all. A program that wants to show
//! progress, stop early, leave frames out or look at the figures meanwhile drives an
//! [`Engine`] itself, step by step.

#![forbid(unsafe_code)]

use std::fmt;

pub use wirewait_analysis::compare;
pub use wirewait_analysis::{
    Analyzer, Assembled, Attribution, CaptureRow, Counts, Deed, Duplex, EXACT_VALUES, Excluded,
    Extent, Flags, FrameCounts, FrameSums, Grade, Grouping, Intake, Look, Mark, Notice, Noticed,
    Outcome, Place, PlaceRow, Readings, Reason, Rule, Segment, SegmentRow, ServerRow, Settings,
    Sink, Snapshot, Spread, StationRow, Summary, Threshold, Thresholds, Times, Transaction,
    Turnaround, WHOLE_FRAME,
};
pub use wirewait_dissectors::{EVIDENCE, last, registry};
pub use wirewait_wire::{
    Address, Chain, Depth, Dissector, Endpoint, File, Frame, Kind, Layout, LinkType, Operation,
    Registry, Source, SourceError, SourceErrorKind, Status, Timestamp, Verified, Walk,
};

/// Frames in one [`Engine::step`]: short enough to look around often, long enough that
/// looking around costs nothing.
const STEP: u32 = 4096;

/// No speed is asked for beyond this interface.
const LAST_INTERFACE: u32 = 65_535;

/// What to do with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Analyse it.
    Take,
    /// Leave it out.
    Skip,
    /// Leave it out, and everything behind it.
    Stop,
}

/// Whether a source has more to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There may be more frames.
    More,
    /// That was all.
    End,
}

/// A source on its way through the analysis.
pub struct Engine<S> {
    source: S,
    analyzer: Analyzer,
    /// Interfaces of which the source was asked how fast they are.
    met: u32,
}

impl<S: fmt::Debug> fmt::Debug for Engine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl<S: Source> Engine<S> {
    /// Everything that `source` yields is to be analysed for all known protocols.
    #[must_use]
    pub fn new(source: S, settings: Settings) -> Self {
        Self::going_on(source, Analyzer::new(registry(), settings), 0)
    }

    /// Goes on with an analysis that was made elsewhere. Of so many
    /// interfaces it has been told how fast they are, as far as that is known.
    #[must_use]
    pub fn going_on(source: S, analyzer: Analyzer, met: u32) -> Self {
        Self {
            source,
            analyzer,
            met,
        }
    }

    /// Judges symptoms by these thresholds rather than by the built-in ones.
    #[must_use]
    pub fn judging_by(mut self, thresholds: Thresholds) -> Self {
        self.analyzer = self.analyzer.judging_by(thresholds);
        self
    }

    /// Analyses the next few thousand frames.
    ///
    /// # Errors
    /// What the source says. After an error of kind [`SourceErrorKind::Damaged`] the next
    /// step goes on behind the damage; everything before it stands.
    pub fn step(&mut self, sink: &mut dyn Sink) -> Result<Progress, SourceError> {
        self.step_choosing(|_| Choice::Take, sink)
    }

    /// As [`Engine::step`], with only those frames that `choose` takes.
    ///
    /// # Errors
    /// As [`Engine::step`].
    pub fn step_choosing(
        &mut self,
        mut choose: impl FnMut(&Frame<'_>) -> Choice,
        sink: &mut dyn Sink,
    ) -> Result<Progress, SourceError> {
        self.step_watching(|frame, _| choose(frame), sink)
    }

    /// As [`Engine::step_choosing`], with a look at the analysis before each frame: meters are
    /// read at moments of the frames' own time.
    ///
    /// # Errors
    /// As [`Engine::step`].
    pub fn step_watching(
        &mut self,
        choose: impl FnMut(&Frame<'_>, &Analyzer) -> Choice,
        sink: &mut dyn Sink,
    ) -> Result<Progress, SourceError> {
        let progress = self.frames(choose, sink);
        self.ask_for_losses();
        progress
    }

    fn frames(
        &mut self,
        mut choose: impl FnMut(&Frame<'_>, &Analyzer) -> Choice,
        sink: &mut dyn Sink,
    ) -> Result<Progress, SourceError> {
        for _ in 0..STEP {
            let Some(frame) = self.source.next_frame()? else {
                return Ok(Progress::End);
            };
            let interface = frame.interface;
            match choose(&frame, &self.analyzer) {
                Choice::Take => {
                    self.analyzer.frame(&frame, sink);
                    self.meet(interface);
                }
                Choice::Skip => self.analyzer.skip(),
                Choice::Stop => return Ok(Progress::End),
            }
        }
        Ok(Progress::More)
    }

    /// Passes on how fast the links are, once the source knows them.
    fn meet(&mut self, interface: u32) {
        while self.met <= interface.min(LAST_INTERFACE) {
            if let Some(speed) = self.source.link_speed(self.met) {
                self.analyzer.link_speed(self.met, speed);
            }
            self.met += 1;
        }
    }

    /// Passes on how many frames never got here.
    fn ask_for_losses(&mut self) {
        if let Some(lost) = self.source.lost() {
            self.analyzer.lost(lost);
        }
        if let Some(missing) = self.source.not_saved() {
            self.analyzer.not_saved(missing);
        }
    }

    /// Tells the analysis the time when no frame does (a silent live segment), so that
    /// requests without an answer are given up.
    pub fn advance(&mut self, now: Timestamp, sink: &mut dyn Sink) {
        self.analyzer.advance(now, sink);
    }

    /// The source, to wait until it has more: one that is live says that it has no frame when
    /// none is at hand, and [`Progress::End`] is only the end of these.
    pub fn source_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// The number of the latest frame, those left out included.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.analyzer.number()
    }

    /// The figures as they stand.
    #[must_use]
    pub fn snapshot(&mut self) -> Snapshot {
        self.analyzer.snapshot()
    }

    /// Closes what is still open. Gives the final figures, and the source back.
    pub fn finish(self, sink: &mut dyn Sink) -> (Snapshot, S) {
        let (snapshot, _, source) = self.finish_metered(sink);
        (snapshot, source)
    }

    /// Leaves off without closing anything. Gives what [`Engine::going_on`] takes.
    pub fn leave(mut self) -> (S, Analyzer, u32) {
        self.ask_for_losses();
        (self.source, self.analyzer, self.met)
    }

    /// As [`Engine::finish`], with what the meters show at the end.
    pub fn finish_metered(self, sink: &mut dyn Sink) -> (Snapshot, Readings, S) {
        let (source, mut analyzer, _) = self.leave();
        analyzer.finish(sink);
        let readings = analyzer.readings();
        (analyzer.snapshot(), readings, source)
    }
}

/// Analyses all that `source` yields. Each transaction goes to `sink` when it closes (`()` is
/// a sink for programs that only want the figures), each damage to the input to `on_damage`; the analysis goes on behind it.
///
/// # Errors
/// When the source cannot be read at all.
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
    struct Fake {
        frames: i64,
        next: i64,
        damaged_before: Vec<i64>,
        kind: SourceErrorKind,
    }

    impl Fake {
        fn new(frames: i64) -> Self {
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
