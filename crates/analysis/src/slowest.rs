//! The slowest transactions.

use crate::{Flags, Outcome, Snapshot, Transaction};
use wirewait_wire::{Effects, Kind, Timestamp};

/// A request for whose response its client waits no longer: it was given up, or cancelled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnansweredRequest {
    /// The request.
    pub request: Transaction,
    /// For how long its client waited, as the account of time has it: from its first frame to the next request on the connection or the
    /// time-out, ns.
    pub waited_ns: i64,
}

impl UnansweredRequest {
    /// One for which its client waited so long, ns.
    #[must_use]
    pub const fn new(request: Transaction, waited_ns: i64) -> Self {
        Self { request, waited_ns }
    }
}

impl Snapshot {
    /// The requests that clients waited for longest, none of them by design, and for how long, ns: their response times; where there
    /// was no response, until the client gave up, or until the capture ended.
    pub fn longest_requests(&self) -> impl Iterator<Item = (i64, &Transaction)> {
        let answered = self.slowest.iter();
        let answered = answered.map(|t| (t.response_time_ns().unwrap_or(0), t));
        let given_up = self.unanswered.iter();
        let given_up = given_up.map(|of| (of.waited_ns, &of.request));
        let open = self.unfinished.iter();
        let open = open.map(|open| (open.open_ns, &open.request));
        let mut all: Vec<(i64, &Transaction)> = open.chain(given_up).chain(answered).collect();
        all.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        all.into_iter()
    }
}

/// The slowest transactions that did not wait by design, the slowest first.
pub(crate) struct Slowest {
    kept: Vec<(i64, Transaction)>,
    most: usize,
    /// What takes longer is among them.
    beyond: i64,
}

impl Slowest {
    pub(crate) const fn new(most: usize) -> Self {
        Self {
            kept: Vec::new(),
            most,
            beyond: i64::MIN,
        }
    }

    /// A transaction that took so long is closed.
    pub(crate) fn closed(&mut self, t: &Transaction, ns: i64) {
        // Most are faster than those that are kept.
        if ns > self.beyond && t.kind != Kind::Wait {
            self.keep(ns, t);
        }
    }

    /// One that counts in no statistics of times is closed: a response that says that the request was cancelled took its time all
    /// the same.
    #[cold]
    #[inline(never)]
    pub(crate) fn closed_uncounted(&mut self, t: &Transaction) {
        if t.outcome == Outcome::Cancelled
            && !by_design(t)
            && let Some(ns) = t.response_time_ns()
        {
            self.closed(t, ns);
        }
    }

    /// Nobody waits any more for this one, which has no response, since `end`.
    #[cold]
    #[inline(never)]
    pub(crate) fn given_up(&mut self, t: &Transaction, end: Timestamp) {
        // A response that the capture lacks may have been there, and a time over a step of the clock means nothing.
        let unseen = [Flags::ONE_SIDED, Flags::CAPTURE_LOSS, Flags::CLOCK_STEP];
        let unseen = unseen.iter().any(|flag| t.flags.contains(*flag));
        let over = t.outcome == Outcome::Cancelled || t.is_unanswered();
        if over
            && !unseen
            && !by_design(t)
            && !t.everyone
            && let Some(ns) = t.request.map(|request| end.since(request.first.at))
            && ns > 0
        {
            self.closed(t, ns);
        }
    }

    /// Those with a response, and those without.
    pub(crate) fn kept(&self) -> (Vec<Transaction>, Vec<UnansweredRequest>) {
        let (mut answered, mut unanswered) = (Vec::new(), Vec::new());
        for (ns, t) in &self.kept {
            match t.response {
                Some(_) => answered.push(t.clone()),
                None => unanswered.push(UnansweredRequest::new(t.clone(), *ns)),
            }
        }
        (answered, unanswered)
    }

    #[inline(never)]
    fn keep(&mut self, ns: i64, t: &Transaction) {
        let at = self.kept.partition_point(|(longer, _)| *longer >= ns);
        if at < self.most {
            self.kept.truncate(self.most.saturating_sub(1));
            self.kept.insert(at, (ns, t.clone()));
        }
        if self.kept.len() >= self.most {
            self.beyond = self.kept.last().map_or(i64::MAX, |(least, _)| *least);
        }
    }
}

/// Whether its client may have wanted to wait: for a notification, or for what somebody writes to a pipe. A probe only asks
/// whether the other end is there.
fn by_design(t: &Transaction) -> bool {
    let pipe = t.place.as_ref().is_some_and(|place| place.pipes);
    let probe = t.kind == Kind::Other && t.effects.has(Effects::PROBES);
    matches!(t.kind, Kind::Wait | Kind::Break) || probe || pipe && t.work() == Kind::Read
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symptoms::testing::{transaction, unanswered};

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    fn numbers(slowest: &Slowest) -> (Vec<u64>, Vec<(u64, i64)>) {
        let (answered, unanswered) = slowest.kept();
        (
            answered.iter().map(|t| t.number).collect(),
            unanswered
                .iter()
                .map(|of| (of.request.number, of.waited_ns))
                .collect(),
        )
    }

    /// Asked at 10 ms and cancelled, or given up, up to 60 s later; the answered one took 1 s.
    #[test]
    fn those_that_were_cancelled_or_given_up_are_among_them() {
        let mut slowest = Slowest::new(3);
        slowest.closed(&transaction(1, Kind::Read, 0, 1000), 1_000_000_000);
        let mut cancelled = transaction(2, Kind::Open, 0, 10_000);
        cancelled.outcome = Outcome::Cancelled;
        slowest.closed_uncounted(&cancelled);
        let mut notify = transaction(3, Kind::Wait, 0, 900_000);
        notify.outcome = Outcome::Cancelled;
        slowest.closed_uncounted(&notify);
        // An orphan, or one that was given up because of a limit.
        let mut orphan = transaction(4, Kind::Read, 0, 900_000);
        orphan.outcome = Outcome::OrphanResponse;
        slowest.closed_uncounted(&orphan);
        let lost = unanswered(5, Kind::Read, 10);
        let begun = lost.request.unwrap().first.at;
        slowest.given_up(&lost, begun.plus(60_000_000_000));
        assert_eq!(numbers(&slowest), (vec![2, 1], vec![(5, 60_000_000_000)]));
        // Without a response, it is known that it was cancelled.
        let mut withdrawn = unanswered(6, Kind::Open, 10);
        withdrawn.outcome = Outcome::Cancelled;
        slowest.given_up(&withdrawn, begun.plus(2_000_000_000));
        let given_up = vec![(5, 60_000_000_000), (6, 2_000_000_000)];
        assert_eq!(numbers(&slowest), (vec![2], given_up));
    }

    #[test]
    fn what_may_have_been_answered_or_waits_by_design_is_none_of_them() {
        let mut slowest = Slowest::new(9);
        let flags = [
            Flags::ONE_SIDED,
            Flags::CAPTURE_LOSS,
            Flags::CLOCK_STEP,
            Flags::OPEN_AT_END,
        ];
        for flag in flags {
            let mut t = unanswered(1, Kind::Read, 0);
            t.flags.set(flag);
            slowest.given_up(&t, at(60_000));
        }
        for kind in [Kind::Wait, Kind::Break] {
            slowest.given_up(&unanswered(2, kind, 0), at(60_000));
        }
        let mut everyone = unanswered(3, Kind::Session, 0);
        everyone.everyone = true;
        slowest.given_up(&everyone, at(60_000));
        let mut limited = unanswered(4, Kind::Read, 0);
        limited.outcome = Outcome::GivenUp;
        slowest.given_up(&limited, at(60_000));
        assert_eq!(numbers(&slowest), (vec![], vec![]));
    }
}
