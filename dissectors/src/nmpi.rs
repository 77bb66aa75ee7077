//! Name Management Protocol over IPX (NMPI) of Microsoft's NWLink. No specification was
//! published; the layout is that of Microsoft's own programs as captured.

use crate::ipx;
use crate::nbt::{self, Name};
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Dissector, Exchange, Facts, Fault, Fields, Id, Input, Kind, Layer, Next,
    Operation, Part, Role, Side, Status, Verified,
};

/// Opcodes.
pub mod opcode {
    /// Claims a name; silence grants it.
    pub const NAME_CLAIM: u8 = 0xf1;
    /// Gives a name up.
    pub const NAME_DELETE: u8 = 0xf2;
    /// Looks for a name.
    pub const NAME_QUERY: u8 = 0xf3;
    /// Answers [`NAME_QUERY`].
    pub const NAME_FOUND: u8 = 0xf4;
    /// Ends a messenger conversation.
    pub const MESSENGER_HANGUP: u8 = 0xf5;
    /// Carries a mailslot message.
    pub const MAILSLOT_SEND: u8 = 0xfc;
    /// Looks for a name to send a mailslot message to.
    pub const MAILSLOT_FIND: u8 = 0xfd;
    /// Answers [`MAILSLOT_FIND`].
    pub const MAILSLOT_FOUND: u8 = 0xfe;
}

/// An NMPI header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// See [`opcode`].
    pub opcode: u8,
    /// 1 a machine, 2 a workgroup, 3 a browser.
    pub name_type: u8,
    /// Number of a query, given back in its answer; little-endian.
    pub id: u16,
    /// The name that it is about or for.
    pub requested: Name,
    /// The name that asks or sends; an answer gives it back.
    pub source: Name,
}

impl Header {
    /// Bytes of the header, eight numbers of networks passed at its start.
    pub const LENGTH: u32 = 68;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 68] = header(input)?;
        let name = |at| Name::plain(h, at).ok_or(Fault::Short { offset: 36 });
        Ok(Self {
            opcode: h[32],
            name_type: h[33],
            id: u16::from_le_bytes([h[34], h[35]]),
            requested: name(36)?,
            source: name(52)?,
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nmpi",
    title: "Name Management Protocol over IPX (Microsoft NWLink)",
    aliases: &["NWLink", "Name Management Protocol"],
    does: "name and mailslot queries with their responses, mailslot messages",
    lacks: "no specification is public",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[
        Claim::Exact(ipx::SOCKET.key(0x0551)),
        Claim::Exact(ipx::SOCKET.key(0x0553)),
    ],
    conveys: true,
    dissect,
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.opcode {
        opcode::MAILSLOT_SEND => Next::one(nbt::DATAGRAM.any()),
        _ => {
            facts.carries = Carries::Message;
            Next::NONE
        }
    };
    Ok(Layer::over(input, Header::LENGTH, next))
}

/// Queries go to everyone, so their conversation is the asking station's alone.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let (role, operation, code) = match h.opcode {
        opcode::MAILSLOT_SEND => {
            return Ok(Part {
                exchange: None,
                length: input.length,
            });
        }
        opcode::NAME_QUERY => (Role::Request, &NAME_QUERY, opcode::NAME_QUERY),
        opcode::NAME_FOUND => (Role::Response, &NAME_QUERY, opcode::NAME_QUERY),
        opcode::MAILSLOT_FIND => (Role::Request, &MAILSLOT_FIND, opcode::MAILSLOT_FIND),
        opcode::MAILSLOT_FOUND => (Role::Response, &MAILSLOT_FIND, opcode::MAILSLOT_FIND),
        opcode::NAME_CLAIM => (Role::Notice, &NAME_CLAIM, h.opcode),
        opcode::NAME_DELETE => (Role::Notice, &NAME_DELETE, h.opcode),
        opcode::MESSENGER_HANGUP => (Role::Notice, &MESSENGER_HANGUP, h.opcode),
        _ => (Role::Notice, &UNKNOWN, h.opcode),
    };
    let response = role == Role::Response;
    let sender = if response { Side::Server } else { Side::Client };
    Ok(Part {
        exchange: Some(Exchange {
            id: Some(Id::new(code, h.id.into())),
            repeats: true,
            anyone: true,
            status: response.then_some(Status {
                code: 0,
                name: None,
                ok: true,
                failure: false,
            }),
            ..Exchange::new(role, sender, operation, code.into())
        }),
        length: input.length,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    match h.opcode {
        opcode::NAME_CLAIM => write!(out, "NAME_CLAIM {}", h.requested),
        opcode::NAME_DELETE => write!(out, "NAME_DELETE {}", h.requested),
        opcode::NAME_QUERY => write!(out, "NAME_QUERY {} from {}", h.requested, h.source),
        opcode::NAME_FOUND => write!(out, "NAME_FOUND {} for {}", h.requested, h.source),
        opcode::MESSENGER_HANGUP => write!(out, "MESSENGER_HANGUP {}", h.requested),
        opcode::MAILSLOT_SEND => write!(
            out,
            "MAILSLOT_SEND from {} to {}, {} bytes",
            h.source,
            h.requested,
            input.length.saturating_sub(Header::LENGTH)
        ),
        opcode::MAILSLOT_FIND => write!(out, "MAILSLOT_FIND {} from {}", h.requested, h.source),
        opcode::MAILSLOT_FOUND => write!(out, "MAILSLOT_FOUND {} for {}", h.requested, h.source),
        unknown => write!(out, "UNKNOWN 0x{unknown:02x}"),
    }?;
    match h.name_type {
        1 => out.write_str(", machine"),
        2 => out.write_str(", workgroup"),
        3 => out.write_str(", browser"),
        _ => Ok(()),
    }?;
    match h.id {
        0 => Ok(()),
        id => write!(out, ", id {id}"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    ipx::passed(f)?;
    let opcode = f.u8("Opcode")?;
    f.hex().means(match opcode {
        opcode::NAME_CLAIM => "name claim",
        opcode::NAME_DELETE => "name delete",
        opcode::NAME_QUERY => "name query",
        opcode::NAME_FOUND => "name found",
        opcode::MESSENGER_HANGUP => "messenger hang-up",
        opcode::MAILSLOT_SEND => "mailslot send",
        opcode::MAILSLOT_FIND => "mailslot find",
        opcode::MAILSLOT_FOUND => "mailslot name found",
        _ => "unknown",
    });
    let name_type = f.u8("Name type")?;
    f.means(match name_type {
        1 => "machine",
        2 => "workgroup",
        3 => "browser",
        _ => "unknown",
    });
    f.le16("Message ID")?;
    for name in ["Requested name", "Source name"] {
        let bytes = f.bytes(16, name)?;
        f.shown(Name(bytes.try_into().ok()?));
    }
    if opcode != opcode::MAILSLOT_SEND {
        f.rest("Data")?;
    }
    Some(())
}

static NAME_CLAIM: Operation = operation("NAME_CLAIM");
static NAME_DELETE: Operation = operation("NAME_DELETE");
static NAME_QUERY: Operation = operation("NAME_QUERY");
static MESSENGER_HANGUP: Operation = operation("MESSENGER_HANGUP");
static MAILSLOT_FIND: Operation = operation("MAILSLOT_FIND");
static UNKNOWN: Operation = operation("UNKNOWN");

const fn operation(name: &'static str) -> Operation {
    Operation::new(name, Kind::Session, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;

    fn packet(opcode: u8, id: u16) -> Vec<u8> {
        let mut bytes = vec![0; 32];
        bytes.extend([opcode, 1]);
        bytes.extend(id.to_le_bytes());
        bytes.extend(b"SERVER         \x20");
        bytes.extend(b"CLIENT         \x00");
        bytes
    }

    fn read(bytes: &[u8]) -> Exchange {
        exchange(Input::whole(bytes)).unwrap().exchange.unwrap()
    }

    #[test]
    fn a_query_and_what_is_found_meet() {
        let query = read(&packet(0xf3, 7));
        let found = read(&packet(0xf4, 7));
        assert_eq!((query.role, query.sender), (Role::Request, Side::Client));
        assert_eq!((found.role, found.sender), (Role::Response, Side::Server));
        assert_eq!(query.id, found.id);
        assert_ne!(query.id, read(&packet(0xfd, 7)).id, "another kind of query");
        assert!(query.anyone && found.anyone);
        assert_eq!(read(&packet(0xf1, 0)).role, Role::Notice);
    }

    #[test]
    fn a_mailslot_message_is_handed_on() {
        let mut bytes = packet(0xfc, 0);
        bytes.extend(b"\xffSMB");
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&bytes), &mut facts).unwrap();
        assert_eq!((layer.header, layer.end), (68, 72));
        assert_eq!(layer.next.keys().next(), Some(nbt::DATAGRAM.any()));
        assert_eq!(facts.carries, Carries::Nothing, "the message in it decides");
        assert!(exchange(Input::whole(&bytes)).unwrap().exchange.is_none());
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "MAILSLOT_SEND from CLIENT<00> to SERVER<20>, 4 bytes, machine"
        );
    }

    #[test]
    fn queries_are_described() {
        assert_eq!(
            line(&DISSECTOR, &packet(0xf3, 7)),
            "NAME_QUERY SERVER<20> from CLIENT<00>, machine, id 7"
        );
        assert_eq!(line(&DISSECTOR, &packet(0x12, 0)), "UNKNOWN 0x12, machine");
    }

    #[test]
    fn every_strict_prefix_is_short() {
        let bytes = packet(0xf3, 7);
        for n in 0..bytes.len() {
            let result = dissect(Input::whole(&bytes[..n]), &mut Facts::default());
            assert!(matches!(result, Err(Fault::Short { .. })));
            assert!(exchange(Input::whole(&bytes[..n])).is_err());
        }
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in proptest::collection::vec(any::<u8>(), 68..90)) {
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            let number = |name| testing::number(&fields, name);
            prop_assert_eq!(number("Opcode"), Some(h.opcode.into()));
            prop_assert_eq!(number("Name type"), Some(h.name_type.into()));
            prop_assert_eq!(number("Message ID"), Some(h.id.into()));
            let shown = |name| fields.iter().find(|f| f.name == name).unwrap().value.clone();
            let text = |name: Name| wirewait_wire::Value::Text(name.to_string());
            prop_assert_eq!(shown("Requested name"), text(h.requested));
            prop_assert_eq!(shown("Source name"), text(h.source));
        }

        #[test]
        fn any_bytes_are_read_without_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let _ = dissect(Input::whole(&bytes), &mut Facts::default());
            let _ = exchange(Input::whole(&bytes));
            line(&DISSECTOR, &bytes);
        }
    }
}
