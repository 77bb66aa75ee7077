//! Packets that were captured on both sides of a router: how long it kept them.
//!
//! A router that counts itself changes its count and the link's addresses, and nothing else:
//! the same payload between the same ends with a higher count is the same packet. It must not
//! count twice: of what two stations say, one side of the routers is followed, the one where
//! the first packet was on its way in.

use crate::Times;
use crate::duplicates::SeenBefore;
use crate::table::Table;
use crate::world::Seen;
use wirewait_model::Distribution;
use wirewait_wire::{Endpoint, Timestamp};

/// Pairs of interfaces followed.
const WAYS_THROUGH: usize = 64;
/// Pairs of stations followed.
const PAIRS: usize = 4096;
/// Two stations whose packets were not seen twice for so long may have moved, ns.
const STALE_NS: i64 = 60_000_000_000;

/// A packet passed routers between two places of the capture, of which one is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crossing {
    /// Its sender.
    pub(crate) from: Endpoint,
    /// Its receiver.
    pub(crate) to: Endpoint,
    /// When it was seen on the side that is followed.
    pub(crate) at: Timestamp,
    /// What of the way it was.
    pub(crate) part: CrossingPart,
    /// How long it took; of two interfaces it contains the difference between their clocks, ns.
    pub(crate) ns: i64,
}

/// Where in the times of a transaction the way through routers lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CrossingPart {
    /// Behind the sight that counts, up to another interface: in the receiver's time.
    Out,
    /// Before the sight that counts, from another interface: in the sender's time.
    Back,
    /// Behind the sight that counts, seen at one interface: in the receiver's time.
    Alone,
}

/// Packets that went from one interface of the capture to another through routers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
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

#[derive(Default)]
struct RouterRow {
    transit: Distribution,
    ambiguous: u64,
}

/// Two stations whose packets are captured on both sides of a router.
struct SegmentPair {
    /// The interface that is followed.
    interface: u32,
    /// When a packet of theirs was seen twice.
    at: Timestamp,
}

/// The latest packets of which routers are counted.
pub(super) struct Routers {
    pairs: Table<[Endpoint; 2], SegmentPair>,
    rows: Table<(u32, u32, u8), RouterRow>,
    pub(super) evicted: u64,
}

impl Routers {
    pub(super) fn new() -> Self {
        Self {
            pairs: Table::new(PAIRS),
            rows: Table::new(WAYS_THROUGH),
            evicted: 0,
        }
    }

    /// Whether no two stations are known whose packets were captured on both sides of a router.
    #[inline]
    pub(super) fn is_idle(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether it is seen on the side of a router that is not followed.
    #[inline(never)]
    pub(super) fn seen(
        &mut self,
        seen: &Seen<'_>,
        hops: u8,
        crossed: impl FnOnce(&Crossing),
    ) -> bool {
        let new = SeenBefore {
            at: seen.frame.at,
            interface: seen.frame.interface,
            hops,
            again: false,
        };
        let facts = &seen.walk.facts;
        let way = || (facts.from.station(), facts.to.station());
        self.is_beyond(*seen.before, new, way, crossed)
    }

    /// Takes a packet in that was seen before, if it was; whether it is seen on the side of a
    /// router that is not followed.
    fn is_beyond(
        &mut self,
        before: Option<SeenBefore>,
        new: SeenBefore,
        way: impl Fn() -> (Endpoint, Endpoint),
        crossed: impl FnOnce(&Crossing),
    ) -> bool {
        let before = before.filter(|before| before.hops < new.hops);
        if before.is_none() && self.pairs.is_empty() {
            // A capture with one side has no pairs, and nothing to look up.
            return false;
        }
        let (from, to) = way();
        let pair = [from.min(to), from.max(to)];
        if let Some(before) = before {
            self.passed(before, new);
            let followed = match self.pairs.find(&pair).and_then(|at| self.pairs.get_mut(at)) {
                Some(known) => {
                    known.at = new.at;
                    known.interface
                }
                None => {
                    let (interface, at) = (before.interface, new.at);
                    let (_, evicted) = self.pairs.insert(pair, SegmentPair { interface, at });
                    self.evicted += u64::from(evicted.is_some());
                    interface
                }
            };
            let part = match (before.interface, new.interface) {
                (first, next) if first == next => Some(CrossingPart::Alone),
                (first, _) if first == followed => Some(CrossingPart::Out),
                (_, next) if next == followed => Some(CrossingPart::Back),
                _ => None,
            };
            let ns = new.at.since(before.at);
            if let Some(part) = part.filter(|_| !before.again) {
                let at = match part {
                    CrossingPart::Back => new.at,
                    CrossingPart::Out | CrossingPart::Alone => before.at,
                };
                crossed(&Crossing {
                    from,
                    to,
                    at,
                    part,
                    ns,
                });
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

    fn passed(&mut self, before: SeenBefore, now: SeenBefore) {
        let key = (before.interface, now.interface, now.hops - before.hops);
        let place = match self.rows.find(&key) {
            Some(place) => place,
            None => {
                let (place, evicted) = self.rows.insert(key, RouterRow::default());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::duplicates::Set;

    /// What routers say of packets, and where these are remembered.
    struct Seer(Routers, Set, Option<Crossing>);

    impl Seer {
        fn new() -> Self {
            Self(Routers::new(), Set::MADE, None)
        }

        fn see(&mut self, digest: u64, us: i64, interface: u32, hops: u8) -> bool {
            let new = SeenBefore {
                at: Timestamp::from_nanos(us * 1000),
                interface,
                hops,
                again: false,
            };
            let before = self.1.packet(digest << 40 | digest, new);
            let [a, b] = [1, 2].map(|n| Endpoint::mac([2, 0, 0, 0, 0, n]));
            self.2 = None;
            let crossed = |crossing: &Crossing| self.2 = Some(*crossing);
            self.0.is_beyond(before, new, || (a, b), crossed)
        }
    }

    /// A request from interface 0 to 1, its answer back, and the next ones.
    #[test]
    fn one_side_is_followed() {
        let mut routers = Seer::new();
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
        .map(|(digest, us, interface, hops)| routers.see(digest, us, interface, hops))
        .collect();
        assert_eq!(
            seen,
            [false, true, true, false, false, true, false, false, true]
        );
    }

    #[test]
    fn at_one_interface_the_first_sight_counts() {
        let mut routers = Seer::new();
        assert!(!routers.see(1, 0, 0, 0));
        assert!(routers.see(1, 700, 0, 1));
        assert!(!routers.see(2, 900, 0, 0));
    }

    /// There, back, and there behind another router, which is not the followed side's: the way
    /// counts where it lies in a station's time. Then both sides at one interface.
    #[test]
    fn a_crossing_lies_in_the_time_of_the_station_beyond() {
        let mut routers = Seer::new();
        let mut crossing = |digest, us, interface, hops| {
            routers.see(digest, us, interface, hops);
            let us = |found: Crossing| (found.part, found.ns / 1000, found.at.as_nanos() / 1000);
            routers.2.map(us)
        };
        let [out, back, alone] = [CrossingPart::Out, CrossingPart::Back, CrossingPart::Alone];
        assert_eq!(crossing(1, 0, 0, 0), None);
        assert_eq!(crossing(1, 700, 1, 1), Some((out, 700, 0)));
        assert_eq!(crossing(1, 1500, 2, 2), None);
        assert_eq!(crossing(2, 3000, 1, 0), None);
        assert_eq!(crossing(2, 3900, 0, 1), Some((back, 900, 3900)));
        assert_eq!(crossing(3, 5000, 3, 0), None);
        assert_eq!(crossing(3, 5600, 3, 1), Some((alone, 600, 5000)));
        // Of a packet that was sent twice it is not known which one came through.
        assert_eq!(crossing(4, 6000, 0, 0), None);
        assert_eq!(crossing(4, 7000, 0, 0), None);
        assert_eq!(crossing(4, 7700, 1, 1), None);
    }

    #[test]
    fn each_router_has_its_own_time() {
        let mut routers = Seer::new();
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
            routers.see(digest, us, interface, hops);
        }
        let shown: Vec<(u32, u32, u8, u64, i64)> = routers
            .0
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
        let mut routers = Seer::new();
        for (us, interface, hops) in [(0, 0, 0), (100_000, 0, 0), (100_700, 1, 1)] {
            routers.see(1, us, interface, hops);
        }
        let row = &routers.0.rows()[0];
        assert_eq!((row.transit.n, row.ambiguous), (0, 1));
    }

    #[test]
    fn what_comes_much_later_is_another_packet() {
        let mut routers = Seer::new();
        routers.see(1, 0, 0, 0);
        routers.see(1, 2_000_001, 1, 1);
        assert_eq!(routers.0.rows(), []);
    }
}
