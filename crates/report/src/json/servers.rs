//! Key `servers`.

use super::common::{Distribution, FramesDocument, OperationAt, Outcomes};
use crate::document::{documents, of};
use crate::figures::{Milli, frames_per_request};
use wirewait_analysis::ServerRow;

documents! {
    pub(super) struct Server of row: &ServerRow {
        #[serde(flatten)]
        operation: OperationAt = of(row.into()),
        #[serde(flatten)]
        counts: Outcomes,
        /// t3 - t2, where it is exact and the server was not busy with another request of the conversation.
        turnaround: Distribution,
        /// t4 - t1.
        response_time: Distribution,
        /// t2 - t1.
        request_transfer: Distribution,
        /// t4 - t3.
        response_transfer: Distribution,
        /// Frames by what they did.
        frames: FramesDocument,
        /// Mean frames on the wire for a request.
        frames_per_request: FramesPerRequest = of(row),
        /// File data moved, bytes.
        data_bytes: u64,
        /// Of `data_bytes`, those of requests that have a response time.
        moving_bytes: u64,
        /// Their response times together, ns.
        moving_ns: i128,
        /// `moving_bytes` by `moving_ns`, bytes per second.
        throughput_bytes_per_second: Option<u64> = row.throughput,
    }

    struct FramesPerRequest of row: &ServerRow
    where
        let (data, acks) = frames_per_request(&row.frames, &row.counts);
    {
        /// Frames with messages.
        data: Option<f64> = data.map(Milli::number),
        /// Frames that only acknowledge.
        acks: Option<f64> = acks.map(Milli::number),
    }
}
