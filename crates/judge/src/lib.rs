//! What follows from the figures: functions of [`Snapshot`](wirewait_analysis::Snapshot)s that
//! count nothing themselves. The [`Verdict`] says who had most of the time; [`compare`] says what
//! changed from one capture to another.

#![forbid(unsafe_code)]

pub mod compare;
mod verdict;

pub use verdict::{Culprit, Doubt, Finding, OnTheWay, Share, Verdict};
