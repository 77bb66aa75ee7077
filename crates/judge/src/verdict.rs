//! The answer in one sentence: where most of the active time went, with its evidence and its
//! doubts.

use crate::behind::{Behind, FileBehind, OperationBehind, ShareBehind, StallBehind};
use crate::by_design::ByDesign;
use crate::coarse;
use crate::finding::Finding;
use crate::floor::floor;
use crate::missing::Missing;
use crate::open_request::OpenRequest;
use crate::outside::OutsideCost;
use crate::refused::RefusedRequests;
use crate::regular::RegularPauses;
use crate::services::OtherServices;
use crate::share::{Beside, Culprit, Share, thousandths, total};
use crate::when::BusyTime;
use std::cmp::Ordering;
use wirewait_analysis::{
    Bounds, ClockSet, ENOUGH, Grade, Ledger, LedgerOf, LedgerRow, Phase, RoundTrip, Snapshot,
    UnsurePauses,
};
use wirewait_wire::{Endpoint, Kind};

/// What speaks against a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// There is not one frame: no verdict.
    NoFrames,
    /// So few requests were answered: no verdict.
    FewRequests(u64),
    /// No request was answered, because this is missing: no verdict.
    Missing(Missing),
    /// All of it happened at once: no verdict.
    NoTime,
    /// Too much is missing from the capture.
    PoorCapture,
    /// Stamps stepped so often that two clocks made them, as of two directions that were captured apart. No verdict.
    TwoClocks(u64),
    /// Packets are there twice, this far apart, ns: the stamps are those of two clocks, or a mirror port copied each frame
    /// twice, if it is no more than [`ClocksApart::COPIES_NS`](wirewait_analysis::ClocksApart::COPIES_NS). No verdict.
    ClocksApart(i64),
    /// The clock of the capture was set while it was made: nobody has the time between.
    ClockSet(ClockSet),
    /// The clock of the capture ticks. No verdict where that alone could turn it.
    CoarseClock {
        /// How often, ns.
        ns: u64,
        /// It could.
        turned: bool,
    },
    /// Of so much of the time, in thousandths, the capture cannot tell what it was: no verdict
    /// from a third on.
    Unknown(u64),
    /// So much of the active time, in thousandths, was spent on requests without a response: no
    /// verdict where it is more than anyone else's.
    Unanswered(u64),
    /// Another had nearly as much as the one named, or may have had more than either of two: this share, in
    /// thousandths.
    Close(Culprit, u64),
    /// A single sample says how far these stations are.
    OneSample(Culprit),
    /// Of this number of requests only the order of turns says which they are: client and server may be the other way round.
    GuessedRoles(u64),
    /// This number of responses cannot be read, and came while several requests were outstanding: which is the response
    /// to which is not known.
    GuessedOrder(u64),
    /// Each of these operations of the server takes as long at least, ns, cheap ones and dear ones: the mark of distance.
    /// Said where the server and the network cannot be told apart.
    Floor {
        /// How many operations.
        operations: u64,
        /// The shortest turnaround of all.
        ns: u64,
        /// As soon as this its transport answers, where the server is named: another station may answer in its
        /// place, and the server be behind that.
        near_ns: Option<u64>,
    },
    /// Pauses of these stations that may be the recovery of what was lost before the capture.
    Timers(Culprit, UnsurePauses),
    /// Idle time of a client that looks like a timer of its program.
    RegularPauses(RegularPauses),
    /// Those who are found waited for other services in much of their time.
    OtherServices(OtherServices),
    /// Nearly all requests behind the pauses of clients were refused: they may wait for another one.
    Refused(RefusedRequests),
}

/// The way between the capture and the stations, which lies within turnarounds and pauses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OnTheWay {
    /// To the server with the most of them.
    pub server: Option<RoundTrip>,
    /// To the client with the most of them.
    pub client: Option<RoundTrip>,
    /// Within turnarounds, ns.
    pub in_turnarounds: Bounds,
    /// Within the clients' pauses, ns.
    pub in_pauses: Bounds,
    /// Within idle time, ns: loss recovery before the capture, if it is that.
    pub in_idle: Bounds,
}

/// The verdict on a capture. Times are sums over its clients.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Who had most of the time, as far as the capture can tell.
    pub finding: Finding,
    /// The parts of the active time, in the order of [`Culprit::ALL`].
    pub shares: [Share; 3],
    /// Active time, the base of every share, ns.
    pub active_ns: u64,
    /// Time of which the capture cannot tell what it was; no part of the active time, ns.
    pub unknown_ns: u64,
    /// Clients that asked for something.
    pub clients: u64,
    /// Their requests that were answered.
    pub answered: u64,
    /// Where most of the time of those found was spent, and how much of it in thousandths: a
    /// client if it is the client's, else a server.
    pub at: Option<(Endpoint, u64)>,
    /// The operation with most of it: at that server, or at any if the client is named, whose pauses belong
    /// to the request behind them.
    pub operation: Option<OperationBehind>,
    /// File data that it moved, by the time of it that is the network's or the server's, bytes per second: how fast, for each
    /// client that waits. `None` where it moved none, and where the network is not named.
    pub bytes_per_second: Option<u64>,
    /// The file with most of it, likewise, if that has a tenth.
    pub file: Option<FileBehind>,
    /// The share with most of it, likewise, if it has eight tenths, its server has others, and no file is named.
    pub tree: Option<ShareBehind>,
    /// The client that waited for eight tenths of it or more, if there are several, and neither clients nor a file are named.
    pub waited: Option<(Endpoint, u64)>,
    /// The cause of stalls in transfers or turnarounds, if it is at least a tenth of the time of those found.
    pub stall: Option<StallBehind>,
    /// What most of the network's time was, and how much of it, in thousandths; where the network is named.
    pub phase: Option<(Phase, u64)>,
    /// The highest utilisation of any link in any second, in millionths; `None` where no speed
    /// is known.
    pub busiest: Option<u64>,
    /// The request that most of the unknown time is of: it had no response when the capture ended.
    pub unfinished: Option<OpenRequest>,
    /// Waits by design, which are no part of any share, if they are worth a word.
    pub by_design: Option<ByDesign>,
    /// What cost most outside the active time, if it is worth a word.
    pub outside: Option<OutsideCost>,
    /// When most of the active time was, if that was a short time.
    pub when: Option<BusyTime>,
    /// Where the capture was made, and what follows.
    pub on_the_way: OnTheWay,
    /// What speaks against it.
    pub doubts: Vec<Doubt>,
}

impl Verdict {
    /// Judges the figures.
    #[must_use]
    pub fn on(snapshot: &Snapshot) -> Self {
        let rows = || snapshot.ledgers.iter();
        let total = total(snapshot);
        let active_ns = total.active();
        let idle = snapshot.unsure_idle.ns.min(total.get(Phase::Idle));
        let silences = snapshot.clock_set.map_or(0, |set| set.unsure_ns);
        let beside = Beside { idle, silences };
        let exact = Culprit::ALL.map(|culprit| Share::of(culprit, &total, beside));
        let shares = coarse::shares(exact, snapshot);
        let unknown_ns = total.get(Phase::Unknown);
        let unanswered = thousandths(total.get(Phase::Unanswered), active_ns);
        let unknown = thousandths(unknown_ns, active_ns.saturating_add(unknown_ns));
        // Who waits by design says nothing of how fast anything is.
        let timed = snapshot.servers.iter().filter(|row| row.kind != Kind::Wait);
        let answered = timed.map(|row| row.counts.answered).sum();
        let most = shares.iter().map(|share| share.thousandths.high).max();
        let lost = Some(unanswered) > most;
        let known = answered >= ENOUGH && active_ns > 0 && unknown <= UNKNOWN && !lost;
        let finding = match known {
            true => Finding::on(&shares),
            false => Finding::None,
        };
        // What the clock alone could turn is no verdict.
        let turned = known && finding != Finding::on(&exact) || coarse::hides_idle(snapshot);
        let apart = snapshot.clocks_apart;
        let steps = steps_back(snapshot, answered).filter(|_| apart.is_none());
        let one_clock = apart.is_none() && steps.is_none();
        let mixed = Missing::apart(snapshot).filter(|_| answered > 0 && one_clock);
        let finding = match turned || apart.is_some() || steps.is_some() || mixed.is_some() {
            true => Finding::None,
            false => finding,
        };
        let on_the_way = OnTheWay::of(snapshot, &total, idle);
        let mut doubts = Vec::new();
        if snapshot.capture.frames == 0 {
            doubts.push(Doubt::NoFrames);
        } else if answered == 0 {
            doubts.push(Doubt::Missing(Missing::of(snapshot)));
        } else if answered < ENOUGH {
            doubts.push(Doubt::FewRequests(answered));
        } else if active_ns == 0 {
            doubts.push(Doubt::NoTime);
        }
        // What is not read is not missing; something else may be.
        let links = matches!(doubts[..], [Doubt::Missing(Missing::Links(_))]);
        let mut reasons = snapshot.capture.reasons.iter();
        // That packets are there twice is a doubt of its own.
        let only = |name: &str| links && name == "unknown_link" || name == "clocks_apart";
        if reasons.any(|reason| reason.grade == Grade::Poor && !only(reason.name)) {
            doubts.push(Doubt::PoorCapture);
        }
        doubts.extend(mixed.map(Doubt::Missing));
        doubts.extend(apart.map(|apart| Doubt::ClocksApart(apart.ns)));
        doubts.extend(steps.map(Doubt::TwoClocks));
        // Two clocks are why stamps went back, and why no request has a response.
        let together = doubts
            .iter()
            .any(|doubt| matches!(doubt, Doubt::Missing(Missing::Together(..))));
        let two = steps.is_some() || together;
        doubts.extend(snapshot.clock_set.filter(|_| !two).map(Doubt::ClockSet));
        if snapshot.tick.ns > 0 {
            let ns = snapshot.tick.period_ns;
            doubts.push(Doubt::CoarseClock { ns, turned });
        }
        if unknown >= MENTIONED {
            doubts.push(Doubt::Unknown(unknown));
        }
        if unanswered >= MENTIONED && !two {
            doubts.push(Doubt::Unanswered(unanswered));
        }
        doubts.extend(close(finding, &shares));
        let guessed = guessed(snapshot);
        if known && thousandths(guessed, answered) >= MENTIONED {
            doubts.push(Doubt::GuessedRoles(guessed));
        }
        let order = crate::reason(snapshot, "guessed_order");
        if known && thousandths(order, answered) >= MENTIONED {
            doubts.push(Doubt::GuessedOrder(order));
        }
        if known {
            doubts.extend(on_the_way.single(&total, snapshot));
            let unsure = on_the_way.unsure(snapshot).into_iter();
            let unsure = unsure.filter(|(_, pauses)| {
                thousandths(pauses.ns, active_ns.saturating_add(idle)) >= MENTIONED
            });
            doubts.extend(unsure.map(|(of, pauses)| Doubt::Timers(of, pauses)));
            let regular = RegularPauses::of(snapshot, active_ns);
            doubts.extend(regular.map(Doubt::RegularPauses));
        }
        let Behind {
            at,
            operation,
            bytes_per_second,
            file,
            share,
            waited,
            stall,
            phase,
        } = Behind::of(snapshot, finding);
        let refused = RefusedRequests::of(snapshot, finding, operation);
        doubts.extend(refused.map(Doubt::Refused));
        let others = OtherServices::of(snapshot, finding);
        doubts.extend(others.map(Doubt::OtherServices));
        let floor = floor(snapshot, finding, at);
        doubts.extend(floor.map(|(operations, ns, near_ns)| Doubt::Floor {
            operations,
            ns,
            near_ns,
        }));
        Self {
            finding,
            shares,
            active_ns,
            unknown_ns,
            clients: rows()
                .filter(|row| matches!(row.of, LedgerOf::Client(_)))
                .count() as u64,
            answered,
            at,
            operation,
            bytes_per_second,
            file,
            tree: share,
            waited,
            stall,
            phase,
            busiest: snapshot
                .segment
                .busiest(1_000_000_000)
                .map(|b| b.utilisation),
            unfinished: OpenRequest::behind(snapshot, unknown_ns),
            by_design: ByDesign::of(snapshot),
            outside: OutsideCost::of(snapshot),
            when: BusyTime::of(snapshot, active_ns).filter(|_| known),
            on_the_way,
            doubts,
        }
    }

    /// The one with most of the time, if it can be told.
    #[must_use]
    pub const fn culprit(&self) -> Option<Culprit> {
        self.finding.culprit()
    }

    /// Whose end a capture would have to be made at to tell those apart that overlap: that of the station whose
    /// time contains most of what may be the network's. `None` where this capture was made there: another one shows no more.
    #[must_use]
    pub fn decided_at(&self) -> Option<Culprit> {
        let Finding::Either(..) = self.finding else {
            return None;
        };
        let open = |within: Bounds| within.high.saturating_sub(within.low);
        let at_client = open(self.on_the_way.in_pauses) + open(self.on_the_way.in_idle);
        let OnTheWay { server, client, .. } = self.on_the_way;
        let is_here = |end: Option<RoundTrip>, other: Option<RoundTrip>| {
            let both = end.zip(other);
            both.is_some_and(|(end, other)| {
                end.shortest_ns.saturating_mul(NEARER) <= other.shortest_ns
            })
        };
        match open(self.on_the_way.in_turnarounds).cmp(&at_client) {
            Ordering::Greater => (!is_here(server, client)).then_some(Culprit::Server),
            Ordering::Less => (!is_here(client, server)).then_some(Culprit::Client),
            Ordering::Equal => None,
        }
    }

    /// Its part of the active time.
    #[must_use]
    pub const fn share(&self, of: Culprit) -> Share {
        self.shares[of as usize]
    }
}

/// A capture was made at a station that answers in this part of the time that the other one takes.
const NEARER: i64 = 4;
/// From this part of the time on it is said that it is unknown, or unanswered, in thousandths.
pub(crate) const MENTIONED: u64 = 50;
/// Above this part of the time that is unknown there is no verdict, in thousandths.
pub(crate) const UNKNOWN: u64 = 333;

/// Who may have had nearly as much as the one found, or more than each of two.
fn close(finding: Finding, shares: &[Share; 3]) -> Option<Doubt> {
    let part = |of: Culprit| shares[of.order()].thousandths;
    let others = |found: [Culprit; 2]| {
        let others = Culprit::ALL.into_iter();
        let others = others.filter(move |other| !found.contains(other));
        others.max_by_key(|other| part(*other).high)
    };
    let (other, is_close) = match finding {
        Finding::None => return None,
        Finding::Named(one) => {
            let other = others([one; 2])?;
            (other, part(other).high * 10 >= part(one).low * 8)
        }
        Finding::Either(one, two) => {
            let other = others([one, two])?;
            // One of the two has half of what is left, if not more.
            let half = 1000_u64.saturating_sub(part(other).high) / 2;
            let least = part(one).low.max(part(two).low).max(half);
            (other, part(other).high > least)
        }
    };
    is_close.then(|| Doubt::Close(other, part(other).high))
}

/// A clock that is set is so a few times: stamps that step more often,
const STEPS: u64 = 16;
/// and for one response in ten, are those of two clocks.
const STEPS_IN: u64 = 10;

/// How often stamps stepped, if that is so often that one clock did not make them.
fn steps_back(snapshot: &Snapshot, answered: u64) -> Option<u64> {
    let steps = crate::reason(snapshot, "clock_steps");
    (steps >= STEPS && steps * STEPS_IN >= answered).then_some(steps)
}

/// Requests that do not say that they are such.
fn guessed(snapshot: &Snapshot) -> u64 {
    crate::reason(snapshot, "guessed_roles")
}

/// Everyone's part of the active time, summed over clients, ns, as tables show it.
pub(crate) fn parts(snapshot: &Snapshot) -> [(u64, Culprit); 3] {
    let total = total(snapshot);
    Culprit::ALL.map(|culprit| (culprit.shown(&total), culprit))
}

impl OnTheWay {
    fn of(snapshot: &Snapshot, total: &Ledger, idle: u64) -> Self {
        let far = |within: fn(&LedgerRow) -> Option<(Endpoint, Bounds)>| {
            let rows = snapshot.ledgers.iter().filter_map(within);
            let known = rows.filter_map(|(station, way)| {
                let mut trips = snapshot.round_trips.iter();
                let trip = trips.find(|trip| trip.station == station)?;
                Some((way.low, *trip))
            });
            let most = known.max_by_key(|(low, trip)| (*low, std::cmp::Reverse(trip.station)));
            most.map(|(_, trip)| trip)
        };
        Self {
            server: far(|row| match row.of {
                LedgerOf::Server(at) => Some((at, row.ledger.network_in_server())),
                _ => None,
            }),
            client: far(|row| match row.of {
                LedgerOf::Client(at) => Some((at, row.ledger.network_in_client())),
                _ => None,
            }),
            in_turnarounds: total.network_in_server(),
            in_pauses: total.network_in_client(),
            in_idle: Bounds { low: 0, high: idle },
        }
    }

    /// What may be loss recovery before the capture, as far as it lies within turnarounds and
    /// pauses: others may have been outstanding then.
    fn unsure(&self, snapshot: &Snapshot) -> [(Culprit, UnsurePauses); 2] {
        [
            (Culprit::Client, self.in_pauses, snapshot.unsure_pauses),
            (
                Culprit::Server,
                self.in_turnarounds,
                snapshot.unsure_turnarounds,
            ),
        ]
        .map(|(of, within, mut pauses)| {
            pauses.ns = pauses.ns.min(within.high.saturating_sub(within.low));
            if of == Culprit::Client {
                pauses.count += snapshot.unsure_idle.count;
                pauses.ns = pauses.ns.saturating_add(snapshot.unsure_idle.ns);
            }
            (of, pauses)
        })
    }

    /// Whether one sample decides about a tenth of the active time.
    fn single(&self, total: &Ledger, snapshot: &Snapshot) -> Option<Doubt> {
        // What may be loss recovery is no distance.
        let far = |within: Bounds, unsure: UnsurePauses| within.high.saturating_sub(unsure.ns);
        let ends = [
            (
                self.server,
                far(self.in_turnarounds, snapshot.unsure_turnarounds),
                Culprit::Server,
            ),
            (
                self.client,
                far(self.in_pauses, snapshot.unsure_pauses),
                Culprit::Client,
            ),
        ];
        let mut ends = ends.into_iter();
        ends.find(|(trip, high, _)| {
            let single = trip.is_some_and(|trip| trip.samples == 1);
            single && *high > total.active() / 10
        })
        .map(|(_, _, end)| Doubt::OneSample(end))
    }
}
