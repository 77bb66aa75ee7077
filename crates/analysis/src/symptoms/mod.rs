//! Symptoms: what is known to be wrong with file service, looked for while frames and
//! transactions go by, and judged when the figures are asked for.
//!
//! A rule says of whom something is counted, of what it is a share, and from where on it is
//! a symptom. What looks like it but has another reason (a wait by design, a capture of one
//! direction) is counted against it: where only both together cross the threshold it is
//! withdrawn, and says why. Each has a cost, the time that somebody lost by it, and the
//! frames that show it.

mod announced;
mod answers;
mod clients;
mod course;
mod evidence;
mod files;
mod frames;
mod judging;
mod knocks;
mod links;
mod lost_time;
mod opens;
mod page;
mod pair;
mod repeats;
mod rhythm;
mod rows;
mod rule;
mod segment;
mod services;
mod sessions;
mod thresholds;
mod watch;
mod watchers;
mod window_limit;

#[cfg(test)]
pub(crate) mod testing;

use crate::Transaction;
use wirewait_wire::{Address, Endpoint, Kind};

pub(crate) use frames::FrameWatch;
pub(crate) use watch::Watch;

pub use course::{Losses, Lost, SymptomCourse};
pub use evidence::{Against, Base, Sight, Sights};
pub use rule::{Limit, Rule, Severity, State, Subject, Symptom, Whose};
pub use thresholds::{Threshold, Thresholds};
pub use window_limit::WindowLimit;

/// All rules. A new one is a line here, and the function that gathers for it.
pub static RULES: &[&Rule] = &[
    &answers::SERVER_BUSY,
    &answers::SLOW_ANSWERS,
    &answers::SLOW_SERVER,
    &answers::UNANSWERED,
    &answers::NO_RESPONSE,
    &answers::ONE_WAY,
    &answers::DENIED,
    &repeats::REQUEST_REPEATED,
    &repeats::TOO_MANY_REPEATS,
    &repeats::NOT_RESPONDING,
    &repeats::IMPATIENT,
    &repeats::ANSWER_RESENT,
    &repeats::TOO_MANY_RESENT,
    &repeats::OVERTAKEN,
    &files::LOOP,
    &files::OVERLAP,
    &files::SMALL_READS,
    &files::SLOW_TRANSFER,
    &files::RAW_DENIED,
    &opens::NOT_FOUND,
    &sessions::LOGON_REFUSED,
    &sessions::SLOW_CONNECT,
    &sessions::NO_CONNECT,
    &sessions::LOOKUPS,
    &sessions::ABSENT_NAMES,
    &sessions::ABANDONED,
    &sessions::RESET,
    &services::SERVICE_WAITS,
    &services::LONG_SERVICE_WAITS,
    &services::SERVER_WAITS,
    &clients::BREAK_WAIT,
    &clients::SLOW_BREAK,
    &clients::QUEUEING,
    &clients::FLUCTUATION,
    &rhythm::REGULAR,
    &clients::STARVING,
    &links::ACK_WAIT,
    &links::LATE_ACKS,
    &links::RECEIVER_BUSY,
    &links::FROZEN_WINDOW,
    &window_limit::WINDOW_LIMITS,
    &links::REJECTS,
    &links::POLL_UNANSWERED,
    &links::NOT_ACKNOWLEDGED,
    &links::TIMED_OUT,
    &links::NOT_CONNECTED,
    &links::REFUSED,
    &links::LATE_CONNECT,
    &segment::STORM,
    &segment::GROUP_MESSAGES,
    &segment::DUPLICATE_ADDRESS,
    &segment::ILLEGAL_SOURCE,
    &announced::MISSED,
];

/// Those that are found in sums when they are asked for: no moment is one at which they cost
/// something.
static UNDATED: &[&Rule] = &[&clients::FLUCTUATION, &rhythm::REGULAR, &clients::STARVING];

/// Whose costs are no part of the active time: no request to a file server is outstanding meanwhile.
static OUTSIDE: &[&Rule] = &[
    &sessions::LOOKUPS,
    &links::NOT_CONNECTED,
    &links::REFUSED,
    &links::LATE_CONNECT,
    &services::LONG_SERVICE_WAITS,
];

/// Everything that was looked for and seen at least once.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Symptoms {
    /// What the thresholds stood at.
    pub thresholds: Thresholds,
    /// Raised ones first, by cost, and those whose costs are outside the active time behind them; then those that
    /// were withdrawn, and those below their thresholds.
    pub found: Vec<Symptom>,
    /// Further ones that did not find room.
    pub more: u64,
    /// Encrypted requests whose response times are not judged: they may be waits by design, and what they ask is not readable.
    pub unreadable: u64,
}

impl Symptoms {
    /// Those that are symptoms, the most expensive first.
    pub fn raised(&self) -> impl Iterator<Item = &Symptom> {
        self.found.iter().filter(|s| s.state == State::Raised)
    }
}

/// Whether it is one of [`Base::Requests`].
fn is_request(t: &Transaction) -> bool {
    !matches!(t.kind, Kind::Wait | Kind::Break)
}

/// Whether an address stands for several stations.
pub(super) fn is_group(end: &Endpoint) -> bool {
    match end.address {
        Address::None | Address::Decnet(_) => false,
        Address::Mac(mac) => mac[0] & 1 != 0,
        Address::V4(address) => address[0] >= 224,
        Address::V6(address) => address[0] == 0xff,
        Address::Node { node, .. } => node == [0xff; 6],
    }
}
