//! How times are spread: counts in fixed steps, six to each power of ten.

use crate::distribution::{BUCKETS, Batch, Slot, least_in};

/// Where one step of a [`Histogram`] ends and the next begins, ns: 1, 1.5, 2, 3, 5, 7, 10 µs
/// and so on to 1000 s. The steps look alike where a scale is logarithmic, and their bounds
/// are numbers that people know.
pub const STEPS_NS: [i64; 55] = steps();

/// Exact counts of times, by the steps between [`STEPS_NS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; STEPS_NS.len() + 1],
}

/// One step of a histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// No time in it is shorter, ns; `None` for what is below the first bound.
    pub from_ns: Option<i64>,
    /// Every time in it is shorter, ns; `None` for what is above the last bound.
    pub below_ns: Option<i64>,
    /// How many times there are in it.
    pub n: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: [0; STEPS_NS.len() + 1],
        }
    }
}

impl Histogram {
    /// Counts one time, in nanoseconds.
    pub fn record(&mut self, ns: i64) {
        self.count(Step::of(ns));
    }

    /// Counts one time of this step.
    pub fn count(&mut self, Step(step): Step) {
        self.counts[step] += 1;
    }

    /// Counts several at once.
    pub fn record_all(&mut self, batch: &Batch) {
        if let Some((ns, slot)) = batch.only() {
            let Step(step) = Step::placed(ns, slot);
            self.counts[step] = self.counts[step].saturating_add(batch.spread().n);
            return;
        }
        for (ns, slot) in batch.values().zip(batch.slots()) {
            self.count(Step::placed(ns, slot));
        }
    }

    /// Counts `n` times of the same length, in nanoseconds.
    pub fn record_many(&mut self, ns: i64, n: u64) {
        let Step(step) = Step::of(ns);
        self.counts[step] = self.counts[step].saturating_add(n);
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Self) {
        for (sum, part) in self.counts.iter_mut().zip(other.counts) {
            *sum = sum.saturating_add(part);
        }
    }

    /// How many times were counted.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.counts.iter().fold(0, |n, c| n.saturating_add(*c))
    }

    /// The counts of all steps, the first below the first bound of [`STEPS_NS`].
    #[must_use]
    pub const fn counts(&self) -> &[u64; STEPS_NS.len() + 1] {
        &self.counts
    }

    /// A histogram with these counts.
    #[must_use]
    pub const fn from_counts(counts: [u64; STEPS_NS.len() + 1]) -> Self {
        Self { counts }
    }

    /// The steps from the first with a time in it to the last, empty ones in between too.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> + '_ {
        let used = |n: &u64| *n > 0;
        let first = self.counts.iter().position(used).unwrap_or(0);
        let end = self
            .counts
            .iter()
            .rposition(used)
            .map_or(0, |last| last + 1);
        (first..end).map(|step| Bucket {
            from_ns: step.checked_sub(1).and_then(|i| STEPS_NS.get(i).copied()),
            below_ns: STEPS_NS.get(step).copied(),
            n: self.counts[step],
        })
    }
}

/// The step that a time is in.
#[derive(Clone, Copy)]
pub struct Step(usize);

impl Step {
    /// The step of a time in nanoseconds.
    #[must_use]
    pub fn of(ns: i64) -> Self {
        Self::placed(ns, Slot::of(ns))
    }

    /// The step of a time in this slot, which is too narrow for more than two.
    #[inline]
    fn placed(ns: i64, slot: Slot) -> Self {
        let first = usize::from(FIRST[slot.bucket()]);
        Self(first + usize::from(ns > LAST_NS[first]))
    }
}

/// The step of the least time in each bucket of a distribution, for as many as a slot has numbers.
static FIRST: [u8; Slot::NUMBERS] = {
    let mut first = [0; Slot::NUMBERS];
    let (mut bucket, mut step) = (0, 0);
    while bucket < first.len() {
        while bucket < BUCKETS && step < STEPS_NS.len() && STEPS_NS[step] <= least_in(bucket) {
            step += 1;
        }
        first[bucket] = step as u8;
        bucket += 1;
    }
    first
};

/// The longest time in each step, ns, for as many as [`FIRST`] has numbers.
static LAST_NS: [i64; 1 << u8::BITS] = {
    let mut last = [i64::MAX; 1 << u8::BITS];
    let mut step = 0;
    while step < STEPS_NS.len() {
        last[step] = STEPS_NS[step] - 1;
        step += 1;
    }
    last
};

const fn steps() -> [i64; 55] {
    const OF_TEN: [i64; 6] = [1000, 1500, 2000, 3000, 5000, 7000];
    let mut steps = [0; 55];
    let (mut i, mut power) = (0, 1);
    while i < steps.len() {
        steps[i] = OF_TEN[i % 6] * power;
        i += 1;
        if i.is_multiple_of(6) {
            power *= 10;
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(values: &[i64]) -> Vec<(Option<i64>, Option<i64>, u64)> {
        let mut histogram = Histogram::default();
        for ns in values {
            histogram.record(*ns);
        }
        assert_eq!(histogram.n(), values.len() as u64);
        histogram
            .buckets()
            .map(|b| (b.from_ns, b.below_ns, b.n))
            .collect()
    }

    #[test]
    fn bounds_rise_from_a_microsecond_to_a_thousand_seconds() {
        assert!(STEPS_NS.is_sorted_by(|a, b| a < b));
        assert_eq!(STEPS_NS[..7], [1000, 1500, 2000, 3000, 5000, 7000, 10_000]);
        assert_eq!(STEPS_NS[54], 1_000_000_000_000);
    }

    #[test]
    fn a_time_is_in_the_step_behind_all_bounds_that_it_reaches() {
        let powers = (0..63).map(|bits| 1i64 << bits);
        for bound in STEPS_NS.into_iter().chain(powers).chain([0, i64::MAX]) {
            for ns in [bound.saturating_sub(1), bound, bound.saturating_add(1)] {
                let reached = STEPS_NS.iter().filter(|bound| **bound <= ns).count();
                assert_eq!(Step::of(ns).0, reached, "{ns} ns");
            }
        }
    }

    #[test]
    fn a_step_holds_its_beginning_but_not_its_end() {
        assert_eq!(told(&[]), []);
        assert_eq!(
            told(&[1_000_000, 1_499_999, 2_000_000]),
            [
                (Some(1_000_000), Some(1_500_000), 2),
                (Some(1_500_000), Some(2_000_000), 0),
                (Some(2_000_000), Some(3_000_000), 1),
            ]
        );
    }

    #[test]
    fn nothing_is_too_short_or_too_long() {
        assert_eq!(told(&[i64::MIN, -1, 0, 999]), [(None, Some(1000), 4)]);
        assert_eq!(
            told(&[i64::MAX, 1_000_000_000_000]),
            [(Some(1_000_000_000_000), None, 2)]
        );
    }
}
