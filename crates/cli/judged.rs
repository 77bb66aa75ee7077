//! Conditions on one capture: those of a comparison, with nothing to compare with, and those on shares.

use crate::condition::CaptureCondition;
use crate::failure::{Verdict, say};
use wirewait::compare::{By, Comparison, Condition};
use wirewait::{Analyzer, Driver, Snapshot, registry};
use wirewait_report::compare::{
    Compared, Configuration, ShareSentence, held as sentences, share_sentence,
};
use wirewait_report::{About, Digits};

/// Says which conditions hold, and how the command ends: as it would without conditions where none does.
pub(crate) fn ended(
    conditions: &[CaptureCondition],
    about: &About,
    snapshot: &Snapshot,
    otherwise: Verdict,
) -> Verdict {
    let mut ended = otherwise;
    for sentence in said(conditions, about, snapshot) {
        match sentence {
            ShareSentence::Held(text) => {
                ended = Verdict::Held;
                say(&text);
            }
            ShareSentence::Open(text) => say(&text),
        }
    }
    ended
}

/// The sentences, in the order of the conditions.
fn said(conditions: &[CaptureCondition], about: &About, snapshot: &Snapshot) -> Vec<ShareSentence> {
    if conditions.is_empty() {
        return Vec::new();
    }
    let verdict = wirewait::Verdict::on(snapshot);
    let of = |condition: &CaptureCondition| match condition {
        CaptureCondition::Figure(condition) => {
            let held = held(condition, about, snapshot).into_iter();
            held.map(ShareSentence::Held).collect::<Vec<_>>()
        }
        CaptureCondition::Share(limit) => share_sentence(limit, &verdict).into_iter().collect(),
    };
    conditions.iter().flat_map(of).collect()
}

/// A sentence where the condition holds.
fn held(condition: &Condition, about: &About, snapshot: &Snapshot) -> Vec<String> {
    let configuration = |name: &str, about: About, snapshot: Snapshot| Configuration {
        name: name.to_owned(),
        about,
        snapshot,
    };
    let nothing = Driver::new(Analyzer::new(registry(), snapshot.settings)).snapshot();
    let configurations = [
        configuration("nothing", About::default(), nothing),
        configuration("this capture", about.clone(), snapshot.clone()),
    ];
    let snapshots = configurations.each_ref().map(|one| &one.snapshot);
    let comparison = Comparison::of(&snapshots, Some(By::Operation));
    let compared = Compared {
        configurations: &configurations,
        comparison: &comparison,
        groups_wanted: false,
        at: None,
        digits: Digits::All,
    };
    sentences(&compared, &[], condition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_is_missing_is_not_said_to_be_compared() {
        let condition = crate::condition::parse("p99 of smb9 READ > 1s").unwrap();
        let seen = Driver::new(Analyzer::new(registry(), wirewait::Settings::default())).snapshot();
        let [said] = held(&condition, &About::default(), &seen)
            .try_into()
            .unwrap();
        assert!(
            said.contains("nothing is called smb9 READ (looked for by"),
            "{said}"
        );
        assert!(
            !said.contains("compared") && !said.contains("--by"),
            "{said}"
        );
    }

    /// Neither a figure nor a share of nothing passes.
    #[test]
    fn a_capture_without_requests_does_not_pass() {
        let seen = Driver::new(Analyzer::new(registry(), wirewait::Settings::default())).snapshot();
        for text in ["p99 > 1s", "server % < 100", "server % > 0"] {
            let condition = crate::condition::limit(text).unwrap();
            let [ShareSentence::Held(said)] = &said(&[condition], &About::default(), &seen)[..]
            else {
                panic!("{text}")
            };
            assert!(
                said.starts_with(&format!("{text} cannot be judged")),
                "{said}"
            );
        }
    }
}
