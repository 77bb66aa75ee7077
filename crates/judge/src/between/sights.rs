//! What one of two captures has: its frames, by which they are known again, and its requests.

use super::segments::SegmentSight;
use super::time::{WaitSpan, positive};
use std::collections::HashMap;
use wirewait_analysis::{BreakWaiter, Extent, Sink, TakenBack, Transaction};
use wirewait_wire::{Cast, Endpoint, Frame, Kind, Registry, Timestamp, Walk};

/// Frames of a capture that are looked for in the other one.
pub const FRAMES: usize = 4_000_000;
/// Requests of a capture that are looked for in the other one.
pub const REQUESTS: usize = 1_000_000;
/// Breaks of oplocks and leases of a capture that requests are looked for which waited for them.
pub const BREAKS: usize = 1_000_000;
/// Addresses of clients in a capture that are one with another address, as channels of one SMB session show.
pub const CHANNELS: usize = 65_536;

/// Bytes of a packet that are compared.
const COMPARED: usize = 96;
/// Bytes that are compared where one of the captures cut frames before that, at least: behind the header of
/// Ethernet a frame of the 68 bytes that tcpdump once kept has them. They reach to the acknowledgement of TCP
/// over IPv6, to the multiplex number of SMB over NetBEUI, and into the payload elsewhere.
const LEAST_COMPARED: usize = 54;

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
    /// Of its first [`COMPARED`] bytes.
    pub(super) digest: u64,
    /// Of those that captures have which cut frames: [`LEAST_COMPARED`], or the headers of IP and TCP where these
    /// are longer.
    pub(super) short_digest: u64,
    pub(super) at: Timestamp,
    /// Counted from 1.
    pub(super) number: u64,
    /// Sender and receiver, by number.
    pub(super) ends: [u32; 2],
    /// The data of TCP in it.
    pub(super) segment: Option<SegmentSight>,
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
    /// Some frame has less than what is compared, as the capture cut it.
    pub(super) cut: bool,
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
        let Some(packet) = self.digests(frame, walk, registry) else {
            return;
        };
        if self.frames.len() >= FRAMES {
            self.more += 1;
            return;
        }
        // Frames that only keep a link up are alike on all links.
        let ends = [walk.facts.from, walk.facts.to].map(|end| self.station(end.station()));
        let [(from, from_digest), (to, to_digest)] = ends;
        let mut other = from_digest.rotate_left(1) ^ to_digest.rotate_left(2);
        if copy {
            other ^= digest(&self.number.to_le_bytes(), u32::MAX);
            // Far below what 32 bits can tell apart.
            self.copies
                .push(u32::try_from(self.frames.len()).unwrap_or(u32::MAX));
        }
        self.frames.push(FrameSight {
            digest: packet[0] ^ other,
            short_digest: packet[1] ^ other,
            at: frame.at,
            number: self.number,
            ends: [from, to],
            segment: SegmentSight::of(frame, walk, registry),
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

    /// Of the packet in it, from the layer above the link's on: of more and of fewer bytes.
    fn digests(&mut self, frame: &Frame<'_>, walk: &Walk, registry: &Registry) -> Option<[u64; 2]> {
        let spans = walk.spans();
        let known = |name: &str| CHANGED.iter().find(|(layer, _)| *layer == name);
        let name = |span: &wirewait_wire::Span| registry.dissector(span.dissector).name;
        let first = spans.iter().position(|span| known(name(span)).is_some());
        let first = first.unwrap_or(usize::from(spans.len() > 1));
        let packet = spans.get(first)?;
        let (start, end) = (packet.start as usize, packet.end as usize);
        let wanted = end.min(start + COMPARED);
        let end = wanted.min(frame.bytes.len());
        // What a packet says of its length alone may be wrong.
        self.cut |= end < wanted && frame.is_snapped();
        self.bytes.clear();
        self.bytes.extend_from_slice(frame.bytes.get(start..end)?);
        let mut short = LEAST_COMPARED;
        for span in spans.get(first..).unwrap_or_default() {
            if name(span) == "tcp" {
                // Its time stamps tell what is retransmitted from what was sent first.
                short = short.max((span.payload as usize).saturating_sub(start));
            }
            let changed = known(name(span)).map_or(&[][..], |(_, places)| *places);
            for place in changed {
                let at = (span.start as usize + place).checked_sub(start)?;
                if let Some(byte) = self.bytes.get_mut(at) {
                    *byte = 0;
                }
            }
        }
        let length = packet.end.wrapping_sub(packet.start);
        let fewer = &self.bytes[..short.min(self.bytes.len())];
        Some([digest(&self.bytes, length), digest(fewer, length)])
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
    kind: Kind,
    /// What it works on, if that has a name.
    file: Option<u64>,
}

/// A wait by design.
#[derive(Clone, Copy, Debug)]
struct WaitSight {
    client: Endpoint,
    from: Timestamp,
    /// When it was answered.
    to: Option<Timestamp>,
}

/// The requests of a capture. It is a [`Sink`] of the analysis.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct RequestsSeen {
    pub(super) requests: Vec<RequestSight>,
    /// In no order.
    waits: Vec<WaitSight>,
    /// By when they began.
    breaks: Vec<TakenBack<u64>>,
    /// Addresses of clients that are one with another address, with that.
    channels: HashMap<Endpoint, Endpoint>,
    /// Those for which there was no room.
    pub(super) more: u64,
}

impl Sink for RequestsSeen {
    fn transaction(&mut self, t: &Transaction) {
        if t.kind == Kind::Break {
            return self.breaks(t);
        }
        // Of what everyone is asked, nobody may have the answer.
        if t.asks_everyone() && t.response.is_none() {
            return;
        }
        let Some(request) = t.request else {
            return;
        };
        if self.requests.len() + self.waits.len() >= REQUESTS {
            self.more += 1;
            return;
        }
        let client = t.client.station();
        if t.kind == Kind::Wait {
            let from = request.first.at;
            let to = t.response.map(|response| response.last.at);
            self.waits.push(WaitSight { client, from, to });
            return;
        }
        let answered = t.took().is_some();
        self.requests.push(RequestSight {
            client,
            server: t.server.station(),
            request,
            response: t.response.filter(|_| answered),
            unanswered: t.is_unanswered(),
            lost_until: t.lost_until,
            of: (t.protocol, t.code, t.data_bytes),
            command: t.operation.name,
            kind: t.kind,
            file: file(t),
        });
    }

    fn same_client(&mut self, client: Endpoint, first: Endpoint) {
        if self.channels.len() < CHANNELS || self.channels.contains_key(&client) {
            self.channels.insert(client, first);
        } else {
            self.more += 1;
        }
    }
}

impl RequestsSeen {
    fn breaks(&mut self, t: &Transaction) {
        let Some(request) = t.request else {
            return;
        };
        if self.breaks.len() >= BREAKS {
            self.more += 1;
            return;
        }
        let new = TakenBack {
            server: t.server.station(),
            file: file(t),
            from: request.last,
            to: t.response.map_or(request.last, |response| response.first),
        };
        // They are over nearly in the order in which they began.
        let at = self
            .breaks
            .partition_point(|one| one.from.at <= new.from.at);
        self.breaks.insert(at, new);
    }

    /// How long this request waited at its server for a client to give an oplock or a lease back, ns: as the analysis has
    /// it, the longest.
    pub(super) fn held_ns(&self, of: &RequestSight) -> u64 {
        let may_wait = of.response.and_then(|response| {
            let moments = [of.request.last, response.first];
            BreakWaiter::of((of.kind, of.server), of.file, moments)
        });
        let Some(may_wait) = may_wait else {
            return 0;
        };
        let first = (self.breaks).partition_point(|one| one.from.at < may_wait.request.at);
        let within = self.breaks[first..].iter();
        let within = within.take_while(|one| one.from.at <= may_wait.response.at);
        let waited = within.filter_map(|one| one.from.until(may_wait.waited_for(one)?));
        waited.max().map_or(0, positive)
    }

    /// The first address of each client that has several.
    pub(super) fn channels(&self) -> &HashMap<Endpoint, Endpoint> {
        &self.channels
    }

    /// The waits by design of each client, by when they began.
    pub(super) fn waits(
        &self,
        client: impl Fn(Endpoint) -> Endpoint,
    ) -> HashMap<Endpoint, Vec<WaitSpan>> {
        let mut found: HashMap<_, Vec<_>> = HashMap::new();
        for WaitSight {
            client: station,
            from,
            to,
        } in &self.waits
        {
            found
                .entry(client(*station))
                .or_default()
                .push((*from, *to));
        }
        for waits in found.values_mut() {
            waits.sort_unstable();
        }
        found
    }
}

/// The file that it works on, by a digest of its name.
fn file(t: &Transaction) -> Option<u64> {
    let place = t.place.as_deref()?;
    let path = place.path.as_deref()?;
    let share = place.share.as_deref().unwrap_or_default();
    Some(digest(path.as_bytes(), 0) ^ digest(share.as_bytes(), 0).rotate_left(1))
}
