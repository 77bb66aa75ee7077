//! Two ends that exchange messages: their byte streams, the messages under way, the open
//! requests.

mod another;
mod beginning;
mod continuing;
mod copies;
mod ending;
mod filled;
mod recent;
mod stalls;
mod streams;
mod turns;
mod vacant;
mod watching;

pub(crate) use beginning::Beginning;
use recent::{RecentFrames, remember};
pub(crate) use turns::HeardTurn;
pub(crate) use vacant::Vacant;

use crate::account::SURE;
use crate::assembler::Assembler;
use crate::datagrams::Datagrams;
use crate::flow::{ANY_NS, StreamFlow};
use crate::lateness::SenderClock;
use crate::message::Message;
use crate::numbered::LinkGaps;
use crate::pairing::Pairing;
use crate::piece::Piece;
use crate::stalls::MessageStall;
use crate::stream::ByteStream;
use crate::turns::Turns;
use crate::windows::Offers;
use crate::world::{Between, Event, Events, World};
use crate::{Flags, Mark, Notice, Noticed, Transaction, WHOLE_FRAME};
use std::collections::VecDeque;
use wirewait_wire::{DissectorId, Endpoint, Exchange, Id, Next, Segment, Side, Timestamp};

/// What a conversation found wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Bytes or frames that the other side had, and the capture has not.
    pub(crate) gaps: u64,
    /// Frames with nothing new.
    pub(crate) retransmitted: u64,
    /// Messages that could not be read.
    pub(crate) malformed: u64,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEnd {
    /// Both ends closed it.
    Closed,
    /// One of them aborted it: what the other one had sent may still come.
    Aborted,
}

#[derive(Default)]
pub(crate) struct Conversation {
    between: Between,
    server_known: bool,
    seen: [bool; 2],
    streams: Option<Box<[ByteStream; 2]>>,
    /// What is on its way in the streams; of a session on a link, who can take nothing more.
    flow: Option<Box<StreamFlow>>,
    /// An acknowledgement that came late, while its receiver sent nothing more of a message; or data of a sender that had
    /// stopped in one. What comes next shows what it was.
    stall: Option<Box<MessageStall>>,
    /// The clocks of both ends, where their segments have time stamps.
    clocks: Option<Box<[SenderClock; 2]>>,
    /// What each end of the streams can take.
    offers: Option<Box<Offers>>,
    /// What the identifications of datagrams show, where they have some.
    datagrams: Option<Box<Datagrams>>,
    framer: Option<DissectorId>,
    turns: Option<Box<Turns>>,
    assemblers: [Assembler; 2],
    recent: [VecDeque<RecentFrames>; 2],
    pairing: Pairing,
    finished: [bool; 2],
    /// How its connection ended, if it did.
    ended: Option<StreamEnd>,
    /// It goes because of a limit.
    given_up: bool,
    /// That a request was answered in it was said.
    proved: bool,
    /// How often frames of the link below were missing, by side.
    gaps: [u64; 2],
    pub(crate) faults: Faults,
    first_seen: Timestamp,
    last_seen: Timestamp,
    /// The latest step of the clock that was taken into account, by its frame.
    stepped: u64,
}

impl Conversation {
    /// It has to go because of a limit: what is open may be answered, and what is missing may
    /// come.
    pub(crate) fn give_up(&mut self) {
        self.given_up = true;
        self.pairing.doubt();
    }

    /// Some of a link below it was given up because of a limit.
    pub(crate) fn doubt(&mut self) {
        self.pairing.doubt();
    }

    /// Whether a request was answered in it.
    pub(crate) fn has_answered(&self) -> bool {
        self.pairing.has_answered()
    }

    /// Whether a request was answered in it; says so once.
    #[inline]
    pub(crate) fn proves(&mut self) -> bool {
        !self.proved && {
            self.proved = self.pairing.has_answered();
            self.proved
        }
    }

    /// Transactions whose response is complete, and which are not closed yet.
    pub(crate) fn unclosed(&self) -> impl Iterator<Item = &Transaction> {
        self.pairing.unclosed()
    }

    /// Sets the end that responds as the server, whatever address the request went to.
    pub(crate) fn answered_by(&mut self, end: Endpoint) {
        let server = &mut self.between.ends[self.between.server];
        if *server != end {
            self.pairing.readdressed();
        }
        *server = end;
    }

    /// Sets where a question that anyone may answer goes: to one station, or to `everyone`.
    pub(crate) fn asks(&mut self, to: Endpoint, everyone: bool) {
        self.answered_by(to);
        self.between.everyone = everyone;
    }

    /// Whether `side` asked under this identifier, and that is not forgotten.
    pub(crate) fn was_asked(&self, side: usize, id: Option<Id>) -> bool {
        self.pairing.was_asked(side, id)
    }

    /// Whether it can be told that it began before the capture.
    pub(crate) fn began_before(&self) -> bool {
        self.between.mid_capture && !self.between.unordered
    }

    /// Client and server.
    pub(crate) fn parties(&self) -> (Endpoint, Endpoint) {
        let ends = self.between.ends;
        (ends[1 - self.between.server], ends[self.between.server])
    }

    /// Between whom it was, over what, and from when to when.
    pub(crate) fn sighted(&self) -> Option<([Endpoint; 2], &'static str, (Timestamp, Timestamp))> {
        let span = (self.first_seen, self.last_seen);
        (span.0 <= span.1).then_some((self.between.ends, self.between.carrier, span))
    }

    /// Only one direction was captured of what goes both ways: not of a station that asks whether
    /// another is there, and is not heard.
    pub(crate) fn one_sided(&self) -> bool {
        self.between.one_sided && !self.pairing.only_probed()
    }

    /// A frame from `side` came by.
    // Part of what every frame goes through.
    #[inline(always)]
    pub(crate) fn touch(
        &mut self,
        side: usize,
        now: Timestamp,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        self.heard(side);
        self.between.displaced = false;
        if now < self.last_seen {
            self.behind(now, world, events);
        }
        self.first_seen = self.first_seen.min(now);
        self.last_seen = self.last_seen.max(now);
        // A single stamp may be wrong, and must not end what others wait for.
        let now = if self.between.turns {
            now
        } else {
            now.min(world.sure)
        };
        self.fall_due(now, world, events);
    }

    fn heard(&mut self, side: usize) {
        self.seen[side] = true;
        self.between.one_sided = !(self.seen[0] && self.seen[1]);
    }

    /// What `side` answered is not in the capture, whatever was asked.
    pub(crate) fn answer_lost(
        &mut self,
        side: usize,
        now: Timestamp,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let lost = (u64::MAX, Flags::CAPTURE_LOSS);
        let between = &self.between;
        self.pairing.missed(side, lost, now, between, world, events);
    }

    /// A segment of a message on an ordered link. Returns the number of the message.
    pub(crate) fn link_segment(
        &mut self,
        side: usize,
        piece: &Piece<'_>,
        next: Next,
        (segment, gaps): (Segment, LinkGaps),
        world: &World<'_>,
        events: &mut impl Events,
    ) -> u64 {
        if self.stall.is_some() {
            self.goes_on_in_link(side, piece.mark, events);
        }
        if segment.resync && !self.assemblers[side].is_under_way() {
            // The rest of a message that was seen whole before, sent again.
            let serial = self.assemblers[side].serial();
            self.repeat_message(side, serial, piece.mark, events);
            return serial;
        }
        let before = std::mem::replace(&mut self.gaps[side], gaps.count);
        let after_gap = (before != gaps.count).then_some(gaps.why);
        if after_gap.is_some() {
            self.pairing.awaits(side);
            self.pairing.lacks_requests(side, gaps.why, &self.between);
        }
        let Self {
            between,
            server_known,
            assemblers,
            recent,
            pairing,
            faults,
            ..
        } = self;
        let mut serial = 0;
        assemblers[side].in_room(&world.rooms, |assembler| {
            assembler.segment(
                piece,
                next,
                (segment.last, after_gap),
                &world.registry,
                &mut |message| {
                    learn(between, server_known, side, message.exchange.as_deref());
                    faults.malformed += u64::from(message.malformed);
                    if let Some(id) = message.dissector {
                        events.tell(Event::Protocol(id));
                    }
                    serial = message.serial;
                    let transaction = pairing.message(side, &message, between, world, events);
                    remember(&mut recent[side], &message, transaction, pairing);
                    if world.observed {
                        pairing.tell(&message, None, events);
                    }
                },
            );
        });
        if let Some(so_far) = assemblers[side].so_far(&world.registry) {
            events.tell(Event::Assembled(&so_far));
        }
        let loose = assemblers[side].take_loose();
        if loose > 0 {
            events.tell(Event::Control(loose));
        }
        if serial == 0 {
            serial = assemblers[side].serial();
        }
        serial
    }

    /// The datagram that comes next is a packet with this identification. Of a conversation in which nobody
    /// answers, nothing is kept.
    #[inline(never)]
    pub(crate) fn datagram(&mut self, side: usize, id: Option<u16>, piece: &Piece<'_>) {
        if self.datagrams.is_none() && !self.has_answered() {
            return;
        }
        let datagrams = self.datagrams.get_or_insert_default();
        if let Some(lost) = datagrams.came(side, (id, piece.length), piece.mark) {
            self.between.lost[side] = lost;
        }
        self.between.unsure = SURE;
    }

    #[inline(never)]
    fn datagram_is_of(&mut self, side: usize, transaction: Option<u64>) {
        if let (Some(datagrams), Some(transaction)) = (&mut self.datagrams, transaction) {
            datagrams.is_of(side, transaction);
        }
    }

    /// This frame of `side` brings what was lost before the capture, so long ago at least.
    #[cold]
    pub(crate) fn was_lost_before(&mut self, side: usize, mark: Mark, (ns, more): (i64, bool)) {
        let more = if more { ANY_NS } else { 0 };
        self.was_sent_before(side);
        self.between.was_lost_before(side, mark, (ns, more));
    }

    /// This frame of `side` was missing so long, ns, while later ones were there.
    #[cold]
    pub(crate) fn was_missing(&mut self, side: usize, mark: Mark, late_ns: i64) {
        self.between.was_missing(side, mark, late_ns);
    }

    /// Whether the message under way from `side` goes on at this byte.
    pub(crate) fn goes_on(&self, side: usize, position: u32) -> bool {
        self.assemblers[side].goes_on(position.into())
    }

    /// A message that stands for itself. Returns its number on this side.
    pub(crate) fn message(
        &mut self,
        side: usize,
        message: &mut Message<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> u64 {
        learn(
            &mut self.between,
            &mut self.server_known,
            side,
            message.exchange.as_deref(),
        );
        self.faults.malformed += u64::from(message.malformed);
        message.serial = self.assemblers[side].number_one();
        let transaction = self
            .pairing
            .message(side, message, &self.between, world, events);
        if !self.between.unordered {
            remember(&mut self.recent[side], message, transaction, &self.pairing);
        } else if self.datagrams.is_some() {
            self.datagram_is_of(side, transaction);
        }
        if world.observed {
            self.pairing.tell(message, None, events);
        }
        message.serial
    }

    /// Frames of the link below wait for others; up to where those of the other side came.
    pub(crate) fn held_back(&mut self, seen_to: Option<u64>) {
        self.between.held_back = seen_to.is_some();
        self.between.seen_to = seen_to.unwrap_or(u64::MAX);
    }

    /// A frame of upkeep.
    pub(crate) fn control(&mut self, events: &mut impl Events) {
        self.pairing.control(WHOLE_FRAME, events);
    }

    /// The receiver accepted `n` bytes of the message under way from `side`; `more` says whether it
    /// can take more.
    pub(crate) fn accepted(
        &mut self,
        side: usize,
        (n, more): (u32, bool),
        mark: Mark,
        events: &mut impl Events,
    ) {
        let rest = self.assemblers[side].accepted(n.into());
        if !more || rest > 0 {
            self.notice(1 - side, mark, (Noticed::Rejected, rest), events);
        }
        let flow = self
            .flow
            .get_or_insert_with(|| Box::new(StreamFlow::new(2)));
        if let Some(what) = flow.ready(1 - side, more, mark) {
            self.opens_window(1 - side, &what, mark, events);
            self.notice(1 - side, mark, (what, 0), events);
        }
        self.pairing.control(WHOLE_FRAME, events);
    }

    /// Its number, and what carries it.
    pub(crate) fn named(&self) -> (u64, &'static str) {
        (self.between.conversation, self.between.carrier)
    }

    /// Tells what `side` did, and of how many bytes.
    pub(crate) fn notice(
        &self,
        side: usize,
        mark: Mark,
        (what, bytes): (Noticed, u64),
        events: &mut impl Events,
    ) {
        events.tell(Event::Notice(&Notice {
            mark,
            from: self.between.ends[side],
            to: self.between.ends[1 - side],
            carrier: self.between.carrier,
            conversation: Some(self.between.conversation),
            bytes,
            what,
        }));
    }
}

/// Learns from a message who serves.
fn learn(between: &mut Between, server_known: &mut bool, side: usize, exchange: Option<&Exchange>) {
    let server = match exchange.map(|x| x.sender) {
        Some(Side::Client) => 1 - side,
        Some(Side::Server) => side,
        _ => return,
    };
    if !*server_known {
        between.server = server;
        *server_known = true;
    }
}
