//! Linux "cooked" capture, version 2 (LINKTYPE_LINUX_SLL2): the fields of version 1 in
//! another order, and the interface.

use crate::parse::{be16, header};
use crate::sll;
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Verified};

/// A cooked header of version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Index of the interface on the capturing host.
    pub interface: u32,
    /// What version 1 has too.
    pub cooked: sll::Header,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 20;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 20] = header(input)?;
        Ok(Self {
            interface: u32::from_be_bytes([h[4], h[5], h[6], h[7]]),
            cooked: sll::Header {
                packet_type: h[10],
                hardware: u16::from_be_bytes([h[8], h[9]]),
                source: (h[11] == 6).then_some([h[12], h[13], h[14], h[15], h[16], h[17]]),
                protocol: u16::from_be_bytes([h[0], h[1]]),
            },
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "sll2",
    title: "Linux cooked capture, version 2",
    does: "sender, direction, interface, EtherTypes, 802.2 and raw IPX",
    lacks: "the receiver's address and the 802.3 length are not in the capture",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(LinkType::LINUX_SLL2.key())],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    h.cooked.tell(facts);
    Ok(Layer::over(input, Header::LENGTH, h.cooked.next()))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "interface {}, {}", h.interface, h.cooked),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let hardware = be16(f.peek(), 8).unwrap_or(0);
    sll::protocol(f, hardware)?;
    f.be16("Reserved")?;
    f.be32("Interface index")?;
    f.be16("Hardware type (ARPHRD)")?;
    f.means(sll::hardware_name(hardware));
    let packet_type = f.u8("Packet type")?;
    f.means(sll::way(packet_type));
    let length = f.u8("Address length")?;
    sll::address(f, length.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;
    use wirewait_wire::Endpoint;

    /// LINKTYPE_LINUX_SLL2: IPv4 to us on interface 2, an Ethernet device.
    const BYTES: [u8; 20] = [
        0x08, 0x00, 0, 0, 0, 0, 0, 2, 0, 1, 0, 6, 0x00, 0x00, 0x1b, 0x12, 0x34, 0x56, 0, 0,
    ];

    #[test]
    fn reads_the_fields_of_version_one_in_their_new_order() {
        let mut facts = Facts::default();
        let input = Input {
            bytes: &BYTES,
            length: 60,
        };
        let layer = dissect(input, &mut facts).unwrap();
        assert_eq!((layer.header, layer.end), (20, 60));
        assert_eq!(layer.next.keys().next(), Some(ethernet::TYPE.key(0x0800)));
        assert_eq!(facts.from, Endpoint::mac([0, 0, 0x1b, 0x12, 0x34, 0x56]));
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "interface 2, from 00-00-1b-12-34-56 to us, type 0800"
        );
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 22], length in 0u8..10) {
            bytes[11] = length;
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            for (name, value) in [
                ("Protocol", h.cooked.protocol.into()),
                ("Interface index", h.interface.into()),
                ("Hardware type (ARPHRD)", h.cooked.hardware.into()),
                ("Packet type", h.cooked.packet_type.into()),
            ] {
                prop_assert_eq!(testing::number(&fields, name), Some(value));
            }
        }
    }
}
