//! The account in rows: the total, servers, clients, pairs, shares, files and operations.

use super::sums::Sum;
use super::{Accounts, Ledger, Operations, Phase};
use crate::parties::Directory;
use crate::stalls::Stalls;
use crate::table::TablePlace;
use crate::{Grouping, LedgerOf, LedgerRow, RoundTrip, StationRow};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// Gives the clients' rows their time by the account: there is no second one.
pub(crate) fn give(ledgers: &[LedgerRow], stations: &mut [StationRow]) {
    let of: BTreeMap<Endpoint, &Ledger> = ledgers
        .iter()
        .filter_map(|row| match row.of {
            LedgerOf::Client(client) => Some((client, &row.ledger)),
            _ => None,
        })
        .collect();
    for station in stations {
        let ledger = of.get(&station.client).copied().copied();
        let ledger = ledger.unwrap_or_default();
        station.client_ns = ledger.get(Phase::Client);
        station.busy_ns = ledger.active().saturating_sub(station.client_ns);
    }
}

/// By server, how much longer the ways within turnarounds were than the shortest, at least and all together, ns.
pub(crate) fn varied(ledgers: &[LedgerRow], trips: &[RoundTrip]) -> BTreeMap<Endpoint, u64> {
    let beyond = |row: &LedgerRow| {
        let LedgerOf::Server(server) = row.of else {
            return None;
        };
        let server = server.station();
        // They are in the order of stations.
        let trip = trips.binary_search_by_key(&server, |trip| trip.station);
        let shortest = u64::try_from(trips.get(trip.ok()?)?.shortest_ns).unwrap_or(0);
        let all = row.ledger.network_in_server().low;
        let beyond = all.saturating_sub(shortest.saturating_mul(row.turnarounds));
        (beyond > 0).then_some((server, beyond))
    };
    ledgers.iter().filter_map(beyond).collect()
}

impl Accounts {
    /// The total, servers, clients, pairs, shares, files and operations, each kind by time waited,
    /// the longest first. What is closed counts, even where an older request may still claim it.
    /// And what stalls are among it.
    pub(crate) fn rows(
        &self,
        directory: &Directory,
        operations: &Operations,
    ) -> (Vec<LedgerRow>, Stalls) {
        let mut sums = self.sums.clone();
        let last = Timestamp::from_nanos(i64::MAX);
        let clients: Vec<(TablePlace, Sum)> = self
            .clients
            .iter()
            .map(|(place, client)| {
                let mut sum = client.sum;
                if client.timeline.is_settled() {
                    client.pending.post(&mut sums, &mut sum);
                    return (place, sum);
                }
                let mut client = client.clone();
                client.settle(last, self.think_ns, &mut sums, None);
                client.pending.post(&mut sums, &mut client.sum);
                (place, client.sum)
            })
            .collect();
        let station = |place| directory.station(place);
        let pair = |place| {
            let (client, server) = directory.pair(place)?;
            Some(LedgerOf::Pair { client, server })
        };
        let total = std::iter::once((Some(LedgerOf::Capture), sums.total));
        let servers = sums.servers.iter();
        let servers = servers.map(|(at, sum)| (station(at).map(LedgerOf::Server), *sum));
        let clients = clients.into_iter();
        let clients = clients.map(|(at, sum)| (station(at).map(LedgerOf::Client), sum));
        let pairs = sums.pairs.iter().map(|(at, sum)| (pair(at), *sum));
        let labels = sums.labels.iter();
        let labels = labels.map(|(at, sum)| (label(directory, at), *sum));
        let asked = sums.operations.iter();
        let asked = asked.map(|(at, sum)| (operation(directory, operations, at), *sum));
        let mut rows: Vec<LedgerRow> = total
            .chain(servers)
            .chain(clients)
            .chain(pairs)
            .chain(labels)
            .chain(asked)
            .filter_map(|(of, sum)| {
                Some(LedgerRow {
                    of: of?,
                    ledger: sum.ledger.within_phases(),
                    requests: sum.requests,
                    turnarounds: sum.turnarounds,
                    pauses: sum.pauses,
                    span_ns: sum.span_ns(),
                })
            })
            .filter(|row| row.ledger.total() > 0)
            .collect();
        rows.sort_by(|a, b| order(a).cmp(&order(b)));
        (rows, sums.stalls)
    }
}

fn label(directory: &Directory, place: TablePlace) -> Option<LedgerOf> {
    let label = directory.label(place)?;
    let (server, share) = (label.server, label.share.clone());
    let name = Arc::clone(&label.name);
    match label.by {
        Grouping::User => None,
        Grouping::Share => Some(LedgerOf::Share {
            server,
            share: name,
        }),
        Grouping::File => Some(LedgerOf::File {
            server,
            share,
            path: name,
        }),
    }
}

/// What is gone with its server, or before it, is nobody's.
fn operation(
    directory: &Directory,
    operations: &Operations,
    place: TablePlace,
) -> Option<LedgerOf> {
    let at = operations.at(place)?;
    Some(LedgerOf::Operation {
        server: directory.station(TablePlace::of(at.server?))?,
        protocol: at.protocol,
        carrier: at.carrier,
        command: at.command,
        code: at.code,
        kind: at.kind,
    })
}

type LedgerOrder<'a> = (
    u8,
    Reverse<u64>,
    [Option<Endpoint>; 2],
    [Option<&'a str>; 3],
    (u32, Option<Kind>),
);

/// The kinds in their order, each by time waited, the longest first.
fn order(row: &LedgerRow) -> LedgerOrder<'_> {
    let none = [None; 3];
    let (kind, ends, names) = match &row.of {
        LedgerOf::Capture => (0, [None, None], none),
        LedgerOf::Server(server) => (1, [Some(*server), None], none),
        LedgerOf::Client(client) => (2, [Some(*client), None], none),
        LedgerOf::Pair { client, server } => (3, [Some(*client), Some(*server)], none),
        LedgerOf::Share { server, share } => {
            (4, [Some(*server), None], [Some(&**share), None, None])
        }
        LedgerOf::File {
            server,
            share,
            path,
        } => {
            let names = [share.as_deref(), Some(&**path), None];
            (5, [Some(*server), None], names)
        }
        LedgerOf::Operation {
            server,
            protocol,
            carrier,
            command,
            ..
        } => {
            let names = [Some(*protocol), Some(*carrier), Some(*command)];
            (6, [Some(*server), None], names)
        }
    };
    let last = match row.of {
        LedgerOf::Operation { code, kind, .. } => (code, Some(kind)),
        _ => (0, None),
    };
    (kind, Reverse(row.ledger.waited()), ends, names, last)
}
