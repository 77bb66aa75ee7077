//! Percentiles of times, in bounded memory.

mod batch;

pub use batch::Batch;
pub(crate) use batch::BitsOf;

use crate::{EXACT_VALUES, Fidelity, Sample, Spread, Times};
use batch::SMALL;

/// Counts times of 0 ns to about a day; what is longer counts as that long, except in
/// `max` and `total`.
pub const LONGEST_NS: u64 = 100_000_000_000_000;

/// Times under one key: exact while they are few, in buckets from then on.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    n: u64,
    min: i64,
    max: i64,
    total: i128,
    few: Vec<i64>,
    many: Option<Box<Buckets>>,
}

impl Distribution {
    /// Counts one time, in nanoseconds.
    pub fn record(&mut self, ns: i64) {
        if self.n == 0 {
            (self.min, self.max) = (ns, ns);
        }
        self.n += 1;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.total += i128::from(ns);
        self.place(ns);
    }

    /// Counts several at once.
    pub fn record_all(&mut self, batch: &Batch) {
        let spread = batch.spread();
        if spread.n == 0 {
            return;
        }
        match (&mut self.many, batch.only()) {
            // As are the times of what lies in one frame.
            (Some(buckets), Some((_, slot))) => buckets.add(slot, spread.n as u32),
            (Some(buckets), None) => buckets.add_each(batch.slots()),
            (None, _) => batch.values().for_each(|ns| self.place(ns)),
        }
        self.spread(spread);
    }

    /// Counts several at once, of which this is known already: each with its slot.
    #[inline]
    pub fn record_run(&mut self, spread: &Spread, placed: impl Iterator<Item = (i64, Slot)>) {
        if spread.n == 0 {
            return;
        }
        match &mut self.many {
            Some(buckets) => buckets.add_each(placed.map(|(_, slot)| slot)),
            None => placed.for_each(|(ns, _)| self.place(ns)),
        }
        self.spread(spread);
    }

    fn spread(&mut self, spread: &Spread) {
        if self.n == 0 {
            (self.min, self.max) = (spread.min, spread.max);
        }
        self.n += spread.n;
        self.min = self.min.min(spread.min);
        self.max = self.max.max(spread.max);
        self.total += spread.total;
    }

    /// Counts all that another one counted.
    pub fn absorb(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        if self.n == 0 {
            *self = other.clone();
            return;
        }
        match &other.many {
            None => other.few.iter().for_each(|ns| self.place(*ns)),
            Some(theirs) => self.many().absorb(theirs),
        }
        self.n += other.n;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.total += other.total;
    }

    /// Times so far.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Their sum.
    pub fn total(&self) -> i128 {
        self.total
    }

    /// The figures as they stand.
    pub fn times(&self) -> Times {
        let rank = |percent: u64| self.n.saturating_mul(percent).div_ceil(100).max(1);
        let ranks = [50, 90, 95, 99].map(rank);
        let [p50, p90, p95, p99] = match &self.many {
            None => {
                let mut sorted = self.few.clone();
                sorted.sort_unstable();
                ranks.map(|rank| {
                    let at = usize::try_from(rank - 1).ok();
                    at.and_then(|at| sorted.get(at).copied()).unwrap_or(0)
                })
            }
            // The bucket's upper end, so that "so many are no greater" stays true.
            Some(buckets) => ranks.map(|rank| buckets.at_rank(rank).clamp(self.min, self.max)),
        };
        Times {
            n: self.n,
            min: self.min,
            p50,
            p90,
            p95,
            p99,
            max: self.max,
            total: self.total,
        }
    }

    /// The values behind them.
    pub fn sample(&self) -> Sample {
        match &self.many {
            None => self.few.iter().copied().collect(),
            Some(buckets) => Sample::counted(buckets.iter(), Fidelity::Rounded),
        }
    }

    fn place(&mut self, ns: i64) {
        if let Some(buckets) = &mut self.many {
            buckets.record(ns);
        } else if self.few.len() < EXACT_VALUES {
            self.few.push(ns);
        } else {
            self.many().record(ns);
        }
    }

    /// From now on in buckets.
    #[cold]
    fn many(&mut self) -> &mut Buckets {
        let few = std::mem::take(&mut self.few);
        self.many.get_or_insert_with(|| {
            let mut buckets = Box::new(Buckets::default());
            few.iter().for_each(|ns| buckets.record(*ns));
            buckets
        })
    }
}

/// Where a time is counted in a [`Distribution`] of many: a bucket, by its page and its place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    page: u8,
    place: u8,
}

impl Slot {
    /// The slot of any time, ns.
    #[must_use]
    #[inline]
    pub fn of(ns: i64) -> Self {
        match ns.cast_unsigned() {
            ns if ns < SMALL => Self::of_small(ns),
            _ => Self::of_any(ns),
        }
    }

    #[cold]
    fn of_any(ns: i64) -> Self {
        Self::of_small(u64::try_from(ns).unwrap_or(0).min(LONGEST_NS))
    }

    #[inline]
    const fn of_small(ns: u64) -> Self {
        Self::of_bucket(bucket(ns))
    }

    #[inline]
    const fn of_bucket(bucket: usize) -> Self {
        // There are fewer pages than 255.
        Self {
            page: (bucket / PAGE) as u8,
            place: (bucket % PAGE) as u8,
        }
    }

    /// Numbers of buckets that are possible.
    pub(crate) const NUMBERS: usize = PAGE << u8::BITS;

    /// The number of the bucket.
    #[inline]
    pub(crate) const fn bucket(self) -> usize {
        (self.page as usize * PAGE) | (self.place as usize % PAGE)
    }
}

/// Buckets that there are.
pub(crate) const BUCKETS: usize = bucket(LONGEST_NS) + 1;

/// The least time in a bucket, ns.
pub(crate) const fn least_in(bucket: usize) -> i64 {
    if bucket == 0 { 0 } else { top(bucket - 1) + 1 }
}

/// Bits of a time that are told apart: buckets are at most 0.8 % wide.
const BITS: u32 = 8;
/// Buckets per doubling.
const HALF: usize = 1 << (BITS - 1);
/// Buckets that are made together, when the first of them is needed.
const PAGE: usize = 32;
/// The number of no page.
const NO_PAGE: u8 = u8::MAX;
// It is not the number of the last one.
const _: () = assert!(bucket(LONGEST_NS) / PAGE + 1 < NO_PAGE as usize);

/// Counts of times in buckets of eight significant bits, as `HdrHistogram` has them.
#[derive(Clone, Debug)]
struct Buckets {
    /// For each page, where it is among those that there are, or [`NO_PAGE`]: as many as a page has
    /// numbers.
    index: [u8; 1 << u8::BITS],
    /// The counts of pages, one page behind the other.
    counts: Vec<u32>,
    /// What did not fit into the counts: buckets, and how often their counts were full.
    carried: Vec<(usize, u64)>,
}

impl Default for Buckets {
    fn default() -> Self {
        Self {
            index: [NO_PAGE; 1 << u8::BITS],
            counts: Vec::new(),
            carried: Vec::new(),
        }
    }
}

impl Buckets {
    fn record(&mut self, ns: i64) {
        self.add(Slot::of(ns), 1);
    }

    /// One for each of these.
    #[inline]
    fn add_each(&mut self, mut slots: impl Iterator<Item = Slot>) {
        loop {
            let (index, counts) = (&self.index, &mut self.counts[..]);
            let apart = slots.find(|slot| match counts.get_mut(place(index, *slot)) {
                Some(count) => {
                    *count = count.wrapping_add(1);
                    *count == 0
                }
                None => true,
            });
            let Some(slot) = apart else {
                return;
            };
            self.add_apart(slot);
        }
    }

    /// One whose count was full, and is zero now, or has no page.
    #[cold]
    #[inline(never)]
    fn add_apart(&mut self, slot: Slot) {
        match self.index[usize::from(slot.page)] {
            NO_PAGE => self.add(slot, 1),
            _ => self.carry(slot.bucket(), 1),
        }
    }

    #[inline]
    fn add(&mut self, slot: Slot, times: u32) {
        if self.index[usize::from(slot.page)] == NO_PAGE {
            self.page(slot.page);
        }
        let Some(count) = self.counts.get_mut(place(&self.index, slot)) else {
            return;
        };
        let (sum, full) = count.overflowing_add(times);
        *count = sum;
        if full {
            self.carry(slot.bucket(), 1);
        }
    }

    /// Makes a page.
    #[cold]
    fn page(&mut self, page: u8) {
        let before = self.counts.len() / PAGE;
        self.index[usize::from(page)] = u8::try_from(before).unwrap_or(NO_PAGE);
        self.counts.extend([0; PAGE]);
    }

    #[cold]
    fn carry(&mut self, bucket: usize, times: u64) {
        match self.carried.iter_mut().find(|(other, _)| *other == bucket) {
            Some((_, count)) => *count += times,
            None => self.carried.push((bucket, times)),
        }
    }

    fn absorb(&mut self, other: &Self) {
        for (bucket, count) in other.counts() {
            self.add(Slot::of_bucket(bucket), count);
        }
        for (bucket, times) in &other.carried {
            self.carry(*bucket, *times);
        }
    }

    /// Buckets with something in them and their counts, without what was carried.
    fn counts(&self) -> impl Iterator<Item = (usize, u32)> {
        let pages = self.index.iter().enumerate();
        let pages = pages.filter(|(_, page)| **page != NO_PAGE);
        pages.flat_map(|(number, page)| {
            let page = self.counts.chunks_exact(PAGE).nth(usize::from(*page));
            let counts = page.into_iter().flatten().enumerate();
            counts.map(move |(at, count)| (number * PAGE + at, *count))
        })
    }

    /// The greatest times of the buckets that have any, and how many, the shortest first.
    fn iter(&self) -> impl Iterator<Item = (i64, u64)> {
        let counts = self.counts().map(|(bucket, count)| {
            let mut carried = self.carried.iter().filter(|(other, _)| *other == bucket);
            let carried = carried.next().map_or(0, |(_, times)| *times);
            let count = u64::from(count).saturating_add(carried << u32::BITS);
            (top(bucket), count)
        });
        counts.filter(|(_, count)| *count > 0)
    }

    /// A time that at least `rank` of the times do not exceed: the greatest of its bucket.
    fn at_rank(&self, rank: u64) -> i64 {
        let mut seen = 0u64;
        let mut counts = self.iter();
        let found = counts.find(|(_, count)| {
            seen = seen.saturating_add(*count);
            seen >= rank
        });
        found.map_or(0, |(top, _)| top)
    }
}

/// Where the count of a slot is; nowhere, if its page is none.
#[inline]
fn place(index: &[u8; 1 << u8::BITS], slot: Slot) -> usize {
    (usize::from(index[usize::from(slot.page)]) * PAGE) | usize::from(slot.place)
}

/// The number of the bucket of a time.
const fn bucket(ns: u64) -> usize {
    let width = (ns | HALF as u64).ilog2() - HALF.ilog2();
    // Eight bits, the first of them 1 from the second doubling on.
    width as usize * HALF + (ns >> width) as usize
}

/// The greatest time in a bucket.
const fn top(bucket: usize) -> i64 {
    let width = (bucket / HALF).saturating_sub(1);
    let bits = (bucket - width * HALF) as i64;
    ((bits + 1) << width) - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let mut d = Distribution::default();
        for ns in [5, 1, 4, 2, 3] {
            d.record(ns * 1000);
        }
        let t = d.times();
        assert_eq!(
            (t.n, t.min, t.p50, t.p90, t.max),
            (5, 1000, 3000, 5000, 5000)
        );
        assert_eq!(t.mean(), Some(3000));
    }

    #[test]
    fn beyond_the_exact_values_the_error_stays_below_one_percent() {
        let mut d = Distribution::default();
        for ns in 1..=100_000i64 {
            d.record(ns * 100);
        }
        let t = d.times();
        assert_eq!((t.n, t.min, t.max), (100_000, 100, 10_000_000));
        assert_eq!(t.total, 100 * 100_000 * 100_001 / 2);
        for (got, want) in [(t.p50, 5_000_000), (t.p90, 9_000_000), (t.p99, 9_900_000)] {
            assert!((got - want).abs() * 100 < want, "{got} for {want}");
            assert!(got >= want, "so many are no greater");
        }
    }

    /// Times below 256 ns have a bucket each, so that the rank can be seen. The 44th of 87
    /// values is their median; 44 / 87 * 87 is more than 44 in floating point.
    #[test]
    fn ranks_are_not_rounded_up() {
        for n in 65..256i64 {
            let mut d = Distribution::default();
            (1..=n).for_each(|ns| d.record(ns));
            let t = d.times();
            let rank = |percent: i64| (n * percent + 99) / 100;
            assert_eq!((t.p50, t.p90), (rank(50), rank(90)), "{n}");
            assert_eq!((t.p95, t.p99), (rank(95), rank(99)), "{n}");
        }
    }

    #[test]
    fn two_together_are_as_one() {
        for (mine, theirs) in [(0, 5), (5, 0), (40, 40), (10, 100), (100, 10), (100, 100)] {
            let mut both = Distribution::default();
            let [mut one, two] = [mine, theirs].map(|n| {
                let mut d = Distribution::default();
                for ns in 0..n {
                    d.record(ns * 1000);
                    both.record(ns * 1000);
                }
                d
            });
            one.absorb(&two);
            assert_eq!(one.times(), both.times(), "{mine} and {theirs}");
        }
    }

    #[test]
    fn many_at_once_are_as_one_by_one() {
        let mut single = Distribution::default();
        let mut batched = Distribution::default();
        for n in 0..5i64 {
            let times: Vec<i64> = (0..30).map(|i| (i * 7919 + n) % 1009 * 1_000 - 5).collect();
            times.iter().for_each(|ns| single.record(*ns));
            let mut batch = Batch::default();
            batch.fill(times.into_iter());
            batched.record_all(&batch);
            assert_eq!(batched.times(), single.times());
            assert_eq!(batched.sample(), single.sample());
        }
        batched.record_all(&Batch::default());
        assert_eq!(batched.times(), single.times());
    }

    proptest! {
        /// HdrHistogram with two digits has the same buckets.
        #[test]
        fn buckets_are_those_of_hdrhistogram(
            values in prop::collection::vec((0..47u32, 0..u64::MAX), 65..400),
        ) {
            let mut judge = hdrhistogram::Histogram::<u64>::new_with_bounds(1, LONGEST_NS, 2).unwrap();
            let mut buckets = Buckets::default();
            for (bits, value) in values {
                let ns = (value >> (63 - bits)).min(LONGEST_NS);
                judge.saturating_record(ns);
                buckets.record(ns as i64);
            }
            let judged = judge.iter_recorded();
            let judged = judged.map(|v| (v.value_iterated_to() as i64, v.count_at_value()));
            prop_assert_eq!(buckets.iter().collect::<Vec<_>>(), judged.collect::<Vec<_>>());
            for percent in [1, 50, 90, 99, 100] {
                let rank = (judge.len() * percent).div_ceil(100);
                let expected = judge.value_at_quantile((rank as f64 - 0.5) / judge.len() as f64);
                prop_assert_eq!(buckets.at_rank(rank), expected as i64);
            }
        }
    }

    #[test]
    fn what_is_longer_than_the_longest_counts_as_that_and_less_than_nothing_as_nothing() {
        let mut buckets = Buckets::default();
        for ns in [i64::MAX, LONGEST_NS as i64, -5, 0] {
            buckets.record(ns);
        }
        let longest = top(bucket(LONGEST_NS));
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [(0, 2), (longest, 2)]);
    }

    #[test]
    fn no_count_is_too_large() {
        let mut one = Buckets::default();
        one.add(Slot::of(700), u32::MAX);
        one.add(Slot::of(700), 2);
        let mut two = one.clone();
        two.absorb(&one);
        let n = u64::from(u32::MAX) + 2;
        assert_eq!(two.iter().collect::<Vec<_>>(), [(703, 2 * n)]);
    }

    #[test]
    fn no_count_of_several_is_too_large() {
        let mut buckets = Buckets::default();
        buckets.add(Slot::of(700), u32::MAX);
        buckets.add_each([700, 5, 700].into_iter().map(Slot::of));
        let n = u64::from(u32::MAX) + 2;
        assert_eq!(buckets.iter().collect::<Vec<_>>(), [(5, 1), (703, n)]);
    }

    #[test]
    fn no_values_are_no_mean() {
        assert_eq!(Distribution::default().times(), Times::default());
        assert_eq!(Times::default().mean(), None);
    }
}
