//! `wirewait transactions`: one row per transaction, as it closes.

use crate::args::{RowFormat, TransactionsArgs};
#[cfg(feature = "columns")]
use crate::columns;
use crate::failure::{Failure, Verdict};
use crate::input::{Input, is_stdin, origin};
use crate::last_profile;
use crate::output::Output;
use std::io::Write;
use wirewait::{Sink, Transaction};
use wirewait_capture::Origins;
use wirewait_report::Digits;
use wirewait_report::transactions::{Format, FrameOrigin, Writer};

pub(crate) fn run(args: &TransactionsArgs) -> Result<Verdict, Failure> {
    let last = last_profile::read(&args.profile)?;
    #[cfg(feature = "columns")]
    if let Some(format) = args.format.columns() {
        return columns::transactions(args, last, format);
    }
    let mut input = Input::open(&args.input)?;
    input.last = last;
    input.threads = args.threads.count();
    input.heed_signals(&args.input)?;
    let origins = input.track();
    // Rows of what is captured now are read while they come.
    let growing = args.input.files.iter().any(|file| is_stdin(file));
    let output = match growing {
        true => Output::open_growing(&args.output, &args.input.files)?,
        false => Output::open(&args.output, &args.input.files)?,
    };
    let format = match args.format {
        RowFormat::Ndjson => Format::Ndjson,
        RowFormat::Csv => Format::Csv,
        _ => Format::Text,
    };
    // A bar in between the rows would only disturb.
    let quiet = output.terminal;
    // Frames from a pipe may come in slowly; rows are not to wait for them in a buffer.
    let at_once = output.terminal || growing;
    let mut rows = RowWriter::new(format, args.precise.digits(), output)?;
    rows.at_once = at_once;
    rows.origins = Some(origins);
    let settings = args.analysis.settings();
    let analysis = input.analyse(settings, &mut rows, quiet, RowWriter::check)?;
    rows.output.finish()?;
    Ok(analysis.verdict())
}

/// Writes rows until that fails, and remembers how it did.
pub(crate) struct RowWriter {
    writer: Writer,
    output: Output,
    /// Each row is handed on when it is written.
    at_once: bool,
    /// Which file each frame came from, where files are read.
    origins: Option<Origins>,
    failure: Option<Failure>,
}

impl RowWriter {
    /// Writes what stands above the rows.
    pub(crate) fn new(format: Format, digits: Digits, mut output: Output) -> Result<Self, Failure> {
        let mut writer = Writer::new(format).with(digits);
        output.write(|out| writer.begin(out))?;
        Ok(Self {
            writer,
            output,
            at_once: false,
            origins: None,
            failure: None,
        })
    }

    /// Hands on the rows that were written so far.
    pub(crate) fn hand_on_rows(&mut self) -> Result<(), Failure> {
        self.check()?;
        self.output.flush()
    }

    /// Opens the file of the rows again.
    pub(crate) fn reopen_rows(&mut self) -> Result<bool, Failure> {
        self.output.reopen()
    }

    /// Where they were written to.
    pub(crate) fn into_output(self) -> Output {
        self.output
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

impl Sink for RowWriter {
    fn transaction(&mut self, transaction: &Transaction) {
        if self.failure.is_none() {
            let Self {
                writer,
                output,
                at_once,
                origins,
                ..
            } = self;
            let found = origins.as_ref().and_then(|o| origin(o, transaction));
            let found = found.as_ref().map(|(file, frame)| FrameOrigin {
                file,
                frame: *frame,
            });
            let written = output.write(|out| {
                writer.row(out, transaction, found)?;
                if *at_once { out.flush() } else { Ok(()) }
            });
            self.failure = written.err();
        }
    }
}
