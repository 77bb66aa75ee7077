//! Reads captures: which files, which of their frames, what to do about damage, and how
//! far it is.

mod ports;
mod progress;
mod selection;
mod warnings;

pub(crate) use selection::Selection;
#[cfg(feature = "libpcap")]
pub(crate) use selection::{check_syntax, compile_filter};
pub(crate) use warnings::{holding_warnings, warn};

use crate::args::InputArgs;
use crate::failure::{Failure, Verdict, say};
use crate::hints;
use crate::last_profile::protocols;
use crate::signals::Signals;
use crate::when::Moment;
use progress::{Bar, how_far};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use wirewait::{
    Analyzer, Choice, Engine, Frame, Layout, Readings, Settings, Sink, Snapshot, SourceError,
    SourceErrorKind, Standing, Thresholds, Transaction,
};
use wirewait_capture::live::LiveInterface;
use wirewait_capture::{Files, Options, Origins, open};
use wirewait_report::words::Grouped;
use wirewait_report::{About, Interface};

/// Whether a path stands for the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The file that a transaction begins in, and the number of its first frame there.
pub(crate) fn origin(origins: &Origins, transaction: &Transaction) -> Option<(Arc<str>, u64)> {
    let first = transaction.request.or(transaction.response)?.first;
    origins.of(first.frame)
}

/// Opens capture files; says what to do about those that are none.
fn opened(args: &InputArgs) -> Result<Files, Failure> {
    let files = args.files.as_slice();
    open(files, &options(args)).map_err(|error| {
        if !args.places.is_empty() && error.kind == SourceErrorKind::Unreadable {
            return Failure::Cannot(hints::no_capture(args));
        }
        let named = files
            .iter()
            .find(|file| file.display().to_string() == error.name);
        let instead = named
            .filter(|file| !is_stdin(file))
            .and_then(|file| hints::instead_of(file));
        instead.map_or_else(|| error.into(), Failure::Cannot)
    })
}

/// Opened files and what was wrong with them.
pub(crate) struct Input {
    files: Files,
    pub(crate) selection: Selection,
    /// What symptoms are judged by.
    pub(crate) thresholds: Thresholds,
    /// Where the fields of LAST stand, if not where the built-in table says.
    pub(crate) last: Option<Layout>,
    /// Threads to analyse on.
    pub(crate) threads: usize,
    /// Who may ask for an early end, or how far it is.
    signals: Option<Signals>,
    /// Warnings about the files that were shown.
    warned: usize,
    /// Nothing is said: it is read once more.
    quiet: bool,
}

impl Input {
    /// Opens the files.
    pub(crate) fn open(args: &InputArgs) -> Result<Self, Failure> {
        let selection = Selection::new(args)?;
        if args.files.iter().any(|file| is_stdin(file)) && io::stdin().is_terminal() {
            return Err(Failure::Usage(
                "-: the standard input is a terminal; pipe a capture into it".to_owned(),
            ));
        }
        let mut input = Self {
            files: opened(args)?,
            selection,
            thresholds: Thresholds::default(),
            last: None,
            threads: 1,
            signals: None,
            warned: 0,
            quiet: false,
        };
        input.warned = warn_anew(&input.files, 0);
        Ok(input)
    }

    /// Opens the files that are going to be read twice, for the first time: what is wrong with
    /// them is said the second time.
    pub(crate) fn open_first(args: &InputArgs) -> Result<Self, Failure> {
        if args.files.iter().any(|file| is_stdin(file)) {
            return Err(Failure::Usage(
                "-: the standard input cannot be read twice; save it to a file first".to_owned(),
            ));
        }
        Ok(Self {
            files: opened(args)?,
            selection: Selection::new(args)?,
            thresholds: Thresholds::default(),
            last: None,
            threads: 1,
            signals: None,
            warned: 0,
            quiet: true,
        })
    }

    /// From now on it is known which frame of which file each frame is.
    pub(crate) fn track(&mut self) -> Origins {
        self.files.track()
    }

    /// From now on signals end the reading, and what was read until then is the capture; or they
    /// ask how far it is.
    pub(crate) fn heed_signals(&mut self, args: &InputArgs) -> Result<Signals, Failure> {
        let signals = match args.files.iter().any(|file| is_stdin(file)) {
            true => Signals::catch_in_pipe()?,
            false => Signals::catch()?,
        };
        self.selection.signals = Some(signals.clone());
        self.signals = Some(signals.clone());
        Ok(signals)
    }

    /// Leads all frames through the analysis. `check` says between times whether the sink
    /// still takes rows; `quiet` forbids a progress bar.
    pub(crate) fn analyse<K: Sink>(
        self,
        settings: Settings,
        sink: &mut K,
        quiet: bool,
        check: impl FnMut(&mut K) -> Result<(), Failure>,
    ) -> Result<Analysis, Failure> {
        let analyzer = Analyzer::new(protocols(self.last.as_ref()), settings).unmetered();
        let (analysis, _) = self.lead(analyzer, sink, quiet, check, |_, _| {})?;
        Ok(analysis)
    }

    /// As [`Input::analyse`], and the sink is told what each frame did.
    pub(crate) fn analyse_observed<K: Sink>(
        self,
        settings: Settings,
        sink: &mut K,
    ) -> Result<Analysis, Failure> {
        let analyzer = Analyzer::new(protocols(self.last.as_ref()), settings)
            .unmetered()
            .observed();
        let (analysis, _) = self.lead(analyzer, sink, false, |_| Ok(()), |_, _| {})?;
        Ok(analysis)
    }

    /// As [`Input::analyse`], with a look at the analysis before each frame that it takes, and
    /// at its meters at the end.
    pub(crate) fn analyse_watching<K: Sink>(
        self,
        settings: Settings,
        sink: &mut K,
        quiet: bool,
        check: impl FnMut(&mut K) -> Result<(), Failure>,
        watch: impl FnMut(&Frame<'_>, &Analyzer),
    ) -> Result<(Analysis, Readings), Failure> {
        let analyzer = Analyzer::new(protocols(self.last.as_ref()), settings);
        self.lead(analyzer, sink, quiet, check, watch)
    }

    fn lead<K: Sink>(
        self,
        analyzer: Analyzer,
        sink: &mut K,
        quiet: bool,
        mut check: impl FnMut(&mut K) -> Result<(), Failure>,
        mut watch: impl FnMut(&Frame<'_>, &Analyzer),
    ) -> Result<(Analysis, Readings), Failure> {
        let Self {
            files,
            mut selection,
            thresholds,
            threads,
            signals,
            warned,
            ..
        } = self;
        let mut damage = Damage::default();
        let bar = Bar::new(&files, quiet);
        let (begun, total) = (Instant::now(), files.progress().bytes_total);
        let mut engine = Engine::with(files, analyzer.judging_by(thresholds));
        let mut between = |standing: Standing, sink: &mut K| {
            bar.show(standing.read);
            if signals.as_ref().is_some_and(Signals::report) {
                let read = total.map(|total| (standing.read, total));
                bar.aside(|| say(&how_far(standing.frames, read, begun.elapsed())));
            }
            check(sink)?;
            match standing.error {
                Some(error) => bar.aside(|| damage.take(error)),
                None if damage.skipped.is_empty() => Ok(()),
                None => {
                    bar.aside(|| damage.say_skipped());
                    Ok(())
                }
            }
        };
        let mut choose = |frame: &Frame<'_>| selection.choose(frame);
        // What comes through a pipe is not to wait for more of it.
        let whole = total.is_some();
        if threads > 1 && whole {
            engine.run_on(threads, &mut choose, sink, &mut watch, &mut between)?;
        } else {
            // Through a pipe frames may come one by one.
            let mut look = |frame: &Frame<'_>, analyzer: &Analyzer| {
                if !whole {
                    tell_how_far(signals.as_ref(), analyzer, begun);
                }
                watch(frame, analyzer);
            };
            engine.run(&mut choose, sink, &mut look, &mut between)?;
        }
        check(sink)?;
        bar.clear();
        damage.say_skipped();
        warn_anew(engine.source(), warned);
        selection.warn();
        if selection.interrupted {
            let frames = engine.number();
            damage.say(format!(
                "interrupted by a signal: frames behind frame {frames} were not read"
            ));
        }
        let read = engine.number();
        let (snapshot, readings, files) = engine.finish_metered(sink);
        if snapshot.capture.frames == 0 && damage.sentences.is_empty() {
            warn(&nothing(read));
        }
        let analysis = Analysis {
            snapshot,
            interfaces: files.interfaces().to_vec(),
            damage,
            tcp_ports: selection.ports.busiest(),
        };
        Ok((analysis, readings))
    }

    /// The next frame, with damage reported and passed over.
    pub(crate) fn each_frame(
        mut self,
        mut visit: impl FnMut(&mut Selection, &Frame<'_>) -> Result<Choice, Failure>,
    ) -> Result<Verdict, Failure> {
        use wirewait::Source;
        let mut damage = Damage::default();
        loop {
            match self.files.next_frame() {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    damage.say_skipped();
                    if visit(&mut self.selection, &frame)? == Choice::Stop {
                        break;
                    }
                }
                Err(error) if self.quiet && error.kind == SourceErrorKind::Damaged => {}
                Err(error) => damage.take(error)?,
            }
        }
        damage.say_skipped();
        if !self.quiet {
            warn_anew(&self.files, self.warned);
            self.selection.warn();
        }
        Ok(damage.verdict())
    }
}

/// Why there is not one frame to analyse, and what to do.
pub(crate) fn nothing(read: u64) -> String {
    match read {
        0 => {
            "the capture has no frames; capture some: wirewait live -i eth0 --save FILE".to_owned()
        }
        n => format!(
            "none of the {} frames was chosen; leave out --filter, --since or --until",
            Grouped(n)
        ),
    }
}

/// How the files are to be read.
pub(crate) fn options(args: &InputArgs) -> Options {
    let mut options = Options::default();
    options.zone_offset = args.select.zone.map(|zone| zone.seconds_east);
    options.skip_unreadable = args.gathered;
    options
}

/// Shows the warnings about the files behind the first `shown`; says how many there are now.
fn warn_anew(files: &Files, shown: usize) -> usize {
    for warning in files.warnings().iter().skip(shown) {
        warn(&warning.to_string());
    }
    files.warnings().len()
}

/// What came out.
pub(crate) struct Analysis {
    pub(crate) snapshot: Snapshot,
    pub(crate) interfaces: Vec<wirewait_capture::Interface>,
    damage: Damage,
    /// The busiest TCP ports of the first frames.
    tcp_ports: Vec<(u16, u64)>,
}

impl Analysis {
    /// What a report says about the input.
    pub(crate) fn about(&self, args: &InputArgs) -> About {
        let interfaces = self.interfaces.iter().map(interface).collect();
        About {
            tcp_ports: self.tcp_ports.clone(),
            ..about(args, interfaces, self.damage.sentences.clone())
        }
    }

    pub(crate) fn verdict(&self) -> Verdict {
        self.damage.verdict()
    }
}

/// What a report says about the input.
pub(crate) fn about(args: &InputArgs, interfaces: Vec<Interface>, damage: Vec<String>) -> About {
    About {
        files: args.files.iter().map(|f| f.display().to_string()).collect(),
        selection: wirewait_report::Selection {
            since: args.select.since.as_ref().map(Moment::to_string),
            until: args.select.until.as_ref().map(Moment::to_string),
            #[cfg(feature = "libpcap")]
            filter: args.select.filter.clone(),
            #[cfg(not(feature = "libpcap"))]
            filter: None,
        },
        interfaces,
        damage,
        ..About::default()
    }
}

/// What a report says about an interface.
pub(crate) fn interface(known: &wirewait_capture::Interface) -> Interface {
    Interface {
        name: known.name.clone(),
        link_type: known.link.0,
        dropped: known.lost(),
        not_saved: known.not_saved,
    }
}

/// What a report says about an interface under capture.
pub(crate) fn live_interface(known: &LiveInterface) -> Interface {
    Interface {
        name: known.name.clone(),
        link_type: known.link.0,
        dropped: known.lost(),
        not_saved: known.not_saved,
    }
}

/// Damage that was met and reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    sentences: Vec<String>,
    /// Files that are skipped, until it is known how many there are.
    skipped: Vec<SourceError>,
}

/// Skipped files that are told of one by one.
const SKIPPED: usize = 3;

impl Damage {
    /// Reports damage behind which reading goes on; anything worse ends it.
    fn take(&mut self, error: SourceError) -> Result<(), Failure> {
        if error.kind != SourceErrorKind::Damaged {
            return Err(error.into());
        }
        if wirewait_capture::is_skipped(&error) {
            self.skipped.push(error);
            return Ok(());
        }
        self.say_skipped();
        self.say(error.to_string());
        Ok(())
    }

    /// Reports the files that were skipped: all of them came before the first frame.
    fn say_skipped(&mut self) {
        if self.skipped.is_empty() {
            return;
        }
        let skipped = std::mem::take(&mut self.skipped);
        if skipped.len() <= SKIPPED {
            for error in skipped {
                self.say(error.to_string());
            }
            return;
        }
        let names = skipped
            .iter()
            .take(SKIPPED)
            .map(|error| error.name.as_str());
        let named = names.collect::<Vec<_>>().join(", ");
        self.say(format!(
            "{} files are no captures that can be read, and are skipped: {named} and {} more; to see why one is \
             not: wirewait FILE",
            Grouped(skipped.len() as u64),
            Grouped((skipped.len() - SKIPPED) as u64)
        ));
    }

    fn say(&mut self, sentence: String) {
        warn(&sentence);
        self.sentences.push(sentence);
    }

    fn verdict(&self) -> Verdict {
        if self.sentences.is_empty() {
            Verdict::Whole
        } else {
            Verdict::Damaged
        }
    }
}

/// Says how far reading is, if somebody asked for it.
// Apart, so that a look at nothing is part of the loop over frames.
#[cold]
#[inline(never)]
fn tell_how_far(signals: Option<&Signals>, analyzer: &Analyzer, begun: Instant) {
    if signals.is_some_and(Signals::report) {
        say(&how_far(analyzer.number(), None, begun.elapsed()));
    }
}
