//! What frames were spent on.

use super::{Look, entry};
use crate::figures::{Grouped, Milli, PartOf, Percent, Rate};
use crate::table::{Filling, Table};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{ASSUMED_BUFFER, Accesses, EfficiencyRow, LayerAcks, Snapshot, Units};

/// Rows that people see; programs get all of them.
const SHOWN: usize = 10;

/// Columns for file data stand under this.
const RATES: &str = "file data per second";

pub(super) fn efficiency(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let spent = spent(snapshot, look.digits);
    if spent.is_empty() {
        return Ok(());
    }
    spent.headed(out, look, "Efficiency")?;
    for table in [acks(snapshot), operations(snapshot), rates(snapshot)] {
        if !table.is_empty() {
            writeln!(out)?;
            table.write(out, look)?;
        }
    }
    writeln!(out)?;
    for (name, meaning) in notes(snapshot) {
        entry(out, name, meaning)?;
    }
    match hidden(snapshot) {
        0 => Ok(()),
        more => writeln!(
            out,
            "  and {} more servers; --format json has them all",
            Grouped(more as u64)
        ),
    }
}

/// Where frames went.
pub(crate) fn spent(snapshot: &Snapshot, digits: Digits) -> Table {
    let rows: Vec<&EfficiencyRow> = served(snapshot).collect();
    let overhead = |row: &EfficiencyRow| {
        let bytes = row.all().bytes;
        Percent(bytes.saturating_sub(row.moved.bytes), bytes)
    };
    let control = |row: &EfficiencyRow| row.control.frames + row.session_frames;
    let again = |units: Units| (units.resent > 0).then_some(PartOf(units.resent, units.sent));
    let lost = |[clients, servers]: [Units; 2]| {
        let ns = clients.lost_ns.saturating_add(servers.lost_ns);
        (ns > 0).then(|| digits.span(ns))
    };
    over(&rows, |row| row)
        .right("frames", |row| Grouped(row.all().frames))
        .under("per request", "data", |row| {
            Milli::ratio(row.data_frames(), row.exchanges)
        })
        .under("per request", "acks", |row| {
            Milli::ratio(row.frames.ack, row.exchanges)
        })
        .right("pure acks", |row| {
            PartOf(row.acks_alone().frames, row.all().frames)
        })
        .right("control", |row| PartOf(control(row), row.all().frames))
        .right("overhead", |row| overhead(row))
        .rare_under("retransmitted", "by clients", |row| again(row.units[0]))
        .rare_under("retransmitted", "by servers", |row| again(row.units[1]))
        .rare("time lost", |row| lost(row.units))
        .table
}

/// Acknowledgements by layer.
pub(crate) fn acks(snapshot: &Snapshot) -> Table {
    let rows = served(snapshot).flat_map(|row| row.acks.iter().map(move |acks| (row, acks)));
    let rows: Vec<(&EfficiencyRow, &LayerAcks)> = rows.collect();
    over(&rows, |(row, _)| row)
        .left("layer", |(_, acks)| acks.layer)
        .under("pure acknowledgements", "frames", |(row, acks)| {
            PartOf(acks.alone.frames, row.all().frames)
        })
        .under("pure acknowledgements", "bytes", |(row, acks)| {
            Percent(acks.alone.bytes, row.all().bytes)
        })
        .right("piggyback", |(_, acks)| {
            PartOf(acks.riding, acks.riding + acks.alone.frames)
        })
        .table
}

/// Reads and writes.
pub(crate) fn operations(snapshot: &Snapshot) -> Table {
    let rows = served(snapshot)
        .flat_map(|row| [(row, "read", &row.reads), (row, "write", &row.writes)])
        .filter(|(.., of)| of.count > 0);
    let rows: Vec<(&EfficiencyRow, &str, &Accesses)> = rows.collect();
    let bytes = |n: u64, of: &Accesses| (n > 0).then_some(PartOf(n, of.bytes));
    over(&rows, |(row, ..)| row)
        .left("kind", |(_, kind, _)| (*kind).to_owned())
        .right("operations", |(.., of)| Grouped(of.count))
        .right("bytes each", |(.., of)| {
            of.bytes.checked_div(of.count).map(Grouped)
        })
        .right("small", |(.., of)| PartOf(of.small, of.sized))
        .right("large", |(.., of)| PartOf(of.large, of.sized))
        .right("random", |(.., of)| PartOf(of.random, of.placed))
        .rare("reread", |(.., of)| bytes(of.again_bytes, of))
        .rare("crossed", |(.., of)| bytes(of.crossed_bytes, of))
        .table
}

/// File data by time.
pub(crate) fn rates(snapshot: &Snapshot) -> Table {
    let rows: Vec<&EfficiencyRow> = served(snapshot).filter(|row| row.moved.bytes > 0).collect();
    let answers = |row: &EfficiencyRow| {
        let ns = row.moved.wall_ns().filter(|ns| *ns > 0)?;
        Milli::ratio(row.moved.answers.checked_mul(1_000_000_000)?, ns)
    };
    over(&rows, |row| row)
        .right("data bytes", |row| Grouped(row.moved.bytes))
        .under(RATES, "exchange", |row| {
            row.moved.rates().exchange.map(Rate)
        })
        .under(RATES, "busy", |row| row.moved.rates().busy.map(Rate))
        .under(RATES, "wall", |row| row.moved.rates().wall.map(Rate))
        .under(RATES, "sending", |row| row.moved.rates().sending.map(Rate))
        .right("responses/s", |row| answers(row))
        .table
}

fn served(snapshot: &Snapshot) -> impl Iterator<Item = &EfficiencyRow> {
    let rows = snapshot.efficiency.rows.iter();
    rows.filter(|row| row.server.is_some() && row.exchanges > 0)
        .take(SHOWN)
}

/// A table that begins with whose it is.
fn over<'r, R>(rows: &'r [R], of: impl Fn(&R) -> &EfficiencyRow) -> Filling<'r, R> {
    Table::over(rows)
        .left("server", |row| of(row).server)
        .left("carrier", |row| of(row).carrier)
}

/// What the columns mean, and what was assumed.
pub(crate) fn notes(snapshot: &Snapshot) -> Vec<(&'static str, String)> {
    let total = |n: fn(&Accesses) -> u64| -> u64 {
        let rows = served(snapshot);
        rows.map(|row| n(&row.reads).saturating_add(n(&row.writes)))
            .sum()
    };
    let mut notes = vec![
        ("overhead", "bytes on the wire except file data".to_owned()),
        (
            "control",
            "set-up, polls, keep-alives, session frames".to_owned(),
        ),
        (
            "piggyback",
            "acknowledgements carried by data, of all that advance".to_owned(),
        ),
    ];
    let sized = total(|of| of.sized);
    if sized > 0 {
        notes.push((
            "small",
            "below 1/4 of the server's buffer; large: above twice the buffer".to_owned(),
        ));
        let assumed = total(|of| of.assumed);
        if assumed > 0 {
            notes.push((
                "",
                format!(
                    "{} bytes assumed for {} of {}: no buffer in the capture",
                    Grouped(ASSUMED_BUFFER),
                    Grouped(assumed),
                    Grouped(sized)
                ),
            ));
        }
        notes.push((
            "random",
            "does not start where the previous one on the handle ended".to_owned(),
        ));
    }
    if total(|of| of.again_bytes.saturating_add(of.crossed_bytes)) > 0 {
        notes.push((
            "reread",
            "bytes read or written before on the same handle (lower bound)".to_owned(),
        ));
        notes.push((
            "crossed",
            "bytes read after they were written, or the reverse".to_owned(),
        ));
    }
    if !rates(snapshot).is_empty() {
        let by = [
            ("exchange", "file data by response times"),
            ("busy", "by the time with a request outstanding"),
            ("wall", "from the first request to the last response"),
            (
                "sending",
                "within responses of several frames, behind the first",
            ),
        ];
        notes.extend(by.map(|(name, meaning)| (name, meaning.to_owned())));
    }
    notes
}

/// How many servers are not shown.
fn hidden(snapshot: &Snapshot) -> usize {
    let rows = snapshot.efficiency.rows.iter();
    let rows = rows.filter(|row| row.server.is_some() && row.exchanges > 0);
    rows.count().saturating_sub(SHOWN)
}
