//! Reads captures: which files, which of their frames, what to do about damage, and how
//! far it is.

use crate::args::InputArgs;
use crate::failure::{Failure, Verdict, say};
use crate::hints;
use crate::last_profile::protocols;
use crate::signals::Signals;
use crate::when::Moment;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
#[cfg(feature = "libpcap")]
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use wirewait::{
    Analyzer, Choice, Engine, Frame, Layout, Readings, Settings, Sink, Snapshot, SourceError,
    SourceErrorKind, Standing, Thresholds, Timestamp,
};
#[cfg(feature = "libpcap")]
use wirewait_capture::filter::{Filter, FilterError};
use wirewait_capture::{Files, Options, Origins, open};
use wirewait_report::words::Grouped;
use wirewait_report::{About, Escaped, Interface};

/// Inputs that are read in less than a blink need no progress bar.
const WORTH_A_BAR: u64 = 32 << 20;

/// Number of consecutive frames after `--until` that end the reading. One frame with a wrong time
/// does not.
const SURELY_PAST: u32 = 1000;

/// Whether a path stands for the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// A capture filter. Its names of hosts are looked up the first time, on all common links: later
/// there is no network.
#[cfg(feature = "libpcap")]
pub(crate) fn compile_filter(expression: &str) -> Result<Filter, Failure> {
    static COMPILED: OnceLock<(String, Filter)> = OnceLock::new();
    if let Some((_, filter)) = COMPILED.get().filter(|(known, _)| known == expression) {
        return Ok(filter.clone());
    }
    let mut filter = Filter::compile(expression).map_err(|error| refused(expression, &error))?;
    filter.prepare();
    let _ = COMPILED.set((expression.to_owned(), filter.clone()));
    Ok(filter)
}

/// Says what to write instead of Wireshark's syntax; of other mistakes, what libpcap says.
#[cfg(feature = "libpcap")]
fn refused(expression: &str, error: &FilterError) -> Failure {
    if !hints::is_display_syntax(expression) {
        return Failure::Usage(error.to_string());
    }
    let ours = hints::in_capture_syntax(expression).filter(|ours| Filter::compile(ours).is_ok());
    let instead = ours.unwrap_or_else(|| "tcp port 445".to_owned());
    Failure::Usage(format!(
        "the filter '{}' is Wireshark's display syntax; here: {} (pcap-filter syntax); for fields: \
         wirewait decode FILE --show 'smb2.MessageId == 5'",
        Escaped(expression),
        Escaped(&instead)
    ))
}

/// Opens capture files; says what to do about those that are none.
fn opened(files: &[PathBuf], options: &Options) -> Result<Files, Failure> {
    open(files, options).map_err(|error| {
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
            files: opened(&args.files, &options(args))?,
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
            files: opened(&args.files, &options(args))?,
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
                None => Ok(()),
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
                if !whole && signals.as_ref().is_some_and(Signals::report) {
                    say(&how_far(analyzer.number(), None, begun.elapsed()));
                }
                watch(frame, analyzer);
            };
            engine.run(&mut choose, sink, &mut look, &mut between)?;
        }
        check(sink)?;
        bar.clear();
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
                    if visit(&mut self.selection, &frame)? == Choice::Stop {
                        break;
                    }
                }
                Err(error) if self.quiet && error.kind == SourceErrorKind::Damaged => {}
                Err(error) => damage.take(error)?,
            }
        }
        if !self.quiet {
            warn_anew(&self.files, self.warned);
            self.selection.warn();
        }
        Ok(damage.verdict())
    }
}

/// Why there is not one frame to analyse, and what to do.
fn nothing(read: u64) -> String {
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

/// `1,234,567 frames, 45,678,901 of 1,200,345,678 bytes in 12.3 s`.
fn how_far(frames: u64, read: Option<(u64, u64)>, elapsed: Duration) -> String {
    let bytes = read.map_or_else(String::new, |(read, total)| {
        format!(", {} of {} bytes", Grouped(read), Grouped(total))
    });
    let seconds = elapsed.as_secs_f64();
    format!("{} frames{bytes} in {seconds:.1} s", Grouped(frames))
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
}

impl Analysis {
    /// What a report says about the input.
    pub(crate) fn about(&self, args: &InputArgs) -> About {
        let interfaces = self.interfaces.iter().map(interface).collect();
        about(args, interfaces, self.damage.sentences.clone())
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

/// Damage that was met and reported.
#[derive(Clone, Debug, Default)]
pub(crate) struct Damage {
    sentences: Vec<String>,
}

impl Damage {
    /// Reports damage behind which reading goes on; anything worse ends it.
    fn take(&mut self, error: SourceError) -> Result<(), Failure> {
        if error.kind != SourceErrorKind::Damaged {
            return Err(error.into());
        }
        self.say(error.to_string());
        Ok(())
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

thread_local! {
    /// Warnings of this thread that are not said yet.
    static HELD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Does `work`, and gives the warnings of this thread with what comes of it: where several are at
/// work, they are to be said in an order that does not depend on who is first.
pub(crate) fn holding_warnings<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    HELD.set(Some(Vec::new()));
    let done = work();
    (done, HELD.take().unwrap_or_default())
}

/// Tells the user something beside the results.
pub(crate) fn warn(text: &str) {
    let held = HELD.with_borrow_mut(|held| match held {
        Some(held) => {
            held.push(text.to_owned());
            true
        }
        None => false,
    });
    if held {
        return;
    }
    // If nobody listens to warnings, the exit code still tells.
    let _ = writeln!(io::stderr(), "wirewait: warning: {}", Escaped(text));
}

/// Which frames are wanted.
#[derive(Debug)]
pub(crate) struct Selection {
    since: Option<Moment>,
    until: Option<Moment>,
    pub(crate) passed: Passed,
    signals: Option<Signals>,
    /// A signal ended it.
    interrupted: bool,
    #[cfg(feature = "libpcap")]
    filter: Option<Filter>,
}

/// What went by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Passed {
    /// Time of the first frame.
    start: Option<Timestamp>,
    /// The latest time of a frame.
    pub(crate) latest: Option<Timestamp>,
    /// Frames in a row behind the end.
    past: u32,
}

impl Passed {
    /// Whether everything that was wanted has gone by.
    pub(crate) fn is_over(&self) -> bool {
        self.past >= SURELY_PAST
    }
}

impl Selection {
    pub(crate) fn new(args: &InputArgs) -> Result<Self, Failure> {
        Ok(Self {
            since: args.select.since,
            until: args.select.until,
            passed: Passed::default(),
            signals: None,
            interrupted: false,
            #[cfg(feature = "libpcap")]
            filter: args
                .select
                .filter
                .as_deref()
                .map(compile_filter)
                .transpose()?,
        })
    }

    /// Whether this frame, the next one of the capture, is wanted.
    pub(crate) fn choose(&mut self, frame: &Frame<'_>) -> Choice {
        if self.signals.as_ref().is_some_and(Signals::stop) {
            self.interrupted = true;
            return Choice::Stop;
        }
        let passed = &mut self.passed;
        passed.latest = Some(
            passed
                .latest
                .map_or(frame.at, |latest| latest.max(frame.at)),
        );
        let start = *passed.start.get_or_insert(frame.at);
        if self.since.is_some() || self.until.is_some() {
            let choice = self.choose_by_time(frame.at, start);
            if choice != Choice::Take {
                return choice;
            }
        }
        #[cfg(feature = "libpcap")]
        if self
            .filter
            .as_mut()
            .is_some_and(|filter| !filter.matches(frame))
        {
            return Choice::Skip;
        }
        Choice::Take
    }

    /// Whether a frame of this time is wanted, in a capture that begins at `start`.
    #[inline(never)]
    fn choose_by_time(&mut self, at: Timestamp, start: Timestamp) -> Choice {
        let passed = &mut self.passed;
        if self
            .until
            .is_some_and(|until| at >= until.in_capture(start))
        {
            passed.past = passed.past.saturating_add(1);
            return if passed.is_over() {
                Choice::Stop
            } else {
                Choice::Skip
            };
        }
        passed.past = 0;
        if self.since.is_some_and(|since| at < since.in_capture(start)) {
            return Choice::Skip;
        }
        Choice::Take
    }

    /// Tells about links on which the filter could not work.
    fn warn(&self) {
        #[cfg(feature = "libpcap")]
        for (link, why) in self.filter.iter().flat_map(Filter::useless_on) {
            warn(&format!(
                "--filter cannot match on link type {}, its frames were left out: {why}",
                link.0
            ));
        }
        #[cfg(feature = "libpcap")]
        if let Some(hint) = self.filter.as_ref().and_then(Filter::hint) {
            warn(&format!("--filter: {hint}"));
        }
    }
}

/// A progress bar, for an input worth it and a user who can see it.
struct Bar(Option<ProgressBar>);

impl Bar {
    fn new(files: &Files, quiet: bool) -> Self {
        let total = files.progress().bytes_total.filter(|n| *n > WORTH_A_BAR);
        let Some(total) = total.filter(|_| !quiet && io::stderr().is_terminal()) else {
            return Self(None);
        };
        let bar = ProgressBar::new(total);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
        {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    fn show(&self, read: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(read);
        }
    }

    /// Runs what writes to the terminal itself.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait::LinkType;

    fn selection(since: Option<&str>, until: Option<&str>) -> Selection {
        Selection {
            since: since.map(|text| text.parse().unwrap()),
            until: until.map(|text| text.parse().unwrap()),
            passed: Passed::default(),
            #[cfg(feature = "libpcap")]
            filter: None,
            signals: None,
            interrupted: false,
        }
    }

    fn choose(selection: &mut Selection, seconds: i64) -> Choice {
        selection.choose(&Frame {
            at: Timestamp::from_parts(seconds, 0),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 60,
            bytes: &[0; 60],
        })
    }

    #[test]
    fn a_window_holds_its_beginning_but_not_its_end() {
        let mut window = selection(Some("2"), Some("4"));
        let chosen: Vec<Choice> = (100..106).map(|s| choose(&mut window, s)).collect();
        use Choice::{Skip, Take};
        assert_eq!(chosen, [Skip, Skip, Take, Take, Skip, Skip]);
    }

    #[test]
    fn reading_ends_when_the_window_is_surely_past() {
        let mut window = selection(None, Some("10"));
        assert_eq!(choose(&mut window, 0), Choice::Take);
        for _ in 0..SURELY_PAST - 1 {
            assert_eq!(choose(&mut window, 50), Choice::Skip);
        }
        assert_eq!(choose(&mut window, 5), Choice::Take, "the clock was wrong");
        for _ in 0..SURELY_PAST - 1 {
            assert_eq!(choose(&mut window, 50), Choice::Skip);
        }
        assert_eq!(choose(&mut window, 50), Choice::Stop);
    }

    #[cfg(feature = "libpcap")]
    #[test]
    fn a_filter_leaves_frames_out() {
        let mut narrow = selection(None, None);
        narrow.filter = Some(Filter::compile("ether proto 0x0800").unwrap());
        assert_eq!(choose(&mut narrow, 0), Choice::Skip);
        narrow.filter = Some(Filter::compile("less 60").unwrap());
        assert_eq!(choose(&mut narrow, 0), Choice::Take);
    }
}
