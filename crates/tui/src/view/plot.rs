//! Plots over time, made of blocks and shades: they read the same without colours.

use crate::model::Context;
use crate::text::{self, put};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_report::words::Short;

/// Three percentiles of one stretch of time, ns.
pub(crate) type Band = Option<[i64; 3]>;

/// Bars of eighths, one column each, the latest at the right; the highest reaches the top.
pub(crate) fn bars(
    values: &[u64],
    top: &str,
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    const PARTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let Some(plot) = axis(&[(0, top.to_owned())], context, area, buffer) else {
        return;
    };
    let shown = &values[values.len().saturating_sub(usize::from(plot.width))..];
    let highest = shown.iter().copied().max().unwrap_or(0).max(1);
    let eighths = u128::from(plot.height) * 8;
    let from = plot.right() - shown.len() as u16;
    for (x, value) in (from..plot.right()).zip(shown) {
        let filled = (u128::from(*value) * eighths).div_ceil(u128::from(highest));
        for up in 0..plot.height {
            let part = filled.saturating_sub(u128::from(up) * 8).min(8) as usize;
            let y = plot.bottom() - 1 - up;
            put(buffer, (x, y), 1, PARTS[part], false, context.theme.plot);
        }
    }
}

/// Percentiles over time on a logarithmic scale: full below the first, shaded up to the second,
/// lightly up to the third. One column each, the latest at the right.
pub(crate) fn bands(bands: &[Band], context: &Context<'_>, area: Rect, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let shown = &bands[bands.len().saturating_sub(width)..];
    let values = || shown.iter().flatten().flatten().map(|ns| (*ns).max(1000));
    let (Some(least), Some(most)) = (values().min(), values().max()) else {
        return;
    };
    let scale = Scale::new(least, most, area.height);
    let Some(plot) = axis(&scale.labels(area.height), context, area, buffer) else {
        return;
    };
    let shown = &bands[bands.len().saturating_sub(usize::from(plot.width))..];
    let from = plot.right() - shown.len() as u16;
    let theme = context.theme;
    for (x, band) in (from..plot.right()).zip(shown) {
        let Some(band) = band else { continue };
        let [low, middle, high] = band.map(|ns| scale.height(ns));
        for up in 0..plot.height {
            let (symbol, style) = match up {
                up if up < low => (SHADES[0], theme.series[0]),
                up if up < middle => (SHADES[1], theme.series[1]),
                up if up < high => (SHADES[2], theme.series[2]),
                _ => continue,
            };
            put(buffer, (x, plot.bottom() - 1 - up), 1, symbol, false, style);
        }
    }
}

/// What [`bands`] draws up to each of the three.
pub(crate) const SHADES: [&str; 3] = ["█", "▒", "░"];

/// Draws labels at the left of an area, each so many lines from its top. Gives what is left;
/// `None` where that is too little.
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
        put(buffer, at, left - 1, label, true, context.theme.dim);
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
    lines: u16,
}

impl Scale {
    fn new(least: i64, most: i64, lines: u16) -> Self {
        let exponent = |ns: i64| ns.max(1).ilog10();
        let from = exponent(least);
        Self {
            from,
            to: (exponent(most) + 1).max(from + 1),
            lines,
        }
    }

    /// So many lines are filled: at least one.
    fn height(&self, ns: i64) -> u16 {
        // A picture, no figure: it is read by the eye.
        let above = (ns.max(1) as f64).log10() - f64::from(self.from);
        let part = above / f64::from(self.to - self.from);
        ((part * f64::from(self.lines)).ceil().max(1.0) as u16).min(self.lines)
    }

    /// The powers of ten, where there is a line for them.
    fn labels(&self, height: u16) -> Vec<(u16, String)> {
        let steps = self.to - self.from;
        let mut labels = Vec::new();
        for step in 0..=steps {
            let Some(ns) = 10i64.checked_pow(self.from + step) else {
                continue;
            };
            let up = u32::from(height) * step / steps;
            let line = u32::from(height).saturating_sub(up.max(1));
            // At most the height.
            labels.push((line as u16, Short(ns).to_string()));
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
        let text = drawn(9, 2, |context, area, buffer| {
            bars(&[0, 1, 8, 16], "max", context, area, buffer);
        });
        assert_eq!(text, "max     █\n      ▁██");
    }

    #[test]
    fn bands_are_shaded_on_a_scale_of_tens() {
        // 1 ms to 100 ms in four lines: two lines for each power of ten.
        let text = drawn(12, 4, |context, area, buffer| {
            let one = Some([1_000_000, 10_000_000, 99_000_000]);
            bands(&[one, None, Some([10_000_000; 3])], context, area, buffer);
        });
        assert_eq!(text, " 100 ms  ░\n         ░\n10.0 ms  ▒ █\n1.00 ms  █ █");
    }

    #[test]
    fn too_little_room_or_nothing_to_draw_is_no_trouble() {
        for (width, height) in [(0, 0), (1, 1), (5, 1), (300, 1), (8, 40)] {
            let text = drawn(width, height, |context, area, buffer| {
                bands(&[Some([0, i64::MAX, i64::MIN])], context, area, buffer);
                bars(&[u64::MAX, 0], "18,446 GB/s", context, area, buffer);
                bands(&[], context, area, buffer);
                bars(&[], "", context, area, buffer);
            });
            assert!(text.len() < 10_000);
        }
    }
}
