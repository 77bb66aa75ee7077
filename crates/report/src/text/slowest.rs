//! The slowest transactions.

use super::{Look, note, shown};
use crate::escape::Escaped;
use crate::figures::{Command, InWireshark};
use crate::table::{Column, NOTHING, Table};
use crate::time::Digits;
use crate::transactions::StatusName;
use std::io::{self, Write};
use wirewait_analysis::{Snapshot, Transaction, Turnaround};

const SLOWEST: &[Column] = &[
    Column::right("#"),
    Column::right("response time"),
    Column::right("turnaround"),
    Column::under("frames", "request"),
    Column::under("frames", "response"),
    Column::left("client"),
    Column::left("server"),
    Column::left("command"),
    Column::left("status"),
    Column::left("file").rare(),
    Column::left("remarks").rare(),
];

/// The slowest of all.
pub(crate) fn table(snapshot: &Snapshot) -> Table {
    table_in(snapshot, Digits::Three)
}

/// [`table`], with durations of as many digits.
fn table_in(snapshot: &Snapshot, digits: Digits) -> Table {
    let mut table = Table::new(SLOWEST);
    for transaction in &snapshot.slowest {
        table.row(slow_row(transaction, digits));
    }
    table
}

pub(super) fn slowest(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = table_in(snapshot, look.digits);
    if table.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    look.heading(out, "Slowest")?;
    table.write(out, look)?;
    let requests = snapshot
        .slowest
        .iter()
        .filter_map(|t| t.request.or(t.response));
    let frames = requests.map(|extent| extent.first.frame);
    note(
        out,
        look,
        format_args!("Wireshark: {}", InWireshark(frames.collect())),
    )
}

fn slow_row(t: &Transaction, digits: Digits) -> Vec<String> {
    let numbers = |extent: wirewait_analysis::Extent| {
        let (first, last) = (extent.first.frame, extent.last.frame);
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    let command = Command {
        name: t.operation.name,
        code: t.code,
    };
    let remarks: Vec<&str> = t.flags.names().collect();
    vec![
        t.number.to_string(),
        shown(t.response_time_ns().map(|ns| digits.time(ns))),
        match t.turnaround {
            Turnaround::None => NOTHING.to_owned(),
            Turnaround::Exact(ns) => digits.time(ns),
            Turnaround::Between(low, high) => {
                format!("{}..{}", digits.time(low), digits.time(high))
            }
        },
        shown(t.request.map(numbers)),
        shown(t.response.map(numbers)),
        t.client.to_string(),
        t.server.to_string(),
        format!("{} {command}", t.protocol),
        shown(t.status.map(StatusName)),
        t.place
            .as_ref()
            .and_then(|place| place.path.as_deref())
            .map_or_else(String::new, |path| Escaped(path).to_string()),
        remarks.join(" "),
    ]
}
