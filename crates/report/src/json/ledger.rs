//! Key `ledger`.

use super::verdict::Between;
use crate::escape::Escaped;
use crate::figures::Command;
use serde::Serialize;
use std::sync::Arc;
use wirewait_analysis::{LedgerOf, LedgerRow, Phase, Snapshot};

/// Where the time went, of each kind by time waited.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Ledgers {
    /// Null where nothing was waited for.
    capture: Option<OneLedger>,
    servers: Vec<OneLedger>,
    clients: Vec<OneLedger>,
    pairs: Vec<OneLedger>,
    shares: Vec<OneLedger>,
    files: Vec<OneLedger>,
    operations: Vec<OperationLedger>,
}

/// Whose time it is; null where it is not of one alone.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OneLedger {
    client: Option<String>,
    server: Option<String>,
    share: Option<String>,
    file: Option<String>,
    #[serde(flatten)]
    time: LedgerTime,
}

/// The time of requests for one operation at a server, named as in `servers`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OperationLedger {
    server: String,
    protocol: &'static str,
    carrier: &'static str,
    command: String,
    code: u32,
    kind: &'static str,
    #[serde(flatten)]
    time: LedgerTime,
}

/// Time of clients and its phases, which sum to it, in client-nanoseconds. The rows of servers,
/// of clients, of pairs and of operations each sum to the capture's.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LedgerTime {
    elapsed_ns: u64,
    active_ns: u64,
    waited_ns: u64,
    client_ns: u64,
    request_transfer_ns: u64,
    server_ns: u64,
    response_transfer_ns: u64,
    retransmission_ns: u64,
    unanswered_ns: u64,
    waiting_ns: u64,
    idle_ns: u64,
    /// A request is outstanding, and the capture cannot tell what became of it. No part of the
    /// active time.
    unknown_ns: u64,
    /// The way between the capture and the stations, as far as it is proved, within turnarounds
    /// and gaps; `server_ns` and `client_ns` are without it.
    distance_ns: u64,
    /// The way to the servers: at least, a part of `distance_ns`, and at most.
    network_in_server_ns: Between,
    /// The way to the clients, within gaps.
    network_in_client_ns: Between,
    /// Wall time from the first request's first frame to the last answer's last.
    span_ns: u64,
}

pub(super) fn ledgers(snapshot: &Snapshot) -> Ledgers {
    let of = |wanted: fn(&LedgerOf) -> bool| {
        let rows = snapshot.ledgers.iter();
        rows.filter(|row| wanted(&row.of)).map(ledger).collect()
    };
    Ledgers {
        capture: snapshot
            .ledgers
            .iter()
            .find(|row| row.of == LedgerOf::Capture)
            .map(ledger),
        servers: of(|of| matches!(of, LedgerOf::Server(_))),
        clients: of(|of| matches!(of, LedgerOf::Client(_))),
        pairs: of(|of| matches!(of, LedgerOf::Pair { .. })),
        shares: of(|of| matches!(of, LedgerOf::Share { .. })),
        files: of(|of| matches!(of, LedgerOf::File { .. })),
        operations: snapshot.ledgers.iter().filter_map(operation).collect(),
    }
}

fn operation(row: &LedgerRow) -> Option<OperationLedger> {
    let LedgerOf::Operation {
        server,
        protocol,
        carrier,
        command: name,
        code,
        kind,
    } = row.of
    else {
        return None;
    };
    Some(OperationLedger {
        server: server.to_string(),
        protocol,
        carrier,
        command: Command { name, code }.to_string(),
        code,
        kind: kind.name(),
        time: time(row),
    })
}

fn ledger(row: &LedgerRow) -> OneLedger {
    let (client, server, share, file) = match &row.of {
        LedgerOf::Capture => (None, None, None, None),
        LedgerOf::Server(server) | LedgerOf::Operation { server, .. } => {
            (None, Some(server), None, None)
        }
        LedgerOf::Client(client) => (Some(client), None, None, None),
        LedgerOf::Pair { client, server } => (Some(client), Some(server), None, None),
        LedgerOf::Share { server, share } => (None, Some(server), Some(share), None),
        LedgerOf::File {
            server,
            share,
            path,
        } => (None, Some(server), share.as_ref(), Some(path)),
    };
    let name = |name: &Arc<str>| Escaped(name).to_string();
    OneLedger {
        client: client.map(ToString::to_string),
        server: server.map(ToString::to_string),
        share: share.map(name),
        file: file.map(name),
        time: time(row),
    }
}

fn time(row: &LedgerRow) -> LedgerTime {
    let part = |phase| row.ledger.get(phase);
    LedgerTime {
        elapsed_ns: row.ledger.total(),
        active_ns: row.ledger.active(),
        waited_ns: row.ledger.waited(),
        client_ns: part(Phase::Client),
        request_transfer_ns: part(Phase::Request),
        server_ns: part(Phase::Server),
        response_transfer_ns: part(Phase::Response),
        retransmission_ns: part(Phase::Retransmission),
        unanswered_ns: part(Phase::Unanswered),
        waiting_ns: part(Phase::Waiting),
        idle_ns: part(Phase::Idle),
        unknown_ns: part(Phase::Unknown),
        distance_ns: part(Phase::Distance),
        network_in_server_ns: row.ledger.network_in_server().into(),
        network_in_client_ns: row.ledger.network_in_client().into(),
        span_ns: row.span_ns,
    }
}
