//! What happens to transactions, as it goes into the books.

use super::Books;
use crate::account::Outstanding;
use crate::case::{Case, Wait};
use crate::lateness::Lateness;
use crate::parties::Parties;
use crate::path::Path;
use crate::stalls::Stall;
use crate::world::{Growth, WaitEvent};
use crate::{Outcome, Sink, Transaction};
use wirewait_wire::{Endpoint, Timestamp};

impl Books {
    /// A request was seen, or a response without one.
    #[inline(never)]
    pub(super) fn met(&mut self, transaction: &mut Transaction, parties: &mut Parties) {
        self.directory.meet(transaction, parties);
        transaction.number = self.next_transaction();
    }

    /// A client begins a conversation, or is known again: it may be one that is known by another address.
    #[cold]
    #[inline(never)]
    pub(super) fn met_client(
        &mut self,
        transaction: &Transaction,
        parties: &Parties,
        (path, sink): (&Path, &mut dyn Sink),
    ) {
        let client = transaction.client.station();
        let sent = path.ends.filter(|(from, _)| from.station() == client);
        // Where rows give way, that of the first address may, and what it has depends on when that is.
        let crowded = self.directory.evicted > 0;
        if sent.is_none() || parties.client.is_nowhere() || crowded {
            return;
        }
        let directory = &mut self.directory;
        let known = |first: Endpoint| directory.station_place(first).is_some();
        let first = self.machines.meets(client, path.neighbour, known);
        if let Some(first) = first {
            let case = Case {
                transaction,
                parties,
            };
            self.same_client(case, first, sink);
        }
    }

    /// A client waits for a request.
    #[inline(never)]
    pub(super) fn begins(&mut self, wait: &Wait<'_>, path: &Path) {
        let mut room = None;
        let known = wait.known(&mut self.directory, &mut room);
        if let Some(recorder) = &mut self.recorder {
            recorder.begins(&known);
        }
        self.spending.begins(&known, path);
        match &mut self.lent {
            None => self.accounting.begins(&known),
            Some(entries) => entries.begins(&known),
        }
    }

    /// It no longer does, since `at`.
    #[inline(never)]
    pub(super) fn ends(
        &mut self,
        wait: &Wait<'_>,
        at: Timestamp,
        outstanding: Option<&Outstanding>,
    ) {
        let mut room = None;
        let known = wait.known(&mut self.directory, &mut room);
        if let Some(recorder) = &mut self.recorder {
            recorder.ends(&known, at);
        }
        match &mut self.lent {
            None => self.accounting.ends(&known, at, outstanding),
            Some(entries) => entries.ends(&known, at, outstanding),
        }
    }

    /// The answer of a request is complete.
    #[inline(never)]
    pub(super) fn answered(&mut self, case: Case<'_>) {
        let proved = self.directory.are_proved(case.transaction, case.parties);
        if !proved || self.meters.is_some() {
            self.is_answered(case);
        }
    }

    #[inline(never)]
    fn is_answered(&mut self, case: Case<'_>) {
        let mut room = None;
        let case = case.known(&mut self.directory, &mut room);
        self.directory.prove(case.parties);
        if let Some(meters) = &mut self.meters {
            meters.answered(case);
        }
    }

    /// A transaction is closed; whether it is as told when its wait ended.
    #[inline(never)]
    pub(super) fn closed(
        &mut self,
        case: Case<'_>,
        as_told: bool,
        path: &Path,
        sink: &mut dyn Sink,
    ) {
        let mut room = None;
        let told = case.parties;
        let case = case.known(&mut self.directory, &mut room);
        let transaction = case.transaction;
        self.attribution.transactions += transaction.share;
        if transaction.outcome != Outcome::OrphanResponse {
            self.open = self.open.saturating_sub(1);
        }
        let took = transaction.took();
        match &took {
            Some(took) => self.slowest.closed(transaction, took.response_ns),
            None => self.slowest.closed_uncounted(transaction),
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.answered(case, took.as_ref());
        }
        if let Some(meters) = &mut self.meters {
            meters.closed(case);
        }
        let account = self.spending.closed(case, path);
        match &mut self.lent {
            None => self.accounting.closed(case, took.as_ref(), account),
            Some(entries) => {
                // Nor has one of its parties gone.
                let as_told = as_told && std::ptr::eq(told, case.parties);
                entries.closed(case, as_told, account);
            }
        }
        sink.transaction(transaction);
    }

    /// A client on probation is known now.
    #[inline(never)]
    pub(super) fn admitted(&mut self, transaction: &Transaction, parties: &mut Parties) {
        self.directory.admit(transaction, parties);
        if let Some(meters) = &mut self.meters {
            meters.admitted(Case {
                transaction,
                parties,
            });
        }
    }

    /// Something else became of a wait.
    #[inline(never)]
    pub(super) fn happens(&mut self, wait: &Wait<'_>, event: WaitEvent) {
        let frame = self.now();
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        match &mut self.lent {
            None => self.accounting.happens(wait, event, frame),
            Some(entries) => entries.happens(&wait, event, frame),
        }
    }

    /// The client whose wait ends next waited for this.
    #[cold]
    pub(super) fn stalled(&mut self, stall: &Stall) {
        match &mut self.lent {
            None => self.accounting.stalled(stall),
            Some(entries) => entries.stalled(stall),
        }
    }

    /// Request and response of the wait that ends next were so much longer than others on their way.
    #[cold]
    pub(super) fn late(&mut self, late: [Lateness; 2]) {
        match &mut self.lent {
            None => self.accounting.accounts.late(late),
            Some(entries) => entries.late(late),
        }
    }

    /// A client has another address, which is known.
    #[cold]
    #[inline(never)]
    pub(super) fn same_client(&mut self, case: Case<'_>, first: Endpoint, sink: &mut dyn Sink) {
        sink.same_client(case.transaction.client.station(), first.station());
        let mut room = None;
        let case = case.known(&mut self.directory, &mut room);
        let place = case.parties.client;
        let end = first.station();
        let Some(first) = self.directory.station_place(first) else {
            return;
        };
        if let (Some(recorder), Some(request)) = (&mut self.recorder, case.transaction.request)
            && place != first
        {
            recorder.joined(case, (first, end), request.first.at);
        }
        match &mut self.lent {
            None => self.accounting.accounts.is_same(place, first),
            Some(entries) => entries.same_client(place, first),
        }
    }

    /// An oplock or a lease is to be given back.
    #[cold]
    pub(super) fn took_back(&mut self, case: Case<'_>) {
        let mut room = None;
        let case = case.known(&mut self.directory, &mut room);
        match &mut self.lent {
            None => self.accounting.watch.took_back(case),
            Some(entries) => entries.took_back(case),
        }
    }

    /// A break was acknowledged.
    #[cold]
    pub(super) fn gave_back(&mut self, case: Case<'_>) {
        let mut room = None;
        let case = case.known(&mut self.directory, &mut room);
        match &mut self.lent {
            None => self.accounting.watch.gave_back(case),
            Some(entries) => entries.gave_back(case),
        }
    }

    /// A request is complete.
    #[inline(never)]
    pub(super) fn asked(&mut self, case: Case<'_>) {
        let mut room = None;
        if let Some(meters) = &mut self.meters {
            meters.asked(case.known(&mut self.directory, &mut room));
        }
    }

    /// A request or an answer that was counted goes on.
    #[cold]
    pub(super) fn grows(&mut self, case: Case<'_>, growth: Growth) {
        let mut room = None;
        if let Some(meters) = &mut self.meters {
            meters.grows(case.known(&mut self.directory, &mut room), growth);
        }
    }
}
