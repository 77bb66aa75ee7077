//! What is replayed: files, or what comes through the standard input.

use crate::args::InputArgs;
use crate::failure::Failure;
use crate::input::{self, is_stdin};
use std::io::{self, IsTerminal};
use std::time::Duration;
use wirewait::{Frame, Source, SourceError};
use wirewait_capture::live::{Event, Live, from_stdin};
use wirewait_capture::{Files, open};
use wirewait_report::Interface;

/// How long it waits for what comes through a pipe: commands wait as long.
const WAIT: Duration = Duration::from_millis(50);

/// What is replayed.
#[derive(Debug)]
pub(super) enum Reel {
    Files(Box<Files>),
    Pipe(Box<Live>),
}

/// What there is where no frame is at hand.
#[derive(Debug)]
pub(super) enum Gap {
    /// That was all.
    End,
    /// There may be frames again.
    Frames,
    /// Not yet; some time has passed.
    Nothing,
    /// What its user should know.
    Remark(SourceError),
    /// It is damaged.
    Damage(SourceError),
}

impl Reel {
    /// Opens what the user named.
    pub(super) fn open(args: &InputArgs) -> Result<Self, Failure> {
        let wrong = |text: &str| Err(Failure::Usage(text.to_owned()));
        if !args.files.iter().any(|file| is_stdin(file)) {
            return Ok(Self::Files(Box::new(open(
                &args.files,
                &input::options(args),
            )?)));
        }
        if args.files.len() > 1 {
            return wrong("-: the standard input is replayed alone, without files beside it");
        }
        if io::stdin().is_terminal() {
            return wrong("-: the standard input is a terminal; pipe a capture into it");
        }
        match from_stdin(&input::options(args), |_| true) {
            Ok(live) => Ok(Self::Pipe(Box::new(live))),
            Err(error) => Err(Failure::Cannot(error.to_string())),
        }
    }

    /// Whether it can be read once more.
    pub(super) fn again(&self) -> bool {
        matches!(self, Self::Files(_))
    }

    /// After there was no frame: whether there may be others.
    pub(super) fn wait(&mut self) -> Gap {
        let Self::Pipe(live) = self else {
            return Gap::End;
        };
        match live.wait(WAIT) {
            Event::Frames => Gap::Frames,
            Event::Idle | Event::Interface(_) => Gap::Nothing,
            Event::Remark(remark) => Gap::Remark(remark),
            Event::Damage(error) => Gap::Damage(error),
            Event::End => Gap::End,
        }
    }

    /// What was wrong with it when it was opened, and what its user should know.
    pub(super) fn warnings(&self) -> &[SourceError] {
        match self {
            Self::Files(files) => files.warnings(),
            Self::Pipe(_) => &[],
        }
    }

    /// What a report says about its interfaces.
    pub(super) fn interfaces(&self) -> Vec<Interface> {
        match self {
            Self::Files(files) => files.interfaces().iter().map(input::interface).collect(),
            Self::Pipe(live) => {
                let known = live.interfaces();
                known.iter().map(input::live_interface).collect()
            }
        }
    }
}

impl Source for Reel {
    fn bytes_read(&self) -> u64 {
        match self {
            Self::Files(files) => files.bytes_read(),
            Self::Pipe(live) => live.bytes_read(),
        }
    }

    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
        match self {
            Self::Files(files) => files.next_frame(),
            Self::Pipe(live) => live.next_frame(),
        }
    }

    fn link_speed(&self, interface: u32) -> Option<u64> {
        match self {
            Self::Files(files) => files.link_speed(interface),
            Self::Pipe(live) => live.link_speed(interface),
        }
    }

    fn lost(&self) -> Option<u64> {
        match self {
            Self::Files(files) => files.lost(),
            Self::Pipe(live) => live.lost(),
        }
    }

    fn not_saved(&self) -> Option<u64> {
        match self {
            Self::Files(files) => files.not_saved(),
            Self::Pipe(live) => live.not_saved(),
        }
    }
}
