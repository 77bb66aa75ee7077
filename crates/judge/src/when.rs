//! When most of the active time was, where that is a small part of the capture.

use crate::share::thousandths;
use wirewait_analysis::Snapshot;
use wirewait_wire::Timestamp;

/// Shorter captures are looked at as a whole, ns.
const LEAST_NS: i64 = 5_000_000_000;
/// Less active time than this is not looked for, ns.
const LEAST_ACTIVE_NS: u64 = 1_000_000_000;
/// From this part of the active time on, in thousandths,
const MOST: u64 = 500;
/// and up to this part of the capture.
const FEW: u64 = 250;

/// The time that stands out most from the rest of the capture: what it has of the active time, less what it is of the
/// capture, is the most that any has. Where it has half of the active time, in a quarter of the capture at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusyTime {
    /// When it began, by the steps of the [time line](wirewait_analysis::Timeline).
    pub from: Timestamp,
    /// When it ended, likewise.
    pub to: Timestamp,
    /// Its part of the active time, in thousandths.
    pub thousandths: u64,
    /// From the first step of the time line to the last, ns.
    pub of_ns: i64,
}

impl BusyTime {
    /// Of `active_ns` in all. The time line has no pauses beyond the think limit: where much of the active time is in those, as
    /// responses came so late, it does not tell.
    pub(crate) fn of(snapshot: &Snapshot, active_ns: u64) -> Option<Self> {
        let line = &snapshot.load.timeline;
        let steps = i64::try_from(line.buckets.len()).ok()?;
        let of_ns = line.width_ns.checked_mul(steps)?;
        let active: Vec<u64> = line.buckets.iter().map(|step| step.active_ns).collect();
        let all: u64 = active.iter().fold(0, |sum, ns| sum.saturating_add(*ns));
        if of_ns < LEAST_NS
            || all < LEAST_ACTIVE_NS
            || u128::from(all) * 10 < u128::from(active_ns) * 9
        {
            return None;
        }
        let (first, behind) = standing_out(&active, all)?;
        let within = active.get(first..behind)?;
        let within: u64 = within.iter().fold(0, |sum, ns| sum.saturating_add(*ns));
        let part = thousandths(within, all);
        let length = u64::try_from(behind - first).ok()?;
        if part < MOST || thousandths(length, steps.unsigned_abs()) > FEW {
            return None;
        }
        let at = |step: usize| {
            let step = i64::try_from(step).unwrap_or(i64::MAX);
            line.start.plus(line.width_ns.saturating_mul(step))
        };
        Some(Self {
            from: at(first),
            to: at(behind),
            thousandths: part,
            of_ns,
        })
    }
}

/// The steps, from and to, of which the sum of what each has beyond its even part is the largest; the first of such.
fn standing_out(active: &[u64], all: u64) -> Option<(usize, usize)> {
    let steps = i128::try_from(active.len()).ok()?;
    let (mut sum, mut from) = (0, 0);
    let mut best = (0, 0, 0);
    for (step, ns) in active.iter().enumerate() {
        let beyond = i128::from(*ns).saturating_mul(steps) - i128::from(all);
        if sum <= 0 {
            (sum, from) = (0, step);
        }
        sum = i128::saturating_add(sum, beyond);
        if sum > best.0 {
            best = (sum, from, step + 1);
        }
    }
    (best.0 > 0).then_some((best.1, best.2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::Interval;

    /// Active time in steps of a second, ms.
    fn found(active: &[u64]) -> Option<(i64, i64, u64)> {
        let mut snapshot = Snapshot::default();
        let line = &mut snapshot.load.timeline;
        line.width_ns = 1_000_000_000;
        line.start = Timestamp::from_parts(100, 0);
        line.buckets = active
            .iter()
            .map(|ms| Interval {
                active_ns: ms * 1_000_000,
                ..Interval::default()
            })
            .collect();
        let second = |at: Timestamp| at.as_nanos() / 1_000_000_000 - 100;
        let all: u64 = active.iter().sum();
        let busy = BusyTime::of(&snapshot, all * 1_000_000)?;
        // A ninth more is not in the time line.
        assert!(BusyTime::of(&snapshot, all * 1_112_000).is_none());
        assert_eq!(busy.of_ns, 1_000_000_000 * active.len() as i64);
        Some((second(busy.from), second(busy.to), busy.thousandths))
    }

    #[test]
    fn a_short_time_that_has_most_of_it_is_found() {
        let mut day = [40; 100];
        day[60..70].fill(2_000);
        // 20,000 of 23,600 ms.
        assert_eq!(found(&day), Some((60, 70, 847)));
        // One step in between that is like the rest belongs to it.
        day[65] = 40;
        assert_eq!(found(&day), Some((60, 70, 834)));
        // Two that are far from each other are no one time.
        let mut twice = [10; 100];
        twice[10..15].fill(2_000);
        twice[80..85].fill(2_000);
        assert_eq!(found(&twice), None);
    }

    #[test]
    fn what_is_spread_out_has_no_time_of_its_own() {
        assert_eq!(found(&[500; 100]), None);
        assert_eq!(found(&[0; 100]), None);
        // A quarter of the capture at most.
        let mut part = [0; 100];
        part[..25].fill(100);
        assert_eq!(found(&part), Some((0, 25, 1000)));
        part[..26].fill(100);
        assert_eq!(found(&part), None);
        // A second of active time at least, in five seconds.
        assert_eq!(found(&[1_000, 0, 0, 0, 0]), Some((0, 1, 1000)));
        assert_eq!(found(&[999, 0, 0, 0, 0]), None);
        assert_eq!(found(&[1_000, 0, 0, 0]), None);
    }

    #[test]
    fn sums_beyond_64_bits_are_no_panic() {
        let mut snapshot = Snapshot::default();
        let line = &mut snapshot.load.timeline;
        line.width_ns = 1_000_000_000;
        line.start = Timestamp::from_nanos(i64::MAX);
        let step = |active_ns| Interval {
            active_ns,
            ..Interval::default()
        };
        line.buckets = vec![step(0); 10];
        line.buckets[1..3].fill(step(u64::MAX));
        assert_eq!(
            BusyTime::of(&snapshot, 0).map(|of| of.thousandths),
            Some(1000)
        );
    }
}
