//! Entries of a table in the order in which they were last touched, as far as that is known.

use super::TablePlace;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An entry, and the touch of it that is known.
type QueuedPlace = (u64, TablePlace);

/// Entries, the one untouched for longest first. Those that enter one behind the other, which
/// nobody touches again, cost no more than that, however many there are: a flood of them.
#[derive(Clone, Default)]
pub(super) struct Queue {
    /// In the order of their touches.
    ordered: VecDeque<QueuedPlace>,
    /// Those that were found touched again, behind others.
    again: BinaryHeap<Reverse<QueuedPlace>>,
}

impl Queue {
    /// Of these.
    pub(super) fn of(mut waiting: Vec<QueuedPlace>) -> Self {
        waiting.sort_unstable();
        Self {
            ordered: waiting.into(),
            again: BinaryHeap::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ordered.len() + self.again.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds one that was touched after all others.
    pub(super) fn push(&mut self, waiting: QueuedPlace) {
        match self.ordered.back() {
            Some(last) if *last > waiting => self.push_again(waiting),
            _ => self.ordered.push_back(waiting),
        }
    }

    /// Adds one that was touched at any time.
    pub(super) fn push_again(&mut self, waiting: QueuedPlace) {
        self.again.push(Reverse(waiting));
    }

    /// The one touched first.
    pub(super) fn first(&self) -> Option<QueuedPlace> {
        let ordered = self.ordered.front().copied();
        let again = self.again.peek().map(|Reverse(waiting)| *waiting);
        match (ordered, again) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (found, other) => found.or(other),
        }
    }

    /// Takes it out.
    pub(super) fn pop(&mut self) -> Option<QueuedPlace> {
        if self.is_first_ordered() {
            self.ordered.pop_front()
        } else {
            self.again.pop().map(|Reverse(waiting)| waiting)
        }
    }

    /// It was touched later than was known.
    pub(super) fn touched_first(&mut self, touched: u64) {
        let next = self.ordered.get(1).map_or(u64::MAX, |(known, _)| *known);
        if self.is_first_ordered() && touched < next {
            // Still before the one behind it.
            if let Some((known, _)) = self.ordered.front_mut() {
                *known = touched;
            }
        } else if let Some((_, place)) = self.pop() {
            self.push_again((touched, place));
        }
    }

    fn is_first_ordered(&self) -> bool {
        match (self.ordered.front(), self.again.peek()) {
            (Some(ordered), Some(Reverse(again))) => ordered < again,
            (ordered, _) => ordered.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Table;
    use super::*;
    use std::collections::BTreeMap;

    fn place(n: u64) -> TablePlace {
        TablePlace::nth(u32::try_from(n).unwrap())
    }

    #[test]
    fn the_one_touched_first_comes_first_however_it_was_put_there() {
        let mut queue = Queue::of(vec![(5, place(5)), (2, place(2)), (9, place(9))]);
        queue.push((11, place(11)));
        queue.push_again((3, place(3)));
        queue.push_again((10, place(10)));
        // Touched behind the next, and touched before it.
        assert_eq!(queue.first(), Some((2, place(2))));
        queue.touched_first(12);
        assert_eq!(queue.first(), Some((3, place(3))));
        queue.touched_first(4);
        assert_eq!(queue.first(), Some((4, place(3))));
        assert_eq!(queue.len(), 6);
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        assert!(order.is_sorted(), "{order:?}");
        assert_eq!(order.len(), 6);
        assert_eq!(order.last(), Some(&(12, place(2))));
        assert!(queue.is_empty());
    }

    #[test]
    fn one_that_is_touched_before_the_next_stays_where_it_is() {
        let mut queue = Queue::of((0..100).map(|n| (n * 10, place(n))).collect());
        for n in 0..100 {
            queue.touched_first(n * 10 + 5);
            assert_eq!(queue.first(), Some((n * 10 + 5, place(n))));
            assert!(queue.again.is_empty(), "{n} stays in order");
            queue.pop();
        }
    }

    /// Entered, touched, proven and taken out at random: the one to go is the one that a list of
    /// the last touches names.
    #[test]
    fn a_table_gives_up_whom_a_list_of_touches_names() {
        const CAPACITY: usize = 40;
        let mut seed = 1u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        let mut table: Table<u64, u64> = Table::new(CAPACITY);
        // By key: when it was touched last, and whether it proved itself.
        let mut list: BTreeMap<u64, (u64, bool)> = BTreeMap::new();
        let mut evicted = 0;
        for now in 0..50_000 {
            let key = random(120);
            match (random(8), table.find(&key)) {
                (0, Some(place)) => {
                    assert_eq!(table.take(place), Some(key));
                    list.remove(&key);
                }
                (1 | 2, Some(place)) => {
                    table.prove(place);
                    list.insert(key, (now, true));
                }
                (_, Some(_)) => {
                    let known = list.get_mut(&key).expect("the table has it");
                    known.0 = now;
                }
                (_, None) => {
                    let gone = table.insert(key, key).1;
                    let unproven = list.values().filter(|(_, proven)| !proven).count();
                    let crowded = unproven > CAPACITY / 4;
                    let goes = |(_, (touched, proven)): &(&u64, &(u64, bool))| {
                        (crowded && *proven, *touched)
                    };
                    let first = list.iter().min_by_key(goes).map(|(key, _)| *key);
                    let first = first.filter(|_| list.len() == CAPACITY);
                    assert_eq!(gone, first, "{now}");
                    if let Some(first) = first {
                        list.remove(&first);
                        evicted += 1;
                    }
                    list.insert(key, (now, false));
                }
            }
        }
        assert!(evicted > 10_000, "{evicted}");
    }
}
