//! A statistic of the program's own: how much of what each client requests is reading.
//! `cargo run --example own_collector FILE...`

use std::path::PathBuf;
use wirewait::model::records::{Entities, Records};
use wirewait::model::{Cell, Column, Figures, Statistic};
use wirewait::{Collector, Endpoint, Engine, Kind, Progress, Rows, Settings, SourceError};
use wirewait_capture::{Options, open};

fn main() -> Result<(), SourceError> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for row in readers(&files)?.rows {
        println!("{row:?}");
    }
    Ok(())
}

/// Requests of each client, and how many of them read. [`Rows`] is as long as the analysis
/// remembers clients.
#[derive(Default)]
struct Readers(Rows<Endpoint, [u64; 2]>);

const COLUMNS: &[Column] = &[
    Column::new("client", "client"),
    Column::new("requests", "requests"),
    Column::new("reads", "reads"),
];

impl Collector for Readers {
    fn batch(&mut self, records: &Records<'_>) {
        for group in records.groups {
            let client = group.key.client;
            if let Some(row) = client.and_then(|id| self.0.of(id, drop)) {
                row[0] += group.counts.requests;
                row[1] += match group.key.kind {
                    Kind::Read => group.counts.requests,
                    _ => 0,
                };
            }
        }
    }

    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let rows = self.0.iter().filter_map(|(id, [requests, reads])| {
            let client = entities.station(id)?;
            Some(vec![
                Cell::Station(client),
                Cell::Count(*requests),
                Cell::Count(*reads),
            ])
        });
        figures.statistics.push(Statistic {
            name: "readers",
            title: "Clients that read",
            about: "Requests of each client, and those of them that read from files.",
            columns: COLUMNS,
            rows: rows.collect(),
            without_row: 0,
        });
    }
}

pub(crate) fn readers(files: &[PathBuf]) -> Result<Statistic, SourceError> {
    let source = open(files, &Options::default())?;
    let mut engine =
        Engine::new(source, Settings::default()).collecting(Box::new(Readers::default()));
    while engine.step(&mut ())? == Progress::More {}
    let (mut snapshot, _) = engine.finish(&mut ());
    // It stands behind the built-in ones.
    Ok(snapshot.statistics.pop().expect("it collects"))
}
