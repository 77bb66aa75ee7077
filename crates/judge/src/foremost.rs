//! The symptom to act on first.

use crate::share::total;
use wirewait_analysis::{Snapshot, Symptom};

/// What costs less than this part of the active time explains nothing of it.
const PART: u64 = 100;

/// The symptom that costs most, if that is worth acting on: a hundredth of the active time, or time outside that, or nothing
/// that is known. `None` where it costs less, and where there is none.
#[must_use]
pub fn foremost(snapshot: &Snapshot) -> Option<&Symptom> {
    let first = snapshot.symptoms.raised().next()?;
    let cost = first.hits.cost_ns;
    let large = cost.saturating_mul(PART) >= total(snapshot).active();
    let counts = cost == 0 || first.rule.outside_active_time() || large;
    counts.then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::{Ledger, LedgerOf, LedgerRow, Phase, RULES, State, Subject};
    use wirewait_wire::Endpoint;

    /// Of an active time of 10 s, 100 ms are worth it, 99 ms are not; what has no cost is, as before.
    #[test]
    fn what_costs_less_than_a_hundredth_of_the_active_time_is_not_acted_on() {
        let of = |id: &str, cost_ns: u64| {
            let rule = RULES.iter().find(|rule| rule.id == id).unwrap();
            let client = Subject::Client(Endpoint::mac([2, 0, 0, 0, 0, 1]));
            let mut symptom = Symptom::new(rule, client, State::Raised);
            symptom.hits.cost_ns = cost_ns;
            let mut snapshot = Snapshot::default();
            snapshot.symptoms.found.push(symptom);
            let mut row = LedgerRow::default();
            row.of = LedgerOf::Capture;
            row.ledger = Ledger::from_iter([(Phase::Server, 10_000_000_000)]);
            snapshot.ledgers.push(row);
            foremost(&snapshot).map(|symptom| symptom.hits.cost_ns)
        };
        assert_eq!(of("slow_answers", 100_000_000), Some(100_000_000));
        assert_eq!(of("slow_answers", 99_000_000), None);
        assert_eq!(of("slow_answers", 0), Some(0));
        assert_eq!(of("connection_refused", 99_000_000), Some(99_000_000));
        assert!(foremost(&Snapshot::default()).is_none());
    }
}
