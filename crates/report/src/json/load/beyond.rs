//! Routers, and what they told of networks and servers.

use crate::json::common::Distribution;
use serde::Serialize;
use wirewait_analysis::{RouteRow, ServiceRow, TransitRow};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Transit {
    from_interface: u32,
    to_interface: u32,
    routers: u8,
    transit: Distribution,
    ambiguous: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Route {
    /// In hexadecimal, as networks are written.
    network: String,
    router: String,
    /// Null if it cannot be reached any more.
    hops: Option<u16>,
    ticks: Option<u16>,
    best: bool,
    heard: u64,
    unreachable: u64,
    changes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Service {
    kind: u16,
    kind_name: Option<&'static str>,
    /// Null where names are private.
    name: Option<String>,
    at: String,
    /// Null if it went down.
    hops: Option<u16>,
    told_by: u64,
    heard: u64,
    down: u64,
}

pub(super) fn transit(row: &TransitRow) -> Transit {
    Transit {
        from_interface: row.from_interface,
        to_interface: row.to_interface,
        routers: row.routers,
        transit: Distribution::from(&row.transit),
        ambiguous: row.ambiguous,
    }
}

pub(super) fn route(row: &RouteRow) -> Route {
    Route {
        network: format!("{:08x}", row.network),
        router: row.router.to_string(),
        hops: row.hops,
        ticks: row.ticks,
        best: row.best,
        heard: row.heard,
        unreachable: row.unreachable,
        changes: row.changes,
    }
}

pub(super) fn service(row: &ServiceRow) -> Service {
    Service {
        kind: row.kind,
        kind_name: row.kind_name,
        name: Some(row.name.clone()).filter(|name| !name.is_empty()),
        at: row.at.to_string(),
        hops: row.hops,
        told_by: row.told_by,
        heard: row.heard,
        down: row.down,
    }
}
