//! Key `ledger`.

use super::common::{Between, OperationAt};
use crate::document::{documents, of};
use wirewait_analysis::{LedgerOf, LedgerRow, Phase, Snapshot};

documents! {
    /// Where the time went, of each kind by time waited.
    pub(super) struct Ledgers of snapshot: &Snapshot {
        /// Null where nothing was waited for.
        capture: Option<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Capture)).pop(),
        /// By server.
        servers: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Server(_))),
        /// By client.
        clients: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Client(_))),
        /// By client and server.
        pairs: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Pair { .. })),
        /// By share or volume.
        shares: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::Share { .. })),
        /// By file.
        files: Vec<OneLedger> = rows(snapshot, |of| matches!(of, LedgerOf::File { .. })),
        /// By operation at a server.
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
        /// The client.
        client: Option<String> = client.map(of),
        /// The server.
        server: Option<String> = server.map(of),
        /// The share or volume.
        share: Option<String> = share.map(of),
        /// The file.
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
        /// All phases together, in client-ns: the times of several clients add up. Elapsed time by the clock is `span_ns`.
        elapsed_ns: u64 = ledger.total(),
        /// All but waiting by design, idle and unknown, in client-ns: the base of every share.
        active_ns: u64 = ledger.active(),
        /// Active time in which a request is outstanding, in client-ns: all but the pauses between requests and the distance
        /// within these. `busy_ns` of a station has that distance, and no stalls of the client within requests.
        waited_ns: u64 = ledger.waited(),
        /// Clients' own time: pauses between requests and their stalls within them, in client-ns.
        client_ns: u64 = part(Phase::Client),
        /// t2 - t1: requests on their way, in client-ns.
        request_transfer_ns: u64 = part(Phase::Request),
        /// Servers' time: turnarounds, in client-ns.
        server_ns: u64 = part(Phase::Server),
        /// t4 - t3: responses on their way, in client-ns.
        response_transfer_ns: u64 = part(Phase::Response),
        /// Loss recovery, in client-ns.
        retransmission_ns: u64 = part(Phase::Retransmission),
        /// Requests that were never answered, in client-ns.
        unanswered_ns: u64 = part(Phase::Unanswered),
        /// Waiting by design (notifications, locks, pipes), in client-ns; no part of the active time.
        waiting_ns: u64 = part(Phase::Waiting),
        /// Nothing outstanding for longer than the think limit, in client-ns; no part of the active time.
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
        /// Elapsed time by the clock, ns: from the first request's first frame to the last response's last. It is what
        /// the text calls elapsed, and no sum of phases: that is `elapsed_ns`.
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
