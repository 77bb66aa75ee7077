//! How fine the clock is that stamped the frames. Between two ticks it stands still, so frames that follow
//! each other have the same stamp; a fine clock gives hardly any two.

/// Two different stamps that are closer are those of a fine clock, ns: a frame of 100 bytes takes longer on
/// 10 Mbit/s, and nothing that is judged is shorter.
const FINE_NS: i64 = 100_000;
/// Frames that have the stamp of the frame before, at least,
const SAME: u64 = 8;
/// and of how many frames they are one, at least.
const SAME_IN: u64 = 32;
/// Frames after which a clock that did not tick is fine.
const LOOKED_AT: u64 = 1024;
/// The coarsest unit of stamps that is looked for, ns.
const SECOND: i64 = 1_000_000_000;
/// How often clocks tick that stamps are no multiples of, ns: 65,536 of 1,193,182 Hz (PC), 1/60 and 1/64 s.
const PERIODS: [i64; 3] = [54_925_401, 16_666_667, 15_625_000];
/// A tick that is known to less than one part in as many is not guessed.
const EXACT: i64 = 16;

impl ClockTick {
    /// Pauses are nearly, or hardly, idle where they differ from the think limit by at most this part of it.
    pub const NEARLY: u64 = 8;
}

/// Looks for the ticks of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticks {
    /// It is fine: nothing more is looked at.
    pub(crate) fine: bool,
    frames: u64,
    /// Frames with the stamp of the frame before.
    pub(crate) same: u64,
    /// The latest frame is one of those.
    again: bool,
    /// The shortest time between two different stamps, ns.
    least: i64,
    /// The power of ten of which all stamps are multiples, ns.
    unit: i64,
}

impl Default for Ticks {
    fn default() -> Self {
        Self {
            fine: false,
            frames: 0,
            same: 0,
            again: false,
            least: i64::MAX,
            unit: SECOND,
        }
    }
}

impl Ticks {
    /// A frame with this stamp, so long after the one before.
    #[inline(never)]
    pub(crate) fn frame(&mut self, at: i64, passed: i64) {
        self.frames += 1;
        while at % self.unit != 0 {
            self.unit /= 10;
        }
        self.again = passed == 0;
        if self.again {
            self.same += 1;
        } else {
            self.least = self.least.min(passed);
            self.fine = self.least < FINE_NS;
        }
        if self.frames == LOOKED_AT && !self.is_shown() {
            self.fine = true;
        }
    }

    /// The latest frame is a copy of one before: that both have one stamp shows nothing of the clock.
    #[cold]
    pub(crate) fn copied(&mut self) {
        if std::mem::take(&mut self.again) {
            self.same -= 1;
            self.frames -= 1;
        }
    }

    fn is_shown(&self) -> bool {
        self.same >= SAME && self.same.saturating_mul(SAME_IN) >= self.frames
    }

    /// The longest time that the clock stands still, ns; 0 where it is fine.
    pub(crate) fn ns(&self) -> u64 {
        if self.fine || !self.is_shown() || self.least == i64::MAX {
            return 0;
        }
        // Ticks that are no multiple of the unit in which they are written are rounded to it: 54.9 ms to 50 or 60. A stamp
        // is one unit more too early then.
        let rounded = if self.least > self.unit { self.unit } else { 0 };
        u64::try_from(self.least.saturating_add(rounded)).unwrap_or(0)
    }

    /// How often it ticks, ns, as [`Self::ns`] without what writing it in units adds, where that is a known clock; 0 where it
    /// is fine.
    pub(crate) fn period_ns(&self) -> u64 {
        let ns = self.ns();
        let unit = self.unit.min(self.least);
        if ns == 0 || unit > self.least / EXACT {
            return ns;
        }
        let known = PERIODS.into_iter();
        let mut known = known.filter(|period| (period - self.least).abs() < unit.max(2));
        known.next().map_or(ns, i64::unsigned_abs)
    }
}

/// What the clock of a capture cannot show, and how many of the account's slices it concerns. A frame is
/// stamped up to one tick too early, or too late, so each end of a slice may be elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockTick {
    /// How long the clock stands still, ns; 0 where it is fine. Of stamps that are written in a unit of which a tick is no
    /// multiple, that unit more.
    pub ns: u64,
    /// How often it ticks, ns, as far as that is known; 0 where it is fine.
    pub period_ns: u64,
    /// Requests in the account.
    pub requests: u64,
    /// Messages in several frames, and slices of loss recovery: transfers that may have taken time.
    pub transfers: u64,
    /// Slices of requests that are not the server's.
    pub slices: u64,
    /// Pauses that are idle time.
    pub idles: u64,
    /// Pauses of clients that are nearly as long as those that are idle, ns.
    pub nearly_idle: u64,
    /// Idle pauses that are hardly longer than those which are not, ns.
    pub hardly_idle: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn ticks(stamps: impl Iterator<Item = i64>) -> Ticks {
        let mut ticks = Ticks::default();
        let stamps: Vec<i64> = stamps.collect();
        for two in stamps.windows(2) {
            ticks.frame(two[1], two[1] - two[0]);
        }
        ticks
    }

    /// Frames 0.37 ms apart.
    fn stamped(floor: impl Fn(i64) -> i64) -> u64 {
        ticks((0..400).map(|n| floor(n * 370_000))).ns()
    }

    #[test]
    fn the_tick_is_the_shortest_time_between_different_stamps() {
        assert_eq!(stamped(|at| at), 0);
        for tick in [MS, 10 * MS, 15_625_000] {
            let found = stamped(|at| at / tick * tick);
            assert!(
                (tick as u64..=tick as u64 * 11 / 10).contains(&found),
                "{tick}: {found}"
            );
        }
    }

    /// 18.2 ticks a second, written in microseconds and in hundredths of a second.
    #[test]
    fn ticks_that_are_rounded_are_no_shorter_than_they_are() {
        let pc = |at: i64| at / 54_925_400 * 54_925_400;
        let found = stamped(|at| pc(at) / 1_000 * 1_000);
        assert!((54_925_400..=54_928_000).contains(&found), "{found}");
        let found = stamped(|at| pc(at) / (10 * MS) * 10 * MS);
        assert_eq!(found, 60_000_000);
    }

    /// The tick of a PC (54.925401 ms), of 60 and of 64 Hz, in the units of capture formats. In ms, some are one more.
    #[test]
    fn the_period_of_a_known_clock_is_found_however_it_is_written() {
        for (period, units) in [
            (54_925_401, [1, 1_000, MS]),
            (16_666_667, [1, 1_000, MS]),
            (15_625_000, [1, 1_000, 100_000]),
        ] {
            for unit in units {
                let found = ticks((0..400).map(|n| n * 3_700_000 / period * period / unit * unit));
                assert_eq!(found.period_ns(), period as u64, "{unit}");
                assert!(found.ns() >= period as u64, "{unit}");
            }
        }
        let tick = |period: i64| ticks((0..400).map(|n| n * 3_700_000 / period * period));
        assert_eq!(tick(55 * MS).period_ns(), 54_925_401, "rounded to ms");
        for other in [10 * MS, 56 * MS, 50 * MS] {
            assert_eq!(tick(other).period_ns(), tick(other).ns(), "{other}");
        }
        assert_eq!(ticks((0..400).map(|n| n * 5 * MS)).period_ns(), 0);
    }

    /// Written by hand in milliseconds, and never two at once.
    /// Frames every 201 us, and each again as the copy that another file has of it.
    #[test]
    fn a_copy_with_the_same_stamp_is_no_tick() {
        let found = |copies: bool| {
            let mut ticks = Ticks::default();
            for n in 0..200 {
                let at = n * 201_000;
                ticks.frame(at, if n == 0 { at } else { 201_000 });
                ticks.frame(at, 0);
                if copies {
                    ticks.copied();
                }
            }
            ticks.ns()
        };
        // A stamp may be a microsecond too early.
        assert_eq!((found(false), found(true)), (202_000, 0));
    }

    #[test]
    fn round_stamps_alone_are_no_ticks() {
        assert_eq!(ticks((0..400).map(|n| n * 5 * MS)).ns(), 0);
        let seven = (0..400).map(|n| if n <= 14 { n / 2 * MS } else { n * MS });
        assert_eq!(ticks(seven).ns(), 0, "seven at once");
        let eight = (0..200).map(|n| if n <= 16 { n / 2 * MS } else { n * MS });
        assert_eq!(ticks(eight).ns(), MS as u64);
        let rare = (0..400).map(|n| if n <= 16 { n / 2 * MS } else { n * MS });
        assert_eq!(ticks(rare).ns(), 0, "one in 50");
    }

    #[test]
    fn a_clock_that_did_not_tick_for_long_is_fine() {
        let slow = |frames: i64| ticks((0..frames).map(|n| n * MS)).fine;
        assert_eq!([slow(1_024), slow(1_025)], [false, true]);
        assert!(!ticks((0..2_000).map(|n| n / 8 * MS)).fine, "it ticks");
    }

    #[test]
    fn two_stamps_close_together_are_those_of_a_fine_clock() {
        let mut stamps: Vec<i64> = (0..400).map(|n| n / 4 * MS).collect();
        stamps.push(99 * MS + 99_999);
        let ticks = ticks(stamps.into_iter());
        assert!(ticks.fine && ticks.ns() == 0);
    }
}
