//! Segments that bring the next data of their sender, and no other news.

use super::{FlowTrouble, StreamFlow};
use crate::Mark;

impl StreamFlow {
    /// Whether nothing of `side`, whose next packet this is, has to be looked at: it has not stopped, owes no acknowledgement,
    /// and nobody waits to hear of a window, or asked whether anyone is there.
    #[inline]
    pub(crate) fn is_usual(&self, side: usize, packet: Option<u16>, mark: Mark) -> bool {
        let (own, other) = (&self.ways[side], &self.ways[1 - side]);
        let open = |trouble: &FlowTrouble| trouble.busy.is_none() && trouble.narrow.is_none();
        other.sent.is_empty()
            && own.packets.expects(packet)
            && own.trouble.as_deref().is_none_or(open)
            && other.trouble.as_ref().is_none_or(|of| of.poll.is_none())
            && !self.has_stopped(side, mark.at)
    }

    /// `side` sends these bytes from this number on for the first time, in a packet that was [usual](Self::is_usual).
    #[inline]
    pub(crate) fn continues(
        &mut self,
        side: usize,
        (number, bytes): (u32, u32),
        packet: Option<u16>,
        mark: Mark,
    ) {
        let _ = self.ways[side].packets.came((packet, bytes), mark.frame);
        self.heard(side, mark);
        self.sent(side, (number, number.wrapping_add(bytes)), bytes, mark);
    }
}
