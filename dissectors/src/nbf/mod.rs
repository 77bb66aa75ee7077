//! NetBIOS Frames protocol (NBF, "NetBEUI"). IBM LAN Technical Reference SC30-3587,
//! chapter 5. All fields are little-endian.

use crate::llc;
use crate::nbt::{self, Name};
use crate::parse::{header, malformed};
use wirewait_wire::{
    Answered, Asked, Carries, Claim, Connection, Deciding, Dissector, Effects, Exchange, Facts,
    Fault, Id, Input, Kind, Layer, Names, Naming, Next, Operation, Part, Role, Segment, Session,
    Side, Status, Steady, Step, Text, Verified,
};

mod describe;
mod fields;

/// Commands, by the code in the header.
pub mod command {
    /// Asks whether anyone objects to a group name.
    pub const ADD_GROUP_NAME_QUERY: u8 = 0x00;
    /// Asks whether anyone objects to a unique name.
    pub const ADD_NAME_QUERY: u8 = 0x01;
    /// A name turned out to be in use twice.
    pub const NAME_IN_CONFLICT: u8 = 0x02;
    /// Asks for the adapter status of a station.
    pub const STATUS_QUERY: u8 = 0x03;
    /// Ends a trace at a remote station.
    pub const TERMINATE_TRACE_REMOTE: u8 = 0x07;
    /// A datagram to a name.
    pub const DATAGRAM: u8 = 0x08;
    /// A datagram to everyone.
    pub const DATAGRAM_BROADCAST: u8 = 0x09;
    /// Looks for a name, to call it or only to find it.
    pub const NAME_QUERY: u8 = 0x0a;
    /// Objects to a name.
    pub const ADD_NAME_RESPONSE: u8 = 0x0d;
    /// Answers [`NAME_QUERY`].
    pub const NAME_RECOGNIZED: u8 = 0x0e;
    /// Answers [`STATUS_QUERY`].
    pub const STATUS_RESPONSE: u8 = 0x0f;
    /// Ends a trace at the local and at remote stations.
    pub const TERMINATE_TRACE: u8 = 0x13;
    /// Acknowledges a message.
    pub const DATA_ACK: u8 = 0x14;
    /// First or middle piece of a message.
    pub const DATA_FIRST_MIDDLE: u8 = 0x15;
    /// Only or last piece of a message.
    pub const DATA_ONLY_LAST: u8 = 0x16;
    /// Answers [`SESSION_INITIALIZE`].
    pub const SESSION_CONFIRM: u8 = 0x17;
    /// Ends a session.
    pub const SESSION_END: u8 = 0x18;
    /// Opens a session.
    pub const SESSION_INITIALIZE: u8 = 0x19;
    /// The receiver has no buffer left.
    pub const NO_RECEIVE: u8 = 0x1a;
    /// The receiver has one again.
    pub const RECEIVE_OUTSTANDING: u8 = 0x1b;
    /// The receiver takes the rest of a message.
    pub const RECEIVE_CONTINUE: u8 = 0x1c;
    /// Keeps an idle session open.
    pub const SESSION_ALIVE: u8 = 0x1f;
}

/// Whom a frame is between: names where no session exists yet, then numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Commands 0x00 to 0x13.
    Names {
        /// Receiver, or the name that the frame is about.
        destination: Name,
        /// Sender.
        source: Name,
    },
    /// Commands 0x14 to 0x1f.
    Numbers {
        /// The session by the receiver's number.
        destination: u8,
        /// The session by the sender's number.
        source: u8,
    },
}

/// An NBF header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes up to the user data: those of the header by its own account, and a stray one
    /// that some senders put before it.
    pub length: u32,
    /// See [`command`].
    pub command: u8,
    /// First optional byte; its meaning depends on the command.
    pub data1: u8,
    /// Second optional field, likewise.
    pub data2: u16,
    /// The peer's response correlator, given back.
    pub transmit: u16,
    /// The number that the sender expects back; 0 is none.
    pub response: u16,
    /// Whom it is between.
    pub ends: Ends,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the delimiter is missing or the
    /// length is less than that of the command's header.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 4] = header(input)?;
        if h[2..4] == DELIMITER {
            return Self::behind(input, 0);
        }
        let h: &[u8; 5] = header(input)?;
        if h[3..5] == DELIMITER {
            return Self::behind(input.skip(1), 1);
        }
        Err(malformed(2, "delimiter is not 0xefff"))
    }

    /// Reads the header that begins here, `stray` bytes into the layer.
    fn behind(input: Input<'_>, stray: u32) -> Result<Self, Fault> {
        let h: &[u8; 14] = header(input)?;
        let command = h[4];
        let (ends, needed) = if command < command::DATA_ACK {
            let h: &[u8; 44] = header(input)?;
            let name = |at| Name::plain(h, at).ok_or(Fault::Short { offset: 12 });
            let ends = Ends::Names {
                destination: name(12)?,
                source: name(28)?,
            };
            (ends, 44)
        } else {
            let ends = Ends::Numbers {
                destination: h[12],
                source: h[13],
            };
            (ends, 14)
        };
        let length = u16::from_le_bytes([h[0], h[1]]);
        if length < needed {
            return Err(malformed(stray, "length less than the command's header"));
        }
        Ok(Self {
            // The command fixes it; some senders count the user data in as well.
            length: stray + u32::from(needed),
            command,
            data1: h[5],
            data2: u16::from_le_bytes([h[6], h[7]]),
            transmit: u16::from_le_bytes([h[8], h[9]]),
            response: u16::from_le_bytes([h[10], h[11]]),
            ends,
        })
    }

    /// The session that the frame belongs to. Only 1 to 254 are session numbers.
    #[must_use]
    pub fn session(&self) -> Option<Session> {
        match self.ends {
            Ends::Numbers {
                destination: destination @ 1..=254,
                source: source @ 1..=254,
            } => Some(Session {
                from: source.into(),
                to: destination.into(),
            }),
            _ => None,
        }
    }

    fn step(&self) -> Option<Step> {
        match self.command {
            command::SESSION_INITIALIZE => Some(Step::Asks),
            command::SESSION_CONFIRM => Some(Step::Agrees),
            command::SESSION_END if self.data2 == 0 => Some(Step::Ends),
            command::SESSION_END => Some(Step::Aborts),
            _ => None,
        }
    }

    fn segment(&self, last: bool) -> Segment {
        Segment {
            last,
            position: None,
            resync: self.data2 == 1,
            correlator: some(self.response).filter(|_| self.data1 & NO_ACK == 0),
            may_ride: last && self.data1 & ACKNOWLEDGE_WITH_DATA != 0,
            acknowledges: some(self.transmit).filter(|_| self.data1 & ACKNOWLEDGE_INCLUDED != 0),
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbf",
    title: "NetBIOS Frames protocol (NetBEUI), IBM SC30-3587",
    aliases: &["NetBEUI", "NetBIOS Frames", "NetBIOS", "LAN Manager"],
    does: "sessions, messages in pieces, acknowledgements, name queries, status, datagrams",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Lab,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(llc::SAP.key(0xf0))],
    conveys: true,
    carrier: Some("nbf"),
    dissect,
    steady: Some(Steady { decides, varies }),
    exchange: Some(exchange),
    answer: Some(answer),
    describe: describe::describe,
    names: Some(names),
    fields: fields::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.session = h.session();
    let (carries, next) = match h.command {
        command::DATAGRAM | command::DATAGRAM_BROADCAST => {
            (Carries::Nothing, Next::one(nbt::DATAGRAM.any()))
        }
        command::DATA_FIRST_MIDDLE | command::DATA_ONLY_LAST => (
            Carries::Segment(h.segment(h.command == command::DATA_ONLY_LAST)),
            Next::one(nbt::MESSAGE.any()),
        ),
        command::DATA_ACK | command::RECEIVE_CONTINUE => {
            (Carries::Ack(some(h.transmit)), Next::NONE)
        }
        command::SESSION_INITIALIZE | command::SESSION_CONFIRM => (Carries::Message, Next::NONE),
        command::NO_RECEIVE => (Carries::Overrun(h.data2.into()), Next::NONE),
        command::RECEIVE_OUTSTANDING => (Carries::Accepted(h.data2.into()), Next::NONE),
        command::DATA_ACK.. => (Carries::Control, Next::NONE),
        _ => (Carries::Message, Next::NONE),
    };
    facts.carries = carries;
    // What the link does that carries it is not what becomes of the session.
    facts.connection = h
        .step()
        .zip(h.session())
        .map(|(step, numbers)| Connection { step, numbers });
    // NBF has no length of user data; the link's holds.
    Ok(Layer::over(input, h.length, next))
}

/// The delimiter, the command and the session, of what sessions say to each other.
fn decides(input: Input<'_>) -> Option<Deciding> {
    const MASK: [u8; 14] = [0, 0, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
    let h: &[u8; 14] = input.bytes.first_chunk()?;
    (h[2..4] == DELIMITER && is_steady(h[4])).then_some(Deciding {
        mask: &MASK,
        whom: 4..14,
    })
}

fn is_steady(command: u8) -> bool {
    matches!(
        command,
        command::DATA_ACK
            | command::DATA_FIRST_MIDDLE
            | command::DATA_ONLY_LAST
            | command::RECEIVE_CONTINUE
    )
}

fn varies(input: Input<'_>, facts: &mut Facts) -> Option<u32> {
    let h = Header::parse(input).ok()?;
    facts.carries = match h.command {
        command::DATA_FIRST_MIDDLE | command::DATA_ONLY_LAST => {
            Carries::Segment(h.segment(h.command == command::DATA_ONLY_LAST))
        }
        command::DATA_ACK | command::RECEIVE_CONTINUE => Carries::Ack(some(h.transmit)),
        _ => return None,
    };
    Some(input.length)
}

/// Queries go to a group address and are repeated until someone answers, so their
/// conversation is the asking station's alone. Claiming a name is answered by silence:
/// the claim and its consequences are notices.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let [session, _] = h.data2.to_le_bytes();
    let exchange = match h.command {
        command::NAME_QUERY if session == 0 => Some(Exchange {
            operation: &FIND_NAME,
            names: true,
            ..request(h.command, h.response)
        }),
        command::NAME_QUERY => Some(Exchange {
            names: true,
            effects: Effects::CALLS,
            ..request(h.command, h.response)
        }),
        command::STATUS_QUERY => Some(request(h.command, h.response)),
        command::SESSION_INITIALIZE => Some(Exchange {
            effects: Effects::SETS_UP,
            ..request(h.command, h.response)
        }),
        command::NAME_RECOGNIZED => Some(Exchange {
            status: Some(recognized(session, false)),
            ..response(command::NAME_QUERY, h.transmit)
        }),
        command::STATUS_RESPONSE => Some(response(command::STATUS_QUERY, h.transmit)),
        command::SESSION_CONFIRM => Some(response(command::SESSION_INITIALIZE, h.transmit)),
        command::DATAGRAM | command::DATAGRAM_BROADCAST | command::DATA_ACK.. => None,
        code => {
            let sender = match code {
                command::ADD_NAME_RESPONSE => Side::Server,
                _ => Side::Client,
            };
            let notice = Exchange::new(Role::Notice, sender, operation(code), code.into());
            Some(Exchange {
                anyone: true,
                ..notice
            })
        }
    };
    Ok(Part {
        exchange,
        length: input.length,
    })
}

/// The name that a query looks for.
fn names(input: Input<'_>, out: Names<'_>) {
    if let Some(name) = Name::plain(input.bytes, 12) {
        out(Naming::Station, Text::Bytes(name.to_string().as_bytes()));
    }
}

/// A name that nobody listens on is what FIND.NAME looks for, and a failure for a caller.
fn answer(input: Input<'_>, asked: &Asked) -> Answered {
    let status = match Header::parse(input) {
        Ok(h) if h.command == command::NAME_RECOGNIZED => {
            let [session, _] = h.data2.to_le_bytes();
            Some(recognized(session, *asked.operation == FIND_NAME))
        }
        _ => None,
    };
    Answered {
        status,
        ..Answered::default()
    }
}

const DELIMITER: [u8; 2] = [0xff, 0xef];

// DATA1 of DATA_FIRST_MIDDLE and DATA_ONLY_LAST.
const ACKNOWLEDGE_INCLUDED: u8 = 0x08;
const ACKNOWLEDGE_WITH_DATA: u8 = 0x04;
const NO_ACK: u8 = 0x02;
const CONTINUE_REQUESTED: u8 = 0x01;

// The low byte of DATA2 in NAME_RECOGNIZED, where it is not a session number.
const NO_LISTEN: u8 = 0x00;
const NO_RESOURCES: u8 = 0xff;

const UNKNOWN: &str = "UNKNOWN";

/// By command. Name and session management is all there is to time here.
static OPERATIONS: [Operation; 32] = [
    session("ADD_GROUP_NAME_QUERY"),
    session("ADD_NAME_QUERY"),
    session("NAME_IN_CONFLICT"),
    session("STATUS_QUERY"),
    session(UNKNOWN),
    session(UNKNOWN),
    session(UNKNOWN),
    session("TERMINATE_TRACE"),
    session("DATAGRAM"),
    session("DATAGRAM_BROADCAST"),
    session("NAME_QUERY"),
    session(UNKNOWN),
    session(UNKNOWN),
    session("ADD_NAME_RESPONSE"),
    session("NAME_RECOGNIZED"),
    session("STATUS_RESPONSE"),
    session(UNKNOWN),
    session(UNKNOWN),
    session(UNKNOWN),
    session("TERMINATE_TRACE"),
    session("DATA_ACK"),
    session("DATA_FIRST_MIDDLE"),
    session("DATA_ONLY_LAST"),
    session("SESSION_CONFIRM"),
    session("SESSION_END"),
    session("SESSION_INITIALIZE"),
    session("NO_RECEIVE"),
    session("RECEIVE_OUTSTANDING"),
    session("RECEIVE_CONTINUE"),
    session(UNKNOWN),
    session(UNKNOWN),
    session("SESSION_ALIVE"),
];

/// A NAME_QUERY that only wants to know where a name is.
static FIND_NAME: Operation = session("NAME_QUERY (FIND.NAME)");

const fn session(name: &'static str) -> Operation {
    Operation::new(name, Kind::Session, true)
}

fn operation(command: u8) -> &'static Operation {
    OPERATIONS
        .get(usize::from(command))
        .unwrap_or(&OPERATIONS[4])
}

/// A request, under the command's own name space of correlators.
fn request(command: u8, correlator: u16) -> Exchange {
    let datagram = command < command::DATA_ACK;
    Exchange {
        id: some(correlator).map(|value| Id::new(command, value.into())),
        repeats: datagram,
        anyone: datagram,
        ..Exchange::new(
            Role::Request,
            Side::Client,
            operation(command),
            command.into(),
        )
    }
}

/// The response to a request with this command and correlator.
fn response(command: u8, correlator: u16) -> Exchange {
    Exchange {
        role: Role::Response,
        sender: Side::Server,
        status: Some(DONE),
        ..request(command, correlator)
    }
}

const DONE: Status = Status {
    code: 0,
    name: None,
    ok: true,
    failure: false,
};

/// How a NAME_RECOGNIZED answers: with the number of the session to be, or why there is none.
fn recognized(session: u8, find: bool) -> Status {
    let (name, ok) = match session {
        NO_LISTEN if find => (None, true),
        NO_LISTEN => (Some("NO LISTEN"), false),
        NO_RESOURCES => (Some("NO RESOURCES"), false),
        _ => return DONE,
    };
    Status {
        code: session.into(),
        name,
        ok,
        failure: !ok,
    }
}

/// A correlator; 0 is none.
fn some(correlator: u16) -> Option<u16> {
    (correlator != 0).then_some(correlator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;
    use proptest::prelude::*;
    use wirewait_wire::Key;

    /// A frame with names; SC30-3587 chapter 5 gives the layout.
    fn named(command: u8, data2: u16, transmit: u16, response: u16) -> Vec<u8> {
        let mut bytes = vec![0x2c, 0x00, 0xff, 0xef, command, 0];
        for field in [data2, transmit, response] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(b"SERVER         \x20");
        bytes.extend(b"CLIENT         \x00");
        bytes
    }

    /// A frame of the session that its sender knows as 5 and its receiver as 7.
    fn numbered(command: u8, data1: u8, data2: u16, transmit: u16, response: u16) -> Vec<u8> {
        let mut bytes = vec![0x0e, 0x00, 0xff, 0xef, command, data1];
        for field in [data2, transmit, response] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend([7, 5]);
        bytes
    }

    fn walk(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(bytes), &mut facts).unwrap();
        (layer, facts)
    }

    fn read(bytes: &[u8]) -> Exchange {
        exchange(Input::whole(bytes)).unwrap().exchange.unwrap()
    }

    const SESSION: Option<Session> = Some(Session { from: 5, to: 7 });

    #[test]
    fn the_last_piece_of_an_answer_acknowledges_the_request_it_answers() {
        let mut bytes = numbered(0x16, 0x0c, 0, 0x0010, 0x0020);
        bytes.extend(b"\xffSMB");
        let (layer, facts) = walk(&bytes);
        assert_eq!((layer.header, layer.end), (14, 18));
        let next: Vec<Key> = layer.next.keys().collect();
        assert_eq!(next, [nbt::MESSAGE.any()]);
        assert_eq!(facts.session, SESSION);
        assert_eq!(
            facts.carries,
            Carries::Segment(Segment {
                last: true,
                position: None,
                resync: false,
                correlator: Some(0x20),
                may_ride: true,
                acknowledges: Some(0x10),
            })
        );
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "DATA_ONLY_LAST, session 5 > 7, ack with data, 4 bytes, answers 0x0010, correlator 0x0020"
        );
    }

    #[test]
    fn flags_of_a_piece_are_read_as_ibm_writes_them() {
        let segment = |bytes: &[u8]| match walk(bytes).1.carries {
            Carries::Segment(segment) => segment,
            other => panic!("{other:?}"),
        };
        let middle = segment(&numbered(0x15, 0x01, 1, 0x0010, 0x0020));
        assert!(!middle.last && middle.resync);
        assert_eq!(
            middle.acknowledges, None,
            "the correlator is stale without 0x08"
        );
        assert_eq!(middle.correlator, Some(0x20));
        let no_ack = segment(&numbered(0x16, 0x02, 0, 0, 0x0020));
        assert_eq!(no_ack.correlator, None, "nothing will acknowledge it");
        assert_eq!(segment(&numbered(0x16, 0, 0, 0, 0)).correlator, None);
    }

    #[test]
    fn what_carries_no_data_says_what_it_is() {
        for (command, carries) in [
            (0x14, Carries::Ack(Some(0x33))),
            (0x1c, Carries::Ack(Some(0x33))),
            (0x18, Carries::Control),
            (0x1a, Carries::Overrun(0)),
            (0x1b, Carries::Accepted(0)),
            (0x1f, Carries::Control),
            (0x17, Carries::Message),
            (0x19, Carries::Message),
        ] {
            let (layer, facts) = walk(&numbered(command, 0, 0, 0x33, 0));
            assert_eq!(facts.carries, carries, "{command:#x}");
            assert_eq!(facts.session, SESSION);
            assert!(layer.next.is_none());
        }
        assert_eq!(walk(&named(0x0a, 5, 0, 1)).1.carries, Carries::Message);
    }

    #[test]
    fn a_session_needs_two_numbers() {
        let mut bytes = numbered(0x1f, 0, 0, 0, 0);
        bytes[12] = 0;
        assert_eq!(walk(&bytes).1.session, None);
        bytes[12] = 0xff;
        assert_eq!(walk(&bytes).1.session, None);
    }

    #[test]
    fn a_datagram_hands_on_what_it_carries() {
        let mut bytes = named(0x08, 0, 0, 0);
        bytes.extend(b"\xffSMB");
        let (layer, facts) = walk(&bytes);
        assert_eq!((layer.header, layer.end), (44, 48));
        assert_eq!(layer.next.keys().next(), Some(nbt::DATAGRAM.any()));
        assert_eq!((facts.carries, facts.session), (Carries::Nothing, None));
        assert!(exchange(Input::whole(&bytes)).unwrap().exchange.is_none());
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "DATAGRAM SERVER<20> from CLIENT<00>, 4 bytes"
        );
    }

    #[test]
    fn a_stray_byte_before_the_header_is_stepped_over() {
        let mut bytes = numbered(0x16, 0x04, 0, 0, 1);
        bytes.insert(0, 0x2a);
        let (layer, facts) = walk(&bytes);
        assert_eq!((layer.header, facts.session), (15, SESSION));
    }

    #[test]
    fn a_name_is_looked_for_and_recognized() {
        let query = read(&named(0x0a, 5, 0, 0x1111));
        let mut bytes = named(0x0e, 7, 0x1111, 0x2222);
        let found = read(&bytes);
        assert_eq!((query.role, query.sender), (Role::Request, Side::Client));
        assert_eq!((found.role, found.sender), (Role::Response, Side::Server));
        assert_eq!(query.id, found.id);
        assert!(query.anyone && found.anyone && query.repeats);
        assert!(found.status.unwrap().ok);
        assert_ne!(
            query.id,
            read(&named(0x03, 0, 0, 0x1111)).id,
            "STATUS_QUERY"
        );
        bytes[6] = 0xff;
        assert!(read(&bytes).status.unwrap().failure, "no resources");
        assert_eq!(read(&named(0x0a, 5, 0, 0)).id, None, "0 is no correlator");
    }

    #[test]
    fn nobody_listening_is_a_failure_for_a_caller_only() {
        let nobody = named(0x0e, 0, 0x1111, 0);
        for (query, ok) in [
            (named(0x0a, 5, 0, 0x1111), false),
            (named(0x0a, 0, 0, 0x1111), true),
        ] {
            let query = read(&query);
            let asked = Asked {
                operation: query.operation,
                code: query.code,
                asked: 0,
                file: None,
            };
            let status = answer(Input::whole(&nobody), &asked).status.unwrap();
            assert_eq!((status.ok, status.failure), (ok, !ok));
        }
    }

    #[test]
    fn a_session_is_opened_and_confirmed() {
        let open = read(&numbered(0x19, 0x8f, 1482, 0x2222, 0x3333));
        let confirm = read(&numbered(0x17, 0x81, 1482, 0x3333, 0x4444));
        assert_eq!((open.role, confirm.role), (Role::Request, Role::Response));
        assert_eq!(open.id, confirm.id);
        assert!(!open.anyone && !open.repeats, "the link below repeats");
    }

    #[test]
    fn a_claim_is_granted_by_silence() {
        for command in [0x00, 0x01, 0x02, 0x07, 0x0d, 0x13, 0x05] {
            assert_eq!(read(&named(command, 0, 0, 1)).role, Role::Notice);
        }
        assert_eq!(read(&named(0x0d, 0, 0, 1)).sender, Side::Server);
    }

    #[test]
    fn frames_are_described() {
        assert_eq!(
            line(&DISSECTOR, &named(0x0a, 5, 0, 0x1111)),
            "NAME_QUERY SERVER<20> from CLIENT<00>, session 5, correlator 0x1111"
        );
        assert_eq!(
            line(&DISSECTOR, &named(0x0e, 0, 0x1111, 0)),
            "NAME_RECOGNIZED CLIENT<00> to SERVER<20>, nobody listens, answers 0x1111"
        );
        assert_eq!(line(&DISSECTOR, &named(0x05, 0, 3, 0)), "UNKNOWN 0x05");
        assert_eq!(
            line(&DISSECTOR, &[0; 14]),
            "malformed: delimiter is not 0xefff"
        );
        assert_eq!(
            line(&DISSECTOR, &numbered(0x1a, 0, 100, 0, 0)),
            "NO_RECEIVE, session 5 > 7, 100 bytes accepted"
        );
        let mut status = named(0x03, 0, 0, 9);
        status[28..44]
            .copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x1b, 0x12, 0x34, 0x56]);
        assert_eq!(
            line(&DISSECTOR, &status),
            "STATUS_QUERY SERVER<20> from 00-00-1b-12-34-56, correlator 0x0009"
        );
    }

    #[test]
    fn every_strict_prefix_is_short() {
        for bytes in [named(0x0a, 5, 0, 1), numbered(0x16, 0, 0, 0, 1)] {
            for n in 0..bytes.len() {
                let result = Header::parse(Input::whole(&bytes[..n]));
                assert!(matches!(result, Err(Fault::Short { .. })), "{n}");
            }
        }
    }

    #[test]
    fn what_is_not_nbf_is_malformed() {
        let mut bytes = numbered(0x16, 0, 0, 0, 1);
        bytes[0] = 13;
        assert!(matches!(
            Header::parse(Input::whole(&bytes)),
            Err(Fault::Malformed { offset: 0, .. })
        ));
        bytes[3] = 0;
        assert!(matches!(
            Header::parse(Input::whole(&bytes)),
            Err(Fault::Malformed { offset: 2, .. })
        ));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            length in 0u16..60,
            rest in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let bytes = [&length.to_le_bytes(), &DELIMITER[..], &rest].concat();
            let _ = dissect(Input::whole(&bytes), &mut Facts::default());
            let _ = exchange(Input::whole(&bytes));
            let asked = Asked { operation: &FIND_NAME, code: 0, asked: 0, file: None };
            answer(Input::whole(&bytes), &asked);
            line(&DISSECTOR, &bytes);
            let _ = Header::parse(Input::whole(&rest));
        }
    }
}
