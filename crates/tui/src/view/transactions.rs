//! Transactions: single requests, with where their time went.

use super::View;
use super::operations::command;
use crate::context::Context;
use crate::keys::Action;
use crate::model::Model;
use crate::place::{Place, Scope};
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of};
use crate::theme::Tone;
use crate::{Command, Feed};
use std::collections::HashSet;
use wirewait_analysis::{Outcome, Transaction, Turnaround};
use wirewait_report::words::{Grouped, NO_RESPONSE, ended};

pub(super) struct Transactions;

#[derive(Clone, Copy)]
struct TransactionRow<'m> {
    t: &'m Transaction,
    /// See [`open_ns`].
    open_ns: Option<i64>,
    is_open: bool,
}

fn columns<'m>() -> Vec<Column<TransactionRow<'m>>> {
    columns_of![|r: &TransactionRow<'_>, context|
        Head::right("#", 6).help("The number of the transaction in the capture.")
            => Value::Number(r.t.number).into(),
        Head::right("at", 9).rank(4).help("When its first frame was seen, from the beginning of the capture.")
            => Cell::time(begin(r.t, context)),
        Head::left("client", 15).rank(3).most(30).help("The client that sent the request.")
            => Cell::text(r.t.client.station().to_string()),
        Head::left("operation", 12).rank(5).most(30).help("Protocol command of the request.")
            => Cell::text(command(r.t.operation.name, r.t.code)),
        Head::right("response", 8)
            .help("Response time (t4 - t1), from the first frame of the request to the last frame of the response; without one, until the client gave up, or to the last frame of the capture.")
            => response_time(r),
        Head::right("request", 7).under("of that").rank(4).help("Request transfer (t2 - t1).")
            => Cell::time(r.t.request_transfer_ns()),
        Head::right("server", 7).under("of that").rank(1)
            .help("Server turnaround (t3 - t2), from the complete request to the first frame of the response. Two limits where the request was repeated and the response may belong to either copy.")
            => turnaround(r.t),
        Head::right("transfer", 8).under("of that").rank(4).help("Response transfer (t4 - t3).")
            => Cell::time(r.t.response_transfer_ns()),
        Head::left("outcome", 10).rank(2).most(34).help("How the transaction ended.")
            => outcome(r.t, r.is_open),
        Head::right("data", 8).rank(5).help("File data transferred.")
            => Cell::from(Value::Bytes(r.t.data_bytes)).quiet(),
        Head::right("frames", 6).rank(7).help("Frames of the transaction.")
            => Cell::count(r.t.frames.total()),
        Head::left("remarks", 8).rank(8).most(30).help("Notes on the accuracy of its times.")
            => {
                let names: Vec<&str> = r.t.flags.names().collect();
                Cell::text(names.join(" "))
            },
        Head::left("file", 14).rank(3).most(120).grows().help("The file, if the capture shows its name.")
            => file(r.t, context),
    ]
}

/// How long a request without a response had been open when the capture ended, or when its client gave it up, if it is one of the
/// longest.
pub(super) fn open_ns(t: &Transaction, feed: &Feed) -> Option<i64> {
    let mut given_up = feed.snapshot.unanswered.iter();
    let open = feed.snapshot.unfinished.as_ref();
    match open.filter(|open| open.request.number == t.number) {
        Some(open) => Some(open.open_ns),
        None => given_up
            .find(|of| of.request.number == t.number)
            .map(|of| of.waited_ns),
    }
}

/// Whether it is the one that had no response when the capture ended, and was open for longest.
pub(super) fn is_open(t: &Transaction, feed: &Feed) -> bool {
    let open = feed.snapshot.unfinished.as_ref();
    open.is_some_and(|open| open.request.number == t.number)
}

fn response_time(row: &TransactionRow<'_>) -> Cell {
    match row.open_ns {
        Some(ns) => Cell::time(Some(ns)).toned(Tone::Bad),
        None => Cell::time(row.t.response_time_ns()),
    }
}

/// From the beginning of the capture to its first frame.
fn begin(t: &Transaction, context: &Context<'_>) -> Option<i64> {
    let mark = t.request.or(t.response)?.first;
    Some(mark.at.since(context.first?))
}

fn turnaround(t: &Transaction) -> Cell {
    match t.turnaround {
        Turnaround::None => Cell::default(),
        Turnaround::Exact(ns) => Value::Time(ns).into(),
        Turnaround::Between(low, high) => Cell::from(Value::Between(low, high)).toned(Tone::Warn),
    }
}

pub(super) fn outcome(t: &Transaction, is_open: bool) -> Cell {
    match (t.outcome, t.status) {
        _ if is_open => Cell::text(NO_RESPONSE).toned(Tone::Bad),
        (Outcome::Answered, Some(status)) if status.failure => {
            Cell::text(ended(t).unwrap_or_default()).toned(Tone::Warn)
        }
        (Outcome::Answered, Some(status)) if !status.ok => Cell::text(ended(t).unwrap_or_default()),
        (Outcome::Answered, _) => Cell::text("answered"),
        (Outcome::Unanswered, _) => Cell::text("unanswered").toned(Tone::Bad),
        (Outcome::Cancelled, _) => Cell::text("cancelled"),
        (Outcome::GivenUp, _) => Cell::text("given up").toned(Tone::Warn),
        (Outcome::OrphanResponse, _) => Cell::text("no request").toned(Tone::Dim),
    }
}

pub(super) fn file(t: &Transaction, context: &Context<'_>) -> Cell {
    let path = t.place.as_ref().and_then(|place| place.path.as_deref());
    path.map_or_else(Cell::default, |path| Cell::text(context.name("file", path)))
}

impl Scope {
    fn takes(&self, t: &Transaction) -> bool {
        match self {
            Self::Server(server) => t.server.station() == *server,
            Self::Client(client) => t.client.station() == *client,
            Self::Conversation(number) => t.conversation == *number,
            Self::Operation {
                server,
                protocol,
                carrier,
                command,
                code,
            } => {
                t.server.station() == *server
                    && t.protocol == *protocol
                    && t.carrier == *carrier
                    && t.operation.name == *command
                    && t.code == *code
            }
        }
    }
}

impl View for Transactions {
    fn name(&self) -> &'static str {
        "transactions"
    }

    fn title(&self, model: &Model, place: &Place) -> String {
        let what = match place {
            Place::Transactions(Scope::Operation {
                protocol,
                command: name,
                code,
                ..
            }) => format!("{protocol} {}", command(name, *code)),
            Place::Transactions(Scope::Client(client)) => format!("transactions of {client}"),
            Place::Transactions(Scope::Conversation(number)) => {
                format!("transactions of conversation {number}")
            }
            _ => "all transactions".to_owned(),
        };
        let forgotten = model
            .feed
            .as_ref()
            .map_or(0, |feed| feed.transactions_forgotten);
        match forgotten {
            0 => what,
            n if model.replays() => format!(
                "{what}: the latest and the slowest ({} more; {} opens any by its number)",
                Grouped(n),
                model.keys.first(Action::Number)
            ),
            n => format!(
                "{what}: the latest and the slowest ({} more no longer in memory)",
                Grouped(n)
            ),
        }
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let (feed, Place::Transactions(scope)) = (model.feed.as_ref()?, place) else {
            return None;
        };
        let since = model
            .window
            .map(|seconds| feed.recent.last(seconds).begins());
        let late = |t: &&Transaction| {
            let end = t.response.or(t.request).map(|extent| extent.last.at);
            let given_up = t.request.zip(open_ns(t, feed));
            let given_up = given_up.map(|(request, ns)| request.first.at.plus(ns));
            since.is_none_or(|since| end.max(given_up).is_some_and(|end| end >= since))
        };
        // The slowest stay at hand when newer ones took their place among the latest.
        let latest: HashSet<u64> = feed.transactions.iter().map(|t| t.number).collect();
        let slowest = feed.snapshot.longest_requests().map(|(_, t)| t);
        let slowest = slowest.filter(|t| !latest.contains(&t.number));
        let all = feed.transactions.iter().rev().chain(slowest).filter(late);
        Some(Box::new(List {
            columns: columns(),
            rows: all
                .filter(|t| scope.takes(t))
                .map(|t| TransactionRow {
                    t,
                    open_ns: open_ns(t, feed),
                    is_open: is_open(t, feed),
                })
                .collect(),
            key: |row: &TransactionRow<'_>| RowIdentity::Number(row.t.number),
            sorted: Some(("response", true)),
            empty: "No recent transaction matches.",
        }))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("details")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        if let Some(RowIdentity::Number(number)) = model.level().table.chosen_key().cloned() {
            model.open(Place::Transaction(number));
        }
        Vec::new()
    }
}
