//! Whom it need not be said again of that they were answered.

use super::Parties;
use crate::table::TablePlace;

/// Ties that are remembered, a power of two: each where the number of its place says.
const PROVED: usize = 256;

/// Parties that were proved lately. What is proved stays so until it goes.
pub(super) struct Proved {
    slots: Box<[ProvedParties; PROVED]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct ProvedParties {
    tie: TablePlace,
    spot: TablePlace,
    file: TablePlace,
    /// What had gone from the directory then.
    as_of: u64,
}

impl Proved {
    pub(super) fn new() -> Self {
        let nothing = ProvedParties {
            tie: TablePlace::NOWHERE,
            spot: TablePlace::NOWHERE,
            file: TablePlace::NOWHERE,
            as_of: u64::MAX,
        };
        Self {
            slots: Box::new([nothing; PROVED]),
        }
    }

    /// Whether all of these are known to be proved; from now on they are.
    #[inline]
    pub(super) fn are(&mut self, parties: &Parties) -> bool {
        let slot = ProvedParties {
            tie: parties.tie,
            spot: parties
                .named
                .map_or(TablePlace::NOWHERE, |named| named.spot),
            file: parties.handle().unwrap_or(TablePlace::NOWHERE),
            as_of: parties.as_of,
        };
        let known = &mut self.slots[slot.tie.index() % PROVED];
        let same = *known == slot && !slot.tie.is_nowhere();
        if !same {
            *known = slot;
        }
        same
    }
}
