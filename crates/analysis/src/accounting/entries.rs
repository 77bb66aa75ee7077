//! What those who follow and pair tell the [accounting](super::Accounting) where that is done elsewhere: values
//! in their order, which borrow nothing.

use super::Accounting;
use crate::account::Outstanding;
use crate::case::{AskedRange, Case, NewWait, NewWaitPlaces, Wait};
use crate::efficiency::Payer;
use crate::lateness::Lateness;
use crate::parties::Parties;
use crate::round_trips::TripSample;
use crate::routing::Crossing;
use crate::service_wait::ServiceWait;
use crate::stalls::Stall;
use crate::table::TablePlace;
use crate::world::WaitEvent;
use crate::{FrameCounts, Notice, Transaction};
use wirewait_model::records::Moment;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Timestamp};

/// What is to be entered in the [`Accounting`], in its order.
#[derive(Default)]
pub struct EntryBatch {
    entries: Vec<Entry>,
    /// The requests that entries are about, in their order, and behind them those of earlier entries: they
    /// are large, and written where they stand.
    cases: Vec<EnteredCase>,
    /// How many are in use.
    used: usize,
    /// Which requests were told of when their waits ended, by their [slots](slot): the latest. What closes one that is the same
    /// still does not tell of it again.
    told: Vec<u64>,
    /// For statistics.
    pub(crate) moments: Vec<Moment>,
    /// Clients are joined in them.
    pub(crate) joins: bool,
}

/// A request as it was when something happened to it.
#[derive(Default)]
struct EnteredCase(Transaction, Parties);

/// Requests whose waits ended, as they were then: until they are closed, or another one needs the slot.
#[derive(Default)]
pub(super) struct EndedCases {
    slots: Vec<EnteredCase>,
}

/// Slots for requests whose wait ended: mostly, that many others begin only after one was closed.
const SLOTS: u64 = 256;

/// The slot of the request with this number.
const fn slot(number: u64) -> usize {
    (number % SLOTS) as usize
}

/// A new wait, see [`NewWait`].
struct EnteredNewWait {
    number: u64,
    client: Endpoint,
    server: Endpoint,
    carrier: Name,
    places: NewWaitPlaces,
    began: Timestamp,
    anyone: bool,
    asked: Option<AskedRange>,
}

/// A request was closed as it was told of, but for its frames.
struct EnteredClosing {
    number: u64,
    frames: FrameCounts,
    share: u64,
}

/// A wait for the request that is next among the cases, see [`Wait`].
struct EnteredWait {
    began: Timestamp,
    repeated: Option<Timestamp>,
    anyone: bool,
}

/// Something that happened.
enum Entry {
    Begins(EnteredNewWait),
    Ends(EnteredWait, Timestamp, Option<Outstanding>),
    Happens(EnteredWait, WaitEvent, u64),
    SameClient([TablePlace; 2]),
    TookBack,
    GaveBack,
    Stalled(Box<Stall>),
    Late([Lateness; 2]),
    Closed(Payer, Option<u32>),
    ClosedAsTold(EnteredClosing, Payer, Option<u32>),
    Sampled(TripSample),
    Crossed(Crossing),
    Noticed([TablePlace; 2], Box<Notice>),
    Missed(TablePlace),
    WaitedElsewhere(TablePlace, Box<ServiceWait>),
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
    pub(crate) fn begins(&mut self, wait: &Wait<'_>) {
        self.entries.push(Entry::Begins(EnteredNewWait {
            number: wait.number(),
            client: *wait.client(),
            server: *wait.server(),
            carrier: wait.carrier(),
            places: wait.places(),
            began: wait.began(),
            anyone: wait.anyone(),
            asked: wait.asked(),
        }));
    }

    #[inline(never)]
    pub(crate) fn ends(
        &mut self,
        wait: &Wait<'_>,
        at: Timestamp,
        outstanding: Option<&Outstanding>,
    ) {
        let entered = self.wait(wait);
        self.entries
            .push(Entry::Ends(entered, at, outstanding.copied()));
        if self.told.is_empty() {
            self.told.resize(slot(SLOTS - 1) + 1, 0);
        }
        let number = wait.case.transaction.number;
        self.told[slot(number)] = number;
    }

    /// As [`Accounting::happens`].
    pub(crate) fn happens(&mut self, wait: &Wait<'_>, event: WaitEvent, frame: u64) {
        let entered = self.wait(wait);
        self.entries.push(Entry::Happens(entered, event, frame));
    }

    #[cold]
    pub(crate) fn same_client(&mut self, place: TablePlace, first: TablePlace) {
        self.entries.push(Entry::SameClient([place, first]));
    }

    #[cold]
    pub(crate) fn took_back(&mut self, case: Case<'_>) {
        self.case(case);
        self.entries.push(Entry::TookBack);
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

    #[cold]
    pub(crate) fn late(&mut self, late: [Lateness; 2]) {
        self.entries.push(Entry::Late(late));
    }

    /// A transaction is closed, which may be `as_told` when its wait ended, but for its frames.
    #[inline(never)]
    pub(crate) fn closed(
        &mut self,
        case: Case<'_>,
        as_told: bool,
        (payer, buffer): (Payer, Option<u32>),
    ) {
        let t = case.transaction;
        if as_told && self.told.get(slot(t.number)) == Some(&t.number) {
            let closing = EnteredClosing {
                number: t.number,
                frames: t.frames,
                share: t.share,
            };
            self.entries
                .push(Entry::ClosedAsTold(closing, payer, buffer));
            return;
        }
        self.case(case);
        self.entries.push(Entry::Closed(payer, buffer));
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
    pub(crate) fn waited_elsewhere(&mut self, client: TablePlace, wait: ServiceWait) {
        let wait = Box::new(wait);
        self.entries.push(Entry::WaitedElsewhere(client, wait));
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
        self.cases[self.used].become_copy(case);
        self.used += 1;
    }

    /// Takes all of it out, and goes on in the room of `empty`.
    pub(crate) fn goes_on_in(&mut self, empty: Self) -> Self {
        let mut taken = std::mem::replace(self, empty);
        std::mem::swap(&mut self.told, &mut taken.told);
        taken
    }

    /// Enters them all.
    pub(super) fn enter(&self, accounting: &mut Accounting) {
        let mut cases = self.cases[..self.used].iter();
        for entry in &self.entries {
            match entry {
                Entry::Begins(wait) => accounting.begins(wait),
                Entry::ClosedAsTold(closing, payer, buffer) => {
                    // It is lent while it is looked at.
                    let mut ended = std::mem::take(&mut accounting.ended);
                    if let Some(EnteredCase(t, parties)) = ended.get_mut(closing.number) {
                        (t.frames, t.share) = (closing.frames, closing.share);
                        let case = Case {
                            transaction: t,
                            parties,
                        };
                        accounting.is_closed(case, *payer, *buffer);
                    }
                    accounting.ended = ended;
                }
                Entry::Sampled(sample) => accounting.round_trips.sampled(sample),
                Entry::Crossed(crossing) => accounting.round_trips.crossed(crossing),
                Entry::Noticed(pairs, notice) => accounting.watch.noticed(*pairs, notice),
                Entry::Missed(pair) => accounting.watch.missed(*pair),
                Entry::SameClient([place, first]) => accounting.accounts.is_same(*place, *first),
                Entry::WaitedElsewhere(client, wait) => {
                    accounting.waited_elsewhere(*client, **wait);
                }
                Entry::Settle(now) => accounting.accounts.settle(*now),
                Entry::Stalled(stall) => accounting.stalled(stall),
                Entry::Late(late) => accounting.accounts.late(*late),
                Entry::ClockSet(seam, unsure) => {
                    accounting.accounts.clock_was_set(*seam, *unsure);
                }
                of_a_request => {
                    if let Some(case) = cases.next() {
                        of_a_request.enter(case.case(), accounting);
                        if matches!(of_a_request, Entry::Ends(..)) {
                            accounting.ended.keep(case.case());
                        }
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
            Self::Ends(wait, at, outstanding) => {
                let wait = wait.of(case);
                accounting.ends(&wait, *at, outstanding.as_ref());
            }
            Self::Closed(payer, buffer) => accounting.is_closed(case, *payer, *buffer),
            Self::Happens(wait, event, frame) => {
                accounting.happens(wait.of(case), *event, *frame);
            }
            Self::TookBack => accounting.watch.took_back(case),
            Self::GaveBack => accounting.watch.gave_back(case),
            Self::Begins(_)
            | Self::SameClient(_)
            | Self::ClosedAsTold(..)
            | Self::Sampled(_)
            | Self::Stalled(_)
            | Self::Late(_)
            | Self::Crossed(_)
            | Self::Noticed(..)
            | Self::Missed(_)
            | Self::Settle(_)
            | Self::WaitedElsewhere(..)
            | Self::ClockSet(..) => {}
        }
    }
}

impl EndedCases {
    /// Keeps what this was when its wait ended.
    fn keep(&mut self, case: Case<'_>) {
        if self.slots.is_empty() {
            self.slots
                .resize_with(slot(SLOTS - 1) + 1, Default::default);
        }
        self.slots[slot(case.transaction.number)].become_copy(case);
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut EnteredCase> {
        let slot = self.slots.get_mut(slot(number))?;
        Some(slot).filter(|case| case.0.number == number)
    }
}

impl EnteredCase {
    const fn case(&self) -> Case<'_> {
        let Self(transaction, parties) = self;
        Case {
            transaction,
            parties,
        }
    }

    fn become_copy(&mut self, case: Case<'_>) {
        self.0.copy_unnamed(case.transaction);
        self.1 = *case.parties;
    }
}

impl NewWait for EnteredNewWait {
    fn number(&self) -> u64 {
        self.number
    }

    fn client(&self) -> &Endpoint {
        &self.client
    }

    fn server(&self) -> &Endpoint {
        &self.server
    }

    fn carrier(&self) -> Name {
        self.carrier
    }

    fn places(&self) -> NewWaitPlaces {
        self.places
    }

    fn began(&self) -> Timestamp {
        self.began
    }

    fn anyone(&self) -> bool {
        self.anyone
    }

    fn asked(&self) -> Option<AskedRange> {
        self.asked
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::parties::Directory;
    use crate::symptoms::testing::{at, transaction};
    use wirewait_wire::Kind;

    /// What is entered of a request: its number, and whether it changed between the end of its wait and its closing.
    type Told = (u64, bool);

    /// The requests of which these numbers are, entered in the order of a pipe: begun, answered and closed in turns.
    /// What is known in the end, and how many were closed as told.
    fn known(requests: &[Told], entered: bool) -> (String, usize) {
        let mut directory = Directory::new(16);
        let mut accounting = Accounting::new(&Settings::default());
        accounting.recording = true;
        let mut batch = EntryBatch::default();
        let mut asked: Vec<(Transaction, Parties)> = Vec::new();
        for (number, _) in requests {
            let from = i64::try_from(*number).unwrap() * 10;
            let mut t = transaction(*number, Kind::Read, from, from + 5);
            t.data_bytes = number * 100;
            let mut parties = Parties::UNKNOWN;
            directory.meet(&t, &mut parties);
            asked.push((t, parties));
        }
        let account = (Payer::Tie, Some(4096));
        for (t, parties) in &asked {
            let wait = wait(t, parties);
            match entered {
                true => batch.begins(&wait),
                false => accounting.begins(&wait),
            }
        }
        for (t, parties) in &asked {
            let (wait, end) = (wait(t, parties), t.response.unwrap().last.at);
            match entered {
                true => batch.ends(&wait, end, None),
                false => accounting.ends(&wait, end, None),
            }
        }
        for ((t, parties), (_, changed)) in asked.iter_mut().zip(requests) {
            // An acknowledgement is counted in any case.
            (t.frames.ack, t.share) = (7, 77);
            if *changed {
                t.copies = 3;
            }
            let case = Case {
                transaction: t,
                parties,
            };
            match entered {
                true => batch.closed(case, !changed, account),
                false => accounting.is_closed(case, account.0, account.1),
            }
        }
        let as_told = |entry: &&Entry| matches!(entry, Entry::ClosedAsTold(..));
        let as_told = batch.entries.iter().filter(as_told).count();
        accounting.enter_all(&mut batch);
        accounting.post();
        let rows = accounting.ledgers(&directory);
        let records = accounting.take_batch(Default::default());
        (format!("{rows:?} {records:?}"), as_told)
    }

    fn wait<'a>(transaction: &'a Transaction, parties: &'a Parties) -> Wait<'a> {
        Wait {
            case: Case {
                transaction,
                parties,
            },
            began: at(0),
            anyone: false,
            repeated: None,
        }
    }

    #[test]
    fn what_is_closed_as_told_is_known_as_if_told_again() {
        let next = SLOTS + 1;
        // The first and the last of these share a slot; the one between changed.
        let requests = [(1, false), (2, true), (3, false), (next, false)];
        let (entered, as_told) = known(&requests, true);
        assert_eq!(as_told, 2, "neither who lost its slot, nor who changed");
        assert_eq!(entered, known(&requests, false).0);
        let others = [(1, false), (2, false), (3, false), (next, false)];
        assert_ne!(entered, known(&others, false).0, "a change shows");
    }
}
