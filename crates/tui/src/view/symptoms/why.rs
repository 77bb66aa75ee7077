//! Why something is a symptom, or is none: what was measured, in the words of its own threshold.

use super::super::servers::saturated;
use wirewait_analysis::{Limit, State, Symptom, Threshold, Thresholds};
use wirewait_report::words::{Grouped, Percent, Short};

/// What a threshold stands at, with the unit that its name ends with.
fn value(threshold: Threshold, thresholds: &Thresholds) -> String {
    let n = thresholds.get(threshold);
    let name = threshold.name();
    if name.ends_with("_percent") {
        return format!("{n} %");
    }
    if name.ends_with("_ms") {
        return Short(saturated(n.saturating_mul(1_000_000))).to_string();
    }
    if name.ends_with("_bytes_per_second") {
        return format!("{} bytes/s", Grouped(n));
    }
    match name.ends_with("_bytes") {
        true => format!("{} bytes", Grouped(n)),
        false => Grouped(n).to_string(),
    }
}

/// A text with the values of thresholds in the place of their names.
pub(super) fn named(text: &str, thresholds: &Thresholds) -> String {
    let word = |word: &str| {
        let known = Threshold::ALL.iter().find(|known| known.name() == word);
        known.map_or_else(|| word.to_owned(), |known| value(*known, thresholds))
    };
    let words: Vec<String> = text.split(' ').map(word).collect();
    words.join(" ")
}

/// What was measured, and from where on it is raised.
pub(super) fn why(symptom: &Symptom, thresholds: &Thresholds) -> String {
    let limit = &symptom.rule.limit;
    let (count, cost) = (symptom.hits.count, symptom.hits.cost_ns);
    let at = thresholds.get(limit.threshold());
    let of = symptom.of.unwrap_or(0);
    let (measured, crossed) = match limit {
        Limit::Count(_) => (format!("{} times", Grouped(count)), count >= at),
        Limit::Beyond(_) => (format!("{} times beyond it", Grouped(count)), count > 0),
        Limit::Share { of: base, .. } => (
            format!("{} of {}", Percent(count, of), base.text()),
            u128::from(count) * 100 >= u128::from(of) * u128::from(at),
        ),
        Limit::Mean { of: base, .. } => {
            let mean = cost.checked_div(of).unwrap_or(0);
            let all = u128::from(at) * 1_000_000 * u128::from(of);
            (
                format!("mean {} of {}", Short(saturated(mean)), base.text()),
                u128::from(cost) >= all,
            )
        }
    };
    let from = format!(
        "{} ({})",
        value(limit.threshold(), thresholds),
        limit.threshold().name()
    );
    match symptom.state {
        State::Raised if !crossed => format!(
            "{} lost, raised from {} on (notable_cost_ms); {measured} is below {from}",
            Short(saturated(cost)),
            value(Threshold::NotableCost, thresholds),
        ),
        State::TooFew => match limit.base() {
            Some((base, minimum)) => format!(
                "{} {}, judged from {} on ({})",
                Grouped(of),
                base.text(),
                value(minimum, thresholds),
                minimum.name()
            ),
            None => format!("{measured}, raised from {from} on"),
        },
        _ => format!("{measured}, raised from {from} on"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::replayed;

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
                "slow_answers 4.80 s lost, raised from 1.00 s on (notable_cost_ms); 2.3 % of \
                 answers with a known turnaround is below 5 % (slow_answers_percent)"
            ),
            "{all}"
        );
        // 20 of 201 are 10.0 %.
        assert!(
            all.contains(
                "slow_answers 10.0 % of answers with a known turnaround, raised from 5 % \
                 (slow_answers_percent) on"
            ),
            "{all}"
        );
        let text = named(
            "answers with a turnaround above slow_answer_ms",
            &symptoms.thresholds,
        );
        assert!(
            !text.contains("slow_answer_ms") && text.ends_with(" ms"),
            "{text}"
        );
    }
}
