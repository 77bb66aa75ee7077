//! Figures by the number of active stations.

use crate::json::common::{Distribution, Extremes};
use serde::Serialize;
use wirewait_analysis::{LevelCurve, LevelFigures, LoadOf, Moved};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Curve {
    /// `capture`, `server` or `interface`.
    of: &'static str,
    server: Option<String>,
    interface: Option<u32>,
    elapsed_ns: u64,
    peak: Option<Peak>,
    peak_transactions: Option<PeakTransactions>,
    knee: Option<Knee>,
    unplaced: u64,
    levels: Vec<LoadLevel>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Peak {
    stations: u32,
    throughput_bytes_per_second: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PeakTransactions {
    stations: u32,
    transactions_per_second: f64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Knee {
    flat_to_stations: u32,
    grows_from_stations: u32,
    flat_turnaround_ns: i64,
    flat_n: u64,
    grown_turnaround_ns: i64,
    grown_n: u64,
    wire_bytes_per_second: Option<u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LoadLevel {
    stations: u32,
    stations_to: u32,
    steady: LoadFigures,
    ramps: LoadFigures,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LoadFigures {
    ns: u64,
    answered: u64,
    transactions_per_second: Option<f64>,
    data_bytes: u64,
    throughput_bytes_per_second: Option<u64>,
    response_time: Distribution,
    turnaround: Extremes,
    moved: Data,
    reads: Data,
    writes: Data,
    wire_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Data {
    data_bytes: u64,
    response_time: Extremes,
    /// S = N x M / T.
    closed_loop_bytes_per_second: Option<u64>,
}

pub(super) fn curve(curve: &LevelCurve) -> Curve {
    let (of, server, interface) = match curve.of {
        LoadOf::Capture => ("capture", None, None),
        LoadOf::Server(server) => ("server", Some(server.to_string()), None),
        LoadOf::Interface(number) => ("interface", None, Some(number)),
    };
    Curve {
        of,
        server,
        interface,
        elapsed_ns: curve.elapsed_ns,
        peak: curve.peak.map(|(stations, rate)| Peak {
            stations,
            throughput_bytes_per_second: rate,
        }),
        peak_transactions: curve.peak_transactions.map(|(stations, thousandths)| {
            PeakTransactions {
                stations,
                transactions_per_second: milli(thousandths),
            }
        }),
        knee: curve.knee.map(|knee| Knee {
            flat_to_stations: knee.flat_to,
            grows_from_stations: knee.stations,
            flat_turnaround_ns: knee.flat_ns,
            flat_n: knee.flat_n,
            grown_turnaround_ns: knee.grown_ns,
            grown_n: knee.grown_n,
            wire_bytes_per_second: knee.wire_bytes_per_second,
        }),
        unplaced: curve.unplaced,
        levels: curve
            .levels
            .iter()
            .map(|row| LoadLevel {
                stations: row.stations,
                stations_to: row.stations_to,
                steady: figures(&row.steady, row.stations),
                ramps: figures(&row.ramps, row.stations),
            })
            .collect(),
    }
}

fn figures(of: &LevelFigures, stations: u32) -> LoadFigures {
    let data = |moved: &Moved| Data {
        data_bytes: moved.data_bytes,
        response_time: Extremes::from(&moved.response_time),
        closed_loop_bytes_per_second: moved.closed_loop(stations),
    };
    LoadFigures {
        ns: of.ns,
        answered: of.answered,
        transactions_per_second: of.transactions().map(milli),
        data_bytes: of.data_bytes,
        throughput_bytes_per_second: of.throughput(),
        response_time: Distribution::from(&of.response_time),
        turnaround: Extremes::from(&of.turnaround),
        moved: data(&of.moved),
        reads: data(&of.reads),
        writes: data(&of.writes),
        wire_bytes: of.wire_bytes,
    }
}

fn milli(thousandths: u64) -> f64 {
    thousandths as f64 / 1e3
}
