//! Frames that a mirror port delivers twice, and packets that were captured on both sides of a
//! router.
//!
//! Two frames with the same bytes a few microseconds apart are one frame captured twice;
//! a retransmission comes later than that. Where the packet carries an identification that
//! its sender changes with every transmission (IPv4), copies are told from retransmissions
//! by that, and may lie milliseconds apart.
//!
//! A router that counts itself changes its count and the link's addresses, and nothing else:
//! the same payload between the same ends is the same packet. One that counts down in a header of
//! IP changes that [and its checksum](Routed). What follows from an earlier sight of a packet is
//! found in `routing/routers.rs`.

mod routable;
mod untagged;

use crate::Settings;
use crate::apart::{ClocksApart, Watched};
use crate::by_template::ByTemplate;
use routable::Routable;
use untagged::Untagged;
use wirewait_wire::{Endpoint, Frame, Routed, Span, Timestamp, Walk};

/// Bytes of a payload, or of a frame of which no router counts, that are compared. Behind these
/// there is file data, which the checksums, sequence numbers and identifiers in front of it tell
/// apart.
const COMPARED: usize = 96;
/// Bytes of a packet in which routers are counted, likewise: its header and whole blocks of a digest.
const ROUTED: usize = 16 + 64;
/// Frames and packets that can share a set.
const WAYS: usize = 4;
const SETS: usize = 4096;
/// A packet that comes later than this is another one, ns.
const TRANSIT_NS: i64 = 2_000_000_000;

/// The numbers that interfaces have; there are no more.
const INTERFACES: u64 = 0xffff;
/// Where a part of a digest of the link header begins there.
const LINK: u32 = 25;
/// How many bits of a digest make room for what else is kept of a packet.
const ROOM: u32 = 33;

/// A packet that a router counted, where and when it was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeenBefore {
    pub(crate) at: Timestamp,
    pub(crate) interface: u32,
    /// Routers that it had passed; where they count down, by how much less than the most it might still pass.
    pub(crate) hops: u8,
    /// It was seen with this count twice.
    pub(crate) again: bool,
}

/// What is known of a frame from those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Before {
    /// The interface of the frame of which it is a copy.
    pub(crate) original: Option<u32>,
    /// When its packet was seen before, unless the frame is a copy.
    pub(crate) packet: Option<SeenBefore>,
    /// How many routers it has passed, counted as [there](SeenBefore::hops), if that is known.
    pub(crate) hops: Option<u8>,
}

impl Before {
    /// Whether the frame was seen before on its interface. What was seen on two has taken the time of two
    /// links.
    #[inline]
    pub(crate) fn is_twice(&self, frame: &Frame<'_>) -> bool {
        self.original == Some(frame.interface)
    }
}

/// A frame or a packet: its digest, whose lowest bits made room for what else is known of it.
#[derive(Clone, Copy)]
struct KeptDigest {
    word: u64,
    at: Timestamp,
}

/// The latest frames and packets whose digests end alike, the latest first. One line of a
/// processor's cache: every frame goes to another set, and waits until that is there.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Set([KeptDigest; WAYS]);

/// The latest frames and packets, by digest. Of fixed size: where too many digests share a set
/// the oldest is forgotten, and its copy would count as a frame.
#[derive(Clone)]
pub(crate) struct Duplicates {
    sets: Vec<Set>,
    /// Digests of both ends.
    ends: ByTemplate<u64>,
    watched: Watched,
}

impl Duplicates {
    pub(crate) fn new() -> Self {
        Self {
            sets: vec![Set::MADE; SETS],
            ends: ByTemplate::new(0),
            watched: Watched::new(),
        }
    }

    /// Two clocks that stamped the same packets, if there are two.
    pub(crate) fn clocks_apart(&self) -> Option<ClocksApart> {
        self.watched.found()
    }

    /// Takes the next frame in, whose layers are `walk`.
    // Once for each way to read frames, so that it is part of that.
    #[inline(always)]
    pub(crate) fn look(&mut self, frame: &Frame<'_>, walk: &Walk, settings: &Settings) -> Before {
        // Found where it stays: with a digest it would come back through memory, and be copied.
        let mut before = Before::default();
        let digest = match (walk.routed, &walk.counted) {
            (Some(routed), Some(span)) => {
                self.pass(frame, walk, (span, routed), settings, &mut before)
            }
            _ => self.remember(frame, walk, settings, &mut before),
        };
        if digest <= self.watched.up_to && before.original.is_none() {
            self.watched
                .look(digest, (frame, walk), settings.duplicate_id_ns);
        }
        before
    }

    /// As [`Self::look`] of a packet in which routers are counted, without the sample of packets; and the
    /// digest of what they leave as it is.
    #[inline(never)]
    fn pass(
        &mut self,
        frame: &Frame<'_>,
        walk: &Walk,
        (span, routed): (&Span, &Routed),
        settings: &Settings,
        before: &mut Before,
    ) -> u64 {
        let Some(packet) = Routable::of(frame, span, routed) else {
            return self.remember(frame, walk, settings, before);
        };
        let window = match walk.packet_start == Some(span.start) {
            true => settings.duplicate_id_ns,
            false => settings.duplicate_ns,
        };
        let digest = packet.digest();
        // Where a sender does not number them, a copy has the same link header: stations send the same
        // packet in several framings.
        let link = match walk.packet_start == Some(span.start) {
            true => 0,
            false => {
                let head = frame.bytes.get(..span.start as usize).unwrap_or_default();
                match walk.tags.1 {
                    0 => link(head, frame.wire_len.into()),
                    _ => Untagged::link(head, frame, walk.tags),
                }
            }
        };
        let now = SeenBefore {
            at: frame.at,
            interface: frame.interface,
            hops: packet.hops,
            again: false,
        };
        let set = &mut self.sets[digest as usize % SETS];
        let mut kept = KeptDigest::packet(digest, now);
        kept.word |= link << LINK;
        before.hops = Some(now.hops);
        match set.0.iter().position(|known| known.is_of(&kept)) {
            // As nearly all are: it was not seen before.
            None => set.remember(kept),
            Some(place) => set.again((place, kept), now, window, before),
        }
        digest
    }

    /// As [`Self::look`], without the sample of packets; and the digest of the frame, or [`u64::MAX`].
    #[inline(never)]
    fn remember(
        &mut self,
        frame: &Frame<'_>,
        walk: &Walk,
        settings: &Settings,
        before: &mut Before,
    ) -> u64 {
        // Behind other link headers, and with other tags, a copy has another length on the wire.
        let (start, window, length) = match walk.packet_start {
            Some(start) => (start as usize, settings.duplicate_id_ns, 0),
            None => (0, settings.duplicate_ns, u64::from(frame.wire_len)),
        };
        let bytes = frame.bytes.get(start..).unwrap_or_default();
        if bytes.is_empty() {
            return u64::MAX;
        }
        let counted = CountedCopy::of(frame, walk, &mut self.ends);
        let digest = match &counted {
            Some(counted) => {
                let head = &bytes[..bytes.len().min(counted.start.saturating_sub(start))];
                let sum = counted.payload.wrapping_add(length);
                match walk.tags.1 {
                    1.. if start == 0 => Untagged::digest(head, walk.tags, sum),
                    _ => digest(head, sum),
                }
            }
            None => {
                let length = if length == 0 {
                    bytes.len() as u64
                } else {
                    length
                };
                match walk.tags.1 {
                    1.. if start == 0 => Untagged::digest(bytes, walk.tags, length),
                    _ => digest(&bytes[..bytes.len().min(COMPARED)], length),
                }
            }
        };
        // A frame and its packet are in one set, so that one wait is enough.
        let number = counted.as_ref().map_or(digest, |counted| counted.digest);
        let set = &mut self.sets[number as usize % SETS];
        let copied = |kept: &KeptDigest| {
            kept.word ^ digest <= INTERFACES && (0..=window).contains(&frame.at.since(kept.at))
        };
        if let Some(original) = set.0.iter().find(|kept| copied(kept)) {
            before.original = Some((original.word & INTERFACES) as u32);
            before.hops = walk.facts.hops;
            return digest;
        }
        let now = KeptDigest {
            word: digest & !INTERFACES | u64::from(frame.interface) & INTERFACES,
            at: frame.at,
        };
        let packet = counted.map(|counted| SeenBefore {
            at: frame.at,
            interface: frame.interface,
            hops: counted.hops,
            again: false,
        });
        before.packet = match packet {
            Some(sight) => {
                let before = set.renew(number, sight);
                match before {
                    Some(_) => set.remember(now),
                    None => set.remember_both(now, KeptDigest::packet(number, sight)),
                }
                before
            }
            None => {
                set.remember(now);
                None
            }
        };
        before.hops = walk.facts.hops;
        digest
    }
}

/// What tells a link header, and the length of its frame, from others.
#[inline(always)]
fn link(head: &[u8], wire_len: u64) -> u64 {
    let word = |bytes: Option<&[u8; 8]>| bytes.map_or(0, |b| u64::from_le_bytes(*b));
    let [first, last] = [word(head.first_chunk()), word(head.last_chunk())];
    let length = wire_len << 48 ^ 0x9e37_79b9_7f4a_7c15;
    mix(first ^ length, last ^ 0x5851_f42d_4c95_7f2d) >> 56
}

/// What of a frame is the same on both sides of a router that counts up.
struct CountedCopy {
    /// Where the payload of the layer begins that counts routers, and its digest.
    start: usize,
    payload: u64,
    /// Digest of the payload and both ends.
    digest: u64,
    hops: u8,
}

impl CountedCopy {
    fn of(frame: &Frame<'_>, walk: &Walk, ends: &mut ByTemplate<u64>) -> Option<Self> {
        let (span, hops) = (walk.counted?, walk.facts.hops?);
        let start = span.payload as usize;
        let rest = frame.bytes.get(start..)?;
        let length = span.end.saturating_sub(span.payload);
        let payload = &rest[..rest.len().min(length as usize).min(COMPARED)];
        if payload.is_empty() {
            return None;
        }
        let payload = digest(payload, length.into());
        let ends = match walk.template {
            None => both(walk),
            Some(template) => ends.get(template).unwrap_or_else(|| {
                let both = both(walk);
                ends.set(template, both);
                both
            }),
        };
        Some(Self {
            start,
            payload,
            digest: payload ^ ends,
            hops,
        })
    }
}

impl Set {
    pub(crate) const MADE: Self = Self([KeptDigest::MADE; WAYS]);

    /// Tells of the same packet seen before, if there is one, and puts the new sight in its
    /// place.
    pub(crate) fn renew(&mut self, digest: u64, new: SeenBefore) -> Option<SeenBefore> {
        let kept = KeptDigest::packet(digest, new);
        let same =
            |k: &KeptDigest| k.is_of(&kept) && (0..=TRANSIT_NS).contains(&new.at.since(k.at));
        let known = self.0.iter_mut().find(|k| same(k))?;
        let before = known.sight();
        let again = before.again || new.hops <= before.hops;
        *known = KeptDigest::packet(digest, SeenBefore { again, ..new });
        Some(before)
    }

    /// A packet in which routers are counted is in this place already, or one that has its digest: whether it is
    /// a copy, or was seen before.
    #[cold]
    fn again(
        &mut self,
        (place, kept): (usize, KeptDigest),
        now: SeenBefore,
        window: i64,
        found: &mut Before,
    ) {
        let known = self.0[place % WAYS];
        let (before, passed) = (known.sight(), now.at.since(known.at));
        let alike = (known.word ^ kept.word) >> LINK == 0 && before.hops == now.hops;
        if alike && (0..=window).contains(&passed) {
            found.original = Some(before.interface);
        } else if (0..=TRANSIT_NS).contains(&passed) {
            let again = before.again || now.hops <= before.hops;
            self.0[place % WAYS] = KeptDigest {
                word: kept.word | u64::from(again) << 24,
                ..kept
            };
            found.packet = Some(before);
        } else {
            self.remember(kept);
        }
    }

    /// A frame, and its packet, which was not known.
    fn remember_both(&mut self, frame: KeptDigest, packet: KeptDigest) {
        let Self([first, second, ..]) = *self;
        *self = Self([frame, packet, first, second]);
    }

    /// Puts a packet in its place, and tells of the same one seen before.
    #[cfg(test)]
    pub(crate) fn packet(&mut self, digest: u64, new: SeenBefore) -> Option<SeenBefore> {
        let before = self.renew(digest, new);
        if before.is_none() {
            self.remember(KeptDigest::packet(digest, new));
        }
        before
    }

    /// The oldest makes room.
    fn remember(&mut self, kept: KeptDigest) {
        let Self([first, second, third, _]) = *self;
        *self = Self([kept, first, second, third]);
    }
}

impl KeptDigest {
    const MADE: Self = Self {
        word: 0,
        at: Timestamp::from_nanos(i64::MIN),
    };

    fn packet(digest: u64, sight: SeenBefore) -> Self {
        let rest = u64::from(sight.interface) & INTERFACES
            | u64::from(sight.hops) << 16
            | u64::from(sight.again) << 24;
        Self {
            word: digest >> ROOM << ROOM | rest,
            at: sight.at,
        }
    }

    /// Whether it is a sight of the same packet.
    #[inline]
    fn is_of(&self, other: &Self) -> bool {
        (self.word ^ other.word) >> ROOM == 0
    }

    fn sight(self) -> SeenBefore {
        SeenBefore {
            at: self.at,
            interface: (self.word & INTERFACES) as u32,
            hops: (self.word >> 16 & 0xff) as u8,
            again: self.word >> 24 & 1 == 1,
        }
    }
}

/// A digest of both ends.
fn both(walk: &Walk) -> u64 {
    let (from, to) = (end(&walk.facts.from), end(&walk.facts.to));
    from.rotate_left(17) ^ to.rotate_left(41)
}

fn end(endpoint: &Endpoint) -> u64 {
    let identity = endpoint.identity();
    let address = identity.address();
    mix(
        (address as u64).wrapping_add(0x5851_f42d_4c95_7f2d),
        ((address >> 64) as u64 ^ identity.rest()).wrapping_add(0x9e37_79b9_7f4a_7c15),
    )
}

/// A digest of few instructions; an attacker who can make two of them equal can only make
/// one of his own frames count as a copy of another.
#[inline]
pub(crate) fn digest(bytes: &[u8], length: u64) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    // Two chains, which do not wait for each other.
    let mut even = length.wrapping_mul(K) ^ 0x5851_f42d_4c95_7f2d;
    let mut odd = bytes.len() as u64 ^ 0x1405_7b7e_f767_814f;
    let mut block = |block: &[u8; 32]| {
        let (words, _) = block.as_chunks::<8>();
        if let [a, b, c, d] = words {
            let [a, b, c, d] = [a, b, c, d].map(|bytes| u64::from_le_bytes(*bytes));
            even = mix(a ^ even, b ^ K);
            odd = mix(c ^ odd, d ^ K);
        }
    };
    let (blocks, rest) = bytes.as_chunks::<32>();
    for bytes in blocks {
        block(bytes);
    }
    if !rest.is_empty() {
        // Some bytes once more, where there are as many.
        match bytes.last_chunk() {
            Some(last) => block(last),
            None => {
                let mut last = [0; 32];
                last[..rest.len()].copy_from_slice(rest);
                block(&last);
            }
        }
    }
    mix(even ^ odd.rotate_left(32), K)
}

/// Two blocks of a digest, behind what came before them.
#[inline(always)]
fn digest_of_two(bytes: &[u8; 64], before: u64) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = |at: usize| u64::from_le_bytes(bytes.as_chunks().0[at]);
    let even = mix(word(0) ^ before, word(1) ^ K);
    let odd = mix(word(2) ^ 0x1405_7b7e_f767_814f, word(3) ^ K);
    let even = mix(word(4) ^ even, word(5) ^ K);
    let odd = mix(word(6) ^ odd, word(7) ^ K);
    mix(even ^ odd.rotate_left(32), K)
}

#[inline]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{DissectorId, LinkType};

    fn frame(at: i64, bytes: &[u8]) -> Frame<'_> {
        Frame {
            at: Timestamp::from_nanos(at),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: bytes.len() as u32,
            bytes,
        }
    }

    fn copy(d: &mut Duplicates, at: i64, bytes: &[u8], identified: Option<u32>) -> bool {
        let mut walk = Walk::default();
        walk.packet_start = identified;
        let before = d.look(&frame(at, bytes), &walk, &Settings::default());
        before.original.is_some()
    }

    #[test]
    fn a_copy_comes_at_once_and_a_retransmission_later() {
        let mut d = Duplicates::new();
        assert!(!copy(&mut d, 0, b"a frame", None));
        assert!(copy(&mut d, 5_000, b"a frame", None));
        assert!(!copy(&mut d, 5_000, b"b frame", None));
        assert!(!copy(&mut d, 200_000, b"a frame", None));
    }

    /// The third byte counts down, and the fourth changes with it.
    static COUNTS_DOWN: Routed = Routed {
        counter: 2,
        up: false,
        stays: [
            255, 255, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        ],
    };

    #[test]
    fn a_packet_behind_a_router_is_known_by_all_that_stays() {
        let mut d = Duplicates::new();
        let mut walk = Walk::default();
        walk.counted = Some(Span {
            dissector: DissectorId(0),
            start: 0,
            payload: 4,
            end: 40,
        });
        walk.routed = Some(&COUNTS_DOWN);
        let mut look = |at, life, sum, last| {
            let mut bytes = [7; 60];
            (bytes[2], bytes[3], bytes[39], bytes[59]) = (life, sum, last, sum);
            let before = d.look(&frame(at, &bytes), &walk, &Settings::default());
            let packet = before.packet.map(|before| (before.hops, before.again));
            (before.original, packet, before.hops)
        };
        assert_eq!(look(0, 64, 1, 0), (None, None, Some(191)));
        assert_eq!(look(50_000, 64, 1, 0).0, Some(0), "captured twice");
        let passed = Some((191, false));
        assert_eq!(look(700_000, 63, 2, 0), (None, passed, Some(192)));
        assert_eq!(look(800_000, 63, 2, 1), (None, None, Some(192)), "another");
        assert_eq!(
            look(900_000, 60, 9, 1),
            (None, Some((192, false)), Some(195))
        );
        // Sent again, and through again: which of the two came through is not known.
        assert_eq!(look(200_000_000, 64, 1, 0).1, Some((192, false)));
        assert_eq!(look(200_700_000, 63, 2, 0).1, Some((191, true)));
    }

    #[test]
    fn an_identified_packet_may_be_late_and_have_other_addresses() {
        let mut d = Duplicates::new();
        assert!(!copy(&mut d, 0, b"AApacket", Some(2)));
        assert!(copy(&mut d, 1_200_000, b"BBpacket", Some(2)));
        assert!(!copy(&mut d, 60_000_000, b"BBpacket", Some(2)));
    }

    /// Two bytes of addresses, one of the count of routers, and the payload.
    fn routed(d: &mut Duplicates, at: i64, bytes: &[u8]) -> (bool, Option<(i64, u8)>) {
        let mut walk = Walk::default();
        walk.counted = Some(Span {
            start: 2,
            payload: 3,
            end: bytes.len() as u32,
            ..Span::default()
        });
        walk.facts.hops = Some(bytes[2]);
        let before = d.look(&frame(at, bytes), &walk, &Settings::default());
        let packet = before.packet;
        (
            before.original.is_some(),
            packet.map(|sight| (sight.at.as_nanos(), sight.hops)),
        )
    }

    #[test]
    fn behind_a_router_it_is_the_same_packet_and_no_copy() {
        let mut d = Duplicates::new();
        assert_eq!(routed(&mut d, 0, b"AA\0packet"), (false, None));
        assert_eq!(routed(&mut d, 2_000, b"AA\0packet"), (true, None));
        assert_eq!(
            routed(&mut d, 50_000, b"BB\x01packet"),
            (false, Some((0, 0)))
        );
        // What is no copy any more was sent again.
        assert_eq!(
            routed(&mut d, 3_000_000, b"AA\0packet"),
            (false, Some((50_000, 1)))
        );
        assert_eq!(routed(&mut d, 3_000_000, b"AA\0parcel"), (false, None));
    }
}
