//! Performance Monitor's objects and counters, from what the meters of the analysis show.
//!
//! Which counters there are, what they are called, how each is formed, and how far the wire
//! shows it stands in `counters/table.csv`; what only the machine itself knows is listed
//! there, and never has a value. A rate is the difference of two readings by the time between
//! them, as Performance Monitor formed it; readings are taken at the ends of intervals of the
//! frames' own time. [`Sampler`] takes them, [`text`], [`json`], [`csv`] and [`pdh_csv`] write
//! them; [`Live`] keeps the latest for the screen.

mod json;
mod live;
mod objects;
mod pdh;
mod ratios;
mod rows;
mod samples;
mod spool;
mod table;
pub(crate) mod text;

pub use json::{SCHEMA, json};
pub use live::{Chart, CounterPlace, Kind, Line, Listed, Live, Pick, SAMPLES};
pub use pdh::pdh_csv;
pub use rows::{Counters, Sample, csv, each};
pub use samples::{Leap, Refusal, Sampler, Samples};
pub use spool::Scratch;
pub use text::text;

#[cfg(test)]
mod tests;
