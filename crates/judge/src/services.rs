//! Stations whose time is spent waiting for other services: names, log-ons, directories.

use crate::finding::Finding;
use crate::share::{Culprit, thousandths, total};
use wirewait_analysis::{Snapshot, Subject};
use wirewait_wire::Endpoint;

/// The waits are at least this part of their time, in thousandths.
const PART: u64 = 100;

/// What those who are found waited for, as far as it is a response of another service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherServices {
    /// Who waited: clients in their pauses, or servers before they responded.
    pub of: Culprit,
    /// All waits together, ns.
    pub ns: u64,
    /// Of their time, in thousandths.
    pub thousandths: u64,
    /// The service, with its port, that was waited for longest, by all of them.
    pub most: Endpoint,
    /// How long it was waited for, ns.
    pub most_ns: u64,
}

impl OtherServices {
    /// Where clients are found, or servers.
    pub(crate) fn of(snapshot: &Snapshot, finding: Finding) -> Option<Self> {
        let (of, rule) = match finding {
            Finding::Named(Culprit::Server) | Finding::Either(_, Culprit::Server) => {
                (Culprit::Server, "server_waits")
            }
            _ if finding.is_of_clients() => (Culprit::Client, "service_waits"),
            _ => return None,
        };
        let mut services: Vec<(Endpoint, u64)> = Vec::new();
        let waits = snapshot.symptoms.found.iter();
        for symptom in waits.filter(|symptom| symptom.rule.id == rule) {
            let Subject::Pair { server, .. } = symptom.subject else {
                continue;
            };
            match services.iter_mut().find(|(known, _)| *known == server) {
                Some((_, ns)) => *ns = ns.saturating_add(symptom.hits.cost_ns),
                None => services.push((server, symptom.hits.cost_ns)),
            }
        }
        let (most, most_ns) = services.iter().copied().max_by_key(|(_, ns)| *ns)?;
        let all = services
            .iter()
            .fold(0_u64, |all, (_, ns)| all.saturating_add(*ns));
        let time = of.of(&total(snapshot)).high;
        // Of two at once each counts, and no part is more than the whole.
        let ns = all.min(time);
        let part = thousandths(ns, time);
        (part >= PART).then_some(Self {
            of,
            ns,
            thousandths: part,
            most,
            most_ns: most_ns.min(ns),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::{Ledger, LedgerOf, LedgerRow, Phase, RULES, State, Symptom};

    /// Of 10 s of clients, or of servers, two waited 600 and 300 ms for one service and one 101 ms for another: 1.001 s, a tenth.
    #[test]
    fn waits_for_other_services_are_a_doubt_from_a_tenth_of_the_time_on() {
        let of = |finding, waits: &[(u8, u16, u64)]| {
            let mut snapshot = Snapshot::default();
            let (id, phase) = match finding {
                Finding::Named(Culprit::Server) => ("server_waits", Phase::Server),
                _ => ("service_waits", Phase::Client),
            };
            let rule = RULES.iter().find(|rule| rule.id == id);
            for (client, port, ms) in waits {
                let subject = Subject::Pair {
                    client: Endpoint::at(wirewait_wire::Address::V4([10, 0, 0, *client])),
                    server: Endpoint::at(wirewait_wire::Address::V4([10, 0, 0, 53]))
                        .with_port(*port),
                };
                let mut symptom = Symptom::new(rule.unwrap(), subject, State::Below);
                symptom.hits.cost_ns = ms * 1_000_000;
                snapshot.symptoms.found.push(symptom);
            }
            let mut row = LedgerRow::default();
            row.of = LedgerOf::Capture;
            row.ledger = Ledger::from_iter([(phase, 10_000_000_000)]);
            snapshot.ledgers.push(row);
            let found = OtherServices::of(&snapshot, finding);
            found.map(|of| (of.ns, of.thousandths, of.most.port, of.most_ns))
        };
        let client = Finding::Named(Culprit::Client);
        let waits = [(1, 53, 600), (2, 88, 101), (3, 53, 300)];
        let found = Some((1_001_000_000, 100, Some(53), 900_000_000));
        assert_eq!(of(client, &waits), found);
        assert_eq!(of(Finding::Named(Culprit::Server), &waits), found);
        assert_eq!(of(Finding::Named(Culprit::Network), &waits), None);
        assert_eq!(of(client, &[(1, 53, 994)]), None);
        // Those of several services at once are no more than all there is.
        let all = Some((10_000_000_000, 1000, Some(88), 8_000_000_000));
        assert_eq!(of(client, &[(1, 53, 7_000), (1, 88, 8_000)]), all);
        assert_eq!(of(client, &[]), None);
    }
}
