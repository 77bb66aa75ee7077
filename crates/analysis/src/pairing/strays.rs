//! Responses that were captured before their requests. Where nothing is numbered, a response that
//! changed places with its request seems to answer nothing, and the request to get no answer. So the
//! latest one without a request waits for as long as frames are out of place.

use super::{Incoming, Open, Pairing};
use crate::case::Case;
use crate::clock::DISPLACED_NS;
use crate::message::{ENOUGH, Message};
use crate::open::OpenState;
use crate::parties::Parties;
use crate::piece::PieceTally;
use crate::piece::clip;
use crate::trail::Trace;
use crate::turns::Said;
use crate::world::{Between, Event, Events, World};
use crate::{Deed, Flags, Transaction};
use wirewait_wire::{DissectorId, Exchange, Input, Timestamp};

/// A response without a request.
pub(super) struct Stray {
    /// Its row if no request comes.
    transaction: Transaction,
    parties: Parties,
    side: usize,
    dissector: Option<DissectorId>,
    exchange: Exchange,
    tally: PieceTally,
    serial: u64,
    /// Its head, and its true length.
    head: Vec<u8>,
    length: u32,
}

impl Stray {
    /// No request can come behind it any more.
    fn deadline(&self) -> Timestamp {
        self.tally.extent.last.at.plus(DISPLACED_NS)
    }

    /// Whether it answers a request that is open.
    fn answers(&self, open: &Open) -> bool {
        let asked = open.transaction.request.map(|request| request.last);
        open.state == OpenState::Waiting
            && open.side != self.side
            && open.id == self.exchange.id
            && !open.is_told_apart(&self.exchange)
            && asked.is_some_and(|asked| asked.until(self.tally.extent.first).is_some())
    }
}

impl Pairing {
    /// Keeps a response without a request until its request can come no more.
    pub(super) fn keep_stray(
        &mut self,
        transaction: Transaction,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let (side, message) = (incoming.side, incoming.message);
        self.close_stray(events);
        let stray = Stray {
            transaction,
            parties: self.parties,
            side,
            dissector: message.dissector,
            exchange: *x,
            tally: message.tally,
            serial: message.serial,
            head: clip(message.input.bytes, ENOUGH as u64).to_vec(),
            length: message.input.length,
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
        let mut exchange = stray.exchange;
        let message = Message {
            dissector: stray.dissector,
            input: Input {
                bytes: &stray.head,
                length: stray.length,
            },
            exchange: Some(&mut exchange),
            malformed: false,
            tally: stray.tally,
            serial: stray.serial,
            range: (0, 0),
            trace: Trace::default(),
            said: Said::New,
        };
        let x = &stray.exchange;
        let incoming = Incoming {
            side: stray.side,
            message: &message,
            between,
            world,
        };
        self.response(x, &incoming, events);
        if self.observed {
            let frame = stray.tally.extent.first.frame;
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

    /// Closes the response without a request.
    pub(super) fn close_stray(&mut self, events: &mut impl Events) {
        if let Some(stray) = self.stray.take() {
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
