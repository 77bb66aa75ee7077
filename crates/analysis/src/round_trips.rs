//! How far the stations are from where the capture was made: round trips that need no work
//! of a server (perf-definitions section 2, R3).
//!
//! A transport answers some questions by itself: what opens a connection, what asks "are you
//! there", and data that it may not keep waiting for its acknowledgement. The shortest such answer
//! is the way to the station and back. What somebody else on the link may answer for a station
//! (RFC 1027, RFC 4389), its address, shows only how long that way is at least.

mod at_most;
mod questions;
mod singles;
mod station;

use crate::Mark;
use crate::RoundTrip;
use crate::account::{Ceiling, Distance, DistanceAt, Evidence};
use crate::routing::{Crossing, CrossingPart};
use crate::table::{Known, Table, TablePlace};
use at_most::AtMost;
use questions::{DataShown, TripShows};
pub(crate) use questions::{TripQuestions, TripSample};
use station::{MayWait, Station, StationWay, took};
use wirewait_wire::{Endpoint, Timestamp};

/// Pairs of stations with routers between two places of the capture.
const CROSSED: usize = 4096;

/// Packets whose own way through routers is remembered, the latest.
const PASSED: usize = 4096;

/// An answer may be as late as this on a short way, too, ns: the processors of stations and captures have other work.
const LATE_NS: i64 = 100_000;

/// Stations that are found without a look into the table, a power of two.
const FOUND: usize = 256;

/// The shortest ways of packets to a station through routers that lie within its time, by
/// [`CrossingPart`], ns.
type Crossings = [Option<i64>; 3];

/// Sender and receiver of a packet, and when it was seen on the side of the routers that is followed.
type PassedAt = ([Endpoint; 2], Timestamp);

/// What is known of the ways to the stations.
pub(crate) struct RoundTrips {
    /// Of two stations, in the order of their addresses.
    crossed: Table<[Endpoint; 2], [Crossings; 2]>,
    /// The way of each packet through them, ns.
    passed: Table<PassedAt, (CrossingPart, i64)>,
    stations: Table<Endpoint, Station>,
    /// The ways to stations that answered several: each, with the other end.
    ways: Table<[Endpoint; 2], StationWay>,
    /// How soon a station acknowledged data of another at least.
    at_most: Table<[Endpoint; 2], AtMost>,
    /// Some acknowledged data by itself; and some message waited for an acknowledgement.
    some_alone: bool,
    some_wait: bool,
    /// Changes whenever the distance of a station does.
    version: u64,
    /// Changes whenever there is something new of how much longer frames take.
    news: u64,
    pub(crate) evicted: u64,
    /// Where stations were found last, each where its address says, and ways.
    found: Box<[Known; FOUND]>,
    found_ways: Box<[Known; FOUND]>,
    found_at_most: Box<[Known; FOUND]>,
}

impl RoundTrips {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            crossed: Table::new(CROSSED),
            passed: Table::new(PASSED),
            stations: Table::new(rows),
            ways: Table::new(rows),
            at_most: Table::new(rows),
            some_alone: false,
            some_wait: false,
            version: 0,
            news: 0,
            evicted: 0,
            found: Box::new([const { Known::new(None) }; FOUND]),
            found_ways: Box::new([const { Known::new(None) }; FOUND]),
            found_at_most: Box::new([const { Known::new(None) }; FOUND]),
        }
    }

    /// A transport did something that says how far it is.
    pub(crate) fn sampled(&mut self, sample: &TripSample) {
        let TripSample {
            station,
            other,
            asked,
            answered,
            bytes,
            shows,
        } = *sample;
        let ns = answered.at.since(asked.at);
        let ends = [station, other];
        match shows {
            TripShows::Length { data: Some(data) } if data.may_wait => {
                self.may_wait(ends, asked, (answered, data), bytes);
            }
            TripShows::Length { data } => {
                self.measured(ends, asked, (answered, data), (bytes, false));
            }
            TripShows::Late { single, left } => {
                self.late(ends, (asked, answered), (bytes, single, left));
            }
            TripShows::AtMost => self.rode([station, other.station()], (bytes, ns)),
            TripShows::Waits(ns) => self.waits_for([station, other.station()], ns),
            TripShows::AtLeast => self.on_the_link(station, ns, (asked, answered)),
        }
    }

    /// A packet passed routers between two places of the capture. Beside its own way, the shortest counts, where
    /// that of a packet is not known: packets are of different lengths.
    #[cold]
    pub(crate) fn crossed(&mut self, crossing: &Crossing) {
        let Crossing {
            from,
            to,
            at,
            part,
            ns,
        } = *crossing;
        self.passed.place_of(&([from, to], at), || (part, ns));
        let pair = [from.min(to), from.max(to)];
        let (place, evicted) = self.crossed.place_of(&pair, Default::default);
        self.evicted += u64::from(evicted.is_some());
        let whose = if part == CrossingPart::Back { from } else { to };
        let ways = &mut self.crossed.at(place)[usize::from(whose != pair[0])];
        let shortest = &mut ways[part as usize];
        if evicted.is_some() || shortest.is_none_or(|shortest| ns < shortest) {
            *shortest = Some(ns);
            self.version += 1;
        }
    }

    /// By station, in the order of their addresses.
    pub(crate) fn rows(&self) -> Vec<RoundTrip> {
        let rows = self.stations.iter().filter_map(|(_, known)| known.row);
        let mut rows: Vec<RoundTrip> = rows.collect();
        rows.sort_unstable_by_key(|row| row.station);
        rows
    }

    /// Somebody on the link answered for a station: it is no nearer. Counts until its own transport answers.
    #[cold]
    fn on_the_link(&mut self, station: Endpoint, ns: i64, (asked, answered): (Mark, Mark)) {
        let known = self.station(station, answered.at);
        let reach = &mut known.way.distance.reach;
        if reach.samples > 0 || ns < 0 {
            return;
        }
        if took(&mut known.row, station, ns, (asked, answered)) {
            reach.link = ns;
            self.version += 1;
            self.news += 1;
        }
    }

    /// A station answered the other end by itself; that data has come, or something else.
    fn measured(
        &mut self,
        [station, other]: [Endpoint; 2],
        asked: Mark,
        (answered, data): (Mark, Option<DataShown>),
        (bytes, late): (u64, bool),
    ) {
        let ns = answered.at.since(asked.at);
        if ns < 0 {
            return;
        }
        self.version += 1;
        let known = self.station(station, answered.at);
        if known.way.distance.reach.samples == 0 {
            known.row = None;
        }
        took(&mut known.row, station, ns, (asked, answered));
        let sample = (asked, answered, data, bytes);
        let other = other.station();
        let split = known.answers(other);
        let before = known.way.distance.reach.shortest;
        let mut news = known.way.measured(sample, (ns, late));
        if let Some(first) = split {
            let all = known.way.distance;
            let shortest = all.reach.shortest;
            let apart = known.apart.is_some();
            let way = self.way([station, other], first, answered.at);
            news |= way.measured(sample, (ns, late));
            // Others have half of this way at most, or this one half of theirs: each has its own.
            let own = way.distance.reach.shortest.max(before);
            if apart || own.saturating_sub(LATE_NS) / 2 > shortest {
                self.differ(station, &all);
            }
        }
        self.news += u64::from(news);
    }

    /// A station acknowledged data of the other end by itself, perhaps after it kept that waiting.
    /// `single`: bytes of the one segment that was acknowledged, or 0; `left`: bytes that were sent behind it.
    fn late(
        &mut self,
        ends: [Endpoint; 2],
        (asked, answered): (Mark, Mark),
        (bytes, single, left): (u64, u32, u32),
    ) {
        let ns = answered.at.since(asked.at);
        let [station, other] = ends;
        let known = self.station(station, answered.at);
        if known.way.distance.reach.samples == 0 {
            self.alone([station, other.station()], (single.into(), ns));
            return;
        }
        let way = match known.only() {
            Some(only) if only == other.station() => &mut known.way,
            Some(_) => return,
            None => {
                let key = [station, other.station()];
                let known = &self.found_ways[found_at(key)];
                let found = known.get().filter(|place| self.ways.is_at(*place, &key));
                let place = found.or_else(|| {
                    let found = self.ways.find(&key);
                    known.set(found.or(known.get()));
                    found
                });
                let Some(place) = place else {
                    return;
                };
                self.ways.at(place)
            }
        };
        if ns < 0 || way.distance.reach.samples == 0 {
            return;
        }
        let mut news = way.single((asked, answered), single, left);
        let Distance { reach, line, .. } = &way.distance;
        let (known, nearer) = (way.is_known(), ns < reach.shortest);
        let nearer = !known && nearer && bytes >= line.bytes;
        // What answers at once say is more than that.
        if !known && ns >= reach.shortest {
            news |= way.late(ns);
        }
        self.version += u64::from(news);
        if nearer {
            // It kept nothing waiting, and is nearer than was known: these frames are no shorter.
            self.measured(ends, asked, (answered, None), (bytes, true));
        }
    }

    /// Fewer than two full segments were acknowledged, which the station may have kept waiting for more, or for a timer.
    #[cold]
    #[inline(never)]
    fn may_wait(
        &mut self,
        ends: [Endpoint; 2],
        asked: Mark,
        (answered, data): (Mark, DataShown),
        bytes: u64,
    ) {
        let times = [asked.at, answered.at];
        let waited = match self.way_of(ends, answered.at) {
            Some(way) => way.waited(times, data.bytes),
            // The first answer of all to this end.
            None => StationWay::default().waited(times, data.bytes),
        };
        if waited == MayWait::Timer {
            self.late(ends, (asked, answered), (bytes, 0, 0));
            return;
        }
        self.measured(ends, asked, (answered, Some(data)), (bytes, false));
        if waited == MayWait::Something {
            self.station(ends[0], answered.at).way.was_late();
            if let Some(way) = self.way_of(ends, answered.at) {
                way.was_late();
            }
        }
    }

    /// What is known of the way to the first of these from the other, if that is known apart from others.
    #[cold]
    fn way_of(
        &mut self,
        [station, other]: [Endpoint; 2],
        now: Timestamp,
    ) -> Option<&mut StationWay> {
        let other = other.station();
        if self.station(station, now).only() == Some(other) {
            return Some(&mut self.station(station, now).way);
        }
        let place = self.ways.find(&[station, other])?;
        Some(self.ways.at(place))
    }

    /// The ways to this station differ, of which this is known of all of them.
    #[cold]
    fn differ(&mut self, station: Endpoint, all: &Distance) {
        let known = self
            .stations
            .find(&station)
            .and_then(|place| self.stations.get_mut(place));
        let Some(known) = known.filter(|known| {
            let elsewhere = known.apart.as_ref();
            elsewhere.is_none_or(|elsewhere| elsewhere.reach.others != all.reach.shortest)
        }) else {
            return;
        };
        **known.apart.get_or_insert_default() = all.of_others();
        self.version += 1;
        self.news += 1;
    }

    #[cold]
    fn look_up(&self, end: &Endpoint, at: &mut DistanceAt) -> Option<&Station> {
        at.station = self.stations.whereabouts(&end.station());
        at.station.and_then(|place| self.stations.peek(place))
    }

    /// The way of these two, where the station has several.
    #[cold]
    fn own<'a>(
        &'a self,
        [end, other]: [&Endpoint; 2],
        elsewhere: &'a Distance,
        at: &mut DistanceAt,
    ) -> &'a Distance {
        let key = [end.station(), other.station()];
        let known = at
            .way
            .filter(|place| self.ways.key_at(*place) == Some(&key));
        at.way = known.or_else(|| self.ways.whereabouts(&key));
        let own = at.way.and_then(|place| self.ways.peek(place));
        let own = own.filter(|way| way.distance.reach.samples > 0);
        own.map_or(elsewhere, |way| &way.distance)
    }

    /// The way to a station that answered several others. `first` is what was known while it had answered one
    /// alone, if that was so until now.
    fn way(
        &mut self,
        [station, other]: [Endpoint; 2],
        first: Option<Box<(Endpoint, StationWay)>>,
        now: Timestamp,
    ) -> &mut StationWay {
        if let Some(first) = first {
            let (first, mut way) = *first;
            way.distance.apart = true;
            let (_, gone) = self.ways.place_of(&[station, first], || way);
            self.evicted += u64::from(gone.is_some());
        }
        let known = &self.found_ways[found_at([station, other])];
        if let Some(place) = known.get()
            && self.ways.is_at(place, &[station, other])
        {
            return self.ways.at(place);
        }
        let new = || StationWay::new(now, true);
        let (place, gone) = self.ways.place_of(&[station, other], new);
        known.set(Some(place));
        if gone.is_some() {
            self.evicted += 1;
            self.version += 1;
            self.news += 1;
        }
        self.ways.at(place)
    }

    #[inline]
    fn station(&mut self, station: Endpoint, now: Timestamp) -> &mut Station {
        let known = &self.found[station.identity().address() as usize % FOUND];
        if let Some(place) = known.get()
            && self.stations.is_at(place, &station)
        {
            return self.stations.at(place);
        }
        self.station_anew(station, now)
    }

    #[inline(never)]
    fn station_anew(&mut self, station: Endpoint, now: Timestamp) -> &mut Station {
        let known = &self.found[station.identity().address() as usize % FOUND];
        let new = || Station::new(now);
        let (place, evicted) = self.stations.place_of(&station, new);
        known.set(Some(place));
        if evicted.is_some() {
            self.evicted += 1;
            self.version += 1;
            self.news += 1;
        }
        self.stations.at(place)
    }
}

/// Where the two may have been found last.
#[inline]
fn found_at([one, other]: [Endpoint; 2]) -> usize {
    let mixed = one.identity().address() ^ other.identity().address().rotate_left(1);
    mixed as usize % FOUND
}

impl Evidence for RoundTrips {
    #[inline]
    fn of(&self, end: &Endpoint, other: &Endpoint, at: &mut DistanceAt) -> &Distance {
        let known = at.station.and_then(|place| self.stations.peek(place));
        let Some(known) = known.or_else(|| self.look_up(end, at)) else {
            return &Distance::UNKNOWN;
        };
        match &known.apart {
            None => &known.way.distance,
            Some(elsewhere) => self.own([end, other], elsewhere, at),
        }
    }

    #[cold]
    fn of_others(&self, [end, other]: [&Endpoint; 2], at: &DistanceAt) -> Option<Distance> {
        let known = self.stations.peek(at.station?)?;
        let other = other.station();
        let answered = match known.only() {
            Some(only) => only == other,
            None => self.ways.whereabouts(&[end.station(), other]).is_some(),
        };
        (!answered).then(|| known.way.distance.of_others())
    }

    fn rode(&self, ends: [&Endpoint; 2], at: &mut Option<TablePlace>) -> Ceiling {
        let known = self.at_most(ends, at);
        known.map_or(Ceiling::NONE, AtMost::rode)
    }

    #[cold]
    fn alone(&self, ends: [&Endpoint; 2], at: &mut Option<TablePlace>) -> Ceiling {
        if !self.some_alone {
            return Ceiling::NONE;
        }
        let known = self.at_most(ends, at);
        known.map_or(Ceiling::NONE, AtMost::alone)
    }

    #[inline]
    fn waits(&self, ends: [&Endpoint; 2], at: &mut Option<TablePlace>) -> u64 {
        if !self.some_wait {
            return 0;
        }
        let known = self.at_most(ends, at);
        known.map_or(0, AtMost::waits)
    }

    #[inline]
    fn between(&self, one: &Endpoint, other: &Endpoint) -> Option<[i64; 2]> {
        if self.crossed.is_empty() {
            return None;
        }
        let [one, other] = [one, other].map(|end| end.station());
        let pair = [one.min(other), one.max(other)];
        let mut ways = self.crossed.get(&pair)?.map(|[out, back, alone]| {
            // Only there and back is without the difference between two clocks.
            let both = out.zip(back).map(|(out, back)| out.saturating_add(back));
            both.max(alone).unwrap_or(0).max(0)
        });
        if one != pair[0] {
            ways.reverse();
        }
        (ways != [0; 2]).then_some(ways)
    }

    #[cold]
    fn passed(&self, ends: [&Endpoint; 2], [there, back]: [Timestamp; 2]) -> Option<i64> {
        let [station, other] = ends.map(|end| end.station());
        let there = self.passed.get(&([other, station], there)).copied();
        let there = there.filter(|(part, _)| *part != CrossingPart::Back);
        let back = self.passed.get(&([station, other], back)).copied();
        let back = back.filter(|(part, _)| *part == CrossingPart::Back);
        // Of one that is not known, the shortest.
        let shortest = |part: CrossingPart| {
            let pair = [station.min(other), station.max(other)];
            let crossings = self.crossed.get(&pair)?;
            crossings[usize::from(station != pair[0])][part as usize]
        };
        let (out, back) = match (there, back) {
            (Some((CrossingPart::Alone, ns)), _) => return Some(ns),
            (Some((_, out)), Some((_, back))) => (out, back),
            (Some((_, out)), None) => (out, shortest(CrossingPart::Back)?),
            (None, Some((_, back))) => (shortest(CrossingPart::Out)?, back),
            (None, None) => return None,
        };
        Some(out.saturating_add(back))
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn news(&self) -> u64 {
        self.news
    }
}

#[cfg(test)]
mod tests {
    use super::questions::OPEN;
    use super::*;
    use crate::bounds::Hits;
    use crate::world::Seen;
    use wirewait_wire::{
        Address, Carries, Cast, Facts, Frame, LinkType, Numbered, NumberedKind, Order, Probe,
        Session, Stream, Timestamp, Walk,
    };

    fn station(last: u8) -> Endpoint {
        Endpoint {
            address: Address::V4([10, 0, 0, last]),
            port: Some(445),
            net: 0,
        }
    }

    fn play(frames: &[(i64, u8, u8, Order)]) -> Vec<(u8, u64, i64)> {
        let facts = |(ns, from, to, order): &(i64, u8, u8, Order)| {
            let facts = Facts {
                from: station(*from),
                to: station(*to),
                order: *order,
                ..Facts::default()
            };
            (*ns, facts)
        };
        seen(frames.iter().map(facts)).0
    }

    /// What is found in these frames: by the end of an address, samples and the shortest; and what holds the ways.
    fn seen(frames: impl Iterator<Item = (i64, Facts)>) -> (Vec<(u8, u64, i64)>, RoundTrips) {
        let (mut questions, mut found) = (TripQuestions::new(), RoundTrips::new(16));
        for (n, (ns, facts)) in (1..).zip(frames) {
            let mut walk = Walk::default();
            walk.facts = facts;
            let at = Timestamp::from_nanos(ns);
            let frame = Frame {
                at,
                link: LinkType(1),
                interface: 0,
                wire_len: 60,
                bytes: &[],
            };
            let seen = Seen {
                before: &None,
                hops: None,
                mark: Mark { frame: n, at },
                frame: &frame,
                walk: &walk,
                carrier: "",
                path: &crate::path::Path::default(),
                on_wire: 0,
            };
            let concerned = questions.concern(&seen);
            let sample = questions.seen(&seen);
            assert!(concerned || sample.is_none());
            sample.iter().for_each(|sample| found.sampled(sample));
        }
        let last = |row: &RoundTrip| match row.station.address {
            Address::V4(bytes) => bytes[3],
            _ => 0,
        };
        let rows = found.rows();
        let rows = rows
            .iter()
            .map(|row| (last(row), row.samples, row.shortest_ns))
            .collect();
        (rows, found)
    }

    /// Station `from` asks `to`, or answers; of whom if that is another address.
    fn probe(
        ns: i64,
        [from, to]: [u8; 2],
        answers: bool,
        number: u32,
        of: Option<u8>,
    ) -> (i64, Facts) {
        let of = of.map(|last| station(last).address);
        let probe = Probe {
            answers,
            number,
            of,
        };
        let facts = Facts {
            from: station(from).station(),
            to: station(to).station(),
            carries: Carries::Probe(probe),
            ..Facts::default()
        };
        (ns, facts)
    }

    /// Two echoes at once, answered in 300 and 250 ns; the third goes by twice, the fourth to a group.
    #[test]
    fn an_echo_measures_the_way_by_its_number() {
        let mut group = probe(3_000, [1, 9], false, 4, None);
        group.1.cast = Cast::Broadcast;
        let frames = [
            probe(0, [1, 9], false, 1, None),
            probe(100, [1, 9], false, 2, None),
            probe(300, [9, 1], true, 1, None),
            probe(350, [9, 1], true, 2, None),
            probe(1_000, [1, 9], false, 3, None),
            probe(1_010, [1, 9], false, 3, None),
            probe(1_100, [9, 1], true, 3, None),
            group,
            probe(3_010, [9, 1], true, 4, None),
        ];
        let (rows, found) = seen(frames.into_iter());
        assert_eq!(rows, [(9, 2, 250)]);
        let distance = found.of(&station(9), &station(1), &mut DistanceAt::default());
        assert_eq!((distance.reach.shortest, distance.reach.link), (250, 0));
    }

    /// An address was asked for, and the answer took 40 ns, 30 ns: so far away is the station at least, until
    /// its own transport says better.
    #[test]
    fn who_answers_for_an_address_is_no_farther_than_its_station() {
        let frames = [
            probe(0, [101, 102], false, 9, Some(9)),
            probe(40, [102, 101], true, 9, Some(9)),
            probe(1_000, [101, 102], false, 9, Some(9)),
            probe(1_030, [102, 101], true, 9, Some(9)),
        ];
        let (rows, found) = seen(frames.into_iter());
        assert_eq!(rows, [(9, 2, 30)]);
        let of = |found: &RoundTrips| {
            let at = &mut DistanceAt::default();
            found.of(&station(9), &station(1), at).reach
        };
        let reach = of(&found);
        assert_eq!((reach.samples, reach.link), (0, 30));

        let opens = |ns, ends: [u8; 2], order| {
            let (ns, facts) = probe(ns, ends, false, 0, None);
            let carries = Carries::Nothing;
            let facts = Facts {
                order,
                carries,
                ..facts
            };
            (ns, facts)
        };
        let frames = frames.into_iter().chain([
            opens(2_000, [1, 9], segment(100, None, true)),
            opens(2_500, [9, 1], segment(700, Some(101), true)),
            probe(3_000, [101, 102], false, 9, Some(9)),
            probe(3_020, [102, 101], true, 9, Some(9)),
        ]);
        let (rows, found) = seen(frames);
        assert_eq!(rows, [(9, 1, 500)]);
        assert_eq!(of(&found).shortest, 500);
    }

    fn segment(seq: u32, ack: Option<u32>, syn: bool) -> Order {
        Order::Stream(Stream {
            seq,
            ack,
            syn,
            ..Stream::default()
        })
    }

    /// SYN at 0, SYN-ACK at 5000: 5000 ns to the server and back; ACK at 5200: 200 ns to the
    /// client and back. What comes later says nothing.
    #[test]
    fn opening_a_connection_measures_both_ways() {
        let frames = [
            (0, 1, 9, segment(100, None, true)),
            (5_000, 9, 1, segment(700, Some(101), true)),
            (5_200, 1, 9, segment(101, Some(701), false)),
            (9_000, 9, 1, segment(701, Some(101), false)),
        ];
        assert_eq!(play(&frames), [(1, 1, 200), (9, 1, 5_000)]);
    }

    #[test]
    fn a_repeated_question_measures_nothing() {
        let frames = [
            (0, 1, 9, segment(100, None, true)),
            (3_000, 1, 9, segment(100, None, true)),
            (5_000, 9, 1, segment(700, Some(101), true)),
        ];
        assert_eq!(play(&frames), []);
    }

    /// The clock of the other side is 10 us ahead: there 10.7 us less it, back 0.9 us and it. Only
    /// both together are the way, and the shortest of each counts.
    #[test]
    fn routers_between_two_stations_are_on_the_way_there_and_back() {
        let mut found = RoundTrips::new(16);
        let (client, server) = (station(1).station(), station(9).station());
        let mut cross = |from, to, part, ns: i64| {
            let at = Timestamp::from_nanos(ns.abs() * 10);
            found.crossed(&Crossing {
                from,
                to,
                at,
                part,
                ns,
            });
            let between = found.between(&server, &client);
            let other = found.between(&client, &server);
            assert_eq!(other, between.map(|[a, b]| [b, a]));
            (between.unwrap_or_default(), found.version())
        };
        let out = CrossingPart::Out;
        let back = CrossingPart::Back;
        assert_eq!(cross(client, server, out, 10_700), ([0, 0], 1));
        assert_eq!(cross(server, client, back, -9_100), ([1_600, 0], 2));
        assert_eq!(
            cross(client, server, out, 10_800),
            ([1_600, 0], 2),
            "longer"
        );
        assert_eq!(cross(client, server, out, 10_600), ([1_500, 0], 3));
        let alone = cross(server, client, CrossingPart::Alone, 600);
        assert_eq!(alone, ([1_500, 600], 4));
        let passed = |ends: [&Endpoint; 2], times: [i64; 2]| {
            found.passed(ends, times.map(|ns| Timestamp::from_nanos(ns * 10)))
        };
        let at_server = |times| passed([&server, &client], times);
        assert_eq!(at_server([10_700, 9_100]), Some(1_600));
        assert_eq!(at_server([10_800, 9_100]), Some(1_700));
        assert_eq!(at_server([10_800, 1]), Some(1_700), "the shortest back");
        assert_eq!(at_server([1, 9_100]), Some(1_500), "the shortest out");
        assert_eq!(at_server([1, 2]), None);
        assert_eq!(
            passed([&client, &server], [600, 1]),
            Some(600),
            "of one interface"
        );
        assert_eq!(passed([&client, &server], [10_700, 9_100]), None);
        assert_eq!(found.between(&server, &station(2)), None, "another");
    }

    /// Station 9 answers station 1 in 300 and 250 ns, and station 2 in 400 us and 410 us: it is 250 ns away from
    /// where it talks with the one, and 400 us where with the other. Of station 3, which it has not
    /// answered, no more is known than that it is no nearer than 250 ns. Station 2 answers it in 5 us.
    #[test]
    fn a_station_has_a_way_for_each_other_end_where_they_differ() {
        let echo = |ns, [from, to]: [u8; 2], number, took| {
            [
                probe(ns, [from, to], false, number, None),
                probe(ns + took, [to, from], true, number, None),
            ]
        };
        let near = [echo(0, [1, 9], 1, 300), echo(1_000, [1, 9], 2, 250)];
        let far = [
            echo(1_000_000, [2, 9], 1, 400_000),
            echo(2_000_000, [2, 9], 2, 410_000),
        ];
        let back = [echo(3_000_000, [9, 2], 7, 5_000)];
        let of = |found: &RoundTrips, other| {
            let at = &mut DistanceAt::default();
            let distance = *found.of(&station(9), &station(other), at);
            // It is found where it was found last.
            assert_eq!(*found.of(&station(9), &station(other), at), distance);
            let reach = distance.reach;
            (reach.samples, reach.shortest, reach.others)
        };
        let silent = |found: &RoundTrips, other| {
            let ends = [&station(9), &station(other)];
            let at = &mut DistanceAt::default();
            found.of(ends[0], ends[1], at);
            let of_others = found.of_others(ends, at);
            of_others.map(|of| (of.reach.samples, of.reach.others, of.apart))
        };
        let (_, found) = seen(near.into_iter().flatten());
        assert_eq!(of(&found, 1), (2, 250, 0));
        assert_eq!(of(&found, 2), (2, 250, 0), "what it answered others");
        assert_eq!(silent(&found, 1), None);
        assert_eq!(silent(&found, 2), Some((0, 250, true)));

        let all = near.into_iter().chain(far).chain(back);
        let (rows, found) = seen(all.flatten());
        assert_eq!(rows, [(2, 1, 5_000), (9, 4, 250)]);
        assert_eq!(of(&found, 1), (2, 250, 0));
        assert_eq!(of(&found, 2), (2, 400_000, 0));
        assert_eq!(of(&found, 3), (0, 0, 250));
        // Whichever of them comes first: the far one is not answered again.
        for far in [&far[..1], &far] {
            let (_, found) = seen(far.iter().chain(&near).copied().flatten());
            assert_eq!(of(&found, 1).1, 250);
            assert_eq!(of(&found, 2).1, 400_000);
        }
        // Nothing differs where the second is a little farther than the first.
        let (_, found) = seen(
            near.into_iter()
                .chain([echo(5_000, [2, 9], 1, 100_400)])
                .flatten(),
        );
        assert_eq!(of(&found, 2), (3, 250, 0));
        assert_eq!([1, 2].map(|other| silent(&found, other)), [None; 2]);
        assert_eq!(silent(&found, 3), Some((0, 250, true)));
    }

    fn ready(poll: bool, response: bool, connection: Option<Session>) -> Order {
        Order::Numbered(Numbered {
            kind: NumberedKind::Ready,
            number: 0,
            connection,
            modulus: 128,
            expects: Some(0),
            poll,
            response,
        })
    }

    /// A poll at 0 is answered by the final bit at 40, whatever comes in between; a second
    /// one takes 30.
    #[test]
    fn polls_are_answered_by_the_final_bit() {
        let frames = [
            (0, 1, 9, ready(true, false, None)),
            (20, 9, 1, ready(false, true, None)),
            (40, 9, 1, ready(true, true, None)),
            (100, 1, 9, ready(true, false, None)),
            (130, 9, 1, ready(true, true, None)),
        ];
        assert_eq!(play(&frames), [(9, 2, 30)]);
    }

    /// Data that polls at 0 is answered at 40, and the answer arrives twice: the copy at 70 says nothing of
    /// what polled at 65, which is answered at 105.
    #[test]
    fn a_copy_of_an_answer_does_not_answer_the_next_poll() {
        let data = |number| {
            Order::Numbered(Numbered {
                kind: NumberedKind::Data,
                number,
                connection: None,
                modulus: 128,
                expects: Some(0),
                poll: true,
                response: false,
            })
        };
        let answer = |expects| match ready(true, true, None) {
            Order::Numbered(answer) => Order::Numbered(Numbered {
                expects: Some(expects),
                ..answer
            }),
            other => other,
        };
        let frames = [
            (0, 1, 9, data(127)),
            (40, 9, 1, answer(0)),
            (65, 1, 9, data(0)),
            (70, 9, 1, answer(0)),
            (105, 9, 1, answer(1)),
        ];
        assert_eq!(play(&frames), [(9, 2, 40)]);
    }

    #[test]
    fn probes_are_answered_on_their_connection() {
        let of = |from, to| Some(Session { from, to });
        let frames = [
            (0, 1, 9, ready(true, false, of(7, 8))),
            (10, 9, 1, ready(false, false, of(4, 5))),
            (60, 9, 1, ready(false, false, of(8, 7))),
        ];
        assert_eq!(play(&frames), [(9, 1, 60)]);
    }

    impl TripQuestions {
        /// Two connections more are asked for than are remembered.
        pub(crate) fn overrun() -> Hits {
            let mut found = Self::new();
            let at = Mark {
                frame: 1,
                at: Timestamp::from_nanos(0),
            };
            for n in 0..OPEN as u32 + 2 {
                let client = Endpoint::mac([2, 0, 0, (n >> 16) as u8, (n >> 8) as u8, n as u8]);
                found.ask((client, station(9), None), (at, 60), (Some(1), false));
            }
            assert_eq!(found.waiting, OPEN);
            found.hits
        }
    }
}
