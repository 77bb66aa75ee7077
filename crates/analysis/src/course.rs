//! Where the time went, second by second, for live views.

use crate::{Ledger, Phase};
use std::collections::VecDeque;
use wirewait_wire::Timestamp;

const SECOND_NS: i64 = 1_000_000_000;

/// The ledger of all the capture for each of its last seconds, as far as they are settled: what
/// an open request may still claim is not in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LedgerCourse {
    /// Number of the first second that is kept, counted from 1970.
    first: i64,
    seconds: VecDeque<Ledger>,
    /// Seconds that are kept.
    room: usize,
}

impl LedgerCourse {
    /// An empty course that keeps this number of seconds.
    #[must_use]
    pub fn new(seconds: u32) -> Self {
        Self {
            room: seconds.max(1) as usize,
            ..Self::default()
        }
    }

    /// The time from one moment to a later one went there.
    pub fn add(&mut self, share: Phase, from: Timestamp, to: Timestamp) {
        let (mut at, to) = (from.as_nanos(), to.as_nanos());
        let Some(last) = to.checked_sub(1).filter(|last| *last >= at) else {
            return;
        };
        // What would be given up at once is not entered, however long it was.
        let room = i64::try_from(self.room).unwrap_or(i64::MAX);
        let earliest = last.div_euclid(SECOND_NS).saturating_sub(room - 1);
        at = at.max(earliest.saturating_mul(SECOND_NS));
        while at < to {
            let second = at.div_euclid(SECOND_NS);
            let end = second.saturating_add(1).saturating_mul(SECOND_NS).min(to);
            if let Some(ledger) = self.second(second) {
                ledger.add(share, Timestamp::from_nanos(at), Timestamp::from_nanos(end));
            }
            if end <= at {
                return;
            }
            at = end;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.seconds.clear();
    }

    /// The seconds from one moment on to before another, together.
    #[must_use]
    pub fn between(&self, from: Timestamp, to: Timestamp) -> Ledger {
        let (from, to) = (from.as_nanos(), to.as_nanos());
        let within = self.seconds.iter().zip(self.first..).filter(|(_, second)| {
            let begins = second.saturating_mul(SECOND_NS);
            (from..to).contains(&begins)
        });
        within
            .flat_map(|(ledger, _)| Phase::ALL.map(|share| (share, ledger.get(share))))
            .collect()
    }

    /// The ledger of this second, unless it was given up.
    fn second(&mut self, second: i64) -> Option<&mut Ledger> {
        let room = i64::try_from(self.room).unwrap_or(i64::MAX);
        let ahead = second.saturating_sub(self.first);
        // A clock that was set far forward begins anew.
        if self.seconds.is_empty() || ahead >= room.saturating_mul(2) {
            self.seconds.clear();
            self.first = second;
        }
        // Clients settle one after the other.
        if ahead < 0 && ahead.unsigned_abs() <= (self.room - self.seconds.len()) as u64 {
            for _ in 0..ahead.unsigned_abs() {
                self.seconds.push_front(Ledger::default());
            }
            self.first = second;
        }
        let at = usize::try_from(second.checked_sub(self.first)?).ok()?;
        while self.seconds.len() <= at {
            self.seconds.push_back(Ledger::default());
        }
        let over = self.seconds.len().saturating_sub(self.room);
        self.seconds.drain(..over);
        self.first += over as i64;
        self.seconds.get_mut(at - over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    fn ms(ledger: &Ledger, share: Phase) -> u64 {
        ledger.get(share) / 1_000_000
    }

    /// Server from 0.5 to 2.25 s, then the client to 2.5 s.
    #[test]
    fn what_goes_over_seconds_counts_in_each() {
        let mut course = LedgerCourse::new(600);
        course.add(Phase::Server, at(500), at(2250));
        course.add(Phase::Client, at(2250), at(2500));
        let second = |n: i64| course.between(at(n * 1000), at(n * 1000 + 1000));
        let server: Vec<u64> = (0..4).map(|n| ms(&second(n), Phase::Server)).collect();
        assert_eq!(server, [500, 1000, 250, 0]);
        assert_eq!(ms(&second(2), Phase::Client), 250);
        let all = course.between(at(0), at(10_000));
        assert_eq!(all.total(), 2_000_000_000);
        assert_eq!(course.between(at(1), at(1000)), Ledger::default());
    }

    #[test]
    fn the_oldest_go_and_no_clock_confuses_it() {
        let mut course = LedgerCourse::new(3);
        course.add(Phase::Idle, at(0), at(100_000_000));
        course.add(Phase::Server, at(100_000_000), at(100_001_000));
        let all = |course: &LedgerCourse| {
            course.between(
                Timestamp::from_nanos(i64::MIN),
                Timestamp::from_nanos(i64::MAX),
            )
        };
        let sum = all(&course);
        assert_eq!(
            (ms(&sum, Phase::Idle), ms(&sum, Phase::Server)),
            (2000, 1000)
        );
        // Back, and to the ends of time.
        course.clear();
        course.add(Phase::Client, at(5000), at(5500));
        assert_eq!(all(&course).total(), 500_000_000);
        for (from, to) in [
            (i64::MIN, i64::MAX),
            (i64::MAX - 5, i64::MAX),
            (7, 7),
            (9, 3),
        ] {
            course.add(
                Phase::Server,
                Timestamp::from_nanos(from),
                Timestamp::from_nanos(to),
            );
            assert!(all(&course).total() <= 3_000_000_000);
        }
        course.add(
            Phase::Server,
            Timestamp::from_nanos(i64::MIN),
            Timestamp::from_nanos(i64::MIN + 10),
        );
        assert!(course.seconds.len() <= 3);
    }
}
