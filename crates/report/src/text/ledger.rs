//! The table of where the time went.

use super::{Look, shown};
use crate::table::{Column, NOTHING, Table};
use crate::time::Digits;
use crate::verdict::{MARKED, coarse_marked, marked};
use std::io::{self, Write};
use wirewait_analysis::{ClockTick, LedgerOf, LedgerRow, Phase, Snapshot};
use wirewait_judge::Culprit;

/// Rows of each kind that people see; programs get all of them.
const SHOWN: usize = 10;

const COLUMNS: &[Column] = &[
    Column::left("of"),
    Column::right("elapsed"),
    Column::right("active"),
    Column::right("client %"),
    Column::right("network %"),
    Column::right("server %"),
    Column::right("client"),
    Column::right("network"),
    Column::right("server"),
    Column::right("request").rare(),
    Column::right("response").rare(),
    Column::right("loss recovery").rare(),
    Column::right("unanswered").rare(),
    Column::right("waiting").rare(),
    Column::right("idle"),
    Column::right("unknown").rare(),
];

/// Writes the ledgers of the capture, its servers and its clients.
pub(super) fn ledgers(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let mut table = Table::new(COLUMNS);
    let of = |wanted: fn(&LedgerOf) -> bool| {
        let rows = snapshot.ledgers.iter();
        rows.filter(move |row| wanted(&row.of))
    };
    let capture = of(|of| matches!(of, LedgerOf::Capture));
    let servers = of(|of| matches!(of, LedgerOf::Server(_))).take(SHOWN);
    let clients = of(|of| matches!(of, LedgerOf::Client(_))).take(SHOWN);
    for row in capture.chain(servers).chain(clients) {
        table.row(cells(row, &snapshot.tick, look.digits));
    }
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Where the time went")?;
    table.write(out, look)?;
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
    Ok(())
}

fn cells(row: &LedgerRow, tick: &ClockTick, digits: Digits) -> Vec<String> {
    let duration = |ns| duration(ns, digits);
    let time = |phase| duration(row.ledger.get(phase));
    let percent = |culprit: Culprit| shown(marked(culprit, row, tick));
    vec![
        match &row.of {
            LedgerOf::Server(server) => format!("server {server}"),
            LedgerOf::Client(client) => format!("client {client}"),
            _ => "all".to_owned(),
        },
        duration(row.span_ns),
        duration(row.ledger.active()),
        percent(Culprit::Client),
        percent(Culprit::Network),
        percent(Culprit::Server),
        duration(Culprit::Client.shown(&row.ledger)),
        duration(Culprit::Network.shown(&row.ledger)),
        duration(Culprit::Server.shown(&row.ledger)),
        time(Phase::Request),
        time(Phase::Response),
        time(Phase::Retransmission),
        time(Phase::Unanswered),
        time(Phase::Waiting),
        time(Phase::Idle),
        time(Phase::Unknown),
    ]
}

fn duration(ns: u64, digits: Digits) -> String {
    if ns == 0 {
        return NOTHING.to_owned();
    }
    digits.span(ns)
}
