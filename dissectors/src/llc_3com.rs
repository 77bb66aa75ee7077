//! EtherTypes behind 802.2, as 3Com did it before SNAP: LLC with service access point 80,
//! then two bytes of type. Nothing but captures and tshark describes it.

use crate::parse::header;
use crate::{ethernet, llc};
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Verified};

/// The header: a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// An EtherType, or [`Header::SPANNING_TREE`].
    pub ethernet_type: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 2;

    /// Retix's spanning tree, which is no EtherType.
    pub const SPANNING_TREE: u16 = 4;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        Ok(Self {
            ethernet_type: u16::from_be_bytes(*header::<2>(input)?),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "llc-3com",
    title: "3Com's EtherTypes behind 802.2 (service access point 80)",
    does: "EtherTypes behind LLC",
    lacks: "Retix's spanning tree is named only",
    verified: &[Verified::Tshark],
    claims: &[Claim::Exact(llc::SAP.key(0x80))],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.ethernet_type {
        Header::SPANNING_TREE => Next::NONE,
        value => Next::one(ethernet::TYPE.key(value.into())),
    };
    Ok(Layer::over(input, Header::LENGTH, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(Header {
            ethernet_type: Header::SPANNING_TREE,
        }) => out.write_str("Retix spanning tree"),
        Ok(h) => write!(out, "type {:04x}", h.ethernet_type),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let value = f.be16("Type")?;
    f.hex();
    if value == Header::SPANNING_TREE {
        f.means("Retix spanning tree");
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;

    #[test]
    fn a_type_follows() {
        let bytes = [0x06, 0x00, 0xff, 0xff];
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (2, 4));
        assert!(layer.next.keys().eq([ethernet::TYPE.key(0x0600)]));
        assert_eq!(line(&DISSECTOR, &bytes), "type 0600");
        short_when_cut(&DISSECTOR, &bytes[..2]);
    }

    #[test]
    fn the_spanning_tree_is_no_type() {
        let bytes = [0, 4, 1];
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert!(layer.next.is_none());
        assert_eq!(line(&DISSECTOR, &bytes), "Retix spanning tree");
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(fields[0].meaning, "Retix spanning tree");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 0..8)) {
            stands(&DISSECTOR, &bytes, 3);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).ok();
            prop_assert_eq!(
                testing::number(&fields, "Type"),
                h.map(|h| h.ethernet_type.into())
            );
        }
    }
}
