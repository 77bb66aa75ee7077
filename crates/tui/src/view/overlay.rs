//! What lies above a view: help, choices, questions.

use crate::keys::{self, Where};
use crate::model::{Model, Overlay};
use crate::place::TABS;
use crate::table::{self, Format, scrollbar};
use crate::text::{self, put};
use crate::view;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

/// A line of the list in a box.
struct OverlayLine {
    left: String,
    right: String,
}

/// How many lines the help has: a heading for each group, and one for the digits.
pub(crate) fn help_lines() -> usize {
    keys::BINDINGS.len() + Where::ALL.len() + 1
}

/// All keys, in groups.
fn help(model: &Model) -> Vec<OverlayLine> {
    let mut lines = Vec::new();
    for (at, heading) in Where::ALL {
        lines.push(OverlayLine {
            left: heading.to_owned(),
            right: String::new(),
        });
        if at == Where::Everywhere {
            lines.push(OverlayLine {
                left: format!("1 to {}", TABS.len()),
                right: "Open that screen; again: back to its top.".to_owned(),
            });
        }
        let bindings = keys::BINDINGS.iter().zip(model.keys.iter());
        lines.extend(
            bindings
                .filter(|(binding, _)| binding.at == at)
                .map(|(binding, keys)| {
                    let keys: Vec<String> = keys.iter().map(|key| keys::shown(key)).collect();
                    OverlayLine {
                        left: keys.join(" "),
                        right: binding.help.to_owned(),
                    }
                }),
        );
    }
    lines
}

pub(super) fn draw(model: &Model, screen: Rect, buffer: &mut Buffer) {
    match &model.overlay {
        Overlay::None | Overlay::Filter(_) | Overlay::Number(_) => {}
        Overlay::Help(from) => {
            let lines = help(model);
            list(
                model,
                screen,
                buffer,
                "Keys (Esc closes)",
                &lines,
                (*from, None),
            );
        }
        Overlay::Sort(at) => {
            let Some(rows) = model.rows() else { return };
            let sorted = model.level().table.sort(rows.as_ref());
            let lines: Vec<OverlayLine> = rows
                .heads()
                .iter()
                .enumerate()
                .map(|(c, head)| OverlayLine {
                    left: match (head.group, sorted) {
                        (_, Some((column, true))) if column == c => format!("{} ▼", head.title),
                        (_, Some((column, false))) if column == c => format!("{} ▲", head.title),
                        ("", _) => head.title.to_owned(),
                        (group, _) => format!("{}, {group}", head.title),
                    },
                    right: head.help.to_owned(),
                })
                .collect();
            list(
                model,
                screen,
                buffer,
                "Sort by (Enter sorts)",
                &lines,
                (*at, Some(*at)),
            );
        }
        Overlay::Columns(at) => {
            let Some(rows) = model.rows() else { return };
            let place = &model.level().place;
            let area = view::of(place).table_area(model, place, view::body(screen));
            let state = &model.level().table;
            let drawn = table::columns(rows.as_ref(), state, &model.context(), area);
            let lines: Vec<OverlayLine> = rows
                .heads()
                .iter()
                .enumerate()
                .map(|(c, head)| {
                    let mark = match (c, drawn.contains(&c)) {
                        // It names the rows, and stays.
                        (0, _) => "   ",
                        (_, true) => "[x]",
                        (_, false) => "[ ]",
                    };
                    OverlayLine {
                        left: match head.group {
                            "" => format!("{mark} {}", head.title),
                            group => format!("{mark} {}, {group}", head.title),
                        },
                        right: match head.since_start && model.window.is_some() {
                            true => format!("Not known of a window. {}", head.help),
                            false => head.help.to_owned(),
                        },
                    }
                })
                .collect();
            list(
                model,
                screen,
                buffer,
                "Columns (Space shows or hides, Esc closes)",
                &lines,
                (*at, Some(*at)),
            );
        }
        Overlay::Export(at) => {
            let lines: Vec<OverlayLine> = Format::ALL
                .iter()
                .map(|format| OverlayLine {
                    left: format.name().to_owned(),
                    right: match format {
                        Format::Text => "as it is shown",
                        Format::Csv => "for spreadsheets: times in ns, sizes in bytes",
                        Format::Json => "for programs: times in ns, sizes in bytes",
                    }
                    .to_owned(),
                })
                .collect();
            list(
                model,
                screen,
                buffer,
                "Export all rows (Enter writes)",
                &lines,
                (*at, Some(*at)),
            );
        }
        Overlay::Reset => {
            let lines = [OverlayLine {
                left: "y".to_owned(),
                right: "reset all statistics; any other key cancels".to_owned(),
            }];
            list(model, screen, buffer, "Reset?", &lines, (0, None));
        }
    }
}

/// A box in the middle with lines of two columns.
fn list(
    model: &Model,
    screen: Rect,
    buffer: &mut Buffer,
    title: &str,
    lines: &[OverlayLine],
    (from, chosen): (usize, Option<usize>),
) {
    let theme = model.palette.theme();
    let widest = |part: fn(&OverlayLine) -> &str| {
        lines
            .iter()
            .map(|line| text::width(part(line)))
            .max()
            .unwrap_or(0)
    };
    let left = widest(|line| &line.left).min(usize::from(screen.width / 2));
    let wanted = (left + 2 + widest(|line| &line.right)).max(text::width(title)) + 4;
    let width = u16::try_from(wanted).unwrap_or(u16::MAX).min(screen.width);
    let right = usize::from(width).saturating_sub(left + 6).max(1);
    // Long sentences take several lines.
    let mut shown: Vec<(usize, String, String)> = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let mut sentences = text::lines(&line.right, right);
        if sentences.is_empty() {
            sentences.push(String::new());
        }
        for (k, sentence) in sentences.into_iter().enumerate() {
            let left = if k == 0 {
                line.left.clone()
            } else {
                String::new()
            };
            shown.push((n, left, sentence));
        }
    }
    let height = u16::try_from(shown.len() + 2)
        .unwrap_or(u16::MAX)
        .min(screen.height);
    let area = Rect {
        x: screen.x + (screen.width - width) / 2,
        y: screen.y + (screen.height - height) / 2,
        width,
        height,
    };
    Clear.render(area, buffer);
    let block = Block::bordered()
        .title(format!(" {title} "))
        .border_style(theme.line)
        .title_style(theme.title);
    let inner = block.inner(area);
    block.render(area, buffer);
    let page = usize::from(inner.height);
    let last = shown.len().saturating_sub(page);
    let start = shown.iter().position(|(n, ..)| *n >= from).unwrap_or(0);
    let top = match chosen {
        Some(_) => start.saturating_sub(page.saturating_sub(1)).min(last),
        None => start.min(last),
    };
    for (y, (n, key, sentence)) in (inner.y..inner.bottom()).zip(shown.iter().skip(top)) {
        put(buffer, (inner.x + 1, y), left as u16, key, theme.key);
        let x = inner.x + 1 + left as u16 + 2;
        put(buffer, (x, y), right as u16, sentence, theme.plain);
        if chosen == Some(*n) {
            buffer.set_style(Rect::new(inner.x, y, inner.width, 1), theme.chosen);
        }
    }
    if shown.len() > page {
        let track = Rect::new(area.right() - 1, inner.y, 1, inner.height);
        scrollbar(buffer, track, (top, page, shown.len()), &model.context());
    }
}
