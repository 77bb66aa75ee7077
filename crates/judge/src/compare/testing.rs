//! Captures that are made up: requests of clients to servers, whose times follow a known process. Two of one process
//! with other random numbers differ by chance alone. For tests, and for the tables of decision 0020.

use super::{Comparison, Values};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use wirewait_analysis::{
    Extent, Interval, Ledger, LedgerOf, LedgerRow, Mark, Outcome, Phase, Samples, ServerRow, Sink,
    Snapshot, Spread, StationRow, Times, Transaction, Turnaround,
};
use wirewait_wire::{Endpoint, Kind, Operation, Status, Timestamp};

/// SplitMix64, with a fixed seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(super) fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.next()).ln()).sqrt() * (2.0 * PI * self.next()).cos()
    }

    /// A whole number below this one.
    fn below(&mut self, n: usize) -> usize {
        ((self.next() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

/// How the times of successive requests of a server follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) enum Process {
    /// Within 10 %.
    Even,
    /// Log-normal, with this sigma.
    Wide(f64),
    /// Pareto's, with this exponent.
    Heavy(f64),
    /// This many requests in a row are three times as slow with a probability of 0.3.
    Stretches(usize),
    /// Autoregressive: what a value has of the one before.
    Drifts(f64),
    /// A wave that is over once in the capture, a third up and down, and begins anywhere.
    Day,
    /// Of this part each takes two seconds more.
    Waits(f64),
}

/// A process under way.
pub(super) struct Pacer {
    of: Process,
    slow: f64,
    state: f64,
    phase: f64,
}

impl Pacer {
    pub(super) fn new(of: Process, random: &mut Random) -> Self {
        Self {
            of,
            slow: 1.0,
            state: random.normal(),
            phase: random.next(),
        }
    }

    /// What the request at this place of all takes, about 1.
    pub(super) fn next(&mut self, random: &mut Random, at: usize, all: usize) -> f64 {
        match self.of {
            Process::Even => 0.9 + 0.2 * random.next(),
            Process::Wide(sigma) => (sigma * random.normal()).exp(),
            Process::Heavy(exponent) => (1.0 - random.next()).powf(-1.0 / exponent),
            Process::Stretches(long) => {
                if at.is_multiple_of(long) {
                    self.slow = if random.next() < 0.3 { 3.0 } else { 1.0 };
                }
                self.slow * (0.9 + 0.2 * random.next())
            }
            Process::Drifts(of) => {
                self.state = of * self.state + (1.0 - of * of).sqrt() * random.normal();
                (0.3 * self.state).exp()
            }
            Process::Day => {
                let angle = 2.0 * PI * (self.phase + at as f64 / all.max(1) as f64);
                (1.0 + 0.33 * angle.sin()) * (0.9 + 0.2 * random.next())
            }
            Process::Waits(part) => {
                let wait = if random.next() < part { 400.0 } else { 0.0 };
                wait + 1.0 + 0.2 * random.next()
            }
        }
    }
}

/// Times of successive requests, ns, each as many times as long.
pub(super) fn course(of: Process, random: &mut Random, n: usize, times: f64) -> Vec<i64> {
    let mut pacer = Pacer::new(of, random);
    (0..n)
        .map(|at| (pacer.next(random, at, n) * times * 5e6) as i64)
        .collect()
}

/// Which operation is next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mix {
    /// Any, each as often.
    Equal,
    /// Any, as often as each capture draws for itself.
    Drawn,
    /// As `Drawn`, but 20 of one operation after the other on average.
    Runs,
}

/// What is in a capture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) of: Process,
    pub(super) requests: usize,
    pub(super) operations: usize,
    pub(super) servers: usize,
    pub(super) clients: usize,
    pub(super) mix: Mix,
    /// The part of the requests that fail, and how many in a row.
    pub(super) failing: (f64, usize),
    /// Clients begin one after the other, and each makes requests of all slower.
    pub(super) rises: bool,
}

impl Shape {
    /// One operation of one client at one server.
    pub(super) const fn plain(of: Process, requests: usize) -> Self {
        Self {
            of,
            requests,
            operations: 1,
            servers: 1,
            clients: 1,
            mix: Mix::Equal,
            failing: (0.0, 1),
            rises: false,
        }
    }
}

/// What is other in the second of two captures than in the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    /// How many times as long requests take.
    pub(super) times: f64,
    /// Only at the first server, or everywhere.
    pub(super) of_one_server: bool,
    /// More of the requests that fail, as a part of all.
    pub(super) failing: f64,
    /// Of this part each takes 20 times as long.
    pub(super) long: f64,
}

impl Difference {
    pub(super) const NONE: Self = Self::times(1.0);

    pub(super) const fn times(times: f64) -> Self {
        Self {
            times,
            of_one_server: false,
            failing: 0.0,
            long: 0.0,
        }
    }
}

static OPERATIONS: [Operation; 6] = [
    Operation::new("READ", Kind::Read, true),
    Operation::new("OPEN", Kind::Open, true),
    Operation::new("CLOSE", Kind::Close, true),
    Operation::new("QUERY", Kind::Directory, true),
    Operation::new("LOCK", Kind::Lock, true),
    Operation::new("CALL", Kind::Transaction, true),
];
/// What they take, ms.
const MS: [f64; 6] = [2.0, 5.0, 0.5, 1.0, 0.7, 10.0];
/// Buckets of the time line, ns.
const WIDTH: i64 = 10_000_000;
const THINK: i64 = 500_000_000;

/// A capture.
pub(super) struct Made {
    snapshot: Snapshot,
    values: Values,
}

struct Done {
    client: usize,
    server: usize,
    operation: usize,
    from: i64,
    begin: i64,
    end: i64,
    failed: bool,
}

fn station(of: u8, number: usize) -> Endpoint {
    Endpoint::mac([2, 0, 0, 0, of, u8::try_from(number).unwrap_or(u8::MAX)])
}

impl Made {
    pub(super) fn of(shape: &Shape, random: &mut Random, other: &Difference) -> Self {
        let mut done = requests(shape, random, other);
        done.sort_by_key(|one| one.end);
        let mut values = Values::new(THINK);
        for (at, one) in done.iter().enumerate() {
            values.transaction(&transaction(at as u64 + 1, one));
        }
        let snapshot = snapshot(&done);
        Self { snapshot, values }
    }
}

/// Two captures, and what the comparison says of them.
pub(super) fn compared(shape: &Shape, random: &mut Random, other: &Difference) -> Comparison {
    let base = Made::of(shape, random, &Difference::NONE);
    let other = Made::of(shape, random, other);
    let snapshots = [&base.snapshot, &other.snapshot];
    Comparison::with(&snapshots, &[base.values, other.values], None)
}

fn requests(shape: &Shape, random: &mut Random, other: &Difference) -> Vec<Done> {
    let mut pacers: Vec<Pacer> = (0..shape.servers)
        .map(|_| Pacer::new(shape.of, random))
        .collect();
    let mut served = vec![0; shape.servers];
    let operations = shape.operations.min(OPERATIONS.len());
    let parts: Vec<f64> = (0..operations)
        .map(|_| match shape.mix {
            Mix::Equal => 1.0,
            Mix::Drawn | Mix::Runs => 0.2 + random.next(),
        })
        .collect();
    let all: f64 = parts.iter().sum();
    let drawn = |random: &mut Random| {
        let mut left = random.next() * all;
        let place = parts.iter().position(|part| {
            left -= part;
            left < 0.0
        });
        place.unwrap_or(0)
    };
    let mut operation = drawn(random);
    let mut failing = false;
    let mut free = vec![0i64; shape.clients];
    let mut done = Vec::with_capacity(shape.requests);
    for at in 0..shape.requests {
        let active = match shape.rises {
            true => 1 + at * shape.clients / shape.requests,
            false => shape.clients,
        };
        let client = (0..active).min_by_key(|n| free[*n]).unwrap_or(0);
        let server = random.below(shape.servers);
        if shape.mix != Mix::Runs || random.next() < 0.05 {
            operation = drawn(random);
        }
        let (part, row) = shape.failing;
        if at.is_multiple_of(row) {
            failing = random.next() < part + other.failing;
        }
        let pace = pacers[server].next(random, served[server], shape.requests / shape.servers);
        served[server] += 1;
        let mut ms = MS[operation] * pace;
        if !other.of_one_server || server == 0 {
            ms *= other.times;
        }
        if other.long > 0.0 && random.next() < other.long {
            ms *= 20.0;
        }
        if shape.rises {
            ms *= 0.5 + 0.5 * active as f64;
        }
        if failing {
            ms = 0.3;
        }
        let pause = (1e6 * (0.5 + random.next())) as i64;
        // A client that comes later is there now.
        let now = free[..active].iter().copied().max().unwrap_or(0);
        let from = if free[client] == 0 { now } else { free[client] };
        let begin = from + pause;
        let end = begin + (ms * 1e6) as i64;
        free[client] = end;
        done.push(Done {
            client,
            server,
            operation,
            from,
            begin,
            end,
            failed: failing,
        });
    }
    done
}

fn transaction(number: u64, one: &Done) -> Transaction {
    let mark = |at: i64, frame: u64| Mark {
        frame,
        at: Timestamp::from_nanos(at),
    };
    let extent = |at: i64, frame: u64| Extent {
        first: mark(at, frame),
        last: mark(at, frame),
    };
    let mut t = Transaction::default();
    (t.number, t.protocol, t.carrier) = (number, "made", "made");
    (t.client, t.server) = (station(1, one.client), station(2, one.server));
    t.operation = &OPERATIONS[one.operation];
    (t.code, t.kind) = (one.operation as u32, t.operation.kind);
    (t.outcome, t.copies) = (Outcome::Answered, 1);
    t.request = Some(extent(one.begin, 2 * number));
    t.response = Some(extent(one.end, 2 * number + 1));
    t.turnaround = Turnaround::Exact(one.end - one.begin);
    t.status = Some(Status {
        ok: !one.failed,
        failure: one.failed,
        ..Status::DONE
    });
    t
}

/// Sums of rows. What values show is taken from them.
fn times(done: &[&Done]) -> (Times, Samples) {
    let mut spread = Spread::default();
    done.iter()
        .for_each(|one| spread.record(one.end - one.begin));
    let samples = Samples {
        turnaround: done.iter().map(|one| one.end - one.begin).collect(),
        response_time: done.iter().map(|one| one.end - one.begin).collect(),
    };
    (samples.response_time.times(&spread), samples)
}

fn snapshot(done: &[Done]) -> Snapshot {
    let mut snapshot = Snapshot::default();
    let mut servers: BTreeMap<(usize, usize), Vec<&Done>> = BTreeMap::new();
    let mut clients: BTreeMap<usize, Vec<&Done>> = BTreeMap::new();
    for one in done {
        let row = servers.entry((one.server, one.operation)).or_default();
        row.push(one);
        clients.entry(one.client).or_default().push(one);
    }
    for ((server, operation), done) in servers {
        let mut row = ServerRow::default();
        row.server = station(2, server);
        (row.protocol, row.carrier) = ("made", "made");
        row.command = OPERATIONS[operation].name;
        (row.code, row.kind) = (operation as u32, OPERATIONS[operation].kind);
        row.counts.requests = done.len() as u64;
        row.counts.answered = done.len() as u64;
        row.counts.failures = done.iter().filter(|one| one.failed).count() as u64;
        (row.response_time, row.samples) = times(&done);
        row.turnaround = row.response_time;
        snapshot.servers.push(row);
    }
    for (client, done) in clients {
        let mut row = StationRow::default();
        row.client = station(1, client);
        row.counts.requests = done.len() as u64;
        row.counts.answered = done.len() as u64;
        row.counts.failures = done.iter().filter(|one| one.failed).count() as u64;
        (row.response_time, row.samples) = times(&done);
        row.turnaround = row.response_time;
        snapshot.stations.push(row);
    }
    let sum = |of: &dyn Fn(&Done) -> i64| done.iter().map(of).sum::<i64>().unsigned_abs();
    let mut row = LedgerRow::default();
    row.of = LedgerOf::Capture;
    row.ledger = Ledger::from_iter([
        (Phase::Server, sum(&|one| one.end - one.begin)),
        (Phase::Client, sum(&|one| one.begin - one.from)),
    ]);
    row.span_ns = done.last().map_or(0, |one| one.end.unsigned_abs());
    snapshot.ledgers.push(row);
    snapshot.load.timeline.width_ns = WIDTH;
    snapshot.load.timeline.buckets = buckets(done);
    snapshot
}

fn buckets(done: &[Done]) -> Vec<Interval> {
    let last = done.last().map_or(0, |one| one.end / WIDTH) as usize;
    let mut buckets = vec![Interval::default(); last + 1];
    let mut active = vec![std::collections::BTreeSet::new(); last + 1];
    for one in done {
        let bucket = &mut buckets[(one.end / WIDTH) as usize];
        bucket.answered += 1;
        bucket.response_ns += one.end - one.begin;
        bucket.responses += 1;
        let mut at = one.from;
        while at < one.end {
            let place = (at / WIDTH) as usize;
            let until = ((at / WIDTH + 1) * WIDTH).min(one.end);
            buckets[place].active_ns += (until - at).unsigned_abs();
            active[place].insert(one.client);
            at = until;
        }
    }
    for (bucket, active) in buckets.iter_mut().zip(active) {
        bucket.stations = active.len() as u32;
    }
    buckets
}
