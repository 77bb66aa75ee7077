//! What one of two captures has: its frames, by which they are known again, and its requests.

use super::time::positive;
use std::collections::HashMap;
use wirewait_analysis::{Extent, Sink, Transaction};
use wirewait_wire::{Cast, Endpoint, Frame, Kind, Registry, Timestamp, Walk};

/// Frames of a capture that are looked for in the other one.
pub const FRAMES: usize = 4_000_000;
/// Requests of a capture that are looked for in the other one.
pub const REQUESTS: usize = 1_000_000;
/// Breaks of oplocks and leases of a capture that requests are looked for which waited for them.
pub const BREAKS: usize = 1_000_000;

/// Bytes of a packet that are compared, the same of captures that cut frames.
const COMPARED: usize = 96;

/// What changes on the way: in which layer, and which bytes of its header.
const CHANGED: [(&str, &[usize]); 5] = [
    ("ipv4", &[8, 10, 11]),
    ("ipv6", &[7]),
    ("ipx", &[4]),
    ("tcp", &[16, 17]),
    ("udp", &[6, 7]),
];

/// A frame from one station to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameSight {
    pub(super) digest: u64,
    pub(super) at: Timestamp,
    /// Counted from 1.
    pub(super) number: u64,
    /// Sender and receiver, by number.
    pub(super) ends: [u32; 2],
}

/// The frames of a capture.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FramesSeen {
    pub(super) frames: Vec<FrameSight>,
    /// Places of those that were captured before; they are the same as none of the other capture.
    pub(super) copies: Vec<u32>,
    /// Each with its number, and a digest of its name.
    stations: HashMap<Endpoint, (u32, u64)>,
    number: u64,
    /// Frames for which there was no room.
    pub(super) more: u64,
    /// Walks of frames need room.
    bytes: Vec<u8>,
}

impl FramesSeen {
    /// The next frame, whose layers are `walk`. `copy`: it was captured before, as mirror ports show it twice, or as it was
    /// doubled on the way.
    pub fn frame(&mut self, frame: &Frame<'_>, walk: &Walk, registry: &Registry, copy: bool) {
        self.number += 1;
        if walk.facts.cast != Cast::Unicast {
            return;
        }
        let Some(packet) = self.digest(frame, walk, registry) else {
            return;
        };
        if self.frames.len() >= FRAMES {
            self.more += 1;
            return;
        }
        // Frames that only keep a link up are alike on all links.
        let ends = [walk.facts.from, walk.facts.to].map(|end| self.station(end.station()));
        let [(from, from_digest), (to, to_digest)] = ends;
        let mut own = packet ^ from_digest.rotate_left(1) ^ to_digest.rotate_left(2);
        if copy {
            own ^= digest(&self.number.to_le_bytes(), u32::MAX);
            // Far below what 32 bits can tell apart.
            self.copies
                .push(u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        }
        self.frames.push(FrameSight {
            digest: own,
            at: frame.at,
            number: self.number,
            ends: [from, to],
        });
    }

    /// Whether the frame at this place was captured before.
    pub(super) fn is_copy(&self, place: usize) -> bool {
        u32::try_from(place).is_ok_and(|place| self.copies.binary_search(&place).is_ok())
    }

    /// The number of a station.
    fn station(&mut self, station: Endpoint) -> (u32, u64) {
        // There are fewer than frames that are kept, twice.
        let next = u32::try_from(self.stations.len()).unwrap_or(u32::MAX);
        let known = self.stations.entry(station);
        *known.or_insert_with(|| (next, digest(station.to_string().as_bytes(), 0)))
    }

    pub(super) fn station_of(&self, station: &Endpoint) -> Option<u32> {
        self.stations.get(station).map(|(number, _)| *number)
    }

    /// Of the packet in it, from the layer above the link's on.
    fn digest(&mut self, frame: &Frame<'_>, walk: &Walk, registry: &Registry) -> Option<u64> {
        let spans = walk.spans();
        let known = |name: &str| CHANGED.iter().find(|(layer, _)| *layer == name);
        let name = |span: &wirewait_wire::Span| registry.dissector(span.dissector).name;
        let first = spans.iter().position(|span| known(name(span)).is_some());
        let first = first.unwrap_or(usize::from(spans.len() > 1));
        let packet = spans.get(first)?;
        let (start, end) = (packet.start as usize, packet.end as usize);
        let end = end.min(frame.bytes.len()).min(start + COMPARED);
        self.bytes.clear();
        self.bytes.extend_from_slice(frame.bytes.get(start..end)?);
        for span in spans.get(first..).unwrap_or_default() {
            let changed = known(name(span)).map_or(&[][..], |(_, places)| *places);
            for place in changed {
                let at = (span.start as usize + place).checked_sub(start)?;
                if let Some(byte) = self.bytes.get_mut(at) {
                    *byte = 0;
                }
            }
        }
        Some(digest(&self.bytes, packet.end.wrapping_sub(packet.start)))
    }
}

/// FNV-1a, mixed at the end. What is alike by chance is told apart by its time.
fn digest(bytes: &[u8], length: u32) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325u64 ^ u64::from(length);
    for byte in bytes {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    sum ^ (sum >> 29)
}

/// A request with its response.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestSight {
    pub(super) client: Endpoint,
    pub(super) server: Endpoint,
    pub(super) request: Extent,
    pub(super) response: Option<Extent>,
    /// Its client waited for a response in vain, as both directions show.
    pub(super) unanswered: bool,
    /// Until when it was retransmitted, as the client lacked it.
    pub(super) lost_until: Option<Timestamp>,
    /// What it asks for, and the data that came of it.
    pub(super) of: (&'static str, u32, u64),
    /// The name of the operation.
    pub(super) command: &'static str,
    /// What it works on, if that has a name.
    file: Option<u64>,
    /// It may have to wait for another client.
    may_be_held: bool,
}

/// A server took an oplock or a lease back.
#[derive(Clone, Copy, Debug)]
struct BreakSight {
    server: Endpoint,
    file: Option<u64>,
    from: Timestamp,
    to: Timestamp,
}

/// The requests of a capture. It is a [`Sink`] of the analysis.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RequestsSeen {
    pub(super) requests: Vec<RequestSight>,
    /// By when they began.
    breaks: Vec<BreakSight>,
    /// Those for which there was no room.
    pub(super) more: u64,
}

impl Sink for RequestsSeen {
    fn transaction(&mut self, t: &Transaction) {
        if t.kind == Kind::Break {
            return self.breaks(t);
        }
        if t.kind == Kind::Wait {
            return;
        }
        let Some(request) = t.request else {
            return;
        };
        if self.requests.len() >= REQUESTS {
            self.more += 1;
            return;
        }
        let answered = t.took().is_some();
        self.requests.push(RequestSight {
            client: t.client.station(),
            server: t.server.station(),
            request,
            response: t.response.filter(|_| answered),
            unanswered: t.is_unanswered(),
            lost_until: t.lost_until,
            of: (t.protocol, t.code, t.data_bytes),
            command: t.operation.name,
            file: file(t),
            may_be_held: !matches!(t.kind, Kind::Session | Kind::Close),
        });
    }
}

impl RequestsSeen {
    fn breaks(&mut self, t: &Transaction) {
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return;
        };
        if self.breaks.len() >= BREAKS {
            self.more += 1;
            return;
        }
        let new = BreakSight {
            server: t.server.station(),
            file: file(t),
            from: request.last.at,
            to: response.first.at,
        };
        // They are over nearly in the order in which they began.
        let at = self.breaks.partition_point(|one| one.from <= new.from);
        self.breaks.insert(at, new);
    }

    /// How long this request waited at its server for a client to give an oplock or a lease back, ns: as the analysis has
    /// it, the longest that lies between request and response and is not known to be of another file.
    pub(super) fn held_ns(&self, of: &RequestSight) -> u64 {
        let Some(response) = of.response.filter(|_| of.may_be_held) else {
            return 0;
        };
        let (asked, answered) = (of.request.last.at, response.first.at);
        let first = self.breaks.partition_point(|one| one.from < asked);
        let within = self.breaks[first..].iter();
        let within = within.take_while(|one| one.from <= answered).filter(|one| {
            let elsewhere = one.file.zip(of.file).is_some_and(|(one, of)| one != of);
            one.server == of.server && one.to <= answered && !elsewhere
        });
        let longest = within.map(|one| one.to.since(one.from)).max();
        longest.map_or(0, positive)
    }
}

/// The file that it works on, by a digest of its name.
fn file(t: &Transaction) -> Option<u64> {
    let place = t.place.as_deref()?;
    let path = place.path.as_deref()?;
    let share = place.share.as_deref().unwrap_or_default();
    Some(digest(path.as_bytes(), 0) ^ digest(share.as_bytes(), 0).rotate_left(1))
}
