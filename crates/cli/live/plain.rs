//! Watching without a screen: everything is analysed until it ends, then there is a report.

use super::metrics::Metrics;
use super::reload::{Reload, Reloaded};
use super::supervisor::Supervisor;
use crate::args::LiveArgs;
use crate::failure::{Failure, say};
use crate::input::{live_interface, warn};
use crate::last_profile;
use crate::own::Own;
use crate::saver::{Ended, Saver, system_time};
use crate::signals::Signals;
use crate::transactions::RowWriter;
use std::time::{Duration, Instant};
use wirewait::{
    Analyzer, Choice, Driver, Endpoint, Engine, Frame, Layout, Notice, Progress, Settings, Sink,
    Snapshot, SourceErrorKind, Thresholds, Timestamp, Transaction,
};
use wirewait_capture::live::{Event, Live, LiveInterface};
use wirewait_report::symptoms::Texts;
use wirewait_report::words::Grouped;
use wirewait_report::{About, Escaped, Origin};

/// Time passes for the analysis when no frame has come for this long. Anything shorter is told
/// by the next frame, and what ends with a frame is then the same as in a file of these frames.
const SILENCE: Duration = Duration::from_secs(1);

/// Frames may be under way from the interface for so long, ns: what is over without a frame is over
/// this much later.
const UNDER_WAY_NS: i64 = 500_000_000;

/// How long it may take until a signal or the end of the time is noticed.
const NOTICED_WITHIN: Duration = Duration::from_millis(100);

/// When it ends by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    length: Option<Duration>,
    count: Option<u64>,
}

impl Limits {
    pub(super) fn of(args: &LiveArgs) -> Self {
        Self {
            length: args.length().map(Duration::from_nanos),
            count: args.count,
        }
    }

    /// How it will end, as a sentence goes on.
    pub(super) fn end(&self) -> String {
        let mut ends = Vec::new();
        if let Some(length) = self.length {
            ends.push(format!("ends after {} s", length.as_secs_f64()));
        }
        if let Some(count) = self.count {
            ends.push(format!("ends after {} frames", Grouped(count)));
        }
        ends.push("Ctrl-C ends it".to_owned());
        ends.join(", or ")
    }
}

/// How to watch.
pub(crate) struct PlainWatch {
    /// What is shown to others meanwhile.
    pub(super) metrics: Option<Metrics>,
    pub(super) settings: Settings,
    pub(super) thresholds: Thresholds,
    /// The user's own table of DEC LAST.
    pub(super) last: Option<Layout>,
    pub(super) limits: Limits,
    pub(super) signals: Signals,
    pub(super) supervisor: Supervisor,
    /// What is said about symptoms.
    pub(super) texts: Texts,
    /// Of a service: its configuration.
    pub(super) reload: Option<Reload>,
}

/// What was seen.
pub(crate) struct LiveFindings {
    pub(super) about: About,
    pub(super) snapshot: Snapshot,
    interfaces: Vec<LiveInterface>,
    elapsed: Duration,
    /// What was saved.
    pub(super) saved: Option<Ended>,
}

/// What is written of a live capture while it goes on.
pub(super) trait Stream: Sink {
    /// The clock of the capture stands here: a frame comes, and is not analysed yet, or time
    /// passes. The figures are those before it.
    fn tick(&mut self, now: Timestamp, snapshot: impl FnOnce() -> Snapshot) {
        let _ = (now, snapshot);
    }

    /// There is nothing else to do at the moment: rows are to be written.
    fn hand_on(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// The file of the rows may have another name by now: opens it again. Whether there is one.
    fn reopen(&mut self) -> Result<bool, Failure> {
        Ok(false)
    }

    /// The capture is over, and everything is closed.
    fn finish(&mut self, snapshot: &Snapshot) {
        let _ = snapshot;
    }
}

/// Nothing is.
impl Stream for () {}

/// Each request is a line when it is over.
impl Stream for RowWriter {
    fn hand_on(&mut self) -> Result<(), Failure> {
        self.hand_on_rows()
    }

    fn reopen(&mut self) -> Result<bool, Failure> {
        self.reopen_rows()
    }
}

impl PlainWatch {
    /// Leads frames through the analysis until the end. `report` is called when somebody asks how
    /// it stands.
    pub(super) fn plainly<K: Stream>(
        &mut self,
        live: Live,
        mut saver: Option<Saver>,
        sink: &mut K,
        mut report: impl FnMut(&About, &Snapshot) -> Result<(), Failure>,
    ) -> Result<LiveFindings, Failure> {
        let mut metrics = self.metrics.take();
        let protocols = last_profile::protocols(self.last.as_ref());
        let analyzer = Analyzer::new(protocols, self.settings);
        let mut engine = Engine::with(live, analyzer.judging_by(self.thresholds)).live();
        let begun = Instant::now();
        // Frames of interfaces are stamped by the system's clock.
        let started = (!engine.source().is_pipe()).then(system_time);
        let time = |live: &Live| {
            let passed = i64::try_from(begun.elapsed().as_nanos()).unwrap_or(i64::MAX);
            live.now().or(started.map(|at| at.plus(passed)))
        };
        let mut heard = begun;
        let mut damage = Vec::new();
        let mut left = self.limits.count.unwrap_or(u64::MAX);
        while left > 0 {
            if self.signals.stop() || self.is_over(begun) {
                engine.source_mut().stop();
            }
            let event = engine.source_mut().wait(NOTICED_WITHIN);
            let is_over = match event {
                Event::Frames => {
                    heard = Instant::now();
                    false
                }
                Event::Idle => heard.elapsed() >= SILENCE,
                Event::End => true,
                _ => false,
            };
            // Frames behind a silence wait no longer for those that tell whether it was one.
            if matches!(event, Event::Frames) || is_over && engine.release() {
                let take = |frame: &Frame<'_>, driver: &mut Driver, both: &mut Both<'_, K>| {
                    let Some(rest) = left.checked_sub(1) else {
                        return Choice::Stop;
                    };
                    left = rest;
                    if let Some(saver) = &mut saver {
                        saver.frame(frame);
                    }
                    both.sink.tick(frame.at, || driver.snapshot());
                    Choice::Take
                };
                let metrics = metrics.as_mut();
                match engine.step_driving(take, &mut Both { sink, metrics }) {
                    Ok(Progress::More | Progress::End) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            match event {
                Event::Frames => {}
                Event::Idle if heard.elapsed() < SILENCE => {}
                Event::Idle => {
                    if let Some(now) = engine.source().now() {
                        let metrics = metrics.as_mut();
                        engine.advance(now, &mut Both { sink, metrics });
                    }
                    if let Some(now) = time(engine.source()) {
                        sink.tick(now.plus(-UNDER_WAY_NS), || engine.snapshot());
                    }
                }
                Event::Interface(change) => warn(&change.to_string()),
                Event::Remark(remark) => warn(&remark.to_string()),
                Event::Damage(error) if error.kind == SourceErrorKind::Damaged => {
                    let sentence = error.to_string();
                    warn(&sentence);
                    damage.push(sentence);
                }
                Event::Damage(error) => return Err(error.into()),
                Event::End => break,
            }
            let news = saver.as_mut();
            if let Some(news) = news.and_then(|saver| saver.look(engine.source())) {
                warn(&news);
            }
            if let Some(metrics) = &mut metrics
                && metrics.is_due(Instant::now())
            {
                let interfaces = engine.source().interfaces();
                metrics.show(&engine.snapshot(), &interfaces, &Own::now());
            }
            if self.signals.flush()
                && let Some(saver) = &mut saver
            {
                say(&saver.flush(engine.source()));
            }
            if self.signals.report() {
                let snapshot = engine.snapshot();
                say(&summary(
                    snapshot.capture.frames,
                    begun.elapsed(),
                    &engine.source().interfaces(),
                    &Own::now(),
                ));
                let about = self.about(engine.source(), damage.clone());
                report(&about, &snapshot)?;
            }
            if self.signals.reload() {
                self.read_again(sink);
            }
            sink.hand_on()?;
            self.supervisor.alive();
        }
        self.supervisor.stopping();
        let elapsed = begun.elapsed();
        if started.is_some()
            && let Some(now) = time(engine.source())
        {
            sink.tick(now, || engine.snapshot());
        }
        let metrics = metrics.as_mut();
        let (snapshot, live) = engine.finish(&mut Both { sink, metrics });
        sink.finish(&snapshot);
        sink.hand_on()?;
        let interfaces = live.interfaces();
        let saved = saver.map(|saver| saver.finish(&live));
        Ok(LiveFindings {
            about: self.about(&live, damage),
            snapshot,
            interfaces,
            elapsed,
            saved,
        })
    }

    /// Reads the configuration and opens the file of the rows again.
    fn read_again(&mut self, sink: &mut impl Stream) {
        self.supervisor.reloading();
        match self.reload.as_mut().map(Reload::read) {
            Some(Ok(Reloaded { texts, said })) => {
                self.texts = texts;
                say(&said);
            }
            Some(Err(failure)) => warn(&format!("{failure}; the configuration stays as it was")),
            None => {}
        }
        match sink.reopen() {
            Ok(true) => say("the file of the rows was opened again"),
            Ok(false) => {}
            Err(failure) => warn(&format!("{failure}; rows go on in the file that is open")),
        }
        self.supervisor.ready();
    }

    /// What a report says about the capture.
    fn about(&self, live: &Live, damage: Vec<String>) -> About {
        let interfaces = live.interfaces();
        let names = |interface: &LiveInterface| interface.name.clone();
        About {
            files: if live.is_pipe() {
                vec!["-".to_owned()]
            } else {
                interfaces.iter().filter_map(names).collect()
            },
            origin: if live.is_pipe() {
                Origin::Files
            } else {
                Origin::Interfaces
            },
            interfaces: interfaces.iter().map(live_interface).collect(),
            damage,
            texts: self.texts.clone(),
            ..About::default()
        }
    }

    fn is_over(&self, begun: Instant) -> bool {
        self.limits
            .length
            .is_some_and(|length| begun.elapsed() >= length)
    }
}

/// Where rows go, and what counts them.
struct Both<'a, K> {
    sink: &'a mut K,
    metrics: Option<&'a mut Metrics>,
}

impl<K: Sink> Sink for Both<'_, K> {
    fn transaction(&mut self, transaction: &Transaction) {
        if let Some(metrics) = &mut self.metrics {
            metrics.transaction(transaction);
        }
        self.sink.transaction(transaction);
    }

    fn same_client(&mut self, client: Endpoint, first: Endpoint) {
        self.sink.same_client(client, first);
    }

    fn noticed(&mut self, notice: &Notice) {
        self.sink.noticed(notice);
    }

    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        self.sink.captured(frame, on_wire);
    }
}

impl LiveFindings {
    /// Summary of the capture in one line: frames, time, drops by interface, own resource use.
    pub(super) fn summary(&self, own: &Own) -> String {
        let frames = self.snapshot.capture.frames;
        summary(frames, self.elapsed, &self.interfaces, own)
    }
}

/// Summary of a capture in one line: frames, time, drops by interface, own resource use.
pub(super) fn summary(
    frames: u64,
    elapsed: Duration,
    interfaces: &[LiveInterface],
    own: &Own,
) -> String {
    let mut parts = vec![format!(
        "{} frames in {:.1} s",
        Grouped(frames),
        elapsed.as_secs_f64()
    )];
    for interface in interfaces {
        let name = interface.name.as_deref().unwrap_or("the capture");
        let known = |count: Option<u64>| {
            count.map_or_else(
                || "an unknown number".to_owned(),
                |n| Grouped(n).to_string(),
            )
        };
        let mut lost = format!("{} dropped", known(interface.dropped));
        if let Some(there) = interface.dropped_by_interface.filter(|n| *n > 0) {
            lost.push_str(&format!(
                ", {} lost by the interface itself",
                Grouped(there)
            ));
        }
        parts.push(format!("{}: {lost}", Escaped(name)));
    }
    parts.extend(own.words());
    parts.join("; ")
}
