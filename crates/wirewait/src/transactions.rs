//! Transactions one after the other, for a loop of the program's own.

use crate::{Engine, Progress, Sink, Snapshot, Source, SourceError, SourceErrorKind, Transaction};
use std::collections::VecDeque;

/// The transactions of a source in the order in which they close: [`Engine::transactions`].
///
/// Damage to the input is an item, and what is behind it follows; after any other error only the
/// transactions that were still open do. At most the transactions that some thousand frames close are held, and at the end those
/// that are still open.
#[derive(Debug)]
pub struct Transactions<S> {
    engine: Engine<S>,
    items: Items,
    over: bool,
}

impl<S: Source> Engine<S> {
    /// The transactions of the source, one after the other.
    ///
    /// ```
    /// use wirewait::{Engine, Finding, Settings, Source, SourceError, Verdict};
    ///
    /// fn slowest(source: impl Source) -> Result<(Option<i64>, Finding), SourceError> {
    ///     let mut slowest = None;
    ///     let mut transactions = Engine::new(source, Settings::default()).transactions();
    ///     for transaction in &mut transactions {
    ///         slowest = slowest.max(transaction?.turnaround.exact());
    ///     }
    ///     let (snapshot, _source) = transactions.finish();
    ///     Ok((slowest, Verdict::on(&snapshot).finding))
    /// }
    /// ```
    #[must_use]
    pub fn transactions(self) -> Transactions<S> {
        Transactions {
            engine: self,
            items: Items::default(),
            over: false,
        }
    }
}

impl<S: Source> Transactions<S> {
    /// The figures of what was read, and the source. Requests that still wait, because the loop
    /// ended before the source did, are closed as at its end.
    pub fn finish(self) -> (Snapshot, S) {
        // What is closed stays closed: a second end changes nothing.
        self.engine.finish(&mut ())
    }
}

impl<S: Source> Iterator for Transactions<S> {
    type Item = Result<Transaction, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.items.0.is_empty() && !self.over {
            let progress = self.engine.step(&mut self.items);
            self.over = match progress {
                Ok(progress) => progress == Progress::End,
                Err(error) => {
                    let over = error.kind != SourceErrorKind::Damaged;
                    self.items.0.push_back(Err(error));
                    over
                }
            };
            if self.over {
                self.engine.driver.finish(&mut self.items);
            }
        }
        self.items.0.pop_front()
    }
}

/// What was not taken yet.
#[derive(Debug, Default)]
struct Items(VecDeque<Result<Transaction, SourceError>>);

impl Sink for Items {
    fn transaction(&mut self, transaction: &Transaction) {
        self.0.push_back(Ok(transaction.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::tests::Fake;

    #[test]
    fn damage_is_an_item_and_what_is_behind_it_counts() {
        let mut source = Fake::new(10_000);
        source.damaged_before = vec![0, 5000];
        let mut transactions = Engine::new(source, Settings::default()).transactions();
        let errors: Vec<_> = transactions.by_ref().map(Result::unwrap_err).collect();
        assert_eq!(errors.len(), 2);
        assert_eq!(transactions.finish().0.capture.frames, 10_000);
    }

    #[test]
    fn nothing_is_read_behind_what_cannot_be() {
        let mut source = Fake::new(10_000);
        source.damaged_before = vec![5000];
        source.kind = SourceErrorKind::Unreadable;
        let mut transactions = Engine::new(source, Settings::default()).transactions();
        assert!(transactions.next().is_some_and(|item| item.is_err()));
        assert!(transactions.next().is_none());
        assert_eq!(transactions.finish().0.capture.frames, 5000);
    }
}
