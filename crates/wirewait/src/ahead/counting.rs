//! Statistics that have no thread of their own: a thread that has to wait for the other one counts meanwhile. Which of two
//! has more to do differs from capture to capture.

use super::BATCHES;
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use wirewait_model::records::RecordBatch;
use wirewait_stats::Collectors;

/// Records that wait to be counted, in their order, and who counts them.
pub(super) struct SharedCounting<'a> {
    /// Held by the thread that counts; it takes the next batch only then, so that all are counted in order.
    statistics: Mutex<&'a mut Collectors>,
    waiting: Mutex<VecDeque<RecordBatch>>,
    /// The room of those that were counted.
    rooms: Mutex<Vec<RecordBatch>>,
}

impl<'a> SharedCounting<'a> {
    pub(super) fn of(statistics: &'a mut Collectors) -> Self {
        Self {
            statistics: Mutex::new(statistics),
            waiting: Mutex::default(),
            rooms: Mutex::default(),
        }
    }

    /// The next batch is what `fill` makes in this room. Where too many wait, who hands it over counts.
    pub(super) fn hand(&self, fill: impl FnOnce(RecordBatch) -> RecordBatch) {
        let room = locked(&self.rooms).pop();
        let batch = fill(room.unwrap_or_default());
        let waiting = {
            let mut waiting = locked(&self.waiting);
            waiting.push_back(batch);
            waiting.len()
        };
        if waiting > BATCHES {
            self.count(&mut locked(&self.statistics));
        }
    }

    /// Counts all that waits.
    pub(super) fn finish(&self) {
        while self.count(&mut locked(&self.statistics)) {}
    }

    /// Counts the next batch, if one waits and no other thread counts. Whether it did.
    fn helps(&self) -> bool {
        match self.statistics.try_lock() {
            Ok(mut statistics) => self.count(&mut statistics),
            Err(TryLockError::Poisoned(poisoned)) => self.count(&mut poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => false,
        }
    }

    fn count(&self, statistics: &mut Collectors) -> bool {
        let Some(mut batch) = locked(&self.waiting).pop_front() else {
            return false;
        };
        statistics.batch(&batch);
        batch.clear();
        locked(&self.rooms).push(batch);
        true
    }
}

/// The next of these; as long as there is none, records are counted.
pub(super) fn next<T>(of: &Receiver<T>, shared: Option<&SharedCounting<'_>>) -> Option<T> {
    loop {
        match of.try_recv() {
            Ok(next) => return Some(next),
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {
                if !shared.is_some_and(SharedCounting::helps) {
                    return of.recv().ok();
                }
            }
        }
    }
}

/// Who panicked while it had it is joined, and goes on panicking there.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
