//! The account of time. Each client has one [timeline](timeline); its slices are posted to their
//! owners, and every row of servers, pairs, shares and files is the sum of slices that it owns.
//! So the sums over clients, over servers, over pairs and the total are one number, in
//! nanoseconds of clients' time.

mod ceiling;
mod distance;
mod operations;
mod order;
mod phase;
mod posting;
mod stalls;
mod timeline;
mod unsure;

use crate::bounds::{Bound, Hits};
use crate::case::{Case, Wait};
use crate::column::Column;
use crate::packets::TIMER_NS;
use crate::parties::Directory;
use crate::stalls::{Stall, Stalls};
use crate::table::TablePlace;
use crate::tick::ClockTick;
use crate::{Extent, Grouping, LedgerCourse, LedgerOf, LedgerRow, RoundTrip, Settings, StationRow};
pub(crate) use ceiling::{BOTH_SHORTEST, Ceiling, Took, on_line};
pub(crate) use distance::{
    DataThere, Distance, DistanceAt, Evidence, STEADY, Variation, WholeAnswers,
};
use distance::{Nearest, OwedWay, Paces, PairWays, ServerWay, Ways};
pub(crate) use operations::Operations;
use order::ServerOrder;
pub use phase::{Bounds, Ledger, Phase};
use posting::Posting;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use timeline::ClientTimeline;
pub(crate) use timeline::{Outstanding, SURE, UNNUMBERED};
use unsure::Paused;
pub use unsure::UnsurePauses;
pub(crate) use unsure::UnsureTime;
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// A request is settled when nothing older can be on its way any more: this long after it
/// began, ns. A request counts from its first byte, but is known when it is complete.
const LAG_NS: i64 = 500_000_000;

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

/// The account of all clients.
pub(crate) struct Accounts {
    clients: Column<Client>,
    servers: Column<ServerPace>,
    /// How far servers and clients are, each with the other.
    pairs: Column<PairWays>,
    /// What may have been lost before the capture.
    unsure: UnsureTime,
    /// Of the request whose wait ends next.
    stalled: Vec<(Stall, Bounds)>,
    sums: Sums,
    /// The total by seconds, where somebody wants it.
    course: Option<Box<LedgerCourse>>,
    think_ns: i64,
}

#[derive(Clone, Default)]
struct Client {
    timeline: ClientTimeline,
    sum: Sum,
    pending: Pending,
    nearest: Nearest,
    paused: Paused,
}

/// What is remembered of a server.
#[derive(Clone, Copy, Default)]
struct ServerPace {
    way: ServerWay,
    paused: Paused,
    order: ServerOrder,
}

/// Slices of one owner that are not posted yet: most requests of a client belong to the owner of
/// the one before, so its slices are added up until another one comes.
#[derive(Clone, Default)]
struct Pending {
    owner: SliceOwner,
    sum: Sum,
}

/// Whose slices a request makes; [nowhere](TablePlace::NOWHERE) stands who has no row.
#[derive(Clone, Copy, Debug, Eq)]
struct SliceOwner {
    server: TablePlace,
    pair: TablePlace,
    /// What it asks for there.
    operation: TablePlace,
    /// The share and the file, where they have names.
    labels: [TablePlace; 2],
}

impl Default for SliceOwner {
    fn default() -> Self {
        Self {
            server: TablePlace::NOWHERE,
            pair: TablePlace::NOWHERE,
            operation: TablePlace::NOWHERE,
            labels: [TablePlace::NOWHERE; 2],
        }
    }
}

/// Mostly they are the same: compared without a branch.
impl PartialEq for SliceOwner {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let [share, file] = self.labels;
        (self.pair == other.pair)
            & (self.operation == other.operation)
            & (self.server == other.server)
            & (share == other.labels[0])
            & (file == other.labels[1])
    }
}

/// Slices added up.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    ledger: Ledger,
    requests: u64,
    /// Requests with a slice of the server's phase, and gaps that are the client's.
    turnarounds: u64,
    pauses: u64,
    /// From the first request's beginning to the last one's end.
    span: Option<(Timestamp, Timestamp)>,
}

/// The roll-ups.
#[derive(Clone)]
struct Sums {
    total: Sum,
    servers: Column<Sum>,
    pairs: Column<Sum>,
    operations: Column<Sum>,
    labels: Column<Sum>,
    /// Closed requests of all clients that are not settled.
    waiting: usize,
    slices: ClockTick,
    stalls: Stalls,
    /// What timelines lost: clients come and go.
    hits: Hits,
}

impl Accounts {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            clients: Column::new(),
            servers: Column::new(),
            pairs: Column::new(),
            unsure: Default::default(),
            stalled: Vec::new(),
            sums: Sums::new(),
            course: None,
            think_ns: settings.think_ns,
        }
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> Hits {
        self.sums.hits
    }

    /// What may be loss recovery before the capture.
    pub(crate) fn unsure(&self) -> UnsureTime {
        self.unsure
    }

    /// The slices that a clock of such ticks may have stamped wrong.
    pub(crate) fn ticked(&self, ns: u64) -> ClockTick {
        ClockTick {
            ns,
            ..self.sums.slices
        }
    }

    /// Keeps this many last seconds of the total from now on.
    pub(crate) fn keep_course(&mut self, seconds: u32) {
        self.course = Some(Box::new(LedgerCourse::new(seconds)));
    }

    /// The last seconds, if they are kept.
    pub(crate) fn course(&self) -> Option<&LedgerCourse> {
        self.course.as_deref()
    }

    /// The clock of the capture stepped back: the last seconds begin anew.
    pub(crate) fn clock_stepped(&mut self) {
        if let Some(course) = &mut self.course {
            course.clear();
        }
    }

    /// A client waits for a request.
    pub(crate) fn begins(&mut self, wait: Wait<'_>, evidence: &impl Evidence) {
        // Who will answer a question to anyone is not known yet.
        if !wait.anyone && !wait.case.parties.client.is_nowhere() {
            let client = self.client(wait);
            let t = wait.case.transaction;
            client.nearest.began([&t.server, &t.client], evidence);
            client.timeline.begins(wait.began);
        }
    }

    /// It no longer does, since `at`.
    pub(crate) fn ends(
        &mut self,
        wait: Wait<'_>,
        at: Timestamp,
        done: Option<&Outstanding>,
        (evidence, operations): (&impl Evidence, &mut Operations),
    ) {
        let nobody = wait.case.parties.client.is_nowhere();
        if nobody || wait.anyone && wait.case.transaction.response.is_none() {
            self.stalled.clear();
            return;
        }
        let client = self.client(wait);
        if !wait.anyone {
            client.timeline.ends(wait.began);
        }
        if let Some(done) = done {
            let owner = SliceOwner::of(wait.case, operations);
            let stalled;
            let done = match self.stalled.is_empty() {
                true => done,
                false => {
                    stalled = done.stalled();
                    &stalled
                }
            };
            let ways = self.ways((wait, &owner), done, evidence);
            if done.is_stalled() {
                self.keep_stalls((wait, done), owner, evidence);
            }
            let client = self.clients.of(wait.case.parties.client);
            client.timeline.closed(done, owner, ways);
            self.sums.waiting += 1;
            let t = wait.case.transaction;
            let request = t.request.is_some_and(|of| of.first.frame != of.last.frame);
            let response = t.response_bytes > t.response_head_bytes;
            self.sums.slices.requests += 1;
            self.sums.slices.transfers += u64::from(request) + u64::from(response);
            let course = self.course.as_deref_mut();
            client.settle(at.plus(-LAG_NS), self.think_ns, &mut self.sums, course);
        } else {
            self.stalled.clear();
            self.spanned(wait, at, operations);
        }
    }

    /// A request ended of which it is not known how long it was: it may have been open when the clock was set.
    #[cold]
    fn spanned(&mut self, wait: Wait<'_>, at: Timestamp, operations: &mut Operations) {
        let client = self.clients.of(wait.case.parties.client);
        let owner = SliceOwner::of_stretch(wait.case, operations);
        let course = self.course.as_deref_mut();
        let (timeline, mut posting) = client.posting(&mut self.sums, course);
        let answered = wait.case.transaction.response.map(|_| at);
        let began = (wait.began, owner);
        timeline.spanned(began, answered, &mut posting);
    }

    /// The clock of the capture was set from one of these to the other: nobody has the time between. `unsure`: it may
    /// not have been set, and clients waited for so long.
    #[cold]
    pub(crate) fn clock_was_set(&mut self, seam: (Timestamp, Timestamp), unsure: bool) {
        let think_ns = self.think_ns;
        let silent = u64::try_from(seam.1.since(seam.0)).unwrap_or(0);
        for client in self.clients.values_mut() {
            client.nearest.clock_was_set();
            let course = self.course.as_deref_mut();
            let (timeline, mut posting) = client.posting(&mut self.sums, course);
            let waited = timeline.clock_was_set(seam, think_ns, &mut posting);
            if unsure && waited {
                self.unsure.silences.add(1, silent);
            }
        }
    }

    /// A wait by design began.
    pub(crate) fn waits(&mut self, wait: Wait<'_>, operations: &mut Operations) {
        let owner = SliceOwner::of_stretch(wait.case, operations);
        if !self.client(wait).timeline.waits(wait.began, owner) {
            return;
        }
        let client = self.clients.of(wait.case.parties.client);
        let course = self.course.as_deref_mut();
        let (timeline, mut posting) = client.posting(&mut self.sums, course);
        if !timeline.makes_room(self.think_ns, &mut posting) {
            self.sums.hits.hit(Bound::AccountWaits);
        }
    }

    /// It is over since `at`.
    pub(crate) fn waited(&mut self, wait: Wait<'_>, at: Timestamp) {
        self.client(wait).timeline.waited(wait.began, at);
    }

    /// From the beginning of the wait to `at` the response, or the request, was lost.
    pub(crate) fn lost(&mut self, wait: Wait<'_>, at: Timestamp, operations: &mut Operations) {
        self.within_gaps(Phase::Retransmission, wait, at, operations);
    }

    /// From the beginning of the wait to `at` the client asked for something that the capture lacks: what it did then,
    /// and for how long it waited, is not known.
    #[cold]
    pub(crate) fn unseen(&mut self, wait: Wait<'_>, at: Timestamp, operations: &mut Operations) {
        self.within_gaps(Phase::Unknown, wait, at, operations);
    }

    /// As far as nothing is outstanding, the time from the beginning of the wait to `at` is this.
    fn within_gaps(
        &mut self,
        phase: Phase,
        wait: Wait<'_>,
        at: Timestamp,
        operations: &mut Operations,
    ) {
        if wait.case.parties.client.is_nowhere() {
            return;
        }
        let owner = SliceOwner::of_stretch(wait.case, operations);
        let stretch = (phase, wait.began, at);
        if !self.client(wait).timeline.lost(stretch, owner) {
            self.sums.hits.hit(Bound::AccountWaits);
        }
    }

    /// Settles what began long enough before `now`.
    pub(crate) fn settle(&mut self, now: Timestamp) {
        self.settle_before(now.plus(-LAG_NS));
    }

    /// Everything is closed.
    pub(crate) fn finish(&mut self) {
        self.settle_before(Timestamp::from_nanos(i64::MAX));
    }

    fn settle_before(&mut self, limit: Timestamp) {
        let think_ns = self.think_ns;
        for client in self.clients.values_mut() {
            let course = self.course.as_deref_mut();
            client.settle(limit, think_ns, &mut self.sums, course);
        }
    }

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

    /// How far the two are, as far as that is known when the request is closed.
    fn ways(
        &mut self,
        (wait, owner): (Wait<'_>, &SliceOwner),
        done: &Outstanding,
        evidence: &impl Evidence,
    ) -> Ways {
        let t = wait.case.transaction;
        let pace = self.servers.of(wait.case.parties.server);
        pace.paused.closed();
        let waited = pace.order.answers(t);
        let client = self.clients.of(wait.case.parties.client);
        client.nearest.closed(t, done);
        client.paused.closed();
        let own = self.pairs.of(wait.case.parties.pair);
        let paces = Paces {
            server: &mut pace.way,
            own: &mut *own,
        };
        let mut ways = client
            .nearest
            .ways((wait.case, done, owner), (paces, waited), evidence);
        let pause = client.nearest.pause(done.begin);
        if let Some((phase, owed)) = own.owed() {
            self.owes(phase, &owed, wait);
        }
        let long = |ns: Option<i64>| ns.is_some_and(|ns| ns >= TIMER_NS);
        let [request, response] = done.unsure;
        if request != SURE && long(pause) || response != SURE && long(t.turnaround.least()) {
            self.doubts(wait, done, &mut ways);
        }
        ways
    }

    /// These slices of a client may contain more of the way than was posted, or will be.
    #[cold]
    #[inline(never)]
    fn owes(&mut self, phase: Phase, owed: &[OwedWay], wait: Wait<'_>) {
        let client = &mut self.clients.of(wait.case.parties.client).sum;
        for slice in owed {
            let mut sum = Sum::default();
            let more = Bounds {
                low: 0,
                high: slice.ns,
            };
            sum.ledger.add_network(phase, more);
            let owner = slice.owner;
            Pending { owner, sum }.post(&mut self.sums, client);
        }
    }

    /// The request, or the response, may have been lost before the capture. Of one in several
    /// frames something would have come.
    #[cold]
    fn doubts(&mut self, wait: Wait<'_>, done: &Outstanding, ways: &mut Ways) {
        let t = wait.case.transaction;
        let single = |extent: Option<Extent>| extent.is_some_and(|e| e.first == e.last);
        let client = self.clients.of(wait.case.parties.client);
        let [at_server, at_client] = client.nearest.distances();
        let [request, response] = done.unsure;
        let known = |ns: i64| u64::try_from(ns).unwrap_or(0);
        if request != SURE
            && single(t.request)
            && let Some(pause) = client.nearest.pause(done.begin)
        {
            let idle = pause.saturating_sub(request.max(0)) > self.think_ns;
            // It was lost for sure, and may have been for longer; or others were.
            let lost = done.unsure_ns < i64::MAX;
            let mut doubts = || match lost {
                true => known((pause - request).min(done.unsure_ns)),
                false => {
                    let ns = client.paused.doubts(pause, at_client, at_server);
                    ns.saturating_sub(known(request))
                }
            };
            if !idle {
                let ns = doubts();
                if ways.client_up_to(ns) {
                    self.unsure.pauses.add(1, ns);
                }
            } else if request == UNNUMBERED {
                // A transport's timer, of which this is not said, is shorter than the think limit.
                let ns = doubts();
                let (count, ns) = client.paused.idles(ns);
                self.unsure.idle.add(count, ns);
            } else if lost {
                self.unsure.idle.add(1, doubts());
            }
        }
        if response != SURE
            && single(t.response)
            && let Some(pause) = t.turnaround.least()
        {
            let server = self.servers.of(wait.case.parties.server);
            let ns = server.paused.doubts(pause, at_server, at_client);
            let ns = ns.saturating_sub(known(response));
            if ways.server_up_to(ns) {
                self.unsure.turnarounds.add(1, ns);
            }
        }
    }

    /// The client who waits.
    #[inline]
    fn client(&mut self, wait: Wait<'_>) -> &mut Client {
        let place = wait.case.parties.client;
        if let Some(gone) = self.clients.renew(place) {
            self.leaves(gone);
        }
        self.clients.of(place)
    }

    /// A client has to go; the owners of its slices keep their time.
    #[cold]
    fn leaves(&mut self, mut gone: Client) {
        let last = Timestamp::from_nanos(i64::MAX);
        let course = self.course.as_deref_mut();
        gone.settle(last, self.think_ns, &mut self.sums, course);
        let left = gone.timeline.waiting();
        self.sums.waiting = self.sums.waiting.saturating_sub(left);
        gone.pending.post(&mut self.sums, &mut gone.sum);
    }
}

impl SliceOwner {
    /// The owner of a wait, or of a loss: apart, so that the other is part of what closes a request.
    #[cold]
    #[inline(never)]
    fn of_stretch(case: Case<'_>, operations: &mut Operations) -> Self {
        Self::of(case, operations)
    }

    /// The owner of a request's slices.
    #[inline(always)]
    fn of(case: Case<'_>, operations: &mut Operations) -> Self {
        let parties = case.parties;
        // A user's time is not accounted for.
        let [_, share, file] = parties.named.map_or([None; 3], |named| named.labels);
        Self {
            server: parties.server,
            pair: parties.pair,
            operation: operations.place_of(case.transaction, parties.server),
            labels: [share, file].map(|label| label.unwrap_or(TablePlace::NOWHERE)),
        }
    }
}

impl Client {
    fn settle(
        &mut self,
        limit: Timestamp,
        think_ns: i64,
        sums: &mut Sums,
        course: Option<&mut LedgerCourse>,
    ) {
        let (timeline, mut posting) = self.posting(sums, course);
        timeline.settle(limit, think_ns, &mut posting);
    }

    /// Its timeline, and what takes the slices of that.
    #[inline]
    fn posting<'a>(
        &'a mut self,
        sums: &'a mut Sums,
        course: Option<&'a mut LedgerCourse>,
    ) -> (&'a mut ClientTimeline, Posting<'a>) {
        let posting = Posting {
            sums,
            course,
            pending: &mut self.pending,
            client: &mut self.sum,
            ways: Ways::default(),
        };
        (&mut self.timeline, posting)
    }
}

impl Pending {
    /// Adds its slices to all rows that they belong to.
    fn post(&self, sums: &mut Sums, client: &mut Sum) {
        let Sums {
            total,
            servers,
            pairs,
            operations,
            labels,
            ..
        } = sums;
        total.merge(&self.sum);
        client.merge(&self.sum);
        let SliceOwner {
            server,
            pair,
            operation,
            labels: [share, file],
        } = self.owner;
        for (column, place) in [(servers, server), (pairs, pair), (operations, operation)] {
            self.sum.post(column, place);
        }
        for label in [share, file] {
            self.sum.post(labels, label);
        }
    }
}

impl Sums {
    fn new() -> Self {
        Self {
            total: Sum::default(),
            servers: Column::new(),
            pairs: Column::new(),
            operations: Column::new(),
            labels: Column::new(),
            waiting: 0,
            slices: ClockTick::default(),
            stalls: Stalls::default(),
            hits: Hits::NONE,
        }
    }
}

impl Sum {
    /// Adds it to the row of this place, unless that is gone.
    fn post(&self, column: &mut Column<Self>, place: TablePlace) {
        if !column.is_past(place) {
            column.of(place).merge(self);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.ledger.merge(&other.ledger);
        self.requests += other.requests;
        self.turnarounds += other.turnarounds;
        self.pauses += other.pauses;
        if let Some((from, to)) = other.span {
            self.spans(from, to);
        }
    }

    fn spans(&mut self, from: Timestamp, to: Timestamp) {
        self.span = Some(match self.span {
            Some((first, last)) => (first.min(from), last.max(to)),
            None => (from, to),
        });
    }

    fn span_ns(&self) -> u64 {
        let span = self.span.map_or(0, |(from, to)| to.since(from));
        u64::try_from(span).unwrap_or(0)
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

#[cfg(test)]
mod tests;
