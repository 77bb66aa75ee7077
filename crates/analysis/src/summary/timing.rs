//! Times that can be added up and still have percentiles.

use crate::{EXACT_VALUES, Fidelity, Sample, Spread, Times};
use wirewait_model::sample::round_up;

/// Times under one key: count, extremes, sum, and the values behind them. These are exact while
/// there are [`EXACT_VALUES`] at most, and the upper ends of their buckets beyond: which of both
/// follows from their number alone, so that it does not matter in which order parts were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    spread: Spread,
    /// Ascending, each with how often it occurred.
    values: Vec<(i64, u64)>,
}

/// What times may not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inconsistent(pub &'static str);

impl std::fmt::Display for Inconsistent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Inconsistent {}

impl Timing {
    /// The times of which these are the figures and the values.
    #[must_use]
    pub fn of(times: &Times, sample: &Sample) -> Self {
        let mut timing = Self {
            spread: Spread {
                n: times.n,
                min: times.min,
                max: times.max,
                total: times.total,
            },
            values: sample.values().to_vec(),
        };
        timing.settle();
        timing
    }

    /// What was written down before, if it can be.
    ///
    /// # Errors
    /// What cannot be.
    pub fn from_parts(spread: Spread, values: Vec<(i64, u64)>) -> Result<Self, Inconsistent> {
        let wrong = |what| Err(Inconsistent(what));
        if !values.is_sorted_by(|a, b| a.0 < b.0) {
            return wrong("the values do not ascend");
        }
        if values.iter().any(|(_, count)| *count == 0) {
            return wrong("a value occurs not once");
        }
        let n = values.iter().fold(0, |n: u64, (_, c)| n.saturating_add(*c));
        if n != spread.n {
            return wrong("there are not as many values as `n` says");
        }
        let (Some((first, _)), Some((last, _))) = (values.first(), values.last()) else {
            return match spread == Spread::default() {
                true => Ok(Self::default()),
                false => wrong("there are figures of no values"),
            };
        };
        let exact = n <= EXACT_VALUES as u64;
        let ends = match exact {
            true => (*first, *last) == (spread.min, spread.max),
            false => (*first, *last) == (round_up(spread.min), round_up(spread.max)),
        };
        if !ends {
            return wrong("the extremes are not those of the values");
        }
        if !exact && values.iter().any(|(ns, _)| round_up(*ns) != *ns) {
            return wrong("a value is not the upper end of a bucket");
        }
        let times = |ns: i64| i128::from(ns).saturating_mul(i128::from(n));
        let sum = || {
            values
                .iter()
                .map(|(ns, c)| i128::from(*ns) * i128::from(*c))
                .sum()
        };
        let possible = match exact {
            true => spread.total == sum(),
            false => (times(spread.min)..=times(spread.max)).contains(&spread.total),
        };
        if !possible {
            return wrong("the sum is not that of the values");
        }
        Ok(Self { spread, values })
    }

    /// Adds those of another part.
    pub fn merge(&mut self, other: &Self) {
        self.spread.merge(&other.spread);
        self.values.extend_from_slice(&other.values);
        self.settle();
    }

    /// Count, extremes and sum.
    #[must_use]
    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// The values in ascending order, each with how often it occurred.
    #[must_use]
    pub fn values(&self) -> &[(i64, u64)] {
        &self.values
    }

    /// The figures.
    #[must_use]
    pub fn times(&self) -> Times {
        let fidelity = match self.spread.n <= EXACT_VALUES as u64 {
            true => Fidelity::Exact,
            false => Fidelity::Rounded,
        };
        Sample::counted(self.values.iter().copied(), fidelity).times(&self.spread)
    }

    fn settle(&mut self) {
        let exact = self.spread.n <= EXACT_VALUES as u64;
        let values = std::mem::take(&mut self.values).into_iter();
        let fidelity = Fidelity::Exact;
        let rounded = |(ns, count)| (if exact { ns } else { round_up(ns) }, count);
        self.values = Sample::counted(values.map(rounded), fidelity).into_values();
    }
}
