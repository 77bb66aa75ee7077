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
use wirewait_wire::Timestamp;

const SECOND_NS: i64 = 1_000_000_000;

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
    let mean = window.per_second(carried).map(|milli| milli / 1000);
    let rate = mean.map_or_else(|| "-".to_owned(), |n| context.units.rate(n));
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
    let carried: Vec<u64> = window.captured_each(None).map(|c| c.on_wire).collect();
    let course = match feed.snapshot.capture.first.zip(feed.now) {
        Some(span) => rates(&carried, window.begins(), span),
        None => carried,
    };
    let highest = course.iter().copied().max().unwrap_or(0);
    // No mean is above the scale, whatever parts of seconds it is of.
    let highest = highest.max(mean.unwrap_or(0));
    let top = context.units.rate(highest);
    let plot = plot::bars(&course, (highest, &top), context, inner(area), buffer);
    below(feed, context, plot, buffer);
}

/// The shortest part of a second whose rate is shown, ns: a single frame at its beginning is no rate.
const LEAST_PART_NS: i64 = 100_000_000;

/// Bytes per second in each second from `begins` on: by the part of it that the capture has, which
/// reaches from its first frame up to now. Otherwise a capture of less than two seconds had a mean above
/// its highest.
fn rates(carried: &[u64], begins: Timestamp, (first, now): (Timestamp, Timestamp)) -> Vec<u64> {
    let elapsed = now.since(begins.max(first));
    // Without time there is no rate, and no mean either.
    if elapsed < 1 {
        return carried.to_vec();
    }
    let least = LEAST_PART_NS.min(elapsed);
    let each = carried.iter().zip(0i64..).map(|(bytes, second)| {
        let from = begins.plus(second.saturating_mul(SECOND_NS));
        let to = from.plus(SECOND_NS);
        let part = to.min(now).since(from.max(first)).clamp(least, SECOND_NS);
        let rate = u128::from(*bytes) * SECOND_NS.unsigned_abs() as u128;
        let rate = rate / u128::from(part.unsigned_abs());
        u64::try_from(rate).unwrap_or(u64::MAX)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    /// 363 ms within one second, and 1.2 s of 1000 bytes a second that begin at 2.4 s.
    #[test]
    fn the_first_and_the_last_second_count_by_the_part_that_there_is() {
        assert_eq!(rates(&[363], at(5000), (at(5200), at(5563))), [1000]);
        assert_eq!(
            rates(&[600, 600], at(2000), (at(2400), at(3600))),
            [1000, 1000]
        );
        // In the middle nothing changes; of a window, the capture's beginning is far away.
        let whole = (at(2400), at(5500));
        assert_eq!(
            rates(&[600, 7, 8, 500], at(2000), whole),
            [1000, 7, 8, 1000]
        );
        assert_eq!(rates(&[9, 9], at(50_000), (at(0), at(52_700))), [9, 9]);
    }

    #[test]
    fn a_single_frame_at_the_end_is_no_peak() {
        // At the very beginning of the last second, at the only moment, and before a clock stepped back.
        assert_eq!(rates(&[1000, 100], at(0), (at(0), at(1000))), [1000, 1000]);
        assert_eq!(rates(&[50], at(1000), (at(1000), at(1000))), [50]);
        assert_eq!(rates(&[50], at(1000), (at(1500), at(900))), [50]);
        assert_eq!(rates(&[], at(0), (at(0), at(0))), [0; 0]);
    }
}
