//! Watching: a thread leads frames through the analysis and works for the screen.
//!
//! The screen and the frames never wait for each other. The thread owns the analysis; it gives
//! the screen the figures about as often as it wants as [`Message::Fed`], and carries out its
//! [`Command`]s in between. What takes longer runs in threads beside.

mod desk;
mod errands;
mod log;
mod origin;
mod own;
mod pulse;
mod reel;
mod replay;
mod segment;
mod study;
mod survey;

use crate::args::InputArgs;
use crate::failure::{Failure, Verdict};
use crate::signals::Signals;
use desk::Desk;
use errands::Errands;
use origin::Origin;
use replay::Replay;
use segment::Segment;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::JoinHandle;
use study::Study;
use wirewait_report::symptoms::Texts;
use wirewait_tui::{Command, Message, Pace};

pub(crate) use segment::Tap;
pub(crate) use study::Plan;

/// Transactions that are kept for the screen where nothing else is said.
pub(crate) const TRANSACTIONS: usize = 20_000;

/// Files, and how they are to be replayed.
#[derive(Debug)]
pub(crate) struct Show<'a> {
    pub(crate) input: &'a InputArgs,
    pub(crate) texts: Texts,
    pub(crate) pace: Pace,
    pub(crate) paused: bool,
}

/// A thread that works for the screen.
#[derive(Debug)]
pub(crate) struct Watch {
    thread: JoinHandle<Farewell>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Farewell {
    pub(crate) verdict: Verdict,
    /// Frames that were analysed since the beginning, or since the last reset.
    pub(crate) frames: u64,
    /// What else is to be said of a live capture.
    pub(crate) live: Option<segment::SegmentFarewell>,
}

impl Watch {
    /// Begins to replay files.
    pub(crate) fn files(
        show: Show<'_>,
        plan: Plan,
        signals: Signals,
        commands: Receiver<Command>,
        messages: Sender<Message>,
    ) -> Result<Self, Failure> {
        let replay = Replay::open(show.input, show.texts, show.pace, show.paused)?;
        let errands = Errands::new(replay.again().then(|| show.input.clone()));
        let origin = Origin::Files(Box::new(replay));
        Self::begin(origin, plan, errands, signals, commands, messages)
    }

    /// Begins to watch what is captured.
    pub(crate) fn live(
        tap: Tap,
        plan: Plan,
        signals: Signals,
        commands: Receiver<Command>,
        messages: Sender<Message>,
    ) -> Result<Self, Failure> {
        let origin = Origin::Live(Box::new(Segment::new(tap)));
        Self::begin(
            origin,
            plan,
            Errands::new(None),
            signals,
            commands,
            messages,
        )
    }

    fn begin(
        origin: Origin,
        plan: Plan,
        errands: Errands,
        signals: Signals,
        commands: Receiver<Command>,
        messages: Sender<Message>,
    ) -> Result<Self, Failure> {
        let work = move || {
            // If it panics, the screen is not to wait for it.
            let _last = LastWord(messages.clone());
            let desk = Desk::new(
                Study::new(plan),
                origin,
                errands,
                signals,
                commands,
                messages,
            );
            let (mut study, origin) = desk.run();
            let frames = study.snapshot().capture.frames;
            let (damaged, live) = match origin {
                Origin::Files(replay) => (replay.is_damaged(), None),
                Origin::Live(segment) => {
                    let farewell = segment.finish();
                    (farewell.damaged, Some(farewell))
                }
            };
            Farewell {
                verdict: match damaged {
                    true => Verdict::Damaged,
                    false => Verdict::Whole,
                },
                frames,
                live,
            }
        };
        let thread = std::thread::Builder::new().name("watch".to_owned());
        let thread = thread
            .spawn(work)
            .map_err(|error| Failure::Cannot(format!("no thread can be started: {error}")))?;
        Ok(Self { thread })
    }

    /// Waits until it is over: after [`Command::Quit`], or when nobody listens any more.
    pub(crate) fn join(self) -> Result<Farewell, Failure> {
        let ended = self.thread.join();
        ended.map_err(|_| Failure::Cannot("the analysis broke off; see above".to_owned()))
    }
}

/// Tells the screen that nobody works for it any more.
struct LastWord(Sender<Message>);

impl Drop for LastWord {
    fn drop(&mut self) {
        let _ = self.0.send(Message::Closed);
    }
}

#[cfg(test)]
mod tests;
