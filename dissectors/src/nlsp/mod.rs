//! NetWare Link Services Protocol ("NetWare Link Services Protocol Specification", Novell
//! 100-001708), by which IPX routers tell each other their links: IS-IS (ISO 10589) with
//! IPX's addresses. All fields are big-endian.

mod fields;

use crate::ipx;
use crate::parse::{be16, be32, header, malformed};
use std::fmt;
use wirewait_wire::{Claim, Dissector, Endpoint, Facts, Fault, Input, Layer, Next, Verified};

/// Packet types.
pub mod packet {
    /// Routers of a LAN find each other.
    pub const LAN_HELLO: u8 = 15;
    /// The two ends of a WAN link do.
    pub const WAN_HELLO: u8 = 17;
    /// Link state packet: what a router has links to.
    pub const LSP: u8 = 18;
    /// Complete sequence numbers: all link state packets that a router has.
    pub const CSNP: u8 = 24;
    /// Partial sequence numbers: those that it has just got, or lacks.
    pub const PSNP: u8 = 26;
}

/// The head of every NLSP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the fixed part, which depends on the type; options follow.
    pub header_length: u8,
    /// See [`packet`].
    pub kind: u8,
    /// Bytes of the whole packet; `None` where the type is not known.
    pub length: Option<u16>,
}

impl Header {
    /// Bytes that all types have in common.
    pub const LENGTH: u32 = 8;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when this is not NLSP or the packet is
    /// shorter than its header.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 8] = header(input)?;
        if h[0] != DISCRIMINATOR {
            return Err(malformed(0, "protocol discriminator is not 0x83"));
        }
        let (header_length, kind) = (h[1], h[4] & TYPE);
        if u32::from(header_length) < Self::LENGTH {
            return Err(malformed(1, "header length less than 8"));
        }
        let length = match length_at(kind) {
            None => None,
            Some(at) => Some(be16(input.bytes, at as usize).ok_or(Fault::Short { offset: at })?),
        };
        if let (Some(length), Some(at)) = (length, length_at(kind))
            && length < header_length.into()
        {
            return Err(malformed(at, "packet length less than the header's"));
        }
        if length.is_none() && u32::from(header_length) > input.length {
            return Err(malformed(1, "header longer than the packet"));
        }
        Ok(Self {
            header_length,
            kind,
            length,
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nlsp",
    title: "NetWare Link Services Protocol",
    does: "LAN and WAN hellos, link state packets and the lists of their sequence numbers, \
           with their options",
    lacks: "checksums are not checked; the links are not followed",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x9001))],
    dissect,
    describe,
    fields: fields::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    Ok(Layer {
        header: h.header_length.into(),
        end: h.length.map_or(input.length, u32::from),
        next: Next::NONE,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    let bytes = input.bytes;
    match type_name(h.kind) {
        Some(name) => out.write_str(name)?,
        None => return write!(out, "packet type {}", h.kind),
    }
    match h.kind {
        packet::LAN_HELLO | packet::WAN_HELLO => {
            if let (Some(from), Some(time)) = (system(bytes, 9), be16(bytes, 15)) {
                write!(out, " from {from}, holds for {time} s")?;
            }
            match bytes.get(19) {
                Some(priority) if h.kind == packet::LAN_HELLO => {
                    write!(out, ", priority {}", priority & PRIORITY)
                }
                _ => Ok(()),
            }
        }
        packet::LSP => match (identifier(bytes, 12), be32(bytes, 20), be16(bytes, 10)) {
            (Some(id), Some(sequence), Some(lifetime)) => {
                write!(out, " {id}, sequence {sequence:08x}, lifetime {lifetime} s")
            }
            _ => Ok(()),
        },
        _ => match (system(bytes, 10), bytes.get(16)) {
            (Some(from), Some(pseudonode)) => write!(out, " from {from}.{pseudonode:02x}"),
            _ => Ok(()),
        },
    }
}

fn system(bytes: &[u8], at: usize) -> Option<Endpoint> {
    let system = bytes.get(at..at.checked_add(6)?)?;
    Some(Endpoint::mac(system.try_into().ok()?))
}

/// A link state packet's: router, pseudonode, number.
fn identifier(bytes: &[u8], at: usize) -> Option<String> {
    let router = system(bytes, at)?;
    let [pseudonode, number] = *bytes.get(at + 6..at + 8)? else {
        return None;
    };
    Some(format!("{router}.{pseudonode:02x}-{number:02x}"))
}

fn type_name(kind: u8) -> Option<&'static str> {
    Some(match kind {
        packet::LAN_HELLO => "LAN L1 HELLO",
        packet::WAN_HELLO => "WAN HELLO",
        packet::LSP => "L1 LSP",
        packet::CSNP => "L1 CSNP",
        packet::PSNP => "L1 PSNP",
        _ => return None,
    })
}

/// Where the length of the packet stands.
const fn length_at(kind: u8) -> Option<u32> {
    match kind {
        packet::LAN_HELLO | packet::WAN_HELLO => Some(17),
        packet::LSP | packet::CSNP | packet::PSNP => Some(8),
        _ => None,
    }
}

const DISCRIMINATOR: u8 = 0x83;
/// The packet type's bits; those above it have meanings of their own.
const TYPE: u8 = 0x1f;
const PRIORITY: u8 = 0x7f;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::{Field, Value};

    /// A hello of a real router.
    const HELLO: [u8; 51] = [
        0x83, 0x1b, 0x02, 0x00, 0x0f, 0x01, 0x00, 0x00, 0x11, 0x02, 0x00, 0xad, 0x00, 0x10, 0x01,
        0x00, 0x1e, 0x00, 0x33, 0x40, 0x02, 0x00, 0xad, 0x00, 0x10, 0x01, 0x01, 0xc0, 0x08, 0, 0,
        0, 0, 0, 0, 0, 0, 0xc5, 0x04, 0x00, 0x00, 0x05, 0xd9, 0x06, 0x06, 0x00, 0x02, 0xa5, 0xf0,
        0x98, 0x88,
    ];

    /// The list of one link state packet, cut down from a real one.
    const CSNP: [u8; 51] = [
        0x83, 0x21, 0x02, 0x00, 0x18, 0x01, 0x00, 0x00, 0x00, 0x33, 0x02, 0x00, 0xad, 0x00, 0xc1,
        0xb1, 0x00, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x09,
        0x10, 0x0c, 0xe9, 0x02, 0x00, 0xad, 0x00, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00, 0x09, 0x85,
        0xa5, 0xf7,
    ];

    /// A link state packet with one link, one service and one route, by the specification.
    fn lsp() -> Vec<u8> {
        let mut bytes = vec![0x83, 27, 2, 0, packet::LSP, 1, 0, 0, 0, 0];
        bytes.extend([
            0x1d, 0x4c, 2, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 7, 0xab, 0xcd, 0x05,
        ]);
        let options: [(u8, &[u8]); 4] = [
            (0xc1, b"\0\0\0\x22\x02\0\0\0\0\x01\x01\x03FS1"),
            (
                0xc2,
                b"\x14\0\0\0\x02\0\0\0\0\x02\x00\0\0\x05\xdc\0\0\0\x64\0\x98\x96\x80\0\x03",
            ),
            (0xc3, b"\x01\0\0\0\x22\0\0\0\0\0\x01\x04\x51\0\x04FS1"),
            (0xc4, b"\x02\0\0\0\x33\0\x05"),
        ];
        for (code, value) in options {
            bytes.extend([code, value.len() as u8]);
            bytes.extend(value);
        }
        bytes[9] = bytes.len() as u8;
        bytes
    }

    fn shown<'a>(fields: &'a [Field<'_>], name: &str) -> &'a Value<'a> {
        &fields.iter().find(|f| f.name == name).unwrap().value
    }

    #[test]
    fn a_header_of_an_unknown_packet_ends_with_it() {
        let mut bytes = [0x83, 0xff, 1, 0, 0x1f, 1, 0, 0];
        assert_eq!(
            Header::parse(Input::whole(&bytes)),
            Err(malformed(1, "header longer than the packet"))
        );
        bytes[1] = 8;
        assert!(Header::parse(Input::whole(&bytes)).is_ok());
    }

    #[test]
    fn one_line_each() {
        assert_eq!(
            line(&DISSECTOR, &HELLO),
            "LAN L1 HELLO from 02-00-ad-00-10-01, holds for 30 s, priority 64"
        );
        assert_eq!(line(&DISSECTOR, &CSNP), "L1 CSNP from 02-00-ad-00-c1-b1.00");
        assert_eq!(
            line(&DISSECTOR, &lsp()),
            "L1 LSP 02-00-00-00-00-01.00-03, sequence 00000007, lifetime 7500 s"
        );
    }

    #[test]
    fn the_packet_ends_where_it_says() {
        let padded = [&HELLO[..], &[0; 9]].concat();
        let layer = dissect(Input::whole(&padded), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (27, 51));
        let mut wrong = HELLO;
        wrong[18] = 26;
        assert_eq!(
            Header::parse(Input::whole(&wrong)),
            Err(malformed(17, "packet length less than the header's"))
        );
        wrong[0] = 0x82;
        assert!(matches!(
            Header::parse(Input::whole(&wrong)),
            Err(Fault::Malformed { offset: 0, .. })
        ));
    }

    #[test]
    fn fields_of_a_hello() {
        let fields = testing::fields(&DISSECTOR, Input::whole(&HELLO));
        let number = |name| testing::number(&fields, name);
        assert_eq!(number("Packet type"), Some(15));
        assert_eq!(number("Holding time"), Some(30));
        assert_eq!(number("Priority"), Some(64));
        assert_eq!(number("MTU size"), Some(1497));
        assert_eq!(
            shown(&fields, "Neighbor"),
            &Value::Text("00-02-a5-f0-98-88".into())
        );
        assert_eq!(fields.last().unwrap().end, 51);
    }

    #[test]
    fn fields_of_a_list() {
        let fields = testing::fields(&DISSECTOR, Input::whole(&CSNP));
        let number = |name| testing::number(&fields, name);
        assert_eq!(number("Remaining lifetime"), Some(3305));
        assert_eq!(number("Sequence number"), Some(0x985));
        assert_eq!(number("Checksum"), Some(0xa5f7));
        assert_eq!(
            shown(&fields, "LSP ID"),
            &Value::Text("02-00-ad-00-10-01.00-00".into())
        );
    }

    #[test]
    fn fields_of_a_link_state_packet() {
        let bytes = lsp();
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let number = |name| testing::number(&fields, name);
        assert_eq!(number("Throughput"), Some(10_000_000));
        assert_eq!(number("Media type"), Some(3));
        assert_eq!(number("RIP delay"), Some(5));
        assert_eq!(shown(&fields, "Service name"), &Value::Text("FS1".into()));
        assert!(fields.iter().all(|f| f.name != "Data"));
        // An option that says less than its fields need leaves the rest as it is.
        let mut short = bytes.clone();
        short[28] = 5;
        let fields = testing::fields(&DISSECTOR, Input::whole(&short));
        assert_eq!(fields.iter().map(|f| f.end).max(), Some(bytes.len() as u32));
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &HELLO[..19]);
    }

    proptest! {
        #[test]
        fn any_bytes(
            kind in prop::sample::select(vec![15u8, 17, 18, 24, 26, 1]),
            rest in prop::collection::vec(any::<u8>(), 0..120),
            cut in 0u32..500,
        ) {
            stands(&DISSECTOR, &rest, cut);
            let bytes = [&[0x83, 27, 2, 0, kind, 1, 0, 0], rest.as_slice()].concat();
            stands(&DISSECTOR, &bytes, cut);
            testing::fields(&DISSECTOR, Input::whole(&bytes));
        }
    }
}
