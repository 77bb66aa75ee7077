//! A closed request of a timeline, and what of its time it has.

use super::OwnedStretch;
use super::gap::Gap;
use crate::account::stalls::{self, OwnedStall};
use crate::account::{Outstanding, Phase, Posting, SliceOwner, Ways};
use crate::table::TablePlace;
use wirewait_wire::Timestamp;

/// A request that is closed, whose it was, and how far the stations were then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    pub(super) outstanding: Outstanding,
    pub(super) owner: SliceOwner,
    pub(super) ways: Ways,
}

impl Closed {
    /// How much is given away of a pause that goes on behind it, if so much of that was before, ns.
    #[inline]
    pub(super) fn paused(&self, until: Option<Timestamp>, before_ns: i64) -> i64 {
        match self.outstanding.probes {
            false => 0,
            true => {
                let pause = until.map_or(0, |until| self.outstanding.begin.since(until));
                before_ns.saturating_add(pause.max(0))
            }
        }
    }

    /// Gives away what of its time, and of the gap before it, nobody has: all before `given` is
    /// given away.
    #[inline]
    pub(super) fn give_away(
        &self,
        (given, answered_by): (&mut Option<Timestamp>, &mut TablePlace),
        (think_ns, more_ns): (i64, i64),
        (losses, waits, stalls): (
            &mut Vec<OwnedStretch>,
            &mut Vec<OwnedStretch>,
            &mut Vec<OwnedStall>,
        ),
        posting: &mut Posting<'_>,
    ) {
        let Self {
            outstanding,
            owner,
            ways,
        } = self;
        let owner = *owner;
        let begin = outstanding.begin;
        let until = given.unwrap_or(begin);
        posting.owner(owner);
        posting.ways(*ways);
        posting.spans(begin, outstanding.end());
        if begin > until {
            let gap = Gap {
                owner,
                from: until,
                to: begin,
                think_ns,
                more_ns,
            };
            if losses.is_empty() && waits.is_empty() {
                let phase = gap.phase(posting);
                posting.slice(phase, until, begin);
            } else {
                gap.post(losses, waits, posting);
                posting.owner(owner);
            }
        } else if begin < until {
            self.had_time(until, *answered_by, posting);
        }
        let mut at = until.max(begin);
        let mut last = Phase::Idle;
        if outstanding.is_stalled() {
            (at, last) = stalls::post(outstanding, (owner.pair, at), stalls, posting);
        } else {
            for (phase, end) in outstanding.phases() {
                if end > at {
                    posting.turnaround(phase);
                    posting.slice(phase, at, end);
                    (at, last) = (end, phase);
                }
            }
        }
        *given = Some(at);
        *answered_by = match last {
            Phase::Server | Phase::Response => owner.server,
            // All of it was over before.
            Phase::Idle => *answered_by,
            _ => TablePlace::NOWHERE,
        };
        if !waits.is_empty() {
            waits.retain(|wait| wait.to.is_none_or(|to| to > at));
        }
        if !losses.is_empty() {
            losses.retain(|loss| loss.to.is_none_or(|to| to > at));
        }
    }
}

impl Closed {
    /// It was on its way while an older one was outstanding, until `until`: its turnaround is cut there, and
    /// contains so much less of the way.
    #[cold]
    #[inline(never)]
    fn had_time(&self, until: Timestamp, answered_by: TablePlace, posting: &mut Posting<'_>) {
        let server = self.owner.server;
        let behind = !server.is_nowhere() && server == answered_by;
        let mut asked = self.outstanding.begin;
        for (phase, end) in self.outstanding.phases() {
            if phase == Phase::Server && until > asked && end > until {
                posting.ways.travelled(until.since(asked), behind);
            }
            asked = end;
        }
    }
}
