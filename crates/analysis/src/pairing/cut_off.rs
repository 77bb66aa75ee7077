//! Connections that their server resets while they are in use.

use super::Pairing;
use crate::open::{Open, OpenState};
use crate::world::{Between, CutOff, Event, Events, World};
use wirewait_wire::{Kind, Timestamp};

impl Pairing {
    /// `side` resets the connection, which nobody had begun to close: tells of the oldest request that was open, or else of the
    /// latest whose response its client had not acknowledged.
    #[cold]
    pub(crate) fn cut_off(
        &mut self,
        side: usize,
        at: Timestamp,
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
        while let Some(place) = self.open.next(from, |open| open.side != side) {
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
        let awaited = self.open.is_awaited(place);
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
        events.tell(Event::CutOff(open.wait(began.at), at, cut));
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
