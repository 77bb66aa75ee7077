//! The accounts of requests as they begin, end and are closed: of time, symptoms and efficiency,
//! and the groups that statistics count. Nothing here is asked for by those who follow and pair, so
//! that all of it can be done later, from [entries](EntryBatch), on a thread of its own.

mod entries;

use crate::account::{Accounts, Operations, Outstanding};
use crate::bounds::Hits;
use crate::case::{Case, NewWait, Wait};
use crate::efficiency::{Payer, Spending};
use crate::journal::{self, Heading, Journal};
use crate::parties::Directory;
use crate::round_trips::RoundTrips;
use crate::service_wait::ServiceWait;
use crate::stalls::Stall;
use crate::symptoms::Watch;
use crate::table::TablePlace;
use crate::world::WaitEvent;
use crate::{LedgerRow, Mark, Outcome, Settings, Stalls};
use entries::EndedCases;
pub use entries::EntryBatch;
use wirewait_model::records::{LineTimes, OperationAt, OperationId, RecordBatch};
use wirewait_wire::{Kind, Timestamp};

/// The account of time, symptoms, efficiency, and what statistics are made of: an
/// [analysis](crate::Analyzer::lend) lends it to another thread.
pub struct Accounting {
    pub(crate) accounts: Accounts,
    pub(crate) round_trips: RoundTrips,
    pub(crate) watch: Watch,
    pub(crate) spending: Spending,
    /// What is closed and not in the statistics yet.
    journal: Journal,
    /// What was asked for at which server.
    operations: Operations,
    /// Of requests that were [entered](EntryBatch).
    ended: EndedCases,
    /// Somebody takes records.
    pub(crate) recording: bool,
    /// Those that were not handed over.
    pub(crate) batch: RecordBatch,
}

impl std::fmt::Debug for Accounting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Accounting").finish_non_exhaustive()
    }
}

impl Accounting {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            accounts: Accounts::new(settings),
            round_trips: RoundTrips::new(settings.rows),
            watch: Watch::new(settings.rows),
            spending: Spending::new(settings),
            journal: Journal::new(),
            operations: Operations::new(settings.rows),
            ended: EndedCases::default(),
            recording: false,
            batch: RecordBatch::default(),
        }
    }

    /// Enters what was taken out of the analysis, and leaves the room of it.
    pub fn enter_all(&mut self, entries: &mut EntryBatch) {
        entries.enter(self);
        entries.clear();
        self.batch.joins |= std::mem::take(&mut entries.joins);
        if self.batch.moments.is_empty() {
            std::mem::swap(&mut self.batch.moments, &mut entries.moments);
        } else {
            self.batch.moments.append(&mut entries.moments);
        }
    }

    /// Takes out what statistics are made of, as far as it is in groups that nothing more comes to, and goes
    /// on in the room of `empty`.
    #[must_use]
    pub fn take_batch(&mut self, empty: RecordBatch) -> RecordBatch {
        std::mem::replace(&mut self.batch, empty)
    }

    /// Whether the last seconds are kept.
    pub(crate) fn keeps_course(&self) -> bool {
        self.watch.keeps_course() || self.accounts.course().is_some()
    }

    /// Rows dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        self.operations
            .evicted
            .saturating_add(self.round_trips.evicted)
            .saturating_add(self.watch.evicted())
            .saturating_add(self.spending.evicted())
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> Hits {
        let hits = self.accounts.hits().and(&self.watch.hits());
        hits.and(self.spending.hits())
    }

    /// The operation with this number.
    pub(crate) fn operation(&self, id: OperationId) -> Option<OperationAt> {
        self.operations.at(TablePlace::of(id)).copied()
    }

    /// A client waits for a request.
    // Once for each way that leads here, so that what it calls is part of it.
    #[inline(never)]
    pub(crate) fn begins(&mut self, wait: &impl NewWait) {
        self.accounts.begins(wait, &self.round_trips);
        self.watch.begins(wait);
        self.spending.begins(wait);
    }

    /// It no longer does, since `at`.
    // Both ways lead here: once, so that what it calls is part of it.
    #[inline(never)]
    pub(crate) fn ends(
        &mut self,
        wait: &Wait<'_>,
        at: Timestamp,
        outstanding: Option<&Outstanding>,
    ) {
        let wait = *wait;
        if outstanding.is_some()
            && let Some(given) = self.watch.awaited(wait.case)
        {
            self.accounts.awaited(wait, &given, &self.round_trips);
        }
        self.watch.ends(wait, at, outstanding);
        let known = (&self.round_trips, &mut self.operations);
        self.accounts.ends(wait, at, outstanding, known);
        self.spending.ends(wait, at);
        if wait.case.transaction.kind == Kind::Open {
            self.spending.opened(wait.case);
        }
    }

    /// The capture is over.
    pub(crate) fn finish(&mut self) {
        self.accounts.finish();
        self.paused_elsewhere();
    }

    /// A station waited for a service that is no file server: a client in its pauses, or a server before it responded.
    #[cold]
    pub(crate) fn waited_elsewhere(&mut self, station: TablePlace, wait: ServiceWait) {
        self.paused_elsewhere();
        self.watch.waited_for_service(wait);
        self.accounts.waited_elsewhere(station, wait);
    }

    /// Pauses in which a client waited for another service may be known: no more than followed the latest of such waits.
    #[cold]
    #[inline(never)]
    fn paused_elsewhere(&mut self) {
        for wait in self.accounts.take_elsewhere() {
            self.watch.waited_elsewhere(&wait);
        }
    }

    /// What the wait that ends next was for.
    #[cold]
    pub(crate) fn stalled(&mut self, stall: &Stall) {
        if stall.whole {
            self.watch.held(stall.ns());
        }
        self.accounts.stalled(stall);
    }

    /// Something else became of a wait, as this frame shows.
    pub(crate) fn happens(&mut self, wait: Wait<'_>, event: WaitEvent, frame: u64) {
        let operations = &mut self.operations;
        match event {
            WaitEvent::Waits => self.accounts.waits(wait, operations),
            WaitEvent::Waited(at) => self.accounts.waited(wait, at),
            WaitEvent::Lost(at) => {
                self.watch.lost(wait, at);
                self.accounts.lost(wait, at, operations);
            }
            WaitEvent::Unseen(at) => self.accounts.unseen(wait, at, operations),
            WaitEvent::Abandoned(at) => self.watch.abandoned(wait, Mark { frame, at }),
            WaitEvent::CutOff(at, cut) => self.watch.cut_off(wait, Mark { frame, at }, cut),
        }
    }

    /// The account of time, a row for each of whom it is, and the stalls in it.
    pub(crate) fn ledgers(&self, directory: &Directory) -> (Vec<LedgerRow>, Stalls) {
        self.accounts.rows(directory, &self.operations)
    }

    /// A transaction is closed, on this account, of a server with such a buffer: it is entered in the
    /// journal.
    // Both ways lead here: once, so that what it calls is part of it.
    #[inline(never)]
    pub(crate) fn closed(
        &mut self,
        case: Case<'_>,
        took: Option<&LineTimes>,
        (payer, buffer): (Payer, Option<u32>),
    ) {
        self.watch.closed(case, took);
        let access = self.spending.closed(case, buffer);
        let t = case.transaction;
        if journal::is_of_passer_by(case) && t.outcome != Outcome::OrphanResponse && self.recording
        {
            self.batch.strangers.push(t.client.station());
        }
        let place = Journal::place(case);
        let known = self.journal.page(place).heading_of(case, payer);
        let known = known.map(|heading| heading.at);
        // It became young when the wait ended.
        if known.is_none_or(|at| !self.operations.has(at)) {
            self.post_page(place);
            let at = self.operations.place_of(t, case.parties.server);
            let heading = Heading::new(case, payer, at);
            if let Some(key) = heading.key(t) {
                self.journal.begin(place, heading, key);
            }
        }
        if self.journal.enter(place, (t, took), &access) {
            self.post_page(place);
        }
    }

    /// As [`Self::closed`], where it is entered.
    fn is_closed(&mut self, case: Case<'_>, payer: Payer, buffer: Option<u32>) {
        let took = case.transaction.took();
        self.closed(case, took.as_ref(), (payer, buffer));
    }

    /// Posts a page, which goes on under the same heading.
    fn post_page(&mut self, place: usize) {
        let Some((heading, group, spent)) = self.journal.under_way(place) else {
            return;
        };
        if group.counts.answered > 0 {
            self.operations.prove(heading.at);
        }
        let account = (heading.payer, heading.parties.tie);
        self.spending.post(account, group, spent);
        if self.recording {
            self.batch.take(group);
        }
        self.journal.posted(place);
    }

    /// Brings the statistics up to date.
    pub(crate) fn post(&mut self) {
        self.paused_elsewhere();
        for place in Journal::places() {
            self.post_page(place);
        }
    }
}
