//! Plots over time, with a scale at the left and the time below: they read the same without
//! colours.

use super::curve::{Plot, Stroke, share};
use crate::context::Context;
use crate::text::{self, put, put_right};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_report::Rfc3339;
use wirewait_report::words::Short;
use wirewait_wire::Timestamp;

/// Three percentiles of one stretch of time, ns.
pub(crate) type Band = Option<[i64; 3]>;

/// What stands at the ends of the three lines.
const NAMES: [&str; 3] = ["p50", "p95", "p99"];

/// Bars of eighths over the whole width, the latest at the right; one of this height reaches the top.
pub(crate) fn bars(
    values: &[u64],
    (highest, top): (u64, &str),
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<Rect> {
    const PARTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let labels = [
        (0, top.to_owned()),
        (area.height.saturating_sub(1), "0".to_owned()),
    ];
    let plot = axis(&labels, context, area, buffer)?;
    if values.is_empty() {
        return Some(plot);
    }
    let highest = highest.max(1);
    let eighths = u128::from(plot.height) * 8;
    for x in 0..plot.width {
        let (from, to) = share(x.into(), plot.width.into(), values.len());
        let value = values[from..to].iter().copied().max().unwrap_or(0);
        let filled = (u128::from(value) * eighths).div_ceil(u128::from(highest));
        for up in 0..plot.height {
            let part = filled.saturating_sub(u128::from(up) * 8).min(8) as usize;
            let at = (plot.x + x, plot.bottom() - 1 - up);
            put(buffer, at, 1, PARTS[part], context.theme.plot);
        }
    }
    Some(plot)
}

/// Percentiles over time on a logarithmic scale, a line each with its name at its end; all over
/// the whole width, the latest at the right.
pub(crate) fn percentiles(
    bands: &[Band],
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<Rect> {
    let values = || bands.iter().flatten().flatten().map(|ns| (*ns).max(1000));
    let scale = Scale::new(values().min()?, values().max()?);
    // What is missing may change them.
    let names = match context.drops {
        0 => NAMES,
        _ => ["p50!", "p95!", "p99!"],
    };
    let wide = names[0].len() as u16 + 1;
    let inner = Rect {
        width: area.width.saturating_sub(wide),
        ..area
    };
    let plot = axis(&scale.labels(area.height), context, inner, buffer)?;
    let theme = context.theme;
    let mut curve = Plot::new(plot);
    let mut taken = Vec::new();
    // The lowest last: where lines meet, it is the one that is usual.
    for (n, name) in names.iter().enumerate().rev() {
        let line: Vec<Option<f64>> = bands
            .iter()
            .map(|band| band.map(|band| scale.percent(band[n])))
            .collect();
        curve.line(&line, theme.series[n], Stroke::Full);
        // A line that has nothing at its end is named where it was last.
        let last = line.iter().rev().flatten().next();
        let up = last.map_or(0.0, |percent| percent / 100.0 * f64::from(plot.height - 1));
        let mut y = plot.bottom() - 1 - (up.round() as u16).min(plot.height - 1);
        while taken.contains(&y) && y + 1 < plot.bottom() {
            y += 1;
        }
        if !taken.contains(&y) {
            taken.push(y);
            put(buffer, (plot.right() + 1, y), wide, name, theme.series[n]);
        }
    }
    curve.draw(buffer);
    Some(plot)
}

/// The time below a plot: when it begins and ends, and between them where there is room.
pub(crate) fn times(
    (from, to): (Timestamp, Timestamp),
    area: Rect,
    context: &Context<'_>,
    buffer: &mut Buffer,
) {
    const WIDE: u16 = 8;
    if area.width < WIDE || area.height == 0 {
        return;
    }
    let marks = (area.width / (3 * WIDE)).max(1);
    let span = to.since(from).max(0);
    for mark in 0..=marks {
        if mark == marks && area.width < 2 * WIDE + 1 {
            break;
        }
        let at = from.plus(
            i64::try_from(i128::from(span) * i128::from(mark) / i128::from(marks)).unwrap_or(0),
        );
        let text = Rfc3339(at).to_string();
        let shown = text.get(11..19).unwrap_or_default();
        let room = u32::from(area.width - WIDE) * u32::from(mark) / u32::from(marks);
        // At most the width of the area.
        let x = area.x + room as u16;
        put(buffer, (x, area.y), WIDE, shown, context.theme.dim);
    }
}

/// Draws labels at the left of an area, each with its line counted from the top. Returns the
/// rest of the area; `None` where that is too small.
fn axis(
    labels: &[(u16, String)],
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<Rect> {
    let widest = labels
        .iter()
        .map(|(_, l)| text::width(l))
        .max()
        .unwrap_or(0);
    let left = u16::try_from(widest).ok()? + 1;
    if area.width < left + 4 || area.height == 0 {
        return None;
    }
    for (line, label) in labels.iter().filter(|(line, _)| *line < area.height) {
        let at = (area.x, area.y + line);
        put_right(buffer, at, left - 1, label, context.theme.dim);
    }
    Some(Rect {
        x: area.x + left,
        width: area.width - left,
        ..area
    })
}

/// A logarithmic scale from one power of ten to another.
struct Scale {
    /// Exponents of 10 of the lowest and the highest line, in ns.
    from: u32,
    to: u32,
}

impl Scale {
    fn new(least: i64, most: i64) -> Self {
        let exponent = |ns: i64| ns.max(1).ilog10();
        let from = exponent(least);
        Self {
            from,
            to: (exponent(most) + 1).max(from + 1),
        }
    }

    /// How high it is, in percent of the scale.
    fn percent(&self, ns: i64) -> f64 {
        // A picture, no figure: it is read by the eye.
        let above = (ns.max(1) as f64).log10() - f64::from(self.from);
        (above / f64::from(self.to - self.from) * 100.0).clamp(0.0, 100.0)
    }

    /// The powers of ten, where there is a line for them.
    fn labels(&self, height: u16) -> Vec<(u16, String)> {
        let steps = self.to - self.from;
        let last = u32::from(height.saturating_sub(1));
        let mut labels = Vec::new();
        for step in 0..=steps {
            let Some(ns) = 10i64.checked_pow(self.from + step) else {
                continue;
            };
            let up = (last * step * 2 + steps) / (2 * steps);
            // At most the height.
            labels.push(((last - up.min(last)) as u16, Short(ns).to_string()));
        }
        // The upper one of two on the same line.
        labels.reverse();
        labels.dedup_by_key(|(line, _)| *line);
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::lines;
    use crate::model::Model;

    fn drawn(
        width: u16,
        height: u16,
        draw: impl FnOnce(&Context<'_>, Rect, &mut Buffer),
    ) -> String {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        draw(&Model::default().context(), area, &mut buffer);
        lines(&buffer).join("\n")
    }

    #[test]
    fn bars_reach_the_top_and_what_is_there_is_seen() {
        let text = drawn(8, 2, |context, area, buffer| {
            bars(&[0, 1, 8, 16], (16, "max"), context, area, buffer);
        });
        assert_eq!(text, "max    █\n  0  ▁██");
        // Two values take the width of four, and a high one among many stays.
        let text = drawn(6, 1, |context, area, buffer| {
            bars(&[8, 16], (16, "m"), context, area, buffer);
        });
        assert_eq!(text, "0 ▄▄██");
        let text = drawn(6, 1, |context, area, buffer| {
            bars(&[1, 1, 1, 1, 1, 1, 1, 16], (16, "m"), context, area, buffer);
        });
        assert_eq!(text, "0 ▁▁▁█");
    }

    /// 1 ms to 100 ms: the scale has two powers of ten, and so each line of dots is at its height.
    #[test]
    fn percentiles_are_lines_on_a_scale_of_tens_with_their_names() {
        let text = drawn(16, 3, |context, area, buffer| {
            let one = Some([1_000_000, 10_000_000, 99_999_999]);
            percentiles(&[one, one], context, area, buffer);
        });
        assert_eq!(text, " 100 ms ⠉⠉⠉⠉ p99\n10.0 ms ⠒⠒⠒⠒ p95\n1.00 ms ⣀⣀⣀⣀ p50");
    }

    #[test]
    fn the_time_stands_below_from_the_first_moment_to_the_last() {
        let second = 1_000_000_000;
        let ends = (Timestamp::from_nanos(0), Timestamp::from_nanos(60 * second));
        let text = drawn(50, 1, |context, area, buffer| {
            times(ends, area, context, buffer)
        });
        assert_eq!(text, "00:00:00             00:00:30             00:01:00");
        let text = drawn(20, 1, |context, area, buffer| {
            times(ends, area, context, buffer)
        });
        assert_eq!(text, "00:00:00    00:01:00");
        assert_eq!(
            drawn(9, 1, |context, area, buffer| times(
                ends, area, context, buffer
            )),
            "00:00:00"
        );
    }

    #[test]
    fn too_little_room_or_nothing_to_draw_is_no_trouble() {
        for (width, height) in [(0, 0), (1, 1), (5, 1), (300, 1), (8, 40)] {
            let text = drawn(width, height, |context, area, buffer| {
                percentiles(&[Some([0, i64::MAX, i64::MIN])], context, area, buffer);
                bars(
                    &[u64::MAX, 0],
                    (u64::MAX, "18,446 GB/s"),
                    context,
                    area,
                    buffer,
                );
                percentiles(&[], context, area, buffer);
                bars(&[], (0, ""), context, area, buffer);
                let ends = [i64::MIN, i64::MAX].map(Timestamp::from_nanos);
                times((ends[0], ends[1]), area, context, buffer);
            });
            assert!(text.len() < 10_000);
        }
    }
}
