//! Whether lost frames made the difference. A few waits of a second hold most of the time, and fall
//! into any of the blocks: the test of the blocks does not see nine of them among a hundred requests. What
//! is certain is how many requests had something retransmitted, in both captures, and what that cost.

use super::blame;
use super::{Change, LEVEL};
use wirewait_analysis::{Phase, Snapshot, Transaction};

/// Lost ones from which on the normal approximation serves.
const MANY: u64 = 10_000;

/// Requests of a capture, and those of them of which something was retransmitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repeated {
    /// Requests that were answered.
    pub answered: u64,
    /// Those with a repeated request or response, or a part of one.
    pub repeated: u64,
}

impl Repeated {
    pub(super) fn transaction(&mut self, t: &Transaction) {
        if t.took().is_some() {
            self.answered += 1;
            self.repeated += u64::from(t.copies > 1 || t.frames.retransmitted > 0);
        }
    }
}

/// Two captures by their lost frames, where those are most of the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Losses {
    /// The baseline's.
    pub base: Repeated,
    /// The other's.
    pub other: Repeated,
    /// How likely chance alone shares out the repeated ones so unevenly, in either direction.
    pub p: f64,
}

impl Losses {
    /// Where the time for each unit of work changed by `change`: if loss recovery is half of that, or
    /// more, and more requests of the slower one had something retransmitted than chance explains.
    pub(super) fn of(
        captures: &[&Snapshot],
        repeated: &[Option<Repeated>],
        units: impl Fn(usize) -> Option<u64>,
        number: usize,
    ) -> Option<Self> {
        let each = |place: usize| {
            let ledger = blame::total(captures.get(place)?);
            let units = units(place).filter(|n| *n > 0)? as f64;
            let lost = ledger.get(Phase::Retransmission);
            Some((ledger.active() as f64 / units, lost as f64 / units))
        };
        let ((was, lost_before), (is, lost_now)) = (each(0)?, each(number + 1)?);
        let (grown, by_losses) = (is - was, lost_now - lost_before);
        if grown * by_losses <= 0.0 || by_losses.abs() * 2.0 < grown.abs() {
            return None;
        }
        let of = |place: usize| repeated.get(place).copied().flatten();
        let (base, other) = (of(0)?, of(number + 1)?);
        let p = chance(base, other)?;
        let rate = |of: Repeated| of.repeated as f64 / of.answered as f64;
        let agrees = (rate(other) > rate(base)) == (grown > 0.0);
        (agrees && p < LEVEL).then_some(Self { base, other, p })
    }

    /// How much more often the other had something retransmitted.
    #[must_use]
    pub fn change(&self) -> Option<Change> {
        let rate = |of: Repeated| super::Ratio::new(of.repeated.into(), of.answered.into());
        Some(rate(self.base)?.change(rate(self.other)?))
    }
}

/// Where both captures lose as often, each of the repeated ones is in one of them with a probability that
/// is its part of all requests: of that binomial distribution, the tail from what was seen on, twice
/// (Przyborowski and Wilenski, Biometrika 31, 1940: the comparison of two Poisson rates).
pub(super) fn chance(base: Repeated, other: Repeated) -> Option<f64> {
    let (n, m) = (base.answered as f64, other.answered as f64);
    let all = base.repeated + other.repeated;
    if base.answered == 0 || other.answered == 0 || all == 0 {
        return None;
    }
    let part = m / (n + m);
    let seen = other.repeated;
    let more = seen as f64 >= part * all as f64;
    let tail = if all > MANY {
        let (mean, variance) = (part * all as f64, part * (1.0 - part) * all as f64);
        let away = ((seen as f64 - mean).abs() - 0.5).max(0.0);
        libm::erfc(away / (2.0 * variance).sqrt()) / 2.0
    } else {
        let ways = |k: u64| {
            let log = |k: u64| libm::lgamma(k as f64 + 1.0);
            log(all) - log(k) - log(all - k)
        };
        let point = |k: u64| {
            let (k, rest) = (k as f64, (all - k) as f64);
            (ways(k as u64) + k * part.ln() + rest * (1.0 - part).ln()).exp()
        };
        match more {
            true => (seen..=all).map(point).sum(),
            false => (0..=seen).map(point).sum(),
        }
    };
    Some((2.0 * tail).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(base: [u64; 2], other: [u64; 2]) -> f64 {
        let of = |[repeated, answered]: [u64; 2]| Repeated { answered, repeated };
        chance(of(base), of(other)).unwrap()
    }

    /// None of as many against eight: all eight in one of two, in either: 2 / 2^8; against seven it is
    /// 2 / 2^7. Of 3 and 9: (1 + 12 + 66 + 220) / 2^12, twice.
    #[test]
    fn chances_are_those_of_a_coin_where_both_have_as_many_requests() {
        assert!((p([0, 100], [8, 100]) - 2.0 / 256.0).abs() < 1e-9);
        assert!((p([7, 100], [0, 100]) - 2.0 / 128.0).abs() < 1e-9);
        assert!((p([3, 50], [9, 50]) - 2.0 * 299.0 / 4096.0).abs() < 1e-9);
        assert!((p([5, 100], [5, 100]) - 1.0).abs() < 1e-9);
    }

    /// A third of all requests are the other's: three of three are there in one of 27 cases.
    #[test]
    fn chances_follow_the_numbers_of_requests() {
        assert!((p([0, 200], [3, 100]) - 2.0 / 27.0).abs() < 1e-9);
        assert_eq!(
            chance(Repeated::default(), Repeated::default()),
            None,
            "nothing to compare"
        );
    }

    /// The approximation goes on where the sum ends: 1 % more of twenty thousand.
    #[test]
    fn many_are_approximated() {
        let (few, many) = (p([4950, 9000], [5050, 9000]), p([4951, 9000], [5050, 9000]));
        assert!((few - many).abs() < 0.02, "{few} {many}");
        assert!(p([9000, 90_000], [11_000, 90_000]) < 1e-9);
    }
}
