//! The conversations of the last minutes: what a request costs in frames, and what transports do.

use super::View;
use super::figures::time;
use crate::Command;
use crate::context::of_last;
use crate::model::Model;
use crate::place::{Place, Scope};
use crate::state::{Talk, shown};
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of};
use crate::theme::Tone;
use wirewait_analysis::Windows;
use wirewait_analysis::recent::{End, Of, RecentParties};
use wirewait_report::columns::TimeColumn::P95;
use wirewait_report::columns::{ERRORS, REQUESTS, UNANSWERED};
use wirewait_report::words::{Grouped, frames_per_request};

pub(super) struct Conversations;

struct ConversationRow<'m> {
    talk: &'m Talk,
}

fn columns<'m>() -> Vec<Column<ConversationRow<'m>>> {
    columns_of![|r: &ConversationRow<'_>, context|
        Head::right("#", 4).rank(6).help("The number of the conversation in the capture.")
            => Value::Number(r.talk.number).into(),
        Head::left("client", 15).most(32).help("The client, with its port or socket.")
            => end(r, |p| p.client.to_string()),
        Head::left("server", 15).rank(2).most(32).help("The server, with its port or socket.")
            => end(r, |p| p.server.to_string()),
        Head::left("protocol", 8).rank(6).help("Protocol and carrier.")
            => end(r, |p| format!("{}/{}", p.protocol, p.carrier)),
        Head::count(REQUESTS, 8).rank(1).help("Transactions that ended in that time.")
            => Cell::count(REQUESTS.value(&r.talk.tally.counts)),
        Head::left("response rate", 17).rank(7)
            .help("Responses in each second of the last minute, or of the window. The latest is at the right.")
            => Cell::from(Value::Course(context.course(&Of::Conversation(r.talk.number)))).quiet(),
        Head::time(P95, 8).under("response").rank(2)
            .help("95th percentile of the response time, at most 4.2 % too high.")
            => time(&r.talk.tally.response_time.times(), P95, true),
        Head::right("data", 9).rank(5).help("File data transferred.")
            => Cell::from(Value::Bytes(r.talk.tally.data_bytes)).quiet(),
        Head::right("data", 7).under("frames/request").rank(3)
            .help("Frames with bytes of a request or its response, per request.")
            => per_request(r, false),
        Head::right("acks", 6).under("frames/request").rank(3).help("Pure acknowledgements per request.")
            => per_request(r, true),
        Head::right("acks %", 6).rank(5)
            .help("Acknowledgement overhead: pure acknowledgements, as a share of all frames of the requests.")
            => {
                let f = &r.talk.tally.frames;
                let all = [f.request, f.response, f.interim, f.ack, f.control, f.retransmitted];
                let all = all.into_iter().fold(0, u64::saturating_add);
                match all {
                    0 => Cell::default(),
                    all => Value::Share(f.ack, all).into(),
                }
            },
        Head::right("retrans", 7).rank(3).help("Retransmissions by the transport.")
            => Cell::trouble(r.talk.tally.transport.resent, Tone::Warn),
        Head::right("busy", 5).rank(4)
            .help("How often a receiver stopped the sender: a closed TCP window, LLC RNR and the like.")
            => Cell::trouble(r.talk.tally.transport.busy, Tone::Warn),
        Head::right("to client", 9).under("most in flight").rank(5)
            .help("Most bytes in flight to the client when an acknowledgement came: the part of its window that was used. Empty where only responses acknowledge.")
            => in_flight(r, Who::Client),
        Head::right("to server", 9).under("most in flight").rank(5).help("The same for the server.")
            => in_flight(r, Who::Server),
        Head::right("mean", 8).under("most in flight").rank(6)
            .help("Mean of the bytes in flight when an acknowledgement came, in either direction.")
            => {
                let mean = r.talk.tally.transport.window_mean();
                mean.map_or_else(Cell::default, |n| Value::Bytes(n).into())
            },
        Head::right("of client", 9).under("smallest window").rank(4)
            .help("The smallest receive window that the client advertised. \">=\": at least; the capture lacks the opening of the connection, which has the scale of the window.")
            => smallest(r, Who::Client),
        Head::right("of server", 9).under("smallest window").rank(4).help("The same for the server.")
            => smallest(r, Who::Server),
        Head::right("of client", 9).under("mean window").rank(7).help("Mean receive window of the client.")
            => mean(r, Who::Client),
        Head::right("of server", 9).under("mean window").rank(7).help("Mean receive window of the server.")
            => mean(r, Who::Server),
        Head::right("of client", 9).under("largest window").rank(7)
            .help("Largest receive window of the client.")
            => largest(r, Who::Client),
        Head::right("of server", 9).under("largest window").rank(7)
            .help("Largest receive window of the server.")
            => largest(r, Who::Server),
        Head::right("of client", 9).under("zero windows").rank(7)
            .help("Frames in which the client advertised a receive window of 0.")
            => shut(r, Who::Client),
        Head::right("of server", 9).under("zero windows").rank(7)
            .help("Frames in which the server advertised a receive window of 0.")
            => shut(r, Who::Server),
        Head::count(ERRORS, 6).rank(6)
            => Cell::trouble(ERRORS.value(&r.talk.tally.counts), Tone::Warn),
        Head::count(UNANSWERED, 10).rank(6)
            => Cell::trouble(UNANSWERED.value(&r.talk.tally.counts), Tone::Bad),
    ]
}

#[derive(Clone, Copy)]
enum Who {
    Client,
    Server,
}

/// What one of the ends can take, and what was on its way to it.
fn of_end(row: &ConversationRow<'_>, who: Who) -> End {
    row.talk.parties.map_or_else(End::default, |parties| {
        let RecentParties { client, server, .. } = parties;
        let transport = &row.talk.tally.transport;
        match who {
            Who::Client => transport.end(&client, &server),
            Who::Server => transport.end(&server, &client),
        }
    })
}

fn in_flight(row: &ConversationRow<'_>, who: Who) -> Cell {
    match of_end(row, who).in_flight {
        0 => Cell::default(),
        n => Value::Bytes(n).into(),
    }
}

fn smallest(row: &ConversationRow<'_>, who: Who) -> Cell {
    let offered = of_end(row, who).offered;
    sized(&offered, Some(offered.smallest))
}

fn mean(row: &ConversationRow<'_>, who: Who) -> Cell {
    let offered = of_end(row, who).offered;
    sized(&offered, offered.mean())
}

fn largest(row: &ConversationRow<'_>, who: Who) -> Cell {
    let offered = of_end(row, who).offered;
    sized(&offered, Some(offered.largest))
}

/// What is not scaled is at least what it says; nothing is nothing, however scaled.
fn sized(offered: &Windows, bytes: Option<u64>) -> Cell {
    match (offered.times, bytes) {
        (0, _) | (_, None) => Cell::default(),
        (_, Some(n)) if offered.unscaled > 0 && n > 0 => Value::AtLeast(n).into(),
        (_, Some(n)) => Value::Bytes(n).into(),
    }
}

fn shut(row: &ConversationRow<'_>, who: Who) -> Cell {
    Cell::trouble(of_end(row, who).offered.closed, Tone::Bad)
}

fn end(row: &ConversationRow<'_>, text: impl FnOnce(&RecentParties) -> String) -> Cell {
    row.talk
        .parties
        .as_ref()
        .map_or_else(Cell::default, |parties| Cell::text(text(parties)))
}

fn per_request(row: &ConversationRow<'_>, acks: bool) -> Cell {
    let tally = &row.talk.tally;
    let (data, ack) = frames_per_request(&tally.frames, &tally.counts);
    let found = if acks { ack } else { data };
    found.map_or_else(Cell::default, |n| Value::Milli(n.0).into())
}

impl View for Conversations {
    fn name(&self) -> &'static str {
        "conversations"
    }

    fn title(&self, model: &Model, place: &Place) -> String {
        let recent = model.feed.as_ref().map(|feed| &feed.recent);
        let last = recent.map_or_else(String::new, |recent| {
            of_last(
                &shown(recent, model.window),
                model.window.unwrap_or(u32::MAX),
            )
        });
        let mut title = match place {
            Place::Conversations(Some(client)) => {
                format!("Conversations of {client} in the last {last}")
            }
            _ => format!("Conversations of the last {last}"),
        };
        let missed = recent.map_or(0, |recent| recent.missed().rows);
        if missed > 0 {
            title.push_str(&format!("; {} counts lost to a limit", Grouped(missed)));
        }
        title
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let Place::Conversations(of) = place else {
            return None;
        };
        let talks = model.talks().iter().filter(|talk| {
            let client = talk.parties.map(|parties| parties.client.station());
            of.is_none() || *of == client
        });
        let rows = talks.map(|talk| ConversationRow { talk });
        Some(Box::new(List {
            columns: columns(),
            rows: rows.collect(),
            key: |row: &ConversationRow<'_>| RowIdentity::Number(row.talk.number),
            sorted: None,
            empty: "No request to a file server in the last minutes.",
        }))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("transactions")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        if let Some(RowIdentity::Number(number)) = model.level().table.chosen_key().cloned() {
            model.open(Place::Transactions(Scope::Conversation(number)));
        }
        Vec::new()
    }
}
