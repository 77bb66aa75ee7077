//! By server and operation.

use crate::passers::{self, Passers};
use crate::{Collector, Options, Rows};
use std::collections::{BTreeMap, HashMap};
use wirewait_model::records::{Entities, Group, GroupTimes, OperationAt, Records};
use wirewait_model::{Counts, Distribution, Figures, FrameSums, Samples, ServerRow};
use wirewait_wire::Endpoint;

pub(crate) struct Operations {
    rows: Rows<OperationAt, OperationTally>,
    /// What rows had counted that were dropped.
    gone: Passers,
}

#[derive(Default)]
struct OperationTally {
    /// Its owner, for when it is dropped.
    owner: u64,
    /// As its first transaction shows it.
    server: Endpoint,
    counts: Counts,
    turnaround: Distribution,
    response_time: Distribution,
    request_transfer: Distribution,
    response_transfer: Distribution,
    frames: FrameSums,
    data_bytes: u64,
    /// Of the transactions that moved data and have a response time.
    moving_bytes: u64,
    /// That time.
    moving_ns: i128,
}

impl Operations {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            rows: Rows::default(),
            gone: Passers::new(options.rows),
        }
    }

    fn count(&mut self, group: &Group, times: &GroupTimes) {
        let gone = &mut self.gone;
        let row = self.rows.of(group.key.at, |row: OperationTally| {
            gone.add(row.owner, &row.counts);
        });
        match row {
            Some(row) => {
                if row.counts == Counts::default() {
                    row.server = group.key.server_end.station();
                    row.owner = owner(group);
                }
                row.count(group, times);
            }
            None => self.gone.add(owner(group), &group.counts),
        }
    }
}

impl Collector for Operations {
    fn batch(&mut self, records: &Records<'_>) {
        for (group, times) in records.grouped() {
            self.count(group, times);
        }
    }

    /// Rows of a server stand together, the server that was waited for longest first.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let known = |at: &OperationAt| entities.station(at.server?);
        let mut rows: Vec<(i128, ServerRow)> = Vec::new();
        // Rows of a server that was dropped and came back are those of nobody.
        let mut nobodys: HashMap<u64, u64> = HashMap::new();
        for (id, row) in self.rows.iter() {
            match entities.operation(id).filter(|at| known(at).is_some()) {
                Some(at) => rows.push((row.response_time.total(), row.shown(&at))),
                None => {
                    let sum = nobodys.entry(row.owner).or_default();
                    *sum = sum.saturating_add(row.counts.requests);
                }
            }
        }
        for (_, row) in &mut rows {
            let at = OperationAt {
                server: None,
                protocol: row.protocol,
                carrier: row.carrier,
                command: row.command,
                code: row.code,
                kind: row.kind,
            };
            let owner = passers::operation(&row.server, &at);
            let nobodys = nobodys.get(&owner).copied().unwrap_or(0);
            row.counts.forgotten = self.gone.of(owner).saturating_add(nobodys);
        }
        let waits: BTreeMap<Endpoint, i128> =
            rows.iter().fold(BTreeMap::new(), |mut sums, (ns, row)| {
                *sums.entry(row.server).or_default() += ns;
                sums
            });
        let wait = |server: &Endpoint| waits.get(server).copied().unwrap_or(0);
        rows.sort_by(|(a_ns, a), (b_ns, b)| {
            // Two servers with the same wait must not interleave.
            wait(&b.server)
                .cmp(&wait(&a.server))
                .then_with(|| a.server.cmp(&b.server))
                .then_with(|| b_ns.cmp(a_ns))
                .then_with(|| {
                    (a.protocol, a.carrier, a.command, a.code, a.kind)
                        .cmp(&(b.protocol, b.carrier, b.command, b.code, b.kind))
                })
        });
        figures.servers = rows.into_iter().map(|(_, row)| row).collect();
    }
}

/// The owner of the row in which a group counts.
fn owner(group: &Group) -> u64 {
    let key = &group.key;
    let at = OperationAt {
        server: None,
        protocol: key.protocol,
        carrier: key.carrier,
        command: key.operation.name,
        code: key.code,
        kind: key.kind,
    };
    passers::operation(&key.server_end.station(), &at)
}

impl OperationTally {
    fn count(&mut self, group: &Group, times: &GroupTimes) {
        self.counts.merge(&group.counts);
        self.frames.merge(&group.frames);
        self.data_bytes = self.data_bytes.saturating_add(group.data_bytes);
        self.moving_bytes = self.moving_bytes.saturating_add(group.moving_bytes());
        self.moving_ns = self.moving_ns.saturating_add(group.moving_ns);
        self.response_time.record_all(&times.response_time);
        self.turnaround.record_all(&times.turnaround);
        self.request_transfer.record_all(&times.request_transfer);
        self.response_transfer.record_all(&times.response_transfer);
    }

    fn shown(&self, at: &OperationAt) -> ServerRow {
        let throughput = (self.moving_ns > 0)
            .then(|| u128::from(self.moving_bytes) * 1_000_000_000 / self.moving_ns.unsigned_abs())
            .filter(|rate| *rate > 0)
            .and_then(|rate| u64::try_from(rate).ok());
        let mut row = ServerRow::default();
        row.server = self.server;
        row.protocol = at.protocol;
        row.carrier = at.carrier;
        row.command = at.command;
        row.code = at.code;
        row.kind = at.kind;
        row.counts = self.counts;
        row.turnaround = self.turnaround.times();
        row.response_time = self.response_time.times();
        row.request_transfer = self.request_transfer.times();
        row.response_transfer = self.response_transfer.times();
        row.frames = self.frames;
        row.data_bytes = self.data_bytes;
        row.moving_bytes = self.moving_bytes;
        row.moving_ns = self.moving_ns;
        row.throughput = throughput;
        row.samples = Samples {
            turnaround: self.turnaround.sample(),
            response_time: self.response_time.sample(),
        };
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NAMED, SERVER, batch, end, group, later, timed};

    #[test]
    fn a_row_that_comes_back_says_what_it_lacks() {
        let options = Options {
            rows: 100,
            think_ns: 0,
        };
        let mut operations = Operations::new(&options);
        let mut one = group(Some(1), &[timed(1_000), timed(3_000)]);
        // Of 800 bytes, 500 are of requests with a time.
        (one.data_bytes, one.untimed_bytes) = (800, 300);
        one.moving_ns = 4_000;
        let mut another = one.clone();
        another.key.at = later(one.key.at);
        another.key.code = 2;
        // The place goes to another one; a late record of the one before has no row.
        batch(&mut operations, &[], &[one.clone(), another, one.clone()]);
        let mut figures = Figures::default();
        operations.write(&NAMED, &mut figures);
        assert!(figures.servers.is_empty(), "nobody knows the one there");
        // And back.
        let mut back = one.clone();
        back.key.at = later(later(one.key.at));
        batch(&mut operations, &[], &[back]);
        let owner = owner(&one);
        assert_eq!(operations.gone.of(owner), 4);
        let mut fresh = Operations::new(&options);
        batch(&mut fresh, &[], &[one]);
        let mut figures = Figures::default();
        fresh.write(&NAMED, &mut figures);
        let [row] = figures.servers.try_into().unwrap();
        assert_eq!((row.server, row.counts.requests), (end(SERVER), 2));
        // 500 bytes in 4 us.
        assert_eq!(row.throughput, Some(125_000_000));
        assert_eq!((row.response_time.p50, row.turnaround.max), (1_000, 3_000));
        assert_eq!(row.counts.forgotten, 0);
    }
}
