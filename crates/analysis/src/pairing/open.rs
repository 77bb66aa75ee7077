//! What messages do to an open request.

use crate::account::{ASKED_AGAIN, COPIED, SURE};
use crate::case::Case;
use crate::message::Message;
use crate::open::{Open, OpenState};
use crate::piece::PieceTally;
use crate::world::{Between, World};
use crate::{Deed, Flags, Mark, Transaction, Turnaround};
use wirewait_wire::{Asked, Exchange, Expect, Kind, Parts, Timestamp};

/// A question that any station may answer is repeated within this time, ns. Later it is another one, though its
/// identifier is the same: RFC 1002 section 6 has 5 s for a server and 250 ms for everyone.
const ASKED_AGAIN_NS: i64 = 10_000_000_000;

impl Open {
    /// Whether a message with its identifier is not about it: it is about another command. While
    /// bytes without a header are to come, nothing else is under way (MS-CIFS 2.2.4.22).
    #[inline]
    pub(super) fn is_told_apart(&self, x: &Exchange) -> bool {
        let raw = matches!(self.expect, Expect::Headerless | Expect::GoAhead { .. });
        let apart = matches!((self.command, x.command), (Some(own), Some(other)) if own != other);
        apart && !raw
    }

    /// Whether a question that any station may answer is this one again.
    pub(super) fn may_be_asked_again(&self, now: Timestamp, between: &Between) -> bool {
        let asked = self.resent.or(self.transaction.request.map(|r| r.last));
        let soon = |mark: Mark| now.since(mark.at) <= ASKED_AGAIN_NS;
        !self.anyone || self.goes_to(between) && asked.is_none_or(soon)
    }

    /// Whether a question that any station may answer goes where this one went: one to a single
    /// station is that station's, whatever was asked under the same identifier elsewhere.
    pub(super) fn goes_to(&self, between: &Between) -> bool {
        let everyone = self.transaction.everyone;
        !self.anyone || everyone == between.everyone && self.may_answer(between)
    }

    /// Whether the one who serves now may answer it: where one station was asked, no other.
    pub(super) fn may_answer(&self, between: &Between) -> bool {
        let server = between.ends[between.server].station();
        self.transaction.everyone || self.transaction.server.station() == server
    }

    /// Whether it was asked after that moment, by the order of the frames and by their stamps: a
    /// message of which the capture lacks a part may be read only with what comes behind it.
    #[inline]
    pub(super) fn came_after(&self, mark: Mark) -> bool {
        self.transaction.request.is_some_and(|request| {
            let first = request.first;
            mark.frame < first.frame && mark.at < first.at
        })
    }

    pub(super) fn case(&self) -> Case<'_> {
        Case {
            transaction: &self.transaction,
            parties: &self.parties,
        }
    }

    /// Counts parts of the request in; whether it is whole.
    pub(super) fn asks(&mut self, x: &Exchange) -> bool {
        match x.parts {
            Parts::Whole => true,
            Parts::Counted { .. } => self.counts(x.parts),
            Parts::Masked { mask, last } => {
                self.mask |= mask;
                last
            }
            Parts::Ranged { at, length, of } => {
                self.asked.take(at, length, of);
                self.asked.is_whole()
            }
        }
    }

    /// Another message of the same request; whether it is whole now.
    pub(super) fn more(&mut self, x: &Exchange, tally: &PieceTally) -> bool {
        self.lost_ns[0] = self.lost_ns[0].saturating_add(tally.lost_ns);
        self.held_ns[0] = tally.held_ns;
        let t = &mut *self.transaction;
        t.absorb(tally);
        t.request_bytes += tally.bytes;
        let seen = matches!(x.parts, Parts::Masked { mask, .. } if mask & self.mask == mask);
        self.deed = if seen {
            Deed::Retransmitted
        } else {
            Deed::Request
        };
        if seen {
            t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        } else {
            t.frames.request = t.frames.request.saturating_add(tally.frames);
            t.frames.offloaded = t.frames.offloaded.saturating_add(tally.offloaded);
            t.data_bytes += x.data;
            t.asked_bytes = t.asked_bytes.max(x.asked);
        }
        if let Some(request) = &mut t.request {
            request.widen(tally.extent);
        }
        self.asks(x)
    }

    /// A copy of the request comes before any response. Where nothing below repeats what is lost, it may have arrived.
    #[cold]
    pub(super) fn may_have_arrived(&mut self, between: &Between) {
        let asked = matches!(self.state, OpenState::Waiting | OpenState::Asking);
        if between.unordered && asked && self.unsure[1] == SURE {
            self.unsure[1] = COPIED;
        }
    }

    /// Counts a retransmission of the request.
    pub(super) fn copy(&mut self, tally: &PieceTally) -> u64 {
        let t = &mut *self.transaction;
        t.copies = t.copies.saturating_add(1);
        t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        t.absorb(tally);
        self.deed = Deed::Retransmitted;
        if matches!(self.state, OpenState::Waiting | OpenState::Asking) {
            self.resent = Some(tally.extent.last).filter(|_| !self.arrived[0]);
            if self.arrived[0] && t.interims > 0 && t.response.is_none() {
                self.unsure[1] = ASKED_AGAIN;
                self.asked_again_at = tally.extent.last.at;
            }
        }
        self.serial
    }

    /// The server has said that it works on the request, in a message that ends there in its stream.
    ///
    /// Where nothing below repeats what is lost, it says so because a copy came that it did not need (NCP 0x9999):
    /// the first one arrived. Elsewhere that is known only if this message is all that was lost of what the server
    /// had sent when it said that the request had arrived before.
    #[cold]
    pub(super) fn is_worked_on(&mut self, between: &Between, to: u64) {
        if matches!(self.unsure[1], ASKED_AGAIN | COPIED) {
            self.unsure[1] = SURE;
        }
        if between.unordered || self.resent.is_none() || self.arrived_but_for == to {
            self.arrived[0] = true;
            self.resent = None;
        }
    }

    /// Where the message to this side, which is whole, ended, and its bytes if all are in that frame. Only
    /// if it was the last that was seen of the request: what says again that it has come, or comes
    /// after a repetition, does not show how long that took.
    #[cold]
    pub(super) fn sent_to(&self, side: usize) -> Option<(Mark, u64)> {
        let t = &*self.transaction;
        let (extent, bytes) = match (self.deed, self.state) {
            (Deed::Request, OpenState::Waiting) if side != self.side => {
                (t.request?, t.request_bytes)
            }
            (Deed::Response, OpenState::Done) if side == self.side => {
                (t.response?, t.response_bytes)
            }
            _ => return None,
        };
        let single = extent.first == extent.last;
        Some((extent.last, if single { bytes } else { 0 }))
    }

    pub(super) fn interim(&mut self, tally: &PieceTally) {
        let t = &mut *self.transaction;
        t.interims = t.interims.saturating_add(1);
        t.interim_bytes = t.interim_bytes.saturating_add(tally.bytes);
        t.first_interim.get_or_insert(tally.extent.first);
        t.frames.interim = t.frames.interim.saturating_add(tally.frames);
        t.frames.offloaded = t.frames.offloaded.saturating_add(tally.offloaded);
        t.absorb(tally);
        self.deed = Deed::Interim;
        self.worked_on_at = tally.extent.last.at;
    }

    /// Reads the response in the light of the request.
    #[inline(always)]
    pub(super) fn read(&mut self, message: &Message<'_>, x: &Exchange, world: &World<'_>) {
        let asked = self.question();
        let t = &mut *self.transaction;
        let answer = message
            .dissector
            .and_then(|id| world.registry.dissector(id).answer);
        let Some(answer) = answer else {
            return;
        };
        let answered = answer(message.input, &asked);
        t.status = answered.status.or(x.status).or(t.status);
        t.data_bytes = t.data_bytes.max(answered.data);
        t.file = t.file.or(answered.file);
        t.operation = answered.operation.unwrap_or(t.operation);
    }

    /// The request, as the dissector of the response needs it.
    pub(super) fn question(&self) -> Asked {
        let t = &*self.transaction;
        Asked {
            operation: t.operation,
            code: t.code,
            asked: t.asked_bytes,
            file: t.file,
        }
    }

    /// A message of the response.
    #[inline(always)]
    pub(super) fn answer(&mut self, x: &Exchange, tally: &PieceTally) {
        self.respond(tally);
        let t = &mut *self.transaction;
        t.status = t.status.or(x.status);
        t.file = t.file.or(x.file);
        match t.kind {
            // What was accepted, not what was sent, if the answer says so.
            Kind::Write if x.status.is_none_or(|s| s.ok) && x.data > 0 => t.data_bytes = x.data,
            Kind::Write if x.status.is_some_and(|s| !s.ok) => t.data_bytes = 0,
            Kind::Write => {}
            _ => t.data_bytes += x.data,
        }
    }

    #[inline(always)]
    pub(super) fn respond(&mut self, tally: &PieceTally) {
        self.grown = tally.frames > 1;
        let t = &mut *self.transaction;
        self.deed = Deed::Response;
        self.lost_ns[1] = self.lost_ns[1].saturating_add(tally.lost_ns);
        self.held_ns[1] = tally.held_ns;
        t.frames.response = t.frames.response.saturating_add(tally.frames);
        t.frames.offloaded = t.frames.offloaded.saturating_add(tally.offloaded);
        t.response_bytes += tally.bytes;
        t.absorb(tally);
        match &mut t.response {
            Some(response) => response.widen(tally.extent),
            None => {
                t.response = Some(tally.extent);
                // The routers on one side of the capture, and those on the other.
                if let (Some(before), Some(behind)) = (t.hops, tally.hops) {
                    t.hops = Some(before.saturating_add(behind));
                }
                t.response_head_bytes = tally.head;
            }
        }
    }

    /// A stamp of it was found wrong only by those that came behind it.
    pub(super) fn clock_stepped(&mut self, world: &World<'_>) {
        if self.transaction.clock_stepped(&world.steps) {
            let t = &mut *self.transaction;
            t.flags.set(Flags::CLOCK_STEP);
            t.turnaround = Turnaround::None;
            t.service_ns = None;
        }
    }

    /// Nobody sent anything for longer than clients wait for a response, and then this one came: the clock of the
    /// capture seems to have been set. Those who wait by design, or were told to, may do so for hours. So may a client
    /// whose request was acknowledged: it has no reason to send it again.
    #[cold]
    pub(super) fn suspects(&self, world: &World<'_>) {
        let response = self.transaction.response;
        let response = response.filter(|_| self.is_urgent() && !self.reached);
        if let Some(response) = response
            && response.first.at.since(world.sure) > world.settings.timeout_ns
        {
            world.suspect.set(response.first.frame);
        }
    }

    /// Whether its request was sent since then, once, and is the latest of its client.
    #[cold]
    pub(super) fn is_asked(&self, since: Timestamp) -> bool {
        let request = self.transaction.request;
        let once = !self.overtaken && self.transaction.copies <= 1;
        once && request.is_some_and(|request| request.last.at >= since)
    }

    /// Whether its client neither waits by design nor was told to.
    #[cold]
    pub(super) fn is_urgent(&self) -> bool {
        let t = &*self.transaction;
        let waits = self.may_wait || t.interims > 0 || matches!(t.kind, Kind::Wait | Kind::Break);
        !waits && !self.anyone && self.expect != Expect::Nothing
    }

    /// Whether the response is complete with this message.
    pub(super) fn answered_whole(&mut self, x: &Exchange) -> bool {
        if self.state != OpenState::Answering {
            self.state = OpenState::Answering;
            self.got = [0; 2];
            self.of = [u64::MAX; 2];
        }
        let failed = x.status.is_some_and(|s| s.failure);
        match (self.expect, x.parts) {
            (Expect::Times(n), _) => {
                self.got[0] += 1;
                self.got[0] >= u64::from(n)
            }
            (_, Parts::Counted { .. }) => self.counts(x.parts) || failed,
            (_, Parts::Ranged { .. }) => self.answered.is_whole(),
            (_, Parts::Masked { .. } | Parts::Whole) => true,
        }
    }

    pub(super) fn counts(&mut self, parts: Parts) -> bool {
        let Parts::Counted { got, of } = parts else {
            return true;
        };
        for i in 0..2 {
            self.got[i] += u64::from(got[i]);
            self.of[i] = self.of[i].min(u64::from(of[i]));
        }
        self.got[0] >= self.of[0] && self.got[1] >= self.of[1]
    }
}

impl Transaction {
    /// It has several operations: this response may say at which of them it failed.
    #[cold]
    #[inline(never)]
    pub(super) fn failed_at(&mut self, x: &Exchange) {
        if self.status.is_some_and(|status| !status.ok) {
            self.chain.failed_at_last_of(&x.chain);
        }
    }

    /// Takes in what every message brings, whatever it is.
    pub(super) fn absorb(&mut self, tally: &PieceTally) {
        self.share += tally.share;
        self.frames.ack = self.frames.ack.saturating_add(tally.acks);
        self.frames.retransmitted = self
            .frames
            .retransmitted
            .saturating_add(tally.retransmitted);
        self.flags.set(tally.flags);
    }
}
