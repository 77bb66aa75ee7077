//! What follows from the figures: functions of [`Snapshot`](wirewait_analysis::Snapshot)s that
//! count nothing themselves. The [`Verdict`] says who had most of the time; [`compare`] says what
//! changed from one capture to another; [`between`] joins two of the same traffic;
//! [`nearest`] names the symptom that came nearest to its threshold, [`foremost`] the one to act on first.

#![forbid(unsafe_code)]

mod behind;
pub mod between;
mod by_design;
mod coarse;
pub mod compare;
mod finding;
mod floor;
mod foremost;
mod missing;
mod nearest;
mod open_request;
mod outside;
mod refused;
mod regular;
mod services;
mod share;
mod verdict;
mod when;

pub use behind::{FileBehind, OperationBehind, ShareBehind, StallBehind};
pub use by_design::ByDesign;
pub use coarse::row_parts;
pub use finding::Finding;
pub use foremost::foremost;
pub use missing::Missing;
pub use nearest::{Measured, Nearest, nearest};
pub use open_request::OpenRequest;
pub use outside::OutsideCost;
pub use refused::RefusedRequests;
pub use regular::RegularPauses;
pub use services::OtherServices;
pub use share::{Culprit, Share};
pub use verdict::{Doubt, OnTheWay, Verdict};
pub use when::BusyTime;

/// How often the capture has this reason to be doubted.
fn reason(snapshot: &wirewait_analysis::Snapshot, name: &str) -> u64 {
    let mut reasons = snapshot.capture.reasons.iter();
    let reason = reasons.find(|reason| reason.name == name);
    reason.map_or(0, |reason| reason.count)
}
