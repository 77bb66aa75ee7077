//! Like with like: the requests of each operation against those of the same operation. Where the mix of operations
//! changed, or other requests succeed, the mean of all requests is of other work.
//!
//! How many times as long a request takes is the ratio of Mantel and Haenszel (Rothman, Greenland and Lash, Modern
//! Epidemiology, 15): the mean times of each operation, weighted with n m / (n + m) for n and m requests. The test is
//! van Elteren's (1960): the rank tests of the operations added up, each weighted with its time too, so that
//! what takes most of the time decides.

use super::group::measures_service;
use super::serial::{self, Course, Ranked};
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
    /// The ranks of its requests in both captures as parts of all, less their mean, by their places; where they were seen.
    scores: Option<[Vec<(u32, f64)>; 2]>,
}

impl SharedOperation {
    /// Of values in order.
    fn in_order(base: &Course, other: &Course) -> Option<Self> {
        let sample = |of: &Course| of.response_time.iter().copied().collect::<Sample>();
        let mut one = Self::of(&sample(base), &sample(other))?;
        let [a, b] = serial::scores(&base.response_time, &other.response_time);
        let placed = |of: &Course, scores: Vec<f64>| -> Vec<(u32, f64)> {
            let mean = scores.iter().sum::<f64>() / scores.len().max(1) as f64;
            let apart = scores.into_iter().map(|score| score - mean);
            of.places.iter().copied().zip(apart).collect()
        };
        one.scores = Some([placed(base, a), placed(other, b)]);
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
            scores: None,
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
            let of = |place: usize| courses.get(place)?.get(&group.key);
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
        let in_order = in_order(strata, requests, away);
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
            p: single.max(in_order.unwrap_or(0.0)),
            agrees: (other - base) * away >= 0.0,
        })
    }

    /// How much longer a request of the same operation takes.
    #[must_use]
    pub fn change(&self) -> Change {
        self.base.change(self.other)
    }
}

/// The chance of so great a sum of the operations' distances by what successive requests have in common, whichever
/// operations they are of: what makes the requests of one of them slow for a while makes those of others slow, too.
/// `None` where their order is not known.
fn in_order(strata: &[SharedOperation], requests: (u64, u64), away: f64) -> Option<f64> {
    let course = |place: usize, all: u64| {
        let mut parts: Vec<(u32, f64)> = Vec::new();
        for one in strata {
            // The mean of all is the sum of what each operation is away, by its weight.
            let weight = one.heavy() * all as f64 / one.n[place] as f64;
            let scores = one.scores.as_ref()?.get(place)?;
            parts.extend(scores.iter().map(|(at, score)| (*at, score * weight)));
        }
        parts.sort_by_key(|(at, _)| *at);
        Some(
            parts
                .into_iter()
                .map(|(_, part)| part)
                .collect::<Vec<f64>>(),
        )
    };
    let ranked = Ranked::between(&course(0, requests.0)?, &course(1, requests.1)?)?;
    Some(Ranked { away, ..ranked }.p())
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
            .filter_map(|(a, b)| SharedOperation::in_order(&course(a), &course(b)));
        Alike::added(&strata.collect::<Vec<_>>()).unwrap()
    }

    /// All operations from the beginning of the capture to its end.
    fn course(values: &[i64]) -> Course {
        let place = |at: usize| u32::try_from(at * 100_000 / values.len()).unwrap();
        Course {
            response_time: values.to_vec(),
            places: (0..values.len()).map(place).collect(),
            ..Course::default()
        }
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
        let strata =
            SharedOperation::in_order(&course(&around(1000, 19)), &course(&around(1000, 40)));
        assert_eq!(Alike::added(&strata.into_iter().collect::<Vec<_>>()), None);
        assert!(
            SharedOperation::in_order(&course(&around(1000, 7)), &course(&around(1000, 40)))
                .is_none()
        );
    }

    /// Two operations that were slow together in one stretch of the other capture, twice as slow for a fourth of it: to each
    /// alone, and the more to both, that is a difference.
    #[test]
    fn a_stretch_of_all_operations_is_one() {
        let slow = |values: Vec<i64>| -> Vec<i64> {
            let n = values.len();
            let times = |at: usize| if at < n / 4 { 2 } else { 1 };
            let values = values.into_iter().enumerate();
            values.map(|(at, ns)| ns * times(at)).collect()
        };
        let pair = |ns: i64| (around(ns, 200), slow(around(ns, 200)));
        let one = added(&[pair(1_000_000), pair(3_000_000)]);
        assert!(one.p > 0.1, "{one:?}");
    }
}
