//! Packets that were captured on both sides of a router: how long it kept them.
//!
//! A router that counts itself changes its count and the link's addresses, and nothing else:
//! the same payload between the same ends with a higher count is the same packet. It must not
//! count twice: of what two stations say, one side of the routers is followed, the one where
//! the first packet was on its way in.

use crate::Times;
use crate::distribution::Distribution;
use crate::duplicates::digest;
use crate::state::sparse::{self, Sparse};
use crate::table::Table;
use crate::world::Seen;
use serde::{Deserialize, Serialize};
use wirewait_wire::{Endpoint, Timestamp};

/// A packet that comes later than this is another one, ns.
const WINDOW_NS: i64 = 2_000_000_000;
/// Bytes of a packet that are compared; behind these there is payload, which the numbers in
/// front of it tell apart.
const COMPARED: usize = 160;
/// Packets that can share a set.
const WAYS: usize = 4;
const SETS: usize = 2048;
/// Pairs of interfaces followed.
const WAYS_THROUGH: usize = 64;
/// Pairs of stations followed.
const PAIRS: usize = 4096;
/// Two stations whose packets were not seen twice for so long may have moved, ns.
const STALE_NS: i64 = 60_000_000_000;

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

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Place {
    digest: u64,
    at: Timestamp,
    interface: u32,
    hops: u8,
    /// It was seen with this count twice.
    again: bool,
}

/// The same as it is kept: the digest's lowest bits made room for interface, count and `again`.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Kept {
    word: u64,
    at: Timestamp,
}

/// How many bits that are.
const ROOM: u32 = 25;

impl Place {
    fn kept(self) -> Kept {
        let rest = u64::from(self.interface & 0xffff)
            | u64::from(self.hops) << 16
            | u64::from(self.again) << 24;
        Kept {
            word: self.digest >> ROOM << ROOM | rest,
            at: self.at,
        }
    }
}

impl Kept {
    fn place(self) -> Place {
        Place {
            digest: self.word >> ROOM << ROOM,
            at: self.at,
            interface: (self.word & 0xffff) as u32,
            hops: (self.word >> 16 & 0xff) as u8,
            again: self.word >> 24 & 1 == 1,
        }
    }
}

/// The latest packets whose digests end alike, the latest first. One line of a processor's
/// cache: every packet goes to another set.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[repr(align(64))]
struct Set([Kept; WAYS]);

#[derive(Default, Serialize, Deserialize)]
struct Row {
    transit: Distribution,
    ambiguous: u64,
}

/// Two stations whose packets are captured on both sides of a router.
#[derive(Serialize, Deserialize)]
struct Pair {
    /// The interface that is followed.
    interface: u32,
    /// When a packet of theirs was seen twice.
    at: Timestamp,
}

impl Sparse for Set {
    const COUNT: usize = SETS;
    const MADE: Self = Self(
        [Kept {
            word: 0,
            at: Timestamp::from_nanos(i64::MIN),
        }; WAYS],
    );

    fn is_as_made(&self) -> bool {
        self.0
            .iter()
            .all(|kept| kept.at.as_nanos() == i64::MIN && kept.word == 0)
    }
}

/// The latest packets of which routers are counted.
#[derive(Serialize, Deserialize)]
pub(super) struct Routers {
    pairs: Table<[Endpoint; 2], Pair>,
    #[serde(with = "sparse")]
    sets: Vec<Set>,
    rows: Table<(u32, u32, u8), Row>,
    pub(super) evicted: u64,
}

impl Routers {
    pub(super) fn new() -> Self {
        Self {
            pairs: Table::new(PAIRS),
            sets: Vec::new(),
            rows: Table::new(WAYS_THROUGH),
            evicted: 0,
        }
    }

    /// Whether it is seen on the side of a router that is not followed.
    pub(super) fn seen(&mut self, seen: &Seen<'_>) -> bool {
        let (Some(span), Some(hops)) = (seen.walk.counted, seen.walk.facts.hops) else {
            return false;
        };
        let start = seen
            .frame
            .bytes
            .get(span.payload as usize..)
            .unwrap_or_default();
        let length = span.end.saturating_sub(span.payload);
        let payload = &start[..start.len().min(length as usize).min(COMPARED)];
        if payload.is_empty() {
            return false;
        }
        let facts = &seen.walk.facts;
        let ends = seen.path.digest.get().unwrap_or_else(|| {
            let ends = end(&facts.from).rotate_left(17) ^ end(&facts.to).rotate_left(41);
            seen.path.digest.set(Some(ends));
            ends
        });
        let digest = digest(payload, length.into()) ^ ends;
        let new = Place {
            digest,
            at: seen.frame.at,
            interface: seen.frame.interface,
            hops,
            again: false,
        };
        self.is_beyond(new, || {
            let mut pair = [facts.from.station(), facts.to.station()];
            pair.sort_unstable();
            pair
        })
    }

    /// Takes a packet in; whether it is seen on the side of a router that is not followed.
    fn is_beyond(&mut self, new: Place, pair: impl Fn() -> [Endpoint; 2]) -> bool {
        let before = self.remember(new).filter(|before| before.hops < new.hops);
        if before.is_none() && self.pairs.is_empty() {
            // A capture with one side has no pairs, and nothing to look up.
            return false;
        }
        let pair = pair();
        if let Some(before) = before {
            self.passed(before, new);
            match self.pairs.find(&pair).and_then(|at| self.pairs.get_mut(at)) {
                Some(known) => known.at = new.at,
                None => {
                    let (interface, at) = (before.interface, new.at);
                    let (_, evicted) = self.pairs.insert(pair, Pair { interface, at });
                    self.evicted += u64::from(evicted.is_some());
                }
            }
            if before.interface == new.interface {
                // Both sides at one interface: the first sight counts.
                return true;
            }
        }
        let place = self.pairs.find(&pair);
        let known = place.and_then(|at| self.pairs.get_mut(at));
        known.is_some_and(|known| {
            known.interface != new.interface
                && new.at.since(known.at).unsigned_abs() <= STALE_NS.unsigned_abs()
        })
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
        if self.sets.is_empty() {
            self.sets = vec![Set::MADE; SETS];
        }
        let Set(ways) = &mut self.sets[new.digest as usize % SETS];
        let kept = new.kept();
        let same = |k: &Kept| {
            (k.word ^ kept.word) >> ROOM == 0 && (0..=WINDOW_NS).contains(&new.at.since(k.at))
        };
        match ways.iter_mut().find(|k| same(k)) {
            Some(known) => {
                let before = known.place();
                let again = before.again || new.hops <= before.hops;
                *known = Place { again, ..new }.kept();
                Some(before)
            }
            None => {
                // The oldest of them makes room.
                ways.copy_within(..WAYS - 1, 1);
                ways[0] = kept;
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
            digest: digest << 32 | digest,
            at: Timestamp::from_nanos(us * 1000),
            interface,
            hops,
            again: false,
        }
    }

    fn see(routers: &mut Routers, new: Place) -> bool {
        let pair = [1, 2].map(|n| Endpoint::mac([2, 0, 0, 0, 0, n]));
        routers.is_beyond(new, || pair)
    }

    /// A request from interface 0 to 1, its answer back, and the next ones.
    #[test]
    fn one_side_is_followed() {
        let mut routers = Routers::new();
        let seen: Vec<bool> = [
            (1, 0, 0, 0),
            (1, 700, 1, 1),
            (2, 3000, 1, 0),
            (2, 3900, 0, 1),
            (3, 5000, 0, 0),
            (3, 5700, 1, 1),
            // Beyond a minute of silence the other side counts, until it is seen twice again.
            (4, 70_000_000, 1, 0),
            (4, 70_000_900, 0, 1),
            (5, 70_001_000, 1, 0),
        ]
        .into_iter()
        .map(|(digest, us, interface, hops)| see(&mut routers, packet(digest, us, interface, hops)))
        .collect();
        assert_eq!(
            seen,
            [false, true, true, false, false, true, false, false, true]
        );
    }

    #[test]
    fn at_one_interface_the_first_sight_counts() {
        let mut routers = Routers::new();
        assert!(!see(&mut routers, packet(1, 0, 0, 0)));
        assert!(see(&mut routers, packet(1, 700, 0, 1)));
        assert!(!see(&mut routers, packet(2, 900, 0, 0)));
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
