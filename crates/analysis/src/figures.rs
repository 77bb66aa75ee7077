//! Statistics over closed transactions: by server and operation, and by client.

mod lost;
mod passers;
mod places;
mod spreads;

use crate::column::Column;
use crate::journal::{Columns, Heading, Page};
use crate::parties::Directory;
use crate::table::{Place, Table};
use crate::world::Case;
use crate::{
    Counts, Distributions, Excluded, Flags, FrameSums, Outcome, PlaceRow, Samples, ServerRow,
    Settings, StationRow, Transaction, Turnaround,
};
use lost::{Lost, Operation};
use places::Places;
use spreads::Spreads;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use wirewait_model::Distribution;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind, Timestamp};

#[derive(Clone, PartialEq, Eq)]
struct RowKey {
    server: Place,
    protocol: Name,
    carrier: Name,
    command: Name,
    code: u32,
    kind: Kind,
}

impl RowKey {
    /// The same of a server that has no place any more.
    fn named(&self, server: Endpoint) -> Operation {
        Operation {
            server,
            protocol: self.protocol,
            carrier: self.carrier,
            command: self.command,
            code: self.code,
            kind: self.kind,
        }
    }
}

/// Without the names, which are the same wherever the numbers are, or nearly.
impl Hash for RowKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.server.hash(state);
        state.write_u32(self.code);
        state.write_u8(self.kind as u8);
    }
}

#[derive(Default)]
struct Row {
    /// As its first transaction shows it.
    server: Endpoint,
    counts: Counts,
    turnaround: Distribution,
    response_time: Distribution,
    request_transfer: Distribution,
    response_transfer: Distribution,
    frames: FrameSums,
    data_bytes: u64,
    /// Response time of the transactions that moved data.
    moving_ns: i128,
}

#[derive(Default)]
struct Client {
    /// Who it is, once it is known.
    station: Option<Endpoint>,
    counts: Counts,
    turnaround: Distribution,
    response_time: Distribution,
    /// Sum of squares of response times, in square nanoseconds.
    squares: u128,
    retransmitted: u64,
    frames: FrameSums,
    moving_ns: i128,
    data_bytes: u64,
    outstanding: u32,
    busy_since: Timestamp,
    idle_since: Option<Timestamp>,
    busy_ns: u64,
    client_ns: u64,
    think_ns: u64,
    thinks: u64,
    think_time: Distribution,
}

/// Reasons for leaving a transaction out, in the order in which they are shown.
const EXCLUDED: [(&str, &str); 14] = [
    (
        "turnaround",
        "the request was seen more than once before the response",
    ),
    ("turnaround", "the server was busy with an earlier request"),
    ("turnaround", "frames are missing from the capture"),
    ("all times", "the clock of the capture stepped back"),
    ("all times", "the response begins before its request ends"),
    ("all times", "unanswered"),
    ("all times", "cancelled"),
    ("all times", "response without request"),
    ("frames per request", "frames are missing from the capture"),
    (
        "stations' response time",
        "waits by design, session set-up and breaks",
    ),
    ("all times", "given up because of a limit"),
    (
        "all times",
        "response to a request that may have been given up because of a limit",
    ),
    (
        "turnaround",
        "data was not waited for any longer because of a limit",
    ),
    (
        "frames per request",
        "data was not waited for any longer because of a limit",
    ),
];

pub(crate) struct Figures {
    rows: Table<RowKey, Row>,
    clients: Column<Client>,
    /// The client asked the server for something.
    pairs: Column<bool>,
    places: Places,
    spreads: Spreads,
    slowest: Vec<Transaction>,
    /// What takes longer is among the slowest.
    beyond: i64,
    excluded: [u64; EXCLUDED.len()],
    rows_evicted: u64,
    /// What rows had counted that were dropped.
    lost: Lost,
    settings: Settings,
}

impl Figures {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            rows: Table::new(settings.rows),
            clients: Column::new(),
            pairs: Column::new(),
            places: Places::new(),
            spreads: Spreads::new(),
            slowest: Vec::new(),
            beyond: i64::MIN,
            excluded: [0; EXCLUDED.len()],
            rows_evicted: 0,
            lost: Lost::new(settings.rows),
            settings,
        }
    }

    /// Rows of servers and operations that were dropped because there were too many.
    pub(crate) fn rows_evicted(&self) -> u64 {
        self.rows_evicted
    }

    /// This client has begun to wait for a request whose first byte came at `at`.
    pub(crate) fn begins(&mut self, (client, station): (Place, Endpoint), at: Timestamp) {
        let think = self.settings.think_ns;
        if !self.clients.has(client) {
            self.new_client(client);
        }
        let Some(client) = self.clients.still(client) else {
            return;
        };
        client.station.get_or_insert(station.station());
        if client.outstanding == 0 {
            client.busy_since = at;
            if let Some(idle) = client.idle_since {
                let gap = at.since(idle);
                // A request that began before the last answer was complete left no gap.
                client.busy_since = at.max(idle);
                let ns = u64::try_from(gap).unwrap_or(0);
                if gap <= think {
                    client.client_ns = client.client_ns.saturating_add(ns);
                } else {
                    client.think_ns = client.think_ns.saturating_add(ns);
                    client.thinks += 1;
                    client.think_time.record(gap);
                }
            }
        }
        client.outstanding = client.outstanding.saturating_add(1);
    }

    /// It no longer waits for one of its requests, since `at`.
    pub(crate) fn ends(&mut self, client: Place, at: Timestamp) {
        let Some(client) = self.clients.still(client) else {
            return;
        };
        if client.outstanding == 0 {
            // Its beginning was dropped with an evicted row.
            return;
        }
        client.outstanding -= 1;
        // Not before it began to wait: what waits by design ends where it began.
        let latest = client.idle_since.map_or(at, |idle| idle.max(at));
        let latest = latest.max(client.busy_since);
        client.idle_since = Some(latest);
        if client.outstanding == 0 {
            let busy = latest.since(client.busy_since);
            client.busy_ns = client
                .busy_ns
                .saturating_add(u64::try_from(busy).unwrap_or(0));
        }
    }

    /// A transaction is closed: what has to be looked at one by one.
    pub(crate) fn closed(&mut self, t: &Transaction) {
        self.exclude(t);
        self.rank(t);
    }

    /// It counts in no row of its client, of whom nothing is kept.
    pub(crate) fn of_passer_by(&mut self, t: &Transaction) {
        let mut counts = Counts::default();
        counts.add(t);
        self.lost.client(t.client.station(), &counts);
    }

    /// Where the row of its operation stands, made if there was none.
    pub(crate) fn row_of(&mut self, case: Case<'_>) -> Place {
        let t = case.transaction;
        let key = RowKey {
            server: case.parties.server,
            protocol: t.protocol,
            carrier: t.carrier,
            command: t.operation.name,
            code: t.code,
            kind: t.kind,
        };
        if let Some(place) = self.rows.find(&key) {
            return place;
        }
        if let Some((key, row)) = self.rows.make_room() {
            self.rows_evicted += 1;
            self.lost.operation(&key.named(row.server), &row.counts);
        }
        let row = Row {
            server: t.server.station(),
            ..Row::default()
        };
        self.rows.insert(key, row).0
    }

    /// A client for which there is no row yet, in the place of one that was dropped.
    #[cold]
    fn new_client(&mut self, client: Place) {
        if let Some(gone) = self.clients.renew(client)
            && let Some(station) = gone.station
        {
            self.lost.client(station, &gone.counts);
        }
    }

    /// Whether that row is still there; keeps it from being dropped.
    pub(crate) fn has_row(&mut self, place: Place) -> bool {
        self.rows.again(place).is_some()
    }

    /// Counts closed transactions of one heading.
    pub(crate) fn post(&mut self, heading: &Heading, page: &Page, columns: &Columns) {
        match self.rows.get_mut(heading.row) {
            Some(row) => row.post(page, columns),
            None => self.lost.operation(&Operation::of(heading), &page.counts),
        }
        if page.counts.answered > 0 {
            self.rows.prove(heading.row);
        }
        let parties = &heading.parties;
        if let Some(pair) = self.pairs.still(parties.pair) {
            *pair = true;
        }
        if heading.of_several() {
            // Each was told of its own.
        } else if parties.client == Place::NOWHERE {
            self.lost.client(heading.client.station(), &page.counts);
        } else if !self.clients.has(parties.client) {
            self.new_client(parties.client);
        }
        if let Some(client) = self.clients.still(parties.client) {
            client.post(heading.kind, page, columns);
        }
        self.places.post(heading, page, columns);
        self.spreads.post(heading, columns);
    }

    pub(crate) fn servers(&self, directory: &Directory) -> Vec<ServerRow> {
        // Rows of a server that was dropped and came back are those of nobody.
        let gone = self.rows.iter();
        let gone = gone.filter(|(key, _)| directory.station(key.server).is_none());
        let gone = gone.map(|(key, row)| (key.named(row.server), row.counts.requests));
        let lost = self.lost.operations(gone);
        let mut rows: Vec<(i128, ServerRow)> = self
            .rows
            .iter()
            .filter_map(|(key, row)| {
                directory.station(key.server)?;
                let forgotten = lost.get(&key.named(row.server)).copied().unwrap_or(0);
                let mut shown = server_row(key, row);
                shown.counts.forgotten = forgotten;
                Some((row.response_time.total(), shown))
            })
            .collect();
        // Rows of a server stand together, the server that was waited for longest first.
        let waits: BTreeMap<Endpoint, i128> =
            rows.iter().fold(BTreeMap::new(), |mut sums, (ns, r)| {
                *sums.entry(r.server).or_default() += ns;
                sums
            });
        let wait = |server: &Endpoint| waits.get(server).copied().unwrap_or(0);
        rows.sort_by(|(a_ns, a), (b_ns, b)| {
            (wait(&b.server), b_ns)
                .cmp(&(wait(&a.server), a_ns))
                .then_with(|| a.server.cmp(&b.server))
                .then_with(|| {
                    (a.protocol, a.carrier, a.command, a.code, a.kind)
                        .cmp(&(b.protocol, b.carrier, b.command, b.code, b.kind))
                })
        });
        // Two servers with the same wait must not interleave.
        rows.sort_by(|(_, a), (_, b)| {
            wait(&b.server)
                .cmp(&wait(&a.server))
                .then_with(|| a.server.cmp(&b.server))
        });
        rows.into_iter().map(|(_, row)| row).collect()
    }

    pub(crate) fn stations(&self, directory: &Directory) -> Vec<StationRow> {
        let mut servers: BTreeMap<Endpoint, u64> = BTreeMap::new();
        let pairs = self.pairs.iter().filter(|(_, asked)| **asked);
        for (client, _) in pairs.filter_map(|(pair, _)| directory.pair(pair)) {
            *servers.entry(client).or_default() += 1;
        }
        let (n, total) = self.clients.iter().fold((0, 0), |(n, total), (_, c)| {
            (n + c.response_time.n(), total + c.response_time.total())
        });
        let mut rows: Vec<(i128, StationRow)> = self
            .clients
            .iter()
            .filter_map(|(place, c)| {
                let station = directory.station(place)?;
                let servers = servers.get(&station).copied().unwrap_or(0);
                let mut row = station_row(station, servers, c, (n, total));
                row.counts.forgotten = self.lost.of_client(&station);
                Some((c.response_time.total(), row))
            })
            .collect();
        rows.sort_by(|(a_ns, a), (b_ns, b)| b_ns.cmp(a_ns).then_with(|| a.client.cmp(&b.client)));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    pub(crate) fn places(&self, directory: &Directory) -> Vec<PlaceRow> {
        self.places.rows(directory)
    }

    pub(crate) fn distributions(&self, directory: &Directory) -> Distributions {
        self.spreads.rows(directory)
    }

    pub(crate) fn slowest(&self) -> Vec<Transaction> {
        self.slowest.clone()
    }

    pub(crate) fn excluded(&self) -> Vec<Excluded> {
        EXCLUDED
            .iter()
            .zip(self.excluded)
            .filter(|(_, count)| *count > 0)
            .map(|((from, reason), count)| Excluded {
                from,
                reason,
                count,
            })
            .collect()
    }

    fn exclude(&mut self, t: &Transaction) {
        if t.flags.is_empty() && t.outcome == Outcome::Answered && counts_for_stations(t.kind) {
            if let Turnaround::Between(..) = t.turnaround {
                self.excluded[0] += 1;
            }
            return;
        }
        let lost = t.flags.contains(Flags::CAPTURE_LOSS);
        let limited = t.flags.contains(Flags::LIMITED);
        let orphan = t.outcome == Outcome::OrphanResponse;
        let answered = t.outcome == Outcome::Answered;
        let stepped = t.flags.contains(Flags::CLOCK_STEP);
        let impossible = t.request.is_some() && t.response.is_some() && t.times().is_none();
        let impossible = impossible && !stepped;
        let reasons = [
            matches!(t.turnaround, Turnaround::Between(..)),
            t.flags.contains(Flags::PIPELINED) && t.turnaround.exact().is_some(),
            lost && t.turnaround.exact().is_some(),
            stepped,
            impossible,
            t.outcome == Outcome::Unanswered,
            t.outcome == Outcome::Cancelled,
            orphan && !limited,
            lost,
            answered && !counts_for_stations(t.kind),
            t.outcome == Outcome::GivenUp,
            orphan && limited,
            answered && limited && t.turnaround.exact().is_some(),
            answered && limited,
        ];
        for (count, applies) in self.excluded.iter_mut().zip(reasons) {
            *count += u64::from(applies);
        }
    }

    fn rank(&mut self, t: &Transaction) {
        let Some(ns) = timed(t).filter(|_| t.kind != Kind::Wait) else {
            return;
        };
        // Most are faster than those that are kept.
        if ns <= self.beyond {
            return;
        }
        let at = self
            .slowest
            .partition_point(|s| s.response_time_ns().unwrap_or(0) >= ns);
        if at < self.settings.slowest {
            self.slowest
                .truncate(self.settings.slowest.saturating_sub(1));
            self.slowest.insert(at, t.clone());
        }
        if self.slowest.len() >= self.settings.slowest {
            let least = self.slowest.last().and_then(Transaction::response_time_ns);
            self.beyond = least.unwrap_or(i64::MAX);
        }
    }
}

impl Row {
    fn post(&mut self, page: &Page, columns: &Columns) {
        self.counts.merge(&page.counts);
        self.frames.merge(&page.frames);
        self.data_bytes = self.data_bytes.saturating_add(page.data_bytes);
        self.moving_ns = self.moving_ns.saturating_add(page.moving_ns);
        self.response_time.record_all(&columns.response_time);
        self.turnaround.record_all(&columns.turnaround);
        self.request_transfer.record_all(&columns.request_transfer);
        self.response_transfer
            .record_all(&columns.response_transfer);
    }
}

impl Client {
    fn post(&mut self, kind: Kind, page: &Page, columns: &Columns) {
        self.counts.merge(&page.counts);
        self.frames.merge(&page.frames);
        self.retransmitted = self.retransmitted.saturating_add(page.retransmitted);
        self.data_bytes = self.data_bytes.saturating_add(page.data_bytes);
        if counts_for_stations(kind) {
            self.moving_ns = self.moving_ns.saturating_add(page.moving_ns);
            self.response_time.record_all(&columns.response_time);
            self.turnaround.record_all(&columns.turnaround);
            for ns in columns.response_time.values() {
                let ns = u128::from(ns.unsigned_abs());
                self.squares = self.squares.saturating_add(ns * ns);
            }
        }
    }
}

impl Counts {
    /// Adds the counts of another row.
    pub fn merge(&mut self, other: &Self) {
        let Self {
            requests,
            answered,
            unanswered,
            one_sided,
            cancelled,
            given_up,
            responses_given_up,
            forgotten,
            orphan_responses,
            failures,
            not_ok,
            repeated,
            interims,
            duplicate_responses,
        } = other;
        for (sum, n) in [
            (&mut self.requests, requests),
            (&mut self.answered, answered),
            (&mut self.unanswered, unanswered),
            (&mut self.one_sided, one_sided),
            (&mut self.cancelled, cancelled),
            (&mut self.given_up, given_up),
            (&mut self.responses_given_up, responses_given_up),
            (&mut self.forgotten, forgotten),
            (&mut self.orphan_responses, orphan_responses),
            (&mut self.failures, failures),
            (&mut self.not_ok, not_ok),
            (&mut self.repeated, repeated),
            (&mut self.interims, interims),
            (&mut self.duplicate_responses, duplicate_responses),
        ] {
            *sum = sum.saturating_add(*n);
        }
    }

    pub(crate) fn add(&mut self, t: &Transaction) {
        if t.outcome == Outcome::OrphanResponse {
            let limited = t.flags.contains(Flags::LIMITED);
            self.responses_given_up += u64::from(limited);
            self.orphan_responses += u64::from(!limited);
            return;
        }
        self.requests += 1;
        match t.outcome {
            Outcome::Answered => self.answered += 1,
            Outcome::Cancelled => self.cancelled += 1,
            Outcome::GivenUp => self.given_up += 1,
            _ if t.flags.contains(Flags::ONE_SIDED) => self.one_sided += 1,
            _ => self.unanswered += 1,
        }
        self.failures += u64::from(t.status.is_some_and(|s| s.failure));
        self.not_ok += u64::from(t.status.is_some_and(|s| !s.ok));
        self.repeated += u64::from(t.copies > 1);
        self.interims += u64::from(t.interims);
        self.duplicate_responses += u64::from(t.duplicate_responses);
    }
}

impl FrameSums {
    /// Adds the frames of another row.
    pub fn merge(&mut self, other: &Self) {
        let Self {
            request,
            response,
            interim,
            ack,
            control,
            retransmitted,
        } = other;
        for (sum, n) in [
            (&mut self.request, request),
            (&mut self.response, response),
            (&mut self.interim, interim),
            (&mut self.ack, ack),
            (&mut self.control, control),
            (&mut self.retransmitted, retransmitted),
        ] {
            *sum = sum.saturating_add(*n);
        }
    }

    /// Counts the frames of a transaction, if the capture has all of them.
    pub(crate) fn add(&mut self, t: &Transaction) {
        if t.flags.is_incomplete() {
            return;
        }
        self.request += u64::from(t.frames.request);
        self.response += u64::from(t.frames.response);
        self.interim += u64::from(t.frames.interim);
        self.ack += u64::from(t.frames.ack);
        self.control += u64::from(t.frames.control);
        self.retransmitted += u64::from(t.frames.retransmitted);
    }
}

/// The response time, if it counts in statistics of times.
pub(crate) fn timed(t: &Transaction) -> Option<i64> {
    if t.outcome != Outcome::Answered || t.flags.contains(Flags::CLOCK_STEP) {
        return None;
    }
    t.response_time_ns()
}

/// The turnaround, if it is the server's work on this request alone.
pub(crate) fn clean_turnaround(t: &Transaction) -> Option<i64> {
    let clean = !t.flags.contains(Flags::PIPELINED) && !t.flags.is_incomplete();
    t.turnaround.exact().filter(|_| clean)
}

/// Statistics over all operations at a place leave out what waits for others by design.
pub(crate) fn counts_for_places(kind: Kind) -> bool {
    !matches!(kind, Kind::Wait | Kind::Break)
}

/// Statistics over all operations of a station leave out what is no measure of service.
pub(crate) fn counts_for_stations(kind: Kind) -> bool {
    !matches!(kind, Kind::Wait | Kind::Session | Kind::Break)
}

fn server_row(key: &RowKey, row: &Row) -> ServerRow {
    let throughput = (row.moving_ns > 0)
        .then(|| u128::from(row.data_bytes) * 1_000_000_000 / row.moving_ns.unsigned_abs())
        .filter(|rate| *rate > 0)
        .and_then(|rate| u64::try_from(rate).ok());
    ServerRow {
        server: row.server,
        protocol: key.protocol,
        carrier: key.carrier,
        command: key.command,
        code: key.code,
        kind: key.kind,
        counts: row.counts,
        turnaround: row.turnaround.times(),
        response_time: row.response_time.times(),
        request_transfer: row.request_transfer.times(),
        response_transfer: row.response_transfer.times(),
        frames: row.frames,
        data_bytes: row.data_bytes,
        moving_ns: row.moving_ns,
        throughput,
        samples: Samples {
            turnaround: row.turnaround.sample(),
            response_time: row.response_time.sample(),
        },
    }
}

/// `all` are the number of response times of all stations, and their sum.
fn station_row(
    client: Endpoint,
    servers: u64,
    c: &Client,
    (all, all_ns): (u64, i128),
) -> StationRow {
    let times = c.response_time.times();
    let (n, sum) = (u128::from(times.n), times.total.unsigned_abs());
    // Variance of the population: (n * sum of squares - square of sum) / n^2.
    let deviation = (times.n > 1)
        .then(|| {
            let spread = n
                .checked_mul(c.squares)?
                .checked_sub(sum.checked_mul(sum)?)?;
            u64::try_from((spread / (n * n)).isqrt()).ok()
        })
        .flatten();
    // So many times the mean of all stations, in millionths.
    let normalised = |ns: u128, of: u128| {
        let scaled = ns.checked_mul(u128::from(all))?.checked_mul(1_000_000)?;
        let mean = of.checked_mul(all_ns.unsigned_abs()).filter(|m| *m > 0)?;
        u64::try_from(scaled / mean).ok()
    };
    let normalised_mean = normalised(sum, n);
    let normalised_one = |ns: i64| {
        (times.n > 0)
            .then(|| normalised(u128::from(ns.unsigned_abs()), 1))
            .flatten()
    };
    StationRow {
        client,
        servers,
        counts: c.counts,
        turnaround: c.turnaround.times(),
        response_time: times,
        samples: Samples {
            turnaround: c.turnaround.sample(),
            response_time: c.response_time.sample(),
        },
        deviation,
        normalised_mean,
        normalised_min: normalised_one(times.min),
        normalised_max: normalised_one(times.max),
        retransmitted: c.retransmitted,
        frames: c.frames,
        moving_ns: c.moving_ns,
        busy_ns: c.busy_ns,
        client_ns: c.client_ns,
        think_ns: c.think_ns,
        thinks: c.thinks,
        think_time: c.think_time.times(),
        data_bytes: c.data_bytes,
    }
}
