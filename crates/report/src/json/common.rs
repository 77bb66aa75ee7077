//! What several keys are made of.

use crate::document::documents;
use crate::figures::Command;
use crate::transactions::Row;
use wirewait_analysis::{
    Bounds, Counts, FrameSums, OperationKey, Spread, Times, UnansweredRequest,
};
use wirewait_wire::word::Name;

documents! {
    pub(super) struct Outcomes of n: &Counts {
        /// Requests seen.
        requests: u64,
        /// Requests with a final response.
        answered: u64,
        /// Requests without a final response, though there was time for it, and the capture would show it.
        unanswered: u64,
        /// Requests without a final response when the capture ended.
        open_at_end: u64,
        /// Requests whose final response may be among frames that the capture lacks.
        capture_loss: u64,
        /// Requests without a final response where only one direction was captured.
        one_sided: u64,
        /// Requests that were taken back.
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
        /// Responses without a request; not in `requests`.
        orphan_responses: u64,
        /// Responses with a failure that is not normal control flow.
        failures: u64,
        /// Responses with anything but success.
        not_ok: u64,
        /// Requests that were seen more than once.
        repeated: u64,
        /// Interim responses.
        interims: u64,
        /// Responses seen again after the final one.
        duplicate_responses: u64,
    }

    /// All but `n` and `total_ns` are null when there is no value.
    pub(super) struct Distribution of times: &Times
    where
        let there = |value| (times.n > 0).then_some(value);
    {
        /// Number of values.
        n: u64,
        /// Shortest, ns.
        min_ns: Option<i64> = there(times.min),
        /// Median, ns.
        p50_ns: Option<i64> = there(times.p50),
        /// 90th percentile, ns.
        p90_ns: Option<i64> = there(times.p90),
        /// 95th percentile, ns.
        p95_ns: Option<i64> = there(times.p95),
        /// 99th percentile, ns.
        p99_ns: Option<i64> = there(times.p99),
        /// Longest, ns.
        max_ns: Option<i64> = there(times.max),
        /// Mean, ns.
        mean_ns: Option<i64> = times.mean(),
        /// Sum, ns.
        total_ns: i128 = times.total,
    }

    /// A time without percentiles; all but `n` and `total_ns` are null when there is no value.
    pub(super) struct Extremes of spread: &Spread
    where
        let there = |value| (spread.n > 0).then_some(value);
    {
        /// Number of values.
        n: u64,
        /// Shortest, ns.
        min_ns: Option<i64> = there(spread.min),
        /// Longest, ns.
        max_ns: Option<i64> = there(spread.max),
        /// Mean, ns.
        mean_ns: Option<i64> = spread.mean(),
        /// Sum, ns.
        total_ns: i128 = spread.total,
    }

    pub(super) struct FramesDocument of n: &FrameSums {
        /// Frames with new bytes of requests.
        request: u64,
        /// Frames with new bytes of final responses.
        response: u64,
        /// Frames with interim responses.
        interim: u64,
        /// Frames that only acknowledge.
        ack: u64,
        /// Polls, window updates and the like.
        control: u64,
        /// Frames whose bytes were seen before.
        retransmitted: u64,
        /// On the wire beyond those of requests and responses: what the capturing station put together counts as one there.
        offloaded: u64,
    }

    // Flattened, and a comment of its own would replace those of what it is part of.
    pub(super) struct OperationAt of key: OperationKey {
        /// The server's station.
        server: String,
        /// Protocol of the requests.
        protocol: Name,
        /// What carried them.
        carrier: Name,
        /// The specification's name of the operation.
        command: String = Command { name: key.command, code: key.code }.to_string(),
        /// The protocol's number for it.
        code: u32,
        /// Class of the operation, as in `transactions`.
        kind: Name = key.kind.name(),
    }

    /// A request without a response.
    pub(super) struct UnansweredDocument<'a> of unanswered: &'a UnansweredRequest {
        /// For how long it was open: from its first frame to the next request on the connection, or to the time-out, ns.
        waited_ns: i64,
        /// The request, as a row of `transactions`.
        request: Row<'a> = Row::from(&unanswered.request),
    }

    /// Nanoseconds, at least and at most.
    pub(super) struct Between of bounds: Bounds {
        /// At least, ns.
        low: u64,
        /// At most, ns.
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
