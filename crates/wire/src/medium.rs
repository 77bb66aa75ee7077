//! What a frame takes on the wire beside the bytes that captures hold.

/// The cost of a frame of one kind of link, in bytes: perf definitions, section 7. All of it
/// is beside L, the frame without its check sequence, which is what captures hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Medium {
    /// The shortest L on the wire. Captures of what a station sends itself often lack the
    /// padding up to it.
    pub shortest: u32,
    /// The longest L on the wire, where there is a limit that all keep to. A longer frame was
    /// put together by the capturing station, and was several on the wire.
    pub longest: Option<u32>,
    /// Check sequence behind the frame.
    pub check: u32,
    /// Preamble and delimiters around it.
    pub preamble: u32,
    /// The gap that must follow it.
    pub gap: u32,
    /// From this rate on, in bits per second, stations have a way of their own in either
    /// direction; below, that is not certain.
    pub duplex_from: Option<u64>,
}

impl Medium {
    /// L: bytes on the wire, without check sequence, of a frame with `captured` bytes.
    #[must_use]
    pub const fn frame(&self, captured: u32) -> u64 {
        if captured < self.shortest {
            self.shortest as u64
        } else {
            captured as u64
        }
    }

    /// The time that the frame takes from others, in bytes: with check sequence, preamble and
    /// gap (variant C).
    #[must_use]
    pub const fn on_wire(&self, captured: u32) -> u64 {
        self.frame(captured) + (self.check + self.preamble + self.gap) as u64
    }
}
