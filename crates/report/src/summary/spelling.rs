//! How shares are spelled in a sum.
//!
//! Each part spells the share of a file as the share's own row. Another part may know a spelling that
//! comes first, and not the file.

use std::collections::BTreeSet;
use std::sync::Arc;
use wirewait_analysis::{Grouping, Label, PlaceSum, Summary};

/// The places in their order, with each share in the first of all its spellings, in its own row and in those
/// of its files. That depends on no order of the parts.
pub(super) fn places(summary: &Summary) -> impl Iterator<Item = (Label, &PlaceSum)> {
    let mut shares: BTreeSet<Label> = BTreeSet::new();
    for label in summary.places.keys() {
        if let Some(mut share) = share_of(label) {
            if let Some(known) = shares.take(&share) {
                share.respell(&known);
            }
            shares.insert(share);
        }
    }
    summary.places.iter().map(move |(label, sum)| {
        let mut label = label.clone();
        if let Some(known) = share_of(&label).and_then(|share| shares.get(&share)) {
            match label.by {
                Grouping::Share => label.name = Arc::clone(&known.name),
                _ => label.share = Some(Arc::clone(&known.name)),
            }
        }
        (label, sum)
    })
}

/// The share that a row is about, or in which its file is.
fn share_of(label: &Label) -> Option<Label> {
    match label.by {
        Grouping::Share => Some(label.clone()),
        Grouping::File => label.of_share(),
        Grouping::User => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{json, read};
    use super::*;
    use proptest::prelude::*;
    use wirewait_analysis::Counts;
    use wirewait_wire::Endpoint;

    fn label(by: Grouping, share: Option<&str>, name: &str) -> Label {
        Label {
            by,
            server: Endpoint::mac([2, 0, 0, 0, 0, 1]),
            share: share.map(Arc::from),
            name: name.into(),
        }
    }

    fn part(labels: impl IntoIterator<Item = Label>) -> Summary {
        let mut part = Summary {
            parts: 1,
            ..Summary::default()
        };
        let counts = Counts {
            requests: 1,
            ..Counts::default()
        };
        for label in labels {
            let sum = PlaceSum {
                counts,
                ..PlaceSum::default()
            };
            part.add_place(label, &sum);
        }
        part
    }

    /// One part has the share in a spelling of its own and no file, the other has a file.
    #[test]
    fn a_file_has_the_spelling_of_its_share_in_another_part() {
        let one = part([label(Grouping::Share, None, "DATA")]);
        let other = part([
            label(Grouping::Share, None, "data"),
            label(Grouping::File, Some("data"), "a.txt"),
        ]);
        let mut sum = one;
        sum.merge(&other);
        let found: Vec<Label> = places(&sum).map(|(label, _)| label).collect();
        let wanted = [
            label(Grouping::Share, None, "DATA"),
            label(Grouping::File, Some("DATA"), "a.txt"),
        ];
        assert_eq!(found.len(), 2);
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(found.is_spelled_as(wanted), "{found:?}, not {wanted:?}");
        }
    }

    fn written(summary: &Summary) -> Vec<u8> {
        let mut out = Vec::new();
        json(&mut out, summary).unwrap();
        out
    }

    /// One capture: it spells each share in one way, and its files with it.
    fn capture() -> impl Strategy<Value = Summary> {
        const SHARES: [[&str; 3]; 2] = [["PUB", "Pub", "pub"], ["\u{c4}", "\u{e4}", "\u{e4}"]];
        let share = (
            0usize..3,
            any::<bool>(),
            prop::collection::vec(0usize..3, 0..3),
        );
        prop::collection::vec(share, 2).prop_map(|shares| {
            let mut labels = Vec::new();
            for ((spelling, has_row, files), names) in shares.into_iter().zip(SHARES) {
                let name = names[spelling];
                labels.extend(has_row.then(|| label(Grouping::Share, None, name)));
                let files = files.into_iter().map(|file| ["a", "b", "c"][file]);
                labels.extend(files.map(|file| label(Grouping::File, Some(name), file)));
            }
            part(labels)
        })
    }

    proptest! {
        /// Any order gives the same bytes, also where parts are read from files; each share has one spelling.
        #[test]
        fn shares_have_one_spelling_in_any_order(
            (parts, shuffled) in prop::collection::vec(capture(), 1..5)
                .prop_flat_map(|parts| (Just(parts.clone()), Just(parts).prop_shuffle()))
        ) {
            let sum = |parts: &[Summary]| {
                let mut sum = Summary::default();
                parts.iter().for_each(|part| sum.merge(part));
                sum
            };
            let forth = sum(&parts);
            prop_assert_eq!(written(&sum(&shuffled)), written(&forth));
            // Parts of parts, each written to a file and read back.
            let mut by_files = Summary::default();
            for half in parts.chunks(2) {
                by_files.merge(&read(&written(&sum(half))).unwrap());
            }
            prop_assert_eq!(written(&by_files), written(&forth));
            let mut spellings: Vec<(String, String)> = Vec::new();
            for (label, _) in places(&forth) {
                let share = match label.by {
                    Grouping::Share => label.name,
                    _ => label.share.unwrap(),
                };
                spellings.push((share.to_lowercase(), share.to_string()));
            }
            spellings.sort();
            spellings.dedup();
            let mut shares: Vec<_> = spellings.iter().map(|(share, _)| share).collect();
            shares.dedup();
            prop_assert_eq!(shares.len(), spellings.len(), "{:?}", spellings);
        }
    }
}
