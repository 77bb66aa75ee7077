//! The account of time. Each client has one [timeline](timeline); its slices are posted to their
//! owners, and every row of servers, pairs, shares and files is the sum of slices that it owns.
//! So the sums over clients, over servers, over pairs and the total are one number, in
//! nanoseconds of clients' time.

mod ceiling;
mod distance;
mod doubts;
mod operations;
mod order;
mod outstanding;
mod phase;
mod posting;
mod rows;
mod stalls;
mod sums;
mod timeline;
mod unsure;

use crate::bounds::{Bound, Hits};
use crate::case::{NewWait, Wait};
use crate::column::Column;
use crate::lateness::Lateness;
use crate::packets::TIMER_NS;
use crate::service_wait::ServiceWait;
use crate::stalls::Stall;
use crate::table::TablePlace;
use crate::tick::ClockTick;
use crate::{LedgerCourse, Settings};
pub(crate) use ceiling::{BOTH_SHORTEST, Ceiling, Took, on_line};
pub(crate) use distance::{
    DataThere, Distance, DistanceAt, Evidence, STEADY, Variation, WholeAnswers,
};
use distance::{Nearest, OwedWay, Paces, PairWays, ServerWay, Ways};
pub(crate) use operations::Operations;
use order::ServerOrder;
pub(crate) use outstanding::{ASKED_AGAIN, COPIED, Outstanding, ReachedAt, SURE, UNNUMBERED};
pub use phase::{Bounds, Ledger, Phase};
use posting::Posting;
pub(crate) use rows::{give, varied};
use sums::{Pending, SliceOwner, Sum, Sums};
use timeline::ClientTimeline;
pub use timeline::PauseParts;
pub(crate) use timeline::WaitElsewhere;
use unsure::Paused;
pub use unsure::UnsurePauses;
pub(crate) use unsure::UnsureTime;
use wirewait_wire::Timestamp;

/// A request is settled when nothing older can be on its way any more: this long after it
/// began, ns. A request counts from its first byte, but is known when it is complete.
const LAG_NS: i64 = 500_000_000;

/// The account of all clients.
pub(crate) struct Accounts {
    clients: Column<Client>,
    servers: Column<ServerPace>,
    /// How far servers and clients are, each with the other.
    pairs: Column<PairWays>,
    /// What may have been lost before the capture.
    unsure: UnsureTime,
    /// Of the request whose wait ends next.
    stalled: Vec<(Stall, Bounds)>,
    late: [Lateness; 2],
    sums: Sums,
    /// The total by seconds, where somebody wants it.
    course: Option<Box<LedgerCourse>>,
    think_ns: i64,
}

#[derive(Clone, Default)]
struct Client {
    timeline: ClientTimeline,
    sum: Sum,
    pending: Pending,
    nearest: Nearest,
    paused: Paused,
}

/// What is remembered of a server.
#[derive(Clone, Default)]
struct ServerPace {
    way: ServerWay,
    paused: Paused,
    order: ServerOrder,
}

impl Accounts {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            clients: Column::new(),
            servers: Column::new(),
            pairs: Column::new(),
            unsure: Default::default(),
            stalled: Vec::new(),
            late: [Lateness::NONE; 2],
            sums: Sums::new(),
            course: None,
            think_ns: settings.think_ns,
        }
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> Hits {
        self.sums.hits
    }

    /// What may be loss recovery before the capture.
    pub(crate) fn unsure(&self) -> UnsureTime {
        self.unsure
    }

    /// The slices that a clock of such ticks may have stamped wrong.
    pub(crate) fn ticked(&self, (ns, period_ns): (u64, u64)) -> ClockTick {
        ClockTick {
            ns,
            period_ns,
            ..self.sums.slices
        }
    }

    /// Keeps this many last seconds of the total from now on.
    pub(crate) fn keep_course(&mut self, seconds: u32) {
        self.course = Some(Box::new(LedgerCourse::new(seconds)));
    }

    /// The last seconds, if they are kept.
    pub(crate) fn course(&self) -> Option<&LedgerCourse> {
        self.course.as_deref()
    }

    /// The clock of the capture stepped back: the last seconds begin anew.
    pub(crate) fn clock_stepped(&mut self) {
        if let Some(course) = &mut self.course {
            course.clear();
        }
    }

    /// A client waits for a request.
    pub(crate) fn begins(&mut self, wait: &impl NewWait, evidence: &impl Evidence) {
        let place = wait.places().client;
        // Who will answer a question to anyone is not known yet.
        if !wait.anyone() && !place.is_nowhere() {
            let client = self.client(place);
            let ends = [wait.server(), wait.client()];
            client.nearest.began(ends, evidence);
            client.timeline.begins(wait.began());
        }
    }

    /// Request and response of the one whose wait ends next were so much longer than others on their way.
    #[cold]
    pub(crate) fn late(&mut self, late: [Lateness; 2]) {
        self.late = late;
    }

    /// It no longer does, since `at`.
    pub(crate) fn ends(
        &mut self,
        wait: Wait<'_>,
        at: Timestamp,
        done: Option<&Outstanding>,
        (evidence, operations): (&impl Evidence, &mut Operations),
    ) {
        let nobody = wait.case.parties.client.is_nowhere();
        if nobody || wait.anyone && wait.case.transaction.response.is_none() {
            self.stalled.clear();
            self.late = Default::default();
            return;
        }
        let client = self.client(wait.case.parties.client);
        if !wait.anyone {
            client.timeline.ends(wait.began);
        }
        if let Some(done) = done {
            let owner = SliceOwner::of(wait.case, operations);
            let stalled;
            let done = match self.stalled.is_empty() {
                true => done,
                false => {
                    self.leave_lines_out(wait, evidence);
                    stalled = done.stalled(&mut self.stalled);
                    &stalled
                }
            };
            let ways = self.ways((wait, &owner), done, evidence);
            if done.is_stalled() {
                self.keep_stalls((wait, done), owner, evidence);
            }
            let client = self.clients.of(wait.case.parties.client);
            client.timeline.closed(done, owner, ways);
            self.sums.waiting += 1;
            let t = wait.case.transaction;
            let request = t.request.is_some_and(|of| of.first.frame != of.last.frame);
            let response = t.response_bytes > t.response_head_bytes;
            self.sums.slices.requests += 1;
            self.sums.slices.transfers += u64::from(request) + u64::from(response);
            let course = self.course.as_deref_mut();
            client.settle(at.plus(-LAG_NS), self.think_ns, &mut self.sums, course);
        } else {
            self.stalled.clear();
            self.late = Default::default();
            self.spanned(wait, at, operations);
        }
    }

    /// A request ended of which it is not known how long it was: it may have been open when the clock was set.
    #[cold]
    fn spanned(&mut self, wait: Wait<'_>, at: Timestamp, operations: &mut Operations) {
        let client = self.clients.of(wait.case.parties.client);
        let owner = SliceOwner::of_stretch(wait.case, operations);
        let course = self.course.as_deref_mut();
        let (timeline, mut posting) = client.posting(&mut self.sums, course);
        let answered = wait.case.transaction.response.map(|_| at);
        let began = (wait.began, owner);
        timeline.spanned(began, answered, &mut posting);
    }

    /// The clock of the capture was set from one of these to the other: nobody has the time between. `unsure`: it may
    /// not have been set, and clients waited for so long.
    #[cold]
    pub(crate) fn clock_was_set(&mut self, seam: (Timestamp, Timestamp), unsure: bool) {
        let think_ns = self.think_ns;
        let silent = u64::try_from(seam.1.since(seam.0)).unwrap_or(0);
        for client in self.clients.values_mut() {
            client.nearest.clock_was_set();
            let course = self.course.as_deref_mut();
            let (timeline, mut posting) = client.posting(&mut self.sums, course);
            let waited = timeline.clock_was_set(seam, think_ns, &mut posting);
            if unsure && waited {
                self.unsure.silences.add(1, silent);
            }
        }
    }

    /// A wait by design began.
    pub(crate) fn waits(&mut self, wait: Wait<'_>, operations: &mut Operations) {
        let owner = SliceOwner::of_stretch(wait.case, operations);
        let place = wait.case.parties.client;
        if !self.client(place).timeline.waits(wait.began, owner) {
            return;
        }
        let client = self.clients.of(place);
        let course = self.course.as_deref_mut();
        let (timeline, mut posting) = client.posting(&mut self.sums, course);
        if !timeline.makes_room(self.think_ns, &mut posting) {
            self.sums.hits.hit(Bound::AccountWaits);
        }
    }

    /// It is over since `at`.
    pub(crate) fn waited(&mut self, wait: Wait<'_>, at: Timestamp) {
        let client = self.client(wait.case.parties.client);
        client.timeline.waited(wait.began, at);
    }

    /// From the beginning of the wait to `at` the response, or the request, was lost.
    pub(crate) fn lost(&mut self, wait: Wait<'_>, at: Timestamp, operations: &mut Operations) {
        if wait.case.transaction.response.is_some()
            && let Some(client) = self.clients.known(wait.case.parties.client)
        {
            client.nearest.had_it_later(wait.began, at);
        }
        self.within_gaps(Phase::Retransmission, wait, at, operations);
    }

    /// From the beginning of the wait to `at` the client asked for something that the capture lacks: what it did then,
    /// and for how long it waited, is not known.
    #[cold]
    pub(crate) fn unseen(&mut self, wait: Wait<'_>, at: Timestamp, operations: &mut Operations) {
        self.within_gaps(Phase::Unknown, wait, at, operations);
    }

    /// As far as nothing is outstanding, the time from the beginning of the wait to `at` is this.
    fn within_gaps(
        &mut self,
        phase: Phase,
        wait: Wait<'_>,
        at: Timestamp,
        operations: &mut Operations,
    ) {
        let place = wait.case.parties.client;
        if place.is_nowhere() {
            return;
        }
        let owner = SliceOwner::of_stretch(wait.case, operations);
        let stretch = (phase, wait.began, at);
        if !self.client(place).timeline.lost(stretch, owner) {
            self.sums.hits.hit(Bound::AccountWaits);
        }
    }

    /// A client waited for another service; what of its pauses that was shows when they are settled.
    #[cold]
    pub(crate) fn waited_elsewhere(&mut self, place: TablePlace, wait: ServiceWait) {
        if let Some(client) = self.clients.known(place)
            && !client.timeline.waited_elsewhere(wait)
        {
            self.sums.hits.hit(Bound::Services);
        }
    }

    /// Takes out the pauses in which clients waited for other services.
    #[cold]
    pub(crate) fn take_elsewhere(&mut self) -> Vec<WaitElsewhere> {
        std::mem::take(&mut self.sums.elsewhere)
    }

    /// Settles what began long enough before `now`.
    pub(crate) fn settle(&mut self, now: Timestamp) {
        self.settle_before(now.plus(-LAG_NS));
    }

    /// Everything is closed.
    pub(crate) fn finish(&mut self) {
        self.settle_before(Timestamp::from_nanos(i64::MAX));
        let think_ns = self.think_ns;
        for client in self.clients.values_mut() {
            let course = self.course.as_deref_mut();
            let (timeline, mut posting) = client.posting(&mut self.sums, course);
            timeline.finish(think_ns, &mut posting);
        }
    }

    fn settle_before(&mut self, limit: Timestamp) {
        self.owe_pauses();
        let think_ns = self.think_ns;
        for client in self.clients.values_mut() {
            let course = self.course.as_deref_mut();
            client.settle(limit, think_ns, &mut self.sums, course);
        }
    }

    /// How far the two are, as far as that is known when the request is closed.
    fn ways(
        &mut self,
        (wait, owner): (Wait<'_>, &SliceOwner),
        done: &Outstanding,
        evidence: &impl Evidence,
    ) -> Ways {
        let t = wait.case.transaction;
        let pace = self.servers.of(wait.case.parties.server);
        pace.paused.closed();
        let waited = pace.order.answers(t);
        let client = self.clients.of(wait.case.parties.client);
        client.nearest.closed(t, done);
        client.paused.closed();
        let own = self.pairs.of(wait.case.parties.pair);
        let paces = Paces {
            server: &mut pace.way,
            own: &mut *own,
        };
        let mut ways = client
            .nearest
            .ways((wait.case, done, owner), (paces, waited), evidence);
        let pause = client.nearest.pause(done.begin);
        if let Some((phase, owed)) = own.owed() {
            self.owes(phase, &owed, wait.case.parties.client);
        }
        let long = |ns: Option<i64>| ns.is_some_and(|ns| ns >= TIMER_NS);
        let [request, response] = done.unsure;
        if request != SURE && long(pause) || response != SURE && long(t.turnaround.least()) {
            self.doubts((wait, owner), done, &mut ways);
        }
        if response < COPIED {
            self.copied(response, &mut ways);
        }
        if self.late != [Lateness::NONE; 2] {
            let late = std::mem::take(&mut self.late);
            let client = self.clients.of(wait.case.parties.client);
            ways.late(late, client.nearest.vary());
        }
        ways
    }

    /// The client who waits.
    #[inline]
    fn client(&mut self, place: TablePlace) -> &mut Client {
        if let Some(gone) = self.clients.renew(place) {
            self.leaves(gone);
        }
        self.clients.of(place)
    }

    /// A client of another address is the same machine as `first`: what it does belongs to one account.
    #[cold]
    pub(crate) fn is_same(&mut self, place: TablePlace, first: TablePlace) {
        if place == first || place.is_nowhere() || self.clients.known(first).is_none() {
            return;
        }
        if let Some(own) = self.clients.shares(place, first) {
            let sum = self.leaves(own);
            self.clients.of(first).sum.merge(&sum);
        }
        self.clients.of(first).nearest.has_several();
    }

    /// A client has to go; the owners of its slices keep their time.
    #[cold]
    fn leaves(&mut self, mut gone: Client) -> Sum {
        let last = Timestamp::from_nanos(i64::MAX);
        let course = self.course.as_deref_mut();
        gone.settle(last, self.think_ns, &mut self.sums, course);
        let left = gone.timeline.waiting();
        self.sums.waiting = self.sums.waiting.saturating_sub(left);
        gone.pending.post(&mut self.sums, &mut gone.sum);
        gone.sum
    }
}

impl Client {
    fn settle(
        &mut self,
        limit: Timestamp,
        think_ns: i64,
        sums: &mut Sums,
        course: Option<&mut LedgerCourse>,
    ) {
        let (timeline, mut posting) = self.posting(sums, course);
        timeline.settle(limit, think_ns, &mut posting);
    }

    /// Its timeline, and what takes the slices of that.
    #[inline]
    fn posting<'a>(
        &'a mut self,
        sums: &'a mut Sums,
        course: Option<&'a mut LedgerCourse>,
    ) -> (&'a mut ClientTimeline, Posting<'a>) {
        let posting = Posting {
            sums,
            course,
            pending: &mut self.pending,
            client: &mut self.sum,
            ways: Ways::default(),
        };
        (&mut self.timeline, posting)
    }
}

#[cfg(test)]
mod tests;
