//! DECnet Phase IV routing: data packets and the messages of the routing layer ("DECnet Digital
//! Network Architecture, Routing Layer Functional Specification", AA-X435A-TK, version 2.0.0).
//! Fields are little-endian.

use crate::ethernet;
use crate::parse::{header, le16, malformed};
use std::fmt;
use wirewait_wire::{
    Address, Carries, Claim, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, Next, Table,
    Verified,
};

/// What data packets carry; claimed under [`Table::any`].
pub const DATA: Table = Table::new("decnet.data");

/// A node's address: area in the high 6 bits, number in the low 10.
pub(crate) const fn node(address: u16) -> Endpoint {
    Endpoint::at(Address::Decnet(address))
}

/// What stands at the front of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the packet behind this length; what follows them is the frame's padding.
    pub length: u16,
    /// Bytes of padding in front of the flags; they are part of the length.
    pub padding: u8,
    /// Routing flags.
    pub flags: u8,
    /// What kind of packet it is.
    pub packet: Packet,
}

/// A packet of one of its layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Data, in the short or the long format.
    Data {
        /// The node it is for.
        destination: u16,
        /// The node that sent it.
        source: u16,
        /// Routers it has passed.
        visits: u8,
    },
    /// A message of the routing layer.
    Control(u8),
}

/// Bits of the routing flags.
mod flag {
    pub(super) const PAD: u8 = 0x80;
    pub(super) const DISCARD: u8 = 0x40;
    pub(super) const CONTROL: u8 = 0x01;
    pub(super) const LONG: u8 = 0x04;
    /// The type of a data packet.
    pub(super) const TYPE: u8 = 0x07;
    pub(super) const SHORT_DATA: u8 = 0x02;
    pub(super) const LONG_DATA: u8 = 0x06;
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the flags are none.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let &[low, high, first] = header(input)?;
        let padding = match first & flag::PAD {
            0 => 0,
            _ => first & !flag::PAD,
        };
        if first & flag::PAD != 0 && padding == 0 {
            return Err(malformed(2, "padding of no bytes"));
        }
        let at = 2 + u32::from(padding);
        let &[flags] = header(input.skip(at)).map_err(|_| Fault::Short { offset: at })?;
        let packet = packet(input.skip(at), flags).map_err(|fault| match fault {
            Fault::Short { offset } => Fault::Short {
                offset: at + offset,
            },
            Fault::Malformed { what, .. } => malformed(at, what),
        })?;
        Ok(Self {
            length: u16::from_le_bytes([low, high]),
            padding,
            flags,
            packet,
        })
    }

    /// Bytes up to the data, the length and the padding included.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        let fixed = match self.packet {
            Packet::Data { .. } if self.flags & flag::LONG != 0 => LONG,
            Packet::Data { .. } => SHORT,
            Packet::Control(_) => 1,
        };
        2 + self.padding as u32 + fixed
    }

    /// Where the packet ends.
    const fn end(&self) -> u32 {
        2 + self.length as u32
    }
}

fn packet(input: Input<'_>, flags: u8) -> Result<Packet, Fault> {
    match flags & flag::TYPE {
        _ if flags & flag::PAD != 0 => Err(malformed(0, "padding behind padding")),
        _ if flags & flag::CONTROL != 0 => Ok(Packet::Control(flags & 0x0f)),
        flag::SHORT_DATA => {
            let h: &[u8; SHORT as usize] = header(input)?;
            Ok(Packet::Data {
                destination: u16::from_le_bytes([h[1], h[2]]),
                source: u16::from_le_bytes([h[3], h[4]]),
                visits: h[5] & VISITS,
            })
        }
        flag::LONG_DATA => {
            let h: &[u8; LONG as usize] = header(input)?;
            Ok(Packet::Data {
                destination: u16::from_le_bytes([h[7], h[8]]),
                source: u16::from_le_bytes([h[15], h[16]]),
                visits: h[18] & VISITS,
            })
        }
        _ => Err(malformed(0, "no such packet format")),
    }
}

/// Bytes of the header of a data packet, from the flags on.
const SHORT: u32 = 6;
const LONG: u32 = 21;
/// The high bits of the visit count are reserved.
const VISITS: u8 = 0x3f;

const fn control(kind: u8) -> &'static str {
    match kind {
        0x01 => "Initialization",
        0x03 => "Verification",
        0x05 => "Hello and test",
        0x07 => "Level 1 routing",
        0x09 => "Level 2 routing",
        0x0b => "Ethernet router hello",
        0x0d => "Ethernet endnode hello",
        _ => "unknown control message",
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "decnet",
    title: "DECnet Phase IV routing layer, AA-X435A-TK",
    does: "data packets in both formats, hellos and routing messages",
    lacks: "point-to-point links; Phase V",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[Claim::Exact(ethernet::TYPE.key(0x6003))],
    conveys: true,
    carrier: Some("decnet"),
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.packet {
        Packet::Data {
            destination,
            source,
            visits,
        } => {
            facts.from = node(source);
            facts.to = node(destination);
            facts.hops = Some(visits);
            Next::one(DATA.any())
        }
        Packet::Control(_) => {
            facts.carries = Carries::Control;
            Next::NONE
        }
    };
    // A length less than the header's leaves no data.
    Ok(Layer {
        header: h.bytes(),
        end: h.end().max(h.bytes()),
        next,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => match h.packet {
            Packet::Control(kind) => {
                out.write_str(control(kind))?;
                let at = usize::from(h.padding) + 2;
                match sender(input.bytes.get(at..).unwrap_or_default(), kind) {
                    Some(address) => write!(out, " of {}", node(address)),
                    None => Ok(()),
                }
            }
            Packet::Data {
                destination,
                source,
                visits,
            } => {
                let (from, to) = (node(source), node(destination));
                let data = h.end().saturating_sub(h.bytes());
                write!(out, "{from} > {to}, {visits} visits, {data} bytes")?;
                match h.flags & flag::DISCARD {
                    0 => Ok(()),
                    _ => out.write_str(", of a future version"),
                }
            }
        },
        Err(Fault::Short { .. }) => out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => write!(out, "malformed: {what}"),
    }
}

/// The node that says hello or tells routes; `b` begins with the flags.
fn sender(b: &[u8], kind: u8) -> Option<u16> {
    match kind {
        0x01 | 0x03 | 0x05 | 0x07 | 0x09 => le16(b, 1),
        0x0b | 0x0d => le16(b, 8),
        _ => None,
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let length = f.le16("Length")?;
    let first = *f.peek().first()?;
    if first & flag::PAD != 0 {
        f.bytes(u32::from(first & !flag::PAD), "Padding")?;
    }
    let flags = f.u8("Routing flags")?;
    f.hex();
    f.flag(0x80, "Padding follows", "yes", "no");
    f.flag(0x40, "Future version", "to be discarded", "no");
    if flags & flag::CONTROL != 0 {
        f.bits(0x0e, "Control message");
        f.means(control(flags & 0x0f));
        let rest = u32::from(length).saturating_sub(f.at().saturating_sub(2));
        f.within(rest, "Data", |f| control_fields(f, flags & 0x0f))?;
        return f.rest("Padding").map(|_| ());
    }
    f.flag(0x20, "Intra-Ethernet", "sent on this segment", "no");
    f.flag(0x10, "Return", "on its way back", "no");
    f.flag(
        0x08,
        "Return request",
        "return if it cannot be delivered",
        "no",
    );
    f.flag(0x04, "Format", "long", "short");
    match flags & flag::TYPE {
        flag::SHORT_DATA => {
            address(f, "Destination node")?;
            address(f, "Source node")?;
        }
        flag::LONG_DATA => {
            f.u8("Destination area")?;
            f.u8("Destination subarea")?;
            identifier(f, "Destination node")?;
            f.u8("Source area")?;
            f.u8("Source subarea")?;
            identifier(f, "Source node")?;
            f.u8("Next level 2 router")?;
        }
        _ => return None,
    }
    f.u8("Visit count")?;
    f.bits(u64::from(VISITS), "Nodes visited");
    if flags & flag::LONG != 0 {
        f.u8("Service class")?;
        f.u8("Protocol type")?;
    }
    Some(())
}

fn control_fields(f: &mut Fields<'_>, kind: u8) -> Option<()> {
    match kind {
        0x0b => {
            hello(f)?;
            f.u8("Priority")?;
            f.u8("Area")?;
            f.le16("Hello timer")?;
            f.means("seconds");
            f.u8("Multicast data length")?;
            routers(f)
        }
        0x0d => {
            hello(f)?;
            f.u8("Area")?;
            f.bytes(8, "Verification seed")?;
            identifier(f, "Neighbor")?;
            f.le16("Hello timer")?;
            f.means("seconds");
            f.u8("Multicast data length")?;
            let n = f.u8("Test data length")?;
            f.bytes(n.into(), "Test data").map(|_| ())
        }
        0x07 | 0x09 => {
            address(f, "Source node")?;
            f.u8("Reserved")?;
            // A checksum follows the last segment.
            while f.left() > 2 {
                f.open("Segment");
                let count = f.le16("Count")?;
                f.le16("Start")?;
                for _ in 0..count.min(1024) {
                    f.le16("Routing information")?;
                    let hops = f.bits(0x7c00, "Hops");
                    f.means(if hops == 31 { "not reachable" } else { "" });
                    f.bits(0x03ff, "Cost");
                }
                f.close();
            }
            f.le16("Checksum")?;
            f.hex();
            Some(())
        }
        0x01 => {
            address(f, "Source node")?;
            information(f)?;
            f.le16("Block size")?;
            version(f)?;
            f.le16("Hello timer")?;
            f.means("seconds");
            let n = f.u8("Reserved data length")?;
            f.bytes(n.into(), "Reserved data").map(|_| ())
        }
        0x03 | 0x05 => {
            address(f, "Source node")?;
            let n = f.u8("Data length")?;
            let name = if kind == 3 {
                "Function value"
            } else {
                "Test data"
            };
            f.bytes(n.into(), name).map(|_| ())
        }
        _ => Some(()),
    }
}

/// What hellos of routers and endnodes have in common.
fn hello(f: &mut Fields<'_>) -> Option<()> {
    version(f)?;
    identifier(f, "Transmitting node")?;
    information(f)?;
    f.le16("Block size").map(|_| ())
}

fn version(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Version")?;
    f.u8("ECO")?;
    f.u8("User ECO").map(|_| ())
}

fn information(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Information")?;
    f.hex();
    let kind = f.bits(0x03, "Node type");
    f.means(match kind {
        1 => "level 2 router",
        2 => "level 1 router",
        3 => "endnode",
        _ => "reserved",
    });
    f.flag(0x04, "Verification", "required", "not required");
    f.flag(0x08, "Reject", "yes", "no");
    f.flag(0x10, "Verification failed", "yes", "no");
    f.flag(0x20, "Multicast traffic", "not accepted", "accepted");
    f.flag(0x40, "Blocking", "requested", "not requested");
    Some(())
}

/// The routers that a router hears: a list of networks, each with its list of routers.
fn routers(f: &mut Fields<'_>) -> Option<()> {
    let n = f.u8("Length of the list")?;
    f.within(n.into(), "Rest of the list", |f| {
        while f.left() > 0 {
            f.open("Logical Ethernet");
            f.bytes(7, "Name")?;
            let routers = f.u8("Length of the routers")?;
            f.within(routers.into(), "Rest of the routers", |f| {
                while f.left() > 0 {
                    identifier(f, "Router")?;
                    f.u8("Priority and state")?;
                    f.bits(0x7f, "Priority");
                    f.flag(0x80, "State", "two-way", "one-way");
                }
                Some(())
            })?;
            f.close();
        }
        Some(())
    })
}

fn address(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let address = f.le16(name)?;
    f.shown(node(address));
    Some(())
}

/// A node's address as a station has it on Ethernet: AA-00-04-00 and the address.
fn identifier(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let id = f.bytes(6, name)?;
    if let &[.., low, high] = id {
        f.shown(node(u16::from_le_bytes([low, high])));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    /// Frame 1 of tcpdump's DECnet_Phone.pcap, behind the EtherType.
    const HELLO: [u8; 36] = [
        0x22, 0, 0x0d, 2, 0, 0, 0xaa, 0, 4, 0, 1, 4, 3, 0x32, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0xaa, 0, 4, 0, 0, 0, 10, 0, 0, 2, 0xaa, 0xaa,
    ];

    /// Its frame 7, a connect acknowledgement.
    const SHORT_DATA: [u8; 11] = [9, 0, 2, 1, 4, 2, 4, 1, 0x24, 3, 0x20];

    /// From 1.1 to 1.13 in the long format, behind four bytes of padding.
    fn long() -> Vec<u8> {
        let mut b = vec![28, 0, 0x84, 0, 0, 0, 0x2e, 0, 0, 0xaa, 0, 4, 0, 13, 4, 0, 0];
        b.extend([0xaa, 0, 4, 0, 1, 4, 0, 2, 0, 0, 0x24, 3, 0x20]);
        b
    }

    #[test]
    fn short_and_long_data() {
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&SHORT_DATA), &mut facts).unwrap();
        assert_eq!((layer.header, layer.end), (8, 11));
        assert_eq!(facts.from, node(0x0402));
        assert_eq!(facts.from.to_string(), "1.2");
        assert_eq!(facts.hops, Some(1));
        let long = long();
        let layer = dissect(Input::whole(&long), &mut facts).unwrap();
        assert_eq!((layer.header, layer.end as usize), (27, long.len()));
        assert_eq!(layer.next.keys().next(), Some(DATA.any()));
        assert_eq!(line(&DISSECTOR, &long), "1.1 > 1.13, 2 visits, 3 bytes");
    }

    #[test]
    fn a_hello_is_upkeep() {
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&HELLO), &mut facts).unwrap();
        assert_eq!(
            (facts.carries, layer.next.is_none()),
            (Carries::Control, true)
        );
        assert_eq!(line(&DISSECTOR, &HELLO), "Ethernet endnode hello of 1.1");
        let fields = testing::fields(&DISSECTOR, Input::whole(&HELLO));
        assert_eq!(testing::number(&fields, "Hello timer"), Some(10));
        assert_eq!(testing::number(&fields, "Block size"), Some(16434));
        assert_eq!(fields.last().unwrap().name, "Test data");
    }

    #[test]
    fn padding_of_the_frame_is_not_the_packet() {
        let mut bytes = SHORT_DATA.to_vec();
        bytes.resize(46, 0);
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!(layer.end, 11);
    }

    #[test]
    fn flags_that_are_none() {
        for (bytes, offset) in [
            (&[9, 0, 0x80, 0][..], 2),
            (&[9, 0, 0x81, 0x84][..], 3),
            (&[9, 0, 0x00][..], 2),
            (&[9, 0, 0x04][..], 2),
        ] {
            let fault = Header::parse(Input::whole(bytes)).unwrap_err();
            assert!(
                matches!(fault, Fault::Malformed { offset: o, .. } if o == offset),
                "{fault:?}"
            );
        }
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &SHORT_DATA[..8]);
        short_when_cut(&DISSECTOR, &long()[..27]);
    }

    #[test]
    fn routes_and_routers() {
        let mut level1 = vec![
            14, 0, 0x07, 1, 4, 0, 2, 0, 1, 0, 0x05, 0x04, 0xff, 0x7f, 0x34, 0x12,
        ];
        let fields = testing::fields(&DISSECTOR, Input::whole(&level1));
        assert_eq!(testing::number(&fields, "Cost"), Some(5));
        assert_eq!(testing::number(&fields, "Hops"), Some(1));
        assert_eq!(testing::number(&fields, "Checksum"), Some(0x1234));
        assert!(fields.iter().any(|f| f.meaning == "not reachable"));
        // More entries are announced than there are.
        level1[6] = 99;
        testing::fields(&DISSECTOR, Input::whole(&level1));

        let mut hello = vec![
            35, 0, 0x0b, 2, 0, 0, 0xaa, 0, 4, 0, 1, 4, 2, 0xda, 5, 64, 0, 15, 0, 0, 15,
        ];
        hello.extend([0; 7]);
        hello.extend([7, 0xaa, 0, 4, 0, 2, 4, 0xc0]);
        hello[0] = (hello.len() - 2) as u8;
        let fields = testing::fields(&DISSECTOR, Input::whole(&hello));
        let router = fields.iter().find(|f| f.name == "Router").unwrap();
        assert_eq!(router.value, Value::Text("1.2".to_owned()));
        assert!(fields.iter().any(|f| f.meaning == "two-way"));
        assert_eq!(line(&DISSECTOR, &hello), "Ethernet router hello of 1.1");
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..120), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let length = u32::try_from(bytes.len()).unwrap() + cut;
            testing::fields(&DISSECTOR, Input { bytes: &bytes, length });
        }

        #[test]
        fn fields_are_those_of_the_header(tail: [u8; 30], long: bool, padding in 0u8..4) {
            let mut bytes = vec![60, 0];
            if padding > 0 {
                bytes.push(0x80 | padding);
                bytes.resize(2 + usize::from(padding), 0);
            }
            bytes.push(if long { 0x26 } else { 0x02 });
            bytes.extend(tail);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Length"), Some(60));
            let Packet::Data { destination, source, visits } = h.packet else {
                panic!("{h:?}");
            };
            prop_assert_eq!(testing::number(&fields, "Nodes visited"), Some(visits.into()));
            for (name, address) in [("Destination node", destination), ("Source node", source)] {
                let field = fields.iter().find(|f| f.name == name).unwrap();
                prop_assert_eq!(&field.value, &Value::Text(node(address).to_string()));
            }
        }
    }
}
