//! In whom a change of response times is, and what speaks against saying so.

use super::blame::{self, CulpritTime};
use super::{Caveat, Change, Effect, Figure, Group, Key, Ratio};
use crate::{Culprit, Finding};

/// Whether most requests changed one way, and their mean the other.
pub(super) fn disagrees(effect: Effect, all: &Group, number: usize) -> Option<Caveat> {
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
pub(super) fn elsewhere(
    effect: Effect,
    all: &Group,
    parts: &[CulpritTime],
    number: usize,
) -> Option<Caveat> {
    let way = way(effect)?;
    let (base, other) = all.both(number, Figure::ResponseTime)?;
    let ns = |ratio: Ratio| i128::try_from(ratio.scaled(1)).ok();
    let sum = |of: fn(&CulpritTime) -> Ratio| -> Option<i128> {
        parts.iter().map(|part| ns(of(part))).sum::<Option<i128>>()
    };
    let (at_work, now) = (sum(|part| part.base)?, sum(|part| part.other)?);
    let changed = (ns(other)? - ns(base)?) * way;
    let of_it = (now - at_work) * way;
    let shown = |ns: i128| u64::try_from(ns).unwrap_or(u64::MAX);
    (!parts.is_empty() && changed > 0 && of_it * 2 < changed)
        .then(|| Caveat::Elsewhere(shown(at_work), shown(now)))
}

/// In whom most of a change of the response time is: the network or the server, as it is no client's;
/// and only if what changed there explains half of the change at least.
pub(super) fn inside(effect: Effect, all: &Group, parts: &[CulpritTime], number: usize) -> Finding {
    let explains = || {
        let way = way(effect)?;
        let (base, other) = all.both(number, Figure::ResponseTime)?;
        let ns = |ratio: Ratio| i128::try_from(ratio.scaled(1)).ok();
        let changed = (ns(other)? - ns(base)?) * way;
        let parts = parts.iter().filter(|part| part.culprit != Culprit::Client);
        let parts: Vec<CulpritTime> = parts.copied().collect();
        let grown = |part: &CulpritTime| Some((ns(part.other)? - ns(part.base)?) * way);
        let grown: i128 = parts.iter().map(grown).sum::<Option<i128>>()?;
        (grown > 0 && grown * 2 >= changed).then(|| blame::finding(&parts, way < 0, 0.0))
    };
    explains().unwrap_or(Finding::None)
}

/// The group in which half of the change or more is: difference of the means, times requests.
pub(super) fn most(effect: Effect, groups: &[Group], number: usize, tested: bool) -> Option<Key> {
    let way = way(effect)?;
    let costs = groups
        .iter()
        .filter(|group| {
            let sure = group.sure.get(number);
            let sure = sure.and_then(|sure| sure.significant(&sure.response_time));
            !tested || sure == Some(true)
        })
        .filter_map(|group| {
            let (base, other) = group.both(number, Figure::ResponseTime)?;
            let ns = |ratio: Ratio| i128::try_from(ratio.scaled(1)).ok();
            let n = i128::from(group.other(number)?.response_time.n);
            let cost = (ns(other)? - ns(base)?).saturating_mul(n);
            Some((cost.saturating_mul(way), &group.key))
        })
        .filter(|(cost, _)| *cost > 0);
    let costs: Vec<(i128, &Key)> = costs.collect();
    let all = costs.iter().map(|(cost, _)| *cost);
    let all = all.fold(0i128, i128::saturating_add);
    let most = costs
        .into_iter()
        .max_by(|(a, a_key), (b, b_key)| (a, b_key).cmp(&(b, a_key)));
    most.filter(|(cost, _)| cost.saturating_mul(2) >= all)
        .map(|(_, key)| key.clone())
}

pub(super) fn way(effect: Effect) -> Option<i128> {
    match effect {
        Effect::Slower => Some(1),
        Effect::Faster => Some(-1),
        Effect::None | Effect::TooFew => None,
    }
}
