//! NetBEUI's session frames: messages cut into first, middle and last ones.

use super::{Context, Conversation, Delivery, Unit, cut};
use crate::nbf;
use crate::scenario::station::{Settings, StationAddress};

impl Conversation {
    /// The numbers of the session: the receiver's, then the sender's.
    pub(super) fn sessions(&self, settings: &Settings, direction: usize) -> (u8, u8) {
        let number = |end: usize| match self.station(settings, end).address {
            StationAddress::Nbf { session, .. } => session,
            _ => 0,
        };
        (number(1 - direction), number(direction))
    }

    /// An NBF session frame as a unit of the link.
    pub(super) fn nbf_unit(
        &mut self,
        context: &Context<'_>,
        direction: usize,
        header: nbf::Header,
        data: &[u8],
    ) -> Unit {
        let (to, from) = self.sessions(context.settings, direction);
        let frame = nbf::session(header, to, from, data);
        self.unit(direction, frame, 1)
    }

    pub(super) fn nbf_units(
        &mut self,
        context: &Context<'_>,
        direction: usize,
        messages: &[Vec<u8>],
        most: usize,
        delivery: &Delivery,
    ) -> Vec<Unit> {
        let mut units = Vec::new();
        for message in messages {
            let pieces = cut(message, most, &delivery.cut);
            let count = pieces.len();
            let correlator = self.next_correlator(direction);
            for (index, piece) in pieces.into_iter().enumerate() {
                let (first, last) = (index == 0, index + 1 == count);
                let mut header = nbf::Header {
                    command: if last {
                        nbf::command::DATA_ONLY_LAST
                    } else {
                        nbf::command::DATA_FIRST_MIDDLE
                    },
                    response: correlator,
                    ..nbf::Header::default()
                };
                if first && let Some(owed) = self.ends[direction].owed.take() {
                    header.data1 |= nbf::flag::ACK_INCLUDED;
                    header.transmit = owed;
                }
                if last && !delivery.plain && !delivery.no_ack {
                    header.data1 |= nbf::flag::ACK_WITH_DATA;
                }
                if delivery.no_ack {
                    header.data1 |= nbf::flag::NO_ACK;
                }
                if first && !last && delivery.go_on {
                    header.data1 |= nbf::flag::CONTINUE;
                }
                units.push(self.nbf_unit(context, direction, header, piece));
            }
            let peer = &mut self.ends[1 - direction];
            peer.last_heard = correlator;
            peer.owed = (!delivery.plain && !delivery.no_ack).then_some(correlator);
        }
        units
    }

    pub(super) fn next_correlator(&mut self, direction: usize) -> u16 {
        let end = &mut self.ends[direction];
        let value = end.correlator;
        end.correlator = value.wrapping_add(1).max(1);
        value
    }
}
