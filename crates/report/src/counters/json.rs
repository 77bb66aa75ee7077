//! All of it as one JSON document; `schemas/counters.schema.json` describes it.

use super::objects::{Instance, OBJECTS};
use super::pdh::bound;
use super::ratios::ratios;
use super::samples::{Samples, Series};
use super::table::counters;
use crate::time::Rfc3339;
use serde::Serialize;
use std::io::{self, Write};

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-counters/1";

#[derive(Serialize)]
struct Object {
    object: &'static str,
    index: Option<u32>,
    counters: Vec<Counter>,
}

#[derive(Serialize)]
struct Counter {
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
struct Row<'a> {
    station: String,
    object: &'static str,
    instance: Option<&'a str>,
    counters: Vec<Values>,
    ratios: Vec<Ratio>,
}

#[derive(Serialize)]
struct Values {
    counter: &'static str,
    /// What a rate adds up to, or where it stands at the end.
    total: Option<i64>,
    /// Over the whole time.
    mean: Option<f64>,
    values: Vec<Option<f64>>,
}

#[derive(Serialize)]
struct Ratio {
    ratio: &'static str,
    unit: &'static str,
    numerator: i64,
    denominator: i64,
    value: f64,
}

/// Writes everything, one instance per line.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, samples: &Samples) -> io::Result<()> {
    let times: Vec<Rfc3339> = samples.times().map(Rfc3339).collect();
    writeln!(out, "{{")?;
    writeln!(out, "  \"schema\": \"{SCHEMA}\",")?;
    writeln!(out, "  \"interval_ns\": {},", samples.interval_ns)?;
    writeln!(out, "  \"elapsed_ns\": {},", samples.elapsed_ns)?;
    let speed = serde_json::to_string(&samples.speed)?;
    writeln!(out, "  \"link_speed_bits_per_second\": {speed},")?;
    writeln!(out, "  \"times\": {},", serde_json::to_string(&times)?)?;
    write!(out, "  \"objects\": [")?;
    for (n, object) in objects().iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        write!(out, "{comma}\n    {}", serde_json::to_string(object)?)?;
    }
    write!(out, "\n  ],\n  \"instances\": [")?;
    for (n, (instance, series)) in samples.series.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        let row = row(samples, instance, series);
        write!(out, "{comma}\n    {}", serde_json::to_string(&row)?)?;
    }
    writeln!(out, "\n  ]\n}}")
}

fn objects() -> Vec<Object> {
    let of = |object: &super::objects::Object| Object {
        object: object.name,
        index: object.index,
        counters: counters()
            .iter()
            .filter(|counter| counter.table == object.table)
            .map(|counter| Counter {
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

fn row<'a>(samples: &Samples, instance: &'a Instance, series: &Series) -> Row<'a> {
    let object = instance.object();
    let fields = (object.fields)();
    let integer = |n: i128| i64::try_from(n).unwrap_or(i64::MAX);
    Row {
        station: instance.station(),
        object: object.name,
        instance: (!instance.name.is_empty()).then_some(instance.name.as_str()),
        counters: bound(instance)
            .map(|bound| Values {
                counter: bound.counter.name,
                total: bound.has_total().then(|| integer(bound.sum(series.last()))),
                mean: samples.mean(series, &bound),
                values: samples.values(series, &bound).collect(),
            })
            .collect(),
        ratios: ratios()
            .iter()
            .filter(|ratio| ratio.table == object.table)
            .filter_map(|ratio| {
                let formed = ratio.form(&fields, series.last())?;
                Some(Ratio {
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
