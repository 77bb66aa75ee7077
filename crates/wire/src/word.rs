//! Names that live as long as the program, read back from where they were written down.
//!
//! What dissectors and figures are named by stands in the program itself, as `&'static str`
//! and `&'static Operation`. A name that is written down and read back becomes the one copy of
//! it, which is never freed: a name costs memory once, and the total is bounded.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A name that lives as long as the program.
pub type Name = &'static str;

/// Bytes of names that are read back. All that the program has are far fewer.
const MOST_BYTES: usize = 1 << 20;

/// The names that were read back, and their bytes.
static WORDS: Mutex<(BTreeSet<Name>, usize)> = Mutex::new((BTreeSet::new(), 0));

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_read_twice_is_one_copy() {
        let one = intern(&String::from("SEEK AND FIND")).unwrap();
        let two = intern(&String::from("SEEK AND FIND")).unwrap();
        assert!(std::ptr::eq(one, two));
    }

    #[test]
    fn names_without_end_are_refused() {
        assert_eq!(intern(&"x".repeat(MOST_BYTES + 1)), None);
        assert!(intern("y").is_some());
    }
}
