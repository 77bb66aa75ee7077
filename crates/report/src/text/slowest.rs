//! The slowest transactions.

use super::{Look, noted};
use crate::escape::Escaped;
use crate::figures::{Command, InWireshark, range};
use crate::table::Table;
use crate::time::Digits;
use crate::transactions::status;
use std::io::{self, Write};
use wirewait_analysis::{Extent, Snapshot, Transaction, Turnaround};

/// The slowest of all.
pub(crate) fn table(snapshot: &Snapshot, digits: Digits) -> Table {
    let numbers = |extent: Extent| match (extent.first.frame, extent.last.frame) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}-{last}"),
    };
    let turnaround = |t: &Transaction| match t.turnaround {
        Turnaround::None => None,
        Turnaround::Exact(ns) => Some(digits.time(ns)),
        Turnaround::Between(low, high) => Some(range(&digits.time(low), &digits.time(high))),
    };
    Table::over(&snapshot.slowest)
        .right("#", |t| t.number.to_string())
        .right("response time", |t| {
            t.response_time_ns().map(|ns| digits.time(ns))
        })
        .right("turnaround", turnaround)
        .under("frames", "request", |t| t.request.map(numbers))
        .under("frames", "response", |t| t.response.map(numbers))
        .left("client", |t| t.client.to_string())
        .left("server", |t| t.server.to_string())
        .left("command", command)
        .left("status", |t| t.status.map(status))
        .rare_left("file", path)
        .rare_left("remarks", |t| t.flags.names().collect::<Vec<_>>().join(" "))
        .table
}

/// The protocol and its operation.
pub(super) fn command(t: &Transaction) -> String {
    let command = Command {
        name: t.operation.name,
        code: t.code,
    };
    format!("{} {command}", t.protocol)
}

/// The file; empty if it is not known.
pub(super) fn path(t: &Transaction) -> String {
    let path = t.place.as_ref().and_then(|place| place.path.as_deref());
    path.map_or_else(String::new, |path| Escaped(path).to_string())
}

pub(super) fn slowest(out: &mut impl Write, snapshot: &Snapshot, look: Look) -> io::Result<()> {
    let table = table(snapshot, look.digits);
    if table.is_empty() {
        return Ok(());
    }
    table.headed(out, look, "Slowest")?;
    let requests = snapshot
        .slowest
        .iter()
        .filter_map(|t| t.request.or(t.response));
    let frames = requests.map(|extent| extent.first.frame);
    noted!(out, look, "Wireshark: {}", InWireshark(frames.collect()))
}
