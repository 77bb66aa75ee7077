//! One row per time, instance and counter.

use super::pdh::bound;
use super::samples::Samples;
use super::spool::ROOM;
use crate::cells;
use crate::time::Rfc3339;
use std::io::{self, Write};

const HEADER: &str = "time,station,object,instance,counter,index,type,default_scale,mark,value";

/// Writes all counters that have values; a value that does not exist is empty.
///
/// # Errors
/// What `out` says, and the scratch file.
pub fn csv(out: &mut impl Write, samples: &Samples) -> io::Result<()> {
    writeln!(out, "{HEADER}")?;
    for (instance, series) in &samples.series {
        let object = instance.object();
        let station = instance.station();
        for bound in bound(instance) {
            let counter = bound.counter;
            let index = counter.index.map_or(String::new(), |n| n.to_string());
            let mut values = samples.over_time(series, ROOM)?;
            for time in samples.times() {
                let value = values.step()?.and_then(|value| value(bound));
                let value = value.map_or(String::new(), |value| value.to_string());
                writeln!(
                    out,
                    "{},{station},{},{},{},{index},{},{},{},{value}",
                    Rfc3339(time),
                    text(object.name),
                    text(&instance.name),
                    text(counter.name),
                    counter.form.name(),
                    counter.scale,
                    counter.mark.name(),
                )?;
            }
        }
    }
    Ok(())
}

/// A text column.
fn text(name: &str) -> String {
    cells::quoted(&cells::harmless(name)).into_owned()
}
