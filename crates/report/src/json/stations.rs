//! Key `stations`.

use super::common::{Distribution, Outcomes};
use serde::Serialize;
use wirewait_analysis::StationRow;

#[derive(Serialize)]
pub(super) struct Station {
    client: String,
    servers: u64,
    #[serde(flatten)]
    counts: Outcomes,
    response_time: Distribution,
    deviation_ns: Option<u64>,
    normalised_mean: Option<f64>,
    normalised_min: Option<f64>,
    normalised_max: Option<f64>,
    retransmitted_frames: u64,
    busy_ns: u64,
    client_ns: u64,
    think_ns: u64,
    thinks: u64,
    data_bytes: u64,
}

pub(super) fn station(row: &StationRow) -> Station {
    Station {
        client: row.client.to_string(),
        servers: row.servers,
        counts: Outcomes::from(&row.counts),
        response_time: Distribution::from(&row.response_time),
        deviation_ns: row.deviation,
        normalised_mean: row.normalised_mean.map(ratio),
        normalised_min: row.normalised_min.map(ratio),
        normalised_max: row.normalised_max.map(ratio),
        retransmitted_frames: row.retransmitted,
        busy_ns: row.busy_ns,
        client_ns: row.client_ns,
        think_ns: row.think_ns,
        thinks: row.thinks,
        data_bytes: row.data_bytes,
    }
}

fn ratio(millionths: u64) -> f64 {
    millionths as f64 / 1e6
}
