//! XNS sequenced packets: connections with a window.

use crate::bytes::Put;

/// Destination connection number in the packet that opens a connection.
pub const UNKNOWN: u16 = 0;

/// Bits of the connection control byte.
pub mod flag {
    /// Takes no number and carries no data.
    pub const SYSTEM: u8 = 0x80;
    /// An acknowledgement is wanted.
    pub const ACK_WANTED: u8 = 0x40;
    /// One byte out of band.
    pub const ATTENTION: u8 = 0x20;
    /// The message ends here.
    pub const END_OF_MESSAGE: u8 = 0x10;
}

/// Datastream type: the connection ends.
pub const END: u8 = 0xfe;
/// Datastream type: so it does.
pub const END_REPLY: u8 = 0xff;

/// The twelve bytes before the data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Bits of [`flag`].
    pub control: u8,
    /// Datastream type; what programs send has one of their own choice.
    pub stream: u8,
    /// The sender's number for the connection.
    pub source: u16,
    /// The receiver's.
    pub destination: u16,
    /// Number of this packet, or of the next one in a system packet.
    pub sequence: u16,
    /// The number expected next.
    pub acknowledge: u16,
    /// The highest number that will be taken.
    pub allocation: u16,
}

/// A packet.
#[must_use]
pub fn packet(h: Header, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(12 + data.len());
    out.u8(h.control).u8(h.stream).be16(h.source);
    out.be16(h.destination).be16(h.sequence);
    out.be16(h.acknowledge).be16(h.allocation).put(data);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_bytes_most_significant_first() {
        let h = Header {
            control: flag::SYSTEM | flag::ACK_WANTED,
            stream: END,
            source: 0x1001,
            destination: 0x2002,
            sequence: 5,
            acknowledge: 9,
            allocation: 12,
        };
        assert_eq!(
            packet(h, &[0xaa]),
            [0xc0, 0xfe, 0x10, 1, 0x20, 2, 0, 5, 0, 9, 0, 12, 0xaa]
        );
    }
}
