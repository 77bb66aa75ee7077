//! What the stamps of the frames say of the clock that made them: whether it was set, or one
//! stamp is wrong, and how much time passed.
//!
//! A stamp below the one before it has one of three reasons:
//!
//! - The frames were handed over in another order than they came: the stamp is a little lower,
//!   and the next one is as high as ever. All stamps are right, and nothing follows from it. Two processors that
//!   write frames of one burst do so with several frames in a row, a few microseconds apart.
//! - The clock was set back: the stamps stay lower. Times across the step mean nothing.
//! - One stamp is wrong, this one or the one before: the others go on as if it were not there.
//!   No time that begins or ends with it means anything; others do.
//!
//! Stamps alone do not tell a clock that is set forward from silence: who has evidence of it says so
//! before the frame ([`Clock::is_set`]).

use crate::bounds::{Bound, Hits};
use crate::tick::Ticks;
use std::cell::{Cell, Ref, RefCell};
use wirewait_wire::{Endpoint, Timestamp};

pub(crate) use wirewait_model::DISPLACED_NS;

/// A stamp that lies farther ahead of the one before may be wrong: the next one tells, ns.
pub(crate) const SILENCE_NS: i64 = 1_000_000_000;

/// So little below the highest stamp, any number of frames may stand in the wrong place, ns. A clock that is set back by so
/// little is beyond the highest stamp again as soon as that time has passed, and no time is wrong by more.
const SCATTERED_NS: i64 = 1_000_000;

/// A clock that steps by less may be one whose frames are handed over late by one of several queues, ns:
/// no account is cut.
const SET_NS: u64 = 250_000_000;

/// The clock of the capture was set while it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockSet {
    /// How often.
    pub times: u64,
    /// The number of the frame before which it was set first.
    pub frame: u64,
    /// By how much then, ns: below zero if it was set back. The time between the two frames is part of it.
    pub ns: i64,
    /// By stamps of the capture, or clocks of stations. Else nobody sent anything for so long, while a timer of a
    /// station should have run out.
    pub proved: bool,
    /// Client-time of those silences that may have been none, in which clients waited for a response, ns: it is in no
    /// account, and the shares of a verdict allow for both.
    pub unsure_ns: u64,
}

/// Data behind a silence, on a connection whose stations' clocks show that the silence was none.
#[derive(Clone, Copy, Debug)]
pub struct Resumed {
    /// Who sent it.
    pub from: Endpoint,
    /// To whom.
    pub to: Endpoint,
    /// Number of its first byte.
    pub seq: u32,
    /// The next byte that its sender expects.
    pub ack: u32,
}

/// A place where the clock was set: from the stamp that was the highest before, to the one of this frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seam {
    pub(crate) frame: u64,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    /// As stamps or clocks show.
    pub(crate) proved: bool,
}

/// Whether stamps go on where they were before one that was off by so much: no more time has passed
/// than a second, or a tenth of that.
fn goes_on(passed_ns: i64, off_ns: i64) -> bool {
    passed_ns <= (off_ns / 10).max(SILENCE_NS)
}

/// Steps, and wrong stamps, that are remembered by frame.
const KEPT: usize = 4;

/// Before which frames the clock stepped, and which frames have a wrong stamp, the latest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Steps {
    /// Numbers of frames; 0 where there was none.
    kept: [u64; KEPT],
    /// The latest of those that are not kept.
    forgotten: u64,
    /// Frames with wrong stamps.
    wrong: [u64; KEPT],
}

impl Steps {
    fn add(&mut self, frame: u64, hits: &mut Hits) {
        if self.forgotten > 0 && self.kept[KEPT - 1] > 0 {
            hits.hit(Bound::Steps);
        }
        self.forgotten = self.forgotten.max(self.kept[KEPT - 1]);
        self.kept.copy_within(..KEPT - 1, 1);
        self.kept[0] = frame;
    }

    /// The stamp of this frame is wrong; no step, if it was thought one.
    fn is_wrong(&mut self, frame: u64, hits: &mut Hits) {
        if self.kept[0] == frame {
            self.kept.copy_within(1.., 0);
            self.kept[KEPT - 1] = 0;
        }
        if self.wrong[KEPT - 1] > 0 {
            hits.hit(Bound::Steps);
        }
        self.wrong.copy_within(..KEPT - 1, 1);
        self.wrong[0] = frame;
    }

    /// Whether the stamp of this frame is known to be wrong.
    #[inline]
    pub(crate) fn misled(&self, frame: u64) -> bool {
        self.wrong.contains(&frame)
    }

    /// Whether the clock stepped between these two frames, as far as is remembered.
    #[inline]
    pub(crate) fn between(&self, first: u64, last: u64) -> bool {
        let mut steps = self.kept.iter().chain([&self.forgotten]);
        steps.any(|step| first < *step && *step <= last)
    }

    /// Before which frame it stepped last; 0 if it never did.
    pub(crate) fn latest(&self) -> u64 {
        self.kept[0].max(self.forgotten)
    }

    /// Whether it stepped since this frame.
    #[inline]
    pub(crate) fn since(&self, first: u64) -> bool {
        first < self.kept[0].max(self.forgotten)
    }

    /// The latest frame that is concerned by what was found wrong.
    fn last_concerned(&self) -> u64 {
        self.kept[0].max(self.forgotten).max(self.wrong[0])
    }
}

/// Steps, as all parts of the analysis see them. Every request asks, and hardly ever has there been one.
#[derive(Default)]
pub(crate) struct SharedSteps {
    known: RefCell<Steps>,
    concerned: Cell<u64>,
}

impl SharedSteps {
    pub(crate) fn set(&self, steps: &Steps) {
        self.concerned.set(steps.last_concerned());
        *self.known.borrow_mut() = *steps;
    }

    /// Whether anything was found wrong that may concern a frame from this one on.
    #[inline]
    pub(crate) fn concern(&self, first: u64) -> bool {
        first <= self.concerned.get()
    }

    pub(crate) fn borrow(&self) -> Ref<'_, Steps> {
        self.known.borrow()
    }
}

/// Follows the stamps of a capture.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    /// The first stamp, and the one of the frame before.
    first: Option<Timestamp>,
    last: Option<Timestamp>,
    /// Where the time that has passed is counted from: the lowest stamp since the clock stepped.
    low: Timestamp,
    /// The highest since the clock stepped, and what was the highest before it.
    high: Timestamp,
    lower: Timestamp,
    /// What was the highest before the clock was set back, until the stamps are there again; and
    /// before the time before that.
    lost: Option<Timestamp>,
    lost_before: Option<Timestamp>,
    /// A frame that may only stand in the wrong place, and its stamp: of several, the one with the lowest.
    displaced: Option<(u64, Timestamp)>,
    /// The moment that has surely passed: a single stamp may be wrong.
    sure: Timestamp,
    elapsed_ns: i64,
    /// It was set before the next frame.
    forward: bool,
    /// It seems to have been set before this frame, behind that stamp.
    suspect: Option<(u64, Timestamp)>,
    /// It was set, unless the stamp of that frame is wrong: the next one tells.
    perhaps: Option<Seam>,
    /// It was.
    seam: Option<Seam>,
    /// How often, and where first.
    pub(crate) set: Option<ClockSet>,
    pub(crate) steps: Steps,
    pub(crate) ticks: Ticks,
    /// How often stamps went back.
    pub(crate) count: u64,
    pub(crate) hits: Hits,
}

impl Clock {
    /// The stamp of the frame with this number. Whether there may be another step, or a wrong stamp.
    #[inline]
    pub(crate) fn frame(&mut self, number: u64, at: Timestamp) -> bool {
        let Some(last) = self.last.replace(at) else {
            self.first = Some(at);
            (self.low, self.high, self.lower, self.sure) = (at, at, at, at);
            return false;
        };
        self.sure = last.min(at);
        if at >= self.high && self.lost.is_none() {
            if self.displaced.is_some() {
                self.only_displaced();
            }
            if !self.ticks.fine {
                self.ticks.frame(at.as_nanos(), at.since(self.high));
            }
            self.rise(at);
            false
        } else {
            self.unusual(number, at);
            true
        }
    }

    fn rise(&mut self, at: Timestamp) {
        self.elapsed_ns = self.elapsed_ns.saturating_add(at.since(self.high));
        self.lower = std::mem::replace(&mut self.high, at);
    }

    /// The frame before only stood in the wrong place. It may be the first that was sent.
    #[inline(never)]
    fn only_displaced(&mut self) {
        if let Some(at) = self.before_low() {
            self.elapsed_ns = self.elapsed_ns.saturating_add(self.low.since(at));
            if self.first == Some(self.low) {
                self.first = Some(at);
            }
            self.low = at;
        }
        self.displaced = None;
    }

    /// The stamp of the frame before, if it only stands in the wrong place and no other is as
    /// early.
    fn before_low(&self) -> Option<Timestamp> {
        let (_, at) = self.displaced?;
        (at < self.low).then_some(at)
    }

    #[inline(never)]
    fn unusual(&mut self, number: u64, at: Timestamp) {
        if let Some(suspect) = self.suspect.take() {
            self.was_set(suspect, at);
        }
        if std::mem::take(&mut self.forward) {
            self.set_forward(number, at);
        } else if at >= self.high {
            self.only_displaced();
            if let Some(lost) = self.lost.filter(|lost| at >= *lost) {
                self.lost = self.lost_before.take();
                if at.since(self.high) > DISPLACED_NS {
                    // As if it had never been set back: the stamps in between were wrong.
                    let before = number.saturating_sub(1);
                    if goes_on(at.since(lost), lost.since(self.high))
                        && self.steps.kept[0] == before
                    {
                        self.steps.is_wrong(before, &mut self.hits);
                        self.perhaps = None;
                    } else {
                        self.steps.add(number, &mut self.hits);
                        self.is_sure();
                        self.seam(number, self.high, at, true);
                    }
                    self.elapsed_ns = self.elapsed_ns.saturating_add(at.since(lost));
                    (self.high, self.lower) = (at, at);
                    return;
                }
            }
            self.is_sure();
            self.rise(at);
        } else if self.is_displaced(at) {
            let lowest = self.displaced.filter(|(_, stamp)| *stamp <= at);
            self.displaced = lowest.or(Some((number, at)));
            if self.is_scattered(at) {
                // There are two stamps as high as this: neither alone is wrong.
                self.lower = self.lower.max(at);
            }
        } else if let Some((frame, stamp)) =
            self.displaced.filter(|(_, at)| !self.is_scattered(*at))
        {
            // It was no single one.
            self.displaced = None;
            self.step(frame, stamp);
            self.unusual(number, at);
        } else {
            self.only_displaced();
            self.step(number, at);
        }
    }

    /// Whether a frame with this stamp, below the highest, may only stand in the wrong place: it is the first one, or those
    /// before it were hardly lower.
    fn is_displaced(&self, at: Timestamp) -> bool {
        let first = self
            .displaced
            .is_none_or(|(_, stamp)| self.is_scattered(stamp));
        first && self.high.since(at) <= DISPLACED_NS
    }

    fn is_scattered(&self, at: Timestamp) -> bool {
        self.high.since(at) < SCATTERED_NS
    }

    /// The clock stepped back to `at` before this frame.
    fn step(&mut self, number: u64, at: Timestamp) {
        self.count += 1;
        if at >= self.lower {
            // Without the frame before, nothing would have stepped.
            let before = number.saturating_sub(1);
            if goes_on(at.since(self.lower), self.high.since(at)) {
                self.steps.is_wrong(before, &mut self.hits);
            } else {
                self.steps.add(before, &mut self.hits);
                self.steps.add(number, &mut self.hits);
                self.seam(number, self.lower, at, true);
            }
            let too_much = self.high.since(self.lower);
            let passed = at.since(self.lower);
            self.elapsed_ns = self
                .elapsed_ns
                .saturating_sub(too_much)
                .saturating_add(passed);
        } else {
            self.lost_before = self.lost.replace(self.high);
            self.steps.add(number, &mut self.hits);
            self.low = at;
            self.is_sure();
            let (frame, from) = (number, self.high);
            self.perhaps = Some(Seam {
                frame,
                from,
                to: at,
                proved: true,
            });
        }
        (self.high, self.lower) = (at, at);
    }

    /// The clock was set before the next frame, as its stamp does not tell.
    pub(crate) fn is_set(&mut self) {
        if self.last.is_some() {
            self.forward = true;
            // Stamps are looked at.
            self.lost = Some(Timestamp::from_nanos(i64::MAX));
        }
    }

    /// It seems to have been set before this frame, the latest.
    #[cold]
    pub(crate) fn seems_set(&mut self, frame: u64) {
        let known = self.steps.latest() >= frame;
        if self.lost.is_none() && self.displaced.is_none() && !known {
            self.suspect = Some((frame, self.lower));
            // Its stamp may be wrong: the next one is looked at.
            self.lost = Some(Timestamp::from_nanos(i64::MAX));
        }
    }

    /// So it was, unless the stamp of that frame alone is wrong.
    fn was_set(&mut self, (frame, from): (u64, Timestamp), at: Timestamp) {
        self.lost = None;
        if at >= self.high {
            self.count += 1;
            self.steps.add(frame, &mut self.hits);
            self.elapsed_ns = self.elapsed_ns.saturating_sub(self.high.since(from));
            self.seam(frame, from, self.high, false);
        }
    }

    #[cold]
    fn set_forward(&mut self, number: u64, at: Timestamp) {
        self.only_displaced();
        self.is_sure();
        (self.lost, self.lost_before) = (None, None);
        self.count += 1;
        self.steps.add(number, &mut self.hits);
        self.seam(number, self.high, at, true);
        (self.low, self.high, self.lower) = (at, at, at);
    }

    /// What may have been one wrong stamp was not.
    fn is_sure(&mut self) {
        if let Some(Seam {
            frame, from, to, ..
        }) = self.perhaps.take()
        {
            self.seam(frame, from, to, true);
        }
    }

    /// It was set before this frame, if that is far enough.
    fn seam(&mut self, frame: u64, from: Timestamp, to: Timestamp, proved: bool) {
        let ns = to.since(from);
        if ns.unsigned_abs() < SET_NS {
            return;
        }
        self.seam = Some(Seam {
            frame,
            from,
            to,
            proved,
        });
        let first = ClockSet {
            times: 0,
            frame,
            ns,
            proved,
            unsure_ns: 0,
        };
        self.set.get_or_insert(first).times += 1;
    }

    /// Where it was set, as is known since the latest frame.
    pub(crate) fn take_seam(&mut self) -> Option<Seam> {
        self.seam.take()
    }

    /// The first stamp; the earliest, where frames stand in the wrong place.
    pub(crate) fn first(&self) -> Option<Timestamp> {
        let earlier = self.before_low().filter(|_| self.first == Some(self.low));
        earlier.or(self.first)
    }

    /// The latest stamp.
    pub(crate) fn last(&self) -> Option<Timestamp> {
        match self.displaced {
            Some(_) => Some(self.high),
            None => self.last,
        }
    }

    /// Whether the latest stamp is the highest, and was never exceeded.
    pub(crate) fn is_steady(&self) -> bool {
        self.lost.is_none() && self.displaced.is_none() && self.last == Some(self.high)
    }

    /// The stamp of the latest frame.
    pub(crate) fn latest(&self) -> Option<Timestamp> {
        self.last
    }

    /// The highest stamp since the clock stepped.
    pub(crate) fn high(&self) -> Timestamp {
        self.high
    }

    /// The moment that has surely passed.
    pub(crate) fn sure(&self) -> Timestamp {
        self.sure
    }

    /// How much time passed from the first frame to the last, steps of the clock left out, ns.
    pub(crate) fn elapsed_ns(&self) -> u64 {
        let before = self.before_low().map_or(0, |at| self.low.since(at));
        u64::try_from(self.elapsed_ns.saturating_add(before)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn clock(stamps_ms: &[i64]) -> Clock {
        let mut clock = Clock::default();
        for (number, ms) in (1..).zip(stamps_ms) {
            clock.frame(number, Timestamp::from_nanos(ms * MS));
        }
        clock
    }

    fn wrong(stamps_ms: &[i64]) -> Vec<u64> {
        let clock = clock(stamps_ms);
        let frames = 1..=stamps_ms.len() as u64;
        frames.filter(|n| clock.steps.misled(*n)).collect()
    }

    /// Which pairs of neighbours the clock stepped between, by the number of the later one.
    fn steps(stamps_ms: &[i64]) -> Vec<u64> {
        let clock = clock(stamps_ms);
        let many = stamps_ms.len() as u64;
        (2..=many)
            .filter(|n| clock.steps.between(n - 1, *n))
            .collect()
    }

    fn elapsed_ms(stamps_ms: &[i64]) -> i64 {
        clock(stamps_ms).elapsed_ns() as i64 / MS
    }

    #[test]
    fn neighbours_out_of_place_are_no_step() {
        let swapped = [0, 5, 20, 15, 30, 40];
        assert_eq!(steps(&swapped), [0; 0]);
        assert_eq!(elapsed_ms(&swapped), 40);
        let twice = [0, 5, 20, 15, 40, 30, 50];
        assert_eq!(steps(&twice), [0; 0]);
        assert_eq!(elapsed_ms(&twice), 50);
    }

    /// As [`clock`], of microseconds.
    fn fine_clock(stamps_us: &[i64]) -> Clock {
        let mut clock = Clock::default();
        for (number, us) in (1..).zip(stamps_us) {
            clock.frame(number, Timestamp::from_nanos(us * 1_000));
        }
        clock
    }

    /// As in captures of a bridge whose frames two processors handle: acknowledgements stand behind data that came later.
    #[test]
    fn frames_that_two_processors_write_are_no_step() {
        let runs = [
            &[0, 5_000, 5_030, 5_005, 5_006, 5_029, 5_031, 9_000][..],
            &[0, 5_000, 5_010, 5_003, 5_002, 5_009, 5_001, 5_010, 9_000],
            &[0, 5_000, 5_999, 5_001, 5_002, 6_001, 6_000, 9_000],
        ];
        for stamps in runs {
            let clock = fine_clock(stamps);
            assert_eq!(clock.count, 0, "{stamps:?}");
            assert_eq!(clock.steps, Steps::default(), "{stamps:?}");
            assert_eq!(clock.elapsed_ns(), 9_000_000, "{stamps:?}");
            assert!(clock.is_steady(), "{stamps:?}");
        }
        let ends = fine_clock(&[100, 130, 98, 99, 95, 97]);
        let ns = |at: Option<Timestamp>| at.map(|at| at.as_nanos());
        assert_eq!(ns(ends.first()), Some(95_000));
        assert_eq!(ns(ends.last()), Some(130_000));
        assert_eq!(ends.elapsed_ns(), 35_000);
    }

    #[test]
    fn among_frames_out_of_place_a_clock_that_is_set_is_seen() {
        // One frame is 5 ms late, behind two that are hardly so.
        let late = fine_clock(&[0, 9_000, 8_990, 8_995, 4_000, 9_001, 9_002]);
        assert_eq!((late.count, late.elapsed_ns()), (0, 9_002_000));
        // Two are: the clock was set back, behind those that are right.
        let back = fine_clock(&[0, 9_000, 8_990, 8_995, 4_000, 4_001, 4_002]);
        assert_eq!(back.count, 1);
        assert!(back.steps.between(4, 5) && !back.steps.between(1, 4));
        let far = fine_clock(&[0, 90_000, 89_990, 89_995, 4_000, 4_001, 4_002]);
        assert_eq!(far.count, 1);
        assert!(far.steps.between(4, 5) && !far.steps.between(1, 4));
        assert!((1..=7).all(|frame| !far.steps.misled(frame)));
        // Nor is the highest stamp alone wrong where others are as high.
        let between = fine_clock(&[0, 90_000, 89_990, 40_000, 40_001]);
        assert!(between.steps.between(3, 4) && !between.steps.misled(2));
        // A millisecond below, the second one tells.
        let by_one = fine_clock(&[0, 9_000, 8_000, 8_001, 8_002]);
        assert_eq!(by_one.count, 1);
    }

    #[test]
    fn time_begins_with_the_earliest_frame_and_ends_with_the_latest() {
        let ends = |stamps: &[i64]| {
            let clock = clock(stamps);
            let ms = |at: Option<Timestamp>| at.map(|at| at.as_nanos() / MS);
            (ms(clock.first()), ms(clock.last()), elapsed_ms(stamps))
        };
        assert_eq!(ends(&[5, 4, 20, 30]), (Some(4), Some(30), 26));
        assert_eq!(ends(&[5, 20, 30, 25]), (Some(5), Some(30), 25));
        assert_eq!(ends(&[5, 4]), (Some(4), Some(5), 1));
        assert_eq!(ends(&[]), (None, None, 0));
        // After the clock was set back, time is counted from there.
        assert_eq!(elapsed_ms(&[1000, 1010, 20, 19, 30]), 21);
        assert_eq!(ends(&[1000, 1010, 20, 19, 30]).0, Some(1000));
    }

    #[test]
    fn a_clock_set_back_steps_once() {
        let back = [1000, 1005, 1010, 20, 25, 30];
        assert_eq!((steps(&back), wrong(&back)), (vec![4], vec![]));
        assert_eq!(elapsed_ms(&back), 20);
        assert_eq!(clock(&back).count, 1);
        let by_little = [1000, 1005, 1010, 1004, 1006, 1008];
        assert_eq!(steps(&by_little), [4], "the second low one tells");
    }

    #[test]
    fn a_stamp_that_is_too_low_stands_alone() {
        let low = [1000, 1005, 10, 1015, 1020];
        assert_eq!((steps(&low), wrong(&low)), (vec![], vec![3]));
        assert_eq!(elapsed_ms(&low), 20);
        assert_eq!(clock(&low).count, 1);
    }

    #[test]
    fn a_stamp_that_is_too_low_stands_alone_where_the_clock_was_set_back_before() {
        let low = [9000, 9005, 1000, 1005, 10, 1015, 1020];
        assert_eq!((steps(&low), wrong(&low)), (vec![3], vec![5]));
        assert_eq!(elapsed_ms(&low), 25);
    }

    #[test]
    fn a_stamp_that_is_too_high_stands_alone() {
        let high = [1000, 1005, 9000, 1015, 1020];
        assert_eq!((steps(&high), wrong(&high)), (vec![], vec![3]));
        assert_eq!(elapsed_ms(&high), 20);
        assert_eq!(clock(&high).count, 1);
    }

    #[test]
    fn where_the_clock_may_have_been_set_it_was() {
        // Either the stamp of the third frame is wrong, or two minutes passed and then one was
        // taken back.
        let doubtful = [1000, 1005, 120_000, 60_000, 60_010];
        assert_eq!((steps(&doubtful), wrong(&doubtful)), (vec![3, 4], vec![]));
    }

    /// Where the clock was set, in ms, and before which frame; when that was known.
    fn seams(stamps_ms: &[i64], set_before: u64) -> Vec<(u64, [i64; 3])> {
        let mut clock = Clock::default();
        let mut seams = Vec::new();
        for (number, ms) in (1..).zip(stamps_ms) {
            if number == set_before {
                clock.is_set();
            }
            clock.frame(number, Timestamp::from_nanos(ms * MS));
            if let Some(Seam {
                frame, from, to, ..
            }) = clock.take_seam()
            {
                let [from, to] = [from, to].map(|at| at.as_nanos() / MS);
                seams.push((number, [frame as i64, from, to]));
            }
        }
        seams
    }

    #[test]
    fn a_clock_was_set_where_the_next_stamp_agrees() {
        let back = [9000, 9005, 1000, 1005, 1010];
        assert_eq!(seams(&back, 0), [(4, [3, 9005, 1000])]);
        let twice = [9000, 9005, 5000, 5005, 1000, 1005];
        assert_eq!(
            seams(&twice, 0),
            [(4, [3, 9005, 5000]), (6, [5, 5005, 1000])]
        );
        assert_eq!(
            seams(&[9000, 9005, 1000], 0),
            [],
            "the last one may be wrong"
        );
        assert_eq!(
            seams(&[9000, 9005, 1000, 9010, 9015], 0),
            [],
            "one wrong stamp"
        );
        assert_eq!(
            seams(&[1000, 1005, 9000, 1015, 1020], 0),
            [],
            "one wrong stamp"
        );
        assert_eq!(
            seams(&[9000, 9200, 9000, 9005], 0),
            [],
            "queues may be so late"
        );
        let returned = [9000, 9005, 1000, 1005, 9015, 9020];
        assert_eq!(
            seams(&returned, 0),
            [(4, [3, 9005, 1000]), (5, [5, 1005, 9015])]
        );
    }

    #[test]
    fn a_clock_was_set_forward_where_somebody_knows_it() {
        let forward = [1000, 1005, 9000, 9005];
        assert_eq!(seams(&forward, 0), []);
        assert_eq!(seams(&forward, 3), [(3, [3, 1005, 9000])]);
        let mut clock = Clock::default();
        for (number, ms) in [(1, 1000), (2, 1005), (3, 9000), (4, 9005)] {
            if number == 3 {
                clock.is_set();
            }
            clock.frame(number, Timestamp::from_nanos(ms * MS));
        }
        assert_eq!(clock.elapsed_ns(), 10 * MS as u64);
        assert!(clock.steps.between(2, 3) && !clock.steps.between(3, 4));
        let set = clock.set.unwrap();
        assert_eq!((set.times, set.frame, set.ns), (1, 3, 7995 * MS));
    }

    #[test]
    fn only_the_latest_steps_are_remembered_by_frame() {
        let mut steps = Steps::default();
        for frame in [10, 20, 30, 40, 50] {
            steps.add(frame, &mut Hits::default());
        }
        assert!(steps.between(19, 20) && !steps.between(20, 29));
        assert!(steps.since(9) && steps.since(49) && !steps.since(50));
    }

    #[test]
    fn what_has_surely_passed_needs_two_stamps() {
        assert_eq!(
            clock(&[0, 5, 9000]).sure(),
            Timestamp::from_nanos(5 * MS),
            "the last one may be wrong"
        );
    }

    impl Clock {
        /// The clock steps back six times: four steps are remembered, and the latest before. Of
        /// another one a stamp more is wrong than are remembered.
        pub(crate) fn overrun() -> Hits {
            let back: Vec<i64> = (0..7).rev().map(|minute| minute * 60_000).collect();
            let wrong = (1..=KEPT as i64 + 1).flat_map(|n| [n * 10, 90_000, n * 10 + 1]);
            let wrong: Vec<i64> = wrong.collect();
            clock(&back).hits.and(&clock(&wrong).hits)
        }
    }
}
