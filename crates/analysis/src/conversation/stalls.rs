//! Messages on a byte stream that stand still for their receiver: it can take nothing more, or keeps an
//! acknowledgement waiting for which the sender waits.

use super::Conversation;
use crate::stalls::{MessageStall, StallCause};
use crate::world::Events;
use crate::{Mark, Noticed};
use wirewait_wire::Endpoint;

/// No receiver keeps an acknowledgement waiting for less, ns: the shortest timers of systems (Linux).
const DELAYED_NS: i64 = 40_000_000;
/// And none for longer (RFC 1122, 4.2.3.2), ns, but for the way.
const LONGEST_NS: i64 = 500_000_000;
/// Data that follows so soon waited for what came before it, ns, but for the way.
const AT_ONCE_NS: i64 = 1_000_000;

/// Whether a segment without data acknowledges what its receiver may have kept waiting.
#[inline]
pub(super) fn is_late(what: &Noticed) -> bool {
    matches!(what, Noticed::Acknowledged { after_ns, .. } if *after_ns >= DELAYED_NS)
}

impl Conversation {
    /// `side` can take data again.
    #[cold]
    pub(super) fn opens_window(
        &mut self,
        side: usize,
        what: &Noticed,
        mark: Mark,
        events: &mut impl Events,
    ) {
        let sender = 1 - side;
        if let Noticed::Ready { after_ns } = *what
            && self.assemblers[sender].is_under_way()
        {
            let stall = MessageStall {
                sender,
                from: mark.at.plus(-after_ns),
                to: mark.at,
                cause: StallCause::ClosedWindow,
            };
            self.pairing.stalled(stall, events);
        }
    }

    /// The other end of the link below, which takes what `sender` sends, can take data again.
    #[cold]
    pub(crate) fn can_take_again(
        &mut self,
        sender: Endpoint,
        what: &Noticed,
        mark: Mark,
        events: &mut impl Events,
    ) {
        if let Some(sender) = self.between.ends.iter().position(|end| *end == sender) {
            self.opens_window(1 - sender, what, mark, events);
        }
    }

    /// `side` acknowledges late, and nothing else is on its way to it.
    #[cold]
    pub(super) fn acknowledges_late(&mut self, side: usize, what: &Noticed, mark: Mark) {
        let sender = 1 - side;
        let Noticed::Acknowledged {
            after_ns,
            sent: Some(_),
            at_once: false,
            ..
        } = *what
        else {
            return;
        };
        let reacts_ns = self.reacts_ns(side);
        let waiting = self
            .flow
            .as_ref()
            .is_some_and(|flow| flow.is_waiting(sender));
        let timer = after_ns <= LONGEST_NS.saturating_add(reacts_ns);
        if !waiting && timer && self.assemblers[sender].is_under_way() {
            self.late_ack = Some(Box::new(MessageStall {
                sender,
                from: mark.at.plus(-after_ns),
                to: mark.at,
                cause: StallCause::DelayedAcknowledgement,
            }));
        }
    }

    /// `side` sends data: whether it waited for the late acknowledgement that came last.
    #[cold]
    pub(super) fn goes_on_behind(&mut self, side: usize, mark: Mark, events: &mut impl Events) {
        let Some(stall) = self.late_ack.take() else {
            return;
        };
        let soon = AT_ONCE_NS.saturating_add(self.reacts_ns(side));
        let behind = mark.at.since(stall.to);
        if stall.sender == side && (0..=soon).contains(&behind) {
            self.pairing.stalled(*stall, events);
        }
    }

    /// The shortest time in which `side` acknowledged anything: the way to it and back.
    fn reacts_ns(&self, side: usize) -> i64 {
        let streams = self.streams.as_ref();
        streams.map_or(0, |streams| streams[side].reacts_ns())
    }
}
