//! What the screen is fed: the figures as they stood at one moment, and where they come from.

use std::sync::Arc;
use wirewait_analysis::recent::History;
use wirewait_analysis::{LedgerCourse, Snapshot, SymptomCourse, Transaction};
use wirewait_report::About;
use wirewait_report::counters::Chart;
use wirewait_wire::Timestamp;

/// All that the screen can show, as it stood at one moment. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Feed {
    /// Where the capture's clock stands; `None` before the first frame.
    pub now: Option<Timestamp>,
    /// Where the frames come from.
    pub input: Input,
    /// What a report would say of the input.
    pub about: Arc<About>,
    /// The figures.
    pub snapshot: Arc<Snapshot>,
    /// The last minutes, second by second.
    pub recent: Arc<History>,
    /// Where the time of the last minutes went, likewise.
    pub ledgers: Arc<LedgerCourse>,
    /// What symptoms cost in them.
    pub symptoms: Arc<SymptomCourse>,
    /// The counters of the last minutes.
    pub counters: Arc<Chart>,
    /// The latest transactions that were closed, the oldest first.
    pub transactions: Arc<Vec<Transaction>>,
    /// Transactions that were closed but are no longer in `transactions`.
    pub transactions_forgotten: u64,
    /// What this program itself takes.
    pub own: Own,
    /// What happened to the input, the latest last; a few.
    pub remarks: Vec<Remark>,
}

/// Where the frames come from.
#[derive(Clone, Debug)]
pub enum Input {
    /// From interfaces, now.
    Live {
        /// The interfaces, by number.
        interfaces: Vec<LiveInterface>,
        /// The capture filter.
        filter: Option<String>,
        /// The files that the frames are saved to.
        saving: Option<Saving>,
    },
    /// From capture files, replayed.
    Files {
        /// The files, as the user named them.
        names: Vec<String>,
        /// Stamps of the first and the last frame, as far as they are known.
        span: Option<(Timestamp, Timestamp)>,
        /// How fast.
        pace: Pace,
        /// Whether the replay stands still.
        paused: bool,
        /// Whether all of it was shown.
        ended: bool,
        /// The moment that is being looked for; `Feed::now` tells how far it is.
        seeking: Option<Timestamp>,
        /// Whether one can go back: what comes through a pipe is gone when it was read.
        again: bool,
    },
}

impl Input {
    /// Whether frames come from interfaces now.
    pub(crate) fn is_live(&self) -> bool {
        matches!(self, Self::Live { .. })
    }
}

/// How fast files are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Seconds of the capture replayed per second.
    Times(u32),
    /// As fast as they can be read.
    Max,
}

/// An interface that is being captured from.
#[derive(Clone, Debug, Default)]
pub struct LiveInterface {
    /// The system's name.
    pub name: String,
    /// Bits per second, if the system tells.
    pub speed: Option<u64>,
    /// Whether frames can come from it at the moment.
    pub up: bool,
    /// Frames that libpcap received.
    pub received: u64,
    /// Frames that the kernel dropped because nobody took them in time.
    pub dropped: u64,
    /// Frames that the interface or its driver dropped, as far as the system tells.
    pub dropped_by_interface: u64,
}

/// Files that the frames are saved to.
#[derive(Clone, Debug, Default)]
pub struct Saving {
    /// The file under way.
    pub file: String,
    /// Files that were begun.
    pub files: u64,
    /// Bytes of the file under way.
    pub bytes: u64,
    /// Why nothing is saved at the moment.
    pub trouble: Option<String>,
}

/// What this program itself takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    /// Share of one processor since the last feed, in thousandths.
    pub cpu_thousandths: u32,
    /// Anonymous memory, bytes.
    pub memory_bytes: u64,
}

/// Something that happened to the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// By the capture's clock, if it ran.
    pub at: Option<Timestamp>,
    /// In words.
    pub text: String,
}
