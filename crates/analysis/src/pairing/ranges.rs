//! Requests and responses whose parts say which bytes they are ([`Parts::Ranged`]): which
//! bytes were seen, and what a part of either does.

use super::beginning::kind_of;
use super::{Incoming, Pairing};
use crate::open::{Open, OpenState};
use crate::piece::PieceTally;
use crate::ranges::{Range, Taken};
use crate::world::{Event, Events, Limited};
use crate::{Deed, Flags};
use wirewait_wire::{Exchange, Parts, Role};

/// A part that does not begin its message.
pub(super) const fn is_continuation(x: &Exchange) -> bool {
    matches!(x.parts, Parts::Ranged { at: 1.., .. })
}

impl Open {
    /// Whether `x`, which has its identifier, is this request or a part of it.
    pub(super) fn is_asked_by(&self, x: &Exchange) -> bool {
        match x.parts {
            Parts::Ranged { .. } => {
                is_continuation(x) || !self.asked.has_head() || self.is_same_work(x)
            }
            _ => self.transaction.code == x.code,
        }
    }

    /// Who goes on to something else has the answer; the capture lacks some of it.
    pub(super) fn is_confirmed_by(&self, x: &Exchange) -> bool {
        self.state == OpenState::Answering
            && matches!(x.parts, Parts::Ranged { .. })
            && self.lane.is_some()
            && self.lane == x.lane
            && self.id != x.id
            && !self.is_same_work(x)
    }

    fn is_same_work(&self, x: &Exchange) -> bool {
        let t = &*self.transaction;
        t.code == x.code && t.file == x.file && t.asked_bytes == x.asked
    }

    /// New bytes of the request.
    fn grow(&mut self, x: &Exchange, tally: &PieceTally, new: u64) {
        self.deed = Deed::Request;
        let t = &mut *self.transaction;
        t.absorb(tally);
        t.frames.request = t.frames.request.saturating_add(tally.frames);
        t.frames.offloaded = t.frames.offloaded.saturating_add(tally.offloaded);
        t.request_bytes += tally.bytes;
        t.data_bytes += x.data.min(new);
        if !is_continuation(x) {
            // Parts overtook the one that says what is to be done.
            t.operation = x.operation;
            t.code = x.code;
            t.kind = kind_of(x.operation, &x.chain);
            t.asked_bytes = x.asked;
            t.file = x.file;
        }
        if matches!(self.state, OpenState::Asking)
            && let Some(request) = &mut t.request
        {
            request.widen(tally.extent);
        }
    }

    /// One of its messages is in more pieces than are kept apart.
    #[cold]
    fn is_scattered(&mut self, events: &mut impl Events) {
        let flags = &mut self.transaction.flags;
        if !flags.contains(Flags::SCATTERED) {
            flags.set_if(Flags::SCATTERED, true);
            events.tell(Event::Limited(Limited::Pieces));
        }
    }

    /// Bytes of the request again.
    fn again(&mut self, tally: &PieceTally, pass: bool) {
        self.deed = Deed::Retransmitted;
        let t = &mut *self.transaction;
        t.absorb(tally);
        t.copies = t.copies.saturating_add(u32::from(pass));
        t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        if matches!(self.state, OpenState::Waiting | OpenState::Asking) {
            self.resent = Some(tally.extent.last);
        }
    }
}

impl Pairing {
    /// What a part is of that does not begin its message is told by who sent the beginning.
    #[inline]
    pub(super) fn turned(&self, side: usize, role: Role, x: &Exchange) -> Role {
        match is_continuation(x) {
            true => self.turned_on(side, role, x),
            false => role,
        }
    }

    #[inline(never)]
    fn turned_on(&self, side: usize, role: Role, x: &Exchange) -> Role {
        if matches!(role, Role::Request | Role::Response)
            && let Some(id) = x.id
            && let Some(at) = self.open.latest(id, |o| o.id == Some(id))
        {
            if self.open[at].side == side {
                Role::Request
            } else {
                Role::Response
            }
        } else {
            role
        }
    }

    /// A part of a request of which nothing else is known, while another is under way in
    /// its lane: late, and no reason to end that one.
    #[inline]
    pub(super) fn is_stray(&self, side: usize, x: &Exchange) -> bool {
        is_continuation(x) && self.strays(side, x)
    }

    #[inline(never)]
    fn strays(&self, side: usize, x: &Exchange) -> bool {
        let known = match x.id {
            Some(id) => self.open.latest(id, |o| o.side == side && o.id == x.id),
            None => self
                .open
                .latest_unnamed(|o| o.side == side && o.id.is_none()),
        };
        let under_way = |o: &Open| o.side == side && o.state != OpenState::Done;
        known.is_none()
            && x.lane
                .is_some_and(|lane| self.open.latest_of_lane(lane, under_way).is_some())
    }

    pub(super) fn request_part(
        &mut self,
        at: usize,
        (from, length, whole): Range,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> u64 {
        let tally = &incoming.message.tally;
        let open = &mut *self.open[at];
        let serial = open.serial;
        match open.asked.take(from, length, whole) {
            Taken::New(new) => open.grow(x, tally, new),
            Taken::Again { pass } => {
                // Nobody asked for it again but a timer.
                if !open.lacking {
                    open.may_have_arrived(incoming.between);
                }
                open.again(tally, pass);
            }
        }
        if open.asked.is_crowded() {
            open.is_scattered(events);
        }
        if open.state == OpenState::Asking {
            let whole = open.asked.is_whole();
            self.asked_whole(serial, whole, incoming.world, events);
        }
        serial
    }

    pub(super) fn response_part(
        &mut self,
        at: usize,
        (from, length, whole): Range,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let (message, world) = (incoming.message, incoming.world);
        let open = &mut *self.open[at];
        let tally = &message.tally;
        let done = open.state == OpenState::Done;
        let new = match open.answered.take(from, length, whole) {
            Taken::New(new) if !done => new,
            taken => {
                let duplicate = done && taken != Taken::Again { pass: false };
                if open.lost_until.is_some() {
                    // The client asked for it, and gets it now.
                    open.lost_after(tally.extent.last.at, events);
                }
                open.deed = Deed::Retransmitted;
                let t = &mut *open.transaction;
                t.duplicate_responses = t.duplicate_responses.saturating_add(duplicate.into());
                t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
                t.absorb(tally);
                return;
            }
        };
        if open.state == OpenState::Asking {
            // Nobody does what was asked for in part: the capture lacks the rest.
            let ok = x.status.is_none_or(|s| s.ok);
            open.transaction.flags.set_if(Flags::CAPTURE_LOSS, ok);
            let serial = open.serial;
            self.asked_whole(serial, true, world, events);
        }
        let open = &mut *self.open[at];
        let x = &Exchange {
            data: x.data.min(new),
            ..*x
        };
        open.read(message, x, world);
        open.answer(x, tally);
        if open.answered.is_crowded() {
            open.is_scattered(events);
        }
        if open.answered_whole(x) {
            self.done(at, message.serial, world, events);
        }
    }
}
