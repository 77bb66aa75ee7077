//! The analysis alongside: it knows of which bytes of which frames a message was put
//! together, and what a frame did in which transaction.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use wirewait_analysis::{Analyzer, Assembled, Deed, Settings, Sink, Stretch, Transaction};
use wirewait_wire::{Asked, DissectorId, Frame, Registry};

/// Bytes of the latest frames that are kept, so that a message that ends in this frame can be
/// shown from its beginning.
const RECENT: usize = 32 << 20;
/// Bytes of one message that are put together: the most that direct TCP can state ([MS-SMB2] 2.1).
const MESSAGE: usize = 1 << 24;

/// Follows the traffic frame by frame.
pub(super) struct Alongside {
    analyzer: Analyzer,
    heard: Heard,
    recent: VecDeque<(u64, Vec<u8>)>,
    recent_bytes: usize,
}

impl fmt::Debug for Alongside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Alongside")
            .field("recent_bytes", &self.recent_bytes)
            .finish_non_exhaustive()
    }
}

impl Alongside {
    /// Follows what the dissectors of `registry` understand.
    pub(super) fn new(registry: Registry) -> Self {
        Self {
            analyzer: Analyzer::new(registry, Settings::default()).observed(),
            heard: Heard::default(),
            recent: VecDeque::new(),
            recent_bytes: 0,
        }
    }

    /// Takes the next frame in.
    pub(super) fn frame(&mut self, number: u64, frame: &Frame<'_>) {
        self.heard.messages.clear();
        self.heard.deeds.clear();
        self.heard.now = number;
        self.keep(number, frame.bytes);
        self.analyzer.frame(frame, &mut self.heard);
    }

    /// The next frame is left out.
    pub(super) fn skip(&mut self) {
        self.analyzer.skip();
    }

    /// Passes over `frames` frames that are not available.
    pub(super) fn absent(&mut self, frames: u64) {
        self.analyzer.skip_all(frames);
        self.heard.partly |= frames > 0;
    }

    /// What the frame taken in last brought.
    pub(super) fn heard(&self) -> &Heard {
        &self.heard
    }

    /// The messages that the last frame completes and other frames began, with their bytes
    /// from the first one on, as far as they were captured and are kept.
    pub(super) fn wholes(&self) -> Vec<(&Message, Vec<u8>)> {
        let whole = |message: &&Message| message.complete && message.stretches.len() > 1;
        let messages = self.heard.messages.iter().filter(whole);
        messages.map(|m| (m, self.gather(m))).collect()
    }

    fn gather(&self, message: &Message) -> Vec<u8> {
        let mut bytes = Vec::new();
        for stretch in &message.stretches {
            let Some(here) = self.stretch(stretch) else {
                break;
            };
            let room = MESSAGE.saturating_sub(bytes.len());
            bytes.extend_from_slice(here.get(..room.min(here.len())).unwrap_or_default());
            if bytes.len() >= MESSAGE || (here.len() as u64) < u64::from(stretch.length) {
                break;
            }
        }
        bytes
    }

    fn stretch(&self, stretch: &Stretch) -> Option<&[u8]> {
        let found = self
            .recent
            .binary_search_by_key(&stretch.frame, |(number, _)| *number)
            .ok()?;
        let (_, bytes) = self.recent.get(found)?;
        let start = stretch.at as usize;
        let end = start.saturating_add(stretch.length as usize);
        bytes.get(start..end.min(bytes.len()))
    }

    fn keep(&mut self, number: u64, bytes: &[u8]) {
        self.recent_bytes += bytes.len();
        self.recent.push_back((number, bytes.to_vec()));
        while self.recent_bytes > RECENT
            && let Some((_, oldest)) = self.recent.pop_front()
        {
            self.recent_bytes -= oldest.len();
        }
    }
}

/// What was told of the frame at hand.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) now: u64,
    pub(super) messages: Vec<Message>,
    deeds: Vec<(u64, Deed)>,
    /// Frames are missing: numbers of transactions are not those of the capture.
    partly: bool,
}

impl Heard {
    /// What the frame did, and in which transactions; each but once.
    pub(super) fn deeds(&self) -> Vec<(u64, Deed)> {
        if self.partly {
            return Vec::new();
        }
        let mut all = self.deeds.clone();
        let messages = self.messages.iter().filter(|m| m.complete);
        all.extend(messages.filter_map(|m| m.deed));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The bytes of the frame that are known to belong to messages: where they are, the
    /// message, and whether they are its first.
    pub(super) fn shares(&self) -> Vec<Share<'_>> {
        let mut shares: Vec<Share<'_>> = self
            .messages
            .iter()
            .flat_map(|message| {
                let mut position = 0u64;
                message.stretches.iter().filter_map(move |stretch| {
                    let start = position;
                    position += u64::from(stretch.length);
                    (stretch.frame == self.now).then_some(Share {
                        message,
                        stretch: *stretch,
                        position: start,
                    })
                })
            })
            .collect();
        shares.sort_by_key(|share| share.stretch.at);
        shares
    }
}

/// Bytes of a message in the frame at hand.
#[derive(Clone, Copy)]
pub(super) struct Share<'h> {
    pub(super) message: &'h Message,
    pub(super) stretch: Stretch,
    /// Where in the message they begin, framing included.
    pub(super) position: u64,
}

impl Sink for Heard {
    fn transaction(&mut self, _: &Transaction) {}

    fn assembled(&mut self, message: &Assembled<'_>) {
        if !message.stretches.iter().any(|s| s.frame == self.now) {
            return;
        }
        let before = self.messages.last_mut().filter(|before| before.complete);
        if let Some(before) = before
            && message.follows
            && message.complete
        {
            // The parts of one message are read together; which of them answers what is not
            // told apart.
            before.length = before.length.saturating_add(message.head.length);
            before.stretches.extend(message.stretches);
            before.omitted = before.omitted.saturating_add(message.omitted);
            before.join();
            before.asked = None;
            self.deeds.extend(message.deed);
        } else {
            self.messages.push(Message {
                complete: message.complete,
                framer: message.framer,
                dissector: message.dissector,
                header: message.header,
                length: message.head.length,
                stretches: message.stretches.to_vec(),
                omitted: message.omitted,
                deed: message.deed,
                asked: message.asked,
            });
        }
    }

    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        if frame == self.now {
            self.deeds.push((transaction, deed));
        }
    }
}

/// A message of which the frame at hand brought bytes.
pub(super) struct Message {
    pub(super) complete: bool,
    pub(super) framer: Option<DissectorId>,
    pub(super) dissector: Option<DissectorId>,
    pub(super) header: u32,
    /// Bytes behind the framing header.
    pub(super) length: u32,
    pub(super) stretches: Vec<Stretch>,
    pub(super) omitted: u32,
    pub(super) deed: Option<(u64, Deed)>,
    pub(super) asked: Option<Asked>,
}

impl Message {
    /// Bytes, framing included.
    pub(super) fn total(&self) -> u32 {
        self.length.saturating_add(self.header)
    }

    /// Makes one of stretches that lie side by side.
    fn join(&mut self) {
        self.stretches.dedup_by(|next, last| {
            let joined = next.frame == last.frame && last.at.saturating_add(last.length) == next.at;
            if joined {
                last.length = last.length.saturating_add(next.length);
            }
            joined
        });
    }

    /// In how many frames it came.
    pub(super) fn frames(&self) -> usize {
        let mut frames: Vec<u64> = self.stretches.iter().map(|s| s.frame).collect();
        frames.retain(|frame| *frame > 0);
        frames.sort_unstable();
        frames.dedup();
        frames.len() + self.omitted as usize
    }
}

/// Finds the frames of one transaction, and what each of them did.
#[derive(Clone, Debug)]
pub struct Cast {
    wanted: u64,
    /// The highest number that was met.
    last: u64,
    frames: BTreeMap<u64, Vec<Deed>>,
    closed: bool,
}

impl Cast {
    /// For the transaction with this number.
    #[must_use]
    pub fn of(transaction: u64) -> Self {
        Self {
            wanted: transaction,
            last: 0,
            frames: BTreeMap::new(),
            closed: false,
        }
    }

    /// Nothing will be added any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Transactions in the capture, as far as it was read.
    #[must_use]
    pub fn transactions(&self) -> u64 {
        self.last
    }

    /// The frames, and what they did.
    #[must_use]
    pub fn frames(&self) -> &BTreeMap<u64, Vec<Deed>> {
        &self.frames
    }

    fn note(&mut self, frame: u64, deed: Deed) {
        let deeds = self.frames.entry(frame).or_default();
        if frame > 0 && !deeds.contains(&deed) {
            deeds.push(deed);
            deeds.sort_unstable();
        }
    }
}

impl Sink for Cast {
    fn transaction(&mut self, transaction: &Transaction) {
        self.closed |= transaction.number == self.wanted;
        self.last = self.last.max(transaction.number);
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        if let Some((number, deed)) = message.deed
            && number == self.wanted
        {
            for stretch in message.stretches.iter().filter(|s| s.frame > 0) {
                self.note(stretch.frame, deed);
            }
        }
    }

    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        if transaction == self.wanted && frame > 0 {
            self.note(frame, deed);
        }
    }
}
