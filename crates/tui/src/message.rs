//! What goes in and out of the screen.

use crate::{Decoded, Feed, Pace};
use ratatui::crossterm::event::Event;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use wirewait_wire::Timestamp;

/// Something happened that may change the model.
#[derive(Clone, Debug)]
pub enum Message {
    /// New figures.
    Fed(Arc<Feed>),
    /// Frames that were asked for; those that are no longer at hand are missing.
    Decoded(Arc<Vec<Decoded>>),
    /// The answer to a command, for the status line.
    Said(String),
    /// A command could not be carried out: why.
    Failed(String),
    /// A key, the mouse, a new size.
    Terminal(Event),
    /// The program goes on after it was stopped: the terminal is ours again, whatever was done to it meanwhile.
    Resumed,
    /// The terminal is gone, or the program is asked to end.
    Closed,
}

/// What the screen asks its caller to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Be over. The last screen stays in the terminal if `keep` is set.
    Quit {
        /// Leave the last screen standing.
        keep: bool,
    },
    /// Give the terminal back and stop. The screen does so itself; its caller never gets this
    /// command.
    Suspend,
    /// Reset all statistics.
    Reset,
    /// Stand still, or go on (files).
    Pause(bool),
    /// Replay at this pace (files).
    Pace(Pace),
    /// Show the figures as they stood at this moment (files).
    Seek(Timestamp),
    /// Decode these frames.
    Decode(RangeInclusive<u64>),
    /// Decode the frames of a transaction.
    DecodeTransaction(u64),
    /// Save frames as a capture file.
    Save(What, PathBuf),
    /// Write what is shown to a file.
    Export {
        /// Where.
        path: PathBuf,
        /// What.
        content: String,
    },
}

/// Which frames to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Those of one transaction, by its number.
    Transaction(u64),
    /// Those of one conversation, by its number.
    Conversation(u64),
    /// Those from this number to that.
    Frames(u64, u64),
    /// Those of the last N seconds.
    LastSeconds(u32),
}
