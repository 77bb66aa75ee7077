//! The pcapng format (IETF draft-ietf-opsawg-pcapng).
//!
//! An own reader, not a crate: times need the resolution (any power of ten or two) and
//! the offset of the interface in integers wider than 64 bits, and each section has its
//! own byte order and interfaces.

use crate::format::{
    Action, Fault, Format, MAX_FRAME, Reader, Record, link_type, u16_at, u32_at, u64_at,
};
use crate::interfaces::{Counted, Interface, Interfaces, MAX_INTERFACES, Section};
use crate::pcap::without_fcs;
use crate::window::{MAX_WINDOW, Window};
use std::ops::Range;
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const FORMAT: Format = Format {
    name: "pcapng",
    matches: |head| head.starts_with(&SECTION_HEADER.to_be_bytes()),
    action: Action::Read(|window| Ok(Box::new(Pcapng::open(window)?))),
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

/// Interface names are kept up to this many bytes, so that hostile files stay small.
const MAX_NAME: usize = 255;

struct Pcapng {
    window: Window,
    big_endian: bool,
    section: Section,
    /// The interfaces of this section by their number in it.
    interfaces: Vec<Local>,
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

/// How a time stamp of an interface counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clock {
    unit: Unit,
    /// Seconds to be added (`if_tsoffset`).
    offset: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    /// 10^-9 or longer: nanoseconds of a tick.
    Nanos(u32),
    /// Shorter than 10^-9: ticks of a nanosecond.
    PerNano(u64),
    /// A power of two: 2^-n of a second.
    Binary(u8),
    /// So short that no 64-bit count of it reaches a nanosecond.
    Nothing,
}

impl Clock {
    /// From `if_tsresol`: the top bit chooses the base, the rest is the exponent.
    fn new(resolution: u8, offset: i64) -> Self {
        let exponent = resolution & 0x7f;
        let unit = if resolution & 0x80 != 0 {
            Unit::Binary(exponent)
        } else if exponent <= 9 {
            Unit::Nanos(10_u32.pow(9 - u32::from(exponent)))
        } else {
            10_u64
                .checked_pow(u32::from(exponent) - 9)
                .map_or(Unit::Nothing, Unit::PerNano)
        };
        Self { unit, offset }
    }

    /// The moment at which the count was `ticks`, to the nanosecond (rounded down).
    #[inline]
    fn at(&self, ticks: u64) -> Timestamp {
        // At most 2^64 * 2^30: 128 bits hold every product.
        let nanos = match self.unit {
            Unit::Nanos(length) => u128::from(ticks) * u128::from(length),
            Unit::PerNano(count) => u128::from(ticks / count),
            Unit::Binary(exponent) => (u128::from(ticks) * 1_000_000_000) >> exponent,
            Unit::Nothing => 0,
        };
        // Both summands are below 2^94 in size.
        let nanos = nanos as i128 + i128::from(self.offset) * 1_000_000_000;
        Timestamp::from_nanos(
            i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX }),
        )
    }
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
                return match there {
                    0 => Ok(None),
                    _ => Err(Fault::cut(start, "block header", there, BLOCK_FRAME)),
                };
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
                self.section = Section::default();
                self.interfaces.clear();
            }
            let length = u32_at(self.window.unread(), 4, self.big_endian) as usize;
            let least = match kind {
                SECTION_HEADER => MIN_SECTION_HEADER,
                ENHANCED_PACKET | PACKET => ENHANCED_DATA + 4,
                SIMPLE_PACKET => SIMPLE_DATA + 4,
                INTERFACE_DESCRIPTION => 20,
                INTERFACE_STATISTICS => 24,
                _ => BLOCK_FRAME,
            };
            if length < least || length % 4 != 0 {
                return Err(Fault::damaged(
                    start,
                    format!(
                        "a block of type {kind} claims {length} bytes, which it cannot have: \
                         the file is damaged from here on, the frames before were read"
                    ),
                ));
            }
            let record = match kind {
                ENHANCED_PACKET | PACKET | SIMPLE_PACKET | INTERFACE_DESCRIPTION
                | INTERFACE_STATISTICS => self.known(kind, start, length, all)?,
                _ => {
                    self.pass_over(start, length)?;
                    None
                }
            };
            if record.is_some() {
                return Ok(record);
            }
        }
    }

    /// A block whose content counts; the frame, if it holds one.
    fn known(
        &mut self,
        kind: u32,
        start: u64,
        length: usize,
        all: &mut Interfaces,
    ) -> Result<Option<Record>, Fault> {
        if length > MAX_WINDOW {
            return Err(Fault::damaged(
                start,
                format!(
                    "a block of {length} bytes is larger than any frame: the file is damaged \
                     from here on, the frames before were read"
                ),
            ));
        }
        if !self.fill(start, length)? {
            let there = self.window.unread().len();
            return Err(Fault::cut(start, "block", there, length));
        }
        let again = u32_at(self.window.unread(), length - 4, self.big_endian);
        check_length(start, length, again)?;
        let taken = self.window.take(length);
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
        let big = self.big_endian;
        let block = self.window.slice(body);
        let link = link_type(u16_at(block, 8, big));
        let mut interface = Interface::new(link, u32_at(block, 12, big));
        let (mut resolution, mut offset) = (6, 0);
        for (code, value) in Options::new(block.get(16..).unwrap_or_default(), big) {
            match (code, value) {
                (2, name) => interface.name = Some(text(name)),
                (9, [exponent, ..]) => resolution = *exponent,
                // The draft says bits and gives 4 as its example; writers put bytes.
                (13, [length, ..]) => {
                    interface.fcs_len = if *length < 8 { *length } else { *length / 8 };
                }
                // A signed number: offsets before 1970 exist.
                (14, [_, _, _, _, _, _, _, _]) => offset = u64_at(value, 0, big) as i64,
                _ => {}
            }
        }
        let local = |number| Local {
            number,
            link,
            snaplen: interface.snaplen,
            fcs_len: interface.fcs_len,
            clock: Clock::new(resolution, offset),
        };
        let number = all.declare(&mut self.section, interface.clone());
        let (Some(number), true) = (number, self.interfaces.len() < MAX_INTERFACES) else {
            return Err(Fault::damaged(
                start,
                format!("describes more than {MAX_INTERFACES} interfaces; it is damaged"),
            ));
        };
        self.interfaces.push(local(number));
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
        let mut fcs_len = local.fcs_len;
        let padded = (captured as usize).next_multiple_of(4);
        if let Some(options) = rest.get(padded..) {
            for (code, value) in Options::new(options, big) {
                match (code, value) {
                    (2, [_, _, _, _]) => {
                        // epb_flags: bits 5 to 8 are this frame's own FCS length.
                        let own = (u32_at(value, 0, big) >> 5 & 0xf) as u8;
                        if own != 0 {
                            fcs_len = own;
                        }
                    }
                    (4, [_, _, _, _, _, _, _, _]) if kind == ENHANCED_PACKET => {
                        dropped = u64_at(value, 0, big);
                    }
                    _ => {}
                }
            }
        }
        self.last = local.clock.at(ticks);
        Ok(self.lend(all, local, from, (captured, wire), fcs_len, |interface| {
            interface.dropped_noted = interface.dropped_noted.saturating_add(dropped);
        }))
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
        Ok(self.lend(all, local, from, (captured, wire), local.fcs_len, |interface| {
            interface.untimed += 1;
        }))
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

    fn count(&self, body: Range<usize>, all: &mut Interfaces) {
        let big = self.big_endian;
        let block = self.window.slice(body);
        let Some(local) = self.interfaces.get(u32_at(block, 8, big) as usize) else {
            return;
        };
        let mut counted = Counted::default();
        let mut losses: Option<u64> = None;
        for (code, value) in Options::new(block.get(20..).unwrap_or_default(), big) {
            if value.len() != 8 {
                continue;
            }
            let number = u64_at(value, 0, big);
            match code {
                2 => counted.began = Some(number),
                4 => counted.received = Some(number),
                // By the interface and by the operating system: different frames.
                5 | 7 => losses = Some(losses.unwrap_or(0).saturating_add(number)),
                _ => {}
            }
        }
        counted.dropped = losses;
        all.count(local.number, counted);
    }

    /// A block of no interest: names, secrets, custom blocks, and what is yet to be
    /// invented.
    fn pass_over(&mut self, start: u64, length: usize) -> Result<(), Fault> {
        let skipped = self
            .window
            .skip(length as u64 - 4)
            .map_err(|error| Fault::io(start, &error))?;
        if !skipped || !self.fill(start, 4)? {
            let there = self.window.offset() - start + self.window.unread().len() as u64;
            let there = usize::try_from(there).unwrap_or(usize::MAX);
            return Err(Fault::cut(start, "block", there, length));
        }
        let again = u32_at(self.window.unread(), 0, self.big_endian);
        self.window.take(4);
        check_length(start, length, again)
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

/// Whether a section header is big-endian; `None` if it has no byte-order magic.
fn byte_order(header: &[u8]) -> Option<bool> {
    match u32_at(header, 8, true) {
        0x1a2b_3c4d => Some(true),
        0x4d3c_2b1a => Some(false),
        _ => None,
    }
}

fn check_length(start: u64, length: usize, again: u32) -> Result<(), Fault> {
    if length == again as usize {
        return Ok(());
    }
    Err(Fault::damaged(
        start,
        format!(
            "a block says at its start that it has {length} bytes and at its end {again}: \
             the file is damaged from here on, the frames before were read"
        ),
    ))
}

fn check_captured(start: u64, captured: u32, room: usize) -> Result<(), Fault> {
    if captured as usize <= room.min(MAX_FRAME) {
        return Ok(());
    }
    Err(Fault::damaged(
        start,
        format!(
            "a frame claims {captured} captured bytes, but its block has room for {room} and no \
             link has more than {MAX_FRAME}: the file is damaged from here on, the frames \
             before were read"
        ),
    ))
}

/// A name as text; writers end it with zeros now and then.
fn text(raw: &[u8]) -> String {
    let raw = raw.get(..MAX_NAME).unwrap_or(raw);
    String::from_utf8_lossy(raw)
        .trim_end_matches('\0')
        .to_owned()
}

/// The options of a block: code and value, up to the end mark or to what is broken.
struct Options<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> Options<'a> {
    const fn new(rest: &'a [u8], big_endian: bool) -> Self {
        Self { rest, big_endian }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.rest.split_at_checked(4)?;
        let code = u16_at(head, 0, self.big_endian);
        let length = usize::from(u16_at(head, 2, self.big_endian));
        let value = rest.get(..length)?;
        if code == 0 {
            return None;
        }
        self.rest = rest
            .get(length.next_multiple_of(4)..)
            .unwrap_or_default();
        Some((code, value))
    }
}
