//! Random headers: numbers of any width, and what stands between them.

use super::traffic::{TRAFFIC, Told, Traffic};
use proptest::prelude::*;

/// What the other bits of a number's bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Others {
    Constant(u32),
    Direction,
    /// A slot, two of them in turn.
    Slots(u32),
    Client,
}

/// A number somewhere in a header.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) bits: u32,
    pub(super) shift: u32,
    pub(super) others: Others,
    pub(super) big: bool,
}

impl Placed {
    pub(super) fn bytes(self) -> usize {
        (self.bits + self.shift).div_ceil(8) as usize
    }

    /// Its bits, when they are whole bytes.
    pub(super) fn whole(self) -> Option<u32> {
        (self.shift == 0 && self.bits.is_multiple_of(8)).then_some(self.bits)
    }

    pub(super) fn put(self, told: &Told, number: u32) -> Vec<u8> {
        let mask = (u64::MAX >> (64 - self.bits)) << self.shift;
        let others = match self.others {
            Others::Constant(value) => u64::from(value),
            Others::Direction if told.kind == 2 => u64::MAX,
            Others::Direction => 0,
            Others::Slots(slot) => u64::from(slot ^ (told.nth % 2).wrapping_neg()),
            Others::Client => u64::from(told.client).wrapping_mul(0x0101_0101),
        };
        let word = u64::from(number) << self.shift & mask | others & !mask;
        let n = self.bytes();
        match self.big {
            true => word.to_be_bytes()[8 - n..].to_vec(),
            false => word.to_le_bytes()[..n].to_vec(),
        }
    }
}

pub(super) fn placed() -> impl Strategy<Value = Placed> {
    let others = prop_oneof![
        any::<u32>().prop_map(Others::Constant),
        Just(Others::Constant(0)),
        Just(Others::Direction),
        any::<u32>().prop_map(Others::Slots),
        Just(Others::Client),
    ];
    let bits = prop_oneof![2 => Just(8u32), 1 => Just(16u32), 2 => 3u32..29];
    let shift = prop_oneof![3 => Just(0u32), 1 => 1u32..4];
    (bits, shift, others, any::<bool>()).prop_map(|(bits, shift, others, big)| Placed {
        bits,
        shift,
        others,
        big,
    })
}

/// Bytes between the numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Filler {
    Constant(u8),
    Direction(u8),
    /// Another in each frame, or the same in all that is about a request.
    Noise(bool),
    Segment,
    Client,
}

impl Filler {
    pub(super) fn byte(self, told: &Told) -> u8 {
        let about = told.transaction.wrapping_mul(0x9e37_79b9) >> 13;
        match self {
            Self::Constant(value) => value,
            Self::Direction(value) => value.wrapping_mul(told.kind),
            Self::Noise(true) => about as u8,
            Self::Noise(false) => {
                (about ^ (u32::from(told.kind) * 77) ^ told.sequence.wrapping_mul(31)) as u8
            }
            Self::Segment => told.segment as u8,
            Self::Client => told.client,
        }
    }
}

pub(super) fn fillers() -> impl Strategy<Value = Vec<Filler>> {
    let one = prop_oneof![
        3 => any::<u8>().prop_map(Filler::Constant),
        3 => Just(Filler::Constant(0)),
        1 => any::<u8>().prop_map(Filler::Direction),
        1 => any::<bool>().prop_map(Filler::Noise),
        1 => Just(Filler::Segment),
        1 => Just(Filler::Client),
    ];
    prop::collection::vec(one, 0..4)
}

/// A start that may be just below where a number of some width begins anew.
pub(super) fn start() -> impl Strategy<Value = u32> {
    prop_oneof![
        Just(1u32),
        any::<u32>(),
        (3u32..29, 0u32..300).prop_map(|(bits, less)| (1u32 << bits).wrapping_sub(less)),
    ]
}

pub(super) fn traffic() -> impl Strategy<Value = Traffic> {
    let counts = (1u8..4, 1u8..3, 20u32..420, 7u32..120);
    (counts, 10u32..90, any::<bool>(), start(), start()).prop_map(
        |((clients, servers, requests, again), long, writes, sequence, transaction)| Traffic {
            clients,
            servers,
            requests,
            again,
            long,
            writes,
            sequence,
            transaction,
            ..TRAFFIC
        },
    )
}
