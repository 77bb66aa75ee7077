//! The time in which a client has no request outstanding: its pauses, and what of them is something else.

use super::OwnedStretch;
use crate::account::{Phase, Posting, SliceOwner};
use crate::tick::ClockTick;
use wirewait_wire::Timestamp;

/// Takes the parts of gaps.
pub(super) trait GapParts {
    /// So much of a gap is the network's, as far as that is known, ns: its client had the response that much later.
    fn on_the_way(&self) -> i64 {
        0
    }

    /// A gap is the client's.
    fn pause(&mut self) {}

    /// A gap is nobody's.
    fn idles(&mut self) {}

    /// A gap is nearly, or hardly, as long as those that are idle.
    fn nearly(&mut self, ns: i64, idle: bool) {
        let _ = (ns, idle);
    }

    /// This part of a gap belongs to this owner.
    fn part(&mut self, owner: SliceOwner, phase: Phase, span: (Timestamp, Timestamp));

    /// Likewise, and it is loss recovery, or a wait.
    fn within(&mut self, owner: SliceOwner, phase: Phase, span: (Timestamp, Timestamp)) {
        self.part(owner, phase, span);
    }
}

impl GapParts for Posting<'_> {
    fn on_the_way(&self) -> i64 {
        self.way_to_client()
    }

    #[inline]
    fn pause(&mut self) {
        Posting::pause(self);
    }

    #[inline]
    fn idles(&mut self) {
        Posting::idles(self);
    }

    fn nearly(&mut self, ns: i64, idle: bool) {
        Posting::nearly(self, ns, idle);
    }

    fn part(&mut self, owner: SliceOwner, phase: Phase, (from, to): (Timestamp, Timestamp)) {
        self.owner(owner);
        self.slice(phase, from, to);
    }

    fn within(&mut self, owner: SliceOwner, phase: Phase, span: (Timestamp, Timestamp)) {
        self.within_gap(phase);
        self.part(owner, phase, span);
    }
}

/// The parts of a pause between two requests of a client, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PauseParts {
    /// The client's own.
    pub client: u64,
    /// In waits by design.
    pub waiting: u64,
    /// Longer than the think limit.
    pub idle: u64,
}

impl PauseParts {
    /// Shares out the pause from the first moment to the second, as the account of time does: with these waits by design,
    /// each from when to when, in the order in which they began; one without an end goes on. A pause beyond `think_ns` is idle.
    #[must_use]
    pub fn of(
        (from, to): (Timestamp, Timestamp),
        waits: &[(Timestamp, Option<Timestamp>)],
        think_ns: i64,
    ) -> Self {
        let waits = waits.iter().map(|(from, to)| OwnedStretch {
            from: *from,
            to: *to,
            owner: SliceOwner::default(),
            began: *from,
            phase: Phase::Waiting,
        });
        let waits: Vec<_> = waits.collect();
        let gap = Gap {
            owner: SliceOwner::default(),
            from,
            to,
            think_ns,
            more_ns: 0,
        };
        let mut parts = Self::default();
        gap.post(&[], &waits, &mut parts);
        parts
    }
}

impl GapParts for PauseParts {
    fn part(&mut self, _: SliceOwner, phase: Phase, (from, to): (Timestamp, Timestamp)) {
        let sum = match phase {
            Phase::Client => &mut self.client,
            Phase::Waiting => &mut self.waiting,
            _ => &mut self.idle,
        };
        *sum = sum.saturating_add(u64::try_from(to.since(from)).unwrap_or(0));
    }
}

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
    pub(super) fn phase(&self, posting: &mut impl GapParts) -> Phase {
        self.phase_of(self.to.since(self.from), posting)
    }

    /// What so long a part of it is, if nothing was outstanding in that.
    #[inline]
    fn phase_of(&self, gap: i64, posting: &mut impl GapParts) -> Phase {
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
    fn long_phase(&self, gap: i64, posting: &mut impl GapParts) -> Phase {
        // Who has not got the response yet does not pause.
        let gap = gap.saturating_sub(posting.on_the_way());
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
        posting: &mut impl GapParts,
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
                posting.within(wait.owner, Phase::Waiting, (from, to));
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
        posting: &mut impl GapParts,
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
            posting.part(self.owner, phase, (from, began));
            if let Some(wait) = wait {
                posting.within(wait.owner, Phase::Waiting, (began, to));
            }
        });
    }

    /// Posts what was lost in this part, and has the rest posted.
    fn divided<P: GapParts>(
        (from, to): (Timestamp, Timestamp),
        lost: &[LostPart],
        posting: &mut P,
        rest: impl Fn(Timestamp, Timestamp, &mut P),
    ) {
        let mut at = from;
        for ((began, end), owner, phase) in lost {
            let (began, end) = ((*began).max(at), (*end).min(to));
            if end > began {
                if began > at {
                    rest(at, began, posting);
                }
                posting.within(*owner, *phase, (began, end));
                at = end;
            }
        }
        if to > at {
            rest(at, to, posting);
        }
    }
}
