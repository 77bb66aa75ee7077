//! How turnaround and response times are spread, for the capture and for each server.

use super::{clean_turnaround, counts_for_places, timed};
use crate::table::Table;
use crate::{DistributionRow, Distributions, Histogram, Transaction};
use std::cmp::Reverse;
use wirewait_wire::Endpoint;

#[derive(Default)]
struct Row {
    turnaround: Histogram,
    response_time: Histogram,
    response_ns: i128,
}

pub(super) struct Spreads {
    all: Row,
    servers: Table<Endpoint, Row>,
    pub(super) evicted: u64,
}

impl Spreads {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            all: Row::default(),
            servers: Table::new(capacity),
            evicted: 0,
        }
    }

    /// Counts a closed transaction.
    pub(super) fn closed(&mut self, t: &Transaction) {
        let Some(ns) = timed(t).filter(|_| counts_for_places(t.kind)) else {
            return;
        };
        let server = t.server.station();
        let at = match self.servers.find(&server) {
            Some(at) => at,
            None => {
                let (at, evicted) = self.servers.insert(server, Row::default());
                self.evicted += u64::from(evicted.is_some());
                at
            }
        };
        for row in [&mut self.all, self.servers.at(at)] {
            row.response_time.record(ns);
            row.response_ns += i128::from(ns);
            if let Some(ns) = clean_turnaround(t) {
                row.turnaround.record(ns);
            }
        }
    }

    /// Servers by total response time, the greatest first.
    pub(super) fn rows(&self) -> Distributions {
        let mut servers: Vec<(&Endpoint, &Row)> = self.servers.iter().collect();
        servers.sort_by_key(|(server, row)| (Reverse(row.response_ns), **server));
        Distributions {
            turnaround: self.all.turnaround,
            response_time: self.all.response_time,
            servers: servers
                .into_iter()
                .map(|(server, row)| DistributionRow {
                    server: *server,
                    turnaround: row.turnaround,
                    response_time: row.response_time,
                })
                .collect(),
        }
    }
}
