//! Routers, and what they told of networks and servers.

use crate::document::documents;
use crate::json::common::Distribution;
use wirewait_analysis::{RouteRow, ServiceRow, TransitRow};

documents! {
    pub(super) struct Transit of row: &TransitRow {
        /// Interface where packets were first.
        from_interface: u32,
        /// Interface where they were next.
        to_interface: u32,
        /// Routers in between.
        routers: u8,
        /// How long they took.
        transit: Distribution,
        /// Packets that were there more than once.
        ambiguous: u64,
    }

    pub(super) struct Route of row: &RouteRow {
        /// In hexadecimal, as networks are written.
        network: String = format!("{:08x}", row.network),
        /// The router that offered it.
        router: String,
        /// Null if it cannot be reached any more.
        hops: Option<u16>,
        /// Distance in ticks of 1/18 s; null if it cannot be reached any more.
        ticks: Option<u16>,
        /// Whether it is the shortest.
        best: bool,
        /// How often it was offered.
        heard: u64,
        /// How often it was called unreachable.
        unreachable: u64,
        /// How often its distance changed.
        changes: u64,
    }

    pub(super) struct Service of row: &ServiceRow {
        /// The protocol's number of the kind.
        kind: u16,
        /// Its name; null where it has none.
        kind_name: Option<&'static str>,
        /// Null where names are private.
        name: Option<String> = Some(row.name.clone()).filter(|name| !name.is_empty()),
        /// Where it is.
        at: String,
        /// Null if it went down.
        hops: Option<u16>,
        /// Stations that announced it.
        told_by: u64,
        /// How often it was announced.
        heard: u64,
        /// How often it was announced as down.
        down: u64,
    }
}
