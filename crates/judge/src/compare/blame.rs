//! In whom a change is: the growth of everyone's active time, between bounds, as a capture may not
//! tell the way to a station from the work in it.

use super::Ratio;
use crate::share::{Beside, Share};
use crate::{Culprit, Finding, coarse};
use wirewait_analysis::{Bounds, Ledger, LedgerOf, Phase, Snapshot};

/// A culprit's part of the active time, for each answered request, or each byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CulpritTime {
    /// Whose.
    pub culprit: Culprit,
    /// In the baseline, ns, as tables show it: the network has no more than is proved.
    pub base: Ratio,
    /// In the other.
    pub other: Ratio,
    /// In the baseline at least, and at most.
    pub base_bounds: [Ratio; 2],
    /// In the other.
    pub other_bounds: [Ratio; 2],
}

impl CulpritTime {
    /// What it grew by at least and at most; backwards, what it shrank by.
    fn growth(&self, backwards: bool) -> [f64; 2] {
        let [from, to] = match backwards {
            false => [self.base_bounds, self.other_bounds],
            true => [self.other_bounds, self.base_bounds],
        };
        let [from, to] = [from, to].map(|bounds| bounds.map(Ratio::number));
        [to[0] - from[1], to[1] - from[0]]
    }
}

/// Everyone's active time, for each of what `of` counts in the capture at a place.
pub(super) fn parts(
    captures: &[&Snapshot],
    number: usize,
    of: impl Fn(usize) -> Option<u64>,
) -> Vec<CulpritTime> {
    let of = |place: usize| {
        let n = of(place)?;
        let snapshot = captures.get(place)?;
        let total = total(snapshot);
        let shown = crate::verdict::parts(snapshot);
        let beside = Beside {
            idle: 0,
            silences: snapshot.clock_set.map_or(0, |set| set.unsure_ns),
        };
        let exact = Culprit::ALL.map(|culprit| Share::of(culprit, &total, beside));
        // What a coarse clock may have made of it is no change.
        let wide = coarse::shares(exact, snapshot);
        let all = shown.map(|(shown, of)| (of, shown, wide[of as usize].ns));
        (n > 0).then_some((all, u128::from(n)))
    };
    let (Some((base, base_n)), Some((other, other_n))) = (of(0), of(number + 1)) else {
        return Vec::new();
    };
    let each = |ns: u64, of: u128| Ratio {
        part: u128::from(ns),
        of,
    };
    let bounds = |ns: Bounds, of: u128| [ns.low, ns.high].map(|ns| each(ns, of));
    base.into_iter()
        .zip(other)
        .map(
            |((culprit, was, was_bounds), (_, is, is_bounds))| CulpritTime {
                culprit,
                base: each(was, base_n),
                other: each(is, other_n),
                base_bounds: bounds(was_bounds, base_n),
                other_bounds: bounds(is_bounds, other_n),
            },
        )
        .collect()
}

/// Who grew by more than any other can have grown, or else the two who may have grown most; shrank,
/// if the time became less. `nobody` is by how much the time of requests without a response did.
pub(super) fn finding(parts: &[CulpritTime], backwards: bool, nobody: f64) -> Finding {
    let mut grown: Vec<(Culprit, [f64; 2])> = parts
        .iter()
        .map(|part| (part.culprit, part.growth(backwards)))
        .filter(|(_, [_, high])| *high > 0.0)
        .collect();
    grown.sort_by(|(_, a), (_, b)| b[1].total_cmp(&a[1]));
    match grown.as_slice() {
        [(_, [_, high]), ..] if *high < nobody => Finding::None,
        [(one, _)] => Finding::Named(*one),
        [(one, [low, _]), (two, [_, high]), ..] => {
            if low > high {
                Finding::Named(*one)
            } else if (*one as usize) < *two as usize {
                Finding::Either(*one, *two)
            } else {
                Finding::Either(*two, *one)
            }
        }
        [] => Finding::None,
    }
}

/// By how much the time of requests without a response grew, for each of what `of` counts.
pub(super) fn unanswered(
    captures: &[&Snapshot],
    number: usize,
    of: impl Fn(usize) -> Option<u64>,
) -> f64 {
    let each = |place: usize| {
        let ns = total(captures.get(place)?).get(Phase::Unanswered);
        Some(ns as f64 / of(place).filter(|n| *n > 0)? as f64)
    };
    match (each(0), each(number + 1)) {
        (Some(base), Some(other)) => other - base,
        _ => 0.0,
    }
}

pub(super) fn total(snapshot: &Snapshot) -> Ledger {
    let mut rows = snapshot.ledgers.iter();
    rows.find(|row| row.of == LedgerOf::Capture)
        .map_or(Ledger::default(), |row| row.ledger)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(culprit: Culprit, base: [u64; 2], other: [u64; 2]) -> CulpritTime {
        let ratio = |n: u64| Ratio {
            part: u128::from(n),
            of: 1,
        };
        CulpritTime {
            culprit,
            base: ratio(base[1]),
            other: ratio(other[1]),
            base_bounds: base.map(ratio),
            other_bounds: other.map(ratio),
        }
    }

    fn parts(network: [u64; 2], server: [u64; 2]) -> [CulpritTime; 3] {
        [
            part(Culprit::Client, [5, 5], [6, 6]),
            part(Culprit::Network, [0, 10], network),
            part(Culprit::Server, [0, 10], server),
        ]
    }

    /// The server took 0 to 10, now 90 to 100: 80 at least, and the network 10 at most.
    #[test]
    fn the_one_is_named_who_grew_by_more_than_any_other_can() {
        let certain = parts([0, 10], [90, 100]);
        assert_eq!(
            finding(&certain, false, 0.0),
            Finding::Named(Culprit::Server)
        );
        // The server may have taken 11, and the network 89 more.
        let open = parts([0, 89], [11, 100]);
        let either = Finding::Either(Culprit::Network, Culprit::Server);
        assert_eq!(finding(&open, false, 0.0), either);
        // Backwards nobody but the station whose way may be anything can have shrunk.
        assert_eq!(
            finding(&certain, true, 0.0).culprit(),
            Some(Culprit::Network)
        );
        assert_eq!(finding(&certain, false, 200.0), Finding::None);
        assert_eq!(finding(&[], false, 0.0), Finding::None);
    }
}
