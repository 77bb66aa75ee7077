//! Key `distribution`.

use serde::Serialize;
use wirewait_analysis::Histogram;

/// How times are spread, for all servers together and for each.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Distributions {
    turnaround: Steps,
    response_time: Steps,
    servers: Vec<OfServer>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OfServer {
    server: String,
    turnaround: Steps,
    response_time: Steps,
}

/// Counts by steps; those without any are left out.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Steps {
    n: u64,
    steps: Vec<HistogramStep>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HistogramStep {
    /// Null below the first bound.
    from_ns: Option<i64>,
    /// Null above the last bound.
    below_ns: Option<i64>,
    n: u64,
}

pub(super) fn distributions(all: &wirewait_analysis::Distributions) -> Distributions {
    Distributions {
        turnaround: Steps::from(&all.turnaround),
        response_time: Steps::from(&all.response_time),
        servers: all
            .servers
            .iter()
            .map(|row| OfServer {
                server: row.server.to_string(),
                turnaround: Steps::from(&row.turnaround),
                response_time: Steps::from(&row.response_time),
            })
            .collect(),
    }
}

impl From<&Histogram> for Steps {
    fn from(histogram: &Histogram) -> Self {
        Self {
            n: histogram.n(),
            steps: histogram
                .buckets()
                .filter(|bucket| bucket.n > 0)
                .map(|bucket| HistogramStep {
                    from_ns: bucket.from_ns,
                    below_ns: bucket.below_ns,
                    n: bucket.n,
                })
                .collect(),
        }
    }
}
