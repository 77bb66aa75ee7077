//! What is wrong: what it cost, whom, what it may come from and what to try, and how to see it.

use super::markup::Page;
use super::slowest::command;
use super::table;
use crate::about::About;
use crate::symptoms::Entry;
use crate::table::{NOTHING, Table};
use crate::text::symptoms::{by_rule, cost, costliest, judged, often, places, subject};
use crate::text::why::{beside_none, named};
use askama::Template;
use wirewait_analysis::{Snapshot, State, Symptom, Thresholds};

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

/// The most expensive symptom of a rule.
struct LeadingSymptom<'a> {
    id: &'static str,
    title: &'a str,
    subject: String,
    cost: String,
    /// Further ones of the rule; there may be more that found no room.
    more: usize,
    at_least: bool,
    action: Option<&'a String>,
}

#[derive(Template)]
#[template(path = "first.html")]
struct FirstPart<'a> {
    symptoms: Vec<LeadingSymptom<'a>>,
}

/// Raised symptoms of a rule.
#[derive(Template)]
#[template(path = "symptom.html")]
struct RulePart<'a> {
    id: &'static str,
    title: &'a str,
    texts: Option<&'a Entry>,
    counts: String,
    /// Its cost is no part of the active time.
    is_outside: bool,
    severity: &'static str,
    table: String,
    commands: Vec<String>,
}

#[derive(Template)]
#[template(path = "symptoms.html")]
struct SymptomsPart {
    raised: String,
    /// Withdrawn and covered ones.
    others: Vec<String>,
    more: String,
    command: String,
}

/// The most expensive ones and what to try first, for the beginning of the document.
pub(super) fn headline(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let groups = by_rule(&snapshot.symptoms);
    if groups.is_empty() {
        return none(page, about, snapshot);
    }
    let symptoms = groups.iter().take(FIRST).map(|group| {
        let rule = group[0].rule;
        let texts = about.texts.of(rule.id);
        LeadingSymptom {
            id: rule.id,
            title: about.texts.title(rule.id),
            subject: subject(&group[0].subject),
            cost: cost_or_count(group[0]),
            more: group.len() - 1,
            at_least: snapshot.symptoms.more > 0,
            action: texts.and_then(|texts| texts.actions.first()),
        }
    });
    page.template(&FirstPart {
        symptoms: symptoms.collect(),
    });
}

/// That there is none, and what came nearest to being one.
fn none(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let beside = beside_none(&snapshot.symptoms, &about.texts);
    page.leaf("p", &[], format_args!("Symptoms: none{beside}"));
}

pub(super) fn symptoms(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let all = &snapshot.symptoms;
    let groups = by_rule(&snapshot.symptoms);
    if groups.is_empty() {
        none(page, about, snapshot);
    }
    let raised = Page::part(|page| {
        for group in groups.iter().take(SHOWN) {
            of_rule(page, about, group, &all.thresholds);
        }
        let further: usize = groups.iter().skip(SHOWN).map(Vec::len).sum();
        let evicted = usize::try_from(all.more).unwrap_or(usize::MAX);
        table::more(page, further.saturating_add(evicted));
    });
    let found = all.found.iter();
    let others = found.filter(|s| matches!(s.state, State::Withdrawn(_) | State::Covered(_)));
    let others: Vec<String> = others
        .map(|symptom| {
            format!(
                "{}, {}, {}: {}",
                about.texts.title(symptom.rule.id),
                subject(&symptom.subject),
                often(symptom),
                judged(&symptom.state, &about.texts)
            )
        })
        .collect();
    let more = others.len().saturating_sub(FURTHER);
    page.template(&SymptomsPart {
        raised,
        others: others.into_iter().take(FURTHER).collect(),
        more: Page::part(|page| table::more(page, more)),
        command: command(about, &["report", "--explain"]),
    });
}

/// What it cost, or how often it was if that is not known.
fn cost_or_count(symptom: &Symptom) -> String {
    match cost(symptom).as_str() {
        NOTHING => often(symptom),
        cost => format!("cost {cost}"),
    }
}

fn of_rule(page: &mut Page, about: &About, group: &[&Symptom], thresholds: &Thresholds) {
    let rule = group[0].rule;
    let title = about.texts.title(rule.id);
    let first = group.get(..OF_ONE.min(group.len())).unwrap_or_default();
    let rows = Table::over(first)
        .left("of", |symptom| subject(&symptom.subject))
        .right("cost", |symptom| cost(symptom))
        .right("how often", |symptom| often(symptom))
        .left("frames", |symptom| places(&symptom.hits, PLACES))
        .table;
    let commands = first.iter();
    page.template(&RulePart {
        id: rule.id,
        title,
        texts: about.texts.of(rule.id),
        counts: match rule.limit.base() {
            Some((base, _)) => {
                format!("{}, of all {}", named(rule.counts, thresholds), base.text())
            }
            None => named(rule.counts, thresholds),
        },
        severity: rule.severity.name(),
        is_outside: rule.outside_active_time(),
        table: Page::part(|page| {
            table::table(page, title, &rows, OF_ONE);
            table::more(page, group.len().saturating_sub(OF_ONE));
        }),
        commands: commands.map(|symptom| check(about, symptom)).collect(),
    });
}

/// The command that shows the frames.
fn check(about: &About, symptom: &Symptom) -> String {
    let mut frames: Vec<u64> = costliest(&symptom.hits, PLACES)
        .into_iter()
        .flat_map(|sight| [sight.from.frame, sight.to.frame])
        .collect();
    frames.sort_unstable();
    frames.dedup();
    let frames: Vec<String> = frames.iter().map(u64::to_string).collect();
    command(about, &["decode", "-F", &frames.join(",")])
}
