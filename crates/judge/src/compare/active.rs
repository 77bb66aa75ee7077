//! All of the time as the unit of comparison: the active time of the clients for each answered request.

use super::blame;
use super::blocks::{Block, Rates};
use super::conclusion::Premises;
use super::{Change, Confidence, EqualLoad, Ratio};
use crate::coarse;

/// The active time of the clients for each answered request: waiting, lost, or spent between two
/// requests.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ActiveTime {
    /// In the baseline, ns.
    pub base: Ratio,
    /// In the other.
    pub other: Ratio,
    /// How sure the difference is.
    pub confidence: Confidence,
    /// What is found within equal load, where both captures pass through the same loads; that decides.
    pub equal_load: Option<EqualLoad>,
    /// By how much coarse clocks may have made the difference, ns for each answered request.
    pub clock_ns: u64,
}

impl ActiveTime {
    pub(super) fn of(
        premises: &Premises<'_>,
        number: usize,
        answered: impl Fn(usize) -> Option<u64>,
    ) -> Option<Self> {
        let Premises {
            captures, parts, ..
        } = *premises;
        let each = |place: usize| {
            let active = blame::total(captures.get(place)?).active();
            Ratio::new(u128::from(active), u128::from(answered(place)?))
        };
        let of = |place: usize| rates_of(parts, place, |block| block.answered);
        let loads = premises.loads.as_ref();
        let equal_load =
            loads.and_then(|loads| loads.test(|block| (block.active_ns, block.answered)));
        Some(Self {
            base: each(0)?,
            other: each(number + 1)?,
            confidence: match &equal_load {
                Some(found) => Confidence::of_equal_load(found),
                None => Confidence::of_blocks(&of(0), &of(number + 1)),
            },
            equal_load,
            clock_ns: [0, number + 1]
                .into_iter()
                .filter_map(|place| {
                    let wide = coarse::active(captures.get(place)?);
                    let ns = wide.high.saturating_sub(wide.low);
                    Some(ns / answered(place).unwrap_or(0).max(1))
                })
                .fold(0, u64::saturating_add),
        })
    }

    /// Whether the difference is more than coarse clocks may have made.
    pub(super) fn is_beyond_the_clock(&self) -> bool {
        (self.other.number() - self.base.number()).abs() > self.clock_ns as f64
    }

    /// How much more of it the other needs, within equal load where that can be told.
    #[must_use]
    pub fn change(&self) -> Change {
        match &self.equal_load {
            Some(found) => found.slower(),
            None => self.base.change(self.other),
        }
    }
}

/// Active time for the work of a capture.
pub(super) fn rates_of(parts: &[Vec<Block>], place: usize, work: impl Fn(&Block) -> u64) -> Rates {
    parts
        .get(place)
        .map_or_else(Rates::default, |parts| Rates::of(parts, work))
}
