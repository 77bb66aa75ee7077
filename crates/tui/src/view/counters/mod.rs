//! Performance Monitor's chart: counters over the last minutes, each with its scale, and what
//! the value bar below it said.

mod chart;
mod choose;

pub(super) use choose::{Instances, Kinds, Objects};

use super::curve::Stroke;
use super::{View, draw_table};
use crate::Command;
use crate::context::Context;
use crate::keys::Action;
use crate::model::Model;
use crate::place::Place;
use crate::state::{ChartLook, MOST, fit};
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of, head_lines};
use crate::theme::Tone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::cell::OnceCell;
use wirewait_analysis::Phase;
use wirewait_report::counters::{Chart, CounterPlace as Whose, Kind, Line, Pick};
use wirewait_report::words::Short;

pub(super) struct Counters;

/// The colours of lines are those of these parts of the time.
const COLOURS: [Phase; 6] = [
    Phase::Server,
    Phase::Request,
    Phase::Client,
    Phase::Response,
    Phase::Retransmission,
    Phase::Waiting,
];

/// By how much a line is multiplied.
fn scale(power: i32) -> f64 {
    10f64.powi(power)
}

/// A line of the chart. Its values are formed when they are looked at.
struct CounterRow<'m> {
    number: usize,
    pick: &'m Pick,
    kind: Option<Kind>,
    power: i32,
    chart: &'m Chart,
    /// The time that is looked at, counted back from the latest.
    back: Option<usize>,
    line: OnceCell<Line>,
}

impl CounterRow<'_> {
    fn line(&self) -> &Line {
        self.line.get_or_init(|| self.chart.line(self.pick))
    }

    /// Its value at the time that is looked at.
    fn at(&self) -> Option<f64> {
        let values = &self.line().values;
        let last = values.len().checked_sub(1)?;
        values.get(last.checked_sub(self.back?)?).copied().flatten()
    }
}

fn columns<'m>() -> Vec<Column<CounterRow<'m>>> {
    columns_of![|r: &CounterRow<'_>, context|
        Head::left("", 1).help("Letter of the line on the chart.")
            => Cell::text(letter(r.number).to_string()),
        Head::left("counter", 16).most(34).help("Name of the counter.")
            => Cell::text(r.kind.map_or("", |kind| kind.name)),
        Head::left("object", 8).rank(3).most(20).help("Performance Monitor's object.")
            => Cell::text(r.pick.object()),
        Head::left("station", 12).rank(2).most(30).help("Station of the counter.")
            => Cell::text(r.pick.place().station()),
        Head::left("instance", 8).rank(4).most(30).help("Instance: an interface, a share, a peer.")
            => instance(&r.pick.place(), context),
        Head::right("scale", 7).rank(2)
            .help("Scale factor of the line. , and . change it, = fits it to the chart.")
            => Cell::text(scale_text(r.power)),
        Head::right("last", 9).rank(1).help("Value of the last complete interval.")
            => value(r.kind, r.line().last),
        Head::right("average", 9).rank(1).help("Mean over the time of the chart.")
            => value(r.kind, r.line().average),
        Head::right("min", 9).rank(3).help("Smallest value on the chart.")
            => value(r.kind, r.line().min),
        Head::right("max", 9).rank(3).help("Greatest value on the chart.")
            => value(r.kind, r.line().max),
        Head::right("at", 9).rank(5).help("Value at the cursor. Left and Right move the cursor.")
            => value(r.kind, r.at()),
        Head::left("mark", 6).rank(6).most(14).help("Accuracy: exact, derived or approximated.")
            => mark(r),
    ]
}

/// The name of an instance; those of shares are hidden where names are.
fn instance(whose: &Whose, context: &Context<'_>) -> Cell {
    match whose.name() {
        "" => Cell::default(),
        name if whose.is_share() => Cell::text(context.name("share", name)),
        name => Cell::text(name.to_owned()),
    }
}

/// A value of a counter of this kind; seconds have the unit that fits.
fn value(kind: Option<Kind>, value: Option<f64>) -> Cell {
    let shown = match kind.is_some_and(|kind| kind.seconds) {
        true => Value::Seconds,
        false => Value::Float,
    };
    value.map_or_else(Cell::default, |value| shown(value).into())
}

fn mark(row: &CounterRow<'_>) -> Cell {
    let Some(kind) = row.kind else {
        return Cell::default();
    };
    Cell::text(kind.mark).toned(match kind.mark {
        "exact" => Tone::Plain,
        _ => Tone::Dim,
    })
}

/// The letter of a line.
fn letter(number: usize) -> char {
    char::from(b'A' + (number % MOST) as u8)
}

/// The colour of a line. Its letter tells it apart where there are none.
fn style(model: &Model, number: usize) -> Style {
    model.palette.theme().curve(COLOURS[number % COLOURS.len()])
}

/// There are more lines than colours: beyond those, lines have gaps.
fn stroke(number: usize) -> Stroke {
    match number / COLOURS.len() % 2 {
        0 => Stroke::Full,
        _ => Stroke::Dashed,
    }
}

fn scale_text(power: i32) -> String {
    match power {
        0.. => format!("{}", scale(power)),
        _ => {
            let zeros = "0".repeat((-power - 1).unsigned_abs() as usize);
            format!("0.{zeros}1")
        }
    }
}

fn rows(model: &Model) -> Vec<CounterRow<'_>> {
    let Some(counters) = model.counters() else {
        return Vec::new();
    };
    let picks = model.chart.picks.iter().enumerate();
    picks
        .map(|(number, (pick, power))| CounterRow {
            number,
            pick,
            kind: pick.kind(),
            power: *power,
            chart: counters,
            back: model.chart.back,
            line: OnceCell::new(),
        })
        .collect()
}

/// The chosen line's number.
fn chosen(model: &Model) -> Option<usize> {
    match model.level().table.chosen_key() {
        Some(RowIdentity::Counter(pick)) => model
            .chart
            .picks
            .iter()
            .position(|(known, _)| known == pick),
        _ => None,
    }
}

impl View for Counters {
    fn name(&self) -> &'static str {
        "counters"
    }

    fn title(&self, model: &Model, _: &Place) -> String {
        let Some(chart) = model.counters() else {
            return "Counters".to_owned();
        };
        let intervals = chart.times().len().saturating_sub(1);
        let ns = chart
            .interval_ns()
            .saturating_mul(i64::try_from(intervals).unwrap_or(i64::MAX));
        format!(
            "Counters: {} in intervals of {}",
            Short(ns),
            Short(chart.interval_ns())
        )
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        Some(Box::new(List {
            columns: columns(),
            rows: rows(model),
            key: |row: &CounterRow<'_>| RowIdentity::Counter(row.pick.clone()),
            sorted: None,
            empty: "The chart is empty. a adds counters.",
        }))
    }

    fn table_area(&self, model: &Model, _: &Place, body: Rect) -> Rect {
        split(model, body).1
    }

    fn scrolls(&self, _: &Model) -> bool {
        // They move the cursor of the chart.
        false
    }

    fn act(&self, model: &mut Model, _: &Place, action: Action) -> Option<Vec<Command>> {
        match action {
            Action::Enter | Action::Add => {
                model.open(Place::CounterObjects);
                return Some(Vec::new());
            }
            Action::Remove => match chosen(model) {
                Some(at) => {
                    model.chart.chosen = true;
                    model.chart.picks.remove(at);
                }
                None => model.say("no line is chosen"),
            },
            Action::Look => {
                model.chart.look = match model.chart.look {
                    ChartLook::Chart => ChartLook::Histogram,
                    ChartLook::Histogram => ChartLook::Report,
                    ChartLook::Report => ChartLook::Chart,
                };
            }
            Action::ScaleUp => rescale(model, |power, _| power + 1),
            Action::ScaleDown => rescale(model, |power, _| power - 1),
            Action::ScaleFit => rescale(model, |_, line| fit(line)),
            Action::Left => step(model, true),
            Action::Right => step(model, false),
            Action::Back if model.chart.back.is_some() => model.chart.back = None,
            _ => return None,
        }
        model.refresh();
        Some(Vec::new())
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("add lines")
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        let (above, below) = split(model, body);
        let rows = rows(model);
        let chosen = chosen(model);
        match model.chart.look {
            ChartLook::Chart => chart::lines(model, &rows, chosen, above, buffer),
            ChartLook::Histogram => chart::histogram(model, &rows, chosen, above, buffer),
            ChartLook::Report => {}
        }
        draw_table(model, place, body, buffer);
        // The letters have the colours of their lines.
        let table = &model.level().table;
        let first = self
            .rows(model, place)
            .map_or(below.y, |rows| below.y + head_lines(below, rows.as_ref()));
        let visible = table.order().iter().skip(table.top());
        for (y, row) in (first..below.bottom()).zip(visible) {
            if chosen != Some(*row) {
                buffer.set_style(Rect::new(below.x, y, 1, 1), style(model, *row));
            }
        }
    }
}

/// The chart, and the table below it.
fn split(model: &Model, body: Rect) -> (Rect, Rect) {
    let lines = u16::try_from(model.chart.picks.len()).unwrap_or(u16::MAX);
    let least = 2 + u16::from(body.height >= 16);
    let table = match model.chart.look {
        ChartLook::Report => body.height,
        _ => lines
            .saturating_add(2)
            .clamp(least, (body.height / 3).max(least)),
    };
    let table = table.min(body.height);
    let above = Rect {
        height: body.height - table,
        ..body
    };
    let below = crate::text::band(body, above.bottom(), table);
    (above, below)
}

fn rescale(model: &mut Model, to: impl FnOnce(i32, &Line) -> i32) {
    let line = chosen(model).and_then(|at| {
        let (pick, _) = model.chart.picks.get(at)?;
        Some((at, model.counters()?.line(pick)))
    });
    let Some((at, line)) = line else {
        return model.say("no line is chosen");
    };
    if let Some((_, power)) = model.chart.picks.get_mut(at) {
        *power = to(*power, &line).clamp(-12, 12);
        let said = format!("scale of {}: {}", letter(at), scale_text(*power));
        model.chart.chosen = true;
        model.say(said);
    }
}

/// Looks at a time before or after.
fn step(model: &mut Model, before: bool) {
    let Some(counters) = model.counters() else {
        return;
    };
    let last = counters.times().len().saturating_sub(1);
    model.chart.back = match (model.chart.back, before) {
        (None, true) => Some(0),
        (None, false) => None,
        (Some(back), true) => Some((back + 1).min(last)),
        (Some(back), false) => back.checked_sub(1),
    };
}
