//! How large the requests of each client are.

use crate::{Collector, Rows};
use wirewait_model::distribution::Batch;
use wirewait_model::records::{Entities, Joined, Line, Records};
use wirewait_model::{Cell, Column, Distribution, Figures, Outcome, Statistic};
use wirewait_wire::Endpoint;

const COLUMNS: &[Column] = &[
    Column::new("client", "client"),
    Column::new("requests", "requests"),
    Column::percentile("median_bytes", "median size"),
    Column::percentile("p95_bytes", "p95"),
    Column::new("max_bytes", "largest"),
];

#[derive(Default)]
pub(crate) struct RequestSize {
    clients: Rows<Endpoint, Distribution>,
    without_row: u64,
    /// Room for the sizes of a group.
    sizes: Batch,
}

impl Collector for RequestSize {
    fn batch(&mut self, records: &Records<'_>) {
        for group in records.groups {
            let lines = group.lines.iter();
            let counted = lines.filter(|line| {
                line.outcome != Outcome::OrphanResponse && !line.flags.is_incomplete()
            });
            let bytes = |line: &Line| i64::try_from(line.request_bytes).unwrap_or(i64::MAX);
            self.sizes.fill(counted.map(bytes));
            let client = group.key.client;
            match client.and_then(|id| self.clients.of(id, drop)) {
                Some(sizes) => sizes.record_all(&self.sizes),
                None => self.without_row += self.sizes.spread().n,
            }
        }
    }

    fn joined(&mut self, Joined { client, first, .. }: &Joined) {
        if let Some(others) = self.clients.take(*client) {
            match self.clients.of(*first, drop) {
                Some(sizes) => sizes.absorb(&others),
                None => self.without_row += others.n(),
            }
        }
    }

    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let mut rows: Vec<_> = self
            .clients
            .iter()
            .filter(|(_, sizes)| sizes.n() > 0)
            .filter_map(|(id, sizes)| Some((entities.station(id)?, sizes.times())))
            .collect();
        rows.sort_by_key(|(client, sizes)| (std::cmp::Reverse(sizes.n), *client));
        let bytes = |n: i64| Cell::Bytes(n.unsigned_abs());
        let cells = rows.into_iter().map(|(client, sizes)| {
            vec![
                Cell::Station(client),
                Cell::Count(sizes.n),
                bytes(sizes.p50),
                bytes(sizes.p95),
                bytes(sizes.max),
            ]
        });
        figures.statistics.push(Statistic {
            name: "request_size",
            title: "Size of requests",
            about: "Bytes of each request from its first header above the transport to its end, \
                    data that it writes included. Requests that the capture has only in part are \
                    left out.",
            columns: COLUMNS,
            rows: cells.collect(),
            without_row: self.without_row,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NAMED, group, line};
    use wirewait_model::Flags;

    fn sized(request_bytes: u64) -> Line {
        Line {
            request_bytes,
            ..line()
        }
    }

    #[test]
    fn each_client_has_a_median_of_its_own() {
        let mut lost = sized(1_000_000);
        lost.flags.set(Flags::CAPTURE_LOSS);
        let orphan = Line {
            outcome: Outcome::OrphanResponse,
            ..sized(2_000_000)
        };
        let groups = [
            group(Some(1), &[sized(60), sized(70), lost, orphan, sized(4_000)]),
            group(Some(2), &[sized(64)]),
            group(Some(9), &[sized(64)]),
            group(None, &[sized(64)]),
        ];
        let mut sizes = RequestSize::default();
        // In any cut.
        for groups in groups.chunks(3) {
            let records = Records {
                groups,
                ..Records::default()
            };
            sizes.batch(&records);
        }
        let mut figures = Figures::default();
        sizes.write(&NAMED, &mut figures);
        let [statistic] = figures.statistics.as_slice() else {
            panic!("{figures:?}");
        };
        let client = |last| Cell::Station(Endpoint::mac([2, 0, 0, 0, 0, last]));
        let bytes = Cell::Bytes;
        assert_eq!(
            statistic.rows,
            [
                vec![
                    client(1),
                    Cell::Count(3),
                    bytes(70),
                    bytes(4_000),
                    bytes(4_000)
                ],
                vec![client(2), Cell::Count(1), bytes(64), bytes(64), bytes(64)],
            ]
        );
        assert_eq!(statistic.without_row, 1);
        assert!(statistic.rows.iter().all(|row| row.len() == COLUMNS.len()));
    }
}
