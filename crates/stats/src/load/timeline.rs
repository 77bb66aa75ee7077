//! The load over time, in a bounded number of buckets whose width grows with the capture.

use super::activity::Stretch;
use std::num::NonZeroU64;
use wirewait_model::load::{Interval, Timeline};
use wirewait_model::records::Answer;
use wirewait_wire::Timestamp;

/// Buckets at most.
const BUCKETS: usize = 4096;
/// Buckets that are shown at most.
const SHOWN: usize = 1200;
/// The narrowest, ns. Each further width is ten times the one before.
const NARROWEST_NS: i64 = 10_000_000;

/// The timeline in at most [`SHOWN`] buckets.
pub(super) fn shown(mut line: Timeline) -> Timeline {
    while line.buckets.len() > SHOWN {
        line = widened(&line, line.width_ns.saturating_mul(10));
    }
    line
}

/// The timeline in buckets of `width_ns`, a multiple of the present width.
pub(super) fn widened(line: &Timeline, width_ns: i64) -> Timeline {
    let mut series = Series {
        width_ns,
        width: width(width_ns),
        ..Series::default()
    };
    let mut at = line.start;
    for bucket in &line.buckets {
        if let Some(wide) = series.bucket(at) {
            wide.absorb(bucket);
        }
        at = at.plus(line.width_ns);
    }
    series.timeline()
}

/// A time line that is being filled.
#[derive(Clone)]
pub(super) struct Series {
    width_ns: i64,
    /// That width, to divide by.
    width: NonZeroU64,
    /// Number of the first bucket, in widths since 1970.
    first: i64,
    buckets: Vec<Interval>,
    /// Where the first bucket begins, if there is one and stamps reach so far, ns.
    start_ns: Option<i64>,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            width_ns: NARROWEST_NS,
            width: width(NARROWEST_NS),
            first: 0,
            buckets: Vec::new(),
            start_ns: None,
        }
    }
}

impl Series {
    pub(super) fn answered(&mut self, answer: &Answer) {
        let Some(bucket) = self.bucket(answer.ended) else {
            return;
        };
        bucket.answered += 1;
        bucket.data_bytes = bucket.data_bytes.saturating_add(answer.data_bytes);
        if let Some(ns) = answer.turnaround_ns {
            bucket.turnarounds += 1;
            add(&mut bucket.turnaround_ns, ns);
        }
        if let Some(ns) = answer.response_ns {
            bucket.responses += 1;
            add(&mut bucket.response_ns, ns);
        }
    }

    /// Adds a stretch of time with its number of active stations.
    pub(super) fn active(&mut self, stretch: Stretch) {
        if stretch.stations == 0 || stretch.end <= stretch.start {
            return;
        }
        // Both ends first, so that the width does not change in between.
        if self.bucket(stretch.end).is_none() || self.bucket(stretch.start).is_none() {
            return;
        }
        let (mut at, mut n) = (stretch.start.as_nanos(), self.index(stretch.start));
        let end = stretch.end.as_nanos();
        while at < end {
            let until = self
                .first
                .saturating_add(i64::try_from(n).unwrap_or(i64::MAX))
                .saturating_add(1)
                .saturating_mul(self.width_ns)
                .min(end);
            let Some(bucket) = self.buckets.get_mut(n) else {
                return;
            };
            let ns = u64::try_from(until.saturating_sub(at)).unwrap_or(0);
            let all = ns.saturating_mul(u64::from(stretch.stations));
            bucket.active_ns = bucket.active_ns.saturating_add(all);
            bucket.stations = bucket.stations.max(stretch.stations);
            (at, n) = (until, n + 1);
        }
    }

    pub(super) fn timeline(&self) -> Timeline {
        Timeline {
            width_ns: self.width_ns,
            start: Timestamp::from_nanos(self.first.saturating_mul(self.width_ns)),
            buckets: self.buckets.clone(),
        }
    }

    fn index(&self, at: Timestamp) -> usize {
        let n = at.as_nanos().div_euclid(self.width_ns) - self.first;
        usize::try_from(n).unwrap_or(usize::MAX)
    }

    /// The bucket of an instant; there is always one, as the width grows until there is.
    #[inline]
    fn bucket(&mut self, at: Timestamp) -> Option<&mut Interval> {
        let at_ns = at.as_nanos();
        let start = self.start_ns.filter(|start| at_ns >= *start);
        let known = start.and_then(|start| {
            let since = at_ns.wrapping_sub(start).cast_unsigned();
            let index = usize::try_from(since / self.width).ok()?;
            (index < self.buckets.len()).then_some(index)
        });
        let index = match known {
            Some(index) => index,
            None => self.find(at)?,
        };
        self.buckets.get_mut(index)
    }

    /// Where its bucket is, made if there was none.
    #[inline(never)]
    fn find(&mut self, at: Timestamp) -> Option<usize> {
        let number = |width: i64| at.as_nanos().div_euclid(width);
        if self.buckets.is_empty() {
            self.first = number(self.width_ns);
        }
        loop {
            let n = number(self.width_ns);
            let last = self
                .first
                .saturating_add(i64::try_from(self.buckets.len()).unwrap_or(i64::MAX))
                .saturating_sub(1)
                .max(n);
            let span = last.saturating_sub(self.first.min(n));
            if usize::try_from(span).is_ok_and(|span| span < BUCKETS) {
                break;
            }
            self.widen();
        }
        let n = number(self.width_ns);
        if n < self.first {
            let missing = usize::try_from(self.first - n).unwrap_or(0);
            let empty = std::iter::repeat_n(Interval::default(), missing);
            self.buckets.splice(0..0, empty);
            self.first = n;
        }
        self.start_ns = self.first.checked_mul(self.width_ns);
        let at = usize::try_from(n - self.first).ok()?;
        if at >= self.buckets.len() {
            self.buckets.resize(at + 1, Interval::default());
        }
        Some(at)
    }

    /// Ten buckets become one.
    fn widen(&mut self) {
        let first = self.first.div_euclid(10);
        let mut wide: Vec<Interval> = Vec::new();
        for (n, bucket) in (self.first..).zip(&self.buckets) {
            let at = usize::try_from(n.div_euclid(10) - first).unwrap_or(0);
            if at >= wide.len() {
                wide.resize(at + 1, Interval::default());
            }
            wide[at].absorb(bucket);
        }
        self.buckets = wide;
        self.first = first;
        self.width_ns = self.width_ns.saturating_mul(10);
        self.width = width(self.width_ns);
    }
}

/// A width to divide by.
fn width(ns: i64) -> NonZeroU64 {
    NonZeroU64::new(ns.unsigned_abs()).unwrap_or(NonZeroU64::MIN)
}

/// Adds without going beyond what can be counted.
#[inline]
fn add(sum: &mut i64, ns: i64) {
    *sum = match sum.checked_add(ns) {
        Some(sum) => sum,
        None => most(*sum, ns),
    };
}

#[cold]
fn most(sum: i64, ns: i64) -> i64 {
    sum.saturating_add(ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::testing::read;
    use proptest::prelude::*;

    fn item(end: i64, bytes: u64) -> Answer {
        let at = Timestamp::from_nanos(end);
        read(at.plus(-1000), at, bytes)
    }

    fn stretch(start: i64, end: i64, stations: u32) -> Stretch {
        Stretch {
            start: Timestamp::from_nanos(start),
            end: Timestamp::from_nanos(end),
            stations,
        }
    }

    const MS: i64 = 1_000_000;

    #[test]
    fn buckets_are_aligned_and_hold_what_ended_in_them() {
        let mut series = Series::default();
        for ms in [1019, 1020, 1020, 1039] {
            series.answered(&item(ms * MS, 10));
        }
        series.active(stretch(1015 * MS, 1035 * MS, 2));
        let line = series.timeline();
        assert_eq!(line.width_ns, 10 * MS);
        assert_eq!(line.start.as_nanos(), 1010 * MS);
        let shown: Vec<(u64, u64, u64, u32)> = line
            .buckets
            .iter()
            .map(|b| (b.answered, b.data_bytes, b.active_ns, b.stations))
            .collect();
        assert_eq!(
            shown,
            [
                (1, 10, 10_000_000, 2),
                (2, 20, 20_000_000, 2),
                (1, 10, 10_000_000, 2)
            ]
        );
        assert_eq!(
            (line.buckets[1].responses, line.buckets[1].response_ns),
            (2, 2000)
        );
    }

    #[test]
    fn the_width_grows_by_tens() {
        let mut series = Series::default();
        for s in [0, 60, 3600] {
            series.answered(&item(s * 1000 * MS, 1));
        }
        let line = series.timeline();
        assert_eq!(line.width_ns, 1000 * MS);
        assert_eq!(line.buckets.len(), 3601);
        assert_eq!(line.buckets[60].answered, 1);
        let wide = widened(&line, 10_000 * MS);
        assert_eq!((wide.width_ns, wide.buckets.len()), (10_000 * MS, 361));
        assert_eq!(wide.buckets[6].answered, 1);
    }

    proptest! {
        /// Whatever the stamps, buckets are bounded and together hold the totals.
        #[test]
        fn buckets_sum_to_the_whole(
            raw in prop::collection::vec((any::<i64>(), 0u64..1000), 1..30),
            near in prop::collection::vec((0i64..100_000_000_000, 1i64..5_000_000_000, 1u32..5), 0..20),
            far in any::<bool>(),
        ) {
            let mut series = Series::default();
            let (mut bytes, mut active) = (0, 0);
            let n = raw.len() as u64;
            for (at, b) in raw {
                let at = if far { at } else { at.rem_euclid(100_000_000_000) };
                series.answered(&item(at, b));
                bytes += b;
            }
            for (start, ns, stations) in near {
                series.active(stretch(start, start + ns, stations));
                active += ns as u64 * u64::from(stations);
            }
            let line = series.timeline();
            prop_assert!(line.buckets.len() <= BUCKETS);
            prop_assert_eq!(line.buckets.iter().map(|b| b.answered).sum::<u64>(), n);
            prop_assert_eq!(line.buckets.iter().map(|b| b.data_bytes).sum::<u64>(), bytes);
            prop_assert_eq!(line.buckets.iter().map(|b| b.active_ns).sum::<u64>(), active);
        }
    }
}
