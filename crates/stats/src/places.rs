//! By user, share and file, where these have names.

use crate::{Collector, Rows};
use std::collections::BTreeSet;
use std::sync::Arc;
use wirewait_model::figures::Grouping;
use wirewait_model::figures::counts_for_places;
use wirewait_model::records::{Entities, Group, GroupTimes, Records};
use wirewait_model::sample::Draw;
use wirewait_model::{Counts, Figures, FrameSums, Label, PlaceRow, Samples, Spread};
use wirewait_wire::Kind;

#[derive(Default)]
pub(crate) struct Places {
    rows: Rows<Label, PlaceTally>,
}

#[derive(Default)]
struct PlaceTally {
    counts: Counts,
    turnaround: Spread,
    response_time: Spread,
    read_bytes: u64,
    written_bytes: u64,
    frames: FrameSums,
    moving_bytes: u64,
    moving_ns: i128,
    turnarounds: Draw,
    response_times: Draw,
}

impl Collector for Places {
    fn batch(&mut self, records: &Records<'_>) {
        for (group, times) in records.grouped() {
            for label in group.key.labels.into_iter().flatten() {
                if let Some(row) = self.rows.of(label, drop) {
                    row.count(group, times);
                }
            }
        }
    }

    /// By kind of name, then by total response time, the greatest first.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let known = || {
            let rows = self.rows.iter();
            rows.filter_map(|(id, row)| Some((entities.label(id)?, row)))
        };
        let shares = known().map(|(label, _)| label);
        let shares: BTreeSet<&Label> = shares.filter(|l| l.by == Grouping::Share).collect();
        let rows = known().map(|(label, row)| {
            let mut row = row.shown(label);
            // Its file may have been opened under another spelling than the first one.
            let share = label.of_share();
            if let Some(share) = share.and_then(|share| shares.get(&share)) {
                row.share = Some(Arc::clone(&share.name));
            }
            row
        });
        figures.places = rows.collect();
        figures.places.sort_by(|a, b| {
            let wait = |row: &PlaceRow| std::cmp::Reverse(row.response_time.total);
            (a.by, wait(a), a.server, &a.share, &a.name).cmp(&(
                b.by,
                wait(b),
                b.server,
                &b.share,
                &b.name,
            ))
        });
    }
}

impl PlaceTally {
    fn count(&mut self, group: &Group, times: &GroupTimes) {
        self.counts.merge(&group.counts);
        self.frames.merge(&group.frames);
        let bytes = match group.key.kind {
            Kind::Write => &mut self.written_bytes,
            _ => &mut self.read_bytes,
        };
        *bytes = bytes.saturating_add(group.data_bytes);
        if !counts_for_places(group.key.kind) {
            return;
        }
        self.response_time.merge(times.response_time.spread());
        self.turnaround.merge(times.turnaround.spread());
        self.moving_bytes = self.moving_bytes.saturating_add(group.moving_bytes());
        self.moving_ns = self.moving_ns.saturating_add(group.moving_ns);
        for (line, took) in group.lines.iter().filter_map(|l| Some((l, l.times?))) {
            self.response_times.record(line.number, took.response_ns);
            if let Some(ns) = took.turnaround_ns {
                self.turnarounds.record(line.number, ns);
            }
        }
    }

    fn shown(&self, of: &Label) -> PlaceRow {
        let mut row = PlaceRow::new(of);
        row.counts = self.counts;
        row.turnaround = self.turnaround;
        row.response_time = self.response_time;
        row.read_bytes = self.read_bytes;
        row.written_bytes = self.written_bytes;
        row.frames = self.frames;
        row.moving_bytes = self.moving_bytes;
        row.moving_ns = self.moving_ns;
        row.samples = Samples {
            turnaround: self.turnarounds.sample(),
            response_time: self.response_times.sample(),
        };
        row
    }
}
