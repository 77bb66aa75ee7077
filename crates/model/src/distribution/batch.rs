//! Some times, with all that several distributions need of each.

use super::{LONGEST_NS, Slot};
use crate::Spread;

/// Some times, for several distributions: what each has to know of them is found once.
pub struct Batch {
    spread: Spread,
    values: [i64; Self::MOST],
    /// The slot of each of them; where all are the same, of the first alone.
    pages: [u8; Self::MOST],
    places: [u8; Self::MOST],
}

impl Batch {
    /// Times in one of them.
    pub const MOST: usize = 32;

    /// With the first [`MOST`](Self::MOST) of these, and nothing else.
    #[inline]
    pub fn fill(&mut self, times: impl Iterator<Item = i64>) {
        let mut bits = BitsOf::default();
        let mut n = 0;
        for (ns, value) in times.zip(&mut self.values) {
            bits.add(ns);
            *value = ns;
            n += 1;
        }
        // Neighbours are often the same.
        let first = self.values[0];
        let same = self.values[..n].iter().all(|ns| *ns == first);
        self.find(n, bits, same);
    }

    /// One of `n` times that were written in their places, with the bits of all.
    #[inline]
    pub(crate) fn find(&mut self, n: usize, bits: BitsOf, same: bool) {
        let first = self.values[0];
        self.spread = match n {
            0 => Spread::default(),
            _ if same => {
                let Slot { page, place } = Slot::of(first);
                (self.pages[0], self.places[0]) = (page, place);
                Spread {
                    n: n as u64,
                    min: first,
                    max: first,
                    total: i128::from(first) * n as i128,
                }
            }
            _ if bits.are_small() => self.find_small(n),
            _ => self.find_any(n),
        };
    }

    #[inline(never)]
    fn find_small(&mut self, n: usize) -> Spread {
        let (mut total, mut min, mut max) = (0, u64::MAX, 0);
        let slots = self.pages.iter_mut().zip(&mut self.places);
        for (ns, (page, place)) in self.values[..n].iter().zip(slots) {
            let ns = ns.cast_unsigned();
            // The most of them come to far less than 2^64.
            total += ns;
            (min, max) = (min.min(ns), max.max(ns));
            let slot = Slot::of_small(ns);
            (*page, *place) = (slot.page, slot.place);
        }
        Spread {
            n: n as u64,
            min: min.cast_signed(),
            max: max.cast_signed(),
            total: i128::from(total),
        }
    }

    #[cold]
    fn find_any(&mut self, n: usize) -> Spread {
        let mut spread = Spread::default();
        let slots = self.pages.iter_mut().zip(&mut self.places);
        for (ns, (page, place)) in self.values[..n].iter().zip(slots) {
            spread.record(*ns);
            let slot = Slot::of(*ns);
            (*page, *place) = (slot.page, slot.place);
        }
        spread
    }

    /// Their number, extremes and sum.
    #[inline]
    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// In the order in which they came.
    #[inline]
    pub fn values(&self) -> impl Iterator<Item = i64> + '_ {
        self.times().iter().copied()
    }

    /// The room in which times are written, before they are [found](Self::find).
    pub(crate) fn room(&mut self) -> &mut [i64; Self::MOST] {
        &mut self.values
    }

    /// If all are the same: this one, and its slot.
    pub(crate) fn only(&self) -> Option<(i64, Slot)> {
        let Spread { n, min, max, .. } = self.spread;
        let slot = Slot {
            page: self.pages[0],
            place: self.places[0],
        };
        (n > 0 && min == max).then_some((min, slot))
    }

    /// The slot of each; not where all are the [same](Self::only).
    #[inline]
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let pages = &self.pages[..self.times().len()];
        let slots = pages.iter().zip(&self.places);
        slots.map(|(page, place)| Slot {
            page: *page,
            place: *place,
        })
    }

    /// The sum of their squares, or the most that can be said.
    #[must_use]
    pub fn squares(&self) -> u128 {
        let square = |ns: &i64| {
            let ns = u128::from(ns.unsigned_abs());
            ns * ns
        };
        let Spread { min, max, .. } = self.spread;
        if BitsOf(min | max).are_small() {
            // The most of them come to far less than 2^128.
            return self.times().iter().map(square).sum();
        }
        let squares = self.times().iter().map(square);
        squares.fold(0, u128::saturating_add)
    }

    #[inline]
    fn times(&self) -> &[i64] {
        &self.values[..self.spread.n.min(Self::MOST as u64) as usize]
    }
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            spread: Spread::default(),
            values: [0; Self::MOST],
            pages: [0; Self::MOST],
            places: [0; Self::MOST],
        }
    }
}

/// The bits that are set in any of some times.
#[derive(Clone, Copy, Default)]
pub(crate) struct BitsOf(i64);

impl BitsOf {
    #[inline]
    pub(crate) fn add(&mut self, ns: i64) {
        self.0 |= ns;
    }

    /// Whether all are zero.
    #[inline]
    pub(crate) fn are_none(self) -> bool {
        self.0 == 0
    }

    /// Whether none is below zero or anywhere near the longest.
    #[inline]
    fn are_small(self) -> bool {
        self.0.cast_unsigned() < SMALL
    }
}

/// Times below this many ns need no bounds.
pub(super) const SMALL: u64 = 1 << 46;
const _: () = assert!(SMALL < LONGEST_NS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distribution, Histogram};
    use proptest::prelude::*;

    fn batch(times: &[i64]) -> Batch {
        let mut batch = Batch::default();
        batch.fill(times.iter().copied());
        batch
    }

    #[test]
    fn squares_are_exact_or_the_most() {
        assert_eq!(batch(&[]).squares(), 0);
        assert_eq!(batch(&[3, -4]).squares(), 25);
        // 2^45 + 1 twice: 2 * (2^90 + 2^46 + 1).
        let near = (1 << 45) + 1;
        assert_eq!(batch(&[near, near]).squares(), (1 << 91) + (1 << 47) + 2);
        assert_eq!(batch(&[i64::MIN; 32]).squares(), u128::MAX);
    }

    proptest! {
        /// Whatever times, and however many: a batch counts as each of them by itself.
        #[test]
        fn a_batch_counts_as_its_times(
            batches in prop::collection::vec(
                prop::collection::vec((0..64u32, any::<i64>()), 0..=Batch::MOST), 1..8),
            same in any::<bool>(),
        ) {
            let (mut all, mut each) = (Distribution::default(), Distribution::default());
            let (mut steps, mut each_step) = (Histogram::default(), Histogram::default());
            for times in batches {
                let times: Vec<i64> = match (same, times.first()) {
                    (true, Some((bits, ns))) => vec![ns >> bits; times.len()],
                    _ => times.iter().map(|(bits, ns)| ns >> bits).collect(),
                };
                let batch = batch(&times);
                prop_assert_eq!(batch.values().collect::<Vec<_>>(), times.clone());
                all.record_all(&batch);
                steps.record_all(&batch);
                for ns in times {
                    each.record(ns);
                    each_step.record(ns);
                }
                prop_assert_eq!(all.times(), each.times());
                prop_assert_eq!(all.sample(), each.sample());
                prop_assert_eq!(steps, each_step);
            }
        }
    }
}
