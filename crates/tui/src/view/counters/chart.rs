//! The chart: lines over time, or the latest values as bars, and what the value bar below it said.

use super::super::curve::{self, Plot};
use super::super::{bars, plot, rule};
use super::{CounterRow, letter, scale, stroke, style, value};
use crate::model::Model;
use crate::text::{put, put_right};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_report::Rfc3339;
use wirewait_report::words::Short;

/// The lines over time, with the value bar of the chosen one below.
pub(super) fn lines(
    model: &Model,
    rows: &[CounterRow<'_>],
    chosen: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
) {
    if area.height < 3 || area.width < 20 {
        return;
    }
    let theme = model.palette.theme();
    let bar = u16::from(area.height >= 6) + u16::from(area.height >= 8);
    let inner = Rect {
        x: area.x + 4,
        width: area.width - 6,
        height: area.height - bar,
        ..area
    };
    for (n, label) in ["100", "50", "0"].iter().enumerate() {
        let y = inner.y + (inner.height - 1) * n as u16 / 2;
        put_right(buffer, (area.x, y), 3, label, theme.dim);
        let dots = "·".repeat(usize::from(inner.width));
        put(buffer, (inner.x, y), inner.width, &dots, theme.line);
    }
    let mut plot = Plot::new(inner);
    // The chosen one last, so that it lies above the others.
    let mut order: Vec<&CounterRow<'_>> = rows
        .iter()
        .filter(|row| Some(row.number) != chosen)
        .collect();
    order.extend(rows.iter().filter(|row| Some(row.number) == chosen));
    for row in order {
        let by = scale(row.power);
        let values = row.line().values.iter().map(|value| value.map(|v| v * by));
        let values: Vec<Option<f64>> = values.collect();
        let style = match Some(row.number) == chosen {
            true => theme.head,
            false => style(model, row.number),
        };
        let end = plot.line(&values, style, stroke(row.number));
        if let Some((y, beyond)) = end {
            let beyond = if beyond { "▲" } else { "" };
            let name = format!("{}{beyond}", letter(row.number));
            put(buffer, (inner.right(), y), 2, &name, style);
        }
    }
    plot.draw(buffer);
    if let Some((back, counters)) = model.chart.back.zip(model.counters()) {
        let values = counters.times().len();
        let at = values.saturating_sub(back + 1);
        curve::cursor(at, values, inner, theme.key, buffer);
    }
    if bar > 1 {
        let ends = model.counters().and_then(|counters| {
            let mut times = counters.times();
            let first = times.next()?;
            Some((first, times.next_back().unwrap_or(first)))
        });
        let below = Rect::new(inner.x, inner.bottom(), inner.width, 1);
        if let Some(ends) = ends {
            plot::times(ends, below, &model.context(), buffer);
        }
    }
    if bar > 0 {
        let y = area.bottom() - 1;
        put(
            buffer,
            (area.x, y),
            area.width,
            &value_bar(model, rows, chosen),
            theme.plain,
        );
    }
}

/// What the bar below the chart said of the chosen line.
fn value_bar(model: &Model, rows: &[CounterRow<'_>], chosen: Option<usize>) -> String {
    let Some(row) = rows.iter().find(|row| Some(row.number) == chosen) else {
        return String::new();
    };
    let shown = |of: Option<f64>| value(row.kind, of).shown(model.units, 0);
    if let Some(kind) = row.kind.filter(|kind| !kind.counted) {
        return format!("{}: {}, never estimated", letter(row.number), kind.mark);
    }
    let moment = model.chart.back.and_then(|back| {
        let times = model.counters()?.times();
        let at = times.len().checked_sub(back + 1)?;
        let text = Rfc3339(times.into_iter().nth(at)?).to_string();
        Some(format!(
            "at {} UTC {}   ",
            text.get(11..19)?,
            shown(row.at())
        ))
    });
    let line = row.line();
    format!(
        "{}: {}last {}   average {}   min {}   max {}   graph time {}",
        letter(row.number),
        moment.unwrap_or_default(),
        shown(line.last),
        shown(line.average),
        shown(line.min),
        shown(line.max),
        Short(row.chart.elapsed_ns()),
    )
}

/// The latest values as bars, 100 all across.
pub(super) fn histogram(
    model: &Model,
    rows: &[CounterRow<'_>],
    chosen: Option<usize>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = model.palette.theme();
    let room = area.width.saturating_sub(4);
    if area.height < 2 || room < 10 {
        return;
    }
    let context = model.context();
    rule(
        buffer,
        area,
        "the latest values, 0 to 100 after scaling",
        &context,
    );
    for (y, row) in (area.y + 1..area.bottom()).zip(rows) {
        let style = style(model, row.number);
        let name = letter(row.number).to_string();
        let head = if Some(row.number) == chosen {
            theme.chosen
        } else {
            style
        };
        put(buffer, (area.x, y), 1, &name, head);
        let value = row
            .line()
            .last
            .map_or(0.0, |value| value * scale(row.power));
        let eighths = (value.clamp(0.0, 100.0) / 100.0 * f64::from(room) * 8.0).round();
        // Between 0 and eight times a width of 16 bits.
        let bar = bars::bar(eighths as u32, value > 0.0);
        put(buffer, (area.x + 2, y), room, &bar, style);
        if value > 100.0 {
            put(buffer, (area.right() - 1, y), 1, "▶", theme.bad);
        }
    }
}
