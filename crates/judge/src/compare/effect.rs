//! What a comparison says in a word, and what that is about.

/// What became of the work, by what [`Basis`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It takes longer than in the baseline, more than chance explains.
    Slower,
    /// It takes less time likewise.
    Faster,
    /// No difference that chance would not make as well.
    None,
    /// One of the two has too few requests to tell, or what makes a large difference happened too
    /// few times.
    TooFew,
}

impl Effect {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::None => "none",
            Self::TooFew => "too_few_samples",
        }
    }
}

/// What the effect is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// File data for each active time of the clients: requests are of [other sizes](super::Work).
    Bytes,
    /// Active time of the clients for each answered request, their pauses included.
    ActiveTime,
    /// The response time: with the pauses nothing changed, as where clients keep a pace.
    ResponseTime,
    /// Both captures are of the same traffic, made at two places.
    SameTraffic,
    /// The response time of requests that succeeded, operation by operation: more of all fail than in the
    /// baseline, or fewer.
    Succeeded,
    /// The response time, operation by operation: the mix of operations is another.
    Operations,
    /// The time by the clock: the same work, and only pauses that count as idle made it longer.
    Elapsed,
}

impl Basis {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::ActiveTime => "active_time",
            Self::ResponseTime => "response_time",
            Self::SameTraffic => "same_traffic",
            Self::Succeeded => "succeeded",
            Self::Operations => "operations",
            Self::Elapsed => "elapsed",
        }
    }
}
