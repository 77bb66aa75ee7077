//! How to read the figures: what was left out of them, and what they depend on.

use super::{Look, entry};
use crate::figures::Grouped;
use crate::table::Table;
use crate::time::Brief;
use std::io::{self, Write};
use wirewait_analysis::{EXACT_VALUES, Snapshot};

/// What was left out of which statistic.
pub(crate) fn table(snapshot: &Snapshot) -> Table {
    Table::over(&snapshot.excluded)
        .left("from", |row| row.from)
        .left("reason", |row| row.reason)
        .right("transactions", |row| Grouped(row.count))
        .table
}

pub(super) fn excluded(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = table(snapshot);
    table.headed(out, look, "Left out of statistics")
}

/// What the figures mean and depend on, by name.
pub(crate) fn entries(snapshot: &Snapshot) -> Vec<(&'static str, String)> {
    let settings = &snapshot.settings;
    vec![
        ("turnaround", "from the complete request to the first frame of the response".to_owned()),
        ("response", "from the first frame of the request to the last frame of the response".to_owned()),
        ("percentiles", format!(
            "nearest rank; exact up to {EXACT_VALUES} values, then from buckets 0.8 % wide"
        )),
        ("point", "turnaround includes the round trip between capture point and server; the verdict excludes it where it is known".to_owned()),
        ("time-out", format!(
            "a request is unanswered after {}",
            Brief(settings.timeout_ns)
        )),
        ("think time", format!(
            "a pause of more than {}; a shorter one is client time",
            Brief(settings.think_ns)
        )),
        ("(wait)", "waiting by design: change notifications, blocking locks".to_owned()),
        ("duplicates", format!(
            "identical frames within {} ({} with an IPv4 identification), of a mirror port; counted once",
            Brief(settings.duplicate_ns),
            Brief(settings.duplicate_id_ns)
        )),
    ]
}

pub(super) fn settings(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    writeln!(out)?;
    look.heading(out, "How to read the figures")?;
    for (name, value) in entries(snapshot) {
        entry(out, name, value)?;
    }
    Ok(())
}
