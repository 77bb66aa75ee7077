//! What waits too long, and how a conversation ends.

use super::{Conversation, StreamEnd};
use crate::clock::DISPLACED_NS;
use crate::stream::ByteStream;
use crate::world::{Event, Events, World};
use crate::{Flags, Mark, Noticed};
use wirewait_wire::{Stream, Timestamp};

impl Conversation {
    /// Closes what has waited too long.
    #[inline]
    pub(super) fn fall_due(&mut self, now: Timestamp, world: &World<'_>, events: &mut impl Events) {
        if !self.pairing.is_due(now) {
            return;
        }
        if let Some(streams) = &self.streams {
            // Answers may be among what cannot be read yet.
            let lacks = streams.iter().any(ByteStream::lacks);
            self.between.held_back = lacks && !self.between.one_sided;
        }
        self.pairing.expire(now, &self.between, world, events);
    }

    /// The stamp of the frame under way is lower than one that came before.
    #[cold]
    pub(super) fn behind(&mut self, now: Timestamp, world: &World<'_>, events: &mut impl Events) {
        if self.last_seen.since(now) <= DISPLACED_NS {
            self.between.displaced = true;
        } else if world.steps.borrow().latest() > self.stepped {
            // The clock was set back: what was answered before that has had its time.
            self.stepped = world.steps.borrow().latest();
            self.pairing.set_back(&self.between, world, events);
        }
    }

    /// The clock of the capture was set forward so far: those that waited then have not waited for longer.
    pub(crate) fn clock_was_set(&mut self, then: Timestamp, later: i64) {
        self.pairing.clock_was_set(then, later);
    }

    /// Whether all is there that was sent before this segment of that side, with the next byte that it has and expects.
    #[cold]
    pub(crate) fn is_resumed(&self, side: usize, (seq, ack): (u32, u32)) -> bool {
        let Some(streams) = &self.streams else {
            return false;
        };
        let whole = |stream: &ByteStream, seq: u32| {
            let at = stream.position(seq);
            stream.is_started() && !stream.is_missing() && at.is_some_and(|at| at <= stream.next())
        };
        whole(&streams[side], seq) && whole(&streams[1 - side], ack)
    }

    /// Whether a client waits for a response to what it asked since then, where nothing below repeats requests: it does, as
    /// long as it gets none. One that was never answered in the capture may have been answered outside it.
    #[cold]
    pub(crate) fn has_timer(&self, since: Timestamp) -> bool {
        self.repeats() && self.pairing.asks(since)
    }

    fn repeats(&self) -> bool {
        let repeats = self.between.unordered && !self.between.turns && !self.between.one_sided;
        repeats && self.pairing.has_answered()
    }

    /// Whether such a client [waited](Self::has_timer), and was answered in this frame or asks nothing else in it.
    #[cold]
    pub(crate) fn goes_on_waiting(&self, since: Timestamp, frame: u64) -> bool {
        self.repeats() && self.pairing.goes_on_waiting(since, frame)
    }

    /// Closes what has waited too long.
    pub(crate) fn expire(&mut self, now: Timestamp, world: &World<'_>, events: &mut impl Events) {
        self.fall_due(now, world, events);
    }

    /// The conversation is over: everything that is open is closed.
    pub(crate) fn finish(&mut self, now: Timestamp, world: &World<'_>, events: &mut impl Events) {
        let why = if self.given_up {
            Flags::LIMITED
        } else {
            Flags::CAPTURE_LOSS
        };
        for side in [0, 1] {
            // An observer gets the message under way in any case.
            let lacks = |streams: &[ByteStream; 2]| world.observed || streams[side].holds();
            while self.streams.as_deref().is_some_and(lacks) && self.skip(side, why, world, events)
            {
            }
        }
        self.end(now, None, world, events);
    }

    /// The connection is over: both sides have closed it, or `side` has reset it.
    #[cold]
    #[inline(never)]
    pub(super) fn is_over(
        &mut self,
        side: usize,
        segment: &Stream,
        now: Timestamp,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        // What comes after that is looked at anew.
        let closes = std::mem::take(&mut self.finished) != [false; 2];
        let sudden = segment.rst && !closes && self.ended.is_none();
        self.ended = Some(match segment.rst {
            true => StreamEnd::Aborted,
            false => StreamEnd::Closed,
        });
        for side in [0, 1] {
            if self.is_ahead(side) || self.assemblers[side].is_astray() {
                self.answer_lost(side, now, world, events);
            }
        }
        if sudden && self.may_reset(side, segment.seq) {
            let told = (side, now, true);
            self.pairing.cut_off(told, &self.between, world, events);
        }
        self.end(now, segment.rst.then_some(side), world, events);
        if let Some(flow) = &mut self.flow {
            flow.again();
        }
    }

    /// Whether `side` has got as far as a reset with this number says: another one is of an earlier connection, or of somebody who
    /// guesses.
    #[cold]
    fn may_reset(&self, side: usize, seq: u32) -> bool {
        let Some(stream) = self.streams.as_ref().map(|streams| &streams[side]) else {
            return true;
        };
        let within = |at| (stream.acked()..=stream.next()).contains(&at);
        !stream.is_started() || stream.position(seq).is_some_and(within)
    }

    /// `side` sends no more behind this segment.
    #[cold]
    #[inline(never)]
    pub(super) fn leaves(
        &mut self,
        side: usize,
        (seq, length): (u32, u32),
        mark: Mark,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let mut whole = false;
        if let Some(streams) = &mut self.streams {
            let stream = &mut streams[side];
            stream.ends(seq, length);
            let end = stream.position(seq).map(|at| at + u64::from(length));
            whole = stream.is_started() && !stream.is_missing() && end == Some(stream.next());
        }
        if self.assemblers[1 - side].is_astray() {
            self.answer_lost(1 - side, mark.at, world, events);
        }
        self.pairing
            .leaves(side, mark, &self.between, world, events);
        let reader = &self.assemblers[side];
        let unread = reader.is_astray() || reader.is_lost();
        if whole && !unread && !self.finished[1 - side] {
            self.pairing
                .hangs_up(side, mark.at, &self.between, world, events);
        }
    }

    /// The connection is over; `reset` is the side that ended it at once, and may cross what the
    /// other one had sent.
    pub(crate) fn end(
        &mut self,
        now: Timestamp,
        reset: Option<usize>,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        for side in [0, 1] {
            let told = self.offers.as_mut().and_then(|offers| offers.over(side));
            if let Some((windows, mark)) = told {
                self.notice(side, mark, (Noticed::Offered(windows), 0), events);
            }
        }
        for side in [0, 1] {
            let died = self.flow.as_ref().and_then(|flow| flow.died(side));
            if let Some((what, mark)) = died {
                self.notice(side, mark, (what, 0), events);
            }
        }
        if self.turns.is_some() {
            for side in [0, 1] {
                self.end_turn(side, world, events);
            }
        }
        match reset {
            Some(side) => self.pairing.reset(side, now, &self.between, world, events),
            None => self.pairing.finish(now, &self.between, world, events),
        }
        for (side, assembler) in self.assemblers.iter_mut().enumerate() {
            if reset.is_none_or(|reset| reset == side) {
                assembler.abandon();
            }
            let loose = assembler.take_loose();
            if loose > 0 {
                events.tell(Event::Control(loose));
            }
        }
    }
}
