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
                page.within("th", &[("scope", &"row"), ("class", &class)], |page| {
                    breakable(page, cell);
                });
            }
            _ => page.within("td", &[("class", &class)], |page| breakable(page, cell)),
        }
    }
}

/// A word longer than this may be broken behind a dot: `00000022.02001b000008`.
const LONG: usize = 16;

/// A cell that may be broken where its parts meet, so that wide tables fit: `4.7 %` and
/// `(8 / 169)`, the network and the node of a long address.
fn breakable(page: &mut Page, cell: &str) {
    let mut rest = cell;
    while let Some(at) = joint(rest) {
        let (part, more) = rest.split_at(at);
        page.text(part);
        page.void("wbr", &[]);
        rest = more;
    }
    page.text(rest);
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
        let broken = |cell| {
            let mut page = Page::default();
            breakable(&mut page, cell);
            page.finish()
        };
        assert_eq!(broken("7.1 % (38/538)"), "7.1 % <wbr>(38/538)");
        assert_eq!(broken("(8 / 169) 4.7 %"), "(8 / 169) <wbr>4.7 %");
        assert_eq!(
            broken("00000022.02001b000008"),
            "00000022.<wbr>02001b000008"
        );
        assert_eq!(broken("10.0.0.22"), "10.0.0.22");
        assert_eq!(broken("603 ms"), "603 ms");
        assert_eq!(broken("a<b (c)"), "a&lt;b <wbr>(c)");
    }
}
