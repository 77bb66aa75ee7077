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
use wirewait_model::records::{Entities, GroupTimes, RecordBatch, Records};

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
pub struct Collectors {
    all: Vec<Box<dyn Collector>>,
    /// Room for the times of groups.
    times: Vec<GroupTimes>,
}

impl Collectors {
    /// Without anything counted as yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self {
            all: all(options),
            times: Vec::new(),
        }
    }

    /// With one more, which is shown behind the others.
    #[must_use]
    pub fn with(mut self, own: Box<dyn Collector>) -> Self {
        self.all.push(own);
        self
    }

    /// Counts what happened.
    pub fn batch(&mut self, batch: &RecordBatch) {
        let groups = &batch.groups;
        if self.times.len() < groups.len() {
            self.times.resize_with(groups.len(), GroupTimes::default);
        }
        for (times, group) in self.times.iter_mut().zip(groups) {
            times.fill(group);
        }
        let records = Records {
            moments: &batch.moments,
            groups,
            times: &self.times[..groups.len()],
            strangers: &batch.strangers,
        };
        for one in &mut self.all {
            one.batch(&records);
        }
    }

    /// All of them as they stand.
    #[must_use]
    pub fn figures(&self, entities: &dyn Entities) -> Figures {
        let mut figures = Figures::default();
        for one in &self.all {
            one.write(entities, &mut figures);
        }
        figures
    }
}
