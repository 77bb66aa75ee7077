//! Response time by the number of bytes asked for.

use super::anomalies::{self, Anomaly};
use crate::distribution::Distribution;
use crate::figures::{clean_turnaround, timed};
use crate::parties::Directory;
use crate::table::{Place, Table};
use crate::{Spread, Times, Transaction};
use std::collections::BTreeMap;
use wirewait_wire::{Endpoint, Kind};

/// Sizes told apart under one key; with more of them, [`PER_DOUBLING`] classes per doubling.
const EXACT: usize = 64;
const PER_DOUBLING: u64 = 4;
/// Servers and kinds followed at once.
const CURVES: usize = 16;
/// Examples kept of each size.
const EXAMPLES: usize = 3;

/// A transaction that shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// Number of the transaction.
    pub transaction: u64,
    /// First frame of its request.
    pub request_frame: u64,
    /// Last frame of its response.
    pub response_frame: u64,
    /// t4 - t1, ns.
    pub response_ns: i64,
}

/// Requests of one size, or of a class of sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeRow {
    /// The least bytes of file data asked for.
    pub from_bytes: u64,
    /// The most; equal where sizes are told apart.
    pub to_bytes: u64,
    /// t4 - t1.
    pub response_time: Times,
    /// t3 - t2 of those where it is exact and the server had nothing else to do.
    pub turnaround: Spread,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// The slowest, the slowest first.
    pub slowest: Vec<Example>,
}

/// Response time over the size of the requests of one kind to one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeCurve {
    /// The server.
    pub server: Endpoint,
    /// Reads or writes.
    pub kind: Kind,
    /// By size.
    pub sizes: Vec<SizeRow>,
    /// Sizes that break the trend.
    pub anomalies: Vec<Anomaly>,
}

#[derive(Clone, Default)]
struct Row {
    response_time: Distribution,
    turnaround: Spread,
    data_bytes: u64,
    slowest: Vec<Example>,
}

#[derive(Clone, Default)]
struct Curve {
    /// By the greatest size of the class.
    rows: BTreeMap<u64, Row>,
    classes: bool,
}

pub(super) struct Sizes {
    curves: Table<(Place, Kind), Curve>,
    pub(super) evicted: u64,
}

impl Sizes {
    pub(super) fn new() -> Self {
        Self {
            curves: Table::new(CURVES),
            evicted: 0,
        }
    }

    pub(super) fn closed(&mut self, t: &Transaction, server: Place) {
        if !matches!(t.kind, Kind::Read | Kind::Write) || t.asked_bytes == 0 {
            return;
        }
        // What failed moved nothing, and is answered in another way.
        let Some(ns) = timed(t).filter(|_| t.data_bytes > 0) else {
            return;
        };
        let (place, evicted) = self.curves.place_of(&(server, t.kind), Curve::default);
        self.evicted += u64::from(evicted.is_some());
        let row = self.curves.at(place).row(t.asked_bytes);
        row.response_time.record(ns);
        row.data_bytes = row.data_bytes.saturating_add(t.data_bytes);
        if let Some(ns) = clean_turnaround(t) {
            row.turnaround.record(ns);
        }
        if let (Some(request), Some(response)) = (t.request, t.response) {
            row.show(Example {
                transaction: t.number,
                request_frame: request.first.frame,
                response_frame: response.last.frame,
                response_ns: ns,
            });
        }
    }

    /// By total response time, the greatest first.
    pub(super) fn curves(&self, directory: &Directory) -> Vec<SizeCurve> {
        let total = |curve: &Curve| -> i128 {
            let rows = curve.rows.values();
            rows.map(|row| row.response_time.total()).sum()
        };
        let curves = self.curves.iter();
        let mut curves: Vec<((Endpoint, Kind), &Curve)> = curves
            .filter_map(|((server, kind), curve)| {
                Some(((directory.station(*server)?, *kind), curve))
            })
            .collect();
        curves.sort_by_key(|(key, curve)| (std::cmp::Reverse(total(curve)), *key));
        let curves = curves.into_iter();
        curves.map(|(key, curve)| curve.shown(key)).collect()
    }
}

impl Curve {
    fn row(&mut self, bytes: u64) -> &mut Row {
        if !self.classes && self.rows.len() >= EXACT && !self.rows.contains_key(&bytes) {
            self.classes = true;
            for (bytes, row) in std::mem::take(&mut self.rows) {
                self.rows.entry(class(bytes).1).or_default().absorb(row);
            }
        }
        let key = if self.classes { class(bytes).1 } else { bytes };
        self.rows.entry(key).or_default()
    }

    fn shown(&self, (server, kind): (Endpoint, Kind)) -> SizeCurve {
        let sizes: Vec<SizeRow> = self
            .rows
            .iter()
            .map(|(to_bytes, row)| SizeRow {
                from_bytes: match self.classes {
                    true => class(*to_bytes).0,
                    false => *to_bytes,
                },
                to_bytes: *to_bytes,
                response_time: row.response_time.times(),
                turnaround: row.turnaround,
                data_bytes: row.data_bytes,
                slowest: row.slowest.clone(),
            })
            .collect();
        SizeCurve {
            server,
            kind,
            anomalies: anomalies::find(&sizes),
            sizes,
        }
    }
}

impl Row {
    fn show(&mut self, example: Example) {
        let at = self
            .slowest
            .partition_point(|e| e.response_ns >= example.response_ns);
        if at < EXAMPLES {
            self.slowest.truncate(EXAMPLES - 1);
            self.slowest.insert(at, example);
        }
    }

    fn absorb(&mut self, other: Self) {
        self.response_time.absorb(&other.response_time);
        self.turnaround.merge(&other.turnaround);
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        for example in other.slowest {
            self.show(example);
        }
    }
}

/// The class of a size: from one more than a step to the next, so that powers of two stand at
/// the end of theirs.
fn class(bytes: u64) -> (u64, u64) {
    let last = bytes.max(1) - 1;
    if last < PER_DOUBLING {
        return (bytes, bytes);
    }
    let step = (1u64 << last.ilog2()) / PER_DOUBLING;
    let below = last - last % step;
    (below + 1, below.saturating_add(step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_end_at_powers_of_two_and_parts_of_them() {
        assert_eq!(class(1024), (897, 1024));
        assert_eq!(class(1025), (1025, 1280));
        assert_eq!(class(1280), (1025, 1280));
        assert_eq!(class(1500), (1281, 1536));
        assert_eq!(class(4), (4, 4));
        assert_eq!(class(5), (5, 5));
    }

    #[test]
    fn sizes_are_exact_while_they_are_few() {
        let mut curve = Curve::default();
        for n in 0..EXACT as u64 {
            curve.row(1000 + n).response_time.record(5);
        }
        curve.row(1001).response_time.record(5);
        assert!(!curve.classes);
        assert_eq!(curve.rows[&1001].response_time.n(), 2);
        curve.row(50).response_time.record(5);
        assert!(curve.classes);
        // 1000 to 1024, 1025 to 1063, 50.
        let n: Vec<(u64, u64)> = curve
            .rows
            .iter()
            .map(|(to, r)| (*to, r.response_time.n()))
            .collect();
        assert_eq!(n, [(56, 1), (1024, 26), (1280, 39)]);
    }

    #[test]
    fn the_slowest_are_kept() {
        let mut row = Row::default();
        for ns in [5, 9, 1, 7, 9] {
            row.show(Example {
                transaction: 1,
                request_frame: 1,
                response_frame: 2,
                response_ns: ns,
            });
        }
        let kept: Vec<i64> = row.slowest.iter().map(|e| e.response_ns).collect();
        assert_eq!(kept, [9, 9, 7]);
    }

    proptest! {
        /// Each size is in its class, and classes do not overlap.
        #[test]
        fn classes_are_a_partition(bytes in 1u64..u64::MAX / 4) {
            let (from, to) = class(bytes);
            prop_assert!(from <= bytes && bytes <= to);
            prop_assert_eq!(class(from), (from, to));
            prop_assert_eq!(class(to), (from, to));
            prop_assert!(class(to + 1).0 == to + 1);
        }
    }
}
