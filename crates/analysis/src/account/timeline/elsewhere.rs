//! Pauses in which a client waited for another service: it had no request to a file server outstanding when it asked
//! that, and none when data came back. Whose the time is, does not change.

use super::ClientTimeline;
use crate::account::Posting;
use crate::service_wait::{LONGEST_NS, ServiceWait};
use wirewait_wire::Timestamp;

/// Waits that are remembered until the pause is over, of a minute at most.
pub(in crate::account) const ELSEWHERE: usize = 64;

/// A wait for another service within a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitElsewhere {
    pub(crate) wait: ServiceWait,
    /// The pause is longer than the think limit, and no active time.
    pub(crate) idle: bool,
}

impl ClientTimeline {
    /// A wait for another service is over. Returns whether all of those of the last minute are still remembered.
    #[cold]
    pub(in crate::account) fn waited_elsewhere(&mut self, wait: ServiceWait) -> bool {
        // In a longer pause, nobody waits for the next request.
        let recent = wait.to.at.plus(-LONGEST_NS);
        self.elsewhere.retain(|other| other.to.at >= recent);
        let room = self.elsewhere.len() < ELSEWHERE;
        if !room {
            self.elsewhere.remove(0);
        }
        self.elsewhere.push(wait);
        room
    }
}

/// A pause is over, if there was one. What of `elsewhere` was waited for in it is posted; what was waited for beside requests is
/// forgotten.
#[cold]
#[inline(never)]
pub(super) fn paused(
    elsewhere: &mut Vec<ServiceWait>,
    (from, to): (Option<Timestamp>, Timestamp),
    think_ns: i64,
    posting: &mut Posting<'_>,
) {
    if let Some(from) = from.filter(|from| *from < to) {
        let pause = to.since(from);
        let idle = pause > think_ns;
        let within = |wait: &&ServiceWait| wait.from.at >= from && wait.to.at <= to;
        let waits = || elsewhere.iter().filter(within).copied();
        let waited: i64 = waits().filter_map(|wait| wait.from.until(wait.to)).sum();
        // Somebody who rests asks for other things, too.
        if !idle || waited.saturating_mul(2) >= pause {
            let waits = waits().map(|wait| WaitElsewhere { wait, idle });
            posting.sums.elsewhere.extend(waits);
        }
    }
    elsewhere.retain(|wait| wait.to.at > to);
}
