//! Requests of whose response there was nothing when the capture ended.

use crate::{Flags, Transaction};
use wirewait_wire::{Kind, Timestamp};

/// A whole request of whose response nothing had come when the capture ended: what became of it nobody knows, and its time is unknown. The
/// one that was open for longest.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unfinished {
    /// The request.
    pub request: Transaction,
    /// For how long it was open: from its first frame to the last one of the capture, ns.
    pub open_ns: i64,
    /// Its server's transport had acknowledged all of it in a frame of its own.
    pub arrived: bool,
    /// How many such requests there were.
    pub count: u64,
}

impl Unfinished {
    /// The only one.
    #[must_use]
    pub const fn new(request: Transaction, open_ns: i64, arrived: bool) -> Self {
        Self {
            request,
            open_ns,
            arrived,
            count: 1,
        }
    }
}

/// Finds it.
#[derive(Default)]
pub(crate) struct OpenAtEnd {
    longest: Option<Box<(Transaction, bool)>>,
    count: u64,
}

impl OpenAtEnd {
    /// The capture ended before this one had a response; whether its server has it.
    #[cold]
    #[inline(never)]
    pub(crate) fn met(&mut self, t: &Transaction, arrived: bool) {
        // A response that the capture lost may have been there, and a time over a step of the clock means nothing.
        let untold = [Flags::ONE_SIDED, Flags::CAPTURE_LOSS, Flags::CLOCK_STEP];
        let by_design = matches!(t.kind, Kind::Wait | Kind::Break);
        if by_design || t.everyone || untold.iter().any(|flag| t.flags.contains(*flag)) {
            return;
        }
        self.count = self.count.saturating_add(1);
        let began = |t: &Transaction| t.request.map(|request| request.first.at);
        let earlier = |longest: &(Transaction, bool)| began(&longest.0) <= began(t);
        if !self.longest.as_deref().is_some_and(earlier) {
            self.longest = Some(Box::new((t.clone(), arrived)));
        }
    }

    /// The longest, of a capture that ended then.
    pub(crate) fn found(&self, end: Option<Timestamp>) -> Option<Unfinished> {
        let (request, arrived) = self.longest.as_deref()?;
        let began = request.request?.first.at;
        Some(Unfinished {
            request: request.clone(),
            open_ns: end?.since(began).max(0),
            arrived: *arrived,
            count: self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symptoms::testing::unanswered;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn the_one_that_was_open_for_longest_is_kept() {
        let mut open = OpenAtEnd::default();
        assert!(open.found(Some(at(0))).is_none());
        for (number, asked) in [(1, 30), (2, 10), (3, 20)] {
            open.met(&unanswered(number, Kind::Read, asked), number == 2);
        }
        for kind in [Kind::Wait, Kind::Break] {
            open.met(&unanswered(4, kind, 1), true);
        }
        for flag in [Flags::ONE_SIDED, Flags::CAPTURE_LOSS, Flags::CLOCK_STEP] {
            let mut untold = unanswered(5, Kind::Read, 1);
            untold.flags.set(flag);
            open.met(&untold, true);
        }
        let began = unanswered(2, Kind::Read, 10).request.unwrap().first.at;
        let found = open.found(Some(began.plus(7_000))).unwrap();
        assert_eq!((found.request.number, found.open_ns), (2, 7_000));
        assert_eq!((found.arrived, found.count), (true, 3));
        let before = open.found(Some(began.plus(-1))).unwrap();
        assert_eq!(before.open_ns, 0, "no time is below zero");
    }
}
