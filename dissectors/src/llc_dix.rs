//! LLC in a DIX Ethernet frame, EtherType 80D5 (IBM LAN Technical Reference, SC30-3587).
//! NetBIOS and SNA use it where adapters are set to Ethernet version 2.

use crate::ethernet;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Verified};

/// The length that stands in for that of IEEE 802.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of LLC header and information.
    pub length: u16,
}

impl Header {
    /// Bytes of the header; the last one is padding.
    pub const LENGTH: u32 = 3;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 3] = header(input)?;
        Ok(Self {
            length: u16::from_be_bytes([h[0], h[1]]),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "llc-dix",
    title: "LLC in DIX Ethernet, EtherType 80D5",
    does: "finds the LLC frame and its length",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(ethernet::TYPE.key(0x80d5))],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    Ok(Layer {
        header: Header::LENGTH,
        end: Header::LENGTH.saturating_add(h.length.into()),
        next: Next::one(ethernet::LLC.any()),
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "length {}", h.length),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Length")?;
    f.u8("Padding")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    #[test]
    fn the_inner_length_cuts_padding_off() {
        let mut bytes = [0; 46];
        bytes[..6].copy_from_slice(&[0x00, 0x03, 0x00, 0xf0, 0xf0, 0x7f]);
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (3, 6));
        assert_eq!(layer.next.keys().next(), Some(ethernet::LLC.any()));
        assert_eq!(line(&DISSECTOR, &bytes), "length 3");
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &[0x00, 0x03, 0x00]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 4]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Length"), Some(h.length.into()));
        }
    }
}
