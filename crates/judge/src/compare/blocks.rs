//! Blocks of successive requests, and whether chance alone makes the totals of two captures differ as
//! they do. The total is what the headline is about: a few long waits make it many times as long where
//! the typical request takes as long as before, and a test of ranks does not see them.
//!
//! The requests of a capture are cut into [`BLOCKS`] blocks of as many each (batch means: Law and
//! Kelton, Simulation Modeling and Analysis, 9.5.3), so that what follows from one request to the
//! next stays in a block. The test is Fisher's of permutations, exact: of all ways to deal the blocks
//! of both captures out to two, in how many do the two differ as much. What successive blocks have in common makes
//! them fewer than they are ([`serial`]).

use super::serial;
use std::collections::HashMap;
use wirewait_analysis::{Interval, Timeline, Transaction};
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// Blocks of each capture.
pub const BLOCKS: usize = 8;
/// Blocks while the capture is read; they are joined in pairs when there are twice as many.
const FINE: usize = 512;
/// Clients whose pauses are known at once.
const PAUSING: usize = 65_536;

/// Requests that followed each other, and what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) answered: u64,
    pub(super) data_bytes: u64,
    /// Active time of the clients.
    pub(super) active_ns: u64,
    /// Response times that count, and how many; known of courses only.
    pub(super) response_ns: u64,
    pub(super) responses: u64,
}

impl Block {
    fn add(&mut self, other: &Self) {
        self.answered = self.answered.saturating_add(other.answered);
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        self.active_ns = self.active_ns.saturating_add(other.active_ns);
        self.response_ns = self.response_ns.saturating_add(other.response_ns);
        self.responses = self.responses.saturating_add(other.responses);
    }

    pub(super) fn of_bucket(bucket: &Interval) -> Self {
        Self {
            answered: bucket.answered,
            data_bytes: bucket.data_bytes,
            active_ns: bucket.active_ns,
            response_ns: u64::try_from(bucket.response_ns).unwrap_or(0),
            responses: bucket.responses,
        }
    }
}

/// What the permutations of the blocks of two captures say.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BlockTest {
    /// How likely chance alone makes such a difference of the totals or a greater one, in either
    /// direction.
    pub p: f64,
    /// Blocks of each capture.
    pub blocks: usize,
}

impl BlockTest {
    /// Of time for each unit of work: the blocks are `(time, units)`. `None` unless both captures
    /// have all blocks.
    pub(super) fn of(base: &[(u64, u64)], other: &[(u64, u64)]) -> Option<Self> {
        if base.len() != BLOCKS || other.len() != BLOCKS {
            return None;
        }
        let all: Vec<(f64, f64)> = base.iter().chain(other).map(floats).collect();
        let (time, units) = sums(all.iter());
        let away = |mask: u32| {
            let chosen = all.iter().enumerate();
            let chosen = chosen.filter(|(place, _)| (mask >> place) & 1 == 1);
            let (t, u) = sums(chosen.map(|(_, block)| block));
            (per(t, u) - per(time - t, units - u)).abs()
        };
        let seen = away((1 << BLOCKS) - 1);
        // What differs in the last digits alone is the same.
        let least = seen - 1e-9 * per(time, units);
        let (mut ways, mut as_far) = (0u32, 0u32);
        for mask in 0..1u32 << (2 * BLOCKS) {
            if mask.count_ones() as usize == BLOCKS {
                ways += 1;
                as_far += u32::from(away(mask) >= least);
            }
        }
        Some(Self {
            p: f64::from(as_far) / f64::from(ways),
            blocks: BLOCKS,
        })
    }

    /// As [`Self::of`], of what followed each other: where successive blocks are parts of one stretch, or each part
    /// follows from the one before, fewer decide.
    pub(super) fn in_order(base: &Rates, other: &Rates) -> Option<Self> {
        let dealt = Self::of(&base.blocks, &other.blocks)?;
        let rates = |of: &Rates| {
            let mut rates = [0.0; BLOCKS];
            for (rate, block) in rates.iter_mut().zip(&of.blocks) {
                let (time, units) = floats(block);
                // Blocks without work have no rate.
                *rate = time / units.max(1.0);
            }
            rates
        };
        let stretched = serial::stretched(&rates(base), &rates(other));
        let followed = serial::followed(&base.single, &other.single);
        let in_order = [stretched, followed].into_iter().flatten();
        Some(Self {
            p: in_order.fold(dealt.p, f64::max),
            ..dealt
        })
    }
}

/// What a capture took for each unit of work.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    /// Time and units of each block.
    pub(super) blocks: Vec<(u64, u64)>,
    /// Time for each unit as each of its parts has it: all together plus what the part took more, by its place among
    /// all. Their mean is that of the capture.
    pub(super) single: Vec<f64>,
}

impl Rates {
    /// Of parts that followed each other.
    pub(super) fn of(parts: &[Block], work: impl Fn(&Block) -> u64) -> Self {
        let pair = |block: &Block| (block.active_ns, work(block));
        let pairs: Vec<(f64, f64)> = parts.iter().map(|one| floats(&pair(one))).collect();
        let (time, units) = sums(pairs.iter());
        let rate = per(time, units);
        let scale = pairs.len() as f64 / units.max(f64::MIN_POSITIVE);
        let single = pairs.iter().map(|(t, u)| rate + (t - rate * u) * scale);
        Self {
            blocks: cut(parts).iter().map(pair).collect(),
            single: single.collect(),
        }
    }
}

fn floats(block: &(u64, u64)) -> (f64, f64) {
    (block.0 as f64, block.1 as f64)
}

fn sums<'a>(blocks: impl Iterator<Item = &'a (f64, f64)>) -> (f64, f64) {
    let add = |sum: (f64, f64), block: &(f64, f64)| (sum.0 + block.0, sum.1 + block.1);
    blocks.fold((0.0, 0.0), add)
}

/// Time that moved nothing is without end.
fn per(time: f64, units: f64) -> f64 {
    time / units.max(f64::MIN_POSITIVE)
}

/// Cuts what followed each other into [`BLOCKS`] blocks with about as many responses each.
fn cut(parts: &[Block]) -> Vec<Block> {
    cut_into(parts, BLOCKS)
}

/// Cuts it into `most` blocks, or fewer.
pub(super) fn cut_into(parts: &[Block], most: usize) -> Vec<Block> {
    let total: u64 = parts.iter().map(|part| part.answered).sum();
    let mut blocks = vec![Block::default(); most];
    let mut before = 0u64;
    for part in parts {
        // The block in which the middle of the part lies.
        let middle = u128::from(before) * 2 + u128::from(part.answered);
        let place = middle * most as u128 / u128::from(total.max(1) * 2);
        let place = usize::try_from(place).unwrap_or(most);
        let place = place.min(most.saturating_sub(1));
        if let Some(block) = blocks.get_mut(place) {
            block.add(part);
        }
        before = before.saturating_add(part.answered);
    }
    let with = |block: &Block| block.answered > 0;
    blocks.into_iter().filter(with).collect()
}

/// What followed each other in a capture of which only the course is known.
pub(super) fn of_timeline(line: &Timeline) -> Vec<Block> {
    let parts = line.buckets.iter().map(Block::of_bucket);
    parts.filter(|part| *part != Block::default()).collect()
}

/// What each request took of its client's time: from the end of the one before, unless the client was
/// idle since, to its own end.
#[derive(Debug)]
pub(super) struct Pace {
    think_ns: i64,
    /// Until when the time of each client is accounted for.
    until: HashMap<Endpoint, Timestamp>,
    most: usize,
    fine: Vec<Block>,
    open: Block,
    /// Responses in a block.
    quota: u64,
}

impl Pace {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            think_ns,
            until: HashMap::new(),
            most: PAUSING,
            fine: Vec::new(),
            open: Block::default(),
            quota: 1,
        }
    }

    pub(super) fn transaction(&mut self, t: &Transaction) {
        if matches!(t.kind, Kind::Wait | Kind::Break) {
            return;
        }
        let (Some(request), Some(took)) = (t.request, t.took()) else {
            return;
        };
        let begin = request.first.at;
        let end = begin.plus(took.response_ns);
        self.took(t.client.station(), begin, end, t.data_bytes);
    }

    fn took(&mut self, client: Endpoint, begin: Timestamp, end: Timestamp, data_bytes: u64) {
        let from = match self.until.get(&client) {
            Some(until) if begin.since(*until) <= self.think_ns => *until,
            _ => begin,
        };
        let ns = end.since(from);
        if ns > 0 {
            if self.until.len() >= self.most && !self.until.contains_key(&client) {
                self.make_room(begin);
            }
            self.until.insert(client, end);
        }
        self.open.add(&Block {
            answered: 1,
            data_bytes,
            active_ns: u64::try_from(ns).unwrap_or(0),
            ..Block::default()
        });
        if self.open.answered >= self.quota {
            self.fine.push(std::mem::take(&mut self.open));
            if self.fine.len() >= 2 * FINE {
                self.join();
            }
        }
    }

    /// What followed each other so far.
    pub(super) fn parts(&self) -> Vec<Block> {
        let mut parts = self.fine.clone();
        parts.extend((self.open.answered > 0).then_some(self.open));
        parts
    }

    #[cold]
    fn join(&mut self) {
        let joined = self.fine.chunks(2).map(|pair| {
            let mut sum = Block::default();
            pair.iter().for_each(|one| sum.add(one));
            sum
        });
        self.fine = joined.collect();
        self.quota = self.quota.saturating_mul(2);
    }

    /// Forgets clients that are idle, which changes nothing; else the half that rested longest, each
    /// of which loses a pause.
    #[cold]
    fn make_room(&mut self, now: Timestamp) {
        let think_ns = self.think_ns;
        self.until.retain(|_, until| now.since(*until) <= think_ns);
        if self.until.len() < self.most {
            return;
        }
        let mut ends: Vec<Timestamp> = self.until.values().copied().collect();
        ends.sort_unstable();
        if let Some(half) = ends.get(ends.len() / 2).copied() {
            self.until.retain(|_, until| *until > half);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(time: u64) -> Vec<(u64, u64)> {
        vec![(time, 1); BLOCKS]
    }

    fn p(base: &[(u64, u64)], other: &[(u64, u64)]) -> f64 {
        BlockTest::of(base, other).unwrap().p
    }

    /// Of 16 over 8 = 12,870 ways two separate the two captures; six blocks of one capture that are longer
    /// than all others are together in 2 * C(10, 2) = 90, and two in 2 * C(14, 6) = 6,006.
    #[test]
    fn chances_are_those_of_the_binomials() {
        let all = p(&same(1), &(10..18).map(|n| (n, 1)).collect::<Vec<_>>());
        assert!((all - 2.0 / 12_870.0).abs() < 1e-12, "{all}");
        let with = |long: usize| {
            let mut blocks = same(1);
            blocks.iter_mut().take(long).for_each(|block| block.0 = 80);
            p(&same(1), &blocks)
        };
        assert!((with(6) - 90.0 / 12_870.0).abs() < 1e-12, "{}", with(6));
        assert!((with(2) - 6_006.0 / 12_870.0).abs() < 1e-12, "{}", with(2));
        assert!((p(&same(3), &same(3)) - 1.0).abs() < 1e-12);
        assert_eq!(BlockTest::of(&same(1)[1..], &same(1)), None);
    }

    /// Time for each unit: a block of twice the work in twice the time is no longer.
    #[test]
    fn blocks_of_more_work_are_no_slower() {
        let base: Vec<(u64, u64)> = (1..=8).map(|n| (10 * n, n)).collect();
        assert!((p(&base, &same(10)) - 1.0).abs() < 1e-12);
    }

    /// As many responses in each, nothing lost between, and the rest in the last.
    #[test]
    fn a_course_is_cut_into_blocks_of_as_many_responses() {
        let bucket = |answered, active_ns| Interval {
            answered,
            data_bytes: 10 * answered,
            active_ns,
            ..Interval::default()
        };
        let mut buckets: Vec<Interval> = (0..16).map(|n| bucket(2, n)).collect();
        buckets.push(bucket(0, 7));
        let blocks = cut(&of_timeline(&Timeline {
            buckets,
            ..Timeline::default()
        }));
        assert_eq!(blocks.len(), BLOCKS);
        assert!(blocks.iter().all(|block| block.answered == 4));
        let active: Vec<u64> = blocks.iter().map(|block| block.active_ns).collect();
        assert_eq!(active, [1, 5, 9, 13, 17, 21, 25, 29 + 7]);
        assert_eq!(of_timeline(&Timeline::default()), []);
    }

    /// 5 ms; 3 ms of pause and 2; together with the one before; idle, and 4.
    #[test]
    fn a_request_takes_the_pause_before_it_unless_that_was_idle() {
        let mut pace = Pace::new(500_000_000);
        for (begin, ms) in [(0, 5), (8, 2), (8, 1), (1000, 4)] {
            let at = |ms: i64| Timestamp::from_nanos(ms * 1_000_000);
            pace.took(Endpoint::default(), at(begin), at(begin + ms), 0);
        }
        let active: Vec<u64> = pace.fine.iter().map(|one| one.active_ns).collect();
        assert_eq!(active, [5_000_000, 5_000_000, 0, 4_000_000]);
        // Pairs, in which nothing is lost.
        pace.join();
        let active: Vec<u64> = pace.fine.iter().map(|one| one.active_ns).collect();
        assert_eq!((active, pace.quota), (vec![10_000_000, 4_000_000], 2));
    }
}
