//! `wirewait merge`: sums of several analyses.

use crate::args::{ListFormat, MergeArgs, OutputArgs};
use crate::failure::{Failure, Verdict, shown};
use crate::input::{is_stdin, warn};
use crate::output::Output;
use crate::summaries;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use wirewait::Summary;
use wirewait_capture::{Options, cannot_open, held};
use wirewait_report::summary::Buckets;
use wirewait_report::{Digits, Escaped, summary};

pub(crate) fn run(args: &MergeArgs) -> Result<Verdict, Failure> {
    if let Some(length) = args.by {
        return by_time(args, length.nanos);
    }
    let mut sum = Summary::default();
    for path in &args.files {
        sum.merge(&read(path)?);
    }
    print(
        &args.output,
        args.precise.digits(),
        &args.files,
        args.format,
        &sum,
    )?;
    Ok(Verdict::Whole)
}

fn by_time(args: &MergeArgs, length_ns: i64) -> Result<Verdict, Failure> {
    let mut buckets = Buckets::new(length_ns);
    for path in &args.files {
        buckets.add(&read(path)?);
    }
    if buckets.longer() > 0 {
        warn(&format!(
            "{} of {} summaries end in a later interval than they begin, and count where they \
             begin; summaries of parts (report --since and --until, or files of a ring) are exact",
            buckets.longer(),
            args.files.len()
        ));
    }
    let mut output = Output::open(&args.output, &args.files)?;
    let look = output.look().with(args.precise.digits());
    output.write(|out| match args.format {
        ListFormat::Text => buckets.text(out, look),
        ListFormat::Json => buckets.json(out),
    })?;
    output.finish()?;
    Ok(Verdict::Whole)
}

/// Prints sums.
pub(crate) fn print(
    output: &OutputArgs,
    digits: Digits,
    inputs: &[PathBuf],
    format: ListFormat,
    sum: &Summary,
) -> Result<(), Failure> {
    let mut output = Output::open(output, inputs)?;
    let look = output.look().with(digits);
    output.write(|out| match format {
        ListFormat::Text => summary::text(out, sum, look),
        ListFormat::Json => summary::json(out, sum),
    })?;
    output.finish()
}

/// Writes sums into a file, to be read again.
pub(crate) fn write(path: &Path, inputs: &[PathBuf], sum: &Summary) -> Result<(), Failure> {
    let mut output = Output::file(path, inputs)?;
    output.write(|out| summary::json(out, sum))?;
    output.finish()
}

fn read(path: &Path) -> Result<Summary, Failure> {
    let name = shown(path);
    let cannot = |why: &dyn std::fmt::Display| {
        Failure::Cannot(format!("{name}: {}", Escaped(&why.to_string())))
    };
    let source: Box<dyn Read> = if is_stdin(path) {
        Box::new(io::stdin())
    } else {
        Box::new(held::open(path).map_err(|error| cannot(&cannot_open(&error)))?)
    };
    let bytes = summaries::whole(source).map_err(|error| cannot(&error))?;
    let document = summaries::document(&bytes).map_err(|why| cannot(&why))?;
    summary::read(document).map_err(|error| {
        let capture = !is_stdin(path)
            && !bytes.trim_ascii_start().starts_with(b"{")
            && wirewait_capture::open(&[path.to_owned()], &Options::default()).is_ok();
        match capture {
            true => Failure::Cannot(format!(
                "{name}: a capture, not a summary; first: wirewait report --summary sums.json {name}"
            )),
            false => cannot(&error),
        }
    })
}
