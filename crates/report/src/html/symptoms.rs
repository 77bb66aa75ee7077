//! What is wrong: what it cost, whom, what it may come from and what to try, and how to see it.

use super::markup::Page;
use super::slowest::command;
use super::table;
use crate::about::About;
use crate::text::symptoms::{cost, judged, often, places, subject};
use wirewait_analysis::{Snapshot, State, Symptom};

/// Symptoms that are shown with all there is to say.
const SHOWN: usize = 12;
/// Those that were withdrawn or say what others say.
const FURTHER: usize = 30;
/// Places of one that are named.
const PLACES: usize = 6;

pub(super) fn symptoms(page: &mut Page, about: &About, snapshot: &Snapshot) {
    let all = &snapshot.symptoms;
    let raised: Vec<&Symptom> = all.raised().collect();
    if raised.is_empty() {
        page.leaf("p", &[], "None was raised.");
    }
    for symptom in raised.iter().take(SHOWN) {
        one(page, about, symptom);
    }
    let further = raised.len().saturating_sub(SHOWN);
    let evicted = usize::try_from(all.more).unwrap_or(usize::MAX);
    table::more(page, further.saturating_add(evicted));
    let others = || {
        let found = all.found.iter();
        found.filter(|s| matches!(s.state, State::Withdrawn(_) | State::Covered(_)))
    };
    if others().next().is_some() {
        page.within("details", &[], |page| {
            page.leaf("summary", &[], "Withdrawn for a reason, or said by another");
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

fn one(page: &mut Page, about: &About, symptom: &Symptom) {
    let rule = symptom.rule;
    let texts = about.texts.of(rule.id);
    page.within("article", &[("class", &"symptom")], |page| {
        page.leaf("h3", &[], about.texts.title(rule.id));
        page.within("p", &[], |page| {
            page.leaf("strong", &[], cost(symptom));
            page.text(format_args!(
                " lost; {}; {} {}; {}",
                subject(&symptom.subject),
                often(symptom),
                rule.counts,
                rule.severity.name()
            ));
        });
        let Some(texts) = texts else { return };
        page.leaf("p", &[], &texts.description);
        let evidence = [
            ("Possible causes", &texts.causes),
            ("What to try", &texts.actions),
        ];
        page.within("details", &[], |page| {
            page.leaf("summary", &[], "Causes, what to try, and the frames");
            for (title, lines) in evidence {
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
            page.leaf("h4", &[], "Frames");
            page.leaf("p", &[], places(&symptom.hits, PLACES));
            page.leaf("pre", &[], check(about, symptom));
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
