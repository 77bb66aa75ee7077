//! Hand-made load and fairness.

use super::{at, made, times, v4};
use wirewait_analysis::{
    Anomaly, Dip, Dips, Example, Fairness, HopRow, Index, Interval, Knee, LevelCurve, LevelFigures,
    LevelRow, Load, LoadOf, Moved, RouteRow, ServiceRow, SizeCurve, SizeRow, Spread, Starving,
    Timeline, TransitRow,
};
use wirewait_wire::{Endpoint, Kind};

fn router(n: u8) -> Endpoint {
    Endpoint::ipx(0x22, [0, 0, 0x1b, 0, 0, n], 0x453).station()
}

/// A level of `stations` active for 10 s, each with 10 reads of 4,096 bytes that take `ms`.
fn level(stations: u32, ms: i64) -> LevelRow {
    let n = 10 * u64::from(stations);
    let spread = Spread {
        n,
        min: ms * 1_000_000,
        max: ms * 1_000_000,
        total: i128::from(ms) * 1_000_000 * i128::from(n),
    };
    let moved = Moved {
        data_bytes: n * 4096,
        response_time: spread,
    };
    LevelRow {
        stations,
        stations_to: stations,
        steady: LevelFigures {
            ns: 10_000_000_000,
            answered: n,
            data_bytes: n * 4096,
            response_time: times(&vec![ms * 1_000_000; n as usize]),
            turnaround: spread,
            reads: moved,
            writes: Moved::default(),
            moved,
            wire_bytes: n * 4500,
        },
        ramps: LevelFigures {
            ns: 400_000_000,
            answered: 1,
            ..LevelFigures::default()
        },
    }
}

fn size(bytes: u64, ms: i64) -> SizeRow {
    let slowest = vec![Example {
        transaction: bytes,
        request_frame: bytes + 1,
        response_frame: bytes + 2,
        response_ns: ms * 1_000_000,
    }];
    SizeRow {
        from_bytes: bytes,
        to_bytes: bytes,
        response_time: times(&[ms * 1_000_000; 12]),
        turnaround: Spread::default(),
        data_bytes: bytes * 12,
        slowest,
    }
}

pub(crate) fn load() -> Load {
    let slow = size(1500, 50);
    made!(Load {
        levels: vec![LevelCurve {
            of: LoadOf::Capture,
            elapsed_ns: 31_200_000_000,
            levels: vec![level(2, 10), level(4, 10), level(6, 15)],
            peak: Some((6, 24_576)),
            peak_transactions: Some((6, 6_000)),
            knee: Some(Knee {
                flat_to: 4,
                stations: 6,
                flat_ns: 10_000_000,
                flat_n: 20,
                grown_ns: 15_000_000,
                grown_n: 60,
                wire_bytes_per_second: Some(27_000),
            }),
            unplaced: 0,
        }],
        sizes: vec![SizeCurve {
            server: v4(1, None),
            kind: Kind::Read,
            anomalies: vec![Anomaly {
                from_bytes: 1500,
                to_bytes: 1500,
                n: 12,
                p50_ns: 50_000_000,
                expected_ns: 6_500_000,
                next: (3000, 8_000_000),
                examples: slow.slowest.clone(),
            }],
            sizes: vec![size(750, 6), slow, size(3000, 8)],
        }],
        timeline: Timeline {
            width_ns: 10_000_000,
            start: at(0),
            buckets: vec![
                Interval {
                    answered: 2,
                    data_bytes: 8192,
                    turnaround_ns: 2_000_000,
                    turnarounds: 2,
                    response_ns: 3_000_000,
                    responses: 2,
                    active_ns: 15_000_000,
                    stations: 2,
                },
                Interval::default(),
            ],
        },
        dips: Dips {
            width_ns: Some(100_000_000),
            dips: vec![Dip {
                start: at(6_000_000),
                ns: 1_500_000_000,
                bytes_per_second: 1_228_800,
                around_bytes_per_second: 2_048_000,
                depth: 400,
                cost_ns: 600_000_000,
                response_ns: Some(3_333_333),
                around_response_ns: Some(2_000_000),
            }],
            found: 1,
            ns: 1_500_000_000,
            cost_ns: 600_000_000,
        },
        hops: vec![made!(HopRow {
            hops: 2,
            counts: super::server_row().counts,
            response_time: times(&[1_510_000, 2_000_000]),
            turnaround: Spread::default(),
            data_bytes: 8192,
            moving_bytes: 8192,
            moving_ns: 3_510_000,
            elapsed_ns: 1_000_000_000,
        })],
        transits: vec![made!(TransitRow {
            from_interface: 0,
            to_interface: 1,
            routers: 1,
            transit: times(&[700_000, 900_000]),
            ambiguous: 1,
        })],
        most_hops: Some(15),
        at_hop_limit: 1,
        routes: vec![
            made!(RouteRow {
                network: 7,
                router: router(3),
                hops: Some(2),
                ticks: Some(4),
                best: true,
                heard: 3,
                unreachable: 0,
                changes: 0,
            }),
            made!(RouteRow {
                network: 7,
                router: router(1),
                hops: None,
                ticks: None,
                best: false,
                heard: 2,
                unreachable: 1,
                changes: 1,
            }),
        ],
        services: vec![made!(ServiceRow {
            kind: 4,
            kind_name: Some("file server"),
            name: "FS1".to_owned(),
            at: Endpoint::ipx(1, [0, 0, 0, 0, 0, 1], 0x451),
            hops: Some(1),
            told_by: 2,
            heard: 9,
            down: 0,
        })],
    })
}

pub(crate) fn fairness() -> Fairness {
    let index = |millionths| {
        Some(Index {
            stations: 3,
            millionths,
        })
    };
    made!(Fairness {
        judged: 3,
        not_judged: 1,
        response_time: index(666_667),
        throughput: index(818_182),
        least: Some(500_000),
        most: Some(2_000_000),
        starving: vec![Starving {
            client: v4(9, None),
            normalised_mean: 2_000_000,
            n: 100,
        }],
    })
}
