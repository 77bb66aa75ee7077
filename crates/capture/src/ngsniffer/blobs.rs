//! The compression of DOS Sniffer files.
//!
//! A sequence of blobs: a signed 16-bit length, then that number of bytes; stored as they are if
//! the length is negative. A compressed blob has groups of a 16-bit control word and up to
//! 16 items, one for each bit from the most significant down: a literal byte for 0; for 1
//! a code byte whose upper half says what to do, and whose lower half is part of a count
//! or distance. Blobs know nothing of each other.

use crate::window::Window;
use std::io::{self, Read};

/// The most bytes that one blob expands to.
const MAX_BLOB: usize = 1 << 16;

/// The expanded bytes of a sequence of blobs.
pub(super) struct Blobs {
    window: Window,
    /// The present blob, expanded, and how much of it has been read.
    blob: Vec<u8>,
    read: usize,
    /// What is wrong with the present blob behind what could be expanded of it.
    fault: Option<io::Error>,
}

impl Blobs {
    pub(super) const fn new(window: Window) -> Self {
        Self {
            window,
            blob: Vec::new(),
            read: 0,
            fault: None,
        }
    }

    /// Expands the next blob; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        let start = self.window.offset();
        let cut = || {
            io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the compressed data ends inside the block at byte {start}"),
            )
        };
        self.blob.clear();
        self.read = 0;
        let whole = self.window.fill(2)?;
        let length = match *self.window.unread() {
            [] => return Ok(false),
            [low, high, ..] if whole => i16::from_le_bytes([low, high]),
            _ => return Err(cut()),
        };
        self.window.consume(2);
        // One empty block may be; several are none.
        if length == 0 && self.window.fill(4)? && self.window.unread().starts_with(&[0; 4]) {
            let why = format!("the file is zeros from byte {start} on: its end was never written");
            self.fault = Some(io::Error::new(io::ErrorKind::InvalidData, why));
            return Ok(true);
        }
        let size = usize::from(length.unsigned_abs());
        let whole = match self.window.fill(size) {
            Ok(whole) => whole,
            Err(error) => {
                self.fault = Some(error);
                false
            }
        };
        let there = size.min(self.window.unread().len());
        let taken = self.window.consume(there);
        let packed = self.window.slice(taken);
        let expanded = if length < 0 {
            self.blob.extend_from_slice(packed);
            Ok(())
        } else {
            expand(packed, &mut self.blob)
        };
        if !whole {
            self.fault.get_or_insert_with(cut);
        } else if let Err(what) = expanded {
            self.fault = Some(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the compressed block at byte {start} is damaged ({what})"),
            ));
        }
        Ok(true)
    }
}

impl Read for Blobs {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let rest = self.blob.get(self.read..).unwrap_or_default();
            if !rest.is_empty() || out.is_empty() {
                let count = rest.len().min(out.len());
                out[..count].copy_from_slice(&rest[..count]);
                self.read += count;
                return Ok(count);
            }
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            if !self.advance()? {
                return Ok(0);
            }
        }
    }
}

/// Expands a blob to the end of `out`, which is empty before. What an error leaves there
/// is good.
fn expand(packed: &[u8], out: &mut Vec<u8>) -> Result<(), &'static str> {
    const SHORT: &str = "an item is not whole";
    let mut packed = packed.iter().copied();
    while let Some(low) = packed.next() {
        let high = packed.next().ok_or(SHORT)?;
        let mut control = u16::from_le_bytes([low, high]);
        for _ in 0..16 {
            let Some(code) = packed.next() else {
                return Ok(());
            };
            let literal = control & 0x8000 == 0;
            control <<= 1;
            if literal {
                append(out, std::iter::repeat_n(code, 1))?;
                continue;
            }
            let low = usize::from(code & 0x0f);
            let mut byte = || packed.next().map(usize::from).ok_or(SHORT);
            match code >> 4 {
                0 => {
                    let value = byte()? as u8;
                    append(out, std::iter::repeat_n(value, low + 3))?;
                }
                1 => {
                    let count = low + 16 * byte()? + 19;
                    let value = byte()? as u8;
                    append(out, std::iter::repeat_n(value, count))?;
                }
                2 => {
                    let distance = low + 16 * byte()? + 3;
                    copy(out, distance, byte()? + 16)?;
                }
                length => {
                    let distance = low + 16 * byte()? + 3;
                    copy(out, distance, usize::from(length))?;
                }
            }
        }
    }
    Ok(())
}

fn append(out: &mut Vec<u8>, bytes: impl ExactSizeIterator<Item = u8>) -> Result<(), &'static str> {
    if out.len() + bytes.len() > MAX_BLOB {
        return Err("it expands to more than 64 KiB");
    }
    out.extend(bytes);
    Ok(())
}

/// Repeats `length` bytes that stand `distance` before the end.
fn copy(out: &mut Vec<u8>, distance: usize, length: usize) -> Result<(), &'static str> {
    if length > distance {
        return Err("a copy reaches into itself");
    }
    let from = out
        .len()
        .checked_sub(distance)
        .ok_or("a copy is from before its start")?;
    if out.len() + length > MAX_BLOB {
        return Err("it expands to more than 64 KiB");
    }
    out.extend_from_within(from..from + length);
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::format::tests::Chunks;

    /// A blob of literals only.
    pub(in crate::ngsniffer) fn literal(bytes: &[u8]) -> Vec<u8> {
        bytes
            .chunks(16)
            .flat_map(|group| [&[0, 0], group].concat())
            .collect()
    }

    /// A blob with every kind of item, wherever it fits.
    pub(in crate::ngsniffer) fn compress(bytes: &[u8]) -> Vec<u8> {
        let mut items: Vec<(bool, Vec<u8>)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let run = rest.iter().take_while(|b| **b == rest[0]).count();
            let (mut length, mut distance) = (0, 0);
            for back in 3..=at.min(4098) {
                let from = at - back;
                let same = rest.iter().zip(&bytes[from..at]);
                let same = same.take_while(|(a, b)| a == b).count().min(271);
                if same > length {
                    (length, distance) = (same, back - 3);
                }
            }
            let (low, high) = ((distance & 15) as u8, (distance >> 4) as u8);
            let (taken, item) = if run >= 19 {
                let run = run.min(4114);
                let count = run - 19;
                let code = 0x10 | (count & 15) as u8;
                (run, vec![code, (count >> 4) as u8, rest[0]])
            } else if run >= 3 {
                (run, vec![run as u8 - 3, rest[0]])
            } else if length >= 16 {
                (length, vec![0x20 | low, high, (length - 16) as u8])
            } else if length >= 3 {
                (length, vec![(length as u8) << 4 | low, high])
            } else {
                (1, vec![rest[0]])
            };
            items.push((taken > 1, item));
            at += taken;
        }
        let mut out = Vec::new();
        for group in items.chunks(16) {
            let bits = group.iter().enumerate().fold(0_u16, |bits, (i, item)| {
                bits | u16::from(item.0) << (15 - i)
            });
            out.extend(bits.to_le_bytes());
            out.extend(group.iter().flat_map(|item| item.1.iter().copied()));
        }
        out
    }

    fn expanded(packed: &[u8]) -> Result<Vec<u8>, (Vec<u8>, &'static str)> {
        let mut out = Vec::new();
        match expand(packed, &mut out) {
            Ok(()) => Ok(out),
            Err(what) => Err((out, what)),
        }
    }

    #[test]
    fn each_item_means_what_it_says() {
        // Control word 0x8000: the first item is a code, in little-endian.
        assert_eq!(expanded(&[0, 0, 7, 8]).unwrap(), [7, 8]);
        assert_eq!(expanded(&[0, 0x80, 0x02, 9]).unwrap(), [9; 5]);
        assert_eq!(expanded(&[0, 0x80, 0x13, 2, 9]).unwrap(), [9; 3 + 32 + 19]);
        let copied = expanded(&[0, 0x10, 1, 2, 3, 0x30, 0, 4]).unwrap();
        assert_eq!(copied, [1, 2, 3, 1, 2, 3, 4]);
        let long = expanded(&[0, 0xc0, 0x0f, 1, 0x2d, 0, 0, 5]).unwrap();
        assert_eq!(long, [&[1; 34][..], &[5]].concat(), "16 bytes from 16 back");
        assert_eq!(expanded(&[]).unwrap(), []);
        assert_eq!(expanded(&[0xff, 0xff]).unwrap(), [], "no items, no harm");
    }

    #[test]
    fn errors_leave_what_came_before() {
        for (packed, good, word) in [
            (&[0][..], 0, "not whole"),
            (&[0, 0x40, 1, 0x30], 1, "not whole"),
            (&[0, 0x40, 1, 0x12, 5], 1, "not whole"),
            (&[0, 0x40, 1, 0x30, 0], 1, "before its start"),
            (&[0, 0x10, 1, 2, 3, 0x40, 0], 3, "into itself"),
        ] {
            let (out, what) = expanded(packed).unwrap_err();
            assert_eq!(out.len(), good, "{packed:?}");
            assert!(what.contains(word), "{what}");
        }
        let bomb: Vec<u8> = [[0xff, 0xff].to_vec(), [0x1f, 0xff, 0].repeat(16)].concat();
        let (out, what) = expanded(&bomb).unwrap_err();
        assert_eq!(out.len(), 15 * 4114);
        assert!(what.contains("64 KiB"), "{what}");
    }

    #[test]
    fn what_is_compressed_comes_back() {
        let text = b"round and round and round the rugged rock ";
        let mut bytes: Vec<u8> = text.repeat(20);
        bytes.extend([0; 5000]);
        bytes.extend((0..3000_u32).map(|i| ((i * i) >> 5) as u8));
        bytes.extend(text.repeat(9));
        for size in [1, 2, 3, 16, 17, 100, 2000, bytes.len()] {
            let packed = compress(&bytes[..size]);
            assert_eq!(expanded(&packed).unwrap(), bytes[..size], "{size} bytes");
            assert_eq!(expanded(&literal(&bytes[..size])).unwrap(), bytes[..size]);
        }
        assert!(compress(&bytes).len() < bytes.len() / 2);
    }

    #[test]
    fn blobs_follow_each_other_and_a_cut_one_is_told() {
        let blobs = [&[3, 0, 0, 0, 1][..], &[0, 0], &[0xfd, 0xff, 2, 3, 4]].concat();
        for (cut, good) in [(12, 4), (11, 3), (7, 1), (4, 0), (1, 0)] {
            let window = Window::new(Box::new(Chunks::new(&blobs[..cut], 2)), 64);
            let mut out = Vec::new();
            let result = Blobs::new(window).read_to_end(&mut out);
            assert_eq!(out, [1, 2, 3, 4][..good], "cut at {cut}");
            // Seven bytes are two whole blobs.
            assert_eq!(result.is_ok(), cut == 12 || cut == 7, "cut at {cut}");
        }
    }
}
