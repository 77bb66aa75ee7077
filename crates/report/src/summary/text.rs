//! Sums for people.

use super::spelling;
use crate::columns::TimeColumn::{Max, Mean, P50, P95, P99};
use crate::columns::{ANSWERED, ERRORS, REQUESTS, UNANSWERED};
use crate::escape::Escaped;
use crate::figures::{Grouped, Percent, operation};
use crate::table::{Table, count};
use crate::text::{Look, more, note, noted};
use crate::time::{Digits, Rfc3339};
use std::cmp::Reverse;
use std::io::{self, Write};
use wirewait_analysis::{
    Counts, Grade, Grouping, Label, Ledger, LedgerSum, PairKey, Phase, PlaceSum, Spread, Summary,
    Times, Timing, Total,
};
use wirewait_judge::Culprit;

/// Rows of a table that people see; the document has all of them.
const SHOWN: usize = 25;

/// Writes the figures of a summary.
///
/// # Errors
/// What `out` says.
pub fn text(out: &mut impl Write, summary: &Summary, look: Look) -> io::Result<()> {
    head(out, summary, look)?;
    let digits = look.digits;
    let totals = summary.totals();
    let rows: Vec<_> = totals.iter().take(SHOWN).map(Timed::from).collect();
    table(out, look, "Servers", totals.len(), timed(&rows, digits))?;
    for total in &totals {
        let mut operations: Vec<_> = summary.operations.iter().collect();
        operations.retain(|(key, _)| key.server == total.server);
        operations.sort_by_key(|(key, sum)| (total_of(&sum.response_time), **key));
        let names: Vec<_> = operations.iter().map(|(key, _)| operation(key)).collect();
        // On another carrier it is another row.
        let name = |name: &String, carrier: &str| match names.iter().filter(|n| *n == name).count()
        {
            0 | 1 => name.clone(),
            _ => format!("{name} over {carrier}"),
        };
        let first = operations.iter().zip(&names).take(SHOWN);
        let rows = first.map(|((key, sum), of)| Timed {
            of: name(of, key.carrier),
            counts: &sum.counts,
            turnaround: sum.turnaround.times(),
            response: sum.response_time.times(),
            data_bytes: sum.data_bytes,
        });
        let rows: Vec<_> = rows.collect();
        let heading = format!("Server {}", total.server);
        table(out, look, &heading, operations.len(), timed(&rows, digits))?;
    }
    let mut stations: Vec<_> = summary.stations.iter().collect();
    stations.sort_by_key(|(client, sum)| (total_of(&sum.response_time), **client));
    let rows = stations.iter().take(SHOWN).map(|(client, sum)| Timed {
        of: client.to_string(),
        counts: &sum.counts,
        turnaround: sum.turnaround.times(),
        response: sum.response_time.times(),
        data_bytes: sum.data_bytes,
    });
    let rows: Vec<_> = rows.collect();
    table(out, look, "Stations", stations.len(), timed(&rows, digits))?;
    let mut rows: Vec<_> = summary.pairs.iter().collect();
    rows.sort_by_key(|(key, sum)| (Reverse(sum.ledger.waited()), **key));
    let heading = "Where the time of each client at each server went";
    table(out, look, heading, rows.len(), pairs(first(&rows), digits))?;
    for (by, heading) in [
        (Grouping::User, "Users"),
        (Grouping::Share, "Shares"),
        (Grouping::File, "Files"),
    ] {
        let rows = spelling::places(summary).filter(|(key, _)| key.by == by);
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(_, sum)| Reverse(sum.response_time.total));
        table(out, look, heading, rows.len(), places(first(&rows), digits))?;
    }
    Ok(())
}

/// The first rows.
fn first<R>(rows: &[R]) -> &[R] {
    &rows[..SHOWN.min(rows.len())]
}

fn total_of(times: &Timing) -> Reverse<i128> {
    Reverse(times.spread().total)
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
        noted!(out, look, "{first} to {last}, {covered} of captures in all")?;
    }
    noted!(
        out,
        look,
        "{} frames, {} bytes as recorded, conversations: {}",
        Grouped(summary.frames),
        Grouped(summary.bytes),
        Grouped(summary.conversations)
    )?;
    let (grade, reasons) = summary.quality();
    noted!(out, look, "quality: {}", grade.name())?;
    for reason in reasons {
        let remark = match reason.grade {
            Grade::Good => "note",
            grade => grade.name(),
        };
        let times = Grouped(reason.count);
        noted!(out, look, "{remark}: {} ({times})", reason.text)?;
    }
    if summary.operations.is_empty() {
        note(out, look, "No request to a file server was found.")?;
    }
    Ok(())
}

/// Writes the first rows under a heading, and how many more of all there are.
pub(super) fn table(
    out: &mut impl Write,
    look: Look,
    heading: &str,
    all: usize,
    first: Table,
) -> io::Result<()> {
    if first.is_empty() {
        return Ok(());
    }
    first.headed(out, look, heading)?;
    more(out, look, all, &first, ", each with less time")
}

/// Requests with their times.
pub(super) struct Timed<'a> {
    pub(super) of: String,
    pub(super) counts: &'a Counts,
    pub(super) turnaround: Times,
    pub(super) response: Times,
    pub(super) data_bytes: u64,
}

impl<'a> From<&'a Total> for Timed<'a> {
    fn from(total: &'a Total) -> Self {
        Self {
            of: total.server.to_string(),
            counts: &total.counts,
            turnaround: total.turnaround.times(),
            response: total.response_time.times(),
            data_bytes: total.data_bytes,
        }
    }
}

pub(super) fn timed(rows: &[Timed<'_>], digits: Digits) -> Table {
    Table::timed(rows, digits)
        .left("of", |row| row.of.clone())
        .counts(&[REQUESTS, ANSWERED], |row| row.counts)
        .times("server turnaround", &[P50, P95, P99, Max, Mean], |row| {
            &row.turnaround
        })
        .times("response time", &[P50, P95, Max, Mean], |row| &row.response)
        .rare("data bytes", |row| count(row.data_bytes))
        .rare_counts(&[ERRORS, UNANSWERED], |row| row.counts)
        .table
}

fn pairs(rows: &[(&PairKey, &LedgerSum)], digits: Digits) -> Table {
    let some = |ns: u64| (ns > 0).then(|| digits.span(ns));
    let phase = |sum: &LedgerSum, phase| some(sum.ledger.get(phase));
    let part = |ledger: &Ledger| match ledger.active() {
        0 => None,
        active => Some(Percent(Culprit::Server.shown(ledger), active)),
    };
    Table::over(rows)
        .left("client", |(key, _)| key.client)
        .left("server", |(key, _)| key.server)
        .right("all phases", |(_, sum)| some(sum.ledger.total()))
        .right("active", |(_, sum)| some(sum.ledger.active()))
        .right("client", |(_, sum)| phase(sum, Phase::Client))
        .rare("request", |(_, sum)| phase(sum, Phase::Request))
        .right("server", |(_, sum)| phase(sum, Phase::Server))
        .rare("response", |(_, sum)| phase(sum, Phase::Response))
        .rare("distance", |(_, sum)| phase(sum, Phase::Distance))
        .rare("loss recovery", |(_, sum)| {
            phase(sum, Phase::Retransmission)
        })
        .rare("unanswered", |(_, sum)| phase(sum, Phase::Unanswered))
        .rare("waiting by design", |(_, sum)| phase(sum, Phase::Waiting))
        .right("idle", |(_, sum)| phase(sum, Phase::Idle))
        .rare("unknown", |(_, sum)| phase(sum, Phase::Unknown))
        .right("server %, of active", |(_, sum)| part(&sum.ledger))
        .table
}

fn places(rows: &[(Label, &PlaceSum)], digits: Digits) -> Table {
    let mean = |spread: &Spread| spread.mean().map(|ns| digits.time(ns));
    let total = |spread: &Spread| {
        let ns = i64::try_from(spread.total).unwrap_or(i64::MAX);
        (spread.n > 0).then(|| digits.time(ns))
    };
    let share = |key: &Label| Some(Escaped(key.share.as_deref()?).to_string());
    Table::over(rows)
        .path("name", |(key, _)| Escaped(&key.name).to_string())
        .rare_path("share", |(key, _)| share(key))
        .left("server", |(key, _)| key.server)
        .counts(&[REQUESTS], |(_, sum)| &sum.counts)
        .right("turnaround, mean", |(_, sum)| mean(&sum.turnaround))
        .right("response, mean", |(_, sum)| mean(&sum.response_time))
        .right("response, total", |(_, sum)| total(&sum.response_time))
        .rare("read", |(_, sum)| count(sum.read_bytes))
        .rare("written", |(_, sum)| count(sum.written_bytes))
        .table
}
