//! For terminals that know nothing but ASCII: every cell in such a letter.

use ratatui::buffer::Buffer;

/// Replaces what is no ASCII, cell by cell, so that everything stays where it is.
pub(crate) fn only(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let symbol = cell.symbol();
        if symbol.is_ascii() {
            continue;
        }
        // What is put together of several characters is shown by its first.
        let letter = symbol.chars().next().map_or(' ', plain);
        // The second half of a wide letter is a cell of its own, and empty.
        cell.set_char(letter);
    }
}

/// The letter that looks most like it.
pub(crate) fn plain(c: char) -> char {
    match c {
        c if c.is_ascii() => c,
        // Eighths of a cell, from below.
        '▁' => '_',
        '▂' => '.',
        '▃' => '-',
        '▄' => '=',
        '▅' => '+',
        '▆' => '*',
        '▇' => '%',
        '█' => '#',
        // Eighths from the left.
        '▏' | '▎' | '▍' => '|',
        '▌' | '▋' | '▊' | '▉' => '!',
        '░' => '.',
        '▒' => ':',
        '▓' => '%',
        '─' => '-',
        '│' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => '+',
        '━' => '=',
        '╾' => '-',
        '…' => '~',
        '›' | '→' | '▶' | '▸' => '>',
        '←' => '<',
        '↑' | '▲' => '^',
        '↓' | '▼' | '▾' => 'v',
        '·' => '.',
        '×' => 'x',
        '≤' => '<',
        '≥' => '>',
        'µ' | 'μ' => 'u',
        '✓' => 'y',
        // A curve of dots.
        '\u{2800}' => ' ',
        '\u{2801}'..='\u{28ff}' => '*',
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn everything_stays_in_its_place() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_string(0, 0, "a▁█…有x⣀é─│", Style::new());
        only(&mut buffer);
        let shown: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(shown, "a_#~? x*?-| ");
    }
}
