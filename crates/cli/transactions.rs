//! `wirewait transactions`: one row per transaction, as it closes.

use crate::args::{RowFormat, TransactionsArgs};
use crate::failure::{Failure, Verdict};
use crate::input::Input;
use crate::output::Output;
use wirewait_engine::{Sink, Transaction};
use wirewait_report::transactions::{Format, Writer};

pub(crate) fn run(args: &TransactionsArgs) -> Result<Verdict, Failure> {
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
    let mut rows = Rows {
        writer,
        output,
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
    failure: Option<Failure>,
}

impl Rows {
    fn check(&mut self) -> Result<(), Failure> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            // Whoever looks on does not want to wait until a buffer is full.
            None if self.output.terminal => self.output.flush(),
            None => Ok(()),
        }
    }
}

impl Sink for Rows {
    fn transaction(&mut self, transaction: &Transaction) {
        if self.failure.is_none() {
            let Self { writer, output, .. } = self;
            self.failure = output.write(|out| writer.row(out, transaction)).err();
        }
    }
}
