//! Server Message Block, versions 2 and 3. [MS-SMB2].
//!
//! A message is a chain of parts (a compound, section 3.2.4.1.4), each with a header of 64
//! bytes, or it is wrapped: encrypted (2.2.41) or compressed (2.2.42). All integers are
//! little-endian; offsets in a body count from the header in front of it.

mod breaks;
mod commands;
mod describe;
mod fields;
mod leases;
mod names;
mod payload;
mod transform;

pub use transform::{Compressed, Encrypted};

use crate::nbt;
use crate::parse::{header, le32, le64, malformed};
use wirewait_wire::{Claim, Dissector, Facts, Fault, Input, Layer, Next, Part, Verified};

/// The message goes from the server to the client.
pub const RESPONSE: u32 = 0x0000_0001;
/// The header has an AsyncId where others have process and tree.
pub const ASYNC: u32 = 0x0000_0002;
/// The part goes on with the session, tree and file of the part before it.
pub const RELATED: u32 = 0x0000_0004;
/// The part is signed.
pub const SIGNED: u32 = 0x0000_0008;
/// A request retransmitted on another channel.
pub const REPLAY: u32 = 0x2000_0000;

/// A header, as far as the capture kept it (section 2.2.1).
///
/// The first 20 bytes are always there: they hold what says what a message is. The fields
/// behind them are `None` where a short capture length cut them off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Credits that the request costs; 0 in dialect 2.0.2, which counts as 1.
    pub credit_charge: u16,
    /// The status of a response. In requests of dialects 3.x a channel sequence.
    pub status: u32,
    /// What is to be done (2.2.1.2, "Command").
    pub command: u16,
    /// Credits asked for by a request, granted by a response.
    pub credits: u16,
    /// [`RESPONSE`] and its like.
    pub flags: u32,
    /// Bytes from this header to the next one of a compound; 0 in the last part.
    pub next: Option<u32>,
    /// By what request and response are matched within a connection.
    pub message: Option<u64>,
    /// The name of an operation that the server said it would answer later.
    pub async_id: Option<u64>,
    /// The tree (share) of the request.
    pub tree: Option<u32>,
    /// The session.
    pub session: Option<u64>,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 64;

    /// The MessageId of messages that the server sends unasked (2.2.23).
    pub const UNSOLICITED: u64 = u64::MAX;

    /// Reads a header of which at least 20 bytes are at hand.
    ///
    /// # Errors
    /// [`Fault::Short`] also when the message itself is shorter than a header;
    /// [`Fault::Malformed`] when it does not begin as a header does.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 20] = header(input)?;
        if h[..4] != *b"\xfeSMB" {
            return Err(malformed(0, "ProtocolId is not FE 'SMB'"));
        }
        if [h[4], h[5]] != [64, 0] {
            return Err(malformed(4, "StructureSize is not 64"));
        }
        let bytes = input.bytes;
        if input.length < Self::LENGTH {
            return Err(short(input));
        }
        let flags = u32::from_le_bytes([h[16], h[17], h[18], h[19]]);
        let asynchronous = flags & ASYNC != 0;
        Ok(Self {
            credit_charge: u16::from_le_bytes([h[6], h[7]]),
            status: u32::from_le_bytes([h[8], h[9], h[10], h[11]]),
            command: u16::from_le_bytes([h[12], h[13]]),
            credits: u16::from_le_bytes([h[14], h[15]]),
            flags,
            next: le32(bytes, 20),
            message: le64(bytes, 24),
            async_id: le64(bytes, 32).filter(|_| asynchronous),
            tree: le32(bytes, 36).filter(|_| !asynchronous),
            session: le64(bytes, 40),
        })
    }

    /// Whether this flag is set.
    #[must_use]
    pub const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Bytes of this part of a message of which `left` bytes are left.
    fn part(&self, left: u32) -> Result<u32, Fault> {
        match self.next {
            None | Some(0) => Ok(left),
            Some(next) if next < Self::LENGTH => {
                Err(malformed(20, "NextCommand points into the header"))
            }
            Some(next) if next % 8 != 0 => Err(malformed(20, "NextCommand not a multiple of 8")),
            Some(next) if next >= left => Err(malformed(20, "NextCommand behind the message")),
            Some(next) => Ok(next),
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "smb2",
    title: "Server Message Block 2 and 3, [MS-SMB2]",
    aliases: &["SMB", "SMB3", "SMB 3.1.1"],
    does: "every command, compounds, pending and cancelled requests, oplock and lease breaks; \
           files, offsets and sizes; the readable head of compressed messages; encrypted ones \
           by length",
    lacks: "What is encrypted stays closed (no keys are taken): such exchanges are matched by \
            turn, and what they were about is guessed from their lengths and shown with a \
            question mark. Compressed bytes stay compressed, and of a compressed compound only \
            the first part is seen. SMB over QUIC and SMB Direct (RDMA) are not read. What \
            searches and queries find is shown as bytes, because only the request says what \
            they are; security tokens likewise.",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Lab,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Signature(nbt::MESSAGE, b"\xfeSMB"),
        Claim::Signature(nbt::MESSAGE, b"\xfdSMB"),
        Claim::Signature(nbt::MESSAGE, b"\xfcSMB"),
    ],
    dissect,
    resync: Some(resync),
    exchange: Some(exchange),
    part: Some(part),
    head: Some(|input| payload::head(&Header::parse(input).ok()?, input.bytes)),
    unique_ids: true,
    answer: Some(transform::answer),
    names: Some(names::tell),
    describe: describe::describe,
    fields: fields::fields,
    ..Dissector::PLAIN
};

/// Where the next part of a compound begins (2.2.1.2): flags that exist, and parts begin at multiples
/// of 8.
fn resync(bytes: &[u8]) -> Option<usize> {
    bytes.windows(24).position(|header| {
        header.starts_with(b"\xfeSMB\x40\0")
            && le32(header, 16).is_some_and(|flags| flags & !0x3000_007f == 0)
            && le32(header, 20).is_some_and(|next| next % 8 == 0)
    })
}

/// How a message is wrapped, by its first four bytes.
enum Wrapping {
    Plain,
    Encrypted,
    Compressed,
}

fn wrapping(input: Input<'_>) -> Result<Wrapping, Fault> {
    match header(input)? {
        b"\xfeSMB" => Ok(Wrapping::Plain),
        b"\xfdSMB" => Ok(Wrapping::Encrypted),
        b"\xfcSMB" => Ok(Wrapping::Compressed),
        _ => Err(malformed(0, "ProtocolId is not that of SMB 2")),
    }
}

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let mut next = Next::NONE;
    let (header, end) = match wrapping(input)? {
        Wrapping::Plain => {
            let h = Header::parse(input)?;
            let carried = payload::carried(&h, input.bytes);
            next = carried.map_or(next, |(_, key)| Next::one(key));
            (carried.map_or(Header::LENGTH, |(at, _)| at), input.length)
        }
        Wrapping::Encrypted => {
            let e = Encrypted::parse(input)?;
            // Several may follow each other in one message; one alone that claims more
            // than there is was cut off.
            (Encrypted::LENGTH, e.end().max(input.length))
        }
        Wrapping::Compressed => {
            Compressed::parse(input)?;
            (Compressed::LENGTH, input.length)
        }
    };
    Ok(Layer { header, end, next })
}

/// The part of a message that begins here. `input.length` is what is left of the message.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    match wrapping(input)? {
        Wrapping::Plain => {
            let (h, part) = plain(input)?;
            let length = part.length;
            // Where it is returned: it is large.
            let exchange = Some(commands::exchange(&h, part));
            Ok(Part { exchange, length })
        }
        Wrapping::Encrypted => transform::encrypted(input),
        Wrapping::Compressed => transform::compressed(input),
    }
}

/// Its length alone.
fn part(input: Input<'_>) -> u32 {
    let length = match wrapping(input) {
        Ok(Wrapping::Plain) => plain(input).map(|(_, part)| part.length),
        Ok(Wrapping::Encrypted) => transform::encrypted_length(input),
        Ok(Wrapping::Compressed) | Err(_) => Ok(input.length),
    };
    length.unwrap_or(input.length)
}

/// The header that begins here, and the part that it heads.
fn plain(input: Input<'_>) -> Result<(Header, Input<'_>), Fault> {
    let h = Header::parse(input)?;
    let length = h.part(input.length)?;
    Ok((h, head(input, length)))
}

/// The first `length` bytes of an input.
fn head(input: Input<'_>, length: u32) -> Input<'_> {
    let at_hand = input.bytes.len().min(length as usize);
    Input {
        bytes: input.bytes.get(..at_hand).unwrap_or_default(),
        length: length.min(input.length),
    }
}

/// The bytes at hand end before what is needed.
fn short(input: Input<'_>) -> Fault {
    Fault::Short {
        offset: u32::try_from(input.bytes.len()).unwrap_or(u32::MAX),
    }
}

#[cfg(test)]
mod testing {
    use super::Header;

    /// A part of a message: header as section 2.2.1 draws it, then the body.
    pub(super) fn message(command: u16, flags: u32, message: u64, body: &[u8]) -> Vec<u8> {
        let mut m = Vec::from(*b"\xfeSMB\x40\x00\x01\x00");
        m.extend(0u32.to_le_bytes()); // Status
        m.extend(command.to_le_bytes());
        m.extend(31u16.to_le_bytes()); // CreditRequest
        m.extend(flags.to_le_bytes());
        m.extend(0u32.to_le_bytes()); // NextCommand
        m.extend(message.to_le_bytes());
        m.extend(0x0000_0007_0000_feffu64.to_le_bytes()); // process, TreeId 7
        m.extend(0x0000_0400_0000_0025u64.to_le_bytes()); // SessionId
        m.extend([0; 16]); // Signature
        assert_eq!(m.len(), Header::LENGTH as usize);
        m.extend(body);
        m
    }

    /// The message with its bytes at offset `at` replaced by these.
    pub(super) fn with(mut m: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
        m[at..at + bytes.len()].copy_from_slice(bytes);
        m
    }

    /// A compound of these parts (3.2.4.1.4): each padded to 8 bytes but the last.
    pub(super) fn compound(parts: &[Vec<u8>]) -> Vec<u8> {
        let mut m = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            let start = m.len();
            m.extend(part);
            if n + 1 < parts.len() {
                m.resize(m.len().next_multiple_of(8), 0);
                let next = u32::try_from(m.len() - start).unwrap();
                m[start + 20..start + 24].copy_from_slice(&next.to_le_bytes());
            }
        }
        m
    }

    pub(super) fn hex(digits: &str) -> Vec<u8> {
        let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    /// CREATE, READ and CLOSE in one message, as a client sent it in our lab.
    pub(super) const CREATE_READ_CLOSE: &str = "
        fe534d42 4000 0100 00000000 0500 0100 00000000 90000000 0400000000000000
        00000000 00000000 cff9e1055bd28ee5 00000000000000000000000000000000
        3900 00 00 02000000 0000000000000000 0000000000000000 00000080 80000000
        07000000 01000000 40000000 7800 1400 00000000 00000000
        64006100740061003400 6d002e00620069006e00 00000000
        fe534d42 4000 0100 00000000 0800 0100 04000000 78000000 0500000000000000
        00000000 00000000 cff9e1055bd28ee5 00000000000000000000000000000000
        3100 50 00 00100000 0000000000000000 ffffffffffffffffffffffffffffffff
        00000000 00000000 00000000 0000 0000 0000000000000000
        fe534d42 4000 0100 00000000 0600 0100 04000000 00000000 0600000000000000
        00000000 00000000 cff9e1055bd28ee5 00000000000000000000000000000000
        1800 0000 00000000 ffffffffffffffffffffffffffffffff";
}

#[cfg(test)]
mod tests {
    use super::testing::{CREATE_READ_CLOSE, compound, hex, message, with};
    use super::*;
    use proptest::prelude::*;
    use wirewait_wire::{Exchange, Role, Side};

    fn parts(bytes: &[u8]) -> Result<Vec<Exchange>, Fault> {
        let mut left = Input::whole(bytes);
        let mut found = Vec::new();
        while left.length > 0 {
            let part = exchange(left)?;
            assert!(part.length >= Header::LENGTH.min(Encrypted::LENGTH));
            assert!(part.length <= left.length);
            found.extend(part.exchange);
            left = left.skip(part.length);
        }
        Ok(found)
    }

    #[test]
    fn reads_a_header() {
        let m = message(0x08, SIGNED, 17, &[49, 0]);
        let h = Header::parse(Input::whole(&m)).unwrap();
        assert_eq!(
            h,
            Header {
                credit_charge: 1,
                status: 0,
                command: 8,
                credits: 31,
                flags: SIGNED,
                next: Some(0),
                message: Some(17),
                async_id: None,
                tree: Some(7),
                session: Some(0x0000_0400_0000_0025),
            }
        );
    }

    #[test]
    fn an_asynchronous_header_has_no_tree() {
        let m = with(message(0x0f, RESPONSE | ASYNC, 5, &[]), 32, &[9; 8]);
        let h = Header::parse(Input::whole(&m)).unwrap();
        assert_eq!((h.async_id, h.tree), (Some(0x0909_0909_0909_0909), None));
    }

    #[test]
    fn a_compound_is_walked_part_by_part() {
        let found = parts(&hex(CREATE_READ_CLOSE)).unwrap();
        let names: Vec<_> = found.iter().map(|ex| ex.operation.name).collect();
        assert_eq!(names, ["CREATE", "READ", "CLOSE"]);
        assert!(found.iter().all(|ex| ex.role == Role::Request));
        assert!(found.iter().all(|ex| ex.sender == Side::Client));
        assert_eq!(found[1].asked, 4096);
        assert_eq!(
            found[1].file.map(|f| (f.handle, f.offset)),
            Some((u128::MAX, Some(0))),
            "the file of the CREATE before it"
        );
    }

    #[test]
    fn only_the_head_of_a_part_is_needed() {
        let all = hex(CREATE_READ_CLOSE);
        let length = u32::try_from(all.len()).unwrap();
        let first = exchange(Input {
            bytes: &all[..112],
            length,
        })
        .unwrap();
        assert_eq!(
            first.length, 0x90,
            "the next part is not at hand, but known"
        );
    }

    #[test]
    fn a_next_command_that_leads_astray_is_malformed() {
        let m = message(0x0d, 0, 1, &[4, 0, 0, 0, 0, 0, 0, 0]);
        for next in [1u32, 8, 63, 65, 72, 80, u32::MAX, !7] {
            let bad = with(m.clone(), 20, &next.to_le_bytes());
            assert!(
                matches!(
                    exchange(Input::whole(&bad)),
                    Err(Fault::Malformed { offset: 20, .. })
                ),
                "{next}"
            );
        }
        let good = compound(&[m.clone(), m]);
        assert_eq!(parts(&good).unwrap().len(), 2);
    }

    #[test]
    fn a_second_part_without_a_header_is_malformed() {
        let m = message(0x0d, 0, 1, &[4, 0, 0, 0, 0, 0, 0, 0]);
        let mut bytes = compound(&[m.clone(), m]);
        bytes[72] = 0xff;
        assert!(matches!(
            parts(&bytes),
            Err(Fault::Malformed { offset: 0, .. })
        ));
    }

    #[test]
    fn every_strict_prefix_of_a_header_is_short() {
        let m = message(0x08, 0, 17, &[]);
        let mut facts = Facts::default();
        for n in 0..m.len() {
            let input = Input::whole(&m[..n]);
            assert!(matches!(
                dissect(input, &mut facts),
                Err(Fault::Short { .. })
            ));
            assert!(matches!(exchange(input), Err(Fault::Short { .. })), "{n}");
        }
        assert!(exchange(Input::whole(&m)).is_ok());
    }

    #[test]
    fn a_snapped_header_says_what_it_can() {
        let m = message(0x08, RESPONSE, 17, &[17, 0]);
        for n in 20..m.len() {
            let input = Input {
                bytes: &m[..n],
                length: 5000,
            };
            let part = exchange(input).unwrap();
            let ex = part.exchange.unwrap();
            assert_eq!((ex.operation.name, ex.role), ("READ", Role::Response));
            assert_eq!(ex.id.is_some(), n >= 26, "{n}");
            assert_eq!(part.length, 5000);
        }
    }

    #[test]
    fn what_is_not_smb2_is_malformed() {
        for first in [b"\xffSMB", b"\xfeSMC", b"\0\0\0\0"] {
            let m = with(message(0, 0, 0, &[]), 0, first);
            assert!(matches!(
                exchange(Input::whole(&m)),
                Err(Fault::Malformed { offset: 0, .. })
            ));
        }
        let m = with(message(0, 0, 0, &[]), 4, &[65]);
        assert!(matches!(
            exchange(Input::whole(&m)),
            Err(Fault::Malformed { offset: 4, .. })
        ));
    }

    /// Bytes that get past the first checks, so that what lies behind them is tried.
    fn hostile() -> impl Strategy<Value = Vec<u8>> {
        (
            prop_oneof![Just(0xfeu8), Just(0xfd), Just(0xfc)],
            0u16..0x16,
            any::<u32>(),
            prop_oneof![Just(0u32), Just(64), Just(72), any::<u32>()],
            prop::collection::vec(any::<u8>(), 0..400),
        )
            .prop_map(|(wrapped, command, flags, next, mut bytes)| {
                let start = [wrapped, b'S', b'M', b'B', 64, 0];
                for (at, byte) in bytes.iter_mut().zip(start) {
                    *at = byte;
                }
                for (from, field) in [
                    (12, &command.to_le_bytes()[..]),
                    (16, &flags.to_le_bytes()),
                    (20, &next.to_le_bytes()),
                ] {
                    if wrapped == 0xfe && bytes.len() >= 24 {
                        bytes[from..from + field.len()].copy_from_slice(field);
                    }
                }
                bytes
            })
    }

    proptest! {
        #[test]
        fn hostile_bytes_never_panic(
            bytes in prop_oneof![hostile(), prop::collection::vec(any::<u8>(), 0..200)],
            more in 0u32..100_000,
        ) {
            let mut input = Input::whole(&bytes);
            input.length = input.length.saturating_add(more);
            if let Ok(layer) = dissect(input, &mut Facts::default()) {
                prop_assert!(layer.header <= input.length);
                prop_assert!(layer.end >= layer.header);
            }
            let whole = exchange(input).map_or(input.length, |part| part.length);
            prop_assert_eq!(part(input), whole);
            if let Ok(part) = exchange(input) {
                prop_assert!(part.length > 0 && part.length <= input.length);
                let ex = part.exchange.unwrap();
                if ex.role == Role::Request {
                    // A WRITE brings no more than it can hold, compressed or not.
                    prop_assert!(ex.data <= ex.asked);
                }
            }
            let mut line = String::new();
            (DISSECTOR.describe)(input, &mut line).unwrap();
            prop_assert!(!line.is_empty() || input.length == 0);
            prop_assert!(!line.chars().any(char::is_control));
        }
    }
}
