//! Sums under one key.

use super::{Timing, plain};
use crate::{
    Counts, FrameSums, Label, Ledger, LedgerOf, LedgerRow, PlaceRow, ServerRow, Spread, StationRow,
    Times,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind};

/// One operation on one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationKey {
    /// The server's station.
    pub server: Endpoint,
    /// Protocol of the requests.
    pub protocol: Name,
    /// What carried them.
    pub carrier: Name,
    /// The specification's name of the operation.
    pub command: Name,
    /// The protocol's number for it.
    pub code: u32,
    /// Its class.
    pub kind: Kind,
}

impl From<&ServerRow> for OperationKey {
    fn from(row: &ServerRow) -> Self {
        Self {
            server: row.server,
            protocol: row.protocol,
            carrier: row.carrier,
            command: row.command,
            code: row.code,
            kind: row.kind,
        }
    }
}

impl LedgerOf {
    /// The operation whose time it is; `None` if it is another owner's.
    #[must_use]
    pub const fn operation(&self) -> Option<OperationKey> {
        match *self {
            Self::Operation {
                server,
                protocol,
                carrier,
                command,
                code,
                kind,
            } => Some(OperationKey {
                server,
                protocol,
                carrier,
                command,
                code,
                kind,
            }),
            _ => None,
        }
    }
}

/// Sums of one operation on one server, as in [`ServerRow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperationSum {
    /// What became of the requests.
    pub counts: Counts,
    /// t3 - t2, ns.
    pub turnaround: Timing,
    /// t4 - t1, ns.
    pub response_time: Timing,
    /// t2 - t1, ns.
    pub request_transfer: Spread,
    /// t4 - t3, ns.
    pub response_transfer: Spread,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
}

/// Sums of one client, as in [`StationRow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StationSum {
    /// What became of its requests.
    pub counts: Counts,
    /// t3 - t2, ns.
    pub turnaround: Timing,
    /// t4 - t1, waits by design apart, ns.
    pub response_time: Timing,
    /// Retransmitted frames of its requests.
    pub retransmitted: u64,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
}

/// A client and a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairKey {
    /// Who waits.
    pub client: Endpoint,
    /// For whom.
    pub server: Endpoint,
}

/// Where their time went, as in [`LedgerRow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSum {
    /// The time of each part.
    pub ledger: Ledger,
    /// Requests that have a part in the server's share.
    pub turnarounds: u64,
    /// Pauses that are the client's share.
    pub pauses: u64,
}

/// What happened there, as in [`PlaceRow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceSum {
    /// What became of the requests.
    pub counts: Counts,
    /// t3 - t2, ns.
    pub turnaround: Spread,
    /// t4 - t1, waits by design and breaks apart, ns.
    pub response_time: Spread,
    /// File data that writes moved, bytes.
    pub written_bytes: u64,
    /// File data that all others moved, bytes.
    pub read_bytes: u64,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
}

/// All operations of one server together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The server's station.
    pub server: Endpoint,
    /// What became of the requests.
    pub counts: Counts,
    /// t3 - t2; waits by design and breaks apart.
    pub turnaround: Timing,
    /// t4 - t1 likewise.
    pub response_time: Timing,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
}

impl OperationSum {
    pub(super) fn merge(&mut self, part: &Self) {
        self.counts.merge(&part.counts);
        self.turnaround.merge(&part.turnaround);
        self.response_time.merge(&part.response_time);
        self.request_transfer.merge(&part.request_transfer);
        self.response_transfer.merge(&part.response_transfer);
        self.frames.merge(&part.frames);
        add(&mut self.data_bytes, part.data_bytes);
        add(&mut self.moving_bytes, part.moving_bytes);
        self.moving_ns = self.moving_ns.saturating_add(part.moving_ns);
    }
}

impl StationSum {
    pub(super) fn merge(&mut self, part: &Self) {
        self.counts.merge(&part.counts);
        self.turnaround.merge(&part.turnaround);
        self.response_time.merge(&part.response_time);
        add(&mut self.retransmitted, part.retransmitted);
        self.frames.merge(&part.frames);
        add(&mut self.data_bytes, part.data_bytes);
        add(&mut self.moving_bytes, part.moving_bytes);
        self.moving_ns = self.moving_ns.saturating_add(part.moving_ns);
    }
}

impl LedgerSum {
    pub(super) fn merge(&mut self, part: &Self) {
        self.ledger.merge(&part.ledger);
        add(&mut self.turnarounds, part.turnarounds);
        add(&mut self.pauses, part.pauses);
    }
}

impl PlaceSum {
    pub(super) fn merge(&mut self, part: &Self) {
        self.counts.merge(&part.counts);
        self.turnaround.merge(&part.turnaround);
        self.response_time.merge(&part.response_time);
        add(&mut self.written_bytes, part.written_bytes);
        add(&mut self.read_bytes, part.read_bytes);
        self.frames.merge(&part.frames);
        add(&mut self.moving_bytes, part.moving_bytes);
        self.moving_ns = self.moving_ns.saturating_add(part.moving_ns);
    }
}

pub(super) fn operation(row: &ServerRow) -> (OperationKey, OperationSum) {
    let key = OperationKey {
        server: plain(row.server),
        ..row.into()
    };
    let sum = OperationSum {
        counts: row.counts,
        turnaround: Timing::of(&row.turnaround, &row.samples.turnaround),
        response_time: Timing::of(&row.response_time, &row.samples.response_time),
        request_transfer: spread(&row.request_transfer),
        response_transfer: spread(&row.response_transfer),
        frames: row.frames,
        data_bytes: row.data_bytes,
        moving_bytes: row.moving_bytes,
        moving_ns: row.moving_ns,
    };
    (key, sum)
}

pub(super) fn station(row: &StationRow) -> (Endpoint, StationSum) {
    let sum = StationSum {
        counts: row.counts,
        turnaround: Timing::of(&row.turnaround, &row.samples.turnaround),
        response_time: Timing::of(&row.response_time, &row.samples.response_time),
        retransmitted: row.retransmitted,
        frames: row.frames,
        data_bytes: row.data_bytes,
        moving_bytes: row.moving_bytes,
        moving_ns: row.moving_ns,
    };
    (plain(row.client), sum)
}

pub(super) fn pair(row: &LedgerRow) -> Option<(PairKey, LedgerSum)> {
    let LedgerOf::Pair { client, server } = row.of else {
        return None;
    };
    let key = PairKey {
        client: plain(client),
        server: plain(server),
    };
    let sum = LedgerSum {
        ledger: row.ledger,
        turnarounds: row.turnarounds,
        pauses: row.pauses,
    };
    Some((key, sum))
}

pub(super) fn place(row: &PlaceRow) -> (Label, PlaceSum) {
    let key = Label {
        by: row.by,
        server: plain(row.server),
        share: row.share.clone(),
        name: Arc::clone(&row.name),
    };
    let sum = PlaceSum {
        counts: row.counts,
        turnaround: row.turnaround,
        response_time: row.response_time,
        written_bytes: row.written_bytes,
        read_bytes: row.read_bytes,
        frames: row.frames,
        moving_bytes: row.moving_bytes,
        moving_ns: row.moving_ns,
    };
    (key, sum)
}

pub(super) fn totals(operations: &BTreeMap<OperationKey, OperationSum>) -> Vec<Total> {
    let mut totals: BTreeMap<Endpoint, Total> = BTreeMap::new();
    for (key, sum) in operations {
        let total = totals.entry(key.server).or_default();
        total.server = key.server;
        total.counts.merge(&sum.counts);
        total.frames.merge(&sum.frames);
        add(&mut total.data_bytes, sum.data_bytes);
        add(&mut total.moving_bytes, sum.moving_bytes);
        total.moving_ns = total.moving_ns.saturating_add(sum.moving_ns);
        if !matches!(key.kind, Kind::Wait | Kind::Break) {
            total.turnaround.merge(&sum.turnaround);
            total.response_time.merge(&sum.response_time);
        }
    }
    let mut totals: Vec<Total> = totals.into_values().collect();
    totals.sort_by_key(|total| (Reverse(total.response_time.spread().total), total.server));
    totals
}

fn spread(times: &Times) -> Spread {
    Spread {
        n: times.n,
        min: times.min,
        max: times.max,
        total: times.total,
    }
}

pub(super) fn add(sum: &mut u64, part: u64) {
    *sum = sum.saturating_add(part);
}
