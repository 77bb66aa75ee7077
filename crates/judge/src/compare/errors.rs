//! Requests that failed. A refusal takes less time than the work that it refuses: where more requests fail, or fewer,
//! the times of all requests are of other work, and only those that succeeded can be compared.

use super::losses::chance;
use super::{Alike, Group, Key, LEVEL, Repeated, Side};

/// Thousandths of the requests by which failures differ before it is said.
const SAID: u64 = 10;
/// From so much on requests that succeeded are compared alone.
const DECIDES: u64 = 50;

/// Answered requests, and those of them that failed: not what is normal control flow, such as the end of a
/// file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedRequests {
    /// Requests with a final response.
    pub answered: u64,
    /// Those with a failure.
    pub failed: u64,
}

impl FailedRequests {
    fn of(side: &Side) -> Self {
        Self {
            answered: side.counts.answered,
            failed: side.counts.failures.min(side.counts.answered),
        }
    }

    /// Thousandths, rounded down.
    fn share(self) -> u64 {
        let part = u128::from(self.failed) * 1000 / u128::from(self.answered.max(1));
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}

/// More requests fail than in the baseline, or fewer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ErrorChange {
    /// The baseline's.
    pub base: FailedRequests,
    /// The other's.
    pub other: FailedRequests,
    /// How likely chance alone shares the failures out so unevenly. Where they follow each other, a row of them
    /// counts as one.
    pub p: f64,
    /// The group with half of the difference or more.
    pub most: Option<Key>,
    /// The requests that succeeded, operation by operation, where enough of both were seen.
    pub succeeded: Option<Alike>,
}

impl ErrorChange {
    /// The errors of a group, if they differ notably.
    #[must_use]
    pub fn of(group: &Group, number: usize) -> Option<Self> {
        let base = FailedRequests::of(group.base()?);
        let other = FailedRequests::of(group.other(number)?);
        if base.share().abs_diff(other.share()) < SAID {
            return None;
        }
        let repeated = |of: FailedRequests| Repeated {
            answered: of.answered,
            repeated: of.failed,
        };
        let single = chance(repeated(base), repeated(other))?;
        let sure = group.sure.get(number);
        let level = sure.map_or(LEVEL, |sure| sure.level);
        let p = sure
            .and_then(|sure| sure.failures)
            .map_or(single, |p| p.max(single));
        let found = Self {
            base,
            other,
            p,
            most: None,
            succeeded: None,
        };
        // What fails in rows is other work all the same.
        (single < level && (p < level || found.decides())).then_some(found)
    }

    /// Whether chance alone may have made it: the failures follow each other, and there are few rows of them.
    #[must_use]
    pub fn may_be_chance(&self) -> bool {
        self.p >= LEVEL
    }

    /// Likewise of all requests, with the group of a table that has most of it.
    pub(super) fn among(all: &Group, groups: &[Group], number: usize) -> Option<Self> {
        let found = Self::of(all, number)?;
        let grown = |base: FailedRequests, other: FailedRequests| {
            i128::from(other.failed) - i128::from(base.failed)
        };
        let way = if found.rose() { 1 } else { -1 };
        let total = grown(found.base, found.other) * way;
        let each = groups.iter().map(|group| {
            let of = |side: Option<&Side>| side.map_or_else(Default::default, FailedRequests::of);
            (
                grown(of(group.base()), of(group.other(number))) * way,
                group,
            )
        });
        let most = each.max_by(|a, b| (a.0, &b.1.key).cmp(&(b.0, &a.1.key)));
        let most = most.filter(|(grown, _)| *grown > 0 && grown.saturating_mul(2) >= total);
        Some(Self {
            most: most.map(|(_, group)| group.key.clone()),
            ..found
        })
    }

    /// Whether more of the requests fail.
    #[must_use]
    pub fn rose(&self) -> bool {
        let part =
            |a: FailedRequests, b: FailedRequests| u128::from(a.failed) * u128::from(b.answered);
        part(self.other, self.base) > part(self.base, self.other)
    }

    /// Whether the times of all requests are of other work.
    #[must_use]
    pub fn decides(&self) -> bool {
        self.base.share().abs_diff(self.other.share()) >= DECIDES
    }
}

#[cfg(test)]
mod tests {
    use super::super::Side;
    use super::*;

    fn group(base: [u64; 2], other: [u64; 2]) -> Group {
        let side = |[failures, answered]: [u64; 2]| {
            let mut side = Side::default();
            (side.counts.failures, side.counts.answered) = (failures, answered);
            Some(side)
        };
        Group {
            key: Key::All,
            sides: vec![side(base), side(other)],
            sure: Vec::new(),
        }
    }

    #[test]
    fn errors_count_from_one_in_a_hundred_on() {
        let all = ErrorChange::of(&group([0, 304], [300, 304]), 0).unwrap();
        assert!(all.rose() && all.decides());
        let fell = ErrorChange::of(&group([300, 304], [0, 152]), 0).unwrap();
        assert!(!fell.rose() && fell.decides());
        // 2 % are said, and do not decide.
        let few = ErrorChange::of(&group([0, 1000], [20, 1000]), 0).unwrap();
        assert!(few.rose() && !few.decides());
        assert_eq!(ErrorChange::of(&group([0, 10_000], [90, 10_000]), 0), None);
        // Three of a hundred may be chance.
        assert_eq!(ErrorChange::of(&group([0, 100], [3, 100]), 0), None);
        assert_eq!(ErrorChange::of(&group([5, 100], [50, 1000]), 0), None);
    }

    /// 20 of 400 in a row decide what can be compared, and may be chance; 8 of 400 are then not worth a word.
    #[test]
    fn rows_of_failures_may_be_chance() {
        let in_rows = |failed: u64| {
            let mut group = group([0, 400], [failed, 400]);
            group.sure.push(super::super::Sure {
                turnaround: super::super::Confidence::TooFew(0, 0),
                response_time: super::super::Confidence::TooFew(0, 0),
                level: LEVEL,
                failures: Some(0.3),
            });
            ErrorChange::of(&group, 0)
        };
        let found = in_rows(20).unwrap();
        assert!(found.decides() && found.may_be_chance() && found.p >= 0.3);
        assert_eq!(in_rows(8), None);
        let alone = ErrorChange::of(&group([0, 400], [8, 400]), 0).unwrap();
        assert!(!alone.may_be_chance(), "{alone:?}");
    }

    /// One of many rows of a table differs by chance: 2 / 2^8 is not below 1 % of ten.
    #[test]
    fn rows_of_a_table_share_the_level() {
        let mut row = group([0, 400], [8, 400]);
        row.sure.push(super::super::Sure {
            turnaround: super::super::Confidence::TooFew(0, 0),
            response_time: super::super::Confidence::TooFew(0, 0),
            level: LEVEL / 10.0,
            failures: None,
        });
        assert_eq!(ErrorChange::of(&row, 0), None);
    }
}
