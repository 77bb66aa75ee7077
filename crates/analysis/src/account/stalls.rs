//! Stalls on their way to the account: stretches of requests that are over which are a station's own time.
//!
//! A closed window, a delayed acknowledgement and a sender that stops lie within a transfer, a break within a turnaround. They are laid over
//! the slices of these phases as they are posted, so that what another request has of the same time stays its own.

use super::distance::{DistanceAt, Evidence};
use super::{Accounts, Bounds, Outstanding, Phase, Posting, SliceOwner};
use crate::bounds::Bound;
use crate::case::Wait;
use crate::packets::TIMER_NS;
use crate::stalls::{GivenBack, STOPPED_NS, Stall, StallCause};
use crate::table::TablePlace;
use wirewait_wire::Timestamp;

/// Stalls of requests of a client that are closed and not settled.
pub(super) const STALLS: usize = 256;

/// Bytes of data in a segment that an acknowledgement is late for.
const SEGMENT: u64 = 1460;

/// A stall, and the request that has it: when that began, and between whom.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnedStall {
    pub(super) begin: Timestamp,
    pub(super) pair: TablePlace,
    pub(super) stall: Stall,
    /// What of it is the way between the station and the capture, or the sender.
    pub(super) way: Bounds,
}

impl StallCause {
    /// Whether such a stall lies within this phase.
    const fn is_within(self, phase: Phase) -> bool {
        match self {
            Self::Break => matches!(phase, Phase::Server),
            Self::ClosedWindow | Self::DelayedAcknowledgement | Self::Stopped => {
                matches!(phase, Phase::Request | Phase::Response)
            }
        }
    }
}

impl Accounts {
    /// What the wait that ends next was for.
    #[cold]
    pub(crate) fn stalled(&mut self, stall: &Stall) {
        self.stalled.push((*stall, Bounds::default()));
    }

    /// The wait that ends next was for another client, which gave something back.
    #[cold]
    #[inline(never)]
    pub(crate) fn awaited(&mut self, wait: Wait<'_>, given: &GivenBack, evidence: &impl Evidence) {
        let server = &wait.case.transaction.server;
        let distance = evidence.of(&given.holder, server, &mut DistanceAt::default());
        let way = distance.way(self.shortest_gap(given.at), 0);
        self.stalled.push((given.stall(), way));
    }

    /// The shortest gap of a client, ns.
    fn shortest_gap(&mut self, client: TablePlace) -> u64 {
        let client = self.clients.known(client);
        client.map_or(u64::MAX, |client| client.nearest.shortest_gap())
    }

    /// The stalls of a request that is over.
    #[cold]
    #[inline(never)]
    pub(super) fn keep_stalls(
        &mut self,
        (wait, done): (Wait<'_>, &Outstanding),
        owner: SliceOwner,
        evidence: &impl Evidence,
    ) {
        let t = wait.case.transaction;
        let place = wait.case.parties.client;
        let least = [
            self.shortest_gap(place),
            self.servers.of(wait.case.parties.server).way.shortest(),
        ];
        let way = |server: bool, more: u64| {
            let (end, other) = match server {
                true => (&t.server, &t.client),
                false => (&t.client, &t.server),
            };
            let distance = evidence.of(end, other, &mut DistanceAt::default());
            distance.way(least[usize::from(server)], more)
        };
        let of = |end, other| evidence.of(end, other, &mut DistanceAt::default()).reach;
        let is_steady = |server: bool| {
            let reach = match server {
                true => of(&t.server, &t.client),
                false => of(&t.client, &t.server),
            };
            reach.variation.known && reach.variation.deviation == 0
        };
        let is_here = |server: bool| {
            let ends = [of(&t.client, &t.server), of(&t.server, &t.client)];
            ends[usize::from(server)].is_here(&ends[usize::from(!server)])
        };
        let timeline = &mut self.clients.of(place).timeline;
        for (stall, known) in self.stalled.drain(..) {
            let way = match stall.cause {
                StallCause::Break => known,
                // Until the sender knew, the window was open for it, or closed no more: any part of a way there and
                // back between the two.
                StallCause::ClosedWindow => Bounds {
                    low: 0,
                    high: way(true, 0).high.saturating_add(way(false, 0).high),
                },
                // Of data in one segment.
                StallCause::DelayedAcknowledgement => way(stall.server, SEGMENT),
                StallCause::Stopped => {
                    // It may have waited for the acknowledgement, and its way; or not at all.
                    let way = way(stall.server, 0).high.saturating_add(stall.lacked_ns);
                    if stall.ns() < way.saturating_add(STOPPED_NS.unsigned_abs()) {
                        continue;
                    }
                    // What is late by less than a timer may have been under way so long, where nothing shows a steady way.
                    let late = stall.ns() < TIMER_NS.unsigned_abs() && !is_steady(stall.server);
                    let lost = (stall.unsure || late) && !is_here(stall.server);
                    Bounds {
                        low: 0,
                        high: if lost { u64::MAX } else { way },
                    }
                }
            };
            let stall = OwnedStall {
                begin: done.begin,
                pair: owner.pair,
                stall,
                way,
            };
            if !timeline.stalled(stall) {
                self.sums.hits.hit(Bound::Stalls);
            }
        }
    }
}

/// Posts the slices of a request from `at` on with its stalls, and forgets those; where the slices end, and with
/// which phase.
#[cold]
#[inline(never)]
pub(super) fn post(
    outstanding: &Outstanding,
    (pair, mut at): (TablePlace, Timestamp),
    stalls: &mut Vec<OwnedStall>,
    posting: &mut Posting<'_>,
) -> (Timestamp, Phase) {
    let is_its = |of: &OwnedStall| of.begin == outstanding.begin && of.pair == pair;
    let mut own: Vec<OwnedStall> = stalls.iter().filter(|of| is_its(of)).copied().collect();
    stalls.retain(|of| !is_its(of));
    own.sort_by_key(|own| (own.stall.from, own.stall.to));
    let mut last = Phase::Idle;
    for (phase, end) in outstanding.phases() {
        if end <= at {
            continue;
        }
        posting.turnaround(phase);
        for of in own.iter().filter(|of| of.stall.cause.is_within(phase)) {
            let (from, to) = (of.stall.from.max(at), of.stall.to.min(end));
            if to > from {
                posting.slice(phase, at, from);
                posting.stall(of, from, to);
                at = to;
            }
        }
        posting.slice(phase, at, end);
        (at, last) = (end, phase);
    }
    (at, last)
}
