//! What an administrator reads: for each station and object what is not zero, the ratios, and
//! in one line what is zero. Nothing is left out without a word.

use super::objects::{Instance, OBJECTS};
use super::pdh::bound;
use super::ratios::{Formed, ratios};
use super::samples::{Samples, Series};
use super::table::{Bound, Form, Mark, counters};
use crate::figures::Grouped;
use crate::table::{NOTHING, Table};
use crate::text::Look;
use crate::time::{Digits, Rfc3339};
use std::collections::BTreeMap;
use std::io::{self, Write};
use wirewait_wire::Endpoint;

/// Stations shown; further ones are counted.
const STATIONS: usize = 20;

/// What the column of marks means.
pub(crate) const MARKS: &str = "Marks: d derived, a approximated; what has no mark is exact.";

/// What the values of counters are that are numbers, not rates.
pub(crate) const STANDING: &str = "Sessions, files, clients and commands are counted at the end of each \
                                   interval; what begins and ends within an interval is not counted.";

/// Writes what is not zero.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, samples: &Samples, look: Look) -> io::Result<()> {
    let Some(extent) = extent(samples, look.digits) else {
        return writeln!(out, "No frames: no counters.");
    };
    writeln!(out, "{extent}")?;
    writeln!(out, "{MARKS} --format json says how.")?;
    writeln!(out, "{STANDING}")?;
    let (stations, more) = stations(samples, look.digits);
    for (station, objects) in &stations {
        writeln!(out)?;
        look.heading(out, &name(*station))?;
        for shown in objects {
            write(out, shown, look)?;
        }
    }
    if more > 0 {
        writeln!(out)?;
        writeln!(
            out,
            "and {more} more stations: --filter chooses, --format csv has all"
        )?;
    }
    unseen(out, look)
}

/// What people see of an object of a station.
#[derive(Debug)]
pub(crate) struct ObjectFigures {
    /// The object, with its number in the registry and the name of the instance.
    pub(crate) name: String,
    /// Counters that are not zero.
    pub(crate) counters: Table,
    /// Names of those that are.
    pub(crate) zero: Vec<&'static str>,
    /// Ratios of its sums.
    pub(crate) ratios: Table,
}

/// The objects of a station that have values; no station stands for the segment.
pub(crate) type StationFigures = (Option<Endpoint>, Vec<ObjectFigures>);

/// What the values are: from when, for how long, in which intervals. `None` without frames.
pub(crate) fn extent(samples: &Samples, digits: Digits) -> Option<String> {
    Some(format!(
        "From {} for {}, in intervals of {}: mean over all of it, highest of an interval.",
        Rfc3339(samples.start?),
        digits.time(samples.elapsed_ns),
        match samples.interval_ns {
            ns @ 0..1000 => format!("{ns} ns"),
            ns => digits.time(ns),
        },
    ))
}

/// The first stations, the segment before them, and how many more there are.
pub(crate) fn stations(samples: &Samples, digits: Digits) -> (Vec<StationFigures>, usize) {
    let mut all = BTreeMap::<Option<Endpoint>, Vec<(&Instance, &Series)>>::new();
    for (instance, series) in &samples.series {
        all.entry(instance.station)
            .or_default()
            .push((instance, series));
    }
    let more = all.len().saturating_sub(STATIONS + 1);
    let first = all.into_iter().take(STATIONS + 1);
    let shown = first.map(|(station, rows)| {
        let objects = rows.into_iter();
        let objects = objects.filter_map(|(of, series)| object(samples, of, series, digits));
        (station, objects.collect())
    });
    (shown.collect(), more)
}

/// The name of a station, or of the segment.
pub(crate) fn name(station: Option<Endpoint>) -> String {
    station.map_or("Segment".to_owned(), |station| station.to_string())
}

/// An object of which nothing happened (a server's queues of a client) has nothing to show.
fn object(
    samples: &Samples,
    instance: &Instance,
    series: &Series,
    digits: Digits,
) -> Option<ObjectFigures> {
    let of = instance.object();
    let mut lines = Vec::new();
    let mut zero = Vec::new();
    for (n, bound) in bound(instance).iter().enumerate() {
        match line(samples, series, (n, bound), digits) {
            Some(line) => lines.push(line),
            None if bound.counter.form == Form::Utilisation && samples.speed.is_none() => {
                zero.push("% Network utilization (not known without --link-speed)");
            }
            None => zero.push(bound.counter.name),
        }
    }
    if lines.is_empty() {
        return None;
    }
    let index = of.index.map_or(String::new(), |n| format!(" ({n})"));
    let name = match instance.name.as_str() {
        "" => String::new(),
        name => format!(" {name}"),
    };
    let fields = (of.fields)();
    let formed = ratios().iter().filter(|ratio| ratio.table == of.table);
    let formed = formed.filter_map(|ratio| Some((ratio, ratio.form(&fields, &series.latest)?)));
    let formed: Vec<_> = formed.filter(|(_, value)| value.numerator != 0).collect();
    Some(ObjectFigures {
        name: format!("{}{index}{name}", of.name),
        counters: Table::over(&lines)
            .left("counter", |line| line.name)
            .right("mean", |line| line.mean.clone())
            .right("highest", |line| line.highest.clone())
            .right("total", |line| line.total.clone())
            .rare_left("mark", |line| line.mark)
            .table,
        zero,
        ratios: Table::over(&formed)
            .left("ratio", |(ratio, _)| ratio.name)
            .right("value", |(ratio, value)| {
                quotient(ratio.unit, *value, digits)
            })
            .left("", |(ratio, _)| ratio.unit)
            .right("of", |(_, value)| grouped(value.numerator))
            .right("by", |(_, value)| grouped(value.denominator))
            .table,
    })
}

fn write(out: &mut impl Write, shown: &ObjectFigures, look: Look) -> io::Result<()> {
    writeln!(out)?;
    look.heading(out, &format!("  {}", shown.name))?;
    shown.counters.write(out, look)?;
    if !shown.zero.is_empty() {
        wrapped(out, "zero: ", &shown.zero, look)?;
    }
    if !shown.ratios.is_empty() {
        writeln!(out)?;
        shown.ratios.write(out, look)?;
    }
    Ok(())
}

/// A counter that is not zero.
struct CounterLine {
    name: &'static str,
    mean: String,
    highest: String,
    total: String,
    mark: &'static str,
}

/// The line of a counter, the one at place `n` of its instance.
fn line(
    samples: &Samples,
    series: &Series,
    (n, bound): (usize, &Bound),
    digits: Digits,
) -> Option<CounterLine> {
    let counter = bound.counter;
    let total = bound.sum(&series.latest);
    let mean = samples.mean(series, bound);
    let highest = samples.highest(series, n, bound);
    let ever = highest.is_some_and(|highest| highest != 0.0) || mean.is_some_and(|m| m != 0.0);
    if !ever && (total == 0 || counter.form == Form::Utilisation) {
        return None;
    }
    let shown = |value: Option<f64>| match value {
        None => NOTHING.to_owned(),
        // Seconds have the unit that fits.
        Some(value) if counter.is_seconds() => digits.time((value * 1e9).round() as i64),
        Some(value) => number(value, digits),
    };
    let sums = bound.has_total() && counter.form != Form::Gauge;
    Some(CounterLine {
        name: counter.name,
        mean: match counter.form.is_rate() {
            true => shown(mean),
            false => String::new(),
        },
        highest: match counter.form {
            Form::Accumulated => String::new(),
            _ => shown(highest),
        },
        total: match sums {
            true => grouped(total),
            false => String::new(),
        },
        mark: match counter.mark {
            Mark::Derived => "d",
            Mark::Approximated => "a",
            _ => "",
        },
    })
}

/// What no capture shows, named once.
fn unseen(out: &mut impl Write, look: Look) -> io::Result<()> {
    writeln!(out)?;
    look.heading(out, "Host-internal: no capture shows it")?;
    let mut named = Vec::new();
    for object in &OBJECTS {
        if named.contains(&object.table) {
            continue;
        }
        named.push(object.table);
        let of = |mark| -> Vec<&str> {
            counters()
                .iter()
                .filter(|c| c.table == object.table && c.mark == mark)
                .map(|c| c.name)
                .collect()
        };
        let hidden = of(Mark::HostInternal);
        if !hidden.is_empty() {
            wrapped(out, &format!("{}: ", object.name), &hidden, look)?;
        }
        let left = of(Mark::NotCounted);
        if !left.is_empty() {
            wrapped(
                out,
                &format!("{}, not counted yet: ", object.name),
                &left,
                look,
            )?;
        }
    }
    wrapped(out, "and ", &["Processor and Process, all of them"], look)
}

/// A list that goes on below.
fn wrapped(out: &mut impl Write, front: &str, names: &[&str], look: Look) -> io::Result<()> {
    let mut line = format!("    {front}");
    for (n, name) in names.iter().enumerate() {
        let comma = if n + 1 < names.len() { ", " } else { "" };
        if line.len() + name.len() + 1 > look.width && line.trim().len() > front.trim().len() {
            writeln!(out, "{}", line.trim_end())?;
            line = "      ".to_owned();
        }
        line.push_str(name);
        line.push_str(comma);
    }
    writeln!(out, "{line}")
}

fn quotient(unit: &str, formed: Formed, digits: Digits) -> String {
    match unit {
        "%" => format!("{:.1}", 100.0 * formed.value()),
        _ => number(formed.value(), digits),
    }
}

fn grouped(n: i128) -> String {
    let digits = Grouped(u64::try_from(n.unsigned_abs()).unwrap_or(u64::MAX));
    if n < 0 {
        format!("-{digits}")
    } else {
        digits.to_string()
    }
}

/// Three significant digits, or three behind the point; commas in front of it.
fn number(value: f64, digits: Digits) -> String {
    let behind = match (digits, value.abs()) {
        (Digits::All, _) | (_, ..0.9995) => 3,
        (_, ..9.995) => 2,
        (_, ..99.95) => 1,
        _ => 0,
    };
    let text = format!("{value:.behind$}");
    if behind == 0 {
        return text
            .parse()
            .map_or(text, |whole| Grouped(whole).to_string());
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
    match whole.parse::<u64>() {
        Ok(whole) => format!("{}.{fraction}", Grouped(whole)),
        Err(_) => text,
    }
}
