//! What changed against the baseline, in whom, and what speaks against saying so.

use super::{Caveat, Change, Confidence, Figure, Group, Key, LEVEL, MATERIAL, Ratio, Work, caveat};
use crate::Culprit;
use wirewait_analysis::Snapshot;

/// What became of the service: of the requests' response time, or of the throughput where requests
/// are of [other sizes](Work).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It takes longer than in the baseline, more than chance explains.
    Slower,
    /// It takes less time likewise.
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

/// A culprit's part of the active time, for each answered request, or each byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Conclusion {
    /// What became of the service.
    pub effect: Effect,
    /// How sure that is.
    pub confidence: Confidence,
    /// What decided, if it was not the response time.
    pub work: Option<Work>,
    /// Active time for each answered request: client, network, server, as in
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
        let parts = parts(captures, number, |place| {
            Some(all.sides.get(place)?.as_ref()?.counts.answered)
        });
        let sizes = caveat::sizes(mix, number);
        let work = Work::of(captures, all, mix, &sizes, number);
        let mut doubts = caveat::doubts(captures, mix, sizes, number);
        if let Some(work) = work {
            let effect = by_work(&work);
            return Self {
                effect,
                confidence: work.confidence,
                culprit: most_of(effect, &work.parts),
                work: Some(work),
                parts,
                most: None,
                doubts,
            };
        }
        let (effect, confidence) = by_response_time(all, number);
        doubts.extend(disagrees(effect, all, number));
        doubts.extend(elsewhere(effect, all, &parts, number));
        Self {
            effect,
            confidence,
            work: None,
            culprit: culprit(effect, all, &parts, number),
            most: most(effect, groups, number),
            parts,
            doubts,
        }
    }
}

impl Conclusion {
    /// Whether the time of a single request of this group says nothing, as its requests are of other
    /// sizes.
    #[must_use]
    pub fn differs_in_size(&self, group: &Group) -> bool {
        let of = super::work::kind(&group.key);
        let differs = |c: &Caveat| matches!(c, Caveat::Size { kind, .. } if Some(*kind) == of);
        self.work.is_some() && self.doubts.iter().any(differs)
    }
}

fn by_response_time(all: &Group, number: usize) -> (Effect, Confidence) {
    let Some(sure) = all.sure.get(number) else {
        return (Effect::TooFew, Confidence::TooFew(0, 0));
    };
    let effect = match &sure.response_time {
        Confidence::Tested(test) if test.p < sure.level && test.greater() > 0.5 => Effect::Slower,
        Confidence::Tested(test) if test.p < sure.level => Effect::Faster,
        Confidence::Tested(_) => Effect::None,
        Confidence::TooFew(..) => Effect::TooFew,
    };
    (effect, sure.response_time)
}

fn by_work(work: &Work) -> Effect {
    let Some(p) = work.confidence.p() else {
        return Effect::TooFew;
    };
    match work.change() {
        _ if p >= LEVEL => Effect::None,
        Change::Thousandths(n) if n <= -MATERIAL => Effect::Slower,
        Change::Thousandths(n) if n < MATERIAL => Effect::None,
        Change::Thousandths(_) | Change::FromNothing => Effect::Faster,
    }
}

/// In whom most of the change is.
fn most_of(effect: Effect, parts: &[Part]) -> Option<Culprit> {
    let way = way(effect)? as f64;
    let changes = parts.iter().map(|part| {
        let more = (part.other.number() - part.base.number()) * way;
        (more, part.culprit)
    });
    let most = changes.max_by(|(a, _), (b, _)| a.total_cmp(b));
    most.filter(|(more, _)| *more > 0.0)
        .map(|(_, culprit)| culprit)
}

/// Whether most requests changed one way, and their mean the other.
fn disagrees(effect: Effect, all: &Group, number: usize) -> Option<Caveat> {
    let more = match all.change(number, Figure::ResponseTime) {
        Some(Change::Thousandths(n)) => n,
        _ => 0,
    };
    let disagrees =
        (effect == Effect::Slower && more < 0) || (effect == Effect::Faster && more > 0);
    disagrees.then_some(Caveat::MeanDisagrees)
}

/// Whether active time changed by less than half as much as the response time: what one part
/// lost another gained.
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

/// Everyone's active time, for each of what `of` counts in the capture at a place.
pub(super) fn parts(
    captures: &[&Snapshot],
    number: usize,
    of: impl Fn(usize) -> Option<u64>,
) -> Vec<Part> {
    let of = |place: usize| {
        let n = of(place)?;
        let parts = crate::verdict::parts(captures.get(place)?);
        (n > 0).then_some((parts, u128::from(n)))
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
