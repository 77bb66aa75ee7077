//! Opens that find nothing.

use super::evidence::{Base, Sight};
use super::rule::{Limit, Rule, Severity, Whose};
use super::watchers::{Watcher, WatcherLook, status};
use super::{Threshold, Thresholds};
use crate::{Outcome, Transaction};
use wirewait_wire::Kind;

pub(super) static NOT_FOUND: Rule = Rule {
    id: "names_not_found",
    severity: Severity::Symptom,
    whose: Whose::Pair,
    counts: "opens of names that are not there",
    limit: Limit::Share {
        of: Base::Opens,
        percent: Threshold::NotFound,
        minimum: Threshold::MinimumRequests,
        least: Threshold::NotFoundTimes,
    },
    costly: false,
    covers: &[],
};

pub(super) static WATCHERS: &[Watcher] = &[Watcher {
    rule: &NOT_FOUND,
    look: absent,
    word: status,
}];

/// A single one is normal, and no failure: a program asks whether there is such a file.
fn absent(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    let status = t.status?;
    let absent = t.kind == Kind::Open && !status.ok && !status.failure;
    if !absent || t.outcome != Outcome::Answered {
        return None;
    }
    let sight = Sight::between(t.request?.first, t.response?.last);
    Some(WatcherLook::For(
        sight.costing(t.response_time_ns().unwrap_or(0)),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::super::testing::{Bench, failed};
    use wirewait_wire::{Kind, Status};

    /// These numbers of opens: of 30 ms each that find nothing, and of 10 ms that find a file.
    fn opens(absent: u64, found: u64) -> Bench {
        let mut bench = Bench::new();
        for _ in 0..absent {
            bench.one(Kind::Open, 30, |t| {
                t.status = Some(Status {
                    code: 0xc000_0034,
                    name: Some("NOT FOUND"),
                    ok: false,
                    failure: false,
                });
            });
        }
        for _ in 0..found {
            bench.one(Kind::Open, 10, |_| {});
        }
        bench
    }

    /// 20 of 40 is half; each costs its 30 ms.
    #[test]
    fn a_client_that_looks_for_names_that_are_not_there() {
        let found = opens(20, 20).found("names_not_found").unwrap();
        assert_eq!(found.state, State::Raised);
        assert_eq!((found.hits.count, found.of), (20, Some(40)));
        assert_eq!(found.hits.cost_ns, 600_000_000);
        assert_eq!(found.words, [("NOT FOUND", 20)]);
        let state = |absent, found| opens(absent, found).state("names_not_found");
        assert_eq!(state(20, 21), Some(State::Below), "less than half");
        assert_eq!(state(19, 10), Some(State::Below), "too few of them");
        assert_eq!(state(0, 40), None);
    }

    /// What is refused is another symptom, and what is not opened is none.
    #[test]
    fn neither_refusals_nor_other_requests_count() {
        let mut bench = opens(0, 20);
        for kind in [Kind::Open, Kind::Read] {
            for _ in 0..30 {
                bench.one(kind, 30, |t| t.status = failed("ACCESS DENIED"));
            }
        }
        for _ in 0..30 {
            bench.one(Kind::Read, 30, |t| {
                t.status = failed("END OF FILE").map(|status| Status {
                    failure: false,
                    ..status
                });
            });
        }
        assert_eq!(bench.state("names_not_found"), None);
    }
}
