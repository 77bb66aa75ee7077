//! Several captures against one of them, as a page.

use super::markup::Page;
use super::{Body, capture, configurations, distribution, document, ledger, table};
use crate::compare::Compared;
use crate::compare::doubts::doubts;
use crate::compare::tables::{configurations_table, figures_table, groups_table};
use crate::compare::text::{CONFIGURATIONS, FELL_BACK, counted, headline, most_changed, notes};
use crate::compare::words::{at_load, parts};
use std::io::{self, Write};
use wirewait_analysis::{Distributions, Histogram, Load};
use wirewait_judge::compare::By;

/// Captures with plots of their own.
const CAPTURES: usize = 8;

/// Writes the comparison.
///
/// # Errors
/// What `out` says.
pub fn compare(out: &mut impl Write, compared: &Compared<'_>) -> io::Result<()> {
    let all = compared.configurations;
    let mut body = Body::default();
    let (heading, figures) = match all.len() {
        ..=2 => figures_table(compared),
        _ => (CONFIGURATIONS.to_owned(), configurations_table(compared)),
    };
    body.section("figures", "Figures", |page| {
        page.leaf("h3", &[], &heading);
        table::table(page, &heading, &figures, usize::MAX);
    });
    if all
        .iter()
        .any(|one| one.snapshot.distribution.response_time.n() > 0)
    {
        body.section("distribution", "How long it took", |page| {
            distributions(page, compared);
        });
    }
    let mut by_load = Page::default();
    let loads: Vec<(String, &Load)> = each(compared)
        .map(|(name, one)| (name, &one.snapshot.load))
        .collect();
    if configurations::configurations(&mut by_load, &loads) {
        body.section("load", "By active stations", |page| page.insert(by_load));
    }
    groups(&mut body, compared);
    body.section("reading", "How to read it", |page| {
        for line in notes(compared) {
            page.leaf("p", &[], line);
        }
    });
    let names: Vec<String> = each(compared).map(|(name, _)| name).collect();
    let title = format!("wirewait comparison: {}", names.join(", "));
    let page = document(&title, |page| first(page, compared), body);
    out.write_all(page.finish().as_bytes())
}

/// The captures with plots, by name.
fn each<'a>(
    compared: &'a Compared<'_>,
) -> impl Iterator<Item = (String, &'a crate::compare::Configuration)> {
    let all = compared.configurations.iter().take(CAPTURES).enumerate();
    all.map(|(place, one)| (compared.name(place), one))
}

/// The verdict, and where the time of each went.
fn first(page: &mut Page, compared: &Compared<'_>) {
    let verdicts = &compared.comparison.verdicts;
    for at in compared.at.iter() {
        (0..verdicts.len()).for_each(|number| {
            page.leaf(
                "p",
                &[("class", &"verdict")],
                at_load(compared, number, *at),
            );
        });
    }
    page.leaf("p", &[("class", &"verdict")], headline(compared));
    if verdicts.len() > 1 {
        page.leaf("p", &[("class", &"note")], counted(compared));
    }
    let number = match verdicts.len() {
        0 | 1 => Some(0),
        _ => most_changed(compared),
    };
    let parts = number.and_then(|number| parts(verdicts.get(number)?, compared.digits));
    if let Some(line) = parts {
        page.leaf("p", &[("class", &"note")], line);
    }
    let doubts = number.map_or_else(Vec::new, |number| doubts(compared, number));
    if !doubts.is_empty() {
        page.within("ul", &[("class", &"doubts")], |page| {
            doubts.iter().for_each(|doubt| page.leaf("li", &[], doubt));
        });
    }
    for (n, (name, one)) in each(compared).enumerate() {
        ledger::configuration(page, n, &name, &one.snapshot);
    }
    table::more(page, compared.configurations.len().saturating_sub(CAPTURES));
    for (name, one) in each(compared) {
        capture::line(page, &name, &one.snapshot);
    }
}

fn distributions(page: &mut Page, compared: &Compared<'_>) {
    page.leaf(
        "p",
        &[("class", &"note")],
        "Requests by duration, on the same logarithmic scale for all captures. Waits by design are \
         left out.",
    );
    type Of = fn(&Distributions) -> &Histogram;
    let times: [(&str, &str, Of); 2] = [
        ("response_time", "Response time", |all| &all.response_time),
        ("turnaround", "Server turnaround", |all| &all.turnaround),
    ];
    for (id, title, of) in times {
        let captures = each(compared).map(|(name, one)| (name, of(&one.snapshot.distribution)));
        distribution::side_by_side(page, (id, title), captures);
    }
}

fn groups(body: &mut Body, compared: &Compared<'_>) {
    let verdicts = compared.comparison.verdicts.len();
    // As in text: of several captures only where the user asks for it.
    if verdicts > 1 && !compared.groups_wanted {
        return;
    }
    // By load there is one for all of them, beside its plots.
    if verdicts > 1 && compared.comparison.by == By::Load {
        return;
    }
    let tables: Vec<_> = (0..verdicts).map(|n| groups_table(compared, n)).collect();
    if tables.iter().all(|(_, table, _)| table.is_empty()) {
        return;
    }
    body.section("groups", "What changed", |page| {
        if compared.comparison.fell_back {
            page.leaf("p", &[("class", &"note")], FELL_BACK);
        }
        for (heading, rows, more) in &tables {
            page.leaf("h3", &[], heading);
            table::table(page, heading, rows, usize::MAX);
            table::more(page, *more);
        }
    });
}
