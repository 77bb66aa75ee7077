//! Names that live as long as the program, read back from where they were written down.
//!
//! What dissectors and figures are named by stands in the program itself, as `&'static str`
//! and `&'static Operation`. Whoever writes such a name down and reads it again gets the one
//! copy of it, which stays: a name costs memory once, and there is a bound to all of them
//! together.
//!
//! Fields are read back by `#[serde(with = "word")]`. Their type has to be written [`Name`]:
//! `serde` takes a `&'static str` to be borrowed from what is read.

use crate::{Kind, Operation};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// A name that lives as long as the program.
pub type Name = &'static str;

/// So many bytes of names are read back. All that the program has are far fewer.
const MOST_BYTES: usize = 1 << 20;
/// So many operations are read back.
const MOST_OPERATIONS: usize = 1 << 14;

/// The names that were read back or are known, and the bytes of those that were read back.
static WORDS: Mutex<(BTreeSet<Name>, usize)> = Mutex::new((BTreeSet::new(), 0));
static OPERATIONS: Mutex<BTreeMap<OperationKey, &'static Operation>> = Mutex::new(BTreeMap::new());

type OperationKey = (Name, Kind, bool, Option<u16>, Option<u16>);

/// This copy of a name is the one that others are read back as, if there was none.
pub fn know(name: Name) {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    words.0.insert(name);
}

/// The one copy of this name; `None` if there are more names than any program has.
#[must_use]
pub fn intern(name: &str) -> Option<Name> {
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let (known, bytes) = &mut *words;
    if let Some(name) = known.get(name) {
        return Some(name);
    }
    let more = bytes.saturating_add(name.len());
    if more > MOST_BYTES {
        return None;
    }
    *bytes = more;
    let name: Name = Box::leak(name.to_owned().into_boxed_str());
    known.insert(name);
    Some(name)
}

/// The one copy of an operation like this one.
fn intern_operation(operation: Operation) -> Option<&'static Operation> {
    let mut known = OPERATIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (
        operation.name,
        operation.kind,
        operation.idempotent,
        operation.function,
        operation.subfunction,
    );
    if let Some(operation) = known.get(&key) {
        return Some(operation);
    }
    if known.len() >= MOST_OPERATIONS {
        return None;
    }
    let operation: &'static Operation = Box::leak(Box::new(operation));
    known.insert(key, operation);
    Some(operation)
}

/// Writes a name.
///
/// # Errors
/// Those of the writer.
pub fn serialize<S: Serializer>(name: &Name, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(name)
}

/// Reads a name back.
///
/// # Errors
/// Those of the reader; and if there are too many names.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Name, D::Error> {
    Word::deserialize(deserializer).map(|word| word.0)
}

/// A [`Name`] where a type of its own is needed: in the keys of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word(pub Name);

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Word;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Word, E> {
                let word = intern(name).map(Word);
                word.ok_or_else(|| E::custom("more names than any program has"))
            }
        }
        deserializer.deserialize_str(Read)
    }
}

impl<'de> Deserialize<'de> for &'static Operation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let operation = Operation::deserialize(deserializer)?;
        intern_operation(operation)
            .ok_or_else(|| D::Error::custom("more operations than any program has"))
    }
}

/// A name that may be missing.
pub mod option {
    use super::{Name, Word};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn serialize<S: Serializer>(name: &Option<Name>, serializer: S) -> Result<S::Ok, S::Error> {
        name.map(Word).serialize(serializer)
    }

    /// Reads it back.
    ///
    /// # Errors
    /// As [`super::deserialize`].
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Name>, D::Error> {
        let word = Option::<Word>::deserialize(deserializer)?;
        Ok(word.map(|word| word.0))
    }
}

/// A list of names, each with something.
pub mod pairs {
    use super::{Name, Word};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes it.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn serialize<V: Serialize, S: Serializer>(
        pairs: &[(Name, V)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(pairs.iter().map(|(name, value)| (Word(name), value)))
    }

    /// Reads it back.
    ///
    /// # Errors
    /// As [`super::deserialize`].
    pub fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(Name, V)>, D::Error> {
        let pairs = Vec::<(Word, V)>::deserialize(deserializer)?;
        Ok(pairs.into_iter().map(|(word, v)| (word.0, v)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_read_twice_is_one_copy() {
        let one = intern(&String::from("SEEK AND FIND")).unwrap();
        let two = intern(&String::from("SEEK AND FIND")).unwrap();
        assert!(std::ptr::eq(one, two));
        static KNOWN: &str = "FIND AND SEEK";
        know(KNOWN);
        assert!(std::ptr::eq(intern(&String::from(KNOWN)).unwrap(), KNOWN));
    }

    #[test]
    fn names_without_end_are_refused() {
        assert_eq!(intern(&"x".repeat(MOST_BYTES + 1)), None);
        assert!(intern("y").is_some());
    }
}
