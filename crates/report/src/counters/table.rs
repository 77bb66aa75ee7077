//! The table of counters, and how a value is formed from two readings.

use std::sync::OnceLock;

/// How a counter's value is formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// What it is now.
    Gauge,
    /// How often it happened since the capture began.
    Accumulated,
    /// Difference by time; 32 bits in Performance Monitor.
    Counter,
    /// Difference by time; 64 bits.
    Bulk,
    /// Difference by difference of a base.
    Average,
    /// Share of the link's speed, in per cent.
    Utilisation,
}

/// How far the wire shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Exactly.
    Exact,
    /// It follows from what is seen.
    Derived,
    /// Nearly; how, says the counter.
    Approximated,
    /// Only the machine itself knows: never given a value.
    HostInternal,
    /// It could be counted, and is not.
    NotCounted,
}

/// A sum of fields: the factor and name of each.
type Sum = Vec<(i64, String)>;

#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) table: &'static str,
    pub(crate) name: &'static str,
    /// Number in the registry of performance counters, where it has a fixed one.
    pub(crate) index: Option<u32>,
    pub(crate) form: Form,
    /// What Performance Monitor multiplied it by, so that a line fits on its chart.
    pub(crate) scale: &'static str,
    pub(crate) mark: Mark,
    factor: f64,
    /// Empty where there is no value.
    of: Sum,
    /// The base of an average.
    by: Sum,
    /// What to know about the value.
    pub(crate) how: &'static str,
}

/// The neutral sums behind a counter, found in a list of fields.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(crate) counter: &'static Counter,
    of: Vec<(i64, usize)>,
    by: Vec<(i64, usize)>,
}

const TABLE: &str = include_str!("table.csv");

/// All counters, in the order of the table.
pub(crate) fn counters() -> &'static [Counter] {
    static COUNTERS: OnceLock<Vec<Counter>> = OnceLock::new();
    // A line that is none is missed by the test that counts them.
    COUNTERS.get_or_init(|| TABLE.lines().skip(1).filter_map(Counter::parse).collect())
}

/// Lines of the table that should be counters.
#[cfg(test)]
pub(crate) fn lines() -> usize {
    TABLE.lines().count() - 1
}

impl Form {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Gauge => "gauge",
            Self::Accumulated => "accumulated",
            Self::Counter => "counter",
            Self::Bulk => "bulk",
            Self::Average => "average",
            Self::Utilisation => "utilisation",
        }
    }

    /// Whether it is the difference of two readings.
    pub(crate) const fn is_rate(self) -> bool {
        !matches!(self, Self::Gauge | Self::Accumulated)
    }
}

impl Mark {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Derived => "derived",
            Self::Approximated => "approximated",
            Self::HostInternal => "host-internal",
            Self::NotCounted => "not-counted",
        }
    }
}

impl Counter {
    /// Whether its values are seconds. All others count, or are parts of something.
    pub(crate) fn is_seconds(&self) -> bool {
        self.name.starts_with("Avg. sec/")
    }

    fn parse(line: &'static str) -> Option<Self> {
        let mut cells = line.splitn(9, ',');
        let mut cell = || cells.next();
        let (table, name, index) = (cell()?, cell()?, cell()?);
        let form = match cell()? {
            "GAUGE" => Form::Gauge,
            "ACCUMULATED" => Form::Accumulated,
            "COUNTER" => Form::Counter,
            "BULK" => Form::Bulk,
            "AVERAGE" => Form::Average,
            "UTILISATION" => Form::Utilisation,
            _ => return None,
        };
        let scale = cell()?;
        let mark = match cell()? {
            "exact" => Mark::Exact,
            "derived" => Mark::Derived,
            "approximated" => Mark::Approximated,
            "host-internal" => Mark::HostInternal,
            "not-counted" => Mark::NotCounted,
            _ => return None,
        };
        let factor = cell()?.parse().unwrap_or(1.0);
        let source = cell()?;
        let (of, by) = source.split_once('/').unwrap_or((source, ""));
        Some(Self {
            table,
            name,
            index: index.parse().ok(),
            form,
            scale,
            mark,
            factor,
            of: sum(of)?,
            by: sum(by)?,
            how: cell()?.trim_matches('"'),
        })
    }

    /// Finds its sums among these fields; `None` for a counter without value, or if the table
    /// names a field that is not there.
    pub(crate) fn bind(&'static self, fields: &[&str]) -> Option<Bound> {
        if self.of.is_empty() {
            return None;
        }
        Some(Bound {
            counter: self,
            of: find(&self.of, fields)?,
            by: find(&self.by, fields)?,
        })
    }
}

impl Bound {
    /// The value at the end of an interval of `ns` nanoseconds, from the readings at its
    /// ends. `None` where there is none: no time, nothing to divide by, or a share of an
    /// unknown speed (bits per second).
    pub(crate) fn value(
        &self,
        before: &[u64],
        after: &[u64],
        ns: i64,
        speed: Option<u64>,
    ) -> Option<f64> {
        let Counter { form, factor, .. } = self.counter;
        let change = |sum: &[(i64, usize)]| (total(sum, after) - total(sum, before)) as f64;
        let seconds = ns as f64 / 1e9;
        match form {
            Form::Gauge | Form::Accumulated => Some(total(&self.of, after) as f64 * factor),
            Form::Counter | Form::Bulk => (ns > 0).then(|| change(&self.of) * factor / seconds),
            Form::Average => {
                let base = change(&self.by);
                (base > 0.0).then(|| change(&self.of) * factor / base)
            }
            Form::Utilisation => {
                let speed = speed.filter(|speed| *speed > 0 && ns > 0)? as f64;
                Some(change(&self.of) * 8.0 * 100.0 / (speed * seconds))
            }
        }
    }

    /// Whether its sum means something by itself: not that of an average, which is only half
    /// of it, nor that of a time.
    pub(crate) fn has_total(&self) -> bool {
        let counts = !matches!(self.counter.form, Form::Average | Form::Utilisation);
        counts && self.counter.factor == 1.0
    }

    /// Its sum: what a rate adds up to.
    pub(crate) fn sum(&self, values: &[u64]) -> i128 {
        total(&self.of, values)
    }
}

fn total(sum: &[(i64, usize)], values: &[u64]) -> i128 {
    sum.iter()
        .map(|(times, at)| i128::from(*times) * values.get(*at).map_or(0, |v| i128::from(*v)))
        .sum()
}

/// `a+24*b-c`, as a list of how many times what.
pub(crate) fn sum(text: &str) -> Option<Sum> {
    let mut terms = Vec::new();
    for part in text.split('+').filter(|part| !part.is_empty()) {
        for (n, term) in part.split('-').enumerate() {
            let sign = if n == 0 { 1 } else { -1 };
            let (times, name) = match term.split_once('*') {
                Some((times, name)) => (times.parse().ok()?, name),
                None => (1, term),
            };
            terms.push((sign * times, name.to_owned()));
        }
    }
    Some(terms)
}

/// Where the terms stand among the fields.
pub(crate) fn find(sum: &Sum, fields: &[&str]) -> Option<Vec<(i64, usize)>> {
    sum.iter()
        .map(|(times, name)| Some((*times, fields.iter().position(|field| field == name)?)))
        .collect()
}

/// The value of a sum in these readings.
pub(crate) fn evaluate(sum: &Sum, fields: &[&str], values: &[u64]) -> Option<i128> {
    Some(total(&find(sum, fields)?, values))
}
