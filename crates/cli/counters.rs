//! `wirewait counters`: Performance Monitor's objects and counters, over time.

use crate::args::{CounterFormat, CountersArgs};
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::output::Output;
use wirewait_report::counters::{Sampler, TooMany, csv, json, pdh_csv, text};

pub(crate) fn run(args: &CountersArgs) -> Result<Verdict, Failure> {
    let mut input = Input::open(&args.input)?;
    input.ahead = args.threads.ahead();
    let settings = args.analysis.settings();
    let mut sampler = Sampler::new(args.interval.nanos, settings.link_speed);
    let mut full: Option<TooMany> = None;
    let (analysis, readings) = input.analyse_watching(
        settings,
        &mut (),
        false,
        |_| Ok(()),
        |frame, analyzer| {
            if full.is_none() {
                full = sampler.frame(frame.at, || analyzer.readings()).err();
            }
        },
    )?;
    let samples = match full {
        Some(full) => Err(full),
        None => sampler.finish(&readings),
    }
    .map_err(|full| Failure::Cannot(full.to_string()))?;
    let mut output = Output::open(&args.output, &args.input.files)?;
    let look = output.look();
    output.write(|out| match args.format {
        CounterFormat::Text => text(out, &samples, look),
        CounterFormat::Csv => csv(out, &samples),
        CounterFormat::PdhCsv => pdh_csv(out, &samples),
        CounterFormat::Json => json(out, &samples),
    })?;
    output.finish()?;
    Ok(analysis.verdict())
}
