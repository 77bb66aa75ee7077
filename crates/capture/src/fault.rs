//! What is wrong with a file.

use crate::causes::unnumbered;
use crate::raw::MAX_FRAME;
use std::io;
use wirewait_wire::{SourceError, SourceErrorKind};

/// How bad a [`Fault`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The file ends before anything could stand in it.
    Empty,
    /// Not a capture, or not one that can be read.
    Unreadable,
    /// Broken from here on.
    Damaged,
}

/// A [`SourceError`] that does not know yet in which file it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) severity: Severity,
    pub(crate) offset: Option<u64>,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn empty(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Empty,
            offset: None,
            message: message.into(),
        }
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Unreadable,
            offset: None,
            message: message.into(),
        }
    }

    pub(crate) fn damaged(offset: u64, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Damaged,
            offset: Some(offset),
            message: message.into(),
        }
    }

    /// The stream ends inside the record or block (`what`) that starts at `offset`.
    pub(crate) fn cut(offset: u64, what: &str, there: usize, needed: usize) -> Self {
        Self::damaged(
            offset,
            format!(
                "the file ends inside a {what}, {there} of {needed} bytes are there; \
                 the frames before it were read. It was cut off, or is still being \
                 written: copy it again"
            ),
        )
    }

    /// The record at `offset` has a header of zeros: what was to be written there never was.
    pub(crate) fn zeros(offset: u64) -> Self {
        Self::damaged(
            offset,
            "from here on the file is zeros: its end was never written; the frames before \
             were read",
        )
    }

    /// The record at `offset` claims more captured bytes than any frame has.
    pub(crate) fn oversized(offset: u64, captured: usize) -> Self {
        Self::damaged(
            offset,
            format!(
                "a record claims {captured} captured bytes, more than the {MAX_FRAME} of any \
                 link; the file is damaged from here on, the frames before were read"
            ),
        )
    }

    /// Reading or decompressing fails at `offset`.
    pub(crate) fn io(offset: u64, error: &io::Error) -> Self {
        Self::damaged(
            offset,
            format!("reading stops here: {error}; the frames before it were read"),
        )
    }

    /// Its offset counts unpacked bytes: that is said before the offset is.
    pub(crate) fn of_unpacked(mut self) -> Self {
        if self.offset.is_some() {
            self.message.push_str("; position in the unpacked data");
        }
        self
    }

    pub(crate) fn named(self, name: &str) -> SourceError {
        SourceError {
            kind: match self.severity {
                Severity::Empty | Severity::Unreadable => SourceErrorKind::Unreadable,
                Severity::Damaged => SourceErrorKind::Damaged,
            },
            name: name.to_owned(),
            offset: self.offset,
            message: unnumbered(&self.message).into_owned(),
        }
    }
}
