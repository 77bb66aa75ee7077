//! One file under way, among others that it is merged with.

use crate::fault::Fault;
use crate::interfaces::Interfaces;
use crate::reader::{Reader, Record};
use std::cmp::Ordering;
use std::collections::VecDeque;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Frames and bytes that are read ahead at the most, to find out whether a file ends.
const MOST_FRAMES: usize = 1 << 16;
const MOST_BYTES: usize = 1 << 24;

/// A file under way.
pub(crate) struct Stream {
    pub(crate) order: usize,
    pub(crate) name: String,
    reader: Box<dyn Reader>,
    /// The frame that it is at.
    head: Record,
    /// Its bytes, if the reader is ahead of it.
    bytes: Option<Vec<u8>>,
    /// The greatest time stamp so far, in nanoseconds: what the file is merged by.
    pub(crate) key: i64,
    /// Frames so far. Of those with the same stamp the one that is earlier in its file comes
    /// first: so captures that were dealt out in turn are put together as they were.
    pub(crate) place: u64,
    /// What a first [`Self::advance`] has already found.
    pub(crate) primed: Option<Result<bool, Fault>>,
    ahead: Ahead,
}

/// What was read of a file behind the frame that it is at.
#[derive(Default)]
struct Ahead {
    next: VecDeque<Result<(Record, Vec<u8>), Fault>>,
    bytes: usize,
    /// The greatest time stamp among them.
    key: Option<i64>,
    /// The file ends behind them, or is not read further.
    over: bool,
    /// It is its end.
    end: bool,
}

impl Stream {
    pub(crate) fn new(order: usize, name: String, reader: Box<dyn Reader>) -> Self {
        Self {
            order,
            name,
            reader,
            head: Record {
                at: Timestamp::default(),
                link: LinkType::NULL,
                interface: 0,
                wire_len: 0,
            },
            bytes: None,
            key: i64::MIN,
            place: 0,
            primed: None,
            ahead: Ahead::default(),
        }
    }

    /// Moves to the next frame, if that is at hand and nothing about it is unusual. Only where it is not
    /// [ahead](Self::is_ahead), which it does not become by this.
    #[inline]
    pub(crate) fn goes_on(&mut self) -> bool {
        debug_assert!(!self.is_ahead(), "what is known already comes first");
        let usual = self.reader.usual(&mut self.head);
        if usual {
            self.counts();
        }
        usual
    }

    /// Moves to the next frame; false at the end.
    #[inline]
    pub(crate) fn advance(&mut self, interfaces: &mut Interfaces) -> Result<bool, Fault> {
        if self.is_ahead() {
            return self.advance_ahead(interfaces);
        }
        match self.reader.next(interfaces) {
            Ok(Some(record)) => Ok(self.move_to(record)),
            Ok(None) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    /// Whether something is known of what comes behind the frame that it is at.
    #[inline]
    pub(crate) fn is_ahead(&self) -> bool {
        let ahead = &self.ahead;
        self.primed.is_some()
            || self.bytes.is_some()
            || ahead.over
            || ahead.end
            || !ahead.next.is_empty()
    }

    #[inline]
    fn move_to(&mut self, record: Record) -> bool {
        self.head = record;
        self.counts();
        true
    }

    /// It is at another frame.
    #[inline]
    fn counts(&mut self) {
        self.key = self.key.max(self.head.at.as_nanos());
        self.place += 1;
    }

    #[inline(never)]
    fn advance_ahead(&mut self, interfaces: &mut Interfaces) -> Result<bool, Fault> {
        if let Some(found) = self.primed.take() {
            return found;
        }
        let record = if self.ahead.next.is_empty() && !self.ahead.end {
            self.bytes = None;
            self.ahead.over = false;
            self.reader.next(interfaces)?
        } else {
            self.next_ahead()?
        };
        Ok(record.is_some_and(|record| self.move_to(record)))
    }

    fn next_ahead(&mut self) -> Result<Option<Record>, Fault> {
        let Some(next) = self.ahead.next.pop_front() else {
            return Ok(None);
        };
        let (record, bytes) = next?;
        self.ahead.bytes = self.ahead.bytes.saturating_sub(bytes.len());
        self.bytes = Some(bytes);
        Ok(Some(record))
    }

    /// The latest time stamp that is known of it, nanoseconds.
    pub(crate) fn horizon(&self) -> i64 {
        self.ahead.key.map_or(self.key, |key| key.max(self.key))
    }

    /// Whether it is known if it goes on beyond this time.
    pub(crate) fn is_known_up_to(&self, limit: i64) -> bool {
        self.ahead.over || self.horizon() > limit
    }

    /// Whether it goes on beyond this time; reads ahead to find out. Where that is too much,
    /// or there is damage, it is taken to end.
    pub(crate) fn passes(&mut self, limit: i64, interfaces: &mut Interfaces) -> bool {
        while !self.is_known_up_to(limit) {
            self.read_ahead(interfaces);
        }
        self.horizon() > limit
    }

    fn read_ahead(&mut self, interfaces: &mut Interfaces) {
        if self.bytes.is_none() {
            // The reader is about to forget the frame that it lends.
            self.bytes = Some(self.reader.bytes().to_vec());
        }
        let ahead = &mut self.ahead;
        match self.reader.next(interfaces) {
            Ok(Some(record)) => {
                let bytes = self.reader.bytes().to_vec();
                ahead.bytes += bytes.len();
                ahead.key = ahead.key.max(Some(record.at.as_nanos()));
                ahead.next.push_back(Ok((record, bytes)));
                ahead.over = ahead.next.len() >= MOST_FRAMES || ahead.bytes >= MOST_BYTES;
            }
            Ok(None) => (ahead.over, ahead.end) = (true, true),
            Err(fault) => {
                ahead.next.push_back(Err(fault));
                ahead.over = true;
            }
        }
    }

    #[inline]
    pub(crate) fn frame(&self) -> Frame<'_> {
        Frame {
            at: self.head.at,
            link: self.head.link,
            interface: self.head.interface,
            wire_len: self.head.wire_len,
            bytes: self.bytes.as_deref().unwrap_or_else(|| self.reader.bytes()),
        }
    }
}

/// By time, then by the place in the file and by the order of the files, the earliest as the
/// greatest: that is what a [`BinaryHeap`](std::collections::BinaryHeap) gives out first.
impl Ord for Stream {
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |stream: &Self| (stream.key, stream.place, stream.order);
        rank(other).cmp(&rank(self))
    }
}

impl PartialOrd for Stream {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Stream {}
