//! What an analysis records for statistics, and what of it is done on another thread.

use super::Analyzer;
use crate::accounting::{Accounting, EntryBatch};
use wirewait_model::records::{Entities, RecordBatch};

impl Analyzer {
    /// Makes records, for statistics. The caller must take them out regularly, since nothing else
    /// bounds how many there are.
    #[must_use]
    pub fn recording(mut self) -> Self {
        self.state.books.record();
        self
    }

    /// Whether there are enough records to take them out.
    #[must_use]
    #[inline]
    pub fn has_batch(&self) -> bool {
        self.state.books.has_batch()
    }

    /// Takes out what was recorded since this was called last, as far as it is in groups that
    /// nothing more comes to, and goes on in the room of `empty`.
    #[must_use]
    pub fn take_batch(&mut self, empty: RecordBatch) -> RecordBatch {
        self.state.books.take_batch(empty)
    }

    /// Takes out all that was recorded since then.
    #[must_use]
    pub fn take_all(&mut self, empty: RecordBatch) -> RecordBatch {
        self.state.books.post();
        self.take_batch(empty)
    }

    /// Who is behind the numbers in records.
    #[must_use]
    pub fn entities(&self) -> &dyn Entities {
        &self.state.books
    }

    /// Lends out the accounts of requests: the account of time, symptoms, efficiency, and what
    /// statistics are made of. It is to post what is [taken out](Analyzer::take_entries) from now on, in its
    /// order, and to be [given back](Analyzer::give_back) before the end, and before any figures are
    /// asked for. `None` where the last seconds are [kept](Analyzer::keeping_course), which need all of it at hand.
    #[must_use]
    pub fn lend(&mut self) -> Option<Accounting> {
        let books = &mut self.state.books;
        if books.accounting.keeps_course() {
            return None;
        }
        books.lent = Some(Box::default());
        let empty = Accounting::new(&self.common.settings);
        Some(std::mem::replace(&mut books.accounting, empty))
    }

    /// Whether there is enough to [take out](Analyzer::take_entries).
    #[must_use]
    #[inline]
    pub fn has_entries(&self) -> bool {
        self.state.books.has_entries()
    }

    /// Takes out what is to be posted to what was [lent](Analyzer::lend), and goes on in the room of `empty`.
    #[must_use]
    pub fn take_entries(&mut self, empty: EntryBatch) -> EntryBatch {
        self.state.books.take_entries(empty)
    }

    /// Takes back what was [lent](Analyzer::lend), to which all was posted that was taken out.
    pub fn give_back(&mut self, accounting: Accounting) {
        let books = &mut self.state.books;
        books.accounting = accounting;
        if let Some(mut entries) = books.lent.take() {
            books.accounting.enter_all(&mut entries);
        }
    }
}
