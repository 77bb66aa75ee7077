//! The operations of a server.

use super::servers::{detail, saturated, split, times};
use super::{View, bars, draw_table};
use crate::Command;
use crate::model::Model;
use crate::place::{Place, Scope};
use crate::table::{Cell, Column, Key, List, Rows, Value};
use crate::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::ServerRow;
use wirewait_report::words::frames_per_request;
use wirewait_wire::Kind;

pub(super) struct Operations;

type Row<'m> = &'m ServerRow;

fn columns<'m>() -> Vec<Column<Row<'m>>> {
    vec![
        Column::left("operation", 14, |r: &Row<'_>, _| {
            let name = command(r.command, r.code);
            Cell::text(match r.kind {
                Kind::Wait => format!("{name} (wait)"),
                _ => name,
            })
        })
        .most(34)
        .help("What was asked for; (wait): it waits by design."),
        Column::left("protocol", 8, |r: &Row<'_>, _| {
            Cell::text(format!("{}/{}", r.protocol, r.carrier))
        })
        .rank(5)
        .help("What it belongs to, and what carries it."),
        Column::right("requests", 8, |r: &Row<'_>, _| Cell::count(r.counts.requests))
            .rank(1)
            .help("Requests that were seen."),
        Column::right("answered", 8, |r: &Row<'_>, _| Cell::count(r.counts.answered))
            .rank(6)
            .help("Those with a final answer."),
        Column::right("total", 8, |r: &Row<'_>, _| {
            let total = i64::try_from(r.response_time.total).unwrap_or(i64::MAX);
            times(&r.response_time, total)
        })
        .under("response")
        .rank(2)
        .help("Response times added up: what costs most stands first."),
        Column::right("p50", 7, |r: &Row<'_>, _| times(&r.turnaround, r.turnaround.p50))
            .under("turnaround")
            .rank(4)
            .percentile()
            .help("Half were answered by the server in this time."),
        Column::right("p95", 7, |r: &Row<'_>, _| times(&r.turnaround, r.turnaround.p95))
            .under("turnaround")
            .rank(1)
            .percentile()
            .help("All but one of twenty likewise."),
        Column::right("max", 7, |r: &Row<'_>, _| times(&r.turnaround, r.turnaround.max))
            .under("turnaround")
            .rank(5)
            .help("The longest of them."),
        Column::right("p50", 7, |r: &Row<'_>, _| times(&r.response_time, r.response_time.p50))
            .under("response")
            .rank(6)
            .percentile()
            .help("From the first frame of the request to the last of the answer."),
        Column::right("p95", 7, |r: &Row<'_>, _| times(&r.response_time, r.response_time.p95))
            .under("response")
            .rank(3)
            .percentile()
            .help("All but one of twenty likewise."),
        Column::right("data", 9, |r: &Row<'_>, _| match r.data_bytes {
            0 => Cell::default(),
            n => Value::Bytes(n).into(),
        })
        .rank(6)
        .help("File data that was moved."),
        Column::right("throughput", 10, |r: &Row<'_>, _| {
            r.throughput.map_or_else(Cell::default, |n| Value::Rate(n).into())
        })
        .rank(7)
        .help("File data by the response times of the requests that moved it."),
        Column::right("frames/req", 10, |r: &Row<'_>, _| {
            let (data, _) = frames_per_request(&r.frames, &r.counts);
            data.map_or_else(Cell::default, |n| Value::Milli(n.0).into())
        })
        .rank(8)
        .help("Frames that carry a request and its answer, on average."),
        Column::left("spread", 12, |r: &Row<'_>, _| bars::spread(&r.samples.response_time))
            .under("response")
            .rank(5)
            .help("How response times are spread, short ones at the left, in steps of 1, 1.5, 2, 3, 5, 7, 10."),
        Column::right("errors", 6, |r: &Row<'_>, _| Cell::trouble(r.counts.failures, Tone::Warn))
            .rank(3)
            .help("Answers that are failures."),
        Column::right("unanswered", 10, |r: &Row<'_>, _| {
            Cell::trouble(r.counts.unanswered, Tone::Bad)
        })
        .rank(4)
        .help("Requests without any answer."),
        Column::right("repeated", 8, |r: &Row<'_>, _| {
            Cell::trouble(r.counts.repeated, Tone::Warn)
        })
        .rank(6)
        .help("Requests that were sent more than once."),
    ]
}

/// The name of an operation, or its number.
pub(super) fn command(name: &'static str, code: u32) -> String {
    wirewait_report::words::Command { name, code }.to_string()
}

fn rows<'m>(model: &'m Model, place: &Place) -> Vec<Row<'m>> {
    let (Some(feed), Place::Operations(server)) = (&model.feed, place) else {
        return Vec::new();
    };
    let rows = feed.snapshot.servers.iter();
    rows.filter(|row| row.server == *server).collect()
}

fn key(row: &Row<'_>) -> Key {
    Key::Operation(row.server, row.protocol, row.carrier, row.command, row.code)
}

impl View for Operations {
    fn name(&self) -> &'static str {
        "operations"
    }

    fn title(&self, model: &Model, place: &Place) -> String {
        let Place::Operations(server) = place else {
            return String::new();
        };
        let total = model.servers.iter().find(|total| total.server == *server);
        match total {
            Some(total) if total.response_time.n > 0 => {
                let all = i64::try_from(total.response_time.total).unwrap_or(i64::MAX);
                let all = wirewait_report::words::Short(all.min(saturated(u64::MAX)));
                format!("{server}, {all} of response time")
            }
            _ => server.to_string(),
        }
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn Rows + 'm>> {
        Some(Box::new(List {
            columns: columns(),
            rows: rows(model, place),
            key,
            sorted: None,
            empty: "Nothing was asked of this server yet.",
        }))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        split(body).0
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("transactions")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        let chosen = model.level().table.chosen_key().cloned();
        if let Some(Key::Operation(server, protocol, carrier, command, code)) = chosen {
            model.open(Place::Transactions(Scope::Operation {
                server,
                protocol,
                carrier,
                command,
                code,
            }));
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let chosen = model.level().table.chosen_key();
        let found = rows(model, place)
            .into_iter()
            .find(|row| Some(&key(row)) == chosen);
        if let Some(row) = found {
            let title = format!(
                "How long {} {} took",
                row.protocol,
                command(row.command, row.code)
            );
            detail(model, &title, &row.samples, split(body).1, buffer);
        }
    }
}
