//! Where the file handle, offset and count stand in the functions that work on open files.
//!
//! Offsets count from the packet type. A handle has 4 bytes in the functions of group 87
//! and 6 in the older ones, where it is the last 4 of them; so the 4 bytes are what names a
//! file throughout a connection.

use crate::parse::{be16, be32, be64, le32};
use wirewait_wire::{File, Input};

/// What a request says about the file it works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fields {
    /// The open file.
    pub(super) file: Option<File>,
    /// Bytes of file data asked for or brought.
    pub(super) asked: u64,
    /// Bytes of file data in this packet.
    pub(super) data: u64,
    /// The server may hold the answer back until a lock is free.
    pub(super) may_wait: bool,
}

/// Reads the fields of a request. Those that the capture cut off are missing, except that
/// a write's data is then taken to fill the packet.
pub(super) fn request(function: u8, subfunction: u8, input: Input<'_>) -> Fields {
    let bytes = input.bytes;
    let may_wait =
        time_out(function, subfunction).is_some_and(|field| field.read(bytes) != Some(0));
    let Some(layout) = Layout::of(function, subfunction, input.length) else {
        return Fields {
            may_wait,
            ..Fields::default()
        };
    };
    let file = be32(bytes, layout.handle).map(|handle| File {
        handle: handle.into(),
        offset: layout.offset.and_then(|field| field.read(bytes)),
    });
    let count = layout.count.and_then(|field| field.read(bytes));
    let (asked, data) = match layout.data {
        Some(start) => {
            let room = u64::from(input.length.saturating_sub(start));
            let data = count.unwrap_or(room).min(room);
            (data, data)
        }
        None => (count.unwrap_or(0), 0),
    };
    Fields {
        file,
        asked,
        data,
        may_wait,
    }
}

/// Bytes of file data that a successful reply brings, or says were taken.
pub(super) fn moved(function: u8, subfunction: u8, asked: u64, input: Input<'_>) -> u64 {
    let (count, start) = match (function, subfunction) {
        (72, _) | (87, 64) => (Field::Word(8), 10),
        (87, 72) => (Field::Long(8), 12),
        (73, _) | (87, 65 | 73) => return asked,
        // Copied within the server: nothing is carried, so nothing bounds it.
        (74, _) => return Field::Long(8).read(input.bytes).unwrap_or(asked),
        (87, 70) => return Field::Quad(8).read(input.bytes).unwrap_or(asked),
        _ => return 0,
    };
    let room = u64::from(input.length.saturating_sub(start));
    count.read(input.bytes).unwrap_or(room).min(room)
}

/// The file that a successful reply to an open or create gives the handle of. A created
/// directory has none.
pub(super) fn opened(function: u8, subfunction: u8, input: Input<'_>) -> Option<File> {
    let at = match (function, subfunction) {
        (65 | 67 | 76 | 77 | 84, _) => 10,
        (87 | 89, 1 | 30 | 32 | 33) | (22, 49) => 8,
        (35, 8) => 18,
        _ => return None,
    };
    match be32(input.bytes, at)? {
        0 => None,
        handle => Some(File {
            handle: handle.into(),
            offset: None,
        }),
    }
}

/// A number and where it stands; big-endian, except for some of newer functions.
#[derive(Clone, Copy, Debug)]
enum Field {
    Word(usize),
    Long(usize),
    LoLong(usize),
    Quad(usize),
}

impl Field {
    fn read(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::Word(at) => be16(bytes, at).map(u64::from),
            Self::Long(at) => be32(bytes, at).map(u64::from),
            Self::LoLong(at) => le32(bytes, at).map(u64::from),
            Self::Quad(at) => be64(bytes, at),
        }
    }
}

/// Where a request's fields stand.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// The 4 bytes that name the file.
    handle: usize,
    offset: Option<Field>,
    count: Option<Field>,
    /// Where the data of a write begins.
    data: Option<u32>,
}

impl Layout {
    const fn handle(handle: usize) -> Self {
        Self {
            handle,
            offset: None,
            count: None,
            data: None,
        }
    }

    const fn offset(mut self, field: Field) -> Self {
        self.offset = Some(field);
        self
    }

    const fn count(mut self, field: Field) -> Self {
        self.count = Some(field);
        self
    }

    const fn data(mut self, start: u32) -> Self {
        self.data = Some(start);
        self
    }

    /// `length` tells the two forms of the old copy function apart: its count has 4 bytes
    /// in current documentation and 2 in older tables.
    const fn of(function: u8, subfunction: u8, length: u32) -> Option<Self> {
        use Field::{LoLong, Long, Quad, Word};
        Some(match (function, subfunction) {
            (72, _) => Self::handle(10).offset(Long(14)).count(Word(18)),
            (73, _) => Self::handle(10).offset(Long(14)).count(Word(18)).data(20),
            (74, _) if length < 32 => Self::handle(10).offset(Long(20)).count(Word(28)),
            (74, _) => Self::handle(10).offset(Long(20)).count(Long(28)),
            (26 | 28 | 30, _) => Self::handle(10).offset(Long(14)),
            (109, _) => Self::handle(10).offset(LoLong(14)),
            (59 | 61 | 66 | 71 | 75, _) | (87, 31) => Self::handle(10),
            (85, _) => Self::handle(11).offset(LoLong(15)),
            (87, 34 | 66) => Self::handle(8),
            (87, 43) => Self::handle(12),
            (87, 44) => Self::handle(20),
            (87, 64) => Self::handle(8).offset(Quad(12)).count(Word(20)),
            (87, 65) => Self::handle(8).offset(Quad(12)).count(Word(20)).data(22),
            (87, 67) => Self::handle(12).offset(Quad(16)),
            (87, 68 | 69) => Self::handle(8).offset(Quad(12)),
            (87, 70) => Self::handle(10).offset(Quad(20)).count(Quad(36)),
            (87, 71) => Self::handle(10).offset(Quad(14)),
            (87, 72) => Self::handle(8).offset(Quad(12)).count(Long(20)),
            (87, 73) => Self::handle(8).offset(Quad(12)).count(Long(20)).data(24),
            _ => return None,
        })
    }
}

/// Where the time-out of a request that takes a lock stands; 0 is "do not wait".
const fn time_out(function: u8, subfunction: u8) -> Option<Field> {
    use Field::{Long, Word};
    Some(match (function, subfunction) {
        (3 | 105, _) => Word(9),
        (4 | 106, _) => Word(7),
        (9 | 10 | 27 | 107 | 108 | 110, _) => Word(8),
        (26 | 109, _) => Word(22),
        (32 | 111, 2) => Word(12),
        (87, 36) => Long(16),
        (87, 67) => Long(32),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that each say where they stand, so that a field read from the wrong place
    /// shows; `length` of them.
    fn ruler(length: u8) -> Vec<u8> {
        (0..length).collect()
    }

    fn file(handle: u128, offset: u64) -> Option<File> {
        Some(File {
            handle,
            offset: Some(offset),
        })
    }

    #[test]
    fn reads_and_writes_by_6_byte_handle() {
        let bytes = ruler(22);
        let read = request(72, 0, Input::whole(&bytes));
        assert_eq!(read.file, file(0x0a0b_0c0d, 0x0e0f_1011));
        assert_eq!((read.asked, read.data), (0x1213, 0));
        let input = Input {
            bytes: &bytes,
            length: 20 + 0x1213,
        };
        let write = request(73, 0, input);
        assert_eq!(write.file, read.file);
        assert_eq!((write.asked, write.data), (0x1213, 0x1213));
    }

    #[test]
    fn reads_and_writes_by_4_byte_handle() {
        let bytes = ruler(28);
        let read = request(87, 64, Input::whole(&bytes));
        assert_eq!(read.file, file(0x0809_0a0b, 0x0c0d_0e0f_1011_1213));
        assert_eq!((read.asked, read.data), (0x1415, 0));
        let input = Input {
            bytes: &bytes,
            length: 22 + 100,
        };
        let write = request(87, 65, input);
        assert_eq!(
            (write.asked, write.data),
            (100, 100),
            "no more than there is"
        );
        assert_eq!(request(87, 72, input).asked, 0x1415_1617);
        let input = Input {
            bytes: &bytes,
            length: u32::MAX,
        };
        assert_eq!(request(87, 73, input).data, 0x1415_1617);
    }

    #[test]
    fn a_write_whose_count_was_cut_off_fills_the_packet() {
        let bytes = ruler(16);
        let write = request(
            73,
            0,
            Input {
                bytes: &bytes,
                length: 532,
            },
        );
        assert_eq!((write.asked, write.data), (512, 512));
        assert_eq!(write.file.unwrap().offset, None);
        let read = request(
            72,
            0,
            Input {
                bytes: &bytes[..9],
                length: 20,
            },
        );
        assert_eq!(read, Fields::default());
    }

    #[test]
    fn copies_in_both_forms() {
        let bytes = ruler(44);
        let copy = request(74, 0, Input::whole(&bytes[..32]));
        assert_eq!(copy.file, file(0x0a0b_0c0d, 0x1415_1617));
        assert_eq!((copy.asked, copy.data), (0x1c1d_1e1f, 0));
        assert_eq!(request(74, 0, Input::whole(&bytes[..30])).asked, 0x1c1d);
        let wide = request(87, 70, Input::whole(&bytes));
        assert_eq!(wide.asked, 0x2425_2627_2829_2a2b);
    }

    #[test]
    fn a_lock_waits_only_with_a_time_out() {
        let mut bytes = [0u8; 40];
        for (function, sub, at) in [
            (3, 0, 10),
            (4, 0, 8),
            (26, 0, 23),
            (27, 0, 9),
            (105, 0, 9),
            (109, 0, 22),
            (110, 0, 8),
            (32, 2, 13),
            (111, 2, 12),
            (87, 36, 19),
            (87, 67, 35),
        ] {
            assert!(!request(function, sub, Input::whole(&bytes)).may_wait);
            bytes[at] = 1;
            assert!(
                request(function, sub, Input::whole(&bytes)).may_wait,
                "{function}/{sub}"
            );
            bytes[at] = 0;
            assert!(
                request(function, sub, Input::whole(&bytes[..7])).may_wait,
                "cut off: cannot be ruled out"
            );
        }
        assert!(
            !request(28, 0, Input::whole(&[1; 40])).may_wait,
            "a release never waits"
        );
        assert!(!request(32, 3, Input::whole(&[1; 40])).may_wait);
    }

    #[test]
    fn replies_say_what_was_moved() {
        let mut reply = [0u8; 12];
        reply[8..10].copy_from_slice(&[2, 0]);
        let input = Input {
            bytes: &reply,
            length: 10 + 512,
        };
        assert_eq!(moved(72, 0, 1024, input), 512);
        assert_eq!(moved(87, 64, 1024, input), 512);
        assert_eq!(
            moved(72, 0, 1024, Input::whole(&reply)),
            2,
            "no more than there is"
        );
        assert_eq!(moved(73, 0, 1024, input), 1024);
        assert_eq!(moved(66, 0, 0, input), 0);
        assert_eq!(moved(74, 0, 9, Input::whole(&ruler(12))), 0x0809_0a0b);
        assert_eq!(
            moved(87, 70, 9, Input::whole(&ruler(16))),
            0x0809_0a0b_0c0d_0e0f
        );
    }

    #[test]
    fn replies_to_opens_give_the_handle() {
        let bytes = ruler(24);
        let handle = |function, sub| opened(function, sub, Input::whole(&bytes)).unwrap().handle;
        assert_eq!(handle(76, 0), 0x0a0b_0c0d, "the last 4 of 6 bytes at 8");
        assert_eq!(handle(87, 1), 0x0809_0a0b);
        assert_eq!(handle(89, 33), 0x0809_0a0b);
        assert_eq!(handle(35, 8), 0x1213_1415);
        assert_eq!(opened(66, 0, Input::whole(&bytes)), None);
        assert_eq!(opened(87, 1, Input::whole(&[0; 24])), None, "a directory");
        assert_eq!(opened(87, 1, Input::whole(&bytes[..11])), None, "cut off");
    }
}
