//! Matches the responses of one conversation with their requests.
//!
//! The rules are those of the definitions: t1..t4 per request, repeated requests make the
//! turnaround ambiguous, interim answers are never the answer, the latest request with an
//! identifier is the one that is answered.

mod answers;
mod naming;
mod open;
mod opens;
mod ranges;
mod strays;
#[cfg(test)]
mod testing;
mod turns;
mod waits;

use crate::message::Message;
use crate::open::{Open, OpenState};
use crate::parties::Parties;
use crate::piece::PieceTally;
use crate::turns::Said;
use crate::world::{Between, Event, Events, Limited, World};
use crate::{Assembled, Deed, Flags, Mark, Outcome, Transaction};
use naming::Naming;
pub(crate) use opens::Opens;
use strays::Stray;

use wirewait_wire::{Asked, DissectorId, Exchange, Expect, Id, Kind, Parts, Role, Side, Timestamp};

/// A request whose client has gone on to another command under its identifier is answered within
/// this time, or never, ns: a pipe may take a little longer, and DOS clients give up.
const OVERTAKEN_NS: i64 = 500_000_000;

/// A frame of a byte stream that only repeated data of a message.
pub(crate) struct RepeatedFrame {
    /// Who sent it.
    pub(crate) side: usize,
    pub(crate) mark: Mark,
    /// It begins another pass over the message.
    pub(crate) again: bool,
    /// The other side had acknowledged the data.
    pub(crate) had: bool,
}

/// The open requests of one conversation.
#[derive(Default)]
pub(crate) struct Pairing {
    open: Opens,
    next_serial: u64,
    /// Those of the latest transaction, and which side served in it.
    parties: Parties,
    server: usize,
    /// When the latest answer ended, and the number of the message that it was. Waits by
    /// design and promises taken back do not count: they keep the server from nothing.
    last_response: Option<(Mark, u64)>,
    /// Nothing falls due before.
    due: Timestamp,
    /// Some request was seen.
    asked: bool,
    /// Some request was seen that raw data may follow.
    raw: bool,
    /// Some request was answered.
    answered: bool,
    /// Some request said what it is.
    named: bool,
    /// Data came from before what was taken for the beginning.
    began_late: bool,
    /// Messages are missing where only their order tells which belong together.
    doubtful: bool,
    naming: Naming,
    /// Somebody wants to know what messages and frames did.
    observed: bool,
    /// What the latest message did, if it is observed.
    told: Option<Box<ToldOf>>,
    /// Requests before this one that get no answer may have had one: some of the conversation
    /// was given up because of a limit.
    in_doubt: u64,
    /// Some of it was.
    limited: bool,
    /// Answered, by messages of these numbers, when it was not known how late it was.
    unsure: Vec<(u64, u64)>,
    /// The latest request of which a part was passed by, since it seemed late.
    passed_by: Option<Id>,
    /// The latest response without a request, while its request may still come.
    stray: Option<Box<Stray>>,
}

/// What a message did.
#[derive(Clone, Copy, Default)]
struct ToldOf {
    /// In which transaction, and what.
    deed: Option<(u64, Deed)>,
    /// The request that it answers.
    asked: Option<Asked>,
}

impl Pairing {
    /// Begins anew, in the room of requests that are all closed. `rest`: those before may have
    /// been given up because of a limit.
    pub(crate) fn restart(&mut self, observed: bool, rest: bool) {
        let Self {
            open,
            next_serial,
            parties,
            server,
            last_response,
            due,
            asked,
            raw,
            answered,
            named,
            began_late,
            doubtful,
            naming,
            observed: is_observed,
            told,
            in_doubt,
            limited,
            unsure,
            passed_by,
            stray,
        } = self;
        open.empty();
        *next_serial = 0;
        *parties = Parties::UNKNOWN;
        *server = 0;
        *last_response = None;
        *due = Timestamp::from_nanos(i64::MAX);
        (*asked, *raw, *answered, *named) = (false, false, false, false);
        (*began_late, *doubtful) = (false, false);
        *naming = Naming::default();
        *is_observed = observed;
        *told = None;
        *in_doubt = 0;
        *limited = rest;
        unsure.clear();
        *passed_by = None;
        *stray = None;
    }

    /// Some of the conversation is given up because of a limit: what is open and gets no answer
    /// may have had one, and so may what seems to answer nothing.
    pub(crate) fn doubt(&mut self) {
        self.in_doubt = self.next_serial;
        self.limited = true;
    }

    /// Whether a request was answered.
    pub(crate) fn has_answered(&self) -> bool {
        self.answered
    }

    /// Takes a message from `side`; says to which transaction it belongs.
    pub(crate) fn message(
        &mut self,
        side: usize,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        if self.observed {
            self.told = None;
        }
        let found = self.take(side, message, between, world, events);
        if between.displaced
            && let Some(serial) = found
        {
            self.displaced(serial, between, world, events);
        }
        if between.unordered
            && let Some(open) = found.and_then(|serial| self.by_serial(serial))
            && open.deed == Deed::Retransmitted
        {
            let t = &open.transaction;
            let first = if open.side == side {
                t.request
            } else {
                t.response
            };
            let at = message.tally.extent.first.at;
            events(Event::Repeated(
                first.map_or(0, |first| at.since(first.first.at).max(0)),
            ));
        }
        if self.observed
            && let Some(open) = found.and_then(|serial| self.by_serial(serial))
        {
            let told = ToldOf {
                deed: Some((open.transaction.number, open.deed)),
                asked: (open.side != side).then(|| open.question()),
            };
            self.told = Some(Box::new(told));
        }
        found
    }

    /// Reports the message taken last, with what its frames did.
    pub(crate) fn tell(
        &self,
        message: &Message<'_>,
        framer: Option<DissectorId>,
        events: Events<'_>,
    ) {
        let trace = message.trace;
        let ToldOf { deed, asked } = self.told.as_deref().copied().unwrap_or_default();
        if let Some((number, _)) = deed {
            for (frame, deed) in trace.others {
                events(Event::Did(number, *deed, Some(*frame)));
            }
        }
        events(Event::Assembled(&Assembled {
            follows: trace.follows,
            complete: true,
            framer,
            dissector: message.dissector,
            header: trace.header,
            head: message.input,
            stretches: trace.stretches,
            omitted: trace.omitted,
            deed,
            asked,
        }));
    }

    fn take(
        &mut self,
        side: usize,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        if self.raw
            && let Some(found) = self.headerless(side, message, world, events)
        {
            return Some(found);
        }
        let Some(said) = message.exchange.as_deref() else {
            self.upkeep(&message.tally, events);
            return None;
        };
        let meant = self.meant(side, said, message, between, world);
        let x = meant.as_ref().unwrap_or(said);
        if x.role == Role::Turn {
            let found = self.by_turn(side, x, message, between, world, events);
            if found.is_none() {
                self.upkeep(&message.tally, events);
            }
            return found;
        }
        self.named |= x.role == Role::Request;
        let answered = self.answers(side, x, message, between, world, events);
        let found = match x.role {
            Role::Request if x.expect == Expect::Nothing => None,
            Role::Request if self.is_stray(side, x) => {
                self.passed_by = x.id;
                None
            }
            Role::Request => Some(self.request(side, x, message, between, world, events)),
            Role::More => self.more(side, x, message, world, events),
            Role::Response | Role::Either | Role::Interim => {
                self.response(side, x, message, between, world, events)
            }
            Role::Cancel => self.cancel(x, message),
            Role::Ack | Role::Upkeep => self.serve(x, message),
            Role::Refusal => self.refuse(side, x, message, events),
            Role::Notice | Role::Turn => None,
        };
        match (found, answered) {
            (Some(serial), _) => Some(serial),
            (None, Some(serial)) => {
                match self.by_serial(serial) {
                    Some(open) => open.transaction.share += message.tally.share,
                    None => events(Event::Control(message.tally.share)),
                }
                Some(serial)
            }
            (None, None) => {
                self.upkeep(&message.tally, events);
                None
            }
        }
    }

    /// What a message means in the light of what was said before, if that is another thing.
    fn meant(
        &self,
        side: usize,
        said: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) -> Option<Exchange> {
        let mut role = said.role;
        if said.opaque && side == between.server {
            role = Role::Response;
        }
        if role == Role::Either {
            role = match self.was_asked(1 - side, said.id) {
                true => Role::Response,
                false => Role::Request,
            };
        }
        if let Some(mut answer) = self.unmarked(side, (role, said), message, between, world) {
            answer.role = self.turned(side, answer.role, &answer);
            return Some(answer);
        }
        let role = self.turned(side, role, said);
        if role == said.role {
            return None;
        }
        Some(Exchange { role, ..*said })
    }

    /// What looks like a client's request, but comes from the side that serves and goes by
    /// the identifier of a request that waits there, is its answer without the mark.
    fn unmarked(
        &self,
        side: usize,
        (role, x): (Role, &Exchange),
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) -> Option<Exchange> {
        let asks = matches!(role, Role::Request | Role::Notice) && x.sender == Side::Client;
        if !asks || side != between.server {
            return None;
        }
        let read = world.registry.dissector(message.dissector?).unmarked?;
        let waits = |o: &Open| {
            o.side != side
                && o.id == x.id
                && matches!(
                    o.state,
                    OpenState::Waiting | OpenState::Answering | OpenState::Asking
                )
        };
        self.open.latest(x.id?, waits)?;
        read(message.input).ok()?.exchange
    }

    /// Bytes of `side` up to `end` are missing, for the reason that the flag says. Where only the order tells whose an answer
    /// is, nothing may count on it any more.
    pub(crate) fn missed(
        &mut self,
        side: usize,
        (end, why): (u64, Flags),
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        for serial in self.open.lacking(1 - side, end) {
            let Some(at) = self.open.place_of(serial) else {
                continue;
            };
            // The answer may be among what is missing.
            self.open.awaits(at);
            let open = &mut *self.open[at];
            // What was asked before those bytes arrived may be what they answered.
            if open.is_guessed() {
                open.transaction.flags.set(why);
                self.close(at, Some(now), between, world, events);
            }
        }
        for serial in self.open.unflagged(why) {
            if let Some(open) = self.by_serial(serial) {
                open.transaction.flags.set(why);
            }
        }
        // Another request with the name of one of them may be among it.
        self.open.lacks(side);
        self.doubtful |= self.open.has_guessed();
    }

    /// Data came from before what was taken for the beginning: requests may be among it.
    pub(crate) fn began_late(&mut self) {
        self.began_late = true;
    }

    /// Frames of `side` are missing: answers may be among them, or requests.
    pub(crate) fn awaits(&mut self, side: usize) {
        self.open.await_all(1 - side, self.next_serial);
        self.open.lacks(side);
    }

    /// A new request whose answer only the order will tell.
    fn guesses(&mut self, new: &mut Open) {
        if !new.opaque || !self.doubtful {
            return;
        }
        self.doubtful = self.open.has_guessed();
        let doubtful = self.doubtful;
        new.transaction.flags.set_if(Flags::CAPTURE_LOSS, doubtful);
    }

    /// A stand-alone acknowledgement of data of this transaction; false if it is closed.
    pub(crate) fn acknowledged(&mut self, serial: u64, share: u64, events: Events<'_>) -> bool {
        let observed = self.observed;
        self.by_serial(serial).is_some_and(|open| {
            let t = &mut open.transaction;
            t.frames.ack = t.frames.ack.saturating_add(1);
            t.share += share;
            if observed {
                events(Event::Did(t.number, Deed::Ack, None));
            }
            true
        })
    }

    /// A frame that only repeated data of this transaction. False if the transaction is closed.
    pub(crate) fn repeated(
        &mut self,
        serial: u64,
        frame: RepeatedFrame,
        share: u64,
        events: Events<'_>,
    ) -> bool {
        let RepeatedFrame {
            side,
            mark,
            again,
            had,
        } = frame;
        let observed = self.observed;
        self.by_serial(serial).is_some_and(|open| {
            let t = &mut open.transaction;
            t.frames.retransmitted = t.frames.retransmitted.saturating_add(1);
            t.share += share;
            if observed {
                events(Event::Did(t.number, Deed::Retransmitted, Some(mark.frame)));
            }
            if side == open.side {
                t.copies = t.copies.saturating_add(u32::from(again));
                if matches!(open.state, OpenState::Waiting | OpenState::Asking) {
                    open.arrived[0] |= had;
                    open.resent = Some(mark).filter(|_| !open.arrived[0]);
                } else {
                    let before = |response: crate::Extent| mark.precedes(response.first);
                    t.flags
                        .set_if(Flags::OUT_OF_ORDER, t.response.is_some_and(before));
                    // Who repeats the request lacks the response.
                    if let Some(at) = open.repeated_at.take() {
                        open.was_lost(at, events);
                    }
                }
            } else if !open.arrived[1] {
                open.repeated_at = Some(mark.at);
            }
            true
        })
    }

    /// `side` repeated this request in a frame that was captured behind the response, and sent before
    /// it: when what was answered arrived is not sure.
    #[cold]
    pub(crate) fn repeated_before(&mut self, serial: u64, side: usize, mark: Mark) {
        if let Some(open) = self.by_serial(serial)
            && open.side == side
        {
            let t = &mut open.transaction;
            let before = t.response.is_some_and(|r| mark.precedes(r.first));
            t.flags.set_if(Flags::OUT_OF_ORDER, before);
        }
    }

    /// `side` had this transaction's message of the other side before that was repeated, and all
    /// came that `side` has sent since: what was lost is an acknowledgement, if anything.
    #[cold]
    pub(crate) fn had_arrived(&mut self, serial: u64, side: usize) {
        let Some(open) = self.by_serial(serial) else {
            return;
        };
        if open.side != side {
            open.arrived[0] = true;
            open.resent = None;
        } else {
            open.arrived[1] = true;
            open.repeated_at = None;
        }
    }

    /// A frame of upkeep on the conversation, in the time of a transaction if one waits.
    pub(crate) fn control(&mut self, share: u64, events: Events<'_>) {
        match self.open.earliest_undone() {
            Some(at) => {
                let open = &mut *self.open[at];
                let frames = &mut open.transaction.frames;
                frames.control = frames.control.saturating_add(1);
                open.transaction.share += share;
                if self.observed {
                    events(Event::Did(open.transaction.number, Deed::Control, None));
                }
            }
            None => events(Event::Control(share)),
        }
    }

    /// Closes those that are answered from `side` and of which `which` says that the answer
    /// is acknowledged.
    pub(crate) fn close_answered(
        &mut self,
        side: usize,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
        mut which: impl FnMut(u64) -> bool,
    ) {
        let mut from = 0;
        while let Some(at) = self.open.next_done(from, |o| o.side != side) {
            let serial = self.open[at].serial;
            from = serial + 1;
            if which(serial) {
                self.close(at, None, between, world, events);
            }
        }
    }

    /// The clock was set back: those that are answered are over, as their time will not pass soon.
    pub(crate) fn set_back(&mut self, between: &Between, world: &World<'_>, events: Events<'_>) {
        self.settle(world, events);
        for side in [0, 1] {
            self.close_answered(side, between, world, events, |_| true);
        }
    }

    /// Transactions whose response is complete, and which are not closed yet.
    pub(crate) fn unclosed(&self) -> impl Iterator<Item = &Transaction> {
        self.open.unclosed().map(|open| &open.transaction)
    }

    /// Whether something may have waited too long, as of `now`.
    #[inline]
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        now >= self.due
    }

    /// Closes what has waited too long, as of `now`.
    pub(crate) fn expire(
        &mut self,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        self.settle(world, events);
        for serial in self.open.due(now) {
            if let Some(at) = self.open.place_of(serial) {
                if between.held_back {
                    self.open.awaits(at);
                }
                self.close(at, Some(now), between, world, events);
            }
        }
        self.expire_stray(now, events);
        self.due = self.first_due();
    }

    /// Closes everything: the conversation is over.
    pub(crate) fn finish(
        &mut self,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        self.settle(world, events);
        self.close_stray(events);
        while !self.open.is_empty() {
            self.close(0, Some(now), between, world, events);
        }
    }

    /// `side` ended the connection at once. It waits for nothing any more; a response that was on
    /// its way then is still told from one that never was.
    pub(crate) fn reset(
        &mut self,
        side: usize,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        self.settle(world, events);
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
            if let Some(request) = open.transaction.request {
                events(Event::Abandoned(open.wait(request.first.at), now));
            }
            let so_far = (open.transaction.outcome, open.transaction.flags);
            let awaited = self.open.is_awaited(at);
            let end = self.unanswered((at, awaited), Some(now), between, world);
            let open = &mut *self.open[at];
            open.stops_waiting(end, events);
            (open.transaction.outcome, open.transaction.flags) = so_far;
            open.overtaken = true;
            open.deadline = open.deadline.min(now.plus(OVERTAKEN_NS));
            self.due = self.due.min(open.deadline);
            self.open.falls_due(at);
        }
    }

    /// Whether a request of `side` with this identifier is open, or was answered just now.
    pub(crate) fn was_asked(&self, side: usize, id: Option<Id>) -> bool {
        id.is_some_and(|id| {
            let asked = |o: &Open| o.side == side && o.id == Some(id);
            self.open.latest(id, asked).is_some()
        })
    }

    /// Those of the latest transaction, if it was between the same two.
    fn known(&mut self, between: &Between) -> &mut Parties {
        if self.server != between.server {
            self.server = between.server;
            self.parties = Parties::UNKNOWN;
        }
        &mut self.parties
    }

    /// The one who serves has another address.
    pub(crate) fn readdressed(&mut self) {
        self.parties = Parties::UNKNOWN;
    }

    /// Whether the transaction with this number of the conversation is.
    pub(crate) fn is_open(&self, serial: u64) -> bool {
        self.open.place_of(serial).is_some()
    }

    /// Whether nothing is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    fn request(
        &mut self,
        side: usize,
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) -> u64 {
        self.asked = true;
        self.raw |= matches!(x.expect, Expect::Headerless | Expect::GoAhead { .. });
        let tally = &message.tally;
        let own = tally.extent.last.at;
        // A single stamp may be wrong: its own, by which nobody gives up waiting; or the one before
        // it, by which what is answered does not come back.
        let now = own.min(world.sure);
        let asked = |o: &Open| {
            let now = if o.state == OpenState::Done { own } else { now };
            o.id == x.id && o.side == side && o.deadline > now && o.is_asked_by(x)
        };
        if let Some(at) = x.id.and_then(|id| self.open.latest(id, asked)) {
            if let Parts::Ranged {
                at: from,
                length,
                of,
            } = x.parts
            {
                return self.request_part(at, (from, length, of), x, tally, world, events);
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
                    let serial = open.grow_by_turn(tally);
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
                    return self.reopen(at, x, tally, world, events);
                }
                let open = &mut *self.open[at];
                if let Some(refused) = open.refused.take() {
                    // The client has waited since then all the same.
                    open.starts_waiting(refused, events);
                }
                // The answer was seen before: it was lost behind the capture.
                open.lost_after(tally.extent.last.at, events);
                return open.copy(tally);
            }
        }
        self.make_room(side, x, tally.extent.first.at, between, world, events);
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
        events(Event::Opened(&mut open.transaction, self.known(between)));
        open.parties = self.parties;
        if between.may_be_again(side, tally) {
            open.lost_before(between.again_after(side, tally), events);
        }
        self.open.push(open);
        self.asked_whole(serial, whole, world, events);
        serial
    }

    /// What must go before a new request takes its place.
    fn make_room(
        &mut self,
        side: usize,
        x: &Exchange,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
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
        let may_be_overtaken = |o: &Open| {
            between.unordered
                && !between.turns
                && o.state == OpenState::Waiting
                && o.id != x.id
                && o.deadline > now
        };
        let related = (x, ends_answered);
        let mut from = 0;
        while let Some(at) = self.open.next_related(from, related, superseded) {
            let o = &mut self.open[at];
            from = o.serial + 1;
            if o.id == x.id && o.is_told_apart(x) && o.state != OpenState::Done {
                // Its client does not wait for it alone, or no longer.
                let soon = now.plus(OVERTAKEN_NS);
                if !o.overtaken && o.deadline > soon {
                    o.deadline = soon;
                    self.due = self.due.min(soon);
                    self.open.falls_due(at);
                }
                self.open[at].overtaken = true;
                continue;
            }
            // The answer may have been captured, and wait for what comes before it.
            if between.held_back && o.state != OpenState::Done {
                self.open.awaits(at);
                continue;
            }
            if o.is_confirmed_by(x) {
                o.transaction.flags.set(Flags::CAPTURE_LOSS);
                self.done(at, u64::MAX, world, events);
            } else if may_be_overtaken(o) {
                // Its response may have been captured behind this request.
                o.deadline = now;
                self.due = self.due.min(now);
                self.open.falls_due(at);
                continue;
            }
            self.close(at, Some(now), between, world, events);
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
    fn give_up(
        &mut self,
        limit: Limited,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        if self.open.is_empty() {
            return;
        }
        events(Event::Limited(limit));
        self.limited = true;
        self.open[0].transaction.flags.set(Flags::LIMITED);
        self.close(0, Some(now), between, world, events);
    }

    fn more(
        &mut self,
        side: usize,
        x: &Exchange,
        message: &Message<'_>,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        let asking = |o: &Open| {
            let same = x.id.map_or(o.id.is_none(), |id| o.goes_by(id));
            o.side == side && same && o.state == OpenState::Asking
        };
        let at = match x.id {
            Some(id) => self.open.latest(id, asking),
            None => self.open.latest_unnamed(asking),
        }?;
        let open = &mut *self.open[at];
        let serial = open.serial;
        let last = open.more(x, &message.tally);
        self.asked_whole(serial, last, world, events);
        Some(serial)
    }

    /// The request may be complete: what follows from that.
    fn asked_whole(&mut self, serial: u64, whole: bool, world: &World<'_>, events: Events<'_>) {
        let Some(at) = self.open.place_of(serial) else {
            return;
        };
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
            self.open.falls_due(at);
        }
        let open = &mut *self.open[at];
        if whole {
            if world.metered && open.state == OpenState::Asking {
                events(Event::Asked(open.case()));
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
        events: Events<'_>,
    ) {
        let Some(x) = message.exchange.as_deref() else {
            return;
        };
        let mut open = world.spare.borrow_mut().next();
        open.begin((0, side), x, message, between, world);
        let mut parties = Parties::UNKNOWN;
        events(Event::Opened(&mut open.transaction, &mut parties));
        open.parties = parties;
        let t = &mut open.transaction;
        t.outcome = Outcome::GivenUp;
        t.flags.set(Flags::LIMITED);
        t.flags.set(Flags::ONE_SIDED);
        t.flags.set_if(Flags::AMBIGUOUS, t.copies > 1);
        events(Event::Closed(open.case()));
        world.spare.borrow_mut().keep(open);
    }

    /// Closes one transaction; `now` is when it is given up if it was not answered.
    fn close(
        &mut self,
        at: usize,
        now: Option<Timestamp>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        let awaited = self.open.is_awaited(at);
        if !self.unsure.is_empty() {
            self.settle(world, events);
        }
        let open = &mut *self.open[at];
        if open.state != OpenState::Done {
            open.unshelve(events);
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
                let end = self.unanswered((at, awaited), now, between, world);
                let open = &mut *self.open[at];
                open.transaction.response = None;
                open.stops_waiting(end, events);
            }
        }
        let Some(open) = self.open.remove(at) else {
            return;
        };
        events(Event::Closed(open.case()));
        world.spare.borrow_mut().keep(open);
    }

    /// What is said of a request that has no whole response, `now` or at the end of its time; gives
    /// until when its client waited.
    fn unanswered(
        &mut self,
        (at, awaited): (usize, bool),
        now: Option<Timestamp>,
        between: &Between,
        world: &World<'_>,
    ) -> Timestamp {
        let open = &mut *self.open[at];
        let t = &mut open.transaction;
        t.flags.set_if(Flags::LIMITED, open.serial < self.in_doubt);
        t.outcome = if open.cancelled {
            Outcome::Cancelled
        } else if t.flags.contains(Flags::LIMITED) {
            Outcome::GivenUp
        } else {
            Outcome::Unanswered
        };
        t.flags.set_if(Flags::AMBIGUOUS, t.copies > 1);
        let first = t.request.map_or(0, |r| r.first.frame);
        let stepped = world.steps.borrow().since(first) || t.clock_stepped(&world.steps.borrow());
        t.flags.set_if(Flags::CLOCK_STEP, stepped);
        t.flags.set_if(Flags::ONE_SIDED, between.one_sided);
        t.flags.set_if(Flags::CAPTURE_LOSS, awaited);
        let early = world.over && now.is_some_and(|now| now < open.deadline);
        let early = early && !open.overtaken && open.refused.is_none();
        t.flags.set_if(Flags::OPEN_AT_END, early);
        if let Some(refused) = open.refused {
            return refused;
        }
        let limit = t.request.map(|r| r.last.at.plus(world.settings.timeout_ns));
        match (limit, now) {
            // What waits by design is not given up.
            (Some(limit), Some(now)) if t.kind != Kind::Wait => limit.min(now).min(open.deadline),
            (Some(_), Some(now)) => now,
            (Some(limit), None) => limit,
            (None, now) => now.unwrap_or_default(),
        }
    }

    fn is_last_of_lane(&self, at: usize) -> bool {
        let lane = self.open[at].lane;
        lane.is_none_or(|lane| self.open.latest_of_lane(lane, |_| true) == Some(at))
    }

    fn by_serial(&mut self, serial: u64) -> Option<&mut Open> {
        let at = self.open.place_of(serial)?;
        Some(&mut self.open[at])
    }

    fn upkeep(&mut self, tally: &PieceTally, events: Events<'_>) {
        match self.open.earliest_undone() {
            Some(at) => {
                let open = &mut *self.open[at];
                let frames = &mut open.transaction.frames;
                frames.control = frames.control.saturating_add(tally.frames);
                open.transaction.share += tally.share;
                if self.observed {
                    let told = self.told.get_or_insert_default();
                    told.deed = Some((open.transaction.number, Deed::Control));
                }
            }
            None => events(Event::Control(tally.share)),
        }
    }
}
