//! Puts the frames of a numbered link (LLC type 2, SPX, NBIPX) in order, and knows which message each
//! unacknowledged frame belongs to.

use crate::Mark;
use crate::flow::Flow;
use crate::piece::Sent;
use crate::table::Place;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use wirewait_wire::word::{self, Name};
use wirewait_wire::{DissectorId, Endpoint, Facts, Next, Timestamp};

/// Frames held back in one direction at most.
const HELD: usize = 64;
/// Bytes kept of a frame that is held back.
const KEPT: usize = 2048;

/// A message, or what stands for one: on which conversation, from which side, its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) place: Place,
    pub(crate) side: usize,
    pub(crate) serial: u64,
}

/// A frame that came too early.
#[derive(Serialize, Deserialize)]
pub(crate) struct Held {
    pub(crate) number: u16,
    pub(crate) facts: Facts,
    pub(crate) next: Next,
    #[serde(with = "word")]
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

/// What a data frame is, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The next one; `after_gap` when others before it were never captured.
    Next { after_gap: bool },
    /// Others before it are missing.
    Early,
    /// Seen before; it belongs to this message, if that is still known.
    Again(Option<Owner>),
}

#[derive(Default, Serialize, Deserialize)]
struct Direction {
    next: Option<u16>,
    /// How many frames lie before the next one, since the capture began.
    count: u64,
    /// What the other side expects, where that is more than was captured.
    acknowledged: Option<u16>,
    unacknowledged: VecDeque<(u16, Option<Owner>)>,
    held: Vec<Held>,
    after_gap: bool,
    gaps: u64,
    lost: u64,
}

/// A numbered link between two stations.
#[derive(Serialize, Deserialize)]
pub(crate) struct Link {
    #[serde(deserialize_with = "crate::state::modulus")]
    modulus: u32,
    directions: [Direction; 2],
    /// The beginning of the link is in the capture.
    pub(crate) from_start: bool,
    /// The conversation that used it last.
    pub(crate) last: Option<Place>,
    /// The end that was called, and the port that it was called at: it may have answered from
    /// another one.
    pub(crate) called: Option<(Endpoint, u16)>,
    /// What is on its way.
    pub(crate) flow: Flow,
    /// The ends, in the order of the sides, and what the link carries.
    pub(crate) ends: [Endpoint; 2],
    #[serde(with = "word")]
    pub(crate) carrier: Name,
}

impl Link {
    pub(crate) fn new(modulus: u32) -> Self {
        Self {
            modulus: modulus.clamp(2, 65536),
            directions: Default::default(),
            from_start: false,
            last: None,
            called: None,
            flow: Flow::new(modulus.into()),
            ends: [Endpoint::default(); 2],
            carrier: "",
        }
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
            return Turn::Next {
                after_gap: std::mem::take(&mut direction.after_gap),
            };
        }
        if ahead <= direction.beyond(modulus) && direction.held.is_empty() {
            // What lies between reached the other side, but was never captured.
            direction.lose(ahead, modulus);
            direction.pass(1, modulus);
            return Turn::Next {
                after_gap: std::mem::take(&mut direction.after_gap),
            };
        }
        if ahead >= modulus / 2 {
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

    /// Since when a frame is held back that came before its turn.
    pub(crate) fn held_since(&self, side: usize) -> Option<Timestamp> {
        self.directions[side].held.iter().map(|h| h.mark.at).min()
    }

    /// Holds an early frame back; says whether it was already. Gives up waiting when too
    /// many are held.
    pub(crate) fn hold(&mut self, side: usize, mut frame: Held) -> bool {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        if let Some(held) = direction.held.iter_mut().find(|h| h.number == frame.number) {
            held.resent = Some(frame.mark);
            return true;
        }
        frame.bytes.truncate(KEPT);
        let expected = direction.next.unwrap_or(frame.number);
        let ahead = distance(expected, frame.number, modulus);
        let place = direction
            .held
            .partition_point(|h| distance(expected, h.number, modulus) < ahead);
        direction.held.insert(place, frame);
        direction.fill_gap(modulus);
        if direction.held.len() > HELD {
            self.skip(side);
        }
        false
    }

    /// A held frame whose turn has come.
    pub(crate) fn release(&mut self, side: usize) -> Option<(Held, bool)> {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        if direction.held.first()?.number != direction.next? {
            return None;
        }
        let held = direction.held.remove(0);
        direction.pass(1, modulus);
        Some((held, std::mem::take(&mut direction.after_gap)))
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

    /// Gives up waiting for what is missing before the held frames.
    pub(crate) fn skip(&mut self, side: usize) {
        let modulus = self.modulus;
        let direction = &mut self.directions[side];
        if let (Some(first), Some(next)) = (direction.held.first(), direction.next) {
            direction.lose(distance(next, first.number, modulus), modulus);
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

    /// Whether the other side has acknowledged the frame with this number, which comes only now.
    pub(crate) fn is_late(&self, side: usize, number: u16) -> bool {
        let direction = &self.directions[side];
        let ahead = direction
            .next
            .map_or(0, |next| distance(next, number, self.modulus));
        ahead < direction.beyond(self.modulus)
    }

    /// How often frames of this side were missing so far.
    pub(crate) fn gaps(&self, side: usize) -> u64 {
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

impl Direction {
    /// So many frames came, or never will.
    fn pass(&mut self, frames: u32, modulus: u32) {
        if frames >= self.beyond(modulus) {
            self.acknowledged = None;
        }
        self.next = self.next.map(|next| advance(next, frames, modulus));
        self.count = self.count.saturating_add(frames.into());
    }

    /// So many frames were never captured.
    fn lose(&mut self, frames: u32, modulus: u32) {
        self.lost += u64::from(frames);
        self.after_gap |= frames > 0;
        self.gaps += u64::from(frames > 0);
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
        if let (Some(first), Some(next)) = (self.held.first(), self.next) {
            let ahead = distance(next, first.number, modulus);
            if ahead > 0 && ahead <= self.beyond(modulus) {
                self.lose(ahead, modulus);
            }
        }
    }
}

/// How far `to` lies ahead of `from` on the circle.
fn distance(from: u16, to: u16, modulus: u32) -> u32 {
    let (from, to) = (u32::from(from) % modulus, u32::from(to) % modulus);
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

    fn owner(serial: u64) -> Owner {
        let (place, _) = Table::new(1).insert((), ());
        Owner {
            place,
            side: 0,
            serial,
        }
    }

    fn held(number: u16) -> Held {
        Held {
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
            assert_eq!(link.turn(0, n % 128), Turn::Next { after_gap: false });
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
        assert_eq!(link.turn(0, 1), Turn::Next { after_gap: false });
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
        assert_eq!(link.turn(0, 0), Turn::Next { after_gap: false });
        let (frame, after_gap) = link.release(0).unwrap();
        assert!((frame.number, after_gap) == (1, false) && frame.resent.is_some());
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
        assert!(link.release(0).is_some_and(|(_, after_gap)| after_gap));
    }
}
