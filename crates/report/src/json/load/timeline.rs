//! The load over time, a list of the same length for each figure, and its dips.

use crate::document::documents;
use crate::json::common::thousandths;
use crate::time::Rfc3339;
use wirewait_analysis::Interval;

documents! {
    pub(super) struct Timeline of line: &wirewait_analysis::Timeline {
        /// Null where nothing happened.
        start: Option<Rfc3339> = (!line.buckets.is_empty()).then_some(Rfc3339(line.start)),
        width_ns: i64,
        answered: Vec<u64> = all(line, |b| b.answered),
        data_bytes: Vec<u64> = all(line, |b| b.data_bytes),
        turnarounds: Vec<u64> = all(line, |b| b.turnarounds),
        turnaround_ns: Vec<i64> = all(line, |b| b.turnaround_ns),
        responses: Vec<u64> = all(line, |b| b.responses),
        response_ns: Vec<i64> = all(line, |b| b.response_ns),
        /// Station-nanoseconds; divided by `width_ns` it is the mean number of active stations.
        active_ns: Vec<u64> = all(line, |b| b.active_ns),
        /// The most stations that were active at once.
        stations: Vec<u32> = all(line, |b| b.stations),
    }

    pub(super) struct Dips of dips: &wirewait_analysis::Dips {
        /// Null where there is too little to look for any.
        width_ns: Option<i64>,
        found: u64,
        ns: i64,
        cost_ns: i64,
        dips: Vec<Dip>,
    }

    struct Dip of dip: &wirewait_analysis::Dip {
        start: Rfc3339,
        ns: i64,
        depth: f64 = thousandths(dip.depth),
        cost_ns: i64,
        throughput_bytes_per_second: u64 = dip.bytes_per_second,
        around_throughput_bytes_per_second: u64 = dip.around_bytes_per_second,
        response_ns: Option<i64>,
        around_response_ns: Option<i64>,
    }
}

fn all<T>(line: &wirewait_analysis::Timeline, of: fn(&Interval) -> T) -> Vec<T> {
    line.buckets.iter().map(of).collect()
}
