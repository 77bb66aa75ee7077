//! What a transaction counts as.

use super::Transaction;
use wirewait_model::figures::counts_for_stations;
use wirewait_model::{Counts, Exclusion, Exclusions, Flags, FrameSums, Outcome, Turnaround};

impl Transaction {
    /// Counts it by what became of it.
    #[inline(always)]
    pub(crate) fn count_in(&self, counts: &mut Counts) {
        if self.outcome == Outcome::OrphanResponse {
            let limited = self.flags.contains(Flags::LIMITED);
            counts.responses_given_up += u64::from(limited);
            counts.orphan_responses += u64::from(!limited);
            return;
        }
        counts.requests += 1;
        let done = match self.status {
            Some(status) => status.ok && !status.failure,
            None => !self.flags.contains(Flags::RAW) || self.data_bytes > 0,
        };
        let seen_once = self.copies <= 1 && self.interims == 0 && self.duplicate_responses == 0;
        if self.outcome == Outcome::Answered && done && seen_once {
            counts.answered += 1;
            return;
        }
        match self.outcome {
            Outcome::Answered => counts.answered += 1,
            Outcome::Cancelled => counts.cancelled += 1,
            Outcome::GivenUp => counts.given_up += 1,
            _ if self.flags.contains(Flags::ONE_SIDED) => counts.one_sided += 1,
            _ if self.flags.contains(Flags::OPEN_AT_END) => counts.open_at_end += 1,
            _ if self.flags.contains(Flags::CAPTURE_LOSS) => counts.capture_loss += 1,
            _ => counts.unanswered += 1,
        }
        counts.failures += u64::from(self.status.is_some_and(|s| s.failure));
        counts.not_ok += u64::from(self.ok() == Some(false));
        counts.repeated += u64::from(self.copies > 1);
        counts.interims += u64::from(self.interims);
        counts.duplicate_responses += u64::from(self.duplicate_responses);
    }

    /// Counts its frames, if the capture has all of them.
    pub(crate) fn count_frames_in(&self, frames: &mut FrameSums) {
        if self.flags.is_incomplete() {
            return;
        }
        frames.request += u64::from(self.frames.request);
        frames.response += u64::from(self.frames.response);
        frames.interim += u64::from(self.frames.interim);
        frames.ack += u64::from(self.frames.ack);
        frames.control += u64::from(self.frames.control);
        frames.retransmitted += u64::from(self.frames.retransmitted);
        frames.offloaded += u64::from(self.frames.offloaded);
    }

    /// Notes what it is left out of.
    pub(crate) fn exclude_in(&self, excluded: &mut Exclusions) {
        let answered = self.outcome == Outcome::Answered;
        let service = counts_for_stations(self.kind);
        let ambiguous = matches!(self.turnaround, Turnaround::Between(..));
        if self.flags.is_empty() && answered && service {
            if ambiguous {
                excluded.add(Exclusion::Ambiguous, true);
            }
            return;
        }
        let lost = self.flags.contains(Flags::CAPTURE_LOSS);
        // What nobody answered has no times that anything else could speak against.
        let simply = match self.outcome {
            Outcome::Unanswered => Some(Exclusion::Unanswered),
            Outcome::GivenUp => Some(Exclusion::GivenUp),
            _ => None,
        };
        if let Some(simply) = simply
            && self.response.is_none()
            && self.turnaround == Turnaround::None
            && !lost
            && !self.flags.contains(Flags::CLOCK_STEP)
        {
            excluded.add(simply, true);
            return;
        }
        let exact = self.turnaround.exact().is_some();
        let limited = self.flags.contains(Flags::LIMITED);
        let orphan = self.outcome == Outcome::OrphanResponse;
        let stepped = self.flags.contains(Flags::CLOCK_STEP);
        let impossible = self.request.is_some() && self.response.is_some();
        let impossible = impossible && self.times().is_none() && !stepped;
        let pipelined = self.flags.contains(Flags::PIPELINED);
        for (why, applies) in [
            (Exclusion::Ambiguous, ambiguous),
            (Exclusion::Pipelined, pipelined && exact),
            (Exclusion::LostTurnaround, lost && exact),
            (Exclusion::ClockStep, stepped),
            (Exclusion::Impossible, impossible),
            (Exclusion::Unanswered, self.outcome == Outcome::Unanswered),
            (Exclusion::Cancelled, self.outcome == Outcome::Cancelled),
            (Exclusion::Orphan, orphan && !limited),
            (Exclusion::LostFrames, lost),
            (Exclusion::NoService, answered && !service),
            (Exclusion::GivenUp, self.outcome == Outcome::GivenUp),
            (Exclusion::OrphanGivenUp, orphan && limited),
            (Exclusion::LimitedTurnaround, answered && limited && exact),
            (Exclusion::LimitedFrames, answered && limited),
        ] {
            excluded.add(why, applies);
        }
    }
}
