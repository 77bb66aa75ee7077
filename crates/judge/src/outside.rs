//! Time that clients lost before they could ask anything: no part of any share, and yet somebody waited.

use crate::share::{is_notable_beside, total};
use wirewait_analysis::{Snapshot, Subject, Symptom};

/// The symptom that cost most outside the active time: connections that were not open yet, or names that were looked up. Where it is
/// at least a second, and a tenth of the active time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideCost {
    /// The name of its rule.
    pub rule: &'static str,
    /// Whom it concerns.
    pub subject: Subject,
    /// What it cost, ns.
    pub ns: u64,
}

impl OutsideCost {
    pub(crate) fn of(snapshot: &Snapshot) -> Option<Self> {
        let active = total(snapshot).active();
        let outside = |symptom: &&Symptom| {
            symptom.rule.outside_active_time() && is_notable_beside(active, symptom.hits.cost_ns)
        };
        let found = snapshot.symptoms.raised().filter(outside);
        // The first of equals.
        let most = found.reduce(|most, next| match next.hits.cost_ns > most.hits.cost_ns {
            true => next,
            false => most,
        })?;
        Some(Self {
            rule: most.rule.id,
            subject: most.subject,
            ns: most.hits.cost_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::{Ledger, LedgerOf, LedgerRow, Phase, RULES, State};
    use wirewait_wire::Endpoint;

    /// Beside 20 s of active time 2.00 s are said, and 1.98 s are not; nor is what lies within the active time.
    #[test]
    fn what_costs_a_tenth_of_the_active_time_beside_it_is_said() {
        let of = |costs: &[(&str, u64)]| {
            let mut snapshot = Snapshot::default();
            let client = Subject::Client(Endpoint::mac([2, 0, 0, 0, 0, 1]));
            for (id, ns) in costs {
                let rule = RULES.iter().find(|rule| rule.id == *id).unwrap();
                let mut symptom = Symptom::new(rule, client, State::Raised);
                symptom.hits.cost_ns = *ns;
                snapshot.symptoms.found.push(symptom);
            }
            let mut row = LedgerRow::default();
            row.of = LedgerOf::Capture;
            row.ledger = Ledger::from_iter([(Phase::Server, 20_000_000_000)]);
            snapshot.ledgers.push(row);
            OutsideCost::of(&snapshot).map(|cost| (cost.rule, cost.ns))
        };
        let (slow, refused) = ("slow_connection", "connection_refused");
        assert_eq!(of(&[(slow, 2_000_000_000)]), Some((slow, 2_000_000_000)));
        assert_eq!(of(&[(slow, 1_980_000_000)]), None);
        assert_eq!(of(&[("slow_answers", 9_000_000_000)]), None);
        let both = [(slow, 3_000_000_000), (refused, 4_000_000_000)];
        assert_eq!(of(&both), Some((refused, 4_000_000_000)));
    }
}
