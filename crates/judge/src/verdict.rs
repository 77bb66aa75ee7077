//! The answer in one sentence: where most of the time went that somebody was at work, with
//! its evidence and its doubts.

use std::collections::BTreeMap;
use wirewait_analysis::{
    ENOUGH, Grade, LedgerOf, LedgerRow, Phase, RoundTrip, ServerRow, Snapshot,
};
use wirewait_wire::{Endpoint, Kind};

/// Who had most of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// The clients, between their requests.
    Client,
    /// The way to the server and back: transfers, lost frames, and the round trips between
    /// the capture and the stations where those are known.
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
        let shares: &[Phase] = match self {
            Self::Client => &[Phase::Client],
            Self::Network => &[Phase::Request, Phase::Response, Phase::Retransmission],
            Self::Server => &[Phase::Server, Phase::Unanswered],
        };
        total(shares.iter().map(|share| row.ledger.get(*share)))
    }
}

/// What speaks against a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// There is not one frame: no verdict.
    NoFrames,
    /// So few requests were answered: no verdict.
    FewRequests(u64),
    /// Too much is missing from the capture.
    PoorCapture,
    /// Another had nearly as much: this share, in thousandths.
    Close(Culprit, u64),
    /// Nothing says how far from these the capture was made: the way from there to the server
    /// counts as the server's, that to the client as the client's.
    CapturePoint(Culprit),
}

/// Round trips between the capture and the stations that lie within turnarounds and pauses.
/// A verdict counts them as the network's; the ledgers, which go by what was seen, do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OnTheWay {
    /// To the server with the most of them.
    pub server: Option<RoundTrip>,
    /// To the client with the most of them.
    pub client: Option<RoundTrip>,
    /// Within turnarounds, ns: for each the shortest round trip to its server.
    pub in_turnarounds_ns: u64,
    /// Within the clients' pauses, ns.
    pub in_pauses_ns: u64,
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
    /// The highest utilisation of any link in any second, in millionths; `None` where no speed
    /// is known.
    pub busiest: Option<u64>,
    /// Where the capture was made, and what follows.
    pub on_the_way: OnTheWay,
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
        let ways = Ways::of(snapshot);
        let on_the_way = ways.total;
        let mut ranked = ways.parts(snapshot);
        let active_ns = total(ranked.iter().map(|(ns, _)| *ns));
        let answered = snapshot.servers.iter().map(|row| row.counts.answered).sum();
        ranked.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        let [(most, culprit), (second, other), _] = ranked;
        let mut doubts = Vec::new();
        if snapshot.capture.frames == 0 {
            doubts.push(Doubt::NoFrames);
        } else if answered < ENOUGH {
            doubts.push(Doubt::FewRequests(answered));
        }
        if snapshot.capture.grade == Grade::Poor {
            doubts.push(Doubt::PoorCapture);
        }
        let known = answered >= ENOUGH && most > 0;
        let at = known.then(|| ways.worst(culprit, most)).flatten();
        if known {
            let second = thousandths(second, active_ns);
            if second * 10 >= thousandths(most, active_ns) * 8 {
                doubts.push(Doubt::Close(other, second));
            }
            if ways.unknown(culprit) {
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
            operation: at.and_then(|(at, _)| ways.busiest(&snapshot.servers, culprit, at)),
            busiest: snapshot
                .segment
                .busiest(1_000_000_000)
                .map(|b| b.utilisation),
            on_the_way,
            doubts,
        }
    }
}

/// What one client had at one server, with the round trips where they belong.
struct Way {
    client: Endpoint,
    server: Endpoint,
    /// Parts of the time, ns, as [`Culprit::ALL`] has them.
    parts: [u64; 3],
    /// Whether the round trips to the two are known.
    known: [bool; 2],
}

/// Everyone's part of the time at work, summed over clients, ns.
pub(crate) fn parts(snapshot: &Snapshot) -> [(u64, Culprit); 3] {
    Ways::of(snapshot).parts(snapshot)
}

struct Ways {
    ways: Vec<Way>,
    round_trips: BTreeMap<Endpoint, RoundTrip>,
    total: OnTheWay,
}

impl Ways {
    /// As the clients' ledgers have them, with the round trips where they belong.
    fn parts(&self, snapshot: &Snapshot) -> [(u64, Culprit); 3] {
        let of = |culprit: Culprit| -> u64 {
            let clients = snapshot.ledgers.iter();
            total(
                clients
                    .filter(|row| matches!(row.of, LedgerOf::Client(_)))
                    .map(|row| culprit.of(row)),
            )
        };
        let [client, network, server] = Culprit::ALL.map(of);
        let pauses = self.total.in_pauses_ns.min(client);
        let turnarounds = self.total.in_turnarounds_ns.min(server);
        [
            (client - pauses, Culprit::Client),
            (
                network.saturating_add(pauses).saturating_add(turnarounds),
                Culprit::Network,
            ),
            (server - turnarounds, Culprit::Server),
        ]
    }

    fn of(snapshot: &Snapshot) -> Self {
        let mut round_trips: BTreeMap<Endpoint, RoundTrip> = snapshot
            .round_trips
            .iter()
            .map(|row| (row.station, *row))
            .collect();
        // No turnaround is shorter than the way it contains.
        for row in snapshot.servers.iter().filter(|row| row.turnaround.n > 0) {
            if let Some(known) = round_trips.get_mut(&row.server) {
                known.shortest_ns = known.shortest_ns.min(row.turnaround.min.max(0));
            }
        }
        let mut on_the_way = OnTheWay::default();
        let (mut servers, mut clients) = (BTreeMap::new(), BTreeMap::new());
        let ways = snapshot
            .ledgers
            .iter()
            .filter_map(|row| {
                let LedgerOf::Pair { client, server } = row.of else {
                    return None;
                };
                let way = |station: &Endpoint, times: u64, of: u64| {
                    let known = round_trips.get(station)?;
                    let ns = u64::try_from(known.shortest_ns).unwrap_or(0);
                    Some(ns.saturating_mul(times).min(of))
                };
                let [at_client, between, at_server] = Culprit::ALL.map(|culprit| culprit.of(row));
                let turnarounds = way(&server, row.turnarounds, row.ledger.get(Phase::Server));
                let pauses = way(&client, row.pauses, at_client);
                let known = [pauses.is_some(), turnarounds.is_some()];
                let (turnarounds, pauses) = (turnarounds.unwrap_or(0), pauses.unwrap_or(0));
                add(servers.entry(server).or_insert(0), turnarounds);
                add(clients.entry(client).or_insert(0), pauses);
                add(&mut on_the_way.in_turnarounds_ns, turnarounds);
                add(&mut on_the_way.in_pauses_ns, pauses);
                Some(Way {
                    client,
                    server,
                    parts: [
                        at_client - pauses,
                        between.saturating_add(pauses).saturating_add(turnarounds),
                        at_server - turnarounds,
                    ],
                    known,
                })
            })
            .collect();
        let farthest = |sums: &BTreeMap<Endpoint, u64>| {
            let (station, _) = most(sums)?;
            round_trips.get(&station).copied()
        };
        on_the_way.server = farthest(&servers);
        on_the_way.client = farthest(&clients);
        Self {
            ways,
            round_trips,
            total: on_the_way,
        }
    }

    /// Where most of the culprit's time was spent: this part of `all`.
    fn worst(&self, culprit: Culprit, all: u64) -> Option<(Endpoint, u64)> {
        let mut sums = BTreeMap::<Endpoint, u64>::new();
        for way in &self.ways {
            let at = match culprit {
                Culprit::Client => way.client,
                Culprit::Network | Culprit::Server => way.server,
            };
            add(sums.entry(at).or_default(), way.parts[culprit as usize]);
        }
        let of_all = total(sums.values().copied()).max(all);
        let (at, ns) = most(&sums)?;
        Some((at, thousandths(ns, of_all)))
    }

    /// Whether more than a fifth of the culprit's time was at stations that are so far away
    /// as nobody knows.
    fn unknown(&self, culprit: Culprit) -> bool {
        let side = match culprit {
            Culprit::Client => 0,
            Culprit::Server => 1,
            Culprit::Network => return false,
        };
        let (mut all, mut unknown) = (0u64, 0u64);
        for way in &self.ways {
            let ns = way.parts[culprit as usize];
            add(&mut all, ns);
            add(&mut unknown, if way.known[side] { 0 } else { ns });
        }
        unknown > all / 5
    }

    /// The operation of a server that took most of its time, or of the way there and back.
    fn busiest(
        &self,
        rows: &[ServerRow],
        culprit: Culprit,
        at: Endpoint,
    ) -> Option<(&'static str, &'static str, u32)> {
        let way = self.round_trips.get(&at).map_or(0, |row| row.shortest_ns);
        let time = |row: &ServerRow| match culprit {
            Culprit::Client => 0,
            Culprit::Network => {
                row.request_transfer.total
                    + row.response_transfer.total
                    + i128::from(way) * i128::from(row.turnaround.n)
            }
            Culprit::Server => {
                row.turnaround.total - i128::from(way) * i128::from(row.turnaround.n)
            }
        };
        rows.iter()
            .filter(|row| row.server == at && !matches!(row.kind, Kind::Wait | Kind::Break))
            .max_by_key(|row| time(row))
            .filter(|row| time(row) > 0)
            .map(|row| (row.protocol, row.command, row.code))
    }
}

/// The station with the greatest sum; the first of several by its address.
fn most(sums: &BTreeMap<Endpoint, u64>) -> Option<(Endpoint, u64)> {
    sums.iter()
        .max_by_key(|(at, ns)| (**ns, std::cmp::Reverse(**at)))
        .map(|(at, ns)| (*at, *ns))
}

/// Damaged stamps make times that no sum of 64 bits holds.
fn total(times: impl Iterator<Item = u64>) -> u64 {
    times.fold(0, u64::saturating_add)
}

fn add(sum: &mut u64, ns: u64) {
    *sum = sum.saturating_add(ns);
}

fn thousandths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    u64::try_from((part * 2000 + whole).checked_div(2 * whole).unwrap_or(0)).unwrap_or(0)
}
