//! Moving about: from table to table, and in them. What is shown where is asked of the views.

use crate::bound::applies;
use crate::keys::{Action, BINDINGS, shown};
use crate::model::{Hint, Level, Model};
use crate::place::Place;
use crate::table::{self, AnyRows, RowIdentity};
use crate::{Command, Decoded, Feed, view};
use ratatui::layout::Rect;
use std::sync::Arc;

impl Model {
    /// The rows of the place that is open, if it has a table.
    pub(crate) fn rows(&self) -> Option<Box<dyn AnyRows + '_>> {
        view::of(&self.level().place).rows(self, &self.level().place)
    }

    /// How many rows of the open table are visible.
    pub(crate) fn page(&self, rows: &dyn AnyRows) -> usize {
        let body = view::body(Rect::new(0, 0, self.size.0, self.size.1));
        let place = &self.level().place;
        table::page(view::of(place).table_area(self, place, body), rows)
    }

    /// Puts the open table in order again.
    pub(crate) fn refresh(&mut self) {
        let mut state = std::mem::take(&mut self.level_mut().table);
        if let Some(rows) = self.rows() {
            state.refresh(rows.as_ref(), &self.context(), self.page(rows.as_ref()));
        }
        self.level_mut().table = state;
        self.changed = true;
    }

    /// Changes the open table, which stays in order.
    pub(crate) fn with_table(
        &mut self,
        change: impl FnOnce(&mut table::State, &dyn AnyRows, usize),
    ) {
        let mut state = std::mem::take(&mut self.level_mut().table);
        if let Some(rows) = self.rows() {
            change(&mut state, rows.as_ref(), self.page(rows.as_ref()));
            state.refresh(rows.as_ref(), &self.context(), self.page(rows.as_ref()));
        }
        self.level_mut().table = state;
    }

    /// Sorts the open table by this column; the other way round if it is sorted by it already.
    pub(crate) fn sort_by(&mut self, column: usize) {
        self.with_table(|table, rows, _| {
            let same = table.sort(rows).filter(|(c, _)| *c == column);
            let right = rows.heads().get(column).is_some_and(|head| head.right);
            table.sort_by(column, same.map_or(right, |(_, descending)| !descending));
        });
    }

    /// How far the columns of the open table are scrolled, if they can be.
    pub(crate) fn scrolled(&self) -> Option<table::Scrolled> {
        let body = view::body(Rect::new(0, 0, self.size.0, self.size.1));
        let Level { place, table, .. } = self.level();
        let area = view::of(place).table_area(self, place, body);
        let scrolls = !area.is_empty() && view::of(place).scrolls(self);
        let rows = self.rows().filter(|_| scrolls)?;
        let context = self.context();
        Some(table::scrolled(rows.as_ref(), table, &context, area))
    }

    /// Shows a column of the open table that was not seen yet, or the one that went for it.
    pub(crate) fn scroll_columns(&mut self, on: bool) {
        if let Some(scrolled) = self.scrolled() {
            let step = match on {
                true => (scrolled.step + 1).min(scrolled.last),
                false => scrolled.step.saturating_sub(1),
            };
            self.level_mut().table.step = step;
        }
    }

    /// Hides a column of the open table, or shows it though it found no room; the same in all
    /// tables of its kind that are opened later.
    pub(crate) fn toggle_column(&mut self, column: usize) {
        let body = view::body(Rect::new(0, 0, self.size.0, self.size.1));
        let place = self.level().place.clone();
        let area = view::of(&place).table_area(self, &place, body);
        let mut state = std::mem::take(&mut self.level_mut().table);
        if let Some(rows) = self.rows() {
            let drawn = table::columns(rows.as_ref(), &state, &self.context(), area);
            state.wish(column, !drawn.contains(&column));
        }
        self.columns
            .insert(view::of(&place).name(), state.wishes.clone());
        self.level_mut().table = state;
    }

    /// Goes down a level.
    pub(crate) fn open(&mut self, place: Place) {
        let tab = self.tab;
        let wishes = self.columns.get(view::of(&place).name()).cloned();
        let mut level = Level::new(place);
        level.table.wishes = wishes.unwrap_or_default();
        self.ways[tab].push(level);
        self.refresh();
    }

    /// Shows these figures.
    pub(crate) fn show(&mut self, feed: Arc<Feed>) {
        self.servers = Arc::new(feed.snapshot.server_totals());
        self.count_anew();
        self.chart.begin(&feed.counters);
        self.note_changes(&feed);
        self.feed = Some(feed);
        self.refresh();
    }

    /// Changes what the figures are of.
    pub(crate) fn look_at(&mut self, window: Option<u32>) {
        self.window = window;
        self.count_anew();
        self.refresh();
    }

    /// Goes to a place where the frames will be that this asks for.
    pub(crate) fn open_frames(&mut self, title: String, asks: Command) -> Vec<Command> {
        self.open(Place::Frames(title));
        vec![asks]
    }

    /// Frames have come: they belong to the place that was opened last and has none yet.
    pub(crate) fn decoded(&mut self, frames: Arc<Vec<Decoded>>) {
        let tab = self.tab;
        let first = std::iter::once(tab).chain((0..self.ways.len()).filter(|n| *n != tab));
        for tab in first.collect::<Vec<_>>() {
            let waits = |level: &&mut Level| {
                matches!(level.place, Place::Frames(_)) && level.pane.frames.is_none()
            };
            if let Some(level) = self.ways[tab].iter_mut().rev().find(waits) {
                level.pane.frames = Some(frames);
                let wanted = level.pane.wanted;
                self.refresh();
                if let Some(number) = wanted.filter(|_| self.level().pane.wanted == wanted) {
                    let key = RowIdentity::Number(number);
                    self.with_table(|table, rows, page| table.choose(&key, rows, page));
                }
                return;
            }
        }
    }

    /// Leaves the place where frames are waited for.
    pub(crate) fn give_up_frames(&mut self) {
        let level = self.level();
        if matches!(level.place, Place::Frames(_)) && level.pane.frames.is_none() {
            self.up();
        }
    }

    /// Goes up a level.
    pub(crate) fn up(&mut self) -> bool {
        let tab = self.tab;
        let up = self.ways[tab].len() > 1;
        if up {
            self.ways[tab].pop();
            self.refresh();
        }
        up
    }

    /// The keys that do something here and have a hint.
    pub(crate) fn hints(&self) -> Vec<Hint> {
        let place = &self.level().place;
        BINDINGS
            .iter()
            .zip(self.keys.iter())
            .filter(|(binding, _)| !binding.hint.is_empty() && applies(self, binding))
            .filter_map(|(binding, keys)| {
                let word = match binding.action {
                    Action::Enter => view::of(place).opens(place)?.to_owned(),
                    Action::Back if self.ways[self.tab].len() < 2 => return None,
                    Action::Freeze if self.frozen || self.paused() => "go on".to_owned(),
                    _ => binding.hint.to_owned(),
                };
                Some(Hint {
                    key: shown(keys.first()?),
                    word,
                    action: binding.action,
                })
            })
            .collect()
    }
}
