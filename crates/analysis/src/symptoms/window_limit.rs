//! What a receive window allows over a distance.

use super::Threshold;
use super::rule::{Limit, Rule, Severity, Whose};
use wirewait_wire::Endpoint;

pub(super) static WINDOW_LIMITS: Rule = Rule {
    id: "window_limits",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "long messages that waited a round trip for each receive window",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: true,
    // What its sender waits for are acknowledgements.
    covers: &["acknowledgement_waits", "late_acknowledgements"],
};

/// A receive window, and how far it is to who has it: one window a round trip is the most that a connection can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WindowLimit {
    /// The station with that window.
    pub receiver: Endpoint,
    /// The largest that it offered, bytes.
    pub bytes: u64,
    /// How long a round trip took as the connection was opened, ns.
    pub round_trip_ns: u64,
}

impl WindowLimit {
    /// A window of `bytes`, and a round trip of this length, ns, to who has it.
    #[must_use]
    pub const fn new(receiver: Endpoint, bytes: u64, round_trip_ns: u64) -> Self {
        Self {
            receiver,
            bytes,
            round_trip_ns,
        }
    }

    /// The most that one connection can carry, bytes per second.
    #[must_use]
    pub fn bytes_per_second(&self) -> u64 {
        let all = u128::from(self.bytes) * 1_000_000_000;
        let rate = all.checked_div(self.round_trip_ns.into());
        rate.map_or(u64::MAX, |rate| u64::try_from(rate).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_a_round_trip() {
        let of = |bytes, round_trip_ns| WindowLimit {
            receiver: Endpoint::mac([2, 0, 0, 0, 0, 1]),
            bytes,
            round_trip_ns,
        };
        assert_eq!(of(65_535, 40_000_000).bytes_per_second(), 1_638_375);
        assert_eq!(of(65_535, 0).bytes_per_second(), u64::MAX);
        assert_eq!(of(u64::MAX, 1).bytes_per_second(), u64::MAX);
    }
}
