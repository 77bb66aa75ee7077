//! The bits of headers that decide what a frame is.

use super::{Head, WORDS};
use crate::{Frame, LinkType};

/// Frames whose headers are of the same kinds.
#[derive(Debug)]
pub(super) struct HeaderShape {
    pub(super) number: u64,
    pub(super) link: LinkType,
    /// The bits that decide, and how many bytes of a frame they reach into.
    pub(super) mask: [u64; WORDS],
    pub(super) length: usize,
    /// Those that say what kind of headers these are: word, mask, value.
    pub(super) kinds: Vec<(usize, u64, u64)>,
}

impl HeaderShape {
    /// Whether the headers of a frame may be of these kinds, by the outermost. Where all bits that
    /// decide are those of a template of this shape, they [are](Self::fits).
    #[inline]
    pub(super) fn may_fit(&self, frame: &Frame<'_>, head: &Head) -> bool {
        self.length <= frame.bytes.len()
            && self.link == frame.link
            && self.kinds.first().is_none_or(|kind| is_kind(head, kind))
    }

    /// Whether headers that [may be](Self::may_fit) of these kinds are.
    pub(super) fn fits(&self, head: &Head) -> bool {
        self.kinds.iter().all(|kind| is_kind(head, kind))
    }

    /// A hash of the bits that decide, whose upper bits are the best.
    #[inline]
    pub(super) fn hash(&self, words: &[u64; WORDS]) -> u64 {
        const K: u64 = 0x9e37_79b9_7f4a_7c15;
        // Two sums that do not wait for each other.
        let mut sums = [self.number, 0];
        for at in 0..WORDS {
            sums[at % 2] = sums[at % 2].wrapping_mul(K).wrapping_add(words[at]);
        }
        let sum = sums[0] ^ sums[1].rotate_left(32);
        (sum ^ sum >> 29).wrapping_mul(K)
    }

    /// The bits that decide.
    #[inline]
    pub(super) fn words(&self, head: &Head) -> [u64; WORDS] {
        let mut words = self.mask;
        for (word, bytes) in words.iter_mut().zip(head) {
            *word &= u64::from_le_bytes(*bytes);
        }
        words
    }
}

/// The bytes of a frame that is shorter, with zeros behind it.
#[inline(never)]
pub(super) fn padded(bytes: &[u8]) -> Head {
    let mut head = Head::default();
    let (words, rest) = bytes.as_chunks();
    for (place, word) in head.iter_mut().zip(words) {
        *place = *word;
    }
    if let Some(place) = head.get_mut(words.len())
        && !rest.is_empty()
    {
        match bytes.last_chunk() {
            // All in one: the last bytes, without those that are in the word before.
            Some(last) => {
                *place = (u64::from_le_bytes(*last) >> (64 - 8 * rest.len())).to_le_bytes();
            }
            None => place[..rest.len()].copy_from_slice(rest),
        }
    }
    head
}

#[inline]
pub(super) fn read(bytes: &[u8]) -> Option<&Head> {
    bytes.as_chunks().0.first_chunk()
}

/// Whether these bits of a word have this value.
#[inline]
pub(super) fn is_kind(head: &Head, (at, mask, value): &(usize, u64, u64)) -> bool {
    u64::from_le_bytes(head[at % WORDS]) & mask == *value
}

/// Whether the bits that decide are the same.
#[inline]
pub(super) fn is_same(words: &[u64; WORDS], others: &[u64; WORDS]) -> bool {
    let mut differing = 0;
    for at in 0..WORDS {
        differing |= words[at] ^ others[at];
    }
    differing == 0
}
