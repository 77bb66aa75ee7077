//! Statistics over the transactions of a capture. Each is a file of its own that implements
//! [`Collector`], and a line in [`all`]; every output shows them all.

#![forbid(unsafe_code)]

mod request_size;
mod rows;

pub use rows::Rows;

use wirewait_model::Statistic;
use wirewait_model::records::{Entities, Records};

/// Makes a statistic of records.
pub trait Collector: Send {
    /// Counts what happened.
    fn batch(&mut self, records: &Records<'_>);

    /// The statistic as it stands.
    fn statistic(&self, entities: &dyn Entities) -> Statistic;
}

/// All statistics, in the order in which they are shown.
#[must_use]
pub fn all() -> Vec<Box<dyn Collector>> {
    vec![Box::new(request_size::RequestSize::default())]
}
