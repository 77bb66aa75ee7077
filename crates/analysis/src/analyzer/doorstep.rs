//! Requests of strangers, while strangers crowd the conversations.
//!
//! A flood opens a conversation with each frame, and none of them is ever answered. So while
//! [nobody finds room](Table::is_flooded) but in the place of another, one segment of an unknown
//! client is no conversation yet: what it says is kept, some two hundred bytes, and looked at no
//! further. With the second segment between the two, from either, the conversation begins, and
//! the first is the first that it takes in. Who is pushed out by others before that has its
//! request given up, as it would have been with its conversation.
//!
//! This is the idea of SYN cookies (RFC 4987, section 3.6): nothing dear for who may never be
//! heard of again.

use super::{AnalyzerState, Arrival};
use crate::Sink;
use crate::books::{Books, Reporter};
use crate::conversation::{Beginning, Conversation};
use crate::key::ConversationKey;
use crate::message::framed;
use crate::pairing::Pairing;
use crate::path::Path;
use crate::piece::Piece;
use crate::table::{Table, TablePlace};
use crate::world::{Between, Event, Events, Shared, World};
use wirewait_wire::word::Name;
use wirewait_wire::{DissectorId, Expect, Parts, Role, Side, Stream, Timestamp};

/// Bytes of a request that are kept. A longer one begins its conversation at once.
const REQUEST_BYTES: usize = 192;

/// Those who wait to be let in.
pub(super) struct Doorstep {
    calls: Table<ConversationKey, Box<Call>>,
    /// The room of one that waits no longer, for the next.
    room: Option<Box<Call>>,
}

/// A segment of somebody unknown.
struct Call {
    head: Head,
    captured: usize,
    bytes: [u8; REQUEST_BYTES],
}

/// All of it but what it carries.
#[derive(Clone, Copy)]
struct Head {
    key: ConversationKey,
    /// Which side of the conversation sent it.
    side: usize,
    /// The number that the conversation has.
    number: u64,
    carrier: Name,
    framer: DissectorId,
    segment: Stream,
    /// Without its bytes.
    piece: Piece<'static>,
}

impl Doorstep {
    /// Half as many wait as may have conversations.
    pub(super) fn new(conversations: usize) -> Self {
        Self {
            calls: Table::new(conversations / 2),
            room: None,
        }
    }

    /// Lets one wait that carries no more than is kept of it; gives who had to go for it.
    fn wait(&mut self, head: Head, bytes: &[u8]) -> Option<Box<Call>> {
        let mut call = match self.room.take() {
            Some(mut call) => {
                call.head = head;
                call
            }
            None => Box::new(Call {
                head,
                captured: 0,
                bytes: [0; REQUEST_BYTES],
            }),
        };
        call.captured = bytes.len().min(REQUEST_BYTES);
        call.bytes[..call.captured].copy_from_slice(&bytes[..call.captured]);
        self.calls.insert(head.key, call).1
    }
}

impl Call {
    fn piece(&self) -> Piece<'_> {
        Piece {
            bytes: &self.bytes[..self.captured],
            ..self.head.piece
        }
    }

    fn beginning(&self) -> Beginning {
        let head = &self.head;
        Beginning {
            number: head.number,
            ends: head.key.ends(),
            carrier: head.carrier,
            server: Some(1 - head.side),
            framer: Some(head.framer),
            ordered: true,
            // Others had to go before anybody waited.
            rest: true,
            ..Beginning::default()
        }
    }

    /// Its conversation, which has begun, takes the segment in.
    fn speaks(
        &self,
        conversation: &mut Conversation,
        world: &World<'_>,
        books: &mut Books,
        sink: &mut dyn Sink,
    ) {
        let (head, mut piece, nowhere) = (&self.head, self.piece(), Path::default());
        let mut events = Reporter::new(books, &nowhere, sink);
        conversation.touch(head.side, piece.mark.at, world, &mut events);
        let another =
            conversation.segment(head.side, &head.segment, &mut piece, world, &mut events);
        debug_assert!(!another, "it takes any number for its first");
    }
}

impl AnalyzerState {
    /// Lets a segment wait that would begin a conversation, if it is the request of a stranger
    /// and such crowd the conversations; gives the number of the conversation then.
    pub(super) fn waits_outside(
        &mut self,
        key: &ConversationKey,
        (side, server): (usize, Option<usize>),
        (framer, carrier): (DissectorId, Name),
        (arrival, segment): (&Arrival<'_>, &Stream),
        (common, sink): (&Shared, &mut dyn Sink),
    ) -> Option<u64> {
        let plain = !segment.syn && !segment.fin && !segment.rst && arrival.piece.length > 0;
        if !plain || server != Some(1 - side) || self.observed || !self.conversations.is_flooded() {
            return None;
        }
        let client = key.ends()[side];
        if self.books.directory.knows(client) || arrival.facts.connection.is_some() {
            return None;
        }
        if arrival.piece.bytes.len() > REQUEST_BYTES {
            return None;
        }
        self.numbered += 1;
        let number = self.numbered;
        let head = Head {
            key: *key,
            side,
            number,
            carrier,
            framer,
            segment: *segment,
            piece: Piece {
                bytes: &[],
                ..arrival.piece
            },
        };
        let pushed_out = self.doorstep.wait(head, arrival.piece.bytes);
        self.books
            .spending
            .passes(number, (client, key.ends()[1 - side]), carrier);
        if let Some(call) = pushed_out {
            self.turn_away(&call, common, sink);
            self.doorstep.room = Some(call);
        }
        Some(number)
    }

    /// The conversation of a stranger who waits, now that a second segment of it has come.
    pub(super) fn lets_in(
        &mut self,
        key: &ConversationKey,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<TablePlace> {
        let calls = &mut self.doorstep.calls;
        if calls.is_empty() {
            return None;
        }
        let place = calls.find(key)?;
        let call = calls.take(place)?;
        let world = self.world(common);
        let place = self.begin_numbered(call.head.key, call.beginning(), &world, sink);
        let conversation = self.conversations.get_mut(place)?;
        call.speaks(conversation, &world, &mut self.books, sink);
        self.doorstep.room = Some(call);
        Some(place)
    }

    /// Those who have waited since then, or all of them, are not answered any more.
    pub(super) fn tired_of_waiting(
        &mut self,
        since: Option<Timestamp>,
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) {
        let calls = &mut self.doorstep.calls;
        let late = |call: &Call| since.is_none_or(|since| call.head.piece.mark.at < since);
        let tired: Vec<ConversationKey> = calls
            .iter()
            .filter(|(_, call)| late(call))
            .map(|(key, _)| *key)
            .collect();
        for key in tired {
            let place = self.doorstep.calls.find(&key);
            if let Some(call) = place.and_then(|place| self.doorstep.calls.take(place)) {
                self.take_in(&call, false, world, sink);
            }
        }
    }

    /// Gives up the request of a stranger who had to go for another one.
    fn turn_away(&mut self, call: &Call, common: &Shared, sink: &mut dyn Sink) {
        let world = self.world(common);
        let head = &call.head;
        let ends = head.key.ends();
        self.books.quality.evicted += 1;
        if self.books.directory.knows(ends[head.side]) {
            return self.take_in(call, true, &world, sink);
        }
        let piece = call.piece();
        let between = Between {
            ends,
            server: 1 - head.side,
            carrier: head.carrier,
            conversation: head.number,
            stream: true,
            mid_capture: true,
            one_sided: true,
            ..Between::default()
        };
        let (books, nowhere) = (&mut self.books, Path::default());
        let framer = common.registry.dissector(head.framer);
        // One request and nothing else, as nearly all of them are.
        let simple = framed(piece, framer, &common.registry, |message| {
            let asks = message.exchange.as_deref().is_some_and(|x| {
                x.role == Role::Request
                    && x.sender == Side::Client
                    && x.expect == Expect::Response
                    && x.parts == Parts::Whole
                    && !x.opaque
            });
            if asks && !message.malformed {
                let mut events = Reporter::new(books, &nowhere, sink);
                for id in [Some(head.framer), message.dissector].into_iter().flatten() {
                    events.tell(Event::Protocol(id));
                }
                Pairing::turn_away(head.side, &message, &between, &world, &mut events);
            }
            asks && !message.malformed
        });
        if simple {
            let at = piece.mark.at;
            self.books.turned_away(ends, head.carrier, (at, at));
        } else {
            self.take_in(call, true, &world, sink);
        }
    }

    /// All of a conversation that is this segment.
    fn take_in(&mut self, call: &Call, given_up: bool, world: &World<'_>, sink: &mut dyn Sink) {
        let mut conversation = self.vacant.next(&call.beginning(), false);
        call.speaks(&mut conversation, world, &mut self.books, sink);
        if given_up {
            conversation.give_up();
        }
        self.books
            .finish(&mut conversation, self.latest, world, sink);
        self.vacant.keep(conversation);
    }
}
