//! How to read the figures: what was left out of them, and what they depend on.

use super::{Look, entry};
use crate::figures::Grouped;
use crate::table::{Column, Table};
use crate::time::Human;
use std::io::{self, Write};
use wirewait_analysis::{EXACT_VALUES, Snapshot};

const EXCLUDED: &[Column] = &[
    Column::left("from"),
    Column::left("reason"),
    Column::right("transactions"),
];

pub(super) fn excluded(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut table = Table::new(EXCLUDED);
    for row in &snapshot.excluded {
        table.row(vec![
            row.from.to_owned(),
            row.reason.to_owned(),
            Grouped(row.count).to_string(),
        ]);
    }
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Left out of statistics")?;
    table.write(out, look)
}

pub(super) fn settings(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let settings = &snapshot.settings;
    writeln!(out)?;
    look.heading(out, "How to read the figures")?;
    entry(
        out,
        "turnaround",
        "from the complete request to the first frame of the answer",
    )?;
    entry(
        out,
        "response",
        "from the first frame of the request to the last frame of the answer",
    )?;
    entry(
        out,
        "percentiles",
        format_args!(
            "nearest rank; exact up to {EXACT_VALUES} values, then from buckets 0.8 % wide"
        ),
    )?;
    entry(
        out,
        "point",
        "where the capture was made is unknown: turnaround holds the network between there and the server",
    )?;
    entry(
        out,
        "time-out",
        format_args!(
            "a request is unanswered after {}",
            Human(settings.timeout_ns)
        ),
    )?;
    entry(
        out,
        "think time",
        format_args!(
            "a pause of more than {}; a shorter one is client work",
            Human(settings.think_ns)
        ),
    )?;
    entry(
        out,
        "(wait)",
        "waits by design, as for a change of a directory or for a lock",
    )?;
    entry(
        out,
        "copies",
        format_args!(
            "identical frames within {} ({} for packets with an identification) are one",
            Human(settings.duplicate_ns),
            Human(settings.duplicate_id_ns)
        ),
    )
}
