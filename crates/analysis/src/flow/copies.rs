//! Data that was retransmitted: whether its first copy had arrived.

use super::{SentSegment, StreamFlow};
use crate::packets::TIMER_NS;
use wirewait_wire::Timestamp;

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

/// What had been retransmitted of what one acknowledgement is for.
#[derive(Default)]
pub(super) struct Copies {
    count: u32,
    latest: Option<(u32, Timestamp)>,
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
    #[cold]
    pub(super) fn add(&mut self, sent: &SentSegment) {
        self.count += 1;
        let soon = sent.again == SentAgain::Soon;
        self.latest = soon.then_some((sent.number, sent.last.at));
    }

    #[inline]
    pub(super) fn any(&self) -> bool {
        self.count > 0
    }

    /// The only one, if it was sent sooner than any timer, and before now, by its stamp.
    #[cold]
    pub(super) fn only(&self, now: Timestamp) -> Option<AcknowledgedCopy> {
        let (number, last) = self.latest.filter(|_| self.count == 1)?;
        let after_ns = now.since(last);
        (after_ns >= 0).then_some(AcknowledgedCopy { number, after_ns })
    }
}

impl StreamFlow {
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
    use crate::Mark;

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
            flow.resent(1, *number, mark(*us));
        }
        flow.acknowledged(0, 3_000, true, mark(us));
        let copy = flow.takes_copy(1);
        assert_eq!(flow.takes_copy(1), None, "taken");
        copy
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
