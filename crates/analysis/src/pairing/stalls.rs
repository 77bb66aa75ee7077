//! Messages that stood still, and which request that was.

use super::Pairing;
use crate::Extent;
use crate::lateness::Lateness;
use crate::open::Waiting;
use crate::stalls::MessageStall;
use crate::world::{Event, Events, Limited};
use wirewait_wire::Timestamp;

/// Stalls that are remembered until the request is over whose messages they are of.
pub(super) const STALLS: usize = 64;
/// Messages of which it is remembered that their frames waited for acknowledgements.
const WAITED: usize = 16;
/// Late frames that are remembered likewise; of more, those that came first are forgotten.
const LATE: usize = 32;

impl Pairing {
    /// The message under way from one side stood still for a while.
    #[cold]
    pub(crate) fn stalled(&mut self, stall: MessageStall, events: &mut impl Events) {
        let waited = self.stalls.iter().filter(|stall| stall.waited.is_some());
        if self.stalls.len() - waited.count() >= STALLS {
            let first = self.stalls.iter().position(|stall| stall.waited.is_none());
            if let Some(first) = first {
                self.stalls.remove(first);
            }
            events.tell(Event::Limited(Limited::Stalls));
        }
        self.stalls.push(stall);
    }

    /// A frame of this message was sent behind the acknowledgement of all before it.
    #[cold]
    pub(crate) fn waited(&mut self, sender: usize, serial: u64, at: Timestamp) {
        for stall in self.stalls.iter_mut().rev() {
            if let Some(waited) = &mut stall.waited
                && stall.sender == sender
                && waited.serial == serial
            {
                waited.count += 1;
                stall.to = at;
                return;
            }
        }
        let mut known = (0..self.stalls.len()).filter(|n| self.stalls[*n].waited.is_some());
        let first = known.next();
        if let Some(first) = first
            && known.count() >= WAITED - 1
        {
            self.stalls.remove(first);
        }
        let stall = MessageStall::of_waited(sender, serial, at);
        self.stalls.push(stall);
    }

    /// This frame was longer than others on its way.
    #[cold]
    pub(crate) fn came_late(&mut self, side: usize, frame: u64, late: Lateness) {
        if self.late.len() >= LATE {
            self.late.remove(0);
        }
        self.late.push((side, frame, late));
    }

    /// Whether anything is known of messages that is for the end of their request.
    #[inline]
    pub(super) fn is_untold(&self) -> bool {
        !self.stalls.is_empty() || !self.late.is_empty()
    }

    /// Nobody waits for this request any more from now on: tells of what its messages stood still for, and how late
    /// they came, if somebody did.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_untold(&mut self, at: usize, events: &mut impl Events) {
        let open = &*self.open[at];
        if !matches!(open.waiting, Waiting::Client(_)) {
            return;
        }
        let t = &*open.transaction;
        let first = |extent: Option<Extent>| extent.map_or(0, |of| of.first.frame);
        let firsts = [
            (open.side, first(t.request)),
            (1 - open.side, first(t.response)),
        ];
        let late = firsts.map(|of| {
            let mut all = self.late.iter();
            let known = all.find(|(side, frame, _)| (*side, *frame) == of);
            known.map_or(Lateness::NONE, |(.., late)| *late)
        });
        if late != [Lateness::NONE; 2] {
            events.tell(Event::Late(late));
        }
        // One frame may begin several messages. What is before this request is of none that is still to come.
        let before = firsts[0].1;
        self.late.retain(|(_, frame, _)| *frame > before);
        self.stalls.retain(|stall| {
            if let Some(held) = &stall.held {
                let response = t.response.map_or(0, |of| of.first.frame);
                if let Some(request) = t.request
                    && (stall.sender, held.frame) == (1 - open.side, response)
                    && held.operation == t.operation
                    && request.last.at < stall.to
                {
                    let mut stall = stall.of_request(open.side);
                    stall.from = stall.from.max(request.last.at);
                    events.tell(Event::Stalled(&stall));
                }
                // Others may be in the same frame.
                return response <= held.frame;
            }
            let extent = match stall.sender == open.side {
                true => t.request,
                false => t.response,
            };
            let within = extent.is_some_and(|e| e.first.at < stall.to && stall.from < e.last.at);
            // Where some frames did not wait, they show the line.
            let all = stall.waited.is_none_or(|waited| {
                let head = t.response_head_bytes.max(1);
                stall.sender != open.side
                    && waited.count >= t.response_bytes.saturating_sub(1) / head
            });
            if within && all {
                events.tell(Event::Stalled(&stall.of_request(open.side)));
            }
            !within
        });
    }
}
