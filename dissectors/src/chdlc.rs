//! Cisco HDLC, the default of Cisco's serial lines (LINKTYPE_C_HDLC): EtherTypes behind
//! an HDLC address and control byte.

use crate::ethernet;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Cast, Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A Cisco HDLC header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// 0x0f to the other end, 0x8f to everyone.
    pub address: u8,
    /// EtherType.
    pub protocol: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 4;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 4] = header(input)?;
        Ok(Self {
            address: h[0],
            protocol: u16::from_be_bytes([h[2], h[3]]),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "chdlc",
    title: "Cisco HDLC",
    does: "EtherTypes",
    lacks: "keep-alives (SLARP)",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[Claim::Exact(LinkType::C_HDLC.key())],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    if h.address == 0x8f {
        facts.cast = Cast::Broadcast;
    }
    let next = Next::one(ethernet::TYPE.key(h.protocol.into()));
    Ok(Layer::over(input, Header::LENGTH, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "address {:02x}, type {:04x}", h.address, h.protocol),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let address = f.u8("Address")?;
    f.hex().means(match address {
        0x0f => "the other end",
        0x8f => "everyone",
        _ => "",
    });
    f.u8("Control")?;
    f.hex();
    match ethernet::ethernet_type(f, "Type")? {
        0x8035 => f.means("SLARP"),
        0x2000 => f.means("CDP"),
        _ => f,
    };
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    const BYTES: [u8; 4] = [0x8f, 0x00, 0x81, 0x37];

    #[test]
    fn an_ethernet_type_follows_address_and_control() {
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&BYTES), &mut facts).unwrap();
        assert_eq!(layer.header, 4);
        assert_eq!(layer.next.keys().next(), Some(ethernet::TYPE.key(0x8137)));
        assert_eq!(facts.cast, Cast::Broadcast);
        assert_eq!(line(&DISSECTOR, &BYTES), "address 8f, type 8137");
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 6]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Address"), Some(h.address.into()));
            prop_assert_eq!(testing::number(&fields, "Type"), Some(h.protocol.into()));
        }
    }
}
