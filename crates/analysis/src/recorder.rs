//! What is recorded for the statistics, as it happens.

use crate::Outcome;
use crate::case::{Case, Wait};
use crate::table::TablePlace;
use crate::world::Seen;
use wirewait_model::figures::counts_for_stations;
use wirewait_model::records::{Answer, Joined, LineTimes, Moment, Traffic, Waiting};
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// The time of the capture is recorded this often, ns.
const NOW_NS: i64 = 50_000_000;

/// Writes records down.
#[derive(Default)]
pub(crate) struct Recorder {
    /// Those that were not handed over.
    pub(crate) moments: Vec<Moment>,
    /// Clients are joined in them.
    pub(crate) joins: bool,
    /// The latest frames, of which some may not be recorded yet.
    traffic: Option<Traffic>,
    unrecorded: bool,
    /// Of the frame under way, from the first one on.
    interface: Option<u32>,
    /// There was more than one interface: each frame is recorded by itself.
    several: bool,
    /// Within this, not its ends, the time that was recorded last is near enough; nowhere as yet.
    near: Option<(Timestamp, Timestamp)>,
    /// From this time on, for so long, ns, a frame of the same interface only adds its bytes.
    steady: (Timestamp, u64),
}

impl Recorder {
    /// A frame came.
    #[inline]
    pub(crate) fn seen(&mut self, seen: &Seen<'_>) {
        let (from, ns) = self.steady;
        let behind = seen.frame.at.as_nanos().wrapping_sub(from.as_nanos());
        match &mut self.traffic {
            Some(traffic)
                if behind.cast_unsigned() < ns && traffic.interface == seen.frame.interface =>
            {
                traffic.bytes = traffic.bytes.saturating_add(seen.on_wire);
                self.unrecorded = true;
            }
            _ => self.seen_anew(seen),
        }
    }

    #[inline(never)]
    fn seen_anew(&mut self, seen: &Seen<'_>) {
        let (at, interface) = (seen.frame.at, seen.frame.interface);
        match &mut self.traffic {
            Some(traffic)
                if traffic.interface == interface
                    && !self.several
                    && (0..Traffic::NS).contains(&at.since(traffic.since)) =>
            {
                traffic.bytes = traffic.bytes.saturating_add(seen.on_wire);
            }
            _ => {
                self.frames();
                self.several |= self.interface.is_some_and(|before| before != interface);
                self.interface = Some(interface);
                self.traffic = Some(Traffic {
                    interface,
                    since: at,
                    bytes: seen.on_wire,
                });
            }
        }
        self.unrecorded = true;
        if self.several {
            // Before what the frame does: an interface is known before its stations are active.
            self.frames();
        }
        if !self.near.is_some_and(|(from, to)| from < at && at < to) {
            self.frames();
            self.near = Some((at.plus(-NOW_NS), at.plus(NOW_NS)));
            self.moments.push(Moment::Now(at));
        }
        self.steady = self.is_steady().unwrap_or_default();
    }

    /// When frames change nothing but the bytes of the latest.
    fn is_steady(&self) -> Option<(Timestamp, u64)> {
        let (traffic, (near, far)) = (self.traffic.as_ref()?, self.near?);
        let from = traffic.since.max(near.plus(1));
        let to = traffic.since.plus(Traffic::NS).min(far);
        let ns = u64::try_from(to.since(from)).ok()?;
        (!self.several).then_some((from, ns))
    }

    /// A client waits for a request.
    #[inline]
    pub(crate) fn begins(&mut self, wait: &Wait<'_>) {
        let waiting = self.waiting(wait, wait.began);
        self.moments.push(Moment::Begins(waiting));
    }

    /// It no longer does, since `at`.
    #[inline]
    pub(crate) fn ends(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let waiting = self.waiting(wait, at);
        self.moments.push(Moment::Ends(waiting));
    }

    /// A transaction is closed.
    #[inline]
    pub(crate) fn answered(&mut self, case: Case<'_>, took: Option<&LineTimes>) {
        if let Some(answer) = answer(case, took) {
            self.moments.push(Moment::Answered(answer));
        }
    }

    /// The client of this request is the one at the other place.
    #[cold]
    #[inline(never)]
    pub(crate) fn joined(
        &mut self,
        case: Case<'_>,
        (first, first_end): (TablePlace, Endpoint),
        at: Timestamp,
    ) {
        let [client, first] = [case.parties.client, first].map(TablePlace::id);
        let (Some(client), Some(first)) = (client, first) else {
            return;
        };
        self.joins = true;
        self.moments.push(Moment::Joined(Joined {
            client,
            first,
            first_end,
            server: case.parties.server.id(),
            interface: self.interface.unwrap_or(0),
            at,
        }));
    }

    /// The capture is over.
    pub(crate) fn over(&mut self) {
        self.frames();
        self.moments.push(Moment::Over);
    }

    /// Records the frames that are not.
    fn frames(&mut self) {
        if let Some(traffic) = &mut self.traffic
            && std::mem::take(&mut self.unrecorded)
        {
            self.moments.push(Moment::Frames(*traffic));
            traffic.bytes = 0;
        }
    }

    fn waiting(&self, wait: &Wait<'_>, at: Timestamp) -> Waiting {
        let parties = wait.case.parties;
        Waiting {
            client: parties.client.id(),
            server: parties.server.id(),
            interface: self.interface.unwrap_or(0),
            anyone: wait.anyone,
            at,
        }
    }
}

/// What is recorded of an answered request; `None` for what waits by design or is no request of a
/// client.
fn answer(case: Case<'_>, took: Option<&LineTimes>) -> Option<Answer> {
    let t = case.transaction;
    if t.outcome != Outcome::Answered || matches!(t.kind, Kind::Wait | Kind::Break) {
        return None;
    }
    let t4 = t.response?.last.at;
    let counts = counts_for_stations(t.kind);
    // What was repeated is no measure of the load: its client's time-out had passed.
    let once = counts && t.copies <= 1;
    let turnaround_ns = match took {
        Some(took) => took.turnaround_ns,
        None => t.clean_turnaround_ns(),
    };
    Some(Answer {
        client: case.parties.client.id(),
        server: case.parties.server.id(),
        began: t.request?.first.at,
        ended: t.raw_end.map_or(t4, |mark| mark.at.max(t4)),
        kind: t.kind,
        data_bytes: t.data_bytes,
        response_ns: took.map(|took| took.response_ns).filter(|_| counts),
        turnaround_ns: turnaround_ns.filter(|_| once),
    })
}
