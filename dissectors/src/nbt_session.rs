//! NetBIOS session service: set-up of a session and keep-alive. RFC 1002 sections 4.3.2 to
//! 4.3.7. A packet comes from `nbt` with its four bytes of header.

use crate::nbt::{self, Header, Name, packet};
use crate::notes;
use crate::parse::{be16, malformed};
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{
    Claim, Dissector, Effects, Exchange, Facts, Fault, Fields, Id, Input, Kind, Layer, Next,
    Operation, Part, Role, Side, Status, Verified,
};

/// What a session service packet other than a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Asks for a session.
    Request {
        /// Whom the caller wants.
        called: Name,
        /// Who calls.
        calling: Name,
    },
    /// Grants it.
    Positive,
    /// Refuses it, for the reason of RFC 1002 section 4.3.4.
    Negative(u8),
    /// Names the address and port to call instead.
    Retarget(Ipv4Addr, u16),
    /// Says nothing.
    KeepAlive,
}

impl Packet {
    /// Reads a packet with its header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for an unknown type or a name that is not
    /// encoded as one.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h = Header::parse(input)?;
        let bytes = input.bytes;
        let short = Fault::Short { offset: 4 };
        Ok(match h.kind {
            packet::REQUEST => {
                let (called, at) = Name::encoded(bytes, 4)?;
                let (calling, _) = Name::encoded(bytes, at)?;
                Self::Request { called, calling }
            }
            packet::POSITIVE => Self::Positive,
            packet::NEGATIVE => Self::Negative(*bytes.get(4).ok_or(short)?),
            packet::RETARGET => {
                let address = bytes.get(4..).and_then(|b| b.first_chunk::<4>());
                Self::Retarget(
                    Ipv4Addr::from(*address.ok_or(short)?),
                    be16(bytes, 8).ok_or(Fault::Short { offset: 8 })?,
                )
            }
            packet::KEEP_ALIVE => Self::KeepAlive,
            _ => return Err(malformed(0, "packet type")),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbt",
    title: "NetBIOS over TCP session set-up and keep-alive, RFC 1002; the framing of messages is \
            counted as nbss",
    aliases: &["NetBIOS over TCP/IP", "NetBT"],
    does: "session request and its responses by name, keep-alive",
    lacks: "NetBIOS scopes",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(nbt::CONTROL.key(packet::REQUEST as u32)),
        Claim::Exact(nbt::CONTROL.key(packet::POSITIVE as u32)),
        Claim::Exact(nbt::CONTROL.key(packet::NEGATIVE as u32)),
        Claim::Exact(nbt::CONTROL.key(packet::RETARGET as u32)),
        Claim::Exact(nbt::CONTROL.key(packet::KEEP_ALIVE as u32)),
    ],
    dissect,
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    Packet::parse(input)?;
    let end = Header::LENGTH.saturating_add(h.length);
    Ok(Layer {
        header: end,
        end,
        next: Next::NONE,
    })
}

/// A connection has one session, so its set-up needs no identifier but a constant one.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let (role, sender) = match h.kind {
        packet::REQUEST => (Role::Request, Side::Client),
        packet::POSITIVE | packet::NEGATIVE | packet::RETARGET => (Role::Response, Side::Server),
        _ => {
            return Ok(Part {
                exchange: None,
                length: input.length,
            });
        }
    };
    let status = match h.kind {
        packet::REQUEST => None,
        packet::POSITIVE => Some(Status {
            code: 0,
            name: None,
            ok: true,
            failure: false,
        }),
        packet::RETARGET => Some(refused(packet::RETARGET, Some("RETARGET"))),
        _ => {
            let &code = input.bytes.get(4).ok_or(Fault::Short { offset: 4 })?;
            Some(refused(code, reason(code)))
        }
    };
    Ok(Part {
        exchange: Some(Exchange {
            id: Some(Id::new(packet::REQUEST, 0)),
            status,
            effects: Effects::SETS_UP,
            ..Exchange::new(role, sender, &SESSION_REQUEST, packet::REQUEST.into())
        }),
        length: input.length,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Packet::parse(input) {
        Ok(Packet::Request { called, calling }) => {
            write!(out, "SESSION REQUEST {called} from {calling}")
        }
        Ok(Packet::Positive) => out.write_str("POSITIVE SESSION RESPONSE"),
        Ok(Packet::Negative(code)) => match reason(code) {
            Some(reason) => write!(out, "NEGATIVE SESSION RESPONSE, {reason}"),
            None => write!(out, "NEGATIVE SESSION RESPONSE, error 0x{code:02x}"),
        },
        Ok(Packet::Retarget(address, port)) => {
            write!(out, "RETARGET SESSION RESPONSE, to {address}:{port}")
        }
        Ok(Packet::KeepAlive) => out.write_str("SESSION KEEP ALIVE"),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => write!(out, "malformed: {what}"),
    }
}

static SESSION_REQUEST: Operation = Operation::new("SESSION REQUEST", Kind::Session, false);

/// Clients try several names until one is there (their own idea of it, then `*SMBSERVER`),
/// so an absent name is no failure; nor is the way to another address.
fn refused(code: u8, name: Option<&'static str>) -> Status {
    Status {
        code: code.into(),
        name,
        ok: false,
        failure: !matches!(code, 0x82 | packet::RETARGET),
    }
}

/// RFC 1002 section 4.3.4.
fn reason(code: u8) -> Option<&'static str> {
    Some(match code {
        0x80 => "NOT LISTENING ON CALLED NAME",
        0x81 => "NOT LISTENING FOR CALLING NAME",
        0x82 => "CALLED NAME NOT PRESENT",
        0x83 => "INSUFFICIENT RESOURCES",
        0x8f => "UNSPECIFIED ERROR",
        _ => return None,
    })
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let kind = f.u8("Packet type")?;
    f.hex().means(match kind {
        packet::REQUEST => "session request",
        packet::POSITIVE => "positive session response",
        packet::NEGATIVE => "negative session response",
        packet::RETARGET => "retarget session response",
        packet::KEEP_ALIVE => "session keep-alive",
        _ => "",
    });
    f.u8("Flags")?;
    f.hex();
    f.bits(0x01, "Length extension");
    f.be16("Length")?;
    match kind {
        packet::REQUEST => {
            nbt::encoded_name(f, "Called name")?;
            nbt::encoded_name(f, "Calling name")?;
        }
        packet::NEGATIVE => {
            let code = f.u8("Error code")?;
            f.hex().means(reason(code).unwrap_or_default());
        }
        packet::RETARGET => {
            notes::v4(f, "Retarget address")?;
            f.be16("Retarget port")?;
        }
        _ => {}
    }
    f.rest("Padding")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;

    /// `SERVER<20>` called by `CLIENT<00>`; RFC 1002 section 4.3.2, names in the encoding
    /// of RFC 1001 section 14.1.
    fn request() -> Vec<u8> {
        let mut bytes = vec![0x81, 0, 0, 68];
        for name in [b"SERVER         \x20", b"CLIENT         \x00"] {
            bytes.push(32);
            for c in name {
                bytes.extend([b'A' + (c >> 4), b'A' + (c & 15)]);
            }
            bytes.push(0);
        }
        bytes
    }

    fn read(bytes: &[u8]) -> Exchange {
        exchange(Input::whole(bytes)).unwrap().exchange.unwrap()
    }

    #[test]
    fn a_request_is_closed_by_each_of_its_answers() {
        let asked = read(&request());
        assert_eq!((asked.role, asked.sender), (Role::Request, Side::Client));
        assert_eq!(asked.operation.kind, Kind::Session);
        for (bytes, ok, failure) in [
            (&[0x82, 0, 0, 0][..], true, false),
            (&[0x83, 0, 0, 1, 0x82], false, false),
            (&[0x83, 0, 0, 1, 0x83], false, true),
            (&[0x84, 0, 0, 6, 10, 0, 0, 7, 0, 139], false, false),
        ] {
            let answer = read(bytes);
            assert_eq!((answer.role, answer.sender), (Role::Response, Side::Server));
            assert_eq!(answer.id, asked.id);
            let status = answer.status.unwrap();
            assert_eq!((status.ok, status.failure), (ok, failure), "{bytes:x?}");
        }
    }

    #[test]
    fn a_keep_alive_is_no_exchange() {
        let part = exchange(Input::whole(&[0x85, 0, 0, 0])).unwrap();
        assert!(part.exchange.is_none());
        assert_eq!(part.length, 4, "and fills its message");
    }

    #[test]
    fn packets_are_described_by_name() {
        assert_eq!(
            line(&DISSECTOR, &request()),
            "SESSION REQUEST SERVER<20> from CLIENT<00>"
        );
        assert_eq!(
            line(&DISSECTOR, &[0x83, 0, 0, 1, 0x80]),
            "NEGATIVE SESSION RESPONSE, NOT LISTENING ON CALLED NAME"
        );
        assert_eq!(
            line(&DISSECTOR, &[0x84, 0, 0, 6, 10, 0, 0, 7, 0, 139]),
            "RETARGET SESSION RESPONSE, to 10.0.0.7:139"
        );
        assert_eq!(line(&DISSECTOR, &[0x85, 0, 0, 0]), "SESSION KEEP ALIVE");
    }

    #[test]
    fn every_strict_prefix_is_short() {
        let retarget = [0x84, 0, 0, 6, 10, 0, 0, 7, 0, 139].to_vec();
        for bytes in [
            request(),
            retarget,
            vec![0x83, 0, 0, 1, 0x80],
            vec![0x82, 0, 0, 0],
        ] {
            let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
            assert_eq!(layer.end as usize, bytes.len());
            for n in 0..bytes.len() {
                let result = dissect(Input::whole(&bytes[..n]), &mut Facts::default());
                assert!(
                    matches!(result, Err(Fault::Short { .. })),
                    "{n} of {bytes:x?}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            kind in 0x80u8..0x87,
            rest in proptest::collection::vec(any::<u8>(), 0..90),
        ) {
            let bytes = [&[kind], rest.as_slice()].concat();
            let _ = dissect(Input::whole(&bytes), &mut Facts::default());
            let _ = exchange(Input::whole(&bytes));
            line(&DISSECTOR, &bytes);
        }

        #[test]
        fn fields_are_those_of_the_packet(
            kind in 0x81u8..0x87,
            rest in proptest::collection::vec(any::<u8>(), 0..20),
            named: bool,
        ) {
            let bytes = if named { request() } else { [&[kind, 0, 0, 1], &rest[..]].concat() };
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let text = |name| testing::text(&fields, name);
            match Packet::parse(input) {
                Ok(Packet::Request { called, calling }) => {
                    prop_assert_eq!(text("Called name"), Some(called.to_string()));
                    prop_assert_eq!(text("Calling name"), Some(calling.to_string()));
                }
                Ok(Packet::Negative(code)) => {
                    prop_assert_eq!(testing::number(&fields, "Error code"), Some(code.into()));
                }
                Ok(Packet::Retarget(address, port)) => {
                    prop_assert_eq!(text("Retarget address"), Some(address.to_string()));
                    prop_assert_eq!(testing::number(&fields, "Retarget port"), Some(port.into()));
                }
                _ => {}
            }
        }
    }
}
