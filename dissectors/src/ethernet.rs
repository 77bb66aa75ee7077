//! Ethernet: DIX version 2 types and IEEE 802.3 lengths on one wire (IEEE 802.3, 3.2.6).

use crate::notes;
use crate::parse::{be16, header, malformed};
use std::fmt;
use wirewait_wire::{
    Cast, Claim, Deciding, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, LinkType,
    Medium, Next, Steady, Table, Verified,
};

/// EtherTypes, whichever link carries them (Ethernet, VLAN tag, SNAP, Linux cooked, HDLC).
pub const TYPE: Table = Table::new("ethernet.type");

/// Payloads that follow an 802.3 length without LLC; the value is [`RAW_IPX`].
pub const RAW: Table = Table::new("ethernet.raw");

/// Payloads that begin with an IEEE 802.2 LLC header; claimed under [`Table::any`].
pub const LLC: Table = Table::new("ethernet.llc");

/// The value in [`RAW`]: IPX's unused checksum, by which NetWare tells its raw frames.
pub const RAW_IPX: u32 = 0xffff;

/// A MAC header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Destination address.
    pub destination: [u8; 6],
    /// Source address.
    pub source: [u8; 6],
    /// EtherType or length; see [`EthernetContent`].
    pub type_or_length: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 14;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 14] = header(input)?;
        Ok(Self {
            destination: [h[0], h[1], h[2], h[3], h[4], h[5]],
            source: [h[6], h[7], h[8], h[9], h[10], h[11]],
            type_or_length: u16::from_be_bytes([h[12], h[13]]),
        })
    }

    /// Whether this is the outer header of Cisco's Inter-Switch Link, whose length field
    /// is followed by SNAP and a whole frame rather than by LLC.
    #[must_use]
    pub fn is_inter_switch_link(&self) -> bool {
        self.type_or_length <= MAX_LENGTH
            && matches!(self.destination, [0x01 | 0x0c, 0x00, 0x0c, 0x00, 0x00, _])
    }
}

/// What a type/length field announces, behind the addresses or behind a VLAN tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EthernetContent {
    /// An EtherType. The payload has a length of its own, padding may follow it.
    Type(u16),
    /// Length of the LLC PDU in bytes; the rest is padding.
    Llc(u16),
    /// Length of an IPX packet without LLC ("raw 802.3") in bytes; the rest is padding.
    RawIpx(u16),
}

/// The largest length; EtherTypes begin at 0x0600, what lies between is neither.
const MAX_LENGTH: u16 = 1500;

impl EthernetContent {
    /// Reads a type/length field; `payload` is what follows it. `None` for a value
    /// between the largest length and the smallest type.
    #[must_use]
    pub fn read(type_or_length: u16, payload: Input<'_>) -> Option<Self> {
        match type_or_length {
            0x0600.. => Some(Self::Type(type_or_length)),
            0x05dd..=0x05ff => None,
            // No frame of 802.3 is empty; switches use 0 for their own purposes.
            0 => Some(Self::Type(0)),
            // The global SAP is never a source, so LLC cannot begin like this.
            length if payload.bytes.starts_with(&[0xff, 0xff]) => Some(Self::RawIpx(length)),
            length => Some(Self::Llc(length)),
        }
    }

    /// What the payload goes by.
    #[must_use]
    pub const fn next(self) -> Next {
        Next::one(match self {
            Self::Type(t) => TYPE.key(t as u32),
            Self::Llc(_) => LLC.any(),
            Self::RawIpx(_) => RAW.key(RAW_IPX),
        })
    }

    /// Bytes of the payload, out of `payload` that are there with padding.
    #[must_use]
    pub const fn length(self, payload: Input<'_>) -> u32 {
        match self {
            Self::Type(_) => payload.length,
            Self::Llc(length) | Self::RawIpx(length) => length as u32,
        }
    }
}

/// `type 8137`, `802.2, length 38`, `raw 802.3, length 38`.
impl fmt::Display for EthernetContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(t) => write!(f, "type {t:04x}"),
            Self::Llc(length) => write!(f, "802.2, length {length}"),
            Self::RawIpx(length) => write!(f, "raw 802.3, length {length}"),
        }
    }
}

/// Whom a canonical MAC address stands for.
pub(crate) fn cast(destination: [u8; 6]) -> Cast {
    match destination {
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff] => Cast::Broadcast,
        [first, ..] if first & 1 != 0 => Cast::Multicast,
        _ => Cast::Unicast,
    }
}

/// IEEE 802.3, 3.1.1, 4.4.2: frames of 64 to 1518 bytes with 4 of check sequence, and 4 more
/// with a tag; 7 + 1 of preamble and delimiter; a gap of 96 bit times. From 1 Gb/s on nobody
/// built anything that shares one way for both directions.
const MEDIUM: Medium = Medium {
    shortest: 60,
    longest: Some(1518),
    check: 4,
    preamble: 8,
    gap: 12,
    duplex_from: Some(1_000_000_000),
};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ethernet",
    title: "Ethernet version 2 and IEEE 802.3",
    aliases: &["802.3", "Novell raw", "DIX"],
    does: "addresses, types and lengths; raw 802.3 IPX; removes padding",
    lacks: "the content of Cisco ISL; a frame check sequence that was captured counts as padding",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(LinkType::ETHERNET.key())],
    conveys: true,
    medium: Some(MEDIUM),
    dissect,
    steady: Some(Steady { decides, varies }),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = Endpoint::mac(h.source);
    facts.to = Endpoint::mac(h.destination);
    facts.cast = cast(h.destination);
    if h.is_inter_switch_link() {
        return Ok(Layer {
            header: Header::LENGTH,
            end: input.length,
            next: Next::NONE,
        });
    }
    let payload = input.skip(Header::LENGTH);
    let content = EthernetContent::read(h.type_or_length, payload)
        .ok_or(malformed(12, "type/length from 05dd to 05ff"))?;
    Ok(Layer {
        header: Header::LENGTH,
        end: Header::LENGTH.saturating_add(content.length(payload)),
        next: content.next(),
    })
}

/// The addresses, and a type, or that the field is a length and what the payload then begins
/// with.
fn decides(input: Input<'_>) -> Option<Deciding> {
    const TYPE: [u8; 14] = [0xff; 14];
    const LENGTH: [u8; 16] = {
        let mut mask = [0xff; 16];
        // Below 0x0800; that it is a length is for `varies` to see, which reads no type there.
        [mask[12], mask[13]] = [0xf8, 0];
        mask
    };
    let h = Header::parse(input).ok()?;
    let mask: &[u8] = match h.type_or_length {
        0x0800.. => &TYPE,
        1..=MAX_LENGTH if !h.is_inter_switch_link() => &LENGTH,
        _ => return None,
    };
    Some(Deciding { mask, whom: 0..12 })
}

fn varies(input: Input<'_>, _: &mut Facts) -> Option<u32> {
    let h: &[u8; 14] = input.bytes.first_chunk()?;
    match u16::from_be_bytes([h[12], h[13]]) {
        0x0800.. => Some(input.length),
        length @ 1..=MAX_LENGTH => Some(Header::LENGTH + u32::from(length)),
        _ => None,
    }
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    let (from, to) = (Endpoint::mac(h.source), Endpoint::mac(h.destination));
    write!(out, "{from} > {to}, ")?;
    if h.is_inter_switch_link() {
        return write!(out, "Cisco ISL, length {}", h.type_or_length);
    }
    match EthernetContent::read(h.type_or_length, input.skip(Header::LENGTH)) {
        Some(content) => write!(out, "{content}"),
        None => write!(out, "invalid type/length {:04x}", h.type_or_length),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let destination = notes::mac(f, "Destination")?;
    match cast(destination) {
        Cast::Unicast => {}
        Cast::Multicast => {
            f.means("group");
        }
        Cast::Broadcast => {
            f.means("everyone");
        }
    }
    notes::mac(f, "Source")?;
    let inter_switch_link =
        Header::parse(f.input()).is_ok_and(|header| header.is_inter_switch_link());
    if inter_switch_link {
        f.be16("Length")?;
        f.means("Cisco ISL");
        return Some(());
    }
    type_or_length(f)
}

/// What [`EthernetContent`] reads.
pub(crate) fn type_or_length(f: &mut Fields<'_>) -> Option<()> {
    let value = be16(f.peek(), 0);
    match value.and_then(|v| EthernetContent::read(v, f.input().skip(f.at()).skip(2))) {
        Some(EthernetContent::Type(_)) => ethernet_type(f, "Type").map(|_| ()),
        Some(EthernetContent::Llc(_)) => {
            f.be16("Length")?;
            f.means("802.2 follows");
            Some(())
        }
        Some(EthernetContent::RawIpx(_)) => {
            f.be16("Length")?;
            f.means("raw 802.3: IPX follows");
            Some(())
        }
        None => {
            f.be16("Type or length")?;
            f.hex().means("neither a type nor a length");
            Some(())
        }
    }
}

/// An EtherType with its name.
pub(crate) fn ethernet_type(f: &mut Fields<'_>, name: &'static str) -> Option<u16> {
    let value = f.be16(name)?;
    f.hex().means(type_name(value));
    Some(value)
}

/// The IEEE's registry, as far as these protocols meet in old networks.
fn type_name(value: u16) -> &'static str {
    match value {
        0x0600 => "XNS",
        0x0800 => "IPv4",
        0x0806 => "ARP",
        0x0bad => "Banyan VINES",
        0x0baf => "Banyan VINES echo",
        0x3c00..=0x3c0d => "3Com NBP",
        0x6001 => "DEC MOP dump and load",
        0x6002 => "DEC MOP remote console",
        0x6003 => "DECnet Phase IV",
        0x6004 => "DEC LAT",
        0x6005 => "DEC diagnostics",
        0x6007 => "DEC LAVC",
        0x22eb => "ERSPAN type III",
        0x6558 => "bridged Ethernet",
        0x8035 => "RARP",
        0x8038 => "DEC bridge management",
        0x803e => "DEC time service",
        0x8040 => "DEC NetBIOS emulator",
        0x8041 => "DEC LAST",
        0x809b => "AppleTalk",
        0x80d5 => "802.2 in a DIX frame",
        0x80f3 => "AppleTalk ARP",
        0x8100 => "VLAN tag",
        0x8137 => "IPX",
        0x8138 => "Novell",
        0x86dd => "IPv6",
        0x8808 => "MAC control",
        0x880b => "PPP",
        0x8847 | 0x8848 => "MPLS",
        0x8863 => "PPPoE discovery",
        0x8864 => "PPPoE session",
        0x888e => "802.1X",
        0x88a8 => "provider VLAN tag",
        0x88be => "ERSPAN",
        0x88cc => "LLDP",
        0x9000 => "configuration test",
        0x9001 => "3Com XNS management",
        0x9002 => "3Com TCP management",
        0x9003 => "3Com bridge loopback test",
        0x9100 => "stacked VLAN tag",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// Destination, source and a type/length, then the payload.
    fn frame(type_or_length: u16, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![
            0x01, 0x80, 0xc2, 0, 0, 0, 0x00, 0x00, 0x1b, 0x12, 0x34, 0x56,
        ];
        bytes.extend(type_or_length.to_be_bytes());
        bytes.extend(payload);
        bytes
    }

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(bytes), &mut facts).unwrap();
        (layer, facts)
    }

    #[test]
    fn a_type_leaves_padding_to_the_payload() {
        let bytes = frame(0x8137, &[0; 46]);
        let (layer, facts) = read(&bytes);
        assert_eq!((layer.header, layer.end), (14, 60));
        assert_eq!(layer.next.keys().next(), Some(TYPE.key(0x8137)));
        assert_eq!(facts.from, Endpoint::mac([0, 0, 0x1b, 0x12, 0x34, 0x56]));
        assert_eq!(facts.cast, Cast::Multicast);
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "00-00-1b-12-34-56 > 01-80-c2-00-00-00, type 8137"
        );
    }

    #[test]
    fn a_length_cuts_padding_off() {
        let mut payload = [0; 46];
        payload[..3].copy_from_slice(&[0xf0, 0xf0, 0x7f]);
        let (layer, _) = read(&frame(3, &payload));
        assert_eq!(layer.end, 17, "43 bytes of padding");
        assert_eq!(layer.next.keys().next(), Some(LLC.any()));
    }

    #[test]
    fn ipx_without_llc_is_told_by_its_checksum() {
        let (layer, _) = read(&frame(37, &[0xff; 46]));
        assert_eq!(layer.end, 51);
        assert_eq!(layer.next.keys().next(), Some(RAW.key(0xffff)));
        // The global DSAP alone is LLC.
        let (layer, _) = read(&frame(37, &[0xff, 0xf0, 3, 0]));
        assert_eq!(layer.next.keys().next(), Some(LLC.any()));
    }

    #[test]
    fn the_border_between_length_and_type() {
        assert_eq!(
            read(&frame(0, &[1, 2])).0.next.keys().next(),
            Some(TYPE.key(0))
        );
        assert_eq!(
            read(&frame(1500, &[1, 2])).0.next.keys().next(),
            Some(LLC.any())
        );
        assert_eq!(
            read(&frame(0x0600, &[1, 2])).0.next.keys().next(),
            Some(TYPE.key(0x0600))
        );
        for invalid in [0x05dd, 0x05ff] {
            assert!(matches!(
                dissect(
                    Input::whole(&frame(invalid, &[0; 46])),
                    &mut Facts::default()
                ),
                Err(Fault::Malformed { offset: 12, .. })
            ));
        }
    }

    #[test]
    fn inter_switch_link_is_not_llc() {
        let mut bytes = frame(64, &[0xaa; 64]);
        bytes[..6].copy_from_slice(&[0x01, 0, 0x0c, 0, 0, 0x10]);
        assert!(read(&bytes).0.next.is_none());
        bytes[5] = 0;
        bytes[12..14].copy_from_slice(&[0x08, 0x00]);
        assert!(!read(&bytes).0.next.is_none(), "ISL has a length, no type");
    }

    #[test]
    fn everyone_a_group_and_one() {
        assert_eq!(cast([0xff; 6]), Cast::Broadcast);
        assert_eq!(cast([3, 0, 0, 0, 0, 1]), Cast::Multicast);
        assert_eq!(cast([2, 0, 0, 0, 0, 1]), Cast::Unicast);
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &frame(0x0800, &[]));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 18], kind in 0usize..6) {
            bytes[12..14].copy_from_slice(&[[0x08, 0], [0, 38], [5, 0xdd], [0, 0], [5, 0xdc], [0xff; 2]][kind]);
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            let value = h.type_or_length;
            let name = match EthernetContent::read(value, input.skip(14)) {
                _ if h.is_inter_switch_link() => "Length",
                Some(EthernetContent::Type(_)) => "Type",
                Some(_) => "Length",
                None => "Type or length",
            };
            prop_assert_eq!(testing::number(&fields, name), Some(value.into()));
            prop_assert_eq!(testing::text(&fields, "Source"), Some(Endpoint::mac(h.source).to_string()));
            prop_assert_eq!(
                testing::text(&fields, "Destination"),
                Some(Endpoint::mac(h.destination).to_string())
            );
        }
    }
}
