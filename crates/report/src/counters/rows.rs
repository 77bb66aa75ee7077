//! One row per time, instance and counter.

use super::pdh::bound;
use super::samples::Samples;
use super::spool::ROOM;
use super::table::Counter;
use crate::rows::csv::CsvRows;
use crate::rows::{CellValue, Get, RowColumn, RowTable, Width, Write as WriteText};
use std::io::{self, Write};
use wirewait_wire::Timestamp;

/// The rows of `counters`.
#[derive(Debug)]
pub enum Counters {}

/// The value of a counter of an instance at a time, if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    time: Timestamp,
    station: &'a str,
    object: &'static str,
    instance: &'a str,
    counter: &'static Counter,
    value: Option<f64>,
}

impl RowTable for Counters {
    type Row<'a> = Sample<'a>;
    const SCHEMA: &'static str = "wirewait.counter/1";
    const COLUMNS: &'static [RowColumn<Self>] = COLUMNS;
}

const COLUMNS: &[RowColumn<Counters>] = &[
    RowColumn::new(
        "time",
        "End of the interval, UTC.",
        CounterCell::Time(|r| Some(r.time)),
    ),
    text(
        "station",
        "Address of the station, or `segment`.",
        |r, o| o.word(r.station),
    ),
    name("object", "Performance object.", |r, o| o.word(r.object)),
    name(
        "instance",
        "Instance of the object; empty where it has only one.",
        |r, o| o.word(r.instance),
    ),
    name("counter", "Counter of the object.", |r, o| {
        o.word(r.counter.name)
    }),
    RowColumn::new(
        "index",
        "Number of the counter in the registry, where it has a fixed one.",
        CounterCell::Count(Width::Bits32, |r| r.counter.index.map(u64::from)),
    )
    .or_null(),
    text("type", "How the value is formed.", |r, o| {
        o.word(r.counter.form.name())
    }),
    text(
        "default_scale",
        "Factor of Performance Monitor's chart.",
        |r, o| o.word(r.counter.scale),
    ),
    text("mark", "How far the wire shows it.", |r, o| {
        o.word(r.counter.mark.name())
    }),
    real(
        "value",
        "Value in the interval; null where there is none.",
        |r| r.value,
    ),
];

type CounterCell = CellValue<Counters>;

const fn text(
    name: &'static str,
    about: &'static str,
    write: WriteText<Counters>,
) -> RowColumn<Counters> {
    RowColumn::new(name, about, CounterCell::Text(write))
}

const fn name(
    name: &'static str,
    about: &'static str,
    write: WriteText<Counters>,
) -> RowColumn<Counters> {
    RowColumn::new(name, about, CounterCell::Name(write))
}

const fn real(
    name: &'static str,
    about: &'static str,
    get: Get<Counters, f64>,
) -> RowColumn<Counters> {
    RowColumn::new(name, about, CounterCell::Real(get)).or_null()
}

/// Writes all counters that have values; a value that does not exist is empty.
///
/// # Errors
/// What `out` says, and the scratch file.
pub fn csv(out: &mut impl Write, samples: &Samples) -> io::Result<()> {
    let mut rows = CsvRows::default();
    rows.header::<Counters>(out)?;
    each(samples, |sample| rows.row::<Counters>(out, sample))
}

/// Visits all counters that have values, at all times: instance by instance, counter by counter.
///
/// # Errors
/// What `visit` and the scratch file say.
pub fn each<E: From<io::Error>>(
    samples: &Samples,
    mut visit: impl FnMut(&Sample<'_>) -> Result<(), E>,
) -> Result<(), E> {
    for (instance, series) in &samples.series {
        let station = instance.station();
        for bound in bound(instance) {
            let mut values = samples.over_time(series, ROOM)?;
            for time in samples.times() {
                let value = values.step()?.and_then(|value| value(bound));
                visit(&Sample {
                    time,
                    station: &station,
                    object: instance.object().name,
                    instance: &instance.name,
                    counter: bound.counter,
                    value,
                })?;
            }
        }
    }
    Ok(())
}
