//! Frames that bring nothing new to a transaction: acknowledgements, repetitions, upkeep.

use super::Pairing;
use crate::account::ReachedAt;
use crate::open::{Open, OpenState};
use crate::world::{Event, Events};
use crate::{Deed, Extent, Flags, Mark};
use wirewait_wire::Timestamp;

/// A frame of a byte stream that only repeated data of a message.
pub(crate) struct RepeatedFrame {
    /// Who sent it.
    pub(crate) side: usize,
    pub(crate) mark: Mark,
    /// It begins another pass over the message.
    pub(crate) again: bool,
    /// The other side had acknowledged the data.
    pub(crate) had: bool,
}

impl Pairing {
    /// A stand-alone acknowledgement of data of this transaction, up to the end of a message if `whole`; false if it
    /// is closed.
    pub(crate) fn acknowledged(
        &mut self,
        (serial, whole): (u64, bool),
        share: u64,
        events: &mut impl Events,
    ) -> bool {
        let observed = self.observed;
        self.by_serial(serial).is_some_and(|open| {
            let (frames, shares) = open.transaction.counted();
            open.reached |= open.state == OpenState::Waiting && (whole || frames.request == 1);
            frames.ack = frames.ack.saturating_add(1);
            *shares += share;
            if observed {
                events.tell(Event::Did(open.transaction.number, Deed::Ack, None));
            }
            true
        })
    }

    /// Whether several requests of `side` are asked and not answered.
    pub(crate) fn has_several(&self, side: usize) -> bool {
        let waits = |open: &Open| open.side == side && open.state == OpenState::Waiting;
        let first = self.open.next(0, waits);
        first.is_some_and(|at| self.open.next(self.open[at].serial + 1, waits).is_some())
    }

    /// The other side acknowledged all but `left` bytes of this message from `side` in a frame of its own; if it did so
    /// with something `beyond`, this may have waited for that.
    pub(crate) fn reached(
        &mut self,
        serial: u64,
        side: usize,
        (at, left, beyond): (Timestamp, u64, bool),
    ) {
        let open = self.by_serial(serial);
        if let Some(open) =
            open.filter(|open| open.side == side && open.state == OpenState::Waiting)
        {
            match &mut open.reached_at {
                // All of it, before.
                Some(ReachedAt { left: 0, .. } | ReachedAt { later: Some(_), .. }) => {}
                Some(known) if beyond => {
                    known.later = Some(u32::try_from(at.since(known.at)).unwrap_or(u32::MAX));
                }
                known => {
                    *known = Some(ReachedAt {
                        at,
                        left: u32::try_from(left).unwrap_or(u32::MAX),
                        later: beyond.then_some(0),
                    });
                }
            }
        }
    }

    /// A frame that only repeated data of this transaction. False if the transaction is closed.
    pub(crate) fn repeated(
        &mut self,
        serial: u64,
        frame: RepeatedFrame,
        share: u64,
        events: &mut impl Events,
    ) -> bool {
        let RepeatedFrame {
            side,
            mark,
            again,
            had,
        } = frame;
        let observed = self.observed;
        self.by_serial(serial).is_some_and(|open| {
            let t = &mut *open.transaction;
            t.frames.retransmitted = t.frames.retransmitted.saturating_add(1);
            t.share += share;
            if observed {
                events.tell(Event::Did(t.number, Deed::Retransmitted, Some(mark.frame)));
            }
            if side == open.side {
                t.copies = t.copies.saturating_add(u32::from(again));
                if matches!(open.state, OpenState::Waiting | OpenState::Asking) {
                    open.arrived[0] |= had;
                    open.resent = Some(mark).filter(|_| !open.arrived[0]);
                } else {
                    let before = |response: Extent| mark.precedes(response.first);
                    t.flags
                        .set_if(Flags::OUT_OF_ORDER, t.response.is_some_and(before));
                    // Who repeats the request lacks the response.
                    if let Some(at) = open.repeated_at.take() {
                        open.was_lost(at, events);
                    }
                }
            } else if !open.arrived[1] {
                open.repeated_at = Some(mark.at);
            }
            true
        })
    }

    /// `side` repeated this request in a frame that was captured behind the response, and sent before
    /// it: when what was answered arrived is not sure.
    #[cold]
    pub(crate) fn repeated_before(&mut self, serial: u64, side: usize, mark: Mark) {
        if let Some(open) = self.by_serial(serial)
            && open.side == side
        {
            let t = &mut *open.transaction;
            let before = t.response.is_some_and(|r| mark.precedes(r.first));
            t.flags.set_if(Flags::OUT_OF_ORDER, before);
        }
    }

    /// `side` had this transaction's message of the other side before that was repeated, and all
    /// came that `side` has sent since: what was lost is an acknowledgement, if anything.
    #[cold]
    pub(crate) fn had_arrived(&mut self, serial: u64, side: usize) {
        let Some(open) = self.by_serial(serial) else {
            return;
        };
        if open.side != side {
            open.arrived[0] = true;
            open.resent = None;
        } else {
            open.arrived[1] = true;
            open.repeated_at = None;
        }
    }

    /// All that was repeated so far of this transaction's message to `side` had arrived there before.
    #[cold]
    pub(crate) fn repeated_needlessly(&mut self, serial: u64, side: usize) {
        if let Some(open) = self.by_serial(serial) {
            match open.side == side {
                true => open.repeated_at = None,
                false => open.resent = None,
            }
        }
    }

    /// As [`Self::had_arrived`], but bytes that `side` has sent, up to this position, did not come: were they the
    /// response, it was lost, and cost the time; an interim response costs nothing.
    #[cold]
    pub(crate) fn had_arrived_but_for(&mut self, serial: u64, side: usize, to: u64) {
        let open = self.by_serial(serial).filter(|open| open.side != side);
        if let Some(open) = open {
            open.arrived_but_for = to;
        }
    }

    /// A frame of upkeep on the conversation, in the time of a transaction if one waits.
    pub(crate) fn control(&mut self, share: u64, events: &mut impl Events) {
        match self.open.earliest_undone() {
            Some(at) => {
                let open = &mut *self.open[at];
                let (frames, shares) = open.transaction.counted();
                frames.control = frames.control.saturating_add(1);
                *shares += share;
                if self.observed {
                    events.tell(Event::Did(open.transaction.number, Deed::Control, None));
                }
            }
            None => events.tell(Event::Control(share)),
        }
    }
}
