//! What changed against the baseline, in whom, and what speaks against saying so.

use super::{Caveat, Confidence, Figure, Group, Key, Ratio, caveat};
use crate::Culprit;
use wirewait_analysis::Snapshot;

/// What became of the requests' response time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is longer than the baseline's, more than chance explains.
    Slower,
    /// It is shorter likewise.
    Faster,
    /// No difference that chance would not make as well.
    None,
    /// One of the two has too few requests to tell.
    TooFew,
}

impl Effect {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::None => "none",
            Self::TooFew => "too_few_samples",
        }
    }
}

/// Somebody's part of the time at work, for each answered request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Whose.
    pub culprit: Culprit,
    /// In the baseline, ns.
    pub base: Ratio,
    /// In the other.
    pub other: Ratio,
}

/// What is to be said of one capture against the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// What became of the response time.
    pub effect: Effect,
    /// How sure that is.
    pub confidence: Confidence,
    /// Time at work for each answered request: client, network, server, as in
    /// [`crate::Verdict`]. Empty where one of the captures has none.
    pub parts: Vec<Part>,
    /// In whom most of the change is.
    pub culprit: Option<Culprit>,
    /// The group whose change made most of it.
    pub most: Option<Key>,
    /// What speaks against the comparison.
    pub doubts: Vec<Caveat>,
}

impl Conclusion {
    /// Judges the other with this number.
    pub(super) fn on(
        captures: &[&Snapshot],
        all: &Group,
        groups: &[Group],
        mix: &[Group],
        number: usize,
    ) -> Self {
        let (effect, confidence) = match all.sure.get(number) {
            Some(sure) => match &sure.response_time {
                Confidence::Tested(test) if test.p < sure.level => {
                    let slower = test.greater() > 0.5;
                    let effect = if slower {
                        Effect::Slower
                    } else {
                        Effect::Faster
                    };
                    (effect, sure.response_time)
                }
                Confidence::Tested(_) => (Effect::None, sure.response_time),
                Confidence::TooFew(..) => (Effect::TooFew, sure.response_time),
            },
            None => (Effect::TooFew, Confidence::TooFew(0, 0)),
        };
        let parts = parts(captures, all, number);
        let mut doubts = caveat::doubts(captures, all, mix, number, effect);
        let elsewhere = elsewhere(effect, all, &parts, number);
        let culprit = culprit(effect, all, &parts, number);
        doubts.extend(elsewhere);
        Self {
            effect,
            confidence,
            parts,
            culprit,
            most: most(effect, groups, number),
            doubts,
        }
    }
}

/// Whether the time at work did not change with the response time: what the one lost the
/// other gained.
fn elsewhere(effect: Effect, all: &Group, parts: &[Part], number: usize) -> Option<Caveat> {
    let way = way(effect)?;
    let (base, other) = all.both(number, Figure::ResponseTime)?;
    let ns = |ratio: Ratio| i128::try_from(ratio.scaled(1)).ok();
    let sum = |of: fn(&Part) -> Ratio| -> Option<i128> {
        parts.iter().map(|part| ns(of(part))).sum::<Option<i128>>()
    };
    let (at_work, now) = (sum(|part| part.base)?, sum(|part| part.other)?);
    let changed = (ns(other)? - ns(base)?) * way;
    let of_it = (now - at_work) * way;
    let shown = |ns: i128| u64::try_from(ns).unwrap_or(u64::MAX);
    (!parts.is_empty() && changed > 0 && of_it * 2 < changed)
        .then(|| Caveat::Elsewhere(shown(at_work), shown(now)))
}

fn parts(captures: &[&Snapshot], all: &Group, number: usize) -> Vec<Part> {
    let of = |place: usize| {
        let answered = all.sides.get(place)?.as_ref()?.counts.answered;
        let parts = crate::verdict::parts(captures.get(place)?);
        (answered > 0).then_some((parts, u128::from(answered)))
    };
    let (Some((base, base_n)), Some((other, other_n))) = (of(0), of(number + 1)) else {
        return Vec::new();
    };
    let each = |ns: u64, of: u128| Ratio {
        part: u128::from(ns),
        of,
    };
    base.into_iter()
        .zip(other)
        .map(|((base, culprit), (other, _))| Part {
            culprit,
            base: each(base, base_n),
            other: each(other, other_n),
        })
        .collect()
}

/// In whom most of the change is: the network or the server, as the response time is no
/// client's; and only if what changed there explains half of the change at least.
fn culprit(effect: Effect, all: &Group, parts: &[Part], number: usize) -> Option<Culprit> {
    let way = way(effect)?;
    let (base, other) = all.both(number, Figure::ResponseTime)?;
    let ns = |ratio: Ratio| i128::try_from(ratio.scaled(1)).ok();
    let changed = (ns(other)? - ns(base)?) * way;
    let inside = parts
        .iter()
        .filter(|part| part.culprit != Culprit::Client)
        .map(|part| Some(((ns(part.other)? - ns(part.base)?) * way, part.culprit)))
        .collect::<Option<Vec<_>>>()?;
    let explained: i128 = inside.iter().map(|(ns, _)| ns).sum();
    inside
        .into_iter()
        .filter(|(ns, _)| *ns > 0 && explained * 2 >= changed)
        .max_by_key(|(ns, _)| *ns)
        .map(|(_, culprit)| culprit)
}

/// The group in which the change cost or saved most: difference of the means, times requests.
fn most(effect: Effect, groups: &[Group], number: usize) -> Option<Key> {
    let way = way(effect)?;
    groups
        .iter()
        .filter(|group| {
            group
                .sure
                .get(number)
                .and_then(|sure| sure.significant(&sure.response_time))
                == Some(true)
        })
        .filter_map(|group| {
            let (base, other) = group.both(number, Figure::ResponseTime)?;
            let ns = |ratio: Ratio| i128::try_from(ratio.scaled(1)).ok();
            let n = i128::from(group.other(number)?.response_time.n);
            let cost = (ns(other)? - ns(base)?).saturating_mul(n);
            Some((cost.saturating_mul(way), &group.key))
        })
        .filter(|(cost, _)| *cost > 0)
        .max_by(|(a, a_key), (b, b_key)| (a, b_key).cmp(&(b, a_key)))
        .map(|(_, key)| key.clone())
}

fn way(effect: Effect) -> Option<i128> {
    match effect {
        Effect::Slower => Some(1),
        Effect::Faster => Some(-1),
        Effect::None | Effect::TooFew => None,
    }
}
