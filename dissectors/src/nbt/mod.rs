//! NetBIOS session service: what cuts a TCP stream into messages. RFC 1002 section 4.3 for
//! port 139; MS-SMB2 section 2.1 for port 445, where the first byte is always 0 and the
//! length has 24 bits.
//!
//! The two ports need not be told apart: on port 139 the upper seven bits of what would be
//! the 24-bit length are flags that must be 0. What the other packet types mean stands in
//! `nbt_session`; this file also owns what NetBIOS has in common on every carrier: the
//! tables of messages and datagrams, and names.

use crate::parse::{header, le16, le32, malformed};
use crate::tcp;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Framing, Input, Layer, Next, Table, Verified,
};

mod name;

pub use name::Name;
pub(crate) use name::{encoded_name, plain_name};

/// Content of a NetBIOS session message, whatever carried it; children claim it by signature.
pub const MESSAGE: Table = Table::new("netbios.message");

/// Session service packets other than messages, by type; the four bytes of packet header
/// are left on them.
pub const CONTROL: Table = Table::new("nbt.control");

/// Content of a NetBIOS datagram, whatever carried it; children claim it by signature.
pub const DATAGRAM: Table = Table::new("netbios.datagram");

/// Packet types of RFC 1002 section 4.3.1.
pub mod packet {
    /// Carries a message.
    pub const MESSAGE: u8 = 0x00;
    /// Asks for a session between two names.
    pub const REQUEST: u8 = 0x81;
    /// Grants it.
    pub const POSITIVE: u8 = 0x82;
    /// Refuses it.
    pub const NEGATIVE: u8 = 0x83;
    /// Sends the caller to another address.
    pub const RETARGET: u8 = 0x84;
    /// Keeps an idle connection open.
    pub const KEEP_ALIVE: u8 = 0x85;
}

/// A session packet header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Packet type, see [`packet`].
    pub kind: u8,
    /// Bytes that follow: flags and length of RFC 1002 read as one 24-bit number.
    pub length: u32,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 4;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let &[kind, high, middle, low] = header::<4>(input)?;
        Ok(Self {
            kind,
            length: u32::from_be_bytes([0, high, middle, low]),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbss",
    title: "NetBIOS session service framing on TCP port 139, RFC 1002; session set-up is counted as nbt",
    aliases: &[
        "NetBIOS session service",
        "NetBIOS over TCP/IP",
        "NBT",
        "NetBT",
    ],
    does: "messages in the TCP stream, finding the next one after a gap",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Lab,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(tcp::PORT.key(139))],
    conveys: true,
    carrier: Some("nbt"),
    dissect,
    framing: Some(framing),
    resync: Some(resync),
    describe,
    fields,
    ..Dissector::PLAIN
};

pub(crate) fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    match framing(input.bytes) {
        Framing::Message {
            header,
            length,
            next,
        } => Ok(Layer {
            header,
            end: header.saturating_add(length),
            next,
        }),
        Framing::Need(_) => Err(Fault::Short {
            offset: u32::try_from(input.bytes.len()).unwrap_or(u32::MAX),
        }),
        Framing::Lost => Err(malformed(0, "packet type and length")),
    }
}

pub(crate) fn framing(bytes: &[u8]) -> Framing {
    let Ok(h) = Header::parse(Input::whole(bytes)) else {
        return Framing::Need(Header::LENGTH);
    };
    match h.kind {
        // Longer messages than RFC 1002 allows exist, but not raw ones without a header.
        packet::MESSAGE if h.length > LONGEST_RFC_1002 => match bytes.get(4..8) {
            None => Framing::Need(8),
            Some([0xfc..=0xff, b'S', b'M', b'B']) => message(h.length),
            Some(_) => Framing::Lost,
        },
        packet::MESSAGE => message(h.length),
        packet::REQUEST if REQUEST_LENGTHS.contains(&h.length) => control(h),
        packet::POSITIVE | packet::KEEP_ALIVE if h.length == 0 => control(h),
        packet::NEGATIVE if h.length == 1 => control(h),
        packet::RETARGET if h.length == 6 => control(h),
        _ => Framing::Lost,
    }
}

/// The first place where a packet with an SMB header in it begins, or the very start if a
/// control packet stands there and what follows it fits. A packet whose end can be seen and
/// leads to the next one is believed before one that ends behind these bytes: in the latter
/// the length may be file data that happens to stand before a part of an SMB2 compound.
pub(crate) fn resync(bytes: &[u8]) -> Option<usize> {
    if let Framing::Message {
        header: 0, length, ..
    } = framing(bytes)
        && (bytes.len() == length as usize || trust(bytes, length as usize).is_some())
    {
        return Some(0);
    }
    let places = || {
        let windows = bytes.windows(8).enumerate();
        windows
            .filter(|(_, w)| matches!(w, [packet::MESSAGE, _, _, _, 0xfc..=0xff, b'S', b'M', b'B']))
            .map(|(at, _)| at)
    };
    places()
        .find(|&at| trust(bytes, at) == Some(Trust::Followed))
        .or_else(|| places().find(|&at| trust(bytes, at).is_some()))
}

/// Whether a segment on a port that nobody claims begins with a packet with an SMB message
/// in it. Signature and length are five bytes; what more a header must be is asked for too,
/// and must be at hand.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    let [packet::MESSAGE, _, _, _, 0xfc..=0xff, b'S', b'M', b'B', ..] = bytes else {
        return false;
    };
    let Framing::Message { length, .. } = framing(bytes) else {
        return false;
    };
    let content = &bytes[4..];
    let at_hand = match content[0] {
        0xff => 33,
        0xfe => 24,
        0xfd => 44,
        _ => 16,
    };
    let sound = match content[0] {
        // MS-SMB2 2.2.1: flags that exist; a compound's parts begin at multiples of 8.
        0xfe => {
            le32(content, 16).is_some_and(|flags| flags & !0x3000_007f == 0)
                && le32(content, 20).is_some_and(|next| next % 8 == 0 && next < length)
        }
        _ => true,
    };
    content.len() >= at_hand && sound && plausible(content, length)
}

pub(crate) fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) if h.kind == packet::MESSAGE => write!(out, "SESSION MESSAGE, {} bytes", h.length),
        Ok(h) => write!(out, "packet type 0x{:02x}, {} bytes", h.kind, h.length),
        Err(_) => out.write_str("cut off"),
    }
}

/// The header of a message. Of other packets there is none: they are handed on whole.
pub(crate) fn fields(f: &mut Fields<'_>) -> Option<()> {
    if f.peek()
        .first()
        .is_some_and(|kind| *kind != packet::MESSAGE)
    {
        return Some(());
    }
    f.u8("Packet type")?;
    f.hex().means("message");
    f.be24("Length")?;
    Some(())
}

/// The length has 17 bits there.
const LONGEST_RFC_1002: u32 = 0x1_ffff;

/// Two encoded names without a scope are 68 bytes; each may have 255 with one.
const REQUEST_LENGTHS: std::ops::RangeInclusive<u32> = 68..=510;

fn message(length: u32) -> Framing {
    Framing::Message {
        header: Header::LENGTH,
        length,
        next: Next::one(MESSAGE.any()),
    }
}

/// A control packet is handed on with its header, because some consist of nothing else.
fn control(h: Header) -> Framing {
    Framing::Message {
        header: 0,
        length: Header::LENGTH + h.length,
        next: Next::one(CONTROL.key(h.kind.into())),
    }
}

/// How much speaks for a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// What it looks like.
    Alone,
    /// That, and that the next packet stands where it ends.
    Followed,
}

/// What speaks for a packet with an SMB message at `at`; `None` if it cannot be one.
fn trust(bytes: &[u8], at: usize) -> Option<Trust> {
    let packet = bytes.get(at..)?;
    let Framing::Message {
        header: Header::LENGTH,
        length,
        ..
    } = framing(packet)
    else {
        return None;
    };
    let content = packet.get(4..)?;
    if !plausible(content, length) {
        return None;
    }
    let Some(follower) = content.get(length as usize..) else {
        return Some(Trust::Alone);
    };
    match framing(follower) {
        Framing::Lost => None,
        Framing::Message {
            header: Header::LENGTH,
            length,
            ..
        } if !plausible(&follower[4..], length) => Some(Trust::Alone),
        Framing::Message { .. } | Framing::Need(_) => Some(Trust::Followed),
    }
}

/// Whether `content` begins like an SMB message of `length` bytes. What the capture cut
/// off is given the benefit of the doubt, but not the command.
fn plausible(content: &[u8], length: u32) -> bool {
    let at = |n: usize| content.get(n).copied();
    match content.first_chunk::<4>() {
        // MS-CIFS 2.2.3.1: header of 32 bytes, then WordCount and that many words.
        Some(b"\xffSMB") => {
            let words = at(32).map_or(0, u32::from);
            at(4).is_some_and(smb1_command) && length >= 33 + 2 * words
        }
        // MS-SMB2 2.2.1: StructureSize 64, CreditCharge one for each 64 KiB (3.1.5.2; 0 is 1,
        // and one more is granted for headers), Command up to OPLOCK_BREAK.
        Some(b"\xfeSMB") => {
            let charge = le16(content, 6).map_or(u32::MAX, u32::from);
            length >= 64
                && length <= charge.max(1).saturating_add(1).saturating_mul(0x1_0000)
                && le16(content, 4) == Some(64)
                && le16(content, 12).is_some_and(|command| command <= 0x12)
        }
        // MS-SMB2 2.2.41: header of 52 bytes before OriginalMessageSize bytes; Flags (before
        // 3.1.1 the algorithm) 1.
        Some(b"\xfdSMB") => {
            length >= 52
                && le32(content, 36).is_none_or(|size| size == length - 52)
                && le16(content, 42).is_none_or(|flags| flags == 1)
        }
        // MS-SMB2 2.2.42: CompressionAlgorithm up to LZ4, Flags 0 or 1 (chained).
        Some(b"\xfcSMB") => {
            length >= 16
                && le16(content, 8).is_some_and(|algorithm| algorithm <= 5)
                && le16(content, 10).is_some_and(|flags| flags <= 1)
        }
        _ => false,
    }
}

/// Commands of MS-CIFS section 2.2.2.1.
fn smb1_command(code: u8) -> bool {
    matches!(
        code,
        0x00..=0x14
            | 0x1a..=0x35
            | 0x70..=0x75
            | 0x7e
            | 0x80..=0x84
            | 0xa0..=0xa2
            | 0xa4..=0xa5
            | 0xc0..=0xc3
            | 0xd0..=0xda
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use proptest::prelude::*;
    use wirewait_wire::Key;

    /// A message framed in a session packet.
    fn framed(message: &[u8]) -> Vec<u8> {
        let length = u32::try_from(message.len()).unwrap().to_be_bytes();
        [&[0], &length[1..], message].concat()
    }

    /// An SMB1 message without words and bytes, MS-CIFS 2.2.3.
    fn smb1() -> Vec<u8> {
        let mut bytes = b"\xffSMB\x2b".to_vec();
        bytes.resize(35, 0);
        bytes
    }

    /// An SMB2 header, MS-SMB2 2.2.1.
    fn smb2() -> Vec<u8> {
        let mut bytes = b"\xfeSMB\x40\0".to_vec();
        bytes.resize(68, 0);
        bytes
    }

    fn found(bytes: &[u8]) -> (u32, u32, Key) {
        match framing(bytes) {
            Framing::Message {
                header,
                length,
                next,
            } => (header, length, next.keys().next().unwrap()),
            other => panic!("{other:?} at {bytes:x?}"),
        }
    }

    #[test]
    fn a_message_is_as_long_as_either_port_says() {
        let any = MESSAGE.any();
        assert_eq!(found(&[0, 0, 0x12, 0x34, 1]), (4, 0x1234, any));
        assert_eq!(found(&[0, 1, 0xff, 0xff]), (4, 0x1_ffff, any), "17 bits");
        assert_eq!(found(&[0, 0, 0, 0]), (4, 0, any), "an empty raw answer");
        let long = [0, 0x80, 0, 0x40, 0xfe, b'S', b'M', b'B'];
        assert_eq!(found(&long), (4, 0x80_0040, any), "24 bits");
    }

    #[test]
    fn a_long_message_must_have_a_header() {
        assert!(matches!(
            framing(&[0, 2, 0, 0, 0xfe, b'S', b'M']),
            Framing::Need(8)
        ));
        assert!(matches!(framing(&[0, 2, 0, 0, 1, 2, 3, 4]), Framing::Lost));
    }

    #[test]
    fn control_packets_keep_their_header_and_their_length() {
        for (bytes, length) in [
            ([0x81, 0, 0, 68], 72),
            ([0x82, 0, 0, 0], 4),
            ([0x83, 0, 0, 1], 5),
            ([0x84, 0, 0, 6], 10),
            ([0x85, 0, 0, 0], 4),
        ] {
            assert_eq!(found(&bytes), (0, length, CONTROL.key(bytes[0].into())));
        }
        for bytes in [
            [0x81, 0, 0, 67],
            [0x81, 1, 0, 68],
            [0x82, 0, 0, 1],
            [0x83, 0, 0, 0],
            [0x84, 0, 0, 5],
            [0x85, 0, 0, 4],
            [0x80, 0, 0, 0],
            [0x01, 0, 0, 40],
        ] {
            assert!(matches!(framing(&bytes), Framing::Lost), "{bytes:x?}");
        }
    }

    #[test]
    fn four_bytes_are_needed() {
        for n in 0..4 {
            assert!(matches!(framing(&[0x85, 0, 0, 0][..n]), Framing::Need(4)));
            let short = dissect(Input::whole(&[0x85, 0, 0, 0][..n]), &mut Facts::default());
            assert!(matches!(short, Err(Fault::Short { .. })));
        }
    }

    #[test]
    fn the_next_message_is_found_behind_a_gap() {
        for message in [smb1(), smb2()] {
            let stream = [
                b"rest of a message".to_vec(),
                framed(&message),
                framed(&message),
            ]
            .concat();
            assert_eq!(resync(&stream), Some(17));
            assert_eq!(
                resync(&stream[18..]),
                Some(message.len() + 3),
                "the second one"
            );
        }
        let encrypted = {
            let mut bytes = b"\xfdSMB".to_vec();
            bytes.resize(152, 0);
            bytes[36] = 100;
            bytes[42] = 1;
            framed(&bytes)
        };
        assert_eq!(resync(&encrypted), Some(0));
        let compressed = framed(b"\xfcSMB\x40\0\0\0\x01\0\0\0\0\0\0\0payload");
        assert_eq!(resync(&compressed), Some(0));
    }

    #[test]
    fn a_snapped_message_is_enough_to_find() {
        let stream = [vec![1, 2, 3], framed(&smb1())].concat();
        assert_eq!(resync(&stream[..3 + 4 + 26]), Some(3));
        assert_eq!(resync(&stream[..3 + 4 + 5]), Some(3));
        assert_eq!(resync(&stream[..3 + 4 + 4]), None, "no command");
    }

    #[test]
    fn what_only_looks_like_a_message_is_passed_over() {
        // A signature without a packet header, as in stale buffer contents.
        assert_eq!(resync(&[b"\x01\x02\x03\x04", &smb1()[..]].concat()), None);
        // A command that does not exist.
        let mut unknown = framed(&smb1());
        unknown[8] = 0x60;
        assert_eq!(resync(&unknown), None);
        // More words than the message has room for.
        let mut wordy = framed(&smb1());
        wordy[36] = 2;
        assert_eq!(resync(&wordy), None);
        // A length that is too small, and one that leads to no packet.
        let mut short = framed(&smb1());
        short[3] = 31;
        assert_eq!(resync(&short), None);
        let astray = [framed(&smb1()), b"neither".to_vec()].concat();
        assert_eq!(resync(&astray), None);
        // SMB2: a length that its credits do not pay for, as when the bytes before a part
        // of a compound are read as one.
        let mut long = framed(&smb2());
        long[1] = 0x10;
        assert_eq!(resync(&long), None);
        // SMB2: a structure size other than 64.
        let mut sized = framed(&smb2());
        sized[8] = 65;
        assert_eq!(resync(&sized), None);
    }

    #[test]
    fn a_message_at_the_beginning_of_a_segment_gives_a_stream_away() {
        let encrypted = {
            let mut bytes = b"\xfdSMB".to_vec();
            bytes.resize(152, 0);
            bytes[36] = 100;
            bytes[42] = 1;
            bytes
        };
        let compressed = b"\xfcSMB\x40\0\0\0\x01\0\0\0\0\0\0\0payload".to_vec();
        for (message, needed) in [
            (smb1(), 33),
            (smb2(), 24),
            (encrypted, 44),
            (compressed, 16),
        ] {
            let packet = framed(&message);
            assert!(begins(&packet), "{message:x?}");
            for n in 0..packet.len() {
                assert_eq!(begins(&packet[..n]), n >= 4 + needed, "{n} of {message:x?}");
            }
            assert!(!begins(&message), "without its packet header");
            assert!(!begins(&packet[1..]));
        }
        // Nothing else that the framing knows does: control packets, raw data.
        assert!(!begins(&[0x85, 0, 0, 0]));
        assert!(!begins(&[
            0, 0, 0, 40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
        ]));
        // A flag that is none, a next part that is not there.
        let mut flags = framed(&smb2());
        flags[4 + 16] = 0x80;
        assert!(!begins(&flags));
        let mut next = framed(&smb2());
        next[4 + 20] = 72;
        assert!(!begins(&next));
    }

    #[test]
    fn a_message_that_leads_to_the_next_is_believed_first() {
        let mut open_ended = framed(&smb2());
        open_ended[2] = 0x40;
        let stream = [open_ended.clone(), framed(&smb2()), framed(&smb2())].concat();
        assert_eq!(resync(&stream), Some(72));
        assert_eq!(resync(&open_ended), Some(0), "nothing better");
    }

    #[test]
    fn a_control_packet_is_believed_at_the_very_start() {
        assert_eq!(resync(&[0x82, 0, 0, 0]), Some(0), "all there is");
        let stream = [vec![0x85, 0, 0, 0], framed(&smb1())].concat();
        assert_eq!(resync(&stream), Some(0));
        assert_eq!(resync(&[0x85, 0, 0, 0, 1, 2, 3, 4]), None);
    }

    #[test]
    fn packets_are_described() {
        let mut line = String::new();
        describe(Input::whole(&[0, 1, 0, 2]), &mut line).unwrap();
        assert_eq!(line, "SESSION MESSAGE, 65538 bytes");
    }

    proptest! {
        #[test]
        fn nothing_that_comes_by_chance_begins_a_stream(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..200),
            lead in proptest::collection::vec(prop_oneof![Just(0u8), Just(0xfe), any::<u8>()], 0..8),
        ) {
            bytes.splice(0..0, lead);
            prop_assert!(!begins(&bytes));
        }

        #[test]
        fn any_bytes_are_read_without_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let _ = dissect(Input::whole(&bytes), &mut Facts::default());
            describe(Input::whole(&bytes), &mut String::new()).unwrap();
            if let Some(at) = resync(&bytes) {
                prop_assert!(at < bytes.len());
            }
        }

        #[test]
        fn a_message_is_found_behind_any_bytes_that_cannot_be_one(
            before in proptest::collection::vec(0u8..0x50, 0..80),
            flipped in 4usize..39,
        ) {
            let stream = [before.clone(), framed(&smb1())].concat();
            prop_assert_eq!(resync(&stream), Some(before.len()));
            let mut broken = framed(&smb1());
            broken[flipped] = !broken[flipped];
            let _ = resync(&broken);
        }

        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 8], message: bool) {
            if message {
                bytes[0] = 0;
            }
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if message {
                let h = Header::parse(Input::whole(&bytes)).unwrap();
                prop_assert_eq!(testing::number(&fields, "Length"), Some(h.length.into()));
            }
        }
    }
}
