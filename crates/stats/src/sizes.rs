//! Response time by the number of bytes asked for.

mod anomalies;

use crate::Collector;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use wirewait_model::load::{Example, SizeCurve, SizeRow};
use wirewait_model::records::{Entities, Group, GroupTimes, Line, LineTimes, Records, StationId};
use wirewait_model::{Distribution, Figures, Losses, Spread};
use wirewait_wire::{Endpoint, Kind};

/// Sizes told apart under one key; with more of them, [`PER_DOUBLING`] classes per doubling.
const EXACT: usize = 64;
const PER_DOUBLING: u64 = 4;
/// Servers and kinds followed at once.
const CURVES: usize = 16;
/// Examples kept of each size.
const EXAMPLES: usize = 3;

#[derive(Clone, Default)]
struct SizeTally {
    response_time: Distribution,
    turnaround: Spread,
    data_bytes: u64,
    /// Each with how many were entered before it: of two as slow the first is shown.
    slowest: Vec<(u64, Example)>,
}

#[derive(Clone, Default)]
struct Curve {
    /// By the greatest size of the class.
    rows: BTreeMap<u64, SizeTally>,
    classes: bool,
}

#[derive(Default)]
pub(crate) struct Sizes {
    /// Each with when it was found last, by their own count.
    curves: Vec<(Owner, u64, Curve)>,
    touches: u64,
    evicted: u64,
}

/// The server, and what the requests do.
type Owner = (Option<StationId>, Kind);

impl Sizes {
    /// The curve of this server and kind. If there are too many, the one that was untouched for
    /// longest gives way.
    fn curve(&mut self, owner: Owner) -> Option<&mut Curve> {
        self.touches += 1;
        let at = match self.curves.iter().position(|(of, ..)| *of == owner) {
            Some(at) => at,
            None => {
                if self.curves.len() >= CURVES {
                    let ages = self.curves.iter().enumerate();
                    let oldest = ages.min_by_key(|(_, (_, touched, _))| *touched);
                    let oldest = oldest.map_or(0, |(at, _)| at);
                    self.curves.swap_remove(oldest);
                    self.evicted += 1;
                }
                self.curves.push((owner, 0, Curve::default()));
                self.curves.len() - 1
            }
        };
        let (_, touched, curve) = self.curves.get_mut(at)?;
        *touched = self.touches;
        Some(curve)
    }

    fn count(&mut self, group: &Group, times: &GroupTimes) {
        let key = &group.key;
        // What failed moved nothing, and is answered in another way.
        let counts = |line: &Line| line.asked_bytes > 0 && line.data_bytes > 0;
        if !matches!(key.kind, Kind::Read | Kind::Write) {
            return;
        }
        let timed = || {
            let lines = group.lines.iter();
            lines.filter_map(|line| Some((line, line.times.as_ref()?)))
        };
        let Some((first, _)) = timed().find(|(line, _)| counts(line)) else {
            return;
        };
        let asked = first.asked_bytes;
        let Some(curve) = self.curve((key.server, key.kind)) else {
            return;
        };
        let spread = times.response_time.spread();
        // As nearly always.
        let all = group.lines.len() as u64 == spread.n
            && group
                .lines
                .iter()
                .all(|line| line.asked_bytes == asked && line.data_bytes > 0);
        if all {
            let row = curve.row(asked);
            row.response_time.record_all(&times.response_time);
            row.turnaround.merge(times.turnaround.spread());
            row.data_bytes = row.data_bytes.saturating_add(group.data_bytes);
            if row.may_keep(spread.max) {
                for (line, took) in timed() {
                    row.show(line, took);
                }
            }
            return;
        }
        for (line, took) in timed().filter(|(line, _)| counts(line)) {
            let row = curve.row(line.asked_bytes);
            row.response_time.record(took.response_ns);
            if let Some(ns) = took.turnaround_ns {
                row.turnaround.record(ns);
            }
            row.data_bytes = row.data_bytes.saturating_add(line.data_bytes);
            row.show(line, took);
        }
    }
}

impl Collector for Sizes {
    fn batch(&mut self, records: &Records<'_>) {
        for (group, times) in records.grouped() {
            self.count(group, times);
        }
    }

    /// By total response time, the greatest first.
    fn write(&self, entities: &dyn Entities, figures: &mut Figures) {
        let total = |curve: &Curve| -> i128 {
            let rows = curve.rows.values();
            rows.map(|row| row.response_time.total()).sum()
        };
        let curves = self.curves.iter();
        let mut curves: Vec<((Endpoint, Kind), &Curve)> = curves
            .filter_map(|((server, kind), _, curve)| {
                Some(((entities.station((*server)?)?, *kind), curve))
            })
            .collect();
        curves.sort_by_key(|(key, curve)| (Reverse(total(curve)), *key));
        let curves = curves.into_iter();
        figures.sizes = curves.map(|(key, curve)| curve.shown(key)).collect();
        figures.losses.add(&Losses {
            rows: self.evicted,
            ..Losses::default()
        });
    }
}

impl Curve {
    fn row(&mut self, bytes: u64) -> &mut SizeTally {
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
                slowest: row.slowest.iter().map(|(_, example)| *example).collect(),
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

impl SizeTally {
    /// Whether one that took so long may be among the slowest. Most are faster than those that are
    /// kept.
    fn may_keep(&self, response_ns: i64) -> bool {
        let least = self.slowest.get(EXAMPLES - 1);
        least.is_none_or(|(_, least)| least.response_ns <= response_ns)
    }

    /// Keeps it if it is among the slowest.
    fn show(&mut self, line: &Line, took: &LineTimes) {
        if !self.may_keep(took.response_ns) {
            return;
        }
        let example = Example {
            transaction: line.number,
            request_frame: took.first_frame,
            response_frame: took.last_frame,
            response_ns: took.response_ns,
        };
        self.keep((line.order, example));
    }

    fn keep(&mut self, kept: (u64, Example)) {
        let rank = |(order, example): &(u64, Example)| (Reverse(example.response_ns), *order);
        let at = self.slowest.partition_point(|e| rank(e) <= rank(&kept));
        if at < EXAMPLES {
            self.slowest.truncate(EXAMPLES - 1);
            self.slowest.insert(at, kept);
        }
    }

    fn absorb(&mut self, other: Self) {
        self.response_time.absorb(&other.response_time);
        self.turnaround.merge(&other.turnaround);
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        for kept in other.slowest {
            self.keep(kept);
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
    fn the_slowest_are_kept_and_of_those_as_slow_the_first() {
        let mut row = SizeTally::default();
        for (order, ns) in [(3, 5), (5, 9), (1, 1), (2, 7), (4, 9), (0, 9), (6, 9)] {
            let example = Example {
                transaction: 1,
                request_frame: 1,
                response_frame: 2,
                response_ns: ns,
            };
            row.keep((order, example));
        }
        let kept: Vec<u64> = row.slowest.iter().map(|(order, _)| *order).collect();
        assert_eq!(kept, [0, 4, 5]);
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
