//! NetBIOS over IPX (NBIPX), of Novell and of Microsoft's NWLink. No specification was
//! published; the layouts are those of captures of both. Session fields are little-endian.

use crate::ipx;
use crate::nbt::{self, Name};
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Input, Layer, Next, Verified};

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
    /// 0x10 end of message, 0x08 send again.
    pub control: u8,
    /// Data stream type: 6 data, 7 end, 8 acknowledges the end.
    pub kind: u8,
    /// The sender's number for the connection.
    pub source: u16,
    /// The receiver's number; 0xffff while it is not known.
    pub destination: u16,
    /// Number of this packet.
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

impl Packet {
    /// Reads a packet up to its data.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when a session packet says that it carries
    /// more than it does.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let &[control, kind] = header(input)?;
        // Name packets begin with eight network numbers, the others do not, and only the
        // length tells; a session packet may have that length too, but says so itself.
        if input.length == NAME_LENGTH {
            let h: &[u8; NAME_LENGTH as usize] = header(input)?;
            let session = matches!(kind, SESSION_DATA..=SESSION_END_ACK)
                && u32::from(u16::from_le_bytes([h[12], h[13]])) + SESSION_LENGTH == NAME_LENGTH;
            if matches!(h[33], FIND_NAME..=DEREGISTER) && !session {
                return Ok(Self::Name {
                    kind: h[33],
                    flags: h[32],
                    name: Name::plain(h, 34).ok_or(Fault::Short { offset: 34 })?,
                });
            }
        }
        Ok(match kind {
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

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbipx",
    title: "NetBIOS over IPX (Novell, and Microsoft NWLink)",
    does: "name packets and session packets by their headers, datagrams down to the mailslot \
           message in them",
    lacks: "the order of session packets is not followed, so what a session carries is not \
            analysed; no specification is public",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x0455))],
    conveys: true,
    carrier: None,
    dissect,
    framing: None,
    resync: None,
    exchange: None,
    answer: None,
    describe,
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let (header, end, next) = match Packet::parse(input)? {
        Packet::Name { .. } => (NAME_LENGTH, input.length, Next::NONE),
        Packet::Session(s) => (
            SESSION_LENGTH,
            SESSION_LENGTH + u32::from(s.length),
            Next::NONE,
        ),
        Packet::Datagram { .. } => {
            let next = Next::one(nbt::DATAGRAM.any());
            (DATAGRAM_LENGTH, input.length, next)
        }
        Packet::Other(_) => (2, input.length, Next::NONE),
    };
    Ok(Layer { header, end, next })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Packet::parse(input) {
        Ok(Packet::Name { kind, flags, name }) => {
            out.write_str(match kind {
                FIND_NAME => "FIND NAME",
                NAME_RECOGNIZED => "NAME RECOGNIZED",
                CHECK_NAME => "CHECK NAME",
                NAME_IN_USE => "NAME IN USE",
                _ => "DEREGISTER NAME",
            })?;
            write!(out, " {name}")?;
            out.write_str(if flags & 0x80 == 0 { "" } else { ", group" })
        }
        Ok(Packet::Session(s)) => describe_session(&s, out),
        Ok(Packet::Datagram { from, to }) => write!(
            out,
            "DATAGRAM from {from} to {to}, {} bytes",
            input.length.saturating_sub(DATAGRAM_LENGTH)
        ),
        Ok(Packet::Other(STATUS_QUERY)) => out.write_str("STATUS QUERY"),
        Ok(Packet::Other(STATUS_RESPONSE)) => out.write_str("STATUS RESPONSE"),
        Ok(Packet::Other(kind)) => write!(out, "data stream type {kind}"),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => write!(out, "malformed: {what}"),
    }
}

fn describe_session(s: &Session, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(match s.kind {
        SESSION_END => "SESSION END",
        SESSION_END_ACK => "SESSION END ACK",
        _ if s.destination == 0xffff => "SESSION INITIALIZE",
        _ if s.control & 0x80 != 0 && s.length == 0 => "SESSION ACK",
        _ => "SESSION DATA",
    })?;
    write!(
        out,
        " {:04x} > {:04x}, seq {}, expects {}",
        s.source, s.destination, s.sequence, s.expects
    )?;
    if s.length != 0 {
        let end = u32::from(s.offset) + u32::from(s.length);
        write!(out, ", bytes {}-{end} of {}", s.offset, s.total)?;
    }
    for (bit, word) in [
        (0x40, "ack wanted"),
        (0x20, "attention"),
        (0x10, "end of message"),
        (0x08, "send again"),
    ] {
        if s.control & bit != 0 {
            write!(out, ", {word}")?;
        }
    }
    Ok(())
}

const NAME_LENGTH: u32 = 50;
const SESSION_LENGTH: u32 = 18;
const DATAGRAM_LENGTH: u32 = 34;

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
        let mut line = String::new();
        describe(Input::whole(bytes), &mut line).unwrap();
        line
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

    proptest! {
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
            text(&bytes);
        }
    }
}
