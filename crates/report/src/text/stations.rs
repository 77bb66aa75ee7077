//! The table of the clients.

use super::{Look, note, noted};
use crate::columns::TimeColumn::{Max, Mean, Min, P95};
use crate::columns::{
    CANCELLED, ERRORS, LOST_TO_LIMITS, ONE_SIDED, ORPHANS, REPEATED, REQUESTS, UNANSWERED,
};
use crate::figures::{Grouped, Milli, PartOf};
use crate::table::{Table, count};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{ENOUGH, Fairness, STARVES_PERCENT, Snapshot, StationRow};

/// Rows of the table that people see; programs get all of them.
const SHOWN: usize = 25;
/// Starving stations that people see; programs get all of them.
const STARVING: usize = 10;

/// The stations with the most net+server time.
pub(crate) fn table(snapshot: &Snapshot, digits: Digits) -> Table {
    let rows: Vec<&StationRow> = snapshot.stations.iter().take(SHOWN).collect();
    // Millionths to thousandths.
    let relative = |value: Option<u64>| value.and_then(|n| Milli::ratio(n, 1_000_000));
    let deviation = |row: &StationRow| {
        let mean = row.response_time.mean()?;
        Milli::ratio(row.deviation?, u64::try_from(mean).ok()?)
    };
    let time = |ns: u64| (ns > 0).then(|| digits.span(ns));
    // With what it is a part of.
    let rate = |part: u64, whole: u64| (part > 0).then_some(PartOf(part, whole));
    Table::timed(&rows, digits)
        .left("client", |row| row.client)
        .right("servers", |row| Grouped(row.servers))
        .counts(&[REQUESTS], |row| &row.counts)
        .times("response time", &[Mean], |row| &row.response_time)
        .under("response time", "± sd", |row| {
            row.deviation.map(|ns| digits.span(ns))
        })
        .times("response time", &[Min, P95, Max], |row| &row.response_time)
        .under("relative", "mean", |row| relative(row.normalised_mean))
        .under("relative", "± sd", |row| deviation(row))
        .under("relative", "min", |row| relative(row.normalised_min))
        .under("relative", "max", |row| relative(row.normalised_max))
        .right("net+server", |row| time(row.busy_ns))
        .right("client time", |row| time(row.client_ns))
        .under("think time", "total", |row| time(row.think_ns))
        .under("think time", "times", |row| count(row.thinks))
        .rare("data bytes", |row| count(row.data_bytes))
        .rare("retransmitted", |row| count(row.retransmitted))
        .rare(ERRORS.title, |row| {
            rate(row.counts.failures, row.counts.answered)
        })
        .rare(UNANSWERED.title, |row| {
            rate(row.counts.unanswered, row.counts.requests)
        })
        .rare_counts(&[ONE_SIDED], |row| &row.counts)
        .rare(REPEATED.title, |row| {
            rate(row.counts.repeated, row.counts.requests)
        })
        .rare_counts(&[CANCELLED, ORPHANS, LOST_TO_LIMITS], |row| &row.counts)
        .table
}

pub(super) fn stations(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = table(snapshot, look.digits);
    if table.is_empty() {
        return Ok(());
    }
    table.headed(out, look, "Stations")?;
    let rows = snapshot.stations.len();
    if let Some(more) = rows.checked_sub(SHOWN).filter(|more| *more > 0) {
        let more = Grouped(more as u64);
        noted!(
            out,
            look,
            "and {more} more, with less net+server time; --format json lists all"
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
            "unfair: {} has {} times the mean response time of all (n {}; threshold {limit})",
            row.client,
            milli(row.normalised_mean),
            Grouped(row.n)
        ));
    }
    if found.starving.is_empty() {
        sentences.push(format!(
            "none unfair: no mean reaches {limit} times the mean of all"
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
