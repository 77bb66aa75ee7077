//! Rows of a capture as Arrow.

use crate::capture::Reading;
use crate::failure::Failure;
use crate::stream::{Outbox, Stream};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_schema::{ArrowError, Schema};
use engine::{Choice, Frame, Sink, Source, Transaction, registry};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use wirewait_capture::Origins;
use wirewait_report::counters::{Counters, Sampler, Scratch, each};
use wirewait_report::decode::{Decoder, Filter, FrameRows, Shape, Time};
use wirewait_report::text::Look;
use wirewait_report::transactions::{ColumnEntry, FrameOrigin, Transactions};
use wirewait_rows::Batches;

/// Rows of a capture, read anew for each stream: memory does not depend on their number.
#[pyclass(frozen, module = "wirewait")]
pub(crate) struct Rows {
    reading: Reading,
    kind: Kind,
}

/// What the rows are of.
#[derive(Clone)]
enum Kind {
    Transactions,
    Frames(Option<String>),
    Counters { interval_ns: i64, max_values: u64 },
}

#[pymethods]
impl Rows {
    /// The rows as an Arrow stream (PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A request that need not be met.
        drop(requested_schema);
        let stream = py.detach(|| self.stream())?;
        let stream = FFI_ArrowArrayStream::new(Box::new(stream));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The columns as an Arrow schema (PyCapsule interface).
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let metadata = self.reading.input.metadata();
        let schema = match self.kind {
            Kind::Transactions => Batches::<Transactions>::new(&metadata).schema(),
            Kind::Frames(_) => Batches::<FrameRows>::new(&metadata).schema(),
            Kind::Counters { .. } => Batches::<Counters>::new(&metadata).schema(),
        };
        let schema = exported(&schema).map_err(|error| Failure::Internal(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __repr__(&self) -> String {
        let what = match self.kind {
            Kind::Transactions => "transactions",
            Kind::Frames(_) => "frames",
            Kind::Counters { .. } => "counters",
        };
        format!("<wirewait.Rows of {what}>")
    }
}

fn exported(schema: &Schema) -> Result<FFI_ArrowSchema, ArrowError> {
    FFI_ArrowSchema::try_from(schema)
}

impl Rows {
    pub(crate) fn of_transactions(reading: Reading) -> Self {
        Self {
            reading,
            kind: Kind::Transactions,
        }
    }

    /// Rows of the frames that this expression fits.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn of_frames(reading: Reading, show: Option<String>) -> Result<Self, Failure> {
        show.as_deref().map(filter).transpose()?;
        Ok(Self {
            reading,
            kind: Kind::Frames(show),
        })
    }

    pub(crate) fn of_counters(reading: Reading, interval_ns: i64, max_values: u64) -> Self {
        Self {
            reading,
            kind: Kind::Counters {
                interval_ns,
                max_values,
            },
        }
    }

    fn stream(&self) -> Result<Stream, Failure> {
        let reading = self.reading.clone();
        let metadata = reading.input.metadata();
        match self.kind.clone() {
            Kind::Transactions => Stream::of(Batches::new(&metadata), move |outbox| {
                transactions(&reading, outbox)
            }),
            Kind::Frames(show) => Stream::of(Batches::new(&metadata), move |outbox| {
                frames(&reading, show.as_deref(), outbox)
            }),
            Kind::Counters {
                interval_ns,
                max_values,
            } => Stream::of(Batches::new(&metadata), move |outbox| {
                counters(&reading, interval_ns, max_values, outbox)
            }),
        }
    }
}

/// Puts transactions into columns until that fails, and remembers how it did.
struct Columns<'a> {
    outbox: &'a mut Outbox<Transactions>,
    origins: Origins,
    failure: Option<Failure>,
}

impl Sink for Columns<'_> {
    fn transaction(&mut self, transaction: &Transaction) {
        if self.failure.is_some() {
            return;
        }
        let first = transaction.request.or(transaction.response);
        let found = first.and_then(|message| self.origins.of(message.first.frame));
        let origin = found.as_ref().map(|(file, frame)| FrameOrigin {
            file,
            frame: *frame,
        });
        let entry = ColumnEntry {
            transaction,
            origin,
        };
        self.failure = self.outbox.add(&entry).err();
    }
}

fn transactions(reading: &Reading, outbox: &mut Outbox<Transactions>) -> Result<(), Failure> {
    let mut files = reading.input.read()?;
    let mut sink = Columns {
        outbox,
        origins: files.track(),
        failure: None,
    };
    reading.analyse(files, &mut sink, |sink| {
        sink.failure.take().map_or(Ok(()), Err)
    })
}

fn filter(show: &str) -> Result<Filter, Failure> {
    Filter::parse(show, &registry()).map_err(|error| Failure::Filter(format!("show: {error}")))
}

fn frames(
    reading: &Reading,
    show: Option<&str>,
    outbox: &mut Outbox<FrameRows>,
) -> Result<(), Failure> {
    let mut files = reading.input.read()?;
    let mut wanted = reading.input.selection()?;
    let known = registry();
    let mut decoder =
        Decoder::new(&known, Shape::Line, Time::Absolute, Look::FILE).following(registry());
    if let Some(show) = show {
        decoder.show(filter(show)?);
    }
    let mut damage = crate::input::Damage::default();
    loop {
        match files.next_frame() {
            Ok(None) => break,
            Ok(Some(frame)) => match wanted.choose(&frame) {
                Choice::Take => {
                    decoder.pass(&frame);
                    if let Some(row) = decoder.row(&frame) {
                        outbox.add(&row)?;
                    }
                }
                _ => decoder.skip(&frame),
            },
            Err(error) => damage.take(error)?,
        }
    }
    // A mistyped field is not to pass for a capture without such frames.
    match decoder.filter().and_then(|filter| filter.missing().next()) {
        Some(field) => Err(Failure::Filter(format!(
            "show: no frame that was looked at has {field}"
        ))),
        None => Ok(()),
    }
}

fn counters(
    reading: &Reading,
    interval_ns: i64,
    max_values: u64,
    outbox: &mut Outbox<Counters>,
) -> Result<(), Failure> {
    let scratch = tempfile::tempfile().map(|file| Box::new(file) as Box<dyn Scratch>);
    let speed = reading.input.settings.link_speed;
    let mut sampler = Sampler::new(interval_ns, speed).over_time(max_values, scratch);
    let mut full = None;
    let readings = reading.meter(|frame: &Frame<'_>, analyzer| {
        if full.is_none() {
            let number = analyzer.number() + 1;
            full = sampler
                .frame(frame.at, number, || analyzer.readings())
                .err();
        }
    })?;
    let samples = match full {
        Some(full) => Err(full),
        None => sampler.finish(&readings),
    };
    let samples = samples.map_err(|full| Failure::Capture(full.to_string()))?;
    each(&samples, |sample| outbox.add(sample))
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Capture(format!("a temporary file: {error}"))
    }
}
