//! Key `distribution`.

use crate::document::{documents, of};
use wirewait_analysis::{Bucket, DistributionRow, Histogram};

documents! {
    /// How times are spread, for all servers together and for each.
    pub(super) struct Distributions of all: &wirewait_analysis::Distributions {
        /// t3 - t2 at all servers.
        turnaround: Steps,
        /// t4 - t1 at all servers.
        response_time: Steps,
        /// By server.
        servers: Vec<OfServer>,
    }

    struct OfServer of row: &DistributionRow {
        /// The server.
        server: String,
        /// t3 - t2.
        turnaround: Steps,
        /// t4 - t1.
        response_time: Steps,
    }

    /// Counts by steps; those without any are left out.
    struct Steps of histogram: &Histogram {
        /// Number of values.
        n: u64 = histogram.n(),
        /// Steps with at least one value.
        steps: Vec<HistogramStep> = histogram.buckets().filter(|bucket| bucket.n > 0).map(of).collect(),
    }

    struct HistogramStep of bucket: Bucket {
        /// Null below the first bound.
        from_ns: Option<i64>,
        /// Null above the last bound.
        below_ns: Option<i64>,
        /// Values in the step.
        n: u64,
    }
}
