//! What conversations report to: figures, where the frames went, how good the capture is.

use crate::account::{Accounts, Outstanding};
use crate::arrivals::Arrivals;
use crate::bounds::{self, Bound};
use crate::case::{Case, Wait};
use crate::conversation::Conversation;
use crate::efficiency::Spending;
use crate::journal::{self, Heading, Journal};
use crate::message::Message;
use crate::meters::Meters;
use crate::parties::{Directory, Parties};
use crate::path::Path;
use crate::protocols::Protocols;
use crate::quality::{
    CLOCKS_APART, COARSE_CLOCK, DROPPED, GUESSED_ROLES, Judged, NOT_SAVED, OFFLOADED, Quality,
    UNKNOWN_LINK, reasons,
};
use crate::recorder::Recorder;
use crate::round_trips::RoundTrips;
use crate::routing::Routing;
use crate::slowest::Slowest;
use crate::summary::Conversations;
use crate::symptoms::Watch;
use crate::world::{Event, Growth, Seen, World};
use crate::{Attribution, Notice, Outcome, Reason, Settings, Sink, Transaction};
use std::sync::Arc;
use wirewait_model::Losses;
use wirewait_model::records::LineTimes;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, StopReason, Timestamp};

/// What conversations report to.
pub(crate) struct Books {
    pub(crate) directory: Directory,
    /// What is closed and not in the statistics yet.
    journal: Journal,
    pub(crate) slowest: Slowest,
    pub(crate) accounts: Accounts,
    pub(crate) routing: Routing,
    /// None where nobody reads them.
    pub(crate) meters: Option<Box<Meters>>,
    pub(crate) spending: Spending,
    pub(crate) round_trips: RoundTrips,
    pub(crate) watch: Watch,
    pub(crate) attribution: Attribution,
    pub(crate) quality: Quality,
    pub(crate) arrivals: Arrivals,
    pub(crate) protocols: Protocols,
    pub(crate) frames: u64,
    /// Frames of the capture that were left out in between.
    pub(crate) skipped: u64,
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
            journal: Journal::new(),
            slowest: Slowest::new(settings.slowest),
            accounts: Accounts::new(&settings),
            routing: Routing::new(settings.private),
            meters: Some(Box::new(Meters::new(settings.rows))),
            spending: Spending::new(&settings),
            round_trips: RoundTrips::new(settings.rows),
            watch: Watch::new(&settings),
            attribution: Attribution::default(),
            quality: Quality::default(),
            arrivals: Arrivals::default(),
            protocols: Protocols::new(protocols),
            frames: 0,
            skipped: 0,
            transactions: 0,
            open: 0,
            held: 0,
            recorder: None,
            seen: Arc::default(),
        }
    }

    /// `path` is that of the frame under way. What takes more than a line is done by functions of their
    /// own, so that each saves no more than it needs.
    #[inline]
    pub(crate) fn event(&mut self, event: Event<'_>, path: &Path, sink: &mut dyn Sink) {
        match event {
            Event::Opened(transaction, parties) => {
                self.open += 1;
                self.met(transaction, parties);
            }
            Event::Begins(wait) => self.begins(&wait, path),
            Event::Ends(wait, at, outstanding) => self.ends(&wait, at, outstanding),
            Event::Answered(case) => self.answered(case),
            Event::Closed(case) => self.closed(case, path, sink),
            Event::Control(share) => self.attribution.control += share,
            Event::Protocol(id) => self.protocols.completes(self.frames, id),
            Event::Held(bytes) => self.held = self.held.saturating_add_signed(bytes),
            Event::Notice(notice) => self.noticed(notice, path, sink),
            // What does not happen with every request.
            Event::Admitted(transaction, parties) => self.admitted(transaction, parties),
            Event::Orphaned(transaction, parties) => self.met(transaction, parties),
            Event::Assembled(message) => sink.assembled(message),
            Event::Did(transaction, deed, frame) => {
                sink.did(frame.unwrap_or(self.now()), transaction, deed);
            }
            Event::Waits(wait) => self.waits(&wait),
            Event::Waited(wait, at) => self.waited(&wait, at),
            Event::Lost(wait, at) => self.lost(&wait, at),
            Event::Abandoned(wait, at) => self.abandoned(&wait, at),
            Event::Twice(sent, again) => self.arrivals.twice(sent, again),
            Event::Guessed => self.quality.guessed_roles += 1,
            Event::Limited(limit) => self.quality.limits.hit(limit),
            Event::Asked(case) => self.asked(case),
            Event::Grows(case, growth) => self.grows(case, growth),
            Event::Repeated(after_ns) => self.spending.repeated(self.now(), after_ns),
        }
    }

    /// A request was seen, or a response without one.
    #[inline(never)]
    fn met(&mut self, transaction: &mut Transaction, parties: &mut Parties) {
        self.directory.meet(transaction, parties);
        transaction.number = self.next_transaction();
    }

    /// A client waits for a request.
    #[inline(never)]
    fn begins(&mut self, wait: &Wait<'_>, path: &Path) {
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        if let Some(recorder) = &mut self.recorder {
            recorder.begins(&wait);
        }
        self.accounts.begins(wait, &self.round_trips);
        self.watch.begins(wait);
        self.spending.begins(wait, path);
    }

    /// It no longer does, since `at`.
    #[inline(never)]
    fn ends(&mut self, wait: &Wait<'_>, at: Timestamp, outstanding: Option<&Outstanding>) {
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        if let Some(recorder) = &mut self.recorder {
            recorder.ends(&wait, at);
        }
        self.watch.ends(wait, at, outstanding);
        self.accounts.ends(wait, at, outstanding, &self.round_trips);
        self.spending.ends(wait, at);
    }

    /// The answer of a request is complete.
    #[inline(never)]
    fn answered(&mut self, case: Case<'_>) {
        let proved = self.directory.are_proved(case.transaction, case.parties);
        if !proved || self.meters.is_some() {
            self.is_answered(case);
        }
    }

    #[inline(never)]
    fn is_answered(&mut self, case: Case<'_>) {
        let mut room = None;
        let case = case.known(&mut self.directory, &mut room);
        self.directory.prove(case.parties);
        if let Some(meters) = &mut self.meters {
            meters.answered(case);
        }
    }

    /// A transaction is closed.
    #[inline(never)]
    fn closed(&mut self, case: Case<'_>, path: &Path, sink: &mut dyn Sink) {
        let mut room = None;
        let case = case.known(&mut self.directory, &mut room);
        let transaction = case.transaction;
        self.attribution.transactions += transaction.share;
        if transaction.outcome != Outcome::OrphanResponse {
            self.open = self.open.saturating_sub(1);
        }
        let took = transaction.took();
        if let Some(took) = &took {
            self.slowest.closed(transaction, took.response_ns);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.answered(case, took.as_ref());
        }
        self.watch.closed(case);
        if let Some(meters) = &mut self.meters {
            meters.closed(case);
        }
        self.enter(case, took, path);
        sink.transaction(transaction);
    }

    /// A transport did something.
    #[inline(never)]
    fn noticed(&mut self, notice: &Notice, path: &Path, sink: &mut dyn Sink) {
        self.round_trips.noticed(notice, path);
        self.watch.noticed(notice, path, &mut self.directory);
        if let Some(meters) = &mut self.meters {
            meters.noticed(notice, path);
        }
        self.spending.noticed(notice);
        sink.noticed(notice);
    }

    /// A client on probation is known now.
    #[inline(never)]
    fn admitted(&mut self, transaction: &Transaction, parties: &mut Parties) {
        self.directory.admit(transaction, parties);
        if let Some(meters) = &mut self.meters {
            meters.admitted(Case {
                transaction,
                parties,
            });
        }
    }

    /// A wait by design begins.
    #[inline(never)]
    fn waits(&mut self, wait: &Wait<'_>) {
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        self.accounts.waits(wait);
    }

    /// It is over, since `at`.
    #[inline(never)]
    fn waited(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        self.accounts.waited(wait, at);
    }

    /// Until `at`, it was loss recovery.
    #[inline(never)]
    fn lost(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        self.watch.lost(wait, at);
        self.accounts.lost(wait, at);
    }

    /// Its client aborted the connection.
    #[inline(never)]
    fn abandoned(&mut self, wait: &Wait<'_>, at: Timestamp) {
        let frame = self.now();
        let mut room = None;
        let wait = wait.known(&mut self.directory, &mut room);
        self.watch.abandoned(wait, crate::Mark { frame, at });
    }

    /// A request is complete.
    #[inline(never)]
    fn asked(&mut self, case: Case<'_>) {
        let mut room = None;
        if let Some(meters) = &mut self.meters {
            meters.asked(case.known(&mut self.directory, &mut room));
        }
    }

    /// A request or an answer that was counted goes on.
    #[cold]
    fn grows(&mut self, case: Case<'_>, growth: Growth) {
        let mut room = None;
        if let Some(meters) = &mut self.meters {
            meters.grows(case.known(&mut self.directory, &mut room), growth);
        }
    }

    /// Enters a closed transaction in the journal.
    fn enter(&mut self, case: Case<'_>, took: Option<LineTimes>, path: &Path) {
        let (payer, access) = self.spending.closed(case, path);
        let t = case.transaction;
        if journal::is_of_passer_by(case)
            && t.outcome != Outcome::OrphanResponse
            && let Some(recorder) = &mut self.recorder
        {
            recorder.batch.strangers.push(t.client.station());
        }
        let place = Journal::place(case);
        let known = self.journal.page(place).heading_of(case, payer);
        let known = known.map(|heading| heading.at);
        if !known.is_some_and(|at| self.directory.has_operation(at)) {
            self.post_page(place);
            let at = self.directory.operation_of(t, case.parties.server);
            let heading = Heading::new(case, payer, at);
            if let Some(key) = heading.key(t) {
                self.journal.begin(place, heading, key);
            }
        }
        if self.journal.enter(place, (t, took), &access) {
            self.post_page(place);
        }
    }

    /// Posts a page, which goes on under the same heading.
    fn post_page(&mut self, place: usize) {
        let Some((heading, group, spent)) = self.journal.under_way(place) else {
            return;
        };
        let tie = self.directory.left(&heading.parties).tie;
        if group.counts.answered > 0 {
            self.directory.prove_operation(heading.at);
        }
        self.spending.post((heading.payer, tie), group, spent);
        if let Some(recorder) = &mut self.recorder {
            recorder.batch.take(group);
        }
        self.journal.posted(place);
    }

    /// Brings the statistics up to date.
    pub(crate) fn post(&mut self) {
        for place in Journal::places() {
            self.post_page(place);
        }
    }

    /// Replaces `before` bytes held back in one place by `now` in their sum.
    pub(crate) fn holds(&mut self, before: usize, now: usize) {
        self.held = self.held.saturating_sub(before).saturating_add(now);
    }

    /// Number of the frame under way.
    pub(crate) fn now(&self) -> u64 {
        self.frames.saturating_add(self.skipped)
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
        conversation.finish(now, world, &mut |e| self.event(e, &nowhere, sink));
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
                self.watch.missed(pair);
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
        self.round_trips.seen(seen);
        let round_trips = &mut self.round_trips;
        let copied = self
            .routing
            .seen(seen, |crossing| round_trips.crossed(crossing));
        if let Some(recorder) = &mut self.recorder {
            recorder.seen(seen);
        }
        self.watch.seen(seen);
        if let Some(meters) = &mut self.meters {
            meters.seen(seen);
        }
        let walk = seen.walk;
        self.protocols.seen(self.frames, walk);
        let quality = &mut self.quality;
        match walk.stop.map(|s| s.reason) {
            Some(StopReason::Snapped) => quality.snapped += 1,
            Some(StopReason::Truncated) => quality.truncated += 1,
            Some(StopReason::Malformed) => quality.malformed += 1,
            None => quality.unknown_link += u64::from(walk.spans().is_empty()),
        }
        copied
    }

    pub(crate) fn count_unread(&mut self, message: &Message<'_>) {
        self.quality.faults.malformed += u64::from(message.malformed);
    }

    /// What speaks for and against the capture.
    /// `conversations`: how many were followed; `forgotten`: numbers of files and shares that lost their
    /// names; `offloaded`: frames longer than any on the wire; `hits`: what others than these books lost to
    /// fixed bounds; `losses`: what the statistics lost.
    pub(crate) fn reasons(
        &self,
        conversations: u64,
        forgotten: u64,
        offloaded: u64,
        hits: &bounds::Hits,
        losses: &Losses,
    ) -> Vec<Reason> {
        let q = &self.quality;
        let hits = self.hits(losses).and(hits);
        let judged = Judged {
            frames: self.frames,
            known: self.frames.saturating_sub(q.unknown_link),
            conversations,
        };
        reasons(&judged, |name| match name {
            DROPPED => q.dropped,
            NOT_SAVED => q.not_saved,
            "gaps" => q.faults.gaps.saturating_add(q.lost_on_links),
            "one_sided" => q.one_sided,
            "clock_steps" => q.clock_steps,
            CLOCKS_APART => q.clocks_apart,
            COARSE_CLOCK => q.coarse_clock,
            "evicted" => q.evicted,
            "open_requests" => q.limits.open_requests,
            "conversation_requests" => q.limits.conversation_requests,
            "held_bytes" => q.limits.held_bytes,
            "stream_bytes" => q.limits.stream_bytes,
            "rows_evicted" => self
                .directory
                .evicted
                .saturating_add(self.round_trips.evicted)
                .saturating_add(self.routing.evicted())
                .saturating_add(losses.rows)
                .saturating_add(self.watch.evicted())
                .saturating_add(self.meters.as_ref().map_or(0, |meters| meters.evicted))
                .saturating_add(self.spending.evicted()),
            "names_evicted" => forgotten,
            UNKNOWN_LINK => q.unknown_link,
            "truncated" => q.truncated,
            OFFLOADED => offloaded,
            GUESSED_ROLES => q.guessed_roles,
            "malformed" => q.malformed.saturating_add(q.faults.malformed),
            "snapped" => q.snapped,
            "mid_capture" => q.mid_capture,
            "duplicates" => self.attribution.duplicates.saturating_sub(q.beyond_routers),
            "doubled" => self.arrivals.doubled,
            "beyond_routers" => q.beyond_routers,
            "retransmitted" => q.faults.retransmitted,
            "needless" => self.arrivals.needless,
            bound => hits.named(bound),
        })
    }

    /// What was lost to fixed bounds.
    fn hits(&self, losses: &Losses) -> bounds::Hits {
        let mut hits = self.accounts.hits();
        hits.add(Bound::Pieces, self.quality.limits.pieces);
        hits.add(Bound::Sightings, self.seen.beyond);
        let meters = self.meters.as_ref();
        let meters = meters.map_or(bounds::Hits::NONE, |meters| *meters.hits());
        hits.add(Bound::LoadStretches, losses.stretches);
        hits.add(Bound::LoadWaiting, losses.hasty);
        hits.and(self.routing.hits())
            .and(&self.watch.hits())
            .and(self.spending.hits())
            .and(&self.round_trips.hits)
            .and(&meters)
    }
}
