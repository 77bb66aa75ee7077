//! What routers and servers said of the networks and servers they know, as it was heard.

use crate::bounds::{Bound, Hits};
use crate::table::Table;
use crate::world::Seen;
use std::collections::BTreeMap;
use wirewait_wire::word::Name;
use wirewait_wire::{Announcement, Announces, Endpoint, Span};

/// Networks, and servers, remembered.
const ROWS: usize = 2048;
/// Routers remembered per network.
const WAYS: usize = 16;

/// A way to a network, as one router told it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteRow {
    /// Number of the network.
    pub network: u32,
    /// The router that said so.
    pub router: Endpoint,
    /// Routers on the way, as it said last; `None` if it said that it cannot be reached.
    pub hops: Option<u16>,
    /// Time it takes, in ticks of 1/18.2 s, if it said so.
    pub ticks: Option<u16>,
    /// The shortest of the ways to this network, the first heard of equal ones: the others
    /// are alternates.
    pub best: bool,
    /// How often it was told.
    pub heard: u64,
    /// How often it was told to be unreachable.
    pub unreachable: u64,
    /// How often the number of routers changed.
    pub changes: u64,
}

/// A server, as routers told of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceRow {
    /// Number of its type.
    pub kind: u16,
    /// What that number is called, if known.
    pub kind_name: Option<&'static str>,
    /// Its name, bytes that are no printable ASCII escaped; empty where names are private.
    pub name: String,
    /// Where it is.
    pub at: Endpoint,
    /// Routers on the way to it, the least that was told last; `None` if it went down.
    pub hops: Option<u16>,
    /// Who told of it: how many stations.
    pub told_by: u64,
    /// How often it was told of.
    pub heard: u64,
    /// How often it was told to be down.
    pub down: u64,
}

#[derive(Clone, Default)]
struct HeardWay {
    order: u64,
    hops: Option<u16>,
    ticks: Option<u16>,
    heard: u64,
    unreachable: u64,
    changes: u64,
}

#[derive(Default)]
struct Network {
    ways: BTreeMap<Endpoint, HeardWay>,
}

#[derive(Default)]
struct Service {
    kind_name: Option<Name>,
    /// Hops as each station said last.
    told: BTreeMap<Endpoint, Option<u16>>,
    heard: u64,
    down: u64,
}

/// What is remembered of a service: type, name, place.
type ServiceKey = (u16, Box<[u8]>, Endpoint);

pub(super) struct HeardRoutes {
    networks: Table<u32, Network>,
    services: Table<ServiceKey, Service>,
    private: bool,
    /// Routers told of so far: ways are numbered in the order in which they were heard.
    order: u64,
    pub(super) evicted: u64,
    pub(super) hits: Hits,
}

impl HeardRoutes {
    pub(super) fn new(private: bool) -> Self {
        Self {
            networks: Table::new(ROWS),
            services: Table::new(ROWS),
            private,
            order: 0,
            evicted: 0,
            hits: Hits::NONE,
        }
    }

    /// A frame tells of something.
    pub(super) fn seen(&mut self, seen: &Seen<'_>, span: Span, announces: Announces) {
        let by = seen.walk.facts.from.station();
        announces(seen.walk.bytes(seen.frame, span), &mut |told| {
            self.told(by, &told);
        });
    }

    /// By network; the best way first, then as they were heard.
    pub(super) fn routes(&self) -> Vec<RouteRow> {
        let mut networks: Vec<(&u32, &Network)> = self.networks.iter().collect();
        networks.sort_by_key(|(number, _)| **number);
        let mut rows = Vec::new();
        for (number, network) in networks {
            let mut ways: Vec<(&Endpoint, &HeardWay)> = network.ways.iter().collect();
            ways.sort_by_key(|(_, way)| way.rank());
            for (n, (router, way)) in ways.into_iter().enumerate() {
                rows.push(RouteRow {
                    network: *number,
                    router: *router,
                    hops: way.hops,
                    ticks: way.ticks,
                    best: n == 0 && way.hops.is_some(),
                    heard: way.heard,
                    unreachable: way.unreachable,
                    changes: way.changes,
                });
            }
        }
        rows
    }

    /// By type, name and place.
    pub(super) fn services(&self) -> Vec<ServiceRow> {
        let mut services: Vec<(&ServiceKey, &Service)> = self.services.iter().collect();
        services.sort_by_key(|(key, _)| *key);
        let services = services.into_iter();
        services
            .map(|((kind, name, at), service)| ServiceRow {
                kind: *kind,
                kind_name: service.kind_name,
                name: name.escape_ascii().to_string(),
                at: *at,
                hops: service.told.values().filter_map(|hops| *hops).min(),
                told_by: service.told.len() as u64,
                heard: service.heard,
                down: service.down,
            })
            .collect()
    }

    fn told(&mut self, by: Endpoint, told: &Announcement<'_>) {
        match *told {
            Announcement::Route {
                network,
                hops,
                ticks,
            } => {
                let place = self.networks.find(&network);
                let place = place.unwrap_or_else(|| {
                    let (place, evicted) = self.networks.insert(network, Network::default());
                    self.evicted += u64::from(evicted.is_some());
                    place
                });
                let ways = &mut self.networks.at(place).ways;
                if ways.len() >= WAYS && !ways.contains_key(&by) {
                    self.hits.hit(Bound::Routes);
                    return;
                }
                self.order += 1;
                let way = ways.entry(by).or_insert_with(|| HeardWay {
                    order: self.order,
                    hops,
                    ..HeardWay::default()
                });
                way.heard += 1;
                way.unreachable += u64::from(hops.is_none());
                way.changes += u64::from(way.hops != hops);
                (way.hops, way.ticks) = (hops, ticks);
            }
            Announcement::Service {
                kind,
                kind_name,
                name,
                at,
                hops,
            } => {
                let name = if self.private { &[] } else { name };
                let key = (kind, Box::from(name), at);
                let place = self.services.find(&key);
                let place = place.unwrap_or_else(|| {
                    let (place, evicted) = self.services.insert(key, Service::default());
                    self.evicted += u64::from(evicted.is_some());
                    place
                });
                let service = self.services.at(place);
                service.kind_name = kind_name;
                service.heard += 1;
                service.down += u64::from(hops.is_none());
                if service.told.len() < WAYS || service.told.contains_key(&by) {
                    service.told.insert(by, hops);
                } else {
                    self.hits.hit(Bound::Routes);
                }
            }
        }
    }
}

impl HeardWay {
    /// The shortest way comes first: in time, then in routers, then as it was heard.
    fn rank(&self) -> (u16, u16, u64) {
        match self.hops {
            Some(hops) => (self.ticks.unwrap_or(hops), hops, self.order),
            None => (u16::MAX, u16::MAX, self.order),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(n: u8) -> Endpoint {
        Endpoint::ipx(0x22, [0, 0, 0x1b, 0, 0, n], 0x453).station()
    }

    fn route(network: u32, hops: Option<u16>, ticks: Option<u16>) -> Announcement<'static> {
        Announcement::Route {
            network,
            hops,
            ticks,
        }
    }

    #[test]
    fn the_shortest_way_is_the_best_and_the_others_are_alternates() {
        let mut heard = HeardRoutes::new(false);
        heard.told(router(1), &route(7, Some(3), Some(4)));
        heard.told(router(2), &route(7, Some(1), Some(9)));
        heard.told(router(3), &route(7, Some(2), Some(4)));
        heard.told(router(3), &route(5, Some(1), None));
        heard.told(router(1), &route(5, Some(1), None));
        heard.told(router(1), &route(5, None, None));
        let shown: Vec<(u32, Endpoint, Option<u16>, bool, u64, u64)> = heard
            .routes()
            .iter()
            .map(|r| (r.network, r.router, r.hops, r.best, r.heard, r.changes))
            .collect();
        assert_eq!(
            shown,
            [
                (5, router(3), Some(1), true, 1, 0),
                (5, router(1), None, false, 2, 1),
                (7, router(3), Some(2), true, 1, 0),
                (7, router(1), Some(3), false, 1, 0),
                (7, router(2), Some(1), false, 1, 0),
            ]
        );
    }

    fn service(name: &[u8], hops: Option<u16>) -> Announcement<'_> {
        Announcement::Service {
            kind: 4,
            kind_name: Some("file server"),
            name,
            at: Endpoint::ipx(1, [0, 0, 0, 0, 0, 1], 0x451),
            hops,
        }
    }

    #[test]
    fn a_server_is_as_far_as_the_nearest_says() {
        let mut heard = HeardRoutes::new(false);
        heard.told(router(1), &service(b"FS1", Some(3)));
        heard.told(router(2), &service(b"FS1", Some(2)));
        heard.told(router(2), &service(b"FS1", None));
        let row = &heard.services()[0];
        assert_eq!(
            (row.name.as_str(), row.hops, row.told_by),
            ("FS1", Some(3), 2)
        );
        assert_eq!((row.heard, row.down), (3, 1));
    }

    #[test]
    fn names_may_be_private() {
        let mut heard = HeardRoutes::new(true);
        heard.told(router(1), &service(b"PAYROLL", Some(3)));
        assert_eq!(heard.services()[0].name, "");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut heard = HeardRoutes::new(false);
        for network in 0..=ROWS as u32 {
            heard.told(router(1), &route(network, Some(1), None));
        }
        for n in 0..=WAYS as u8 {
            heard.told(router(n), &route(9, Some(1), None));
        }
        assert_eq!(heard.evicted, 1);
        assert_eq!(heard.hits.named(Bound::Routes.name()), 1);
        assert_eq!(heard.routes().len(), ROWS + WAYS - 1);
    }

    impl crate::routing::Routing {
        /// A router more than are remembered of a network, and of a server.
        pub(crate) fn overrun_routes() -> Hits {
            let mut heard = HeardRoutes::new(false);
            for n in 0..=WAYS as u8 {
                heard.told(router(n), &route(9, Some(1), None));
                heard.told(router(n), &service(b"FS1", Some(1)));
            }
            heard.hits
        }
    }
}
