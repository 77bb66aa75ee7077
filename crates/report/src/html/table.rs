//! The tables of the text report, as HTML has them.

use super::markup::Page;
use crate::figures::Grouped;
use crate::table::{Column, Table};
use askama::Template;

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

/// Writes the first `limit` rows; says what they are, for those who hear the page.
pub(super) fn table(page: &mut Page, caption: &str, table: &Table, limit: usize) {
    let grouped = table.headings().any(|column| !column.group.is_empty());
    let headings = table.headings().map(|column| TableHeading {
        title: column.title,
        class: class(column),
    });
    let rows = (0..table.len().min(limit)).map(|row| cells(table, row));
    page.template(&TablePart {
        caption,
        groups: if grouped { groups(table) } else { Vec::new() },
        headings: headings.collect(),
        rows: rows.collect(),
    });
    page.line();
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
fn groups(table: &Table) -> Vec<(&'static str, usize)> {
    let mut groups: Vec<(&'static str, usize)> = Vec::new();
    for column in table.headings() {
        match groups.last_mut() {
            Some((group, width)) if *group == column.group => *width += 1,
            _ => groups.push((column.group, 1)),
        }
    }
    groups
}

fn cells(table: &Table, row: usize) -> Vec<TableCell<'_>> {
    let cells = table.cells(row).enumerate();
    cells
        .map(|(n, (column, text))| TableCell {
            heads: n == 0 && !text.is_empty(),
            class: class(column),
            parts: parts(text),
        })
        .collect()
}

/// A word longer than this may be broken behind a dot: `00000022.02001b000008`.
const LONG: usize = 16;

/// The parts between which a cell may be broken, so that wide tables fit: `4.7 %` and
/// `(8 / 169)`, the network and the node of a long address.
fn parts(cell: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = cell;
    while let Some(at) = joint(rest) {
        let (part, more) = rest.split_at(at);
        parts.push(part);
        rest = more;
    }
    parts.push(rest);
    parts
}

/// Where a text may be broken first.
fn joint(text: &str) -> Option<usize> {
    let before = text.find(" (").map(|at| at + 1);
    let behind = text.find(") ").map(|at| at + 2);
    let word = text.split([' ', '/']).next().unwrap_or_default();
    let dot = word
        .find('.')
        .map(|at| at + 1)
        .filter(|at| word.len() > LONG && *at < word.len());
    [before, behind, dot].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_cells_break_where_their_parts_meet() {
        assert_eq!(parts("7.1 % (38/538)"), ["7.1 % ", "(38/538)"]);
        assert_eq!(parts("(8 / 169) 4.7 %"), ["(8 / 169) ", "4.7 %"]);
        assert_eq!(
            parts("00000022.02001b000008"),
            ["00000022.", "02001b000008"]
        );
        assert_eq!(parts("10.0.0.22"), ["10.0.0.22"]);
        assert_eq!(parts("603 ms"), ["603 ms"]);
        assert_eq!(parts(""), [""]);
    }
}
