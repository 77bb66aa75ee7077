//! Frames as they are without the tags of virtual networks.

use super::COMPARED;

/// The beginning of a frame as it is without its tags: a mirror port of a trunk copies frames with them and without.
pub(super) struct Untagged {
    bytes: [u8; COMPARED],
    length: usize,
    /// Bytes of the tags.
    pub(super) tags: u64,
}

impl Untagged {
    #[cold]
    pub(super) fn of(bytes: &[u8], (from, to): (u32, u32)) -> Self {
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

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length.min(COMPARED)]
    }
}
