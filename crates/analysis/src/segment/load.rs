//! What a segment carried, as every output shows it.

use crate::sums::add_each;
use std::ops::AddAssign;
use wirewait_wire::{Endpoint, LinkType, Timestamp};

/// Sizes by which frames are counted: the longest of each but the last, in bytes from the
/// destination address to the end of the check sequence, as RMON has them (RFC 2819,
/// etherStatsPkts64Octets and following). The last count is of those beyond.
pub const SIZES: [u64; 6] = [64, 127, 255, 511, 1023, 1518];

/// Frames and bytes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Frames.
    pub frames: u64,
    /// Bytes; which of their bytes is said where it stands.
    pub bytes: u64,
}

impl AddAssign for Volume {
    fn add_assign(&mut self, other: Self) {
        add_each!(self, other: frames, bytes);
    }
}

impl Volume {
    pub(crate) const fn frame(bytes: u64) -> Self {
        Self { frames: 1, bytes }
    }

    /// Adds a frame. Nobody lives to see more than 2^64.
    #[inline]
    pub(crate) fn count(&mut self, bytes: u64) {
        self.frames += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Bytes of the same frames, counted in four ways: perf definitions, section 7.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireBytes {
    /// A, "data link": with check sequence, as switches and SNMP count.
    pub data_link: u64,
    /// B: A and the preamble.
    pub with_preamble: u64,
    /// C, "on the wire": B and the gap behind each frame. With these bytes 100 % can be
    /// reached; utilisation and everything else that names no variant is in them.
    pub on_wire: u64,
    /// D: without check sequence, but padded.
    pub without_check: u64,
}

impl AddAssign for WireBytes {
    fn add_assign(&mut self, other: Self) {
        add_each!(self, other: data_link, with_preamble, on_wire, without_check);
    }
}

/// How a figure about the link is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownBy {
    /// The user said so.
    Given,
    /// The capture says so, or shows it.
    Capture,
    /// It is taken for granted, so that there is a figure; the output says it.
    Assumed,
}

impl KnownBy {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Capture => "capture",
            Self::Assumed => "assumed",
        }
    }
}

/// Whether both directions share one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplex {
    /// They do: all frames count against the speed together.
    Half,
    /// Each has its own, and is never added to the other.
    Full,
}

impl Duplex {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Full => "full",
        }
    }
}

/// The fullest bucket of one width. Buckets begin at multiples of their width since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Peak {
    /// Its width, ns.
    pub width_ns: i64,
    /// When it begins.
    pub begins: Timestamp,
    /// Frames in it.
    pub frames: u64,
    /// Their bytes on the wire (C).
    pub bytes: u64,
}

/// What went one way, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// All of it; bytes on the wire (C).
    pub total: Volume,
    /// Its fullest 10 ms, 100 ms and second.
    pub peaks: [Peak; 3],
    /// Share of the link's capacity that was used from the first frame to the end of the last,
    /// in millionths, rounded half up. `None` where the speed is not known, or no time passed.
    pub utilisation: Option<u64>,
    /// Share of the link's capacity used in each peak, in millionths; `None` without speed or peak.
    pub peak_utilisation: [Option<u64>; 3],
}

/// The two directions of a link at whose end one station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directions {
    /// The station that all frames to one station come from or go to: the only one behind this
    /// link. Of two stations that only talk with each other, the one that began.
    pub station: Endpoint,
    /// What it sent.
    pub from: Flow,
    /// What others sent, groups included.
    pub to: Flow,
    /// Frames before the first one to one station: who stands where was not known.
    pub before: Volume,
}

/// Frames that came sooner after the one before them than the link allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spacing {
    /// Frames with one before them in the same direction (in either, where all share one
    /// way). Those where the clock stepped back are not among them.
    pub pairs: u64,
    /// How many of them came too soon, by more than 1 µs: the stamps are not those of the
    /// wire (the station gathers frames before it stamps them), or the capture puts several
    /// links together.
    pub too_close: u64,
}

/// What was carried over time, in buckets of one width without gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// When the first bucket begins.
    pub begins: Timestamp,
    /// Width of each, ns: 10 ms, 100 ms, 1 s and so on.
    pub width_ns: i64,
    /// Frames, and bytes on the wire (C). They sum to the totals.
    pub buckets: Vec<Volume>,
}

/// One interface of the capture, or all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SegmentRow {
    /// The kind of link. `None` for several together, or without frames.
    pub link: Option<LinkType>,
    /// Frames, mirror copies included, and their bytes as the capture counts them.
    pub captured: Volume,
    /// Mirror copies among them, that passed the segment once but were captured twice. They are in
    /// no other figure here.
    pub copies: Volume,
    /// Stamp of the earliest frame.
    pub first: Option<Timestamp>,
    /// Stamp of the latest.
    pub last: Option<Timestamp>,
    /// Frames of a link whose framing is not known: all their variants are the bytes that the
    /// capture counts.
    pub bare: u64,
    /// Frames longer than the link carries: the capturing station put several together, and
    /// the true number of frames and bytes is higher.
    pub oversize: u64,
    /// Frames on the wire that those stand for, with as many bytes of data in each as fit behind
    /// their headers.
    pub oversize_on_wire: u64,
    /// Bytes in the four variants.
    pub bytes: WireBytes,
    /// Frames to a group; bytes on the wire (C).
    pub multicast: Volume,
    /// Frames to everyone; bytes on the wire (C).
    pub broadcast: Volume,
    /// Frames by size, see [`SIZES`].
    pub sizes: [u64; SIZES.len() + 1],
    /// Bits per second of the link, and how that is known.
    pub speed: Option<(u64, KnownBy)>,
    /// Lower bound of the link's speed in one direction, bit/s, from the busiest 10 ms captured. No
    /// utilisation is formed with it.
    pub speed_at_least: Option<u64>,
    /// Whether both directions share one way.
    pub duplex: Option<(Duplex, KnownBy)>,
    /// Everything, in both directions. Its utilisation is that of the segment if all share one
    /// way; `None` for several interfaces, and where each direction has its own.
    pub all: Flow,
    /// Each direction, where they can be told apart.
    pub directions: Option<Directions>,
    /// Frames closer than the link allows; `None` where the speed or, with two ways, the
    /// directions are not known.
    pub spacing: Option<Spacing>,
    /// Over time.
    pub course: Course,
}

/// The busiest direction of the busiest link at its busiest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Busiest {
    /// Number of the interface.
    pub interface: usize,
    /// In which second, or part of one; the bytes are those of the busier direction.
    pub peak: Peak,
    /// Utilisation in millionths.
    pub utilisation: u64,
}

/// The segments that were captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// By interface number.
    pub interfaces: Vec<SegmentRow>,
    /// The sum of all interfaces.
    pub together: SegmentRow,
}

impl SegmentRow {
    /// Frames that are no mirror copies.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        self.all.total.frames
    }

    /// Bytes on the wire (C) per second from the first stamp to the last, rounded down; `None`
    /// where no time passed.
    #[must_use]
    pub fn rate(&self) -> Option<u64> {
        let ns = self.elapsed_ns().filter(|ns| *ns > 0)?;
        let bytes = u128::from(self.bytes.on_wire) * 1_000_000_000;
        let rate = bytes / u128::from(ns.unsigned_abs());
        Some(u64::try_from(rate).unwrap_or(u64::MAX))
    }

    /// From the first stamp to the last, ns.
    #[must_use]
    pub fn elapsed_ns(&self) -> Option<i64> {
        Some(self.last?.since(self.first?))
    }

    /// The flows that count against the speed: all together, or each direction.
    pub fn flows(&self) -> impl Iterator<Item = &Flow> {
        let (all, directions) = match self.duplex {
            Some((Duplex::Full, _)) => (None, self.directions.as_ref()),
            _ => (Some(&self.all), None),
        };
        let directions = directions.into_iter().flat_map(|d| [&d.from, &d.to]);
        all.into_iter().chain(directions)
    }
}

impl Segment {
    /// The highest utilisation that any of the links had in any bucket of this width (10 ms,
    /// 100 ms or 1 s, in ns). `None` where none of their speeds is known.
    #[must_use]
    pub fn busiest(&self, width_ns: i64) -> Option<Busiest> {
        let rows = self.interfaces.iter().enumerate();
        let found = rows.flat_map(|(interface, row)| {
            row.flows().flat_map(move |flow| {
                let peaks = flow.peaks.iter().zip(flow.peak_utilisation);
                peaks.filter_map(move |(peak, utilisation)| {
                    Some(Busiest {
                        interface,
                        peak: *peak,
                        utilisation: utilisation.filter(|_| peak.width_ns == width_ns)?,
                    })
                })
            })
        });
        // Of equals the first.
        found.reduce(|best, next| {
            if next.utilisation > best.utilisation {
                next
            } else {
                best
            }
        })
    }
}
