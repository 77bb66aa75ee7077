//! What stands in a block: its frame, its options, and what those of each kind say.

use super::{INTERFACE_FIELDS, STATISTICS_FIELDS};
use crate::clock::Clock;
use crate::completeness::CountedLosses;
use crate::fault::Fault;
use crate::interfaces::Interface;
use crate::raw::{MAX_FRAME, link_type, u16_at, u32_at, u64_at};

/// Interface names are kept up to this many bytes, so that hostile files stay small.
pub(super) const MAX_NAME: usize = 255;

/// The frame of a block, with a length that is at least [`super::BLOCK_FRAME`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) kind: u32,
    /// Position in the stream.
    pub(super) start: u64,
    /// As its first length field says.
    pub(super) length: u32,
}

impl Block {
    /// Bytes up to the next block: early writers did not count the padding, but put it
    /// there.
    pub(super) fn whole(self) -> u64 {
        u64::from(self.length).next_multiple_of(4)
    }

    /// Compares the length with that at the end of the block.
    pub(super) fn check(self, again: u32) -> Result<(), Fault> {
        if self.length == again {
            return Ok(());
        }
        Err(Fault::damaged(
            self.start,
            format!(
                "a block says at its start that it has {} bytes and at its end {again}: \
                 the file is damaged from here on, the frames before were read",
                self.length
            ),
        ))
    }
}

/// What an interface description block says.
pub(super) struct DescriptionBlock {
    pub(super) interface: Interface,
    pub(super) clock: Clock,
    pub(super) filtered: bool,
}

impl DescriptionBlock {
    pub(super) fn read(block: &[u8], big: bool) -> Self {
        let link = link_type(u16_at(block, 8, big));
        let mut interface = Interface::new(link, u32_at(block, 12, big));
        let (mut resolution, mut offset) = (6, 0);
        let mut filtered = false;
        for (code, value) in BlockOptions::behind(INTERFACE_FIELDS, block, big) {
            match (code, value) {
                (2, name) => interface.name = Some(text(name)),
                (8, [_, _, _, _, _, _, _, _]) => {
                    interface.speed = Some(u64_at(value, 0, big)).filter(|speed| *speed > 0);
                }
                (9, [exponent, ..]) => resolution = *exponent,
                (11, _) => filtered = true,
                // The draft says bits and gives 4 as its example; writers put bytes.
                (13, [length, ..]) => {
                    interface.fcs_len = if *length < 8 { *length } else { *length / 8 };
                }
                // A signed number: offsets before 1970 exist.
                (14, [_, _, _, _, _, _, _, _]) => offset = u64_at(value, 0, big) as i64,
                _ => {}
            }
        }
        Self {
            interface,
            clock: Clock::new(resolution, offset),
            filtered,
        }
    }
}

/// What the options of a packet say.
#[derive(Default)]
pub(super) struct PacketOptions {
    /// Bytes of its frame check sequence, where they differ from those of the interface.
    pub(super) fcs_len: Option<u8>,
    /// Frames lost before it.
    pub(super) dropped: Option<u64>,
}

impl PacketOptions {
    #[inline]
    pub(super) fn read(options: &[u8], big: bool) -> Self {
        let mut read = Self::default();
        for (code, value) in BlockOptions::behind(0, options, big) {
            match (code, value) {
                (2, [_, _, _, _]) => {
                    // epb_flags: bits 5 to 8 are this frame's own FCS length.
                    let own = (u32_at(value, 0, big) >> 5 & 0xf) as u8;
                    if own != 0 {
                        read.fcs_len = Some(own);
                    }
                }
                (4, [_, _, _, _, _, _, _, _]) => read.dropped = Some(u64_at(value, 0, big)),
                _ => {}
            }
        }
        read
    }
}

/// What an interface statistics block counts.
pub(super) fn losses(block: &[u8], big: bool) -> CountedLosses {
    let mut counted = CountedLosses::default();
    let mut by_system = None;
    for (code, value) in BlockOptions::behind(STATISTICS_FIELDS, block, big) {
        if value.len() != 8 {
            continue;
        }
        let number = u64_at(value, 0, big);
        match code {
            // A time: its upper half comes first in both byte orders.
            2 => {
                let halves = [u32_at(value, 0, big), u32_at(value, 4, big)];
                counted.began = Some(u64::from(halves[0]) << 32 | u64::from(halves[1]));
            }
            4 => counted.received = Some(number),
            5 => counted.dropped = Some(number),
            6 => counted.accepted = Some(number),
            7 => by_system = Some(number),
            8 => counted.delivered = Some(number),
            _ => {}
        }
    }
    // By the interface and by the operating system: different frames.
    if let Some(lost) = by_system {
        counted.dropped = Some(counted.dropped.unwrap_or(0).saturating_add(lost));
        counted.accepted = counted.accepted.map(|n| n.saturating_sub(lost));
    }
    counted
}

/// Whether a section header is big-endian; `None` if it has no byte-order magic.
pub(super) fn byte_order(header: &[u8]) -> Option<bool> {
    match u32_at(header, 8, true) {
        0x1a2b_3c4d => Some(true),
        0x4d3c_2b1a => Some(false),
        _ => None,
    }
}

pub(super) fn check_captured(start: u64, captured: u32, room: usize) -> Result<(), Fault> {
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
struct BlockOptions<'a> {
    rest: &'a [u8],
    big_endian: bool,
}

impl<'a> BlockOptions<'a> {
    /// Those behind the fields of a block.
    fn behind(fields: usize, block: &'a [u8], big_endian: bool) -> Self {
        let rest = block.get(fields..).unwrap_or_default();
        Self { rest, big_endian }
    }
}

impl<'a> Iterator for BlockOptions<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.rest.split_at_checked(4)?;
        let code = u16_at(head, 0, self.big_endian);
        let length = usize::from(u16_at(head, 2, self.big_endian));
        let value = rest.get(..length)?;
        if code == 0 {
            return None;
        }
        self.rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((code, value))
    }
}
