//! Response time by the number of bytes asked for, as it is shown.

use crate::{Spread, Times};
use wirewait_wire::{Endpoint, Kind};

/// Sizes with fewer response times are not judged, and make no trend.
pub const ENOUGH_OF_A_SIZE: u64 = 10;
/// Number of sizes from which on there is a trend.
pub const ENOUGH_SIZES: usize = 5;
/// A size breaks the trend when its median response time is at least this percentage of what the
/// trend says.
pub const BREAKS_PERCENT: u64 = 150;
/// A size that breaks the trend also lies more than this number of times the median deviation from
/// the trend above it.
pub const BREAKS_TIMES: u64 = 5;

/// A transaction that shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Number of the transaction.
    pub transaction: u64,
    /// First frame of its request.
    pub request_frame: u64,
    /// Last frame of its response.
    pub response_frame: u64,
    /// t4 - t1, ns.
    pub response_ns: i64,
}

/// Requests of one size, or of a class of sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeRow {
    /// The least bytes of file data asked for.
    pub from_bytes: u64,
    /// The most; equal where sizes are told apart.
    pub to_bytes: u64,
    /// t4 - t1.
    pub response_time: Times,
    /// t3 - t2 of those where it is exact and the server had nothing else to do.
    pub turnaround: Spread,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// The slowest, the slowest first.
    pub slowest: Vec<Example>,
}

/// Response time over the size of the requests of one kind to one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeCurve {
    /// The server.
    pub server: Endpoint,
    /// Reads or writes.
    pub kind: Kind,
    /// By size.
    pub sizes: Vec<SizeRow>,
    /// Sizes that break the trend.
    pub anomalies: Vec<Anomaly>,
}

/// A size that takes longer than its neighbours say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// The least bytes asked for.
    pub from_bytes: u64,
    /// The most.
    pub to_bytes: u64,
    /// Response times.
    pub n: u64,
    /// Their median, ns.
    pub p50_ns: i64,
    /// What the trend says, ns.
    pub expected_ns: i64,
    /// The next greater size that keeps to the trend, and its median response time, ns: it
    /// takes less, though it asks for more.
    pub next: (u64, i64),
    /// The slowest of them.
    pub examples: Vec<Example>,
}
