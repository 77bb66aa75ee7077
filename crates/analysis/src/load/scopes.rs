//! Whose levels are kept: those of the capture, and of each server and interface as soon as
//! there are two. Until then the only one's are the capture's.

use super::activity::Stretch;
use super::levels::{Item, LevelCurve, Levels, LoadOf};
use crate::Transaction;
use crate::table::Table;
use crate::world::Seen;
use std::hash::Hash;
use wirewait_wire::{Endpoint, Timestamp};

/// Servers, and interfaces, followed at once.
const PARTS: usize = 16;
/// Stations of which the interface is remembered.
const STATIONS: usize = 4096;
/// What can be known is settled this often, in the capture's own time, ns.
const SETTLE_NS: u64 = 50_000_000;

pub(super) struct Scopes {
    whole: Levels,
    servers: Parts<Endpoint>,
    interfaces: Parts<u32>,
    /// On which interface a station's requests were seen.
    places: Table<Endpoint, u32>,
    /// The interface of the frame under way.
    interface: u32,
    settled: Timestamp,
    evicted: u64,
}

impl Scopes {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            whole: Levels::new(think_ns),
            servers: Parts::new(think_ns),
            interfaces: Parts::new(think_ns),
            places: Table::new(STATIONS),
            interface: 0,
            settled: Timestamp::from_nanos(i64::MIN),
            evicted: 0,
        }
    }

    pub(super) fn seen(&mut self, seen: &Seen<'_>, over: &mut impl FnMut(Stretch)) {
        let at = seen.frame.at;
        self.interface = seen.frame.interface;
        let bytes = seen.on_wire;
        self.interfaces.follow(self.interface, &self.whole);
        if let Some(levels) = self.interfaces.of(self.interface) {
            levels.frame(at, bytes);
        }
        self.whole.frame(at, bytes);
        if at.since(self.settled).unsigned_abs() >= SETTLE_NS {
            self.settled = at;
            self.whole.settle(at, over);
            for levels in self.parts() {
                levels.settle(at, &mut |_| {});
            }
        }
    }

    pub(super) fn begins(&mut self, t: &Transaction, at: Timestamp) {
        let (client, interface) = (t.client.station(), self.interface);
        match self.places.find(&client) {
            Some(place) => *self.places.at(place) = interface,
            None => {
                let (_, evicted) = self.places.insert(client, interface);
                self.evicted += u64::from(evicted.is_some());
            }
        }
        self.servers.follow(t.server.station(), &self.whole);
        self.each(t, |levels| levels.begins(client, at));
    }

    pub(super) fn ends(&mut self, t: &Transaction, at: Timestamp) {
        let client = t.client.station();
        self.each(t, |levels| levels.ends(client, at));
    }

    pub(super) fn closed(&mut self, t: &Transaction, item: Item) {
        self.each(t, |levels| levels.closed(item));
    }

    pub(super) fn finish(&mut self, over: &mut impl FnMut(Stretch)) {
        self.whole.finish(over);
        for levels in self.parts() {
            levels.finish(&mut |_| {});
        }
    }

    pub(super) fn evicted(&self) -> u64 {
        [
            self.evicted,
            self.whole.evicted(),
            self.servers.evicted,
            self.interfaces.evicted,
        ]
        .into_iter()
        .fold(0, u64::saturating_add)
    }

    /// The capture, servers, interfaces, in their order.
    pub(super) fn curves(&self) -> Vec<LevelCurve> {
        let whole = self.whole.curve(LoadOf::Capture);
        let servers = self.servers.curves(LoadOf::Server).into_iter();
        let interfaces = self.interfaces.curves(LoadOf::Interface).into_iter();
        let parts = servers.chain(interfaces);
        std::iter::once(whole)
            .chain(parts)
            .filter(|curve| !curve.levels.is_empty())
            .collect()
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Levels> {
        let interfaces = self.interfaces.all.iter_mut();
        self.servers.all.iter_mut().chain(interfaces)
    }

    /// Tells all whom a transaction concerns.
    fn each(&mut self, t: &Transaction, mut tell: impl FnMut(&mut Levels)) {
        if let Some(levels) = self.servers.of(t.server.station()) {
            tell(levels);
        }
        let place = self.places.find(&t.client.station());
        let interface = place.map(|place| *self.places.at(place));
        if let Some(interface) = interface
            && let Some(levels) = self.interfaces.of(interface)
        {
            tell(levels);
        }
        tell(&mut self.whole);
    }
}

/// The levels of some of the traffic.
struct Parts<K> {
    /// The only one so far.
    only: Option<K>,
    all: Table<K, Levels>,
    think_ns: i64,
    several: bool,
    evicted: u64,
}

impl<K: Copy + Ord + Hash> Parts<K> {
    fn new(think_ns: i64) -> Self {
        Self {
            only: None,
            all: Table::new(PARTS),
            think_ns,
            several: false,
            evicted: 0,
        }
    }

    /// There is traffic of this part. While it is the only one, `whole` has its levels.
    fn follow(&mut self, key: K, whole: &Levels) {
        match self.only {
            None => self.only = Some(key),
            Some(only) if only != key && !self.several => {
                self.several = true;
                self.all.insert(only, whole.clone());
            }
            Some(_) => {}
        }
        if self.several && self.all.find(&key).is_none() {
            let (_, evicted) = self.all.insert(key, Levels::new(self.think_ns));
            self.evicted += u64::from(evicted.is_some());
        }
    }

    /// The levels of a part that is followed, if it is not the only one.
    fn of(&mut self, key: K) -> Option<&mut Levels> {
        let place = self.all.find(&key)?;
        self.all.get_mut(place)
    }

    fn curves(&self, of: fn(K) -> LoadOf) -> Vec<LevelCurve> {
        let mut all: Vec<(&K, &Levels)> = self.all.iter().collect();
        all.sort_by_key(|(key, _)| **key);
        let all = all.into_iter();
        all.map(|(key, levels)| levels.curve(of(*key))).collect()
    }
}
