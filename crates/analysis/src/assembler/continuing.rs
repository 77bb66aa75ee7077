//! Bytes in the middle of a part, of which nothing is kept.

use super::{Assembler, AssemblyState};
use crate::Mark;
use crate::piece::PieceTally;

impl Assembler {
    /// Whether bytes in order are only to be counted: they are in the middle of a part whose head was read, and end before it
    /// does; and nobody wants to know of which frames it is put together.
    #[inline]
    pub(crate) fn has_room_for(&self, bytes: u32) -> bool {
        let bytes = u64::from(bytes);
        let begun = |tally: &PieceTally| tally.frames > 0;
        matches!(self.state, AssemblyState::Inside)
            && bytes < self.left
            && self.length.is_some_and(|length| self.got + bytes < length)
            && self.tally.as_ref().is_some_and(begun)
            && (self.head_closed || self.head.len() >= self.window)
            && !self.unread
            && self.loose == 0
            && self.trail.is_none()
    }

    /// Counts bytes for which there [is room](Self::has_room_for), all of this frame.
    #[inline]
    pub(crate) fn continues(&mut self, bytes: u32, mark: Mark, hops: Option<u8>) {
        if let Some(tally) = &mut self.tally {
            tally.continues(bytes, mark, hops);
        }
        let bytes = u64::from(bytes);
        self.last_frame = mark.frame;
        self.got += bytes;
        self.left -= bytes;
        self.position += bytes;
    }
}
