//! NetBIOS datagram service over UDP. RFC 1002 section 4.4.

use crate::nbt::{self, Name};
use crate::parse::{be16, header, malformed};
use crate::{notes, udp};
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Verified};

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
    fields,
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
    out.write_str(kind_name(packet.kind))?;
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
        Content::Error(code) => match error_name(code) {
            "" => write!(out, ", code 0x{code:02x}"),
            name => write!(out, ", {name}"),
        },
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

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let kind = f.u8("Message type")?;
    f.hex().means(kind_name(kind));
    f.u8("Flags")?;
    f.hex();
    f.flag(0x01, "More", "more fragments follow", "last or only one");
    f.flag(0x02, "First", "first fragment", "a later one");
    let node = f.bits(0x0c, "Source node type");
    f.means(match node {
        0 => "B node",
        1 => "P node",
        2 => "M node",
        _ => "distribution server",
    });
    f.be16("Datagram id")?;
    f.hex();
    notes::v4(f, "Source address")?;
    f.be16("Source port")?;
    match kind {
        DIRECT_UNIQUE | DIRECT_GROUP | BROADCAST => {
            f.be16("Datagram length")?;
            f.be16("Packet offset")?;
            nbt::encoded_name(f, "Source name")?;
            nbt::encoded_name(f, "Destination name")?;
        }
        ERROR => {
            let code = f.u8("Error code")?;
            f.hex().means(error_name(code));
            f.rest("Padding")?;
        }
        QUERY_REQUEST | POSITIVE_RESPONSE | NEGATIVE_RESPONSE => {
            nbt::encoded_name(f, "Destination name")?;
            f.rest("Padding")?;
        }
        _ => {
            f.rest("Data")?;
        }
    }
    Some(())
}

/// RFC 1002 section 4.4.1.
fn kind_name(kind: u8) -> &'static str {
    match kind {
        DIRECT_UNIQUE => "DIRECT_UNIQUE DATAGRAM",
        DIRECT_GROUP => "DIRECT_GROUP DATAGRAM",
        BROADCAST => "BROADCAST DATAGRAM",
        ERROR => "DATAGRAM ERROR",
        QUERY_REQUEST => "DATAGRAM QUERY REQUEST",
        POSITIVE_RESPONSE => "DATAGRAM POSITIVE QUERY RESPONSE",
        NEGATIVE_RESPONSE => "DATAGRAM NEGATIVE QUERY RESPONSE",
        _ => "",
    }
}

/// RFC 1002 section 4.4.3.
fn error_name(code: u8) -> &'static str {
    match code {
        0x82 => "destination name not present",
        0x83 => "invalid source name format",
        0x84 => "invalid destination name format",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
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
            line(&DISSECTOR, &bytes),
            "DIRECT_GROUP DATAGRAM 0x000d from CLIENT<00> to WORKGROUP<1d>, 4 bytes"
        );
    }

    #[test]
    fn a_later_fragment_is_not_read_as_a_message() {
        let mut bytes = datagram();
        bytes[12..14].copy_from_slice(&512u16.to_be_bytes());
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert!(layer.next.is_none());
        assert!(line(&DISSECTOR, &bytes).ends_with(", last fragment at 512"));
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
            line(&DISSECTOR, &bytes),
            "DATAGRAM ERROR 0x000d, destination name not present"
        );
        let mut bytes = datagram();
        bytes.drain(10..14);
        bytes[0] = 0x15;
        assert_eq!(
            line(&DISSECTOR, &bytes),
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
            line(&DISSECTOR, &bytes);
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
            line(&DISSECTOR, &bytes);
        }

        #[test]
        fn fields_are_those_of_the_packet(at in 0usize..86, with in any::<u8>(), kind in 0x10u8..0x18) {
            let mut bytes = datagram();
            bytes[0] = kind;
            bytes[at] = with;
            if kind > 0x13 {
                bytes.drain(10..14);
            }
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(packet) = Packet::parse(input) {
                prop_assert_eq!(testing::number(&fields, "Datagram id"), Some(packet.id.into()));
                prop_assert_eq!(testing::number(&fields, "More"), Some(packet.more.into()));
                prop_assert_eq!(
                    testing::text(&fields, "Source address"),
                    Some(packet.source.0.to_string())
                );
                match packet.content {
                    Content::Data { length, offset, from, to, .. } => {
                        prop_assert_eq!(
                            testing::number(&fields, "Datagram length"),
                            Some(length.into())
                        );
                        prop_assert_eq!(
                            testing::number(&fields, "Packet offset"),
                            Some(offset.into())
                        );
                        let text = |name| testing::text(&fields, name);
                        prop_assert_eq!(text("Source name"), Some(from.to_string()));
                        prop_assert_eq!(text("Destination name"), Some(to.to_string()));
                    }
                    Content::Error(code) => {
                        prop_assert_eq!(testing::number(&fields, "Error code"), Some(code.into()));
                    }
                    Content::Name(name) => {
                        prop_assert_eq!(
                            testing::text(&fields, "Destination name"),
                            Some(name.to_string())
                        );
                    }
                }
            }
        }
    }
}
