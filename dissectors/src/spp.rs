//! Xerox Sequenced Packet Protocol ("Internet Transport Protocols", XSIS 028112): connections
//! over IDP whose packets are numbered, acknowledged and granted in windows. SPX was made from
//! it. Who is called answers from a socket of his own choice, so a connection is known by its
//! two numbers.
//!
//! 3Com's 3+ carries SMB on it; on which sockets, and whether behind a header of its session
//! layer, no source says. So SMB is looked for at the beginning of the data and behind it.

use crate::parse::header;
use crate::{idp, nbt, smb1};
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Connection, Dissector, Exchange, Facts, Fault, Fields, Id, Input, Kind, Layer,
    Next, Numbered, NumberedKind, Operation, Order, Part, Role, Segment, Session, Side, Status,
    Step, Table, Verified,
};

/// Sockets of either end of a connection, the lower one first, for data under datastream type
/// 0. The socket that was called comes before both.
pub const SOCKET: Table = Table::new("spp.socket");

/// Like [`SOCKET`], for data under other datastream types (Courier's bulk data).
pub const STREAM: Table = Table::new("spp.stream");

/// Bits of the connection control byte.
pub mod control {
    /// A system packet: takes no number and carries no data.
    pub const SYSTEM: u8 = 0x80;
    /// An acknowledgement is wanted at once.
    pub const SEND_ACKNOWLEDGEMENT: u8 = 0x40;
    /// One byte that may overtake all others.
    pub const ATTENTION: u8 = 0x20;
    /// The message ends here.
    pub const END_OF_MESSAGE: u8 = 0x10;
}

/// Datastream types that the protocol keeps for itself; the packets take numbers.
pub mod stream {
    /// Ends the connection.
    pub const END: u8 = 254;
    /// Agrees to that.
    pub const END_REPLY: u8 = 255;
}

/// An SPP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// See [`control`].
    pub control: u8,
    /// Datastream type; see [`stream`] for those with a meaning of their own.
    pub stream: u8,
    /// The sender's number for the connection.
    pub source: u16,
    /// The receiver's number; [`Header::UNKNOWN`] in the packet that opens the connection.
    pub destination: u16,
    /// Number of this packet; of the next one in a system packet.
    pub sequence: u16,
    /// The number expected next from the receiver.
    pub acknowledge: u16,
    /// The highest number that the sender will take.
    pub allocation: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 12;

    /// Destination connection number of an opening packet.
    pub const UNKNOWN: u16 = 0;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 12] = header(input)?;
        let field = |at: usize| u16::from_be_bytes([h[at], h[at + 1]]);
        Ok(Self {
            control: h[0],
            stream: h[1],
            source: field(2),
            destination: field(4),
            sequence: field(6),
            acknowledge: field(8),
            allocation: field(10),
        })
    }

    /// How many packets the receiver may have under way.
    #[must_use]
    pub const fn window(&self) -> u16 {
        self.allocation
            .wrapping_sub(self.acknowledge)
            .wrapping_add(1)
    }

    /// Asks for a connection.
    #[must_use]
    pub const fn is_call(&self) -> bool {
        self.destination == Self::UNKNOWN
    }

    /// May grant a connection: nothing has been sent either way. Later system packets may say
    /// the same.
    #[must_use]
    pub const fn is_answer(&self) -> bool {
        !self.is_call() && self.is_system() && self.sequence == 0 && self.acknowledge == 0
    }

    const fn is_system(&self) -> bool {
        self.control & control::SYSTEM != 0
    }

    /// The connection, as far as its numbers are known.
    #[must_use]
    pub const fn session(&self) -> Session {
        Session {
            from: self.source,
            to: self.destination,
        }
    }

    /// The place of this packet in the order of its connection.
    #[must_use]
    pub const fn numbered(&self) -> Numbered {
        let kind = if self.is_call() {
            NumberedKind::Call
        } else if self.is_answer() {
            NumberedKind::Open
        } else if !self.is_system() {
            NumberedKind::Data
        } else if self.window() == 0 {
            NumberedKind::Busy
        } else {
            NumberedKind::Ready
        };
        Numbered {
            kind,
            number: self.sequence,
            connection: Some(self.session()),
            modulus: 65536,
            expects: if self.is_call() {
                None
            } else {
                Some(self.acknowledge)
            },
            poll: self.is_system() && self.control & control::SEND_ACKNOWLEDGEMENT != 0,
            response: false,
        }
    }

    const fn step(&self) -> Option<Step> {
        match self.stream {
            _ if self.is_call() => Some(Step::Asks),
            _ if self.is_answer() => Some(Step::Agrees),
            stream::END => Some(Step::Ends),
            stream::END_REPLY => Some(Step::Agrees),
            _ => None,
        }
    }

    const fn name(&self) -> &'static str {
        match self.stream {
            _ if self.is_call() => "OPEN",
            _ if self.is_system() => match self.control & control::SEND_ACKNOWLEDGEMENT {
                0 => "ACK",
                _ if self.is_answer() => "OPENED",
                _ => "PROBE",
            },
            stream::END => "END",
            stream::END_REPLY => "END REPLY",
            _ if self.control & control::ATTENTION != 0 => "ATTENTION",
            _ => "DATA",
        }
    }

    /// Whether the bytes behind the header are a piece of a message.
    fn is_data(&self) -> bool {
        self.name() == "DATA"
    }
}

static OPEN: Operation = Operation::new("OPEN CONNECTION", Kind::Session, true);

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "spp",
    orders: true,
    title: "Xerox Sequenced Packet Protocol, XSIS 028112",
    does: "connections, also where the response comes from another socket; the order of packets, pure \
           and piggybacked acknowledgements, probes, windows, retransmissions, messages \
           by their end; SMB at the beginning of the data or up to 32 bytes behind it",
    lacks: "data in the packet that opens a connection is not followed; where 3Com's servers mark \
            the end of an SMB is not known (one that fills its packet ends there); tried on made \
            captures only",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(idp::TYPE.key(idp::packet::SPP as u32))],
    conveys: true,
    carrier: Some("spp"),
    dissect,
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let numbered = h.numbered();
    let mut layer = Layer {
        header: Header::LENGTH,
        end: input.length,
        next: Next::NONE,
    };
    facts.order = Order::Numbered(numbered);
    facts.carries = Carries::Control;
    let to = if h.is_call() { 0 } else { h.destination };
    facts.connection = h.step().map(|step| Connection::new(step, h.source, to));
    match numbered.kind {
        // The opening and its answer meet before there is a connection that both know.
        NumberedKind::Call | NumberedKind::Open => facts.carries = Carries::Message,
        _ => facts.session = Some(h.session()),
    }
    if h.is_data() {
        let data = input.skip(Header::LENGTH);
        let smb = find_smb(data);
        let alone = smb.is_some_and(|smb| smb.fills_packet);
        facts.carries = Carries::Segment(Segment {
            last: h.control & control::END_OF_MESSAGE != 0 || alone,
            position: None,
            resync: false,
            correlator: None,
            may_ride: false,
            acknowledges: None,
        });
        layer.header += smb.map_or(0, |smb| smb.at);
        layer.next = match smb {
            Some(_) => Next::one(nbt::MESSAGE.any()),
            None => sockets(facts, h.stream),
        };
    } else if h.name() == "ATTENTION" {
        layer.header = input.length.min(Header::LENGTH + 1);
    }
    Ok(layer)
}

fn sockets(facts: &Facts, stream: u8) -> Next {
    let table = if stream == 0 { SOCKET } else { STREAM };
    let key = |socket: u16| table.key(socket.into());
    match (facts.from.port, facts.to.port) {
        (Some(from), Some(to)) => Next::two(key(from.min(to)), key(from.max(to))),
        _ => Next::NONE,
    }
}

/// An SMB message in the data of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Smb {
    /// Where it begins.
    at: u32,
    /// It ends with the packet, by its own lengths.
    fills_packet: bool,
}

/// How far behind the beginning of the data an SMB message is looked for.
const REACH: u32 = 32;

/// Finds an SMB message that begins in these bytes. Behind their beginning, the four bytes of
/// its signature are not enough: command, words and bytes must make sense there.
fn find_smb(data: Input<'_>) -> Option<Smb> {
    (0..=REACH).find_map(|at| {
        let smb = data.skip(at);
        if !smb.bytes.starts_with(b"\xffSMB") {
            return None;
        }
        let length = smb_length(smb);
        (at == 0 || length.is_some()).then_some(Smb {
            at,
            fills_packet: length == Some(smb.length),
        })
    })
}

/// The length of an SMB message with one command, by its counts of words and bytes (MS-CIFS
/// 2.2.3); `None` where there is no sense in them.
fn smb_length(smb: Input<'_>) -> Option<u32> {
    let operation = smb1::Command(*smb.bytes.get(4)?).operation();
    let at = 33 + 2 * usize::from(*smb.bytes.get(32)?);
    let count = u16::from_le_bytes(smb.bytes.get(at..at + 2)?.try_into().ok()?);
    let words_end = u32::try_from(at + 2).ok()?;
    (operation.name != "UNKNOWN" && words_end <= smb.length).then_some(words_end + u32::from(count))
}

/// Only the opening of a connection is a matter of question and answer.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let exchange = if h.is_call() {
        Some((Role::Request, Side::Client, h.source, None))
    } else if h.is_answer() {
        Some((
            Role::Response,
            Side::Server,
            h.destination,
            Some(Status::DONE),
        ))
    } else {
        None
    }
    .map(|(role, sender, caller, status)| Exchange {
        id: Some(Id::new(0, caller.into())),
        repeats: true,
        // The answer may come from another socket.
        anyone: true,
        status,
        ..Exchange::new(role, sender, &OPEN, 0)
    });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

/// What a line says first, of SPX too: who sends to whom, and the numbers of the packet, of the
/// one expected next and of the packets allowed.
pub(crate) fn head(
    out: &mut dyn fmt::Write,
    name: &str,
    [from, to]: [u16; 2],
    [number, next, window]: [u16; 3],
) -> fmt::Result {
    write!(
        out,
        "{name} {from:04x} > {to:04x}, seq {number}, expects {next}, window {window}"
    )
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    let numbers = [h.sequence, h.acknowledge, h.window()];
    head(out, h.name(), [h.source, h.destination], numbers)?;
    let data = input.skip(Header::LENGTH);
    if h.is_data() {
        write!(out, ", stream {}, {} bytes", h.stream, data.length)?;
        if let Some(Smb { at: at @ 1.., .. }) = find_smb(data) {
            write!(out, ", SMB behind {at} bytes")?;
        }
    } else if h.name() == "ATTENTION"
        && let Some(byte) = data.bytes.first()
    {
        write!(out, ", byte {byte}")?;
    }
    for (bit, word) in [
        (control::SEND_ACKNOWLEDGEMENT, "ack wanted"),
        (control::END_OF_MESSAGE, "end of message"),
    ] {
        if h.control & bit != 0 {
            write!(out, ", {word}")?;
        }
    }
    Ok(())
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let h = Header::parse(f.input()).ok();
    f.u8("Connection control")?;
    f.hex().means(h.map_or("", |h| h.name()));
    for (bit, name) in [
        (control::SYSTEM, "System packet"),
        (control::SEND_ACKNOWLEDGEMENT, "Send acknowledgement"),
        (control::ATTENTION, "Attention"),
        (control::END_OF_MESSAGE, "End of message"),
    ] {
        f.flag(bit.into(), name, "yes", "no");
    }
    let stream = f.u8("Datastream type")?;
    f.means(match stream {
        stream::END => "end",
        stream::END_REPLY => "end reply",
        _ => "",
    });
    f.be16("Source connection ID")?;
    f.hex();
    let destination = f.be16("Destination connection ID")?;
    f.hex();
    if destination == Header::UNKNOWN {
        f.means("not known yet");
    }
    f.be16("Sequence number")?;
    f.be16("Acknowledge number")?;
    f.means("expected next");
    f.be16("Allocation number")?;
    let h = h?;
    f.means(format_args!("window {}", h.window()));
    if h.is_data() {
        let before = find_smb(f.input().skip(Header::LENGTH)).map_or(0, |smb| smb.at);
        f.bytes(before, "Bytes before the SMB")?;
        if before > 0 {
            f.means("no source describes them");
        }
    } else if h.name() == "ATTENTION" && f.left() > 0 {
        f.u8("Attention byte")?;
    }
    Some(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Endpoint;

    /// 1001 > 2002 with sequence 5, acknowledge 9, allocation 12.
    pub(crate) fn packet(control: u8, stream: u8, data: &[u8]) -> Vec<u8> {
        let mut bytes = vec![control, stream, 0x10, 0x01, 0x20, 0x02, 0, 5, 0, 9, 0, 12];
        bytes.extend(data);
        bytes
    }

    /// An ECHO of this many bytes, 37 bytes and those.
    fn smb(echoed: u8) -> Vec<u8> {
        let mut bytes = b"\xffSMB\x2b".to_vec();
        bytes.resize(32, 0);
        bytes.extend([1, 1, 0, echoed, 0]);
        bytes.resize(37 + usize::from(echoed), b'e');
        bytes
    }

    /// What is read of a packet between these sockets.
    pub(crate) fn between(
        (from, to): (u16, u16),
        dissector: &Dissector,
        bytes: &[u8],
    ) -> (Layer, Facts, Numbered) {
        let mut facts = Facts {
            from: Endpoint::ipx(0, [2; 6], from),
            to: Endpoint::ipx(0, [4; 6], to),
            ..Facts::default()
        };
        let layer = (dissector.dissect)(Input::whole(bytes), &mut facts).unwrap();
        match facts.order {
            Order::Numbered(n) => (layer, facts, n),
            other => panic!("{other:?}"),
        }
    }

    fn read(bytes: &[u8]) -> (Layer, Facts, Numbered) {
        between((0x0bc1, 0x0bbc), &DISSECTOR, bytes)
    }

    fn segment(facts: &Facts) -> Segment {
        match facts.carries {
            Carries::Segment(segment) => segment,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) const SESSION: Session = Session {
        from: 0x1001,
        to: 0x2002,
    };

    #[test]
    fn data_has_a_number_and_goes_by_its_sockets() {
        let bytes = packet(0x50, 0, b"data");
        let (layer, facts, n) = read(&bytes);
        assert_eq!((layer.header, layer.end), (12, 16));
        assert_eq!((n.kind, n.number), (NumberedKind::Data, 5));
        assert_eq!((n.expects, n.modulus), (Some(9), 65536));
        assert_eq!(
            (n.connection, facts.session),
            (Some(SESSION), Some(SESSION))
        );
        assert!(segment(&facts).last);
        let keys = [SOCKET.key(0x0bbc), SOCKET.key(0x0bc1)];
        assert!(layer.next.keys().eq(keys));
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "DATA 1001 > 2002, seq 5, expects 9, window 4, stream 0, 4 bytes, ack wanted, end of \
             message"
        );
        assert!(!segment(&read(&packet(0x40, 0, b"data")).1).last);
        let keys = [STREAM.key(0x0bbc), STREAM.key(0x0bc1)];
        assert!(read(&packet(0x40, 1, b"bulk")).0.next.keys().eq(keys));
    }

    #[test]
    fn system_packets_have_no_number_of_their_own() {
        for (control, poll, name) in [(0x80, false, "ACK"), (0xc0, true, "PROBE")] {
            let bytes = packet(control, 0, &[]);
            let (layer, facts, n) = read(&bytes);
            assert_eq!((n.kind, n.expects), (NumberedKind::Ready, Some(9)));
            assert_eq!((n.poll, facts.carries), (poll, Carries::Control));
            assert!(layer.next.is_none());
            assert!(line(&DISSECTOR, &bytes).starts_with(name));
        }
        let mut bytes = packet(0x80, 0, &[]);
        bytes[11] = 8;
        assert_eq!(read(&bytes).2.kind, NumberedKind::Busy, "a closed window");
        assert!(line(&DISSECTOR, &bytes).contains("window 0"));
    }

    #[test]
    fn a_call_and_its_answer_are_paired_by_the_callers_number() {
        let mut call = packet(0xc0, 0, &[]);
        call[4..12].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 7]);
        let mut answer = packet(0xc0, 0, &[]);
        answer[2..12].copy_from_slice(&[0x20, 2, 0x10, 1, 0, 0, 0, 0, 0, 7]);
        let mut ids = Vec::new();
        for (bytes, kind, role, text) in [
            (
                &call,
                NumberedKind::Call,
                Role::Request,
                "OPEN 1001 > 0000, seq 0",
            ),
            (
                &answer,
                NumberedKind::Open,
                Role::Response,
                "OPENED 2002 > 1001, seq 0",
            ),
        ] {
            let (_, facts, n) = read(bytes);
            assert_eq!((n.kind, n.number), (kind, 0));
            assert_eq!((facts.carries, facts.session), (Carries::Message, None));
            let x = exchange(Input::whole(bytes)).unwrap().exchange.unwrap();
            assert_eq!(x.role, role);
            assert!(x.anyone && x.repeats);
            ids.push(x.id);
            assert!(line(&DISSECTOR, bytes).starts_with(text));
        }
        assert_eq!(ids, [Some(Id::new(0, 0x1001)); 2]);
        assert_eq!(read(&call).2.connection.unwrap().from, 0x1001);
        assert_eq!(
            (read(&call).2.expects, read(&answer).2.expects),
            (None, Some(0))
        );
        assert!(
            exchange(Input::whole(&packet(0x50, 0, &[])))
                .unwrap()
                .exchange
                .is_none()
        );
    }

    #[test]
    fn the_end_takes_numbers_and_so_does_attention() {
        for (control, stream, name) in [
            (0x00, 0xfe, "END "),
            (0x00, 0xff, "END REPLY"),
            (0x20, 0, "ATTENTION"),
        ] {
            let bytes = packet(control, stream, &[1]);
            let (layer, facts, n) = read(&bytes);
            assert_eq!((n.kind, n.number), (NumberedKind::Data, 5));
            assert_eq!(facts.carries, Carries::Control);
            assert!(layer.next.is_none());
            assert!(line(&DISSECTOR, &bytes).starts_with(name));
        }
        let fields = testing::fields(&DISSECTOR, Input::whole(&packet(0x20, 0, &[9]))).len();
        assert_eq!(fields, 12);
    }

    #[test]
    fn smb_is_found_at_the_beginning_and_behind_it() {
        let by_look = [nbt::MESSAGE.any()];
        let (layer, facts, _) = read(&packet(0x40, 0, &smb(4)));
        assert_eq!(layer.header, 12);
        assert!(layer.next.keys().eq(by_look));
        assert!(segment(&facts).last, "it fills the packet");

        let behind = [&[0; 32][..], &smb(4)].concat();
        let bytes = packet(0x40, 0, &behind);
        let (layer, facts, _) = read(&bytes);
        assert_eq!(layer.header, 44);
        assert!(layer.next.keys().eq(by_look) && segment(&facts).last);
        assert!(line(&DISSECTOR, &bytes).contains("SMB behind 32 bytes"));
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let before = fields.last().unwrap();
        assert_eq!(
            (before.name.as_ref(), before.end),
            ("Bytes before the SMB", 44)
        );
    }

    #[test]
    fn what_only_looks_like_smb_is_none() {
        let header = |data: &[u8]| read(&packet(0x40, 0, data)).0.header;
        let behind = |n: usize, smb: &[u8]| [&vec![0; n][..], smb].concat();
        assert_eq!(header(&behind(33, &smb(4))), 12, "too far behind");
        assert_eq!(header(&behind(4, b"\xffSMB\x2b")), 12, "no header");
        let mut odd = smb(4);
        odd[4] = 0x9f;
        assert_eq!(header(&behind(4, &odd)), 12, "no command");
        let mut odd = smb(4);
        odd[32] = 200;
        assert_eq!(header(&behind(4, &odd)), 12, "more words than there are");
        // More bytes than this packet has: the rest follows.
        let mut long = smb(4);
        long[36] = 2;
        let (layer, facts, _) = read(&packet(0x40, 0, &behind(4, &long)));
        assert_eq!((layer.header, segment(&facts).last), (16, false));
    }

    #[test]
    fn every_strict_prefix_of_a_header_is_short() {
        short_when_cut(&DISSECTOR, &packet(0x50, 0, &[]));
    }

    proptest! {
        #[test]
        fn any_bytes(
            head in prop::collection::vec(any::<u8>(), 0..60),
            smb_at in 0usize..40,
            rest in prop::collection::vec(any::<u8>(), 0..60),
            cut in 0u32..2000,
        ) {
            stands(&DISSECTOR, &head, cut);
            let bytes = packet(0x50, 0, &[&vec![0; smb_at][..], b"\xffSMB", &rest].concat());
            stands(&DISSECTOR, &bytes, cut);
            testing::fields(&DISSECTOR, Input::whole(&bytes));
        }

        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 12..70)) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            for (name, value) in [
                ("Connection control", u16::from(h.control)),
                ("System packet", u16::from(h.is_system())),
                ("Datastream type", h.stream.into()),
                ("Source connection ID", h.source),
                ("Destination connection ID", h.destination),
                ("Sequence number", h.sequence),
                ("Acknowledge number", h.acknowledge),
                ("Allocation number", h.allocation),
            ] {
                prop_assert_eq!(testing::number(&fields, name), Some(value.into()), "{}", name);
            }
        }
    }
}
