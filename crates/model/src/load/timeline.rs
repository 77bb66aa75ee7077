//! The load over time, as it is shown.

use wirewait_wire::Timestamp;

/// Least depth of a dip, in percent of the median around it.
pub const DEPTH_PERCENT: u64 = 20;
/// A dip is also deeper than this number of times the median deviation from the median around
/// it.
pub const NOISE_TIMES: u64 = 4;
/// Buckets in which the median bucket has fewer final responses than this are too narrow to
/// tell a dip from chance.
pub const ENOUGH_PER_BUCKET: u64 = 10;

/// What happened in one stretch of the time line. A transaction counts in the bucket of its
/// last frame (t4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interval {
    /// Final responses, waits by design and breaks apart.
    pub answered: u64,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// Sum of t3 - t2 where it counts, ns, and of how many.
    pub turnaround_ns: i64,
    /// How many turnarounds.
    pub turnarounds: u64,
    /// Sum of t4 - t1 where it counts, ns.
    pub response_ns: i64,
    /// How many response times.
    pub responses: u64,
    /// Time of active stations: two stations that were active all the time make twice the
    /// width of the bucket, ns.
    pub active_ns: u64,
    /// The most stations that were active at once.
    pub stations: u32,
}

impl Interval {
    /// Adds another one.
    pub fn absorb(&mut self, other: &Self) {
        self.answered += other.answered;
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        self.turnaround_ns = self.turnaround_ns.saturating_add(other.turnaround_ns);
        self.turnarounds += other.turnarounds;
        self.response_ns = self.response_ns.saturating_add(other.response_ns);
        self.responses += other.responses;
        self.active_ns = self.active_ns.saturating_add(other.active_ns);
        self.stations = self.stations.max(other.stations);
    }
}

/// The load over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Width of a bucket: 10 ms, 100 ms, 1 s and so on, ns.
    pub width_ns: i64,
    /// When the first one begins: a multiple of the width since 1970.
    pub start: Timestamp,
    /// One behind the other; those without any load are there too.
    pub buckets: Vec<Interval>,
}

/// A dip in throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dip {
    /// When it began, to the width of a bucket.
    pub start: Timestamp,
    /// How long it lasted, in whole buckets, ns.
    pub ns: i64,
    /// File data per second during the dip, bytes.
    pub bytes_per_second: u64,
    /// The lower of the medians before and after it, bytes per second.
    pub around_bytes_per_second: u64,
    /// Depth in thousandths of that median.
    pub depth: u64,
    /// What the dip cost: the time it takes to move what was not moved at the rate around, ns.
    pub cost_ns: i64,
    /// Mean response time during the dip, ns.
    pub response_ns: Option<i64>,
    /// Mean response time in the buckets around it, ns.
    pub around_response_ns: Option<i64>,
}

/// The dips of a time line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dips {
    /// Width of the buckets in which they were looked for, ns; `None` where none was wide
    /// enough for ten final responses and still narrow enough for ten buckets on each side.
    pub width_ns: Option<i64>,
    /// In the order of time; the costliest, if there are many.
    pub dips: Vec<Dip>,
    /// How many were found.
    pub found: u64,
    /// Time of all of them together, ns.
    pub ns: i64,
    /// Cost of all of them together, ns.
    pub cost_ns: i64,
}
