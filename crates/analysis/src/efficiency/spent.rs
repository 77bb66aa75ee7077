//! What closed transactions spent.

use super::row::{Accesses, Throughput};
use crate::{Flags, Outcome, Transaction};
use wirewait_model::records::LineTimes;
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
    /// Those of which the capture has all frames.
    pub(super) exchanges: u64,
    pub(super) session_frames: u64,
    pub(super) access: Accesses,
    pub(super) moved: Throughput,
}

impl Spent {
    /// Counts a transaction, which was such an access to a file.
    pub(crate) fn enter(
        &mut self,
        (t, took): (&Transaction, Option<&LineTimes>),
        access: &Accesses,
    ) {
        self.exchanges += u64::from(!t.flags.is_incomplete());
        if t.kind == Kind::Session {
            let frames = [t.frames.request, t.frames.response, t.frames.interim];
            self.session_frames += frames.into_iter().map(u64::from).sum::<u64>();
        }
        if access.count > 0 {
            self.access.absorb(access);
        }
        self.moved.enter(t, took);
    }
}

impl Throughput {
    fn enter(&mut self, t: &Transaction, took: Option<&LineTimes>) {
        let answered = t.outcome == Outcome::Answered;
        let add = |sum: &mut u64, n: u64| *sum = sum.saturating_add(n);
        add(&mut self.bytes, t.data_bytes);
        self.answers += u64::from(answered || t.outcome == Outcome::OrphanResponse);
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
        if !answered {
            return;
        }
        let unsigned = |ns: i64| u64::try_from(ns).ok();
        if t.data_bytes > 0
            && let Some(ns) = took.and_then(|took| unsigned(took.response_ns))
        {
            add(&mut self.timed_bytes, t.data_bytes);
            add(&mut self.response_ns, ns);
        }
        if t.kind == Kind::Read
            && t.frames.response >= 2
            && let Some(ns @ 1..) = t.response_transfer_ns().and_then(unsigned)
        {
            let behind = t.response_bytes.saturating_sub(t.response_head_bytes);
            add(&mut self.sending_bytes, behind);
            add(&mut self.sending_ns, ns);
        }
    }
}
