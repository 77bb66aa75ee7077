//! An operation whose slices are like no other, among others that are short.
//!
//! A way delays what it carries without asking what that is. If every open takes long, each time another while, and the
//! reads and closes between them do not, it is the server that takes long to open. Not so where a way wakes up behind
//! a pause, or is slow for a while: what comes first then may always be an open.

use super::super::super::SliceOwner;
use crate::table::TablePlace;

/// A way does not fall asleep in less, ns.
const SOON: u64 = 10_000_000;
/// By chance, this happens once in as many times, as a power of two.
const SURE: u32 = 16;

/// What was seen of the operation with slices that are like no other.
#[derive(Clone, Copy, Debug)]
pub(super) struct OddOperation {
    operation: TablePlace,
    /// Its slices that were like no other, those of them that speak against the way, and the rest.
    long: u32,
    counted: u32,
    short: u32,
    /// Those of other operations that were short or like many, as many of them at the latest that was counted, and the rest.
    others: u32,
    others_then: u32,
    strays: u32,
    /// Slices with lower numbers are counted.
    upto: u32,
    /// What was [found](Self::is) last.
    found: bool,
}

impl OddOperation {
    pub(super) const NONE: Self = Self {
        operation: TablePlace::NOWHERE,
        long: 0,
        counted: 0,
        short: 0,
        others: 0,
        others_then: 0,
        strays: 0,
        upto: 0,
        found: false,
    };

    /// If one more slice of the operation follows others of it that were longer than a steady way: whether that is its own. It
    /// says nothing else.
    #[inline(always)]
    pub(super) fn goes_on(&mut self, number: u32, owner: &SliceOwner, alike: bool) -> Option<bool> {
        if self.upto != number || self.operation != owner.operation {
            return None;
        }
        self.upto = number.wrapping_add(1);
        // After four billion of them they count anew.
        self.long = self.long.wrapping_add(u32::from(!alike));
        self.short = self.short.wrapping_add(u32::from(alike));
        Some(self.found)
    }

    /// The short slices of this operation, if there were any, end before the slice of this number.
    pub(super) fn ran(&mut self, operation: TablePlace, number: u32) {
        let short = number.saturating_sub(self.upto);
        self.upto = number;
        self.steady(operation, short);
    }

    /// The slice of this number is longer than a steady way, and as long as many: its way was as theirs.
    pub(super) fn alike(&mut self, number: u32, owner: &SliceOwner) {
        self.upto = number.saturating_add(1);
        self.steady(owner.operation, 1);
    }

    fn steady(&mut self, operation: TablePlace, slices: u32) {
        let count = match operation == self.operation {
            true => &mut self.short,
            false => &mut self.others,
        };
        *count = count.saturating_add(slices);
    }

    /// The slice of this number is longer than a steady way, and like no other. Its request came `behind` a pause of this
    /// length, ns.
    pub(super) fn longer(&mut self, number: u32, owner: &SliceOwner, behind: u64) {
        self.upto = number.saturating_add(1);
        if self.operation.is_nowhere() {
            *self = Self {
                operation: owner.operation,
                upto: self.upto,
                ..Self::NONE
            };
        }
        if owner.operation != self.operation {
            self.strays = self.strays.saturating_add(1);
            // It was not the first one that is odd.
            if self.strays > self.long {
                *self = Self {
                    upto: self.upto,
                    ..Self::NONE
                };
            }
            return;
        }
        self.long = self.long.saturating_add(1);
        // Several in a row may have met one delay.
        if behind < SOON && self.others > self.others_then {
            (self.counted, self.others_then) = (self.counted.saturating_add(1), self.others);
        }
    }

    /// The numbers of slices are `less` by this from now on.
    pub(super) fn renumber(&mut self, less: u32) {
        self.upto = self.upto.saturating_sub(less);
    }

    /// Whether this operation is the one, and chance does not explain it: at least half of its slices are long. If a way
    /// does that to a part `p` of all, it does so with `n` of up to twice as many with a probability of `(4 p)^n` at most.
    pub(super) fn is(&mut self, operation: TablePlace) -> bool {
        let one_in = self.others.saturating_add(1) / self.strays.saturating_add(1);
        let bits = one_in.checked_ilog2().unwrap_or(0).saturating_sub(2);
        self.found = self.long >= self.short && self.counted.saturating_mul(bits) >= SURE;
        self.found && operation == self.operation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Generation;

    const OPEN: TablePlace = TablePlace::at(1, Generation::MIN);
    const READ: TablePlace = TablePlace::at(2, Generation::MIN);

    fn of(operation: TablePlace) -> SliceOwner {
        SliceOwner {
            operation,
            ..SliceOwner::default()
        }
    }

    /// Slices in a row: opens that take long, each behind a pause, and reads that do not.
    struct Row(OddOperation, u32);

    impl Row {
        fn open(&mut self, behind: u64) {
            if self.0.goes_on(self.1, &of(OPEN), false).is_none() {
                self.0.ran(READ, self.1);
                self.0.longer(self.1, &of(OPEN), behind);
            }
            self.1 += 1;
        }

        fn long_read(&mut self) {
            self.0.ran(READ, self.1);
            self.0.longer(self.1, &of(READ), 0);
            self.1 += 1;
        }

        fn opened(times: u32, reads: u32, behind: u64) -> Self {
            let mut row = Self(OddOperation::NONE, 0);
            for _ in 0..times {
                row.open(behind);
                row.1 += reads;
            }
            row
        }

        fn is(&mut self, operation: TablePlace) -> bool {
            self.0.is(operation)
        }
    }

    #[test]
    fn an_operation_that_alone_is_slow_is_slow_by_itself() {
        assert!(Row::opened(9, 5, 500_000).is(OPEN));
        assert!(!Row::opened(9, 5, 500_000).is(READ));
        assert!(!Row::opened(5, 5, 500_000).is(OPEN), "too few");
        assert!(
            !Row::opened(40, 0, 500_000).is(OPEN),
            "nothing between them"
        );
        assert!(!Row::opened(40, 5, SOON).is(OPEN), "each behind a pause");
    }

    #[test]
    fn opens_in_a_row_may_have_met_one_delay() {
        let mut row = Row::opened(1, 100, 0);
        for _ in 0..40 {
            row.open(0);
        }
        row.1 += 100;
        row.open(0);
        assert!(!row.is(OPEN));
    }

    #[test]
    fn others_that_are_long_speak_for_the_way() {
        let mut row = Row::opened(9, 5, 0);
        assert!(row.is(OPEN));
        for _ in 0..3 {
            row.long_read();
        }
        assert!(!row.is(OPEN));
        let mut row = Row::opened(40, 8, 0);
        row.long_read();
        assert!(row.is(OPEN), "one of 320");
        for _ in 0..40 {
            row.long_read();
        }
        assert!(!row.is(OPEN), "forgotten");
    }

    /// Opens long before reads that are all long: those that are as long as many are none of the opens before.
    #[test]
    fn what_is_as_long_as_many_is_of_its_own_operation() {
        let mut row = Row::opened(1, 4, 0);
        for _ in 0..40 {
            row.0.ran(OPEN, row.1);
            row.0.alike(row.1, &of(READ));
            row.1 += 1;
            row.long_read();
        }
        assert!(
            !row.is(READ),
            "half of them alike, and nothing else between"
        );
        assert!(row.0.others <= 4, "{:?}", row.0);
    }

    #[test]
    fn an_operation_that_is_seldom_slow_may_be_delayed() {
        let mut row = Row::opened(9, 5, 0);
        row.0.ran(READ, row.1);
        row.0.ran(OPEN, row.1 + 9);
        assert!(row.is(OPEN), "half of them");
        row.0.ran(OPEN, row.1 + 10);
        assert!(!row.is(OPEN));
    }
}
