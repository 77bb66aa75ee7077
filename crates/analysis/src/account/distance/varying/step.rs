//! A way that became longer at once, behind the last evidence of it: another route.
//!
//! What a station needs for the same work becomes longer by as much each time then. So it does where the station itself
//! waits that much longer, and nothing on the wire tells the two apart: slices behind such a step may contain as much more
//! of the way. A station whose work became slower takes longer by more or less, which is no step.

use super::super::super::SliceOwner;
use super::odd::OddOperation;
use super::{LATE, NOISE, OwedWay, UNIT};
use crate::table::TablePlace;

/// As many slices of the same work before a step, and behind it, show that it is one.
const ENOUGH: u32 = 32;
/// Behind a step, slices differ by no more than this part of it, beside what they do anyway.
const PART: u32 = 8;
/// Slices that may have been on the way as it became longer.
const ROUND: u32 = 2;

/// A slice that is longer than a steady way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice<'a> {
    pub(super) owner: &'a SliceOwner,
    /// Its number among all.
    pub(super) number: u32,
    /// In units.
    pub(super) length: u32,
    /// How much of it may be a steady way, in units.
    pub(super) high: u32,
    /// And how much it is longer than that, ns.
    pub(super) beyond: u64,
    /// How many answers of the station's transport are known.
    pub(super) answers: u64,
}

/// Slices in a row that are about as long as each other. Lengths are in units.
#[derive(Clone, Copy, Debug)]
struct SliceLevel {
    /// Their operation, and the file.
    work: [TablePlace; 2],
    /// The number of the first.
    since: u32,
    least: u32,
    most: u32,
}

/// Looks for steps.
#[derive(Clone, Debug)]
pub(super) struct WaySteps {
    /// The latest slices that were hardly longer than a steady way: what they are of.
    short: SliceLevel,
    /// The latest that were longer, and as long as many others.
    long: SliceLevel,
    /// The operation that alone has long ones.
    odd: OddOperation,
    /// Perhaps there was a step lately.
    is_open: bool,
    /// The latest that there was, perhaps: its room is used again.
    step: Option<Box<Step>>,
}

/// Slices that are longer than those before.
#[derive(Clone, Debug, Default)]
struct Step {
    before: SliceLevel,
    /// The number of the latest of them.
    latest: u32,
    /// As many answers of the station's transport were known.
    answers: u64,
    count: u32,
    least: u32,
    most: u32,
    total: u64,
    /// As much longer did the way become, perhaps, once that is known.
    longer: u32,
    /// Those that came before it was known.
    owed: Vec<OwedWay>,
}

impl SliceLevel {
    const NONE: Self = Self {
        work: [TablePlace::NOWHERE; 2],
        since: 0,
        least: 0,
        most: 0,
    };
}

impl Default for SliceLevel {
    fn default() -> Self {
        Self::NONE
    }
}

impl Default for WaySteps {
    fn default() -> Self {
        Self {
            short: SliceLevel::NONE,
            long: SliceLevel::NONE,
            odd: OddOperation::NONE,
            is_open: false,
            step: None,
        }
    }
}

impl WaySteps {
    /// The slice of this number was hardly longer than a steady way.
    #[inline]
    pub(super) fn short(&mut self, number: u32, owner: &SliceOwner) {
        if self.short.work != work(owner) {
            self.begin(number, owner);
        }
    }

    /// Such slices begin.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, number: u32, owner: &SliceOwner) {
        self.odd.ran(self.short.work[0], number);
        self.short = SliceLevel {
            work: work(owner),
            since: number,
            ..SliceLevel::NONE
        };
    }

    /// Whether nothing looks like a step.
    #[inline]
    pub(super) fn is_quiet(&self) -> bool {
        !self.is_open
    }

    /// Whether a slice of this length, the `number`th, may be behind a step, or show that there was none.
    #[inline]
    pub(super) fn may_be_one(&self, length: u32, number: u32) -> bool {
        let steady = number.wrapping_sub(self.long.since) >= ENOUGH;
        !self.is_quiet() || steady && self.long.is_below(length)
    }

    /// Slices from `least` to `most` units are as long as many others, since this one.
    #[inline]
    pub(super) fn levels(&mut self, number: u32, owner: &SliceOwner, [least, most]: [u32; 2]) {
        let near = NOISE as u32;
        let SliceLevel { work: of, .. } = self.long;
        let moved = least > self.long.most.saturating_add(near)
            || most.saturating_add(near) < self.long.least;
        (self.long.least, self.long.most) = (least, most);
        if moved || of != work(owner) {
            (self.long.work, self.long.since) = (work(owner), number);
        }
    }

    /// As much more of this slice [may be](Self::may_be_one) the way's, ns.
    pub(super) fn longer(&mut self, slice: &Slice<'_>) -> u64 {
        if self.is_open
            && let Some(step) = &mut self.step
        {
            // Those in between were short.
            if step.latest.wrapping_add(1) == slice.number && step.goes_on(slice) {
                return u64::from(step.longer) << UNIT;
            }
            step.longer = 0;
            self.is_open = false;
        }
        let work = work(slice.owner);
        let before = match (self.long.work == work, self.short.work == work) {
            (true, _) => self.long,
            (false, true) => SliceLevel {
                least: slice.high,
                most: slice.high,
                ..self.short
            },
            // Other work may take longer.
            (false, false) => return 0,
        };
        if slice.number.wrapping_sub(before.since) >= ENOUGH && before.is_below(slice.length) {
            let step = self.step.get_or_insert_default();
            step.begin(before, slice);
            self.is_open = true;
        }
        0
    }

    /// Slices that turned out to be behind a step, and how much more of the way they may contain.
    pub(super) fn owed(&mut self) -> Vec<OwedWay> {
        let step = self.step.as_mut().filter(|step| step.longer > 0);
        step.map_or(Vec::new(), |step| std::mem::take(&mut step.owed))
    }

    /// The slice of this number is longer than a steady way, and `alike` if it is as long as many. Whether that is its
    /// operation's own.
    #[inline(always)]
    pub(super) fn is_odd(
        &mut self,
        (number, alike): (u32, bool),
        owner: &SliceOwner,
        behind: u64,
    ) -> bool {
        match self.odd.goes_on(number, owner, alike) {
            Some(is) => is,
            None => self.after_others((number, alike), owner, behind),
        }
    }

    #[cold]
    #[inline(never)]
    fn after_others(
        &mut self,
        (number, alike): (u32, bool),
        owner: &SliceOwner,
        behind: u64,
    ) -> bool {
        self.odd.ran(self.short.work[0], number);
        match alike {
            true => self.odd.alike(number, owner),
            false => self.odd.longer(number, owner, behind),
        }
        self.odd.is(owner.operation)
    }

    /// The numbers of slices are `less` by this from now on.
    #[cold]
    pub(super) fn renumber(&mut self, less: u32) {
        self.odd.renumber(less);
        for level in [&mut self.short, &mut self.long] {
            level.since = level.since.saturating_sub(less);
        }
        if let Some(step) = &mut self.step {
            step.latest = step.latest.saturating_sub(less);
        }
    }
}

impl SliceLevel {
    fn is_below(&self, length: u32) -> bool {
        length > self.most.saturating_add(NOISE as u32)
    }
}

impl Step {
    fn begin(&mut self, before: SliceLevel, slice: &Slice<'_>) {
        (self.before, self.latest, self.answers) = (before, slice.number, slice.answers);
        (self.count, self.longer) = (0, 0);
        self.owed.clear();
        self.add(slice);
    }

    /// Takes the next one, if it may be behind the step as well.
    fn goes_on(&mut self, slice: &Slice<'_>) -> bool {
        // What was answered since shows the way: as long as that, the station needs for itself what it needs.
        let answered = self.answers != slice.answers;
        if answered || !self.before.is_below(slice.length) || self.before.work != work(slice.owner)
        {
            return false;
        }
        self.latest = slice.number;
        if self.longer > 0 {
            return true;
        }
        if self.count <= ROUND && slice.length > self.most.saturating_add(NOISE as u32) {
            // The way became longer while those before were on it.
            self.count = 0;
        }
        self.add(slice);
        self.count < ENOUGH || self.is_step()
    }

    fn add(&mut self, slice: &Slice<'_>) {
        if self.count == 0 {
            (self.least, self.most, self.total) = (slice.length, slice.length, 0);
        }
        self.least = self.least.min(slice.length);
        self.most = self.most.max(slice.length);
        self.total = self.total.saturating_add(slice.length.into());
        self.count += 1;
        self.owed.push(OwedWay {
            owner: *slice.owner,
            ns: slice.beyond,
        });
    }

    /// Whether all of them are longer by as much.
    #[cold]
    fn is_step(&mut self) -> bool {
        let longer = self.least.saturating_sub(self.before.least);
        let mean = self.total / u64::from(self.count);
        let spread = u32::try_from(mean)
            .unwrap_or(u32::MAX)
            .saturating_sub(self.least);
        let usual = self.before.most - self.before.least;
        if spread > usual.saturating_add(longer / PART).saturating_add(LATE) {
            return false;
        }
        self.longer = longer;
        // The last of them has it as it is posted.
        self.owed.pop();
        for slice in &mut self.owed {
            slice.ns = slice.ns.min(u64::from(longer) << UNIT);
        }
        true
    }
}

/// The operation, and the file.
#[inline]
fn work(owner: &SliceOwner) -> [TablePlace; 2] {
    [owner.operation, owner.labels[1]]
}

#[cfg(test)]
mod tests {
    use super::super::{Bounds, Variation, VaryingWay};
    use super::*;

    const STEADY_WAY: Bounds = Bounds {
        low: 400_000,
        high: 500_000,
    };

    /// What all slices of these lengths, us, are given and owed beyond a steady way; ms. `of`: what they are of, and how many
    /// answers were known.
    fn given(lengths: impl Iterator<Item = u64>, of: impl Fn(u64) -> (SliceOwner, u64)) -> u64 {
        let mut way = VaryingWay::default();
        let mut all = 0;
        for (number, us) in (0..).zip(lengths) {
            let (owner, answers) = of(number);
            let slice = (us * 1_000, None);
            let known = (0, true, answers, u64::MAX);
            let within = way.within(STEADY_WAY, Variation::UNKNOWN, slice, known, &owner);
            all += within.high - STEADY_WAY.high;
            let owed = way.owed().unwrap_or_default();
            all += owed.iter().map(|owed| owed.ns).sum::<u64>();
        }
        all.div_ceil(1_000_000)
    }

    /// An operation of its own for each.
    fn other(number: u32) -> SliceOwner {
        let mut table = crate::table::Table::new(8);
        let places = [1, 2, 3].map(|key: u64| table.place_of(&key, || ()).0);
        SliceOwner {
            operation: places[number as usize],
            ..SliceOwner::default()
        }
    }

    fn hundred_of(before: u64, behind: u64) -> impl Iterator<Item = u64> {
        (0..200).map(move |n| if n < 100 { before } else { behind })
    }

    /// 100 slices of 2 ms and 100 of 12: each of those may have 10 ms more, and a little, as two that are alike differ
    /// by 0.1 ms. From 600 us, which the steady way nearly has, to 12 ms: 11.5 of them.
    #[test]
    fn what_became_longer_by_as_much_each_time_may_be_the_way() {
        let of = |number: u64| (other(0), number / 1_000);
        assert!((1_000..1_010).contains(&given(hundred_of(2_000, 12_000), of)));
        assert!((1_150..1_151).contains(&given(hundred_of(600, 12_000), of)));
        // On its way as it became longer, one took 7.
        let round = (0..200).map(|n| match n {
            0..100 => 2_000,
            100 => 7_000,
            _ => 12_000,
        });
        assert!((995..1_005).contains(&given(round, of)));
        // Back after 50.
        let back = (0..200).map(|n| {
            if (100..150).contains(&n) {
                12_000
            } else {
                2_000
            }
        });
        assert!((500..505).contains(&given(back, of)));
    }

    #[test]
    fn what_became_slower_is_no_step() {
        let of = |_| (other(0), 1);
        assert_eq!(given(hundred_of(2_000, 2_900), of), 0, "too little");
        assert_eq!(given(hundred_of(12_000, 2_000), of), 0, "quicker");
        let often = |n: u64| if n.is_multiple_of(20) { 80_000 } else { 8_000 };
        assert_eq!(given((0..200).map(often), of), 0);
        let by_more_or_less = (0..400).map(|n| match n {
            0..200 => 2_000,
            _ => 4_000 + n % 2 * 4_000,
        });
        assert_eq!(given(by_more_or_less, of), 0);
        // An answer now and then shows that the way is as long as before.
        let answers = |number: u64| (other(0), number / 20);
        assert_eq!(given(hundred_of(2_000, 12_000), answers), 0);
        let few = (0..120).map(|n| if n < 100 { 2_000 } else { 12_000 });
        assert_eq!(given(few, of), 0, "too few");
    }

    #[test]
    fn other_work_may_take_longer() {
        let of = |number: u64| (other(u32::from(number >= 100)), 1);
        assert_eq!(given(hundred_of(2_000, 12_000), of), 0);
        assert_eq!(given(hundred_of(600, 12_000), of), 0);
    }
}
