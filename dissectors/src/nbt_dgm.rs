//! NetBIOS datagram service over UDP. RFC 1002 section 4.4.

use crate::nbt::{self, Name};
use crate::parse::{be16, header, malformed};
use crate::udp;
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Input, Layer, Next, Verified};

/// A datagram service packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Message type, RFC 1002 section 4.4.1.
    pub kind: u8,
    /// More fragments of the datagram follow.
    pub more: bool,
    /// The sender's number for the datagram.
    pub id: u16,
    /// Whom an answer is for, by address.
    pub source: (Ipv4Addr, u16),
    /// What follows, by type.
    pub content: Content,
}

/// What a datagram service packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Data, to one name, to a group or to everyone.
    Data {
        /// Bytes of names and data.
        length: u16,
        /// Where in the datagram this fragment's data belongs; 0 in the first.
        offset: u16,
        /// Sender.
        from: Name,
        /// Receiver.
        to: Name,
        /// Where the data begins, from the start of the packet.
        data: u32,
    },
    /// A datagram could not be delivered.
    Error(u8),
    /// A question to a distribution server about a name, or its answer.
    Name(Name),
}

impl Packet {
    /// Reads a packet up to its data.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for an unknown type, a name that is not
    /// encoded as one, or a length that ends within the names.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 10] = header(input)?;
        let bytes = input.bytes;
        let kind = h[0];
        let content = match kind {
            DIRECT_UNIQUE | DIRECT_GROUP | BROADCAST => {
                let field = |at, offset| be16(bytes, at).ok_or(Fault::Short { offset });
                let (length, offset) = (field(10, 10)?, field(12, 12)?);
                let (from, at) = Name::encoded(bytes, 14)?;
                let (to, at) = Name::encoded(bytes, at)?;
                if 14 + usize::from(length) < at {
                    return Err(malformed(10, "datagram length ends within the names"));
                }
                Content::Data {
                    length,
                    offset,
                    from,
                    to,
                    data: u32::try_from(at).unwrap_or(u32::MAX),
                }
            }
            ERROR => Content::Error(*bytes.get(10).ok_or(Fault::Short { offset: 10 })?),
            QUERY_REQUEST | POSITIVE_RESPONSE | NEGATIVE_RESPONSE => {
                Content::Name(Name::encoded(bytes, 10)?.0)
            }
            _ => return Err(malformed(0, "message type")),
        };
        Ok(Self {
            kind,
            more: h[1] & 0x01 != 0,
            id: u16::from_be_bytes([h[2], h[3]]),
            source: (
                Ipv4Addr::new(h[4], h[5], h[6], h[7]),
                u16::from_be_bytes([h[8], h[9]]),
            ),
            content,
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbdgm",
    title: "NetBIOS datagram service over UDP, RFC 1002",
    aliases: &["NetBIOS datagram service", "mailslot"],
    does: "datagrams by name, down to the mailslot message in them",
    lacks: "fragments of one datagram are not put together; NetBIOS scopes",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(udp::PORT.key(138))],
    conveys: true,
    dissect,
    describe,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let packet = Packet::parse(input)?;
    Ok(match packet.content {
        Content::Data {
            length,
            offset,
            data,
            ..
        } => Layer {
            header: data,
            end: 14 + u32::from(length),
            next: match offset {
                0 => Next::one(nbt::DATAGRAM.any()),
                _ => Next::NONE,
            },
        },
        Content::Error(_) | Content::Name(_) => Layer {
            header: input.length,
            end: input.length,
            next: Next::NONE,
        },
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let packet = match Packet::parse(input) {
        Ok(packet) => packet,
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => return write!(out, "malformed: {what}"),
    };
    out.write_str(match packet.kind {
        DIRECT_UNIQUE => "DIRECT_UNIQUE DATAGRAM",
        DIRECT_GROUP => "DIRECT_GROUP DATAGRAM",
        BROADCAST => "BROADCAST DATAGRAM",
        ERROR => "DATAGRAM ERROR",
        QUERY_REQUEST => "DATAGRAM QUERY REQUEST",
        POSITIVE_RESPONSE => "DATAGRAM POSITIVE QUERY RESPONSE",
        _ => "DATAGRAM NEGATIVE QUERY RESPONSE",
    })?;
    write!(out, " 0x{:04x}", packet.id)?;
    match packet.content {
        Content::Data {
            length,
            offset,
            from,
            to,
            data,
        } => {
            let bytes = (14 + u32::from(length)).saturating_sub(data);
            write!(out, " from {from} to {to}, {bytes} bytes")?;
            match (packet.more, offset) {
                (false, 0) => Ok(()),
                (true, _) => write!(out, ", fragment at {offset}"),
                (false, _) => write!(out, ", last fragment at {offset}"),
            }
        }
        Content::Error(0x82) => out.write_str(", destination name not present"),
        Content::Error(0x83) => out.write_str(", invalid source name format"),
        Content::Error(0x84) => out.write_str(", invalid destination name format"),
        Content::Error(code) => write!(out, ", code 0x{code:02x}"),
        Content::Name(name) => write!(out, " {name}"),
    }
}

const DIRECT_UNIQUE: u8 = 0x10;
const DIRECT_GROUP: u8 = 0x11;
const BROADCAST: u8 = 0x12;
const ERROR: u8 = 0x13;
const QUERY_REQUEST: u8 = 0x14;
const POSITIVE_RESPONSE: u8 = 0x15;
const NEGATIVE_RESPONSE: u8 = 0x16;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A direct group datagram of four bytes, laid out as in RFC 1002 section 4.4.2.
    fn datagram() -> Vec<u8> {
        let mut bytes = vec![0x11, 0x02, 0x00, 0x0d, 10, 0, 0, 1, 0, 138, 0, 72, 0, 0];
        for name in [b"CLIENT         \x00", b"WORKGROUP      \x1d"] {
            bytes.push(32);
            for c in name {
                bytes.extend([b'A' + (c >> 4), b'A' + (c & 15)]);
            }
            bytes.push(0);
        }
        bytes.extend(b"\xffSMB");
        bytes
    }

    fn text(bytes: &[u8]) -> String {
        let mut line = String::new();
        describe(Input::whole(bytes), &mut line).unwrap();
        line
    }

    #[test]
    fn reaches_the_data_behind_the_names() {
        let bytes = datagram();
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!(
            &bytes[layer.header as usize..layer.end as usize],
            b"\xffSMB"
        );
        assert_eq!(layer.next.keys().next(), Some(nbt::DATAGRAM.any()));
        assert_eq!(
            text(&bytes),
            "DIRECT_GROUP DATAGRAM 0x000d from CLIENT<00> to WORKGROUP<1d>, 4 bytes"
        );
    }

    #[test]
    fn a_later_fragment_is_not_read_as_a_message() {
        let mut bytes = datagram();
        bytes[12..14].copy_from_slice(&512u16.to_be_bytes());
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert!(layer.next.is_none());
        assert!(text(&bytes).ends_with(", last fragment at 512"));
    }

    #[test]
    fn lengths_and_types_that_cannot_be_are_malformed() {
        let mut bytes = datagram();
        bytes[11] = 67;
        let lying = Packet::parse(Input::whole(&bytes));
        assert_eq!(
            lying,
            Err(malformed(10, "datagram length ends within the names"))
        );
        bytes[0] = 0x17;
        let unknown = Packet::parse(Input::whole(&bytes));
        assert_eq!(unknown, Err(malformed(0, "message type")));
    }

    #[test]
    fn errors_and_queries_are_described() {
        let mut bytes = datagram();
        bytes.truncate(10);
        bytes[0] = 0x13;
        bytes.push(0x82);
        assert_eq!(
            text(&bytes),
            "DATAGRAM ERROR 0x000d, destination name not present"
        );
        let mut bytes = datagram();
        bytes.drain(10..14);
        bytes[0] = 0x15;
        assert_eq!(
            text(&bytes),
            "DATAGRAM POSITIVE QUERY RESPONSE 0x000d CLIENT<00>"
        );
    }

    #[test]
    fn every_strict_prefix_of_the_header_is_short() {
        let bytes = datagram();
        for n in 0..bytes.len() - 4 {
            let result = Packet::parse(Input::whole(&bytes[..n]));
            assert!(matches!(result, Err(Fault::Short { .. })), "{n}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            kind in 0x0fu8..0x18,
            rest in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let bytes = [&[kind], rest.as_slice()].concat();
            let _ = dissect(Input::whole(&bytes), &mut Facts::default());
            text(&bytes);
        }

        #[test]
        fn a_flipped_byte_never_moves_the_data_behind_the_end(
            at in 0usize..86,
            with in any::<u8>(),
        ) {
            let mut bytes = datagram();
            bytes[at] = with;
            if let Ok(layer) = dissect(Input::whole(&bytes), &mut Facts::default()) {
                prop_assert!(layer.header <= layer.end);
            }
            text(&bytes);
        }
    }
}
