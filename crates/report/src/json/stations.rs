//! Key `stations`.

use super::common::{Distribution, Outcomes, millionths, ratio};
use crate::document::documents;
use wirewait_analysis::StationRow;

documents! {
    pub(super) struct Station of row: &StationRow
    where
        let counts = &row.counts;
        let mean = row.response_time.mean().filter(|mean| *mean > 0);
    {
        /// The client.
        client: String,
        /// Servers to which it sent requests.
        servers: u64,
        #[serde(flatten)]
        counts: Outcomes,
        /// t4 - t1 of its requests, waits by design and session set-up apart.
        response_time: Distribution,
        /// Standard deviation of the response time, ns.
        deviation_ns: Option<u64> = row.deviation,
        /// The deviation relative to its own mean: 1 - this to 1 + this is the usual range.
        normalised_deviation: Option<f64> =
            row.deviation.zip(mean).map(|(deviation, mean)| deviation as f64 / mean as f64),
        /// Its mean response time relative to the mean of all stations.
        normalised_mean: Option<f64> = row.normalised_mean.map(millionths),
        /// Its shortest response time relative to that mean.
        normalised_min: Option<f64> = row.normalised_min.map(millionths),
        /// Its longest response time relative to that mean.
        normalised_max: Option<f64> = row.normalised_max.map(millionths),
        /// Frames that it or its servers retransmitted for its requests.
        retransmitted_frames: u64 = row.retransmitted,
        /// Active time that is not the client's own, ns: network and server, with the distance within its pauses. The
        /// `waited_ns` of its ledger is without that distance.
        busy_ns: u64,
        /// The client's own time, ns.
        client_ns: u64,
        /// Pauses longer than the think limit, ns in all.
        think_ns: u64,
        /// Number of those pauses.
        thinks: u64,
        /// How long they were.
        think_time: Distribution,
        /// Failures by answered requests; null where none was answered.
        failure_ratio: Option<f64> = ratio(counts.failures, counts.answered),
        /// Unanswered requests by all.
        unanswered_ratio: Option<f64> = ratio(counts.unanswered, counts.requests),
        /// Requests seen more than once by all.
        repeated_ratio: Option<f64> = ratio(counts.repeated, counts.requests),
        /// File data moved, bytes.
        data_bytes: u64,
    }
}
