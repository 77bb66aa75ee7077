//! A sliding window over a byte stream: large reads in, borrowed slices out.
//!
//! `read()` into one reused buffer is several times faster than mapping the file, works
//! on pipes, and cannot fault when a ring file is cut short under the reader.

use std::io::{self, Read};
use std::ops::Range;

/// The most bytes [`Window::fill`] may be asked for: the largest record or block that
/// any reader keeps in one piece.
pub(crate) const MAX_WINDOW: usize = 1 << 20;

/// The smallest useful window.
const MIN_WINDOW: usize = 64;

/// A stream of bytes, seen through a buffer.
pub(crate) struct Window {
    source: Box<dyn Read + Send>,
    /// Always initialised to its full length; the bytes at `start..end` are unread.
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Position of `buffer[start]` in the stream.
    offset: u64,
    ended: bool,
    /// The error that ended the stream: every later read reports it, even if
    /// the source would then pretend to be at its end.
    failed: Option<(io::ErrorKind, String)>,
}

impl Window {
    /// A window of `capacity` bytes; it grows when one record needs more.
    pub(crate) fn new(source: Box<dyn Read + Send>, capacity: usize) -> Self {
        Self {
            source,
            buffer: vec![0; capacity.clamp(MIN_WINDOW, MAX_WINDOW)],
            start: 0,
            end: 0,
            offset: 0,
            ended: false,
            failed: None,
        }
    }

    /// Makes the next `wanted` bytes (at most [`MAX_WINDOW`]) visible.
    /// False when the stream ends before that; what is left of it is visible then.
    #[inline]
    pub(crate) fn fill(&mut self, wanted: usize) -> io::Result<bool> {
        if self.end - self.start >= wanted {
            return Ok(true);
        }
        self.refill(wanted)
    }

    /// The unread bytes that are visible.
    #[inline]
    pub(crate) fn unread(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Position of the next unread byte in the stream.
    #[inline]
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    /// Marks the next `count` visible bytes as read and says where they are.
    /// They can be had from [`Self::slice`] until the next `fill`, `skip` or `read`.
    #[inline]
    pub(crate) fn consume(&mut self, count: usize) -> Range<usize> {
        let from = self.start;
        self.start = from.saturating_add(count).min(self.end);
        self.offset += (self.start - from) as u64;
        from..self.start
    }

    /// Bytes that [`Self::consume`] has marked.
    #[inline]
    pub(crate) fn slice(&self, range: Range<usize>) -> &[u8] {
        self.buffer.get(range).unwrap_or_default()
    }

    /// Passes over `count` bytes, however many. False when the stream ends before that.
    pub(crate) fn skip(&mut self, mut count: u64) -> io::Result<bool> {
        while count > 0 {
            if !self.fill(1)? {
                return Ok(false);
            }
            let step = usize::try_from(count)
                .unwrap_or(usize::MAX)
                .min(self.end - self.start);
            self.consume(step);
            count -= step as u64;
        }
        Ok(true)
    }

    #[inline(never)]
    fn refill(&mut self, wanted: usize) -> io::Result<bool> {
        debug_assert!(wanted <= MAX_WINDOW, "callers bound what they ask for");
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if wanted > self.buffer.len() {
            self.buffer.resize(wanted.min(MAX_WINDOW), 0);
        }
        while self.end < wanted && !self.ended {
            let Some(room) = self.buffer.get_mut(self.end..) else {
                break;
            };
            if room.is_empty() {
                break;
            }
            let size = room.len();
            if let Some((kind, text)) = &self.failed {
                return Err(io::Error::new(*kind, text.clone()));
            }
            match self.source.read(room) {
                Ok(0) => self.ended = true,
                // A `Read` that claims more than it was given room for is not believed.
                Ok(count) => self.end += count.min(size),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.failed = Some((error.kind(), error.to_string())),
            }
        }
        Ok(self.end >= wanted)
    }
}

/// A window read as a plain stream: how one wrapper (gzip inside zstd) sits on another.
impl Read for Window {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if !self.fill(1)? {
            return Ok(0);
        }
        let count = out.len().min(self.end - self.start);
        let range = self.consume(count);
        out[..count].copy_from_slice(self.slice(range));
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::Chunks;

    #[test]
    fn bytes_come_out_in_order_whatever_the_pieces() {
        let bytes: Vec<u8> = (0..1000_u32).map(|i| i as u8).collect();
        for chunk in [1, 3, 64, 5000] {
            let mut window = Window::new(Box::new(Chunks::new(&bytes, chunk)), 64);
            assert!(window.fill(10).unwrap());
            let head = window.consume(10);
            assert_eq!(window.slice(head), &bytes[..10]);
            assert!(window.fill(500).unwrap(), "grows for a large record");
            assert_eq!(&window.unread()[..500], &bytes[10..510]);
            assert!(window.skip(900).unwrap());
            assert_eq!(window.offset(), 910);
            assert!(!window.fill(91).unwrap());
            assert_eq!(window.unread(), &bytes[910..]);
            assert!(!window.skip(91).unwrap());
            assert_eq!(window.offset(), 1000);
        }
    }

    #[test]
    fn reads_as_a_stream() {
        let bytes: Vec<u8> = (0..1000_u32).map(|i| i as u8).collect();
        let mut window = Window::new(Box::new(Chunks::new(&bytes, 7)), 64);
        let mut out = Vec::new();
        window.read_to_end(&mut out).unwrap();
        assert_eq!(out, bytes);
    }
}
