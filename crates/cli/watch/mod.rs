//! Watching: a thread leads frames through the analysis and works for the screen.
//!
//! The screen and the frames never wait for each other. The thread owns the analysis; it gives
//! the screen the figures about four times a second as [`Message::Fed`], and carries out its
//! [`Command`]s in between. What takes longer runs in threads beside.

mod desk;
mod errands;
mod log;
mod own;
mod pulse;
mod reel;
mod replay;
mod study;
mod survey;

use crate::args::InputArgs;
use crate::failure::{Failure, Verdict};
use desk::Desk;
use errands::Errands;
use replay::Replay;
use std::sync::mpsc::{Receiver, Sender};
use std::thread::JoinHandle;
use study::Study;
use wirewait_report::symptoms::Texts;
use wirewait_tui::{Command, Message, Pace};

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
    thread: JoinHandle<Verdict>,
}

impl Watch {
    /// Begins to replay files.
    pub(crate) fn files(
        show: Show<'_>,
        plan: Plan,
        commands: Receiver<Command>,
        messages: Sender<Message>,
    ) -> Result<Self, Failure> {
        let replay = Replay::open(show.input, show.texts, show.pace, show.paused)?;
        let errands = Errands::new(replay.again().then(|| show.input.clone()));
        let work = move || {
            // If it panics, the screen is not to wait for it.
            let _last = LastWord(messages.clone());
            let desk = Desk::new(Study::new(plan), replay, errands, commands, messages);
            match desk.run().is_damaged() {
                true => Verdict::Damaged,
                false => Verdict::Whole,
            }
        };
        let thread = std::thread::Builder::new().name("watch".to_owned());
        let thread = thread
            .spawn(work)
            .map_err(|error| Failure::Cannot(format!("no thread can be started: {error}")))?;
        Ok(Self { thread })
    }

    /// Waits until it is over: after [`Command::Quit`], or when nobody listens any more.
    pub(crate) fn join(self) -> Result<Verdict, Failure> {
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
