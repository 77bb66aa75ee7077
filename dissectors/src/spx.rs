//! Sequenced Packet Exchange, SPX and SPX II ("NetWare SPX Services Specification", Novell),
//! the connection-oriented protocol over IPX. All fields are big-endian.

use crate::parse::header;
use crate::{ipx, spp};
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Connection, Dissector, Facts, Fault, Fields, Input, Layer, Next, Numbered,
    NumberedKind, Order, Segment, Session, Step, Table, Verified,
};

/// Sockets of either end of a connection; the lower one is tried first. What a connection
/// carries goes by its socket: data stream types mean what the program likes.
pub const SOCKET: Table = Table::new("spx.socket");

/// Bits of the connection control byte.
pub mod control {
    /// A system packet: takes no number, carries no data, is not acknowledged.
    pub const SYSTEM: u8 = 0x80;
    /// An acknowledgement is wanted at once.
    pub const ACKNOWLEDGE: u8 = 0x40;
    /// Attention; the receiver's program may look at it first.
    pub const ATTENTION: u8 = 0x20;
    /// The message ends here.
    pub const END_OF_MESSAGE: u8 = 0x10;
    /// SPX II.
    pub const SPX2: u8 = 0x08;
    /// SPX II: agrees on the size of packets.
    pub const NEGOTIATE: u8 = 0x04;
    /// SPX II: an extended header follows.
    pub const EXTENDED: u8 = 0x01;
}

/// Data stream types that the protocol keeps for itself.
pub mod stream {
    /// SPX II: nothing more will be sent from here, but the other side may go on.
    pub const RELEASE: u8 = 0xfc;
    /// Acknowledges [`RELEASE`].
    pub const RELEASE_ACK: u8 = 0xfd;
    /// Ends the connection.
    pub const END: u8 = 0xfe;
    /// Acknowledges [`END`].
    pub const END_ACK: u8 = 0xff;
}

/// An SPX header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// See [`control`].
    pub control: u8,
    /// Data stream type; see [`stream`] for those with a meaning of their own.
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
    /// SPX II, in all packets but the opening one: the largest packet that the sender can
    /// take.
    pub negotiated: Option<u16>,
}

impl Header {
    /// Destination connection number of an opening packet.
    pub const UNKNOWN: u16 = 0xffff;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 12] = header(input)?;
        let field = |at: usize| u16::from_be_bytes([h[at], h[at + 1]]);
        // The opening packet is as short as that of SPX, for those who know no SPX II.
        let longer = h[0] & control::SPX2 != 0 && field(4) != Self::UNKNOWN;
        let negotiated = if longer && input.length >= 14 {
            let h: &[u8; 14] = header(input)?;
            Some(u16::from_be_bytes([h[12], h[13]]))
        } else {
            None
        };
        Ok(Self {
            control: h[0],
            stream: h[1],
            source: field(2),
            destination: field(4),
            sequence: field(6),
            acknowledge: field(8),
            allocation: field(10),
            negotiated,
        })
    }

    /// Bytes of the header.
    #[must_use]
    pub const fn length(&self) -> u32 {
        match self.negotiated {
            Some(_) => 14,
            None => 12,
        }
    }

    /// How many packets the receiver may still send.
    #[must_use]
    pub const fn window(&self) -> u16 {
        self.allocation
            .wrapping_sub(self.acknowledge)
            .wrapping_add(1)
    }

    /// The connection; `None` while the receiver has no number for it.
    #[must_use]
    pub fn session(&self) -> Option<Session> {
        (self.destination != Self::UNKNOWN).then_some(Session {
            from: self.source,
            to: self.destination,
        })
    }

    /// The place of this packet in the order of its connection.
    #[must_use]
    pub fn numbered(&self) -> Numbered {
        let system = self.control & control::SYSTEM != 0;
        let kind = match self.stream {
            _ if self.destination == Self::UNKNOWN => NumberedKind::Control,
            // The answer to the opening packet; later ones with the same numbers change
            // nothing, because neither side has sent anything.
            _ if system && self.sequence == 0 && self.acknowledge == 0 => NumberedKind::Open,
            _ if system => NumberedKind::Ready,
            stream::END_ACK | stream::RELEASE_ACK => NumberedKind::Control,
            _ => NumberedKind::Data,
        };
        Numbered {
            kind,
            number: self.sequence,
            connection: self.session(),
            modulus: 65536,
            expects: self.session().map(|_| self.acknowledge),
            poll: system && self.control & control::ACKNOWLEDGE != 0,
            response: false,
        }
    }

    fn step(&self, kind: NumberedKind) -> Option<Step> {
        match self.stream {
            _ if self.destination == Self::UNKNOWN => Some(Step::Asks),
            stream::END | stream::RELEASE => Some(Step::Ends),
            stream::END_ACK | stream::RELEASE_ACK => Some(Step::Agrees),
            _ if kind == NumberedKind::Open => Some(Step::Agrees),
            _ => None,
        }
    }

    fn known_destination(&self) -> u16 {
        self.session().map_or(0, |numbers| numbers.to)
    }

    const fn name(&self) -> &'static str {
        let system = self.control & control::SYSTEM != 0;
        let wanted = self.control & control::ACKNOWLEDGE != 0;
        match self.stream {
            _ if self.destination == Self::UNKNOWN => "OPEN",
            stream::END => "END",
            stream::END_ACK => "END ACK",
            stream::RELEASE => "RELEASE",
            stream::RELEASE_ACK => "RELEASE ACK",
            _ if system && self.control & control::NEGOTIATE != 0 => "NEGOTIATE",
            _ if system && wanted => "WATCHDOG",
            _ if system => "ACK",
            _ => "DATA",
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "spx",
    orders: true,
    title: "Novell Sequenced Packet Exchange, SPX and SPX II",
    aliases: &["NetWare", "Sequenced Packet Exchange", "SPP"],
    does: "connections, the order of packets, acknowledgements and windows, retransmissions, \
           messages by their end",
    lacks: "what programs send over it is not read; of an SPX II acknowledgement that names \
            missing packets only the number expected next is looked at; tried on made captures \
            only",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(ipx::TYPE.key(5))],
    conveys: true,
    carrier: Some("spx"),
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let numbered = h.numbered();
    let (carries, next) = match (numbered.kind, h.stream) {
        (NumberedKind::Data, stream::END | stream::RELEASE) => (Carries::Control, Next::NONE),
        (NumberedKind::Data, _) => {
            let segment = Segment {
                last: h.control & control::END_OF_MESSAGE != 0,
                position: None,
                resync: false,
                correlator: None,
                may_ride: false,
                acknowledges: None,
            };
            (Carries::Segment(segment), sockets(facts))
        }
        _ => (Carries::Control, Next::NONE),
    };
    facts.order = Order::Numbered(numbered);
    facts.session = h.session();
    facts.connection = h
        .step(numbered.kind)
        .map(|step| Connection::new(step, h.source, h.known_destination()));
    facts.carries = carries;
    Ok(Layer::over(input, h.length(), next))
}

fn sockets(facts: &Facts) -> Next {
    match (facts.from.port, facts.to.port) {
        (Some(from), Some(to)) => Next::two(
            SOCKET.key(from.min(to).into()),
            SOCKET.key(from.max(to).into()),
        ),
        _ => Next::NONE,
    }
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    let numbers = [h.sequence, h.acknowledge, h.window()];
    spp::head(out, h.name(), [h.source, h.destination], numbers)?;
    if h.name() == "DATA" {
        let data = input.length.saturating_sub(h.length());
        write!(out, ", stream {:02x}, {data} bytes", h.stream)?;
    }
    for (bit, word) in [
        (control::ACKNOWLEDGE, "ack wanted"),
        (control::ATTENTION, "attention"),
        (control::END_OF_MESSAGE, "end of message"),
        (control::SPX2, "SPX II"),
        (control::EXTENDED, "extended header"),
    ] {
        if h.control & bit != 0 {
            write!(out, ", {word}")?;
        }
    }
    match h.negotiated {
        Some(size) => write!(out, ", largest packet {size}"),
        None => Ok(()),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let header = Header::parse(f.input());
    f.u8("Connection control")?;
    f.hex();
    let system = f.flag(control::SYSTEM.into(), "System packet", "yes", "no");
    f.flag(
        control::ACKNOWLEDGE.into(),
        "Acknowledgement",
        "wanted",
        "not wanted",
    );
    f.flag(control::ATTENTION.into(), "Attention", "yes", "no");
    f.flag(
        control::END_OF_MESSAGE.into(),
        "End of message",
        "yes",
        "no",
    );
    if f.flag(control::SPX2.into(), "SPX II", "yes", "no") {
        f.flag(control::NEGOTIATE.into(), "Negotiate size", "yes", "no");
        f.flag(control::EXTENDED.into(), "Extended header", "yes", "no");
    }
    let stream = f.u8("Datastream type")?;
    f.hex().means(match stream {
        stream::RELEASE => "orderly release",
        stream::RELEASE_ACK => "orderly release acknowledgement",
        stream::END => "end of connection",
        stream::END_ACK => "end of connection acknowledgement",
        _ => "of the program's choosing",
    });
    f.be16("Source connection ID")?;
    f.hex();
    if f.be16("Destination connection ID")? == Header::UNKNOWN {
        f.means("not known yet");
    }
    f.hex();
    f.be16("Sequence number")?;
    if system {
        f.means("of the next packet with data");
    }
    f.be16("Acknowledge number")?;
    f.means("expected next");
    f.be16("Allocation number")?;
    if let Ok(h) = header {
        f.means(format_args!("window of {} packets", h.window()));
        if h.negotiated.is_some() {
            f.be16("Negotiation size")?;
        }
        if h.numbered().kind != NumberedKind::Data || stream >= stream::RELEASE {
            f.rest("Data")?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spp::tests::{SESSION, between, packet};
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> (Layer, Facts, Numbered) {
        between((0x4005, 0x8060), &DISSECTOR, bytes)
    }

    #[test]
    fn data_has_a_number_and_goes_by_its_sockets() {
        let bytes = packet(0x50, 0, b"data");
        let (layer, facts, n) = read(&bytes);
        assert_eq!((layer.header, layer.end), (12, 16));
        assert_eq!((n.kind, n.number), (NumberedKind::Data, 5));
        assert_eq!((n.expects, n.modulus), (Some(9), 65536));
        assert_eq!(n.connection, Some(SESSION));
        assert_eq!(facts.session, Some(SESSION));
        let Carries::Segment(segment) = facts.carries else {
            panic!("{:?}", facts.carries);
        };
        assert!(segment.last && segment.position.is_none());
        let keys = [SOCKET.key(0x4005), SOCKET.key(0x8060)];
        assert!(layer.next.keys().eq(keys));
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "DATA 1001 > 2002, seq 5, expects 9, window 4, stream 00, 4 bytes, ack wanted, \
             end of message"
        );
        let (_, facts, _) = read(&packet(0x40, 0, b"data"));
        assert!(matches!(facts.carries, Carries::Segment(s) if !s.last));
    }

    #[test]
    fn system_packets_have_no_number_of_their_own() {
        for (control, poll, name) in [(0x80, false, "ACK"), (0xc0, true, "WATCHDOG")] {
            let bytes = packet(control, 0, &[]);
            let (layer, facts, n) = read(&bytes);
            assert_eq!((n.kind, n.expects), (NumberedKind::Ready, Some(9)));
            assert_eq!(n.poll, poll);
            assert_eq!(facts.carries, Carries::Control);
            assert!(layer.next.is_none());
            assert!(line(&DISSECTOR, &bytes).starts_with(name));
        }
    }

    #[test]
    fn an_opening_packet_belongs_to_no_connection_yet_and_its_answer_opens_one() {
        let mut bytes = packet(0xc0, 0, &[]);
        bytes[4..10].copy_from_slice(&[0xff, 0xff, 0, 0, 0, 0]);
        let (_, facts, n) = read(&bytes);
        assert_eq!((n.kind, n.expects), (NumberedKind::Control, None));
        assert_eq!((n.connection, facts.session), (None, None));
        assert!(line(&DISSECTOR, &bytes).starts_with("OPEN 1001 > ffff, seq 0"));
        let mut bytes = packet(0x80, 0, &[]);
        bytes[6..10].copy_from_slice(&[0; 4]);
        let (_, _, n) = read(&bytes);
        assert_eq!((n.kind, n.number), (NumberedKind::Open, 0));
        assert_eq!((n.expects, n.connection), (Some(0), Some(SESSION)));
    }

    #[test]
    fn the_end_takes_a_number_and_its_acknowledgement_none() {
        let (layer, facts, n) = read(&packet(0x40, 0xfe, &[]));
        assert_eq!(
            (n.kind, facts.carries),
            (NumberedKind::Data, Carries::Control)
        );
        assert!(layer.next.is_none());
        let (_, facts, n) = read(&packet(0x00, 0xff, &[]));
        assert_eq!(
            (n.kind, facts.carries),
            (NumberedKind::Control, Carries::Control)
        );
    }

    #[test]
    fn all_of_spx_2_but_the_opening_packet_has_the_longer_header() {
        let bytes = packet(0x58, 0, &[0x05, 0xb4, 1, 2]);
        assert_eq!(read(&bytes).0.header, 14);
        assert!(
            line(&DISSECTOR, &bytes)
                .ends_with("2 bytes, ack wanted, end of message, SPX II, largest packet 1460")
        );
        assert_eq!(read(&packet(0x88, 0, &[0x05, 0xb4])).0.header, 14);
        assert_eq!(read(&packet(0x88, 0, &[])).0.header, 12, "nothing follows");
        short_when_cut(&DISSECTOR, &bytes[..14]);
        let mut opening = packet(0xcc, 0, &[]);
        opening[4..6].copy_from_slice(&[0xff, 0xff]);
        assert_eq!(read(&opening).0.header, 12);
    }

    #[test]
    fn every_strict_prefix_of_a_header_is_short() {
        short_when_cut(&DISSECTOR, &packet(0x50, 0, &[]));
    }

    #[test]
    fn fields_of_a_packet_of_spx_2() {
        let bytes = packet(0x5c, 0xfe, &[0x05, 0xb4]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let meaning = |name: &str| {
            let field = fields.iter().find(|f| f.name == name).unwrap();
            field.meaning.as_str()
        };
        assert_eq!(meaning("System packet"), "no");
        assert_eq!(meaning("Negotiate size"), "yes");
        assert_eq!(meaning("Datastream type"), "end of connection");
        assert_eq!(meaning("Allocation number"), "window of 4 packets");
        assert_eq!(testing::number(&fields, "Negotiation size"), Some(1460));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 16]) {
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            let number = |name| testing::number(&fields, name);
            prop_assert_eq!(number("Connection control"), Some(h.control.into()));
            prop_assert_eq!(number("Datastream type"), Some(h.stream.into()));
            prop_assert_eq!(number("Source connection ID"), Some(h.source.into()));
            prop_assert_eq!(number("Destination connection ID"), Some(h.destination.into()));
            prop_assert_eq!(number("Sequence number"), Some(h.sequence.into()));
            prop_assert_eq!(number("Acknowledge number"), Some(h.acknowledge.into()));
            prop_assert_eq!(number("Allocation number"), Some(h.allocation.into()));
            prop_assert_eq!(number("Negotiation size"), h.negotiated.map(u64::from));
        }
    }
}
