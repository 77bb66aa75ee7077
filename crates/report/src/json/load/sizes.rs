//! Response time by the size of requests.

use crate::document::documents;
use crate::json::common::{Distribution, Extremes};
use wirewait_analysis::{Example, SizeCurve, SizeRow};

documents! {
    pub(super) struct SizeCurveDocument of curve: &SizeCurve {
        server: String,
        kind: &'static str = curve.kind.name(),
        anomalies: Vec<Anomaly>,
        sizes: Vec<SizeFigures>,
    }

    struct SizeFigures of row: &SizeRow {
        from_bytes: u64,
        to_bytes: u64,
        response_time: Distribution,
        turnaround: Extremes,
        data_bytes: u64,
        slowest: Vec<ShownSizes>,
    }

    /// A size that breaks the trend of the others.
    struct Anomaly of anomaly: &wirewait_analysis::Anomaly {
        from_bytes: u64,
        to_bytes: u64,
        n: u64,
        p50_ns: i64,
        expected_ns: i64,
        next_bytes: u64 = anomaly.next.0,
        next_p50_ns: i64 = anomaly.next.1,
        examples: Vec<ShownSizes>,
    }

    struct ShownSizes of example: &Example {
        transaction: u64,
        request_frame: u64,
        response_frame: u64,
        response_ns: i64,
    }
}
