//! Bytes that came before their turn, by their position. Neither a byte more nor one in between
//! costs more because many are held: attackers leave holes on purpose.

use crate::Mark;
use crate::piece::{Offload, Piece, Sent};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::num::NonZeroU32;
use wirewait_wire::Timestamp;

/// A packet with a number that is lower by at most this was sent before the other one.
const OVERTAKEN: u16 = 16;
/// Segments that overtake one at most: what comes later was lost, whatever number it has (a program that replays
/// packets repeats one with its number).
const OVERTAKING: u16 = 64;

/// As many ticks of a sender's clock show how long one is.
const TICKS: i32 = 100;

/// Bytes of one frame that came before their turn.
pub(super) struct Held {
    pub(super) bytes: Vec<u8>,
    pub(super) length: u32,
    pub(super) mark: Mark,
    /// Where in its frame it begins.
    pub(super) place: u32,
    pub(super) share: (u32, u32),
    pub(super) hops: Option<u8>,
    pub(super) resent: Option<Mark>,
    pub(super) late_ns: i64,
    pub(super) sent: Sent,
    /// Its sender's number for the packet.
    pub(super) packet: Option<u16>,
    /// And its time stamp.
    pub(super) stamp: Option<NonZeroU32>,
    pub(super) offload: Offload,
}

/// What is held back in one direction. No two overlap.
#[derive(Default)]
pub(super) struct HeldBack {
    by_position: BTreeMap<u64, Held>,
    /// When each came, the earliest first; some may be gone.
    came: BinaryHeap<Reverse<(Timestamp, u64)>>,
    bytes: usize,
    /// The time stamp of the first of all, and when that came.
    stamped: Option<(u32, Timestamp)>,
}

impl HeldBack {
    /// Forgets all of it. Hardly ever is there anything.
    #[inline]
    pub(super) fn clear(&mut self) {
        self.stamped = None;
        if !self.by_position.is_empty() || !self.came.is_empty() {
            *self = Self::default();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_position.is_empty()
    }

    /// Bytes of memory for all of it.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where the first begins, and the frame that brought it.
    pub(super) fn first(&self) -> Option<(u64, Mark)> {
        let (at, held) = self.by_position.first_key_value()?;
        Some((*at, held.mark))
    }

    /// Whether this was sent before the first of them, by a sender who hears of what is missing after `hears_ns` at
    /// least. Numbers of packets are counted, and this one is a little lower: a retransmission would have a higher
    /// one; where numbers are random, one in thousands is like this. Or its time stamp (RFC 7323) is.
    pub(super) fn is_overtaken(&self, piece: &Piece<'_>, hears_ns: Option<i64>) -> bool {
        let Some((_, first)) = self.by_position.first_key_value() else {
            return false;
        };
        if self.by_position.len() > usize::from(OVERTAKING) {
            return false;
        }
        let numbers = piece.packet.zip(first.packet);
        if numbers.is_some_and(|(this, first)| (1..=OVERTAKEN).contains(&first.wrapping_sub(this)))
        {
            return true;
        }
        let Some((stamp, held)) = piece.stamp.zip(first.stamp) else {
            return false;
        };
        match held.get().wrapping_sub(stamp.get()).cast_signed() {
            // A retransmission would be of another tick.
            0 if numbers.is_none() => self
                .tick_ns()
                .zip(hears_ns)
                .is_some_and(|(tick, hears)| 2 * tick <= hears),
            later => later > 0,
        }
    }

    /// How long the clock of these time stamps stands still at a time, ns, as far as the first and the latest of
    /// what was held back show it.
    fn tick_ns(&self) -> Option<i64> {
        let (stamp, since) = self.stamped?;
        let (_, held) = self.by_position.first_key_value()?;
        let ticks = held.stamp?.get().wrapping_sub(stamp).cast_signed();
        let ns = held.mark.at.since(since);
        (ticks >= TICKS && ns > 0).then(|| ns / i64::from(ticks))
    }

    /// When the earliest of them came.
    pub(super) fn since(&mut self) -> Option<Timestamp> {
        while let Some(Reverse((came, at))) = self.came.peek() {
            let held = self.by_position.get(at);
            if held.is_some_and(|held| held.mark.at == *came) {
                return Some(*came);
            }
            self.came.pop();
        }
        None
    }

    /// Those with bytes between `from` and `to`, in order.
    pub(super) fn overlapping(
        &mut self,
        from: u64,
        to: u64,
    ) -> impl Iterator<Item = (u64, &mut Held)> {
        let before = self.by_position.range(..from).next_back();
        let reaches = before.filter(|(at, held)| *at + u64::from(held.length) > from);
        let first = reaches.map_or(from, |(at, _)| *at);
        let range = self.by_position.range_mut(first..to.max(first));
        range.map(|(at, held)| (*at, held))
    }

    /// Holds bytes that overlap with none that are held.
    pub(super) fn insert(&mut self, at: u64, held: Held) {
        if self.stamped.is_none() {
            self.stamped = held.stamp.map(|stamp| (stamp.get(), held.mark.at));
        }
        self.bytes += held.weight();
        if self.came.len() > self.by_position.len() * 2 + 16 {
            // Mostly of those that are gone.
            let there = self.by_position.iter();
            self.came = there
                .map(|(at, held)| Reverse((held.mark.at, *at)))
                .collect();
        }
        self.came.push(Reverse((held.mark.at, at)));
        self.by_position.insert(at, held);
    }

    /// Takes the first out, if it begins at `next` or before.
    pub(super) fn take_first(&mut self, next: u64) -> Option<(u64, Held)> {
        let first = self.by_position.first_entry()?;
        if *first.key() > next {
            return None;
        }
        let (at, held) = first.remove_entry();
        self.bytes = self.bytes.saturating_sub(held.weight());
        if self.by_position.is_empty() {
            self.came = BinaryHeap::new();
        }
        Some((at, held))
    }
}

impl Held {
    /// Bytes of memory that it takes, with its entries above.
    fn weight(&self) -> usize {
        let entries = size_of::<(u64, Self)>() + size_of::<(Timestamp, u64)>();
        self.bytes.len() + entries
    }
}
