//! Packets that were captured on both sides of a router: how long it kept them.
//!
//! A router that counts itself changes its count and the link's addresses, and nothing else:
//! the same payload between the same ends with a higher count is the same packet.

use crate::Times;
use crate::distribution::Distribution;
use crate::duplicates::digest;
use crate::table::Table;
use crate::world::Seen;
use wirewait_wire::{Endpoint, Timestamp};

/// A packet that comes later than this is another one, ns.
const WINDOW_NS: i64 = 2_000_000_000;
/// Bytes of a packet that are compared; behind these there is payload, which the numbers in
/// front of it tell apart.
const COMPARED: usize = 160;
/// Packets remembered, and how many can share a place.
const PLACES: usize = 8192;
const WAYS: usize = 4;
/// Pairs of interfaces followed.
const WAYS_THROUGH: usize = 64;

/// Packets that went from one interface of the capture to another through routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransitRow {
    /// The interface that saw them first.
    pub from_interface: u32,
    /// The interface that saw them next.
    pub to_interface: u32,
    /// Routers in between.
    pub routers: u8,
    /// From the one to the other; in it are the routers and the time on the wires.
    pub transit: Times,
    /// Packets that had been sent twice before they were seen again: which one that was is
    /// unknown.
    pub ambiguous: u64,
}

#[derive(Clone, Copy)]
struct Place {
    digest: u64,
    at: Timestamp,
    interface: u32,
    hops: u8,
    /// It was seen with this count twice.
    again: bool,
}

#[derive(Default)]
struct Row {
    transit: Distribution,
    ambiguous: u64,
}

/// The latest packets of which routers are counted.
pub(super) struct Routers {
    places: Vec<Place>,
    rows: Table<(u32, u32, u8), Row>,
    pub(super) evicted: u64,
}

impl Routers {
    pub(super) fn new() -> Self {
        Self {
            places: Vec::new(),
            rows: Table::new(WAYS_THROUGH),
            evicted: 0,
        }
    }

    pub(super) fn seen(&mut self, seen: &Seen<'_>) {
        let (Some(span), Some(hops)) = (seen.walk.counted, seen.walk.facts.hops) else {
            return;
        };
        let start = seen
            .frame
            .bytes
            .get(span.payload as usize..)
            .unwrap_or_default();
        let length = span.end.saturating_sub(span.payload);
        let payload = &start[..start.len().min(length as usize).min(COMPARED)];
        if payload.is_empty() {
            return;
        }
        let facts = &seen.walk.facts;
        let digest = digest(payload, length.into())
            ^ end(&facts.from).rotate_left(17)
            ^ end(&facts.to).rotate_left(41);
        let new = Place {
            digest,
            at: seen.frame.at,
            interface: seen.frame.interface,
            hops,
            again: false,
        };
        if let Some(before) = self.remember(new)
            && before.hops < hops
        {
            self.passed(before, new);
        }
    }

    pub(super) fn rows(&self) -> Vec<TransitRow> {
        let mut rows: Vec<TransitRow> = self
            .rows
            .iter()
            .map(|((from, to, routers), row)| TransitRow {
                from_interface: *from,
                to_interface: *to,
                routers: *routers,
                transit: row.transit.times(),
                ambiguous: row.ambiguous,
            })
            .collect();
        rows.sort_by_key(|row| (row.from_interface, row.to_interface, row.routers));
        rows
    }

    /// Puts a packet in its place, and tells of the same one seen before.
    fn remember(&mut self, new: Place) -> Option<Place> {
        if self.places.is_empty() {
            let never = Place {
                digest: 0,
                at: Timestamp::from_nanos(i64::MIN),
                interface: 0,
                hops: 0,
                again: false,
            };
            self.places = vec![never; PLACES];
        }
        let first = (new.digest >> 32) as usize % (PLACES / WAYS) * WAYS;
        let ways = &mut self.places[first..first + WAYS];
        let same =
            |p: &Place| p.digest == new.digest && (0..=WINDOW_NS).contains(&new.at.since(p.at));
        match ways.iter_mut().find(|p| same(p)) {
            Some(place) => {
                let before = *place;
                *place = Place {
                    again: before.again || new.hops <= before.hops,
                    ..new
                };
                Some(before)
            }
            None => {
                // The oldest of them makes room.
                ways.rotate_right(1);
                ways[0] = new;
                None
            }
        }
    }

    fn passed(&mut self, before: Place, now: Place) {
        let key = (before.interface, now.interface, now.hops - before.hops);
        let place = match self.rows.find(&key) {
            Some(place) => place,
            None => {
                let (place, evicted) = self.rows.insert(key, Row::default());
                self.evicted += u64::from(evicted.is_some());
                place
            }
        };
        let row = self.rows.at(place);
        if before.again {
            row.ambiguous += 1;
        } else {
            row.transit.record(now.at.since(before.at));
        }
    }
}

fn end(endpoint: &Endpoint) -> u64 {
    let identity = endpoint.identity();
    let address = identity.address();
    digest(&address.to_le_bytes(), identity.rest())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(digest: u64, us: i64, interface: u32, hops: u8) -> Place {
        Place {
            digest: digest << 32,
            at: Timestamp::from_nanos(us * 1000),
            interface,
            hops,
            again: false,
        }
    }

    fn see(routers: &mut Routers, new: Place) {
        if let Some(before) = routers.remember(new)
            && before.hops < new.hops
        {
            routers.passed(before, new);
        }
    }

    #[test]
    fn each_router_has_its_own_time() {
        let mut routers = Routers::new();
        // Two routers in a row, one packet there and one back; then two routers at once.
        for (digest, us, interface, hops) in [
            (1, 0, 0, 0),
            (1, 700, 1, 1),
            (1, 1500, 2, 2),
            (2, 3000, 2, 0),
            (2, 3900, 1, 1),
            (3, 5000, 0, 0),
            (3, 6000, 2, 2),
        ] {
            see(&mut routers, packet(digest, us, interface, hops));
        }
        let shown: Vec<(u32, u32, u8, u64, i64)> = routers
            .rows()
            .iter()
            .map(|r| {
                (
                    r.from_interface,
                    r.to_interface,
                    r.routers,
                    r.transit.n,
                    r.transit.max,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (0, 1, 1, 1, 700_000),
                (0, 2, 2, 1, 1_000_000),
                (1, 2, 1, 1, 800_000),
                (2, 1, 1, 1, 900_000),
            ]
        );
    }

    #[test]
    fn a_packet_sent_twice_is_no_measure() {
        let mut routers = Routers::new();
        for (us, interface, hops) in [(0, 0, 0), (100_000, 0, 0), (100_700, 1, 1)] {
            see(&mut routers, packet(1, us, interface, hops));
        }
        let row = &routers.rows()[0];
        assert_eq!((row.transit.n, row.ambiguous), (0, 1));
    }

    #[test]
    fn what_comes_much_later_is_another_packet() {
        let mut routers = Routers::new();
        see(&mut routers, packet(1, 0, 0, 0));
        see(&mut routers, packet(1, 2_000_001, 1, 1));
        assert_eq!(routers.rows(), []);
    }
}
