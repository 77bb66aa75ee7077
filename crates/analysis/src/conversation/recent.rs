//! The latest messages, which acknowledgements and repeats may still come for.

use super::Conversation;
use crate::flow::FULL;
use crate::message::Message;
use crate::pairing::{Pairing, RepeatedFrame};
use crate::world::Events;
use crate::{Deed, Mark, WHOLE_FRAME};
use std::collections::VecDeque;

/// Messages per direction whose later acknowledgements and repeats are still attributed.
const RECENT: usize = 64;

/// Room for them that is made at first.
pub(super) const FEW: usize = 4;

/// A message of a transaction that was seen whole, for what comes later.
pub(super) struct RecentFrames {
    pub(super) serial: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) transaction: u64,
    /// What few have.
    repeats: Option<Box<RecentRepeats>>,
}

/// How a message was repeated.
#[derive(Default)]
struct RecentRepeats {
    /// How far the last pass of repeats over it went, and where the last one began.
    to: u64,
    from: u64,
    /// Some of it was repeated before it was whole.
    before: bool,
    /// Frames that repeated some of it, and those of them that were not needed.
    frames: u32,
    needless: u32,
    /// The latest was sent sooner than any timer, with more sent behind what it repeats.
    soon: bool,
    /// That it was not needed is known.
    told: bool,
}

impl RecentFrames {
    /// Whether the byte at this position was repeated, if that is known.
    pub(super) fn repeats(&self, at: u64) -> Option<bool> {
        let Some(repeats) = &self.repeats else {
            return Some(false);
        };
        if (repeats.from..repeats.to).contains(&at) {
            return Some(true);
        }
        (repeats.to == 0 && !repeats.before).then_some(false)
    }

    /// What was repeated last was not needed, which is news.
    pub(super) fn needless(&mut self) -> Option<NeedlessRepeat> {
        let repeats = self.repeats.as_mut().filter(|repeats| !repeats.told)?;
        repeats.told = true;
        repeats.needless = repeats.needless.saturating_add(1);
        Some(NeedlessRepeat {
            at: repeats.from,
            soon: repeats.soon,
            all: !repeats.before && repeats.needless == repeats.frames,
        })
    }
}

/// Data that was repeated though its first copy had arrived.
pub(super) struct NeedlessRepeat {
    /// The first position that was.
    pub(super) at: u64,
    /// Sooner than any timer, with more sent behind it.
    pub(super) soon: bool,
    /// So was all else that was repeated of the message.
    pub(super) all: bool,
}

impl Conversation {
    /// A stand-alone acknowledgement of the last message from `side`. Returns the number of
    /// that message.
    pub(crate) fn acknowledge_latest(
        &mut self,
        side: usize,
        mark: Mark,
        events: &mut impl Events,
    ) -> u64 {
        self.assemblers[side].accepted_all();
        let serial = self.assemblers[side].serial();
        if !self.credit_serial(side, serial, mark, events) {
            self.pairing.control(WHOLE_FRAME, events);
        }
        serial
    }

    /// A stand-alone acknowledgement of the message with this number from `side`.
    pub(crate) fn acknowledge_message(
        &mut self,
        side: usize,
        serial: u64,
        mark: Mark,
        events: &mut impl Events,
    ) {
        // A side that only acknowledges was captured too.
        self.heard(1 - side);
        if !self.credit_serial(side, serial, mark, events) {
            self.pairing.control(WHOLE_FRAME, events);
        }
    }

    /// A frame that repeats part of the message with this number from `side`.
    pub(crate) fn repeat_message(
        &mut self,
        side: usize,
        serial: u64,
        mark: Mark,
        events: &mut impl Events,
    ) {
        self.faults.retransmitted += 1;
        if self.assemblers[side].serial() == serial
            && let Some(tally) = self.assemblers[side].under_way(u64::MAX)
        {
            tally.repeat(mark);
            self.assemblers[side].note(mark.frame, Deed::Retransmitted);
            return;
        }
        let transaction = self.recent[side]
            .iter()
            .rev()
            .find(|r| r.serial == serial)
            .map(|r| r.transaction);
        let frame = RepeatedFrame {
            side,
            mark,
            again: true,
            had: false,
        };
        let known =
            transaction.is_some_and(|t| self.pairing.repeated(t, frame, WHOLE_FRAME, events));
        if !known {
            self.pairing.control(WHOLE_FRAME, events);
        }
    }

    /// This frame repeats data of `side` that is acknowledged, and the latest message may have been
    /// answered to it.
    #[cold]
    pub(crate) fn was_repeated_before(&mut self, side: usize, mark: Mark) {
        if let Some(latest) = self.recent[side].back() {
            self.pairing.repeated_before(latest.transaction, side, mark);
        }
    }

    /// A frame all of whose bytes, from `at` to `end`, had been seen; sent `soon`, because of what the other side said, or
    /// for another reason.
    pub(super) fn repeat_range(
        &mut self,
        side: usize,
        (at, end): (u64, u64),
        (mark, soon): (Mark, bool),
        events: &mut impl Events,
    ) {
        self.faults.retransmitted += 1;
        let found = self.recent[side]
            .iter_mut()
            .rev()
            .find(|r| r.start <= at && at < r.end);
        if let Some(recent) = found {
            let repeats = recent.repeats.get_or_insert_default();
            let again = repeats.to == 0 || at < repeats.to;
            (repeats.from, repeats.to) = (at, end);
            (repeats.soon, repeats.told) = (soon, false);
            repeats.frames = repeats.frames.saturating_add(1);
            let transaction = recent.transaction;
            // Whose own data was lost may have answered, and is answered by the repetition.
            let had = self.streams.as_ref().is_some_and(|streams| {
                end <= streams[side].acked() && !streams[1 - side].is_missing()
            });
            let pass = RepeatedFrame {
                side,
                mark,
                again,
                had,
            };
            if self
                .pairing
                .repeated(transaction, pass, WHOLE_FRAME, events)
            {
                return;
            }
        } else if let Some(tally) = self.assemblers[side].under_way(at) {
            let before = tally.lost_ns;
            tally.repeat(mark);
            if let Some(flow) = &mut self.flow {
                flow.repeats_part(side, (at, end), tally.lost_ns.saturating_sub(before));
            }
            self.assemblers[side].note(mark.frame, Deed::Retransmitted);
            return;
        }
        self.pairing.control(WHOLE_FRAME, events);
    }

    /// A stand-alone acknowledgement of these bytes of `side`, at once: which of its messages the other side has now, as a whole or
    /// but for some bytes.
    #[cold]
    pub(super) fn reached_by(&mut self, side: usize, (from, to): (u64, u64), mark: Mark) {
        // Two full segments are not kept waiting (RFC 1122, 4.2.3.2), and no less is sent behind this.
        let sent = self.streams.as_ref().map_or(0, |s| s[side].next());
        if sent.saturating_sub(from) < 2 * FULL || !self.pairing.has_several(side) {
            return;
        }
        for recent in self.recent[side].iter().rev() {
            if recent.end <= from {
                break;
            }
            if recent.start < to {
                let left = recent.end.saturating_sub(to);
                let beyond = to > recent.end;
                self.pairing
                    .reached(recent.transaction, side, (mark.at, left, beyond));
            }
        }
    }

    /// Credits a stand-alone acknowledgement to the message with the byte at `position`.
    pub(super) fn credit(
        &mut self,
        side: usize,
        position: u64,
        mark: Mark,
        events: &mut impl Events,
    ) -> bool {
        let found = self.recent[side]
            .iter()
            .rev()
            .find(|r| r.start <= position && position < r.end);
        if let Some(recent) = found {
            let acknowledged = (recent.transaction, position + 1 == recent.end);
            return self.pairing.acknowledged(acknowledged, WHOLE_FRAME, events);
        }
        let assembler = &mut self.assemblers[side];
        let Some(tally) = assembler.under_way(position) else {
            return false;
        };
        tally.acks = tally.acks.saturating_add(1);
        tally.share += WHOLE_FRAME;
        assembler.note(mark.frame, Deed::Ack);
        true
    }

    fn credit_serial(
        &mut self,
        side: usize,
        serial: u64,
        mark: Mark,
        events: &mut impl Events,
    ) -> bool {
        let found = self.recent[side].iter().rev().find(|r| r.serial == serial);
        if let Some(recent) = found {
            // Of a message in several frames it may be the first that are acknowledged.
            let acknowledged = (recent.transaction, false);
            return self.pairing.acknowledged(acknowledged, WHOLE_FRAME, events);
        }
        let assembler = &mut self.assemblers[side];
        if assembler.serial() != serial {
            return false;
        }
        let Some(tally) = assembler.under_way(u64::MAX) else {
            return false;
        };
        tally.acks = tally.acks.saturating_add(1);
        tally.share += WHOLE_FRAME;
        assembler.note(mark.frame, Deed::Ack);
        true
    }
}

/// Keeps what is needed of a message while its transaction is open.
pub(super) fn remember(
    recent: &mut VecDeque<RecentFrames>,
    message: &Message<'_>,
    transaction: Option<u64>,
    pairing: &Pairing,
) {
    let Some(transaction) = transaction else {
        return;
    };
    let room = recent.capacity();
    if recent.len() == room && room < RECENT {
        recent.retain(|r| pairing.is_open(r.transaction));
        if recent.len() * 2 >= room {
            recent.reserve_exact(room.max(FEW));
        }
    }
    if recent.len() >= RECENT {
        recent.pop_front();
    }
    recent.push_back(RecentFrames {
        serial: message.serial,
        start: message.range.0,
        end: message.range.1,
        transaction,
        repeats: (message.tally.retransmitted > 0).then(|| {
            Box::new(RecentRepeats {
                before: true,
                ..RecentRepeats::default()
            })
        }),
    });
}
