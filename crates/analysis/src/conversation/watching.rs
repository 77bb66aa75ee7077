//! What segments of a byte stream show of it: acknowledgements, windows, repetitions.

use super::Conversation;
use crate::piece::Piece;
use crate::stalls::{is_slow, shows_several};
use crate::stream::Fate;
use crate::world::Events;
use crate::{Mark, Noticed};
use std::num::NonZeroU32;
use wirewait_wire::Stream;

/// A window has room for a full segment whatever its number is multiplied by.
const FULL: u16 = 1460;

impl Conversation {
    /// What a segment says of how far its sender got and what he can take. Whether it acknowledges
    /// whole segments.
    pub(super) fn watch(
        &mut self,
        side: usize,
        segment: &Stream,
        piece: &Piece<'_>,
        pure: bool,
        events: &mut impl Events,
    ) -> bool {
        let mark = piece.mark;
        let Some(flow) = &mut self.flow else {
            return false;
        };
        flow.heard(side, mark);
        flow.poll_answered(side);
        let acknowledged = segment
            .ack
            .and_then(|ack| flow.acknowledged(side, (ack, segment.stamps.echo()), pure, mark));
        let speaks = !segment.syn && !segment.rst && segment.ack.is_some();
        let ready = speaks
            .then(|| flow.ready(side, segment.window > 0, mark))
            .flatten();
        let full = segment.window > FULL
            || !self
                .offers
                .as_ref()
                .is_some_and(|offers| offers.is_narrow(side, segment.window));
        let widened = (speaks && segment.window > 0)
            .then(|| flow.widens(side, full, mark))
            .flatten();
        let told = acknowledged.is_some();
        if let Some(mut told) = acknowledged {
            if pure && is_slow(&told.0) {
                self.acknowledges_slowly(side, &mut told, mark);
            }
            if told.1 < FULL.into() && shows_several(&told.0) {
                self.pairing.holds_nothing(1 - side);
            }
            match (told.0, &mut self.streams) {
                (
                    Noticed::Acknowledged {
                        after_ns,
                        sent: Some(_),
                        at_once,
                        ..
                    },
                    Some(streams),
                ) => streams[side].reacted(after_ns, at_once),
                (Noticed::Acknowledged { sent: None, .. }, _) => {
                    self.acknowledges_copy(side, segment, mark, events);
                }
                _ => {}
            }
            self.notice(side, mark, told, events);
        }
        if let Some(what) = ready {
            self.opens_window(side, &what, mark, events);
            self.notice(side, mark, (what, 0), events);
        }
        if let Some(after_ns) = widened {
            self.widens_window(side, after_ns, mark);
        }
        told
    }

    /// Notices data on its way, or on its way again. Whether that is so sooner than any timer, because of what the other side
    /// said.
    pub(super) fn watch_data(
        &mut self,
        side: usize,
        (seq, length, stamp): (u32, u32, Option<NonZeroU32>),
        fate: Option<Fate>,
        mark: Mark,
        events: &mut impl Events,
    ) -> bool {
        let probe = match fate {
            Some(Fate::Old { end, .. }) => self.is_probe(side, length, end),
            _ => false,
        };
        let Some(flow) = &mut self.flow else {
            return false;
        };
        let mut soon = false;
        let told = match fate {
            Some(Fate::New) => {
                flow.sent(side, (seq, seq.wrapping_add(length)), length, mark);
                return false;
            }
            Some(Fate::Overtaken { late_ns }) => {
                flow.sent(side, (seq, seq.wrapping_add(length)), length, mark);
                (Noticed::Overtaken { late_ns }, u64::from(length))
            }
            Some(Fate::Old { at: 0, end: 0 } | Fate::Foreign) | None => return false,
            Some(Fate::Old { .. }) if probe => (flow.polled(side, mark), 0),
            Some(Fate::Old { .. } | Fate::HeldTwice) => {
                let (what, so_soon) = flow.resent(side, (seq, stamp), mark);
                soon = so_soon;
                (what, u64::from(length))
            }
        };
        self.notice(side, mark, told, events);
        soon
    }

    /// One byte that had been seen last of all, to see whether anyone is there.
    pub(super) fn is_probe(&self, side: usize, length: u32, end: u64) -> bool {
        length == 1 && self.streams_next(side) == end
    }
}
