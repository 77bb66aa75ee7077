//! Frames in three parts: a list, the fields of the chosen one as a tree, its bytes.

mod bytes;
mod tree;

use super::{View, draw_table, rule};
use crate::keys::Action;
use crate::model::{Level, Model};
use crate::place::Place;
use crate::state::{Focus, Pane};
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, Value, columns_of};
use crate::text::{band, wrapped};
use crate::theme::Tone;
use crate::{Command, Decoded};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tree::Line;
use wirewait_analysis::Deed;
use wirewait_report::Rfc3339;
use wirewait_wire::Timestamp;

pub(super) struct Frames;

/// Goes to the next place, or the one before. While frames are under way, they are of this one.
fn go_to_place(model: &mut Model, ahead: bool) -> Vec<Command> {
    let pane = &model.level().pane;
    let last = pane.places.len().saturating_sub(1);
    let to = match ahead {
        true => (pane.place + 1).min(last),
        false => pane.place.saturating_sub(1),
    };
    if to == pane.place || pane.frames.is_none() {
        return Vec::new();
    }
    let pane = Pane::at(pane.places.clone(), to);
    let asks = pane.asks();
    *model.level_mut() = Level {
        pane: pane.clone(),
        ..Level::new(Place::Frames(pane.title()))
    };
    model.refresh();
    asks
}

fn columns<'m>() -> Vec<Column<FrameRow<'m>>> {
    columns_of![|r: &FrameRow<'_>, context|
        Head::right("#", 5).help("The number of the frame in the capture.")
            => r.toned(Value::Number(r.frame.number).into()),
        Head::right("delta", 8).help("The time since the frame above it.")
            => {
                let since = r.frame.at.zip(r.before).map(|(at, before)| at.since(before));
                r.toned(Cell::time(since))
            },
        Head::left("time UTC", 15).rank(2).help("Time of capture, to the microsecond.")
            => {
                let text = r.frame.at.map(|at| Rfc3339(at).to_string());
                let time = text.as_ref().and_then(|text| text.get(11..26));
                r.toned(time.map_or_else(Cell::default, |time| Cell::text(time.to_owned())))
            },
        Head::right("at", 9).rank(7).help("Time of capture, since the beginning of the capture.")
            => {
                let since = r.frame.at.and_then(|at| Some(at.since(context.first?)));
                r.toned(Cell::time(since))
            },
        Head::left("role", 10).rank(1).most(16)
            .help("Direction, relative to the sender of the first frame, and role in a transaction: request, response, interim, ack, control, retransmitted.")
            => r.role(),
        Head::left("source", 12).rank(4).most(28).help("Sender of the frame.")
            => r.text(&r.frame.source),
        Head::left("destination", 12).rank(5).most(28).help("Receiver of the frame.")
            => r.text(&r.frame.destination),
        Head::left("protocol", 8).rank(6).help("The innermost protocol.")
            => r.text(&r.frame.protocol),
        Head::right("bytes", 5).rank(3).help("Length on the wire.")
            => r.toned(Cell::count(r.frame.wire_len.into())),
        Head::left("summary", 32).most(400).grows()
            .help("Content in one line. Frames between other stations than those of the first frame are dim.")
            => r.text(&r.frame.summary),
    ]
}

/// A frame in the list; those of other stations than the first one's are of less interest.
struct FrameRow<'m> {
    frame: &'m Decoded,
    aside: bool,
    /// When the frame above it was captured.
    before: Option<Timestamp>,
    /// Whether the sender of the first frame sent it.
    ahead: bool,
}

impl FrameRow<'_> {
    fn text(&self, text: &str) -> Cell {
        self.toned(Cell::text(text.to_owned()))
    }

    fn toned(&self, cell: Cell) -> Cell {
        cell.toned(if self.aside { Tone::Dim } else { Tone::Plain })
    }

    /// Where it goes, and what it does there.
    fn role(&self) -> Cell {
        let names: Vec<&str> = self.frame.deeds.iter().map(|deed| deed.name()).collect();
        let arrow = match (self.aside, self.ahead) {
            (true, _) => "·",
            (false, true) => "→",
            (false, false) => "←",
        };
        let cell = Cell::text(format!("{arrow} {}", names.join(" ")).trim_end().to_owned());
        let has = |deed| self.frame.deeds.contains(&deed);
        cell.toned(match self.aside {
            true => Tone::Dim,
            false if has(Deed::Retransmitted) => Tone::Bad,
            false if has(Deed::Interim) => Tone::Warn,
            false if has(Deed::Request) => Tone::Good,
            false if has(Deed::Response) => Tone::Plain,
            false => Tone::Dim,
        })
    }
}

/// Whether two frames are between the same two ends.
fn same_ends(a: &Decoded, b: &Decoded) -> bool {
    let there = (&a.source, &a.destination) == (&b.source, &b.destination);
    there || (&a.source, &a.destination) == (&b.destination, &b.source)
}

/// Frames that were captured and were not kept, and the options that keep them.
const GONE_LIVE: &str = "These frames are no longer in memory: newer ones took their place. --keep-frames 1G keeps more, --save FILE keeps all.";

/// Likewise of what is replayed: files are read again, so that it came through a pipe.
const GONE: &str = "These frames are no longer in memory: newer ones took their place. --keep-frames 1G keeps more; a file instead of a pipe is read again.";

/// Why nothing is shown where names are hidden: they stand in the bytes.
const HIDDEN: &str = "Names are hidden, and frames would show them. p shows names, unless the \
                      analysis hid them (--private).";

fn list(model: &Model) -> &[Decoded] {
    if model.hides_names() {
        return &[];
    }
    let frames = model.level().pane.frames.as_ref();
    frames.map_or(&[], |frames| frames.as_slice())
}

fn chosen(model: &Model) -> Option<&Decoded> {
    list(model).get(model.level().table.chosen()?)
}

/// The tree of the chosen frame, as far as it is open.
fn lines(model: &Model) -> Vec<Line<'_>> {
    chosen(model).map_or_else(Vec::new, |frame| {
        model.level().pane.branches.lines(&frame.tree)
    })
}

/// Where the three parts are, each below its own line.
struct Parts {
    list: Rect,
    tree: Rect,
    bytes: Rect,
    /// Whether there is room for a line above the lower parts.
    ruled: bool,
}

fn parts(body: Rect) -> Parts {
    let ruled = body.height >= 13;
    // The list is what one reads first; bytes are looked at one line at a time.
    let (list, bytes) = match body.height {
        ..20 => (body.height * 3 / 10, body.height * 3 / 10),
        height => (height * 9 / 20, height / 5),
    };
    let list = list.max(3).min(body.height);
    let bytes = bytes.clamp(2, 18).min(body.height - list);
    let lines = u16::from(ruled);
    let below = |y: u16, height: u16| Rect { y, height, ..body };
    let tree = below(
        body.y + list + lines,
        (body.height - list - bytes).saturating_sub(2 * lines),
    );
    Parts {
        list: below(body.y, list),
        bytes: below(tree.bottom() + lines, bytes),
        tree,
        ruled,
    }
}

impl View for Frames {
    fn name(&self) -> &'static str {
        "frames"
    }

    fn title(&self, _: &Model, place: &Place) -> String {
        match place {
            Place::Frames(title) => title.clone(),
            _ => String::new(),
        }
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let live = model.feed.as_ref().is_some_and(|feed| feed.input.is_live());
        let empty = match &model.level().pane.frames {
            _ if model.hides_names() => HIDDEN,
            None => "Searching for the frames.",
            Some(_) if live => GONE_LIVE,
            Some(_) => GONE,
        };
        let all = list(model);
        let first = all.first();
        let before = std::iter::once(None).chain(all.iter().map(|frame| frame.at));
        let rows = all.iter().zip(before).map(|(frame, before)| FrameRow {
            frame,
            aside: !first.is_some_and(|first| same_ends(first, frame)),
            before,
            ahead: first.is_some_and(|first| first.source == frame.source),
        });
        Some(Box::new(List {
            columns: columns(),
            rows: rows.collect(),
            key: |row: &FrameRow<'_>| RowIdentity::Number(row.frame.number),
            sorted: None,
            empty,
        }))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        parts(body).list
    }

    fn scrolls(&self, model: &Model) -> bool {
        model.level().pane.focus == Focus::List
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("fields")
    }

    fn act(&self, model: &mut Model, _: &Place, action: Action) -> Option<Vec<Command>> {
        let focus = model.level().pane.focus;
        match (focus, action) {
            (_, Action::NextPlace) => return Some(go_to_place(model, true)),
            (_, Action::PreviousPlace) => return Some(go_to_place(model, false)),
            (_, Action::NextTab) => turn(model, 1),
            (_, Action::PreviousTab) => turn(model, 2),
            (Focus::List, Action::Enter) => turn(model, 1),
            (Focus::List, _) => return None,
            (Focus::Tree, Action::Back) => turn(model, 2),
            (Focus::Bytes, Action::Back | Action::Left) => turn(model, 2),
            (Focus::Tree, _) => in_tree(model, action)?,
            (Focus::Bytes, _) => in_bytes(model, action)?,
        }
        Some(Vec::new())
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let Some(frame) = chosen(model) else {
            return;
        };
        let context = model.context();
        let parts = parts(body);
        let pane = &model.level().pane;
        let lines = lines(model);
        let at = pane.branches.cursor(&lines);
        let line = lines.get(at).map(|line| line.of);
        if parts.ruled {
            let above = |part: Rect| band(part, part.y - 1, 1);
            let mark = |focus: Focus| if pane.focus == focus { "▶ " } else { "" };
            let title = format!("{}fields (Tab changes the part)", mark(Focus::Tree));
            rule(buffer, above(parts.tree), &title, &context);
            let title = format!("{}{}", mark(Focus::Bytes), bytes::title(frame, line));
            rule(buffer, above(parts.bytes), &title, &context);
        }
        tree::draw(
            &lines,
            at,
            pane.focus == Focus::Tree,
            &context,
            parts.tree,
            buffer,
        );
        bytes::draw(frame, line, pane.row, &context, parts.bytes, buffer);
        if lines.is_empty() {
            wrapped(
                buffer,
                parts.tree,
                "This frame could not be dissected.",
                context.theme.dim,
            );
        }
    }
}

fn turn(model: &mut Model, by: usize) {
    let pane = &mut model.level_mut().pane;
    pane.focus = pane.focus.turned(by);
}

fn page(model: &Model) -> (usize, Parts) {
    let parts = parts(super::body(Rect::new(0, 0, model.size.0, model.size.1)));
    (usize::from(parts.tree.height).max(1), parts)
}

/// Moves in the tree; `None` for keys that mean what they always mean.
fn in_tree(model: &mut Model, action: Action) -> Option<()> {
    let (page, _) = page(model);
    let lines = lines(model);
    let mut branches = model.level().pane.branches.clone();
    match action {
        Action::Up => branches.go(&lines, |at| at.saturating_sub(1)),
        Action::Down => branches.go(&lines, |at| at + 1),
        Action::PageUp => branches.go(&lines, |at| at.saturating_sub(page)),
        Action::PageDown => branches.go(&lines, |at| at + page),
        Action::First => branches.go(&lines, |_| 0),
        Action::Last => branches.go(&lines, |_| usize::MAX),
        Action::Enter => branches.turn(&lines),
        Action::Right => branches.open(&lines),
        Action::Left => branches.close(&lines),
        _ => return None,
    }
    let pane = &mut model.level_mut().pane;
    pane.branches = branches;
    pane.row = None;
    Some(())
}

/// Moves in the bytes likewise.
fn in_bytes(model: &mut Model, action: Action) -> Option<()> {
    let (_, parts) = page(model);
    let page = usize::from(parts.bytes.height).max(1);
    let lines = lines(model);
    let line = lines
        .get(model.level().pane.branches.cursor(&lines))
        .map(|line| line.of);
    let (rows, shown) = match chosen(model) {
        Some(frame) => bytes::rows(frame, line, model.level().pane.row, parts.bytes),
        None => (0, 0),
    };
    let last = rows.saturating_sub(page);
    let to = match action {
        Action::Up => shown.saturating_sub(1),
        Action::Down => shown + 1,
        Action::PageUp => shown.saturating_sub(page),
        Action::PageDown => shown + page,
        Action::First => 0,
        Action::Last => last,
        _ => return None,
    };
    model.level_mut().pane.row = Some(to.min(last));
    Some(())
}
