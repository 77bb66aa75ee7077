//! Service by the number of active stations, as it is shown.

use crate::{Spread, Times};
use wirewait_wire::Endpoint;

/// A number of active stations is steady when it does not change for so long, ns. Shorter
/// stretches are ramps: stations are just coming or going.
pub const STEADY_NS: u64 = 1_000_000_000;
/// Turnaround has grown when it is at least this percentage of its least.
pub const GROWN_PERCENT: u64 = 125;

/// Data that requests of one kind moved, and how long they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Bytes of file data.
    pub data_bytes: u64,
    /// t4 - t1 of the requests that moved it.
    pub response_time: Spread,
}

impl Moved {
    /// What the stations would move in a closed loop without pauses, each asking again as soon as it is
    /// answered, bytes per second: the number of stations times the bytes of a request that moved some,
    /// by the mean response time of these. What they did move is [`LevelFigures::throughput`].
    /// `None` where no data was moved in no time.
    #[must_use]
    pub fn closed_loop(&self, stations: u32) -> Option<u64> {
        let ns = self.response_time.total;
        let bytes = u128::from(stations) * u128::from(self.data_bytes);
        (ns > 0 && bytes > 0)
            .then(|| bytes * 1_000_000_000 / ns.unsigned_abs())
            .and_then(|rate| u64::try_from(rate).ok())
    }

    /// Counts a request.
    pub fn add(&mut self, bytes: u64, response_ns: i64) {
        self.data_bytes = self.data_bytes.saturating_add(bytes);
        self.response_time.record(response_ns);
    }

    /// Both together.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        self.response_time.merge(&other.response_time);
        self
    }
}

/// What happened while this number of stations was active. A transaction counts at the moment of
/// its last frame (t4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelFigures {
    /// How long, ns.
    pub ns: u64,
    /// Final responses, waits by design and breaks apart.
    pub answered: u64,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// t4 - t1 of those that count in the statistics of stations. In the steady figures only
    /// of those whose whole life lies in one steady stretch.
    pub response_time: Times,
    /// t3 - t2 of the same where it is exact and the server was not busy with another request
    /// of the same conversation.
    pub turnaround: Spread,
    /// Reads.
    pub reads: Moved,
    /// Writes.
    pub writes: Moved,
    /// All requests that moved data.
    pub moved: Moved,
    /// Bytes on the wire (variant C of utilisation); 0 in the curve of a server.
    pub wire_bytes: u64,
}

impl LevelFigures {
    /// File data per second, bytes: S = N x M / T after Poo and Tan, with M bytes for each of N
    /// stations in the time T. `None` without time.
    #[must_use]
    pub fn throughput(&self) -> Option<u64> {
        per_second(self.data_bytes, self.ns)
    }

    /// Bytes on the wire per second; `None` without time, or where they are not counted.
    #[must_use]
    pub fn wire(&self) -> Option<u64> {
        per_second(self.wire_bytes, self.ns).filter(|_| self.wire_bytes > 0)
    }

    /// Final responses per second in thousandths; `None` without time.
    #[must_use]
    pub fn transactions(&self) -> Option<u64> {
        per_second(self.answered.saturating_mul(1000), self.ns)
    }
}

fn per_second(amount: u64, ns: u64) -> Option<u64> {
    let scaled = u128::from(amount) * 1_000_000_000;
    u64::try_from(scaled.checked_div(u128::from(ns))?).ok()
}

/// One number of active stations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelRow {
    /// The number of stations, or the least.
    pub stations: u32,
    /// The most: more than `stations` only where the numbers are large.
    pub stations_to: u32,
    /// In stretches of [`STEADY_NS`] and more.
    pub steady: LevelFigures,
    /// In shorter ones: ramps up and down.
    pub ramps: LevelFigures,
}

/// Whose load a curve shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOf {
    /// All stations.
    Capture,
    /// Those of one server: active there.
    Server(Endpoint),
    /// Those of one interface of the capture.
    Interface(u32),
}

/// Figures over the number of active stations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelCurve {
    /// Whose.
    pub of: LoadOf,
    /// From the first request to the last answer, ns: the time of all levels together.
    pub elapsed_ns: u64,
    /// By number of stations; with none is a level too.
    pub levels: Vec<LevelRow>,
    /// The steady level with the most file data per second: stations, bytes per second.
    pub peak: Option<(u32, u64)>,
    /// The steady level with the most final responses per second: stations, thousandths of a
    /// response per second.
    pub peak_transactions: Option<(u32, u64)>,
    /// From how many stations on turnaround grows.
    pub knee: Option<Knee>,
    /// Answered transactions that ended while no station was active or that were closed so
    /// late that it is not known how many were: in no level.
    pub unplaced: u64,
}

/// From how many stations on turnaround grows: there, and with every greater number that was
/// seen steady often enough, its mean is at least [`GROWN_PERCENT`] of its least mean with
/// fewer stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knee {
    /// The greatest number of stations with which it had not grown.
    pub flat_to: u32,
    /// The number from which on it has.
    pub stations: u32,
    /// The least mean turnaround with fewer stations, ns.
    pub flat_ns: i64,
    /// How many turnarounds that is the mean of.
    pub flat_n: u64,
    /// The mean turnaround with `stations`, ns.
    pub grown_ns: i64,
    /// How many that is the mean of.
    pub grown_n: u64,
    /// Bytes on the wire per second with `stations`; `None` where they are not counted.
    pub wire_bytes_per_second: Option<u64>,
}
