//! What comes back: responses, answers of the other side.

use super::beginning::transaction;
use super::ranges::is_continuation;
use super::{Incoming, Pairing, ToldOf};
use crate::case::Case;
use crate::message::Message;
use crate::open::{Open, OpenState};
use crate::turns::Said;
use crate::world::{Event, Events, Growth, Reached};
use crate::{Deed, Flags, Outcome};
use wirewait_wire::{Exchange, Expect, Id, Kind, Parts, Role, Timestamp};

impl Pairing {
    pub(super) fn response(
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
        // Who answers had more of the other side than the capture: a request with the same
        // identifier may be among that.
        let unseen = message.tally.sent.covers > between.seen_to;
        let found = match x.anyone {
            false => self.find(x, incoming),
            true => self.find_asked(x, incoming),
        };
        let began = message.tally.extent.first;
        let found = found.filter(|at| {
            let open = &*self.open[*at];
            let other = || unseen || self.open.is_overlaid(open);
            (open.state != OpenState::Done || !other()) && !open.came_after(began)
        });
        let Some(at) = found else {
            return self.answers_none(x, incoming, events);
        };
        let alone = self.open.len() == 1;
        if x.opaque && self.may_be_interim((at, alone), x, incoming, events) {
            return Some(self.open[at].serial);
        }
        if x.alias.is_some() && x.role == Role::Interim && self.open[at].alias.is_none() {
            self.open[at].alias = x.alias;
            self.open.aliased(at);
        }
        let open = &*self.open[at];
        let awaited = self.open.is_awaited(open) && (unseen || self.open.is_overlaid(open))
            || self.open.lacks_since(open, unseen);
        let open = &mut *self.open[at];
        let serial = open.serial;
        let tally = &message.tally;
        // Who has several open gives them different ones, unless one was answered unseen.
        if awaited || unseen && alone {
            let unique = message
                .dissector
                .map(|id| world.registry.dissector(id).unique_ids);
            let flags = &mut open.transaction.flags;
            flags.set_if(Flags::CAPTURE_LOSS, unique != Some(true));
        }
        if x.anyone && open.transaction.response.is_none() {
            open.transaction.server = between.ends[between.server];
            open.parties.changed();
        }
        if x.id.is_none() && !x.opaque {
            open.transaction.flags.set(Flags::BY_ORDER);
        }
        if let (
            Role::Response,
            Parts::Ranged {
                at: from,
                length,
                of: whole,
            },
        ) = (x.role, x.parts)
        {
            self.response_part(at, (from, length, whole), x, incoming, events);
            return Some(serial);
        }
        if open.state == OpenState::Done {
            return Some(self.answers_again(at, incoming, events));
        }
        let ok = x.status.is_none_or(|s| s.ok);
        let go_ahead = match (open.state, open.expect, x.role) {
            // While more of the request is to come, the server can only say "go on" or refuse.
            (OpenState::Asking, _, _) => ok,
            (OpenState::Waiting, Expect::GoAhead { .. }, Role::Interim) => true,
            _ => false,
        };
        if let (true, Expect::GoAhead { rest, confirmed }) = (go_ahead, open.expect) {
            self.goes_ahead(at, (rest, confirmed), (x, incoming), events);
            return Some(serial);
        }
        if go_ahead || x.role == Role::Interim {
            self.is_under_way(at, x.role, incoming, events);
            return Some(serial);
        }
        if let Parts::Masked { mask, .. } = x.parts
            && (mask & open.mask != open.mask
                || open.transaction.data_bytes < open.transaction.asked_bytes)
        {
            // The server names what it got; the rest will be sent again.
            open.interim(tally);
            open.state = OpenState::Asking;
            return Some(serial);
        }
        open.read(message, x, world);
        if between.may_be_again(side, tally) {
            open.lost_behind(between.again_after(side, tally));
        }
        open.answer(x, tally);
        if between.stream {
            open.answered_to = message.range.1;
        }
        self.naming.answered(open, x, message, world, events);
        if open.transaction.chain.is_several() {
            open.transaction.failed_at(x);
        }
        if open.answered_whole(x) {
            self.done(at, message.serial, world, events);
        } else {
            self.comes_in_parts(events);
        }
        Some(serial)
    }

    /// A response to no request that is open, if it is one.
    #[inline(never)]
    fn answers_none(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        if x.role != Role::Response || x.opaque || is_continuation(x) {
            return None;
        }
        // It answers another one than those that are known by its name.
        let same = |id| self.open.latest(id, |o| o.id == x.id);
        let namesake = x.id.and_then(same).is_some();
        let other = namesake && incoming.message.tally.sent.covers < u64::MAX;
        self.orphan((x, other), incoming, events);
        Some(u64::MAX)
    }

    /// What is answered is so once more, or there is more of its response.
    #[inline(never)]
    fn answers_again(
        &mut self,
        at: usize,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> u64 {
        let message = incoming.message;
        if incoming.between.turns && message.said == Said::More {
            return self.extend(at, incoming, events);
        }
        let (open, tally) = (&mut *self.open[at], &message.tally);
        if open.lost_until.is_some() {
            // The client asked for it again, and gets it now.
            open.lost_after(tally.extent.last.at, events);
        }
        open.deed = Deed::Retransmitted;
        let t = &mut *open.transaction;
        t.duplicate_responses = t.duplicate_responses.saturating_add(1);
        t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        t.absorb(tally);
        open.serial
    }

    /// The client may send what follows without a header, `rest` bytes; `confirmed` says that an answer comes behind that.
    #[inline(never)]
    fn goes_ahead(
        &mut self,
        at: usize,
        (rest, confirmed): (u32, Option<bool>),
        (x, incoming): (&Exchange, &Incoming<'_>),
        events: &mut impl Events,
    ) {
        let answered = confirmed == Some(false);
        if !answered {
            self.lets_go_on(at, incoming, events);
        }
        let (open, tally) = (&mut *self.open[at], &incoming.message.tally);
        open.state = OpenState::Raw { rest, answered };
        if confirmed.is_none() {
            open.goes_ahead_unconfirmed(tally);
            self.unconfirmed = Some(open.serial);
        }
        if !answered {
            return open.interim(tally);
        }
        open.worked_on_at = tally.extent.last.at;
        open.answer(x, tally);
        if open.transaction.raw_end.is_some() {
            self.done(at, incoming.message.serial, incoming.world, events);
        }
    }

    /// The server says that it works on the request, or that the rest of it may come.
    #[inline(never)]
    pub(super) fn is_under_way(
        &mut self,
        at: usize,
        role: Role,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        if self.open[at].state == OpenState::Asking {
            self.lets_go_on(at, incoming, events);
        }
        self.open[at].interim(&incoming.message.tally);
        self.open.goes_on(at);
        if role != Role::Interim {
            return;
        }
        let open = &mut *self.open[at];
        if open.state == OpenState::Waiting {
            open.is_worked_on(incoming.between, incoming.message.range.1);
        }
        // The server has it, and says so: however long it takes, it is not lost.
        open.deadline = Timestamp::from_nanos(i64::MAX);
        // Only where parts are counted up does a request wait to be told to go on.
        open.promised = open.state != OpenState::Asking || open.asked.has_any();
        if open.may_wait && open.transaction.kind != Kind::Wait {
            open.waits_by_design(events);
        }
    }

    pub(super) fn answers(
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
        let id = Some(x.answers?);
        let waits = |o: &Open| o.side != side && o.id == id && o.state == OpenState::Waiting;
        let at = self.open.earliest(id?, waits)?;
        // Names of files come again: another one may be among what the capture lacks, though the
        // identifiers of requests are unique.
        let unseen = message.tally.sent.covers > between.seen_to;
        let open = &*self.open[at];
        let in_doubt = unseen || self.open.is_awaited(open) && self.open.is_overlaid(open);
        let own_share = x.role == Role::Notice;
        let open = &mut *self.open[at];
        open.transaction.flags.set_if(Flags::CAPTURE_LOSS, in_doubt);
        let mut tally = message.tally;
        // The share goes to the request that the message is, if it is one.
        tally.share = 0;
        open.respond(&tally);
        open.transaction.status = open.transaction.status.or(x.status);
        let serial = open.serial;
        if self.observed {
            for stretch in message.trace.stretches {
                events.tell(Event::Did(
                    open.transaction.number,
                    Deed::Response,
                    Some(stretch.frame),
                ));
            }
        }
        self.done(at, message.serial, world, events);
        if !own_share {
            // Nobody acknowledges a break besides.
            if let Some(at) = self.open.place_of(serial)
                && self.unsure.is_empty()
            {
                self.close(at, None, between, world, events);
            }
            return None;
        }
        Some(serial)
    }

    /// A request is to be given up. Its answer may have crossed that.
    pub(super) fn cancel(
        &mut self,
        x: &Exchange,
        message: &Message<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        let by_id = |o: &Open| o.state != OpenState::Done && o.id == x.id;
        let alias = x.alias.or(x.id);
        let by_alias = |o: &Open| o.state != OpenState::Done && o.alias == alias;
        let named = x.id.and_then(|id| self.open.latest(id, by_id));
        let asked = named.max(alias.and_then(|alias| self.open.latest(alias, by_alias)));
        let at = asked.or_else(|| self.open.latest(x.id?, |o| o.id == x.id))?;
        let open = &mut *self.open[at];
        let growth = Growth {
            asks: true,
            messages: 1,
            bytes: message.tally.bytes,
            data: 0,
        };
        events.tell(Event::Grows(open.case(), growth));
        asked?;
        open.cancelled = true;
        open.deed = Deed::Control;
        let t = &mut *open.transaction;
        t.frames.control = t.frames.control.saturating_add(message.tally.frames);
        t.absorb(&message.tally);
        Some(open.serial)
    }

    /// The request that it names was not delivered: nobody waits for a response any more, unless
    /// it is repeated.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        let (side, message) = (incoming.side, incoming.message);
        let waits = |o: &Open| o.side != side && o.state == OpenState::Waiting;
        let at = match x.id {
            Some(id) => self.open.latest(id, waits)?,
            None => {
                let first = self.open.next(0, waits)?;
                let only = self.open.next(self.open[first].serial + 1, waits).is_none();
                only.then_some(first)?
            }
        };
        let open = &mut *self.open[at];
        let now = message.tally.extent.last.at;
        open.refused = Some(now);
        open.deed = Deed::Control;
        open.stops_waiting(now, events);
        let t = &mut *open.transaction;
        t.flags.set(Flags::REFUSED);
        t.frames.control = t.frames.control.saturating_add(message.tally.frames);
        t.absorb(&message.tally);
        Some(open.serial)
    }

    /// Takes in what serves a request that it names, and is no part of it.
    pub(super) fn serve(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        let (side, message, between) = (incoming.side, incoming.message, incoming.between);
        let at = self.open.latest(x.id?, |o| o.id == x.id)?;
        let open = &mut *self.open[at];
        if x.role == Role::Ack
            && let Some((sent, bytes)) = open.sent_to(side)
        {
            events.tell(Event::Reached(&Reached {
                ends: [between.ends[side], between.ends[1 - side]],
                at: message.tally.extent.last,
                sent,
                bytes,
            }));
        }
        if x.role == Role::Upkeep && side == open.side && open.state == OpenState::Done {
            // The client lacks some of the response.
            let end = open.transaction.response.map(|response| response.last.at);
            open.lost_until = open.lost_until.or(end);
        }
        // Some of the request, if it is who serves.
        open.lacking |= x.role == Role::Upkeep && side != open.side;
        let t = &mut *open.transaction;
        let (deed, count) = match x.role {
            Role::Ack => (Deed::Ack, &mut t.frames.ack),
            _ => (Deed::Control, &mut t.frames.control),
        };
        open.deed = deed;
        *count = count.saturating_add(message.tally.frames);
        t.absorb(&message.tally);
        Some(open.serial)
    }

    /// A response without a request.
    pub(super) fn orphan(
        &mut self,
        (x, other): (&Exchange, bool),
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let (message, between) = (incoming.message, incoming.between);
        let mut t = transaction(x, message, between, incoming.world);
        t.outcome = Outcome::OrphanResponse;
        t.status = x.status;
        t.response = Some(message.tally.extent);
        t.response_bytes = message.tally.bytes;
        t.frames.response = message.tally.frames;
        t.frames.offloaded = message.tally.offloaded;
        t.data_bytes = x.data;
        t.copies = 0;
        t.flags.set_if(Flags::CAPTURE_LOSS, other);
        t.flags.set_if(Flags::OUT_OF_ORDER, self.began_late);
        if self.limited {
            // Its request may be the one that was given up.
            t.flags.set(Flags::LIMITED);
        } else if between.mid_capture && !self.asked {
            t.flags.set(Flags::MID_CAPTURE);
        }
        events.tell(Event::Orphaned(&mut t, self.known(between)));
        if message.tally.sent.covers > between.seen_to {
            let parties = self.parties;
            self.answers_unseen((&t, &parties), events);
        }
        if self.observed {
            self.told = Some(Box::new(ToldOf {
                deed: Some((t.number, Deed::Response)),
                asked: None,
            }));
        }
        if between.unordered && !between.turns && x.id.is_some() {
            // Else it may be what the latest request was answered before, once more.
            let latest = self.open.len().checked_sub(1);
            let waits = latest.is_some_and(|at| self.open[at].state != OpenState::Done);
            let unseen = self.asked && !x.anyone && !waits;
            self.keep_stray((t, unseen), x, incoming, events);
            return;
        }
        let case = Case {
            transaction: &t,
            parties: &self.parties,
        };
        events.tell(Event::Closed(case, false));
    }

    /// The open request that this response belongs to, where any station may answer: one station's
    /// question is answered by that station alone.
    #[cold]
    fn find_asked(&self, x: &Exchange, incoming: &Incoming<'_>) -> Option<usize> {
        let now = incoming
            .message
            .tally
            .extent
            .last
            .at
            .min(incoming.world.sure);
        let Some(id) = x.id else {
            return self.find(x, incoming);
        };
        let latest = |done: bool| {
            let asked = |o: &Open| {
                o.side != incoming.side
                    && o.deadline > now
                    && !o.is_told_apart(x)
                    && o.may_answer(incoming.between)
                    && (o.state == OpenState::Done) == done
            };
            self.open.latest(id, asked)
        };
        latest(false).or_else(|| latest(true))
    }

    /// The open request that this response belongs to.
    pub(super) fn find(&self, x: &Exchange, incoming: &Incoming<'_>) -> Option<usize> {
        let (side, tally) = (incoming.side, &incoming.message.tally);
        // What is given up is closed as soon as two stamps say so.
        let now = tally.extent.last.at.min(incoming.world.sure);
        let had = tally.sent.covers;
        // Nobody answers what he has not got.
        let asked = |o: &Open| {
            o.side != side && o.deadline > now && o.asked_to <= had && !o.is_told_apart(x)
        };
        if x.opaque {
            let waits = |o: &Open| asked(o) && o.opaque && o.state == OpenState::Waiting;
            return self.open.earliest_unnamed(waits);
        }
        let Some(id) = x.id else {
            return self.open.earliest_unnamed(|o| {
                asked(o)
                    && o.id.is_none()
                    && !o.opaque
                    && o.state != OpenState::Done
                    && o.transaction.operation == x.operation
            });
        };
        let latest = |id: Option<Id>, done: bool| {
            let which = |o: &Open| asked(o) && (o.state == OpenState::Done) == done;
            self.open.latest(id?, which)
        };
        // One that waits comes before one that has its answer, whatever names it.
        latest(Some(id), false)
            .or_else(|| latest(x.alias, false))
            .or_else(|| latest(Some(id), true))
            .or_else(|| latest(x.alias, true))
    }
}

#[cfg(test)]
mod tests;
