//! Values that depend on the ones before them. A server that is slow for forty requests at a time has ten slow or
//! fast stretches in four hundred, not four hundred values: a rank test of single values calls the chance of those ten
//! a difference. So the values of each capture are ranked among those of both, cut into [`BLOCKS`] successive blocks,
//! and the means of the blocks compared (batch means: Law and Kelton, Simulation Modeling and Analysis, 9.5.3; of
//! ranks, so that a few long waits decide no more than in the rank test), by Welch's t. What successive blocks have in
//! common, where the stretches are longer than a block, widens it. Of few values blocks tell little: what each value has
//! of the one before it tells more ([`following`]). The greater chance of the two holds.

use super::BLOCKS;
use std::f64::consts::PI;

/// Successive blocks that have more in common than this are parts of one stretch: chance alone makes a fifth in so few.
const ONE_STRETCH: f64 = 0.2;
/// The most that they are taken to have in common.
const MOST: f64 = 0.9;

/// Degrees of freedom from which on the normal distribution serves.
const MANY: f64 = 1000.0;

/// The most that values are taken to have of the ones before them.
const MOST_OF_ONE: f64 = 0.99;
/// What values have of the ones before them counts from this many standard errors on, of values that have nothing.
const NOT_CHANCE: f64 = 2.0;
/// Into this many parts courses are joined to see what successive parts have of each other.
const JOINED: usize = 16;
/// From this many values on the blocks tell enough of what lasts for longer than a few of them.
const BLOCKS_TELL: usize = 200;
/// The most of the variance of single values that the mean of all of them can have.
const MOST_OF_ALL: f64 = 0.9;
/// Blocks that differ by less than this part of what they would differ by if each value followed from the one before:
/// then values go up and down in turns, as in a work that repeats.
const IN_TURNS: f64 = 0.15;

/// The times of a group's requests, in the order in which they were answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Course {
    pub(super) turnaround: Vec<i64>,
    pub(super) response_time: Vec<i64>,
    /// The place of each response time among those of all groups.
    pub(super) places: Vec<u32>,
    /// Whether each of these requests failed.
    pub(super) failed: Vec<bool>,
}

/// How much two courses differ in rank, and how far from chance that is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ranked {
    /// How likely a value of the other is greater than one of the baseline, less a half.
    pub(super) away: f64,
    /// The variance of that; 0 where all blocks of a capture are alike.
    pub(super) variance: f64,
    /// Degrees of freedom.
    pub(super) freedom: f64,
}

impl Ranked {
    /// `None` with fewer values than blocks.
    pub(super) fn of(base: &[i64], other: &[i64]) -> Option<Self> {
        let [a, b] = scores(base, other);
        Self::between(&a, &b)
    }

    /// Of the means of these values, each in its order. `None` with fewer of them than blocks.
    pub(super) fn between(a: &[f64], b: &[f64]) -> Option<Self> {
        if a.len().min(b.len()) < BLOCKS {
            return None;
        }
        let away = mean(b) - mean(a);
        let (first, second) = (blocks(a), blocks(b));
        let of = [variance(&first), variance(&second)].map(|v| v / BLOCKS as f64);
        let each = (BLOCKS - 1) as f64;
        let shared = in_common(&first, &second).max(0.0) * each / BLOCKS as f64;
        let (sum, freedom) = welch(of, [each, each]);
        let by_blocks = Self {
            away,
            variance: sum * (1.0 + 2.0 * shared),
            freedom,
        };
        let followed = following(a, b).map(|(variance, freedom)| Self {
            away,
            variance,
            freedom,
        });
        Some(match followed {
            Some(followed) if followed.p() > by_blocks.p() => followed,
            _ => by_blocks,
        })
    }

    /// How likely chance alone makes such a difference or a greater one, in either direction.
    pub(super) fn p(&self) -> f64 {
        chance(self.away, self.variance, self.freedom)
    }
}

/// The ranks of the values of two captures among those of both, as parts of all, so that their means differ by how
/// likely a value of the other is the greater one, less a half.
pub(super) fn scores(base: &[i64], other: &[i64]) -> [Vec<f64>; 2] {
    let mut all: Vec<i64> = base.iter().chain(other).copied().collect();
    all.sort_unstable();
    let scale = 2.0 * all.len() as f64;
    // Twice the middle rank, less 1; ties share theirs.
    let rank = |value: &i64| {
        let below = all.partition_point(|one| one < value);
        (below + all.partition_point(|one| one <= value)) as f64 / scale
    };
    [base, other].map(|values| values.iter().map(rank).collect())
}

/// The variance of the difference of the means of two courses, and its degrees of freedom, if each value follows from
/// the one before as in an autoregressive process of the first order: of single values, and of means of some that
/// followed each other, as what differs from one to the next hides what they share. The greatest variance holds.
/// `None` where values hardly follow from each other, or in turns. The correlation of a value with the next is without its
/// bias (Marriott and Pope, Biometrika 41, 1954), as is the variance of values that hang together (Law and Kelton, 4.4).
pub(super) fn following(a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
    let single = autoregressive(a, b);
    let fewest = a.len().min(b.len());
    if !(2 * JOINED..BLOCKS_TELL).contains(&fewest) {
        return single;
    }
    let [a, b] = [a, b].map(|values| joined(values, JOINED));
    let found = [single, autoregressive(&a, &b)];
    let found = found.into_iter().flatten();
    found.max_by(|a, b| a.0.total_cmp(&b.0))
}

/// The means of this many successive parts.
fn joined(values: &[f64], parts: usize) -> Vec<f64> {
    let at = |part: usize| values.len() * part / parts;
    let part = |n| mean(values.get(at(n)..at(n + 1)).unwrap_or(&[]));
    (0..parts).map(part).collect()
}

/// Of these values alone.
fn autoregressive(a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
    let courses = [a, b];
    let (mut own, mut next) = ([0.0; 2], 0.0);
    for (own, values) in own.iter_mut().zip(courses) {
        let mean = mean(values);
        *own = values.iter().map(|one| (one - mean) * (one - mean)).sum();
        let pairs = values.windows(2);
        next += pairs
            .map(|two| (two[0] - mean) * (two[1] - mean))
            .sum::<f64>();
    }
    let all = own[0] + own[1];
    let n = courses.map(|values| values.len() as f64);
    if all <= 0.0 || n[0].min(n[1]) < 2.0 {
        return None;
    }
    let correlation = next / all;
    let usual = 2.0 / (1.0 / n[0] + 1.0 / n[1]);
    let correlation = (correlation + (1.0 + 3.0 * correlation) / usual).min(MOST_OF_ONE);
    if correlation * (n[0] + n[1]).sqrt() < NOT_CHANCE {
        return None;
    }
    let of_mean = |n: f64| (widened(correlation, n) / n).min(MOST_OF_ALL);
    let single = [0, 1].map(|at| own[at] / (n[at] * (1.0 - of_mean(n[at]))));
    let of = [0, 1].map(|at| single[at] * of_mean(n[at]));
    // Blocks that differ far less than that: their values go up and down in turns.
    let expected = [0, 1].map(|at| {
        let of_block = of_mean((n[at] / BLOCKS as f64).max(1.0));
        single[at] * (of_block - of_mean(n[at])).max(0.0)
    });
    let seen = variance(&blocks(a)) + variance(&blocks(b));
    if seen < IN_TURNS * (expected[0] + expected[1]) {
        return None;
    }
    let freedom = n.map(|n| (1.0 / of_mean(n) - 1.0).max(1.0));
    Some((of[0] + of[1], freedom[0] + freedom[1]))
}

/// The chance of a difference of the means of these courses if each value follows from the one before; `None` where it
/// does not.
pub(super) fn followed(base: &[f64], other: &[f64]) -> Option<f64> {
    let (variance, freedom) = following(base, other)?;
    Some(chance(mean(other) - mean(base), variance, freedom))
}

/// How many times as great the variance of a mean of this many values is as if none followed from another.
fn widened(correlation: f64, n: f64) -> f64 {
    let rest = 1.0 - correlation;
    let ends = 2.0 * correlation * (1.0 - libm::pow(correlation, n)) / (n * rest * rest);
    ((1.0 + correlation) / rest - ends).max(1.0)
}

/// The variance of a difference of two means of these variances, and its degrees of freedom (Welch and Satterthwaite).
fn welch(of: [f64; 2], freedom: [f64; 2]) -> (f64, f64) {
    let sum = of[0] + of[1];
    let squares = of[0] * of[0] / freedom[0] + of[1] * of[1] / freedom[1];
    match squares > 0.0 {
        true => (sum, sum * sum / squares),
        false => (sum, 0.0),
    }
}

/// The chance of a difference of the means of these blocks, where successive ones are parts of one stretch: four stretches in
/// eight blocks are four values, and not eight. `None` where they are not.
pub(super) fn stretched(base: &[f64; BLOCKS], other: &[f64; BLOCKS]) -> Option<f64> {
    let shared = in_common(base, other);
    if shared <= ONE_STRETCH {
        return None;
    }
    // As if each block followed from the one before, and all that follow have something of it.
    let shared = shared.min(MOST);
    let stretch = (1.0 + shared) / (1.0 - shared);
    let [a, b] = [base, other].map(|of| of.iter().sum::<f64>() / BLOCKS as f64);
    let of = [variance(base), variance(other)].map(|v| v / BLOCKS as f64);
    let (sum, freedom) = welch(of, [(BLOCKS - 1) as f64; 2]);
    Some(chance(b - a, sum * stretch, freedom))
}

/// The chance of a difference of this variance; 0 where nothing varies, as other tests then decide.
pub(super) fn chance(away: f64, variance: f64, freedom: f64) -> f64 {
    if away == 0.0 {
        return 1.0;
    }
    if variance <= 0.0 {
        return 0.0;
    }
    let t = away.abs() / variance.sqrt();
    match freedom > MANY {
        true => libm::erfc(t / 2f64.sqrt()),
        false => students(t, freedom),
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The means of successive blocks with as many values each.
fn blocks(values: &[f64]) -> [f64; BLOCKS] {
    let at = |block: usize| values.len() * block / BLOCKS;
    std::array::from_fn(|block| mean(values.get(at(block)..at(block + 1)).unwrap_or(&[])))
}

fn variance(of: &[f64; BLOCKS]) -> f64 {
    let mean = of.iter().sum::<f64>() / BLOCKS as f64;
    let squares = of.iter().map(|one| (one - mean) * (one - mean));
    squares.sum::<f64>() / (BLOCKS - 1) as f64
}

/// The correlation of a block with the next, within both captures, without the bias of so few blocks.
fn in_common(a: &[f64; BLOCKS], b: &[f64; BLOCKS]) -> f64 {
    let (mut own, mut next) = (0.0, 0.0);
    for blocks in [a, b] {
        let mean = blocks.iter().sum::<f64>() / BLOCKS as f64;
        own += blocks
            .iter()
            .map(|one| (one - mean) * (one - mean))
            .sum::<f64>();
        let pairs = blocks.windows(2);
        next += pairs
            .map(|two| (two[0] - mean) * (two[1] - mean))
            .sum::<f64>();
    }
    if own <= 0.0 {
        return 0.0;
    }
    let n = BLOCKS as f64;
    next / own * n / (n - 1.0) + 1.0 / n
}

/// Both tails of Student's distribution (Abramowitz and Stegun, 26.7.3 and 26.7.4), with the next whole degrees of
/// freedom below.
fn students(t: f64, freedom: f64) -> f64 {
    let freedom = freedom.max(1.0) as u32;
    // The same digits on every machine.
    let angle = libm::atan(t / f64::from(freedom).sqrt());
    let (sin, cos) = libm::sincos(angle);
    let (mut term, mut sum) = match freedom % 2 {
        1 => (cos, if freedom > 1 { cos } else { 0.0 }),
        _ => (1.0, 1.0),
    };
    let mut step = 2 + freedom % 2;
    while step < freedom {
        term *= cos * cos * f64::from(step - 1) / f64::from(step);
        sum += term;
        step += 2;
    }
    let within = match freedom % 2 {
        1 => 2.0 / PI * (angle + sin * sum),
        _ => sin * sum,
    };
    (1.0 - within).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::blocks::{Block, BlockTest, Rates};
    use super::super::testing::{Process, Random, course};
    use super::super::{Confidence, LEVEL};
    use super::*;
    use wirewait_analysis::Sample;

    /// Of 300 pairs the part that is called different, per cent: by single values, and in order.
    fn found(of: Process, n: usize, times: f64) -> [usize; 2] {
        let mut random = Random(7);
        let mut found = [0, 0];
        for _ in 0..300 {
            let (a, b) = (
                course(of, &mut random, n, 1.0),
                course(of, &mut random, n, times),
            );
            let sample = |values: &[i64]| values.iter().copied().collect::<Sample>();
            let alone = Confidence::of(&sample(&a), &sample(&b));
            let both = [alone, alone.in_order(&a, &b)];
            for (found, one) in found.iter_mut().zip(both) {
                *found += usize::from(one.p().is_some_and(|p| p < LEVEL));
            }
        }
        found.map(|n| n / 3)
    }

    #[test]
    fn what_hangs_together_is_no_difference() {
        for (of, n) in [
            (Process::Wide(0.8), 100),
            (Process::Wide(0.8), 500),
            (Process::Even, 300),
            (Process::Stretches(10), 400),
            (Process::Stretches(40), 400),
            (Process::Stretches(100), 1600),
            (Process::Drifts(0.9), 400),
        ] {
            let [_, in_order] = found(of, n, 1.0);
            assert!(in_order <= 2, "{in_order} %");
        }
        let [alone, _] = found(Process::Stretches(40), 400, 1.0);
        assert!(alone > 50, "{alone} %");
    }

    /// Of 400 pairs those that are called different: by totals as they are dealt out, by totals in
    /// order, and by ranks in order.
    fn found_of_totals(of: Process, n: usize, times: f64) -> [usize; 3] {
        let mut random = Random(7);
        let mut found = [0; 3];
        for _ in 0..400 {
            let (a, b) = (
                course(of, &mut random, n, 1.0),
                course(of, &mut random, n, times),
            );
            let rates = |of: &[i64]| {
                let part = |ns: &i64| Block {
                    answered: 1,
                    active_ns: ns.unsigned_abs(),
                    ..Block::default()
                };
                let parts: Vec<Block> = of.iter().map(part).collect();
                Rates::of(&parts, |block| block.answered)
            };
            let (base, other) = (rates(&a), rates(&b));
            let p = [
                BlockTest::of(&base.blocks, &other.blocks).unwrap().p,
                BlockTest::in_order(&base, &other).unwrap().p,
                Ranked::of(&a, &b).unwrap().p(),
            ];
            for (found, p) in found.iter_mut().zip(p) {
                *found += usize::from(p < LEVEL);
            }
        }
        found
    }

    /// The table of decision 0020 for totals: one in 20 at most, of captures with four or five stretches, too. Of ranks 6 %, as
    /// what would make them fewer finds less than [`differences_are_found`] asks for.
    #[test]
    fn totals_of_one_process_hardly_differ() {
        for (name, of, n) in [
            ("even", Process::Even, 300),
            ("wide", Process::Wide(0.8), 100),
            ("wide", Process::Wide(0.8), 500),
            ("stretches of 10", Process::Stretches(10), 400),
            ("stretches of 40", Process::Stretches(40), 400),
            ("stretches of 100", Process::Stretches(100), 400),
            ("stretches of 100", Process::Stretches(100), 800),
            ("stretches of 200", Process::Stretches(200), 800),
            ("drifts 0.5", Process::Drifts(0.5), 400),
            ("drifts 0.9", Process::Drifts(0.9), 400),
            ("drifts 0.95", Process::Drifts(0.95), 400),
            ("drifts 0.98", Process::Drifts(0.98), 400),
            ("drifts 0.98", Process::Drifts(0.98), 4_000),
            ("waits", Process::Waits(0.02), 400),
            ("waits", Process::Waits(0.005), 800),
        ] {
            let [dealt, totals, ranks] = found_of_totals(of, n, 1.0);
            println!("{name} {n}: {dealt} {totals} {ranks}");
            assert!(totals <= 20 && ranks <= 25, "{name} {n}: {totals} {ranks}");
        }
    }

    #[test]
    fn differences_are_found() {
        for (of, n, times, least) in [
            (Process::Even, 100, 1.1, 98),
            (Process::Even, 400, 1.05, 98),
            (Process::Wide(0.8), 500, 1.3, 90),
            (Process::Stretches(40), 400, 3.0, 90),
            (Process::Stretches(10), 400, 1.5, 85),
            (Process::Drifts(0.9), 400, 1.5, 80),
        ] {
            let [_, in_order] = found(of, n, times);
            assert!(in_order >= least, "{in_order} %, {times} times");
        }
    }

    /// Expected values: R 4, `2 * pt(-t, df)`.
    #[test]
    fn students_distribution_is_that_of_tables() {
        for (t, freedom, p) in [
            (1.0, 1.0, 0.5),
            (1.0, 2.0, 0.422_649_730_8),
            (2.0, 3.0, 0.139_325_967_9),
            (3.499_483_297, 7.0, 0.01),
            (3.499_483_297, 7.9, 0.01),
            (2.976_842_734, 14.0, 0.01),
        ] {
            let got = students(t, freedom);
            assert!((got - p).abs() < 1e-8, "{got} for {p}");
        }
    }

    /// 8 against 8 that are all greater: a half away, and each block is one value.
    #[test]
    fn the_distance_is_that_of_the_rank_test() {
        let (low, high): (Vec<i64>, Vec<i64>) = ((0..80).collect(), (100..180).collect());
        let ranked = Ranked::of(&low, &high).unwrap();
        assert!((ranked.away - 0.5).abs() < 1e-12, "{ranked:?}");
        assert_eq!(Ranked::of(&low[..7], &high), None);
        let same = Ranked::of(&low, &low).unwrap();
        assert_eq!((same.away, same.p()), (0.0, 1.0));
        // Nothing varies: single values decide.
        assert_eq!(Ranked::of(&[1; 20], &[2; 20]).unwrap().p(), 0.0);
    }

    /// Two values that have half of each other make a mean of 1.5 times the variance, by hand; many make it three times.
    #[test]
    fn a_mean_of_values_that_follow_varies_more() {
        for (correlation, n, want) in [
            (0.0, 9.0, 1.0),
            (0.5, 2.0, 1.5),
            (0.9, 2.0, 1.9),
            // (3 + 2 * 2 / 2 + 2 / 4) / 3 in thirds: 1 + 2 (2 / 3 * 0.5 + 1 / 3 * 0.25).
            (0.5, 3.0, 1.0 + 2.0 * (1.0 / 3.0 + 1.0 / 12.0)),
            (0.5, 1e9, 3.0),
        ] {
            let got = widened(correlation, n);
            assert!((got - want).abs() < 1e-6, "{got} for {want}");
        }
    }

    /// Ten values that rise, and the same a little higher; a work that repeats; values without order.
    #[test]
    fn values_follow_only_where_they_do() {
        let rising: Vec<f64> = (0..30).map(f64::from).collect();
        let higher: Vec<f64> = rising.iter().map(|one| one + 10.0).collect();
        assert!(followed(&rising, &higher).is_some_and(|p| p > 0.1));
        let turns: Vec<f64> = (0..400).map(|at| f64::from(at % 10 / 5)).collect();
        assert_eq!(following(&turns, &turns), None);
        let mut random = Random(11);
        let [a, b] = [0, 1].map(|_| (0..400).map(|_| random.next()).collect::<Vec<f64>>());
        assert_eq!(following(&a, &b), None);
        assert_eq!(following(&[1.0; 40], &[2.0; 40]), None);
    }

    /// Few values of a process in which each has most of the one before: called different in 28 of 100 pairs by ranks of
    /// blocks alone.
    #[test]
    fn few_values_that_follow_are_fewer() {
        for (of, n, most) in [
            (Process::Drifts(0.5), 20, 3),
            (Process::Drifts(0.9), 20, 12),
            (Process::Drifts(0.9), 50, 5),
            (Process::Drifts(0.98), 400, 5),
        ] {
            let [_, in_order] = found(of, n, 1.0);
            assert!(in_order <= most, "{in_order} % of {n}");
        }
    }
}
