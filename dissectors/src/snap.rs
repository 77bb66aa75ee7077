//! Sub-Network Access Protocol: EtherTypes behind LLC (IEEE 802, 9.2; RFC 1042).

use crate::parse::header;
use crate::{ethernet, llc};
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Verified};

/// A SNAP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Organisation that defines the protocol identifiers.
    pub organisation: [u8; 3],
    /// Protocol identifier.
    pub protocol: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 5;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 5] = header(input)?;
        Ok(Self {
            organisation: [h[0], h[1], h[2]],
            protocol: u16::from_be_bytes([h[3], h[4]]),
        })
    }

    /// Whether the protocol identifier is an EtherType: those of RFC 1042, and the bridge
    /// tunnel of IEEE 802.1H.
    #[must_use]
    pub const fn is_ethernet_type(&self) -> bool {
        matches!(self.organisation, [0, 0, 0x00 | 0xf8])
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "snap",
    title: "Sub-Network Access Protocol, RFC 1042",
    does: "EtherTypes behind LLC",
    lacks: "the protocols of organisations other than 000000 and 0000F8",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(llc::SAP.key(0xaa))],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = if h.is_ethernet_type() {
        Next::one(ethernet::TYPE.key(h.protocol.into()))
    } else {
        Next::NONE
    };
    Ok(Layer::over(input, Header::LENGTH, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    if h.is_ethernet_type() {
        return write!(out, "type {:04x}", h.protocol);
    }
    let [a, b, c] = h.organisation;
    let protocol = h.protocol;
    write!(
        out,
        "organisation {a:02x}-{b:02x}-{c:02x}, protocol {protocol:04x}"
    )
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let is_ethernet_type = Header::parse(f.input()).is_ok_and(|h| h.is_ethernet_type());
    let organisation = f.bytes(3, "Organisation code (OUI)")?;
    if let [a, b, c] = *organisation {
        f.shown(format_args!("{a:02x}-{b:02x}-{c:02x}"));
    }
    f.means(match organisation {
        [0x00, 0x00, 0x00] => "EtherType follows, RFC 1042",
        [0x00, 0x00, 0xf8] => "EtherType follows, bridge tunnel",
        [0x00, 0x00, 0x0c] => "Cisco",
        [0x00, 0x80, 0xc2] => "IEEE 802.1",
        [0x08, 0x00, 0x07] => "Apple",
        _ => "",
    });
    if is_ethernet_type {
        ethernet::ethernet_type(f, "EtherType (PID)")?;
    } else {
        f.be16("Protocol identifier (PID)")?;
        f.hex();
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    fn next(bytes: &[u8]) -> Next {
        dissect(Input::whole(bytes), &mut Facts::default())
            .unwrap()
            .next
    }

    #[test]
    fn ethernet_types_under_two_organisations() {
        for organisation in [0x00, 0xf8] {
            let bytes = [0, 0, organisation, 0x81, 0x37, 0xff, 0xff];
            assert_eq!(next(&bytes).keys().next(), Some(ethernet::TYPE.key(0x8137)));
            assert_eq!(line(&DISSECTOR, &bytes), "type 8137");
        }
    }

    #[test]
    fn other_organisations_end_the_walk() {
        let apple = [0x08, 0x00, 0x07, 0x80, 0x9b];
        assert!(next(&apple).is_none());
        assert_eq!(
            line(&DISSECTOR, &apple),
            "organisation 08-00-07, protocol 809b"
        );
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &[0, 0, 0, 0x81, 0x37]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 6], known: bool) {
            if known {
                bytes[..3].copy_from_slice(&[0; 3]);
            }
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            let name = match h.is_ethernet_type() {
                true => "EtherType (PID)",
                false => "Protocol identifier (PID)",
            };
            prop_assert_eq!(testing::number(&fields, name), Some(h.protocol.into()));
        }
    }
}
