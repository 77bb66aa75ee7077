//! What the pairing tells the statistics: values of a fixed size, in batches, that borrow nothing
//! and can be counted where and when one likes. Who they concern stands in them as numbers, and
//! [`Entities`] know the names.

use crate::{Flags, Outcome};
use std::num::NonZeroU32;
use wirewait_wire::{Endpoint, Kind};

/// A station. Its number is small, and goes to another one when nothing is kept of this one any
/// more: the two differ in their generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StationId {
    index: u32,
    generation: NonZeroU32,
}

impl StationId {
    /// The station that stands at this place, the so manieth one there.
    #[must_use]
    pub const fn new(index: u32, generation: NonZeroU32) -> Self {
        Self { index, generation }
    }

    /// Where it stands.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many stood there, with this one.
    #[must_use]
    pub const fn generation(self) -> NonZeroU32 {
        self.generation
    }
}

/// A transaction that is closed: nothing about it will change.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// Its number in the capture, counted from 1.
    pub number: u64,
    /// Who asked; `None` for a client of which nothing is kept, as of those in a flood.
    pub client: Option<StationId>,
    /// Who was asked; `None` likewise.
    pub server: Option<StationId>,
    /// Message bytes of the request, framing headers included.
    pub request_bytes: u64,
    /// Message bytes of the final response likewise.
    pub response_bytes: u64,
    /// Bytes of file data moved.
    pub data_bytes: u64,
    /// t4 - t1, ns; `None` where there is none to measure.
    pub response_time_ns: Option<i64>,
    /// The class of what was asked for.
    pub kind: Kind,
    /// What became of it.
    pub outcome: Outcome,
    /// What to bear in mind.
    pub flags: Flags,
}

/// What happened since the last batch, each kind in the order in which it did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Records<'a> {
    /// Transactions.
    pub closed: &'a [Closed],
}

/// Who is behind the numbers in records.
pub trait Entities {
    /// The station with this number, while something is kept of it.
    fn station(&self, id: StationId) -> Option<Endpoint>;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cache lines: batches of a few hundred stay close to the processor.
    #[test]
    fn a_record_is_small() {
        assert!(size_of::<Closed>() <= 128, "{}", size_of::<Closed>());
    }
}
