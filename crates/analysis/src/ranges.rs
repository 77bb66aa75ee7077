//! Which bytes of a message in parts were seen ([`Parts::Ranged`]).
//!
//! [`Parts::Ranged`]: wirewait_wire::Parts::Ranged

/// Pieces of a message that are kept apart. A sender fills the gaps in the order in which
/// they are listed to it, so they are few.
const MOST: usize = 32;

/// Where a part begins, how long it is, and of how many bytes.
pub(crate) type Range = (u32, u32, u32);

/// The bytes of one message that were seen; of a message in parts that may come in any order, which
/// few are.
#[derive(Default)]
pub(crate) struct Ranges(Option<Box<SeenRanges>>);

#[derive(Default)]
struct SeenRanges {
    /// From and to, in order, none touching the next.
    seen: Vec<(u32, u32)>,
    /// Bytes in pieces for which there was no place: counted, and not remembered.
    counted: u64,
    /// Bytes of the whole message; the largest number that was said or seen.
    of: u32,
    /// How far the last pass of repetitions went.
    repeated_to: u32,
}

/// What a part brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// Number of bytes that were not seen before.
    New(u64),
    /// None; `pass` when it begins another pass over the message.
    Again { pass: bool },
}

impl Ranges {
    pub(crate) fn take(&mut self, at: u32, length: u32, of: u32) -> Taken {
        self.0.get_or_insert_default().take(at, length, of)
    }

    /// All bytes were seen.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.as_ref().is_none_or(|seen| seen.is_whole())
    }

    /// The message has ranges for parts, and some were seen.
    pub(crate) fn has_any(&self) -> bool {
        self.0.as_ref().is_some_and(|seen| seen.of > 0)
    }

    /// There were more pieces than places.
    pub(crate) fn is_crowded(&self) -> bool {
        self.0.as_ref().is_some_and(|seen| seen.counted > 0)
    }

    /// The beginning was seen.
    pub(crate) fn has_head(&self) -> bool {
        let seen = self.0.as_ref();
        seen.is_some_and(|seen| seen.seen.first().is_some_and(|(from, _)| *from == 0))
    }
}

impl SeenRanges {
    fn take(&mut self, at: u32, length: u32, of: u32) -> Taken {
        let end = at.saturating_add(length);
        self.of = self.of.max(of).max(end);
        // Both are at most the number of pieces: no slice can end behind the last.
        let first = self.seen.partition_point(|(_, to)| *to < at);
        let touching = self.seen[first..].partition_point(|(from, _)| *from <= end);
        let next = first + touching;
        let old: u32 = self.seen[first..next]
            .iter()
            .map(|(from, to)| end.min(*to).saturating_sub(at.max(*from)))
            .sum();
        let new = (end - at).saturating_sub(old);
        if new == 0 {
            let pass = self.repeated_to == 0 || at < self.repeated_to;
            self.repeated_to = end;
            return Taken::Again { pass };
        }
        match self.seen[first..next] {
            [(from, _), .., (_, to)] | [(from, to)] => {
                self.seen[first] = (at.min(from), end.max(to));
                self.seen.drain(first + 1..next);
            }
            [] if self.seen.len() < MOST => self.seen.insert(first, (at, end)),
            [] => self.counted += u64::from(new),
        }
        Taken::New(new.into())
    }

    fn is_whole(&self) -> bool {
        let seen: u64 = self
            .seen
            .iter()
            .map(|(from, to)| u64::from(to - from))
            .sum();
        seen.saturating_add(self.counted) >= u64::from(self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGAIN: Taken = Taken::Again { pass: false };
    const ANOTHER_PASS: Taken = Taken::Again { pass: true };

    fn seen(ranges: &Ranges) -> &SeenRanges {
        ranges.0.as_ref().unwrap()
    }

    #[test]
    fn a_message_is_whole_when_all_its_bytes_were_seen_in_any_order() {
        let mut r = Ranges::default();
        assert_eq!(r.take(20, 10, 40), Taken::New(10));
        assert_eq!(r.take(0, 10, 40), Taken::New(10));
        assert!(r.has_head());
        assert_eq!(r.take(30, 10, 40), Taken::New(10));
        assert!(!r.is_whole());
        assert_eq!(r.take(10, 10, 40), Taken::New(10));
        assert!(r.is_whole());
        assert_eq!(seen(&r).seen, [(0, 40)]);
    }

    #[test]
    fn only_bytes_that_were_not_seen_are_new() {
        let mut r = Ranges::default();
        r.take(10, 10, 100);
        r.take(40, 10, 100);
        assert_eq!(r.take(5, 50, 100), Taken::New(30));
        assert_eq!(seen(&r).seen, [(5, 55)]);
        assert!(!r.has_head() && !r.is_whole());
    }

    #[test]
    fn repetitions_that_go_on_are_one_pass() {
        let mut r = Ranges::default();
        r.take(0, 30, 30);
        assert_eq!(r.take(0, 10, 30), ANOTHER_PASS);
        assert_eq!(r.take(10, 10, 30), AGAIN);
        assert_eq!(r.take(20, 10, 30), AGAIN);
        assert_eq!(r.take(10, 10, 30), ANOTHER_PASS);
    }

    #[test]
    fn a_message_that_says_less_than_it_brings_is_as_long_as_what_it_brings() {
        let mut r = Ranges::default();
        r.take(u32::MAX - 5, 50, 3);
        assert_eq!(seen(&r).of, u32::MAX);
        assert!(!r.is_whole());
    }

    #[test]
    fn pieces_without_a_place_are_counted() {
        let mut r = Ranges::default();
        let pieces = 2 * MOST as u32;
        for n in 0..pieces {
            assert_eq!(r.take(n * 20, 10, pieces * 20), Taken::New(10));
        }
        assert_eq!(seen(&r).seen.len(), MOST);
        assert!(r.is_crowded() && !r.is_whole());
        for n in 0..pieces {
            r.take(n * 20 + 10, 10, pieces * 20);
        }
        assert!(r.is_whole());
    }
}
