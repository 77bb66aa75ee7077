//! What is behind a finding, by the slices of the account of time: the station, the operation, the file
//! and the phase that have most of the time of those found.

use crate::finding::Finding;
use crate::share::{Culprit, thousandths, total};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use wirewait_analysis::{Ledger, LedgerOf, Phase, Snapshot, StallCause, Subject};
use wirewait_wire::Endpoint;

/// From this part on a file, or a stall, is named, in thousandths.
const NOTABLE: u64 = 100;
/// A share, or a client, of several is named if it has this part, in thousandths.
const MOST: u64 = 800;

/// An operation, and its part of the time of those found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationBehind {
    /// The protocol of the requests.
    pub protocol: &'static str,
    /// The specification's name of the operation.
    pub command: &'static str,
    /// The protocol's number for it.
    pub code: u32,
    /// Its part, in thousandths.
    pub thousandths: u64,
}

/// A file, and its part of the time of those found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBehind {
    /// Its share, if known.
    pub share: Option<Arc<str>>,
    /// Its name.
    pub path: Arc<str>,
    /// Its part, in thousandths.
    pub thousandths: u64,
}

/// A share that has most of the time of those found, where its server has others as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareBehind {
    /// Its name.
    pub share: Arc<str>,
    /// Its part, in thousandths.
    pub thousandths: u64,
}

/// Why transfers or turnarounds stood still for a station, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StallBehind {
    /// Why.
    pub cause: StallCause,
    /// Whose time it is: the client's or the server's.
    pub of: Culprit,
    /// Its part of the time of those found, in thousandths.
    pub thousandths: u64,
    /// All of it, with the way to the station, ns.
    pub whole_ns: u64,
    /// Of [breaks](StallCause::Break), whether all were of leases; `None` if some were of oplocks, and some of leases.
    pub lease: Option<bool>,
    /// The client that acknowledged breaks late, or never, if it is the only one that did.
    pub holder: Option<Endpoint>,
}

/// What is behind a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Behind {
    /// A client if it is the client's time, else a server.
    pub(crate) at: Option<(Endpoint, u64)>,
    pub(crate) operation: Option<OperationBehind>,
    /// How fast it moved data for each client that waited, where the network is named.
    pub(crate) bytes_per_second: Option<u64>,
    pub(crate) file: Option<FileBehind>,
    /// Where no file is named: one is if it has at least half as much as the share and the client.
    pub(crate) share: Option<ShareBehind>,
    /// Likewise, the client of several that waited for most of it; where clients are not named.
    pub(crate) waited: Option<(Endpoint, u64)>,
    /// What most of the time in which transfers or turnarounds stood still was for, if that has a tenth.
    pub(crate) stall: Option<StallBehind>,
    /// Of the network's time, if that is named.
    pub(crate) phase: Option<(Phase, u64)>,
}

impl Behind {
    pub(crate) fn of(snapshot: &Snapshot, finding: Finding) -> Self {
        if finding == Finding::None {
            return Self::default();
        }
        let total = total(snapshot);
        let all = of_those(finding, &total);
        let part = |ns: u64| thousandths(ns, all);
        let clients = finding.is_of_clients();
        let rows = || {
            let rows = snapshot.ledgers.iter();
            let rows = rows.map(|row| (&row.of, of_those(finding, &row.ledger)));
            rows.filter(|(_, ns)| *ns > 0)
        };
        let stations = rows().filter_map(|(of, ns)| match (of, clients) {
            (LedgerOf::Client(at), true) | (LedgerOf::Server(at), false) => Some((*at, ns)),
            _ => None,
        });
        let at = stations.max_by_key(|(at, ns)| (*ns, Reverse(*at)));
        // The client's pauses belong to the request behind them, at whichever server.
        let is_there = |server: &Endpoint| clients || at.is_some_and(|(at, _)| at == *server);
        let mut operations = BTreeMap::new();
        for (of, ns) in rows() {
            if let LedgerOf::Operation {
                server,
                protocol,
                command,
                code,
                ..
            } = of
                && is_there(server)
            {
                let sum: &mut u64 = operations.entry((*protocol, *command, *code)).or_default();
                *sum = sum.saturating_add(ns);
            }
        }

        let operation = operations
            .into_iter()
            .max_by_key(|(of, ns)| (*ns, Reverse(*of)));
        let is_network = finding == Finding::Named(Culprit::Network);
        let there = at.filter(|_| is_network).zip(operation);
        let bytes_per_second = there.and_then(|((at, _), (of, _))| rate(snapshot, at, of));
        let files = rows().filter_map(|(of, ns)| match of {
            LedgerOf::File {
                server,
                share,
                path,
            } if is_there(server) => Some((ns, share, path)),
            _ => None,
        });
        let file = files.max_by_key(|(ns, share, path)| (*ns, Reverse((*share, *path))));
        let file = file
            .map(|(ns, share, path)| FileBehind {
                share: share.clone(),
                path: Arc::clone(path),
                thousandths: part(ns),
            })
            .filter(|file| file.thousandths >= NOTABLE);
        let shares = snapshot.ledgers.iter().filter_map(|row| match &row.of {
            LedgerOf::Share { server, share } if is_there(server) => {
                Some((of_those(finding, &row.ledger), share))
            }
            _ => None,
        });
        let share = most(shares, all);
        let waiting = snapshot.ledgers.iter().filter_map(|row| match &row.of {
            LedgerOf::Pair { client, server } if is_there(server) => {
                Some((of_those(finding, &row.ledger), client))
            }
            _ => None,
        });
        let waited = most(waiting, all).filter(|_| !clients);
        let phases = [
            Phase::Request,
            Phase::Response,
            Phase::Distance,
            Phase::Retransmission,
        ];
        let phases = phases.map(|phase| (phase, total.get(phase)));
        let phase = phases
            .into_iter()
            .max_by_key(|(phase, ns)| (*ns, Reverse(*phase)));
        // One of many files says less than the share, or the client, that has nearly all of it.
        let narrowed = share.iter().map(|(_, part)| *part);
        let narrowed = narrowed.chain(waited.iter().map(|(_, part)| *part)).max();
        let file = file.filter(|file| Some(file.thousandths.saturating_mul(2)) >= narrowed);
        // How far a client is has nothing to do with a file.
        let far = is_network && phase.is_some_and(|(phase, _)| phase == Phase::Distance);
        let file = file.filter(|_| !far || waited.is_none());
        let share = share.filter(|_| file.is_none());
        let waited = waited.filter(|_| file.is_none());
        let found = |culprit: Culprit| match finding {
            Finding::Named(one) => one == culprit,
            Finding::Either(one, other) => one == culprit || other == culprit,
            Finding::None => false,
        };
        let stalls = [Culprit::Client, Culprit::Server].into_iter();
        let stalls = stalls.filter(|of| found(*of)).flat_map(|of| {
            StallCause::ALL.map(|cause| {
                let sum = snapshot.stalls.of(of == Culprit::Server, cause);
                StallBehind {
                    cause,
                    of,
                    thousandths: part(sum.ns),
                    whole_ns: sum.whole_ns,
                    lease: match sum.leases {
                        0 => Some(false),
                        n => (n == sum.count).then_some(true),
                    },
                    holder: holder(snapshot).filter(|_| cause == StallCause::Break),
                }
            })
        });
        let stall = stalls.max_by_key(|of| (of.thousandths, Reverse(of.cause)));
        Self {
            stall: stall.filter(|of| of.thousandths >= NOTABLE),
            at: at.map(|(at, ns)| (at, part(ns))),
            operation: operation.map(|((protocol, command, code), ns)| OperationBehind {
                protocol,
                command,
                code,
                thousandths: part(ns),
            }),
            bytes_per_second,
            file,
            share: share.map(|(share, thousandths)| ShareBehind {
                share: Arc::clone(share),
                thousandths,
            }),
            waited: waited.map(|(client, thousandths)| (*client, thousandths)),
            phase: phase
                .filter(|_| is_network)
                .map(|(phase, ns)| (phase, part(ns))),
        }
    }
}

/// An operation, by what the specification calls it.
type Named = (&'static str, &'static str, u32);

/// How fast an operation of this server moved data while its clients waited for the server or the network, bytes per second.
fn rate(snapshot: &Snapshot, at: Endpoint, of: Named) -> Option<u64> {
    let rows = snapshot.servers.iter();
    let mut rows =
        rows.filter(|row| row.server == at && (row.protocol, row.command, row.code) == of);
    let bytes = rows.try_fold(0_u128, |sum, row| {
        (row.counts.forgotten == 0).then_some(sum + u128::from(row.moving_bytes))
    })?;
    let waited = snapshot.ledgers.iter().filter_map(|row| match row.of {
        LedgerOf::Operation {
            server,
            protocol,
            command,
            code,
            ..
        } if server == at && (protocol, command, code) == of => {
            let [network, server] = [Culprit::Network, Culprit::Server];
            Some(u128::from(network.shown(&row.ledger)) + u128::from(server.shown(&row.ledger)))
        }
        _ => None,
    });
    let rate = (bytes * 1_000_000_000).checked_div(waited.sum())?;
    u64::try_from(rate).ok().filter(|rate| *rate > 0)
}

/// The client that gave promises back late, or never, if one alone did.
fn holder(snapshot: &Snapshot) -> Option<Endpoint> {
    let late = snapshot.symptoms.raised();
    let mut late = late.filter_map(|symptom| match symptom.subject {
        Subject::Client(client) if symptom.rule.id == "slow_break" => Some(client),
        _ => None,
    });
    late.next().filter(|_| late.next().is_none())
}

/// The one of several that has nearly all of this time, and its part of it in thousandths.
fn most<T: Ord>(rows: impl Iterator<Item = (u64, T)>, all: u64) -> Option<(T, u64)> {
    let mut rows: Vec<(u64, T)> = rows.collect();
    rows.sort_by(|a, b| (Reverse(a.0), &a.1).cmp(&(Reverse(b.0), &b.1)));
    let several = rows.len() > 1;
    let (ns, one) = rows.into_iter().next().filter(|_| several)?;
    let part = thousandths(ns, all);
    (part >= MOST).then_some((one, part))
}

/// The time of those found, as tables show it.
fn of_those(finding: Finding, ledger: &Ledger) -> u64 {
    match finding {
        Finding::Named(one) => one.shown(ledger),
        Finding::Either(one, other) => one.shown(ledger).saturating_add(other.shown(ledger)),
        Finding::None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::LedgerRow;

    /// All of the network's time is for one file, and nearly all of it for one client of two. Where that is how far the client is, the file has nothing
    /// to do with it.
    #[test]
    fn a_client_that_is_far_away_is_named_and_not_its_file() {
        let behind = |phase| {
            let [server, far, near] = [9, 7, 5].map(|n| Endpoint::mac([2, 0, 0, 0, 0, n]));
            let mut snapshot = Snapshot::default();
            let mut row = |of, ns| {
                let mut row = LedgerRow::default();
                row.of = of;
                row.ledger = Ledger::from_iter([(phase, ns)]);
                snapshot.ledgers.push(row);
            };
            row(LedgerOf::Capture, 1000);
            row(LedgerOf::Server(server), 1000);
            for (client, ns) in [(far, 990), (near, 10)] {
                row(LedgerOf::Pair { client, server }, ns);
            }
            let file = LedgerOf::File {
                server,
                share: None,
                path: "f.dat".into(),
            };
            row(file, 1000);
            let found = Behind::of(&snapshot, Finding::Named(Culprit::Network));
            assert_eq!(found.phase, Some((phase, 1000)));
            let waited = found.waited.map(|(client, part)| (client == far, part));
            (waited, found.file.is_some())
        };
        assert_eq!(behind(Phase::Distance), (Some((true, 990)), false));
        assert_eq!(behind(Phase::Response), (None, true));
    }
}
