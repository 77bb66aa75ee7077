//! Frames of numbered links in order: what each brings its conversation.

use super::{AnalyzerState, Arrival};
use crate::books::Reporter;
use crate::conversation::Beginning;
use crate::numbered::{Link, Owner};
use crate::path::Path;
use crate::world::Shared;
use crate::{Noticed, Sink, WHOLE_FRAME};
use wirewait_wire::{Carries, Order};

/// A message is acknowledged above the link.
const fn message_acknowledged(bare: bool, may_ride: bool) -> Noticed {
    Noticed::Acknowledged {
        bare,
        message: true,
        may_ride,
        frames: 0,
        outstanding: 0,
        last_bytes: 0,
        after_ns: 0,
        sent: None,
        at_once: false,
    }
}

impl AnalyzerState {
    /// A data frame of a numbered link, in order. Returns the message that it belongs to.
    pub(super) fn unit(
        &mut self,
        arrival: &Arrival<'_>,
        link_side: usize,
        link: &mut Link,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Owner> {
        if arrival.message.is_some() {
            let found = self.message(arrival, Some(link), common, sink);
            let found = found.map(|(owner, _)| owner);
            link.last = found.map(|f| f.place).or(link.last);
            return found;
        }
        let world = self.world(common);
        let known = &arrival.path.conversation;
        let (place, side) = match self.conversations.find_side(known, || arrival.key()) {
            Ok(known) => known,
            Err((key, side)) => {
                if let (None, Order::Numbered(numbered)) = (link.called, &arrival.facts.order) {
                    // Who called may have been captured behind what he called for.
                    link.called = self.calls.called(arrival.facts, numbered);
                    if link.called.is_none() && numbered.connection.is_some() {
                        self.calls.missed();
                    }
                }
                let server = link.called.map(|(end, _)| end);
                let beginning = Beginning {
                    ends: key.ends(),
                    carrier: arrival.carrier,
                    server: server.and_then(|s| key.ends().iter().position(|end| *end == s)),
                    ordered: true,
                    from_start: link.from_start,
                    silent: arrival.repeats_silently(),
                    ..Beginning::default()
                };
                (self.begin(key, beginning, &world, sink), side)
            }
        };
        link.last = Some(place);
        let conversation = self.conversations.get_mut(place)?;
        let lacks = link.lacks(0) || link.lacks(1);
        conversation.held_back(lacks.then(|| link.seen_to(1 - link_side)));
        let books = &mut self.books;
        let mut events = Reporter::new(books, arrival.path, sink);
        conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
        match arrival.facts.carries {
            Carries::Segment(segment) => {
                let mark = arrival.piece.mark;
                if segment.resync {
                    let resent = (
                        Noticed::Resent { after_ns: None },
                        arrival.piece.length.into(),
                    );
                    conversation.notice(side, mark, resent, &mut events);
                }
                if let Some(number) = segment.acknowledges {
                    let may_ride = link.may_ride(1 - link_side, number);
                    let what = message_acknowledged(false, may_ride);
                    conversation.notice(side, mark, (what, 0), &mut events);
                }
                if let Some(number) = segment.correlator.filter(|_| segment.may_ride) {
                    link.lets_ride(link_side, number);
                }
                let service = link.called.zip(arrival.next.keys().next());
                let next = service.map_or(*arrival.next, |((_, port), key)| {
                    arrival.next.behind(key.table().key(port.into()))
                });
                let serial = conversation.link_segment(
                    side,
                    &arrival.piece,
                    next,
                    (segment, link.gaps(link_side)),
                    &world,
                    &mut events,
                );
                Some(Owner {
                    place,
                    side,
                    serial,
                })
            }
            Carries::Ack(number) => {
                let mark = arrival.piece.mark;
                let may_ride = number.is_some_and(|number| link.may_ride(1 - link_side, number));
                let what = message_acknowledged(true, may_ride);
                conversation.notice(side, mark, (what, 0), &mut events);
                Some(Owner {
                    place,
                    side: 1 - side,
                    serial: conversation.acknowledge_latest(1 - side, mark, &mut events),
                })
            }
            Carries::Accepted(n) => {
                conversation.accepted(1 - side, (n, true), arrival.piece.mark, &mut events);
                None
            }
            Carries::Overrun(n) => {
                conversation.accepted(1 - side, (n, false), arrival.piece.mark, &mut events);
                None
            }
            _ => {
                conversation.control(&mut events);
                None
            }
        }
    }

    /// A stand-alone acknowledgement of this message.
    pub(super) fn credit(&mut self, owner: Owner, arrival: &Arrival<'_>, sink: &mut dyn Sink) {
        let books = &mut self.books;
        let mark = arrival.piece.mark;
        match self.conversations.get_mut(owner.place) {
            Some(conversation) => {
                let mut events = Reporter::new(books, arrival.path, sink);
                conversation.acknowledge_message(owner.side, owner.serial, mark, &mut events);
            }
            None => books.attribution.control += WHOLE_FRAME,
        }
    }

    /// A frame that keeps a link up.
    pub(super) fn upkeep(&mut self, link: &Link, path: &Path, sink: &mut dyn Sink) {
        let books = &mut self.books;
        match link.last.and_then(|p| self.conversations.get_mut(p)) {
            Some(conversation) => {
                conversation.control(&mut Reporter::new(books, path, sink));
            }
            None => books.attribution.control += WHOLE_FRAME,
        }
    }
}
