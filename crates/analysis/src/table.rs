//! A map of bounded size that gives up the entry untouched for longest.

use foldhash::fast::RandomState;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

const NIL: u32 = u32::MAX;

/// A place in a [`Table`] that can be told apart from a later entry in the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    index: u32,
    generation: u32,
}

impl Place {
    /// No place of any table. Nothing can be kept of it.
    pub(crate) const NOWHERE: Self = Self {
        index: NIL,
        generation: 0,
    };

    /// Its number, for what is kept beside the table.
    pub(crate) const fn index(self) -> usize {
        self.index as usize
    }

    /// The first entry of the place with this number.
    #[cfg(test)]
    pub(crate) const fn nth(index: u32) -> Self {
        Self {
            index,
            generation: 0,
        }
    }
}

#[derive(Clone)]
struct Entry<K, V> {
    key: K,
    value: Option<V>,
    generation: u32,
    older: u32,
    newer: u32,
}

/// A hash map with a capacity. Its hash is seeded at random, so that no traffic can be
/// made to collide; nothing depends on the order of the hash.
#[derive(Clone)]
pub(crate) struct Table<K, V> {
    map: HashMap<K, u32, RandomState>,
    entries: Vec<Entry<K, V>>,
    free: Vec<u32>,
    oldest: u32,
    newest: u32,
    capacity: usize,
}

impl<K: Hash + Eq + Clone, V> Table<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            map: HashMap::with_hasher(RandomState::default()),
            entries: Vec::new(),
            free: Vec::new(),
            oldest: NIL,
            newest: NIL,
            // One place less than the indices can tell apart.
            capacity: capacity.clamp(1, NIL as usize - 1),
        }
    }

    /// Where this key is, moved to the young end.
    pub(crate) fn find(&mut self, key: &K) -> Option<Place> {
        let index = *self.map.get(key)?;
        self.touch(index);
        Some(self.place(index))
    }

    /// Where this key is, moved to the young end; if it is new there, what had to go.
    pub(crate) fn place_of(&mut self, key: &K, value: impl FnOnce() -> V) -> (Place, Option<V>) {
        match self.find(key) {
            Some(place) => (place, None),
            None => self.insert(key.clone(), value()),
        }
    }

    /// The key of a place, if its entry is still there.
    pub(crate) fn key_at(&self, place: Place) -> Option<&K> {
        let entry = self.entries.get(place.index as usize)?;
        (entry.generation == place.generation && entry.value.is_some()).then_some(&entry.key)
    }

    /// Moves an entry that is there to the young end.
    pub(crate) fn renew(&mut self, place: Place) {
        self.touch(place.index);
    }

    /// The key that equals this one, moved to the young end.
    pub(crate) fn key<Q>(&mut self, key: &Q) -> Option<K>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let index = *self.map.get(key)?;
        self.touch(index);
        Some(self.entries[index as usize].key.clone())
    }

    /// Inserts a value under a key that is not in the table, and returns what had to go.
    pub(crate) fn insert(&mut self, key: K, value: V) -> (Place, Option<V>) {
        let evicted = if self.map.len() >= self.capacity {
            self.remove(self.oldest)
        } else {
            None
        };
        let entry = Entry {
            key: key.clone(),
            value: Some(value),
            generation: 0,
            older: NIL,
            newer: NIL,
        };
        let index = match self.free.pop() {
            Some(index) => {
                let place = &mut self.entries[index as usize];
                let generation = place.generation.wrapping_add(1);
                *place = Entry {
                    generation,
                    ..entry
                };
                index
            }
            None => {
                self.entries.push(entry);
                // The capacity keeps this below NIL.
                u32::try_from(self.entries.len() - 1).unwrap_or(0)
            }
        };
        self.map.insert(key, index);
        self.link(index);
        (self.place(index), evicted)
    }

    pub(crate) fn get_mut(&mut self, place: Place) -> Option<&mut V> {
        let entry = self.entries.get_mut(place.index as usize)?;
        if entry.generation == place.generation {
            entry.value.as_mut()
        } else {
            None
        }
    }

    /// The value at a place that was found or made just now.
    pub(crate) fn at(&mut self, place: Place) -> &mut V
    where
        V: Default,
    {
        self.entries[place.index as usize]
            .value
            .get_or_insert_with(V::default)
    }

    /// Takes an entry out.
    pub(crate) fn take(&mut self, place: Place) -> Option<V> {
        self.get_mut(place)?;
        self.remove(place.index)
    }

    /// All values, in the order of their places: the same for the same input.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().filter_map(|e| e.value.as_mut())
    }

    /// All keys and values, in the order of their places.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries
            .iter()
            .filter_map(|e| e.value.as_ref().map(|v| (&e.key, v)))
    }

    /// Takes everything out, in the order of the places.
    pub(crate) fn drain(&mut self) -> Vec<V> {
        self.map.clear();
        self.free.clear();
        self.oldest = NIL;
        self.newest = NIL;
        self.entries.drain(..).filter_map(|e| e.value).collect()
    }

    fn place(&self, index: u32) -> Place {
        Place {
            index,
            generation: self.entries[index as usize].generation,
        }
    }

    fn remove(&mut self, index: u32) -> Option<V> {
        let key = self.entries.get(index as usize)?.key.clone();
        self.unlink(index);
        self.map.remove(&key);
        self.free.push(index);
        self.entries[index as usize].value.take()
    }

    fn touch(&mut self, index: u32) {
        if self.newest != index {
            self.unlink(index);
            self.link(index);
        }
    }

    fn link(&mut self, index: u32) {
        let older = self.newest;
        let entry = &mut self.entries[index as usize];
        entry.older = older;
        entry.newer = NIL;
        match self.entries.get_mut(older as usize) {
            Some(e) => e.newer = index,
            None => self.oldest = index,
        }
        self.newest = index;
    }

    fn unlink(&mut self, index: u32) {
        let Entry { older, newer, .. } = self.entries[index as usize];
        match self.entries.get_mut(older as usize) {
            Some(e) => e.newer = newer,
            None => self.oldest = newer,
        }
        match self.entries.get_mut(newer as usize) {
            Some(e) => e.older = older,
            None => self.newest = older,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_untouched_for_longest_goes_first() {
        let mut table = Table::new(2);
        let (a, _) = table.insert("a", 1);
        table.insert("b", 2);
        assert_eq!(table.find(&"a"), Some(a));
        let (_, evicted) = table.insert("c", 3);
        assert_eq!(evicted, Some(2));
        assert_eq!(table.get_mut(a), Some(&mut 1));
    }

    #[test]
    fn a_place_does_not_outlive_its_entry() {
        let mut table = Table::new(1);
        let (a, _) = table.insert("a", 1);
        table.insert("b", 2);
        assert_eq!(table.get_mut(a), None);
        assert_eq!(table.iter().map(|(k, _)| *k).collect::<Vec<_>>(), ["b"]);
        assert_eq!(table.drain(), [2]);
        assert_eq!(table.find(&"b"), None);
    }
}
