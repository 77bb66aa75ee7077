//! What conversations report to: figures, where the frames went, how good the capture is.

mod events;
mod reasons;
mod reporter;

use crate::accounting::{Accounting, EntryBatch};
use crate::arrivals::Arrivals;
use crate::clock::Seam;
use crate::conversation::Conversation;
use crate::efficiency::FrameSpending;
use crate::machines::Machines;
use crate::message::Message;
use crate::meters::Meters;
use crate::parties::Directory;
use crate::path::Path;
use crate::protocols::Protocols;
use crate::quality::Quality;
use crate::recorder::Recorder;
use crate::round_trips::{TripQuestions, TripSample};
use crate::routing::Routing;
use crate::service_wait::ServiceWait;
use crate::slowest::Slowest;
use crate::summary::Conversations;
use crate::symptoms::FrameWatch;
use crate::table::TablePlace;
use crate::unfinished::OpenAtEnd;
use crate::world::{Seen, World};
use crate::{Attribution, Mark, Notice, Noticed, Settings, Sink, Thresholds};
pub(crate) use reporter::Reporter;
use std::sync::Arc;
use wirewait_model::Label;
use wirewait_model::records::{
    Entities, LabelId, OperationAt, OperationId, Pair, PairId, RecordBatch, StationId,
};
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Facts, Presence, StopReason, Timestamp};

/// What conversations report to.
pub(crate) struct Books {
    pub(crate) directory: Directory,
    machines: Machines,
    pub(crate) slowest: Slowest,
    pub(crate) unfinished: OpenAtEnd,
    /// Empty while it is lent.
    pub(crate) accounting: Accounting,
    /// What is to be posted where the accounting is lent to.
    pub(crate) lent: Option<Box<EntryBatch>>,
    pub(crate) routing: Routing,
    /// None where nobody reads them.
    pub(crate) meters: Option<Box<Meters>>,
    pub(crate) spending: FrameSpending,
    pub(crate) questions: TripQuestions,
    pub(crate) watch: FrameWatch,
    pub(crate) attribution: Attribution,
    pub(crate) quality: Quality,
    pub(crate) arrivals: Arrivals,
    pub(crate) protocols: Protocols,
    /// Some message came in parts that are messages of their own.
    pub(crate) in_parts: bool,
    /// The number of the frame under way: those left out in between count.
    number: u64,
    /// The latest frame that a timer sent.
    pub(crate) timer_at: u64,
    /// Frames of the capture that were left out in between.
    skipped: u64,
    /// Transactions that began so far.
    pub(crate) transactions: u64,
    /// Requests that are open now.
    pub(crate) open: usize,
    /// Bytes that are held back now.
    pub(crate) held: usize,
    /// None where nobody takes records.
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Which conversations there were when.
    pub(crate) seen: Arc<Conversations>,
}

impl Books {
    /// Empty books for `protocols` dissectors.
    pub(crate) fn new(settings: Settings, protocols: usize) -> Self {
        Self {
            directory: Directory::new(settings.rows),
            in_parts: false,
            machines: Machines::new(settings.rows),
            slowest: Slowest::new(settings.slowest),
            unfinished: OpenAtEnd::default(),
            accounting: Accounting::new(&settings),
            lent: None,
            routing: Routing::new(settings.private),
            meters: Some(Box::new(Meters::new(settings.rows))),
            spending: FrameSpending::new(&settings),
            questions: TripQuestions::new(),
            watch: FrameWatch::new(&settings),
            attribution: Attribution::default(),
            quality: Quality::default(),
            arrivals: Arrivals::default(),
            protocols: Protocols::new(protocols),
            number: 0,
            timer_at: 0,
            skipped: 0,
            transactions: 0,
            open: 0,
            held: 0,
            recorder: None,
            seen: Arc::default(),
        }
    }

    /// A transport did something.
    #[inline(never)]
    pub(crate) fn noticed(&mut self, notice: &Notice, path: &Path, sink: &mut dyn Sink) {
        if let Some(sample) = TripSample::of(notice) {
            self.sampled(&sample);
        }
        if matches!(
            notice.what,
            Noticed::Resent { .. } | Noticed::Overtaken { .. } | Noticed::OvertakenBehind
        ) {
            self.sent_again(notice);
        }
        if matches!(
            notice.what,
            Noticed::Resent { .. } | Noticed::Polled { .. } | Noticed::PollUnanswered { .. }
        ) {
            self.timer_at = notice.mark.frame;
        }
        self.watch
            .noticed(notice, path, self.accounting.watch.course_mut());
        if let Some(meters) = &mut self.meters {
            meters.noticed(notice, path);
        }
        self.spending.noticed(notice);
        sink.noticed(notice);
    }

    /// A message asks for a sign of life, or gives one.
    #[cold]
    pub(crate) fn probed(&mut self, facts: &Facts, said: (bool, Option<u16>), frame: (Mark, u32)) {
        if let Some(sample) = self.questions.message(facts, said, frame) {
            self.sampled(&sample);
        }
    }

    /// A transport says how far it is.
    fn sampled(&mut self, sample: &TripSample) {
        match &mut self.lent {
            None => self.accounting.round_trips.sampled(sample),
            Some(entries) => entries.sampled(sample),
        }
    }

    /// Messages of the first of these wait so long for the other's acknowledgement of what was before them, as is known since then.
    #[cold]
    pub(crate) fn waits_for_acknowledgements(&mut self, ends: [Endpoint; 2], at: Mark, ns: u64) {
        self.sampled(&TripSample::waits(ends, at, ns));
    }

    /// Data was retransmitted, or overtaken, perhaps that of a request.
    #[cold]
    fn sent_again(&mut self, notice: &Notice) {
        let (from, to) = (notice.from, notice.to);
        let pairs = [(from, to), (to, from)].map(|(client, server)| {
            let pair = self.directory.known_pair(client, server);
            pair.unwrap_or(TablePlace::NOWHERE)
        });
        match &mut self.lent {
            None => self.accounting.watch.noticed(pairs, notice),
            Some(entries) => entries.noticed(pairs, notice),
        }
    }

    /// A station waited for a service that is no file server.
    #[cold]
    pub(crate) fn waited_elsewhere(&mut self, wait: ServiceWait) {
        let Some(place) = self.directory.station_place(wait.client) else {
            return;
        };
        match &mut self.lent {
            None => self.accounting.waited_elsewhere(place, wait),
            Some(entries) => entries.waited_elsewhere(place, wait),
        }
    }

    /// Brings the statistics up to date.
    pub(crate) fn post(&mut self) {
        self.accounting.post();
    }

    /// Settles the account of time, as of `now`.
    pub(crate) fn settle(&mut self, now: Timestamp) {
        match &mut self.lent {
            None => self.accounting.accounts.settle(now),
            Some(entries) => entries.settle(now),
        }
    }

    /// The clock of the capture was set, or may have been where that is unsure.
    pub(crate) fn clock_was_set(&mut self, seam: &Seam, unsure: bool) {
        let Seam { from, to, .. } = *seam;
        match &mut self.lent {
            None => self.accounting.accounts.clock_was_set((from, to), unsure),
            Some(entries) => entries.clock_was_set((from, to), unsure),
        }
    }

    /// Judges symptoms by these thresholds.
    pub(crate) fn judge_by(&mut self, thresholds: Thresholds) {
        self.watch.judge_by(thresholds);
        self.accounting.watch.judge_by(thresholds);
    }

    /// A station says when it will say so again.
    pub(crate) fn announced(&mut self, station: Endpoint, presence: Presence, mark: Mark) {
        let course = self.accounting.watch.course_mut();
        self.watch.announced((station, presence), mark, course);
    }

    /// Makes records from now on.
    pub(crate) fn record(&mut self) {
        self.recorder = Some(Box::default());
        self.accounting.recording = true;
    }

    /// Whether there are enough records to take them out.
    #[inline]
    pub(crate) fn has_batch(&self) -> bool {
        let groups = self.accounting.batch.groups.len();
        let recorder = self.recorder.as_deref();
        recorder.is_some_and(|recorder| RecordBatch::are_many(groups, recorder.moments.len()))
    }

    /// Takes out what was recorded, and goes on in the room of `empty`.
    pub(crate) fn take_batch(&mut self, empty: RecordBatch) -> RecordBatch {
        let mut batch = std::mem::replace(&mut self.accounting.batch, empty);
        if let Some(recorder) = &mut self.recorder {
            std::mem::swap(&mut batch.moments, &mut recorder.moments);
            batch.joins |= std::mem::take(&mut recorder.joins);
        }
        batch
    }

    /// Whether there is enough that is to be posted where the accounting was lent to.
    #[inline]
    pub(crate) fn has_entries(&self) -> bool {
        let moments = |recorder: &Recorder| RecordBatch::are_many(0, recorder.moments.len());
        let entries = |entries: &EntryBatch| entries.is_full();
        self.lent.as_deref().is_some_and(entries) || self.recorder.as_deref().is_some_and(moments)
    }

    /// Takes that out, and goes on in the room of `empty`.
    pub(crate) fn take_entries(&mut self, empty: EntryBatch) -> EntryBatch {
        let Some(entries) = &mut self.lent else {
            return empty;
        };
        let mut entries = entries.goes_on_in(empty);
        if let Some(recorder) = &mut self.recorder {
            std::mem::swap(&mut entries.moments, &mut recorder.moments);
            entries.joins |= std::mem::take(&mut recorder.joins);
        }
        entries
    }

    /// Replaces `before` bytes held back in one place by `now` in their sum.
    pub(crate) fn holds(&mut self, before: usize, now: usize) {
        self.held = self.held.saturating_sub(before).saturating_add(now);
    }

    /// Number of the frame under way.
    pub(crate) fn now(&self) -> u64 {
        self.number
    }

    /// The next frame comes.
    pub(crate) fn next_frame(&mut self) {
        self.number = self.number.saturating_add(1);
    }

    /// This number of frames is left out.
    pub(crate) fn skip(&mut self, frames: u64) {
        self.skipped = self.skipped.saturating_add(frames);
        self.number = self.number.saturating_add(frames);
    }

    /// Frames that came.
    pub(crate) fn frames(&self) -> u64 {
        self.number.saturating_sub(self.skipped)
    }

    fn next_transaction(&mut self) -> u64 {
        self.transactions += 1;
        self.transactions
    }

    /// A conversation is over.
    pub(crate) fn finish(
        &mut self,
        conversation: &mut Conversation,
        now: Timestamp,
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) {
        let nowhere = Path::default();
        conversation.finish(now, world, &mut Reporter::new(self, &nowhere, sink));
        if let Some((ends, carrier, span)) = conversation.sighted() {
            Arc::make_mut(&mut self.seen).saw(ends, carrier, span);
        }
        self.quality.one_sided += u64::from(conversation.one_sided());
        self.quality.mid_capture += u64::from(conversation.began_before());
        let faults = &mut self.quality.faults;
        faults.gaps += conversation.faults.gaps;
        if conversation.faults.gaps > 0 {
            let (client, server) = conversation.parties();
            if let Some(pair) = self.directory.known_pair(client, server) {
                match &mut self.lent {
                    None => self.accounting.watch.missed(pair),
                    Some(entries) => entries.missed(pair),
                }
            }
        }
        faults.retransmitted += conversation.faults.retransmitted;
        faults.malformed += conversation.faults.malformed;
    }

    /// A conversation of a single request is over, which was given up.
    pub(crate) fn turned_away(
        &mut self,
        ends: [Endpoint; 2],
        carrier: Name,
        span: (Timestamp, Timestamp),
    ) {
        Arc::make_mut(&mut self.seen).saw(ends, carrier, span);
        self.quality.one_sided += 1;
        self.quality.mid_capture += 1;
    }

    /// A frame came; what it does to conversations is told later. Whether it is the copy of
    /// one that was seen on the other side of a router, which does nothing to them.
    pub(crate) fn seen(&mut self, seen: &Seen<'_>) -> bool {
        if self.questions.concern(seen) {
            self.asked_or_answered(seen);
        }
        let (lent, accounting) = (&mut self.lent, &mut self.accounting);
        let copied = self.routing.seen(seen, |crossing| match lent {
            None => accounting.round_trips.crossed(crossing),
            Some(entries) => entries.crossed(crossing),
        });
        if let Some(recorder) = &mut self.recorder {
            recorder.seen(seen);
        }
        // Behind a router others are neighbours.
        if !copied {
            match self.accounting.watch.keeps_course() {
                false => self.watch.seen(seen, None),
                true => self.watch_by_second(seen),
            }
        }
        if let Some(meters) = &mut self.meters {
            meters.seen(seen);
        }
        let walk = seen.walk;
        self.protocols.seen(self.number, walk);
        let quality = &mut self.quality;
        match walk.stop.map(|s| s.reason) {
            Some(StopReason::Snapped) => quality.snapped += 1,
            Some(StopReason::Truncated) => quality.truncated += 1,
            Some(StopReason::Malformed) => quality.malformed += 1,
            None => quality.unknown_link += u64::from(walk.spans().is_empty()),
        }
        copied
    }

    /// A transport asks something that is answered at once, or may answer.
    #[inline(never)]
    fn asked_or_answered(&mut self, seen: &Seen<'_>) {
        if let Some(sample) = self.questions.seen(seen) {
            self.sampled(&sample);
        }
    }

    /// Looks for symptoms in a frame, where what they cost is kept by the second.
    #[cold]
    #[inline(never)]
    fn watch_by_second(&mut self, seen: &Seen<'_>) {
        self.watch.seen(seen, self.accounting.watch.course_mut());
    }

    pub(crate) fn count_unread(&mut self, message: &Message<'_>) {
        self.quality.faults.malformed += u64::from(message.malformed);
    }
}

impl Entities for Books {
    fn station(&self, id: StationId) -> Option<Endpoint> {
        self.directory.station(TablePlace::of(id))
    }

    fn pair(&self, id: PairId) -> Option<Pair> {
        let (client, server) = self.directory.pair(TablePlace::of(id))?;
        Some(Pair { client, server })
    }

    fn operation(&self, id: OperationId) -> Option<OperationAt> {
        self.accounting.operation(id)
    }

    fn label(&self, id: LabelId) -> Option<&Label> {
        self.directory.label(TablePlace::of(id))
    }
}
