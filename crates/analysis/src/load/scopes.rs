//! Whose levels are kept: those of the capture, and of each server and interface as soon as
//! there are two. Until then the only one's are the capture's.

use super::activity::Stretch;
use super::level::{LevelCurve, LoadOf};
use super::levels::{Item, Levels};
use crate::bounds::Hits;
use crate::column::Column;
use crate::parties::{Directory, Parties};
use crate::table::{Place, Table};
use crate::world::Seen;
use std::hash::Hash;
use wirewait_wire::{Endpoint, Timestamp};

/// Servers, and interfaces, followed at once.
const PARTS: usize = 16;
/// What can be known is settled this often, in the capture's own time, ns.
const SETTLE_NS: u64 = 50_000_000;

pub(super) struct Scopes {
    whole: Levels,
    servers: Parts<Place>,
    interfaces: Parts<u32>,
    /// On which interface a station's requests were seen.
    places: Column<u32>,
    /// The interface of the frame under way.
    interface: u32,
    settled: Timestamp,
}

impl Scopes {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            whole: Levels::new(think_ns),
            servers: Parts::new(think_ns),
            interfaces: Parts::new(think_ns),
            places: Column::new(),
            interface: 0,
            settled: Timestamp::from_nanos(i64::MIN),
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

    pub(super) fn begins(&mut self, parties: &Parties, at: Timestamp) {
        *self.places.of(parties.client) = self.interface;
        self.servers.follow(parties.server, &self.whole);
        self.each(parties, |levels| levels.begins(parties.client, at));
    }

    pub(super) fn ends(&mut self, parties: &Parties, at: Timestamp) {
        self.each(parties, |levels| levels.ends(parties.client, at));
    }

    pub(super) fn closed(&mut self, parties: &Parties, item: Item) {
        self.each(parties, |levels| levels.closed(item));
    }

    pub(super) fn finish(&mut self, over: &mut impl FnMut(Stretch)) {
        self.whole.finish(over);
        for levels in self.parts() {
            levels.finish(&mut |_| {});
        }
    }

    pub(super) fn evicted(&self) -> u64 {
        self.servers.evicted.saturating_add(self.interfaces.evicted)
    }

    /// What was lost to fixed bounds, of the curves that there are.
    pub(super) fn hits(&self) -> Hits {
        let interfaces = self.interfaces.all.iter().map(|(_, levels)| levels);
        let servers = self.servers.all.iter().map(|(_, levels)| levels);
        let all = std::iter::once(&self.whole)
            .chain(servers)
            .chain(interfaces);
        all.fold(Hits::NONE, |sum, levels| sum.and(levels.hits()))
    }

    /// The capture, servers, interfaces, in their order.
    pub(super) fn curves(&self, directory: &Directory) -> Vec<LevelCurve> {
        let whole = self.whole.curve(LoadOf::Capture);
        let servers = self.servers.all.iter();
        let mut servers: Vec<(Endpoint, &Levels)> = servers
            .filter_map(|(place, levels)| Some((directory.station(*place)?, levels)))
            .collect();
        servers.sort_by_key(|(server, _)| *server);
        let servers = servers.into_iter();
        let servers = servers.map(|(server, levels)| levels.curve(LoadOf::Server(server)));
        let mut interfaces: Vec<(&u32, &Levels)> = self.interfaces.all.iter().collect();
        interfaces.sort_by_key(|(number, _)| **number);
        let interfaces = interfaces.into_iter();
        let interfaces = interfaces.map(|(n, levels)| levels.curve(LoadOf::Interface(*n)));
        std::iter::once(whole)
            .chain(servers)
            .chain(interfaces)
            .filter(|curve| !curve.levels.is_empty())
            .collect()
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Levels> {
        let interfaces = self.interfaces.all.iter_mut();
        self.servers.all.iter_mut().chain(interfaces)
    }

    /// Tells all whom a transaction concerns.
    fn each(&mut self, parties: &Parties, mut tell: impl FnMut(&mut Levels)) {
        if let Some(levels) = self.servers.of(parties.server) {
            tell(levels);
        }
        if self.interfaces.several
            && let Some(interface) = self.places.known(parties.client)
            && let Some(levels) = self.interfaces.of(*interface)
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
    /// Where they are: so few are found faster one by one.
    places: Vec<(K, Place)>,
    think_ns: i64,
    several: bool,
    evicted: u64,
}

impl<K: Copy + Eq + Hash> Parts<K> {
    fn new(think_ns: i64) -> Self {
        Self {
            only: None,
            all: Table::new(PARTS),
            places: Vec::new(),
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
                self.add(only, whole.clone());
            }
            Some(_) => {}
        }
        if self.several && self.places.iter().all(|(known, _)| *known != key) {
            self.add(key, Levels::new(self.think_ns));
        }
    }

    /// The levels of a part that is followed, if it is not the only one.
    fn of(&mut self, key: K) -> Option<&mut Levels> {
        let (_, place) = self.places.iter().find(|(known, _)| *known == key)?;
        self.all.again(*place)
    }

    fn add(&mut self, key: K, levels: Levels) {
        let (place, evicted) = self.all.insert(key, levels);
        self.evicted += u64::from(evicted.is_some());
        let all = &self.all;
        self.places
            .retain(|(_, place)| all.key_at(*place).is_some());
        self.places.push((key, place));
    }
}
