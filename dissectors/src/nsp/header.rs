//! What stands in front of a message's data.

use crate::parse::{header, le16, malformed};
use wirewait_wire::{Fault, Input, Numbered, NumberedKind, Session, Step};

/// What a message is, by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// A piece of data.
    Data {
        /// Begins a message.
        first: bool,
        /// Ends it.
        last: bool,
    },
    /// Data that overtakes.
    Interrupt,
    /// Flow control.
    LinkService,
    /// Acknowledges data.
    DataAck,
    /// Acknowledges interrupts and flow control.
    OtherAck,
    /// The request for a link has arrived.
    ConnectAck,
    /// Asks for a link; `again` when it says that it asked before.
    ConnectInitiate {
        /// It was sent before.
        again: bool,
    },
    /// Grants a link.
    ConnectConfirm,
    /// Ends a link, or refuses it.
    DisconnectInitiate,
    /// So it is.
    DisconnectConfirm,
    /// Nothing.
    NoOperation,
}

impl Message {
    pub(super) const fn read(flags: u8) -> Option<Self> {
        Some(match flags {
            0x00 | 0x20 | 0x40 | 0x60 => Self::Data {
                first: flags & 0x20 != 0,
                last: flags & 0x40 != 0,
            },
            0x30 => Self::Interrupt,
            0x10 => Self::LinkService,
            0x04 => Self::DataAck,
            0x14 => Self::OtherAck,
            0x24 => Self::ConnectAck,
            0x18 => Self::ConnectInitiate { again: false },
            0x68 => Self::ConnectInitiate { again: true },
            0x28 => Self::ConnectConfirm,
            0x38 => Self::DisconnectInitiate,
            0x48 => Self::DisconnectConfirm,
            0x08 => Self::NoOperation,
            _ => return None,
        })
    }

    /// The specification's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data { .. } => "Data segment",
            Self::Interrupt => "Interrupt",
            Self::LinkService => "Link service",
            Self::DataAck => "Data acknowledgment",
            Self::OtherAck => "Other-data acknowledgment",
            Self::ConnectAck => "Connect acknowledgment",
            Self::ConnectInitiate { again: false } => "Connect initiate",
            Self::ConnectInitiate { again: true } => "Retransmitted connect initiate",
            Self::ConnectConfirm => "Connect confirm",
            Self::DisconnectInitiate => "Disconnect initiate",
            Self::DisconnectConfirm => "Disconnect confirm",
            Self::NoOperation => "No operation",
        }
    }

    /// Acknowledgements may stand behind its link numbers.
    pub(super) const fn acknowledges(self) -> bool {
        matches!(
            self,
            Self::Data { .. }
                | Self::Interrupt
                | Self::LinkService
                | Self::DataAck
                | Self::OtherAck
        )
    }

    /// A segment number stands behind those.
    pub(super) const fn numbers(self) -> bool {
        matches!(
            self,
            Self::Data { .. } | Self::Interrupt | Self::LinkService
        )
    }

    /// It belongs to the subchannel of data.
    pub(super) const fn is_data(self) -> bool {
        matches!(self, Self::Data { .. } | Self::DataAck)
    }
}

/// An acknowledgement: the number of the last segment that arrived, or of the last one before
/// the one that is wanted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The number.
    pub number: u16,
    /// The segment behind it is wanted again.
    pub negative: bool,
    /// It is about the other subchannel than its message.
    pub cross: bool,
}

impl Ack {
    pub(super) const fn read(word: u16) -> Option<Self> {
        if word & 0x8000 == 0 {
            return None;
        }
        let qualifier = word >> 12 & 7;
        Some(Self {
            number: word & NUMBER,
            negative: qualifier & 1 != 0,
            cross: qualifier & 2 != 0,
        })
    }
}

/// Segment numbers have 12 bits.
pub(super) const NUMBER: u16 = 0x0fff;
pub(super) const MODULUS: u32 = 4096;
/// Beside a segment's number.
pub(super) const DELAY: u16 = 0x1000;

/// What stands in front of a message's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What it is.
    pub kind: Message,
    /// The receiver's number for the link; 0 where it has none yet.
    pub destination: u16,
    /// The sender's; 0 in a connect acknowledgement, which does not say it.
    pub source: u16,
    /// What it acknowledges.
    pub acks: [Option<Ack>; 2],
    /// Number of the segment.
    pub segment: Option<u16>,
    /// The receiver may take its time to acknowledge.
    pub delay: bool,
    /// Why a link ends or is refused.
    pub reason: u16,
    /// Bytes up to the data.
    pub length: u32,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for a message that there is not.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let &[flags] = header(input)?;
        let kind = Message::read(flags).ok_or(malformed(0, "no such message"))?;
        let mut words = Words { input, at: 1 };
        let mut h = Self {
            kind,
            destination: 0,
            source: 0,
            acks: [None; 2],
            segment: None,
            delay: false,
            reason: 0,
            length: 1,
        };
        if kind == Message::NoOperation {
            return Ok(h);
        }
        h.destination = words.take()?;
        if kind != Message::ConnectAck {
            h.source = words.take()?;
        }
        if kind.acknowledges() {
            for ack in &mut h.acks {
                *ack = words.ack()?;
            }
        }
        if kind.numbers() {
            let word = words.take()?;
            h.segment = Some(word & NUMBER);
            h.delay = word & DELAY != 0;
        }
        if matches!(
            kind,
            Message::DisconnectInitiate | Message::DisconnectConfirm
        ) {
            h.reason = words.take()?;
        }
        h.length = words.at;
        Ok(h)
    }

    /// The link, by both its numbers.
    #[must_use]
    pub const fn link(&self) -> Session {
        Session {
            from: self.source,
            to: self.destination,
        }
    }

    /// The link as long as only the side that asks for it has a number: its own.
    pub(super) const fn asked_by(&self) -> Session {
        match self.kind {
            Message::ConnectInitiate { .. } => Session {
                from: self.source,
                to: 0,
            },
            _ => Session {
                from: 0,
                to: self.destination,
            },
        }
    }

    /// What it acknowledges in the subchannel of data.
    fn data_ack(&self) -> Option<Ack> {
        let other = !self.kind.is_data();
        let mut acks = self.acks.iter().flatten();
        acks.find(|ack| ack.cross == other).copied()
    }

    pub(super) const fn step(&self) -> Option<Step> {
        match self.kind {
            Message::ConnectInitiate { .. } => Some(Step::Asks),
            Message::ConnectConfirm => Some(Step::Agrees),
            // It ends a link that runs, and refuses one that was asked for.
            Message::DisconnectInitiate => Some(Step::Ends),
            Message::DisconnectConfirm => Some(Step::Agrees),
            _ => None,
        }
    }

    /// Its place in the order of the link's data; `None` where it has nothing to do with it.
    #[must_use]
    pub fn numbered(&self) -> Option<Numbered> {
        let ack = self.data_ack();
        let kind = match self.kind {
            Message::Data { .. } => NumberedKind::Data,
            Message::DataAck | Message::OtherAck if ack.is_some_and(|ack| ack.negative) => {
                NumberedKind::Reject
            }
            Message::DataAck | Message::OtherAck => NumberedKind::Ready,
            Message::ConnectConfirm => NumberedKind::Open,
            Message::Interrupt
            | Message::LinkService
            | Message::DisconnectInitiate
            | Message::DisconnectConfirm => NumberedKind::Control,
            Message::ConnectInitiate { .. } | Message::ConnectAck | Message::NoOperation => {
                return None;
            }
        };
        let opens = kind == NumberedKind::Open;
        Some(Numbered {
            kind,
            // Both sides count from 1.
            number: if opens { 1 } else { self.segment.unwrap_or(0) },
            connection: Some(self.link()),
            modulus: MODULUS,
            expects: match ack {
                Some(ack) => Some((ack.number + 1) & NUMBER),
                None => opens.then_some(1),
            },
            poll: false,
            response: false,
        })
    }
}

/// Reads one word after the other.
struct Words<'a> {
    input: Input<'a>,
    at: u32,
}

impl Words<'_> {
    fn peek(&self) -> Option<u16> {
        le16(self.input.bytes, self.at as usize)
    }

    fn take(&mut self) -> Result<u16, Fault> {
        let word = self.peek().ok_or(Fault::Short { offset: self.at })?;
        self.at += 2;
        Ok(word)
    }

    /// An acknowledgement, if one stands here: they are told from what follows by their top
    /// bit, and in messages that have nothing else by the end.
    fn ack(&mut self) -> Result<Option<Ack>, Fault> {
        if self.at.saturating_add(2) > self.input.length {
            return Ok(None);
        }
        let word = self.peek().ok_or(Fault::Short { offset: self.at })?;
        let ack = Ack::read(word);
        if ack.is_some() {
            self.at += 2;
        }
        Ok(ack)
    }
}
