//! What speaks for a symptom and against it: counts, costs, and the frames to look at.

use super::Rule;
use super::lost_time::LostTime;
use super::window_limit::WindowLimit;
use crate::Mark;
use std::sync::Arc;
use wirewait_wire::Timestamp;
use wirewait_wire::word::Name;

/// Places that are kept of each kind: those that cost most.
const KEPT: usize = 8;
/// Words that are counted apart.
const WORDS: usize = 8;

/// Names that are counted apart.
const NAMES: usize = 64;

/// One place in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// Where it begins.
    pub from: Mark,
    /// Where it ends; the same frame where it is one frame.
    pub to: Mark,
    /// What it cost, ns.
    pub cost_ns: u64,
    /// Until when it cost that.
    pub until: Timestamp,
}

impl Sight {
    pub(super) fn at(mark: Mark) -> Self {
        Self::between(mark, mark)
    }

    pub(super) fn between(from: Mark, to: Mark) -> Self {
        Self {
            from,
            to,
            cost_ns: 0,
            until: to.at,
        }
    }

    /// What it cost was over at another moment than its last frame.
    pub(super) fn until(self, until: Timestamp) -> Self {
        Self { until, ..self }
    }

    /// Nothing, where the clock says that it took less.
    pub(super) fn costing(self, ns: i64) -> Self {
        Self {
            cost_ns: u64::try_from(ns).unwrap_or(0),
            ..self
        }
    }
}

/// All places of one kind: counted, added up, and the most expensive ones kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sights {
    /// How many.
    pub count: u64,
    /// What they cost together, ns: a moment that one client lost to several at once counts once.
    pub cost_ns: u64,
    /// What each of them cost, added up, ns.
    pub total_ns: u64,
    /// The first of them.
    pub first: Option<Mark>,
    /// The last.
    pub last: Option<Mark>,
    kept: Vec<Sight>,
    /// The one added last.
    latest: Option<(u64, u64)>,
    spent: LostTime,
}

impl FromIterator<Sight> for Sights {
    fn from_iter<T: IntoIterator<Item = Sight>>(all: T) -> Self {
        let mut sights = Self::default();
        for sight in all {
            sights.add(&sight, 1);
        }
        sights
    }
}

impl Sights {
    /// Those to look at: the most expensive, in the order of the capture.
    pub fn kept(&self) -> impl Iterator<Item = &Sight> {
        let mut kept: Vec<&Sight> = self.kept.iter().collect();
        kept.sort_by_key(|sight| (sight.from.frame, sight.to.frame));
        kept.into_iter()
    }

    /// Gives what that adds to the cost.
    pub(super) fn add(&mut self, sight: &Sight, times: u64) -> u64 {
        self.count = self.count.saturating_add(times);
        // Parts of one message cost their time once.
        let frames = Some((sight.from.frame, sight.to.frame));
        if std::mem::replace(&mut self.latest, frames) == frames {
            return 0;
        }
        let end = sight.until.as_nanos();
        let cost_ns = i64::try_from(sight.cost_ns).unwrap_or(i64::MAX);
        let lost = match cost_ns {
            0 => 0,
            ns => self.spent.spend(end.saturating_sub(ns), end),
        };
        self.enter(sight, lost)
    }

    /// As [`Self::add`], of what happens one after the other in a conversation.
    #[inline]
    pub(super) fn add_one_by_one(&mut self, sight: &Sight) -> u64 {
        self.count = self.count.saturating_add(1);
        let frames = Some((sight.from.frame, sight.to.frame));
        if std::mem::replace(&mut self.latest, frames) == frames {
            return 0;
        }
        self.enter(sight, sight.cost_ns)
    }

    #[inline]
    fn enter(&mut self, sight: &Sight, cost_ns: u64) -> u64 {
        self.cost_ns = self.cost_ns.saturating_add(cost_ns);
        self.total_ns = self.total_ns.saturating_add(sight.cost_ns);
        self.span(sight.from, sight.to);
        self.keep(sight);
        cost_ns
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.cost_ns = self.cost_ns.saturating_add(other.cost_ns);
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        if let Some((first, last)) = other.first.zip(other.last) {
            self.span(first, last);
        }
        for sight in &other.kept {
            self.keep(sight);
        }
    }

    /// As [`Self::join`], of what the same client lost: a moment counts once.
    fn join_of_client(&mut self, other: &Self) {
        let before = self.cost_ns;
        self.join(other);
        let known = other.spent.ns();
        let lost = self.spent.join(&other.spent);
        let lost = lost.saturating_add(other.cost_ns.saturating_sub(known));
        self.cost_ns = before.saturating_add(lost);
    }

    /// Takes this off the cost of each of them.
    pub(super) fn less(&mut self, each_ns: u64) {
        let all_ns = each_ns.saturating_mul(self.count);
        self.cost_ns = self.cost_ns.saturating_sub(all_ns);
        self.total_ns = self.total_ns.saturating_sub(all_ns);
        for sight in &mut self.kept {
            sight.cost_ns = sight.cost_ns.saturating_sub(each_ns);
        }
    }

    /// The one that cost most.
    pub(super) fn most(&self) -> Option<&Sight> {
        self.kept.first()
    }

    /// What the one that cost most cost, ns.
    pub(super) fn most_ns(&self) -> u64 {
        self.most().map_or(0, |sight| sight.cost_ns)
    }

    fn span(&mut self, from: Mark, to: Mark) {
        if self.first.is_none_or(|first| from.frame < first.frame) {
            self.first = Some(from);
        }
        if self.last.is_none_or(|last| to.frame > last.frame) {
            self.last = Some(to);
        }
    }

    fn keep(&mut self, sight: &Sight) {
        // Most cost less than those that are kept.
        let full = self.kept.len() >= KEPT;
        if full
            && self
                .kept
                .last()
                .is_some_and(|least| sight.cost_ns < least.cost_ns)
        {
            return;
        }
        let rank = |s: &Sight| (std::cmp::Reverse(s.cost_ns), s.from.frame, s.to.frame);
        let place = self.kept.partition_point(|s| rank(s) <= rank(sight));
        if place < KEPT {
            self.kept.truncate(KEPT - 1);
            self.kept.insert(place, *sight);
        }
    }
}

macro_rules! against {
    ($($(#[$doc:meta])* $name:ident = $id:literal, $text:literal;)*) => {
        /// Why something that looks like a symptom is none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Against {
            $($(#[$doc])* $name,)*
        }

        impl Against {
            /// The name used by programs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// In words.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

against! {
    /// It was asked to wait.
    ByDesign = "by_design", "the request asks to be kept waiting until something happens";
    /// The client kept an acknowledgement for which the response waited.
    Acknowledgement = "acknowledgement", "it waited for an acknowledgement of the client, which a timer kept";
    /// Another client had to give a promise back first.
    Break = "break", "another client had to acknowledge an oplock or lease break first";
    /// What was asked is encrypted, and may be a wait by design.
    Encrypted = "encrypted", "encrypted: it may be a wait by design";
    /// Only one direction was captured.
    OneSided = "one_sided", "only one direction was captured: the response may have come";
    /// Its client did not wait for it.
    Abandoned = "abandoned", "the client aborted the connection while it waited";
    /// The capture ended too early to tell.
    EndOfCapture = "end_of_capture", "the capture ends before its time-out had passed";
    /// The capture lost frames.
    CaptureLoss = "capture_loss", "the capture itself missed frames there";
    /// Something was given up because of a limit.
    Limited = "limited", "something was not followed there because of a limit (--limit)";
    /// Queued behind the client's own requests.
    Pipelined = "pipelined", "it queued behind other requests of the same client";
    /// Farther away than the others.
    Distance = "distance", "it is behind more routers than the others";
    /// The way to the station varies.
    Way = "way", "the way to it varies by as much, as acknowledgements show";
    /// Nothing was left to read.
    EndOfFile = "end_of_file", "nothing is refused at the end of a file";
    /// Reads that jump about.
    Scattered = "scattered", "they jump about in the file, as those of a database do";
    /// The connection was closed.
    Closing = "closing", "the connection was closed and never used again";
    /// The station hands on what others send.
    Router = "router", "one of the stations hands on frames of other addresses: a router";
    /// The station was not heard at all any more.
    SwitchedOff = "switched_off", "nothing else was heard of it either: it was switched off or moved";
    /// Two copies closer together than anyone could have sent them.
    Doubled = "doubled", "the copy comes so soon that nobody sent it: doubled on the way or by the capture";
    /// The other side had the first copy.
    Arrived = "arrived", "the first copy had arrived, as what the server sent shows";
    /// The copy was asked for because the response was lost.
    LostResponse = "lost_response", "the response was seen before the repetition: it was lost on its way to the client";
    /// A pipe has nothing to give until something is put in.
    Pipe = "pipe", "it reads from a pipe, and waits until something is written to it";
    /// A link of two stations.
    PointToPoint = "point_to_point", "there are only two stations: the addresses are made up by whoever captured";
    /// A mean that one of them makes alone.
    Single = "single", "one of them alone makes the mean: the others took far less";
    /// Another connection to the same server was opened.
    OtherDoor = "other_door", "the client got another connection to the same server";
}

/// What was gathered for one rule about one subject.
#[derive(Clone, Debug, Default)]
pub(super) struct Cell {
    pub(super) hits: Sights,
    pub(super) against: Vec<(Against, Sights)>,
    /// Operations or statuses, and how often.
    pub(super) words: Vec<(Name, u64)>,
    /// Names that were looked for, and how often.
    pub(super) names: Vec<(Arc<str>, u64)>,
    /// How long that took together, ns.
    pub(super) lasted_ns: u64,
    /// It happens to every one with this number.
    pub(super) every: Option<u64>,
    /// The receive window that allows least, of those that something waited for.
    pub(super) window: Option<WindowLimit>,
}

impl Cell {
    pub(super) fn oppose(&mut self, why: Against, sight: &Sight) {
        let known = self.against.iter().position(|(other, _)| *other == why);
        let place = known.unwrap_or_else(|| {
            self.against.push((why, Sights::default()));
            self.against.len() - 1
        });
        self.against[place].1.add(sight, 1);
    }

    pub(super) fn word(&mut self, word: &'static str, times: u64) {
        if let Some((_, count)) = self.words.iter_mut().find(|(other, _)| *other == word) {
            *count = count.saturating_add(times);
        } else if self.words.len() < WORDS {
            self.words.push((word, times));
        }
    }

    pub(super) fn name(&mut self, name: &Arc<str>, times: u64) {
        if let Some((_, count)) = self.names.iter_mut().find(|(other, _)| other == name) {
            *count = count.saturating_add(times);
        } else if self.names.len() < NAMES {
            self.names.push((Arc::clone(name), times));
        }
    }

    fn join(&mut self, other: &Self, join: fn(&mut Sights, &Sights)) {
        self.every = self.every.or(other.every);
        self.window = [self.window, other.window]
            .into_iter()
            .flatten()
            .min_by_key(WindowLimit::bytes_per_second);
        self.lasted_ns = self.lasted_ns.saturating_add(other.lasted_ns);
        for (name, times) in &other.names {
            self.name(name, *times);
        }
        join(&mut self.hits, &other.hits);
        for (why, sights) in &other.against {
            match self.against.iter_mut().find(|(mine, _)| mine == why) {
                Some((_, mine)) => join(mine, sights),
                None => self.against.push((*why, sights.clone())),
            }
        }
        for (word, times) in &other.words {
            self.word(word, *times);
        }
    }
}

macro_rules! bases {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// Of what a share is a share.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Base {
            $($(#[$doc])* $name,)*
        }

        impl Base {
            const COUNT: usize = [$(Self::$name),*].len();

            /// In words.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

bases! {
    /// Requests that do not wait by design.
    Requests = "requests";
    /// Those of them that concern files rather than connections.
    Work = "requests for files";
    /// Responses to those with a turnaround that is known: exactly, or well enough to call it slow whichever copy of a
    /// repeated request was answered. Reads from pipes wait for what is written there, and are none.
    Timed = "responses to requests for files with a known turnaround";
    /// Encrypted requests that were answered, and may be waits by design as far as anyone can tell without the key.
    Unreadable = "encrypted requests that may be waits by design";
    /// Timed responses to requests that queued behind others of the same client.
    Queued = "responses to pipelined requests";
    /// Requests that open a file or a directory.
    Opens = "opens";
    /// Reads that brought data.
    Reads = "reads";
    /// Reads and writes that say which range of the file they mean.
    Ranged = "reads and writes";
    /// Raw transfers.
    Raw = "raw reads";
    /// Frames with data of requests and answers, repetitions included.
    Frames = "frames with data";
    /// Acknowledgements that came alone.
    Acks = "acknowledgements";
}

/// What was gathered about one subject.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    base: [u64; Base::COUNT],
    cells: Vec<(&'static Rule, Cell)>,
}

impl Book {
    pub(super) fn count(&mut self, base: Base, times: u64) {
        // No more than there are frames.
        self.base[base as usize] += times;
    }

    pub(super) fn of(&self, base: Base) -> u64 {
        self.base[base as usize]
    }

    #[inline(always)]
    pub(super) fn cell(&mut self, rule: &'static Rule) -> &mut Cell {
        let known = self.cells.iter().position(|(r, _)| std::ptr::eq(*r, rule));
        let place = known.unwrap_or_else(|| self.begin(rule));
        &mut self.cells[place].1
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, rule: &'static Rule) -> usize {
        // There are many subjects, and about most there is little to say.
        self.cells.reserve_exact(1);
        self.cells.push((rule, Cell::default()));
        self.cells.len() - 1
    }

    /// It seemed to happen, but this speaks against it.
    pub(super) fn oppose(&mut self, rule: &'static Rule, why: Against, sight: &Sight) {
        self.cell(rule).oppose(why, sight);
    }

    /// What spoke against it is not so.
    pub(super) fn uphold(&mut self, rule: &'static Rule, why: Against) {
        let cell = self.cells.iter_mut().find(|(r, _)| std::ptr::eq(*r, rule));
        if let Some((_, cell)) = cell
            && let Some(at) = cell.against.iter().position(|(other, _)| *other == why)
        {
            let (_, sights) = cell.against.remove(at);
            cell.hits.join_of_client(&sights);
        }
    }

    pub(super) fn known(&self, rule: &'static Rule) -> Option<&Cell> {
        self.cells
            .iter()
            .find(|(r, _)| std::ptr::eq(*r, rule))
            .map(|(_, cell)| cell)
    }

    /// The rules for which something was seen.
    pub(super) fn rules(&self) -> impl Iterator<Item = &'static Rule> + '_ {
        self.cells.iter().map(|(rule, _)| *rule)
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.join_by(other, Sights::join);
    }

    /// As [`Self::join`], where both are of the same client.
    pub(super) fn join_of_client(&mut self, other: &Self) {
        self.join_by(other, Sights::join_of_client);
    }

    fn join_by(&mut self, other: &Self, join: fn(&mut Sights, &Sights)) {
        for (mine, theirs) in self.base.iter_mut().zip(other.base) {
            *mine = mine.saturating_add(theirs);
        }
        for (rule, cell) in &other.cells {
            self.cell(rule).join(cell, join);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sight(frame: u64, cost_ns: u64) -> Sight {
        let mark = Mark {
            frame,
            at: Timestamp::from_nanos(frame as i64 * 1000),
        };
        Sight {
            cost_ns,
            ..Sight::at(mark)
        }
    }

    #[test]
    fn the_most_expensive_are_kept_and_shown_in_order() {
        let mut sights = Sights::default();
        for frame in 1..=20 {
            sights.add(&sight(frame, if frame % 2 == 0 { 100 } else { frame }), 1);
        }
        let kept: Vec<u64> = sights.kept().map(|s| s.from.frame).collect();
        assert_eq!(
            kept,
            [2, 4, 6, 8, 10, 12, 14, 16],
            "the first of ten that cost 100"
        );
        assert_eq!(sights.count, 20);
        assert_eq!(
            sights.cost_ns,
            10 * 100 + (1 + 3 + 5 + 7 + 9 + 11 + 13 + 15 + 17 + 19)
        );
        assert_eq!(sights.first.unwrap().frame, 1);
        assert_eq!(sights.last.unwrap().frame, 20);
    }

    /// Three waits at once, of 3, 4 and 5 s that end at 5, 7 and 6 s, and one of 1 s before them and known after
    /// them: 1 to 7 s are lost once, and 0 to 1 s.
    #[test]
    fn time_that_several_cost_at_once_counts_once() {
        let mut sights = Sights::default();
        let added: Vec<u64> = [(1, 3, 5), (2, 4, 7), (3, 5, 6), (4, 1, 1)]
            .into_iter()
            .map(|(frame, cost, end)| {
                let until = Timestamp::from_nanos(100_000 + end);
                sights.add(&sight(frame, cost).until(until), 1)
            })
            .collect();
        assert_eq!(added, [3, 2, 1, 1]);
        assert_eq!((sights.cost_ns, sights.total_ns), (7, 13));
        assert_eq!(sights.spent.stretches(), [(100_000, 100_007)]);
    }

    /// One client waits from 1 to 4 and from 6 to 9, and in another file from 3 to 7: 8 in all, not 10.
    #[test]
    fn what_one_client_lost_to_several_at_once_counts_once_when_it_is_joined() {
        let of = |waits: &[(u64, u64, i64)]| {
            let mut sights = Sights::default();
            for (frame, cost, end) in waits {
                let until = Timestamp::from_nanos(100_000 + end);
                sights.add(&sight(*frame, *cost).until(until), 1);
            }
            sights
        };
        let (one, other) = (of(&[(1, 3, 4), (2, 3, 9)]), of(&[(3, 4, 7)]));
        let mut joined = one.clone();
        joined.join_of_client(&other);
        assert_eq!((joined.count, joined.cost_ns, joined.total_ns), (3, 8, 10));
        let mut clients = one;
        clients.join(&other);
        assert_eq!(clients.cost_ns, 10, "of two clients");
        // What was not counted by its moments is added.
        let mut apart = Sights::default();
        apart.add_one_by_one(&sight(9, 5));
        joined.join_of_client(&apart);
        assert_eq!(joined.cost_ns, 13);
    }

    proptest! {
        /// However sights are shared out among books, together they are the same.
        #[test]
        fn joined_is_as_if_never_parted(
            costs in proptest::collection::vec((0u64..5, 0usize..3), 0..60)
        ) {
            let mut whole = Sights::default();
            let mut parts = [Sights::default(), Sights::default(), Sights::default()];
            for (frame, (cost, part)) in (1..).zip(&costs) {
                whole.add(&sight(frame, *cost), 1);
                parts[*part].add(&sight(frame, *cost), 1);
            }
            let mut joined = Sights::default();
            for part in parts.iter().rev() {
                joined.join(part);
            }
            joined.latest = whole.latest;
            joined.spent = whole.spent.clone();
            prop_assert_eq!(joined, whole);
        }
    }
}
