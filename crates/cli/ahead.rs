//! Two threads at one capture: one reads frames, decompresses them and looks at their layers,
//! ahead of the other, which analyses them. Frames, damage and what was left out come in the
//! same order as with one thread, so that the same comes out.

use crate::failure::Failure;
use crate::input::{Between, Led, Selection};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use wirewait_capture::Files;
use wirewait_engine::{
    Analyzer, Choice, Frame, Intake, LinkType, Look, Sink, Source, SourceError, SourceErrorKind,
    Timestamp,
};

/// Batches under way at the most: one that is filled, one that is analysed, and some between.
const BATCHES: usize = 4;
/// Frames in one batch, and their bytes, beyond which it is handed over: so few that they stay
/// in the caches of both processors.
const BATCH_FRAMES: usize = 256;
const BATCH_BYTES: usize = 1 << 18;
/// No speed is asked for beyond this interface.
const LAST_INTERFACE: u32 = 65_535;

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
        (self.skipped, self.lost, self.error) = (0, None, None);
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
        analyzer: &mut Analyzer,
        sink: &mut dyn Sink,
        watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
    ) {
        let mut start = 0;
        for (head, look) in self.heads.iter().zip(&self.looks) {
            if head.skipped > 0 {
                analyzer.skip_all(head.skipped);
            }
            let frame = Frame {
                at: head.at,
                link: head.link,
                interface: head.interface,
                wire_len: head.wire_len,
                bytes: self.bytes.get(start..head.end).unwrap_or_default(),
            };
            start = head.end;
            watch(&frame, analyzer);
            analyzer.looked(&frame, look, sink);
        }
        analyzer.skip_all(self.skipped);
        for (interface, speed) in &self.speeds {
            analyzer.link_speed(*interface, *speed);
        }
        if let Some(lost) = self.lost {
            analyzer.lost(lost);
        }
        if let Some(missing) = self.not_saved {
            analyzer.not_saved(missing);
        }
    }
}

/// Reads ahead.
struct Reader {
    files: Files,
    selection: Selection,
    intake: Intake,
    /// Interfaces of which it was asked how fast they are.
    met: u32,
}

impl Reader {
    /// Fills batches until there is nothing more to read, or nobody wants it.
    fn run(mut self, empties: &Receiver<Batch>, full: &SyncSender<Batch>) -> Self {
        while let Ok(mut batch) = empties.recv() {
            batch.clear();
            let more = self.fill(&mut batch);
            batch.lost = self.files.lost();
            batch.not_saved = self.files.not_saved();
            batch.read = self.files.progress().bytes_read;
            if full.send(batch).is_err() || !more {
                break;
            }
        }
        self
    }

    /// Says whether there may be more behind it.
    fn fill(&mut self, batch: &mut Batch) -> bool {
        // Whoever leaves all frames out is to be heard of, too.
        for _ in 0..BATCH_FRAMES {
            if batch.is_full() {
                break;
            }
            match self.files.next_frame() {
                Ok(Some(frame)) => match self.selection.choose(&frame) {
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

    /// Tells how fast the links are, once the files say it. Whether one did.
    fn meet(&mut self, interface: u32, batch: &mut Batch) -> bool {
        while self.met <= interface.min(LAST_INTERFACE) {
            let speed = self.files.link_speed(self.met);
            batch.speeds.extend(speed.map(|speed| (self.met, speed)));
            self.met += 1;
        }
        !batch.speeds.is_empty()
    }
}

/// Leads all frames through the analysis, and closes nothing. `watch` looks at each before it is
/// taken, `between` is called now and then, and with each damage.
pub(crate) fn analyse<K: Sink>(
    led: Led,
    sink: &mut K,
    watch: &mut impl FnMut(&Frame<'_>, &Analyzer),
    between: &mut impl FnMut(Between, &mut K) -> Result<(), Failure>,
) -> Result<Led, Failure> {
    let mut analyzer = led.analyzer;
    let (give_back, empties) = sync_channel(BATCHES);
    let (hand_over, full) = sync_channel::<Batch>(BATCHES);
    for _ in 0..BATCHES {
        // There is room for all of them.
        let _ = give_back.send(Batch::default());
    }
    let reader = Reader {
        files: led.files,
        selection: led.selection,
        intake: analyzer.intake(),
        met: led.met,
    };
    let thread = thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || reader.run(&empties, &hand_over))
        .map_err(|error| {
            Failure::Cannot(format!(
                "the system starts no second thread ({error}); --threads 1 needs none"
            ))
        })?;
    for mut batch in &full {
        batch.analyse(&mut analyzer, sink, watch);
        let told = Between {
            read: batch.read,
            frames: analyzer.number(),
            error: batch.error.take(),
        };
        between(told, sink)?;
        // Nobody waits for it when all was read.
        let _ = give_back.send(batch);
    }
    let reader = match thread.join() {
        Ok(read) => read,
        Err(panic) => std::panic::resume_unwind(panic),
    };
    Ok(Led {
        files: reader.files,
        selection: reader.selection,
        analyzer,
        met: reader.met,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{InputArgs, SelectArgs};
    use crate::input::Input;
    use std::path::PathBuf;
    use wirewait_engine::{Settings, Transaction};

    fn args(files: &[&str]) -> InputArgs {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("captures");
        InputArgs {
            files: files.iter().map(|name| folder.join(name)).collect(),
            select: SelectArgs {
                since: None,
                until: None,
                #[cfg(feature = "libpcap")]
                filter: None,
                zone: None,
            },
        }
    }

    /// All that is found, how many transactions, and what was seen of the meters before each frame.
    fn analysed(args: &InputArgs, ahead: bool) -> (String, usize, Vec<u64>) {
        let mut input = Input::open(args).unwrap();
        input.ahead = ahead;
        let mut transactions: Vec<Transaction> = Vec::new();
        let mut watched = Vec::new();
        let watch = |frame: &Frame<'_>, analyzer: &Analyzer| {
            let readings = analyzer.readings();
            let segment: u64 = readings.segments.iter().map(|(_, m)| m.frames).sum();
            watched.push(segment ^ frame.at.as_nanos().unsigned_abs());
        };
        let (analysis, readings) = input
            .analyse_watching(
                Settings::default(),
                &mut transactions,
                true,
                |_| Ok(()),
                watch,
            )
            .unwrap();
        let about = analysis.about(args);
        let snapshot = analysis.snapshot;
        let shown = format!("{snapshot:?} {readings:?} {transactions:?} {about:?}");
        (shown, transactions.len(), watched)
    }

    #[test]
    fn what_comes_out_does_not_depend_on_the_threads() {
        let mut windowed = args(&["demo.pcapng"]);
        windowed.select.since = Some("1".parse().unwrap());
        windowed.select.until = Some("3".parse().unwrap());
        for args in [args(&["demo.pcapng"]), windowed] {
            let one = analysed(&args, false);
            assert!(one.1 > 10, "there is something to compare");
            assert_eq!(one, analysed(&args, true));
        }
    }

    #[test]
    fn whoever_wants_no_more_ends_the_reading() {
        let mut input = Input::open(&args(&["demo.pcapng"])).unwrap();
        input.ahead = true;
        let enough = |_: &mut ()| Err(Failure::NobodyReads);
        let ended = input.analyse(Settings::default(), &mut (), true, enough);
        assert!(matches!(ended, Err(Failure::NobodyReads)));
    }
}
