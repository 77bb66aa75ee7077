//! What those who follow and pair tell the [accounting](super::Accounting) where that is done elsewhere: values
//! in their order, which borrow nothing.

use super::Accounting;
use crate::account::Outstanding;
use crate::case::{Case, Wait};
use crate::efficiency::Payer;
use crate::parties::Parties;
use crate::round_trips::TripSample;
use crate::routing::Crossing;
use crate::stalls::Stall;
use crate::table::TablePlace;
use crate::{Mark, Notice, Transaction};
use wirewait_model::records::{LineTimes, Moment};
use wirewait_wire::Timestamp;

/// What is to be entered in the [`Accounting`], in its order.
#[derive(Default)]
pub struct EntryBatch {
    entries: Vec<Entry>,
    /// The requests that entries are about, in their order, and behind them those of earlier entries: they
    /// are large, and written where they stand.
    cases: Vec<(Transaction, Parties)>,
    /// How many are in use.
    used: usize,
    /// For statistics.
    pub(crate) moments: Vec<Moment>,
}

/// A wait for the request that is next among the cases, see [`Wait`].
struct EnteredWait {
    began: Timestamp,
    repeated: Option<Timestamp>,
    anyone: bool,
}

/// Something that happened.
enum Entry {
    Begins(EnteredWait),
    Ends(EnteredWait, Timestamp, Option<Outstanding>),
    Waits(EnteredWait),
    Waited(EnteredWait, Timestamp),
    Lost(EnteredWait, Timestamp),
    Unseen(EnteredWait, Timestamp),
    Abandoned(EnteredWait, Mark),
    GaveBack,
    Stalled(Box<Stall>),
    Closed(Option<LineTimes>, Payer, Option<u32>),
    Sampled(TripSample),
    Crossed(Crossing),
    Noticed([TablePlace; 2], Box<Notice>),
    Missed(TablePlace),
    Settle(Timestamp),
    ClockSet((Timestamp, Timestamp), bool),
}

impl std::fmt::Debug for EntryBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut f = f.debug_struct("EntryBatch");
        f.field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl EntryBatch {
    /// Entries from which on it is worth handing over: few enough to stay in the caches of both
    /// processors. A frame that closes many requests may make more.
    const ENTRIES: usize = 128;

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= Self::ENTRIES
    }

    #[inline(never)]
    pub(crate) fn begins(&mut self, wait: &Wait<'_>, parties: &Parties) {
        let entered = self.wait(&wait.between(parties));
        self.entries.push(Entry::Begins(entered));
    }

    #[inline(never)]
    pub(crate) fn ends(
        &mut self,
        (wait, parties): (&Wait<'_>, &Parties),
        at: Timestamp,
        outstanding: Option<&Outstanding>,
    ) {
        let entered = self.wait(&wait.between(parties));
        self.entries
            .push(Entry::Ends(entered, at, outstanding.copied()));
    }

    pub(crate) fn waits(&mut self, wait: &Wait<'_>) {
        let entered = self.wait(wait);
        self.entries.push(Entry::Waits(entered));
    }

    pub(crate) fn waited(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let entered = self.wait(wait);
        self.entries.push(Entry::Waited(entered, at));
    }

    #[cold]
    pub(crate) fn lost(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let entered = self.wait(wait);
        self.entries.push(Entry::Lost(entered, at));
    }

    #[cold]
    pub(crate) fn unseen(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let entered = self.wait(wait);
        self.entries.push(Entry::Unseen(entered, at));
    }

    #[cold]
    pub(crate) fn abandoned(&mut self, wait: &Wait<'_>, mark: Mark) {
        let entered = self.wait(wait);
        self.entries.push(Entry::Abandoned(entered, mark));
    }

    #[cold]
    pub(crate) fn gave_back(&mut self, case: Case<'_>) {
        self.case(case);
        self.entries.push(Entry::GaveBack);
    }

    #[cold]
    pub(crate) fn stalled(&mut self, stall: &Stall) {
        self.entries.push(Entry::Stalled(Box::new(*stall)));
    }

    #[inline(never)]
    pub(crate) fn closed(
        &mut self,
        case: Case<'_>,
        took: Option<&LineTimes>,
        (payer, buffer): (Payer, Option<u32>),
    ) {
        self.case(case);
        self.entries
            .push(Entry::Closed(took.copied(), payer, buffer));
    }

    #[inline(never)]
    pub(crate) fn sampled(&mut self, sample: &TripSample) {
        self.entries.push(Entry::Sampled(*sample));
    }

    #[cold]
    pub(crate) fn crossed(&mut self, crossing: &Crossing) {
        self.entries.push(Entry::Crossed(*crossing));
    }

    #[cold]
    pub(crate) fn noticed(&mut self, pairs: [TablePlace; 2], notice: &Notice) {
        let notice = Box::new(*notice);
        self.entries.push(Entry::Noticed(pairs, notice));
    }

    #[cold]
    pub(crate) fn missed(&mut self, pair: TablePlace) {
        self.entries.push(Entry::Missed(pair));
    }

    #[cold]
    pub(crate) fn settle(&mut self, now: Timestamp) {
        self.entries.push(Entry::Settle(now));
    }

    #[cold]
    pub(crate) fn clock_was_set(&mut self, seam: (Timestamp, Timestamp), unsure: bool) {
        self.entries.push(Entry::ClockSet(seam, unsure));
    }

    fn wait(&mut self, wait: &Wait<'_>) -> EnteredWait {
        self.case(wait.case);
        EnteredWait {
            began: wait.began,
            repeated: wait.repeated,
            anyone: wait.anyone,
        }
    }

    fn case(&mut self, case: Case<'_>) {
        if self.used == self.cases.len() {
            self.cases.push(Default::default());
        }
        let (transaction, parties) = &mut self.cases[self.used];
        transaction.copy_unnamed(case.transaction);
        *parties = *case.parties;
        self.used += 1;
    }

    /// Enters them all.
    pub(super) fn enter(&self, accounting: &mut Accounting) {
        let mut cases = self.cases[..self.used]
            .iter()
            .map(|(transaction, parties)| Case {
                transaction,
                parties,
            });
        for entry in &self.entries {
            match entry {
                Entry::Sampled(sample) => accounting.round_trips.sampled(sample),
                Entry::Crossed(crossing) => accounting.round_trips.crossed(crossing),
                Entry::Noticed(pairs, notice) => accounting.watch.noticed(*pairs, notice),
                Entry::Missed(pair) => accounting.watch.missed(*pair),
                Entry::Settle(now) => accounting.accounts.settle(*now),
                Entry::Stalled(stall) => accounting.stalled(stall),
                Entry::ClockSet(seam, unsure) => {
                    accounting.accounts.clock_was_set(*seam, *unsure);
                }
                of_a_request => {
                    if let Some(case) = cases.next() {
                        of_a_request.enter(case, accounting);
                    }
                }
            }
        }
    }

    /// Only its room is left.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.used = 0;
        // Those of a frame that closed many requests are not kept.
        self.cases.truncate(Self::ENTRIES);
    }
}

impl Entry {
    /// Enters it, where it is about a request.
    fn enter(&self, case: Case<'_>, accounting: &mut Accounting) {
        match self {
            Self::Begins(wait) => accounting.begins(&wait.of(case), case.parties),
            Self::Ends(wait, at, outstanding) => {
                let wait = wait.of(case);
                accounting.ends((&wait, case.parties), *at, outstanding.as_ref());
            }
            Self::Closed(took, payer, buffer) => {
                accounting.closed(case, took.as_ref(), (*payer, *buffer));
            }
            Self::Waits(wait) => accounting.waits(wait.of(case)),
            Self::Waited(wait, at) => accounting.accounts.waited(wait.of(case), *at),
            Self::Lost(wait, at) => accounting.lost(wait.of(case), *at),
            Self::Unseen(wait, at) => accounting.unseen(wait.of(case), *at),
            Self::Abandoned(wait, mark) => accounting.watch.abandoned(wait.of(case), *mark),
            Self::GaveBack => accounting.watch.gave_back(case),
            Self::Sampled(_)
            | Self::Stalled(_)
            | Self::Crossed(_)
            | Self::Noticed(..)
            | Self::Missed(_)
            | Self::Settle(_)
            | Self::ClockSet(..) => {}
        }
    }
}

impl EnteredWait {
    fn of<'a>(&self, case: Case<'a>) -> Wait<'a> {
        Wait {
            case,
            began: self.began,
            anyone: self.anyone,
            repeated: self.repeated,
        }
    }
}
