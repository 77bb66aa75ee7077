//! The pcapng format (IETF draft-ietf-opsawg-pcapng).
//!
//! An own reader, not a crate: times need the resolution (any power of ten or two) and
//! the offset of the interface in integers wider than 64 bits, and each section has its
//! own byte order and interfaces.

mod blocks;

use crate::clock::Clock;
use crate::completeness::Tally;
use crate::fault::Fault;
use crate::interfaces::{Interface, Interfaces, MAX_INTERFACES, Section};
use crate::pcap::without_fcs;
use crate::raw::{u16_at, u32_at};
use crate::reader::{Action, Format, Reader, Record};
use crate::window::{MAX_WINDOW, Window};
use blocks::{Block, DescriptionBlock, PacketOptions, byte_order, check_captured, losses};
use std::ops::Range;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "pcapng",
    matches: |head| head.starts_with(&SECTION_HEADER.to_be_bytes()),
    action: Action::Read(|window, _| Ok(Box::new(Pcapng::open(window)?))),
};

/// Block types. That of the section header reads the same in both byte orders.
const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;

/// Type, length, and the length again at the end.
const BLOCK_FRAME: usize = 12;
/// The block frame and the fields of a section header, without options.
const MIN_SECTION_HEADER: usize = 28;
/// Fields before the bytes of a packet: enhanced (and the old kind), simple.
const ENHANCED_DATA: usize = 28;
const SIMPLE_DATA: usize = 12;
/// Fields before the options: of an interface description, of interface statistics.
const INTERFACE_FIELDS: usize = 16;
const STATISTICS_FIELDS: usize = 20;

/// What some writers count the times of statistics in, whatever the interface says.
const MICROSECONDS: Clock = Clock::MICROSECONDS;

struct Pcapng {
    window: Window,
    big_endian: bool,
    section: Section,
    /// The interfaces of this section by their number in it.
    interfaces: Vec<Local>,
    /// What each of them has in this section.
    tallies: Vec<Tally>,
    frame: Range<usize>,
    /// Time of the last frame, for those that come without.
    last: Timestamp,
    done: bool,
}

/// What reading a frame needs to know of its interface.
#[derive(Clone, Copy, Debug)]
struct Local {
    /// Number in the whole capture.
    number: u32,
    link: LinkType,
    snaplen: u32,
    fcs_len: u8,
    clock: Clock,
}

impl Pcapng {
    fn open(mut window: Window) -> Result<Self, Fault> {
        let there = window
            .fill(MIN_SECTION_HEADER)
            .map_err(|error| Fault::unreadable(format!("cannot be read: {error}")))?;
        if !there {
            return Err(Fault::empty(
                "the file ends inside its section header; the capture was cut off before \
                 its first frame",
            ));
        }
        if byte_order(window.unread()).is_none() {
            return Err(Fault::unreadable(
                "starts like pcapng, but has no pcapng byte-order magic; it is damaged",
            ));
        }
        Ok(Self {
            window,
            big_endian: false,
            section: Section::default(),
            interfaces: Vec::new(),
            tallies: Vec::new(),
            frame: 0..0,
            last: Timestamp::default(),
            done: false,
        })
    }

    /// Reads blocks up to the next frame.
    fn record(&mut self, all: &mut Interfaces) -> Result<Option<Record>, Fault> {
        loop {
            let start = self.window.offset();
            if !self.fill(start, BLOCK_FRAME)? {
                let there = self.window.unread().len();
                if there > 0 {
                    return Err(Fault::cut(start, "block header", there, BLOCK_FRAME));
                }
                self.end_section(all);
                return Ok(None);
            }
            let head = self.window.unread();
            let kind = u32_at(head, 0, self.big_endian);
            if kind == SECTION_HEADER {
                let Some(big_endian) = byte_order(head) else {
                    return Err(Fault::damaged(
                        start,
                        "a section header without byte-order magic: the file is damaged \
                         from here on, the frames before were read",
                    ));
                };
                self.big_endian = big_endian;
                self.end_section(all);
            }
            let block = Block {
                kind,
                start,
                length: u32_at(self.window.unread(), 4, self.big_endian),
            };
            let least = match kind {
                SECTION_HEADER => MIN_SECTION_HEADER,
                ENHANCED_PACKET | PACKET => ENHANCED_DATA + 4,
                SIMPLE_PACKET => SIMPLE_DATA + 4,
                INTERFACE_DESCRIPTION => 20,
                INTERFACE_STATISTICS => 24,
                _ => BLOCK_FRAME,
            };
            if kind == 0 && block.length == 0 {
                return Err(Fault::zeros(start));
            }
            if (block.length as usize) < least {
                return Err(Fault::damaged(
                    start,
                    format!(
                        "a block of type {kind} claims {} bytes, which it cannot have: \
                         the file is damaged from here on, the frames before were read",
                        block.length
                    ),
                ));
            }
            let record = match kind {
                ENHANCED_PACKET
                | PACKET
                | SIMPLE_PACKET
                | INTERFACE_DESCRIPTION
                | INTERFACE_STATISTICS => self.known(block, all)?,
                _ => {
                    self.pass_over(block)?;
                    None
                }
            };
            if record.is_some() {
                return Ok(record);
            }
        }
    }

    /// Says what is missing in the section, which was read as a whole.
    fn end_section(&mut self, all: &mut Interfaces) {
        for (local, tally) in self.interfaces.iter().zip(&self.tallies) {
            if let Some(shortfall) = tally.shortfall() {
                all.miss(local.number, shortfall);
            }
        }
        self.section = Section::default();
        self.interfaces.clear();
        self.tallies.clear();
    }

    /// A block whose content counts; the frame, if it holds one.
    fn known(&mut self, block: Block, all: &mut Interfaces) -> Result<Option<Record>, Fault> {
        let Block { kind, start, .. } = block;
        let whole = usize::try_from(block.whole()).unwrap_or(usize::MAX);
        if whole > MAX_WINDOW {
            return Err(Fault::damaged(
                start,
                format!(
                    "a block of {whole} bytes is larger than any frame: the file is damaged \
                     from here on, the frames before were read"
                ),
            ));
        }
        if !self.fill(start, whole)? {
            let there = self.window.unread().len();
            return Err(Fault::cut(start, "block", there, whole));
        }
        block.check(u32_at(self.window.unread(), whole - 4, self.big_endian))?;
        let taken = self.window.consume(whole);
        // The last four bytes are the length that has just been checked.
        let body = taken.start..taken.end.saturating_sub(4);
        match kind {
            INTERFACE_DESCRIPTION => self.describe(start, body, all).map(|()| None),
            INTERFACE_STATISTICS => {
                self.count(body, all);
                Ok(None)
            }
            SIMPLE_PACKET => self.simple(start, body, all).map(Some),
            _ => self.packet(kind, start, body, all).map(Some),
        }
    }

    fn describe(
        &mut self,
        start: u64,
        body: Range<usize>,
        all: &mut Interfaces,
    ) -> Result<(), Fault> {
        let DescriptionBlock {
            interface,
            clock,
            filtered,
        } = DescriptionBlock::read(self.window.slice(body), self.big_endian);
        let local = |number| Local {
            number,
            link: interface.link,
            snaplen: interface.snaplen,
            fcs_len: interface.fcs_len,
            clock,
        };
        let number = all.declare(&mut self.section, interface.clone());
        let (Some(number), true) = (number, self.interfaces.len() < MAX_INTERFACES) else {
            return Err(Fault::damaged(
                start,
                format!("describes more than {MAX_INTERFACES} interfaces; it is damaged"),
            ));
        };
        self.interfaces.push(local(number));
        self.tallies.push(Tally::new(filtered));
        Ok(())
    }

    /// An enhanced packet block, or the packet block that it replaced: these differ
    /// only in how they number the interface and count losses.
    fn packet(
        &mut self,
        kind: u32,
        start: u64,
        body: Range<usize>,
        all: &mut Interfaces,
    ) -> Result<Record, Fault> {
        let big = self.big_endian;
        let from = body.start + ENHANCED_DATA;
        let block = self.window.slice(body);
        let (number, mut dropped) = if kind == ENHANCED_PACKET {
            (u32_at(block, 8, big), 0)
        } else {
            let lost = u16_at(block, 10, big);
            // All ones: the writer could not tell.
            let lost = if lost == u16::MAX { 0 } else { lost };
            (u32::from(u16_at(block, 8, big)), u64::from(lost))
        };
        let local = self.local(start, number)?;
        let ticks = u64::from(u32_at(block, 12, big)) << 32 | u64::from(u32_at(block, 16, big));
        let (captured, wire) = (u32_at(block, 20, big), u32_at(block, 24, big));
        let rest = block.get(ENHANCED_DATA..).unwrap_or_default();
        check_captured(start, captured, rest.len())?;
        let padded = (captured as usize).next_multiple_of(4);
        let options = PacketOptions::read(rest.get(padded..).unwrap_or_default(), big);
        let fcs_len = options.fcs_len.unwrap_or(local.fcs_len);
        if kind == ENHANCED_PACKET {
            dropped = options.dropped.unwrap_or(dropped);
        }
        self.last = local.clock.at(ticks);
        if let Some(tally) = self.tallies.get_mut(number as usize) {
            tally.frame(Some(self.last), dropped);
        }
        Ok(
            self.lend(all, local, from, (captured, wire), fcs_len, |interface| {
                interface.dropped_noted = interface.dropped_noted.saturating_add(dropped);
            }),
        )
    }

    /// A simple packet block: the first interface, no time, and the captured length is
    /// only implied.
    fn simple(
        &mut self,
        start: u64,
        body: Range<usize>,
        all: &mut Interfaces,
    ) -> Result<Record, Fault> {
        let from = body.start + SIMPLE_DATA;
        let block = self.window.slice(body);
        let wire = u32_at(block, 8, self.big_endian);
        let room = block.len().saturating_sub(SIMPLE_DATA);
        let local = self.local(start, 0)?;
        let mut captured = wire;
        if local.snaplen != 0 {
            captured = captured.min(local.snaplen);
        }
        // A writer with a snaplen that it did not write down.
        captured = captured.min(u32::try_from(room).unwrap_or(u32::MAX));
        check_captured(start, captured, room)?;
        if let Some(tally) = self.tallies.first_mut() {
            tally.frame(None, 0);
        }
        Ok(self.lend(
            all,
            local,
            from,
            (captured, wire),
            local.fcs_len,
            |interface| {
                interface.untimed += 1;
            },
        ))
    }

    fn local(&self, start: u64, number: u32) -> Result<Local, Fault> {
        self.interfaces
            .get(number as usize)
            .copied()
            .ok_or_else(|| {
                Fault::damaged(
                    start,
                    format!(
                        "a frame of interface {number}, which its section does not describe: \
                         the file is damaged from here on, the frames before were read"
                    ),
                )
            })
    }

    #[inline]
    fn lend(
        &mut self,
        all: &mut Interfaces,
        local: Local,
        from: usize,
        (captured, wire): (u32, u32),
        fcs_len: u8,
        note: impl FnOnce(&mut Interface),
    ) -> Record {
        if let Some(interface) = all.at(local.number) {
            if wire < captured {
                interface.lengths_mended += 1;
            }
            note(interface);
        }
        let (kept, wire_len) = without_fcs(captured, wire.max(captured), fcs_len);
        self.frame = from..from + kept as usize;
        Record {
            at: self.last,
            link: local.link,
            interface: local.number,
            wire_len,
        }
    }

    fn count(&mut self, body: Range<usize>, all: &mut Interfaces) {
        let big = self.big_endian;
        let block = self.window.slice(body);
        let place = u32_at(block, 8, big) as usize;
        let (Some(local), Some(tally)) = (self.interfaces.get(place), self.tallies.get_mut(place))
        else {
            return;
        };
        let counted = losses(block, big);
        let began = [local.clock, MICROSECONDS].map(|clock| counted.began.map(|n| clock.at(n)));
        tally.count(counted, began);
        all.count(local.number, counted);
    }

    /// A block of no interest: names, secrets, custom blocks, and what is yet to be
    /// invented.
    fn pass_over(&mut self, block: Block) -> Result<(), Fault> {
        let start = block.start;
        let skipped = self
            .window
            .skip(block.whole() - 4)
            .map_err(|error| Fault::io(start, &error))?;
        if !skipped || !self.fill(start, 4)? {
            let there = self.window.offset() - start + self.window.unread().len() as u64;
            let [there, whole] =
                [there, block.whole()].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
            return Err(Fault::cut(start, "block", there, whole));
        }
        let again = u32_at(self.window.unread(), 0, self.big_endian);
        self.window.consume(4);
        block.check(again)
    }

    fn fill(&mut self, start: u64, wanted: usize) -> Result<bool, Fault> {
        self.window
            .fill(wanted)
            .map_err(|error| Fault::io(start, &error))
    }
}

impl Reader for Pcapng {
    fn next(&mut self, interfaces: &mut Interfaces) -> Result<Option<Record>, Fault> {
        if self.done {
            return Ok(None);
        }
        let result = self.record(interfaces);
        self.done = !matches!(result, Ok(Some(_)));
        result
    }

    fn bytes(&self) -> &[u8] {
        self.window.slice(self.frame.clone())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::fault::Severity;
    use crate::format::tests::{
        Chunks, Seen, assert_chunking_does_not_matter, read_all, read_good,
    };

    /// A pcapng file by hand.
    struct PcapngBuild {
        big: bool,
        out: Vec<u8>,
    }

    /// A field of a block, in the byte order of the section.
    enum Field<'a> {
        U16(u16),
        U32(u32),
        U64(u64),
        /// Bytes, filled up to a multiple of four.
        Raw(&'a [u8]),
    }
    use Field::{Raw, U16, U32, U64};

    impl PcapngBuild {
        fn new(big: bool) -> Self {
            let mut build = Self {
                big,
                out: Vec::new(),
            };
            build.section(big);
            build
        }

        fn field(&self, field: &Field<'_>) -> Vec<u8> {
            match (field, self.big) {
                (U16(value), true) => value.to_be_bytes().to_vec(),
                (U16(value), false) => value.to_le_bytes().to_vec(),
                (U32(value), true) => value.to_be_bytes().to_vec(),
                (U32(value), false) => value.to_le_bytes().to_vec(),
                (U64(value), true) => value.to_be_bytes().to_vec(),
                (U64(value), false) => value.to_le_bytes().to_vec(),
                (Raw(bytes), _) => {
                    let mut bytes = bytes.to_vec();
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                    bytes
                }
            }
        }

        fn block(&mut self, kind: u32, fields: &[Field<'_>]) -> &mut Self {
            let body: Vec<u8> = fields.iter().flat_map(|f| self.field(f)).collect();
            let length = U32(body.len() as u32 + 12);
            for part in [
                self.field(&U32(kind)),
                self.field(&length),
                body,
                self.field(&length),
            ] {
                self.out.extend(part);
            }
            self
        }

        fn section(&mut self, big: bool) -> &mut Self {
            self.big = big;
            self.block(
                SECTION_HEADER,
                &[U32(0x1a2b_3c4d), U16(1), U16(0), U64(u64::MAX)],
            )
        }

        fn interface(&mut self, link: u16, snaplen: u32, options: &[Field<'_>]) -> &mut Self {
            let mut fields = vec![U16(link), U16(0), U32(snaplen)];
            fields.extend(options.iter().map(|field| match field {
                U16(value) => U16(*value),
                U32(value) => U32(*value),
                U64(value) => U64(*value),
                Raw(bytes) => Raw(bytes),
            }));
            self.block(INTERFACE_DESCRIPTION, &fields)
        }

        fn frame(&mut self, interface: u32, ticks: u64, wire: u32, bytes: &[u8]) -> &mut Self {
            self.block(
                ENHANCED_PACKET,
                &[
                    U32(interface),
                    U32((ticks >> 32) as u32),
                    U32(ticks as u32),
                    U32(bytes.len() as u32),
                    U32(wire),
                    Raw(bytes),
                ],
            )
        }
    }

    fn seen(nanos: i64, interface: u32, link: u16, wire_len: u32, bytes: &[u8]) -> Seen {
        Seen {
            nanos,
            link,
            interface,
            wire_len,
            bytes: bytes.to_vec(),
        }
    }

    const DAY: u64 = 1_700_000_000;

    /// A good file with all that is read, to be damaged.
    pub(crate) fn sample() -> Vec<u8> {
        let mut build = PcapngBuild::new(false);
        build
            .interface(
                1,
                96,
                &[U16(2), U16(4), Raw(b"eth0"), U16(9), U16(1), Raw(&[9])],
            )
            .interface(
                113,
                0,
                &[U16(13), U16(1), Raw(&[4]), U16(14), U16(8), U64(5)],
            )
            .frame(0, DAY, 3, b"abc")
            .block(SIMPLE_PACKET, &[U32(3), Raw(b"abc")])
            .block(
                PACKET,
                &[U16(1), U16(9), U32(1), U32(2), U32(3), U32(60), Raw(b"abc")],
            )
            .block(
                INTERFACE_STATISTICS,
                &[
                    U32(0),
                    U32(0),
                    U32(0),
                    U16(4),
                    U16(8),
                    U64(100),
                    U16(0),
                    U16(0),
                ],
            )
            .section(true)
            .block(4, &[U32(0), U32(0)])
            .interface(1, 0, &[U16(9), U16(1), Raw(&[0x94])])
            .frame(0, DAY << 20, 9, b"defgh");
        std::mem::take(&mut build.out)
    }

    #[test]
    fn every_resolution_and_offset_in_both_byte_orders() {
        let second = 1_000_000_000_i64;
        for (resolution, offset, ticks, nanos) in [
            (
                6,
                0,
                DAY * 1_000_000 + 123_456,
                DAY as i64 * second + 123_456_000,
            ),
            (9, 0, DAY * 1_000_000_000 + 1, DAY as i64 * second + 1),
            (0, 0, DAY, DAY as i64 * second),
            (3, 0, 1_500, 1_500_000_000),
            (
                12,
                DAY as i64,
                999_999_999_999,
                DAY as i64 * second + 999_999_999,
            ),
            (12, 0, u64::MAX, 18_446_744_073_709_551),
            (28, 0, u64::MAX, 1),
            (127, 5, u64::MAX, 5 * second),
            (0x80, 0, DAY, DAY as i64 * second),
            (0x80 | 10, 0, 1_536, 1_500_000_000),
            (0x80 | 20, -10, 1 << 20, -9 * second),
            (
                0x80 | 32,
                DAY as i64,
                0x8000_0001,
                DAY as i64 * second + 500_000_000,
            ),
            (0x80 | 63, 0, u64::MAX, 1_999_999_999),
            (0xff, 0, u64::MAX, 0),
            (6, -3600, 3600 * 1_000_000, 0),
            (6, -7200, 1_000_000, -7199 * second),
            (0, 0, u64::MAX, i64::MAX),
            (0, i64::MIN, 0, i64::MIN),
        ] {
            for big in [false, true] {
                let mut build = PcapngBuild::new(big);
                build
                    .interface(
                        1,
                        0,
                        &[
                            U16(9),
                            U16(1),
                            Raw(&[resolution]),
                            U16(14),
                            U16(8),
                            U64(offset as u64),
                            U16(0),
                            U16(0),
                        ],
                    )
                    .frame(0, ticks, 3, b"abc");
                assert_eq!(
                    read_good(&build.out).0,
                    [seen(nanos, 0, 1, 3, b"abc")],
                    "resolution {resolution:#x}, offset {offset}, big endian: {big}"
                );
            }
        }
    }

    #[test]
    fn each_section_has_its_own_byte_order_and_interfaces() {
        let mut build = PcapngBuild::new(false);
        build
            .interface(1, 96, &[U16(2), U16(4), Raw(b"eth0")])
            .interface(113, 0, &[U16(9), U16(1), Raw(&[9])])
            .frame(0, 1_000_000, 3, b"abc")
            .frame(1, 2, 4, b"defg")
            .section(true)
            .interface(113, 0, &[])
            .frame(0, 5, 1, b"h")
            .interface(1, 65_535, &[U16(2), U16(5), Raw(b"eth0\0")])
            .frame(1, 6, 1, b"i")
            .interface(1, 65_535, &[U16(2), U16(4), Raw(b"eth1")])
            .frame(2, 7, 1, b"j");
        let (frames, interfaces) = read_good(&build.out);
        assert_eq!(
            frames,
            [
                seen(1_000_000_000, 0, 1, 3, b"abc"),
                seen(2, 1, 113, 4, b"defg"),
                seen(5_000, 1, 113, 1, b"h"),
                seen(6_000, 0, 1, 1, b"i"),
                seen(7_000, 2, 1, 1, b"j"),
            ]
        );
        let names: Vec<_> = interfaces
            .list()
            .iter()
            .map(|i| i.name.as_deref())
            .collect();
        assert_eq!(names, [Some("eth0"), None, Some("eth1")]);
        assert_eq!(interfaces.list()[0].snaplen, 65_535);
        assert_chunking_does_not_matter(&build.out);
    }

    #[test]
    fn a_simple_packet_has_the_time_before_it_and_an_implied_length() {
        for big in [false, true] {
            let mut build = PcapngBuild::new(big);
            build
                .interface(1, 5, &[])
                .block(SIMPLE_PACKET, &[U32(3), Raw(b"abc")])
                .frame(0, 7, 3, b"def")
                .block(SIMPLE_PACKET, &[U32(60), Raw(b"ghijk")]);
            let (frames, interfaces) = read_good(&build.out);
            assert_eq!(
                frames,
                [
                    seen(0, 0, 1, 3, b"abc"),
                    seen(7_000, 0, 1, 3, b"def"),
                    seen(7_000, 0, 1, 60, b"ghijk"),
                ]
            );
            assert_eq!(interfaces.list()[0].untimed, 2);
        }
    }

    #[test]
    fn old_packets_and_losses_are_read() {
        for big in [false, true] {
            let mut build = PcapngBuild::new(big);
            let packet = |build: &mut PcapngBuild, losses| {
                build.block(
                    PACKET,
                    &[
                        U16(0),
                        U16(losses),
                        U32(1),
                        U32(2),
                        U32(3),
                        U32(60),
                        Raw(b"abc"),
                    ],
                );
            };
            build.interface(1, 0, &[]);
            packet(&mut build, 4);
            packet(&mut build, u16::MAX);
            build.block(
                ENHANCED_PACKET,
                &[
                    U32(0),
                    U32(0),
                    U32(0),
                    U32(1),
                    U32(1),
                    Raw(b"x"),
                    U16(4),
                    U16(8),
                    U64(10),
                ],
            );
            build.block(
                INTERFACE_STATISTICS,
                &[
                    U32(0),
                    U32(0),
                    U32(0),
                    U16(4),
                    U16(8),
                    U64(100),
                    U16(5),
                    U16(8),
                    U64(7),
                    U16(7),
                    U16(8),
                    U64(2),
                    U16(0),
                    U16(0),
                ],
            );
            let (frames, interfaces) = read_good(&build.out);
            let nanos = ((1_i64 << 32) + 2) * 1000;
            assert_eq!(frames[0], seen(nanos, 0, 1, 60, b"abc"));
            let interface = &interfaces.list()[0];
            assert_eq!(interface.dropped_noted, 14);
            assert_eq!(interface.received, Some(100));
            assert_eq!(interface.dropped, Some(9));
        }
    }

    #[test]
    fn the_speed_of_a_link_is_known_where_the_file_says() {
        for (big, speed, expected) in [(false, 10_000_000, Some(10_000_000)), (true, 0, None)] {
            let mut build = PcapngBuild::new(big);
            build
                .interface(1, 0, &[U16(8), U16(8), U64(speed)])
                .frame(0, 0, 6, b"abcdef");
            let (_, interfaces) = read_good(&build.out);
            assert_eq!(interfaces.list()[0].speed, expected);
        }
    }

    #[test]
    fn the_frame_check_sequence_is_taken_off() {
        for length in [4, 32] {
            let mut build = PcapngBuild::new(true);
            build
                .interface(1, 0, &[U16(13), U16(1), Raw(&[length])])
                .frame(0, 0, 10, b"abcdef1234")
                .block(
                    ENHANCED_PACKET,
                    &[
                        U32(0),
                        U32(0),
                        U32(0),
                        U32(10),
                        U32(10),
                        Raw(b"abcdefgh12"),
                        U16(2),
                        U16(4),
                        U32(2 << 5),
                    ],
                );
            let (frames, _) = read_good(&build.out);
            assert_eq!(
                frames,
                [seen(0, 0, 1, 6, b"abcdef"), seen(0, 0, 1, 8, b"abcdefgh")]
            );
        }
    }

    #[test]
    fn other_blocks_are_passed_over_however_long() {
        let mut build = PcapngBuild::new(false);
        let long = vec![0x55; 3 * MAX_WINDOW];
        build
            .interface(1, 0, &[])
            .block(4, &[U16(0), U16(0)])
            .block(10, &[Raw(&long)])
            .block(0xbad, &[])
            .frame(0, 0, 5, b"ab");
        assert_eq!(read_good(&build.out).0, [seen(0, 0, 1, 5, b"ab")]);
    }

    #[test]
    fn padding_that_the_length_leaves_out_is_found() {
        let mut build = PcapngBuild::new(false);
        build.interface(1, 0, &[]);
        for bytes in [&b"abcdef"[..], b"ghi"] {
            let start = build.out.len();
            build.frame(0, 1, 9, bytes);
            let end = build.out.len();
            let unpadded = (32 + bytes.len()) as u32;
            for at in [start + 4, end - 4] {
                build.out[at..at + 4].copy_from_slice(&unpadded.to_le_bytes());
            }
        }
        assert_eq!(
            read_good(&build.out).0,
            [
                seen(1_000, 0, 1, 9, b"abcdef"),
                seen(1_000, 0, 1, 9, b"ghi")
            ]
        );
    }

    #[test]
    fn cut_anywhere_the_whole_frames_before_the_cut_are_read() {
        for big in [false, true] {
            let mut build = PcapngBuild::new(big);
            let mut starts = vec![0, build.out.len()];
            build.interface(1, 0, &[U16(2), U16(4), Raw(b"eth0")]);
            starts.push(build.out.len());
            let mut ends = Vec::new();
            for bytes in [&b"abc"[..], b"", b"defgh"] {
                build.frame(0, 1, 9, bytes);
                ends.push(build.out.len());
                starts.push(build.out.len());
                build.block(0xbad, &[U32(1)]);
                starts.push(build.out.len());
            }
            let (all, _) = read_good(&build.out);
            assert_eq!(all.len(), 3);
            for cut in 0..build.out.len() {
                let (frames, _, fault) = read_all(Chunks::new(&build.out[..cut], 1000), 64);
                let complete = ends.iter().filter(|&&end| end <= cut).count();
                assert_eq!(frames, all[..complete], "at {cut}");
                let start = *starts.iter().rev().find(|&&start| start <= cut).unwrap();
                match fault {
                    None => assert_eq!(cut, start, "a clean end only between blocks"),
                    Some(fault) if cut < MIN_SECTION_HEADER => {
                        assert_eq!(fault.severity, Severity::Empty, "at {cut}");
                    }
                    Some(fault) => {
                        assert_eq!(fault.severity, Severity::Damaged, "at {cut}");
                        assert_eq!(fault.offset, Some(start as u64), "at {cut}");
                    }
                }
            }
        }
    }

    /// What follows a good frame, and where the fault is said to be.
    fn damage(bad: impl Fn(&mut PcapngBuild)) -> String {
        let mut build = PcapngBuild::new(false);
        build.interface(1, 0, &[]).frame(0, 0, 2, b"ok");
        let at = build.out.len() as u64;
        bad(&mut build);
        build.frame(0, 0, 5, b"after");
        let (frames, _, fault) = read_all(Chunks::new(&build.out, 1000), 64);
        assert_eq!(frames, [seen(0, 0, 1, 2, b"ok")]);
        let fault = fault.expect("damage");
        assert_eq!(fault.severity, Severity::Damaged);
        assert_eq!(fault.offset, Some(at));
        fault.message
    }

    #[test]
    fn damage_is_named_where_it_is() {
        let broken = |at_end: usize, value: u32| {
            move |build: &mut PcapngBuild| {
                build.frame(0, 0, 2, b"bad!");
                let at = build.out.len() - at_end;
                build.out[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        };
        assert!(damage(broken(4, 40)).contains("at its end 40"));
        assert!(damage(broken(32, 37)).contains("37 bytes and at its end"));
        assert!(damage(broken(32, 8)).contains("claims 8 bytes"));
        assert!(damage(broken(32, 1 << 24)).contains("larger than any frame"));
        assert!(damage(broken(28, 3)).contains("interface 3"));
        assert!(damage(broken(16, 5)).contains("claims 5 captured bytes"));
        let no_magic = damage(|build| {
            build.block(SECTION_HEADER, &[U32(1), U64(0), U32(0)]);
        });
        assert!(no_magic.contains("byte-order magic"));
        let too_long = damage(|build| {
            build.frame(0, 0, 9, &vec![0; crate::raw::MAX_FRAME + 1]);
        });
        assert!(too_long.contains("262145 captured bytes"));
    }

    #[test]
    fn hostile_options_do_no_harm() {
        let mut build = PcapngBuild::new(false);
        let name = vec![b'n'; 60_000];
        build
            .interface(1, 0, &[U16(2), U16(60_000), Raw(&name)])
            .interface(1, 0, &[U16(9), U16(0), U16(14), U16(3), Raw(b"abc")])
            .interface(1, 0, &[U16(9), U16(9_999), Raw(b"abc")])
            .frame(2, 1, 2, b"ok");
        let (frames, interfaces) = read_good(&build.out);
        assert_eq!(frames, [seen(1_000, 2, 1, 2, b"ok")]);
        assert_eq!(
            interfaces.list()[0].name.as_ref().map(String::len),
            Some(blocks::MAX_NAME)
        );
    }

    #[test]
    fn too_many_interfaces_are_damage() {
        let mut build = PcapngBuild::new(false);
        for _ in 0..=MAX_INTERFACES {
            build.interface(1, 0, &[]);
        }
        let (_, interfaces, fault) = read_all(Chunks::new(&build.out, usize::MAX), 1 << 16);
        assert_eq!(fault.unwrap().severity, Severity::Damaged);
        assert_eq!(interfaces.list().len(), MAX_INTERFACES);
    }
}
