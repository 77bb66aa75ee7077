//! How far the stations are from where the capture was made: round trips that need no work
//! of a server (perf-definitions section 2, R3).
//!
//! A transport answers some questions by itself: what opens a connection, what asks "are you
//! there", and data that it may not keep waiting for its acknowledgement. The shortest such answer
//! is the way to the station and back. What somebody else on the link may answer for a station
//! (RFC 1027, RFC 4389), its address, shows only how long that way is at least.

use crate::account::{BOTH_SHORTEST, Distance, Evidence, STEADY, Took, on_line};
use crate::bounds::{Bound, Hits};
use crate::routing::{Crossing, CrossingPart};
use crate::table::{Known, Table, TablePlace};
use crate::world::Seen;
use crate::{Mark, Notice, Noticed, RoundTrip};
use wirewait_wire::{Carries, Cast, Endpoint, NumberedKind, Order, Probe, Timestamp};

/// Questions that are open at once; the oldest goes when there are more.
const OPEN: usize = 4096;

/// The way to a station may change: the shortest answer counts for so long, ns, and at most twice
/// that.
const WINDOW_NS: i64 = 60_000_000_000;

/// Pairs of stations with routers between two places of the capture.
const CROSSED: usize = 4096;

/// A question that the receiver's transport answers at once.
struct TripQuestion {
    at: Mark,
    /// Bytes of the frame.
    bytes: u32,
    /// What the answer acknowledges: of what opens a byte stream, and of data that polls.
    expects: Option<u32>,
    /// It asks with data, which is there when that is answered.
    data: bool,
    /// Asked more than once: which was answered cannot be told.
    repeated: bool,
}

/// Stations that are found without a look into the table, a power of two.
const FOUND: usize = 256;

/// Who asked whom, and on which of their connections.
type TripKey = (Endpoint, Endpoint, Option<(u16, u16)>);

/// What is known of the way to a station.
#[derive(Clone, Copy, Default)]
struct Station {
    /// The shortest answer of all; `None` where there was none.
    row: Option<RoundTrip>,
    /// The shortest of the window that began then, and of the one before, ns.
    window: Timestamp,
    shortest: [Option<i64>; 2],
    distance: Distance,
}

/// The shortest ways of packets to a station through routers that lie within its time, by
/// [`CrossingPart`], ns.
type Crossings = [Option<i64>; 3];

/// Questions whose answers are awaited.
pub(crate) struct TripQuestions {
    open: Table<TripKey, TripQuestion>,
    waiting: usize,
    pub(crate) hits: Hits,
}

/// How long a station's transport took to answer, or with what it acknowledged data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TripSample {
    station: Endpoint,
    /// When it was asked.
    asked: Mark,
    answered: Mark,
    /// Of both frames on the line.
    bytes: u64,
    shows: TripShows,
}

/// What a sample says of the way.
#[derive(Clone, Copy, Debug)]
enum TripShows {
    /// It is as long: the transport answered by itself. `data`: which came with the question.
    Length { data: bool },
    /// It is no longer: data was acknowledged with the next that was sent.
    AtMost,
    /// It is no shorter: somebody on the link answered for the station.
    AtLeast,
}

/// What is known of the ways to the stations.
pub(crate) struct RoundTrips {
    /// Of two stations, in the order of their addresses.
    crossed: Table<[Endpoint; 2], [Crossings; 2]>,
    stations: Table<Endpoint, Station>,
    /// Changes whenever the distance of a station does.
    version: u64,
    /// Changes whenever there is something new of how much longer frames take.
    news: u64,
    pub(crate) evicted: u64,
    /// Where stations were found last, each where its address says.
    found: Box<[Known; FOUND]>,
}

impl TripQuestions {
    pub(crate) fn new() -> Self {
        Self {
            open: Table::new(OPEN),
            waiting: 0,
            hits: Hits::NONE,
        }
    }

    /// Whether the frame may ask or answer something: nearly none does.
    #[inline]
    pub(crate) fn concern(&self, seen: &Seen<'_>) -> bool {
        match seen.walk.facts.order {
            Order::Stream(segment) => segment.syn || self.waiting > 0,
            Order::Numbered(n) => n.poll || self.waiting > 0,
            Order::None => matches!(seen.walk.facts.carries, Carries::Probe(_)),
        }
    }

    /// A frame came that may [concern](Self::concern) them: what it answers.
    pub(crate) fn seen(&mut self, seen: &Seen<'_>) -> Option<TripSample> {
        let mut sample = None;
        // Nearly always nothing waits for an answer, and then none is looked for.
        let facts = &seen.walk.facts;
        let (from, to) = (&facts.from, &facts.to);
        match facts.order {
            Order::Stream(segment) => {
                if let Some(ack) = segment.ack.filter(|_| self.waiting > 0) {
                    sample = self.answer((*to, *from, None), seen, Some(ack));
                }
                if segment.syn {
                    let expects = Some(segment.seq.wrapping_add(1));
                    let frame = (seen.mark, seen.frame.wire_len);
                    self.ask((*from, *to, None), frame, (expects, false));
                }
            }
            Order::Numbered(n) => {
                let forth = n.connection.map(|c| (c.from, c.to));
                let back = n.connection.map(|c| (c.to, c.from));
                // LLC answers a poll with the final bit; SPX and its like with any
                // packet that says what is expected and asks for nothing.
                let ready = n.kind == NumberedKind::Ready;
                let answers = match n.connection {
                    None => n.response && n.poll,
                    Some(_) => ready && !n.poll,
                };
                if answers && self.waiting > 0 {
                    let expects = n.expects.map(u32::from);
                    sample = self.answer((*to, *from, back), seen, expects);
                } else if n.poll && !n.response {
                    // The answer to a copy of an earlier poll does not acknowledge this one.
                    let behind = (u32::from(n.number) + 1) % n.modulus.max(1);
                    let data = n.kind == NumberedKind::Data;
                    let expects = data.then_some(behind);
                    // LLC answers at once; over IPX an answer may wait.
                    let data = data && n.connection.is_none();
                    let frame = (seen.mark, seen.frame.wire_len);
                    self.ask((*from, *to, forth), frame, (expects, data));
                }
            }
            Order::None => {
                if let Carries::Probe(probe) = facts.carries {
                    sample = self.probed(seen, probe);
                }
            }
        }
        sample
    }

    /// A station is asked for a sign of life, or gives one.
    #[cold]
    fn probed(&mut self, seen: &Seen<'_>, probe: Probe) -> Option<TripSample> {
        let facts = &seen.walk.facts;
        // What is for a group may wait on its way, until all that sleep listen (IEEE 802.11, 11.2.3).
        if facts.cast != Cast::Unicast {
            return None;
        }
        let (from, to) = (facts.from, facts.to);
        let number = Some(((probe.number >> 16) as u16, probe.number as u16));
        if !probe.answers {
            let frame = (seen.mark, seen.frame.wire_len);
            self.ask((from, to, number), frame, (None, false));
            return None;
        }
        let sample = self.answer((to, from, number), seen, None)?;
        Some(match probe.of {
            None => sample,
            Some(address) => TripSample {
                station: Endpoint::at(address),
                shows: TripShows::AtLeast,
                ..sample
            },
        })
    }

    #[inline(never)]
    fn ask(
        &mut self,
        key: TripKey,
        (at, bytes): (Mark, u32),
        (expects, data): (Option<u32>, bool),
    ) {
        let found = self.open.find(&key).and_then(|p| self.open.get_mut(p));
        if let Some(question) = found {
            question.repeated = true;
            (question.expects, question.data) = (expects, data);
            return;
        }
        let question = TripQuestion {
            at,
            bytes,
            expects,
            data,
            repeated: false,
        };
        match self.open.insert(key, question) {
            (_, None) => self.waiting += 1,
            (_, Some(_)) => self.hits.hit(Bound::Questions),
        }
    }

    /// This frame answers what was asked.
    #[inline(never)]
    fn answer(
        &mut self,
        key: TripKey,
        seen: &Seen<'_>,
        acknowledges: Option<u32>,
    ) -> Option<TripSample> {
        let place = self.open.find(&key)?;
        let fits = |question: &mut TripQuestion| {
            let both = acknowledges.zip(question.expects);
            both.is_none_or(|(a, expects)| a == expects)
        };
        if !self.open.get_mut(place).is_some_and(fits) {
            return None;
        }
        let question = self.open.take(place)?;
        self.waiting = self.waiting.saturating_sub(1);
        let at = seen.mark;
        if question.repeated {
            return None;
        }
        Some(TripSample {
            station: key.1.station(),
            asked: question.at,
            answered: at,
            bytes: u64::from(question.bytes) + u64::from(seen.frame.wire_len),
            shows: TripShows::Length {
                data: question.data,
            },
        })
    }
}

impl TripSample {
    /// What an acknowledgement says of the way, if a transport sent it.
    pub(crate) fn of(notice: &Notice) -> Option<Self> {
        let Noticed::Acknowledged {
            bare,
            message: false,
            last_bytes,
            sent: Some(frame),
            after_ns,
            at_once,
            ..
        } = notice.what
        else {
            return None;
        };
        // Of several frames only the last is sure to have been on its way for so long.
        let bytes = match at_once {
            true => on_line(last_bytes.into()) + BOTH_SHORTEST / 2,
            false => last_bytes.into(),
        };
        (at_once || !bare).then(|| Self {
            station: notice.from.station(),
            asked: Mark {
                frame,
                at: notice.mark.at.plus(-after_ns),
            },
            answered: notice.mark,
            bytes,
            shows: match at_once {
                true => TripShows::Length { data: true },
                false => TripShows::AtMost,
            },
        })
    }
}

impl RoundTrips {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            crossed: Table::new(CROSSED),
            stations: Table::new(rows),
            version: 0,
            news: 0,
            evicted: 0,
            found: Box::new([const { Known::new(None) }; FOUND]),
        }
    }

    /// A transport did something that says how far it is.
    pub(crate) fn sampled(&mut self, sample: &TripSample) {
        let TripSample {
            station,
            asked,
            answered,
            bytes,
            shows,
        } = *sample;
        let ns = answered.at.since(asked.at);
        match shows {
            TripShows::Length { data } => self.measured(station, asked, (answered, data), bytes),
            TripShows::AtMost => self.bounded(station, (bytes, ns), answered.at),
            TripShows::AtLeast => self.on_the_link(station, ns, (asked, answered)),
        }
    }

    /// A packet passed routers between two places of the capture. The shortest way counts: packets
    /// are of different lengths.
    #[cold]
    pub(crate) fn crossed(&mut self, crossing: &Crossing) {
        let Crossing { from, to, part, ns } = *crossing;
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
        let reach = &mut known.distance.reach;
        if reach.samples > 0 || ns < 0 {
            return;
        }
        if took(&mut known.row, station, ns, (asked, answered)) {
            reach.link = ns;
            self.version += 1;
            self.news += 1;
        }
    }

    /// A station answered by itself; that data has come, or something else.
    fn measured(
        &mut self,
        station: Endpoint,
        asked: Mark,
        (answered, data): (Mark, bool),
        bytes: u64,
    ) {
        let ns = answered.at.since(asked.at);
        if ns < 0 {
            return;
        }
        self.version += 1;
        let known = self.station(station, answered.at);
        if known.distance.reach.samples == 0 {
            known.row = None;
        }
        took(&mut known.row, station, ns, (asked, answered));
        let past = answered.at.since(known.window);
        let mut again = false;
        if past >= WINDOW_NS {
            let before = known.shortest[0].filter(|_| past < 2 * WINDOW_NS);
            known.shortest = [None, before];
            known.window = answered.at;
            (known.distance.line.longer, again) = (Took::NONE, true);
        }
        let shortest = known.shortest[0].map_or(ns, |shortest| shortest.min(ns));
        known.shortest[0] = Some(shortest);
        let distance = &mut known.distance;
        let shortest = known.shortest[1].map_or(shortest, |before| before.min(shortest));
        let reach = &mut distance.reach;
        reach.samples = reach.samples.saturating_add(1);
        reach.total = reach.total.saturating_add(ns);
        let moved = std::mem::replace(&mut reach.shortest, shortest) != shortest;
        let moved = moved || reach.samples == STEADY;
        let first = data && distance.heard.is_none();
        if data {
            distance.heard = Some((answered.at, asked.frame));
        }
        let took = Took {
            ns: u64::try_from(ns).unwrap_or(0),
            bytes,
        };
        let line = &mut distance.line;
        let denser = took.ns < line.longer.ns || bytes > line.longer.bytes || again;
        if moved || first || denser {
            self.news += u64::from(line.measured(took, ns == shortest) || moved || first);
        }
    }

    #[cold]
    fn look_up(&self, end: &Endpoint, at: &mut Option<TablePlace>) -> &Distance {
        *at = self.stations.whereabouts(&end.station());
        let known = at.and_then(|place| self.stations.peek(place));
        known.map_or(&Distance::UNKNOWN, |known| &known.distance)
    }

    /// No longer than this can the way of a message of these bytes to a station and back be: it acknowledged data with
    /// the next that it sent.
    fn bounded(&mut self, station: Endpoint, (bytes, ns): (u64, i64), now: Timestamp) {
        let known = self.station(station, now);
        let ns = u64::try_from(ns).unwrap_or(0);
        if known.distance.line.ceiling.took(bytes, ns) {
            self.version += 1;
            self.news += 1;
        }
    }

    fn station(&mut self, station: Endpoint, now: Timestamp) -> &mut Station {
        let known = &self.found[station.identity().address() as usize % FOUND];
        if let Some(place) = known.get()
            && self.stations.is_at(place, &station)
        {
            return self.stations.at(place);
        }
        let new = || Station {
            window: now,
            ..Station::default()
        };
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

/// One more answer of a station took so long. Whether none was as short before.
#[inline]
fn took(
    row: &mut Option<RoundTrip>,
    station: Endpoint,
    ns: i64,
    (asked, answered): (Mark, Mark),
) -> bool {
    let row = row.get_or_insert(RoundTrip {
        station,
        shortest_ns: i64::MAX,
        ..RoundTrip::default()
    });
    row.samples = row.samples.saturating_add(1);
    let shorter = ns < row.shortest_ns;
    if shorter {
        row.shortest_ns = ns;
        (row.asked, row.answered) = (asked.frame, answered.frame);
    }
    shorter
}

impl Evidence for RoundTrips {
    #[inline]
    fn of(&self, end: &Endpoint, at: &mut Option<TablePlace>) -> &Distance {
        if let Some(known) = at.and_then(|place| self.stations.peek(place)) {
            return &known.distance;
        }
        self.look_up(end, at)
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

    fn version(&self) -> u64 {
        self.version
    }

    fn news(&self) -> u64 {
        self.news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{
        Address, Facts, Frame, LinkType, Numbered, Session, Stream, Timestamp, Walk,
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
                before: None,
                mark: Mark { frame: n, at },
                frame: &frame,
                walk: &walk,
                carrier: "",
                path: &crate::path::Path::default(),
                carrier_span: None,
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
        let mut at = None;
        let distance = found.of(&station(9), &mut at);
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
        let mut at = None;
        let reach = found.of(&station(9), &mut at).reach;
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
        assert_eq!(found.of(&station(9), &mut None).reach.shortest, 500);
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
        let mut cross = |from, to, part, ns| {
            found.crossed(&Crossing { from, to, part, ns });
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
        assert_eq!(found.between(&server, &station(2)), None, "another");
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
