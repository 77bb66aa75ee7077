//! Lines in dots of Braille letters: two across and four down in each cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The bit of each dot of a letter, by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Lines of values from 0 to 100, the latest at the right.
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

    /// Draws a line. Gives the row of the screen where it ends, and whether it is above the
    /// chart there; nothing for a line that has no value at its end.
    pub(super) fn line(
        &mut self,
        values: impl DoubleEndedIterator<Item = Option<f64>>,
        style: Style,
    ) -> Option<(u16, bool)> {
        let (width, height) = (self.width(), self.height());
        if width == 0 || height == 0 {
            return None;
        }
        let mut end = None;
        let mut after: Option<usize> = None;
        for (back, value) in values.rev().take(width).enumerate() {
            let x = width - 1 - back;
            let Some(value) = value.filter(|value| value.is_finite()) else {
                after = None;
                continue;
            };
            // From the bottom, 0 to the last row of dots.
            let high = (value.clamp(0.0, 100.0) / 100.0 * (height - 1) as f64).round();
            let y = height - 1 - (high as usize).min(height - 1);
            // Down or up to where the next one begins, so that the line has no gaps.
            let (from, to) = match after {
                Some(next) if next < y => (next + 1, y),
                Some(next) if next > y => (y, next - 1),
                _ => (y, y),
            };
            for dot in from..=to {
                self.dot(x, dot, style);
            }
            if back == 0 {
                // Four rows of dots in each cell.
                end = Some((self.area.y + (y / 4) as u16, value > 100.0));
            }
            after = Some(y);
        }
        end
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

/// A line down the chart at the value so far back from the latest.
pub(super) fn cursor(back: usize, area: Rect, style: Style, buffer: &mut Buffer) {
    let across = usize::from(area.width) * 2;
    let Some(x) = across.checked_sub(back + 1) else {
        return;
    };
    // Less than twice a width of 16 bits, by two.
    let x = area.x + (x / 2) as u16;
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
        let end = plot.line(values.iter().copied(), Style::new());
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
            (vec!["⢀".into()], Some((0, false)))
        );
        assert_eq!(
            shown(1, 1, &[Some(250.0)]),
            (vec!["⠈".into()], Some((0, true)))
        );
        assert_eq!(shown(2, 1, &[Some(0.0); 4]).0, ["⣀⣀"]);
        assert_eq!(shown(2, 1, &[Some(0.0), None, Some(0.0)]).0, ["⢀⢀"]);
    }

    #[test]
    fn only_what_fits_is_drawn_and_nothing_is_no_line() {
        let many: Vec<Option<f64>> = (0..1000).map(|n| Some(f64::from(n % 150))).collect();
        let (lines, end) = shown(10, 3, &many);
        assert_eq!(lines.len(), 3);
        assert_eq!(
            end.map(|(_, beyond)| beyond),
            Some(false),
            "999 % 150 is 99"
        );
        assert_eq!(
            shown(3, 2, &[None, Some(f64::NAN)]),
            (vec![String::new(); 2], None)
        );
        assert_eq!(shown(0, 0, &[Some(1.0)]).1, None);
    }
}
