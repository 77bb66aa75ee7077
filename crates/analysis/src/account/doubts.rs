//! What may have been loss recovery before the capture, and what is owed more than was posted. Hardly a request needs
//! any of it.

use super::sums::{Pending, SliceOwner, Sum};
use super::{Accounts, Bounds, Outstanding, OwedWay, Phase, SURE, UNNUMBERED, Ways};
use crate::Extent;
use crate::case::Wait;
use crate::flow::MISSING_NS;
use crate::table::TablePlace;

impl Accounts {
    /// The request, or the response, may have been lost before the capture. Of one in several
    /// frames something would have come.
    #[cold]
    pub(super) fn doubts(
        &mut self,
        (wait, owner): (Wait<'_>, &SliceOwner),
        done: &Outstanding,
        ways: &mut Ways,
    ) {
        let t = wait.case.transaction;
        let place = wait.case.parties.client;
        let single = |extent: Option<Extent>| extent.is_some_and(|e| e.first == e.last);
        let client = self.clients.of(wait.case.parties.client);
        let [at_server, at_client] = client.nearest.distances();
        let [request, response] = done.unsure;
        let known = |ns: i64| u64::try_from(ns).unwrap_or(0);
        if request != SURE
            && single(t.request)
            && let Some(pause) = client.nearest.pause(done.begin)
        {
            let idle = pause.saturating_sub(request.max(0)) > self.think_ns;
            // It was lost for sure, and may have been for longer; or others were.
            let lost = done.unsure_ns < MISSING_NS;
            let missing = done.unsure_ns == MISSING_NS;
            let mut doubts = || match lost {
                true => known((pause - request).min(done.unsure_ns)),
                false => {
                    let ns = match request {
                        UNNUMBERED => client.paused.doubts_unnumbered(pause, at_client, at_server),
                        _ => client.paused.doubts(pause, at_client, at_server),
                    };
                    let ns = match ns {
                        0 if missing => client.paused.recurs(pause, at_client, at_server),
                        ns => ns,
                    };
                    ns.saturating_sub(known(request))
                }
            };
            if !idle {
                let ns = doubts();
                // A timer begins behind the way back, and what it sends has the way still before it.
                let more = match lost && request > 0 {
                    true => ways.client_longer(ns),
                    false => ways.client_up_to(ns),
                };
                if more {
                    self.unsure.pauses.add(1, ns);
                } else if !lost && client.timeline.is_plain() && !at_client.is_here(&at_server) {
                    let ns = known(pause - request.max(0)).saturating_sub(ways.client.high);
                    let owed = OwedWay { owner: *owner, ns };
                    client.paused.remember(pause, place, owed);
                }
            } else if request == UNNUMBERED {
                // A transport's timer, of which this is not said, is shorter than the think limit.
                let ns = doubts();
                let (count, ns) = client.paused.idles(ns);
                self.unsure.idle.add(count, ns);
            } else if lost {
                self.unsure.idle.add(1, doubts());
            }
        }
        if response != SURE
            && single(t.response)
            && let Some(pause) = t.turnaround.least()
        {
            let server = self.servers.of(wait.case.parties.server);
            let asked_again = t.interims > 0 && t.copies > 1;
            let ns = match asked_again {
                true if at_server.is_here(&at_client) => 0,
                true => known(pause),
                false => server.paused.doubts(pause, at_server, at_client),
            };
            let ns = ns.saturating_sub(known(response));
            if ways.server_up_to(ns) {
                self.unsure.turnarounds.add(1, ns);
            } else if !asked_again
                && response != UNNUMBERED
                && client.timeline.is_alone()
                && !at_server.is_here(&at_client)
            {
                // Of several responses one would have come.
                let ns = known(pause - response.max(0)).saturating_sub(ways.server.high);
                let owed = OwedWay { owner: *owner, ns };
                server.paused.remember(pause, place, owed);
            }
        }
    }

    /// A copy of the request may be the one answered, or not.
    #[cold]
    #[inline(never)]
    pub(super) fn copied(&mut self, response: i64, ways: &mut Ways) {
        let ns = ways.server_longer(response.saturating_neg());
        self.unsure.turnarounds.add(1, ns);
    }

    /// Pauses that turned out to be rare may have been loss recovery before the capture.
    pub(super) fn owe_pauses(&mut self) {
        let mut owed = Vec::new();
        for client in self.clients.values_mut() {
            let rare = client.paused.owed().into_iter();
            owed.extend(rare.map(|slice| (Phase::Client, slice)));
        }
        for server in self.servers.values_mut() {
            let rare = server.paused.owed().into_iter();
            owed.extend(rare.map(|slice| (Phase::Server, slice)));
        }
        for (phase, (client, slice)) in owed {
            if self.clients.known(client).is_none() {
                // It is gone, and its account is closed.
                continue;
            }
            let of = match phase {
                Phase::Server => &mut self.unsure.turnarounds,
                _ => &mut self.unsure.pauses,
            };
            of.add(1, slice.ns);
            self.owes(phase, &[slice], client);
        }
    }

    /// These slices of a client may contain more of the way than was posted, or will be.
    #[cold]
    #[inline(never)]
    pub(super) fn owes(&mut self, phase: Phase, owed: &[OwedWay], client: TablePlace) {
        let client = &mut self.clients.of(client).sum;
        for slice in owed {
            let mut sum = Sum::default();
            let more = Bounds {
                low: 0,
                high: slice.ns,
            };
            sum.ledger.add_network(phase, more);
            let owner = slice.owner;
            Pending { owner, sum }.post(&mut self.sums, client);
        }
    }
}
