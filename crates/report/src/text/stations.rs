//! The table of the clients.

use super::{Look, note, noted};
use crate::figures::{Grouped, Milli, Percent};
use crate::table::{Table, count};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{ENOUGH, Fairness, STARVES_PERCENT, Snapshot, StationRow, Times};

/// Rows of the table that people see; programs get all of them.
const SHOWN: usize = 25;
/// Starving stations that people see; programs get all of them.
const STARVING: usize = 10;

/// The stations that waited longest.
pub(crate) fn table(snapshot: &Snapshot) -> Table {
    table_in(snapshot, Digits::Three)
}

/// [`table`], with durations of as many digits.
fn table_in(snapshot: &Snapshot, digits: Digits) -> Table {
    let rows: Vec<&StationRow> = snapshot.stations.iter().take(SHOWN).collect();
    let some = |times: &Times, ns| (times.n > 0).then(|| digits.time(ns));
    // Millionths to thousandths.
    let relative = |value: Option<u64>| value.and_then(|n| Milli::ratio(n, 1_000_000));
    let deviation = |row: &StationRow| {
        let mean = row.response_time.mean()?;
        Milli::ratio(row.deviation?, u64::try_from(mean).ok()?)
    };
    // With what it is a part of.
    let rate = |part: u64, whole: u64| {
        (part > 0).then(|| format!("({part} / {whole}) {}", Percent(part, whole)))
    };
    Table::over(&rows)
        .left("client", |row| row.client)
        .right("servers", |row| Grouped(row.servers))
        .right("requests", |row| Grouped(row.counts.requests))
        .under("response time", "mean", |row| {
            row.response_time.mean().map(|ns| digits.time(ns))
        })
        .under("response time", "± sd", |row| {
            row.deviation.map(|ns| digits.span(ns))
        })
        .under("response time", "min", |row| {
            some(&row.response_time, row.response_time.min)
        })
        .under("response time", "p95", |row| {
            some(&row.response_time, row.response_time.p95)
        })
        .under("response time", "max", |row| {
            some(&row.response_time, row.response_time.max)
        })
        .under("relative", "mean", |row| relative(row.normalised_mean))
        .under("relative", "± sd", |row| deviation(row))
        .under("relative", "min", |row| relative(row.normalised_min))
        .under("relative", "max", |row| relative(row.normalised_max))
        .right("busy", |row| digits.span(row.busy_ns))
        .right("client time", |row| digits.span(row.client_ns))
        .under("think time", "total", |row| digits.span(row.think_ns))
        .under("think time", "times", |row| count(row.thinks))
        .rare("data bytes", |row| count(row.data_bytes))
        .rare("retransmitted", |row| count(row.retransmitted))
        .rare("errors", |row| {
            rate(row.counts.failures, row.counts.answered)
        })
        .rare("unanswered", |row| {
            rate(row.counts.unanswered, row.counts.requests)
        })
        .rare("one-sided", |row| count(row.counts.one_sided))
        .rare("repeated", |row| {
            rate(row.counts.repeated, row.counts.requests)
        })
        .rare("cancelled", |row| count(row.counts.cancelled))
        .rare("orphans", |row| count(row.counts.orphan_responses))
        .rare("lost to limits", |row| count(row.counts.lost_to_limits()))
        .table
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
        noted!(
            out,
            look,
            "and {more} more, which waited less; --format json lists all"
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
