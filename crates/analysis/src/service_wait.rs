//! What a wait for another service is.

use crate::Mark;
use wirewait_wire::Endpoint;

/// A response that comes later is none: its client asked again, or gave up, ns.
pub(crate) const LONGEST_NS: i64 = 60_000_000_000;

/// A client waited for a service: from its packet to the first data that came back, or to the packet that asked
/// another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServiceWait {
    /// The client's station.
    pub(crate) client: Endpoint,
    /// The service, with its port.
    pub(crate) service: Endpoint,
    pub(crate) from: Mark,
    pub(crate) to: Mark,
}
