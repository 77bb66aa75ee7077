//! What became of a request.

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The final response was seen.
    Answered,
    /// None was seen until the connection ended, the identifier was used anew, or the
    /// time-out passed.
    Unanswered,
    /// A response without a request: the capture began too late, or lost the request.
    OrphanResponse,
    /// The client took the request back, and the server confirmed that or never answered.
    Cancelled,
    /// No longer followed because of a limit of the settings: it may have
    /// been answered.
    GivenUp,
}

impl Outcome {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Unanswered => "unanswered",
            Self::OrphanResponse => "orphan_response",
            Self::Cancelled => "cancelled",
            Self::GivenUp => "given_up",
        }
    }
}

/// Server turnaround: from the complete request to the first frame of the final response,
/// t3 - t2. Nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turnaround {
    /// There is none to measure.
    #[default]
    None,
    /// Exactly this.
    Exact(i64),
    /// The request was seen more than once before the response, and it cannot be known
    /// which copy was answered: between these two.
    Between(i64, i64),
}

impl Turnaround {
    /// The value, if it is exact.
    #[must_use]
    pub const fn exact(self) -> Option<i64> {
        match self {
            Self::Exact(ns) => Some(ns),
            _ => None,
        }
    }

    /// The value, or the lower one of two between which it is.
    #[must_use]
    pub const fn least(self) -> Option<i64> {
        match self {
            Self::Exact(ns) | Self::Between(ns, _) => Some(ns),
            Self::None => None,
        }
    }
}

/// Frames of one transaction, by what they did. A frame that carries bytes of two
/// transactions counts in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCounts {
    /// With at least one new byte of the request.
    pub request: u32,
    /// With at least one new byte of the final response.
    pub response: u32,
    /// With an interim answer.
    pub interim: u32,
    /// Stand-alone acknowledgements of its data, at any layer.
    pub ack: u32,
    /// Polls, window updates and the like in between.
    pub control: u32,
    /// With bytes that had all been seen before.
    pub retransmitted: u32,
    /// Frames on the wire beyond those of request, interim and final response: what the capturing station put together
    /// (offload) counts there as one, and was several (definitions, section 4).
    pub offloaded: u32,
}

impl FrameCounts {
    /// All of them, as captured.
    #[must_use]
    pub fn total(&self) -> u64 {
        [
            self.request,
            self.response,
            self.interim,
            self.ack,
            self.control,
            self.retransmitted,
        ]
        .iter()
        .map(|n| u64::from(*n))
        .sum()
    }
}

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        /// What to bear in mind about a transaction.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Flags(u16);

        impl Flags {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            /// The names of those that are set, in a fixed order.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                [$((Self::$name, $text)),*]
                    .into_iter()
                    .filter(move |(flag, _)| self.contains(*flag))
                    .map(|(_, name)| name)
            }
        }
    };
}

flags! {
    /// The request was seen more than once before the response: see [`Turnaround`].
    AMBIGUOUS = 0, "ambiguous";
    /// The beginning of the conversation is not in the capture, and this transaction
    /// suffers from it.
    MID_CAPTURE = 1, "mid_capture";
    /// Frames of it are missing from the capture, though the receiver had them.
    CAPTURE_LOSS = 2, "capture_loss";
    /// The capture cut bytes off that were needed.
    SNAPPED = 3, "snapped";
    /// Its frames did not come in order. It has no times if its response begins before its request
    /// ends.
    OUT_OF_ORDER = 4, "out_of_order";
    /// The server was still busy with an earlier request: turnaround contains queueing.
    PIPELINED = 5, "pipelined";
    /// Its data travelled without a header.
    RAW = 6, "raw";
    /// Only lengths and order can be seen; matched by turn.
    ENCRYPTED = 7, "encrypted";
    /// The clock of the capture stepped back meanwhile, or one of its frames has a wrong stamp: it
    /// has no times.
    CLOCK_STEP = 8, "clock_step";
    /// The other direction of the conversation is not in the capture: no judgement.
    ONE_SIDED = 9, "one_sided";
    /// Identifiers were cut off; matched by order.
    BY_ORDER = 10, "by_order";
    /// Unanswered, but the capture ended before its time-out had passed.
    OPEN_AT_END = 11, "open_at_end";
    /// It came in more pieces than are kept apart: a repetition of one of them may have
    /// counted as new.
    SCATTERED = 12, "scattered";
    /// Something of it, or its request, was given up because of a limit of the
    /// settings: no judgement.
    LIMITED = 13, "limited";
    /// It could not be delivered, and somebody reported that (ICMP).
    REFUSED = 14, "refused";
    /// Its client aborted the connection while it waited, or never sent the rest of it.
    ABANDONED = 15, "abandoned";
}

impl Flags {
    /// Whether all of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether none is set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the analysis lacks something of it: the capture does not have it, or it was given
    /// up because of a limit.
    #[must_use]
    pub const fn is_incomplete(self) -> bool {
        self.contains(Self::CAPTURE_LOSS) || self.contains(Self::LIMITED)
    }

    /// Sets all of `other` as well.
    pub fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Sets all of `other` as well, on this condition.
    pub fn set_if(&mut self, other: Self, condition: bool) {
        if condition {
            self.set(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_named_in_a_fixed_order() {
        let mut flags = Flags::default();
        flags.set(Flags::RAW);
        flags.set(Flags::AMBIGUOUS);
        assert_eq!(flags.names().collect::<Vec<_>>(), ["ambiguous", "raw"]);
    }
}
