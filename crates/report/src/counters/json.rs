//! All of it as one JSON document; `schemas/counters.schema.json` describes it.

use super::objects::{Instance, OBJECTS};
use super::pdh::bound;
use super::ratios::ratios;
use super::samples::{Samples, Series};
use super::spool::ROOM;
use super::table::{Bound, counters};
use crate::time::Rfc3339;
use serde::ser::{Error as _, SerializeSeq};
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-counters/1";

#[derive(Serialize)]
struct JsonObject {
    object: &'static str,
    index: Option<u32>,
    counters: Vec<JsonCounter>,
}

#[derive(Serialize)]
struct JsonCounter {
    counter: &'static str,
    index: Option<u32>,
    #[serde(rename = "type")]
    form: &'static str,
    default_scale: f64,
    mark: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    how: &'static str,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    station: String,
    object: &'static str,
    instance: Option<&'a str>,
    counters: Vec<JsonValues<'a>>,
    ratios: Vec<JsonRatio>,
}

#[derive(Serialize)]
struct JsonValues<'a> {
    counter: &'static str,
    /// What a rate adds up to, or where it stands at the end.
    total: Option<i64>,
    /// Over the whole time.
    mean: Option<f64>,
    values: OverTime<'a>,
}

/// The values of one counter. They are formed while they are written: all of them may be more
/// than memory holds.
struct OverTime<'a> {
    samples: &'a Samples,
    series: &'a Series,
    bound: &'a Bound,
}

impl Serialize for OverTime<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.samples.over_time(self.series, ROOM);
        let mut values = values.map_err(S::Error::custom)?;
        let mut all = serializer.serialize_seq(None)?;
        while let Some(value) = values.step().map_err(S::Error::custom)? {
            all.serialize_element(&value(self.bound))?;
        }
        all.end()
    }
}

/// All times.
struct JsonTimes<'a>(&'a Samples);

impl Serialize for JsonTimes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.times().map(Rfc3339))
    }
}

#[derive(Serialize)]
struct JsonRatio {
    ratio: &'static str,
    unit: &'static str,
    numerator: i64,
    denominator: i64,
    value: f64,
}

/// Writes everything, one instance per line.
///
/// # Errors
/// What `out` says, and the scratch file.
pub fn json(out: &mut impl Write, samples: &Samples) -> io::Result<()> {
    writeln!(out, "{{")?;
    writeln!(out, "  \"schema\": \"{SCHEMA}\",")?;
    writeln!(out, "  \"interval_ns\": {},", samples.interval_ns)?;
    writeln!(out, "  \"elapsed_ns\": {},", samples.elapsed_ns)?;
    let speed = serde_json::to_string(&samples.speed)?;
    writeln!(out, "  \"link_speed_bits_per_second\": {speed},")?;
    write!(out, "  \"times\": ")?;
    serde_json::to_writer(&mut *out, &JsonTimes(samples))?;
    write!(out, ",\n  \"objects\": [")?;
    for (n, object) in objects().iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(out, "{comma}\n    {}", serde_json::to_string(object)?)?;
    }
    write!(out, "\n  ],\n  \"instances\": [")?;
    for (n, (instance, series)) in samples.series.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let row = row(samples, instance, series);
        write!(out, "{comma}\n    ")?;
        serde_json::to_writer(&mut *out, &row)?;
    }
    writeln!(out, "\n  ]\n}}")
}

fn objects() -> Vec<JsonObject> {
    let of = |object: &super::objects::CounterObject| JsonObject {
        object: object.name,
        index: object.index,
        counters: counters()
            .iter()
            .filter(|counter| counter.table == object.table)
            .map(|counter| JsonCounter {
                counter: counter.name,
                index: counter.index,
                form: counter.form.name(),
                default_scale: counter.scale.parse().unwrap_or(1.0),
                mark: counter.mark.name(),
                how: counter.how,
            })
            .collect(),
    };
    OBJECTS.iter().map(of).collect()
}

fn row<'a>(samples: &'a Samples, instance: &'a Instance, series: &'a Series) -> JsonRow<'a> {
    let object = instance.object();
    let fields = (object.fields)();
    let integer = |n: i128| i64::try_from(n).unwrap_or(i64::MAX);
    JsonRow {
        station: instance.station(),
        object: object.name,
        instance: (!instance.name.is_empty()).then_some(instance.name.as_str()),
        counters: bound(instance)
            .iter()
            .map(|bound| JsonValues {
                counter: bound.counter.name,
                total: bound
                    .has_total()
                    .then(|| integer(bound.sum(&series.latest))),
                mean: samples.mean(series, bound),
                values: OverTime {
                    samples,
                    series,
                    bound,
                },
            })
            .collect(),
        ratios: ratios()
            .iter()
            .filter(|ratio| ratio.table == object.table)
            .filter_map(|ratio| {
                let formed = ratio.form(&fields, &series.latest)?;
                Some(JsonRatio {
                    ratio: ratio.name,
                    unit: ratio.unit,
                    numerator: integer(formed.numerator),
                    denominator: integer(formed.denominator),
                    value: formed.value(),
                })
            })
            .collect(),
    }
}
