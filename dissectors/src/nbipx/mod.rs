//! NetBIOS over IPX (NBIPX), of Novell and of Microsoft's NWLink. No specification was
//! published; layouts and numbering are those of captures of both. Session fields are
//! little-endian.
//!
//! The packet that asks for a session takes the caller's number 0; what the called station
//! answers it with takes none, though Microsoft's carries data. Both number their data from
//! there. Whether the packets of one message have one number or one each is not known, so
//! what is new is told by the offset too.

mod show;

use crate::ipx;
use crate::nbt::{self, Name};
use crate::parse::{header, malformed};
use wirewait_wire::{
    Carries, Claim, Connection, Dissector, Effects, Exchange, Facts, Fault, Id, Input, Kind, Layer,
    Next, Numbered, NumberedKind, Operation, Order, Part, Role, Segment, Side, Status, Step,
    Verified,
};

/// A packet of one of its three layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// About a name.
    Name {
        /// What about it: data stream types 1 to 5.
        kind: u8,
        /// 0x80 a group, 0x40 in use, 0x04 registered, 0x02 duplicated, 0x01 deregistered.
        flags: u8,
        /// The name.
        name: Name,
    },
    /// Of a session: data stream types 6 to 8.
    Session(Session),
    /// A datagram to a name.
    Datagram {
        /// Sender.
        from: Name,
        /// Receiver.
        to: Name,
    },
    /// Of another data stream type.
    Other(u8),
}

/// Header of a session packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// Connection control: 0x80 system packet, 0x40 acknowledgement wanted, 0x20 attention,
    /// 0x10 end of message, 0x08 send again, 0x01 set by Microsoft in packets that open a
    /// session.
    pub control: u8,
    /// Data stream type: 6 data, 7 end, 8 acknowledges the end.
    pub kind: u8,
    /// The sender's number for the connection.
    pub source: u16,
    /// The receiver's number; 0xffff while it is not known.
    pub destination: u16,
    /// Number of this packet; of the next one in a system packet.
    pub sequence: u16,
    /// Bytes of the whole message.
    pub total: u16,
    /// Where in the message this packet's data belongs.
    pub offset: u16,
    /// Bytes of data in this packet.
    pub length: u16,
    /// The number expected next from the receiver.
    pub expects: u16,
}

impl Session {
    /// Asks for a session.
    #[must_use]
    pub const fn is_call(&self) -> bool {
        self.kind == SESSION_DATA && self.destination == UNKNOWN
    }

    /// Grants a session: only the packet that asked for it has arrived, and nothing has been
    /// sent. Later system packets with the same numbers only repeat it.
    #[must_use]
    pub const fn is_answer(&self) -> bool {
        self.kind == SESSION_DATA
            && self.is_system()
            && !self.is_call()
            && self.sequence == 0
            && self.expects == 1
    }

    const fn step(&self) -> Option<Step> {
        match self.kind {
            _ if self.is_call() => Some(Step::Asks),
            _ if self.is_answer() => Some(Step::Agrees),
            SESSION_END => Some(Step::Ends),
            SESSION_END_ACK => Some(Step::Agrees),
            _ => None,
        }
    }

    const fn is_system(&self) -> bool {
        self.control & SYSTEM != 0
    }

    /// The numbers of the connection.
    #[must_use]
    pub const fn connection(&self) -> wirewait_wire::Session {
        wirewait_wire::Session {
            from: self.source,
            to: self.destination,
        }
    }

    /// The place of this packet in the order of its connection; `None` for a call, which has
    /// no connection yet.
    #[must_use]
    pub const fn numbered(&self) -> Option<Numbered> {
        if self.is_call() {
            return None;
        }
        let kind = match self.kind {
            SESSION_DATA if self.is_answer() => NumberedKind::Open,
            SESSION_DATA if !self.is_system() => NumberedKind::Data,
            SESSION_DATA if self.control & SEND_AGAIN != 0 => NumberedKind::Reject,
            SESSION_DATA => NumberedKind::Ready,
            _ => NumberedKind::Control,
        };
        Some(Numbered {
            kind,
            number: self.sequence,
            connection: Some(self.connection()),
            modulus: 65536,
            expects: Some(self.expects),
            poll: self.is_system() && self.control & ACK_WANTED != 0,
            response: false,
        })
    }

    /// The data as a piece of a message. Novell's own programs do not mark the end, so the
    /// lengths count, and the mark only where there is no total.
    fn segment(&self) -> Segment {
        let end = u32::from(self.offset) + u32::from(self.length);
        let marked = self.control & END_OF_MESSAGE != 0;
        Segment {
            last: match self.total {
                0 => marked || self.length == 0,
                total => end >= total.into(),
            },
            position: Some(self.offset.into()),
            resync: false,
            correlator: None,
            may_ride: false,
            acknowledges: None,
        }
    }
}

impl Packet {
    /// Reads a packet up to its data.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when a session packet says that it carries
    /// more than it does.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let &[control, kind] = header(input)?;
        Ok(match kind {
            _ if has_networks(input)? => {
                let h: &[u8; NAME_LENGTH as usize] = header(input)?;
                Self::Name {
                    kind: h[33],
                    flags: h[32],
                    name: Name::plain(h, 34).ok_or(Fault::Short { offset: 34 })?,
                }
            }
            SESSION_DATA..=SESSION_END_ACK => {
                let h: &[u8; SESSION_LENGTH as usize] = header(input)?;
                let field = |at: usize| u16::from_le_bytes([h[at], h[at + 1]]);
                let session = Session {
                    control,
                    kind,
                    source: field(2),
                    destination: field(4),
                    sequence: field(6),
                    total: field(8),
                    offset: field(10),
                    length: field(12),
                    expects: field(14),
                };
                if SESSION_LENGTH + u32::from(session.length) > input.length {
                    return Err(malformed(12, "data length is more than the packet has"));
                }
                Self::Session(session)
            }
            DATAGRAM => {
                let h: &[u8; DATAGRAM_LENGTH as usize] = header(input)?;
                let name = |at| Name::plain(h, at).ok_or(Fault::Short { offset: 2 });
                // Wireshark names them the other way round, but what browsers announce in
                // these datagrams shows that the first is the sender.
                Self::Datagram {
                    from: name(2)?,
                    to: name(18)?,
                }
            }
            _ => Self::Other(kind),
        })
    }
}

/// Whether eight network numbers come first. Only name packets begin with them, and only
/// the length tells; a session packet may have that length too, but says so itself.
fn has_networks(input: Input<'_>) -> Result<bool, Fault> {
    if input.length != NAME_LENGTH {
        return Ok(false);
    }
    let h: &[u8; NAME_LENGTH as usize] = header(input)?;
    let session = matches!(h[1], SESSION_DATA..=SESSION_END_ACK)
        && u32::from(u16::from_le_bytes([h[12], h[13]])) + SESSION_LENGTH == NAME_LENGTH;
    Ok(matches!(h[33], FIND_NAME..=DEREGISTER) && !session)
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbipx",
    orders: true,
    title: "NetBIOS over IPX (Novell, and Microsoft NWLink)",
    aliases: &[
        "NWLink NetBIOS",
        "NetBIOS over IPX",
        "NB-IPX",
        "Novell NetBIOS",
    ],
    does: "sessions: opening, the order of packets, messages in pieces, acknowledgements, \
           retransmissions; datagrams down to the mailslot message in them; name queries \
           with their responses",
    lacks: "no specification is public; messages in several packets are checked by no real \
            capture; status queries are not read",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x0455))],
    conveys: true,
    carrier: Some("nbipx"),
    dissect,
    exchange: Some(exchange),
    describe: show::describe,
    fields: show::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let (header, end, next) = match Packet::parse(input)? {
        Packet::Name { .. } => {
            facts.carries = Carries::Message;
            (NAME_LENGTH, input.length, Next::NONE)
        }
        Packet::Session(s) => {
            let end = SESSION_LENGTH + u32::from(s.length);
            (SESSION_LENGTH, end, session(&s, facts))
        }
        Packet::Datagram { .. } => {
            let next = Next::one(nbt::DATAGRAM.any());
            (DATAGRAM_LENGTH, input.length, next)
        }
        Packet::Other(_) => (2, input.length, Next::NONE),
    };
    Ok(Layer { header, end, next })
}

/// What a session packet means, and what its data goes by.
fn session(s: &Session, facts: &mut Facts) -> Next {
    let numbered = s.numbered();
    let to = if s.is_call() { 0 } else { s.destination };
    facts.connection = s.step().map(|step| Connection::new(step, s.source, to));
    facts.order = numbered.map_or(Order::None, Order::Numbered);
    match numbered.map(|n| n.kind) {
        // The call and its answer meet before there is a session that both know.
        None | Some(NumberedKind::Open) => {
            facts.carries = Carries::Message;
            Next::NONE
        }
        Some(NumberedKind::Data) => {
            facts.session = Some(s.connection());
            facts.carries = Carries::Segment(s.segment());
            Next::one(nbt::MESSAGE.any())
        }
        Some(_) => {
            facts.session = Some(s.connection());
            facts.carries = Carries::Control;
            Next::NONE
        }
    }
}

/// Looking for a name and opening a session are matters of question and answer. What checks,
/// claims or gives up a name is granted by silence.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let exchange = match Packet::parse(input)? {
        Packet::Session(s) if s.is_call() => Some(Exchange {
            id: Some(Id::new(0, s.source.into())),
            repeats: true,
            effects: Effects::SETS_UP,
            ..Exchange::new(Role::Request, Side::Client, &INITIALIZE, s.kind.into())
        }),
        Packet::Session(s) if s.is_answer() => Some(Exchange {
            id: Some(Id::new(0, s.destination.into())),
            status: Some(Status::DONE),
            ..Exchange::new(Role::Response, Side::Server, &INITIALIZE, s.kind.into())
        }),
        Packet::Name { kind, name, .. } => Some(about_name(kind, name)),
        _ => None,
    };
    Ok(Part {
        exchange,
        length: input.length,
    })
}

/// Queries go to everyone, so their conversation is the asking station's alone.
fn about_name(kind: u8, name: Name) -> Exchange {
    let (role, sender, operation) = match kind {
        FIND_NAME => (Role::Request, Side::Client, &FIND),
        NAME_RECOGNIZED => (Role::Response, Side::Server, &FIND),
        CHECK_NAME => (Role::Notice, Side::Client, &CHECK),
        NAME_IN_USE => (Role::Notice, Side::Server, &IN_USE),
        _ => (Role::Notice, Side::Client, &DROP),
    };
    let Name([characters @ .., last]) = name;
    let characters = characters
        .iter()
        .fold(0, |number, c| number << 8 | u128::from(*c));
    Exchange {
        id: Some(Id::new(last, characters)),
        repeats: true,
        anyone: true,
        status: (role == Role::Response).then_some(Status::DONE),
        ..Exchange::new(role, sender, operation, kind.into())
    }
}

const NAME_LENGTH: u32 = 50;
const SESSION_LENGTH: u32 = 18;
const DATAGRAM_LENGTH: u32 = 34;

/// Destination connection number of a call.
const UNKNOWN: u16 = 0xffff;

// Bits of the connection control byte.
const SYSTEM: u8 = 0x80;
const ACK_WANTED: u8 = 0x40;
const ATTENTION: u8 = 0x20;
const END_OF_MESSAGE: u8 = 0x10;
const SEND_AGAIN: u8 = 0x08;
const EXTENDED: u8 = 0x01;

static INITIALIZE: Operation = operation("SESSION INITIALIZE");
static FIND: Operation = operation("FIND NAME");
static CHECK: Operation = operation("CHECK NAME");
static IN_USE: Operation = operation("NAME IN USE");
static DROP: Operation = operation("DEREGISTER NAME");

const fn operation(name: &'static str) -> Operation {
    Operation::new(name, Kind::Session, true)
}

// Data stream types.
const FIND_NAME: u8 = 1;
const NAME_RECOGNIZED: u8 = 2;
const CHECK_NAME: u8 = 3;
const NAME_IN_USE: u8 = 4;
const DEREGISTER: u8 = 5;
const SESSION_DATA: u8 = 6;
const SESSION_END: u8 = 7;
const SESSION_END_ACK: u8 = 8;
const STATUS_QUERY: u8 = 9;
const STATUS_RESPONSE: u8 = 10;
const DATAGRAM: u8 = 11;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use proptest::prelude::*;

    fn name_packet() -> Vec<u8> {
        let mut bytes = vec![0; 32];
        bytes.extend([0x84, 3]);
        bytes.extend(b"WORKGROUP      \x1e");
        bytes
    }

    /// A session packet with these many bytes of data.
    fn session_packet(data: u8) -> Vec<u8> {
        let mut bytes = vec![
            0x50, 6, 1, 0x10, 2, 0x20, 5, 0, 100, 0, 0, 0, data, 0, 9, 0, 0, 0,
        ];
        bytes.extend(std::iter::repeat_n(2, usize::from(data)));
        bytes
    }

    fn datagram() -> Vec<u8> {
        let mut bytes = vec![0, 11];
        bytes.extend(b"CLIENT         \x00");
        bytes.extend(b"WORKGROUP      \x1d");
        bytes.extend(b"\xffSMB");
        bytes
    }

    fn text(bytes: &[u8]) -> String {
        crate::testing::line(&DISSECTOR, bytes)
    }

    #[test]
    fn the_three_layouts_are_told_apart() {
        assert_eq!(text(&name_packet()), "CHECK NAME WORKGROUP<1e>, group");
        assert_eq!(
            text(&session_packet(40)),
            "SESSION DATA 1001 > 2002, seq 5, expects 9, bytes 0-40 of 100, ack wanted, end of message"
        );
        assert_eq!(
            text(&datagram()),
            "DATAGRAM from CLIENT<00> to WORKGROUP<1d>, 4 bytes"
        );
    }

    #[test]
    fn a_session_packet_as_long_as_a_name_packet_is_none() {
        let bytes = session_packet(32);
        assert_eq!(bytes.len(), 50);
        assert!(matches!(
            Packet::parse(Input::whole(&bytes)),
            Ok(Packet::Session(_))
        ));
    }

    #[test]
    fn the_data_length_of_a_session_packet_ends_it() {
        let bytes = session_packet(40);
        let mut padded = bytes.clone();
        padded.extend([0; 6]);
        let layer = dissect(Input::whole(&padded), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end as usize), (18, bytes.len()));
        let cut = Packet::parse(Input::whole(&bytes[..bytes.len() - 1]));
        assert_eq!(
            cut,
            Err(malformed(12, "data length is more than the packet has"))
        );
    }

    /// Session packets of the two real exchanges of which captures are public: Novell's
    /// (0553 calls 0c32) and that of Windows for Workgroups (1 calls 1).
    fn real(control: u8, kind: u8, numbers: [u16; 7]) -> (Session, Facts, Next) {
        let [
            source,
            destination,
            sequence,
            total,
            offset,
            length,
            expects,
        ] = numbers;
        let mut bytes = vec![control, kind];
        for field in [
            source,
            destination,
            sequence,
            total,
            offset,
            length,
            expects,
            0,
        ] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.resize(18 + 38, 0);
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&bytes), &mut facts).unwrap();
        let Ok(Packet::Session(s)) = Packet::parse(Input::whole(&bytes)) else {
            panic!("no session packet");
        };
        (s, facts, layer.next)
    }

    #[test]
    fn a_call_and_its_answer_are_paired_by_the_callers_number() {
        let novell = [
            (0x40, [0xc32, 0xffff, 0, 38, 0, 38, 0]),
            (0x80, [0x553, 0xc32, 0, 0, 0, 0, 1]),
        ];
        let microsoft = [
            (0x41, [7, 0xffff, 0, 38, 0, 38, 0]),
            (0x81, [1, 7, 0, 38, 0, 38, 1]),
        ];
        for ([call, answer], number) in [(novell, 0xc32), (microsoft, 7)] {
            let (s, facts, _) = real(call.0, 6, call.1);
            assert!(s.is_call() && matches!(facts.order, Order::None));
            assert_eq!((facts.carries, facts.session), (Carries::Message, None));
            let (s, facts, next) = real(answer.0, 6, answer.1);
            let Order::Numbered(n) = facts.order else {
                panic!("{:?}", facts.order);
            };
            assert_eq!((n.kind, n.number), (NumberedKind::Open, 0));
            assert_eq!((n.expects, n.connection), (Some(1), Some(s.connection())));
            assert_eq!((facts.carries, facts.session), (Carries::Message, None));
            assert!(next.is_none());
            for (packet, role) in [(call, Role::Request), (answer, Role::Response)] {
                let mut bytes = session_packet(0);
                bytes[..2].copy_from_slice(&[packet.0, 6]);
                for (at, field) in (2..).step_by(2).zip(packet.1) {
                    bytes[at..at + 2].copy_from_slice(&field.to_le_bytes());
                }
                bytes.resize(56, 0);
                let part = exchange(Input::whole(&bytes)).unwrap();
                let x = part.exchange.unwrap();
                assert_eq!((x.role, x.id), (role, Some(Id::new(0, number))));
            }
        }
    }

    #[test]
    fn data_is_a_piece_of_a_message_under_its_number() {
        let (s, facts, next) = real(0x40, 6, [0x553, 0xc32, 4, 31, 0, 31, 1]);
        let Order::Numbered(n) = facts.order else {
            panic!("{:?}", facts.order);
        };
        assert_eq!(n.kind, NumberedKind::Data);
        assert_eq!((n.number, n.expects, n.modulus), (4, Some(1), 65536));
        assert_eq!(n.connection, facts.session);
        assert_eq!(facts.session, Some(s.connection()));
        assert_eq!(next.keys().next(), Some(nbt::MESSAGE.any()));
        let Carries::Segment(segment) = facts.carries else {
            panic!("{:?}", facts.carries);
        };
        assert!(segment.last, "by its lengths, without the mark");
        let piece = |control, total, offset, length| {
            let (s, ..) = real(control, 6, [1, 2, 4, total, offset, length, 1]);
            (s.segment().last, s.segment().position)
        };
        assert_eq!(piece(0x40, 60, 0, 30), (false, Some(0)));
        assert_eq!(piece(0x40, 60, 30, 30), (true, Some(30)));
        assert_eq!(
            piece(0x50, 60, 0, 30),
            (false, Some(0)),
            "the lengths count"
        );
        assert_eq!(piece(0x50, 0, 0, 30), (true, Some(0)), "no total: the mark");
        assert_eq!(piece(0x40, 0, 0, 0), (true, Some(0)), "an empty message");
    }

    #[test]
    fn the_rest_of_a_session_carries_nothing() {
        for (control, kind, expected) in [
            (0x80, 6, NumberedKind::Ready),
            (0xc0, 6, NumberedKind::Ready),
            (0x88, 6, NumberedKind::Reject),
            (0x40, 7, NumberedKind::Control),
            (0x80, 8, NumberedKind::Control),
        ] {
            let (s, facts, next) = real(control, kind, [1, 2, 1, 0, 0, 0, 1]);
            assert_eq!(s.numbered().map(|n| n.kind), Some(expected));
            assert_eq!(facts.carries, Carries::Control);
            assert!(next.is_none());
        }
    }

    #[test]
    fn a_datagram_hands_on_what_it_carries() {
        let bytes = datagram();
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!(
            &bytes[layer.header as usize..layer.end as usize],
            b"\xffSMB"
        );
        assert_eq!(layer.next.keys().next(), Some(nbt::DATAGRAM.any()));
    }

    #[test]
    fn every_strict_prefix_of_a_header_is_short() {
        for (bytes, header) in [
            (name_packet(), 50),
            (session_packet(40), 18),
            (datagram(), 34),
        ] {
            let length = u32::try_from(bytes.len()).unwrap();
            for n in 0..header {
                let cut = Input {
                    bytes: &bytes[..n],
                    length,
                };
                let result = dissect(cut, &mut Facts::default());
                assert!(
                    matches!(result, Err(Fault::Short { .. })),
                    "{n} of {header}"
                );
            }
        }
    }

    #[test]
    fn a_name_looked_for_and_recognized_meet() {
        let about = |kind: u8, last: u8| {
            let mut bytes = name_packet();
            (bytes[33], bytes[49]) = (kind, last);
            let mut facts = Facts::default();
            dissect(Input::whole(&bytes), &mut facts).unwrap();
            assert_eq!(facts.carries, Carries::Message);
            exchange(Input::whole(&bytes)).unwrap().exchange.unwrap()
        };
        let (asks, found) = (about(FIND_NAME, 0x20), about(NAME_RECOGNIZED, 0x20));
        assert_eq!((asks.role, asks.sender), (Role::Request, Side::Client));
        assert_eq!((found.role, found.sender), (Role::Response, Side::Server));
        assert_eq!(asks.id, found.id);
        assert!(asks.anyone && asks.repeats);
        assert_ne!(about(NAME_RECOGNIZED, 0x1e).id, asks.id, "another name");
        for kind in [CHECK_NAME, NAME_IN_USE, DEREGISTER] {
            assert_eq!(about(kind, 0x20).role, Role::Notice);
        }
    }

    /// The call and the data of the real session between HELLOWORLDAPP and FOOBARMACHINE.
    #[test]
    fn fields_of_a_call_and_of_data() {
        let mut call = vec![0x40, 6, 0xd8, 4, 0xff, 0xff, 0, 0, 0x26, 0, 0, 0, 0x26, 0];
        call.extend([0, 0, 0, 0]);
        call.extend(b"HELLOWORLDAPP  {FOOBARMACHINE  {");
        call.extend([0, 4, 0x15, 0, 9, 0]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&call));
        let shown = |name: &str| {
            let field = fields.iter().find(|f| f.name == name).unwrap();
            field.value.clone()
        };
        let text = |text: &str| wirewait_wire::Value::Text(text.to_owned());
        assert_eq!(shown("Source name"), text("HELLOWORLDAPP<7b>"));
        assert_eq!(shown("Destination name"), text("FOOBARMACHINE<7b>"));
        assert_eq!(testing::number(&fields, "Maximum data size"), Some(1024));
        assert_eq!(fields.last().unwrap().end, 56);
        let data = session_packet(32);
        let fields = testing::fields(&DISSECTOR, Input::whole(&data));
        assert_eq!(
            fields.last().unwrap().end,
            18,
            "the data is somebody else's"
        );
        assert_eq!(testing::number(&fields, "Send sequence number"), Some(5));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_packet(
            kind in 0u8..14,
            rest in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let bytes = [&[0, kind], rest.as_slice()].concat();
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let number = |name| testing::number(&fields, name);
            let name = |name: &str| fields.iter().find(|f| f.name == name).unwrap().value.clone();
            let text = |name: Name| wirewait_wire::Value::Text(name.to_string());
            match Packet::parse(input) {
                Ok(Packet::Name { kind, flags, name: about }) => {
                    prop_assert_eq!(number("Data stream type"), Some(kind.into()));
                    prop_assert_eq!(number("Name flags"), Some(flags.into()));
                    prop_assert_eq!(name("NetBIOS name"), text(about));
                }
                Ok(Packet::Session(s)) => {
                    prop_assert_eq!(number("Connection control"), Some(s.control.into()));
                    prop_assert_eq!(number("Data stream type"), Some(s.kind.into()));
                    prop_assert_eq!(number("Source connection ID"), Some(s.source.into()));
                    prop_assert_eq!(number("Destination connection ID"), Some(s.destination.into()));
                    prop_assert_eq!(number("Send sequence number"), Some(s.sequence.into()));
                    prop_assert_eq!(number("Total data length"), Some(s.total.into()));
                    prop_assert_eq!(number("Data offset"), Some(s.offset.into()));
                    prop_assert_eq!(number("Data length"), Some(s.length.into()));
                    prop_assert_eq!(number("Receive sequence number"), Some(s.expects.into()));
                }
                Ok(Packet::Datagram { from, to }) => {
                    prop_assert_eq!(name("Source name"), text(from));
                    prop_assert_eq!(name("Destination name"), text(to));
                }
                Ok(Packet::Other(kind)) => {
                    prop_assert_eq!(number("Data stream type"), Some(kind.into()));
                }
                Err(_) => {}
            }
        }

        #[test]
        fn any_bytes_are_read_without_panic(
            kind in 0u8..14,
            rest in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let bytes = [&[0, kind], rest.as_slice()].concat();
            if let Ok(layer) = dissect(Input::whole(&bytes), &mut Facts::default()) {
                prop_assert!(layer.header <= layer.end);
                prop_assert!(layer.end as usize <= bytes.len());
            }
            if let Ok(part) = exchange(Input::whole(&bytes)) {
                prop_assert!(part.length > 0);
            }
            text(&bytes);
        }
    }
}
