//! Messages that stood still, and which request that was.

use super::{Incoming, Pairing};
use crate::Extent;
use crate::lateness::Lateness;
use crate::open::Waiting;
use crate::stalls::{MessageStall, StallCause};
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
        if let Some(before) = self.stalls.last_mut()
            && before.goes_on_in(&stall)
        {
            before.to = stall.to;
            before.steady = before.steady.saturating_add(stall.steady);
            before.lacked_ns = before.lacked_ns.saturating_add(stall.lacked_ns);
            return;
        }
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

    /// The server lets the rest of this request come: it may have kept the client waiting for that, since it had what came before.
    #[cold]
    #[inline(never)]
    pub(super) fn lets_go_on(
        &mut self,
        at: usize,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let open = &mut *self.open[at];
        let copy = open.resent.take().map(|mark| mark.at);
        let asked = open.transaction.request.map(|request| request.last.at);
        if let Some(from) = asked.max(copy) {
            self.waits_within(at, (StallCause::GoAhead, from), incoming, events);
        }
    }

    /// The rest of this request comes, or more of it: the first that comes behind a go-ahead may have kept the server waiting,
    /// since its client had that.
    #[inline(always)]
    pub(super) fn goes_on_as_let(
        &mut self,
        at: usize,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let open = &mut *self.open[at];
        let asked = open.transaction.request;
        if asked.is_some_and(|request| request.last.at < open.worked_on_at) {
            let copy = open.repeated_at.take();
            let from = copy.map_or(open.worked_on_at, |copy| copy.max(open.worked_on_at));
            self.waits_within(at, (StallCause::Rest, from), incoming, events);
        }
    }

    /// This request stood still since then, until this message; but for what it took to send that again, if it was lost before the
    /// capture.
    #[cold]
    fn waits_within(
        &mut self,
        at: usize,
        (cause, from): (StallCause, Timestamp),
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let (side, between, tally) = (incoming.side, incoming.between, &incoming.message.tally);
        let lost = match between.may_be_again(side, tally) {
            true => between.again_after(side, tally),
            false => None,
        };
        let (ns, most) = lost.unwrap_or((0, 0));
        let to = tally.extent.first.at.plus(-ns);
        if from < to {
            let open = &*self.open[at];
            let stall = MessageStall {
                of: Some(open.serial),
                unsure: lost.is_some() && (ns == 0 || most > ns),
                ..MessageStall::new(open.side, cause, (from, to))
            };
            self.stalled(stall, events);
        }
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
            if let Some(of) = stall.of.filter(|of| *of != open.serial) {
                return self.open.place_of(of).is_some();
            }
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
            let within = within || stall.of.is_some();
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
