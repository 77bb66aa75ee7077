//! `wirewait live`: the wire as it is now.

pub(crate) mod args;
mod judge;
#[cfg(feature = "libpcap")]
mod list;
mod plain;
mod screen;
mod source;

use crate::failure::{Failure, Verdict, say};
use crate::output::Output;
use crate::own::Own;
use crate::saver::Saver;
use crate::signals::Signals;
use crate::symptoms;
use crate::transactions::Rows;
use args::{LiveArgs, LiveFormat};
use plain::{Limits, Watch};
use wirewait_report::{csv, json, text, transactions};

pub(crate) fn run(args: &LiveArgs) -> Result<Verdict, Failure> {
    #[cfg(feature = "libpcap")]
    if args.list_interfaces {
        return list::run(args);
    }
    let explained = symptoms::explained(&args.symptoms)?;
    let texts = symptoms::texts(&args.symptoms)?;
    let watch = Watch {
        settings: args.analysis.settings(),
        thresholds: symptoms::thresholds(&args.symptoms),
        limits: Limits::of(args),
        signals: Signals::catch()?,
    };
    let ready = source::open(args)?;
    if screen::is_wanted(args) {
        return screen::run(args, ready, watch, texts);
    }
    // Before anything is captured: an hour is not to be lost for want of a place.
    let mut output = Output::open(&args.output, &[])?;
    let what = ready.what();
    let live = ready.start()?;
    let saver = Saver::of(args, &live)?;
    say(&format!("{what}; {}", watch.limits.end()));

    let mut seen = if args.format == LiveFormat::Ndjson {
        let mut rows = Rows::new(transactions::Format::Ndjson, output)?;
        let seen = watch.plainly(live, saver, &mut rows, Rows::hand_on)?;
        output = rows.into_output();
        seen
    } else {
        watch.plainly(live, saver, &mut (), |()| Ok(()))?
    };
    seen.about.texts = texts;
    seen.about.selection.filter = source::filter(args);
    let (about, snapshot, look) = (&seen.about, &seen.snapshot, output.look());
    output.write(|out| match (args.format, explained) {
        (LiveFormat::Text, Some(rule)) => text::explain(out, about, snapshot, rule, look),
        (LiveFormat::Text, None) => text::report(out, about, snapshot, look),
        (LiveFormat::Json, _) => json::report(out, about, snapshot),
        (LiveFormat::Csv, _) => csv::report(out, about, snapshot),
        (LiveFormat::Ndjson, _) => Ok(()),
    })?;
    output.flush()?;
    say(&seen.summary(&Own::now()));
    seen.saved.iter().for_each(|saved| say(&saved.said));
    if let Some(filter) = source::filter(args).filter(|_| seen.snapshot.capture.frames == 0) {
        source::nothing_matched(&filter);
    }
    let whole = about.damage.is_empty() && seen.saved.as_ref().is_none_or(|saved| saved.whole);
    let held = judge::held(&args.fail_if, about, snapshot);
    for sentence in &held {
        say(sentence);
    }
    Ok(match (held.is_empty(), whole) {
        (false, _) => Verdict::Held,
        (true, false) => Verdict::Damaged,
        (true, true) => Verdict::Whole,
    })
}
