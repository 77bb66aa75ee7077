//! The tables of the text report, as HTML has them.

use super::markup::Page;
use crate::figures::Grouped;
use crate::table::Table;

/// Writes the first `limit` rows; says what they are, for those who hear the page.
pub(super) fn table(page: &mut Page, caption: &str, table: &Table, limit: usize) {
    region(page, caption, |page| {
        head(page, table);
        page.within("tbody", &[], |page| {
            for row in 0..table.len().min(limit) {
                page.line();
                page.within("tr", &[], |page| cells(page, table, row));
            }
        });
    });
}

/// A table with what `inside` writes in it. What is wider than the screen scrolls by itself, with
/// the keyboard as well.
pub(super) fn region(page: &mut Page, caption: &str, inside: impl FnOnce(&mut Page)) {
    let region = format!("{caption} (table)");
    page.within(
        "section",
        &[
            ("class", &"wide"),
            ("aria-label", &region),
            ("tabindex", &0),
        ],
        |page| {
            page.within("table", &[], |page| {
                page.leaf("caption", &[("class", &"unseen")], caption);
                inside(page);
            });
        },
    );
    page.line();
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

fn head(page: &mut Page, table: &Table) {
    let grouped = table.headings().any(|column| !column.group.is_empty());
    page.within("thead", &[], |page| {
        if grouped {
            page.within("tr", &[], |page| {
                for (group, width) in groups(table) {
                    match group {
                        "" => page.leaf("td", &[("colspan", &width)], ""),
                        group => {
                            page.leaf("th", &[("scope", &"colgroup"), ("colspan", &width)], group)
                        }
                    }
                }
            });
        }
        page.within("tr", &[], |page| {
            for column in table.headings() {
                let class = if column.right { "n" } else { "t" };
                match column.title {
                    "" => page.leaf("td", &[], ""),
                    title => page.leaf("th", &[("scope", &"col"), ("class", &class)], title),
                }
            }
        });
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

fn cells(page: &mut Page, table: &Table, row: usize) {
    for (n, (column, cell)) in table.cells(row).enumerate() {
        let class = if column.right { "n" } else { "t" };
        match n {
            0 if !cell.is_empty() => {
                page.leaf("th", &[("scope", &"row"), ("class", &class)], cell);
            }
            _ => page.leaf("td", &[("class", &class)], cell),
        }
    }
}
