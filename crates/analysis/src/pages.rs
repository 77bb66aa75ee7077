//! A row of values that grows page by page: what is in it is never moved, and hardly more room
//! is taken than is used. Values here are large, and there are thousands of them; a vector would
//! need three times their room while it grows.

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Values of a page.
const PAGE: usize = 64;

#[derive(Clone)]
pub(crate) struct Pages<T> {
    /// All full but the last one. The first grows as it is needed: most rows are short.
    pages: Vec<Vec<T>>,
}

impl<T> Pages<T> {
    pub(crate) const fn new() -> Self {
        Self { pages: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        let full = self.pages.len().saturating_sub(1) * PAGE;
        self.pages.last().map_or(0, |last| full + last.len())
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        self.pages.get(index / PAGE)?.get(index % PAGE)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.pages.get_mut(index / PAGE)?.get_mut(index % PAGE)
    }

    pub(crate) fn push(&mut self, value: T) {
        match self.pages.last_mut() {
            Some(last) if last.len() < PAGE => last.push(value),
            last => {
                let mut page = match last {
                    Some(_) => Vec::with_capacity(PAGE),
                    None => Vec::new(),
                };
                page.push(value);
                self.pages.push(page);
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flatten()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.pages.iter_mut().flatten()
    }

    /// Takes everything out; room is given back page by page.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = T> + use<T> {
        std::mem::take(&mut self.pages).into_iter().flatten()
    }
}

impl<T> FromIterator<T> for Pages<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut pages = Self::new();
        values.into_iter().for_each(|value| pages.push(value));
        pages
    }
}

impl<T> std::ops::Index<usize> for Pages<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        &self.pages[index / PAGE][index % PAGE]
    }
}

impl<T> std::ops::IndexMut<usize> for Pages<T> {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.pages[index / PAGE][index % PAGE]
    }
}

/// As one sequence.
impl<T: Serialize> Serialize for Pages<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.len()))?;
        for value in self.iter() {
            sequence.serialize_element(value)?;
        }
        sequence.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pages<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<T>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_they_were_put() {
        let mut pages: Pages<usize> = Pages::new();
        assert_eq!((pages.len(), pages.get(0)), (0, None));
        for n in 0..3 * PAGE + 1 {
            assert_eq!(pages.len(), n);
            pages.push(n);
        }
        let first: *const usize = &pages[PAGE];
        pages[2 * PAGE] += 1000;
        *pages.get_mut(2 * PAGE).unwrap() -= 1000;
        assert!(pages.iter().copied().eq(0..3 * PAGE + 1));
        assert_eq!(pages.get(3 * PAGE + 1), None);
        for n in 0..PAGE {
            pages.push(n);
        }
        assert!(std::ptr::eq(first, &pages[PAGE]), "nothing moves");
        let bytes = postcard::to_stdvec(&pages).unwrap();
        let mut read: Pages<usize> = postcard::from_bytes(&bytes).unwrap();
        assert!(read.iter().eq(pages.iter()));
        assert_eq!(read.drain().count(), 4 * PAGE + 1);
        assert_eq!(read.len(), 0);
    }
}
