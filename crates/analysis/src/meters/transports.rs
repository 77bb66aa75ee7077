//! What passed the stations' transports.

mod rows;
mod way;

use super::{Readings, known_row, row, sorted};
use crate::Transaction;
use crate::bounds::{Bound, Hits};
use crate::case::Case;
use crate::column::Column;
use crate::notice::{Notice, Noticed};
use crate::parties::Directory;
use crate::path::{Path, PathTold};
use crate::table::Known;
use crate::table::{Table, TablePlace};
use crate::world::Seen;
pub use rows::{PairMeter, SegmentMeter, StationMeter, TransportMeter};
use std::collections::BTreeMap;
use way::{Carried, OpenLoad, Way, carried};
use wirewait_wire::word::Name;
use wirewait_wire::{Cast, Endpoint, Order};

/// An acknowledgement alone that comes so long after the data had waited for data to ride on,
/// ns: the shortest delays that links and streams are set to are 40 ms.
pub const LATE_ACK_NS: i64 = 40_000_000;

/// The shortest frame of Ethernet without its check sequence: what is captured before it was
/// padded counts as padded.
const SHORTEST: u32 = 60;

/// Kinds of ports of which it is remembered who uses them.
const PORTS: usize = 64;

/// Station and carrier. While a frame does not show a carrier, its port stands in: other
/// frames with that port may show it.
type TransportKey = (Endpoint, Name);

pub(super) struct Transports {
    rows: Table<TransportKey, TransportMeter>,
    stations: Table<Endpoint, StationMeter>,
    /// What frames to one station brought, by sender, receiver and carrier. Each frame counts
    /// here once, and for the rows of both ends when they are read.
    ways: Table<(Endpoint, Endpoint, Name), Way>,
    /// There is no more room for rows. Which of them has to go depends on who was seen last,
    /// so that frames count for the rows at once.
    crowded: bool,
    /// Of each client and server on each carrier: bytes of messages up, and down.
    ties: Column<[u64; 2]>,
    segments: Vec<SegmentMeter>,
    /// What the frame at hand carried: if it turns out to be a copy, it was counted before.
    latest: Option<Latest>,
    /// What the ports of links carry.
    ports: Vec<(u16, Name)>,
    pub(super) hits: Hits,
}

/// A frame whose message was counted.
struct Latest {
    frame: u64,
    counted: CountedFrames,
    carried: Carried,
}

/// Where a frame counts.
#[derive(Clone, Copy)]
enum CountedFrames {
    Way(TablePlace),
    Rows {
        out: Option<TablePlace>,
        /// Where somebody received it.
        into: Option<TablePlace>,
    },
}

/// Interfaces counted apart, as elsewhere.
const INTERFACES: usize = 256;

impl Transports {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            rows: Table::new(rows),
            stations: Table::new(rows),
            ways: Table::new(rows.saturating_mul(2)),
            crowded: false,
            ties: Column::new(),
            segments: Vec::new(),
            latest: None,
            ports: Vec::new(),
            hits: Hits::NONE,
        }
    }

    pub(super) fn seen(&mut self, seen: &Seen<'_>, evicted: &mut u64) {
        let facts = &seen.walk.facts;
        let bytes = u64::from(seen.frame.wire_len.max(SHORTEST));
        self.count_segment(seen.frame.interface, facts.cast, bytes);
        if facts.from == Endpoint::default() {
            return;
        }
        if !seen.path.metered().learned.get() {
            self.learn(seen);
        }
        let carried = carried(seen);
        let counted = match facts.cast {
            Cast::Unicast => self.way(seen, evicted),
            _ => None,
        };
        let counted = match counted {
            Some(place) => {
                self.ways.at(place).count(bytes, carried);
                CountedFrames::Way(place)
            }
            None => self.count_rows(seen, bytes, carried, evicted),
        };
        self.latest = Some(Latest {
            frame: seen.mark.frame,
            counted,
            carried,
        });
    }

    /// A message of a pair of stations is complete.
    pub(super) fn message(&mut self, case: Case<'_>, bytes: u64, asks: bool) {
        let sum = &mut self.ties.of(case.parties.tie)[usize::from(!asks)];
        *sum = sum.saturating_add(bytes);
    }

    /// Nobody has the name that a station called.
    pub(super) fn not_found(&mut self, t: &Transaction, evicted: &mut u64) {
        row(&mut self.rows, &key(t.client, t.carrier), evicted).not_found += 1;
    }

    pub(super) fn noticed(&mut self, notice: &Notice, path: &Path, evicted: &mut u64) {
        // What a link does before it carries anything is no transport's.
        if notice.carrier.is_empty() {
            return;
        }
        let bytes = notice.bytes;
        let [mine, yours] = [0, 1];
        let ends = [notice.from, notice.to].map(|end| key(end, notice.carrier));
        let elsewhere = PathTold::default();
        let told = match path.is(&notice.from, &notice.to) {
            true => &path.metered().told,
            false => &elsewhere,
        };
        let known = told.on(notice.carrier);
        let mut meter = |end: usize, count: &mut dyn FnMut(&mut TransportMeter)| {
            count(known_row(
                &mut self.rows,
                &known[end],
                || ends[end],
                evicted,
            ));
        };
        match notice.what {
            Noticed::Resent { after_ns } => {
                meter(mine, &mut |m| {
                    m.resent += 1;
                    m.resent_bytes = m.resent_bytes.saturating_add(bytes);
                });
                let copy = self
                    .latest
                    .take_if(|latest| latest.frame == notice.mark.frame);
                if let (Some(_), Some(latest)) = (after_ns, copy) {
                    self.take_back(&latest);
                }
            }
            Noticed::Rejected => meter(mine, &mut |m| {
                m.rejected += 1;
                m.rejected_bytes = m.rejected_bytes.saturating_add(bytes);
            }),
            Noticed::Busy => meter(mine, &mut |m| m.busy += 1),
            Noticed::Ready { after_ns } => {
                meter(mine, &mut |m| {
                    m.busy_ns = m.busy_ns.saturating_add(after_ns.unsigned_abs())
                });
            }
            Noticed::Polled { waiting } => {
                meter(mine, &mut |m| m.polls_waiting += u64::from(waiting > 0));
            }
            Noticed::PollUnanswered { .. } => meter(mine, &mut |m| m.polls_unanswered += 1),
            Noticed::Acknowledged {
                bare,
                message: true,
                may_ride,
                ..
            } => meter(mine, &mut |m| {
                m.message_acks_alone += u64::from(bare);
                m.message_acks_riding += u64::from(!bare);
                m.message_acks_queued += u64::from(may_ride);
                m.message_acks_queued_alone += u64::from(may_ride && bare);
            }),
            Noticed::Acknowledged {
                bare,
                outstanding,
                after_ns,
                ..
            } => {
                meter(mine, &mut |m| {
                    m.acks_alone += u64::from(bare);
                    m.acks_riding += u64::from(!bare);
                    m.late_acks += u64::from(bare && after_ns >= LATE_ACK_NS);
                });
                meter(yours, &mut |m| {
                    m.window_most = m.window_most.max(outstanding);
                    m.window_total += outstanding;
                    m.window_times += 1;
                });
            }
            Noticed::Asked { .. }
            | Noticed::Offered(_)
            | Noticed::FilledWindow { .. }
            | Noticed::Overtaken { .. }
            | Noticed::OvertakenBehind => {}
            // The one who agrees was asked.
            Noticed::Opened { tries, .. } => {
                meter(mine, &mut |m| m.open += 1);
                meter(yours, &mut |m| {
                    m.open += 1;
                    m.opened_at_once += u64::from(tries <= 1);
                    m.opened_later += u64::from(tries > 1);
                });
            }
            Noticed::Refused { .. } => meter(yours, &mut |m| m.refused += 1),
            Noticed::NotAnswered { .. } => meter(mine, &mut |m| m.not_answered += 1),
            Noticed::Closed => {
                meter(mine, &mut |m| {
                    m.open = m.open.saturating_sub(1);
                    m.ended_here += 1;
                });
                meter(yours, &mut |m| {
                    m.open = m.open.saturating_sub(1);
                    m.ended_there += 1;
                });
            }
            Noticed::Aborted => {
                for end in [mine, yours] {
                    meter(end, &mut |m| {
                        m.open = m.open.saturating_sub(1);
                        m.aborted += 1;
                    });
                }
            }
            Noticed::Died { .. } => meter(mine, &mut |m| m.died += 1),
        }
    }

    pub(super) fn read(&self, directory: &Directory, readings: &mut Readings) {
        let (mut all, mut stations) = (self.rows.clone(), self.stations.clone());
        for (_, way) in self.ways.iter() {
            way.add_to(&mut all, &mut stations);
        }
        let mut rows = BTreeMap::<TransportKey, TransportMeter>::new();
        for ((station, carrier), meter) in sorted(&all) {
            let carrier = match station.port {
                Some(port) if carrier.is_empty() => self
                    .ports
                    .iter()
                    .find(|(known, _)| *known == port)
                    .map_or("", |(_, carrier)| *carrier),
                _ => carrier,
            };
            // What nothing carries is no transport's.
            if carrier.is_empty() {
                continue;
            }
            rows.entry((station.station(), carrier))
                .or_default()
                .add(&meter);
        }
        let rows = rows.into_iter();
        readings.transports = rows.collect();
        readings.stations = sorted(&stations);
        let mut pairs = BTreeMap::<(Endpoint, Endpoint, &'static str), PairMeter>::new();
        let ties = self.ties.iter();
        for ((client, server, carrier), [up, down]) in
            ties.filter_map(|(tie, sums)| Some((directory.tie(tie)?, *sums)))
        {
            // Each may be a client of the other.
            for (from, to, bytes_out, bytes_in) in
                [(client, server, up, down), (server, client, down, up)]
            {
                let meter = PairMeter {
                    bytes_out,
                    bytes_in,
                };
                pairs.entry((from, to, carrier)).or_default().add(&meter);
            }
        }
        readings.pairs = pairs.into_iter().collect();
        let segments = (0..).zip(&self.segments);
        readings.segments = segments.map(|(n, meter)| (n, meter.clone())).collect();
    }

    /// The message of this frame was counted with its first copy.
    fn take_back(&mut self, latest: &Latest) {
        let Carried::Message(bytes, ends) = latest.carried else {
            return;
        };
        let (out, into) = match latest.counted {
            CountedFrames::Way(place) => {
                if let Some(way) = self.ways.again(place) {
                    way.load.frames = way.load.frames.saturating_sub(u64::from(ends));
                    way.load.frame_bytes = way.load.frame_bytes.saturating_sub(bytes);
                }
                return;
            }
            CountedFrames::Rows { out, into } => (out, into),
        };
        let rows = &mut self.rows;
        if let Some(out) = out.and_then(|place| rows.again(place)) {
            out.frames_out = out.frames_out.saturating_sub(u64::from(ends));
            out.frame_bytes_out = out.frame_bytes_out.saturating_sub(bytes);
        }
        if let Some(into) = into.and_then(|place| rows.again(place)) {
            into.frames_in = into.frames_in.saturating_sub(u64::from(ends));
            into.frame_bytes_in = into.frame_bytes_in.saturating_sub(bytes);
        }
    }

    /// The way of a frame to one station, while there is room.
    fn way(&mut self, seen: &Seen<'_>, evicted: &mut u64) -> Option<TablePlace> {
        if self.crowded {
            return None;
        }
        let (facts, carrier) = (&seen.walk.facts, seen.carrier);
        let key = || (facts.from, facts.to, carrier);
        if let Some(place) = self.ways.find_known(&seen.path.metered().way, key) {
            return Some(place);
        }
        let room = self.stations.has_room_for(2) && self.rows.has_room_for(2);
        if !room || !self.ways.has_room_for(1) {
            self.crowd();
            return None;
        }
        let ends = [facts.from, facts.to];
        let way = Way {
            stations: ends.map(|end| {
                let known = Known::default();
                known_row(&mut self.stations, &known, || end.station(), evicted);
                known.get()
            }),
            transports: ends.map(|end| {
                let known = Known::default();
                known_row(&mut self.rows, &known, || self::key(end, carrier), evicted);
                known.get()
            }),
            ..Way::default()
        };
        let (place, _) = self.ways.insert(key(), way);
        seen.path.metered().way.set(Some(place));
        Some(place)
    }

    /// From now on frames count for the rows at once.
    fn crowd(&mut self) {
        self.crowded = true;
        for place in self.ways.by_age() {
            if let Some(way) = self.ways.take(place) {
                way.add_to(&mut self.rows, &mut self.stations);
            }
        }
    }

    /// A frame counts for the rows of its sender and, if it is for one station, its receiver.
    fn count_rows(
        &mut self,
        seen: &Seen<'_>,
        bytes: u64,
        carried: Carried,
        evicted: &mut u64,
    ) -> CountedFrames {
        let facts = &seen.walk.facts;
        let (from, to) = (facts.from, facts.to);
        let one = facts.cast == Cast::Unicast;
        let mut load = OpenLoad::default();
        load.count(carried);
        let data = u64::from(!matches!(carried, Carried::Nothing));
        let [mine, yours] = &seen.path.metered().stations;
        let sender = known_row(&mut self.stations, mine, || from.station(), evicted);
        sender.sent(1, bytes);
        sender.group_packets_out += u64::from(!one);
        if one {
            let receiver = known_row(&mut self.stations, yours, || to.station(), evicted);
            receiver.received(1, bytes);
        }
        let [mine, yours] = &seen.path.metered().transports;
        let out = known_row(&mut self.rows, mine, || key(from, seen.carrier), evicted);
        out.sent(1, data, &load);
        if one {
            let into = known_row(&mut self.rows, yours, || key(to, seen.carrier), evicted);
            into.received(1, data, &load);
        }
        CountedFrames::Rows {
            out: mine.get(),
            into: yours.get().filter(|_| one),
        }
    }

    fn count_segment(&mut self, interface: u32, cast: Cast, bytes: u64) {
        let number = (interface as usize).min(INTERFACES - 1);
        if number >= self.segments.len() {
            self.segments.resize(number + 1, SegmentMeter::default());
        }
        let segment = &mut self.segments[number];
        segment.frames += 1;
        segment.bytes = segment.bytes.saturating_add(bytes);
        match cast {
            Cast::Unicast => {}
            Cast::Multicast => {
                segment.multicast += 1;
                segment.multicast_bytes = segment.multicast_bytes.saturating_add(bytes);
            }
            Cast::Broadcast => {
                segment.broadcast += 1;
                segment.broadcast_bytes = segment.broadcast_bytes.saturating_add(bytes);
            }
        }
    }

    /// Remembers what the ports of a link carry. Frames that only keep it up do not say.
    fn learn(&mut self, seen: &Seen<'_>) {
        let facts = &seen.walk.facts;
        let link = matches!(facts.order, Order::Numbered(n) if n.connection.is_none());
        if !link || seen.carrier.is_empty() {
            return;
        }
        seen.path.metered().learned.set(true);
        for port in [facts.from.port, facts.to.port].into_iter().flatten() {
            if self.ports.iter().any(|(known, _)| *known == port) {
                continue;
            }
            if self.ports.len() < PORTS {
                self.ports.push((port, seen.carrier));
            } else {
                self.hits.hit(Bound::Ports);
            }
        }
    }
}

/// The row of an end: its station where the carrier is known, the end itself where it is not.
fn key(end: Endpoint, carrier: &'static str) -> TransportKey {
    match carrier {
        "" => (end, ""),
        carrier => (end.station(), carrier),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;
    use wirewait_wire::{Frame, LinkType, Numbered, NumberedKind, Timestamp, Walk};

    impl crate::meters::Meters {
        /// Links between two ports more than are remembered.
        pub(crate) fn overrun() -> Hits {
            let mut transports = Transports::new(16);
            let at = Timestamp::from_nanos(0);
            for port in (0..PORTS as u16 + 2).step_by(2) {
                let mut walk = Walk::default();
                walk.facts.from = Endpoint::mac([2, 0, 0, 0, 0, 1]).with_port(port);
                walk.facts.to = Endpoint::mac([2, 0, 0, 0, 0, 2]).with_port(port + 1);
                walk.facts.order = Order::Numbered(Numbered {
                    kind: NumberedKind::Data,
                    number: 0,
                    connection: None,
                    modulus: 128,
                    expects: None,
                    poll: false,
                    response: false,
                });
                transports.learn(&Seen {
                    mark: Mark { frame: 1, at },
                    frame: &Frame {
                        at,
                        link: LinkType(147),
                        interface: 0,
                        wire_len: 60,
                        bytes: &[],
                    },
                    walk: &walk,
                    before: &None,
                    hops: None,
                    path: &Path::default(),
                    carrier: "toy_link",
                    on_wire: 0,
                });
            }
            transports.hits
        }
    }
}
