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
        turnaround: Distribution,
        response_time: Distribution,
        request_transfer: Distribution,
        response_transfer: Distribution,
        frames: FramesDocument,
        frames_per_request: FramesPerRequest = of(row),
        data_bytes: u64,
        throughput_bytes_per_second: Option<u64> = row.throughput,
    }

    struct FramesPerRequest of row: &ServerRow
    where
        let (data, acks) = frames_per_request(&row.frames, &row.counts);
    {
        data: Option<f64> = data.map(Milli::number),
        acks: Option<f64> = acks.map(Milli::number),
    }
}
