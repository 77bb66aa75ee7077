//! The answer in one sentence: where most of the time went that somebody was at work, with
//! its evidence and its doubts.

use crate::{Grade, LedgerOf, LedgerRow, ServerRow, Share, Snapshot};
use wirewait_wire::{Endpoint, Kind};

/// Answered requests below which nothing is concluded.
pub const ENOUGH: u64 = 20;

/// Who had most of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// The clients, between their requests.
    Client,
    /// The way to the server and back, lost frames included.
    Network,
    /// The servers, requests without an answer included.
    Server,
}

impl Culprit {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Network => "network",
            Self::Server => "server",
        }
    }

    const ALL: [Self; 3] = [Self::Client, Self::Network, Self::Server];

    /// His part of one ledger, ns.
    fn of(self, row: &LedgerRow) -> u64 {
        let shares: &[Share] = match self {
            Self::Client => &[Share::Client],
            Self::Network => &[Share::Request, Share::Response, Share::Retransmission],
            Self::Server => &[Share::Server, Share::Unanswered],
        };
        shares.iter().map(|share| row.ledger.get(*share)).sum()
    }
}

/// What speaks against a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// So few requests were answered: no verdict.
    FewRequests(u64),
    /// Too much is missing from the capture.
    PoorCapture,
    /// Another had nearly as much: this share, in thousandths.
    Close(Culprit, u64),
    /// Nothing says where the capture was made: the way from there to the server counts as
    /// the server's, that to the client as the client's.
    CapturePoint(Culprit),
}

/// The verdict on a capture. Times are sums over its clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Who had most of the time; `None` where there is too little to tell.
    pub culprit: Option<Culprit>,
    /// His part of the active time, in thousandths.
    pub share: u64,
    /// Time in which somebody was at work: elapsed time without idle time and waits by
    /// design, ns.
    pub active_ns: u64,
    /// Clients that asked for something.
    pub clients: u64,
    /// Their requests that were answered.
    pub answered: u64,
    /// Where most of his time was spent, and how much of it in thousandths: the client of a
    /// client's verdict, else the server.
    pub at: Option<(Endpoint, u64)>,
    /// The operation that took most of it there.
    pub operation: Option<(&'static str, &'static str, u32)>,
    /// What speaks against it.
    pub doubts: Vec<Doubt>,
}

impl Verdict {
    /// Judges the figures.
    #[must_use]
    pub fn on(snapshot: &Snapshot) -> Self {
        let clients = snapshot
            .ledgers
            .iter()
            .filter(|row| matches!(row.of, LedgerOf::Client(_)));
        let sums = Culprit::ALL.map(|culprit| {
            let sum: u64 = clients.clone().map(|row| culprit.of(row)).sum();
            (sum, culprit)
        });
        let active_ns = sums.iter().map(|(ns, _)| ns).sum();
        let answered = snapshot.servers.iter().map(|row| row.counts.answered).sum();
        let mut ranked = sums;
        ranked.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        let [(most, culprit), (second, other), _] = ranked;
        let mut doubts = Vec::new();
        if answered < ENOUGH {
            doubts.push(Doubt::FewRequests(answered));
        }
        if snapshot.capture.grade == Grade::Poor {
            doubts.push(Doubt::PoorCapture);
        }
        let known = answered >= ENOUGH && most > 0;
        let at = known.then(|| worst(snapshot, culprit, most)).flatten();
        if known {
            let second = thousandths(second, active_ns);
            if second * 10 >= thousandths(most, active_ns) * 8 {
                doubts.push(Doubt::Close(other, second));
            }
            if culprit != Culprit::Network {
                doubts.push(Doubt::CapturePoint(culprit));
            }
        }
        Self {
            culprit: known.then_some(culprit),
            share: thousandths(most, active_ns),
            active_ns,
            clients: clients.count() as u64,
            answered,
            at,
            operation: at.and_then(|(at, _)| busiest(&snapshot.servers, culprit, at)),
            doubts,
        }
    }
}

/// Where most of his time was spent: this part of `all`.
fn worst(snapshot: &Snapshot, culprit: Culprit, all: u64) -> Option<(Endpoint, u64)> {
    let mut sums = std::collections::BTreeMap::<Endpoint, u64>::new();
    for row in &snapshot.ledgers {
        if let LedgerOf::Pair { client, server } = row.of {
            let at = match culprit {
                Culprit::Client => client,
                Culprit::Network | Culprit::Server => server,
            };
            *sums.entry(at).or_default() += culprit.of(row);
        }
    }
    let of_all = sums.values().sum::<u64>().max(all);
    let (at, ns) = sums
        .into_iter()
        .max_by_key(|(at, ns)| (*ns, std::cmp::Reverse(*at)))?;
    Some((at, thousandths(ns, of_all)))
}

/// The operation of a server that took most of its time, or of the way there and back.
fn busiest(
    rows: &[ServerRow],
    culprit: Culprit,
    at: Endpoint,
) -> Option<(&'static str, &'static str, u32)> {
    let time = |row: &ServerRow| match culprit {
        Culprit::Client => 0,
        Culprit::Network => row.request_transfer.total + row.response_transfer.total,
        Culprit::Server => row.turnaround.total,
    };
    rows.iter()
        .filter(|row| row.server == at && !matches!(row.kind, Kind::Wait | Kind::Break))
        .max_by_key(|row| time(row))
        .filter(|row| time(row) > 0)
        .map(|row| (row.protocol, row.command, row.code))
}

fn thousandths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    u64::try_from((part * 2000 + whole).checked_div(2 * whole).unwrap_or(0)).unwrap_or(0)
}
