//! Records on their way to the statistics.

use crate::Outcome;
use crate::world::{Case, Seen, Wait};
use wirewait_model::figures::counts_for_stations;
use wirewait_model::records::{
    Answer, Group, GroupTimes, LineTimes, Moment, Records, Traffic, Waiting,
};
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// The time of the capture is recorded this often, ns.
const NOW_NS: u64 = 50_000_000;

/// What happened and was not handed over to the statistics.
#[derive(Default)]
pub(crate) struct Batch {
    moments: Vec<Moment>,
    /// The latest frames, of which some may not be recorded yet.
    traffic: Option<Traffic>,
    unrecorded: bool,
    /// Of the frame under way, from the first one on.
    interface: Option<u32>,
    /// There was more than one interface: each frame is recorded by itself.
    several: bool,
    /// When the time was recorded last.
    now: Option<Timestamp>,
    groups: Vec<Group>,
    /// Of those, and room for those of more.
    times: Vec<GroupTimes>,
    /// Room of groups that were handed over.
    spare: Vec<Group>,
    pub(crate) strangers: Vec<Endpoint>,
}

impl Batch {
    /// Groups that make a batch, and moments. A frame that closes many requests may make more.
    const GROUPS: usize = 16;
    const MOMENTS: usize = 512;

    /// A frame came.
    #[inline]
    pub(crate) fn seen(&mut self, seen: &Seen<'_>) {
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
        let known = self.now.map(|now| at.since(now).unsigned_abs());
        if known.is_none_or(|ns| ns >= NOW_NS) {
            self.frames();
            self.now = Some(at);
            self.moments.push(Moment::Now(at));
        }
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

    /// The capture is over.
    pub(crate) fn over(&mut self) {
        self.frames();
        self.moments.push(Moment::Over);
    }

    /// Whether there is enough to hand it over.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.groups.len() >= Self::GROUPS || self.moments.len() >= Self::MOMENTS
    }

    /// What there is.
    pub(crate) fn records(&self) -> Records<'_> {
        Records {
            moments: &self.moments,
            groups: &self.groups,
            times: &self.times[..self.groups.len()],
            strangers: &self.strangers,
        }
    }

    /// It was handed over.
    pub(crate) fn clear(&mut self) {
        self.moments.clear();
        self.strangers.clear();
        self.spare.append(&mut self.groups);
        self.spare.truncate(Self::GROUPS);
        self.times.truncate(Self::GROUPS);
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

    /// Room for the times of the group that is [taken](Self::take) next.
    pub(crate) fn next_times(&mut self) -> &mut GroupTimes {
        let next = self.groups.len();
        if next >= self.times.len() {
            self.times.resize_with(next + 1, GroupTimes::default);
        }
        &mut self.times[next]
    }

    /// Takes a group, of which the times are known, and leaves room in its place.
    pub(crate) fn take(&mut self, group: &mut Group) {
        let key = group.key;
        let mut room = self.spare.pop().unwrap_or_else(|| Group::new(key));
        room.key = key;
        self.groups.push(std::mem::replace(group, room));
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
        turnaround_ns: turnaround_ns.filter(|_| counts),
    })
}
