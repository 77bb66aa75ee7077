//! Frames of numbered links: put in order, acknowledged, handed to their conversations.

mod held;
mod stalls;

use super::{AnalyzerState, Arrival};
use crate::books::Reporter;
use crate::key::ConversationKey;
use crate::numbered::{HeldSegment, Link, Turn};
use crate::path::Path;
use crate::piece::{Piece, Sent};
use crate::stalls::is_late;
use crate::table::TablePlace;
use crate::world::Shared;
use crate::{Flags, Mark, Notice, Noticed, Sink, WHOLE_FRAME};
use wirewait_wire::{Carries, Facts, Numbered, NumberedKind, Segment, Step};

impl AnalyzerState {
    /// A frame of a numbered link. Gives the conversation that it concerns: of several on one
    /// link, the one that used it last.
    pub(super) fn numbered(
        &mut self,
        arrival: &mut Arrival<'_>,
        numbered: &Numbered,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<TablePlace> {
        let facts = arrival.facts;
        if numbered.kind == NumberedKind::Call {
            return self.call(arrival, numbered, common, sink);
        }
        let connection = numbered.connection.map(|c| (c.from, c.to));
        let key = || ConversationKey::new((facts.from, facts.to), connection, u16::MAX);
        let (place, side) = match self.links.find_side(&arrival.path.link, key) {
            Ok(known) => known,
            Err((key, side)) => {
                let mut link = Box::new(Link::new(numbered.modulus));
                link.ends = key.ends();
                link.called = self.calls.called(facts, numbered);
                let (place, evicted) = self.links.insert(key, Some(link));
                if let Some(mut evicted) = evicted.flatten() {
                    self.books.quality.evicted += 1;
                    self.doubt(&evicted);
                    self.books.holds(evicted.held(), 0);
                    self.flush(&mut evicted, Flags::LIMITED, common, sink);
                }
                arrival.path.link.set(Some((place, u8::from(side != 0))));
                (place, side)
            }
        };
        let mut link = self.links.at(place).take()?;
        let held = link.held();
        let mark = arrival.piece.mark;
        if !arrival.carrier.is_empty() {
            link.carrier = arrival.carrier;
        }
        link.flow.heard(side, mark);
        let opens = numbered.kind == NumberedKind::Open
            && !link.is_open(side, numbered.number, numbered.expects);
        let acknowledged = match numbered.expects {
            Some(number) if !opens => {
                let bare = numbered.kind != NumberedKind::Data;
                if let Some((what, bytes)) =
                    link.flow
                        .acknowledged(side, (number.into(), None), bare, mark)
                {
                    if let Noticed::Acknowledged {
                        after_ns,
                        sent: Some(_),
                        ..
                    } = what
                        && bare
                    {
                        link.windows[1 - side].acknowledged(mark, after_ns);
                        link.windows[side].acknowledges(after_ns);
                    }
                    if is_late(&what) {
                        self.acknowledged_late((&mut link, side), numbered, (&what, bytes), mark);
                    }
                    self.notice(&link, arrival.path, side, mark, (what, bytes), sink);
                }
                let acknowledged = link.acknowledge(1 - side, number);
                self.release(&mut link, 1 - side, common, sink);
                acknowledged
            }
            _ => (0, None),
        };
        self.supervise(arrival, &mut link, side, numbered, sink);
        let mut message = None;
        match numbered.kind {
            NumberedKind::Data => self.data(arrival, numbered, side, &mut link, common, sink),
            NumberedKind::Open if opens => {
                self.flush(&mut link, Flags::CAPTURE_LOSS, common, sink);
                link.open(side, numbered.number, numbered.expects.unwrap_or(0));
                link.called = self.calls.called(facts, numbered);
                match self.message(arrival, None, common, sink) {
                    Some((owner, _)) => message = Some(owner.place),
                    None => self.upkeep(&link, arrival.path, sink),
                }
            }
            NumberedKind::Open
            | NumberedKind::Ready
            | NumberedKind::Busy
            | NumberedKind::Reject => match acknowledged {
                (1.., Some(owner)) => self.credit(owner, arrival, sink),
                _ => self.upkeep(&link, arrival.path, sink),
            },
            NumberedKind::Call => self.upkeep(&link, arrival.path, sink),
            NumberedKind::Control if ends(facts) && link.ran_unopened() => {
                self.was_granted(arrival, common, sink);
                self.upkeep(&link, arrival.path, sink);
            }
            // What ends a connection may answer who asked for it.
            NumberedKind::Control => match self.message(arrival, None, common, sink) {
                Some((owner, _)) => message = Some(owner.place),
                None => self.upkeep(&link, arrival.path, sink),
            },
        }
        let found = message.or(link.last);
        if let Some(of) = found.filter(|of| link.proven != Some(*of))
            && let Some(conversation) = self.conversations.get_mut(of)
            && conversation.has_answered()
        {
            link.proven = Some(of);
            self.conversations.prove(of);
            self.links.prove(place);
        }
        if link.held() != held {
            self.books.holds(held, link.held());
        }
        if let Some(slot) = self.links.get_mut(place) {
            *slot = Some(link);
        }
        found
    }

    /// A connection ends that ran, though who granted it was not captured. Its end refuses nobody:
    /// the request for it had its answer among what is missing.
    fn was_granted(&mut self, arrival: &Arrival<'_>, common: &Shared, sink: &mut dyn Sink) {
        let world = self.world(common);
        let known = &arrival.path.conversation;
        let Ok((place, side)) = self.conversations.find_side(known, || arrival.key()) else {
            return;
        };
        let books = &mut self.books;
        if let Some(conversation) = self.conversations.get_mut(place) {
            let now = arrival.piece.mark.at;
            let mut events = Reporter::new(books, arrival.path, sink);
            conversation.answer_lost(side, now, &world, &mut events);
        }
    }

    /// What a frame says of how far its sender got and what he can take.
    fn supervise(
        &mut self,
        arrival: &Arrival<'_>,
        link: &mut Link,
        side: usize,
        numbered: &Numbered,
        sink: &mut dyn Sink,
    ) {
        let (path, mark) = (arrival.path, arrival.piece.mark);
        let flow = &mut link.flow;
        if numbered.response || !numbered.poll {
            flow.poll_answered(side);
        }
        let ready = match numbered.kind {
            NumberedKind::Busy => flow.ready(side, false, mark),
            NumberedKind::Ready | NumberedKind::Reject => flow.ready(side, true, mark),
            NumberedKind::Data
            | NumberedKind::Open
            | NumberedKind::Call
            | NumberedKind::Control => return,
        };
        let rejected = (numbered.kind == NumberedKind::Reject)
            .then(|| (Noticed::Rejected, flow.rejected(side)));
        let asks = numbered.poll && !numbered.response;
        // Links whose connections have numbers of their own send again without asking first.
        if numbered.poll && numbered.connection.is_none() {
            if asks {
                link.polls(side, mark.at);
            } else {
                link.answers_poll(side, numbered.expects, mark.at);
            }
        }
        if let Some(number) = numbered.claims() {
            self.claims(arrival, link, side, (number, asks));
        }
        let flow = &mut link.flow;
        let polled = asks.then(|| flow.polled(side, mark));
        if let Some(what) = ready {
            self.goes_on_behind(link, path, side, (&what, mark), sink);
            self.notice(link, path, side, mark, (what, 0), sink);
        }
        if let Some(what) = polled {
            self.goes_on_behind(link, path, side, (&what, mark), sink);
            self.notice(link, path, side, mark, (what, 0), sink);
        }
        if let Some(rejected) = rejected {
            self.notice(link, path, side, mark, rejected, sink);
        }
    }

    /// A frame without data says what its sender sent, and may ask how much of it came.
    #[cold]
    fn claims(
        &mut self,
        arrival: &Arrival<'_>,
        link: &mut Link,
        side: usize,
        (number, asks): (u16, bool),
    ) {
        let at = arrival.piece.mark.at;
        if asks && link.flow.is_waiting(side) {
            // An acknowledgement of what is on its way answers nothing.
            self.books.questions.take_back(arrival.facts);
        }
        if link.is_claimed(side, number) {
            link.claims(side, (number, asks), at);
        }
    }

    /// Tells what one end of a link did, and of how many bytes.
    fn notice(
        &mut self,
        link: &Link,
        path: &Path,
        side: usize,
        mark: Mark,
        (what, bytes): (Noticed, u64),
        sink: &mut dyn Sink,
    ) {
        let known = link.last.and_then(|p| self.conversations.get_mut(p));
        let notice = Notice {
            mark,
            from: link.ends[side],
            to: link.ends[1 - side],
            carrier: link.carrier,
            conversation: known.map(|conversation| conversation.named().0),
            bytes,
            what,
        };
        self.books.noticed(&notice, path, sink);
    }

    /// Someone asks for a link. Whom he called is kept for when the answer comes.
    fn call(
        &mut self,
        arrival: &Arrival<'_>,
        numbered: &Numbered,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<TablePlace> {
        let facts = arrival.facts;
        if let Some(connection) = numbered.connection {
            self.calls.call(facts.from, connection.from, facts.to);
        }
        let found = self.message(arrival, None, common, sink);
        if found.is_none() {
            self.books.attribution.control += WHOLE_FRAME;
        }
        found.map(|(owner, _)| owner.place)
    }

    /// A data frame of a numbered link.
    fn data(
        &mut self,
        arrival: &mut Arrival<'_>,
        numbered: &Numbered,
        side: usize,
        link: &mut Link,
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        let number = numbered.number;
        arrival.piece.sent = Sent {
            behind: link.position(side, number).saturating_add(1),
            covers: numbered
                .expects
                .map_or(u64::MAX, |expects| link.position(1 - side, expects)),
            late: link.is_late(side, number),
        };
        let mark = arrival.piece.mark;
        let (bytes, last) = match arrival.facts.carries {
            Carries::Segment(segment) => (arrival.piece.length, segment.last),
            _ => (0, true),
        };
        let numbers = (number.into(), link.behind(number).into());
        match link.turn(side, number) {
            Turn::Next => {
                let goes_on = !std::mem::replace(&mut link.ended[side], last);
                let waiting = link.flow.is_waiting(side);
                let in_parts = self.books.in_parts;
                let stopped = || in_parts && link.flow.has_stopped(side, mark.at);
                let waited = !waiting && (goes_on || stopped());
                let (flow, window) = (&link.flow, &mut link.windows[side]);
                let heard = || flow.heard_in(1 - side);
                if let Some(ns) = window.sends((waiting, !goes_on), (heard, mark.at)) {
                    self.books.waits_for_acknowledgements(
                        [link.ends[side], link.ends[1 - side]],
                        mark,
                        ns,
                    );
                }
                link.flow.sent(side, numbers, bytes, mark);
                if let Some(lost) = link.recovers(side, number, mark.at) {
                    self.was_lost_before(arrival, lost);
                } else if waited && !link.lacks(side) {
                    let sent = (numbered, goes_on);
                    self.goes_on_when_acknowledged(arrival, (side, link), sent, common, sink);
                }
                if let Some(first) = link.held_since(side) {
                    if link.flow.is_wanted(side) {
                        let what = Noticed::Resent { after_ns: None };
                        self.notice(link, arrival.path, side, mark, (what, bytes.into()), sink);
                    }
                    arrival.piece.late_ns = arrival.piece.mark.at.since(first).max(0);
                    self.was_missing(arrival);
                }
                let owner = self.unit(arrival, side, link, common, sink);
                link.owned(side, number, owner);
                self.release(link, side, common, sink);
            }
            Turn::Early => {
                let held = HeldSegment {
                    number,
                    facts: *arrival.facts,
                    next: *arrival.next,
                    carrier: arrival.carrier,
                    message: arrival.message,
                    layer: arrival.layer,
                    bytes: arrival.piece.bytes.to_vec(),
                    length: arrival.piece.length,
                    mark: arrival.piece.mark,
                    at: arrival.piece.at,
                    resent: None,
                    sent: arrival.piece.sent,
                };
                if link.hold(side, held) {
                    let (what, _) = link.flow.resent(side, (number.into(), None), mark);
                    self.notice(link, arrival.path, side, mark, (what, bytes.into()), sink);
                    self.books.quality.faults.retransmitted += 1;
                    self.upkeep(link, arrival.path, sink);
                } else {
                    link.flow.sent(side, numbers, bytes, mark);
                }
                self.release(link, side, common, sink);
                self.keep_within_limits(link, side, common, sink);
            }
            Turn::Again(_) if self.goes_on(arrival) => {
                link.sends(side, mark.at);
                self.unit(arrival, side, link, common, sink);
            }
            Turn::Again(owner) => {
                link.sends(side, mark.at);
                let (what, _) = link.flow.resent(side, (number.into(), None), mark);
                self.notice(link, arrival.path, side, mark, (what, bytes.into()), sink);
                let known = owner.and_then(|o| Some((o, self.conversations.get_mut(o.place)?)));
                match known {
                    Some((owner, conversation)) => {
                        let books = &mut self.books;
                        conversation.repeat_message(
                            owner.side,
                            owner.serial,
                            arrival.piece.mark,
                            &mut Reporter::new(books, arrival.path, sink),
                        );
                    }
                    None => {
                        self.books.quality.faults.retransmitted += 1;
                        self.was_repeated_before(arrival);
                        self.upkeep(link, arrival.path, sink);
                    }
                }
            }
        }
    }

    /// This frame was lost before the capture, so long ago.
    #[cold]
    fn was_lost_before(&mut self, arrival: &Arrival<'_>, lost: (i64, bool)) {
        let known = &arrival.path.conversation;
        if let Ok((place, side)) = self.conversations.find_side(known, || arrival.key())
            && let Some(conversation) = self.conversations.get_mut(place)
        {
            conversation.was_lost_before(side, arrival.piece.mark, lost);
        }
    }

    /// This frame was missing while later ones of its link were there.
    #[cold]
    fn was_missing(&mut self, arrival: &Arrival<'_>) {
        let known = &arrival.path.conversation;
        let Piece { mark, late_ns, .. } = arrival.piece;
        if late_ns > 0
            && let Ok((place, side)) = self.conversations.find_side(known, || arrival.key())
            && let Some(conversation) = self.conversations.get_mut(place)
        {
            conversation.was_missing(side, mark, late_ns);
        }
    }

    /// This frame repeats one that is acknowledged. If it was captured behind the acknowledgement and
    /// sent before it, it may be what was answered.
    #[cold]
    fn was_repeated_before(&mut self, arrival: &Arrival<'_>) {
        let known = &arrival.path.conversation;
        if let Ok((place, side)) = self.conversations.find_side(known, || arrival.key())
            && let Some(conversation) = self.conversations.get_mut(place)
        {
            conversation.was_repeated_before(side, arrival.piece.mark);
        }
    }

    /// Whether a data frame goes on in its message where the one before it ended.
    fn goes_on(&mut self, arrival: &Arrival<'_>) -> bool {
        let Carries::Segment(Segment {
            position: Some(position),
            ..
        }) = arrival.facts.carries
        else {
            return false;
        };
        let known = &arrival.path.conversation;
        let Ok((place, side)) = self.conversations.find_side(known, || arrival.key()) else {
            return false;
        };
        let conversation = self.conversations.get_mut(place);
        conversation.is_some_and(|conversation| conversation.goes_on(side, position))
    }
}

/// Whether a frame ends its connection.
fn ends(facts: &Facts) -> bool {
    matches!(facts.connection, Some(connection) if connection.step == Step::Ends)
}
