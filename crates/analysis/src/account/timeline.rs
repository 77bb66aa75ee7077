//! The timeline of one client: every instant from its first request to its last answer goes to
//! exactly one phase of exactly one owner.
//!
//! An instant belongs to the oldest request outstanding at it, in the phase that this request is
//! in. With none outstanding it is spent waiting while waits by design are, else it is the
//! client's, or idle where the gap is longer than the think limit; the owner of a gap is the
//! request that ends it.
//!
//! Requests close out of order, and an instant can be given away only once no older request can
//! claim it: closed requests queue behind the oldest open one.

mod closed;
mod elsewhere;
mod gap;

use super::stalls::{OwnedStall, STALLS};
use super::{Outstanding, Phase, Posting, SliceOwner, Ways};
use crate::service_wait::ServiceWait;
use crate::table::TablePlace;
use closed::Closed;
#[cfg(test)]
pub(super) use elsewhere::ELSEWHERE;
pub(crate) use elsewhere::WaitElsewhere;
use gap::Gap;
pub use gap::PauseParts;
use std::collections::VecDeque;
use wirewait_wire::Timestamp;

/// Closed requests that each client may queue behind an older open one.
const QUEUE: usize = 1024;
/// Limit of queued requests of all clients together; above it, and above [`QUEUE`] of its own, a
/// client's oldest is settled early. A client of a pipe queues thousands behind its blocked read.
const TOGETHER: usize = 65_536;
/// Beginnings of requests that are not open any more are dropped together, at least this many at a time.
const SETTLED: usize = 64;
/// Requests in a row that only ask whether the other end is there, and end no pause, at most.
const PROBES: usize = 16;
/// Waits by design, and losses behind complete answers, that are remembered at most.
pub(super) const WAITS: usize = 256;

/// What happened between requests, from and to, and to whom it belongs.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnedStretch {
    from: Timestamp,
    /// `None` while it goes on.
    to: Option<Timestamp>,
    owner: SliceOwner,
    /// When it began by the clock of then.
    began: Timestamp,
    /// What it is.
    phase: Phase,
}

/// A request that was open when the clock of the capture was set.
#[derive(Clone, Copy, Debug)]
struct Spanning {
    began: Timestamp,
    /// What it had of the time before that, if it was the oldest.
    before: Option<(Timestamp, Timestamp)>,
    /// Since when it is open by the clock that is.
    since: Timestamp,
}

/// One client's requests on the way to its account.
#[derive(Clone, Debug)]
pub(super) struct ClientTimeline {
    /// Closed and not settled, by their beginnings.
    queue: VecDeque<Closed>,
    /// Beginnings of those that are open, in order. Those before `over` are not any more: there may
    /// be tens of thousands, and mostly the oldest ends first.
    open: Vec<Timestamp>,
    over: usize,
    /// Every instant before is given away; `None` before the first request closed.
    until: Option<Timestamp>,
    /// Whose response ended then, if one did.
    answered_by: TablePlace,
    /// How much of the pause was given away that goes on behind requests which only ask whether the other end is there,
    /// ns.
    paused_ns: i64,
    /// Losses behind complete answers, and time of which nothing is known, by their beginnings: they count where
    /// nothing is outstanding any more.
    losses: Vec<OwnedStretch>,
    /// Waits by design, by their beginnings.
    waits: Vec<OwnedStretch>,
    /// Stalls of closed requests that are not settled.
    stalls: Vec<OwnedStall>,
    /// Waits for other services since the latest pause.
    elsewhere: Vec<ServiceWait>,
    /// Those that were open when the clock was set.
    spanning: Vec<Spanning>,
}

impl Default for ClientTimeline {
    fn default() -> Self {
        Self {
            // Most clients have one at a time, and four make half a KiB.
            queue: VecDeque::with_capacity(1),
            open: Vec::new(),
            over: 0,
            until: None,
            answered_by: TablePlace::NOWHERE,
            paused_ns: 0,
            losses: Vec::new(),
            waits: Vec::new(),
            stalls: Vec::new(),
            elsewhere: Vec::new(),
            spanning: Vec::new(),
        }
    }
}

impl ClientTimeline {
    /// A request that began at `at` is outstanding.
    #[inline(always)]
    pub(super) fn begins(&mut self, at: Timestamp) {
        match self.open.last() {
            Some(last) if *last > at => {
                let later = self.open[self.over..].iter().rev();
                let later = later.take_while(|other| **other > at);
                self.open.insert(self.open.len() - later.count(), at);
            }
            _ => self.open.push(at),
        }
    }

    /// Whether nothing is outstanding, and it is [plain](Self::is_plain).
    pub(super) fn is_alone(&self) -> bool {
        self.is_plain() && self.open.len() == self.over
    }

    /// Whether no part of the latest times is known to be somebody's.
    pub(super) fn is_plain(&self) -> bool {
        self.losses.is_empty() && self.waits.is_empty() && self.stalls.is_empty()
    }

    /// It no longer is.
    pub(super) fn ends(&mut self, began: Timestamp) {
        let open = &self.open[self.over..];
        // Mostly the oldest does.
        if open.first() == Some(&began) {
            self.over += 1;
            if self.over == self.open.len() {
                self.open.clear();
                self.over = 0;
            } else if self.over >= SETTLED && self.over * 2 >= self.open.len() {
                self.open.drain(..self.over);
                self.over = 0;
            }
            return;
        }
        let place = open.partition_point(|other| *other < began);
        if open.get(place) == Some(&began) {
            self.open.remove(self.over + place);
        }
    }

    /// Time lost from `from` to a retransmission at `to`, or of which nothing is known. Returns whether there was room.
    pub(super) fn lost(
        &mut self,
        (phase, from, to): (Phase, Timestamp, Timestamp),
        owner: SliceOwner,
    ) -> bool {
        let latest = self.losses.last_mut().filter(|latest| {
            let goes_on = latest.from <= from && latest.to.is_some_and(|end| end >= from);
            phase == Phase::Unknown && latest.phase == phase && goes_on
        });
        if let Some(latest) = latest {
            // As much as that is one stretch.
            latest.to = latest.to.max(Some(to));
            return true;
        }
        let room = self.losses.len() < WAITS;
        if room {
            let place = self.losses.partition_point(|other| other.from <= from);
            let stretch = OwnedStretch {
                from,
                to: Some(to),
                owner,
                began: from,
                phase,
            };
            self.losses.insert(place, stretch);
        }
        room
    }

    /// A request that is closed next stood still. Returns whether there was room.
    pub(super) fn stalled(&mut self, stall: OwnedStall) -> bool {
        let room = self.stalls.len() < STALLS;
        if room {
            self.stalls.push(stall);
        }
        room
    }

    /// A wait by design began. Returns whether there are more now than may be.
    pub(super) fn waits(&mut self, from: Timestamp, owner: SliceOwner) -> bool {
        let place = self.waits.partition_point(|other| other.from <= from);
        let stretch = OwnedStretch {
            from,
            to: None,
            owner,
            began: from,
            phase: Phase::Waiting,
        };
        self.waits.insert(place, stretch);
        self.waits.len() > WAITS
    }

    /// Posts waits that are over, with the gaps before them, to make room for others; half of them, so that each
    /// is looked at a few times. Says whether there was one: else the oldest is forgotten.
    #[cold]
    pub(super) fn makes_room(&mut self, think_ns: i64, posting: &mut Posting<'_>) -> bool {
        if let Some(open) = self.open.get(self.over).copied() {
            // What follows is that request's, until it ends.
            self.waits.retain_mut(|wait| match wait.to {
                Some(to) if to > open => {
                    wait.to = Some(open);
                    wait.from < open
                }
                _ => true,
            });
        }
        let mut ends: Vec<_> = self.waits.iter().filter_map(|wait| wait.to).collect();
        let half = ends.len() / 2;
        if !ends.is_empty() {
            let (_, half, _) = ends.select_nth_unstable(half);
            self.gives_up_to(*half, think_ns, posting);
        }
        if self.waits.len() <= WAITS {
            return true;
        }
        self.waits.remove(0);
        false
    }

    /// Gives away all time before the end of a wait, which nothing open can claim.
    fn gives_up_to(&mut self, end: Timestamp, think_ns: i64, posting: &mut Posting<'_>) {
        self.settle(end.plus(1), think_ns, posting);
        let ended = self.waits.iter().find(|wait| wait.to == Some(end));
        if let (Some(until), Some(ended)) = (self.until, ended)
            && end > until
        {
            let gap = Gap {
                owner: ended.owner,
                from: until,
                to: end,
                think_ns,
                more_ns: 0,
            };
            gap.post(&self.losses, &self.waits, posting);
            (self.until, self.answered_by) = (Some(end), TablePlace::NOWHERE);
        }
        self.waits.retain(|wait| wait.to.is_none_or(|to| to > end));
        self.losses.retain(|loss| loss.to.is_none_or(|to| to > end));
    }

    /// The capture is over: the time in which its client waited by design behind everything else is given away, and what was
    /// between.
    pub(super) fn finish(&mut self, think_ns: i64, posting: &mut Posting<'_>) {
        let ends = self.waits.iter().filter_map(|wait| wait.to);
        if let Some(end) = ends.max() {
            let last = self.waits.iter().find(|wait| wait.to == Some(end)).copied();
            self.until = self.until.or(self.waits.first().map(|wait| wait.from));
            let given = self.until;
            self.gives_up_to(end, think_ns, posting);
            if let Some(last) = last.filter(|_| self.until > given) {
                posting.owner(last.owner);
                let from = given.map_or(last.from, |given| last.from.max(given));
                posting.pending.sum.spans(from, end);
            }
        }
    }

    /// The wait of this owner that began then is over.
    pub(super) fn waited(&mut self, from: Timestamp, until: Timestamp) {
        let mut waits = self.waits.iter_mut();
        if let Some(wait) = waits.find(|wait| wait.began == from && wait.to.is_none()) {
            wait.to = Some(until);
        }
    }

    /// The clock was set from `from` to `to`: what is closed is posted, and nobody has the time between. Requests
    /// that are open, but for those that began with the new clock, are so from `to` on; nobody knows what they took.
    /// Whether there are such.
    pub(super) fn clock_was_set(
        &mut self,
        (from, to): (Timestamp, Timestamp),
        think_ns: i64,
        posting: &mut Posting<'_>,
    ) -> bool {
        let open = std::mem::take(&mut self.open);
        let open = open.get(self.over..).unwrap_or_default();
        self.over = 0;
        self.settle(Timestamp::from_nanos(i64::MAX), think_ns, posting);
        let given = self.until.unwrap_or(Timestamp::from_nanos(i64::MIN));
        let (new, mut old): (Vec<_>, Vec<_>) = open.iter().copied().partition(|at| *at == to);
        old.sort_unstable();
        self.open = new;
        // Those of an earlier time are older.
        let mut had = None;
        for spanning in &mut self.spanning {
            let before = (spanning.since.max(given), from);
            had = had.or((before.1 > before.0).then_some(before));
            spanning.since = to;
        }
        for began in old {
            let before = (began.max(given), from);
            let before = (had.is_none() && before.1 > before.0).then_some(before);
            had = had.or(before);
            self.spanning.push(Spanning {
                began,
                before,
                since: to,
            });
        }
        // A pause goes on as if no time had passed between.
        let later = to.since(from);
        self.answered_by = TablePlace::NOWHERE;
        self.until = match self.until {
            _ if !self.spanning.is_empty() => Some(to),
            until => until.map(|until| until.min(from).plus(later)),
        };
        self.losses.clear();
        self.elsewhere.clear();
        self.waits.retain(|wait| wait.to.is_none());
        for wait in &mut self.waits {
            wait.from = wait.from.min(from).plus(later);
        }
        !self.spanning.is_empty()
    }

    /// A request of this owner that was open when the clock was set is so no more, since then if it was
    /// answered.
    #[cold]
    pub(super) fn spanned(
        &mut self,
        (began, owner): (Timestamp, SliceOwner),
        answered: Option<Timestamp>,
        posting: &mut Posting<'_>,
    ) {
        let mut spanning = self.spanning.iter();
        let Some(found) = spanning.position(|one| one.began == began) else {
            return;
        };
        let Spanning { before, since, .. } = self.spanning.remove(found);
        posting.owner(owner);
        if let Some((from, to)) = before {
            posting.slice(Phase::Unknown, from, to);
        }
        // Nothing is older. How long one without a response was waited for is not known.
        let from = self.until.map_or(since, |until| until.max(since));
        if let Some(to) = answered.filter(|to| *to > from) {
            posting.slice(Phase::Unknown, from, to);
            (self.until, self.answered_by) = (Some(to), TablePlace::NOWHERE);
        }
    }

    /// A request is closed; it is posted once it is [settled](Timeline::settle).
    pub(super) fn closed(&mut self, outstanding: &Outstanding, owner: SliceOwner, ways: Ways) {
        let closed = Closed {
            outstanding: *outstanding,
            owner,
            ways,
        };
        let begin = |closed: &Closed| closed.outstanding.begin;
        // Most come in order, or nearly.
        match self.queue.back() {
            Some(last) if begin(last) > outstanding.begin => {
                let later = self.queue.iter().rev();
                let later = later.take_while(|other| begin(other) > outstanding.begin);
                let place = self.queue.len() - later.count();
                self.queue.insert(place, closed);
            }
            _ => self.queue.push_back(closed),
        }
    }

    /// Posts everything that began before `limit`, up to the oldest request that is open. Gaps
    /// up to `think_ns` are the client's.
    #[inline]
    pub(super) fn settle(&mut self, limit: Timestamp, think_ns: i64, posting: &mut Posting<'_>) {
        let before = limit.plus(-1);
        let ripe = self
            .open
            .get(self.over)
            .map_or(before, |open| before.min(*open));
        while let Some(closed) = self.queue.front()
            && (closed.outstanding.begin <= ripe || self.is_crowded(posting))
        {
            let mut more_ns = self.paused_ns;
            if closed.outstanding.probes {
                match self.goes_on_pausing(limit, think_ns) {
                    Some(ns) => more_ns += ns,
                    None => return,
                }
            }
            if !self.elsewhere.is_empty() {
                let pause = (self.until, closed.outstanding.begin);
                elsewhere::paused(&mut self.elsewhere, pause, think_ns, posting);
            }
            self.paused_ns = closed.paused(self.until, self.paused_ns);
            closed.give_away(
                (&mut self.until, &mut self.answered_by),
                (think_ns, more_ns),
                (&mut self.losses, &mut self.waits, &mut self.stalls),
                posting,
            );
            self.queue.pop_front();
            posting.settled();
        }
    }

    /// How long the pause goes on behind the first request of the queue, which only asks whether the other end is there, as
    /// far as that decides whether it is idle; `None` where that is not known yet, ns.
    #[cold]
    #[inline(never)]
    fn goes_on_pausing(&self, limit: Timestamp, think_ns: i64) -> Option<i64> {
        let mut at = self.queue.front()?.outstanding.end();
        let mut ns = 0;
        for closed in self.queue.iter().skip(1).take(PROBES) {
            let Outstanding { begin, probes, .. } = closed.outstanding;
            ns += begin.since(at).max(0);
            if !probes || ns > think_ns {
                return Some(ns);
            }
            at = at.max(closed.outstanding.end());
        }
        let open = self.open.get(self.over).map(|open| open.since(at).max(0));
        let last = limit == Timestamp::from_nanos(i64::MAX);
        let over = limit.since(at) > think_ns || self.queue.len() > PROBES;
        match open {
            Some(pause) => Some(ns + pause),
            None if last => Some(ns),
            None => over.then(|| ns + think_ns + 1),
        }
    }

    /// Whether more wait for an older request than may; the first of them goes ahead then.
    fn is_crowded(&self, posting: &mut Posting<'_>) -> bool {
        let crowded = self.waiting() > QUEUE && posting.waiting() > TOGETHER;
        if crowded {
            posting.goes_ahead();
        }
        crowded
    }

    /// Closed requests that are not settled.
    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether nothing is left to settle.
    pub(super) fn is_settled(&self) -> bool {
        self.queue.is_empty()
    }
}

#[cfg(test)]
mod tests;
