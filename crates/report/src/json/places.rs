//! Keys `users`, `shares` and `files`.

use super::common::{Extremes, Outcomes};
use crate::document::{documents, of};
use wirewait_analysis::{Grouping, PlaceRow, Snapshot};

documents! {
    pub(super) struct PlaceDocument of row: &PlaceRow {
        /// The server's station.
        server: String,
        /// The share of a file; null where it is not known.
        share: Option<String>,
        /// Name of the user, share or file.
        name: String,
        #[serde(flatten)]
        counts: Outcomes,
        /// t3 - t2.
        turnaround: Extremes,
        /// t4 - t1, waits by design and breaks apart.
        response_time: Extremes,
        /// File data that was read, bytes.
        read_bytes: u64,
        /// File data that was written, bytes.
        written_bytes: u64,
    }
}

pub(super) fn places(snapshot: &Snapshot, by: Grouping) -> Vec<PlaceDocument> {
    let rows = snapshot.places.iter();
    rows.filter(|row| row.by == by).map(of).collect()
}
