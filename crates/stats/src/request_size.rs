//! How large the requests of each client are.

use crate::{Collector, Rows};
use wirewait_model::records::{Entities, Records};
use wirewait_model::{Cell, Column, Distribution, Outcome, Statistic};

const COLUMNS: &[Column] = &[
    Column::new("client", "client"),
    Column::new("requests", "requests"),
    Column::percentile("median_bytes", "median size"),
    Column::percentile("p95_bytes", "p95"),
    Column::new("max_bytes", "largest"),
];

#[derive(Default)]
pub(crate) struct RequestSize {
    clients: Rows<Distribution>,
    without_row: u64,
}

impl Collector for RequestSize {
    fn batch(&mut self, records: &Records<'_>) {
        for closed in records.closed {
            if closed.outcome == Outcome::OrphanResponse || closed.flags.is_incomplete() {
                continue;
            }
            match closed.client {
                Some(client) => {
                    let bytes = i64::try_from(closed.request_bytes).unwrap_or(i64::MAX);
                    self.clients.of(client).record(bytes);
                }
                None => self.without_row += 1,
            }
        }
    }

    fn statistic(&self, entities: &dyn Entities) -> Statistic {
        let mut rows: Vec<_> = self
            .clients
            .iter()
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
        Statistic {
            name: "request_size",
            title: "Size of requests",
            about: "Bytes of each request from its first header above the transport to its end, \
                    data that it writes included. Requests that the capture has only in part are \
                    left out.",
            columns: COLUMNS,
            rows: cells.collect(),
            without_row: self.without_row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;
    use wirewait_model::Flags;
    use wirewait_model::records::{Closed, StationId};
    use wirewait_wire::{Endpoint, Kind};

    struct Named;

    impl Entities for Named {
        fn station(&self, id: StationId) -> Option<Endpoint> {
            let last = u8::try_from(id.index()).unwrap();
            (last != 9).then(|| Endpoint::mac([2, 0, 0, 0, 0, last]))
        }
    }

    fn closed(client: Option<u32>, request_bytes: u64) -> Closed {
        Closed {
            number: 1,
            client: client.map(|index| StationId::new(index, NonZeroU32::MIN)),
            server: None,
            request_bytes,
            response_bytes: 0,
            data_bytes: 0,
            response_time_ns: None,
            kind: Kind::Read,
            outcome: Outcome::Answered,
            flags: Flags::default(),
        }
    }

    #[test]
    fn each_client_has_a_median_of_its_own() {
        let mut lost = closed(Some(1), 1_000_000);
        lost.flags.set(Flags::CAPTURE_LOSS);
        let orphan = Closed {
            outcome: Outcome::OrphanResponse,
            ..closed(Some(1), 2_000_000)
        };
        let records = [
            closed(Some(1), 60),
            closed(Some(1), 70),
            lost,
            orphan,
            closed(Some(1), 4_000),
            closed(Some(2), 64),
            closed(Some(9), 64),
            closed(None, 64),
        ];
        let mut sizes = RequestSize::default();
        // In any cut.
        for cut in records.chunks(3) {
            sizes.batch(&Records { closed: cut });
        }
        let statistic = sizes.statistic(&Named);
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
