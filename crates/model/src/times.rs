//! Sums of times.

/// Count, extremes and percentiles of a time. Nanoseconds.
///
/// Percentiles are by nearest rank. Up to [`EXACT_VALUES`](crate::EXACT_VALUES) values they are exact;
/// beyond that they are read from a histogram whose buckets are 0.8 % wide at most. `n`,
/// `min`, `max` and `total` are always exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// How many values.
    pub n: u64,
    /// The smallest.
    pub min: i64,
    /// Half of the values are no greater.
    pub p50: i64,
    /// 90 % are no greater.
    pub p90: i64,
    /// 95 % are no greater.
    pub p95: i64,
    /// 99 % are no greater.
    pub p99: i64,
    /// The greatest.
    pub max: i64,
    /// Their sum.
    pub total: i128,
}

impl Times {
    /// The mean, rounded half up, or `None` without values.
    #[must_use]
    pub fn mean(&self) -> Option<i64> {
        mean(self.n, self.total)
    }
}

fn mean(n: u64, total: i128) -> Option<i64> {
    if n == 0 {
        return None;
    }
    let n = i128::from(n);
    i64::try_from((total * 2 + n).div_euclid(2 * n)).ok()
}

/// Count, extremes and sum of a time, all exact. Nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// How many values.
    pub n: u64,
    /// The smallest.
    pub min: i64,
    /// The greatest.
    pub max: i64,
    /// Their sum.
    pub total: i128,
}

impl Spread {
    /// The mean, rounded half up, or `None` without values.
    #[must_use]
    pub fn mean(&self) -> Option<i64> {
        mean(self.n, self.total)
    }
}

impl Spread {
    /// Adds the times of another row.
    pub fn merge(&mut self, other: &Self) {
        if other.n == 0 {
            return;
        }
        if self.n == 0 {
            *self = *other;
            return;
        }
        self.n = self.n.saturating_add(other.n);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.total = self.total.saturating_add(other.total);
    }

    /// Counts one time, ns.
    pub fn record(&mut self, ns: i64) {
        if self.n == 0 {
            (self.min, self.max) = (ns, ns);
        }
        self.n += 1;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.total += i128::from(ns);
    }
}
