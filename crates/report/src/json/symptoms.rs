//! Key `symptoms`.

use crate::about::About;
use crate::escape::Escaped;
use crate::symptoms::Entry;
use crate::time::Rfc3339;
use serde::Serialize;
use std::collections::BTreeMap;
use wirewait_analysis::{Limit, Sights, Snapshot, State, Subject, Symptom, Threshold, Thresholds};

/// What is wrong, raised ones first, by cost; with those that were withdrawn or stay below
/// their thresholds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Symptoms<'a> {
    raised: u64,
    found: Vec<One>,
    /// Further ones that did not find room.
    more: u64,
    /// What all thresholds stood at; units are in their names.
    thresholds: BTreeMap<&'static str, u64>,
    /// What is said about those that were found.
    texts: BTreeMap<&'static str, Said<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Said<'a> {
    title: &'a str,
    description: &'a str,
    causes: &'a [String],
    actions: &'a [String],
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct One {
    id: &'static str,
    severity: &'static str,
    /// `raised`, `withdrawn`, `covered`, `below` or `too_few`.
    state: &'static str,
    /// Why it was withdrawn, or what says it already.
    reason: Option<&'static str>,
    subject: Whom,
    cost_ns: u64,
    counts: &'static str,
    count: u64,
    of: Option<u64>,
    of_what: Option<&'static str>,
    /// `count / of`; null where it is no share or `of` is 0.
    share: Option<f64>,
    /// What each cost, added up, by `of`, where that is what is judged.
    mean_ns: Option<u64>,
    threshold: &'static str,
    threshold_value: u64,
    minimum: Option<u64>,
    evidence: Evidence,
    words: Vec<Word>,
    /// Names that were looked for.
    names: Vec<SoughtName>,
    /// How long it lasted together, where that is no cost; null where nothing is known.
    lasted_ns: Option<u64>,
    /// After how many requests it happens each time; null where it is not regular.
    every: Option<u64>,
    against: Vec<Against>,
}

/// Whom it concerns; what does not apply is null.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Whom {
    kind: &'static str,
    client: Option<String>,
    server: Option<String>,
    station: Option<String>,
    ends: Option<[String; 2]>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Evidence {
    first_frame: Option<u64>,
    first: Option<Rfc3339>,
    last_frame: Option<u64>,
    last: Option<Rfc3339>,
    /// The most expensive ones.
    frames: Vec<SymptomFrames>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SymptomFrames {
    from_frame: u64,
    to_frame: u64,
    cost_ns: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Word {
    word: &'static str,
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SoughtName {
    name: String,
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Against {
    reason: &'static str,
    text: &'static str,
    count: u64,
    evidence: Evidence,
}

pub(super) fn symptoms<'a>(about: &'a About, snapshot: &Snapshot) -> Symptoms<'a> {
    let all = &snapshot.symptoms;
    let said = |id: &'static str| Some((id, Said::from(about.texts.of(id)?)));
    Symptoms {
        raised: all.raised().count() as u64,
        found: all
            .found
            .iter()
            .map(|symptom| one(symptom, &all.thresholds))
            .collect(),
        more: all.more,
        thresholds: Threshold::ALL
            .iter()
            .map(|t| (t.name(), all.thresholds.get(*t)))
            .collect(),
        texts: all.found.iter().filter_map(|s| said(s.rule.id)).collect(),
    }
}

impl<'a> From<&'a Entry> for Said<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            title: &entry.title,
            description: &entry.description,
            causes: &entry.causes,
            actions: &entry.actions,
        }
    }
}

fn one(symptom: &Symptom, thresholds: &Thresholds) -> One {
    let rule = symptom.rule;
    let base = rule.limit.base();
    let of = symptom.of;
    let mean = matches!(rule.limit, Limit::Mean { .. });
    One {
        id: rule.id,
        severity: rule.severity.name(),
        state: symptom.state.name(),
        reason: match symptom.state {
            State::Withdrawn(why) => Some(why.name()),
            State::Covered(by) => Some(by),
            State::Raised | State::Below | State::TooFew => None,
        },
        subject: subject(&symptom.subject),
        cost_ns: symptom.hits.cost_ns,
        counts: rule.counts,
        count: symptom.hits.count,
        of,
        of_what: base.map(|(base, _)| base.text()),
        share: of
            .filter(|of| *of > 0 && !mean)
            .map(|of| symptom.hits.count as f64 / of as f64),
        mean_ns: of
            .filter(|_| mean)
            .and_then(|of| symptom.hits.total_ns.checked_div(of)),
        threshold: rule.limit.threshold().name(),
        threshold_value: thresholds.get(rule.limit.threshold()),
        minimum: base.map(|(_, minimum)| thresholds.get(minimum)),
        evidence: evidence(&symptom.hits),
        words: symptom
            .words
            .iter()
            .map(|(word, count)| Word {
                word,
                count: *count,
            })
            .collect(),
        names: symptom
            .names
            .iter()
            .map(|(name, count)| SoughtName {
                name: Escaped(name).to_string(),
                count: *count,
            })
            .collect(),
        lasted_ns: (symptom.lasted_ns > 0).then_some(symptom.lasted_ns),
        every: symptom.every,
        against: symptom
            .against
            .iter()
            .map(|(why, sights)| Against {
                reason: why.name(),
                text: why.text(),
                count: sights.count,
                evidence: evidence(sights),
            })
            .collect(),
    }
}

fn evidence(sights: &Sights) -> Evidence {
    Evidence {
        first_frame: sights.first.map(|mark| mark.frame),
        first: sights.first.map(|mark| Rfc3339(mark.at)),
        last_frame: sights.last.map(|mark| mark.frame),
        last: sights.last.map(|mark| Rfc3339(mark.at)),
        frames: sights
            .kept()
            .map(|sight| SymptomFrames {
                from_frame: sight.from.frame,
                to_frame: sight.to.frame,
                cost_ns: sight.cost_ns,
            })
            .collect(),
    }
}

fn subject(subject: &Subject) -> Whom {
    let mut of = Whom {
        kind: subject.kind(),
        client: None,
        server: None,
        station: None,
        ends: None,
    };
    match subject {
        Subject::Segment => {}
        Subject::Server(end) => of.server = Some(end.to_string()),
        Subject::Client(end) => of.client = Some(end.to_string()),
        Subject::Station(end) => of.station = Some(end.to_string()),
        Subject::Pair { client, server } => {
            of.client = Some(client.to_string());
            of.server = Some(server.to_string());
        }
        Subject::Conversation(a, b) => of.ends = Some([a.to_string(), b.to_string()]),
    }
    of
}
