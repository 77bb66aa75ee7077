//! A table for each server and protocol.

use super::{Look, count, shown, trouble};
use crate::figures::{Command, Grouped, Percent, Rate, frames_per_request};
use crate::table::{Column, Table};
use crate::time::Digits;
use std::io::{self, Write};
use wirewait_analysis::{ServerRow, Snapshot};
use wirewait_wire::Kind;

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
    let mut tables = Vec::new();
    for of_server in snapshot.servers.chunk_by(|a, b| a.server == b.server) {
        for (n, first) in of_server.iter().enumerate() {
            if of_server[..n].iter().any(|earlier| same(earlier, first)) {
                continue;
            }
            let mut table = Table::new(SERVER);
            for row in of_server[n..].iter().filter(|row| same(row, first)) {
                table.row(server_row(row, digits));
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

fn server_row(row: &ServerRow, digits: Digits) -> Vec<String> {
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
        shown(data),
        shown(acks),
        count(row.data_bytes),
        shown(row.throughput.map(Rate)),
    ];
    cells.extend(trouble(counts));
    cells
}
