//! Where in files operations go: on from the one before or elsewhere, and over what was read
//! or written before.

use super::row::Accesses;
use crate::bounds::{Bound, Hits};
use crate::case::{AskedRange, Case};
use crate::column::Column;
use crate::position::Position;
use crate::table::TablePlace;
use std::collections::VecDeque;
use wirewait_wire::Kind;

/// Stretches of a file that are remembered of each handle, once for reads and once for
/// writes. When there are more the one that was touched first is forgotten.
const STRETCHES: usize = 32;

/// Bytes of a file, some of them; neighbours are joined. In the order of their last touch.
#[derive(Default)]
struct Stretches(Vec<(u64, u64)>);

impl Stretches {
    /// How many bytes from `from` to before `to` are among them.
    fn overlap(&self, (from, to): (u64, u64)) -> u64 {
        let common = |s: &(u64, u64)| s.1.min(to).saturating_sub(s.0.max(from));
        self.0.iter().map(common).sum()
    }

    fn add(&mut self, (mut from, mut to): (u64, u64), hits: &mut Hits) {
        if from >= to {
            return;
        }
        if let [only] = self.0.as_mut_slice()
            && only.0 <= from
            && from <= only.1
        {
            // On from where the one before ended, as nearly always.
            only.1 = only.1.max(to);
            return;
        }
        self.0.retain(|s| {
            let apart = s.1 < from || to < s.0;
            if !apart {
                (from, to) = (from.min(s.0), to.max(s.1));
            }
            apart
        });
        // What it was joined with may reach others, but those had been joined before.
        if self.0.len() >= STRETCHES {
            hits.hit(Bound::Stretches);
            self.0.remove(0);
        }
        self.0.push((from, to));
    }
}

/// One kind of operation on one handle.
#[derive(Default)]
struct AccessCourse {
    position: Position,
    /// The latest, by its number, if it is not closed: whether it goes on where the one before ended.
    latest: Option<(u64, bool)>,
    /// Others that are not closed.
    earlier: VecDeque<(u64, bool)>,
    done: Stretches,
}

impl AccessCourse {
    /// Whether the one with this number goes on where the one before ended, if that is known. It is closed.
    #[inline]
    fn take(&mut self, number: u64) -> Option<(u64, bool)> {
        match self.latest {
            Some((latest, _)) if latest == number => self.latest.take(),
            _ if self.earlier.is_empty() => None,
            _ => self.take_earlier(number),
        }
    }

    #[cold]
    fn take_earlier(&mut self, number: u64) -> Option<(u64, bool)> {
        let at = self
            .earlier
            .iter()
            .position(|(known, _)| *known == number)?;
        self.earlier.remove(at)
    }
}

#[derive(Default)]
struct AccessHandle {
    reads: AccessCourse,
    writes: AccessCourse,
}

/// The handles of all conversations.
pub(super) struct Handles {
    handles: Column<AccessHandle>,
    pub(super) hits: Hits,
}

impl Handles {
    pub(super) const fn new() -> Self {
        Self {
            handles: Column::new(),
            hits: Hits::NONE,
        }
    }

    /// A read or write is asked for.
    #[inline(always)]
    pub(super) fn asked(&mut self, number: u64, asked: &AskedRange) {
        if let Some(course) = self.course(asked.handle, asked.kind)
            && let Some(sequential) = course.position.asked(asked.offset, asked.bytes)
        {
            let latest = Some((number, sequential));
            if let Some(earlier) = std::mem::replace(&mut course.latest, latest) {
                course.earlier.push_back(earlier);
            }
        }
    }

    /// Its response is complete: where it is shorter than what was asked for, the next one may go on behind
    /// what came.
    #[inline]
    pub(super) fn got(&mut self, case: Case<'_>) {
        let t = case.transaction;
        if t.data_bytes != t.asked_bytes {
            self.got_less(case);
        }
    }

    #[inline(never)]
    fn got_less(&mut self, case: Case<'_>) {
        let t = case.transaction;
        let offset = t.file.and_then(|file| file.offset);
        if let (Some(offset), Some(handle)) = (offset, case.placed_handle())
            && let Some(course) = self.course(handle, t.kind)
        {
            course.position.got(offset, t.asked_bytes, t.data_bytes);
        }
    }

    /// It is closed. Of one that is `answered`, whether it goes on where the one before ended, if that
    /// is known, and how much of it was read or written before.
    pub(super) fn closed(&mut self, case: Case<'_>, answered: bool, accesses: &mut Accesses) {
        let t = case.transaction;
        let Some(offset) = t.file.and_then(|file| file.offset) else {
            return;
        };
        let Some(place) = case.placed_handle() else {
            return;
        };
        let handle = self.handles.of(place);
        let (own, other) = match t.kind {
            Kind::Read => (&mut handle.reads, &handle.writes),
            _ => (&mut handle.writes, &handle.reads),
        };
        let placed = own.take(t.number);
        if !answered {
            return;
        }
        if let Some((_, sequential)) = placed {
            accesses.placed = 1;
            accesses.random = u64::from(!sequential);
        }
        let stretch = (offset, offset.saturating_add(t.data_bytes));
        accesses.again_bytes = own.done.overlap(stretch);
        accesses.crossed_bytes = other.done.overlap(stretch);
        own.done.add(stretch, &mut self.hits);
    }

    /// Its number may stand for another file from now on.
    #[cold]
    #[inline(never)]
    pub(super) fn forget(&mut self, case: Case<'_>) {
        if let Some(handle) = case.placed_handle() {
            self.handles.take(handle);
        }
    }

    fn course(&mut self, handle: TablePlace, kind: Kind) -> Option<&mut AccessCourse> {
        let handle = self.handles.of(handle);
        match kind {
            Kind::Read => Some(&mut handle.reads),
            Kind::Write => Some(&mut handle.writes),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parties::{Directory, Parties};
    use crate::symptoms::testing::transaction;
    use proptest::prelude::*;
    use wirewait_wire::File;

    #[test]
    fn neighbours_are_joined_and_only_so_many_are_kept() {
        let mut s = Stretches::default();
        let hits = &mut Hits::default();
        s.add((0, 10), hits);
        s.add((20, 30), hits);
        s.add((10, 20), hits);
        assert_eq!(s.0, [(0, 30)]);
        assert_eq!(s.overlap((25, 35)), 5);
        for n in 1..=STRETCHES as u64 {
            s.add((n * 100, n * 100 + 1), hits);
        }
        assert_eq!(s.0.len(), STRETCHES);
        assert_eq!(s.overlap((0, 30)), 0, "touched first, forgotten first");
    }

    proptest! {
        #[test]
        fn overlap_is_that_of_the_bytes(
            stretches in prop::collection::vec((0..200u64, 0..20u64), 0..30),
            from in 0..200u64,
            length in 0..50u64,
        ) {
            let mut s = Stretches::default();
            let mut bytes = std::collections::BTreeSet::new();
            for (from, n) in stretches {
                s.add((from, from + n), &mut Hits::default());
                bytes.extend(from..from + n);
            }
            let wanted = from..from + length;
            let expected = bytes.range(wanted.clone()).count() as u64;
            prop_assert_eq!(s.overlap((wanted.start, wanted.end)), expected);
        }
    }

    impl crate::efficiency::Spending {
        /// Two stretches of a file more are read than are remembered.
        pub(crate) fn overrun() -> Hits {
            let mut handles = Handles::new();
            let mut directory = Directory::new(16);
            for n in 0..STRETCHES as u64 + 2 {
                let mut t = transaction(1, Kind::Read, 0, 1);
                t.file = Some(File {
                    handle: 7,
                    offset: Some(n * 100_000),
                });
                t.data_bytes = 1000;
                let mut parties = Parties::UNKNOWN;
                directory.meet(&t, &mut parties);
                let case = Case {
                    transaction: &t,
                    parties: &parties,
                };
                handles.closed(case, true, &mut Accesses::default());
            }
            handles.hits
        }
    }
}
