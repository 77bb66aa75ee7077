//! Captures within equal load. Where more stations are active, each of them waits longer, whatever the
//! service is like. Two captures that pass through the same numbers of active stations are compared with
//! each number apart: the blocks of a number are dealt out among themselves (permutations within strata:
//! Lehmann, Nonparametrics, 3.3), so that neither a rise of the load nor its share of the time counts as
//! a difference or as chance.
//!
//! How many times as long a unit of work takes is the ratio of rates of Mantel and Haenszel (Rothman,
//! Greenland and Lash, Modern Epidemiology, 15): the sums over the numbers of stations of T1 U0 / (U0 + U1)
//! and of T0 U1 / (U0 + U1), with times T and units U of work.

use super::blocks::{BLOCKS, Block, cut_into};
use super::{Change, LEVEL};
use wirewait_analysis::Timeline;

/// Blocks of each capture, shared out among the loads; each has one at least.
const SHARED: u64 = 12;
/// Loads that are compared apart.
const LOADS: usize = 16;
/// Loads that are a rise: two may be all stations, and the few that had more to do and were left over.
const RISE: usize = 3;
/// A load with less than this part of the responses, one in 24, is no load of its own.
const SMALL: u64 = 24;

/// What is found within equal load.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EqualLoad {
    /// The fewest and the most active stations that both captures have.
    pub stations: (u32, u32),
    /// How many loads are compared apart.
    pub loads: usize,
    /// Blocks of each capture.
    pub blocks: usize,
    /// How many times as long the other takes for each unit of work.
    pub times: f64,
    /// How likely chance alone makes such a difference or a greater one, in either direction.
    pub p: f64,
}

impl EqualLoad {
    /// How much longer it takes.
    #[must_use]
    pub fn slower(&self) -> Change {
        thousandths(self.times)
    }

    /// How much more it moves.
    #[must_use]
    pub fn more(&self) -> Change {
        thousandths(1.0 / self.times)
    }
}

fn thousandths(times: f64) -> Change {
    Change::Thousandths(((times - 1.0) * 1000.0).round() as i64)
}

/// A number of active stations, or a range of such, and what both captures did then.
#[derive(Clone, Debug, Default)]
struct Stratum {
    stations: (u32, u32),
    /// By the place of the bucket, so that what is joined keeps its order.
    parts: [Vec<(usize, Block)>; 2],
    answered: [u64; 2],
}

impl Stratum {
    fn join(&mut self, other: Self) {
        self.stations.0 = self.stations.0.min(other.stations.0);
        self.stations.1 = self.stations.1.max(other.stations.1);
        for (own, more) in self.parts.iter_mut().zip(other.parts) {
            own.extend(more);
            own.sort_by_key(|(place, _)| *place);
        }
        for (own, more) in self.answered.iter_mut().zip(other.answered) {
            *own = own.saturating_add(more);
        }
    }

    /// Whether a capture has hardly anything here.
    fn is_small(&self, capture: usize, totals: [u64; 2]) -> bool {
        self.answered[capture].saturating_mul(SMALL) < totals[capture].max(1)
    }

    fn blocks(&self, capture: usize, most: usize) -> Vec<Block> {
        let parts: Vec<Block> = self.parts[capture].iter().map(|(_, part)| *part).collect();
        cut_into(&parts, most)
    }

    /// As many blocks of both captures, this many at the most.
    fn both(&self, most: usize) -> [Vec<Block>; 2] {
        let mut most = most;
        loop {
            let both = [0, 1].map(|capture| self.blocks(capture, most));
            let fewest = both[0].len().min(both[1].len());
            if both[0].len() == both[1].len() || fewest == 0 {
                return both;
            }
            most = fewest;
        }
    }
}

/// The blocks of two captures by their load.
#[derive(Clone, Debug)]
pub(super) struct SameLoads {
    stations: (u32, u32),
    loads: Vec<[Vec<Block>; 2]>,
}

impl SameLoads {
    /// `None` where the load is the same all the time or is one of two, where most of the responses of one of the two
    /// have no load in common with the other, and where too few can be cut into blocks.
    pub(super) fn of(base: &Timeline, other: &Timeline) -> Option<Self> {
        let mut strata = strata([base, other]);
        let sum = |strata: &[Stratum], capture: usize| -> u64 {
            strata.iter().map(|one| one.answered[capture]).sum()
        };
        let totals = [0, 1].map(|capture| sum(&strata, capture));
        join(&mut strata, totals);
        strata.retain(|one| !(0..2).any(|capture| one.is_small(capture, totals)));
        if strata.len() < RISE {
            return None;
        }
        let common = [0, 1].map(|capture| sum(&strata, capture));
        if (0..2).any(|capture| common[capture].saturating_mul(2) < totals[capture].max(1)) {
            return None;
        }
        let stations = (strata.first()?.stations.0, strata.last()?.stations.1);
        let loads: Vec<[Vec<Block>; 2]> = strata
            .iter()
            .map(|one| {
                // Its part of the responses, on average of both.
                let part = |capture: usize| {
                    let of = one.answered[capture].saturating_mul(SHARED) as f64;
                    of / common[capture].max(1) as f64
                };
                let most = ((part(0) + part(1)) / 2.0).round() as usize;
                one.both(most.clamp(1, BLOCKS))
            })
            .filter(|both| !both[0].is_empty())
            .collect();
        let ways: f64 = loads.iter().map(|both| ways(both[0].len())).product();
        // Else nothing is below the level.
        (2.0 / ways < LEVEL).then_some(Self { stations, loads })
    }

    /// The test of time for each unit of work.
    pub(super) fn test(&self, of: impl Fn(&Block) -> (u64, u64)) -> Option<EqualLoad> {
        let dealt: Vec<Vec<(f64, f64)>> = self
            .loads
            .iter()
            .map(|both| {
                let [base, other] = both.each_ref().map(|blocks| {
                    let floats = |(time, units): (u64, u64)| (time as f64, units as f64);
                    let all: Vec<_> = blocks.iter().map(&of).map(floats).collect();
                    all
                });
                deals(&base, &other)
            })
            .collect();
        let seen = dealt.iter().filter_map(|deals| deals.first());
        let (longer, shorter) = seen.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        if longer <= 0.0 || shorter <= 0.0 {
            return None;
        }
        let times = longer / shorter;
        // What differs in the last digits alone is as far.
        let least = times.max(1.0 / times) * (1.0 - 1e-9);
        let as_far = count(&dealt, (0.0, 0.0), least);
        let all: f64 = dealt.iter().map(|deals| deals.len() as f64).product();
        Some(EqualLoad {
            stations: self.stations,
            loads: self.loads.len(),
            blocks: self.loads.iter().map(|both| both[0].len()).sum(),
            times,
            p: as_far as f64 / all,
        })
    }
}

/// In how many ways the blocks of a load can be dealt out.
fn ways(blocks: usize) -> f64 {
    (1..=blocks)
        .map(|n| (blocks + n) as f64 / n as f64)
        .product()
}

/// How many ways to deal out all loads make the ratio so large, or so small.
fn count(dealt: &[Vec<(f64, f64)>], sums: (f64, f64), least: f64) -> u64 {
    let Some((first, rest)) = dealt.split_first() else {
        let (longer, shorter) = sums;
        return u64::from(longer >= least * shorter || shorter >= least * longer);
    };
    first
        .iter()
        .map(|one| count(rest, (sums.0 + one.0, sums.1 + one.1), least))
        .sum()
}

/// The two addends of a load for each way to deal its blocks out; the first is the one that was seen.
fn deals(base: &[(f64, f64)], other: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let all: Vec<(f64, f64)> = base.iter().chain(other).copied().collect();
    let add = |sum: (f64, f64), one: &(f64, f64)| (sum.0 + one.0, sum.1 + one.1);
    let (time, units) = all.iter().fold((0.0, 0.0), add);
    let masks = (0..1u32 << all.len()).filter(|mask| mask.count_ones() as usize == base.len());
    masks
        .map(|mask| {
            let chosen = all.iter().enumerate();
            let chosen = chosen.filter(|(place, _)| (mask >> place) & 1 == 1);
            let (t, u) = chosen.map(|(_, one)| one).fold((0.0, 0.0), add);
            let weight = units.max(f64::MIN_POSITIVE);
            ((time - t) * u / weight, t * (units - u) / weight)
        })
        .collect()
}

/// The buckets of both courses by the number of active stations, the fewest first.
fn strata(lines: [&Timeline; 2]) -> Vec<Stratum> {
    let mut by_number = std::collections::BTreeMap::<u32, Stratum>::new();
    for (capture, line) in lines.into_iter().enumerate() {
        for (place, bucket) in line.buckets.iter().enumerate() {
            let part = Block::of_bucket(bucket);
            if bucket.stations == 0 || part == Block::default() {
                continue;
            }
            let one = by_number.entry(bucket.stations).or_default();
            one.stations = (bucket.stations, bucket.stations);
            one.parts[capture].push((place, part));
            one.answered[capture] = one.answered[capture].saturating_add(part.answered);
        }
    }
    by_number.into_values().collect()
}

/// Joins what both captures have too little of with its neighbour, and neighbours while there are too
/// many.
fn join(strata: &mut Vec<Stratum>, totals: [u64; 2]) {
    while strata.len() > 1 {
        let part = |one: &Stratum, capture: usize| {
            one.answered[capture] as f64 / totals[capture].max(1) as f64
        };
        let small = strata.iter().enumerate().filter(|(_, one)| {
            let small = |capture| one.is_small(capture, totals);
            small(0) && small(1)
        });
        let least = small.min_by(|(_, a), (_, b)| {
            let most = |one: &Stratum| part(one, 0).max(part(one, 1));
            most(a).total_cmp(&most(b))
        });
        // How many times as many stations the next ones are.
        let apart = |place: usize| match (strata.get(place), strata.get(place + 1)) {
            (Some(one), Some(next)) => f64::from(next.stations.0) / f64::from(one.stations.1),
            _ => f64::INFINITY,
        };
        let place = match least {
            Some((0, _)) => 0,
            Some((place, _)) if apart(place) < apart(place - 1) => place,
            Some((place, _)) => place - 1,
            None if strata.len() > LOADS => {
                let places = 0..strata.len() - 1;
                let nearest = places.min_by(|a, b| apart(*a).total_cmp(&apart(*b)));
                nearest.unwrap_or(0)
            }
            None => return,
        };
        let next = strata.remove(place + 1);
        if let Some(one) = strata.get_mut(place) {
            one.join(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::Interval;

    /// Buckets of 100 ms: a number of stations, how many buckets, and the responses in each.
    fn course(loads: &[(u32, usize, u64)]) -> Timeline {
        let bucket = |stations: u32, answered: u64| Interval {
            answered,
            data_bytes: 1000 * answered,
            active_ns: u64::from(stations) * 100_000_000,
            response_ns: i64::from(stations) * 90_000_000,
            responses: answered,
            stations,
            ..Interval::default()
        };
        let buckets = loads
            .iter()
            .flat_map(|(stations, n, answered)| vec![bucket(*stations, *answered); *n]);
        Timeline {
            width_ns: 100_000_000,
            buckets: buckets.collect(),
            ..Timeline::default()
        }
    }

    fn found(base: &[(u32, usize, u64)], other: &[(u32, usize, u64)]) -> Option<EqualLoad> {
        let loads = SameLoads::of(&course(base), &course(other))?;
        loads.test(|block| (block.active_ns, block.data_bytes))
    }

    fn ramp(to: u32, n: usize, answered: u64) -> Vec<(u32, usize, u64)> {
        (1..=to).map(|stations| (stations, n, answered)).collect()
    }

    /// Half as much with each of 15 numbers of stations: of 2^15 ways to swap the two of each number
    /// only none and all are as far.
    #[test]
    fn a_rise_of_the_load_hides_no_difference() {
        let found = found(&ramp(15, 20, 20), &ramp(15, 20, 10)).unwrap();
        assert_eq!(
            (found.stations, found.loads, found.blocks),
            ((1, 15), 15, 15)
        );
        assert_eq!(found.slower(), Change::Thousandths(1000));
        assert_eq!(found.more(), Change::Thousandths(-500));
        assert!((found.p - 2.0 / 32_768.0).abs() < 1e-12, "{}", found.p);
    }

    /// Three times as long with five stations as with one: all together each client moves less where
    /// five are active for longer, and as much with the same number.
    #[test]
    fn another_load_is_no_difference() {
        let light = [(1, 90, 20), (2, 60, 24), (5, 60, 30)];
        let heavy = [(1, 60, 20), (2, 60, 24), (5, 90, 30)];
        let one = found(&light, &heavy).unwrap();
        assert_eq!((one.slower(), one.loads), (Change::Thousandths(0), 3));
        assert!((one.p - 1.0).abs() < 1e-12, "{}", one.p);
        // A third slower with each: 20 to 15, 24 to 18 and 30 to 22.5 responses.
        let slow = [(1, 60, 15), (2, 60, 18), (5, 45, 22), (5, 45, 23)];
        let one = found(&light, &slow).unwrap();
        assert_eq!(one.slower(), Change::Thousandths(333));
        assert!(one.p < LEVEL, "{}", one.p);
    }

    /// By hand: (4 x 2 / 4 + 30 x 1 / 4) / (2 x 2 / 4 + 10 x 3 / 4) = 9.5 / 8.5. Swapped in one of the
    /// two loads: (2 x 2 / 4 + 7.5) / (4 x 2 / 4 + 7.5) and (2 + 7.5) / (1 + 7.5) the other way.
    #[test]
    fn the_ratio_is_that_of_mantel_and_haenszel() {
        let block = |active_ns, answered| Block {
            active_ns,
            answered,
            ..Block::default()
        };
        let loads = SameLoads {
            stations: (1, 2),
            loads: vec![
                [vec![block(2, 2)], vec![block(4, 2)]],
                [vec![block(10, 1)], vec![block(30, 3)]],
            ],
        };
        let found = loads
            .test(|block| (block.active_ns, block.answered))
            .unwrap();
        assert!((found.times - 9.5 / 8.5).abs() < 1e-12, "{}", found.times);
        // The second load has the same ratio either way: all four ways are as far.
        assert!((found.p - 1.0).abs() < 1e-12, "{}", found.p);
    }

    /// The load is the same all the time, but for a bucket at the ends; or both have most of their
    /// responses where the other has none.
    #[test]
    fn loads_that_are_not_in_both_are_not_compared() {
        assert_eq!(found(&[(6, 100, 20)], &[(6, 100, 10)]), None);
        let ends = [(1, 1, 5), (3, 1, 10), (6, 100, 20), (2, 1, 10)];
        assert_eq!(found(&ends, &ends), None);
        let lower: Vec<_> = ramp(8, 20, 20);
        let upper: Vec<_> = (8..=15).map(|n| (n, 20, 20)).collect();
        assert_eq!(found(&lower, &upper), None);
        // 5 to 10 of 1 to 10 and of 5 to 15.
        let upper: Vec<_> = (5..=15).map(|n| (n, 20, 20)).collect();
        let one = found(&ramp(10, 20, 20), &upper).unwrap();
        assert_eq!((one.stations, one.loads), ((5, 10), 6));
        assert_eq!(one.slower(), Change::Thousandths(0));
        // Too few responses to tell: of three loads with a block each there are eight ways.
        assert_eq!(found(&ramp(3, 1, 1), &ramp(3, 1, 1)), None);
        // All stations, and the slowest alone that is left over: another one in each capture.
        let left = |answered| [(15, 30, 20), (1, 60, answered)];
        assert_eq!(found(&left(20), &left(2)), None);
        assert_eq!(found(&[], &[]), None);
    }

    /// 100 numbers of stations are joined, small ones first and then the nearest, until there are as many
    /// as are compared apart; each answer is in one of them.
    #[test]
    fn many_loads_are_joined() {
        let mut all = strata([&course(&ramp(100, 10, 10)), &course(&ramp(100, 10, 7))]);
        join(&mut all, [10_000, 7000]);
        assert!((8..=LOADS).contains(&all.len()), "{}", all.len());
        let sum = |capture: usize| all.iter().map(|one| one.answered[capture]).sum::<u64>();
        assert_eq!((sum(0), sum(1)), (10_000, 7000));
        assert!(all.windows(2).all(|w| w[0].stations.1 < w[1].stations.0));
    }
}
