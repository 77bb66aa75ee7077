//! Raw data: bytes without a header that a request, or a response, is followed by.

use super::{Incoming, Pairing};
use crate::open::{Open, OpenState};
use crate::world::Events;
use crate::{Deed, Flags};
use wirewait_wire::{Expect, Role, Side};

impl Pairing {
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
                        open.expect = if confirmed || open.state != OpenState::Waiting {
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
