//! Readings at the ends of intervals, of which only what changed is kept: intervals in which
//! nothing happened take no memory, however many there are.

use super::objects::{Instance, instances};
use super::pdh;
use super::table::Bound;
use crate::time::Rfc3339;
use std::collections::BTreeMap;
use std::fmt;
use wirewait_analysis::Readings;
use wirewait_wire::Timestamp;

/// Sums kept in all series together: some 160 MB.
const MOST_SUMS: usize = 20_000_000;

/// A time without frames is worth a word if it is longer than this many intervals.
const LEAP_INTERVALS: i64 = 60;

const SECOND: i64 = 1_000_000_000;

/// Takes readings at the ends of intervals, counted from the first frame.
#[derive(Debug)]
pub struct Sampler {
    /// The first frame, and the latest of all.
    span: Option<(Timestamp, Timestamp)>,
    samples: Samples,
    kept: usize,
}

/// Readings over time.
#[derive(Debug, Default)]
pub struct Samples {
    pub(super) interval_ns: i64,
    /// Bits per second, where known.
    pub(super) speed: Option<u64>,
    /// From the first frame to the last, ns.
    pub(super) elapsed_ns: i64,
    /// The first frame.
    pub(super) start: Option<Timestamp>,
    /// The beginning and the ends of all intervals.
    count: u64,
    pub(super) series: BTreeMap<Instance, Series>,
    leap: Option<Leap>,
}

/// The sums of one instance, at each end of an interval at which they had changed. Before the
/// first they are 0.
#[derive(Debug, Default)]
pub(super) struct Series(Vec<(u64, Vec<u64>)>);

/// The longest time without frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leap {
    /// The frame behind it, counted from 1.
    pub frame: u64,
    /// The latest frame before it.
    pub from: Timestamp,
    /// The latest of those that are stamped nearer to the ones before than to it: behind it there
    /// is nothing else.
    pub usual: Timestamp,
    /// How long it was, ns.
    pub ahead_ns: i64,
    /// Later frames are stamped before this one: it is its stamp that is wrong.
    pub alone: bool,
}

/// Why there are no counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMany {
    /// More changed than can be kept.
    Changes,
    /// There would be more values than the user wants.
    Values {
        /// How many.
        values: u64,
        /// How many are wanted at most.
        most: u64,
        /// The beginning and the ends of all intervals.
        times: u64,
        /// Intervals of so many seconds would do.
        interval_s: u64,
        /// What makes most of them.
        leap: Option<Leap>,
    },
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changes => f.write_str(
                "more counters change in more intervals than can be kept: choose a longer \
                 --interval, or part of the capture with --since, --until or --filter",
            ),
            Self::Values {
                values,
                most,
                times,
                interval_s,
                leap,
            } => {
                if let Some(leap) = leap {
                    write!(f, "{leap}; ")?;
                }
                write!(
                    f,
                    "{times} times make {values} values, more than {most}: choose a longer \
                     --interval ({interval_s}s)"
                )?;
                if let Some(leap) = leap {
                    write!(f, ", or --until {}", Rfc3339(leap.usual.plus(1)))?;
                }
                f.write_str(", or allow more with --max-values")
            }
        }
    }
}

impl std::error::Error for TooMany {}

/// `frame 102 is stamped 8.5 days after the frames before it`.
impl fmt::Display for Leap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.ahead_ns / SECOND;
        let (per, unit) = match s {
            63_115_200.. => (31_557_600, "years"),
            172_800.. => (86_400, "days"),
            7200.. => (3600, "hours"),
            _ => (60, "minutes"),
        };
        let tenths = s * 10 / per;
        write!(
            f,
            "frame {} is stamped {}.{} {unit} after the frames before it",
            self.frame,
            tenths / 10,
            tenths % 10
        )
    }
}

impl Sampler {
    /// Intervals of so many nanoseconds (at least 1) on a link of so many bits per second.
    #[must_use]
    pub fn new(interval_ns: i64, speed: Option<u64>) -> Self {
        Self {
            span: None,
            samples: Samples {
                interval_ns: interval_ns.max(1),
                speed,
                ..Samples::default()
            },
            kept: 0,
        }
    }

    /// The frame of this number comes, and is not analysed yet. Intervals that are over by now
    /// are read.
    ///
    /// # Errors
    /// [`TooMany::Changes`].
    pub fn frame(
        &mut self,
        at: Timestamp,
        number: u64,
        readings: impl FnOnce() -> Readings,
    ) -> Result<(), TooMany> {
        let Some((_, last)) = &mut self.span else {
            self.span = Some((at, at));
            (self.samples.start, self.samples.count) = (Some(at), 1);
            return Ok(());
        };
        let latest = std::mem::replace(last, at.max(*last));
        self.samples.leapt(latest, at, number);
        let Some(end) = self.samples.end().filter(|end| at >= *end) else {
            return Ok(());
        };
        self.read(&readings())?;
        // Nothing happened in those that passed without a frame.
        let over = at.since(end) / self.samples.interval_ns;
        self.samples.count = self.samples.count.saturating_add(over.unsigned_abs());
        Ok(())
    }

    /// The capture is over.
    ///
    /// # Errors
    /// [`TooMany::Changes`].
    pub fn finish(mut self, readings: &Readings) -> Result<Samples, TooMany> {
        if let Some((first, last)) = self.span {
            self.samples.elapsed_ns = last.since(first).max(0);
            self.read(readings)?;
        }
        Ok(self.samples)
    }

    /// The interval under way is over.
    fn read(&mut self, readings: &Readings) -> Result<(), TooMany> {
        let number = self.samples.count;
        self.samples.count = number.saturating_add(1);
        for (instance, values) in instances(readings) {
            let Series(series) = self.samples.series.entry(instance).or_default();
            if series.last().is_none_or(|(_, latest)| *latest != values) {
                self.kept += values.len();
                series.push((number, values));
            }
        }
        if self.kept > MOST_SUMS {
            return Err(TooMany::Changes);
        }
        Ok(())
    }
}

impl Samples {
    /// The beginning, then the end of each interval.
    pub(super) fn times(&self) -> impl Iterator<Item = Timestamp> + '_ {
        (0..self.count).filter_map(|number| self.time(number))
    }

    fn time(&self, number: u64) -> Option<Timestamp> {
        let passed = i64::try_from(number).unwrap_or(i64::MAX);
        Some(self.start?.plus(self.interval_ns.saturating_mul(passed)))
    }

    /// The end of the interval under way.
    fn end(&self) -> Option<Timestamp> {
        self.time(self.count)
    }

    /// Refuses what would be more than this many values: those of all counters at all times.
    ///
    /// # Errors
    /// [`TooMany::Values`].
    pub fn at_most(&self, most: u64) -> Result<(), TooMany> {
        let columns: usize = self.series.keys().map(|one| pdh::bound(one).count()).sum();
        let columns = columns as u64;
        let values = self.count.saturating_mul(columns);
        if values <= most {
            return Ok(());
        }
        let times = (most / columns.max(1)).saturating_sub(2).max(1);
        let elapsed_s = self
            .elapsed_ns
            .unsigned_abs()
            .div_ceil(SECOND.unsigned_abs());
        Err(TooMany::Values {
            values,
            most,
            times: self.count,
            interval_s: elapsed_s.div_ceil(times).max(1),
            leap: self.leap.filter(|leap| leap.ahead_ns > self.elapsed_ns / 2),
        })
    }

    /// A frame whose stamp leaves more than half of the time without frames, though later frames
    /// are stamped before it: all of them count in its interval.
    #[must_use]
    pub fn stray(&self) -> Option<Leap> {
        let least = self.interval_ns.saturating_mul(LEAP_INTERVALS);
        self.leap
            .filter(|leap| leap.alone && leap.ahead_ns > least.max(self.elapsed_ns / 2))
    }

    fn leapt(&mut self, from: Timestamp, to: Timestamp, frame: u64) {
        let ahead_ns = to.since(from);
        if ahead_ns > self.leap.map_or(0, |leap| leap.ahead_ns) {
            self.leap = Some(Leap {
                frame,
                from,
                usual: from,
                ahead_ns,
                alone: false,
            });
        } else if let Some(leap) = &mut self.leap
            && to.since(leap.from) < leap.ahead_ns / 2
        {
            leap.alone = true;
            leap.usual = to.max(leap.usual);
        }
    }

    /// The value of a counter of an instance at each of the times; the first is that before
    /// anything was seen.
    pub(super) fn values<'a>(
        &'a self,
        series: &'a Series,
        bound: &'a Bound,
    ) -> impl Iterator<Item = Option<f64>> + 'a {
        let mut at = 0;
        let mut latest: &[u64] = &[];
        (0..self.count).map(move |number| {
            let before = latest;
            if let Some((_, values)) = series.0.get(at).filter(|(n, _)| *n == number) {
                latest = values;
                at += 1;
            }
            self.value(bound, number, before, latest)
        })
    }

    /// The greatest value of a counter at any of the times.
    pub(super) fn highest(&self, series: &Series, bound: &Bound) -> Option<f64> {
        // Between changes nothing but the value behind the last one recurs.
        let mut highest: Option<f64> = None;
        let mut look = |value: Option<f64>| {
            if let Some(value) = value {
                highest = Some(highest.map_or(value, |most| most.max(value)));
            }
        };
        let (mut before, mut next): (&[u64], u64) = (&[], 0);
        let end = (self.count, [].as_slice());
        let changes = series.0.iter().map(|(n, values)| (*n, values.as_slice()));
        for (number, values) in changes.chain([end]) {
            if next < number {
                look(self.value(bound, next, before, before));
            }
            if next == 0 && number > 1 {
                look(self.value(bound, 1, before, before));
            }
            if number < self.count {
                look(self.value(bound, number, before, values));
            }
            (before, next) = (values, number + 1);
        }
        highest
    }

    fn value(&self, bound: &Bound, number: u64, before: &[u64], latest: &[u64]) -> Option<f64> {
        match number {
            0 if bound.counter.form.is_rate() => None,
            _ => bound.value(before, latest, self.interval_ns, self.speed),
        }
    }

    /// Over the whole time.
    pub(super) fn mean(&self, series: &Series, bound: &Bound) -> Option<f64> {
        bound.value(&[], series.last(), self.elapsed_ns, self.speed)
    }
}

impl Series {
    /// The sums at the end.
    pub(super) fn last(&self) -> &[u64] {
        self.0.last().map_or(&[], |(_, values)| values)
    }
}
