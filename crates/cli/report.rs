//! `wirewait report`: the whole analysis of a capture.

use crate::annotate;
use crate::args::{ReportArgs, ReportFormat};
use crate::counters::Sampling;
use crate::failure::{Failure, Verdict, shown};
use crate::input::{Analysis, Input, is_stdin, warn};
use crate::judged;
use crate::last_profile;
use crate::merge;
use crate::output::{FRAMES_NAME, Output};
use crate::parallel;
use crate::symptoms;
use std::io::{self, Write};
use wirewait::{Choice, Layout, Settings, Snapshot, Summary, Transaction};
use wirewait_report::About;
use wirewait_report::counters::{Refusal, Sampler, Samples};
use wirewait_report::html::{self, Conversation, Further, Metered};
use wirewait_report::json;
use wirewait_report::ladder::{self, Climb, Ladder};
use wirewait_report::text::{self, Look};

pub(crate) fn run(args: &ReportArgs) -> Result<Verdict, Failure> {
    let last = last_profile::read(&args.profile)?;
    check(args)?;
    if args.format == ReportFormat::Pcapng {
        return annotate::run(args, last);
    }
    if let Some(workers) = args.parallel {
        return parallel::run(args, workers, last.as_ref());
    }
    let explained = symptoms::explained(&args.symptoms)?;
    let texts = symptoms::texts(&args.symptoms)?;
    // Numbers of conversations count from 1.
    let mut choice = ladder::Choice::of(args.conversation.unwrap_or(0));
    let mut input = Input::open(&args.input)?;
    input.thresholds = symptoms::thresholds(&args.symptoms);
    input.last.clone_from(&last);
    input.threads = args.threads.count();
    let signals = input.heed_signals(&args.input)?;
    let settings = args.analysis.settings();
    let (analysis, sampled) = analysed(input, args, settings, &mut choice)?;
    let mut about = analysis.about(&args.input);
    about.texts = texts;
    let snapshot = &analysis.snapshot;
    let chosen = match args.conversation {
        Some(number) => Some(choice.chosen().ok_or_else(|| none(number))?),
        None if args.format == ReportFormat::Html => snapshot.slowest.first().cloned(),
        None => None,
    };
    let again = !args.input.files.iter().any(|file| is_stdin(file));
    let drawn = chosen
        .filter(|_| again)
        .map(|transaction| climb(args, last.as_ref(), transaction))
        .transpose()?;
    let mut output = Output::open(&args.output, &args.input.files)?;
    let short = args.text.is_short(output.terminal);
    let look = match (short, output.terminal) {
        // One screen is one screen wherever it goes.
        (true, false) => Look::SCREEN,
        _ => output.look(),
    };
    let look = look.with(args.text.precise.digits());
    output.write(|out| match args.format {
        ReportFormat::Text if explained.is_some() => {
            text::explain(out, &about, snapshot, explained.flatten(), look)
        }
        ReportFormat::Text if short => text::short(out, &about, snapshot, look),
        ReportFormat::Text => text::report(out, &about, snapshot, look),
        ReportFormat::Json => json::report_with(out, &about, snapshot, drawn.as_ref()),
        ReportFormat::Csv => wirewait_report::csv::report(out, &about, snapshot),
        ReportFormat::Html => page(out, &about, snapshot, drawn.as_ref(), sampled.as_ref()),
        ReportFormat::Pcapng => Ok(()),
    })?;
    output.finish()?;
    // Sums of a part cannot be told from those of the whole.
    if let Some(path) = &args.summary {
        if signals.stop() {
            warn(&format!(
                "{} was not written, because reading was interrupted",
                shown(path)
            ));
        } else {
            merge::write(path, &args.input.files, &Summary::of(snapshot))?;
        }
    }
    let otherwise = analysis.verdict();
    Ok(judged::ended(&args.fail_if, &about, snapshot, otherwise))
}

/// What became of the counters of a page.
type Sampled = Result<Samples, Refusal>;

/// Reads the capture, and for a page samples its counters.
fn analysed(
    input: Input,
    args: &ReportArgs,
    settings: Settings,
    choice: &mut ladder::Choice,
) -> Result<(Analysis, Option<Sampled>), Failure> {
    if args.format != ReportFormat::Html {
        let analysis = input.analyse(settings, choice, false, |_| Ok(()))?;
        return Ok((analysis, None));
    }
    let mut sampling = Sampling::new(Sampler::new(INTERVAL_NS, settings.link_speed));
    let (analysis, readings) = input.analyse_watching(
        settings,
        choice,
        false,
        |_| Ok(()),
        |frame, analyzer| sampling.frame(frame, analyzer),
    )?;
    Ok((analysis, Some(sampling.finish(&readings))))
}

/// Writes the page.
fn page(
    out: &mut impl Write,
    about: &About,
    snapshot: &Snapshot,
    drawn: Option<&Ladder>,
    sampled: Option<&Sampled>,
) -> io::Result<()> {
    let conversation = drawn.map_or(Conversation::Absent(UNREPEATABLE), Conversation::Drawn);
    let why = sampled.and_then(|sampled| sampled.as_ref().err());
    let why = why.map(Refusal::to_string).unwrap_or_default();
    let counters = match sampled {
        Some(Ok(samples)) => Metered::Sampled(samples),
        _ => Metered::Absent(&why),
    };
    let further = Further {
        conversation,
        counters,
    };
    html::report(out, about, snapshot, further)
}

/// Counters of the page are sampled as often as `wirewait counters` does by default.
const INTERVAL_NS: i64 = 1_000_000_000;

const UNREPEATABLE: &str = "To draw a conversation, the capture has to be read twice, and the \
    standard input can be read only once: save it to a file, and report on that.";

/// What the formats cannot do, before anything is read.
pub(crate) fn check(args: &ReportArgs) -> Result<(), Failure> {
    let wrong = |text: &str| Err(Failure::Usage(text.to_owned()));
    if args.symptoms.explain.is_some() && args.format != ReportFormat::Text {
        return wrong("--explain: only for --format text; the others hold all judgements anyway");
    }
    if Output::is_to_terminal(&args.output) {
        match args.format {
            ReportFormat::Html => {
                return wrong(
                    "--format html: the output is a terminal; write it to a file (-o report.html) \
                     or into a pipe",
                );
            }
            ReportFormat::Pcapng => {
                return wrong(
                    "--format pcapng: the output is a terminal; write it to a file (-o \
                     commented.pcapng) or into a pipe",
                );
            }
            _ => {}
        }
    }
    if let Some(sums) = &args.summary {
        if sums.as_os_str() == "-" {
            return wrong("--summary: name a file; the standard output is the report's");
        }
        if args.output.output.as_ref() == Some(sums) {
            return wrong("--summary: this is the file of the report (-o); name another one");
        }
    }
    if args.format == ReportFormat::Pcapng {
        if args.analysis.private {
            return wrong(FRAMES_NAME);
        }
        if args.summary.is_some() {
            return wrong("--summary: not with --format pcapng; write the sums by another report");
        }
        if args.input.files.iter().any(|file| is_stdin(file)) {
            return wrong(
                "--format pcapng: the capture is read twice for it, and the standard input cannot \
                 be; save it to a file first",
            );
        }
    }
    if args.parallel.is_some() {
        if args.conversation.is_some() || args.symptoms.explain.is_some() {
            return wrong(
                "--parallel: sums know neither conversations nor symptoms; leave --conversation \
                 and --explain out",
            );
        }
        if !args.fail_if.is_empty() {
            return wrong(
                "--fail-if: is judged for one capture; leave --parallel out, or run `wirewait report` for \
                 each capture",
            );
        }
        if !matches!(args.format, ReportFormat::Text | ReportFormat::Json) {
            return wrong("--parallel: sums are printed as text or json");
        }
        if args.input.files.iter().any(|file| is_stdin(file)) {
            return wrong("--parallel: the standard input is one capture; name files");
        }
    }
    if args.summaries.is_some() && args.parallel.is_none() {
        return wrong(
            "--summaries: keeps the sums of captures that are analysed each on its own; add \
             --parallel 2 (or as many as there are processors)",
        );
    }
    if args.conversation.is_none() {
        return Ok(());
    }
    if !matches!(args.format, ReportFormat::Html | ReportFormat::Json) {
        return wrong("--conversation: only --format html and --format json show its frames");
    }
    if args.input.files.iter().any(|file| is_stdin(file)) {
        return wrong(
            "--conversation: the capture is read twice for it, and the standard input cannot be; \
             save it to a file first",
        );
    }
    Ok(())
}

fn none(number: u64) -> Failure {
    Failure::Cannot(format!(
        "conversation {number} has no requests; `wirewait transactions --format csv` tells the \
         conversation of each request"
    ))
}

/// Reads the capture once more, for the frames around this transaction.
fn climb(
    args: &ReportArgs,
    last: Option<&Layout>,
    transaction: Transaction,
) -> Result<Ladder, Failure> {
    let settings = args.analysis.settings();
    let [shown, analysed] = [(); 2].map(|()| last_profile::protocols(last));
    let mut climb = Climb::new(transaction, settings, shown, analysed);
    Input::open_first(&args.input)?.each_frame(|selection, frame| {
        let choice = selection.choose(frame);
        match choice {
            Choice::Take => climb.pass(frame),
            _ => climb.skip(),
        }
        Ok(if climb.is_done() {
            Choice::Stop
        } else {
            choice
        })
    })?;
    Ok(climb.finish())
}
