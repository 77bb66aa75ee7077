//! The tables of routers: what passed them, how long that took, and what they told.

use crate::columns::TimeColumn::{Max, Mean, Min, P50, P95};
use crate::columns::{ANSWERED, REQUESTS};
use crate::figures::{Grouped, Rate};
use crate::table::{Table, count};
use crate::text::{Look, more, noted};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{HOP_LIMIT, RouteRow, Snapshot};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 20;

/// By routers passed.
pub(crate) fn hops_table(snapshot: &Snapshot, digits: Digits) -> Table {
    Table::timed(first(&snapshot.load.hops), digits)
        .right("routers passed", |row| row.hops.to_string())
        .counts(&[REQUESTS, ANSWERED], |row| &row.counts)
        .times("response time", &[Mean, P50, P95], |row| &row.response_time)
        .times("turnaround", &[Mean], |row| &row.turnaround)
        .under("file data", "all", |row| row.throughput().map(Rate))
        .under("file data", "a request", |row| row.per_request().map(Rate))
        .table
}

/// By routers passed, where some were.
pub(super) fn hops(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let load = &snapshot.load;
    if load.hops.iter().all(|row| row.hops == 0) && load.at_hop_limit == 0 {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Routers on the way")?;
    let table = hops_table(snapshot, look.digits);
    if !table.is_empty() {
        table.write(out, look)?;
    }
    if load.at_hop_limit > 0 {
        noted!(
            out,
            look,
            "packets that had passed {} routers or more, which the next one discards (limit {HOP_LIMIT}): {}",
            HOP_LIMIT - 1,
            Grouped(load.at_hop_limit)
        )?;
    }
    Ok(())
}

/// Packets that were captured on both sides of routers.
pub(crate) fn transits_table(snapshot: &Snapshot, digits: Digits) -> Table {
    Table::timed(first(&snapshot.load.transits), digits)
        .right("from interface", |row| row.from_interface.to_string())
        .right("to interface", |row| row.to_interface.to_string())
        .right("routers", |row| row.routers.to_string())
        .right("packets", |row| Grouped(row.transit.n))
        .times("transit", &[Min, P50, P95, Max, Mean], |row| &row.transit)
        .rare("ambiguous", |row| count(row.ambiguous))
        .table
}

pub(super) fn transits(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = transits_table(snapshot, look.digits);
    table.headed(out, look, "Packets captured on both sides of routers")
}

/// Networks, as routers told of them.
pub(crate) fn routes_table(snapshot: &Snapshot) -> Table {
    let rows = first(&snapshot.load.routes).iter();
    let before = [None].into_iter().chain(rows.clone().map(Some));
    let same = |before: Option<&RouteRow>, row: &RouteRow| {
        before.is_some_and(|before| before.network == row.network)
    };
    let rows: Vec<_> = rows
        .zip(before)
        .map(|(row, before)| (row, same(before, row)))
        .collect();
    Table::over(&rows)
        .left("network", |(row, same)| match same {
            true => String::new(),
            false => format!("{:08x}", row.network),
        })
        .left("router", |(row, _)| row.router)
        .right("hops", |(row, _)| hops_or("unreachable", row.hops))
        .right("ticks", |(row, _)| row.ticks)
        .left("", |(row, same)| match (row.best, same) {
            (true, _) => "best",
            (false, true) => "alternate",
            (false, false) => "",
        })
        .right("heard", |(row, _)| Grouped(row.heard))
        .rare("unreachable", |(row, _)| count(row.unreachable))
        .rare("changes", |(row, _)| count(row.changes))
        .table
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

/// Servers, as routers told of them.
pub(crate) fn services_table(snapshot: &Snapshot) -> Table {
    Table::over(first(&snapshot.load.services))
        .left("type", |row| match row.kind_name {
            Some(name) => format!("{:04x} {name}", row.kind),
            None => format!("{:04x}", row.kind),
        })
        .left("server", |row| {
            Some(row.name.clone()).filter(|name| !name.is_empty())
        })
        .left("at", |row| row.at)
        .right("hops", |row| hops_or("down", row.hops))
        .right("told by", |row| Grouped(row.told_by))
        .right("heard", |row| Grouped(row.heard))
        .rare("down", |row| count(row.down))
        .table
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

fn hops_or(none: &str, hops: Option<u16>) -> String {
    hops.map_or(none.to_owned(), |hops| hops.to_string())
}

fn first<R>(rows: &[R]) -> &[R] {
    &rows[..SHOWN.min(rows.len())]
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
    table.headed(out, look, heading)?;
    more(out, look, rows, table, "")
}
