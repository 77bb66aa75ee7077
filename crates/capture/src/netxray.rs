//! NetXRay 1.x, and what became of it: Sniffer Basic and Sniffer Pro 2.x for Windows
//! (`.cap`, `.caz`). Little-endian, times in UTC.
//!
//! Not read: WAN and ATM captures. Files of capture pods (hardware) are read by the ticks
//! that such files are known to have.

use crate::clock::moment;
use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Met};
use crate::raw::{u16_at, u32_at};
use crate::reader::{Action, Format, Reader, Record};
use crate::records::{Records, Sequence, file_header, reader, skip_in_head, whole};
use crate::window::Window;
use std::io::Cursor;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "NetXRay or Sniffer Pro",
    matches: |head| head.starts_with(b"XCP\0") || head.starts_with(b"VL\0\0"),
    action: Action::Read(|window, _| open(window)),
};

/// Bytes of the file header, behind which a circular file begins anew.
const FILE_HEADER: usize = 128;

/// Which records a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    /// Before the version was written down ("VL").
    Old,
    One,
    Two,
}

impl Generation {
    /// Bytes of a record header.
    const fn header(self) -> usize {
        match self {
            Self::Old => 16,
            Self::One => 28,
            Self::Two => 40,
        }
    }
}

/// What the file header says.
#[derive(Clone, Copy, Debug)]
struct NetxrayHeader {
    generation: Generation,
    /// Seconds since 1970.
    start: u32,
    /// The tick count at that time.
    start_stamp: u64,
    ticks_per_second: u64,
    link: LinkType,
    /// Frames end with their check sequence, where they end with anything extra.
    has_fcs: bool,
    /// Bits per second of the link; 0 where that was not known.
    speed: u32,
    /// Offset of the first record.
    first: u64,
    /// Offset behind the last record; smaller than `first` in a circular file.
    end: u64,
}

impl NetxrayHeader {
    fn read(head: &[u8]) -> Result<Self, Fault> {
        let byte = |at: usize| head.get(at).copied().unwrap_or_default();
        let field = |at| u32_at(head, at, false);
        let text = head.get(4..12).unwrap_or_default();
        let (generation, minor) = if head.starts_with(b"VL") {
            (Generation::Old, 0)
        } else {
            match text {
                b"001.000\0" => (Generation::One, 0),
                b"001.100\0" => (Generation::One, 1),
                b"002.000\0" => (Generation::Two, 0),
                b"002.001\0" => (Generation::Two, 1),
                b"002.002\0" => (Generation::Two, 2),
                b"002.003\0" => (Generation::Two, 3),
                _ => {
                    return Err(Fault::unreadable(format!(
                        "is of the unknown Sniffer Pro version \"{}\"; convert it with \
                         `editcap -F pcapng IN OUT` (part of Wireshark)",
                        text.escape_ascii()
                    )));
                }
            }
        };
        let network = match byte(0x2d) {
            0 => u16::from(byte(0x2c)) + 1,
            2 => u16::from(byte(0x2c)),
            _ => 0,
        };
        let link = match network {
            1 => LinkType::ETHERNET,
            2 => LinkType::TOKEN_RING,
            3 => LinkType::FDDI,
            // Early WAN captures are shaped like Ethernet.
            4 if generation != Generation::Two => LinkType::ETHERNET,
            // IEEE 802.11: the facts on the radio are in the record header.
            10 => LinkType(105),
            _ => {
                return Err(Fault::unreadable(format!(
                    "is a Sniffer Pro capture of a link that wirewait does not read (type \
                     {}, {}); it reads Ethernet, Token Ring, FDDI and 802.11",
                    byte(0x2c),
                    byte(0x2d)
                )));
            }
        };
        let (unit, pod, realtick) = (byte(0x30), byte(0x54), field(0x4c));
        let ticks_per_second = match (generation, minor) {
            (Generation::Old, _) | (Generation::One, 0) => Some(1000),
            (Generation::One, _) => Some(1_000_000),
            (Generation::Two, _) if link == LinkType::ETHERNET => match (pod, unit) {
                (0 | 3 | 5, 0) => Some(1_000_000),
                (0, 1) => Some(1_193_000),
                (0, 2) => Some(u64::from(realtick)),
                (2 | 6, 0) => Some(1_000_000_000),
                (2, 2) => Some(31_250_000),
                (3, 2) => Some(1_250_000),
                (6, 2) => Some(20_000_000),
                _ => None,
            },
            (Generation::Two, _) => match unit {
                0 => Some(1_000_000),
                1 => Some(1_193_000),
                2 => Some(1_193_182),
                _ => None,
            },
        };
        let ticks_per_second = ticks_per_second.filter(|ticks| *ticks > 0).ok_or_else(|| {
            Fault::unreadable(format!(
                "is a Sniffer Pro file with a clock that wirewait does not know (capture type \
                 {pod}, time unit {unit}); its times cannot be told"
            ))
        })?;
        // Pods count from the start of the capture whatever the header says.
        let counts_from_zero =
            generation == Generation::Two && minor >= 2 && matches!(pod, 2 | 3 | 5 | 6);
        let start_stamp = u64::from(field(0x34)) | u64::from(field(0x38)) << 32;
        let header = Self {
            generation,
            start: field(0x0c),
            start_stamp: if counts_from_zero { 0 } else { start_stamp },
            ticks_per_second,
            link,
            has_fcs: realtick.to_le_bytes()[1..3] == [0x34, 0x12],
            speed: field(0x3c),
            first: field(0x18).into(),
            end: field(0x1c).into(),
        };
        if header.first < FILE_HEADER as u64 {
            return Err(Fault::unreadable(format!(
                "is a Sniffer Pro file whose frames would begin inside its header, at byte \
                 {}; it is damaged",
                header.first
            )));
        }
        Ok(header)
    }

    /// The moment of a tick count.
    fn time(&self, stamp: u64) -> Timestamp {
        // 65 bits times 30 bits: 128 bits hold it.
        let ticks = i128::from(stamp) - i128::from(self.start_stamp);
        let nanos = i128::from(self.start) * 1_000_000_000
            + (ticks * 1_000_000_000).div_euclid(i128::from(self.ticks_per_second));
        moment(nanos)
    }
}

fn open(mut window: Window) -> Result<Box<dyn Reader>, Fault> {
    let header = NetxrayHeader::read(file_header(&mut window, FILE_HEADER)?)?;
    let mut interface = Interface::new(header.link, 0);
    interface.speed = Some(u64::from(header.speed)).filter(|speed| *speed > 0);
    if header.generation == Generation::Two && header.has_fcs {
        interface.fcs_len = 4;
    }
    let sniffer = |records, end| NetXRay {
        records,
        header,
        interface,
        met: Met::default(),
        end,
        newer: None,
        fault: None,
    };
    // An end inside the header is that of a file never closed.
    if header.end >= header.first || header.end < FILE_HEADER as u64 {
        skip_in_head(&mut window, header.first)?;
        let end = (header.end >= header.first).then_some(header.end);
        return Ok(reader(sniffer(Records::new(window, 0), end)));
    }
    // Circular: from the oldest record to the end of the file, and on behind the header.
    let (mut bytes, fault) = whole(window, FORMAT.name)?;
    // Both are below 4 GiB.
    let (first, end) = (header.first as usize, header.end as usize);
    let fault = fault.or_else(|| {
        (bytes.len() < first).then(|| {
            Fault::damaged(
                bytes.len() as u64,
                format!(
                    "the file ends before the older part of its frames, which starts at byte \
                     {first}; the newer part was read. It was cut off: copy it again"
                ),
            )
        })
    });
    let older = bytes.get(first..).unwrap_or_default().to_vec();
    bytes.truncate(end);
    bytes.drain(..FILE_HEADER);
    let part = |bytes, base| {
        let window = Window::new(Box::new(Cursor::new(bytes)), 1 << 16);
        Records::new(window, base)
    };
    Ok(reader(NetXRay {
        newer: Some(part(bytes, FILE_HEADER as u64)),
        fault,
        ..sniffer(part(older, header.first), None)
    }))
}

struct NetXRay {
    records: Records,
    header: NetxrayHeader,
    interface: Interface,
    met: Met,
    /// Where the last record ends, unless the stream ends there.
    end: Option<u64>,
    /// In a circular file, the part that follows.
    newer: Option<Records>,
    /// Damage of the part before it.
    fault: Option<Fault>,
}

impl NetXRay {
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let number = self.met.number(interfaces, &self.interface)?;
        let start = self.records.offset();
        if self.end.is_some_and(|end| start >= end) {
            return Ok(None);
        }
        let generation = self.header.generation;
        let size = generation.header();
        let Some(head) = self.records.header(size)? else {
            return match self.end {
                None => Ok(None),
                Some(end) => Err(Fault::damaged(
                    start,
                    format!(
                        "the file ends here, but says that its frames go on to byte {end}; \
                         the frames before were read. It was cut off: copy it again"
                    ),
                )),
            };
        };
        let stamp = u64::from(u32_at(head, 0, false)) | u64::from(u32_at(head, 4, false)) << 32;
        let wire = u16_at(head, 8, false);
        let captured = match generation {
            Generation::Old => wire,
            Generation::One | Generation::Two => u16_at(head, 10, false),
        };
        // Two marks in the header tell of four bytes behind the frame: its check sequence,
        // or rubbish.
        let extra = match (generation, head.get(14..16)) {
            (Generation::Two, Some([0xff, 0xff])) => 4,
            _ => 0,
        };
        self.records.take(size, usize::from(captured), 0)?;
        let kept = captured.saturating_sub(extra);
        self.records.truncate(usize::from(kept));
        let wire = wire.saturating_sub(extra);
        Ok(Some(Record {
            at: self.header.time(stamp),
            link: self.header.link,
            interface: number,
            wire_len: interfaces.wire_len(number, kept.into(), wire.into()),
        }))
    }
}

impl Sequence for NetXRay {
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let mut result = self.next(interfaces);
        if !matches!(result, Ok(Some(_)))
            && let Some(newer) = self.newer.take()
        {
            self.fault = self.fault.take().or(result.err());
            self.records = newer;
            result = self.next(interfaces);
        }
        match (&result, self.fault.take()) {
            (Ok(None) | Err(_), Some(fault)) => Err(fault),
            (_, fault) => {
                self.fault = fault;
                result
            }
        }
    }

    fn bytes(&self) -> &[u8] {
        self.records.bytes()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::format::tests::{
        Chunks, Seen, assert_chunking_does_not_matter, assert_cut_anywhere, read_all, read_good,
    };

    const SECONDS: u32 = 1_000_000_000;

    /// Stands for a file of before there were versions, where the text does not count.
    const OLD: &[u8; 8] = b"oldest..";

    struct NetxrayBuild {
        version: &'static [u8; 8],
        network: [u8; 2],
        unit: u8,
        start_stamp: u64,
        realtick: u32,
        pod: u8,
    }

    impl Default for NetxrayBuild {
        fn default() -> Self {
            Self {
                version: b"002.001\0",
                network: [0, 0],
                unit: 0,
                start_stamp: 0,
                realtick: 0,
                pod: 0,
            }
        }
    }

    /// (ticks, wire length, bytes, whether four bytes of them are extra)
    type Row<'a> = (u64, u16, &'a [u8], bool);

    const THREE: [Row<'_>; 3] = [
        (1000, 60, b"the first frame", false),
        (999, 0, b"", false),
        (5_000_000_000, 19, b"third and its FCS..", true),
    ];

    impl NetxrayBuild {
        fn records(&self, rows: &[Row<'_>]) -> Vec<u8> {
            let mut out = Vec::new();
            for (ticks, wire, bytes, extra) in rows {
                out.extend(ticks.to_le_bytes());
                let captured = (bytes.len() as u16).to_le_bytes();
                if self.version == OLD {
                    out.extend(captured);
                    out.extend([0x77; 6]);
                } else {
                    out.extend(wire.to_le_bytes());
                    out.extend(captured);
                    let size = if self.version[2] == b'1' { 16 } else { 28 };
                    let mark = if *extra { 0xff } else { 0 };
                    out.extend([0x77, 0x77, mark, mark]);
                    out.resize(out.len() + size - 4, 0x77);
                }
                out.extend(*bytes);
            }
            out
        }

        /// The file of these records, from `first` to `end`.
        fn around(&self, data: &[u8], first: u32, end: u32) -> Vec<u8> {
            let mut out = vec![0; FILE_HEADER];
            let mut put = |at: usize, bytes: &[u8]| {
                out[at..at + bytes.len()].copy_from_slice(bytes);
            };
            put(
                0,
                if self.version == OLD {
                    b"VL\0\0"
                } else {
                    b"XCP\0"
                },
            );
            put(4, self.version);
            put(0x0c, &SECONDS.to_le_bytes());
            put(0x18, &first.to_le_bytes());
            put(0x1c, &end.to_le_bytes());
            put(0x2c, &self.network);
            put(0x30, &[self.unit]);
            put(0x34, &self.start_stamp.to_le_bytes());
            put(0x4c, &self.realtick.to_le_bytes());
            put(0x54, &[self.pod]);
            out.extend(data);
            out
        }

        fn file(&self, rows: &[Row<'_>]) -> Vec<u8> {
            let data = self.records(rows);
            let end = FILE_HEADER + data.len();
            self.around(&data, FILE_HEADER as u32, end as u32)
        }
    }

    fn seen(nanos: i64, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos: i64::from(SECONDS) * 1_000_000_000 + nanos,
            link: 1,
            interface: 0,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    /// The frames of [`THREE`] where a tick has this number of nanoseconds.
    fn three(tick: i64) -> [Seen; 3] {
        [
            seen(1000 * tick, 60, b"the first frame"),
            seen(999 * tick, 0, b""),
            seen(5_000_000_000 * tick, 15, b"third and its F"),
        ]
    }

    fn circular() -> Vec<u8> {
        let build = NetxrayBuild::default();
        let (newer, older) = (build.records(&THREE[1..]), build.records(&THREE[..1]));
        let data = [&newer[..], b"..", &older[..]].concat();
        let end = FILE_HEADER + newer.len();
        build.around(&data, end as u32 + 2, end as u32)
    }

    /// Good files, to be damaged.
    pub(crate) fn samples() -> Vec<Vec<u8>> {
        let one = NetxrayBuild {
            version: b"001.100\0",
            ..NetxrayBuild::default()
        };
        vec![
            NetxrayBuild::default().file(&THREE),
            one.file(&THREE),
            circular(),
        ]
    }

    #[test]
    fn every_generation_has_its_own_records() {
        let file = NetxrayBuild::default().file(&THREE);
        assert_eq!(read_good(&file).0, three(1000));
        assert_chunking_does_not_matter(&file);
        assert_cut_anywhere(&file, FILE_HEADER);

        for (version, tick) in [(b"001.000\0", 1_000_000), (b"001.100\0", 1000)] {
            let file = NetxrayBuild {
                version,
                ..NetxrayBuild::default()
            }
            .file(&THREE);
            let mut wanted = three(tick);
            wanted[2] = seen(5_000_000_000 * tick, 19, b"third and its FCS..");
            assert_eq!(read_good(&file).0, wanted);
            assert_cut_anywhere(&file, FILE_HEADER);
        }
        let file = NetxrayBuild {
            version: OLD,
            ..NetxrayBuild::default()
        }
        .file(&THREE);
        let (frames, _) = read_good(&file);
        assert_eq!(frames[0], seen(1_000_000_000, 15, b"the first frame"));
        assert_eq!(frames.len(), 3);
    }

    #[test]
    fn clocks_are_chosen_by_version_pod_and_unit() {
        let ticks = |version, network, pod, unit| {
            let file = NetxrayBuild {
                version,
                network,
                unit,
                pod,
                realtick: 3_579_545,
                start_stamp: 0,
            };
            let bytes = file.file(&[(1 << 40, 0, b"", false)]);
            let (frames, _, fault) = read_all(Chunks::new(&bytes, 1000), 4096);
            let nanos = frames.first()?.nanos - i64::from(SECONDS) * 1_000_000_000;
            assert_eq!(fault, None);
            Some(((1_i128 << 40) * 1_000_000_000 / i128::from(nanos)) as u64)
        };
        let (two, three) = (b"002.000\0", b"002.003\0");
        assert_eq!(ticks(two, [0, 0], 0, 0), Some(1_000_000));
        assert_eq!(ticks(two, [0, 0], 0, 1), Some(1_193_000));
        assert_eq!(ticks(two, [0, 0], 0, 2), Some(3_579_545));
        assert_eq!(ticks(two, [1, 0], 0, 2), Some(1_193_182));
        assert_eq!(ticks(three, [0, 0], 2, 2), Some(31_250_000));
        assert_eq!(ticks(three, [0, 0], 6, 0), Some(1_000_000_000));
        assert_eq!(ticks(three, [0, 0], 7, 0), None);
        assert_eq!(ticks(three, [1, 0], 0, 3), None);
    }

    #[test]
    fn times_count_from_the_start_stamp_except_for_pods() {
        for (pod, nanos) in [(0, -1_000_000), (3, 1_000_000)] {
            let file = NetxrayBuild {
                version: b"002.002\0",
                start_stamp: 2000,
                pod,
                ..NetxrayBuild::default()
            }
            .file(&THREE);
            assert_eq!(read_good(&file).0[0].nanos, seen(nanos, 0, b"").nanos);
        }
    }

    #[test]
    fn links() {
        for (network, link) in [
            ([0, 0], 1),
            ([1, 0], 6),
            ([2, 0], 10),
            ([9, 0], 105),
            ([3, 2], 10),
        ] {
            let file = NetxrayBuild {
                network,
                ..NetxrayBuild::default()
            }
            .file(&THREE);
            assert_eq!(read_good(&file).0[0].link, link, "{network:?}");
        }
        for network in [[3, 0], [8, 0], [0, 1], [0, 2], [255, 0]] {
            let file = NetxrayBuild {
                network,
                ..NetxrayBuild::default()
            }
            .file(&THREE);
            let fault = read_all(Chunks::new(&file, 1000), 4096).2.unwrap();
            assert_eq!(fault.severity, Severity::Unreadable, "{network:?}");
        }
        let file = NetxrayBuild {
            version: b"003.000\0",
            ..NetxrayBuild::default()
        }
        .file(&THREE);
        let fault = read_all(Chunks::new(&file, 1000), 4096).2.unwrap();
        assert!(fault.message.contains("003.000"), "{fault:?}");
    }

    #[test]
    fn the_end_that_the_header_gives_holds() {
        let mut file = NetxrayBuild::default().file(&THREE);
        file.extend(b"rubbish behind the last record, as real files have it");
        assert_eq!(read_good(&file).0, three(1000));

        let data = NetxrayBuild::default().records(&THREE);
        let open = NetxrayBuild::default().around(&data, FILE_HEADER as u32, 0);
        assert_eq!(read_good(&open).0, three(1000), "never closed");

        let inside = NetxrayBuild::default().around(&data, 12, 300);
        let fault = read_all(Chunks::new(&inside, 1000), 4096).2.unwrap();
        assert_eq!(fault.severity, Severity::Unreadable);
    }

    #[test]
    fn a_circular_file_is_read_from_its_oldest_record() {
        let file = circular();
        assert_eq!(read_good(&file).0, three(1000));
        assert_chunking_does_not_matter(&file);

        // Damage in the newer part, which stands first in the file.
        let mut damaged = file.clone();
        let third = FILE_HEADER + 40;
        damaged[third + 10] = 0xff;
        let (frames, _, fault) = read_all(Chunks::new(&damaged, 1000), 4096);
        assert_eq!(frames, three(1000)[..2]);
        assert_eq!(fault.unwrap().offset, Some(third as u64));

        // A copy without the end, where the older part stands: the newer one is left.
        let first = file.len() - 40 - THREE[0].2.len();
        for (cut, offset) in [(file.len() - 1, first), (first - 1, first - 1)] {
            let (frames, _, fault) = read_all(Chunks::new(&file[..cut], 1000), 4096);
            assert_eq!(frames, three(1000)[1..], "at {cut}");
            assert_eq!(fault.unwrap().offset, Some(offset as u64), "at {cut}");
        }
    }

    #[test]
    fn the_speed_of_the_link_is_in_the_header() {
        let mut file = NetxrayBuild::default().file(&THREE);
        for (speed, expected) in [(0, None), (16_000_000u32, Some(16_000_000))] {
            file[0x3c..0x40].copy_from_slice(&speed.to_le_bytes());
            assert_eq!(read_good(&file).1.list()[0].speed, expected);
        }
    }

    #[test]
    fn a_frame_check_sequence_is_noted_where_it_is_one() {
        for (realtick, fcs_len) in [(0x0012_3428, 4), (0, 0)] {
            let file = NetxrayBuild {
                realtick,
                ..NetxrayBuild::default()
            }
            .file(&THREE);
            assert_eq!(read_good(&file).1.list()[0].fcs_len, fcs_len);
        }
    }
}
