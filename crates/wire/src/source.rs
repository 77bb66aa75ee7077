//! Where frames come from.

use crate::Frame;
use std::fmt;

/// Something that yields frames, in the order in which they are to be analysed.
pub trait Source {
    /// The next frame, or `None` at the end.
    ///
    /// # Errors
    /// A [`SourceError`]; one of kind [`SourceErrorKind::Damaged`] ends this part of the
    /// input but leaves everything that was read before it good, and the next call goes
    /// on behind the damage where that is possible.
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError>;

    /// Bits per second of the link that this interface is on, where the input says. Known when
    /// the first frame of the interface was yielded.
    fn link_speed(&self, interface: u32) -> Option<u64> {
        let _ = interface;
        None
    }

    /// Frames that were lost before they could get here (dropped by the operating system or by
    /// the interface), as far as somebody counted them so far; `None` if nobody did.
    fn lost(&self) -> Option<u64> {
        None
    }

    /// Frames that reached the capturing program and are not in its files, as far as these
    /// tell so far; `None` if they do not. None of them is among the [lost](Self::lost).
    fn not_saved(&self) -> Option<u64> {
        None
    }

    /// Bytes of the input that were read so far; 0 where nobody counts them.
    fn bytes_read(&self) -> u64 {
        0
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceErrorKind {
    /// Nothing can be read at all.
    Unreadable,
    /// The input ends early or is broken from here on; what came before stands.
    Damaged,
}

/// What is wrong with an input, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// How bad it is.
    pub kind: SourceErrorKind,
    /// The file or interface, as the user named it.
    pub name: String,
    /// Byte offset in the (uncompressed) file, where known.
    pub offset: Option<u64>,
    /// What is wrong, and what to do about it, in one sentence.
    pub message: String,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.message)?;
        if let Some(offset) = self.offset {
            write!(f, " (at byte {offset})")?;
        }
        Ok(())
    }
}

impl std::error::Error for SourceError {}
