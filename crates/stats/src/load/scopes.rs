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
/// One that was asked for nothing for so long gives way to another, ns. With more at work than are
/// followed, curves of all of them would be curves of nothing.
const RESTS_NS: i64 = 60_000_000_000;

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
        self.interfaces
            .follow(traffic.interface, traffic.since, &self.whole);
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
        self.servers.follow(waiting.server, waiting.at, &self.whole);
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
            rows: self.servers.lost.saturating_add(self.interfaces.lost),
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
    think_ns: i64,
    several: bool,
    /// Those that gave way, and those that were not followed, each once in a row.
    lost: u64,
    /// The latest that was not followed.
    refused: Option<K>,
}

struct Part<K> {
    key: K,
    /// When there was traffic of it.
    touched: Timestamp,
    levels: Levels,
}

impl<K: Copy + Eq> Parts<K> {
    fn new(think_ns: i64) -> Self {
        Self {
            only: None,
            all: Vec::new(),
            think_ns,
            several: false,
            lost: 0,
            refused: None,
        }
    }

    /// There is traffic of this part. While it is the only one, `whole` has its levels.
    fn follow(&mut self, key: K, at: Timestamp, whole: &Levels) {
        match self.only {
            None => self.only = Some(key),
            Some(only) if only != key && !self.several => {
                self.several = true;
                self.add(only, at, whole.clone());
            }
            Some(_) => {}
        }
        if !self.several {
            return;
        }
        if let Some(part) = self.all.iter_mut().find(|part| part.key == key) {
            // Not the latest: one stamp far ahead must not keep it for ever.
            part.touched = at;
        } else if self.has_room(at) {
            self.add(key, at, Levels::new(self.think_ns));
        } else if self.refused != Some(key) {
            self.refused = Some(key);
            self.lost = self.lost.saturating_add(1);
        }
    }

    /// The levels of a part that is followed, if it is not the only one.
    fn of(&mut self, key: K) -> Option<&mut Levels> {
        let part = self.all.iter_mut().find(|part| part.key == key)?;
        Some(&mut part.levels)
    }

    /// Whether one more can be followed. One that rests gives way.
    fn has_room(&mut self, at: Timestamp) -> bool {
        if self.all.len() < PARTS {
            return true;
        }
        let places = 0..self.all.len();
        let oldest = places.min_by_key(|place| self.all[*place].touched);
        let resting = oldest.filter(|place| at.since(self.all[*place].touched) >= RESTS_NS);
        if let Some(place) = resting {
            self.all.swap_remove(place);
            self.lost = self.lost.saturating_add(1);
        }
        resting.is_some()
    }

    fn add(&mut self, key: K, at: Timestamp, levels: Levels) {
        self.all.push(Part {
            key,
            touched: at,
            levels,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::id;

    fn asks(scopes: &mut Scopes, server: u32, ms: i64) {
        let waiting = Waiting {
            client: Some(id(1)),
            server: Some(id(server)),
            interface: 0,
            anyone: false,
            at: Timestamp::from_nanos(ms * 1_000_000),
        };
        scopes.begins(&waiting);
        scopes.ends(&waiting);
    }

    fn followed(scopes: &Scopes) -> Vec<u32> {
        let parts = scopes.servers.all.iter();
        let mut all: Vec<u32> = parts.filter_map(|part| Some(part.key?.index())).collect();
        all.sort_unstable();
        all
    }

    /// Those that are at work stay, however many others ask; who rests for a minute gives way.
    #[test]
    fn servers_at_work_keep_their_curves() {
        let mut scopes = Scopes::new(1);
        let most = u32::try_from(PARTS).unwrap();
        for round in 0..10 {
            for server in 0..most + 4 {
                asks(&mut scopes, server, round * 1000);
            }
        }
        assert_eq!(followed(&scopes), (0..most).collect::<Vec<_>>());
        assert_eq!(
            scopes.losses().rows,
            40,
            "each time that one was turned away"
        );
        for server in 1..most {
            asks(&mut scopes, server, 68_000);
        }
        asks(&mut scopes, 99, 68_999);
        assert!(followed(&scopes).contains(&0), "not a minute yet");
        asks(&mut scopes, 99, 69_000);
        let now: Vec<u32> = (1..most).chain([99]).collect();
        assert_eq!(followed(&scopes), now);
        assert_eq!(scopes.losses().rows, 42);
    }
}
