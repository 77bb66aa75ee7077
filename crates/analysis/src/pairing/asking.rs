//! What is asked: requests, more of them, and what makes room for them.

use super::{Incoming, OVERTAKEN_NS, Pairing};
use crate::message::Message;
use crate::open::{Open, OpenState};
use crate::parties::Parties;
use crate::turns::Said;
use crate::world::{Between, Event, Events, Limited, World};
use crate::{Flags, Outcome};
use wirewait_wire::{Exchange, Expect, Id, Kind, Parts, Timestamp};

impl Pairing {
    pub(super) fn request(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> u64 {
        let Incoming {
            side,
            message,
            between,
            world,
        } = *incoming;
        self.asked = true;
        if self.stray.is_some() && !between.displaced {
            self.close_stray(events);
        }
        if self.unconfirmed.is_some() {
            self.confirms_no_raw(side, world, events);
        }
        self.apart |= matches!(x.expect, Expect::Headerless | Expect::GoAhead { .. });
        let tally = &message.tally;
        let own = tally.extent.last.at;
        // A single stamp may be wrong: its own, by which nobody gives up waiting; or the one before
        // it, by which what is answered does not come back.
        let now = own.min(world.sure);
        let asked = |o: &Open| {
            let now = if o.state == OpenState::Done { own } else { now };
            o.id == x.id
                && o.side == side
                && o.deadline > now
                && o.is_asked_by(x)
                && o.may_be_asked_again(own, between)
        };
        if let Some(at) = x.id.and_then(|id| self.open.latest(id, asked)) {
            if let Parts::Ranged {
                at: from,
                length,
                of: whole,
            } = x.parts
            {
                return self.request_part(at, (from, length, whole), x, incoming, events);
            }
            let open = &mut *self.open[at];
            if open.state == OpenState::Asking && matches!(x.parts, Parts::Masked { .. }) {
                let serial = open.serial;
                let last = open.more(x, tally);
                self.asked_whole(serial, last, world, events);
                return serial;
            }
            let repeated = match (open.number.zip(x.number), open.state) {
                (_, OpenState::Waiting) if between.turns && message.said == Said::More => {
                    let serial = open.grow_by_turn(tally, world, events);
                    self.asked_whole(serial, true, world, events);
                    return serial;
                }
                _ if between.turns => message.said == Said::Again,
                (Some((known, number)), _) => known == number,
                (None, OpenState::Done) => x.repeats,
                (None, _) => x.repeats || between.unordered,
            };
            if repeated && self.is_last_of_lane(at) {
                if between.turns && self.open[at].state == OpenState::Done {
                    return self.reopen(at, x, incoming, events);
                }
                let open = &mut *self.open[at];
                if let Some(refused) = open.refused.take() {
                    // The client has waited since then all the same.
                    open.starts_waiting(refused, events);
                }
                // The answer was seen before: it was lost behind the capture.
                open.lost_after(tally.extent.last.at, events);
                // Its timer ran out.
                world.suspect.set(0);
                open.may_have_arrived(between);
                return open.copy(tally);
            }
        }
        self.make_room(x, incoming, events);
        let serial = self.next_serial;
        self.next_serial += 1;
        let mut open = world.spare.borrow_mut().next();
        open.begin((serial, side), x, message, between, world);
        if between.stream {
            open.asked_to = message.range.1;
        }
        let latest = self.open.len().checked_sub(1);
        if let Some(latest) = latest.map(|at| &mut self.open[at])
            && latest.side == side
            && latest.serial + 1 == serial
        {
            latest.followed = Some(tally.extent.first.at);
        }
        self.guesses(&mut open);
        if x.id.is_some() && self.passed_by == x.id {
            // What seemed late was its first part.
            open.transaction.flags.set(Flags::OUT_OF_ORDER);
        }
        self.naming.asked(&mut open, x, message, world);
        let whole = open.asks(x);
        events.tell(Event::Opened(&mut open.transaction, self.known(between)));
        open.parties = self.parties;
        if between.may_be_again(side, tally) {
            open.lost_before(between.again_after(side, tally), events);
        }
        if self.unseen.is_untold() {
            self.comes_behind_unseen(&open, events);
        }
        if between.turns {
            events.tell(Event::TakesTurns);
        }
        self.open.push(open);
        // The latest stands last.
        self.asked_at(self.open.len() - 1, whole, world, events);
        serial
    }

    /// A request that is open has the place of this new one.
    // By itself: mostly there is one, and what a loop around it takes out of it is for many.
    #[inline(never)]
    fn gives_way(
        &mut self,
        at: usize,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let (between, world) = (incoming.between, incoming.world);
        let now = incoming.message.tally.extent.first.at;
        let may_be_overtaken = |o: &Open| {
            between.unordered
                && !between.turns
                && o.state == OpenState::Waiting
                && o.id != x.id
                && o.deadline > now
        };
        let mut o = &mut *self.open[at];
        if !Id::counts_on(o.id, x.id) {
            if o.id == x.id && o.is_told_apart(x) && o.state != OpenState::Done {
                // Its client does not wait for it alone, or no longer.
                let soon = now.plus(OVERTAKEN_NS);
                if !o.overtaken && o.deadline > soon {
                    o.deadline = soon;
                    self.due = self.due.min(soon);
                    self.open.falls_due(at);
                }
                self.open[at].overtaken = true;
                return;
            }
            if o.lane.is_some() {
                self.may_skip(at, x, incoming, events);
                o = &mut *self.open[at];
            }
        }
        // Another station may answer it yet.
        if o.state != OpenState::Done && !o.goes_to(between) {
            return;
        }
        // The answer may have been captured, and wait for what comes before it.
        if between.held_back && o.state != OpenState::Done {
            self.open.awaits(at);
            return;
        }
        if o.is_confirmed_by(x) {
            o.transaction.flags.set(Flags::CAPTURE_LOSS);
            self.done(at, u64::MAX, world, events);
        } else if may_be_overtaken(o) {
            // Its response may have been captured behind this request. Where nothing below repeats what is lost, who has
            // none asks again.
            let t = &o.transaction;
            // Nor has who was told that the server works on it given up.
            o.passed_over = o.lane.is_some() && (t.copies <= 1 || t.interims > 0);
            o.deadline = now;
            self.due = self.due.min(now);
            self.open.falls_due(at);
            return;
        }
        self.close(at, Some(now), between, world, events);
    }

    /// What must go before a new request takes its place.
    pub(super) fn make_room(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let Incoming {
            side,
            message,
            between,
            world,
        } = *incoming;
        let now = message.tally.extent.first.at;
        // What is answered stays for its acknowledgements; where none can be told
        // from the next one's, the next request ends that.
        let ends_answered = !between.stream && !between.named;
        let superseded = |o: &Open| {
            let over = o.state == OpenState::Done && o.lane.is_none() && ends_answered;
            o.side == side
                && (over
                    || (x.id.is_some() && o.id == x.id)
                    || (x.lane.is_some() && o.lane == x.lane))
        };
        let related = (x, ends_answered);
        let mut from = 0;
        while let Some(at) = self.open.next_related(from, related, superseded) {
            from = self.open[at].serial + 1;
            self.gives_way(at, x, incoming, events);
        }
        // Whom nobody ever answered leaves room for the others.
        let most = world.settings.open_requests;
        let most = if between.one_sided { most / 2 } else { most };
        let full = world.open >= most;
        let limit = if self.open.len() >= world.settings.conversation_requests {
            Limited::ConversationRequests
        } else if full && !self.open.is_empty() {
            Limited::OpenRequests
        } else {
            return;
        };
        // An answered one is only kept for its acknowledgements.
        if let Some(at) = self.open.next_done(0, |_| true) {
            self.close(at, None, between, world, events);
        } else {
            self.give_up(limit, now, between, world, events);
        }
    }

    /// Gives up the request that has waited for longest, because of a limit.
    pub(super) fn give_up(
        &mut self,
        limit: Limited,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        if self.open.is_empty() {
            return;
        }
        events.tell(Event::Limited(limit));
        self.limited = true;
        self.open[0].transaction.flags.set(Flags::LIMITED);
        self.close(0, Some(now), between, world, events);
    }

    pub(super) fn more(
        &mut self,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        let asking = |o: &Open| {
            let same = x.id.map_or(o.id.is_none(), |id| o.goes_by(id));
            o.side == incoming.side && same && o.state == OpenState::Asking
        };
        let at = match x.id {
            Some(id) => self.open.latest(id, asking),
            None => self.open.latest_unnamed(asking),
        }?;
        self.goes_on_as_let(at, incoming, events);
        let open = &mut *self.open[at];
        let serial = open.serial;
        let last = open.more(x, &incoming.message.tally);
        self.asked_whole(serial, last, incoming.world, events);
        Some(serial)
    }

    /// The request may be complete: what follows from that.
    pub(super) fn asked_whole(
        &mut self,
        serial: u64,
        whole: bool,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        if let Some(at) = self.open.place_of(serial) {
            self.asked_at(at, whole, world, events);
        }
    }

    /// As [`Self::asked_whole`], of the request that stands there.
    #[inline(always)]
    fn asked_at(&mut self, at: usize, whole: bool, world: &World<'_>, events: &mut impl Events) {
        if !self.answered && self.next_serial - self.probes <= 1 && self.open[at].is_probe() {
            return self.probed(at, whole, world, events);
        }
        let open = &mut *self.open[at];
        if let Some(request) = open.transaction.request {
            let wait = match open.transaction.kind {
                Kind::Wait => i64::MAX,
                _ => world.settings.timeout_ns,
            };
            if !open.promised {
                open.deadline = request.last.at.plus(wait);
            }
            self.due = self.due.min(open.deadline);
            if whole {
                open.starts_waiting(request.first.at, events);
            }
        }
        if whole {
            if world.metered && open.state == OpenState::Asking {
                events.tell(Event::Asked(open.case()));
            }
            open.state = OpenState::Waiting;
        } else {
            self.comes_in_parts(events);
        }
        self.open.falls_due(at);
    }

    /// A request asks whether the other end is there, which was never heard, nor asked for anything else: nobody
    /// is known to wait.
    #[cold]
    fn probed(&mut self, at: usize, whole: bool, world: &World<'_>, events: &mut impl Events) {
        let open = &mut *self.open[at];
        if let Some(request) = open.transaction.request {
            if !open.promised {
                open.deadline = request.last.at.plus(world.settings.timeout_ns);
            }
            self.due = self.due.min(open.deadline);
            self.open.falls_due(at);
        }
        let open = &mut *self.open[at];
        if whole {
            if open.state == OpenState::Asking {
                if world.metered {
                    events.tell(Event::Asked(open.case()));
                }
                self.probes += 1;
            }
            open.state = OpenState::Waiting;
        }
    }

    /// Opens and gives up the only request of a conversation that never began, for want of room.
    pub(crate) fn turn_away(
        side: usize,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let Some(x) = message.exchange.as_deref() else {
            return;
        };
        let mut open = world.spare.borrow_mut().next();
        open.begin((0, side), x, message, between, world);
        let mut parties = Parties::UNKNOWN;
        events.tell(Event::Opened(&mut open.transaction, &mut parties));
        open.parties = parties;
        let t = &mut *open.transaction;
        t.outcome = Outcome::GivenUp;
        t.flags.set(Flags::LIMITED);
        t.flags.set(Flags::ONE_SIDED);
        t.flags.set_if(Flags::AMBIGUOUS, t.copies > 1);
        events.tell(Event::Closed(open.case(), false));
        world.spare.borrow_mut().keep(open);
    }

    /// A new request whose answer only the order will tell.
    pub(super) fn guesses(&mut self, new: &mut Open) {
        if !new.opaque || !self.doubtful {
            return;
        }
        self.doubtful = self.open.has_guessed();
        let doubtful = self.doubtful;
        new.transaction.flags.set_if(Flags::CAPTURE_LOSS, doubtful);
    }

    pub(super) fn is_last_of_lane(&self, at: usize) -> bool {
        let lane = self.open[at].lane;
        lane.is_none_or(|lane| self.open.latest_of_lane(lane, |_| true) == Some(at))
    }
}
