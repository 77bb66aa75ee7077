//! How state is written down where deriving does not do: arrays of any length, and what is
//! shared by several holders.

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
}

impl Drop for Sharing {
    fn drop(&mut self) {
        KNOWN.set(self.0.take());
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

    #[test]
    fn what_is_not_there_cannot_be_shared() {
        let _sharing = Sharing::begin();
        // The first known one, where there is none yet.
        assert!(postcard::from_bytes::<Shared<str>>(&[1, 0]).is_err());
    }
}
