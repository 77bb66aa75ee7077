//! The values behind a statistic, as far as they are kept: what two captures are compared by.

use crate::distribution::LONGEST_NS;
use crate::{EXACT_VALUES, Times};

/// What the values of a [`Sample`] are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fidelity {
    /// All values, as measured.
    #[default]
    Exact,
    /// All values, each rounded up by 0.8 % at most.
    Rounded,
    /// Some of the values, drawn evenly from all.
    Drawn,
}

/// Values in ascending order, each with how often it occurred. Nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    values: Vec<(i64, u64)>,
    fidelity: Fidelity,
}

/// The values behind turnaround and response time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// Those of the turnaround.
    pub turnaround: Sample,
    /// Those of the response time.
    pub response_time: Sample,
}

impl Samples {
    /// Adds the values of another row.
    pub fn merge(&mut self, other: &Self) {
        self.turnaround.merge(&other.turnaround);
        self.response_time.merge(&other.response_time);
    }
}

impl FromIterator<i64> for Sample {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        Self::counted(values.into_iter().map(|ns| (ns, 1)), Fidelity::Exact)
    }
}

impl Sample {
    /// Values with their counts, in any order.
    pub fn counted(values: impl Iterator<Item = (i64, u64)>, fidelity: Fidelity) -> Self {
        let mut sample = Self {
            values: values.collect(),
            fidelity,
        };
        sample.tidy();
        sample
    }

    /// The values and how often each occurred, the smallest first.
    #[must_use]
    pub fn values(&self) -> &[(i64, u64)] {
        &self.values
    }

    /// Takes the values and how often each occurred, the smallest first, out of the sample.
    pub fn into_values(self) -> Vec<(i64, u64)> {
        self.values
    }

    /// What the values are.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        self.fidelity
    }

    /// How many values.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.values
            .iter()
            .fold(0, |n, (_, count)| n.saturating_add(*count))
    }

    /// The sample, rounded as a histogram rounds, so that values counted in one way can be ranked
    /// with values counted in the other.
    #[must_use]
    pub fn rounded(&self) -> Self {
        Self::counted(
            self.values
                .iter()
                .map(|(ns, count)| (round_up(*ns), *count)),
            self.fidelity.max(Fidelity::Rounded),
        )
    }

    /// Adds the values of another sample.
    pub fn merge(&mut self, other: &Self) {
        if other.values.is_empty() {
            return;
        }
        if self.values.is_empty() {
            self.clone_from(other);
            return;
        }
        self.fidelity = self.fidelity.max(other.fidelity);
        self.values.extend_from_slice(&other.values);
        self.tidy();
    }

    /// The value that `percent` of all are no greater than, by nearest rank.
    fn percentile(&self, percent: u64) -> i64 {
        let rank = self.n().saturating_mul(percent).div_ceil(100).max(1);
        let mut seen = 0u64;
        self.values
            .iter()
            .find(|(_, count)| {
                seen = seen.saturating_add(*count);
                seen >= rank
            })
            .map_or(0, |(ns, _)| *ns)
    }

    /// Percentiles of the values; count, extremes and sum are those of `exact`.
    #[must_use]
    pub fn times(&self, exact: &crate::Spread) -> Times {
        let at = |percent| self.percentile(percent).clamp(exact.min, exact.max);
        Times {
            n: exact.n,
            min: exact.min,
            p50: at(50),
            p90: at(90),
            p95: at(95),
            p99: at(99),
            max: exact.max,
            total: exact.total,
        }
    }

    fn tidy(&mut self) {
        self.values.sort_unstable();
        self.values.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
    }
}

/// The upper end of the bucket that a time is counted in: eight significant bits. What is
/// longer than the longest counts as that.
pub fn round_up(ns: i64) -> i64 {
    let ns = u64::try_from(ns).unwrap_or(0).min(LONGEST_NS);
    let width = (64 - ns.leading_zeros()).saturating_sub(8);
    // Far below 2^63.
    i64::try_from((((ns >> width) + 1) << width) - 1).unwrap_or(i64::MAX)
}

/// A fair choice of values, in bounded memory and the same for the same transactions:
/// whether one is kept depends on its number alone.
#[derive(Clone, Debug)]
pub struct Draw<T = i64> {
    kept: Vec<(u64, T)>,
    /// Values that are kept at the most.
    most: usize,
    /// Numbers that are scattered above it are not kept.
    limit: u64,
    n: u64,
}

impl<T> Default for Draw<T> {
    fn default() -> Self {
        Self::of(EXACT_VALUES)
    }
}

impl<T> Draw<T> {
    /// Keeps this many at the most.
    #[must_use]
    pub const fn of(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            most,
            limit: u64::MAX,
            n: 0,
        }
    }

    /// Draws the value of this transaction, or not.
    pub fn record(&mut self, transaction: u64, value: T) {
        self.n += 1;
        let place = scattered(transaction);
        if place > self.limit {
            return;
        }
        self.kept.push((place, value));
        while self.kept.len() > self.most {
            self.limit /= 2;
            let limit = self.limit;
            self.kept.retain(|(place, _)| *place <= limit);
        }
    }

    /// What was drawn, in the order of the transactions.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.kept.iter().map(|(_, value)| value)
    }

    /// Whether these are all or some.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        if self.kept.len() as u64 == self.n {
            Fidelity::Exact
        } else {
            Fidelity::Drawn
        }
    }
}

impl Draw {
    /// What was drawn.
    #[must_use]
    pub fn sample(&self) -> Sample {
        Sample::counted(self.values().map(|ns| (*ns, 1)), self.fidelity())
    }
}

/// Spreads numbers that follow each other over all of 2^64 (the finisher of SplitMix64).
fn scattered(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spread;
    use crate::distribution::Distribution;

    #[test]
    fn values_are_counted_in_ascending_order() {
        let mut sample: Sample = [3, 1, 3].into_iter().collect();
        assert_eq!(sample.values(), [(1, 1), (3, 2)]);
        sample.merge(&[2, 3].into_iter().collect());
        assert_eq!(sample.values(), [(1, 1), (2, 1), (3, 3)]);
        assert_eq!((sample.n(), sample.fidelity()), (5, Fidelity::Exact));
    }

    /// Two counts of the same times, of which one was merged, give the same percentiles.
    #[test]
    fn percentiles_of_a_sample_are_those_of_the_distribution() {
        for n in [1, 2, 7, 64, 65, 1000] {
            let mut all = Distribution::default();
            let mut halves = [Distribution::default(), Distribution::default()];
            for i in 0..n {
                let ns = (i * 7919) % 1_000_003 * 97;
                all.record(ns);
                halves[usize::from(i % 3 == 0)].record(ns);
            }
            let times = all.times();
            let spread = Spread {
                n: times.n,
                min: times.min,
                max: times.max,
                total: times.total,
            };
            assert_eq!(all.sample().times(&spread), times, "{n}");
            let [mut one, other] = halves.map(|half| half.sample());
            one.merge(&other);
            assert_eq!(one.rounded(), all.sample().rounded(), "{n}");
            assert_eq!(one.n(), times.n);
        }
    }

    #[test]
    fn rounding_is_that_of_the_histogram() {
        for ns in [
            0,
            1,
            255,
            256,
            257,
            511,
            512,
            1_000_000,
            99_999_999_999_999,
            i64::MAX,
        ] {
            let mut many = Distribution::default();
            for _ in 0..=EXACT_VALUES {
                many.record(ns);
            }
            let few: Sample = [ns].into_iter().collect();
            let count = EXACT_VALUES as u64 + 1;
            assert_eq!(
                many.sample().values(),
                [(few.rounded().values()[0].0, count)],
                "{ns}"
            );
        }
        assert_eq!(round_up(-1), 0);
    }

    #[test]
    fn a_draw_is_bounded_and_fair() {
        let mut draw = Draw::default();
        for n in 1..=64 {
            draw.record(n, 5);
        }
        assert_eq!(draw.sample().fidelity(), Fidelity::Exact);
        for n in 65..=100_000 {
            draw.record(n, if n % 4 == 0 { 9 } else { 5 });
            assert!(draw.kept.len() <= EXACT_VALUES);
        }
        let sample = draw.sample();
        assert_eq!(sample.fidelity(), Fidelity::Drawn);
        assert!(sample.n() > EXACT_VALUES as u64 / 4, "{}", sample.n());
        // A quarter of all are 9: of some 50 drawn ones between 3 and 25.
        let nines = sample.values().last().map_or(0, |(_, count)| *count);
        assert!((3..=25).contains(&nines), "{sample:?}");
    }
}
