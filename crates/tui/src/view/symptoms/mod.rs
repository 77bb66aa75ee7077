//! What is wrong, ranked by the time that somebody lost: what it is, what speaks for it, what to
//! try first.

use super::servers::saturated;
use super::{View, below, draw_table, rule};
use crate::context::of_last;
use crate::model::Model;
use crate::place::Place;
use crate::state::Pane;
use crate::table::{AnyRows, Cell, Column, Head, List, RowIdentity, columns_of};
use crate::text::{self, band, put};
use crate::theme::Tone;
use crate::{Command, Feed};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::cmp::Reverse;
use wirewait_analysis::{Lost, Severity, Sight, Sights, State, Symptom};
use wirewait_report::Rfc3339;
use wirewait_report::words::{
    Grouped, Short, cost, counted, judged, lasted, names, often, places, subject, threshold, why,
};
use wirewait_wire::Timestamp;

pub(super) struct Symptoms;

/// Frames that are asked for around one place at most.
const FRAMES: u64 = 200;

pub(super) struct SymptomRow<'m> {
    symptom: &'m Symptom,
    feed: &'m Feed,
    seen: RowPeriod,
    /// When the window begins.
    from: Option<Timestamp>,
}

/// Of what time a row is.
#[derive(Clone, Copy)]
enum RowPeriod {
    /// Of all the capture, as everything else.
    SinceStart,
    /// Of all the capture, because no moment is one at which it cost something.
    Undated,
    /// Of the window.
    Window(Lost),
}

impl SymptomRow<'_> {
    /// What it cost and how often it was seen.
    fn lost(&self) -> Lost {
        match self.seen {
            RowPeriod::Window(lost) => lost,
            RowPeriod::SinceStart | RowPeriod::Undated => Lost {
                times: self.symptom.hits.count,
                cost_ns: self.symptom.hits.cost_ns,
            },
        }
    }

    fn often(&self) -> String {
        match self.seen {
            RowPeriod::SinceStart => often(self.symptom),
            RowPeriod::Undated => format!("since start {}", often(self.symptom)),
            RowPeriod::Window(lost) => format!("({})", Grouped(lost.times)),
        }
    }

    /// The most expensive places, up to a limit: those of the window if one is chosen.
    fn places(&self, most: usize) -> String {
        match self
            .from
            .filter(|_| matches!(self.seen, RowPeriod::Window(_)))
        {
            Some(from) => places(&since(self.symptom, from), most),
            None => places(&self.symptom.hits, most),
        }
    }

    /// By what rows of a window are ranked: by what was lost in it.
    fn rank(&self) -> impl Ord + use<> {
        let class = match self.symptom.state {
            State::Raised => 0,
            State::Withdrawn(_) => 1,
            State::Covered(_) => 2,
            State::Below => 3,
            State::TooFew => 4,
        };
        let lost = self.lost();
        let undated = matches!(self.seen, RowPeriod::Undated);
        (
            class,
            self.symptom.rule.outside_active_time(),
            undated,
            Reverse((lost.cost_ns, self.symptom.rule.severity, lost.times)),
        )
    }
}

/// What is shown, in its order; and how many were not seen in the window.
fn select<'m>(model: &'m Model, feed: &'m Feed) -> (Vec<SymptomRow<'m>>, u64) {
    // What is below its threshold comes last, and is dim.
    let found = &feed.snapshot.symptoms.found;
    let all = found
        .iter()
        .filter(|s| shown(s))
        .chain(found.iter().filter(|s| !shown(s)));
    let from = model.context().window(&feed.recent).begins();
    let row = |symptom, seen| SymptomRow {
        symptom,
        feed,
        seen,
        from: Some(from),
    };
    let Some(losses) = model.losses() else {
        return (all.map(|s| row(s, RowPeriod::SinceStart)).collect(), 0);
    };
    let mut hidden = 0;
    let seen = |symptom: &'m Symptom| {
        if !symptom.rule.dated() {
            return Some(row(symptom, RowPeriod::Undated));
        }
        let (hits, lost) = (&symptom.hits, losses.of(symptom));
        // No more than it cost as it was judged.
        let lost = Lost {
            times: lost.times.min(hits.count),
            cost_ns: lost.cost_ns.min(hits.cost_ns),
        };
        let doubted = symptom.against.iter().filter_map(|(_, sights)| sights.last);
        let doubted = doubted.map(|mark| mark.at).max();
        if lost == Lost::default() && doubted.is_none_or(|last| last < from) {
            hidden += 1;
            return None;
        }
        Some(row(symptom, RowPeriod::Window(lost)))
    };
    let mut rows: Vec<SymptomRow<'m>> = all.filter_map(seen).collect();
    rows.sort_by_key(SymptomRow::rank);
    (rows, hidden)
}

fn columns<'m>() -> Vec<Column<SymptomRow<'m>>> {
    columns_of![|r: &SymptomRow<'_>, context|
        Head::right("cost", 8)
            .help("Time lost to the symptom, in the window if one is chosen. The greatest cost stands first. Symptoms that come from sums have no moments: theirs is of the whole capture.")
            => toned(r, Cell::time(Some(saturated(r.lost().cost_ns))).quiet()),
        Head::left("symptom", 18).most(48).help("Title of the symptom.")
            => {
                let title = r.feed.about.texts.title(r.symptom.rule.id).to_owned();
                toned(r, Cell::text(title))
            },
        Head::left("of", 15).rank(1).most(60).grows().help("The stations or the file that it concerns.")
            => toned(r, Cell::text(subject(&r.symptom.subject))),
        Head::left("how often", 12).rank(2).most(32)
            .help("Number of events, and of how many; in the window if one is chosen.")
            => toned(r, Cell::text(r.often())),
        Head::left("judged", 9).rank(4)
            .help("Raised; withdrawn, because another cause explains it; covered by a graver symptom; below its threshold; or too few events to judge.")
            => toned(r, Cell::text(judged_in_short(&r.symptom.state))),
        Head::left("frames", 10).rank(3).most(32).help("First and last frame of the most expensive places.")
            => toned(r, Cell::text(r.places(2))),
        Head::right("first", 7).rank(6).help("Time of the first event, since the beginning of the capture.")
            => {
                let first = r.symptom.hits.first.map(|mark| mark.at);
                let since = first.and_then(|at| Some(at.since(context.first?)));
                toned(r, Cell::time(since))
            },
        Head::right("last", 7).rank(5).help("Time of the last event, since the beginning of the capture.")
            => {
                let last = r.symptom.hits.last.map(|mark| mark.at);
                let since = last.and_then(|at| Some(at.since(context.first?)));
                toned(r, Cell::time(since))
            },
    ]
}

/// In words, where outputs for programs have a name.
fn judged_in_short(state: &State) -> &'static str {
    match state {
        State::TooFew => "too few",
        other => other.name(),
    }
}

/// What was not raised, or is not of the window, is of less interest; what is grave, of more.
fn toned(row: &SymptomRow<'_>, cell: Cell) -> Cell {
    cell.toned(
        match (row.seen, row.symptom.state, row.symptom.rule.severity) {
            (RowPeriod::Undated, ..) => Tone::Dim,
            (_, State::Raised, Severity::Diagnosis) => Tone::Bad,
            (_, State::Raised, Severity::Symptom) => Tone::Plain,
            _ => Tone::Dim,
        },
    )
}

/// Those that are raised, in short.
pub(super) fn raised(model: &Model) -> Option<List<SymptomRow<'_>>> {
    let feed = model.feed.as_ref()?;
    let row = |symptom| SymptomRow {
        symptom,
        feed,
        seen: RowPeriod::SinceStart,
        from: None,
    };
    Some(List {
        columns: columns_of![|r: &SymptomRow<'_>, context|
            Head::right("cost", 8)
                => toned(r, Cell::time(Some(saturated(r.lost().cost_ns))).quiet()),
            Head::left("symptom", 16).most(40)
                => toned(
                    r,
                    Cell::text(r.feed.about.texts.title(r.symptom.rule.id).to_owned()),
                ),
            Head::left("of", 16).most(60).grows()
                => toned(r, Cell::text(subject(&r.symptom.subject))),
            Head::left("how often", 9).rank(1).most(32)
                => toned(r, Cell::text(r.often())),
        ],
        rows: feed.snapshot.symptoms.raised().map(row).collect(),
        key: |row: &SymptomRow<'_>| RowIdentity::Symptom(row.symptom.rule.id, row.symptom.subject),
        sorted: None,
        empty: "No symptom.",
    })
}

/// Raised ones and those that would be, were it not for something else.
fn shown(symptom: &Symptom) -> bool {
    !matches!(symptom.state, State::Below | State::TooFew)
}

/// What was seen of it since then, of the entries in memory.
fn since(symptom: &Symptom, from: Timestamp) -> Sights {
    let kept = symptom.hits.kept();
    kept.filter(|sight| sight.until.max(sight.to.at) >= from)
        .copied()
        .collect()
}

/// The place that cost most, of those of which the frames are known.
fn dearest(symptom: &Symptom) -> Option<&Sight> {
    let kept = symptom.hits.kept();
    kept.max_by_key(|sight| (sight.cost_ns, std::cmp::Reverse(sight.from.frame)))
}

fn chosen(model: &Model) -> Option<&Symptom> {
    let Some(RowIdentity::Symptom(id, subject)) = model.level().table.chosen_key() else {
        return None;
    };
    let mut found = model.feed.as_ref()?.snapshot.symptoms.found.iter();
    found.find(|symptom| symptom.rule.id == *id && symptom.subject == *subject)
}

impl View for Symptoms {
    fn name(&self) -> &'static str {
        "symptoms"
    }

    fn title(&self, model: &Model, _: &Place) -> String {
        let Some(feed) = &model.feed else {
            return "Symptoms".to_owned();
        };
        let all = &feed.snapshot.symptoms;
        let quiet = all.found.iter().filter(|s| !shown(s)).count() as u64;
        let mut title = "Symptoms".to_owned();
        let (_, hidden) = select(model, feed);
        if let Some(seconds) = model.window {
            let window = model.context().window(&feed.recent);
            let last = of_last(&window, seconds);
            title.push_str(&format!(", cost in the last {last}; judged since start"));
            let whole = feed.symptoms.whole_from();
            if let Some(from) = whole.filter(|from| *from > window.begins()) {
                let kept = window.ends().since(from) / 1_000_000_000;
                title.push_str(&format!("; kept of the last {kept} s only"));
            }
        }
        for (n, what) in [
            (hidden, "not seen then"),
            (quiet, "below their thresholds (dim)"),
            (all.more, "more"),
        ] {
            if n > 0 {
                title.push_str(&format!("; {} {what}", Grouped(n)));
            }
        }
        title
    }

    fn rows<'m>(&self, model: &'m Model, _: &'m Place) -> Option<Box<dyn AnyRows + 'm>> {
        let feed = model.feed.as_ref()?;
        Some(Box::new(List {
            columns: columns(),
            rows: select(model, feed).0,
            key: |row: &SymptomRow<'_>| {
                RowIdentity::Symptom(row.symptom.rule.id, row.symptom.subject)
            },
            sorted: None,
            empty: match model.window {
                None => "No symptom.",
                Some(_) => "No symptom in this time.",
            },
        }))
    }

    fn table_area(&self, _: &Model, _: &Place, body: Rect) -> Rect {
        split(body).0
    }

    fn opens(&self, _: &Place) -> Option<&'static str> {
        Some("frames")
    }

    fn enter(&self, model: &mut Model, _: &Place) -> Vec<Command> {
        let Some(symptom) = chosen(model) else {
            return Vec::new();
        };
        let Some(dearest) = dearest(symptom) else {
            model.say("no single frame shows it: it comes from sums over the whole capture");
            return Vec::new();
        };
        let range = |sight: &Sight| {
            let (from, to) = (sight.from.frame, sight.to.frame.max(sight.from.frame));
            from..=to.min(from.saturating_add(FRAMES - 1))
        };
        let first = range(dearest);
        let mut places: Vec<_> = symptom.hits.kept().map(range).collect();
        places.dedup();
        let place = places.iter().position(|place| *place == first);
        let pane = Pane::at(places, place.unwrap_or(0));
        let asks = pane.asks();
        model.open(Place::Frames(pane.title()));
        model.level_mut().pane = pane;
        asks
    }

    fn draw(&self, model: &Model, place: &Place, body: Rect, buffer: &mut Buffer) {
        draw_table(model, place, body, buffer);
        let below = split(body).1;
        let lines = u16::try_from(model.changes.len() + 1).unwrap_or(u16::MAX);
        let lines = match model.changes.is_empty() || below.height < 10 {
            true => 0,
            false => lines.min(below.height / 3),
        };
        let (above, log) = (below.height - lines, lines);
        let upper = Rect {
            height: above,
            ..below
        };
        if let Some(symptom) = chosen(model) {
            explained(model, symptom, upper, buffer);
        }
        let lower = band(below, upper.bottom(), log);
        changes(model, lower, buffer);
    }
}

/// Which symptoms appeared and went, the latest first.
fn changes(model: &Model, area: Rect, buffer: &mut Buffer) {
    let Some(feed) = model.feed.as_ref().filter(|_| area.height > 0) else {
        return;
    };
    let context = model.context();
    rule(
        buffer,
        area,
        "raised and withdrawn, the latest first",
        &context,
    );
    for (change, y) in model.changes.iter().rev().zip(area.y + 1..area.bottom()) {
        let at = Rfc3339(change.at).to_string();
        let (what, style) = match change.appeared {
            true => ("raised", context.theme.warn),
            false => ("withdrawn", context.theme.dim),
        };
        let said = format!(
            "{what:9} {}, {}",
            feed.about.texts.title(change.rule),
            subject(&change.subject)
        );
        put(
            buffer,
            (area.x, y),
            8,
            at.get(11..19).unwrap_or_default(),
            context.theme.dim,
        );
        let room = area.width.saturating_sub(11);
        put(buffer, (area.x + 11, y), room, &said, style);
    }
}

/// The table, and what is said of the chosen one.
fn split(body: Rect) -> (Rect, Rect) {
    below(body, 14, (3, 5))
}

/// What it is, what speaks for it and against it, what to try.
fn explained(model: &Model, symptom: &Symptom, area: Rect, buffer: &mut Buffer) {
    let Some(feed) = model.feed.as_ref().filter(|_| area.height >= 3) else {
        return;
    };
    let context = model.context();
    let theme = context.theme;
    let texts = &feed.about.texts;
    let title = format!("{} ({})", texts.title(symptom.rule.id), symptom.rule.id);
    rule(buffer, area, &title, &context);
    let mut entries: Vec<(&str, String)> = Vec::new();
    let entry = texts.of(symptom.rule.id);
    if let Some(entry) = entry {
        entries.push(("", entry.description.clone()));
        for (n, action) in entry.actions.iter().enumerate() {
            let name = if n == 0 { "try first" } else { "then" };
            entries.push((name, action.clone()));
        }
    }
    if symptom.state != State::Raised {
        entries.push(("judged", judged(&symptom.state, texts)));
    }
    let thresholds = &feed.snapshot.symptoms.thresholds;
    entries.push(("for", counted(symptom, thresholds)));
    entries.push(("why", why(symptom, thresholds)));
    for (why, sights) in &symptom.against {
        let times = format!("{} times: {}", Grouped(sights.count), why.text());
        entries.push(("against", times));
    }
    entries.push(("threshold", threshold(&symptom.rule.limit, thresholds)));
    if let Some((losses, (feed, seconds))) =
        model.losses().zip(model.feed.as_ref().zip(model.window))
    {
        let last = of_last(&model.context().window(&feed.recent), seconds);
        let lost = losses.of(symptom);
        let said = match symptom.rule.dated() {
            true => format!(
                "{} in the last {last}, {} times",
                Short(saturated(lost.cost_ns)),
                Grouped(lost.times)
            ),
            false => "it comes from sums over the whole capture and has no moments".to_owned(),
        };
        entries.push(("in window", said));
    }
    let outside = match symptom.rule.outside_active_time() && symptom.hits.cost_ns > 0 {
        true => ", outside the active time",
        false => "",
    };
    entries.push(("cost", format!("{}{outside}", cost(symptom))));
    entries.push(("frames", places(&symptom.hits, usize::MAX)));
    if !symptom.words.is_empty() {
        let words = symptom.words.iter();
        let words = words.map(|(word, times)| format!("{word} {}", Grouped(*times)));
        entries.push(("mostly", words.collect::<Vec<_>>().join(", ")));
    }
    if let Some(names) = names(symptom) {
        entries.push(("names", names));
    }
    if let Some(lasted) = lasted(symptom) {
        entries.push(("lasted", lasted));
    }
    for cause in entry.iter().flat_map(|entry| &entry.causes) {
        entries.push(("may be", cause.clone()));
    }
    let mut y = area.y + 1;
    for (name, said) in entries {
        let indent = if name.is_empty() { 0 } else { 11 };
        let rest = Rect {
            x: area.x + indent,
            y,
            width: area.width.saturating_sub(indent),
            height: area.bottom().saturating_sub(y),
        };
        if rest.height == 0 {
            return;
        }
        put(buffer, (area.x, y), 10, name, theme.title);
        y += text::wrapped(buffer, rest, &said, theme.plain);
    }
}
