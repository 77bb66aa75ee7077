//! What closed transactions spent.

use super::row::{Accesses, Throughput};
use crate::{Flags, Outcome, Transaction};
use wirewait_wire::{Endpoint, Kind};

/// On whose account it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// The client's at the server, on what carried it.
    Tie,
    /// That of the server that the conversation is with, if it is with one: another than was
    /// asked this time.
    Server(Option<Endpoint>, &'static str),
}

/// What some transactions of one kind spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// Those of which the capture has all frames.
    pub(super) exchanges: u64,
    pub(super) session_frames: u64,
    pub(super) access: Accesses,
    pub(super) moved: Throughput,
}

impl Spent {
    /// On this one; its accesses to files apart.
    pub(super) fn on(t: &Transaction) -> Self {
        let frames = [t.frames.request, t.frames.response, t.frames.interim];
        let frames = frames.into_iter().map(u64::from).sum();
        Self {
            exchanges: u64::from(!t.flags.contains(Flags::CAPTURE_LOSS)),
            session_frames: if t.kind == Kind::Session { frames } else { 0 },
            access: Accesses::default(),
            moved: moved(t),
        }
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.exchanges = self.exchanges.saturating_add(other.exchanges);
        self.session_frames = self.session_frames.saturating_add(other.session_frames);
        self.access.absorb(&other.access);
        self.moved.absorb(&other.moved);
    }
}

fn moved(t: &Transaction) -> Throughput {
    let answered = t.outcome == Outcome::Answered;
    let mut moved = Throughput {
        bytes: t.data_bytes,
        answers: u64::from(answered || t.outcome == Outcome::OrphanResponse),
        ..Throughput::default()
    };
    // Waits by design say nothing of how fast anything is.
    if t.flags.contains(Flags::CLOCK_STEP) || t.kind == Kind::Wait {
        return moved;
    }
    moved.first = t.request.map(|request| request.first.at);
    moved.last = t.response.map(|response| response.last.at);
    if !answered {
        return moved;
    }
    let response_ns = t.response_time_ns().and_then(|ns| u64::try_from(ns).ok());
    if let (Some(ns), 1..) = (response_ns, t.data_bytes) {
        (moved.timed_bytes, moved.response_ns) = (t.data_bytes, ns);
    }
    let sending_ns = t
        .response_transfer_ns()
        .and_then(|ns| u64::try_from(ns).ok());
    if let (Some(ns @ 1..), Kind::Read, 2..) = (sending_ns, t.kind, t.frames.response) {
        moved.sending_bytes = t.response_bytes.saturating_sub(t.response_head_bytes);
        moved.sending_ns = ns;
    }
    moved
}
