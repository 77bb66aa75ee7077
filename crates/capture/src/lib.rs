//! Capture files, in and out.
//!
//! [`open`] takes the files of one capture and gives a [`Files`], a
//! [`wirewait_wire::Source`] that yields their frames in time order. What a file is
//! gets decided by its content, never by its name. [`mod@write`] makes pcap and pcapng
//! files, `filter` runs capture filter expressions.
//!
//! The parts, bottom up: a `Window` reads a stream in large pieces and lends parts of
//! it; a `Reader`, one per file format, finds the records in a window; `Files` merges
//! readers. A new format is a file with a `Reader`, its `mod`, and one line in the table in
//! `format.rs`. Nothing in this crate prints.

#![forbid(unsafe_code)]

mod archive;
mod calendar;
mod causes;
mod clock;
mod completeness;
mod compressed;
mod fault;
mod files;
#[cfg(feature = "libpcap")]
pub mod filter;
mod foreign;
mod format;
pub mod held;
mod input;
mod interfaces;
mod iptrace;
mod lanalyzer;
pub mod live;
mod netmon;
mod netxray;
mod ngsniffer;
mod opening;
mod origins;
mod pcap;
mod pcapng;
mod raw;
mod reader;
pub mod recent;
mod records;
pub mod ring;
mod snoop;
mod stream;
mod window;
pub mod write;

pub use causes::{cannot_open, cannot_write, unnumbered};
pub use files::{Files, Options, Progress, STEP_BACK, is_skipped, open};
pub use interfaces::Interface;
pub use origins::Origins;
pub use raw::MAX_FRAME;
