//! Readings at the ends of intervals, of which only what changed is kept.

use super::objects::{Instance, instances};
use super::table::Bound;
use std::collections::BTreeMap;
use std::fmt;
use wirewait_analysis::Readings;
use wirewait_wire::Timestamp;

/// Sums kept in all series together: some 160 MB.
const MOST_SUMS: usize = 20_000_000;
/// Intervals at most: what is written has a row for each.
const MOST_TIMES: usize = 1_000_000;

/// Takes readings at the ends of intervals, counted from the first frame.
#[derive(Debug)]
pub struct Sampler {
    interval_ns: i64,
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
    /// The beginning, then the end of each interval.
    pub(super) times: Vec<Timestamp>,
    pub(super) series: BTreeMap<Instance, Series>,
}

/// The sums of one instance, at each end of an interval at which they had changed. Before the
/// first they are 0.
#[derive(Debug, Default)]
pub(super) struct Series(Vec<(usize, Vec<u64>)>);

/// The capture has more intervals than can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the capture has more intervals and stations than can be kept: choose a longer \
             --interval, or part of the capture with --since, --until or --filter",
        )
    }
}

impl std::error::Error for TooMany {}

impl Sampler {
    /// Intervals of so many nanoseconds (at least 1) on a link of so many bits per second.
    #[must_use]
    pub fn new(interval_ns: i64, speed: Option<u64>) -> Self {
        let interval_ns = interval_ns.max(1);
        Self {
            interval_ns,
            span: None,
            samples: Samples {
                interval_ns,
                speed,
                ..Samples::default()
            },
            kept: 0,
        }
    }

    /// A frame comes, and is not analysed yet. Intervals that are over by now are read.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn frame(
        &mut self,
        at: Timestamp,
        readings: impl FnOnce() -> Readings,
    ) -> Result<(), TooMany> {
        let Some((_, last)) = &mut self.span else {
            self.span = Some((at, at));
            self.samples.times.push(at);
            return Ok(());
        };
        *last = at.max(*last);
        let Some(end) = self.end().filter(|end| at >= *end) else {
            return Ok(());
        };
        let over = at.since(end) / self.interval_ns;
        let over = usize::try_from(over).unwrap_or(usize::MAX);
        if over.saturating_add(self.samples.times.len()) > MOST_TIMES {
            return Err(TooMany);
        }
        self.read(end, &readings())?;
        // Nothing happened in those that passed without a frame.
        for _ in 0..over {
            let Some(end) = self.end() else { break };
            self.samples.times.push(end);
        }
        Ok(())
    }

    /// The capture is over.
    ///
    /// # Errors
    /// [`TooMany`].
    pub fn finish(mut self, readings: &Readings) -> Result<Samples, TooMany> {
        if let (Some((first, last)), Some(end)) = (self.span, self.end()) {
            self.samples.elapsed_ns = last.since(first).max(0);
            self.read(end, readings)?;
        }
        Ok(self.samples)
    }

    /// The end of the interval under way.
    fn end(&self) -> Option<Timestamp> {
        Some(self.samples.times.last()?.plus(self.interval_ns))
    }

    fn read(&mut self, end: Timestamp, readings: &Readings) -> Result<(), TooMany> {
        let number = self.samples.times.len();
        self.samples.times.push(end);
        for (instance, values) in instances(readings) {
            let Series(series) = self.samples.series.entry(instance).or_default();
            if series.last().is_none_or(|(_, latest)| *latest != values) {
                self.kept += values.len();
                series.push((number, values));
            }
        }
        if self.kept > MOST_SUMS {
            return Err(TooMany);
        }
        Ok(())
    }
}

impl Samples {
    /// The value of a counter of an instance at each of the times; the first is that before
    /// anything was seen.
    pub(super) fn values<'a>(
        &'a self,
        series: &'a Series,
        bound: &'a Bound,
    ) -> impl Iterator<Item = Option<f64>> + 'a {
        let mut at = 0;
        let mut latest: &[u64] = &[];
        (0..self.times.len()).map(move |number| {
            let before = latest;
            if let Some((_, values)) = series.0.get(at).filter(|(n, _)| *n == number) {
                latest = values;
                at += 1;
            }
            match number {
                0 if bound.counter.form.is_rate() => None,
                _ => bound.value(before, latest, self.interval_ns, self.speed),
            }
        })
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
