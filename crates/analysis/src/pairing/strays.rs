//! Responses that were captured before their requests. Where nothing is numbered, a response that
//! changed places with its request seems to answer nothing, and the request to get no answer. So the
//! latest one without a request waits for as long as frames are out of place.

use super::kept::KeptMessage;
use super::{Incoming, Open, Pairing};
use crate::case::Case;
use crate::clock::DISPLACED_NS;
use crate::open::OpenState;
use crate::parties::Parties;
use crate::world::{Between, Event, Events, World};
use crate::{Deed, Flags, Transaction};
use wirewait_wire::{Exchange, Timestamp};

/// A response without a request.
pub(super) struct Stray {
    /// Its row if no request comes.
    transaction: Transaction,
    parties: Parties,
    message: KeptMessage,
    /// Its client was not seen to wait for anything: it asked for it in a frame that the capture lacks.
    unseen: bool,
}

impl Stray {
    /// No request can come behind it any more.
    fn deadline(&self) -> Timestamp {
        self.message.tally.extent.last.at.plus(DISPLACED_NS)
    }

    /// Whether it answers a request that is open.
    fn answers(&self, open: &Open) -> bool {
        let asked = open.transaction.request.map(|request| request.last);
        let KeptMessage {
            side,
            exchange,
            tally,
            ..
        } = &self.message;
        open.state == OpenState::Waiting
            && open.side != *side
            && open.id == exchange.id
            && !open.is_told_apart(exchange)
            && asked.is_some_and(|asked| asked.until(tally.extent.first).is_some())
    }
}

impl Pairing {
    /// Keeps a response without a request until its request can come no more. `unseen`: nobody was seen to wait for one.
    pub(super) fn keep_stray(
        &mut self,
        (transaction, unseen): (Transaction, bool),
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        self.close_stray(events);
        let stray = Stray {
            transaction,
            parties: self.parties,
            message: KeptMessage::of(x, incoming),
            unseen,
        };
        self.due = self.due.min(stray.deadline());
        self.stray = Some(Box::new(stray));
    }

    /// The frame under way was captured a little before one that came before it: what it began or
    /// goes on with gets a flag, and a request gets the response that overtook it.
    #[cold]
    pub(super) fn displaced(
        &mut self,
        serial: u64,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let Some(at) = self.open.place_of(serial) else {
            return;
        };
        let open = &mut *self.open[at];
        open.transaction.flags.set(Flags::OUT_OF_ORDER);
        let Some(stray) = self.stray.take_if(|stray| stray.answers(open)) else {
            return;
        };
        let (deed, number) = (open.deed, open.transaction.number);
        let message = &stray.message;
        message.again((between, world), |x, incoming| {
            self.response(x, incoming, events)
        });
        if self.observed {
            let frame = message.tally.extent.first.frame;
            events.tell(Event::Did(number, Deed::Response, Some(frame)));
        }
        if let Some(open) = self.by_serial(serial) {
            open.deed = deed;
        }
    }

    /// Closes the response without a request if its request can come no more.
    pub(super) fn expire_stray(&mut self, now: Timestamp, events: &mut impl Events) {
        let stray = self.stray.as_ref();
        if stray.is_some_and(|stray| stray.deadline() <= now) {
            self.close_stray(events);
        }
    }

    /// Before that nothing falls due.
    pub(super) fn first_due(&self) -> Timestamp {
        let first = self.open.first_due();
        let stray = self.stray.as_ref();
        stray.map_or(first, |stray| first.min(stray.deadline()))
    }

    /// Closes the response whose request can come no more.
    pub(super) fn close_stray(&mut self, events: &mut impl Events) {
        if let Some(stray) = self.stray.take() {
            if stray.unseen {
                events.tell(Event::Lacked);
                self.answers_unseen((&stray.transaction, &stray.parties), events);
                self.was_unseen(&stray.message.exchange);
            }
            let case = Case {
                transaction: &stray.transaction,
                parties: &stray.parties,
            };
            events.tell(Event::Closed(case, false));
        }
    }
}

#[cfg(test)]
mod tests;
