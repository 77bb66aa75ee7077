//! Responses that were ready, and that their server sent only behind the acknowledgement of what it had sent before.
//!
//! A sender with data that is not acknowledged keeps less than a full segment back until it is (Nagle's algorithm, RFC 9293, 3.7.4). The
//! client, which has a response and nothing to send, keeps the acknowledgement for a timer. A server that needs as long as that timer by
//! chance looks the same once; what tells them apart is what else it does.

use super::Pairing;
use crate::open::{OpenState, Waiting};
use crate::stalls::HeldResponses;
use crate::world::{Event, Events};
use wirewait_wire::Timestamp;

/// A response that is ready takes this part of the time that the next one was held, or less.
const READY: i64 = 4;
/// A server that needs as long by chance answers later more often than this for each that comes at once. Where the acknowledgement came
/// 40 ms behind, what takes as long on average comes within 0.25 ms of it once in four hundred times.
const LATER: u32 = 1;

/// Whether responses may have waited for acknowledgements of others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Holding {
    /// Each side had sent less than a segment behind less than a segment, and nothing of it was acknowledged: it keeps nothing back.
    none: [bool; 2],
    /// How often a response came at once behind a late acknowledgement, and how often later.
    at_once: u32,
    later: u32,
}

impl Pairing {
    /// Several segments of `side` were under way which together are less than a full one.
    #[cold]
    pub(crate) fn holds_nothing(&mut self, side: usize) {
        self.holding.none[side] = true;
    }

    /// A request, or a response, comes in messages of their own.
    #[cold]
    #[inline(never)]
    pub(super) fn comes_in_parts(&mut self, events: &mut impl Events) {
        if !std::mem::replace(&mut self.parts, true) {
            events.tell(Event::InParts);
        }
    }

    /// Whether a request, or a response, may go on in another message.
    #[inline]
    pub(crate) fn has_parts(&self) -> bool {
        self.parts
    }

    /// The number of a request of `side` of which more is to come, or of one to whose response more is.
    #[cold]
    pub(crate) fn goes_on(&self, side: usize) -> Option<u64> {
        let open = self.open.next(0, |open| match open.side == side {
            // Or the server has let it go on.
            true => {
                let request = open.transaction.request;
                let latest = request.is_some_and(|request| open.worked_on_at < request.last.at);
                open.state == OpenState::Asking && latest
            }
            false => open.state == OpenState::Answering,
        });
        open.map(|at| self.open[at].serial)
    }

    /// What the responses are to that `side` may hold back, since it sent the one before: they are to what that one was to, which
    /// did not take a quarter as long.
    #[cold]
    pub(crate) fn may_hold(
        &self,
        side: usize,
        (since, until): (Timestamp, Timestamp),
    ) -> Option<HeldResponses> {
        if self.holding.none[side] {
            return None;
        }
        let before = self.open.unclosed().find(|open| {
            let t = &*open.transaction;
            let sent = t.response.is_some_and(|of| of.last.at == since);
            let most = until.since(since) / READY;
            open.side != side && sent && t.turnaround.exact().is_some_and(|ns| ns <= most)
        })?;
        let operation = before.transaction.operation;
        let mut asking = self.open.asking();
        let waits = asking.any(|open| {
            let t = &*open.transaction;
            let client = matches!(open.waiting, Waiting::Client(_));
            open.side != side
                && client
                && t.operation == operation
                && t.request.is_some_and(|of| of.last.at < until)
        });
        waits.then_some(HeldResponses {
            operation,
            frame: 0,
        })
    }

    /// A response came behind a late acknowledgement, at once or not: whether it was held until then.
    #[cold]
    pub(crate) fn holds(&mut self, at_once: bool) -> bool {
        let Holding {
            at_once: so, later, ..
        } = &mut self.holding;
        let count = if at_once { &mut *so } else { &mut *later };
        *count = count.saturating_add(1);
        at_once && *later <= so.saturating_mul(LATER)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, CLIENT, SERVER, at};
    use super::*;

    /// Two requests at 0, of which the first is answered at `ms`; whether the other may be held from then until 200 ms later.
    fn held_behind(ms: i64) -> bool {
        let mut bench = Bench::new();
        bench.asks(1, 0);
        bench.asks(2, 0);
        bench.answers(1, ms);
        assert_eq!(bench.pairing.may_hold(CLIENT, (at(ms), at(ms + 200))), None);
        let held = bench.pairing.may_hold(SERVER, (at(ms), at(ms + 200)));
        held.is_some_and(|held| held.operation.name == "READ")
    }

    #[test]
    fn a_response_may_be_held_where_the_one_before_took_a_quarter_as_long() {
        assert!(held_behind(1));
        assert!(held_behind(50));
        assert!(!held_behind(51), "a server that needs so long");
    }

    #[test]
    fn nothing_is_held_that_was_not_asked_for_or_by_who_holds_nothing() {
        let span = (at(1), at(201));
        let mut bench = Bench::new();
        bench.asks(1, 0);
        bench.answers(1, 1);
        assert_eq!(bench.pairing.may_hold(SERVER, span), None, "all answered");
        let mut bench = Bench::new();
        bench.asks(1, 0);
        bench.asks(2, 0);
        bench.answers(1, 1);
        assert!(bench.pairing.may_hold(SERVER, span).is_some());
        let other = (at(2), at(201));
        assert_eq!(bench.pairing.may_hold(SERVER, other), None, "other data");
        bench.pairing.holds_nothing(CLIENT);
        assert!(bench.pairing.may_hold(SERVER, span).is_some());
        bench.pairing.holds_nothing(SERVER);
        assert_eq!(bench.pairing.may_hold(SERVER, span), None);
    }

    /// One of two that comes at once is no chance; one of three may be.
    #[test]
    fn a_response_that_comes_at_once_by_chance_was_not_held() {
        let after = |later: usize| {
            let mut pairing = Pairing::default();
            assert!((0..later).all(|_| !pairing.holds(false)));
            pairing.holds(true)
        };
        assert!(after(0));
        assert!(after(1));
        assert!(!after(2));
    }

    #[test]
    fn more_is_to_come_of_what_is_under_way_in_parts() {
        let mut bench = Bench::new();
        bench.asks(1, 1);
        assert_eq!(bench.pairing.goes_on(SERVER), None);
        bench.pairing.open[0].state = OpenState::Answering;
        assert_eq!(bench.pairing.goes_on(SERVER), Some(0));
        assert_eq!(bench.pairing.goes_on(CLIENT), None);
        bench.pairing.open[0].state = OpenState::Asking;
        assert_eq!(bench.pairing.goes_on(CLIENT), Some(0));
        assert_eq!(bench.pairing.goes_on(SERVER), None);
    }
}
