//! Phases of time, and time split by them.

use wirewait_wire::Timestamp;

/// What an instant of a client's time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing outstanding, and the next request comes soon: work in the client.
    Client,
    /// The request is on its way: t1 to t2.
    Request,
    /// Server turnaround: t2 to t3.
    Server,
    /// The answer is on its way: t3 to t4.
    Response,
    /// Loss recovery: a frame was lost, until it was sent again.
    Retransmission,
    /// No answer ever came: until the request was given up.
    Unanswered,
    /// Nothing but waits by design is outstanding.
    Waiting,
    /// Nothing outstanding, and nothing wanted for a while.
    Idle,
}

impl Phase {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 8] = [
        Self::Client,
        Self::Request,
        Self::Server,
        Self::Response,
        Self::Retransmission,
        Self::Unanswered,
        Self::Waiting,
        Self::Idle,
    ];

    /// The phases of active time, in the same order.
    pub const ACTIVE: [Self; 6] = [
        Self::Client,
        Self::Request,
        Self::Server,
        Self::Response,
        Self::Retransmission,
        Self::Unanswered,
    ];

    /// Whether it is part of active time.
    #[must_use]
    pub const fn is_active(self) -> bool {
        !matches!(self, Self::Waiting | Self::Idle)
    }

    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Request => "request_transfer",
            Self::Server => "server",
            Self::Response => "response_transfer",
            Self::Retransmission => "retransmission",
            Self::Unanswered => "unanswered",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
        }
    }
}

/// Time split by phase. Nanoseconds; of several clients, client-nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger([u64; Phase::ALL.len()]);

impl FromIterator<(Phase, u64)> for Ledger {
    /// Adds up nanoseconds by phase.
    fn from_iter<I: IntoIterator<Item = (Phase, u64)>>(parts: I) -> Self {
        let mut ledger = Self::default();
        for (phase, ns) in parts {
            let place = &mut ledger.0[phase as usize];
            *place = place.saturating_add(ns);
        }
        ledger
    }
}

impl Ledger {
    /// The time of one phase.
    #[must_use]
    pub const fn get(&self, phase: Phase) -> u64 {
        self.0[phase as usize]
    }

    /// All phases together. Of one client: from its first request's first frame to its last
    /// answer's last.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, ns| sum.saturating_add(*ns))
    }

    /// What was waited for: all but client, waiting by design and idle.
    #[must_use]
    pub fn waited(&self) -> u64 {
        Phase::ACTIVE
            .iter()
            .filter(|phase| **phase != Phase::Client)
            .map(|phase| self.get(*phase))
            .fold(0, u64::saturating_add)
    }

    /// Active time, the base of every share: all but waiting by design and idle.
    #[must_use]
    pub fn active(&self) -> u64 {
        self.get(Phase::Client).saturating_add(self.waited())
    }

    /// Adds the time of another one.
    pub fn merge(&mut self, other: &Self) {
        for (sum, ns) in self.0.iter_mut().zip(other.0) {
            *sum = sum.saturating_add(ns);
        }
    }

    /// A ledger with these times, in the order of [`Phase::ALL`].
    #[must_use]
    pub const fn from_parts(ns: [u64; Phase::ALL.len()]) -> Self {
        Self(ns)
    }

    pub(crate) fn add(&mut self, phase: Phase, from: Timestamp, to: Timestamp) {
        let ns = u64::try_from(to.since(from)).unwrap_or(0);
        let place = &mut self.0[phase as usize];
        *place = place.saturating_add(ns);
    }
}
