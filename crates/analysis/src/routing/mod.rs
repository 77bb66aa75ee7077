//! What routers say and do: ways to networks, servers that they know of, and packets that were
//! captured on both sides of them.

mod heard;
mod routers;

pub use heard::{RouteRow, ServiceRow};
pub use routers::TransitRow;
pub(crate) use routers::{Crossing, CrossingPart};

use crate::Load;
use crate::bounds::Hits;
use crate::world::Seen;
use heard::HeardRoutes;
use routers::Routers;
use wirewait_wire::Registry;

/// The number of routers at which a packet is thrown away, where routers are counted up.
pub const HOP_LIMIT: u8 = 16;

/// Gathers what routers say and do.
pub(crate) struct Routing {
    routers: Routers,
    heard: HeardRoutes,
    most_hops: Option<u8>,
    at_hop_limit: u64,
}

impl Routing {
    pub(crate) fn new(private: bool) -> Self {
        Self {
            routers: Routers::new(),
            heard: HeardRoutes::new(private),
            most_hops: None,
            at_hop_limit: 0,
        }
    }

    /// A frame came whose innermost layer [announces](crate::path::Path::announces) something.
    #[cold]
    pub(crate) fn announced(&mut self, seen: &Seen<'_>, registry: &Registry) {
        let layer = seen.walk.last();
        let announces = layer.and_then(|span| registry.dissector(span.dissector).announces);
        if let Some((span, announces)) = layer.zip(announces) {
            self.heard.seen(seen, span, announces);
        }
    }

    /// A frame came. Whether it is the copy of one that was seen on the other side of a router;
    /// `crossed` is called with the way between the two.
    pub(crate) fn seen(&mut self, seen: &Seen<'_>, crossed: impl FnOnce(&Crossing)) -> bool {
        if let Some(hops) = seen.walk.facts.hops {
            self.most_hops = self.most_hops.max(Some(hops));
            self.at_hop_limit += u64::from(hops >= HOP_LIMIT - 1);
        }
        match seen.hops {
            Some(hops) if seen.before.is_some() || !self.routers.is_idle() => {
                self.routers.seen(seen, hops, crossed)
            }
            _ => false,
        }
    }

    /// Rows that were dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        self.routers.evicted.saturating_add(self.heard.evicted)
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> &Hits {
        &self.heard.hits
    }

    /// Adds it as it stands.
    pub(crate) fn write(&self, load: &mut Load) {
        load.transits = self.routers.rows();
        load.most_hops = self.most_hops;
        load.at_hop_limit = self.at_hop_limit;
        load.routes = self.heard.routes();
        load.services = self.heard.services();
    }
}
