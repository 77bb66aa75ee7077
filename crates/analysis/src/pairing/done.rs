//! A response is complete: how long what took, and that nobody waits any more.

use super::Pairing;
use crate::clock::SILENCE_NS;
use crate::open::OpenState;
use crate::parties::Parties;
use crate::world::{Event, Events, World};
use crate::{Flags, Mark, Outcome, Turnaround};
use wirewait_wire::{Kind, Timestamp};

/// An answered request is kept this long for the acknowledgements of its answer, ns.
const LINGER_NS: i64 = 2_000_000_000;

impl Pairing {
    pub(super) fn done(
        &mut self,
        at: usize,
        message: u64,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let open = &mut *self.open[at];
        open.state = OpenState::Done;
        let (serial, response) = (open.serial, open.transaction.response);
        self.answered = true;
        self.open.answered(serial);
        if response.is_some_and(|response| response.last.at.since(world.sure) > SILENCE_NS) {
            self.open[at].suspects(world);
            // Only the next frame tells whether so much time passed, or its stamp is wrong.
            self.unsure.push((serial, message));
            self.due = Timestamp::from_nanos(i64::MIN);
            return;
        }
        self.answered(at, message, world, events);
    }

    /// Tells of those that were answered when it was not known how late it was.
    #[cold]
    pub(super) fn settle(&mut self, world: &World<'_>, events: &mut impl Events) {
        for (serial, message) in std::mem::take(&mut self.unsure) {
            if let Some(at) = self.open.place_of(serial) {
                self.answered(at, message, world, events);
            }
        }
    }

    /// What follows from its answer being complete.
    #[inline(always)]
    fn answered(&mut self, at: usize, message: u64, world: &World<'_>, events: &mut impl Events) {
        // Parts of one message were sent together, not one after the other.
        let previous = match self.last_response {
            Some((_, serial)) if serial == message => self.earlier_response,
            previous => previous,
        };
        let open = &mut *self.open[at];
        if open.parties.on_probation {
            open.admitted(events);
            self.parties = Parties::UNKNOWN;
        }
        let t = &mut *open.transaction;
        t.outcome = if open.cancelled && t.status.is_some_and(|s| !s.ok) {
            Outcome::Cancelled
        } else {
            Outcome::Answered
        };
        let Some(response) = t.response else {
            return;
        };
        let (t3, t4) = (response.first, response.last.at);
        let stepped = t.clock_stepped(&world.steps);
        t.flags.set_if(Flags::CLOCK_STEP, stepped);
        t.turnaround = Turnaround::None;
        t.service_ns = None;
        let times = t.times();
        // The answer cannot have been given before it was asked for.
        let impossible = times.is_none() && !stepped && t.request.is_some();
        t.flags.set_if(Flags::OUT_OF_ORDER, impossible);
        if let (Some(request), Some(times)) = (t.request, times) {
            let t2 = request.last;
            let resent = open.resent.filter(|mark| mark.precedes(t3));
            let resent = resent.map(|mark| mark.until(t3).unwrap_or(0));
            t.turnaround = match resent {
                Some(low) => {
                    open.by_copy = self.usual.answers_copy(low, times.turnaround);
                    t.flags.set(Flags::AMBIGUOUS);
                    Turnaround::Between(low.min(times.turnaround), times.turnaround)
                }
                None => Turnaround::Exact(times.turnaround),
            };
            // What two later requests overtook waited behind none: a server with one queue overtakes nobody, and of those that
            // it has at once it may take one before another.
            let [latest, other] = self.last_answered;
            let overtaken = t2.at < other && latest < t3.at;
            let free = previous
                .filter(|_| t.kind != Kind::Wait && !overtaken)
                .and_then(|(end, _)| t2.until(end).zip(end.until(t3)))
                .map(|(behind, own)| (behind > 0, own));
            let (queued, own) = free.unwrap_or((false, times.turnaround));
            t.service_ns = Some(own);
            t.flags.set_if(Flags::PIPELINED, queued);
        }
        // Where no interim answer says that a lock has to wait, its time does.
        let long = |ns: i64| ns > world.settings.wait_ns;
        if open.may_wait && t.kind == Kind::Lock && t.response_time_ns().is_some_and(long) {
            open.waits_by_design(events);
        }
        let t = &mut *open.transaction;
        if !matches!(t.kind, Kind::Break | Kind::Wait) {
            let later = |end: &Mark| end.at > t4 && !stepped && !world.steps.concern(end.frame);
            let latest = previous.filter(|(end, _)| later(end));
            let latest = latest.or(Some((response.last, message)));
            latest_response(&mut self.last_response, &mut self.earlier_response, latest);
            if let Some(request) = t.request {
                latest_answered(&mut self.last_answered, request.last.at, t4);
            }
        } else if t.kind == Kind::Break {
            events.tell(Event::GaveBack(open.case()));
        }
        let linger = if open.lingers {
            world.settings.timeout_ns
        } else {
            LINGER_NS
        };
        // No answer comes later than the next frame.
        let t4 = if stepped { t4.min(world.sure) } else { t4 };
        open.deadline = t4.plus(linger);
        self.due = self.due.min(open.deadline);
        self.open.falls_due(at);
        if self.is_untold() {
            self.tell_untold(at, events);
        }
        let open = &mut *self.open[at];
        let end = open.transaction.raw_end.map_or(t4, |m| m.at.max(t4));
        // A program gets what is in order.
        let end = end.plus(open.held_ns[1]);
        open.stops_waiting(end, events);
        events.tell(Event::Answered(open.case()));
    }

    /// This is the latest response now.
    pub(super) fn responded(&mut self, latest: Option<(Mark, u64)>) {
        latest_response(&mut self.last_response, &mut self.earlier_response, latest);
    }
}

/// The latest of all responses, and the one in the message before it.
#[inline]
fn latest_response(
    last: &mut Option<(Mark, u64)>,
    earlier: &mut Option<(Mark, u64)>,
    latest: Option<(Mark, u64)>,
) {
    let message = |of: Option<(Mark, u64)>| of.map(|(_, message)| message);
    if message(*last) != message(latest) {
        *earlier = *last;
    }
    *last = latest;
}

/// A request that was complete then is answered, by this time.
#[inline]
fn latest_answered(answered: &mut [Timestamp; 2], asked: Timestamp, by: Timestamp) {
    let [latest, other] = *answered;
    // What was asked later than now was so by another clock.
    *answered = if latest > by {
        [asked, Timestamp::default()]
    } else if asked > latest {
        [asked, latest]
    } else {
        [latest, other.max(asked)]
    };
}
