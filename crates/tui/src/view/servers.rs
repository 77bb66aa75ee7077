//! The servers.

use super::figures::{self, Counted, Figures};
use super::{View, bars, draw_table, rule};
use crate::Command;
use crate::model::Model;
use crate::place::Place;
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of};
use crate::text::{band, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::recent::Of;
use wirewait_analysis::{ClockTick, LedgerOf, LedgerRow, Phase, ServerTotal};
use wirewait_judge::Culprit;
use wirewait_report::words::bound_mark;
use wirewait_wire::Endpoint;

pub(super) struct Servers;

/// A server, with its ledger where it is one of all the capture.
pub(super) struct ServerRow<'m> {
    server: Endpoint,
    total: Option<&'m ServerTotal>,
    figures: Figures<'m>,
    ledger: Option<&'m LedgerRow>,
    tick: ClockTick,
}

impl Counted for ServerRow<'_> {
    fn figures(&self) -> &Figures<'_> {
        &self.figures
    }

    fn of(&self) -> Of {
        Of::Server(self.server)
    }

    fn waits(&self) -> bool {
        false
    }
}

fn columns<'m>() -> Vec<Column<ServerRow<'m>>> {
    let mut columns = columns_of![|r: &ServerRow<'_>, context|
        Head::left("server", 15).most(30).help("The server's station.")
            => Cell::text(r.server.to_string()),
        Head::left("protocols", 9).rank(7).most(24).help("Protocols and their carriers.")
            => {
                let all = r.total.iter().flat_map(|total| &total.protocols);
                let names: Vec<String> = all.map(|(p, c)| format!("{p}/{c}")).collect();
                Cell::text(names.join(" "))
            },
    ];
    columns.extend(figures::columns());
    let before = columns.len() - 3;
    columns.splice(before..before, columns_of![|r: &ServerRow<'_>, context|
        Head::right("outstanding", 11).rank(6).since_start()
            .help("Client-seconds with a request to this server outstanding, without waits by design. Each moment of a client counts at one server.")
            => Cell::time(r.ledger.map(|row| saturated(row.ledger.waited()))),
        Head::right("server %", 9).under("of active").rank(3).since_start()
            .help("The server's share of the active client-seconds spent at it.")
            => {
                r.ledger.map_or_else(Cell::default, |row| {
                    let (server, active) = (row.ledger.get(Phase::Server), row.ledger.active());
                    let mark = bound_mark(Culprit::Server, row, &r.tick);
                    Value::MarkedShare(mark, server, active).into()
                })
            },
    ]);
    columns
}

pub(super) fn saturated(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// All servers.
pub(super) fn list(model: &Model) -> List<ServerRow<'_>> {
    let rows = match (&model.feed, model.window) {
        (None, _) => Vec::new(),
        (Some(feed), None) => {
            let ledgers = &feed.snapshot.ledgers;
            let row = |total: &'_ ServerTotal| LedgerOf::Server(total.server);
            model
                .servers
                .iter()
                .map(|total| ServerRow {
                    server: total.server,
                    total: Some(total),
                    figures: total.into(),
                    ledger: ledgers.iter().find(|ledger| ledger.of == row(total)),
                    tick: feed.snapshot.tick,
                })
                .collect()
        }
        (Some(feed), Some(seconds)) => {
            let window = feed.recent.last(seconds);
            let tallies = window.rows(|of| matches!(of, Of::Server(_)));
            tallies
                .into_iter()
                .filter_map(|(of, tally)| {
                    let Of::Server(server) = of else { return None };
                    Some(ServerRow {
                        server,
                        total: model.servers.iter().find(|total| total.server == server),
                        figures: tally.into(),
                        ledger: None,
                        tick: feed.snapshot.tick,
                    })
                })
                .collect()
        }
    };
    List {
        columns: columns(),
        rows,
        key: |row: &ServerRow<'_>| RowIdentity::Station(row.server),
        sorted: Some(("total", true)),
        empty: match model.window {
            None => "No request to a file server yet.",
            Some(_) => "No server responded in this time.",
        },
    }
}

impl View for Servers {
    fn name(&self) -> &'static str {
        "servers"
    }

    fn title(&self, _: &Model, _: &Place) -> String {
        "Servers".to_owned()
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        Some(Box::new(list(model)))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        split(body).0
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("operations")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        if let Some(RowIdentity::Station(server)) = model.level().table.chosen_key().cloned() {
            model.open(Place::Operations(server));
        }
        Vec::new()
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let rows = list(model).rows;
        let chosen = model.level().table.chosen().and_then(|at| rows.get(at));
        if let Some(row) = chosen {
            let title = format!("How long {} took", row.server);
            detail(model, &title, &row.figures, split(body).1, buffer);
        }
    }
}

/// The table, and what is below it where there is room.
pub(super) fn split(body: Rect) -> (Rect, Rect) {
    super::below(body, 18, (2, 5))
}

/// How the times of the chosen row are spread.
pub(super) fn detail(
    model: &Model,
    title: &str,
    figures: &Figures<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    if area.height < 3 {
        return;
    }
    let context = model.context();
    rule(buffer, area, title, &context);
    let inner = band(area, area.y + 1, area.height - 1);
    // Beside each other where there is room.
    let half = inner.width / 2;
    let left = match inner.width {
        ..110 => inner,
        _ => Rect {
            width: half - 1,
            ..inner
        },
    };
    let right = Rect {
        x: inner.x + half,
        width: inner.width - half,
        ..inner
    };
    let mut plot = |name: &str, steps: &[wirewait_analysis::Bucket], area: Rect| {
        put(
            buffer,
            (area.x, area.y),
            area.width,
            name,
            context.theme.head,
        );
        let below = band(area, area.y + 1, area.height - 1);
        bars::histogram(steps, &context, below, buffer);
    };
    plot("server turnaround", &figures.turnarounds(), left);
    if left.width < inner.width {
        plot("response time", &figures.responses(), right);
    }
}
