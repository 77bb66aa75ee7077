//! What went one way, from one station to another on one carrier.

use super::TransportKey;
use super::{StationMeter, TransportMeter};
use crate::table::{Table, TablePlace};
use crate::world::Seen;
use wirewait_wire::{Carries, Endpoint, Order};

/// What went one way.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// The rows of both ends: of the stations, and of their transports.
    pub(super) stations: [Option<TablePlace>; 2],
    pub(super) transports: [Option<TablePlace>; 2],
    pub(super) packets: u64,
    pub(super) bytes: u64,
    pub(super) data_packets: u64,
    pub(super) load: OpenLoad,
}

/// What frames have in them.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenLoad {
    pub(super) frames: u64,
    pub(super) frame_bytes: u64,
    pub(super) datagrams: u64,
    pub(super) datagram_bytes: u64,
}

/// What a frame has in it, for its carrier.
#[derive(Clone, Copy)]
pub(super) enum Carried {
    Nothing,
    /// Part of a message, and whether it ends.
    Message(u64, bool),
    Datagram(u64),
}

impl OpenLoad {
    pub(super) fn count(&mut self, carried: Carried) {
        match carried {
            Carried::Nothing => {}
            Carried::Message(bytes, ends) => {
                self.frames += u64::from(ends);
                self.frame_bytes = self.frame_bytes.saturating_add(bytes);
            }
            Carried::Datagram(bytes) => {
                self.datagrams += 1;
                self.datagram_bytes = self.datagram_bytes.saturating_add(bytes);
            }
        }
    }
}

impl Way {
    pub(super) fn count(&mut self, bytes: u64, carried: Carried) {
        self.packets += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        self.data_packets += u64::from(!matches!(carried, Carried::Nothing));
        self.load.count(carried);
    }

    /// Counts for the rows of both ends.
    pub(super) fn add_to(
        &self,
        rows: &mut Table<TransportKey, TransportMeter>,
        stations: &mut Table<Endpoint, StationMeter>,
    ) {
        let [from, to] = self.stations;
        if let Some(sender) = from.and_then(|place| stations.again(place)) {
            sender.sent(self.packets, self.bytes);
        }
        if let Some(receiver) = to.and_then(|place| stations.again(place)) {
            receiver.received(self.packets, self.bytes);
        }
        let [from, to] = self.transports;
        if let Some(out) = from.and_then(|place| rows.again(place)) {
            out.sent(self.packets, self.data_packets, &self.load);
        }
        if let Some(into) = to.and_then(|place| rows.again(place)) {
            into.received(self.packets, self.data_packets, &self.load);
        }
    }
}

pub(super) fn carried(seen: &Seen<'_>) -> Carried {
    let walk = seen.walk;
    let payload = || {
        let last = walk.last();
        last.map_or(0, |span| u64::from(span.end.saturating_sub(span.payload)))
    };
    match (&walk.facts.order, &walk.facts.carries) {
        (_, Carries::Segment(segment)) => Carried::Message(payload(), segment.last),
        (Order::Stream(_), _) => match payload() {
            0 => Carried::Nothing,
            bytes => Carried::Message(bytes, false),
        },
        (Order::None, Carries::Control | Carries::Turn(_)) => Carried::Nothing,
        (Order::None, _) => match datagram(seen) {
            Some(bytes) => Carried::Datagram(bytes),
            None => Carried::Nothing,
        },
        _ => Carried::Nothing,
    }
}

/// Bytes in a datagram: what the carrier conveys of somebody else's, not what it says itself.
pub(super) fn datagram(seen: &Seen<'_>) -> Option<u64> {
    let carrier = seen.walk.carrier?;
    let walk = seen.walk;
    let says_itself = walk
        .message
        .is_some_and(|message| message.start == carrier.start);
    let bytes = carrier.end.checked_sub(carrier.payload)?;
    (!says_itself && bytes > 0).then_some(u64::from(bytes))
}
