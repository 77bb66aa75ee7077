//! Requests that rows had counted before they were dropped, for when a row of the same comes
//! back: it says then what it lacks.

use crate::Counts;
use crate::journal::Heading;
use crate::table::Table;
use std::collections::HashMap;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind};

/// Whose row was dropped.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Client(Endpoint),
    Operation {
        server: Endpoint,
        protocol: Name,
        carrier: Name,
        command: Name,
        code: u32,
        kind: Kind,
    },
}

impl Whose {
    /// The row of the operation on a page of the journal.
    pub(super) fn operation(heading: &Heading) -> Self {
        Self::Operation {
            server: heading.server.station(),
            protocol: heading.protocol,
            carrier: heading.carrier,
            command: heading.operation.name,
            code: heading.code,
            kind: heading.kind,
        }
    }
}

/// Requests by whose row had counted them.
pub(super) struct Lost(Table<Whose, u64>);

impl Lost {
    /// Where so many rows are kept, of eight times as many: those that were dropped last, and
    /// of them rather those with responses.
    pub(super) fn new(rows: usize) -> Self {
        Self(Table::new(rows.saturating_mul(8)))
    }

    /// A row that had counted this is dropped.
    pub(super) fn add(&mut self, whose: Whose, counts: &Counts) {
        if counts.requests == 0 {
            return;
        }
        let (place, _) = self.0.place_of(&whose, || 0);
        let sum = self.0.at(place);
        *sum = sum.saturating_add(counts.requests);
        if counts.answered > 0 {
            self.0.prove(place);
        }
    }

    /// What rows of this one had counted.
    pub(super) fn of(&self, whose: &Whose) -> u64 {
        self.0.get(whose).copied().unwrap_or(0)
    }

    /// What rows of operations had counted, and these, which nobody will see.
    pub(super) fn operations(
        &self,
        gone: impl Iterator<Item = (Whose, u64)>,
    ) -> HashMap<Whose, u64> {
        let mut all: HashMap<Whose, u64> = HashMap::new();
        let kept = self.0.iter().map(|(whose, n)| (whose, *n));
        let kept = kept.filter(|(whose, _)| matches!(whose, Whose::Operation { .. }));
        let kept = kept.map(|(whose, n)| (whose.clone(), n));
        for (whose, requests) in kept.chain(gone).filter(|(_, n)| *n > 0) {
            let sum = all.entry(whose).or_default();
            *sum = sum.saturating_add(requests);
        }
        all
    }
}
