//! Bytes moved as the unit of comparison: where most of the time goes to reads or writes of another
//! size than the baseline's, the time of a single request says nothing of the service. A read of
//! 30 KB that takes 28 times as long as one of 1 KB is no slower.

use super::{Caveat, Change, Confidence, Figure, Group, Key, Part, Ratio, Side};
use wirewait_analysis::{Sample, Snapshot, Timeline};
use wirewait_wire::Kind;

/// A change of the throughput below this does not count, in thousandths of the baseline: requests
/// of other sizes are never quite the same work.
pub const MATERIAL: i64 = 100;

/// Bytes of a read or write from which on data is most of the work; with fewer it is the request.
const DATA: u64 = 512;
/// Parts of a capture, each with a throughput that the rank test compares, at most.
const PARTS: u64 = 40;
/// Responses in one part at least.
const RESPONSES: u64 = 4;

/// What two captures moved, for the time in which their clients were active.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Work {
    /// File data per active client time, in the baseline.
    pub base: Ratio,
    /// In the other.
    pub other: Ratio,
    /// How sure the difference is: of the throughputs of successive parts of each capture, the
    /// method of batch means.
    pub confidence: Confidence,
    /// Active client time for each byte: client, network, server.
    pub parts: Vec<Part>,
}

impl Work {
    /// The work of both, if bytes are what they have to be compared by.
    pub(super) fn of(
        captures: &[&Snapshot],
        all: &Group,
        mix: &[Group],
        sizes: &[Caveat],
        number: usize,
    ) -> Option<Self> {
        let (one, two) = (captures.first()?, captures.get(number + 1)?);
        let dominated = |side: &Side, place: usize| {
            let other_size = |group: &&Group| {
                let kind = kind(&group.key);
                let of = |c: &Caveat| {
                    matches!(c, Caveat::Size { kind: k, base, other }
                        if Some(*k) == kind && *base.min(other) >= DATA)
                };
                sizes.iter().any(of)
            };
            let sides = mix.iter().filter(other_size);
            let sides = sides.filter_map(|group| group.sides.get(place)?.as_ref());
            let time: i128 = sides.map(|side| side.response_time.total).sum();
            time.saturating_mul(2) >= side.response_time.total && time > 0
        };
        if !dominated(all.base()?, 0) || !dominated(all.other(number)?, number + 1) {
            return None;
        }
        let (base, other) = all.both(number, Figure::ActiveThroughput)?;
        let [a, b] = [one, two].map(|snapshot| parts_of(&snapshot.load.timeline));
        Some(Self {
            base,
            other,
            confidence: Confidence::of(&a, &b),
            parts: super::conclusion::parts(captures, number, |place| {
                Some(all.sides.get(place)?.as_ref()?.data_bytes)
            }),
        })
    }

    /// How much more the other moves.
    #[must_use]
    pub fn change(&self) -> Change {
        self.base.change(self.other)
    }
}

pub(super) fn kind(key: &Key) -> Option<Kind> {
    match key {
        Key::Operation { kind, .. } | Key::Kind(kind) => Some(*kind),
        _ => None,
    }
}

/// File data per active client time in parts of the capture that follow each other, each with about
/// as many responses: bytes per second.
fn parts_of(line: &Timeline) -> Sample {
    let responses = line.buckets.iter().map(|bucket| bucket.answered);
    let responses = responses.fold(0, u64::saturating_add);
    let quota = responses.div_ceil(PARTS).max(RESPONSES);
    let (mut answered, mut bytes, mut active_ns) = (0u64, 0u64, 0u64);
    let mut rates = Vec::new();
    for bucket in &line.buckets {
        answered = answered.saturating_add(bucket.answered);
        bytes = bytes.saturating_add(bucket.data_bytes);
        active_ns = active_ns.saturating_add(bucket.active_ns);
        if answered < quota || active_ns == 0 {
            continue;
        }
        let rate = u128::from(bytes) * 1_000_000_000 / u128::from(active_ns);
        rates.push(i64::try_from(rate).unwrap_or(i64::MAX));
        (answered, bytes, active_ns) = (0, 0, 0);
    }
    rates.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::Interval;

    fn bucket(answered: u64, data_bytes: u64, active_ms: u64) -> Interval {
        Interval {
            answered,
            data_bytes,
            active_ns: active_ms * 1_000_000,
            ..Interval::default()
        }
    }

    /// Nothing is lost between parts, and idle time is in none.
    #[test]
    fn parts_have_as_many_responses_each() {
        let line = Timeline {
            buckets: vec![
                bucket(0, 0, 10),
                bucket(3, 3000, 10),
                bucket(1, 1000, 20),
                bucket(0, 0, 0),
                bucket(5, 500, 100),
                bucket(1, 9, 1),
            ],
            ..Timeline::default()
        };
        // 4,000 bytes in 40 ms, and 500 in 100 ms; what is left is no part.
        let sample = parts_of(&line);
        assert_eq!(sample.values(), [(5_000, 1), (100_000, 1)]);
        assert_eq!(parts_of(&Timeline::default()).n(), 0);
    }
}
