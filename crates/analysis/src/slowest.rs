//! The slowest transactions.

use crate::Transaction;
use wirewait_wire::Kind;

/// The slowest transactions that were answered and did not wait by design, the slowest first.
pub(crate) struct Slowest {
    kept: Vec<Transaction>,
    most: usize,
    /// What takes longer is among them.
    beyond: i64,
}

impl Slowest {
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            most,
            beyond: i64::MIN,
        }
    }

    /// A transaction that took so long is closed.
    pub(crate) fn closed(&mut self, t: &Transaction, ns: i64) {
        // Most are faster than those that are kept.
        if ns > self.beyond && t.kind != Kind::Wait {
            self.keep(ns, t);
        }
    }

    pub(crate) fn kept(&self) -> Vec<Transaction> {
        self.kept.clone()
    }

    #[inline(never)]
    fn keep(&mut self, ns: i64, t: &Transaction) {
        let longer = |s: &Transaction| s.response_time_ns().unwrap_or(0) >= ns;
        let at = self.kept.partition_point(longer);
        if at < self.most {
            self.kept.truncate(self.most.saturating_sub(1));
            self.kept.insert(at, t.clone());
        }
        if self.kept.len() >= self.most {
            let least = self.kept.last().and_then(Transaction::response_time_ns);
            self.beyond = least.unwrap_or(i64::MAX);
        }
    }
}
