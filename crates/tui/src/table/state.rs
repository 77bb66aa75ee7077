//! Which rows are shown, in which order, and which one is chosen.

use super::filter::Filter;
use super::{AnyRows, Cell, RowIdentity};
use crate::context::Context;
use std::collections::BTreeMap;

/// Of a table, what the user changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Column and whether the greatest comes first, if the user chose.
    sort: Option<(usize, bool)>,
    /// As it was typed.
    pub(crate) filter_text: String,
    filter: Filter,
    /// What is wrong with it: it takes every row then.
    pub(crate) filter_error: Option<String>,
    /// Rows in the order in which they are shown.
    order: Vec<usize>,
    /// The chosen one, and where it stands.
    key: Option<RowIdentity>,
    cursor: usize,
    /// The first that is visible.
    top: usize,
    /// How many times the columns were scrolled.
    pub(crate) step: usize,
    /// Columns that the user shows or hides.
    pub(crate) wishes: Wishes,
    /// How many there were before the filter; `None` where there is no table.
    all: Option<usize>,
}

/// Columns that are to be shown in any case (`true`), or hidden.
pub(crate) type Wishes = BTreeMap<usize, bool>;

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    By(isize),
    Pages(isize),
    First,
    Last,
    To(usize),
}

impl State {
    /// Rows in the order in which they are shown.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(crate) fn top(&self) -> usize {
        self.top
    }

    /// How many rows there were before the filter.
    pub(crate) fn all(&self) -> usize {
        self.all.unwrap_or(0)
    }

    /// Whether there is a table at all.
    pub(crate) fn exists(&self) -> bool {
        self.all.is_some()
    }

    /// The chosen row.
    pub(crate) fn chosen(&self) -> Option<usize> {
        self.order.get(self.cursor).copied()
    }

    pub(crate) fn chosen_key(&self) -> Option<&RowIdentity> {
        self.key.as_ref()
    }

    /// Column and whether the greatest comes first.
    pub(crate) fn sort(&self, rows: &dyn AnyRows) -> Option<(usize, bool)> {
        self.sort.or_else(|| rows.sorted())
    }

    pub(crate) fn sort_by(&mut self, column: usize, descending: bool) {
        self.sort = Some((column, descending));
    }

    /// Shows or hides a column; the first one names the rows and always stays.
    pub(crate) fn wish(&mut self, column: usize, shown: bool) {
        if column > 0 {
            self.wishes.insert(column, shown);
        }
    }

    /// How soon a column goes where there is little room; `None` where it is hidden.
    pub(super) fn rank(&self, column: usize, rank: u8) -> Option<u8> {
        match self.wishes.get(&column) {
            None => Some(rank),
            Some(true) => Some(0),
            Some(false) => None,
        }
    }

    pub(crate) fn filter_by(&mut self, text: &str) {
        text.clone_into(&mut self.filter_text);
        self.filter = Filter::new(text);
    }

    /// The rows may have changed, or the order, or the filter: finds the chosen row again.
    pub(crate) fn refresh(&mut self, rows: &dyn AnyRows, context: &Context<'_>, page: usize) {
        self.all = Some(rows.len());
        let heads = rows.heads();
        self.order.clear();
        self.filter_error = self.filter.error(&heads);
        if self.filter.is_empty() || self.filter_error.is_some() {
            self.order.extend(0..rows.len());
        } else {
            let filter = &self.filter;
            self.order.extend((0..rows.len()).filter(|row| {
                let shown = |column| {
                    let cell: Cell = rows.cell(*row, column, context);
                    let text = cell.shown(context.units, 0).to_lowercase();
                    (cell, text)
                };
                let cells: Vec<(Cell, String)> = (0..heads.len()).map(shown).collect();
                filter.takes(&heads, &cells)
            }));
        }
        if let Some((column, descending)) = self.sort(rows).filter(|(c, _)| *c < heads.len()) {
            let mut keyed: Vec<(Cell, usize)> = self
                .order
                .iter()
                .map(|row| (rows.cell(*row, column, context), *row))
                .collect();
            // Stable: equals stay in the order in which the analysis ranks them.
            keyed.sort_by(|(a, _), (b, _)| match descending {
                true => b.compare(a),
                false => a.compare(b),
            });
            self.order.clear();
            self.order.extend(keyed.into_iter().map(|(_, row)| row));
        }
        // The chosen row is followed; the first place is kept until somebody leaves it.
        let found = self
            .key
            .as_ref()
            .filter(|_| self.cursor > 0)
            .and_then(|key| {
                self.order
                    .iter()
                    .position(|row| rows.key(*row).as_ref() == Some(key))
            });
        let last = self.order.len().saturating_sub(1);
        self.cursor = found.unwrap_or(self.cursor.min(last));
        self.settle(rows, page);
    }

    pub(crate) fn go(&mut self, to: Move, rows: &dyn AnyRows, page: usize) {
        let last = self.order.len().saturating_sub(1);
        let by = |n: isize| self.cursor.saturating_add_signed(n).min(last);
        let one = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        self.cursor = match to {
            Move::By(n) => by(n),
            Move::Pages(n) => by(n.saturating_mul(one)),
            Move::First => 0,
            Move::Last => last,
            Move::To(at) => at.min(last),
        };
        self.settle(rows, page);
    }

    /// Goes to the row with this key, if it is there.
    pub(crate) fn choose(&mut self, key: &RowIdentity, rows: &dyn AnyRows, page: usize) {
        let mut order = self.order.iter();
        if let Some(at) = order.position(|row| rows.key(*row).as_ref() == Some(key)) {
            self.go(Move::To(at), rows, page);
        }
    }

    fn settle(&mut self, rows: &dyn AnyRows, page: usize) {
        self.key = self.chosen().and_then(|row| rows.key(row));
        let page = page.max(1);
        let lowest = self.order.len().saturating_sub(page);
        self.top = self
            .top
            .clamp((self.cursor + 1).saturating_sub(page), self.cursor)
            .min(lowest);
    }
}

#[cfg(test)]
mod tests;
