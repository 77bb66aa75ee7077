//! Key `load`.

mod beyond;
mod levels;
mod sizes;
mod timeline;

use super::common::{Distribution, Extremes, Outcomes};
use crate::document::{documents, of};
use wirewait_analysis::{
    BREAKS_PERCENT, BREAKS_TIMES, DEPTH_PERCENT, ENOUGH, ENOUGH_OF_A_SIZE, ENOUGH_PER_BUCKET,
    ENOUGH_SIZES, GROWN_PERCENT, HOP_LIMIT, HopRow, NOISE_TIMES, STEADY_NS, Settings, Snapshot,
};

documents! {
    pub(super) struct Load of snapshot: &Snapshot
    where
        let load = &snapshot.load;
    {
        rules: Rules = of(&snapshot.settings),
        levels: Vec<levels::Curve> = of(&load.levels),
        sizes: Vec<sizes::SizeCurveDocument> = of(&load.sizes),
        timeline: timeline::Timeline = of(&load.timeline),
        dips: timeline::Dips = of(&load.dips),
        hops: Vec<Hops> = of(&load.hops),
        most_hops: Option<u8> = load.most_hops,
        packets_at_hop_limit: u64 = load.at_hop_limit,
        transits: Vec<beyond::Transit> = of(&load.transits),
        routes: Vec<beyond::Route> = of(&load.routes),
        services: Vec<beyond::Service> = of(&load.services),
    }

    /// What the figures depend on.
    struct Rules of settings: &Settings {
        /// A station is active while a request is outstanding, and in pauses up to this.
        active_pause_ns: i64 = settings.think_ns,
        steady_from_ns: u64 = STEADY_NS,
        enough: u64 = ENOUGH,
        grown_percent: u64 = GROWN_PERCENT,
        size_enough: u64 = ENOUGH_OF_A_SIZE,
        sizes_enough: usize = ENOUGH_SIZES,
        anomaly_percent: u64 = BREAKS_PERCENT,
        anomaly_times: u64 = BREAKS_TIMES,
        dip_depth_percent: u64 = DEPTH_PERCENT,
        dip_noise_times: u64 = NOISE_TIMES,
        dip_enough: u64 = ENOUGH_PER_BUCKET,
        hop_limit: u8 = HOP_LIMIT,
    }

    struct Hops of row: &HopRow {
        hops: u8,
        #[serde(flatten)]
        counts: Outcomes,
        response_time: Distribution,
        turnaround: Extremes,
        data_bytes: u64,
        elapsed_ns: u64,
        throughput_bytes_per_second: Option<u64> = row.throughput(),
        request_throughput_bytes_per_second: Option<u64> = row.per_request(),
    }
}
