//! The bytes of a frame, with those marked that the chosen field is made of.

use crate::context::Context;
use crate::text::put;
use crate::{Decoded, TreeLine};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use wirewait_report::words::Grouped;

/// The block of bytes in which the line's are: the frame, or a message that it completes.
fn block<'a>(frame: &'a Decoded, line: Option<&TreeLine>) -> &'a [u8] {
    let number = line.map_or(0, |line| usize::from(line.block));
    match number.checked_sub(1) {
        None => &frame.bytes,
        Some(at) => frame.messages.get(at).map_or(&[], Vec::as_slice),
    }
}

/// What stands above the bytes.
pub(super) fn title(frame: &Decoded, line: Option<&TreeLine>) -> String {
    let all = Grouped(block(frame, line).len() as u64);
    let whose = match line.map_or(0, |line| line.block) {
        0 => "the frame",
        _ => "the message",
    };
    match line
        .map(|line| &line.bytes)
        .filter(|bytes| !bytes.is_empty())
    {
        Some(bytes) if bytes.end - bytes.start == 1 => {
            format!("byte {} of {all} of {whose}", bytes.start)
        }
        Some(bytes) => format!(
            "bytes {} to {} of {all} of {whose}",
            bytes.start,
            bytes.end - 1
        ),
        None => format!("{all} bytes of {whose}"),
    }
}

/// Bytes in a line.
fn wide(area: Rect) -> usize {
    if area.width >= 74 { 16 } else { 8 }
}

/// How many lines there are, and which is the first that is shown: the one that the user
/// chose, or one that shows the beginning of what is marked.
pub(super) fn rows(
    frame: &Decoded,
    line: Option<&TreeLine>,
    row: Option<usize>,
    area: Rect,
) -> (usize, usize) {
    let wide = wide(area);
    let rows = block(frame, line).len().div_ceil(wide);
    let page = usize::from(area.height);
    let marked = line.map_or(0, |line| line.bytes.start as usize) / wide;
    let end = line
        .map_or(0, |line| line.bytes.end as usize)
        .div_ceil(wide);
    // All of it where it fits; otherwise its beginning, with the line before.
    let first = match end <= page {
        true => 0,
        false => marked.saturating_sub(1),
    };
    let first = row.unwrap_or(first).min(rows.saturating_sub(page));
    (rows, first)
}

pub(super) fn draw(
    frame: &Decoded,
    line: Option<&TreeLine>,
    row: Option<usize>,
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let theme = context.theme;
    let wide = wide(area);
    let bytes = block(frame, line);
    let marked = line.map_or(0..0, |line| {
        line.bytes.start as usize..line.bytes.end as usize
    });
    let (_, first) = rows(frame, line, row, area);
    for (y, (number, chunk)) in
        (area.y..area.bottom()).zip(bytes.chunks(wide).enumerate().skip(first))
    {
        let start = number * wide;
        let offset = format!("{start:04x}");
        put(buffer, (area.x, y), 6, &offset, theme.dim);
        for (n, byte) in chunk.iter().enumerate() {
            let at = start + n;
            let here = marked.contains(&at);
            let style = if here { theme.chosen } else { theme.plain };
            // At most 16 bytes in a line.
            let column = n as u16;
            let gap = u16::from(n >= 8);
            let x = area.x + 6 + column * 3 + gap;
            // The blank between two marked bytes is marked, too.
            let more = here && marked.contains(&(at + 1)) && n + 1 < chunk.len();
            put(buffer, (x, y), 2, &format!("{byte:02x}"), style);
            if more {
                buffer.set_style(
                    Rect::new(x, y, 3 + u16::from(n == 7), 1).intersection(area),
                    style,
                );
            }
            let text = match byte {
                0x20..=0x7e => char::from(*byte).to_string(),
                _ => ".".to_owned(),
            };
            let letters = area.x + 6 + wide as u16 * 3 + u16::from(wide > 8) + 1;
            put(buffer, (letters + column, y), 1, &text, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Decoded {
        Decoded {
            bytes: (0..200).collect(),
            messages: vec![vec![7; 40]],
            ..Decoded::default()
        }
    }

    fn line(block: u16, bytes: std::ops::Range<u32>) -> TreeLine {
        TreeLine {
            block,
            bytes,
            ..TreeLine::default()
        }
    }

    #[test]
    fn what_is_marked_is_visible() {
        let area = Rect::new(0, 0, 80, 4);
        let rows = |line: &TreeLine, row| rows(&frame(), Some(line), row, area);
        assert_eq!(rows(&line(0, 0..14), None), (13, 0));
        assert_eq!(rows(&line(0, 62..64), None), (13, 0));
        assert_eq!(rows(&line(0, 64..65), None), (13, 3));
        assert_eq!(
            rows(&line(0, 190..200), None),
            (13, 9),
            "the last page is full"
        );
        assert_eq!(rows(&line(0, 190..200), Some(2)), (13, 2));
        assert_eq!(rows(&line(0, 0..0), Some(99)), (13, 9));
        assert_eq!(rows(&line(1, 0..40), None), (3, 0));
        assert_eq!(rows(&line(2, 0..40), None), (0, 0), "no such message");
    }

    #[test]
    fn the_title_says_which_bytes() {
        let title = |line| title(&frame(), Some(&line));
        assert_eq!(title(line(0, 12..14)), "bytes 12 to 13 of 200 of the frame");
        assert_eq!(title(line(1, 3..4)), "byte 3 of 40 of the message");
        assert_eq!(title(line(0, 0..0)), "200 bytes of the frame");
    }
}
