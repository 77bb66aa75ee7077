//! What happened when: turnarounds, and what the segment carried, as wide as there is room.

use super::super::{plot, rule};
use crate::Feed;
use crate::context::Context;
use crate::model::Model;
use crate::text::{band, width};
use plot::Band;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_analysis::recent::{Of, Tally};
use wirewait_report::Rfc3339;
use wirewait_report::words::{Percent, Short};

/// Draws both, beside each other where there is room for two.
pub(super) fn draw(model: &Model, feed: &Feed, area: Rect, buffer: &mut Buffer) {
    if area.height < 4 {
        return;
    }
    let context = model.context();
    if area.width < 70 {
        return turnarounds(feed, &context, area, buffer);
    }
    let half = area.width / 2;
    let left = Rect {
        width: half - 1,
        ..area
    };
    let right = Rect {
        x: area.x + half + 1,
        width: area.width - half - 1,
        ..area
    };
    turnarounds(feed, &context, left, buffer);
    segment(feed, &context, right, buffer);
}

/// The part below the title, without the line of times.
fn inner(area: Rect) -> Rect {
    band(area, area.y + 1, area.height - 2)
}

/// The longest of these titles that fits above a plot.
fn title(titles: &[String], area: Rect) -> &str {
    let room = usize::from(area.width).saturating_sub(4);
    let fits = titles.iter().find(|title| width(title) <= room);
    fits.or(titles.last()).map_or("", String::as_str)
}

fn below(feed: &Feed, context: &Context<'_>, plot: Option<Rect>, buffer: &mut Buffer) {
    if let Some(plot) = plot {
        let window = context.window(&feed.recent);
        let line = Rect::new(plot.x, plot.bottom(), plot.width, 1);
        plot::times((window.begins(), window.ends()), line, context, buffer);
    }
}

fn turnarounds(feed: &Feed, context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    let window = context.window(&feed.recent);
    let day = Rfc3339(window.ends()).to_string();
    let day = day.get(..10).unwrap_or_default();
    let titles = [
        format!(
            "Server turnaround, last {}, {day} UTC",
            Short(window.elapsed_ns())
        ),
        format!("Server turnaround, {day} UTC"),
        "Server turnaround".to_owned(),
    ];
    rule(buffer, area, title(&titles, area), context);
    // A step of a few letters' width holds enough responses for percentiles to differ.
    let bands = bands(feed, context, usize::from(area.width / 2).max(1));
    let plot = plot::percentiles(&bands, context, inner(area), buffer);
    below(feed, context, plot, buffer);
}

/// Percentiles of the turnaround over time, in at most `steps` steps.
fn bands(feed: &Feed, context: &Context<'_>, steps: usize) -> Vec<Band> {
    let window = context.window(&feed.recent);
    let each: Vec<Option<&Tally>> = window.each(&Of::All).collect();
    let together = each.len().div_ceil(steps).max(1);
    each.chunks(together)
        .map(|seconds| {
            let mut sum = Tally::default();
            seconds.iter().flatten().for_each(|one| sum.merge(one));
            let times = sum.turnaround.times();
            (times.n > 0).then_some([times.p50, times.p95, times.p99])
        })
        .collect()
}

fn segment(feed: &Feed, context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    let window = context.window(&feed.recent);
    let carried = window.captured(None).on_wire;
    let rate = window.per_second(carried).map(|milli| milli / 1000);
    let rate = rate.map_or_else(|| "-".to_owned(), |n| context.units.rate(n));
    // How much of the link the busiest second took, where its speed is known.
    let busiest = feed.snapshot.segment.busiest(1_000_000_000);
    let busiest = busiest.map(|busiest| Percent(busiest.utilisation, 1_000_000));
    let busy = busiest.map_or_else(String::new, |busy| {
        format!(", busiest second {busy} of the link")
    });
    let titles = [
        format!(
            "On the wire, last {}: mean {rate}{busy}",
            Short(window.elapsed_ns())
        ),
        format!("On the wire: mean {rate}{busy}"),
        format!("On the wire: mean {rate}"),
        "On the wire".to_owned(),
    ];
    rule(buffer, area, title(&titles, area), context);
    let course: Vec<u64> = window.captured_each(None).map(|c| c.on_wire).collect();
    let top = course.iter().copied().max().unwrap_or(0);
    let top = context.units.rate(top);
    let plot = plot::bars(&course, &top, context, inner(area), buffer);
    below(feed, context, plot, buffer);
}
