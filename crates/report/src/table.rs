//! Columns of text that fit a terminal without losing any of it but the middle of long paths.

mod paths;

use crate::columns::{CountColumn, TimeColumn, TimeFigures};
use crate::escape::Escaped;
use crate::figures::{BitRate, Command, Grouped, Milli, PartOf, Percent, Rate};
use crate::look::Look;
use crate::time::{Brief, Digits, Human, Rfc3339, Short};
use std::borrow::Cow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;
use wirewait_analysis::Counts;
use wirewait_wire::Endpoint;

/// One column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    /// A heading over several neighbouring columns; empty for none.
    pub(crate) group: &'static str,
    /// Its own heading.
    pub(crate) title: &'static str,
    /// Numbers stand at the right, names at the left.
    pub(crate) right: bool,
    /// Left out when no row has anything in it; with others under a heading, when none of them
    /// has.
    pub(crate) rare: bool,
    /// Has paths, whose middle may be left out where the table finds no room.
    pub(crate) path: bool,
}

/// What stands in a cell without a value.
pub(crate) const NOTHING: &str = "-";

impl Column {
    pub(crate) const fn left(title: &'static str) -> Self {
        Self {
            group: "",
            title,
            right: false,
            rare: false,
            path: false,
        }
    }

    pub(crate) const fn right(title: &'static str) -> Self {
        Self {
            group: "",
            title,
            right: true,
            rare: false,
            path: false,
        }
    }

    pub(crate) const fn path(title: &'static str) -> Self {
        Self {
            path: true,
            ..Self::left(title)
        }
    }

    pub(crate) const fn rare(self) -> Self {
        Self { rare: true, ..self }
    }

    pub(crate) const fn under(group: &'static str, title: &'static str) -> Self {
        Self {
            group,
            title,
            right: true,
            rare: false,
            path: false,
        }
    }
}

/// A table that is being made of rows of one kind, column by column.
pub(crate) struct Filling<'r, R> {
    rows: &'r [R],
    digits: Digits,
    pub(crate) table: Table,
}

impl<R> Filling<'_, R> {
    /// A column, and what stands in it.
    pub(crate) fn column<T: InCell>(mut self, column: Column, cell: impl Fn(&R) -> T) -> Self {
        self.table.columns.push(column);
        for (cells, row) in self.table.rows.iter_mut().zip(self.rows) {
            cells.push(cell(row).text());
        }
        self
    }

    pub(crate) fn left<T: InCell>(self, title: &'static str, cell: impl Fn(&R) -> T) -> Self {
        self.column(Column::left(title), cell)
    }

    /// Paths of files, or names that may be as long.
    pub(crate) fn path<T: InCell>(self, title: &'static str, cell: impl Fn(&R) -> T) -> Self {
        self.column(Column::path(title), cell)
    }

    /// Such a column that is left out when there is none.
    pub(crate) fn rare_path<T: InCell>(self, title: &'static str, cell: impl Fn(&R) -> T) -> Self {
        self.column(Column::path(title).rare(), cell)
    }

    pub(crate) fn right<T: InCell>(self, title: &'static str, cell: impl Fn(&R) -> T) -> Self {
        self.column(Column::right(title), cell)
    }

    /// Numbers that are left out when there are none.
    pub(crate) fn rare<T: InCell>(self, title: &'static str, cell: impl Fn(&R) -> T) -> Self {
        self.column(Column::right(title).rare(), cell)
    }

    /// Numbers under a heading over several columns.
    pub(crate) fn under<T: InCell>(
        self,
        group: &'static str,
        title: &'static str,
        cell: impl Fn(&R) -> T,
    ) -> Self {
        self.column(Column::under(group, title), cell)
    }

    /// Numbers under a heading, left out when there are none below it.
    pub(crate) fn rare_under<T: InCell>(
        self,
        group: &'static str,
        title: &'static str,
        cell: impl Fn(&R) -> T,
    ) -> Self {
        self.column(Column::under(group, title).rare(), cell)
    }

    /// Text that is left out when there is none.
    pub(crate) fn rare_left<T: InCell>(self, title: &'static str, cell: impl Fn(&R) -> T) -> Self {
        self.column(Column::left(title).rare(), cell)
    }

    /// Columns of a time under a heading.
    pub(crate) fn times<T: TimeFigures>(
        self,
        group: &'static str,
        columns: &[TimeColumn],
        of: impl Fn(&R) -> &T,
    ) -> Self {
        let digits = self.digits;
        columns.iter().fold(self, |table, column| {
            table.under(group, column.title(), |row| {
                of(row).value(*column).map(|ns| digits.time(ns))
            })
        })
    }

    /// Columns of requests.
    pub(crate) fn counts(self, columns: &[CountColumn], of: impl Fn(&R) -> &Counts) -> Self {
        columns.iter().fold(self, |table, column| {
            table.right(column.title, |row| Grouped(column.value(of(row))))
        })
    }

    /// Columns of requests that should be rare, each left out when there are none.
    pub(crate) fn rare_counts(self, columns: &[CountColumn], of: impl Fn(&R) -> &Counts) -> Self {
        columns.iter().fold(self, |table, column| {
            table.rare(column.title, |row| count(column.value(of(row))))
        })
    }
}

/// What may stand in a cell.
pub(crate) trait InCell {
    fn text(self) -> String;
}

impl InCell for String {
    fn text(self) -> String {
        self
    }
}

/// [`NOTHING`] where there is none.
impl<T: InCell> InCell for Option<T> {
    fn text(self) -> String {
        self.map_or_else(|| NOTHING.to_owned(), T::text)
    }
}

macro_rules! in_cell {
    ($($type:ty),+ $(,)?) => {$(
        impl InCell for $type {
            fn text(self) -> String {
                self.to_string()
            }
        }
    )+};
}

in_cell!(
    &str,
    u16,
    BitRate,
    Brief,
    Command,
    Endpoint,
    Escaped<'_>,
    Grouped,
    Human,
    Milli,
    PartOf,
    Percent,
    Rate,
    Rfc3339,
    Short,
);

/// A count of something that should be rare: nothing stands out from a dash.
pub(crate) fn count(n: u64) -> Option<Grouped> {
    (n > 0).then_some(Grouped(n))
}

/// Rows of cells. What is too wide for one line goes on below, under its own headings and
/// with the first column again; no value is left out, and none is cut but long paths.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

/// Between two columns.
const GAP: &str = "  ";
/// In front of each line.
const INDENT: &str = "  ";

impl Table {
    /// A table with these columns, and no row yet.
    pub(crate) fn of(columns: Vec<Column>) -> Self {
        Self {
            columns,
            rows: Vec::new(),
        }
    }

    /// A table with a row for each of these, whose columns follow.
    pub(crate) fn over<R>(rows: &[R]) -> Filling<'_, R> {
        Self::timed(rows, Digits::Three)
    }

    /// Such a table, with [`Filling::times`] of as many digits.
    pub(crate) fn timed<R>(rows: &[R], digits: Digits) -> Filling<'_, R> {
        let mut table = Self::of(Vec::new());
        table.rows = vec![Vec::new(); rows.len()];
        Filling {
            rows,
            digits,
            table,
        }
    }

    /// Adds a row. Missing cells are empty.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The columns that have something to show, in the parts that find `room` beside each other
    /// when texts are as wide as `measure` says. Each part begins with the first column.
    pub(crate) fn parts(
        &self,
        room: usize,
        measure: impl Fn(&Column, &str) -> usize,
    ) -> Vec<Vec<usize>> {
        let mut parts = self.blocks(&self.widths(measure), room);
        for part in &mut parts {
            part.retain(|c| !(self.columns[*c].rare && self.is_empty_column(*c)));
        }
        self.accompany(&mut parts);
        parts
    }

    /// A single column is no table of its own: the columns in front of it go with it.
    fn accompany(&self, parts: &mut [Vec<usize>]) {
        if let [.., before, last] = parts
            && last.len() == 2
            && let Some(end) = before.last().copied()
        {
            let group = self.columns[end].group;
            let moved = match group {
                "" => 1,
                group => {
                    let columns = before.iter().rev();
                    columns
                        .take_while(|c| self.columns[**c].group == group)
                        .count()
                }
            };
            if moved + 2 < before.len() {
                let gone = before.split_off(before.len() - moved);
                last.splice(1..1, gone);
            }
        }
    }

    /// One column of a part.
    pub(crate) fn column(&self, column: usize) -> &Column {
        &self.columns[column]
    }

    /// The text of a row under a column; empty where there is none.
    pub(crate) fn cell(&self, row: usize, column: usize) -> &str {
        self.rows
            .get(row)
            .and_then(|cells| cells.get(column))
            .map_or("", String::as_str)
    }

    pub(crate) fn write(&self, out: &mut impl Write, look: Look) -> io::Result<()> {
        let fitted = self.fitted(look.width);
        let widths = fitted.widths(|_, text| width(text));
        for (n, block) in fitted.blocks(&widths, look.width).iter().enumerate() {
            if n > 0 {
                writeln!(out)?;
            }
            fitted.write_block(out, look, block, &widths)?;
        }
        match fitted {
            Cow::Borrowed(_) => Ok(()),
            Cow::Owned(_) => writeln!(out, "{INDENT}{}", paths::SHORTENED),
        }
    }

    /// Writes the table under a heading, behind an empty line; nothing if it has no row.
    pub(crate) fn headed(&self, out: &mut impl Write, look: Look, heading: &str) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        look.heading(out, heading)?;
        self.write(out, look)
    }

    /// Writes the columns that find room beside each other, and leaves out those behind them.
    pub(crate) fn write_first(&self, out: &mut impl Write, look: Look) -> io::Result<()> {
        let fitted = self.fitted(look.width);
        let widths = fitted.widths(|_, text| width(text));
        match fitted.blocks(&widths, look.width).first() {
            Some(block) => fitted.write_block(out, look, block, &widths),
            None => Ok(()),
        }
    }

    fn is_empty_column(&self, column: usize) -> bool {
        (0..self.rows.len()).all(|row| matches!(self.cell(row, column), "" | NOTHING))
    }

    /// The width of each column: its widest cell or heading.
    fn widths(&self, measure: impl Fn(&Column, &str) -> usize) -> Vec<usize> {
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|c| {
                let column = &self.columns[c];
                (0..self.rows.len())
                    .map(|r| measure(column, self.cell(r, c)))
                    .chain([measure(column, column.title)])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for group in self.groups() {
            let title = width(self.columns[group.start].group);
            let spanned = span(&widths[group.clone()]);
            if let Some(last) = widths[group].last_mut() {
                *last += title.saturating_sub(spanned);
            }
        }
        widths
    }

    /// Runs of columns that share a group heading, or single columns without one.
    fn groups(&self) -> Vec<std::ops::Range<usize>> {
        let mut groups: Vec<std::ops::Range<usize>> = Vec::new();
        for (c, column) in self.columns.iter().enumerate() {
            match groups.last_mut() {
                Some(last)
                    if !column.group.is_empty()
                        && self.columns[last.start].group == column.group =>
                {
                    last.end = c + 1;
                }
                _ => groups.push(c..c + 1),
            }
        }
        groups
    }

    /// Which columns stand side by side, for a terminal of `room` characters.
    fn blocks(&self, widths: &[usize], room: usize) -> Vec<Vec<usize>> {
        let mut blocks: Vec<Vec<usize>> = vec![vec![0]];
        let mut used = INDENT.len() + widths.first().copied().unwrap_or(0);
        for group in self.groups().into_iter().skip(1) {
            let empty = |c: usize| self.columns[c].rare && self.is_empty_column(c);
            if group.clone().all(empty) {
                continue;
            }
            let needed = GAP.len() + span(&widths[group.clone()]);
            let full = blocks.last().is_some_and(|block| block.len() > 1);
            if full && used + needed > room {
                blocks.push(vec![0]);
                used = INDENT.len() + widths[0];
            }
            used += needed;
            if let Some(block) = blocks.last_mut() {
                block.extend(group);
            }
        }
        blocks
    }

    fn write_block(
        &self,
        out: &mut impl Write,
        look: Look,
        block: &[usize],
        widths: &[usize],
    ) -> io::Result<()> {
        let grouped = block.iter().any(|c| !self.columns[*c].group.is_empty());
        if grouped {
            let mut line = String::new();
            let mut pending = 0;
            for group in self.groups() {
                if !block.contains(&group.start) {
                    continue;
                }
                let title = self.columns[group.start].group;
                let spanned = span(&widths[group]);
                if title.is_empty() {
                    pending += spanned + GAP.len();
                } else {
                    line.push_str(&" ".repeat(pending));
                    line.push_str(title);
                    pending = spanned.saturating_sub(width(title)) + GAP.len();
                }
            }
            look.heading(out, &format!("{INDENT}{line}"))?;
        }
        let titles = block.iter().map(|c| self.columns[*c].title);
        look.heading(out, &self.line(titles, block, widths))?;
        for row in 0..self.rows.len() {
            let cells = block.iter().map(|c| self.cell(row, *c));
            writeln!(out, "{}", self.line(cells, block, widths))?;
        }
        Ok(())
    }

    fn line<'a>(
        &self,
        cells: impl Iterator<Item = &'a str>,
        block: &[usize],
        widths: &[usize],
    ) -> String {
        let mut line = String::from(INDENT);
        for (n, (cell, c)) in cells.zip(block).enumerate() {
            if n > 0 {
                line.push_str(GAP);
            }
            let fill = " ".repeat(widths[*c].saturating_sub(width(cell)));
            if self.columns[*c].right {
                line.push_str(&fill);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&fill);
            }
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// Columns on the screen: characters of East Asian scripts take two.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The width of neighbouring columns with the gaps between them.
fn span(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &[Column] = &[
        Column::left("name"),
        Column::right("n"),
        Column::under("turnaround", "p50"),
        Column::under("turnaround", "max"),
        Column::right("lost").rare(),
        Column::right("bytes"),
    ];

    fn sample(width: usize, lost: &str) -> String {
        let mut table = Table::of(COLUMNS.to_vec());
        table.row(
            ["READ", "12", "1 µs", "2 µs", lost, "4,096"]
                .map(String::from)
                .into(),
        );
        table.row(vec!["A LONG NAME".into(), "1".into()]);
        let mut out = Vec::new();
        table.write(&mut out, Look::plain(width)).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_are_aligned_under_their_group() {
        assert_eq!(
            sample(80, "-"),
            "
                   turnaround
  name          n   p50   max  bytes
  READ         12  1 µs  2 µs  4,096
  A LONG NAME   1
"
            .trim_start_matches('\n')
        );
    }

    #[test]
    fn what_is_too_wide_goes_on_below() {
        assert_eq!(
            sample(30, "-"),
            "
                   turnaround
  name          n   p50   max
  READ         12  1 µs  2 µs
  A LONG NAME   1

  name         bytes
  READ         4,096
  A LONG NAME
"
            .trim_start_matches('\n')
        );
        assert_eq!(
            sample(1, "-").matches("READ").count(),
            3,
            "no width loses a column"
        );
    }

    #[test]
    fn a_rare_column_is_there_when_it_has_a_value() {
        assert!(!sample(80, "-").contains("lost"));
        let text = sample(80, "3");
        assert!(text.contains("lost  bytes"), "{text}");
        assert!(text.contains("   3  4,096"), "{text}");
    }
}
