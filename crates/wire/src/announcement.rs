//! What a frame tells of the network beyond it.

use crate::{Endpoint, Input};

/// A way or a server that a router tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announcement<'a> {
    /// A network can be reached through the sender.
    Route {
        /// Number of the network.
        network: u32,
        /// Routers on the way, the sender included; `None` if it can no longer be reached.
        hops: Option<u16>,
        /// Time on the way in ticks of 1/18.2 s, where the protocol says so.
        ticks: Option<u16>,
    },
    /// There is a server.
    Service {
        /// Number of its type.
        kind: u16,
        /// What that number is called, if known.
        kind_name: Option<&'static str>,
        /// Its name, as sent.
        name: &'a [u8],
        /// Where it is.
        at: Endpoint,
        /// Routers on the way to it; `None` if it goes down.
        hops: Option<u16>,
    },
}

/// Tells of everything that a PDU announces, as far as it was captured.
pub type Announces = fn(Input<'_>, &mut dyn FnMut(Announcement<'_>));
