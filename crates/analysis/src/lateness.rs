//! How much later than others the frames of a station come, by its own clock: the time stamps of TCP (RFC 7323,
//! section 4.1; linux `tcp_transmit_skb`: as the segment is sent).
//!
//! A stamp says when a segment was sent, in ticks of an unknown clock. What passes between that and its arrival is
//! the way, and a number that is the same for all segments of the connection: those that took least lately show
//! it. What another one took more, it was longer on its way.

use std::num::NonZeroU32;
use wirewait_wire::Timestamp;

/// The ticks that senders have, ns: RFC 7323 asks for 1 ms to 1 s. Linux before 4.13 had 1, 4 and 10 ms, Windows has 1
/// and 10 ms.
const TICKS_NS: [i64; 4] = [1_000_000, 4_000_000, 10_000_000, 100_000_000];
/// What a tick is shows after this time, ns, at the soonest,
const LEARNS_NS: i64 = 300_000_000;
/// and by no more than this it is not a known one, as a part of it: what came later then adds to it.
const NEARLY: i64 = 4;
/// What shows none for so long never will, ns.
const LEARNT_NS: i64 = 30_000_000_000;
/// The fastest of so long counts, ns, and of the time as long before. Two clocks go apart by a tenth of a thousandth.
const WINDOW_NS: i64 = 4_000_000_000;
/// By so much both clocks may go apart in two windows, ns.
const APART_NS: i64 = 1_000_000;
/// Late is what comes later than this, times what is not sure.
const LATE: i64 = 4;
/// Nothing is on its way for longer, ns: one of the clocks was set, or stood still.
const LONGEST_NS: i64 = 2_000_000_000;

/// How much longer than others something was on its way, microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lateness {
    /// At least; 0 where the sender's clock may have stood still instead.
    pub(crate) least_us: u32,
    /// At most.
    pub(crate) most_us: u32,
}

impl Lateness {
    pub(crate) const NONE: Self = Self {
        least_us: 0,
        most_us: 0,
    };
}

/// The clock of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SenderClock {
    /// A stamp, and when it came.
    from: Option<(u32, Timestamp)>,
    /// 0 as long as it is not known.
    tick_ns: i64,
    /// When this window ends, and the least in it and in the one before, as what came later than its stamp.
    until: Timestamp,
    least: [Option<i64>; 2],
    /// What was the least as something came late, until something came as soon again.
    late: Option<i64>,
    /// Something did: the way varies, and the clock goes on.
    returned: bool,
}

impl SenderClock {
    /// A segment with this stamp came, by a clock of the capture that stands still for `still_ns` at a time. How late it was.
    #[inline(never)]
    pub(crate) fn came(&mut self, stamp: NonZeroU32, at: Timestamp, still_ns: i64) -> Lateness {
        let Some((first, since)) = self.from else {
            self.from = Some((stamp.get(), at));
            return Lateness::NONE;
        };
        let ticks = i64::from(stamp.get().wrapping_sub(first).cast_signed());
        let passed = at.since(since);
        if self.tick_ns == 0 {
            self.learn(ticks, passed);
            return Lateness::NONE;
        }
        let behind = passed.saturating_sub(ticks * self.tick_ns);
        let known = self.least.iter().flatten().min().copied();
        let unsure = (self.tick_ns + APART_NS).saturating_add(still_ns);
        let late = known.map_or(0, |known| behind.saturating_sub(known));
        if late.unsigned_abs() > LONGEST_NS.unsigned_abs() {
            *self = Self::default();
            return Lateness::NONE;
        }
        if at >= self.until {
            let gone = at.since(self.until) >= WINDOW_NS;
            self.least = [None, self.least[0].filter(|_| !gone)];
            self.until = at.plus(WINDOW_NS);
            // Stamps come around in weeks: the difference of two must not.
            self.goes_on(stamp.get(), at, behind);
            let known = known.map(|known| known.saturating_sub(behind));
            return self.is_late(0, known, late, unsure);
        }
        self.is_late(behind, known, late, unsure)
    }

    fn is_late(&mut self, behind: i64, known: Option<i64>, late: i64, unsure: i64) -> Lateness {
        self.least[0] = Some(self.least[0].map_or(behind, |least| least.min(behind)));
        if late < unsure.saturating_mul(LATE) {
            if let Some(was) = self.late
                && behind <= was.saturating_add(unsure)
            {
                self.returned = true;
                self.late = None;
            }
            return Lateness::NONE;
        }
        self.late = self.late.or(known);
        let us = |ns: i64| u32::try_from(ns / 1_000).unwrap_or(u32::MAX);
        Lateness {
            least_us: if self.returned { us(late - unsure) } else { 0 },
            most_us: us(late.saturating_add(unsure)),
        }
    }

    /// All is relative to this stamp from now on.
    fn goes_on(&mut self, stamp: u32, at: Timestamp, behind: i64) {
        self.from = Some((stamp, at));
        for least in self.least.iter_mut().flatten() {
            *least = least.saturating_sub(behind);
        }
        if let Some(late) = &mut self.late {
            *late = late.saturating_sub(behind);
        }
    }

    #[cold]
    fn learn(&mut self, ticks: i64, passed: i64) {
        if passed < LEARNS_NS {
            // The one before may be the one that was set.
            if passed < -LEARNS_NS {
                *self = Self::default();
            }
            return;
        }
        let tick = passed / ticks.max(1);
        let known = TICKS_NS.into_iter();
        let known = known.min_by_key(|known| (known - tick).abs());
        match known.filter(|known| ticks > 0 && (known - tick).abs() <= known / NEARLY) {
            Some(tick) => {
                self.tick_ns = tick;
                // The stamp that all are relative to came with nothing behind it.
                self.least[0] = Some(0);
                self.until = self.from.map_or(self.until, |(_, at)| at.plus(WINDOW_NS));
            }
            None if passed > LEARNT_NS => *self = Self::default(),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// Lateness of segments that are sent then, ms, and take so long, us, with a clock of this tick that begins anywhere.
    fn late(tick_ns: i64, sent: impl Iterator<Item = (i64, i64)>) -> Vec<(u32, u32)> {
        let mut clock = SenderClock::default();
        let all = sent.map(|(ms, way_us)| {
            let stamp = 0xffff_f000_u32.wrapping_add(u32::try_from(ms * MS / tick_ns).unwrap());
            let at = Timestamp::from_nanos(7_000 * MS + ms * MS + way_us * 1_000);
            let late = clock.came(NonZeroU32::new(stamp).unwrap_or(NonZeroU32::MIN), at, 0);
            (late.least_us, late.most_us)
        });
        all.collect()
    }

    /// Every 10 ms; for 300 of 400 ms from the second second on, 120 ms later.
    fn bursts(ms: i64) -> i64 {
        match ms {
            ..1_000 => 500,
            _ if ms % 400 < 300 => 120_500,
            _ => 500,
        }
    }

    #[test]
    fn what_comes_later_than_others_was_longer_on_its_way() {
        for tick_ns in [MS, 4 * MS, 10 * MS] {
            let sent: Vec<i64> = (0..2_000).map(|n| n * 10).collect();
            let found = late(tick_ns, sent.iter().map(|ms| (*ms, bursts(*ms))));
            let mut proved = 0;
            for (ms, (least, most)) in sent.iter().zip(&found) {
                let more = u32::try_from(bursts(*ms) - 500).unwrap();
                assert!(*least <= more, "{ms} ms, tick {tick_ns}: {least} us");
                let enough = *most >= more || more == 0;
                assert!(enough || *ms < 1_000, "{ms} ms, tick {tick_ns}: {most} us");
                proved += u32::from(*least > 0 && more > 0);
            }
            // All but those of the first burst, and of those that begin a window.
            assert!(proved > 1_200, "tick {tick_ns}: {proved}");
        }
    }

    /// The machine stood still for 300 ms, and its clock with it.
    #[test]
    fn a_clock_that_stood_still_proves_nothing() {
        let sent = (0..2_000).map(|n| n * 10);
        let found = late(
            MS,
            sent.map(|ms| (ms, if ms < 5_000 { 500 } else { 300_500 })),
        );
        assert!(found.iter().all(|(least, _)| *least == 0));
        assert!(
            found.iter().any(|(_, most)| *most >= 300_000),
            "it may have been the way"
        );
        assert!(
            found[1_600..].iter().all(|late| *late == (0, 0)),
            "for some seconds"
        );
    }

    #[test]
    fn clocks_that_go_apart_are_not_late() {
        // A hundred microseconds a second, for an hour.
        let found = late(MS, (0..36_000).map(|n| (n * 100, 500 + n * 10)));
        assert!(found.iter().all(|late| *late == (0, 0)));
    }

    #[test]
    fn a_clock_that_is_set_says_nothing() {
        let found = late(
            MS,
            (0..2_000).map(|n| (n * 10, if n < 1_000 { 500 } else { 3_600_000_000 })),
        );
        assert!(found.iter().all(|late| *late == (0, 0)));
    }

    #[test]
    fn no_stamps_are_any_trouble() {
        let mut clock = SenderClock::default();
        for n in 0..10_000_u32 {
            let stamp = NonZeroU32::new(n.wrapping_mul(0x9e37_79b9) | 1).unwrap();
            let at = i64::from(n.wrapping_mul(0x85eb_ca6b)) << (n % 33);
            clock.came(stamp, Timestamp::from_nanos(at), 0);
        }
        clock.came(NonZeroU32::MAX, Timestamp::from_nanos(i64::MAX), i64::MAX);
        clock.came(NonZeroU32::MIN, Timestamp::from_nanos(i64::MIN), 0);
    }
}
