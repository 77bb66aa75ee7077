//! The table of where the time went.

use super::Look;
use crate::figures::Grouped;
use crate::table::Table;
use crate::verdict::{MARKED, coarse_marked, marked};
use std::io::{self, Write};
use wirewait_analysis::{LedgerOf, LedgerRow, Phase, Snapshot};
use wirewait_judge::Culprit;

/// Rows of each kind that people see; programs get all of them.
const SHOWN: usize = 10;

/// Writes the ledgers of the capture, its servers and its clients.
pub(super) fn ledgers(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let of = |wanted: fn(&LedgerOf) -> bool| {
        let rows = snapshot.ledgers.iter();
        rows.filter(move |row| wanted(&row.of))
    };
    let capture = of(|of| matches!(of, LedgerOf::Capture));
    let servers = || of(|of| matches!(of, LedgerOf::Server(_)));
    let clients = || of(|of| matches!(of, LedgerOf::Client(_)));
    let some = servers().take(SHOWN).chain(clients().take(SHOWN));
    let rows: Vec<&LedgerRow> = capture.chain(some).collect();
    let duration = |ns: u64| (ns > 0).then(|| look.digits.span(ns));
    let shown = |row: &LedgerRow, culprit: Culprit| duration(culprit.shown(&row.ledger));
    let percent = |row: &LedgerRow, culprit| marked(culprit, row, &snapshot.tick);
    let phase = |row: &LedgerRow, phase| duration(row.ledger.get(phase));
    let table = Table::over(&rows)
        .left("of", |row| name(&row.of))
        .right("elapsed", |row| duration(row.span_ns))
        .right("active", |row| duration(row.ledger.active()))
        .right("client %", |row| percent(row, Culprit::Client))
        .right("network %", |row| percent(row, Culprit::Network))
        .right("server %", |row| percent(row, Culprit::Server))
        .right("client", |row| shown(row, Culprit::Client))
        .right("network", |row| shown(row, Culprit::Network))
        .right("server", |row| shown(row, Culprit::Server))
        .rare("request", |row| phase(row, Phase::Request))
        .rare("response", |row| phase(row, Phase::Response))
        .rare("loss recovery", |row| phase(row, Phase::Retransmission))
        .rare("unanswered", |row| phase(row, Phase::Unanswered))
        .rare("waiting by design", |row| phase(row, Phase::Waiting))
        .right("idle", |row| phase(row, Phase::Idle))
        .rare("unknown", |row| phase(row, Phase::Unknown))
        .table;
    if table.is_empty() {
        return Ok(());
    }
    table.headed(out, look, "Where the time went")?;
    writeln!(
        out,
        "  each moment of a client belongs to its oldest outstanding request; all times except elapsed are\n  \
           client-seconds; servers and clients each sum to \"all\"; percentages are of active time; network \
         is what\n  is proved: request and response transfer, loss recovery, and the distance within server and \
         client;\n  {MARKED}"
    )?;
    if let Some(line) = coarse_marked(&snapshot.tick) {
        super::note(out, look, line)?;
    }
    let further = |rows: usize, what: &'static str| {
        let more = rows.saturating_sub(SHOWN);
        (more > 0).then(|| format!("{} more {what}", Grouped(more as u64)))
    };
    let further = [
        further(servers().count(), "servers"),
        further(clients().count(), "clients"),
    ];
    let further: Vec<String> = further.into_iter().flatten().collect();
    if !further.is_empty() {
        let further = further.join(" and ");
        writeln!(out, "  and {further}; --format json has them all")?;
    }
    Ok(())
}

/// The name of a row.
pub(super) fn name(of: &LedgerOf) -> String {
    match of {
        LedgerOf::Server(server) => format!("server {server}"),
        LedgerOf::Client(client) => format!("client {client}"),
        _ => "all".to_owned(),
    }
}
