//! Who waits for an open request, and since when.

use super::usual::RIGHT_BEHIND;
use crate::account::{ASKED_AGAIN, COPIED, Outstanding, SURE};
use crate::case::Wait;
use crate::flow::{ANY_NS, MISSING_NS};
use crate::open::{Open, OpenState, Waiting};
use crate::packets::TIMER_NS;
use crate::world::{Event, Events, WaitEvent};
use crate::{Flags, Mark, Outcome, Turnaround};
use wirewait_wire::{Effects, Kind, Timestamp};

/// The response to such a request may have come without being captured, or after the capture.
const UNSEEN: [Flags; 3] = [Flags::ONE_SIDED, Flags::CAPTURE_LOSS, Flags::OPEN_AT_END];

impl Open {
    /// Whether it only asks whether the other end is there.
    #[inline]
    pub(super) fn is_probe(&self) -> bool {
        let t = &*self.transaction;
        t.kind == Kind::Other && t.effects.has(Effects::PROBES)
    }

    /// The request is complete; it began at `began`.
    pub(super) fn starts_waiting(&mut self, began: Timestamp, events: &mut impl Events) {
        if self.waiting != Waiting::Nobody {
            return;
        }
        self.waiting = match self.transaction.kind {
            Kind::Break => self.takes_back(events),
            Kind::Wait => Waiting::ByDesign(began),
            _ => Waiting::Client(began),
        };
        match self.waiting {
            Waiting::Nobody => {}
            Waiting::Client(_) => events.tell(Event::Begins(self.wait(began))),
            Waiting::ByDesign(_) => events.tell(Event::Happens(self.wait(began), WaitEvent::Waits)),
        }
    }

    /// A break: who waits for it is in another request.
    #[cold]
    fn takes_back(&self, events: &mut impl Events) -> Waiting {
        events.tell(Event::TookBack(self.case()));
        Waiting::Nobody
    }

    /// It is answered, and its client on probation no longer: those who keep state of the
    /// client learn that it has been waiting.
    pub(super) fn admitted(&mut self, events: &mut impl Events) {
        events.tell(Event::Admitted(&self.transaction, &mut self.parties));
        match self.waiting {
            Waiting::Nobody => {}
            Waiting::Client(began) => events.tell(Event::Begins(self.wait(began))),
            Waiting::ByDesign(began) => {
                events.tell(Event::Happens(self.wait(began), WaitEvent::Waits))
            }
        }
    }

    /// It turns out to wait by design, which does not make the client busy.
    pub(super) fn waits_by_design(&mut self, events: &mut impl Events) {
        self.transaction.kind = Kind::Wait;
        if let Waiting::Client(began) = self.waiting {
            events.tell(Event::Ends(self.wait(began), began, None));
            self.waiting = Waiting::ByDesign(began);
            events.tell(Event::Happens(self.wait(began), WaitEvent::Waits));
        }
    }

    /// Nobody waits for it any more since `at`.
    // Part of the answer of each request, and of what hardly happens.
    #[inline(always)]
    pub(super) fn stops_waiting(&mut self, at: Timestamp, events: &mut impl Events) {
        match std::mem::take(&mut self.waiting) {
            Waiting::Nobody => {}
            Waiting::Client(began) => {
                let outstanding = self.outstanding(began, at);
                events.tell(Event::Ends(self.wait(began), at, outstanding.as_ref()));
                self.transaction.mark_told();
            }
            Waiting::ByDesign(began) => {
                events.tell(Event::Happens(self.wait(began), WaitEvent::Waited(at)))
            }
        }
    }

    /// Part of the response, or the request, was retransmitted at `at`, after all of the response
    /// was seen: the client had not received it, and could not go on.
    pub(super) fn lost_after(&mut self, at: Timestamp, events: &mut impl Events) {
        let Some(end) = self.transaction.response.map(|r| r.last.at) else {
            return;
        };
        let since = self.lost_until.map_or(end, |until| until.max(end));
        if at > since && self.state == OpenState::Done {
            self.lost_until = Some(at);
            events.tell(Event::Happens(self.wait(since), WaitEvent::Lost(at)));
            self.transaction.lost_until = Some(at);
        }
    }

    /// As [`Self::lost_after`], of a response that was repeated and is closed now.
    #[cold]
    pub(super) fn was_lost(&mut self, at: Timestamp, events: &mut impl Events) {
        self.lost_after(at, events);
    }

    /// The request was lost before the capture, and its client waited at least so long to send it
    /// again, ns, and at most, if that is longer; 0 where that is not sure.
    #[cold]
    pub(super) fn lost_before(&mut self, lost: Option<(i64, i64)>, events: &mut impl Events) {
        match (lost, self.transaction.request) {
            (Some((0, most)), _) => {
                (self.unsure[0], self.unsure_ns) = (0, if most > 0 { most } else { ANY_NS });
            }
            (Some((ns, most)), Some(request)) => {
                if most > ns && most != MISSING_NS {
                    (self.unsure[0], self.unsure_ns) = (ns, most - ns);
                }
                let at = request.first.at;
                events.tell(Event::Happens(self.wait(at.plus(-ns)), WaitEvent::Lost(at)));
            }
            _ => {}
        }
    }

    /// The response was lost before the capture, and its server waited at least so long to send it
    /// again, ns, or longer; 0 where that is not sure. Where the request was repeated, it may be the response to the
    /// copy.
    #[cold]
    pub(super) fn lost_behind(&mut self, lost: Option<(i64, i64)>) {
        if let Some((ns, most)) = lost
            && self.transaction.response.is_none()
            && self.transaction.copies == 1
        {
            self.recovered_ns = ns;
            self.unsure[1] = if ns == 0 || most > ns { ns } else { SURE };
        }
    }

    pub(super) fn wait(&self, began: Timestamp) -> Wait<'_> {
        Wait {
            case: self.case(),
            began,
            // Then the wait is for no station in particular.
            anyone: self.anyone,
            repeated: self.resent.map(|mark| mark.at),
        }
    }

    /// Whether no interim response says that a copy arrived before the last one was sent. One that let the rest of the request
    /// come says nothing of that.
    fn copied_before_interim(&self) -> bool {
        let t = &*self.transaction;
        let whole = t.request.map(|request| request.last);
        let let_go_on = |interim: Mark| whole.is_some_and(|whole| interim.precedes(whole));
        let interim = t.first_interim.filter(|interim| !let_go_on(*interim));
        let interim = self.resent.zip(interim);
        interim.is_none_or(|(copy, interim)| copy.precedes(interim))
    }

    /// For how long the server had a request for sure that was repeated though it had said that it works on it; its
    /// last frame was sent at `t2`. A response that came right behind the copy seems to have been ready: the one
    /// before was lost, or the copy was what made the server send it.
    #[cold]
    fn worked_on(&self, t2: Timestamp) -> i64 {
        if self.unsure[1] == COPIED {
            return SURE;
        }
        let response = self.transaction.response.map(|response| response.first.at);
        let right_behind = response.is_some_and(|at| {
            let behind = at.since(self.asked_again_at);
            behind.saturating_mul(RIGHT_BEHIND) <= at.since(self.worked_on_at)
        });
        match right_behind {
            true => self.worked_on_at.since(t2).max(0),
            false => SURE,
        }
    }

    /// Whether a copy, so long behind the request, need not be the one answered; the response came so long behind the copy,
    /// ns. It is the one where that came as soon as others do. Who is asked by everyone may have got ready only in
    /// between. `unsure` becomes what nothing shows then, or how long the response to the copy may have been lost.
    #[cold]
    fn is_copied(&self, behind: i64, copied: i64, unsure: &mut i64) -> bool {
        let open = *unsure == COPIED;
        if open {
            *unsure = SURE;
        }
        let ready = !self.anyone && self.by_copy;
        if open && !ready && -copied < COPIED {
            *unsure = -copied;
            return true;
        }
        if behind >= TIMER_NS && *unsure == SURE {
            *unsure = 0;
        }
        false
    }

    /// Until when somebody waited for it, which has no response and is given up at `end`: nobody does any more once the next
    /// request of the connection is sent.
    pub(super) fn waited_until(&self, end: Timestamp) -> Timestamp {
        let t2 = self.transaction.request.map(|request| request.last.at);
        let next = self.followed.zip(t2).map(|(next, t2)| next.max(t2));
        next.map_or(end, |next| end.min(next))
    }

    /// What was waited for when; `None` where the clock of the capture stepped back, and where
    /// it is not known how long the wait was.
    #[inline(always)]
    fn outstanding(&mut self, began: Timestamp, end: Timestamp) -> Option<Outstanding> {
        let t = &*self.transaction;
        if t.flags.contains(Flags::CLOCK_STEP) || t.outcome == Outcome::GivenUp {
            return None;
        }
        let t2 = t.request?.last.at;
        // What was lost on the way is put at the end of the way, and never more than it took.
        let lost = |way: usize, from: Timestamp, to: Timestamp| {
            -self.lost_ns[way].clamp(0, to.since(from).max(0))
        };
        let mut unsure = self.unsure;
        // A program gets what is in order: what came behind a loss, or was overtaken, waited until that had come.
        let in_order = t2.plus(self.held_ns[0]);
        let (ends, shares) = match (t.outcome, t.response) {
            (Outcome::Answered | Outcome::Cancelled, Some(response)) => {
                let t3 = response.first.at;
                let again = match t.turnaround {
                    // Up to the copy that may have been the one answered. Where the server said before
                    // that it has the request, the first copy arrived: nothing was lost.
                    Turnaround::Between(low, _) if self.copied_before_interim() => {
                        let copy = t3.plus(low.saturating_neg());
                        match self.is_copied(low, copy.since(t2), &mut unsure[1]) {
                            true => t2,
                            false => copy,
                        }
                    }
                    Turnaround::Between(..) | Turnaround::None | Turnaround::Exact(_) => t2,
                };
                let again = again.max(in_order.min(t3));
                let mut ends = [
                    t2.plus(lost(0, began, t2)),
                    again,
                    t3,
                    end.plus(-self.held_ns[1]).plus(lost(1, t3, end)),
                    end,
                ];
                if self.recovered_ns > 0 {
                    // The response was lost before the capture: all that is lost stands at the end.
                    let recovered = self.recovered_ns.min(t3.since(t2).max(0));
                    ends[2] = ends[2].plus(-recovered);
                    ends[3] = ends[3].plus(-recovered);
                    // Once it had answered, the server waited for its own timer.
                    let own = &mut self.transaction.service_ns;
                    *own = own.map(|ns| ns.saturating_sub(recovered).max(0));
                }
                (ends, Outstanding::ANSWERED)
            }
            _ => {
                let end = self.waited_until(end);
                let unseen = UNSEEN.iter().any(|flag| t.flags.contains(*flag));
                // The server had it, and did nothing.
                let had = self.reached && !unseen && t.outcome == Outcome::Unanswered;
                let had_at = in_order.min(end).max(t2);
                let t3 = if had { end } else { had_at };
                let ends = [t2.plus(lost(0, began, t2)), had_at, t3, t3, end];
                let phases = if unseen {
                    Outstanding::UNKNOWN
                } else {
                    Outstanding::GIVEN_UP
                };
                (ends, phases)
            }
        };
        if matches!(unsure[1], ASKED_AGAIN | COPIED) {
            unsure[1] = self.worked_on(t2);
        }
        let outstanding = Outstanding::new(began, ends, shares).unsure(unsure, self.unsure_ns);
        let outstanding = outstanding.sent(self.had, self.answered_to);
        let outstanding = outstanding.reached(self.reached_at);
        Some(outstanding.probing(self.is_probe()))
    }
}

#[cfg(test)]
mod tests {
    use crate::pairing::testing::{Bench, CLIENT};

    /// Asked at 0 ms, in frame 1, and never answered.
    #[test]
    fn one_without_a_response_is_given_up_when_its_client_goes_on() {
        let mut bench = Bench::new();
        bench.asks(1, 0);
        bench.finish(120_000);
        assert_eq!(bench.gave_up, [(1, 60_000)], "at the time-out");
        let mut bench = Bench::new();
        bench.asks(1, 0);
        bench.asks(2, 7000);
        bench.answers(2, 7001);
        bench.finish(120_000);
        assert_eq!(bench.gave_up, [(1, 7000)], "with the next request");
        let mut bench = Bench::new();
        bench.asks(1, 0);
        bench.leaves(CLIENT, 5000);
        bench.finish(120_000);
        assert_eq!(bench.gave_up, [(1, 5000)], "as the client left");
    }
}
