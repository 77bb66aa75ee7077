//! How turnaround and response times are spread, for the capture and for each server.

use crate::Collector;
use crate::rows::FewRows;
use std::cmp::Reverse;
use wirewait_model::figures::counts_for_places;
use wirewait_model::records::{Entities, GroupTimes, Records};
use wirewait_model::{DistributionRow, Distributions, Figures, Histogram};
use wirewait_wire::Endpoint;

/// The capture is the sum of its rows.
#[derive(Default)]
pub(crate) struct Spread {
    servers: FewRows<Endpoint, SpreadTally>,
    /// Of servers of which nothing is kept, or no longer.
    others: SpreadTally,
}

#[derive(Default)]
struct SpreadTally {
    turnaround: Histogram,
    response_time: Histogram,
    response_ns: i128,
}

impl Collector for Spread {
    fn batch(&mut self, records: &Records<'_>) {
        for (group, times) in records.grouped() {
            if times.response_time.spread().n == 0 || !counts_for_places(group.key.kind) {
                continue;
            }
            let Self { servers, others } = self;
            let server = group.key.server;
            let server = server.and_then(|id| servers.of(id, |gone| others.merge(&gone)));
            server.unwrap_or(others).count(times);
        }
    }

    /// Servers by total response time, the greatest first.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let Distributions {
            turnaround,
            response_time,
            servers: rows,
        } = &mut figures.distribution;
        for row in self
            .servers
            .iter()
            .map(|(_, row)| row)
            .chain([&self.others])
        {
            turnaround.merge(&row.turnaround);
            response_time.merge(&row.response_time);
        }
        let servers = self.servers.iter();
        let mut servers: Vec<(Endpoint, &SpreadTally)> = servers
            .filter_map(|(id, row)| Some((entities.station(id)?, row)))
            .collect();
        servers.sort_by_key(|(server, row)| (Reverse(row.response_ns), *server));
        rows.extend(servers.into_iter().map(|(server, row)| DistributionRow {
            server,
            turnaround: row.turnaround,
            response_time: row.response_time,
        }));
    }
}

impl SpreadTally {
    fn count(&mut self, times: &GroupTimes) {
        let spread = times.response_time.spread();
        self.response_ns = self.response_ns.saturating_add(spread.total);
        self.response_time.record_all(&times.response_time);
        self.turnaround.record_all(&times.turnaround);
    }

    fn merge(&mut self, other: &Self) {
        self.turnaround.merge(&other.turnaround);
        self.response_time.merge(&other.response_time);
        self.response_ns = self.response_ns.saturating_add(other.response_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NAMED, batch, group, line, timed};

    /// What each server counts, with those whose place went to another one.
    #[test]
    fn the_capture_is_the_sum_of_its_servers() {
        let at = |server: Option<u32>, generation: u32, ns: i64| {
            let mut group = group(Some(1), &[timed(ns)]);
            group.key.server = server.map(|index| {
                let generation = std::num::NonZeroU32::new(generation).unwrap();
                wirewait_model::records::EntityId::new(index, generation)
            });
            group
        };
        let groups = [
            at(Some(3), 1, 1_000),
            at(Some(4), 1, 2_000_000),
            // Another one stands in the place of 4, and a record of the one before comes late.
            at(Some(4), 2, 3_000_000),
            at(Some(4), 1, 4_000_000),
            at(None, 1, 5_000_000_000),
            group(Some(1), &[line()]),
        ];
        let mut spread = Spread::default();
        batch(&mut spread, &[], &groups);
        let mut figures = Figures::default();
        spread.write(&NAMED, &mut figures);
        let found = &figures.distribution;
        assert_eq!((found.response_time.n(), found.turnaround.n()), (5, 5));
        // Of the one in the second generation nobody knows the name.
        assert_eq!(found.servers.len(), 1);
        assert_eq!(found.servers[0].response_time.n(), 1);
    }
}
