//! The time that a request was outstanding, phase by phase.

use super::{Bounds, Phase};
use crate::stalls::Stall;
use wirewait_wire::Timestamp;

/// How long something was lost before the capture is known.
pub(crate) const SURE: i64 = -1;
/// It is not, as nothing numbers messages: those are all that there are, and clients repeat them by timers
/// of their own.
pub(crate) const UNNUMBERED: i64 = -2;

/// The response came behind a copy of the request, which was sent though the server had said that it works on it: it may
/// have been there before, and lost. Becomes how long the server had for sure.
pub(crate) const ASKED_AGAIN: i64 = -3;

/// The request was repeated where no transport repeats frames: that it was lost is not proved. Becomes a number less than
/// this where nothing shows which copy was answered: how long the last came behind the first, below zero, ns.
pub(crate) const COPIED: i64 = -4;

/// The time that a request was outstanding, from its first frame to the end of waiting for it,
/// phase by phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outstanding {
    /// When it begins (t1).
    pub(crate) begin: Timestamp,
    /// Where its phases end, in the order in which they come; only those that took time.
    ends: [Timestamp; 5],
    /// What they are.
    phases: [Phase; 5],
    count: u8,
    /// Some of it is a station's own time.
    stalled: bool,
    /// Each frame of the response waited for the acknowledgement of the one before.
    pub(super) waited: bool,
    /// It only asks whether the other end is there: it ends no pause.
    pub(super) probes: bool,
    /// The request, or the response, may have been lost before the capture for longer than this, ns: nothing
    /// shows it. Else [`SURE`], or [`UNNUMBERED`], or less than [`COPIED`].
    pub(crate) unsure: [i64; 2],
    /// And the request no longer than this besides, ns.
    pub(super) unsure_ns: i64,
    /// How far its client had what the server sent as it asked, and the end of the response among that.
    had: u64,
    answered_to: u64,
    /// When its server acknowledged it, beside other requests.
    pub(super) reached_at: Option<ReachedAt>,
}

/// A server acknowledged a request beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReachedAt {
    pub(crate) at: Timestamp,
    /// Bytes of it that were behind that.
    pub(crate) left: u32,
    /// So much later, ns, it acknowledged these as well, with data behind them that they may have waited for; the greatest
    /// number stands for all that is longer.
    pub(crate) later: Option<u32>,
}

impl Outstanding {
    /// The phases of a request that was answered.
    pub(crate) const ANSWERED: &'static [Phase; 5] = &[
        Phase::Request,
        Phase::Retransmission,
        Phase::Server,
        Phase::Response,
        Phase::Retransmission,
    ];
    /// The phases of one of which nobody can tell whether it was.
    pub(crate) const UNKNOWN: &'static [Phase; 5] = &[
        Phase::Request,
        Phase::Retransmission,
        Phase::Server,
        Phase::Response,
        Phase::Unknown,
    ];
    /// The phases of one that was not.
    pub(crate) const GIVEN_UP: &'static [Phase; 5] = &[
        Phase::Request,
        Phase::Retransmission,
        Phase::Server,
        Phase::Response,
        Phase::Unanswered,
    ];

    /// From `begin` on, with phases that end then, in the order in which they come.
    #[inline(always)]
    pub(crate) fn new(begin: Timestamp, ends: [Timestamp; 5], phases: &[Phase; 5]) -> Self {
        let mut outstanding = Self {
            begin,
            ends: [begin; 5],
            phases: *phases,
            count: 0,
            stalled: false,
            waited: false,
            probes: false,
            unsure: [SURE; 2],
            unsure_ns: i64::MAX,
            had: u64::MAX,
            answered_to: 0,
            reached_at: None,
        };
        let mut at = begin;
        for (end, phase) in ends.into_iter().zip(phases) {
            if end > at {
                let place = usize::from(outstanding.count);
                (outstanding.ends[place], outstanding.phases[place]) = (end, *phase);
                outstanding.count += 1;
                at = end;
            }
        }
        outstanding
    }

    /// This time, where nothing shows whether the request, or the response, was lost before the
    /// capture for longer than this, ns; the request no longer than `most` besides.
    pub(crate) fn unsure(mut self, unsure: [i64; 2], most: i64) -> Self {
        (self.unsure, self.unsure_ns) = (unsure, most);
        self
    }

    /// This time, where the client had so much of what the server sent as it asked, and the response ends there.
    pub(crate) fn sent(mut self, had: u64, answered_to: u64) -> Self {
        (self.had, self.answered_to) = (had, answered_to);
        self
    }

    /// This time, of a request that its server acknowledged then, beside other requests.
    pub(crate) fn reached(mut self, at: Option<ReachedAt>) -> Self {
        self.reached_at = at;
        self
    }

    /// The end of its response among all that the server sent.
    #[inline]
    pub(super) fn answered_to(&self) -> u64 {
        self.answered_to
    }

    /// Whether its client asked before it had what the server sent up to there.
    #[inline]
    pub(super) fn asked_before(&self, sent_to: u64) -> bool {
        self.had < sent_to
    }

    /// This time, of a request that only asks whether the other end is there if so.
    pub(crate) fn probing(mut self, probes: bool) -> Self {
        self.probes = probes;
        self
    }

    /// This time, with these stalls in it; those that are none are taken out.
    #[cold]
    #[inline(never)]
    pub(super) fn stalled(&self, stalls: &mut Vec<(Stall, Bounds)>) -> Self {
        let all = stalls.len();
        stalls.retain(|(stall, _)| !stall.waited);
        Self {
            stalled: !stalls.is_empty(),
            waited: stalls.len() < all,
            ..*self
        }
    }

    /// Whether some of it is a station's own time.
    #[inline]
    pub(super) fn is_stalled(&self) -> bool {
        self.stalled
    }

    /// Each phase with its end.
    pub(crate) fn phases(&self) -> impl Iterator<Item = (Phase, Timestamp)> {
        let phases = self.phases.iter().zip(&self.ends);
        let phases = phases.take(usize::from(self.count));
        phases.map(|(phase, end)| (*phase, *end))
    }

    /// When nobody waits for it any more.
    pub(super) fn end(&self) -> Timestamp {
        match self.count {
            0 => self.begin,
            count => self.ends[usize::from(count) - 1],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_without_time_are_none() {
        let at = Timestamp::from_nanos;
        let ends = [5, 5, 3, 9, 9].map(at);
        let outstanding = Outstanding::new(at(2), ends, Outstanding::ANSWERED);
        let phases: Vec<_> = outstanding.phases().collect();
        assert_eq!(phases, [(Phase::Request, at(5)), (Phase::Response, at(9))]);
    }
}
