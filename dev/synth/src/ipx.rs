//! IPX packets and the four ways in which Ethernet carries them.

use crate::bytes::Put;
use crate::ethernet::{self, Encapsulation, Header, Mac};

/// The NCP server's socket.
pub const NCP_SOCKET: u16 = 0x0451;
/// The socket of a server that speaks SMB directly over IPX.
pub const SMB_SOCKET: u16 = 0x0550;

/// Packet type of the packet exchange protocol; SMB over IPX uses it.
pub const TYPE_EXCHANGE: u8 = 4;
/// Packet type of SPX.
pub const TYPE_SPX: u8 = 5;
/// Packet type of broadcasts that routers pass on, for NetBIOS.
pub const TYPE_PROPAGATED: u8 = 20;
/// Packet type of NCP.
pub const TYPE_NCP: u8 = 0x11;

/// Network, node and socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Network number.
    pub net: u32,
    /// Node; on a LAN the station's MAC address.
    pub node: Mac,
    /// Socket.
    pub socket: u16,
}

/// How Ethernet carries an IPX packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// 802.3 with nothing between length and packet (NetWare's "Ethernet_802.3").
    #[default]
    Raw,
    /// EtherType 8137 ("Ethernet_II").
    Ethernet2,
    /// LLC with service access point E0 ("Ethernet_802.2").
    Llc,
    /// LLC and SNAP with type 8137 ("Ethernet_SNAP").
    Snap,
}

/// A packet without checksum.
#[must_use]
pub fn packet(from: &Address, to: &Address, kind: u8, hops: u8, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(30 + data.len()).unwrap_or(u16::MAX);
    let mut out = Vec::with_capacity(30 + data.len());
    out.be16(0xffff).be16(length).u8(hops).u8(kind);
    for end in [to, from] {
        out.be32(end.net).put(&end.node).be16(end.socket);
    }
    out.put(data);
    out
}

/// The packet in a frame.
#[must_use]
pub fn frame(header: &Header, framing: Framing, packet: &[u8]) -> Vec<u8> {
    let behind = |prefix: &[u8]| [prefix, packet].concat();
    match framing {
        Framing::Raw => ethernet::frame(header, Encapsulation::Length, packet),
        Framing::Ethernet2 => ethernet::frame(header, Encapsulation::Type(0x8137), packet),
        Framing::Llc => {
            ethernet::frame(header, Encapsulation::Length, &behind(&[0xe0, 0xe0, 0x03]))
        }
        Framing::Snap => ethernet::frame(
            header,
            Encapsulation::Length,
            &behind(&[0xaa, 0xaa, 0x03, 0, 0, 0, 0x81, 0x37]),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_bytes_of_header_destination_first() {
        let from = Address {
            net: 0x22,
            node: [2, 0, 0, 0, 0x22, 1],
            socket: 0x4003,
        };
        let to = Address {
            net: 0x22,
            node: [2, 0, 0, 0, 0, 1],
            socket: NCP_SOCKET,
        };
        let out = packet(&from, &to, TYPE_NCP, 1, b"1234567");
        assert_eq!(out.len(), 37);
        assert_eq!(out[..6], [0xff, 0xff, 0, 37, 1, 0x11]);
        assert_eq!(out[16..18], [0x04, 0x51]);
        assert_eq!(out[28..30], [0x40, 0x03]);
    }

    #[test]
    fn padding_by_framing_as_the_specification_computes_it() {
        // 30 + 7 bytes of IPX: 9 bytes of padding raw and in Ethernet II, 6 behind LLC,
        // 1 behind SNAP.
        let header = Header {
            destination: [2; 6],
            source: [4; 6],
            vlan: None,
        };
        let packet = [0xff; 37];
        for (framing, before) in [
            (Framing::Raw, 14),
            (Framing::Ethernet2, 14),
            (Framing::Llc, 17),
            (Framing::Snap, 22),
        ] {
            let out = frame(&header, framing, &packet);
            assert_eq!(out.len(), 60);
            assert_eq!(out[before..before + 37], packet);
            assert!(out[before + 37..].iter().all(|byte| *byte == 0));
        }
    }
}
