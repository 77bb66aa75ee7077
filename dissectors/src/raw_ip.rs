//! Links without a header: the packet begins with that of IPv4 or IPv6 (LINKTYPE_RAW,
//! its older numbers, LINKTYPE_IPV4 and LINKTYPE_IPV6).

use crate::ethernet;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// DLT_RAW of most systems, which some writers put into files unchanged.
const RAW_DLT: LinkType = LinkType(12);

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "raw-ip",
    title: "IP without a link header",
    does: "tells IPv4 from IPv6",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[
        Claim::Exact(LinkType::RAW.key()),
        Claim::Exact(LinkType::RAW_BSD.key()),
        Claim::Exact(RAW_DLT.key()),
        Claim::Exact(LinkType::IPV4.key()),
        Claim::Exact(LinkType::IPV6.key()),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

/// The IP version that the first four bits give.
///
/// # Errors
/// [`Fault::Short`], or [`Fault::Malformed`] for anything but 4 and 6.
pub fn version(input: Input<'_>) -> Result<u8, Fault> {
    let [first] = *header::<1>(input)?;
    match first >> 4 {
        version @ (4 | 6) => Ok(version),
        _ => Err(malformed(0, "version is neither 4 nor 6")),
    }
}

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let ethernet_type = match version(input)? {
        4 => 0x0800,
        _ => 0x86dd,
    };
    let next = Next::one(ethernet::TYPE.key(ethernet_type));
    Ok(Layer::over(input, 0, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match version(input) {
        Ok(version) => write!(out, "version {version}, length {}", input.length),
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

/// Nothing stands before the packet.
fn fields(_: &mut Fields<'_>) -> Option<()> {
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    #[test]
    fn the_first_four_bits_decide() {
        for (first, ethernet_type) in [(0x45, 0x0800), (0x60, 0x86dd)] {
            let layer = dissect(Input::whole(&[first, 0]), &mut Facts::default()).unwrap();
            assert_eq!((layer.header, layer.end), (0, 2));
            assert_eq!(
                layer.next.keys().next(),
                Some(ethernet::TYPE.key(ethernet_type))
            );
        }
        assert!(matches!(
            version(Input::whole(&[0x50])),
            Err(Fault::Malformed { .. })
        ));
        assert_eq!(line(&DISSECTOR, &[0x60, 0]), "version 6, length 2");
    }

    #[test]
    fn nothing_at_all_is_short() {
        short_when_cut(&DISSECTOR, &[0x45]);
    }

    proptest! {
        #[test]
        fn there_are_no_fields(bytes: [u8; 4]) {
            prop_assert!(testing::fields(&DISSECTOR, Input::whole(&bytes)).is_empty());
        }
    }
}
