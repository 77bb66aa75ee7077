//! Where the time went: every nanosecond between someone's first request and last answer
//! belongs to exactly one part.
//!
//! An instant belongs to the oldest request that is outstanding at it, and there to the
//! phase that this request is in. Where none is outstanding it is the client's, or idle when
//! the pause is long, or waited by design while nothing but such waits is open.
//!
//! Requests close out of order, and an instant can only be given away once it is known that
//! no older request claims it. So closed requests queue up behind the oldest open one.

use crate::LedgerCourse;
use wirewait_wire::Timestamp;

/// A share of elapsed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Share {
    /// Nothing outstanding, and the next request comes soon: work in the client.
    Client,
    /// The request is on its way: t1 to t2.
    Request,
    /// Server turnaround: t2 to t3.
    Server,
    /// The answer is on its way: t3 to t4.
    Response,
    /// A frame was lost: until it was sent again.
    Retransmission,
    /// No answer ever came: until the request was given up.
    Unanswered,
    /// Nothing but waits by design is outstanding.
    Waiting,
    /// Nothing outstanding, and nothing wanted for a while.
    Idle,
}

impl Share {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Client,
        Self::Request,
        Self::Server,
        Self::Response,
        Self::Retransmission,
        Self::Unanswered,
        Self::Waiting,
        Self::Idle,
    ];

    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Request => "request_transfer",
            Self::Server => "server",
            Self::Response => "response_transfer",
            Self::Retransmission => "retransmission",
            Self::Unanswered => "unanswered",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
        }
    }
}

/// Elapsed time, split. Nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger([u64; Share::ALL.len()]);

impl FromIterator<(Share, u64)> for Ledger {
    /// Adds up nanoseconds by share.
    fn from_iter<I: IntoIterator<Item = (Share, u64)>>(parts: I) -> Self {
        let mut ledger = Self::default();
        for (share, ns) in parts {
            let place = &mut ledger.0[share as usize];
            *place = place.saturating_add(ns);
        }
        ledger
    }
}

impl Ledger {
    /// The time of one share.
    #[must_use]
    pub const fn get(&self, share: Share) -> u64 {
        self.0[share as usize]
    }

    /// All shares together: from the first request's first frame to the last answer's last.
    #[must_use]
    pub fn elapsed(&self) -> u64 {
        self.0.iter().fold(0, |sum, ns| sum.saturating_add(*ns))
    }

    /// What was waited for: all but client, waiting by design and idle.
    #[must_use]
    pub fn waited(&self) -> u64 {
        [
            Share::Request,
            Share::Server,
            Share::Response,
            Share::Retransmission,
            Share::Unanswered,
        ]
        .iter()
        .map(|share| self.get(*share))
        .fold(0, u64::saturating_add)
    }

    /// In which somebody was at work: all but waiting by design and idle.
    #[must_use]
    pub fn active(&self) -> u64 {
        self.get(Share::Client).saturating_add(self.waited())
    }

    /// Adds the time of another one.
    pub fn merge(&mut self, other: &Self) {
        for (sum, ns) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(ns);
        }
    }

    /// A ledger with these times, in the order of [`Share::ALL`].
    #[must_use]
    pub const fn from_parts(ns: [u64; Share::ALL.len()]) -> Self {
        Self(ns)
    }

    pub(crate) fn add(&mut self, share: Share, from: Timestamp, to: Timestamp) {
        let ns = u64::try_from(to.since(from)).unwrap_or(0);
        let place = &mut self.0[share as usize];
        *place = place.saturating_add(ns);
    }
}

/// A request from its first frame to the end of waiting for it, phase by phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// When it begins (t1).
    pub(crate) begin: Timestamp,
    /// Where its phases end, in the order in which they come; only those that took time.
    ends: [Timestamp; 5],
    /// What they are.
    shares: [Share; 5],
    phases: u8,
}

impl Passage {
    /// From `begin` on, with phases that end then, in the order in which they come.
    pub(crate) fn new(begin: Timestamp, ends: [Timestamp; 5], shares: &[Share; 5]) -> Self {
        let mut passage = Self {
            begin,
            ends: [begin; 5],
            shares: *shares,
            phases: 0,
        };
        let mut at = begin;
        for (end, share) in ends.into_iter().zip(shares) {
            if end > at {
                let phase = usize::from(passage.phases);
                (passage.ends[phase], passage.shares[phase]) = (end, *share);
                passage.phases += 1;
                at = end;
            }
        }
        passage
    }

    /// The phases of a request that was answered.
    pub(crate) const ANSWERED: &'static [Share; 5] = &[
        Share::Request,
        Share::Retransmission,
        Share::Server,
        Share::Response,
        Share::Retransmission,
    ];
    /// The phases of one that was not.
    pub(crate) const GIVEN_UP: &'static [Share; 5] = &[
        Share::Request,
        Share::Retransmission,
        Share::Server,
        Share::Response,
        Share::Unanswered,
    ];

    /// Each with its end.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (Share, Timestamp)> {
        let phases = self.shares.iter().copied().zip(self.ends);
        phases.take(usize::from(self.phases))
    }
}

/// Closed requests that wait for an older one at most; beyond that the oldest goes ahead.
const QUEUE: usize = 1024;
/// Settled ones that are taken out together, at least.
const SETTLED: usize = 64;
/// Waits by design that are remembered at most.
const WAITS: usize = 256;

/// The books of one pair, client, server or file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    settled: Settled,
    /// Closed, by their beginnings. Those before `next` are settled, and taken out many at a time.
    queue: Vec<Passage>,
    next: usize,
    /// Beginnings of those that are open, in order.
    open: Vec<Timestamp>,
}

/// What was given away so far.
#[derive(Clone, Debug, Default)]
struct Settled {
    ledger: Ledger,
    /// The same by seconds, where somebody wants it.
    course: Option<Box<LedgerCourse>>,
    /// Requests with a part in the servers' share, and pauses that are the client's.
    turnarounds: u64,
    pauses: u64,
    /// Every instant before is given away; `None` before the first request closed.
    until: Option<Timestamp>,
    /// What was sent again when nothing was outstanding any more: from and to.
    losses: Vec<(Timestamp, Timestamp)>,
    /// Waits by design, by their beginnings; open ones have no end yet.
    waits: Vec<(Timestamp, Option<Timestamp>)>,
}

impl Account {
    /// Keeps so many last seconds from now on.
    pub(crate) fn keep_course(&mut self, seconds: u32) {
        self.settled.course = Some(Box::new(LedgerCourse::new(seconds)));
    }

    /// The last seconds, if they are kept.
    pub(crate) fn course(&self) -> Option<&LedgerCourse> {
        self.settled.course.as_deref()
    }

    /// What is settled so far.
    pub(crate) fn ledger(&self) -> Ledger {
        self.settled.ledger
    }

    /// Requests that have a part in the servers' share of it.
    pub(crate) fn turnarounds(&self) -> u64 {
        self.settled.turnarounds
    }

    /// Pauses that are the client's share of it.
    pub(crate) fn pauses(&self) -> u64 {
        self.settled.pauses
    }

    /// A request that began at `at` is outstanding.
    pub(crate) fn begins(&mut self, at: Timestamp) {
        match self.open.last() {
            Some(last) if *last > at => {
                let later = self.open.iter().rev().take_while(|other| **other > at);
                self.open.insert(self.open.len() - later.count(), at);
            }
            _ => self.open.push(at),
        }
    }

    /// It no longer is.
    pub(crate) fn ends(&mut self, began: Timestamp) {
        // Mostly the oldest does.
        let place = match self.open.first() {
            Some(oldest) if *oldest == began => 0,
            _ => self.open.partition_point(|other| *other < began),
        };
        if self.open.get(place) == Some(&began) {
            self.open.remove(place);
        }
    }

    /// What was complete at `from` had to be sent again, until `to`.
    pub(crate) fn lost(&mut self, from: Timestamp, to: Timestamp) {
        let losses = &mut self.settled.losses;
        if losses.len() < WAITS {
            let place = losses.partition_point(|(other, _)| *other <= from);
            losses.insert(place, (from, to));
        }
    }

    /// A wait by design began.
    pub(crate) fn waits(&mut self, since: Timestamp) {
        let waits = &mut self.settled.waits;
        let place = waits.partition_point(|(other, _)| *other <= since);
        waits.insert(place, (since, None));
        if waits.len() > WAITS {
            waits.remove(0);
        }
    }

    /// The wait that began then is over.
    pub(crate) fn waited(&mut self, since: Timestamp, until: Timestamp) {
        let mut waits = self.settled.waits.iter_mut();
        if let Some((_, end)) = waits.find(|(began, end)| *began == since && end.is_none()) {
            *end = Some(until);
        }
    }

    /// A request is closed. Settles what began before `limit`, so that what was sent
    /// before but read later finds its place. Pauses up to `think_ns` are the client's.
    pub(crate) fn closed(&mut self, passage: &Passage, limit: Timestamp, think_ns: i64) {
        // Most come in order, or nearly.
        match self.queue.last() {
            Some(last) if last.begin > passage.begin => {
                let waiting = self.queue.get(self.next..).unwrap_or_default();
                let later = waiting.iter().rev();
                let later = later.take_while(|p| p.begin > passage.begin);
                let place = self.queue.len() - later.count();
                self.queue.insert(place, *passage);
            }
            _ => self.queue.push(*passage),
        }
        self.settle(limit, think_ns);
    }

    /// Settles everything that began before `limit`.
    #[inline]
    pub(crate) fn settle(&mut self, limit: Timestamp, think_ns: i64) {
        // Up to the oldest that is open, and before the limit.
        let before = limit.plus(-1);
        let ripe = self.open.first().map_or(before, |open| before.min(*open));
        while let Some(passage) = self.queue.get(self.next)
            && (passage.begin <= ripe || self.queue.len().saturating_sub(self.next) > QUEUE)
        {
            self.settled.give_away(passage, think_ns);
            self.next += 1;
        }
        if self.next >= SETTLED && self.next * 2 >= self.queue.len() {
            self.queue.drain(..self.next.min(self.queue.len()));
            self.next = 0;
        }
    }
}

impl Settled {
    fn enter(&mut self, share: Share, from: Timestamp, to: Timestamp) {
        self.ledger.add(share, from, to);
        if let Some(course) = &mut self.course {
            course.add(share, from, to);
        }
    }

    fn give_away(&mut self, passage: &Passage, think_ns: i64) {
        let begin = passage.begin;
        let until = self.until.unwrap_or(begin);
        if begin > until {
            if self.losses.is_empty() && self.waits.is_empty() {
                let share = self.whose(begin.since(until), think_ns);
                self.enter(share, until, begin);
            } else {
                self.pause(until, begin, think_ns);
            }
        }
        let mut at = until.max(begin);
        for (share, end) in passage.phases() {
            if end > at {
                self.turnarounds += u64::from(share == Share::Server);
                self.enter(share, at, end);
                at = end;
            }
        }
        self.until = Some(at);
        if !self.waits.is_empty() {
            self.waits.retain(|(_, end)| end.is_none_or(|end| end > at));
        }
        if !self.losses.is_empty() {
            self.losses.retain(|(_, end)| *end > at);
        }
    }

    /// Whose a pause of so long is.
    fn whose(&mut self, ns: i64, think_ns: i64) -> Share {
        if ns <= think_ns {
            self.pauses += 1;
            Share::Client
        } else {
            Share::Idle
        }
    }

    /// Nothing was outstanding from `from` to `to`.
    fn pause(&mut self, from: Timestamp, to: Timestamp, think_ns: i64) {
        let losses = self.losses.iter().map(|(began, end)| (*began, *end));
        let mut at = from;
        let mut lost = Vec::new();
        for (began, end) in losses {
            let (began, end) = (began.max(at), end.min(to));
            if end > began {
                lost.push((began, end));
                at = end;
            }
        }
        // What is left of the pause is as long as it would have been without losses.
        let lost_ns: i64 = lost.iter().map(|(a, b)| b.since(*a)).sum();
        let share = self.whose(to.since(from) - lost_ns, think_ns);
        let mut at = from;
        for (began, end) in lost {
            self.rest(at, began, share);
            self.enter(Share::Retransmission, began, end);
            at = end;
        }
        self.rest(at, to, share);
    }

    /// Nothing was outstanding but waits by design, if those.
    fn rest(&mut self, from: Timestamp, to: Timestamp, share: Share) {
        let mut at = from;
        for wait in 0..self.waits.len() {
            let (began, end) = self.waits[wait];
            let (began, end) = (began.max(at), end.map_or(to, |end| end.min(to)));
            if end > began {
                self.enter(share, at, began);
                self.enter(Share::Waiting, began, end);
                at = end;
            }
        }
        self.enter(share, at, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const THINK: i64 = 100;
    const LATER: Timestamp = Timestamp::from_nanos(i64::MAX);

    fn at(ns: i64) -> Timestamp {
        Timestamp::from_nanos(ns)
    }

    fn passage(t: [i64; 4]) -> Passage {
        let ends = [t[1], t[1], t[2], t[3], t[3]].map(at);
        Passage::new(at(t[0]), ends, Passage::ANSWERED)
    }

    #[test]
    fn phases_without_time_are_none() {
        let ends = [5, 5, 3, 9, 9].map(at);
        let passage = Passage::new(at(2), ends, Passage::ANSWERED);
        let phases: Vec<_> = passage.phases().collect();
        assert_eq!(phases, [(Share::Request, at(5)), (Share::Response, at(9))]);
    }

    fn shares(account: &Account) -> Vec<(Share, u64)> {
        Share::ALL
            .into_iter()
            .map(|share| (share, account.ledger().get(share)))
            .filter(|(_, ns)| *ns > 0)
            .collect()
    }

    #[test]
    fn one_after_the_other() {
        let mut account = Account::default();
        account.closed(&passage([10, 12, 20, 25]), LATER, THINK);
        account.closed(&passage([30, 30, 40, 40]), LATER, THINK);
        account.closed(&passage([500, 500, 501, 501]), LATER, THINK);
        assert_eq!(
            shares(&account),
            [
                (Share::Client, 5),
                (Share::Request, 2),
                (Share::Server, 8 + 10 + 1),
                (Share::Response, 5),
                (Share::Idle, 460),
            ]
        );
        assert_eq!(account.ledger().elapsed(), 491);
        assert_eq!(account.ledger().waited(), 26);
    }

    /// Definition: with overlap each instant belongs to the oldest outstanding request.
    #[test]
    fn an_instant_belongs_to_the_oldest() {
        let mut account = Account::default();
        account.begins(at(0));
        account.begins(at(5));
        account.ends(at(5));
        account.closed(&passage([5, 5, 30, 60]), LATER, THINK);
        assert_eq!(shares(&account), [], "an older one is open");
        account.ends(at(0));
        account.closed(&passage([0, 10, 40, 50]), LATER, THINK);
        assert_eq!(
            shares(&account),
            [
                (Share::Request, 10),
                (Share::Server, 30),
                (Share::Response, 10 + 10),
            ]
        );
    }

    #[test]
    fn waits_by_design_count_where_nothing_else_is_outstanding() {
        let mut account = Account::default();
        account.waits(at(5));
        account.closed(&passage([0, 0, 10, 10]), LATER, THINK);
        account.waited(at(5), at(300));
        account.closed(&passage([400, 400, 410, 410]), LATER, THINK);
        assert_eq!(
            shares(&account),
            [
                (Share::Server, 20),
                (Share::Waiting, 290),
                (Share::Idle, 100),
            ]
        );
    }

    #[test]
    fn what_is_sent_again_after_its_end_is_no_pause_of_the_client() {
        let mut account = Account::default();
        account.closed(&passage([0, 0, 10, 10]), LATER, THINK);
        account.lost(at(10), at(250));
        account.waits(at(200));
        account.closed(&passage([300, 300, 310, 310]), LATER, THINK);
        assert_eq!(
            shares(&account),
            [
                (Share::Server, 20),
                (Share::Retransmission, 240),
                (Share::Waiting, 50),
            ]
        );
    }

    #[test]
    fn the_queue_is_bounded() {
        let mut account = Account::default();
        account.begins(at(0));
        for n in 1..=2 * QUEUE as i64 {
            account.closed(
                &passage([n * 10, n * 10, n * 10 + 5, n * 10 + 5]),
                LATER,
                THINK,
            );
        }
        assert_eq!(account.queue.len() - account.next, QUEUE);
        assert_eq!(account.ledger().get(Share::Server), QUEUE as u64 * 5);
    }

    /// The definition, instant by instant.
    fn by_hand(passages: &[[i64; 4]]) -> [u64; 8] {
        let mut sums = [0; 8];
        let first = passages.iter().map(|t| t[0]).min().unwrap_or(0);
        let last = passages.iter().map(|t| t[3]).max().unwrap_or(0);
        let oldest = |now: i64| {
            let mut found: Option<&[i64; 4]> = None;
            for t in passages.iter().filter(|t| t[0] <= now && now < t[3]) {
                if found.is_none_or(|f| t[0] < f[0]) {
                    found = Some(t);
                }
            }
            found
        };
        let mut now = first;
        while now < last {
            let share = match oldest(now) {
                Some(t) if now < t[1] => Share::Request,
                Some(t) if now < t[2] => Share::Server,
                Some(_) => Share::Response,
                None => {
                    let next = passages.iter().map(|t| t[0]).filter(|t| *t > now).min();
                    let next = next.unwrap_or(last);
                    let share = if next - now <= THINK {
                        Share::Client
                    } else {
                        Share::Idle
                    };
                    sums[share as usize] += (next - now) as u64;
                    now = next;
                    continue;
                }
            };
            sums[share as usize] += 1;
            now += 1;
        }
        sums
    }

    proptest! {
        /// Random conversations with pipelining, closed in the order of their ends: the sum
        /// is the elapsed time, and every part is what the definition says.
        #[test]
        fn parts_sum_to_the_elapsed_time(
            raw in proptest::collection::vec((0i64..2000, 0i64..60, 0i64..300, 0i64..80), 1..40)
        ) {
            let mut passages: Vec<[i64; 4]> = raw
                .iter()
                .map(|(t1, a, b, c)| [*t1, t1 + a, t1 + a + b, t1 + a + b + c])
                .collect();
            // Two with one beginning have no oldest.
            passages.sort_unstable();
            passages.dedup_by_key(|t| t[0]);
            let mut events: Vec<(i64, bool, [i64; 4])> = passages
                .iter()
                .flat_map(|t| [(t[0], false, *t), (t[3], true, *t)])
                .collect();
            events.sort_by_key(|(when, ends, t)| (*when, *ends, t[0]));
            let mut account = Account::default();
            for (when, ends, t) in events {
                if ends {
                    account.ends(at(t[0]));
                    account.closed(&passage(t), at(when), THINK);
                } else {
                    account.begins(at(t[0]));
                }
            }
            account.settle(LATER, THINK);
            let last = passages.iter().map(|t| t[3]).max().unwrap_or(0);
            prop_assert_eq!(account.ledger().elapsed(), (last - passages[0][0]) as u64);
            prop_assert_eq!(account.ledger().0, by_hand(&passages));
        }
    }
}
