//! Virtual eXtensible LAN: Ethernet in UDP, between hosts of virtual machines, and where clouds
//! mirror an interface to. RFC 7348; its generic extension is draft-ietf-nvo3-vxlan-gpe-13.

use crate::ethernet;
use crate::parse::{header, malformed};
use crate::udp::PORT;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A VXLAN header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which virtual network, 24 bits.
    pub network: u32,
    /// What follows, where the header says so (the generic extension); Ethernet otherwise.
    pub protocol: Option<u8>,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 8;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when it has no network identifier.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 8] = header(input)?;
        if h[0] & VALID == 0 {
            return Err(malformed(0, "no network identifier"));
        }
        Ok(Self {
            network: u32::from_be_bytes([0, h[4], h[5], h[6]]),
            protocol: (h[0] & NAMED != 0).then_some(h[3]),
        })
    }
}

/// The network identifier is valid.
const VALID: u8 = 0x08;
/// The next protocol is named.
const NAMED: u8 = 0x04;

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "vxlan",
    title: "Virtual eXtensible LAN, RFC 7348",
    aliases: &["VPC traffic mirroring"],
    does: "Ethernet in it; IPv4 and IPv6 of the generic extension",
    lacks: "conversations of different virtual networks are not told apart",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[
        Claim::Exact(PORT.key(4789)),
        // The generic extension's, and what Linux used before there was a number.
        Claim::Exact(PORT.key(4790)),
        Claim::Exact(PORT.key(8472)),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.protocol {
        None | Some(3) => Next::one(LinkType::ETHERNET.key()),
        Some(1) => Next::one(ethernet::TYPE.key(0x0800)),
        Some(2) => Next::one(ethernet::TYPE.key(0x86dd)),
        Some(_) => Next::NONE,
    };
    Ok(Layer::over(input, Header::LENGTH, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "network {}", h.network),
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Flags")?;
    f.hex();
    f.flag(VALID.into(), "Network identifier", "valid", "absent");
    let named = f.flag(NAMED.into(), "Next protocol", "named", "Ethernet");
    f.be16("Group policy")?;
    f.hex();
    let next = f.u8("What follows")?;
    if named {
        f.means(match next {
            1 => "IPv4",
            2 => "IPv6",
            3 => "Ethernet",
            4 => "network service header",
            _ => "",
        });
    }
    f.be24("Network")?;
    f.u8("Reserved")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// RFC 7348, 5: network 99.
    const BYTES: [u8; 8] = [0x08, 0, 0, 0, 0, 0, 99, 0];

    fn next(flags: u8, protocol: u8) -> Next {
        let mut bytes = BYTES;
        (bytes[0], bytes[3]) = (flags, protocol);
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!(layer.header, 8);
        layer.next
    }

    #[test]
    fn ethernet_follows_unless_another_is_named() {
        let ethernet = Next::one(LinkType::ETHERNET.key());
        assert_eq!(next(0x08, 0), ethernet);
        assert_eq!(next(0x88, 1), ethernet, "a group policy, no name");
        assert_eq!(next(0x0c, 3), ethernet);
        assert_eq!(next(0x0c, 1), Next::one(ethernet::TYPE.key(0x0800)));
        assert_eq!(next(0x0c, 2), Next::one(ethernet::TYPE.key(0x86dd)));
        assert_eq!(next(0x0c, 4), Next::NONE);
        assert_eq!(line(&DISSECTOR, &BYTES), "network 99");
    }

    #[test]
    fn a_cut_header_is_short_and_one_without_network_malformed() {
        short_when_cut(&DISSECTOR, &BYTES);
        let got = Header::parse(Input::whole(&[0; 8]));
        assert_eq!(got, Err(malformed(0, "no network identifier")));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 10]) {
            bytes[0] |= VALID;
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Network"), Some(h.network.into()));
        }
    }
}
