//! Key `load`.

mod beyond;
mod levels;
mod sizes;
mod timeline;

use super::common::{Distribution, Extremes, Outcomes};
use serde::Serialize;
use wirewait_analysis::{
    BREAKS_PERCENT, BREAKS_TIMES, DEPTH_PERCENT, ENOUGH, ENOUGH_OF_A_SIZE, ENOUGH_PER_BUCKET,
    ENOUGH_SIZES, GROWN_PERCENT, HOP_LIMIT, HopRow, NOISE_TIMES, STEADY_NS, Snapshot,
};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Load {
    rules: Rules,
    levels: Vec<levels::Curve>,
    sizes: Vec<sizes::SizeCurveDocument>,
    timeline: timeline::Timeline,
    dips: timeline::Dips,
    hops: Vec<Hops>,
    most_hops: Option<u8>,
    packets_at_hop_limit: u64,
    transits: Vec<beyond::Transit>,
    routes: Vec<beyond::Route>,
    services: Vec<beyond::Service>,
}

/// What the figures depend on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Rules {
    /// A station is active while a request is outstanding, and in pauses up to this.
    active_pause_ns: i64,
    steady_from_ns: u64,
    enough: u64,
    grown_percent: u64,
    size_enough: u64,
    sizes_enough: usize,
    anomaly_percent: u64,
    anomaly_times: u64,
    dip_depth_percent: u64,
    dip_noise_times: u64,
    dip_enough: u64,
    hop_limit: u8,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Hops {
    hops: u8,
    #[serde(flatten)]
    counts: Outcomes,
    response_time: Distribution,
    turnaround: Extremes,
    data_bytes: u64,
    elapsed_ns: u64,
    throughput_bytes_per_second: Option<u64>,
    request_throughput_bytes_per_second: Option<u64>,
}

pub(super) fn load(snapshot: &Snapshot) -> Load {
    let load = &snapshot.load;
    Load {
        rules: Rules {
            active_pause_ns: snapshot.settings.think_ns,
            steady_from_ns: STEADY_NS,
            enough: ENOUGH,
            grown_percent: GROWN_PERCENT,
            size_enough: ENOUGH_OF_A_SIZE,
            sizes_enough: ENOUGH_SIZES,
            anomaly_percent: BREAKS_PERCENT,
            anomaly_times: BREAKS_TIMES,
            dip_depth_percent: DEPTH_PERCENT,
            dip_noise_times: NOISE_TIMES,
            dip_enough: ENOUGH_PER_BUCKET,
            hop_limit: HOP_LIMIT,
        },
        levels: load.levels.iter().map(levels::curve).collect(),
        sizes: load.sizes.iter().map(sizes::curve).collect(),
        timeline: timeline::timeline(&load.timeline),
        dips: timeline::dips(&load.dips),
        hops: load.hops.iter().map(hops).collect(),
        most_hops: load.most_hops,
        packets_at_hop_limit: load.at_hop_limit,
        transits: load.transits.iter().map(beyond::transit).collect(),
        routes: load.routes.iter().map(beyond::route).collect(),
        services: load.services.iter().map(beyond::service).collect(),
    }
}

fn hops(row: &HopRow) -> Hops {
    Hops {
        hops: row.hops,
        counts: Outcomes::from(&row.counts),
        response_time: Distribution::from(&row.response_time),
        turnaround: Extremes::from(&row.turnaround),
        data_bytes: row.data_bytes,
        elapsed_ns: row.elapsed_ns,
        throughput_bytes_per_second: row.throughput(),
        request_throughput_bytes_per_second: row.per_request(),
    }
}
