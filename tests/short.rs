//! One screen leaves out no doubt, and says how many symptoms it leaves out.

use crate::support::{all_captures, analyse};
use serde_json::Value;
use std::path::Path;
use wirewait_analysis::Snapshot;
use wirewait_report::text::Look;
use wirewait_report::{About, json, text};

/// Larger captures have nothing else in them.
const MOST_BYTES: u64 = 4_000_000;

/// Lines of one screen.
const LINES: usize = 22;

fn about(path: &Path) -> About {
    About {
        files: vec![path.display().to_string()],
        ..About::default()
    }
}

fn short(about: &About, snapshot: &Snapshot, width: usize) -> String {
    let mut out = Vec::new();
    text::short(&mut out, about, snapshot, Look::plain(width)).unwrap();
    String::from_utf8(out).unwrap()
}

fn report(about: &About, snapshot: &Snapshot) -> Value {
    let mut out = Vec::new();
    json::report(&mut out, about, snapshot).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// Without the breaks of lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The rows of the table of symptoms.
fn rows(short: &str) -> Vec<&str> {
    let lines = short.lines().skip_while(|line| {
        let titles: Vec<&str> = line.split_whitespace().take(2).collect();
        titles != ["cost", "symptom"]
    });
    lines.skip(1).take_while(|line| !line.is_empty()).collect()
}

/// How many more kinds of symptoms it says there are.
fn more(short: &str) -> u64 {
    let words: Vec<&str> = short.split_whitespace().collect();
    let said = words.windows(3).find_map(|three| {
        let counted = three[1] == "more" && three[2].starts_with("kind");
        counted.then(|| three[0].trim_start_matches('(').replace(',', ""))
    });
    said.map_or(0, |number| number.parse().unwrap())
}

#[test]
fn the_table_and_the_number_of_further_symptoms_are_found() {
    let text = "Head.\n\n    cost  symptom  of\n  1 s  A b  c\n  2 s  D  e\n\n  slowest  frames\n  x\n\n  \
                next: wirewait --full FILE     all tables, 12 more kinds of symptoms\n";
    assert_eq!((rows(text).len(), more(text)), (2, 12));
    assert_eq!(
        (rows("  symptoms: none\n").len(), more("all tables")),
        (0, 0)
    );
    assert_eq!(
        more("  next: wirewait --full FILE\n   (1 more kind of symptom)"),
        1
    );
}

#[test]
fn each_doubt_and_each_symptom_is_there_or_counted() {
    let folders = [
        "real", "lab", "derived", "found", "pcapng", "srt", "formats",
    ];
    let (mut doubts, mut symptoms, mut left_out, mut captures) = (0, 0, 0, 0);
    for path in all_captures("each_doubt_and_each_symptom", &folders, MOST_BYTES) {
        let name = path.display().to_string();
        let about = about(&path);
        let Ok(analysis) = analyse(&[path]) else {
            continue;
        };
        let json = report(&about, &analysis.snapshot);
        captures += 1;
        for width in [40, 80, 132] {
            let text = short(&about, &analysis.snapshot, width);
            let said = words(&text);
            for doubt in json["verdict"]["doubts"].as_array().unwrap() {
                doubts += 1;
                let doubt = words(doubt.as_str().unwrap());
                assert!(said.contains(&doubt), "{name}: {doubt}\n{text}");
            }
            let rows = rows(&text);
            let found = json["symptoms"]["found"].as_array().unwrap();
            // The costliest of each kind.
            let mut raised: Vec<&Value> = Vec::new();
            for one in found.iter().filter(|one| one["state"] == "raised") {
                if raised.iter().all(|kind| kind["id"] != one["id"]) {
                    raised.push(one);
                }
            }
            let all = raised.len() as u64;
            assert_eq!(rows.len() as u64 + more(&text), all, "{name}\n{text}");
            assert!(!rows.is_empty() || raised.is_empty(), "{name}\n{text}");
            for (row, symptom) in rows.iter().zip(&raised) {
                let title = &json["symptoms"]["texts"][symptom["id"].as_str().unwrap()]["title"];
                symptoms += 1;
                assert!(
                    row.contains(title.as_str().unwrap()),
                    "{name}: {title}\n{text}"
                );
            }
            left_out += usize::from(more(&text) > 0);
            if width >= 80 {
                assert!(text.lines().count() <= LINES, "{name}\n{text}");
            }
        }
    }
    assert!(
        captures > 150 && doubts > 100 && symptoms > 150 && left_out > 10,
        "{captures} captures, {doubts} doubts, {symptoms} symptoms, {left_out} lists cut"
    );
}
