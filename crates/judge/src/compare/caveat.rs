//! What speaks against comparing two captures: that they did not do the same.

use super::work::kind;
use super::{Change, Group, Key, Side, blame};
use crate::verdict::{MENTIONED, UNKNOWN};
use wirewait_analysis::{Grade, LedgerOf, Phase, Snapshot};
use wirewait_wire::Kind;

/// Thousandths of the requests that may be of other operations before it is said.
const OTHER_OPERATIONS: u64 = 50;
/// Thousandths by which the mean size of a read or write may differ.
const OTHER_SIZE: i64 = 100;
/// Thousandths of the elapsed time by which idle time may differ.
const OTHER_IDLE: u64 = 100;

/// Requests of other operations from which on a request is no measure of the work, in thousandths.
const OTHER_WORK: u64 = 200;
/// From which on most of the work is another.
const MOSTLY_OTHER: u64 = 500;

/// Why a difference may not be what it seems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// Too much is missing from the baseline, or from the other.
    Poor {
        /// The baseline.
        base: bool,
    },
    /// Part of the time in the baseline, or in the other, is unknown and not compared. Above a third nobody is named.
    Unknown {
        /// The baseline.
        base: bool,
        /// Its part of active and unknown time, in thousandths.
        share: u64,
    },
    /// Operations that only one of them has.
    OnlyIn {
        /// The baseline has them.
        base: bool,
        /// Their part of its requests, in thousandths.
        share: u64,
        /// The one with most requests.
        key: Key,
    },
    /// Equal operations in other proportions.
    Mix {
        /// Requests that would have to be of another operation for the same mix, in
        /// thousandths.
        distance: u64,
        /// The operation that differs most.
        key: Key,
        /// Its part of the baseline's requests, in thousandths.
        base: u64,
        /// Its part of the other's.
        other: u64,
    },
    /// An answered read or write moves more, or less, on average.
    Size {
        /// Of which class.
        kind: Kind,
        /// Bytes in the baseline.
        base: u64,
        /// Bytes in the other.
        other: u64,
    },
    /// Clients with requests in the baseline and in the other.
    Clients(u64, u64),
    /// Idle time is another part of the elapsed time, in thousandths: what is counted per
    /// elapsed time depends on it.
    Idle(u64, u64),
    /// Most requests changed one way, the mean the other: a few take much of the time.
    MeanDisagrees,
    /// Active time per request did not change as the response time did: its value in the baseline
    /// and in the other, ns. Typical of captures made at different places.
    Elsewhere(u64, u64),
    /// A clock ticks so rarely that single times cannot be compared.
    Coarse {
        /// The baseline's.
        base: bool,
        /// Its tick, ns.
        tick_ns: u64,
    },
}

impl Caveat {
    /// Whether a fifth of the requests, or more, are of other operations.
    pub(super) fn is_other_work(&self) -> bool {
        match self {
            Self::OnlyIn { share, .. } => *share >= OTHER_WORK,
            Self::Mix { distance, .. } => *distance >= OTHER_WORK,
            _ => false,
        }
    }

    /// Whether most requests of one are of operations that the other has none of, or fewer.
    pub(super) fn is_mostly_other(&self) -> bool {
        match self {
            Self::OnlyIn { share, .. } => *share >= MOSTLY_OTHER,
            Self::Mix { distance, .. } => *distance >= MOSTLY_OTHER,
            _ => false,
        }
    }

    /// Whether the two did other operations, in other proportions.
    pub(super) const fn is_mix(&self) -> bool {
        matches!(self, Self::OnlyIn { .. } | Self::Mix { .. })
    }

    /// Whether too much is unknown for anyone to be named.
    pub(super) fn hides_who(&self) -> bool {
        matches!(self, Self::Unknown { share, .. } if *share > UNKNOWN)
    }
}

/// What speaks against comparing the other with this number.
pub(super) fn doubts(
    captures: &[&Snapshot],
    groups: &[Group],
    sizes: Vec<Caveat>,
    number: usize,
) -> Vec<Caveat> {
    let (Some(base), Some(other)) = (captures.first(), captures.get(number + 1)) else {
        return Vec::new();
    };
    let mut doubts = Vec::new();
    for (snapshot, is_base) in [(base, true), (other, false)] {
        if snapshot.capture.grade == Grade::Poor {
            doubts.push(Caveat::Poor { base: is_base });
        }
        let total = blame::total(snapshot);
        let unknown = total.get(Phase::Unknown);
        let share = thousandths(unknown, total.active().saturating_add(unknown));
        if share >= MENTIONED {
            doubts.push(Caveat::Unknown {
                base: is_base,
                share,
            });
        }
    }
    doubts.extend(mix(groups, number));
    doubts.extend(sizes);
    let clients = (base.stations.len() as u64, other.stations.len() as u64);
    if clients.0 != clients.1 && clients.0 > 0 && clients.1 > 0 {
        doubts.push(Caveat::Clients(clients.0, clients.1));
    }
    if let (Some(a), Some(b)) = (idle(base), idle(other))
        && a.abs_diff(b) > OTHER_IDLE
    {
        doubts.push(Caveat::Idle(a, b));
    }
    doubts
}

/// Operations of one alone; or, where all of them are common, their proportions.
fn mix(groups: &[Group], number: usize) -> Vec<Caveat> {
    let requests = |side: Option<&Side>| side.map_or(0, |side| side.counts.requests);
    let counts: Vec<(u64, u64, &Key)> = groups
        .iter()
        .map(|group| {
            (
                requests(group.base()),
                requests(group.other(number)),
                &group.key,
            )
        })
        .collect();
    let sum = |of: fn(&(u64, u64, &Key)) -> u64| counts.iter().map(of).fold(0, u64::saturating_add);
    let (base, other) = (sum(|n| n.0), sum(|n| n.1));
    if base == 0 || other == 0 {
        return Vec::new();
    }
    let mut doubts = Vec::new();
    for is_base in [true, false] {
        let alone: Vec<(u64, &Key)> = counts
            .iter()
            .filter_map(|(a, b, key)| match (is_base, *a, *b) {
                (true, n @ 1.., 0) | (false, 0, n @ 1..) => Some((n, *key)),
                _ => None,
            })
            .collect();
        let n = alone
            .iter()
            .map(|(n, _)| n)
            .fold(0u64, |sum, n| sum.saturating_add(*n));
        let share = thousandths(n, if is_base { base } else { other });
        let most = alone
            .iter()
            .max_by(|(a, a_key), (b, b_key)| (a, b_key).cmp(&(b, a_key)));
        if let Some((_, key)) = most.filter(|_| share >= OTHER_OPERATIONS) {
            doubts.push(Caveat::OnlyIn {
                base: is_base,
                share,
                key: (*key).clone(),
            });
        }
    }
    if !doubts.is_empty() {
        return doubts;
    }
    let shares = counts
        .iter()
        .map(|(a, b, key)| (thousandths(*a, base), thousandths(*b, other), *key));
    let distance = shares.clone().map(|(a, b, _)| a.abs_diff(b)).sum::<u64>() / 2;
    let most = shares
        .max_by(|(a, b, key), (c, d, other)| (a.abs_diff(*b), other).cmp(&(c.abs_diff(*d), key)));
    if let Some((base, other, key)) = most.filter(|_| distance >= OTHER_OPERATIONS) {
        doubts.push(Caveat::Mix {
            distance,
            key: key.clone(),
            base,
            other,
        });
    }
    doubts
}

/// The mean size of reads and of writes.
pub(super) fn sizes(groups: &[Group], number: usize) -> Vec<Caveat> {
    [Kind::Read, Kind::Write]
        .into_iter()
        .filter_map(move |wanted| {
            let mean = |place: usize| {
                let (bytes, n) = groups
                    .iter()
                    .filter(|group| kind(&group.key) == Some(wanted))
                    .filter_map(|group| group.sides.get(place)?.as_ref())
                    .fold((0u64, 0u64), |(bytes, n), side| {
                        (
                            bytes.saturating_add(side.moving_bytes),
                            n.saturating_add(succeeded(side)),
                        )
                    });
                (n > 0 && bytes > 0).then(|| (bytes + n / 2) / n)
            };
            let base = mean(0)?;
            let other = mean(number + 1)?;
            let ratio = |n: u64| super::Ratio {
                part: u128::from(n),
                of: 1,
            };
            match ratio(base).change(ratio(other)) {
                Change::Thousandths(n) if n.abs() < OTHER_SIZE => None,
                _ => Some(Caveat::Size {
                    kind: wanted,
                    base,
                    other,
                }),
            }
        })
        .collect()
}

/// Requests that moved what they were to move: a failure moves nothing.
fn succeeded(side: &Side) -> u64 {
    side.response_time.n.saturating_sub(side.counts.failures)
}

/// The part of the elapsed time in which nobody wanted anything, in thousandths.
fn idle(snapshot: &Snapshot) -> Option<u64> {
    let row = snapshot
        .ledgers
        .iter()
        .find(|row| row.of == LedgerOf::Capture)?;
    Some(thousandths(row.ledger.get(Phase::Idle), row.ledger.total()))
}

fn thousandths(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole));
    let rounded = (part * 2000 + whole).checked_div(2 * whole).unwrap_or(0);
    u64::try_from(rounded).unwrap_or(u64::MAX)
}
