//! What changed against the baseline, in whom, and what speaks against saying so.

use super::active::ActiveTime;
use super::blame::{self, CulpritTime};
use super::blocks::Block;
use super::load::SameLoads;
use super::losses::{Losses, Repeated};
use super::sure::Courses;
use super::whose::{disagrees, elsewhere, inside, most, way};
use super::{
    Alike, Basis, By, Caveat, Change, Confidence, Effect, EqualLoad, ErrorChange, Figure, Group,
    Key, LEVEL, MATERIAL, Moved, Side, Tail, Work, caveat, pauses,
};
use crate::{Culprit, Finding};
use wirewait_analysis::{ENOUGH, Phase, Snapshot};

/// From twice as long, or half as long, on a difference is never said to be none.
const LARGE: [i64; 2] = [1000, -500];

/// Requests and bytes that differ by less, in thousandths, are the same work.
const SAME_WORK: i64 = 10;

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
    /// More requests fail than in the baseline, or fewer.
    pub errors: Option<ErrorChange>,
    /// The requests of each operation against those of the same one, where another mix of operations made the mean
    /// request longer or shorter; that decides.
    pub alike: Option<Alike>,
    /// Rows of tables that changed where all together did not, the slower one first.
    pub moved: Vec<Moved>,
    /// Long waits that the rest does not show.
    pub tail: Option<Tail>,
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
    /// What followed each other in each capture.
    pub(super) parts: &'a [Vec<Block>],
    /// How many requests of each had something retransmitted, where they were seen.
    pub(super) repeated: &'a [Option<Repeated>],
    /// The loads that the other has in common with the baseline.
    pub(super) loads: Option<SameLoads>,
    pub(super) all: &'a Group,
    pub(super) groups: &'a [Group],
    pub(super) mix: &'a [Group],
    /// Tables whose rows may have changed where all together did not.
    pub(super) tables: &'a [(By, &'a [Group])],
    /// The times of requests that succeeded, by the rows of the mix, where they were seen.
    pub(super) succeeded: &'a [Courses],
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
        let plain = !matches!(said.basis, Basis::SameTraffic | Basis::Bytes);
        if undecided(said.effect) && plain && said.by_load.is_none() {
            // Where operations decide, other rows are of other mixes of them.
            let by_operation = matches!(said.basis, Basis::Succeeded | Basis::Operations);
            let of_operations = |by: &By| matches!(by, By::Operation | By::Kind);
            let tables = premises.tables.iter();
            let tables = tables.filter(|(by, _)| !by_operation || of_operations(by));
            said.moved = Moved::of(&tables.copied().collect::<Vec<_>>(), number);
        }
        if plain {
            said.tail = Tail::of(premises.mix, premises.succeeded, number).filter(|tail| {
                let told = said.moved.iter().any(|moved| moved.key == tail.key);
                let agrees = match said.effect {
                    Effect::Slower => tail.grew(),
                    Effect::Faster => !tail.grew(),
                    Effect::None | Effect::TooFew => told,
                };
                !agrees && !premises.is_coarse(tail.above_ns, number)
            });
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
        let succeeded = Alike::of(mix, premises.succeeded, number);
        let errors = ErrorChange::among(all, mix, number).map(|errors| ErrorChange {
            succeeded: succeeded.filter(|_| !premises.succeeded.is_empty()),
            ..errors
        });
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
            errors,
            alike: None,
            moved: Vec::new(),
            tail: None,
            losses: None,
            finding: Finding::None,
            most: None,
            doubts: caveat::doubts(captures, mix, sizes, number),
        };
        said.doubts.extend(coarse(premises, number));
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
        if let Some(errors) = said.errors.as_ref().filter(|errors| errors.decides()) {
            said.basis = Basis::Succeeded;
            said.effect = by_alike(errors.succeeded.as_ref());
            if matches!(said.effect, Effect::Slower | Effect::Faster) {
                said.most = most(said.effect, groups, number, true);
            }
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
        said.alike = succeeded.filter(|alike| {
            let mixed = said.doubts.iter().any(Caveat::is_mix) && said.by_load.is_none();
            mixed && is_of_the_mix(all, alike, number)
        });
        if said.alike.is_some() {
            said.basis = Basis::Operations;
            said.effect = by_alike(said.alike.as_ref());
            said.most = most(said.effect, groups, number, true);
            return said;
        }
        // Of other operations for the most part: which, and how many of each, makes the mean request.
        if said.doubts.iter().any(Caveat::is_mostly_other)
            && said.by_load.is_none()
            && matches!(effect, Effect::Slower | Effect::Faster)
            && !succeeded.is_some_and(|alike| has_most(&alike, all, number))
        {
            said.basis = Basis::Operations;
            said.effect = Effect::TooFew;
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

/// What requests of the same operation say.
fn by_alike(alike: Option<&Alike>) -> Effect {
    let Some(alike) = alike else {
        return Effect::TooFew;
    };
    let less = matches!(alike.change(), Change::Thousandths(..0));
    match alike.p < LEVEL && alike.agrees {
        true if beyond(alike.change(), MATERIAL) => way_of(less),
        false if is_large(alike.change()) => Effect::TooFew,
        _ => Effect::None,
    }
}

/// Whether another mix of operations alone makes the mean request a tenth longer or shorter than each operation became;
/// and both captures have most of their requests of operations in common.
fn is_of_the_mix(all: &Group, alike: &Alike, number: usize) -> bool {
    let Some((was, is)) = all.both(number, Figure::ResponseTime) else {
        return false;
    };
    let raw = is.number() / was.number().max(f64::MIN_POSITIVE);
    let alone = alike.other.number() / alike.base.number().max(f64::MIN_POSITIVE);
    let times = (raw / alone).max(alone / raw);
    times >= 1.0 + MATERIAL as f64 / 1000.0 && has_most(alike, all, number)
}

/// Whether both captures have most of their requests of these operations.
fn has_most(alike: &Alike, all: &Group, number: usize) -> bool {
    let most = |of: u64, side: Option<&Side>| {
        side.is_some_and(|side| of.saturating_mul(2) >= side.response_time.n)
    };
    most(alike.requests.0, all.base()) && most(alike.requests.1, all.other(number))
}

/// Clocks by which no single time can be compared.
fn coarse(premises: &Premises<'_>, number: usize) -> Vec<Caveat> {
    let sure = premises.all.sure.get(number).map(|sure| sure.response_time);
    let Some(Confidence::Coarse(widest)) = sure else {
        return Vec::new();
    };
    let of = |place: usize| {
        let tick_ns = premises.captures.get(place)?.tick.ns;
        let base = place == 0;
        (tick_ns == widest).then_some(Caveat::Coarse { base, tick_ns })
    };
    [0, number + 1].into_iter().filter_map(of).collect()
}

impl Premises<'_> {
    /// Whether a clock ticks so rarely that a limit means little.
    fn is_coarse(&self, ns: i64, number: usize) -> bool {
        let ticks = [0, number + 1].map(|place| self.captures.get(place).map(|one| one.tick.ns));
        let tick = ticks.into_iter().flatten().max().unwrap_or(0);
        tick.saturating_mul(2) >= ns.unsigned_abs()
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
        Confidence::TooFew(..) | Confidence::Coarse(_) => Effect::TooFew,
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
    let differs = active.is_beyond_the_clock();
    let material = beyond(active.change(), MATERIAL) && differs;
    let large = is_large(active.change()) && differs;
    let effect = way_of(less);
    let coarse = all.sure.get(number).map(|sure| sure.response_time);
    if let Some(Confidence::Coarse(_)) = coarse {
        // Single times say nothing.
        return Some(match p < LEVEL {
            true if material => (effect, Some(less)),
            false if large => (Effect::TooFew, Some(less)),
            _ if differs || !beyond(active.change(), MATERIAL) => (Effect::None, None),
            _ => (Effect::TooFew, None),
        });
    }
    match p < LEVEL {
        true if material => Some((effect, Some(less))),
        // The typical request says the same, and surely.
        false if large && by_response == effect => None,
        false if large => Some((Effect::TooFew, Some(less))),
        false if material && by_response == Effect::None => Some((Effect::None, None)),
        _ => None,
    }
}
