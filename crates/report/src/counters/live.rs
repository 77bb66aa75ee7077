//! The latest readings, for a chart of any counters on the screen.

use super::objects::{Instance, OBJECTS, instances};
use super::table::{Bound, Form, Mark, counters};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use wirewait_analysis::Readings;
use wirewait_wire::Timestamp;

/// Samples kept, so that a chart is full of them.
pub const SAMPLES: usize = 300;
/// Sums kept in all of them together: some 32 MB. The oldest samples go early rather than to
/// keep more; the latest is kept in any case.
const MOST_SUMS: usize = 4_000_000;
/// A clock that steps back by so much has begun anew, ns.
const STEP_NS: i64 = 60_000_000_000;

/// Takes readings at the ends of intervals and keeps the latest.
#[derive(Debug)]
pub struct Live {
    most: usize,
    chart: Chart,
    /// Where the clock stands.
    now: Timestamp,
    /// Sums kept.
    kept: usize,
}

/// The latest readings as they stood at one moment. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    interval_ns: i64,
    speed: Option<u64>,
    /// The ends of intervals; the first one may be the beginning of the capture.
    times: VecDeque<Timestamp>,
    /// Number of the first of them, counted from the beginning of the capture.
    first: u64,
    series: BTreeMap<Instance, Arc<LiveSeries>>,
    /// What the capture lacks of the last interval, ns; 0 while it goes on.
    lacks_ns: i64,
    missed: u64,
}

/// The sums of one instance, by the number of the time from which on they stood so.
#[derive(Clone, Debug, Default)]
struct LiveSeries(VecDeque<(u64, Arc<[u64]>)>);

/// One counter of one instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pick {
    instance: Instance,
    counter: &'static str,
}

/// An object, what it can count, and its instances.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name.
    pub object: &'static str,
    /// Its counters, those without value too.
    pub counters: Vec<Kind>,
    /// Its instances: the station's name and, where it has more than one, the instance's; and
    /// what it takes to pick one.
    pub instances: Vec<CounterPlace>,
}

/// What a counter is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// How far the wire shows it: `exact`, `derived`, `approximated`; `host-internal` and
    /// `not-counted` have no value.
    pub mark: &'static str,
    /// What to know about the value; may be empty.
    pub how: &'static str,
    /// What Performance Monitor multiplied it by, so that a line fits between 0 and 100.
    pub scale: f64,
    /// Whether it has values.
    pub counted: bool,
    /// Whether its values are seconds.
    pub seconds: bool,
}

/// An instance of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CounterPlace(Instance);

/// A line of the chart: a value for each time, where there is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// The values, the oldest first.
    pub values: Vec<Option<f64>>,
    /// The last one.
    pub last: Option<f64>,
    /// The smallest.
    pub min: Option<f64>,
    /// Of a rate over the whole time that is shown, of what it is now over the values.
    pub average: Option<f64>,
    /// The greatest.
    pub max: Option<f64>,
}

impl Live {
    /// Takes readings every `interval_ns` nanoseconds (at least 1) on a link of `speed` bits/s.
    #[must_use]
    pub fn new(interval_ns: i64, speed: Option<u64>) -> Self {
        Self {
            most: MOST_SUMS,
            chart: Chart {
                interval_ns: interval_ns.max(1),
                speed,
                ..Chart::default()
            },
            now: Timestamp::default(),
            kept: 0,
        }
    }

    /// The clock stands here: a frame comes, and is not analysed yet, or time passes. If an
    /// interval is over by now, the meters are read.
    pub fn advance(&mut self, now: Timestamp, readings: impl FnOnce() -> Readings) {
        self.now = now;
        let Some(last) = self.chart.times.back().copied() else {
            self.chart.times.push_back(now);
            return;
        };
        let passed = now.since(last);
        if passed < -STEP_NS {
            self.restart(now, &readings());
            return;
        }
        let over = passed / self.chart.interval_ns;
        if over < 1 {
            return;
        }
        if over > SAMPLES as i64 {
            // Nothing happened for as long as is kept.
            self.restart(now, &readings());
            return;
        }
        self.read(&readings());
        for _ in 1..over {
            self.tick();
        }
    }

    /// The capture is over: what the meters show now is the end of the last interval, which the capture may have only
    /// the beginning of.
    pub fn finish(&mut self, readings: &Readings) {
        if let Some(last) = self.chart.times.back() {
            let passed = self.now.since(*last).max(0);
            self.chart.lacks_ns = self.chart.interval_ns.saturating_sub(passed).max(0);
            self.read(readings);
        }
    }

    /// All that is kept, as it stands.
    #[must_use]
    pub fn chart(&self) -> Chart {
        self.chart.clone()
    }

    /// The next interval is over.
    fn tick(&mut self) {
        let Some(last) = self.chart.times.back() else {
            return;
        };
        let end = last.plus(self.chart.interval_ns);
        self.chart.times.push_back(end);
        while self.chart.times.len() > SAMPLES + 1
            || (self.kept > self.most && self.chart.times.len() > 2)
        {
            self.chart.missed += u64::from(self.chart.times.len() <= SAMPLES + 1);
            self.forget();
        }
    }

    fn read(&mut self, readings: &Readings) {
        let number = self.chart.first + self.chart.times.len() as u64;
        self.note(number, readings);
        self.tick();
    }

    /// Notes what has changed.
    fn note(&mut self, number: u64, readings: &Readings) {
        for (instance, values) in instances(readings) {
            let series = self.chart.series.entry(instance).or_default();
            let latest = series.0.back().map(|(_, latest)| latest.as_ref());
            if latest != Some(values.as_slice()) {
                self.kept += values.len();
                let series = Arc::make_mut(series);
                series.0.push_back((number, values.into()));
            }
        }
    }

    /// Forgets the oldest time, and what only it needed.
    fn forget(&mut self) {
        self.chart.times.pop_front();
        self.chart.first += 1;
        let first = self.chart.first;
        for series in self.chart.series.values_mut() {
            // The latest of those before stays: the next one is compared with it.
            while series.0.get(1).is_some_and(|(number, _)| *number <= first) {
                let gone = Arc::make_mut(series).0.pop_front();
                self.kept -= gone.map_or(0, |(_, values)| values.len());
            }
        }
    }

    /// Begins anew, with what the meters show now as what was before.
    fn restart(&mut self, now: Timestamp, readings: &Readings) {
        self.chart.times.clear();
        self.chart.times.push_back(now);
        self.chart.series.clear();
        self.kept = 0;
        self.note(self.chart.first, readings);
    }
}

impl Chart {
    /// From one value to the next, ns.
    #[must_use]
    pub fn interval_ns(&self) -> i64 {
        self.interval_ns
    }

    /// The time that is shown, ns, without what the capture lacks of the last interval.
    #[must_use]
    pub fn elapsed_ns(&self) -> i64 {
        let intervals = i64::try_from(self.times.len().saturating_sub(1)).unwrap_or(i64::MAX);
        let whole = self.interval_ns.saturating_mul(intervals);
        whole.saturating_sub(self.lacks_ns)
    }

    /// When the values of all lines were read, the oldest first.
    pub fn times(&self) -> impl ExactSizeIterator<Item = Timestamp> + DoubleEndedIterator + '_ {
        self.times.iter().copied()
    }

    /// The last intervals alone, at most this number.
    #[must_use]
    pub fn last(&self, intervals: usize) -> Self {
        let mut chart = self.clone();
        let gone = chart
            .times
            .len()
            .saturating_sub(intervals.saturating_add(1));
        chart.times.drain(..gone);
        chart.first += gone as u64;
        chart
    }

    /// Times that were given up early because they took too much memory.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// All objects, with their instances at this moment.
    #[must_use]
    pub fn listed(&self) -> Vec<Listed> {
        let of = |(number, object): (usize, &super::objects::CounterObject)| Listed {
            object: object.name,
            counters: counters()
                .iter()
                .filter(|counter| counter.table == object.table)
                .map(Kind::of)
                .collect(),
            instances: self
                .series
                .keys()
                .filter(|instance| instance.object == number)
                .map(|instance| CounterPlace(instance.clone()))
                .collect(),
        };
        OBJECTS.iter().enumerate().map(of).collect()
    }

    /// The line of a counter. One that has no value, or of an instance that is not there any
    /// more, has none.
    #[must_use]
    pub fn line(&self, pick: &Pick) -> Line {
        let (Some(series), Some(bound)) = (self.series.get(&pick.instance), pick.bound()) else {
            return Line::default();
        };
        let mut at = 0;
        let mut latest: &[u64] = &[];
        let mut base: &[u64] = &[];
        let mut values = Vec::with_capacity(self.times.len());
        // A single interval is of the time that the capture has: it has no rate but the mean.
        let interval_ns = match self.times.len() {
            2 => self.elapsed_ns(),
            _ => self.interval_ns,
        };
        for number in (self.first..).take(self.times.len()) {
            let before = latest;
            while let Some((_, sums)) = series.0.get(at).filter(|(n, _)| *n <= number) {
                latest = sums;
                at += 1;
            }
            if values.is_empty() {
                base = latest;
            }
            // A rate needs two readings; the first one only begins it.
            values.push(match values.is_empty() && bound.counter.form.is_rate() {
                true => None,
                false => bound.value(before, latest, interval_ns, self.speed),
            });
        }
        let found = || values.iter().flatten().copied();
        let average = match bound.counter.form {
            Form::Gauge | Form::Accumulated => {
                let n = found().count();
                (n > 0).then(|| found().sum::<f64>() / n as f64)
            }
            _ => bound.value(base, latest, self.elapsed_ns(), self.speed),
        };
        // The rates of the last interval are those of a whole one: of the time that there is, none is below the mean of all.
        let mean = average.filter(|_| bound.counter.form.is_rate() && self.lacks_ns > 0);
        Line {
            last: found().next_back(),
            min: found().reduce(f64::min),
            average,
            max: found().chain(mean).reduce(f64::max),
            values,
        }
    }
}

impl Kind {
    fn of(counter: &super::table::Counter) -> Self {
        Self {
            name: counter.name,
            mark: counter.mark.name(),
            how: counter.how,
            // Each one is a number above 0: a test looks at them.
            scale: counter.scale.parse().unwrap_or(1.0),
            counted: !matches!(counter.mark, Mark::HostInternal | Mark::NotCounted),
            seconds: counter.is_seconds(),
        }
    }
}

impl CounterPlace {
    /// Its station, as outputs name it.
    #[must_use]
    pub fn station(&self) -> String {
        self.0.station()
    }

    /// Its own name, safe for a terminal; empty for the only one of a station.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether it is named by a share.
    #[must_use]
    pub fn is_share(&self) -> bool {
        self.0.object().has_shares()
    }

    /// Picks one of its counters by name, if there is one of that name.
    #[must_use]
    pub fn pick(&self, counter: &str) -> Option<Pick> {
        let object = self.0.object();
        let all = counters().iter();
        let mut of = all.filter(|c| c.table == object.table && c.name == counter);
        Some(Pick {
            counter: of.next()?.name,
            instance: self.0.clone(),
        })
    }
}

impl Pick {
    /// The object's name.
    #[must_use]
    pub fn object(&self) -> &'static str {
        self.instance.object().name
    }

    /// The instance.
    #[must_use]
    pub fn place(&self) -> CounterPlace {
        CounterPlace(self.instance.clone())
    }

    /// The counter.
    #[must_use]
    pub fn kind(&self) -> Option<Kind> {
        self.counter().map(Kind::of)
    }

    fn counter(&self) -> Option<&'static super::table::Counter> {
        let table = self.instance.object().table;
        let mut all = counters().iter();
        all.find(|c| c.table == table && c.name == self.counter)
    }

    fn bound(&self) -> Option<Bound> {
        self.counter()?.bind(&(self.instance.object().fields)())
    }
}

#[cfg(test)]
mod tests;
