//! Percentiles of times, in bounded memory.

use crate::{EXACT_VALUES, Fidelity, Sample, Times};
use hdrhistogram::Histogram;

/// Counts times of 0 ns to about a day; what is longer counts as that long, except in
/// `max` and `total`.
pub(crate) const LONGEST_NS: u64 = 100_000_000_000_000;

/// Times under one key: exact while they are few, in a histogram from then on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Distribution {
    n: u64,
    min: i64,
    max: i64,
    total: i128,
    few: Vec<i64>,
    many: Option<Box<Histogram<u64>>>,
}

impl Distribution {
    /// Counts one time, in nanoseconds.
    pub(crate) fn record(&mut self, ns: i64) {
        if self.n == 0 {
            (self.min, self.max) = (ns, ns);
        }
        self.n += 1;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.total += i128::from(ns);
        self.place(ns);
    }

    fn place(&mut self, ns: i64) {
        if let Some(histogram) = &mut self.many {
            histogram.saturating_record(bucket(ns));
        } else if self.few.len() < EXACT_VALUES {
            self.few.push(ns);
        } else {
            self.spill(ns);
        }
    }

    /// Counts all that another one counted.
    pub(crate) fn absorb(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        if self.n == 0 {
            *self = other.clone();
            return;
        }
        match (&mut self.many, &other.many) {
            (Some(mine), Some(theirs)) => {
                // Both have the same bounds.
                let _same = mine.add(theirs.as_ref());
            }
            (None, Some(theirs)) => {
                let few = std::mem::take(&mut self.few);
                self.many = Some(theirs.clone());
                few.into_iter().for_each(|ns| self.place(ns));
            }
            (_, None) => other.few.iter().for_each(|ns| self.place(*ns)),
        }
        self.n += other.n;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.total += other.total;
    }

    /// Times so far.
    pub(crate) fn n(&self) -> u64 {
        self.n
    }

    /// Their sum.
    pub(crate) fn total(&self) -> i128 {
        self.total
    }

    /// The figures as they stand.
    pub(crate) fn times(&self) -> Times {
        let mut sorted = self.few.clone();
        sorted.sort_unstable();
        let rank = |percent: u64| self.n.saturating_mul(percent).div_ceil(100).max(1);
        let at = |percent: u64| match &self.many {
            // The bucket's upper end, so that "so many are no greater" stays true.
            Some(h) => {
                let value = h.value_at_quantile(rank(percent) as f64 / self.n as f64);
                i64::try_from(value)
                    .unwrap_or(i64::MAX)
                    .clamp(self.min, self.max)
            }
            None => usize::try_from(rank(percent) - 1)
                .ok()
                .and_then(|i| sorted.get(i).copied())
                .unwrap_or(0),
        };
        Times {
            n: self.n,
            min: self.min,
            p50: at(50),
            p90: at(90),
            p95: at(95),
            p99: at(99),
            max: self.max,
            total: self.total,
        }
    }

    /// The values behind them.
    pub(crate) fn sample(&self) -> Sample {
        match &self.many {
            None => self.few.iter().copied().collect(),
            Some(histogram) => Sample::counted(
                histogram.iter_recorded().map(|step| {
                    let top = i64::try_from(step.value_iterated_to()).unwrap_or(i64::MAX);
                    (top, step.count_at_value())
                }),
                Fidelity::Rounded,
            ),
        }
    }

    #[cold]
    fn spill(&mut self, ns: i64) {
        // Two significant digits: fixed bounds that the constructor accepts.
        let Ok(mut histogram) = Histogram::new_with_bounds(1, LONGEST_NS, 2) else {
            return;
        };
        for value in self.few.drain(..).chain([ns]) {
            histogram.saturating_record(bucket(value));
        }
        self.few = Vec::new();
        self.many = Some(Box::new(histogram));
    }
}

fn bucket(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn no_values_are_no_mean() {
        assert_eq!(Distribution::default().times(), Times::default());
        assert_eq!(Times::default().mean(), None);
    }
}
