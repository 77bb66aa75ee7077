//! A table for each server and protocol.

use super::Look;
use crate::columns::TimeColumn::{Max, Mean, P50, P95};
use crate::columns::{ANSWERED, REQUESTS, TROUBLE};
use crate::figures::{Command, Grouped, Percent, Rate, frames_per_request};
use crate::table::{Table, count};
use crate::time::Digits;
use crate::verdict::marked;
use std::collections::BTreeMap;
use std::io::{self, Write};
use wirewait_analysis::{ClockTick, LedgerOf, LedgerRow, OperationKey, ServerRow, Snapshot};
use wirewait_judge::Culprit;
use wirewait_wire::Kind;

/// A table for each server, protocol and carrier, under its title.
pub(crate) fn tables(snapshot: &Snapshot, digits: Digits) -> Vec<(String, Table)> {
    // Rows of one server stand together; those of one protocol on one carrier are put so.
    let same = |a: &ServerRow, b: &ServerRow| {
        (a.server, a.protocol, a.carrier) == (b.server, b.protocol, b.carrier)
    };
    let time = TimeOf::new(snapshot, digits);
    let mut tables = Vec::new();
    for of_server in snapshot.servers.chunk_by(|a, b| a.server == b.server) {
        for (n, first) in of_server.iter().enumerate() {
            if of_server[..n].iter().any(|earlier| same(earlier, first)) {
                continue;
            }
            let rows = of_server[n..].iter().filter(|row| same(row, first));
            let rows: Vec<_> = rows.map(|row| (row, time.of(row))).collect();
            let title = format!(
                "Server {}, {} over {}",
                first.server, first.protocol, first.carrier
            );
            tables.push((title, table(&rows, &time)));
        }
    }
    tables
}

pub(super) fn servers(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    // The verdict says so already.
    if snapshot.capture.frames == 0 {
        return Ok(());
    }
    if snapshot.servers.is_empty() {
        writeln!(out)?;
        return writeln!(
            out,
            "No request to a file server was found. `wirewait protocols` lists the protocols."
        );
    }
    for (title, table) in tables(snapshot, look.digits) {
        writeln!(out)?;
        look.heading(out, &title)?;
        if let Some(sentence) = lost(snapshot) {
            writeln!(out, "  {sentence}")?;
        }
        table.write(out, look)?;
    }
    Ok(())
}

/// What every percentile has to be read with.
pub(crate) fn lost(snapshot: &Snapshot) -> Option<String> {
    let capture = &snapshot.capture;
    let lost = capture.dropped().saturating_add(capture.not_saved());
    let captured = capture.frames;
    let share = Percent(lost, captured.saturating_add(lost));
    (lost > 0).then(|| {
        format!(
            "The capture lost {} frames ({share}), which are missing from these figures.",
            Grouped(lost)
        )
    })
}

/// The account of time by operation.
struct TimeOf<'a> {
    rows: BTreeMap<OperationKey, &'a LedgerRow>,
    /// The capture's active time, ns.
    all: u64,
    tick: &'a ClockTick,
    digits: Digits,
}

impl<'a> TimeOf<'a> {
    fn new(snapshot: &'a Snapshot, digits: Digits) -> Self {
        let rows = snapshot.ledgers.iter();
        let all = rows.clone().find(|row| row.of == LedgerOf::Capture);
        let rows = rows.filter(|row| row.ledger.active() > 0);
        Self {
            rows: rows
                .filter_map(|row| Some((row.of.operation()?, row)))
                .collect(),
            all: all.map_or(0, |row| row.ledger.active()),
            tick: &snapshot.tick,
            digits,
        }
    }

    fn of(&self, row: &ServerRow) -> Option<&'a LedgerRow> {
        self.rows.get(&row.into()).copied()
    }
}

/// Operations with their time, if any is theirs.
fn table(rows: &[(&ServerRow, Option<&LedgerRow>)], time: &TimeOf<'_>) -> Table {
    let digits = time.digits;
    let of = |ledger: &Option<&LedgerRow>, culprit| marked(culprit, (*ledger)?, time.tick);
    Table::timed(rows, digits)
        .left("command", |(row, _)| command(row))
        .counts(&[REQUESTS, ANSWERED], |(row, _)| &row.counts)
        .times("server turnaround", &[P50, P95, Max, Mean], |(row, _)| {
            &row.turnaround
        })
        .times("response time", &[P50, P95, Max], |(row, _)| {
            &row.response_time
        })
        .rare_under("active time", "all", |(_, ledger)| {
            ledger.map(|row| digits.span(row.ledger.active()))
        })
        .rare_under("active time", "% of capture", |(_, ledger)| {
            ledger.map(|row| Percent(row.ledger.active(), time.all))
        })
        .rare_under("of it", "client", |(_, ledger)| of(ledger, Culprit::Client))
        .rare_under("of it", "network", |(_, ledger)| {
            of(ledger, Culprit::Network)
        })
        .rare_under("of it", "server", |(_, ledger)| of(ledger, Culprit::Server))
        .under("frames per request", "data", |(row, _)| {
            frames_per_request(&row.frames, &row.counts).0
        })
        .under("frames per request", "acks", |(row, _)| {
            frames_per_request(&row.frames, &row.counts).1
        })
        .rare("data bytes", |(row, _)| count(row.data_bytes))
        .rare("throughput", |(row, _)| row.throughput.map(Rate))
        .rare_counts(&TROUBLE, |(row, _)| &row.counts)
        .table
}

fn command(row: &ServerRow) -> String {
    let command = Command {
        name: row.command,
        code: row.code,
    };
    match row.kind {
        Kind::Wait => format!("{command} (wait)"),
        _ => command.to_string(),
    }
}
