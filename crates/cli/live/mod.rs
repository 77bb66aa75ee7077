//! `wirewait live`: the wire as it is now.

mod annotated;
mod intervals;
#[cfg(feature = "libpcap")]
mod list;
mod listen;
mod metrics;
mod plain;
mod reload;
mod requests;
mod screen;
mod source;
mod supervisor;

use crate::args::{LiveArgs, LiveFormat};
use crate::failure::{Failure, Verdict, say};
use crate::judged;
use crate::last_profile;
use crate::output::{self, FRAMES_NAME, Output};
use crate::own::Own;
use crate::rights::{Needs, Rights};
use crate::saver::Saver;
use crate::signals::Signals;
use crate::symptoms;
use crate::transactions::RowWriter;
use annotated::Annotated;
use intervals::Intervals;
use listen::Listener;
use metrics::Metrics;
use plain::{Limits, PlainWatch};
use reload::Reload;
use std::io::{self, IsTerminal};
use supervisor::Supervisor;
use wirewait::{Rule, Snapshot};
use wirewait_report::{About, Digits, Selection, csv, json, text, transactions};

pub(crate) use reload::Again;

/// What it is going to read and write.
pub(crate) fn needs(args: &LiveArgs) -> Needs {
    let mut needs = Needs::default();
    needs.read(&args.profile.last_profile);
    needs.read(&args.symptoms.symptom_texts);
    needs.output(&args.output);
    if let Some(path) = &args.save {
        needs.folder("--save", path);
    }
    if is_service(args) {
        needs.configuration();
    }
    needs.screen = screen::is_wanted(args);
    #[cfg(feature = "libpcap")]
    {
        needs.interfaces = args.source.is_none();
        needs.filter.clone_from(&args.filter);
    }
    needs
}

/// Captures and analyses. A service reads its arguments and configuration `again` on a signal.
pub(crate) fn run(args: &LiveArgs, mut rights: Rights, again: Again) -> Result<Verdict, Failure> {
    #[cfg(feature = "libpcap")]
    if args.list_interfaces {
        return list::run(args);
    }
    if args.format == LiveFormat::Pcapng && args.analysis.private {
        return Err(Failure::Usage(FRAMES_NAME.to_owned()));
    }
    let supervisor = Supervisor::of_environment();
    let explained = symptoms::explained(&args.symptoms)?;
    let texts = symptoms::texts(&args.symptoms)?;
    let listener = args.listen.map(Listener::bind).transpose()?;
    let address = listener
        .as_ref()
        .and_then(|listener| listener.address().ok());
    let (metrics, registry) = listener.is_some().then(Metrics::new).unzip();
    let serve = listener.zip(registry);
    let serve = serve.map(|(listener, registry)| move || listener.serve(&registry));
    let (signals, reload) = signals(args, again)?;
    let mut watch = PlainWatch {
        metrics,
        settings: args.analysis.settings(),
        thresholds: symptoms::thresholds(&args.symptoms),
        last: last_profile::read(&args.profile)?,
        limits: Limits::of(args),
        signals,
        supervisor,
        texts,
        reload,
    };
    let ready = source::open(args, &mut rights, serve)?;
    if rights.are_asked_for() {
        let _live = ready.start(&mut rights)?;
        return output::print(&rights.in_force());
    }
    if screen::is_wanted(args) {
        let texts = watch.texts.clone();
        return screen::run(args, ready, &mut rights, watch, texts);
    }
    // Before anything is captured: an hour is not to be lost for want of a place.
    let mut output = match args.format {
        LiveFormat::Ndjson | LiveFormat::Pcapng => Output::open_growing(&args.output, &[])?,
        _ => Output::open(&args.output, &[])?,
    };
    if args.format == LiveFormat::Pcapng && output.terminal {
        return Err(Failure::Usage(
            "--format pcapng: the output is a terminal; write it to a file (-o live.pcapng) or \
             into a pipe"
                .to_owned(),
        ));
    }
    let what = ready.what();
    let live = ready.start(&mut rights)?;
    let saver = Saver::of(args, &live)?;
    // Wireshark takes what a source says for a complaint.
    let quiet = args.format == LiveFormat::Pcapng && !io::stderr().is_terminal();
    let say = |sentence: &str| {
        if !quiet {
            say(sentence);
        }
    };
    say(&format!("{what}; {}", watch.limits.end()));
    watch.supervisor.ready();
    if let Some(address) = address {
        say(&format!("metrics: http://{address}/metrics"));
    }

    let told = |about: About| About {
        selection: Selection {
            filter: source::filter(args),
            ..about.selection
        },
        ..about
    };
    let mut seen = if let Some(length) = args.interval {
        let name = output.name().to_owned();
        let mut rows = Intervals::new(length.nanos, live.is_pipe(), output, &name);
        let seen = watch.plainly(live, saver, &mut rows, |_, _| Ok(()))?;
        output = rows.into_output();
        seen
    } else if args.format == LiveFormat::Ndjson {
        let mut rows = RowWriter::new(transactions::Format::Ndjson, Digits::All, output)?;
        // Each request was a line when it was over.
        let seen = watch.plainly(live, saver, &mut rows, |_, _| Ok(()))?;
        output = rows.into_output();
        seen
    } else if args.format == LiveFormat::Pcapng {
        let mut annotated = Annotated::begin(output, &live, &watch.thresholds)?;
        let seen = watch.plainly(live, saver, &mut annotated, |_, _| Ok(()))?;
        output = annotated.into_output()?;
        seen
    } else {
        let report = |about: &About, snapshot: &Snapshot| {
            let about = told(about.clone());
            if !Output::is_file(&args.output) {
                write(&mut output, args, explained, &about, snapshot)?;
                return output.flush();
            }
            // The file has the report as it stands now, and at the end the last one.
            let mut now = Output::open(&args.output, &[])?;
            write(&mut now, args, explained, &about, snapshot)?;
            now.finish()
        };
        watch.plainly(live, saver, &mut (), report)?
    };
    seen.about = told(seen.about);
    let (about, snapshot) = (&seen.about, &seen.snapshot);
    write(&mut output, args, explained, about, snapshot)?;
    output.finish()?;
    say(&seen.summary(&Own::now()));
    seen.saved.iter().for_each(|saved| say(&saved.said));
    if let Some(filter) = source::filter(args).filter(|_| seen.snapshot.capture.frames == 0) {
        source::nothing_matched(&filter);
    }
    let whole = about.damage.is_empty() && seen.saved.as_ref().is_none_or(|saved| saved.whole);
    let otherwise = match whole {
        false => Verdict::Damaged,
        true => Verdict::Whole,
    };
    Ok(judged::ended(&args.fail_if, about, snapshot, otherwise))
}

/// Whether it may run for months with nobody at a terminal: HUP makes it read its configuration
/// again then.
#[cfg(unix)]
fn is_service(args: &LiveArgs) -> bool {
    let serves = args.listen.is_some() || args.interval.is_some();
    serves && !crate::signals::has_terminal()
}

/// There is no HUP.
#[cfg(not(unix))]
fn is_service(_: &LiveArgs) -> bool {
    false
}

/// What it heeds, and the configuration that a service reads again.
fn signals(args: &LiveArgs, again: Again) -> Result<(Signals, Option<Reload>), Failure> {
    #[cfg(unix)]
    if is_service(args) {
        return Ok((Signals::catch_as_service()?, Some(Reload::new(again)?)));
    }
    let _ = (args, again);
    Ok((Signals::catch()?, None))
}

/// Writes the report in the shape that was asked for.
fn write(
    output: &mut Output,
    args: &LiveArgs,
    explained: Option<Option<&'static Rule>>,
    about: &About,
    snapshot: &Snapshot,
) -> Result<(), Failure> {
    let short = args.text.is_short(output.terminal);
    let look = output.look().with(args.text.precise.digits());
    output.write(|out| match (args.format, explained) {
        (LiveFormat::Text, Some(rule)) => text::explain(out, about, snapshot, rule, look),
        (LiveFormat::Text, None) if short => text::short(out, about, snapshot, look),
        (LiveFormat::Text, None) => text::report(out, about, snapshot, look),
        (LiveFormat::Json, _) => json::report(out, about, snapshot),
        (LiveFormat::Csv, _) => csv::report(out, about, snapshot),
        (LiveFormat::Ndjson | LiveFormat::Pcapng, _) => Ok(()),
    })
}
