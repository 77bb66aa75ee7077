//! Generic Routing Encapsulation, which tunnels and remote mirror ports use. RFC 2784 with the key
//! and the sequence number of RFC 2890; version 1 is that of PPTP (RFC 2637, 4.1).

use crate::ethernet;
use crate::ipv4::PROTOCOL;
use crate::parse::{be16, malformed};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A GRE header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the header with its options, 4 to 16.
    pub length: u8,
    /// 0, or 1 for PPTP.
    pub version: u8,
    /// Its packets are numbered.
    pub numbered: bool,
    /// EtherType of the payload.
    pub protocol: u16,
}

/// A checksum, a source route, a key, a sequence number; in version 1 an acknowledgement.
const CHECKSUM: u16 = 0x8000;
const ROUTE: u16 = 0x4000;
const KEY: u16 = 0x2000;
const NUMBER: u16 = 0x1000;
const ACK: u16 = 0x0080;

/// Ethernet in GRE (transparent Ethernet bridging), also in Geneve.
pub(crate) const BRIDGED: u16 = 0x6558;
/// Mirrored frames. Type I has no header of its own, and its packets no numbers
/// (draft-foschiano-erspan, 4).
const ERSPAN: u16 = 0x88be;
/// PPP in version 1.
const PPP: u16 = 0x880b;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for a version above 1 or a source route, which
    /// RFC 2784 has no more.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let word = |at: usize| be16(input.bytes, at).ok_or(Fault::Short { offset: 0 });
        let (flags, protocol) = (word(0)?, word(2)?);
        let version = (flags & 7) as u8;
        if version > 1 {
            return Err(malformed(1, "version is neither 0 nor 1"));
        }
        if flags & ROUTE != 0 {
            return Err(malformed(0, "a source route, which RFC 2784 took away"));
        }
        let acks = if version == 1 { ACK } else { 0 };
        let options = flags & (CHECKSUM | KEY | NUMBER | acks);
        // At most 20.
        let length = 4 + 4 * options.count_ones() as u8;
        if input.bytes.len() < length.into() && u32::from(length) <= input.length {
            return Err(Fault::Short { offset: 4 });
        }
        if u32::from(length) > input.length {
            return Err(malformed(0, "options longer than the packet"));
        }
        Ok(Self {
            length,
            version,
            numbered: flags & NUMBER != 0,
            protocol,
        })
    }

    /// What the payload goes by.
    const fn next(self) -> Next {
        Next::one(match self.protocol {
            BRIDGED => LinkType::ETHERNET.key(),
            ERSPAN if !self.numbered => LinkType::ETHERNET.key(),
            PPP => LinkType::PPP.key(),
            protocol => ethernet::TYPE.key(protocol as u32),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "gre",
    title: "Generic Routing Encapsulation, RFC 2784 and 2890",
    aliases: &["NVGRE", "ERSPAN type I", "PPTP"],
    does: "what it carries by its EtherType, bridged Ethernet, frames mirrored without a header, \
           PPP of PPTP",
    lacks: "source routes (RFC 1701); packets that came out of order stay so",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(PROTOCOL.key(47))],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    // A packet of version 1 may be nothing but an acknowledgement.
    let next = match u32::from(h.length) < input.length {
        true => h.next(),
        false => Next::NONE,
    };
    Ok(Layer::over(input, h.length.into(), next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "version {}, type {:04x}", h.version, h.protocol),
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let flags = f.be16("Flags and version")?;
    f.hex();
    f.flag(CHECKSUM.into(), "Checksum", "present", "absent");
    f.flag(ROUTE.into(), "Source route", "present", "absent");
    f.flag(KEY.into(), "Key", "present", "absent");
    f.flag(NUMBER.into(), "Sequence number", "present", "absent");
    let acks = match f.bits(0x0007, "Version") {
        1 => f.flag(ACK.into(), "Acknowledgement", "present", "absent"),
        _ => false,
    };
    ethernet::ethernet_type(f, "Type")?;
    if flags & ROUTE != 0 {
        return Some(());
    }
    if flags & CHECKSUM != 0 {
        f.be16("Checksum of header and data")?;
        f.hex();
        f.be16("Reserved")?;
    }
    if flags & KEY != 0 {
        f.be32("Key of the flow")?;
        f.hex();
    }
    if flags & NUMBER != 0 {
        f.be32("Number of the packet")?;
    }
    if acks {
        f.be32("Number acknowledged")?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> (u32, Next) {
        let layer = dissect(Input::whole(bytes), &mut Facts::default()).unwrap();
        (layer.header, layer.next)
    }

    /// RFC 2784, 2.1 and RFC 2890, 2: key 77 and number 5 before IPv4.
    const KEYED: [u8; 13] = [0x30, 0, 0x08, 0x00, 0, 0, 0, 77, 0, 0, 0, 5, 0x45];

    #[test]
    fn options_are_four_bytes_each() {
        let ip = Next::one(ethernet::TYPE.key(0x0800));
        assert_eq!(read(&[0, 0, 0x08, 0x00, 0x45]), (4, ip));
        assert_eq!(read(&KEYED), (12, ip));
        let mut all = [0; 20];
        all[..4].copy_from_slice(&[0xb0, 0, 0x08, 0x00]);
        assert_eq!(read(&all), (16, ip));
        assert_eq!(line(&DISSECTOR, &KEYED), "version 0, type 0800");
    }

    #[test]
    fn ethernet_is_bridged_or_mirrored() {
        let ethernet = Next::one(LinkType::ETHERNET.key());
        assert_eq!(read(&[0, 0, 0x65, 0x58, 1]), (4, ethernet));
        assert_eq!(read(&[0, 0, 0x88, 0xbe, 1]), (4, ethernet), "type I");
        let numbered = [0x10, 0, 0x88, 0xbe, 0, 0, 0, 5, 0x10];
        let header = Next::one(ethernet::TYPE.key(0x88be));
        assert_eq!(read(&numbered), (8, header), "type II");
    }

    /// RFC 2637, 4.1: key of length and call, a number, an acknowledgement.
    #[test]
    fn pptp_carries_ppp_or_only_acknowledges() {
        let data = [
            0x30, 0x81, 0x88, 0x0b, 0, 4, 0, 9, 0, 0, 0, 5, 0, 0, 0, 4, 0xff, 0x03, 0x00, 0x21,
        ];
        assert_eq!(read(&data), (16, Next::one(LinkType::PPP.key())));
        let ack = [0x20, 0x81, 0x88, 0x0b, 0, 0, 0, 9, 0, 0, 0, 4];
        assert_eq!(read(&ack), (12, Next::NONE));
    }

    #[test]
    fn a_cut_header_is_short_and_an_impossible_one_malformed() {
        short_when_cut(&DISSECTOR, &KEYED[..12]);
        for (bytes, what) in [
            ([0, 2, 8, 0], "version is neither 0 nor 1"),
            ([0x40, 0, 8, 0], "a source route, which RFC 2784 took away"),
            ([0x20, 0, 8, 0], "options longer than the packet"),
        ] {
            assert_eq!(line(&DISSECTOR, &bytes), what);
        }
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 24]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                prop_assert_eq!(testing::number(&fields, "Type"), Some(h.protocol.into()));
                prop_assert_eq!(testing::number(&fields, "Version"), Some(h.version.into()));
                prop_assert_eq!(fields.last().unwrap().end, u32::from(h.length));
            }
        }
    }
}
