//! Summaries: sums of one analysis or of many, as a document that can be added to others.
//!
//! The document holds integers, in a fixed order: the same sums give the same bytes. Figures
//! that follow from them (percentiles, means, the grade) are written for readers, and computed
//! again when the document is read back. What is read back is checked as a whole: anything that
//! no analysis can have written is refused, with the place.

mod address;
mod buckets;
mod document;
mod lines;
mod spelling;
mod text;

pub use buckets::Buckets;
pub use text::text;

use crate::document::of;
use crate::escape;
use document::{Document, DocumentForm};
use std::fmt;
use std::io::{self, Write};
use wirewait_analysis::Summary;

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-summary/1";

/// Why a document was not read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Writes the document: a row in a line.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, summary: &Summary) -> io::Result<()> {
    let document: Document = of(summary);
    escape::json(&mut *out, |out| {
        let mut serializer = serde_json::Serializer::with_formatter(out, lines::Lines::new());
        serde::Serialize::serialize(&document, &mut serializer)
    })?;
    writeln!(out)
}

/// Reads a document back.
///
/// # Errors
/// What is wrong with it, and where.
pub fn read(bytes: &[u8]) -> Result<Summary, Refused> {
    let refused = |error: serde_json::Error| Refused(error.to_string());
    let form: DocumentForm = serde_json::from_slice(bytes)
        .map_err(|error| Refused(format!("is not a summary: {error}")))?;
    form.check().map_err(Refused)?;
    let document: Document = serde_json::from_slice(bytes).map_err(refused)?;
    document.read().map_err(Refused)
}

#[cfg(test)]
mod tests;
