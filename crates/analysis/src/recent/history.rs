//! The last seconds, to be asked.

use super::SECOND_NS;
use super::second::{Captured, Second};
use super::tally::{Of, RecentParties, Tally};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use wirewait_wire::Timestamp;

/// The last seconds of a capture as they stood at one moment. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Number of the first second, counted from 1970.
    pub(super) first: i64,
    pub(super) seconds: VecDeque<Arc<Second>>,
    pub(super) ended: bool,
    /// The first moment of these seconds that the capture has, and the latest.
    pub(super) span: Option<(Timestamp, Timestamp)>,
    pub(super) missed: Missed,
}

/// What is not in a [`History`] since the capture began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missed {
    /// Times that something was not counted for a server, an operation, a client or a
    /// conversation because there were too many in that second.
    pub rows: u64,
    /// Transactions and notices of seconds that were over long ago.
    pub late: u64,
    /// Frames of seconds that were over long ago.
    pub frames: u64,
    /// Seconds that were given up early because they took too much memory.
    pub seconds: u64,
    /// Times that the clock stepped back so far that everything was forgotten.
    pub restarts: u64,
}

/// Some seconds in a row.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a> {
    history: &'a History,
    from: usize,
    to: usize,
}

impl History {
    /// The last complete seconds, `seconds` of them or as many as there are. The one under way is
    /// not among them, so that a rate is not too low.
    #[must_use]
    pub fn last(&self, seconds: u32) -> Window<'_> {
        let to = self.seconds.len().saturating_sub(usize::from(!self.ended));
        Window {
            history: self,
            from: to.saturating_sub(seconds as usize),
            to,
        }
    }

    /// All seconds that are kept, with the one under way.
    #[must_use]
    pub fn whole(&self) -> Window<'_> {
        Window {
            history: self,
            from: 0,
            to: self.seconds.len(),
        }
    }

    /// What is not in it.
    #[must_use]
    pub fn missed(&self) -> Missed {
        self.missed
    }

    /// The latest second.
    pub(super) fn latest(&self) -> Option<i64> {
        let last = self.seconds.len().checked_sub(1)?;
        Some(self.first.saturating_add(i64::try_from(last).ok()?))
    }

    /// A moment in the latest second.
    pub(super) fn running(&self) -> Option<Timestamp> {
        Some(Timestamp::from_nanos(
            self.latest()?.saturating_mul(SECOND_NS),
        ))
    }
}

impl<'a> Window<'a> {
    /// How many seconds it has.
    #[must_use]
    pub fn seconds(&self) -> u32 {
        u32::try_from(self.to - self.from).unwrap_or(u32::MAX)
    }

    /// When the first of them begins.
    #[must_use]
    pub fn begins(&self) -> Timestamp {
        let from = i64::try_from(self.from).unwrap_or(i64::MAX);
        let first = self.history.first.saturating_add(from);
        Timestamp::from_nanos(first.saturating_mul(SECOND_NS))
    }

    /// When the last of them ends.
    #[must_use]
    pub fn ends(&self) -> Timestamp {
        self.begins()
            .plus(i64::from(self.seconds()).saturating_mul(SECOND_NS))
    }

    /// How much of them the capture has, ns: from its first frame, up to now or its last one.
    #[must_use]
    pub fn elapsed_ns(&self) -> i64 {
        let (begins, ends) = (self.begins(), self.ends());
        let (from, to) = match self.history.span {
            Some((first, latest)) => (begins.max(first), ends.min(latest)),
            None => (begins, ends),
        };
        to.since(from).max(0)
    }

    /// So much in all of them, by the second of [what the capture has](Self::elapsed_ns), in thousandths, rounded
    /// down; `None` without time.
    #[must_use]
    pub fn per_second(&self, n: u64) -> Option<u64> {
        let elapsed = u128::from(self.elapsed_ns().unsigned_abs());
        let rate =
            (u128::from(n) * 1000 * SECOND_NS.unsigned_abs() as u128).checked_div(elapsed)?;
        Some(u64::try_from(rate).unwrap_or(u64::MAX))
    }

    /// Frames of one interface, or of all.
    #[must_use]
    pub fn captured(&self, interface: Option<u32>) -> Captured {
        let mut sum = Captured::default();
        self.captured_each(interface).for_each(|one| sum += one);
        sum
    }

    /// Frames of one interface, or of all, second by second.
    pub fn captured_each(&self, interface: Option<u32>) -> impl Iterator<Item = Captured> + 'a {
        self.each_second().map(move |second| {
            let mut sum = Captured::default();
            match interface {
                Some(at) => {
                    sum += second
                        .captured
                        .get(at as usize)
                        .copied()
                        .unwrap_or_default()
                }
                None => second.captured.iter().for_each(|one| sum += *one),
            }
            sum
        })
    }

    /// What was counted of this.
    #[must_use]
    pub fn tally(&self, of: &Of) -> Tally {
        let mut sum = Tally::default();
        for one in self.each(of).flatten() {
            sum.merge(one);
        }
        sum
    }

    /// What was counted of this, second by second; `None` where nothing happened to it.
    pub fn each(&self, of: &Of) -> impl Iterator<Item = Option<&'a Tally>> + 'a {
        let of = *of;
        self.each_second().map(move |second| second.row(&of))
    }

    /// Everything of this kind to which something happened, and what was counted of it.
    pub fn rows(&self, kind: impl Fn(&Of) -> bool) -> BTreeMap<Of, Tally> {
        let mut sums = BTreeMap::<Of, Tally>::new();
        for second in self.each_second() {
            for (of, tally) in second.rows().filter(|(of, _)| kind(of)) {
                sums.entry(*of).or_default().merge(tally);
            }
        }
        sums
    }

    /// Who talks in the conversations, as far as transactions show it.
    #[must_use]
    pub fn parties(&self) -> BTreeMap<u64, RecentParties> {
        let seconds = self.each_second();
        seconds
            .flat_map(|second| second.parties.iter().copied())
            .collect()
    }

    fn each_second(&self) -> impl Iterator<Item = &'a Second> + 'a {
        let seconds = self.history.seconds.range(self.from..self.to);
        seconds.map(AsRef::as_ref)
    }
}
