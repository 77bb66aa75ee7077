//! BSD loopback (LINKTYPE_NULL and LINKTYPE_LOOP): an address family, then the packet.

use crate::ethernet;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// The header: an address family as the capturing host numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Address family.
    pub family: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 4;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when it is a family in neither byte order.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        // LINKTYPE_NULL has the byte order of the host that captured, which the link type
        // does not say; families are small, so that only one order makes sense.
        match *header::<4>(input)? {
            [0, 0, high, low] | [low, high, 0, 0] => Ok(Self {
                family: u16::from_be_bytes([high, low]),
            }),
            _ => Err(malformed(0, "no address family")),
        }
    }

    /// The EtherType of the same protocol; `None` if there is nothing for it here.
    #[must_use]
    pub const fn ethernet_type(&self) -> Option<u16> {
        match self.family {
            2 => Some(0x0800),
            // Linux, Windows, NetBSD and OpenBSD, FreeBSD, macOS.
            10 | 23 | 24 | 28 | 30 => Some(0x86dd),
            _ => None,
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "loopback",
    title: "BSD loopback",
    does: "IPv4 and IPv6 by the address families of BSD, macOS, Linux and Windows, in either \
           byte order",
    lacks: "families other than IP",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(LinkType::NULL.key()),
        Claim::Exact(LinkType::LOOP.key()),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.ethernet_type() {
        Some(t) => Next::one(ethernet::TYPE.key(t as u32)),
        None => Next::NONE,
    };
    Ok(Layer::over(input, Header::LENGTH, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "family {}", h.family),
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    // The same question as `Header::parse` asks.
    match f.peek() {
        [0, 0, _, _, ..] => f.be32("Address family")?,
        _ => f.le32("Address family")?,
    };
    if let Ok(h) = Header::parse(f.input()) {
        f.means(match h.ethernet_type() {
            Some(0x0800) => "IPv4",
            Some(_) => "IPv6",
            None => "",
        });
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    fn next(bytes: &[u8]) -> Option<wirewait_wire::Key> {
        let layer = dissect(Input::whole(bytes), &mut Facts::default()).unwrap();
        layer.next.keys().next()
    }

    #[test]
    fn families_in_either_byte_order() {
        assert_eq!(next(&[2, 0, 0, 0]), Some(ethernet::TYPE.key(0x0800)));
        assert_eq!(next(&[0, 0, 0, 2]), Some(ethernet::TYPE.key(0x0800)));
        for family in [10, 23, 24, 28, 30] {
            assert_eq!(next(&[family, 0, 0, 0]), Some(ethernet::TYPE.key(0x86dd)));
            assert_eq!(next(&[0, 0, 0, family]), Some(ethernet::TYPE.key(0x86dd)));
        }
        assert_eq!(next(&[0, 0, 0, 1]), None);
        assert_eq!(line(&DISSECTOR, &[30, 0, 0, 0]), "family 30");
    }

    #[test]
    fn neither_byte_order_is_malformed() {
        assert!(matches!(
            Header::parse(Input::whole(&[0x45, 0, 1, 0])),
            Err(Fault::Malformed { .. })
        ));
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &[2, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 6], swapped: bool) {
            let at = if swapped { 0 } else { 2 };
            bytes[at..at + 2].copy_from_slice(&[0; 2]);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Address family"), Some(h.family.into()));
        }
    }
}
