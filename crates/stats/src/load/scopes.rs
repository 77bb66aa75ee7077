//! Whose levels are kept: those of the capture, and of each server and interface as soon as
//! there are two. Until then the only one's are the capture's.

use super::activity::Stretch;
use super::levels::{Levels, Queued};
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

    #[inline(never)]
    pub(super) fn frames(&mut self, traffic: &Traffic) {
        let was_only = !self.interfaces.several;
        let interface = self
            .interfaces
            .follow(traffic.interface, traffic.since, &self.whole);
        if let Some(levels) = interface {
            levels.frames(traffic);
        }
        self.whole.frames(traffic);
        if was_only && self.interfaces.several {
            self.place_all();
        }
    }

    /// Up to now there was one interface.
    #[cold]
    fn place_all(&mut self) {
        let Some(only) = self.interfaces.only else {
            return;
        };
        for client in self.whole.stations() {
            if let Some(place) = self.places.of(client, drop) {
                *place = only;
            }
        }
    }

    #[inline(never)]
    pub(super) fn settle(&mut self, now: Timestamp, over: &mut impl FnMut(Stretch)) {
        self.whole.settle(now, over);
        for levels in self.parts() {
            levels.settle(now, &mut |_| {});
        }
    }

    /// A client waits for a request. Questions to anyone make nobody busy.
    #[inline]
    pub(super) fn begins(&mut self, waiting: &Waiting) {
        if waiting.anyone {
            return;
        }
        let Some(client) = waiting.client else {
            return;
        };
        let at = waiting.at;
        if let Some(levels) = self.servers.follow(waiting.server, at, &self.whole) {
            levels.begins(client, at);
        }
        if self.interfaces.several {
            self.begins_on(client, waiting);
        }
        self.whole.begins(client, at);
    }

    #[inline(never)]
    fn begins_on(&mut self, client: StationId, waiting: &Waiting) {
        if let Some(place) = self.places.of(client, drop) {
            *place = waiting.interface;
        }
        if let Some(levels) = self.interface_of(client) {
            levels.begins(client, waiting.at);
        }
    }

    #[inline]
    pub(super) fn ends(&mut self, waiting: &Waiting) {
        if waiting.anyone {
            return;
        }
        let Some(client) = waiting.client else {
            return;
        };
        if let Some(levels) = self.servers.of(waiting.server) {
            levels.ends(client, waiting.at);
        }
        if self.interfaces.several {
            self.ends_on(client, waiting);
        }
        self.whole.ends(client, waiting.at);
    }

    #[inline(never)]
    fn ends_on(&mut self, client: StationId, waiting: &Waiting) {
        if let Some(levels) = self.interface_of(client) {
            levels.ends(client, waiting.at);
        }
    }

    #[inline]
    pub(super) fn answered(&mut self, answer: &Answer) {
        let queued = Queued::of(answer);
        if let Some(levels) = self.servers.of(answer.server) {
            levels.answered(&queued);
        }
        if self.interfaces.several
            && let Some(levels) = answer.client.and_then(|client| self.interface_of(client))
        {
            levels.answered(&queued);
        }
        self.whole.answered(&queued);
    }

    /// The levels of the interface on which a station's requests were seen last.
    fn interface_of(&mut self, client: StationId) -> Option<&mut Levels> {
        let interface = self.places.known(client)?;
        self.interfaces.of(*interface)
    }

    #[inline(never)]
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
}

/// The levels of each server, or of each interface.
struct Parts<K> {
    /// The only one so far.
    only: Option<K>,
    all: Vec<Part<K>>,
    /// Their keys, side by side.
    keys: Vec<u64>,
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

/// What parts are found by.
trait PartKey: Copy + Eq {
    /// Another number for each of them.
    fn number(self) -> u64;
}

impl PartKey for u32 {
    #[inline]
    fn number(self) -> u64 {
        self.into()
    }
}

impl PartKey for Option<StationId> {
    #[inline]
    fn number(self) -> u64 {
        // No generation is zero.
        self.map_or(0, |id| {
            u64::from(id.generation().get()) << u32::BITS | u64::from(id.index())
        })
    }
}

impl<K: PartKey> Parts<K> {
    fn new(think_ns: i64) -> Self {
        Self {
            only: None,
            all: Vec::new(),
            keys: Vec::new(),
            think_ns,
            several: false,
            lost: 0,
            refused: None,
        }
    }

    /// There is traffic of this part. While it is the only one, `whole` has its levels; otherwise
    /// these are its levels, if it is followed.
    #[inline]
    fn follow(&mut self, key: K, at: Timestamp, whole: &Levels) -> Option<&mut Levels> {
        if !self.several && self.only == Some(key) {
            return None;
        }
        let place = match self.place_of(key) {
            Some(place) => place,
            None => self.begin(key, at, whole)?,
        };
        let part = self.all.get_mut(place)?;
        // Not the latest: one stamp far ahead must not keep it for ever.
        part.touched = at;
        Some(&mut part.levels)
    }

    /// Follows one more, if there is room; its place.
    #[cold]
    #[inline(never)]
    fn begin(&mut self, key: K, at: Timestamp, whole: &Levels) -> Option<usize> {
        let Some(only) = self.only else {
            self.only = Some(key);
            return None;
        };
        if !self.several {
            self.several = true;
            self.add(only, at, whole.clone());
        }
        if self.has_room(at) {
            self.add(key, at, Levels::new(self.think_ns));
            return self.all.len().checked_sub(1);
        }
        if self.refused != Some(key) {
            self.refused = Some(key);
            self.lost = self.lost.saturating_add(1);
        }
        None
    }

    /// The levels of a part that is followed, if it is not the only one.
    #[inline]
    fn of(&mut self, key: K) -> Option<&mut Levels> {
        let place = self.place_of(key)?;
        self.all.get_mut(place).map(|part| &mut part.levels)
    }

    #[inline]
    fn place_of(&self, key: K) -> Option<usize> {
        let number = key.number();
        self.keys.iter().position(|key| *key == number)
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
            self.keys.swap_remove(place);
            self.lost = self.lost.saturating_add(1);
        }
        resting.is_some()
    }

    fn add(&mut self, key: K, at: Timestamp, levels: Levels) {
        self.keys.push(key.number());
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
