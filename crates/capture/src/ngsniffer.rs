//! The format of Network General's DOS Sniffer (`.enc`, `.trc`, `.fdc`, `.syc`), plain and
//! compressed.
//!
//! Records of a type, a length and a body. In a compressed file everything behind the
//! header records is [`Blobs`]; offsets in messages then count as if it were not
//! compressed. Not read: WAN, ATM, ARCNET and LocalTalk captures. Not used: the status
//! bits of a frame (CRC error, collision).

mod blobs;

use crate::calendar::{Civil, Zone};
use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Met};
use crate::raw::u16_at;
use crate::reader::{Action, Format, Reader, Record};
use crate::records::{Records, Sequence, file_header, reader, skip_in_head};
use crate::window::Window;
use blobs::Blobs;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "DOS Sniffer",
    matches: |head| head.starts_with(MAGIC),
    action: Action::Read(open),
};

const MAGIC: &[u8] = b"TRSNIFF data    \x1a";

/// Type, length of the body, a reserved word.
const RECORD_HEADER: usize = 6;

/// Bytes of the version record's body.
const VERSION_BODY: usize = 18;

/// Record types.
const VERSION: u16 = 1;
const END: u16 = 3;
const FRAME2: u16 = 4;
const FRAME6: u16 = 12;

/// Bytes in front of the frame in the two frame records.
const FRAME2_FIELDS: usize = 14;
const FRAME6_FIELDS: usize = 34;

/// Nanoseconds of a day.
const DAY: i64 = 86_400_000_000_000;

fn open(mut window: Window, zone: Zone) -> Result<Box<dyn Reader>, Fault> {
    let start = MAGIC.len() + RECORD_HEADER;
    let head = file_header(&mut window, start + VERSION_BODY)?;
    let kind = u16_at(head, MAGIC.len(), false);
    let length = usize::from(u16_at(head, MAGIC.len() + 2, false));
    if kind != VERSION || length < VERSION_BODY {
        return Err(Fault::unreadable(
            "is a DOS Sniffer file whose first record is not a version record; it is damaged",
        ));
    }
    let body = head.get(start..).unwrap_or_default();
    let version = SnifferVersion::read(body)?;
    skip_in_head(&mut window, (start + length) as u64)?;
    skip_header_records(&mut window, version.major)?;
    let base = window.offset();
    let records = if version.compressed {
        // Blobs are small; a window of their size keeps the pieces whole.
        let inner = Window::new(Box::new(Blobs::new(window)), 1 << 17);
        Records::new(inner, base)
    } else {
        Records::new(window, 0)
    };
    Ok(reader(NgSniffer {
        records,
        interface: Interface::new(version.link, 0),
        met: Met::default(),
        clock: SnifferClock {
            midnight: zone.nanos(version.date),
            tick: version.tick,
        },
        remarks: zone.remarks(version.date),
    }))
}

/// What the version record says.
#[derive(Clone, Copy, Debug)]
struct SnifferVersion {
    major: u16,
    date: Civil,
    link: LinkType,
    compressed: bool,
    /// Picoseconds.
    tick: u64,
}

impl SnifferVersion {
    fn read(body: &[u8]) -> Result<Self, Fault> {
        let byte = |at: usize| body.get(at).copied().unwrap_or_default();
        let date = u16_at(body, 6, false);
        let link = match byte(9) {
            0 => LinkType::TOKEN_RING,
            1 => LinkType::ETHERNET,
            9 => LinkType::FDDI,
            other => {
                let name = match other {
                    2 => "an ARCNET",
                    3 => "a StarLAN",
                    4 => "a PC Network",
                    5 => "a LocalTalk",
                    7 | 8 => "a WAN",
                    10 => "an ATM",
                    _ => "an unknown",
                };
                return Err(Fault::unreadable(format!(
                    "is a DOS Sniffer capture of {name} link (type {other}); wirewait reads \
                     those of Ethernet, Token Ring and FDDI"
                )));
            }
        };
        let tick = match byte(11) {
            0 | 2 => 15_000_000,
            1 => 838_096,
            3 => 500_000,
            4 => 2_000_000,
            5 => 1_000_000,
            6 => 100_000,
            other => {
                return Err(Fault::unreadable(format!(
                    "is a DOS Sniffer file with the unknown time unit {other}; it is damaged, \
                     or of a version that wirewait does not know"
                )));
            }
        };
        Ok(Self {
            major: u16_at(body, 0, false),
            // A date of DOS: years from 1980 in the upper seven bits.
            date: Civil {
                year: 1980 + (date >> 9),
                month: date >> 5 & 0x0f,
                day: date & 0x1f,
                ..Civil::default()
            },
            link,
            compressed: byte(10) != 1,
            tick,
        })
    }
}

/// Passes over the records between the version and the data, which are never compressed.
fn skip_header_records(window: &mut Window, major: u16) -> Result<(), Fault> {
    loop {
        // Too little for a record, or a read error: the records tell about that.
        if !window.fill(RECORD_HEADER).unwrap_or(false) {
            return Ok(());
        }
        let head = window.unread();
        match u16_at(head, 0, false) {
            6 | 7 | 13..=17 => {}
            // A description, where there are no ATM frames yet.
            8 if major <= 2 => {}
            _ => return Ok(()),
        }
        let size = RECORD_HEADER as u64 + u64::from(u16_at(head, 2, false));
        skip_in_head(window, size)?;
    }
}

struct NgSniffer {
    records: Records,
    interface: Interface,
    met: Met,
    clock: SnifferClock,
    remarks: Vec<String>,
}

/// How the frames of a file tell the time.
#[derive(Clone, Copy, Debug)]
struct SnifferClock {
    /// Nanoseconds since 1970 at the beginning of the first day.
    midnight: i64,
    /// Picoseconds.
    tick: u64,
}

impl SnifferClock {
    /// The time in the first six bytes of a frame record.
    fn time(self, fields: &[u8]) -> Timestamp {
        let byte = |at: usize| fields.get(at).copied().unwrap_or_default();
        let mut ticks = [0; 8];
        for (at, place) in ticks.iter_mut().take(5).enumerate() {
            *place = byte(at);
        }
        let picos = u128::from(u64::from_le_bytes(ticks)) * u128::from(self.tick);
        // 40 bits of at most 15 microseconds are 191 days.
        let nanos = i64::try_from(picos / 1000).unwrap_or(i64::MAX);
        Timestamp::from_nanos(self.midnight)
            .plus(i64::from(byte(5)) * DAY)
            .plus(nanos)
    }
}

impl Sequence for NgSniffer {
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let number = self.met.number(interfaces, &self.interface)?;
        loop {
            let Some(head) = self.records.header(RECORD_HEADER)? else {
                return Ok(None);
            };
            let (kind, length) = (u16_at(head, 0, false), u16_at(head, 2, false));
            let start = self.records.offset();
            let fields = match kind {
                END => return Ok(None),
                FRAME2 => FRAME2_FIELDS,
                FRAME6 => FRAME6_FIELDS,
                _ => {
                    self.records
                        .pass(RECORD_HEADER as u64 + u64::from(length))?;
                    continue;
                }
            };
            let header = RECORD_HEADER + fields;
            let Some(head) = self.records.header(header)? else {
                return Ok(None);
            };
            let captured = u16_at(head, RECORD_HEADER + 6, false);
            let wire = match u16_at(head, RECORD_HEADER + 10, false) {
                0 => captured,
                wire => wire,
            };
            let padding = usize::from(length).checked_sub(fields + usize::from(captured));
            let Some(padding) = padding else {
                return Err(Fault::damaged(
                    start,
                    format!(
                        "a record of {length} bytes claims a frame of {captured}: the file is \
                         damaged from here on, the frames before were read"
                    ),
                ));
            };
            let at = self
                .clock
                .time(head.get(RECORD_HEADER..).unwrap_or_default());
            self.records
                .take(header, usize::from(captured), padding as u64)?;
            return Ok(Some(Record {
                at,
                link: self.interface.link,
                interface: number,
                wire_len: interfaces.wire_len(number, captured.into(), wire.into()),
            }));
        }
    }

    fn bytes(&self) -> &[u8] {
        self.records.bytes()
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::format::tests::{
        Chunks, Seen, assert_chunking_does_not_matter, assert_cut_anywhere, read_all, read_good,
    };

    fn record(kind: u16, body: &[u8]) -> Vec<u8> {
        let mut out = kind.to_le_bytes().to_vec();
        out.extend((body.len() as u16).to_le_bytes());
        out.extend([0, 0]);
        out.extend(body);
        out
    }

    /// 24 December 1993, the date that files here have.
    const DATE: u16 = 13 << 9 | 12 << 5 | 24;
    const MIDNIGHT: i64 = 756_691_200 * 1_000_000_000;

    /// A file up to its data.
    fn head(network: u8, format: u8, unit: u8) -> Vec<u8> {
        let mut body = vec![4, 0, 0, 0, 0x34, 0x12];
        body.extend(DATE.to_le_bytes());
        body.extend([4, network, format, unit, 1, 2, 0, 0, 0, 0]);
        assert_eq!(body.len(), VERSION_BODY);
        let mut out = MAGIC.to_vec();
        out.extend(record(VERSION, &body));
        out.extend(record(6, b"not known"));
        out.extend(record(17, b""));
        out
    }

    fn frame(kind: u16, ticks: u64, day: u8, wire: u16, bytes: &[u8]) -> Vec<u8> {
        let mut body = ticks.to_le_bytes()[..5].to_vec();
        body.push(day);
        body.extend((bytes.len() as u16).to_le_bytes());
        body.extend([0x80, 0x18]);
        body.extend(wire.to_le_bytes());
        let fields = if kind == FRAME2 { 14 } else { 34 };
        body.resize(fields, 0x77);
        body.extend(bytes);
        body.push(0x99);
        record(kind, &body)
    }

    fn data() -> Vec<u8> {
        [
            frame(FRAME2, 0, 0, 0, b"first, and first, and first again"),
            record(99, b"of a type that nobody knows"),
            frame(FRAME2, 3, 1, 1500, b"second of the next day"),
            frame(FRAME6, 1 << 32, 0, 14, b"aaaaaaaaaaaaaa"),
            record(END, b""),
            b"rubbish".to_vec(),
        ]
        .concat()
    }

    fn plain() -> Vec<u8> {
        [head(1, 1, 1), data()].concat()
    }

    fn seen(nanos: i64, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos: MIDNIGHT + nanos,
            link: 1,
            interface: 0,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    fn three() -> [Seen; 3] {
        [
            seen(0, 33, b"first, and first, and first again"),
            // Three ticks of 838.096 ns.
            seen(DAY + 2514, 1500, b"second of the next day"),
            seen(3_599_594_910_908, 14, b"aaaaaaaaaaaaaa"),
        ]
    }

    /// Data as blobs of `size` bytes, which records straddle: one stored, one literal, one
    /// compressed, and so on.
    fn compressed(size: usize) -> Vec<u8> {
        let mut out = head(1, 0, 1);
        for (place, piece) in data().chunks(size).enumerate() {
            let (sign, packed) = match place % 3 {
                0 => (-1, piece.to_vec()),
                1 => (1, blobs::tests::literal(piece)),
                _ => (1, blobs::tests::compress(piece)),
            };
            out.extend((packed.len() as i16 * sign).to_le_bytes());
            out.extend(packed);
        }
        out
    }

    /// Good files, to be damaged.
    pub(crate) fn samples() -> Vec<Vec<u8>> {
        vec![plain(), compressed(20)]
    }

    #[test]
    fn frames_of_a_plain_file() {
        assert_eq!(read_good(&plain()).0, three());
        assert_chunking_does_not_matter(&plain());
        // Without header records, and without an end record, behind which nothing counts.
        let version = MAGIC.len() + RECORD_HEADER + VERSION_BODY;
        let end = data().len() - RECORD_HEADER - b"rubbish".len();
        let bare = [&plain()[..version], &data()[..end]].concat();
        assert_cut_anywhere(&bare, version);
    }

    #[test]
    fn frames_of_a_compressed_file() {
        for size in [1, 7, 20, 100, 10_000] {
            assert_eq!(read_good(&compressed(size)).0, three(), "blobs of {size}");
        }
        assert_chunking_does_not_matter(&compressed(20));
    }

    #[test]
    fn a_compressed_file_that_is_cut_gives_its_first_frames() {
        let whole = compressed(20);
        for cut in head(1, 0, 1).len()..whole.len() {
            let (frames, _, fault) = read_all(Chunks::new(&whole[..cut], 1000), 4096);
            assert_eq!(frames, three()[..frames.len()], "at {cut}");
            if let Some(fault) = fault {
                assert_eq!(fault.severity, Severity::Damaged);
                assert!(fault.offset.is_some());
            } else {
                // Between records, or behind the end record.
                assert!(frames.len() < 3 || cut > whole.len() - 30, "at {cut}");
            }
        }
    }

    #[test]
    fn a_damaged_blob_ends_the_file_with_its_place() {
        let mut bytes = compressed(10_000);
        let at = head(1, 0, 1).len();
        bytes.truncate(at);
        bytes.extend(frame(FRAME2, 0, 0, 0, b"stored").iter().fold(
            (-27_i16).to_le_bytes().to_vec(),
            |mut out, byte| {
                out.push(*byte);
                out
            },
        ));
        assert_eq!(bytes.len(), at + 2 + 27);
        // A copy from before the start.
        bytes.extend([4, 0, 0x00, 0x80, 0x30, 0x01]);
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 1000), 4096);
        assert_eq!(frames, [seen(0, 6, b"stored")]);
        let fault = fault.unwrap();
        assert_eq!(fault.offset, Some(at as u64 + 27));
        let place = format!("block at byte {}", at + 29);
        assert!(fault.message.contains(&place), "{fault:?}");
    }

    #[test]
    fn links_and_units() {
        for (network, link) in [(0, 6), (1, 1), (9, 10)] {
            let file = [head(network, 1, 3), data()].concat();
            let (frames, _) = read_good(&file);
            assert_eq!(frames[0].link, link);
            assert_eq!(frames[1].nanos, MIDNIGHT + DAY + 1500);
        }
        for (network, unit, word) in [(7, 1, "WAN"), (2, 1, "ARCNET"), (1, 7, "time unit 7")] {
            let fault = read_all(Chunks::new(&head(network, 1, unit), 100), 4096).2;
            let fault = fault.unwrap();
            assert_eq!(fault.severity, Severity::Unreadable);
            assert!(fault.message.contains(word), "{fault:?}");
        }
    }

    #[test]
    fn local_times_are_remarked_unless_the_zone_is_given() {
        for (offset, remarks, moved) in [(None, 1, 0), (Some(3600), 0, -3_600_000_000_000)] {
            let window = Window::new(Box::new(Chunks::new(&plain(), 100)), 4096);
            let mut reader = open(window, Zone { offset }).unwrap();
            assert_eq!(reader.remarks().len(), remarks);
            let record = reader.next(&mut Interfaces::default()).unwrap().unwrap();
            assert_eq!(record.at.as_nanos(), MIDNIGHT + moved);
        }
    }

    #[test]
    fn a_frame_larger_than_its_record_ends_the_file() {
        let mut bytes = head(1, 1, 1);
        let at = bytes.len();
        let mut frame = frame(FRAME2, 0, 0, 0, b"frame");
        frame[RECORD_HEADER + 6] += 2;
        bytes.extend(frame);
        bytes.extend([0; 100]);
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 1000), 4096);
        assert_eq!(frames, []);
        assert_eq!(fault.unwrap().offset, Some(at as u64));
    }
}
