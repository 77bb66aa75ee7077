//! Statistics by user, share and file, where these have names.

use super::{counts_for_places, timed};
use crate::column::Column;
use crate::parties::Directory;
use crate::sample::Draw;
use crate::world::Case;
use crate::{Counts, FrameSums, PlaceRow, Samples, Spread, Transaction};
use std::sync::Arc;
use wirewait_wire::Kind;

#[derive(Default)]
struct Row {
    counts: Counts,
    turnaround: Spread,
    response_time: Spread,
    read_bytes: u64,
    written_bytes: u64,
    frames: FrameSums,
    moving_ns: i128,
    turnarounds: Draw,
    response_times: Draw,
}

pub(super) struct Places {
    rows: Column<Row>,
}

impl Places {
    pub(super) const fn new() -> Self {
        Self {
            rows: Column::new(),
        }
    }

    /// Counts a closed transaction under each name of its place.
    pub(super) fn closed(&mut self, case: Case<'_>) {
        let named = case.parties.named.iter();
        for label in named.flat_map(|named| named.labels).flatten() {
            self.rows.of(label).add(case.transaction);
        }
    }

    /// By kind of name, then by total response time, the greatest first.
    pub(super) fn rows(&self, directory: &Directory) -> Vec<PlaceRow> {
        let mut rows: Vec<PlaceRow> = self
            .rows
            .iter()
            .filter_map(|(place, row)| Some((directory.label(place)?, row)))
            .map(|(key, row)| PlaceRow {
                server: key.server,
                by: key.by,
                share: key.share.clone(),
                name: Arc::clone(&key.name),
                counts: row.counts,
                turnaround: row.turnaround,
                response_time: row.response_time,
                read_bytes: row.read_bytes,
                written_bytes: row.written_bytes,
                frames: row.frames,
                moving_ns: row.moving_ns,
                samples: Samples {
                    turnaround: row.turnarounds.sample(),
                    response_time: row.response_times.sample(),
                },
            })
            .collect();
        rows.sort_by(|a, b| {
            let wait = |row: &PlaceRow| std::cmp::Reverse(row.response_time.total);
            (a.by, wait(a), a.server, &a.share, &a.name).cmp(&(
                b.by,
                wait(b),
                b.server,
                &b.share,
                &b.name,
            ))
        });
        rows
    }
}

impl Row {
    fn add(&mut self, t: &Transaction) {
        self.counts.add(t);
        self.frames.add(t);
        let bytes = match t.kind {
            Kind::Write => &mut self.written_bytes,
            _ => &mut self.read_bytes,
        };
        *bytes = bytes.saturating_add(t.data_bytes);
        if let Some(ns) = timed(t).filter(|_| counts_for_places(t.kind)) {
            self.response_time.record(ns);
            self.response_times.record(t.number, ns);
            if t.data_bytes > 0 {
                self.moving_ns += i128::from(ns);
            }
            if let Some(ns) = super::clean_turnaround(t) {
                self.turnaround.record(ns);
                self.turnarounds.record(t.number, ns);
            }
        }
    }
}
