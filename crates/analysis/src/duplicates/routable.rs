//! Packets in which routers are counted at a fixed place.

use super::{ROUTED, digest, digest_of_two, mix};
use wirewait_wire::{Frame, Routed, Span};

/// A packet in which routers are counted.
pub(super) struct Routable<'a> {
    /// From its header on, as far as it is compared.
    bytes: &'a [u8],
    routed: &'a Routed,
    pub(super) hops: u8,
}

impl<'a> Routable<'a> {
    #[inline]
    pub(super) fn of(frame: &Frame<'a>, span: &Span, routed: &'a Routed) -> Option<Self> {
        let start = span.start as usize;
        let end = frame.bytes.len().min(span.end as usize).min(start + ROUTED);
        let bytes = frame.bytes.get(start..end)?;
        let counted = *bytes.get(routed.counter)?;
        Some(Self {
            bytes,
            routed,
            hops: if routed.up {
                counted
            } else {
                u8::MAX - counted
            },
        })
    }

    /// Of what is the same on both sides of a router.
    // Part of the look at each packet.
    #[inline(always)]
    pub(super) fn digest(&self) -> u64 {
        match self.bytes.split_first_chunk::<16>() {
            Some((head, rest)) => {
                let word = |at: usize| {
                    let words = |bytes: &[u8; 16]| u64::from_le_bytes(bytes.as_chunks().0[at]);
                    words(head) & words(&self.routed.stays)
                };
                let head = mix(word(0), word(1) ^ 0x5851_f42d_4c95_7f2d);
                match rest.first_chunk() {
                    // As nearly all are.
                    Some(rest) => digest_of_two(rest, head),
                    None => digest(rest, head),
                }
            }
            None => digest(&[], self.bytes.len() as u64),
        }
    }
}
