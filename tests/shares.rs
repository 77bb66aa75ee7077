//! A share is a part of a whole: no symptom counts more than there is of what it counts, and no
//! report shows more than 100 % of anything.

use crate::support::{all_captures, analyse};
use wirewait_analysis::Limit;
use wirewait_report::{About, text};

/// Larger captures have nothing else in them.
const MOST_BYTES: u64 = 4_000_000;

/// What may exceed 100 % because it is none of a whole: the load of a link whose speed somebody
/// guessed too low.
const NO_SHARES: [&str; 2] = ["utilisation", "of the link"];

/// Numbers in front of a percent sign.
fn percentages(line: &str) -> Vec<f64> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices('%') {
        let front = line[..at].trim_end();
        let digits = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
        let number = front.trim_start_matches(|_: char| false);
        let start = number.rfind(|c: char| !digits(c)).map_or(0, |n| n + 1);
        if let Ok(value) = number[start..].replace(',', "").parse() {
            found.push(value);
        }
    }
    found
}

#[test]
fn percentages_are_found() {
    assert_eq!(
        percentages("  (12 / 533) 2.3 %  1,200.0 %, a%"),
        [2.3, 1200.0]
    );
}

#[test]
fn no_share_is_more_than_the_whole() {
    let folders = [
        "real", "lab", "derived", "found", "pcapng", "srt", "formats",
    ];
    let (mut shares, mut captures) = (0, 0);
    for path in all_captures("no_share_is_more_than_the_whole", &folders, MOST_BYTES) {
        let name = path.display().to_string();
        let Ok(analysis) = analyse(&[path]) else {
            continue;
        };
        let snapshot = analysis.snapshot;
        captures += 1;
        for symptom in &snapshot.symptoms.found {
            if let (Limit::Share { .. }, Some(of)) = (symptom.rule.limit, symptom.of) {
                shares += 1;
                let hits = symptom.hits.count;
                let id = symptom.rule.id;
                assert!(
                    hits <= of,
                    "{name}: {id}: {hits} of {of}, {:?}",
                    symptom.subject
                );
            }
        }
        let mut report = Vec::new();
        text::report(&mut report, &About::default(), &snapshot, text::Look::FILE).unwrap();
        for line in String::from_utf8(report).unwrap().lines() {
            let is_share = !NO_SHARES.iter().any(|word| line.contains(word));
            for percent in percentages(line) {
                assert!(percent <= 100.0 || !is_share, "{name}: {line}");
            }
        }
    }
    assert!(
        shares > 50 && captures > 100,
        "{shares} shares in {captures} captures"
    );
}
