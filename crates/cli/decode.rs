//! `wirewait decode`: frames, layer by layer.

use crate::args::{DecodeArgs, DecodeFormat, TimeFormat};
use crate::failure::{Failure, Verdict};
use crate::input::{Input, warn};
use crate::output::Output;
use wirewait_engine::{Choice, registry};
use wirewait_report::Escaped;
use wirewait_report::decode::{Decoder, Shape, Time};

pub(crate) fn run(args: &DecodeArgs) -> Result<Verdict, Failure> {
    let input = Input::open(&args.input)?;
    let mut output = Output::open(&args.output, &args.input.files)?;
    let registry = registry();
    for selector in &args.select {
        if !registry.dissectors().iter().any(|d| selector.is_of(d.name)) {
            return Err(Failure::Usage(format!(
                "--select {}: there is no such protocol; `wirewait protocols` lists them",
                Escaped(&selector.to_string())
            )));
        }
    }
    let detail = args.detail || !args.select.is_empty();
    let shape = match (args.format, detail) {
        (DecodeFormat::Json, _) => Shape::Json,
        (DecodeFormat::Text, true) => Shape::Detail,
        (DecodeFormat::Text, false) => Shape::Line,
    };
    let time = match args.time {
        TimeFormat::Relative => Time::Relative,
        TimeFormat::Absolute => Time::Absolute,
        TimeFormat::Delta => Time::Delta,
    };
    let mut decoder = Decoder::new(&registry, shape, time, output.look());
    decoder.select(args.select.clone());
    let wanted = args
        .frames
        .as_ref()
        .map_or(1..=u64::MAX, |frames| frames.0.clone());
    let mut number = 0;
    let verdict = input.each_frame(|selection, frame| {
        number += 1;
        decoder.pass(frame);
        let choice = selection.choose(frame);
        if choice == Choice::Take && wanted.contains(&number) {
            output.write(|out| decoder.write(out, number, frame))?;
        }
        Ok(if number >= *wanted.end() {
            Choice::Stop
        } else {
            choice
        })
    })?;
    output.flush()?;
    for selector in decoder.missing() {
        warn(&format!(
            "--select {selector}: no frame that was shown has it"
        ));
    }
    if let Some(frames) = args
        .frames
        .as_ref()
        .filter(|frames| *frames.0.start() > number)
    {
        return Err(Failure::Cannot(format!(
            "there is no frame {}: the capture has {number}",
            frames.0.start()
        )));
    }
    Ok(verdict)
}
