//! Where something stands in a table.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use wirewait_model::records::EntityId;

/// A place in a [`Table`](super::Table) that can be told apart from a later entry in the same place.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub(crate) struct TablePlace {
    pub(super) index: u32,
    pub(super) generation: Generation,
}

/// How many entries the place had, from 1 on: so that a place that is not known takes no more
/// room than one that is.
pub(crate) type Generation = NonZeroU32;

/// Compared more often than anything else: without a branch.
impl PartialEq for TablePlace {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let generations = self.generation.get() ^ other.generation.get();
        (self.index ^ other.index) | generations == 0
    }
}

impl Hash for TablePlace {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
        self.generation.hash(state);
    }
}

impl TablePlace {
    /// No place of any table. Nothing can be kept of it.
    pub(crate) const NOWHERE: Self = Self {
        index: u32::MAX,
        generation: Generation::MIN,
    };

    /// Whether it is that: no entry has this number.
    #[inline]
    pub(crate) const fn is_nowhere(self) -> bool {
        self.index == Self::NOWHERE.index
    }

    /// Its number, for data stored beside the table.
    pub(crate) const fn index(self) -> usize {
        self.index as usize
    }

    /// How many stood there, with this one.
    pub(crate) const fn generation(self) -> Generation {
        self.generation
    }

    /// The place with this number, of the entry with this generation.
    pub(crate) const fn at(index: u32, generation: Generation) -> Self {
        Self { index, generation }
    }

    /// The number in records of what stands here.
    pub(crate) fn id<T>(self) -> Option<EntityId<T>> {
        (!self.is_nowhere()).then(|| EntityId::new(self.index, self.generation))
    }

    /// Where that stands which has this number in records.
    pub(crate) fn of<T>(id: EntityId<T>) -> Self {
        Self {
            index: id.index(),
            generation: id.generation(),
        }
    }

    /// The first entry of the place with this number.
    #[cfg(test)]
    pub(crate) const fn nth(index: u32) -> Self {
        Self {
            index,
            generation: Generation::MIN,
        }
    }
}
