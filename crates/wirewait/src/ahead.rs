//! Threads by role. One reads frames, decompresses them, looks at their layers, and counts how full
//! the segment is, ahead of the one that puts them in order and pairs. Behind that, one keeps the account of time, symptoms and
//! efficiency, and one makes the statistics of what it records. With three threads the last two
//! roles share one; with two, one has all but the pairing. Where accounts cannot be lent, they stay with
//! the pairing. Statistics that have no thread of their own are made by the thread that has nothing else to do. Frames, damage, what was left out,
//! entries and records come in the same order as with one thread, so that the same comes out.

mod counting;
mod reading;

use crate::driver::Feed;
use crate::{Choice, Driver, Engine, Standing};
use counting::SharedCounting;
use reading::{Batch, Reader};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};
use wirewait_analysis::{Accounting, Analyzer, EntryBatch, Look, Sink};
use wirewait_model::records::RecordBatch;
use wirewait_stats::Collectors;
use wirewait_wire::{Frame, Source};

/// Threads that have something to do at most.
pub const MOST_THREADS: usize = 4;

/// Batches of frames under way at most: one that is filled, one that is analysed, and some
/// between; of entries and of records likewise.
const BATCHES: usize = 4;

impl<S: Source + Send> Engine<S> {
    /// As [`Engine::run`], on `threads` threads, [`MOST_THREADS`] at most: the others read ahead,
    /// keep accounts and make the statistics; `choose` is called there. What comes out is the same. Where
    /// the system starts no further thread, one does it all.
    ///
    /// # Errors
    /// The first error of `between`, which ends the run. Of frames that were read ahead by then it is only
    /// counted how full they made the segment.
    pub fn run_on<K: Sink, E>(
        &mut self,
        threads: usize,
        choose: &mut (impl FnMut(&Frame<'_>) -> Choice + Send),
        sink: &mut K,
        watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
        between: &mut impl FnMut(Standing, &mut K) -> Result<(), E>,
    ) -> Result<(), E> {
        if threads < 2 {
            return self.run(choose, sink, watch, between);
        }
        let Driver {
            feed, statistics, ..
        } = &mut self.driver;
        let mut intake = feed.analyzer.intake_counting();
        let reader = Reader {
            source: &mut self.source,
            choose: &mut *choose,
            intake: &mut intake,
            silence: &mut self.silence,
            last: feed.analyzer.latest_stamp(),
            met: feed.met,
        };
        // What is lent comes back whatever happens.
        let mut accounting = feed.analyzer.lend();
        let (full, read) = sync_channel(BATCHES);
        let lent = accounting.is_some();
        let (entered, entry_rooms) = rooms::<EntryBatch>();
        let (counted, record_rooms) = rooms::<RecordBatch>();
        // Who has a thread of its own for it shares it with nobody.
        let (shared, own) = match lent && threads < MOST_THREADS {
            true => (Some(SharedCounting::of(statistics)), None),
            false => (None, Some((statistics, counted))),
        };
        let ran = thread::scope(|scope| {
            let shared = shared.as_ref();
            let mut first = Worker {
                reading: Some((reader, full)),
                accounting: accounting.as_mut().map(|accounting| Accountant {
                    accounting,
                    entered,
                    records: None,
                }),
                counting: own,
                shared,
            };
            let (reads, to_read) = channel();
            let mut behind = reads.clone();
            let mut beside = Vec::new();
            let mut record_rooms = Some(record_rooms);
            // The last roles get threads of their own first.
            if threads > 3
                && let Some(accountant) = &mut first.accounting
                && let Some(rooms) = record_rooms.take()
            {
                let (work, to_do) = channel();
                accountant.records = Some(Handover { work, rooms });
                let last = first.relieved(false);
                beside.push(last.start("statistics", to_do, scope)?);
            }
            if threads > 2 {
                let (work, to_do) = channel();
                behind = work;
                let second = first.relieved(true);
                beside.push(second.start("accounts", to_do, scope)?);
            }
            beside.push(first.start("reader", to_read, scope)?);
            let handover = match record_rooms {
                Some(rooms) if !lent => PairingHandover::Records(Handover {
                    work: behind,
                    rooms,
                }),
                _ => PairingHandover::Entries(Handover {
                    work: behind,
                    rooms: entry_rooms,
                }),
            };
            let mut pairing = Pairing {
                feed,
                handover,
                shared,
            };
            let outcome = pairing.run(&reads, &read, (sink, watch, between));
            // The workers end where nobody sends work.
            drop((reads, read, pairing));
            let met = beside.into_iter().filter_map(joined).last();
            Some((outcome, met))
        });
        if let Some(shared) = &shared {
            shared.finish();
        }
        let analyzer = &mut self.driver.feed.analyzer;
        analyzer.intake_over(intake);
        if let Some(accounting) = accounting {
            analyzer.give_back(accounting);
        }
        match ran {
            Some((outcome, met)) => {
                self.driver.feed.met = met.unwrap_or(self.driver.feed.met);
                outcome
            }
            None => self.run(choose, sink, watch, between),
        }
    }
}

/// A channel for the room of batches that were used, with that of all of them.
fn rooms<T: Default>() -> (SyncSender<T>, Receiver<T>) {
    let (used, rooms) = sync_channel(BATCHES);
    for _ in 0..BATCHES {
        // There is room for all of them.
        let _ = used.send(T::default());
    }
    (used, rooms)
}

fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// What a thread is asked for.
enum Work {
    /// Frames, in the room of these.
    Read(Batch),
    /// Accounts of these.
    Enter(EntryBatch),
    /// Statistics of these.
    Count(RecordBatch),
}

/// A thread beside, with one role or more.
struct Worker<'a, S, C> {
    /// To whom it hands frames.
    reading: Option<(Reader<'a, S, C>, SyncSender<Batch>)>,
    accounting: Option<Accountant<'a>>,
    /// To whom it gives back the room of records.
    counting: Option<(&'a mut Collectors, SyncSender<RecordBatch>)>,
    /// Where who has nothing else to do counts.
    shared: Option<&'a SharedCounting<'a>>,
}

/// Who keeps the accounts.
struct Accountant<'a> {
    accounting: &'a mut Accounting,
    /// To whom it gives back the room of entries.
    entered: SyncSender<EntryBatch>,
    /// Where records go that have a thread of their own.
    records: Option<Handover<RecordBatch>>,
}

impl Accountant<'_> {
    /// Enters all of them, and hands on what is recorded.
    fn enter(&mut self, mut entries: EntryBatch, shared: Option<&SharedCounting<'_>>) {
        self.accounting.enter_all(&mut entries);
        // Nobody waits for it at the end.
        let _ = self.entered.send(entries);
        if let Some(records) = &self.records {
            records.hand(|room| Work::Count(self.accounting.take_batch(room)));
        } else if let Some(shared) = shared {
            shared.hand(|room| self.accounting.take_batch(room));
        }
    }
}

impl<S: Source + Send, C: FnMut(&Frame<'_>) -> Choice + Send> Worker<'_, S, C> {
    /// A replacement that takes over the counting and, if it keeps them, the `accounts`.
    fn relieved(&mut self, accounts: bool) -> Self {
        Self {
            reading: None,
            accounting: self.accounting.take_if(|_| accounts),
            counting: self.counting.take(),
            shared: self.shared,
        }
    }

    /// On a thread of its own, where the system starts one.
    fn start<'scope>(
        self,
        name: &str,
        work: Receiver<Work>,
        scope: &'scope Scope<'scope, '_>,
    ) -> Option<ScopedJoinHandle<'scope, Option<u32>>>
    where
        Self: 'scope,
    {
        let builder = thread::Builder::new().name(name.to_owned());
        builder.spawn_scoped(scope, move || self.run(&work)).ok()
    }

    /// Works until nobody asks for more. Gives how many interfaces were asked for their speed.
    fn run(mut self, work: &Receiver<Work>) -> Option<u32> {
        let mut met = self.reading.as_ref().map(|(reader, _)| reader.met);
        while let Some(work) = counting::next(work, self.shared) {
            match work {
                Work::Read(batch) => {
                    if let Some((reader, full)) = &mut self.reading {
                        let (batch, more) = reader.next(batch);
                        met = Some(reader.met);
                        if full.send(batch).is_err() || !more {
                            self.reading = None;
                        }
                    }
                }
                Work::Enter(entries) => {
                    if let Some(accountant) = &mut self.accounting {
                        accountant.enter(entries, self.shared);
                    }
                }
                Work::Count(mut batch) => {
                    if let Some((statistics, counted)) = &mut self.counting {
                        statistics.batch(&batch);
                        batch.clear();
                        // Nobody waits for it at the end.
                        let _ = counted.send(batch);
                    }
                }
            }
        }
        met
    }
}

/// The role of the thread that has the analysis.
struct Pairing<'a> {
    feed: &'a mut Feed,
    handover: PairingHandover,
    shared: Option<&'a SharedCounting<'a>>,
}

/// What it hands on.
enum PairingHandover {
    Entries(Handover<EntryBatch>),
    /// Where the accounts are kept here.
    Records(Handover<RecordBatch>),
}

impl Pairing<'_> {
    fn run<K: Sink, E>(
        &mut self,
        reads: &Sender<Work>,
        read: &Receiver<Batch>,
        (sink, watch, between): (
            &mut K,
            &mut impl FnMut(&Frame<'_>, &Analyzer),
            &mut impl FnMut(Standing, &mut K) -> Result<(), E>,
        ),
    ) -> Result<(), E> {
        for _ in 0..BATCHES {
            // A worker that panicked is joined below.
            let _ = reads.send(Work::Read(Batch::default()));
        }
        while let Some(mut batch) = counting::next(read, self.shared) {
            batch.analyse(self, sink, watch);
            let standing = Standing {
                read: batch.read,
                frames: self.feed.analyzer.number(),
                error: batch.error.take(),
            };
            between(standing, sink)?;
            // Nobody waits for it when all was read.
            let _ = reads.send(Work::Read(batch));
        }
        Ok(())
    }

    fn frame(&mut self, frame: &Frame<'_>, look: &Look, sink: &mut dyn Sink) {
        let analyzer = &mut self.feed.analyzer;
        analyzer.looked(frame, look, sink);
        analyzer.was_behind_silence();
        match &self.handover {
            PairingHandover::Entries(entries) if analyzer.has_entries() => {
                entries.hand(|room| Work::Enter(analyzer.take_entries(room)));
            }
            PairingHandover::Records(records) if analyzer.has_batch() => {
                records.hand(|room| Work::Count(analyzer.take_batch(room)));
            }
            PairingHandover::Entries(_) | PairingHandover::Records(_) => {}
        }
    }
}

/// Where batches go.
struct Handover<T> {
    work: Sender<Work>,
    /// Room of those that were used: as long as there is none, they are too far behind.
    rooms: Receiver<T>,
}

impl<T> Handover<T> {
    #[cold]
    fn hand(&self, fill: impl FnOnce(T) -> Work) {
        if let Ok(room) = self.rooms.recv() {
            let _ = self.work.send(fill(room));
        }
    }
}
