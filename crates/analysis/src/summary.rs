//! Sums that can be added up: of shards of one capture, of sensors, of days.
//!
//! A [`Snapshot`] has percentiles, means and rankings, which cannot be added. A [`Summary`]
//! holds what can: integers of which the sum over parts is that of the whole, as long as no
//! conversation is in two parts. Time in which somebody waited is not among them, since two
//! parts may have waited at the same time.

use crate::{
    Attribution, Counts, FrameSums, Histogram, ServerRow, Snapshot, Spread, StationRow, Times,
};
use std::collections::BTreeMap;
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// One operation on one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationKey {
    /// The server's station.
    pub server: Endpoint,
    /// Protocol of the requests.
    pub protocol: &'static str,
    /// What carried them.
    pub carrier: &'static str,
    /// The specification's name of the operation.
    pub command: &'static str,
    /// The protocol's number for it.
    pub code: u32,
    /// Its class.
    pub kind: Kind,
}

/// Sums of one operation on one server, as in [`ServerRow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperationSum {
    /// What became of the requests.
    pub counts: Counts,
    /// t3 - t2, ns.
    pub turnaround: Spread,
    /// t4 - t1, ns.
    pub response_time: Spread,
    /// t2 - t1, ns.
    pub request_transfer: Spread,
    /// t4 - t3, ns.
    pub response_transfer: Spread,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved, bytes.
    pub data_bytes: u64,
}

/// Sums of one client, as in [`StationRow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationSum {
    /// What became of its requests.
    pub counts: Counts,
    /// t4 - t1, waits by design apart, ns.
    pub response_time: Spread,
    /// Frames sent again for its requests.
    pub retransmitted: u64,
    /// File data moved, bytes.
    pub data_bytes: u64,
}

/// Sums over a capture, or over several.
///
/// ```
/// use wirewait_analysis::Summary;
///
/// let mut month = Summary::default();
/// for day in [Summary::default(), Summary::default()] {
///     month.merge(&day);
/// }
/// assert_eq!(month.frames, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames, mirror copies included.
    pub frames: u64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// The earliest first frame.
    pub first: Option<Timestamp>,
    /// The latest last frame.
    pub last: Option<Timestamp>,
    /// Frames that contain each protocol.
    pub protocols: BTreeMap<&'static str, u64>,
    /// Where the frames went.
    pub attribution: Attribution,
    /// By server and operation.
    pub operations: BTreeMap<OperationKey, OperationSum>,
    /// By client.
    pub stations: BTreeMap<Endpoint, StationSum>,
    /// How turnaround is spread.
    pub turnaround: Histogram,
    /// How the response time is spread.
    pub response_time: Histogram,
    /// What was left out of which statistic, by statistic and reason.
    pub excluded: BTreeMap<(&'static str, &'static str), u64>,
}

impl Summary {
    /// What of a snapshot can be added up.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        Self {
            frames: snapshot.capture.frames,
            bytes: snapshot.capture.bytes,
            first: snapshot.capture.first,
            last: snapshot.capture.last,
            protocols: snapshot.protocols.iter().copied().collect(),
            attribution: snapshot.attribution,
            operations: snapshot.servers.iter().map(operation).collect(),
            stations: snapshot.stations.iter().map(station).collect(),
            turnaround: snapshot.distribution.turnaround,
            response_time: snapshot.distribution.response_time,
            excluded: snapshot
                .excluded
                .iter()
                .map(|row| ((row.from, row.reason), row.count))
                .collect(),
        }
    }

    /// Adds another part, in any order.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.frames, other.frames);
        add(&mut self.bytes, other.bytes);
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        for (name, n) in &other.protocols {
            add(self.protocols.entry(name).or_default(), *n);
        }
        let (sum, part) = (&mut self.attribution, &other.attribution);
        add(&mut sum.transactions, part.transactions);
        add(&mut sum.control, part.control);
        add(&mut sum.other, part.other);
        add(&mut sum.duplicates, part.duplicates);
        for (key, part) in &other.operations {
            let sum = self.operations.entry(*key).or_default();
            sum.counts.merge(&part.counts);
            sum.turnaround.merge(&part.turnaround);
            sum.response_time.merge(&part.response_time);
            sum.request_transfer.merge(&part.request_transfer);
            sum.response_transfer.merge(&part.response_transfer);
            sum.frames.merge(&part.frames);
            add(&mut sum.data_bytes, part.data_bytes);
        }
        for (key, part) in &other.stations {
            let sum = self.stations.entry(*key).or_default();
            sum.counts.merge(&part.counts);
            sum.response_time.merge(&part.response_time);
            add(&mut sum.retransmitted, part.retransmitted);
            add(&mut sum.data_bytes, part.data_bytes);
        }
        self.turnaround.merge(&other.turnaround);
        self.response_time.merge(&other.response_time);
        for (key, n) in &other.excluded {
            add(self.excluded.entry(*key).or_default(), *n);
        }
    }
}

fn operation(row: &ServerRow) -> (OperationKey, OperationSum) {
    let key = OperationKey {
        server: row.server,
        protocol: row.protocol,
        carrier: row.carrier,
        command: row.command,
        code: row.code,
        kind: row.kind,
    };
    let sum = OperationSum {
        counts: row.counts,
        turnaround: spread(&row.turnaround),
        response_time: spread(&row.response_time),
        request_transfer: spread(&row.request_transfer),
        response_transfer: spread(&row.response_transfer),
        frames: row.frames,
        data_bytes: row.data_bytes,
    };
    (key, sum)
}

fn station(row: &StationRow) -> (Endpoint, StationSum) {
    let sum = StationSum {
        counts: row.counts,
        response_time: spread(&row.response_time),
        retransmitted: row.retransmitted,
        data_bytes: row.data_bytes,
    };
    (row.client, sum)
}

fn spread(times: &Times) -> Spread {
    Spread {
        n: times.n,
        min: times.min,
        max: times.max,
        total: times.total,
    }
}

fn add(sum: &mut u64, part: u64) {
    *sum = sum.saturating_add(part);
}
