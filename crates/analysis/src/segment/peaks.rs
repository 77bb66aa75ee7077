//! The busiest moments of a segment, without keeping the others.

use super::{Peak, Volume};
use wirewait_wire::Timestamp;

/// Widths of the buckets, ns: each a multiple of the one before.
pub(super) const WIDTHS_NS: [i64; 3] = [10_000_000, 100_000_000, 1_000_000_000];

/// Bytes of one bucket.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    begins: i64,
    frames: u64,
    bytes: u64,
}

/// Buckets of one width: two that are open, and the fullest that is closed.
///
/// The one before the latest stays open, because stamps of neighbouring frames may be out of
/// order. A frame older than that begins its bucket anew: where the clock steps back, what
/// comes twice is counted as two times.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    open: [Bucket; 2],
    peak: Bucket,
}

impl Level {
    /// Takes bytes at a moment, if one of the open buckets is that of the moment.
    #[inline]
    fn join(&mut self, width: i64, at: i64, frames: u64, bytes: u64) -> bool {
        for bucket in &mut self.open {
            if bucket.frames > 0 && (0..width).contains(&at.saturating_sub(bucket.begins)) {
                bucket.frames += frames;
                bucket.bytes = bucket.bytes.saturating_add(bytes);
                return true;
            }
        }
        false
    }

    /// Begins a bucket; gives those that are closed by that.
    fn begin(&mut self, width: i64, at: i64, frames: u64, bytes: u64) -> [Bucket; 2] {
        let new = Bucket {
            begins: at.div_euclid(width).saturating_mul(width),
            frames,
            bytes,
        };
        let [latest, before] = self.open;
        if latest.frames == 0 || at >= latest.begins {
            self.open = [new, latest];
            self.close([before, Bucket::default()])
        } else {
            self.open = [new, Bucket::default()];
            self.close([before, latest])
        }
    }

    fn close(&mut self, buckets: [Bucket; 2]) -> [Bucket; 2] {
        for bucket in buckets {
            if bucket.bytes > self.peak.bytes {
                self.peak = bucket;
            }
        }
        buckets
    }
}

/// The fullest bucket of each width, and what it takes to find it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Peaks {
    levels: [Level; WIDTHS_NS.len()],
}

impl Peaks {
    /// Frames of one moment, which lies in one bucket of the narrowest width.
    pub(super) fn add(&mut self, at: Timestamp, frames: Volume) {
        self.put(0, at.as_nanos(), frames.frames, frames.bytes);
    }

    /// The fullest buckets as things stand; of equal ones the first.
    pub(super) fn found(&self) -> [Peak; WIDTHS_NS.len()] {
        let mut ended = *self;
        for level in 0..WIDTHS_NS.len() {
            let [latest, before] = std::mem::take(&mut ended.levels[level].open);
            ended.levels[level].close([before, latest]);
            ended.pass(level, [before, latest]);
        }
        let mut widths = WIDTHS_NS.iter();
        ended.levels.map(|level| Peak {
            width_ns: widths.next().copied().unwrap_or(0),
            begins: Timestamp::from_nanos(level.peak.begins),
            frames: level.peak.frames,
            bytes: level.peak.bytes,
        })
    }

    #[inline]
    fn put(&mut self, level: usize, at: i64, frames: u64, bytes: u64) {
        let (open, width) = (&mut self.levels[level], WIDTHS_NS[level]);
        if !open.join(width, at, frames, bytes) {
            let closed = open.begin(width, at, frames, bytes);
            self.pass(level, closed);
        }
    }

    /// Hands closed buckets on to the next width, whose buckets are made of them.
    #[cold]
    fn pass(&mut self, level: usize, closed: [Bucket; 2]) {
        if level + 1 < WIDTHS_NS.len() {
            for bucket in closed.iter().filter(|bucket| bucket.frames > 0) {
                self.put(level + 1, bucket.begins, bucket.frames, bucket.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn of(frames: &[(i64, u64)]) -> [Peak; 3] {
        let mut peaks = Peaks::default();
        for (at, bytes) in frames {
            peaks.add(Timestamp::from_nanos(*at), Volume::frame(*bytes));
        }
        peaks.found()
    }

    #[test]
    fn the_fullest_of_each_width() {
        // 10 ms from 0.000: 500; from 0.010: 300; from 1.000: 400; from 1.990: 350.
        let found = of(&[
            (0, 200),
            (9_999_999, 300),
            (10_000_000, 300),
            (1_000_000_000, 400),
            (1_999_999_999, 350),
        ]);
        let shown: Vec<_> = found
            .iter()
            .map(|p| (p.width_ns, p.begins.as_nanos(), p.frames, p.bytes))
            .collect();
        assert_eq!(
            shown,
            [
                (10_000_000, 0, 2, 500),
                (100_000_000, 0, 3, 800),
                (1_000_000_000, 0, 3, 800),
            ]
        );
        assert!(of(&[]).iter().all(|p| p.bytes == 0));
    }

    #[test]
    fn neighbours_out_of_order_are_sorted_into_their_buckets() {
        let found = of(&[(9_000_000, 10), (10_000_100, 5), (9_999_999, 10)]);
        assert_eq!((found[0].bytes, found[0].begins.as_nanos()), (20, 0));
        assert_eq!(found[1].bytes, 25);
    }

    #[test]
    fn a_clock_at_either_end_of_time() {
        let found = of(&[(i64::MIN, 7), (i64::MAX, 9), (i64::MIN, 7)]);
        assert_eq!(found[0].bytes, 14, "the bucket before the latest is open");
    }

    proptest! {
        #[test]
        fn in_order_they_are_those_of_all_buckets(
            gaps in prop::collection::vec((0..40_000_000i64, 1..1600u64), 1..200),
        ) {
            let mut at = -1_234_567;
            let frames: Vec<(i64, u64)> = gaps
                .iter()
                .map(|(gap, bytes)| {
                    at += gap;
                    (at, *bytes)
                })
                .collect();
            for (width, peak) in WIDTHS_NS.iter().zip(of(&frames)) {
                let mut buckets = BTreeMap::new();
                for (at, bytes) in &frames {
                    *buckets.entry(at.div_euclid(*width)).or_insert(0) += bytes;
                }
                prop_assert_eq!(Some(peak.bytes), buckets.values().max().copied());
                prop_assert_eq!(
                    buckets.get(&peak.begins.as_nanos().div_euclid(*width)),
                    Some(&peak.bytes)
                );
            }
        }
    }
}
