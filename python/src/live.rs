//! The wire as it is now.

use crate::capture::{warn, written};
use crate::failure::Failure;
use crate::input::Analysis;
use crate::object;
use crate::summary::Summary;
use engine::{Choice, Engine, Frame, Progress, Sink, Snapshot, SourceErrorKind, Transaction};
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use wirewait_capture::live::{self as capture, Event, LiveError, LiveErrorKind, LiveOptions};
use wirewait_report::transactions::{Format, Writer};
use wirewait_report::{About, Interface, Origin, Selection, json};

/// How long it may take until a signal, `stop()` or the end of the time is noticed.
const NOTICED_WITHIN: Duration = Duration::from_millis(100);

/// Time passes for the analysis when no frame has come for this long.
const SILENCE: Duration = Duration::from_secs(1);

/// A capture under way: an iterator over its transactions, a dict each, as they complete.
#[pyclass(frozen, module = "wirewait")]
pub(crate) struct Live {
    state: Mutex<State>,
    stop: AtomicBool,
    ends: Option<Instant>,
    filter: Option<String>,
}

struct State {
    course: Course,
    rows: RowQueue,
    heard: Instant,
    /// Frames that are still wanted.
    left: u64,
    damage: Vec<String>,
    /// What its user should know and was not told yet.
    remarks: Vec<String>,
}

/// Where it is.
enum Course {
    Running(Box<Engine<capture::Live>>),
    Over(Box<(About, Snapshot)>),
    /// In between.
    Ending,
}

/// Transactions as JSON, until Python takes them.
struct RowQueue {
    writer: Writer,
    waiting: VecDeque<Vec<u8>>,
}

impl Sink for RowQueue {
    fn transaction(&mut self, transaction: &Transaction) {
        let mut line = Vec::new();
        // A Vec takes all that is written to it.
        if self.writer.row(&mut line, transaction, None).is_ok() {
            self.waiting.push_back(line);
        }
    }
}

/// Captures from interfaces; without a name from the busiest one.
#[pyfunction]
#[pyo3(signature = (
    *interfaces, filter=None, duration=None, count=None, snaplen=65_535, buffer=67_108_864,
    promiscuous=true, timeout=60.0, think=0.5, wait=0.1, link_speed=None, duplex=None, private=false
))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn live(
    py: Python<'_>,
    interfaces: Vec<String>,
    filter: Option<String>,
    duration: Option<f64>,
    count: Option<u64>,
    snaplen: u32,
    buffer: u32,
    promiscuous: bool,
    timeout: f64,
    think: f64,
    wait: f64,
    link_speed: Option<u64>,
    duplex: Option<String>,
    private: bool,
) -> PyResult<Live> {
    let analysis = Analysis {
        timeout,
        think,
        wait,
        link_speed,
        duplex,
        private,
    };
    let settings = analysis.settings()?;
    let length = duration.map(|seconds| crate::input::nanos("duration", seconds, 1));
    let length = length.transpose()?.map(i64::unsigned_abs);
    if !(64..=262_144).contains(&snaplen) || !(1 << 16..=1 << 30).contains(&buffer) {
        return Err(Failure::Usage(
            "snaplen: from 64 to 262144 bytes; buffer: from 64 KiB to 1 GiB".to_owned(),
        )
        .into());
    }
    let mut options = LiveOptions::default();
    options.filter = filter.clone().unwrap_or_default();
    options.snaplen = snaplen;
    options.buffer = buffer;
    options.promiscuous = promiscuous;
    let begun = py.detach(|| -> Result<_, LiveError> {
        let names = match interfaces.is_empty() {
            true => vec![busiest()?],
            false => interfaces,
        };
        capture::open(&names, &options)?.start()
    });
    let source = begun.map_err(refused)?;
    let now = Instant::now();
    Ok(Live {
        state: Mutex::new(State {
            course: Course::Running(Box::new(Engine::new(source, settings))),
            rows: RowQueue {
                writer: Writer::new(Format::Ndjson),
                waiting: VecDeque::new(),
            },
            heard: now,
            left: count.unwrap_or(u64::MAX),
            damage: Vec::new(),
            remarks: Vec::new(),
        }),
        stop: AtomicBool::new(false),
        ends: length.and_then(|length| now.checked_add(Duration::from_nanos(length))),
        filter,
    })
}

fn busiest() -> Result<String, LiveError> {
    let all = capture::devices()?;
    capture::busiest(&all)
        .map(|device| device.name.clone())
        .ok_or_else(|| LiveError {
            kind: LiveErrorKind::NoInterface,
            message: "no interface is up that leads out of this machine; name one".to_owned(),
        })
}

/// Why nothing can be captured, and what to do.
fn refused(error: LiveError) -> Failure {
    let text = error.message;
    match error.kind {
        LiveErrorKind::NoRights => Failure::Rights(format!(
            "{text}\nRun this Python with CAP_NET_RAW (as root, or in a service with \
             AmbientCapabilities=CAP_NET_RAW), or read what another program captures:\n  \
             dumpcap -w capture.pcapng"
        )),
        LiveErrorKind::Filter => Failure::Filter(text),
        _ => Failure::Capture(text),
    }
}

#[pymethods]
impl Live {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            let (row, remarks, over) = py.detach(|| -> Result<_, Failure> {
                let mut state = self.state();
                if state.rows.waiting.is_empty() {
                    state.go_on(self)?;
                }
                let remarks = std::mem::take(&mut state.remarks);
                let row = state.rows.waiting.pop_front();
                Ok((row, remarks, matches!(state.course, Course::Over(_))))
            })?;
            warn(py, remarks.into_iter())?;
            if let Some(row) = row {
                return object(py, &row).map(Some);
            }
            if over {
                return Ok(None);
            }
            py.check_signals()?;
        }
    }

    /// Ends the capture: frames that were captured before still count.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The report as it stands: the JSON of `wirewait live --format json`.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = py.detach(|| {
            let (about, snapshot) = self.standing()?;
            written(|out| json::report(out, &about, &snapshot))
        })?;
        object(py, &json)
    }

    /// Where the wait is, as it stands.
    #[getter]
    fn verdict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.report(py)?.get_item("verdict")
    }

    /// Its sums as they stand.
    fn summary(&self, py: Python<'_>) -> PyResult<Summary> {
        let (_, snapshot) = py.detach(|| self.standing())?;
        Ok(Summary::of(&snapshot))
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_why))]
    fn __exit__(&self, py: Python<'_>, _why: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.stop();
        Ok(py.detach(|| {
            let mut state = self.state();
            while !matches!(state.course, Course::Over(_)) {
                state.go_on(self)?;
            }
            Ok::<(), Failure>(())
        })?)
    }
}

impl Live {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_to_end(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.ends.is_some_and(|ends| Instant::now() >= ends)
    }

    fn standing(&self) -> Result<(About, Snapshot), Failure> {
        let mut state = self.state();
        let damage = state.damage.clone();
        match &mut state.course {
            Course::Running(engine) => Ok((
                about(engine.source(), self.filter.clone(), damage),
                engine.snapshot(),
            )),
            Course::Over(seen) => Ok((**seen).clone()),
            Course::Ending => Err(Failure::Internal("the capture has failed".to_owned())),
        }
    }
}

impl State {
    /// Waits for frames, for a moment, and analyses what has come.
    fn go_on(&mut self, live: &Live) -> Result<(), Failure> {
        let Course::Running(engine) = &mut self.course else {
            return Ok(());
        };
        if live.is_to_end() || self.left == 0 {
            engine.source_mut().stop();
        }
        match engine.source_mut().wait(NOTICED_WITHIN) {
            Event::Frames => {
                self.heard = Instant::now();
                let take = |_: &Frame<'_>| match self.left.checked_sub(1) {
                    Some(rest) => {
                        self.left = rest;
                        Choice::Take
                    }
                    None => Choice::Stop,
                };
                let (Progress::More | Progress::End) =
                    engine.step_choosing(take, &mut self.rows)?;
            }
            Event::Idle if self.heard.elapsed() < SILENCE => {}
            Event::Idle => {
                if let Some(now) = engine.source().now() {
                    engine.advance(now, &mut self.rows);
                }
            }
            Event::Interface(change) => self.remarks.push(change.to_string()),
            Event::Remark(remark) => self.remarks.push(remark.to_string()),
            Event::Damage(error) if error.kind == SourceErrorKind::Damaged => {
                self.remarks.push(error.to_string());
                self.damage.push(error.to_string());
            }
            Event::Damage(error) => return Err(error.into()),
            Event::End => self.end(live),
        }
        Ok(())
    }

    fn end(&mut self, live: &Live) {
        let course = std::mem::replace(&mut self.course, Course::Ending);
        self.course = match course {
            Course::Running(engine) => {
                let (snapshot, source) = engine.finish(&mut self.rows);
                let about = about(&source, live.filter.clone(), self.damage.clone());
                Course::Over(Box::new((about, snapshot)))
            }
            over => over,
        };
    }
}

/// What a report says about the capture.
fn about(live: &capture::Live, filter: Option<String>, damage: Vec<String>) -> About {
    let interfaces = live.interfaces();
    About {
        files: interfaces.iter().filter_map(|i| i.name.clone()).collect(),
        origin: Origin::Interfaces,
        selection: Selection {
            filter,
            ..Selection::default()
        },
        interfaces: interfaces
            .iter()
            .map(|known| Interface {
                name: known.name.clone(),
                link_type: known.link.0,
                dropped: known.lost(),
                not_saved: known.not_saved,
            })
            .collect(),
        damage,
        ..About::default()
    }
}
