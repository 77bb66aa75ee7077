//! Conditions on who had the active time of one capture.

use super::condition::compare;
use super::{Ratio, Relation};
use crate::{Culprit, Finding, Verdict};
use wirewait_analysis::Bounds;

/// A condition on a share of the active time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareLimit {
    /// As the user wrote it.
    pub text: String,
    /// Whose share.
    pub culprit: Culprit,
    /// How it has to stand to the limit.
    pub relation: Relation,
    /// The limit, in per cent of the active time.
    pub limit: Ratio,
}

/// Whether a condition on a share holds. The bounds of the share are in thousandths of the active time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOutcome {
    /// It does not, whatever the share is within its bounds.
    No,
    /// It does, whatever the share is within its bounds.
    Yes(Bounds),
    /// It does at one bound, and does not at the other.
    Open(Bounds),
    /// The capture has no verdict: nobody knows the share.
    NotKnown,
}

impl ShareLimit {
    /// Judges the share of a capture, to the tenth of a per cent to which it is shown.
    #[must_use]
    pub fn judge(&self, verdict: &Verdict) -> ShareOutcome {
        if verdict.finding == Finding::None {
            return ShareOutcome::NotKnown;
        }
        let bounds = verdict.share(self.culprit).thousandths;
        let holds = |thousandths: u64| {
            let percent = Ratio {
                part: u128::from(thousandths),
                of: 10,
            };
            self.relation.holds(compare(percent, self.limit))
        };
        match (holds(bounds.low), holds(bounds.high)) {
            (true, true) => ShareOutcome::Yes(bounds),
            (false, false) => ShareOutcome::No,
            _ => ShareOutcome::Open(bounds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 45.8 to 48.9 % of the active time.
    #[test]
    fn an_interval_fulfils_a_condition_as_a_whole_or_not() {
        let bounds = Bounds {
            low: 458,
            high: 489,
        };
        let mut verdict = Verdict {
            finding: Finding::Named(Culprit::Server),
            ..Verdict::default()
        };
        verdict.shares[Culprit::Server as usize].thousandths = bounds;
        let judge = |relation, tenths: u128, verdict: &Verdict| {
            let limit = ShareLimit {
                text: String::new(),
                culprit: Culprit::Server,
                relation,
                limit: Ratio {
                    part: tenths,
                    of: 10,
                },
            };
            limit.judge(verdict)
        };
        for (relation, tenths, outcome) in [
            (Relation::Above, 457, ShareOutcome::Yes(bounds)),
            (Relation::Above, 458, ShareOutcome::Open(bounds)),
            (Relation::AtLeast, 458, ShareOutcome::Yes(bounds)),
            (Relation::AtLeast, 489, ShareOutcome::Open(bounds)),
            (Relation::Above, 489, ShareOutcome::No),
            (Relation::Below, 490, ShareOutcome::Yes(bounds)),
            (Relation::Below, 489, ShareOutcome::Open(bounds)),
            (Relation::AtMost, 489, ShareOutcome::Yes(bounds)),
            (Relation::Below, 458, ShareOutcome::No),
        ] {
            assert_eq!(judge(relation, tenths, &verdict), outcome, "{tenths}");
        }
        verdict.finding = Finding::None;
        let outcome = judge(Relation::Above, 0, &verdict);
        assert_eq!(outcome, ShareOutcome::NotKnown);
    }
}
