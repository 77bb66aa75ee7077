//! Pure formatting: from a [`Snapshot`] or a [`Transaction`] to any [`std::io::Write`].
//!
//! - [`text`]: what an administrator reads in a terminal;
//! - [`json`]: the same report for programs;
//! - [`csv`]: the same as one long table;
//! - [`html`]: the same as a file to look at, with plots;
//! - [`ladder`]: the frames of a conversation, for both of these;
//! - [`transactions`]: one row per transaction, as it closes;
//! - [`columns`]: what tables of text, page and screen have in common;
//! - [`rows`]: columns, for text and for files of columns;
//! - [`compare`]: several captures against one of them;
//! - [`counters`]: Performance Monitor's objects and counters, over time;
//! - [`intervals`]: figures of intervals of a live capture, as rows;
//! - [`decode`]: frames, layer by layer;
//! - [`protocols`]: what is understood, and by what it was checked;
//! - [`remarks`]: comments beside frames, for other programs that show them;
//! - [`config`]: files that a user writes, and mistakes in them.
//!
//! Nothing here measures anything: figures come from the analysis, in integers, and become
//! words when they are printed. Text from outside (file names, names on the wire) is
//! escaped, so that a capture cannot command the terminal it is shown in.
//!
//! [`Snapshot`]: wirewait_analysis::Snapshot
//! [`Transaction`]: wirewait_analysis::Transaction

#![forbid(unsafe_code)]

mod about;
pub mod between;
mod cells;
pub mod columns;
pub mod compare;
pub mod config;
pub mod counters;
pub mod csv;
pub mod decode;
mod document;
mod escape;
mod figures;
pub mod html;
pub mod intervals;
pub mod json;
pub mod ladder;
mod look;
pub mod protocols;
pub mod remarks;
pub mod rows;
pub mod summary;
pub mod symptoms;
mod table;
pub mod text;
mod time;
pub mod transactions;
mod verdict;

#[cfg(test)]
mod golden;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod schema;

pub use about::{About, Interface, Origin, Selection};
pub use cells::CsvRow;
pub use escape::Escaped;
pub use time::{Digits, Rfc3339};

/// The words and figures of the text report, for other views of them.
pub mod words {
    pub use crate::figures::{
        BitRate, Command, Grouped, Milli, Percent, Rate, frames_per_request, range,
    };
    pub use crate::text::slowest::{NO_RESPONSE, without_response};
    pub use crate::text::stations::fairness;
    pub use crate::text::symptoms::{
        cost, counted, judged, lasted, names, often, places, subject, threshold,
    };
    pub use crate::text::why::{beside_none, named, nearest as nearest_symptom, why};
    pub use crate::time::{Human, Short};
    pub use crate::transactions::ended;
    pub use crate::verdict::{
        bound_mark, doubts, is_of_clients, marked, narrowed, notable, perhaps_network, position,
        sentence, share, title,
    };
}
