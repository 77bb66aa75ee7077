//! The time in which a client has no request outstanding: its pauses, and what of them is something else.

use super::OwnedStretch;
use crate::account::{Phase, Posting, SliceOwner};
use crate::tick::ClockTick;
use wirewait_wire::Timestamp;

/// A part of a gap that is loss recovery, or of which nothing is known: from when to when, whose, and which.
type LostPart = ((Timestamp, Timestamp), SliceOwner, Phase);

/// A stretch in which no request was outstanding, and the owner of the request that ends it.
pub(super) struct Gap {
    pub(super) owner: SliceOwner,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    pub(super) think_ns: i64,
    /// How much longer the pause is of which it is a part, ns.
    pub(super) more_ns: i64,
}

impl Gap {
    /// What it is where nothing else is known of it.
    #[inline]
    pub(super) fn phase(&self, posting: &mut Posting<'_>) -> Phase {
        self.phase_of(self.to.since(self.from), posting)
    }

    /// What so long a part of it is, if nothing was outstanding in that.
    #[inline]
    fn phase_of(&self, gap: i64, posting: &mut Posting<'_>) -> Phase {
        let gap = gap.saturating_add(self.more_ns);
        // Most are far shorter.
        if gap <= self.think_ns >> 1 {
            posting.pause();
            return Phase::Client;
        }
        self.long_phase(gap, posting)
    }

    /// What a gap is that is not much shorter than idle time, or is that.
    #[inline(never)]
    fn long_phase(&self, gap: i64, posting: &mut Posting<'_>) -> Phase {
        let idle = gap > self.think_ns;
        if gap.abs_diff(self.think_ns) <= self.think_ns.unsigned_abs() / ClockTick::NEARLY {
            posting.nearly(gap, idle);
        }
        if idle {
            posting.idles();
            return Phase::Idle;
        }
        posting.pause();
        Phase::Client
    }

    /// Losses, and waits by design that ended within it, divide it; what lies between is the client's or idle, each
    /// part by its own length.
    #[cold]
    #[inline(never)]
    pub(super) fn post(
        &self,
        losses: &[OwnedStretch],
        waits: &[OwnedStretch],
        posting: &mut Posting<'_>,
    ) {
        let mut at = self.from;
        let mut lost = Vec::new();
        for loss in losses {
            let (from, to) = (
                loss.from.max(at),
                loss.to.map_or(self.to, |to| to.min(self.to)),
            );
            if to > from {
                lost.push(((from, to), loss.owner, loss.phase));
                at = to;
            }
        }
        let mut at = self.from;
        for wait in waits {
            let Some(end) = wait.to.filter(|end| *end > at && *end <= self.to) else {
                continue;
            };
            let began = wait.from.max(at);
            self.between(at, began, (&lost, waits), posting);
            Self::divided((began, end), &lost, posting, |from, to, posting| {
                posting.owner(wait.owner);
                posting.within_gap(Phase::Waiting);
                posting.slice(Phase::Waiting, from, to);
            });
            at = end;
        }
        self.between(at, self.to, (&lost, waits), posting);
    }

    /// A part in which nothing was outstanding but waits that go on, if those. They did not keep the client from
    /// the next request if that comes soon.
    fn between(
        &self,
        from: Timestamp,
        to: Timestamp,
        (lost, waits): (&[LostPart], &[OwnedStretch]),
        posting: &mut Posting<'_>,
    ) {
        if to <= from {
            return;
        }
        let within =
            |((began, end), ..): &LostPart| (*end).min(to).since((*began).max(from)).max(0);
        let lost_ns: i64 = lost.iter().map(within).sum();
        // It is as long as it would have been without losses.
        let phase = self.phase_of(to.since(from) - lost_ns, posting);
        let goes_on = |wait: &&OwnedStretch| {
            phase != Phase::Client && wait.to.is_none_or(|end| end > self.to)
        };
        Self::divided((from, to), lost, posting, |from, to, posting| {
            let wait = waits.iter().find(goes_on).filter(|wait| wait.from < to);
            let began = wait.map_or(to, |wait| wait.from.max(from));
            posting.owner(self.owner);
            posting.slice(phase, from, began);
            if let Some(wait) = wait {
                posting.owner(wait.owner);
                posting.within_gap(Phase::Waiting);
                posting.slice(Phase::Waiting, began, to);
            }
        });
    }

    /// Posts what was lost in this part, and has the rest posted.
    fn divided(
        (from, to): (Timestamp, Timestamp),
        lost: &[LostPart],
        posting: &mut Posting<'_>,
        rest: impl Fn(Timestamp, Timestamp, &mut Posting<'_>),
    ) {
        let mut at = from;
        for ((began, end), owner, phase) in lost {
            let (began, end) = ((*began).max(at), (*end).min(to));
            if end > began {
                if began > at {
                    rest(at, began, posting);
                }
                posting.owner(*owner);
                posting.within_gap(*phase);
                posting.slice(*phase, began, end);
                at = end;
            }
        }
        if to > at {
            rest(at, to, posting);
        }
    }
}
