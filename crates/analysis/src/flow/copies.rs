//! Data that was retransmitted: whether its first copy had arrived.

use super::{FlowTrouble, SentSegment, StreamFlow};
use crate::Mark;
use crate::packets::TIMER_NS;
use std::num::NonZeroU32;
use wirewait_wire::Timestamp;

/// Segments that were retransmitted and of which is remembered when they were sent first, the latest.
const FIRSTS: usize = 8;

/// Whether data was retransmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentAgain {
    No,
    /// Sooner than any timer, when more had been sent behind it: because of what the other side said.
    Soon,
    /// For some other reason, or more than once.
    Late,
}

/// Data that was retransmitted, and is acknowledged now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AcknowledgedCopy {
    /// The first number of the segment that it is, or is part of.
    pub(crate) number: u32,
    /// Since it was retransmitted, ns.
    pub(crate) after_ns: i64,
}

/// Bytes of a message under way that were repeated, by their positions, and how long that seemed to cost, ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatedPart {
    from: u64,
    to: u64,
    lost_ns: i64,
}

/// Data as it was sent first, which was retransmitted with a time stamp.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstSent {
    number: u32,
    at: Mark,
    /// That of its first retransmission.
    stamp: NonZeroU32,
}

impl FirstSent {
    /// This is retransmitted, with this time stamp: how it was sent first is kept the first time.
    #[cold]
    pub(super) fn keep(
        trouble: &mut Option<Box<FlowTrouble>>,
        sent: &SentSegment,
        stamp: Option<NonZeroU32>,
    ) {
        let (SentAgain::No, Some(stamp)) = (sent.again, stamp) else {
            return;
        };
        let firsts = &mut trouble.get_or_insert_default().firsts;
        if firsts.len() >= FIRSTS {
            firsts.remove(0);
        }
        firsts.push(Self {
            number: sent.number,
            at: sent.last,
            stamp,
        });
    }
}

/// What had been retransmitted of what one acknowledgement is for.
#[derive(Default)]
pub(super) struct Copies {
    count: u32,
    latest: Option<(u32, Timestamp)>,
    /// How many of them had arrived before any retransmission had.
    needless: u32,
    /// When the latest of them was sent first, if that is what arrived.
    first: Option<Mark>,
}

impl SentAgain {
    /// It is retransmitted after this time, ns, with more sent `behind` it; says whether that is sooner than any timer.
    pub(super) fn once_more(&mut self, after_ns: i64, behind: bool) -> bool {
        let soon = behind && (0..TIMER_NS).contains(&after_ns);
        *self = match (*self, soon) {
            (Self::No, true) => Self::Soon,
            _ => Self::Late,
        };
        soon
    }
}

impl Copies {
    /// `echo`: the latest time stamp that its receiver had. One from before the retransmission says that it acknowledges
    /// what was sent first (Eifel, RFC 3522): of what fills a gap, it has the stamp of what filled it (RFC 7323, 4.3).
    /// When the latest of them was sent, as far as it is acknowledged: first, if that is what arrived, and otherwise last.
    #[cold]
    pub(super) fn add(
        &mut self,
        sent: &SentSegment,
        (trouble, echo): (&Option<Box<FlowTrouble>>, Option<NonZeroU32>),
    ) -> Mark {
        self.count += 1;
        let firsts = trouble.as_ref().map_or(&[][..], |of| &of.firsts);
        let first = firsts.iter().rfind(|first| first.number == sent.number);
        let before = |first: &&FirstSent| {
            let behind = echo.map_or(0, |echo| {
                first.stamp.get().wrapping_sub(echo.get()).cast_signed()
            });
            behind > 0
        };
        let first = first.filter(before);
        self.needless += u32::from(first.is_some());
        self.first = first.map(|first| first.at);
        let soon = sent.again == SentAgain::Soon;
        self.latest = soon.then_some((sent.number, sent.last.at));
        self.first.filter(|_| !soon).unwrap_or(sent.last)
    }

    #[inline]
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// Whether some of them, which are acknowledged now, may have arrived as retransmissions. Keeps the only one, if it was sent
    /// sooner than any timer.
    #[cold]
    pub(super) fn are_unclear(
        &self,
        trouble: &mut Option<Box<FlowTrouble>>,
        now: Timestamp,
    ) -> bool {
        let copy = self.only(now);
        trouble.get_or_insert_default().copy = copy;
        copy.is_some() || self.needless != self.count
    }

    /// The only one, if it was sent sooner than any timer, and before now, by its stamp.
    fn only(&self, now: Timestamp) -> Option<AcknowledgedCopy> {
        let (number, last) = self.latest.filter(|_| self.count == 1)?;
        let after_ns = now.since(last);
        (after_ns >= 0).then_some(AcknowledgedCopy { number, after_ns })
    }
}

impl StreamFlow {
    /// `side` repeated bytes of a message under way, which seemed to cost so long, ns.
    #[cold]
    pub(crate) fn repeats_part(&mut self, side: usize, (from, to): (u64, u64), lost_ns: i64) {
        let part = RepeatedPart { from, to, lost_ns };
        self.ways[side].trouble.get_or_insert_default().part = Some(part);
    }

    /// What `side` repeated last, if the byte at this position is in it, had arrived before: how long that seemed to cost.
    #[cold]
    pub(crate) fn takes_part(&mut self, side: usize, at: u64) -> Option<i64> {
        let trouble = self.ways[side].trouble.as_mut()?;
        let part = trouble
            .part
            .take_if(|part| (part.from..part.to).contains(&at))?;
        Some(part.lost_ns)
    }

    /// What `side` had retransmitted of what was acknowledged now, if that is one segment, and was retransmitted sooner
    /// than any timer.
    #[cold]
    pub(crate) fn takes_copy(&mut self, side: usize) -> Option<AcknowledgedCopy> {
        self.ways[side].trouble.as_mut()?.copy.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Noticed;

    fn mark(us: i64) -> Mark {
        Mark {
            frame: us.cast_unsigned(),
            at: Timestamp::from_nanos(us * 1_000),
        }
    }

    /// Three segments of 1,000 bytes at 0, of which these are retransmitted then; what the acknowledgement of all at
    /// 400 ms has of them.
    fn copy_of(again: &[(u32, i64)]) -> Option<AcknowledgedCopy> {
        copy_at(again, 400_000)
    }

    /// Likewise, acknowledged then.
    fn copy_at(again: &[(u32, i64)], us: i64) -> Option<AcknowledgedCopy> {
        let mut flow = StreamFlow::new(1 << 32);
        for number in [0, 1_000, 2_000] {
            flow.sent(1, (number, number + 1_000), 1_000, mark(0));
        }
        for (number, us) in again {
            flow.resent(1, (*number, None), mark(*us));
        }
        flow.acknowledged(0, (3_000, None), true, mark(us));
        let copy = flow.takes_copy(1);
        assert_eq!(flow.takes_copy(1), None, "taken");
        copy
    }

    /// A segment at 0, retransmitted with the stamp 115 at 15 ms, and acknowledged at 120 ms by who had this stamp last: after how
    /// many ms, if that is known, and which frame.
    fn eifel(echo: Option<u32>, also: Option<i64>) -> Option<(i64, u64)> {
        let stamp = |of: u32| NonZeroU32::new(of);
        let mut flow = StreamFlow::new(1 << 32);
        flow.sent(1, (0, 1_000), 1_000, mark(0));
        flow.resent(1, (0, stamp(115)), mark(15_000));
        if let Some(us) = also {
            flow.resent(1, (0, stamp(200)), mark(us));
        }
        let echo = echo.and_then(stamp);
        let (what, _) = flow.acknowledged(0, (1_000, echo), true, mark(120_000))?;
        match what {
            Noticed::Acknowledged { after_ns, sent, .. } => Some((after_ns / 1_000_000, sent?)),
            _ => None,
        }
    }

    #[test]
    fn a_time_stamp_says_which_copy_is_acknowledged() {
        assert_eq!(eifel(Some(100), None), Some((120, 0)));
        assert_eq!(
            eifel(Some(114), Some(60_000)),
            Some((120, 0)),
            "sent three times"
        );
        // It may be the copy; it is; it cannot be told.
        assert_eq!(eifel(Some(115), None), None);
        assert_eq!(eifel(Some(200), Some(60_000)), None);
        assert_eq!(eifel(None, None), None);
        // Stamps begin again.
        assert_eq!(eifel(Some(u32::MAX - 5), None), Some((120, 0)));
    }

    #[test]
    fn the_only_copy_that_was_sent_because_of_what_came_behind_is_known() {
        let copy = |number, after_us: i64| {
            Some(AcknowledgedCopy {
                number,
                after_ns: after_us * 1_000,
            })
        };
        assert_eq!(copy_of(&[]), None);
        assert_eq!(copy_of(&[(0, 4_500)]), copy(0, 395_500));
        // Part of it.
        assert_eq!(copy_of(&[(1_500, 199_999)]), copy(1_000, 200_001));
        // It was sent later than it is acknowledged: the clock was set.
        assert_eq!(copy_at(&[(0, 4_500)], 4_499), None);
        // A timer ran out; nothing was sent behind it; it was sent more than once; there are two of them.
        assert_eq!(copy_of(&[(0, 200_000)]), None);
        assert_eq!(copy_of(&[(2_000, 4_500)]), None);
        assert_eq!(copy_of(&[(0, 4_500), (0, 9_000)]), None);
        assert_eq!(copy_of(&[(0, 4_500), (1_000, 4_501)]), None);
    }
}
