//! Pauses that may be loss recovery before the capture, where nothing in it shows whether they are:
//! packets without numbers (IPv6), or with numbers that other connections share.
//!
//! At the server, a request that was lost looks like a client that takes its time, and at the client
//! a response that was lost like a server that does. Such a pause may be the network's; it is no
//! evidence that it was.

use super::distance::{OwedWay, Reach};
use crate::packets::TIMER_NS;
use crate::table::TablePlace;

/// The longest pause that a single retransmission timer explains, ns: the first one where no round
/// trip is known (RFC 6298, 2.1).
const LONGEST_NS: i64 = 1_000_000_000;
/// At most one pause in this number of requests is doubted: where more of them are lost, some are lost
/// repeatedly, and work stops.
const RARE: u32 = 10;
/// Pauses that are remembered until they are rare beside all requests.
const EARLY: u32 = 32;
/// Where messages have no numbers, this many pauses are those of a timer, if they are even and rare.
const TIMED: u32 = 8;
/// They are even if the longest is longer than the shortest by at most this part of it.
const EVEN: i64 = 10;
/// They are rare if there is at most one in this number of requests.
const OFTEN: u32 = 3;
/// Two pauses of a timer differ by less than this part of them.
const ALIKE: u16 = 20;
/// Pauses that are remembered until there is one like them.
const SINGLE: usize = 3;

/// Pauses that may be loss recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsurePauses {
    /// How many there are.
    pub count: u64,
    /// All of them together, ns.
    pub ns: u64,
}

/// All of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnsureTime {
    /// Of clients, as far as they are active time.
    pub(crate) pauses: UnsurePauses,
    /// Of clients, beyond the think limit.
    pub(crate) idle: UnsurePauses,
    /// Of servers.
    pub(crate) turnarounds: UnsurePauses,
    /// Silences while clients waited, in which the clock may have been set. They are in no account.
    pub(crate) silences: UnsurePauses,
}

impl UnsurePauses {
    pub(super) fn add(&mut self, count: u64, ns: u64) {
        self.count += count;
        self.ns = self.ns.saturating_add(ns);
    }
}

/// How often a station paused as long as a retransmission timer.
#[derive(Clone, Debug, Default)]
pub(super) struct Paused {
    requests: u32,
    unsure: u32,
    /// The shortest and the longest of those, ns; of messages without numbers.
    span: Option<(i64, i64)>,
    /// Pauses that are doubted if they turn out to be rare, and whose they are.
    early: Vec<(TablePlace, OwedWay)>,
    /// How many of them have, whenever that is asked for.
    rare: usize,
    /// The latest pauses beyond the think limit that no other was like, ms; 0 where there is none.
    single: [u16; SINGLE],
    /// The latest that was like another one, ms.
    alike: u16,
    /// The latest pauses before which a number is missing, ms; 0 where there is none.
    missing: [u16; SINGLE],
}

impl Paused {
    /// One more request closed.
    #[inline]
    pub(super) fn closed(&mut self) {
        self.requests = self.requests.saturating_add(1);
    }

    /// The latest pause, of which `owed` may be loss recovery, is no doubt as long as too few requests were seen.
    #[cold]
    pub(super) fn remember(&mut self, pause: i64, client: TablePlace, owed: OwedWay) {
        let early = self.unsure <= EARLY && !self.may_be_lost();
        if (TIMER_NS..=LONGEST_NS).contains(&pause) && early && owed.ns > 0 {
            self.early.push((client, owed));
        }
    }

    /// Pauses that have turned out to be rare, taken out.
    pub(super) fn owed(&mut self) -> Vec<(TablePlace, OwedWay)> {
        self.look();
        self.early.drain(..std::mem::take(&mut self.rare)).collect()
    }

    /// Looks whether those that are remembered are rare by now.
    fn look(&mut self) {
        if self.may_be_lost() {
            self.rare = self.early.len();
        }
    }

    fn may_be_lost(&self) -> bool {
        self.is_rare() || self.is_timer()
    }

    /// Whether these pauses are a timer's, of who sends again what was lost: who thinks takes longer at times.
    fn is_timer(&self) -> bool {
        let even = |(shortest, longest): (i64, i64)| longest - shortest <= shortest / EVEN;
        self.unsure >= TIMED
            && self.unsure.saturating_mul(OFTEN) <= self.requests
            && self.span.is_some_and(even)
    }

    fn is_rare(&self) -> bool {
        self.unsure.saturating_mul(RARE) <= self.requests
    }

    /// As [`Self::doubts`], of a client whose messages have no numbers.
    #[cold]
    pub(super) fn doubts_unnumbered(&mut self, pause: i64, station: Reach, other: Reach) -> u64 {
        if (TIMER_NS..=LONGEST_NS).contains(&pause) {
            let (shortest, longest) = self.span.unwrap_or((pause, pause));
            self.span = Some((shortest.min(pause), longest.max(pause)));
        }
        self.doubts(pause, station, other)
    }

    /// How much of a pause of `station` may be loss recovery, ns; `other` is the other end.
    #[cold]
    pub(super) fn doubts(&mut self, pause: i64, station: Reach, other: Reach) -> u64 {
        if !(TIMER_NS..=LONGEST_NS).contains(&pause) {
            return 0;
        }
        self.look();
        self.unsure = self.unsure.saturating_add(1);
        if self.unsure > EARLY {
            self.early.truncate(self.rare);
        }
        match self.may_be_lost() && !station.is_here(&other) {
            true => u64::try_from(pause).unwrap_or(0),
            false => 0,
        }
    }
}

impl Paused {
    /// How much of a pause before which a packet's number is missing may be loss recovery, ns, however often there are such: a timer
    /// takes as long each time, and who thinks, while others take numbers, does not.
    #[cold]
    pub(super) fn recurs(&mut self, pause: i64, station: Reach, other: Reach) -> u64 {
        let Ok(ms) = u16::try_from(pause / 1_000_000) else {
            return 0;
        };
        if !(TIMER_NS..=LONGEST_NS).contains(&pause) || station.is_here(&other) {
            return 0;
        }
        let like = |other: &u16| ms.abs_diff(*other) <= ms / ALIKE;
        let alike = self.missing.iter().any(like);
        self.missing.rotate_right(1);
        self.missing[0] = ms;
        match alike {
            true => u64::try_from(pause).unwrap_or(0),
            false => 0,
        }
    }

    /// How many pauses beyond the think limit may be loss recovery, and how long they are, now that there is
    /// this one, ns. A timer shows in that it takes as long again; a pause like no other is idle.
    #[cold]
    pub(super) fn idles(&mut self, ns: u64) -> (u64, u64) {
        let Ok(ms) = u16::try_from(ns / 1_000_000) else {
            return (0, 0);
        };
        let like = |other: &u16| ms.abs_diff(*other) <= ms / ALIKE;
        if ms == 0 {
            return (0, 0);
        }
        if like(&self.alike) {
            self.alike = ms;
            return (1, ns);
        }
        match self.single.iter_mut().find(|other| like(other)) {
            Some(other) => {
                let before = u64::from(std::mem::take(other)) * 1_000_000;
                self.alike = ms;
                (2, ns.saturating_add(before))
            }
            None => {
                self.single.rotate_right(1);
                self.single[0] = ms;
                (0, 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sums::SliceOwner;
    use super::*;

    const MS: i64 = 1_000_000;

    fn far(samples: u64, shortest: i64) -> Reach {
        Reach {
            samples,
            shortest,
            ..Reach::default()
        }
    }

    fn after(requests: u32, pause: i64, station: Reach, other: Reach) -> u64 {
        let mut paused = Paused::default();
        for _ in 0..requests {
            paused.closed();
        }
        paused.doubts(pause, station, other)
    }

    #[test]
    fn a_pause_as_long_as_a_timer_may_be_one() {
        let of = |pause| after(10, pause, Reach::default(), Reach::default());
        assert_eq!(of(200 * MS - 1), 0);
        assert_eq!(of(200 * MS), 200_000_000);
        assert_eq!(of(1_000 * MS), 1_000_000_000);
        assert_eq!(of(1_000 * MS + 1), 0);
    }

    /// Pauses of 315 ms in each second request; and of other lengths.
    #[test]
    fn a_pause_with_a_missing_number_recurs_if_another_one_was_as_long() {
        let none = Reach::default();
        let recur = |pauses: &[i64]| -> Vec<bool> {
            let mut paused = Paused::default();
            let pauses = pauses.iter();
            let recurs = pauses.map(|ms| paused.recurs(ms * MS, none, none) > 0);
            recurs.collect()
        };
        assert_eq!(recur(&[315, 310, 700, 318]), [false, true, false, true]);
        assert_eq!(recur(&[315, 340, 400, 480, 315]), [false; 5]);
        assert_eq!(recur(&[199, 199, 1_001, 1_001]), [false; 4]);
        let mut paused = Paused::default();
        let [here, there] = [far(3, 10), far(3, 40)];
        for _ in 0..3 {
            assert_eq!(
                paused.recurs(315 * MS, here, there),
                0,
                "nothing is lost before"
            );
        }
    }

    /// One of ten may have been lost. One of nine would be more than a tenth, and so would two of
    /// nineteen; three of forty are less.
    #[test]
    fn who_pauses_often_thinks() {
        let none = Reach::default();
        assert_eq!(after(9, 250 * MS, none, none), 0);
        let mut paused = Paused::default();
        let mut doubted = 0;
        for request in 1..=40 {
            paused.closed();
            if [10, 19, 40].contains(&request) {
                doubted += u64::from(paused.doubts(250 * MS, none, none) > 0);
            }
        }
        assert_eq!(doubted, 2, "the tenth and the fortieth");
    }

    /// How many of the pauses before these requests have turned out to be rare after as many requests.
    /// It does not matter whether that is asked for in between.
    fn rare_later(pauses: &[u32], requests: u32) -> usize {
        let [once, often] = [false, true].map(|often| rare_of(pauses, requests, often));
        assert_eq!(once, often);
        once
    }

    fn rare_of(pauses: &[u32], requests: u32, often: bool) -> usize {
        let mut owed = 0;
        let mut paused = Paused::default();
        let none = Reach::default();
        for request in 1..=requests {
            if pauses.contains(&request) && paused.doubts(250 * MS, none, none) == 0 {
                let owed = OwedWay {
                    owner: SliceOwner::default(),
                    ns: 1,
                };
                paused.remember(250 * MS, TablePlace::NOWHERE, owed);
            }
            paused.closed();
            if often {
                owed += paused.owed().len();
            }
        }
        owed + paused.owed().len()
    }

    #[test]
    fn what_is_rare_later_is_doubted_then() {
        let of = |pauses| [9, 10, 19, 20, 39, 40].map(|requests| rare_later(pauses, requests));
        assert_eq!(of(&[1]), [0, 1, 1, 1, 1, 1]);
        assert_eq!(of(&[1, 2]), [0, 0, 0, 2, 2, 2]);
        assert_eq!(of(&[1, 2, 3, 4]), [0, 0, 0, 0, 0, 4]);
        let many: Vec<u32> = (1..=32).collect();
        assert_eq!([319, 320].map(|all| rare_later(&many, all)), [0, 32]);
        let more: Vec<u32> = (1..=33).collect();
        assert_eq!(rare_later(&more, 330), 0, "who pauses often thinks");
        assert_eq!(of(&[11]), [0; 6], "doubted at once");
        assert_eq!(
            of(&[1, 11]),
            [0, 1, 1, 2, 2, 2],
            "the first was rare before"
        );
        assert_eq!(of(&[1, 11, 12, 13, 14, 15]), [0, 1, 1, 1, 1, 1]);
    }

    /// Where messages have no numbers, eight pauses of 320 to 352 ms in 24 requests are a timer's, and not those of 320 to 353,
    /// seven, or eight in 23.
    #[test]
    fn pauses_as_long_as_each_other_may_be_a_timers_though_there_are_many() {
        let owed = |pauses: u32, longest: i64, requests: u32| {
            let mut paused = Paused::default();
            let none = Reach::default();
            for request in 1..=requests {
                paused.closed();
                if request <= pauses {
                    let pause = if request == 2 { longest } else { 320 } * MS;
                    if paused.doubts_unnumbered(pause, none, none) == 0 {
                        let owed = OwedWay {
                            owner: SliceOwner::default(),
                            ns: 1,
                        };
                        paused.remember(pause, TablePlace::NOWHERE, owed);
                    }
                }
            }
            paused.owed().len()
        };
        assert_eq!(owed(8, 352, 24), 8);
        assert_eq!(owed(8, 353, 24), 0);
        assert_eq!(owed(7, 352, 24), 0);
        assert_eq!(owed(8, 352, 23), 0);
    }

    /// Between a station and a capture made there nothing is lost.
    #[test]
    fn where_the_capture_was_made_nothing_is_lost_before_it() {
        let of = |station, other| after(10, 250 * MS, station, other);
        assert_eq!(of(far(1, 50_000), far(1, 200_000)), 0);
        assert_eq!(of(far(1, 50_001), far(1, 200_000)), 250_000_000);
        assert_eq!(of(far(1, 200_000), far(1, 50_000)), 250_000_000);
        assert_eq!(of(far(1, 50_000), far(0, 0)), 250_000_000, "unknown");
    }

    /// What pauses of these lengths add, in their order: how many, and how long they are, ms.
    fn idles(pauses: &[u64]) -> Vec<(u64, u64)> {
        let mut paused = Paused::default();
        let of = pauses.iter().map(|ms| paused.idles(ms * 1_000_000));
        of.map(|(count, ns)| (count, ns / 1_000_000)).collect()
    }

    #[test]
    fn a_timer_takes_as_long_again() {
        assert_eq!(idles(&[520, 521, 519]), [(0, 0), (2, 1041), (1, 519)]);
        assert_eq!(idles(&[800, 900, 700]), [(0, 0); 3], "pauses like no other");
        assert_eq!(idles(&[600, 630]), [(0, 0), (2, 1230)], "a twentieth");
        assert_eq!(idles(&[600, 632]), [(0, 0); 2]);
        assert_eq!(
            idles(&[520, 800, 700, 521]),
            [(0, 0), (0, 0), (0, 0), (2, 1041)]
        );
        assert_eq!(idles(&[520, 800, 700, 900, 521])[4], (0, 0), "forgotten");
        assert_eq!(idles(&[0, 0]), [(0, 0); 2]);
        assert_eq!(
            idles(&[520, 521, 0, 519])[3],
            (1, 519),
            "a pause that is not doubted"
        );
    }
}
