//! Keys `users`, `shares` and `files`.

use super::common::{Extremes, Outcomes};
use crate::escape::Escaped;
use serde::Serialize;
use wirewait_analysis::{Grouping, Snapshot};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PlaceDocument {
    server: String,
    share: Option<String>,
    name: String,
    #[serde(flatten)]
    counts: Outcomes,
    turnaround: Extremes,
    response_time: Extremes,
    read_bytes: u64,
    written_bytes: u64,
}

pub(super) fn places(snapshot: &Snapshot, by: Grouping) -> Vec<PlaceDocument> {
    snapshot
        .places
        .iter()
        .filter(|row| row.by == by)
        .map(|row| PlaceDocument {
            server: row.server.to_string(),
            share: row.share.as_deref().map(|share| Escaped(share).to_string()),
            name: Escaped(&row.name).to_string(),
            counts: Outcomes::from(&row.counts),
            turnaround: Extremes::from(&row.turnaround),
            response_time: Extremes::from(&row.response_time),
            read_bytes: row.read_bytes,
            written_bytes: row.written_bytes,
        })
        .collect()
}
