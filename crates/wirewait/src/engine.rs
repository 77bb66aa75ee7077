//! The loop over the frames of a source.

use crate::Driver;
use crate::silence::{Held, Silence};
use std::fmt;
use wirewait_analysis::{Analyzer, Readings, Settings, Sink, Snapshot, Thresholds};
use wirewait_dissectors::registry;
use wirewait_stats::Collector;
use wirewait_wire::{Frame, Source, SourceError, Timestamp};

/// Frames in one [`Engine::step`]: short enough to look around often, long enough that
/// looking around costs nothing.
const STEP: u32 = 4096;

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

/// How far a run is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// Bytes of the input that were read, if the source counts them.
    pub read: u64,
    /// Frames that were analysed or left out.
    pub frames: u64,
    /// What is wrong with the input here. The run goes on behind it.
    pub error: Option<SourceError>,
}

/// A source on its way through the analysis.
pub struct Engine<S> {
    pub(crate) source: S,
    pub(crate) driver: Driver,
    pub(crate) silence: Silence,
    /// Frames behind a silence that are held back, where the source is live.
    pending: Option<Held>,
    is_live: bool,
    /// They are to be taken as they are.
    released: bool,
}

/// Who analyses frames, or leaves them out. Not closures, as what each frame takes is to be part of the loop over
/// them, though there are two of these.
trait Each {
    fn each(&mut self, frame: &Frame<'_>, driver: &mut Driver) -> Choice;
}

/// Looks at the analysis before each frame.
struct Watching<'a, C> {
    choose: C,
    sink: &'a mut dyn Sink,
}

impl<C: FnMut(&Frame<'_>, &Analyzer) -> Choice> Each for Watching<'_, C> {
    #[inline(always)]
    fn each(&mut self, frame: &Frame<'_>, driver: &mut Driver) -> Choice {
        let choice = (self.choose)(frame, driver.analyzer());
        if choice == Choice::Take {
            driver.frame(frame, self.sink);
        }
        choice
    }
}

/// Leaves frames out without a look at the analysis, and shows it before the others.
struct Running<'a, C, W, K> {
    choose: &'a mut C,
    watch: &'a mut W,
    sink: &'a mut K,
}

impl<C, W, K> Each for Running<'_, C, W, K>
where
    C: FnMut(&Frame<'_>) -> Choice,
    W: FnMut(&Frame<'_>, &Analyzer),
    K: Sink,
{
    #[inline(always)]
    fn each(&mut self, frame: &Frame<'_>, driver: &mut Driver) -> Choice {
        let choice = (self.choose)(frame);
        if choice == Choice::Take {
            (self.watch)(frame, driver.analyzer());
            driver.frame(frame, self.sink);
        }
        choice
    }
}

/// Has the figures and the sink at hand before each frame.
struct Driving<'a, C, K> {
    choose: C,
    sink: &'a mut K,
}

impl<C: FnMut(&Frame<'_>, &mut Driver, &mut K) -> Choice, K: Sink> Each for Driving<'_, C, K> {
    #[inline(always)]
    fn each(&mut self, frame: &Frame<'_>, driver: &mut Driver) -> Choice {
        let choice = (self.choose)(frame, driver, self.sink);
        if choice == Choice::Take {
            driver.frame(frame, self.sink);
        }
        choice
    }
}

impl<S: fmt::Debug> fmt::Debug for Engine<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl<S: Source> Engine<S> {
    /// Analyses `source` for all known protocols.
    #[must_use]
    pub fn new(source: S, settings: Settings) -> Self {
        Self::with(source, Analyzer::new(registry(), settings))
    }

    /// Analyses `source` with an analysis of the program's own: other protocols, no meters, the
    /// last minutes kept.
    #[must_use]
    pub fn with(source: S, analyzer: Analyzer) -> Self {
        Self {
            source,
            driver: Driver::new(analyzer),
            silence: Silence::default(),
            pending: None,
            is_live: false,
            released: false,
        }
    }

    /// The source is live: where none of its frames is at hand, more may come. Those behind a silence are held back until
    /// it is known whether the clock was set, or they are [released](Self::release).
    #[must_use]
    pub fn live(self) -> Self {
        Self {
            is_live: true,
            ..self
        }
    }

    /// No frame came for a while: the next step takes those that are held back. Whether there are any.
    pub fn release(&mut self) -> bool {
        self.released = self.pending.is_some();
        self.released
    }

    /// Judges symptoms by these thresholds rather than by the built-in ones.
    #[must_use]
    pub fn judging_by(self, thresholds: Thresholds) -> Self {
        Self {
            driver: self.driver.judging_by(thresholds),
            ..self
        }
    }

    /// Makes a statistic of the program's own, too: it stands behind the others in
    /// [`Snapshot::statistics`].
    #[must_use]
    pub fn collecting(self, own: Box<dyn Collector>) -> Self {
        Self {
            driver: self.driver.collecting(own),
            ..self
        }
    }

    /// Analyses the next few thousand frames.
    ///
    /// # Errors
    /// What the source says. After an error of kind
    /// [`SourceErrorKind::Damaged`](crate::SourceErrorKind::Damaged) the next step goes on behind
    /// the damage; everything before it stands.
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
        self.frames(Watching { choose, sink })
    }

    /// As [`Engine::step_choosing`], with the figures and the sink at hand before each frame: a
    /// [snapshot](Driver::snapshot) can be taken at moments of the frames' own time.
    ///
    /// # Errors
    /// As [`Engine::step`].
    pub fn step_driving<K: Sink>(
        &mut self,
        choose: impl FnMut(&Frame<'_>, &mut Driver, &mut K) -> Choice,
        sink: &mut K,
    ) -> Result<Progress, SourceError> {
        self.frames(Driving { choose, sink })
    }

    /// Analyses all frames that `choose` takes, on this thread. `watch` sees each of them and the
    /// analysis before it; `between` is called after every few thousand frames, at each damage
    /// and at the end.
    ///
    /// # Errors
    /// The first error of `between`, which ends the run.
    pub fn run<K: Sink, E>(
        &mut self,
        choose: &mut impl FnMut(&Frame<'_>) -> Choice,
        sink: &mut K,
        watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
        between: &mut impl FnMut(Standing, &mut K) -> Result<(), E>,
    ) -> Result<(), E> {
        loop {
            let progress = self.frames(Running {
                choose: &mut *choose,
                watch: &mut *watch,
                sink: &mut *sink,
            });
            let over = progress == Ok(Progress::End);
            let standing = Standing {
                read: self.source.bytes_read(),
                frames: self.number(),
                error: progress.err(),
            };
            between(standing, sink)?;
            if over {
                return Ok(());
            }
        }
    }

    /// Tells the analysis the time when no frame does (a silent live segment), so that
    /// requests without an answer are given up.
    pub fn advance(&mut self, now: Timestamp, sink: &mut dyn Sink) {
        self.driver.advance(now, sink);
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
        self.driver.number()
    }

    /// The figures as they stand.
    #[must_use]
    pub fn snapshot(&mut self) -> Snapshot {
        self.driver.snapshot()
    }

    /// Closes what is still open. Gives the final figures, and the source back.
    pub fn finish(self, sink: &mut dyn Sink) -> (Snapshot, S) {
        let (snapshot, _, source) = self.finish_metered(sink);
        (snapshot, source)
    }

    /// As [`Engine::finish`], with what the meters show at the end.
    pub fn finish_metered(mut self, sink: &mut dyn Sink) -> (Snapshot, Readings, S) {
        self.driver.ask_for_losses(&self.source);
        self.driver.finish(sink);
        let readings = self.driver.analyzer().readings();
        (self.driver.into_snapshot(), readings, self.source)
    }

    /// The next few thousand frames. `each` analyses those that it takes.
    fn frames(&mut self, each: impl Each) -> Result<Progress, SourceError> {
        let progress = self.next_frames(each);
        self.driver.ask_for_losses(&self.source);
        progress
    }

    fn next_frames(&mut self, mut each: impl Each) -> Result<Progress, SourceError> {
        if let Some(held) = self.pending.take()
            && let Some(over) = self.behind_silence((held, true), &mut each)
        {
            return over;
        }
        for _ in 0..STEP {
            let Some(frame) = self.source.next_frame()? else {
                return Ok(Progress::End);
            };
            if self.silence.may_end(frame.at)
                && self.silence.is_behind(frame.at, self.driver.latest())
            {
                let mut held = Held::default();
                let more = self.silence.look(&frame, &mut held);
                if let Some(over) = self.behind_silence((held, more), &mut each) {
                    return over;
                }
                continue;
            }
            let interface = frame.interface;
            match each.each(&frame, &mut self.driver) {
                Choice::Take => self.driver.meet(interface, &self.source),
                Choice::Skip => {
                    let at = frame.at;
                    self.driver.skip(1);
                    self.silence.skipped(self.driver.number(), at);
                }
                Choice::Stop => return Ok(Progress::End),
            }
        }
        Ok(Progress::More)
    }

    /// Frames behind a silence, once it is known whether the clock was set, as far as they are at hand. What ended the
    /// loop, if something did.
    #[cold]
    #[inline(never)]
    fn behind_silence(
        &mut self,
        (mut held, mut more): (Held, bool),
        each: &mut dyn Each,
    ) -> Option<Result<Progress, SourceError>> {
        let mut over = None;
        while more {
            more = match self.source.next_frame() {
                Ok(Some(frame)) => self.silence.look(&frame, &mut held),
                Ok(None) if self.is_live && !std::mem::take(&mut self.released) => {
                    self.pending = Some(held);
                    return Some(Ok(Progress::End));
                }
                end => {
                    over = Some(end.map(|_| Progress::End));
                    false
                }
            };
        }
        let mut place = 0;
        while let Some((frame, behind)) = held.at(place) {
            place += 1;
            if let Some(behind) = behind {
                self.driver.behind(&behind, frame.at);
            }
            match each.each(&frame, &mut self.driver) {
                Choice::Take => {
                    self.driver.was_behind_silence();
                    self.driver.meet(frame.interface, &self.source);
                }
                Choice::Skip => {
                    self.driver.skip(1);
                    self.silence.skipped(self.driver.number(), frame.at);
                }
                Choice::Stop => return Some(Ok(Progress::End)),
            }
        }
        over
    }
}
