//! Whose levels are kept: those of the capture, and of each server and interface as soon as
//! there are two. Until then the only one's are the capture's.

use super::activity::Stretch;
use super::levels::Levels;
use crate::Rows;
use wirewait_model::Losses;
use wirewait_model::load::{LevelCurve, LoadOf};
use wirewait_model::records::{Answer, Entities, StationId, Traffic, Waiting};
use wirewait_wire::{Endpoint, Timestamp};

/// Servers, and interfaces, followed at once.
const PARTS: usize = 16;

pub(super) struct Scopes {
    whole: Levels,
    servers: Parts<Option<StationId>>,
    interfaces: Parts<u32>,
    /// On which interface a station's requests were seen.
    places: Rows<Endpoint, u32>,
}

impl Scopes {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            whole: Levels::new(think_ns),
            servers: Parts::new(think_ns),
            interfaces: Parts::new(think_ns),
            places: Rows::default(),
        }
    }

    pub(super) fn frames(&mut self, traffic: &Traffic) {
        self.interfaces.follow(traffic.interface, &self.whole);
        if let Some(levels) = self.interfaces.of(traffic.interface) {
            levels.frames(traffic);
        }
        self.whole.frames(traffic);
    }

    pub(super) fn settle(&mut self, now: Timestamp, over: &mut impl FnMut(Stretch)) {
        self.whole.settle(now, over);
        for levels in self.parts() {
            levels.settle(now, &mut |_| {});
        }
    }

    /// A client waits for a request. Questions to anyone make nobody busy.
    pub(super) fn begins(&mut self, waiting: &Waiting) {
        let Some(client) = waiting.client.filter(|_| !waiting.anyone) else {
            return;
        };
        if let Some(place) = self.places.of(client, drop) {
            *place = waiting.interface;
        }
        self.servers.follow(waiting.server, &self.whole);
        self.each(waiting.client, waiting.server, |levels| {
            levels.begins(client, waiting.at);
        });
    }

    pub(super) fn ends(&mut self, waiting: &Waiting) {
        if !waiting.anyone {
            self.each(waiting.client, waiting.server, |levels| {
                if let Some(client) = waiting.client {
                    levels.ends(client, waiting.at);
                }
            });
        }
    }

    pub(super) fn answered(&mut self, answer: &Answer) {
        self.each(answer.client, answer.server, |levels| {
            levels.answered(answer);
        });
    }

    pub(super) fn finish(&mut self, over: &mut impl FnMut(Stretch)) {
        self.whole.finish(over);
        for levels in self.parts() {
            levels.finish(&mut |_| {});
        }
    }

    /// What was lost to bounds; to fixed ones, of the curves that there are.
    pub(super) fn losses(&self) -> Losses {
        let mut losses = self.whole.losses();
        let interfaces = self.interfaces.all.iter().map(|part| &part.levels);
        let servers = self.servers.all.iter().map(|part| &part.levels);
        for levels in servers.chain(interfaces) {
            losses.add(&levels.losses());
        }
        losses.add(&Losses {
            rows: self.servers.evicted.saturating_add(self.interfaces.evicted),
            ..Losses::default()
        });
        losses
    }

    /// The capture, servers, interfaces, in their order.
    pub(super) fn curves(&self, entities: &dyn Entities) -> Vec<LevelCurve> {
        let whole = self.whole.curve(LoadOf::Capture);
        let servers = self.servers.all.iter();
        let mut servers: Vec<(Endpoint, &Levels)> = servers
            .filter_map(|part| Some((entities.station(part.key?)?, &part.levels)))
            .collect();
        servers.sort_by_key(|(server, _)| *server);
        let servers = servers.into_iter();
        let servers = servers.map(|(server, levels)| levels.curve(LoadOf::Server(server)));
        let mut interfaces: Vec<&Part<u32>> = self.interfaces.all.iter().collect();
        interfaces.sort_by_key(|part| part.key);
        let interfaces = interfaces.into_iter();
        let interfaces = interfaces.map(|part| part.levels.curve(LoadOf::Interface(part.key)));
        std::iter::once(whole)
            .chain(servers)
            .chain(interfaces)
            .filter(|curve| !curve.levels.is_empty())
            .collect()
    }

    fn parts(&mut self) -> impl Iterator<Item = &mut Levels> {
        let interfaces = self.interfaces.all.iter_mut().map(|part| &mut part.levels);
        let servers = self.servers.all.iter_mut().map(|part| &mut part.levels);
        servers.chain(interfaces)
    }

    /// Tells all whom a request of this client to this server concerns.
    fn each(
        &mut self,
        client: Option<StationId>,
        server: Option<StationId>,
        mut tell: impl FnMut(&mut Levels),
    ) {
        if let Some(levels) = self.servers.of(server) {
            tell(levels);
        }
        if self.interfaces.several
            && let Some(interface) = client.and_then(|client| self.places.known(client))
            && let Some(levels) = self.interfaces.of(*interface)
        {
            tell(levels);
        }
        tell(&mut self.whole);
    }
}

/// The levels of each server, or of each interface.
struct Parts<K> {
    /// The only one so far.
    only: Option<K>,
    all: Vec<Part<K>>,
    /// When one was found, by their own count.
    touches: u64,
    think_ns: i64,
    several: bool,
    evicted: u64,
}

struct Part<K> {
    key: K,
    touched: u64,
    levels: Levels,
}

impl<K: Copy + Eq> Parts<K> {
    fn new(think_ns: i64) -> Self {
        Self {
            only: None,
            all: Vec::new(),
            touches: 0,
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
        if self.several && self.all.iter().all(|part| part.key != key) {
            self.add(key, Levels::new(self.think_ns));
        }
    }

    /// The levels of a part that is followed, if it is not the only one.
    fn of(&mut self, key: K) -> Option<&mut Levels> {
        let part = self.all.iter_mut().find(|part| part.key == key)?;
        self.touches += 1;
        part.touched = self.touches;
        Some(&mut part.levels)
    }

    /// Follows one more; the one that was untouched for longest gives way.
    fn add(&mut self, key: K, levels: Levels) {
        if self.all.len() >= PARTS {
            let oldest = (0..self.all.len()).min_by_key(|at| self.all[*at].touched);
            oldest.map(|at| self.all.swap_remove(at));
            self.evicted += 1;
        }
        self.touches += 1;
        self.all.push(Part {
            key,
            touched: self.touches,
            levels,
        });
    }
}
