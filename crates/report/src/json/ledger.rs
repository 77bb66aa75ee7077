//! Key `ledger`.

use super::common::{Between, OperationAt};
use crate::document::{documents, of};
use wirewait_analysis::{LedgerOf, LedgerRow, Phase, Snapshot};

documents! {
    /// Where the time went, of each kind by time waited.
    pub(super) struct Ledgers of snapshot: &Snapshot {
        /// Null where nothing was waited for.
        capture: Option<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Capture)).pop(),
        servers: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Server(_))),
        clients: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Client(_))),
        pairs: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Pair { .. })),
        shares: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Share { .. })),
        files: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::File { .. })),
        operations: Vec<OperationLedger> = snapshot.ledgers.iter().filter_map(operation).collect(),
    }

    /// Whose time it is; null where it is not of one alone.
    struct OneLedger of row: &LedgerRow
    where
        let (client, server, share, file) = match &row.of {
            LedgerOf::Capture => (None, None, None, None),
            LedgerOf::Server(server) | LedgerOf::Operation { server, .. } => (None, Some(server), None, None),
            LedgerOf::Client(client) => (Some(client), None, None, None),
            LedgerOf::Pair { client, server } => (Some(client), Some(server), None, None),
            LedgerOf::Share { server, share } => (None, Some(server), Some(share), None),
            LedgerOf::File { server, share, path } => (None, Some(server), share.as_ref(), Some(path)),
        };
    {
        client: Option<String> = client.map(of),
        server: Option<String> = server.map(of),
        share: Option<String> = share.map(of),
        file: Option<String> = file.map(of),
        #[serde(flatten)]
        time: LedgerTime = of(row),
    }

    /// The time of requests for one operation at a server, named as in `servers`.
    struct OperationLedger of row, operation: (&LedgerRow, OperationAt) {
        #[serde(flatten)]
        operation: OperationAt = operation,
        #[serde(flatten)]
        time: LedgerTime = of(row),
    }

    /// Time of clients and its phases, which sum to it, in client-nanoseconds. The rows of servers,
    /// of clients, of pairs and of operations each sum to the capture's.
    struct LedgerTime of row: &LedgerRow
    where
        let ledger = &row.ledger;
        let part = |phase| ledger.get(phase);
    {
        elapsed_ns: u64 = ledger.total(),
        active_ns: u64 = ledger.active(),
        /// Active time without the clients' pauses, the distance within these included, ns.
        waited_ns: u64 = ledger.waited(),
        client_ns: u64 = part(Phase::Client),
        request_transfer_ns: u64 = part(Phase::Request),
        server_ns: u64 = part(Phase::Server),
        response_transfer_ns: u64 = part(Phase::Response),
        retransmission_ns: u64 = part(Phase::Retransmission),
        unanswered_ns: u64 = part(Phase::Unanswered),
        waiting_ns: u64 = part(Phase::Waiting),
        idle_ns: u64 = part(Phase::Idle),
        /// A request is outstanding, and the capture cannot tell what became of it. No part of the
        /// active time.
        unknown_ns: u64 = part(Phase::Unknown),
        /// The way between the capture and the stations, as far as it is proved, within turnarounds
        /// and gaps; `server_ns` and `client_ns` are without it.
        distance_ns: u64 = part(Phase::Distance),
        /// The way to the servers: at least, a part of `distance_ns`, and at most.
        network_in_server_ns: Between = of(ledger.network_in_server()),
        /// The way to the clients, within gaps.
        network_in_client_ns: Between = of(ledger.network_in_client()),
        /// Wall time from the first request's first frame to the last answer's last.
        span_ns: u64,
    }
}

fn rows(snapshot: &Snapshot, wanted: fn(&LedgerOf) -> bool) -> Vec<OneLedger> {
    let rows = snapshot.ledgers.iter();
    rows.filter(|row| wanted(&row.of)).map(of).collect()
}

fn operation(row: &LedgerRow) -> Option<OperationLedger> {
    Some(of((row, of(row.of.operation()?))))
}
