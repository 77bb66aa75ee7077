//! Stalls on their way to the account: stretches of requests that are over which are a station's own time.
//!
//! A closed window, a delayed acknowledgement and a sender that stops lie within a transfer, a break within a turnaround, and so does an
//! acknowledgement that a response waited for as a whole. They are laid over
//! the slices of these phases as they are posted, so that what another request has of the same time stays its own.

use super::ceiling::{BOTH_SHORTEST, most_on_line};
use super::distance::{DistanceAt, Evidence};
use super::{Accounts, Bounds, Outstanding, Phase, Posting, SliceOwner};
use crate::bounds::Bound;
use crate::case::Wait;
use crate::packets::TIMER_NS;
use crate::stalls::{AT_ONCE_NS, GivenBack, LateOnLink, STOPPED_NS, Stall, StallCause};
use crate::table::TablePlace;
use wirewait_wire::{Endpoint, Timestamp};

/// Stalls of requests of a client that are closed and not settled.
pub(super) const STALLS: usize = 256;

/// Where what is sent at a steady pace waits for its sender, a line takes this part of the time for a segment, or less.
const SLOWER: u64 = 4;

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
    /// The way between the server and the capture, where its response as a whole waited until the end of this.
    pub(super) back: Bounds,
}

impl StallCause {
    /// Whether such a stall lies within this phase.
    const fn is_within(self, phase: Phase) -> bool {
        match self {
            Self::Break => matches!(phase, Phase::Server),
            Self::ClosedWindow | Self::DelayedAcknowledgement | Self::Stopped => {
                matches!(phase, Phase::Request | Phase::Response)
            }
            Self::GoAhead => matches!(phase, Phase::Request),
            // Where the go-ahead was the response, the rest comes behind that.
            Self::Rest => matches!(phase, Phase::Request | Phase::Response),
        }
    }
}

impl Stall {
    /// Whether it may lie within this phase of its request.
    fn is_within(&self, phase: Phase) -> bool {
        if self.whole {
            return phase == Phase::Server;
        }
        // Where in a request the recovery of what was lost before the capture lies is not known: such frames were captured.
        let among = self.on_link.is_some() && phase == Phase::Retransmission;
        among || self.cause.is_within(phase)
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

    /// Of the wait that ends next, forgets steady stalls that a slow line may be: where the capture was not made at the sender, or
    /// the line between the two may take as long for a segment.
    #[cold]
    #[inline(never)]
    pub(super) fn leave_lines_out(&mut self, wait: Wait<'_>, evidence: &impl Evidence) {
        if self.stalled.iter().all(|(stall, _)| stall.steady == 0) {
            return;
        }
        let t = wait.case.transaction;
        let least = [
            self.shortest_gap(wait.case.parties.client),
            self.servers.of(wait.case.parties.server).way.shortest(),
        ];
        self.stalled.retain(|(stall, _)| {
            let (end, other) = match stall.server {
                true => (&t.server, &t.client),
                false => (&t.client, &t.server),
            };
            let of = |end, other| evidence.of(end, other, &mut DistanceAt::default());
            let distance = of(end, other);
            let on_line = || distance.way(least[usize::from(stall.server)], SEGMENT).high;
            let each = stall.ns() / u64::from(stall.steady.max(1));
            stall.steady == 0
                || distance.reach.is_here(&of(other, end).reach)
                    && on_line().saturating_mul(SLOWER) <= each
        });
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
            let back = match stall.whole {
                true => way(true, 0),
                false => Bounds::default(),
            };
            let way = match stall.cause {
                StallCause::Break => known,
                // Until it was acknowledged: the way there and back of data in one segment, where that is known to be steady.
                StallCause::ClosedWindow if stall.lacked_ns > 0 => {
                    let steady = is_steady(stall.server) || is_here(stall.server);
                    let way = way(stall.server, SEGMENT);
                    Bounds {
                        high: if steady { way.high } else { u64::MAX },
                        ..way
                    }
                }
                // Until the sender knew, the window was open for it, or closed no more: any part of a way there and
                // back between the two.
                StallCause::ClosedWindow => Bounds {
                    low: 0,
                    high: way(true, 0).high.saturating_add(way(false, 0).high),
                },
                StallCause::DelayedAcknowledgement => match &stall.on_link {
                    // Of data in one segment.
                    None => way(stall.server, SEGMENT),
                    Some(late) => {
                        let ends = [[&t.client, &t.server], [&t.server, &t.client]];
                        let way = |server: bool| {
                            let n = usize::from(server);
                            late.way(ends[n], least[n], evidence)
                        };
                        // Who went on later may have waited for something else.
                        let soon = way(!stall.server).high;
                        let soon = soon.saturating_add(AT_ONCE_NS.unsigned_abs());
                        let behind = late.behind_ns.filter(|behind| *behind > soon);
                        // Or what came then had been lost before the capture.
                        let lost = |ns: u64| late.resends && ns >= TIMER_NS.unsigned_abs();
                        if behind.is_some_and(|ns| !lost(ns)) {
                            continue;
                        }
                        let unsure = stall.unsure || behind.is_some();
                        let way = way(stall.server);
                        Bounds {
                            high: if unsure { u64::MAX } else { way.high },
                            ..way
                        }
                    }
                },
                // There and back, of data in one segment. What was lost before the capture came late by a timer.
                StallCause::GoAhead | StallCause::Rest => {
                    let way = way(stall.server, SEGMENT);
                    Bounds {
                        high: if stall.unsure { u64::MAX } else { way.high },
                        ..way
                    }
                }
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
                back,
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

impl LateOnLink {
    /// The way of these frames to the first of these stations and that of their acknowledgement back, where no pause, or turnaround, took
    /// less than `least`, ns. A frame of `n` bytes takes no longer than `t * n / m` where one of `m` took `t`.
    #[cold]
    fn way(&self, ends: [&Endpoint; 2], least: u64, evidence: &impl Evidence) -> Bounds {
        let [end, other] = ends;
        let distance = evidence.of(end, other, &mut DistanceAt::default());
        let around = most_on_line(0).saturating_mul(self.frames.saturating_sub(1).into());
        let bytes = self.bytes.saturating_add(around);
        // The line may be slow one way alone: then half of the bytes there and back took all of the time.
        let more = 2 * most_on_line(bytes);
        let way = distance.way(least, more);
        let any = match distance.reach.samples {
            0 => way.high.saturating_mul(more) / BOTH_SHORTEST,
            _ => way.high,
        };
        // It acknowledged such frames with the next that it sent.
        let high = any.min(evidence.rode(ends, &mut None).at(bytes));
        Bounds {
            low: way.low.min(high),
            high,
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
        for of in own.iter().filter(|of| of.stall.is_within(phase)) {
            let (from, to) = (of.stall.from.max(at), of.stall.to.min(end));
            if to > from {
                posting.slice(phase, at, from);
                posting.stall(of, from, to);
                at = to;
            }
        }
        let whole = own.iter().rfind(|of| of.stall.whole && of.stall.to == at);
        match whole.filter(|_| phase == Phase::Server) {
            // The acknowledgement went to the server, and the response came back.
            Some(of) => posting.released(of.back, at, end),
            None => posting.slice(phase, at, end),
        }
        (at, last) = (end, phase);
    }
    (at, last)
}

#[cfg(test)]
mod tests {
    use super::super::ceiling::Ceiling;
    use super::super::distance::tests::Known;
    use super::*;

    /// The time that these frames, of this number of bytes in all, may be under way at most, where no pause was shorter than `least`.
    fn most(frames: u32, bytes: u64, least: u64, known: &Known) -> u64 {
        let late = LateOnLink {
            frames,
            bytes,
            behind_ns: Some(0),
            resends: false,
        };
        late.way([&Endpoint::default(); 2], least, known).high
    }

    /// 1,000 bytes were acknowledged with the next request 30 ms later: they had 1,062 on the line at least, and 1,500 have
    /// 1,632 at most. Without that, a pause of 1 ms contains two of the shortest frames, of 120 bytes: 1,500 in one frame have
    /// 1,566 at most, and twice as many where the line is slow one way alone.
    #[test]
    fn frames_take_no_longer_on_a_line_than_others_in_proportion() {
        let mut rode = Ceiling::NONE;
        rode.took(1_000, 30_000_000);
        let rode = Known::acknowledged_in(rode);
        assert_eq!(most(1, 1_000, u64::MAX, &rode), 30_000_000);
        assert_eq!(most(1, 1_500, u64::MAX, &rode), 30_000_000 * 1_632 / 1_062);
        assert_eq!(most(1, 1_500, 1_000_000, &rode), 26_100_000);
        let nothing = Known::acknowledged_in(Ceiling::NONE);
        assert_eq!(
            most(1, 1_500, 1_000_000, &nothing),
            1_000_000 * 2 * 1_566 / 120
        );
        assert_eq!(
            most(2, 1_500, 1_000_000, &nothing),
            1_000_000 * 2 * 1_632 / 120
        );
        assert!(most(1, 1_500, u64::MAX, &nothing) > 1_000_000_000_000);
    }
}
