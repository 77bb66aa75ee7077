//! IPX ping of the NetWare Link Services Protocol Specification (socket 9086): a router, a
//! server or a station with the newer clients sends it back.

use crate::ipx;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Dissector, Exchange, Facts, Fault, Fields, Id, Input, Kind, Layer, Next,
    Operation, Part, Role, Side, Status, Verified,
};

/// A ping packet's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version; 1.
    pub version: u8,
    /// 0 a request, 1 a reply.
    pub kind: u8,
    /// Number of a request, given back in its reply.
    pub id: u16,
    /// What came of it; 0 in requests.
    pub result: u8,
}

impl Header {
    /// Bytes of the header; what follows comes back as it is.
    pub const LENGTH: u32 = 10;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the signature is another.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 10] = header(input)?;
        if h[..4] != *SIGNATURE {
            return Err(malformed(0, "signature is not \"Ping\""));
        }
        Ok(Self {
            version: h[4],
            kind: h[5],
            id: u16::from_be_bytes([h[6], h[7]]),
            result: h[8],
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ipxping",
    title: "IPX ping (NLSP specification)",
    aliases: &["IPX ping", "NLSP ping"],
    does: "requests and replies, by their number",
    lacks: "no capture of it is public: tried on made ones only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x9086))],
    // Not because something follows, but to say that it is a message only once its signature
    // was seen: Cisco's routers use the socket for another format.
    conveys: true,
    dissect,
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    if matches!(h.kind, REQUEST | REPLY) {
        facts.carries = Carries::Message;
    }
    // The message begins at the first byte, so there is no header before it.
    Ok(Layer::over(input, 0, Next::NONE))
}

/// The socket of both ends is the same, so pings in both directions share a conversation;
/// the type tells them apart.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let exchange = match h.kind {
        REQUEST => Some((Role::Request, Side::Client)),
        REPLY => Some((Role::Response, Side::Server)),
        _ => None,
    }
    .map(|(role, sender)| Exchange {
        id: Some(Id::new(0, h.id.into())),
        anyone: true,
        status: (role == Role::Response).then_some(Status {
            code: 0,
            name: None,
            ok: true,
            failure: false,
        }),
        ..Exchange::new(role, sender, &PING, REQUEST.into())
    });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => {
            let data = input.length.saturating_sub(Header::LENGTH);
            match h.kind {
                REQUEST => write!(out, "request {}, {data} bytes", h.id),
                REPLY => write!(out, "reply {}, {data} bytes", h.id),
                other => write!(out, "type {other}, id {}", h.id),
            }
        }
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.text(4, "Signature")?;
    f.u8("Version")?;
    let kind = f.u8("Type")?;
    f.means(match kind {
        REQUEST => "request",
        REPLY => "reply",
        _ => "unknown",
    });
    f.be16("Ping ID")?;
    f.u8("Result")?;
    f.u8("Reserved")?;
    f.rest("Data").map(|_| ())
}

const SIGNATURE: &[u8; 4] = b"Ping";
const REQUEST: u8 = 0;
const REPLY: u8 = 1;

static PING: Operation = Operation::new("PING", Kind::Other, true);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;

    fn packet(kind: u8, id: u16) -> Vec<u8> {
        let [high, low] = id.to_be_bytes();
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([1, kind, high, low, 0, 0]);
        bytes.extend(b"PPPP");
        bytes
    }

    #[test]
    fn a_reply_goes_by_the_number_of_its_request() {
        let part = |bytes: &[u8]| {
            let mut facts = Facts::default();
            let layer = dissect(Input::whole(bytes), &mut facts).unwrap();
            assert_eq!((facts.carries, layer.header), (Carries::Message, 0));
            exchange(Input::whole(bytes)).unwrap().exchange.unwrap()
        };
        let (asks, answers) = (part(&packet(0, 7)), part(&packet(1, 7)));
        assert_eq!((asks.role, asks.sender), (Role::Request, Side::Client));
        assert_eq!(
            (answers.role, answers.sender),
            (Role::Response, Side::Server)
        );
        assert_eq!(asks.id, answers.id);
        assert_ne!(part(&packet(1, 8)).id, asks.id);
        assert_eq!(line(&DISSECTOR, &packet(0, 7)), "request 7, 4 bytes");
    }

    #[test]
    fn another_signature_is_not_ours() {
        let mut bytes = packet(0, 7);
        bytes[3] = b'k';
        let result = dissect(Input::whole(&bytes), &mut Facts::default());
        assert!(matches!(result, Err(Fault::Malformed { offset: 0, .. })));
        short_when_cut(&DISSECTOR, &packet(0, 7)[..10]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(rest in prop::collection::vec(any::<u8>(), 6..40)) {
            let bytes = [SIGNATURE, rest.as_slice()].concat();
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            let number = |name| testing::number(&fields, name);
            prop_assert_eq!(number("Version"), Some(h.version.into()));
            prop_assert_eq!(number("Type"), Some(h.kind.into()));
            prop_assert_eq!(number("Ping ID"), Some(h.id.into()));
            prop_assert_eq!(number("Result"), Some(h.result.into()));
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0u32..90) {
            stands(&DISSECTOR, &bytes, cut);
            let bytes = [SIGNATURE, bytes.as_slice()].concat();
            stands(&DISSECTOR, &bytes, cut);
        }
    }
}
