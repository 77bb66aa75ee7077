//! Bytes moved as the unit of comparison: where most of the time goes to reads or writes of another
//! size than the baseline's, the time of a single request says nothing of the service. A read of
//! 30 KB that takes 28 times as long as one of 1 KB is no slower.

use super::active::rates_of;
use super::blame::CulpritTime;
use super::conclusion::Premises;
use super::{Caveat, Change, Confidence, EqualLoad, Figure, Group, Key, Ratio, Side};
use wirewait_wire::Kind;

/// A change of the throughput below this does not count, in thousandths of the baseline: requests
/// of other sizes are never quite the same work.
pub const MATERIAL: i64 = 100;

/// Bytes of a read or write from which on data is most of the work; with fewer it is the request.
const DATA: u64 = 512;

/// What two captures moved, for the time in which their clients were active.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Work {
    /// File data per active client time, in the baseline.
    pub base: Ratio,
    /// In the other.
    pub other: Ratio,
    /// How sure the difference is.
    pub confidence: Confidence,
    /// What is found within equal load, where both captures pass through the same loads; that decides.
    pub equal_load: Option<EqualLoad>,
    /// Active client time for each byte: client, network, server.
    pub parts: Vec<CulpritTime>,
}

impl Work {
    /// The work of both, if bytes are what they have to be compared by.
    pub(super) fn of(premises: &Premises<'_>, sizes: &[Caveat], number: usize) -> Option<Self> {
        let Premises {
            captures,
            parts,
            all,
            mix,
            ..
        } = *premises;
        let dominated = |side: &Side, place: usize| {
            let other_size = |group: &&Group| {
                let kind = kind(&group.key);
                let of = |c: &Caveat| {
                    matches!(c, Caveat::Size { kind: k, base, other }
                        if Some(*k) == kind && *base.min(other) >= DATA)
                };
                sizes.iter().any(of)
            };
            let sides = mix.iter().filter(other_size);
            let sides = sides.filter_map(|group| group.sides.get(place)?.as_ref());
            let time: i128 = sides.map(|side| side.response_time.total).sum();
            time.saturating_mul(2) >= side.response_time.total && time > 0
        };
        if !dominated(all.base()?, 0) || !dominated(all.other(number)?, number + 1) {
            return None;
        }
        let (base, other) = all.both(number, Figure::ActiveThroughput)?;
        let moved = |place: usize| rates_of(parts, place, |block| block.data_bytes);
        let loads = premises.loads.as_ref();
        let equal_load =
            loads.and_then(|loads| loads.test(|block| (block.active_ns, block.data_bytes)));
        Some(Self {
            base,
            other,
            confidence: match &equal_load {
                Some(found) => Confidence::of_equal_load(found),
                None => Confidence::of_blocks(&moved(0), &moved(number + 1)),
            },
            equal_load,
            parts: super::blame::parts(captures, number, |place| {
                Some(all.sides.get(place)?.as_ref()?.moving_bytes)
            }),
        })
    }

    /// How much more the other moves, within equal load where that can be told.
    #[must_use]
    pub fn change(&self) -> Change {
        match &self.equal_load {
            Some(found) => found.more(),
            None => self.base.change(self.other),
        }
    }
}

pub(super) fn kind(key: &Key) -> Option<Kind> {
    match key {
        Key::Operation { kind, .. } | Key::Kind(kind) => Some(*kind),
        _ => None,
    }
}
