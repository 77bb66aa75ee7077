//! Sums for people.

use super::spelling;
use crate::escape::Escaped;
use crate::figures::{Command, Grouped, Percent};
use crate::table::{Column, Table};
use crate::text::{Look, note};
use crate::time::{Digits, Rfc3339};
use std::cmp::Reverse;
use std::io::{self, Write};
use wirewait_analysis::{Counts, Grade, Grouping, Ledger, Phase, Spread, Summary, Timing};
use wirewait_judge::Culprit;
use wirewait_wire::Kind;

/// Rows of a table that people see; the document has all of them.
const SHOWN: usize = 25;

pub(super) const TIMES: &[Column] = &[
    Column::left("of"),
    Column::right("requests"),
    Column::right("answered"),
    Column::under("server turnaround", "p50"),
    Column::under("server turnaround", "p95"),
    Column::under("server turnaround", "p99"),
    Column::under("server turnaround", "max"),
    Column::under("server turnaround", "mean"),
    Column::under("response time", "p50"),
    Column::under("response time", "p95"),
    Column::under("response time", "max"),
    Column::under("response time", "mean"),
    Column::right("data bytes").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
];

const PAIRS: &[Column] = &[
    Column::left("client"),
    Column::left("server"),
    Column::right("elapsed"),
    Column::right("client's"),
    Column::right("request").rare(),
    Column::right("server's"),
    Column::right("response").rare(),
    Column::right("lost frames").rare(),
    Column::right("unanswered").rare(),
    Column::right("waiting").rare(),
    Column::right("idle"),
    Column::right("server's part"),
];

const PLACES: &[Column] = &[
    Column::left("name"),
    Column::left("share").rare(),
    Column::left("server"),
    Column::right("requests"),
    Column::right("turnaround, mean"),
    Column::right("response, mean"),
    Column::right("response, total"),
    Column::right("read").rare(),
    Column::right("written").rare(),
];

/// Writes the figures of a summary.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, summary: &Summary, look: Look) -> io::Result<()> {
    head(out, summary, look)?;
    let digits = look.digits;
    let totals = summary.totals();
    let rows = totals.iter().map(|total| {
        let mut cells = vec![total.server.to_string()];
        cells.extend(timed(
            digits,
            &total.counts,
            &total.turnaround,
            &total.response_time,
        ));
        cells.extend(trouble(total.data_bytes, &total.counts));
        cells
    });
    table(out, look, "Servers", TIMES, SHOWN, rows)?;
    for total in &totals {
        let mut rows: Vec<_> = summary.operations.iter().collect();
        rows.retain(|(key, _)| key.server == total.server);
        rows.sort_by_key(|(key, sum)| (Reverse(sum.response_time.spread().total), **key));
        let cells = rows.iter().map(|(key, sum)| {
            let command = Command {
                name: key.command,
                code: key.code,
            };
            let wait = if key.kind == Kind::Wait {
                " (wait)"
            } else {
                ""
            };
            let mut cells = vec![format!("{} {command}{wait}", key.protocol)];
            cells.extend(timed(
                digits,
                &sum.counts,
                &sum.turnaround,
                &sum.response_time,
            ));
            cells.extend(trouble(sum.data_bytes, &sum.counts));
            cells
        });
        table(
            out,
            look,
            &format!("Server {}", total.server),
            TIMES,
            SHOWN,
            cells,
        )?;
    }
    let mut stations: Vec<_> = summary.stations.iter().collect();
    stations.sort_by_key(|(client, sum)| (Reverse(sum.response_time.spread().total), **client));
    let rows = stations.iter().map(|(client, sum)| {
        let mut cells = vec![client.to_string()];
        cells.extend(timed(
            digits,
            &sum.counts,
            &sum.turnaround,
            &sum.response_time,
        ));
        cells.extend(trouble(sum.data_bytes, &sum.counts));
        cells
    });
    table(out, look, "Stations", TIMES, SHOWN, rows)?;
    let mut pairs: Vec<_> = summary.pairs.iter().collect();
    pairs.sort_by_key(|(key, sum)| (Reverse(sum.ledger.waited()), **key));
    let rows = pairs.iter().map(|(key, sum)| {
        let mut cells = vec![key.client.to_string(), key.server.to_string()];
        cells.extend(ledger(digits, &sum.ledger));
        cells
    });
    table(
        out,
        look,
        "Where the time of each client at each server went",
        PAIRS,
        SHOWN,
        rows,
    )?;
    for (by, heading) in [
        (Grouping::User, "Users"),
        (Grouping::Share, "Shares"),
        (Grouping::File, "Files"),
    ] {
        let mut places: Vec<_> = spelling::places(summary)
            .filter(|(key, _)| key.by == by)
            .collect();
        places.sort_by_key(|(_, sum)| Reverse(sum.response_time.total));
        let rows = places.iter().map(|(key, sum)| {
            vec![
                Escaped(&key.name).to_string(),
                shown(key.share.as_deref().map(Escaped)),
                key.server.to_string(),
                Grouped(sum.counts.requests).to_string(),
                mean(digits, &sum.turnaround),
                mean(digits, &sum.response_time),
                total(digits, &sum.response_time),
                count(sum.read_bytes),
                count(sum.written_bytes),
            ]
        });
        table(out, look, heading, PLACES, SHOWN, rows)?;
    }
    Ok(())
}

fn head(out: &mut impl Write, summary: &Summary, look: Look) -> io::Result<()> {
    let parts = match summary.parts {
        1 => "Summary of one analysis".to_owned(),
        n => format!("Sum of {} analyses", Grouped(n)),
    };
    look.heading(out, &parts)?;
    if let (Some(first), Some(last)) = (summary.first, summary.last) {
        let covered = look.digits.span(summary.covered_ns);
        let (first, last) = (Rfc3339(first), Rfc3339(last));
        note(
            out,
            look,
            format_args!("{first} to {last}, {covered} of captures in all"),
        )?;
    }
    note(
        out,
        look,
        format_args!(
            "{} frames, {} bytes on the wire, conversations: {}",
            Grouped(summary.frames),
            Grouped(summary.bytes),
            Grouped(summary.conversations)
        ),
    )?;
    let (grade, reasons) = summary.quality();
    note(out, look, format_args!("quality: {}", grade.name()))?;
    for reason in reasons {
        let remark = match reason.grade {
            Grade::Good => "note",
            grade => grade.name(),
        };
        let times = Grouped(reason.count);
        note(
            out,
            look,
            format_args!("{remark}: {} ({times})", reason.text),
        )?;
    }
    if summary.operations.is_empty() {
        note(out, look, "No request to a file server was found.")?;
    }
    Ok(())
}

/// The first rows under a heading, and how many more there are.
pub(super) fn table(
    out: &mut impl Write,
    look: Look,
    heading: &str,
    columns: &'static [Column],
    most: usize,
    rows: impl ExactSizeIterator<Item = Vec<String>>,
) -> io::Result<()> {
    let all = rows.len();
    let mut table = Table::new(columns);
    rows.take(most).for_each(|cells| table.row(cells));
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, heading)?;
    table.write(out, look)?;
    match all.saturating_sub(most) {
        0 => Ok(()),
        more => note(
            out,
            look,
            format_args!(
                "and {} more, each waited for less; --format json has them all",
                Grouped(more as u64)
            ),
        ),
    }
}

pub(super) fn timed(
    digits: Digits,
    counts: &Counts,
    turnaround: &Timing,
    response: &Timing,
) -> [String; 11] {
    let (turnaround, response) = (turnaround.times(), response.times());
    let of = |n: u64, ns: i64| shown((n > 0).then(|| digits.time(ns)));
    [
        Grouped(counts.requests).to_string(),
        Grouped(counts.answered).to_string(),
        of(turnaround.n, turnaround.p50),
        of(turnaround.n, turnaround.p95),
        of(turnaround.n, turnaround.p99),
        of(turnaround.n, turnaround.max),
        shown(turnaround.mean().map(|ns| digits.time(ns))),
        of(response.n, response.p50),
        of(response.n, response.p95),
        of(response.n, response.max),
        shown(response.mean().map(|ns| digits.time(ns))),
    ]
}

pub(super) fn trouble(data_bytes: u64, counts: &Counts) -> [String; 3] {
    [data_bytes, counts.failures, counts.unanswered].map(count)
}

fn ledger(digits: Digits, ledger: &Ledger) -> Vec<String> {
    let time = |ns: u64| shown((ns > 0).then(|| digits.span(ns)));
    let mut cells = vec![time(ledger.total())];
    cells.extend(Phase::ALL.map(|share| time(ledger.get(share))));
    let active = ledger.active();
    let part = (active > 0).then(|| Percent(Culprit::Server.shown(ledger), active));
    cells.push(shown(part));
    cells
}

fn mean(digits: Digits, spread: &Spread) -> String {
    shown(spread.mean().map(|ns| digits.time(ns)))
}

fn total(digits: Digits, spread: &Spread) -> String {
    let ns = i64::try_from(spread.total).unwrap_or(i64::MAX);
    shown((spread.n > 0).then(|| digits.time(ns)))
}

fn count(n: u64) -> String {
    shown((n > 0).then_some(Grouped(n)))
}

fn shown(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(
        || crate::table::NOTHING.to_owned(),
        |value| value.to_string(),
    )
}
