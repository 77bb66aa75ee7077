//! All that the screen knows.

use crate::context::Context;
use crate::keymap::Keymap;
use crate::keys;
use crate::place::{Place, TABS};
use crate::state::{Lines, Pane, Picked, Talk, talks};
use crate::table::{self, Wishes};
use crate::theme::{Palette, Tone};
use crate::units::Units;
use crate::{Feed, Input};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::RandomState;
use std::sync::Arc;
use wirewait_analysis::{Losses, ServerTotal, Subject};
use wirewait_report::counters::Chart;
use wirewait_wire::Timestamp;

/// How the screen begins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which colours; where nobody said, none if `NO_COLOR` is set, else those for a dark ground.
    pub palette: Option<Palette>,
    /// Units of rates and sizes.
    pub units: Units,
    /// Whether names of users, shares and files are hidden.
    pub private: bool,
    /// Whether the mouse chooses rows and tabs; the terminal's own selection takes Shift then.
    pub mouse: bool,
    /// Which keys do what.
    pub keys: Keymap,
    /// Nothing but ASCII is written, for terminals that know nothing else.
    pub ascii: bool,
}

/// The state of the screen.
#[derive(Debug)]
pub struct Model {
    pub(crate) size: (u16, u16),
    /// What is shown.
    pub(crate) feed: Option<Arc<Feed>>,
    /// The latest, if that is another one.
    pub(crate) latest: Option<Arc<Feed>>,
    pub(crate) frozen: bool,
    /// Which of the tabs is open, and for each the way from its first place down.
    pub(crate) tab: usize,
    pub(crate) ways: Vec<Vec<Level>>,
    pub(crate) overlay: Overlay,
    /// The answer to the last key, until the next one.
    pub(crate) said: Option<(Tone, String)>,
    pub(crate) palette: Palette,
    pub(crate) units: Units,
    pub(crate) private: bool,
    /// Window of the figures in seconds, where a view has one; `None`: the whole capture.
    pub(crate) window: Option<u32>,
    /// Makes names unreadable, differently in every run.
    secret: RandomState,
    /// Servers as a whole, of what is shown.
    pub(crate) servers: Arc<Vec<ServerTotal>>,
    /// Conversations of the last minutes, of what is shown; counted when somebody looks.
    talks: OnceCell<Vec<Talk>>,
    /// What symptoms cost in the window, likewise.
    losses: OnceCell<Losses>,
    /// The counters of the window, where there is one; likewise.
    counters: OnceCell<Chart>,
    /// Symptoms that appeared and went while somebody watched, the latest last.
    pub(crate) changes: VecDeque<Change>,
    /// The row of the overview that is chosen.
    pub(crate) picked: Picked,
    /// Which columns are wished for, by the name of the view.
    pub(crate) columns: BTreeMap<&'static str, Wishes>,
    /// The lines of the counters' chart.
    pub(crate) chart: Lines,
    pub(crate) keys: Keymap,
    pub(crate) ascii: bool,
    /// Something changed since it was drawn.
    pub(crate) changed: bool,
}

/// A place on the way down, and how its table stands.
#[derive(Clone, Debug)]
pub(crate) struct Level {
    pub(crate) place: Place,
    pub(crate) table: table::State,
    pub(crate) pane: Pane,
}

impl Level {
    pub(crate) fn new(place: Place) -> Self {
        Self {
            place,
            table: table::State::default(),
            pane: Pane::default(),
        }
    }
}

/// A key that does something here, and in a word what.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    pub(crate) key: String,
    pub(crate) word: String,
    pub(crate) action: keys::Action,
}

/// Changes of symptoms that are remembered.
const CHANGES: usize = 200;

/// A symptom that appeared or went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// By the capture's clock.
    pub(crate) at: Timestamp,
    pub(crate) appeared: bool,
    pub(crate) rule: &'static str,
    pub(crate) subject: Subject,
}

/// What lies above the screen and takes the keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Overlay {
    #[default]
    None,
    /// The keys, from this line on.
    Help(usize),
    /// The columns to sort by, this one chosen.
    Sort(usize),
    /// The columns to show, this one chosen.
    Columns(usize),
    /// The filter is being typed; what it was before.
    Filter(String),
    /// The number of a request or of frames is being typed.
    Number(String),
    /// Whether to forget all figures.
    Reset,
    /// In which form to export, this one chosen.
    Export(usize),
}

impl Default for Model {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Model {
    /// Before anything was fed.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            size: (80, 24),
            feed: None,
            latest: None,
            frozen: false,
            tab: 0,
            ways: TABS
                .iter()
                .map(|tab| vec![Level::new(tab.place.clone())])
                .collect(),
            overlay: Overlay::None,
            said: None,
            palette: options.palette.unwrap_or_default(),
            units: options.units,
            private: options.private,
            window: None,
            secret: RandomState::new(),
            servers: Arc::default(),
            talks: OnceCell::new(),
            losses: OnceCell::new(),
            counters: OnceCell::new(),
            changes: VecDeque::new(),
            picked: Picked::default(),
            columns: BTreeMap::new(),
            chart: Lines::default(),
            keys: options.keys,
            ascii: options.ascii,
            changed: true,
        }
    }

    /// Of a terminal of this size.
    #[must_use]
    pub fn sized(mut self, width: u16, height: u16) -> Self {
        self.size = (width, height);
        self
    }

    /// Whether something changed since it was drawn.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.changed
    }

    /// It was drawn.
    pub fn drawn(&mut self) {
        self.changed = false;
    }

    /// The place that is open.
    pub(crate) fn level(&self) -> &Level {
        // A way is never empty, and the tab is one of them.
        self.ways[self.tab]
            .last()
            .unwrap_or(&self.ways[self.tab][0])
    }

    pub(crate) fn level_mut(&mut self) -> &mut Level {
        let last = self.ways[self.tab].len().saturating_sub(1);
        &mut self.ways[self.tab][last]
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context {
            theme: self.palette.theme(),
            units: self.units,
            drops: self.drops().unwrap_or(0),
            first: self.feed.as_ref().and_then(|f| f.snapshot.capture.first),
            secret: self.private.then_some(&self.secret),
            recent: self.feed.as_ref().map(|feed| feed.recent.as_ref()),
            window: self.window,
        }
    }

    /// Whether names of users, shares and files are not to be seen.
    pub(crate) fn hides_names(&self) -> bool {
        let feed = self.feed.as_ref();
        self.private || feed.is_some_and(|feed| feed.snapshot.settings.private)
    }

    /// Frames that were lost before they came here; `None` where nobody counts them.
    pub(crate) fn drops(&self) -> Option<u64> {
        // Always the latest: what is lost while the screen stands still is said all the same.
        let feed = self.latest.as_ref().or(self.feed.as_ref())?;
        match &feed.input {
            Input::Live { interfaces, .. } => Some(
                interfaces
                    .iter()
                    .map(|i| i.dropped.saturating_add(i.dropped_by_interface))
                    .fold(0, u64::saturating_add),
            ),
            Input::Files { .. } => feed.about.dropped(),
        }
    }

    /// Whether files are replayed.
    pub(crate) fn replays(&self) -> bool {
        self.feed
            .as_ref()
            .is_some_and(|feed| matches!(feed.input, Input::Files { .. }))
    }

    pub(crate) fn has_table(&self) -> bool {
        self.level().table.exists()
    }

    /// Notes which symptoms appeared since the feed before, and which went. What was there when
    /// the screen began is no change, and neither is what a replay finds anew after going back.
    pub(crate) fn note_changes(&mut self, feed: &Feed) {
        let Some((before, now)) = self.feed.as_ref().zip(feed.now) else {
            return;
        };
        if before.now.is_some_and(|then| then > now) {
            self.changes.clear();
            return;
        }
        let raised = |feed: &Feed| -> BTreeSet<(&'static str, Subject)> {
            let raised = feed.snapshot.symptoms.raised();
            raised
                .map(|symptom| (symptom.rule.id, symptom.subject))
                .collect()
        };
        let (old, new) = (raised(before), raised(feed));
        let change = |appeared| {
            move |(rule, subject): &(&'static str, Subject)| Change {
                at: now,
                appeared,
                rule,
                subject: *subject,
            }
        };
        self.changes.extend(new.difference(&old).map(change(true)));
        self.changes.extend(old.difference(&new).map(change(false)));
        let too_many = self.changes.len().saturating_sub(CHANGES);
        self.changes.drain(..too_many);
    }

    /// What is counted when somebody looks is of other figures, or of another window, from now on.
    pub(crate) fn count_anew(&mut self) {
        (self.talks, self.losses, self.counters) = Default::default();
    }

    /// Conversations of the last minutes, the busiest first.
    pub(crate) fn talks(&self) -> &[Talk] {
        self.talks.get_or_init(|| {
            let feed = self.feed.as_ref();
            feed.map_or_else(Vec::new, |feed| talks(&feed.recent, self.window))
        })
    }

    /// What symptoms cost in the window; `None` where figures are of all the capture.
    pub(crate) fn losses(&self) -> Option<&Losses> {
        let feed = self.feed.as_ref().filter(|_| self.window.is_some())?;
        Some(self.losses.get_or_init(|| {
            let window = self.context().window(&feed.recent);
            feed.symptoms.between(window.begins(), window.ends())
        }))
    }

    /// The counters of the window, or of all that is kept; `None` before anything was fed.
    pub(crate) fn counters(&self) -> Option<&Chart> {
        let feed = self.feed.as_ref()?;
        let Some(seconds) = self.window else {
            return Some(&feed.counters);
        };
        Some(self.counters.get_or_init(|| {
            let window_ns = i64::from(seconds).saturating_mul(1_000_000_000);
            let intervals = window_ns / feed.counters.interval_ns().max(1);
            feed.counters
                .last(usize::try_from(intervals).unwrap_or(0).max(1))
        }))
    }

    pub(crate) fn say(&mut self, text: impl Into<String>) {
        self.said = Some((Tone::Plain, text.into()));
    }

    pub(crate) fn complain(&mut self, text: impl Into<String>) {
        self.said = Some((Tone::Bad, text.into()));
    }

    /// Whether a replay stands still.
    pub(crate) fn paused(&self) -> bool {
        let feed = self.latest.as_ref().or(self.feed.as_ref());
        feed.is_some_and(|feed| matches!(feed.input, Input::Files { paused: true, .. }))
    }
}
