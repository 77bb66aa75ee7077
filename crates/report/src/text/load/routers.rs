//! The tables of routers: what passed them, how long that took, and what they told.

use crate::figures::{Grouped, Rate};
use crate::table::{Column, NOTHING, Table};
use crate::text::{Look, count, note, shown};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{HOP_LIMIT, Snapshot};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 20;

const HOPS: &[Column] = &[
    Column::right("routers passed"),
    Column::right("requests"),
    Column::right("answered"),
    Column::under("response time", "mean"),
    Column::under("response time", "p50"),
    Column::under("response time", "p95"),
    Column::under("turnaround", "mean"),
    Column::under("file data", "all"),
    Column::under("file data", "a request"),
];

/// By routers passed.
pub(crate) fn hops_table(snapshot: &Snapshot) -> Table {
    hops_table_in(snapshot, Digits::Three)
}

/// [`hops_table`], with durations of as many digits.
fn hops_table_in(snapshot: &Snapshot, digits: Digits) -> Table {
    let mut table = Table::new(HOPS);
    for row in snapshot.load.hops.iter().take(SHOWN) {
        let times = &row.response_time;
        let response = |ns| shown((times.n > 0).then(|| digits.time(ns)));
        table.row(vec![
            row.hops.to_string(),
            Grouped(row.counts.requests).to_string(),
            Grouped(row.counts.answered).to_string(),
            shown(times.mean().map(|ns| digits.time(ns))),
            response(times.p50),
            response(times.p95),
            shown(row.turnaround.mean().map(|ns| digits.time(ns))),
            shown(row.throughput().map(Rate)),
            shown(row.per_request().map(Rate)),
        ]);
    }
    table
}

/// By routers passed, where some were.
pub(super) fn hops(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let load = &snapshot.load;
    if load.hops.iter().all(|row| row.hops == 0) && load.at_hop_limit == 0 {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Routers on the way")?;
    let table = hops_table_in(snapshot, look.digits);
    if !table.is_empty() {
        table.write(out, look)?;
    }
    if load.at_hop_limit > 0 {
        note(
            out,
            look,
            format_args!(
                "packets that had passed {} routers or more, which the next one discards (limit {HOP_LIMIT}): {}",
                HOP_LIMIT - 1,
                Grouped(load.at_hop_limit)
            ),
        )?;
    }
    Ok(())
}

const TRANSITS: &[Column] = &[
    Column::right("from interface"),
    Column::right("to interface"),
    Column::right("routers"),
    Column::right("packets"),
    Column::under("transit", "min"),
    Column::under("transit", "p50"),
    Column::under("transit", "p95"),
    Column::under("transit", "max"),
    Column::under("transit", "mean"),
    Column::right("ambiguous").rare(),
];

/// Packets that were captured on both sides of routers.
pub(crate) fn transits_table(snapshot: &Snapshot) -> Table {
    transits_table_in(snapshot, Digits::Three)
}

/// [`transits_table`], with durations of as many digits.
fn transits_table_in(snapshot: &Snapshot, digits: Digits) -> Table {
    let mut table = Table::new(TRANSITS);
    for row in snapshot.load.transits.iter().take(SHOWN) {
        let times = &row.transit;
        let transit = |ns| shown((times.n > 0).then(|| digits.time(ns)));
        table.row(vec![
            row.from_interface.to_string(),
            row.to_interface.to_string(),
            row.routers.to_string(),
            Grouped(times.n).to_string(),
            transit(times.min),
            transit(times.p50),
            transit(times.p95),
            transit(times.max),
            shown(times.mean().map(|ns| digits.time(ns))),
            count(row.ambiguous),
        ]);
    }
    table
}

pub(super) fn transits(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = transits_table_in(snapshot, look.digits);
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Packets captured on both sides of routers")?;
    table.write(out, look)
}

const ROUTES: &[Column] = &[
    Column::left("network"),
    Column::left("router"),
    Column::right("hops"),
    Column::right("ticks"),
    Column::left(""),
    Column::right("heard"),
    Column::right("unreachable").rare(),
    Column::right("changes").rare(),
];

/// Networks, as routers told of them.
pub(crate) fn routes_table(snapshot: &Snapshot) -> Table {
    let rows = &snapshot.load.routes;
    let mut table = Table::new(ROUTES);
    for (n, row) in rows.iter().take(SHOWN).enumerate() {
        let same = n > 0 && rows[n - 1].network == row.network;
        table.row(vec![
            match same {
                true => String::new(),
                false => format!("{:08x}", row.network),
            },
            row.router.to_string(),
            row.hops
                .map_or("unreachable".to_owned(), |hops| hops.to_string()),
            shown(row.ticks),
            match (row.best, same) {
                (true, _) => "best",
                (false, true) => "alternate",
                (false, false) => "",
            }
            .to_owned(),
            Grouped(row.heard).to_string(),
            count(row.unreachable),
            count(row.changes),
        ]);
    }
    table
}

pub(super) fn routes(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = routes_table(snapshot);
    list(
        out,
        "Networks announced by routers",
        &table,
        snapshot.load.routes.len(),
        look,
    )
}

const SERVICES: &[Column] = &[
    Column::left("type"),
    Column::left("server"),
    Column::left("at"),
    Column::right("hops"),
    Column::right("told by"),
    Column::right("heard"),
    Column::right("down").rare(),
];

/// Servers, as routers told of them.
pub(crate) fn services_table(snapshot: &Snapshot) -> Table {
    let rows = &snapshot.load.services;
    let mut table = Table::new(SERVICES);
    for row in rows.iter().take(SHOWN) {
        table.row(vec![
            match row.kind_name {
                Some(name) => format!("{:04x} {name}", row.kind),
                None => format!("{:04x}", row.kind),
            },
            match row.name.as_str() {
                "" => NOTHING.to_owned(),
                name => name.to_owned(),
            },
            row.at.to_string(),
            row.hops.map_or("down".to_owned(), |hops| hops.to_string()),
            Grouped(row.told_by).to_string(),
            Grouped(row.heard).to_string(),
            count(row.down),
        ]);
    }
    table
}

pub(super) fn services(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = services_table(snapshot);
    list(
        out,
        "Servers announced by routers",
        &table,
        snapshot.load.services.len(),
        look,
    )
}

fn list(
    out: &mut impl Write,
    heading: &str,
    table: &Table,
    rows: usize,
    look: Look,
) -> io::Result<()> {
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, heading)?;
    table.write(out, look)?;
    match rows.checked_sub(SHOWN) {
        Some(more) if more > 0 => note(
            out,
            look,
            format_args!(
                "and {} more; --format json has them all",
                Grouped(more as u64)
            ),
        ),
        _ => Ok(()),
    }
}
