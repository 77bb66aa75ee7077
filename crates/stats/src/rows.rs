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
        (*known == id).then_some(row)
    }

    /// Begins a row in the place of the one before, which it gives; `None` if that is younger.
    #[cold]
    fn begin(&mut self, id: EntityId<I>) -> Option<Option<T>> {
        let index = id.index() as usize;
        if index >= self.0.len() {
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
}
