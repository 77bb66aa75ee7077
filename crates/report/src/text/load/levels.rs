//! The tables by the number of active stations.

use crate::columns::TimeColumn::{Mean, P95};
use crate::figures::{Grouped, Milli, Percent, Rate};
use crate::table::Table;
use crate::text::{Look, more, noted};
use crate::time::{Brief, Digits};
use std::io::{self, Write};
use wirewait_analysis::{
    GROWN_PERCENT, LevelCurve, LevelFigures, LevelRow, LoadOf, STEADY_NS, Snapshot,
};

/// Rows of a table that people see; programs get all of them.
const SHOWN: usize = 24;
/// Curves of servers and interfaces that people see.
const CURVES: usize = 8;

pub(super) fn levels(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut curves = snapshot.load.levels.iter().filter(|curve| is_curve(curve));
    let mut any = false;
    for curve in curves.by_ref().take(CURVES) {
        any = true;
        one(out, curve, snapshot, look)?;
    }
    match curves.count() {
        0 => {}
        more => noted!(
            out,
            look,
            "and {} more servers or interfaces; --format json has them all",
            Grouped(more as u64)
        )?,
    }
    if any {
        for said in meanings(snapshot) {
            noted!(out, look, "{said}")?;
        }
    }
    Ok(())
}

/// What the columns mean.
pub(crate) fn meanings(snapshot: &Snapshot) -> [String; 2] {
    [
        format!(
            "active: a request is outstanding, or a pause of at most {}; file data: N x M / T, what N stations moved in the time; \
             without pauses: stations times bytes per request, by response time",
            Brief(snapshot.settings.think_ns)
        ),
        format!(
            "steady: as many for {} at least; shorter stretches, when stations come and go, are ramps, and count only where there was nothing steady",
            Brief(i64::try_from(STEADY_NS).unwrap_or(i64::MAX))
        ),
    ]
}

/// One number of stations is no curve.
pub(crate) fn is_curve(curve: &LevelCurve) -> bool {
    curve.levels.iter().filter(|row| row.stations > 0).count() > 1
}

fn one(
    out: &mut impl Write,
    curve: &LevelCurve,
    snapshot: &Snapshot,
    look: Look,
) -> io::Result<()> {
    writeln!(out)?;
    let of = match curve.of {
        LoadOf::Capture => String::new(),
        LoadOf::Server(server) => format!(", server {server}"),
        LoadOf::Interface(number) => format!(", stations on interface {number}"),
    };
    look.heading(out, &format!("Load by active stations{of}"))?;
    if let Some((stations, rate)) = curve.peak {
        let most = format!("{} of file data with {stations} active", Rate(rate));
        let responses = curve.peak_transactions.map(|(stations, rate)| {
            format!("; {} responses per second with {stations}", Milli(rate))
        });
        noted!(out, look, "peak: {most}{}", responses.unwrap_or_default())?;
    }
    if let Some(knee) = curve.knee {
        let wire = knee
            .wire_bytes_per_second
            .map(|rate| match busy(rate, curve.of, snapshot) {
                Some(part) if part.0 * 2 < part.1 => {
                    format!(
                        "; the segment has room there: it is busy for {}",
                        percent(part)
                    )
                }
                Some(part) => format!("; the segment is busy for {} there", percent(part)),
                None => format!("; the wire carries {} there", Rate(rate)),
            });
        noted!(
            out,
            look,
            "knee: turnaround grows from {} stations on: {} on average (n {}) against {} (n {}) with {} or fewer, {} % or more{}",
            knee.stations,
            look.digits.time(knee.grown_ns),
            Grouped(knee.grown_n),
            look.digits.time(knee.flat_ns),
            Grouped(knee.flat_n),
            knee.flat_to,
            GROWN_PERCENT,
            wire.unwrap_or_default()
        )?;
    }
    let rows: Vec<&LevelRow> = curve.levels.iter().filter(|row| row.stations > 0).collect();
    let table = table(&longest(&rows), (curve.of, snapshot), look.digits);
    table.write(out, look)?;
    more(
        out,
        look,
        rows.len(),
        &table,
        " numbers, each for a shorter time",
    )
}

/// Those with the most time, in their order.
fn longest<'a>(rows: &[&'a LevelRow]) -> Vec<&'a LevelRow> {
    let time = |row: &LevelRow| std::cmp::Reverse((row.steady.ns, row.ramps.ns));
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| (time(row), row.stations));
    rows.truncate(SHOWN);
    rows.sort_by_key(|row| row.stations);
    rows
}

/// Bits that the wire carries and could carry in a second, where the speed of the one link that
/// is meant is known.
fn busy(bytes_per_second: u64, of: LoadOf, snapshot: &Snapshot) -> Option<(u64, u64)> {
    let links = &snapshot.segment.interfaces;
    let link = match of {
        LoadOf::Interface(number) => links.get(number as usize),
        LoadOf::Capture => links.first().filter(|_| links.len() == 1),
        LoadOf::Server(_) => None,
    };
    let (speed, _) = link?.speed?;
    (speed > 0).then_some((bytes_per_second.saturating_mul(8), speed))
}

fn percent((part, whole): (u64, u64)) -> Percent {
    Percent(part, whole)
}

/// The figures that stand for a load: steady ones where there are any.
pub(crate) fn figures(row: &LevelRow) -> &LevelFigures {
    match row.steady.ns {
        0 => &row.ramps,
        _ => &row.steady,
    }
}

/// How many stations were active.
pub(crate) fn stations(row: &LevelRow) -> String {
    match row.stations_to {
        to if to == row.stations => to.to_string(),
        to => format!("{}-{to}", row.stations),
    }
}

/// File data per second, where there was some.
pub(crate) fn data(of: &LevelFigures) -> Option<Rate> {
    of.throughput().filter(|_| of.data_bytes > 0).map(Rate)
}

/// The load of this in numbers.
pub(crate) fn table(
    rows: &[&LevelRow],
    (of, snapshot): (LoadOf, &Snapshot),
    digits: Digits,
) -> Table {
    let rows: Vec<_> = rows.iter().map(|row| (*row, figures(row))).collect();
    let some = |ns: u64| (ns > 0).then(|| digits.span(ns));
    let used = |row: &LevelFigures| busy(row.wire()?, of, snapshot).map(percent);
    Table::timed(&rows, digits)
        .right("stations", |(row, _)| stations(row))
        .right("steady for", |(row, _)| some(row.steady.ns))
        .rare("ramps", |(row, _)| some(row.ramps.ns))
        .right("answered", |(_, of)| Grouped(of.answered))
        .right("per second", |(_, of)| of.transactions().map(Milli))
        .times("response time", &[Mean, P95], |(_, of)| &of.response_time)
        .times("turnaround", &[Mean], |(_, of)| &of.turnaround)
        .right("file data", |(_, of)| data(of))
        .rare("without pauses", |(row, of)| {
            of.moved.closed_loop(row.stations).map(Rate)
        })
        .rare("segment busy", |(_, of)| used(of))
        .table
}
