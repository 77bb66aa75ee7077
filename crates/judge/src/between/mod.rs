//! Two captures of the same traffic, one at each end: what neither can tell alone. The clients' time is
//! what the capture at their end shows between requests, the servers' the turnarounds of the
//! capture at theirs, and the rest of what a request took is the way. Durations at one end need no
//! common clock.
//!
//! Frames are known again by their bytes, but for what changes on the way: the count of routers, and
//! checksums, which a network adapter may write behind the capture.

mod clocks;
mod drift;
mod in_vain;
mod joined;
mod offload;
mod rows;
mod same_requests;
mod segments;
mod sights;
mod time;

pub use clocks::Clocks;
pub use in_vain::InVain;
pub use joined::{Between, LostFrames, PlaceOfCapture, Unjoined};
pub use rows::{BetweenOf, BetweenRow};
pub use sights::{BREAKS, CHANNELS, FRAMES, FramesSeen, REQUESTS, RequestsSeen};
