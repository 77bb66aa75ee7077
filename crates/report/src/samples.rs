//! Hand-made figures that the tests of every format share.

mod load;
mod segment;
mod symptoms;
mod transactions;

/// A struct of another crate that may get more fields, with these; the others stand as in the one
/// behind `..`, or as by default.
macro_rules! made {
    ($of:ident { $($field:ident: $value:expr,)* ..$base:expr }) => {{
        let mut made: $of = $base;
        $(made.$field = $value;)*
        made
    }};
    ($of:ident { $($field:ident: $value:expr),* $(,)? }) => {
        made!($of { $($field: $value,)* ..$of::default() })
    };
}
pub(crate) use made;
pub(crate) use symptoms::symptoms;
pub(crate) use transactions::{
    CLOSE, READ, all, ambiguous, answered, orphan, unanswered, unfinished,
};

use segment::{efficiency, segment};

use std::sync::Arc;
use wirewait_analysis::{
    Attribution, CaptureRow, Cell, Column, Counts, DistributionRow, Distributions, Excluded,
    FrameSums, Grade, Grouping, Histogram, Label, Ledger, LedgerOf, LedgerRow, Mark, Phase,
    PlaceRow, Reason, Samples, ServerRow, Settings, Snapshot, Spread, StationRow, Statistic, Times,
    WHOLE_FRAME,
};
use wirewait_wire::{Address, Endpoint, Kind, Timestamp};

pub(crate) fn v4(last: u8, port: Option<u16>) -> Endpoint {
    Endpoint {
        address: Address::V4([10, 0, 0, last]),
        port,
        net: 0,
    }
}

/// The moment 2024-02-29T12:34:56Z plus `micros` microseconds.
pub(crate) fn at(micros: i64) -> Timestamp {
    Timestamp::from_parts(1_709_210_096, 0).plus(micros * 1000)
}

pub(crate) fn mark(frame: u64, micros: i64) -> Mark {
    Mark {
        frame,
        at: at(micros),
    }
}

fn times(values: &[i64]) -> Times {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let rank = |p: usize| {
        sorted
            .get((p * sorted.len()).div_ceil(100).saturating_sub(1))
            .copied()
            .unwrap_or(0)
    };
    Times {
        n: sorted.len() as u64,
        min: sorted.first().copied().unwrap_or(0),
        p50: rank(50),
        p90: rank(90),
        p95: rank(95),
        p99: rank(99),
        max: sorted.last().copied().unwrap_or(0),
        total: sorted.iter().map(|n| i128::from(*n)).sum(),
    }
}

fn samples() -> Samples {
    Samples {
        turnaround: [1_000_000, 3_000_000].into_iter().collect(),
        response_time: [1_510_000, 2_000_000_000].into_iter().collect(),
    }
}

pub(crate) fn server_row() -> ServerRow {
    made!(ServerRow {
        server: v4(1, None),
        protocol: "smb1",
        carrier: "nbt",
        command: "READ_ANDX",
        code: 0x2e,
        kind: Kind::Read,
        counts: Counts {
            requests: 3,
            answered: 2,
            unanswered: 1,
            orphan_responses: 1,
            failures: 1,
            not_ok: 1,
            repeated: 1,
            ..Counts::default()
        },
        turnaround: times(&[1_000_000, 3_000_000]),
        response_time: times(&[1_510_000, 2_000_000_000]),
        request_transfer: times(&[10_000, 0]),
        response_transfer: times(&[500_000, 0]),
        frames: FrameSums {
            request: 4,
            response: 6,
            interim: 0,
            ack: 2,
            control: 1,
            retransmitted: 1,
            offloaded: 0,
        },
        data_bytes: 8192,
        moving_bytes: 8192,
        moving_ns: 2_001_510_000,
        throughput: Some(1_074_700),
        samples: samples(),
    })
}

fn histogram(values: &[i64]) -> Histogram {
    let mut histogram = Histogram::default();
    for ns in values {
        histogram.record(*ns);
    }
    histogram
}

/// The times of [`server_row`].
fn distribution() -> Distributions {
    let turnaround = histogram(&[1_000_000, 3_000_000]);
    let response_time = histogram(&[1_510_000, 2_000_000_000]);
    Distributions {
        turnaround,
        response_time,
        servers: vec![DistributionRow {
            server: v4(1, None),
            turnaround,
            response_time,
        }],
    }
}

/// 32.4 s elapsed: 2 s of them waited for, 0.4 s in the client.
fn ledgers() -> Vec<LedgerRow> {
    let ledger: Ledger = [
        (Phase::Client, 400_000_000),
        (Phase::Request, 10_000),
        (Phase::Server, 1_500_000_000),
        (Phase::Response, 99_990_000),
        (Phase::Retransmission, 400_000_000),
        (Phase::Idle, 30_000_000_000),
    ]
    .into_iter()
    .collect();
    let (client, server) = (v4(9, None), v4(1, None));
    let row = server_row();
    [
        LedgerOf::Capture,
        LedgerOf::Server(server),
        LedgerOf::Client(client),
        LedgerOf::Pair { client, server },
        LedgerOf::Operation {
            server,
            protocol: row.protocol,
            carrier: row.carrier,
            command: row.command,
            code: row.code,
            kind: row.kind,
        },
    ]
    .into_iter()
    .map(|of| {
        made!(LedgerRow {
            of: of,
            ledger: ledger,
            requests: 20,
            turnarounds: 20,
            pauses: 19,
            span_ns: 32_400_000_000,
        })
    })
    .collect()
}

/// A statistic with a cell of each kind.
fn statistic() -> Statistic {
    const COLUMNS: &[Column] = &[
        Column::new("client", "client"),
        Column::new("requests", "requests"),
        Column::percentile("median_bytes", "median size"),
        Column::new("slowest_ns", "slowest"),
        Column::new("slowest_bytes", "of size"),
    ];
    Statistic {
        name: "request_size",
        title: "Size of requests",
        about: "Bytes of each request.",
        columns: COLUMNS,
        rows: vec![vec![
            Cell::Station(v4(9, None)),
            Cell::Count(1_234),
            Cell::Bytes(60_416),
            Cell::Time(1_510_000),
            Cell::Nothing,
        ]],
        without_row: 7,
    }
}

pub(crate) fn snapshot() -> Snapshot {
    let unknown = made!(ServerRow {
        command: "UNKNOWN",
        code: 0x7a,
        kind: Kind::Wait,
        counts: Counts {
            requests: 1,
            unanswered: 1,
            ..Counts::default()
        },
        turnaround: Times::default(),
        response_time: Times::default(),
        request_transfer: Times::default(),
        response_transfer: Times::default(),
        frames: FrameSums {
            request: 1,
            ..FrameSums::default()
        },
        data_bytes: 0,
        moving_bytes: 0,
        moving_ns: 0,
        throughput: None,
        samples: Samples::default(),
        ..server_row()
    });
    made!(Snapshot {
        capture: made!(CaptureRow {
            frames: 1234,
            bytes: 567_890,
            first: Some(at(0)),
            last: Some(at(90_000_000)),
            elapsed_ns: u64::try_from(at(90_000_000).since(at(0))).unwrap_or(0),
            grade: Grade::Fair,
            reasons: vec![Reason {
                name: "capture_loss",
                text: "frames that the receiver had are missing",
                count: 12,
                grade: Grade::Fair,
            }],
            conversations: 2,
            evicted: 0,
        }),
        protocols: vec![("ethernet", 1234), ("smb1", 20)],
        efficiency: efficiency(),
        segment: segment(),
        servers: vec![server_row(), unknown],
        fairness: load::fairness(),
        load: load::load(),
        stations: vec![made!(StationRow {
            client: v4(9, None),
            servers: 1,
            counts: server_row().counts,
            turnaround: times(&[1_000_000, 3_000_000]),
            response_time: times(&[1_510_000, 2_000_000_000]),
            samples: samples(),
            deviation: Some(999_245_000),
            normalised_mean: Some(1_034_500),
            normalised_min: Some(1_510),
            normalised_max: Some(2_000_000),
            retransmitted: 1,
            frames: server_row().frames,
            moving_bytes: 8192,
            moving_ns: 2_001_510_000,
            busy_ns: 2_001_510_000,
            client_ns: 400_000_000,
            think_ns: 30_000_000_000,
            thinks: 2,
            think_time: times(&[10_000_000_000, 20_000_000_000]),
            data_bytes: 8192,
        })],
        statistics: vec![statistic()],
        places: vec![made!(PlaceRow {
            counts: server_row().counts,
            turnaround: Spread {
                n: 2,
                min: 1_000_000,
                max: 3_000_000,
                total: 4_000_000,
            },
            response_time: Spread {
                n: 2,
                min: 1_510_000,
                max: 2_000_000_000,
                total: 2_001_510_000,
            },
            read_bytes: 8192,
            written_bytes: 0,
            frames: server_row().frames,
            moving_bytes: 8192,
            moving_ns: 2_001_510_000,
            samples: samples(),
            ..PlaceRow::new(&Label {
                by: Grouping::File,
                server: v4(1, None),
                share: Some(r"\\FS1\DATA".into()),
                name: "\\pay\x1b.xls".into(),
            })
        })],
        distribution: distribution(),
        ledgers: ledgers(),
        round_trips: Vec::new(),
        symptoms: symptoms(),
        slowest: vec![answered()],
        attribution: Attribution {
            transactions: 20 * WHOLE_FRAME + WHOLE_FRAME / 2,
            control: 13 * WHOLE_FRAME,
            other: 1200,
            duplicates: 0,
        },
        seen: Arc::default(),
        excluded: vec![Excluded {
            from: "turnaround",
            reason: "ambiguous",
            count: 1,
        }],
        settings: Settings::default(),
    })
}
