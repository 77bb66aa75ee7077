//! Lines in dots of Braille letters: two across and four down in each cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The bit of each dot of a letter, by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// How a line is drawn, so that lines are told apart without colours too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stroke {
    #[default]
    Full,
    Dashed,
}

/// Lines of values from 0 to 100 over the whole width, the latest at the right.
pub(super) struct Plot {
    area: Rect,
    /// Dots of each cell, and the style of the line that was there last.
    cells: Vec<(u8, Style)>,
}

impl Plot {
    pub(super) fn new(area: Rect) -> Self {
        let cells = usize::from(area.width) * usize::from(area.height);
        Self {
            area,
            cells: vec![(0, Style::new()); cells],
        }
    }

    /// Draws a line. Where there are more values than dots, a dot's column reaches from the
    /// lowest to the highest of its values: no spike is lost. Gives the row of the screen where
    /// the line ends, and whether it is above the chart there; nothing for a line that has no
    /// value at its end.
    pub(super) fn line(
        &mut self,
        values: &[Option<f64>],
        style: Style,
        stroke: Stroke,
    ) -> Option<(u16, bool)> {
        let (width, height) = (self.width(), self.height());
        if width == 0 || height == 0 || values.is_empty() {
            return None;
        }
        // From the bottom, 0 to the last row of dots.
        let row = |value: f64| {
            let high = (value.clamp(0.0, 100.0) / 100.0 * (height - 1) as f64).round();
            height - 1 - (high as usize).min(height - 1)
        };
        let mut after: Option<(usize, usize)> = None;
        for x in (0..width).rev() {
            let (from, to) = share(x, width, values.len());
            let known = values[from..to].iter().flatten().filter(|v| v.is_finite());
            let rows = known.map(|value| row(*value));
            let Some((top, bottom)) = rows.fold(None, |range: Option<(usize, usize)>, y| {
                Some(range.map_or((y, y), |(top, bottom)| (top.min(y), bottom.max(y))))
            }) else {
                after = None;
                continue;
            };
            // Down or up to where the next one begins, so that the line has no gaps.
            let (from, to) = match after {
                Some((next, _)) if next > bottom => (top, next - 1),
                Some((_, next)) if next < top => (next + 1, bottom),
                _ => (top, bottom),
            };
            if stroke == Stroke::Full || x % 4 < 2 {
                for dot in from..=to {
                    self.dot(x, dot, style);
                }
            }
            after = Some((top, bottom));
        }
        let last = values.last().copied().flatten().filter(|v| v.is_finite())?;
        // Four rows of dots in each cell.
        Some((self.area.y + (row(last) / 4) as u16, last > 100.0))
    }

    pub(super) fn draw(&self, buffer: &mut Buffer) {
        let width = usize::from(self.area.width).max(1);
        for (at, (dots, style)) in self.cells.iter().enumerate() {
            if *dots == 0 {
                continue;
            }
            let (x, y) = ((at % width) as u16, (at / width) as u16);
            let letter = char::from_u32(0x2800 + u32::from(*dots)).unwrap_or(' ');
            let place = (self.area.x + x, self.area.y + y);
            if let Some(cell) = buffer.cell_mut(place) {
                cell.set_char(letter).set_style(*style);
            }
        }
    }

    fn width(&self) -> usize {
        usize::from(self.area.width) * 2
    }

    fn height(&self) -> usize {
        usize::from(self.area.height) * 4
    }

    fn dot(&mut self, x: usize, y: usize, style: Style) {
        let at = y / 4 * usize::from(self.area.width) + x / 2;
        if let Some(cell) = self.cells.get_mut(at) {
            cell.0 |= DOTS[x % 2][y % 4];
            cell.1 = style;
        }
    }
}

/// Which of the values the column `x` of `width` columns shows: at least one, and all of them
/// in some column.
pub(super) fn share(x: usize, width: usize, values: usize) -> (usize, usize) {
    let from = (x * values / width.max(1)).min(values.saturating_sub(1));
    let to = ((x + 1) * values / width.max(1)).clamp(from + 1, values.max(from + 1));
    (from, to)
}

/// A line down the chart at one of the values.
pub(super) fn cursor(at: usize, values: usize, area: Rect, style: Style, buffer: &mut Buffer) {
    let width = usize::from(area.width);
    let shows = |x: &usize| {
        let (from, to) = share(*x, width, values);
        (from..to).contains(&at)
    };
    let columns: Vec<usize> = (0..width).filter(shows).collect();
    let Some(x) = columns.get(columns.len() / 2) else {
        return;
    };
    // Less than a width of 16 bits.
    let x = area.x + *x as u16;
    for y in area.y..area.bottom() {
        if let Some(cell) = buffer.cell_mut((x, y)) {
            if matches!(cell.symbol(), " " | "·") {
                cell.set_symbol("│");
            }
            cell.set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(
        width: u16,
        height: u16,
        values: &[Option<f64>],
    ) -> (Vec<String>, Option<(u16, bool)>) {
        let area = Rect::new(0, 0, width, height);
        let mut plot = Plot::new(area);
        let end = plot.line(values, Style::new(), Stroke::Full);
        let mut buffer = Buffer::empty(area);
        plot.draw(&mut buffer);
        (crate::export::lines(&buffer), end)
    }

    #[test]
    fn the_latest_value_stands_at_the_right_and_100_at_the_top() {
        // One cell: dots of the left column 1 2 3 7 down, of the right column 4 5 6 8.
        assert_eq!(shown(1, 1, &[Some(100.0), Some(0.0)]).0, ["⢇"]);
        assert_eq!(
            shown(1, 1, &[Some(0.0)]),
            (vec!["⣀".into()], Some((0, false)))
        );
        assert_eq!(
            shown(1, 1, &[Some(250.0)]),
            (vec!["⠉".into()], Some((0, true)))
        );
        assert_eq!(shown(2, 1, &[Some(0.0); 4]).0, ["⣀⣀"]);
        assert_eq!(shown(2, 1, &[Some(0.0), None, None, Some(0.0)]).0, ["⡀⢀"]);
    }

    /// Three values take all of the width: two dots of the six each.
    #[test]
    fn few_values_are_stretched_over_the_width() {
        assert_eq!(shown(3, 1, &[Some(0.0), None, Some(0.0)]).0, ["⣀ ⣀"]);
        let columns: Vec<_> = (0..6).map(|x| share(x, 6, 3)).collect();
        assert_eq!(columns, [(0, 1), (0, 1), (1, 2), (1, 2), (2, 3), (2, 3)]);
    }

    /// A thousand values in twenty columns of dots: the one that is high reaches the top, and
    /// only its column does.
    #[test]
    fn no_spike_is_lost_or_broadened() {
        let mut many = vec![Some(0.0); 1000];
        many[507] = Some(100.0);
        let (lines, end) = shown(10, 2, &many);
        assert_eq!(
            lines,
            ["     ⡇", "⣀⣀⣀⣀⣸⣇⣀⣀⣀⣀"].map(|line| line.replace('⣸', "⣀"))
        );
        assert_eq!(end, Some((1, false)));
        let covered: Vec<usize> = (0..20)
            .flat_map(|x| {
                let (a, b) = share(x, 20, 1000);
                a..b
            })
            .collect();
        assert_eq!(covered, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn a_dashed_line_has_gaps_and_nothing_is_no_line() {
        let area = Rect::new(0, 0, 4, 1);
        let mut plot = Plot::new(area);
        plot.line(&[Some(0.0)], Style::new(), Stroke::Dashed);
        let mut buffer = Buffer::empty(area);
        plot.draw(&mut buffer);
        assert_eq!(crate::export::lines(&buffer), ["⣀ ⣀"]);
        assert_eq!(
            shown(3, 2, &[None, Some(f64::NAN)]),
            (vec![String::new(); 2], None)
        );
        assert_eq!(shown(0, 0, &[Some(1.0)]).1, None);
        assert_eq!(shown(2, 2, &[]).1, None);
    }
}
