//! Draws what is visible of a table.

use super::{AnyRows, Cell, Head, RowIdentity, State};
use crate::context::Context;
use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// Space between columns.
const GAP: u16 = 1;

/// Rows of a table that fit into an area.
pub(crate) fn page(area: Rect, rows: &dyn AnyRows) -> usize {
    usize::from(area.height.saturating_sub(head_lines(area, rows)))
}

/// The groups of columns get a line of their own where there is room.
pub(crate) fn head_lines(area: Rect, rows: &dyn AnyRows) -> u16 {
    let grouped = || rows.heads().iter().any(|head| !head.group.is_empty());
    if area.height >= 6 && grouped() { 2 } else { 1 }
}

/// Which columns are drawn, and how wide. `ranks` says how soon each goes, 0 being last and `None`
/// hidden.
///
/// Those that always stay take their room first. Of the others as many are drawn as fit beside them,
/// the first ones by rank. Each scroll goes on until the next one by rank is seen: this way none is
/// passed over, and none that found no room takes a key press.
fn fit(
    heads: &[&Head],
    ranks: &[Option<u8>],
    wants: &[u16],
    step: usize,
    width: u16,
) -> (Vec<(usize, u16)>, Scrolled) {
    let need = |c: usize| {
        // What grows also shrinks, down to its least width.
        let wide = if heads[c].grows {
            heads[c].width.0
        } else {
            wants[c]
        };
        u32::from(wide) + u32::from(GAP)
    };
    let needs = |columns: &[usize]| columns.iter().map(|c| need(*c)).sum::<u32>();
    // A gap behind each, of which the last one needs none.
    let room = u32::from(width) + u32::from(GAP);
    let mut order: Vec<usize> = (0..heads.len()).filter(|c| ranks[*c].is_some()).collect();
    order.sort_by_key(|c| ranks[*c]);
    let mut fixed = order.iter().filter(|c| ranks[**c] == Some(0)).count();
    // Beside them any other one has room; the first one, which names the rows, stays in any case.
    while fixed > 1 {
        let widest = order[fixed..].iter().map(|c| need(*c)).max().unwrap_or(0);
        if needs(&order[..fixed]) + widest <= room {
            break;
        }
        fixed -= 1;
    }
    let (stay, others) = order.split_at(fixed);
    let left = room.saturating_sub(needs(stay));
    // What fits from each of them on; at least one, even if it is cut off.
    let end = |from: usize| {
        let mut taken = 0;
        let fits = others[from..].iter().take_while(|c| {
            taken += need(**c);
            taken <= left
        });
        let least = usize::from(left > u32::from(GAP)).min(others.len() - from);
        from + fits.count().max(least)
    };
    let first = 0..end(0);
    let mut steps = vec![first];
    for from in 1..others.len() {
        let to = end(from);
        if steps.last().is_some_and(|last| to > last.end) {
            steps.push(from..to);
        }
    }
    let step = step.min(steps.len() - 1);
    let drawn = steps[step].clone();
    let scrolled = Scrolled {
        step,
        last: steps.len() - 1,
        before: drawn.start,
        after: others.len() - drawn.end,
    };
    let mut kept: Vec<usize> = stay.iter().chain(&others[drawn]).copied().collect();
    kept.sort_unstable();
    let mut left = room.saturating_sub(needs(&kept));
    let mut wants = wants.to_vec();
    // The name of a group needs room above its columns.
    for same in kept.chunk_by(|a, b| heads[*a].group == heads[*b].group) {
        let wide: u32 = same.iter().map(|c| u32::from(wants[*c] + GAP)).sum();
        let name = text::width(heads[same[0]].group) as u32 + u32::from(GAP);
        let more = name.saturating_sub(wide).min(left);
        left -= more;
        wants[same[same.len() - 1]] += more as u16;
    }
    let mut free = width;
    let columns = kept.into_iter().map(|c| {
        let least = if heads[c].grows {
            heads[c].width.0
        } else {
            wants[c]
        };
        let more = if heads[c].grows {
            left.min(u32::from(wants[c].saturating_sub(least)))
        } else {
            0
        };
        left -= more;
        // At most the width of the area, which is 16 bits.
        let wide = least.saturating_add(more as u16).min(free);
        free = free.saturating_sub(wide.saturating_add(GAP));
        (c, wide)
    });
    (columns.collect(), scrolled)
}

/// How far the columns of a table are scrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scrolled {
    /// How many times, and how many times it can be.
    pub(crate) step: usize,
    pub(crate) last: usize,
    /// Columns that were scrolled away.
    pub(crate) before: usize,
    /// Columns that were not seen yet.
    pub(crate) after: usize,
}

impl Scrolled {
    /// How many there are in each direction, with a word where there is room for it; nothing where
    /// all columns are drawn.
    pub(crate) fn said(&self, roomy: bool) -> String {
        let signs = match (self.before, self.after, roomy) {
            (0, 0, _) => return String::new(),
            (0, after, true) => format!("→ {after} more"),
            (before, 0, true) => format!("← {before} more"),
            (before, after, true) => format!("← {before}  → {after} more"),
            (0, after, false) => format!("→{after}"),
            (before, 0, false) => format!("←{before}"),
            (before, after, false) => format!("←{before} →{after}"),
        };
        signs + "  "
    }
}

/// Draws rows, with a mark at the chosen one.
pub(crate) fn draw(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    marked(rows, state, context, area, buffer, Mark::Scrolled);
}

/// What is visible of a table, and where.
struct Laid {
    cells: Vec<Vec<Cell>>,
    texts: Vec<Vec<String>>,
    titles: Vec<String>,
    /// Which columns are drawn, and how wide.
    columns: Vec<(usize, u16)>,
    scrolled: Scrolled,
    /// Lines of heads.
    lines: u16,
    page: usize,
    top: usize,
    /// Whether a scroll bar stands at the right.
    bar: bool,
}

impl Laid {
    fn new(
        rows: &dyn AnyRows,
        state: &State,
        context: &Context<'_>,
        area: Rect,
        scrolled: bool,
    ) -> Self {
        let lines = head_lines(area, rows);
        let page = page(area, rows);
        let top = state.top().min(state.order().len().saturating_sub(page));
        let visible = state.order().iter().skip(top).take(page);
        let bar = scrolled && state.order().len() > page && area.width > 8;
        let width = area.width - u16::from(bar);
        let heads = rows.heads();
        let cells: Vec<Vec<Cell>> = visible
            .map(|row| {
                (0..heads.len())
                    .map(|c| rows.cell(*row, c, context))
                    .collect()
            })
            .collect();
        let titles: Vec<String> = (0..heads.len())
            .map(|c| {
                title(
                    lines,
                    heads[c],
                    state.sort(rows).filter(|(at, _)| *at == c),
                    context,
                )
            })
            .collect();
        let texts: Vec<Vec<String>> = cells
            .iter()
            .map(|row| {
                let widths = heads.iter().map(|head| usize::from(head.width.0));
                row.iter()
                    .zip(widths)
                    .map(|(cell, width)| cell.shown(context.units, width))
                    .collect()
            })
            .collect();
        let wants: Vec<u16> = (0..heads.len())
            .map(|c| {
                let (least, most) = heads[c].width;
                let widest = texts
                    .iter()
                    .map(|row| text::width(&row[c]))
                    .max()
                    .unwrap_or(0);
                let widest = widest.max(text::width(&titles[c]));
                u16::try_from(widest).unwrap_or(u16::MAX).clamp(least, most)
            })
            .collect();
        let ranks: Vec<Option<u8>> = (0..heads.len())
            .map(|c| match heads[c].since_start && context.window.is_some() {
                true => None,
                false => state.rank(c, heads[c].rank),
            })
            .collect();
        let (columns, scrolled) = fit(&heads, &ranks, &wants, state.step, width);
        Self {
            cells,
            texts,
            titles,
            columns,
            scrolled,
            lines,
            page,
            top,
            bar,
        }
    }
}

/// The columns that are drawn in this area.
pub(crate) fn columns(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    area: Rect,
) -> Vec<usize> {
    let laid = Laid::new(rows, state, context, area, true);
    laid.columns.into_iter().map(|(column, _)| column).collect()
}

/// Where its scroll bar stands in this area, if it has one.
pub(crate) fn bar_at(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    area: Rect,
) -> Option<u16> {
    let laid = Laid::new(rows, state, context, area, true);
    laid.bar.then(|| area.right().saturating_sub(1))
}

/// How far its columns are scrolled in this area.
pub(crate) fn scrolled(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    area: Rect,
) -> Scrolled {
    Laid::new(rows, state, context, area, true).scrolled
}

/// The column whose head is drawn at this column of the screen.
pub(crate) fn column_at(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    area: Rect,
    x: u16,
) -> Option<usize> {
    let mut from = area.x;
    for (column, wide) in Laid::new(rows, state, context, area, true).columns {
        if (from..from.saturating_add(wide)).contains(&x) {
            return Some(column);
        }
        from = from.saturating_add(wide + GAP);
    }
    None
}

/// Whether one row is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    None,
    /// The chosen one.
    Chosen,
    /// Likewise, and how far the rows are scrolled.
    Scrolled,
}

/// Draws the first rows in their own order, with a mark at one of them if it is chosen.
pub(crate) fn preview(
    rows: &dyn AnyRows,
    chosen: Option<&RowIdentity>,
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut state = State::default();
    state.refresh(rows, context, page(area, rows));
    if let Some(key) = chosen {
        state.choose(key, rows, page(area, rows));
    }
    let mark = match chosen {
        Some(_) => Mark::Chosen,
        None => Mark::None,
    };
    marked(rows, &state, context, area, buffer, mark);
}

/// Rows in their own order.
pub(crate) fn order(rows: &dyn AnyRows, context: &Context<'_>) -> Vec<usize> {
    let mut state = State::default();
    state.refresh(rows, context, 1);
    state.order().to_vec()
}

fn marked(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
    mark: Mark,
) {
    if area.is_empty() {
        return;
    }
    let theme = context.theme;
    let scrolled = mark == Mark::Scrolled;
    let heads = rows.heads();
    let Laid {
        cells,
        texts,
        titles,
        columns,
        lines,
        page,
        top,
        bar,
        ..
    } = Laid::new(rows, state, context, area, scrolled);
    let width = area.width - u16::from(bar);
    if lines == 2 {
        groups(&heads, &columns, context, area, buffer);
    }
    let mut x = area.x;
    for (c, wide) in &columns {
        let y = area.y + lines - 1;
        let style = match state.sort(rows) {
            Some((at, _)) if at == *c => theme.head.add_modifier(Modifier::BOLD),
            _ => theme.head,
        };
        text::put_at(buffer, (x, y), *wide, &titles[*c], heads[*c].right, style);
        x = x.saturating_add(wide + GAP);
    }
    for (n, row) in cells.iter().enumerate() {
        let y = area.y + lines + n as u16;
        let chosen = mark != Mark::None && top + n == state.cursor();
        let mut x = area.x;
        for (c, wide) in &columns {
            let style = theme.tone(row[*c].tone);
            text::put_at(buffer, (x, y), *wide, &texts[n][*c], heads[*c].right, style);
            x = x.saturating_add(wide + GAP);
        }
        if chosen {
            buffer.set_style(Rect::new(area.x, y, width, 1), theme.chosen);
        }
    }
    if cells.is_empty() {
        let said = match state.filter_text.as_str() {
            "" => rows.empty().to_owned(),
            filter => format!("Nothing matches \"{filter}\". Esc clears the filter."),
        };
        let below = Rect::new(area.x, area.y + lines, area.width, 0);
        let below = Rect {
            height: area.bottom().saturating_sub(below.y),
            ..below
        };
        text::wrapped(buffer, below, &said, theme.dim);
    }
    if bar {
        let length = state.order().len();
        let track = Rect::new(area.right() - 1, area.y + lines, 1, page as u16);
        scrollbar(buffer, track, (top, page, length), context);
    }
}

fn title(lines: u16, head: &Head, sorted: Option<(usize, bool)>, context: &Context<'_>) -> String {
    // Without a line for groups the title says to which it belongs.
    let mut title = match head.group.get(..4).filter(|_| lines == 1) {
        Some(group) if !head.group.contains(' ') => format!("{group}.{}", head.title),
        _ => head.title.to_owned(),
    };
    if head.percentile && context.drops > 0 {
        title.push('!');
    }
    match sorted {
        Some((_, true)) => title.push('▼'),
        Some((_, false)) => title.push('▲'),
        None => {}
    }
    title
}

/// The names of groups, each above its columns.
fn groups(
    heads: &[&Head],
    columns: &[(usize, u16)],
    context: &Context<'_>,
    area: Rect,
    buffer: &mut Buffer,
) {
    let mut x = area.x;
    for same in columns.chunk_by(|(a, _), (b, _)| heads[*a].group == heads[*b].group) {
        let wide: u16 = same
            .iter()
            .map(|(_, w)| w + GAP)
            .sum::<u16>()
            .saturating_sub(GAP);
        if let Some((first, _)) = same.first() {
            let group = heads[*first].group;
            let style = context.theme.dim;
            text::put_at(buffer, (x, area.y), wide, group, heads[*first].right, style);
        }
        x = x.saturating_add(wide + GAP);
    }
}

/// Where in all of it the visible part is.
pub(crate) fn scrollbar(
    buffer: &mut Buffer,
    track: Rect,
    (top, page, length): (usize, usize, usize),
    context: &Context<'_>,
) {
    let height = usize::from(track.height);
    if height == 0 || length == 0 {
        return;
    }
    let thumb = (height * page / length).clamp(1, height);
    let room = height - thumb;
    let most = length.saturating_sub(page).max(1);
    let from = (top.min(most) * room).div_ceil(most);
    for n in 0..height {
        let (symbol, style) = if (from..from + thumb).contains(&n) {
            ("█", context.theme.plot)
        } else {
            ("│", context.theme.line)
        };
        // Below the track's height, which is 16 bits.
        text::put(buffer, (track.x, track.y + n as u16), 1, symbol, style);
    }
}
