//! What the layers of one frame mean, in words that no protocol owns.

use crate::word::Name;
use crate::{Address, Endpoint, Id, Side};
use std::num::NonZeroU32;

/// Whom a frame is for, by its link-layer destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cast {
    /// One station.
    #[default]
    Unicast,
    /// A group.
    Multicast,
    /// Everyone.
    Broadcast,
}

/// What a segment says of how the receive windows of its sender are to be read (RFC 7323).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// Nothing: only segments that open the stream do, where all of their header was captured.
    #[default]
    Unsaid,
    /// As they stand.
    Never,
    /// Shifted left by this many bits, if the other side announces scaling, too.
    By(u8),
}

/// The time stamps that a segment carries (RFC 7323, section 3.2).
// A segment has no room between its fields for what 8 bytes are aligned to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(Rust, packed(4))]
pub struct SegmentStamps(u64);

impl SegmentStamps {
    /// TSval and TSecr as they stand in the option, one behind the other.
    #[must_use]
    pub const fn of(both: u64) -> Self {
        Self(both)
    }

    /// The sender's (TSval), which counts on as it sends; none where that is 0.
    #[must_use]
    pub const fn stamp(self) -> Option<NonZeroU32> {
        NonZeroU32::new((self.0 >> 32) as u32)
    }

    /// The other side's latest that the sender had (TSecr); none where that is 0.
    #[must_use]
    pub const fn echo(self) -> Option<NonZeroU32> {
        NonZeroU32::new(self.0 as u32)
    }
}

/// A segment of a byte stream (TCP).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    /// Sequence number of the first payload byte (of the SYN, if there is one).
    pub seq: u32,
    /// The next byte expected from the other side, if the segment says so.
    pub ack: Option<u32>,
    /// Receive window as written, unscaled.
    pub window: u16,
    /// How its sender's windows are to be read.
    pub scaling: Scaling,
    /// How far before `ack` bytes of the other side begin that its sender says arrived twice (D-SACK,
    /// RFC 2883); modulo 2^32, as they may be behind it.
    pub twice: Option<NonZeroU32>,
    /// The time stamps of both sides (RFC 7323).
    pub stamps: SegmentStamps,
    /// Opens the stream; takes one sequence number.
    pub syn: bool,
    /// Ends this direction; takes one sequence number.
    pub fin: bool,
    /// Ends the connection at once.
    pub rst: bool,
}

/// What a frame of a numbered link does (LLC type 2, SPX, NBIPX).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberedKind {
    /// Carries data under its number.
    Data,
    /// Carries none and says what is expected next: an acknowledgement, a poll or its answer.
    Ready,
    /// As `Ready`, and asks the other side to stop sending.
    Busy,
    /// Asks for everything from the expected number on again.
    Reject,
    /// Opens the link: the sender's numbers begin at the frame's own, the receiver's at what
    /// it expects; at 0 where it says nothing.
    Open,
    /// Asks for the link under the sender's number in `connection`. The receiver has none for
    /// it yet, and may answer from another port.
    Call,
    /// Closes or confirms; carries no number.
    Control,
}

/// A frame of a link whose data frames carry numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// What it does.
    pub kind: NumberedKind,
    /// Number of this data frame, or of the sender's first one to come where the frame
    /// opens the link; for other kinds see [`Numbered::claims`].
    pub number: u16,
    /// Which of the connections between the two ends the numbers belong to, where each
    /// counts for itself (SPX, NBIPX). `None` where there is one link between the ends, and
    /// sessions share its numbers (LLC type 2).
    pub connection: Option<Session>,
    /// How many numbers there are before they start again (128 for LLC type 2), at least 2.
    pub modulus: u32,
    /// The number expected next from the other side, if the frame says so.
    pub expects: Option<u16>,
    /// The poll bit of a command or the final bit of a response.
    pub poll: bool,
    /// A response (answers a poll) rather than a command.
    pub response: bool,
}

impl Numbered {
    /// The number of its sender's next data frame, where one without data says that: packets with numbers of 16 bits
    /// have it in every one (SPX, NBIPX, SPP), those of LLC and of NSP in none.
    #[must_use]
    pub const fn claims(&self) -> Option<u16> {
        let without_data = matches!(
            self.kind,
            NumberedKind::Ready | NumberedKind::Busy | NumberedKind::Reject
        );
        if without_data && self.connection.is_some() && self.modulus == 1 << 16 {
            Some(self.number)
        } else {
            None
        }
    }
}

/// How the data of a conversation is put in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Not at all: each frame stands for itself.
    #[default]
    None,
    /// By byte positions.
    Stream(Stream),
    /// By frame numbers.
    Numbered(Numbered),
}

/// One of several conversations that share an ordered link (an NBF session on LLC).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// The number by which the sender of this frame knows it.
    pub from: u16,
    /// The number by which the receiver knows it.
    pub to: u16,
}

/// A step in the life of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Asks for it.
    Asks,
    /// Agrees to what was asked for last: the connection, or its end.
    Agrees,
    /// There is none, or there will be none.
    Refuses,
    /// Ends it in good order.
    Ends,
    /// Ends it at once: something went wrong.
    Aborts,
}

/// What a frame does to the connection that it belongs to, of the innermost layer that keeps
/// one. Byte streams say it in [`Stream`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// What it does.
    pub step: Step,
    /// By which numbers the sender and the receiver know it; 0 where they have none, or none
    /// yet.
    pub numbers: Session,
}

/// A piece of a message whose boundaries the carrier marks (NBF, SPX, NBIPX).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Ends the message.
    pub last: bool,
    /// Where in the message its first byte belongs, if the carrier says so. A segment that
    /// goes on where the one before it ended is new even under the same number: some
    /// carriers number messages, not frames.
    pub position: Option<u32>,
    /// Begins again after the receiver asked for it: what was gathered is cut back.
    pub resync: bool,
    /// By this number the receiver may acknowledge it above the link.
    pub correlator: Option<u16>,
    /// The receiver may let that acknowledgement wait for data of its own to ride on.
    pub may_ride: bool,
    /// Acknowledges the message with this number while carrying data itself.
    pub acknowledges: Option<u16>,
}

/// A frame of a conversation whose ends take turns: the client asks, and asks for nothing else
/// before it is answered. Nothing is acknowledged, and who is not answered asks again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Bytes of the message that begins in this frame; where they are more than the frame has
    /// it goes on in its sender's next ones. `None` where no message is seen to begin: the
    /// frame goes on with what its sender was saying, or is a message of which nothing is known.
    pub begins: Option<u32>,
    /// Who waits so long for an answer asks again, in nanoseconds.
    pub patience_ns: i64,
}

/// What a header says of a message whose ends take turns, by a [layout](crate::Layout) of its
/// fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// What the message is.
    pub kind: PlacedKind,
    /// Which request it is or answers. Responses bring it back.
    pub id: Option<Id>,
    /// A request that is repeated keeps its `id`. Without this it may get another one, which the
    /// response brings back.
    pub lasting: bool,
}

/// What a message is, by its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlacedKind {
    /// The header does not say.
    #[default]
    Unknown,
    /// A request.
    Request,
    /// A response.
    Response,
    /// Neither.
    Neither,
}

/// A station says that it is there, and when it will say so again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// What is announced; a station may announce several things, each in its own time.
    pub what: Name,
    /// After how many milliseconds it is announced again; 0 where it says that it leaves.
    pub again_ms: u32,
}

/// A question that the transport of a station answers by itself and at once, or the answer
/// (ICMP echo, ARP, the NetWare watchdog).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// It is the answer.
    pub answers: bool,
    /// Answers bring it back.
    pub number: u32,
    /// Who is asked, or answers, where that is another address than the frame's own.
    pub of: Option<Address>,
}

/// What the innermost layer that was walked hands on to the analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carries {
    /// Nothing that is analysed further.
    #[default]
    Nothing,
    /// Bytes of a stream, to be ordered and then cut into messages.
    Stream,
    /// A piece of a message.
    Segment(Segment),
    /// Acknowledges, above the link, the message with this number; carries no data.
    Ack(Option<u16>),
    /// Bytes that the receiver kept of those sent since its last such message; the rest will
    /// be retransmitted (NBF RECEIVE_OUTSTANDING). Carries no data.
    Accepted(u32),
    /// As `Accepted`, and the receiver has no room for more until it says so (NBF NO_RECEIVE).
    Overrun(u32),
    /// Session upkeep that is neither data nor acknowledgement.
    Control,
    /// Something said in turn.
    Turn(Turn),
    /// A part of a packet of a network layer that is not its first: no header is in it, and nobody puts it
    /// together with the others.
    Fragment,
    /// A question that a transport answers by itself, or the answer; nothing else.
    Probe(Probe),
    /// A message of a protocol of requests and responses. A layer that conveys others sets
    /// it when the frame is a message of its own (an NBF name query).
    Message,
}

impl Connection {
    /// A step of the connection that its ends know by these numbers.
    #[must_use]
    pub const fn new(step: Step, from: u16, to: u16) -> Self {
        Self {
            step,
            numbers: Session { from, to },
        }
    }
}

/// What one frame means. Each layer adds to it, the inner ones last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The sender, as the innermost addressing layer knows it.
    pub from: Endpoint,
    /// The receiver, likewise.
    pub to: Endpoint,
    /// Which side sent it, as far as the addresses tell (XNS: a well-known socket serves).
    pub sender: Side,
    /// Whom the link layer sent it to.
    pub cast: Cast,
    /// Routers passed, where the network layer counts them up (IPX transport control).
    pub hops: Option<u8>,
    /// An identification that a sender changes with each packet, a retransmission
    /// included (IPv4 identification when not 0). Two frames with the same one and the
    /// same content are one packet captured twice.
    pub packet_id: Option<u16>,
    /// What its sender calls the flow that it belongs to (IPv6, RFC 6437); 0 where it has no name.
    pub flow_label: u32,
    /// How the conversation is ordered.
    pub order: Order,
    /// Which session on an ordered link.
    pub session: Option<Session>,
    /// What it does to its connection, if that changes.
    pub connection: Option<Connection>,
    /// What is handed on.
    pub carries: Carries,
    /// What the sender announces, where the frame is nothing but that.
    pub presence: Option<Presence>,
}
