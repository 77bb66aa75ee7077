//! A table whose rows are made when they are first asked for.

use crate::table::KnownSide;
use crate::table::Table;
use std::hash::Hash;

/// Of bounded size; says how many rows had to go.
pub(super) struct Rows<K, V> {
    table: Table<K, V>,
    evicted: u64,
}

impl<K: Hash + Eq + Clone, V: Default> Rows<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            table: Table::new(capacity),
            evicted: 0,
        }
    }

    /// The row, new if there was none.
    pub(super) fn of(&mut self, key: &K) -> &mut V {
        let (place, evicted) = self.table.place_of(key, V::default);
        self.evicted += u64::from(evicted.is_some());
        self.table.at(place)
    }

    /// The row of someone who may be seen only once: who comes `again` gets one in any case, and
    /// while such rows crowd the table nobody has to go for another one.
    pub(super) fn of_passer_by(&mut self, key: &K, again: bool) -> Option<&mut V> {
        if let Some(place) = self.table.find(key) {
            self.table.prove(place);
            return Some(self.table.at(place));
        }
        if !again && self.table.is_flooded() {
            self.evicted += 1;
            return None;
        }
        Some(self.of(key))
    }

    /// The row of a two-sided key whose place may be `known`, new if there was none; and which
    /// side sends.
    pub(super) fn of_side(
        &mut self,
        known: &KnownSide,
        key: impl FnOnce() -> (K, usize),
    ) -> (&mut V, usize) {
        let (place, side) = self
            .table
            .find_side(known, key)
            .unwrap_or_else(|(key, side)| {
                let (place, evicted) = self.table.insert(key, V::default());
                self.evicted += u64::from(evicted.is_some());
                known.set(Some((place, u8::from(side != 0))));
                (place, side)
            });
        (self.table.at(place), side)
    }

    /// All of them, in an order that is the same for the same input.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.table.iter()
    }

    pub(super) fn evicted(&self) -> u64 {
        self.evicted
    }
}
