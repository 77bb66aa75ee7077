//! Why something is a symptom, or is none.

use crate::tests::replayed;
use wirewait_report::words::{named, why};

#[test]
fn a_symptom_says_by_what_it_was_raised() {
    let feed = replayed();
    let symptoms = &feed.snapshot.symptoms;
    let said: Vec<String> = symptoms
        .found
        .iter()
        .map(|symptom| format!("{} {}", symptom.rule.id, why(symptom, &symptoms.thresholds)))
        .collect();
    let all = said.join("\n");
    // 12 of 533 are 2.3 %, below 5 %: it is the cost that counts.
    assert!(
        all.contains(
            "slow_answers cost 4.80 s, raised from 1.00 s on (notable_cost_ms); 2.3 % of \
             responses to requests for files with a known turnaround, below 5 % (slow_answers_percent)"
        ),
        "{all}"
    );
    // 20 of 201 are 10.0 %.
    assert!(
        all.contains(
            "slow_answers 10.0 % of responses to requests for files with a known turnaround, raised from 5 % \
             (slow_answers_percent) on"
        ),
        "{all}"
    );
    let text = named(
        "responses with a turnaround above slow_answer_ms",
        &symptoms.thresholds,
    );
    assert!(
        !text.contains("slow_answer_ms") && text.ends_with(" ms"),
        "{text}"
    );
}
