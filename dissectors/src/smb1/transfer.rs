//! Which file a command concerns, and how many bytes of it. One line per command, with the
//! fields' places in the words. MS-CIFS 2.2.4 (each command's request and response).

use super::Command;
use super::andx::Block;
use wirewait_wire::File;

/// What one block says about file data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Transfer {
    /// The FID; 0xFFFF ("all", "the one just opened") is none.
    pub(super) fid: Option<u16>,
    /// Offset in the file in bytes.
    pub(super) offset: Option<u64>,
    /// Bytes asked for or announced.
    pub(super) asked: u64,
    /// Bytes in this message, or accepted by it.
    pub(super) data: u64,
}

impl Transfer {
    /// The file, in the words of the analysis.
    pub(super) fn file(&self) -> Option<File> {
        self.fid.map(|fid| File {
            handle: fid.into(),
            offset: self.offset,
        })
    }

    /// No more than the file.
    pub(super) const fn of(fid: Option<u16>) -> Self {
        Self {
            fid: match fid {
                Some(0xffff) => None,
                other => other,
            },
            offset: None,
            asked: 0,
            data: 0,
        }
    }

    fn at(mut self, offset: Option<u64>) -> Self {
        self.offset = offset;
        self
    }

    fn asking(mut self, bytes: u64) -> Self {
        self.asked = bytes;
        self
    }

    /// Bytes that stand in this message, so never more than it has. Where it was cut off before their number, all that it has behind a
    /// byte of padding.
    fn carrying(mut self, bytes: Option<u64>, b: &Block<'_>) -> Self {
        let bytes = bytes.unwrap_or_else(|| b.cut_bytes().saturating_sub(1).into());
        self.data = bytes.min(b.message.length.into());
        self
    }

    fn accepting(mut self, bytes: u64) -> Self {
        self.data = bytes;
        self
    }
}

/// What a request says.
pub(super) fn request(b: &Block<'_>) -> Transfer {
    let first = Transfer::of(b.u16(0));
    let number = |at| b.u16(at).map(u64::from);
    let small = |at| number(at).unwrap_or(0);
    match b.command {
        Command::READ | Command::LOCK_AND_READ => first.at(offset(b, 4, None)).asking(small(2)),
        Command::WRITE | Command::WRITE_AND_UNLOCK | Command::WRITE_AND_CLOSE => first
            .at(offset(b, 4, None))
            .asking(small(2))
            .carrying(number(2), b),
        Command::READ_RAW => first.at(offset(b, 2, Some(16))).asking(small(6)),
        Command::READ_MPX => first.at(offset(b, 2, None)).asking(small(6)),
        Command::WRITE_RAW => first
            .at(offset(b, 6, Some(24)))
            .asking(small(2))
            .carrying(number(20), b),
        Command::WRITE_MPX => first
            .at(offset(b, 6, None))
            .asking(small(2))
            .carrying(number(20), b),
        Command::READ_ANDX => Transfer::of(b.u16(4))
            .at(offset(b, 6, Some(20)))
            .asking(large(b.u16(10).unwrap_or(0), read_high(b))),
        Command::WRITE_ANDX => {
            let length = b.u16(20).map(|low| large(low, b.u16(18)));
            let carried = Transfer::of(b.u16(4))
                .at(offset(b, 6, Some(24)))
                .carrying(length, b);
            carried.asking(carried.data)
        }
        Command::WRITE_PRINT_FILE => {
            // The bytes: 01, length, data (MS-CIFS 2.2.4.68.1).
            let length = crate::parse::le16(b.bytes(), 1).unwrap_or(0).into();
            first.asking(length).carrying(Some(length), b)
        }
        Command::LOCKING_ANDX => Transfer::of(b.u16(4)),
        Command::CLOSE
        | Command::FLUSH
        | Command::LOCK_BYTE_RANGE
        | Command::UNLOCK_BYTE_RANGE
        | Command::SEEK
        | Command::SET_INFORMATION2
        | Command::QUERY_INFORMATION2
        | Command::IOCTL
        | Command::CLOSE_PRINT_FILE => first,
        _ => Transfer::default(),
    }
}

/// What a response says. Responses that failed have no words, and so say nothing.
pub(super) fn response(b: &Block<'_>) -> Transfer {
    let none = Transfer::default();
    let number = |at| b.u16(at).map(u64::from);
    let small = |at| number(at).unwrap_or(0);
    match b.command {
        Command::OPEN
        | Command::CREATE
        | Command::CREATE_TEMPORARY
        | Command::CREATE_NEW
        | Command::OPEN_PRINT_FILE => Transfer::of(b.u16(0)),
        Command::OPEN_ANDX => Transfer::of(b.u16(4)),
        // Behind one byte of oplock level.
        Command::NT_CREATE_ANDX => Transfer::of(b.u16(5)),
        Command::READ | Command::LOCK_AND_READ => none.carrying(number(0), b),
        Command::READ_ANDX => none.carrying(b.u16(10).map(|low| large(low, b.u16(14))), b),
        Command::READ_MPX | Command::READ_MPX_SECONDARY => {
            none.at(offset(b, 0, None)).carrying(number(12), b)
        }
        Command::WRITE
        | Command::WRITE_AND_UNLOCK
        | Command::WRITE_AND_CLOSE
        | Command::WRITE_COMPLETE => none.accepting(small(0)),
        Command::WRITE_ANDX => none.accepting(large(b.u16(4).unwrap_or(0), b.u16(8))),
        _ => none,
    }
}

/// Whether a response says that what was opened is a pipe, by its ResourceType (MS-CIFS
/// 2.2.4.41.2, 2.2.4.64.2), or that the share is one of pipes, by its Service (2.2.4.55.2).
pub(super) fn opens_pipe(b: &Block<'_>) -> bool {
    const BYTE_MODE_PIPE: u16 = 1;
    const MESSAGE_MODE_PIPE: u16 = 2;
    let is_pipe = |kind: Option<u16>| matches!(kind, Some(BYTE_MODE_PIPE | MESSAGE_MODE_PIPE));
    match b.command {
        Command::OPEN_ANDX => is_pipe(b.u16(18)),
        Command::NT_CREATE_ANDX => is_pipe(b.u16(63)),
        Command::TREE_CONNECT_ANDX => service(b) == Some(b"IPC"),
        _ => false,
    }
}

/// The first of the strings behind ByteCount, which has one byte a character in either encoding.
fn service<'a>(b: &Block<'a>) -> Option<&'a [u8]> {
    b.bytes().split(|byte| *byte == 0).next()
}

/// Whether a request closes the file it names, which also settles an oplock break.
pub(super) const fn closes(command: Command) -> bool {
    matches!(command, Command::CLOSE | Command::WRITE_AND_CLOSE)
}

/// An offset whose upper half stands apart, in the last two words of the longer of two
/// forms. `None` if either half is there but was not captured.
fn offset(b: &Block<'_>, low: usize, high: Option<usize>) -> Option<u64> {
    let low = b.u32(low)?;
    let high = match high {
        Some(at) if b.has_words(u8::try_from(at / 2 + 2).ok()?) => b.u32(at)?,
        _ => 0,
    };
    Some(u64::from(high) << 32 | u64::from(low))
}

/// A length whose upper half stands apart. Without large reads and writes that half is
/// reserved, and no implementation moves 16 MB at once: larger values are not lengths.
fn large(low: u16, high: Option<u16>) -> u64 {
    let high = high.filter(|h| *h <= 0xff).unwrap_or(0);
    u64::from(high) << 16 | u64::from(low)
}

/// MaxCountHigh of READ_ANDX shares its four bytes with the time-out of a read from a
/// pipe, for which -1 is "for ever" (MS-CIFS 2.2.4.42.1, MS-SMB 2.2.4.2.1).
fn read_high(b: &Block<'_>) -> Option<u16> {
    b.u32(14).and_then(|field| u16::try_from(field).ok())
}

#[cfg(test)]
mod tests {
    use super::super::Header;
    use super::super::andx::Blocks;
    use super::super::tests::{message, words};
    use super::*;
    use wirewait_wire::Input;

    fn read(command: u8, reply: bool, words: &[u8], data: &[u8]) -> Transfer {
        let bytes = message(command, if reply { 0x80 } else { 0 }, words, data);
        let input = Input::whole(&bytes);
        let block = Blocks::new(&Header::parse(input).unwrap(), input)
            .next()
            .unwrap();
        if reply {
            response(&block)
        } else {
            request(&block)
        }
    }

    #[test]
    fn core_read_and_write() {
        let rq = read(0x0a, false, &words([7, 512, 0x1000, 2, 0]), &[]);
        assert_eq!(
            (rq.fid, rq.offset, rq.asked),
            (Some(7), Some(0x2_1000), 512)
        );
        let rs = read(0x0a, true, &words([3, 0, 0, 0, 0]), &[1, 3, 0, 9, 9, 9]);
        assert_eq!((rs.data, rs.fid), (3, None));
        let rq = read(0x0b, false, &words([7, 3, 8, 0, 0]), &[1, 3, 0, 9, 9, 9]);
        assert_eq!((rq.asked, rq.data, rq.offset), (3, 3, Some(8)));
        assert_eq!(read(0x0b, true, &words([3]), &[]).data, 3);
        assert_eq!(read(0x20, true, &words([900]), &[]).data, 900);
    }

    /// ResourceType 0 is a disk, 1 and 2 are pipes, 3 a printer (MS-CIFS 2.2.4.41.2); the service of
    /// a share of pipes is "IPC", of a disk "A:" (2.2.4.55.2).
    #[test]
    fn answers_say_what_is_a_pipe() {
        let pipe = |command, words: &[u8], data: &[u8]| {
            let bytes = message(command, 0x80, words, data);
            let input = Input::whole(&bytes);
            let mut blocks = Blocks::new(&Header::parse(input).unwrap(), input);
            opens_pipe(&blocks.next().unwrap())
        };
        for (resource, is_pipe) in [(0, false), (1, true), (2, true), (3, false)] {
            let opened = words([0xff, 0, 7, 0, 0, 0, 0, 0, 2, resource, 0, 1, 0, 0, 0]);
            assert_eq!(pipe(0x2d, &opened, &[]), is_pipe, "OPEN_ANDX {resource}");
            let mut created = vec![0; 68];
            created[0] = 0xff;
            created[63..65].copy_from_slice(&resource.to_le_bytes());
            assert_eq!(
                pipe(0xa2, &created, &[]),
                is_pipe,
                "NT_CREATE_ANDX {resource}"
            );
        }
        let connected = words([0xff, 0, 1]);
        assert!(pipe(0x75, &connected, b"IPC\0"));
        assert!(pipe(0x75, &connected, b"IPC\0N\0T\0F\0S\0\0\0"));
        assert!(!pipe(0x75, &connected, b"A:\0IPC\0"));
        assert!(!pipe(0x75, &[], &[]), "refused");
    }

    #[test]
    fn andx_reads_and_writes_know_large_counts_and_offsets() {
        let mut w = words([0xff, 0, 7, 0x1000, 0, 0xf000, 0, 1, 0, 0, 5, 0]);
        let rq = read(0x2e, false, &w, &[]);
        assert_eq!(
            (rq.fid, rq.offset, rq.asked),
            (Some(7), Some(0x5_0000_1000), 0x1_f000)
        );
        w[14..18].fill(0xff);
        assert_eq!(read(0x2e, false, &w, &[]).asked, 0xf000, "a time-out of -1");
        assert_eq!(
            read(0x2e, false, &w[..20], &[]).offset,
            Some(0x1000),
            "the form without OffsetHigh"
        );
        let big = vec![0; 0x1_0003];
        let w = words([0xff, 0, 7, 0, 0, 0, 0, 0, 0, 1, 3, 64, 0, 0]);
        assert_eq!(read(0x2f, false, &w, &big).data, 0x1_0003);
        let w = words([0xff, 0, 0, 0, 0, 3, 59, 1, 0, 0, 0, 0]);
        assert_eq!(read(0x2e, true, &w, &big).data, 0x1_0003);
        assert_eq!(
            read(0x2f, true, &words([0xff, 0, 3, 0, 1, 0]), &[]).data,
            0x1_0003
        );
    }

    #[test]
    fn raw_multiplexed_and_print() {
        let rq = read(0x1a, false, &words([7, 0, 1, 30720, 0, 0, 0, 0, 1, 0]), &[]);
        assert_eq!((rq.offset, rq.asked), (Some(0x1_0001_0000), 30720));
        let w = words([7, 4096, 0, 0x200, 0, 0, 0, 1, 0, 0, 1000, 59]);
        let rq = read(0x1d, false, &w, &[0; 1000]);
        assert_eq!((rq.offset, rq.asked, rq.data), (Some(0x200), 4096, 1000));
        assert_eq!(read(0x1e, false, &w, &[0; 1000]), rq);
        let rs = read(
            0x1b,
            true,
            &words([0x200, 0, 4096, 0, 0, 0, 512, 59]),
            &[0; 512],
        );
        assert_eq!((rs.offset, rs.data), (Some(0x200), 512));
        let rq = read(0xc1, false, &words([7]), &[1, 2, 0, 9, 9]);
        assert_eq!((rq.fid, rq.data), (Some(7), 2));
    }

    #[test]
    fn handles_of_opens_stand_in_their_responses() {
        assert_eq!(
            read(0x02, true, &words([7, 0, 0, 0, 0, 0, 0]), &[]).fid,
            Some(7)
        );
        assert_eq!(read(0x2d, true, &words([0xff, 0, 7]), &[]).fid, Some(7));
        assert_eq!(
            read(0xa2, true, &words([0xff, 0, 0x0702, 0]), &[]).fid,
            Some(7)
        );
        assert_eq!(
            read(0x05, false, &words([0xffff]), &[]).fid,
            None,
            "all files"
        );
    }

    /// 96 bytes of a frame leave 38 of the message: five of the words.
    #[test]
    fn what_a_cut_off_message_carries_shows_in_its_length() {
        let cut = |command: u8, reply: bool, words: &[u8], data: &[u8]| {
            let bytes = message(command, if reply { 0x80 } else { 0 }, words, data);
            let input = Input {
                bytes: &bytes[..38],
                length: bytes.len() as u32,
            };
            let mut blocks = Blocks::new(&Header::parse(input).unwrap(), input);
            let block = blocks.next().unwrap();
            if reply {
                response(&block)
            } else {
                request(&block)
            }
        };
        let mut w = words([0xff, 0, 0, 0, 0, 4096, 60, 0, 0, 0, 0, 0]);
        assert_eq!(cut(0x2e, true, &w, &[0; 4097]).data, 4096);
        w[0] = 0x04;
        assert_eq!(
            cut(0x2e, true, &w, &[0; 4097]).data,
            0,
            "something is chained to it"
        );
        let w = words([0xff, 0, 7, 0, 0, 0, 0, 0, 0, 0, 512, 64, 0, 0]);
        let rq = cut(0x2f, false, &w, &[0; 513]);
        assert_eq!((rq.data, rq.asked), (512, 512));
        let w = words([7, 4096, 0, 0x200, 0, 0, 0, 1, 0, 0, 1000, 60]);
        let rq = cut(0x1d, false, &w, &[0; 1001]);
        assert_eq!((rq.data, rq.asked), (1000, 4096));
        let w = words([0x200, 0, 4096, 0, 0, 0, 512, 52]);
        assert_eq!(cut(0x1b, true, &w, &[0; 513]).data, 512);
        assert_eq!(
            cut(0x0b, true, &words([900]), &[0; 9]).data,
            900,
            "it says it"
        );
    }

    #[test]
    fn a_length_never_exceeds_the_message() {
        let rs = read(
            0x2e,
            true,
            &words([0xff, 0, 0, 0, 0, 0xffff, 59, 0xff, 0, 0, 0, 0]),
            &[],
        );
        assert_eq!(rs.data, 59);
    }
}
