//! Paths that are longer than a table has room for.

use super::{INDENT, Table, span, width};
use std::borrow::Cow;
use unicode_width::UnicodeWidthChar;

/// Columns that a path keeps at least, unless it is shorter.
const LEAST: usize = 32;

/// Stands for what is left out.
const ELLIPSIS: char = '\u{2026}';

/// What stands below a table with such paths.
pub(super) const SHORTENED: &str =
    "\u{2026}: the middle of a long path; --format json has all of it";

impl Table {
    /// The table with the middle of long paths left out, as far as that takes fewer lines; as it is where it does not.
    pub(super) fn fitted(&self, room: usize) -> Cow<'_, Self> {
        let widths = self.widths(|_, text| width(text));
        let paths = || (0..self.columns.len()).filter(|c| self.columns[*c].path);
        let longest = paths().map(|c| widths[c]).max().unwrap_or(0);
        let taken = |most: usize| {
            let mut widths = widths.clone();
            for c in paths() {
                widths[c] = widths[c].min(most);
            }
            let blocks = self.blocks(&widths, room);
            let too_wide = |block: &Vec<usize>| {
                let widths: Vec<usize> = block.iter().map(|c| widths[*c]).collect();
                INDENT.len().saturating_add(span(&widths)) > room
            };
            (blocks.len(), blocks.iter().any(too_wide))
        };
        if longest <= LEAST {
            return Cow::Borrowed(self);
        }
        let best = taken(LEAST);
        let most = (LEAST..=longest).rev().find(|most| taken(*most) == best);
        let most = most.unwrap_or(LEAST);
        if most == longest {
            return Cow::Borrowed(self);
        }
        let mut fitted = self.clone();
        for c in paths() {
            for cell in fitted.rows.iter_mut().filter_map(|row| row.get_mut(c)) {
                *cell = shortened(cell, most);
            }
        }
        Cow::Owned(fitted)
    }
}

/// A path in `room` columns: its beginning and its end. The name of the file stays whole where it finds room, and the
/// share before the path beside it.
fn shortened(path: &str, room: usize) -> String {
    if width(path) <= room {
        return path.to_owned();
    }
    // The ellipsis takes one column.
    let kept = room.saturating_sub(1);
    let name = path.trim_end_matches(is_separator).rfind(is_separator);
    let name = name.map(|at| width(path.get(at..).unwrap_or_default()));
    let (share, third) = (width(share(path)), kept / 3);
    let head = match name.and_then(|name| kept.checked_sub(name)) {
        Some(rest) if share <= rest => share.max(third.min(rest)),
        Some(rest) => third.min(rest),
        None => third,
    };
    let tail = kept.saturating_sub(head);
    let tail: Vec<char> = within(path.chars().rev(), tail).collect();
    let tail = tail.iter().rev().copied();
    // Marks of a character that is left out would go to the ellipsis.
    let tail = tail.skip_while(|c| c.width() == Some(0));
    within(path.chars(), head)
        .chain([ELLIPSIS])
        .chain(tail)
        .collect()
}

/// The first characters, as many as find room.
fn within(text: impl Iterator<Item = char>, room: usize) -> impl Iterator<Item = char> {
    text.scan(0_usize, move |taken, c| {
        *taken = taken.saturating_add(c.width().unwrap_or(0));
        (*taken <= room).then_some(c)
    })
}

fn is_separator(c: char) -> bool {
    matches!(c, '\\' | '/')
}

/// `\\server\share` at the beginning of a path; empty where there is none.
fn share(path: &str) -> &str {
    let Some(name) = path.strip_prefix(r"\\") else {
        return "";
    };
    let ends = |c: char| is_separator(c) || c == ' ';
    let server = name.find(is_separator).map_or(name.len(), |at| at + 1);
    let behind = name.get(server..).unwrap_or_default();
    let end = behind.find(ends).unwrap_or(behind.len());
    path.get(..2 + server + end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;
    use crate::look::Look;

    #[test]
    fn the_name_of_the_file_and_the_share_stay() {
        let folders = r"projects\department-of-the-company\results-of-the-year";
        for (path, room, short) in [
            (r"\pay\x.xls".to_owned(), 10, r"\pay\x.xls"),
            (
                format!(r"{folders}\quarterly.xlsx"),
                32,
                "projects\\d\u{2026}e-year\\quarterly.xlsx",
            ),
            // Its name takes more than two thirds.
            (
                format!(r"{folders}\quarterly-results-1.xlsx"),
                32,
                "projec\u{2026}\\quarterly-results-1.xlsx",
            ),
            (
                format!(r"\\server\data {folders}\report.doc"),
                32,
                "\\\\server\\data\u{2026}he-year\\report.doc",
            ),
            // A share as long as this is cut, too.
            (
                format!(r"\\{0}\{0} {0}\report.doc", "x".repeat(40)),
                32,
                "\\\\xxxxxxxx\u{2026}xxxxxxxxxx\\report.doc",
            ),
            (
                "x".repeat(40),
                32,
                "xxxxxxxxxx\u{2026}xxxxxxxxxxxxxxxxxxxxx",
            ),
            ("x".repeat(40), 1, "\u{2026}"),
        ] {
            assert_eq!(shortened(&path, room), short, "{path}");
            assert!(width(short) <= room, "{short}");
        }
    }

    /// A character that takes two columns is not cut in half, and a mark stays with its letter.
    #[test]
    fn wide_characters_take_two_columns() {
        let path = format!(r"共有\{}\決算報告書.xlsx", "会計部門".repeat(20));
        for room in 1..60 {
            let short = shortened(&path, room);
            assert!(
                (room.saturating_sub(2)..=room).contains(&width(&short)),
                "{short}"
            );
        }
        assert_eq!(
            shortened(&path, 32),
            "共有\\会計\u{2026}部門\\決算報告書.xlsx"
        );
        let marks = "e\u{301}".repeat(60);
        let short = shortened(&marks, 32);
        assert_eq!(width(&short), 32);
        assert!(!short.contains("\u{2026}\u{301}"), "{short}");
    }

    fn written(paths: &[&str], wide: usize) -> String {
        let rows: Vec<(&str, u16)> = paths.iter().copied().zip(1..).collect();
        let table = Table::over(&rows)
            .path("name", |(path, _)| *path)
            .left("server", |_| "10.0.0.8")
            .right("requests", |(_, n)| *n)
            .table;
        let mut out = Vec::new();
        table.write(&mut out, Look::plain(wide)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_table_with_a_long_path_stays_a_table() {
        let long = format!(r"\{}quarterly.xlsx", r"department\".repeat(17));
        assert!(long.len() > 200);
        let wide = format!(r"\{}\決算報告書.xlsx", "会計部門".repeat(46));
        for room in [60, 80, 132] {
            let text = written(&["ledger.dat", &long, &wide], room);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), 5, "{text}");
            assert!(lines.iter().all(|line| width(line) <= room), "{text}");
            // Columns stand below each other, and the paths have all the room there is.
            let ends: Vec<usize> = lines[..4].iter().map(|line| width(line)).collect();
            assert!(ends.iter().all(|end| *end == ends[0]), "{text}");
            assert_eq!(ends[0], room, "{text}");
            assert!(lines[2].contains("quarterly.xlsx "), "{text}");
            assert!(lines[3].contains("決算報告書.xlsx "), "{text}");
            assert_eq!(lines[4].trim(), SHORTENED);
        }
    }

    #[test]
    fn a_path_that_finds_room_is_whole() {
        let path = format!(r"\{}", "x".repeat(60));
        let text = written(&[&path], 132);
        assert!(text.contains(&path) && !text.contains(ELLIPSIS), "{text}");
        // Nothing is won where the columns go on below in either case.
        let mut table = Table::of(vec![Column::path("name"), Column::right("n")]);
        table.row(vec![path.clone(), "7".repeat(60)]);
        let whole = table.fitted(63);
        assert_eq!(whole.cell(0, 0), path);
    }
}
