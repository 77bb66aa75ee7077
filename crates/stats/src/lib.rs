//! Statistics over the transactions of a capture. Each is a file of its own that implements
//! [`Collector`], and a line in `all` below.

#![forbid(unsafe_code)]

mod excluded;
mod hops;
mod load;
mod operations;
mod passers;
mod places;
mod request_size;
mod rows;
mod sizes;
mod spread;
mod stations;
#[cfg(test)]
mod testing;

pub use rows::Rows;

use wirewait_model::Figures;
use wirewait_model::records::{Entities, Records};

/// Makes a statistic of records.
pub trait Collector: Send {
    /// Counts what happened.
    fn batch(&mut self, records: &Records<'_>);

    /// Adds the statistic as it stands.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures);
}

/// What statistics depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Rows kept of each kind.
    pub rows: usize,
    /// Gaps between requests up to this long are the client's work, longer ones think time, ns.
    pub think_ns: i64,
}

/// All statistics, in the order in which they are shown.
fn all(options: &Options) -> Vec<Box<dyn Collector>> {
    vec![
        Box::new(operations::Operations::new(options)),
        Box::new(stations::Stations::new(options)),
        Box::new(places::Places::default()),
        Box::new(spread::Spread::default()),
        Box::new(hops::Hops::default()),
        Box::new(load::Load::new(options)),
        Box::new(sizes::Sizes::default()),
        Box::new(excluded::ExcludedFrom::default()),
        Box::new(request_size::RequestSize::default()),
    ]
}

/// All statistics at work.
pub struct Collectors(Vec<Box<dyn Collector>>);

impl Collectors {
    /// Without anything counted as yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self(all(options))
    }

    /// Counts what happened.
    pub fn batch(&mut self, records: &Records<'_>) {
        for one in &mut self.0 {
            one.batch(records);
        }
    }

    /// All of them as they stand.
    #[must_use]
    pub fn figures(&self, entities: &dyn Entities) -> Figures {
        let mut figures = Figures::default();
        for one in &self.0 {
            one.write(entities, &mut figures);
        }
        figures
    }
}
