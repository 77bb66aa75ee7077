//! Percentiles of times, in bounded memory.

use crate::{EXACT_VALUES, Fidelity, Sample, Spread, Times};

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
        match &mut self.many {
            Some(buckets) => buckets.record_all(batch),
            None => batch.values().for_each(|ns| self.place(ns)),
        }
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

/// Some times, for several distributions: what each has to know of them is found once.
pub struct Batch {
    spread: Spread,
    values: [i64; Self::MOST],
    buckets: [u16; Self::MOST],
}

impl Batch {
    /// Times in one of them.
    pub const MOST: usize = 32;

    /// With the first [`MOST`](Self::MOST) of these, and nothing else.
    pub fn fill(&mut self, times: impl Iterator<Item = i64>) {
        let places = self.values.iter_mut().zip(&mut self.buckets);
        // Neighbours are often the same, and then in the same bucket.
        let (mut latest, mut latest_bucket) = (0, 0);
        // By themselves, so that they need not be in memory.
        let (mut n, mut total) = (0, 0i128);
        let (mut min, mut max) = (i64::MAX, i64::MIN);
        for (ns, (value, bucket)) in times.zip(places) {
            n += 1;
            total += i128::from(ns);
            (min, max) = (min.min(ns), max.max(ns));
            *value = ns;
            if ns != latest {
                // The number of buckets fits.
                (latest, latest_bucket) = (ns, bucket_of(ns) as u16);
            }
            *bucket = latest_bucket;
        }
        self.spread = match n {
            0 => Spread::default(),
            _ => Spread { n, min, max, total },
        };
    }

    /// Their number, extremes and sum.
    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// In the order in which they came.
    pub fn values(&self) -> impl Iterator<Item = i64> + '_ {
        self.values.iter().copied().take(self.spread.n as usize)
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            spread: Spread::default(),
            values: [0; Self::MOST],
            buckets: [0; Self::MOST],
        }
    }
}

/// Bits of a time that are told apart: buckets are at most 0.8 % wide.
const BITS: u32 = 8;
/// Buckets per doubling.
const HALF: usize = 1 << (BITS - 1);
/// Buckets that are made together, when the first of them is needed.
const PAGE: usize = 32;
const PAGES: usize = bucket(LONGEST_NS) / PAGE + 1;
/// So that a number of a bucket fits into 16 bits.
const _: () = assert!(PAGES * PAGE <= 1 << 16);

/// Counts of times in buckets of eight significant bits, as `HdrHistogram` has them.
#[derive(Clone, Debug)]
struct Buckets {
    /// For each page its number among those that there are, counted from 1; 0 if there is none.
    index: [u8; PAGES],
    pages: Vec<[u32; PAGE]>,
    /// What did not fit into the counts: buckets, and how often their counts were full.
    carried: Vec<(usize, u64)>,
}

impl Default for Buckets {
    fn default() -> Self {
        Self {
            index: [0; PAGES],
            pages: Vec::new(),
            carried: Vec::new(),
        }
    }
}

impl Buckets {
    fn record(&mut self, ns: i64) {
        self.add(bucket_of(ns), 1);
    }

    fn record_all(&mut self, batch: &Batch) {
        let buckets = &batch.buckets[..batch.spread.n.min(Batch::MOST as u64) as usize];
        match buckets {
            // As are the times of what lies in one frame.
            [first, ..] if batch.spread.min == batch.spread.max => {
                self.add(usize::from(*first), batch.spread.n as u32);
            }
            _ => buckets.iter().for_each(|b| self.add(usize::from(*b), 1)),
        }
    }

    #[inline]
    fn add(&mut self, bucket: usize, times: u32) {
        let page = match self.index[bucket / PAGE] {
            0 => self.page(bucket / PAGE),
            page => page,
        };
        let page = self.pages.get_mut(usize::from(page).wrapping_sub(1));
        let Some(count) = page.and_then(|page| page.get_mut(bucket % PAGE)) else {
            return;
        };
        let (sum, full) = count.overflowing_add(times);
        *count = sum;
        if full {
            self.carry(bucket, 1);
        }
    }

    /// Makes a page, and gives its number.
    #[cold]
    fn page(&mut self, at: usize) -> u8 {
        self.pages.push([0; PAGE]);
        // There are fewer pages than 256.
        let number = u8::try_from(self.pages.len()).unwrap_or(u8::MAX);
        self.index[at] = number;
        number
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
            self.add(bucket, count);
        }
        for (bucket, times) in &other.carried {
            self.carry(*bucket, *times);
        }
    }

    /// Buckets with something in them and their counts, without what was carried.
    fn counts(&self) -> impl Iterator<Item = (usize, u32)> {
        let pages = self.index.iter().enumerate().filter(|(_, page)| **page > 0);
        pages.flat_map(|(number, page)| {
            let page = self.pages.get(usize::from(*page) - 1);
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

/// The number of the bucket of any time.
fn bucket_of(ns: i64) -> usize {
    bucket(u64::try_from(ns).unwrap_or(0).min(LONGEST_NS))
}

/// The number of the bucket of a time.
const fn bucket(ns: u64) -> usize {
    let width = (u64::BITS - BITS).saturating_sub((ns | 1).leading_zeros());
    // Eight bits, the first of them 1 from the second doubling on.
    width as usize * HALF + (ns >> width) as usize
}

/// The greatest time in a bucket.
fn top(bucket: usize) -> i64 {
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
        one.add(bucket(700), u32::MAX);
        one.add(bucket(700), 2);
        let mut two = one.clone();
        two.absorb(&one);
        let n = u64::from(u32::MAX) + 2;
        assert_eq!(two.iter().collect::<Vec<_>>(), [(703, 2 * n)]);
    }

    #[test]
    fn no_values_are_no_mean() {
        assert_eq!(Distribution::default().times(), Times::default());
        assert_eq!(Times::default().mean(), None);
    }
}
