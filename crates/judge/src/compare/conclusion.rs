//! What changed against the baseline, in whom, and what speaks against saying so.

use super::active::ActiveTime;
use super::blame::{self, CulpritTime};
use super::blocks::Block;
use super::load::SameLoads;
use super::losses::{Losses, Repeated};
use super::{
    Caveat, Change, Confidence, EqualLoad, Figure, Group, Key, LEVEL, MATERIAL, Ratio, Work,
    caveat, pauses,
};
use crate::{Culprit, Finding};
use wirewait_analysis::{ENOUGH, Phase, Snapshot};

/// From twice as long, or half as long, on a difference is never said to be none.
const LARGE: [i64; 2] = [1000, -500];

/// Requests and bytes that differ by less, in thousandths, are the same work.
const SAME_WORK: i64 = 10;

/// What became of the work, by what [`Basis`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It takes longer than in the baseline, more than chance explains.
    Slower,
    /// It takes less time likewise.
    Faster,
    /// No difference that chance would not make as well.
    None,
    /// One of the two has too few requests to tell, or what makes a large difference happened too
    /// few times.
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

/// What the effect is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// File data for each active time of the clients: requests are of [other sizes](Work).
    Bytes,
    /// Active time of the clients for each answered request, their pauses included.
    ActiveTime,
    /// The response time: with the pauses nothing changed, as where clients keep a pace.
    ResponseTime,
    /// Both captures are of the same traffic, made at two places.
    SameTraffic,
    /// The time by the clock: the same work, and only pauses that count as idle made it longer.
    Elapsed,
}

impl Basis {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::ActiveTime => "active_time",
            Self::ResponseTime => "response_time",
            Self::SameTraffic => "same_traffic",
            Self::Elapsed => "elapsed",
        }
    }
}

/// What is to be said of one capture against the baseline.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conclusion {
    /// What became of the work.
    pub effect: Effect,
    /// What that is about.
    pub basis: Basis,
    /// How sure that is.
    pub confidence: Confidence,
    /// What decided, if it was file data.
    pub work: Option<Work>,
    /// What all of the time came to, where there is an account of it.
    pub active: Option<ActiveTime>,
    /// Active time for each answered request: client, network, server, as in
    /// [`crate::Verdict`]. Empty where one of the captures has none.
    pub parts: Vec<CulpritTime>,
    /// What response times are within equal load, where that shows that another load made them longer or
    /// shorter, and nothing else did.
    pub by_load: Option<EqualLoad>,
    /// Most of what changed of the active time are pauses between requests that are idle time in one
    /// of the two, and not in the other: it does not decide.
    pub pauses_moved: bool,
    /// Lost frames decided: nothing else would have said more than that it cannot tell.
    pub losses: Option<Losses>,
    /// In whom most of the change is, as far as the captures can tell.
    pub finding: Finding,
    /// The group whose change made most of it.
    pub most: Option<Key>,
    /// What speaks against the comparison.
    pub doubts: Vec<Caveat>,
}

/// What is known of two captures before anything is concluded.
pub(super) struct Premises<'a> {
    pub(super) captures: &'a [&'a Snapshot],
    /// The blocks of each capture.
    pub(super) blocks: &'a [Vec<Block>],
    /// How many requests of each had something retransmitted, where they were seen.
    pub(super) repeated: &'a [Option<Repeated>],
    /// The loads that the other has in common with the baseline.
    pub(super) loads: Option<SameLoads>,
    pub(super) all: &'a Group,
    pub(super) groups: &'a [Group],
    pub(super) mix: &'a [Group],
    /// Whether the other is of the traffic of the baseline.
    pub(super) same_traffic: bool,
}

impl Conclusion {
    /// Judges the other with this number.
    pub(super) fn on(premises: &Premises<'_>, number: usize) -> Self {
        let mut said = Self::of_what_is_known(premises, number);
        if said.doubts.iter().any(Caveat::hides_who) {
            (said.finding, said.most) = (Finding::None, None);
        }
        said
    }

    fn of_what_is_known(premises: &Premises<'_>, number: usize) -> Self {
        let Premises {
            captures,
            repeated,
            all,
            groups,
            mix,
            same_traffic,
            ..
        } = *premises;
        let answered = |place: usize| Some(all.sides.get(place)?.as_ref()?.counts.answered);
        let bytes = |place: usize| Some(all.sides.get(place)?.as_ref()?.moving_bytes);
        let parts = blame::parts(captures, number, answered);
        let sizes = caveat::sizes(mix, number);
        let work = Work::of(premises, &sizes, number);
        let active = ActiveTime::of(premises, number, answered);
        let mut said = Self {
            effect: Effect::None,
            basis: Basis::ResponseTime,
            confidence: Confidence::TooFew(0, 0),
            work: None,
            active,
            parts,
            by_load: None,
            pauses_moved: pauses::moved(captures, number, answered),
            losses: None,
            finding: Finding::None,
            most: None,
            doubts: caveat::doubts(captures, mix, sizes, number),
        };
        let (effect, confidence) = by_response_time(all, number);
        let effect = match effect {
            Effect::Slower | Effect::Faster if !is_material(all, number) => Effect::None,
            effect => effect,
        };
        said.by_load = load_alone(premises, effect, number);
        let effect = match said.by_load {
            Some(_) => Effect::None,
            None => effect,
        };
        let differs = active.is_some_and(|active| beyond(active.change(), MATERIAL));
        if same_traffic && (differs || matches!(effect, Effect::Slower | Effect::Faster)) {
            said.basis = Basis::SameTraffic;
            said.confidence = active.map_or(said.confidence, |active| active.confidence);
            return said;
        }
        let lost = |units: &dyn Fn(usize) -> Option<u64>, change: Change| {
            let material = beyond(change, MATERIAL);
            material
                .then(|| Losses::of(captures, repeated, units, number))
                .flatten()
        };
        if let Some(work) = work {
            let (mut effect, mut backwards) = by_work(&work);
            if undecided(effect)
                && let Some(losses) = lost(&bytes, work.change())
            {
                let more = !matches!(work.change(), Change::Thousandths(..=0));
                (effect, backwards) = (way_of(more), Some(more));
                said.losses = Some(losses);
            }
            if said.pauses_moved {
                (effect, backwards) = (Effect::TooFew, None);
                said.losses = None;
            }
            said.basis = Basis::Bytes;
            said.effect = effect;
            said.confidence = work.confidence;
            if let Some(backwards) = backwards {
                let nobody = blame::unanswered(captures, number, bytes);
                said.finding = blame::finding(&work.parts, backwards, signed(nobody, backwards));
            }
            said.work = Some(work);
            return said;
        }
        // The time for a request is that of requests of the same kind.
        let other_work = said.doubts.iter().any(Caveat::is_other_work);
        let alike = active.filter(|_| !other_work && !said.pauses_moved);
        if let Some((mut by_active, mut backwards)) =
            by_active_time(alike.as_ref(), effect, all, number)
        {
            if undecided(by_active)
                && let Some(change) = alike.map(|active| active.change())
                && let Some(losses) = lost(&answered, change)
            {
                let less = matches!(change, Change::Thousandths(..0));
                (by_active, backwards) = (way_of(less), Some(less));
                said.losses = Some(losses);
            }
            said.basis = Basis::ActiveTime;
            said.effect = by_active;
            said.confidence = active.map_or(confidence, |active| active.confidence);
            if let Some(backwards) = backwards {
                let nobody = blame::unanswered(captures, number, answered);
                said.finding = blame::finding(&said.parts, backwards, signed(nobody, backwards));
            }
            // What grew between requests is in no operation.
            let between = matches!(
                said.finding,
                Finding::Named(Culprit::Client) | Finding::Either(Culprit::Client, _)
            );
            if !between {
                said.most = most(by_active, groups, number, false);
            }
            return said;
        }
        said.effect = effect;
        said.confidence = confidence;
        if effect == Effect::None && only_idle(captures, all, number) {
            said.basis = Basis::Elapsed;
            said.effect = Effect::TooFew;
            return said;
        }
        said.doubts.extend(disagrees(effect, all, number));
        if !said.pauses_moved {
            said.doubts
                .extend(elsewhere(effect, all, &said.parts, number));
        }
        said.finding = inside(effect, all, &said.parts, number);
        said.most = most(effect, groups, number, true);
        said
    }

    /// In whom most of the change is, if it can be told.
    #[must_use]
    pub const fn culprit(&self) -> Option<Culprit> {
        self.finding.culprit()
    }
}

/// Whether chance may have made the difference, if there is one.
fn undecided(effect: Effect) -> bool {
    matches!(effect, Effect::None | Effect::TooFew)
}

/// What it is where the time became less, or more.
fn way_of(less: bool) -> Effect {
    match less {
        true => Effect::Faster,
        false => Effect::Slower,
    }
}

/// Whether it is this large at least, in thousandths, more or less.
pub(super) fn beyond(change: Change, thousandths: i64) -> bool {
    match change {
        Change::Thousandths(n) => n.abs() >= thousandths,
        Change::FromNothing => true,
    }
}

/// Whether response times changed by so much that it matters: their mean, or the typical one.
fn is_material(all: &Group, number: usize) -> bool {
    [Figure::ResponseTime, Figure::ResponseTimeP50]
        .into_iter()
        .filter_map(|figure| all.change(number, figure))
        .any(|change| beyond(change, MATERIAL))
}

/// What response times are within equal load, if they changed as `effect` says, and did not there.
fn load_alone(premises: &Premises<'_>, effect: Effect, number: usize) -> Option<EqualLoad> {
    let way = i64::try_from(way(effect)?).ok()?;
    let loads = premises.loads.as_ref()?;
    let found = loads.test(|block| (block.response_ns, block.responses))?;
    let longer = |change: Change| match change {
        Change::Thousandths(n) => n.saturating_mul(way) >= MATERIAL,
        Change::FromNothing => false,
    };
    let changed = premises.all.change(number, Figure::ResponseTime)?;
    (longer(changed) && !longer(found.slower())).then_some(found)
}

/// Whether it is twice as much or half as much.
fn is_large(change: Change) -> bool {
    match change {
        Change::Thousandths(n) => n >= LARGE[0] || n <= LARGE[1],
        Change::FromNothing => true,
    }
}

/// Whether the same work took another time by the clock, because of pauses that count as idle.
fn only_idle(captures: &[&Snapshot], all: &Group, number: usize) -> bool {
    let idle = |place: usize| {
        captures
            .get(place)
            .map(|one| blame::total(one).get(Phase::Idle))
    };
    let (Some(was), Some(is)) = (idle(0), idle(number + 1)) else {
        return false;
    };
    let same = [Figure::Requests, Figure::DataBytes]
        .into_iter()
        .all(|figure| {
            let change = all.change(number, figure);
            change.is_some_and(|change| !beyond(change, SAME_WORK))
        });
    let longer = all.change(number, Figure::Elapsed);
    let agrees = match longer {
        Some(Change::Thousandths(n)) if n < 0 => is < was,
        _ => is > was,
    };
    same && agrees && longer.is_some_and(is_large)
}

fn signed(ns: f64, backwards: bool) -> f64 {
    if backwards { -ns } else { ns }
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
        Confidence::Tested(_) | Confidence::Blocks(_) => Effect::None,
        Confidence::TooFew(..) => Effect::TooFew,
    };
    (effect, sure.response_time)
}

/// The effect, and whether time became less, if there is a difference.
fn by_work(work: &Work) -> (Effect, Option<bool>) {
    // More data in the same time is less time for the same data.
    let more = !matches!(work.change(), Change::Thousandths(..=0));
    let least = beyond(work.change(), MATERIAL);
    let large = is_large(work.change());
    match work.confidence.p() {
        None => (Effect::TooFew, None),
        Some(p) if p < LEVEL && least && more => (Effect::Faster, Some(true)),
        Some(p) if p < LEVEL && least => (Effect::Slower, Some(false)),
        Some(p) if p >= LEVEL && large => (Effect::TooFew, Some(more)),
        Some(_) => (Effect::None, None),
    }
}

/// Likewise, where the active time for each request decides; `by_response` is what response times
/// say.
fn by_active_time(
    active: Option<&ActiveTime>,
    by_response: Effect,
    all: &Group,
    number: usize,
) -> Option<(Effect, Option<bool>)> {
    let active = active?;
    let values = |place: usize| Some(all.sides.get(place)?.as_ref()?.response_time.n);
    if values(0)?.min(values(number + 1)?) < ENOUGH {
        return None;
    }
    let p = active.confidence.p()?;
    let less = matches!(active.change(), Change::Thousandths(..0));
    let (material, large) = (beyond(active.change(), MATERIAL), is_large(active.change()));
    let effect = way_of(less);
    match p < LEVEL {
        true if material => Some((effect, Some(less))),
        // The typical request says the same, and surely.
        false if large && by_response == effect => None,
        false if large => Some((Effect::TooFew, Some(less))),
        false if material && by_response == Effect::None => Some((Effect::None, None)),
        _ => None,
    }
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
fn elsewhere(effect: Effect, all: &Group, parts: &[CulpritTime], number: usize) -> Option<Caveat> {
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
fn inside(effect: Effect, all: &Group, parts: &[CulpritTime], number: usize) -> Finding {
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
fn most(effect: Effect, groups: &[Group], number: usize, tested: bool) -> Option<Key> {
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

fn way(effect: Effect) -> Option<i128> {
    match effect {
        Effect::Slower => Some(1),
        Effect::Faster => Some(-1),
        Effect::None | Effect::TooFew => None,
    }
}
