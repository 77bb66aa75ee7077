//! Sums over time in a fixed number of buckets, however long the capture is.

use std::collections::VecDeque;
use std::ops::AddAssign;
use wirewait_wire::Timestamp;

/// Buckets at most.
const BUCKETS: i64 = 600;
/// The narrowest bucket, ns.
pub(crate) const NARROWEST_NS: i64 = 10_000_000;
/// What a bucket grows by.
const GROWTH: i64 = 10;
const NOWHERE: (usize, i64) = (usize::MAX, 0);

/// Values by time. Buckets begin at multiples of their width: of 10 ms, 100 ms, 1 s, 10 s and
/// so on, the narrowest that holds all in [`BUCKETS`]. In whatever order the values come, the
/// result is the same.
#[derive(Clone, Debug)]
pub(crate) struct Timeline<T> {
    width_ns: i64,
    /// Number of the first bucket, counted from 1970.
    first: i64,
    buckets: VecDeque<T>,
    /// The bucket that the latest value went into, and where it begins: most go into the same.
    latest: (usize, i64),
}

impl<T: Copy + Default + AddAssign> Timeline<T> {
    pub(crate) const fn new() -> Self {
        Self {
            width_ns: NARROWEST_NS,
            first: 0,
            buckets: VecDeque::new(),
            latest: NOWHERE,
        }
    }

    /// Width of a bucket, ns.
    pub(crate) const fn width_ns(&self) -> i64 {
        self.width_ns
    }

    /// When the first bucket begins.
    pub(crate) const fn begins(&self) -> Timestamp {
        Timestamp::from_nanos(self.first.saturating_mul(self.width_ns))
    }

    /// All buckets from the first value to the last, empty ones included.
    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.buckets.iter()
    }

    /// Adds a value at a moment.
    pub(crate) fn add(&mut self, at: Timestamp, value: T) {
        let (index, begins) = self.latest;
        let within = at.as_nanos().saturating_sub(begins);
        let index = if (0..self.width_ns).contains(&within) && index < self.buckets.len() {
            index
        } else {
            self.find(at.as_nanos())
        };
        if let Some(bucket) = self.buckets.get_mut(index) {
            *bucket += value;
        }
    }

    /// Adds all of another one.
    pub(crate) fn absorb(&mut self, other: &Self) {
        while self.width_ns < other.width_ns {
            self.grow();
        }
        for (n, value) in (other.first..).zip(&other.buckets) {
            // Where it begins in time lies in this one's bucket of the same time or a wider one.
            let index = self.find(n.saturating_mul(other.width_ns));
            if let Some(bucket) = self.buckets.get_mut(index) {
                *bucket += *value;
            }
        }
    }

    /// The bucket of this moment, made if there is none.
    fn find(&mut self, at: i64) -> usize {
        let index = loop {
            let number = at.div_euclid(self.width_ns);
            if self.buckets.is_empty() {
                self.first = number;
            }
            let behind = self.first + self.buckets.len() as i64;
            let (from, to) = (self.first.min(number), behind.max(number + 1));
            if to - from <= BUCKETS {
                while self.first > from {
                    self.buckets.push_front(T::default());
                    self.first -= 1;
                }
                while self.first + (self.buckets.len() as i64) < to {
                    self.buckets.push_back(T::default());
                }
                break number - self.first;
            }
            self.grow();
        };
        // Between the first bucket and the last.
        let index = usize::try_from(index).unwrap_or(0);
        // The earliest bucket of all may begin before time does.
        let begins = (self.first + index as i64).checked_mul(self.width_ns);
        self.latest = begins.map_or(NOWHERE, |begins| (index, begins));
        index
    }

    fn grow(&mut self) {
        let mut wider = VecDeque::new();
        let first = self.first.div_euclid(GROWTH);
        for (number, value) in (self.first..).zip(&self.buckets) {
            // One to each ten, so that the wider ones come in order.
            let index = number.div_euclid(GROWTH) - first;
            if wider.len() as i64 <= index {
                wider.push_back(T::default());
            }
            if let Some(bucket) = wider.back_mut() {
                *bucket += *value;
            }
        }
        self.first = first;
        self.buckets = wider;
        self.width_ns *= GROWTH;
        self.latest = NOWHERE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[(i64, u64)]) -> Timeline<u64> {
        let mut timeline = Timeline::new();
        for (at, value) in values {
            timeline.add(Timestamp::from_nanos(*at), *value);
        }
        timeline
    }

    fn shown(t: &Timeline<u64>) -> (i64, i64, Vec<u64>) {
        let values = t.values().copied().collect();
        (t.width_ns(), t.begins().as_nanos(), values)
    }

    #[test]
    fn buckets_begin_at_multiples_of_their_width_and_empty_ones_count() {
        let t = of(&[(1_005_000_000, 1), (1_019_999_999, 2), (1_040_000_000, 4)]);
        assert_eq!(
            shown(&t),
            (10_000_000, 1_000_000_000, vec![1, 2, 0, 0, 4]),
            "1.00 to 1.01, 1.01 to 1.02, ..."
        );
    }

    #[test]
    fn what_is_too_long_gets_wider_buckets() {
        // 600 buckets of 10 ms are 6 s; at 6.000 s the 601st begins.
        let t = of(&[(0, 1), (5_999_999_999, 2)]);
        assert_eq!((t.width_ns(), t.values().len()), (10_000_000, 600));
        let t = of(&[(0, 1), (6_000_000_000, 2)]);
        assert_eq!((t.width_ns(), t.values().len()), (100_000_000, 61));
        // A clock that knew nothing of its time.
        let t = of(&[(i64::MAX, 1), (i64::MIN, 2), (0, 4)]);
        assert!(t.values().len() <= 600);
        assert_eq!(t.values().sum::<u64>(), 7);
    }

    proptest! {
        #[test]
        fn the_order_of_values_changes_nothing_and_none_is_lost(
            values in prop::collection::vec((-20_000_000_000..50_000_000_000i64, 0..99u64), 1..60),
            at in 0..60usize,
        ) {
            let forward = of(&values);
            let mut turned = values.clone();
            turned.reverse();
            prop_assert_eq!(shown(&of(&turned)), shown(&forward));
            prop_assert_eq!(forward.values().sum::<u64>(), values.iter().map(|v| v.1).sum());
            let (one, other) = values.split_at(at.min(values.len()));
            let mut both = of(one);
            both.absorb(&of(other));
            prop_assert_eq!(shown(&both), shown(&forward), "parts sum to the whole");
        }

        #[test]
        fn each_value_is_in_the_bucket_of_its_time(
            values in prop::collection::vec((0..40_000_000_000i64, 1..99u64), 1..60),
        ) {
            let t = of(&values);
            for (n, sum) in (0..).zip(t.values()) {
                let from = t.begins().as_nanos() + n * t.width_ns();
                let expected: u64 = values
                    .iter()
                    .filter(|v| (from..from + t.width_ns()).contains(&v.0))
                    .map(|v| v.1)
                    .sum();
                prop_assert_eq!(*sum, expected);
            }
        }
    }
}
