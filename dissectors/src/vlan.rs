//! VLAN tags: IEEE 802.1Q (9.6), 802.1ad provider tags, and the older stacked 0x9100.

use crate::ethernet::{self, EthernetContent, TYPE};
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Verified};

/// A tag behind its own EtherType.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Priority code point, 0 to 7.
    pub priority: u8,
    /// May be dropped first.
    pub drop_eligible: bool,
    /// VLAN identifier; 0 marks a frame that has a priority only.
    pub vlan: u16,
    /// Type or length of what follows, as in an Ethernet header.
    pub type_or_length: u16,
}

impl Tag {
    /// Bytes of the tag from its control information on.
    pub const LENGTH: u32 = 4;

    /// Reads a tag.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 4] = header(input)?;
        let control = u16::from_be_bytes([h[0], h[1]]);
        Ok(Self {
            priority: h[0] >> 5,
            drop_eligible: control & 0x1000 != 0,
            vlan: control & 0x0fff,
            type_or_length: u16::from_be_bytes([h[2], h[3]]),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "vlan",
    title: "VLAN tag, IEEE 802.1Q and 802.1ad",
    aliases: &["802.1Q"],
    does: "VLAN, priority, stacked tags; 802.2 and raw IPX behind a tag",
    lacks: "conversations of different VLANs are not told apart",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(TYPE.key(0x8100)),
        Claim::Exact(TYPE.key(0x88a8)),
        Claim::Exact(TYPE.key(0x9100)),
    ],
    conveys: true,
    tag: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let tag = Tag::parse(input)?;
    let payload = input.skip(Tag::LENGTH);
    let content = EthernetContent::read(tag.type_or_length, payload)
        .ok_or(malformed(2, "type/length from 05dd to 05ff"))?;
    Ok(Layer {
        header: Tag::LENGTH,
        end: Tag::LENGTH.saturating_add(content.length(payload)),
        next: content.next(),
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(tag) = Tag::parse(input) else {
        return out.write_str("cut off");
    };
    write!(out, "VLAN {}, priority {}, ", tag.vlan, tag.priority)?;
    if tag.drop_eligible {
        out.write_str("drop eligible, ")?;
    }
    match EthernetContent::read(tag.type_or_length, input.skip(Tag::LENGTH)) {
        Some(content) => write!(out, "{content}"),
        None => write!(out, "invalid type/length {:04x}", tag.type_or_length),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Tag control information")?;
    f.hex();
    f.bits(0xe000, "Priority");
    f.flag(0x1000, "Drop eligible", "may be dropped first", "no");
    f.bits(0x0fff, "VLAN");
    ethernet::type_or_length(f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::{LLC, RAW};
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Layer {
        dissect(Input::whole(bytes), &mut Facts::default()).unwrap()
    }

    #[test]
    fn raw_ipx_hides_behind_a_tag() {
        let mut bytes = [0; 60];
        bytes[..6].copy_from_slice(&[0x00, 0x05, 0x00, 0x25, 0xff, 0xff]);
        let layer = read(&bytes);
        assert_eq!((layer.header, layer.end), (4, 4 + 0x25));
        assert_eq!(layer.next.keys().next(), Some(RAW.key(0xffff)));
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "VLAN 5, priority 0, raw 802.3, length 37"
        );
    }

    #[test]
    fn llc_and_types_behind_a_tag() {
        let layer = read(&[0x00, 0x64, 0x00, 0x03, 0xe0, 0xe0, 0x03, 0, 0]);
        assert_eq!(layer.end, 7);
        assert_eq!(layer.next.keys().next(), Some(LLC.any()));
        // Tags stack: the type of the outer is the tag of the inner.
        let layer = read(&[0x00, 0x02, 0x81, 0x00, 0x00, 0x03, 0x08, 0x00]);
        assert_eq!(layer.next.keys().next(), Some(TYPE.key(0x8100)));
    }

    #[test]
    fn control_information_is_three_fields() {
        let tag = Tag::parse(Input::whole(&[0xb1, 0x23, 0x08, 0x00])).unwrap();
        assert_eq!(
            (tag.priority, tag.drop_eligible, tag.vlan),
            (5, true, 0x123)
        );
    }

    #[test]
    fn a_cut_tag_is_short() {
        short_when_cut(&DISSECTOR, &[0x00, 0x64, 0x08, 0x00]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_tag(bytes: [u8; 6]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let tag = Tag::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Priority"), Some(tag.priority.into()));
            prop_assert_eq!(
                testing::number(&fields, "Drop eligible"),
                Some(tag.drop_eligible.into())
            );
            prop_assert_eq!(testing::number(&fields, "VLAN"), Some(tag.vlan.into()));
        }
    }
}
