//! What the first line hides: rows that changed where all together did not, and waits in the tail.

use super::alike::kind_counts;
use super::conclusion::beyond;
use super::losses::chance;
use super::sure::Courses;
use super::{
    By, Change, Confidence, ErrorChange, Figure, Group, Key, LEVEL, MATERIAL, Ratio, Repeated,
};

/// Requests of an operation that both captures have to have before its tail is looked at.
const TAIL: usize = 100;
/// Waits that follow each other within this part of the requests, one in 64, are one event.
const APART: usize = 64;

/// A row of a table that changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Moved {
    /// By what the rows of the table are formed.
    pub by: By,
    /// Which row.
    pub key: Key,
    /// Its mean response time in the baseline, ns.
    pub base: Ratio,
    /// In the other.
    pub other: Ratio,
    /// How likely chance alone makes such a difference or a greater one, in either direction.
    pub p: f64,
}

impl Moved {
    /// How much longer a request takes.
    #[must_use]
    pub fn change(&self) -> Change {
        self.base.change(self.other)
    }

    fn slower(&self) -> bool {
        self.other.number() > self.base.number()
    }

    /// The rows that changed most, by the time that it made: of the first table with rows that became slower and
    /// others that became faster one of each; else the one of the first table that has any.
    pub(super) fn of(tables: &[(By, &[Group])], number: usize) -> Vec<Self> {
        // A row that is alone is all of them.
        let common = |groups: &[Group]| {
            let both = groups.iter().filter(|group| group.base().is_some());
            both.filter(|group| group.other(number).is_some()).count()
        };
        let tables: Vec<_> = tables
            .iter()
            .filter(|(_, groups)| common(groups) > 1)
            .collect();
        let level = |of: f64| of / tables.len().max(1) as f64;
        let most = |(by, groups): &(By, &[Group]), slower: bool| {
            let rows = groups.iter().filter_map(|group| {
                let sure = group.sure.get(number)?;
                let Confidence::Tested(test) = sure.response_time else {
                    return None;
                };
                let (base, other) = group.both(number, Figure::ResponseTime)?;
                let one = Self {
                    by: *by,
                    key: group.key.clone(),
                    base,
                    other,
                    p: test.p,
                };
                let there = test.p < level(sure.level)
                    && beyond(one.change(), MATERIAL)
                    && (test.greater() > 0.5) == slower
                    && one.slower() == slower
                    && ErrorChange::of(group, number).is_none();
                let n = group.other(number)?.response_time.n as f64;
                there.then(|| ((other.number() - base.number()).abs() * n, one))
            });
            rows.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.key.cmp(&a.1.key)))
        };
        let pairs: Vec<_> = tables
            .iter()
            .map(|table| [most(table, true), most(table, false)])
            .collect();
        let opposite = pairs.iter().find(|pair| pair.iter().all(Option::is_some));
        if let Some(pair) = opposite {
            return pair.iter().flatten().map(|(_, one)| one.clone()).collect();
        }
        let rows = pairs.into_iter().find_map(|pair| {
            let rows = pair.into_iter().flatten();
            rows.max_by(|a, b| a.0.total_cmp(&b.0))
        });
        rows.into_iter().map(|(_, one)| one).collect()
    }
}

/// Long waits of an operation that only one of two captures has, or far more of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tail {
    /// Which operation.
    pub key: Key,
    /// Requests that take longer are counted, ns: twice what 95 % of the requests take at the most, in the capture
    /// in which that is less.
    pub above_ns: i64,
    /// The baseline's requests, and how many of them take longer.
    pub base: (u64, u64),
    /// The other's.
    pub other: (u64, u64),
    /// What 99 % take at the most in the baseline, and in the other, ns.
    pub p99_ns: (i64, i64),
    /// The longest of the baseline, and of the other, ns.
    pub longest_ns: (i64, i64),
    /// How likely chance alone shares them out so unevenly; those that follow each other closely are one.
    pub p: f64,
}

impl Tail {
    /// Whether the other has more of them.
    #[must_use]
    pub fn grew(&self) -> bool {
        let part = |a: (u64, u64), b: (u64, u64)| u128::from(a.1) * u128::from(b.0);
        part(self.other, self.base) > part(self.base, self.other)
    }

    /// The operation whose tail changed most surely. `courses` has the times of requests that succeeded, in order.
    pub(super) fn of(groups: &[Group], courses: &[Courses], number: usize) -> Option<Self> {
        let found: Vec<Self> = groups
            .iter()
            .filter(|group| kind_counts(group))
            .filter_map(|group| {
                let of = |place: usize| {
                    let course = courses.get(place)?.get(&group.key)?;
                    Some(course.response_time.as_slice())
                };
                Self::between(group.key.clone(), of(0)?, of(number + 1)?)
            })
            .collect();
        let level = LEVEL / found.len().max(1) as f64;
        let sure = found.into_iter().filter(|tail| tail.p < level);
        sure.min_by(|a, b| a.p.total_cmp(&b.p).then_with(|| a.key.cmp(&b.key)))
    }

    fn between(key: Key, base: &[i64], other: &[i64]) -> Option<Self> {
        if base.len().min(other.len()) < TAIL {
            return None;
        }
        let percentiles = |values: &[i64]| {
            let mut values = values.to_vec();
            values.sort_unstable();
            let at = |percent: usize| values.get((values.len() * percent).div_ceil(100) - 1);
            Some((*at(95)?, *at(99)?, *values.last()?))
        };
        let (was, is) = (percentiles(base)?, percentiles(other)?);
        let above_ns = was.0.min(is.0).saturating_mul(2);
        let (longer, events) = count(base, above_ns);
        let (now, now_events) = count(other, above_ns);
        let (n, m) = (base.len() as u64, other.len() as u64);
        let repeated = |answered: u64, repeated: u64| Repeated { answered, repeated };
        let p = chance(repeated(n, events), repeated(m, now_events)).unwrap_or(1.0);
        Some(Self {
            key,
            above_ns,
            base: (n, longer),
            other: (m, now),
            p99_ns: (was.1, is.1),
            longest_ns: (was.2, is.2),
            p,
        })
    }
}

/// Values above a limit; and those of them that are no part of the event of another (declustering by runs: Coles,
/// An Introduction to Statistical Modeling of Extreme Values, 5.3).
fn count(values: &[i64], above: i64) -> (u64, u64) {
    let apart = (values.len() / APART).max(1);
    let (mut all, mut events, mut last) = (0u64, 0u64, None);
    let long = values.iter().enumerate().filter(|(_, ns)| **ns > above);
    for (at, _) in long {
        all += 1;
        events += u64::from(last.is_none_or(|last: usize| at - last > apart));
        last = Some(at);
    }
    (all, events)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(other: &[i64]) -> Tail {
        Tail::between(Key::All, &[5000; 1000], other).unwrap()
    }

    /// Ten of a thousand, far apart: all in one of the two, in either: 2 / 2^10. In succession they are one event.
    #[test]
    fn single_waits_are_a_tail_and_a_stretch_is_not() {
        let with = |places: std::iter::StepBy<std::ops::Range<usize>>| {
            let mut values = vec![5000; 1000];
            places.for_each(|at| values[at] = 50_000);
            tail(&values)
        };
        let apart = with((0..1000).step_by(100));
        assert_eq!((apart.above_ns, apart.other), (10_000, (1000, 10)));
        assert!(
            (apart.p - 2.0 / 1024.0).abs() < 1e-9 && apart.grew(),
            "{apart:?}"
        );
        let stretch = with((500..530).step_by(1));
        assert_eq!(stretch.other, (1000, 30));
        assert!((stretch.p - 1.0).abs() < 1e-9, "{stretch:?}");
        assert_eq!(Tail::between(Key::All, &[1; 99], &[1; 1000]), None);
    }
}
