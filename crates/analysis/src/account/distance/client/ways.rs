//! The ways within the slices of a request, by all that is known of both stations when it is closed.

use super::super::server::SHORT;
use super::super::varying::OwnWay;
use super::super::{Bounds, DataThere, Evidence, STEADY, Ways, ns};
use super::lengths::{Lengths, Sizes};
use super::{LATE_NS, Nearest, Paces};
use crate::account::ceiling::most_on_line;
use crate::account::order::Waited;
use crate::account::{Outstanding, SliceOwner};
use crate::case::Case;
use crate::{Flags, Transaction};

impl Nearest {
    /// The ways within the slices of this request.
    #[inline]
    pub(in crate::account) fn ways(
        &mut self,
        (case, done, owner): (Case<'_>, &Outstanding, &SliceOwner),
        (mut paces, waited): (Paces<'_>, Waited),
        evidence: &impl Evidence,
    ) -> Ways {
        let t = case.transaction;
        let turnaround = turnaround(t).map_or(u64::MAX, ns);
        let known = self.is_as_known(case, (turnaround, waited), &mut paces, evidence);
        // What stood still shows no line.
        if !done.is_stalled() {
            self.transferred(t, (turnaround, done.waited), &mut paces);
        }
        if !known {
            self.ways = self.by_evidence();
            if self.several {
                self.across(t.client.station());
            }
        }
        let mut ways = self.ways;
        let [gap, shortest] = self.longer.gaps;
        let (own, shown) = self.shown(t, done, shortest, &mut ways.client);
        // What it showed of its own way needs no other's.
        let free = self.gap < u64::MAX && waited != Waited::Queued && !shown;
        ways.client = self.within_pause((ways.client, own, free), (done, owner), &mut paces);
        if self.longer.several {
            let first = paces.own.first_of(t, done.is_stalled());
            ways.client.high = ways.client.high.saturating_add(first);
        }
        let [server_waits, client_waits] = self.longer.waits;
        ways.client.high = ways.client.high.saturating_add(client_waits);
        if turnaround < u64::MAX {
            let own = self.acknowledged(t, done);
            let queued = waited == Waited::Queued;
            self.within_turnaround(&mut ways, (turnaround, own, queued), owner, &mut paces);
            let others = paces.server.waited_for_others(t, case.parties.client);
            ways.server.high = ways.server.high.saturating_add(others);
            ways.server.high = ways.server.high.saturating_add(server_waits);
        }
        if let Some(routers) = self.routers {
            let shortest = [paces.bounding(self.apart).ceiling.least(), gap];
            ways = self.behind(routers, (t, done.begin), (ways, shortest), evidence);
        }
        ways
    }

    /// Takes in what this request shows of the ways to its server and client. Whether all of it was known.
    #[inline(always)]
    fn is_as_known(
        &mut self,
        case: Case<'_>,
        (turnaround, waited): (u64, Waited),
        paces: &mut Paces<'_>,
        evidence: &impl Evidence,
    ) -> bool {
        let t = case.transaction;
        let two = [case.parties.server, case.parties.client];
        let version = evidence.version();
        let (same, mut known) = match &self.found {
            Some((of, places, _)) if *places == two => (true, *of == version),
            _ => (false, false),
        };
        if !known {
            let found = self.find(t, two, &mut paces.own.answered, evidence);
            self.found = Some((version, two, found));
        }
        let lengths = Lengths {
            request: t.request_bytes,
            response: Sizes {
                bytes: t.response_bytes,
                head: t.response_head_bytes,
            },
            before: self.before.map_or(Sizes::default(), |over| over.response),
        };
        let longer = &self.longer;
        let again = same && lengths == longer.of;
        let unqueued = &mut paces.own.unqueued;
        let before = *unqueued;
        *unqueued += match waited {
            Waited::Queued => 0,
            Waited::Alone => 1,
            Waited::Overtaken => STEADY,
        };
        // From now on, its own turnarounds bound its way.
        let alone = before < STEADY && *unqueued >= STEADY;
        if !again
            || alone
            || evidence.news() + paces.bounding(self.apart).news != longer.news
            || turnaround < longer.known[0]
            || self.gap < longer.known[1]
        {
            let of = (lengths, two[0]);
            self.take_in(t, of, (turnaround, again), paces, evidence);
            known = false;
        }
        known
    }

    /// How long the response took on the line.
    #[inline(always)]
    fn transferred(
        &mut self,
        t: &Transaction,
        (turnaround, waited): (u64, bool),
        paces: &mut Paces<'_>,
    ) {
        if t.response_bytes > t.response_head_bytes
            && !t.flags.contains(Flags::CLOCK_STEP)
            && let Some(response) = t.response
            && let Some(took) = response.first.until(response.last)
        {
            let took = ns(took);
            let least = &mut self.longer.known[2];
            let is_less = took < *least;
            if is_less {
                *least = took;
            }
            // Else it says nothing of the line.
            if is_less || took.saturating_mul(SHORT) > turnaround {
                let shows = (is_less, !waited);
                paces.server.transferred(t, (took, turnaround), shows);
                let own = &mut paces.own.pace;
                own.transferred(t, (took, turnaround), shows);
            }
        }
    }

    /// The ways by what answers and acknowledgements showed so far.
    #[inline(always)]
    fn by_evidence(&self) -> Ways {
        let [server, client] = self.distances();
        let mut to_client = client.bounds(&self.longer.client);
        if self.is_here {
            // Its answers may be late, and are not under way for long.
            let most = ns(client.shortest).saturating_mul(2);
            let most = most.saturating_add(LATE_NS.unsigned_abs());
            let most = most.saturating_add(self.longer.client.more);
            to_client.high = to_client.high.min(most.max(to_client.low));
        }
        Ways {
            server: server.bounds(&self.longer.server),
            client: to_client,
            line: self.longer.server.proved,
            asked: 0,
        }
    }

    /// What an acknowledgement in the gap before the request shows of the way to the client: where that varies, for itself;
    /// otherwise it narrows `client`. And whether it bounds it from above.
    #[inline(always)]
    fn shown(
        &mut self,
        t: &Transaction,
        done: &Outstanding,
        shortest: u64,
        client: &mut Bounds,
    ) -> (Option<OwnWay>, bool) {
        let began = done.begin;
        let Some(there) = self.there(began).filter(|there| {
            (self.may_show(there.0) || !self.is_here || self.is_remote()) && !self.ahead
        }) else {
            if self.longer.queued > client.high && !self.ahead {
                client.high = client.high.max(self.queued());
            }
            return (None, false);
        };
        let request = most_on_line(t.request_bytes);
        let (mut underway, mut most) = self.underway(there, (began, request), shortest);
        if !self.may_show(there.0) {
            // What may be a late reader's bounds the way from above alone.
            (underway.low, most) = (0, None);
        }
        let varies = self.variations[1].deviation > 0 && self.reading.follow();
        if most.is_some() && varies {
            let low = underway.low;
            let own = OwnWay {
                low,
                high: most,
                most: low,
                least: 0,
                close: began.since(there.0.at) < LATE_NS,
            };
            return (Some(own), true);
        }
        client.low = client.low.max(underway.low);
        client.high = client.high.max(underway.high);
        if let Some(most) = most {
            client.high = client.high.min(most.max(client.low));
        }
        (None, most.is_some())
    }

    /// How long what was not acknowledged when the response before ended may have been under way: more than a frame of it, as the
    /// acknowledgement shows that came last until then.
    #[cold]
    #[inline(never)]
    fn queued(&self) -> u64 {
        let (Some(heard), Some(before)) = (&self.heard.0, &self.before) else {
            return 0;
        };
        let Sizes { bytes, head } = before.response;
        let [first, end] = before.frames;
        let left = u64::from(heard.left);
        let own = (first..=end).contains(&heard.frame) && heard.at <= before.end;
        if !own || heard.left == DataThere::UNKNOWN_LEFT || left <= most_on_line(head) {
            return 0;
        }
        // A window of two frames, or more, may have been sent behind that.
        let left = left.saturating_add(head.saturating_mul(2)).min(bytes);
        let all = self.longer.queued;
        u64::try_from(u128::from(all) * u128::from(left) / u128::from(bytes.max(1))).unwrap_or(all)
    }

    /// The way within the pause before the request, by those of its client.
    #[inline(always)]
    fn within_pause(
        &self,
        (steady, own, free): (Bounds, Option<OwnWay>, bool),
        (done, owner): (&Outstanding, &SliceOwner),
        paces: &mut Paces<'_>,
    ) -> Bounds {
        let [_, variation] = self.variations;
        let variation = match variation.deviation > 0 && !self.reading.follow() {
            true => variation.steady(),
            false => variation,
        };
        let pause = self.pause(done.begin).map_or(0, ns);
        let [_, answers] = self.answers();
        let known = (self.longer.client.more, free, answers, u64::MAX);
        match self.ahead {
            true => Bounds {
                low: pause,
                high: pause,
            },
            false => {
                let pauses = &mut paces.own.pauses;
                pauses.within(steady, variation, (pause, own), known, owner)
            }
        }
    }

    /// The way within the turnaround, by those of its server.
    #[inline(always)]
    fn within_turnaround(
        &self,
        ways: &mut Ways,
        (turnaround, own, queued): (u64, Option<OwnWay>, bool),
        owner: &SliceOwner,
        paces: &mut Paces<'_>,
    ) {
        let [variation, _] = self.variations;
        let shown = own.is_some_and(|own| own.high.is_some());
        let [answers, _] = self.answers();
        let free = !queued && !shown;
        let known = (self.longer.server.more, free, answers, self.gap);
        let turnarounds = &mut paces.own.turnarounds;
        let of = (turnaround, own);
        ways.server = turnarounds.within(ways.server, variation, of, known, owner);
        if own.is_none() && self.longer.asked > ways.line {
            ways.asked = self.longer.asked;
        }
    }
}

/// A turnaround that contains the whole way to the server and back, ns.
fn turnaround(t: &Transaction) -> Option<i64> {
    let guessed = [Flags::BY_ORDER, Flags::ENCRYPTED, Flags::OUT_OF_ORDER];
    // Nearly all have none.
    let guessed = !t.flags.is_empty() && guessed.into_iter().any(|flag| t.flags.contains(flag));
    t.turnaround.exact().filter(|ns| *ns >= 0 && !guessed)
}
