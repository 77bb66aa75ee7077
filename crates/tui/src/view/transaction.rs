//! One transaction: where its time went, and its frames.

use super::operations::command;
use super::transactions::{file, is_open, open_ns, outcome};
use super::{View, bars};
use crate::model::Model;
use crate::place::Place;
use crate::table::Cell;
use crate::text::{band, put};
use crate::{Command, Feed, Input, text};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::{Extent, Ledger, Phase, Transaction, Turnaround};
use wirewait_report::Rfc3339;
use wirewait_report::words::{NO_RESPONSE, Short, without_response};

pub(super) struct OneTransaction;

/// It, if it is still at hand.
fn found(feed: &Feed, number: u64) -> Option<&Transaction> {
    let longest = feed.snapshot.longest_requests().map(|(_, t)| t);
    let mut all = feed.transactions.iter().chain(longest);
    all.find(|t| t.number == number)
}

/// How long it took, or has taken where it had no response when the capture ended.
fn response_time(t: &Transaction, feed: &Feed) -> String {
    match (t.response_time_ns(), open_ns(t, feed)) {
        (None, None) => "-".to_owned(),
        (None, Some(ns)) if is_open(t, feed) => format!("over {}: {NO_RESPONSE}", Short(ns)),
        (None, Some(ns)) => format!("{}: {}", Short(ns), without_response(t)),
        (Some(ns), _) => Short(ns).to_string(),
    }
}

fn extent(extent: Option<Extent>) -> String {
    extent.map_or_else(
        || "not seen".to_owned(),
        |e| {
            let (from, to) = (e.first.frame, e.last.frame);
            let frames = match from == to {
                true => format!("frame {from}"),
                false => format!("frames {from} to {to}"),
            };
            format!("{frames}, {}", Rfc3339(e.first.at))
        },
    )
}

impl View for OneTransaction {
    fn name(&self) -> &'static str {
        "transaction"
    }

    fn title(&self, _: &Model, place: &Place) -> String {
        match place {
            Place::Transaction(number) => format!("#{number}"),
            _ => String::new(),
        }
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("frames")
    }

    fn enter(&self, model: &mut Model, place: &Place) -> Vec<Command> {
        match place {
            Place::Transaction(number) => model.open_frames(
                format!("frames of #{number}"),
                Command::DecodeTransaction(*number),
            ),
            _ => Vec::new(),
        }
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        let (Some(feed), Place::Transaction(number)) = (&model.feed, place) else {
            return;
        };
        let context = model.context();
        let theme = context.theme;
        let Some(t) = found(feed, *number) else {
            // No option keeps more of them, but its frames may be there.
            let helps = match &feed.input {
                Input::Files { again: true, .. } => "Enter reads its frames from the file again.",
                Input::Files { .. } => "A file instead of a pipe is read again.",
                Input::Live { .. } => {
                    "--save FILE keeps all frames, wirewait transactions FILE lists their requests."
                }
            };
            let said = format!(
                "This transaction is no longer in memory: newer ones took its place. {helps}"
            );
            text::wrapped(buffer, body, &said, theme.dim);
            return;
        };
        let shown = |cell: Cell| cell.shown(context.units, 0);
        let human = |ns: Option<i64>| ns.map_or_else(|| "-".to_owned(), |ns| Short(ns).to_string());
        let f = &t.frames;
        let remarks: Vec<&str> = t.flags.names().collect();
        let mut lines = vec![
            (
                "operation",
                format!("{} {}", t.protocol, command(t.operation.name, t.code)),
            ),
            ("client", t.client.to_string()),
            ("server", t.server.to_string()),
            ("outcome", shown(outcome(t, is_open(t, feed)))),
            ("file", shown(file(t, &context))),
            ("response time", response_time(t, feed)),
            (
                "request",
                format!("{}, {}", human(t.request_transfer_ns()), extent(t.request)),
            ),
            ("turnaround", between(t)),
            (
                "response",
                format!(
                    "{}, {}",
                    human(t.response_transfer_ns()),
                    extent(t.response)
                ),
            ),
        ];
        if t.asked_bytes > 0 || t.data_bytes > 0 {
            let (moved, asked) = (t.data_bytes, t.asked_bytes);
            let moved = context.units.size(moved);
            lines.push((
                "data",
                format!("{moved} of {} requested", context.units.size(asked)),
            ));
        }
        let counted = [
            (f.request, "of the request"),
            (f.response, "of the response"),
            (f.interim, "of interim responses"),
            (f.ack, "acknowledging"),
            (f.control, "of control traffic"),
            (f.retransmitted, "retransmitted"),
        ];
        let counted: Vec<String> = counted
            .iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{n} {what}"))
            .collect();
        lines.push(("frames", counted.join(", ")));
        if t.copies > 1 {
            lines.push(("request", format!("seen {} times", t.copies)));
        }
        lines.push(("remarks", remarks.join(" ")));
        let split = ledger(t);
        let mut y = body.y;
        if split.total() > 0 {
            let line = Rect { height: 1, ..body };
            bars::ledger(&split, &context, line, buffer);
            let below = band(body, y + 1, body.height.saturating_sub(1).min(2));
            y += 2 + bars::legend((&split, [""; 2]), &context, below, buffer);
        }
        for (name, value) in lines {
            if y >= body.bottom() || value.is_empty() || value == "-" {
                continue;
            }
            put(buffer, (body.x, y), 13, name, theme.title);
            let area = Rect {
                x: body.x + 14.min(body.width),
                y,
                width: body.width.saturating_sub(14),
                height: body.bottom() - y,
            };
            y += text::wrapped(buffer, area, &value, theme.plain);
        }
    }
}

fn between(t: &Transaction) -> String {
    match t.turnaround {
        Turnaround::None => "-".to_owned(),
        Turnaround::Exact(ns) => Short(ns).to_string(),
        Turnaround::Between(low, high) => format!(
            "between {} and {}: the response may belong to either copy of the request",
            Short(low),
            Short(high)
        ),
    }
}

/// The three parts of its time; nothing where the server's is not known exactly.
fn ledger(t: &Transaction) -> Ledger {
    let ns = |value: Option<i64>| value.and_then(|ns| u64::try_from(ns).ok());
    let parts = [
        (Phase::Request, ns(t.request_transfer_ns())),
        (Phase::Server, ns(t.turnaround.exact())),
        (Phase::Response, ns(t.response_transfer_ns())),
    ];
    if parts.iter().any(|(_, ns)| ns.is_none()) {
        return Ledger::default();
    }
    parts
        .into_iter()
        .map(|(share, ns)| (share, ns.unwrap_or(0)))
        .collect()
}
