//! How transactions end: answered, given up, or with their conversation.

use super::{OVERTAKEN_NS, Pairing};
use crate::open::{Open, OpenState};
use crate::world::{Between, Event, Events, WaitEvent, World};
use crate::{Flags, Mark, Outcome};
use wirewait_wire::{Kind, Timestamp};

/// Behind this number of time-outs the client of an overdue request that asked for something else does not wait for it any more.
const GONE_ON: i64 = 10;

impl Pairing {
    /// Closes those that are answered from `side` and of which `which` says that the answer
    /// is acknowledged. One whose response was repeated stays until its client acknowledges more than that: the
    /// segment that says that it arrived twice may come behind the acknowledgement, and behind the next
    /// request.
    pub(crate) fn close_acknowledged(
        &mut self,
        side: usize,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
        mut which: impl FnMut(u64) -> bool,
    ) {
        let mut from = 0;
        while let Some(at) = self.open.next_done(from, |o| o.side != side) {
            let open = &mut *self.open[at];
            from = open.serial + 1;
            if which(open.serial) {
                if open.repeated_at.is_some() && !std::mem::replace(&mut open.heard_out, true) {
                    continue;
                }
                self.close(at, None, between, world, events);
            }
        }
    }

    /// Closes those that are answered from `side`.
    fn close_answered(
        &mut self,
        side: usize,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let mut from = 0;
        while let Some(at) = self.open.next_done(from, |o| o.side != side) {
            from = self.open[at].serial + 1;
            self.close(at, None, between, world, events);
        }
    }

    /// The clock was set back: those that are answered are over, as their time will not pass soon.
    pub(crate) fn set_back(
        &mut self,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        self.settle(world, events);
        for side in [0, 1] {
            self.close_answered(side, between, world, events);
        }
    }

    /// The clock was set forward so far: nobody who waited then is given up for that.
    pub(crate) fn clock_was_set(&mut self, then: Timestamp, later: i64) {
        self.open.falls_due_later(then, later);
        self.due = self.due.min(self.first_due());
    }

    /// Closes what has waited too long, as of `now`.
    pub(crate) fn expire(
        &mut self,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        self.settle(world, events);
        for serial in self.open.due(now) {
            if let Some(at) = self.open.place_of(serial) {
                if self.is_overdue(at, now, between, world, events) {
                    continue;
                }
                if between.held_back {
                    self.open.awaits(at);
                }
                self.close(at, Some(now), between, world, events);
            }
        }
        self.expire_stray(now, events);
        self.due = self.first_due();
    }

    /// Whether a request that has waited too long may be answered all the same: its server has it, and the name under
    /// which it is answered is still its own. Then it stays open until that is another one's, or its
    /// connection is over.
    #[cold]
    fn is_overdue(
        &mut self,
        at: usize,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> bool {
        let open = &*self.open[at];
        let t = &*open.transaction;
        let goes =
            open.overtaken || open.cancelled || open.refused.is_some() || t.kind == Kind::Wait;
        let named = open.id.is_some() && !open.opaque && !between.unordered;
        let Some(request) = t.request.filter(|_| open.reached && named && !goes) else {
            return false;
        };
        if open.state != OpenState::Waiting {
            return false;
        }
        let timeout_ns = world.settings.timeout_ns;
        let long = now.since(request.last.at) >= timeout_ns.saturating_mul(GONE_ON);
        if long && open.followed.is_some() {
            self.stop_waiting(at, now, between, world, events);
        }
        self.open.put_off(at, now.plus(timeout_ns.max(1)));
        true
    }

    /// Nobody waits any more for a request that stays open.
    fn stop_waiting(
        &mut self,
        at: usize,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let t = &self.open[at].transaction;
        let so_far = (t.outcome, t.flags);
        let awaited = self.open.is_awaited(&self.open[at]);
        let end = self.unanswered((at, awaited), Some(now), between, world);
        if self.is_untold() {
            self.tell_untold(at, events);
        }
        let open = &mut *self.open[at];
        open.stops_waiting(end, events);
        open.followed = Some(open.followed.map_or(end, |next| next.min(end)));
        (open.transaction.outcome, open.transaction.flags) = so_far;
    }

    /// Closes everything: the conversation is over.
    pub(crate) fn finish(
        &mut self,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        self.settle(world, events);
        self.close_stray(events);
        while !self.open.is_empty() {
            let open = &mut *self.open[0];
            if !open.heard_out {
                // Its client was not heard after the response: nothing says that it waited for it.
                open.repeated_at = None;
            }
            self.close(0, Some(now), between, world, events);
        }
    }

    /// `side` closes the connection in this frame, and waits no more for what it asked for in others. A response
    /// may come all the same.
    pub(crate) fn leaves(
        &mut self,
        side: usize,
        mark: Mark,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        self.settle_brief(None, between, world, events);
        let asked = |open: &Open| {
            let request = open.transaction.request;
            open.side == side
                && matches!(open.state, OpenState::Waiting | OpenState::Answering)
                && request.is_some_and(|request| request.last.frame != mark.frame)
        };
        let mut from = 0;
        while let Some(at) = self.open.next(from, asked) {
            from = self.open[at].serial + 1;
            self.abandon(at, mark.at, between, world, events);
        }
    }

    /// The client of this request waits for nothing any more, as it ended the connection.
    fn abandon(
        &mut self,
        at: usize,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let open = &*self.open[at];
        if open.transaction.flags.contains(Flags::ABANDONED) {
            return;
        }
        // Else the capture lacks what it may have got.
        let lacks = self.open.is_awaited(open) || open.passed_over || between.held_back;
        if !between.one_sided && !lacks {
            if let Some(request) = open.transaction.request {
                events.tell(Event::Happens(
                    open.wait(request.first.at),
                    WaitEvent::Abandoned(now),
                ));
            }
            self.open[at].transaction.flags.set(Flags::ABANDONED);
        }
        self.stop_waiting(at, now, between, world, events);
    }

    /// `side` ended the connection at once. It waits for nothing any more; a response that was on
    /// its way then is still told from one that never was.
    pub(crate) fn reset(
        &mut self,
        side: usize,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        self.settle(world, events);
        self.settle_brief(None, between, world, events);
        self.close_stray(events);
        let mut from = 0;
        while let Some(at) = self.open.next(from, |_| true) {
            let open = &mut *self.open[at];
            from = open.serial + 1;
            let asked = matches!(open.state, OpenState::Waiting | OpenState::Answering);
            if open.side != side || !asked {
                self.close(at, Some(now), between, world, events);
                continue;
            }
            self.abandon(at, now, between, world, events);
            let open = &mut *self.open[at];
            open.overtaken = true;
            open.deadline = open.deadline.min(now.plus(OVERTAKEN_NS));
            self.due = self.due.min(open.deadline);
            self.open.falls_due(at);
        }
    }

    /// Closes one transaction; `now` is when it is given up if it was not answered.
    pub(super) fn close(
        &mut self,
        at: usize,
        now: Option<Timestamp>,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        if !self.unsure.is_empty() {
            self.settle(world, events);
        }
        let mut open = &mut *self.open[at];
        if open.state != OpenState::Done {
            self.gives_up(at, between, world, events);
            open = &mut *self.open[at];
        }
        match open.state {
            OpenState::Done => {
                if let Some(at) = open.repeated_at {
                    open.was_lost(at, events);
                }
                open.clock_stepped(world);
            }
            // The raw data was not captured, or never sent; the answer stands.
            OpenState::Raw { answered: true, .. } => {
                self.done(at, u64::MAX, world, events);
                // No frame will tell any more whether so much time has passed.
                self.settle(world, events);
            }
            _ => {
                let awaited = self.open.is_awaited(&self.open[at]);
                let end = self.unanswered((at, awaited), now, between, world);
                if self.is_untold() {
                    self.tell_untold(at, events);
                }
                let open = &mut *self.open[at];
                open.transaction.response = None;
                open.stops_waiting(end, events);
                if open.passed_over {
                    events.tell(Event::Lacked);
                }
                let waits = open.state == OpenState::Waiting;
                if waits && open.transaction.flags.contains(Flags::OPEN_AT_END) {
                    events.tell(Event::Unfinished(&open.transaction, open.reached));
                }
                let end = open.waited_until(end);
                events.tell(Event::GaveUp(&open.transaction, end));
            }
        }
        let Some(open) = self.open.remove(at) else {
            return;
        };
        events.tell(Event::Closed(open.case(), open.transaction.is_as_told()));
        world.spare.borrow_mut().keep(open);
    }

    /// A request that is not answered will be closed: unless it was, as far as anybody can tell.
    #[cold]
    fn gives_up(
        &mut self,
        at: usize,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let serial = self.open[at].serial;
        self.settle_brief(Some(serial), between, world, events);
        let open = &mut *self.open[at];
        if open.state != OpenState::Done {
            open.unshelve(events);
        }
        if self.open[at].unconfirmed.is_some() {
            self.is_not_confirmed(at, world, events);
        }
    }

    /// What is said of a request that has no whole response, `now` or at the end of its time; gives
    /// until when its client waited.
    pub(super) fn unanswered(
        &mut self,
        (at, awaited): (usize, bool),
        now: Option<Timestamp>,
        between: &Between,
        world: &World<'_>,
    ) -> Timestamp {
        let open = &mut *self.open[at];
        let t = &mut *open.transaction;
        t.flags.set_if(Flags::LIMITED, open.serial < self.in_doubt);
        t.outcome = if open.cancelled {
            Outcome::Cancelled
        } else if t.flags.contains(Flags::LIMITED) {
            Outcome::GivenUp
        } else {
            Outcome::Unanswered
        };
        t.flags.set_if(Flags::AMBIGUOUS, t.copies > 1);
        // The server said that it waits for the rest.
        let rest = open.state == OpenState::Asking && t.interims > 0;
        t.flags.set_if(Flags::ABANDONED, rest);
        let first = t.request.map_or(0, |r| r.first.frame);
        let stepped = world.steps.borrow().since(first) || t.clock_stepped(&world.steps);
        t.flags.set_if(Flags::CLOCK_STEP, stepped);
        t.flags.set_if(Flags::ONE_SIDED, between.one_sided);
        t.flags
            .set_if(Flags::CAPTURE_LOSS, awaited || open.passed_over);
        let limit = t.request.map(|r| r.last.at.plus(world.settings.timeout_ns));
        let waits = |now: Timestamp| {
            // One that was put off has waited too long before.
            let put_off = open.reached && !open.promised && limit.is_some_and(|limit| limit <= now);
            now < open.deadline && (!put_off || t.kind == Kind::Wait)
        };
        let early = world.over && now.is_some_and(waits);
        let early = early && !open.overtaken && open.refused.is_none();
        t.flags.set_if(Flags::OPEN_AT_END, early);
        if let Some(refused) = open.refused {
            return refused;
        }
        match (limit, now) {
            // What waits by design is not given up.
            (Some(limit), Some(now)) if t.kind != Kind::Wait => limit.min(now).min(open.deadline),
            (Some(_), Some(now)) => now,
            (Some(limit), None) => limit,
            (None, now) => now.unwrap_or_default(),
        }
    }
}
