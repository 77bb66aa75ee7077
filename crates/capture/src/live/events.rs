//! What a live capture tells: events, interfaces with their counters, and why nothing can be captured.

use crate::Interface;
use std::fmt;
use wirewait_wire::{LinkType, SourceError};

/// What [`Live::wait`](super::Live::wait) waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// There are frames: take them by [`Live::next_frame`](wirewait_wire::Source::next_frame) until there
    /// is none.
    Frames,
    /// There are none; time passes.
    Idle,
    /// An interface went away, or came back.
    Interface(Change),
    /// The capture that comes through a pipe is damaged, or cannot be read at all.
    Damage(SourceError),
    /// What its user should know about it.
    Remark(SourceError),
    /// No more frames will come.
    End,
}

/// What happened to an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its number.
    pub interface: u32,
    /// Its name.
    pub name: String,
    /// Why it cannot be captured from now on; `None` when it can again.
    pub gone: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.gone {
            Some(why) => write!(f, "{}: {why}; waiting for it to come back", self.name),
            None => write!(f, "{}: is back, its frames are captured again", self.name),
        }
    }
}

/// Why nothing can be captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveError {
    /// Of which kind that is.
    pub kind: LiveErrorKind,
    /// What is wrong, where, and what to do about it.
    pub message: String,
}

/// Kinds of [`LiveError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveErrorKind {
    /// There is no such interface, or none at all.
    NoInterface,
    /// The user has no permission to capture.
    NoRights,
    /// The interface is there, but is not up.
    Down,
    /// The filter expression is wrong.
    Filter,
    /// Anything else that is in the way.
    Other,
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LiveError {}

/// One place where frames are captured.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveInterface {
    /// Its name; `None` if the capture in the pipe does not say.
    pub name: Option<String>,
    /// The kind of link it is on.
    pub link: LinkType,
    /// Bits per second of the link, if the system or the capture says.
    pub speed: Option<u64>,
    /// Whether frames are captured there at this moment.
    pub present: bool,
    /// Frames that were captured there.
    pub frames: u64,
    /// Frames as the operating system counts them, those that it dropped included. It counts
    /// some that are not captured: each frame of a loopback interface on its way out, too.
    /// `None` if the capture in the pipe does not say.
    pub received: Option<u64>,
    /// Of these, the frames that the operating system dropped because they were not fetched
    /// in time.
    pub dropped: Option<u64>,
    /// Frames that the interface itself lost.
    pub dropped_by_interface: Option<u64>,
    /// Frames that the program at the other end of the pipe had and did not write, as its
    /// statistics tell at the end.
    pub not_saved: Option<u64>,
}

impl LiveInterface {
    /// Frames lost in whatever way; `None` if nobody says.
    #[must_use]
    pub fn lost(&self) -> Option<u64> {
        match (self.dropped, self.dropped_by_interface) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (one, other) => one.or(other),
        }
    }
}

impl From<&Interface> for LiveInterface {
    fn from(known: &Interface) -> Self {
        Self {
            name: known.name.clone(),
            link: known.link,
            speed: known.speed,
            present: true,
            frames: 0,
            received: known.received,
            dropped: known.lost(),
            dropped_by_interface: None,
            not_saved: known.not_saved,
        }
    }
}
