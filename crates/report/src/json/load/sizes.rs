//! Response time by the size of requests.

use crate::json::common::{Distribution, Extremes};
use serde::Serialize;
use wirewait_analysis::{Example, SizeCurve};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SizeCurveDocument {
    server: String,
    kind: &'static str,
    anomalies: Vec<Anomaly>,
    sizes: Vec<SizeFigures>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SizeFigures {
    from_bytes: u64,
    to_bytes: u64,
    response_time: Distribution,
    turnaround: Extremes,
    data_bytes: u64,
    slowest: Vec<ShownSizes>,
}

/// A size that breaks the trend of the others.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Anomaly {
    from_bytes: u64,
    to_bytes: u64,
    n: u64,
    p50_ns: i64,
    expected_ns: i64,
    next_bytes: u64,
    next_p50_ns: i64,
    examples: Vec<ShownSizes>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownSizes {
    transaction: u64,
    request_frame: u64,
    response_frame: u64,
    response_ns: i64,
}

impl From<&Example> for ShownSizes {
    fn from(example: &Example) -> Self {
        Self {
            transaction: example.transaction,
            request_frame: example.request_frame,
            response_frame: example.response_frame,
            response_ns: example.response_ns,
        }
    }
}

pub(super) fn curve(curve: &SizeCurve) -> SizeCurveDocument {
    let shown = |examples: &[Example]| examples.iter().map(ShownSizes::from).collect();
    SizeCurveDocument {
        server: curve.server.to_string(),
        kind: curve.kind.name(),
        anomalies: curve
            .anomalies
            .iter()
            .map(|anomaly| Anomaly {
                from_bytes: anomaly.from_bytes,
                to_bytes: anomaly.to_bytes,
                n: anomaly.n,
                p50_ns: anomaly.p50_ns,
                expected_ns: anomaly.expected_ns,
                next_bytes: anomaly.next.0,
                next_p50_ns: anomaly.next.1,
                examples: shown(&anomaly.examples),
            })
            .collect(),
        sizes: curve
            .sizes
            .iter()
            .map(|row| SizeFigures {
                from_bytes: row.from_bytes,
                to_bytes: row.to_bytes,
                response_time: Distribution::from(&row.response_time),
                turnaround: Extremes::from(&row.turnaround),
                data_bytes: row.data_bytes,
                slowest: shown(&row.slowest),
            })
            .collect(),
    }
}
