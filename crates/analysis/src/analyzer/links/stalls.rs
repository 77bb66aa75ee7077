//! What shows on numbered links that somebody waits in the middle of a message, and for whom.

use crate::analyzer::{AnalyzerState, Arrival};
use crate::books::Reporter;
use crate::numbered::Link;
use crate::packets::TIMER_NS;
use crate::path::Path;
use crate::stalls::LateOnLink;
use crate::world::Shared;
use crate::{Mark, Noticed, Sink};
use wirewait_wire::{Carries, Numbered, NumberedKind};

/// No receiver keeps an acknowledgement waiting for data of its own for longer, ns (T2 of LLC).
const ALONE_NS: i64 = 500_000_000;

impl AnalyzerState {
    /// `side` acknowledges what is on its way to it late, and has all of it then.
    #[cold]
    #[inline(never)]
    pub(super) fn acknowledged_late(
        &mut self,
        (link, side): (&mut Link, usize),
        numbered: &Numbered,
        (what, bytes): (&Noticed, u64),
        mark: Mark,
    ) {
        let Noticed::Acknowledged {
            frames,
            after_ns,
            sent,
            ..
        } = *what
        else {
            return;
        };
        if numbered.kind == NumberedKind::Data && after_ns >= ALONE_NS {
            link.only_rides[side] = true;
        }
        // What answers a poll, or ends the time in which its sender could take nothing, was late for that.
        let answers = numbered.response && numbered.poll || link.flow.is_busy(side);
        let sender = 1 - side;
        if answers || link.ended[sender] || link.flow.is_waiting(sender) {
            return;
        }
        // One that may be of an earlier copy, or that no timer kept.
        let unsure = sent.is_none() || link.is_late_unevenly(side, after_ns);
        let known = link.last.and_then(|p| self.conversations.get_mut(p));
        if let Some(conversation) = known {
            let late = LateOnLink {
                frames,
                bytes,
                behind_ns: Some(0),
                resends: numbered.connection.is_some(),
            };
            conversation.acknowledged_late(link.ends[sender], (after_ns, late), unsure, mark);
        }
    }

    /// One end of a link can take data again: a message of the other one may have stood still for it.
    #[cold]
    pub(super) fn goes_on_behind(
        &mut self,
        link: &Link,
        path: &Path,
        side: usize,
        (what, mark): (&Noticed, Mark),
        sink: &mut dyn Sink,
    ) {
        let known = link.last.and_then(|p| self.conversations.get_mut(p));
        if let Some(conversation) = known {
            let sender = link.ends[1 - side];
            let mut events = Reporter::new(&mut self.books, path, sink);
            conversation.can_take_again(sender, what, mark, &mut events);
        }
    }

    /// A frame goes on in a message of which all is acknowledged, or, if not `goes_on`, may do so in what is messages of
    /// their own; its sender may have stopped in that.
    #[cold]
    #[inline(never)]
    pub(super) fn goes_on_when_acknowledged(
        &mut self,
        arrival: &Arrival<'_>,
        (link_side, link): (usize, &Link),
        (numbered, goes_on): (&Numbered, bool),
        common: &Shared,
        sink: &mut dyn Sink,
    ) {
        let known = &arrival.path.conversation;
        let Carries::Segment(segment) = arrival.facts.carries else {
            return;
        };
        let mark = arrival.piece.mark;
        let Ok((place, side)) = self.conversations.find_side(known, || arrival.key()) else {
            return;
        };
        let Some(conversation) = self.conversations.get_mut(place) else {
            return;
        };
        let mut events = Reporter::new(&mut self.books, arrival.path, sink);
        let silence = link.flow.stopped_since(link_side, mark);
        let since = silence.map_or(mark.at, |silence| silence.since);
        if goes_on {
            conversation.waited(side, (mark, since), &mut events);
        }
        let silence = silence.filter(|of| of.is_long(mark.at, common.tick_ns.get()));
        // A sender of LLC asks first whether what was lost has come; others send it again when their timer runs out.
        let silence = silence.filter(|silence| {
            numbered.connection.is_none() || mark.at.since(silence.since) < TIMER_NS
        });
        if let Some(silence) = silence {
            let last = segment.last;
            conversation.stops(side, &silence, (mark, last), (false, false), &mut events);
        }
    }
}
