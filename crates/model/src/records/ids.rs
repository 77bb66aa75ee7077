//! Numbers of what records are about.

use super::{OperationAt, Pair};
use crate::Label;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::num::NonZeroU32;
use wirewait_wire::Endpoint;

/// The number of something that [`Entities`](super::Entities) know. It is small, and goes to something else when
/// nothing is kept of this any more: the two differ in their generation.
pub struct EntityId<T> {
    index: u32,
    generation: NonZeroU32,
    of: PhantomData<fn() -> T>,
}

/// The number of a station.
pub type StationId = EntityId<Endpoint>;
/// The number of a client and a server.
pub type PairId = EntityId<Pair>;
/// The number of an operation at a server.
pub type OperationId = EntityId<OperationAt>;
/// The number of a user, a share or a file.
pub type LabelId = EntityId<Label>;

impl<T> EntityId<T> {
    /// What stands at this place, by its number among all that stood there.
    #[must_use]
    pub const fn new(index: u32, generation: NonZeroU32) -> Self {
        Self {
            index,
            generation,
            of: PhantomData,
        }
    }

    /// Where it stands.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many stood there, with this one.
    #[must_use]
    pub const fn generation(self) -> NonZeroU32 {
        self.generation
    }
}

impl<T> Clone for EntityId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for EntityId<T> {}

impl<T> PartialEq for EntityId<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.generation) == (other.index, other.generation)
    }
}

impl<T> Eq for EntityId<T> {}

impl<T> Hash for EntityId<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
        self.generation.hash(state);
    }
}

impl<T> PartialOrd for EntityId<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for EntityId<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.index, self.generation).cmp(&(other.index, other.generation))
    }
}

impl<T> fmt::Debug for EntityId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.index, self.generation)
    }
}
