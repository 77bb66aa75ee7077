//! The latest transactions.

use std::collections::VecDeque;
use std::sync::Arc;
use wirewait::Transaction;

/// Keeps the latest of them, and counts those that are forgotten.
#[derive(Debug)]
pub(super) struct Log {
    most: usize,
    kept: VecDeque<Transaction>,
    forgotten: u64,
    /// What was handed out, as long as it is still so.
    shared: Option<Arc<Vec<Transaction>>>,
}

impl Log {
    /// Keeps at most `most` transactions.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            kept: VecDeque::new(),
            forgotten: 0,
            shared: None,
        }
    }

    pub(super) fn push(&mut self, transaction: &Transaction) {
        self.shared = None;
        self.kept.push_back(transaction.clone());
        if self.kept.len() > self.most {
            self.kept.pop_front();
            self.forgotten += 1;
        }
    }

    /// How many were forgotten.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// All that are kept, the oldest first.
    pub(super) fn shared(&mut self) -> Arc<Vec<Transaction>> {
        let kept = &self.kept;
        let share = || Arc::new(kept.iter().cloned().collect());
        Arc::clone(self.shared.get_or_insert_with(share))
    }

    /// The one with this number.
    pub(super) fn find(&self, number: u64) -> Option<&Transaction> {
        self.kept.iter().rev().find(|t| t.number == number)
    }

    /// The latest one of this conversation.
    pub(super) fn find_conversation(&self, number: u64) -> Option<&Transaction> {
        self.kept.iter().rev().find(|t| t.conversation == number)
    }
}
