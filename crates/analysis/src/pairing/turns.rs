//! Requests and responses of conversations whose ends take turns: matched without identifiers
//! where there are none, and asked again where the answer did not arrive.

use super::{Incoming, Pairing};
use crate::open::{Open, OpenState, Shelved};
use crate::piece::PieceTally;
use crate::turns::Said;
use crate::world::{Event, Events, Growth, World};
use crate::{Deed, Flags, Outcome, Turnaround};
use wirewait_wire::{Exchange, Expect, Kind, Role, Side};

impl Pairing {
    /// A message that does not say what it is.
    pub(super) fn by_turn(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        let Incoming {
            side,
            message,
            between,
            world,
        } = *incoming;
        let tally = &message.tally;
        if let Some(at) = self.open.len().checked_sub(1) {
            let open = &mut *self.open[at];
            let own = open.side == side;
            match (open.state, message.said) {
                (OpenState::Waiting, Said::Again) if own && open.by_turn => {
                    world.suspect.set(0);
                    open.may_have_arrived(between);
                    return Some(open.copy(tally));
                }
                (OpenState::Waiting, Said::More) if own && open.grows() => {
                    let serial = open.grow_by_turn(tally, world, events);
                    self.asked_whole(serial, true, world, events);
                    return Some(serial);
                }
                (OpenState::Waiting, _) if !own && open.by_turn && x.sender != Side::Client => {
                    let serial = open.serial;
                    open.respond(tally);
                    self.done(at, message.serial, world, events);
                    return Some(serial);
                }
                (OpenState::Done, Said::More) if !own && open.grows() => {
                    return Some(self.extend(at, incoming, events));
                }
                (OpenState::Done, Said::Again) if !own && open.by_turn => {
                    open.deed = Deed::Retransmitted;
                    let t = &mut *open.transaction;
                    t.duplicate_responses = t.duplicate_responses.saturating_add(1);
                    t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
                    t.absorb(tally);
                    return Some(open.serial);
                }
                _ => {}
            }
            // A client that speaks of something else has given up.
            if own && open.by_turn && open.state == OpenState::Waiting && x.sender != Side::Server {
                self.close(at, Some(tally.extent.first.at), between, world, events);
            }
        }
        // Where requests say what they are, what does not is none.
        let asks = side != between.server && !self.named && x.sender != Side::Server;
        if asks && x.sender == Side::Unknown {
            events.tell(Event::Guessed);
        }
        asks.then(|| {
            let mut asked = *x;
            asked.role = Role::Request;
            asked.sender = Side::Client;
            let serial = self.request(&asked, incoming, events);
            if let Some(open) = self.by_serial(serial) {
                open.by_turn = true;
            }
            serial
        })
    }

    /// Whether data without a header may come from `side`.
    pub(crate) fn expects_raw(&self, side: usize) -> bool {
        let may_come = |o: &Open| match o.state {
            OpenState::Raw { .. } => o.side == side,
            OpenState::Waiting => match o.expect {
                Expect::Headerless => o.side != side,
                Expect::GoAhead { .. } => o.side == side,
                _ => false,
            },
            _ => false,
        };
        self.apart && self.open.earliest_raw(may_come).is_some()
    }

    /// More of a response that was thought to be over.
    pub(super) fn extend(
        &mut self,
        at: usize,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> u64 {
        let (message, world) = (incoming.message, incoming.world);
        let tally = &message.tally;
        let open = &mut *self.open[at];
        let before = open.transaction.response.map(|r| r.last.at);
        let raw = open.transaction.flags.contains(Flags::RAW);
        let data = if raw {
            u64::from(message.input.length)
        } else {
            0
        };
        open.transaction.data_bytes += data;
        open.respond(tally);
        open.goes_on((false, tally.bytes, data), world, events);
        open.grown = true;
        let end = tally.extent.last.at;
        open.deadline = end.plus(world.settings.timeout_ns);
        if let Some(before) = before {
            // The client has waited all the time.
            open.starts_waiting(before, events);
            open.stops_waiting(end.max(before), events);
        }
        let serial = open.serial;
        if !matches!(open.transaction.kind, Kind::Break | Kind::Wait) {
            self.responded(Some((tally.extent.last, message.serial)));
        }
        serial
    }

    /// The request is repeated although it was answered: the response did not arrive, and the one
    /// that counts is still to come.
    pub(super) fn reopen(
        &mut self,
        at: usize,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> u64 {
        let (tally, world) = (&incoming.message.tally, incoming.world);
        (self.last_response, self.earlier_response) = (None, None);
        let open = &mut *self.open[at];
        open.shelve(x.data);
        if let Some(shelved) = &open.shelved {
            // The client has waited since then.
            let since = shelved.response.last.at;
            open.starts_waiting(since, events);
        }
        let now = tally.extent.last.at;
        open.deadline = now.plus(world.settings.timeout_ns);
        self.due = self.due.min(open.deadline);
        self.open.falls_due(at);
        self.open.reopened(at);
        world.suspect.set(0);
        self.open[at].copy(tally)
    }
}

impl Open {
    /// Whether what it consists of may have more frames than were thought.
    pub(super) fn grows(&self) -> bool {
        self.grown || self.by_turn || self.transaction.flags.contains(Flags::RAW)
    }

    /// More of a request that was thought to be over.
    pub(super) fn grow_by_turn(
        &mut self,
        tally: &PieceTally,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> u64 {
        self.deed = Deed::Request;
        let t = &mut *self.transaction;
        t.absorb(tally);
        t.request_bytes += tally.bytes;
        t.frames.request = t.frames.request.saturating_add(tally.frames);
        t.frames.offloaded = t.frames.offloaded.saturating_add(tally.offloaded);
        if let Some(request) = &mut t.request {
            request.widen(tally.extent);
        }
        self.goes_on((true, tally.bytes, 0), world, events);
        self.serial
    }

    /// What was counted when it seemed complete goes on: its request, or its answer.
    pub(super) fn goes_on(
        &self,
        (asks, bytes, data): (bool, u64, u64),
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        if world.metered {
            let growth = Growth {
                asks,
                messages: 0,
                bytes,
                data,
            };
            events.tell(Event::Grows(self.case(), growth));
        }
    }

    /// Puts the answer aside; `data` is what the request itself brought.
    fn shelve(&mut self, data: u64) {
        let t = &mut *self.transaction;
        let Some(response) = t.response.take() else {
            return;
        };
        self.shelved = Some(Box::new(Shelved {
            response,
            outcome: t.outcome,
            status: t.status.take(),
            turnaround: t.turnaround,
            service_ns: t.service_ns.take(),
            data_bytes: t.data_bytes,
            response_bytes: t.response_bytes,
            frames: t.frames.response,
        }));
        t.outcome = Outcome::Unanswered;
        t.turnaround = Turnaround::None;
        t.data_bytes = data;
        t.response_bytes = 0;
        t.duplicate_responses = t.duplicate_responses.saturating_add(1);
        t.frames.retransmitted = t.frames.retransmitted.saturating_add(t.frames.response);
        t.frames.response = 0;
        self.state = OpenState::Waiting;
    }

    /// No other answer came: the one that was put aside stands, if there is one.
    pub(super) fn unshelve(&mut self, events: &mut impl Events) {
        let Some(shelved) = self.shelved.take() else {
            return;
        };
        let t = &mut *self.transaction;
        t.response = Some(shelved.response);
        t.outcome = shelved.outcome;
        t.status = shelved.status;
        t.turnaround = shelved.turnaround;
        t.service_ns = shelved.service_ns;
        t.data_bytes = shelved.data_bytes;
        t.response_bytes = shelved.response_bytes;
        t.duplicate_responses = t.duplicate_responses.saturating_sub(1);
        t.frames.retransmitted = t.frames.retransmitted.saturating_sub(shelved.frames);
        t.frames.response = shelved.frames;
        self.state = OpenState::Done;
        self.stops_waiting(shelved.response.last.at, events);
    }
}
