//! Figures by the number of routers that requests passed.

use crate::{Counts, Spread, Times};
use std::collections::BTreeMap;
use wirewait_model::Distribution;
use wirewait_model::figures::counts_for_stations;
use wirewait_model::records::{Group, GroupTimes};
use wirewait_wire::Timestamp;

/// The number of routers at which a packet is thrown away, where routers are counted up.
pub const HOP_LIMIT: u8 = 16;

/// Requests that passed so many routers before they were captured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HopRow {
    /// Routers.
    pub hops: u8,
    /// What became of them.
    pub counts: Counts,
    /// t4 - t1, waits by design, session set-up and breaks apart.
    pub response_time: Times,
    /// t3 - t2 of the same where it is exact and the server had nothing else to do.
    pub turnaround: Spread,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// Response time of the requests that moved it, ns.
    pub moving_ns: i128,
    /// From the first request's first frame to the last answer's last, ns.
    pub elapsed_ns: u64,
}

impl HopRow {
    /// File data per second of elapsed time, bytes: what all stations together got.
    #[must_use]
    pub fn throughput(&self) -> Option<u64> {
        let scaled = u128::from(self.data_bytes) * 1_000_000_000;
        let rate = scaled.checked_div(u128::from(self.elapsed_ns))?;
        u64::try_from(rate).ok().filter(|_| self.data_bytes > 0)
    }

    /// File data per second of response time, bytes: what one request got.
    #[must_use]
    pub fn per_request(&self) -> Option<u64> {
        let scaled = u128::from(self.data_bytes) * 1_000_000_000;
        let rate = scaled.checked_div(self.moving_ns.unsigned_abs())?;
        u64::try_from(rate).ok().filter(|_| self.data_bytes > 0)
    }
}

#[derive(Default)]
struct Row {
    counts: Counts,
    response_time: Distribution,
    turnaround: Spread,
    data_bytes: u64,
    moving_ns: i128,
    span: Option<(Timestamp, Timestamp)>,
}

/// At most one row for each number of routers, 256.
#[derive(Default)]
pub(super) struct Hops {
    rows: BTreeMap<u8, Row>,
}

impl Hops {
    pub(super) fn post(&mut self, group: &Group, times: &GroupTimes) {
        let Some(hops) = group.key.hops else {
            return;
        };
        let row = self.rows.entry(hops).or_default();
        row.counts.merge(&group.counts);
        row.data_bytes = row.data_bytes.saturating_add(group.data_bytes);
        row.moving_ns = row.moving_ns.saturating_add(group.moving_ns);
        row.span = match (row.span, group.span) {
            (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
            (known, new) => known.or(new),
        };
        if counts_for_stations(group.key.kind) {
            row.response_time.record_all(&times.response_time);
            row.turnaround.merge(times.turnaround.spread());
        }
    }

    pub(super) fn rows(&self) -> Vec<HopRow> {
        let rows = self.rows.iter();
        rows.map(|(hops, row)| HopRow {
            hops: *hops,
            counts: row.counts,
            response_time: row.response_time.times(),
            turnaround: row.turnaround,
            data_bytes: row.data_bytes,
            moving_ns: row.moving_ns,
            elapsed_ns: row
                .span
                .map_or(0, |(from, to)| to.since(from))
                .try_into()
                .unwrap_or(0),
        })
        .collect()
    }
}
