//! Novell Internetwork Packet Exchange ("IPX Router Specification", Novell 107-000029,
//! chapter 1), in all four Ethernet framings and over UDP (RFC 1234).

use crate::parse::{header, malformed};
use crate::{ethernet, llc, udp};
use std::fmt;
use wirewait_wire::{
    Claim, Deciding, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, Next, Routed, Steady,
    Table, Verified,
};

/// Sockets of either end; the lower one is tried first.
pub const SOCKET: Table = Table::new("ipx.socket");

/// Two bytes between sockets of which neither is well known, by the second one: what NetWare
/// servers tell workstations, on sockets that follow from others.
pub const MESSAGE: Table = Table::new("ipx.message");

/// Packet types, tried after both sockets: senders use them loosely.
pub const TYPE: Table = Table::new("ipx.type");

/// An IPX header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of header and data, without padding.
    pub length: u16,
    /// Transport control: routers passed.
    pub hops: u8,
    /// Packet type.
    pub packet_type: u8,
    /// Receiver.
    pub destination: Address,
    /// Sender.
    pub source: Address,
}

/// A full IPX address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Network number; 0 is the segment that the packet is on.
    pub network: u32,
    /// Node; on a LAN the MAC address.
    pub node: [u8; 6],
    /// Socket.
    pub socket: u16,
}

impl Address {
    /// The address as an [`Endpoint`], which all protocols share.
    #[must_use]
    pub const fn endpoint(&self) -> Endpoint {
        Endpoint::ipx(self.network, self.node, self.socket)
    }
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 30;

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
            length,
            hops: h[4],
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

    /// See [`MESSAGE`].
    const fn is_message(&self) -> bool {
        self.length as u32 == Self::LENGTH + 2
            && self.source.socket >= DYNAMIC
            && self.destination.socket >= DYNAMIC
    }

    /// What the data goes by.
    #[must_use]
    pub const fn next(&self) -> Next {
        let (low, high) = if self.source.socket < self.destination.socket {
            (self.source.socket, self.destination.socket)
        } else {
            (self.destination.socket, self.source.socket)
        };
        if high == NAME_QUERY {
            return Next::one(SOCKET.key(NAME_QUERY as u32));
        }
        Next::three(
            SOCKET.key(low as u32),
            SOCKET.key(high as u32),
            TYPE.key(self.packet_type as u32),
        )
    }
}

/// Dynamic sockets begin here; those below are Xerox's and Novell's.
const DYNAMIC: u16 = 0x4000;

/// The socket of Microsoft's name queries, which servers answer from their SMB socket
/// 0550: there the lower socket would mislead.
const NAME_QUERY: u16 = 0x0551;

/// Transport control, which the checksum leaves out.
const ROUTED: Routed = Routed {
    counter: 4,
    up: true,
    stays: [
        0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ],
};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ipx",
    title: "Novell Internetwork Packet Exchange",
    aliases: &["NetWare", "NWLink", "XNS", "Internetwork Datagram Protocol"],
    does: "networks, nodes and sockets, hops, length; raw 802.3, 802.2, SNAP, Ethernet \
           version 2 and UDP framing",
    lacks: "checksums are not checked; diagnostics and EIGRP are named, not read",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x8137)),
        Claim::Exact(ethernet::TYPE.key(0x8138)),
        Claim::Exact(ethernet::RAW.key(ethernet::RAW_IPX)),
        Claim::Exact(llc::SAP.key(0xe0)),
        Claim::Exact(llc::SAP.key(0x10)),
        Claim::Exact(udp::PORT.key(213)),
    ],
    conveys: true,
    carrier: Some("ipx"),
    dissect,
    steady: Some(Steady { decides, varies }),
    routed: Some(&ROUTED),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = h.source.endpoint();
    facts.to = h.destination.endpoint();
    facts.hops = Some(h.hops);
    Ok(Layer {
        header: Header::LENGTH,
        end: h.length.into(),
        next: match input.bytes.get(31) {
            Some(signature) if h.is_message() => Next::one(MESSAGE.key((*signature).into())),
            _ => h.next(),
        },
    })
}

/// The type and both ends.
fn decides(_: Input<'_>) -> Option<Deciding> {
    const MASK: [u8; 30] = {
        let mut mask = [0xff; 30];
        let mut at = 0;
        while at < 5 {
            mask[at] = 0;
            at += 1;
        }
        mask
    };
    Some(Deciding {
        mask: &MASK,
        whom: 6..30,
    })
}

fn varies(input: Input<'_>, facts: &mut Facts) -> Option<u32> {
    let h: &[u8; 30] = input.bytes.first_chunk()?;
    let length = u32::from(u16::from_be_bytes([h[2], h[3]]));
    // Shorter ones are no packets, and of this length are [messages](MESSAGE).
    if length < Header::LENGTH || length == Header::LENGTH + 2 {
        return None;
    }
    facts.hops = Some(h[4]);
    Some(length)
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    write!(
        out,
        "{} > {}, {}, hops {}, length {}",
        h.source.endpoint(),
        h.destination.endpoint(),
        IpxPacketType(h.packet_type),
        h.hops,
        h.length
    )
}

struct IpxPacketType(u8);

impl fmt::Display for IpxPacketType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("RIP"),
            2 => f.write_str("echo"),
            3 => f.write_str("error"),
            4 => f.write_str("PEP"),
            5 => f.write_str("SPX"),
            17 => f.write_str("NCP"),
            20 => f.write_str("NetBIOS broadcast"),
            other => write!(f, "type {other}"),
        }
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    if f.be16("Checksum")? == NO_CHECKSUM {
        f.means("none");
    }
    f.hex();
    if u32::from(f.be16("Length")?) < Header::LENGTH {
        f.means("less than the header");
    }
    match f.u8("Transport control")? {
        0 => f.means("no router passed"),
        1 => f.means("1 router passed"),
        hops => f.means(format_args!("{hops} routers passed")),
    };
    let packet_type = f.u8("Packet type")?;
    f.means(IpxPacketType(packet_type));
    network(f, "Destination network")?;
    node(f, "Destination node")?;
    socket(f, "Destination socket")?;
    network(f, "Source network")?;
    node(f, "Source node")?;
    socket(f, "Source socket")?;
    Some(())
}

/// A network number.
pub(crate) fn network(f: &mut Fields<'_>, name: &'static str) -> Option<u32> {
    let network = f.be32(name)?;
    f.hex();
    match network {
        0 => f.means("this segment"),
        0xffff_ffff => f.means("all networks"),
        _ => f,
    };
    Some(network)
}

/// A node, written as the MAC address that it is on a LAN.
pub(crate) fn node(f: &mut Fields<'_>, name: &'static str) -> Option<[u8; 6]> {
    let node = f.bytes(6, name)?.try_into().ok()?;
    f.shown(Endpoint::mac(node));
    match node {
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff] => f.means("all nodes"),
        [0, 0, 0, 0, 0, 1] => f.means("the server itself"),
        _ => f,
    };
    Some(node)
}

/// A socket, with what is known to go by it.
pub(crate) fn socket(f: &mut Fields<'_>, name: &'static str) -> Option<u16> {
    let socket = f.be16(name)?;
    f.hex();
    if let Some(name) = socket_name(socket) {
        f.means(name);
    }
    Some(socket)
}

/// The networks that a packet of type 20 came through. Routers write them in, as many as
/// the transport control says.
pub(crate) fn passed(f: &mut Fields<'_>) -> Option<()> {
    f.open("Networks passed");
    for number in 1..=8 {
        if f.be32(format!("Network {number}"))? == 0 {
            f.means("not used");
        }
        f.hex();
    }
    f.close();
    Some(())
}

fn socket_name(socket: u16) -> Option<&'static str> {
    Some(match socket {
        0x0002 => "Cisco ping",
        0x0451 => "NCP",
        0x0452 => "SAP",
        0x0453 => "RIP",
        0x0455 => "NetBIOS",
        0x0456 => "diagnostics",
        0x0457 => "serialization",
        0x0550 => "SMB server",
        NAME_QUERY => "SMB name query",
        0x0552 => "SMB redirector",
        0x0553 => "SMB mailslot",
        0x0554 => "SMB messenger",
        DYNAMIC..=0x7fff => "dynamic",
        0x85be => "EIGRP",
        0x9001 => "NLSP",
        0x9004 => "IPXWAN",
        0x900f => "SNMP agent",
        0x9010 => "SNMP traps",
        0x9086 => "ping",
        _ => return None,
    })
}

/// What stands in the place of a checksum where there is none; raw 802.3 frames are known
/// by it.
const NO_CHECKSUM: u16 = 0xffff;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    /// A SAP query of 34 bytes from a workstation to everyone.
    const BYTES: [u8; 30] = [
        0xff, 0xff, 0x00, 0x22, 0x01, 0x04, // checksum, length, hops, packet exchange
        0x00, 0x00, 0x00, 0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x04, 0x52, //
        0x00, 0x00, 0x00, 0x22, 0x00, 0x00, 0x1b, 0x12, 0x34, 0x56, 0x40, 0x08,
    ];

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length: 46 }, &mut facts).unwrap();
        (layer, facts)
    }

    #[test]
    fn reads_addresses_and_trims_to_its_length() {
        let (layer, facts) = read(&BYTES);
        assert_eq!((layer.header, layer.end), (30, 34), "12 bytes of padding");
        assert_eq!(
            facts.from,
            Endpoint::ipx(0x22, [0, 0, 0x1b, 0x12, 0x34, 0x56], 0x4008)
        );
        assert_eq!((facts.from.net, facts.to.net), (0x22, 0x10));
        assert_eq!(facts.hops, Some(1));
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "00000022.00001b123456:4008 > 00000010.ffffffffffff:0452, PEP, hops 1, length 34"
        );
    }

    #[test]
    fn lower_socket_then_higher_then_type() {
        let keys = [SOCKET.key(0x0452), SOCKET.key(0x4008), TYPE.key(4)];
        assert!(read(&BYTES).0.next.keys().eq(keys));
        let mut swapped = BYTES;
        swapped[16..18].copy_from_slice(&[0x40, 0x08]);
        swapped[28..30].copy_from_slice(&[0x04, 0x52]);
        assert!(read(&swapped).0.next.keys().eq(keys));
    }

    #[test]
    fn a_name_query_answered_from_the_smb_socket_is_no_smb() {
        let mut bytes = BYTES;
        bytes[16..18].copy_from_slice(&[0x05, 0x51]);
        bytes[28..30].copy_from_slice(&[0x05, 0x50]);
        assert!(read(&bytes).0.next.keys().eq([SOCKET.key(0x0551)]));
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
        short_when_cut(&DISSECTOR, &BYTES);
    }

    #[test]
    fn fields_say_what_goes_by_a_socket() {
        let fields = testing::fields(&DISSECTOR, Input::whole(&BYTES));
        let meaning = |name: &str| {
            let field = fields.iter().find(|f| f.name == name).unwrap();
            field.meaning.as_str()
        };
        assert_eq!(meaning("Checksum"), "none");
        assert_eq!(meaning("Transport control"), "1 router passed");
        assert_eq!(meaning("Packet type"), "PEP");
        assert_eq!(meaning("Destination node"), "all nodes");
        assert_eq!(meaning("Destination socket"), "SAP");
        assert_eq!(meaning("Source socket"), "dynamic");
        assert_eq!(fields[8].value, Value::Text("00-00-1b-12-34-56".into()));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 34]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                let number = |name| testing::number(&fields, name);
                prop_assert_eq!(number("Length"), Some(h.length.into()));
                prop_assert_eq!(number("Transport control"), Some(h.hops.into()));
                prop_assert_eq!(number("Packet type"), Some(h.packet_type.into()));
                for (end, is) in [("Destination", h.destination), ("Source", h.source)] {
                    let number = |part| testing::number(&fields, &format!("{end} {part}"));
                    let node = format!("{end} node");
                    let node = fields.iter().find(|f| f.name == node).unwrap();
                    let mac = Endpoint::mac(is.node).to_string();
                    prop_assert_eq!(number("network"), Some(is.network.into()));
                    prop_assert_eq!(&node.value, &Value::Text(mac));
                    prop_assert_eq!(number("socket"), Some(is.socket.into()));
                }
            }
        }
    }
}
