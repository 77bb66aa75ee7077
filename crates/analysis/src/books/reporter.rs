//! The way from conversations to the books.

use super::Books;
use crate::Sink;
use crate::path::Path;
use crate::round_trips::TripSample;
use crate::world::{Event, Events};

/// Enters in the books what conversations tell, on the path of the frame under way.
pub(crate) struct Reporter<'a> {
    books: &'a mut Books,
    path: &'a Path,
    sink: &'a mut dyn Sink,
}

impl<'a> Reporter<'a> {
    #[inline]
    pub(crate) fn new(books: &'a mut Books, path: &'a Path, sink: &'a mut dyn Sink) -> Self {
        Self { books, path, sink }
    }
}

impl Events for Reporter<'_> {
    /// Who tells something knows what: only that is left of the choice. What takes more than a line is done
    /// by functions of their own, so that each saves no more than it needs.
    #[inline(always)]
    fn tell(&mut self, event: Event<'_>) {
        let books = &mut *self.books;
        match event {
            Event::Opened(transaction, parties) => {
                books.open += 1;
                let before = parties.client;
                books.met(transaction, parties);
                if parties.client != before {
                    books.met_client(transaction, parties, (self.path, self.sink));
                }
            }
            Event::Begins(wait) => books.begins(&wait, self.path),
            Event::Ends(wait, at, outstanding) => books.ends(&wait, at, outstanding),
            Event::Answered(case) => books.answered(case),
            Event::Closed(case, as_told) => books.closed(case, as_told, self.path, self.sink),
            Event::Control(share) => books.attribution.control += share,
            Event::Protocol(id) => books.protocols.completes(books.now(), id),
            Event::Held(bytes) => books.held = books.held.saturating_add_signed(bytes),
            Event::Notice(notice) => books.noticed(notice, self.path, self.sink),
            // What does not happen with every request.
            Event::Admitted(transaction, parties) => books.admitted(transaction, parties),
            Event::Orphaned(transaction, parties) => books.met(transaction, parties),
            Event::Assembled(message) => self.sink.assembled(message),
            Event::Did(transaction, deed, frame) => {
                self.sink
                    .did(frame.unwrap_or(books.now()), transaction, deed);
            }
            Event::Happens(wait, event) => books.happens(&wait, event),
            Event::Stalled(stall) => books.stalled(stall),
            Event::Late(late) => books.late(late),
            Event::SameClient(case, first) => books.same_client(case, first, self.sink),
            Event::TookBack(case) => books.took_back(case),
            Event::GaveBack(case) => books.gave_back(case),
            Event::Twice(sent, again) => books.arrivals.twice(sent, again),
            Event::PartAcknowledged => books.spending.part_acknowledged(books.now()),
            Event::Guessed => books.quality.guessed_roles += 1,
            Event::Lacked => books.quality.lacked += 1,
            Event::InParts => books.in_parts = true,
            Event::TakesTurns => books.quality.unpublished += 1,
            Event::GuessedOrder => books.quality.guessed_order += 1,
            Event::Limited(limit) => books.quality.limits.hit(limit),
            Event::Reached(reached) => books.sampled(&TripSample::acknowledged(reached)),
            Event::Asked(case) => books.asked(case),
            Event::Grows(case, growth) => books.grows(case, growth),
            Event::Unfinished(transaction, arrived) => books.unfinished.met(transaction, arrived),
            Event::GaveUp(transaction, end) => books.slowest.given_up(transaction, end),
            Event::Repeated(after_ns) => books.spending.repeated(books.now(), after_ns),
        }
    }
}
