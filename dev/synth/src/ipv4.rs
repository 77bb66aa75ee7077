//! IPv4, TCP and UDP with correct checksums.

use crate::bytes::{Put, len16};
use std::net::Ipv4Addr;

/// Protocol number of TCP.
pub const TCP: u8 = 6;
/// Protocol number of UDP.
pub const UDP: u8 = 17;

/// TCP flag bits.
pub mod flag {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// Opens a connection.
    pub const SYN: u8 = 0x02;
    /// Ends a connection at once.
    pub const RST: u8 = 0x04;
    /// The receiver should hand the data on.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement number counts.
    pub const ACK: u8 = 0x10;
}

/// An address and a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Socket {
    /// The address.
    pub address: Ipv4Addr,
    /// The port.
    pub port: u16,
}

/// The changing part of a TCP header.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number.
    pub acknowledgement: u32,
    /// Flags, of [`flag`].
    pub flags: u8,
    /// Window.
    pub window: u16,
    /// Options, a multiple of four bytes.
    pub options: &'a [u8],
    /// Data.
    pub data: &'a [u8],
}

/// The sum of 16-bit words without final complement (RFC 1071).
#[must_use]
pub fn sum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<2>();
    let whole: u64 = words
        .iter()
        .map(|word| u64::from(u16::from_be_bytes(*word)))
        .sum();
    whole + rest.first().map_or(0, |last| u64::from(*last) << 8)
}

/// Folds a sum and complements it (RFC 1071).
#[must_use]
pub const fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv4 packet with this identification.
#[must_use]
pub fn packet(from: Ipv4Addr, to: Ipv4Addr, protocol: u8, id: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(20 + data.len()).unwrap_or(u16::MAX);
    let mut out = Vec::with_capacity(20 + data.len());
    out.u8(0x45).u8(0).be16(length).be16(id).be16(0x4000);
    out.u8(64).u8(protocol).be16(0);
    out.put(&from.octets()).put(&to.octets());
    let checksum = fold(sum(&out));
    out[10..12].copy_from_slice(&checksum.to_be_bytes());
    out.put(data);
    out
}

/// The part of the pseudo-header that TCP and UDP checksums cover.
fn pseudo(from: Socket, to: Socket, protocol: u8, length: usize) -> u64 {
    sum(&from.address.octets()) + sum(&to.address.octets()) + u64::from(protocol) + length as u64
}

/// A TCP segment, from the TCP header on.
#[must_use]
pub fn tcp(from: Socket, to: Socket, segment: &Segment<'_>) -> Vec<u8> {
    let words = u8::try_from(5 + segment.options.len() / 4).unwrap_or(15);
    let mut out = Vec::with_capacity(20 + segment.options.len() + segment.data.len());
    out.be16(from.port).be16(to.port);
    out.be32(segment.sequence).be32(segment.acknowledgement);
    out.u8(words << 4).u8(segment.flags).be16(segment.window);
    out.be16(0).be16(0).put(segment.options).put(segment.data);
    let checksum = fold(pseudo(from, to, TCP, out.len()) + sum(&out));
    out[16..18].copy_from_slice(&checksum.to_be_bytes());
    out
}

/// A UDP datagram, from the UDP header on.
#[must_use]
pub fn udp(from: Socket, to: Socket, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + data.len());
    out.be16(from.port).be16(to.port);
    out.be16(len16(data).saturating_add(8)).be16(0).put(data);
    let checksum = fold(pseudo(from, to, UDP, out.len()) + sum(&out));
    // A checksum of zero means "none"; the other zero stands in (RFC 768).
    let checksum = if checksum == 0 { 0xffff } else { checksum };
    out[6..8].copy_from_slice(&checksum.to_be_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Socket = Socket {
        address: Ipv4Addr::new(10, 0, 0, 1),
        port: 1025,
    };
    const B: Socket = Socket {
        address: Ipv4Addr::new(10, 0, 0, 9),
        port: 139,
    };

    #[test]
    fn the_example_of_rfc_1071() {
        assert_eq!(
            sum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]),
            0x2ddf0
        );
        assert_eq!(fold(0x2ddf0), !0xddf2);
    }

    #[test]
    fn checksums_verify() {
        let data = udp(A, B, b"odd");
        assert_eq!(fold(pseudo(A, B, UDP, data.len()) + sum(&data)), 0);
        let segment = Segment {
            sequence: 1,
            acknowledgement: 2,
            flags: flag::ACK,
            window: 8760,
            options: &[2, 4, 5, 0xb4],
            data: b"abc",
        };
        let data = tcp(A, B, &segment);
        assert_eq!(data[12], 0x60);
        assert_eq!(fold(pseudo(A, B, TCP, data.len()) + sum(&data)), 0);
        let out = packet(A.address, B.address, TCP, 7, &data);
        assert_eq!(fold(sum(&out[..20])), 0);
        assert_eq!(out[2..4], [0, 47]);
    }
}
