//! Ways that do not always take as long.
//!
//! The shortest answer of a station, and its shortest slice, bound the way of another slice only where ways are
//! steady. Where the answers of its transport differ, a slice shows its own way, if its data was acknowledged at once;
//! and all slices together contain no more than as many answers of the usual length. Without enough answers, slices
//! that are as long as many others show a steady way: if it varied, they would differ as much.

mod odd;
mod step;

use super::super::SliceOwner;
use super::{Bounds, STEADY, ns};
use crate::packets::TIMER_NS;
use step::{Slice, WaySteps};

/// Times are kept in units of 1,024 ns.
const UNIT: u32 = 10;
/// One in this number of answers may have come when more had been sent.
const PARTS: u64 = 2;
/// Frames are as long as each other if they have as many times these bytes.
const STEP: u64 = 128;
/// Longer answers count as this one, so that the squares of many have room: 4.3 s.
const LONGEST: u64 = 1 << 22;
/// As many answers are halved: the latest count more.
const FULL: u64 = 1 << 19;
/// The answers of a way that varies are farther from their mean, on average and both ways, than this part of it,
const PART: u64 = 8;
/// and than this, in units: stations and captures have other work.
const NOISE: u64 = 1024;
/// Slices that show no way of their own may be longer than others by this part of a standard deviation, on average.
const UNLIKE: u64 = 4;
/// How many standard deviations beyond their mean a slice without proof may have at most.
const FAR: u64 = 6;

/// Answers of a transport to data that was there as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WholeAnswers {
    count: u64,
    total: u64,
    squares: u64,
    /// How far they were from the mean of then, all together: one that is late by much counts no more than that.
    apart: u64,
    /// How many of them were answers to a part.
    parts: u64,
    /// How long their frames were, in steps, and how many others were not as long.
    step: u64,
    others: u64,
}

/// How much the answers of a transport differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variation {
    /// Enough answers were seen to say so.
    pub(crate) known: bool,
    /// Their mean, ns.
    pub(crate) mean: u64,
    /// Their standard deviation, ns; 0 of a steady way.
    pub(crate) deviation: u64,
}

impl Variation {
    /// Of which nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        known: false,
        mean: 0,
        deviation: 0,
    };

    /// It is known that they do not.
    pub(crate) const NONE: Self = Self {
        known: true,
        ..Self::UNKNOWN
    };

    /// This, if the capture was not made `here`, at the station itself: there, no way is left to vary.
    #[inline]
    pub(super) fn at(self, here: bool) -> Self {
        match here {
            true => Self::NONE,
            false => self,
        }
    }

    /// This of a client, whose shortest answer took so long: its program may read late, and what it leaves unread is
    /// acknowledged late. So the way does not vary unless they are well above that on average.
    pub(super) fn of_client(self, shortest: i64) -> Self {
        let shortest = ns(shortest);
        match self.mean > shortest.saturating_add(shortest / 4) {
            true => self,
            false => self.steady(),
        }
    }

    /// This of a way that does not vary.
    pub(super) fn steady(self) -> Self {
        Self {
            deviation: 0,
            ..self
        }
    }
}

impl WholeAnswers {
    /// One took so long, with frames of these bytes; to data that was there as a `whole`, or with more behind it.
    /// Says from time to time how much they differ.
    #[inline]
    pub(crate) fn took(&mut self, ns: i64, bytes: u64, whole: bool) -> Option<Variation> {
        // Longer frames take longer.
        if bytes / STEP != self.step {
            self.others += 1;
            if self.others <= 2 * self.count {
                return None;
            }
            *self = Self {
                step: bytes / STEP,
                ..Self::default()
            };
        }
        let units = u64::try_from(ns).unwrap_or(0) >> UNIT;
        let units = units.min(LONGEST);
        if !whole {
            // On a slow line, a part is there before the whole. One that took longer may have been late, so that
            // more was sent meanwhile.
            if units * self.count < self.total || self.parts * PARTS >= self.count {
                return None;
            }
            self.parts += 1;
        }
        self.count += 1;
        self.total += units;
        self.apart += units.abs_diff(self.total / self.count);
        self.squares = self.squares.saturating_add(units * units);
        let due = self.count >= STEADY && self.count.is_multiple_of(STEADY / 2);
        due.then(|| self.variation())
    }

    /// Enough came to say how much they differ.
    pub(crate) fn is_known(&self) -> bool {
        self.count >= STEADY
    }

    /// A minute is over: what was before it counts half as much.
    #[cold]
    pub(crate) fn fades(&mut self) {
        *self = Self {
            count: self.count / 2,
            total: self.total / 2,
            squares: self.squares / 2,
            apart: self.apart / 2,
            parts: self.parts / 2,
            others: self.others / 2,
            ..*self
        };
    }

    #[inline(never)]
    fn variation(&mut self) -> Variation {
        let mean = self.total / self.count;
        let square = (self.squares / self.count).saturating_sub(mean * mean);
        let varies = 2 * self.apart / self.count > NOISE.max(mean / PART);
        if self.count >= FULL {
            self.fades();
        }
        let deviation = square.isqrt();
        Variation {
            known: true,
            mean: mean << UNIT,
            deviation: if varies { deviation << UNIT } else { 0 },
        }
    }
}

/// What an acknowledgement of its own data shows of the way within a slice, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnWay {
    pub(super) low: u64,
    /// `None` where not all of the data was acknowledged.
    pub(super) high: Option<u64>,
    /// As much of it may be that of a steady way.
    pub(super) most: u64,
    /// And as much of it is: a line that is known to be slow took so long.
    pub(super) least: u64,
    /// What was sent next came right behind the acknowledgement: it may have waited for that on the way.
    pub(super) close: bool,
}

/// The slices of one end with another, whose ways may vary.
#[derive(Clone, Debug, Default)]
pub(super) struct VaryingWay {
    slices: u64,
    /// What they may contain of the way, all together.
    taken: u64,
    /// As much longer than a usual answer may the ways be, because frames are: all together, ns.
    more: u64,
    /// Those that showed their own way, and those of them whose next frame came right behind the acknowledgement.
    shown: u64,
    close: u64,
    lengths: SliceLengths,
}

impl VaryingWay {
    /// A slice of this length contains so much of the way, if it is steady: how much by what else is known.
    /// `more`: as much of it at most because frames are longer than those of a usual answer. `free`: it waited for
    /// no other one. `answers`: how many of the station's transport are known. `behind`: the pause before, if that tells.
    // Part of both its callers.
    #[inline(always)]
    pub(super) fn within(
        &mut self,
        steady: Bounds,
        variation: Variation,
        (length, own): (u64, Option<OwnWay>),
        (more, free, answers, behind): (u64, bool, u64, u64),
        owner: &SliceOwner,
    ) -> Bounds {
        self.slices += 1;
        self.more = self.more.saturating_add(more.min(length));
        let way = if variation.deviation > 0 {
            self.varies(steady, variation, own)
        } else {
            let mut way = steady;
            if let Some(own) = own {
                way.high = way.high.max(own.most.min(length));
                way.low = way.low.max(own.least.min(length));
            }
            if !variation.known && free && length < TIMER_NS.cast_unsigned() {
                way.high = self
                    .lengths
                    .may_have((length, answers, behind), way.high, owner);
            }
            way
        };
        self.taken = self.taken.saturating_add(way.high.min(length));
        way
    }

    /// Slices that turned out to be like no other: whose they are, and as much more of the way as they have may be theirs, ns.
    #[inline]
    pub(super) fn owed(&mut self) -> Option<Vec<OwedWay>> {
        let first = &mut self.lengths.first;
        if self.lengths.decided && !first.is_empty() {
            return Some(std::mem::take(first));
        }
        // Nearly nothing looks like a step.
        let steps = &mut self.lengths.steps;
        let owed = (!steps.is_quiet()).then(|| steps.owed());
        owed.filter(|owed| !owed.is_empty())
    }

    #[cold]
    #[inline(never)]
    fn varies(&mut self, steady: Bounds, variation: Variation, own: Option<OwnWay>) -> Bounds {
        let Variation {
            mean, deviation, ..
        } = variation;
        let mut way = steady;
        if let Some(own) = own {
            // The way back of the response is another than that of the acknowledgement, but of the same line: the
            // sums of both differ by two standard errors at most, which are two deviations and the root of how
            // many there are. So much all of these add up to.
            self.shown += 1;
            self.close += u64::from(own.close);
            let error = deviation / self.shown.isqrt().max(1);
            way.low = way.low.max(own.low.saturating_sub(error));
            way.high = own.high.unwrap_or(way.high);
        }
        // All together they contain no more than as many usual ones, with two standard errors. A slice
        // that is shorter leaves others the rest.
        let all = self.slices.saturating_mul(mean).saturating_add(self.more);
        let error = (2 * deviation).saturating_mul(self.slices.isqrt() + 1);
        // Those that showed nothing may have been longer than those that did.
        let unlike = (deviation / UNLIKE).saturating_mul(self.slices.saturating_sub(self.shown));
        // And what catches up with an acknowledgement is longer on its way than that.
        let caught = deviation.saturating_mul(self.close);
        let error = error.saturating_add(unlike).saturating_add(caught);
        let left = all.saturating_add(error).saturating_sub(self.taken);
        let high = left.min(mean.saturating_add(FAR * deviation));
        way.high = way.high.max(high).max(way.low);
        way
    }
}

/// SliceLengths of slices that are remembered.
const RECENT: usize = 32;
/// A slice that is as long as this part of them is not alone.
const ALIKE: u32 = 8;
/// Two are as long as each other if they differ by no more than this part of the length,
const NEAR: u32 = 64;
/// or than this, in units: the processors of stations have other work.
const LATE: u32 = 100;
/// The way may vary if this part of the slices is alone.
const SOME: u32 = 16;

/// As many show nothing yet.
const FIRST: u32 = 16;
/// If a third of them is alone by then, so were those before it was known.
const DECIDED: u32 = 64;
/// As many slices count half as much then.
const MANY_SLICES: u32 = 1 << 12;

/// A slice that may contain more of the way than was posted.
#[derive(Clone, Copy, Debug)]
pub(in crate::account) struct OwedWay {
    pub(in crate::account) owner: SliceOwner,
    /// As much more at most.
    pub(in crate::account) ns: u64,
}

/// The lengths of slices, in units, and whether each is as long as many others.
#[derive(Clone, Debug, Default)]
struct SliceLengths {
    recent: [u32; RECENT],
    count: u32,
    /// How many there were, and how many of them were like too few others.
    looked: u32,
    alone: u32,
    /// Slices between these are as long as many.
    like: [u32; 2],
    /// Those that came before it was known how many are alone; once it is, what they are owed.
    first: Vec<OwedWay>,
    decided: bool,
    steps: WaySteps,
}

impl SliceLengths {
    /// How much of the way the slice of this length may contain, if as many answers are known: as a whole, if it may be
    /// another way than that of the others, of which it has up to `high`.
    #[inline]
    fn may_have(
        &mut self,
        (length, answers, behind): (u64, u64, u64),
        high: u64,
        owner: &SliceOwner,
    ) -> u64 {
        self.looked += 1;
        if self.looked >= MANY_SLICES {
            self.steps.renumber(self.looked - self.looked / 2);
            (self.looked, self.alone) = (self.looked / 2, self.alone / 2);
        }
        // The bounds of a steady way have nearly all of it.
        if length >> UNIT <= (high >> UNIT).saturating_add(NOISE) {
            self.steps.short(self.looked, owner);
            return high;
        }
        self.beyond((length, high), (answers, behind), owner)
    }

    /// One that is longer than a steady way.
    #[inline(never)]
    fn beyond(
        &mut self,
        (length, high): (u64, u64),
        (answers, behind): (u64, u64),
        owner: &SliceOwner,
    ) -> u64 {
        let units = u32::try_from(length >> UNIT).unwrap_or(u32::MAX);
        let alike = self.is_like(units) || self.has_like(units, owner);
        let longer = match self.steps.may_be_one(units, self.looked) {
            false => 0,
            true => self.step((length, high), answers, owner),
        };
        self.recent[self.count as usize % RECENT] = units;
        self.count = self.count.wrapping_add(1);
        if self.steps.is_odd((self.looked, alike), owner, behind) {
            return high.saturating_add(longer);
        }
        if self.looked > FIRST {
            self.alone += u32::from(!alike);
        }
        // A few may be alone without that.
        if self.alone * SOME < self.looked + SOME {
            if !self.decided {
                self.remember(length - high, owner);
            }
            return high.saturating_add(longer);
        }
        if !self.decided && self.looked >= 2 * FIRST {
            self.decided = true;
            // Few that are alone say nothing of those before.
            if self.alone * 3 <= self.looked - FIRST {
                self.first = Vec::new();
            }
        }
        match !alike || self.alone * 3 > self.looked {
            true => length,
            false => high.saturating_add(longer),
        }
    }

    /// How much more of it may be the way's, ns, as it is behind a step.
    #[cold]
    #[inline(never)]
    fn step(&mut self, (length, high): (u64, u64), answers: u64, owner: &SliceOwner) -> u64 {
        let [units, high_units] =
            [length, high].map(|ns| u32::try_from(ns >> UNIT).unwrap_or(u32::MAX));
        self.steps.longer(&Slice {
            owner,
            number: self.looked,
            length: units,
            high: high_units,
            beyond: length - high,
            answers,
        })
    }

    /// It is not known yet whether slices like this one are alone.
    #[inline(never)]
    fn remember(&mut self, ns: u64, owner: &SliceOwner) {
        if self.looked <= DECIDED {
            self.first.push(OwedWay { owner: *owner, ns });
        } else {
            (self.first, self.decided) = (Vec::new(), true);
        }
    }

    /// Whether this is between the bounds of those that were as long as many.
    fn is_like(&self, length: u32) -> bool {
        let [from, to] = self.like;
        (from..=to).contains(&length)
    }

    #[inline]
    fn has_like(&mut self, length: u32, owner: &SliceOwner) -> bool {
        let known = self.count.min(RECENT as u32);
        let alike = like(&self.recent, length) >= (known / ALIKE).max(2);
        if alike {
            let near = near(length);
            self.like = [length.saturating_sub(near / 2), length + near / 2];
            self.steps.levels(self.looked, owner, self.like);
        }
        alike
    }
}

/// By so much others may differ that are as long as this one.
fn near(length: u32) -> u32 {
    LATE.max(length / NEAR)
}

/// How many of these are as long as this one. All places are looked at, four at a time. Empty ones hold zero:
/// a length like that is no longer than the way [may vary](SliceLengths::may_vary).
fn like(recent: &[u32; RECENT], length: u32) -> u32 {
    let near = near(length);
    let from = length.saturating_sub(near);
    let reach = length.saturating_add(near) - from;
    let like = |one: &u32| u32::from(one.wrapping_sub(from) <= reach);
    recent.iter().map(like).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TablePlace;

    const MS: i64 = 1_000_000;

    /// What stands nowhere is zero; all else is like one if it differs by no more than may be.
    #[test]
    fn lengths_are_alike_that_are_near() {
        let mut recent = [0; RECENT];
        for (place, length) in recent.iter_mut().zip([
            1_025,
            1_124,
            1_125,
            1_126,
            6_400,
            6_500,
            6_501,
            99_000,
            100_562,
            100_563,
            u32::MAX - 1,
            u32::MAX,
        ]) {
            *place = length;
        }
        for length in [1_025, 1_100, 6_400, 99_000, 100_000, u32::MAX] {
            let near_one = |one: &&u32| **one > 0 && one.abs_diff(length) <= near(length);
            let expected = recent.iter().filter(near_one).count();
            assert_eq!(like(&recent, length) as usize, expected, "{length}");
        }
    }

    /// What is known of a way after these answers, ms, with frames of 200 bytes.
    fn after(answers: &[i64]) -> Variation {
        let mut all = WholeAnswers::default();
        let mut known = Variation::UNKNOWN;
        for ms in answers {
            known = all.took(ms * MS, 200, true).unwrap_or(known);
        }
        known
    }

    /// 2 and 10 ms in turn: 6 on average, and 4 from that. Units are 1,024 ns, cut off.
    #[test]
    fn answers_show_whether_a_way_varies() {
        assert_eq!(after(&[2, 10, 2, 10, 2, 10, 2]), Variation::UNKNOWN);
        let varies = after(&[2, 10, 2, 10, 2, 10, 2, 10]);
        assert!(varies.known);
        assert!((5_990_000..=6_000_000).contains(&varies.mean));
        assert!((3_990_000..=4_000_000).contains(&varies.deviation));
        assert_eq!(after(&[4; 8]).deviation, 0);
        // One that was late is none.
        let mut late = [4; 32];
        late[20] = 10;
        let steady = after(&late);
        assert_eq!((steady.known, steady.deviation), (true, 0));
        // A client's, if they are a quarter above the shortest on average: 6 ms are above 4.
        assert_eq!(varies.of_client(4 * MS), varies);
        assert_eq!(varies.of_client(5 * MS).deviation, 0);
    }

    /// On a slow line, 1,500 bytes take 12 ms longer than 100; and the first half of a message is there before all.
    #[test]
    fn long_frames_and_parts_do_not_vary() {
        let mut all = WholeAnswers::default();
        let mut known = Variation::UNKNOWN;
        for n in 0..64 {
            let (ms, bytes) = if n % 4 == 0 { (2, 100) } else { (14, 1_500) };
            known = all.took(ms * MS, bytes, true).unwrap_or(known);
            known = all.took(MS, bytes, false).unwrap_or(known);
        }
        assert_eq!((known.known, known.deviation), (true, 0));
        assert!((13_990_000..=14_000_000).contains(&known.mean));
    }

    fn varies(mean: u64, deviation: u64) -> Variation {
        Variation {
            known: true,
            mean,
            deviation,
        }
    }

    const NOBODY: SliceOwner = SliceOwner {
        server: TablePlace::NOWHERE,
        pair: TablePlace::NOWHERE,
        operation: TablePlace::NOWHERE,
        labels: [TablePlace::NOWHERE; 2],
    };

    const STEADY_WAY: Bounds = Bounds {
        low: 400,
        high: 500,
    };

    /// Slices of 5,000 and 1,000 in turn, of a way of 2,000 on average that varies by 100: those of 1,000 leave the
    /// others what they lack, and all of 400 have 2,000 each, with two standard errors (2 * 100 * 21) and a quarter of 100.
    #[test]
    fn what_short_slices_leave_is_for_long_ones() {
        let mut way = VaryingWay::default();
        let mut all = 0;
        for n in 0..400 {
            let length = [5_000, 1_000][n % 2];
            let within = way.within(
                STEADY_WAY,
                varies(2_000, 100),
                (length, None),
                (0, true, 0, 0),
                &NOBODY,
            );
            assert_eq!(within.low, 400);
            // No slice has more than six deviations beyond the mean.
            assert!(within.high <= 2_600);
            all += within.high.min(length);
        }
        let most = 400 * 2_000 + 2 * 100 * 21 + 400 * 25;
        assert!((700_000..=most).contains(&all), "{all}");
    }

    /// Acknowledged after 1,900 of 3,000: so much is the way's, less its part of the error.
    #[test]
    fn a_slice_shows_its_own_way() {
        let own = OwnWay {
            low: 1_900,
            high: Some(1_950),
            most: 1_900,
            least: 0,
            close: false,
        };
        let mut way = VaryingWay::default();
        let first = way.within(
            STEADY_WAY,
            varies(2_000, 100),
            (3_000, Some(own)),
            (0, true, 0, 0),
            &NOBODY,
        );
        assert_eq!(first.low, 1_800);
        for _ in 1..100 {
            way.within(
                STEADY_WAY,
                varies(1_900, 100),
                (3_000, Some(own)),
                (0, true, 0, 0),
                &NOBODY,
            );
        }
        let later = way.within(
            STEADY_WAY,
            varies(1_900, 100),
            (3_000, Some(own)),
            (0, true, 0, 0),
            &NOBODY,
        );
        assert_eq!(later.low, 1_890, "a tenth of the deviation");
        assert!(later.high >= 1_950);
        // Where the way is steady, it has no more than what it has otherwise, or its own.
        let steady = way.within(
            STEADY_WAY,
            varies(450, 0),
            (3_000, Some(own)),
            (0, true, 0, 0),
            &NOBODY,
        );
        assert_eq!((steady.low, steady.high), (400, 1_900));
    }

    /// How many of slices of these lengths, us, may be the way's as a whole.
    fn may_vary(lengths: impl Iterator<Item = u64>) -> usize {
        let mut way = VaryingWay::default();
        let known = Variation::UNKNOWN;
        let within = lengths.map(|us| {
            let length = us * 1_000;
            let within = way.within(STEADY_WAY, known, (length, None), (0, true, 0, 0), &NOBODY);
            within.high >= length
        });
        within.filter(|all| *all).count()
    }

    #[test]
    fn slices_that_are_like_no_other_may_contain_any_way() {
        // 8 ms, and every 20th 80 ms; 20 ms for one of two files.
        let some = |n: u64| if n.is_multiple_of(20) { 80_000 } else { 8_000 };
        assert_eq!(may_vary((0..200).map(some)), 0);
        let file = |n: u64| if n.is_multiple_of(2) { 20_000 } else { 300 };
        assert_eq!(may_vary((0..200).map(file)), 0);
        // Anything from 4 to 17 ms: all but those of the beginning.
        let any = |n: u64| 4_000 + n * 7_919 % 13_000;
        let all = may_vary((0..200).map(any));
        assert!((175..=184).contains(&all), "{all}");
        // One in five is: those, and no other.
        let tail = |n: u64| match n.is_multiple_of(5) {
            true => 20_000 + n * 7_919 % 40_000,
            false => 2_000,
        };
        let tail = may_vary((0..200).map(tail));
        assert!((30..=37).contains(&tail), "{tail}");
        // What takes longer than a retransmission timer is another matter.
        assert_eq!(may_vary((0..200).map(|n| 300_000 + 10_000 * n)), 0);
    }

    /// Of 200 slices from 4 to 17 ms, none is like another: those that came before that was known are owed it. Nothing is
    /// where a few differ, or where slices are alike.
    #[test]
    fn slices_before_it_was_known_are_owed_what_they_may_contain() {
        let owed = |lengths: fn(u64) -> u64| {
            let mut way = VaryingWay::default();
            let mut given = 0;
            let mut owed = Vec::new();
            for n in 0..200 {
                let length = lengths(n) * 1_000;
                let slice = (length, None);
                let within = way.within(
                    STEADY_WAY,
                    Variation::UNKNOWN,
                    slice,
                    (0, true, 0, 0),
                    &NOBODY,
                );
                given += within.high.min(length);
                owed.extend(way.owed().unwrap_or_default());
            }
            let all: u64 = (0..200).map(|n| lengths(n) * 1_000).sum();
            let owed_ns: u64 = owed.iter().map(|owed| owed.ns).sum();
            (all - given - owed_ns, owed.len())
        };
        let (left, count) = owed(|n| 4_000 + n * 7_919 % 13_000);
        assert_eq!(left, 0, "each may be the network's as a whole");
        assert!((16..=24).contains(&count), "{count}");
        assert_eq!(owed(|_| 8_000).1, 0);
        let tail = |n: u64| match n.is_multiple_of(5) {
            true => 20_000 + n * 7_919 % 40_000,
            false => 2_000,
        };
        assert_eq!(owed(tail).1, 0);
    }
}
