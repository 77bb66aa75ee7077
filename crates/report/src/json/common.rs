//! What several keys are made of.

use crate::document::documents;
use crate::figures::Command;
use wirewait_analysis::{Bounds, Counts, FrameSums, OperationKey, Spread, Times};
use wirewait_wire::word::Name;

documents! {
    pub(super) struct Outcomes of n: &Counts {
        requests: u64,
        answered: u64,
        unanswered: u64,
        one_sided: u64,
        cancelled: u64,
        /// Requests no longer followed because of a limit; there only where there are some.
        #[serde(skip_serializing_if = "is_zero")]
        given_up: u64,
        /// Responses whose request may be one of those.
        #[serde(skip_serializing_if = "is_zero")]
        responses_given_up: u64,
        /// Requests counted in this row before it was dropped because of the limit rows.
        #[serde(skip_serializing_if = "is_zero")]
        forgotten: u64,
        orphan_responses: u64,
        failures: u64,
        not_ok: u64,
        repeated: u64,
        interims: u64,
        duplicate_responses: u64,
    }

    /// All but `n` and `total_ns` are null when there is no value.
    pub(super) struct Distribution of times: &Times
    where
        let there = |value| (times.n > 0).then_some(value);
    {
        n: u64,
        min_ns: Option<i64> = there(times.min),
        p50_ns: Option<i64> = there(times.p50),
        p90_ns: Option<i64> = there(times.p90),
        p95_ns: Option<i64> = there(times.p95),
        p99_ns: Option<i64> = there(times.p99),
        max_ns: Option<i64> = there(times.max),
        mean_ns: Option<i64> = times.mean(),
        total_ns: i128 = times.total,
    }

    /// A time without percentiles; all but `n` and `total_ns` are null when there is no value.
    pub(super) struct Extremes of spread: &Spread
    where
        let there = |value| (spread.n > 0).then_some(value);
    {
        n: u64,
        min_ns: Option<i64> = there(spread.min),
        max_ns: Option<i64> = there(spread.max),
        mean_ns: Option<i64> = spread.mean(),
        total_ns: i128 = spread.total,
    }

    pub(super) struct FramesDocument of n: &FrameSums {
        request: u64,
        response: u64,
        interim: u64,
        ack: u64,
        control: u64,
        retransmitted: u64,
        /// On the wire beyond those of requests and responses: what the capturing station put together counts as one there.
        offloaded: u64,
    }

    // Flattened, and a comment of its own would replace those of what it is part of.
    pub(super) struct OperationAt of key: OperationKey {
        server: String,
        protocol: Name,
        carrier: Name,
        command: String = Command { name: key.command, code: key.code }.to_string(),
        code: u32,
        kind: Name = key.kind.name(),
    }

    /// Nanoseconds, at least and at most.
    pub(super) struct Between of bounds: Bounds {
        low: u64,
        high: u64,
    }
}

// What serde asks for is by reference.
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// A part of a whole; none of nothing.
pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Millionths as a part of one.
pub(super) fn millionths(n: u64) -> f64 {
    n as f64 / 1e6
}

/// Thousandths as a part of one.
pub(super) fn thousandths(n: u64) -> f64 {
    n as f64 / 1e3
}
