//! The table of the clients.

use super::{Look, count, note, shown};
use crate::figures::{Grouped, Milli, Percent};
use crate::table::{Column, NOTHING, Table};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{Counts, ENOUGH, Fairness, STARVES_PERCENT, Snapshot, StationRow};

/// Rows of the table that people see; programs get all of them.
const SHOWN: usize = 25;
/// Starving stations that people see; programs get all of them.
const STARVING: usize = 10;

const STATION: &[Column] = &[
    Column::left("client"),
    Column::right("servers"),
    Column::right("requests"),
    Column::under("response time", "mean"),
    Column::under("response time", "± sd"),
    Column::under("response time", "min"),
    Column::under("response time", "p95"),
    Column::under("response time", "max"),
    Column::under("relative", "mean"),
    Column::under("relative", "± sd"),
    Column::under("relative", "min"),
    Column::under("relative", "max"),
    Column::right("busy"),
    Column::right("client time"),
    Column::under("think time", "total"),
    Column::under("think time", "times"),
    Column::right("data bytes").rare(),
    Column::right("retransmitted").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
    Column::right("one-sided").rare(),
    Column::right("repeated").rare(),
    Column::right("cancelled").rare(),
    Column::right("orphans").rare(),
    Column::right("lost to limits").rare(),
];

/// The stations that waited longest.
pub(crate) fn table(snapshot: &Snapshot) -> Table {
    table_in(snapshot, Digits::Three)
}

/// [`table`], with durations of as many digits.
fn table_in(snapshot: &Snapshot, digits: Digits) -> Table {
    let mut table = Table::new(STATION);
    for row in snapshot.stations.iter().take(SHOWN) {
        table.row(station_row(row, digits));
    }
    table
}

pub(super) fn stations(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = table_in(snapshot, look.digits);
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Stations")?;
    table.write(out, look)?;
    let rows = snapshot.stations.len();
    if let Some(more) = rows.checked_sub(SHOWN).filter(|more| *more > 0) {
        let more = Grouped(more as u64);
        note(
            out,
            look,
            format_args!("and {more} more, which waited less; --format json lists all"),
        )?;
    }
    for sentence in fairness(&snapshot.fairness) {
        note(out, look, sentence)?;
    }
    Ok(())
}

/// Whether they are served alike, in sentences.
#[must_use]
pub fn fairness(found: &Fairness) -> Vec<String> {
    let mut sentences = Vec::new();
    let Some(response) = found.response_time else {
        return sentences;
    };
    let milli = |millionths: u64| Milli((millionths + 500) / 1000);
    let range = found.least.zip(found.most).map(|(least, most)| {
        format!(
            "; means from {} to {} of that of all",
            milli(least),
            milli(most)
        )
    });
    let throughput = found.throughput.map(|index| {
        format!(
            ", {} over file data per second of {}",
            milli(index.millionths),
            Grouped(index.stations)
        )
    });
    sentences.push(format!(
        "fairness (Jain): {} over mean response times of {} stations{}{}",
        milli(response.millionths),
        Grouped(response.stations),
        throughput.unwrap_or_default(),
        range.unwrap_or_default()
    ));
    let limit = Milli(STARVES_PERCENT * 10);
    for row in found.starving.iter().take(STARVING) {
        sentences.push(format!(
            "starves: {} waits {} times the mean of all (n {}; threshold {limit})",
            row.client,
            milli(row.normalised_mean),
            Grouped(row.n)
        ));
    }
    if found.starving.is_empty() {
        sentences.push(format!(
            "none starves: no mean reaches {limit} times the mean of all"
        ));
    }
    match found.not_judged {
        0 => {}
        n => sentences.push(format!(
            "not judged: {} stations with fewer than {ENOUGH} response times",
            Grouped(n)
        )),
    }
    sentences
}

fn station_row(row: &StationRow, digits: Digits) -> Vec<String> {
    let times = &row.response_time;
    let response = |value| shown((times.n > 0).then(|| digits.time(value)));
    let duration = |ns: u64| digits.span(ns);
    // Millionths to thousandths.
    let relative = |value: Option<u64>| shown(value.and_then(|n| Milli::ratio(n, 1_000_000)));
    let mut cells = vec![
        row.client.to_string(),
        Grouped(row.servers).to_string(),
        Grouped(row.counts.requests).to_string(),
        shown(times.mean().map(|ns| digits.time(ns))),
        shown(row.deviation.map(duration)),
        response(times.min),
        response(times.p95),
        response(times.max),
        relative(row.normalised_mean),
        shown(
            row.deviation
                .zip(times.mean())
                .and_then(|(deviation, mean)| Milli::ratio(deviation, u64::try_from(mean).ok()?)),
        ),
        relative(row.normalised_min),
        relative(row.normalised_max),
        duration(row.busy_ns),
        duration(row.client_ns),
        duration(row.think_ns),
        count(row.thinks),
        count(row.data_bytes),
        count(row.retransmitted),
    ];
    cells.extend(rates(&row.counts));
    cells
}

/// What went wrong, under the columns errors to lost to limits: with what it is a part of.
fn rates(counts: &Counts) -> [String; 7] {
    let rate = |part: u64, whole: u64| match part {
        0 => NOTHING.to_owned(),
        _ => format!("({part} / {whole}) {}", Percent(part, whole)),
    };
    [
        rate(counts.failures, counts.answered),
        rate(counts.unanswered, counts.requests),
        count(counts.one_sided),
        rate(counts.repeated, counts.requests),
        count(counts.cancelled),
        count(counts.orphan_responses),
        count(counts.lost_to_limits()),
    ]
}
