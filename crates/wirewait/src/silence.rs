//! Whether nothing was sent for a while, or the clock of the capture was set forward.
//!
//! Stamps of frames are the same in both cases. The frames behind a silence tell, where they are of TCP connections
//! with time stamps (RFC 7323): the stations' own clocks. Data of one station has what it had last of the other's
//! clock, from before the silence; what acknowledges that data, and echoes its time stamp, was sent behind the silence and
//! has the other's clock of then. So much of the silence took place.
//!
//! Frames behind a silence are held back until that is known: those who follow them learn it before the first.

use crate::Analyzer;
use wirewait_analysis::Resumed;
use wirewait_dissectors::registry;
use wirewait_wire::{Depth, Endpoint, Frame, LinkType, Order, Registry, Timestamp, Walk};

/// A shorter silence is not looked at, ns.
const SILENT_NS: i64 = 250_000_000;
/// Frames that are held back at most, and their bytes.
const HELD_FRAMES: usize = 256;
const HELD_BYTES: usize = 1 << 20;
/// Frames without time stamps that are held back before the first with them.
const WITHOUT: usize = 4;
/// Connections that are looked at behind one silence.
const CONNECTIONS: usize = 16;

/// Of a station's clock nothing is known but that it counts between a thousand times and twice a second (RFC 7323,
/// 5.4 allows one second; 500 ms were the slowest that were built), ns.
const SHORTEST_TICK_NS: i64 = 1_000_000;
const LONGEST_TICK_NS: i64 = 500_000_000;
/// Its rate shows in this number of its ticks, in no less than this time, ns.
const TICKS: i64 = 16;
const TICKS_NS: i64 = 20_000_000;

/// Watches the stamps of frames.
#[derive(Default)]
pub(crate) struct Silence {
    /// What comes less than a silence later may come behind none.
    base: i64,
    /// The latest frame that was left out: its number and stamp.
    skipped: Option<(u64, Timestamp)>,
    /// The stamp of the frame before the one that is looked at.
    last: Timestamp,
    /// Made for the first silence.
    reading: Option<Box<(Registry, Walk)>>,
}

/// Frames that were held back.
#[derive(Default)]
pub(crate) struct Held {
    heads: Vec<HeldHead>,
    bytes: Vec<u8>,
    /// Silences before them of which it is not known whether they were.
    open: Vec<Evidence>,
}

/// What is known of the silence before a frame.
#[derive(Clone, Copy)]
pub(crate) enum Behind {
    /// No clock of a station tells whether it was one.
    Unknown,
    /// It was none: the clock of the capture was set, as this shows.
    Set(Resumed),
}

/// One of them without its bytes, which end here.
struct HeldHead {
    at: Timestamp,
    link: LinkType,
    interface: u32,
    wire_len: u32,
    end: usize,
    /// If it comes behind a silence that is not proved to be one.
    behind: Option<Behind>,
}

/// What stations' clocks say of a silence.
#[derive(Default)]
struct Evidence {
    /// The frame behind it.
    place: usize,
    /// How long it was by the stamps of the capture, ns.
    silent_ns: i64,
    connections: Vec<Connection>,
}

/// A connection on which something was sent behind a silence. What there is of both ends stands in their order.
struct Connection {
    ends: [Endpoint; 2],
    /// The time stamp of the first that each sent.
    first: [Option<u32>; 2],
    /// The first data of each that echoes one from before the silence.
    data: [Option<Data>; 2],
    /// The time stamp of each in what acknowledges the other's data, and when that came; and how far its clock went.
    answered: [Option<(u32, Timestamp, i64)>; 2],
}

/// Data that has what its sender had last of the other's clock.
#[derive(Clone, Copy)]
struct Data {
    seq: u32,
    ack: u32,
    end: u32,
    stamp: u32,
    echo: u32,
}

/// Ticks of a clock, and how long they took, ns.
type Rate = (i64, i64);

/// A segment with time stamps.
struct Stamped<'a> {
    from: &'a Endpoint,
    to: &'a Endpoint,
    at: Timestamp,
    seq: u32,
    length: u32,
    ack: u32,
    stamp: u32,
    echo: u32,
}

impl Silence {
    /// Whether the next frame of the source may come [behind a silence](Self::is_behind).
    #[inline]
    pub(crate) fn may_end(&self, at: Timestamp) -> bool {
        at.as_nanos().wrapping_sub(self.base).cast_unsigned() >= SILENT_NS.cast_unsigned()
    }

    /// Whether a frame that may follow a silence does. The frame before it had this number and, if it was not left
    /// out, this stamp.
    #[cold]
    #[inline(never)]
    pub(crate) fn is_behind(
        &mut self,
        at: Timestamp,
        (number, latest): (u64, Option<Timestamp>),
    ) -> bool {
        let skipped = self.skipped.filter(|(skipped, _)| *skipped == number);
        self.base = at.as_nanos();
        let Some(last) = skipped.map(|(_, at)| at).or(latest) else {
            return false;
        };
        self.last = last;
        at.since(last) >= SILENT_NS
    }

    /// The frame with this number was left out.
    #[cold]
    pub(crate) fn skipped(&mut self, number: u64, at: Timestamp) {
        self.skipped = Some((number, at));
    }

    /// Takes a frame behind a silence. Whether the next one may be needed.
    #[cold]
    #[inline(never)]
    pub(crate) fn look(&mut self, frame: &Frame<'_>, held: &mut Held) -> bool {
        let silent_ns = frame.at.since(std::mem::replace(&mut self.last, frame.at));
        self.base = frame.at.as_nanos();
        if silent_ns < 0 {
            // Stamps are out of order.
            held.open.clear();
        } else if silent_ns >= SILENT_NS {
            held.open.push(Evidence {
                place: held.heads.len(),
                silent_ns,
                connections: Vec::new(),
            });
        }
        held.push(frame, silent_ns >= SILENT_NS);
        let reading = self
            .reading
            .get_or_insert_with(|| Box::new((registry(), Walk::default())));
        let (registry, walk) = &mut **reading;
        registry.walk(frame, Depth::Handover, walk);
        if let Some(segment) = Stamped::of(frame, walk) {
            held.segment(&segment);
        }
        // Of frames that no station's clock is in only a few are worth waiting for.
        let worth = held
            .open
            .iter()
            .any(|silence| !silence.connections.is_empty())
            || held.heads.len() < WITHOUT && walk.spans().len() > 1;
        !held.open.is_empty() && !held.is_full() && worth
    }
}

impl Held {
    fn push(&mut self, frame: &Frame<'_>, behind: bool) {
        self.bytes.extend_from_slice(frame.bytes);
        self.heads.push(HeldHead {
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            end: self.bytes.len(),
            behind: behind.then_some(Behind::Unknown),
        });
    }

    fn is_full(&self) -> bool {
        self.heads.len() >= HELD_FRAMES || self.bytes.len() >= HELD_BYTES
    }

    fn segment(&mut self, segment: &Stamped<'_>) {
        let heads = &mut self.heads;
        self.open
            .retain_mut(|silence| match silence.segment(segment) {
                None => true,
                Some(resumed) => {
                    if let Some(head) = heads.get_mut(silence.place) {
                        head.behind = resumed.map(Behind::Set);
                    }
                    false
                }
            });
    }

    /// That at this place, and what is known of a silence before it.
    pub(crate) fn at(&self, place: usize) -> Option<(Frame<'_>, Option<Behind>)> {
        let head = self.heads.get(place)?;
        let before = place
            .checked_sub(1)
            .and_then(|before| self.heads.get(before));
        let start = before.map_or(0, |before| before.end);
        let bytes = self.bytes.get(start..head.end).unwrap_or_default();
        let frame = Frame {
            at: head.at,
            link: head.link,
            interface: head.interface,
            wire_len: head.wire_len,
            bytes,
        };
        Some((frame, head.behind))
    }
}

impl Behind {
    /// Says so to the analysis, before a frame of this time.
    #[cold]
    pub(crate) fn tell(&self, at: Timestamp, analyzer: &mut Analyzer) {
        match self {
            Self::Unknown => analyzer.behind_silence(at),
            Self::Set(resumed) => analyzer.clock_was_set(resumed),
        }
    }
}

impl<'a> Stamped<'a> {
    fn of(frame: &Frame<'_>, walk: &'a Walk) -> Option<Self> {
        let Order::Stream(stream) = &walk.facts.order else {
            return None;
        };
        let span = walk.carriers().last()?;
        Some(Self {
            from: &walk.facts.from,
            to: &walk.facts.to,
            at: frame.at,
            seq: stream.seq,
            length: span.end.checked_sub(span.payload)?,
            ack: stream.ack?,
            stamp: stream.stamps.stamp()?.get(),
            echo: stream.stamps.echo()?.get(),
        })
    }
}

/// Whether `one` is as late as `other`, or later, where numbers begin again.
const fn reaches(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() >= 0
}

impl Evidence {
    /// Whether the clock of the capture was set, if this segment tells, and what shows that.
    fn segment(&mut self, segment: &Stamped<'_>) -> Option<Option<Resumed>> {
        let side_of = |one: &Connection| one.side_of(segment);
        let known = self
            .connections
            .iter()
            .position(|one| side_of(one).is_some());
        let place = match known {
            Some(place) => place,
            None if self.connections.len() < CONNECTIONS => {
                self.connections.push(Connection {
                    ends: [*segment.from, *segment.to],
                    first: [None; 2],
                    data: [None; 2],
                    answered: [None; 2],
                });
                self.connections.len() - 1
            }
            None => return None,
        };
        let connection = &mut self.connections[place];
        let side = connection.side_of(segment)?;
        let answer = connection.answer(side, segment);
        connection.sends(side, segment);
        let (data, ticks, rate) = answer?;
        let set = is_set(self.silent_ns, ticks, rate)?;
        Some(set.then_some(Resumed {
            from: *segment.to,
            to: *segment.from,
            seq: data.seq,
            ack: data.ack,
        }))
    }
}

impl Connection {
    /// Which of its ends sent this.
    fn side_of(&self, segment: &Stamped<'_>) -> Option<usize> {
        let sent =
            |side: usize| self.ends[side] == *segment.from && self.ends[1 - side] == *segment.to;
        [0, 1].into_iter().find(|side| sent(*side))
    }

    fn sends(&mut self, side: usize, segment: &Stamped<'_>) {
        self.first[side].get_or_insert(segment.stamp);
        let now = self.first[1 - side];
        let before = now.is_none_or(|now| !reaches(segment.echo, now));
        if segment.length > 0 && before {
            self.data[side].get_or_insert(Data {
                seq: segment.seq,
                ack: segment.ack,
                end: segment.seq.wrapping_add(segment.length),
                stamp: segment.stamp,
                echo: segment.echo,
            });
        }
    }

    /// How far the clock of this side went over the silence, and how many ticks took how long since, ns; by an
    /// answer to this data.
    fn answer(&mut self, side: usize, segment: &Stamped<'_>) -> Option<(Data, i64, Option<Rate>)> {
        let data = self.data[1 - side]?;
        if let Some((stamp, at, ticks)) = self.answered[side] {
            let since = segment.stamp.wrapping_sub(stamp).cast_signed();
            return Some((data, ticks, Some((since.into(), segment.at.since(at)))));
        }
        if !reaches(segment.ack, data.end) || !reaches(segment.echo, data.stamp) {
            return None;
        }
        let ticks = i64::from(segment.stamp.wrapping_sub(data.echo).cast_signed());
        if ticks < 0 {
            return None;
        }
        self.answered[side] = Some((segment.stamp, segment.at, ticks));
        Some((data, ticks, None))
    }
}

/// Whether a silence by the stamps of the capture was none to a clock that counted these ticks meanwhile: they are no more
/// than half of it.
fn is_set(silent_ns: i64, ticks: i64, rate: Option<Rate>) -> Option<bool> {
    let half = silent_ns / 2;
    if ticks.saturating_mul(SHORTEST_TICK_NS) >= half {
        return Some(false);
    }
    if (ticks + 2).saturating_mul(LONGEST_TICK_NS) <= half {
        return Some(true);
    }
    let (counted, took) = rate.filter(|(counted, took)| *counted >= TICKS && *took >= TICKS_NS)?;
    // The first and the last of them were not whole.
    let tick = took / (counted - 1);
    Some((ticks + 1).saturating_mul(tick) <= half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// RFC 7323: a clock counts once a ms to once a second; most count a thousand times a second, some a hundred.
    #[test]
    fn a_clock_that_counted_half_of_it_proves_a_silence() {
        let hour = 3_600_000 * MS;
        assert_eq!(is_set(hour, 5, None), Some(true));
        assert_eq!(
            is_set(hour, 3_598, None),
            Some(true),
            "two a second: half of it"
        );
        assert_eq!(is_set(hour, 3_599, None), None);
        assert_eq!(is_set(hour, 1_800_000, None), Some(false));
        assert_eq!(is_set(500 * MS, 3, None), None);
        assert_eq!(is_set(500 * MS, 3, Some((15, 40 * MS))), None, "too few");
        assert_eq!(is_set(500 * MS, 3, Some((16, 15 * MS))), None, "too short");
        // Sixteen ticks in 150 ms are of 10 ms: four of them took up to 50 ms.
        assert_eq!(is_set(500 * MS, 3, Some((16, 150 * MS))), Some(true));
        assert_eq!(is_set(500 * MS, 24, Some((16, 150 * MS))), Some(true));
        assert_eq!(is_set(500 * MS, 25, Some((16, 150 * MS))), Some(false));
    }

    /// A segment of station 1 or 2: when, its numbers, and the clocks of both.
    fn segment(
        evidence: &mut Evidence,
        from: u8,
        ms: i64,
        [seq, length, ack]: [u32; 3],
        [stamp, echo]: [u32; 2],
    ) -> Option<bool> {
        let end = |n: u8| Endpoint {
            address: wirewait_wire::Address::V4([10, 0, 0, n]),
            ..Endpoint::default()
        };
        let (from, to) = (end(from), end(3 - from));
        let shown = evidence.segment(&Stamped {
            from: &from,
            to: &to,
            at: Timestamp::from_nanos(ms * MS),
            seq,
            length,
            ack,
            stamp,
            echo,
        });
        shown.map(|resumed| resumed.is_some())
    }

    fn hour() -> Evidence {
        Evidence {
            silent_ns: 3_600_000 * MS,
            ..Evidence::default()
        }
    }

    #[test]
    fn what_answers_data_has_the_others_clock() {
        // A request that had 700 of the server's clock, and an answer at 705.
        let mut set = hour();
        assert_eq!(segment(&mut set, 1, 0, [100, 50, 900], [40, 700]), None);
        assert_eq!(
            segment(&mut set, 2, 1, [900, 0, 150], [705, 40]),
            Some(true)
        );
        let mut silent = hour();
        assert_eq!(segment(&mut silent, 1, 0, [100, 50, 900], [40, 700]), None);
        let late = [3_600_705, 40];
        assert_eq!(segment(&mut silent, 2, 1, [900, 0, 150], late), Some(false));
        // An acknowledgement is first; the data behind it echoes what was before that.
        let mut acknowledged = hour();
        let to = &mut acknowledged;
        assert_eq!(segment(to, 1, 0, [100, 0, 900], [40, 700]), None);
        assert_eq!(segment(to, 2, 1, [900, 50, 100], [705, 34]), None);
        assert_eq!(segment(to, 1, 2, [100, 0, 950], [41, 705]), Some(true));
        // Its clock begins again.
        let mut wraps = hour();
        let before = u32::MAX - 2;
        assert_eq!(
            segment(&mut wraps, 1, 0, [100, 50, 900], [40, before]),
            None
        );
        assert_eq!(
            segment(&mut wraps, 2, 1, [900, 0, 150], [2, 40]),
            Some(true)
        );
    }

    /// Frames that were held up for an hour between the stations and the capture have old time stamps.
    #[test]
    fn what_was_sent_before_the_silence_is_no_evidence() {
        let mut late = hour();
        assert_eq!(segment(&mut late, 1, 0, [100, 50, 900], [40, 700]), None);
        assert_eq!(
            segment(&mut late, 2, 1, [900, 0, 100], [701, 30]),
            None,
            "acknowledges less"
        );
        assert_eq!(
            segment(&mut late, 2, 2, [900, 0, 150], [701, 39]),
            None,
            "echoes less"
        );
        let now = [3_600_701, 40];
        assert_eq!(segment(&mut late, 2, 3, [900, 0, 150], now), Some(false));
        // Data behind an answer has a clock of behind the silence.
        let mut behind = hour();
        assert_eq!(segment(&mut behind, 1, 0, [100, 0, 900], [40, 700]), None);
        assert_eq!(
            segment(&mut behind, 2, 1, [900, 9, 100], [3_600_701, 40]),
            None
        );
        assert_eq!(
            segment(&mut behind, 1, 2, [100, 50, 909], [42, 3_600_701]),
            None
        );
        assert_eq!(
            segment(&mut behind, 2, 3, [909, 0, 150], [3_600_703, 42]),
            None
        );
    }
}
