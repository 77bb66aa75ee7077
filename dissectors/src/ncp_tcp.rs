//! NCP over TCP: the header before each NCP packet in a TCP stream.
//!
//! Not in Novell's public documentation; as free clients and servers write it. Big-endian.
//! A request begins with "DmdT" and has 16 bytes of header, a reply with "tNcP" and has 8.
//! When packets are signed, 8 bytes of signature follow before the NCP packet.

use crate::parse::{be32, header, malformed};
use crate::{ncp, tcp};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Framing, Input, Layer, Next, Table, Verified,
};

/// What is inside the framing: NCP packets.
pub const MESSAGE: Table = Table::new("ncp.tcp.message");

/// The header before an NCP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Which of the two it is.
    pub direction: Direction,
    /// Bytes of header, signature and NCP packet together.
    pub length: u32,
}

/// Which way a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the server.
    Request,
    /// To the client.
    Reply,
}

impl Header {
    /// Longer is not believed, and taken for a stream that has lost its place. Nearly all
    /// functions have 16-bit counts, so real packets stay below 64 KB and some header.
    pub const MAX: u32 = 0x0020_0000;
    /// Bytes of a signature.
    pub const SIGNATURE: u32 = 8;
    /// The bits of the length field that are the length. The top one says that a signature
    /// is there; the next three are reserved.
    const LENGTH: u32 = 0x0fff_ffff;

    /// Reads the part that both headers share.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the mark is wrong or the length is
    /// less than the header's or more than [`Header::MAX`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let direction = match header::<4>(input)? {
            b"DmdT" => Direction::Request,
            b"tNcP" => Direction::Reply,
            _ => return Err(malformed(0, "neither DmdT nor tNcP")),
        };
        let h: &[u8; 8] = header(input)?;
        let length = u32::from_be_bytes([h[4], h[5], h[6], h[7]]) & Self::LENGTH;
        if !(direction.header()..=Self::MAX).contains(&length) {
            return Err(malformed(4, "length"));
        }
        Ok(Self { direction, length })
    }

    /// Bytes before the NCP packet, or how many bytes are needed to tell.
    ///
    /// Whether there is a signature is not read from the header: implementations differ
    /// in when they set its bit. It is there when no packet type of NCP's stands where the
    /// packet would begin without it, but one does 8 bytes on.
    fn before_packet(&self, bytes: &[u8]) -> Result<u32, u32> {
        let plain = self.direction.header();
        let signed = plain + Self::SIGNATURE;
        if self.length < signed + 2 {
            return Ok(plain);
        }
        match ncp::begins(bytes.get(plain as usize..).unwrap_or_default()) {
            None => Err(plain + 2),
            Some(true) => Ok(plain),
            Some(false) => match ncp::begins(bytes.get(signed as usize..).unwrap_or_default()) {
                None => Err(signed + 2),
                Some(true) => Ok(signed),
                Some(false) => Ok(plain),
            },
        }
    }
}

impl Direction {
    /// Bytes of its header without a signature.
    #[must_use]
    pub const fn header(self) -> u32 {
        match self {
            // Version and size of the client's reply buffer follow.
            Self::Request => 16,
            Self::Reply => 8,
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ncp_tcp",
    title: "NCP over TCP (DmdT and tNcP), no public specification",
    aliases: &["NetWare over TCP/IP", "NCP over TCP"],
    does: "cuts the stream into NCP packets, skips packet signatures; streams on any port that \
           no other protocol claims, once a segment begins with a packet",
    lacks: "signatures are not checked",
    verified: &[Verified::RealCaptures, Verified::Tshark],
    claims: &[
        Claim::Exact(tcp::PORT.key(524)),
        Claim::Probe(tcp::PORT, begins),
    ],
    conveys: true,
    dissect,
    framing: Some(framing),
    resync: Some(resync),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    match h.before_packet(input.bytes) {
        Ok(header) => Ok(Layer {
            header,
            end: h.length,
            next: Next::one(MESSAGE.any()),
        }),
        Err(_) => Err(Fault::Short {
            offset: u32::try_from(input.bytes.len()).unwrap_or(u32::MAX),
        }),
    }
}

/// Whether a segment on a port that nobody claims begins with an NCP packet in its framing.
fn begins(bytes: &[u8]) -> bool {
    let Ok(h) = Header::parse(Input::whole(bytes)) else {
        return false;
    };
    let packet = h.before_packet(bytes).unwrap_or(u32::MAX) as usize;
    let version = h.direction == Direction::Reply || be32(bytes, 8) == Some(1);
    version && ncp::begins(bytes.get(packet..).unwrap_or_default()) == Some(true)
}

fn framing(bytes: &[u8]) -> Framing {
    match Header::parse(Input::whole(bytes)) {
        Ok(h) => match h.before_packet(bytes) {
            Ok(header) => Framing::Message {
                header,
                length: h.length.saturating_sub(header),
                next: Next::one(MESSAGE.any()),
            },
            Err(needed) => Framing::Need(needed),
        },
        Err(Fault::Short { .. }) => Framing::Need(if bytes.len() < 4 { 4 } else { 8 }),
        Err(Fault::Malformed { .. }) => Framing::Lost,
    }
}

/// The two marks are as good as unique; the length, and the version of a request, must be
/// possible as far as they are there.
fn resync(bytes: &[u8]) -> Option<usize> {
    (0..bytes.len()).find(|&at| {
        let rest = &bytes[at..];
        match Header::parse(Input::whole(rest)) {
            Ok(h) => h.direction == Direction::Reply || matches!(be32(rest, 8), Some(1) | None),
            Err(Fault::Short { .. }) => rest.len() >= 4,
            Err(Fault::Malformed { .. }) => false,
        }
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off or no NCP");
    };
    match h.direction {
        Direction::Request => write!(out, "request, length {}", h.length)?,
        Direction::Reply => write!(out, "reply, length {}", h.length)?,
    }
    match h.before_packet(input.bytes) {
        Ok(before) if before > h.direction.header() => out.write_str(", signed"),
        _ => Ok(()),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let input = f.input();
    let mark = f.bytes(4, "Signature")?;
    let direction = match mark {
        b"DmdT" => Direction::Request,
        b"tNcP" => Direction::Reply,
        _ => {
            f.means("neither DmdT nor tNcP");
            return Some(());
        }
    };
    f.shown(mark.escape_ascii()).means(match direction {
        Direction::Request => "request",
        Direction::Reply => "reply",
    });
    f.be32("Length")?;
    f.hex();
    f.flag(0x8000_0000, "Packet signature", "there", "none");
    f.bits(0x7000_0000, "Reserved");
    f.bits(Header::LENGTH.into(), "Length of header and packet");
    if direction == Direction::Request {
        f.be32("Version")?;
        f.be32("Reply buffer size")?;
    }
    // Nothing says where the packet begins when the length cannot be.
    let before = Header::parse(input)
        .ok()
        .and_then(|header| header.before_packet(input.bytes).ok())?;
    f.until(before, "Packet signature")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    /// A request of 20 bytes: length 36, version 1, room for 272 bytes of reply.
    fn request() -> Vec<u8> {
        let mut bytes = b"DmdT\0\0\0\x24\0\0\0\x01\0\0\x01\x10".to_vec();
        bytes.extend([
            0x22, 0x22, 17, 3, 2, 0, 72, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0x10, 0, 4, 0,
        ]);
        bytes
    }

    /// A reply without data.
    const REPLY: [u8; 16] = *b"tNcP\0\0\0\x10\x33\x33\x11\x03\x02\0\0\0";

    fn signed(bytes: &[u8], at: usize) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        bytes.splice(at..at, *b"\xa5signed!");
        bytes[4] = 0x80;
        bytes[7] += 8;
        bytes
    }

    #[test]
    fn a_packet_at_the_beginning_of_a_segment_gives_a_stream_away() {
        let signed_request = signed(&request(), 16);
        for (packet, header) in [
            (request(), 16),
            (signed_request, 24),
            (REPLY.to_vec(), 8),
            (signed(&REPLY, 8), 16),
        ] {
            assert!(begins(&packet), "{packet:x?}");
            for n in 0..packet.len() {
                assert_eq!(begins(&packet[..n]), n >= header + 2, "{n} of {packet:x?}");
            }
            assert!(!begins(&packet[1..]));
        }
        let mut version = request();
        version[11] = 2;
        assert!(!begins(&version));
        let mut other = REPLY;
        other[8] = 0x34;
        assert!(!begins(&other), "no type of packet");
    }

    fn message(bytes: &[u8]) -> (u32, u32) {
        match framing(bytes) {
            Framing::Message {
                header,
                length,
                next,
            } => {
                assert_eq!(next.keys().collect::<Vec<_>>(), [MESSAGE.any()]);
                (header, length)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn frames_requests_and_replies() {
        assert_eq!(message(&request()), (16, 20));
        assert_eq!(message(&REPLY), (8, 8));
        let mut two = request();
        two.extend(request());
        assert_eq!(message(&two), (16, 20), "only the first");
    }

    #[test]
    fn a_signature_is_part_of_the_header() {
        assert_eq!(message(&signed(&request(), 16)), (24, 20));
        assert_eq!(message(&signed(&REPLY, 8)), (16, 8));
        let mut unmarked = signed(&REPLY, 8);
        unmarked[4] = 0;
        assert_eq!(
            message(&unmarked),
            (16, 8),
            "the bit in the length is not believed"
        );
        let mut marked = request();
        marked[4] = 0x80;
        assert_eq!(message(&marked), (16, 20));
    }

    #[test]
    fn every_strict_prefix_of_what_is_needed_asks_for_more() {
        for (bytes, needed) in [
            (request(), 18),
            // Too short for a signature, so there is nothing to look for.
            (REPLY.to_vec(), 8),
            (signed(&request(), 16), 26),
            (signed(&REPLY, 8), 18),
        ] {
            for n in 0..needed {
                match framing(&bytes[..n]) {
                    Framing::Need(more) => {
                        assert!(
                            more as usize > n && more as usize <= needed,
                            "{more} at {n}"
                        );
                    }
                    other => panic!("{other:?} at {n}"),
                }
                assert!(matches!(
                    dissect(Input::whole(&bytes[..n]), &mut Facts::default()),
                    Err(Fault::Short { .. })
                ));
            }
            message(&bytes[..needed]);
        }
    }

    #[test]
    fn what_is_no_message_is_lost() {
        let mut short = request();
        short[7] = 15;
        let mut long = request();
        long[5] = 0x40;
        for bytes in [short.as_slice(), &long, b"GET / HTTP/1.0\r\n\r\n"] {
            assert!(matches!(framing(bytes), Framing::Lost));
        }
        let mut empty = REPLY;
        empty[7] = 8;
        assert_eq!(message(&empty), (8, 0), "a header alone is whole");
    }

    #[test]
    fn finds_the_next_message_in_the_middle_of_a_stream() {
        let mut bytes = b"the end of a reply, tNcP among it".to_vec();
        let start = bytes.len();
        assert_eq!(resync(&bytes), None);
        bytes.extend(request());
        assert_eq!(resync(&bytes), Some(start));
        assert_eq!(resync(&bytes[..start + 4]), Some(start), "the mark alone");
        assert_eq!(resync(&bytes[..start + 3]), None);
        assert_eq!(resync(&[]), None);
    }

    #[test]
    fn describes_length_and_signature() {
        assert_eq!(line(&DISSECTOR, &request()), "request, length 36");
        assert_eq!(
            line(&DISSECTOR, &signed(&REPLY, 8)),
            "reply, length 24, signed"
        );
        assert_eq!(line(&DISSECTOR, b"DmdT"), "cut off or no NCP");
    }

    #[test]
    fn the_fields_cover_the_header_and_a_signature() {
        let bytes = signed(&request(), 16);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(fields[0].value, Value::Text("DmdT".into()));
        assert_eq!(fields[0].meaning, "request");
        assert_eq!(testing::number(&fields, "Packet signature"), Some(1));
        assert_eq!(
            testing::number(&fields, "Length of header and packet"),
            Some(44)
        );
        assert_eq!(testing::number(&fields, "Version"), Some(1));
        assert_eq!(testing::number(&fields, "Reply buffer size"), Some(272));
        let last = fields.last().unwrap();
        assert_eq!(last.value, Value::Bytes(b"\xa5signed!"));
        let fields = testing::fields(&DISSECTOR, Input::whole(&REPLY));
        assert_eq!(fields.last().unwrap().end, 8);
        let fields = testing::fields(&DISSECTOR, Input::whole(b"HTTP/1.0"));
        assert_eq!(fields[0].meaning, "neither DmdT nor tNcP");
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(
            mark in prop::sample::select(vec![b"DmdT".to_vec(), b"tNcP".to_vec(), vec![]]),
            tail in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let bytes = [mark, tail].concat();
            match framing(&bytes) {
                Framing::Need(n) => prop_assert!(n as usize > bytes.len()),
                Framing::Message { header, length, .. } => {
                    prop_assert!(header >= 8 && header + length <= Header::MAX);
                }
                Framing::Lost => {}
            }
            if let Some(at) = resync(&bytes) {
                prop_assert!(!matches!(framing(&bytes[at..]), Framing::Lost));
            }
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                let length = testing::number(&fields, "Length of header and packet");
                prop_assert_eq!(length, Some(h.length.into()));
            }
            line(&DISSECTOR, &bytes);
            let mut facts = Facts::default();
            if let Ok(layer) = dissect(Input::whole(&bytes), &mut facts) {
                prop_assert!(layer.header <= layer.end);
            }
        }
    }
}
