//! `--format parquet` and `arrow`: rows as files of columns.

use crate::args::{CountersArgs, DecodeArgs, InputArgs, OutputArgs, TransactionsArgs};
use crate::failure::{Failure, Verdict};
use crate::input::{Input, about, origin};
use crate::output::Output;
use std::io::{self, Write};
use wirewait::{Layout, Sink, Transaction};
use wirewait_capture::Origins;
use wirewait_report::counters::{Counters, Samples, each};
use wirewait_report::decode::{FrameRow, FrameRows};
use wirewait_report::transactions::{ColumnEntry, FrameOrigin, Transactions};
use wirewait_rows::{Format, RowTable, RowsError, RowsFile};

/// Writes the transactions of a capture. The file takes its name when it is complete.
pub(crate) fn transactions(
    args: &TransactionsArgs,
    last: Option<Layout>,
    format: Format,
) -> Result<Verdict, Failure> {
    let mut input = Input::open(&args.input)?;
    input.last = last;
    input.threads = args.threads.count();
    input.heed_signals(&args.input)?;
    let origins = input.track();
    let mut sink = Columns {
        file: ColumnFile::open(&args.output, &args.input, format)?,
        origins,
        failure: None,
    };
    let settings = args.analysis.settings();
    let analysis = input.analyse(settings, &mut sink, false, Columns::check)?;
    sink.check()?;
    let about = analysis.about(&args.input);
    let capture = &analysis.snapshot.capture;
    let metadata = [
        ("wirewait.frames", capture.frames.to_string()),
        ("wirewait.damage", about.damage.join("\n")),
    ];
    sink.file.finish(&metadata)?;
    Ok(analysis.verdict())
}

/// Writes the values of counters over time.
pub(crate) fn counters(
    args: &CountersArgs,
    samples: &Samples,
    format: Format,
) -> Result<(), Failure> {
    let mut file = ColumnFile::<Counters>::open(&args.output, &args.input, format)?;
    each(samples, |sample| file.add(sample).map_err(Stopped::Writing)).map_err(
        |why| match why {
            Stopped::Writing(failure) => failure,
            Stopped::Reading(error) => Failure::writing("a temporary file", &error),
        },
    )?;
    file.finish(&[])
}

/// Why not all samples were written.
enum Stopped {
    Writing(Failure),
    Reading(io::Error),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Reading(error)
    }
}

/// A file of columns and where it is written.
pub(crate) struct ColumnFile<T> {
    rows: RowsFile<T>,
    output: Output,
}

impl ColumnFile<FrameRows> {
    /// A file of decoded frames.
    pub(crate) fn frames(args: &DecodeArgs, format: Format) -> Result<Self, Failure> {
        Self::open(&args.output, &args.input, format)
    }

    /// Adds a frame, if it is shown.
    pub(crate) fn frame(&mut self, row: Option<FrameRow>) -> Result<(), Failure> {
        row.map_or(Ok(()), |row| self.add(&row))
    }
}

impl<T: RowTable> ColumnFile<T> {
    fn open(output: &OutputArgs, input: &InputArgs, format: Format) -> Result<Self, Failure> {
        if Output::is_to_terminal(output) {
            return Err(Failure::Usage(
                "this format is binary and the standard output is a terminal; name a file with \
                 --output"
                    .to_owned(),
            ));
        }
        let output = Output::open(output, &input.files)?;
        let rows = RowsFile::new(format, &metadata(input)).map_err(|error| cannot(&error))?;
        Ok(Self { rows, output })
    }

    /// Adds a row, and writes what is ready.
    fn add(&mut self, row: &T::Row<'_>) -> Result<(), Failure> {
        self.rows.add(row).map_err(|error| cannot(&error))?;
        let ready = self.rows.take();
        if ready.is_empty() {
            return Ok(());
        }
        self.output.write(|out| out.write_all(&ready))
    }

    /// Writes the rest, and puts the file in its place.
    pub(crate) fn finish(mut self, metadata: &[(&str, String)]) -> Result<(), Failure> {
        let rest = self.rows.finish(metadata);
        let rest = rest.map_err(|error| cannot(&error))?;
        self.output.write(|out| out.write_all(&rest))?;
        self.output.finish()
    }
}

fn cannot(error: &RowsError) -> Failure {
    Failure::Cannot(format!("the rows cannot be written: {error}"))
}

/// What the file says of itself: the capture that its rows are of.
fn metadata(input: &InputArgs) -> Vec<(&'static str, String)> {
    let about = about(input, Vec::new(), Vec::new());
    let selection = about.selection;
    let chosen = [
        ("wirewait.since", selection.since),
        ("wirewait.until", selection.until),
        ("wirewait.filter", selection.filter),
    ];
    let chosen = chosen.into_iter();
    let chosen = chosen.filter_map(|(name, value)| value.map(|value| (name, value)));
    let mut metadata = vec![
        ("wirewait.version", env!("CARGO_PKG_VERSION").to_owned()),
        ("wirewait.files", about.files.join("\n")),
    ];
    metadata.extend(chosen);
    metadata
}

/// Writes rows until that fails, and remembers how it did.
struct Columns {
    file: ColumnFile<Transactions>,
    origins: Origins,
    failure: Option<Failure>,
}

impl Columns {
    fn check(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

impl Sink for Columns {
    fn transaction(&mut self, transaction: &Transaction) {
        if self.failure.is_none() {
            let found = origin(&self.origins, transaction);
            let origin = found.as_ref().map(|(file, frame)| FrameOrigin {
                file,
                frame: *frame,
            });
            let entry = ColumnEntry {
                transaction,
                origin,
            };
            self.failure = self.file.add(&entry).err();
        }
    }
}
