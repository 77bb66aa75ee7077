//! Senders of links whose window is one frame: each frame waits for the acknowledgement of the one before.
//!
//! If the previous frame was an acknowledgement or another message, the next one leaves when the link allows it, not when
//! its sender has it: a turnaround, or a pause, contains the way of the frame before and of its
//! acknowledgement.

use crate::Mark;
use wirewait_wire::Timestamp;

/// A frame that waited follows the acknowledgement so soon, ns, beside its way.
const BEHIND_NS: i64 = 100_000;
/// As many messages that did show that they do.
const MANY: u32 = 4;

/// What is known of the window of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OneFrame {
    /// More than one of its frames were on their way at once: that is no such window.
    several: bool,
    /// The shortest time in which it acknowledged something by itself: the way to it and back takes no longer, ns.
    soonest: Option<i64>,
    /// When its latest was acknowledged by itself, and how long that took, ns.
    acknowledged: Option<(Mark, i64)>,
    /// Messages that began behind such an acknowledgement, with nothing in between; and those that may have waited for it.
    begun: u32,
    waited: u32,
    /// For how long, all together, ns.
    total: i64,
}

impl OneFrame {
    /// What it sent was acknowledged by itself, after so long.
    #[inline]
    pub(crate) fn acknowledged(&mut self, now: Mark, after_ns: i64) {
        if !self.several {
            self.acknowledged = Some((now, after_ns));
        }
    }

    /// It acknowledged something by itself, after so long.
    #[inline]
    pub(crate) fn acknowledges(&mut self, after_ns: i64) {
        self.soonest = Some(self.soonest.map_or(after_ns, |ns| ns.min(after_ns)));
    }

    /// Whether it ever acknowledged something by itself.
    #[cold]
    pub(crate) fn has_acknowledged(&self) -> bool {
        self.soonest.is_some()
    }

    /// It sends a frame, while others are on their way if so. `begins`: the first of a message. The other end was `heard`
    /// last in that frame. For how long its messages wait on average, if that is news, ns; 0 if they do not.
    #[inline]
    pub(crate) fn sends(
        &mut self,
        (waiting, begins): (bool, bool),
        (heard, now): (impl FnOnce() -> Option<u64>, Timestamp),
    ) -> Option<u64> {
        if self.several {
            return None;
        }
        if waiting {
            let before = self.mean();
            self.several = true;
            return before.map(|_| 0);
        }
        let (at, after_ns) = self.acknowledged.take()?;
        if !begins || heard() != Some(at.frame) {
            return None;
        }
        let before = self.mean();
        let behind = now.since(at.at).max(0);
        let way = self.soonest.unwrap_or(0);
        if behind > BEHIND_NS && behind < way - way / 4 {
            // It had not come to its sender yet.
            self.several = true;
            return before.map(|_| 0);
        }
        self.begun = self.begun.saturating_add(1);
        if behind <= BEHIND_NS.saturating_add(way.saturating_mul(2)) {
            self.waited = self.waited.saturating_add(1);
            let waited = after_ns.saturating_add(behind);
            self.total = self.total.saturating_add(waited);
        }
        let mean = self.mean()?;
        (before.is_none() || self.begun.is_power_of_two()).then_some(mean)
    }

    /// How long its messages wait for an acknowledgement, on average, if some do, ns.
    fn mean(&self) -> Option<u64> {
        let waits = !self.several && self.waited >= MANY;
        let mean = self.total / i64::from(self.begun.max(1));
        waits.then(|| u64::try_from(mean).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frame of that number and time, us.
    fn mark(us: i64) -> Mark {
        Mark {
            frame: us.unsigned_abs(),
            at: Timestamp::from_nanos(us * 1_000),
        }
    }

    impl OneFrame {
        /// A message begins so long behind an acknowledgement, us, which took 8 ms.
        fn follows(&mut self, us: i64, behind: i64, waiting: bool, between: u64) -> Option<u64> {
            let at = mark(us);
            self.acknowledged(at, 8_000_000);
            let now = at.at.plus(behind * 1_000);
            self.sends((waiting, true), (|| Some(at.frame + between), now))
        }
    }

    /// Messages that follow the acknowledgement of the frame before, which took 8 ms, so much later, us; what is said of the last of
    /// them, us.
    fn said(way: Option<i64>, behind: &[i64]) -> Option<u64> {
        let mut window = OneFrame::default();
        way.iter().for_each(|us| window.acknowledges(us * 1_000));
        let each = (1..).zip(behind);
        let said = each.map(|(n, behind)| window.follows(n * 100_000, *behind, false, 0));
        said.last().flatten().map(|ns| ns / 1_000)
    }

    /// Four that follow within 100 us wait for 8 ms and that each; those that come later wait for something else.
    #[test]
    fn messages_wait_for_an_acknowledgement_that_they_follow() {
        assert_eq!(said(None, &[20; 3]), None);
        assert_eq!(said(None, &[20; 4]), Some(8_020));
        assert_eq!(said(None, &[20; 5]), None, "no news");
        assert_eq!(said(None, &[20; 8]), Some(8_020));
        assert_eq!(
            said(None, &[20, 101, 20, 500, 20, 900, 2_000, 20]),
            Some(4_010)
        );
    }

    /// Over a way of 4 ms, there and back, they follow behind that, and may be longer frames. What comes sooner had not waited.
    #[test]
    fn a_way_to_the_sender_lies_behind_the_acknowledgement() {
        assert_eq!(said(Some(4_000), &[4_000; 4]), Some(12_000));
        assert_eq!(said(Some(4_000), &[8_100; 4]), Some(16_100));
        assert_eq!(said(Some(4_000), &[8_101; 4]), None);
        assert_eq!(
            said(Some(4_000), &[4_000, 4_000, 4_000, 4_000, 2_999]),
            Some(0)
        );
    }

    /// With two frames on their way at once the window is wider.
    #[test]
    fn a_wider_window_shows_when_two_are_on_their_way() {
        let mut window = OneFrame::default();
        let said = [100, 200, 300, 400].map(|us| window.follows(us, 5, false, 0));
        assert_eq!(said, [None, None, None, Some(8_005_000)]);
        assert_eq!(window.follows(500, 5, true, 0), Some(0));
        assert_eq!(window.follows(600, 5, false, 0), None);
    }

    /// What the other end sent in between may be what the message answers.
    #[test]
    fn what_came_in_between_is_what_it_answers() {
        let mut window = OneFrame::default();
        for us in 1..20 {
            assert_eq!(window.follows(us * 100, 5, false, 1), None);
        }
    }
}
