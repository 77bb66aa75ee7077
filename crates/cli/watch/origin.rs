//! Where frames come from: files that are replayed, or the wire.

use super::replay::Replay;
use super::segment::Segment;
use super::study::Study;
use std::time::Instant;
use wirewait::Timestamp;
use wirewait_report::About;
use wirewait_tui::Input;

/// Where frames come from.
pub(super) enum Origin {
    Files(Box<Replay>),
    Live(Box<Segment>),
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Go on at once.
    Busy,
    /// Go on at once: the step has already waited for frames.
    Waited,
    /// The next frame is due then.
    Due(Instant),
    /// Nothing will come by itself.
    Idle,
}

impl Origin {
    /// Takes in what has come, and no more than a step.
    pub(super) fn step(&mut self, study: &mut Study, now: Instant) -> Turn {
        match self {
            Self::Files(replay) => replay.step(study, now),
            Self::Live(segment) => segment.step(study),
        }
    }

    /// How late it is in the capture.
    pub(super) fn now(&self, now: Instant) -> Option<Timestamp> {
        match self {
            Self::Files(replay) => replay.now(now),
            Self::Live(segment) => segment.now(),
        }
    }

    /// What the screen is told of it.
    pub(super) fn input(&self, study: &Study) -> Input {
        match self {
            Self::Files(replay) => replay.input(study),
            Self::Live(segment) => segment.input(),
        }
    }

    /// What a report would say of it.
    pub(super) fn about(&self) -> About {
        match self {
            Self::Files(replay) => replay.about(),
            Self::Live(segment) => segment.about(),
        }
    }

    /// What happened since it was asked.
    pub(super) fn news(&mut self) -> Vec<String> {
        match self {
            Self::Files(replay) => replay.news(),
            Self::Live(segment) => segment.news(),
        }
    }

    /// Writes out what waits to be saved, if anything is saved.
    pub(super) fn flush(&mut self) -> Option<String> {
        match self {
            Self::Files(_) => None,
            Self::Live(segment) => segment.flush(),
        }
    }

    /// Whether time passes.
    pub(super) fn is_moving(&self) -> bool {
        match self {
            Self::Files(replay) => replay.is_moving(),
            Self::Live(segment) => segment.is_moving(),
        }
    }

    /// Whether it is known how long it is.
    pub(super) fn is_surveyed(&self) -> bool {
        match self {
            Self::Files(replay) => replay.is_surveyed(),
            Self::Live(_) => false,
        }
    }
}
