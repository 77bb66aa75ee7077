//! Requests that rows had counted before they were dropped, for when a row of the same comes
//! back: it says then what it lacks.

use super::passers::Passers;
use crate::Counts;
use crate::journal::Heading;
use crate::table::Table;
use std::collections::HashMap;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind};

/// An operation at a server whose row was dropped.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    pub(super) server: Endpoint,
    pub(super) protocol: Name,
    pub(super) carrier: Name,
    pub(super) command: Name,
    pub(super) code: u32,
    pub(super) kind: Kind,
}

impl Operation {
    /// The one on a page of the journal.
    pub(super) fn of(heading: &Heading) -> Self {
        Self {
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
pub(super) struct Lost {
    clients: Passers,
    operations: Table<Operation, u64>,
}

impl Lost {
    /// Where so many rows are kept, of eight times as many, or nearly: those that were dropped
    /// last, and rather those with responses.
    pub(super) fn new(rows: usize) -> Self {
        Self {
            clients: Passers::new(rows.saturating_mul(8)),
            operations: Table::new(rows.saturating_mul(8)),
        }
    }

    /// A client's row that had counted this is dropped.
    pub(super) fn client(&mut self, station: Endpoint, counts: &Counts) {
        self.clients
            .add(&station, counts.requests, counts.answered > 0);
    }

    /// An operation's row likewise.
    pub(super) fn operation(&mut self, operation: &Operation, counts: &Counts) {
        if counts.requests == 0 {
            return;
        }
        let (place, _) = self.operations.place_of(operation, || 0);
        let sum = self.operations.at(place);
        *sum = sum.saturating_add(counts.requests);
        if counts.answered > 0 {
            self.operations.prove(place);
        }
    }

    /// What rows of this client had counted.
    pub(super) fn of_client(&self, station: &Endpoint) -> u64 {
        self.clients.of(station)
    }

    /// What rows of operations had counted, and these, which nobody will see.
    pub(super) fn operations(
        &self,
        gone: impl Iterator<Item = (Operation, u64)>,
    ) -> HashMap<Operation, u64> {
        let mut all: HashMap<Operation, u64> = HashMap::new();
        let kept = self.operations.iter().map(|(of, n)| (of.clone(), *n));
        for (of, requests) in kept.chain(gone).filter(|(_, n)| *n > 0) {
            let sum = all.entry(of).or_default();
            *sum = sum.saturating_add(requests);
        }
        all
    }
}
