//! By the number of routers that requests had passed, where these are counted.

use crate::Collector;
use std::collections::BTreeMap;
use wirewait_model::figures::counts_for_stations;
use wirewait_model::records::{Entities, Group, GroupTimes, Records};
use wirewait_model::{Counts, Distribution, Figures, HopRow, Spread};
use wirewait_wire::Timestamp;

/// At most one row for each number of routers, 256.
#[derive(Default)]
pub(crate) struct Hops {
    rows: BTreeMap<u8, HopTally>,
}

#[derive(Default)]
struct HopTally {
    counts: Counts,
    response_time: Distribution,
    turnaround: Spread,
    data_bytes: u64,
    moving_bytes: u64,
    moving_ns: i128,
    span: Option<(Timestamp, Timestamp)>,
}

impl Collector for Hops {
    fn batch(&mut self, records: &Records<'_>) {
        for (group, times) in records.grouped() {
            if let Some(hops) = group.key.hops {
                self.rows.entry(hops).or_default().count(group, times);
            }
        }
    }

    fn write(&self, _: &dyn Entities, figures: &mut Figures) {
        let rows = self.rows.iter();
        figures.hops = rows.map(|(hops, row)| row.shown(*hops)).collect();
    }
}

impl HopTally {
    fn count(&mut self, group: &Group, times: &GroupTimes) {
        self.counts.merge(&group.counts);
        self.data_bytes = self.data_bytes.saturating_add(group.data_bytes);
        self.moving_bytes = self.moving_bytes.saturating_add(group.moving_bytes());
        self.moving_ns = self.moving_ns.saturating_add(group.moving_ns);
        self.span = match (self.span, group.span) {
            (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
            (known, new) => known.or(new),
        };
        if counts_for_stations(group.key.kind) {
            self.response_time.record_all(&times.response_time);
            self.turnaround.merge(times.turnaround.spread());
        }
    }

    fn shown(&self, hops: u8) -> HopRow {
        let elapsed = self.span.map_or(0, |(from, to)| to.since(from));
        let mut row = HopRow::default();
        row.hops = hops;
        row.counts = self.counts;
        row.response_time = self.response_time.times();
        row.turnaround = self.turnaround;
        row.data_bytes = self.data_bytes;
        row.moving_bytes = self.moving_bytes;
        row.moving_ns = self.moving_ns;
        row.elapsed_ns = elapsed.try_into().unwrap_or(0);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NAMED, batch, group, line, timed};

    #[test]
    fn a_row_for_each_number_of_routers() {
        let behind = |hops, mut of: Group| {
            of.key.hops = hops;
            of.span = Some((Timestamp::from_nanos(0), Timestamp::from_nanos(1_000_000)));
            (of.data_bytes, of.untimed_bytes) = (500, 100);
            of.moving_ns = 100_000;
            of
        };
        let mut hops = Hops::default();
        batch(
            &mut hops,
            &[],
            &[
                behind(Some(2), group(Some(1), &[timed(10), timed(20)])),
                behind(None, group(Some(1), &[timed(10)])),
                behind(Some(0), group(Some(1), &[line()])),
                behind(Some(2), group(Some(2), &[timed(30)])),
            ],
        );
        let mut figures = Figures::default();
        hops.write(&NAMED, &mut figures);
        let [none, two] = figures.hops.try_into().unwrap();
        assert_eq!((none.hops, none.counts.requests), (0, 1));
        assert_eq!(
            (two.hops, two.counts.requests, two.response_time.p50),
            (2, 3, 20)
        );
        // 1,000 bytes in 1 ms.
        assert_eq!(two.throughput(), Some(1_000_000));
        // 800 of them in 200 us of response time.
        assert_eq!(two.per_request(), Some(4_000_000));
    }
}
