//! Whether a segment is of this conversation, or of another one whose ports it has.

use super::{Conversation, StreamEnd};
use crate::Mark;
use crate::world::World;
use wirewait_wire::{Effects, Framing, Input, Role, Stream};

impl Conversation {
    /// Whether this segment opens another incarnation of a byte stream.
    pub(crate) fn is_reopened(&self, side: usize, segment: &Stream) -> bool {
        let Some(streams) = &self.streams else {
            return false;
        };
        let stream = &streams[side];
        // A SYN seen again has the number of the one before, and comes before any data.
        segment.syn
            && stream.is_started()
            && (stream.is_under_way() || stream.position(segment.seq.wrapping_add(1)) != Some(0))
    }

    /// Whether the number of a segment, that is of no byte of its direction, and the number that it
    /// acknowledges belong to another connection: none of the two is near, and one of them is far
    /// back. Where the capture lacks a long stretch of a connection, both went on.
    #[cold]
    pub(super) fn is_another(&self, side: usize, segment: &Stream) -> bool {
        let (Some(streams), Some(ack)) = (&self.streams, segment.ack) else {
            return false;
        };
        let (own, other) = (&streams[side], &streams[1 - side]);
        let old = other.position(ack).is_some_and(|at| at < other.acked());
        own.is_elsewhere(segment.seq)
            && other.is_started()
            && (other.is_elsewhere(ack) || old)
            && (own.is_behind(segment.seq) || old || other.is_behind(ack))
    }

    /// Whether data with this number can be none of the connection, which is over.
    #[cold]
    pub(super) fn comes_behind(&self, side: usize, seq: u32) -> bool {
        let stream = self.streams.as_ref().map(|streams| &streams[side]);
        stream.is_some_and(|stream| match self.ended {
            Some(StreamEnd::Closed) => stream.position(seq).is_none_or(|at| at > stream.next() + 1),
            Some(StreamEnd::Aborted) => stream.is_elsewhere(seq),
            None => false,
        })
    }

    /// Whether data from elsewhere begins with a message that nothing comes before on a connection.
    #[cold]
    pub(super) fn begins(&self, bytes: &[u8], world: &World<'_>) -> bool {
        let registry = &world.registry;
        let framing = self.framer.and_then(|id| registry.dissector(id).framing);
        let Some(Framing::Message {
            header,
            length,
            next,
        }) = framing.map(|find| find(bytes))
        else {
            return false;
        };
        let bytes = bytes.get(header as usize..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(length as usize)];
        let reader = registry.resolve(&next, bytes);
        let exchange = reader.and_then(|id| registry.dissector(id).exchange);
        let said = exchange.and_then(|read| read(Input { bytes, length }).ok()?.exchange);
        said.is_some_and(|x| {
            let effects = [Effects::NEGOTIATES, Effects::SETS_UP];
            x.role == Role::Request && effects.iter().any(|effect| x.effects.has(*effect))
        })
    }

    /// Nobody sent anything for longer than any transport waits, and then a message goes on of which the receiver had not
    /// acknowledged what came before: that would have been retransmitted. The clock of the capture seems to have been set.
    /// Where the stations' own clocks are in the segments, these tell.
    #[cold]
    pub(super) fn suspects(&self, side: usize, segment: &Stream, mark: Mark, world: &World<'_>) {
        let Some(streams) = self
            .streams
            .as_ref()
            .filter(|_| segment.stamps.stamp().is_none())
        else {
            return;
        };
        let stream = &streams[side];
        let goes_on = stream.position(segment.seq) == Some(stream.next());
        if goes_on && stream.acked() < stream.next() && self.assemblers[side].is_under_way() {
            world.suspect.set(mark.frame);
        }
    }
}
