//! The report as one HTML file for people: nothing in it is fetched from elsewhere, and all of it
//! can be read on a telephone, on paper and by ear. One script runs in it, which sorts tables by
//! the column that a reader chooses; without it, nothing is missing.
//!
//! Its size has a bound: every table and plot has a greatest number of rows, and what is left
//! out is counted. Whatever a plot shows carries its value as the JSON report has it
//! (`data-n`), below the place where it stands there (`data-json`).

mod capture;
mod clock;
mod compare;
mod configurations;
mod counters;
mod distribution;
mod ladder;
mod ledger;
mod load;
mod markup;
mod segment;
mod slowest;
mod stations;
mod svg;
mod symptoms;
mod table;
mod timeline;

use crate::about::About;
use crate::counters::Samples;
use crate::ladder::Ladder;
use crate::table::Table;
use crate::text;
use crate::time::Digits;
use askama::Template;
use markup::Page;
use std::io::{self, Write};
use wirewait_analysis::Snapshot;
use wirewait_judge::Verdict;

const STYLE: &str = include_str!("style.css");

/// The SHA-256 of the style, in Base64: it is the only thing that a browser may use.
const STYLE_HASH: &str = "pZd9ciJIWdhIQnHCg5GNEnHGVkDtPIaTTXHv8vt339E=";

/// Sorts tables.
const SCRIPT: &str = include_str!("sort.js");

/// The SHA-256 of the script, in Base64: it is the only one that a browser runs.
const SCRIPT_HASH: &str = "YcT25f9nJABFqd2cDWlF0ztEr3idpZtEhTWVYmNo8IA=";

/// Rows of a table of servers' operations.
const OPERATIONS: usize = 40;
/// Tables of servers.
const SERVERS: usize = 20;
/// Rows of all other tables.
const ROWS: usize = 50;

pub use compare::compare;

/// The conversation to draw.
#[derive(Clone, Copy, Debug)]
pub enum Conversation<'a> {
    /// These frames of it.
    Drawn(&'a Ladder),
    /// None, for this reason.
    Absent(&'a str),
}

/// What the page shows besides the figures of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Further<'a> {
    /// The conversation to draw.
    pub conversation: Conversation<'a>,
    /// Performance Monitor's counters.
    pub counters: Metered<'a>,
}

/// The counters of the page.
#[derive(Clone, Copy, Debug)]
pub enum Metered<'a> {
    /// These samples.
    Sampled(&'a Samples),
    /// None, for this reason.
    Absent(&'a str),
}

/// Writes the report.
///
/// # Errors
/// What `out` says.
pub fn report(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    further: Further<'_>,
) -> io::Result<()> {
    let mut body = Body::default();
    if !snapshot.ledgers.is_empty() {
        body.section("ledger", "Where the time went", |page| {
            ledger::ledgers(page, snapshot);
        });
    }
    if !snapshot.symptoms.found.is_empty() {
        body.section("symptoms", "Symptoms", |page| {
            symptoms::symptoms(page, about, snapshot);
        });
    }
    body.section("servers", "Servers", |page| servers(page, snapshot));
    if timeline::is_drawn(&snapshot.load) {
        body.section("over-time", "Over time", |page| {
            timeline::timeline(page, snapshot);
        });
    }
    if snapshot.distribution.response_time.n() > 0 {
        body.section("distribution", "How long it took", |page| {
            distribution::distributions(page, &snapshot.distribution);
        });
    }
    if !snapshot.stations.is_empty() {
        body.section("stations", "Stations", |page| {
            stations::stations(page, snapshot)
        });
    }
    if load::is_drawn(&snapshot.load) {
        body.section("load", "Load", |page| load::load(page, snapshot));
    }
    if snapshot.segment.together.captured.frames > 0 {
        body.section("segment", "Segment", |page| {
            segment::segment(page, about, snapshot);
        });
    }
    let efficiency = efficiency(snapshot);
    if !efficiency.is_empty() {
        body.section("efficiency", "Efficiency", |page| {
            for (title, table) in &efficiency {
                table::titled(page, title, table, ROWS, table.len().saturating_sub(ROWS));
            }
            page.leaf("h3", &[], "What the columns mean");
            capture::list(page, &text::efficiency::notes(snapshot));
        });
    }
    if snapshot.capture.frames > 0 {
        body.section("counters", "Counters", |page| match further.counters {
            Metered::Sampled(samples) => counters::counters(page, samples),
            Metered::Absent(why) => page.leaf("p", &[], why),
        });
    }
    let routers = routers(snapshot);
    if !routers.is_empty() {
        body.section("routers", "Routers", |page| {
            for (title, table, rows) in &routers {
                let more = rows.saturating_sub(table.len().min(ROWS));
                table::titled(page, title, table, ROWS, more);
            }
        });
    }
    for (heading, table, more) in text::places::tables(snapshot, ROWS, Digits::Three) {
        let id = match heading {
            "Users" => "users",
            "Shares" => "shares",
            _ => "files",
        };
        body.section(id, heading, |page| {
            table::table(page, heading, &table, ROWS);
            table::more(page, more);
        });
    }
    for statistic in snapshot.statistics.iter().filter(|s| !s.rows.is_empty()) {
        body.section(statistic.name, statistic.title, |page| {
            let rows = text::statistics::table(statistic, ROWS, Digits::Three);
            table::table(page, statistic.title, &rows, ROWS);
            table::more(page, statistic.rows.len().saturating_sub(rows.len()));
            for sentence in text::statistics::notes(statistic) {
                page.leaf("p", &[], sentence);
            }
        });
    }
    if snapshot.longest_requests().next().is_some() {
        body.section("slowest", "Slowest requests", |page| {
            slowest::slowest(page, about, snapshot);
        });
    }
    // What is drawn is a request with a response.
    if !snapshot.slowest.is_empty() {
        body.section(
            "ladder",
            "A conversation, frame by frame",
            |page| match further.conversation {
                Conversation::Drawn(drawn) => ladder::ladder(page, about, drawn),
                Conversation::Absent(why) => page.leaf("p", &[], why),
            },
        );
    }
    body.section("capture", "Capture", |page| {
        capture::capture(page, about, snapshot);
    });
    body.section("reading", "How to read the figures", |page| {
        reading(page, snapshot);
    });
    let first = |page: &mut Page| {
        verdict(page, snapshot);
        ledger::headline(page, snapshot);
        symptoms::headline(page, about, snapshot);
        capture::headline(page, snapshot);
    };
    let page = document(&title(about), first, body);
    out.write_all(page.finish().as_bytes())
}

/// The sections, and what they are called.
#[derive(Debug, Default)]
struct Body {
    page: Page,
    contents: Vec<(&'static str, &'static str)>,
}

#[derive(Template)]
#[template(path = "section.html")]
struct SectionPart {
    id: &'static str,
    title: &'static str,
    inside: String,
}

impl Body {
    fn section(&mut self, id: &'static str, title: &'static str, inside: impl FnOnce(&mut Page)) {
        let inside = Page::part(inside);
        self.page.template(&SectionPart { id, title, inside });
        self.page.line();
        self.contents.push((id, title));
    }
}

/// The page: its title, what stands first, and the sections.
#[derive(Template)]
#[template(path = "page.html")]
struct WholePage<'a> {
    title: &'a str,
    policy: String,
    style: &'static str,
    script: &'static str,
    /// Patterns of the bars.
    patterns: String,
    first: String,
    contents: Vec<(&'static str, &'static str)>,
    main: String,
}

fn document(title: &str, first: impl FnOnce(&mut Page), body: Body) -> Page {
    let mut page = Page::default();
    page.template(&WholePage {
        title,
        policy: format!(
            "default-src 'none'; style-src 'sha256-{STYLE_HASH}'; script-src \
             'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'"
        ),
        style: STYLE,
        script: SCRIPT,
        patterns: Page::part(ledger::patterns),
        first: Page::part(first),
        contents: body.contents,
        main: body.page.finish(),
    });
    page.line();
    page
}

/// What the report is called.
fn title(about: &About) -> String {
    let named = match about.files.as_slice() {
        [] => "a capture".to_owned(),
        [one] => one.clone(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    };
    format!("wirewait report: {named}")
}

#[derive(Template)]
#[template(path = "verdict.html")]
struct VerdictPart {
    sentence: String,
    shares: Option<String>,
    when: Option<String>,
    by_design: Option<String>,
    outside: Option<String>,
    position: Option<String>,
    doubts: Vec<String>,
}

fn verdict(page: &mut Page, snapshot: &Snapshot) {
    let verdict = Verdict::on(snapshot);
    page.template(&VerdictPart {
        sentence: crate::verdict::sentence(&verdict),
        shares: crate::verdict::shares(&verdict, Digits::Three),
        when: crate::verdict::when(&verdict, Digits::Three),
        by_design: crate::verdict::by_design(&verdict, Digits::Three),
        outside: crate::text::why::outside(&verdict, Digits::Three),
        position: crate::verdict::notable_position(&verdict, Digits::Three),
        doubts: crate::verdict::doubts(&verdict).collect(),
    });
}

fn servers(page: &mut Page, snapshot: &Snapshot) {
    if snapshot.servers.is_empty() {
        page.leaf(
            "p",
            &[],
            "No request to a file server was found. `wirewait protocols` lists the protocols.",
        );
    }
    let tables = text::servers::tables(snapshot, Digits::Three);
    for (title, table) in tables.iter().take(SERVERS) {
        let more = table.len().saturating_sub(OPERATIONS);
        table::titled(page, title, table, OPERATIONS, more);
    }
    table::more(page, tables.len().saturating_sub(SERVERS));
}

/// Frames and bytes that a transaction costs.
fn efficiency(snapshot: &Snapshot) -> Vec<(&'static str, Table)> {
    use text::efficiency::{acks, operations, rates, spent};
    [
        ("Frames and bytes by server", spent(snapshot, Digits::Three)),
        ("Acknowledgements", acks(snapshot)),
        ("Frames and bytes by operation", operations(snapshot)),
        ("File data per second", rates(snapshot)),
    ]
    .into_iter()
    .filter(|(_, table)| !table.is_empty())
    .collect()
}

/// What routers carried and told, each with how many rows there are.
fn routers(snapshot: &Snapshot) -> Vec<(&'static str, Table, usize)> {
    use text::load::routers::{hops_table, routes_table, services_table, transits_table};
    let load = &snapshot.load;
    let passed = load.hops.iter().any(|row| row.hops > 0);
    [
        (
            "Requests by routers passed",
            hops_table(snapshot, Digits::Three),
            if passed { load.hops.len() } else { 0 },
        ),
        (
            "Packets captured on both sides of routers",
            transits_table(snapshot, Digits::Three),
            load.transits.len(),
        ),
        (
            "Networks announced by routers",
            routes_table(snapshot),
            load.routes.len(),
        ),
        (
            "Servers announced by routers",
            services_table(snapshot),
            load.services.len(),
        ),
    ]
    .into_iter()
    .filter(|(.., rows)| *rows > 0)
    .collect()
}

fn reading(page: &mut Page, snapshot: &Snapshot) {
    let excluded = text::reading::table(snapshot);
    if !excluded.is_empty() {
        page.leaf("h3", &[], "Left out of statistics");
        table::table(page, "Left out of statistics", &excluded, ROWS);
        page.leaf("h3", &[], "Definitions and settings");
    }
    capture::list(page, &text::reading::entries(snapshot));
}

#[cfg(test)]
mod tests;
