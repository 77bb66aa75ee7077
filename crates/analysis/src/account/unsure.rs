//! Pauses that may be loss recovery before the capture, where nothing in it shows whether they are:
//! packets without numbers (IPv6), or with numbers that other connections share.
//!
//! At the server, a request that was lost looks like a client that takes its time, and at the client
//! a response that was lost like a server that does. Such a pause may be the network's; it is no
//! evidence that it was.

use super::distance::Reach;
use crate::packets::TIMER_NS;

/// The longest pause that a single retransmission timer explains, ns: the first one where no round
/// trip is known (RFC 6298, 2.1).
const LONGEST_NS: i64 = 1_000_000_000;
/// At most one pause in this number of requests is doubted: where more of them are lost, some are lost
/// repeatedly, and work stops.
const RARE: u32 = 10;
/// The capture was made at a station that answers in this part of the time that the other takes.
const NEARER: i64 = 4;

/// Pauses that may be loss recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsurePauses {
    /// How many there are.
    pub count: u64,
    /// All of them together, ns.
    pub ns: u64,
}

impl UnsurePauses {
    pub(super) fn add(&mut self, ns: u64) {
        self.count += 1;
        self.ns = self.ns.saturating_add(ns);
    }
}

/// How often a station paused as long as a retransmission timer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paused {
    requests: u32,
    unsure: u32,
}

impl Paused {
    /// One more request closed.
    #[inline]
    pub(super) fn closed(&mut self) {
        self.requests = self.requests.saturating_add(1);
    }

    /// How much of a pause of `station` may be loss recovery, ns; `other` is the other end.
    #[cold]
    pub(super) fn doubts(&mut self, pause: i64, station: Reach, other: Reach) -> u64 {
        if !(TIMER_NS..=LONGEST_NS).contains(&pause) {
            return 0;
        }
        self.unsure = self.unsure.saturating_add(1);
        let rare = self.unsure.saturating_mul(RARE) <= self.requests;
        let known = station.samples > 0 && other.samples > 0;
        let here = known && station.shortest.saturating_mul(NEARER) <= other.shortest;
        match rare && !here {
            true => u64::try_from(pause).unwrap_or(0),
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn far(samples: u64, shortest: i64) -> Reach {
        Reach {
            samples,
            shortest,
            ..Reach::default()
        }
    }

    fn after(requests: u32, pause: i64, station: Reach, other: Reach) -> u64 {
        let mut paused = Paused::default();
        (0..requests).for_each(|_| paused.closed());
        paused.doubts(pause, station, other)
    }

    #[test]
    fn a_pause_as_long_as_a_timer_may_be_one() {
        let of = |pause| after(10, pause, Reach::default(), Reach::default());
        assert_eq!(of(200 * MS - 1), 0);
        assert_eq!(of(200 * MS), 200_000_000);
        assert_eq!(of(1_000 * MS), 1_000_000_000);
        assert_eq!(of(1_000 * MS + 1), 0);
    }

    /// One of ten may have been lost. One of nine would be more than a tenth, and so would two of
    /// nineteen; three of forty are less.
    #[test]
    fn who_pauses_often_thinks() {
        let none = Reach::default();
        assert_eq!(after(9, 250 * MS, none, none), 0);
        let mut paused = Paused::default();
        let mut doubted = 0;
        for request in 1..=40 {
            paused.closed();
            if [10, 19, 40].contains(&request) {
                doubted += u64::from(paused.doubts(250 * MS, none, none) > 0);
            }
        }
        assert_eq!(doubted, 2, "the tenth and the fortieth");
    }

    /// Between a station and a capture made there nothing is lost.
    #[test]
    fn where_the_capture_was_made_nothing_is_lost_before_it() {
        let of = |station, other| after(10, 250 * MS, station, other);
        assert_eq!(of(far(1, 50_000), far(1, 200_000)), 0);
        assert_eq!(of(far(1, 50_001), far(1, 200_000)), 250_000_000);
        assert_eq!(of(far(1, 200_000), far(1, 50_000)), 250_000_000);
        assert_eq!(of(far(1, 50_000), far(0, 0)), 250_000_000, "unknown");
    }
}
