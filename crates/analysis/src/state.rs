//! How state is written down where deriving does not do: arrays of any length, and what is
//! shared by several holders; and what must hold of numbers that are read back, because places
//! are found by them or tables grow to them.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::any::Any;
use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// Arrays of more than 32 elements, for `#[serde(with)]`.
pub(crate) mod array {
    use super::*;
    use serde::ser::SerializeTuple;

    pub(crate) fn serialize<T: Serialize, S: Serializer, const N: usize>(
        array: &[T; N],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(N)?;
        for element in array {
            tuple.serialize_element(element)?;
        }
        tuple.end()
    }

    pub(crate) fn deserialize<'de, T, D, const N: usize>(
        deserializer: D,
    ) -> Result<[T; N], D::Error>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        deserializer.deserialize_tuple(N, Elements(PhantomData))
    }

    struct Elements<T, const N: usize>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Elements<T, N> {
        type Value = [T; N];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{N} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<[T; N], A::Error> {
            let mut elements = Vec::with_capacity(N);
            while elements.len() < N {
                match seq.next_element()? {
                    Some(element) => elements.push(element),
                    None => return Err(A::Error::invalid_length(elements.len(), &self)),
                }
            }
            let wrong = |elements: Vec<T>| A::Error::invalid_length(elements.len(), &self);
            elements.try_into().map_err(wrong)
        }
    }
}

/// What one state shares among several holders, while that state is written down or read back.
#[derive(Default)]
struct Known {
    /// Where what was written is, and its number.
    written: HashMap<usize, u32>,
    /// What was read, by its number.
    read: Vec<Box<dyn Any>>,
    /// No table has more places, if that is known.
    most_places: Option<usize>,
}

thread_local! {
    // Neither `Serialize` nor `Deserialize` hands anything down to the fields.
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// While this is there, what is shared is written once and read back as shared.
pub(crate) struct Sharing(Option<Known>);

impl Sharing {
    pub(crate) fn begin() -> Self {
        Self(KNOWN.replace(Some(Known::default())))
    }

    /// To read back what no table of which has more places than these.
    pub(crate) fn reading(most_places: usize) -> Self {
        Self(KNOWN.replace(Some(Known {
            most_places: Some(most_places),
            ..Known::default()
        })))
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        KNOWN.set(self.0.take());
    }
}

/// Whether a table of the state that is read back may have so many places.
pub(crate) fn has_places(number: usize) -> bool {
    let most = KNOWN.with_borrow(|known| known.as_ref()?.most_places);
    most.is_none_or(|most| number <= most)
}

/// One of the two sides of a conversation.
pub(crate) fn side<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let side = usize::deserialize(deserializer)?;
    match side {
        0 | 1 => Ok(side),
        _ => Err(D::Error::custom("a conversation has two sides")),
    }
}

/// A list that always has as many elements as it is made with.
pub(crate) fn filled<'de, T, D>(deserializer: D, length: usize) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let list = Vec::deserialize(deserializer)?;
    if list.len() == length {
        Ok(list)
    } else {
        Err(D::Error::invalid_length(list.len(), &"as it is made"))
    }
}

/// What numbers of frames or bytes are counted by before they begin again.
pub(crate) fn modulus<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Into<u64> + Copy,
    D: Deserializer<'de>,
{
    let modulus = T::deserialize(deserializer)?;
    if (2..=1 << 32).contains(&modulus.into()) {
        Ok(modulus)
    } else {
        Err(D::Error::custom("numbers that have no order"))
    }
}

/// The width of buckets of time: the narrowest, or ten times another one.
pub(crate) fn width<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let width = i64::deserialize(deserializer)?;
    if width >= crate::timeline::NARROWEST_NS {
        Ok(width)
    } else {
        Err(D::Error::custom("buckets that are too narrow"))
    }
}

/// Lists of a fixed number of elements, most of which may be as they were made: only the others
/// are written, each with its number.
pub(crate) mod sparse {
    use super::*;

    /// What such a list is made of.
    pub(crate) trait Sparse: Copy {
        /// How many there are, if there are any.
        const COUNT: usize;
        /// As each is made.
        const MADE: Self;

        fn is_as_made(&self) -> bool;
    }

    pub(crate) fn serialize<T, S>(list: &[T], serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Sparse + Serialize,
        S: Serializer,
    {
        let used = (0u32..)
            .zip(list)
            .filter(|(_, element)| !element.is_as_made());
        let used: Vec<(u32, &T)> = used.collect();
        (!list.is_empty(), used).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: Sparse + Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let (any, used) = <(bool, Vec<(u32, T)>)>::deserialize(deserializer)?;
        let mut list = vec![T::MADE; if any { T::COUNT } else { 0 }];
        for (number, element) in used {
            let place = usize::try_from(number).ok();
            let place = place.and_then(|place| list.get_mut(place));
            *place.ok_or_else(|| D::Error::custom("a set that is not there"))? = element;
        }
        Ok(list)
    }
}

/// An [`Arc`] of which all holders have the same one again after they were read back.
pub(crate) struct Shared<T: ?Sized>(pub(crate) Arc<T>);

/// How one is written: the first time it is met, and from then on.
#[derive(Serialize, Deserialize)]
enum Written<T> {
    New(T),
    Known(u32),
}

impl<T: ?Sized + Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let at = Arc::as_ptr(&self.0).cast::<()>().addr();
        let number = KNOWN.with_borrow_mut(|known| {
            let written = &mut known.as_mut()?.written;
            // So many do not fit into memory.
            let next = u32::try_from(written.len()).ok()?;
            match written.entry(at) {
                std::collections::hash_map::Entry::Occupied(known) => Some(*known.get()),
                std::collections::hash_map::Entry::Vacant(place) => {
                    place.insert(next);
                    None
                }
            }
        });
        match number {
            Some(number) => Written::<&T>::Known(number),
            None => Written::New(&*self.0),
        }
        .serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Shared<T>
where
    T: ?Sized + 'static,
    Box<T>: Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Its number comes before those of what it holds itself.
        let number = KNOWN.with_borrow_mut(|known| {
            let read = &mut known.as_mut()?.read;
            read.push(Box::new(()));
            Some(read.len() - 1)
        });
        let written = Written::<Box<T>>::deserialize(deserializer)?;
        let found = KNOWN.with_borrow_mut(|known| {
            let read = known.as_mut().map(|known| &mut known.read);
            match (written, read) {
                (Written::New(value), None) => Some(value.into()),
                (Written::New(value), Some(read)) => {
                    let new: Arc<T> = value.into();
                    *read.get_mut(number?)? = Box::new(Arc::clone(&new));
                    Some(new)
                }
                (Written::Known(known), read) => {
                    let read = read?;
                    read.truncate(number?);
                    let known = read.get(usize::try_from(known).ok()?)?;
                    known.downcast_ref::<Arc<T>>().map(Arc::clone)
                }
            }
        });
        let found = found.ok_or_else(|| D::Error::custom("refers to a name that is not there"));
        found.map(Self)
    }
}

impl<T: ?Sized> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> Deref for Shared<T> {
    type Target = Arc<T>;

    fn deref(&self) -> &Arc<T> {
        &self.0
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: ?Sized + Eq> Eq for Shared<T> {}

impl<T: ?Sized + Hash> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T: ?Sized> Borrow<T> for Shared<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}

/// The same for fields, by `#[serde(with)]`.
pub(crate) mod shared {
    use super::*;

    pub(crate) fn serialize<T, S>(arc: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: ?Sized + Serialize,
        S: Serializer,
    {
        Shared(Arc::clone(arc)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Arc<T>, D::Error>
    where
        T: ?Sized + 'static,
        Box<T>: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        Shared::deserialize(deserializer).map(|shared| shared.0)
    }

    /// What may be missing.
    pub(crate) mod option {
        use super::*;

        pub(crate) fn serialize<T, S>(
            arc: &Option<Arc<T>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error>
        where
            T: ?Sized + Serialize,
            S: Serializer,
        {
            arc.clone().map(Shared).serialize(serializer)
        }

        pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<Arc<T>>, D::Error>
        where
            T: ?Sized + 'static,
            Box<T>: Deserialize<'de>,
            D: Deserializer<'de>,
        {
            let shared = Option::<Shared<T>>::deserialize(deserializer)?;
            Ok(shared.map(|shared| shared.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Place, Table};

    /// A thing with a name of its own, which others may hold as well.
    #[derive(Serialize, Deserialize)]
    struct Thing(#[serde(with = "shared")] Arc<str>);

    type All = (Shared<Thing>, Shared<str>, Shared<Thing>, Vec<Shared<str>>);

    #[test]
    fn what_was_shared_is_shared_again() {
        let name: Arc<str> = "NAME".into();
        let thing = Arc::new(Thing(Arc::clone(&name)));
        let other: Arc<str> = "NAME".into();
        let all: All = (
            Shared(Arc::clone(&thing)),
            Shared(Arc::clone(&name)),
            Shared(thing),
            vec![Shared(other), Shared(name)],
        );
        let bytes = {
            let _sharing = Sharing::begin();
            postcard::to_stdvec(&all).unwrap()
        };
        let _sharing = Sharing::begin();
        let (a, name, b, names): All = postcard::from_bytes(&bytes).unwrap();
        assert!(Arc::ptr_eq(&a.0, &b.0));
        assert!(Arc::ptr_eq(&a.0.0, &name.0) && Arc::ptr_eq(&names[1].0, &name.0));
        assert!(!Arc::ptr_eq(&names[0].0, &name.0), "only equal");
    }

    #[derive(Serialize, Deserialize)]
    struct Numbers {
        #[serde(deserialize_with = "side")]
        side: usize,
        #[serde(deserialize_with = "modulus")]
        modulus: u32,
        #[serde(deserialize_with = "width")]
        width_ns: i64,
        place: Place,
    }

    #[test]
    fn numbers_by_which_places_are_found_are_read_back_if_they_can_be() {
        let _sharing = Sharing::reading(8);
        let read = |side, modulus, width_ns, place| {
            let numbers = Numbers {
                side,
                modulus,
                width_ns,
                place,
            };
            let bytes = postcard::to_stdvec(&numbers).unwrap();
            postcard::from_bytes::<Numbers>(&bytes).is_ok()
        };
        let (narrowest, last) = (crate::timeline::NARROWEST_NS, Place::nth(7));
        assert!(read(1, 65_536, narrowest, last));
        assert!(read(0, 2, narrowest * 10, Place::NOWHERE));
        assert!(!read(2, 65_536, narrowest, last));
        assert!(!read(1, 0, narrowest, last), "nothing is divided by that");
        assert!(!read(1, 65_536, 0, last), "nor by that");
        assert!(!read(1, 65_536, narrowest, Place::nth(8)));
        let table = |capacity| postcard::to_stdvec(&Table::<u8, u8>::new(capacity)).unwrap();
        assert!(postcard::from_bytes::<Table<u8, u8>>(&table(8)).is_ok());
        assert!(postcard::from_bytes::<Table<u8, u8>>(&table(9)).is_err());
    }

    /// Nothing is seven.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Seven(u8);

    impl sparse::Sparse for Seven {
        const COUNT: usize = 300;
        const MADE: Self = Self(7);

        fn is_as_made(&self) -> bool {
            self.0 == 7
        }
    }

    #[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
    struct Sevens(#[serde(with = "sparse")] Vec<Seven>);

    #[test]
    fn only_what_was_used_is_written_and_there_are_as_many_as_before() {
        let mut sevens = vec![Seven(7); 300];
        sevens[299] = Seven(8);
        for list in [Vec::new(), vec![Seven(7); 300], sevens] {
            let bytes = postcard::to_stdvec(&Sevens(list.clone())).unwrap();
            assert!(bytes.len() < 8);
            assert_eq!(postcard::from_bytes::<Sevens>(&bytes).unwrap().0, list);
        }
        let beyond = postcard::to_stdvec(&(true, vec![(300u32, Seven(8))])).unwrap();
        assert!(postcard::from_bytes::<Sevens>(&beyond).is_err());
    }

    #[test]
    fn what_is_not_there_cannot_be_shared() {
        let _sharing = Sharing::begin();
        // The first known one, where there is none yet.
        assert!(postcard::from_bytes::<Shared<str>>(&[1, 0]).is_err());
    }
}
