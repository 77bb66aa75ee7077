//! Microsoft Network Monitor 1.x and 2.x (`.cap`), and the files of version 3, which call
//! themselves 2.x. Little-endian.
//!
//! A table at the end of the file says where each frame is, and in which order they are to
//! be read: the file is held in memory as a whole. Where the table was cut off, frames are
//! read in the order in which they stand. Not read: comments, process names, ATM and
//! 802.11 frames (these have a header of Network Monitor's own).

use crate::calendar::{Civil, Zone};
use crate::clock::moment;
use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, Met};
use crate::raw::{MAX_FRAME, link_type, u16_at, u32_at, u64_at};
use crate::reader::{Action, Format, Reader, Record};
use crate::records::{LeftOut, Sequence, file_header, reader, whole};
use crate::window::Window;
use std::iter::StepBy;
use std::ops::Range;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "Microsoft Network Monitor",
    matches: |head| head.starts_with(b"RTSS") || head.starts_with(b"GMBU"),
    action: Action::Read(open),
};

/// Bytes of the file header that are of use in every version.
const FILE_HEADER: usize = 72;

/// Bytes of an entry of the table of frames.
const ENTRY: usize = 4;

/// Nanoseconds from 1601, where Windows counts from, to 1970.
const WINDOWS_EPOCH: i128 = 11_644_473_600 * 1_000_000_000;

/// Which records a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NetmonVersion {
    One,
    /// The minor version tells how much stands behind a frame.
    Two(u8),
}

impl NetmonVersion {
    /// Bytes of the file header, behind which the first record is unless the table says
    /// something else. That of the later versions is known from one file only.
    const fn file_header(self) -> usize {
        match self {
            Self::One | Self::Two(..3) => 128,
            Self::Two(_) => FILE_HEADER,
        }
    }

    /// Bytes in front of a frame.
    const fn header(self) -> usize {
        match self {
            Self::One => 8,
            Self::Two(_) => 16,
        }
    }

    /// Bytes behind it: network type, process index, UTC time, index of the zone.
    const fn trailer(self) -> usize {
        match self {
            Self::One | Self::Two(0) => 0,
            Self::Two(1) => 2,
            Self::Two(2) => 2 + 4,
            Self::Two(_) => 2 + 4 + 8 + 1,
        }
    }
}

/// What a network type stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Network {
    Link(LinkType),
    /// Not a frame: events, filters, names that Network Monitor adds.
    Metadata,
    Unknown,
}

impl Network {
    const fn of(raw: u16) -> Self {
        match raw {
            0 | 1 => Self::Link(LinkType::ETHERNET),
            2 => Self::Link(LinkType::TOKEN_RING),
            3 => Self::Link(LinkType::FDDI),
            7..=9 => Self::Link(LinkType::RAW),
            0xe081..=0xe08a => Self::Unknown,
            // 802.11, whose number is 105.
            0xe080 => Self::Link(LinkType(105)),
            0xe000..=0xefff => Self::Link(link_type(raw & 0x0fff)),
            0xffe0 | 0xfffb..=0xffff => Self::Metadata,
            _ => Self::Unknown,
        }
    }
}

fn open(mut window: Window, zone: Zone) -> Result<Box<dyn Reader>, Fault> {
    let head = file_header(&mut window, FILE_HEADER)?;
    let byte = |at: usize| head.get(at).copied().unwrap_or_default();
    let field = |at| u16_at(head, at, false);
    let version = match (byte(5), byte(4)) {
        (1, _) => NetmonVersion::One,
        (2, minor) => NetmonVersion::Two(minor),
        (major, minor) => {
            return Err(Fault::unreadable(format!(
                "says it is of Network Monitor version {major}.{minor}, which does not exist; \
                 it is damaged"
            )));
        }
    };
    let network = field(6);
    if version.trailer() == 0 && !matches!(Network::of(network), Network::Link(_)) {
        return Err(Fault::unreadable(format!(
            "was captured on a network of Network Monitor's type {network}; wirewait reads \
             those of Ethernet, Token Ring, FDDI and IP"
        )));
    }
    let start = Civil {
        year: field(8),
        month: field(10),
        day: field(14),
        hour: field(16),
        minute: field(18),
        second: field(20),
    };
    let millis = i64::from(field(22));
    let (table, length) = (u32_at(head, 24, false), u32_at(head, 28, false));
    file_header(&mut window, version.file_header())?;
    let (bytes, fault) = whole(window, FORMAT.name)?;
    let order = Order::of(version, table as usize, length as usize, bytes.len());
    let fault = fault.or_else(|| order.fault(table, length));
    // From 2.3 on each frame has a time in UTC.
    let remarks = match version {
        NetmonVersion::Two(3..) => Vec::new(),
        NetmonVersion::One | NetmonVersion::Two(_) => zone.remarks(start),
    };
    Ok(reader(NetMon {
        bytes,
        version,
        network,
        start: zone.nanos(start).saturating_add(millis * 1_000_000),
        order,
        told: 0,
        fault,
        frame: 0..0,
        met: Met::default(),
        left_out: LeftOut::default(),
        remarks,
    }))
}

/// Where the next frames are.
#[derive(Clone, Debug)]
enum Order {
    /// Where the entries of the table say, which are at these places.
    Table(StepBy<Range<usize>>),
    /// One behind the other.
    Physical(Range<usize>),
}

impl Order {
    /// The order in a file of `bytes` bytes whose header gives the place and length of its
    /// table.
    fn of(version: NetmonVersion, table: usize, length: usize, bytes: usize) -> Self {
        let end = table.saturating_add(length);
        let first = version.file_header();
        if length > 0 && table >= first && end <= bytes {
            // An odd rest of less than an entry cannot be one.
            return Self::Table((table..end - length % ENTRY).step_by(ENTRY));
        }
        // A table that was never written is at byte 0.
        let end = if table < first { bytes } else { table };
        Self::Physical(first..end.min(bytes))
    }

    /// What is to be said at the end of a file whose header promises a table.
    fn fault(&self, table: u32, length: u32) -> Option<Fault> {
        let Self::Physical(frames) = self else {
            return None;
        };
        Some(Fault::damaged(
            frames.end as u64,
            format!(
                "the table of frames, {length} bytes at byte {table}, is not all there: the \
                 frames were read in the order in which they stand. The file was cut off: \
                 copy it again"
            ),
        ))
    }
}

/// A record.
#[derive(Clone, Debug)]
struct Found {
    at: Timestamp,
    /// Network type, if the record has one.
    network: Option<u16>,
    wire: u32,
    frame: Range<usize>,
    /// Where what belongs to the record ends.
    end: usize,
}

struct NetMon {
    bytes: Vec<u8>,
    version: NetmonVersion,
    /// That of records without one.
    network: u16,
    /// Nanoseconds since 1970.
    start: i64,
    order: Order,
    /// Bytes of the records that the table has pointed to.
    told: usize,
    /// What is wrong with the file as a whole.
    fault: Option<Fault>,
    frame: Range<usize>,
    met: Met,
    left_out: LeftOut,
    remarks: Vec<String>,
}

impl NetMon {
    /// The record at `place`, which has to end before `limit`; or why there is none.
    fn at(&self, place: usize, limit: usize) -> Result<Found, String> {
        let (header, trailer) = (self.version.header(), self.version.trailer());
        // A table may point into the file's header, and what is there is a frame then; but where
        // the file begins, none can be.
        if place == 0 {
            return Err("its place in the table is zero: it was never written".to_owned());
        }
        let rest = self.bytes.get(place..limit).unwrap_or_default();
        let there = rest.len();
        if there < header {
            return Err(format!(
                "{there} of the {header} bytes of its header are there"
            ));
        }
        if rest.iter().take(header).all(|byte| *byte == 0) {
            return Err("its header is zeros: it was never written".to_owned());
        }
        let (wire, captured) = match self.version {
            NetmonVersion::One => (
                u32::from(u16_at(rest, 4, false)),
                usize::from(u16_at(rest, 6, false)),
            ),
            NetmonVersion::Two(_) => (u32_at(rest, 8, false), u32_at(rest, 12, false) as usize),
        };
        if captured > MAX_FRAME {
            return Err(format!(
                "it claims {captured} captured bytes, more than the {MAX_FRAME} of any link"
            ));
        }
        let size = header + captured + trailer;
        if there < size {
            return Err(format!("{there} of its {size} bytes are there"));
        }
        let behind = rest.get(header + captured..size).unwrap_or_default();
        Ok(Found {
            at: self.time(rest, behind),
            network: (trailer > 0).then(|| u16_at(behind, 0, false)),
            wire,
            frame: place + header..place + header + captured,
            end: place + size,
        })
    }

    /// The time in a record header or, in later versions, in the trailer.
    fn time(&self, header: &[u8], trailer: &[u8]) -> Timestamp {
        let nanos = match self.version {
            NetmonVersion::One => i128::from(u32_at(header, 0, false)) * 1_000_000,
            NetmonVersion::Two(3..) => {
                return moment(i128::from(u64_at(trailer, 6, false)) * 100 - WINDOWS_EPOCH);
            }
            // Microseconds, which Network Monitor makes 100 ns in 64 bits: the times of
            // frames before the start of the capture are negative only after that.
            NetmonVersion::Two(_) => {
                i128::from(u64_at(header, 0, false).wrapping_mul(10).cast_signed()) * 100
            }
        };
        moment(i128::from(self.start) + nanos)
    }

    /// The next record and where it is.
    fn found(&mut self) -> Result<Option<(usize, Found)>, Fault> {
        loop {
            match &mut self.order {
                Order::Table(entries) => {
                    let Some(entry) = entries.next() else {
                        return self.fault.take().map_or(Ok(None), Err);
                    };
                    let place = u32_at(&self.bytes, entry, false) as usize;
                    match self.at(place, self.bytes.len()) {
                        Ok(found) => {
                            self.check_size(entry, found.end - place)?;
                            return Ok(Some((place, found)));
                        }
                        Err(why) => self.left_out.add(place as u64, || {
                            format!("the table of frames points there, but {why}")
                        }),
                    }
                }
                Order::Physical(rest) => {
                    let rest = rest.clone();
                    if rest.is_empty() {
                        return self.fault.take().map_or(Ok(None), Err);
                    }
                    let found = self.at(rest.start, rest.end).map_err(|why| {
                        Fault::damaged(
                            rest.start as u64,
                            format!(
                                "a record is not whole ({why}), nor is the table of frames: \
                                 the frames before it were read. The file was cut off: copy \
                                 it again"
                            ),
                        )
                    })?;
                    self.order = Order::Physical(found.end..rest.end);
                    return Ok(Some((rest.start, found)));
                }
            }
        }
    }

    /// Adds up what the table points to: records that are all different do not exceed the
    /// file. Others could make a small file endless.
    fn check_size(&mut self, entry: usize, size: usize) -> Result<(), Fault> {
        self.told = self.told.saturating_add(size);
        if self.told <= self.bytes.len() {
            return Ok(());
        }
        Err(Fault::damaged(
            entry as u64,
            "the table of frames points to the same bytes again and again: it is damaged from \
             here on, the frames before were read",
        ))
    }

    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        while let Some((place, found)) = self.found()? {
            let network = found.network.unwrap_or(self.network);
            let link = match Network::of(network) {
                Network::Link(link) => link,
                Network::Metadata => continue,
                Network::Unknown => {
                    self.left_out.add(place as u64, || {
                        format!("wirewait does not read frames of network type {network}")
                    });
                    continue;
                }
            };
            let number = self.met.number(interfaces, &Interface::new(link, 0))?;
            self.frame = found.frame;
            // At most `MAX_FRAME`.
            let captured = self.frame.len() as u32;
            return Ok(Some(Record {
                at: found.at,
                link,
                interface: number,
                wire_len: interfaces.wire_len(number, captured, found.wire),
            }));
        }
        Ok(None)
    }
}

impl Sequence for NetMon {
    fn record(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let end = self.next(interfaces);
        self.left_out.told(end)
    }

    fn bytes(&self) -> &[u8] {
        self.bytes.get(self.frame.clone()).unwrap_or_default()
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
        Chunks, Seen, assert_chunking_does_not_matter, read_all, read_good,
    };

    /// (milliseconds from the start, network type, wire length, bytes)
    type Row<'a> = (i64, u16, u32, &'a [u8]);

    const FOUR: [Row<'_>; 4] = [
        (0, 1, 60, b"the first frame"),
        (1, 1, 0, b""),
        (7, 2, 9, b"not third"),
        (2000, 0xe001, 1500, b"fourth"),
    ];

    /// 24 December 1993, 11:36:05.250.
    const START: i64 = (756_691_200 + 11 * 3600 + 36 * 60 + 5) * 1000 + 250;

    fn header_size(version: (u8, u8)) -> usize {
        if version >= (2, 3) { 72 } else { 128 }
    }

    /// A file whose table lists the records in this order, and where they are.
    fn laid_out(version: (u8, u8), rows: &[Row<'_>], order: &[usize]) -> (Vec<u8>, Vec<u32>) {
        let mut out = if version.0 == 1 { b"RTSS" } else { b"GMBU" }.to_vec();
        out.extend([version.1, version.0]);
        for field in [1, 1993, 12, 5, 24, 11, 36, 5, 250_u16] {
            out.extend(field.to_le_bytes());
        }
        out.resize(header_size(version), 0);
        let mut places = Vec::new();
        for (millis, network, wire, bytes) in rows {
            places.push(out.len() as u32);
            let captured = bytes.len() as u32;
            if version.0 == 1 {
                out.extend((*millis as u32).to_le_bytes());
                out.extend((*wire as u16).to_le_bytes());
                out.extend((captured as u16).to_le_bytes());
            } else {
                out.extend((*millis * 1000).to_le_bytes());
                out.extend(wire.to_le_bytes());
                out.extend(captured.to_le_bytes());
            }
            out.extend(*bytes);
            if version.0 == 2 && version.1 >= 1 {
                out.extend(network.to_le_bytes());
            }
            if version.0 == 2 && version.1 >= 2 {
                out.extend([0xff; 4]);
            }
            if version.0 == 2 && version.1 >= 3 {
                // An hour before the start and the count of microseconds say.
                let utc = (START + millis - 3_600_000) * 10_000 + 116_444_736_000_000_000;
                out.extend(utc.to_le_bytes());
                out.push(0);
            }
        }
        let table = out.len() as u32;
        out[24..28].copy_from_slice(&table.to_le_bytes());
        out[28..32].copy_from_slice(&(4 * order.len() as u32).to_le_bytes());
        for place in order {
            out.extend(places[*place].to_le_bytes());
        }
        (out, places)
    }

    fn file(version: (u8, u8)) -> Vec<u8> {
        laid_out(version, &FOUR, &[0, 1, 2, 3]).0
    }

    fn seen(millis: i64, link: u16, interface: u32, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos: (START + millis) * 1_000_000,
            link,
            interface,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    /// What [`FOUR`] are, with the network type of the file or their own.
    fn four(own: bool, shift: i64) -> [Seen; 4] {
        let (link, interface) = if own { (6, 1) } else { (1, 0) };
        [
            seen(shift, 1, 0, 60, b"the first frame"),
            seen(1 + shift, 1, 0, 0, b""),
            seen(7 + shift, link, interface, 9, b"not third"),
            seen(2000 + shift, 1, 0, 1500, b"fourth"),
        ]
    }

    const VERSIONS: [((u8, u8), bool, i64); 5] = [
        ((1, 1), false, 0),
        ((2, 0), false, 0),
        ((2, 1), true, 0),
        ((2, 2), true, 0),
        ((2, 3), true, -3_600_000),
    ];

    /// Good files, to be damaged.
    pub(crate) fn samples() -> Vec<Vec<u8>> {
        VERSIONS.map(|(version, ..)| file(version)).to_vec()
    }

    #[test]
    fn every_version_has_its_own_records() {
        for (version, own, shift) in VERSIONS {
            let bytes = file(version);
            assert_eq!(read_good(&bytes).0, four(own, shift), "{version:?}");
            assert_chunking_does_not_matter(&bytes);
        }
        let fault = read_all(Chunks::new(&file((3, 0)), 100), 4096).2.unwrap();
        assert!(fault.message.contains("version 3.0"), "{fault:?}");
    }

    #[test]
    fn the_table_gives_the_order() {
        let (mut bytes, _) = laid_out((2, 0), &FOUR, &[3, 1, 0]);
        let [first, second, _, fourth] = four(false, 0);
        assert_eq!(read_good(&bytes).0, [fourth.clone(), second, first]);
        bytes[28] -= 5;
        assert_eq!(read_good(&bytes).0, [fourth], "an odd rest is no entry");
    }

    #[test]
    fn cut_anywhere_the_whole_frames_before_the_cut_are_read() {
        for (version, own, shift) in VERSIONS {
            let (bytes, places) = laid_out(version, &FOUR, &[0, 1, 2, 3]);
            let table = bytes.len() - 16;
            for cut in 0..bytes.len() {
                let (frames, _, fault) = read_all(Chunks::new(&bytes[..cut], 1000), 4096);
                let fault = fault.unwrap_or_else(|| panic!("{version:?} at {cut}"));
                if cut < header_size(version) {
                    assert_ne!(fault.severity, Severity::Damaged, "at {cut}");
                    continue;
                }
                let mut ends = places[1..].iter().map(|p| *p as usize).chain([table]);
                let complete = ends.clone().filter(|end| *end <= cut).count();
                assert_eq!(frames, four(own, shift)[..complete], "{version:?} at {cut}");
                assert_eq!(fault.severity, Severity::Damaged);
                let start = ends
                    .rfind(|end| *end <= cut)
                    .unwrap_or(header_size(version));
                assert_eq!(fault.offset, Some(start as u64), "{version:?} at {cut}");
            }
        }
    }

    #[test]
    fn a_table_that_was_never_written_is_done_without() {
        let mut bytes = file((2, 1));
        bytes.truncate(bytes.len() - 16);
        bytes[24..32].fill(0);
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 100), 4096);
        assert_eq!(frames, four(true, 0));
        assert_eq!(fault.unwrap().offset, Some(bytes.len() as u64));
    }

    #[test]
    fn entries_that_point_nowhere_cost_only_themselves() {
        let (mut bytes, places) = laid_out((2, 0), &FOUR, &[0, 1, 2, 3]);
        let table = bytes.len() - 16;
        bytes[table..table + 4].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
        bytes[table + 4..table + 8].copy_from_slice(&u32::MAX.to_le_bytes());
        let third = places[2] as usize;
        bytes[third + 12..third + 16].copy_from_slice(&300_000_u32.to_le_bytes());
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 100), 4096);
        assert_eq!(frames, four(false, 0)[3..]);
        let fault = fault.unwrap();
        assert_eq!(fault.offset, Some(0x7fff_ffff));
        assert!(
            fault.message.contains("3 frames were left out"),
            "{fault:?}"
        );
    }

    #[test]
    fn a_table_that_repeats_itself_ends() {
        let (bytes, places) = laid_out((2, 0), &FOUR, &[0; 200]);
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 1000), 4096);
        assert!((4..200).contains(&frames.len()), "{}", frames.len());
        assert_eq!(frames[3], four(false, 0)[0]);
        let table = bytes.len() - 800;
        assert!(places.iter().all(|place| (*place as usize) < table));
        let entry = (table + 4 * frames.len()) as u64;
        assert_eq!(fault.unwrap().offset, Some(entry));
    }

    #[test]
    fn what_is_no_frame_is_passed_over_and_what_is_unknown_is_told() {
        let rows = [
            (0, 0xffff, 3, &b"fil"[..]),
            (0, 1, 60, b"the first frame"),
            (0, 6, 5, b"radio"),
            (0, 0xffe0, 3, b"evt"),
            (0, 4, 5, b"atm.."),
        ];
        let (bytes, places) = laid_out((2, 1), &rows, &[0, 1, 2, 3, 4]);
        let (frames, _, fault) = read_all(Chunks::new(&bytes, 100), 4096);
        assert_eq!(frames, four(true, 0)[..1]);
        let fault = fault.unwrap();
        assert_eq!(fault.offset, Some(u64::from(places[2])));
        assert!(
            fault.message.contains("2 frames were left out"),
            "{fault:?}"
        );
        assert!(fault.message.contains("network type 6"), "{fault:?}");

        let mut bytes = file((2, 0));
        bytes[6] = 4;
        let fault = read_all(Chunks::new(&bytes, 100), 4096).2.unwrap();
        assert_eq!(fault.severity, Severity::Unreadable);
    }

    #[test]
    fn frames_can_be_from_before_the_start() {
        let rows = [(-5, 1, 60, &b"the first frame"[..])];
        let (bytes, _) = laid_out((2, 0), &rows, &[0]);
        let wanted = [seen(-5, 1, 0, 60, b"the first frame")];
        assert_eq!(read_good(&bytes).0, wanted);
    }

    #[test]
    fn local_times_are_remarked_until_there_is_utc() {
        for (version, offset, remarks) in [
            ((1, 1), None, 1),
            ((2, 2), None, 1),
            ((2, 2), Some(3600), 0),
            ((2, 3), None, 0),
        ] {
            let window = Window::new(Box::new(Chunks::new(&file(version), 100)), 4096);
            let mut reader = open(window, Zone { offset }).unwrap();
            assert_eq!(reader.remarks().len(), remarks, "{version:?}");
            let at = reader.next(&mut Interfaces::default()).unwrap().unwrap().at;
            let zone = i64::from(offset.unwrap_or(0)) * 1000;
            let utc = if version == (2, 3) { -3_600_000 } else { -zone };
            assert_eq!(at.as_nanos(), (START + utc) * 1_000_000);
        }
    }
}
