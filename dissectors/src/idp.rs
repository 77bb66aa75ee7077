//! Xerox Internet Datagram Protocol ("Internet Transport Protocols", XSIS 028112, December
//! 1981), the network layer of XNS and of 3Com's 3+. IPX was made from it, so the headers have
//! one layout; but here the checksum is used, and packet types mean what they say.

use crate::ipx::Address;
use crate::parse::{header, malformed};
use crate::{ethernet, xns_error};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, Next, Side, Table, Verified,
};

/// Packet types.
pub const TYPE: Table = Table::new("idp.type");

/// Sockets of either end, tried behind the packet type; the lower one first.
pub const SOCKET: Table = Table::new("idp.socket");

/// An IDP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Checksum; [`Header::NO_CHECKSUM`] where there is none.
    pub checksum: u16,
    /// Bytes of header and data, without padding.
    pub length: u16,
    /// Transport control: routers passed, in the low four bits.
    pub transport_control: u8,
    /// Packet type.
    pub packet_type: u8,
    /// Receiver.
    pub destination: Address,
    /// Sender.
    pub source: Address,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 30;

    /// Checksum of a packet that has none.
    pub const NO_CHECKSUM: u16 = 0xffff;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the length is less than the header's.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 30] = header(input)?;
        let length = u16::from_be_bytes([h[2], h[3]]);
        if u32::from(length) < Self::LENGTH {
            return Err(malformed(2, "length less than 30"));
        }
        Ok(Self {
            checksum: u16::from_be_bytes([h[0], h[1]]),
            length,
            transport_control: h[4],
            packet_type: h[5],
            destination: Address {
                network: u32::from_be_bytes([h[6], h[7], h[8], h[9]]),
                node: [h[10], h[11], h[12], h[13], h[14], h[15]],
                socket: u16::from_be_bytes([h[16], h[17]]),
            },
            source: Address {
                network: u32::from_be_bytes([h[18], h[19], h[20], h[21]]),
                node: [h[22], h[23], h[24], h[25], h[26], h[27]],
                socket: u16::from_be_bytes([h[28], h[29]]),
            },
        })
    }

    /// Routers passed.
    #[must_use]
    pub const fn hops(&self) -> u8 {
        self.transport_control & 0x0f
    }

    /// What the data goes by.
    #[must_use]
    pub fn next(&self) -> Next {
        let (from, to) = (self.source.socket, self.destination.socket);
        Next::three(
            TYPE.key(self.packet_type.into()),
            SOCKET.key(from.min(to).into()),
            SOCKET.key(from.max(to).into()),
        )
    }

    /// Which side sent the packet, as far as the sockets tell: a well-known one serves.
    #[must_use]
    pub const fn sender(&self) -> Side {
        match (
            is_well_known(self.source.socket),
            is_well_known(self.destination.socket),
        ) {
            (false, true) => Side::Client,
            (true, false) => Side::Server,
            _ => Side::Unknown,
        }
    }
}

/// Packet types that others need to know.
pub(crate) mod packet {
    pub(crate) const RIP: u8 = 1;
    pub(crate) const ECHO: u8 = 2;
    pub(crate) const ERROR: u8 = 3;
    pub(crate) const PEP: u8 = 4;
    pub(crate) const SPP: u8 = 5;
}

/// Whether a socket is given to a service for good: those up to 3000 are, and the one of
/// 3Com's file service.
#[must_use]
pub const fn is_well_known(socket: u16) -> bool {
    matches!(socket, 1..=3000 | 0x0bbc)
}

/// What a well-known socket is for: Xerox's by XSIS 028112 and later standards, those from
/// 0401 on by 3Com's technical notes.
#[must_use]
pub const fn socket_name(socket: u16) -> Option<&'static str> {
    Some(match socket {
        1 => "routing information",
        2 => "echo",
        3 => "error",
        4 => "envoy",
        5 => "Courier",
        7 => "old clearinghouse",
        8 => "time",
        10 => "boot",
        19 => "diagnostics",
        20 => "clearinghouse",
        21 => "authentication",
        22 => "mail",
        23 => "network executive",
        24 => "workstation information",
        28 => "binding",
        35 => "germ",
        48 => "teledebug",
        0x004b => "Bridge XNS remote",
        0x0401 => "3+ start",
        0x0462 => "3+Mail, PEP",
        0x0463 => "3+Mail, SPP",
        0x0464 => "3+Name, PEP",
        0x0465 => "3+Name, SPP",
        0x0466 => "3+Time",
        0x0468 => "EtherShare logout",
        0x046d => "3+ locator",
        0x0bbc => "3+ file service",
        _ => return None,
    })
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "idp",
    title: "Xerox Internet Datagram Protocol (XNS), XSIS 028112",
    does: "networks, hosts and sockets, hops, length, checksums; sockets of Xerox and of 3Com's \
           3+ by name; which side serves, by well-known sockets; Ethernet version 2, SNAP and \
           3Com's 802.2 framing",
    lacks: "no capture of a real network was found to try it on",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(ethernet::TYPE.key(0x0600))],
    conveys: true,
    carrier: Some("idp"),
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = h.source.endpoint();
    facts.to = h.destination.endpoint();
    facts.hops = Some(h.hops());
    facts.sender = h.sender();
    if h.packet_type == packet::ERROR
        && let Some(refused) = xns_error::refused(input.skip(Header::LENGTH))
        && refused.destination.endpoint().station() == facts.from.station()
        && refused.source.endpoint().station() == facts.to.station()
    {
        // The station that was asked refuses: it speaks for the socket that it was asked at.
        // Some send it to the error socket instead of the asker's.
        facts.from.port = Some(refused.destination.socket);
        facts.to.port = Some(refused.source.socket);
    }
    Ok(Layer {
        header: Header::LENGTH,
        end: h.length.into(),
        next: h.next(),
    })
}

/// The checksum over a packet without its first two bytes: one's complement addition of each
/// word, then a rotation to the left. A packet of odd length has a byte of padding, which
/// counts. The result that would say "none" is written as 0.
fn checksum(packet: &[u8]) -> u16 {
    let sum = packet.chunks(2).skip(1).fold(0u16, |sum, word| {
        let word = u16::from_be_bytes([word[0], word.get(1).copied().unwrap_or(0)]);
        let (sum, carry) = sum.overflowing_add(word);
        sum.wrapping_add(carry.into()).rotate_left(1)
    });
    if sum == Header::NO_CHECKSUM { 0 } else { sum }
}

/// What is to be said of the checksum of this packet.
fn check(input: Input<'_>) -> String {
    let Ok(h) = Header::parse(input) else {
        return String::new();
    };
    if h.checksum == Header::NO_CHECKSUM {
        return "none".into();
    }
    let length = usize::from(h.length);
    if input.bytes.len() < length {
        return "not checked: the packet is cut off".into();
    }
    let even = length.next_multiple_of(2).min(input.bytes.len());
    match checksum(&input.bytes[..even]) {
        right if right == h.checksum => "right".into(),
        right => format!("wrong, should be {right:04x}"),
    }
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    write!(
        out,
        "{} > {}, {}",
        h.source.endpoint(),
        h.destination.endpoint(),
        PacketType(h.packet_type)
    )?;
    let (from, to) = (h.source.socket, h.destination.socket);
    if let Some(name) = socket_name(from.min(to)).or_else(|| socket_name(from.max(to))) {
        write!(out, " ({name})")?;
    }
    write!(out, ", hops {}, length {}", h.hops(), h.length)
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let check = check(f.input());
    header_fields(f, &check)
}

/// The fields of a header, which may stand in another packet; `check` is what is to be said of
/// its checksum.
pub(crate) fn header_fields(f: &mut Fields<'_>, check: &str) -> Option<()> {
    f.be16("Checksum")?;
    f.hex().means(check);
    f.be16("Length")?;
    f.u8("Transport control")?;
    f.hex().bits(0x0f, "Hops");
    let packet_type = f.u8("Packet type")?;
    f.means(PacketType(packet_type));
    for (network, host, socket) in [
        (
            "Destination network",
            "Destination host",
            "Destination socket",
        ),
        ("Source network", "Source host", "Source socket"),
    ] {
        let number = f.be32(network)?;
        f.hex().means(match number {
            0 => "this network",
            u32::MAX => "any network",
            _ => "",
        });
        if let Ok(address) = <[u8; 6]>::try_from(f.bytes(6, host)?) {
            f.shown(Endpoint::mac(address));
            f.means(if address == [0xff; 6] { "everyone" } else { "" });
        }
        let number = f.be16(socket)?;
        f.hex().means(socket_name(number).unwrap_or_default());
    }
    Some(())
}

struct PacketType(u8);

impl fmt::Display for PacketType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            packet::RIP => "RIP",
            packet::ECHO => "echo",
            packet::ERROR => "error",
            packet::PEP => "PEP",
            packet::SPP => "SPP",
            6 => "PUP host lookup",
            9 => "boot server",
            12 => "PUP",
            other => return write!(f, "type {other}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// A PEP request of 20 bytes to 3+Name. The checksum was computed by hand with the
    /// algorithm of 4.3BSD (netns/ns_cksum.c), which adds into 32 bits, doubles and folds.
    const BYTES: [u8; 50] = [
        0x53, 0x6d, 0x00, 0x32, 0x02, 0x04, // checksum, length, hops, packet exchange
        0x00, 0x00, 0x00, 0x00, 0x02, 0x60, 0x8c, 0x00, 0x00, 0x09, 0x04, 0x64, //
        0x00, 0x00, 0x00, 0x22, 0x02, 0x60, 0x8c, 0x12, 0x34, 0x56, 0x0b, 0xc1, //
        0x00, 0x00, 0x12, 0x34, 0x00, 0x00, b'n', b'a', b'm', b'e', b':', b'd', b'o', b'm', b':',
        b'o', b'r', b'g', 0x00, 0x00,
    ];

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length: 60 }, &mut facts).unwrap();
        (layer, facts)
    }

    fn checked(bytes: &[u8]) -> String {
        testing::fields(&DISSECTOR, Input::whole(bytes))[0]
            .meaning
            .clone()
    }

    #[test]
    fn reads_addresses_and_trims_to_its_length() {
        let (layer, facts) = read(&BYTES);
        assert_eq!((layer.header, layer.end), (30, 50));
        assert_eq!(
            facts.from,
            Endpoint::ipx(0x22, [0x02, 0x60, 0x8c, 0x12, 0x34, 0x56], 0x0bc1)
        );
        assert_eq!((facts.from.net, facts.to.net), (0x22, 0));
        assert_eq!((facts.hops, facts.sender), (Some(2), Side::Client));
        let keys = [TYPE.key(4), SOCKET.key(0x0464), SOCKET.key(0x0bc1)];
        assert!(layer.next.keys().eq(keys));
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "00000022.02608c123456:0bc1 > 00000000.02608c000009:0464, PEP (3+Name, PEP), hops 2, \
             length 50"
        );
    }

    #[test]
    fn the_well_known_socket_serves() {
        let sender = |from: u16, to: u16| {
            let mut bytes = BYTES;
            bytes[28..30].copy_from_slice(&from.to_be_bytes());
            bytes[16..18].copy_from_slice(&to.to_be_bytes());
            read(&bytes).1.sender
        };
        assert_eq!(sender(3001, 3000), Side::Client);
        assert_eq!(sender(0x0464, 0x0bc1), Side::Server);
        assert_eq!(sender(0x0bbc, 0x0bc1), Side::Server);
        assert_eq!(sender(0x0464, 0x0464), Side::Unknown);
        assert_eq!(sender(0x0bc1, 0x0bc2), Side::Unknown);
        assert_eq!(sender(0, 3001), Side::Unknown, "0 is no socket");
    }

    #[test]
    fn the_checksum_is_verified() {
        assert_eq!(checked(&BYTES), "right");
        let mut bytes = BYTES;
        bytes[49] = 1;
        assert_eq!(checked(&bytes), "wrong, should be 536f");
        bytes[..2].fill(0xff);
        assert_eq!(checked(&bytes), "none");
        let cut = Input {
            bytes: &BYTES[..40],
            length: 50,
        };
        let fields = testing::fields(&DISSECTOR, cut);
        assert_eq!(fields[0].meaning, "not checked: the packet is cut off");
    }

    #[test]
    fn the_byte_behind_an_odd_length_counts() {
        let mut bytes = BYTES;
        bytes[3] = 49;
        let right = checksum(&bytes);
        bytes[..2].copy_from_slice(&right.to_be_bytes());
        assert_eq!(checked(&bytes), "right");
        assert_eq!(checked(&bytes[..49]), "right", "it was 0");
        bytes[49] = 7;
        assert!(checked(&bytes).starts_with("wrong"));
    }

    #[test]
    fn words_are_added_with_the_carry_and_rotated() {
        // 8000 + 8001 carries: 0002, rotated 0004; + fffd carries: 0002, rotated 0004.
        let packet = |words: &[u16]| -> Vec<u8> {
            let all = [&[0], words].concat();
            all.iter().flat_map(|w| w.to_be_bytes()).collect()
        };
        assert_eq!(checksum(&packet(&[0x4000])), 0x8000);
        assert_eq!(checksum(&packet(&[0x4000, 0x8001])), 0x0004);
        assert_eq!(checksum(&packet(&[0x4000, 0x8001, 0xfffd])), 0x0004);
        assert_eq!(
            checksum(&packet(&[0xffff])),
            0,
            "which would say that there is none"
        );
    }

    #[test]
    fn a_length_below_the_header_is_malformed() {
        let mut bytes = BYTES;
        bytes[3] = 29;
        assert_eq!(
            Header::parse(Input::whole(&bytes)),
            Err(malformed(2, "length less than 30"))
        );
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES[..30]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 30..70)) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                for (name, value) in [
                    ("Checksum", u64::from(h.checksum)),
                    ("Length", h.length.into()),
                    ("Transport control", h.transport_control.into()),
                    ("Hops", h.hops().into()),
                    ("Packet type", h.packet_type.into()),
                    ("Destination network", h.destination.network.into()),
                    ("Destination socket", h.destination.socket.into()),
                    ("Source network", h.source.network.into()),
                    ("Source socket", h.source.socket.into()),
                ] {
                    prop_assert_eq!(testing::number(&fields, name), Some(value), "{}", name);
                }
                prop_assert_eq!(testing::text(&fields, "Source host"),
                    Some(Endpoint::mac(h.source.node).to_string()));
                prop_assert_eq!(testing::text(&fields, "Destination host"),
                    Some(Endpoint::mac(h.destination.node).to_string()));
            }
        }
    }
}
