//! Response time by the size of requests.

use crate::document::documents;
use crate::json::common::{Distribution, Extremes};
use wirewait_analysis::{Example, SizeCurve, SizeRow};

documents! {
    pub(super) struct SizeCurveDocument of curve: &SizeCurve {
        /// The server.
        server: String,
        /// `read` or `write`.
        kind: &'static str = curve.kind.name(),
        /// Sizes that break the trend of the others.
        anomalies: Vec<Anomaly>,
        /// By size.
        sizes: Vec<SizeFigures>,
    }

    struct SizeFigures of row: &SizeRow {
        /// The least file data asked for, bytes.
        from_bytes: u64,
        /// The most, bytes.
        to_bytes: u64,
        /// t4 - t1.
        response_time: Distribution,
        /// t3 - t2.
        turnaround: Extremes,
        /// File data moved, bytes.
        data_bytes: u64,
        /// The slowest, the slowest first.
        slowest: Vec<ShownSizes>,
    }

    /// A size that breaks the trend of the others.
    struct Anomaly of anomaly: &wirewait_analysis::Anomaly {
        /// The least file data asked for, bytes.
        from_bytes: u64,
        /// The most, bytes.
        to_bytes: u64,
        /// Response times.
        n: u64,
        /// Their median, ns.
        p50_ns: i64,
        /// What the trend says, ns.
        expected_ns: i64,
        /// The next greater size that keeps to the trend, bytes.
        next_bytes: u64 = anomaly.next.0,
        /// Its median response time, ns.
        next_p50_ns: i64 = anomaly.next.1,
        /// The slowest of them.
        examples: Vec<ShownSizes>,
    }

    struct ShownSizes of example: &Example {
        /// Number of the transaction.
        transaction: u64,
        /// First frame of its request.
        request_frame: u64,
        /// Last frame of its response.
        response_frame: u64,
        /// t4 - t1, ns.
        response_ns: i64,
    }
}
