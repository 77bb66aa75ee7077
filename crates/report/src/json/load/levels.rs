//! Figures by the number of active stations.

use crate::document::{documents, of};
use crate::json::common::{Distribution, Extremes, thousandths};
use wirewait_analysis::{LevelCurve, LevelFigures, LevelRow, LoadOf, Moved};

documents! {
    pub(super) struct Curve of curve: &LevelCurve
    where
        let (kind, server, interface) = match curve.of {
            LoadOf::Capture => ("capture", None, None),
            LoadOf::Server(server) => ("server", Some(server.to_string()), None),
            LoadOf::Interface(number) => ("interface", None, Some(number)),
        };
    {
        /// `capture`, `server` or `interface`.
        of: &'static str = kind,
        server: Option<String> = server,
        interface: Option<u32> = interface,
        elapsed_ns: u64,
        peak: Option<Peak> = curve.peak.map(of),
        peak_transactions: Option<PeakTransactions> = curve.peak_transactions.map(of),
        knee: Option<Knee>,
        unplaced: u64,
        levels: Vec<LoadLevel>,
    }

    struct Peak of stations, rate: (u32, u64) {
        stations: u32 = stations,
        throughput_bytes_per_second: u64 = rate,
    }

    struct PeakTransactions of stations, rate: (u32, u64) {
        stations: u32 = stations,
        transactions_per_second: f64 = thousandths(rate),
    }

    struct Knee of knee: &wirewait_analysis::Knee {
        flat_to_stations: u32 = knee.flat_to,
        grows_from_stations: u32 = knee.stations,
        flat_turnaround_ns: i64 = knee.flat_ns,
        flat_n: u64,
        grown_turnaround_ns: i64 = knee.grown_ns,
        grown_n: u64,
        wire_bytes_per_second: Option<u64>,
    }

    struct LoadLevel of row: &LevelRow {
        stations: u32,
        stations_to: u32,
        steady: LoadFigures = of((&row.steady, row.stations)),
        ramps: LoadFigures = of((&row.ramps, row.stations)),
    }

    struct LoadFigures of row, stations: (&LevelFigures, u32) {
        ns: u64,
        answered: u64,
        transactions_per_second: Option<f64> = row.transactions().map(thousandths),
        data_bytes: u64,
        throughput_bytes_per_second: Option<u64> = row.throughput(),
        response_time: Distribution,
        turnaround: Extremes,
        moved: Data = of((&row.moved, stations)),
        reads: Data = of((&row.reads, stations)),
        writes: Data = of((&row.writes, stations)),
        wire_bytes: u64,
    }

    struct Data of moved, stations: (&Moved, u32) {
        data_bytes: u64,
        response_time: Extremes,
        /// What as many stations would move in a closed loop without pauses: stations times bytes per request,
        /// by response time. S = N x M / T is `throughput_bytes_per_second`.
        closed_loop_bytes_per_second: Option<u64> = moved.closed_loop(stations),
    }
}
