//! How much data the segments on the wire have, where the capturing station puts several together, or has them cut
//! (segmentation offload).

use crate::table::Table;
use wirewait_wire::{Address, Endpoint, Frame, Order, Registry, Walk};

/// No shorter frame was several on the wire.
pub(crate) const LONGEST: u32 = 1_518;
/// Bytes of the longest datagram that IP can state (RFC 791, section 3.1).
const LONGEST_DATAGRAM: u32 = 65_535;
/// Bytes of a VLAN tag.
const TAG: u32 = 4;
/// Bytes of a TCP header without options (RFC 9293, section 3.1).
const PLAIN_HEADER: u32 = 20;

/// What stations said when they opened connections: how much data they take in one segment (RFC 9293, 3.7.1).
pub(crate) struct SegmentSizes {
    /// Of two stations, in their order, what each said last.
    said: Table<(Endpoint, Endpoint), [Option<u16>; 2]>,
}

impl SegmentSizes {
    /// Of at most this number of pairs of stations.
    pub(crate) fn new(pairs: usize) -> Self {
        Self {
            said: Table::new(pairs),
        }
    }

    /// A segment that opens a connection.
    #[cold]
    #[inline(never)]
    pub(crate) fn opens(&mut self, frame: &Frame<'_>, walk: &Walk, registry: &Registry) {
        let said = walk.last().and_then(|tcp| {
            let segment = walk.bytes(frame, tcp);
            registry.largest_segment(tcp.dissector, segment)
        });
        let Some(said) = said else {
            return;
        };
        let (key, side) = pair(walk);
        let (place, _) = self.said.place_of(&key, Default::default);
        self.said.at(place)[side] = Some(said);
    }

    /// Where the data begins in a long frame, and how much of it each part had on the wire, if it was several there: by what
    /// both ends of its connection said, else by what the medium carries.
    #[cold]
    #[inline(never)]
    pub(crate) fn parts(
        &mut self,
        frame: &Frame<'_>,
        walk: &Walk,
        registry: &Registry,
    ) -> Option<(u32, u32)> {
        let length = frame.wire_len;
        if let Some(each) = self.agreed(walk) {
            let header = walk.last()?.payload;
            return (length.saturating_sub(header) > each).then_some((header, each));
        }
        let longest = registry.medium(frame.link)?.longest?;
        match length > longest && may_be_put_together(length, walk) {
            true => parts_on_wire(length, longest, walk),
            false => None,
        }
    }

    /// How much data a segment with these headers has at most: no more than its receiver takes, and than its sender's link carries,
    /// as far as that shows in what the sender takes itself. Options take their part of it (RFC 6691).
    fn agreed(&mut self, walk: &Walk) -> Option<u32> {
        let Order::Stream(_) = walk.facts.order else {
            return None;
        };
        let tcp = walk.last()?;
        let place = self.said.find(&pair(walk).0)?;
        let least = self.said.at(place).iter().flatten().min()?;
        let options = (tcp.payload - tcp.start).saturating_sub(PLAIN_HEADER);
        Some(u32::from(*least).saturating_sub(options).max(1))
    }
}

/// The two stations in an order of theirs, and which of them sends.
fn pair(walk: &Walk) -> ((Endpoint, Endpoint), usize) {
    let (from, to) = (walk.facts.from.station(), walk.facts.to.station());
    match from <= to {
        true => ((from, to), 0),
        false => ((to, from), 1),
    }
}

/// What is put together is a datagram of IP, mostly no longer than its header can state. What claims more and
/// is none is damaged.
#[cold]
fn may_be_put_together(length: u32, walk: &Walk) -> bool {
    let of_ip = matches!(walk.facts.from.address, Address::V4(_) | Address::V6(_));
    let header = walk.spans().first().map_or(0, |span| span.payload);
    of_ip || length.saturating_sub(header) <= LONGEST_DATAGRAM
}

/// Bytes of data in a full frame behind headers of this length, without those of tunnels. The longest has a tag.
fn data_of(longest: u32, header: u32) -> u32 {
    longest.saturating_sub(TAG).saturating_sub(header).max(1)
}

/// Where the data begins in a frame of this length with a segment or datagram, and how much of it each part
/// had on the wire if the frame is longer than any there (offload put it together). A link whose packets are put into
/// tunnels, or tagged, carries that much more.
#[must_use]
pub fn parts_on_wire(length: u32, longest: u32, walk: &Walk) -> Option<(u32, u32)> {
    let of_ip = matches!(walk.facts.from.address, Address::V4(_) | Address::V6(_));
    let (link, inner, last) = match walk.spans() {
        [link, .., network, last] if of_ip => (link, network, last),
        [link, .., last] => (link, last, last),
        [one] => (one, one, one),
        [] => return (length > longest).then_some((0, data_of(longest, 0))),
    };
    let around = inner.start.saturating_sub(link.payload);
    let header = last.payload;
    (length.saturating_sub(around.saturating_sub(TAG)) > longest)
        .then(|| (header, data_of(longest, header.saturating_sub(around))))
}
