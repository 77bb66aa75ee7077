//! Messages on a byte stream, or on a link, that stand still for their receiver: it can take nothing more, or keeps an
//! acknowledgement waiting for which the sender waits. Or for their sender, which has nothing to wait for and stops.

use super::Conversation;
use crate::flow::{FULL, QuietWay};
use crate::packets::TIMER_NS;
use crate::piece::Piece;
use crate::stalls::{AT_ONCE_NS, LateOnLink, MessageStall, STOPPED_NS, StallCause, is_late};
use crate::world::{Events, World};
use crate::{Mark, Noticed};
use wirewait_wire::{Endpoint, Stream, Timestamp};

/// No receiver keeps an acknowledgement waiting for longer (RFC 1122, 4.2.3.2), ns, but for the way.
const LONGEST_NS: i64 = 500_000_000;
/// What a transport sends by itself when an acknowledgement comes follows it no later, ns, but for the way.
const RELEASED_NS: i64 = 250_000;
/// A slow line takes as long for the next segment. Who goes on in this part of the time in which nothing came had stopped.
const FASTER: i64 = 4;
/// Who lacks an acknowledgement sends new data no later than this behind its latest, ns, and two ways there and back: a tail loss
/// probe (RFC 8985, 7.2) for a single segment.
const PROBES_NS: i64 = 250_000_000;

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
            self.pairing.stalled(closed(sender, after_ns, mark), events);
        }
    }

    /// `side`, which could not take a full segment for so long though it had all that was sent, can do so again. Whether that
    /// kept the other one waiting shows when it goes on.
    #[cold]
    pub(super) fn widens_window(&mut self, side: usize, after_ns: i64, mark: Mark) {
        let sender = 1 - side;
        if self.assemblers[sender].is_under_way() {
            self.stall = Some(Box::new(closed(sender, after_ns, mark)));
        }
    }

    /// `side` acknowledges what its sender may have waited for.
    #[cold]
    #[inline(never)]
    pub(super) fn acknowledges_slowly(
        &mut self,
        side: usize,
        told: &mut (Noticed, u64),
        mark: Mark,
    ) {
        if !self.window_was_full(side, told, mark) && is_late(&told.0) {
            self.acknowledges_late(side, &told.0, mark);
        }
    }

    /// `side` acknowledges all that was sent to it, so late, and had no room for a full segment beside that; whether that is
    /// so. A kernel that has several segments acknowledges them at once, unless it leaves that to the program that reads them
    /// (Linux: `__tcp_ack_snd_check`): this shows no way, and kept the sender waiting.
    fn window_was_full(
        &mut self,
        side: usize,
        (what, bytes): &mut (Noticed, u64),
        mark: Mark,
    ) -> bool {
        let Noticed::Acknowledged {
            frames: 2..,
            outstanding,
            after_ns,
            sent: Some(_),
            at_once,
            ..
        } = what
        else {
            return false;
        };
        let window = self.offers.as_ref().and_then(|o| o.latest(side));
        let filled = outstanding.saturating_add(FULL);
        if bytes != outstanding || window.is_none_or(|window| filled <= window) {
            return false;
        }
        *at_once = false;
        let sender = 1 - side;
        if self.assemblers[sender].is_under_way() {
            self.stall = Some(Box::new(MessageStall {
                lacked_ns: after_ns.unsigned_abs(),
                ..closed(sender, *after_ns, mark)
            }));
        }
        true
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
    fn acknowledges_late(&mut self, side: usize, what: &Noticed, mark: Mark) {
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
        if waiting || !timer {
            return;
        }
        let from = mark.at.plus(-after_ns);
        // Parts of a message may be messages of their own; or whole ones wait.
        let within =
            self.assemblers[sender].is_under_way() || self.pairing.goes_on(sender).is_some();
        let held = match within {
            true => None,
            false => self.pairing.may_hold(sender, (from, mark.at)),
        };
        if within || held.is_some() {
            let late = StallCause::DelayedAcknowledgement;
            self.stall = Some(Box::new(MessageStall {
                held,
                ..MessageStall::new(sender, late, (from, mark.at))
            }));
        }
    }

    /// The other end of the link below acknowledges these frames of `sender` so late, and nothing else is on its way to it.
    /// `unsure`: whether they may have been under way so long.
    #[cold]
    pub(crate) fn acknowledged_late(
        &mut self,
        sender: Endpoint,
        (after_ns, late): (i64, LateOnLink),
        unsure: bool,
        mark: Mark,
    ) {
        let side = self.between.ends.iter().position(|end| *end == sender);
        if let Some(sender) = side
            && after_ns <= LONGEST_NS
            && self.assemblers[sender].is_under_way()
        {
            let span = (mark.at.plus(-after_ns), mark.at);
            self.stall = Some(Box::new(MessageStall {
                unsure,
                on_link: Some(late),
                ..MessageStall::new(sender, StallCause::DelayedAcknowledgement, span)
            }));
        }
    }

    /// `side` sends data: whether it waited for the late acknowledgement that came last; or had stopped before its
    /// latest data, and now goes on so much faster that no line was as slow.
    #[cold]
    pub(super) fn goes_on_behind(
        &mut self,
        side: usize,
        (mark, length): (Mark, u32),
        events: &mut impl Events,
    ) {
        let since = self.stall.as_ref().map(|stall| stall.to);
        let behind = since.map_or(0, |since| mark.at.since(since));
        if let Some(stall) = &mut self.stall
            && let Some(held) = &mut stall.held
            && stall.sender == side
        {
            // A full segment waits for nothing (RFC 9293, 3.7.4).
            if u64::from(length) >= FULL {
                self.stall = None;
                return;
            }
            held.frame = mark.frame;
        }
        self.goes_on_so_late(side, behind, events);
    }

    /// As [`Self::goes_on_behind`], in a frame of a link.
    #[cold]
    pub(super) fn goes_on_in_link(&mut self, side: usize, mark: Mark, events: &mut impl Events) {
        // Not in the frame that ends it: one that acknowledges may have data itself.
        let this = |stall: &MessageStall| match stall.cause {
            StallCause::Stopped => stall.to == mark.at,
            _ => stall.sender != side && stall.to == mark.at,
        };
        if !self.stall.as_deref().is_some_and(this) {
            self.goes_on_behind(side, (mark, 0), events);
        }
    }

    /// As [`Self::goes_on_behind`], so long behind what ended the stall.
    fn goes_on_so_late(&mut self, side: usize, behind: i64, events: &mut impl Events) {
        let Some(mut stall) = self.stall.take() else {
            return;
        };
        if let Some(late) = &mut stall.on_link {
            late.behind_ns = late.behind_ns.and(u64::try_from(behind).ok());
        }
        let soon = match stall.cause {
            StallCause::Stopped => {
                let lacked = i64::try_from(stall.lacked_ns).unwrap_or(0);
                (stall.to.since(stall.from) - lacked) / FASTER
            }
            // How far its sender is is known when the request is over.
            _ if stall.on_link.is_some() => i64::MAX,
            // It was ready: no program has to be woken.
            _ if stall.held.is_some() => RELEASED_NS.saturating_add(self.reacts_ns(side)),
            _ => AT_ONCE_NS.saturating_add(self.reacts_ns(side)),
        };
        // A timer that runs out because an acknowledgement was lost sends one segment, and waits for the next one.
        let waited = || {
            let flow = self.flow.as_ref();
            let heard = flow.and_then(|flow| flow.heard_at(1 - side));
            heard.is_some_and(|heard| heard > stall.to)
        };
        let probe = stall.timer && waited();
        let soon = (0..=soon).contains(&behind);
        if stall.sender == side && stall.held.is_some() && !self.pairing.holds(soon) {
            return;
        }
        stall.steady = u32::from(!soon && stall.cause == StallCause::Stopped);
        if stall.sender == side && (soon || stall.steady > 0) && !probe {
            self.pairing.stalled(*stall, events);
        }
    }

    /// `side`, of which all is acknowledged, goes on with its message on a link; nothing was heard since then.
    #[cold]
    pub(crate) fn waited(
        &mut self,
        side: usize,
        (mark, since): (Mark, Timestamp),
        events: &mut impl Events,
    ) {
        if let Some(stall) = &self.stall {
            // What was acknowledged meanwhile waited for that. This frame itself may show that its sender stopped.
            let since = match stall.cause {
                StallCause::Stopped => since.max(stall.to),
                _ => stall.to,
            };
            self.goes_on_so_late(side, mark.at.since(since), events);
        }
        let serial = self.assemblers[side].serial();
        self.pairing.waited(side, serial, mark.at);
    }

    /// What comes next behind a late acknowledgement was lost before the capture: it may have been sent at once.
    #[cold]
    pub(super) fn was_sent_before(&mut self, side: usize) {
        if let Some(stall) = &mut self.stall
            && stall.sender == side
            && let Some(late) = &mut stall.on_link
        {
            (late.behind_ns, stall.unsure) = (None, true);
        }
    }

    /// `side`, of which all is acknowledged, sends data that nobody kept waiting, the rest of its message if `last`: it may
    /// have stopped in that.
    #[cold]
    pub(crate) fn stops(
        &mut self,
        side: usize,
        silence: &QuietWay,
        (mark, last): (Mark, bool),
        (unsure, timer): (bool, bool),
        events: &mut impl Events,
    ) {
        let ns = mark.at.since(silence.since);
        // Parts of a message may be messages of their own.
        let whole = self.assemblers[side].is_under_way();
        let of = self.pairing.goes_on(side).filter(|_| !whole);
        if ns < STOPPED_NS || !whole && of.is_none() {
            return;
        }
        let stall = MessageStall {
            of,
            unsure,
            lacked_ns: u64::try_from(silence.since.since(silence.last)).unwrap_or(0),
            timer,
            ..MessageStall::new(side, StallCause::Stopped, (silence.last, mark.at))
        };
        // Nothing need come behind it; what came before may have been faster.
        let steady = u32::from(silence.before_ns > ns / FASTER);
        if last && !timer || of.is_some() && steady == 0 && !timer {
            self.pairing
                .stalled(MessageStall { steady, ..stall }, events);
        } else if !last {
            self.stall = Some(Box::new(stall));
        }
    }

    /// As [`Self::stops`], of a byte stream.
    #[cold]
    pub(super) fn stops_in_stream(
        &mut self,
        side: usize,
        segment: &Stream,
        piece: &Piece<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let mark = piece.mark;
        let silence = self.flow.as_ref().and_then(|f| f.stopped_since(side, mark));
        let silence = silence.filter(|of| of.is_long(mark.at, world.tick_ns.get()));
        let stream = self.streams.as_ref().map(|streams| &streams[side]);
        let goes_on =
            stream.is_some_and(|s| s.position(segment.seq) == Some(s.next()) && !s.is_missing());
        let (Some(silence), true) = (silence, goes_on) else {
            return;
        };
        // Whether data was lost before the capture, and sent again by a timer.
        let lost = self.between.again_at(side, mark.frame);
        if lost.is_some_and(|(proved, _)| proved > 0) {
            return;
        }
        let last = self.assemblers[side].ends_within(piece.length);
        let unsure = lost.is_some() && mark.at.since(silence.since) >= TIMER_NS;
        let probes = TIMER_NS..=PROBES_NS.saturating_add(2 * self.reacts_ns(1 - side));
        // What is sent though an acknowledgement is lacking may be the probe of a timer, whatever that is.
        let timer = silence.waits || probes.contains(&mark.at.since(silence.last));
        self.stops(side, &silence, (mark, last), (unsure, timer), events);
    }

    /// The shortest time in which `side` acknowledged anything: the way to it and back.
    fn reacts_ns(&self, side: usize) -> i64 {
        let streams = self.streams.as_ref();
        streams.map_or(0, |streams| streams[side].reacts_ns())
    }
}

/// A window that had been closed for `sender` for so long until this frame.
fn closed(sender: usize, after_ns: i64, mark: Mark) -> MessageStall {
    let span = (mark.at.plus(-after_ns), mark.at);
    MessageStall::new(sender, StallCause::ClosedWindow, span)
}
