//! Key `distribution`.

use crate::document::{documents, of};
use wirewait_analysis::{Bucket, DistributionRow, Histogram};

documents! {
    /// How times are spread, for all servers together and for each.
    pub(super) struct Distributions of all: &wirewait_analysis::Distributions {
        turnaround: Steps,
        response_time: Steps,
        servers: Vec<OfServer>,
    }

    struct OfServer of row: &DistributionRow {
        server: String,
        turnaround: Steps,
        response_time: Steps,
    }

    /// Counts by steps; those without any are left out.
    struct Steps of histogram: &Histogram {
        n: u64 = histogram.n(),
        steps: Vec<HistogramStep> = histogram.buckets().filter(|bucket| bucket.n > 0).map(of).collect(),
    }

    struct HistogramStep of bucket: Bucket {
        /// Null below the first bound.
        from_ns: Option<i64>,
        /// Null above the last bound.
        below_ns: Option<i64>,
        n: u64,
    }
}
