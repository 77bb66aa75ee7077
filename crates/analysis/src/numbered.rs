//! Puts the frames of a numbered link (LLC type 2, SPX, NBIPX) in order, and knows which message each
//! unacknowledged frame belongs to.

use crate::flow::StreamFlow;
use crate::piece::Sent;
use crate::table::TablePlace;
use crate::{Flags, Mark};
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

/// A station that polls because a frame of its was not acknowledged, though the capture has no such
/// frame.
#[derive(Clone, Copy, Debug)]
struct Inquiry {
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
            ends: [Endpoint::default(); 2],
            carrier: "",
        }
    }

    /// Frames went over it, though none that opens it was captured.
    pub(crate) fn ran_unopened(&self) -> bool {
        !self.from_start && self.directions.iter().any(|d| d.next.is_some())
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

    /// Whether a frame of `side` without data, which says that the next one has this number, says that some were sent that
    /// the capture lacks.
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

    /// Data of `side`, be it new or not: what the other side sends from now on may be the answer to it.
    #[inline]
    pub(crate) fn sends(&mut self, side: usize, at: Timestamp) {
        self.data_at = Some(at);
        self.inquiries[1 - side] = None;
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

    /// Whether one of its ends, both of which were heard, waits for an acknowledgement of what it sent since then (T1 of
    /// LLC runs).
    #[cold]
    pub(crate) fn has_timer(&self, since: Timestamp) -> bool {
        let heard = self.directions.iter().all(|way| way.next.is_some());
        let mut sides = [0, 1].into_iter();
        heard
            && !self.lacks(0)
            && !self.lacks(1)
            && sides.any(|side| self.flow.has_sent(side, since))
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

    /// Data at 0; after a silence of `silent` ms side 0 polls, a little later the answer says that `expects` is
    /// missing, and sends `number` `after` ms behind that.
    fn asked_and_sent(silent: i64, expects: u16, number: u16, after: i64) -> Option<i64> {
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
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
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
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
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
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
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        let mark = |ms| Mark {
            frame: 1,
            at: at(ms),
        };
        let mut link = Link::new(128);
        link.recovers(0, 4, at(0));
        link.flow.ready(1, false, mark(1));
        link.polls(0, at(400));
        link.flow.ready(1, true, mark(401));
        link.answers_poll(1, Some(5), at(401));
        assert_eq!(link.recovers(0, 5, at(402)), None);
    }

    #[test]
    fn a_poll_about_what_was_captured_shows_no_loss_before() {
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        let mark = |ms| Mark {
            frame: 1,
            at: at(ms),
        };
        let mut link = Link::new(128);
        link.recovers(0, 4, at(0));
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
