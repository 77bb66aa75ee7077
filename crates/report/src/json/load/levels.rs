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
        /// The server.
        server: Option<String> = server,
        /// Number of the interface.
        interface: Option<u32> = interface,
        /// Time with a known number of active stations, ns.
        elapsed_ns: u64,
        /// The steady level with most file data per second; null without one.
        peak: Option<Peak> = curve.peak.map(of),
        /// The steady level with most final responses per second; null without one.
        peak_transactions: Option<PeakTransactions> = curve.peak_transactions.map(of),
        /// Where turnaround begins to grow; null where it does not.
        knee: Option<Knee>,
        /// Final responses that are in no level.
        unplaced: u64,
        /// By number of active stations.
        levels: Vec<LoadLevel>,
    }

    struct Peak of stations, rate: (u32, u64) {
        /// Active stations.
        stations: u32 = stations,
        /// File data, bytes per second.
        throughput_bytes_per_second: u64 = rate,
    }

    struct PeakTransactions of stations, rate: (u32, u64) {
        /// Active stations.
        stations: u32 = stations,
        /// Final responses per second.
        transactions_per_second: f64 = thousandths(rate),
    }

    struct Knee of knee: &wirewait_analysis::Knee {
        /// Turnaround is flat up to this number of stations.
        flat_to_stations: u32 = knee.flat_to,
        /// It has grown from this number on.
        grows_from_stations: u32 = knee.stations,
        /// Mean turnaround while it is flat, ns.
        flat_turnaround_ns: i64 = knee.flat_ns,
        /// Turnarounds in that mean.
        flat_n: u64,
        /// Mean turnaround where it has grown, ns.
        grown_turnaround_ns: i64 = knee.grown_ns,
        /// Turnarounds in that mean.
        grown_n: u64,
        /// On the wire there, bytes per second.
        wire_bytes_per_second: Option<u64>,
    }

    struct LoadLevel of row: &LevelRow {
        /// Active stations, at least.
        stations: u32,
        /// Active stations, at most.
        stations_to: u32,
        /// While the number did not change.
        steady: LoadFigures = of((&row.steady, row.stations)),
        /// While stations were coming or going.
        ramps: LoadFigures = of((&row.ramps, row.stations)),
    }

    struct LoadFigures of row, stations: (&LevelFigures, u32) {
        /// How long, ns.
        ns: u64,
        /// Final responses, waits by design and breaks apart.
        answered: u64,
        /// Those per second.
        transactions_per_second: Option<f64> = row.transactions().map(thousandths),
        /// File data moved, bytes.
        data_bytes: u64,
        /// `data_bytes` by `ns`, bytes per second.
        throughput_bytes_per_second: Option<u64> = row.throughput(),
        /// t4 - t1.
        response_time: Distribution,
        /// t3 - t2.
        turnaround: Extremes,
        /// Requests that moved file data.
        moved: Data = of((&row.moved, stations)),
        /// Reads among them.
        reads: Data = of((&row.reads, stations)),
        /// Writes among them.
        writes: Data = of((&row.writes, stations)),
        /// Bytes on the wire.
        wire_bytes: u64,
    }

    struct Data of moved, stations: (&Moved, u32) {
        /// File data moved, bytes.
        data_bytes: u64,
        /// t4 - t1 of the requests that moved it.
        response_time: Extremes,
        /// What as many stations would move in a closed loop without pauses: stations times bytes per request,
        /// by response time. S = N x M / T is `throughput_bytes_per_second`.
        closed_loop_bytes_per_second: Option<u64> = moved.closed_loop(stations),
    }
}
