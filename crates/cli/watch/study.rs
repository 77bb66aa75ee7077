//! The analysis under way, and what is remembered beside it.

use super::log::Log;
use crate::last_profile;
use std::sync::Arc;
use std::time::Duration;
use wirewait::{
    Analyzer, Driver, Endpoint, Frame, Holding, Layout, Notice, Registry, Settings, Sink, Snapshot,
    Source, Thresholds, Timestamp, Transaction,
};
use wirewait_analysis::recent::{History, Limits, Recent as Minutes};
use wirewait_analysis::{LedgerCourse, SymptomCourse};
use wirewait_capture::recent::Recent;
use wirewait_report::counters::{Chart, Live as Counters};

/// From one reading of the counters to the next, ns.
const READ_NS: i64 = 1_000_000_000;

/// What the analysis is to go by, and how much is remembered.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) settings: Settings,
    pub(crate) thresholds: Thresholds,
    /// The user's own table of DEC LAST.
    pub(crate) last: Option<Layout>,
    /// Transactions that are kept for the screen.
    pub(crate) transactions: usize,
    /// Bytes of frames that are kept to be looked at and saved.
    pub(crate) frames: usize,
    /// From one feed of the screen to the next.
    pub(crate) refresh: Duration,
}

impl Plan {
    /// All protocols.
    pub(super) fn registry(&self) -> Registry {
        last_profile::protocols(self.last.as_ref())
    }
}

/// An analysis under way.
pub(super) struct Study {
    plan: Plan,
    driver: Driver,
    holding: Holding,
    ears: Ears,
    counters: Counters,
    /// The frames that were seen last.
    pub(super) frames: Recent,
    /// The time of the first frame.
    first: Option<Timestamp>,
    snapshot: Option<Arc<Snapshot>>,
    /// Figures were forgotten: transactions have other numbers than in a report of the files.
    begun_anew: bool,
}

/// Receives the transactions, transport events and frames of the analysis.
struct Ears {
    log: Log,
    minutes: Minutes,
    /// A transaction was closed since the figures were asked for.
    changed: bool,
}

impl Ears {
    fn new(plan: &Plan) -> Self {
        Self {
            log: Log::new(plan.transactions),
            minutes: Minutes::default(),
            changed: true,
        }
    }
}

impl Sink for Ears {
    fn transaction(&mut self, transaction: &Transaction) {
        self.changed = true;
        self.log.push(transaction);
        self.minutes.transaction(transaction);
    }

    fn same_client(&mut self, client: Endpoint, first: Endpoint) {
        self.minutes.same_client(client, first);
    }

    fn noticed(&mut self, notice: &Notice) {
        self.minutes.noticed(notice);
    }

    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        self.minutes.captured(frame, on_wire);
    }
}

fn analyzer(plan: &Plan) -> Analyzer {
    Analyzer::new(plan.registry(), plan.settings)
        .judging_by(plan.thresholds)
        .keeping_course(Limits::default().seconds)
}

impl Study {
    pub(super) fn new(plan: Plan) -> Self {
        let settings = plan.settings;
        Self {
            driver: Driver::new(analyzer(&plan)),
            holding: Holding::default(),
            ears: Ears::new(&plan),
            counters: Counters::new(READ_NS, settings.link_speed),
            frames: Recent::new(plan.frames),
            begun_anew: false,
            first: None,
            snapshot: None,
            plan,
        }
    }

    /// From one feed of the screen to the next.
    pub(super) fn refresh(&self) -> Duration {
        self.plan.refresh
    }

    /// Forgets everything.
    pub(super) fn restart(&mut self) {
        self.holding = Holding::default();
        self.driver = Driver::new(analyzer(&self.plan));
        self.begun_anew = false;
        self.begin();
        self.frames.clear();
    }

    /// Forgets all figures. Frames go on being numbered as they are in the capture, and can be
    /// looked at as before.
    pub(super) fn reset(&mut self) {
        self.release();
        self.driver.begin_anew(analyzer(&self.plan));
        self.begun_anew = true;
        self.begin();
    }

    fn begin(&mut self) {
        let plan = &self.plan;
        self.ears = Ears::new(plan);
        self.counters = Counters::new(READ_NS, plan.settings.link_speed);
        self.first = None;
    }

    /// Whether figures were forgotten since the beginning of the input.
    pub(super) fn begun_anew(&self) -> bool {
        self.begun_anew
    }

    /// Takes in the next frame. [`Study::meet`] is to follow.
    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        self.hold(|holding, driver, each| holding.frame(frame, driver, each));
    }

    /// Takes in the frames that were held back behind a silence.
    pub(super) fn release(&mut self) {
        self.hold(Holding::release);
    }

    fn hold(
        &mut self,
        act: impl FnOnce(&mut Holding, &mut Driver, &mut dyn FnMut(&Frame<'_>, &mut Driver)),
    ) {
        let Self {
            driver,
            holding,
            ears,
            counters,
            frames,
            first,
            ..
        } = self;
        act(holding, driver, &mut |frame, driver| {
            first.get_or_insert(frame.at);
            frames.push(driver.number() + 1, frame);
            // What the meters say belongs to the time before the frame.
            let analyzer = driver.analyzer();
            counters.advance(frame.at, || analyzer.readings());
            driver.frame(frame, ears);
            ears.changed = true;
        });
    }

    /// Passes on how fast the links are, once the source knows them.
    pub(super) fn meet(&mut self, interface: u32, source: &impl Source) {
        self.driver.meet(interface, source);
    }

    /// Passes on how many frames never got here.
    pub(super) fn losses(&mut self, source: &impl Source) {
        self.ears.changed |= self.driver.ask_for_losses(source);
    }

    /// Leaves the next frame of the capture out of everything but the numbers of frames.
    pub(super) fn skip(&mut self, at: Timestamp) {
        self.release();
        self.driver.skip(1);
        self.holding.skipped(at, &self.driver);
    }

    /// Time passes without frames.
    pub(super) fn advance(&mut self, now: Timestamp) {
        self.release();
        let analyzer = self.driver.analyzer();
        self.counters.advance(now, || analyzer.readings());
        self.driver.advance(now, &mut self.ears);
        self.ears.minutes.advance(now);
    }

    /// The capture is over.
    pub(super) fn finish(&mut self) {
        self.release();
        self.driver.finish(&mut self.ears);
        self.ears.minutes.finish();
        self.counters.finish(&self.driver.analyzer().readings());
        self.ears.changed = true;
    }

    /// The last minutes.
    pub(super) fn minutes(&self) -> History {
        self.ears.minutes.history()
    }

    /// Where the time of the last minutes went.
    pub(super) fn ledgers(&self) -> LedgerCourse {
        self.driver.analyzer().ledger_course()
    }

    /// What symptoms cost in them.
    pub(super) fn symptoms(&self) -> SymptomCourse {
        self.driver.analyzer().symptom_course()
    }

    /// The counters of the last minutes.
    pub(super) fn counters(&self) -> Chart {
        self.counters.chart()
    }

    /// Number of the frame taken in last.
    pub(super) fn number(&self) -> u64 {
        self.driver.number()
    }

    /// Whether something changed since the figures were asked for.
    pub(super) fn changed(&self) -> bool {
        self.ears.changed
    }

    /// The latest transactions.
    pub(super) fn log(&self) -> &Log {
        &self.ears.log
    }

    /// The transaction with this number, if it is one of the latest or of the slowest.
    pub(super) fn transaction(&mut self, number: u64) -> Option<Transaction> {
        if let Some(latest) = self.log().find(number) {
            return Some(latest.clone());
        }
        let answered = self.driver.analyzer().answered(self.plan.transactions);
        if let Some(open) = answered.into_iter().find(|t| t.number == number) {
            return Some(open);
        }
        let snapshot = self.snapshot();
        let mut longest = snapshot.longest_requests().map(|(_, t)| t);
        longest.find(|t| t.number == number).cloned()
    }

    /// The latest transactions, to be handed out. The last ones of conversations may be open for
    /// their repetitions: they are shown as soon as they are answered.
    pub(super) fn transactions(&mut self) -> Arc<Vec<Transaction>> {
        let answered = self.driver.analyzer().answered(self.plan.transactions);
        let closed = self.ears.log.shared();
        if answered.is_empty() {
            return closed;
        }
        Arc::new(closed.iter().cloned().chain(answered).collect())
    }

    /// The time of the first frame.
    pub(super) fn first(&self) -> Option<Timestamp> {
        self.first
    }

    /// The figures as they stand.
    pub(super) fn snapshot(&mut self) -> Arc<Snapshot> {
        let driver = &mut self.driver;
        if std::mem::take(&mut self.ears.changed) {
            self.snapshot = None;
        }
        Arc::clone(
            self.snapshot
                .get_or_insert_with(|| Arc::new(driver.snapshot())),
        )
    }

    /// What the analysis goes by.
    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }
}
