//! The analyser: frames in, transactions and figures out.

use crate::conversation::{Beginning, Conversation, ConversationKey, Faults};
use crate::duplicates::Duplicates;
use crate::figures::Figures;
use crate::message::{Message, Piece, datagram};
use crate::numbered::{Held, Link, Owner, Turn};
use crate::pairing::{Event, World};
use crate::table::{Place, Table};
use crate::{
    Attribution, CaptureRow, Grade, InterfaceRow, Mark, Outcome, Reason, Settings, Snapshot,
    Transaction, WHOLE_FRAME,
};
use wirewait_wire::{
    Carries, Cast, Depth, DissectorId, Endpoint, Facts, Frame, Key, Next, Numbered, NumberedKind,
    Order, Registry, Role, Side, StopReason, Stream, Timestamp, Walk,
};

/// Silent conversations are looked at this often, in the capture's own time, ns.
const SWEEP_NS: u64 = 10_000_000_000;
/// Interfaces that are counted apart; frames of further ones count with the last.
const INTERFACES: usize = 256;

/// Receives transactions as they are closed.
pub trait Sink {
    /// A transaction is closed: nothing about it will change.
    fn transaction(&mut self, transaction: &Transaction);
}

/// Ignores them.
impl Sink for () {
    fn transaction(&mut self, _: &Transaction) {}
}

/// Keeps them all.
impl Sink for Vec<Transaction> {
    fn transaction(&mut self, transaction: &Transaction) {
        self.push(*transaction);
    }
}

/// What was noticed about the capture itself.
#[derive(Clone, Copy, Debug, Default)]
struct Quality {
    clock_steps: u64,
    snapped: u64,
    truncated: u64,
    malformed: u64,
    unknown_link: u64,
    one_sided: u64,
    mid_capture: u64,
    evicted: u64,
    lost_on_links: u64,
    faults: Faults,
}

/// Turns frames into transactions and figures.
///
/// Memory is bounded by the [`Settings`]: every table gives up what was untouched for
/// longest and counts it. Time is that of the frames.
pub struct Analyzer {
    registry: Registry,
    walk: Walk,
    state: State,
}

/// What conversations report to.
struct Books {
    figures: Figures,
    attribution: Attribution,
    quality: Quality,
    protocols: Vec<u64>,
    /// The frame in which each protocol was counted last.
    protocol_seen: Vec<u64>,
    frames: u64,
    /// Frames of the capture that were left out in between.
    skipped: u64,
    /// Requests that are open now.
    open: usize,
    /// Bytes that are held back now.
    held: usize,
}

struct State {
    settings: Settings,
    conversations: Table<ConversationKey, Conversation>,
    links: Table<ConversationKey, Link>,
    books: Books,
    duplicates: Duplicates,
    interfaces: Vec<InterfaceRow>,
    bytes: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    latest: Timestamp,
    epoch: u32,
    numbered: u64,
    swept: Timestamp,
}

/// A frame on its way to its conversation.
#[derive(Clone, Copy)]
struct Arrival<'a> {
    facts: &'a Facts,
    next: Next,
    carrier: &'static str,
    piece: Piece<'a>,
    /// The message that the frame is, and who reads it.
    message: Option<DissectorId>,
    /// The innermost layer, which tells kinds of conversations apart.
    layer: DissectorId,
}

impl Analyzer {
    /// An analyser for the protocols of `registry`.
    #[must_use]
    pub fn new(registry: Registry, settings: Settings) -> Self {
        let protocols = registry.dissectors().len();
        Self {
            registry,
            walk: Walk::default(),
            state: State {
                settings,
                conversations: Table::new(settings.conversations),
                links: Table::new(settings.conversations),
                books: Books {
                    figures: Figures::new(settings),
                    attribution: Attribution::default(),
                    quality: Quality::default(),
                    protocols: vec![0; protocols],
                    protocol_seen: vec![0; protocols],
                    frames: 0,
                    skipped: 0,
                    open: 0,
                    held: 0,
                },
                duplicates: Duplicates::new(),
                interfaces: Vec::new(),
                bytes: 0,
                first: None,
                last: None,
                latest: Timestamp::from_nanos(i64::MIN),
                epoch: 0,
                numbered: 0,
                swept: Timestamp::from_nanos(i64::MIN),
            },
        }
    }

    /// Takes the next frame in.
    pub fn frame(&mut self, frame: &Frame<'_>, sink: &mut dyn Sink) {
        let Self {
            registry,
            walk,
            state,
        } = self;
        state.books.frames += 1;
        state.bytes = state.bytes.saturating_add(u64::from(frame.wire_len));
        state.clock(frame.at);
        registry.walk(frame, Depth::Handover, walk);
        state.count_interface(frame, walk.facts.cast);
        let identified = walk.packet_start.map(|at| at as usize);
        if state.duplicates.is_copy(frame, identified, &state.settings) {
            state.books.attribution.duplicates += 1;
        } else {
            state.books.count_walk(walk);
            if state.dispatch(frame, walk, registry, sink).is_none() {
                state.books.attribution.other += 1;
            }
        }
        state.sweep(frame.at, registry, sink);
    }

    /// Leaves the next frame of the capture out of everything but the count by which frames
    /// are numbered, so that the others keep the numbers every analyser shows.
    pub fn skip(&mut self) {
        self.state.books.skipped = self.state.books.skipped.saturating_add(1);
    }

    /// Time passes without frames (a silent live segment): closes what has waited too long.
    pub fn advance(&mut self, now: Timestamp, sink: &mut dyn Sink) {
        self.state.latest = self.state.latest.max(now);
        self.state.sweep(now, &self.registry, sink);
    }

    /// The capture is over: closes everything that is open.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.state.finish(&self.registry, sink);
    }

    /// All figures as they stand. What is still open is not in them.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let State {
            books,
            settings,
            interfaces,
            bytes,
            first,
            last,
            numbered,
            ..
        } = &self.state;
        let reasons = books.reasons();
        Snapshot {
            capture: CaptureRow {
                frames: books.frames,
                bytes: *bytes,
                first: *first,
                last: *last,
                grade: reasons.iter().map(|r| r.grade).max().unwrap_or(Grade::Good),
                reasons,
                conversations: *numbered,
                evicted: books.quality.evicted,
            },
            protocols: self
                .registry
                .dissectors()
                .iter()
                .zip(&books.protocols)
                .filter(|(_, n)| **n > 0)
                .map(|(d, n)| (d.name, *n))
                .collect(),
            interfaces: interfaces.clone(),
            servers: books.figures.servers(),
            stations: books.figures.stations(),
            slowest: books.figures.slowest(),
            attribution: books.attribution,
            excluded: books.figures.excluded(),
            settings: *settings,
        }
    }
}

impl State {
    fn clock(&mut self, at: Timestamp) {
        self.first.get_or_insert(at);
        if self.last.is_some_and(|last| at < last) {
            self.epoch = self.epoch.wrapping_add(1);
            self.books.quality.clock_steps += 1;
        }
        self.last = Some(at);
        self.latest = self.latest.max(at);
    }

    fn count_interface(&mut self, frame: &Frame<'_>, cast: Cast) {
        let number = (frame.interface as usize).min(INTERFACES - 1);
        if number >= self.interfaces.len() {
            self.interfaces.resize(number + 1, InterfaceRow::default());
        }
        let row = &mut self.interfaces[number];
        row.frames += 1;
        row.bytes = row.bytes.saturating_add(u64::from(frame.wire_len));
        row.multicast += u64::from(cast == Cast::Multicast);
        row.broadcast += u64::from(cast == Cast::Broadcast);
    }

    /// Hands the frame to its conversation; `None` if it has none that is followed.
    fn dispatch(
        &mut self,
        frame: &Frame<'_>,
        walk: &Walk,
        registry: &Registry,
        sink: &mut dyn Sink,
    ) -> Option<()> {
        let input = match walk.message {
            Some(span) => walk.bytes(frame, span),
            None => walk.payload(frame),
        };
        let arrival = Arrival {
            facts: &walk.facts,
            next: walk.next,
            carrier: walk
                .spans()
                .iter()
                .rev()
                .find_map(|s| registry.dissector(s.dissector).carrier)
                .unwrap_or(""),
            piece: Piece {
                bytes: input.bytes,
                length: input.length,
                mark: Mark {
                    frame: self.books.frames.saturating_add(self.books.skipped),
                    at: frame.at,
                },
                share: (0, input.length),
                hops: walk.facts.hops,
                resent: None,
            },
            message: walk.message.map(|span| span.dissector),
            layer: walk.last()?.dissector,
        };
        match walk.facts.order {
            Order::Stream(segment) => self.stream(&arrival, &segment, registry, sink),
            Order::Numbered(numbered) => {
                self.numbered(&arrival, &numbered, registry, sink);
                Some(())
            }
            Order::None => self.message(&arrival, None, registry, sink).map(|_| ()),
        }
    }

    fn stream(
        &mut self,
        arrival: &Arrival<'_>,
        segment: &Stream,
        registry: &Registry,
        sink: &mut dyn Sink,
    ) -> Option<()> {
        let (claim, framer) = registry.claimed(&arrival.next)?;
        let dissector = registry.dissector(framer);
        dissector.framing?;
        let facts = arrival.facts;
        let (key, side) = ConversationKey::new((facts.from, facts.to), None, framer.0);
        let world = self.world(registry);
        let mut place = self.conversations.find(&key);
        if let Some(old) = place
            && self
                .conversations
                .get_mut(old)
                .is_some_and(|c| c.is_reopened(side, segment))
            && let Some(conversation) = self.conversations.take(old)
        {
            let now = arrival.piece.mark.at;
            self.books.finish(conversation, now, &world, sink);
            place = None;
        }
        let place = match place {
            Some(place) => place,
            None => {
                let beginning = Beginning {
                    number: 0,
                    ends: key.ends(),
                    carrier: dissector.carrier.unwrap_or(arrival.carrier),
                    server: server_side(&key, claim),
                    framer: Some(framer),
                    ordered: true,
                    from_start: segment.syn,
                    anyone: false,
                };
                self.begin(key, beginning, &world, sink)
            }
        };
        let conversation = self.conversations.get_mut(place)?;
        let books = &mut self.books;
        let mut events = |e: Event<'_>| books.event(e, sink);
        conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
        conversation.segment(side, segment, arrival.piece, &world, &mut events);
        Some(())
    }

    /// A frame that is a message of its own, or a message on an ordered link.
    fn message(
        &mut self,
        arrival: &Arrival<'_>,
        link: Option<&Link>,
        registry: &Registry,
        sink: &mut dyn Sink,
    ) -> Option<Owner> {
        let dissector = arrival.message?;
        let world = self.world(registry);
        let mut found = None;
        datagram(arrival.piece, dissector, registry, &mut |mut message| {
            let role = message
                .exchange
                .as_ref()
                .map(|x| (x.role, x.sender, x.anyone));
            let (key, side) = match role {
                // Whoever answers, the question was the client's.
                Some((_, Side::Client, true)) => (asked_by(arrival.facts.from), 0),
                Some((_, _, true)) => (asked_by(arrival.facts.to), 1),
                _ => arrival.key(),
            };
            let opens = matches!(role, Some((Role::Request | Role::Response, ..)));
            let place = match self.conversations.find(&key) {
                Some(place) => place,
                None if !opens && link.is_none() => {
                    self.books.count_unread(&message);
                    return;
                }
                None => {
                    let mut ends = key.ends();
                    if role.is_some_and(|r| r.2) {
                        ends = [arrival.facts.from, arrival.facts.to];
                        if side == 1 {
                            ends.swap(0, 1);
                        }
                    }
                    let beginning = Beginning {
                        number: 0,
                        ends,
                        carrier: arrival.carrier,
                        server: role.is_some_and(|r| r.2).then_some(1),
                        framer: None,
                        ordered: link.is_some(),
                        from_start: link.is_some_and(|l| l.from_start),
                        anyone: role.is_some_and(|r| r.2),
                    };
                    self.begin(key, beginning, &world, sink)
                }
            };
            let Some(conversation) = self.conversations.get_mut(place) else {
                return;
            };
            let books = &mut self.books;
            let mut events = |e: Event<'_>| books.event(e, sink);
            conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
            if let Some((_, Side::Server, true)) = role {
                conversation.answered_by(arrival.facts.from);
            }
            let serial = conversation.message(side, &mut message, &world, &mut events);
            found = Some(Owner {
                place,
                side,
                serial,
            });
        });
        found
    }

    /// A frame of a numbered link.
    fn numbered(
        &mut self,
        arrival: &Arrival<'_>,
        numbered: &Numbered,
        registry: &Registry,
        sink: &mut dyn Sink,
    ) {
        let facts = arrival.facts;
        let (key, side) = ConversationKey::new((facts.from, facts.to), None, u16::MAX);
        let place = match self.links.find(&key) {
            Some(place) => place,
            None => {
                let (place, evicted) = self.links.insert(key, Link::new(numbered.modulus));
                if let Some(mut evicted) = evicted {
                    self.books.quality.evicted += 1;
                    self.flush(&mut evicted, registry, sink);
                }
                place
            }
        };
        // Taken out while its conversations are worked on, and put back.
        let Some(mut link) = self
            .links
            .get_mut(place)
            .map(|l| std::mem::replace(l, Link::new(2)))
        else {
            return;
        };
        let acknowledged = match numbered.expects {
            Some(number) if numbered.kind != NumberedKind::Open => {
                let acknowledged = link.acknowledge(1 - side, number);
                self.release(&mut link, 1 - side, registry, sink);
                acknowledged
            }
            _ => (0, None),
        };
        match numbered.kind {
            NumberedKind::Data => {
                self.data(arrival, numbered.number, side, &mut link, registry, sink)
            }
            NumberedKind::Open => {
                self.flush(&mut link, registry, sink);
                link.open();
                self.upkeep(&link, sink);
            }
            NumberedKind::Ready | NumberedKind::Busy | NumberedKind::Reject => match acknowledged {
                (1.., Some(owner)) => self.credit(owner, sink),
                _ => self.upkeep(&link, sink),
            },
            NumberedKind::Control => self.upkeep(&link, sink),
        }
        if let Some(slot) = self.links.get_mut(place) {
            *slot = link;
        }
    }

    /// A data frame of a numbered link.
    fn data(
        &mut self,
        arrival: &Arrival<'_>,
        number: u16,
        side: usize,
        link: &mut Link,
        registry: &Registry,
        sink: &mut dyn Sink,
    ) {
        match link.turn(side, number) {
            Turn::Next { after_gap } => {
                let owner = self.unit(arrival, after_gap, link, registry, sink);
                link.owned(side, number, owner);
                self.release(link, side, registry, sink);
            }
            Turn::Early => {
                let held = Held {
                    number,
                    facts: *arrival.facts,
                    next: arrival.next,
                    carrier: arrival.carrier,
                    message: arrival.message,
                    layer: arrival.layer,
                    bytes: arrival.piece.bytes.to_vec(),
                    length: arrival.piece.length,
                    mark: arrival.piece.mark,
                    resent: None,
                };
                if link.hold(side, held) {
                    self.books.quality.faults.retransmitted += 1;
                    self.upkeep(link, sink);
                }
                self.release(link, side, registry, sink);
            }
            Turn::Again(owner) => {
                let known = owner.and_then(|o| Some((o, self.conversations.get_mut(o.place)?)));
                match known {
                    Some((owner, conversation)) => {
                        let books = &mut self.books;
                        conversation.repeat_message(
                            owner.side,
                            owner.serial,
                            arrival.piece.mark,
                            &mut |e| books.event(e, sink),
                        );
                    }
                    None => {
                        self.books.quality.faults.retransmitted += 1;
                        self.upkeep(link, sink);
                    }
                }
            }
        }
    }

    /// Works off held frames whose turn has come.
    fn release(&mut self, link: &mut Link, side: usize, registry: &Registry, sink: &mut dyn Sink) {
        while let Some((held, after_gap)) = link.release(side) {
            let arrival = Arrival {
                facts: &held.facts,
                next: held.next,
                carrier: held.carrier,
                piece: Piece {
                    bytes: &held.bytes,
                    length: held.length,
                    mark: held.mark,
                    share: (0, held.length),
                    hops: held.facts.hops,
                    resent: held.resent,
                },
                message: held.message,
                layer: held.layer,
            };
            let owner = self.unit(&arrival, after_gap, link, registry, sink);
            link.owned(side, held.number, owner);
        }
    }

    /// A data frame of a numbered link, in order. Returns the message that it belongs to.
    fn unit(
        &mut self,
        arrival: &Arrival<'_>,
        after_gap: bool,
        link: &mut Link,
        registry: &Registry,
        sink: &mut dyn Sink,
    ) -> Option<Owner> {
        if arrival.message.is_some() {
            let found = self.message(arrival, Some(link), registry, sink);
            link.last = found.map(|f| f.place).or(link.last);
            return found;
        }
        let world = self.world(registry);
        let (key, side) = arrival.key();
        let place = match self.conversations.find(&key) {
            Some(place) => place,
            None => {
                let beginning = Beginning {
                    number: 0,
                    ends: key.ends(),
                    carrier: arrival.carrier,
                    server: None,
                    framer: None,
                    ordered: true,
                    from_start: link.from_start,
                    anyone: false,
                };
                self.begin(key, beginning, &world, sink)
            }
        };
        link.last = Some(place);
        let conversation = self.conversations.get_mut(place)?;
        let books = &mut self.books;
        let mut events = |e: Event<'_>| books.event(e, sink);
        conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
        match arrival.facts.carries {
            Carries::Segment(segment) => {
                let serial = conversation.link_segment(
                    side,
                    arrival.piece,
                    arrival.next,
                    (segment, after_gap),
                    &world,
                    &mut events,
                );
                Some(Owner {
                    place,
                    side,
                    serial,
                })
            }
            Carries::Ack(_) => Some(Owner {
                place,
                side: 1 - side,
                serial: conversation.acknowledge_latest(1 - side, &mut events),
            }),
            Carries::Accepted(n) => {
                conversation.accepted(1 - side, n, &mut events);
                None
            }
            _ => {
                conversation.control(&mut events);
                None
            }
        }
    }

    /// A stand-alone acknowledgement of this message.
    fn credit(&mut self, owner: Owner, sink: &mut dyn Sink) {
        let books = &mut self.books;
        match self.conversations.get_mut(owner.place) {
            Some(conversation) => {
                conversation.acknowledge_message(owner.side, owner.serial, &mut |e| {
                    books.event(e, sink);
                });
            }
            None => books.attribution.control += WHOLE_FRAME,
        }
    }

    /// A frame that keeps a link up.
    fn upkeep(&mut self, link: &Link, sink: &mut dyn Sink) {
        let books = &mut self.books;
        match link.last.and_then(|p| self.conversations.get_mut(p)) {
            Some(conversation) => {
                conversation.control(&mut |e| books.event(e, sink));
            }
            None => books.attribution.control += WHOLE_FRAME,
        }
    }

    fn begin(
        &mut self,
        key: ConversationKey,
        mut beginning: Beginning,
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) -> Place {
        self.numbered += 1;
        beginning.number = self.numbered;
        let conversation = Conversation::new(&beginning);
        let (place, evicted) = self.conversations.insert(key, conversation);
        if let Some(evicted) = evicted {
            self.books.quality.evicted += 1;
            self.books.finish(evicted, self.latest, world, sink);
        }
        place
    }

    fn sweep(&mut self, now: Timestamp, registry: &Registry, sink: &mut dyn Sink) {
        // A stamp far off must not keep the sweeps waiting for it.
        if now.since(self.swept).unsigned_abs() < SWEEP_NS {
            return;
        }
        self.swept = now;
        let world = self.world(registry);
        let books = &mut self.books;
        for conversation in self.conversations.iter_mut() {
            conversation.expire(now, &world, &mut |e| books.event(e, sink));
        }
    }

    fn finish(&mut self, registry: &Registry, sink: &mut dyn Sink) {
        for mut link in self.links.drain() {
            self.flush(&mut link, registry, sink);
        }
        let world = self.world(registry);
        for conversation in self.conversations.drain() {
            self.books.finish(conversation, self.latest, &world, sink);
        }
    }

    /// Works off what a link holds back: it is over, or begins anew.
    fn flush(&mut self, link: &mut Link, registry: &Registry, sink: &mut dyn Sink) {
        for side in [0, 1] {
            while link.holds(side) {
                link.skip(side);
                self.release(link, side, registry, sink);
            }
        }
        self.books.quality.lost_on_links += link.take_lost();
    }

    fn world<'a>(&self, registry: &'a Registry) -> World<'a> {
        World {
            registry,
            settings: self.settings,
            epoch: self.epoch,
            open_full: self.books.open >= self.settings.open_requests,
            held_full: self.books.held >= self.settings.held_bytes,
        }
    }
}

impl Arrival<'_> {
    fn key(&self) -> (ConversationKey, usize) {
        let session = self.facts.session.map(|s| (s.from, s.to));
        ConversationKey::new((self.facts.from, self.facts.to), session, self.layer.0)
    }
}

impl Books {
    fn event(&mut self, event: Event<'_>, sink: &mut dyn Sink) {
        match event {
            Event::Opened => self.open += 1,
            Event::Held(bytes) => self.held = self.held.saturating_add_signed(bytes),
            Event::Begins(client, at) => self.figures.begins(client, at),
            Event::Ends(client, at) => self.figures.ends(client, at),
            Event::Control(share) => self.attribution.control += share,
            Event::Protocol(id) => self.count_protocol(id),
            Event::Closed(transaction) => {
                self.attribution.transactions += transaction.share;
                if transaction.outcome != Outcome::OrphanResponse {
                    self.open = self.open.saturating_sub(1);
                }
                self.figures.closed(transaction);
                sink.transaction(transaction);
            }
        }
    }

    /// A conversation is over.
    fn finish(
        &mut self,
        mut conversation: Conversation,
        now: Timestamp,
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) {
        conversation.finish(now, world, &mut |e| self.event(e, sink));
        self.quality.one_sided += u64::from(conversation.one_sided());
        self.quality.mid_capture += u64::from(conversation.began_before());
        let faults = &mut self.quality.faults;
        faults.gaps += conversation.faults.gaps;
        faults.retransmitted += conversation.faults.retransmitted;
        faults.malformed += conversation.faults.malformed;
    }

    fn count_walk(&mut self, walk: &Walk) {
        for span in walk.spans() {
            self.count_protocol(span.dissector);
        }
        if let Some(message) = walk.message {
            self.count_protocol(message.dissector);
        }
        let quality = &mut self.quality;
        match walk.stop.map(|s| s.reason) {
            Some(StopReason::Snapped) => quality.snapped += 1,
            Some(StopReason::Truncated) => quality.truncated += 1,
            Some(StopReason::Malformed) => quality.malformed += 1,
            None => quality.unknown_link += u64::from(walk.spans().is_empty()),
        }
    }

    fn count_unread(&mut self, message: &Message<'_>) {
        self.quality.faults.malformed += u64::from(message.malformed);
    }

    /// Counts each protocol once for the frame under way.
    fn count_protocol(&mut self, id: DissectorId) {
        let index = usize::from(id.0);
        if let (Some(seen), Some(count)) = (
            self.protocol_seen.get_mut(index),
            self.protocols.get_mut(index),
        ) && *seen != self.frames
        {
            *seen = self.frames;
            *count += 1;
        }
    }

    /// What speaks for and against the capture.
    fn reasons(&self) -> Vec<Reason> {
        let q = &self.quality;
        let known = self.frames.saturating_sub(q.unknown_link);
        [
            (
                "gaps",
                "bytes that were acknowledged but are not in the capture: it lost frames",
                q.faults.gaps.saturating_add(q.lost_on_links),
                Grade::Fair,
            ),
            (
                "one_sided",
                "conversations of which only one direction was captured; not judged",
                q.one_sided,
                Grade::Fair,
            ),
            (
                "clock_steps",
                "times that the clock stepped back from one frame to the next",
                q.clock_steps,
                Grade::Fair,
            ),
            (
                "evicted",
                "conversations or links dropped early because there were too many",
                q.evicted,
                Grade::Fair,
            ),
            (
                "rows_evicted",
                "rows of statistics dropped because there were too many",
                self.figures.rows_evicted(),
                Grade::Fair,
            ),
            (
                "unknown_link",
                "frames of a kind of link that is not understood",
                q.unknown_link,
                if known == 0 { Grade::Poor } else { Grade::Fair },
            ),
            (
                "truncated",
                "frames shorter than their own length fields say",
                q.truncated,
                Grade::Good,
            ),
            (
                "malformed",
                "frames or messages with impossible values",
                q.malformed.saturating_add(q.faults.malformed),
                Grade::Good,
            ),
            (
                "snapped",
                "frames that the capture cut short",
                q.snapped,
                Grade::Good,
            ),
            (
                "mid_capture",
                "conversations that had begun before the capture",
                q.mid_capture,
                Grade::Good,
            ),
            (
                "duplicates",
                "frames that were captured twice; the copies are left out",
                self.attribution.duplicates,
                Grade::Good,
            ),
            (
                "retransmitted",
                "frames that repeated data",
                q.faults.retransmitted,
                Grade::Good,
            ),
        ]
        .into_iter()
        .filter(|(_, _, count, _)| *count > 0)
        .map(|(name, text, count, grade)| Reason {
            name,
            text,
            count,
            grade,
        })
        .collect()
    }
}

/// Conversations of questions that anyone may answer belong to the one who asks.
fn asked_by(client: Endpoint) -> ConversationKey {
    ConversationKey::new((client, Endpoint::default()), None, u16::MAX).0
}

/// The side whose port is the one that was claimed; the server, unless both have it.
fn server_side(key: &ConversationKey, claim: Key) -> Option<usize> {
    let serves = key.ends().map(|end| {
        end.port
            .is_some_and(|port| u32::from(port) == claim.value())
    });
    match serves {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}
