//! Messages inside a wrapping: encrypted ([MS-SMB2] 2.2.41) or compressed (2.2.42).

use super::{Header, Wrapping, commands, short, wrapping};
use crate::parse::{header, le16, le32, le64};
use wirewait_wire::{Answered, Asked, Exchange, Fault, Input, Kind, Operation, Part, Role, Side};

/// The header in front of an encrypted message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encrypted {
    /// Bytes of ciphertext behind the header; `None` where the capture cut it off.
    pub size: Option<u32>,
    /// The session whose key it is encrypted with.
    pub session: Option<u64>,
}

impl Encrypted {
    /// Bytes of the header.
    pub const LENGTH: u32 = 52;

    /// Reads a header of which at least four bytes are at hand.
    ///
    /// # Errors
    /// [`Fault::Short`] when the message is shorter than the header.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let _: &[u8; 4] = header(input)?;
        if input.length < Self::LENGTH {
            return Err(short(input));
        }
        Ok(Self {
            size: le32(input.bytes, 36),
            session: le64(input.bytes, 44),
        })
    }

    /// Where the ciphertext ends, counted from the header.
    pub(super) fn end(&self) -> u32 {
        Self::LENGTH.saturating_add(self.size.unwrap_or_default())
    }

    /// Bytes up to the next message, or to the end of the carrier's.
    fn length(&self, input: Input<'_>) -> u32 {
        let end = self.size.map(|_| self.end());
        end.map_or(input.length, |end| end.min(input.length))
    }

    /// Bytes of the message before it was encrypted; what is left of the carrier's message
    /// where the capture cut that off.
    fn plaintext(&self, input: Input<'_>) -> u32 {
        let left = input.length.saturating_sub(Self::LENGTH);
        self.size.map_or(left, |size| size.min(left))
    }
}

/// The header in front of a compressed message, of either form: one compressed piece, or
/// a chain of pieces of which the first is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compressed {
    /// How it is compressed: 1 LZNT1, 2 LZ77, 3 LZ77+Huffman, 4 pattern, 5 LZ4; 0 means
    /// that the first piece of a chain is not.
    pub algorithm: u16,
    /// Bytes that stand uncompressed behind the header.
    pub plain: u32,
    /// Bytes of the message when it is no longer compressed.
    pub original: u32,
}

impl Compressed {
    /// Bytes of the header.
    pub const LENGTH: u32 = 16;

    /// Reads a header. What a short capture cut off counts as nothing readable.
    ///
    /// # Errors
    /// [`Fault::Short`] when the message is shorter than the header.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        const CHAINED: u16 = 1;
        const NONE: u16 = 0;
        let _: &[u8; 4] = header(input)?;
        if input.length < Self::LENGTH {
            return Err(short(input));
        }
        let segment = le32(input.bytes, 4).unwrap_or_default();
        let algorithm = le16(input.bytes, 8).unwrap_or_default();
        let chained = le16(input.bytes, 10) == Some(CHAINED);
        let reach = le32(input.bytes, 12).unwrap_or_default();
        // One piece: its offset counts the bytes left as they were. A chain: the length of
        // the first piece, which may be left as it was.
        let (plain, original) = match (chained, algorithm) {
            (true, NONE) => (reach, segment),
            (true, _) => (0, segment),
            (false, _) => (reach, segment.saturating_add(reach)),
        };
        Ok(Self {
            algorithm,
            plain,
            original,
        })
    }

    /// The beginning of the message, when its header was left uncompressed; with the
    /// length that the message has when it is no longer compressed.
    pub(super) fn inner<'a>(&self, input: Input<'a>) -> Option<Input<'a>> {
        let rest = input.skip(Self::LENGTH).bytes;
        let readable = rest.len().min(self.plain as usize);
        (self.plain >= Header::LENGTH).then_some(Input {
            bytes: rest.get(..readable)?,
            length: self.original,
        })
    }
}

/// The operation of a message that cannot be read, with a guess at what it was about.
///
/// A guess needs the lengths of request and response, as they were before they were wrapped:
/// from [`Guesses::LARGE`] bytes on a message is taken to carry data.
///
/// | request | response | guess |
/// |---|---|---|
/// | small | large | read |
/// | large | small | write |
/// | small | small | metadata |
/// | large | large | none |
///
/// So a long directory listing passes for a read, and a read of a few bytes for metadata;
/// that is why it is shown with a question mark and why the kind stays `other`. A large
/// request counts as a write as long as its response is not seen.
struct Guesses {
    none: Operation,
    read: Operation,
    write: Operation,
    metadata: Operation,
}

impl Guesses {
    /// The bodies of requests and responses that carry no data, a long path and create
    /// contexts included, stay below.
    const LARGE: u32 = 1024;

    fn request(&'static self, length: u32) -> &'static Operation {
        if length < Self::LARGE {
            &self.none
        } else {
            &self.write
        }
    }

    fn answered(&'static self, request: &Operation, response: u32) -> &'static Operation {
        let was_large = *request == self.write;
        match (was_large, response >= Self::LARGE) {
            (false, true) => &self.read,
            (true, false) => &self.write,
            (false, false) => &self.metadata,
            (true, true) => &self.none,
        }
    }
}

static ENCRYPTED: Guesses = Guesses {
    none: sealed("ENCRYPTED"),
    read: sealed("ENCRYPTED (read?)"),
    write: sealed("ENCRYPTED (write?)"),
    metadata: sealed("ENCRYPTED (metadata?)"),
};
static COMPRESSED: Guesses = Guesses {
    none: sealed("COMPRESSED"),
    read: sealed("COMPRESSED (read?)"),
    write: sealed("COMPRESSED (write?)"),
    metadata: sealed("COMPRESSED (metadata?)"),
};
/// In place of a command.
const ENCRYPTED_CODE: u32 = 0xfd;
const COMPRESSED_CODE: u32 = 0xfc;

/// Bytes of an ERROR response without data behind it (2.2.2), which STATUS_PENDING comes in (3.3.4.2).
const ERROR_LENGTH: u32 = Header::LENGTH + 9;
/// Bytes of a CHANGE_NOTIFY request (2.2.35), who waits for whose response does so by design. Hardly another request is as long.
/// One for a LOCK is as long as the READ of some clients, which its length counts as.
const NOTIFY_LENGTH: u32 = Header::LENGTH + 32;

/// One encrypted message; another may follow behind it (3.1.4.3).
pub(super) fn encrypted(input: Input<'_>) -> Result<Part, Fault> {
    let e = Encrypted::parse(input)?;
    let length = e.plaintext(input);
    let mut part = opaque(ENCRYPTED.request(length), ENCRYPTED_CODE, e.length(input));
    if let Some(x) = &mut part.exchange {
        x.brief = length == ERROR_LENGTH;
        x.may_wait = length == NOTIFY_LENGTH;
    }
    Ok(part)
}

/// The length of the encrypted message that begins here.
pub(super) fn encrypted_length(input: Input<'_>) -> Result<u32, Fault> {
    Ok(Encrypted::parse(input)?.length(input))
}

/// A compressed message. When its head is readable, what it says counts, with the sizes
/// that the message has uncompressed.
pub(super) fn compressed(input: Input<'_>) -> Result<Part, Fault> {
    let c = Compressed::parse(input)?;
    let inner = c.inner(input).map(super::plain);
    Ok(match inner {
        Some(Ok((h, part))) => Part {
            exchange: Some(commands::exchange(&h, part)),
            length: input.length,
        },
        _ => opaque(
            COMPRESSED.request(c.original),
            COMPRESSED_CODE,
            input.length,
        ),
    })
}

/// What the response to a message that cannot be read says by its length.
pub(super) fn answer(input: Input<'_>, asked: &Asked) -> Answered {
    let operation = match (asked.code, wrapping(input)) {
        (ENCRYPTED_CODE, Ok(Wrapping::Encrypted)) => Encrypted::parse(input)
            .map(|e| ENCRYPTED.answered(asked.operation, e.plaintext(input)))
            .ok(),
        (COMPRESSED_CODE, Ok(Wrapping::Compressed)) => Compressed::parse(input)
            .map(|c| COMPRESSED.answered(asked.operation, c.original))
            .ok(),
        _ => None,
    };
    Answered {
        operation,
        ..Answered::default()
    }
}

const fn sealed(name: &'static str) -> Operation {
    Operation::new(name, Kind::Other, false)
}

/// A message of which only length and direction show. Whether it asks or answers is for
/// the analysis to say, which knows who sent it.
const fn opaque(operation: &'static Operation, code: u32, length: u32) -> Part {
    let mut ex = Exchange::new(Role::Request, Side::Unknown, operation, code);
    ex.opaque = true;
    Part {
        exchange: Some(ex),
        length,
    }
}

#[cfg(test)]
mod tests {
    use super::super::exchange;
    use super::super::testing::{hex, message, with};
    use super::*;

    /// The header of an encrypted message from our lab: 104 bytes follow.
    const ENCRYPTED_104: &str = "fd534d42 978f9c9819651b6c13e59c231fccefec
        0100000000000000bedbf50000000000 68000000 0000 0100 ff959ebd00000000";

    fn sealed_message() -> Vec<u8> {
        let mut m = hex(ENCRYPTED_104);
        m.resize(52 + 104, 0x5a);
        m
    }

    /// One compressed piece behind `plain` bytes left as they were (2.2.42.1).
    fn unchained(original: u32, plain: &[u8], rest: &[u8]) -> Vec<u8> {
        let mut m = Vec::from(*b"\xfcSMB");
        m.extend(original.to_le_bytes());
        m.extend([2, 0, 0, 0]);
        m.extend(u32::try_from(plain.len()).unwrap().to_le_bytes());
        m.extend(plain);
        m.extend(rest);
        m
    }

    fn sealed_of(size: u32) -> Vec<u8> {
        let mut m = hex(ENCRYPTED_104);
        m[36..40].copy_from_slice(&size.to_le_bytes());
        m.resize(52 + size as usize, 0x5a);
        m
    }

    /// The request's operation name before its response, then name and kind guessed after it.
    fn guess(request: &[u8], response: &[u8]) -> (&'static str, &'static str, Kind) {
        let ex = exchange(Input::whole(request)).unwrap().exchange.unwrap();
        let asked = Asked {
            operation: ex.operation,
            code: ex.code,
            asked: ex.asked,
            file: ex.file,
        };
        let answered = answer(Input::whole(response), &asked);
        assert_eq!((answered.status, answered.data), (None, 0));
        let after = answered.operation.unwrap();
        (ex.operation.name, after.name, after.kind)
    }

    #[test]
    fn lengths_of_request_and_response_make_a_guess() {
        for (request, response, before, after) in [
            (117, 1104, "ENCRYPTED", "ENCRYPTED (read?)"),
            (1104, 81, "ENCRYPTED (write?)", "ENCRYPTED (write?)"),
            (1023, 1023, "ENCRYPTED", "ENCRYPTED (metadata?)"),
            (1024, 1024, "ENCRYPTED (write?)", "ENCRYPTED"),
        ] {
            let found = guess(&sealed_of(request), &sealed_of(response));
            assert_eq!(found, (before, after, Kind::Other));
        }
    }

    #[test]
    fn a_compressed_message_counts_as_long_as_it_was() {
        let (small, large) = (
            unchained(112, &[], &[0x11; 40]),
            unchained(8192, &[], &[0x11; 40]),
        );
        assert_eq!(guess(&small, &large).1, "COMPRESSED (read?)");
        assert_eq!(guess(&large, &small).1, "COMPRESSED (write?)");
        assert_eq!(guess(&small, &small).1, "COMPRESSED (metadata?)");
        assert_eq!(guess(&large, &large).1, "COMPRESSED");
    }

    #[test]
    fn messages_that_can_be_read_are_called_what_they_are() {
        let read = message(8, 0, 4, &[49, 0]);
        let ex = exchange(Input::whole(&read)).unwrap().exchange.unwrap();
        let asked = Asked {
            operation: ex.operation,
            code: ex.code,
            asked: 0,
            file: None,
        };
        let answer = answer(Input::whole(&sealed_message()), &asked);
        assert_eq!(answer.operation, None);
    }

    fn write_head() -> Vec<u8> {
        let mut m = message(9, 0, 77, &[0; 48]);
        m = with(m, 64, &[49, 0, 112, 0]);
        m = with(m, 68, &65536u32.to_le_bytes());
        with(m, 80, &[3; 16])
    }

    #[test]
    fn encrypted_messages_show_length_and_session() {
        let m = sealed_message();
        let e = Encrypted::parse(Input::whole(&m)).unwrap();
        assert_eq!((e.size, e.session), (Some(104), Some(0xbd9e_95ff)));
        let part = exchange(Input::whole(&m)).unwrap();
        assert_eq!(part.length, 156);
        let ex = part.exchange.unwrap();
        assert!(ex.opaque);
        assert_eq!((ex.operation.name, ex.sender), ("ENCRYPTED", Side::Unknown));
        assert_eq!((ex.id, ex.asked, ex.data), (None, 0, 0));
    }

    #[test]
    fn several_encrypted_messages_are_several_parts() {
        let mut m = sealed_message();
        m.extend(sealed_message());
        let first = exchange(Input::whole(&m)).unwrap();
        assert_eq!(first.length, 156);
        let second = exchange(Input::whole(&m).skip(first.length)).unwrap();
        assert_eq!(second.length, 156);
    }

    #[test]
    fn an_encrypted_message_ends_with_its_carrier() {
        let m = with(sealed_message(), 36, &u32::MAX.to_le_bytes());
        assert_eq!(exchange(Input::whole(&m)).unwrap().length, 156);
        let head = Input {
            bytes: &m[..30],
            length: 156,
        };
        assert_eq!(exchange(head).unwrap().length, 156, "its size was cut off");
    }

    #[test]
    fn strict_prefixes_are_short() {
        for (m, header) in [(sealed_message(), 52), (unchained(9, &[], &[]), 16)] {
            for n in 0..header {
                assert!(
                    matches!(exchange(Input::whole(&m[..n])), Err(Fault::Short { .. })),
                    "{n}"
                );
            }
        }
    }

    #[test]
    fn the_readable_head_of_a_compressed_message_counts() {
        let m = unchained(65536, &write_head(), &[0x11; 40]);
        let part = exchange(Input::whole(&m)).unwrap();
        assert_eq!(part.length, 16 + 112 + 40);
        let ex = part.exchange.unwrap();
        assert!(!ex.opaque);
        assert_eq!(ex.operation.name, "WRITE");
        assert_eq!(
            (ex.asked, ex.data),
            (65536, 65536),
            "as it was uncompressed"
        );
    }

    #[test]
    fn a_field_that_is_compressed_is_not_read() {
        let m = unchained(65536 + 48, &write_head()[..64], &[0xff; 40]);
        let ex = exchange(Input::whole(&m)).unwrap().exchange.unwrap();
        // The length of the whole tells how much data that is.
        let read = (ex.operation.name, ex.asked, ex.file);
        assert_eq!(read, ("WRITE", 65536, None));
    }

    #[test]
    fn a_chain_that_begins_uncompressed_is_read_alike() {
        // 2.2.42.2: the first piece is not compressed (algorithm 0), flags say chained.
        let head = write_head();
        let mut m = Vec::from(*b"\xfcSMB");
        m.extend((112 + 65536u32).to_le_bytes());
        m.extend([0, 0, 1, 0]);
        m.extend(112u32.to_le_bytes());
        m.extend(&head);
        m.extend([4, 0, 0, 0, 8, 0, 0, 0, 0xaa, 0, 0, 0, 0, 0, 1, 0]);
        let ex = exchange(Input::whole(&m)).unwrap().exchange.unwrap();
        assert_eq!((ex.operation.name, ex.data), ("WRITE", 65536));

        let packed = with(m, 8, &[2]);
        let ex = exchange(Input::whole(&packed)).unwrap().exchange.unwrap();
        assert!(ex.opaque, "the same with its first piece compressed");
    }

    #[test]
    fn a_message_compressed_whole_is_opaque() {
        let m = unchained(500, &[], &[0x11; 40]);
        let part = exchange(Input::whole(&m)).unwrap();
        assert_eq!(part.length, 56);
        let ex = part.exchange.unwrap();
        assert!(ex.opaque);
        assert_eq!((ex.operation.name, ex.code), ("COMPRESSED", 0xfc));
    }

    #[test]
    fn an_offset_that_lies_makes_nothing_readable() {
        let mut m = unchained(u32::MAX, &[], &[0x11; 40]);
        m = with(m, 12, &u32::MAX.to_le_bytes());
        let ex = exchange(Input::whole(&m)).unwrap().exchange.unwrap();
        assert!(ex.opaque);
    }
}
