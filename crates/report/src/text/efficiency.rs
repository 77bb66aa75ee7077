//! What frames were spent on.

use super::{Look, count, entry, shown};
use crate::figures::{Grouped, Milli, Percent, Rate};
use crate::table::{Column, NOTHING, Table};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{ASSUMED_BUFFER, Accesses, EfficiencyRow, Snapshot, Units};

/// Rows that people see; programs get all of them.
const SHOWN: usize = 10;

const SPENT: &[Column] = &[
    Column::left("server"),
    Column::left("carrier"),
    Column::right("frames"),
    Column::under("per request", "data"),
    Column::under("per request", "acks"),
    Column::right("pure acks"),
    Column::right("control"),
    Column::right("overhead"),
    Column::under("retransmitted", "by clients").rare(),
    Column::under("retransmitted", "by servers").rare(),
    Column::right("time lost").rare(),
];

const ACKS: &[Column] = &[
    Column::left("server"),
    Column::left("carrier"),
    Column::left("layer"),
    Column::under("pure acknowledgements", "frames"),
    Column::under("pure acknowledgements", "bytes"),
    Column::right("piggyback"),
];

const MOVED: &[Column] = &[
    Column::left("server"),
    Column::left("carrier"),
    Column::left("kind"),
    Column::right("operations"),
    Column::right("bytes each"),
    Column::right("small"),
    Column::right("large"),
    Column::right("random"),
    Column::right("reread").rare(),
    Column::right("crossed").rare(),
];

const RATES: &[Column] = &[
    Column::left("server"),
    Column::left("carrier"),
    Column::right("data bytes"),
    Column::under("file data per second", "exchange"),
    Column::under("file data per second", "busy"),
    Column::under("file data per second", "wall"),
    Column::under("file data per second", "sending"),
    Column::right("responses/s"),
];

pub(super) fn efficiency(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let spent = spent(snapshot, look.digits);
    if spent.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Efficiency")?;
    spent.write(out, look)?;
    for table in [acks(snapshot), operations(snapshot), rates(snapshot)] {
        if !table.is_empty() {
            writeln!(out)?;
            table.write(out, look)?;
        }
    }
    writeln!(out)?;
    notes(out, snapshot)
}

/// Where frames went.
pub(crate) fn spent(snapshot: &Snapshot, digits: Digits) -> Table {
    let mut table = Table::new(SPENT);
    for row in served(snapshot) {
        let all = row.all();
        let [clients, servers] = row.units;
        let mut cells = named(row).to_vec();
        cells.extend([
            Grouped(all.frames).to_string(),
            shown(Milli::ratio(row.data_frames(), row.exchanges)),
            shown(Milli::ratio(row.frames.ack, row.exchanges)),
        ]);
        cells.extend([
            part(row.acks_alone().frames, all.frames),
            part(row.control.frames + row.session_frames, all.frames),
            Percent(all.bytes.saturating_sub(row.moved.bytes), all.bytes).to_string(),
            again(clients),
            again(servers),
            match clients.lost_ns.saturating_add(servers.lost_ns) {
                0 => NOTHING.to_owned(),
                ns => digits.span(ns),
            },
        ]);
        table.row(cells);
    }
    table
}

/// Acknowledgements by layer.
pub(crate) fn acks(snapshot: &Snapshot) -> Table {
    let mut table = Table::new(ACKS);
    for row in served(snapshot) {
        let all = row.all();
        for acks in &row.acks {
            let mut cells = named(row).to_vec();
            cells.extend([
                acks.layer.to_owned(),
                part(acks.alone.frames, all.frames),
                Percent(acks.alone.bytes, all.bytes).to_string(),
                part(acks.riding, acks.riding + acks.alone.frames),
            ]);
            table.row(cells);
        }
    }
    table
}

/// Reads and writes.
pub(crate) fn operations(snapshot: &Snapshot) -> Table {
    let mut table = Table::new(MOVED);
    for row in served(snapshot) {
        for (kind, of) in [("read", &row.reads), ("write", &row.writes)] {
            if of.count > 0 {
                let mut cells = named(row).to_vec();
                cells.push(kind.to_owned());
                cells.extend(accesses(of));
                table.row(cells);
            }
        }
    }
    table
}

/// File data by time.
pub(crate) fn rates(snapshot: &Snapshot) -> Table {
    let mut table = Table::new(RATES);
    for row in served(snapshot).filter(|row| row.moved.bytes > 0) {
        let rates = row.moved.rates();
        let answers = row.moved.wall_ns().filter(|ns| *ns > 0).and_then(|ns| {
            let a_second = row.moved.answers.checked_mul(1_000_000_000)?;
            Milli::ratio(a_second, ns)
        });
        let mut cells = named(row).to_vec();
        cells.push(Grouped(row.moved.bytes).to_string());
        for rate in [rates.exchange, rates.busy, rates.wall, rates.sending] {
            cells.push(shown(rate.map(Rate)));
        }
        cells.push(shown(answers));
        table.row(cells);
    }
    table
}

fn served(snapshot: &Snapshot) -> impl Iterator<Item = &EfficiencyRow> {
    let rows = snapshot.efficiency.rows.iter();
    rows.filter(|row| row.server.is_some() && row.exchanges > 0)
        .take(SHOWN)
}

fn named(row: &EfficiencyRow) -> [String; 2] {
    [shown(row.server), row.carrier.to_owned()]
}

fn accesses(of: &Accesses) -> [String; 7] {
    let bytes = |n: u64| match n {
        0 => NOTHING.to_owned(),
        n => part(n, of.bytes),
    };
    [
        Grouped(of.count).to_string(),
        shown(of.bytes.checked_div(of.count).map(Grouped)),
        part(of.small, of.sized),
        part(of.large, of.sized),
        part(of.random, of.placed),
        bytes(of.again_bytes),
        bytes(of.crossed_bytes),
    ]
}

/// `28.6 % (2/7)`; a dash where there is nothing to divide by.
fn part(part: u64, whole: u64) -> String {
    match whole {
        0 => NOTHING.to_owned(),
        _ => format!(
            "{} ({}/{})",
            Percent(part, whole),
            Grouped(part),
            Grouped(whole)
        ),
    }
}

fn again(units: Units) -> String {
    match units.resent {
        0 => NOTHING.to_owned(),
        n => part(n, units.sent),
    }
}

fn notes(out: &mut impl Write, snapshot: &Snapshot) -> io::Result<()> {
    let total = |n: fn(&Accesses) -> u64| -> u64 {
        let rows = served(snapshot);
        rows.map(|row| n(&row.reads).saturating_add(n(&row.writes)))
            .sum()
    };
    entry(out, "overhead", "bytes on the wire except file data")?;
    entry(out, "control", "set-up, polls, keep-alives, session frames")?;
    entry(
        out,
        "piggyback",
        "acknowledgements carried by data, of all that advance",
    )?;
    if total(|of| of.sized) > 0 {
        entry(
            out,
            "small",
            "below 1/4 of the server's buffer; large: above twice the buffer",
        )?;
        match total(|of| of.assumed) {
            0 => {}
            n => entry(
                out,
                "",
                format_args!(
                    "{} bytes assumed for {} of {}: no buffer in the capture",
                    Grouped(ASSUMED_BUFFER),
                    Grouped(n),
                    Grouped(total(|of| of.sized))
                ),
            )?,
        }
        entry(
            out,
            "random",
            "does not start where the previous one on the handle ended",
        )?;
    }
    if total(|of| of.again_bytes.saturating_add(of.crossed_bytes)) > 0 {
        entry(
            out,
            "reread",
            "bytes read or written before on the same handle (lower bound)",
        )?;
        entry(
            out,
            "crossed",
            "bytes read after they were written, or the reverse",
        )?;
    }
    let hidden = snapshot.efficiency.rows.iter();
    let hidden = hidden.filter(|row| row.server.is_some() && row.exchanges > 0);
    match hidden.count().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => writeln!(
            out,
            "  and {} more servers; --format json has them all",
            count(more as u64)
        ),
    }
}
