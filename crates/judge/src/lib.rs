//! What follows from the figures: functions of [`Snapshot`](wirewait_analysis::Snapshot)s that
//! count nothing themselves. The [`Verdict`] says who had most of the time; [`compare`] says what
//! changed from one capture to another;
//! [`nearest`] names the symptom that came nearest to its threshold.

#![forbid(unsafe_code)]

pub mod compare;
mod nearest;
mod verdict;

pub use nearest::{Measured, Nearest, nearest};
pub use verdict::{Culprit, Doubt, Finding, OnTheWay, Share, Verdict};
