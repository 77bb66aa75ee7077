//! The analyser: frames in, transactions and figures out.

mod calls;
mod connections;
mod doorstep;
mod figures;
mod frames;
mod links;
mod messages;
mod records;
mod streams;
mod turns;
mod unclaimed;
mod units;

use crate::assembler::Rooms;
use crate::books::{Books, Reporter};
use crate::clock::{Clock, SharedSteps};
use crate::conversation::{Beginning, Conversation, Vacant};
use crate::duplicates::Duplicates;
use crate::intake::{Intake, Look};
use crate::key::ConversationKey;
use crate::names::KnownNames;
use crate::numbered::Link;
use crate::packets::SharedCounts;
use crate::path::{Path, Paths};
use crate::piece::Piece;
use crate::segment::{SegmentSizes, Segments};
use crate::services::Services;
use crate::table::{Table, TablePlace};
use crate::world::{Shared, World};
use crate::{Flags, Resumed, Settings, Sink, Thresholds, Transaction};
use calls::Calls;
use connections::Connections;
use doorstep::Doorstep;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use unclaimed::Unclaimed;
use wirewait_model::records::RecordBatch;
use wirewait_wire::{
    DissectorId, Facts, Frame, KnownWalks, Next, Order, Registry, Templates, Timestamp,
};

/// Silent conversations are looked at this often, in the capture's own time, ns.
const SWEEP_NS: u64 = 10_000_000_000;

/// How often while no frames come: a screen shows what is answered soon after.
const SILENT_SWEEP_NS: u64 = 500_000_000;

/// Timers of stations that wait for an acknowledgement or a response have run out by then, ns: T1 of LLC takes 2.2 s at
/// most, a second one of IPX's clients three.
const TIMERS_NS: i64 = 4_000_000_000;
/// What was sent longer before a silence may be nobody's concern any more, ns.
const RECENT_NS: i64 = 1_000_000_000;

/// Counts records, and gives room for the next ones.
type Taker<'a> = Option<&'a mut dyn FnMut(RecordBatch) -> RecordBatch>;

/// Turns frames into transactions and figures.
///
/// Memory is bounded by the [`Settings`]: every table gives up what was untouched for
/// longest and counts it. Time is that of the frames.
pub struct Analyzer {
    pub(crate) common: Shared,
    templates: Templates,
    /// The walks that an [intake](Analyzer::intake) has told of.
    walks: KnownWalks,
    paths: Paths,
    pub(crate) state: AnalyzerState,
}

pub(crate) struct AnalyzerState {
    conversations: Table<ConversationKey, Box<Conversation>>,
    /// A link is taken out while its conversations are worked on, and put back.
    links: Table<ConversationKey, Option<Box<Link>>>,
    calls: Calls,
    doorstep: Doorstep,
    connections: Connections,
    unclaimed: Unclaimed,
    services: Services,
    pub(crate) books: Books,
    duplicates: Duplicates,
    counts: SharedCounts,
    segments: Segments,
    /// Apart from that of the segments, which may be elsewhere: both forget the same where there are too many.
    sizes: SegmentSizes,
    clock: Clock,
    latest: Timestamp,
    numbered: u64,
    swept: Timestamp,
    /// Since when a station waited before the silence that the next frame comes behind, see [`AnalyzerState::waits`].
    waited_since: Option<(Timestamp, bool)>,
    observed: bool,
    vacant: Vacant,
    /// Room for records, where they are counted while all that is open is closed.
    room: RecordBatch,
}

/// A frame on its way to its conversation.
#[derive(Clone, Copy)]
struct Arrival<'a> {
    facts: &'a Facts,
    path: &'a Path,
    next: &'a Next,
    carrier: &'static str,
    piece: Piece<'a>,
    /// The message that the frame is, and who reads it.
    message: Option<DissectorId>,
    /// The innermost layer, which tells kinds of conversations apart.
    layer: DissectorId,
}

impl Analyzer {
    /// An analyser for the protocols of `registry`.
    #[must_use]
    pub fn new(registry: Registry, settings: Settings) -> Self {
        let protocols = registry.dissectors().len();
        let registry = Arc::new(registry);
        Self {
            templates: Templates::default(),
            walks: KnownWalks::default(),
            common: Shared {
                registry,
                names: RefCell::new(KnownNames::new(settings.names, settings.private)),
                settings,
                spare: RefCell::default(),
                rooms: Rooms::default(),
                steps: SharedSteps::default(),
                suspect: Cell::new(0),
                tick_ns: Cell::new(0),
                metered: true,
            },
            paths: Paths::new(settings.conversations),
            state: AnalyzerState {
                conversations: Table::new(settings.conversations),
                links: Table::new(settings.conversations),
                calls: Calls::new(settings.conversations),
                doorstep: Doorstep::new(settings.conversations),
                connections: Connections::new(settings.conversations),
                unclaimed: Unclaimed::new(),
                services: Services::new(),
                books: Books::new(settings, protocols),
                duplicates: Duplicates::new(),
                segments: Segments::new(&settings),
                sizes: SegmentSizes::new(settings.conversations),
                counts: SharedCounts::default(),
                clock: Clock::default(),
                latest: Timestamp::from_nanos(i64::MIN),
                numbered: 0,
                swept: Timestamp::from_nanos(i64::MIN),
                waited_since: None,
                observed: false,
                vacant: Vacant::default(),
                room: RecordBatch::default(),
            },
        }
    }

    /// Also reports every message and the effect of every frame to the sink, for programs that show
    /// frames. Each message under way then remembers where its bytes were.
    #[must_use]
    pub fn observed(mut self) -> Self {
        self.state.observed = true;
        self
    }

    /// Keeps no meters, for programs that want the [snapshot](Analyzer::snapshot) and no
    /// [readings](Analyzer::readings), which are empty then: they cost a tenth of the time.
    #[must_use]
    pub fn unmetered(mut self) -> Self {
        self.state.books.meters = None;
        self.common.metered = false;
        self
    }

    /// The settings that figures depend on.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.common.settings
    }

    /// Judges symptoms by these thresholds rather than by the built-in ones.
    #[must_use]
    pub fn judging_by(mut self, thresholds: Thresholds) -> Self {
        self.state.books.judge_by(thresholds);
        self
    }

    /// Keeps where the time went in the last `seconds`, for [`Analyzer::ledger_course`], and what
    /// symptoms cost in them, for [`Analyzer::symptom_course`].
    #[must_use]
    pub fn keeping_course(mut self, seconds: u32) -> Self {
        self.state.books.accounting.watch.keep_course(seconds);
        self.state.books.accounting.accounts.keep_course(seconds);
        self
    }

    /// Takes the next frame in.
    // Part of the loop over frames.
    #[inline(always)]
    pub fn frame(&mut self, frame: &Frame<'_>, sink: &mut dyn Sink) {
        let Shared {
            registry, settings, ..
        } = &self.common;
        let walk = registry.walk_by(&mut self.templates, frame);
        let before = self.state.duplicates.look(frame, walk, settings);
        let looked = (walk, &before, None);
        self.state
            .frame(frame, looked, &mut self.paths, &self.common, sink);
    }

    /// For looking at frames elsewhere, ahead of the analysis, which then is
    /// [told](Analyzer::looked) of all of them. It goes on behind the frames that were taken in
    /// so far. Whether two clocks stamped the same packets shows once it is [given back](Analyzer::intake_over).
    #[must_use]
    pub fn intake(&self) -> Intake {
        let registry = Arc::clone(&self.common.registry);
        let seen = self.state.duplicates.clone();
        Intake::new(registry, self.common.settings, seen)
    }

    /// As [`Analyzer::intake`], which also counts how full the segments are, until it is
    /// [given back](Analyzer::intake_over).
    #[must_use]
    pub fn intake_counting(&mut self) -> Intake {
        let mut intake = self.intake();
        let empty = Segments::new(&self.common.settings);
        intake.segments = Some(std::mem::replace(&mut self.state.segments, empty));
        intake
    }

    /// Takes back what this [counted](Analyzer::intake_counting), and goes on behind the frames that it
    /// looked at.
    pub fn intake_over(&mut self, intake: Intake) {
        self.state.duplicates = intake.duplicates;
        if let Some(segments) = intake.segments {
            self.state.segments = segments;
        }
    }

    /// Takes the next frame in, at which an [intake](Analyzer::intake) of this analyser has
    /// looked.
    pub fn looked(&mut self, frame: &Frame<'_>, look: &Look, sink: &mut dyn Sink) {
        let walk = look.walk(&mut self.walks, frame, &self.common.registry);
        let looked = (walk, &look.before, look.counted);
        self.state
            .frame(frame, looked, &mut self.paths, &self.common, sink);
    }

    /// Sets the link speed of this interface that the capture states, bit/s.
    pub fn link_speed(&mut self, interface: u32, bits_per_second: u64) {
        self.state.segments.speed(interface, bits_per_second);
    }

    /// Sets the number of frames dropped before the capture, as the capturing program counted them;
    /// includes those of parts analyzed earlier.
    pub fn lost(&mut self, frames: u64) {
        self.state.books.quality.dropped = frames;
    }

    /// Frames, in all, that reached the capturing program and are not in its files.
    pub fn not_saved(&mut self, frames: u64) {
        self.state.books.quality.not_saved = frames;
    }

    /// The clock of the capture was set forward before the next frame, if this goes on where the connection was:
    /// otherwise the capture lacks frames, and shows nothing. Stamps alone cannot show it: it is silence
    /// to them. Transactions that span it have no times, and nobody has the time between.
    #[cold]
    pub fn clock_was_set(&mut self, resumed: &Resumed) {
        let ends = [resumed.from, resumed.to];
        let goes_on = self.state.conversations.iter().any(|(key, conversation)| {
            let side = match key.ends() {
                [a, b] if [a, b] == ends => 0,
                [a, b] if [b, a] == ends => 1,
                _ => return false,
            };
            conversation.is_resumed(side, (resumed.seq, resumed.ack))
        });
        if goes_on {
            self.state.clock.is_set();
        }
    }

    /// The next frame, of this time, comes behind a silence of which no clock of a station tells whether it was one:
    /// if a station's timer should have run out meanwhile, it may have been none.
    #[cold]
    pub fn behind_silence(&mut self, at: Timestamp) {
        let clock = &self.state.clock;
        // Single stamps may be wrong.
        let last = clock.latest().filter(|_| clock.is_steady());
        let last = last.filter(|last| at.since(*last) >= TIMERS_NS);
        let timeout = self.common.settings.timeout_ns;
        let waits = last.and_then(|last| match at.since(last) <= timeout {
            true => self.state.waits(last.plus(-RECENT_NS)),
            // What is answered after that tells alone.
            false => self.state.waits_on_link(last.plus(-RECENT_NS)),
        });
        self.state.waited_since = waits;
        if waits.is_some() {
            self.common.suspect.set(self.state.books.now() + 1);
        }
    }

    /// The latest frame came behind a silence: whether it was one, or the clock was set, may follow from what the frame is.
    pub fn was_behind_silence(&mut self) {
        self.state.suspect(&self.common);
    }

    /// The stamp of the latest frame.
    #[must_use]
    pub fn latest_stamp(&self) -> Option<Timestamp> {
        self.state.clock.latest()
    }

    /// Leaves the next frame of the capture out of everything but the count by which frames
    /// are numbered, so that the others keep the numbers every analyser shows.
    pub fn skip(&mut self) {
        self.skip_all(1);
    }

    /// Skips this number of frames, see [`Analyzer::skip`].
    pub fn skip_all(&mut self, frames: u64) {
        self.state.books.skip(frames);
    }

    /// The number of the latest frame, counted from 1: those left out included.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.state.books.now()
    }

    /// Time passes without frames (a silent live segment): closes what has waited too long, and
    /// settles the account of time. At most twice a second of `now`.
    pub fn advance(&mut self, now: Timestamp, sink: &mut dyn Sink) {
        self.state.latest = self.state.latest.max(now);
        if now.since(self.state.swept).unsigned_abs() >= SILENT_SWEEP_NS {
            self.state.sweep(now, &self.common, sink);
        }
    }

    /// Transactions whose response is complete, and which are not closed yet: a repetition may
    /// still follow, until their client asks for the next thing or some time has passed. At most
    /// `most`, by their numbers; all of them go to the sink when they are closed.
    #[must_use]
    pub fn answered(&self, most: usize) -> Vec<Transaction> {
        let conversations = self.state.conversations.iter();
        let unclosed = conversations.flat_map(|(_, conversation)| conversation.unclosed());
        let mut found: Vec<Transaction> = unclosed.take(most).cloned().collect();
        found.sort_by_key(|t| t.number);
        found
    }

    /// The capture is over: closes everything that is open.
    pub fn finish(&mut self, sink: &mut dyn Sink) {
        self.finish_handing(sink, &mut None);
    }

    /// As [`Analyzer::finish`], and hands what it records to `taker` whenever there is
    /// [enough](Analyzer::has_batch) of it; the rest stays to be [taken](Analyzer::take_all). The taker gives
    /// room for the next records back.
    pub fn finish_recorded(
        &mut self,
        sink: &mut dyn Sink,
        mut taker: impl FnMut(RecordBatch) -> RecordBatch,
    ) {
        self.finish_handing(sink, &mut Some(&mut taker));
    }

    fn finish_handing(&mut self, sink: &mut dyn Sink, taker: &mut Taker<'_>) {
        // Nothing is where it was.
        self.paths = Paths::new(self.common.settings.conversations);
        self.state.finish(&self.common, sink, taker);
    }
}

impl AnalyzerState {
    /// Begins a conversation. It may be the rest of one that was given up because there were too
    /// many.
    fn begin(
        &mut self,
        key: ConversationKey,
        mut beginning: Beginning,
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) -> TablePlace {
        self.numbered += 1;
        beginning.number = self.numbered;
        beginning.rest = !beginning.from_start && self.books.quality.evicted > 0;
        self.begin_numbered(key, beginning, world, sink)
    }

    /// Begins a conversation that has its number.
    fn begin_numbered(
        &mut self,
        key: ConversationKey,
        beginning: Beginning,
        world: &World<'_>,
        sink: &mut dyn Sink,
    ) -> TablePlace {
        let conversation = self.vacant.next(&beginning, self.observed);
        let (place, evicted) = self.conversations.insert(key, conversation);
        if let Some(mut evicted) = evicted {
            self.books.quality.evicted += 1;
            evicted.give_up();
            self.books.finish(&mut evicted, self.latest, world, sink);
            self.vacant.keep(evicted);
        }
        place
    }

    #[cold]
    fn sweep(&mut self, now: Timestamp, common: &Shared, sink: &mut dyn Sink) {
        self.swept = now;
        let nowhere = Path::default();
        let world = self.world(common);
        let since = now.plus(-common.settings.timeout_ns);
        self.tired_of_waiting(Some(since), &world, sink);
        let books = &mut self.books;
        for conversation in self.conversations.iter_mut() {
            let mut events = Reporter::new(books, &nowhere, sink);
            conversation.expire(now, &world, &mut events);
        }
        for notice in self.connections.expire(Some(since)) {
            self.books.noticed(&notice, &nowhere, sink);
        }
        self.books.settle(now);
    }

    fn finish(&mut self, common: &Shared, sink: &mut dyn Sink, taker: &mut Taker<'_>) {
        for mut link in self.links.drain().flatten() {
            self.flush(&mut link, Flags::CAPTURE_LOSS, common, sink);
        }
        let mut world = self.world(common);
        world.over = true;
        self.tired_of_waiting(None, &world, sink);
        for mut conversation in self.conversations.drain() {
            self.books
                .finish(&mut conversation, self.latest, &world, sink);
            // All that is open closes now: its records would take more room than it did.
            if let Some(taker) = taker
                && self.books.has_batch()
            {
                self.room = taker(self.books.take_batch(std::mem::take(&mut self.room)));
            }
        }
        for notice in self.connections.expire(None) {
            self.books.noticed(&notice, &Path::default(), sink);
        }
        self.books.accounting.finish();
        if let Some(recorder) = &mut self.books.recorder {
            recorder.over();
        }
    }

    fn world<'a>(&self, common: &'a Shared) -> World<'a> {
        World {
            shared: common,
            sure: self.clock.sure(),
            open: self.books.open,
            held: self.books.held,
            over: false,
            observed: self.observed,
        }
    }
}

impl Arrival<'_> {
    fn key(&self) -> (ConversationKey, usize) {
        let session = self.facts.session.map(|s| (s.from, s.to));
        ConversationKey::new((self.facts.from, self.facts.to), session, self.layer.0)
    }

    /// Whether it is a frame of a link whose connections have numbers of their own: those send again what was lost
    /// without asking first, as LLC does.
    fn repeats_silently(&self) -> bool {
        matches!(self.facts.order, Order::Numbered(n) if n.connection.is_some())
    }
}
