//! Key `servers`.

use super::common::{Distribution, FramesDocument, FramesPerRequest, Outcomes};
use crate::figures::{Command, Milli, frames_per_request};
use serde::Serialize;
use wirewait_analysis::ServerRow;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Server {
    server: String,
    protocol: &'static str,
    carrier: &'static str,
    command: String,
    code: u32,
    kind: &'static str,
    #[serde(flatten)]
    counts: Outcomes,
    turnaround: Distribution,
    response_time: Distribution,
    request_transfer: Distribution,
    response_transfer: Distribution,
    frames: FramesDocument,
    frames_per_request: FramesPerRequest,
    data_bytes: u64,
    throughput_bytes_per_second: Option<u64>,
}

pub(super) fn server(row: &ServerRow) -> Server {
    let (data, acks) = frames_per_request(&row.frames, &row.counts);
    Server {
        server: row.server.to_string(),
        protocol: row.protocol,
        carrier: row.carrier,
        command: Command {
            name: row.command,
            code: row.code,
        }
        .to_string(),
        code: row.code,
        kind: row.kind.name(),
        counts: Outcomes::from(&row.counts),
        turnaround: Distribution::from(&row.turnaround),
        response_time: Distribution::from(&row.response_time),
        request_transfer: Distribution::from(&row.request_transfer),
        response_transfer: Distribution::from(&row.response_transfer),
        frames: FramesDocument::from(&row.frames),
        frames_per_request: FramesPerRequest {
            data: data.map(Milli::number),
            acks: acks.map(Milli::number),
        },
        data_bytes: row.data_bytes,
        throughput_bytes_per_second: row.throughput,
    }
}
