//! Whose slices of time are, and the sums of them: for each owner, and all together.

use super::{Ledger, Operations, WaitElsewhere};
use crate::bounds::Hits;
use crate::case::Case;
use crate::column::Column;
use crate::stalls::Stalls;
use crate::table::TablePlace;
use crate::tick::ClockTick;
use wirewait_wire::Timestamp;

/// Slices of one owner that are not posted yet: most requests of a client belong to the owner of
/// the one before, so its slices are added up until another one comes.
#[derive(Clone, Default)]
pub(super) struct Pending {
    pub(super) owner: SliceOwner,
    pub(super) sum: Sum,
}

/// Whose slices a request makes; [nowhere](TablePlace::NOWHERE) stands who has no row.
#[derive(Clone, Copy, Debug, Eq)]
pub(super) struct SliceOwner {
    pub(super) server: TablePlace,
    pub(super) pair: TablePlace,
    /// What it asks for there.
    pub(super) operation: TablePlace,
    /// The share and the file, where they have names.
    pub(super) labels: [TablePlace; 2],
}

impl Default for SliceOwner {
    fn default() -> Self {
        Self {
            server: TablePlace::NOWHERE,
            pair: TablePlace::NOWHERE,
            operation: TablePlace::NOWHERE,
            labels: [TablePlace::NOWHERE; 2],
        }
    }
}

/// Mostly they are the same: compared without a branch.
impl PartialEq for SliceOwner {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let [share, file] = self.labels;
        (self.pair == other.pair)
            & (self.operation == other.operation)
            & (self.server == other.server)
            & (share == other.labels[0])
            & (file == other.labels[1])
    }
}

/// Slices added up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) ledger: Ledger,
    pub(super) requests: u64,
    /// Requests with a slice of the server's phase, and gaps that are the client's.
    pub(super) turnarounds: u64,
    pub(super) pauses: u64,
    /// From the first request's beginning to the last one's end.
    span: Option<(Timestamp, Timestamp)>,
}

/// The roll-ups.
#[derive(Clone)]
pub(super) struct Sums {
    pub(super) total: Sum,
    pub(super) servers: Column<Sum>,
    pub(super) pairs: Column<Sum>,
    pub(super) operations: Column<Sum>,
    pub(super) labels: Column<Sum>,
    /// Closed requests of all clients that are not settled.
    pub(super) waiting: usize,
    pub(super) slices: ClockTick,
    pub(super) stalls: Stalls,
    /// Pauses in which clients waited for other services, until they are taken out.
    pub(super) elsewhere: Vec<WaitElsewhere>,
    /// What timelines lost: clients come and go.
    pub(super) hits: Hits,
}

impl SliceOwner {
    /// The owner of a wait, or of a loss: apart, so that the other is part of what closes a request.
    #[cold]
    #[inline(never)]
    pub(super) fn of_stretch(case: Case<'_>, operations: &mut Operations) -> Self {
        Self::of(case, operations)
    }

    /// The owner of a request's slices.
    #[inline(always)]
    pub(super) fn of(case: Case<'_>, operations: &mut Operations) -> Self {
        let parties = case.parties;
        // A user's time is not accounted for.
        let [_, share, file] = parties.named.map_or([None; 3], |named| named.labels);
        Self {
            server: parties.server,
            pair: parties.pair,
            operation: operations.place_of(case.transaction, parties.server),
            labels: [share, file].map(|label| label.unwrap_or(TablePlace::NOWHERE)),
        }
    }
}

impl Pending {
    /// Adds its slices to all rows that they belong to.
    pub(super) fn post(&self, sums: &mut Sums, client: &mut Sum) {
        let Sums {
            total,
            servers,
            pairs,
            operations,
            labels,
            ..
        } = sums;
        total.merge(&self.sum);
        client.merge(&self.sum);
        let SliceOwner {
            server,
            pair,
            operation,
            labels: [share, file],
        } = self.owner;
        for (column, place) in [(servers, server), (pairs, pair), (operations, operation)] {
            self.sum.post(column, place);
        }
        for label in [share, file] {
            self.sum.post(labels, label);
        }
    }
}

impl Sums {
    pub(super) fn new() -> Self {
        Self {
            total: Sum::default(),
            servers: Column::new(),
            pairs: Column::new(),
            operations: Column::new(),
            labels: Column::new(),
            waiting: 0,
            slices: ClockTick::default(),
            stalls: Stalls::default(),
            elsewhere: Vec::new(),
            hits: Hits::NONE,
        }
    }
}

impl Sum {
    /// Adds it to the row of this place, unless that is gone.
    fn post(&self, column: &mut Column<Self>, place: TablePlace) {
        if !column.is_past(place) {
            column.of(place).merge(self);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.ledger.merge(&other.ledger);
        self.requests += other.requests;
        self.turnarounds += other.turnarounds;
        self.pauses += other.pauses;
        if let Some((from, to)) = other.span {
            self.spans(from, to);
        }
    }

    pub(super) fn spans(&mut self, from: Timestamp, to: Timestamp) {
        self.span = Some(match self.span {
            Some((first, last)) => (first.min(from), last.max(to)),
            None => (from, to),
        });
    }

    pub(super) fn span_ns(&self) -> u64 {
        let span = self.span.map_or(0, |(from, to)| to.since(from));
        u64::try_from(span).unwrap_or(0)
    }
}
