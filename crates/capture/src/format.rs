//! What a stream is, decided by its first bytes.
//!
//! [`FORMATS`] is the whole knowledge: to read one more format, write a file with a
//! [`Reader`] and a [`Format`], and add its line here.

use crate::calendar::Zone;
use crate::interfaces::Interfaces;
use crate::window::Window;
use crate::{
    compressed, foreign, iptrace, lanalyzer, netmon, netxray, ngsniffer, pcap, pcapng, snoop,
};
use std::io::{self, Read};
use wirewait_wire::{LinkType, SourceError, SourceErrorKind, Timestamp};

/// The most captured bytes of one frame. Larger than any link's frames, and than the
/// 64 KiB super-frames of segmentation offload; what claims more is damage.
pub const MAX_FRAME: usize = 262_144;

/// All formats, strong magics first. Checked in this order.
const FORMATS: &[&[Format]] = &[
    &[pcap::FORMAT, pcapng::FORMAT],
    &[
        ngsniffer::FORMAT,
        netxray::FORMAT,
        netmon::FORMAT,
        snoop::FORMAT,
        iptrace::FORMAT,
    ],
    compressed::FORMATS,
    foreign::FORMATS,
    &[lanalyzer::FORMAT],
];

/// Wrappers within wrappers that are followed (a gzip of a zstd is a mistake; a deeper
/// nest is an attack).
const MAX_NEST: usize = 2;

/// First bytes that a format may look at.
const HEAD: usize = 32;

/// One file format.
pub(crate) struct Format {
    /// The name its users know it by.
    pub(crate) name: &'static str,
    /// Whether a stream that starts with these bytes (up to [`HEAD`]) is of this format.
    pub(crate) matches: fn(&[u8]) -> bool,
    /// What to do with it.
    pub(crate) action: Action,
}

/// What can be done with a stream of a known format.
pub(crate) enum Action {
    /// Find its records. The zone is for formats that hold local times.
    Read(fn(Window, Zone) -> Result<Box<dyn Reader>, Fault>),
    /// Decompress it and look again.
    Unwrap(fn(Window) -> io::Result<Box<dyn Read + Send>>),
    /// Say what to do instead.
    Refuse(&'static str),
}

/// Finds the records of one file, in the order of the file.
pub(crate) trait Reader: Send {
    /// Moves to the next record; `None` at the end. After a [`Fault`] it goes on behind
    /// the damage, or says `None` where that is not possible.
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault>;

    /// The captured bytes of the record that `next` has just found.
    fn bytes(&self) -> &[u8];

    /// What the file's user should know about its content: sentences whose subject is
    /// the file.
    fn remarks(&self) -> &[String] {
        &[]
    }
}

/// A frame without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) at: Timestamp,
    pub(crate) link: LinkType,
    /// Number in the [`Interfaces`] given to [`Reader::next`].
    pub(crate) interface: u32,
    /// At least the captured length.
    pub(crate) wire_len: u32,
}

/// How bad a [`Fault`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// The file ends before anything could stand in it.
    Empty,
    /// Not a capture, or not one that can be read.
    Unreadable,
    /// Broken from here on.
    Damaged,
}

/// A [`SourceError`] that does not know yet in which file it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) severity: Severity,
    pub(crate) offset: Option<u64>,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn empty(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Empty,
            offset: None,
            message: message.into(),
        }
    }

    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Unreadable,
            offset: None,
            message: message.into(),
        }
    }

    pub(crate) fn damaged(offset: u64, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Damaged,
            offset: Some(offset),
            message: message.into(),
        }
    }

    /// The stream ends inside the record or block (`what`) that starts at `offset`.
    pub(crate) fn cut(offset: u64, what: &str, there: usize, needed: usize) -> Self {
        Self::damaged(
            offset,
            format!(
                "the file ends inside a {what}, {there} of {needed} bytes are there; \
                 the frames before it were read. It was cut off, or is still being \
                 written: copy it again"
            ),
        )
    }

    /// The record at `offset` has a header of zeros: what was to be written there never was.
    pub(crate) fn zeros(offset: u64) -> Self {
        Self::damaged(
            offset,
            "from here on the file is zeros: its end was never written; the frames before \
             were read",
        )
    }

    /// The record at `offset` claims more captured bytes than any frame has.
    pub(crate) fn oversized(offset: u64, captured: usize) -> Self {
        Self::damaged(
            offset,
            format!(
                "a record claims {captured} captured bytes, more than the {MAX_FRAME} of any \
                 link; the file is damaged from here on, the frames before were read"
            ),
        )
    }

    /// Reading or decompressing fails at `offset`.
    pub(crate) fn io(offset: u64, error: &io::Error) -> Self {
        Self::damaged(
            offset,
            format!("reading stops here: {error}; the frames before it were read"),
        )
    }

    pub(crate) fn named(self, name: &str) -> SourceError {
        SourceError {
            kind: match self.severity {
                Severity::Empty | Severity::Unreadable => SourceErrorKind::Unreadable,
                Severity::Damaged => SourceErrorKind::Damaged,
            },
            name: name.to_owned(),
            offset: self.offset,
            message: self.message,
        }
    }
}

/// Finds out what `source` is and gives the reader for it.
pub(crate) fn recognise(
    source: Box<dyn Read + Send>,
    capacity: usize,
    zone: Zone,
) -> Result<Box<dyn Reader>, Fault> {
    let mut window = Window::new(source, capacity);
    let mut wrapped_in: Option<&str> = None;
    for _ in 0..=MAX_NEST {
        // An error after some bytes is met again by the reader, who can say more.
        if let Err(error) = window.fill(HEAD)
            && window.unread().is_empty()
        {
            return Err(Fault::unreadable(match wrapped_in {
                None => format!("cannot be read: {error}"),
                Some(_) => format!("{error}; get a whole copy of it"),
            }));
        }
        let head = window.unread();
        let head = head.get(..HEAD).unwrap_or(head);
        let Some(format) = FORMATS
            .iter()
            .copied()
            .flatten()
            .find(|f| (f.matches)(head))
        else {
            return Err(unknown(head));
        };
        match format.action {
            Action::Read(open) => return open(window, zone),
            Action::Unwrap(unwrap) => {
                let inner = unwrap(window).map_err(|error| {
                    Fault::unreadable(format!(
                        "cannot be decompressed as {}: {error}",
                        format.name
                    ))
                })?;
                window = Window::new(inner, capacity);
                wrapped_in = Some(format.name);
            }
            Action::Refuse(advice) => {
                return Err(Fault::unreadable(format!(
                    "is a {} file, which wirewait does not read; {advice}",
                    format.name
                )));
            }
        }
    }
    Err(Fault::unreadable(format!(
        "is compressed more than {MAX_NEST} times over; decompress it first"
    )))
}

fn unknown(head: &[u8]) -> Fault {
    if head.is_empty() {
        return Fault::empty(
            "the file is empty (0 bytes); nothing was captured, or the capture has not \
             been flushed yet",
        );
    }
    let shown: Vec<String> = head.iter().take(8).map(|b| format!("{b:02x}")).collect();
    let shown = shown.join(" ");
    if head.len() < 4 {
        return Fault::empty(format!(
            "the file ends inside its first 4 bytes ({shown}); nothing can stand in it"
        ));
    }
    Fault::unreadable(format!(
        "not a capture file wirewait knows: first bytes {shown}; if Wireshark opens it, \
         convert it with `editcap -F pcap IN OUT`"
    ))
}

/// `bytes[at..at + 2]` in the given byte order; 0 where there are no such bytes.
#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize, big_endian: bool) -> u16 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) {
        Some(raw) if big_endian => u16::from_be_bytes(*raw),
        Some(raw) => u16::from_le_bytes(*raw),
        None => 0,
    }
}

/// `bytes[at..at + 4]` in the given byte order; 0 where there are no such bytes.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize, big_endian: bool) -> u32 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<4>()) {
        Some(raw) if big_endian => u32::from_be_bytes(*raw),
        Some(raw) => u32::from_le_bytes(*raw),
        None => 0,
    }
}

/// `bytes[at..at + 8]` in the given byte order; 0 where there are no such bytes.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize, big_endian: bool) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(raw) if big_endian => u64::from_be_bytes(*raw),
        Some(raw) => u64::from_le_bytes(*raw),
        None => 0,
    }
}

/// A link type as files hold it, made one of the LINKTYPE registry: old writers put
/// their system's DLT_RAW (12) into files, which the registry numbers 101.
pub(crate) const fn link_type(raw: u16) -> LinkType {
    match raw {
        12 => LinkType::RAW,
        other => LinkType(other),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A `Read` that gives at most `chunk` bytes at a time.
    pub(crate) struct Chunks {
        bytes: Vec<u8>,
        at: usize,
        chunk: usize,
    }

    impl Chunks {
        pub(crate) fn new(bytes: &[u8], chunk: usize) -> Self {
            Self {
                bytes: bytes.to_vec(),
                at: 0,
                chunk,
            }
        }
    }

    impl Read for Chunks {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.chunk.min(out.len()).min(self.bytes.len() - self.at);
            out[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
            self.at += count;
            Ok(count)
        }
    }

    /// One frame as tests compare it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Seen {
        pub(crate) nanos: i64,
        pub(crate) link: u16,
        pub(crate) interface: u32,
        pub(crate) wire_len: u32,
        pub(crate) bytes: Vec<u8>,
    }

    /// All frames of a stream and the fault that ended it.
    pub(crate) fn read_all(
        source: impl Read + Send + 'static,
        capacity: usize,
    ) -> (Vec<Seen>, Interfaces, Option<Fault>) {
        let mut interfaces = Interfaces::default();
        let mut seen = Vec::new();
        let mut reader = match recognise(Box::new(source), capacity, Zone::default()) {
            Ok(reader) => reader,
            Err(fault) => return (seen, interfaces, Some(fault)),
        };
        loop {
            match reader.next(&mut interfaces) {
                Ok(Some(record)) => seen.push(Seen {
                    nanos: record.at.as_nanos(),
                    link: record.link.0,
                    interface: record.interface,
                    wire_len: record.wire_len,
                    bytes: reader.bytes().to_vec(),
                }),
                Ok(None) => return (seen, interfaces, None),
                Err(fault) => {
                    assert_eq!(reader.next(&mut interfaces), Ok(None), "{fault:?}");
                    return (seen, interfaces, Some(fault));
                }
            }
        }
    }

    /// As [`read_all`], but only counts.
    pub(crate) fn count_all(source: impl Read + Send + 'static) -> (usize, Option<Fault>) {
        let mut interfaces = Interfaces::default();
        let mut reader = recognise(Box::new(source), 1 << 16, Zone::default()).unwrap();
        let mut frames = 0;
        loop {
            match reader.next(&mut interfaces) {
                Ok(Some(_)) => frames += 1,
                Ok(None) => return (frames, None),
                Err(fault) => return (frames, Some(fault)),
            }
        }
    }

    /// As [`read_all`], where no fault is expected.
    pub(crate) fn read_good(bytes: &[u8]) -> (Vec<Seen>, Interfaces) {
        let (seen, interfaces, fault) = read_all(Chunks::new(bytes, usize::MAX), 4096);
        assert_eq!(fault, None);
        (seen, interfaces)
    }

    /// Reading gives the same whatever pieces the bytes arrive in.
    pub(crate) fn assert_chunking_does_not_matter(bytes: &[u8]) {
        let (whole, _, whole_fault) = read_all(Chunks::new(bytes, usize::MAX), 1 << 20);
        for chunk in [1, 7, 24, 777] {
            for capacity in [64, 4096] {
                let (seen, _, fault) = read_all(Chunks::new(bytes, chunk), capacity);
                assert_eq!(seen, whole, "pieces of {chunk}, window of {capacity}");
                assert_eq!(fault, whole_fault, "pieces of {chunk}");
            }
        }
    }

    /// Cut off anywhere behind `header` bytes, a file gives its first frames as they are
    /// and says where it breaks off; it ends well only between records.
    pub(crate) fn assert_cut_anywhere(file: &[u8], header: usize) {
        let (whole, _) = read_good(file);
        let (mut known, mut last_good) = (0, None);
        for cut in 0..file.len() {
            let (seen, _, fault) = read_all(Chunks::new(&file[..cut], 1000), 4096);
            if cut < header {
                let fault = fault.unwrap_or_else(|| panic!("no fault at {cut}"));
                assert_ne!(fault.severity, Severity::Damaged, "at {cut}: {fault:?}");
                continue;
            }
            assert_eq!(seen, whole[..seen.len()], "at {cut}");
            assert!(seen.len() >= known, "at {cut}");
            known = seen.len();
            let Some(fault) = fault else {
                assert_ne!(last_good, cut.checked_sub(1), "two ends at {cut}");
                last_good = Some(cut);
                continue;
            };
            assert_eq!(fault.severity, Severity::Damaged, "at {cut}");
            assert!(
                fault.offset.is_some_and(|offset| offset <= cut as u64),
                "at {cut}: {fault:?}"
            );
        }
    }

    fn message(bytes: &[u8]) -> (Severity, String) {
        let (seen, _, fault) = read_all(Chunks::new(bytes, usize::MAX), 4096);
        assert_eq!(seen, []);
        let fault = fault.expect("not a capture");
        (fault.severity, fault.message)
    }

    #[test]
    fn says_what_it_is_not() {
        let (severity, text) = message(b"hello, world");
        assert_eq!(severity, Severity::Unreadable);
        assert!(
            text.contains("first bytes 68 65 6c 6c 6f 2c 20 77"),
            "{text}"
        );
        assert_eq!(message(b"").0, Severity::Empty);
        assert_eq!(message(&[0xd4, 0xc3]).0, Severity::Empty);
    }

    /// xorshift64*: the same damage on every run.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
        }
    }

    /// A machine that went down leaves zeros where the end of a file was to be written.
    #[test]
    fn zeros_are_damage_and_no_frames() {
        let (pcap, pcapng) = (crate::pcap::tests::sample(), crate::pcapng::tests::sample());
        let mut samples = vec![("pcap", pcap), ("pcapng", pcapng)];
        samples.extend(
            [("iptrace", crate::iptrace::tests::samples())].map(|(n, s)| (n, s[0].clone())),
        );
        for (name, list) in [
            ("ngsniffer", crate::ngsniffer::tests::samples()),
            ("netxray", crate::netxray::tests::samples()),
            ("netmon", crate::netmon::tests::samples()),
            ("lanalyzer", crate::lanalyzer::tests::samples()),
            ("snoop", crate::snoop::tests::samples()),
        ] {
            samples.extend(list.into_iter().map(|bytes| (name, bytes)));
        }
        for (name, sample) in samples {
            let (whole, _, _) = read_all(Chunks::new(&sample, 1000), 4096);
            for written in 0..sample.len() {
                let mut bytes = sample[..written].to_vec();
                bytes.resize(sample.len() + 5000, 0);
                let (seen, _, fault) = read_all(Chunks::new(&bytes, 1000), 4096);
                let what = format!("{name}, {written} of {}: {fault:?}", sample.len());
                // The record that is torn may become one that is empty.
                assert!(seen.len() <= whole.len(), "{} frames, {what}", seen.len());
                let intact = seen.iter().zip(&whole).filter(|(a, b)| a == b).count();
                // One that is circular has two ends.
                let torn = if name == "netxray" { 2 } else { 1 };
                assert!(seen.len() <= intact + torn, "{} frames, {what}", seen.len());
                // A header or a table may say where the file ends, and a mark in it.
                let ends_well = ["netxray", "netmon", "ngsniffer"].contains(&name);
                assert!(fault.is_some() || ends_well, "{what}");
            }
        }
    }

    #[test]
    fn hostile_bytes_do_no_harm() {
        let (pcap, pcapng) = (crate::pcap::tests::sample(), crate::pcapng::tests::sample());
        let mut samples = vec![pcap, pcapng];
        samples.extend(crate::compressed::tests::samples());
        samples.extend(crate::ngsniffer::tests::samples());
        samples.extend(crate::netxray::tests::samples());
        samples.extend(crate::netmon::tests::samples());
        samples.extend(crate::lanalyzer::tests::samples());
        samples.extend(crate::snoop::tests::samples());
        samples.extend(crate::iptrace::tests::samples());
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        const EDGES: [u8; 6] = [0, 1, 0x7f, 0x80, 0xfe, 0xff];
        for round in 0..4_000 {
            for sample in &samples {
                let mut bytes = sample.clone();
                for _ in 0..=dice.below(6) {
                    let at = dice.below(bytes.len());
                    bytes[at] = match dice.below(3) {
                        0 => EDGES[dice.below(EDGES.len())],
                        1 => bytes[at] ^ 1 << dice.below(8),
                        _ => dice.below(256) as u8,
                    };
                }
                if round % 4 == 0 {
                    bytes.truncate(dice.below(bytes.len()));
                }
                let (seen, interfaces, _) = read_all(Chunks::new(&bytes, 777), 64);
                for frame in seen {
                    assert!(frame.bytes.len() <= MAX_FRAME);
                    assert!(frame.wire_len as usize >= frame.bytes.len());
                    assert!((frame.interface as usize) < interfaces.list().len());
                }
            }
        }
    }
}
