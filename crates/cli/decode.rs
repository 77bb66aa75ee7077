//! `wirewait decode`: frames, layer by layer.

use crate::args::{DecodeArgs, DecodeFormat, FrameRange, TimeFormat};
#[cfg(feature = "columns")]
use crate::columns::ColumnFile;
use crate::failure::{Failure, Verdict};
use crate::input::{Input, is_stdin, nothing, warn};
use crate::last_profile;
use crate::output::Output;
use wirewait::{Analyzer, Choice, Frame, Layout, Registry, Settings};
use wirewait_report::Escaped;
#[cfg(feature = "columns")]
use wirewait_report::decode::FrameRows;
use wirewait_report::decode::{Cast, Decoder, Filter, FilterError, Shape, Time};
use wirewait_report::text::Look;

pub(crate) fn run(args: &DecodeArgs) -> Result<Verdict, Failure> {
    let last = last_profile::read(&args.profile)?;
    let registry = last_profile::protocols(last.as_ref());
    check(args, &registry)?;
    let filter = filter(args, &registry)?;
    let cast = args
        .transaction
        .map(|number| cast(args, last.as_ref(), number))
        .transpose()?;
    let input = Input::open(&args.input)?;
    let mut target = DecodeTarget::open(args)?;
    let detail = args.detail || !args.select.is_empty();
    let shape = match (args.format, detail) {
        (DecodeFormat::Json, _) => Shape::Json,
        (DecodeFormat::Text, true) => Shape::Detail,
        _ => Shape::Line,
    };
    let time = match args.time {
        TimeFormat::Relative => Time::Relative,
        TimeFormat::Absolute => Time::Absolute,
        TimeFormat::Delta => Time::Delta,
    };
    let analysed = last_profile::protocols(last.as_ref());
    let mut decoder = Decoder::new(&registry, shape, time, target.look()).following(analysed);
    decoder.select(args.select.clone());
    if let Some(filter) = filter {
        decoder.show(filter);
    }
    let wanted = WantedFrames {
        ranges: &args.frames,
        cast: cast.clone(),
    };
    if let Some(cast) = cast {
        decoder.mark(cast);
    }
    let mut number = 0;
    let verdict = input.each_frame(|selection, frame| {
        number += 1;
        let choice = selection.choose(frame);
        if choice == Choice::Take {
            decoder.pass(frame);
            if wanted.has(number) {
                target.write(&mut decoder, frame)?;
            }
        } else {
            decoder.skip(frame);
        }
        Ok(if number >= wanted.last() {
            Choice::Stop
        } else {
            choice
        })
    })?;
    target.finish()?;
    if number == 0 {
        warn(&nothing(0));
    }
    for selector in decoder.missing() {
        warn(&format!(
            "--select {selector}: no frame that was shown has it"
        ));
    }
    // A mistyped field is not to pass for a capture without such frames.
    if let Some(field) = decoder.filter().and_then(|filter| filter.missing().next()) {
        return Err(Failure::Usage(format!(
            "--show: no frame that was looked at has {field}; `decode -d` shows the fields that \
             frames have"
        )));
    }
    let fitted = decoder.filter().is_none_or(Filter::has_fitted);
    if !fitted && number > 0 {
        warn("--show: no frame that was looked at fits");
    }
    let first = args.frames.iter().map(|frames| *frames.0.start()).min();
    match first.filter(|first| *first > number) {
        Some(first) => Err(Failure::Cannot(format!(
            "there is no frame {first}: the capture has {number}"
        ))),
        None => Ok(verdict),
    }
}

/// Where frames go.
enum DecodeTarget {
    Text(Output),
    #[cfg(feature = "columns")]
    Columns(Box<ColumnFile<FrameRows>>),
}

impl DecodeTarget {
    fn open(args: &DecodeArgs) -> Result<Self, Failure> {
        #[cfg(feature = "columns")]
        if let Some(format) = args.format.columns() {
            let file = ColumnFile::frames(args, format)?;
            return Ok(Self::Columns(Box::new(file)));
        }
        let growing = args.input.files.iter().any(|file| is_stdin(file));
        match growing {
            true => Output::open_growing(&args.output, &args.input.files),
            false => Output::open(&args.output, &args.input.files),
        }
        .map(Self::Text)
    }

    fn look(&self) -> Look {
        match self {
            Self::Text(output) => output.look(),
            #[cfg(feature = "columns")]
            Self::Columns(_) => Look::FILE,
        }
    }

    fn write(&mut self, decoder: &mut Decoder<'_>, frame: &Frame<'_>) -> Result<(), Failure> {
        match self {
            Self::Text(output) => output.write(|out| decoder.write(out, frame)),
            #[cfg(feature = "columns")]
            Self::Columns(file) => file.frame(decoder.row(frame)),
        }
    }

    fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Text(output) => output.finish(),
            #[cfg(feature = "columns")]
            Self::Columns(file) => file.finish(&[]),
        }
    }
}

fn check(args: &DecodeArgs, registry: &Registry) -> Result<(), Failure> {
    let known = |selector: &&_| {
        let selector: &wirewait_report::decode::Selector = selector;
        registry.dissectors().iter().any(|d| selector.is_of(d.name))
    };
    match args.select.iter().find(|selector| !known(selector)) {
        Some(selector) => Err(Failure::Usage(format!(
            "--select {}: there is no such protocol; `wirewait protocols` lists them",
            Escaped(&selector.to_string())
        ))),
        None => Ok(()),
    }
}

fn filter(args: &DecodeArgs, registry: &Registry) -> Result<Option<Filter>, Failure> {
    let Some(text) = &args.show else {
        return Ok(None);
    };
    let wrong = |error: FilterError| {
        // The place is pointed at where the expression is printed as it was typed.
        let shown = Escaped(text).to_string();
        let pointer = match shown == *text {
            true => format!("\n  {shown}\n  {:>1$}", '^', error.column + 1),
            false => String::new(),
        };
        Failure::Usage(format!("--show: {}{pointer}", Escaped(&error.to_string())))
    };
    Filter::parse(text, registry).map(Some).map_err(wrong)
}

/// Which frames a transaction has: known only when it is over, so the input is read for it
/// before anything is shown.
fn cast(args: &DecodeArgs, last: Option<&Layout>, number: u64) -> Result<Cast, Failure> {
    let mut cast = Cast::of(number);
    let mut analyzer = Analyzer::new(last_profile::protocols(last), Settings::default()).observed();
    Input::open_first(&args.input)?.each_frame(|selection, frame| {
        let choice = selection.choose(frame);
        match choice {
            Choice::Take => analyzer.frame(frame, &mut cast),
            _ => analyzer.skip(),
        }
        Ok(if cast.is_closed() {
            Choice::Stop
        } else {
            choice
        })
    })?;
    analyzer.finish(&mut cast);
    if cast.frames().is_empty() {
        return Err(Failure::Cannot(format!(
            "there is no transaction {number}: the capture has {}",
            cast.transactions()
        )));
    }
    Ok(cast)
}

/// The frames that are to be shown.
struct WantedFrames<'a> {
    ranges: &'a [FrameRange],
    cast: Option<Cast>,
}

impl WantedFrames<'_> {
    fn has(&self, number: u64) -> bool {
        let mut ranges = self.ranges.iter();
        let in_range = self.ranges.is_empty() || ranges.any(|range| range.0.contains(&number));
        let mut cast = self.cast.iter();
        in_range && cast.all(|cast| cast.frames().contains_key(&number))
    }

    /// Nothing behind this frame is.
    fn last(&self) -> u64 {
        let ranges = self.ranges.iter().map(|range| *range.0.end()).max();
        let cast = self.cast.iter();
        let cast = cast.filter_map(|cast| cast.frames().keys().last().copied());
        cast.chain(ranges).min().unwrap_or(u64::MAX)
    }
}
