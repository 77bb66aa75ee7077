//! Text in the cells of a terminal: widths, alignment, lines.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;
use wirewait_report::Escaped;

/// Columns of the terminal that a text takes.
pub(crate) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// The text, or as much of it as fits with `…` behind it.
pub(crate) fn clipped(text: &str, wide: usize) -> String {
    if width(text) <= wide {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 0;
    for c in text.chars() {
        let w = width(c.encode_utf8(&mut [0; 4]));
        if taken + w + 1 > wide {
            break;
        }
        taken += w;
        out.push(c);
    }
    if wide > 0 {
        out.push('…');
    }
    out
}

/// Lines of an area, from `y` on.
pub(crate) fn band(area: Rect, y: u16, height: u16) -> Rect {
    Rect { y, height, ..area }
}

/// Writes into at most `wide` columns from (x, y). The text is escaped, so it cannot control
/// the terminal.
pub(crate) fn put(buffer: &mut Buffer, at: (u16, u16), wide: u16, text: &str, style: Style) {
    put_at(buffer, at, wide, text, false, style);
}

/// Writes at the right end of at most `wide` columns from (x, y).
pub(crate) fn put_right(buffer: &mut Buffer, at: (u16, u16), wide: u16, text: &str, style: Style) {
    put_at(buffer, at, wide, text, true, style);
}

/// Writes into these columns, at their right end or at their left.
pub(crate) fn put_at(
    buffer: &mut Buffer,
    (x, y): (u16, u16),
    wide: u16,
    text: &str,
    right: bool,
    style: Style,
) {
    let area = buffer.area;
    if y < area.y || y >= area.bottom() || x < area.x || x >= area.right() {
        return;
    }
    let wide = wide.min(area.right() - x);
    let text = clipped(&Escaped(text).to_string(), usize::from(wide));
    // At most as wide as what it was clipped to.
    let taken = width(&text) as u16;
    let indent = if right { wide.saturating_sub(taken) } else { 0 };
    buffer.set_stringn(x + indent, y, text, usize::from(wide - indent), style);
}

/// Words in lines of at most this width; a word that is longer is cut into several.
pub(crate) fn lines(text: &str, wide: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > wide {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for c in word.chars() {
            if !line.is_empty() && width(&line) + width(c.encode_utf8(&mut [0; 4])) > wide {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Writes words in as many lines as they need and there are. Gives the lines that were used.
pub(crate) fn wrapped(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    let lines = lines(text, usize::from(area.width));
    let fits = usize::from(area.height);
    for (n, line) in lines.iter().take(fits).enumerate() {
        let cut = n + 1 == fits && lines.len() > fits;
        let line = if cut {
            format!("{line} …")
        } else {
            line.clone()
        };
        let at = (area.x, area.y + n as u16);
        put(buffer, at, area.width, &line, style);
    }
    // At most the height of the area, which is 16 bits.
    lines.len().min(fits) as u16
}

/// Rows of cells as lines of a file.
pub(crate) fn aligned(rows: &[Vec<String>], right: &[bool]) -> String {
    let widths: Vec<usize> = (0..right.len())
        .map(|c| rows.iter().map(|row| width(&row[c])).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (c, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[c] - width(cell));
            if c > 0 {
                line.push_str("  ");
            }
            match right[c] {
                true => line.extend([pad.as_str(), cell]),
                false => line.extend([cell.as_str(), &pad]),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_ends_in_dots() {
        assert_eq!(clipped("turnaround", 10), "turnaround");
        assert_eq!(clipped("turnaround", 5), "turn…");
        assert_eq!(
            clipped("共有共有", 5),
            "共有…",
            "wide letters take two columns"
        );
        assert_eq!(clipped("共有", 2), "…");
        assert_eq!(clipped("x", 0), "");
    }

    #[test]
    fn words_go_into_lines() {
        assert_eq!(lines("one two three", 7), ["one two", "three"]);
        assert_eq!(lines("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(lines("", 3), Vec::<String>::new());
        assert_eq!(lines("ab", 0).len(), 2, "no width is no endless loop");
    }

    #[test]
    fn nothing_is_written_outside() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        put(&mut buffer, (2, 0), 9, "abc", Style::new());
        put(&mut buffer, (9, 0), 9, "abc", Style::new());
        put_right(&mut buffer, (0, 5), 9, "abc", Style::new());
        assert_eq!(buffer, Buffer::with_lines(["  a…"]));
    }
}
