//! A table for each server and protocol.

use super::{Look, count, shown, trouble};
use crate::figures::{Command, Grouped, Percent, Rate, frames_per_request};
use crate::table::{Column, Table};
use crate::time::Digits;
use crate::verdict::marked;
use std::collections::BTreeMap;
use std::io::{self, Write};
use wirewait_analysis::{ClockTick, LedgerOf, LedgerRow, ServerRow, Snapshot};
use wirewait_judge::Culprit;
use wirewait_wire::{Endpoint, Kind};

const SERVER: &[Column] = &[
    Column::left("command"),
    Column::right("requests"),
    Column::right("answered"),
    Column::under("server turnaround", "p50"),
    Column::under("server turnaround", "p95"),
    Column::under("server turnaround", "max"),
    Column::under("server turnaround", "mean"),
    Column::under("response time", "p50"),
    Column::under("response time", "p95"),
    Column::under("response time", "max"),
    Column::under("active time", "all").rare(),
    Column::under("active time", "% of capture").rare(),
    Column::under("of it", "client").rare(),
    Column::under("of it", "network").rare(),
    Column::under("of it", "server").rare(),
    Column::under("frames per request", "data"),
    Column::under("frames per request", "acks"),
    Column::right("data bytes").rare(),
    Column::right("throughput").rare(),
    Column::right("errors").rare(),
    Column::right("unanswered").rare(),
    Column::right("one-sided").rare(),
    Column::right("repeated").rare(),
    Column::right("cancelled").rare(),
    Column::right("orphans").rare(),
    Column::right("lost to limits").rare(),
];

/// A table for each server, protocol and carrier, under its title.
pub(crate) fn tables(snapshot: &Snapshot) -> Vec<(String, Table)> {
    tables_in(snapshot, Digits::Three)
}

/// [`tables`], with durations of as many digits.
fn tables_in(snapshot: &Snapshot, digits: Digits) -> Vec<(String, Table)> {
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
            let mut table = Table::new(SERVER);
            for row in of_server[n..].iter().filter(|row| same(row, first)) {
                table.row(server_row(row, &time));
            }
            let title = format!(
                "Server {}, {} over {}",
                first.server, first.protocol, first.carrier
            );
            tables.push((title, table));
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
    for (title, table) in tables_in(snapshot, look.digits) {
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
    rows: BTreeMap<OperationNamed, &'a LedgerRow>,
    /// The capture's active time, ns.
    all: u64,
    tick: &'a ClockTick,
    digits: Digits,
}

type OperationNamed = (
    Endpoint,
    &'static str,
    &'static str,
    &'static str,
    u32,
    Kind,
);

impl<'a> TimeOf<'a> {
    fn new(snapshot: &'a Snapshot, digits: Digits) -> Self {
        let rows = snapshot.ledgers.iter();
        let all = rows.clone().find(|row| row.of == LedgerOf::Capture);
        let rows = rows.filter_map(|row| match row.of {
            LedgerOf::Operation {
                server,
                protocol,
                carrier,
                command,
                code,
                kind,
            } => Some(((server, protocol, carrier, command, code, kind), row)),
            _ => None,
        });
        Self {
            rows: rows.filter(|(_, row)| row.ledger.active() > 0).collect(),
            all: all.map_or(0, |row| row.ledger.active()),
            tick: &snapshot.tick,
            digits,
        }
    }

    /// Active time, its part of the capture's, and whose it is.
    fn cells(&self, row: &ServerRow) -> [String; 5] {
        let named = (
            row.server,
            row.protocol,
            row.carrier,
            row.command,
            row.code,
            row.kind,
        );
        let known = self.rows.get(&named);
        let [client, network, server] = Culprit::ALL
            .map(|culprit| shown(known.and_then(|row| marked(culprit, row, self.tick))));
        let active = known.map(|row| row.ledger.active());
        [
            shown(active.map(|ns| self.digits.span(ns))),
            shown(active.map(|ns| Percent(ns, self.all))),
            client,
            network,
            server,
        ]
    }
}

fn server_row(row: &ServerRow, time: &TimeOf<'_>) -> Vec<String> {
    let digits = time.digits;
    let command = Command {
        name: row.command,
        code: row.code,
    };
    let turnaround = |value| shown((row.turnaround.n > 0).then(|| digits.time(value)));
    let response = |value| shown((row.response_time.n > 0).then(|| digits.time(value)));
    let (data, acks) = frames_per_request(&row.frames, &row.counts);
    let counts = &row.counts;
    let mut cells = vec![
        match row.kind {
            Kind::Wait => format!("{command} (wait)"),
            _ => command.to_string(),
        },
        Grouped(counts.requests).to_string(),
        Grouped(counts.answered).to_string(),
        turnaround(row.turnaround.p50),
        turnaround(row.turnaround.p95),
        turnaround(row.turnaround.max),
        shown(row.turnaround.mean().map(|ns| digits.time(ns))),
        response(row.response_time.p50),
        response(row.response_time.p95),
        response(row.response_time.max),
    ];
    cells.extend(time.cells(row));
    cells.extend([
        shown(data),
        shown(acks),
        count(row.data_bytes),
        shown(row.throughput.map(Rate)),
    ]);
    cells.extend(trouble(counts));
    cells
}
