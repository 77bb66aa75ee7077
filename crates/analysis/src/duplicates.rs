//! Frames that a mirror port delivers twice.
//!
//! Two frames with the same bytes a few microseconds apart are one frame captured twice;
//! a retransmission comes later than that. Where the packet carries an identification that
//! its sender changes with every transmission (IPv4), copies are told from retransmissions
//! by that, and may lie milliseconds apart.

use crate::Settings;
use crate::state::sparse::{self, Sparse};
use serde::{Deserialize, Serialize};
use wirewait_wire::{Frame, Timestamp};

/// Bytes of a frame that are compared. Behind this there is payload, which the checksums,
/// sequence numbers and identifiers in front of it tell apart.
const COMPARED: usize = 160;
/// Frames that can share a set.
const WAYS: usize = 4;
const SETS: usize = 4096;

/// The numbers that interfaces have; there are no more.
const INTERFACES: u64 = 0xffff;

/// A frame that was seen: its digest, whose lowest bits made room for the interface.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Seen {
    word: u64,
    at: Timestamp,
}

/// The latest frames whose digests begin alike, the latest first. One line of a processor's
/// cache: every frame goes to another set.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[repr(align(64))]
struct Set([Seen; WAYS]);

impl Sparse for Set {
    const COUNT: usize = SETS;
    const MADE: Self = Self(
        [Seen {
            word: 0,
            at: Timestamp::from_nanos(i64::MIN),
        }; WAYS],
    );

    fn is_as_made(&self) -> bool {
        self.0
            .iter()
            .all(|seen| seen.at.as_nanos() == i64::MIN && seen.word == 0)
    }
}

/// The latest frames, by digest. Of fixed size: where too many digests share a set the oldest
/// is forgotten, and its copy would count as a frame.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Duplicates {
    #[serde(with = "sparse")]
    sets: Vec<Set>,
}

impl Duplicates {
    pub(crate) fn new() -> Self {
        Self {
            sets: vec![Set::MADE; SETS],
        }
    }

    /// The interface of the frame just seen of which this one is a copy. `identified`: it carries an
    /// identification of its own, and `start` is where its network layer begins, so that
    /// copies with other MAC addresses or tags are found.
    pub(crate) fn original(
        &mut self,
        frame: &Frame<'_>,
        identified: Option<usize>,
        settings: &Settings,
    ) -> Option<u32> {
        let (bytes, window) = match identified {
            Some(start) => (
                frame.bytes.get(start..).unwrap_or_default(),
                settings.duplicate_id_ns,
            ),
            None => (frame.bytes, settings.duplicate_ns),
        };
        if bytes.is_empty() {
            return None;
        }
        // Behind other link headers a copy has another length on the wire.
        let length = match identified {
            Some(_) => bytes.len() as u64,
            None => u64::from(frame.wire_len),
        };
        let digest = digest(&bytes[..bytes.len().min(COMPARED)], length);
        let Set(ways) = &mut self.sets[digest as usize % SETS];
        let copied = |s: &Seen| {
            s.word ^ digest <= INTERFACES && (0..=window).contains(&frame.at.since(s.at))
        };
        if let Some(original) = ways.iter().find(|s| copied(s)) {
            return Some((original.word & INTERFACES) as u32);
        }
        // The oldest of them makes room.
        ways.copy_within(..WAYS - 1, 1);
        ways[0] = Seen {
            word: digest & !INTERFACES | u64::from(frame.interface) & INTERFACES,
            at: frame.at,
        };
        None
    }
}

/// A digest of few instructions; an attacker who can make two of them equal can only make
/// one of his own frames count as a copy of another.
pub(crate) fn digest(bytes: &[u8], length: u64) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    // Blocks do not wait for each other; each place has factors of its own.
    let mut place = K;
    let mut block = |block: &[u8; 16]| {
        place = place.wrapping_add(K << 1);
        match (block.first_chunk(), block.last_chunk()) {
            (Some(a), Some(b)) => mix(word(a) ^ place, word(b) ^ place.rotate_left(29)),
            _ => 0,
        }
    };
    let (blocks, rest) = bytes.as_chunks::<16>();
    let mut hash = length.wrapping_mul(K) ^ 0x5851_f42d_4c95_7f2d;
    for bytes in blocks {
        hash = hash.wrapping_add(block(bytes));
    }
    let mut last = [0; 16];
    last[..rest.len()].copy_from_slice(rest);
    mix(hash.wrapping_add(block(&last)), K)
}

fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::LinkType;

    fn copy(d: &mut Duplicates, at: i64, bytes: &[u8], identified: Option<usize>) -> bool {
        let frame = Frame {
            at: Timestamp::from_nanos(at),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: bytes.len() as u32,
            bytes,
        };
        d.original(&frame, identified, &Settings::default())
            .is_some()
    }

    #[test]
    fn a_copy_comes_at_once_and_a_retransmission_later() {
        let mut d = Duplicates::new();
        assert!(!copy(&mut d, 0, b"a frame", None));
        assert!(copy(&mut d, 5_000, b"a frame", None));
        assert!(!copy(&mut d, 5_000, b"b frame", None));
        assert!(!copy(&mut d, 200_000, b"a frame", None));
    }

    #[test]
    fn an_identified_packet_may_be_late_and_have_other_addresses() {
        let mut d = Duplicates::new();
        assert!(!copy(&mut d, 0, b"AApacket", Some(2)));
        assert!(copy(&mut d, 1_200_000, b"BBpacket", Some(2)));
        assert!(!copy(&mut d, 60_000_000, b"BBpacket", Some(2)));
    }
}
