//! The rank test of Wilcoxon, Mann and Whitney: whether the values of one sample tend to be
//! greater than those of the other. It asks nothing of their distribution.

use super::EqualLoad;
use super::blocks::{BlockTest, Rates};
use super::serial::Ranked;
use wirewait_analysis::{Fidelity, Sample};

/// Values that each side must have: below that the normal approximation is none.
pub const FEWEST: u64 = wirewait_analysis::ENOUGH;

/// What the test says of two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankTest {
    /// Values of the baseline, and of the other.
    pub n: (u64, u64),
    /// Twice the U of the other: of all pairs, two for each in which its value is the greater
    /// one and one for each tie.
    pub twice_u: u128,
    /// How likely chance alone makes such a difference or a greater one, in either
    /// direction. No less than either of the two tests says: that of single values (normal
    /// approximation, with correction for ties and for continuity), and that of successive blocks
    /// of them, where their order is known.
    pub p: f64,
    /// What the test of single values says: as if none depended on the ones before it.
    pub p_if_independent: f64,
}

/// How sure a difference is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Confidence {
    /// One side has fewer than [`FEWEST`] values: how many of the baseline, and of the
    /// other.
    TooFew(u64, u64),
    /// The test was made.
    Tested(RankTest),
    /// Successive parts of the captures were tested.
    Blocks(BlockTest),
    /// A clock ticks so rarely, ns, that no single time can be compared: the means differ by less.
    Coarse(u64),
}

impl Confidence {
    /// Compares `other` with `base`.
    #[must_use]
    pub fn of(base: &Sample, other: &Sample) -> Self {
        let n = (base.n(), other.n());
        if n.0.min(n.1) < FEWEST {
            return Self::TooFew(n.0, n.1);
        }
        let rounded = |sample: &Sample| sample.fidelity() == Fidelity::Rounded;
        Self::Tested(if rounded(base) == rounded(other) {
            RankTest::of(base.values(), other.values())
        } else {
            RankTest::of(base.rounded().values(), other.rounded().values())
        })
    }

    /// Where the order of the values is known: no surer than their blocks are.
    #[must_use]
    pub(super) fn in_order(self, base: &[i64], other: &[i64]) -> Self {
        match (self, Ranked::of(base, other)) {
            (Self::Tested(test), Some(ranked)) => Self::Tested(RankTest {
                p: test.p.max(ranked.p()),
                ..test
            }),
            _ => self,
        }
    }

    /// Compares time for each unit of work.
    #[must_use]
    pub(super) fn of_blocks(base: &Rates, other: &Rates) -> Self {
        match BlockTest::in_order(base, other) {
            Some(test) => Self::Blocks(test),
            None => Self::TooFew(base.blocks.len() as u64, other.blocks.len() as u64),
        }
    }

    /// What the test within equal load says.
    #[must_use]
    pub(super) const fn of_equal_load(found: &EqualLoad) -> Self {
        Self::Blocks(BlockTest {
            p: found.p,
            blocks: found.blocks,
        })
    }

    /// The probability, where the test was made.
    #[must_use]
    pub fn p(&self) -> Option<f64> {
        match self {
            Self::TooFew(..) | Self::Coarse(_) => None,
            Self::Tested(test) => Some(test.p),
            Self::Blocks(test) => Some(test.p),
        }
    }
}

impl RankTest {
    /// How likely a value of the other is greater than one of the baseline, ties counting
    /// half; 0.5 is no difference.
    #[must_use]
    pub fn greater(&self) -> f64 {
        self.twice_u as f64 / (2.0 * self.n.0 as f64 * self.n.1 as f64)
    }

    /// How likely a value of the other is greater, less a half, and the variance of that.
    pub(super) fn away(base: &Sample, other: &Sample) -> (f64, f64) {
        let (test, variance) = Self::with_variance(base.values(), other.values());
        let pairs = test.n.0 as f64 * test.n.1 as f64;
        (test.greater() - 0.5, variance / (pairs * pairs))
    }

    /// Both sides ascending, with counts; neither is empty.
    fn of(base: &[(i64, u64)], other: &[(i64, u64)]) -> Self {
        Self::with_variance(base, other).0
    }

    /// With the variance of U.
    fn with_variance(base: &[(i64, u64)], other: &[(i64, u64)]) -> (Self, f64) {
        let (mut a, mut b) = (base.iter().peekable(), other.iter().peekable());
        let (mut below, mut n_other) = (0u128, 0u128);
        let mut twice_u = 0u128;
        // Sum over ties of t^3 - t.
        let mut ties = 0f64;
        loop {
            let value = match (a.peek(), b.peek()) {
                (Some(a), Some(b)) => a.0.min(b.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => break,
            };
            let here = |it: &mut std::iter::Peekable<std::slice::Iter<'_, (i64, u64)>>| {
                it.next_if(|one| one.0 == value)
                    .map_or(0, |(_, count)| u128::from(*count))
            };
            let (of_base, of_other) = (here(&mut a), here(&mut b));
            twice_u = twice_u.saturating_add(
                of_other.saturating_mul(below.saturating_mul(2).saturating_add(of_base)),
            );
            below += of_base;
            n_other += of_other;
            let t = (of_base + of_other) as f64;
            ties += t * t * t - t;
        }
        let (n1, n2) = (below as f64, n_other as f64);
        let all = n1 + n2;
        let mean = n1 * n2 / 2.0;
        let variance = n1 * n2 / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)));
        let away = (twice_u as f64 / 2.0 - mean).abs() - 0.5;
        // All values the same: nothing differs.
        let p = if variance > 0.0 && away > 0.0 {
            libm::erfc(away / (2.0 * variance).sqrt())
        } else {
            1.0
        };
        let count = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
        let test = Self {
            n: (count(below), count(n_other)),
            twice_u,
            p,
            p_if_independent: p,
        };
        (test, variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Counted pair by pair; and what only depends on the order survives whatever keeps it.
        #[test]
        fn u_counts_pairs(
            base in prop::collection::vec(0i64..50, 1..60),
            other in prop::collection::vec(0i64..50, 1..60),
        ) {
            let twice_u: u128 = base
                .iter()
                .flat_map(|a| other.iter().map(move |b| match b.cmp(a) {
                    std::cmp::Ordering::Greater => 2,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Less => 0,
                }))
                .sum();
            let test = |scale: fn(i64) -> i64| {
                let sample = |values: &[i64]| values.iter().map(|v| scale(*v)).collect::<Sample>();
                RankTest::of(sample(&base).values(), sample(&other).values())
            };
            let plain = test(|v| v);
            prop_assert_eq!(plain.twice_u, twice_u);
            prop_assert!((0.0..=1.0).contains(&plain.p), "{:?}", plain);
            prop_assert_eq!(test(|v| v * v * 1000 + 7), plain);
        }
    }

    fn near(got: f64, want: f64) -> bool {
        (got - want).abs() <= want.abs() * 1e-9
    }

    /// A linear congruential generator, so that the same values can be made elsewhere.
    fn random(seed: i64, n: usize, add: i64) -> Sample {
        let mut x = seed;
        std::iter::repeat_with(|| {
            x = (x * 1_103_515_245 + 12_345) % (1 << 31);
            (x >> 16) % 1000 + add
        })
        .take(n)
        .collect()
    }

    /// Expected values: scipy 1.17.1,
    /// `mannwhitneyu(other, base, alternative="two-sided", method="asymptotic")`.
    #[test]
    fn the_test_is_scipys() {
        let thrice =
            |values: [i64; 10]| -> Sample { values.iter().copied().cycle().take(30).collect() };
        let cases: [(Sample, Sample, f64, f64); 7] = [
            (
                (1..=30).collect(),
                (6..=35).collect(),
                587.5,
                0.042_747_353_305_7,
            ),
            (
                thrice([1, 1, 2, 2, 2, 3, 3, 3, 3, 4]),
                thrice([2, 2, 3, 3, 3, 4, 4, 4, 4, 5]),
                684.0,
                0.000_331_471_673_756,
            ),
            ((0..40).collect(), (0..40).collect(), 800.0, 1.0),
            (
                [7; 25].into_iter().collect(),
                [7; 30].into_iter().collect(),
                375.0,
                1.0,
            ),
            (
                (0..60).map(|i| i * 37 % 101).collect(),
                (0..25).map(|i| i * 53 % 97 + 10).collect(),
                789.5,
                0.706_788_067_912,
            ),
            (
                (0..100).collect(),
                (1000..1100).collect(),
                10_000.0,
                2.562_143_669_163e-34,
            ),
            (
                random(1, 500, 0),
                random(2, 700, 30),
                194_740.0,
                0.000_852_378_983_221,
            ),
        ];
        for (n, (base, other, u, p)) in cases.iter().enumerate() {
            let test = RankTest::of(base.values(), other.values());
            assert!(near(test.twice_u as f64 / 2.0, *u), "{n}: {test:?}");
            assert!(near(test.p, *p), "{n}: {test:?} for {p}");
            // The other way round the same chance, and the rest of the pairs.
            let back = RankTest::of(other.values(), base.values());
            assert!(near(back.p, test.p), "{n}");
            assert!(near(back.greater() + test.greater(), 1.0), "{n}");
        }
    }

    #[test]
    fn few_values_are_not_judged() {
        let (few, enough): (Sample, Sample) = ((0..19).collect(), (0..20).collect());
        assert_eq!(Confidence::of(&few, &enough), Confidence::TooFew(19, 20));
        assert_eq!(Confidence::of(&enough, &enough).p(), Some(1.0));
        let none = Sample::default();
        assert_eq!(Confidence::of(&none, &none), Confidence::TooFew(0, 0));
    }

    /// 30 exact values of 1,000,001 ns and the same ones as a histogram counts them are the
    /// same, though the latter are a little greater.
    #[test]
    fn what_was_counted_differently_is_rounded_alike() {
        let exact: Sample = [1_000_001; 30].into_iter().collect();
        assert_ne!(exact, exact.rounded());
        assert_eq!(Confidence::of(&exact, &exact.rounded()).p(), Some(1.0));
    }
}
