//! What is wrong: what it cost, whom, what it may come from and what to try, and how to see it.

use super::markup::Page;
use super::slowest::command;
use super::table;
use crate::about::About;
use crate::table::{Column, NOTHING, Table};
use crate::text::symptoms::{cost, judged, often, places, subject};
use crate::text::why::nearest;
use wirewait_analysis::{Snapshot, State, Symptom};

const COLUMNS: &[Column] = &[
    Column::left("of"),
    Column::right("cost"),
    Column::right("how often"),
    Column::left("frames"),
];

/// Rules whose symptoms are shown with all there is to say.
const SHOWN: usize = 12;
/// Symptoms of one rule.
const OF_ONE: usize = 20;
/// Those that were withdrawn or say what others say.
const FURTHER: usize = 30;
/// Places of one that are named.
const PLACES: usize = 6;
/// Symptoms that the beginning of the document names.
const FIRST: usize = 3;

/// The most expensive ones and what to try first, for the beginning of the document.
pub(super) fn headline(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let groups = by_rule(snapshot);
    if groups.is_empty() {
        return none(page, about, snapshot);
    }
    page.within("ul", &[("class", &"first")], |page| {
        for group in groups.iter().take(FIRST) {
            let rule = group[0].rule;
            page.within("li", &[], |page| {
                page.within(
                    "a",
                    &[("href", &format_args!("#symptom-{}", rule.id))],
                    |page| {
                        page.text(about.texts.title(rule.id));
                    },
                );
                page.text(format_args!(
                    ": {}, {}",
                    subject(&group[0].subject),
                    lost(group[0])
                ));
                if let Some(more) = group.len().checked_sub(1).filter(|more| *more > 0) {
                    page.text(format_args!(", and {more} more"));
                }
                let texts = about.texts.of(rule.id);
                if let Some(action) = texts.and_then(|texts| texts.actions.first()) {
                    page.text(format_args!(". Try first: {action}"));
                }
            });
        }
    });
}

/// That there is none, and what came nearest to being one.
fn none(page: &mut Page, about: &About, snapshot: &Snapshot) {
    match nearest(&snapshot.symptoms, &about.texts) {
        Some(nearest) => {
            page.leaf("p", &[], format_args!("Symptoms: none; nearest: {nearest}"));
        }
        None => page.leaf("p", &[], "Symptoms: none"),
    }
}

pub(super) fn symptoms(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let all = &snapshot.symptoms;
    let groups = by_rule(snapshot);
    if groups.is_empty() {
        none(page, about, snapshot);
    }
    for group in groups.iter().take(SHOWN) {
        of_rule(page, about, group);
    }
    let further: usize = groups.iter().skip(SHOWN).map(Vec::len).sum();
    let evicted = usize::try_from(all.more).unwrap_or(usize::MAX);
    table::more(page, further.saturating_add(evicted));
    let others = || {
        let found = all.found.iter();
        found.filter(|s| matches!(s.state, State::Withdrawn(_) | State::Covered(_)))
    };
    if others().next().is_some() {
        page.within("details", &[], |page| {
            page.leaf("summary", &[], "Withdrawn, or covered by another symptom");
            page.within("ul", &[], |page| {
                for symptom in others().take(FURTHER) {
                    page.leaf(
                        "li",
                        &[],
                        format_args!(
                            "{}, {}, {}: {}",
                            about.texts.title(symptom.rule.id),
                            subject(&symptom.subject),
                            often(symptom),
                            judged(&symptom.state, &about.texts)
                        ),
                    );
                }
            });
            table::more(page, others().count().saturating_sub(FURTHER));
        });
    }
    page.leaf(
        "p",
        &[("class", &"note")],
        "How each was judged, with its thresholds:",
    );
    page.leaf("pre", &[], command(about, &["report", "--explain"]));
}

/// Raised symptoms, those of one rule together; the most expensive rule first.
fn by_rule(snapshot: &Snapshot) -> Vec<Vec<&Symptom>> {
    let mut groups: Vec<Vec<&Symptom>> = Vec::new();
    for symptom in snapshot.symptoms.raised() {
        match groups
            .iter_mut()
            .find(|group| group[0].rule.id == symptom.rule.id)
        {
            Some(group) => group.push(symptom),
            None => groups.push(vec![symptom]),
        }
    }
    groups
}

fn lost(symptom: &Symptom) -> String {
    match cost(symptom).as_str() {
        NOTHING => often(symptom),
        cost => format!("{cost} lost"),
    }
}

fn of_rule(page: &mut Page, about: &About, group: &[&Symptom]) {
    let rule = group[0].rule;
    let title = about.texts.title(rule.id);
    page.within("article", &[("class", &"symptom")], |page| {
        page.leaf("h3", &[("id", &format_args!("symptom-{}", rule.id))], title);
        let texts = about.texts.of(rule.id);
        if let Some(texts) = texts {
            page.leaf("p", &[], &texts.description);
        }
        page.leaf(
            "p",
            &[("class", &"note")],
            format_args!(
                "Counted: {}. Severity: {}.",
                rule.counts,
                rule.severity.name()
            ),
        );
        let mut rows = Table::new(COLUMNS);
        for symptom in group.iter().take(OF_ONE) {
            rows.row(vec![
                subject(&symptom.subject),
                cost(symptom),
                often(symptom),
                places(&symptom.hits, PLACES),
            ]);
        }
        table::table(page, title, &rows, OF_ONE);
        table::more(page, group.len().saturating_sub(OF_ONE));
        page.within("details", &[], |page| {
            page.leaf("summary", &[], "Causes, what to try, and the frames");
            if let Some(texts) = texts {
                for (title, lines) in [
                    ("Possible causes", &texts.causes),
                    ("What to try", &texts.actions),
                ] {
                    if lines.is_empty() {
                        continue;
                    }
                    page.leaf("h4", &[], title);
                    page.within("ul", &[], |page| {
                        for line in lines {
                            page.leaf("li", &[], line);
                        }
                    });
                }
            }
            page.leaf("h4", &[], "Frames");
            for symptom in group.iter().take(OF_ONE) {
                page.leaf("pre", &[], check(about, symptom));
            }
        });
    });
}

/// The command that shows the frames.
fn check(about: &About, symptom: &Symptom) -> String {
    let mut frames: Vec<u64> = symptom
        .hits
        .kept()
        .flat_map(|sight| [sight.from.frame, sight.to.frame])
        .collect();
    frames.sort_unstable();
    frames.dedup();
    frames.truncate(2 * PLACES);
    let frames: Vec<String> = frames.iter().map(u64::to_string).collect();
    command(about, &["decode", "-F", &frames.join(",")])
}
