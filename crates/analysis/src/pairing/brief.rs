//! Encrypted responses that are as short as one that says no more than that the server works on the request
//! (STATUS_PENDING, [MS-SMB2] 3.3.4.2). An error has the same length, and nothing else shows. What comes next tells:
//! if the server goes on, that was its response; if the client does, it had its response before.
//!
//! Only of a client that has one request open: where there are several, each short response may be an error of one
//! and what comes next the response to another.

use super::kept::KeptMessage;
use super::{Incoming, Pairing};
use crate::open::OpenState;
use crate::piece::PieceTally;
use crate::world::{Between, Event, Events, World};
use crate::{Deed, Mark};
use wirewait_wire::{Exchange, Role};

/// A response that may be an interim one.
pub(super) struct BriefResponse {
    /// The request.
    serial: u64,
    message: KeptMessage,
}

impl Pairing {
    /// Keeps an opaque response to this request, if that is short, until the next message tells what it is; whether it may be an
    /// interim one. `alone`: no other request is known.
    #[cold]
    #[inline(never)]
    pub(super) fn may_be_interim(
        &mut self,
        (at, alone): (usize, bool),
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> bool {
        if !alone && x.role == Role::Response && self.open.are_guessed() {
            events.tell(Event::GuessedOrder);
        }
        let only = self.open.asking().take(2).count() == 1;
        let open = &mut *self.open[at];
        if !x.brief || !only || open.state != OpenState::Waiting || open.transaction.interims > 0 {
            return false;
        }
        let serial = open.serial;
        let tally = &incoming.message.tally;
        open.deed = Deed::Response;
        open.transaction.absorb(tally);
        let known = Exchange { brief: false, ..*x };
        let mut message = KeptMessage::of(&known, incoming);
        // Taken in already.
        message.tally = PieceTally {
            share: 0,
            acks: 0,
            retransmitted: 0,
            ..message.tally
        };
        self.brief = Some(Box::new(BriefResponse { serial, message }));
        self.apart = true;
        true
    }

    /// A message comes: what it says of a short response before it.
    #[cold]
    #[inline(never)]
    pub(super) fn tells_of_brief(&mut self, incoming: &Incoming<'_>, events: &mut impl Events) {
        let Some(brief) = self.brief.take() else {
            return;
        };
        let exchange = incoming.message.exchange.as_deref();
        let goes_on = incoming.side == brief.message.side && exchange.is_some_and(|x| x.opaque);
        let (between, world) = (incoming.between, incoming.world);
        self.takes_brief(*brief, goes_on, (between, world), events);
    }

    /// Nothing more comes of this request, or of any: a short response was the response.
    #[cold]
    #[inline(never)]
    pub(super) fn settle_brief(
        &mut self,
        of: Option<u64>,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let its = |brief: &mut Box<BriefResponse>| of.is_none_or(|of| of == brief.serial);
        if let Some(brief) = self.brief.take_if(its) {
            self.takes_brief(*brief, false, (between, world), events);
        }
    }

    fn takes_brief(
        &mut self,
        BriefResponse { serial, message }: BriefResponse,
        interim: bool,
        (between, world): (&Between, &World<'_>),
        events: &mut impl Events,
    ) {
        let Some(at) = self.open.place_of(serial) else {
            return;
        };
        if self.open[at].state != OpenState::Waiting {
            return;
        }
        let number = self.open[at].transaction.number;
        let Mark { frame, .. } = message.tally.extent.first;
        message.again((between, world), |x, incoming| match interim {
            true => self.is_under_way(at, Role::Interim, incoming, events),
            false => {
                self.response(x, incoming, events);
            }
        });
        if interim && self.observed {
            events.tell(Event::Did(number, Deed::Interim, Some(frame)));
        }
    }
}
