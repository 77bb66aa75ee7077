//! How turnaround and response times are spread, for the capture and for each server.

use super::{clean_turnaround, counts_for_places, timed};
use crate::column::Column;
use crate::histogram::Step;
use crate::parties::Directory;
use crate::table::Place;
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
    servers: Column<Row>,
}

impl Spreads {
    pub(super) fn new() -> Self {
        Self {
            all: Row::default(),
            servers: Column::new(),
        }
    }

    /// Counts a closed transaction.
    pub(super) fn closed(&mut self, t: &Transaction, server: Place) {
        let Some(ns) = timed(t).filter(|_| counts_for_places(t.kind)) else {
            return;
        };
        let response_time = Step::of(ns);
        let turnaround = clean_turnaround(t).map(Step::of);
        for row in [&mut self.all, self.servers.of(server)] {
            row.response_time.count(response_time);
            row.response_ns += i128::from(ns);
            if let Some(turnaround) = turnaround {
                row.turnaround.count(turnaround);
            }
        }
    }

    /// Servers by total response time, the greatest first.
    pub(super) fn rows(&self, directory: &Directory) -> Distributions {
        let servers = self.servers.iter();
        let mut servers: Vec<(Endpoint, &Row)> = servers
            .filter_map(|(place, row)| Some((directory.station(place)?, row)))
            .collect();
        servers.sort_by_key(|(server, row)| (Reverse(row.response_ns), *server));
        Distributions {
            turnaround: self.all.turnaround,
            response_time: self.all.response_time,
            servers: servers
                .into_iter()
                .map(|(server, row)| DistributionRow {
                    server,
                    turnaround: row.turnaround,
                    response_time: row.response_time,
                })
                .collect(),
        }
    }
}
