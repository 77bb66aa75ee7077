//! What several keys are made of.

use serde::Serialize;
use wirewait_analysis::{Counts, FrameSums, Spread, Times};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Outcomes {
    pub(super) requests: u64,
    pub(super) answered: u64,
    pub(super) unanswered: u64,
    pub(super) one_sided: u64,
    pub(super) cancelled: u64,
    /// Requests no longer followed because of a limit; there only where there are some.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) given_up: u64,
    /// Responses whose request may be one of those.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) responses_given_up: u64,
    /// Requests counted in this row before it was dropped because of the limit rows.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) forgotten: u64,
    pub(super) orphan_responses: u64,
    pub(super) failures: u64,
    pub(super) not_ok: u64,
    pub(super) repeated: u64,
    pub(super) interims: u64,
    pub(super) duplicate_responses: u64,
}

impl From<&Counts> for Outcomes {
    fn from(n: &Counts) -> Self {
        Self {
            requests: n.requests,
            answered: n.answered,
            unanswered: n.unanswered,
            one_sided: n.one_sided,
            cancelled: n.cancelled,
            given_up: n.given_up,
            responses_given_up: n.responses_given_up,
            forgotten: n.forgotten,
            orphan_responses: n.orphan_responses,
            failures: n.failures,
            not_ok: n.not_ok,
            repeated: n.repeated,
            interims: n.interims,
            duplicate_responses: n.duplicate_responses,
        }
    }
}

// What serde asks for is by reference.
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// All but `n` and `total_ns` are null when there is no value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Distribution {
    pub(super) n: u64,
    pub(super) min_ns: Option<i64>,
    pub(super) p50_ns: Option<i64>,
    pub(super) p90_ns: Option<i64>,
    pub(super) p95_ns: Option<i64>,
    pub(super) p99_ns: Option<i64>,
    pub(super) max_ns: Option<i64>,
    pub(super) mean_ns: Option<i64>,
    pub(super) total_ns: i128,
}

impl From<&Times> for Distribution {
    fn from(times: &Times) -> Self {
        let there = |value| (times.n > 0).then_some(value);
        Self {
            n: times.n,
            min_ns: there(times.min),
            p50_ns: there(times.p50),
            p90_ns: there(times.p90),
            p95_ns: there(times.p95),
            p99_ns: there(times.p99),
            max_ns: there(times.max),
            mean_ns: times.mean(),
            total_ns: times.total,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FramesDocument {
    pub(super) request: u64,
    pub(super) response: u64,
    pub(super) interim: u64,
    pub(super) ack: u64,
    pub(super) control: u64,
    pub(super) retransmitted: u64,
}

impl From<&FrameSums> for FramesDocument {
    fn from(n: &FrameSums) -> Self {
        Self {
            request: n.request,
            response: n.response,
            interim: n.interim,
            ack: n.ack,
            control: n.control,
            retransmitted: n.retransmitted,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct FramesPerRequest {
    pub(super) data: Option<f64>,
    pub(super) acks: Option<f64>,
}

/// A time without percentiles; all but `n` and `total_ns` are null when there is no value.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Extremes {
    pub(super) n: u64,
    pub(super) min_ns: Option<i64>,
    pub(super) max_ns: Option<i64>,
    pub(super) mean_ns: Option<i64>,
    pub(super) total_ns: i128,
}

impl From<&Spread> for Extremes {
    fn from(spread: &Spread) -> Self {
        let there = |value| (spread.n > 0).then_some(value);
        Self {
            n: spread.n,
            min_ns: there(spread.min),
            max_ns: there(spread.max),
            mean_ns: spread.mean(),
            total_ns: spread.total,
        }
    }
}
