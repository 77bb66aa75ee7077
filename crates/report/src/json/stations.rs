//! Key `stations`.

use super::common::{Distribution, Outcomes};
use super::fairness::ratio;
use serde::Serialize;
use wirewait_analysis::StationRow;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Station {
    client: String,
    servers: u64,
    #[serde(flatten)]
    counts: Outcomes,
    response_time: Distribution,
    deviation_ns: Option<u64>,
    /// The deviation relative to its own mean: 1 - this to 1 + this is the usual range.
    normalised_deviation: Option<f64>,
    normalised_mean: Option<f64>,
    normalised_min: Option<f64>,
    normalised_max: Option<f64>,
    retransmitted_frames: u64,
    busy_ns: u64,
    client_ns: u64,
    think_ns: u64,
    thinks: u64,
    think_time: Distribution,
    /// Failures by answered requests; null where none was answered.
    failure_ratio: Option<f64>,
    /// Unanswered requests by all.
    unanswered_ratio: Option<f64>,
    /// Requests seen more than once by all.
    repeated_ratio: Option<f64>,
    data_bytes: u64,
}

pub(super) fn station(row: &StationRow) -> Station {
    Station {
        client: row.client.to_string(),
        servers: row.servers,
        counts: Outcomes::from(&row.counts),
        response_time: Distribution::from(&row.response_time),
        deviation_ns: row.deviation,
        normalised_deviation: row
            .deviation
            .zip(row.response_time.mean())
            .filter(|(_, mean)| *mean > 0)
            .map(|(deviation, mean)| deviation as f64 / mean as f64),
        normalised_mean: row.normalised_mean.map(ratio),
        normalised_min: row.normalised_min.map(ratio),
        normalised_max: row.normalised_max.map(ratio),
        retransmitted_frames: row.retransmitted,
        busy_ns: row.busy_ns,
        client_ns: row.client_ns,
        think_ns: row.think_ns,
        thinks: row.thinks,
        think_time: Distribution::from(&row.think_time),
        failure_ratio: part(row.counts.failures, row.counts.answered),
        unanswered_ratio: part(row.counts.unanswered, row.counts.requests),
        repeated_ratio: part(row.counts.repeated, row.counts.requests),
        data_bytes: row.data_bytes,
    }
}

fn part(some: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}
