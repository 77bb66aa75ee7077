//! Files, led through the analysis by the capture's own clock: at a pace, standing still, or
//! as fast as it goes to a moment that is looked for.

use super::origin::Turn;
use super::reel::{Gap, Reel};
use super::study::Study;
use super::survey::Survey;
use crate::args::InputArgs;
use crate::failure::Failure;
use crate::input::{self, Selection};
use std::time::{Duration, Instant};
use wirewait::{Choice, OwnedFrame, Source, SourceError, SourceErrorKind, Timestamp};
use wirewait_report::About;
use wirewait_report::symptoms::Texts;
use wirewait_tui::{Input, Pace};

/// Frames taken in before one looks around.
const STEP: u32 = 2048;

/// Files on their way through the analysis.
pub(super) struct Replay {
    args: InputArgs,
    texts: Texts,
    reel: Reel,
    selection: Selection,
    /// The next frame, whose time has not come.
    held: Option<OwnedFrame>,
    clock: Clock,
    /// The latest time of the frames taken in.
    position: Option<Timestamp>,
    paused: bool,
    ended: bool,
    seeking: Option<Timestamp>,
    /// What comes through a pipe cannot be surveyed.
    survey: Option<Survey>,
    damage: Vec<String>,
    /// What has to be said that was not said yet.
    news: Vec<String>,
    warned: usize,
}

/// The capture's time by the wall's.
#[derive(Clone, Copy, Debug)]
struct Clock {
    pace: Pace,
    /// At this instant it was so late; not before the first frame.
    set: Option<(Instant, Timestamp)>,
}

impl Clock {
    /// How late it is.
    fn now(&self, now: Instant) -> Option<Timestamp> {
        let (since, at) = self.set?;
        let Pace::Times(times) = self.pace else {
            return Some(at);
        };
        let passed = now.duration_since(since).as_nanos() * u128::from(times);
        Some(at.plus(i64::try_from(passed).unwrap_or(i64::MAX)))
    }

    /// When it is going to be so late.
    fn when(&self, at: Timestamp) -> Option<Instant> {
        let ((since, set), Pace::Times(times)) = (self.set?, self.pace) else {
            return None;
        };
        let ahead = u64::try_from(at.since(set)).unwrap_or(0);
        // Rounded up, so that it has come then.
        since.checked_add(Duration::from_nanos(
            ahead.div_ceil(u64::from(times.max(1))),
        ))
    }
}

/// How far frames are to be taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    End,
    At(Timestamp),
    Nowhere,
}

impl Replay {
    /// Opens the files.
    pub(super) fn open(
        args: &InputArgs,
        texts: Texts,
        pace: Pace,
        paused: bool,
    ) -> Result<Self, Failure> {
        let reel = Reel::open(args)?;
        let news: Vec<String> = reel.warnings().iter().map(ToString::to_string).collect();
        Ok(Self {
            warned: news.len(),
            news,
            survey: reel.again().then(|| Survey::begin(args)),
            reel,
            selection: Selection::new(args)?,
            args: args.clone(),
            texts,
            held: None,
            clock: Clock { pace, set: None },
            position: None,
            paused,
            ended: false,
            seeking: None,
            damage: Vec::new(),
        })
    }

    /// Takes in what is due, and no more than a step.
    pub(super) fn step(&mut self, study: &mut Study, now: Instant) -> Turn {
        let until = self.until(now);
        if until == Until::Nowhere {
            return Turn::Idle;
        }
        let due = |at: Timestamp| match until {
            Until::End => true,
            Until::At(until) => at <= until,
            Until::Nowhere => false,
        };
        for _ in 0..STEP {
            if self.held.as_ref().is_some_and(|held| !due(held.at)) {
                if self.seeking.is_some() || self.paused {
                    // It stands still here, behind all that was due.
                    study.release();
                }
                return self.arrived(now);
            }
            if let Some(held) = self.held.take() {
                self.position = self.position.max(Some(held.at));
                study.frame(&held.as_frame());
                study.meet(held.interface, &self.reel);
                continue;
            }
            match self.reel.next_frame() {
                Ok(Some(frame)) => match self.selection.choose(&frame) {
                    Choice::Take if due(frame.at) => {
                        let interface = frame.interface;
                        self.position = self.position.max(Some(frame.at));
                        study.frame(&frame);
                        study.meet(interface, &self.reel);
                    }
                    Choice::Take => self.held = Some(OwnedFrame::from(&frame)),
                    Choice::Skip => study.skip(frame.at),
                    Choice::Stop => {
                        self.end(study);
                        return Turn::Idle;
                    }
                },
                Ok(None) => return self.gap(study),
                Err(error) => {
                    if let Some(turn) = self.damaged(&error, study) {
                        return turn;
                    }
                }
            }
        }
        study.losses(&self.reel);
        Turn::Busy
    }

    /// No frame is at hand.
    fn gap(&mut self, study: &mut Study) -> Turn {
        match self.reel.wait() {
            Gap::Frames => Turn::Busy,
            Gap::Nothing => Turn::Waited,
            Gap::Remark(remark) => {
                self.news.push(remark.to_string());
                Turn::Busy
            }
            Gap::Damage(error) => self.damaged(&error, study).unwrap_or(Turn::Busy),
            Gap::End => {
                self.end(study);
                Turn::Idle
            }
        }
    }

    /// Behind damage it goes on. If it cannot be read at all any more, what could be read stays
    /// shown.
    fn damaged(&mut self, error: &SourceError, study: &mut Study) -> Option<Turn> {
        self.damage.push(error.to_string());
        self.news.push(error.to_string());
        if error.kind == SourceErrorKind::Damaged {
            return None;
        }
        self.end(study);
        Some(Turn::Idle)
    }

    fn until(&self, now: Instant) -> Until {
        if self.ended {
            return Until::Nowhere;
        }
        if let Some(at) = self.seeking {
            return Until::At(at);
        }
        if self.paused {
            return Until::Nowhere;
        }
        match self.clock.pace {
            Pace::Max => Until::End,
            // The clock begins with the first frame, which is held by this.
            Pace::Times(_) => Until::At(
                self.clock
                    .now(now)
                    .unwrap_or(Timestamp::from_nanos(i64::MIN)),
            ),
        }
    }

    /// All that was due is taken in; one is held that is not.
    fn arrived(&mut self, now: Instant) -> Turn {
        let Some(held) = &self.held else {
            return Turn::Busy;
        };
        if let Some(sought) = self.seeking.take() {
            // Before the first frame there is no time.
            let at = self
                .position
                .map_or(held.at, |position| sought.max(position));
            self.clock.set = Some((now, at));
            return Turn::Busy;
        }
        if self.clock.set.is_none() {
            self.clock.set = Some((now, held.at));
            return Turn::Busy;
        }
        match self.clock.when(held.at) {
            Some(then) => Turn::Due(then),
            None => Turn::Idle,
        }
    }

    fn end(&mut self, study: &mut Study) {
        study.losses(&self.reel);
        study.finish();
        self.seeking = None;
        self.ended = true;
        for warning in self.reel.warnings().iter().skip(self.warned) {
            self.news.push(warning.to_string());
        }
        self.warned = self.reel.warnings().len();
    }

    /// Stands still, or goes on.
    pub(super) fn pause(&mut self, paused: bool, now: Instant) {
        self.set_clock(now);
        self.paused = paused;
    }

    /// Goes on at this pace.
    pub(super) fn pace(&mut self, pace: Pace, now: Instant) {
        self.set_clock(now);
        self.clock.pace = pace;
    }

    /// The clock goes on from where it is.
    fn set_clock(&mut self, now: Instant) {
        self.clock.set = self.now(now).map(|at| (now, at));
    }

    /// Looks for this moment: backwards all is analysed anew from the start.
    pub(super) fn seek(&mut self, at: Timestamp, study: &mut Study) -> Result<(), Failure> {
        if self.position.is_some_and(|position| at < position) {
            self.rewind(study)?;
        }
        if !self.ended {
            self.seeking = Some(at);
        }
        Ok(())
    }

    /// Begins at the beginning.
    fn rewind(&mut self, study: &mut Study) -> Result<(), Failure> {
        if !self.reel.again() {
            return Err(Failure::Cannot(
                "what came through the pipe is gone: there is no way back; save it to a file to \
                 go back in it"
                    .to_owned(),
            ));
        }
        self.reel = Reel::open(&self.args)?;
        self.selection = Selection::new(&self.args)?;
        self.held = None;
        self.clock.set = None;
        self.position = None;
        self.seeking = None;
        self.ended = false;
        self.damage.clear();
        self.warned = self.reel.warnings().len();
        study.restart();
        Ok(())
    }

    /// How late it is in the capture.
    pub(super) fn now(&self, now: Instant) -> Option<Timestamp> {
        let rushes = self.clock.pace == Pace::Max && !self.paused;
        if self.ended || self.seeking.is_some() || rushes {
            return self.position;
        }
        let clock = match self.paused {
            true => self.clock.set.map(|(_, at)| at),
            false => self.clock.now(now),
        };
        // Never ahead of a frame that was not taken in.
        let clock = match &self.held {
            Some(held) => clock.map(|clock| clock.min(held.at)),
            None => clock,
        };
        // Where the capture's clock stepped back, frames are ahead of it.
        clock.max(self.position)
    }

    /// What the screen is told of the input.
    pub(super) fn input(&self, study: &Study) -> Input {
        let so_far = study.first().zip(self.position).filter(|_| self.ended);
        Input::Files {
            names: self.names(),
            span: self.span().or(so_far),
            pace: self.clock.pace,
            paused: self.paused,
            ended: self.ended,
            seeking: self.seeking,
            again: self.reel.again(),
        }
    }

    /// What a report would say of the input.
    pub(super) fn about(&self) -> About {
        let mut about = input::about(&self.args, self.reel.interfaces(), self.damage.clone());
        about.texts = self.texts.clone();
        about
    }

    /// Whether the files can be read once more.
    pub(super) fn again(&self) -> bool {
        self.reel.again()
    }

    /// Whether it is known how long the files are.
    pub(super) fn is_surveyed(&self) -> bool {
        self.span().is_some()
    }

    /// Whether something was wrong with the files.
    pub(super) fn is_damaged(&self) -> bool {
        !self.damage.is_empty()
    }

    /// What happened since it was asked.
    pub(super) fn news(&mut self) -> Vec<String> {
        std::mem::take(&mut self.news)
    }

    /// Whether something will change without any command.
    pub(super) fn is_moving(&self) -> bool {
        !self.ended && (self.seeking.is_some() || !self.paused)
    }

    fn span(&self) -> Option<(Timestamp, Timestamp)> {
        self.survey.as_ref()?.span()
    }

    fn names(&self) -> Vec<String> {
        let files = self.args.files.iter();
        files.map(|file| file.display().to_string()).collect()
    }
}
