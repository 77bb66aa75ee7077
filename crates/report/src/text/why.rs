//! Why something is a symptom, or is none: what was measured, in the words of its own threshold.

use super::subject::subject;
use crate::figures::{Grouped, Percent, Rate};
use crate::symptoms::Texts;
use crate::time::Digits;
use wirewait_analysis::{Limit, State, Symptom, Symptoms, Threshold, Thresholds};
use wirewait_judge::{Measured, OutsideCost, Verdict};

/// What a threshold stands at, with the unit that its name ends with.
fn value(threshold: Threshold, thresholds: &Thresholds) -> String {
    let n = thresholds.get(threshold);
    let name = threshold.name();
    if name.ends_with("_percent") {
        return format!("{n} %");
    }
    if name.ends_with("_ms") {
        return span(n.saturating_mul(1_000_000));
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
#[must_use]
pub fn named(text: &str, thresholds: &Thresholds) -> String {
    let word = |word: &str| {
        let known = Threshold::ALL.iter().find(|known| known.name() == word);
        known.map_or_else(|| word.to_owned(), |known| value(*known, thresholds))
    };
    let words: Vec<String> = text.split(' ').map(word).collect();
    words.join(" ")
}

/// What was measured, and from where on it is raised.
#[must_use]
pub fn why(symptom: &Symptom, thresholds: &Thresholds) -> String {
    let limit = &symptom.rule.limit;
    let (count, cost) = (symptom.hits.count, symptom.hits.cost_ns);
    let total = symptom.hits.total_ns;
    let at = thresholds.get(limit.threshold());
    let of = symptom.of.unwrap_or(0);
    let (measured, crossed) = match limit {
        Limit::Count(_) => (times(count), count >= at),
        Limit::Beyond(_) => (times(count), count > 0),
        Limit::Share { of: base, .. } => (
            format!("{} of {}", Percent(count, of), base.text()),
            u128::from(count) * 100 >= u128::from(of) * u128::from(at),
        ),
        Limit::Mean { of: base, .. } => {
            let mean = total.checked_div(of).unwrap_or(0);
            let all = u128::from(at) * 1_000_000 * u128::from(of);
            (
                format!("mean {} of {}", span(mean), base.text()),
                u128::from(total) >= all,
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
            "cost {}, raised from {} on (notable_cost_ms); {measured}, below {from}",
            span(cost),
            value(Threshold::NotableCost, thresholds),
        ),
        _ if matches!(limit, Limit::Beyond(_)) => {
            let rate = symptom.bytes_per_second.map(Rate);
            let rate =
                rate.map_or_else(String::new, |rate| format!(" ({rate} where it cost most)"));
            format!("{measured}{rate} beyond the threshold: {from}")
        }
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
        _ => {
            let window = window(symptom).map(|text| format!(": {text}"));
            let window = window.unwrap_or_default();
            format!("{measured}{window}, raised from {from} on")
        }
    }
}

/// The receive window that limits transfers most, if it is about those.
pub(super) fn window(symptom: &Symptom) -> Option<String> {
    let window = symptom.window?;
    Some(format!(
        "{} offered {} bytes at most, and a round trip took {}",
        window.receiver,
        Grouped(window.bytes),
        span(window.round_trip_ns)
    ))
}

/// How often transfers were slow, and how fast: the one that cost most, or what a window allows; if it is about those.
pub(super) fn transfers(symptom: &Symptom) -> Option<String> {
    let count = Grouped(symptom.hits.count);
    let at_most = symptom.window.map(|window| window.bytes_per_second());
    match (at_most.map(Rate), symptom.bytes_per_second.map(Rate)) {
        (Some(rate), _) => Some(format!("{count}, {rate} at most")),
        (None, Some(rate)) if symptom.hits.count == 1 => Some(format!("1 at {rate}")),
        (None, rate) => rate.map(|rate| format!("{count}, one at {rate}")),
    }
}

/// What clients lost outside the active time, where it is worth a word: by what, and whom it concerns.
#[must_use]
pub(crate) fn outside(verdict: &Verdict, digits: Digits) -> Option<String> {
    let OutsideCost {
        rule,
        subject: whom,
        ns,
    } = verdict.outside?;
    let texts = Texts::default();
    Some(format!(
        "Outside the active time, in no share: {} of \"{}\", {}.",
        digits.span(ns),
        texts.title(rule),
        subject(&whom),
    ))
}

/// That response times of encrypted requests are not judged, if there are some.
pub(crate) fn unreadable(symptoms: &Symptoms) -> Option<String> {
    let what = match symptoms.unreadable {
        0 => return None,
        1 => "the response time of 1 encrypted request is".to_owned(),
        n => format!("response times of {} encrypted requests are", Grouped(n)),
    };
    Some(format!("{what} not judged (what they ask is not readable)"))
}

/// What to say where no symptom was raised: which came nearest, and what was not judged. It begins with a semicolon.
#[must_use]
pub fn beside_none(symptoms: &Symptoms, texts: &Texts) -> String {
    let nearest = nearest(symptoms, texts).map(|nearest| format!("; nearest: {nearest}"));
    let unreadable = unreadable(symptoms).map(|text| format!("; {text}"));
    nearest.into_iter().chain(unreadable).collect()
}

/// Thousandths of a threshold that are near it.
const NEAR: u64 = 500;

/// What came nearest to being a symptom where none was raised; empty where nothing reached half of its threshold.
#[must_use]
pub fn nearest(symptoms: &Symptoms, texts: &Texts) -> Option<String> {
    let near = wirewait_judge::nearest(symptoms).filter(|near| near.thousandths >= NEAR)?;
    let symptom = near.symptom;
    let base = || {
        symptom
            .rule
            .limit
            .base()
            .map_or("", |(base, _)| base.text())
    };
    let threshold = value(near.threshold, &symptoms.thresholds);
    // With three digits it may look like the threshold.
    let span = |ns: u64| match span(ns) {
        shown if shown == threshold => format!("just below {shown}"),
        shown => shown,
    };
    let measured = match near.measured {
        Measured::Events(n) => times(n),
        Measured::Share(n, of) => format!("{} of {}", Percent(n, of), base()),
        Measured::Mean(ns) => format!("mean {} of {}", span(ns), base()),
        Measured::Cost(ns) => format!("cost {}", span(ns)),
    };
    Some(format!(
        "{}, {}: {measured} (threshold {threshold})",
        texts.title(symptom.rule.id),
        subject(&symptom.subject),
    ))
}

fn times(n: u64) -> String {
    match n {
        1 => "once".to_owned(),
        n => format!("{} times", Grouped(n)),
    }
}

fn span(ns: u64) -> String {
    Digits::Three.span(ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use wirewait_analysis::{Subject, WindowLimit};

    /// 65,535 bytes each 40 ms are 1,638,375 bytes a second.
    #[test]
    fn a_window_is_said_with_the_round_trip_and_what_it_allows() {
        let rule = crate::symptoms::rule("window_limits").unwrap();
        let far = wirewait_wire::Endpoint::mac([2, 0, 0, 0, 0, 9]);
        let mut symptom = Symptom::new(rule, Subject::Client(far), State::Raised);
        symptom.hits.count = 20;
        symptom.window = Some(WindowLimit::new(far, 65_535, 40_000_000));
        assert_eq!(
            crate::text::symptoms::often(&symptom),
            "20, 1.64 MB/s at most"
        );
        let said = "02-00-00-00-00-09 offered 65,535 bytes at most, and a round trip took 40.0 ms";
        assert_eq!(window(&symptom).as_deref(), Some(said));
        let why = why(&symptom, &Thresholds::default());
        assert_eq!(
            why,
            format!("20 times: {said}, raised from 3 (least_events) on")
        );
    }

    #[test]
    fn the_nearest_symptom_has_its_measure_and_its_threshold() {
        let mut symptoms = samples::snapshot().symptoms;
        let mut slow = symptoms.found[0].clone();
        slow.rule = wirewait_analysis::RULES
            .iter()
            .find(|rule| rule.id == "slow_answers")
            .unwrap();
        slow.state = State::Below;
        // 2 of 100 are 2 %, 400 thousandths of 5 %; 3 of 100 are 600 thousandths.
        (slow.hits.count, slow.hits.cost_ns, slow.of) = (2, 10_000_000, Some(100));
        slow.hits.total_ns = 10_000_000;
        let mut slower = slow.clone();
        slower.hits.count = 3;
        symptoms.found = vec![slow.clone(), slower];
        let texts = Texts::default();
        let who = subject(&slow.subject);
        assert_eq!(
            nearest(&symptoms, &texts).unwrap(),
            format!(
                "Slow responses, {who}: 3.0 % of responses to requests for files with a known turnaround \
             (threshold 5 %)"
            )
        );
        // 700 ms are 700 thousandths of the cost that raises any.
        symptoms.found[0].hits.cost_ns = 700_000_000;
        assert_eq!(
            nearest(&symptoms, &texts).unwrap(),
            format!("Slow responses, {who}: cost 700 ms (threshold 1.00 s)")
        );
        symptoms.found[0].hits.cost_ns = 999_990_400;
        assert_eq!(
            nearest(&symptoms, &texts).unwrap(),
            format!("Slow responses, {who}: cost just below 1.00 s (threshold 1.00 s)")
        );
        // 2.4 of 5 % are less than half.
        symptoms.found[0].hits.cost_ns = 10_000_000;
        (symptoms.found[1].hits.count, symptoms.found[1].of) = (24, Some(1000));
        assert_eq!(nearest(&symptoms, &texts), None);
        // Only evidence against it was seen.
        symptoms.found[0].hits = Default::default();
        symptoms.found[1].hits = Default::default();
        assert_eq!(nearest(&symptoms, &texts), None);
        symptoms.found[0].hits.count = 3;
        symptoms.found[0].state = State::TooFew;
        symptoms.found[1].state = State::TooFew;
        assert_eq!(nearest(&symptoms, &texts), None);
    }
}
