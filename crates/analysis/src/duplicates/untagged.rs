//! Frames as they are without the tags of virtual networks.

use super::{COMPARED, digest, link};
use wirewait_wire::Frame;

/// The beginning of a frame as it is without its tags: a mirror port of a trunk copies frames with them and without.
pub(super) struct Untagged {
    bytes: [u8; COMPARED],
    length: usize,
    /// Bytes of the tags.
    tags: u64,
}

impl Untagged {
    fn of(bytes: &[u8], (from, to): (u32, u32)) -> Self {
        let [from, to] = [from, to].map(|at| bytes.len().min(at as usize));
        let all = bytes[..from].iter().chain(&bytes[to.max(from)..]);
        let mut untagged = Self {
            bytes: [0; COMPARED],
            length: 0,
            tags: to.saturating_sub(from) as u64,
        };
        for (place, byte) in untagged.bytes.iter_mut().zip(all) {
            *place = *byte;
            untagged.length += 1;
        }
        untagged
    }

    /// A digest of a frame without its tags, and of this sum with their length in it.
    #[cold]
    #[inline(never)]
    pub(super) fn digest(bytes: &[u8], tags: (u32, u32), sum: u64) -> u64 {
        let untagged = Self::of(bytes, tags);
        digest(untagged.bytes(), sum.wrapping_sub(untagged.tags))
    }

    /// What tells the link header from others, without the tags.
    #[cold]
    #[inline(never)]
    pub(super) fn link(head: &[u8], frame: &Frame<'_>, tags: (u32, u32)) -> u64 {
        let untagged = Self::of(head, tags);
        let length = u64::from(frame.wire_len).wrapping_sub(untagged.tags);
        link(untagged.bytes(), length)
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length.min(COMPARED)]
    }
}
