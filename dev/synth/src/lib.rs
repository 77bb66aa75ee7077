//! Captures with known answers.
//!
//! This crate makes frames by its own reading of the specifications: it shares no code with
//! the dissectors, so that the two can prove each other. Four layers:
//!
//! * builders, one file per protocol ([`ethernet`], [`ipx`], [`ncp`], [`nbipx`], [`spx`],
//!   [`idp`], [`spp`], [`llc`], [`nbf`], [`ipv4`], [`decnet`], [`last`], [`smb1`], [`smb2`]):
//!   fields in, bytes out;
//! * [`Scenario`]: a small text language in which a situation is written down together with
//!   the answer that an analyser must give;
//! * [`lab`]: stations and a wire in virtual time, captured at both ends, and their logs;
//! * [`bulk()`]: millions of frames with a known mean, for measurements of speed.

#![forbid(unsafe_code)]

pub mod bulk;
mod bytes;
pub mod decnet;
pub mod ethernet;
pub mod idp;
pub mod ipv4;
pub mod ipx;
pub mod lab;
pub mod last;
pub mod llc;
pub mod nbf;
pub mod nbipx;
pub mod ncp;
mod pcapng;
mod prng;
pub mod scenario;
pub mod smb1;
pub mod smb2;
pub mod spp;
pub mod spx;
pub mod tunnel;

pub use bulk::{Shape, Truth, bulk};
pub use bytes::file_data;
pub use prng::Random;
pub use scenario::{Error, Scenario};

pub use wirewait_wire::OwnedFrame;
