//! The frames that are on their way over a link or a byte stream, for what is noticed of it.

mod continuing;
mod copies;
mod lost_before;

use crate::Mark;
use crate::notice::{DEAD_AFTER, Noticed};
use crate::packets::Packets;
use crate::stalls::STOPPED_NS;
use copies::{AcknowledgedCopy, Copies, FirstSent, RepeatedPart, SentAgain};
pub(crate) use lost_before::{ANY_NS, LostBefore, MISSING_NS};
use std::collections::VecDeque;
use std::num::NonZeroU32;
use wirewait_wire::Timestamp;

/// Frames on their way that are remembered in one direction.
const SENT: usize = 128;

/// Acknowledged frames likewise.
const DONE: usize = 16;
/// Room that is made at first: most have no more on their way.
const FIRST: usize = 2;

/// Data that was sent and is not acknowledged.
struct SentSegment {
    number: u32,
    /// The number expected next by who has it.
    end: u32,
    bytes: u32,
    last: Mark,
    again: SentAgain,
}

/// Data that was acknowledged. There are many of them: without room between the two.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct DoneSegment {
    number: u32,
    /// When it was sent last.
    last: Timestamp,
}

/// No acknowledgement takes longer, ns.
const LATEST_NS: u64 = 60_000_000_000;

/// Acknowledged before it was sent, or that late: the clock was set, or frames are in another order. It shows
/// nothing.
#[cold]
fn impossible(after_ns: i64) -> (i64, bool) {
    (after_ns.max(0), true)
}

/// Bytes of a full-sized segment on Ethernet.
pub(crate) const FULL: u64 = 1460;
/// Numbers of links start again at less.
const STREAM: u64 = 1 << 32;
/// A link that lets an acknowledgement wait for data lets it wait this long at least (T2 of LLC), ns.
const DELAYED_NS: i64 = 40_000_000;

#[derive(Default)]
struct FlowWay {
    sent: VecDeque<SentSegment>,
    /// What was acknowledged last, by its first number, and when it was sent: it may come again when
    /// the acknowledgement was lost.
    done: VecDeque<DoneSegment>,
    /// Bytes of those in `sent`.
    outstanding: u64,
    /// What most never have.
    trouble: Option<Box<FlowTrouble>>,
    /// When it was last heard.
    heard: Option<Mark>,
    /// How it numbers its packets.
    packets: Packets,
    /// Tries in a row of which nothing came.
    tries: u32,
    /// The other side wants something again, or was asked what it has.
    wanted: bool,
    /// Its timer was seen to run out, of data that had been lost before the capture.
    renamed: bool,
}

/// What keeps a sender from going on.
#[derive(Default)]
struct FlowTrouble {
    /// It cannot take anything since.
    busy: Option<Mark>,
    /// It has all that was sent, and cannot take a full segment since.
    narrow: Option<Mark>,
    /// It has asked for an answer that has not come.
    poll: Option<Mark>,
    /// The first and the last of its tries in a row.
    tried: Option<(Mark, Mark)>,
    /// The only data that it retransmitted of what was acknowledged last, sooner than any timer.
    copy: Option<AcknowledgedCopy>,
    /// What it retransmitted last, as it was sent first.
    firsts: Vec<FirstSent>,
    /// The latest part of a message under way that it repeated.
    part: Option<RepeatedPart>,
}

/// How a side has sent nothing though nothing kept it waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuietWay {
    /// Since when the other side said nothing more.
    pub(crate) since: Timestamp,
    /// How long after the data before that its latest data came, ns.
    pub(crate) before_ns: i64,
    /// When that was.
    pub(crate) last: Timestamp,
    /// Some of it is not acknowledged: what it sent behind that needed no acknowledgement.
    pub(crate) waits: bool,
}

/// Both directions of a link or a byte stream.
#[derive(Default)]
pub(crate) struct StreamFlow {
    /// How many numbers there are before they start again.
    modulus: u64,
    ways: [FlowWay; 2],
}

impl QuietWay {
    /// Whether that was long, by the time of this frame and a clock that stands still for so long, ns.
    pub(crate) fn is_long(&self, now: Timestamp, tick_ns: i64) -> bool {
        now.since(self.since) >= STOPPED_NS.saturating_add(tick_ns.saturating_mul(2))
    }
}

impl StreamFlow {
    /// A link whose numbers start again at `modulus`, or a byte stream.
    pub(crate) fn new(modulus: u64) -> Self {
        Self {
            modulus: modulus.max(2),
            ways: Default::default(),
        }
    }

    /// As when it was new, in the same room.
    pub(crate) fn restart(&mut self, modulus: u64) {
        self.modulus = modulus.max(2);
        for way in &mut self.ways {
            let (mut sent, mut done) =
                (std::mem::take(&mut way.sent), std::mem::take(&mut way.done));
            sent.clear();
            done.clear();
            *way = FlowWay {
                sent,
                done,
                ..FlowWay::default()
            };
        }
    }

    /// The frame in which `side` was heard last.
    pub(crate) fn heard_in(&self, side: usize) -> Option<u64> {
        self.ways[side].heard.map(|heard| heard.frame)
    }

    /// Notes a frame from `side`, which ends the unanswered tries of the other side.
    pub(crate) fn heard(&mut self, side: usize, mark: Mark) {
        self.ways[side].heard = Some(mark);
        self.ways[1 - side].tries = 0;
    }

    /// `side` sends data for the first time: the numbers from `number` to before `end`.
    pub(crate) fn sent(&mut self, side: usize, (number, end): (u32, u32), bytes: u32, mark: Mark) {
        let way = &mut self.ways[side];
        if way.sent.len() >= SENT
            && let Some(oldest) = way.sent.pop_front()
        {
            way.outstanding = way.outstanding.saturating_sub(oldest.bytes.into());
        }
        way.outstanding += u64::from(bytes);
        if way.sent.capacity() == 0 {
            way.sent.reserve_exact(FIRST);
        }
        way.sent.push_back(SentSegment {
            number,
            end,
            bytes,
            last: mark,
            again: SentAgain::No,
        });
    }

    /// `side` sends the data again that begins with `number`, with this time stamp of its own. Whether it does so sooner
    /// than any timer, with more sent behind it.
    pub(crate) fn resent(
        &mut self,
        side: usize,
        (number, stamp): (u32, Option<NonZeroU32>),
        mark: Mark,
    ) -> (Noticed, bool) {
        let stream = self.modulus >= STREAM;
        let way = &mut self.ways[side];
        way.try_again(mark);
        // What is cut into segments only behind the capture is retransmitted in part.
        let is_it = |sent: &SentSegment| {
            sent.number == number || stream && number.wrapping_sub(sent.number) < sent.bytes
        };
        let latest = way.sent.len().saturating_sub(1);
        let place = way.sent.iter().rposition(is_it);
        let mut soon = false;
        let before = match place.and_then(|place| way.sent.get_mut(place)) {
            Some(sent) => {
                FirstSent::keep(&mut way.trouble, sent, stamp);
                let before = std::mem::replace(&mut sent.last, mark).at;
                soon = sent
                    .again
                    .once_more(mark.at.since(before), place < Some(latest));
                Some(before)
            }
            None => {
                let done = way.done.iter_mut().rfind(|done| done.number == number);
                done.map(|done| {
                    let before = done.last;
                    done.last = mark.at;
                    before
                })
            }
        };
        let after_ns = before.map(|before| mark.at.since(before).max(0));
        (Noticed::Resent { after_ns }, soon)
    }

    /// Whether `side`, who says that it expects `number` next, acknowledges part of a segment: where that was
    /// cut into several only behind the capture.
    #[cold]
    pub(crate) fn cuts(&self, side: usize, number: u32) -> bool {
        let first = self.ways[1 - side].sent.front();
        first.is_some_and(|first| {
            let got = number.wrapping_sub(first.number);
            got > 0 && got < first.bytes
        })
    }

    /// `side` says that it expects `number` next, and which time stamp of the other side it had last. What that
    /// acknowledges, and its bytes.
    #[inline]
    pub(crate) fn acknowledged(
        &mut self,
        side: usize,
        (number, echo): (u32, Option<NonZeroU32>),
        bare: bool,
        mark: Mark,
    ) -> Option<(Noticed, u64)> {
        // Most say what was known before.
        let first = self.ways[1 - side].sent.front()?;
        if !reaches(number, first.end, self.modulus) {
            return None;
        }
        self.acknowledged_anew(side, (number, echo), bare, mark)
    }

    /// As [`Self::acknowledged`], where that is something.
    #[inline(never)]
    fn acknowledged_anew(
        &mut self,
        side: usize,
        (number, echo): (u32, Option<NonZeroU32>),
        bare: bool,
        mark: Mark,
    ) -> Option<(Noticed, u64)> {
        let modulus = self.modulus;
        let way = &mut self.ways[1 - side];
        let outstanding = way.outstanding;
        let (mut frames, mut bytes, mut last) = (0, 0, None);
        let mut copies = Copies::default();
        while let Some(first) = way.sent.front() {
            if !reaches(number, first.end, modulus) {
                break;
            }
            frames += 1;
            bytes += u64::from(first.bytes);
            last = Some((first.last, first.bytes));
            if first.again != SentAgain::No {
                last = Some((copies.add(first, (&way.trouble, echo)), first.bytes));
            }
            if way.done.len() >= DONE {
                way.done.pop_front();
            }
            if way.done.capacity() == 0 {
                way.done.reserve_exact(FIRST);
            }
            way.done.push_back(DoneSegment {
                number: first.number,
                last: first.last.at,
            });
            way.sent.pop_front();
        }
        way.outstanding -= bytes.min(outstanding);
        let mut again = copies.any() && copies.are_unclear(&mut way.trouble, mark.at);
        let (last, last_bytes) = last?;
        let full = bytes >= 2 * FULL || frames > 1 && bytes > FULL;
        let mut after_ns = mark.at.since(last.at);
        if after_ns.cast_unsigned() > LATEST_NS {
            (after_ns, again) = impossible(after_ns);
        }
        let at_once = if modulus >= STREAM {
            full
        } else {
            frames > 1 && after_ns < DELAYED_NS
        };
        let what = Noticed::Acknowledged {
            bare,
            message: false,
            may_ride: false,
            frames,
            outstanding,
            last_bytes,
            after_ns,
            sent: (!again).then_some(last.frame),
            at_once: at_once && bare && !again,
        };
        Some((what, bytes))
    }

    /// `side` says whether it can take more.
    pub(crate) fn ready(&mut self, side: usize, ready: bool, mark: Mark) -> Option<Noticed> {
        let trouble = &mut self.ways[side].trouble;
        if ready {
            let since = trouble.as_mut()?.busy.take()?;
            let after_ns = mark.at.since(since.at).max(0);
            return Some(Noticed::Ready { after_ns });
        }
        let busy = &mut trouble.get_or_insert_default().busy;
        if busy.is_some() {
            return None;
        }
        *busy = Some(mark);
        Some(Noticed::Busy)
    }

    /// `side`, which can take something, says whether that is a full segment. If so: since when it could not, if nothing was
    /// sent to it meanwhile.
    #[inline]
    pub(crate) fn widens(&mut self, side: usize, full: bool, mark: Mark) -> Option<i64> {
        match (full, &self.ways[side].trouble) {
            (true, None) => None,
            (true, Some(trouble)) if trouble.narrow.is_none() => None,
            _ => self.widens_anew(side, full, mark),
        }
    }

    #[cold]
    fn widens_anew(&mut self, side: usize, full: bool, mark: Mark) -> Option<i64> {
        let waiting = self.is_waiting(1 - side);
        let sent = self.ways[1 - side].done.back().map(|done| done.last);
        let narrow = &mut self.ways[side].trouble.get_or_insert_default().narrow;
        if full {
            let since = narrow.take()?.at;
            let quiet = !waiting && sent.is_some_and(|sent| sent <= since);
            return quiet.then(|| mark.at.since(since).max(0));
        }
        if !waiting {
            narrow.get_or_insert(mark);
        }
        None
    }

    /// Whether `side` said that it can take nothing more, and nothing else since.
    #[cold]
    pub(crate) fn is_busy(&self, side: usize) -> bool {
        let trouble = self.ways[side].trouble.as_ref();
        trouble.is_some_and(|trouble| trouble.busy.is_some())
    }

    /// `side` asks the other for an answer.
    pub(crate) fn polled(&mut self, side: usize, mark: Mark) -> Noticed {
        let way = &mut self.ways[side];
        way.try_again(mark);
        way.wanted = true;
        match way.trouble.get_or_insert_default().poll.replace(mark) {
            Some(before) => Noticed::PollUnanswered {
                after_ns: mark.at.since(before.at).max(0),
            },
            None => Noticed::Polled {
                waiting: u32::try_from(way.sent.len()).unwrap_or(u32::MAX),
            },
        }
    }

    /// Whether data of `side` was captured that is not acknowledged.
    pub(crate) fn is_waiting(&self, side: usize) -> bool {
        !self.ways[side].sent.is_empty()
    }

    /// Whether `side`, which sends now, has sent nothing for so long.
    #[inline]
    pub(crate) fn has_stopped(&self, side: usize, now: Timestamp) -> bool {
        let way = &self.ways[side];
        let last = match way.sent.back() {
            Some(last) => Some(last.last.at),
            None => way.done.back().map(|last| last.last),
        };
        last.is_some_and(|last| now.since(last) >= STOPPED_NS)
    }

    /// How `side` had sent nothing before this frame; `None` where the other side can take nothing.
    #[cold]
    pub(crate) fn stopped_since(&self, side: usize, now: Mark) -> Option<QuietWay> {
        let way = &self.ways[side];
        let sent = way.sent.iter().rev().map(|sent| sent.last);
        let sent = sent.filter(|sent| *sent != now).map(|sent| sent.at);
        let waits = sent.clone().next().is_some();
        let mut latest = sent.chain(way.done.iter().rev().map(|done| done.last));
        let last = latest.next()?;
        let before = latest.next().map_or(i64::MAX, |before| last.since(before));
        let heard = self.ways[1 - side].heard?.at;
        (!self.is_busy(1 - side)).then_some(QuietWay {
            since: heard.max(last),
            before_ns: before,
            last,
            waits,
        })
    }

    /// When `side` was heard last.
    #[cold]
    pub(crate) fn heard_at(&self, side: usize) -> Option<Timestamp> {
        self.ways[side].heard.as_ref().map(|mark| mark.at)
    }

    /// Whether data that `side` sent since then is not acknowledged.
    #[cold]
    pub(crate) fn has_sent(&self, side: usize, since: Timestamp) -> bool {
        let latest = self.ways[side].sent.back();
        latest.is_some_and(|latest| latest.last.at >= since)
    }

    /// `side` gives the answer that was asked for.
    pub(crate) fn poll_answered(&mut self, side: usize) {
        if let Some(trouble) = &mut self.ways[1 - side].trouble {
            trouble.poll = None;
        }
    }

    /// `side` requests retransmission of all unacknowledged data; returns its bytes.
    pub(crate) fn rejected(&mut self, side: usize) -> u64 {
        let way = &mut self.ways[1 - side];
        way.wanted = true;
        way.outstanding
    }

    /// `side` sends what was missing before data that came earlier. It sends it again if the
    /// other side had asked for it; else the frames overtook each other.
    pub(crate) fn is_wanted(&mut self, side: usize) -> bool {
        std::mem::take(&mut self.ways[side].wanted)
    }

    /// It is over: whether `side` tried in vain, and its last try.
    #[inline]
    pub(crate) fn died(&self, side: usize) -> Option<(Noticed, Mark)> {
        let way = &self.ways[side];
        if way.tries < DEAD_AFTER {
            return None;
        }
        let (first, last) = way.trouble.as_ref()?.tried?;
        let heard = self.ways[1 - side].heard.unwrap_or(first);
        let died = Noticed::Died {
            tries: way.tries,
            silent_ns: last.at.since(heard.at).max(0),
        };
        Some((died, last))
    }

    /// Begins anew, in the same room.
    pub(crate) fn again(&mut self) {
        self.restart(self.modulus);
    }
}

/// Whether who expects this number next has all before `end`, on a circle of this size.
#[inline]
fn reaches(number: u32, end: u32, modulus: u64) -> bool {
    let (number, end) = (u64::from(number), u64::from(end));
    // What all links have: no division is needed.
    let beyond = match modulus.is_power_of_two() {
        true => number.wrapping_sub(end) & (modulus - 1),
        false => (number + modulus - end % modulus) % modulus,
    };
    beyond < modulus / 2
}

impl FlowWay {
    fn try_again(&mut self, mark: Mark) {
        let tried = &mut self.trouble.get_or_insert_default().tried;
        let first = match tried {
            Some((first, _)) if self.tries > 0 => *first,
            _ => mark,
        };
        self.tries = self.tries.saturating_add(1);
        *tried = Some((first, mark));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_of_a_power_of_two_needs_no_division() {
        let divided = |number: u32, end: u32, modulus: u64| {
            let (number, end) = (u64::from(number), u64::from(end));
            (number + modulus - end % modulus) % modulus < modulus / 2
        };
        for (modulus, numbers) in [
            (8_u64, [0_u32, 1, 3, 4, 5, 7, 8, 9]),
            (128, [0, 1, 63, 64, 65, 126, 127, 128]),
            (
                1 << 32,
                [0, 1, 2, 1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX, 77],
            ),
        ] {
            for number in numbers {
                for end in numbers {
                    assert_eq!(
                        reaches(number, end, modulus),
                        divided(number, end, modulus),
                        "{number} {end} {modulus}"
                    );
                }
            }
        }
    }

    /// The mark of a frame at `ms` milliseconds.
    pub(super) fn mark(ms: i64) -> Mark {
        Mark {
            frame: ms.unsigned_abs(),
            at: Timestamp::from_nanos(ms * 1_000_000),
        }
    }

    #[test]
    fn an_acknowledgement_takes_what_is_before_it_across_the_wrap() {
        let mut flow = StreamFlow::new(128);
        flow.sent(0, (126, 127), 100, mark(1));
        flow.sent(0, (127, 0), 200, mark(2));
        flow.sent(0, (0, 1), 400, mark(3));
        let (what, bytes) = flow.acknowledged(1, (0, None), true, mark(10)).unwrap();
        assert_eq!(bytes, 300);
        assert_eq!(
            what,
            Noticed::Acknowledged {
                bare: true,
                message: false,
                may_ride: false,
                frames: 2,
                outstanding: 700,
                last_bytes: 200,
                after_ns: 8_000_000,
                sent: Some(2),
                at_once: true,
            }
        );
        assert_eq!(
            flow.acknowledged(1, (0, None), true, mark(11)),
            None,
            "nothing new"
        );
        assert_eq!(flow.rejected(1), 400);
    }

    /// A timer of 40 ms and more is over before an acknowledgement that had to wait goes.
    #[test]
    fn what_a_link_acknowledges_at_once_is_several_frames_before_any_timer() {
        let at_once = |frames: u32, bare, ms: i64| {
            let mut flow = StreamFlow::new(128);
            for n in 0..frames {
                flow.sent(0, (n, n + 1), 100, mark(1));
            }
            let found = flow.acknowledged(1, (frames, None), bare, mark(1 + ms));
            matches!(
                found,
                Some((Noticed::Acknowledged { at_once: true, .. }, _))
            )
        };
        assert!(at_once(2, true, 39));
        assert!(!at_once(2, true, 40), "T2");
        assert!(!at_once(2, false, 5), "it came with data");
        assert!(
            !at_once(1, true, 5),
            "one may be a timer's that runs freely"
        );
    }

    #[test]
    fn what_is_sent_again_knows_when_it_was_sent_last() {
        let mut flow = StreamFlow::new(1 << 32);
        flow.sent(1, (5, 105), 100, mark(1));
        let resent = |after_ns| (Noticed::Resent { after_ns }, false);
        assert_eq!(
            flow.resent(1, (5, None), mark(301)),
            resent(Some(300_000_000))
        );
        assert_eq!(
            flow.resent(1, (5, None), mark(901)),
            resent(Some(600_000_000))
        );
        assert_eq!(
            flow.resent(1, (6, None), mark(902)).0,
            resent(Some(1_000_000)).0,
            "part of it"
        );
        assert_eq!(
            flow.resent(1, (105, None), mark(903)),
            resent(None),
            "not known"
        );
        // Numbers of frames on a link are not of bytes.
        let mut flow = StreamFlow::new(128);
        flow.sent(1, (5, 6), 100, mark(1));
        assert_eq!(flow.resent(1, (6, None), mark(301)), resent(None));
    }

    #[test]
    fn three_tries_in_silence_are_the_end() {
        let mut flow = StreamFlow::new(128);
        flow.heard(1, mark(5));
        flow.sent(0, (0, 1), 10, mark(10));
        flow.resent(0, (0, None), mark(100));
        assert!(matches!(
            flow.polled(0, mark(200)),
            Noticed::Polled { waiting: 1 }
        ));
        let again = flow.polled(0, mark(500));
        let after_ns = 300_000_000;
        assert_eq!(again, Noticed::PollUnanswered { after_ns });
        let died = Noticed::Died {
            tries: 3,
            silent_ns: 495_000_000,
        };
        assert_eq!(flow.died(0), Some((died, mark(500))));
        assert_eq!(flow.died(1), None);
        flow.again();
        assert_eq!(flow.died(0), None);
    }

    #[test]
    fn whoever_is_heard_is_not_dead() {
        let mut flow = StreamFlow::new(128);
        flow.sent(0, (0, 1), 10, mark(10));
        for at in [100, 200, 300] {
            flow.resent(0, (0, None), mark(at));
        }
        flow.heard(1, mark(310));
        assert_eq!([0, 1].map(|side| flow.died(side)), [None, None]);
    }

    /// Sent at 1 and 2, acknowledged at 3; what it sends next shows.
    #[test]
    fn a_sender_has_stopped_that_waits_for_nothing() {
        let sent = |acknowledged: u32| {
            let mut flow = StreamFlow::new(STREAM);
            flow.sent(0, (0, 100), 100, mark(1));
            flow.sent(0, (100, 200), 100, mark(2));
            flow.heard(1, mark(3));
            flow.acknowledged(1, (acknowledged, None), true, mark(3));
            flow
        };
        let mut flow = sent(200);
        assert!(flow.has_stopped(0, mark(7).at));
        assert!(!flow.has_stopped(0, mark(6).at));
        let silence = |waits| QuietWay {
            since: mark(3).at,
            before_ns: 1_000_000,
            last: mark(2).at,
            waits,
        };
        assert_eq!(flow.stopped_since(0, mark(7)), Some(silence(false)));
        // One is on its way, and needs no acknowledgement if more follows.
        assert!(sent(100).has_stopped(0, mark(7).at));
        assert_eq!(sent(100).stopped_since(0, mark(7)), Some(silence(true)));
        flow.ready(1, false, mark(3));
        assert_eq!(flow.stopped_since(0, mark(7)), None, "it may not");
    }

    /// All that was sent at 1 and 2 is acknowledged at 3, with no room for a full segment until 9. What is sent meanwhile, or not
    /// acknowledged, needed no more room.
    #[test]
    fn a_window_without_room_for_a_segment_keeps_who_has_sent_all_waiting() {
        let widened = |acknowledged: u32, sent: bool| {
            let mut flow = StreamFlow::new(STREAM);
            flow.sent(0, (0, 100), 100, mark(1));
            flow.sent(0, (100, 200), 100, mark(2));
            flow.acknowledged(1, (acknowledged, None), true, mark(3));
            assert_eq!(flow.widens(1, false, mark(3)), None);
            if sent {
                flow.sent(0, (200, 300), 100, mark(5));
                flow.acknowledged(1, (300, None), true, mark(6));
            }
            let found = flow.widens(1, true, mark(9));
            assert_eq!(flow.widens(1, true, mark(10)), None, "once");
            found
        };
        assert_eq!(widened(200, false), Some(6_000_000));
        assert_eq!(widened(200, true), None);
        assert_eq!(widened(100, false), None);
    }

    #[test]
    fn busy_is_told_once_until_ready() {
        let mut flow = StreamFlow::new(128);
        assert_eq!(flow.ready(0, true, mark(1)), None);
        assert_eq!(flow.ready(0, false, mark(2)), Some(Noticed::Busy));
        assert_eq!(flow.ready(0, false, mark(3)), None);
        let after_ns = 7_000_000;
        assert_eq!(
            flow.ready(0, true, mark(9)),
            Some(Noticed::Ready { after_ns })
        );
    }
}
