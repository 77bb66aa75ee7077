//! What the readers of formats share whose records follow each other without a mark.

use crate::fault::Fault;
use crate::interfaces::Interfaces;
use crate::raw::MAX_FRAME;
use crate::reader::{Reader, Record};
use crate::window::Window;
use std::io::Read;
use std::ops::Range;

/// The most bytes of a file that has to be in memory as a whole.
pub(crate) const MAX_WHOLE: usize = 1 << 30;

/// A format whose records are found one behind the other: where one is broken, nothing
/// tells where the next one starts.
pub(crate) trait Sequence: Send {
    /// Moves to the next record; `None` at the end. Not called again after that.
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault>;

    /// As [`Reader::bytes`].
    fn bytes(&self) -> &[u8];

    /// As [`Reader::remarks`].
    fn remarks(&self) -> &[String] {
        &[]
    }
}

/// A [`Sequence`] up to its end or its first fault.
struct ToFault<S> {
    sequence: S,
    done: bool,
}

impl<S: Sequence> Reader for ToFault<S> {
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        if self.done {
            return Ok(None);
        }
        let result = self.sequence.record(interfaces);
        self.done = !matches!(result, Ok(Some(_)));
        result
    }

    fn bytes(&self) -> &[u8] {
        self.sequence.bytes()
    }

    fn remarks(&self) -> &[String] {
        self.sequence.remarks()
    }
}

/// The reader that a sequence makes.
pub(crate) fn reader(sequence: impl Sequence + 'static) -> Box<dyn Reader> {
    Box::new(ToFault {
        sequence,
        done: false,
    })
}

/// The first `size` bytes of a file, which its header has to have. They stay unread.
pub(crate) fn file_header(window: &mut Window, size: usize) -> Result<&[u8], Fault> {
    let whole = window
        .fill(size)
        .map_err(|error| Fault::unreadable(format!("cannot be read: {error}")))?;
    if !whole {
        return Err(Fault::empty(format!(
            "the file ends inside its file header, {} of {size} bytes are there; \
             the capture was cut off before its first frame",
            window.unread().len()
        )));
    }
    Ok(window.unread())
}

/// Passes over `count` bytes that belong to the head of a file.
pub(crate) fn skip_in_head(window: &mut Window, count: u64) -> Result<(), Fault> {
    let whole = window
        .skip(count)
        .map_err(|error| Fault::unreadable(format!("cannot be read: {error}")))?;
    if whole {
        return Ok(());
    }
    Err(Fault::empty(
        "the file ends before its first frame; the capture was cut off there",
    ))
}

/// All that is left of a stream, and the fault that ended it.
///
/// # Errors
/// When it is more than [`MAX_WHOLE`] bytes.
pub(crate) fn whole(window: Window, format: &str) -> Result<(Vec<u8>, Option<Fault>), Fault> {
    whole_up_to(MAX_WHOLE, window, format)
}

fn whole_up_to(
    limit: usize,
    window: Window,
    format: &str,
) -> Result<(Vec<u8>, Option<Fault>), Fault> {
    let mut bytes = Vec::new();
    let result = window.take(limit as u64 + 1).read_to_end(&mut bytes);
    if bytes.len() > limit {
        return Err(Fault::unreadable(format!(
            "is a {format} file of more than {} MiB, which has to be in memory as a whole; \
             convert it with `editcap -F pcapng IN OUT` (part of Wireshark)",
            limit >> 20
        )));
    }
    let fault = result
        .err()
        .map(|error| Fault::io(bytes.len() as u64, &error));
    Ok((bytes, fault))
}

/// Records, each a header and the bytes of a frame, in a stream.
pub(crate) struct Records {
    window: Window,
    /// Position of the window's first byte in the (decompressed) file.
    base: u64,
    frame: Range<usize>,
    /// Bytes between the last frame and the next record.
    padding: u64,
}

impl Records {
    pub(crate) const fn new(window: Window, base: u64) -> Self {
        Self {
            window,
            base,
            frame: 0..0,
            padding: 0,
        }
    }

    /// Where the next record starts.
    pub(crate) const fn offset(&self) -> u64 {
        self.base
            .saturating_add(self.window.offset())
            .saturating_add(self.padding)
    }

    /// The header of the next record and whatever is visible behind it; it stays unread.
    /// `None` at the end of the stream.
    pub(crate) fn header(&mut self, size: usize) -> Result<Option<&[u8]>, Fault> {
        self.pass_padding()?;
        let start = self.offset();
        let whole = self
            .window
            .fill(size)
            .map_err(|error| Fault::io(start, &error))?;
        match self.window.unread() {
            [] => Ok(None),
            head if whole && head.iter().take(size).all(|byte| *byte == 0) => {
                Err(Fault::zeros(start))
            }
            head if whole => Ok(Some(head)),
            head => Err(Fault::cut(start, "record header", head.len(), size)),
        }
    }

    /// Takes the record whose header was asked for: `header` bytes, then `captured` of a
    /// frame, then `padding`.
    pub(crate) fn take(
        &mut self,
        header: usize,
        captured: usize,
        padding: u64,
    ) -> Result<(), Fault> {
        let start = self.offset();
        if captured > MAX_FRAME {
            return Err(Fault::oversized(start, captured));
        }
        let size = header.saturating_add(captured);
        let whole = self
            .window
            .fill(size)
            .map_err(|error| Fault::io(start, &error))?;
        if !whole {
            let there = self.window.unread().len();
            return Err(Fault::cut(start, "record", there, size));
        }
        let taken = self.window.consume(size);
        self.frame = taken.start.saturating_add(header)..taken.end;
        self.padding = padding;
        Ok(())
    }

    /// Drops bytes from the start of the frame that was taken.
    pub(crate) fn trim_start(&mut self, count: usize) {
        self.frame.start = self.frame.start.saturating_add(count).min(self.frame.end);
    }

    /// Keeps the first `length` bytes of the frame that was taken.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.frame.end = self.frame.start.saturating_add(length).min(self.frame.end);
    }

    /// Passes over a record of `size` bytes that holds no frame.
    pub(crate) fn pass(&mut self, size: u64) -> Result<(), Fault> {
        self.padding = size;
        self.pass_padding()
    }

    /// The frame that was taken.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.window.slice(self.frame.clone())
    }

    fn pass_padding(&mut self) -> Result<(), Fault> {
        let count = std::mem::take(&mut self.padding);
        if count == 0 {
            return Ok(());
        }
        let start = self.offset();
        let whole = self
            .window
            .skip(count)
            .map_err(|error| Fault::io(start, &error))?;
        if whole {
            return Ok(());
        }
        Err(Fault::damaged(
            start,
            format!(
                "the file ends within the {count} bytes that belong to a record here; the \
                 frames before it were read. It was cut off: copy it again"
            ),
        ))
    }
}

/// Frames that are in a file but cannot be given: they are counted and told at its end.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    count: u64,
    /// Where the first one is, and why it was left out.
    first: Option<(u64, String)>,
}

impl LeftOut {
    /// Counts a frame.
    pub(crate) fn add(&mut self, offset: u64, why: impl FnOnce() -> String) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert_with(|| (offset, why()));
    }

    /// What is to be said where reading ends with `end`.
    pub(crate) fn told(
        &mut self,
        end: Result<Option<Record>, Fault>,
    ) -> Result<Option<Record>, Fault> {
        if matches!(end, Ok(Some(_))) {
            return end;
        }
        let Some((offset, why)) = self.first.take() else {
            return end;
        };
        let frames = match self.count {
            1 => "1 frame was".to_owned(),
            count => format!("{count} frames were"),
        };
        Err(match end {
            Err(mut fault) => {
                fault.message = format!(
                    "{}; besides, {frames} left out, the first at byte {offset}: {why}",
                    fault.message
                );
                fault
            }
            Ok(_) => Fault::damaged(offset, format!("{frames} left out, the first here: {why}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::format::tests::Chunks;

    fn records(bytes: &[u8]) -> Records {
        Records::new(Window::new(Box::new(Chunks::new(bytes, 3)), 64), 100)
    }

    #[test]
    fn a_record_is_a_header_a_frame_and_padding() {
        let mut records = records(b"HHframe..HH");
        assert_eq!(&records.header(2).unwrap().unwrap()[..2], b"HH");
        records.take(2, 5, 2).unwrap();
        assert_eq!(records.bytes(), b"frame");
        records.trim_start(1);
        records.truncate(3);
        assert_eq!(records.bytes(), b"ram");
        assert_eq!(records.offset(), 109);
        assert_eq!(records.header(2).unwrap().unwrap(), b"HH");
        assert_eq!(records.offset(), 109);
        records.pass(2).unwrap();
        assert_eq!(records.header(2), Ok(None));
    }

    #[test]
    fn what_is_cut_is_told_with_its_place() {
        for (bytes, offset) in [
            (&b"H"[..], 100),
            (b"HHfra", 100),
            (b"HHframe.", 107),
            (b"HHframe..H", 109),
        ] {
            let mut records = records(bytes);
            let mut step = || -> Result<(), Fault> {
                records.header(2)?;
                records.take(2, 5, 2)?;
                records.header(2)?;
                Ok(())
            };
            let fault = step().unwrap_err();
            assert_eq!(fault.severity, Severity::Damaged);
            assert_eq!(fault.offset, Some(offset), "{fault:?}");
        }
        let fault = records(b"HH").take(2, MAX_FRAME + 1, 0).unwrap_err();
        assert!(fault.message.contains("262145"), "{fault:?}");
    }

    #[test]
    fn frames_left_out_are_told_at_the_end() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.told(Ok(None)), Ok(None));
        left_out.add(7, || "of link 5".to_owned());
        left_out.add(9, || unreachable!("the first one is told"));
        let fault = left_out.told(Ok(None)).unwrap_err();
        assert_eq!(fault.offset, Some(7));
        assert!(
            fault.message.contains("2 frames were left out"),
            "{fault:?}"
        );
        assert!(fault.message.contains("of link 5"), "{fault:?}");
        assert_eq!(left_out.told(Ok(None)), Ok(None), "once");

        left_out.add(7, || "of link 5".to_owned());
        let fault = left_out.told(Err(Fault::damaged(50, "cut"))).unwrap_err();
        assert_eq!(fault.offset, Some(50));
        assert!(fault.message.starts_with("cut; besides,"), "{fault:?}");
    }

    #[test]
    fn a_stream_that_fails_leaves_what_came_before() {
        struct Failing(bool);
        impl Read for Failing {
            fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(std::io::Error::other("worn out"));
                }
                out[..4].copy_from_slice(b"good");
                Ok(4)
            }
        }
        let window = Window::new(Box::new(Failing(false)), 64);
        let (bytes, fault) = whole(window, "test").unwrap();
        assert_eq!(bytes, b"good");
        assert_eq!(fault.unwrap().offset, Some(4));
    }

    #[test]
    fn what_is_too_large_for_memory_is_refused() {
        let bytes = vec![7; 2 << 20];
        let read = |limit| {
            let window = Window::new(Box::new(Chunks::new(&bytes, 1 << 16)), 4096);
            whole_up_to(limit, window, "test")
        };
        assert_eq!(read(2 << 20).unwrap().0.len(), 2 << 20);
        let fault = read((2 << 20) - 1).unwrap_err();
        assert_eq!(fault.severity, Severity::Unreadable);
        assert!(fault.message.contains("more than 1 MiB"), "{fault:?}");
    }
}
