//! Routers, and what they told of networks and servers.

use crate::document::documents;
use crate::json::common::Distribution;
use wirewait_analysis::{RouteRow, ServiceRow, TransitRow};

documents! {
    pub(super) struct Transit of row: &TransitRow {
        from_interface: u32,
        to_interface: u32,
        routers: u8,
        transit: Distribution,
        ambiguous: u64,
    }

    pub(super) struct Route of row: &RouteRow {
        /// In hexadecimal, as networks are written.
        network: String = format!("{:08x}", row.network),
        router: String,
        /// Null if it cannot be reached any more.
        hops: Option<u16>,
        ticks: Option<u16>,
        best: bool,
        heard: u64,
        unreachable: u64,
        changes: u64,
    }

    pub(super) struct Service of row: &ServiceRow {
        kind: u16,
        kind_name: Option<&'static str>,
        /// Null where names are private.
        name: Option<String> = Some(row.name.clone()).filter(|name| !name.is_empty()),
        at: String,
        /// Null if it went down.
        hops: Option<u16>,
        told_by: u64,
        heard: u64,
        down: u64,
    }
}
