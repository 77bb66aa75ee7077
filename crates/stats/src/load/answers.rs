//! Answers that wait until it is known how many stations were active, and sums over them.

use wirewait_model::Spread;
use wirewait_model::distribution::Slot;
use wirewait_model::records::Answer;
use wirewait_wire::{Kind, Timestamp};

/// Answers that wait for their stretch to be known.
pub(super) const WAITING: usize = 16_384;

/// What is needed of an [`Answer`] until its stretch is known. There are many.
#[derive(Clone, Copy)]
pub(super) struct Queued {
    pub(super) began: Timestamp,
    pub(super) ended: Timestamp,
    pub(super) data_bytes: u64,
    /// Where it [has](Class::RESPONSE) one.
    pub(super) response_ns: i64,
    /// Likewise.
    pub(super) turnaround_ns: i64,
    /// Of the response time.
    pub(super) slot: Slot,
    pub(super) class: Class,
}

impl Queued {
    #[inline]
    pub(super) fn of(answer: &Answer) -> Self {
        let (Some(response_ns), Some(turnaround_ns)) = (answer.response_ns, answer.turnaround_ns)
        else {
            return Self::of_any(answer);
        };
        let bits = (response_ns | turnaround_ns).cast_unsigned() | answer.data_bytes;
        if bits >= SMALL {
            return Self::of_any(answer);
        }
        let moves = moves(answer);
        Self {
            began: answer.began,
            ended: answer.ended,
            data_bytes: answer.data_bytes,
            response_ns,
            turnaround_ns,
            slot: Slot::of(response_ns),
            class: Class(moves | Class::RESPONSE | Class::TURNAROUND | Class::SMALL),
        }
    }

    /// As [`of`](Self::of), of what lacks a time or is large.
    #[inline(never)]
    fn of_any(answer: &Answer) -> Self {
        let moves = moves(answer);
        let response = answer.response_ns.map_or(0, |_| Class::RESPONSE);
        let turnaround = answer.turnaround_ns.map_or(0, |_| Class::TURNAROUND);
        let response_ns = answer.response_ns.unwrap_or(0);
        let turnaround_ns = answer.turnaround_ns.unwrap_or(0);
        let bits = (response_ns | turnaround_ns).cast_unsigned() | answer.data_bytes;
        let small = if bits < SMALL { Class::SMALL } else { 0 };
        Self {
            began: answer.began,
            ended: answer.ended,
            data_bytes: answer.data_bytes,
            response_ns,
            turnaround_ns,
            slot: Slot::of(response_ns),
            class: Class(moves | response | turnaround | small),
        }
    }
}

/// The classes of the data that an answer moves.
#[inline(always)]
fn moves(answer: &Answer) -> u8 {
    match answer.data_bytes {
        0 => 0,
        _ => MOVES[answer.kind as usize % MOVES.len()],
    }
}

/// Numbers below this are small: those of all answers that can wait come to a sum of 64 bits.
const SMALL: u64 = 1 << 46;
const _: () = assert!((WAITING as u64) < u64::MAX / SMALL / 2);

/// What data that was moved counts in, by the kind of the operation.
static MOVES: [u8; 1 << u8::BITS] = {
    let mut moves = [Class::MOVES; 1 << u8::BITS];
    moves[Kind::Read as usize] = Class::READS;
    moves[Kind::Write as usize] = Class::WRITES;
    moves
};

/// What an answer counts in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Class(u8);

impl Class {
    /// Response times.
    pub(super) const RESPONSE: u8 = 1;
    /// Turnarounds.
    pub(super) const TURNAROUND: u8 = 1 << 1;
    /// Data that was read.
    pub(super) const READS: u8 = 1 << 2;
    /// Data that was written.
    pub(super) const WRITES: u8 = 1 << 3;
    /// Data that was moved otherwise.
    pub(super) const MOVES: u8 = 1 << 4;
    /// Its numbers are [`SMALL`].
    const SMALL: u8 = 1 << 5;

    pub(super) const fn has(self, what: u8) -> bool {
        self.0 & what != 0
    }

    pub(super) const fn is_small(self) -> bool {
        self.has(Self::SMALL)
    }

    /// Of those that are not `whole` only the end counts.
    pub(super) const fn filter(self, whole: bool) -> Self {
        if whole { self } else { Self(0) }
    }
}

/// Sums over answers of one class.
#[derive(Default)]
pub(super) struct Run {
    pub(super) data_bytes: u64,
    pub(super) response_time: Sum,
    pub(super) turnaround: Sum,
}

impl Run {
    #[inline]
    pub(super) fn add(&mut self, answer: &Queued) -> bool {
        self.data_bytes = self.data_bytes.wrapping_add(answer.data_bytes);
        self.response_time.add(answer.response_ns);
        self.turnaround.add(answer.turnaround_ns);
        true
    }
}

/// A sum of times that fits 64 bits.
pub(super) struct Sum {
    total: i64,
    min: i64,
    max: i64,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            total: 0,
            min: i64::MAX,
            max: i64::MIN,
        }
    }
}

impl Sum {
    #[inline]
    fn add(&mut self, ns: i64) {
        self.total = self.total.wrapping_add(ns);
        (self.min, self.max) = (self.min.min(ns), self.max.max(ns));
    }

    pub(super) fn spread(&self, n: u64) -> Spread {
        Spread {
            n,
            min: self.min,
            max: self.max,
            total: i128::from(self.total),
        }
    }
}
