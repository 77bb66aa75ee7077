//! NCP packet burst: many packets for one read or write.

use crate::bytes::{Put, len16};

/// Flag bits.
pub mod flag {
    /// A packet of the protocol itself: acknowledgement or list of what is missing.
    pub const SYSTEM: u8 = 0x80;
    /// The last packet of a burst.
    pub const END: u8 = 0x10;
    /// The server is busy.
    pub const BUSY: u8 = 0x08;
}

/// The header of a burst packet, without its last fields: data length, missing fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Flags, of [`flag`].
    pub flags: u8,
    /// Connection identifier of the sender.
    pub source: u32,
    /// Connection identifier of the receiver.
    pub destination: u32,
    /// Packet sequence: one more for every packet, also for one retransmitted.
    pub packet: u32,
    /// Number of the burst.
    pub burst: u16,
    /// Number of the burst that is expected next.
    pub expected: u16,
    /// Bytes in the whole burst.
    pub total: u32,
    /// Where in it this packet's data stand.
    pub offset: u32,
}

/// A packet that carries data.
#[must_use]
pub fn packet(header: &Header, data: &[u8]) -> Vec<u8> {
    let mut out = start(header);
    out.be16(len16(data)).be16(0).put(data);
    out
}

/// A system packet: these parts (offset and length) are missing, or none is.
#[must_use]
pub fn system(header: &Header, missing: &[(u32, u16)]) -> Vec<u8> {
    let mut out = start(&Header {
        flags: header.flags | flag::SYSTEM,
        ..*header
    });
    out.be16(0)
        .be16(u16::try_from(missing.len()).unwrap_or(u16::MAX));
    for (offset, length) in missing {
        out.be32(*offset).be16(*length);
    }
    out
}

fn start(header: &Header) -> Vec<u8> {
    let mut out = Vec::new();
    // Type, flags, stream type "big send burst", identifiers.
    out.be16(0x7777).u8(header.flags).u8(2);
    out.be32(header.source).be32(header.destination);
    out.be32(header.packet).be32(0);
    out.be16(header.burst).be16(header.expected);
    out.be32(header.total).be32(header.offset);
    out
}

/// What a read request's burst consists of.
#[must_use]
pub fn read(file: u32, offset: u32, length: u32) -> Vec<u8> {
    command(1, file, offset, length)
}

/// What a write request's burst consists of.
#[must_use]
pub fn write(file: u32, offset: u32, data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    let mut out = command(2, file, offset, length);
    out.put(data);
    out
}

fn command(function: u32, file: u32, offset: u32, length: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.le32(function).be32(file).zeros(8);
    out.be32(offset).be32(length);
    out
}

/// What the answer to a read consists of.
#[must_use]
pub fn read_reply(result: u32, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.le32(result);
    out.be32(u32::try_from(data.len()).unwrap_or(u32::MAX));
    out.put(data);
    out
}

/// What the answer to a write consists of.
#[must_use]
pub fn write_reply(result: u32) -> Vec<u8> {
    result.to_le_bytes().to_vec()
}

/// Body of function 101, packet burst connection: identifier, largest packet, socket,
/// largest send and receive.
#[must_use]
pub fn connect(client: u32, packet: u32, socket: u16) -> Vec<u8> {
    let mut out = Vec::new();
    out.be32(client).be32(packet).be16(socket);
    out.be32(65536).be32(65536);
    out
}

/// Body of the reply to it.
#[must_use]
pub fn connect_reply(server: u32, packet: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.be32(server).be32(packet).be32(65536).be32(65536);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_follow_thirty_six_bytes() {
        let header = Header {
            flags: flag::END,
            burst: 3,
            expected: 4,
            total: 9,
            offset: 5,
            ..Header::default()
        };
        let out = packet(&header, b"data");
        assert_eq!(out.len(), 40);
        assert_eq!(out[..4], [0x77, 0x77, 0x10, 2]);
        assert_eq!(
            out[20..36],
            [0, 3, 0, 4, 0, 0, 0, 9, 0, 0, 0, 5, 0, 4, 0, 0]
        );
    }

    #[test]
    fn a_system_packet_lists_what_is_missing() {
        let out = system(&Header::default(), &[(1400, 700)]);
        assert_eq!(out[2], flag::SYSTEM);
        assert_eq!(out[34..], [0, 1, 0, 0, 5, 0x78, 2, 0xbc]);
    }

    #[test]
    fn requests_have_twenty_four_bytes_before_the_data() {
        assert_eq!(read(1, 2, 3).len(), 24);
        assert_eq!(write(1, 2, b"abc").len(), 27);
    }
}
