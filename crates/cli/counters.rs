//! `wirewait counters`: Performance Monitor's objects and counters, over time.

use crate::args::{CounterFormat, CountersArgs};
#[cfg(feature = "columns")]
use crate::columns;
use crate::failure::{Failure, Verdict, shown};
use crate::input::{Input, warn};
use crate::last_profile;
use crate::output::Output;
use crate::rights;
use wirewait::{Analyzer, Frame, Readings};
use wirewait_report::Rfc3339;
use wirewait_report::counters::{Refusal, Sampler, Samples, Scratch, csv, json, pdh_csv, text};

/// Samples counters during an analysis, until there are too many.
pub(crate) struct Sampling {
    sampler: Sampler,
    refused: Option<Refusal>,
}

impl Sampling {
    pub(crate) fn new(sampler: Sampler) -> Self {
        Self {
            sampler,
            refused: None,
        }
    }

    /// Before each frame.
    pub(crate) fn frame(&mut self, frame: &Frame<'_>, analyzer: &Analyzer) {
        if self.refused.is_none() {
            let (at, number) = (frame.at, analyzer.number() + 1);
            let taken = self.sampler.frame(at, number, || analyzer.readings());
            self.refused = taken.err();
        }
    }

    /// With the readings at the end.
    pub(crate) fn finish(self, readings: &Readings) -> Result<Samples, Refusal> {
        match self.refused {
            Some(refused) => Err(refused),
            None => self.sampler.finish(readings),
        }
    }
}

pub(crate) fn run(args: &CountersArgs) -> Result<Verdict, Failure> {
    let last = last_profile::read(&args.profile)?;
    let mut input = Input::open(&args.input)?;
    input.last = last;
    input.threads = args.threads.count();
    input.heed_signals(&args.input)?;
    let settings = args.analysis.settings();
    let mut sampler = Sampler::new(args.interval.nanos, settings.link_speed);
    // What is printed as text is as long for a year as for a minute.
    if args.format != CounterFormat::Text {
        let scratch = rights::scratch().map(|file| Box::new(file) as Box<dyn Scratch>);
        sampler = sampler.over_time(args.max_values, scratch);
    }
    let mut sampling = Sampling::new(sampler);
    let (analysis, readings) = input.analyse_watching(
        settings,
        &mut (),
        false,
        |_| Ok(()),
        |frame, analyzer| sampling.frame(frame, analyzer),
    )?;
    let samples = sampling.finish(&readings).map_err(|full| match full {
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
