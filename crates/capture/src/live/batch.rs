//! Frames on their way from the thread that captures them to the one that analyses them.

use super::Note;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Instant;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// Bytes of frames in one batch, beyond which it is handed over.
const BATCH_BYTES: usize = 1 << 18;

/// Frames in one batch, likewise.
pub(super) const BATCH_FRAMES: usize = 4096;

/// Batches that one source has under way at the most. When all are, it waits, and the
/// operating system drops what it cannot keep, and counts that.
pub(super) const BATCHES: usize = 64;

/// Some frames of one source, in its order.
#[derive(Debug, Default)]
pub(super) struct Batch {
    heads: Vec<Head>,
    bytes: Vec<u8>,
    /// When it was handed over.
    arrived: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Head {
    at: Timestamp,
    start: usize,
    length: u32,
    wire_len: u32,
    interface: u32,
    link: LinkType,
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(super) fn frame(&self, number: usize) -> Option<Frame<'_>> {
        let head = self.heads.get(number)?;
        Some(Frame {
            at: head.at,
            link: head.link,
            interface: head.interface,
            wire_len: head.wire_len,
            bytes: self
                .bytes
                .get(head.start..head.start + head.length as usize)?,
        })
    }

    pub(super) fn arrived(&self) -> Option<Instant> {
        self.arrived
    }

    fn push(&mut self, frame: &Frame<'_>) {
        self.heads.push(Head {
            at: frame.at,
            start: self.bytes.len(),
            // A frame of 4 GiB does not come from any link.
            length: u32::try_from(frame.bytes.len()).unwrap_or(0),
            wire_len: frame.wire_len,
            interface: frame.interface,
            link: frame.link,
        });
        self.bytes.extend_from_slice(frame.bytes);
    }

    fn is_full(&self) -> bool {
        self.heads.len() >= BATCH_FRAMES || self.bytes.len() >= BATCH_BYTES
    }

    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.bytes.clear();
        self.arrived = None;
    }
}

/// Nobody takes frames any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Abandoned;

/// The end of a source at which frames go in.
#[derive(Debug)]
pub(super) struct Outbox {
    source: usize,
    out: Sender<(usize, Note)>,
    empties: Receiver<Batch>,
    made: usize,
    batch: Batch,
}

impl Outbox {
    /// The outbox of a source, and where its batches are to be given back.
    pub(super) fn new(source: usize, out: Sender<(usize, Note)>) -> (Self, Sender<Batch>) {
        let (back, empties) = channel();
        let outbox = Self {
            source,
            out,
            empties,
            made: 1,
            batch: Batch::default(),
        };
        (outbox, back)
    }

    /// Takes a frame in. Waits while all batches are under way.
    pub(super) fn push(&mut self, frame: &Frame<'_>) -> Result<(), Abandoned> {
        self.batch.push(frame);
        if self.batch.is_full() {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Hands on what there is.
    pub(super) fn hand_over(&mut self) -> Result<(), Abandoned> {
        if self.batch.len() == 0 {
            return Ok(());
        }
        let fresh = match self.empties.try_recv() {
            Ok(batch) => batch,
            Err(TryRecvError::Disconnected) => return Err(Abandoned),
            Err(TryRecvError::Empty) if self.made < BATCHES => {
                self.made += 1;
                Batch::default()
            }
            Err(TryRecvError::Empty) => self.empties.recv().map_err(|_| Abandoned)?,
        };
        let mut full = std::mem::replace(&mut self.batch, fresh);
        full.arrived = Some(Instant::now());
        self.tell(Note::Frames(full))
    }

    /// Tells something else, behind the frames handed over so far.
    pub(super) fn tell(&self, note: Note) -> Result<(), Abandoned> {
        self.out.send((self.source, note)).map_err(|_| Abandoned)
    }
}
