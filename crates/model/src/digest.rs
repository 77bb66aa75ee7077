//! Numbers made of names: the same in every run, on every machine.

use wirewait_wire::Identity;

/// FNV-1a by words, the upper half of each product into the lower one, and then every bit into every
/// other one, so that the smallest numbers are a fair choice.
#[derive(Clone, Copy)]
pub struct Digest(u64);

impl Digest {
    /// Of nothing as yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "nothing is digested by default")]
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// Takes a number in.
    pub fn word(&mut self, word: u64) {
        let product = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
        self.0 = product ^ (product >> 32);
    }

    /// Takes in who an end is.
    pub fn end(&mut self, end: Identity) {
        let address = end.address();
        self.word(address as u64);
        self.word((address >> u64::BITS) as u64);
        self.word(end.rest());
    }

    /// The number made of all.
    #[must_use]
    pub const fn finish(self) -> u64 {
        let Self(mut z) = self;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
