//! What was lost before the capture, as polls of a link show, and what its senders claim to have sent.

use super::{Link, distance};
use wirewait_wire::Timestamp;

/// A station that polls because a frame of its was not acknowledged, though the capture has no such
/// frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inquiry {
    since: Timestamp,
    /// From the last data to the poll, ns: the time of its timer (T1) at least.
    silent_ns: i64,
    /// The number of its next frame, where it says that one is sent that the capture has not.
    claims: Option<u16>,
    /// What the other side expects, and when it said so.
    answer: Option<(u16, Timestamp)>,
}

/// T1 of NetBEUI and its like is a multiple of this, and at most so much more than two seconds; a link
/// that is idle is polled far later (Ti).
const TICK_NS: i64 = 200_000_000;
const LONGEST_NS: i64 = 2_200_000_000;
/// Frames at most that a sender says to have sent and that the capture lacks: windows of such links are smaller.
const CLAIMED: u32 = 16;
/// What was lost is retransmitted as soon as the answer to the poll is there.
const SOON_NS: i64 = 50_000_000;

impl Link {
    /// Whether one of its ends, both of which were heard, waits for an acknowledgement of what it sent since then (T1 of
    /// LLC runs). Where acknowledgements that come by themselves are left out of the capture, nobody knows.
    #[cold]
    pub(crate) fn has_timer(&self, since: Timestamp) -> bool {
        let heard = self.directions.iter().all(|way| way.next.is_some());
        let mut sides = [0, 1].into_iter();
        heard
            && !self.lacks(0)
            && !self.lacks(1)
            && sides.any(|side| {
                let left_out =
                    self.only_rides[1 - side] && !self.windows[1 - side].has_acknowledged();
                !left_out && self.flow.has_sent(side, since)
            })
    }

    /// `side` polls. It has something on its way that the capture has not, if nothing else of it is
    /// unacknowledged, and the other side did not ask it to wait: then it polls to hear whether it may go on.
    #[cold]
    pub(crate) fn polls(&mut self, side: usize, at: Timestamp) {
        let Some(data_at) = self.data_at else { return };
        let asked_to_wait = self.flow.is_busy(1 - side);
        if self.inquiries[side].is_none() && !self.flow.is_waiting(side) && !asked_to_wait {
            self.inquiries[side] = Some(Inquiry {
                since: at,
                silent_ns: at.since(data_at),
                claims: None,
                answer: None,
            });
        }
    }

    /// Whether a frame of `side` without data claims a next number that implies frames the capture lacks.
    #[cold]
    pub(crate) fn is_claimed(&self, side: usize, number: u16) -> bool {
        let direction = &self.directions[side];
        let ahead = direction
            .next
            .map_or(0, |next| distance(next, number, self.modulus));
        !self.lacks(side) && (1..=CLAIMED).contains(&ahead)
    }

    /// `side` says so.
    #[cold]
    pub(crate) fn claims(&mut self, side: usize, (number, asks): (u16, bool), at: Timestamp) {
        let Some(data_at) = self.data_at else { return };
        self.inquiries[side].get_or_insert(Inquiry {
            since: at,
            // Who asks waited for a timer.
            silent_ns: if asks { at.since(data_at) } else { 0 },
            claims: Some(number),
            answer: None,
        });
    }

    /// `side` answers a poll with what it expects.
    #[cold]
    pub(crate) fn answers_poll(&mut self, side: usize, expects: Option<u16>, at: Timestamp) {
        if let Some(inquiry) = &mut self.inquiries[1 - side] {
            inquiry.answer = expects.map(|expects| (expects, at));
        }
    }

    /// Data of `side`. If it had polled, got the answer that this frame is missing, and sends it now,
    /// the frame was lost before the capture: so long ago at least, ns, and whether it may be longer.
    #[inline]
    pub(crate) fn recovers(
        &mut self,
        side: usize,
        number: u16,
        at: Timestamp,
    ) -> Option<(i64, bool)> {
        self.sends(side, at);
        // Nearly always there is none, and nothing to be moved.
        self.inquiries[side].as_ref()?;
        self.recovered(side, number, at)
    }

    #[cold]
    fn recovered(&mut self, side: usize, number: u16, at: Timestamp) -> Option<(i64, bool)> {
        let inquiry = self.inquiries[side].take()?;
        if let Some(claimed) = inquiry.claims {
            return self.claimed(side, number, (claimed, &inquiry), at);
        }
        let (expects, answered) = inquiry.answer?;
        let timers = TICK_NS..=LONGEST_NS;
        let soon = (0..=SOON_NS).contains(&at.since(answered));
        if expects != number || !soon || !timers.contains(&inquiry.silent_ns) {
            return None;
        }
        let shortest = &mut self.timers[side];
        let timer = shortest.map_or(inquiry.silent_ns, |ns| ns.min(inquiry.silent_ns));
        *shortest = Some(timer);
        let timer = timer - timer % TICK_NS;
        // Polls before this one may have been lost as well.
        let silent = inquiry.silent_ns + SOON_NS;
        let more = silent >= 2 * timer && silent % timer <= 2 * SOON_NS;
        Some((timer.saturating_add(at.since(inquiry.since)), more))
    }

    /// As [`Self::recovered`], where its sender said that it had sent the frame: since then at least, and if it asked for an
    /// acknowledgement, a timer longer.
    #[cold]
    fn claimed(
        &mut self,
        side: usize,
        number: u16,
        (claimed, inquiry): (u16, &Inquiry),
        at: Timestamp,
    ) -> Option<(i64, bool)> {
        let ahead = distance(number, claimed, self.modulus);
        let since = at.since(inquiry.since);
        let timers = TICK_NS..=LONGEST_NS;
        let timer = match timers.contains(&inquiry.silent_ns) {
            true => {
                let shortest = &mut self.timers[side];
                let timer = shortest.map_or(inquiry.silent_ns, |ns| ns.min(inquiry.silent_ns));
                *shortest = Some(timer);
                timer - timer % TICK_NS
            }
            false => 0,
        };
        let lost = timer.saturating_add(since);
        // Sooner it was overtaken by the frame that said so.
        ((1..=CLAIMED).contains(&ahead) && lost >= TICK_NS).then_some((lost, true))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Turn;
    use super::*;
    use crate::Mark;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    fn mark(ms: i64) -> Mark {
        Mark {
            frame: 1,
            at: at(ms),
        }
    }

    /// A link of which side 0 has sent frame 4 at 0.
    fn begun() -> Link {
        let mut link = Link::new(128);
        link.recovers(0, 4, at(0));
        link
    }

    /// Data at 0; after a silence of `silent` ms side 0 polls, a little later the answer says that `expects` is
    /// missing, and sends `number` `after` ms behind that.
    fn asked_and_sent(silent: i64, expects: u16, number: u16, after: i64) -> Option<i64> {
        let mut link = Link::new(128);
        assert_eq!(link.recovers(1, 9, at(0)), None);
        link.polls(0, at(silent));
        link.answers_poll(1, Some(expects), at(silent + 2));
        let found = link.recovers(0, number, at(silent + 2 + after));
        found.map(|(ns, _)| ns / 1_000_000)
    }

    /// Once the timer is known to have 400 ms, a silence of 800 may be two of them, after the first of which
    /// the poll was lost, too; one of 650 may not.
    #[test]
    fn a_silence_as_long_as_several_timers_may_be_several() {
        let mut link = Link::new(128);
        link.recovers(1, 9, at(0));
        let mut now = 0;
        let found = [(410, 5), (810, 6), (650, 7), (1_190, 8)].map(|(silent, number)| {
            link.polls(0, at(now + silent));
            link.answers_poll(1, Some(number), at(now + silent));
            now += silent;
            let found = link.recovers(0, number, at(now));
            found.map(|(ns, more)| (ns / 1_000_000, more))
        });
        let once = Some((400, false));
        assert_eq!(found, [once, Some((400, true)), once, Some((400, true))]);
    }

    /// A timer of 400 ms, and 4 ms from the poll until the frame comes.
    #[test]
    fn what_is_sent_as_soon_as_a_poll_is_answered_was_lost_before() {
        assert_eq!(asked_and_sent(417, 5, 5, 2), Some(404));
        assert_eq!(asked_and_sent(417, 5, 6, 2), None, "another one");
        assert_eq!(asked_and_sent(417, 5, 5, 60), None, "it had time to think");
        assert_eq!(asked_and_sent(30_000, 5, 5, 2), None, "the link was idle");
        assert_eq!(asked_and_sent(120, 5, 5, 2), None, "no timer is as short");
    }

    /// Data at 0. After `silent` ms of silence side 0 says that its next frame is `number`, and asks for an acknowledgement
    /// if so; `after` ms behind that comes frame 5.
    fn claimed_and_sent(silent: i64, number: u16, asks: bool, after: i64) -> Option<(i64, bool)> {
        let mut link = Link::new(65536);
        assert_eq!(link.turn(0, 4), Turn::Next);
        assert_eq!(link.recovers(0, 4, at(0)), None);
        if link.is_claimed(0, number) {
            link.claims(0, (number, asks), at(silent));
        }
        let found = link.recovers(0, 5, at(silent + after));
        found.map(|(ns, more)| (ns / 1_000_000, more))
    }

    /// A packet without data says that one more was sent than came.
    #[test]
    fn what_its_sender_said_to_have_sent_was_lost_before() {
        assert_eq!(claimed_and_sent(3, 6, false, 410), Some((410, true)));
        assert_eq!(
            claimed_and_sent(417, 6, true, 5),
            Some((405, true)),
            "a timer"
        );
        assert_eq!(claimed_and_sent(417, 6, false, 5), None, "overtaken");
        assert_eq!(claimed_and_sent(3, 6, true, 5), None, "overtaken");
        assert_eq!(claimed_and_sent(3, 5, false, 410), None, "it was to come");
        assert_eq!(claimed_and_sent(3, 5 + 17, false, 410), None, "no window");
        assert_eq!(
            claimed_and_sent(30_000, 6, true, 5),
            None,
            "the link was idle"
        );
    }

    #[test]
    fn who_polls_a_busy_station_asks_whether_it_may_go_on() {
        let mut link = begun();
        link.flow.ready(1, false, mark(1));
        link.polls(0, at(400));
        link.flow.ready(1, true, mark(401));
        link.answers_poll(1, Some(5), at(401));
        assert_eq!(link.recovers(0, 5, at(402)), None);
    }

    #[test]
    fn a_poll_about_what_was_captured_shows_no_loss_before() {
        let mut link = begun();
        link.flow.sent(0, (4, 5), 10, mark(0));
        link.polls(0, at(400));
        link.answers_poll(1, Some(5), at(401));
        assert_eq!(link.recovers(0, 5, at(402)), None);
        // Nor does one after which the other side has sent data: what follows may answer that.
        let mut link = Link::new(128);
        link.recovers(1, 4, at(0));
        link.polls(0, at(400));
        link.answers_poll(1, Some(5), at(401));
        link.sends(1, at(402));
        assert_eq!(link.recovers(0, 5, at(403)), None);
    }
}
