//! The slowest transactions.

use super::{Look, noted};
use crate::escape::Escaped;
use crate::figures::{Command, InWireshark, range};
use crate::table::Table;
use crate::time::Digits;
use crate::transactions::ended;
use std::io::{self, Write};
use wirewait_analysis::{Extent, Flags, Outcome, Snapshot, Transaction, Turnaround};

/// A request, and how long it took, ns.
pub(super) type TimedRequest<'s> = (i64, &'s Transaction);

/// What stands for the response of a request that had none when the capture ended.
pub const NO_RESPONSE: &str = "no response yet";

/// What stands for the response of a request that has none, and is not open any more.
#[must_use]
pub fn without_response(t: &Transaction) -> &'static str {
    match t.outcome {
        Outcome::Cancelled => "cancelled",
        _ if t.flags.contains(Flags::OPEN_AT_END) => NO_RESPONSE,
        _ => "no response",
    }
}

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
    let rows: Vec<TimedRequest<'_>> = snapshot.longest_requests().collect();
    Table::over(&rows)
        .right("#", |(_, t)| t.number.to_string())
        .right("response time", |(ns, t)| match t.response {
            None if without_response(t) == NO_RESPONSE => format!("over {}", digits.time(*ns)),
            _ => digits.time(*ns),
        })
        .right("turnaround", |(_, t)| turnaround(t))
        .under("frames", "request", |(_, t)| t.request.map(numbers))
        .under("frames", "response", |(_, t)| {
            let none = || without_response(t).to_owned();
            t.response.map_or_else(none, numbers)
        })
        .left("client", |(_, t)| t.client.to_string())
        .left("server", |(_, t)| t.server.to_string())
        .left("command", |(_, t)| command(t))
        .left("status", |(_, t)| ended(t))
        .rare_path("file", |(_, t)| path(t))
        .rare_left("remarks", |(_, t)| {
            t.flags.names().collect::<Vec<_>>().join(" ")
        })
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
        .longest_requests()
        .filter_map(|(_, t)| t.request.or(t.response));
    let frames = requests.map(|extent| extent.first.frame);
    noted!(out, look, "Wireshark: {}", InWireshark(frames.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use wirewait_analysis::UnansweredRequest;

    fn written(snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        slowest(&mut out, snapshot, Look::plain(200)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_request_that_has_no_response_yet_stands_where_its_time_puts_it() {
        let mut snapshot = samples::snapshot();
        let without = written(&snapshot);
        assert!(!without.contains("over "), "{without}");
        let rows = |text: &str| {
            let lines = text
                .lines()
                .skip_while(|line| !line.contains("response time"));
            lines.skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        snapshot.unfinished = Some(samples::unfinished(7_100_000_000));
        let open = samples::unfinished(0).request.request.unwrap().first.frame;
        let text = written(&snapshot);
        let first = &rows(&text)[0];
        assert!(first.contains(" over 7.10 s "), "{text}");
        assert!(first.contains(" no response yet "), "{text}");
        let filter = text.lines().find(|line| line.contains("frame.number in"));
        assert!(filter.unwrap().contains(&open.to_string()), "{text}");
        snapshot.unfinished = Some(samples::unfinished(1_000));
        let text = written(&snapshot);
        let last = snapshot.slowest.len();
        assert!(rows(&text)[last].contains(" over 1 µs "), "{text}");
        snapshot.slowest.clear();
        assert!(written(&snapshot).contains(" no response yet "));
    }

    /// Given up after 60 s, and cancelled without a response after 10 s; the slowest that was answered took less.
    #[test]
    fn requests_that_were_given_up_or_cancelled_stand_among_the_slowest() {
        let mut snapshot = samples::snapshot();
        let mut cancelled = samples::unanswered();
        cancelled.outcome = Outcome::Cancelled;
        snapshot.unanswered = vec![
            UnansweredRequest::new(samples::unanswered(), 60_000_000_000),
            UnansweredRequest::new(cancelled, 10_000_000_000),
        ];
        let text = written(&snapshot);
        let lines = text
            .lines()
            .skip_while(|line| !line.contains("response time"));
        let rows: Vec<&str> = lines.skip(1).collect();
        assert!(rows[0].contains(" 60.0 s "), "{text}");
        assert!(rows[0].contains(" no response "), "{text}");
        assert!(rows[1].contains(" 10.0 s "), "{text}");
        assert!(rows[1].contains(" cancelled "), "{text}");
        assert!(!text.contains("over"), "{text}");
    }
}
