//! The short way of most segments of a long message: they bring its next bytes, and no other news.
//!
//! The idea is that of header prediction (Jacobson; the fast path of 4.3BSD-Reno): a few questions tell whether a
//! segment is as expected, and then little is to be done. What is done is what [`Conversation::segment`] would do;
//! `tests/short_way.rs` compares the two on every capture.

use super::Conversation;
use crate::Mark;
use crate::world::World;
use wirewait_wire::{Facts, Stream};

impl Conversation {
    /// Takes this segment of `length` bytes in, if it brings nothing but the next bytes of the message under way, and not
    /// the last of them. False, and nothing has changed, if there is more to it.
    pub(crate) fn continues(
        &mut self,
        side: usize,
        (segment, facts): (&Stream, &Facts),
        (length, mark): (u32, Mark),
        world: &World<'_>,
    ) -> bool {
        let plain = !(segment.syn || segment.fin || segment.rst) && segment.twice.is_none();
        let in_time = self.last_seen <= mark.at
            && mark.at.since(world.sure) <= world.settings.timeout_ns
            && !self.pairing.is_due(mark.at.min(world.sure));
        let usual = plain
            && in_time
            && length > 0
            && self.seen[side]
            && self.stall.is_none()
            && self.ended.is_none()
            && self.assemblers[side].has_room_for(length);
        let (Some(flow), Some(streams), Some(offers), true) =
            (&mut self.flow, &mut self.streams, &mut self.offers, usual)
        else {
            return false;
        };
        if !flow.is_usual(side, facts.packet_id, mark)
            || !streams[side].brings_next(segment.seq, length)
            || !streams[1 - side].knows(segment.ack)
            || !offers.again(side, segment, mark)
        {
            return false;
        }
        self.last_seen = mark.at;
        self.between.displaced = false;
        flow.continues(side, (segment.seq, length), facts.packet_id, mark);
        streams[side].advance(length);
        self.between.held_back = streams[1 - side].lacks();
        self.between.seen_to = streams[1 - side].seen_to();
        self.assemblers[side].continues(length, mark, facts.hops);
        true
    }
}
