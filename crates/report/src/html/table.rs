//! The tables of the text report, as HTML has them.

use super::markup::Page;
use crate::figures::Grouped;
use crate::table::{Column, Table, width};
use askama::Template;
use std::borrow::Cow;

/// A heading of a column.
struct TableHeading {
    title: &'static str,
    class: &'static str,
}

/// A cell, in the parts between which it may be broken.
struct TableCell<'a> {
    /// It names its row.
    heads: bool,
    class: &'static str,
    parts: Vec<&'a str>,
}

#[derive(Template)]
#[template(path = "table.html")]
struct TablePart<'a> {
    caption: &'a str,
    groups: Vec<(&'static str, usize)>,
    headings: Vec<TableHeading>,
    rows: Vec<Vec<TableCell<'a>>>,
}

/// Width of the page at 1280 px, in characters of a table.
const ROOM: usize = 172;
/// What a name takes at least before its table is divided, unless it is shorter.
const NAME: usize = 28;

/// Writes the first `limit` rows; says what they are, for those who hear the page. Columns that
/// find no room go on below, with the first one again, as in the text.
pub(super) fn table(page: &mut Page, caption: &str, table: &Table, limit: usize) {
    for (n, part) in table.parts(ROOM, narrowest).iter().enumerate() {
        let caption = match n {
            0 => Cow::Borrowed(caption),
            1 => Cow::Owned(format!("{caption}, continued")),
            n => Cow::Owned(format!("{caption}, continued {n}")),
        };
        side_by_side(page, &caption, table, part, limit);
    }
}

fn side_by_side(page: &mut Page, caption: &str, table: &Table, part: &[usize], limit: usize) {
    let columns = || part.iter().map(|c| table.column(*c));
    let grouped = columns().any(|column| !column.group.is_empty());
    let headings = columns().map(|column| TableHeading {
        title: column.title,
        class: class(column),
    });
    let rows = (0..table.len().min(limit)).map(|row| cells(table, part, row));
    page.template(&TablePart {
        caption,
        groups: if grouped {
            groups(columns())
        } else {
            Vec::new()
        },
        headings: headings.collect(),
        rows: rows.collect(),
    });
    page.line();
}

/// How narrow a browser can make a text, in characters.
fn narrowest(column: &Column, text: &str) -> usize {
    let apart = parts(text, column.right).into_iter();
    let words = apart.flat_map(|part| match text == column.title || !column.right {
        true => part.split_inclusive([' ', '-']).collect(),
        false => vec![part],
    });
    let longest = words.map(|word| width(word.trim_end())).max().unwrap_or(0);
    if column.right {
        longest
    } else {
        longest.max(width(text).min(NAME))
    }
}

/// Numbers stand at the right.
fn class(column: &Column) -> &'static str {
    if column.right { "n" } else { "t" }
}

#[derive(Template)]
#[template(path = "region.html")]
struct RegionPart<'a> {
    caption: &'a str,
    inside: String,
}

/// A table with what `inside` writes in it. What is wider than the screen scrolls by itself, with
/// the keyboard as well.
pub(super) fn region(page: &mut Page, caption: &str, inside: impl FnOnce(&mut Page)) {
    let inside = Page::part(inside);
    page.template(&RegionPart { caption, inside });
    page.line();
}

/// Writes the first `limit` rows under a heading, and how many `more` there are.
pub(super) fn titled(page: &mut Page, title: &str, rows: &Table, limit: usize, left_out: usize) {
    page.leaf("h3", &[], title);
    table(page, title, rows, limit);
    more(page, left_out);
}

/// Says how many are left out, if any are.
pub(super) fn more(page: &mut Page, more: usize) {
    if more > 0 {
        page.leaf(
            "p",
            &[("class", &"more")],
            format_args!(
                "and {} more; --format json has them all",
                Grouped(more as u64)
            ),
        );
    }
}

/// The numbers of a plot, for those who would rather read or hear them.
pub(super) fn numbers(page: &mut Page, caption: &str, rows: &Table) {
    page.within("details", &[], |page| {
        page.leaf("summary", &[], caption);
        table(page, caption, rows, usize::MAX);
    });
}

/// Neighbours under the same heading, and how many they are.
fn groups<'a>(columns: impl Iterator<Item = &'a Column>) -> Vec<(&'static str, usize)> {
    let mut groups: Vec<(&'static str, usize)> = Vec::new();
    for column in columns {
        match groups.last_mut() {
            Some((group, width)) if *group == column.group => *width += 1,
            _ => groups.push((column.group, 1)),
        }
    }
    groups
}

fn cells<'a>(table: &'a Table, part: &[usize], row: usize) -> Vec<TableCell<'a>> {
    let cells = part.iter().enumerate();
    cells
        .map(|(n, c)| {
            let (column, text) = (table.column(*c), table.cell(row, *c));
            TableCell {
                heads: n == 0 && !text.is_empty(),
                class: class(column),
                parts: parts(text, column.right),
            }
        })
        .collect()
}

/// A word longer than this may be broken behind a dot, a name behind a slash as well:
/// `00000022.02001b000008`, `STUDENTS/desktop.ini`.
const LONG: usize = 16;
/// A name is broken after this number of characters without a gap.
const LONGEST: usize = 40;

/// The parts between which a cell may be broken, so that wide tables fit: `8 of 169` and
/// `(4.7 %)`, the network and the node of a long address.
fn parts(cell: &str, number: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = cell;
    while let Some(at) = joint(rest, number) {
        let (part, more) = rest.split_at(at);
        parts.push(part);
        rest = more;
    }
    parts.push(rest);
    parts
}

/// Where a text may be broken first.
fn joint(text: &str, number: bool) -> Option<usize> {
    let before = text.find(" (").map(|at| at + 1);
    let behind = text.find(") ").map(|at| at + 2);
    let word = text.split([' ', '/']).next().unwrap_or_default();
    let dot = word
        .find('.')
        .map(|at| at + 1)
        .filter(|at| word.len() > LONG && *at < word.len());
    let slash = text
        .find(['/', '\\'])
        .map(|at| at + 1)
        .filter(|at| !number && text.len() > LONG && *at < text.len());
    let end = text
        .char_indices()
        .nth(LONGEST)
        .map(|(at, _)| at)
        .filter(|at| !number && !text[..*at].contains(' '));
    [before, behind, dot, slash, end]
        .into_iter()
        .flatten()
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_finds_no_room_goes_on_below() {
        let mut columns = vec![Column::left("client")];
        columns.extend([Column::right("p50"); 30]);
        let mut rows = Table::of(columns);
        let mut row = vec!["00000022.02001b000008".to_owned()];
        row.extend(std::iter::repeat_n("1.23 ms".to_owned(), 30));
        rows.row(row);
        let page = Page::part(|page| table(page, "Stations", &rows, 9));
        assert!(page.contains("\"Stations (table)\""), "{page}");
        assert!(page.contains("\"Stations, continued (table)\""), "{page}");
        assert_eq!(page.matches("02001b000008").count(), 2, "{page}");
        assert_eq!(page.matches("1.23 ms").count(), 30, "{page}");
    }

    #[test]
    fn no_column_is_a_table_of_its_own() {
        let mut columns = vec![Column::left("client")];
        columns.extend([Column::right("p50"); 20]);
        columns.extend([Column::right("errors"), Column::right("repeated")]);
        let filled = |columns: &[Column]| {
            let mut rows = Table::of(columns.to_vec());
            let mut row = vec!["00000022.02001b000008".to_owned()];
            row.extend(std::iter::repeat_n("1.23 ms".to_owned(), columns.len() - 1));
            rows.row(row);
            rows.parts(ROOM, narrowest)
        };
        let room = (3..columns.len()).find(|n| filled(&columns[..*n]).len() == 2);
        let parts = filled(&columns[..room.unwrap()]);
        assert_eq!(parts[1].len(), 3, "{parts:?}");
        let all: usize = parts.iter().map(|part| part.len() - 1).sum();
        assert_eq!(all, room.unwrap() - 1);
    }

    #[test]
    fn wide_cells_break_where_their_parts_meet() {
        assert_eq!(parts("38 of 538 (7.1 %)", true), ["38 of 538 ", "(7.1 %)"]);
        assert_eq!(
            parts("00000022.02001b000008", false),
            ["00000022.", "02001b000008"]
        );
        assert_eq!(parts("10.0.0.22", true), ["10.0.0.22"]);
        assert_eq!(parts("603 ms", true), ["603 ms"]);
        assert_eq!(parts("", true), [""]);
        assert_eq!(
            parts("STUDENTS/KEY08136990/My Documents/desktop.ini", false),
            ["STUDENTS/", "KEY08136990/", "My Documents/", "desktop.ini"]
        );
        let name = "n".repeat(100);
        let widths = parts(&name, false).into_iter().map(str::len);
        assert_eq!(widths.collect::<Vec<_>>(), [40, 40, 20]);
    }
}
