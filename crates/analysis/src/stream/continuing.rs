//! Segments that bring the next bytes of their sender, and no other news.

use super::ByteStream;

impl ByteStream {
    /// Whether a segment of these bytes is the next one in order, of a stream of which nothing is missing; and was not
    /// acknowledged before it came.
    #[inline]
    pub(crate) fn brings_next(&self, seq: u32, length: u32) -> bool {
        // Truncation intended: sequence numbers are positions modulo 2^32.
        let next = self.origin.wrapping_add(self.next as u32);
        self.started
            && seq == next
            && self.held.is_empty()
            && self.claimed.is_none()
            && self.acked < self.next.saturating_add(length.into())
    }

    /// Whether an acknowledgement says what the latest one said.
    #[inline]
    pub(crate) fn knows(&self, ack: Option<u32>) -> bool {
        // Truncation intended, as above.
        self.started && ack == Some(self.origin.wrapping_add(self.acked as u32))
    }

    /// The [next](Self::brings_next) bytes came.
    #[inline]
    pub(crate) fn advance(&mut self, length: u32) {
        self.next = self.next.saturating_add(length.into());
    }
}
