//! What waits too long, and how a conversation ends.

use super::Conversation;
use crate::clock::DISPLACED_NS;
use crate::stream::ByteStream;
use crate::world::{Event, Events, World};
use crate::{Flags, Noticed};
use wirewait_wire::Timestamp;

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
