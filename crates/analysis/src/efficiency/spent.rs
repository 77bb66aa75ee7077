//! What closed transactions spent.

use super::row::{Accesses, Throughput};
use crate::{Flags, Outcome, Transaction};
use wirewait_model::Counts;
use wirewait_model::records::Group;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind};

/// On whose account it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payer {
    /// The client's at the server, on what carried it.
    Tie,
    /// That of the server that the conversation is with, if it is with one: another than was
    /// asked this time.
    Server(Option<Endpoint>, Name),
}

/// What some transactions of one kind spent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(super) session_frames: u64,
    pub(super) access: Accesses,
    pub(super) moved: Throughput,
}

impl Spent {
    /// Counts a transaction, which was such an access to a file.
    pub(crate) fn enter(&mut self, t: &Transaction, access: &Accesses) {
        if t.kind == Kind::Session {
            let frames = [t.frames.request, t.frames.response, t.frames.interim];
            self.session_frames += frames.into_iter().map(u64::from).sum::<u64>();
        }
        if access.count > 0 {
            self.access.absorb(access);
        }
        self.moved.enter(t);
    }

    /// Everything that was moved by these, of which a group knows the rest.
    pub(super) fn moved_by(&self, group: &Group) -> Throughput {
        // Waits by design say nothing of how fast anything is.
        let (timed_bytes, response_ns) = match group.key.kind {
            Kind::Wait => (0, 0),
            _ => (group.moving_bytes(), group.moving_ns),
        };
        let Counts {
            answered,
            orphan_responses,
            responses_given_up,
            ..
        } = group.counts;
        Throughput {
            bytes: group.data_bytes,
            answers: answered + orphan_responses + responses_given_up,
            timed_bytes,
            response_ns: u64::try_from(response_ns).unwrap_or(u64::MAX),
            ..self.moved
        }
    }
}

impl Throughput {
    fn enter(&mut self, t: &Transaction) {
        // Waits by design say nothing of how fast anything is.
        if t.flags.contains(Flags::CLOCK_STEP) || t.kind == Kind::Wait {
            return;
        }
        if let Some(first) = t.request.map(|request| request.first.at) {
            self.first = Some(self.first.map_or(first, |known| known.min(first)));
        }
        if let Some(last) = t.response.map(|response| response.last.at) {
            self.last = Some(self.last.map_or(last, |known| known.max(last)));
        }
        if t.kind == Kind::Read
            && t.frames.response >= 2
            && t.outcome == Outcome::Answered
            && let Some(ns @ 1..) = t.response_transfer_ns()
        {
            let behind = t.response_bytes.saturating_sub(t.response_head_bytes);
            self.sending_bytes = self.sending_bytes.saturating_add(behind);
            self.sending_ns = self.sending_ns.saturating_add(ns.unsigned_abs());
        }
    }
}
