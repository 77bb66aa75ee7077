//! The longest time of a round trip, by the length of its frames.
//!
//! A frame of `n` bytes is on its way for `a + n / rate`: on a slow line that is mostly its length. Whatever
//! was seen to take `t` with `m` bytes contains its way. So the way of `n` bytes takes no longer than `t` where
//! `n` is at most `m`; and no longer than `t * n / m` where it is more, as `a` is not below zero.

/// Bytes of a frame around a message at least: of Ethernet, LLC and NetBEUI; and at most: of Ethernet, IP and
/// TCP with time stamps.
const AROUND: [u64; 2] = [31, 66];
/// The shortest frame of Ethernet, without its check sequence.
const SHORTEST: u64 = 60;
/// Fewer bytes than this more than the shortest do not show how much longer a frame takes.
const TELLING: u64 = 16;
/// Two of the shortest, there and back.
pub(crate) const BOTH_SHORTEST: u64 = 2 * SHORTEST;

/// Bytes on the line, at least, of a message, or a piece of one, in a frame.
#[inline]
pub(crate) fn on_line(bytes: u64) -> u64 {
    (bytes + AROUND[0]).max(SHORTEST)
}

/// Bytes on the line at most.
#[inline]
pub(super) fn most_on_line(bytes: u64) -> u64 {
    bytes + AROUND[1]
}

/// A time that was seen, and the least number of bytes that were on their way within it: on the line, or of the
/// messages alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Took {
    pub(crate) ns: u64,
    pub(crate) bytes: u64,
}

impl Default for Took {
    fn default() -> Self {
        Self::NONE
    }
}

impl Took {
    /// Nothing was seen.
    pub(crate) const NONE: Self = Self {
        ns: u64::MAX,
        bytes: u64::MAX,
    };

    /// How long messages of `bytes` take at most, ns.
    fn at(&self, bytes: u64) -> u64 {
        if bytes <= self.bytes {
            return self.ns;
        }
        let most = bytes + 2 * AROUND[1];
        self.ns.saturating_mul(most) / self.on_line().bytes
    }

    /// This of messages, with the bytes on the line at least.
    fn on_line(&self) -> Self {
        let bytes = self.bytes.saturating_add(2 * AROUND[0]);
        Self {
            bytes: bytes.max(BOTH_SHORTEST),
            ..*self
        }
    }

    /// What `more` bytes take at most, where these take up to `high`, ns.
    pub(super) fn stretched(&self, high: u64, more: u64) -> u64 {
        high.saturating_mul(more) / self.bytes.max(1)
    }

    /// Whether a byte takes less in this one.
    #[inline]
    pub(crate) fn is_denser(&self, other: &Self) -> bool {
        *other == Self::NONE
            || self.ns.saturating_mul(other.bytes) < other.ns.saturating_mul(self.bytes)
    }

    /// How much longer `more` bytes beside those of `way` take at most, ns.
    pub(super) fn longer(&self, more: u64, way: &Self) -> u64 {
        let beyond = self.bytes.saturating_sub(way.bytes);
        // A few bytes show no difference.
        if *self == Self::NONE || beyond < TELLING {
            return u64::MAX;
        }
        self.ns.saturating_sub(way.ns).saturating_mul(more) / beyond
    }
}

/// The shortest times that were seen, and the bytes of the messages within them: the shortest of all, and the one with the shortest time for a byte.
/// Others between the two would say a little more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ceiling {
    least: Took,
    densest: Took,
}

impl Default for Ceiling {
    fn default() -> Self {
        Self::NONE
    }
}

impl Ceiling {
    /// Nothing was seen.
    pub(crate) const NONE: Self = Self {
        least: Took::NONE,
        densest: Took::NONE,
    };

    /// Messages of `bytes`, at least, took `ns`. Says whether that is news.
    pub(crate) fn took(&mut self, bytes: u64, ns: u64) -> bool {
        let took = Took { ns, bytes };
        let least = ns < self.least.ns;
        if least {
            self.least = took;
        }
        let none = self.densest == Took::NONE;
        let denser = none || took.on_line().is_denser(&self.densest.on_line());
        if denser {
            self.densest = took;
        }
        least || denser
    }

    /// How long messages of `bytes` take at least, ns, if the shortest times are those of the way: as long as what was
    /// seen of as many bytes, or of fewer.
    pub(super) fn as_few(&self, bytes: u64) -> u64 {
        match self.densest.bytes <= bytes {
            true => self.densest.ns,
            false => self.least.ns,
        }
    }

    /// This, where everything may take so much longer, ns.
    pub(crate) fn later(self, ns: u64) -> Self {
        let later = |of: Took| Took {
            ns: of.ns.saturating_add(ns),
            ..of
        };
        Self {
            least: later(self.least),
            densest: later(self.densest),
        }
    }

    /// The shortest time of all, ns; the greatest number where nothing was seen.
    pub(crate) fn least(&self) -> u64 {
        self.least.ns
    }

    /// The shortest time of this and another one.
    pub(super) fn shorter(&self, other: &Self) -> Took {
        match self.least.ns <= other.least.ns {
            true => self.least,
            false => other.least,
        }
    }

    /// How long messages of `bytes` take at most, ns; the greatest number where nothing was seen.
    pub(crate) fn at(&self, bytes: u64) -> u64 {
        self.least.at(bytes).min(self.densest.at(bytes))
    }
}

/// Responses in several frames that show whether their frames always follow each other as fast.
const STEADY: u32 = 8;

/// How long the frames of responses took one behind the other, and their bytes on the line.
///
/// No frame follows another faster than the line lets it, so the densest bounds what a byte takes there. Where
/// all took nearly the same for a byte, it is the line that sets the pace, and a first frame took as long.
#[derive(Clone, Copy, Debug)]
pub(in crate::account) struct FrameSpacing {
    densest: Took,
    /// Of those that took a good part of their request's time.
    all: Took,
    count: u32,
}

impl Default for FrameSpacing {
    fn default() -> Self {
        Self {
            densest: Took::NONE,
            all: Took { ns: 0, bytes: 0 },
            count: 0,
        }
    }
}

impl FrameSpacing {
    /// `bytes` behind the first frame took `ns`.
    #[inline]
    pub(super) fn took(&mut self, bytes: u64, ns: u64) {
        let took = Took { ns, bytes };
        if took.is_denser(&self.densest) {
            self.densest = took;
        }
    }

    /// And that was a good part of the time. Says when to have another look at whether it is always the same.
    pub(super) fn counts(&mut self, bytes: u64, ns: u64) -> bool {
        self.all.ns = self.all.ns.saturating_add(ns);
        self.all.bytes = self.all.bytes.saturating_add(bytes);
        self.count = self.count.saturating_add(1);
        self.count >= STEADY && self.count.is_power_of_two()
    }

    /// How long `bytes` more take at most, ns; `None` where no response had several frames.
    pub(super) fn most(&self, bytes: u64) -> Option<u64> {
        let Took { ns, bytes: of } = self.densest;
        (self.densest != Took::NONE).then(|| ns.saturating_mul(bytes).div_ceil(of.max(1)))
    }

    /// Whether there are enough of them to say how long others take at least.
    #[inline]
    pub(super) fn is_known(&self) -> bool {
        self.count >= STEADY
    }

    /// How long they take at least.
    pub(super) fn least(&self, bytes: u64) -> u64 {
        // An eighth more than the densest, at most.
        let Took { ns, bytes: of } = self.densest;
        let even = self.all.ns.saturating_mul(of) / 9 <= self.all.bytes.saturating_mul(ns) / 8;
        match self.is_known() && even {
            true => ns.saturating_mul(bytes) / of.max(1),
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2,700 bytes in 5.4 ms, eight times: 2 us a byte, and 1,500 bytes 3 ms. One that takes twice as long makes
    /// the mean 10/9 of that, two 6/5.
    #[test]
    fn frames_that_follow_each_other_evenly_show_the_line() {
        let mut spacing = FrameSpacing::default();
        let took = |spacing: &mut FrameSpacing, ns| {
            spacing.took(2_700, ns);
            spacing.counts(2_700, ns);
        };
        assert_eq!((spacing.most(1_500), spacing.least(1_500)), (None, 0));
        (0..7).for_each(|_| took(&mut spacing, 5_400_000));
        assert_eq!(spacing.least(1_500), 0, "too few");
        took(&mut spacing, 5_400_000);
        assert_eq!(spacing.least(1_500), 3_000_000);
        took(&mut spacing, 10_800_000);
        assert_eq!(spacing.least(1_500), 3_000_000);
        took(&mut spacing, 10_800_000);
        assert_eq!(
            (spacing.most(1_500), spacing.least(1_500)),
            (Some(3_000_000), 0)
        );
    }

    /// Messages of 58 bytes took 200 us: 120 on the line at least. So 1,068, which are 1,200 there at most,
    /// take 2 ms at most. Then 1,438 took 4 ms, which is more for each of 1,500 than 200 us for 120; and then
    /// 1 ms, which bounds all that is shorter.
    #[test]
    fn a_way_is_no_longer_than_what_contained_it() {
        let mut ceiling = Ceiling::NONE;
        assert_eq!(ceiling.at(1_068), u64::MAX);
        assert!(ceiling.took(58, 200_000));
        let at = |ceiling: &Ceiling| [50, 58, 1_068, 1_438].map(|bytes| ceiling.at(bytes));
        assert_eq!(at(&ceiling), [200_000, 200_000, 2_000_000, 2_616_666]);
        assert!(!ceiling.took(1_438, 4_000_000));
        assert_eq!(at(&ceiling), [200_000, 200_000, 2_000_000, 2_616_666]);
        assert!(ceiling.took(1_438, 1_000_000));
        assert_eq!(at(&ceiling), [200_000, 200_000, 1_000_000, 1_000_000]);
        assert_eq!(ceiling.least(), 200_000);
        let as_few = [50, 1_068, 1_438, 4_000].map(|bytes| ceiling.as_few(bytes));
        assert_eq!(as_few, [200_000, 200_000, 1_000_000, 1_000_000]);
    }

    /// A line of 500,000 bytes/s and a way of 10 us: no bound is below what messages of any length take on it,
    /// with what is around them.
    #[test]
    fn no_bound_is_below_the_way_of_a_line() {
        for around in [31, 44, 66] {
            let way = |bytes: u64| 10_000 + (bytes + 2 * around).max(120) * 2_000;
            for seen in [20, 200, 1_400] {
                let mut ceiling = Ceiling::NONE;
                ceiling.took(seen, way(seen));
                for bytes in (0..3_000).step_by(20) {
                    assert!(ceiling.at(bytes) >= way(bytes), "{seen}, {bytes}");
                }
            }
        }
    }

    #[test]
    fn frames_are_no_shorter_than_those_of_ethernet() {
        assert_eq!([0, 10, 29, 30, 1_000].map(on_line), [60, 60, 60, 61, 1_031]);
        assert_eq!([0, 1_000].map(most_on_line), [66, 1_066]);
    }
}
