//! DECnet Phase IV Network Services Protocol: logical links ("DECnet Digital Network
//! Architecture, NSP Functional Specification", AA-X439A-TK, version 4.0.0), and what session
//! control says when one is opened. Fields are little-endian.
//!
//! A link has two subchannels that number for themselves. Data goes in one; interrupts and
//! flow control in the other, which is upkeep here. Either acknowledges the other along.

mod fields;
mod header;

use crate::decnet;
use crate::last::smb;
use crate::nbt;
pub use header::{Ack, Header, Message};
use header::{DELAY, NUMBER};
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Connection, Dissector, Effects, Exchange, Facts, Fault, Id, Input, Kind, Layer,
    Next, Operation, Order, Part, Role, Segment, Side, Status, Verified,
};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nsp",
    title: "DECnet Phase IV Network Services Protocol, AA-X439A-TK",
    does: "logical links: opening, the order of segments, messages in pieces, acknowledgements \
           alone and riding on data, retransmissions; SMB found by its looks",
    lacks: "interrupt data is not looked at; what session control says is only shown; which \
            object PATHWORKS uses, and whether anything stands in front of its SMBs, is not known",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(decnet::DATA.any())],
    conveys: true,
    carrier: Some("nsp"),
    orders: true,
    dissect,
    exchange: Some(exchange),
    describe,
    fields: fields::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.order = h.numbered().map_or(Order::None, Order::Numbered);
    facts.session = match h.kind {
        Message::ConnectInitiate { .. }
        | Message::ConnectAck
        | Message::ConnectConfirm
        | Message::DisconnectInitiate => Some(h.asked_by()),
        Message::NoOperation => None,
        _ => Some(h.link()),
    };
    facts.connection = h.step().map(|step| Connection {
        step,
        numbers: h.link(),
    });
    let mut header = h.length;
    let mut next = Next::NONE;
    facts.carries = match h.kind {
        Message::Data { first, last } => {
            header += in_front(&h, input, first, last);
            next = Next::one(nbt::MESSAGE.any());
            Carries::Segment(Segment {
                last,
                position: None,
                resync: false,
                correlator: None,
                may_ride: false,
                acknowledges: None,
            })
        }
        Message::ConnectInitiate { .. }
        | Message::ConnectAck
        | Message::ConnectConfirm
        | Message::DisconnectInitiate => Carries::Message,
        _ => Carries::Control,
    };
    Ok(Layer::over(input, header, next))
}

/// Bytes of a header of unknown layout between this one and an SMB.
fn in_front(h: &Header, input: Input<'_>, first: bool, last: bool) -> u32 {
    if !first {
        return 0;
    }
    let data = input.skip(h.length);
    smb(data, 0, FURTHEST, Some(!last)).map_or(0, |found| found.at)
}

/// Bytes of data in which an SMB is looked for.
const FURTHEST: u32 = 64;

/// Only opening a link is a matter of question and answer. A refusal is the same message as
/// an end: it answers if there is a question.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let code = u32::from(input.bytes.first().copied().unwrap_or(0) & 0x3f);
    let id = |number: u16| Some(Id::new(0, number.into()));
    let exchange = match h.kind {
        Message::ConnectInitiate { .. } => Some(Exchange {
            id: id(h.source),
            repeats: true,
            effects: Effects::SETS_UP,
            ..Exchange::new(Role::Request, Side::Client, &CONNECT, CONNECT_CODE)
        }),
        Message::ConnectAck => Some(Exchange {
            id: id(h.destination),
            ..Exchange::new(Role::Ack, Side::Server, &CONNECT, CONNECT_CODE)
        }),
        Message::ConnectConfirm => Some(Exchange {
            id: id(h.destination),
            status: Some(Status::DONE),
            ..Exchange::new(Role::Response, Side::Server, &CONNECT, CONNECT_CODE)
        }),
        Message::DisconnectInitiate => Some(Exchange {
            answers: id(h.destination),
            status: Some(Status {
                code: h.reason.into(),
                name: reason(h.reason),
                ok: false,
                failure: true,
            }),
            ..Exchange::new(Role::Notice, Side::Unknown, &DISCONNECT, code)
        }),
        _ => None,
    };
    Ok(Part {
        exchange,
        length: input.length,
    })
}

static CONNECT: Operation = operation("CONNECT");
static DISCONNECT: Operation = operation("DISCONNECT");
const CONNECT_CODE: u32 = 0x18;

const fn operation(name: &'static str) -> Operation {
    Operation::new(name, Kind::Session, true)
}

/// Reasons to end or refuse a link.
const fn reason(code: u16) -> Option<&'static str> {
    Some(match code {
        0 => "by the user",
        1 => "no resources",
        2 => "no such node",
        3 => "node is shutting down",
        4 => "no such object",
        5 => "invalid object name",
        6 => "object has too many connects",
        7 => "not specified",
        8 => "aborted by a third party",
        9 => "aborted by the user",
        10 => "invalid node name",
        11 => "node was shut down",
        21 => "invalid destination",
        24 => "flow control violation",
        32 => "node has too many links",
        33 => "object has too many links",
        34 => "access not permitted",
        35 => "services do not match",
        36 => "invalid account",
        37 => "segment size too small",
        38 => "object aborted, timed out or cancelled",
        39 => "node cannot be reached",
        41 => "no such link",
        42 => "disconnect confirmed",
        43 => "image data too long",
        _ => return None,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => return write!(out, "malformed: {what}"),
    };
    out.write_str(h.kind.name())?;
    match h.kind {
        Message::NoOperation => return Ok(()),
        Message::ConnectAck => write!(out, " > {}", h.destination)?,
        _ => write!(out, " {} > {}", h.source, h.destination)?,
    }
    if let Some(segment) = h.segment {
        write!(out, ", segment {segment}")?;
    }
    if let Message::Data { first, last } = h.kind {
        out.write_str(match (first, last) {
            (true, true) => "",
            (true, false) => ", begins a message",
            (false, false) => ", goes on",
            (false, true) => ", ends a message",
        })?;
        write!(out, ", {} bytes", input.length.saturating_sub(h.length))?;
    }
    for ack in h.acks.iter().flatten() {
        let kind = if ack.negative { "nak" } else { "ack" };
        let cross = if ack.cross { "other " } else { "" };
        write!(out, ", {cross}{kind} {}", ack.number)?;
    }
    if matches!(
        h.kind,
        Message::DisconnectInitiate | Message::DisconnectConfirm
    ) {
        match reason(h.reason) {
            Some(reason) => write!(out, ", {reason}")?,
            None => write!(out, ", reason {}", h.reason)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::{Numbered, NumberedKind, Session};

    // Frames 6 to 15 and 133 of tcpdump's DECnet_Phone.pcap, behind the routing header.
    const INITIATE: [u8; 28] = [
        0x18, 0, 0, 3, 0x20, 1, 3, 0x13, 0x40, 0, 0x1d, 2, 0, 0, 0, 0, 0, 5, b'L', b'I', b'N',
        b'U', b'X', 3, 0, 0, 0, 0,
    ];
    const CONNECT_ACK: [u8; 3] = [0x24, 3, 0x20];
    const CONFIRM: [u8; 10] = [0x28, 3, 0x20, 4, 0x20, 1, 3, 0x13, 0x40, 0];
    const LINK_SERVICE: [u8; 13] = [0x10, 4, 0x20, 3, 0x20, 0, 0x80, 0, 0xa0, 1, 0, 0, 0];
    const OTHER_ACK: [u8; 9] = [0x14, 3, 0x20, 4, 0x20, 1, 0x80, 0, 0xa0];
    const DATA: [u8; 12] = [0x60, 3, 0x20, 4, 0x20, 1, 0x80, 1, 0xa0, 1, 0, 1];
    const DATA_ACK: [u8; 9] = [4, 4, 0x20, 3, 0x20, 1, 0x80, 0, 0xa0];
    const DISCONNECT: [u8; 8] = [0x38, 3, 0x20, 4, 0x20, 0, 0, 0];

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(bytes), &mut facts).unwrap();
        (layer, facts)
    }

    fn numbered(bytes: &[u8]) -> Numbered {
        Header::parse(Input::whole(bytes))
            .unwrap()
            .numbered()
            .unwrap()
    }

    fn meaning(bytes: &[u8]) -> Option<Exchange> {
        exchange(Input::whole(bytes)).unwrap().exchange
    }

    #[test]
    fn a_link_is_asked_for_and_granted() {
        let (_, asked) = read(&INITIATE);
        let (_, granted) = read(&CONFIRM);
        assert_eq!(
            asked.session,
            Some(Session {
                from: 0x2003,
                to: 0
            })
        );
        assert_eq!(
            granted.session,
            Some(Session {
                from: 0,
                to: 0x2003
            })
        );
        assert_eq!(
            (asked.order, asked.carries),
            (Order::None, Carries::Message)
        );
        let open = numbered(&CONFIRM);
        assert_eq!((open.kind, open.number), (NumberedKind::Open, 1));
        assert_eq!(open.expects, Some(1));
        let (asks, says) = (meaning(&INITIATE).unwrap(), meaning(&CONFIRM).unwrap());
        assert_eq!(asks.id, says.id);
        assert_eq!((asks.role, says.role), (Role::Request, Role::Response));
        let acknowledges = meaning(&CONNECT_ACK).unwrap();
        assert_eq!((acknowledges.role, acknowledges.id), (Role::Ack, asks.id));
        let mut again = INITIATE;
        again[0] = 0x68;
        assert_eq!(meaning(&again).unwrap().id, asks.id);
        assert!(meaning(&again).unwrap().repeats);
    }

    #[test]
    fn data_and_what_acknowledges_it() {
        let (layer, facts) = read(&DATA);
        assert_eq!((layer.header, layer.end), (11, 12));
        assert!(matches!(
            facts.carries,
            Carries::Segment(Segment { last: true, .. })
        ));
        let data = numbered(&DATA);
        assert_eq!((data.kind, data.number), (NumberedKind::Data, 1));
        assert_eq!(data.expects, Some(2), "it acknowledges 1");
        let ack = numbered(&DATA_ACK);
        assert_eq!((ack.kind, ack.expects), (NumberedKind::Ready, Some(2)));
        assert_eq!(
            ack.connection,
            Some(Session {
                from: 0x2003,
                to: 0x2004
            })
        );
        // In the other subchannel only what crosses over is about data.
        assert_eq!(numbered(&OTHER_ACK).expects, Some(1));
        assert_eq!(numbered(&LINK_SERVICE).expects, Some(1));
        assert_eq!(numbered(&LINK_SERVICE).kind, NumberedKind::Control);
        let mut nak = DATA_ACK;
        nak[6] |= 0x10;
        assert_eq!(numbered(&nak).kind, NumberedKind::Reject);
        let mut last = DATA;
        last[5..7].copy_from_slice(&0x8fffu16.to_le_bytes());
        assert_eq!(numbered(&last).expects, Some(0), "numbers wrap at 4096");
    }

    #[test]
    fn acknowledgements_may_be_absent() {
        let bare = [0x40, 3, 0x20, 4, 0x20, 7, 0x10, 1, 2];
        let h = Header::parse(Input::whole(&bare)).unwrap();
        assert_eq!((h.acks, h.segment, h.delay), ([None; 2], Some(7), true));
        assert_eq!(h.length, 7);
        let one = Header::parse(Input::whole(&DATA_ACK[..7])).unwrap();
        assert_eq!(one.acks[0].map(|a| a.number), Some(1));
        assert_eq!(one.acks[1], None);
    }

    #[test]
    fn an_end_may_be_a_refusal() {
        let end = meaning(&DISCONNECT).unwrap();
        assert_eq!(end.role, Role::Notice);
        assert_eq!(end.answers, meaning(&INITIATE).unwrap().id);
        assert_eq!(
            line(&DISSECTOR, &DISCONNECT),
            "Disconnect initiate 8196 > 8195, by the user"
        );
    }

    #[test]
    fn an_smb_with_something_in_front() {
        let mut bytes = DATA[..11].to_vec();
        bytes.extend([9; 5]);
        bytes.extend(b"\xffSMB\x0a");
        bytes.resize(11 + 5 + 32, 0);
        bytes.push(5);
        bytes.extend([0; 12]);
        let (layer, _) = read(&bytes);
        assert_eq!(layer.header, 16);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(fields.last().unwrap().name, "Header in front of the SMB");
    }

    #[test]
    fn what_session_control_says() {
        let fields = testing::fields(&DISSECTOR, Input::whole(&INITIATE));
        let object = fields.iter().find(|f| f.name == "Object").unwrap();
        assert_eq!(object.meaning, "PHONE");
        assert!(
            fields
                .iter()
                .any(|f| format!("{:?}", f.value).contains("LINUX"))
        );
        assert_eq!(testing::number(&fields, "Segment size"), Some(0x4013));
        assert_eq!(
            line(&DISSECTOR, &DATA),
            "Data segment 8196 > 8195, segment 1, 1 bytes, ack 1, other ack 1"
        );
    }

    #[test]
    fn a_cut_header_is_short() {
        for header in [&DATA[..11], &INITIATE[..5], &CONNECT_ACK, &DISCONNECT[..7]] {
            short_when_cut(&DISSECTOR, header);
        }
        let fault = Header::parse(Input::whole(&[0x58]));
        assert!(matches!(fault, Err(Fault::Malformed { offset: 0, .. })));
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..120), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let length = u32::try_from(bytes.len()).unwrap() + cut;
            testing::fields(&DISSECTOR, Input { bytes: &bytes, length });
        }

        #[test]
        fn fields_are_those_of_the_header(
            flags in prop::sample::select(vec![
                0u8, 0x20, 0x40, 0x60, 0x30, 0x10, 0x04, 0x14, 0x24, 0x18, 0x68, 0x28, 0x38, 0x48,
            ]),
            tail: [u8; 20],
        ) {
            let mut bytes = vec![flags];
            bytes.extend(tail);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            let number = |name| testing::number(&fields, name);
            prop_assert_eq!(number("Destination link address"), Some(h.destination.into()));
            if h.kind != Message::ConnectAck {
                prop_assert_eq!(number("Source link address"), Some(h.source.into()));
            }
            prop_assert_eq!(number("Segment number"), h.segment.map(u64::from));
            let first = h.acks[0].map(|ack| u64::from(ack.number));
            prop_assert_eq!(number("Acknowledged segment"), first);
        }
    }
}
