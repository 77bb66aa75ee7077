//! What came of conditions, as sentences.

use super::Compared;
use super::words::{group_name, value, worded};
use crate::escape::Escaped;
use crate::figures::{Grouped, Percent, range};
use crate::time::Digits;
use wirewait_analysis::{Bounds, Snapshot};
use wirewait_judge::Verdict;
use wirewait_judge::compare::{
    By, Comparison, Condition, ConditionOutcome, ConditionResult, ShareLimit, ShareOutcome, Values,
};

/// Rows that may have the group of a condition, in the order in which they are tried.
const KEYS: [By; 7] = [
    By::Operation,
    By::Kind,
    By::Server,
    By::Client,
    By::Share,
    By::File,
    By::Load,
];

/// Rows that are named where none is called as the condition says.
const NAMED: usize = 3;

/// A sentence for each capture for which a condition holds. `values` are those of the comparison. Unless
/// the user chose the rows, the group is sought among all there are. Durations have all digits: three may
/// hide by how little it held.
#[must_use]
pub fn held(compared: &Compared<'_>, values: &[Values], condition: &Condition) -> Vec<String> {
    let elsewhere = elsewhere(compared, values, condition);
    let judged_by = match &elsewhere {
        Some(found) if !compared.groups_wanted => found,
        _ => compared.comparison,
    };
    condition
        .judge(judged_by, group_name)
        .iter()
        .filter_map(|held| {
            let elsewhere = elsewhere.as_ref().map(|found| found.by);
            sentence(compared, condition, held, elsewhere)
        })
        .collect()
}

/// What came of a condition on a share, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShareSentence {
    /// It holds, or cannot be judged, which counts as held.
    Held(String),
    /// It may hold: part of the interval fulfils it. That does not count as held.
    Open(String),
}

/// A sentence on a condition on a share of the active time of a capture; `None` where it surely does not hold.
#[must_use]
pub fn share_sentence(limit: &ShareLimit, verdict: &Verdict) -> Option<ShareSentence> {
    let (text, whose) = (Escaped(&limit.text), limit.culprit.name());
    let part = |bounds: Bounds| {
        let [low, high] = [bounds.low, bounds.high].map(|part| Percent(part, 1000).to_string());
        match low == high {
            true => low,
            false => range(&low, &high),
        }
    };
    Some(match limit.judge(verdict) {
        ShareOutcome::No => return None,
        ShareOutcome::Yes(bounds) => ShareSentence::Held(format!(
            "{text} holds for this capture: {whose} is {} of active time",
            part(bounds)
        )),
        ShareOutcome::Open(bounds) => ShareSentence::Open(format!(
            "{text} may hold for this capture, which does not count as held: {whose} is {} of active time, and \
             only part of that interval fulfils it",
            part(bounds)
        )),
        ShareOutcome::NotKnown => {
            let why = crate::verdict::sentence(verdict);
            let why = why.strip_prefix("No verdict: ").unwrap_or(&why);
            ShareSentence::Held(format!(
                "{text} cannot be judged for this capture, which counts as held: there is no verdict, because {}",
                why.trim_end_matches('.')
            ))
        }
    })
}

/// The comparison by other rows that has the group of a condition, if the present one lacks it.
fn elsewhere(
    compared: &Compared<'_>,
    values: &[Values],
    condition: &Condition,
) -> Option<Comparison> {
    let wanted = condition.group.as_deref()?;
    let has = |comparison: &Comparison| {
        let mut groups = comparison.groups.iter();
        groups.any(|group| group_name(group).eq_ignore_ascii_case(wanted))
    };
    if has(compared.comparison) {
        return None;
    }
    let configurations = compared.configurations.iter();
    let snapshots: Vec<&Snapshot> = configurations.map(|one| &one.snapshot).collect();
    keys(compared)
        .filter(|by| *by != compared.comparison.by)
        .map(|by| Comparison::with(&snapshots, values, Some(by)))
        .find(has)
}

/// The rows that can be compared: hidden names of shares and files do not tell which is which.
fn keys(compared: &Compared<'_>) -> impl Iterator<Item = By> {
    let private = compared.settings().private;
    let hidden = move |by: &By| private && matches!(by, By::Share | By::File);
    KEYS.into_iter().filter(move |by| !hidden(by))
}

/// What came of a condition for one capture; `None` where it did not hold.
fn sentence(
    compared: &Compared<'_>,
    condition: &Condition,
    held: &ConditionResult,
    elsewhere: Option<By>,
) -> Option<String> {
    let (name, base) = (compared.name(held.other + 1), compared.name(0));
    let text = Escaped(&condition.text);
    let figure = condition.figure;
    let of = condition
        .group
        .as_deref()
        .map_or_else(String::new, |group| format!(" of {}", Escaped(group)));
    Some(match held.outcome {
        ConditionOutcome::No => return None,
        ConditionOutcome::Yes(was, is) => {
            let change = was.map(|was| was.change(is));
            let against = match (was, change) {
                (Some(was), Some(change)) if !is_alone(compared) => {
                    format!(
                        ", {} in {base} ({})",
                        value(Digits::All, figure, Some(was)),
                        worded(figure, Some(change))
                    )
                }
                _ => String::new(),
            };
            format!(
                "{text} holds for {name}: {}{of} is {}{against}",
                figure.name(),
                value(Digits::All, figure, Some(is))
            )
        }
        ConditionOutcome::TooFew => format!(
            "{text} cannot be judged for {name}, which counts as held: too few requests to tell whether the \
             difference is significant"
        ),
        ConditionOutcome::Coarse(tick_ns) => format!(
            "{text} cannot be judged for {name}, which counts as held: a clock ticks each {}",
            Digits::All.span(tick_ns)
        ),
        ConditionOutcome::Failing(was, is) => format!(
            "{text} cannot be judged for {name}, which counts as held: {} of {} requests{of} fail, {} of {} in \
             {base}, and a failure takes no time of the work; errors_per_request has its own limit",
            Grouped(is.failed),
            Grouped(is.answered),
            Grouped(was.failed),
            Grouped(was.answered)
        ),
        ConditionOutcome::NoSuchGroup => format!(
            "{text} cannot be judged for {name}, which counts as held: {}",
            no_such_group(compared, condition, elsewhere)
        ),
        ConditionOutcome::NotMeasured { base: of_base } => format!(
            "{text} cannot be judged for {name}, which counts as held: {} has no {}{of}",
            if of_base { base } else { name.clone() },
            figure.name()
        ),
    })
}

/// Whether a capture is judged alone: it is compared with none.
fn is_alone(compared: &Compared<'_>) -> bool {
    let base = compared.configurations.first();
    base.is_none_or(|base| base.snapshot.capture.frames == 0)
}

/// What is called otherwise than a condition says, and what to type.
fn no_such_group(compared: &Compared<'_>, condition: &Condition, elsewhere: Option<By>) -> String {
    let wanted = Escaped(condition.group.as_deref().unwrap_or_default());
    let by = compared.comparison.by.name();
    if let Some(elsewhere) = elsewhere {
        return format!(
            "nothing is called {wanted} when compared by {by}; type --by {}",
            elsewhere.name()
        );
    }
    let rows = rows(compared);
    if compared.groups_wanted {
        return format!("nothing is called {wanted} when compared by {by}; rows are {rows}");
    }
    let names: Vec<&str> = keys(compared).map(By::name).collect();
    let names = names.join(", ");
    if is_alone(compared) {
        return format!("nothing is called {wanted} (looked for by {names}); rows are {rows}");
    }
    let other = match compared.comparison.by {
        By::Operation => By::Share,
        _ => By::Operation,
    };
    format!(
        "nothing is called {wanted} (looked for by {names}); rows by {by} are {rows}; for other rows type \
         --by {}",
        other.name()
    )
}

/// The first rows by their names.
fn rows(compared: &Compared<'_>) -> String {
    let groups = &compared.comparison.groups;
    let mut names: Vec<String> = groups.iter().take(NAMED).map(group_name).collect();
    if groups.is_empty() {
        names.push("none".to_owned());
    }
    let more = groups.len().saturating_sub(NAMED);
    let and = match more {
        0 => String::new(),
        more => format!(" and {} more", Grouped(more as u64)),
    };
    format!("{}{and}", names.join(", "))
}
