//! The frames that were seen last, to be displayed or saved.
//!
//! This is the only place where the program keeps what is in frames after they were analysed:
//! the user asked to look at them. It is bounded in bytes, the oldest go first, and nothing of
//! it is ever written anywhere unless the user says so. With room for no bytes nothing is kept.
//!
//! Frames lie one behind the other in one piece of memory that is asked for once. Every 64th
//! is remembered by its place, from where the others are found.

use crate::write::{Description, Notes, PcapngWriter};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Bytes in front of each frame.
const HEADER: usize = 32;

/// One frame in this number of frames is remembered by its place.
const STEP: u64 = 64;

/// The frames that were seen last.
#[derive(Debug, Default)]
pub struct Recent {
    /// Records of a header and a frame, none of them broken in two.
    memory: Vec<u8>,
    /// Where the oldest begins.
    oldest: usize,
    /// Behind the newest.
    free: usize,
    /// Where records end that lie behind the newest, before it goes on at the beginning.
    wrapped: Option<usize>,
    /// Places of some frames, by rising numbers.
    marks: VecDeque<Mark>,
    frames: u64,
    bytes: u64,
    last: Option<(u64, Timestamp)>,
    pushed: u64,
    gone: u64,
}

#[derive(Clone, Copy, Debug)]
struct Mark {
    number: u64,
    place: usize,
}

/// How much is kept, and how far back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Frames.
    pub frames: u64,
    /// Bytes of these frames.
    pub bytes: u64,
    /// Bytes that there is room for, headers included.
    pub room: u64,
    /// Number and time of the oldest.
    pub first: Option<(u64, Timestamp)>,
    /// Number and time of the newest.
    pub last: Option<(u64, Timestamp)>,
    /// Frames that were seen and are not kept any more.
    pub gone: u64,
}

impl Recent {
    /// Keeps the frames that fit into `bytes` bytes, headers and marks included.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        // The smallest records, each one frame of no bytes, need the most marks.
        let mark = size_of::<Mark>();
        let each = STEP as usize * HEADER;
        let room = bytes / (each + mark) * each;
        Self {
            memory: vec![0; room],
            marks: VecDeque::with_capacity(if room == 0 { 0 } else { room / each + 1 }),
            ..Self::default()
        }
    }

    /// Keeps a frame of this number. Numbers rise; one that does not begins everything anew.
    pub fn push(&mut self, number: u64, frame: &Frame<'_>) {
        if self.memory.is_empty() {
            return;
        }
        if self.last.is_some_and(|(last, _)| number <= last) {
            self.clear();
        }
        self.last = Some((number, frame.at));
        let length = u32::try_from(frame.bytes.len()).ok();
        let place = self.make_room(HEADER.saturating_add(frame.bytes.len()));
        let (Some(place), Some(length)) = (place, length) else {
            self.gone += 1;
            return;
        };
        let record = KeptRecord {
            number,
            at: frame.at,
            wire_len: frame.wire_len,
            length,
            interface: frame.interface,
            link: frame.link,
        };
        let header = place..place + HEADER;
        self.memory[header.clone()].copy_from_slice(&record.to_bytes());
        self.free = header.end + frame.bytes.len();
        self.memory[header.end..self.free].copy_from_slice(frame.bytes);
        if self.pushed.is_multiple_of(STEP) {
            self.marks.push_back(Mark { number, place });
        }
        self.pushed += 1;
        self.frames += 1;
        self.bytes += frame.bytes.len() as u64;
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.marks.clear();
        (self.oldest, self.free, self.wrapped) = (0, 0, None);
        (self.frames, self.bytes, self.pushed, self.gone) = (0, 0, 0, 0);
        self.last = None;
    }

    /// How much is kept.
    #[must_use]
    pub fn kept(&self) -> Kept {
        let first = self.iter().next();
        let last = self.last.filter(|_| first.is_some());
        Kept {
            frames: self.frames,
            bytes: self.bytes,
            room: self.memory.len() as u64,
            first: first.map(|(number, frame)| (number, frame.at)),
            last,
            gone: self.gone,
        }
    }

    /// The frame of this number, if it is kept.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<Frame<'_>> {
        let (found, frame) = self.range(number..=number).next()?;
        (found == number).then_some(frame)
    }

    /// Everything that is kept, the oldest first, with its numbers.
    #[must_use]
    pub const fn iter(&self) -> Frames<'_> {
        Frames {
            recent: self,
            place: self.oldest,
            left: self.frames,
        }
    }

    /// Frames of these numbers.
    pub fn range(&self, numbers: RangeInclusive<u64>) -> impl Iterator<Item = (u64, Frame<'_>)> {
        let (first, last) = (*numbers.start(), *numbers.end());
        self.from(first)
            .skip_while(move |(number, _)| *number < first)
            .take_while(move |(number, _)| *number <= last)
    }

    /// Frames from this time on, whatever their order: the last minute, say.
    pub fn since(&self, at: Timestamp) -> impl Iterator<Item = (u64, Frame<'_>)> {
        self.iter().filter(move |(_, frame)| frame.at >= at)
    }

    /// Of these frames, those that are kept.
    pub fn these<'a>(
        &'a self,
        numbers: impl IntoIterator<Item = u64> + 'a,
    ) -> impl Iterator<Item = (u64, Frame<'a>)> {
        let kept = move |number| self.get(number).map(|frame| (number, frame));
        numbers.into_iter().filter_map(kept)
    }

    /// Where to look for frames of this number and higher ones: less than [`STEP`] before it.
    fn from(&self, number: u64) -> Frames<'_> {
        let behind = self.marks.partition_point(|mark| mark.number <= number);
        let Some(mark) = behind.checked_sub(1).and_then(|n| self.marks.get(n)) else {
            return self.iter();
        };
        // Every STEP frames that were kept there is a mark; frames behind the last one are
        // fewer than that.
        let after = (self.marks.len() - behind) as u64 * STEP;
        let last = (self.pushed - 1) % STEP + 1;
        Frames {
            recent: self,
            place: mark.place,
            left: after + last,
        }
    }

    /// A place for a record of `wanted` bytes, if there can be one; the oldest make room.
    fn make_room(&mut self, wanted: usize) -> Option<usize> {
        if wanted > self.memory.len() {
            return None;
        }
        loop {
            if self.frames == 0 {
                (self.oldest, self.free, self.wrapped) = (0, 0, None);
            }
            let end = match self.wrapped {
                None => self.memory.len(),
                Some(_) => self.oldest,
            };
            if end - self.free >= wanted {
                return Some(self.free);
            }
            if self.wrapped.is_none() {
                self.wrapped = Some(self.free);
                self.free = 0;
            } else {
                self.forget_oldest();
            }
        }
    }

    fn forget_oldest(&mut self) {
        let Some(record) = self.record(self.oldest) else {
            return;
        };
        if self
            .marks
            .front()
            .is_some_and(|m| m.number == record.number)
        {
            self.marks.pop_front();
        }
        self.frames -= 1;
        self.bytes -= u64::from(record.length);
        self.gone += 1;
        self.oldest = self.behind(self.oldest, &record);
        if self.oldest == 0 {
            self.wrapped = None;
        }
    }

    fn record(&self, place: usize) -> Option<KeptRecord> {
        let header = self.memory.get(place..)?.first_chunk()?;
        Some(KeptRecord::from_bytes(header))
    }

    /// Where the record behind this one begins.
    fn behind(&self, place: usize, record: &KeptRecord) -> usize {
        let next = place + HEADER + record.length as usize;
        if Some(next) == self.wrapped { 0 } else { next }
    }
}

/// Frames that are kept, with their numbers, which rise.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    recent: &'a Recent,
    place: usize,
    left: u64,
}

impl<'a> Iterator for Frames<'a> {
    type Item = (u64, Frame<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let record = self.recent.record(self.place)?;
        let from = self.place + HEADER;
        let frame = Frame {
            at: record.at,
            link: record.link,
            interface: record.interface,
            wire_len: record.wire_len,
            bytes: self
                .recent
                .memory
                .get(from..from + record.length as usize)?,
        };
        self.place = self.recent.behind(self.place, &record);
        Some((record.number, frame))
    }
}

/// What stands in front of a frame.
struct KeptRecord {
    number: u64,
    at: Timestamp,
    wire_len: u32,
    length: u32,
    interface: u32,
    link: LinkType,
}

impl KeptRecord {
    fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.at.as_nanos().to_le_bytes());
        bytes[16..20].copy_from_slice(&self.wire_len.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.interface.to_le_bytes());
        bytes[28..30].copy_from_slice(&self.link.0.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER]) -> Self {
        let eight = |at: usize| std::array::from_fn(|n| bytes[at + n]);
        let four = |at: usize| std::array::from_fn(|n| bytes[at + n]);
        Self {
            number: u64::from_le_bytes(eight(0)),
            at: Timestamp::from_nanos(i64::from_le_bytes(eight(8))),
            wire_len: u32::from_le_bytes(four(16)),
            length: u32::from_le_bytes(four(20)),
            interface: u32::from_le_bytes(four(24)),
            link: LinkType(u16::from_le_bytes([bytes[28], bytes[29]])),
        }
    }
}

/// Writes frames as a pcapng file, each with a comment if there is something to say of it, and
/// says how many. `interfaces` are those of the capture, by their numbers.
///
/// # Errors
/// What `out` says; a comment of more than 65,535 bytes; a time before 1970.
pub fn save<'a>(
    out: impl Write,
    application: &str,
    interfaces: &[Description],
    frames: impl IntoIterator<Item = (u64, Frame<'a>)>,
    mut comment: impl FnMut(u64) -> Option<String>,
) -> io::Result<u64> {
    let mut writer = PcapngWriter::new(out, application)?;
    // Only those that are needed are described.
    let mut known: Vec<(u32, LinkType)> = Vec::new();
    let mut written = 0;
    for (number, frame) in frames {
        let wanted = (frame.interface, frame.link);
        let interface = match known.iter().position(|one| *one == wanted) {
            Some(place) => place as u32,
            None => {
                let described = interfaces.get(frame.interface as usize);
                let described = described.filter(|one| one.link == frame.link);
                let unknown = Description::of(frame.link);
                known.push(wanted);
                writer.describe(described.unwrap_or(&unknown))?
            }
        };
        let comment = comment(number);
        let notes = Notes {
            comment: comment.as_deref(),
            lost: 0,
        };
        writer.noted(&Frame { interface, ..frame }, notes)?;
        written += 1;
    }
    writer.finish()?;
    Ok(written)
}

#[cfg(test)]
mod tests;
