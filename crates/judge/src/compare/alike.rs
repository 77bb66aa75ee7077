//! Like with like: the requests of each operation against those of the same operation. Where the mix of operations
//! changed, or other requests succeed, the mean of all requests is of other work.
//!
//! How many times as long a request takes is the ratio of Mantel and Haenszel (Rothman, Greenland and Lash, Modern
//! Epidemiology, 15): the mean times of each operation, weighted with n m / (n + m) for n and m requests. The test is
//! van Elteren's (1960): the rank tests of the operations added up, each weighted with its time too, so that
//! what takes most of the time decides.

use super::group::measures_service;
use super::serial::{self, Ranked};
use super::sure::Courses;
use super::work::kind;
use super::{Change, FEWEST, Group, RankTest, Ratio};
use wirewait_analysis::Sample;

/// Requests of an operation that both captures have to have.
const EACH: u64 = 8;

/// The requests of two captures, operation by operation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alike {
    /// Operations that both have.
    pub operations: usize,
    /// Requests of them in the baseline, and in the other.
    pub requests: (u64, u64),
    /// What a request takes in the baseline, ns, if both have each operation as often.
    pub base: Ratio,
    /// Likewise in the other.
    pub other: Ratio,
    /// How likely chance alone makes such a difference or a greater one, in either direction.
    pub p: f64,
    /// Most requests changed as their mean did.
    pub agrees: bool,
}

/// An operation in both captures.
struct SharedOperation {
    n: [u64; 2],
    mean: [f64; 2],
    away: f64,
    /// Of that, if no value depends on another.
    variance: f64,
    ranked: Option<Ranked>,
}

impl SharedOperation {
    /// Of values in order.
    fn in_order(base: &[i64], other: &[i64]) -> Option<Self> {
        let sample = |values: &[i64]| values.iter().copied().collect::<Sample>();
        let mut one = Self::of(&sample(base), &sample(other))?;
        one.ranked = Some(Ranked::of(base, other)?);
        Some(one)
    }

    fn of(base: &Sample, other: &Sample) -> Option<Self> {
        let n = [base.n(), other.n()];
        if n[0].min(n[1]) < EACH {
            return None;
        }
        let mean = |sample: &Sample| {
            let of = |(ns, count): &(i64, u64)| *ns as f64 * *count as f64;
            sample.values().iter().map(of).sum::<f64>() / sample.n() as f64
        };
        let (away, variance) = RankTest::away(base, other);
        Some(Self {
            n,
            mean: [mean(base), mean(other)],
            away,
            variance,
            ranked: None,
        })
    }

    fn weight(&self) -> f64 {
        let [n, m] = self.n.map(|n| n as f64);
        n * m / (n + m)
    }

    /// That of its test: its time, too.
    fn heavy(&self) -> f64 {
        self.weight() * (self.mean[0] + self.mean[1]) / 2.0
    }
}

impl Alike {
    /// Of the operations of a table. `courses` has their times in order, of each capture, where they were seen.
    pub(super) fn of(groups: &[Group], courses: &[Courses], number: usize) -> Option<Self> {
        let strata = groups.iter().filter_map(|group| {
            if !kind_counts(group) {
                return None;
            }
            if courses.is_empty() {
                let (base, other) = (&group.base()?.samples, &group.other(number)?.samples);
                return SharedOperation::of(&base.response_time, &other.response_time);
            }
            let of = |place: usize| Some(&courses.get(place)?.get(&group.key)?.response_time);
            SharedOperation::in_order(of(0)?, of(number + 1)?)
        });
        Self::added(&strata.collect::<Vec<_>>())
    }

    fn added(strata: &[SharedOperation]) -> Option<Self> {
        let sum = |of: &dyn Fn(&SharedOperation) -> f64| strata.iter().map(of).sum::<f64>();
        let requests = |place: usize| {
            let n = strata.iter().map(|one| one.n[place]);
            n.fold(0u64, u64::saturating_add)
        };
        let requests = (requests(0), requests(1));
        if requests.0.min(requests.1) < FEWEST {
            return None;
        }
        let all = sum(&SharedOperation::weight);
        let mean = |place: usize| sum(&|one| one.weight() * one.mean[place]) / all;
        let away = sum(&|one| one.heavy() * one.away);
        let variance = sum(&|one| one.heavy() * one.heavy() * one.variance);
        let single = serial::chance(away, variance, f64::INFINITY);
        let of_blocks = |one: &SharedOperation| {
            let own = one.ranked.map_or(0.0, |ranked| ranked.variance);
            one.heavy() * one.heavy() * own
        };
        let blocks = sum(&of_blocks);
        let spent = sum(&|one| {
            let freedom = one.ranked.map_or(1.0, |ranked| ranked.freedom.max(1.0));
            of_blocks(one) * of_blocks(one) / freedom
        });
        let in_order = match strata.iter().any(|one| one.ranked.is_some()) {
            true => serial::chance(away, blocks, blocks * blocks / spent.max(f64::MIN_POSITIVE)),
            false => 0.0,
        };
        let ratio = |ns: f64| Ratio {
            part: ns.round().max(0.0) as u128,
            of: 1,
        };
        let (base, other) = (mean(0), mean(1));
        Some(Self {
            operations: strata.len(),
            requests,
            base: ratio(base),
            other: ratio(other),
            p: single.max(in_order),
            agrees: (other - base) * away >= 0.0,
        })
    }

    /// How much longer a request of the same operation takes.
    #[must_use]
    pub fn change(&self) -> Change {
        self.base.change(self.other)
    }
}

/// Whether the time of such requests is a measure of service.
pub(super) fn kind_counts(group: &Group) -> bool {
    kind(&group.key).is_some_and(measures_service)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times around a middle, in an order that hangs together in nothing.
    fn around(ns: i64, n: i64) -> Vec<i64> {
        (0..n)
            .map(|at| ns * (950 + at * 7919 % 101) / 1000)
            .collect()
    }

    fn added(of: &[(Vec<i64>, Vec<i64>)]) -> Alike {
        let strata = of
            .iter()
            .filter_map(|(a, b)| SharedOperation::in_order(a, b));
        Alike::added(&strata.collect::<Vec<_>>()).unwrap()
    }

    /// Nine cheap requests to one dear one, and the other way round: the mean is five times as long, and each
    /// operation as fast.
    #[test]
    fn another_mix_is_no_change() {
        let one = added(&[
            (around(1_000_000, 360), around(1_000_000, 40)),
            (around(10_000_000, 40), around(10_000_000, 360)),
        ]);
        assert!(one.p > 0.1, "{one:?}");
        assert!(
            matches!(one.change(), Change::Thousandths(-10..=10)),
            "{one:?}"
        );
        assert_eq!((one.operations, one.requests), (2, (400, 400)));
    }

    /// Both a third slower, and the cheap one more often.
    #[test]
    fn a_change_of_each_is_found_behind_another_mix() {
        let one = added(&[
            (around(1_000_000, 200), around(1_300_000, 340)),
            (around(10_000_000, 200), around(13_000_000, 60)),
        ]);
        assert!(one.p < 0.0001 && one.agrees, "{one:?}");
        assert!(
            matches!(one.change(), Change::Thousandths(290..=310)),
            "{one:?}"
        );
    }

    #[test]
    fn few_requests_are_not_judged() {
        let strata = SharedOperation::in_order(&around(1000, 19), &around(1000, 40));
        assert_eq!(Alike::added(&strata.into_iter().collect::<Vec<_>>()), None);
        assert!(SharedOperation::in_order(&around(1000, 7), &around(1000, 40)).is_none());
    }
}
