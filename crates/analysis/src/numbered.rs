//! Puts the frames of a numbered link (LLC type 2, SPX, NBIPX) in order, and knows which message each
//! unacknowledged frame belongs to.

mod inquiry;

use crate::flow::StreamFlow;
use crate::one_frame::OneFrame;
use crate::piece::Sent;
use crate::table::TablePlace;
use crate::{Flags, Mark};
use inquiry::Inquiry;
use std::collections::VecDeque;
use wirewait_wire::word::Name;
use wirewait_wire::{DissectorId, Endpoint, Facts, Next, Timestamp};

/// A message, or what stands for one: on which conversation, from which side, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) place: TablePlace,
    pub(crate) side: usize,
    pub(crate) serial: u64,
}

/// A frame that came too early.
pub(crate) struct HeldSegment {
    pub(crate) number: u16,
    pub(crate) facts: Facts,
    pub(crate) next: Next,
    pub(crate) carrier: Name,
    pub(crate) message: Option<DissectorId>,
    pub(crate) layer: DissectorId,
    pub(crate) bytes: Vec<u8>,
    pub(crate) length: u32,
    pub(crate) mark: Mark,
    /// Where in its frame the data begins.
    pub(crate) at: u32,
    pub(crate) resent: Option<Mark>,
    pub(crate) sent: Sent,
}

/// How often frames of a direction were missing, and why they were the last time: they were never
/// captured, or are not waited for any longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LinkGaps {
    pub(crate) count: u64,
    pub(crate) why: Flags,
}

/// Messages of a direction that are not acknowledged above the link and are remembered.
const RIDING: usize = 16;

/// The timer of a receiver runs out after as many times its shortest time at most: it counts whole ticks.
const UNEVEN: i64 = 2;
/// One time in as many may be longer.
const SELDOM: u32 = 8;

/// Times for which a side kept acknowledgements waiting.
#[derive(Clone, Copy, Default)]
struct LateTimes {
    shortest: i64,
    /// As long as a timer that runs for the shortest may take, and longer.
    even: u32,
    longer: u32,
}

impl LateTimes {
    /// One more. Whether no timer shows in them, or it did not keep this one.
    fn took(&mut self, ns: i64) -> bool {
        if self.shortest > UNEVEN.saturating_mul(ns) {
            self.longer = self.longer.saturating_add(std::mem::take(&mut self.even));
        }
        if self.even == 0 || ns < self.shortest {
            self.shortest = ns;
        }
        let longer = ns > UNEVEN.saturating_mul(self.shortest);
        let count = if longer {
            &mut self.longer
        } else {
            &mut self.even
        };
        *count = count.saturating_add(1);
        longer || self.longer > self.even / SELDOM
    }
}

/// What a data frame is, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The next one.
    Next,
    /// Others before it are missing.
    Early,
    /// Seen before; it belongs to this message, if that is still known.
    Again(Option<Owner>),
}

#[derive(Default)]
struct Direction {
    next: Option<u16>,
    /// How many frames lie before the next one, since the capture began.
    count: u64,
    /// What the other side expects, where that is more than was captured.
    acknowledged: Option<u16>,
    unacknowledged: VecDeque<(u16, Option<Owner>)>,
    /// Messages whose acknowledgements above the link may ride on data, by their numbers there.
    riding: VecDeque<u16>,
    /// By their distance from the next one. Windows are small, and early frames nearly always
    /// come one behind the other.
    held: VecDeque<Box<HeldSegment>>,
    /// Bytes of memory for them.
    held_bytes: usize,
    gaps: LinkGaps,
    lost: u64,
}

/// A numbered link between two stations.
pub(crate) struct Link {
    modulus: u32,
    directions: [Direction; 2],
    /// The beginning of the link is in the capture.
    pub(crate) from_start: bool,
    /// The conversation that used it last, and the latest that was seen to have had responses.
    pub(crate) last: Option<TablePlace>,
    pub(crate) proven: Option<TablePlace>,
    /// The end that was called, and the port that it was called at: it may have answered from
    /// another one.
    pub(crate) called: Option<(Endpoint, u16)>,
    /// What is on its way.
    pub(crate) flow: StreamFlow,
    /// The latest data of either side.
    data_at: Option<Timestamp>,
    /// Whether the latest data of each side ended a message: the next begins one.
    pub(crate) ended: [bool; 2],
    inquiries: [Option<Inquiry>; 2],
    /// The shortest silence before a poll for what was lost before the capture, ns.
    timers: [Option<i64>; 2],
    /// How long each side kept acknowledgements waiting.
    late: [LateTimes; 2],
    /// Each side acknowledged with data what its timer for acknowledgements had acknowledged before, if none is left out: a
    /// capture filter may do so, as responses of LLC have another SAP (libpcap's `netbeui`).
    pub(crate) only_rides: [bool; 2],
    /// Whether the window of each side is one frame.
    pub(crate) windows: [OneFrame; 2],
    /// The ends, in the order of the sides, and what the link carries.
    pub(crate) ends: [Endpoint; 2],
    pub(crate) carrier: Name,
}

impl Link {
    pub(crate) fn new(modulus: u32) -> Self {
        Self {
            modulus: modulus.clamp(2, 65536),
            directions: Default::default(),
            from_start: false,
            last: None,
            proven: None,
            called: None,
            flow: StreamFlow::new(modulus.into()),
            data_at: None,
            ended: [true; 2],
            inquiries: [None; 2],
            timers: [None; 2],
            late: [LateTimes::default(); 2],
            only_rides: [false; 2],
            windows: Default::default(),
            ends: [Endpoint::default(); 2],
            carrier: "",
        }
    }

    /// Frames went over it, though none that opens it was captured.
    pub(crate) fn ran_unopened(&self) -> bool {
        !self.from_start && self.directions.iter().any(|d| d.next.is_some())
    }

    /// Data of `side`, be it new or not: what the other side sends from now on may be the answer to it.
    #[inline]
    pub(crate) fn sends(&mut self, side: usize, at: Timestamp) {
        self.data_at = Some(at);
        self.inquiries[1 - side] = None;
    }

    /// `side` acknowledges late, after this time: whether its times, or this one, differ by more than those of one timer do.
    #[cold]
    pub(crate) fn is_late_unevenly(&mut self, side: usize, after_ns: i64) -> bool {
        self.late[side].took(after_ns)
    }

    /// The number behind this one.
    pub(crate) fn behind(&self, number: u16) -> u16 {
        step(number, self.modulus)
    }

    /// `side` opens the link: its numbers begin at `number`, the other side's at `expects`.
    /// What is held back must have been worked off.
    pub(crate) fn open(&mut self, side: usize, number: u16, expects: u16) {
        self.directions = Default::default();
        self.directions[side].next = Some(number);
        self.directions[1 - side].next = Some(expects);
        self.from_start = true;
    }

    /// Whether an opening from `side` with these numbers only says again what holds: it has
    /// sent nothing since, and expects nothing older than what is unacknowledged.
    pub(crate) fn is_open(&self, side: usize, number: u16, expects: Option<u16>) -> bool {
        let (own, other) = (&self.directions[side], &self.directions[1 - side]);
        let (Some(expects), Some(next)) = (expects, other.next) else {
            return false;
        };
        own.next == Some(number)
            && distance(expects, next, self.modulus) as usize <= other.unacknowledged.len()
    }

    /// A data frame from `side` with this number.
    pub(crate) fn turn(&mut self, side: usize, number: u16) -> Turn {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        let expected = *direction.next.get_or_insert(number);
        let ahead = distance(expected, number, modulus);
        if ahead == 0 {
            direction.pass(1, modulus);
            return Turn::Next;
        }
        if ahead <= direction.beyond(modulus) && direction.held.is_empty() {
            // What lies between reached the other side, but was never captured.
            direction.lose(ahead, modulus);
            direction.pass(1, modulus);
            return Turn::Next;
        }
        // A window may be larger than half the circle: what goes on behind a frame that is held
        // back was not seen before either.
        let held = direction.held.back();
        let held = held.is_some_and(|h| ahead <= distance(expected, h.number, modulus) + 1);
        if ahead >= modulus / 2 && !held {
            let owner = direction
                .unacknowledged
                .iter()
                .rev()
                .find(|(n, _)| *n == number)
                .and_then(|(_, owner)| *owner);
            return Turn::Again(owner);
        }
        Turn::Early
    }

    /// The other side may let its acknowledgement of this message of `side` wait for data.
    pub(crate) fn lets_ride(&mut self, side: usize, number: u16) {
        let riding = &mut self.directions[side].riding;
        if riding.len() >= RIDING {
            riding.pop_front();
        }
        riding.push_back(number);
    }

    /// Whether that was so of this message, which is acknowledged now.
    pub(crate) fn may_ride(&mut self, side: usize, number: u16) -> bool {
        let riding = &mut self.directions[side].riding;
        let at = riding.iter().position(|known| *known == number);
        at.and_then(|at| riding.remove(at)).is_some()
    }

    /// Since when a frame is held back that came before its turn.
    pub(crate) fn held_since(&self, side: usize) -> Option<Timestamp> {
        self.directions[side].held.iter().map(|h| h.mark.at).min()
    }

    /// Bytes of memory for what is held back.
    pub(crate) fn held(&self) -> usize {
        self.held_bytes(0) + self.held_bytes(1)
    }

    /// Bytes of memory for what is held back from this side.
    pub(crate) fn held_bytes(&self, side: usize) -> usize {
        self.directions[side].held_bytes
    }

    /// Holds an early frame back; says whether it was already.
    pub(crate) fn hold(&mut self, side: usize, frame: HeldSegment) -> bool {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        let expected = direction.next.unwrap_or(frame.number);
        let ahead = distance(expected, frame.number, modulus);
        let place = direction
            .held
            .partition_point(|h| distance(expected, h.number, modulus) < ahead);
        if let Some(held) = direction.held.get_mut(place)
            && held.number == frame.number
        {
            held.resent = Some(frame.mark);
            return true;
        }
        direction.held_bytes += frame.weight();
        direction.held.insert(place, Box::new(frame));
        direction.fill_gap(modulus);
        false
    }

    /// A held frame whose turn has come.
    pub(crate) fn release(&mut self, side: usize) -> Option<HeldSegment> {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        if direction.held.front()?.number != direction.next? {
            return None;
        }
        let held = *direction.held.pop_front()?;
        direction.held_bytes = direction.held_bytes.saturating_sub(held.weight());
        direction.pass(1, modulus);
        Some(held)
    }

    /// The frame with this number, from `side`, belongs to that message.
    pub(crate) fn owned(&mut self, side: usize, number: u16, owner: Option<Owner>) {
        let limit = (self.modulus / 2).min(256) as usize;
        let sent = &mut self.directions[side].unacknowledged;
        if sent.len() >= limit {
            sent.pop_front();
        }
        sent.push_back((number, owner));
    }

    /// The other side expects `number` next from `side`: how many frames that acknowledges,
    /// and the message of the last of them.
    pub(crate) fn acknowledge(&mut self, side: usize, number: u16) -> (u32, Option<Owner>) {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        let mut acknowledged = (0, None);
        while let Some((first, owner)) = direction.unacknowledged.front() {
            // In the second half of the circle the frame lies behind what is expected.
            let behind = distance(*first, number, modulus);
            if behind == 0 || behind > modulus / 2 {
                break;
            }
            acknowledged = (acknowledged.0 + 1, *owner);
            direction.unacknowledged.pop_front();
        }
        let next = *direction.next.get_or_insert(number);
        let beyond = distance(next, number, modulus);
        if beyond > direction.beyond(modulus) && beyond < modulus / 2 {
            // The capture lacks what lies between, or has it a little later.
            direction.acknowledged = Some(number);
            direction.fill_gap(modulus);
        }
        acknowledged
    }

    /// Gives up waiting for what is missing before the held frames, for the reason that the
    /// flag says.
    pub(crate) fn skip(&mut self, side: usize, why: Flags) {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        if let (Some(first), Some(next)) = (direction.held.front(), direction.next) {
            direction.miss(distance(next, first.number, modulus), why, modulus);
        }
    }

    /// Where the frame with this number stands among all that `side` sent.
    pub(crate) fn position(&self, side: usize, number: u16) -> u64 {
        let direction = &self.directions[side];
        // Numbers before the first that was captured have places, too.
        let next = direction.count.saturating_add(self.modulus.into());
        let ahead = distance(direction.next.unwrap_or(number), number, self.modulus);
        if ahead <= self.modulus / 2 {
            next.saturating_add(ahead.into())
        } else {
            next.saturating_sub((self.modulus - ahead).into())
        }
    }

    /// Behind the last frame of `side` before which none is missing, among all that it sent.
    pub(crate) fn seen_to(&self, side: usize) -> u64 {
        let seen = self.directions[side].count;
        seen.saturating_add(self.modulus.into())
    }

    /// Whether the other side has acknowledged the frame with this number, which comes only now.
    pub(crate) fn is_late(&self, side: usize, number: u16) -> bool {
        let direction = &self.directions[side];
        let ahead = direction
            .next
            .map_or(0, |next| distance(next, number, self.modulus));
        ahead < direction.beyond(self.modulus)
    }

    /// How often frames of this side were missing so far.
    pub(crate) fn gaps(&self, side: usize) -> LinkGaps {
        self.directions[side].gaps
    }

    /// Whether frames are missing before some that came, or that the other side has.
    pub(crate) fn lacks(&self, side: usize) -> bool {
        self.holds(side) || self.directions[side].beyond(self.modulus) > 0
    }

    /// Whether frames are held back from this side.
    pub(crate) fn holds(&self, side: usize) -> bool {
        !self.directions[side].held.is_empty()
    }

    /// Frames that were acknowledged but never captured; counted anew from here.
    pub(crate) fn take_lost(&mut self) -> u64 {
        let modulus = self.modulus;
        self.directions
            .iter_mut()
            .map(|direction| {
                // What is held back is not lost.
                if direction.held.is_empty() {
                    let beyond = direction.beyond(modulus);
                    direction.lose(beyond, modulus);
                }
                std::mem::take(&mut direction.lost)
            })
            .sum()
    }
}

impl HeldSegment {
    /// Bytes of memory that it takes.
    fn weight(&self) -> usize {
        self.bytes.len() + size_of::<Self>() + size_of::<Box<Self>>()
    }
}

impl Direction {
    /// Advances by this number of frames, which came or never will.
    fn pass(&mut self, frames: u32, modulus: u32) {
        if frames >= self.beyond(modulus) {
            self.acknowledged = None;
        }
        self.next = self.next.map(|next| advance(next, frames, modulus));
        self.count = self.count.saturating_add(frames.into());
    }

    /// Counts this number of frames as missing from the capture.
    fn lose(&mut self, frames: u32, modulus: u32) {
        self.miss(frames, Flags::CAPTURE_LOSS, modulus);
    }

    /// Counts this number of frames as missing, for the reason that the flag says.
    fn miss(&mut self, frames: u32, why: Flags, modulus: u32) {
        if why == Flags::CAPTURE_LOSS {
            self.lost += u64::from(frames);
        }
        if frames > 0 {
            self.gaps = LinkGaps {
                count: self.gaps.count.saturating_add(1),
                why,
            };
        }
        self.pass(frames, modulus);
    }

    /// How many frames the other side has that did not come yet.
    fn beyond(&self, modulus: u32) -> u32 {
        match (self.next, self.acknowledged) {
            (Some(next), Some(acknowledged)) => distance(next, acknowledged, modulus),
            _ => 0,
        }
    }

    /// Goes on at the first frame held back, if the other side has all before it.
    fn fill_gap(&mut self, modulus: u32) {
        if let (Some(first), Some(next)) = (self.held.front(), self.next) {
            let ahead = distance(next, first.number, modulus);
            if ahead > 0 && ahead <= self.beyond(modulus) {
                self.lose(ahead, modulus);
            }
        }
    }
}

/// How far `to` lies ahead of `from` on the circle.
fn distance(from: u16, to: u16, modulus: u32) -> u32 {
    let (from, to) = (u32::from(from), u32::from(to));
    // What all links have: no division is needed.
    if modulus.is_power_of_two() {
        return to.wrapping_sub(from) & (modulus - 1);
    }
    let (from, to) = (from % modulus, to % modulus);
    (to + modulus - from) % modulus
}

fn step(number: u16, modulus: u32) -> u16 {
    advance(number, 1, modulus)
}

fn advance(number: u16, by: u32, modulus: u32) -> u16 {
    // Below the modulus, which is at most 65536.
    u16::try_from((u32::from(number) + by) % modulus).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;
    use wirewait_wire::Timestamp;

    /// A timer that ran out after 100 ms may take up to 200 when it counts ticks. What takes longer is none, and nothing
    /// shows one if it is more than one in eight.
    #[test]
    fn a_timer_keeps_all_acknowledgements_about_as_long() {
        let mut link = Link::new(128);
        let mut late = |side, ms: i64| link.is_late_unevenly(side, ms * 1_000_000);
        assert!(!late(0, 150));
        assert!(!late(0, 200));
        assert!(!late(0, 100));
        assert!(late(0, 201));
        assert!(late(0, 150), "one in five");
        (0..4).for_each(|_| {
            late(0, 110);
        });
        assert!(!late(0, 150), "one in ten");
        assert!(late(0, 201));
        assert!(!late(1, 250), "the other side");
        assert!(late(1, 100), "all before it were longer");
    }

    #[test]
    fn a_circle_of_a_power_of_two_needs_no_division() {
        for modulus in [8, 100, 128, 65_536] {
            for from in [0_u16, 1, 7, 99, 127, 65_535] {
                for to in [0_u16, 1, 3, 64, 126, 65_534, 65_535] {
                    let (of, at) = (u32::from(from) % modulus, u32::from(to) % modulus);
                    let divided = (at + modulus - of) % modulus;
                    assert_eq!(
                        distance(from, to, modulus),
                        divided,
                        "{from} {to} {modulus}"
                    );
                }
            }
        }
    }

    fn owner(serial: u64) -> Owner {
        let (place, _) = Table::new(1).insert((), ());
        Owner {
            place,
            side: 0,
            serial,
        }
    }

    fn held(number: u16) -> HeldSegment {
        HeldSegment {
            number,
            facts: Facts::default(),
            next: Next::NONE,
            carrier: "",
            message: None,
            layer: DissectorId::default(),
            bytes: Vec::new(),
            length: 0,
            mark: Mark {
                frame: u64::from(number),
                at: Timestamp::default(),
            },
            at: 0,
            resent: None,
            sent: Sent::UNKNOWN,
        }
    }

    #[test]
    fn numbers_wrap_and_repeats_know_their_message() {
        let mut link = Link::new(128);
        for n in 126..=128u16 {
            assert_eq!(link.turn(0, n % 128), Turn::Next);
            link.owned(0, n % 128, Some(owner(n.into())));
        }
        assert_eq!(link.turn(0, 127), Turn::Again(Some(owner(127))));
        assert_eq!(link.acknowledge(0, 1), (3, Some(owner(128))));
        assert_eq!(link.acknowledge(0, 1), (0, None));
        assert_eq!(link.turn(0, 127), Turn::Again(None));
    }

    #[test]
    fn an_opening_that_says_what_holds_changes_nothing() {
        let mut link = Link::new(65536);
        assert!(!link.is_open(1, 0, Some(1)), "nothing is known yet");
        link.open(1, 0, 1);
        assert!(link.is_open(1, 0, Some(1)));
        assert_eq!(link.turn(0, 1), Turn::Next);
        link.owned(0, 1, Some(owner(1)));
        assert!(link.is_open(1, 0, Some(1)), "it crossed the first data");
        assert_eq!(link.acknowledge(0, 2), (1, Some(owner(1))));
        assert!(
            !link.is_open(1, 0, Some(1)),
            "older than what it acknowledged"
        );
        assert!(!link.is_open(1, 5, Some(2)), "it sent nothing before 5");
        assert!(!link.is_open(1, 0, None), "who says nothing begins anew");
    }

    #[test]
    fn an_early_frame_waits_for_the_one_before() {
        let mut link = Link::new(128);
        link.open(0, 0, 0);
        assert_eq!(link.turn(0, 1), Turn::Early);
        assert!(!link.hold(0, held(1)));
        assert!(link.hold(0, held(1)));
        assert!(link.release(0).is_none());
        assert_eq!(link.turn(0, 0), Turn::Next);
        let frame = link.release(0).unwrap();
        assert!(frame.number == 1 && frame.resent.is_some());
        assert_eq!(link.gaps(0).count, 0);
        assert_eq!(link.take_lost(), 0);
    }

    #[test]
    fn what_is_acknowledged_unseen_was_not_captured() {
        let mut link = Link::new(128);
        link.open(0, 0, 0);
        assert_eq!(link.turn(0, 2), Turn::Early);
        link.hold(0, held(2));
        link.acknowledge(0, 3);
        assert_eq!(link.take_lost(), 2);
        assert_eq!(link.release(0).map(|held| held.number), Some(2));
        let gaps = LinkGaps {
            count: 1,
            why: Flags::CAPTURE_LOSS,
        };
        assert_eq!(link.gaps(0), gaps);
    }

    /// ISO 8802-2 allows 127 frames on their way, of 128 numbers.
    #[test]
    fn a_window_of_127_frames_waits_for_its_first() {
        let mut link = Link::new(128);
        link.open(0, 100, 0);
        for n in 1..127 {
            let number = (100 + n) % 128;
            assert_eq!(link.turn(0, number), Turn::Early, "{n} ahead");
            assert!(!link.hold(0, held(number)), "{n} ahead");
        }
        assert_eq!(link.turn(0, 90), Turn::Early, "again, 118 ahead");
        assert!(link.hold(0, held(90)));
        assert_eq!(link.turn(0, 100), Turn::Next);
        let released = std::iter::from_fn(|| link.release(0)).map(|held| held.number);
        let expected: Vec<u16> = (1..127).map(|n| (100 + n) % 128).collect();
        assert_eq!(released.collect::<Vec<_>>(), expected);
        assert_eq!((link.take_lost(), link.held_bytes(0)), (0, 0));
        assert!(
            matches!(link.turn(0, 98), Turn::Again(_)),
            "it was the last"
        );
    }
}
