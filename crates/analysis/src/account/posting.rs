//! Slices of a client on their way to their owners.

use super::distance::Ways;
use super::stalls::OwnedStall;
use super::{Bounds, Pending, Phase, SliceOwner, Sum, Sums};
use crate::LedgerCourse;
use crate::bounds::Bound;
use wirewait_wire::Timestamp;

/// Of idle time, as much is the network's if it is known to be as long as that, ns: who waits for it sees it.
const LONG_WAY_NS: i64 = 50_000_000;

/// No queue holds a response for longer, ns: its sender would have sent it again. A clock that is set may look so.
const LONGEST_WAY_NS: i64 = 30_000_000_000;

/// Takes the slices of one client.
pub(super) struct Posting<'a> {
    pub(super) sums: &'a mut Sums,
    pub(super) course: Option<&'a mut LedgerCourse>,
    pub(super) pending: &'a mut Pending,
    pub(super) client: &'a mut Sum,
    /// What is left of the ways within the slices of the request and of the gap before it.
    pub(super) ways: Ways,
}

impl Posting<'_> {
    /// What follows belongs to this owner.
    #[inline]
    pub(super) fn owner(&mut self, owner: SliceOwner) {
        if owner != self.pending.owner {
            self.pending.post(self.sums, self.client);
            *self.pending = Pending {
                owner,
                sum: Sum::default(),
            };
        }
    }

    /// A request of this owner was outstanding from then to then.
    #[inline]
    pub(super) fn spans(&mut self, from: Timestamp, to: Timestamp) {
        self.pending.sum.requests += 1;
        self.pending.sum.spans(from, to);
    }

    /// So far the stations are from what follows.
    #[inline]
    pub(super) fn ways(&mut self, ways: Ways) {
        self.ways = ways;
    }

    /// What is left of the way to the client at least, ns; 0 where it is longer than any.
    pub(super) fn way_to_client(&self) -> i64 {
        let way = i64::try_from(self.ways.client.low).unwrap_or(0);
        if way > LONGEST_WAY_NS { 0 } else { way }
    }

    // Part of what settles a request: it has two of them.
    #[inline(always)]
    pub(super) fn slice(&mut self, phase: Phase, from: Timestamp, to: Timestamp) {
        let mut begin = from;
        if let Some(way) = self.ways.within(phase, to.since(from)) {
            self.pending.sum.ledger.add_network(phase, way);
            begin = from.plus(i64::try_from(way.low).unwrap_or(0));
            if begin > from {
                self.piece(Phase::Distance, from, begin);
            }
        } else if phase == Phase::Idle {
            begin = self.had_it_later(from, to);
        }
        self.piece(phase, begin, to);
    }

    /// From when on this idle time is that: what its client still waited for was on its way until then.
    #[cold]
    fn had_it_later(&mut self, from: Timestamp, to: Timestamp) -> Timestamp {
        if self.way_to_client() < LONG_WAY_NS {
            return from;
        }
        // It counts once, however the pause is divided.
        let way = self.ways.within(Phase::Client, to.since(from));
        let low = way.map_or(0, |way| way.low);
        let had = from.plus(i64::try_from(low).unwrap_or(0));
        let way = Bounds { low, high: low };
        self.pending.sum.ledger.add_network(Phase::Client, way);
        self.piece(Phase::Distance, from, had);
        had
    }

    #[inline]
    fn piece(&mut self, phase: Phase, from: Timestamp, to: Timestamp) {
        self.pending.sum.ledger.add(phase, from, to);
        if let Some(course) = &mut self.course {
            course.add(phase, from, to);
        }
    }

    /// A slice of this phase begins for a request.
    pub(super) fn turnaround(&mut self, phase: Phase) {
        match phase {
            Phase::Server => self.pending.sum.turnarounds += 1,
            _ => self.sums.slices.slices += 1,
        }
    }

    /// A station's own time within a transfer or a turnaround.
    #[cold]
    pub(super) fn stall(&mut self, own: &OwnedStall, from: Timestamp, to: Timestamp) {
        let OwnedStall { stall, way, .. } = own;
        let phase = match stall.server {
            true => Phase::Server,
            false => Phase::Client,
        };
        let length = u64::try_from(to.since(from)).unwrap_or(0);
        let way = Bounds {
            low: way.low.min(length),
            high: way.high.min(length),
        };
        let ledger = &mut self.pending.sum.ledger;
        ledger.add_network(phase, way);
        if phase == Phase::Client {
            ledger.add_within_request(length);
        }
        let begin = from.plus(i64::try_from(way.low).unwrap_or(0));
        if begin > from {
            self.piece(Phase::Distance, from, begin);
        }
        self.piece(phase, begin, to);
        self.sums.stalls.add(stall, length - way.low, length);
        self.sums.slices.slices += 1;
    }

    /// A response comes that its server had ready and sent behind something else: no more is the server's than what is beyond the way.
    #[cold]
    pub(super) fn released(&mut self, way: Bounds, from: Timestamp, to: Timestamp) {
        let length = u64::try_from(to.since(from)).unwrap_or(0);
        let way = Bounds {
            low: way.low.min(length),
            high: way.high.min(length),
        };
        self.pending.sum.ledger.add_network(Phase::Server, way);
        let begin = from.plus(i64::try_from(way.low).unwrap_or(0));
        if begin > from {
            self.piece(Phase::Distance, from, begin);
        }
        self.piece(Phase::Server, begin, to);
    }

    /// A gap is the client's.
    pub(super) fn pause(&mut self) {
        self.pending.sum.pauses += 1;
    }

    /// A gap is nobody's.
    pub(super) fn idles(&mut self) {
        self.sums.slices.idles += 1;
    }

    /// A gap is nearly, or hardly, as long as those that are idle.
    #[cold]
    pub(super) fn nearly(&mut self, ns: i64, idle: bool) {
        let ns = u64::try_from(ns).unwrap_or(0);
        let slices = &mut self.sums.slices;
        match idle {
            true => slices.hardly_idle = slices.hardly_idle.saturating_add(ns),
            false => slices.nearly_idle = slices.nearly_idle.saturating_add(ns),
        }
    }

    /// Loss recovery, or a wait, within a gap.
    pub(super) fn within_gap(&mut self, phase: Phase) {
        self.sums.slices.slices += 1;
        self.sums.slices.transfers += u64::from(phase == Phase::Retransmission);
    }

    /// Closed requests of all clients that are not settled.
    pub(super) fn waiting(&self) -> usize {
        self.sums.waiting
    }

    /// One is.
    pub(super) fn settled(&mut self) {
        self.sums.waiting = self.sums.waiting.saturating_sub(1);
    }

    /// A request goes ahead of older ones.
    pub(super) fn goes_ahead(&mut self) {
        self.sums.hits.hit(Bound::AccountQueue);
    }
}
