//! Cost of symptoms, second by second, for live views.

use super::{RULES, Rule, Subject, Symptom};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;
use wirewait_wire::Timestamp;

const SECOND_NS: i64 = 1_000_000_000;
/// Least step back of the clock that restarts the course, s; longer if more seconds are kept.
const STEP: i64 = 60;
/// Rows that are kept in all seconds together, a symptom of a subject in a second each: about
/// 16 MiB. The oldest seconds are given up early rather than to keep more.
const ROWS: usize = 1 << 17;

/// A rule, by its place in [`RULES`], and its subject.
type CourseKey = (u8, Subject);

/// What was lost in a second.
type CourseRows = BTreeMap<CourseKey, Lost>;

const _: () = assert!(RULES.len() <= 1 << u8::BITS);

/// What was lost in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// How often it happened, in the second in which it was over.
    pub times: u64,
    /// What it cost, ns, in the seconds in which somebody waited.
    pub cost_ns: u64,
}

/// What each symptom cost in some time.
#[derive(Clone, Debug, Default)]
pub struct Losses(BTreeMap<CourseKey, Lost>);

/// What each symptom cost in each of the last seconds, whatever became of its judgement. What
/// cannot be [dated](Rule::dated) is not in it.
#[derive(Clone, Default)]
pub struct SymptomCourse {
    /// By number, counted from 1970; those in which something was lost.
    seconds: BTreeMap<i64, Arc<CourseRows>>,
    /// The latest second.
    latest: Option<i64>,
    /// Seconds that are kept.
    room: i64,
    /// Rows in all of them, and how many there may be.
    rows: usize,
    most: usize,
    /// The first second that was not given up early.
    whole_from: Option<i64>,
    missed: u64,
}

impl Losses {
    /// What a symptom cost. More than [`Symptom::hits`] say where some of that was found to have
    /// another reason since.
    #[must_use]
    pub fn of(&self, symptom: &Symptom) -> Lost {
        let key = number(symptom.rule).map(|rule| (rule, symptom.subject));
        let known = key.and_then(|key| self.0.get(&key).copied());
        known.unwrap_or_default()
    }
}

impl SymptomCourse {
    pub(super) fn new(seconds: u32) -> Self {
        Self {
            room: i64::from(seconds.max(1)),
            most: ROWS,
            ..Self::default()
        }
    }

    /// What was lost from one moment to a later one, whole seconds.
    #[must_use]
    pub fn between(&self, from: Timestamp, to: Timestamp) -> Losses {
        let mut sums = BTreeMap::<CourseKey, Lost>::new();
        let (from, to) = (second(from), second(to));
        if from < to {
            for rows in self.seconds.range(from..to).map(|(_, rows)| rows) {
                for (key, lost) in rows.iter() {
                    sums.entry(*key).or_default().add(*lost);
                }
            }
        }
        Losses(sums)
    }

    /// Before that moment something may be missing, because it took too much memory.
    #[must_use]
    pub fn whole_from(&self) -> Option<Timestamp> {
        let from = self.whole_from?;
        Some(Timestamp::from_nanos(from.saturating_mul(SECOND_NS)))
    }

    /// Times that something was not entered because even a single second took too much memory.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// A frame came.
    pub(super) fn advance(&mut self, now: Timestamp) {
        let now = second(now);
        let behind = |latest: i64| latest.saturating_sub(now);
        if self
            .latest
            .is_some_and(|l| behind(l) >= self.room.max(STEP))
        {
            // What was is no longer before what is.
            self.seconds.clear();
            (self.latest, self.rows, self.whole_from) = (None, 0, None);
        }
        self.go_on(now);
    }

    /// Counts `times` hits that ended at one moment, and their cost up to another.
    pub(super) fn enter(
        &mut self,
        rule: &'static Rule,
        subject: Subject,
        (ended, times): (Timestamp, u64),
        (cost_ns, until): (u64, Timestamp),
    ) {
        let Some(rule) = number(rule) else {
            return;
        };
        let (key, ended) = ((rule, subject), second(ended));
        // Of a time before the clock was set back, and told late.
        let ahead = |latest: i64| ended.saturating_sub(latest) >= STEP;
        if self.latest.is_some_and(ahead) {
            return;
        }
        let mut to = until.as_nanos();
        self.go_on(ended.max(second_before(to)));
        let mut add = |at: i64, times: u64, cost_ns: u64| {
            let kept = at >= self.first();
            if kept {
                self.add(at, key, Lost { times, cost_ns });
            }
            kept
        };
        add(ended, times, 0);
        let mut rest = i64::try_from(cost_ns).unwrap_or(i64::MAX);
        while rest > 0 {
            let at = second_before(to);
            let part = to.saturating_sub(at.saturating_mul(SECOND_NS)).min(rest);
            if part <= 0 || !add(at, 0, part.unsigned_abs()) {
                return;
            }
            (to, rest) = (to - part, rest - part);
        }
    }

    /// Makes this second the latest, unless a later one is.
    fn go_on(&mut self, second: i64) {
        if self.latest.is_some_and(|latest| latest >= second) {
            return;
        }
        self.latest = Some(second);
        let first = self.first();
        while let Some(oldest) = self.seconds.first_entry().filter(|s| *s.key() < first) {
            self.rows -= oldest.remove().len();
        }
        self.whole_from = self.whole_from.filter(|from| *from > first);
    }

    /// The first second that is kept.
    fn first(&self) -> i64 {
        let latest = self.latest.unwrap_or(i64::MIN);
        let room = latest.saturating_sub(self.room - 1);
        self.whole_from.unwrap_or(i64::MIN).max(room)
    }

    fn add(&mut self, at: i64, key: CourseKey, lost: Lost) {
        let known = |rows: &Arc<CourseRows>| rows.contains_key(&key);
        if self.rows >= self.most && !self.seconds.get(&at).is_some_and(known) {
            let Some(oldest) = self.seconds.first_entry().filter(|s| *s.key() < at) else {
                self.missed += 1;
                return;
            };
            self.whole_from = Some(oldest.key().saturating_add(1));
            self.rows -= oldest.remove().len();
        }
        let rows = self.seconds.entry(at);
        let rows = rows.or_default();
        match Arc::make_mut(rows).entry(key) {
            Entry::Occupied(mut known) => known.get_mut().add(lost),
            Entry::Vacant(place) => {
                place.insert(lost);
                self.rows += 1;
            }
        }
    }
}

impl Lost {
    fn add(&mut self, other: Self) {
        self.times = self.times.saturating_add(other.times);
        self.cost_ns = self.cost_ns.saturating_add(other.cost_ns);
    }
}

impl fmt::Debug for SymptomCourse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SymptomCourse")
            .field("seconds", &self.seconds.len())
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

fn number(rule: &'static Rule) -> Option<u8> {
    let at = RULES.iter().position(|known| std::ptr::eq(*known, rule));
    u8::try_from(at?).ok()
}

fn second(at: Timestamp) -> i64 {
    at.as_nanos().div_euclid(SECOND_NS)
}

/// The second in which the last moment before this one lies.
fn second_before(ns: i64) -> i64 {
    ns.saturating_sub(1).div_euclid(SECOND_NS)
}

#[cfg(test)]
mod tests;
