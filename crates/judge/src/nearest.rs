//! The symptom that came nearest to being raised, where none was.

use wirewait_analysis::{Limit, State, Symptom, Symptoms, Threshold};

/// A symptom below its threshold, and how near it came.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Nearest<'a> {
    /// What was seen, and of whom.
    pub symptom: &'a Symptom,
    /// Thousandths of the threshold that are reached.
    pub thousandths: u64,
    /// The threshold that is nearest.
    pub threshold: Threshold,
    /// What is measured against it.
    pub measured: Measured,
}

/// What is measured against a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// Events.
    Events(u64),
    /// Events of all that they are a part of.
    Share(u64, u64),
    /// Nanoseconds, on average.
    Mean(u64),
    /// Nanoseconds lost by it.
    Cost(u64),
}

/// Of those that had enough events to be judged, the one that came nearest to its threshold; the
/// first of equals. `None` if nothing that a symptom counts was seen.
#[must_use]
pub fn nearest(symptoms: &Symptoms) -> Option<Nearest<'_>> {
    // What was seen only beside evidence against it is no event.
    let seen = symptoms.found.iter().filter(|s| s.hits.count > 0);
    let below = seen.filter(|s| s.state == State::Below);
    let reached = below.flat_map(|symptom| {
        let both = [counted(symptom, symptoms), cost(symptom, symptoms)];
        both.into_iter().flatten()
    });
    reached.reduce(|best, next| match next.thousandths > best.thousandths {
        true => next,
        false => best,
    })
}

/// How near what was counted came to the rule's own threshold. Where it takes a share and a number
/// of events, what is farther away decides.
fn counted<'a>(symptom: &'a Symptom, symptoms: &Symptoms) -> Option<Nearest<'a>> {
    let value = |threshold: Threshold| u128::from(symptoms.thresholds.get(threshold));
    let limit = &symptom.rule.limit;
    let (count, cost) = (symptom.hits.count, symptom.hits.cost_ns);
    let of = symptom.of.unwrap_or(0);
    let events = |threshold: Threshold| Nearest {
        symptom,
        thousandths: thousandths(count.into(), value(threshold).max(1)),
        threshold,
        measured: Measured::Events(count),
    };
    match *limit {
        Limit::Count(threshold) => Some(events(threshold)),
        // One event beyond it raises it.
        Limit::Beyond(_) => None,
        Limit::Share { percent, least, .. } => {
            let share = Nearest {
                symptom,
                thousandths: thousandths(u128::from(count) * 100, u128::from(of) * value(percent)),
                threshold: percent,
                measured: Measured::Share(count, of),
            };
            let events = events(least);
            Some(match events.thousandths < share.thousandths {
                true => events,
                false => share,
            })
        }
        Limit::Mean { at, .. } => Some(Nearest {
            symptom,
            thousandths: thousandths(cost.into(), u128::from(of) * value(at) * 1_000_000),
            threshold: at,
            measured: Measured::Mean(cost.checked_div(of)?),
        }),
    }
}

/// How near the time lost came to what raises any symptom that costs time.
fn cost<'a>(symptom: &'a Symptom, symptoms: &Symptoms) -> Option<Nearest<'a>> {
    let threshold = Threshold::NotableCost;
    let notable = u128::from(symptoms.thresholds.get(threshold)) * 1_000_000;
    let cost_ns = symptom.hits.cost_ns;
    symptom.rule.costly.then(|| Nearest {
        symptom,
        thousandths: thousandths(cost_ns.into(), notable),
        threshold,
        measured: Measured::Cost(cost_ns),
    })
}

fn thousandths(part: u128, whole: u128) -> u64 {
    let thousandths = (part * 1000).checked_div(whole).unwrap_or(0);
    u64::try_from(thousandths).unwrap_or(u64::MAX)
}
