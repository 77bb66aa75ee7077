//! By client: what its requests took, and where its own time went between them.

use crate::passers::{self, Passers};
use crate::{Collector, Options, Rows};
use std::collections::BTreeMap;
use wirewait_model::figures::counts_for_stations;
use wirewait_model::records::{
    Entities, Group, GroupTimes, Joined, Moment, Pair, Records, StationId, Waiting,
};
use wirewait_model::{Counts, Distribution, Figures, FrameSums, Samples, StationRow};
use wirewait_wire::{Endpoint, Timestamp};

pub(crate) struct Stations {
    clients: Rows<Endpoint, Client>,
    /// The client asked the server for something.
    pairs: Rows<Pair, bool>,
    /// Further addresses of clients, with the first one of each.
    further: Vec<[StationId; 2]>,
    /// What rows had counted that were dropped.
    gone: Passers,
    think_ns: i64,
}

#[derive(Default)]
struct Client {
    /// Its owner, for when it is dropped; 0 while nothing is counted.
    owner: u64,
    counts: Counts,
    turnaround: Distribution,
    response_time: Distribution,
    /// Sum of squares of response times, in square nanoseconds.
    squares: u128,
    retransmitted: u64,
    frames: FrameSums,
    moving_bytes: u64,
    moving_ns: i128,
    data_bytes: u64,
    outstanding: u32,
    busy_since: Timestamp,
    /// It has waited for something.
    has_waited: bool,
    /// Since its latest answer; while it waits, no earlier than `busy_since`.
    idle_since: Timestamp,
    busy_ns: u64,
    client_ns: u64,
    /// Of a client that paused to think.
    thinks: Option<Box<Thinks>>,
}

/// How often a client paused to think, and how long.
#[derive(Default)]
struct Thinks {
    ns: u64,
    count: u64,
    time: Distribution,
}

impl Stations {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            clients: Rows::default(),
            pairs: Rows::default(),
            further: Vec::new(),
            gone: Passers::new(options.rows),
            think_ns: options.think_ns,
        }
    }

    /// What happens to a client that waits, or no longer does.
    #[inline]
    fn waiting(&mut self, waiting: &Waiting, happens: impl FnOnce(&mut Client)) {
        let Some(id) = waiting.client else {
            return;
        };
        if let Some(client) = self.clients.known(id) {
            happens(client);
        } else if let Some(client) = self.row_of(id) {
            happens(client);
        }
    }

    /// The row of a client, perhaps a new one.
    #[inline(never)]
    fn row_of(&mut self, id: StationId) -> Option<&mut Client> {
        let gone = &mut self.gone;
        self.clients.of(id, |before: Client| {
            gone.add(before.owner, &before.counts);
        })
    }

    fn count(&mut self, group: &Group, times: &GroupTimes) {
        let key = &group.key;
        if let Some(pair) = key.pair.and_then(|id| self.pairs.of(id, drop)) {
            *pair = true;
        }
        if key.several {
            // Each is among the strangers.
            return;
        }
        let owner = || passers::station(&key.client_end.station());
        match key.client.and_then(|id| self.row_of(id)) {
            Some(client) => {
                if client.owner == 0 {
                    client.owner = owner();
                }
                client.count(group, times);
            }
            None => self.gone.add(owner(), &group.counts),
        }
    }
}

impl Collector for Stations {
    fn batch(&mut self, records: &Records<'_>) {
        let think_ns = self.think_ns;
        for moment in records.moments {
            match moment {
                Moment::Begins(waiting) => {
                    self.waiting(waiting, |client| client.begins(waiting.at, think_ns));
                }
                Moment::Ends(waiting) => self.waiting(waiting, |client| client.ends(waiting.at)),
                _ => {}
            }
        }
        for (group, times) in records.grouped() {
            self.count(group, times);
        }
        for stranger in records.strangers {
            self.gone.note(passers::station(stranger), 1, false);
        }
    }

    fn joined(&mut self, Joined { client, first, .. }: &Joined) {
        let think_ns = self.think_ns;
        if let Some(other) = self.clients.take(*client) {
            match self.row_of(*first) {
                Some(row) => row.join(other, think_ns),
                None => self.gone.add(other.owner, &other.counts),
            }
        }
        // Of a number that another station had before, one is left.
        self.further
            .retain(|[one, _]| one.index() != client.index());
        self.further.push([*client, *first]);
    }

    /// By total response time, the greatest first.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let ends = |of: &[StationId; 2]| Some((entities.station(of[0])?, entities.station(of[1])?));
        let first: BTreeMap<Endpoint, Endpoint> = self.further.iter().filter_map(ends).collect();
        let mut servers: BTreeMap<Endpoint, u64> = BTreeMap::new();
        let pairs = self.pairs.iter().filter(|(_, asked)| **asked);
        for pair in pairs.filter_map(|(id, _)| entities.pair(id)) {
            let client = first.get(&pair.client).unwrap_or(&pair.client);
            *servers.entry(*client).or_default() += 1;
        }
        let (n, total) = self.clients.iter().fold((0, 0), |(n, total), (_, c)| {
            (n + c.response_time.n(), total + c.response_time.total())
        });
        let mut rows: Vec<(i128, StationRow)> = self
            .clients
            .iter()
            .filter_map(|(id, client)| {
                let station = entities.station(id)?;
                let servers = servers.get(&station).copied().unwrap_or(0);
                let mut row = client.shown(station, servers, (n, total));
                row.counts.forgotten = self.gone.of(passers::station(&station));
                Some((client.response_time.total(), row))
            })
            .collect();
        rows.sort_by(|(a_ns, a), (b_ns, b)| b_ns.cmp(a_ns).then_with(|| a.client.cmp(&b.client)));
        figures.stations = rows.into_iter().map(|(_, row)| row).collect();
    }
}

impl Client {
    /// It waits for a request whose first byte came at `at`.
    #[inline]
    fn begins(&mut self, at: Timestamp, think_ns: i64) {
        if self.outstanding == 0 {
            let gap = at.as_nanos().checked_sub(self.idle_since.as_nanos());
            match gap {
                // As nearly always.
                Some(gap) if self.has_waited && (0..=think_ns).contains(&gap) => {
                    self.client_ns = self.client_ns.saturating_add(gap.unsigned_abs());
                    (self.busy_since, self.idle_since) = (at, at);
                }
                _ => self.begins_anew(at, think_ns),
            }
        }
        self.outstanding = self.outstanding.saturating_add(1);
    }

    /// It waits for something, for the first time or behind a gap that is long or none.
    #[inline(never)]
    fn begins_anew(&mut self, at: Timestamp, think_ns: i64) {
        self.busy_since = at;
        if self.has_waited {
            let idle = self.idle_since;
            let gap = at.since(idle);
            // A request that began before the last answer was complete left no gap.
            self.busy_since = at.max(idle);
            let ns = u64::try_from(gap).unwrap_or(0);
            if gap <= think_ns {
                self.client_ns = self.client_ns.saturating_add(ns);
            } else {
                let thinks = self.thinks.get_or_insert_default();
                thinks.ns = thinks.ns.saturating_add(ns);
                thinks.count += 1;
                thinks.time.record(gap);
            }
        }
        // Nothing ends before it began: what waits by design ends where it began.
        (self.has_waited, self.idle_since) = (true, self.busy_since);
    }

    /// It no longer waits for one of its requests, since `at`.
    #[inline]
    fn ends(&mut self, at: Timestamp) {
        if self.outstanding == 0 {
            // Its beginning was dropped with a row.
            return;
        }
        self.outstanding -= 1;
        let latest = self.idle_since.max(at);
        self.idle_since = latest;
        if self.outstanding == 0 {
            let busy = latest.since(self.busy_since);
            let busy = u64::try_from(busy).unwrap_or(0);
            self.busy_ns = self.busy_ns.saturating_add(busy);
        }
    }

    /// What was counted for it under another address.
    fn join(&mut self, other: Self, think_ns: i64) {
        self.counts.merge(&other.counts);
        self.turnaround.absorb(&other.turnaround);
        self.response_time.absorb(&other.response_time);
        self.squares = self.squares.saturating_add(other.squares);
        self.retransmitted = self.retransmitted.saturating_add(other.retransmitted);
        self.frames.merge(&other.frames);
        self.moving_bytes = self.moving_bytes.saturating_add(other.moving_bytes);
        self.moving_ns = self.moving_ns.saturating_add(other.moving_ns);
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        self.busy_ns = self.busy_ns.saturating_add(other.busy_ns);
        self.client_ns = self.client_ns.saturating_add(other.client_ns);
        if let Some(others) = other.thinks {
            let thinks = self.thinks.get_or_insert_default();
            thinks.ns = thinks.ns.saturating_add(others.ns);
            thinks.count = thinks.count.saturating_add(others.count);
            thinks.time.absorb(&others.time);
        }
        if other.outstanding > 0 {
            self.begins(other.busy_since, think_ns);
            let others = other.outstanding - 1;
            self.outstanding = self.outstanding.saturating_add(others);
        }
        if other.has_waited {
            self.has_waited = true;
            self.idle_since = self.idle_since.max(other.idle_since);
        }
    }

    fn count(&mut self, group: &Group, times: &GroupTimes) {
        self.counts.merge(&group.counts);
        self.frames.merge(&group.frames);
        self.retransmitted = self.retransmitted.saturating_add(group.retransmitted);
        self.data_bytes = self.data_bytes.saturating_add(group.data_bytes);
        if counts_for_stations(group.key.kind) {
            self.moving_bytes = self.moving_bytes.saturating_add(group.moving_bytes());
            self.moving_ns = self.moving_ns.saturating_add(group.moving_ns);
            self.response_time.record_all(&times.response_time);
            self.turnaround.record_all(&times.turnaround);
            self.squares = self.squares.saturating_add(times.response_time.squares());
        }
    }

    /// `all` are the number of response times of all stations, and their sum.
    fn shown(&self, client: Endpoint, servers: u64, (all, all_ns): (u64, i128)) -> StationRow {
        let times = self.response_time.times();
        let (n, sum) = (u128::from(times.n), times.total.unsigned_abs());
        // Variance of the population: (n * sum of squares - square of sum) / n^2.
        let deviation = (times.n > 1)
            .then(|| {
                let spread = n
                    .checked_mul(self.squares)?
                    .checked_sub(sum.checked_mul(sum)?)?;
                u64::try_from((spread / (n * n)).isqrt()).ok()
            })
            .flatten();
        // As a multiple of the mean of all stations, in millionths.
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
        let mut row = StationRow::default();
        row.client = client;
        row.servers = servers;
        row.counts = self.counts;
        row.turnaround = self.turnaround.times();
        row.response_time = times;
        row.samples = Samples {
            turnaround: self.turnaround.sample(),
            response_time: self.response_time.sample(),
        };
        row.deviation = deviation;
        row.normalised_mean = normalised_mean;
        row.normalised_min = normalised_one(times.min);
        row.normalised_max = normalised_one(times.max);
        row.retransmitted = self.retransmitted;
        row.frames = self.frames;
        row.moving_bytes = self.moving_bytes;
        row.moving_ns = self.moving_ns;
        row.busy_ns = self.busy_ns;
        row.client_ns = self.client_ns;
        if let Some(thinks) = &self.thinks {
            row.think_ns = thinks.ns;
            row.thinks = thinks.count;
            row.think_time = thinks.time.times();
        }
        row.data_bytes = self.data_bytes;
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NAMED, batch, end, group, id, later, line, timed, waiting};

    const MS: i64 = 1_000_000;

    fn options() -> Options {
        Options {
            rows: 100,
            think_ns: 500 * MS,
        }
    }

    fn shown(stations: &Stations) -> Vec<StationRow> {
        let mut figures = Figures::default();
        stations.write(&NAMED, &mut figures);
        figures.stations
    }

    #[test]
    fn the_time_between_requests_is_work_or_thought() {
        let at = |ms| waiting(1, Timestamp::from_nanos(ms * MS));
        let moments = [
            Moment::Begins(at(0)),
            Moment::Begins(at(5)),
            Moment::Ends(at(8)),
            Moment::Ends(at(10)),
            Moment::Begins(at(30)),
            Moment::Ends(at(40)),
            Moment::Begins(at(1_000)),
        ];
        let mut stations = Stations::new(&options());
        batch(&mut stations, &moments, &[group(Some(1), &[line()])]);
        let [row] = shown(&stations).try_into().unwrap();
        assert_eq!((row.busy_ns, row.client_ns), (20_000_000, 20_000_000));
        assert_eq!((row.think_ns, row.thinks), (960_000_000, 1));
        assert_eq!(row.think_time.max, 960 * MS);
    }

    /// Client 1 waits until 10 ms; 2 from 20 ms on, when it turns out to be 1, until 25 ms; then it waits from 35 to 40 ms there.
    /// Pauses of 10 ms each.
    #[test]
    fn a_further_address_of_a_client_has_no_row_of_its_own() {
        let at = |client, ms| waiting(client, Timestamp::from_nanos(ms * MS));
        let mut collectors = crate::Collectors::new(&options());
        let mut batch = wirewait_model::records::RecordBatch::default();
        batch.moments = vec![
            Moment::Begins(at(1, 0)),
            Moment::Ends(at(1, 10)),
            Moment::Begins(at(2, 20)),
            Moment::Joined(Joined {
                client: id(2),
                first: id(1),
                first_end: crate::testing::end(1),
                server: Some(id(crate::testing::SERVER)),
                interface: 0,
                at: Timestamp::from_nanos(20 * MS),
            }),
            Moment::Ends(at(2, 25)),
            Moment::Begins(at(2, 35)),
            Moment::Ends(at(2, 40)),
        ];
        batch.groups = vec![
            group(Some(1), &[timed(10 * MS)]),
            group(Some(2), &[timed(5 * MS), timed(5 * MS)]),
        ];
        batch.joins = true;
        collectors.batch(&batch);
        let figures = collectors.into_figures(&NAMED);
        let [row] = figures.stations.try_into().unwrap();
        assert_eq!((row.client, row.servers), (end(1), 2));
        assert_eq!((row.busy_ns, row.client_ns), (20_000_000, 20_000_000));
        assert_eq!((row.response_time.n, row.counts.requests), (3, 3));
        assert_eq!(row.response_time.mean(), Some(6_666_667));
    }

    #[test]
    fn times_relative_to_the_mean_of_all_stations() {
        let mut stations = Stations::new(&options());
        let groups = [
            group(Some(1), &[timed(10 * MS), timed(30 * MS)]),
            group(Some(2), &[timed(40 * MS), timed(80 * MS)]),
        ];
        batch(&mut stations, &[], &groups);
        let [slow, fast] = shown(&stations).try_into().unwrap();
        assert_eq!((slow.client, fast.client), (end(2), end(1)));
        // The mean of all is 40 ms.
        assert_eq!(slow.normalised_mean, Some(1_500_000));
        assert_eq!(fast.normalised_min, Some(250_000));
        assert_eq!(fast.deviation, Some(10_000_000));
        assert_eq!((slow.servers, slow.response_time.p50), (1, 40 * MS));
    }

    #[test]
    fn a_row_that_comes_back_says_what_it_lacks() {
        let mut stations = Stations::new(&options());
        let mine = group(Some(1), &[line(), line()]);
        // Another client takes the place of this one, and goes.
        let mut others = group(Some(3), &[line()]);
        others.key.client = Some(later(id(1)));
        let mut stranger = group(None, &[line()]);
        stranger.key.several = true;
        batch(
            &mut stations,
            &[],
            &[mine.clone(), others, mine.clone(), stranger],
        );
        let mut again = mine;
        again.key.client = Some(id(2));
        batch(&mut stations, &[], &[again]);
        let rows = shown(&stations);
        let row = rows.iter().find(|row| row.client == end(2)).unwrap();
        // Of client 1, whose end these groups have, four requests were lost; of client 2 none.
        assert_eq!((row.counts.requests, row.counts.forgotten), (2, 0));
        assert_eq!(stations.gone.of(passers::station(&end(1))), 4);
    }
}
