//! Readings at the ends of intervals: of each instance the sums at the end and the greatest value
//! of each counter; values over time, where they are wanted, are in the spool. Intervals in which
//! nothing happened take no room at all, however many there are.

use super::objects::{Instance, instances};
use super::pdh::bound;
use super::spool::{BATCH, Scratch, Spool, Walk};
use super::table::Bound;
use crate::time::Rfc3339;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use wirewait_analysis::Readings;
use wirewait_wire::Timestamp;

/// Sums of all instances together, at one time: some 160 MB.
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
    /// Sums of all instances.
    sums: usize,
    /// Values over time are wanted, if they are not more.
    most: Option<u64>,
}

/// Readings over time.
#[derive(Debug, Default)]
pub struct Samples {
    pub(super) interval_ns: i64,
    /// Bits per second, where known.
    pub(super) speed: Option<u64>,
    /// How long the capture is, however its clock was set, ns.
    pub(super) elapsed_ns: i64,
    /// From the first frame to the latest stamp, ns: what the intervals cover.
    stamped_ns: i64,
    /// The first frame.
    pub(super) start: Option<Timestamp>,
    /// The beginning and the ends of all intervals.
    count: u64,
    pub(super) series: BTreeMap<Instance, Series>,
    /// Counters of all instances that have values.
    columns: u64,
    leap: Option<Leap>,
    /// Values over time, if they were wanted.
    spool: Option<Spool>,
}

/// The sums of one instance. Before they change for the first time they are 0.
#[derive(Debug, Default)]
pub(super) struct Series {
    /// How many instances were known before.
    pub(super) id: usize,
    /// As they are now.
    pub(super) latest: Vec<u64>,
    /// The greatest value so far of each counter, minus infinity where it had none.
    highest: Vec<f64>,
    /// How many times it takes into account.
    seen: u64,
    /// What the spool has in memory: the number of a time, and the sums from then on.
    pub(super) changes: Vec<(u64, Vec<u64>)>,
}

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
#[derive(Debug)]
pub enum Refusal {
    /// There are more instances than can be kept.
    Instances,
    /// The scratch file cannot be written.
    Scratch(io::Error),
    /// There would be more values than the user wants.
    Values {
        /// How many.
        values: u64,
        /// How many are wanted at most.
        most: u64,
        /// The beginning and the ends of all intervals.
        times: u64,
        /// An interval that would be long enough, seconds.
        interval_s: u64,
        /// What makes most of them.
        leap: Option<Leap>,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Instances => f.write_str(
                "there are more stations and shares than can be kept: choose part of the capture \
                 with --since, --until or --filter",
            ),
            Self::Scratch(error) => write!(f, "cannot write to a temporary file: {error}"),
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

impl std::error::Error for Refusal {}

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
    /// Takes readings every `interval_ns` nanoseconds (at least 1) on a link of `speed` bits/s.
    /// Keeps sums at the end and the greatest values, which is what [`text`](super::text()) shows.
    #[must_use]
    pub fn new(interval_ns: i64, speed: Option<u64>) -> Self {
        Self {
            span: None,
            samples: Samples {
                interval_ns: interval_ns.max(1),
                speed,
                ..Samples::default()
            },
            sums: 0,
            most: None,
        }
    }

    /// Keeps values over time, too: at most this many (those of all counters at all times), and
    /// in this file if they are more than a few. An error in place of the file matters when it
    /// is needed.
    #[must_use]
    pub fn over_time(self, most: u64, file: io::Result<Box<dyn Scratch>>) -> Self {
        self.over_time_in(most, file, BATCH)
    }

    /// [`Self::over_time`] with at most `batch` sums in memory.
    pub(super) fn over_time_in(
        mut self,
        most: u64,
        file: io::Result<Box<dyn Scratch>>,
        batch: usize,
    ) -> Self {
        self.most = Some(most);
        self.samples.spool = Some(Spool::new(file, batch));
        self
    }

    /// The frame of this number comes, and is not analysed yet. Intervals that are over by now
    /// are read.
    ///
    /// # Errors
    /// [`Refusal::Instances`] and [`Refusal::Scratch`].
    pub fn frame(
        &mut self,
        at: Timestamp,
        number: u64,
        readings: impl FnOnce() -> Readings,
    ) -> Result<(), Refusal> {
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
    /// [`Refusal`].
    pub fn finish(mut self, readings: &Readings) -> Result<Samples, Refusal> {
        if let Some((first, last)) = self.span {
            let stamped_ns = last.since(first).max(0);
            self.samples.stamped_ns = stamped_ns;
            self.samples.elapsed_ns = readings.elapsed_ns.unwrap_or(stamped_ns);
            self.read(readings)?;
        }
        if let Some(most) = self.most {
            self.samples.at_most(most)?;
        }
        self.samples.end_series();
        Ok(self.samples)
    }

    /// The interval under way is over.
    fn read(&mut self, readings: &Readings) -> Result<(), Refusal> {
        let samples = &mut self.samples;
        let number = samples.count;
        samples.count = number.saturating_add(1);
        let rule = samples.rule();
        for (instance, values) in instances(readings) {
            let (id, bounds) = (samples.series.len(), bound(&instance));
            let series = samples.series.entry(instance).or_insert_with(|| {
                self.sums += values.len();
                samples.columns += bounds.len() as u64;
                Series::new(id, bounds.len())
            });
            if series.seen > 0 && series.latest == values {
                continue;
            }
            if let Some(spool) = &mut samples.spool {
                spool.keeps(values.len());
                series.changes.push((number, values.clone()));
            }
            series.change(bounds, number, values, rule);
        }
        if self.sums > MOST_SUMS {
            return Err(Refusal::Instances);
        }
        if self.most.is_some_and(|most| samples.values() > most) {
            // They will be refused, and only how many they are is still of interest.
            samples.spool = None;
            for series in samples.series.values_mut() {
                series.changes = Vec::new();
            }
        }
        match &mut samples.spool {
            Some(spool) => spool.spill(&mut samples.series).map_err(Refusal::Scratch),
            None => Ok(()),
        }
    }
}

/// How values are formed.
#[derive(Clone, Copy, Debug)]
struct Rule {
    interval_ns: i64,
    speed: Option<u64>,
}

impl Rule {
    fn value(self, bound: &Bound, number: u64, before: &[u64], latest: &[u64]) -> Option<f64> {
        match number {
            0 if bound.counter.form.is_rate() => None,
            _ => bound.value(before, latest, self.interval_ns, self.speed),
        }
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

    /// Those of all counters at all times.
    fn values(&self) -> u64 {
        self.count.saturating_mul(self.columns)
    }

    /// Refuses what would be more than this many values.
    pub(super) fn at_most(&self, most: u64) -> Result<(), Refusal> {
        let values = self.values();
        if values <= most {
            return Ok(());
        }
        let times = (most / self.columns.max(1)).saturating_sub(2).max(1);
        let elapsed_s = self
            .stamped_ns
            .unsigned_abs()
            .div_ceil(SECOND.unsigned_abs());
        Err(Refusal::Values {
            values,
            most,
            times: self.count,
            interval_s: elapsed_s.div_ceil(times).max(1),
            leap: self.leap.filter(|leap| leap.ahead_ns > self.stamped_ns / 2),
        })
    }

    /// A frame whose stamp leaves more than half of the time without frames, though later frames
    /// are stamped before it: all of them count in its interval.
    #[must_use]
    pub fn stray(&self) -> Option<Leap> {
        let least = self.interval_ns.saturating_mul(LEAP_INTERVALS);
        self.leap
            .filter(|leap| leap.alone && leap.ahead_ns > least.max(self.stamped_ns / 2))
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

    fn rule(&self) -> Rule {
        Rule {
            interval_ns: self.interval_ns,
            speed: self.speed,
        }
    }

    /// No more changes come.
    fn end_series(&mut self) {
        let (rule, count) = (self.rule(), self.count);
        for (instance, series) in &mut self.series {
            series.quiet(bound(instance), count, rule);
        }
    }

    /// The values of an instance from the first time on, which is that before anything was seen.
    /// Reads the spool in pieces of about `room` bytes.
    ///
    /// # Errors
    /// What the operating system says, or that values over time were not wanted.
    pub(super) fn over_time<'a>(
        &'a self,
        series: &'a Series,
        room: usize,
    ) -> io::Result<Values<'a>> {
        let spool = self.spool.as_ref();
        let spool = spool.ok_or_else(|| io::Error::other("values over time were not kept"))?;
        Ok(Values {
            walk: Walk::new(spool, series, room)?,
            times: self.count,
            rule: self.rule(),
        })
    }

    /// The greatest value at any time. The capture ends within the last interval, whose rates are
    /// those of a whole one: together with the interval before, of the time that it has, no rate
    /// can be below the mean of all.
    pub(super) fn highest(&self, series: &Series, counter: usize, bound: &Bound) -> Option<f64> {
        let highest = series.highest(counter);
        let mean = bound
            .counter
            .form
            .is_rate()
            .then(|| self.mean(series, bound));
        match (highest, mean.flatten()) {
            (Some(highest), Some(mean)) => Some(highest.max(mean)),
            (highest, mean) => highest.or(mean),
        }
    }

    /// Over the whole time.
    pub(super) fn mean(&self, series: &Series, bound: &Bound) -> Option<f64> {
        bound.value(&[], &series.latest, self.elapsed_ns, self.speed)
    }
}

/// The values of an instance at one time after the other.
#[derive(Debug)]
pub(super) struct Values<'a> {
    walk: Walk<'a>,
    /// Times that are left.
    times: u64,
    rule: Rule,
}

impl Values<'_> {
    /// Goes to the next time: what forms the value of a counter. `None` behind the last.
    pub(super) fn step(&mut self) -> io::Result<Option<impl Fn(&Bound) -> Option<f64> + use<'_>>> {
        let Some(left) = self.times.checked_sub(1) else {
            return Ok(None);
        };
        self.times = left;
        let rule = self.rule;
        let (number, before, latest) = self.walk.step()?;
        Ok(Some(move |bound: &Bound| {
            rule.value(bound, number, before, latest)
        }))
    }
}

impl Series {
    fn new(id: usize, counters: usize) -> Self {
        Self {
            id,
            highest: vec![f64::NEG_INFINITY; counters],
            ..Self::default()
        }
    }

    /// The greatest value of the counter at this place of the instance's, at any time.
    pub(super) fn highest(&self, counter: usize) -> Option<f64> {
        let highest = self.highest.get(counter).copied();
        highest.filter(|highest| *highest > f64::NEG_INFINITY)
    }

    /// The sums become `values` at the time of this number.
    fn change(&mut self, bounds: &[Bound], number: u64, values: Vec<u64>, rule: Rule) {
        self.quiet(bounds, number, rule);
        raise(&mut self.highest, bounds, |bound| {
            rule.value(bound, number, &self.latest, &values)
        });
        self.seen = number + 1;
        self.latest = values;
    }

    /// Nothing changes before the time of this number.
    fn quiet(&mut self, bounds: &[Bound], number: u64, rule: Rule) {
        let now = &self.latest;
        // Nothing but the value behind the last change recurs; at the first time it is no rate.
        if self.seen < number {
            raise(&mut self.highest, bounds, |bound| {
                rule.value(bound, self.seen, now, now)
            });
        }
        if self.seen == 0 && number > 1 {
            raise(&mut self.highest, bounds, |bound| {
                rule.value(bound, 1, now, now)
            });
        }
    }
}

/// Makes each of these values at least what its counter is now.
fn raise(highest: &mut [f64], bounds: &[Bound], now: impl Fn(&Bound) -> Option<f64>) {
    for (highest, bound) in highest.iter_mut().zip(bounds) {
        *highest = now(bound).map_or(*highest, |now| highest.max(now));
    }
}
