//! The operations of a server.

use super::figures::{self, Counted, Figures};
use super::servers::{detail, saturated, split};
use super::{View, draw_table};
use crate::Command;
use crate::model::Model;
use crate::place::{Place, Scope};
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeMap;
use wirewait_analysis::recent::Of;
use wirewait_analysis::{ClockTick, LedgerOf, LedgerRow, OperationKey, Phase};
use wirewait_judge::Culprit;
use wirewait_report::words::bound_mark;
use wirewait_wire::Kind;

pub(super) struct Operations;

struct OperationRow<'m> {
    key: OperationKey,
    throughput: Option<u64>,
    figures: Figures<'m>,
    /// Its time by the account, and the capture's active time, where it is of all the capture.
    ledger: Option<(&'m LedgerRow, u64)>,
    tick: ClockTick,
}

impl Counted for OperationRow<'_> {
    fn figures(&self) -> &Figures<'_> {
        &self.figures
    }

    fn of(&self) -> Of {
        Of::Operation(self.key)
    }

    fn waits(&self) -> bool {
        matches!(self.key.kind, Kind::Wait | Kind::Break)
    }
}

fn columns<'m>() -> Vec<Column<OperationRow<'m>>> {
    let mut columns = columns_of![|r: &OperationRow<'_>, context|
        Head::left("operation", 14).most(34).help("Protocol command. (wait): it waits by design.")
            => {
                let name = command(r.key.command, r.key.code);
                Cell::text(match r.key.kind {
                    Kind::Wait => format!("{name} (wait)"),
                    _ => name,
                })
            },
        Head::left("protocol", 8).rank(6).help("Protocol and carrier.")
            => Cell::text(format!("{}/{}", r.key.protocol, r.key.carrier)),
    ];
    columns.extend(figures::columns());
    let before = columns.len() - 3;
    columns.splice(before..before, columns_of![|r: &OperationRow<'_>, context|
        Head::right("active", 8).rank(6).since_start()
            .help("Active client-seconds of its requests. Each moment of a client counts at one operation.")
            => Cell::time(r.ledger.map(|(row, _)| saturated(row.ledger.active()))),
        Head::right("of active", 9).rank(5).since_start()
            .help("Its part of the active client-seconds of all servers.")
            => r.ledger.map_or_else(Cell::default, |(row, all)| {
                Value::Share(row.ledger.active(), all).into()
            }),
        Head::right("server %", 9).under("of active").rank(6).since_start()
            .help("The server's share of its active client-seconds.")
            => {
                r.ledger.map_or_else(Cell::default, |(row, _)| {
                    let (server, active) = (row.ledger.get(Phase::Server), row.ledger.active());
                    let mark = bound_mark(Culprit::Server, row, &r.tick);
                    Value::MarkedShare(mark, server, active).into()
                })
            },
    ]);
    let before = columns.len() - 4;
    columns.splice(
        before..before,
        columns_of![|r: &OperationRow<'_>, context|
            Head::right("throughput", 10).rank(8).since_start()
                .help("File data per second of response time of the requests that transferred it.")
                => r.throughput.map_or_else(Cell::default, |n| Value::Rate(n).into()),
        ],
    );
    columns
}

/// The name of an operation, or its number.
pub(super) fn command(name: &'static str, code: u32) -> String {
    wirewait_report::words::Command { name, code }.to_string()
}

fn list<'m>(model: &'m Model, place: &Place) -> List<OperationRow<'m>> {
    let rows = match (&model.feed, place, model.window) {
        (Some(feed), Place::Operations(server), None) => {
            let ledgers = &feed.snapshot.ledgers;
            let all = ledgers.iter().find(|row| row.of == LedgerOf::Capture);
            let all = all.map_or(0, |row| row.ledger.active());
            let active = ledgers.iter().filter(|row| row.ledger.active() > 0);
            let mine = active.filter_map(|row| Some((row.of.operation()?, row)));
            let mine: BTreeMap<_, _> = mine.filter(|(key, _)| key.server == *server).collect();
            let rows = feed.snapshot.servers.iter();
            rows.filter(|row| row.server == *server)
                .map(|row| OperationRow {
                    ledger: mine.get(&row.into()).map(|ledger| (*ledger, all)),
                    tick: feed.snapshot.tick,
                    key: row.into(),
                    throughput: row.throughput,
                    figures: row.into(),
                })
                .collect()
        }
        (Some(feed), Place::Operations(server), Some(seconds)) => {
            let window = feed.recent.last(seconds);
            let mine = |of: &Of| matches!(of, Of::Operation(key) if key.server == *server);
            let tallies = window.rows(mine);
            tallies
                .into_iter()
                .filter_map(|(of, tally)| {
                    let Of::Operation(key) = of else { return None };
                    Some(OperationRow {
                        key,
                        throughput: None,
                        figures: tally.into(),
                        ledger: None,
                        tick: feed.snapshot.tick,
                    })
                })
                .collect()
        }
        _ => Vec::new(),
    };
    List {
        columns: columns(),
        rows,
        key: |row: &OperationRow<'_>| {
            let key = &row.key;
            RowIdentity::Operation(key.server, key.protocol, key.carrier, key.command, key.code)
        },
        sorted: Some(("total", true)),
        empty: match model.window {
            None => "No request to this server yet.",
            Some(_) => "This server sent no response in this time.",
        },
    }
}

impl View for Operations {
    fn name(&self) -> &'static str {
        "operations"
    }

    fn title(&self, _: &Model, place: &Place) -> String {
        match place {
            Place::Operations(server) => server.to_string(),
            _ => String::new(),
        }
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        Some(Box::new(list(model, place)))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        split(body).0
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("transactions")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        let chosen = model.level().table.chosen_key().cloned();
        if let Some(RowIdentity::Operation(server, protocol, carrier, command, code)) = chosen {
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
        let rows = list(model, place).rows;
        let chosen = model.level().table.chosen().and_then(|at| rows.get(at));
        if let Some(row) = chosen {
            let name = command(row.key.command, row.key.code);
            let title = format!("How long {} {name} took", row.key.protocol);
            detail(model, &title, &row.figures, split(body).1, buffer);
        }
    }
}
