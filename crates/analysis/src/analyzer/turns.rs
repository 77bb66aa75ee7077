//! Frames of conversations whose ends take turns.

use super::{AnalyzerState, Arrival};
use crate::Sink;
use crate::books::Reporter;
use crate::conversation::{Beginning, HeardTurn};
use crate::world::Shared;
use wirewait_wire::{Placed, Turn};

impl AnalyzerState {
    /// A frame of a conversation whose ends take turns; `front` is its header, and `placed` what
    /// is known to stand in it.
    pub(super) fn turn(
        &mut self,
        arrival: &Arrival<'_>,
        turn: Turn,
        (front, placed): (&[u8], Placed),
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<Option<u64>> {
        let world = self.world(common);
        let known = &arrival.path.conversation;
        let (place, side) = match self.conversations.find_side(known, || arrival.key()) {
            Ok(known) => known,
            Err((key, side)) => {
                let beginning = Beginning {
                    ends: key.ends(),
                    carrier: arrival.carrier,
                    patience_ns: Some(turn.patience_ns),
                    ..Beginning::default()
                };
                (self.begin(key, beginning, &world, sink), side)
            }
        };
        let conversation = self.conversations.get_mut(place)?;
        let books = &mut self.books;
        let mut events = Reporter::new(books, arrival.path, sink);
        conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
        let heard = HeardTurn {
            begins: turn.begins,
            next: *arrival.next,
            front,
            placed,
            layer: arrival.layer,
        };
        conversation.turn(side, arrival.piece, &heard, &world, &mut events);
        Some(self.number(place))
    }
}
