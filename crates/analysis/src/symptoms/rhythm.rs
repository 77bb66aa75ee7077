//! Servers that answer one in a number of requests late: a log that is written, a disk that is
//! flushed, a lock that is renewed, each after the same number of requests.

use super::evidence::{Base, Book, Sight, Sights};
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::{Threshold, Thresholds};
use wirewait_wire::{Endpoint, Operation};

pub(super) static REGULAR: Rule = Rule {
    id: "regular_slow_answers",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "responses, late after the same number of requests each time",
    limit: Limit::Beyond(Threshold::Regular),
    costly: false,
    covers: &[],
};

/// Distances that are told apart. One more takes the place of the rarest, which is lost only where
/// nothing is regular.
const DISTANCES: usize = 8;

/// Borders of what is late.
const LEVELS: usize = 5;

/// The late responses of one client at one server, in their order.
#[derive(Clone, Debug, Default)]
pub(super) struct Rhythm {
    /// All above the least, and those of them that are twice as long as most of these, four times, and so on:
    /// between two of them lies the border between what is late and what merely varies.
    levels: [Beats; LEVELS],
    /// About the median of those above the least, ns.
    median: i64,
    /// What was asked for where a response was late: an operation that is always late is slow, and its client asks for
    /// it that often.
    kinds: Vec<RhythmKind>,
}

/// Operations of which it is known how often they are late: those that were late first. What is regular is judged by them.
const KINDS: usize = 8;

/// How many responses to requests of one operation there were since the first late one, and how many of them were
/// late by each border.
#[derive(Clone, Copy, Debug)]
struct RhythmKind {
    operation: &'static Operation,
    timed: u64,
    late: [u64; LEVELS],
}

/// Late responses by how many came between them.
#[derive(Clone, Debug, Default)]
struct Beats {
    /// The number of the latest among all responses.
    latest: u64,
    sights: Sights,
    /// How often each distance occurred.
    distances: Vec<(u64, u64)>,
}

impl Rhythm {
    /// The response with this number among all that are timed took `own_ns`, which is not little.
    #[cold]
    #[inline(never)]
    pub(super) fn late(
        &mut self,
        (number, own_ns): (u64, i64),
        operation: &'static Operation,
        sight: &Sight,
        overlaps: bool,
    ) {
        let [all, far @ ..] = &mut self.levels;
        all.beat(number, sight, overlaps);
        let mut border = self.median;
        let mut beyond = 1;
        for level in far {
            border = border.saturating_mul(2);
            if border == 0 || own_ns < border {
                break;
            }
            level.beat(number, sight, overlaps);
            beyond += 1;
        }
        let mut kinds = self.kinds.iter();
        let known = kinds.position(|kind| std::ptr::eq(kind.operation, operation));
        if known.is_none() && self.kinds.len() < KINDS {
            self.kinds.push(RhythmKind {
                operation,
                timed: 0,
                late: [0; LEVELS],
            });
        }
        let place = known.unwrap_or(self.kinds.len() - 1);
        let kind = &mut self.kinds[place];
        if std::ptr::eq(kind.operation, operation) {
            kind.timed += 1;
            for late in &mut kind.late[..beyond] {
                *late += 1;
            }
        }
        // A step towards each value, of a sixteenth, comes to the median of values that do not
        // change their kind.
        let step = (self.median / 16).max(1);
        self.median = match self.median {
            0 => own_ns,
            median if own_ns > median => median + step,
            median if own_ns < median => median - step,
            median => median,
        };
    }

    /// A response to a request of this operation took little.
    #[inline]
    pub(super) fn in_time(&mut self, operation: &'static Operation) {
        let mut kinds = self.kinds.iter_mut();
        if let Some(kind) = kinds.find(|kind| std::ptr::eq(kind.operation, operation)) {
            kind.timed += 1;
        }
    }

    /// Whether most of the late ones by this border are of operations that mostly are not.
    fn are_seldom(&self, level: usize) -> bool {
        let late = |kind: &RhythmKind| kind.late[level];
        let all: u64 = self.kinds.iter().map(late).sum();
        let seldom = self
            .kinds
            .iter()
            .filter(|kind| late(kind) * 2 <= kind.timed);
        seldom.map(late).sum::<u64>() * 2 > all
    }

    /// The late responses that are regular, of `timed` that took `total_ns` together: every how
    /// many, and what they cost beyond the others.
    pub(super) fn regular(
        &self,
        (timed, total_ns): (u64, u64),
        thresholds: &Thresholds,
    ) -> Option<(u64, Sights)> {
        let factor = thresholds.get(Threshold::Regular);
        let percent = thresholds.get(Threshold::RegularPercent);
        let least = thresholds.get(Threshold::RegularMinimum);
        self.levels.iter().enumerate().find_map(|(level, beats)| {
            let (every, times) = beats.distances.iter().max_by_key(|(_, times)| *times)?;
            let late = beats.sights.count;
            let others = timed.checked_sub(late).filter(|n| *n > 0)?;
            let mean = total_ns.saturating_sub(beats.sights.total_ns) / others;
            let steady = u128::from(*times) * 100 >= u128::from(late - 1) * u128::from(percent);
            let far = beats.sights.total_ns / late >= mean.saturating_mul(factor);
            // Of every second response it is none that most are fast.
            let seldom = *every > 2 && self.are_seldom(level);
            (late >= least && steady && far && seldom).then(|| {
                let mut sights = beats.sights.clone();
                sights.less(mean);
                (*every, sights)
            })
        })
    }
}

impl Beats {
    fn beat(&mut self, number: u64, sight: &Sight, overlaps: bool) {
        if self.sights.count > 0 {
            let distance = number.saturating_sub(self.latest);
            let known = self
                .distances
                .iter_mut()
                .find(|(known, _)| *known == distance);
            match known {
                Some((_, times)) => *times += 1,
                None => {
                    if self.distances.len() >= DISTANCES {
                        let rarest =
                            (0..self.distances.len()).min_by_key(|at| self.distances[*at].1);
                        rarest.map(|at| self.distances.swap_remove(at));
                    }
                    self.distances.push((distance, 1));
                }
            }
        }
        self.latest = number;
        match overlaps {
            true => self.sights.add(sight, 1),
            false => self.sights.add_one_by_one(sight),
        };
    }
}

/// The clients at servers whose late responses are regular, as one symptom of each server: the
/// period of the client with most of them.
pub(super) fn regular<'a>(
    pairs: impl Iterator<Item = ((Endpoint, Endpoint), (&'a Rhythm, &'a Book))>,
    thresholds: &Thresholds,
    found: &mut dyn FnMut(Subject, &Book),
) {
    for ((client, server), (rhythm, book)) in pairs {
        let Some(timed) = book.known(&super::answers::SLOW_SERVER) else {
            continue;
        };
        let all = (book.of(Base::Timed), timed.hits.total_ns);
        if let Some((every, sights)) = rhythm.regular(all, thresholds) {
            let mut book = Book::default();
            let cell = book.cell(&REGULAR);
            cell.hits = sights;
            cell.every = Some(every);
            found(Subject::Pair { client, server }, &book);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::super::testing::Bench;
    use wirewait_wire::Kind;

    /// `of` reads, the nth of which takes `slow` ms where `late` says so, and `fast` otherwise.
    fn state(
        of: u64,
        [fast, slow]: [i64; 2],
        late: impl Fn(u64) -> bool,
    ) -> Option<(u64, u64, u64)> {
        let mut bench = Bench::new();
        for n in 1..=of {
            bench.one(Kind::Read, if late(n) { slow } else { fast }, |_| ());
        }
        let found = bench.found("regular_slow_answers")?;
        assert_eq!(found.state, State::Raised);
        Some((
            found.every?,
            found.hits.count,
            found.hits.cost_ns / 1_000_000,
        ))
    }

    #[test]
    fn every_twentieth_response_is_late() {
        let twentieth = |n: u64| n.is_multiple_of(20);
        // Ten of 200, each 74 ms beyond the 6 ms of the others.
        assert_eq!(state(200, [6, 80], twentieth), Some((20, 10, 740)));
        // Where all are above the least of 10 ms, those far above most of them count.
        assert_eq!(state(200, [12, 200], twentieth), Some((20, 10, 1880)));
        // As many at random are not regular, and four are too few.
        assert_eq!(state(400, [6, 80], |n| n * n % 101 < 5), None);
        assert_eq!(state(100, [6, 80], twentieth), Some((20, 5, 370)));
        assert_eq!(state(80, [6, 80], twentieth), None);
        // Less than four times the others is none.
        assert_eq!(state(200, [6, 23], twentieth), None);
        assert_eq!(state(200, [6, 24], twentieth), Some((20, 10, 180)));
        // One in five may come at another time.
        let nearly = |n: u64| n.is_multiple_of(20) && n != 100 || n == 103;
        assert_eq!(
            state(320, [6, 80], nearly).map(|(every, ..)| every),
            Some(20)
        );
        // Of every second response it is another thing to say.
        assert_eq!(state(200, [6, 80], |n| n.is_multiple_of(2)), None);
    }

    /// A client that opens, reads, reads and closes: each open takes 80 ms, and that is what opens take.
    #[test]
    fn an_operation_that_is_always_late_is_slow_and_not_regular() {
        let regular = |quick_opens: u64| {
            let mut bench = Bench::new();
            for n in 0..40 {
                bench.one(Kind::Open, 80, |_| ());
                for _ in 0..quick_opens {
                    bench.one(Kind::Open, 2, |_| ());
                }
                for _ in 0..3 - quick_opens.min(2) {
                    bench.one(Kind::Read, 2, |_| ());
                }
                bench.one(Kind::Close, if n == 7 { 3 } else { 2 }, |_| ());
            }
            bench.state("regular_slow_answers")
        };
        assert_eq!(regular(0), None);
        assert_eq!(regular(2), Some(State::Raised), "one in three of its kind");
    }

    /// A few of those in between vary by as much as four times the others, and are not late.
    #[test]
    fn what_varies_in_between_is_not_late() {
        for varies in [11, 16, 24, 35] {
            let mut bench = Bench::new();
            // What comes first is no measure of the others.
            bench.one(Kind::Open, 22, |_| ());
            for n in 1..=120 {
                let ms = match n {
                    17 | 22 | 82 => varies,
                    n if n % 20 == 0 => 80 + n % 7,
                    _ => 2,
                };
                bench.one(Kind::Read, ms, |_| ());
            }
            let found = bench.found("regular_slow_answers");
            let found = found.map(|found| (found.state, found.every, found.hits.count));
            assert_eq!(found, Some((State::Raised, Some(20), 6)), "{varies} ms");
        }
    }
}
