//! Waits by design that are worth a word: no part of any share, and yet a client may have stood still in them.

use crate::behind::OperationBehind;
use crate::share::{is_notable_beside, thousandths, total};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use wirewait_analysis::{LedgerOf, Phase, Snapshot};
use wirewait_wire::{Endpoint, Kind};

/// An operation, or a client, is named from this part of the waits on, in thousandths.
const MOST: u64 = 500;

/// Time in which clients waited for nothing but what waits by design: a change notification, a lock that another holds, a
/// pipe. Where it is at least a second, and a tenth of the active time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByDesign {
    /// All of it, client-nanoseconds.
    pub ns: u64,
    /// The operation, at whichever server, with at least half of it.
    pub operation: Option<OperationBehind>,
    /// The server answered each request for it with an interim response at first: it said itself that they have to wait, and nothing
    /// is concluded from the time that they took.
    pub told: bool,
    /// The client with at least half of it, and its part in thousandths.
    pub client: Option<(Endpoint, u64)>,
}

impl ByDesign {
    pub(crate) fn of(snapshot: &Snapshot) -> Option<Self> {
        let total = total(snapshot);
        let ns = total.get(Phase::Waiting);
        if !is_notable_beside(total.active(), ns) {
            return None;
        }
        let mut operations = BTreeMap::new();
        let mut clients = Vec::new();
        for row in &snapshot.ledgers {
            let waits = row.ledger.get(Phase::Waiting);
            match row.of {
                LedgerOf::Client(client) => clients.push((waits, client)),
                LedgerOf::Operation {
                    protocol,
                    command,
                    code,
                    ..
                } => {
                    let all: &mut u64 = operations.entry((protocol, command, code)).or_default();
                    *all = all.saturating_add(waits);
                }
                _ => {}
            }
        }
        let most = |waits: u64| Some(thousandths(waits, ns)).filter(|part| *part >= MOST);
        let operation = operations
            .into_iter()
            .max_by_key(|(of, waits)| (*waits, Reverse(*of)));
        let client = clients
            .into_iter()
            .max_by_key(|(waits, client)| (*waits, Reverse(*client)));
        Some(Self {
            ns,
            told: operation.is_some_and(|(of, _)| is_told(snapshot, of)),
            operation: operation.and_then(|((protocol, command, code), waits)| {
                Some(OperationBehind {
                    protocol,
                    command,
                    code,
                    thousandths: most(waits)?,
                })
            }),
            client: client.and_then(|(waits, client)| Some((client, most(waits)?))),
        })
    }
}

/// Whether servers said of all that waited for this operation that they have to.
fn is_told(snapshot: &Snapshot, of: (&str, &str, u32)) -> bool {
    let rows = snapshot
        .servers
        .iter()
        .filter(|row| row.kind == Kind::Wait && (row.protocol, row.command, row.code) == of);
    let [mut waited, mut told] = [0_u64; 2];
    for row in rows {
        waited = waited.saturating_add(row.counts.requests);
        told = told.saturating_add(row.counts.interims);
    }
    waited > 0 && told >= waited
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::{LedgerRow, ServerRow};

    const MS: u64 = 1_000_000;

    fn client(last: u8) -> Endpoint {
        Endpoint::mac([2, 0, 0, 0, 0, last])
    }

    fn operation(server: u8, command: &'static str) -> LedgerOf {
        LedgerOf::Operation {
            server: client(server),
            protocol: "smb2",
            carrier: "tcp",
            command,
            code: 10,
            kind: Kind::Wait,
        }
    }

    /// Waits of these rows, ms, and active time of the capture.
    fn found(rows: &[(LedgerOf, u64)], active: u64) -> Option<ByDesign> {
        let mut snapshot = Snapshot::default();
        for (of, waits) in rows {
            let parts = [
                (Phase::Waiting, waits * MS),
                (Phase::Server, active * MS),
                (Phase::Idle, 60_000 * MS),
            ];
            let mut row = LedgerRow::default();
            (row.of, row.ledger) = (of.clone(), parts.into_iter().collect());
            snapshot.ledgers.push(row);
        }
        ByDesign::of(&snapshot)
    }

    #[test]
    fn a_second_and_a_tenth_of_active_time_is_mentioned() {
        let ns = |waits, active| found(&[(LedgerOf::Capture, waits)], active).map(|of| of.ns);
        assert_eq!(ns(1_000, 10_000), Some(1_000 * MS));
        assert_eq!(ns(999, 100), None);
        assert_eq!(ns(1_990, 20_000), Some(1_990 * MS), "99.5 thousandths");
        assert_eq!(ns(1_989, 20_000), None);
        assert_eq!(ns(1_000, 0), Some(1_000 * MS));
    }

    /// 600 and 400 of 1,500 ms are for locks at two servers, 800 of one client.
    #[test]
    fn who_has_half_of_it_is_named() {
        let rows = [
            (LedgerOf::Capture, 1_500),
            (operation(1, "LOCK"), 600),
            (operation(2, "LOCK"), 400),
            (operation(1, "CHANGE_NOTIFY"), 500),
            (LedgerOf::Client(client(7)), 800),
            (LedgerOf::Client(client(8)), 700),
        ];
        let of = found(&rows, 100).unwrap();
        let named = of.operation.map(|of| (of.command, of.thousandths));
        assert_eq!(named, Some(("LOCK", 667)));
        assert_eq!(of.client, Some((client(7), 533)));
        let rows = [(LedgerOf::Capture, 1_500), (operation(1, "LOCK"), 740)];
        let of = found(&rows, 100).unwrap();
        assert_eq!((of.operation, of.client), (None, None));
    }

    #[test]
    fn whether_the_server_said_so_is_known_where_each_had_an_interim_response() {
        let told = |kind, requests, interims| {
            let mut row = ServerRow::default();
            (row.protocol, row.command, row.code) = ("smb2", "LOCK", 10);
            (row.kind, row.counts.requests, row.counts.interims) = (kind, requests, interims);
            let mut snapshot = Snapshot::default();
            snapshot.servers.push(row);
            is_told(&snapshot, ("smb2", "LOCK", 10))
        };
        assert!(told(Kind::Wait, 2, 2));
        assert!(!told(Kind::Wait, 2, 1));
        assert!(!told(Kind::Wait, 0, 0));
        assert!(!told(Kind::Lock, 2, 2));
    }
}
