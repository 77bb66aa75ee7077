//! The open requests of one conversation, in the order in which they were asked.
//!
//! A few are looked through one by one. SMB2 allows 65,535 on a connection: where many are open,
//! an index by identifier, lane, state and deadline finds them, so that no message costs more
//! because others wait.

mod gaps;

use crate::open::{HeldRequest, Open, OpenState};
use gaps::Gaps;
use std::collections::{BTreeSet, VecDeque};
use std::ops::{Index, IndexMut};
use wirewait_wire::{Exchange, Expect, Id, Timestamp};

/// With this many open an index is made.
const MANY: usize = 64;
/// With this few left it goes.
const FEW: usize = 16;

#[derive(Default)]
pub(crate) struct Opens {
    /// By their serial numbers, which only grow.
    list: VecDeque<HeldRequest>,
    lookup: Option<Box<Lookup>>,
    gaps: Gaps,
}

/// Serial numbers of open requests, by what is asked for.
#[derive(Default)]
struct Lookup {
    /// By identifier, and by alias.
    names: BTreeSet<(Id, u64)>,
    lanes: BTreeSet<(Id, u64)>,
    /// Without an identifier, or opaque: found by their order.
    unnamed: BTreeSet<u64>,
    /// Data without a header may follow.
    raw: BTreeSet<u64>,
    /// All that are answered, and perhaps some that wait again.
    done: BTreeSet<u64>,
    /// Every one, by a time before which it does not fall due.
    due: BTreeSet<(Timestamp, u64)>,
    /// All before this one are answered.
    undone: u64,
    /// Not answered, and only their order will tell their answers.
    guessed: BTreeSet<u64>,
    /// By how far their sender had got what the other side sent, of each side; made when some of
    /// that is missing for the first time.
    had: Option<Box<gaps::Had>>,
}

impl Opens {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Closes all, and keeps no more room than a few need.
    pub(super) fn empty(&mut self) {
        self.list.clear();
        if self.list.capacity() > FEW {
            self.list.shrink_to(FEW);
        }
        self.lookup = None;
        self.gaps = Gaps::default();
    }

    /// Adds the latest request.
    pub(super) fn push(&mut self, mut open: HeldRequest) {
        open.listed = open.deadline;
        if let Some(lookup) = &mut self.lookup {
            lookup.enter(&open);
        }
        self.list.push_back(open);
        if self.lookup.is_none() && self.list.len() >= MANY {
            self.look_up();
        }
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, at: usize) -> Option<HeldRequest> {
        let open = self.list.remove(at)?;
        if let Some(lookup) = &mut self.lookup {
            lookup.leave(&open);
            if self.list.len() <= FEW {
                self.lookup = None;
            }
        }
        Some(open)
    }

    /// Where the request with this serial number is.
    #[inline]
    pub(super) fn place_of(&self, serial: u64) -> Option<usize> {
        // The one asked for is nearly always the latest.
        if self.list.back()?.serial == serial {
            return Some(self.list.len() - 1);
        }
        self.place_among(serial)
    }

    /// As [`Self::place_of`], the request itself.
    #[inline]
    pub(super) fn with_serial(&mut self, serial: u64) -> Option<&mut Open> {
        let latest = self.list.back()?.serial;
        let at = match latest == serial {
            true => self.list.len() - 1,
            false => self.place_among(serial)?,
        };
        Some(&mut self[at])
    }

    #[inline(never)]
    fn place_among(&self, serial: u64) -> Option<usize> {
        self.list.binary_search_by_key(&serial, |o| o.serial).ok()
    }

    /// The latest that goes by this identifier, or has it as an alias, and for which `which`
    /// holds.
    pub(super) fn latest(&self, id: Id, which: impl Fn(&Open) -> bool) -> Option<usize> {
        match &self.lookup {
            None => self.last(|o| o.goes_by(id) && which(o)),
            Some(lookup) => {
                let named = lookup.names.range((id, 0)..=(id, u64::MAX)).rev();
                self.first_of(named.map(|(_, serial)| *serial), which)
            }
        }
    }

    /// The earliest likewise.
    pub(super) fn earliest(&self, id: Id, which: impl Fn(&Open) -> bool) -> Option<usize> {
        match &self.lookup {
            None => self.first(0, |o| o.goes_by(id) && which(o)),
            Some(lookup) => {
                let named = lookup.names.range((id, 0)..=(id, u64::MAX));
                self.first_of(named.map(|(_, serial)| *serial), which)
            }
        }
    }

    /// The latest of this lane for which `which` holds.
    pub(super) fn latest_of_lane(&self, lane: Id, which: impl Fn(&Open) -> bool) -> Option<usize> {
        match &self.lookup {
            None => self.last(|o| o.lane == Some(lane) && which(o)),
            Some(lookup) => {
                let same = lookup.lanes.range((lane, 0)..=(lane, u64::MAX)).rev();
                self.first_of(same.map(|(_, serial)| *serial), which)
            }
        }
    }

    /// The earliest without an identifier, or opaque, for which `which` holds.
    pub(super) fn earliest_unnamed(&self, which: impl Fn(&Open) -> bool) -> Option<usize> {
        match &self.lookup {
            None => self.first(0, |o| o.is_unnamed() && which(o)),
            Some(lookup) => self.first_of(lookup.unnamed.iter().copied(), which),
        }
    }

    /// The latest likewise.
    pub(super) fn latest_unnamed(&self, which: impl Fn(&Open) -> bool) -> Option<usize> {
        match &self.lookup {
            None => self.last(|o| o.is_unnamed() && which(o)),
            Some(lookup) => self.first_of(lookup.unnamed.iter().rev().copied(), which),
        }
    }

    /// The earliest that data without a header may follow, for which `which` holds.
    pub(super) fn earliest_raw(&self, which: impl Fn(&Open) -> bool) -> Option<usize> {
        match &self.lookup {
            None => self.first(0, |o| o.may_be_raw() && which(o)),
            Some(lookup) => self.first_of(lookup.raw.iter().copied(), which),
        }
    }

    /// The earliest that is not answered.
    pub(super) fn earliest_undone(&mut self) -> Option<usize> {
        let Some(lookup) = &mut self.lookup else {
            return self.first(0, |o| o.state != OpenState::Done);
        };
        let undone = lookup.undone;
        let from = self.list.partition_point(|o| o.serial < undone);
        let mut rest = self.list.iter().skip(from);
        let at = rest
            .position(|o| o.state != OpenState::Done)
            .map(|behind| from + behind);
        let behind_all = self.list.back().map_or(0, |o| o.serial + 1);
        lookup.undone = at.map_or(behind_all, |at| self.list[at].serial);
        at
    }

    /// The earliest, from this serial number on, that is answered and for which `which` holds.
    pub(super) fn next_done(&self, from: u64, which: impl Fn(&Open) -> bool) -> Option<usize> {
        let holds = |o: &Open| o.state == OpenState::Done && which(o);
        match &self.lookup {
            None => self.next(from, holds),
            Some(lookup) => self.first_of(lookup.done.range(from..).copied(), holds),
        }
    }

    /// The earliest request from this serial number on for which `which` holds. That has to be one
    /// of this identifier, of this lane or, with `done`, an answered one: others are not looked at.
    pub(super) fn next_related(
        &self,
        from: u64,
        (x, done): (&Exchange, bool),
        which: impl Fn(&Open) -> bool,
    ) -> Option<usize> {
        let Some(lookup) = &self.lookup else {
            return self.next(from, which);
        };
        let (id, lane) = (x.id, x.lane);
        let same = |set: &BTreeSet<(Id, u64)>, id: Option<Id>| {
            let found = set.range((id?, from)..=(id?, u64::MAX));
            self.first_of(found.map(|(_, serial)| *serial), &which)
        };
        let over = done.then(|| self.first_of(lookup.done.range(from..).copied(), &which));
        let found = [
            same(&lookup.names, id),
            same(&lookup.lanes, lane),
            over.flatten(),
        ];
        found.into_iter().flatten().min()
    }

    /// The serial numbers, in order, of those that have fallen due.
    pub(super) fn due(&mut self, now: Timestamp) -> Vec<u64> {
        if self.lookup.is_none() {
            let due = self.list.iter().filter(|o| o.deadline <= now);
            return due.map(|o| o.serial).collect();
        }
        let mut due = Vec::new();
        loop {
            let lookup = self.lookup.as_deref();
            let first = lookup.and_then(|lookup| lookup.due.first().copied());
            let Some((at, serial)) = first.filter(|(at, _)| *at <= now) else {
                due.sort_unstable();
                return due;
            };
            let place = self.place_of(serial);
            let open = place.and_then(|place| self.list.get_mut(place));
            let deadline = open.map(|open| {
                open.listed = open.deadline.max(now);
                open.deadline
            });
            if let Some(lookup) = &mut self.lookup {
                lookup.due.remove(&(at, serial));
                match deadline {
                    Some(deadline) if deadline > now => {
                        lookup.due.insert((deadline, serial));
                    }
                    Some(_) => due.push(serial),
                    None => {}
                }
            }
        }
    }

    /// Nothing falls due before.
    pub(super) fn first_due(&self) -> Timestamp {
        let first = match &self.lookup {
            None => self.list.iter().map(|o| o.deadline).min(),
            Some(lookup) => lookup.due.first().map(|(at, _)| *at),
        };
        first.unwrap_or(Timestamp::from_nanos(i64::MAX))
    }

    /// The deadline of this one may be earlier than it was.
    #[inline]
    pub(super) fn falls_due(&mut self, at: usize) {
        if self.lookup.is_some() {
            self.is_listed_earlier(at);
        }
    }

    #[cold]
    fn is_listed_earlier(&mut self, at: usize) {
        let open = &mut self.list[at];
        if let Some(lookup) = &mut self.lookup
            && open.deadline < open.listed
        {
            lookup.due.remove(&(open.listed, open.serial));
            lookup.due.insert((open.deadline, open.serial));
            open.listed = open.deadline;
        }
    }

    /// This one fell due, and does so again then.
    #[cold]
    pub(super) fn put_off(&mut self, at: usize, until: Timestamp) {
        let open = &mut self.list[at];
        if let Some(lookup) = &mut self.lookup {
            lookup.due.remove(&(open.listed, open.serial));
            lookup.due.insert((until, open.serial));
        }
        (open.deadline, open.listed) = (until, until);
    }

    /// Those that had not fallen due by then do so later.
    pub(super) fn falls_due_later(&mut self, then: Timestamp, by: i64) {
        for open in &mut self.list {
            if open.deadline > then {
                open.deadline = open.deadline.plus(by);
            }
        }
        // Where they are listed by it, they are found as those that were put off.
    }

    /// The one with this serial number is answered.
    pub(super) fn answered(&mut self, serial: u64) {
        if let Some(lookup) = &mut self.lookup {
            lookup.done.insert(serial);
            lookup.guessed.remove(&serial);
        }
    }

    /// This one was answered, and waits again.
    pub(super) fn reopened(&mut self, at: usize) {
        let open = &self.list[at];
        let serial = open.serial;
        self.gaps.reopened(serial);
        if let Some(lookup) = &mut self.lookup {
            lookup.undone = lookup.undone.min(serial);
            if open.is_guessed() {
                lookup.guessed.insert(serial);
            }
        }
    }

    /// This one has got an alias.
    pub(super) fn aliased(&mut self, at: usize) {
        let open = &self.list[at];
        if let (Some(lookup), Some(alias)) = (&mut self.lookup, open.alias) {
            lookup.names.insert((alias, open.serial));
        }
    }

    /// Those whose response is complete.
    pub(super) fn unclosed(&self) -> impl Iterator<Item = &Open> {
        let all = self.list.iter().map(|held| &**held);
        all.filter(|open| open.state == OpenState::Done)
    }

    /// Those that are complete, and have no response.
    pub(super) fn asking(&self) -> impl Iterator<Item = &Open> {
        let all = self.list.iter().map(|held| &**held);
        all.filter(|open| open.state == OpenState::Waiting)
    }

    pub(super) fn next(&self, from: u64, which: impl Fn(&Open) -> bool) -> Option<usize> {
        let first = match from {
            0 => 0,
            _ => self.list.partition_point(|o| o.serial < from),
        };
        self.first(first, which)
    }

    /// The first place, from this one on, for which `which` holds. By index: nearly always there
    /// are one or two.
    #[inline]
    fn first(&self, from: usize, which: impl Fn(&Open) -> bool) -> Option<usize> {
        (from..self.list.len()).find(|at| which(&self.list[*at]))
    }

    /// The last place likewise.
    #[inline]
    fn last(&self, which: impl Fn(&Open) -> bool) -> Option<usize> {
        (0..self.list.len()).rev().find(|at| which(&self.list[*at]))
    }

    fn first_of(
        &self,
        mut serials: impl Iterator<Item = u64>,
        which: impl Fn(&Open) -> bool,
    ) -> Option<usize> {
        serials.find_map(|serial| {
            let at = self.place_of(serial)?;
            which(&self.list[at]).then_some(at)
        })
    }

    fn look_up(&mut self) {
        let mut lookup = Box::<Lookup>::default();
        for open in &mut self.list {
            open.listed = open.deadline;
            lookup.enter(open);
        }
        self.lookup = Some(lookup);
    }
}

impl Lookup {
    fn enter(&mut self, open: &Open) {
        let serial = open.serial;
        for name in [open.id, open.alias].into_iter().flatten() {
            self.names.insert((name, serial));
        }
        if let Some(lane) = open.lane {
            self.lanes.insert((lane, serial));
        }
        if open.is_unnamed() {
            self.unnamed.insert(serial);
        }
        if open.may_be_raw() {
            self.raw.insert(serial);
        }
        if open.state == OpenState::Done {
            self.done.insert(serial);
        }
        if open.is_guessed() {
            self.guessed.insert(serial);
        }
        if let Some(had) = &mut self.had {
            gaps::enter(had, open);
        }
        self.due.insert((open.listed, serial));
    }

    fn leave(&mut self, open: &Open) {
        let serial = open.serial;
        for name in [open.id, open.alias].into_iter().flatten() {
            self.names.remove(&(name, serial));
        }
        if let Some(lane) = open.lane {
            self.lanes.remove(&(lane, serial));
        }
        self.unnamed.remove(&serial);
        self.raw.remove(&serial);
        self.done.remove(&serial);
        self.guessed.remove(&serial);
        if let Some(had) = &mut self.had {
            had[open.side].remove(&(open.had, serial));
        }
        self.due.remove(&(open.listed, serial));
    }
}

impl Open {
    pub(super) fn goes_by(&self, id: Id) -> bool {
        self.id == Some(id) || self.alias == Some(id)
    }

    fn is_unnamed(&self) -> bool {
        self.id.is_none() || self.opaque
    }

    /// Whether it is of a kind that data without a header follows, now or when it was asked.
    fn may_be_raw(&self) -> bool {
        matches!(self.expect, Expect::Headerless | Expect::GoAhead { .. })
            || matches!(self.state, OpenState::Raw { .. })
    }
}

impl Index<usize> for Opens {
    type Output = HeldRequest;

    fn index(&self, at: usize) -> &HeldRequest {
        gaps::looked();
        &self.list[at]
    }
}

impl IndexMut<usize> for Opens {
    fn index_mut(&mut self, at: usize) -> &mut HeldRequest {
        gaps::looked();
        &mut self.list[at]
    }
}

#[cfg(test)]
mod tests;
