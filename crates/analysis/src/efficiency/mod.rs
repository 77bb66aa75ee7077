//! What frames are spent on, by server and carrier: perf definitions, sections 4 to 6 and 8.

mod effort;
mod frames;
mod handles;
mod row;
mod spent;

pub(crate) use frames::FrameSpending;
pub use row::{Accesses, Efficiency, EfficiencyRow, LayerAcks, Rates, Throughput, Units};
pub(crate) use spent::{Payer, Spent};
use wirewait_wire::word::Name;

use crate::bounds::Hits;
use crate::case::{Case, NewWait, Wait};
use crate::column::Column;
use crate::table::TablePlace;
use crate::{Outcome, Settings, Transaction};
use frames::EffortRows;
use handles::Handles;
use std::collections::BTreeMap;
use wirewait_model::records::Group;
use wirewait_wire::{Address, Endpoint, Kind, Timestamp};

/// Bytes of the buffer that a server is taken to have where the capture does not show it.
pub const ASSUMED_BUFFER: u64 = 4096;

/// Gathers what is in an [`Efficiency`] of closed transactions.
pub(crate) struct Spending {
    /// Those whose conversation is with another server.
    rows: EffortRows,
    /// Each client at each server on each carrier.
    ties: Column<Tie>,
    handles: Handles,
}

type RowKey = (Option<Endpoint>, Name);

/// A conversation whose client is on probation, and whom it asks: its frame counts at once in the
/// row of that server.
#[derive(Clone, Copy)]
struct PasserBy {
    conversation: u64,
    client: Address,
    server: Endpoint,
    carrier: Name,
}

/// One client at one server on one carrier.
#[derive(Default)]
struct Tie {
    /// Requests that the client waits for, and since when.
    outstanding: u32,
    since: Timestamp,
    until: Option<Timestamp>,
    /// Their transactions.
    row: EfficiencyRow,
}

impl Spending {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            rows: EffortRows::new(settings.rows),
            ties: Column::new(),
            handles: Handles::new(),
        }
    }

    /// Rows that were dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        self.rows.evicted
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> &Hits {
        &self.handles.hits
    }

    /// A client waits for a request.
    pub(crate) fn begins(&mut self, wait: &impl NewWait) {
        let place = wait.places().tie;
        if wait.anyone() || place.is_nowhere() {
            return;
        }
        if let Some(asked) = wait.asked() {
            self.handles.asked(wait.number(), &asked);
        }
        let tie = self.tie(place, *wait.server(), wait.carrier());
        if tie.outstanding == 0 {
            tie.since = tie.until.map_or(wait.began(), |at| at.max(wait.began()));
        }
        tie.outstanding = tie.outstanding.saturating_add(1);
    }

    /// It no longer does, since `at`.
    pub(crate) fn ends(&mut self, wait: Wait<'_>, at: Timestamp) {
        if wait.anyone {
            return;
        }
        let t = wait.case.transaction;
        if wait.case.parties.tie.is_nowhere() {
            return;
        }
        self.handles.got(wait.case);
        let tie = self.tie(wait.case.parties.tie, t.server, t.carrier);
        if tie.outstanding == 0 {
            // Its beginning was dropped with an evicted row.
            return;
        }
        tie.outstanding -= 1;
        let until = tie.until.map_or(at, |until| until.max(at));
        let until = until.max(tie.since);
        tie.until = Some(until);
        if tie.outstanding == 0 {
            let busy = u64::try_from(until.since(tie.since)).unwrap_or(0);
            let moved = &mut tie.row.moved;
            moved.busy_ns = moved.busy_ns.saturating_add(busy);
        }
    }

    /// A file was opened: before the first read or write there, which begins before this is closed.
    #[cold]
    #[inline(never)]
    pub(crate) fn opened(&mut self, case: Case<'_>) {
        self.handles.forget(case);
    }

    /// A transaction is closed, of a server with such a buffer: what access it was.
    pub(crate) fn closed(&mut self, case: Case<'_>, buffer: Option<u32>) -> Accesses {
        let t = case.transaction;
        let mut access = Accesses::default();
        if matches!(t.kind, Kind::Read | Kind::Write) {
            let answered = t.response.is_some() && t.outcome == Outcome::Answered;
            if answered {
                access.count = 1;
                access.bytes = t.data_bytes;
                size(t, buffer, &mut access);
            }
            self.handles.closed(case, answered, &mut access);
        }
        if t.kind == Kind::Close {
            self.handles.forget(case);
        }
        access
    }

    /// Counts closed transactions of this group, which are on the account of `payer` and stand
    /// between the two of `tie`.
    pub(crate) fn post(&mut self, (payer, tie): (Payer, TablePlace), group: &Group, spent: &Spent) {
        let row = match payer {
            Payer::Server(server, carrier) => self.rows.row((server, carrier)),
            // Whatever is gone was counted for its server.
            Payer::Tie if self.ties.is_past(tie) => {
                let server = group.key.server_end.station();
                self.rows.row((Some(server), group.key.carrier))
            }
            Payer::Tie => &mut self.tie(tie, group.key.server_end, group.key.carrier).row,
        };
        let whole = group
            .lines
            .iter()
            .filter(|line| !line.flags.is_incomplete());
        row.exchanges += whole.count() as u64;
        row.frames.merge(&group.frames);
        row.session_frames += spent.session_frames;
        row.moved.absorb(&spent.moved_by(group));
        if let Some(accesses) = accesses(row, group.key.kind) {
            accesses.absorb(&spent.access);
        }
    }

    /// Adds its rows to these.
    pub(super) fn add_to(&self, rows: &mut BTreeMap<RowKey, EfficiencyRow>) {
        self.rows.add_to(rows);
        for (_, tie) in self.ties.iter() {
            let key = (tie.row.server, tie.row.carrier);
            rows.entry(key).or_default().absorb(&tie.row);
        }
    }

    #[inline]
    fn tie(&mut self, place: TablePlace, server: Endpoint, carrier: &'static str) -> &mut Tie {
        if !self.ties.has(place) {
            self.new_tie(place, server, carrier);
        }
        self.ties.of(place)
    }

    #[cold]
    fn new_tie(&mut self, place: TablePlace, server: Endpoint, carrier: &'static str) {
        if let Some(gone) = self.ties.renew(place) {
            let key = (gone.row.server, gone.row.carrier);
            self.rows.row(key).absorb(&gone.row);
        }
        let row = &mut self.ties.of(place).row;
        (row.server, row.carrier) = (Some(server.station()), carrier);
    }
}

fn accesses(row: &mut EfficiencyRow, kind: Kind) -> Option<&mut Accesses> {
    match kind {
        Kind::Read => Some(&mut row.reads),
        Kind::Write => Some(&mut row.writes),
        _ => None,
    }
}

/// Small and large, by the size that was asked for.
fn size(t: &Transaction, buffer: Option<u32>, accesses: &mut Accesses) {
    if t.asked_bytes == 0 {
        return;
    }
    let known = buffer.filter(|buffer| *buffer > 0).map(u64::from);
    let buffer = known.unwrap_or(ASSUMED_BUFFER);
    accesses.sized = 1;
    accesses.assumed = u64::from(known.is_none());
    accesses.small = u64::from(t.asked_bytes.saturating_mul(4) < buffer);
    accesses.large = u64::from(t.asked_bytes > buffer * 2);
}
