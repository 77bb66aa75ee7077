//! Frames that are read ahead, in batches.

use super::Pairing;
use crate::Choice;
use crate::driver::new_interfaces;
use crate::silence::{Behind, Held, Silence};
use wirewait_analysis::{Analyzer, Intake, Look, Sink};
use wirewait_wire::{Frame, LinkType, Source, SourceError, SourceErrorKind, Timestamp};

/// Frames in one batch, and their bytes, beyond which it is handed over: few enough to stay in
/// the caches of both processors.
const BATCH_FRAMES: usize = 256;
const BATCH_BYTES: usize = 1 << 18;

/// Frames that were read, with what was seen of each. Used again when they are analysed.
#[derive(Default)]
pub(super) struct Batch {
    heads: Vec<Head>,
    bytes: Vec<u8>,
    /// At the places of the heads; behind them those of earlier frames.
    looks: Vec<Look>,
    /// What is between them, in their order.
    gaps: Vec<Gap>,
    /// Frames that were left out behind the last one.
    skipped: u64,
    /// Of a silence before the next frame.
    behind: Option<Behind>,
    /// Frames that were lost before they were captured, as far as is known.
    lost: Option<u64>,
    /// Frames that were captured and are not in the files, as far as is known.
    not_saved: Option<u64>,
    /// What was wrong behind the last frame.
    pub(super) error: Option<SourceError>,
    /// Bytes of the input that were read so far.
    pub(super) read: u64,
}

/// Before a frame others were left out, or was silence.
struct Gap {
    /// The place of the frame's head.
    before: usize,
    skipped: u64,
    behind: Option<Behind>,
}

/// A frame without its bytes.
struct Head {
    at: Timestamp,
    link: LinkType,
    interface: u32,
    wire_len: u32,
    /// Where its bytes end; they begin where those of the frame before end.
    end: usize,
}

impl Batch {
    fn clear(&mut self) {
        self.heads.clear();
        self.gaps.clear();
        self.bytes.clear();
        (self.skipped, self.behind, self.error) = (0, None, None);
    }

    fn is_full(&self) -> bool {
        self.heads.len() >= BATCH_FRAMES || self.bytes.len() >= BATCH_BYTES
    }

    fn push(&mut self, frame: &Frame<'_>, intake: &mut Intake) {
        let number = self.heads.len();
        if number == self.looks.len() {
            self.looks.push(Look::default());
        }
        intake.look(frame, &mut self.looks[number]);
        self.bytes.extend_from_slice(frame.bytes);
        if self.skipped > 0 || self.behind.is_some() {
            self.gaps.push(Gap {
                before: number,
                skipped: std::mem::take(&mut self.skipped),
                behind: self.behind.take(),
            });
        }
        self.heads.push(Head {
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            end: self.bytes.len(),
        });
    }

    /// Leads its frames through the analysis.
    pub(super) fn analyse(
        &self,
        pairing: &mut Pairing<'_>,
        sink: &mut dyn Sink,
        watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
    ) {
        let mut start = 0;
        let mut gaps = self.gaps.iter().peekable();
        for (number, (head, look)) in self.heads.iter().zip(&self.looks).enumerate() {
            if let Some(gap) = gaps.next_if(|gap| gap.before == number) {
                pairing.feed.analyzer.skip_all(gap.skipped);
                if let Some(behind) = &gap.behind {
                    behind.tell(head.at, &mut pairing.feed.analyzer);
                }
            }
            let frame = Frame {
                at: head.at,
                link: head.link,
                interface: head.interface,
                wire_len: head.wire_len,
                bytes: self.bytes.get(start..head.end).unwrap_or_default(),
            };
            start = head.end;
            watch(&frame, &pairing.feed.analyzer);
            pairing.frame(&frame, look, sink);
        }
        let feed = &mut *pairing.feed;
        feed.analyzer.skip_all(self.skipped);
        if let Some(Behind::Set(resumed)) = &self.behind {
            feed.analyzer.clock_was_set(resumed);
        }
        feed.losses(self.lost, self.not_saved);
    }
}

/// Reads ahead.
pub(super) struct Reader<'a, S, C> {
    pub(super) source: &'a mut S,
    pub(super) choose: &'a mut C,
    pub(super) intake: &'a mut Intake,
    pub(super) silence: &'a mut Silence,
    /// The stamp of the latest frame.
    pub(super) last: Option<Timestamp>,
    /// Interfaces whose speed was asked for.
    pub(super) met: u32,
}

impl<S: Source, C: FnMut(&Frame<'_>) -> Choice> Reader<'_, S, C> {
    /// The next frames, in the room of this batch; and whether there may be more behind them.
    pub(super) fn next(&mut self, mut batch: Batch) -> (Batch, bool) {
        batch.clear();
        let more = self.fill(&mut batch);
        batch.lost = self.source.lost();
        batch.not_saved = self.source.not_saved();
        batch.read = self.source.bytes_read();
        (batch, more)
    }

    /// Says whether there may be more behind it.
    fn fill(&mut self, batch: &mut Batch) -> bool {
        // A batch ends even where every frame is left out: somebody waits to see how far it is.
        for _ in 0..BATCH_FRAMES {
            if batch.is_full() {
                break;
            }
            match self.source.next_frame() {
                Ok(Some(frame))
                    if self.silence.may_end(frame.at)
                        && self.silence.is_behind(frame.at, (0, self.last)) =>
                {
                    let mut held = Held::default();
                    let more = self.silence.look(&frame, &mut held);
                    if let Some(over) = self.behind_silence((held, more), batch) {
                        return !over;
                    }
                }
                Ok(Some(frame)) => {
                    self.last = Some(frame.at);
                    match (self.choose)(&frame) {
                        Choice::Take => {
                            let interface = frame.interface;
                            batch.push(&frame, self.intake);
                            self.meet(interface);
                        }
                        Choice::Skip => batch.skipped += 1,
                        Choice::Stop => return false,
                    }
                }
                Ok(None) => return false,
                Err(error) => {
                    let goes_on = error.kind == SourceErrorKind::Damaged;
                    batch.error = Some(error);
                    return goes_on;
                }
            }
        }
        true
    }

    /// Takes frames behind a silence, once it is known whether the clock was set. Whether all is over, where the batch
    /// ends.
    #[cold]
    #[inline(never)]
    fn behind_silence(
        &mut self,
        (mut held, mut more): (Held, bool),
        batch: &mut Batch,
    ) -> Option<bool> {
        let mut over = None;
        while more {
            more = match self.source.next_frame() {
                Ok(Some(frame)) => self.silence.look(&frame, &mut held),
                Ok(None) => {
                    over = Some(true);
                    false
                }
                Err(error) => {
                    over = Some(error.kind != SourceErrorKind::Damaged);
                    batch.error = Some(error);
                    false
                }
            };
        }
        let mut place = 0;
        while let Some((frame, behind)) = held.at(place) {
            place += 1;
            self.last = Some(frame.at);
            batch.behind = behind.or(batch.behind);
            match (self.choose)(&frame) {
                Choice::Take => {
                    batch.push(&frame, self.intake);
                    self.meet(frame.interface);
                }
                Choice::Skip => {
                    batch.skipped += 1;
                    // Silence before what is left out shows nothing of what comes then.
                    batch.behind = batch.behind.filter(|of| matches!(of, Behind::Set(_)));
                }
                Choice::Stop => return Some(true),
            }
        }
        over
    }

    /// Asks how fast the links are, once the source knows.
    fn meet(&mut self, interface: u32) {
        let intake = &mut *self.intake;
        new_interfaces(&mut self.met, interface, self.source, |interface, speed| {
            intake.link_speed(interface, speed);
        });
    }
}
