//! Frames that a switch mirrored to somewhere else: Cisco's Encapsulated Remote SPAN, types II
//! and III. draft-foschiano-erspan-03.

use crate::ethernet;
use crate::parse::{be16, be32, malformed};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// What an ERSPAN header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the header, 8, 12 or 20.
    pub length: u8,
    /// 1 is type II, 2 is type III.
    pub version: u8,
    /// VLAN of the frame where it was mirrored.
    pub vlan: u16,
    /// Session, as the switch numbers them.
    pub session: u16,
    /// The switch cut the frame.
    pub cut: bool,
    /// It is an Ethernet frame; type III mirrors other things, too.
    pub ethernet: bool,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for another version.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let short = Fault::Short { offset: 0 };
        let head = be32(input.bytes, 0).ok_or(short)?;
        let version = (head >> 28) as u8;
        let (length, ethernet) = match version {
            1 => (8, true),
            2 => {
                // P, type of the frame (0 is Ethernet), hardware, direction, clock, and whether
                // a subheader of the platform follows.
                let tail = be16(input.bytes, 10).ok_or(Fault::Short { offset: 10 })?;
                let more = if tail & 1 != 0 { 8 } else { 0 };
                (12 + more, tail & 0x7c00 == 0)
            }
            _ => {
                return Err(malformed(
                    0,
                    "version is neither 1 (type II) nor 2 (type III)",
                ));
            }
        };
        if u32::from(length) > input.length {
            return Err(malformed(0, "header longer than the packet"));
        }
        if input.bytes.len() < length.into() {
            return Err(Fault::Short { offset: 4 });
        }
        Ok(Self {
            length,
            version,
            vlan: (head >> 16 & 0x0fff) as u16,
            session: (head & 0x03ff) as u16,
            cut: head & 0x0400 != 0,
            ethernet,
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "erspan",
    title: "Encapsulated Remote SPAN, types II and III",
    aliases: &["remote mirror"],
    does: "mirrored Ethernet frames, session, VLAN",
    lacks: "the switch's own time stamps (type III): times are those of the capture; frames of \
            NetBEUI and others without a network layer that are mirrored from two ports are not known \
            as copies",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x88be)),
        Claim::Exact(ethernet::TYPE.key(0x22eb)),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.ethernet {
        true => Next::one(LinkType::ETHERNET.key()),
        false => Next::NONE,
    };
    Ok(Layer::over(input, h.length.into(), next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    let kind = if h.version == 1 { "II" } else { "III" };
    write!(out, "type {kind}, session {}, VLAN {}", h.session, h.vlan)?;
    if h.cut {
        out.write_str(", cut by the switch")?;
    }
    Ok(())
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be32("Version, VLAN and session")?;
    f.hex();
    let version = f.bits(0xf000_0000, "Version");
    f.means(match version {
        1 => "type II",
        2 => "type III",
        _ => "unknown",
    });
    f.bits(0x0fff_0000, "VLAN");
    f.bits(0x0000_e000, "Class of service");
    f.bits(0x0000_1800, "Tag, or state of the frame");
    f.flag(0x0000_0400, "Cut", "by the switch", "no");
    f.bits(0x0000_03ff, "Session");
    match version {
        1 => {
            f.be32("Reserved and index")?;
            f.hex();
            f.bits(0x000f_ffff, "Port index");
        }
        2 => {
            f.be32("Time stamp")?;
            f.be16("Security group")?;
            f.be16("Frame and platform")?;
            f.hex();
            f.bits(0x7c00, "Frame type");
            f.bits(0x03f0, "Hardware");
            f.flag(0x0008, "Direction", "leaving", "coming in");
            f.bits(0x0006, "Unit of the time stamp");
            if f.flag(0x0001, "Platform's subheader", "present", "absent") {
                f.bytes(8, "Platform's data")?;
            }
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// Section 4.2: version 1, VLAN 5, cut, session 77, index 3.
    const TWO: [u8; 8] = [0x10, 0x05, 0x04, 0x4d, 0, 0, 0, 3];
    /// Section 4.3: version 2, session 1, with a platform's subheader.
    const THREE: [u8; 20] = [
        0x20, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0x01, 0x30, 0, 0, 0, 0, 0, 0, 0,
    ];

    #[test]
    fn types_two_and_three_carry_ethernet() {
        let ethernet = Next::one(LinkType::ETHERNET.key());
        for (bytes, header) in [(&TWO[..], 8), (&THREE[..], 20)] {
            let layer = dissect(Input::whole(bytes), &mut Facts::default()).unwrap();
            assert_eq!((layer.header, layer.next), (header, ethernet));
        }
        assert_eq!(
            line(&DISSECTOR, &TWO),
            "type II, session 77, VLAN 5, cut by the switch"
        );
        assert_eq!(line(&DISSECTOR, &THREE), "type III, session 1, VLAN 0");
    }

    #[test]
    fn type_three_may_mirror_what_is_no_ethernet() {
        let mut bytes = THREE;
        bytes[10] = 0x08;
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert!(layer.next.is_none());
    }

    #[test]
    fn a_cut_header_is_short_and_another_version_malformed() {
        short_when_cut(&DISSECTOR, &TWO);
        short_when_cut(&DISSECTOR, &THREE);
        let got = Header::parse(Input::whole(&[0x30; 20]));
        assert!(matches!(got, Err(Fault::Malformed { .. })), "{got:?}");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 20], two: bool) {
            bytes[0] = bytes[0] & 0x0f | if two { 0x10 } else { 0x20 };
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Session"), Some(h.session.into()));
            prop_assert_eq!(testing::number(&fields, "VLAN"), Some(h.vlan.into()));
            prop_assert_eq!(fields.last().unwrap().end, u32::from(h.length));
        }
    }
}
