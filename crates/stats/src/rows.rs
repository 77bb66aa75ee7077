//! Rows by what they are of.

use wirewait_model::records::EntityId;

/// A row for each of the things of one kind, found by its number. There are no more than there are
/// things of which something is kept: the row of one that is forgotten goes to the next with its
/// number.
#[derive(Clone, Debug)]
pub struct Rows<I, T>(Vec<Option<(EntityId<I>, T)>>);

impl<I, T> Default for Rows<I, T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I, T: Default> Rows<I, T> {
    /// The row of this one; `None` if it is forgotten, and another has its number. `gone` is given
    /// the row of the previous owner of that number.
    #[inline]
    pub fn of(&mut self, id: EntityId<I>, gone: impl FnOnce(T)) -> Option<&mut T> {
        let index = id.index() as usize;
        let known = matches!(self.0.get(index), Some(Some((known, _))) if *known == id);
        if !known && let Some(before) = self.begin(id)? {
            gone(before);
        }
        let (_, row) = self.0.get_mut(index)?.as_mut()?;
        Some(row)
    }

    /// The row of this one, if there is one.
    #[inline]
    pub fn known(&mut self, id: EntityId<I>) -> Option<&mut T> {
        let (known, row) = self.0.get_mut(id.index() as usize)?.as_mut()?;
        // What stands there has this index.
        (known.generation() == id.generation()).then_some(row)
    }

    /// Takes the row of this one out, if there is one.
    pub(crate) fn take(&mut self, id: EntityId<I>) -> Option<T> {
        self.known(id)?;
        let slot = self.0.get_mut(id.index() as usize)?;
        slot.take().map(|(_, row)| row)
    }

    /// Begins a row in the place of the one before, which it gives; `None` if that is younger.
    #[cold]
    fn begin(&mut self, id: EntityId<I>) -> Option<Option<T>> {
        let index = id.index() as usize;
        if index >= self.0.len() {
            // Rows are large: a quarter more than is needed, not twice as much.
            if index >= self.0.capacity() {
                self.0
                    .reserve_exact(index + 1 - self.0.len() + index / 4 + 8);
            }
            self.0.resize_with(index + 1, || None);
        }
        let row = &mut self.0[index];
        if row.as_ref().is_some_and(|(known, _)| *known > id) {
            return None;
        }
        let before = row.replace((id, T::default()));
        Some(before.map(|(_, row)| row))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (EntityId<I>, &T)> {
        let rows = self.0.iter().flatten();
        rows.map(|(id, row)| (*id, row))
    }
}

/// Rows of few things of a kind: each thing without one takes the room of a number.
#[derive(Clone, Debug)]
pub(crate) struct FewRows<I, T> {
    /// By the number of a thing: where its row is, counted from 1; 0 where there is none.
    places: Vec<u32>,
    rows: Vec<(EntityId<I>, T)>,
}

impl<I, T> Default for FewRows<I, T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl<I, T: Default> FewRows<I, T> {
    /// As [`Rows::of`].
    #[inline]
    pub(crate) fn of(&mut self, id: EntityId<I>, gone: impl FnOnce(T)) -> Option<&mut T> {
        let place = self.place(id);
        if self.rows.get(place).is_none_or(|(known, _)| *known != id) {
            return self.begin(id, gone);
        }
        self.rows.get_mut(place).map(|(_, row)| row)
    }

    /// As [`Rows::known`].
    #[inline]
    pub(crate) fn known(&mut self, id: EntityId<I>) -> Option<&mut T> {
        let place = self.place(id);
        let (known, row) = self.rows.get_mut(place)?;
        // The place is that of this index.
        (known.generation() == id.generation()).then_some(row)
    }

    #[inline]
    fn place(&self, id: EntityId<I>) -> usize {
        let place = self.places.get(id.index() as usize).copied();
        (place.unwrap_or(0) as usize).wrapping_sub(1)
    }

    /// Begins a row in the place of the one before; `None` if that is younger.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, id: EntityId<I>, gone: impl FnOnce(T)) -> Option<&mut T> {
        let index = id.index() as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, 0);
        }
        let place = &mut self.places[index];
        if *place == 0 {
            if self.rows.len() == self.rows.capacity() {
                self.rows.reserve_exact(self.rows.len() / 4 + 8);
            }
            self.rows.push((id, T::default()));
            // There are as many as there are numbers at the most.
            *place = u32::try_from(self.rows.len()).unwrap_or(0);
            return self.rows.last_mut().map(|(_, row)| row);
        }
        let (known, row) = self.rows.get_mut((*place as usize).wrapping_sub(1))?;
        if *known > id {
            return None;
        }
        *known = id;
        gone(std::mem::take(row));
        Some(row)
    }

    /// Whether there is a row of this one, or of another that had its number.
    pub(crate) fn is_taken(&self, id: EntityId<I>) -> bool {
        self.rows.get(self.place(id)).is_some()
    }

    /// All of them, those first that began first.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.iter_mut().map(|(_, row)| row)
    }

    /// All of them, those first that began first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (EntityId<I>, &T)> {
        self.rows.iter().map(|(id, row)| (*id, row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;
    use wirewait_wire::Endpoint;

    #[test]
    fn a_row_is_its_owners_alone() {
        let first = NonZeroU32::MIN;
        let second = first.saturating_add(1);
        let mut rows = Rows::<Endpoint, u64>::default();
        let nobody = |n: u64| panic!("{n}");
        *rows.of(EntityId::new(3, first), nobody).unwrap() += 5;
        *rows.of(EntityId::new(0, first), nobody).unwrap() += 1;
        *rows.of(EntityId::new(3, first), nobody).unwrap() += 2;
        let found = |rows: &Rows<Endpoint, u64>| -> Vec<_> {
            rows.iter().map(|(id, n)| (id.index(), *n)).collect()
        };
        assert_eq!(found(&rows), [(0, 1), (3, 7)]);
        // Another one stands there now.
        let mut gone = Vec::new();
        let row = rows.of(EntityId::new(3, second), |n| gone.push(n));
        *row.unwrap() += 4;
        assert_eq!(gone, [7]);
        assert_eq!(found(&rows), [(0, 1), (3, 4)]);
        // A late record of the one before has no row any more.
        assert_eq!(rows.of(EntityId::new(3, first), nobody), None);
        assert_eq!(found(&rows), [(0, 1), (3, 4)]);
    }

    #[test]
    fn a_row_of_few_is_its_owners_alone() {
        let first = NonZeroU32::MIN;
        let second = first.saturating_add(1);
        let mut rows = FewRows::<Endpoint, u64>::default();
        let nobody = |n: u64| panic!("{n}");
        *rows.of(EntityId::new(300, first), nobody).unwrap() += 5;
        *rows.of(EntityId::new(0, first), nobody).unwrap() += 1;
        *rows.of(EntityId::new(300, first), nobody).unwrap() += 2;
        assert_eq!(rows.known(EntityId::new(4, first)), None);
        assert_eq!(rows.known(EntityId::new(400, first)), None);
        let found = |rows: &FewRows<Endpoint, u64>| -> Vec<_> {
            rows.iter().map(|(id, n)| (id.index(), *n)).collect()
        };
        assert_eq!(found(&rows), [(300, 7), (0, 1)]);
        let mut gone = Vec::new();
        let row = rows.of(EntityId::new(300, second), |n| gone.push(n));
        *row.unwrap() += 4;
        assert_eq!(gone, [7]);
        assert_eq!(found(&rows), [(300, 4), (0, 1)]);
        assert_eq!(rows.known(EntityId::new(300, second)), Some(&mut 4));
        // A late record of the one before has no row any more.
        assert_eq!(rows.of(EntityId::new(300, first), nobody), None);
        assert_eq!(rows.known(EntityId::new(300, first)), None);
        assert_eq!(found(&rows), [(300, 4), (0, 1)]);
        assert_eq!(rows.rows.len(), 2);
    }
}
