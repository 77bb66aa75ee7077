//! The servers.

use super::{View, bars, draw_table};
use crate::Command;
use crate::model::Model;
use crate::place::Place;
use crate::table::{Cell, Column, Key, List, Rows, Value};
use crate::text::put;
use crate::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::{LedgerOf, LedgerRow, Samples, ServerTotal, Share};
use wirewait_report::words::frames_per_request;

pub(super) struct Servers;

/// A server with its ledger.
struct Row<'m> {
    total: &'m ServerTotal,
    ledger: Option<&'m LedgerRow>,
}

fn columns<'m>() -> Vec<Column<Row<'m>>> {
    vec![
        Column::left("server", 15, |r: &Row<'_>, _| Cell::text(r.total.server.to_string()))
            .most(30)
            .help("The server's station."),
        Column::left("protocols", 9, |r: &Row<'_>, _| {
            let names: Vec<String> =
                r.total.protocols.iter().map(|(p, c)| format!("{p}/{c}")).collect();
            Cell::text(names.join(" "))
        })
        .rank(6)
        .most(24)
        .help("What its clients speak, and what carries it."),
        Column::right("requests", 8, |r: &Row<'_>, _| Cell::count(r.total.counts.requests))
            .rank(1)
            .help("Requests that were seen."),
        Column::right("waited", 8, |r: &Row<'_>, _| {
            Cell::time(r.ledger.map(|row| saturated(row.ledger.waited())))
        })
        .rank(1)
        .help("Time in which somebody waited for it: what costs most stands first."),
        Column::right("server's", 8, |r: &Row<'_>, _| {
            r.ledger.map_or_else(Cell::default, |row| {
                Value::Share(row.ledger.get(Share::Server), row.ledger.waited()).into()
            })
        })
        .rank(3)
        .help("The server's part of that time; the rest was on the way or lost."),
        Column::right("p50", 7, |r: &Row<'_>, _| times(&r.total.turnaround, r.total.turnaround.p50))
            .under("turnaround")
            .rank(4)
            .percentile()
            .help("Half of the requests were answered by the server in this time."),
        Column::right("p95", 7, |r: &Row<'_>, _| times(&r.total.turnaround, r.total.turnaround.p95))
            .under("turnaround")
            .rank(2)
            .percentile()
            .help("All but one of twenty likewise."),
        Column::right("p99", 7, |r: &Row<'_>, _| times(&r.total.turnaround, r.total.turnaround.p99))
            .under("turnaround")
            .rank(5)
            .percentile()
            .help("All but one of a hundred likewise."),
        Column::right("p95", 7, |r: &Row<'_>, _| {
            times(&r.total.response_time, r.total.response_time.p95)
        })
        .under("response")
        .rank(4)
        .percentile()
        .help("From the first frame of the request to the last of the answer."),
        Column::right("data", 9, |r: &Row<'_>, _| Value::Bytes(r.total.data_bytes).into())
            .rank(6)
            .help("File data that was moved."),
        Column::right("frames/req", 10, |r: &Row<'_>, _| {
            let (data, _) = frames_per_request(&r.total.frames, &r.total.counts);
            data.map_or_else(Cell::default, |n| Value::Milli(n.0).into())
        })
        .rank(7)
        .help("Frames that carry a request and its answer, on average."),
        Column::left("spread", 12, |r: &Row<'_>, _| bars::spread(&r.total.samples.response_time))
            .under("response")
            .rank(5)
            .help("How response times are spread, short ones at the left, in steps of 1, 1.5, 2, 3, 5, 7, 10."),
        Column::right("errors", 6, |r: &Row<'_>, _| Cell::trouble(r.total.counts.failures, Tone::Warn))
            .rank(3)
            .help("Answers that are failures."),
        Column::right("unanswered", 10, |r: &Row<'_>, _| {
            Cell::trouble(r.total.counts.unanswered, Tone::Bad)
        })
        .rank(3)
        .help("Requests without any answer."),
        Column::right("repeated", 8, |r: &Row<'_>, _| Cell::trouble(r.total.counts.repeated, Tone::Warn))
            .rank(5)
            .help("Requests that were sent more than once."),
    ]
}

/// One of a row's times, if there are any.
pub(super) fn times(all: &wirewait_analysis::Times, one: i64) -> Cell {
    Cell::time((all.n > 0).then_some(one))
}

pub(super) fn saturated(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

impl View for Servers {
    fn name(&self) -> &'static str {
        "servers"
    }

    fn title(&self, _: &Model, _: &Place) -> String {
        "Servers".to_owned()
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn Rows + 'm>> {
        let feed = model.feed.as_ref()?;
        let ledgers = &feed.snapshot.ledgers;
        let rows = model.servers.iter().map(|total| Row {
            total,
            ledger: ledgers
                .iter()
                .find(|row| row.of == LedgerOf::Server(total.server)),
        });
        Some(Box::new(List {
            columns: columns(),
            rows: rows.collect(),
            key: |row: &Row<'_>| Key::Station(row.total.server),
            sorted: None,
            empty: "No request to a file server was seen yet.",
        }))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        split(body).0
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("operations")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        if let Some(Key::Station(server)) = model.level().table.chosen_key().cloned() {
            model.open(Place::Operations(server));
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let Some(Key::Station(server)) = model.level().table.chosen_key() else {
            return;
        };
        let total = model.servers.iter().find(|total| total.server == *server);
        if let Some(total) = total {
            let title = format!("How long {} took", total.server);
            detail(model, &title, &total.samples, split(body).1, buffer);
        }
    }
}

/// The table, and what is below it where there is room.
pub(super) fn split(body: Rect) -> (Rect, Rect) {
    let below = match body.height {
        ..18 => 0,
        height => height * 2 / 5,
    };
    let table = Rect {
        height: body.height - below,
        ..body
    };
    let detail = Rect {
        y: table.bottom(),
        height: below,
        ..body
    };
    (table, detail)
}

/// How the times of the chosen row are spread.
pub(super) fn detail(
    model: &Model,
    title: &str,
    samples: &Samples,
    area: Rect,
    buffer: &mut Buffer,
) {
    if area.height < 3 {
        return;
    }
    let context = model.context();
    let theme = context.theme;
    let rule = "─".repeat(usize::from(area.width));
    put(
        buffer,
        (area.x, area.y),
        area.width,
        &rule,
        false,
        theme.line,
    );
    put(
        buffer,
        (area.x + 1, area.y),
        area.width - 1,
        &format!(" {title} "),
        false,
        theme.title,
    );
    let inner = Rect {
        y: area.y + 1,
        height: area.height - 1,
        ..area
    };
    // Beside each other where there is room.
    let halves: Vec<(&str, &wirewait_analysis::Sample, Rect)> = if inner.width >= 110 {
        let half = inner.width / 2;
        vec![
            (
                "turnaround",
                &samples.turnaround,
                Rect {
                    width: half - 1,
                    ..inner
                },
            ),
            (
                "response time",
                &samples.response_time,
                Rect {
                    x: inner.x + half,
                    width: inner.width - half,
                    ..inner
                },
            ),
        ]
    } else {
        vec![("turnaround", &samples.turnaround, inner)]
    };
    for (name, sample, area) in halves {
        put(
            buffer,
            (area.x, area.y),
            area.width,
            name,
            false,
            theme.head,
        );
        let below = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        bars::histogram(sample, &context, below, buffer);
    }
}
