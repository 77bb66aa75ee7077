//! Raw data: bytes without a header that a request, or a response, is followed by.

use super::{Incoming, Pairing};
use crate::open::{Open, OpenState, UnconfirmedRaw};
use crate::piece::PieceTally;
use crate::world::{Events, World};
use crate::{Deed, Flags};
use wirewait_wire::{Expect, Role, Side};

impl Open {
    /// The go-ahead came, and nothing shows whether the data behind it will be confirmed.
    #[cold]
    pub(super) fn goes_ahead_unconfirmed(&mut self, tally: &PieceTally) {
        let request = self.transaction.request;
        self.unconfirmed = request.map(|request| {
            Box::new(UnconfirmedRaw {
                request,
                go_ahead: *tally,
            })
        });
    }

    /// Whether it has all data, and may be over: nothing shows that it will be confirmed.
    fn may_be_unconfirmed(&self) -> bool {
        let raw = self.transaction.flags.contains(Flags::RAW);
        self.unconfirmed.is_some() && raw && self.state == OpenState::Waiting
    }
}

impl Pairing {
    /// `side` asks for something else, which nobody does before raw data is confirmed (MS-CIFS 2.2.4.25): what may be confirmed, or
    /// not, is not.
    #[cold]
    #[inline(never)]
    pub(super) fn confirms_no_raw(
        &mut self,
        side: usize,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let known = self
            .unconfirmed
            .and_then(|serial| self.open.place_of(serial));
        match known {
            Some(at) if self.open[at].side == side => self.is_not_confirmed(at, world, events),
            Some(_) => {}
            None => self.unconfirmed = None,
        }
    }

    /// No confirmation came for the raw data of this request, if that is what it waits for: the go-ahead was its response.
    #[cold]
    pub(super) fn is_not_confirmed(
        &mut self,
        at: usize,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let open = &mut *self.open[at];
        if !open.may_be_unconfirmed() {
            return;
        }
        let Some(ahead) = open.unconfirmed.take() else {
            return;
        };
        let UnconfirmedRaw { request, go_ahead } = *ahead;
        let t = &mut *open.transaction;
        t.raw_end = t.request.map(|request| request.last);
        t.request = Some(request);
        t.interims = t.interims.saturating_sub(1);
        t.interim_bytes = t.interim_bytes.saturating_sub(go_ahead.bytes);
        t.frames.interim = t.frames.interim.saturating_sub(go_ahead.frames);
        t.first_interim = None;
        t.response = Some(go_ahead.extent);
        t.response_bytes = go_ahead.bytes;
        t.response_head_bytes = go_ahead.head;
        t.frames.response = t.frames.response.saturating_add(go_ahead.frames);
        self.done(at, u64::MAX, world, events);
        // Its response came long ago, whatever the stamps say.
        self.settle(world, events);
    }

    /// Raw data, if some is expected from this side.
    pub(super) fn headerless(
        &mut self,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        let Incoming {
            side,
            message,
            world,
            ..
        } = *incoming;
        self.tells_of_brief(incoming, events);
        let may_come = |o: &Open| match o.state {
            OpenState::Raw { .. } => o.side == side,
            OpenState::Waiting => match o.expect {
                Expect::Headerless => o.side != side && o.asked_to <= message.tally.sent.covers,
                // Some clients do not wait to be told to go ahead.
                Expect::GoAhead { rest, .. } => o.side == side && message.input.length == rest,
                _ => false,
            },
            _ => false,
        };
        // Of an older one the capture may lack it: this one is as long as was said of another.
        let fits = |o: &Open| match (o.state, o.expect) {
            (OpenState::Raw { rest, .. }, _) | (_, Expect::GoAhead { rest, .. }) => {
                message.input.length == rest
            }
            _ => false,
        };
        let fitting = self.open.earliest_raw(|o| may_come(o) && fits(o));
        let at = fitting.or_else(|| self.open.earliest_raw(may_come))?;
        // A message with a header is taken for what it says, unless its very length says
        // that it is the data: data may begin with anything.
        let recognised = message.exchange.as_deref().is_some_and(|x| match x.role {
            Role::Response => {
                let found = self.find(x, incoming);
                found.is_some_and(|found| found != at)
            }
            // Data of a file that looks like a message comes from the wrong side.
            Role::Request | Role::Notice | Role::Cancel => {
                (x.sender == Side::Client) == (self.open[at].side == side)
            }
            Role::More | Role::Interim | Role::Turn => false,
            Role::Either | Role::Ack | Role::Upkeep | Role::Refusal | Role::Probe | Role::Alive => {
                true
            }
        });
        let upkeep = message.exchange.is_none() && message.dissector.is_some();
        let length = message.input.length;
        let open = &mut *self.open[at];
        let state = match (open.state, open.expect) {
            (OpenState::Waiting, Expect::GoAhead { rest, .. }) => OpenState::Raw {
                rest,
                answered: false,
            },
            (state, _) => state,
        };
        match state {
            OpenState::Raw { rest, answered } => {
                if (recognised || upkeep) && length != rest {
                    return None;
                }
                if matches!(open.state, OpenState::Raw { .. }) {
                    self.goes_on_as_let(at, incoming, events);
                }
                let open = &mut *self.open[at];
                // Its data counts for the file when it is answered, or done.
                open.goes_on((true, message.tally.bytes, 0), world, events);
                open.deed = Deed::Request;
                let t = &mut *open.transaction;
                t.frames.request = t.frames.request.saturating_add(message.tally.frames);
                let offloaded = t.frames.offloaded.saturating_add(message.tally.offloaded);
                t.frames.offloaded = offloaded;
                t.flags.set(Flags::RAW);
                t.absorb(&message.tally);
                t.request_bytes += message.tally.bytes;
                t.data_bytes = t.data_bytes.saturating_add(u64::from(length));
                let serial = open.serial;
                if answered {
                    t.raw_end = Some(message.tally.extent.last);
                    self.done(at, message.serial, world, events);
                } else {
                    if let Expect::GoAhead { confirmed, .. } = open.expect {
                        // Before the go-ahead, or between it and the confirmation.
                        open.expect =
                            if confirmed != Some(false) || open.state != OpenState::Waiting {
                                Expect::Response
                            } else {
                                t.raw_end = Some(message.tally.extent.last);
                                open.expect
                            };
                    }
                    if t.raw_end.is_none()
                        && let Some(request) = &mut t.request
                    {
                        request.widen(message.tally.extent);
                    }
                    self.asked_whole(serial, true, world, events);
                }
                Some(serial)
            }
            _ => {
                if recognised || upkeep {
                    return None;
                }
                open.transaction.flags.set(Flags::RAW);
                open.transaction.data_bytes += u64::from(length);
                open.respond(&message.tally);
                let serial = open.serial;
                self.done(at, message.serial, world, events);
                Some(serial)
            }
        }
    }
}
