//! How service changes with the load: by the number of active stations, by the size of
//! requests, over time, by the routers in between.

mod activity;
mod anomalies;
mod curve;
mod dips;
mod heard;
mod knee;
mod level;
mod levels;
mod routers;
mod scopes;
mod sizes;
mod timeline;

pub use anomalies::{BREAKS_PERCENT, BREAKS_TIMES, ENOUGH_OF_A_SIZE, ENOUGH_SIZES};
pub use curve::{Anomaly, Example, SizeCurve, SizeRow};
pub use dips::{DEPTH_PERCENT, Dip, Dips, ENOUGH_PER_BUCKET, NOISE_TIMES};
pub use heard::{RouteRow, ServiceRow};
pub use knee::GROWN_PERCENT;
pub use level::{Knee, LevelCurve, LevelFigures, LevelRow, LoadOf, Moved};
pub use levels::STEADY_NS;
pub use routers::TransitRow;
pub use timeline::{Interval, Timeline};

use crate::bounds::Hits;
use crate::parties::Directory;
use crate::table::Place;
use crate::world::{Case, Seen, Wait};
use crate::{HopRow, Settings};
use heard::Heard;
use levels::Item;
use routers::Routers;
use scopes::Scopes;
use sizes::Sizes;
use timeline::Series;
use wirewait_model::records::{Group, GroupTimes, LineTimes};
use wirewait_wire::Timestamp;

/// The number of routers at which a packet is thrown away, where routers are counted up.
pub const HOP_LIMIT: u8 = 16;

/// How service changes with the load (definitions: sections 8 and 9 of the performance
/// definitions; S = N x M / T after Poo and Tan).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// By the number of active stations: for the capture, then for each server and each
    /// interface where there are several.
    pub levels: Vec<LevelCurve>,
    /// By the size of requests, for each server and kind; by total response time.
    pub sizes: Vec<SizeCurve>,
    /// Over time.
    pub timeline: Timeline,
    /// Throughput that fell for a while.
    pub dips: Dips,
    /// By routers that the requests passed, where these are counted.
    pub hops: Vec<HopRow>,
    /// Packets that were captured on both sides of a router.
    pub transits: Vec<TransitRow>,
    /// The most routers that a packet had passed, where they are counted.
    pub most_hops: Option<u8>,
    /// Packets that the next router throws away: they passed [`HOP_LIMIT`] less one.
    pub at_hop_limit: u64,
    /// Ways to networks, as routers told them.
    pub routes: Vec<RouteRow>,
    /// Servers, as routers told of them.
    pub services: Vec<ServiceRow>,
}

/// Gathers what [`Load`] is made of.
pub(crate) struct Loads {
    scopes: Scopes,
    sizes: Sizes,
    series: Series,
    routers: Routers,
    heard: Heard,
    most_hops: Option<u8>,
    at_hop_limit: u64,
}

impl Loads {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            scopes: Scopes::new(settings.think_ns),
            sizes: Sizes::new(),
            series: Series::default(),
            routers: Routers::new(),
            heard: Heard::new(settings.private),
            most_hops: None,
            at_hop_limit: 0,
        }
    }

    /// A frame came. Whether it is the copy of one that was seen on the other side of a router.
    pub(crate) fn seen(&mut self, seen: &Seen<'_>) -> bool {
        let series = &mut self.series;
        self.scopes
            .seen(seen, &mut |stretch| series.active(stretch));
        self.heard.seen(seen);
        let Some(hops) = seen.walk.facts.hops else {
            return false;
        };
        self.most_hops = self.most_hops.max(Some(hops));
        self.at_hop_limit += u64::from(hops >= HOP_LIMIT - 1);
        self.routers.seen(seen, hops)
    }

    /// A client waits for a request. Questions to anyone make nobody busy.
    pub(crate) fn begins(&mut self, wait: Wait<'_>) {
        if !wait.anyone && wait.case.parties.client != Place::NOWHERE {
            self.scopes.begins(wait.case.parties, wait.began);
        }
    }

    /// It no longer does, since `at`.
    pub(crate) fn ends(&mut self, wait: Wait<'_>, at: Timestamp) {
        if !wait.anyone {
            self.scopes.ends(wait.case.parties, at);
        }
    }

    /// A transaction is closed: what has to wait until it is known how many were active.
    pub(crate) fn closed(&mut self, case: Case<'_>, took: Option<&LineTimes>) {
        if let Some(item) = Item::new(case.transaction, took) {
            self.series.closed(&item);
            self.scopes.closed(case.parties, item);
        }
    }

    /// The curve of sizes in which a transaction counts, if it does.
    pub(crate) fn curve_of(&mut self, case: Case<'_>, known: Option<Place>) -> Option<Place> {
        self.sizes.curve_of(case, known)
    }

    /// Counts closed transactions in the curve of sizes in which they count.
    pub(crate) fn post(&mut self, curve: Place, group: &Group, times: &GroupTimes) {
        self.sizes.post(curve, group, times);
    }

    /// Everything is closed.
    pub(crate) fn finish(&mut self) {
        let series = &mut self.series;
        self.scopes.finish(&mut |stretch| series.active(stretch));
    }

    /// Rows that were dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        [
            self.scopes.evicted(),
            self.sizes.evicted,
            self.routers.evicted,
            self.heard.evicted,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> Hits {
        self.scopes.hits().and(&self.heard.hits)
    }

    /// As it stands.
    pub(crate) fn load(&self, directory: &Directory) -> Load {
        let timeline = self.series.timeline();
        Load {
            levels: self.scopes.curves(directory),
            sizes: self.sizes.curves(directory),
            dips: dips::find(&timeline),
            timeline: timeline.shown(),
            // Statistics of records say that.
            hops: Vec::new(),
            transits: self.routers.rows(),
            most_hops: self.most_hops,
            at_hop_limit: self.at_hop_limit,
            routes: self.heard.routes(),
            services: self.heard.services(),
        }
    }
}
