//! Geneve: Ethernet or other packets in UDP, between hosts of virtual machines. RFC 8926.

use crate::ethernet;
use crate::gre::BRIDGED;
use crate::parse::{header, malformed};
use crate::udp::PORT;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A Geneve header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the header with its options, 8 to 260.
    pub length: u16,
    /// It is a message of the tunnel's own ends.
    pub control: bool,
    /// EtherType of what follows.
    pub protocol: u16,
    /// Which virtual network, 24 bits.
    pub network: u32,
}

/// Bytes before the options.
const FIXED: u16 = 8;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for another version than 0, or options that
    /// are longer than the packet.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 8] = header(input)?;
        if h[0] >> 6 != 0 {
            return Err(malformed(0, "version is not 0"));
        }
        let length = FIXED + u16::from(h[0] & 0x3f) * 4;
        if u32::from(length) > input.length {
            return Err(malformed(0, "options longer than the packet"));
        }
        Ok(Self {
            length,
            control: h[1] & 0x80 != 0,
            protocol: u16::from_be_bytes([h[2], h[3]]),
            network: u32::from_be_bytes([0, h[4], h[5], h[6]]),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "geneve",
    title: "Generic Network Virtualization Encapsulation, RFC 8926",
    does: "Ethernet and other packets in it, by their EtherType",
    lacks: "what its options mean; conversations of different virtual networks are not told apart",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(PORT.key(6081))],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.protocol {
        _ if h.control => Next::NONE,
        BRIDGED => Next::one(LinkType::ETHERNET.key()),
        protocol => Next::one(ethernet::TYPE.key(protocol.into())),
    };
    Ok(Layer::over(input, h.length.into(), next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "network {}, type {:04x}", h.network, h.protocol),
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Version and length of options")?;
    f.hex();
    f.bits(0xc0, "Version");
    let options = f.bits(0x3f, "Length of options").saturating_mul(4);
    f.means(format_args!("{options} bytes"));
    f.u8("Flags")?;
    f.hex();
    f.flag(0x80, "Control", "the tunnel's own", "a packet follows");
    f.flag(0x40, "Critical options", "some", "none");
    ethernet::ethernet_type(f, "Type")?;
    f.be24("Network")?;
    f.u8("Reserved")?;
    if options > 0 {
        f.within(u32::try_from(options).unwrap_or(0), "Options", |_| Some(()))?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// RFC 8926, 3.4: one word of options, Ethernet, network 99.
    const BYTES: [u8; 12] = [0x01, 0, 0x65, 0x58, 0, 0, 99, 0, 0, 0, 0, 0];

    #[test]
    fn what_follows_goes_by_its_type() {
        let read = |bytes: &[u8]| {
            let layer = dissect(Input::whole(bytes), &mut Facts::default()).unwrap();
            (layer.header, layer.next)
        };
        let ethernet = Next::one(LinkType::ETHERNET.key());
        assert_eq!(read(&BYTES), (12, ethernet));
        let ip = [0, 0, 0x08, 0, 0, 0, 99, 0];
        assert_eq!(read(&ip), (8, Next::one(ethernet::TYPE.key(0x0800))));
        let control = [0, 0x80, 0x08, 0, 0, 0, 99, 0];
        assert_eq!(read(&control), (8, Next::NONE));
        assert_eq!(line(&DISSECTOR, &BYTES), "network 99, type 6558");
    }

    #[test]
    fn a_cut_header_is_short_and_an_impossible_one_malformed() {
        short_when_cut(&DISSECTOR, &BYTES[..8]);
        assert_eq!(
            line(&DISSECTOR, &BYTES[..8]),
            "options longer than the packet"
        );
        assert_eq!(line(&DISSECTOR, &[0x40; 8]), "version is not 0");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 264]) {
            bytes[0] &= 0x3f;
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Network"), Some(h.network.into()));
            prop_assert_eq!(testing::number(&fields, "Type"), Some(h.protocol.into()));
            prop_assert_eq!(fields.last().unwrap().end, u32::from(h.length));
        }
    }
}
