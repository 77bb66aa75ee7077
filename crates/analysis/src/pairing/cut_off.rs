//! Connections that their server closes or resets while they are in use.

use super::Pairing;
use crate::open::{Open, OpenState};
use crate::world::{Between, CutOff, Event, Events, WaitEvent, World};
use wirewait_wire::{Kind, Timestamp};

impl Pairing {
    /// `side` ends the connection, which the other had not begun to close: tells of the oldest request that was open. If it resets it, `suddenly`, or else of the
    /// latest whose response its client had not acknowledged.
    #[cold]
    pub(crate) fn cut_off(
        &mut self,
        (side, at, suddenly): (usize, Timestamp, bool),
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        if between.one_sided {
            return;
        }
        self.settle(world, events);
        self.settle_brief(None, between, world, events);
        let (mut from, mut found) = (0, None);
        let concerned =
            |open: &Open| open.side != side && (suddenly || open.state != OpenState::Done);
        while let Some(place) = self.open.next(from, concerned) {
            let open = &self.open[place];
            from = open.serial.saturating_add(1);
            let rank = rank(open);
            if found.is_none_or(|(least, _)| rank < least) {
                found = Some((rank, place));
            }
        }
        let Some((_, place)) = found else {
            return;
        };
        let awaited = self.open.is_awaited(&self.open[place]);
        let open = &self.open[place];
        let t = &open.transaction;
        let answered = open.state == OpenState::Done;
        let extent = if answered { t.response } else { t.request };
        let Some(extent) = extent else {
            return;
        };
        let began = if answered { extent.last } else { extent.first };
        let cut = CutOff {
            answered,
            lacks: awaited || open.passed_over || between.held_back,
        };
        events.tell(Event::Happens(
            open.wait(began.at),
            WaitEvent::CutOff(at, cut),
        ));
    }

    /// `side` closes the connection first, and everything it sent was captured. It will not answer the remaining
    /// requests (RFC 9293, section 3.6), so their clients stop waiting.
    pub(crate) fn hangs_up(
        &mut self,
        side: usize,
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let asked = |open: &Open| {
            open.side != side && matches!(open.state, OpenState::Waiting | OpenState::Answering)
        };
        if between.one_sided || self.open.next(0, asked).is_none() {
            return;
        }
        self.cut_off((side, now, false), between, world, events);
        while let Some(at) = self.open.next(0, asked) {
            self.close(at, Some(now), between, world, events);
        }
    }
}

/// Those that are open come first, the oldest first, then those that were answered, the latest first. What waits by design,
/// or sets a session up or ends it, comes last.
fn rank(open: &Open) -> (u8, u64) {
    let apart = matches!(
        open.transaction.kind,
        Kind::Wait | Kind::Break | Kind::Session
    );
    match open.state {
        OpenState::Done => (1, u64::MAX - open.serial),
        _ if apart => (2, open.serial),
        _ => (0, open.serial),
    }
}
