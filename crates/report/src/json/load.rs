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
        /// What the figures depend on.
        rules: Rules = of(&snapshot.settings),
        /// By the number of active stations: the capture, then servers and interfaces.
        levels: Vec<levels::Curve> = of(&load.levels),
        /// By the size of requests, for each server and kind.
        sizes: Vec<sizes::SizeCurveDocument> = of(&load.sizes),
        /// Over time.
        timeline: timeline::Timeline = of(&load.timeline),
        /// Throughput that fell for a while.
        dips: timeline::Dips = of(&load.dips),
        /// By routers that requests had passed.
        hops: Vec<Hops> = of(&load.hops),
        /// The most routers that an IPX packet had passed.
        most_hops: Option<u8> = load.most_hops,
        /// IPX packets that had passed as many routers as are allowed.
        packets_at_hop_limit: u64 = load.at_hop_limit,
        /// Time of packets between interfaces of the capture.
        transits: Vec<beyond::Transit> = of(&load.transits),
        /// Networks that routers offered.
        routes: Vec<beyond::Route> = of(&load.routes),
        /// Services that were announced.
        services: Vec<beyond::Service> = of(&load.services),
    }

    /// What the figures depend on.
    struct Rules of settings: &Settings {
        /// A station is active while a request is outstanding, and in pauses up to this.
        active_pause_ns: i64 = settings.think_ns,
        /// A number of active stations is steady when it does not change for so long, ns.
        steady_from_ns: u64 = STEADY_NS,
        /// Values from which on a figure is judged.
        enough: u64 = ENOUGH,
        /// Turnaround has grown at this percentage of its least.
        grown_percent: u64 = GROWN_PERCENT,
        /// Response times from which on a size is judged.
        size_enough: u64 = ENOUGH_OF_A_SIZE,
        /// Sizes from which on there is a trend.
        sizes_enough: usize = ENOUGH_SIZES,
        /// A size breaks the trend at this percentage of it.
        anomaly_percent: u64 = BREAKS_PERCENT,
        /// And at this number of median deviations above it.
        anomaly_times: u64 = BREAKS_TIMES,
        /// A dip is at least this deep, percent of the rate around it.
        dip_depth_percent: u64 = DEPTH_PERCENT,
        /// And at this number of median deviations below it.
        dip_noise_times: u64 = NOISE_TIMES,
        /// Final responses in a step from which on dips are looked for.
        dip_enough: u64 = ENOUGH_PER_BUCKET,
        /// Routers that an IPX packet may pass.
        hop_limit: u8 = HOP_LIMIT,
    }

    struct Hops of row: &HopRow {
        /// Routers that the requests had passed.
        hops: u8,
        #[serde(flatten)]
        counts: Outcomes,
        /// t4 - t1.
        response_time: Distribution,
        /// t3 - t2.
        turnaround: Extremes,
        /// File data moved, bytes.
        data_bytes: u64,
        /// From the first request to the last response, ns.
        elapsed_ns: u64,
        /// `data_bytes` by `elapsed_ns`, bytes per second.
        throughput_bytes_per_second: Option<u64> = row.throughput(),
        /// Of `data_bytes`, those of requests that have a response time.
        moving_bytes: u64,
        /// Their response times together, ns.
        moving_ns: i128,
        /// `moving_bytes` by `moving_ns`, bytes per second.
        request_throughput_bytes_per_second: Option<u64> = row.per_request(),
    }
}
