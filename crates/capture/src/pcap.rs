//! The libpcap savefile format and its variants (IETF draft-ietf-opsawg-pcap).
//!
//! An own reader, not a crate: it lends frames straight from the window, and it knows
//! the variants that share a magic number but not a record layout.

use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Section};
use crate::raw::{MAX_FRAME, link_type, u16_at, u32_at};
use crate::reader::{Action, Format, Reader, Record};
use crate::window::{MAX_WINDOW, Window};
use std::ops::Range;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "pcap",
    matches: |head| Magic::of(head).is_some(),
    action: Action::Read(|window, _| Ok(Box::new(Pcap::open(window)?))),
};

/// Bytes of the file header.
const FILE_HEADER: usize = 24;

/// Zeros where a record should begin that are no records: this number, or all up to the end.
const ZEROS: usize = 4096;

/// Byte order and layout, as the first four bytes tell.
#[derive(Clone, Copy, Debug)]
struct Magic {
    big_endian: bool,
    /// Units of the second time field in a second.
    fractions: u32,
    /// Lengths a record header may have, the ordinary one first: Nokia adds 4 bytes to
    /// the ordinary one, Red Hat 6.1 adds 8; Kuznetzov's patch ("modified") has 24
    /// under its own magic, and SuSE 6.3 adds 4 to that.
    headers: &'static [usize],
}

impl Magic {
    fn of(head: &[u8]) -> Option<Self> {
        let raw = head.first_chunk::<4>()?;
        [false, true].into_iter().find_map(|big_endian| {
            let (fractions, headers): (u32, &[usize]) = match u32_at(raw, 0, big_endian) {
                0xa1b2_c3d4 => (1_000_000, &[16, 20, 24]),
                0xa1b2_3c4d => (1_000_000_000, &[16]),
                0xa1b2_cd34 => (1_000_000, &[24, 28]),
                _ => return None,
            };
            Some(Self {
                big_endian,
                fractions,
                headers,
            })
        })
    }
}

/// In which order a record holds its two lengths.
#[derive(Clone, Copy, Debug)]
enum Lengths {
    /// Captured, then wire: version 2.4, and 2.3 of most writers.
    CapturedFirst,
    /// Wire, then captured: before version 2.3, and DG/UX, which calls itself 543.0.
    WireFirst,
    /// Version 2.3: either; the captured one is the smaller.
    Either,
}

/// A record header.
#[derive(Clone, Copy, Debug)]
struct PcapHeader {
    seconds: u32,
    fraction: u32,
    captured: u32,
    wire: u32,
}

/// How to read a record header.
#[derive(Clone, Copy, Debug)]
struct Layout {
    magic: Magic,
    lengths: Lengths,
    /// Bytes of a record header.
    header: usize,
    /// Nanoseconds in a unit of the second time field.
    unit: u32,
}

impl Layout {
    #[inline]
    fn record(&self, header: &PcapHeader, link: LinkType, interface: u32, wire_len: u32) -> Record {
        Record {
            at: Timestamp::from_nanos(
                i64::from(header.seconds) * 1_000_000_000
                    + i64::from(header.fraction) * i64::from(self.unit),
            ),
            link,
            interface,
            wire_len,
        }
    }

    #[inline]
    fn header(&self, bytes: &[u8]) -> PcapHeader {
        self.header_in(bytes, self.magic.big_endian)
    }

    /// A header whose fields are to be swapped, or not.
    #[inline]
    fn header_in(&self, bytes: &[u8], swap: bool) -> PcapHeader {
        // Callers have seen to it that there are as many.
        let bytes = bytes.first_chunk::<16>().unwrap_or(&[0; 16]);
        let (fields, _) = bytes.as_chunks();
        let field = |at: usize| u32::from_le_bytes(fields[at]);
        let fields = [field(0), field(1), field(2), field(3)];
        let [seconds, fraction, first, second] = match swap {
            false => fields,
            true => fields.map(u32::swap_bytes),
        };
        let (captured, wire) = match self.lengths {
            Lengths::CapturedFirst => (first, second),
            Lengths::WireFirst => (second, first),
            Lengths::Either => (first.min(second), first.max(second)),
        };
        PcapHeader {
            seconds,
            fraction,
            captured,
            wire,
        }
    }
}

struct Pcap {
    window: Window,
    layout: Layout,
    interface: Interface,
    /// Its number, once declared.
    number: Option<u32>,
    frame: Range<usize>,
    /// When the record before was captured.
    latest: Timestamp,
    done: bool,
}

impl Pcap {
    fn open(mut window: Window) -> Result<Self, Fault> {
        if !window
            .fill(FILE_HEADER)
            .map_err(|error| Fault::unreadable(format!("cannot be read: {error}")))?
        {
            return Err(Fault::empty(format!(
                "the file ends inside its file header, {} of {FILE_HEADER} bytes are there; \
                 the capture was cut off before its first frame",
                window.unread().len()
            )));
        }
        let head = window.unread();
        let Some(magic) = Magic::of(head) else {
            return Err(Fault::unreadable("not a pcap file"));
        };
        let (major, minor) = (
            u16_at(head, 4, magic.big_endian),
            u16_at(head, 6, magic.big_endian),
        );
        let lengths = match (major, minor) {
            (2, 0..3) | (543, 0) => Lengths::WireFirst,
            (2, 3) => Lengths::Either,
            (2, _) => Lengths::CapturedFirst,
            _ => {
                return Err(Fault::unreadable(format!(
                    "says it is pcap version {major}.{minor}, which does not exist; \
                     it is damaged or another format"
                )));
            }
        };
        let snaplen = u32_at(head, 16, magic.big_endian);
        let link = u32_at(head, 20, magic.big_endian);
        let mut interface = Interface::new(link_type((link & 0xffff) as u16), snaplen);
        // Draft, section 4: with bit 26 set, the upper four bits are the length of the
        // frame check sequence in units of two bytes.
        if link & 0x0400_0000 != 0 {
            interface.fcs_len = ((link >> 28) * 2) as u8;
        }
        let layout = Layout {
            magic,
            lengths,
            header: 16,
            unit: 1_000_000_000 / magic.fractions,
        };
        let layout = choose_header(&mut window, layout);
        window.consume(FILE_HEADER);
        Ok(Self {
            window,
            layout,
            interface,
            number: None,
            frame: 0..0,
            latest: Timestamp::from_nanos(0),
            done: false,
        })
    }

    fn link(&self) -> LinkType {
        self.interface.link
    }

    /// The next record, if it is in the window and nothing about it is unusual.
    #[inline]
    fn at_hand(&mut self) -> Option<Record> {
        // Few files are written so, and no other is to pay for the swap.
        if self.done || self.layout.magic.big_endian {
            return None;
        }
        let number = self.number?;
        let unread = self.window.unread();
        let header = self.layout.header_in(unread.first_chunk::<16>()?, false);
        let (captured, length) = (header.captured as usize, self.layout.header);
        if captured > MAX_FRAME
            || captured == 0
            || header.wire < header.captured
            || unread.len() < length + captured
        {
            return None;
        }
        let taken = self.window.consume(length + captured);
        let (kept, wire) = without_fcs(header.captured, header.wire, self.interface.fcs_len);
        let from = taken.start + length;
        self.frame = from..from + kept as usize;
        let record = self
            .layout
            .record(&header, self.interface.link, number, wire);
        self.latest = record.at;
        Some(record)
    }

    /// The next record; an error ends the file, as nothing marks where a record starts.
    #[inline(never)]
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let number = match self.number {
            Some(number) => number,
            None => {
                let number = interfaces
                    .declare(&mut Section::default(), self.interface.clone())
                    .ok_or_else(|| Fault::damaged(0, "the capture has too many interfaces"))?;
                *self.number.insert(number)
            }
        };
        let start = self.window.offset();
        let length = self.layout.header;
        if !self
            .window
            .fill(length)
            .map_err(|error| Fault::io(start, &error))?
        {
            let there = self.window.unread().len();
            return match there {
                0 => Ok(None),
                _ => Err(Fault::cut(start, "record header", there, length)),
            };
        }
        let header = self.layout.header(self.window.unread());
        let captured = header.captured as usize;
        if captured > MAX_FRAME {
            return Err(Fault::oversized(start, captured));
        }
        // The unwritten end of a file that was laid out in advance, or whose machine went
        // down: no frame has a length of 0 on the wire. Where something follows it is a record
        // of nothing, and an earlier time that stands there is none.
        if captured == 0 && header.wire == 0 {
            self.window
                .fill(ZEROS)
                .map_err(|error| Fault::io(start, &error))?;
            let ahead = self.window.unread().iter().take(ZEROS);
            if ahead.copied().all(|byte| byte == 0) {
                return Err(Fault::zeros(start));
            }
        }
        if !self
            .window
            .fill(length + captured)
            .map_err(|error| Fault::io(start, &error))?
        {
            let there = self.window.unread().len();
            return Err(Fault::cut(start, "record", there, length + captured));
        }
        let taken = self.window.consume(length + captured);
        let wire = interfaces.wire_len(number, header.captured, header.wire);
        let (kept, wire) = without_fcs(header.captured, wire, self.interface.fcs_len);
        let from = taken.start + length;
        self.frame = from..from + kept as usize;
        let link = self.link();
        let mut record = self.layout.record(&header, link, number, wire);
        if captured == 0 && header.wire == 0 {
            record.at = record.at.max(self.latest);
        }
        self.latest = record.at;
        Ok(Some(record))
    }
}

impl Reader for Pcap {
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        if self.done {
            return Ok(None);
        }
        if let Some(record) = self.at_hand() {
            return Ok(Some(record));
        }
        let result = self.record(interfaces);
        self.done = !matches!(result, Ok(Some(_)));
        result
    }

    fn usual(&mut self, head: &mut Record) -> bool {
        match self.at_hand() {
            Some(record) => {
                *head = record;
                true
            }
            None => false,
        }
    }

    fn bytes(&self) -> &[u8] {
        self.window.slice(self.frame.clone())
    }
}

/// Captured and wire length without a frame check sequence of `fcs` bytes, of which a
/// snapped frame may have kept none or a part.
pub(crate) fn without_fcs(captured: u32, wire: u32, fcs: u8) -> (u32, u32) {
    let wire = wire.saturating_sub(u32::from(fcs));
    (captured.min(wire), wire)
}

/// Which of the record header lengths that go with the magic the first records have.
///
/// Nothing in the file header tells. With the wrong length the second header would be
/// read a few bytes off, where the seconds since 1970 stand in place of microseconds or
/// of a length, which is far out of range; so two headers are enough to keep the
/// ordinary length, and a pipe does not have to deliver more than these.
fn choose_header(window: &mut Window, layout: Layout) -> Layout {
    let Some((&ordinary, others)) = layout.magic.headers.split_first() else {
        return layout;
    };
    let with = |header| Layout { header, ..layout };
    if others.is_empty() || !matches!(probe(window, with(ordinary), false), Probe::Refuted) {
        return with(ordinary);
    }
    others
        .iter()
        .map(|&header| with(header))
        .find(|&layout| matches!(probe(window, layout, true), Probe::Confirmed))
        .unwrap_or(with(ordinary))
}

/// Whether the first records make sense under a layout.
enum Probe {
    /// They do.
    Confirmed,
    /// There is only one, or none.
    Open,
    Refuted,
}

fn probe(window: &mut Window, layout: Layout, strict: bool) -> Probe {
    const DECADE: u32 = 10 * 366 * 86_400;
    let mut at = FILE_HEADER;
    let mut last_seconds = None;
    let mut records = 0;
    loop {
        let end = at + layout.header;
        // What cannot be read is for the reader to report.
        if end > MAX_WINDOW || !window.fill(end).unwrap_or(false) {
            return if records > 1 {
                Probe::Confirmed
            } else {
                Probe::Open
            };
        }
        let header = layout.header(window.unread().get(at..).unwrap_or_default());
        let plausible = header.captured as usize <= MAX_FRAME
            && header.fraction < layout.magic.fractions
            && (!strict
                || header.captured <= header.wire
                    && header.wire < 1 << 24
                    && last_seconds.is_none_or(|s: u32| s.abs_diff(header.seconds) < DECADE));
        if !plausible {
            return Probe::Refuted;
        }
        records += 1;
        // Times that count from the start of the capture make a bad witness.
        let enough = match (strict, header.seconds >= layout.magic.fractions) {
            (false, true) => 2,
            (true, true) => 3,
            (_, false) => 8,
        };
        if records >= enough {
            return Probe::Confirmed;
        }
        last_seconds = Some(header.seconds);
        at = end + header.captured as usize;
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::format::tests::{
        Chunks, Seen, assert_chunking_does_not_matter, read_all, read_good,
    };

    /// A pcap file by hand: the records are (seconds, fraction, wire length, bytes).
    struct PcapBuild {
        magic: u32,
        big: bool,
        version: (u16, u16),
        link: u32,
        /// Bytes after the ordinary 16 of each record header.
        extra: usize,
        swapped: bool,
    }

    impl Default for PcapBuild {
        fn default() -> Self {
            Self {
                magic: 0xa1b2_c3d4,
                big: false,
                version: (2, 4),
                link: 1,
                extra: 0,
                swapped: false,
            }
        }
    }

    impl PcapBuild {
        fn file(&self, records: &[(u32, u32, u32, &[u8])]) -> Vec<u8> {
            let mut out = Vec::new();
            let u32s = |values: &[u32], out: &mut Vec<u8>| {
                for value in values {
                    out.extend(if self.big {
                        value.to_be_bytes()
                    } else {
                        value.to_le_bytes()
                    });
                }
            };
            u32s(&[self.magic], &mut out);
            for value in [self.version.0, self.version.1] {
                out.extend(if self.big {
                    value.to_be_bytes()
                } else {
                    value.to_le_bytes()
                });
            }
            u32s(&[0, 0, 65_535, self.link], &mut out);
            for (seconds, fraction, wire, bytes) in records {
                let captured = bytes.len() as u32;
                let lengths = match self.swapped {
                    true => [*wire, captured],
                    false => [captured, *wire],
                };
                u32s(&[*seconds, *fraction, lengths[0], lengths[1]], &mut out);
                out.extend((0..self.extra).map(|i| i as u8 + 1));
                out.extend(*bytes);
            }
            out
        }
    }

    fn seen(nanos: i64, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos,
            link: 1,
            interface: 0,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    const DAY: u32 = 1_700_000_000;
    const DAY_NS: i64 = 1_700_000_000_000_000_000;
    const THREE: [(u32, u32, u32, &[u8]); 3] = [
        (DAY, 1, 60, b"first frame"),
        (DAY, 999_999, 0, b""),
        (DAY + 1, 0, 1500, b"third"),
    ];

    fn three(nanos: [i64; 3]) -> Vec<Seen> {
        vec![
            seen(DAY_NS + nanos[0], 60, b"first frame"),
            seen(DAY_NS + nanos[1], 0, b""),
            seen(DAY_NS + nanos[2], 1500, b"third"),
        ]
    }

    /// A good file, to be damaged.
    pub(crate) fn sample() -> Vec<u8> {
        PcapBuild::default().file(&THREE)
    }

    #[test]
    fn every_magic_in_both_byte_orders() {
        for big in [false, true] {
            for (magic, extra, fraction) in [
                (0xa1b2_c3d4, 0, 1000),
                (0xa1b2_c3d4, 4, 1000),
                (0xa1b2_c3d4, 8, 1000),
                (0xa1b2_3c4d, 0, 1),
                (0xa1b2_cd34, 8, 1000),
                (0xa1b2_cd34, 12, 1000),
            ] {
                let file = PcapBuild {
                    magic,
                    big,
                    extra,
                    ..PcapBuild::default()
                }
                .file(&THREE);
                let (frames, interfaces) = read_good(&file);
                assert_eq!(
                    frames,
                    three([fraction, 999_999 * fraction, 1_000_000_000]),
                    "{magic:x} with {extra} more bytes, big endian: {big}"
                );
                assert_eq!(interfaces.list()[0].snaplen, 65_535);
                assert_chunking_does_not_matter(&file);
            }
        }
    }

    #[test]
    fn old_versions_hold_the_wire_length_first() {
        for (version, swapped) in [
            ((2, 2), true),
            ((543, 0), true),
            ((2, 3), true),
            ((2, 3), false),
        ] {
            let file = PcapBuild {
                version,
                swapped,
                big: true,
                ..PcapBuild::default()
            }
            .file(&THREE);
            assert_eq!(
                read_good(&file).0,
                three([1000, 999_999_000, 1_000_000_000]),
                "{version:?}"
            );
        }
        let file = PcapBuild {
            version: (3, 0),
            ..PcapBuild::default()
        }
        .file(&THREE);
        let fault = read_all(Chunks::new(&file, 100), 4096).2.unwrap();
        assert_eq!(fault.severity, Severity::Unreadable);
    }

    #[test]
    fn a_wire_length_below_the_captured_one_is_mended_and_counted() {
        let file = PcapBuild::default().file(&[(DAY, 0, 3, b"longer"), (DAY, 0, 6, b"longer")]);
        let (frames, interfaces) = read_good(&file);
        assert_eq!(frames[0].wire_len, 6);
        assert_eq!(interfaces.list()[0].lengths_mended, 1);
    }

    #[test]
    fn the_frame_check_sequence_is_taken_off() {
        let file = PcapBuild {
            link: 1 | 0x0400_0000 | 2 << 28,
            ..PcapBuild::default()
        }
        .file(&[
            (DAY, 0, 10, b"abcdef1234"),
            (DAY, 0, 10, b"abcdef12"),
            (DAY, 0, 10, b"abc"),
            (DAY, 0, 2, b"ab"),
        ]);
        let (frames, interfaces) = read_good(&file);
        assert_eq!(
            frames,
            [
                seen(DAY_NS, 6, b"abcdef"),
                seen(DAY_NS, 6, b"abcdef"),
                seen(DAY_NS, 6, b"abc"),
                seen(DAY_NS, 0, b""),
            ]
        );
        assert_eq!(interfaces.list()[0].fcs_len, 4);
    }

    #[test]
    fn raw_ip_goes_by_its_registered_number() {
        let file = PcapBuild {
            link: 12,
            ..PcapBuild::default()
        }
        .file(&THREE);
        assert_eq!(read_good(&file).0[0].link, 101);
    }

    #[test]
    fn cut_anywhere_the_whole_frames_before_the_cut_are_read() {
        for extra in [0, 4, 8] {
            let whole = PcapBuild {
                extra,
                ..PcapBuild::default()
            }
            .file(&THREE);
            let ends: Vec<usize> = THREE
                .iter()
                .scan(FILE_HEADER, |end, record| {
                    *end += 16 + extra + record.3.len();
                    Some(*end)
                })
                .collect();
            for cut in 0..whole.len() {
                let (frames, _, fault) = read_all(Chunks::new(&whole[..cut], 1000), 4096);
                if cut < FILE_HEADER {
                    assert_eq!(fault.unwrap().severity, Severity::Empty, "at {cut}");
                    continue;
                }
                if extra > 0 && cut < ends[1] + 16 {
                    // Too little to tell the variant by; no panic is all there is to ask.
                    continue;
                }
                let complete = ends.iter().filter(|&&end| end <= cut).count();
                assert_eq!(
                    frames,
                    three([1000, 999_999_000, 1_000_000_000])[..complete],
                    "at {cut} with {extra}"
                );
                let start = ends.iter().rev().find(|&&end| end <= cut);
                let start = *start.unwrap_or(&FILE_HEADER);
                match fault {
                    None => assert_eq!(cut, start, "a clean end only between records"),
                    Some(fault) => {
                        assert_eq!(fault.severity, Severity::Damaged);
                        assert_eq!(fault.offset, Some(start as u64), "at {cut}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_file_without_frames_is_good() {
        assert_eq!(read_good(&PcapBuild::default().file(&[])).0, []);
    }

    #[test]
    fn an_impossible_length_ends_the_file_where_it_is() {
        let mut file = PcapBuild::default().file(&THREE);
        let damage = file.len();
        file.extend(
            PcapBuild::default()
                .file(&[(DAY, 0, 262_145, b"")])
                .split_off(FILE_HEADER),
        );
        file[damage + 8..damage + 12].copy_from_slice(&262_145_u32.to_le_bytes());
        file.extend([0; 300_000]);
        let (frames, _, fault) = read_all(Chunks::new(&file, 4096), 4096);
        assert_eq!(frames.len(), 3);
        let fault = fault.unwrap();
        assert_eq!(fault.severity, Severity::Damaged);
        assert_eq!(fault.offset, Some(damage as u64));
        assert!(fault.message.contains("262145 captured bytes"), "{fault:?}");
    }

    #[test]
    fn the_largest_frame_is_read() {
        let large = vec![7; MAX_FRAME];
        let file = PcapBuild::default().file(&[(DAY, 0, 300_000, &large), (DAY, 0, 5, b"after")]);
        let (frames, _) = read_good(&file);
        assert_eq!(frames[0].bytes, large);
        assert_eq!(frames[0].wire_len, 300_000);
        assert_eq!(frames[1].bytes, b"after");
    }

    #[test]
    fn an_end_of_zeros_is_damage_and_not_frames() {
        let mut file = PcapBuild::default().file(&THREE);
        let damage = file.len() as u64;
        file.extend([0; 4096]);
        let (frames, _, fault) = read_all(Chunks::new(&file, 4096), 4096);
        assert_eq!(frames.len(), 3);
        assert_eq!(fault.unwrap().offset, Some(damage));
    }

    #[test]
    fn a_record_of_zeros_with_others_behind_it_is_one_of_nothing() {
        let mut file = PcapBuild::default().file(&THREE);
        let more = file[24..].to_vec();
        file.extend([0; 32]);
        file.extend(&more);
        let (frames, _) = read_good(&file);
        assert_eq!([frames[3].nanos, frames[4].nanos], [frames[2].nanos; 2]);
        let lengths: Vec<usize> = frames.iter().map(|frame| frame.bytes.len()).collect();
        assert_eq!(lengths.len(), 8);
        assert_eq!(lengths[3..5], [0, 0]);
        assert_eq!(lengths[..3], lengths[5..]);
    }

    #[test]
    fn times_from_zero_do_not_hide_a_variant() {
        let records: Vec<(u32, u32, u32, &[u8])> = (0..9_u32)
            .map(|i| (i, 500_000, 60, &b"some bytes of a frame"[..]))
            .collect();
        for extra in [0, 4, 8] {
            let file = PcapBuild {
                extra,
                ..PcapBuild::default()
            }
            .file(&records);
            let (frames, _) = read_good(&file);
            assert_eq!(frames.len(), 9, "{extra}");
            assert!(frames.iter().all(|f| f.bytes == b"some bytes of a frame"));
        }
    }
}
