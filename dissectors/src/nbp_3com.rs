//! 3Com's NetBIOS Protocol (NBP) of 3+Open, on EtherTypes 3C00 to 3C0D of one LAN. What each
//! type is for stands in lists of EtherTypes and in 3Com's technical notes 03990001 and
//! 13680001; what is in the frames was never published. So the frames are sorted by what they
//! are for, which makes a protocol of each class, and their bytes are shown as they are.

use crate::ethernet;
use std::fmt;
use wirewait_wire::{Claim, Dissector, Fields, Input, Verified};

/// One class: its claims are EtherTypes.
const fn class(
    name: &'static str,
    title: &'static str,
    does: &'static str,
    claims: &'static [Claim],
) -> Dissector {
    Dissector {
        name,
        title,
        does,
        lacks: "no description of the frames is public, so nothing in them is read, put in order \
                or paired; no capture was found to try it on",
        verified: &[Verified::Nothing],
        claims,
        describe,
        fields,
        ..Dissector::PLAIN
    }
}

const fn ethernet_type(value: u32) -> Claim {
    Claim::Exact(ethernet::TYPE.key(value))
}

pub(crate) static DATA: Dissector = class(
    "nbp_data",
    "3Com NetBIOS Protocol (NBP): data of connections, EtherType 3C00",
    "is counted by itself; says where an SMB signature stands in it",
    &[ethernet_type(0x3c00)],
);

pub(crate) static ACK: Dissector = class(
    "nbp_ack",
    "3Com NetBIOS Protocol (NBP): acknowledgements and flow control, EtherType 3C01",
    "is counted by itself",
    &[ethernet_type(0x3c01)],
);

pub(crate) static CONNECTION: Dissector = class(
    "nbp_connection",
    "3Com NetBIOS Protocol (NBP): connections opened, closed and reset, EtherTypes 3C02 \
     (request), 3C03 (response), 3C04 (complete), 3C05 (close request), 3C06 (close response), \
     3C0D (reset)",
    "is counted by itself",
    &[
        ethernet_type(0x3c02),
        ethernet_type(0x3c03),
        ethernet_type(0x3c04),
        ethernet_type(0x3c05),
        ethernet_type(0x3c06),
        ethernet_type(0x3c0d),
    ],
);

pub(crate) static DATAGRAM: Dissector = class(
    "nbp_datagram",
    "3Com NetBIOS Protocol (NBP): datagrams, EtherTypes 3C07 and 3C08 (to everyone)",
    "is counted by itself; says where an SMB signature stands in it",
    &[ethernet_type(0x3c07), ethernet_type(0x3c08)],
);

pub(crate) static NAME: Dissector = class(
    "nbp_name",
    "3Com NetBIOS Protocol (NBP): names claimed (EtherType 3C09) and deleted (3C0A), adapter \
     status asked for (3C0B) and told (3C0C)",
    "is counted by itself",
    &[
        ethernet_type(0x3c09),
        ethernet_type(0x3c0a),
        ethernet_type(0x3c0b),
        ethernet_type(0x3c0c),
    ],
);

/// Where in the frame the four bytes stand with which every SMB message begins.
fn smb(input: Input<'_>) -> Option<usize> {
    input.bytes.windows(4).position(|four| four == b"\xffSMB")
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "{} bytes, not described anywhere", input.length)?;
    match smb(input) {
        Some(at) => write!(out, ", an SMB signature at byte {at}"),
        None => Ok(()),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let before = smb(f.input()).and_then(|at| u32::try_from(at).ok());
    if let Some(at) = before {
        f.until(at, "Header and data")?;
        f.rest("Data")?;
        f.means("begins with an SMB signature");
    } else {
        f.rest("Header and data")?;
    }
    f.means("the layout is not public");
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, stands};
    use proptest::prelude::*;
    use wirewait_wire::{Depth, Frame, LinkType, Timestamp, Walk};

    const ALL: [&Dissector; 5] = [&DATA, &ACK, &CONNECTION, &DATAGRAM, &NAME];

    /// The protocol that a frame of this EtherType is counted as.
    fn counted(ethernet_type: u16) -> &'static str {
        let mut bytes = vec![2; 12];
        bytes.extend(ethernet_type.to_be_bytes());
        bytes.resize(60, 0);
        let registry = crate::registry();
        let mut walk = Walk::default();
        let frame = Frame {
            at: Timestamp::default(),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 60,
            bytes: &bytes,
        };
        registry.walk(&frame, Depth::Full, &mut walk);
        registry.dissector(walk.last().unwrap().dissector).name
    }

    #[test]
    fn each_type_has_its_class() {
        let classes: Vec<_> = (0x3bff..=0x3c0e).map(counted).collect();
        assert_eq!(
            classes,
            [
                "ethernet",
                "nbp_data",
                "nbp_ack",
                "nbp_connection",
                "nbp_connection",
                "nbp_connection",
                "nbp_connection",
                "nbp_connection",
                "nbp_datagram",
                "nbp_datagram",
                "nbp_name",
                "nbp_name",
                "nbp_name",
                "nbp_name",
                "nbp_connection",
                "ethernet",
            ]
        );
    }

    #[test]
    fn a_signature_is_pointed_out() {
        let bytes = b"unknown\xffSMBr";
        assert_eq!(
            line(&DATA, bytes),
            "12 bytes, not described anywhere, an SMB signature at byte 7"
        );
        let fields = testing::fields(&DATA, Input::whole(bytes));
        assert_eq!((fields.len(), fields[1].start), (2, 7));
        assert_eq!(line(&ACK, b"acks"), "4 bytes, not described anywhere");
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0u32..2000) {
            for class in ALL {
                stands(class, &bytes, cut);
                let fields = testing::fields(class, Input::whole(&bytes));
                prop_assert_eq!(fields.last().map_or(0, |f| f.end as usize), bytes.len());
            }
        }
    }
}
