//! How turnaround and response times are spread, for the capture and for each server.

use super::counts_for_places;
use crate::column::Column;
use crate::journal::{Columns, Heading};
use crate::parties::Directory;
use crate::{DistributionRow, Distributions, Histogram};
use std::cmp::Reverse;
use wirewait_model::histogram::Step;
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

    /// Counts closed transactions.
    pub(super) fn post(&mut self, heading: &Heading, columns: &Columns) {
        let times = columns.response_time.spread();
        if times.n == 0 || !counts_for_places(heading.kind) {
            return;
        }
        let mut server = self.servers.still(heading.parties.server);
        if let Some(row) = &mut server {
            row.response_ns = row.response_ns.saturating_add(times.total);
        }
        let all = &mut self.all;
        for step in columns.response_time.values().map(Step::of) {
            all.response_time.count(step);
            if let Some(row) = &mut server {
                row.response_time.count(step);
            }
        }
        for step in columns.turnaround.values().map(Step::of) {
            all.turnaround.count(step);
            if let Some(row) = &mut server {
                row.turnaround.count(step);
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
