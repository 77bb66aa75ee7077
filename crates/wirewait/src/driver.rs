//! What every loop over frames does for the analysis.

use crate::silence::Behind;
use wirewait_analysis::{Analyzer, Look, Sink, Snapshot, Thresholds};
use wirewait_model::records::RecordBatch;
use wirewait_stats::{Collector, Collectors, Options};
use wirewait_wire::{Frame, Source, Timestamp};

/// No speed is asked for beyond this interface.
const LAST_INTERFACE: u32 = 65_535;

/// Hands frames to an analysis, and passes on what a source knows besides: how fast links are,
/// and which frames are missing. What the analysis records goes to the statistics, batch by
/// batch.
pub struct Driver {
    pub(crate) feed: Feed,
    pub(crate) statistics: Collectors,
    /// Room for the next batch of records.
    room: RecordBatch,
}

/// The analysis, and what was passed on to it.
pub(crate) struct Feed {
    pub(crate) analyzer: Analyzer,
    /// Interfaces whose speed was asked for.
    pub(crate) met: u32,
    /// Lost frames that the source counted, and those of them that earlier figures had.
    lost: u64,
    lost_before: u64,
    not_saved: u64,
}

impl Driver {
    /// Drives this analysis.
    #[must_use]
    pub fn new(analyzer: Analyzer) -> Self {
        let settings = analyzer.settings();
        let options = Options {
            rows: settings.rows,
            think_ns: settings.think_ns,
        };
        Self {
            feed: Feed {
                analyzer: analyzer.recording(),
                met: 0,
                lost: 0,
                lost_before: 0,
                not_saved: 0,
            },
            statistics: Collectors::new(&options),
            room: RecordBatch::default(),
        }
    }

    /// Makes a statistic of the program's own, too; before the first frame, or it lacks those
    /// before.
    #[must_use]
    pub fn collecting(self, own: Box<dyn Collector>) -> Self {
        Self {
            statistics: self.statistics.with(own),
            ..self
        }
    }

    /// Goes on with a new analysis of the same source: frames keep their numbers, and what was
    /// lost so far is not counted again. Statistics of the program's own have to be
    /// [given](Self::collecting) again.
    pub fn begin_anew(&mut self, mut analyzer: Analyzer) {
        analyzer.skip_all(self.number());
        let lost = self.feed.lost;
        *self = Self::new(analyzer);
        (self.feed.lost, self.feed.lost_before) = (lost, lost);
    }

    /// The analysis.
    #[must_use]
    pub fn analyzer(&self) -> &Analyzer {
        &self.feed.analyzer
    }

    /// Judges symptoms by these thresholds.
    pub(crate) fn judging_by(mut self, thresholds: Thresholds) -> Self {
        self.feed.analyzer = self.feed.analyzer.judging_by(thresholds);
        self
    }

    /// All figures as they stand. What is still open is not in them.
    #[must_use]
    pub fn snapshot(&mut self) -> Snapshot {
        self.collect_all();
        let figures = self.statistics.figures(self.feed.analyzer.entities());
        self.feed.analyzer.snapshot(figures)
    }

    /// All figures, where nothing comes any more: what they are made of is freed as it is used.
    #[must_use]
    pub fn into_snapshot(mut self) -> Snapshot {
        self.collect_all();
        let Self {
            mut feed,
            statistics,
            ..
        } = self;
        let figures = statistics.into_figures(feed.analyzer.entities());
        feed.analyzer.snapshot(figures)
    }

    /// The capture is over: closes everything that is open.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        let Self {
            feed, statistics, ..
        } = self;
        feed.analyzer.finish_recorded(sink, |mut batch| {
            statistics.batch(&batch);
            batch.clear();
            batch
        });
        self.collect_all();
    }

    /// The number of the latest frame, counted from 1; frames that were left out count.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.feed.analyzer.number()
    }

    /// Analyses the next frame. [`Driver::meet`] follows, once the source is free again.
    // Part of the loop over frames.
    #[inline(always)]
    pub fn frame(&mut self, frame: &Frame<'_>, sink: &mut dyn Sink) {
        self.feed.analyzer.frame(frame, sink);
        if self.feed.analyzer.has_batch() {
            self.collect();
        }
    }

    /// Analyses the next frame, which an [`Intake`](crate::Intake) of this analysis has looked
    /// at.
    #[inline]
    pub fn looked(&mut self, frame: &Frame<'_>, look: &Look, sink: &mut dyn Sink) {
        self.feed.analyzer.looked(frame, look, sink);
        if self.feed.analyzer.has_batch() {
            self.collect();
        }
    }

    /// Leaves the next frames of the source out; they keep their numbers.
    pub fn skip(&mut self, frames: u64) {
        self.feed.analyzer.skip_all(frames);
    }

    /// The number of the latest frame, and the stamp of the latest that was not left out.
    pub(crate) fn latest(&self) -> (u64, Option<Timestamp>) {
        (self.number(), self.feed.analyzer.latest_stamp())
    }

    /// The next frame, of this time, comes behind a silence.
    pub(crate) fn behind(&mut self, behind: &Behind, at: Timestamp) {
        behind.tell(at, &mut self.feed.analyzer);
    }

    /// The latest frame came behind a silence, see [`Analyzer::was_behind_silence`].
    pub(crate) fn was_behind_silence(&mut self) {
        self.feed.analyzer.was_behind_silence();
    }

    /// Time passes without frames (a silent live segment): requests without a response time out.
    pub fn advance(&mut self, now: Timestamp, sink: &mut dyn Sink) {
        self.feed.analyzer.advance(now, sink);
        self.collect();
    }

    /// Passes on the speed of the link of an interface, and of those before it, the first time
    /// that a frame of it comes.
    #[inline]
    pub fn meet(&mut self, interface: u32, source: &(impl Source + ?Sized)) {
        let Feed { met, analyzer, .. } = &mut self.feed;
        if *met <= interface {
            new_interfaces(met, interface, source, |interface, speed| {
                analyzer.link_speed(interface, speed);
            });
        }
    }

    /// Passes on how many frames the source has lost, or not in its files. Whether that has
    /// changed.
    pub fn ask_for_losses(&mut self, source: &(impl Source + ?Sized)) -> bool {
        self.feed.losses(source.lost(), source.not_saved())
    }

    /// Counts what was recorded, as far as nothing more comes to it.
    #[cold]
    fn collect(&mut self) {
        let empty = std::mem::take(&mut self.room);
        let batch = self.feed.analyzer.take_batch(empty);
        self.count(batch);
    }

    /// Counts all that was recorded.
    fn collect_all(&mut self) {
        let empty = std::mem::take(&mut self.room);
        let batch = self.feed.analyzer.take_all(empty);
        self.count(batch);
    }

    fn count(&mut self, mut batch: RecordBatch) {
        self.statistics.batch(&batch);
        batch.clear();
        self.room = batch;
    }
}

impl Feed {
    pub(crate) fn losses(&mut self, lost: Option<u64>, not_saved: Option<u64>) -> bool {
        let lost = lost.filter(|lost| *lost != self.lost);
        if let Some(lost) = lost {
            self.lost = lost;
            self.analyzer.lost(lost.saturating_sub(self.lost_before));
        }
        let missing = not_saved.filter(|missing| *missing != self.not_saved);
        if let Some(missing) = missing {
            self.not_saved = missing;
            self.analyzer.not_saved(missing);
        }
        lost.is_some() || missing.is_some()
    }
}

/// Asks `source` for the speeds of interfaces from `met` up to this one.
pub(crate) fn new_interfaces(
    met: &mut u32,
    interface: u32,
    source: &(impl Source + ?Sized),
    mut told: impl FnMut(u32, u64),
) {
    while *met <= interface.min(LAST_INTERFACE) {
        if let Some(speed) = source.link_speed(*met) {
            told(*met, speed);
        }
        *met += 1;
    }
}
