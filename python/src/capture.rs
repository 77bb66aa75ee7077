//! A capture in files, or in memory.

use crate::failure::Failure;
use crate::input::{Analysis, Damage, Given, Input, Named, interfaces, nanos};
use crate::object;
use crate::rows::Rows;
use crate::summary::Summary;
use engine::{
    Analyzer, Choice, Engine, Frame, Progress, Readings, Sink, Snapshot, Standing, registry,
};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::io;
use std::sync::{Arc, OnceLock};
use wirewait_capture::Files;
use wirewait_report::text::{self, Look};
use wirewait_report::{About, json};

/// A capture: its report, its rows and its sums. It is read when something is first asked of it.
#[pyclass(frozen, module = "wirewait")]
pub(crate) struct Capture {
    reading: Reading,
}

/// A capture, and what was found in it once it was read.
#[derive(Clone)]
pub(crate) struct Reading {
    pub(crate) input: Input,
    seen: Arc<OnceLock<Seen>>,
}

struct Seen {
    about: About,
    snapshot: Snapshot,
}

/// Opens a capture: a file, the files of one capture, or its bytes.
#[pyfunction]
#[pyo3(signature = (
    source, *, filter=None, zone_offset=None, skip_unreadable=false, name="bytes",
    timeout=60.0, think=0.5, wait=0.1, link_speed=None, duplex=None, private=false
))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn open(
    py: Python<'_>,
    source: Named<'_>,
    filter: Option<String>,
    zone_offset: Option<i32>,
    skip_unreadable: bool,
    name: &str,
    timeout: f64,
    think: f64,
    wait: f64,
    link_speed: Option<u64>,
    duplex: Option<String>,
    private: bool,
) -> PyResult<Capture> {
    let analysis = Analysis {
        timeout,
        think,
        wait,
        link_speed,
        duplex,
        private,
    };
    let given = Given {
        filter,
        zone_offset,
        skip_unreadable,
        name: name.to_owned(),
    };
    let input = Input::new(source, given, analysis.settings()?)?;
    warn(py, input.read()?.warnings().iter().map(ToString::to_string))?;
    let seen = Arc::default();
    Ok(Capture {
        reading: Reading { input, seen },
    })
}

#[pymethods]
impl Capture {
    /// The whole report: the JSON of `wirewait report --format json`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let seen = self.seen(py)?;
        let json = written(|out| json::report(out, &seen.about, &seen.snapshot))?;
        object(py, &json)
    }

    /// The report as text: that of `wirewait report`.
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let seen = self.seen(py)?;
        let text = written(|out| text::report(out, &seen.about, &seen.snapshot, Look::FILE))?;
        Ok(PyString::new(py, &String::from_utf8_lossy(&text)))
    }

    /// Where the wait is: the part `verdict` of the report.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.report(py)?.get_item("verdict")
    }

    /// What is wrong with the files, a sentence each; what was read before and behind it counts.
    #[getter]
    fn damage(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.seen(py)?.about.damage.clone())
    }

    /// Its sums, to be added to others.
    fn summary(&self, py: Python<'_>) -> PyResult<Summary> {
        Ok(Summary::of(&self.seen(py)?.snapshot))
    }

    /// A row for each transaction, as `wirewait transactions` writes them.
    fn transactions(&self) -> Rows {
        Rows::of_transactions(self.reading.clone())
    }

    /// A row for each frame, as `wirewait decode --format parquet` writes them. `show` chooses
    /// frames, as `--show` does.
    #[pyo3(signature = (show=None))]
    fn frames(&self, show: Option<String>) -> PyResult<Rows> {
        Ok(Rows::of_frames(self.reading.clone(), show)?)
    }

    /// A row for each value of a counter, as `wirewait counters --format parquet` writes them.
    #[pyo3(signature = (interval=1.0, max_values=20_000_000))]
    fn counters(&self, interval: f64, max_values: u64) -> PyResult<Rows> {
        let interval_ns = nanos("interval", interval, 1)?;
        Ok(Rows::of_counters(
            self.reading.clone(),
            interval_ns,
            max_values,
        ))
    }
}

impl Capture {
    /// What was found. The first time the capture is read for it, without Python's lock.
    fn seen(&self, py: Python<'_>) -> PyResult<&Seen> {
        if self.reading.seen.get().is_none() {
            let read = || {
                let files = self.reading.input.read()?;
                self.reading
                    .analyse(files, &mut (), |()| Ok(Python::attach(signals)?))
            };
            py.detach(read)?;
            let seen = self.reading.seen.get();
            let damage = seen.map(|seen| seen.about.damage.clone());
            warn(py, damage.into_iter().flatten())?;
        }
        let seen = self.reading.seen.get();
        Ok(seen.ok_or_else(|| Failure::Internal("the capture was not read".to_owned()))?)
    }
}

/// Whether Python was asked to stop.
fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Says something beside the results.
pub(crate) fn warn(py: Python<'_>, sentences: impl Iterator<Item = String>) -> PyResult<()> {
    let warnings = py.import("warnings")?;
    for sentence in sentences {
        warnings.call_method1("warn", (sentence,))?;
    }
    Ok(())
}

impl Reading {
    /// Leads all frames through the analysis. `check` says meanwhile whether to go on.
    pub(crate) fn analyse<K: Sink>(
        &self,
        files: Files,
        sink: &mut K,
        mut check: impl FnMut(&mut K) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let analyzer = Analyzer::new(registry(), self.input.settings).unmetered();
        let mut engine = Engine::with(files, analyzer);
        let mut wanted = self.input.selection()?;
        let mut damage = Damage::default();
        loop {
            let progress = engine.step_choosing(|frame| wanted.choose(frame), sink);
            check(sink)?;
            match progress {
                Ok(Progress::More) => {}
                Ok(Progress::End) => break,
                Err(error) => damage.take(error)?,
            }
        }
        let (snapshot, files) = engine.finish(sink);
        check(sink)?;
        let about = self.input.about(interfaces(&files), damage.0);
        // Somebody else may have read it meanwhile; the same came out.
        let _ = self.seen.set(Seen { about, snapshot });
        Ok(())
    }

    /// Leads all frames through an analysis with meters. `watch` sees each frame, and the analysis
    /// before it.
    pub(crate) fn meter(
        &self,
        mut watch: impl FnMut(&Frame<'_>, &Analyzer),
    ) -> Result<Readings, Failure> {
        let analyzer = Analyzer::new(registry(), self.input.settings);
        let mut engine = Engine::with(self.input.read()?, analyzer);
        let mut wanted = self.input.selection()?;
        let mut damage = Damage::default();
        let mut choose = |frame: &Frame<'_>| -> Choice { wanted.choose(frame) };
        let mut between = |standing: Standing, (): &mut ()| {
            standing
                .error
                .map_or(Ok::<(), Failure>(()), |error| damage.take(error))
        };
        engine.run(&mut choose, &mut (), &mut watch, &mut between)?;
        Ok(engine.finish_metered(&mut ()).1)
    }
}

/// What a function writes.
pub(crate) fn written(
    write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    write(&mut out).map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(out)
}
