//! A server as a whole: all its operations together.

use crate::{Counts, FrameSums, Samples, ServerRow, Snapshot, Spread, Times};
use wirewait_wire::{Endpoint, Kind};

/// All operations of one server together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerTotal {
    /// The server's station.
    pub server: Endpoint,
    /// Protocol and carrier of its requests, in the order of its rows.
    pub protocols: Vec<(&'static str, &'static str)>,
    /// What became of them.
    pub counts: Counts,
    /// t3 - t2 as in [`ServerRow::turnaround`]; waits by design and breaks apart.
    pub turnaround: Times,
    /// t4 - t1 likewise.
    pub response_time: Times,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// The values of turnaround and response time.
    pub samples: Samples,
}

impl Snapshot {
    /// Servers, in the order of their rows: by total response time, the greatest first.
    #[must_use]
    pub fn server_totals(&self) -> Vec<ServerTotal> {
        self.servers
            .chunk_by(|a, b| a.server == b.server)
            .filter_map(|rows| total(rows.first()?.server, rows))
            .collect()
    }
}

fn total(server: Endpoint, rows: &[ServerRow]) -> Option<ServerTotal> {
    let mut protocols = Vec::new();
    let mut counts = Counts::default();
    let mut frames = FrameSums::default();
    let mut samples = Samples::default();
    let (mut turnaround, mut response_time) = (Spread::default(), Spread::default());
    let mut data_bytes = 0u64;
    for row in rows {
        let protocol = (row.protocol, row.carrier);
        if !protocols.contains(&protocol) {
            protocols.push(protocol);
        }
        counts.merge(&row.counts);
        frames.merge(&row.frames);
        data_bytes = data_bytes.saturating_add(row.data_bytes);
        if !matches!(row.kind, Kind::Wait | Kind::Break) {
            samples.merge(&row.samples);
            turnaround.merge(&spread(&row.turnaround));
            response_time.merge(&spread(&row.response_time));
        }
    }
    Some(ServerTotal {
        server,
        protocols,
        counts,
        turnaround: samples.turnaround.times(&turnaround),
        response_time: samples.response_time.times(&response_time),
        frames,
        data_bytes,
        samples,
    })
}

fn spread(times: &Times) -> Spread {
    Spread {
        n: times.n,
        min: times.min,
        max: times.max,
        total: times.total,
    }
}
