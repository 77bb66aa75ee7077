//! What surrounds every view: tabs and title above, status and hints below.

use crate::keys::Action;
use crate::model::{Hint, Model, Overlay};
use crate::place::TABS;
use crate::text::{self, put};
use crate::theme::{Theme, Tone};
use crate::units::Units;
use crate::view;
use crate::{Feed, Input, Pace};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::path::Path;
use wirewait_report::words::{BitRate, Grouped};
use wirewait_report::{Escaped, Rfc3339};

/// The tabs with their places, as many letters of each as there is room for.
fn tab_texts(model: &Model, width: u16) -> Vec<(u16, String)> {
    let whole = |n: usize, letters: usize| {
        let mut name = TABS[n].name.to_owned();
        if name.len() > letters {
            name.truncate(letters.saturating_sub(1));
            name.push('.');
        }
        match letters {
            0 if n != model.tab => format!(" {} ", n + 1),
            0 => format!(" {} {} ", n + 1, TABS[n].name),
            _ => format!(" {} {name} ", n + 1),
        }
    };
    let at = |letters: usize| {
        let mut x = 0u16;
        let mut texts = Vec::new();
        for n in 0..TABS.len() {
            let text = whole(n, letters);
            let wide = text::width(&text) as u16;
            texts.push((x, text));
            x += wide;
        }
        (x, texts)
    };
    // All of each name, or the beginnings, or the name of the open one alone.
    let fits = [usize::MAX, 8, 5, 4]
        .into_iter()
        .map(at)
        .find(|(end, _)| *end <= width);
    fits.unwrap_or_else(|| at(0)).1
}

/// The tab that is drawn at this column.
pub(super) fn tab_at(model: &Model, screen: Rect, x: u16) -> Option<usize> {
    tab_texts(model, tabs_width(model, screen))
        .iter()
        .position(|(from, text)| (*from..from + text::width(text) as u16).contains(&x))
}

fn tabs_width(model: &Model, screen: Rect) -> u16 {
    screen
        .width
        .saturating_sub(text::width(&clock(model)) as u16 + 1)
}

/// The time of the capture.
fn clock(model: &Model) -> String {
    let now = model.feed.as_ref().and_then(|feed| feed.now);
    now.map_or_else(String::new, |at| {
        let text = Rfc3339(at).to_string();
        let time = text.get(11..19).unwrap_or_default();
        match model.size.0 {
            ..100 => time.to_owned(),
            _ => format!("{time} UTC"),
        }
    })
}

pub(super) fn tabs(model: &Model, screen: Rect, buffer: &mut Buffer) {
    let theme = model.palette.theme();
    for (n, (x, text)) in tab_texts(model, tabs_width(model, screen))
        .iter()
        .enumerate()
    {
        let style = if n == model.tab {
            theme.chosen
        } else {
            theme.plain
        };
        put(
            buffer,
            (screen.x + x, screen.y),
            text::width(text) as u16,
            text,
            style,
        );
    }
    let clock = clock(model);
    let wide = text::width(&clock) as u16;
    let at = (screen.right().saturating_sub(wide), screen.y);
    put(buffer, at, wide, &clock, theme.dim);
}

/// Where one is, and how much of it is shown.
pub(super) fn title(model: &Model, screen: Rect, buffer: &mut Buffer) {
    let theme = model.palette.theme();
    let names: Vec<String> = model.ways[model.tab]
        .iter()
        .map(|level| view::of(&level.place).title(model, &level.place))
        .collect();
    let table = &model.level().table;
    let (shown, all) = (table.order().len(), table.all());
    let count = match (model.has_table(), table.filter_text.as_str()) {
        (false, _) => String::new(),
        (true, "") if all == 1 => "1 row".to_owned(),
        (true, "") => format!("{} rows", Grouped(all as u64)),
        (true, _) => format!("{} of {} rows", Grouped(shown as u64), Grouped(all as u64)),
    };
    // Beside the rows: above the columns is no place that is always free.
    let scrolled = model.scrolled().filter(|_| model.has_table());
    let more = |roomy| scrolled.map_or_else(String::new, |columns| columns.said(roomy));
    let counts = [true, false].map(|roomy| format!("{}{count}", more(roomy)));
    let room = |count: &str| {
        let right = text::width(count) as u16;
        screen.width.saturating_sub(right + 1)
    };
    // The innermost place is the one that matters.
    let inner = names.last().map_or(0, |name| text::width(name) + 4);
    let [long, short] = &counts;
    let count = match inner <= usize::from(room(long)) {
        true => long,
        false => short,
    };
    let (right, room) = (text::width(count) as u16, room(count));
    let y = screen.y + 1;
    let mut line = names.join(" › ");
    let mut from = 0;
    while text::width(&line) > usize::from(room) && from + 1 < names.len() {
        from += 1;
        line = format!("… › {}", names[from..].join(" › "));
    }
    put(buffer, (screen.x, y), room, &line, theme.title);
    put(
        buffer,
        (screen.right().saturating_sub(right), y),
        right,
        count,
        theme.dim,
    );
}

/// One piece of the status, and how soon it goes where there is no room.
struct Piece {
    text: String,
    /// What it says in fewer words, the fewest first: they are tried before it goes.
    shorter: Vec<String>,
    style: Style,
    rank: u8,
}

/// Adds pieces with their ranks.
fn adding<'a>(pieces: &'a mut Vec<Piece>, theme: &'a Theme) -> impl FnMut(u8, Tone, String) + 'a {
    |rank, tone, text| {
        let style = theme.tone(tone);
        let shorter = Vec::new();
        pieces.push(Piece {
            text,
            shorter,
            style,
            rank,
        });
    }
}

/// Drops, modes, where the frames come from, and what the program itself takes.
pub(super) fn status(model: &Model, screen: Rect, buffer: &mut Buffer) {
    let theme = model.palette.theme();
    let mut pieces = Vec::new();
    let mut piece = adding(&mut pieces, theme);
    match model.drops() {
        Some(0) => piece(0, Tone::Good, "drops 0".to_owned()),
        Some(n) => piece(0, Tone::Bad, format!(" DROPS {} ", Grouped(n))),
        None => piece(1, Tone::Dim, "drops not counted".to_owned()),
    }
    if model.frozen {
        piece(0, Tone::Warn, "FROZEN".to_owned());
    }
    if model.paused() {
        piece(0, Tone::Warn, "PAUSED".to_owned());
    }
    if let Some(seconds) = model.window {
        piece(0, Tone::Warn, format!("last {seconds} s"));
    }
    let said = model.said.as_ref();
    let said = said.map(|(tone, said)| (*tone, Escaped(said).to_string()));
    // What to do about it stands at its end, which must not be cut off.
    let (long, said) = match said {
        Some((_, ref text)) if text::width(text) > usize::from(screen.width) / 2 => (said, None),
        said => (None, said),
    };
    if let Some((tone, said)) = said {
        piece(0, tone, said);
    }
    let filter = &model.level().table.filter_text;
    if !filter.is_empty() {
        match model.level().table.filter_error {
            Some(_) => piece(0, Tone::Bad, format!("filter: {filter} (no such column)")),
            None => piece(1, Tone::Warn, format!("filter: {filter}")),
        }
    }
    let Some(feed) = &model.feed else {
        return;
    };
    if model.private || feed.snapshot.settings.private {
        piece(2, Tone::Warn, "private".to_owned());
    }
    if let [.., last] = feed.about.damage.as_slice() {
        piece(0, Tone::Bad, " DAMAGED ".to_owned());
        piece(4, Tone::Bad, last.clone());
    }
    input(feed, &mut piece);
    drop(piece);
    pieces.extend(saving(feed, model));
    let mut piece = adding(&mut pieces, theme);
    let damage = &feed.about.damage;
    let remark = feed.remarks.last();
    if let Some(remark) = remark.filter(|remark| !damage.contains(&remark.text)) {
        piece(5, Tone::Warn, remark.text.clone());
    }
    let cpu = feed.own.cpu_thousandths;
    // Memory has no bits, whatever the unit of rates is.
    let units = match model.units {
        Units::Bits => Units::Bytes,
        units => units,
    };
    let memory = units.size(feed.own.memory_bytes);
    piece(
        6,
        Tone::Dim,
        format!("own: cpu {}.{} %, {memory}", cpu / 10, cpu % 10),
    );
    drop(piece);
    line(&mut pieces, screen.width);
    let y = screen.bottom().saturating_sub(2);
    let mut x = screen.x;
    for piece in &pieces {
        let wide = text::width(&piece.text) as u16;
        put(buffer, (x, y), wide, &piece.text, piece.style);
        x = x.saturating_add(wide + 2);
    }
    if let Some((tone, said)) = long {
        above(&said, theme.tone(tone), (screen, y), buffer);
    }
}

/// Says something in whole lines above the status, at this height.
fn above(said: &str, style: Style, (screen, y): (Rect, u16), buffer: &mut Buffer) {
    let wide = usize::from(screen.width);
    let lines = text::lines(said, wide);
    let first = lines
        .len()
        .saturating_sub(usize::from(y.saturating_sub(screen.y)));
    let shown = lines[first..].iter().rev();
    for (line, y) in shown.zip((screen.y..y).rev()) {
        put(
            buffer,
            (screen.x, y),
            screen.width,
            &format!("{line:wide$}"),
            style,
        );
    }
}

/// Leaves out what does not fit; what is left of the last one is clipped.
fn line(pieces: &mut Vec<Piece>, width: u16) {
    let needs = |pieces: &[Piece]| -> usize {
        pieces
            .iter()
            .map(|p| text::width(&p.text) + 2)
            .sum::<usize>()
            .saturating_sub(2)
    };
    while needs(pieces) > usize::from(width) {
        let worst = pieces
            .iter()
            .enumerate()
            .max_by_key(|(_, p)| p.rank)
            .filter(|(_, p)| p.rank > 0);
        let Some((at, _)) = worst else { return };
        match pieces[at].shorter.pop() {
            Some(shorter) => pieces[at].text = shorter,
            None => drop(pieces.remove(at)),
        }
    }
}

/// The file that frames are saved to, and its bytes; in a narrow terminal no more than that they are.
fn saving(feed: &Feed, model: &Model) -> Option<Piece> {
    let Input::Live {
        saving: Some(saving),
        ..
    } = &feed.input
    else {
        return None;
    };
    if saving.trouble.is_some() {
        return None;
    }
    let size = model.units.size(saving.bytes);
    let name = Path::new(&saving.file).file_name()?.to_string_lossy();
    Some(Piece {
        text: format!("saving {}, {size}", saving.file),
        shorter: vec![format!("saving {size}"), format!("saving {name}, {size}")],
        style: model.palette.theme().tone(Tone::Plain),
        rank: 3,
    })
}

fn input(feed: &Feed, piece: &mut impl FnMut(u8, Tone, String)) {
    match &feed.input {
        Input::Live {
            interfaces,
            filter,
            saving,
        } => {
            let names: Vec<String> = interfaces
                .iter()
                .map(|i| match (i.up, i.speed) {
                    (false, _) => format!("{} DOWN", i.name),
                    (true, Some(speed)) => format!("{} {}", i.name, BitRate(speed)),
                    (true, None) => i.name.clone(),
                })
                .collect();
            let down = interfaces.iter().any(|i| !i.up);
            let tone = if down { Tone::Bad } else { Tone::Plain };
            piece(u8::from(!down), tone, format!("live {}", names.join(", ")));
            if let Some(filter) = filter {
                piece(3, Tone::Plain, format!("only \"{filter}\""));
            }
            if let Some(why) = saving.as_ref().and_then(|saving| saving.trouble.as_ref()) {
                piece(0, Tone::Bad, format!("NOT SAVING: {why}"));
            }
        }
        Input::Files {
            names,
            span,
            pace,
            ended,
            seeking,
            ..
        } => {
            let far = match (*span, feed.now) {
                (Some((first, last)), Some(now)) => {
                    let whole = u64::try_from(last.since(first)).unwrap_or(0);
                    let part = u64::try_from(now.since(first)).unwrap_or(0);
                    Some((part.min(whole), whole)).filter(|(_, whole)| *whole > 0)
                }
                _ => None,
            };
            if let Some(at) = seeking {
                let text = Rfc3339(*at).to_string();
                let what = match at.as_nanos() {
                    i64::MIN => "the beginning",
                    i64::MAX => "the end",
                    _ => text.get(11..19).unwrap_or_default(),
                };
                piece(0, Tone::Warn, format!("LOOKING FOR {what}"));
            }
            if *ended {
                piece(1, Tone::Plain, "END".to_owned());
            } else if let Some((part, whole)) = far {
                piece(1, Tone::Plain, scrubber(part, whole));
            }
            let pace = match pace {
                Pace::Times(n) => format!("{n}x"),
                Pace::Max => "full speed".to_owned(),
            };
            piece(3, Tone::Plain, pace);
            piece(4, Tone::Plain, names.join(" "));
        }
    }
}

/// What can be typed where a number is asked for.
pub(crate) const NUMBER_SYNTAX: &str = "write 17 (request #17), f120 (frame) or f120-140 (frames)";

/// The filter while it is typed, or the keys that do something here.
pub(super) fn hints(model: &Model, screen: Rect, buffer: &mut Buffer) {
    let theme = model.palette.theme();
    let y = screen.bottom().saturating_sub(1);
    if let Overlay::Filter(_) = model.overlay {
        let table = &model.level().table;
        let (style, said) = match &table.filter_error {
            Some(error) => (theme.bad, error.as_str()),
            None => (
                theme.key,
                "Enter applies, Esc cancels; !word  column:word  column > 200",
            ),
        };
        let line = format!("/{}_  {said}", table.filter_text);
        put(buffer, (screen.x, y), screen.width, &line, style);
        return;
    }
    if let Overlay::Number(text) = &model.overlay {
        let line = format!("open: {text}_  {}", NUMBER_SYNTAX);
        put(buffer, (screen.x, y), screen.width, &line, theme.key);
        return;
    }
    for (x, hint) in placed(model, screen) {
        let (key, word) = (hint.key.as_str(), hint.word.as_str());
        let (k, w) = (text::width(key) as u16, text::width(word) as u16);
        put(buffer, (x, y), k, key, theme.key);
        put(buffer, (x + k + 1, y), w, word, theme.plain);
    }
}

/// The hints for which there is room, and where each begins.
fn placed(model: &Model, screen: Rect) -> Vec<(u16, Hint)> {
    let wide = |hint: &Hint| text::width(&hint.key) + 1 + text::width(&hint.word) + 2;
    let mut shown = model.hints();
    let needs = |hints: &[Hint]| hints.iter().map(wide).sum::<usize>();
    // Help and quit stay, whatever goes.
    while needs(&shown) > usize::from(screen.width) + 2 && shown.len() > 2 {
        shown.remove(shown.len() - 3);
    }
    let mut x = screen.x;
    let place = |hint: Hint| {
        let at = x;
        x = x.saturating_add(u16::try_from(wide(&hint)).unwrap_or(u16::MAX));
        (at, hint)
    };
    shown.into_iter().map(place).collect()
}

/// What the hint at this column of the lowest line stands for.
pub(super) fn hint_at(model: &Model, screen: Rect, x: u16) -> Option<Action> {
    let hints = placed(model, screen);
    let (from, hint) = hints.into_iter().rfind(|(from, _)| *from <= x)?;
    let wide = text::width(&hint.key) + 1 + text::width(&hint.word);
    (usize::from(x - from) < wide).then_some(hint.action)
}

/// `0:12 ━━╾─────────────── 1:22`: how far a replay is, and how long it will be.
fn scrubber(part: u64, whole: u64) -> String {
    const CELLS: u64 = 20;
    let clock = |ns: u64| {
        let seconds = ns / 1_000_000_000;
        let (minutes, seconds) = (seconds / 60, seconds % 60);
        match minutes {
            0..60 => format!("{minutes}:{seconds:02}"),
            _ => format!("{}:{:02}:{seconds:02}", minutes / 60, minutes % 60),
        }
    };
    let done = u128::from(part.min(whole)) * u128::from(CELLS) / u128::from(whole.max(1));
    let bar: String = (0..u128::from(CELLS))
        .map(|cell| match cell < done {
            true => '━',
            false => '─',
        })
        .collect();
    format!("{} {bar} {}", clock(part), clock(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrubber_shows_how_far_it_is() {
        const SECOND: u64 = 1_000_000_000;
        let bar = |full: usize| "━".repeat(full) + &"─".repeat(20 - full);
        let shown = scrubber(12 * SECOND, 82 * SECOND);
        // 12 / 82 of 20 cells are 2.9.
        assert_eq!(shown, format!("0:12 {} 1:22", bar(2)));
        assert_eq!(scrubber(0, 1), format!("0:00 {} 0:00", bar(0)));
        let shown = scrubber(3661 * SECOND, 3661 * SECOND);
        assert_eq!(shown, format!("1:01:01 {} 1:01:01", bar(20)));
        assert_eq!(scrubber(0, 0), format!("0:00 {} 0:00", bar(0)));
    }
}
