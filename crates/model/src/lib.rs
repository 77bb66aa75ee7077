//! What is known of a capture, as plain values: nothing here reads, waits or decides.
//!
//! [`records`] go from the pairing to the statistics; a [`Statistic`] is what comes of one.

#![forbid(unsafe_code)]

pub mod digest;
pub mod distribution;
mod exclusion;
mod extent;
pub mod figures;
pub mod histogram;
mod label;
pub mod load;
mod outcome;
pub mod records;
pub mod sample;
mod statistic;
mod times;

pub use distribution::Distribution;
pub use exclusion::{Exclusion, Exclusions};
pub use extent::{DISPLACED_NS, Extent, Mark};
pub use figures::{
    Counts, DistributionRow, Distributions, Excluded, Figures, FrameSums, Grouping, HopRow, Losses,
    PlaceRow, ServerRow, StationRow,
};
pub use histogram::{Bucket, Histogram, STEPS_NS};
pub use label::Label;
pub use outcome::{Flags, FrameCounts, Outcome, Turnaround};
pub use sample::{Fidelity, Sample, Samples};
pub use statistic::{Cell, Column, Statistic};
pub use times::{Spread, Times};

/// Answered requests below which nothing is concluded.
pub const ENOUGH: u64 = 20;

/// Number of values up to which percentiles are exact.
pub const EXACT_VALUES: usize = 64;
