//! Keys `users`, `shares` and `files`.

use super::common::{Extremes, Outcomes};
use crate::document::{documents, of};
use wirewait_analysis::{Grouping, PlaceRow, Snapshot};

documents! {
    pub(super) struct PlaceDocument of row: &PlaceRow {
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
}

pub(super) fn places(snapshot: &Snapshot, by: Grouping) -> Vec<PlaceDocument> {
    let rows = snapshot.places.iter();
    rows.filter(|row| row.by == by).map(of).collect()
}
