//! `wirewait transactions`: one row per transaction, as it closes.

use crate::args::{RowFormat, TransactionsArgs};
use crate::failure::{Failure, Verdict};
use crate::input::{Input, is_stdin};
use crate::last_profile;
use crate::output::Output;
use std::io::Write;
use wirewait_engine::{Sink, Transaction};
use wirewait_report::transactions::{Format, Writer};

pub(crate) fn run(args: &TransactionsArgs) -> Result<Verdict, Failure> {
    // No figure depends on it; a table that is named has to be one all the same.
    last_profile::read(&args.profile)?;
    let input = Input::open(&args.input)?;
    let mut output = Output::open(&args.output, &args.input.files)?;
    let writer = Writer::new(match args.format {
        RowFormat::Text => Format::Text,
        RowFormat::Ndjson => Format::Ndjson,
        RowFormat::Csv => Format::Csv,
    });
    output.write(|out| writer.begin(out))?;
    // A bar in between the rows would only disturb.
    let quiet = output.terminal;
    // Frames from a pipe may come in slowly; rows are not to wait for them in a buffer.
    let at_once = output.terminal || args.input.files.iter().any(|file| is_stdin(file));
    let mut rows = Rows {
        writer,
        output,
        at_once,
        failure: None,
    };
    let settings = args.analysis.settings();
    let analysis = input.analyse(settings, &mut rows, quiet, Rows::check)?;
    rows.output.flush()?;
    Ok(analysis.verdict())
}

/// Writes rows until that fails, and remembers how it did.
struct Rows {
    writer: Writer,
    output: Output,
    /// Each row is handed on when it is written.
    at_once: bool,
    failure: Option<Failure>,
}

impl Rows {
    fn check(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

impl Sink for Rows {
    fn transaction(&mut self, transaction: &Transaction) {
        if self.failure.is_none() {
            let Self {
                writer,
                output,
                at_once,
                ..
            } = self;
            let written = output.write(|out| {
                writer.row(out, transaction)?;
                if *at_once { out.flush() } else { Ok(()) }
            });
            self.failure = written.err();
        }
    }
}
