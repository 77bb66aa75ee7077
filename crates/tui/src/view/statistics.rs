//! Statistics that show themselves: which there are, and each as a table.

use super::{View, draw_table};
use crate::Command;
use crate::context::Context;
use crate::model::Model;
use crate::place::Place;
use crate::table::{AnyRows, Cell, Head, List, RowIdentity, Value, columns_of};
use crate::text::wrapped;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::{Cell as Figure, Statistic};
use wirewait_report::words::Grouped;

/// Lines below a table, for what is counted.
const LINES: u16 = 4;

pub(super) struct Statistics;
pub(super) struct OneStatistic;

impl View for Statistics {
    fn name(&self) -> &'static str {
        "statistics"
    }

    fn title(&self, _: &Model, _: &Place) -> String {
        "Statistics".to_owned()
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let columns = columns_of![|s: &&Statistic, context|
            Head::left("statistic", 20).most(40).help("Title of the table.")
                => Cell::text(s.title),
            Head::right("rows", 6).rank(1).help("Rows of the table.")
                => Cell::count(s.rows.len() as u64),
            Head::left("", 20).rank(2).grows()
                => Cell::text(s.about),
        ];
        Some(Box::new(List {
            columns,
            rows: model.feed.as_ref()?.snapshot.statistics.iter().collect(),
            key: |statistic| RowIdentity::Name(statistic.name.to_owned()),
            sorted: None,
            empty: "There are no statistics.",
        }))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("its table")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        let chosen = model.level().table.chosen_key().cloned();
        let statistics = model.feed.iter().flat_map(|f| &f.snapshot.statistics);
        let found = statistics
            .filter(|one| chosen == Some(RowIdentity::Name(one.name.to_owned())))
            .map(|one| one.name)
            .next();
        if let Some(name) = found {
            model.open(Place::Statistic(name));
        }
        Vec::new()
    }
}

impl View for OneStatistic {
    fn name(&self) -> &'static str {
        "statistic"
    }

    fn title(&self, model: &Model, place: &Place) -> String {
        found(model, place).map_or_else(String::new, |s| s.title.to_owned())
    }

    fn rows<'m>(&self, model: &'m Model, place: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let statistic = found(model, place)?;
        let heads = statistic.columns.iter().enumerate();
        let heads = heads.map(|(at, column)| Head {
            title: column.title,
            group: "",
            right: at > 0,
            // The last ones go first where there is little room.
            rank: u8::try_from(at).unwrap_or(u8::MAX),
            width: if at > 0 { (9, 24) } else { (15, 40) },
            grows: false,
            percentile: column.percentile,
            since_start: false,
            help: "",
        });
        let heads = heads.collect();
        Some(Box::new(StatisticFigures { statistic, heads }))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        split(body).0
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let Some(statistic) = found(model, place) else {
            return;
        };
        let mut said = statistic.about.to_owned();
        if statistic.without_row > 0 {
            said.push_str(&format!(
                " {} more requests are of clients lost to the limit rows.",
                Grouped(statistic.without_row)
            ));
        }
        wrapped(buffer, split(body).1, &said, model.palette.theme().dim);
    }
}

/// The table, and what is said of it.
fn split(body: Rect) -> (Rect, Rect) {
    super::below(body, 10, (LINES, body.height.max(1)))
}

/// The statistic that is open.
fn found<'m>(model: &'m Model, place: &Place) -> Option<&'m Statistic> {
    let Place::Statistic(name) = place else {
        return None;
    };
    let statistics = &model.feed.as_ref()?.snapshot.statistics;
    statistics.iter().find(|one| one.name == *name)
}

/// Its rows.
struct StatisticFigures<'m> {
    statistic: &'m Statistic,
    heads: Vec<Head>,
}

impl AnyRows for StatisticFigures<'_> {
    fn heads(&self) -> Vec<&Head> {
        self.heads.iter().collect()
    }

    fn len(&self) -> usize {
        self.statistic.rows.len()
    }

    fn key(&self, row: usize) -> Option<RowIdentity> {
        Some(match self.statistic.rows.get(row)?.first()? {
            Figure::Station(station) => RowIdentity::Station(*station),
            _ => RowIdentity::Number(row as u64),
        })
    }

    fn cell(&self, row: usize, column: usize, _: &Context<'_>) -> Cell {
        let row = self.statistic.rows.get(row);
        match row.and_then(|cells| cells.get(column)) {
            Some(Figure::Station(station)) => Cell::text(station.to_string()),
            Some(Figure::Count(n)) => Cell::count(*n),
            Some(Figure::Bytes(n)) => Value::Bytes(*n).into(),
            Some(Figure::Time(ns)) => Cell::time(Some(*ns)),
            Some(Figure::Nothing) | None => Cell::default(),
        }
    }

    fn sorted(&self) -> Option<(usize, bool)> {
        None
    }

    fn empty(&self) -> &'static str {
        "No data yet."
    }
}
