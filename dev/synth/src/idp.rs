//! XNS internet datagrams, with their checksum, and what Ethernet carries them in.

use crate::bytes::Put;
use crate::ethernet::{self, Encapsulation, Header};
use crate::ipx::{Address, Framing};

/// Packet type: routing information.
pub const TYPE_RIP: u8 = 1;
/// Packet type: echo.
pub const TYPE_ECHO: u8 = 2;
/// Packet type: error.
pub const TYPE_ERROR: u8 = 3;
/// Packet type: packet exchange.
pub const TYPE_PEP: u8 = 4;
/// Packet type: sequenced packets.
pub const TYPE_SPP: u8 = 5;

/// The EtherType.
pub const ETHERNET_TYPE: u16 = 0x0600;

/// A packet with its checksum, and a byte of padding if its length is odd.
#[must_use]
pub fn packet(from: &Address, to: &Address, kind: u8, hops: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(30 + data.len()).unwrap_or(u16::MAX);
    let mut out = Vec::with_capacity(31 + data.len());
    out.be16(0).be16(length).u8(hops & 0x0f).u8(kind);
    for end in [to, from] {
        out.be32(end.net).put(&end.node).be16(end.socket);
    }
    out.put(data).align(2);
    let sum = checksum(&out);
    out[..2].copy_from_slice(&sum.to_be_bytes());
    out
}

/// Each word is added and the sum doubled, in one's complement; the carries are folded in
/// before 32 bits run over, as 4.3BSD does it. The field itself must be 0.
fn checksum(packet: &[u8]) -> u16 {
    let mut sum: u32 = 0;
    for words in packet.chunks(16) {
        for word in words.chunks(2) {
            sum += u32::from(word[0]) << 8 | u32::from(word.get(1).copied().unwrap_or(0));
            sum += sum;
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
    }
    // The value of all ones says that there is no checksum; 0 is the same number.
    u16::try_from(sum % 0xffff).unwrap_or(0)
}

/// The packet in a frame. There is no raw framing of XNS; Ethernet II stands for it.
#[must_use]
pub fn frame(header: &Header, framing: Framing, packet: &[u8]) -> Vec<u8> {
    let behind = |prefix: &[u8]| [prefix, packet].concat();
    match framing {
        Framing::Raw | Framing::Ethernet2 => {
            ethernet::frame(header, Encapsulation::Type(ETHERNET_TYPE), packet)
        }
        // 3Com's way: service access point 80, then a type.
        Framing::Llc => ethernet::frame(
            header,
            Encapsulation::Length,
            &behind(&[0x80, 0x80, 0x03, 0x06, 0x00]),
        ),
        Framing::Snap => ethernet::frame(
            header,
            Encapsulation::Length,
            &behind(&[0xaa, 0xaa, 0x03, 0, 0, 0, 0x06, 0x00]),
        ),
    }
}

/// A packet of the packet exchange protocol.
#[must_use]
pub fn pep(id: u32, client_type: u16, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(6 + data.len());
    out.be32(id).be16(client_type).put(data);
    out
}

/// An echo packet: operation 1 asks, 2 answers.
#[must_use]
pub fn echo(operation: u16, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(2 + data.len());
    out.be16(operation).put(data);
    out
}

/// An error packet about another packet, of which the first 42 bytes come along.
#[must_use]
pub fn error(number: u16, parameter: u16, offending: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(46);
    out.be16(number).be16(parameter);
    out.put(&offending[..offending.len().min(42)]);
    out
}

/// A routing packet about one network: operation 1 asks, 2 tells.
#[must_use]
pub fn rip(operation: u16, network: u32, hops: u16) -> Vec<u8> {
    let mut out = Vec::with_capacity(8);
    out.be16(operation).be32(network).be16(hops);
    out
}

/// What a Courier message does.
#[derive(Clone, Copy, Debug)]
pub enum Courier {
    /// Calls procedure of program, with the program's version.
    Call {
        /// Program.
        program: u32,
        /// Its version.
        version: u16,
        /// Procedure.
        procedure: u16,
    },
    /// Does not carry the call out, for this reason.
    Reject(u16),
    /// Returns.
    Return,
    /// Reports an error with this number.
    Abort(u16),
}

/// A message of version 3 of Courier.
#[must_use]
pub fn courier(transaction: u16, courier: Courier, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(12 + data.len());
    match courier {
        Courier::Call {
            program,
            version,
            procedure,
        } => out
            .be16(0)
            .be16(transaction)
            .be32(program)
            .be16(version)
            .be16(procedure),
        Courier::Reject(reason) => out.be16(1).be16(transaction).be16(reason),
        Courier::Return => out.be16(2).be16(transaction),
        Courier::Abort(error) => out.be16(3).be16(transaction).be16(error),
    };
    out.put(data);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Address = Address {
        net: 0x22,
        node: [2, 0x60, 0x8c, 0x12, 0x34, 0x56],
        socket: 0x0bc1,
    };
    const TO: Address = Address {
        net: 0,
        node: [2, 0x60, 0x8c, 0, 0, 9],
        socket: 0x0464,
    };

    #[test]
    fn a_packet_has_a_checksum_and_an_even_number_of_bytes() {
        let data = pep(0x1234, 0, b"name:dom:org\0");
        let out = packet(&FROM, &TO, TYPE_PEP, 2, &data);
        assert_eq!(out.len(), 50);
        // Worked out with another program.
        assert_eq!(out[..6], [0x52, 0x6d, 0, 49, 2, 4]);
        assert_eq!(out[16..18], [0x04, 0x64]);
        assert_eq!(out[28..34], [0x0b, 0xc1, 0, 0, 0x12, 0x34]);
    }

    #[test]
    fn a_call_names_its_program_in_four_bytes() {
        let call = Courier::Call {
            program: 10,
            version: 5,
            procedure: 7,
        };
        assert_eq!(
            courier(9, call, &[1]),
            [0, 0, 0, 9, 0, 0, 0, 10, 0, 5, 0, 7, 1]
        );
        assert_eq!(courier(9, Courier::Reject(2), &[]), [0, 1, 0, 9, 0, 2]);
        assert_eq!(courier(9, Courier::Return, &[8]), [0, 2, 0, 9, 8]);
    }

    #[test]
    fn behind_3coms_service_access_point_comes_a_type() {
        let header = Header {
            destination: [2; 6],
            source: [4; 6],
            vlan: None,
        };
        let out = frame(&header, Framing::Llc, &[0; 60]);
        assert_eq!(out[12..19], [0, 65, 0x80, 0x80, 3, 6, 0]);
        let out = frame(&header, Framing::Raw, &[0; 60]);
        assert_eq!(out[12..14], [6, 0]);
    }
}
