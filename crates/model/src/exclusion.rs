//! Why transactions are left out of statistics.

/// A reason to leave a transaction out of a statistic, in the order in which they are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusion {
    /// Nobody knows which copy of the request was answered.
    Ambiguous,
    /// The server was busy with an earlier request.
    Pipelined,
    /// Frames of it are missing: no turnaround.
    LostTurnaround,
    /// The clock stepped back meanwhile.
    ClockStep,
    /// By its stamps the response begins before its request ends.
    Impossible,
    /// It has no response.
    Unanswered,
    /// It was taken back.
    Cancelled,
    /// It has no request.
    Orphan,
    /// Frames of it are missing: not counted.
    LostFrames,
    /// It is no measure of service.
    NoService,
    /// It was given up because of a limit.
    GivenUp,
    /// Its request may be one that was given up because of a limit.
    OrphanGivenUp,
    /// Data was not waited for because of a limit: no turnaround.
    LimitedTurnaround,
    /// Data was not waited for because of a limit: frames are not counted.
    LimitedFrames,
}

impl Exclusion {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Ambiguous,
        Self::Pipelined,
        Self::LostTurnaround,
        Self::ClockStep,
        Self::Impossible,
        Self::Unanswered,
        Self::Cancelled,
        Self::Orphan,
        Self::LostFrames,
        Self::NoService,
        Self::GivenUp,
        Self::OrphanGivenUp,
        Self::LimitedTurnaround,
        Self::LimitedFrames,
    ];

    /// What it is left out of.
    #[must_use]
    pub const fn from(self) -> &'static str {
        match self {
            Self::Ambiguous | Self::Pipelined | Self::LostTurnaround | Self::LimitedTurnaround => {
                "turnaround"
            }
            Self::LostFrames | Self::LimitedFrames => "frames per request",
            Self::NoService => "stations' response time",
            Self::ClockStep
            | Self::Impossible
            | Self::Unanswered
            | Self::Cancelled
            | Self::Orphan
            | Self::GivenUp
            | Self::OrphanGivenUp => "all times",
        }
    }

    /// Why, in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Ambiguous => "the request was seen more than once before the response",
            Self::Pipelined => "the server was busy with an earlier request",
            Self::LostTurnaround | Self::LostFrames => "frames are missing from the capture",
            Self::ClockStep => "the clock of the capture was set, or stepped",
            Self::Impossible => "the response begins before its request ends",
            Self::Unanswered => "unanswered",
            Self::Cancelled => "cancelled",
            Self::Orphan => "response without request",
            Self::NoService => "waits by design, session set-up and breaks",
            Self::GivenUp => "given up because of a limit",
            Self::OrphanGivenUp => {
                "response to a request that may have been given up because of a limit"
            }
            Self::LimitedTurnaround | Self::LimitedFrames => {
                "data was not waited for any longer because of a limit"
            }
        }
    }
}

/// How many were left out for each reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    counts: [u64; Exclusion::ALL.len()],
    any: bool,
}

impl Exclusions {
    /// One more, if it applies.
    pub fn add(&mut self, why: Exclusion, applies: bool) {
        // The order of `ALL` is that of the variants.
        self.counts[why as usize] += u64::from(applies);
        self.any |= applies;
    }

    /// Adds those of others.
    pub fn merge(&mut self, other: &Self) {
        if !other.any {
            return;
        }
        self.any = true;
        for (sum, n) in self.counts.iter_mut().zip(other.counts) {
            *sum = sum.saturating_add(n);
        }
    }

    /// Those that there are.
    pub fn iter(&self) -> impl Iterator<Item = (Exclusion, u64)> {
        let all = Exclusion::ALL.into_iter().zip(self.counts);
        all.filter(|(_, count)| *count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_counted_as_itself() {
        for (n, why) in Exclusion::ALL.into_iter().enumerate() {
            assert_eq!(why as usize, n);
            let mut one = Exclusions::default();
            one.add(why, true);
            one.add(Exclusion::Orphan, false);
            let mut sum = Exclusions::default();
            sum.merge(&one);
            sum.merge(&one);
            sum.merge(&Exclusions::default());
            assert_eq!(sum.iter().collect::<Vec<_>>(), [(why, 2)]);
        }
    }

    #[test]
    fn no_two_reasons_read_the_same() {
        let shown = |why: Exclusion| (why.from(), why.reason());
        for (n, why) in Exclusion::ALL.into_iter().enumerate() {
            let mut before = Exclusion::ALL[..n].iter();
            assert!(before.all(|other| shown(*other) != shown(why)), "{why:?}");
        }
    }
}
