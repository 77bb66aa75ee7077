//! Rows by who they are of.

use std::num::NonZeroU32;
use wirewait_model::records::StationId;

/// A row for each station, found by its number. There are no more than there are stations of
/// which something is kept: the row of one that is forgotten goes to the next with its number.
#[derive(Clone, Debug)]
pub struct Rows<T>(Vec<Option<(NonZeroU32, T)>>);

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Default> Rows<T> {
    /// The row of this station.
    pub fn of(&mut self, station: StationId) -> &mut T {
        let index = station.index() as usize;
        if index >= self.0.len() {
            self.0.resize_with(index + 1, || None);
        }
        let row = &mut self.0[index];
        if row
            .as_ref()
            .is_none_or(|(generation, _)| *generation != station.generation())
        {
            *row = None;
        }
        let (_, row) = row.get_or_insert_with(|| (station.generation(), T::default()));
        row
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (StationId, &T)> {
        (0..).zip(&self.0).filter_map(|(index, row)| {
            let (generation, row) = row.as_ref()?;
            Some((StationId::new(index, *generation), row))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_its_stations_alone() {
        let first = NonZeroU32::MIN;
        let second = first.saturating_add(1);
        let mut rows = Rows::<u64>::default();
        *rows.of(StationId::new(3, first)) += 5;
        *rows.of(StationId::new(0, first)) += 1;
        *rows.of(StationId::new(3, first)) += 2;
        let found: Vec<_> = rows.iter().map(|(id, n)| (id.index(), *n)).collect();
        assert_eq!(found, [(0, 1), (3, 7)]);
        // Another station stands there now.
        *rows.of(StationId::new(3, second)) += 4;
        let found: Vec<_> = rows.iter().map(|(id, n)| (id.index(), *n)).collect();
        assert_eq!(found, [(0, 1), (3, 4)]);
    }
}
