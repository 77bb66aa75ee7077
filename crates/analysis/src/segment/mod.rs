//! How much of a segment was used: perf definitions, section 7.

mod load;
mod peaks;
mod sizes;
mod spacing;
mod ways;

pub use sizes::parts_on_wire;
pub(crate) use sizes::{LONGEST, SegmentSizes};

pub use load::{
    Busiest, Course, Directions, Duplex, Flow, KnownBy, Peak, SIZES, Segment, SegmentRow, Spacing,
    Volume, WireBytes,
};

use crate::Settings;
use crate::bounds::{Bound, Hits};
use crate::timeline::Timeline;
use spacing::{byte_time, wire_time_ns};
use std::cmp::Ordering;
use ways::{Ends, SegmentWay};
use wirewait_wire::{Cast, Endpoint, Frame, LinkType, Medium, Order, Registry, Timestamp, Walk};

/// Interfaces that are counted apart; frames of further ones count with the last.
const INTERFACES: usize = 256;
/// One second, ns.
const SECOND_NS: u128 = 1_000_000_000;
/// Utilisation is counted in this part of one.
const MILLIONTHS: u128 = 1_000_000;

/// Gathers what is in a [`Segment`].
pub(crate) struct Segments {
    interfaces: Vec<Interface>,
    /// Peaks of all interfaces together; all else of them is a sum.
    together: SegmentWay,
    given_speed: Option<u64>,
    given_duplex: Option<Duplex>,
    /// How much data segments of TCP have at most.
    sizes: SegmentSizes,
    pub(crate) hits: Hits,
}

/// One interface on its way.
#[derive(Clone)]
struct Interface {
    /// What is not kept elsewhere.
    row: SegmentRow,
    medium: Option<Medium>,
    /// Frames of that medium, and their bytes without what they cost beside.
    framed: Volume,
    /// Bits per second, and how long a byte takes at that.
    speed: Option<(u64, KnownBy)>,
    byte_time: Option<u64>,
    all: SegmentWay,
    ends: Ends,
    course: Timeline<Volume>,
    /// Bytes on the wire of the latest frame, and of the longest.
    last_bytes: u64,
    longest: u64,
}

impl Segments {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            interfaces: Vec::new(),
            together: SegmentWay::default(),
            given_speed: settings.link_speed,
            given_duplex: settings.duplex,
            sizes: SegmentSizes::new(settings.conversations),
            hits: Hits::NONE,
        }
    }

    /// The capture says how fast the link of this interface is.
    pub(crate) fn speed(&mut self, interface: u32, bits_per_second: u64) {
        // The last one stands for all further ones.
        let apart = (interface as usize) < INTERFACES - 1;
        if self.given_speed.is_none() && apart {
            self.at(interface)
                .set_speed(bits_per_second, KnownBy::Capture);
        }
    }

    /// A frame was captured. `copy` says that it was captured before on this interface. Gives
    /// its bytes on the wire (C), and whether it is known what frames cost there beside their
    /// captured bytes.
    // Part of both ways of a frame, and what follows likewise.
    #[inline(always)]
    pub(crate) fn frame(
        &mut self,
        frame: &Frame<'_>,
        walk: &Walk,
        copy: bool,
        registry: &Registry,
    ) -> (u64, bool) {
        if let Order::Stream(segment) = &walk.facts.order
            && segment.syn
        {
            self.sizes.opens(frame, walk, registry);
        }
        let parts = match frame.wire_len > LONGEST {
            true => self.sizes.parts(frame, walk, registry),
            false => None,
        };
        let captured = u64::from(frame.wire_len);
        let interface = self.at(frame.interface);
        interface.row.captured.count(captured);
        if interface.row.link != Some(frame.link) {
            interface.link(frame.link, registry);
        }
        if copy {
            interface.row.copies.count(captured);
            return match interface.medium {
                Some(medium) => (medium.on_wire(frame.wire_len), true),
                None => (frame.wire_len.into(), false),
            };
        }
        let bytes = interface.count(frame, walk);
        if let Some(parts) = parts {
            interface.row.put_together(frame.wire_len, parts);
        }
        let known = interface.medium.is_some();
        // A clock that is only needed where there is more than one interface is not looked at
        // elsewhere.
        if self.interfaces.len() > 1 {
            let _ = self.together.add(frame.at, bytes, None);
        }
        (bytes, known)
    }

    /// Bytes of all frames, copies included, as they were captured.
    pub(crate) fn captured_bytes(&self) -> u64 {
        let interfaces = self.interfaces.iter();
        let bytes = interfaces.map(|interface| interface.row.captured.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// How things stand.
    pub(crate) fn found(&self) -> Segment {
        let interfaces: Vec<SegmentRow> = self
            .interfaces
            .iter()
            .map(|interface| interface.found(self.given_duplex))
            .collect();
        Segment {
            together: self.sum(&interfaces),
            interfaces,
        }
    }

    #[inline]
    fn at(&mut self, number: u32) -> &mut Interface {
        let mut number = number as usize;
        if number >= self.interfaces.len() {
            number = self.room_for(number);
        }
        &mut self.interfaces[number]
    }

    /// Makes room for an interface, and tells where it counts.
    #[cold]
    fn room_for(&mut self, number: usize) -> usize {
        let apart = number.min(INTERFACES - 1);
        if apart < number {
            self.hits.hit(Bound::Interfaces);
        }
        if apart >= self.interfaces.len() {
            let mut new = Interface::new();
            if let Some(speed) = self.given_speed {
                new.set_speed(speed, KnownBy::Given);
            }
            // What went before was all on one interface.
            if let [only] = self.interfaces.as_slice() {
                self.together = only.all;
            }
            self.interfaces.resize(apart + 1, new);
        }
        apart
    }

    /// All interfaces together. Against which speed that counts nobody can say.
    fn sum(&self, rows: &[SegmentRow]) -> SegmentRow {
        if let [only] = rows {
            return only.clone();
        }
        let mut sum = SegmentRow::default();
        let mut course = Timeline::new();
        for (row, interface) in rows.iter().zip(&self.interfaces) {
            sum.absorb(row);
            course.absorb(&interface.course());
        }
        sum.all.peaks = self.together.peaks();
        sum.course = shown(&course);
        sum
    }
}

impl Interface {
    fn new() -> Self {
        Self {
            row: SegmentRow::default(),
            medium: None,
            framed: Volume::default(),
            speed: None,
            byte_time: None,
            all: SegmentWay::default(),
            ends: Ends::default(),
            course: Timeline::new(),
            last_bytes: 0,
            longest: 0,
        }
    }

    fn set_speed(&mut self, bits_per_second: u64, by: KnownBy) {
        self.speed = Some((bits_per_second, by)).filter(|(speed, _)| *speed > 0);
        self.byte_time = byte_time(bits_per_second);
    }

    fn link(&mut self, link: LinkType, registry: &Registry) {
        self.row.bytes = self.bytes();
        self.framed = Volume::default();
        self.row.link = Some(link);
        self.medium = registry.medium(link);
    }

    /// Bytes in the four variants.
    fn bytes(&self) -> WireBytes {
        let mut sum = self.row.bytes;
        sum += WireBytes::of(self.framed, self.medium);
        sum
    }

    /// All over time, with the moment that is not over yet.
    fn course(&self) -> Timeline<Volume> {
        let mut course = self.course.clone();
        let moment = self.all.moment();
        if moment.volume.frames > 0 {
            course.add(moment.begins, moment.volume);
        }
        course
    }

    /// Counts a frame; gives its bytes on the wire.
    #[inline(always)]
    fn count(&mut self, frame: &Frame<'_>, walk: &Walk) -> u64 {
        let row = &mut self.row;
        let latest = row.last.is_none_or(|last| frame.at >= last);
        // What is not before the latest is not before the first.
        if !latest || row.first.is_none() {
            row.first = Some(row.first.map_or(frame.at, |first| first.min(frame.at)));
        }
        let length = frame.wire_len;
        let (bare, size, bytes) = match &self.medium {
            Some(medium) => {
                let bare = medium.frame(length);
                (bare, bare + u64::from(medium.check), medium.on_wire(length))
            }
            None => {
                row.bare += 1;
                let length = u64::from(length);
                (length, length, length)
            }
        };
        self.framed.count(bare);
        let class = SIZES.iter().position(|longest| size <= *longest);
        row.sizes[class.unwrap_or(SIZES.len())] += 1;
        let cast = walk.facts.cast;
        match cast {
            Cast::Unicast => {}
            Cast::Multicast => row.multicast.count(bytes),
            Cast::Broadcast => row.broadcast.count(bytes),
        }
        if latest {
            row.last = Some(frame.at);
            self.last_bytes = bytes;
        }
        self.longest = self.longest.max(bytes);
        let over = self.all.add(frame.at, bytes, self.byte_time);
        if let Some(moment) = over.filter(|moment| moment.volume.frames > 0) {
            self.course.add(moment.begins, moment.volume);
        }
        self.ends
            .add(&walk.neighbours, cast, frame.at, bytes, self.byte_time);
        bytes
    }

    fn found(&self, given: Option<Duplex>) -> SegmentRow {
        let mut row = self.row.clone();
        row.bytes = self.bytes();
        // Without framing there is no time that a frame takes.
        row.speed = self.speed.filter(|_| row.bare == 0);
        let end = self.ends.found();
        row.duplex = (row.frames_counted() > 0).then(|| self.duplex(given));
        let full = matches!(row.duplex, Some((Duplex::Full, _)));
        let elapsed_ns = self.elapsed_ns(&row);
        let flow = |way: &SegmentWay, judged: bool| {
            let speed = row.speed.map(|(speed, _)| speed).filter(|_| judged);
            flow(way, speed, elapsed_ns)
        };
        row.all = flow(&self.all, !full);
        row.directions = end.map(|end| Directions {
            station: Endpoint {
                address: end.station,
                ..Endpoint::default()
            },
            from: flow(&end.from, true),
            to: flow(&end.to, true),
            before: self.ends.before,
        });
        row.speed_at_least = self.at_least(&row);
        row.spacing = match (row.speed, full, end) {
            (None, ..) | (_, true, None) => None,
            (_, false, _) => Some(self.all.spaced.found),
            (_, true, Some(end)) => {
                let (from, to) = (end.from.spaced.found, end.to.spaced.found);
                Some(Spacing {
                    pairs: from.pairs + to.pairs,
                    too_close: from.too_close + to.too_close,
                })
            }
        };
        row.course = shown(&self.course());
        row
    }

    /// Given; or shown by frames of the two directions that overlap, while those of each do
    /// not; or a matter of course at that speed. Otherwise all are taken to share one way: each
    /// direction then has at most what is shown.
    fn duplex(&self, given: Option<Duplex>) -> (Duplex, KnownBy) {
        if let Some(duplex) = given {
            return (duplex, KnownBy::Given);
        }
        let overlap = self.ends.found().is_some_and(|end| {
            let of_each = end.from.spaced.found.too_close + end.to.spaced.found.too_close;
            of_each == 0 && self.all.spaced.found.too_close > 0
        });
        if overlap {
            return (Duplex::Full, KnownBy::Capture);
        }
        let fast = self
            .speed
            .zip(self.medium.and_then(|medium| medium.duplex_from))
            .is_some_and(|((speed, _), from)| speed >= from);
        match fast {
            true => (Duplex::Full, KnownBy::Assumed),
            false => (Duplex::Half, KnownBy::Assumed),
        }
    }

    /// From the first stamp to the last, and the duration of the last frame.
    fn elapsed_ns(&self, row: &SegmentRow) -> Option<i64> {
        let last = self
            .byte_time
            .map(|time| wire_time_ns(self.last_bytes, time));
        Some(row.elapsed_ns()?.saturating_add(last.unwrap_or(0)))
    }

    /// A frame is counted in the bucket that it ends in, so all but one of a bucket's were sent
    /// in it.
    fn at_least(&self, row: &SegmentRow) -> Option<u64> {
        let busiest = |flow: &Flow| {
            let peak = flow.peaks[0];
            let bytes = peak.bytes.saturating_sub(self.longest);
            let bits = u128::from(bytes) * 8 * SECOND_NS;
            bits.checked_div(u128::from(peak.width_ns.unsigned_abs()))
        };
        let bits = match (row.duplex?.0, &row.directions, row.duplex?.1) {
            (Duplex::Half, _, KnownBy::Given) => busiest(&row.all),
            (_, Some(ways), _) => busiest(&ways.from).max(busiest(&ways.to)),
            // One of the two had at least half of it.
            (_, None, _) => busiest(&row.all).map(|bits| bits / 2),
        };
        bits.filter(|bits| *bits > 0 && row.bare == 0)
            .and_then(|bits| u64::try_from(bits).ok())
    }
}

impl WireBytes {
    /// Bytes of frames on this medium, from their bytes without check sequence; if the medium is
    /// not known, all variants are the same.
    fn of(frames: Volume, medium: Option<Medium>) -> Self {
        let with = |beside: u32| {
            let beside = frames.frames.saturating_mul(beside.into());
            frames.bytes.saturating_add(beside)
        };
        let (check, preamble, gap) = medium.map_or((0, 0, 0), |m| (m.check, m.preamble, m.gap));
        Self {
            data_link: with(check),
            with_preamble: with(check + preamble),
            on_wire: with(check + preamble + gap),
            without_check: frames.bytes,
        }
    }
}

impl SegmentRow {
    const fn frames_counted(&self) -> u64 {
        self.captured.frames - self.copies.frames
    }

    /// Counts a frame that is longer than any on the wire: its data was cut so that each part fits
    /// behind headers like its own.
    #[cold]
    fn put_together(&mut self, length: u32, (header, most): (u32, u32)) {
        let data = length.saturating_sub(header);
        self.oversize += 1;
        self.oversize_on_wire += u64::from(data.div_ceil(most)).max(1);
    }

    /// Adds what can be added.
    fn absorb(&mut self, other: &Self) {
        self.captured += other.captured;
        self.copies += other.copies;
        self.bare += other.bare;
        self.oversize += other.oversize;
        self.oversize_on_wire += other.oversize_on_wire;
        self.bytes += other.bytes;
        self.multicast += other.multicast;
        self.broadcast += other.broadcast;
        self.all.total += other.all.total;
        for (sum, n) in self.sizes.iter_mut().zip(other.sizes) {
            *sum += n;
        }
        let outer = |a: Option<Timestamp>, b: Option<Timestamp>, wanted: Ordering| match (a, b) {
            (Some(a), Some(b)) if b.cmp(&a) == wanted => Some(b),
            (a, b) => a.or(b),
        };
        self.first = outer(self.first, other.first, Ordering::Less);
        self.last = outer(self.last, other.last, Ordering::Greater);
    }
}

fn flow(way: &SegmentWay, speed: Option<u64>, elapsed_ns: Option<i64>) -> Flow {
    let (total, peaks) = (way.total(), way.peaks());
    Flow {
        total,
        peaks,
        utilisation: utilisation(total.bytes, speed, elapsed_ns),
        peak_utilisation: peaks.map(|peak| utilisation(peak.bytes, speed, Some(peak.width_ns))),
    }
}

/// 8 B / (R T), in millionths, rounded half up.
fn utilisation(bytes: u64, speed: Option<u64>, ns: Option<i64>) -> Option<u64> {
    let ns = ns.filter(|ns| *ns > 0)?;
    let capacity = u128::from(speed?).checked_mul(u128::from(ns.unsigned_abs()))?;
    let used = (u128::from(bytes) * 8).checked_mul(SECOND_NS * MILLIONTHS)?;
    let millionths = used.checked_add(capacity / 2)?.checked_div(capacity)?;
    u64::try_from(millionths).ok()
}

fn shown(course: &Timeline<Volume>) -> Course {
    Course {
        begins: course.begins(),
        width_ns: course.width_ns(),
        buckets: course.values().copied().collect(),
    }
}

#[cfg(test)]
mod tests;
