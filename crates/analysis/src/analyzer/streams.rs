//! Segments of byte streams: found by their ports or by what they look like, handed to their
//! conversations.

use super::{AnalyzerState, Arrival};
use crate::Sink;
use crate::books::Reporter;
use crate::conversation::Beginning;
use crate::key::ConversationKey;
use crate::segment::LONGEST;
use crate::table::{KnownSide, TablePlace};
use crate::world::{Seen, Shared, World};
use wirewait_wire::{DissectorId, Key, Stream};

impl AnalyzerState {
    /// The number of the conversation of this segment, if all that it brings is the next bytes of a message there.
    #[inline]
    pub(super) fn continues(
        &mut self,
        seen: &Seen<'_>,
        segment: &Stream,
        common: &Shared,
    ) -> Option<u64> {
        let (place, side) = seen.path.stream.get()?;
        // Longer ones may be several of the wire.
        if self.observed || seen.frame.wire_len > LONGEST {
            return None;
        }
        let world = self.world(common);
        let conversation = self.conversations.again(place)?;
        let facts = &seen.walk.facts;
        let length = seen.walk.payload(seen.frame).length;
        let brings = (length, seen.mark);
        if !conversation.continues(side.into(), (segment, facts), brings, &world) {
            return None;
        }
        let (number, _) = conversation.named();
        if conversation.proves() {
            self.conversations.prove(place);
        }
        Some(number)
    }

    pub(super) fn stream(
        &mut self,
        arrival: &mut Arrival<'_>,
        segment: &Stream,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Option<u64>> {
        let facts = arrival.facts;
        let path = arrival.path;
        // Ports are part of what makes a path.
        let claimed = || common.registry.claimed(arrival.next);
        let (claim, framer) = match *path.claimed.get_or_init(claimed) {
            Some((claim, framer)) => (Some(claim), framer),
            None => (None, self.unclaimed_framer(arrival, segment, common)?),
        };
        let dissector = common.registry.dissector(framer);
        dissector.framing?;
        let key = || ConversationKey::new((facts.from, facts.to), None, framer.0);
        // What is known by its looks may come to look like something else.
        let known = match claim {
            Some(_) => &path.stream,
            None => &KnownSide::default(),
        };
        let world = self.world(common);
        loop {
            let (place, side) = match self.conversations.find_side(known, key) {
                Ok(found) if !segment.syn => found,
                found => {
                    let by = (claim, framer);
                    match self.opens(found, by, (arrival, segment), &world, sink) {
                        Ok(found) => found,
                        Err(number) => return Some(Some(number)),
                    }
                }
            };
            let conversation = self.conversations.get_mut(place)?;
            let books = &mut self.books;
            let mut events = Reporter::new(books, path, sink);
            conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
            let packet = (segment, facts);
            conversation.packet(side, packet, &arrival.piece, &mut self.counts);
            if conversation.segment(side, segment, &mut arrival.piece, &world, &mut events) {
                self.is_over(place, arrival, (common, sink));
                continue;
            }
            let (number, _) = conversation.named();
            if conversation.proves() {
                self.conversations.prove(place);
            }
            self.step(arrival, Some(place), common, sink);
            return Some(Some(number));
        }
    }

    /// Who cuts a stream whose ports nobody claims into messages.
    #[inline(never)]
    fn unclaimed_framer(
        &mut self,
        arrival: &Arrival<'_>,
        segment: &Stream,
        common: &Shared,
    ) -> Option<DissectorId> {
        let ends = (arrival.facts.from, arrival.facts.to);
        let payload = (arrival.next, arrival.piece.bytes);
        let known = &mut self.conversations;
        let registry = &common.registry;
        self.unclaimed
            .framer(ends, segment, payload, registry, known)
    }

    /// A segment of a conversation that is not known, or one that may open another: where that is, and which side
    /// sends; or the number of one that waits outside.
    // By itself: what is taken out of a loop for it would be paid for by every segment.
    #[inline(never)]
    fn opens(
        &mut self,
        mut found: Result<(TablePlace, usize), (ConversationKey, usize)>,
        (claim, framer): (Option<Key>, DissectorId),
        (arrival, segment): (&Arrival<'_>, &Stream),
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(TablePlace, usize), u64> {
        let common = world.shared;
        let ends = (arrival.facts.from, arrival.facts.to);
        if segment.syn
            && let Ok((old, side)) = found
            && self
                .conversations
                .get_mut(old)
                .is_some_and(|c| c.is_reopened(side, segment))
            && let Some(mut conversation) = self.conversations.take(old)
        {
            let now = arrival.piece.mark.at;
            self.books.finish(&mut conversation, now, world, sink);
            self.vacant.keep(conversation);
            found = Err(ConversationKey::new(ends, None, framer.0));
        }
        if let Err((key, side)) = &found
            && let Some(place) = self.lets_in(key, common, sink)
        {
            found = Ok((place, *side));
        }
        let (key, side) = match found {
            Ok(known) => return Ok(known),
            Err(new) => new,
        };
        let (server, from_start) = match claim {
            Some(claim) => (server_side(&key, claim), segment.syn),
            None => {
                let opener = self.unclaimed.opener(ends, segment);
                (opener.map(|side| 1 - side), opener.is_some())
            }
        };
        let dissector = common.registry.dissector(framer);
        let carrier = dissector.carrier.unwrap_or(arrival.carrier);
        if claim.is_some()
            && let Some(number) = self.waits_outside(
                &key,
                (side, server),
                (framer, carrier),
                (arrival, segment),
                (common, sink),
            )
        {
            return Err(number);
        }
        let beginning = Beginning {
            ends: key.ends(),
            carrier,
            server,
            framer: Some(framer),
            ordered: true,
            from_start,
            ..Beginning::default()
        };
        Ok((self.begin(key, beginning, world, sink), side))
    }

    /// The conversation at this place is over: what came is of another one between the same ports.
    #[cold]
    #[inline(never)]
    fn is_over(
        &mut self,
        place: TablePlace,
        arrival: &Arrival<'_>,
        (common, sink): (&Shared, &mut dyn Sink),
    ) {
        if let Some(mut conversation) = self.conversations.take(place) {
            let world = self.world(common);
            let now = arrival.piece.mark.at;
            self.books.finish(&mut conversation, now, &world, sink);
            self.vacant.keep(conversation);
        }
        self.connections
            .is_open(arrival.facts.from, arrival.facts.to);
    }
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
