//! Requests behind the pauses of clients that were refused: a program that tries once more may wait for another one.

use crate::behind::OperationBehind;
use crate::finding::Finding;
use wirewait_analysis::{ENOUGH, Snapshot};
use wirewait_wire::Kind;

/// The operation has at least this part of the time of those found, in thousandths,
const MOST: u64 = 500;
/// and as many of its requests are refused, in thousandths.
const REFUSED: u64 = 800;

/// An operation behind the pauses of clients, nearly all requests for which are refused: a lock or a file that another has, data that
/// is not there yet. Log-ons are no part of it: no other client ends what refuses them, and a symptom counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusedRequests {
    /// The operation.
    pub operation: OperationBehind,
    /// Responses that are not a success.
    pub refused: u64,
    /// All responses.
    pub of: u64,
}

impl RefusedRequests {
    /// Where clients are found, and `operation` has most of their time.
    pub(crate) fn of(
        snapshot: &Snapshot,
        finding: Finding,
        operation: Option<OperationBehind>,
    ) -> Option<Self> {
        let found = |of: &OperationBehind| finding.is_of_clients() && of.thousandths >= MOST;
        let operation = operation.filter(found)?;
        let named = (operation.protocol, operation.command, operation.code);
        let rows = snapshot.servers.iter();
        let rows = rows.filter(|row| (row.protocol, row.command, row.code) == named);
        let rows = rows.filter(|row| row.kind != Kind::Session);
        let (refused, of) = rows.fold((0_u64, 0_u64), |(refused, of), row| {
            let counts = &row.counts;
            (
                refused.saturating_add(counts.not_ok),
                of.saturating_add(counts.answered),
            )
        });
        let nearly_all = refused.saturating_mul(1000) >= of.saturating_mul(REFUSED);
        (of >= ENOUGH && nearly_all).then_some(Self {
            operation,
            refused,
            of,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::Culprit;
    use wirewait_analysis::ServerRow;

    /// Of 100 requests for a lock 80 are refused, or 79; of 19 all.
    #[test]
    fn pauses_before_requests_that_are_refused_are_doubted() {
        let of = |finding, answered, not_ok, thousandths| {
            let mut row = ServerRow::default();
            (row.protocol, row.command, row.code) = ("smb2", "LOCK", 10);
            (row.counts.answered, row.counts.not_ok) = (answered, not_ok);
            let mut snapshot = Snapshot::default();
            snapshot.servers.push(row);
            let operation = OperationBehind {
                protocol: "smb2",
                command: "LOCK",
                code: 10,
                thousandths,
            };
            let found = RefusedRequests::of(&snapshot, finding, Some(operation));
            found.map(|found| (found.refused, found.of))
        };
        let client = Finding::Named(Culprit::Client);
        assert_eq!(of(client, 100, 80, 500), Some((80, 100)));
        assert_eq!(of(client, 100, 79, 500), None);
        assert_eq!(of(client, 19, 19, 500), None);
        assert_eq!(of(client, 100, 80, 499), None);
        assert_eq!(of(Finding::Named(Culprit::Server), 100, 80, 500), None);
        let either = Finding::Either(Culprit::Client, Culprit::Network);
        assert_eq!(of(either, 100, 100, 1000), Some((100, 100)));
    }

    /// As many locks as log-ons.
    #[test]
    fn refused_log_ons_wait_for_nobody() {
        let operation = OperationBehind {
            protocol: "smb1",
            command: "SESSION_SETUP_ANDX",
            code: 0x73,
            thousandths: 808,
        };
        let of = |kind| {
            let mut row = ServerRow::default();
            (row.protocol, row.command, row.code) =
                (operation.protocol, operation.command, operation.code);
            (row.counts.answered, row.counts.not_ok, row.kind) = (2_832, 2_826, kind);
            let mut snapshot = Snapshot::default();
            snapshot.servers.push(row);
            let client = Finding::Named(Culprit::Client);
            RefusedRequests::of(&snapshot, client, Some(operation)).is_some()
        };
        assert_eq!((of(Kind::Lock), of(Kind::Session)), (true, false));
    }
}
