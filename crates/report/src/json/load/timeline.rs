//! The load over time, a list of the same length for each figure, and its dips.

use crate::document::documents;
use crate::json::common::thousandths;
use crate::time::Rfc3339;
use wirewait_analysis::Interval;

documents! {
    pub(super) struct Timeline of line: &wirewait_analysis::Timeline {
        /// Null where nothing happened.
        start: Option<Rfc3339> = (!line.buckets.is_empty()).then_some(Rfc3339(line.start)),
        /// Width of a step, ns.
        width_ns: i64,
        /// Final responses in each step.
        answered: Vec<u64> = all(line, |b| b.answered),
        /// File data moved in each step, bytes.
        data_bytes: Vec<u64> = all(line, |b| b.data_bytes),
        /// Turnarounds in each step.
        turnarounds: Vec<u64> = all(line, |b| b.turnarounds),
        /// Their sum, ns.
        turnaround_ns: Vec<i64> = all(line, |b| b.turnaround_ns),
        /// Response times in each step.
        responses: Vec<u64> = all(line, |b| b.responses),
        /// Their sum, ns.
        response_ns: Vec<i64> = all(line, |b| b.response_ns),
        /// Station-nanoseconds; divided by `width_ns` it is the mean number of active stations.
        active_ns: Vec<u64> = all(line, |b| b.active_ns),
        /// The most stations that were active at once.
        stations: Vec<u32> = all(line, |b| b.stations),
    }

    pub(super) struct Dips of dips: &wirewait_analysis::Dips {
        /// Null where there is too little to look for any.
        width_ns: Option<i64>,
        /// How many were found.
        found: u64,
        /// Time of all of them, ns.
        ns: i64,
        /// Cost of all of them, ns.
        cost_ns: i64,
        /// In the order of time; the costliest, if there are many.
        dips: Vec<Dip>,
    }

    struct Dip of dip: &wirewait_analysis::Dip {
        /// When it began.
        start: Rfc3339,
        /// How long it lasted, ns.
        ns: i64,
        /// How deep, by the rate around it, 0 to 1.
        depth: f64 = thousandths(dip.depth),
        /// Time to move what was not moved, at the rate around it, ns.
        cost_ns: i64,
        /// File data during the dip, bytes per second.
        throughput_bytes_per_second: u64 = dip.bytes_per_second,
        /// The lower of the medians before and after it, bytes per second.
        around_throughput_bytes_per_second: u64 = dip.around_bytes_per_second,
        /// Mean response time during the dip, ns.
        response_ns: Option<i64>,
        /// Mean response time around it, ns.
        around_response_ns: Option<i64>,
    }
}

fn all<T>(line: &wirewait_analysis::Timeline, of: fn(&Interval) -> T) -> Vec<T> {
    line.buckets.iter().map(of).collect()
}
