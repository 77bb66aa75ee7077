//! Conditions on a comparison: what is not to be accepted.

use super::{Comparison, Confidence, ErrorChange, FailedRequests, Figure, Group, Ratio, Unit};
use std::cmp::Ordering;

/// How a value has to stand to the limit for the condition to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

impl Relation {
    pub(super) fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Above => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
            Self::Below => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
        }
    }

    /// As it is written.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::Below => "<",
            Self::AtMost => "<=",
        }
    }
}

/// What is compared with the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The change against the baseline, in millionths of the baseline.
    Baseline(i64),
    /// The value itself.
    Value(Ratio),
}

/// A condition on every capture but the baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// As the user wrote it.
    pub text: String,
    /// On which figure.
    pub figure: Figure,
    /// Of which group, by the name it is shown with; of everything if `None`.
    pub group: Option<String>,
    /// How it has to stand to the limit.
    pub relation: Relation,
    /// The limit.
    pub against: Against,
    /// Only if the difference is significant. Only times are tested.
    pub significant: bool,
}

/// Whether a condition held for one capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did not.
    No,
    /// It did: the baseline's value, if it has one, and this one.
    Yes(Option<Ratio>, Ratio),
    /// There is no such group in the comparison.
    NoSuchGroup,
    /// The relation holds, but there are too few requests to tell whether by chance.
    TooFew,
    /// The relation holds, but the clock of one of the two ticks so rarely, ns, that nothing tells whether by chance.
    Coarse(u64),
    /// The relation does not hold, but more requests fail than in the baseline: its time is of other work.
    Failing(FailedRequests, FailedRequests),
    /// This capture, or the baseline, does not have the figure.
    NotMeasured {
        /// It is the baseline's that is missing.
        base: bool,
    },
}

/// What came of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConditionResult {
    /// The number of the capture behind the baseline, counted from 0.
    pub other: usize,
    /// Whether it held.
    pub outcome: Outcome,
}

impl Condition {
    /// Judges every capture but the baseline. `name` says by which name a group is shown.
    #[must_use]
    pub fn judge(
        &self,
        comparison: &Comparison,
        name: impl Fn(&Group) -> String,
    ) -> Vec<ConditionResult> {
        let group = match &self.group {
            None => Some(&comparison.all),
            Some(wanted) => comparison
                .groups
                .iter()
                .find(|group| name(group).eq_ignore_ascii_case(wanted)),
        };
        (0..comparison.verdicts.len())
            .map(|other| ConditionResult {
                other,
                outcome: group.map_or(Outcome::NoSuchGroup, |group| self.outcome(group, other)),
            })
            .collect()
    }

    fn outcome(&self, group: &Group, number: usize) -> Outcome {
        let value = |side: Option<&super::Side>| side.and_then(|side| self.figure.of(side));
        let Some(other) = value(group.other(number)) else {
            return Outcome::NotMeasured { base: false };
        };
        let base = value(group.base());
        let ordering = match (self.against, base) {
            (Against::Value(limit), _) => compare(other, limit),
            (Against::Baseline(_), None) => return Outcome::NotMeasured { base: true },
            (Against::Baseline(millionths), Some(base)) => against(base, other, millionths),
        };
        let tested = || {
            let sure = group.sure.get(number)?;
            let confidence = match self.figure {
                Figure::Turnaround
                | Figure::TurnaroundP50
                | Figure::TurnaroundP95
                | Figure::TurnaroundP99
                | Figure::TurnaroundMax => &sure.turnaround,
                _ => &sure.response_time,
            };
            Some((sure.significant(confidence), *confidence))
        };
        let no = || self.failing(group, number).unwrap_or(Outcome::No);
        if !self.relation.holds(ordering) {
            return no();
        }
        match self.significant {
            false => Outcome::Yes(base, other),
            true => match tested() {
                Some((Some(true), _)) => Outcome::Yes(base, other),
                Some((Some(false), _)) => no(),
                Some((None, Confidence::Coarse(tick_ns))) => Outcome::Coarse(tick_ns),
                Some((None, _)) | None => Outcome::TooFew,
            },
        }
    }

    /// A limit on how much longer requests take than in the baseline says nothing where more of them are refused.
    fn failing(&self, group: &Group, number: usize) -> Option<Outcome> {
        let of_times = matches!(self.against, Against::Baseline(_))
            && self.figure.unit() == Unit::Nanoseconds
            && self.figure != Figure::Elapsed
            && matches!(self.relation, Relation::Above | Relation::AtLeast);
        let errors = ErrorChange::of(group, number).filter(|_| of_times)?;
        (errors.rose() && errors.decides()).then_some(Outcome::Failing(errors.base, errors.other))
    }

    /// Whether the figure can be asked to be significant.
    #[must_use]
    pub fn can_be_significant(figure: Figure) -> bool {
        figure.unit() == Unit::Nanoseconds && figure != Figure::Elapsed
    }
}

pub(super) fn compare(a: Ratio, b: Ratio) -> Ordering {
    match (a.part.checked_mul(b.of), b.part.checked_mul(a.of)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.number().total_cmp(&b.number()),
    }
}

/// How the change from `base` to `other` stands to a limit in millionths of `base`, exactly.
fn against(base: Ratio, other: Ratio, millionths: i64) -> Ordering {
    // From nothing any growth is more than any part, and staying there is no change.
    if base.part == 0 {
        return match other.part {
            0 => 0.cmp(&millionths),
            _ => Ordering::Greater,
        };
    }
    let wanted = u128::try_from(1_000_000 + i128::from(millionths)).unwrap_or(0);
    let limit = Ratio {
        part: base.part.saturating_mul(wanted),
        of: base.of.saturating_mul(1_000_000),
    };
    // Less than nothing is never there.
    if i128::from(millionths) < -1_000_000 {
        return Ordering::Greater;
    }
    compare(other, limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(part: u128, of: u128) -> Ratio {
        Ratio { part, of }
    }

    /// 10 % of 30 is 3: 33 is no more than that, and a third of 100 is exact.
    #[test]
    fn a_limit_is_exact() {
        let thirty = ratio(30, 1);
        assert_eq!(against(thirty, ratio(33, 1), 100_000), Ordering::Equal);
        assert_eq!(against(thirty, ratio(34, 1), 100_000), Ordering::Greater);
        assert_eq!(against(thirty, ratio(27, 1), -100_000), Ordering::Equal);
        assert_eq!(against(thirty, ratio(80, 3), -100_000), Ordering::Less);
        assert_eq!(against(thirty, ratio(0, 1), -1_000_000), Ordering::Equal);
        assert_eq!(against(thirty, ratio(0, 1), -2_000_000), Ordering::Greater);
    }

    #[test]
    fn from_nothing_every_growth_is_more_than_any_part() {
        let none = ratio(0, 1);
        assert_eq!(against(none, ratio(1, 1), i64::MAX), Ordering::Greater);
        assert_eq!(against(none, none, 0), Ordering::Equal);
        assert_eq!(against(none, none, 100_000), Ordering::Less);
    }
}
