//! The load over time, a list of the same length for each figure, and its dips.

use crate::time::Rfc3339;
use serde::Serialize;
use wirewait_analysis as analysis;
use wirewait_analysis::Interval;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Timeline {
    /// Null where nothing happened.
    start: Option<Rfc3339>,
    width_ns: i64,
    answered: Vec<u64>,
    data_bytes: Vec<u64>,
    turnarounds: Vec<u64>,
    turnaround_ns: Vec<i64>,
    responses: Vec<u64>,
    response_ns: Vec<i64>,
    /// Station-nanoseconds; divided by `width_ns` it is the mean number of active stations.
    active_ns: Vec<u64>,
    /// The most stations that were active at once.
    stations: Vec<u32>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Dips {
    /// Null where there is too little to look for any.
    width_ns: Option<i64>,
    found: u64,
    ns: i64,
    cost_ns: i64,
    dips: Vec<Dip>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Dip {
    start: Rfc3339,
    ns: i64,
    depth: f64,
    cost_ns: i64,
    throughput_bytes_per_second: u64,
    around_throughput_bytes_per_second: u64,
    response_ns: Option<i64>,
    around_response_ns: Option<i64>,
}

pub(super) fn timeline(line: &analysis::Timeline) -> Timeline {
    fn all<T>(line: &analysis::Timeline, of: fn(&Interval) -> T) -> Vec<T> {
        line.buckets.iter().map(of).collect()
    }
    Timeline {
        start: (!line.buckets.is_empty()).then_some(Rfc3339(line.start)),
        width_ns: line.width_ns,
        answered: all(line, |b| b.answered),
        data_bytes: all(line, |b| b.data_bytes),
        turnarounds: all(line, |b| b.turnarounds),
        turnaround_ns: all(line, |b| b.turnaround_ns),
        responses: all(line, |b| b.responses),
        response_ns: all(line, |b| b.response_ns),
        active_ns: all(line, |b| b.active_ns),
        stations: all(line, |b| b.stations),
    }
}

pub(super) fn dips(dips: &analysis::Dips) -> Dips {
    Dips {
        width_ns: dips.width_ns,
        found: dips.found,
        ns: dips.ns,
        cost_ns: dips.cost_ns,
        dips: dips
            .dips
            .iter()
            .map(|dip| Dip {
                start: Rfc3339(dip.start),
                ns: dip.ns,
                depth: dip.depth as f64 / 1e3,
                cost_ns: dip.cost_ns,
                throughput_bytes_per_second: dip.bytes_per_second,
                around_throughput_bytes_per_second: dip.around_bytes_per_second,
                response_ns: dip.response_ns,
                around_response_ns: dip.around_response_ns,
            })
            .collect(),
    }
}
