//! The answer first: who had most of the time, and where to look next. Each symptom, server and
//! client can be chosen and opened.

mod charts;
mod head;
mod shares;

use super::{View, clients, rule, servers, symptoms};
use crate::context::Context;
use crate::keys::Action;
use crate::model::{Level, Model};
use crate::place::{Place, TABS};
use crate::state::{Picked, Section};
use crate::table::{self, AnyRows, RowIdentity};
use crate::text::{band, put, width, wrapped};
use crate::{Command, Feed, Input};
use head::HeadLine;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::Path;
use wirewait_report::words::{Grouped, Percent, Short};
use wirewait_report::{Escaped, Rfc3339};

pub(super) struct Overview;

impl Section {
    const ALL: [Self; 3] = [Self::Symptoms, Self::Servers, Self::Clients];

    /// All rows of it.
    fn rows(self, model: &Model) -> Option<Box<dyn AnyRows + '_>> {
        match self {
            Self::Symptoms => {
                symptoms::raised(model).map(|list| Box::new(list) as Box<dyn AnyRows>)
            }
            Self::Servers => Some(Box::new(servers::list(model))),
            Self::Clients => clients::list(model).map(|list| Box::new(list) as Box<dyn AnyRows>),
        }
    }

    /// What stands above it.
    fn title(self, rows: usize, shown: usize, since: &str) -> String {
        let (one, many) = self.nouns();
        let by = match self {
            Self::Symptoms => ", by what they cost",
            Self::Servers => ", by total response time",
            Self::Clients => ", by net+server time",
        };
        let tab = self.tab().map_or(0, |tab| tab + 1);
        let more = match rows.saturating_sub(shown) {
            0 => String::new(),
            more => format!("; {} more: key {tab}", Grouped(more as u64)),
        };
        match rows {
            1 => format!("1 {one}{}", self.since(since, Self::Symptoms)),
            n => format!(
                "{} {many}{}{by}{}{more}",
                Grouped(n as u64),
                self.since(since, Self::Symptoms),
                self.since(since, Self::Clients)
            ),
        }
    }

    /// One of its rows, which is the first heading as well, and several.
    const fn nouns(self) -> (&'static str, &'static str) {
        match self {
            Self::Symptoms => ("symptom", "symptoms"),
            Self::Servers => ("server", "servers"),
            Self::Clients => ("client", "clients"),
        }
    }

    /// Where no line stands above it, how many rows are not shown: behind the first heading, if there is room.
    fn says_more(self, rows: &dyn AnyRows, area: Rect, context: &Context<'_>, buffer: &mut Buffer) {
        let more = rows.len().saturating_sub(table::page(area, rows));
        let (Some(tab), 1..) = (self.tab(), more) else {
            return;
        };
        let (one, _) = self.nouns();
        let said = format!("+{} more: key {}", Grouped(more as u64), tab + 1);
        let y = area.y + table::head_lines(area, rows).saturating_sub(1);
        let line: Vec<&str> = (area.x..area.right())
            .map(|x| buffer.cell((x, y)).map_or(" ", |cell| cell.symbol()))
            .collect();
        let is_there = |at: &usize| line[*at..].concat().starts_with(one);
        let Some(at) = (0..line.len()).find(is_there) else {
            return;
        };
        let from = at + one.len() + 1;
        let room = from..from + said.len() + 1;
        let blank = line
            .get(room)
            .is_some_and(|cells| cells.iter().all(|cell| *cell == " "));
        if blank && let Ok(from) = u16::try_from(from) {
            let width = said.len() as u16;
            put(buffer, (area.x + from, y), width, &said, context.theme.dim);
        }
    }

    /// These words, if they are about this section.
    fn since(self, words: &str, of: Self) -> &str {
        if self == of { words } else { "" }
    }

    /// The tab that has all of it.
    fn tab(self) -> Option<usize> {
        let place = match self {
            Self::Symptoms => Place::Symptoms,
            Self::Servers => Place::Servers,
            Self::Clients => Place::Clients,
        };
        TABS.iter().position(|tab| tab.place == place)
    }
}

/// Where everything is.
struct Plan {
    head: Vec<HeadLine>,
    charts: Rect,
    /// Sections with their place, the line above them included.
    sections: Vec<(Section, Rect)>,
    ruled: bool,
    foot: Rect,
}

impl Plan {
    fn new(model: &Model, feed: &Feed, body: Rect) -> Self {
        let mut head = head::lines(model, feed, body.width, body.height);
        head.truncate(usize::from(body.height));
        let used = head.len() as u16;
        let ruled = body.height >= 26;
        let foot = u16::from(ruled);
        let left = body.height.saturating_sub(used + foot);
        let charts = match left {
            ..9 => 0,
            9..12 => 4,
            _ => (left / 3).clamp(5, 12),
        };
        let wants: Vec<(Section, u16)> = Section::ALL
            .into_iter()
            .map(|section| {
                let rows = section.rows(model).map_or(0, |rows| rows.len());
                // A table of this height has a line for groups of columns.
                let groups = usize::from(rows >= 5 && section != Section::Symptoms);
                (
                    section,
                    u16::try_from(rows.min(100) + groups).unwrap_or(100),
                )
            })
            .filter(|(_, rows)| *rows > 0)
            .collect();
        let lines = heights(&wants, left - charts.min(left), 1 + u16::from(ruled));
        let taken: u16 = lines.iter().map(|(_, lines)| lines).sum();
        // What no row takes makes the charts higher.
        let charts = match charts {
            0 => 0,
            _ => left.saturating_sub(taken),
        };
        let mut y = body.y + used;
        let mut take = |height: u16| {
            let taken = Rect { y, height, ..body };
            y += height;
            taken
        };
        let charts = take(charts);
        let sections = lines
            .into_iter()
            .map(|(s, lines)| (s, take(lines)))
            .collect();
        Self {
            charts,
            sections,
            ruled,
            foot: take(foot),
            head,
        }
    }

    /// The table of a section, without the line above it.
    fn table(&self, area: Rect) -> Rect {
        let above = u16::from(self.ruled);
        band(area, area.y + above, area.height.saturating_sub(above))
    }

    /// All rows that are shown, in their order: their section and key, and the line of each.
    fn rows(&self, model: &Model) -> Vec<(Section, RowIdentity, u16)> {
        let mut all = Vec::new();
        for (section, area) in &self.sections {
            let Some(rows) = section.rows(model) else {
                continue;
            };
            let table = self.table(*area);
            let first = table.y + table::head_lines(table, rows.as_ref());
            let shown = table::order(rows.as_ref(), &model.context());
            let lines = first..table.bottom();
            for (row, y) in shown.into_iter().zip(lines) {
                if let Some(key) = rows.key(row) {
                    all.push((*section, key, y));
                }
            }
        }
        all
    }
}

/// How many lines each section gets: two rows each first, then one after the other.
fn heights(wants: &[(Section, u16)], room: u16, above: u16) -> Vec<(Section, u16)> {
    let mut left = room;
    let mut given: Vec<(Section, u16, u16)> = Vec::new();
    for (section, rows) in wants {
        // One row of many is hardly worth its heading.
        let first = (*rows).min(2) + above;
        if left >= first || given.is_empty() && left > above {
            let lines = first.min(left);
            left -= lines;
            given.push((*section, lines, *rows + above));
        }
    }
    loop {
        let before = left;
        for (_, lines, most) in &mut given {
            if left > 0 && lines < most {
                *lines += 1;
                left -= 1;
            }
        }
        if left == before {
            return given
                .into_iter()
                .map(|(section, lines, _)| (section, lines))
                .collect();
        }
    }
}

/// The chosen one of the rows that are shown; the one at its place where it is gone.
fn chosen(model: &Model, rows: &[(Section, RowIdentity, u16)]) -> usize {
    let picked = &model.picked;
    let is = |(section, key, _): &(Section, RowIdentity, u16)| {
        picked
            .row
            .as_ref()
            .is_some_and(|(s, k)| s == section && k == key)
    };
    // The first place is kept until somebody leaves it.
    let found = rows.iter().position(is).filter(|_| picked.at > 0);
    found.unwrap_or(picked.at.min(rows.len().saturating_sub(1)))
}

/// What files are called, in more words and in fewer. Interfaces stand in the line of the status.
fn names(input: &Input) -> Vec<String> {
    let Input::Files { names, .. } = input else {
        return Vec::new();
    };
    let Some((first, others)) = names.split_first() else {
        return Vec::new();
    };
    let of = |name: &str| match others.len() {
        0 => name.to_owned(),
        more => format!("{name} and {} more", Grouped(more as u64)),
    };
    let last = Path::new(first).file_name().and_then(|name| name.to_str());
    let mut all = vec![format!("Overview of {}", of(first)), of(first)];
    all.extend(last.map(of));
    all
}

fn plan(model: &Model) -> Option<Plan> {
    let screen = Rect::new(0, 0, model.size.0, model.size.1);
    let feed = model.feed.as_ref()?;
    Some(Plan::new(model, feed, super::body(screen)))
}

fn go(model: &mut Model, to: impl FnOnce(usize) -> usize) {
    let Some(plan) = plan(model) else { return };
    let rows = plan.rows(model);
    let at = to(chosen(model, &rows)).min(rows.len().saturating_sub(1));
    let row = rows
        .into_iter()
        .nth(at)
        .map(|(section, key, _)| (section, key));
    model.picked = Picked { row, at };
}

impl View for Overview {
    fn name(&self) -> &'static str {
        "overview"
    }

    fn title(&self, model: &Model, _: &Place) -> String {
        if model.window.is_some() {
            return "Overview; since start: verdict, symptoms".to_owned();
        }
        let Some(feed) = &model.feed else {
            return "Overview".to_owned();
        };
        let capture = &feed.snapshot.capture;
        let noun = if capture.frames == 1 {
            "frame"
        } else {
            "frames"
        };
        let frames = format!("{} {noun}", Grouped(capture.frames));
        let Some((first, last)) = capture.first.zip(capture.last) else {
            return "Overview".to_owned();
        };
        let [first, end] = [first, last].map(|at| Rfc3339(at).to_string());
        let part = |text: &str, from, to| text.get(from..to).unwrap_or_default().to_owned();
        let long = Short(last.since(capture.first.unwrap_or(last)));
        let ends = match part(&first, 0, 10) == part(&end, 0, 10) {
            true => part(&end, 11, 19),
            false => format!("{} {}", part(&end, 0, 10), part(&end, 11, 19)),
        };
        let (day, time) = (part(&first, 0, 10), part(&first, 11, 19));
        let rest = match model.size.0 {
            0..60 => format!("{frames}, {long}"),
            60..100 => format!("{frames} in {long}, {day} {time} to {ends}"),
            _ => format!(
                "{frames} in {long}, {day} {time} to {ends} UTC, quality {}",
                capture.grade.name()
            ),
        };
        // The tab above is called Overview already.
        let named = names(&feed.input)
            .into_iter()
            .map(|name| format!("{name}: {rest}"));
        let room = usize::from(model.size.0).saturating_sub(1);
        let mut fits = named.filter(|title| width(&Escaped(title).to_string()) <= room);
        fits.next().unwrap_or_else(|| format!("Overview: {rest}"))
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("open")
    }

    fn act(&self, model: &mut Model, _: &Place, action: Action) -> Option<Vec<Command>> {
        match action {
            Action::Up => go(model, |at| at.saturating_sub(1)),
            Action::Down => go(model, |at| at + 1),
            Action::PageUp => go(model, |at| at.saturating_sub(8)),
            Action::PageDown => go(model, |at| at + 8),
            Action::First => go(model, |_| 0),
            Action::Last => go(model, |_| usize::MAX),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        let Some(plan) = plan(model) else {
            return Vec::new();
        };
        let rows = plan.rows(model);
        let Some((section, key, _)) = rows.get(chosen(model, &rows)).cloned() else {
            return Vec::new();
        };
        let Some(tab) = section.tab() else {
            return Vec::new();
        };
        model.tab = tab;
        model.ways[tab] = vec![Level::new(TABS[tab].place.clone())];
        model.refresh();
        model.with_table(|table, rows, page| table.choose(&key, rows, page));
        match (section, key) {
            (Section::Servers, RowIdentity::Station(server)) => {
                model.open(Place::Operations(server))
            }
            (Section::Clients, RowIdentity::Station(client)) => {
                model.open(Place::Conversations(Some(client)));
            }
            // Why it was raised stands below the table.
            _ => {}
        }
        Vec::new()
    }

    fn click(&self, model: &mut Model, _: &Place, (_, y): (u16, u16)) -> bool {
        let Some(plan) = plan(model) else {
            return false;
        };
        let rows = plan.rows(model);
        let at = rows.iter().position(|(_, _, line)| *line == y);
        if let Some(at) = at {
            go(model, |_| at);
        }
        true
    }

    fn draw(&self, model: &Model, _: &Place, body: Rect, buffer: &mut Buffer) {
        let Some(feed) = &model.feed else { return };
        let context = model.context();
        let plan = Plan::new(model, feed, body);
        for (line, y) in plan.head.iter().zip(body.y..body.bottom()) {
            let area = band(body, y, 1);
            head::draw(line, &context, area, buffer);
        }
        charts::draw(model, feed, plan.charts, buffer);
        let shown = plan.rows(model);
        let chosen = shown.get(chosen(model, &shown));
        let since = match model.window {
            Some(_) => " since start",
            None => "",
        };
        for (section, area) in &plan.sections {
            let Some(rows) = section.rows(model) else {
                continue;
            };
            if plan.ruled {
                let page = table::page(plan.table(*area), rows.as_ref());
                rule(
                    buffer,
                    *area,
                    &section.title(rows.len(), page, since),
                    &context,
                );
            }
            let key = chosen
                .filter(|(s, _, _)| s == section)
                .map(|(_, key, _)| key);
            table::preview(rows.as_ref(), key, &context, plan.table(*area), buffer);
            if !plan.ruled {
                section.says_more(rows.as_ref(), *area, &context, buffer);
            }
        }
        if plan.sections.is_empty() {
            let said = "No request to a file server and no symptom yet.";
            let y = plan.charts.bottom().max(body.y + plan.head.len() as u16);
            let rest = band(body, y, body.bottom().saturating_sub(y));
            wrapped(buffer, rest, said, context.theme.dim);
        }
        protocols(model, feed, plan.foot, buffer);
    }
}

/// In how many of all frames each protocol is.
fn protocols(model: &Model, feed: &Feed, area: Rect, buffer: &mut Buffer) {
    if area.height == 0 {
        return;
    }
    let snapshot = &feed.snapshot;
    let frames = snapshot.capture.frames;
    let mut all: Vec<&(&str, u64)> = snapshot.protocols.iter().collect();
    all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let named: Vec<String> = all
        .iter()
        .map(|(name, n)| format!("{name} {}", Percent(*n, frames)))
        .collect();
    let said = |shown: usize| {
        let more = match named.len() - shown {
            0 => String::new(),
            more => format!("  and {more} more"),
        };
        format!("Of all frames: {}{more}", named[..shown].join("  "))
    };
    let room = usize::from(area.width);
    let fits = (0..=named.len())
        .rev()
        .map(said)
        .find(|text| width(text) <= room);
    let text = fits.unwrap_or_default();
    let dim = model.palette.theme().dim;
    put(buffer, (area.x, area.y), area.width, &text, dim);
}
