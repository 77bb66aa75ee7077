//! The table of dips in throughput.

use crate::figures::{Grouped, Percent, Rate};
use crate::table::Table;
use crate::text::{Look, noted};
use crate::time::{Brief, Digits, Rfc3339};
use std::io::{self, Write};
use wirewait_analysis::{DEPTH_PERCENT, Dip, NOISE_TIMES, Snapshot};

/// Dips that people see; programs get more of them.
const SHOWN: usize = 10;

/// The costliest dips, in the order of time.
pub(crate) fn dips_table(snapshot: &Snapshot, digits: Digits) -> Table {
    let dips = &snapshot.load.dips;
    let mut costliest: Vec<&Dip> = dips.dips.iter().collect();
    costliest.sort_by_key(|dip| (std::cmp::Reverse(dip.cost_ns), dip.start));
    costliest.truncate(SHOWN);
    costliest.sort_by_key(|dip| dip.start);
    let first = snapshot.capture.first;
    // A bucket may begin before the first frame.
    let into = |dip: &Dip| first.map(|first| digits.time(dip.start.since(first).max(0)));
    let time = |ns: Option<i64>| ns.map(|ns| digits.time(ns));
    Table::over(&costliest)
        .left("began", |dip| Rfc3339(dip.start))
        .right("into capture", |dip| into(dip))
        .right("lasted", |dip| digits.time(dip.ns))
        .right("by", |dip| Percent(dip.depth, 1000))
        .under("file data", "during", |dip| Rate(dip.bytes_per_second))
        .under("file data", "around", |dip| {
            Rate(dip.around_bytes_per_second)
        })
        .under("mean response time", "during", |dip| time(dip.response_ns))
        .under("mean response time", "around", |dip| {
            time(dip.around_response_ns)
        })
        .right("cost", |dip| digits.time(dip.cost_ns))
        .table
}

pub(super) fn dips(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let dips = &snapshot.load.dips;
    let Some(width) = dips.width_ns.filter(|_| dips.found > 0) else {
        return Ok(());
    };
    writeln!(out)?;
    look.heading(out, "Dips in throughput")?;
    noted!(
        out,
        look,
        "{} of {} together, which cost {}",
        Grouped(dips.found),
        look.digits.time(dips.ns),
        look.digits.time(dips.cost_ns)
    )?;
    dips_table(snapshot, look.digits).write(out, look)?;
    noted!(
        out,
        look,
        "a dip: {DEPTH_PERCENT} % or more below the medians before and after it and {NOISE_TIMES} times the usual deviation, though as many stations want data; in steps of {}",
        Brief(width)
    )
}
