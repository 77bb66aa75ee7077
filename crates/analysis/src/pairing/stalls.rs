//! Messages that stood still, and which request that was.

use super::Pairing;
use crate::open::Waiting;
use crate::stalls::MessageStall;
use crate::world::{Event, Events, Limited};

/// Stalls that are remembered until the request is over whose messages they are of.
pub(super) const STALLS: usize = 64;

impl Pairing {
    /// The message under way from one side stood still for a while.
    #[cold]
    pub(crate) fn stalled(&mut self, stall: MessageStall, events: &mut impl Events) {
        if self.stalls.len() >= STALLS {
            self.stalls.remove(0);
            events.tell(Event::Limited(Limited::Stalls));
        }
        self.stalls.push(stall);
    }

    /// Nobody waits for this request any more from now on: tells of the stalls of its messages, if somebody did.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_stalls(&mut self, at: usize, events: &mut impl Events) {
        let open = &*self.open[at];
        if !matches!(open.waiting, Waiting::Client(_)) {
            return;
        }
        let t = &open.transaction;
        self.stalls.retain(|stall| {
            let extent = match stall.sender == open.side {
                true => t.request,
                false => t.response,
            };
            let within = extent.is_some_and(|e| e.first.at < stall.to && stall.from < e.last.at);
            if within {
                events.tell(Event::Stalled(&stall.of_request(open.side)));
            }
            !within
        });
    }
}
