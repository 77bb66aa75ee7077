//! Whose levels are kept: those of the capture, and of each server and interface as soon as
//! there are two. Until then the only one's are the capture's.
//!
//! Most stations ask one server alone: they are active there as they are in the capture. The capture
//! follows them, and passes on when they become active or idle. A station that asks a second server
//! is followed by each of its servers from then on.

use super::activity::{OnlyPart, Stretch};
use super::answers::Queued;
use super::levels::Levels;
use crate::Rows;
use wirewait_model::Losses;
use wirewait_model::load::{LevelCurve, LoadOf};
use wirewait_model::records::{Answer, Entities, Joined, StationId, Traffic, Waiting};
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
        let Traffic {
            interface, since, ..
        } = *traffic;
        let alone = || {
            let mut alone = self.whole.clone();
            alone.activity.move_parts(|_| OnlyPart::NONE);
            alone
        };
        let place = self.interfaces.follow(interface, since, alone);
        if let Some(part) = place.and_then(|place| self.interfaces.all.get_mut(place)) {
            part.levels.frames(traffic);
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
        for client in self.whole.activity.stations() {
            if let Some(place) = self.places.of(client, drop) {
                *place = only;
            }
        }
    }

    #[inline(never)]
    pub(super) fn settle(&mut self, now: Timestamp, over: &mut impl FnMut(Stretch)) {
        self.whole.settle(now, over);
        self.pass_on();
        for levels in self.parts() {
            levels.settle(now, &mut |_| {});
        }
    }

    /// A client waits for a request. Questions to anyone make nobody busy.
    // Part of what each request goes through; the other caller is hardly there.
    #[inline(always)]
    pub(super) fn begins(&mut self, waiting: &Waiting) {
        if waiting.anyone {
            return;
        }
        let Some(client) = waiting.client else {
            return;
        };
        let activity = &mut self.whole.activity;
        match activity.goes_on(client, waiting.server.number(), waiting.at) {
            // As nearly always.
            Some(place) => self.servers.touch(place, waiting.at),
            None => self.begins_anew(client, waiting),
        }
        if self.interfaces.several {
            self.begins_on(client, waiting);
        }
    }

    /// A client is another one, with a further address: what it waits for there is that one's from now on.
    #[cold]
    #[inline(never)]
    pub(super) fn joined(&mut self, joined: &Joined) {
        let Joined {
            client,
            first,
            server,
            interface,
            at,
            ..
        } = *joined;
        let waiting = |client| Waiting {
            client: Some(client),
            server,
            interface,
            anyone: false,
            at,
        };
        for _ in 0..self.whole.activity.outstanding(client) {
            self.begins(&waiting(first));
            self.ends(&waiting(client));
        }
    }

    #[inline(never)]
    fn begins_anew(&mut self, client: StationId, waiting: &Waiting) {
        let (number, at) = (waiting.server.number(), waiting.at);
        let was_only = !self.servers.several;
        let whole = &self.whole;
        let place = self
            .servers
            .follow(waiting.server, at, || whole.without_stations());
        let several = self.servers.several;
        let activity = &mut self.whole.activity;
        if was_only && several {
            activity.move_parts(|only| OnlyPart { place: 0, ..only });
        }
        if let Some((gone, last)) = self.servers.gone.take() {
            activity.move_parts(|only| match only.place {
                place if place == gone => OnlyPart::NONE,
                place if place == last => OnlyPart {
                    place: gone,
                    ..only
                },
                _ => only,
            });
        }
        if several {
            self.split(client, number);
        }
        let activity = &mut self.whole.activity;
        let is_shared = activity.is_shared(client);
        let only = match place.and_then(|place| u8::try_from(place).ok()) {
            Some(place) => OnlyPart { number, place },
            None if several => OnlyPart::NONE,
            None => OnlyPart {
                number,
                place: OnlyPart::NOWHERE,
            },
        };
        activity.begins_in(client, only, at);
        if let Some(part) = place.and_then(|place| self.servers.all.get_mut(place)) {
            match is_shared {
                true => part.levels.activity.begins(client, at),
                false => part.levels.activity.make_way(client),
            }
        }
        self.pass_on();
    }

    /// If a station asked another server alone so far, this one follows it from now on.
    fn split(&mut self, client: StationId, server: u64) {
        if let Some((place, station)) = self.whole.activity.split(client, server)
            && let Some(part) = self.servers.all.get_mut(usize::from(place))
        {
            part.levels.activity.take_over(client, station);
        }
    }

    /// Servers that are the only ones of stations hear when these become active or idle.
    fn pass_on(&mut self) {
        let servers = &mut self.servers.all;
        self.whole.activity.pass_on(|place, at, change| {
            if let Some(part) = servers.get_mut(usize::from(place)) {
                part.levels.activity.edge(at, change);
            }
        });
    }

    #[inline(never)]
    fn begins_on(&mut self, client: StationId, waiting: &Waiting) {
        if let Some(place) = self.places.of(client, drop) {
            *place = waiting.interface;
        }
        if let Some(levels) = self.interface_of(client) {
            levels.activity.begins(client, waiting.at);
        }
    }

    #[inline(always)]
    pub(super) fn ends(&mut self, waiting: &Waiting) {
        if waiting.anyone {
            return;
        }
        let Some(client) = waiting.client else {
            return;
        };
        let (number, at) = (waiting.server.number(), waiting.at);
        if !self.whole.activity.ends_in(client, number, at) {
            self.ends_apart(client, waiting);
        }
        if self.interfaces.several {
            self.ends_on(client, waiting);
        }
    }

    /// What a station asked of several servers, or one that nobody follows.
    #[inline(never)]
    fn ends_apart(&mut self, client: StationId, waiting: &Waiting) {
        if self.servers.several {
            self.split(client, waiting.server.number());
        }
        if let Some(levels) = self.servers.of(waiting.server) {
            levels.activity.ends(client, waiting.at);
        }
        self.whole.activity.ends(client, waiting.at);
    }

    #[inline(never)]
    fn ends_on(&mut self, client: StationId, waiting: &Waiting) {
        if let Some(levels) = self.interface_of(client) {
            levels.activity.ends(client, waiting.at);
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
        self.pass_on();
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
    /// The place of the latest that gave way, and that of the one that stands there now.
    gone: Option<(u8, u8)>,
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
            gone: None,
            lost: 0,
            refused: None,
        }
    }

    /// There is traffic of this part. While it is the only one, it is the whole; otherwise this is
    /// its place, if it is followed.
    fn follow(&mut self, key: K, at: Timestamp, whole: impl FnOnce() -> Levels) -> Option<usize> {
        if !self.several && self.only == Some(key) {
            return None;
        }
        let place = match self.place_of(key) {
            Some(place) => place,
            None => self.begin(key, at, whole)?,
        };
        // Not the latest: one stamp far ahead must not keep it for ever.
        self.all.get_mut(place)?.touched = at;
        Some(place)
    }

    /// There is traffic of the part at this place.
    #[inline]
    fn touch(&mut self, place: u8, at: Timestamp) {
        if let Some(part) = self.all.get_mut(usize::from(place)) {
            part.touched = at;
        }
    }

    /// Follows one more, if there is room; its place.
    #[cold]
    fn begin(&mut self, key: K, at: Timestamp, whole: impl FnOnce() -> Levels) -> Option<usize> {
        let Some(only) = self.only else {
            self.only = Some(key);
            return None;
        };
        if !self.several {
            self.several = true;
            self.add(only, at, whole());
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
            let last = self.all.len() - 1;
            // There are few of them.
            self.gone = Some((place as u8, last as u8));
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
    use crate::load::testing::read;
    use crate::testing::{NAMED, id, later};
    use proptest::prelude::*;

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

    /// Plays requests of clients to servers: who, whom, how long after the one before, and how long
    /// it takes, in ms; each with the levels of its server, which hear of nothing else.
    fn play(requests: &[(u32, u32, i64, i64)]) -> (Scopes, Vec<Levels>) {
        const THINK: i64 = 200_000_000;
        let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
        let mut scopes = Scopes::new(THINK);
        let mut alone: Vec<Levels> = (0..4).map(|_| Levels::new(THINK)).collect();
        let mut events: Vec<(i64, usize, bool)> = Vec::new();
        let mut now = 0;
        for (n, (_, _, after, takes)) in requests.iter().enumerate() {
            now += after;
            events.extend([(now, n, false), (now + takes, n, true)]);
        }
        events.sort_unstable();
        for (ms, n, ends) in events {
            let (client, server, _, takes) = requests[n];
            let waiting = Waiting {
                client: Some(id(client)),
                server: Some(id(server)),
                interface: 0,
                anyone: false,
                at: at(ms),
            };
            let levels = &mut alone[server as usize];
            if ends {
                let mut answer = read(at(ms - takes), at(ms), 100);
                (answer.client, answer.server) = (waiting.client, waiting.server);
                scopes.ends(&waiting);
                scopes.answered(&answer);
                levels.activity.ends(id(client), at(ms));
                levels.answered(&Queued::of(&answer));
            } else {
                scopes.begins(&waiting);
                levels.activity.begins(id(client), at(ms));
            }
            scopes.settle(at(ms), &mut |_| {});
            alone.iter_mut().for_each(|l| l.settle(at(ms), &mut |_| {}));
        }
        scopes.finish(&mut |_| {});
        alone.iter_mut().for_each(|l| l.finish(&mut |_| {}));
        (scopes, alone)
    }

    proptest! {
        /// A server's levels are those of its requests alone, however its stations are followed.
        #[test]
        fn servers_have_the_levels_of_their_own_requests(
            loyal in prop::collection::vec((0u32..3, 0i64..400, 1i64..300), 1..60),
            others in prop::collection::vec((0u32..6, 0u32..4, 0i64..400, 1i64..300), 0..30),
            turn in 0usize..60,
        ) {
            // Clients 1 to 3 ask one server each, the others any, at first or later on.
            let loyal = loyal.into_iter().map(|(n, after, takes)| (n + 1, n, after, takes));
            let mut requests: Vec<_> = loyal.collect();
            let turn = turn.min(requests.len());
            requests.splice(turn..turn, others);
            let (scopes, alone) = play(&requests);
            let mut asked: Vec<u32> = requests.iter().map(|(_, server, ..)| *server).collect();
            asked.sort_unstable();
            asked.dedup();
            let curves = scopes.curves(&NAMED);
            prop_assert_eq!(curves.len(), if asked.len() > 1 { asked.len() + 1 } else { 1 });
            for (curve, server) in curves[1..].iter().zip(asked) {
                let expected = &alone[server as usize];
                prop_assert_eq!(curve, &expected.curve(curve.of));
            }
        }
    }

    /// Where a server gives way, another stands in its place: stations go with theirs.
    #[test]
    fn stations_follow_their_servers_to_other_places() {
        let mut scopes = Scopes::new(1_000_000);
        let mut alone = Levels::new(1_000_000);
        let most = u32::try_from(PARTS).unwrap();
        let mut asks = |client: u32, ms: i64, last: &mut Levels| {
            let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
            // Each client has a server of its own.
            let waiting = |ms| Waiting {
                client: Some(id(client)),
                server: Some(id(client)),
                interface: 0,
                anyone: false,
                at: at(ms),
            };
            scopes.begins(&waiting(ms));
            scopes.ends(&waiting(ms + 5));
            if client == most - 1 {
                last.activity.begins(id(client), at(ms));
                last.activity.ends(id(client), at(ms + 5));
            }
            scopes.settle(at(ms + 5), &mut |_| {});
            last.settle(at(ms + 5), &mut |_| {});
        };
        for client in 0..most {
            asks(client, i64::from(client) * 10, &mut alone);
        }
        // All but the first are at work until one more comes, which takes its place.
        for client in 1..most {
            asks(client, 50_000 + i64::from(client) * 10, &mut alone);
        }
        asks(most, 60_100, &mut alone);
        for client in [0, most - 1, most] {
            asks(client, 60_200, &mut alone);
        }
        scopes.finish(&mut |_| {});
        alone.finish(&mut |_| {});
        assert_eq!(followed(&scopes), (1..=most).collect::<Vec<_>>());
        let of = LoadOf::Capture;
        let curve = |server: u32| {
            let mut parts = scopes.servers.all.iter();
            let part = parts.find(|part| part.key == Some(id(server))).unwrap();
            part.levels.curve(of)
        };
        assert_eq!(curve(most - 1), alone.curve(of));
        // 5 ms each at 60.1 and 60.2 s.
        let active = curve(most)
            .levels
            .iter()
            .find(|row| row.stations == 1)
            .cloned();
        assert_eq!(active.map(|row| row.ramps.ns), Some(10_000_000));
    }

    /// The stations that wait, with their servers, since when or until when, in ms; then the levels
    /// of all, and of each server that has any, with how long each was, in ms.
    fn shown(events: &[(StationId, u32, i64, bool)]) -> Vec<Vec<(u32, u64)>> {
        let mut scopes = Scopes::new(1_000_000);
        for (client, server, ms, ends) in events {
            let waiting = Waiting {
                client: Some(*client),
                server: Some(id(*server)),
                interface: 0,
                anyone: false,
                at: Timestamp::from_nanos(ms * 1_000_000),
            };
            match ends {
                true => scopes.ends(&waiting),
                false => scopes.begins(&waiting),
            }
        }
        scopes.finish(&mut |_| {});
        let rows = |curve: &LevelCurve| -> Vec<(u32, u64)> {
            let rows = curve.levels.iter();
            rows.map(|row| (row.stations, (row.steady.ns + row.ramps.ns) / 1_000_000))
                .collect()
        };
        scopes.curves(&NAMED).iter().map(rows).collect()
    }

    /// One whose number went to another is active nowhere any more.
    #[test]
    fn a_station_that_is_gone_is_gone_at_its_server() {
        let (first, other) = (id(1), id(2));
        let next = later(first);
        // Neither is answered, until another client has the number of the first.
        let events = [
            (first, 1, 0, false),
            (other, 2, 0, false),
            (next, 2, 100, false),
            (next, 2, 400, true),
            (other, 2, 500, true),
        ];
        // Server 1 has no time with a station, server 2 has what all have.
        let both = vec![(1, 200), (2, 300)];
        assert_eq!(shown(&events), [both.clone(), both]);
        // One that asked both servers.
        let events = [
            (first, 1, 0, false),
            (first, 2, 0, false),
            (next, 2, 100, false),
            (next, 2, 400, true),
        ];
        let next = vec![(1, 300)];
        assert_eq!(shown(&events), [next.clone(), next]);
    }
}
