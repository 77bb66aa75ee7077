//! Requests that were not answered at the clients: whose the time is, as the capture at the servers has it.

use super::sights::RequestSight;
use super::time::positive;

/// A client waits no longer for a response that does not come, ns (perf definitions, section 3).
pub(super) const IN_VAIN_NS: i64 = 60_000_000_000;

/// Time in which clients waited for requests that were not answered, by what the capture at the servers has of them, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InVain {
    /// Lost between the two, the request or its response.
    pub way_ns: u64,
    /// With the server: until it responded, or all of it, where it did not.
    pub server_ns: u64,
    /// It is not known whether the request reached the server, or how long its client waited.
    pub unknown_ns: u64,
}

impl InVain {
    /// Whose the time is in which a client waited in vain: whether it is known that it did, and whether the request was lost.
    /// A request that is in the capture at the servers came there; a response that is in it left.
    pub(super) fn of(
        owned: u64,
        there: Option<&RequestSight>,
        (waited, is_lost): (bool, bool),
    ) -> Self {
        let served = there.map(|there| match there.response {
            Some(answer) => positive(answer.first.at.since(there.request.last.at)).min(owned),
            None => owned,
        });
        match (waited, served) {
            (true, Some(served)) => Self {
                way_ns: owned - served,
                server_ns: served,
                unknown_ns: 0,
            },
            (true, None) if is_lost => Self {
                way_ns: owned,
                ..Self::default()
            },
            _ => Self {
                unknown_ns: owned,
                ..Self::default()
            },
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.way_ns += other.way_ns;
        self.server_ns += other.server_ns;
        self.unknown_ns += other.unknown_ns;
    }
}
