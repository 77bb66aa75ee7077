//! Matches the responses of one conversation with their requests.
//!
//! The rules are those of the definitions: t1..t4 per request, repeated requests make the
//! turnaround ambiguous, interim answers are never the answer, the latest request with an
//! identifier is the one that is answered.

use crate::message::{Message, Tally};
use crate::{Flags, FrameCounts, Mark, Outcome, Settings, Transaction, Turnaround};
use wirewait_wire::{
    Asked, DissectorId, Endpoint, Exchange, Expect, Id, Kind, Parts, Registry, Role, Side,
    Timestamp,
};

/// An answered request is kept this long for the acknowledgements of its answer, ns.
const LINGER_NS: i64 = 2_000_000_000;
/// Requests of one conversation that are kept at once.
const OPEN: usize = 1024;

/// What pairing needs to know of the world.
pub(crate) struct World<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) settings: Settings,
    /// Counts the steps back of the capture's clock.
    pub(crate) epoch: u32,
    /// As many requests are open in all conversations as may be.
    pub(crate) open_full: bool,
    /// As many bytes are held back in all streams as may be.
    pub(crate) held_full: bool,
}

/// What pairing tells the figures.
pub(crate) enum Event<'a> {
    /// A request was seen.
    Opened,
    /// So many bytes more (or fewer) are held back in a stream.
    Held(isize),
    /// A request is complete that keeps this client waiting since then.
    Begins(Endpoint, Timestamp),
    /// This client no longer waits for one since then.
    Ends(Endpoint, Timestamp),
    /// A transaction is closed.
    Closed(&'a Transaction),
    /// So much of the frames belongs to no transaction.
    Control(u64),
    /// A message of this protocol was completed by the frame under way.
    Protocol(DissectorId),
}

pub(crate) type Events<'a> = &'a mut dyn FnMut(Event<'_>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// More of the request is to come.
    Asking,
    /// The request is complete.
    Waiting,
    /// So many bytes without header are to come from the client.
    Raw { rest: u32, answered: bool },
    /// More of the response is to come.
    Answering,
    /// The response is complete.
    Done,
}

struct Open {
    serial: u64,
    transaction: Transaction,
    state: State,
    /// The request was sent by this side.
    side: usize,
    id: Option<Id>,
    alias: Option<Id>,
    lane: Option<u32>,
    expect: Expect,
    may_wait: bool,
    opaque: bool,
    cancelled: bool,
    /// What was got and what is to be got, of request or response.
    got: [u64; 2],
    of: [u64; 2],
    mask: u32,
    /// End of the last copy of the request that came before the response.
    resent: Option<Mark>,
    epoch: u32,
    /// The figures were told that the client waits.
    counted: bool,
    deadline: Timestamp,
}

/// The open requests of one conversation.
pub(crate) struct Pairing {
    open: Vec<Open>,
    next_serial: u64,
    /// When the latest response ended, and the number of the message that it was.
    last_response: Option<(Timestamp, u64)>,
    /// Nothing falls due before.
    due: Timestamp,
    /// Some request was seen.
    asked: bool,
}

/// What all transactions of a conversation have in common.
pub(crate) struct Between {
    /// The ends, in the order in which the conversation numbers its sides.
    pub(crate) ends: [Endpoint; 2],
    /// Which of them serves.
    pub(crate) server: usize,
    pub(crate) carrier: &'static str,
    pub(crate) conversation: u64,
    /// Frames are not put in order below: requests may be repeated.
    pub(crate) unordered: bool,
    /// A byte stream: acknowledgements say which bytes they mean.
    pub(crate) stream: bool,
    /// The conversation began before the capture.
    pub(crate) mid_capture: bool,
    /// Only one side was ever seen.
    pub(crate) one_sided: bool,
}

impl Pairing {
    pub(crate) fn new() -> Self {
        Self {
            open: Vec::new(),
            next_serial: 0,
            last_response: None,
            due: Timestamp::from_nanos(i64::MAX),
            asked: false,
        }
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
        if let Some(found) = self.headerless(side, message, world, events) {
            return Some(found);
        }
        let Some(mut x) = message.exchange else {
            self.upkeep(&message.tally, events);
            return None;
        };
        if x.opaque && side == between.server {
            x.role = Role::Response;
        }
        let x = &x;
        let answered = x
            .answers
            .and_then(|id| self.answers(side, id, x, message, between, world, events));
        let found = match x.role {
            Role::Request if x.expect == Expect::Nothing => None,
            Role::Request => Some(self.request(side, x, message, between, world, events)),
            Role::More => self.more(side, x, message, world, events),
            Role::Response | Role::Interim => {
                self.response(side, x, message, between, world, events)
            }
            Role::Cancel => self.cancel(x, message),
            Role::Notice => None,
        };
        match (found, answered) {
            (Some(serial), _) => Some(serial),
            (None, Some(serial)) => {
                if let Some(open) = self.by_serial(serial) {
                    open.transaction.share += message.tally.share;
                }
                Some(serial)
            }
            (None, None) => {
                self.upkeep(&message.tally, events);
                None
            }
        }
    }

    /// A stand-alone acknowledgement of data of this transaction; false if it is closed.
    pub(crate) fn acknowledged(&mut self, serial: u64, share: u64) -> bool {
        self.by_serial(serial).is_some_and(|open| {
            open.transaction.frames.ack = open.transaction.frames.ack.saturating_add(1);
            open.transaction.share += share;
            true
        })
    }

    /// A frame that only repeated data of this transaction, sent by `side`; `again` when it
    /// begins another pass over the message. False if the transaction is closed.
    pub(crate) fn repeated(
        &mut self,
        serial: u64,
        side: usize,
        mark: Mark,
        again: bool,
        share: u64,
    ) -> bool {
        self.by_serial(serial).is_some_and(|open| {
            let t = &mut open.transaction;
            t.frames.retransmitted = t.frames.retransmitted.saturating_add(1);
            t.share += share;
            if side == open.side {
                t.copies = t.copies.saturating_add(u32::from(again));
                if matches!(open.state, State::Waiting | State::Asking) {
                    open.resent = Some(mark);
                }
            }
            true
        })
    }

    /// A frame of upkeep on the conversation, in the time of a transaction if one waits.
    pub(crate) fn control(&mut self, share: u64, events: Events<'_>) {
        match self.open.iter_mut().find(|o| o.state != State::Done) {
            Some(open) => {
                let frames = &mut open.transaction.frames;
                frames.control = frames.control.saturating_add(1);
                open.transaction.share += share;
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
        let mut at = 0;
        while at < self.open.len() {
            let open = &self.open[at];
            if open.state == State::Done && open.side != side && which(open.serial) {
                self.close(at, None, between, world, events);
            } else {
                at += 1;
            }
        }
    }

    /// Closes what has waited too long, as of `now`.
    pub(crate) fn expire(
        &mut self,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        if now < self.due {
            return;
        }
        let mut at = 0;
        while at < self.open.len() {
            if self.open[at].deadline <= now {
                self.close(at, Some(now), between, world, events);
            } else {
                at += 1;
            }
        }
        self.due = self
            .open
            .iter()
            .map(|o| o.deadline)
            .min()
            .unwrap_or(Timestamp::from_nanos(i64::MAX));
    }

    /// Closes everything: the conversation is over.
    pub(crate) fn finish(
        &mut self,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        while !self.open.is_empty() {
            self.close(0, Some(now), between, world, events);
        }
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
        let tally = &message.tally;
        if let Some(at) = self.open.iter().rposition(|o| {
            x.id.is_some() && o.id == x.id && o.transaction.code == x.code && o.side == side
        }) {
            let open = &mut self.open[at];
            if open.state == State::Asking && matches!(x.parts, Parts::Masked { .. }) {
                let serial = open.serial;
                let last = open.more(x, tally);
                self.asked_whole(serial, last, world, events);
                return serial;
            }
            let repeated = match open.state {
                State::Done => x.repeats,
                _ => x.repeats || between.unordered,
            };
            if repeated && self.is_last_of_lane(at) {
                return self.open[at].copy(tally);
            }
        }
        self.make_room(side, x, tally.extent.first.at, between, world, events);
        let serial = self.next_serial;
        self.next_serial += 1;
        let mut open = Open::new(serial, side, x, message, between, world);
        let whole = open.asks(x);
        self.open.push(open);
        events(Event::Opened);
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
        let mut at = 0;
        while at < self.open.len() {
            let o = &self.open[at];
            // What is answered stays for its acknowledgements; where none can be told
            // from the next one's, the next request ends that.
            let over = o.state == State::Done && o.lane.is_none() && !between.stream;
            let superseded = o.side == side
                && (over
                    || (x.id.is_some() && o.id == x.id)
                    || (x.lane.is_some() && o.lane == x.lane));
            if superseded {
                self.close(at, Some(now), between, world, events);
            } else {
                at += 1;
            }
        }
        if self.open.len() >= OPEN || (world.open_full && !self.open.is_empty()) {
            self.close(0, Some(now), between, world, events);
        }
    }

    fn more(
        &mut self,
        side: usize,
        x: &Exchange,
        message: &Message<'_>,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        let at = self
            .open
            .iter()
            .rposition(|o| o.side == side && o.id == x.id && o.state == State::Asking)?;
        let open = &mut self.open[at];
        let serial = open.serial;
        let last = open.more(x, &message.tally);
        self.asked_whole(serial, last, world, events);
        Some(serial)
    }

    /// The request may be complete: what follows from that.
    fn asked_whole(&mut self, serial: u64, whole: bool, world: &World<'_>, events: Events<'_>) {
        let Some(at) = self.open.iter().position(|o| o.serial == serial) else {
            return;
        };
        let open = &mut self.open[at];
        if let Some(request) = open.transaction.request {
            let wait = match open.transaction.kind {
                Kind::Wait => i64::MAX,
                _ => world.settings.timeout_ns,
            };
            open.deadline = request.last.at.plus(wait);
            self.due = self.due.min(open.deadline);
            let waits = !matches!(open.transaction.kind, Kind::Wait | Kind::Break);
            if whole && waits && !open.counted {
                open.counted = true;
                events(Event::Begins(open.transaction.client, request.first.at));
            }
        }
        if whole {
            open.state = State::Waiting;
        }
    }

    fn response(
        &mut self,
        side: usize,
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        let Some(at) = self.find(side, x) else {
            if x.role == Role::Response && !x.opaque {
                self.orphan(x, message, between, world, events);
                return Some(u64::MAX);
            }
            return None;
        };
        let open = &mut self.open[at];
        let serial = open.serial;
        let tally = &message.tally;
        if x.anyone && open.transaction.response.is_none() {
            open.transaction.server = between.ends[between.server];
        }
        if x.alias.is_some() && x.role == Role::Interim && open.alias.is_none() {
            open.alias = x.alias;
        }
        if x.id.is_none() && !x.opaque {
            open.transaction.flags.set(Flags::BY_ORDER);
        }
        if open.state == State::Done {
            let t = &mut open.transaction;
            t.duplicate_responses = t.duplicate_responses.saturating_add(1);
            t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
            t.absorb(tally);
            return Some(serial);
        }
        let ok = x.status.is_none_or(|s| s.ok);
        let go_ahead = match (open.state, open.expect, x.role) {
            // While more of the request is to come, the server can only say "go on" or refuse.
            (State::Asking, _, _) => ok,
            (State::Waiting, Expect::GoAhead { .. }, Role::Interim) => true,
            _ => false,
        };
        if let (true, Expect::GoAhead { rest, confirmed }) = (go_ahead, open.expect) {
            open.state = State::Raw {
                rest,
                answered: !confirmed,
            };
            if confirmed {
                open.interim(tally);
            } else {
                open.answer(x, tally);
                if open.transaction.raw_end.is_some() {
                    self.done(at, message.serial, world, events);
                }
            }
            return Some(serial);
        }
        if go_ahead || x.role == Role::Interim {
            open.interim(tally);
            if open.may_wait && x.role == Role::Interim && open.transaction.kind != Kind::Wait {
                open.transaction.kind = Kind::Wait;
                open.deadline = Timestamp::from_nanos(i64::MAX);
                if std::mem::take(&mut open.counted) {
                    // What waits by design does not make the client busy.
                    let began = open.transaction.request.map(|r| r.first.at);
                    events(Event::Ends(
                        open.transaction.client,
                        began.unwrap_or(tally.extent.last.at),
                    ));
                }
            }
            return Some(serial);
        }
        if let Parts::Masked { mask, .. } = x.parts
            && (mask & open.mask != open.mask
                || open.transaction.data_bytes < open.transaction.asked_bytes)
        {
            // The server names what it got; the rest will be sent again.
            open.interim(tally);
            open.state = State::Asking;
            return Some(serial);
        }
        open.read(message, x, world);
        open.answer(x, tally);
        if open.answered_whole(x) {
            self.done(at, message.serial, world, events);
        }
        Some(serial)
    }

    /// Raw data, if some is expected from this side.
    fn headerless(
        &mut self,
        side: usize,
        message: &Message<'_>,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        let at = self.open.iter().position(|o| match o.state {
            State::Raw { .. } => o.side == side,
            State::Waiting => match o.expect {
                Expect::Headerless => o.side != side,
                // Some clients do not wait to be told to go ahead.
                Expect::GoAhead { rest, .. } => o.side == side && message.input.length == rest,
                _ => false,
            },
            _ => false,
        })?;
        // A message with a header is taken for what it says, unless its very length says
        // that it is the data: data may begin with anything.
        let recognised = message.exchange.as_ref().is_some_and(|x| match x.role {
            Role::Response => self.find(side, x).is_some_and(|found| found != at),
            // Data of a file that looks like a message comes from the wrong side.
            Role::Request | Role::Notice | Role::Cancel => {
                (x.sender == Side::Client) == (self.open[at].side == side)
            }
            Role::More | Role::Interim => false,
        });
        let upkeep = message.exchange.is_none() && message.dissector.is_some();
        let length = message.input.length;
        let open = &mut self.open[at];
        let state = match (open.state, open.expect) {
            (State::Waiting, Expect::GoAhead { rest, .. }) => State::Raw {
                rest,
                answered: false,
            },
            (state, _) => state,
        };
        match state {
            State::Raw { rest, answered } => {
                if (recognised || upkeep) && length != rest {
                    return None;
                }
                let t = &mut open.transaction;
                t.frames.request = t.frames.request.saturating_add(message.tally.frames);
                t.flags.set(Flags::RAW);
                t.absorb(&message.tally);
                t.request_bytes += message.tally.bytes;
                t.data_bytes = t.data_bytes.max(u64::from(length));
                let serial = open.serial;
                if answered {
                    t.raw_end = Some(message.tally.extent.last);
                    self.done(at, message.serial, world, events);
                } else {
                    if let Expect::GoAhead { confirmed, .. } = open.expect {
                        // Before the go-ahead, or between it and the confirmation.
                        open.expect = if confirmed || open.state != State::Waiting {
                            Expect::Response
                        } else {
                            t.raw_end = Some(message.tally.extent.last);
                            open.expect
                        };
                    }
                    if t.raw_end.is_none()
                        && let Some(request) = &mut t.request
                    {
                        request.widen(message.tally.extent);
                    }
                    self.asked_whole(serial, true, world, events);
                }
                Some(serial)
            }
            _ => {
                if recognised || upkeep {
                    return None;
                }
                open.transaction.flags.set(Flags::RAW);
                open.transaction.data_bytes += u64::from(length);
                open.respond(&message.tally);
                let serial = open.serial;
                self.done(at, message.serial, world, events);
                Some(serial)
            }
        }
    }

    /// The message answers a request of the other side besides what it is itself.
    #[expect(
        clippy::too_many_arguments,
        reason = "one more than a message's usual company"
    )]
    fn answers(
        &mut self,
        side: usize,
        id: Id,
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) -> Option<u64> {
        let at = self
            .open
            .iter()
            .position(|o| o.side != side && o.id == Some(id) && o.state == State::Waiting)?;
        let own_share = x.role == Role::Notice;
        let open = &mut self.open[at];
        let mut tally = message.tally;
        // The share goes to the request that the message is, if it is one.
        tally.share = 0;
        open.respond(&tally);
        let serial = open.serial;
        self.done(at, message.serial, world, events);
        if !own_share {
            // Nobody acknowledges a break besides.
            if let Some(at) = self.open.iter().position(|o| o.serial == serial) {
                self.close(at, None, between, world, events);
            }
            return None;
        }
        Some(serial)
    }

    fn cancel(&mut self, x: &Exchange, message: &Message<'_>) -> Option<u64> {
        let at = self.open.iter().rposition(|o| {
            o.state != State::Done
                && (o.id.is_some() && o.id == x.id
                    || o.alias.is_some() && o.alias == x.alias.or(x.id))
        })?;
        let open = &mut self.open[at];
        open.cancelled = true;
        let t = &mut open.transaction;
        t.frames.control = t.frames.control.saturating_add(message.tally.frames);
        t.absorb(&message.tally);
        Some(open.serial)
    }

    fn orphan(
        &mut self,
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        let mut t = transaction(x, message, between, world);
        t.outcome = Outcome::OrphanResponse;
        t.status = x.status;
        t.response = Some(message.tally.extent);
        t.response_bytes = message.tally.bytes;
        t.frames.response = message.tally.frames;
        t.data_bytes = x.data;
        t.copies = 0;
        if between.mid_capture && !self.asked {
            t.flags.set(Flags::MID_CAPTURE);
        }
        t.flags.set_if(Flags::ONE_SIDED, between.one_sided);
        events(Event::Closed(&t));
    }

    fn done(&mut self, at: usize, message: u64, world: &World<'_>, events: Events<'_>) {
        let previous = self.last_response;
        let open = &mut self.open[at];
        open.state = State::Done;
        let t = &mut open.transaction;
        t.outcome = if open.cancelled && t.status.is_some_and(|s| !s.ok) {
            Outcome::Cancelled
        } else {
            Outcome::Answered
        };
        let Some(response) = t.response else {
            return;
        };
        let (t3, t4) = (response.first.at, response.last.at);
        if let Some(request) = t.request {
            let t2 = request.last.at;
            let turnaround = t3.since(t2);
            let resent = open.resent.filter(|m| m.at <= t3);
            t.turnaround = match resent {
                Some(mark) => {
                    t.flags.set(Flags::AMBIGUOUS);
                    let low = t3.since(mark.at.max(t2)).max(0);
                    Turnaround::Between(low, turnaround)
                }
                None => Turnaround::Exact(turnaround),
            };
            // Parts of one message were sent together, not one after the other.
            let free = previous
                .filter(|(end, serial)| *end <= t3 && *serial != message)
                .map_or(t2, |(end, _)| end.max(t2));
            t.service_ns = Some(t3.since(free));
            t.flags.set_if(Flags::PIPELINED, free > t2);
        }
        if open.epoch != world.epoch {
            t.flags.set(Flags::CLOCK_STEP);
            t.turnaround = Turnaround::None;
            t.service_ns = None;
        }
        // Where no interim answer says that a lock has to wait, its time does.
        let waited = t
            .response_time_ns()
            .is_some_and(|ns| ns > world.settings.wait_ns);
        if open.may_wait && waited && t.kind == Kind::Lock {
            t.kind = Kind::Wait;
            if std::mem::take(&mut open.counted) {
                events(Event::Ends(t.client, t.request.map_or(t4, |r| r.first.at)));
            }
        }
        // Break and wait answers are not the server's work before the next answer.
        if !matches!(t.kind, Kind::Break) {
            let latest = previous.filter(|(end, _)| *end > t4);
            self.last_response = latest.or(Some((t4, message)));
        }
        let linger = if open.lane.is_some() {
            world.settings.timeout_ns
        } else {
            LINGER_NS
        };
        open.deadline = t4.plus(linger);
        self.due = self.due.min(open.deadline);
        if std::mem::take(&mut open.counted) {
            let end = open.transaction.raw_end.map_or(t4, |m| m.at.max(t4));
            events(Event::Ends(open.transaction.client, end));
        }
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
        let mut open = self.open.remove(at);
        let t = &mut open.transaction;
        match open.state {
            State::Done => {}
            State::Raw { answered: true, .. } => {
                // The raw data was not captured, or never sent; the answer stands.
                self.open.insert(at, open);
                self.done(at, u64::MAX, world, events);
                open = self.open.remove(at);
            }
            _ => {
                t.outcome = if open.cancelled {
                    Outcome::Cancelled
                } else {
                    Outcome::Unanswered
                };
                t.response = None;
                t.flags.set_if(Flags::AMBIGUOUS, t.copies > 1);
                t.flags.set_if(Flags::CLOCK_STEP, open.epoch != world.epoch);
                t.flags.set_if(Flags::ONE_SIDED, between.one_sided);
                if open.counted {
                    let limit = t.request.map(|r| r.last.at.plus(world.settings.timeout_ns));
                    let end = match (limit, now) {
                        (Some(limit), Some(now)) => limit.min(now),
                        (Some(limit), None) => limit,
                        (None, now) => now.unwrap_or_default(),
                    };
                    events(Event::Ends(t.client, end));
                }
            }
        }
        events(Event::Closed(&open.transaction));
    }

    /// The open request that this response belongs to.
    fn find(&self, side: usize, x: &Exchange) -> Option<usize> {
        let mut candidates = self.open.iter().enumerate().filter(|(_, o)| o.side != side);
        if x.opaque {
            return candidates
                .find(|(_, o)| o.opaque && o.state == State::Waiting)
                .map(|(at, _)| at);
        }
        let Some(id) = x.id else {
            return candidates
                .find(|(_, o)| {
                    o.id.is_none()
                        && !o.opaque
                        && o.state != State::Done
                        && std::ptr::eq(o.transaction.operation, x.operation)
                })
                .map(|(at, _)| at);
        };
        let latest = |id: Option<Id>, done: bool| {
            self.open.iter().rposition(|o| {
                o.side != side
                    && id.is_some()
                    && (o.id == id || o.alias == id)
                    && (o.state == State::Done) == done
            })
        };
        // One that waits comes before one that has its answer, whatever names it.
        latest(Some(id), false)
            .or_else(|| latest(x.alias, false))
            .or_else(|| latest(Some(id), true))
            .or_else(|| latest(x.alias, true))
    }

    fn is_last_of_lane(&self, at: usize) -> bool {
        let lane = self.open[at].lane;
        lane.is_none() || self.open[at + 1..].iter().all(|o| o.lane != lane)
    }

    fn by_serial(&mut self, serial: u64) -> Option<&mut Open> {
        self.open.iter_mut().rev().find(|o| o.serial == serial)
    }

    fn upkeep(&mut self, tally: &Tally, events: Events<'_>) {
        match self.open.iter_mut().find(|o| o.state != State::Done) {
            Some(open) => {
                let frames = &mut open.transaction.frames;
                frames.control = frames.control.saturating_add(tally.frames);
                open.transaction.share += tally.share;
            }
            None => events(Event::Control(tally.share)),
        }
    }
}

impl Open {
    fn new(
        serial: u64,
        side: usize,
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) -> Self {
        let tally = &message.tally;
        let mut t = transaction(x, message, between, world);
        t.request = Some(tally.extent);
        t.request_bytes = tally.bytes;
        t.frames.request = tally.frames;
        t.asked_bytes = x.asked;
        t.data_bytes = x.data;
        t.file = x.file;
        t.hops = tally.hops;
        t.copies = tally.copies.saturating_add(1);
        Self {
            serial,
            transaction: t,
            state: State::Asking,
            side,
            id: x.id,
            alias: x.alias,
            lane: x.lane,
            expect: x.expect,
            may_wait: x.may_wait,
            opaque: x.opaque,
            cancelled: false,
            got: [0; 2],
            of: [u64::MAX; 2],
            mask: 0,
            resent: tally.resent,
            epoch: world.epoch,
            counted: false,
            deadline: tally.extent.last.at.plus(world.settings.timeout_ns),
        }
    }

    /// Counts parts of the request in; whether it is whole.
    fn asks(&mut self, x: &Exchange) -> bool {
        match x.parts {
            Parts::Whole => true,
            Parts::Counted { .. } => self.counts(x.parts),
            Parts::Masked { mask, last } => {
                self.mask |= mask;
                last
            }
        }
    }

    /// Another message of the same request; whether it is whole now.
    fn more(&mut self, x: &Exchange, tally: &Tally) -> bool {
        let t = &mut self.transaction;
        t.absorb(tally);
        t.request_bytes += tally.bytes;
        let seen = matches!(x.parts, Parts::Masked { mask, .. } if mask & self.mask == mask);
        if seen {
            t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        } else {
            t.frames.request = t.frames.request.saturating_add(tally.frames);
            t.data_bytes += x.data;
            t.asked_bytes = t.asked_bytes.max(x.asked);
        }
        if let Some(request) = &mut t.request {
            request.widen(tally.extent);
        }
        self.asks(x)
    }

    /// The request was sent again.
    fn copy(&mut self, tally: &Tally) -> u64 {
        let t = &mut self.transaction;
        t.copies = t.copies.saturating_add(1);
        t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        t.absorb(tally);
        if matches!(self.state, State::Waiting | State::Asking) {
            self.resent = Some(tally.extent.last);
        }
        self.serial
    }

    fn interim(&mut self, tally: &Tally) {
        let t = &mut self.transaction;
        t.interims = t.interims.saturating_add(1);
        t.first_interim.get_or_insert(tally.extent.first);
        t.frames.interim = t.frames.interim.saturating_add(tally.frames);
        t.absorb(tally);
    }

    /// Reads the response in the light of the request.
    fn read(&mut self, message: &Message<'_>, x: &Exchange, world: &World<'_>) {
        let t = &mut self.transaction;
        let answer = message
            .dissector
            .and_then(|id| world.registry.dissector(id).answer);
        let Some(answer) = answer else {
            return;
        };
        let asked = Asked {
            operation: t.operation,
            code: t.code,
            asked: t.asked_bytes,
            file: t.file,
        };
        let answered = answer(message.input, &asked);
        t.status = answered.status.or(x.status);
        t.data_bytes = t.data_bytes.max(answered.data);
        t.file = t.file.or(answered.file);
    }

    /// A message of the response.
    fn answer(&mut self, x: &Exchange, tally: &Tally) {
        self.respond(tally);
        let t = &mut self.transaction;
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

    fn respond(&mut self, tally: &Tally) {
        let t = &mut self.transaction;
        t.frames.response = t.frames.response.saturating_add(tally.frames);
        t.response_bytes += tally.bytes;
        t.absorb(tally);
        match &mut t.response {
            Some(response) => response.widen(tally.extent),
            None => t.response = Some(tally.extent),
        }
    }

    /// Whether the response is complete with this message.
    fn answered_whole(&mut self, x: &Exchange) -> bool {
        if self.state != State::Answering {
            self.state = State::Answering;
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
            (_, Parts::Masked { .. } | Parts::Whole) => true,
        }
    }

    fn counts(&mut self, parts: Parts) -> bool {
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
    /// Takes in what every message brings, whatever it is.
    fn absorb(&mut self, tally: &Tally) {
        self.share += tally.share;
        self.frames.ack = self.frames.ack.saturating_add(tally.acks);
        self.frames.retransmitted = self
            .frames
            .retransmitted
            .saturating_add(tally.retransmitted);
        self.flags.set(tally.flags);
    }
}

fn transaction(
    x: &Exchange,
    message: &Message<'_>,
    between: &Between,
    world: &World<'_>,
) -> Transaction {
    let tally = &message.tally;
    let protocol = message
        .dissector
        .map_or("", |id| world.registry.dissector(id).name);
    let mut flags = tally.flags;
    flags.set_if(Flags::ENCRYPTED, x.opaque);
    flags.set_if(Flags::BY_ORDER, x.id.is_none() && !x.opaque);
    Transaction {
        protocol,
        carrier: between.carrier,
        client: between.ends[1 - between.server],
        server: between.ends[between.server],
        conversation: between.conversation,
        operation: x.operation,
        code: x.code,
        chain: x.chain,
        kind: kind(x),
        outcome: Outcome::Unanswered,
        status: None,
        request: None,
        response: None,
        raw_end: None,
        turnaround: Turnaround::None,
        service_ns: None,
        interims: 0,
        first_interim: None,
        copies: 1,
        duplicate_responses: 0,
        asked_bytes: 0,
        data_bytes: 0,
        request_bytes: 0,
        response_bytes: 0,
        frames: FrameCounts {
            ack: tally.acks,
            retransmitted: tally.retransmitted,
            ..FrameCounts::default()
        },
        share: tally.share,
        file: x.file,
        hops: tally.hops,
        flags,
    }
}

/// Several operations in one message are of the kind of the last that reads, writes or
/// opens: that is what the client waits for.
fn kind(x: &Exchange) -> Kind {
    let moves = |kind: &Kind| matches!(kind, Kind::Read | Kind::Write | Kind::Open);
    let kinds = x.chain.iter().map(|operation| operation.kind);
    std::iter::once(x.operation.kind)
        .chain(kinds)
        .filter(moves)
        .last()
        .unwrap_or(x.operation.kind)
}
