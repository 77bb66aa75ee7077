//! What was retransmitted though it had arrived.

use super::Conversation;
use crate::arrivals::SentBytes;
use crate::world::{Event, Events};
use crate::{Mark, Noticed};
use wirewait_wire::Stream;

/// An acknowledgement that comes so much sooner than a round trip is not for what was sent last, ns: half the time, less
/// what either of both may be late at a busy station.
const BUSY_NS: i64 = 100_000;

impl Conversation {
    /// `side` says that bytes of the other side arrived twice: a message that was repeated, and that
    /// it has all of, had arrived before.
    #[cold]
    pub(super) fn came_twice(
        &mut self,
        side: usize,
        segment: &Stream,
        mark: Mark,
        events: &mut impl Events,
    ) {
        let (Some(streams), Some(before)) = (&self.streams, segment.twice) else {
            return;
        };
        let (own, other) = (&streams[side], &streams[1 - side]);
        let ack = segment.ack.unwrap_or_default();
        let seq = ack.wrapping_sub(before.get());
        let Some(at) = other.position(seq) else {
            return;
        };
        // Else what it sent meanwhile was lost, and cost the time, if it was the response.
        let sent = own.position(segment.seq);
        let all_came = sent == Some(own.next()) && !own.lacks();
        let has = other.position(ack).unwrap_or_default();
        let flow = self.flow.as_mut();
        let part = flow.and_then(|flow| flow.takes_part(1 - side, at));
        if let Some(ns) = part
            && let Some(tally) = self.assemblers[1 - side].under_way(at)
        {
            // Nothing was lost, and its receiver had it in time.
            tally.lost_ns = tally.lost_ns.saturating_sub(ns);
            return self.arrived_twice(side, (seq, true), events);
        }
        let mut recent = self.recent[1 - side].iter_mut().rev();
        let mut recent = recent.find(|recent| recent.start <= at && at < recent.end);
        // Unknown where another part of the message was retransmitted.
        let again = match &recent {
            Some(recent) => recent.repeats(at),
            None => {
                let so_far = self.assemblers[1 - side].under_way(at);
                so_far
                    .filter(|tally| tally.retransmitted == 0)
                    .map(|_| false)
            }
        };
        let news = match (again, &mut recent) {
            (Some(true), Some(recent)) => recent.needless(),
            _ => None,
        };
        let recent = recent.map(|recent| (recent.transaction, recent.end));
        if again == Some(false) || news.is_some() || part.is_some() {
            let again = again == Some(true) || part.is_some();
            self.arrived_twice(side, (seq, again), events);
        }
        if news.is_some_and(|news| news.soon) {
            self.overtaken_behind(side, mark, events);
        }
        let Some((transaction, _)) = recent.filter(|(_, end)| *end <= has) else {
            return;
        };
        if all_came {
            self.pairing.had_arrived(transaction, side);
        } else if let Some(to) = sent {
            self.pairing.had_arrived_but_for(transaction, side, to);
        }
    }

    /// `side` acknowledges what the other side retransmitted. If it does so sooner than that can have come, it has the
    /// first copy, which was overtaken behind the capture.
    #[cold]
    pub(super) fn acknowledges_copy(
        &mut self,
        side: usize,
        segment: &Stream,
        mark: Mark,
        events: &mut impl Events,
    ) {
        let flow = self.flow.as_mut();
        let copy = flow.and_then(|flow| flow.takes_copy(1 - side));
        let (Some(copy), Some(streams)) = (copy, &self.streams) else {
            return;
        };
        let (own, other) = (&streams[side], &streams[1 - side]);
        let late_ns = copy.after_ns.saturating_add(BUSY_NS).saturating_mul(2);
        let sooner = own.round_trip_ns().is_some_and(|ns| late_ns < ns);
        let all_came = own.position(segment.seq) == Some(own.next()) && !own.lacks();
        let at = other.position(copy.number).filter(|_| sooner && all_came);
        let Some(at) = at else {
            return;
        };
        let mut recent = self.recent[1 - side].iter_mut().rev();
        let recent = recent.find(|recent| recent.start <= at && at < recent.end);
        let Some((news, transaction)) =
            recent.and_then(|recent| Some((recent.needless()?, recent.transaction)))
        else {
            return;
        };
        // Truncation intended: sequence numbers are positions modulo 2^32.
        let seq = copy.number.wrapping_add(news.at.wrapping_sub(at) as u32);
        self.arrived_twice(side, (seq, true), events);
        self.overtaken_behind(side, mark, events);
        if news.all {
            self.pairing.repeated_needlessly(transaction, side);
        }
    }

    /// Bytes of the other side arrived twice at `side`; they were sent `again`, or doubled on the way.
    fn arrived_twice(&self, side: usize, (seq, again): (u32, bool), events: &mut impl Events) {
        let bytes = SentBytes {
            from: self.between.ends[1 - side],
            to: self.between.ends[side],
            seq,
        };
        events.tell(Event::Twice(&bytes, again));
    }

    /// Data on its way to `side` was overtaken.
    fn overtaken_behind(&self, side: usize, mark: Mark, events: &mut impl Events) {
        self.notice(side, mark, (Noticed::OvertakenBehind, 0), events);
    }
}
