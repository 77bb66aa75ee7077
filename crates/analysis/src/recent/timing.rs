//! How times of one second are spread: few bytes while they are few, and sums that merge
//! exactly.

use crate::{Bucket, Histogram, STEPS_NS, Spread, Times};

/// Equal parts into which each step of a [`Histogram`] is cut, so that a percentile is at most
/// 4.2 % above the value that it stands for.
const PARTS: i64 = 16;

/// Times: count, sum and extremes exactly, the rest by parts of the steps of a [`Histogram`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentTiming {
    spread: Spread,
    /// By part; all but the last of one part are full.
    cells: Vec<TimingCell>,
}

/// Times in one part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TimingCell {
    part: u16,
    n: u16,
}

impl RecentTiming {
    /// Count, extremes and sum.
    #[must_use]
    pub fn spread(&self) -> Spread {
        self.spread
    }

    /// Percentile of the times by nearest rank: the upper end of the part in which that time lies,
    /// but no more than the greatest time. `None` without times.
    #[must_use]
    pub fn percentile(&self, percent: u8) -> Option<i64> {
        let Spread { n, min, max, .. } = self.spread;
        let rank = u128::from(n) * u128::from(percent.min(100));
        let rank = u64::try_from(rank.div_ceil(100)).unwrap_or(n).max(1);
        let mut before = 0u64;
        let cell = self.cells.iter().find(|cell| {
            before += u64::from(cell.n);
            before >= rank
        })?;
        Some(last_of(cell.part).clamp(min, max))
    }

    /// Count, extremes, sum and percentiles.
    #[must_use]
    pub fn times(&self) -> Times {
        let at = |percent| self.percentile(percent).unwrap_or(0);
        Times {
            n: self.spread.n,
            min: self.spread.min,
            p50: at(50),
            p90: at(90),
            p95: at(95),
            p99: at(99),
            max: self.spread.max,
            total: self.spread.total,
        }
    }

    /// The times by the steps of a histogram, exactly.
    #[must_use]
    pub fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::default();
        for cell in &self.cells {
            histogram.record_many(last_of(cell.part), cell.n.into());
        }
        histogram
    }

    /// The steps in which there are times, and how many.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        let buckets: Vec<Bucket> = self.histogram().buckets().collect();
        buckets.into_iter()
    }

    /// Adds all times of another.
    pub fn merge(&mut self, other: &Self) {
        self.spread.merge(&other.spread);
        for cell in &other.cells {
            self.place(cell.part, cell.n);
        }
    }

    /// Counts one time, in nanoseconds.
    pub(super) fn record(&mut self, ns: i64) {
        self.spread.record(ns);
        self.place(part_of(ns), 1);
    }

    /// Forgets all times, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.spread = Spread::default();
        self.cells.clear();
    }

    /// Memory beside its own size, bytes.
    pub(super) fn held(&self) -> usize {
        self.cells.capacity() * size_of::<TimingCell>()
    }

    fn place(&mut self, part: u16, n: u16) {
        let behind = self.cells.partition_point(|cell| cell.part <= part);
        let latest = behind.checked_sub(1).and_then(|i| self.cells.get_mut(i));
        let rest = match latest.filter(|cell| cell.part == part) {
            Some(cell) => {
                let taken = n.min(u16::MAX - cell.n);
                cell.n += taken;
                n - taken
            }
            None => n,
        };
        if rest > 0 {
            self.cells.insert(behind, TimingCell { part, n: rest });
        }
    }
}

/// Where a step begins and where it ends, ns; the last one does not end.
fn step(number: usize) -> (i64, Option<i64>) {
    let from = number.checked_sub(1).and_then(|i| STEPS_NS.get(i).copied());
    (from.unwrap_or(0), STEPS_NS.get(number).copied())
}

/// The part in which this time lies, counted through all steps.
fn part_of(ns: i64) -> u16 {
    let number = STEPS_NS.partition_point(|bound| *bound <= ns);
    let part = match step(number) {
        (from, Some(end)) => (ns.max(from) - from) * PARTS / (end - from),
        _ => 0,
    };
    // 56 steps of 16 parts.
    u16::try_from(number as i64 * PARTS + part).unwrap_or(u16::MAX)
}

/// The longest time of a part.
fn last_of(part: u16) -> i64 {
    let (number, part) = (i64::from(part) / PARTS, i64::from(part) % PARTS);
    match step(number as usize) {
        (from, Some(end)) => from + ((part + 1) * (end - from) + PARTS - 1) / PARTS - 1,
        _ => i64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[i64]) -> RecentTiming {
        let mut timing = RecentTiming::default();
        for ns in values {
            timing.record(*ns);
        }
        timing
    }

    #[test]
    fn parts_are_the_sixteenths_of_the_steps_that_people_know() {
        // From 1 to 1.5 ms: 31.25 us each, so the first holds 1,000,000 to 1,031,249.
        let first = part_of(1_000_000);
        assert_eq!(part_of(1_031_249), first);
        assert_eq!(part_of(1_031_250), first + 1);
        assert_eq!(last_of(first), 1_031_249);
        assert_eq!(last_of(first + 15), 1_499_999);
        assert_eq!(part_of(1_500_000), first + 16);
        assert_eq!((part_of(i64::MIN), part_of(62), part_of(63)), (0, 0, 1));
        assert_eq!((part_of(i64::MAX), last_of(55 * 16)), (55 * 16, i64::MAX));
    }

    #[test]
    fn percentiles_are_by_nearest_rank_and_no_more_than_the_greatest() {
        // Ranks of 4 values: 50 % is the 2nd, 90 % and above the 4th.
        let t = of(&[1_000_000, 2_000_000, 3_000_000, 3_100_000]).times();
        // The 2nd lies in 2,000,000 to 2,062,499.
        assert_eq!((t.p50, t.p90, t.p99), (2_062_499, 3_100_000, 3_100_000));
        assert_eq!(
            (t.n, t.min, t.max, t.total),
            (4, 1_000_000, 3_100_000, 9_100_000)
        );
        assert_eq!(of(&[7]).percentile(50), Some(7), "never above the greatest");
        assert_eq!(RecentTiming::default().percentile(50), None);
    }

    #[test]
    fn more_than_a_cell_can_count_are_counted_too() {
        let mut many = RecentTiming::default();
        for _ in 0..70_000 {
            many.record(5);
        }
        many.record(900_000);
        let mut twice = many.clone();
        twice.merge(&many);
        assert_eq!(twice.spread().n, 140_002);
        assert_eq!(twice.histogram().n(), 140_002);
        assert_eq!(twice.percentile(50), Some(62));
        assert_eq!(twice.percentile(100), Some(900_000));
    }

    proptest! {
        #[test]
        fn parts_hold_what_is_placed_in_them(ns in 0..2_000_000_000_000i64) {
            let part = part_of(ns);
            prop_assert!(ns <= last_of(part));
            prop_assert!(part == 0 || ns > last_of(part - 1));
            if (1000..1_000_000_000_000).contains(&ns) {
                prop_assert!((last_of(part) - ns) * 1000 <= ns * 42, "4.2 %");
            }
        }

        #[test]
        fn merging_is_as_recording_all(
            one in prop::collection::vec(-5..3_000_000_000i64, 0..80),
            two in prop::collection::vec(-5..3_000_000_000i64, 0..80),
        ) {
            let mut both = of(&one);
            both.merge(&of(&two));
            let all = [one, two].concat();
            prop_assert_eq!(&both, &of(&all));
            let mut coarse = Histogram::default();
            all.iter().for_each(|ns| coarse.record(*ns));
            prop_assert_eq!(both.histogram(), coarse);
            let mut sorted = all;
            sorted.sort_unstable();
            for percent in [1, 50, 90, 95, 99, 100u8] {
                let rank = (sorted.len() * usize::from(percent)).div_ceil(100).max(1);
                let exact = sorted.get(rank - 1).copied();
                let found = both.percentile(percent);
                prop_assert_eq!(found.is_some(), exact.is_some());
                if let (Some(found), Some(exact)) = (found, exact) {
                    prop_assert!(found >= exact && part_of(found) == part_of(exact));
                }
            }
        }
    }
}
