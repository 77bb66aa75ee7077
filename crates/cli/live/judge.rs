//! Conditions on what was seen: those of a comparison, with nothing to compare with.

use wirewait::compare::{By, Comparison, Condition};
use wirewait::{Analyzer, Driver, Snapshot, registry};
use wirewait_report::compare::{Compared, Configuration, held as sentences};
use wirewait_report::{About, Digits};

/// A sentence for each condition that holds.
pub(super) fn held(conditions: &[Condition], about: &About, snapshot: &Snapshot) -> Vec<String> {
    if conditions.is_empty() {
        return Vec::new();
    }
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
    conditions
        .iter()
        .flat_map(|condition| sentences(&compared, &[], condition))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_is_missing_is_not_said_to_be_compared() {
        let condition = crate::condition::parse("p99 of smb9 READ > 1s").unwrap();
        let seen = Driver::new(Analyzer::new(registry(), wirewait::Settings::default())).snapshot();
        let [said] = held(&[condition], &About::default(), &seen)
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
}
