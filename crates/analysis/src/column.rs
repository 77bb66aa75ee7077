//! Values for the entries of a table, held outside it: found by their places, so that no key is
//! hashed or compared.

use crate::table::{Generation, TablePlace};

/// A value for each place for which one was requested. When a place goes to another entry, the
/// value of the one before goes with it; the table counts that.
#[derive(Clone)]
pub(crate) struct Column<V> {
    /// By the numbers of their places.
    slots: Vec<Slot<V>>,
    /// Lent for the value of an entry that is gone; never read.
    nobody: Option<V>,
    /// Places without a value of their own, and those whose they share. Looked at where a place has none.
    shared: Vec<(TablePlace, TablePlace)>,
}

/// Places that share the value of another one, at most.
const SHARED: usize = 64;

#[derive(Clone)]
struct Slot<V> {
    /// Which of the entries of the place has the value; none if it is free.
    generation: Option<Generation>,
    value: V,
}

impl<V: Default> Column<V> {
    pub(crate) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            nobody: None,
            shared: Vec::new(),
        }
    }

    /// From now on, `place` has the value of `other`, which has one. Gives the one that it had.
    #[cold]
    pub(crate) fn shares(&mut self, place: TablePlace, other: TablePlace) -> Option<V> {
        let own = self.take(place);
        if self.shared.contains(&(place, other)) {
            return own;
        }
        if self.shared.len() >= SHARED {
            self.shared.remove(0);
        }
        self.shared.push((place, other));
        own
    }

    /// The place whose value this one shares.
    #[cold]
    fn other(&self, place: TablePlace) -> Option<TablePlace> {
        let mut shared = self.shared.iter().rev();
        let other = shared
            .find(|(one, _)| *one == place)
            .map(|(_, other)| *other);
        other.filter(|other| self.has(*other))
    }

    /// Whether there is a value of this place.
    #[inline]
    pub(crate) fn has(&self, place: TablePlace) -> bool {
        let slot = self.slots.get(place.index());
        slot.is_some_and(|slot| slot.generation == Some(place.generation()))
    }

    /// Whether the entry of this place is gone: another one has its value, or it is
    /// [nowhere](TablePlace::NOWHERE).
    pub(crate) fn is_past(&self, place: TablePlace) -> bool {
        let slot = self.slots.get(place.index());
        let later = slot.is_some_and(|slot| slot.generation > Some(place.generation()));
        later || place.is_nowhere()
    }

    /// The value of this place, created if there is none; a throw-away one for an entry that is
    /// gone ([nowhere](TablePlace::NOWHERE)).
    #[inline]
    pub(crate) fn of(&mut self, place: TablePlace) -> &mut V {
        if !self.has(place) {
            return self.new_of(place);
        }
        &mut self.slots[place.index()].value
    }

    /// The value of this place, created if there is none; `None` for an entry that is gone
    /// ([nowhere](TablePlace::NOWHERE)).
    pub(crate) fn still(&mut self, place: TablePlace) -> Option<&mut V> {
        (!place.is_nowhere()).then(|| self.of(place))
    }

    /// The value of this place, if there is one.
    #[inline]
    pub(crate) fn known(&mut self, place: TablePlace) -> Option<&mut V> {
        let place = match self.has(place) {
            true => place,
            false => self.other(place)?,
        };
        Some(&mut self.slots[place.index()].value)
    }

    /// Takes the value out.
    pub(crate) fn take(&mut self, place: TablePlace) -> Option<V> {
        let slot = self.slots.get_mut(place.index())?;
        if slot.generation != Some(place.generation()) {
            return None;
        }
        slot.generation = None;
        Some(std::mem::take(&mut slot.value))
    }

    /// Makes a value for this place if there is none; returns that of the entry before.
    pub(crate) fn renew(&mut self, place: TablePlace) -> Option<V> {
        if self.has(place) || place.is_nowhere() || self.other(place).is_some() {
            return None;
        }
        self.replace(place)
    }

    /// All values, in the order of their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (TablePlace, &V)> {
        let slots = (0..).zip(&self.slots);
        slots.filter_map(|(at, slot)| Some((TablePlace::at(at, slot.generation?), &slot.value)))
    }

    /// All values, in the order of their places.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        let slots = self.slots.iter_mut();
        let slots = slots.filter(|slot| slot.generation.is_some());
        slots.map(|slot| &mut slot.value)
    }

    #[cold]
    #[inline(never)]
    fn new_of(&mut self, place: TablePlace) -> &mut V {
        if place.is_nowhere() {
            return self.nobody.insert(V::default());
        }
        if let Some(other) = self.other(place) {
            return &mut self.slots[other.index()].value;
        }
        self.replace(place);
        &mut self.slots[place.index()].value
    }

    #[cold]
    fn replace(&mut self, place: TablePlace) -> Option<V> {
        debug_assert_ne!(place, TablePlace::NOWHERE);
        let index = place.index();
        if index >= self.slots.len() {
            // Values are large: a quarter more than is needed, not twice as much.
            if index >= self.slots.capacity() {
                self.slots.reserve_exact(index / 4 + 8);
            }
            let free = || Slot {
                generation: None,
                value: V::default(),
            };
            self.slots.resize_with(index + 1, free);
        }
        let slot = &mut self.slots[index];
        let before = slot.generation.replace(place.generation());
        let value = std::mem::take(&mut slot.value);
        before.map(|_| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Table;

    #[test]
    fn a_value_goes_with_its_entry() {
        let mut table: Table<&str, ()> = Table::new(1);
        let mut column: Column<u32> = Column::new();
        let (a, _) = table.insert("a", ());
        *column.of(a) += 1;
        *column.of(a) += 1;
        assert_eq!(column.known(a), Some(&mut 2));
        let (b, _) = table.insert("b", ());
        assert_eq!(column.known(b), None);
        assert!(!column.is_past(a), "nobody else has its value so far");
        assert_eq!(column.renew(b), Some(2));
        assert!(column.is_past(a) && !column.is_past(b));
        assert!(column.is_past(TablePlace::NOWHERE));
        assert_eq!(column.renew(b), None);
        assert_eq!(column.known(a), None);
        assert_eq!(column.iter().collect::<Vec<_>>(), [(b, &0)]);
        assert_eq!(column.take(b), Some(0));
        assert_eq!(column.known(b), None);
        assert_eq!(column.known(TablePlace::NOWHERE), None);
        *column.of(TablePlace::NOWHERE) += 1;
        assert_eq!(column.of(TablePlace::NOWHERE), &0);
        assert_eq!(column.iter().count(), 0);
    }
}
