//! Two threads at one source: one reads frames, decompresses them and looks at their layers,
//! ahead of the other, which analyses them. Frames, damage and what was left out come in the
//! same order as with one thread, so that the same comes out.

use crate::driver::new_interfaces;
use crate::{Choice, Driver, Engine, Standing};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use wirewait_analysis::{Analyzer, Intake, Look, Sink};
use wirewait_wire::{Frame, LinkType, Source, SourceError, SourceErrorKind, Timestamp};

/// Batches under way at most: one that is filled, one that is analysed, and some between.
const BATCHES: usize = 4;
/// Frames in one batch, and their bytes, beyond which it is handed over: few enough to stay in
/// the caches of both processors.
const BATCH_FRAMES: usize = 256;
const BATCH_BYTES: usize = 1 << 18;

impl<S: Source + Send> Engine<S> {
    /// As [`Engine::run`], with a second thread that reads ahead; `choose` is called there. What
    /// comes out is the same. Where the system starts no second thread, one does it all.
    ///
    /// # Errors
    /// The first error of `between`, which ends the run. Frames that were read ahead by then are
    /// not analysed.
    pub fn run_ahead<K: Sink, E>(
        &mut self,
        choose: &mut (impl FnMut(&Frame<'_>) -> Choice + Send),
        sink: &mut K,
        watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
        between: &mut impl FnMut(Standing, &mut K) -> Result<(), E>,
    ) -> Result<(), E> {
        let (give_back, empties) = sync_channel(BATCHES);
        let (hand_over, full) = sync_channel::<Batch>(BATCHES);
        for _ in 0..BATCHES {
            // There is room for all of them.
            let _ = give_back.send(Batch::default());
        }
        let driver = &mut self.driver;
        let reader = Reader {
            source: &mut self.source,
            choose: &mut *choose,
            intake: driver.analyzer().intake(),
            met: driver.met(),
        };
        let ran = thread::scope(|scope| {
            let name = thread::Builder::new().name("reader".to_owned());
            let thread = name
                .spawn_scoped(scope, move || reader.run(&empties, &hand_over))
                .ok()?;
            let mut outcome = Ok(());
            // Taken out of the scope where it ends, so that the reader does not wait for ever.
            let (give_back, full) = (give_back, full);
            for mut batch in &full {
                batch.analyse(driver, sink, watch);
                let standing = Standing {
                    read: batch.read,
                    frames: driver.number(),
                    error: batch.error.take(),
                };
                outcome = between(standing, sink);
                if outcome.is_err() {
                    break;
                }
                // Nobody waits for it when all was read.
                let _ = give_back.send(batch);
            }
            drop((give_back, full));
            match thread.join() {
                Ok(met) => driver.has_met(met),
                Err(panic) => std::panic::resume_unwind(panic),
            }
            Some(outcome)
        });
        match ran {
            Some(outcome) => outcome,
            None => self.run(choose, sink, watch, between),
        }
    }
}

/// Frames that were read, with what was seen of each. Used again when they are analysed.
#[derive(Default)]
struct Batch {
    heads: Vec<Head>,
    bytes: Vec<u8>,
    /// At the places of the heads; behind them those of earlier frames.
    looks: Vec<Look>,
    /// Frames that were left out behind the last one.
    skipped: u64,
    /// Bits per second of links that were met with the last frame.
    speeds: Vec<(u32, u64)>,
    /// Frames that were lost before they were captured, as far as is known.
    lost: Option<u64>,
    /// Frames that were captured and are not in the files, as far as is known.
    not_saved: Option<u64>,
    /// What was wrong behind the last frame.
    error: Option<SourceError>,
    /// Bytes of the input that were read so far.
    read: u64,
}

/// A frame without its bytes.
struct Head {
    /// Frames that were left out before it.
    skipped: u64,
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
        self.bytes.clear();
        self.speeds.clear();
        (self.skipped, self.error) = (0, None);
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
        self.heads.push(Head {
            skipped: std::mem::take(&mut self.skipped),
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            end: self.bytes.len(),
        });
    }

    /// Leads its frames through the analysis.
    fn analyse(
        &self,
        driver: &mut Driver,
        sink: &mut dyn Sink,
        watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
    ) {
        let mut start = 0;
        for (head, look) in self.heads.iter().zip(&self.looks) {
            if head.skipped > 0 {
                driver.skip(head.skipped);
            }
            let frame = Frame {
                at: head.at,
                link: head.link,
                interface: head.interface,
                wire_len: head.wire_len,
                bytes: self.bytes.get(start..head.end).unwrap_or_default(),
            };
            start = head.end;
            watch(&frame, driver.analyzer());
            driver.looked(&frame, look, sink);
        }
        driver.skip(self.skipped);
        driver.speeds(&self.speeds);
        driver.losses(self.lost, self.not_saved);
    }
}

/// Reads ahead.
struct Reader<'a, S, C> {
    source: &'a mut S,
    choose: &'a mut C,
    intake: Intake,
    /// Interfaces whose speed was asked for.
    met: u32,
}

impl<S: Source, C: FnMut(&Frame<'_>) -> Choice> Reader<'_, S, C> {
    /// Fills batches until there is nothing more to read, or nobody wants it. Gives how many
    /// interfaces were asked for their speed.
    fn run(mut self, empties: &Receiver<Batch>, full: &SyncSender<Batch>) -> u32 {
        while let Ok(mut batch) = empties.recv() {
            batch.clear();
            let more = self.fill(&mut batch);
            batch.lost = self.source.lost();
            batch.not_saved = self.source.not_saved();
            batch.read = self.source.bytes_read();
            if full.send(batch).is_err() || !more {
                break;
            }
        }
        self.met
    }

    /// Says whether there may be more behind it.
    fn fill(&mut self, batch: &mut Batch) -> bool {
        // A batch ends even where every frame is left out: somebody waits to see how far it is.
        for _ in 0..BATCH_FRAMES {
            if batch.is_full() {
                break;
            }
            match self.source.next_frame() {
                Ok(Some(frame)) => match (self.choose)(&frame) {
                    Choice::Take => {
                        let interface = frame.interface;
                        batch.push(&frame, &mut self.intake);
                        if self.meet(interface, batch) {
                            break;
                        }
                    }
                    Choice::Skip => batch.skipped += 1,
                    Choice::Stop => return false,
                },
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

    /// Asks how fast the links are, once the source knows. Whether it said so.
    fn meet(&mut self, interface: u32, batch: &mut Batch) -> bool {
        let speeds = &mut batch.speeds;
        new_interfaces(&mut self.met, interface, self.source, |interface, speed| {
            speeds.push((interface, speed));
        });
        !speeds.is_empty()
    }
}
