//! One open request: what it is waiting for, and what has come of it.

use super::ranges::Ranges;
use super::waits::Waiting;
use crate::message::Message;
use crate::names::Told;
use crate::parties::Parties;
use crate::piece::PieceTally;
use crate::world::{Between, Case, World};
use crate::{Deed, Extent, Flags, FrameCounts, Mark, Outcome, Transaction, Turnaround};
use std::ops::{Deref, DerefMut};
use wirewait_wire::{
    Asked, Chain, Exchange, Expect, Id, Kind, Operation, Parts, Status, Timestamp,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenState {
    /// More of the request is to come.
    Asking,
    /// The request is complete.
    Waiting,
    /// `rest` bytes without header are to come from the client.
    Raw { rest: u32, answered: bool },
    /// More of the response is to come.
    Answering,
    /// The response is complete.
    Done,
}

/// What an answer brought.
pub(super) struct Shelved {
    pub(super) response: Extent,
    pub(super) outcome: Outcome,
    pub(super) status: Option<Status>,
    pub(super) turnaround: Turnaround,
    pub(super) service_ns: Option<i64>,
    pub(super) data_bytes: u64,
    pub(super) response_bytes: u64,
    pub(super) frames: u32,
}

pub(crate) struct Open {
    pub(super) serial: u64,
    pub(super) transaction: Transaction,
    /// Whom it concerns; not known while that may have changed.
    pub(super) parties: Parties,
    pub(super) state: OpenState,
    /// The request was sent by this side.
    pub(super) side: usize,
    pub(super) id: Option<Id>,
    pub(super) alias: Option<Id>,
    pub(super) lane: Option<Id>,
    /// Where its response repeats it.
    pub(super) command: Option<u8>,
    /// Behind its first message, among all that its sender sent; and how far he had then what the
    /// other side sent.
    pub(super) asked_to: u64,
    pub(super) had: u64,
    /// The answer may be among what is missing: how often data of its own side was missing then.
    pub(super) awaited: Option<u64>,
    /// The server said that it goes on: how often data of its own side was missing then.
    pub(super) goes_on: Option<u64>,
    /// The client's number of it, where that tells a repetition.
    pub(super) number: Option<u16>,
    pub(super) expect: Expect,
    pub(super) may_wait: bool,
    pub(super) opaque: bool,
    pub(super) cancelled: bool,
    /// What the request named itself.
    pub(super) told: Told,
    /// What was got and what is to be got, of request or response.
    pub(super) got: [u64; 2],
    pub(super) of: [u64; 2],
    pub(super) mask: u32,
    /// What was seen of the request and of the response, where their parts are ranges.
    pub(super) asked: Ranges,
    pub(super) answered: Ranges,
    /// End of the last copy of the request that came before the response.
    pub(super) resent: Option<Mark>,
    /// The other side has said that request and response arrived before they were repeated.
    pub(super) arrived: [bool; 2],
    /// Since when it is known that its last copy was not delivered.
    pub(super) refused: Option<Timestamp>,
    /// When the response was repeated last. Whether it had been lost shows until it is closed.
    pub(super) repeated_at: Option<Timestamp>,
    /// The server has said that the answer will come, however long it takes.
    pub(super) promised: bool,
    /// Time lost in the request and in the response, ns.
    pub(super) lost_ns: [i64; 2],
    /// The least time until the response, lost before the capture, was retransmitted, ns.
    pub(super) recovered_ns: i64,
    /// The request, or the response, may have been lost before the capture: nothing shows it.
    pub(super) unsure: [bool; 2],
    /// Until when the answer was still being sent, or asked for, again after it was complete.
    pub(super) lost_until: Option<Timestamp>,
    /// What the figures were told.
    pub(super) waiting: Waiting,
    /// Any station may answer.
    pub(super) anyone: bool,
    /// Neither request nor response says what it is.
    pub(super) by_turn: bool,
    /// What was seen last of it came in several frames.
    pub(super) grown: bool,
    /// Another command came under its identifier.
    pub(super) overtaken: bool,
    /// When the next request of its side was seen.
    pub(super) followed: Option<Timestamp>,
    /// It is kept until the next request comes.
    pub(super) lingers: bool,
    /// An answer that does not seem to have arrived.
    pub(super) shelved: Option<Box<Shelved>>,
    pub(super) deadline: Timestamp,
    /// Under which deadline it can be found.
    pub(super) listed: Timestamp,
    /// What the message at hand did.
    pub(super) deed: Deed,
}

/// An open request that stays where it is, whatever comes and goes before it.
pub(crate) struct HeldRequest(Box<Open>);

impl HeldRequest {
    #[cold]
    fn new() -> Self {
        Self(Box::new(Open::of(Transaction::default())))
    }
}

impl Deref for HeldRequest {
    type Target = Open;

    fn deref(&self) -> &Open {
        &self.0
    }
}

impl DerefMut for HeldRequest {
    fn deref_mut(&mut self) -> &mut Open {
        &mut self.0
    }
}

/// Requests that are over, in whose place the next ones are put: they are large, and nothing is
/// to be allocated while as many begin as end.
#[derive(Default)]
pub(crate) struct Spare(Vec<HeldRequest>);

impl Spare {
    /// Kept at most.
    const MOST: usize = 64;

    /// Room for the next one, which is to [begin](Open::begin).
    #[inline]
    pub(super) fn next(&mut self) -> HeldRequest {
        self.0.pop().unwrap_or_else(HeldRequest::new)
    }

    pub(super) fn keep(&mut self, over: HeldRequest) {
        if self.0.len() < Self::MOST {
            self.0.push(over);
        }
    }
}

impl Open {
    fn of(transaction: Transaction) -> Self {
        Self {
            serial: 0,
            transaction,
            parties: Parties::UNKNOWN,
            state: OpenState::Asking,
            side: 0,
            id: None,
            alias: None,
            lane: None,
            command: None,
            asked_to: 0,
            had: u64::MAX,
            awaited: None,
            goes_on: None,
            number: None,
            expect: Expect::Response,
            may_wait: false,
            opaque: false,
            cancelled: false,
            told: Told::default(),
            got: [0; 2],
            of: [u64::MAX; 2],
            mask: 0,
            asked: Ranges::default(),
            answered: Ranges::default(),
            resent: None,
            arrived: [false; 2],
            refused: None,
            repeated_at: None,
            promised: false,
            lost_ns: [0; 2],
            recovered_ns: 0,
            unsure: [false; 2],
            lost_until: None,
            waiting: Waiting::Nobody,
            anyone: false,
            by_turn: false,
            grown: false,
            overtaken: false,
            followed: None,
            lingers: false,
            shelved: None,
            deadline: Timestamp::from_nanos(0),
            listed: Timestamp::from_nanos(0),
            deed: Deed::Request,
        }
    }

    /// Whether a message with its identifier is not about it: it is about another command. While
    /// bytes without a header are to come, nothing else is under way (MS-CIFS 2.2.4.22).
    #[inline]
    pub(super) fn is_told_apart(&self, x: &Exchange) -> bool {
        let raw = matches!(self.expect, Expect::Headerless | Expect::GoAhead { .. });
        let apart = matches!((self.command, x.command), (Some(own), Some(other)) if own != other);
        apart && !raw
    }

    /// Of a request that was seen just now, in the place of whatever was open here before.
    pub(super) fn begin(
        &mut self,
        (number, side_of): (u64, usize),
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) {
        let tally = &message.tally;
        begins(&mut self.transaction, x, message, between, world);
        // All of it, so that nothing is left of the one before; one by one, so that it is
        // written where it stays.
        let Self {
            serial,
            transaction: t,
            parties: _,
            state,
            side,
            id,
            alias,
            lane,
            command,
            asked_to,
            had,
            awaited,
            goes_on,
            number: sent_as,
            expect,
            may_wait,
            opaque,
            cancelled,
            told,
            got,
            of,
            mask,
            asked,
            answered,
            resent,
            arrived,
            refused,
            repeated_at,
            promised,
            lost_ns,
            recovered_ns,
            unsure,
            lost_until,
            waiting,
            anyone,
            by_turn,
            grown,
            overtaken,
            followed,
            lingers,
            shelved,
            deadline,
            listed: _,
            deed,
        } = self;
        t.request = Some(tally.extent);
        t.request_bytes = tally.bytes;
        t.frames.request = tally.frames;
        t.asked_bytes = x.asked;
        t.data_bytes = x.data;
        t.copies = tally.copies.saturating_add(1);
        *serial = number;
        *state = OpenState::Asking;
        *side = side_of;
        *id = x.id;
        *alias = x.alias;
        *lane = x.lane;
        *command = x.command;
        (*asked_to, *had) = (tally.sent.behind, tally.sent.covers);
        (*awaited, *goes_on) = (None, None);
        *sent_as = x.number.filter(|_| between.unordered);
        *expect = x.expect;
        (*may_wait, *opaque, *cancelled) = (x.may_wait, x.opaque, false);
        *told = Told::default();
        (*got, *of, *mask) = ([0; 2], [u64::MAX; 2], 0);
        (*asked, *answered) = (Ranges::default(), Ranges::default());
        *resent = tally.resent;
        *refused = None;
        (*arrived, *repeated_at) = ([false; 2], None);
        *promised = false;
        *lost_ns = [tally.lost_ns, 0];
        *recovered_ns = 0;
        // Where nothing numbers messages; a response that was lost is asked for again, which shows it.
        *unsure = [between.unordered, false];
        *lost_until = None;
        *waiting = Waiting::Nobody;
        *anyone = x.anyone;
        *by_turn = false;
        *grown = tally.frames > 1;
        *overtaken = false;
        *followed = None;
        *lingers = x.lane.is_some() || between.turns;
        *shelved = None;
        *deadline = tally.extent.last.at.plus(world.settings.timeout_ns);
        *deed = Deed::Request;
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
        let t = &mut self.transaction;
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
            t.data_bytes += x.data;
            t.asked_bytes = t.asked_bytes.max(x.asked);
        }
        if let Some(request) = &mut t.request {
            request.widen(tally.extent);
        }
        self.asks(x)
    }

    /// Counts a retransmission of the request.
    pub(super) fn copy(&mut self, tally: &PieceTally) -> u64 {
        let t = &mut self.transaction;
        t.copies = t.copies.saturating_add(1);
        t.frames.retransmitted = t.frames.retransmitted.saturating_add(tally.frames);
        t.absorb(tally);
        self.deed = Deed::Retransmitted;
        if matches!(self.state, OpenState::Waiting | OpenState::Asking) {
            self.resent = Some(tally.extent.last);
        }
        self.serial
    }

    pub(super) fn interim(&mut self, tally: &PieceTally) {
        let t = &mut self.transaction;
        t.interims = t.interims.saturating_add(1);
        t.interim_bytes = t.interim_bytes.saturating_add(tally.bytes);
        t.first_interim.get_or_insert(tally.extent.first);
        t.frames.interim = t.frames.interim.saturating_add(tally.frames);
        t.absorb(tally);
        self.deed = Deed::Interim;
    }

    /// Reads the response in the light of the request.
    pub(super) fn read(&mut self, message: &Message<'_>, x: &Exchange, world: &World<'_>) {
        let asked = self.question();
        let t = &mut self.transaction;
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
        let t = &self.transaction;
        Asked {
            operation: t.operation,
            code: t.code,
            asked: t.asked_bytes,
            file: t.file,
        }
    }

    /// A message of the response.
    pub(super) fn answer(&mut self, x: &Exchange, tally: &PieceTally) {
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

    pub(super) fn respond(&mut self, tally: &PieceTally) {
        self.grown = tally.frames > 1;
        let t = &mut self.transaction;
        self.deed = Deed::Response;
        self.lost_ns[1] = self.lost_ns[1].saturating_add(tally.lost_ns);
        t.frames.response = t.frames.response.saturating_add(tally.frames);
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
        let t = &mut self.transaction;
        if t.clock_stepped(&world.steps.borrow()) {
            t.flags.set(Flags::CLOCK_STEP);
            t.turnaround = Turnaround::None;
            t.service_ns = None;
        }
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
    /// The class of work of what was asked for, also where it waits by design.
    #[must_use]
    pub fn work(&self) -> Kind {
        match self.kind {
            Kind::Wait => kind_of(self.operation, &self.chain),
            kind => kind,
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

/// The transaction that a message begins.
pub(super) fn transaction(
    x: &Exchange,
    message: &Message<'_>,
    between: &Between,
    world: &World<'_>,
) -> Transaction {
    let mut t = Transaction::default();
    begins(&mut t, x, message, between, world);
    t
}

/// Makes it the transaction that a message begins, whatever it was: field by field, so that it
/// is written where it stays.
fn begins(
    t: &mut Transaction,
    x: &Exchange,
    message: &Message<'_>,
    between: &Between,
    world: &World<'_>,
) {
    let tally = &message.tally;
    let Transaction {
        number,
        protocol,
        carrier,
        client,
        server,
        conversation,
        operation,
        code,
        chain,
        kind,
        outcome,
        status,
        request,
        response,
        raw_end,
        turnaround,
        service_ns,
        interims,
        interim_bytes,
        first_interim,
        copies,
        duplicate_responses,
        asked_bytes,
        data_bytes,
        request_bytes,
        response_bytes,
        response_head_bytes,
        frames,
        share,
        file,
        place,
        effects,
        buffer,
        hops,
        flags,
    } = t;
    let dissector = message.dissector;
    *number = 0;
    *protocol = dissector.map_or("", |id| world.registry.dissector(id).name);
    *carrier = between.carrier;
    *client = between.ends[1 - between.server];
    *server = between.ends[between.server];
    *conversation = between.conversation;
    *operation = x.operation;
    *code = x.code;
    *chain = x.chain;
    *kind = kind_of(x.operation, &x.chain);
    *outcome = Outcome::Unanswered;
    *status = None;
    (*request, *response, *raw_end) = (None, None, None);
    (*turnaround, *service_ns) = (Turnaround::None, None);
    (*interims, *interim_bytes, *first_interim) = (0, 0, None);
    (*copies, *duplicate_responses) = (1, 0);
    (*asked_bytes, *data_bytes) = (0, 0);
    (*request_bytes, *response_bytes, *response_head_bytes) = (0, 0, 0);
    *frames = FrameCounts {
        ack: tally.acks,
        retransmitted: tally.retransmitted,
        ..FrameCounts::default()
    };
    *share = tally.share;
    *file = x.file;
    *place = None;
    *effects = x.effects;
    *buffer = None;
    *hops = tally.hops;
    *flags = tally.flags;
    flags.set_if(Flags::ENCRYPTED, x.opaque);
    flags.set_if(Flags::BY_ORDER, x.id.is_none() && !x.opaque);
}

/// Several operations in one message are of the kind of the last that reads, writes or
/// opens: that is what the client waits for.
pub(super) fn kind_of(operation: &Operation, chain: &Chain) -> Kind {
    let moves = |kind: &Kind| matches!(kind, Kind::Read | Kind::Write | Kind::Open);
    let kinds = chain.iter().map(|operation| operation.kind);
    std::iter::once(operation.kind)
        .chain(kinds)
        .filter(moves)
        .last()
        .unwrap_or(operation.kind)
}
