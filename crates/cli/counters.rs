//! `wirewait counters`: Performance Monitor's objects and counters, over time.

use crate::args::{CounterFormat, CountersArgs};
#[cfg(feature = "columns")]
use crate::columns;
use crate::failure::{Failure, Verdict, shown};
use crate::input::{Input, warn};
use crate::output::Output;
use crate::rights;
use wirewait_report::Rfc3339;
use wirewait_report::counters::{Refusal, Sampler, Samples, Scratch, csv, json, pdh_csv, text};

pub(crate) fn run(args: &CountersArgs) -> Result<Verdict, Failure> {
    let mut input = Input::open(&args.input)?;
    input.threads = args.threads.count();
    input.heed_signals(&args.input)?;
    let settings = args.analysis.settings();
    let mut sampler = Sampler::new(args.interval.nanos, settings.link_speed);
    // What is printed as text is as long for a year as for a minute.
    if args.format != CounterFormat::Text {
        let scratch = rights::scratch().map(|file| Box::new(file) as Box<dyn Scratch>);
        sampler = sampler.over_time(args.max_values, scratch);
    }
    let mut full: Option<Refusal> = None;
    let (analysis, readings) = input.analyse_watching(
        settings,
        &mut (),
        false,
        |_| Ok(()),
        |frame, analyzer| {
            if full.is_none() {
                let number = analyzer.number() + 1;
                full = sampler
                    .frame(frame.at, number, || analyzer.readings())
                    .err();
            }
        },
    )?;
    let samples = match full {
        Some(full) => Err(full),
        None => sampler.finish(&readings),
    }
    .map_err(|full| match full {
        Refusal::Scratch(error) => Failure::Cannot(format!(
            "cannot write to a temporary file in {}: {error}; name another folder in {}, or \
             choose a longer --interval",
            shown(&std::env::temp_dir()),
            if cfg!(windows) { "TMP" } else { "TMPDIR" },
        )),
        full => Failure::Cannot(full.to_string()),
    })?;
    if let Some(leap) = samples.stray() {
        warn(&format!(
            "{leap}, and later ones before it: all of them count in its interval; --until {} \
             leaves it out",
            Rfc3339(leap.usual.plus(1))
        ));
    }
    write(args, &samples)?;
    Ok(analysis.verdict())
}

fn write(args: &CountersArgs, samples: &Samples) -> Result<(), Failure> {
    #[cfg(feature = "columns")]
    if let Some(format) = args.format.columns() {
        return columns::counters(args, samples, format);
    }
    let mut output = Output::open(&args.output, &args.input.files)?;
    let look = output.look().with(args.precise.digits());
    output.write(|out| match args.format {
        CounterFormat::Csv => csv(out, samples),
        CounterFormat::PdhCsv => pdh_csv(out, samples),
        CounterFormat::Json => json(out, samples),
        _ => text(out, samples, look),
    })?;
    output.finish()
}
