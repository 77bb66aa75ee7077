//! Statistics by user, share and file, where these have names.

use super::counts_for_places;
use crate::column::Column;
use crate::journal::{Columns, Heading, Page};
use crate::parties::Directory;
use crate::{Counts, FrameSums, PlaceRow, Samples, Spread};
use std::sync::Arc;
use wirewait_model::sample::Draw;
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

    /// Counts closed transactions under each name of their place.
    pub(super) fn post(&mut self, heading: &Heading, page: &Page, columns: &Columns) {
        let named = heading.parties.named.iter();
        for label in named.flat_map(|named| named.labels).flatten() {
            if let Some(row) = self.rows.still(label) {
                row.post(heading.kind, page, columns);
            }
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
    fn post(&mut self, kind: Kind, page: &Page, columns: &Columns) {
        self.counts.merge(&page.counts);
        self.frames.merge(&page.frames);
        let bytes = match kind {
            Kind::Write => &mut self.written_bytes,
            _ => &mut self.read_bytes,
        };
        *bytes = bytes.saturating_add(page.data_bytes);
        if counts_for_places(kind) {
            self.response_time.merge(columns.response_time.spread());
            self.turnaround.merge(columns.turnaround.spread());
            self.moving_ns = self.moving_ns.saturating_add(page.moving_ns);
            for line in &page.lines {
                self.response_times.record(line.number, line.response_ns);
                if let Some(ns) = line.turnaround_ns {
                    self.turnarounds.record(line.number, ns);
                }
            }
        }
    }
}
