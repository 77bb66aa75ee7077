//! Hand-made figures that the tests of every format share.

mod load;

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

use std::sync::Arc;
use wirewait_analysis::{
    Accesses, Against, Attribution, CaptureRow, Cell, Column, Counts, Course, DistributionRow,
    Distributions, Duplex, Efficiency, EfficiencyRow, Excluded, Extent, Flags, Flow, FrameCounts,
    FrameSums, Grade, Grouping, Histogram, KnownBy, Label, LayerAcks, Ledger, LedgerOf, LedgerRow,
    Mark, Outcome, Peak, Phase, Place, PlaceRow, RULES, Reason, Samples, Segment, SegmentRow,
    ServerRow, Settings, Sight, Snapshot, Spacing, Spread, State, StationRow, Statistic, Subject,
    Symptom, Symptoms, Throughput, Times, Transaction, Turnaround, Units, Volume, WHOLE_FRAME,
    WireBytes,
};
use wirewait_wire::{
    Address, Chain, Effects, Endpoint, File, Kind, LinkType, Operation, Status, Timestamp,
};

pub(crate) static READ: Operation = Operation::new("READ_ANDX", Kind::Read, true);

pub(crate) static CLOSE: Operation = Operation::new("CLOSE", Kind::Close, false);

pub(crate) static UNKNOWN: Operation = Operation {
    name: "UNKNOWN",
    kind: Kind::Other,
    idempotent: false,
    function: Some(0x57),
    subfunction: Some(9),
};

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

/// A read of 4,096 bytes: t1 0, t2 10, t3 1010, t4 1510 µs, with a CLOSE in its chain.
pub(crate) fn answered() -> Transaction {
    let mut chain = Chain::default();
    chain.push(&CLOSE);
    made!(Transaction {
        number: 12,
        protocol: "smb1",
        carrier: "nbt",
        client: v4(9, Some(1025)),
        server: v4(1, Some(139)),
        conversation: 3,
        operation: &READ,
        code: 0x2e,
        chain: chain,
        kind: Kind::Read,
        outcome: Outcome::Answered,
        status: Some(Status {
            code: 0,
            name: Some("STATUS_SUCCESS"),
            ok: true,
            failure: false,
        }),
        request: Some(Extent {
            first: mark(17, 0),
            last: mark(18, 10),
        }),
        response: Some(Extent {
            first: mark(20, 1010),
            last: mark(23, 1510),
        }),
        raw_end: None,
        turnaround: Turnaround::Exact(1_000_000),
        service_ns: Some(1_000_000),
        interims: 0,
        interim_bytes: 0,
        first_interim: None,
        copies: 1,
        duplicate_responses: 0,
        asked_bytes: 4096,
        data_bytes: 4096,
        request_bytes: 63,
        response_bytes: 4159,
        response_head_bytes: 1460,
        frames: FrameCounts {
            request: 2,
            response: 3,
            ack: 1,
            ..FrameCounts::default()
        },
        share: 6 * WHOLE_FRAME,
        file: Some(File {
            handle: 0x4001,
            offset: Some(8192),
        }),
        place: Some(Arc::new(Place {
            dialect: None,
            user: Some("anna".into()),
            share: Some(r"\\FS1\DATA".into()),
            path: Some("\\pay\x1b.xls".into()),
            pipes: false,
        })),
        effects: Effects::NONE,
        buffer: None,
        hops: None,
        flags: Flags::RAW,
    })
}

/// An unknown NCP request seen twice, with an interim answer and an answer of unknown
/// status.
pub(crate) fn ambiguous() -> Transaction {
    made!(Transaction {
        number: 13,
        protocol: "ncp",
        carrier: "ipx",
        client: Endpoint::ipx(0x22, [0, 0, 0x1b, 1, 2, 3], 0x4003),
        server: Endpoint::ipx(1, [0, 0, 0, 0, 0, 1], 0x451),
        conversation: 4,
        operation: &UNKNOWN,
        code: 0x5709,
        chain: Chain::default(),
        kind: Kind::Other,
        status: Some(Status {
            code: 0xfe,
            name: None,
            ok: false,
            failure: true,
        }),
        turnaround: Turnaround::Between(10_000, 1_000_000),
        service_ns: None,
        interims: 1,
        interim_bytes: 37,
        first_interim: Some(mark(19, 510)),
        copies: 2,
        duplicate_responses: 1,
        data_bytes: 0,
        file: None,
        place: None,
        effects: Effects::NONE,
        buffer: None,
        hops: Some(2),
        flags: Flags::AMBIGUOUS,
        ..answered()
    })
}

pub(crate) fn unanswered() -> Transaction {
    made!(Transaction {
        number: 14,
        outcome: Outcome::Unanswered,
        chain: Chain::default(),
        status: None,
        response: None,
        turnaround: Turnaround::None,
        service_ns: None,
        data_bytes: 0,
        response_bytes: 0,
        response_head_bytes: 0,
        frames: FrameCounts {
            request: 1,
            ..FrameCounts::default()
        },
        file: None,
        place: None,
        flags: Flags::default(),
        ..answered()
    })
}

pub(crate) fn orphan() -> Transaction {
    made!(Transaction {
        number: 15,
        outcome: Outcome::OrphanResponse,
        request: None,
        turnaround: Turnaround::None,
        request_bytes: 0,
        copies: 0,
        flags: Flags::MID_CAPTURE,
        ..answered()
    })
}

pub(crate) fn all() -> [Transaction; 4] {
    [answered(), ambiguous(), unanswered(), orphan()]
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
        },
        data_bytes: 8192,
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
    [
        LedgerOf::Capture,
        LedgerOf::Server(server),
        LedgerOf::Client(client),
        LedgerOf::Pair { client, server },
    ]
    .into_iter()
    .map(|of| {
        made!(LedgerRow {
            of: of,
            ledger: ledger,
            turnarounds: 20,
            pauses: 19,
            span_ns: 32_400_000_000,
        })
    })
    .collect()
}

/// Three reads of one server, and 1,200 frames that nobody follows.
fn efficiency() -> Efficiency {
    let volume = |frames, bytes| Volume { frames, bytes };
    let acks = |layer, frames, riding| LayerAcks {
        layer,
        alone: volume(frames, frames * 84),
        riding,
    };
    let row = made!(EfficiencyRow {
        server: Some(v4(1, None)),
        carrier: "nbt",
        data: volume(20, 12_000),
        resent: volume(1, 1000),
        acks: vec![acks("llc", 5, 3), acks("nbf", 2, 0)],
        control: volume(6, 504),
        session_frames: 4,
        units: [
            Units {
                sent: 10,
                resent: 1,
                lost_ns: 400_000_000,
            },
            Units {
                sent: 11,
                ..Units::default()
            },
        ],
        exchanges: 4,
        frames: server_row().frames,
        reads: made!(Accesses {
            count: 3,
            bytes: 8192,
            sized: 3,
            small: 1,
            assumed: 3,
            placed: 2,
            random: 1,
            again_bytes: 512,
            ..Accesses::default()
        }),
        moved: made!(Throughput {
            bytes: 8192,
            timed_bytes: 8192,
            response_ns: 2_001_510_000,
            busy_ns: 2_001_510_000,
            first: Some(at(0)),
            last: Some(at(32_400_000)),
            sending_bytes: 2699,
            sending_ns: 500_000,
            answers: 3,
        }),
        ..EfficiencyRow::default()
    });
    Efficiency {
        together: made!(EfficiencyRow {
            server: None,
            carrier: "",
            ..row.clone()
        }),
        rows: vec![row],
        elsewhere: volume(1200, 582_898),
        copies: volume(6, 744),
    }
}

/// A link of 10 Mbit/s with 1,234 frames in 90 s, and 9 % of it used in its busiest second.
fn segment() -> Segment {
    let peak = |width_ns, frames, bytes| Peak {
        width_ns,
        begins: at(60_000_000),
        frames,
        bytes,
    };
    let row = made!(SegmentRow {
        link: Some(LinkType::ETHERNET),
        captured: Volume {
            frames: 1240,
            bytes: 567_890,
        },
        copies: Volume {
            frames: 6,
            bytes: 600,
        },
        first: Some(at(0)),
        last: Some(at(90_000_000)),
        bytes: WireBytes {
            data_link: 572_226,
            with_preamble: 582_098,
            on_wire: 596_906,
            without_check: 567_290,
        },
        multicast: Volume {
            frames: 3,
            bytes: 3000,
        },
        broadcast: Volume {
            frames: 40,
            bytes: 4000,
        },
        sizes: [600, 100, 34, 0, 100, 400, 0],
        speed: Some((10_000_000, KnownBy::Given)),
        speed_at_least: Some(2_000_000),
        duplex: Some((Duplex::Half, KnownBy::Assumed)),
        all: Flow {
            total: Volume {
                frames: 1234,
                bytes: 596_906,
            },
            peaks: [
                peak(10_000_000, 4, 5000),
                peak(100_000_000, 30, 22_500),
                peak(1_000_000_000, 90, 112_500),
            ],
            utilisation: Some(5306),
            peak_utilisation: [Some(400_000), Some(180_000), Some(90_000)],
        },
        spacing: Some(Spacing {
            pairs: 1233,
            too_close: 12,
        }),
        course: Course {
            begins: at(0),
            width_ns: 1_000_000_000,
            buckets: vec![
                Volume {
                    frames: 1144,
                    bytes: 484_406,
                },
                Volume {
                    frames: 90,
                    bytes: 112_500,
                },
            ],
        },
        ..SegmentRow::default()
    });
    Segment {
        interfaces: vec![row.clone()],
        together: row,
    }
}

/// One of each that a report shows: raised, as a mean, without cost; withdrawn; below.
pub(crate) fn symptoms() -> Symptoms {
    let mark = |frame: u64| Mark {
        frame,
        at: at(frame as i64 * 1000),
    };
    let sight = |from: u64, to: u64, cost_ns: u64| Sight {
        from: mark(from),
        to: mark(to),
        cost_ns,
        until: mark(to).at,
    };
    let of = |id: &str, subject: Subject, state: State| {
        let rule = RULES.iter().find(|rule| rule.id == id).unwrap();
        Symptom::new(rule, subject, state)
    };
    let (client, server) = (v4(9, None), v4(1, None));
    let found = vec![
        made!(Symptom {
            hits: [sight(20, 25, 2_000_000_000), sight(30, 30, 1)]
                .into_iter()
                .collect(),
            of: Some(8),
            ..of("slow_server", Subject::Server(server), State::Raised)
        }),
        made!(Symptom {
            hits: [sight(251, 282, 150_000_000), sight(300, 310, 50_000_000)]
                .into_iter()
                .collect(),
            of: Some(28),
            words: vec![("READ", 2)],
            against: vec![(Against::Doubled, [sight(7, 7, 0)].into_iter().collect())],
            ..of(
                "requests_repeated",
                Subject::Pair { client, server },
                State::Raised,
            )
        }),
        made!(Symptom {
            hits: [sight(5, 5, 0)].into_iter().collect(),
            ..of("broadcast_storm", Subject::Segment, State::Raised)
        }),
        made!(Symptom {
            of: Some(20),
            against: vec![(Against::OneSided, [sight(1, 2, 0)].into_iter().collect())],
            ..of(
                "unanswered_requests",
                Subject::Server(server),
                State::Withdrawn(Against::OneSided),
            )
        }),
        made!(Symptom {
            hits: [sight(40, 41, 2_000_000)].into_iter().collect(),
            of: Some(100),
            ..of(
                "slow_answers",
                Subject::Server(server),
                State::Covered("slow_server"),
            )
        }),
    ];
    made!(Symptoms {
        found: found,
        more: 0,
        ..Symptoms::default()
    })
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
